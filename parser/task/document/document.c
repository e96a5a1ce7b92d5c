/* Probabilities of all units first; classes, summaries and segments follow from
 * them, as do the thresholds that score best on dev data. */
#include "parser/task/document/document.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "eval/boundaries.h"
#include "eval/rouge.h"

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for documents"); }

/* ---- what is read */

static ParseInput input_of(const Sentence *sent)
{
    ParseInput in = parse_input(sent);
    in.space_before = sent->space_before;
    in.parse = sent;
    return in;
}

void document_inputs_fini(DocumentInputs *inputs)
{
    mem_free(inputs->in);
    mem_free(inputs->unit);
}

Status document_inputs(const Model *model, const Corpus *data, int most, Arena *arena, DocumentInputs *t, Error *error)
{
    int row = 0;
    *t = (DocumentInputs){ 0 };
    for (int k = 0; k < data->trees.n; row += data->trees.s[k++].parts->n)
        for (int from = 0; t->n < most;) {
            DocumentRead *read = arena_alloc(arena, 1, sizeof *read);
            if (!read || !mem_reserve(t->in, &t->cap, t->n + 1) || !mem_reserve(t->unit, &t->cap_unit, t->n + 1))
                return out_of_memory(error);
            Status status = document_read(model->task, &model->c, &data->documents->d[k], &data->trees.s[k], from,
                                          arena, read, error);
            if (status != OK) return status;
            if (!read->n) break;
            t->in[t->n] = input_of(&read->sentence);
            t->unit[t->n++] = row + read->first;
            from = read->first + read->n;
        }
    return OK;
}

/* ---- probabilities */

Status document_classifier(Classifier *classifier, const Model *model, const Device *device, int n_threads,
                           Error *error)
{
    Status status = classifier_init(classifier, model, device, n_threads, error);
    classifier->max_words = INT_MAX;
    return status;
}

void document_units_fini(DocumentUnits *units)
{
    mem_free(units->first);
    mem_free(units->p);
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

Status document_units(Classifier *classifier, const Corpus *data, DocumentUnits *u, Error *error)
{
    Arena arena;
    DocumentInputs t = { 0 };
    int units = 0, classes = vocab_size(&classifier->m->classes), *id = NULL;
    Real *p = NULL;
    arena_init(&arena, 1 << 16);
    Status status = start_units(u, data, classes, error);
    if (status == OK) status = document_inputs(classifier->m, data, INT_MAX, &arena, &t, error);
    for (int k = 0; k < t.n; k++) units += classifier_units(&t.in[k]);
    if (status == OK) {
        id = mem_calloc((size_t)units, sizeof *id);
        p = mem_calloc((size_t)units * (size_t)classes, sizeof *p);
        status = id && p ? classifier_run(classifier, t.in, t.n, id, p, error) : out_of_memory(error);
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

Status document_thresholds(const Model *model, double threshold[THRESHOLDS], Error *error)
{
    cJSON *j = NULL;
    Status status = model->summary ? json_parse(model->summary, strlen(model->summary), &j, error) : OK;
    const cJSON *saved = j ? json_get(j, "thresholds") : NULL;
    for (int k = 0; k < THRESHOLDS; k++) {
        const cJSON *value = cJSON_GetArrayItem(saved, k);
        threshold[k] = cJSON_IsNumber(value) ? value->valuedouble : 0.5;
    }
    cJSON_Delete(j);
    return status;
}

Status document_predict(const Model *model, const DocumentChoice *choice, double threshold, const Corpus *data,
                        const DocumentUnits *units, int k, Arena *arena, DocumentLine *out, Error *error)
{
    const DocumentSaid said = { &data->documents->d[k], &model->classes,
                                units->p + (ptrdiff_t)units->first[k] * units->classes, threshold };
    *out = *said.d;
    return document_kind(model->task)->say(&said, choice, arena, out, error);
}

const char *document_baseline_name(const Task *task, int k) { return document_kind(task)->baseline[k]; }

Status document_baseline(const Task *task, const ModelConfig *config, int k, const DocumentChoice *choice, uint64_t key,
                         const DocumentLine *line, Arena *arena, DocumentLine *out, Error *error)
{
    *out = *line;
    return document_kind(task)->say_baseline(line, document_block(config, line, 0), k, choice, key, arena, out, error);
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
    if (status == OK) status = document_kind(m->task)->count(gold, &pred, numbers, e);
    arena_fini(&arena);
    return status;
}

Status document_numbers(const Model *model, const DocumentChoice *choice, const double threshold[THRESHOLDS],
                        const Corpus *data, const DocumentUnits *units, int k, double *numbers, Error *error)
{
    double windows[BOUNDARY_NUMBERS];
    Status status = count_document(model, choice, threshold[THRESHOLD_F1], data, units, k, numbers, error);
    if (status != OK || !document_kind(model->task)->gaps) return status;
    status = count_document(model, choice, threshold[THRESHOLD_P_K], data, units, k, windows, error);
    if (status == OK) boundaries_take_windows(windows, numbers);
    return status;
}

/* Sets the sums of the numbers of all documents that have gold. */
static Status sum_up(Score *s, double threshold, Error *e)
{
    static const DocumentChoice choice = { .most = DOCUMENT_CHOSEN };
    const DocumentKind *kind = document_kind(s->m->task);
    Status status = OK;
    memset(s->sums, 0, sizeof s->sums);
    for (int k = 0; k < s->data->trees.n && status == OK; k++) {
        double numbers[ROUGE_NUMBERS];
        if (!kind->has_gold(&s->data->documents->d[k])) continue;
        status = count_document(s->m, &choice, threshold, s->data, &s->units, k, numbers, e);
        for (int i = 0; i < kind->score->width && status == OK; i++) s->sums[i] += numbers[i];
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

static Status score_sentences(Score *s, DevScores *out, Error *e)
{
    const DocumentKind *kind = document_kind(s->m->task);
    Status status = sum_up(s, 0, e);
    for (int k = 0; k < DOCUMENT_FIGURES && kind->figure[k][0] && status == OK; k++) {
        double value = kind->score[k].value(s->sums);
        trainer_figure(out, kind->figure[k][0], kind->figure[k][1], 2, value);
        if (k < 2) out->part[k] = value;
        if (k < 2) out->has[k] = true;
    }
    return status;
}

static long gold_sentences(const Task *task, const Corpus *data)
{
    long n = 0;
    for (int k = 0; k < data->trees.n; k++)
        if (document_kind(task)->has_gold(&data->documents->d[k])) n += data->documents->d[k].sentences.n;
    return n;
}

Status document_score(const Model *model, const Device *device, int n_threads, const Corpus *data, bool find,
                      double threshold[THRESHOLDS], DevScores *out, Error *error)
{
    Score s = { .m = model, .data = data };
    Classifier c = { 0 };
    Status status = document_classifier(&c, model, device, n_threads, error);
    if (status == OK) status = document_units(&c, data, &s.units, error);
    out->has[0] = true;
    trainer_figure(out, "sentences", NULL, 0, (double)gold_sentences(model->task, data));
    if (status == OK)
        status = document_kind(model->task)->gaps ? score_segments(&s, find, threshold, out, error)
                                                  : score_sentences(&s, out, error);
    document_units_fini(&s.units);
    classifier_fini(&c);
    return status;
}
