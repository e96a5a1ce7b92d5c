/* parser/task/parse/parse_loss.c */
#include "parser/task/parse/parse_loss.h"

#include "parser/model/model.h"
#include "parser/task/parse/soft_loss.h"

static Status check(const Model *m, Error *e)
{
    int tags = vocab_size(&m->tags) - N_RESERVED, types = vocab_size(&m->types);
    if (tags < 1 || types < 1)
        return error_set(e, ERR_FORMAT, "found %d tags and %d types, expected at least one of each", tags, types);
    if (vocab_size(&m->labels) < 3) return error_set(e, ERR_CONFIG, "found no phrase labels in the training trees");
    return OK;
}

static Status declare(Network *net, ParamSet *ps, Error *e)
{
    NetworkConfig *c = &net->c;
    int width = c->arc.d = net->encoder.width;
    Status status = span_scorer_declare(&net->span, ps, width, c->d_label_hidden, c->n_labels, e);
    if (status == OK) status = arc_scorer_declare(&net->arc, ps, c->arc, e);
    if (status != OK || !c->d_tag_hidden) return status;
    status = linear_declare(&net->tag_w1, &net->tag_b1, ps, "f_tag.0", c->encoder.d_model, c->d_tag_hidden, e);
    if (status == OK) status = norm_declare(&net->tag_norm, ps, "f_tag.1", c->d_tag_hidden, NORM_LAL, e);
    if (status != OK) return status;
    status = linear_declare(&net->tag_w2, &net->tag_b2, ps, "f_tag.3", c->d_tag_hidden, c->n_tags_out, e);
    if (status != OK || !c->n_analyses) return status;
    return linear_declare(&net->analysis_w, &net->analysis_b, ps, "f_analysis", c->d_tag_hidden, c->n_analyses, e);
}

static void init(const Network *net, ParamSet *ps, unsigned long seed)
{
    span_scorer_init(&net->span, ps, seed);
    arc_scorer_init(&net->arc, ps, seed);
    if (!net->c.d_tag_hidden) return;
    linear_init(net->tag_w1, net->tag_b1, ps, seed);
    norm_init(&net->tag_norm, ps);
    linear_init(net->tag_w2, net->tag_b2, ps, seed);
    if (net->c.n_analyses) linear_init(net->analysis_w, net->analysis_b, ps, seed);
}

static int readers(const Network *net, EncoderReader out[TASK_READERS])
{
    const int of_fenceposts[] = { net->span.w1, net->arc.arc_h, net->arc.arc_c, net->arc.type_h, net->arc.type_c };
    int n = sizeof of_fenceposts / sizeof *of_fenceposts;
    for (int k = 0; k < n; k++) out[k] = (EncoderReader){ of_fenceposts[k], true };
    return n;
}

static void forward(const Forward *f, const Network *net, NetworkOutput *out)
{
    out->g = span_scorer_project(f, &net->span, out->encoder.fencepost);
    arc_scorer_forward(f, &net->arc, out->encoder.fencepost, &out->arc);
    if (!net->c.d_tag_hidden) return;
    Tensor *h =
        op_linear(f->t, out->encoder.contextual, forward_weight(f, net->tag_w1), forward_param(f, net->tag_b1), false);
    h = op_relu(f->t, norm_forward(f, &net->tag_norm, h));
    out->tags = op_linear(f->t, h, forward_weight(f, net->tag_w2), forward_param(f, net->tag_b2), false);
    if (!net->c.n_analyses) return;
    out->words = op_linear(f->t, h, forward_weight(f, net->analysis_w), forward_param(f, net->analysis_b), false);
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

static bool targets_fill(Targets *t, const Network *net, const Batch *b, const Gold *gold, Arena *a)
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
        const Gold *g = &gold[s];
        t->head_row[row] = row;
        for (int w = 0; w < words; w++) {
            int k = t->n++, head = g->heads ? g->heads[w] : -1, at = g->soft ? soft_head(g->soft, w) : head;
            t->arc_row[k] = arc + (long)(w + 1) * (words + 1);
            t->arc_len[k] = words + 1;
            t->head[k] = head;
            t->head_row[row + w + 1] = row + (at < 0 ? 0 : at);
            t->type_row[k] = (long)(row + w + 1) * net->c.arc.n_types;
            t->type_len[k] = net->c.arc.n_types;
            t->type[k] = g->heads && g->types ? g->types[w] : -1;
            t->tag_row[k] = (long)(b->start[s] + w + 1) * net->c.n_tags_out;
            t->tag_len[k] = net->c.n_tags_out;
            t->tag[k] = g->tags ? g->tags[w] : -1;
        }
        arc += (long)batch_arcs(b, s);
    }
    return true;
}

/* The cross-entropies of all columns of what is said of words; NULL when out of memory. */
static Tensor *analysis_loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold, Arena *a)
{
    const Batch *b = f->batch;
    const Analysis *x = net->c.analysis;
    size_t most = (size_t)(b->n_tokens - 2 * b->n_sent) * (size_t)x->n, n = 0;
    long *row = arena_alloc(a, most, sizeof *row);
    int *len = arena_alloc(a, most, sizeof *len), *value = arena_alloc(a, most, sizeof *value);
    if (!row || !len || !value) return NULL;
    for (int s = 0; s < b->n_sent; s++) {
        const int *known = gold[s].analysis;
        for (int w = 0; w < batch_words(b, s); w++) {
            for (int c = 0; c < x->n; c++, n++) {
                row[n] = (long)(b->start[s] + w + 1) * net->c.n_analyses + x->column[c].first;
                len[n] = x->column[c].n;
                value[n] = known ? known[(ptrdiff_t)w * x->n + c] : -1;
            }
        }
    }
    return op_cross_entropy(f->t, out->words, row, len, value, (int)n);
}

static Status loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                   const LossWeights *w, Arena *scratch, Tensor *part[TASK_LOSSES], LossParts *parts)
{
    Tape *t = f->t;
    const Batch *b = f->batch;
    GoldTree *trees = arena_alloc(scratch, (size_t)b->n_sent, sizeof *trees);
    Targets tg = { 0 };
    if (!trees || !targets_fill(&tg, net, b, gold, scratch)) {
        tape_fail(t, ERR_NOMEM, "loss: out of memory");
        return ERR_NOMEM;
    }
    for (int s = 0; s < b->n_sent; s++) trees[s] = gold[s].tree;
    MarginStats stats;
    Tensor *types = arc_scorer_types(f, &net->arc, &out->arc, tg.head_row);
    part[LOSS_SPAN] = margin_loss(f, &net->span, out->g, trees, scratch, &stats);
    part[LOSS_HEAD] = op_cross_entropy(t, out->arc.arcs, tg.arc_row, tg.arc_len, tg.head, tg.n);
    part[LOSS_TYPE] = op_cross_entropy(t, types, tg.type_row, tg.type_len, tg.type, tg.n);
    if (out->tags && w->part[LOSS_TAG] != 0)
        part[LOSS_TAG] = op_cross_entropy(t, out->tags, tg.tag_row, tg.tag_len, tg.tag, tg.n);
    if (out->words && w->part[LOSS_ANALYSIS] != 0) {
        part[LOSS_ANALYSIS] = analysis_loss(f, net, out, gold, scratch);
        if (!part[LOSS_ANALYSIS]) tape_fail(t, ERR_NOMEM, "loss: out of memory");
    }
    parts->delta = stats.delta;
    for (int k = 0; k < b->n_sent; k++) parts->soft += gold[k].soft != NULL;
    return parts->soft ? soft_loss(f, net, out, types, gold, w, scratch, part) : tape_status(t);
}

const Task TASK_PARSE = { .name = "parse",
                          .model = "a model that parses (lal parse)",
                          .verb = "parse",
                          .parses = true,
                          .check = check,
                          .declare = declare,
                          .init = init,
                          .readers = readers,
                          .forward = forward,
                          .loss = loss };
