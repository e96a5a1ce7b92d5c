/* Scores of models that classify sentences */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "eval/class_score.h"
#include "program/eval.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/classify.h"

typedef struct Test {
    const EvalFields *f;
    Corpus data;
    EvalRun runs[OPTION_LIST_MAX];
    int *pred[OPTION_LIST_MAX]; /* [runs][sentences] what the models predict */
    int *gold;                  /* [sentences] */
    Vocab classes;              /* of the first model; all have the same */
    const char **names;         /* of the classes */
    int majority;               /* the class that training has most of */
    bool oracle;                /* does a model read gold parses? */
    Arena arena;
} Test;

/* Takes the classes of the first model and compares the others with them. */
static Status take_classes(Test *t, const Model *m, const char *path, Error *e)
{
    bool first = vocab_size(&t->classes) == 0, same = vocab_size(&m->classes) == vocab_size(&t->classes);
    for (int k = 0; k < vocab_size(&m->classes); k++) {
        const char *name = vocab_text(&m->classes, k);
        if (first && vocab_count(&t->classes, name, strlen(name), m->classes.counts[k]) < 0)
            return error_set(e, ERR_NOMEM, "out of memory for the classes");
        same = same && strcmp(vocab_text(&t->classes, k), name) == 0;
    }
    if (!first)
        return same ? OK
                    : error_at(e, ERR_CONFIG, path, 0, 0, "found other classes, expected those of the first model");
    for (int k = 1; k < vocab_size(&t->classes); k++)
        if (t->classes.counts[k] > t->classes.counts[t->majority]) t->majority = k;
    return class_data_numbers(&t->data, &t->classes, t->gold, e);
}

/* Adds what a run predicts to the confusions. */
static void count(const Test *t, int run, ClassScores *sum)
{
    for (int k = 0; k < t->data.trees.n; k++) class_scores_add(sum, t->gold[k], t->pred[run][k]);
}

static Status score_model(Test *t, int run, const char *path, Error *e)
{
    char place[DATA_PATH_MAX];
    Model m;
    Classifier c = { 0 };
    ClassScores scores = { 0 };
    int *pred = t->pred[run] = mem_calloc((size_t)t->data.trees.n, sizeof *pred);
    model_init(&m);
    m.task = &TASK_CLASSIFY;
    Status s = pred ? OK : error_set(e, ERR_NOMEM, "out of memory for the test data");
    t->runs[run].name = path;
    path = program_model_path(path, place, sizeof place);
    if (s == OK) s = model_load(&m, path, NULL, e);
    if (s == OK) s = take_classes(t, &m, path, e);
    t->oracle = t->oracle || encoder_options_oracle(&m.options);
    if (s == OK) s = classifier_init(&c, &m, device_default(), program_threads(t->f->threads), e);
    if (t->f->max_words) c.max_words = t->f->max_words;
    if (s == OK) s = classifier_treebank(&c, &t->data.trees, NULL, pred, e);
    if (s == OK) s = class_scores_init(&scores, vocab_size(&t->classes), e);
    if (s == OK) count(t, run, &scores);
    for (int k = 0; k < CLASS_METRICS && s == OK; k++)
        t->runs[run].value[k] = class_scores_value(&scores, (ClassMetric)k);
    class_scores_fini(&scores);
    classifier_fini(&c);
    model_fini(&m);
    return s;
}

/* ---- what eval_write asks for */

static const EvalTask CLASSES;

static void put_summary(const Test *t, int first, const ClassScores *sum, bool json, StrBuf *out)
{
    double accuracy = class_scores_constant(sum, t->majority, CLASS_ACCURACY),
           f1 = class_scores_constant(sum, t->majority, CLASS_MACRO_F1);
    const char *majority = vocab_text(&t->classes, t->majority);
    if (json) json_members(out, "sentences: %d, models: %d", t->data.trees.n, t->f->runs);
    else strbuf_printf(out, "sentences  %d\nmodels     %d\n", t->data.trees.n, t->f->runs);
    eval_means(t->f, &CLASSES, t->runs + first, json, out);
    if (json) json_record(out, "majority", "class: %s, accuracy: %.2f, macro_f1: %.2f", majority, accuracy, f1);
    else
        strbuf_printf(out, "baseline   accuracy %.2f, macro-F1 %.2f: always %s, which training has most of\n\n%s",
                      accuracy, f1, majority, t->f->runs > 1 ? "counts are sums over the models\n" : "");
}

static Status put(void *context, int first, bool json, StrBuf *out, Error *e)
{
    const Test *t = context;
    ClassScores sum;
    Status s = class_scores_init(&sum, vocab_size(&t->classes), e);
    for (int r = first; r < first + t->f->runs && s == OK; r++) count(t, r, &sum);
    if (s == OK) {
        put_summary(t, first, &sum, json, out);
        if (json) class_scores_members(&sum, t->names, out);
        else class_scores_table(&sum, t->names, out);
    }
    class_scores_fini(&sum);
    return s;
}

static Status compare(void *context, int a, int b, int metric, Comparison *out, Error *e)
{
    const Test *t = context;
    return class_scores_compare(t->gold, (const int *const *)t->pred + a, (const int *const *)t->pred + b, t->f->runs,
                                t->data.trees.n, vocab_size(&t->classes), (ClassMetric)metric, t->f->samples,
                                (uint64_t)t->f->seed, out, e);
}

static const EvalTask CLASSES = { .metrics = { { "accuracy", "accuracy" }, { "macro_f1", "macro-F1" } },
                                  .n_metrics = CLASS_METRICS,
                                  .n_compared = CLASS_METRICS,
                                  .compare = compare,
                                  .put = put };

static Status print(Test *t, Error *e)
{
    int n = vocab_size(&t->classes);
    StrBuf out = { 0 };
    t->names = arena_alloc(&t->arena, (size_t)n, sizeof *t->names);
    if (!t->names) return error_set(e, ERR_NOMEM, "out of memory for the classes");
    for (int k = 0; k < n; k++) t->names[k] = vocab_text(&t->classes, k);
    Status s = eval_write(t->f, &CLASSES, t, t->runs, t->f->model.n, &out, e);
    if (s == OK && t->oracle) program_mark_oracle(&out, t->f->format == EVAL_JSON ? ORACLE_JSON : ORACLE_TEXT);
    if (s == OK) s = program_print(&out, e);
    strbuf_fini(&out);
    return s;
}

Status eval_classes(const EvalFields *f, Error *e)
{
    Test *t = mem_calloc(1, sizeof *t);
    if (!t) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    t->f = f;
    arena_init(&t->arena, 1024);
    vocab_init(&t->classes);
    Status s = program_gold(&t->data, &(GoldFiles){ .gold = f->gold, .classes = f->gold_classes }, &TASK_CLASSIFY,
                            (GoldOptions){ 0 }, e);
    if (s == OK && !(t->gold = mem_calloc((size_t)t->data.trees.n, sizeof *t->gold)))
        s = error_set(e, ERR_NOMEM, "out of memory for the test data");
    for (int r = 0; r < f->model.n && s == OK; r++) s = score_model(t, r, f->model.item[r], e);
    if (s == OK) s = print(t, e);
    for (int r = 0; r < f->model.n; r++) mem_free(t->pred[r]);
    mem_free(t->gold);
    corpus_fini(&t->data);
    vocab_fini(&t->classes);
    arena_fini(&t->arena);
    mem_free(t);
    return s;
}
