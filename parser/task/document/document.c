/* Probabilities of all units first; classes, summaries and segments follow from
 * them, as do the thresholds that score best on dev data. */
#include "parser/task/document/document.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/rng.h"
#include "eval/boundaries.h"
#include "eval/document_score.h"
#include "eval/rouge.h"
#include "eval/summary.h"

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for documents"); }

/* ---- what is read */

static ParseInput input_of(const Sentence *sent)
{
    ParseInput in = parse_input(sent);
    in.space_before = sent->space_before;
    in.parse = sent;
    return in;
}

void document_inputs_fini(DocumentInputs *t)
{
    mem_free(t->in);
    mem_free(t->unit);
}

Status document_inputs(const Model *m, const Corpus *data, int most, Arena *a, DocumentInputs *t, Error *e)
{
    int row = 0;
    *t = (DocumentInputs){ 0 };
    for (int k = 0; k < data->trees.n; row += data->trees.s[k++].parts->n)
        for (int from = 0; t->n < most;) {
            DocumentRead *read = arena_alloc(a, 1, sizeof *read);
            if (!read || !mem_reserve(t->in, &t->cap, t->n + 1) || !mem_reserve(t->unit, &t->cap_unit, t->n + 1))
                return out_of_memory(e);
            Status status = document_read(m->task, &m->c, &data->documents->d[k], &data->trees.s[k], from, a, read, e);
            if (status != OK) return status;
            if (!read->n) break;
            t->in[t->n] = input_of(&read->sentence);
            t->unit[t->n++] = row + read->first;
            from = read->first + read->n;
        }
    return OK;
}

/* ---- probabilities */

Status document_classifier(Classifier *c, const Model *m, const Device *d, int n_threads, Error *e)
{
    Status status = classifier_init(c, m, d, n_threads, e);
    c->max_words = INT_MAX;
    return status;
}

void document_units_fini(DocumentUnits *u)
{
    mem_free(u->first);
    mem_free(u->p);
}

/* Memory for the units of all documents, without probabilities. */
static Status start_units(DocumentUnits *u, const Corpus *data, int classes, Error *e)
{
    int n = data->trees.n;
    *u = (DocumentUnits){ .first = mem_calloc((size_t)n + 1, sizeof *u->first), .classes = classes };
    if (!u->first) return out_of_memory(e);
    for (int k = 0; k < n; k++) u->first[k + 1] = u->first[k] + data->trees.s[k].parts->n;
    size_t rows = (size_t)u->first[n] * (size_t)classes;
    u->p = mem_alloc(rows, sizeof *u->p);
    for (size_t k = 0; u->p && k < rows; k++) u->p[k] = -1;
    return u->p ? OK : out_of_memory(e);
}

Status document_units(Classifier *c, const Corpus *data, DocumentUnits *u, Error *e)
{
    Arena arena;
    DocumentInputs t = { 0 };
    int units = 0, classes = vocab_size(&c->m->classes), *id = NULL;
    Real *p = NULL;
    arena_init(&arena, 1 << 16);
    Status status = start_units(u, data, classes, e);
    if (status == OK) status = document_inputs(c->m, data, INT_MAX, &arena, &t, e);
    for (int k = 0; k < t.n; k++) units += classifier_units(&t.in[k]);
    if (status == OK) {
        id = mem_calloc((size_t)units, sizeof *id);
        p = mem_calloc((size_t)units * (size_t)classes, sizeof *p);
        status = id && p ? classifier_run(c, t.in, t.n, id, p, e) : out_of_memory(e);
    }
    const Real *from = p;
    for (int k = 0; k < t.n && status == OK; k++) {
        size_t n = (size_t)classifier_units(&t.in[k]) * (size_t)classes;
        memcpy(u->p + (ptrdiff_t)t.unit[k] * classes, from, n * sizeof *p);
        from += n;
    }
    document_inputs_fini(&t);
    mem_free(id);
    mem_free(p);
    arena_fini(&arena);
    return status;
}

Status document_thresholds(const Model *m, double threshold[THRESHOLDS], Error *e)
{
    cJSON *j = NULL;
    Status status = m->summary ? json_parse(m->summary, strlen(m->summary), &j, e) : OK;
    const cJSON *saved = j ? json_get(j, "thresholds") : NULL;
    for (int k = 0; k < THRESHOLDS; k++) {
        const cJSON *value = cJSON_GetArrayItem(saved, k);
        threshold[k] = cJSON_IsNumber(value) ? value->valuedouble : 0.5;
    }
    cJSON_Delete(j);
    return status;
}

/* ---- what follows of them */

/* The class of each sentence with the largest probability, the first of equal ones. */
static Status take_classes(const Model *m, const DocumentLine *d, const Real *p, Arena *a, DocumentLine *out, Error *e)
{
    int n = vocab_size(&m->classes);
    out->classes = (TextList){ arena_alloc(a, (size_t)d->sentences.n, sizeof(StrView)), d->sentences.n };
    if (!out->classes.text) return out_of_memory(e);
    for (int k = 0; k < d->sentences.n; k++, p += n) {
        int best = 0;
        for (int c = 1; c < n; c++)
            if (p[c] > p[best]) best = c;
        const char *name = vocab_text(&m->classes, best);
        out->classes.text[k] = (StrView){ name, strlen(name) };
    }
    return OK;
}

/* The chosen sentences of the first n. */
static Status take_summary(const DocumentLine *d, const bool *chosen, int n, Arena *a, DocumentLine *out, Error *e)
{
    out->summary = (TextList){ arena_alloc(a, (size_t)n + 1, sizeof(StrView)), 0 };
    if (!out->summary.text) return out_of_memory(e);
    for (int k = 0; k < n; k++)
        if (chosen[k]) out->summary.text[out->summary.n++] = d->sentences.text[k];
    return OK;
}

static Status choose_summary(const DocumentChoice *o, const DocumentLine *d, const double *score, int n, Arena *a,
                             DocumentLine *out, Error *e)
{
    bool *chosen = arena_calloc(a, (size_t)n + 1, sizeof *chosen);
    if (!chosen) return out_of_memory(e);
    Status status = summary_choose(d->sentences.text, score, n, o->most, o->block, chosen, e);
    return status == OK ? take_summary(d, chosen, n, a, out, e) : status;
}

/* Sentences before which a segment begins: begins [sentences], of which the first is not read. */
static Status take_segments(const DocumentLine *d, const bool *begins, Arena *a, DocumentLine *out, Error *e)
{
    out->begin = arena_alloc(a, (size_t)d->sentences.n, sizeof *out->begin);
    if (!out->begin) return out_of_memory(e);
    out->n_segments = 0;
    for (int k = 0; k < d->sentences.n; k++)
        if (k == 0 || begins[k]) out->begin[out->n_segments++] = k;
    return OK;
}

Status document_predict(const Model *m, const DocumentChoice *o, double threshold, const Corpus *data,
                        const DocumentUnits *u, int k, Arena *a, DocumentLine *out, Error *e)
{
    const DocumentLine *d = &data->documents->d[k];
    const Real *p = u->p + (ptrdiff_t)u->first[k] * u->classes;
    int n = d->sentences.n;
    *out = *d;
    if (m->task == &TASK_CLASSES) return take_classes(m, d, p, a, out, e);
    double *score = arena_alloc(a, (size_t)n, sizeof *score);
    bool *begins = arena_alloc(a, (size_t)n, sizeof *begins);
    if (!score || !begins) return out_of_memory(e);
    for (int i = 0; i < n; i++) {
        score[i] = (double)p[(ptrdiff_t)i * u->classes + 1];
        begins[i] = score[i] >= threshold;
    }
    if (m->task->gaps) return take_segments(d, begins, a, out, e);
    while (n && score[n - 1] < 0) n--; /* not read */
    return choose_summary(o, d, score, n, a, out, e);
}

/* ---- baselines */

static const char *const SUMMARIES[DOCUMENT_BASELINES] = { "first 3", "first sentences", "random sentences", "oracle" },
                         *const SEGMENTS[DOCUMENT_BASELINES] = { "no boundary", "every gap", "equal segments", NULL };

const char *document_baseline_name(const Task *task, int k)
{
    return k >= DOCUMENT_BASELINES || task == &TASK_CLASSES ? NULL : task->gaps ? SEGMENTS[k] : SUMMARIES[k];
}

static Status even_segments(int k, const DocumentLine *d, Arena *a, DocumentLine *out, Error *e)
{
    int n = d->sentences.n, segments = d->n_segments > 1 ? d->n_segments : 1;
    bool *begins = arena_alloc(a, (size_t)n, sizeof *begins);
    if (!begins) return out_of_memory(e);
    for (int i = 0; i < n; i++) begins[i] = k == 1;
    for (int s = 1; k == 2 && s < segments; s++) begins[(long)s * n / segments] = true;
    return take_segments(d, begins, a, out, e);
}

Status document_baseline(const Task *task, const ModelConfig *c, int k, const DocumentChoice *o, uint64_t key,
                         const DocumentLine *d, Arena *a, DocumentLine *out, Error *e)
{
    int n = document_block(c, d, 0);
    double *score = arena_alloc(a, (size_t)n, sizeof *score);
    bool *chosen = arena_calloc(a, (size_t)n, sizeof *chosen);
    *out = *d;
    if (!score || !chosen) return out_of_memory(e);
    if (task->gaps) return even_segments(k, d, a, out, e);
    if (k == 3) {
        Status status = summary_oracle(d->sentences.text, n, d->summary.text, d->summary.n, o->most, chosen, NULL, e);
        return status == OK ? take_summary(d, chosen, n, a, out, e) : status;
    }
    for (int i = 0; i < n; i++) score[i] = k == 2 ? rng_uniform(key, (uint64_t)i) : 0;
    const DocumentChoice own = { .most = k == 0 ? 3 : o->most, .block = o->block };
    return choose_summary(&own, d, score, n, a, out, e);
}

/* ---- scores on dev data */

typedef struct Score {
    const Model *m;
    const Corpus *data;
    DocumentUnits units;
    double sums[ROUGE_NUMBERS];
} Score;

static Status count_document(const Model *m, const DocumentChoice *o, double threshold, const Corpus *data,
                             const DocumentUnits *u, int k, double *numbers, Error *e)
{
    const DocumentLine *gold = &data->documents->d[k];
    DocumentLine pred;
    Arena arena;
    arena_init(&arena, 1 << 12);
    Status status = document_predict(m, o, threshold, data, u, k, &arena, &pred, e);
    if (status == OK)
        status = (m->task->gaps              ? document_boundaries
                  : m->task == &TASK_SUMMARY ? document_rouge
                                             : document_classes)(gold, &pred, numbers, e);
    arena_fini(&arena);
    return status;
}

Status document_numbers(const Model *m, const DocumentChoice *o, const double threshold[THRESHOLDS], const Corpus *data,
                        const DocumentUnits *u, int k, double *numbers, Error *e)
{
    double windows[BOUNDARY_NUMBERS];
    Status status = count_document(m, o, threshold[THRESHOLD_F1], data, u, k, numbers, e);
    if (status != OK || !m->task->gaps) return status;
    status = count_document(m, o, threshold[THRESHOLD_P_K], data, u, k, windows, e);
    if (status == OK) boundaries_take_windows(windows, numbers);
    return status;
}

/* Sets the sums of the numbers of all documents that have gold. */
static Status sum_up(Score *s, double threshold, Error *e)
{
    static const DocumentChoice choice = { .most = DOCUMENT_CHOSEN };
    const Task *task = s->m->task;
    int width = task->gaps ? BOUNDARY_NUMBERS : task == &TASK_SUMMARY ? ROUGE_NUMBERS : CLASS_NUMBERS;
    Status status = OK;
    memset(s->sums, 0, sizeof s->sums);
    for (int k = 0; k < s->data->trees.n && status == OK; k++) {
        double numbers[ROUGE_NUMBERS];
        if (!document_has_gold(task, &s->data->documents->d[k])) continue;
        status = count_document(s->m, &choice, threshold, s->data, &s->units, k, numbers, e);
        for (int i = 0; i < width && status == OK; i++) s->sums[i] += numbers[i];
    }
    return status;
}

static double boundary(const Score *s, BoundaryMetric metric)
{
    BoundaryCounts c = boundaries_counts(s->sums);
    return boundaries_value(&c, metric);
}

/* Finds the best thresholds, the lowest of equal ones. */
static Status find_thresholds(Score *s, double threshold[THRESHOLDS], Error *e)
{
    double best[THRESHOLDS] = { -1, 101 };
    Status status = OK;
    for (int step = 1; step < 20 && status == OK; step++) {
        status = sum_up(s, 0.05 * step, e);
        double f1 = boundary(s, BOUNDARY_F1), p_k = boundary(s, BOUNDARY_P_K);
        if (f1 > best[THRESHOLD_F1]) {
            best[THRESHOLD_F1] = f1;
            threshold[THRESHOLD_F1] = 0.05 * step;
        }
        if (p_k >= best[THRESHOLD_P_K]) continue;
        best[THRESHOLD_P_K] = p_k;
        threshold[THRESHOLD_P_K] = 0.05 * step;
    }
    return status;
}

static Status score_segments(Score *s, bool find, double threshold[THRESHOLDS], DevScores *out, Error *e)
{
    Status status = find ? find_thresholds(s, threshold, e) : OK;
    if (status == OK) status = sum_up(s, threshold[THRESHOLD_F1], e);
    if (status != OK) return status;
    out->part[0] = boundary(s, BOUNDARY_F1);
    trainer_figure(out, "f1", "F1", 2, out->part[0]);
    trainer_figure(out, "threshold_f1", NULL, 2, threshold[THRESHOLD_F1]);
    status = sum_up(s, threshold[THRESHOLD_P_K], e);
    trainer_figure(out, "p_k", "P_k", 2, boundary(s, BOUNDARY_P_K));
    trainer_figure(out, "window_diff", "WindowDiff", 2, boundary(s, BOUNDARY_WINDOW_DIFF));
    trainer_figure(out, "threshold_p_k", NULL, 2, threshold[THRESHOLD_P_K]);
    return status;
}

static Status score_others(Score *s, DevScores *out, Error *e)
{
    Status status = sum_up(s, 0, e);
    if (status != OK) return status;
    if (s->m->task == &TASK_CLASSES) {
        out->part[0] = DOCUMENT_CLASSES_OF_SUMS[0].value(s->sums);
        trainer_figure(out, "accuracy", "accuracy", 2, out->part[0]);
        return OK;
    }
    out->has[1] = true;
    out->part[0] = ROUGE_OF_SUMS[ROUGE_1].value(s->sums);
    out->part[1] = ROUGE_OF_SUMS[ROUGE_2].value(s->sums);
    trainer_figure(out, "rouge1", "ROUGE-1", 2, out->part[0]);
    trainer_figure(out, "rouge2", "ROUGE-2", 2, out->part[1]);
    trainer_figure(out, "rouge_lsum", "ROUGE-Lsum", 2, ROUGE_OF_SUMS[ROUGE_LSUM].value(s->sums));
    return OK;
}

static long gold_sentences(const Task *task, const Corpus *data)
{
    long n = 0;
    for (int k = 0; k < data->trees.n; k++)
        if (document_has_gold(task, &data->documents->d[k])) n += data->documents->d[k].sentences.n;
    return n;
}

Status document_score(const Model *m, const Device *d, int n_threads, const Corpus *data, bool find,
                      double threshold[THRESHOLDS], DevScores *out, Error *e)
{
    Score s = { .m = m, .data = data };
    Classifier c = { 0 };
    Status status = document_classifier(&c, m, d, n_threads, e);
    if (status == OK) status = document_units(&c, data, &s.units, e);
    out->has[0] = true;
    trainer_figure(out, "sentences", NULL, 0, (double)gold_sentences(m->task, data));
    if (status == OK) status = m->task->gaps ? score_segments(&s, find, threshold, out, e) : score_others(&s, out, e);
    document_units_fini(&s.units);
    classifier_fini(&c);
    return status;
}
