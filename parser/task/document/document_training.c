/* How models of the tasks on documents are trained */
#include <string.h>

#include "base/json_writer.h"
#include "base/rng.h"
#include "parser/model/linear_network.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/document/document.h"
#include "parser/train/trainer.h"

/* A gap without a boundary, which an epoch may show. */
typedef struct Gap {
    int document, sentence;
} Gap;

typedef struct Run {
    double threshold[THRESHOLDS];
    const DocumentLine **line; /* [n] training documents with gold */
    const Sentence **whole;    /* [n] their words, folded */
    const char **path;         /* [n] their files */
    int n, left_out;
    Gap *gap;              /* [gaps] where `context` is read: gaps without a boundary */
    int gaps, first_drawn; /* the examples from first_drawn on show gaps that each epoch draws */
    int cap, cap_gap;
} Run;

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for the training data"); }

static Status begin(Trainer *tr, Error *e)
{
    Run *r = tr->state = mem_calloc(1, sizeof *r);
    if (!r) return error_set(e, ERR_NOMEM, "out of memory for a run");
    for (int k = 0; k < THRESHOLDS; k++) r->threshold[k] = 0.5;
    return OK;
}

static void end(Trainer *tr)
{
    Run *r = tr->state;
    if (r) mem_free(r->gap);
    mem_free(r);
    mem_free(tr->ex);
}

/* ---- documents */

/* Counts the classes; of a summary and of gaps there are 0 and 1. */
static Status count_classes(Trainer *tr, Error *e)
{
    const Run *r = tr->state;
    Vocab *classes = &tr->m.classes;
    Error why = { 0 };
    bool named = document_kind(tr->m.task)->named, ok = true;
    for (int k = 0; k < r->n && named; k++)
        for (int i = 0; i < r->line[k]->classes.n && ok; i++) {
            const StrView name = r->line[k]->classes.text[i];
            ok = vocab_count(classes, name.ptr, name.len, 1) >= 0;
        }
    if (!named) ok = vocab_count(classes, "0", 1, 1) >= 0 && vocab_count(classes, "1", 1, 1) >= 0;
    if (!ok || !class_data_sort(classes, &tr->arena)) return out_of_memory(e);
    if (tr->m.task->check(&tr->m, &why) == OK) return OK;
    return error_at(e, why.code, tr->a->corpora[0].path, 0, 0, "%s", why.message);
}

static Status no_gold(const Trainer *tr, const Corpus *c, Error *e)
{
    return error_at(e, ERR_FORMAT, c->path, 1, 1, "found no document with %s, expected one at least",
                    document_kind(tr->m.task)->gold);
}

/* Each dev set must have something to score. */
static Status check_dev(const Trainer *tr, Error *e)
{
    for (int c = 0; c < tr->a->n_dev; c++) {
        const Corpus *dev = &tr->a->dev[c];
        int k = 0;
        while (k < dev->trees.n && !document_kind(tr->m.task)->has_gold(&dev->documents->d[k])) k++;
        if (k == dev->trees.n) return no_gold(tr, dev, e);
    }
    return OK;
}

/* Takes the documents that have gold. */
static Status take_documents(Trainer *tr, bool count, Error *e)
{
    Run *r = tr->state;
    int total = 0;
    for (int c = 0; c < tr->a->n_corpora; c++) total += tr->a->corpora[c].trees.n;
    r->line = arena_alloc(&tr->arena, (size_t)total, sizeof *r->line);
    r->whole = arena_alloc(&tr->arena, (size_t)total, sizeof *r->whole);
    r->path = arena_alloc(&tr->arena, (size_t)total, sizeof *r->path);
    if (!r->line || !r->whole || !r->path) return out_of_memory(e);
    for (int c = 0; c < tr->a->n_corpora; c++)
        for (int k = 0; k < tr->a->corpora[c].trees.n; k++) {
            const Corpus *from = &tr->a->corpora[c];
            const DocumentLine *line = &from->documents->d[k];
            if (!document_kind(tr->m.task)->has_gold(line)) continue;
            const Sentence *whole = trainer_fold(tr, &from->trees.s[k], &tr->arena);
            if (!whole || (count && !tr->a->init && !trainer_count_words(&tr->m, whole))) return out_of_memory(e);
            r->line[r->n] = line;
            r->path[r->n] = from->path;
            r->whole[r->n++] = whole;
        }
    r->left_out = total - r->n;
    if (!r->n) return no_gold(tr, &tr->a->corpora[0], e);
    if (count && !tr->a->init && !vocab_prune(&tr->m.words, N_RESERVED, tr->m.c.word_min_count))
        return out_of_memory(e);
    return count ? count_classes(tr, e) : OK;
}

/* ---- examples */

static Status add_example(Trainer *tr, int *cap, const DocumentRead *read, const int *gold, Error *e)
{
    if (!mem_reserve(tr->ex, cap, tr->n + 1)) return out_of_memory(e);
    const int *labels = document_labels(read, gold, &tr->arena);
    if (!labels) return out_of_memory(e);
    tr->ex[tr->n] = (Example){ .s = &read->sentence, .gold = { labels } };
    tr->n += labels[0] > 0; /* a block may have no unit but the first sentence */
    return OK;
}

/* Adds the texts of document k, but gaps without a boundary, which are noted. gold [sentences] is scratch. */
static Status add_document(Trainer *tr, int *cap, int k, int *gold, Error *e)
{
    Run *r = tr->state;
    bool context = document_kind(tr->m.task)->gaps && tr->m.c.context;
    Status status = document_gold(tr->m.task, &tr->m.c, r->line[k], &tr->m.classes, r->path[k], gold, e);
    for (int from = context, next; status == OK && from < r->line[k]->sentences.n; from = next) {
        DocumentRead *read = NULL;
        next = from + 1;
        if (context && gold[from] == 0) {
            if (!mem_reserve(r->gap, &r->cap_gap, r->gaps + 1)) return out_of_memory(e);
            r->gap[r->gaps++] = (Gap){ k, from };
            continue;
        }
        if (!(read = arena_alloc(&tr->arena, 1, sizeof *read))) return out_of_memory(e);
        status = document_read(tr->m.task, &tr->m.c, r->line[k], r->whole[k], from, &tr->arena, read, e);
        if (status != OK || !read->n) return status;
        status = add_example(tr, cap, read, gold, e);
        next = read->first + read->n;
    }
    return status;
}

/* The gap that example `which` shows in an epoch: one of a range of all gaps without a boundary, so that none is shown
 * twice. */
static Gap drawn(const Trainer *tr, int n, int which, long epoch)
{
    const Run *r = tr->state;
    long k = which - r->first_drawn, low = k * r->gaps / n, high = (k + 1) * r->gaps / n;
    double u = rng_uniform(rng_key((uint64_t)tr->a->train.seed, 0x9a, (uint64_t)epoch, (uint64_t)which), 0);
    return r->gap[low + (long)(u * (double)(high - low))];
}

/* Reads a gap without a boundary. */
static Status read_gap(const Trainer *tr, Gap gap, Arena *a, Example *x, Error *e)
{
    static const int labels[] = { 1, 0, 0 };
    const Run *r = tr->state;
    DocumentRead *read = arena_alloc(a, 1, sizeof *read);
    if (!read) return out_of_memory(e);
    *x = (Example){ .s = &read->sentence, .gold = { labels } };
    return document_read(tr->m.task, &tr->m.c, r->line[gap.document], r->whole[gap.document], gap.sentence, a, read, e);
}

/* Adds `negatives` examples for each boundary, if there are as many gaps, for gaps that are drawn in each epoch. */
static Status add_drawn(Trainer *tr, int *cap, Error *e)
{
    Run *r = tr->state;
    double wanted = tr->a->train.negatives * tr->n;
    int n = wanted < r->gaps ? (int)wanted : r->gaps;
    r->first_drawn = tr->n;
    if (!mem_reserve(tr->ex, cap, tr->n + n)) return out_of_memory(e);
    for (int k = 0; k < n; k++, tr->n++) {
        Status status = read_gap(tr, drawn(tr, n, tr->n, 0), &tr->arena, &tr->ex[tr->n], e);
        if (status != OK) return status;
    }
    return OK;
}

/* Words that are left out or put in would move the parts of a text. */
static Status check_options(const Task *task, const ModelConfig *m, const TrainConfig *c, Error *e)
{
    (void)m;
    if (c->vary_final <= 0 && c->vary_quotes <= 0) return OK;
    return error_set(e, ERR_USAGE, "--vary-%s: found --task %s, expected a task on sentences",
                     c->vary_final > 0 ? "final" : "quotes", task->name);
}

static Status examples(Trainer *tr, bool count, Error *e)
{
    Run *r = tr->state;
    int cap = 0, most = 0;
    Status status = check_options(tr->m.task, &tr->m.c, &tr->a->train, e);
    if (status == OK) status = check_dev(tr, e);
    if (status == OK) status = take_documents(tr, count, e);
    for (int k = 0; k < r->n; k++)
        if (r->line[k]->sentences.n > most) most = r->line[k]->sentences.n;
    int *gold = mem_calloc((size_t)most, sizeof *gold);
    if (!gold && status == OK) status = out_of_memory(e);
    for (int k = 0; k < r->n && status == OK; k++) status = add_document(tr, &cap, k, gold, e);
    mem_free(gold);
    return status == OK ? add_drawn(tr, &cap, e) : status;
}

static Status show(const Trainer *tr, const Example *x, int which, Arena *a, Example *out, Error *e)
{
    const Run *r = tr->state;
    *out = *x;
    if (which < r->first_drawn) return OK;
    return read_gap(tr, drawn(tr, tr->n - r->first_drawn, which, tr->st.epoch), a, out, e);
}

/* ---- training */

static Status score(Trainer *tr, int k, DevScores *out, Error *e)
{
    Run *r = tr->state;
    const Device *d = tr->a->device ? tr->a->device : device_default();
    return document_score(&tr->m, d, tr->a->n_threads, &tr->a->dev[k], k == 0, r->threshold, out, e);
}

static void put_sizes(const Trainer *tr, StrBuf *out)
{
    const Run *r = tr->state;
    strbuf_printf(out, "%d documents, %d classes, ", r->n, vocab_size(&tr->m.classes));
}

static void put_notes(const Trainer *tr, StrBuf *out)
{
    const Run *r = tr->state;
    if (r->left_out)
        strbuf_printf(out, "%d documents without %s are left out\n", r->left_out, document_kind(tr->m.task)->gold);
}

static void put_summary(const Trainer *tr, StrBuf *out)
{
    const Run *r = tr->state;
    if (!document_kind(tr->m.task)->gaps) return;
    json_array(out, "thresholds");
    for (int k = 0; k < THRESHOLDS; k++) json_real(out, NULL, "%.2f", r->threshold[k]);
    json_array_end(out);
}

const TaskTraining DOCUMENT_TRAINING = { .check = check_options,
                                         .begin = begin,
                                         .end = end,
                                         .examples = examples,
                                         .show = show,
                                         .axes = linear_network_axes,

                                         .any_length = true,
                                         .score = score,
                                         .put_sizes = put_sizes,
                                         .put_notes = put_notes,
                                         .loss = "class",
                                         .loss_digits = 4,
                                         .put_summary = put_summary };
