/* parser/program/classify_test.c */
#include "parser/program/classify_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "eval/class_score.h"
#include "parser/model/model_file.h"
#include "parser/program/program.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/classify.h"

Status classify_data(Corpus *c, const char *path, const char *classes, Error *e)
{
    char place[DATA_PATH_MAX];
    ProgramNotes notes = program_notes();
    Status s = class_data_load(c, program_file(path, place, sizeof place), classes, &notes.notes, e);
    program_notes_end(&notes);
    return s;
}

Status classify_model(Model *m, const char *path, Error *e)
{
    char place[DATA_PATH_MAX];
    model_init(m);
    m->task = &TASK_CLASSIFY;
    return model_load(m, program_model_file(path, place, sizeof place), NULL, e);
}

/* What models of one setting predict for the test sentences. */
typedef struct System {
    int runs;
    int *pred[OPTION_LIST_MAX]; /* [runs][n] */
} System;

typedef struct Test {
    const ClassifyTest *o;
    Corpus data;
    int *gold;     /* [n] */
    Vocab classes; /* of the first model; all have the same */
    int majority;  /* the class that training has most of */
    bool oracle;   /* does a model read gold parses? */
    Arena arena;
} Test;

static void system_fini(System *s)
{
    for (int r = 0; r < s->runs; r++) mem_free(s->pred[r]);
}

/* The classes of the first model; those of the others are compared. */
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

static Status run_model(Test *t, const char *path, int *pred, Error *e)
{
    Model m;
    Classifier c = { 0 };
    Status s = classify_model(&m, path, e);
    if (s == OK) s = take_classes(t, &m, path, e);
    t->oracle = t->oracle || encoder_options_oracle(&m.options);
    if (s == OK) s = classifier_init(&c, &m, device_default(), program_threads(t->o->threads), e);
    c.max_words = t->o->max_words;
    if (s == OK) s = classifier_treebank(&c, &t->data.trees, pred, e);
    classifier_fini(&c);
    model_fini(&m);
    return s;
}

static Status run_system(Test *t, const OptionList *models, System *out, Error *e)
{
    Status s = OK;
    for (int k = 0; k < models->n && s == OK; k++) {
        int *pred = out->pred[out->runs++] = mem_calloc((size_t)t->data.trees.n, sizeof *pred);
        s = pred ? run_model(t, models->item[k], pred, e) : error_set(e, ERR_NOMEM, "out of memory for the test data");
    }
    return s;
}

static const char *const METRICS[CLASS_METRICS][2] = { { "accuracy", "accuracy" }, { "macro_f1", "macro-F1" } };

/* Mean and, of several runs, standard deviation (of a sample) of a metric; the confusions of all runs are added to
 * sum. */
typedef struct Summary {
    double mean[CLASS_METRICS], deviation[CLASS_METRICS];
} Summary;

static Status summarise(const Test *t, const System *sys, ClassScores *sum, Summary *out, Error *e)
{
    double squares[CLASS_METRICS] = { 0 };
    *out = (Summary){ 0 };
    for (int r = 0; r < sys->runs; r++) {
        ClassScores one;
        Status s = class_scores_init(&one, vocab_size(&t->classes), e);
        if (s != OK) return s;
        for (int k = 0; k < t->data.trees.n; k++) {
            class_scores_add(&one, t->gold[k], sys->pred[r][k]);
            class_scores_add(sum, t->gold[k], sys->pred[r][k]);
        }
        for (int m = 0; m < CLASS_METRICS; m++) {
            double x = class_scores_value(&one, (ClassMetric)m);
            out->mean[m] += x / sys->runs;
            squares[m] += x * x;
        }
        class_scores_fini(&one);
    }
    for (int m = 0; m < CLASS_METRICS && sys->runs > 1; m++)
        out->deviation[m] = sqrt(fmax(0, (squares[m] - sys->runs * out->mean[m] * out->mean[m]) / (sys->runs - 1)));
    return OK;
}

static void put_summary(const Test *t, const System *sys, const ClassScores *sum, const Summary *x, StrBuf *out)
{
    double accuracy = class_scores_constant(sum, t->majority, CLASS_ACCURACY),
           f1 = class_scores_constant(sum, t->majority, CLASS_MACRO_F1);
    strbuf_printf(out, "sentences  %d\nmodels     %d\n", t->data.trees.n, sys->runs);
    for (int m = 0; m < CLASS_METRICS; m++) {
        strbuf_printf(out, "%-10s %.2f", METRICS[m][1], x->mean[m]);
        if (sys->runs > 1) strbuf_printf(out, " (standard deviation %.2f)", x->deviation[m]);
        strbuf_putc(out, '\n');
    }
    strbuf_printf(out, "baseline   accuracy %.2f, macro-F1 %.2f: always %s, which training has most of\n\n%s", accuracy,
                  f1, vocab_text(&t->classes, t->majority), sys->runs > 1 ? "counts are sums over the models\n" : "");
}

static void put_summary_json(const Test *t, const System *sys, const ClassScores *sum, const Summary *x, StrBuf *out)
{
    json_members(out, "sentences: %d, runs: %d", t->data.trees.n, sys->runs);
    for (int m = 0; m < CLASS_METRICS; m++) {
        char deviation[40];
        snprintf(deviation, sizeof deviation, "%s_deviation", METRICS[m][0]);
        json_real(out, METRICS[m][0], "%.2f", x->mean[m]);
        json_real(out, deviation, "%.2f", x->deviation[m]);
    }
    json_record(out, "majority", "class: %s, accuracy: %.2f, macro_f1: %.2f", vocab_text(&t->classes, t->majority),
                class_scores_constant(sum, t->majority, CLASS_ACCURACY),
                class_scores_constant(sum, t->majority, CLASS_MACRO_F1));
}

static Status put_comparison(const Test *t, const System *a, const System *b, StrBuf *out, Error *e)
{
    bool json = t->o->json;
    Status s = OK;
    if (json) json_object(out, "comparison");
    else strbuf_puts(out, "\ncomparison      a        b      a - b   randomisation p\n");
    for (int m = 0; m < CLASS_METRICS && s == OK; m++) {
        ClassComparison c;
        s = class_scores_compare(t->gold, (const int *const *)a->pred, (const int *const *)b->pred, a->runs,
                                 t->data.trees.n, vocab_size(&t->classes), (ClassMetric)m, t->o->samples, 1, &c, e);
        if (s != OK) break;
        if (json) json_record(out, METRICS[m][0], "a: %.2f, b: %.2f, p_randomisation: %.5f", c.a, c.b, c.p);
        else strbuf_printf(out, "%-12s %6.2f   %6.2f   %+6.2f   %.4f\n", METRICS[m][1], c.a, c.b, c.a - c.b, c.p);
    }
    if (json) json_object_end(out);
    return s;
}

static Status report(Test *t, const System *a, const System *b, Error *e)
{
    ClassScores sum = { 0 };
    Summary x;
    StrBuf out = { 0 };
    int n = vocab_size(&t->classes);
    const char **names = arena_alloc(&t->arena, (size_t)n, sizeof *names);
    Status s = names ? class_scores_init(&sum, n, e) : error_set(e, ERR_NOMEM, "out of memory for the classes");
    for (int k = 0; names && k < n; k++) names[k] = vocab_text(&t->classes, k);
    if (s == OK) s = summarise(t, a, &sum, &x, e);
    if (s == OK) {
        if (t->o->json) {
            json_object(&out, NULL);
            put_summary_json(t, a, &sum, &x, &out);
            class_scores_members(&sum, names, &out);
        } else {
            put_summary(t, a, &sum, &x, &out);
            class_scores_table(&sum, names, &out);
        }
        if (b->runs) s = put_comparison(t, a, b, &out, e);
        if (t->o->json) strbuf_puts(&out, "}\n");
        if (t->oracle) program_mark_oracle(&out, t->o->json ? ORACLE_JSON : ORACLE_TEXT);
    }
    if (s == OK) s = program_print(&out, e);
    strbuf_fini(&out);
    class_scores_fini(&sum);
    return s;
}

Status classify_test(const ClassifyTest *o, Error *e)
{
    Test t = { .o = o };
    System a = { 0 }, b = { 0 };
    arena_init(&t.arena, 1024);
    vocab_init(&t.classes);
    Status s = classify_data(&t.data, o->data, o->classes, e);
    if (s == OK && !(t.gold = mem_calloc((size_t)t.data.trees.n, sizeof *t.gold)))
        s = error_set(e, ERR_NOMEM, "out of memory for the test data");
    if (s == OK) s = run_system(&t, o->model, &a, e);
    if (s == OK) s = run_system(&t, o->compare, &b, e);
    if (s == OK) s = report(&t, &a, &b, e);
    system_fini(&a);
    system_fini(&b);
    mem_free(t.gold);
    corpus_fini(&t.data);
    vocab_fini(&t.classes);
    arena_fini(&t.arena);
    return s;
}
