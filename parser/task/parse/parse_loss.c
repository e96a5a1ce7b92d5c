/* Targets of all words of a batch become index arrays, one op for each part of the
 * loss; then the table of the task. */
#include "parser/task/parse/parse_loss.h"

#include "parser/model/model.h"
#include "parser/parse/parse_network.h"
#include "parser/task/parse/link_loss.h"
#include "parser/task/parse/soft_loss.h"

static Status check(const Model *m, Error *e)
{
    int tags = vocab_size(&m->tags) - N_RESERVED, types = vocab_size(&m->types);
    if (tags < 1 || types < 1)
        return error_set(e, ERR_FORMAT, "found %d tags and %d types, expected at least one of each", tags, types);
    if (vocab_size(&m->labels) < 3) return error_set(e, ERR_CONFIG, "found no phrase labels in the training trees");
    return OK;
}

/* Heads and types count half, as in the code of Mrini et al. 2020; their equation 11 has the sums. */
LossWeights parse_loss_weights(double scale, double tag_weight)
{
    return (LossWeights){ .part = { [LOSS_SPAN] = scale,
                                    [LOSS_HEAD] = scale / 2,
                                    [LOSS_TYPE] = scale / 2,
                                    [LOSS_TAG] = scale * tag_weight,
                                    [LOSS_ANALYSIS] = scale * tag_weight,
                                    [LOSS_SOFT_SPAN] = scale,
                                    [LOSS_SOFT_HEAD] = scale / 2,
                                    [LOSS_SOFT_TYPE] = scale / 2,
                                    [LOSS_SOFT_TAG] = scale * tag_weight } };
}

/* Index arrays of the cross-entropies, one entry for each word of the batch. */
typedef struct Targets {
    int n;
    long *arc_row, *type_row, *tag_row;
    int *arc_len, *type_len, *tag_len;
    int *head, *type, *tag;
    int *head_row; /* [fencepost rows] */
} Targets;

static bool targets_fill(Targets *t, const ParseNetworkConfig *c, const Batch *b, const Gold *gold, Arena *a)
{
    size_t n = (size_t)(b->n_tokens - 2 * b->n_sent), rows = (size_t)(b->n_tokens - b->n_sent);
    long **longs[] = { &t->arc_row, &t->type_row, &t->tag_row };
    int **ints[] = { &t->arc_len, &t->type_len, &t->tag_len, &t->head, &t->type, &t->tag };
    for (size_t k = 0; k < sizeof longs / sizeof *longs; k++)
        if (!(*longs[k] = arena_alloc(a, n, sizeof(long)))) return false;
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++)
        if (!(*ints[k] = arena_alloc(a, n, sizeof(int)))) return false;
    if (!(t->head_row = arena_alloc(a, rows, sizeof(int)))) return false;
    long arc = 0;
    for (int s = 0; s < b->n_sent; s++) {
        int words = batch_words(b, s), row = batch_fencepost(b, s);
        const ParseGold *g = parse_gold(&gold[s]);
        t->head_row[row] = row;
        for (int w = 0; w < words; w++) {
            int k = t->n++, head = g->heads ? g->heads[w] : -1, at = g->soft ? soft_head(g->soft, w) : head;
            t->arc_row[k] = arc + (long)(w + 1) * (words + 1);
            t->arc_len[k] = words + 1;
            t->head[k] = head;
            t->head_row[row + w + 1] = row + (at < 0 ? 0 : at);
            t->type_row[k] = (long)(row + w + 1) * c->arc.n_types;
            t->type_len[k] = c->arc.n_types;
            t->type[k] = g->heads && g->types ? g->types[w] : -1;
            t->tag_row[k] = (long)(b->start[s] + w + 1) * c->n_tags;
            t->tag_len[k] = c->n_tags;
            t->tag[k] = g->tags ? g->tags[w] : -1;
        }
        arc += (long)batch_arcs(b, s);
    }
    return true;
}

/* The cross-entropies of all columns of what is said of words; NULL when out of memory. */
static Tensor *analysis_loss(const Forward *f, const ParseNetworkConfig *c, Tensor *scores, const Gold *gold, Arena *a)
{
    const Batch *b = f->batch;
    const Analysis *x = c->analysis;
    size_t most = (size_t)(b->n_tokens - 2 * b->n_sent) * (size_t)x->n, n = 0;
    long *row = arena_alloc(a, most, sizeof *row);
    int *len = arena_alloc(a, most, sizeof *len), *value = arena_alloc(a, most, sizeof *value);
    if (!row || !len || !value) return NULL;
    for (int s = 0; s < b->n_sent; s++) {
        const int *known = parse_gold(&gold[s])->analysis;
        for (int w = 0; w < batch_words(b, s); w++) {
            for (int k = 0; k < x->n; k++, n++) {
                row[n] = (long)(b->start[s] + w + 1) * c->n_analyses + x->column[k].first;
                len[n] = x->column[k].n;
                value[n] = known ? known[(ptrdiff_t)w * x->n + k] : -1;
            }
        }
    }
    return op_cross_entropy(f->t, scores, row, len, value, (int)n);
}

static Status loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                   const LossWeights *w, Arena *scratch, Tensor *part[TASK_LOSSES], LossParts *parts)
{
    Tape *t = f->t;
    const Batch *b = f->batch;
    const ParseNetwork *own = parse_network(net);
    const ParseScores *scores = parse_scores(out);
    GoldTree *trees = arena_alloc(scratch, (size_t)b->n_sent, sizeof *trees);
    Targets tg = { 0 };
    if (!trees || !targets_fill(&tg, &own->c, b, gold, scratch)) {
        tape_fail(t, ERR_NOMEM, "loss: out of memory");
        return ERR_NOMEM;
    }
    for (int s = 0; s < b->n_sent; s++) trees[s] = parse_gold(&gold[s])->tree;
    MarginStats stats;
    Tensor *types = arc_scorer_types(f, &own->arc, &scores->arc, tg.head_row);
    part[LOSS_SPAN] = margin_loss(f, &own->span, scores->g, trees, scratch, &stats);
    part[LOSS_HEAD] = op_cross_entropy(t, scores->arc.arcs, tg.arc_row, tg.arc_len, tg.head, tg.n);
    part[LOSS_TYPE] = op_cross_entropy(t, types, tg.type_row, tg.type_len, tg.type, tg.n);
    if (scores->tags && w->part[LOSS_TAG] != 0)
        part[LOSS_TAG] = op_cross_entropy(t, scores->tags, tg.tag_row, tg.tag_len, tg.tag, tg.n);
    if (scores->words && w->part[LOSS_ANALYSIS] != 0) {
        part[LOSS_ANALYSIS] = analysis_loss(f, &own->c, scores->words, gold, scratch);
        if (!part[LOSS_ANALYSIS]) tape_fail(t, ERR_NOMEM, "loss: out of memory");
    }
    if (own->c.categories.n && w->part[LOSS_LINK] != 0)
        part[LOSS_LINK] = link_loss(f, net, scores->g, out->encoder.phrase, trees, scratch);
    parts->delta = stats.delta;
    for (int k = 0; k < b->n_sent; k++) parts->soft += parse_gold(&gold[k])->soft != NULL;
    return parts->soft ? soft_loss(f, net, out, types, gold, w, scratch, part) : tape_status(t);
}

static void shape(const ModelConfig *c, EncoderShape *out)
{
    out->parses = true;
    if (c->lal_form == LAL_PHRASES) out->lal_pwff = false;
}

const Task TASK_PARSE = { .name = "parse",
                          .model = "a model that parses (lal parse)",
                          .verb = "parse",
                          .vocabs = "treebanks tags labels own_labels types analyses bundles lemmas steps",
                          .shape = shape,
                          .check = check,
                          .configure = parse_network_configure,
                          .own_bytes = sizeof(ParseNetwork),
                          .declare = parse_network_declare,
                          .init = parse_network_init,
                          .readers = parse_network_readers,
                          .forward = parse_network_forward,
                          .loss = loss };
