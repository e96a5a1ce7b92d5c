/* A model that loads can parse, its output is JSON, classify or translate, with products of
 * each kind; what is left of it without closed heads can, too; a parser can be trained on an encoder; each can be saved
 * and loaded again. The seeds are written by tests/support/make_tiny_models.c, or were found by fuzzing. */
#include <cjson/cJSON.h>

#include "parser/model/linear_network.h"
#include "parser/model/model_file.h"
#include "parser/output/output.h"
#include "parser/parse/parse.h"
#include "parser/model/prune.h"
#include "parser/task/classify/classify.h"
#include "parser/task/translate/translate.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate_safetensors.h"
#include "tests/support/tiny.h"

static void check_json(const char *text)
{
    cJSON *j = cJSON_ParseWithOpts(text, NULL, true);
    require(j != NULL);
    cJSON_Delete(j);
}

/* Two sentences, one of them longer than the position table. ERR_NUMERIC is allowed, because scores may not be
 * finite if weights are large. */
static const char *const words[] = { "a", "b", "zebra", "C", "a" };
static const ParseInput in[2] = { { .n_words = 5, .words = words }, { .n_words = 1, .words = words + 2 } };

static void check_classify(const Model *m)
{
    FREED(classifier_fini) Classifier c;
    Error e = { 0 };
    int id[2];
    require(classifier_init(&c, m, device_cpu(), 1, &e) == OK);
    Status s = classifier_run(&c, in, 2, id, NULL, &e);
    require(s == OK || s == ERR_NUMERIC);
    for (int k = 0; k < 2 && s == OK; k++) require(id[k] >= 0 && id[k] < vocab_size(&m->classes));
}

static void check_parse(const Model *m)
{
    Parsed result[2];
    FREED(strbuf_fini) StrBuf text = { 0 };
    Error e = { 0 };
    ParseOptions o = parse_defaults(m);
    o.arc_probability = true;
    MADE(Worker, worker_init, worker_fini, w, m, device_cpu());
    MADE(Arena, arena_init, arena_fini, out, 4096);
    Status s = parse_batch(&w, in, 2, &o, &out, result, &e);
    require(s == OK || s == ERR_NUMERIC);
    for (int k = 0; k < 2 && s == OK; k++) {
        strbuf_clear(&text);
        output_sentence(&text, m, &result[k], &(Origin){ .id = 1, .line = 1 }, (OutputStyle){ .format = &OUTPUT_JSON });
        text.ptr[text.len - 1] = 0; /* the newline */
        check_json(text.ptr);
    }
}

static void check_detect(const Model *m)
{
    static const char *const two[] = { "a", "b" };
    const BatchSentence sent = { .n = 2, .words = two };
    Error e = { 0 };
    MADE(Worker, worker_init, worker_fini, w, m, device_cpu());
    require(worker_pack(&w, &sent, NULL, 1, 0, &e) == OK && worker_forward(&w, NULL, &e) == OK);
    require(linear_network_scores(&w.net)->rows == 4);
}

static void check_translate(const Model *m)
{
    static const StrView lines[] = { { "a b zebra", 9 }, { "", 0 }, { "a\xff", 2 } };
    Translation out[3];
    TranslateOptions o = TRANSLATE_DEFAULT;
    Error e = { 0 };
    FREED(translator_fini) Translator t;
    o.align = true;
    require(translator_init(&t, m, device_cpu(), 1, o, &e) == OK);
    Status s = translator_run(&t, lines, 3, out, &e);
    require(s == OK || s == ERR_NUMERIC);
    for (int k = 0; k < 3 && s == OK; k++) {
        require(utf8_invalid(out[k].text, strlen(out[k].text)) == strlen(out[k].text));
        for (int i = 0; i < out[k].n; i++) require(out[k].piece[i] < vocab_size(&m->words) && out[k].source[i] >= 0);
    }
}

static void check_use(const Model *m)
{
    if (m->task == &TASK_TRANSLATE) check_translate(m);
    else if (strcmp(m->task->verb, "classify") == 0) check_classify(m);
    else if (m->task == &TASK_DETECT) check_detect(m);
    else check_parse(m);
}

/* A parser with the encoder of the file learns for one update. */
static void check_pretrained(const char *path)
{
    FREED(corpus_fini) Corpus c;
    Error e = { 0 };
    require(tiny_corpus(&c));
    TrainArgs a = tiny_args(&c);
    a.pretrained = path;
    a.out = "/dev/null";
    a.stop_at_step = 1;
    Status s = trainer_run(&a, &e);
    require(s == ERR_INTERRUPTED || s == ERR_NUMERIC || accepted(s, &e));
}

static void check_pruned(const Model *m)
{
    Error e = { 0 };
    MADE(Model, model_init, model_fini, small);
    if (!accepted(model_prune(m, &small, &e), &e)) return;
    require(params_upload(&small.ps, device_cpu(), &e) == OK);
    check_use(&small);
}

static void load_again(Model *again, const Model *m, const char *path)
{
    Error e = { 0 };
    model_init(again);
    again->task = m->task;
    require(model_load(again, path, NULL, &e) == OK);
}

/* Numbers of 8 or 4 bits stay as they are when they are stored again. Some models have numbers that these cannot hold.
 */
static void check_narrow(const Model *m, const char *path, DType dtype)
{
    FREED(strbuf_fini) StrBuf once = { 0 }, twice = { 0 };
    Error e = { 0 };
    Status s = model_save(m, path, dtype, NULL, 0, NULL, &e);
    require(s == OK || s == ERR_NUMERIC);
    if (s != OK) return;
    MADE(Model, load_again, model_fini, again, m, path);
    require(file_read(path, &once, &e) == OK && model_save(&again, path, dtype, NULL, 0, NULL, &e) == OK);
    require(file_read(path, &twice, &e) == OK);
    require_equal(&once, &twice);
}

static void check_again(const Model *m)
{
    Error e = { 0 };
    FREED(fuzz_unlink) FuzzFile file = fuzz_file("", 0, 1);
    require(model_save(m, file.path, DT_F32, NULL, 0, NULL, &e) == OK);
    MADE(Model, load_again, model_fini, again, m, file.path);
    require(again.ps.size == m->ps.size);
    require(memcmp(params_values(&again.ps), params_values(&m->ps), m->ps.size * sizeof(Real)) == 0);
    check_narrow(m, file.path, DT_I8);
    check_narrow(m, file.path, DT_U8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(data, size, 0);
    static const Products products[] = { PRODUCTS_REAL, PRODUCTS_BF16, PRODUCTS_INT8 };
    Error e = { 0 };
    MADE(Model, model_init, model_fini, m);
    /* refused without the library or in a double build */
    if (device_cpu()->set_products(products[size % 3], &e) != OK) e = (Error){ 0 };
    if (!accepted(model_load_any(&m, file.path, NULL, &e), &e)) return 0;
    if (m.summary) check_json(m.summary);
    if (m.task == &TASK_ENCODE) check_pretrained(file.path);
    else check_use(&m);
    if (m.task == &TASK_PARSE || m.task == &TASK_CLASSIFY) check_pruned(&m);
    check_again(&m);
    return 0;
}
