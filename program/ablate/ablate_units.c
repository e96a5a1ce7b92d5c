/* The numbers of the units of dev or test, by task (measure.h) */
#include <string.h>

#include "program/ablate/ablate_internal.h"
#include "parser/parse/evaluate.h"
#include "parser/parse/syntax_file.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/document/document.h"
#include "parser/task/translate/translate.h"

/* What is scored: corpora of dev or test, and of all of them the number of units. */
typedef struct Sets {
    Corpus *c; /* [n] */
    int n, units;
    bool test;
} Sets;

static const Device *device_of(const AblateScored *x) { return x->a->device ? x->a->device : device_default(); }

/* ---- parse */

static void numbers_of_parse(const Scores *s, double *out)
{
    const DepCounts *d = &s->dep.nopunct;
    const long numbers[] = { s->words, s->trees, s->gold_brackets, s->pred_brackets, s->matched_brackets,
                             d->words, d->heads, d->both };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) out[k] = (double)numbers[k];
}

/* Parses as a check of training does; masks may read parses of a file. */
static Status parse_sets(const AblateScored *x, const Sets *sets, Evaluation *ev, Error *e)
{
    const Model *m = x->m;
    const char *parses = sets->test ? m->options.syntax.test_file : m->options.syntax.dev_file;
    Treebank read;
    treebank_init(&read);
    bool reads = encoder_options_source(&m->options) == SYNTAX_FILE && parses;
    Status status = reads ? syntax_file_corpora(&read, parses, m, sets->c, sets->n, e) : OK;
    const Sentence *parse = reads ? read.s : NULL;
    for (int k = 0; k < sets->n && status == OK; k++) {
        const Corpus *c = &sets->c[k];
        EvaluateOptions o = { .parse = parse_defaults(m), .device = x->a->device, .n_threads = x->a->n_threads };
        int id = vocab_find(&m->treebanks, c->name);
        o.parse.treebank = id < 0 ? 0 : id;
        o.parse.shape_tags = false;
        o.parses = parse;
        if (parse) parse += c->trees.n;
        status = evaluate_model(m, &c->trees, &o, ev, e);
        ev->each += c->trees.n;
    }
    treebank_fini(&read);
    return status;
}

static Status score_parses(const AblateScored *x, const Sets *sets, double *each, Error *e)
{
    int width = x->a->plan->measure->n_numbers;
    Scores *scores = mem_calloc((size_t)sets->units + 1, sizeof *scores);
    Evaluation ev = { .each = scores, .punct = PUNCT_AUTO };
    Status status = scores ? parse_sets(x, sets, &ev, e) : error_set(e, ERR_NOMEM, "out of memory for scores");
    for (int k = 0; k < sets->units && status == OK; k++) numbers_of_parse(&scores[k], each + k * width);
    mem_free(scores);
    return status;
}

/* ---- classify */

static Status score_classes(const AblateScored *x, const Sets *sets, double *each, Error *e)
{
    Classifier c = { 0 };
    int *gold = mem_calloc((size_t)sets->units + 1, sizeof *gold),
        *pred = mem_calloc((size_t)sets->units + 1, sizeof *pred);
    Status status = gold && pred ? OK : error_set(e, ERR_NOMEM, "out of memory for classes");
    if (status == OK) status = classifier_init(&c, x->m, device_of(x), x->a->n_threads, e);
    for (int k = 0, from = 0; k < sets->n && status == OK; from += sets->c[k++].trees.n) {
        status = class_data_numbers(&sets->c[k], &x->m->classes, gold + from, e);
        if (status == OK) status = classifier_treebank(&c, &sets->c[k].trees, NULL, pred + from, e);
    }
    for (int k = 0; k < sets->units && status == OK; k++) {
        each[2 * k] = 1;
        each[2 * k + 1] = gold[k] == pred[k];
    }
    classifier_fini(&c);
    mem_free(gold);
    mem_free(pred);
    return status;
}

/* ---- documents */

/* Documents without gold count nothing. */
static Status score_corpus(const AblateScored *x, Classifier *c, const Corpus *data, double *each, Error *e)
{
    static const DocumentChoice choice = { .most = DOCUMENT_CHOSEN };
    const AblateMeasure *measure = x->a->plan->measure;
    double threshold[THRESHOLDS];
    DocumentUnits units = { 0 };
    Status status = document_thresholds(x->m, threshold, e);
    if (status == OK) status = document_units(c, data, &units, e);
    for (int k = 0; k < data->trees.n && status == OK; k++, each += measure->n_numbers)
        if (document_kind(measure->task)->has_gold(&data->documents->d[k]))
            status = document_numbers(x->m, &choice, threshold, data, &units, k, each, e);
    document_units_fini(&units);
    return status;
}

static Status score_documents(const AblateScored *x, const Sets *sets, double *each, Error *e)
{
    Classifier c = { 0 };
    Status status = document_classifier(&c, x->m, device_of(x), x->a->n_threads, e);
    for (int k = 0; k < sets->n && status == OK; k++) {
        status = score_corpus(x, &c, &sets->c[k], each, e);
        each += sets->c[k].trees.n * x->a->plan->measure->n_numbers;
    }
    classifier_fini(&c);
    return status;
}

/* ---- losses, and translate */

static Status score_losses(const AblateScored *x, const Sets *sets, int width, double *each, Error *e)
{
    TrainArgs t = ablate_train_args(x->a, x->v, NULL);
    t.out = x->path;
    t.dev = sets->c;
    t.n_dev = sets->n;
    return trainer_score(&t, width, each, e);
}

static Status score_words(const AblateScored *x, const Sets *sets, double *each, Error *e)
{
    return score_losses(x, sets, x->a->plan->measure->n_numbers, each, e);
}

static Status translate_sets(const AblateScored *x, const Sets *sets, BleuCounts *each, Error *e)
{
    Translator t;
    BleuCounts sum = { 0 };
    Status status = translator_init(&t, x->m, device_of(x), x->a->n_threads, TRANSLATE_DEFAULT, e);
    for (int k = 0; k < sets->n && status == OK; k++) {
        status = translator_bleu(&t, &sets->c[k].trees, &sum, each, e);
        each += sets->c[k].trees.n;
    }
    translator_fini(&t);
    return status;
}

/* The numbers of BLEU, then pieces and their loss. */
static Status score_translations(const AblateScored *x, const Sets *sets, double *each, Error *e)
{
    size_t n = (size_t)sets->units + 1;
    double(*loss)[2] = mem_calloc(n, sizeof *loss);
    BleuCounts *bleu = mem_calloc(n, sizeof *bleu);
    Status status = loss && bleu ? OK : error_set(e, ERR_NOMEM, "out of memory for scores");
    if (status == OK) status = score_losses(x, sets, 2, loss[0], e);
    if (status == OK) status = translate_sets(x, sets, bleu, e);
    for (int k = 0; k < sets->units && status == OK; k++, each += x->a->plan->measure->n_numbers) {
        bleu_numbers(&bleu[k], each);
        memcpy(each + BLEU_NUMBERS, loss[k], sizeof loss[k]);
    }
    mem_free(loss);
    mem_free(bleu);
    return status;
}

/* ---- by the task */

Status ablate_score_units(const AblateScored *x, bool test, double *each, Error *e)
{
    static const struct {
        const Task *task;
        Status (*score)(const AblateScored *x, const Sets *sets, double *each, Error *e);
    } tasks[] = { { &TASK_PARSE, score_parses },       { &TASK_CLASSIFY, score_classes },
                  { &TASK_CLASSES, score_documents },  { &TASK_SUMMARY, score_documents },
                  { &TASK_SEGMENTS, score_documents }, { &TASK_DETECT, score_words },
                  { &TASK_MASK, score_words },         { &TASK_TRANSLATE, score_translations } };
    const AblateArgs *a = x->a;
    Sets sets = { test ? a->test : a->dev, test ? a->n_test : a->n_dev, 0, test };
    size_t k = 0;
    for (int c = 0; c < sets.n; c++) sets.units += sets.c[c].trees.n;
    while (tasks[k].task != a->plan->measure->task) k++;
    return tasks[k].score(x, &sets, each, e);
}
