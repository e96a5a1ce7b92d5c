#include "parser/task/document/document_kind.h"

#include <string.h>

#include "base/json_writer.h"
#include "base/rng.h"
#include "eval/boundaries.h"
#include "eval/document_score.h"
#include "eval/rouge.h"
#include "eval/summary.h"

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for documents"); }

static void put_texts(StrBuf *out, const char *key, const TextList *texts)
{
    json_array(out, key);
    for (int k = 0; k < texts->n; k++) json_view(out, NULL, texts->text[k]);
    json_array_end(out);
}

static void put_lines(const TextList *texts, StrBuf *out)
{
    for (int k = 0; k < texts->n; k++) strbuf_printf(out, "%.*s\n", (int)texts->text[k].len, texts->text[k].ptr);
    strbuf_putc(out, '\n');
}

/* ---- classes of sentences */

static bool has_classes(const DocumentLine *d) { return d->classes.text != NULL; }

static Status number_classes(const DocumentLine *d, int read, const Vocab *classes, const char *path, int *gold,
                             Error *e)
{
    (void)read;
    for (int k = 0; k < d->classes.n; k++) {
        gold[k] = vocab_find(classes, d->classes.text[k].ptr);
        if (gold[k] < 0)
            return error_at(e, ERR_FORMAT, path, d->line, 1, "found the class '%s', expected one of the training data",
                            d->classes.text[k].ptr);
    }
    return OK;
}

/* The class of each sentence with the largest probability, the first of equal ones. */
static Status say_classes(const DocumentSaid *said, const DocumentChoice *o, Arena *a, DocumentLine *out, Error *e)
{
    const int n = vocab_size(said->classes), sentences = said->d->sentences.n;
    const Real *p = said->p;
    (void)o;
    out->classes = (TextList){ arena_alloc(a, (size_t)sentences, sizeof(StrView)), sentences };
    if (!out->classes.text) return out_of_memory(e);
    for (int k = 0; k < sentences; k++, p += n) {
        int best = 0;
        for (int c = 1; c < n; c++)
            if (p[c] > p[best]) best = c;
        out->classes.text[k] = text_view(vocab_text(said->classes, best));
    }
    return OK;
}

static void json_classes(const DocumentLine *d, StrBuf *out) { put_texts(out, "classes", &d->classes); }

static void text_classes(const DocumentLine *d, StrBuf *out)
{
    for (int k = 0; k < d->sentences.n; k++)
        strbuf_printf(out, "%s\t%.*s\n", d->classes.text[k].ptr, (int)d->sentences.text[k].len,
                      d->sentences.text[k].ptr);
    strbuf_putc(out, '\n');
}

const DocumentKind DOCUMENT_CLASSES = { .gold = "classes",
                                        .named = true,
                                        .score = DOCUMENT_CLASSES_OF_SUMS,
                                        .figure = { { "accuracy", "accuracy" } },
                                        .has_gold = has_classes,
                                        .number = number_classes,
                                        .say = say_classes,
                                        .count = document_classes,
                                        .put_json = json_classes,
                                        .put_text = text_classes };

/* ---- summaries */

static bool has_summary(const DocumentLine *d) { return d->summary.n > 0; }

static Status number_oracle(const DocumentLine *d, int read, const Vocab *classes, const char *path, int *gold,
                            Error *e)
{
    (void)classes;
    (void)path;
    bool *chosen = mem_calloc((size_t)read, sizeof *chosen);
    Status status = chosen ? summary_oracle(d->sentences.text, read, d->summary.text, d->summary.n, DOCUMENT_CHOSEN,
                                            chosen, NULL, e)
                           : error_set(e, ERR_NOMEM, "out of memory for summaries");
    for (int k = 0; k < d->sentences.n && status == OK; k++) gold[k] = k < read ? chosen[k] : -1;
    mem_free(chosen);
    return status;
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

/* The probabilities of class 1 of all sentences; NULL: out of memory. */
static double *scores_of(const DocumentSaid *said, Arena *a, Error *e)
{
    const int n = said->d->sentences.n, classes = vocab_size(said->classes);
    double *score = arena_alloc(a, (size_t)n, sizeof *score);
    if (!score) out_of_memory(e);
    for (int k = 0; score && k < n; k++) score[k] = (double)said->p[(ptrdiff_t)k * classes + 1];
    return score;
}

static Status say_summary(const DocumentSaid *said, const DocumentChoice *o, Arena *a, DocumentLine *out, Error *e)
{
    int n = said->d->sentences.n;
    const double *score = scores_of(said, a, e);
    if (!score) return e->code;
    while (n && score[n - 1] < 0) n--; /* not read */
    return choose_summary(o, said->d, score, n, a, out, e);
}

static Status summary_baseline(const DocumentLine *d, int n, int k, const DocumentChoice *o, uint64_t key, Arena *a,
                               DocumentLine *out, Error *e)
{
    double *score = arena_alloc(a, (size_t)n, sizeof *score);
    bool *chosen = arena_calloc(a, (size_t)n, sizeof *chosen);
    if (!score || !chosen) return out_of_memory(e);
    if (k == 3) {
        Status status = summary_oracle(d->sentences.text, n, d->summary.text, d->summary.n, o->most, chosen, NULL, e);
        return status == OK ? take_summary(d, chosen, n, a, out, e) : status;
    }
    for (int i = 0; i < n; i++) score[i] = k == 2 ? rng_uniform(key, (uint64_t)i) : 0;
    const DocumentChoice own = { .most = k == 0 ? 3 : o->most, .block = o->block };
    return choose_summary(&own, d, score, n, a, out, e);
}

static void json_summary(const DocumentLine *d, StrBuf *out) { put_texts(out, "summary", &d->summary); }
static void text_summary(const DocumentLine *d, StrBuf *out) { put_lines(&d->summary, out); }

const DocumentKind DOCUMENT_SUMMARY = {
    .gold = "a summary",
    .beginning = true,
    .score = ROUGE_OF_SUMS,
    .figure = { { "rouge1", "ROUGE-1" }, { "rouge2", "ROUGE-2" }, { "rouge_lsum", "ROUGE-Lsum" } },
    .baseline = { "first 3", "first sentences", "random sentences", "oracle" },
    .has_gold = has_summary,
    .number = number_oracle,
    .say = say_summary,
    .say_baseline = summary_baseline,
    .count = document_rouge,
    .put_json = json_summary,
    .put_text = text_summary
};

/* ---- segments */

static bool has_segments(const DocumentLine *d) { return d->n_segments > 1; }

static Status number_gaps(const DocumentLine *d, int read, const Vocab *classes, const char *path, int *gold, Error *e)
{
    (void)read;
    (void)classes;
    (void)path;
    (void)e;
    for (int k = 0; k < d->sentences.n; k++) gold[k] = k ? 0 : -1;
    for (int k = 1; k < d->n_segments; k++) gold[d->begin[k]] = 1;
    return OK;
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

static Status say_segments(const DocumentSaid *said, const DocumentChoice *o, Arena *a, DocumentLine *out, Error *e)
{
    const int n = said->d->sentences.n;
    const double *score = scores_of(said, a, e);
    bool *begins = arena_alloc(a, (size_t)n, sizeof *begins);
    (void)o;
    if (!score || !begins) return out_of_memory(e);
    for (int k = 0; k < n; k++) begins[k] = score[k] >= said->threshold;
    return take_segments(said->d, begins, a, out, e);
}

static Status segment_baseline(const DocumentLine *d, int n, int k, const DocumentChoice *o, uint64_t key, Arena *a,
                               DocumentLine *out, Error *e)
{
    const int all = d->sentences.n, segments = d->n_segments > 1 ? d->n_segments : 1;
    bool *begins = arena_alloc(a, (size_t)all, sizeof *begins);
    (void)n;
    (void)o;
    (void)key;
    if (!begins) return out_of_memory(e);
    for (int i = 0; i < all; i++) begins[i] = k == 1;
    for (int s = 1; k == 2 && s < segments; s++) begins[(long)s * all / segments] = true;
    return take_segments(d, begins, a, out, e);
}

static void json_segments(const DocumentLine *d, StrBuf *out)
{
    json_array(out, "segments");
    for (int k = 0; k < d->n_segments; k++) json_record(out, NULL, "begin: %d", d->begin[k]);
    json_array_end(out);
}

static void text_segments(const DocumentLine *d, StrBuf *out)
{
    for (int k = 0, segment = 1; k < d->sentences.n; k++) {
        if (segment < d->n_segments && d->begin[segment] == k) {
            strbuf_putc(out, '\n');
            segment++;
        }
        strbuf_printf(out, "%.*s\n", (int)d->sentences.text[k].len, d->sentences.text[k].ptr);
    }
    strbuf_puts(out, "\n\n");
}

const DocumentKind DOCUMENT_SEGMENTS = {
    .gold = "boundaries of segments",
    .gaps = true,
    .score = BOUNDARIES_OF_SUMS,
    .figure = { { "f1", "F1" }, { "p_k", "P_k" }, { "window_diff", "WindowDiff" } },
    .baseline = { "no boundary", "every gap", "equal segments" },
    .has_gold = has_segments,
    .number = number_gaps,
    .say = say_segments,
    .say_baseline = segment_baseline,
    .count = document_boundaries,
    .put_json = json_segments,
    .put_text = text_segments
};
