/* parser/model/network.c */
#include "parser/model/network.h"

#include "parser/model/soft_loss.h"

Status network_declare(Network *net, ParamSet *ps, NetworkConfig c, Error *e)
{
    *net = (Network){ .c = c };
    if (c.encodes)
        return pretrained_encoder_declare(&net->embedding.pretrained.encoder, ps, c.embedding.pretrained.encoder, e);
    Status s = token_embedding_declare(&net->embedding, ps, c.embedding, e);
    if (s == OK) s = encoder_declare(&net->encoder, ps, c.encoder, e);
    if (s != OK) return s;
    if (c.n_classes)
        return linear_declare(&net->class_w, &net->class_b, ps, "f_class", net->encoder.width, c.n_classes, e);
    if (c.detects)
        return linear_declare(&net->replaced_w, &net->replaced_b, ps, "f_replaced", net->encoder.width, 1, e);
    net->c.arc.d = net->encoder.width;
    s = span_scorer_declare(&net->span, ps, net->encoder.width, c.d_label_hidden, c.n_labels, e);
    if (s == OK) s = arc_scorer_declare(&net->arc, ps, net->c.arc, e);
    if (s == OK && c.d_tag_hidden) {
        s = linear_declare(&net->tag_w1, &net->tag_b1, ps, "f_tag.0", c.encoder.d_model, c.d_tag_hidden, e);
        if (s == OK) s = norm_declare(&net->tag_norm, ps, "f_tag.1", c.d_tag_hidden, NORM_LAL, e);
        if (s == OK) s = linear_declare(&net->tag_w2, &net->tag_b2, ps, "f_tag.3", c.d_tag_hidden, c.n_tags_out, e);
    }
    return s;
}

void network_init(const Network *net, ParamSet *ps, unsigned long seed)
{
    token_embedding_init(&net->embedding, ps, seed);
    encoder_init(&net->encoder, ps, seed);
    if (net->c.n_classes) linear_init(net->class_w, net->class_b, ps, seed);
    if (net->c.detects) linear_init(net->replaced_w, net->replaced_b, ps, seed);
    if (net->c.n_classes || net->c.detects) return;
    span_scorer_init(&net->span, ps, seed);
    arc_scorer_init(&net->arc, ps, seed);
    if (net->c.d_tag_hidden) {
        linear_init(net->tag_w1, net->tag_b1, ps, seed);
        norm_init(&net->tag_norm, ps);
        linear_init(net->tag_w2, net->tag_b2, ps, seed);
    }
}

void network_fini(Network *net) { encoder_fini(&net->encoder); }

int network_readers(const Network *net, EncoderReader out[NETWORK_READERS])
{
    if (net->c.n_classes) {
        out[0] = (EncoderReader){ net->class_w, false };
        return 1;
    }
    const int of_fenceposts[] = { net->span.w1, net->arc.arc_h, net->arc.arc_c, net->arc.type_h, net->arc.type_c };
    for (int k = 0; k < NETWORK_READERS; k++) out[k] = (EncoderReader){ of_fenceposts[k], true };
    return NETWORK_READERS;
}

/* Scores of the classes of each sentence: a linear map of the mean over its words, START and STOP left out. */
static Tensor *classes_forward(const Forward *f, const Network *net, Tensor *word)
{
    const Batch *b = f->batch;
    int *start = tape_host(f->t, (size_t)b->n_sent + 1, sizeof *start), n = 0;
    int *token = tape_host(f->t, (size_t)(b->n_tokens - 2 * b->n_sent), sizeof *token);
    if (!start || !token) return NULL;
    for (int s = 0; s < b->n_sent; s++) {
        start[s] = n;
        for (int w = 1; w <= batch_words(b, s); w++) token[n++] = b->start[s] + w;
    }
    start[b->n_sent] = n;
    return op_linear(f->t, op_embed_mean(f->t, word, start, token, b->n_sent), forward_weight(f, net->class_w),
                     forward_param(f, net->class_b), false);
}

Status network_forward(const Forward *f, const Network *net, const TokenInputs *in, const EncoderControl *control,
                       NetworkOutput *out)
{
    *out = (NetworkOutput){ 0 };
    out->embedding = token_embedding_forward(f, &net->embedding, in, &out->pretrained);
    if (!out->embedding) return tape_status(f->t);
    encoder_forward(f, &net->encoder, out->embedding, net->c.dropout, control, &out->encoder);
    if (!out->encoder.fencepost) return tape_status(f->t);
    if (net->c.n_classes) {
        out->classes = classes_forward(f, net, out->encoder.word);
        return tape_status(f->t);
    }
    if (net->c.detects) {
        out->replaced = op_linear(f->t, out->encoder.word, forward_weight(f, net->replaced_w),
                                  forward_param(f, net->replaced_b), false);
        return tape_status(f->t);
    }
    out->g = span_scorer_project(f, &net->span, out->encoder.fencepost);
    arc_scorer_forward(f, &net->arc, out->encoder.fencepost, &out->arc);
    if (net->c.d_tag_hidden) {
        Tensor *h = op_linear(f->t, out->encoder.contextual, forward_weight(f, net->tag_w1),
                              forward_param(f, net->tag_b1), false);
        out->tags = op_linear(f->t, op_relu(f->t, norm_forward(f, &net->tag_norm, h)), forward_weight(f, net->tag_w2),
                              forward_param(f, net->tag_b2), false);
    }
    return tape_status(f->t);
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

LossWeights loss_weights(double scale, double tag_weight)
{
    return (LossWeights){ .part = { [LOSS_SPAN] = scale,
                                    [LOSS_HEAD] = scale / 2,
                                    [LOSS_TYPE] = scale / 2,
                                    [LOSS_TAG] = scale * tag_weight,
                                    [LOSS_SOFT_SPAN] = scale,
                                    [LOSS_SOFT_HEAD] = scale / 2,
                                    [LOSS_SOFT_TYPE] = scale / 2,
                                    [LOSS_SOFT_TAG] = scale * tag_weight,
                                    [LOSS_CLASS] = scale,
                                    [LOSS_REPLACED] = scale } };
}

/* The parts of a parser's loss. */
static Status parser_loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                          const LossWeights *w, Arena *scratch, Tensor *part[LOSS_PARTS], LossParts *parts)
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
    parts->delta = stats.delta;
    for (int k = 0; k < b->n_sent; k++) parts->soft += gold[k].soft != NULL;
    return parts->soft ? soft_loss(f, net, out, types, gold, w, scratch, part) : tape_status(t);
}

/* The part of a classifier's loss. */
static Status class_loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                         Arena *scratch, Tensor *part[LOSS_PARTS])
{
    Tape *t = f->t;
    int n = f->batch->n_sent;
    long *row = arena_alloc(scratch, (size_t)n, sizeof *row);
    int *len = arena_alloc(scratch, (size_t)n, sizeof *len), *id = arena_alloc(scratch, (size_t)n, sizeof *id);
    if (!row || !len || !id) {
        tape_fail(t, ERR_NOMEM, "loss: out of memory");
        return ERR_NOMEM;
    }
    for (int s = 0; s < n; s++) {
        row[s] = (long)s * net->c.n_classes;
        len[s] = net->c.n_classes;
        id[s] = gold[s].class_id;
    }
    part[LOSS_CLASS] = op_cross_entropy(t, out->classes, row, len, id, n);
    return tape_status(t);
}

/* The part of the loss of replaced words. */
static Status replaced_loss(const Forward *f, const NetworkOutput *out, const Gold *gold, Arena *scratch,
                            Tensor *part[LOSS_PARTS], long *n_words)
{
    const Batch *b = f->batch;
    size_t words = (size_t)(b->n_tokens - 2 * b->n_sent);
    int n = 0, *row = arena_alloc(scratch, words, sizeof *row), *label = arena_alloc(scratch, words, sizeof *label);
    if (!row || !label) {
        tape_fail(f->t, ERR_NOMEM, "loss: out of memory");
        return ERR_NOMEM;
    }
    for (int s = 0; s < b->n_sent; s++)
        for (int w = 0; w < batch_words(b, s); w++) {
            row[n] = b->start[s] + w + 1;
            label[n++] = gold[s].replaced[w];
        }
    *n_words = n;
    part[LOSS_REPLACED] = op_logistic_loss(f->t, out->replaced, row, label, n);
    return tape_status(f->t);
}

/* That of the parser's own heads and of those of the pretrained encoder. */
static Tensor *guidance_loss_of(const Forward *f, const Network *net, const NetworkOutput *out, const LossWeights *w)
{
    const HeadPlan *plan = &net->encoder.plan;
    Tensor *own = encoder_guidance(f, &net->encoder, &out->encoder, w->targets, w->guidance_norm, w->empty_row,
                                   w->guided_sentences),
           *pieces = tape_status(f->t) == OK && plan->piece_layers
                         ? word_encoder_guidance(f, plan, &out->pretrained, w->pieces, w->targets, w->guidance_norm,
                                                 w->empty_row, w->guided_sentences)
                         : NULL;
    return own && pieces ? op_add(f->t, own, pieces) : own ? own : pieces;
}

Tensor *network_loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                     const LossWeights *w, Arena *scratch, LossParts *parts)
{
    Tape *t = f->t;
    *parts = (LossParts){ 0 };
    Tensor *part[LOSS_PARTS] = { NULL };
    const double *weight = w->part;
    Status s = net->c.n_classes ? class_loss(f, net, out, gold, scratch, part)
               : net->c.detects ? replaced_loss(f, out, gold, scratch, part, &parts->words)
                                : parser_loss(f, net, out, gold, w, scratch, part, parts);
    if (s != OK) return NULL;
    if (weight[LOSS_GUIDANCE] != 0) part[LOSS_GUIDANCE] = guidance_loss_of(f, net, out, w);
    if (weight[LOSS_GATES] != 0) part[LOSS_GATES] = encoder_gate_penalty(f, &net->encoder);
    Tensor *terms[LOSS_PARTS];
    double weights[LOSS_PARTS];
    int n = 0;
    for (int k = 0; k < LOSS_PARTS; k++) {
        if (!part[k]) continue;
        terms[n] = part[k];
        weights[n++] = weight[k];
    }
    Tensor *loss = tape_status(t) == OK ? op_weighted_sum(t, terms, weights, n) : NULL;
    if (!loss) return NULL;
    Real value[LOSS_PARTS] = { 0 }, sum = 0;
    for (int k = 0; k < LOSS_PARTS; k++)
        if (part[k]) tape_fetch(t, &value[k], part[k]->data, sizeof value[k]);
    tape_fetch(t, &sum, loss->data, sizeof sum);
    tape_wait(t);
    for (int k = 0; k < LOSS_PARTS; k++) parts->part[k] = (double)value[k];
    parts->sum = (double)sum;
    return tape_done(t, loss);
}
