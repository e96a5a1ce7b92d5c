/* Training resumes from a checkpoint that is accepted; the checkpoint written after one
 * update is accepted, too, the model loads and the log is JSON. The treebank is that of tests/support/tiny.h, as for
 * the seeds. */
#include <cjson/cJSON.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate_safetensors.h"
#include "tests/support/tiny.h"

static void check_log(const char *path)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    StrView line;
    Error e = { 0 };
    require(file_read(path, &text, &e) == OK);
    for (size_t at = 0; text_line((StrView){ text.ptr, text.len }, &at, &line);) {
        const char *end = NULL;
        cJSON *j = cJSON_ParseWithLengthOpts(line.ptr, line.len, &end, false);
        require(cJSON_IsObject(j) && end == line.ptr + line.len);
        cJSON_Delete(j);
    }
}

static void check_model(const char *path)
{
    Error e = { 0 };
    MADE(Model, model_init, model_fini, m);
    require(model_load(&m, path, NULL, &e) == OK);
}

/* What a checkpoint says of its command is an error with a message, or values that can be written again. */
static void check_options(const char *path)
{
    ModelConfig m;
    TrainConfig t;
    EncoderOptions o;
    cJSON *command;
    char checksum[17];
    FREED(strbuf_fini) StrBuf out = { 0 };
    Error e = { 0 };
    MADE(Arena, arena_init, arena_fini, strings, 4096);
    options_defaults(CONFIG_MODEL_OPTIONS, &m);
    options_defaults(CONFIG_TRAIN_OPTIONS, &t);
    accepted(trainer_saved_options(path, &TASK_PARSE, &m, &t, &o, &command, checksum, &strings, &e), &e);
    options_to_json(CONFIG_TRAIN_OPTIONS, &t, &out);
    cJSON_Delete(command);
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
    FREED(fuzz_unlink)
    FuzzFile given = fuzz_file(data, size, 0), saved = fuzz_file("", 0, 1), model = fuzz_file("", 0, 2),
             log = fuzz_file("", 0, 3);
    FREED(corpus_fini) Corpus c;
    Error e = { 0 }, again = { 0 };
    require(tiny_corpus(&c));
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
        require(s == OK || s == ERR_INTERRUPTED || s == ERR_NUMERIC); /* the saved checkpoint must be accepted */
    } else accepted(s, &e);
    check_log(log.path);
    if (access(model.path, F_OK) == 0) check_model(model.path);
    return 0;
}
