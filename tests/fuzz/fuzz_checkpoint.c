/* tests/fuzz/fuzz_checkpoint.c: training resumes from a checkpoint that is accepted; the checkpoint written after one
 * update is accepted, too, the model loads and the log is JSON. The treebank is that of tests/support/tiny.h, as for
 * the seeds. */
#define _POSIX_C_SOURCE 200809L
#include <cjson/cJSON.h>
#include <string.h>

#include "tests/fuzz/file.h"
#include "tests/fuzz/mutate_safetensors.h"
#include "tests/support/tiny.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return mutate_safetensors(data, size, max_size, seed);
}

static void check_log(const char *path)
{
    StrBuf text = { 0 };
    StrView line;
    Error e = { 0 };
    if (file_read(path, &text, &e) != OK) abort();
    for (size_t at = 0; text_line((StrView){ text.ptr, text.len }, &at, &line);) {
        const char *end = NULL;
        cJSON *j = cJSON_ParseWithLengthOpts(line.ptr, line.len, &end, false);
        if (!cJSON_IsObject(j) || end != line.ptr + line.len) abort();
        cJSON_Delete(j);
    }
    strbuf_fini(&text);
}

static void check_model(const char *path)
{
    Model m;
    Error e = { 0 };
    model_init(&m);
    if (model_load(&m, path, NULL, &e) != OK) abort();
    model_fini(&m);
}

/* What a checkpoint says of its command is an error with a message, or values that can be written again. */
static void check_options(const char *path)
{
    ModelConfig m;
    TrainConfig t;
    EncoderOptions o;
    cJSON *command;
    char checksum[17];
    Arena strings;
    StrBuf out = { 0 };
    Error e = { 0 };
    arena_init(&strings, 4096);
    options_defaults(CONFIG_MODEL_OPTIONS, &m);
    options_defaults(CONFIG_TRAIN_OPTIONS, &t);
    Status s = trainer_saved_options(path, &TASK_PARSE, &m, &t, &o, &command, checksum, &strings, &e);
    if (s != OK && !e.message[0]) abort();
    options_to_json(CONFIG_TRAIN_OPTIONS, &t, &out);
    cJSON_Delete(command);
    strbuf_fini(&out);
    arena_fini(&strings);
}

/* Does the checkpoint have a running average of the weights? Then the resumed run keeps one, too. */
static bool has_average(const uint8_t *data, size_t size)
{
    static const char name[] = "average/";
    for (size_t at = 0; at + sizeof name - 1 <= size; at++)
        if (memcmp(data + at, name, sizeof name - 1) == 0) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const volatile sig_atomic_t interrupted = 1; /* stops after one update */
    FuzzFile given = fuzz_file(data, size, 0), saved = fuzz_file("", 0, 1), model = fuzz_file("", 0, 2),
             log = fuzz_file("", 0, 3);
    Corpus c;
    Error e = { 0 }, again = { 0 };
    if (!tiny_corpus(&c)) abort();
    TrainArgs a = tiny_args(&c);
    a.resume = given.path;
    a.checkpoint = saved.path;
    a.out = model.path;
    a.log = log.path;
    a.train.average = has_average(data, size) ? 0.9 : 0;
    a.interrupted = &interrupted;
    check_options(given.path);
    unlink(model.path);
    Status s = trainer_run(&a, &e);
    if (s == ERR_INTERRUPTED) {
        a.resume = saved.path;
        s = trainer_run(&a, &again);
        if (s != OK && s != ERR_INTERRUPTED && s != ERR_NUMERIC) abort(); /* the saved checkpoint must be accepted */
    } else if (s != OK && !e.message[0]) abort();
    check_log(log.path);
    if (access(model.path, F_OK) == 0) check_model(model.path);
    corpus_fini(&c);
    unlink(given.path);
    unlink(saved.path);
    unlink(model.path);
    unlink(log.path);
    return 0;
}
