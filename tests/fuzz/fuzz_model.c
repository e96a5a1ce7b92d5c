/* tests/fuzz/fuzz_model.c: a model that loads can parse, its output is JSON, or classify, with products of each kind;
 * what is left of it without closed heads can, too; a parser can be trained on an encoder; each can be saved and loaded
 * again. The seeds are written by tests/support/make_tiny_models.c, or were found by fuzzing. */
#define _POSIX_C_SOURCE 200809L
#include <cjson/cJSON.h>
#include <string.h>

#include "parser/model/model_file.h"
#include "parser/output/output.h"
#include "parser/parse/parse.h"
#include "parser/lab/prune.h"
#include "parser/task/classify/classify.h"
#include "tests/fuzz/file.h"
#include "tests/fuzz/mutate_safetensors.h"
#include "tests/support/tiny.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return mutate_safetensors(data, size, max_size, seed);
}

static void check_json(const char *text)
{
    cJSON *j = cJSON_ParseWithOpts(text, NULL, true);
    if (!j) abort();
    cJSON_Delete(j);
}

/* Two sentences, one of them longer than the position table. ERR_NUMERIC is allowed, because scores may not be
 * finite if weights are large. */
static const char *const words[] = { "a", "b", "zebra", "C", "a" };
static const ParseInput in[2] = { { .n_words = 5, .words = words }, { .n_words = 1, .words = words + 2 } };

static void check_classify(const Model *m)
{
    Classifier c;
    Error e = { 0 };
    int id[2];
    if (classifier_init(&c, m, device_cpu(), 1, &e) != OK) abort();
    Status s = classifier_run(&c, in, 2, id, NULL, &e);
    if (s != OK && s != ERR_NUMERIC) abort();
    for (int k = 0; k < 2 && s == OK; k++)
        if (id[k] < 0 || id[k] >= vocab_size(&m->classes)) abort();
    classifier_fini(&c);
}

static void check_parse(const Model *m)
{
    Parsed result[2];
    Worker w;
    Arena out;
    StrBuf text = { 0 };
    Error e = { 0 };
    ParseOptions o = parse_defaults(m);
    o.arc_probability = true;
    worker_init(&w, m, device_cpu());
    arena_init(&out, 4096);
    Status s = parse_batch(&w, in, 2, &o, &out, result, &e);
    if (s != OK && s != ERR_NUMERIC) abort();
    for (int k = 0; k < 2 && s == OK; k++) {
        strbuf_clear(&text);
        output_sentence(&text, m, &result[k], &(Origin){ .id = 1, .line = 1 }, (OutputStyle){ .format = &OUTPUT_JSON });
        text.ptr[text.len - 1] = 0; /* the newline */
        check_json(text.ptr);
    }
    strbuf_fini(&text);
    arena_fini(&out);
    worker_fini(&w);
}

static void check_detect(const Model *m)
{
    static const char *const two[] = { "a", "b" };
    const BatchSentence sent = { .n = 2, .words = two };
    Worker w;
    Error e = { 0 };
    worker_init(&w, m, device_cpu());
    if (worker_pack(&w, &sent, NULL, 1, 0, &e) != OK || worker_forward(&w, NULL, &e) != OK) abort();
    if (w.net.scores->rows != 4) abort();
    worker_fini(&w);
}

static void check_use(const Model *m)
{
    if (m->task == &TASK_CLASSIFY) check_classify(m);
    else if (m->task == &TASK_DETECT) check_detect(m);
    else check_parse(m);
}

/* A parser with the encoder of the file learns for one update. */
static void check_pretrained(const char *path)
{
    Corpus c;
    Error e = { 0 };
    if (!tiny_corpus(&c)) abort();
    TrainArgs a = tiny_args(&c);
    a.pretrained = path;
    a.out = "/dev/null";
    a.stop_at_step = 1;
    Status s = trainer_run(&a, &e);
    if (s != ERR_INTERRUPTED && s != OK && !e.message[0]) abort();
    corpus_fini(&c);
}

static void check_pruned(const Model *m)
{
    Model small;
    Error e = { 0 };
    model_init(&small);
    if (model_prune(m, &small, &e) == OK) {
        if (params_upload(&small.ps, device_cpu(), &e) != OK) abort();
        check_use(&small);
    } else if (!e.message[0]) abort();
    model_fini(&small);
}

static void load_again(Model *again, const Model *m, const char *path)
{
    Error e = { 0 };
    model_init(again);
    again->task = m->task;
    if (model_load(again, path, NULL, &e) != OK) abort();
}

/* Numbers of 8 bits stay as they are when they are stored again. Some models have numbers that 8 bits cannot hold. */
static void check_int8(const Model *m, const char *path)
{
    Model again;
    StrBuf bytes[2] = { { 0 } };
    Error e = { 0 };
    Status s = model_save(m, path, DT_I8, NULL, 0, NULL, &e);
    if (s != OK && s != ERR_NUMERIC) abort();
    if (s != OK) return;
    load_again(&again, m, path);
    if (file_read(path, &bytes[0], &e) != OK || model_save(&again, path, DT_I8, NULL, 0, NULL, &e) != OK) abort();
    if (file_read(path, &bytes[1], &e) != OK || bytes[0].len != bytes[1].len) abort();
    if (memcmp(bytes[0].ptr, bytes[1].ptr, bytes[0].len) != 0) abort();
    for (int k = 0; k < 2; k++) strbuf_fini(&bytes[k]);
    model_fini(&again);
}

static void check_again(const Model *m)
{
    Model again;
    Error e = { 0 };
    FuzzFile file = fuzz_file("", 0, 1);
    if (model_save(m, file.path, DT_F32, NULL, 0, NULL, &e) != OK) abort();
    load_again(&again, m, file.path);
    if (again.ps.size != m->ps.size ||
        memcmp(params_values(&again.ps), params_values(&m->ps), m->ps.size * sizeof(Real)) != 0)
        abort();
    model_fini(&again);
    check_int8(m, file.path);
    unlink(file.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_file(data, size, 0);
    static const Products products[] = { PRODUCTS_REAL, PRODUCTS_BF16, PRODUCTS_INT8 };
    Model m;
    Error e = { 0 };
    model_init(&m);
    /* refused without the library or in a double build */
    if (device_cpu()->set_products(products[size % 3], &e) != OK) e = (Error){ 0 };
    if (model_load_any(&m, file.path, NULL, &e) == OK) {
        if (m.summary) check_json(m.summary);
        if (m.task == &TASK_ENCODE) check_pretrained(file.path);
        else check_use(&m);
        if (m.task == &TASK_PARSE || m.task == &TASK_CLASSIFY) check_pruned(&m);
        check_again(&m);
    } else if (!e.message[0]) abort();
    model_fini(&m);
    unlink(file.path);
    return 0;
}
