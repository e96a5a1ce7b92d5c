/* Which heads of a model are open, and how much of their attention masks leave */
#include "lal/decoder.h"
#include "lal/decoder_prune.h"
#include "program/ablate/ablate_internal.h"
#include "parser/model/head_inputs.h"

/* ---- gates */

/* Appends the heads of the decoder's stacks that have gates. */
static Status open_decoder_heads(const Model *m, Arena *a, int *open, int *n, Error *e)
{
    const Decoder *dec = network_decoder(&m->net);
    int *number = arena_alloc(a, (size_t)dec->c.n_heads, sizeof *number), found;
    Status s = number ? OK : error_set(e, ERR_NOMEM, "out of memory for gates");
    for (int stack = 0; stack < DECODER_STACKS; stack++)
        for (int l = 0; l < dec->c.n_layers && dec->gated[stack] && s == OK; l++, *n += dec->c.n_heads) {
            s = decoder_prune_open(dec, &m->ps, (DecoderStack)stack, l, number, &found, e);
            for (int h = 0; h < dec->c.n_heads; h++) open[*n + h] = 0;
            for (int k = 0; k < found; k++) open[*n + number[k]] = 1;
        }
    return s;
}

Status ablate_open_heads(const Model *m, bool gated_only, Arena *a, HeadNumbers *out, Error *e)
{
    const Encoder *enc = &m->net.encoder;
    int n = 0, total = 0, layers = gated_only ? layer_count(m->c.n_layers) : layer_label(m->c.n_layers) + 1;
    for (LayerId l = 0; l < layers; l++) total += encoder_heads_before(enc, l);
    const DecoderConfig *dec = &network_decoder(&m->net)->c;
    int decoder = gated_only ? DECODER_STACKS * dec->n_layers * dec->n_heads : 0;
    int *open = arena_alloc(a, (size_t)(total + decoder), sizeof *open);
    double *gates = arena_alloc(a, (size_t)total, sizeof *gates);
    Status s = open && gates ? OK : error_set(e, ERR_NOMEM, "out of memory for gates");
    for (LayerId l = 0; l < layers && s == OK; l++) {
        bool gated = enc->gated[l];
        if (gated_only && !gated) continue;
        if (gated) s = head_gate_values(&enc->gate[l], &m->ps, gates, e);
        for (int h = 0; h < encoder_heads_before(enc, l) && s == OK; h++) {
            int k = encoder_head_row(enc, l, h);
            open[n++] = k >= 0 && (!gated || gates[k] != 0);
        }
    }
    if (s == OK && decoder) s = open_decoder_heads(m, a, open, &n, e);
    *out = (HeadNumbers){ .n = n, .item = open };
    return s;
}

/* ---- masks */

/* Pairs of query and key that the entries of all masked heads allow in a sentence, layer by layer and head by head, and
 * the number of these heads. */
static Status count_allowed(const Model *m, const PatternSentence *sent, Arena *a, double *allowed, long *heads,
                            Error *e)
{
    int tokens = sent->n + 2;
    uint8_t *set = arena_alloc(a, (size_t)tokens * (size_t)tokens, 1);
    Status s = set ? OK : error_set(e, ERR_NOMEM, "out of memory for masks");
    *allowed = 0;
    *heads = 0;
    for (int k = 0; k < m->options.n_heads && s == OK; k++) {
        const HeadEntry *h = &m->options.heads[k];
        if (h->stack != STACK_SELF || h->use == USE_GUIDE) continue;
        long of = (long)(h->layers.all ? m->c.n_layers : h->layers.n) * (h->heads.all ? m->c.n_heads : h->heads.n);
        double pairs = 0;
        bool lacks = pattern_list_lacks(&h->patterns, sent) != NULL;
        if (!lacks) s = pattern_list_fill(&h->patterns, sent, set, a, e);
        for (int i = 0; i < tokens && s == OK; i++) {
            int row = 0;
            for (int j = 0; j < tokens && !lacks; j++) row += set[i * tokens + j];
            pairs += row ? row : tokens; /* an empty row is free */
        }
        *allowed += pairs * (double)of;
        *heads += of;
    }
    return s;
}

/* 1 - allowed pairs / all pairs of all self-attention heads over the dev sentences, with their gold parses. */
static Status measure_rho(const AblateArgs *a, const Model *m, double *rho, Error *e)
{
    Vocab df;
    Arena arena;
    double allowed = 0, all = 0;
    long heads = 0, total = (long)m->c.n_layers * m->c.n_heads;
    Status status = OK;
    vocab_init(&df);
    arena_init(&arena, 1 << 16);
    for (int c = 0; c < a->n_train && status == OK; c++)
        for (int k = 0; k < a->train[c].trees.n && status == OK; k++) {
            const Sentence *sent = &a->train[c].trees.s[k];
            if (!head_inputs_count(&df, sent->words, sent->n_words)) status = error_set(e, ERR_NOMEM, "out of memory");
        }
    for (int c = 0; c < a->n_dev && status == OK; c++)
        for (int k = 0; k < a->dev[c].trees.n && status == OK; k++) {
            PatternSentence sent;
            double pairs, of_masks = 0;
            arena_reset(&arena);
            status = head_inputs_sentence(&a->dev[c].trees.s[k], NULL, &df, &arena, &sent, e);
            if (status == OK) status = count_allowed(m, &sent, &arena, &of_masks, &heads, e);
            if (status != OK) break;
            pairs = (double)(sent.n + 2) * (double)(sent.n + 2);
            allowed += of_masks + pairs * (double)(total - heads);
            all += pairs * (double)total;
        }
    if (status == OK && heads && all > 0) *rho = 1 - allowed / all;
    vocab_fini(&df);
    arena_fini(&arena);
    return status;
}

Status ablate_heads(const AblateArgs *a, const Model *m, AblateRun *r, Error *e)
{
    HeadNumbers open;
    Arena arena;
    arena_init(&arena, 4096);
    Status s = ablate_open_heads(m, false, &arena, &open, e);
    r->self_heads = r->label_heads = 0;
    for (int k = 0; k < open.n && s == OK; k++)
        *(k < m->c.n_layers * m->c.n_heads ? &r->self_heads : &r->label_heads) += open.item[k];
    arena_fini(&arena);
    bool sentences =
        !m->task->shape || text_among("labels", m->task->vocabs); /* masks of other tasks are not measured */
    return s == OK && sentences ? measure_rho(a, m, &r->rho, e) : s;
}
