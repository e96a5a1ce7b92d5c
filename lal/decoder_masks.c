/* What options do to the heads of a decoder, made of what is written and of the source */
#include "lal/decoder.h"

static bool fail(Tape *t, const Error *e)
{
    tape_fail(t, e->code, "%s", e->message);
    return false;
}

/* Texts as patterns read them; NULL with the tape's error. */
static const WrittenText *texts_of(Tape *t, const Decoder *dec, const int *const *written, int n)
{
    WrittenText *text = tape_host(t, (size_t)n, sizeof *text);
    for (int k = 0; text && k < n; k++) {
        int pieces = written[k][0], *lower = dec->c.lower ? tape_host(t, (size_t)pieces, sizeof *lower) : NULL;
        if (dec->c.lower && !lower) return NULL;
        for (int i = 0; lower && i < pieces; i++) lower[i] = dec->c.lower[written[k][i + 1]];
        text[k] = (WrittenText){ .n = pieces, .words = written[k] + 1, .lower = lower ? lower : written[k] + 1 };
    }
    return text;
}

/* The weights of fixed heads, whose keys are all tokens that are written; NULL with the tape's error. */
static Tensor *weights_of(Tape *t, const HeadPlan *plan, const WrittenText *text, const Batch *queries)
{
    int n = queries->n_sent, *start = tape_host(t, (size_t)n + 1, sizeof *start);
    if (!start) return NULL;
    start[0] = 0;
    for (int k = 0; k < n; k++) start[k + 1] = start[k] + text[k].n + 1;
    return head_plan_weights(plan, t, queries, &(Batch){ .n_sent = n, .start = start, .n_tokens = start[n] });
}

bool decoder_masks(const Forward *forward, const Decoder *dec, const DecoderSource *source, const Batch *queries,
                   DecoderControl *on)
{
    const HeadPlan *self = &dec->plan[DECODER_SELF], *cross = &dec->plan[DECODER_CROSS];
    Error e = { 0 };
    if (!on->self && on->written && self->n_slots) {
        const WrittenText *text = texts_of(forward->t, dec, on->written, queries->n_sent);
        if (!text) return false;
        if (head_plan_written_control(self, text, queries, &forward->t->host, &on->self, &e) != OK)
            return fail(forward->t, &e);
        on->weights = self->n_weights ? weights_of(forward->t, self, text, queries) : NULL;
        if (tape_status(forward->t) != OK) return false;
    }
    if (!on->cross && source->keys &&
        head_plan_source_control(cross, source->keys, forward->batch, source->batch, &forward->t->host, &on->cross,
                                 &e) != OK)
        return fail(forward->t, &e);
    return true;
}

/* The row of each head of a layer among those that pruning has left, or -1; NULL: none was pruned, or with the tape's
 * error. */
static const int *rows_of_heads(Tape *t, const Decoder *dec, int l)
{
    int heads = decoder_heads(dec, DECODER_SELF, l);
    if (heads == dec->c.n_heads) return NULL;
    int *row = tape_host(t, (size_t)dec->c.n_heads, sizeof *row);
    for (int h = 0; row && h < dec->c.n_heads; h++) row[h] = -1;
    for (int k = 0; row && k < heads; k++) row[dec->head[DECODER_SELF][l][k]] = k;
    return row;
}

Tensor *decoder_guidance(const Forward *forward, const Decoder *dec, const DecoderOutput *out,
                         const int *const *written, GuidanceNorm norm, GuidanceEmptyRow empty, double sentences)
{
    const HeadPlan *p = &dec->plan[DECODER_SELF];
    Tape *t = forward->t;
    Tensor *sum = NULL;
    if (p->n_guides == 0) return NULL;
    const WrittenText *text = texts_of(t, dec, written, forward->batch->n_sent);
    GuidanceTargets *targets = mem_calloc((size_t)p->n_guides, sizeof *targets);
    Error e = { .code = ERR_NOMEM, .message = "out of memory for guided heads" };
    Status s =
        text && targets ? head_plan_written_targets(p, text, forward->batch->n_sent, targets, &t->host, &e) : ERR_NOMEM;
    if (s != OK) fail(t, &e);
    for (int l = 0; l < dec->c.n_layers && tape_status(t) == OK; l++) {
        Tensor *loss = head_plan_guidance(t, p, l, out->self[l].probs, rows_of_heads(t, dec, l), targets,
                                          forward->batch, norm, empty, sentences);
        sum = sum && loss ? op_add(t, sum, loss) : loss ? loss : sum;
    }
    for (int g = 0; targets && g < p->n_guides; g++) guidance_targets_fini(&targets[g]);
    mem_free(targets);
    return tape_status(t) == OK ? sum : NULL;
}
