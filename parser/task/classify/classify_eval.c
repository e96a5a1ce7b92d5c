/* Scores of models that classify sentences */
#include <string.h>

#include "base/json_writer.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/classify_use.h"

/* Eval.state */
typedef struct Test {
    int *pred[EVAL_RUNS_MOST]; /* [runs][sentences] what the models predict */
    int *gold;                 /* [sentences] */
    Vocab classes;             /* of the first model; all have the same */
    const char **names;        /* of the classes */
    int majority;              /* the class that training has most of */
} Test;

static Status begin(Eval *x, Error *e)
{
    Test *t = x->state = mem_calloc(1, sizeof *t);
    if (!t) return error_set(e, ERR_NOMEM, "out of memory for the scores");
    vocab_init(&t->classes);
    t->gold = mem_calloc((size_t)x->gold->trees.n, sizeof *t->gold);
    return t->gold ? OK : error_set(e, ERR_NOMEM, "out of memory for the test data");
}

static void end(Eval *x)
{
    Test *t = x->state;
    for (int r = 0; t && r < x->n; r++) mem_free(t->pred[r]);
    if (t) vocab_fini(&t->classes);
    if (t) mem_free(t->gold);
    if (t) mem_free(t->names);
    mem_free(t);
}

/* Takes the classes of the first model. */
static Status take_classes(Eval *x, const Model *m, Error *e)
{
    Test *t = x->state;
    int n = vocab_size(&m->classes);
    bool ok = vocab_copy(&t->classes, &m->classes) && (t->names = mem_calloc((size_t)n, sizeof *t->names)) != NULL;
    if (!ok) return error_set(e, ERR_NOMEM, "out of memory for the classes");
    for (int k = 0; k < n; k++) {
        t->names[k] = vocab_text(&t->classes, k);
        if (t->classes.counts[k] > t->classes.counts[t->majority]) t->majority = k;
    }
    return class_data_numbers(x->gold, &t->classes, t->gold, e);
}

static Status check_classes(const Test *t, const Model *m, Error *e)
{
    bool same = vocab_size(&m->classes) == vocab_size(&t->classes);
    for (int k = 0; same && k < vocab_size(&m->classes); k++)
        same = strcmp(vocab_text(&t->classes, k), vocab_text(&m->classes, k)) == 0;
    return same ? OK : error_at(e, ERR_CONFIG, m->path, 0, 0, "found other classes, expected those of the first model");
}

/* Adds what a run predicts to the confusions. */
static void count(const Eval *x, int run, ClassScores *sum)
{
    const Test *t = x->state;
    for (int k = 0; k < x->gold->trees.n; k++) class_scores_add(sum, t->gold[k], t->pred[run][k]);
}

static Status score_model(Eval *x, int r, const Model *m, Error *e)
{
    Test *t = x->state;
    Classifier c = { 0 };
    ClassScores scores = { 0 };
    int *pred = t->pred[r] = mem_calloc((size_t)x->gold->trees.n, sizeof *pred);
    Status s = pred ? OK : error_set(e, ERR_NOMEM, "out of memory for the test data");
    if (s == OK) s = r == 0 ? take_classes(x, m, e) : check_classes(t, m, e);
    if (s == OK) s = classifier_init(&c, m, device_default(), x->n_threads, e);
    if (x->f->max_words) c.max_words = x->f->max_words;
    if (s == OK) s = classifier_treebank(&c, &x->gold->trees, NULL, pred, e);
    if (s == OK) s = class_scores_init(&scores, vocab_size(&t->classes), e);
    if (s == OK) count(x, r, &scores);
    for (int k = 0; k < CLASS_METRICS && s == OK; k++) x->run[r].value[k] = class_scores_value(&scores, (ClassMetric)k);
    class_scores_fini(&scores);
    classifier_fini(&c);
    return s;
}

/* ---- what is said of runs */

static void put_summary(const Eval *x, int first, const ClassScores *sum, bool json, StrBuf *out)
{
    const Test *t = x->state;
    double accuracy = class_scores_constant(sum, t->majority, CLASS_ACCURACY),
           f1 = class_scores_constant(sum, t->majority, CLASS_MACRO_F1);
    const char *majority = t->names[t->majority];
    const int n = x->gold->trees.n, runs = x->f->runs;
    if (json) json_members(out, "sentences: %d, models: %d", n, runs);
    else strbuf_printf(out, "sentences  %d\nmodels     %d\n", n, runs);
    eval_means(x->task, x->run + first, runs, json, out);
    if (json) json_record(out, "majority", "class: %s, accuracy: %.2f, macro_f1: %.2f", majority, accuracy, f1);
    else
        strbuf_printf(out, "baseline   accuracy %.2f, macro-F1 %.2f: always %s, which training has most of\n\n%s",
                      accuracy, f1, majority, runs > 1 ? "counts are sums over the models\n" : "");
}

static Status put_system(const Eval *x, int first, bool json, StrBuf *out, Error *e)
{
    const Test *t = x->state;
    ClassScores sum;
    Status s = class_scores_init(&sum, vocab_size(&t->classes), e);
    for (int r = first; r < first + x->f->runs && s == OK; r++) count(x, r, &sum);
    if (s == OK) {
        put_summary(x, first, &sum, json, out);
        if (json) class_scores_members(&sum, t->names, out);
        else class_scores_table(&sum, t->names, out);
    }
    class_scores_fini(&sum);
    return s;
}

static Status compare(const Eval *x, int a, int b, int metric, Comparison *out, Error *e)
{
    const Test *t = x->state;
    return class_scores_compare(t->gold, (const int *const *)t->pred + a, (const int *const *)t->pred + b, x->f->runs,
                                x->gold->trees.n, vocab_size(&t->classes), (ClassMetric)metric, x->f->samples,
                                (uint64_t)x->f->seed, out, e);
}

const EvalTask CLASSIFY_EVAL = { .metrics = { { "accuracy", "accuracy" }, { "macro_f1", "macro-F1" } },
                                 .n_metrics = CLASS_METRICS,
                                 .n_compared = CLASS_METRICS,
                                 .of = "a model that classifies",
                                 .refused = { "gold-deps", "pred", "calibration", "risk-coverage", "format tsv" },
                                 .corpora = true,
                                 .begin = begin,
                                 .end = end,
                                 .model = score_model,
                                 .compare = compare,
                                 .put_system = put_system };
