/* The rows of all words of one kind are one op, spans are tree_loss. */
#include "parser/task/parse/soft_loss.h"

typedef enum SoftKind { SOFT_HEADS, SOFT_TYPES, SOFT_TAGS, SOFT_KINDS } SoftKind;

static const SoftRows *rows_of(const SoftTargets *s, SoftKind kind)
{
    return kind == SOFT_HEADS ? &s->heads : kind == SOFT_TYPES ? &s->types : &s->tags;
}

static const SoftTargets *soft_of(const Gold *gold) { return parse_gold(gold)->soft; }

/* Arguments of op_soft_cross_entropy. */
typedef struct Rows {
    long *row;
    int *len, *first, *index;
    Real *p;
    int n;
} Rows;

/* Memory for the distributions of one kind in a batch; false when out of memory. */
static bool rows_alloc(Rows *r, const Batch *b, const Gold *gold, SoftKind kind, Arena *a)
{
    size_t words = 0, values = 0;
    for (int s = 0; s < b->n_sent; s++) {
        const SoftRows *from = soft_of(&gold[s]) ? rows_of(soft_of(&gold[s]), kind) : NULL;
        if (!from || !from->start) continue;
        words += (size_t)batch_words(b, s);
        values += (size_t)from->start[batch_words(b, s)];
    }
    *r = (Rows){ .row = arena_alloc(a, words, sizeof *r->row),
                 .len = arena_alloc(a, words, sizeof *r->len),
                 .first = arena_alloc(a, words + 1, sizeof *r->first),
                 .index = arena_alloc(a, values, sizeof *r->index),
                 .p = arena_alloc(a, values, sizeof *r->p) };
    return r->row && r->len && r->first && r->index && r->p;
}

/* Adds the distribution of a word, over the len scores from `row` on. */
static void rows_add(Rows *r, long row, int len, const SoftRows *from, int w)
{
    int to = r->first[r->n];
    r->row[r->n] = row;
    r->len[r->n++] = len;
    for (int k = from->start[w]; k < from->start[w + 1]; k++) {
        r->index[to] = from->v[k].value;
        r->p[to++] = (Real)from->v[k].p;
    }
    r->first[r->n] = to;
}

static void rows_fill(Rows *r, const ParseNetworkConfig *c, const Batch *b, const Gold *gold, SoftKind kind)
{
    int types = c->arc.n_types, tags = c->n_tags;
    long arc = 0;
    r->first[0] = 0;
    for (int s = 0; s < b->n_sent; arc += (long)batch_arcs(b, s++)) {
        const SoftRows *from = soft_of(&gold[s]) ? rows_of(soft_of(&gold[s]), kind) : NULL;
        int n = batch_words(b, s);
        for (int w = 0; from && from->start && w < n; w++) {
            if (kind == SOFT_HEADS) rows_add(r, arc + (long)(w + 1) * (n + 1), n + 1, from, w);
            else if (kind == SOFT_TYPES) rows_add(r, (long)(batch_fencepost(b, s) + w + 1) * types, types, from, w);
            else rows_add(r, (long)(b->start[s] + w + 1) * tags, tags, from, w);
        }
    }
}

static Tensor *spans(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold, double cut,
                     Arena *scratch)
{
    int n = f->batch->n_sent;
    SoftTree *trees = arena_calloc(scratch, (size_t)n, sizeof *trees);
    if (!trees) return tape_fail(f->t, ERR_NOMEM, "loss: out of memory");
    for (int s = 0; s < n; s++)
        if (soft_of(&gold[s])) trees[s] = soft_of(&gold[s])->tree;
    return tree_loss(f, &parse_network(net)->span, parse_scores(out)->g, trees, cut, scratch);
}

Status soft_loss(const Forward *forward, const Network *net, const NetworkOutput *out, Tensor *types, const Gold *gold,
                 const LossWeights *weights, Arena *scratch, Tensor *part[TASK_LOSSES])
{
    const ParseScores *scores = parse_scores(out);
    const struct {
        ParseLoss part;
        Tensor *scores;
    } kinds[SOFT_KINDS] = { [SOFT_HEADS] = { LOSS_SOFT_HEAD, scores->arc.arcs },
                            [SOFT_TYPES] = { LOSS_SOFT_TYPE, types },
                            [SOFT_TAGS] = { LOSS_SOFT_TAG, scores->tags } };
    if (weights->part[LOSS_SOFT_SPAN] != 0)
        part[LOSS_SOFT_SPAN] = spans(forward, net, out, gold, weights->soft_cut, scratch);
    for (int k = 0; k < SOFT_KINDS && tape_status(forward->t) == OK; k++) {
        Rows r;
        if (!kinds[k].scores || weights->part[kinds[k].part] == 0) continue;
        if (!rows_alloc(&r, forward->batch, gold, (SoftKind)k, scratch)) {
            tape_fail(forward->t, ERR_NOMEM, "loss: out of memory");
            break;
        }
        rows_fill(&r, &parse_network(net)->c, forward->batch, gold, (SoftKind)k);
        part[kinds[k].part] =
            op_soft_cross_entropy(forward->t, kinds[k].scores, r.row, r.len, r.first, r.index, r.p, r.n);
    }
    return tape_status(forward->t);
}
