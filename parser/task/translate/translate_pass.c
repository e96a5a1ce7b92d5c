/* Each token is the piece before it, and is asked for the next one, so that
 * a whole translation is one pass. */
#include "parser/task/translate/translate_pass.h"

#include "lal/decoder.h"

Tensor *translate_table(const Forward *forward, const Network *net)
{
    return forward_param(forward, net->embedding.words);
}

/* The tokens of the batch, and what each of them is asked. */
static bool make_tokens(Tape *t, const int *const *labels, int n, TranslatePass *pass, int **piece, int **position)
{
    int *start = tape_host(t, (size_t)n + 1, sizeof *start), longest = 0, at = 0;
    if (!start) return false;
    start[0] = 0;
    for (int s = 0; s < n; s++) {
        int m = labels[s][0] + 1;
        start[s + 1] = start[s] + m;
        if (m > longest) longest = m;
    }
    size_t tokens = (size_t)start[n];
    int *gold = tape_host(t, tokens, sizeof *gold);
    pass->batch = (Batch){ .n_sent = n, .start = start, .n_tokens = start[n], .longest = longest };
    pass->gold = gold;
    *piece = tape_host(t, tokens, sizeof **piece);
    *position = tape_host(t, tokens, sizeof **position);
    if (!gold || !*piece || !*position) return false;
    for (int s = 0; s < n; s++)
        for (int k = 0, m = labels[s][0]; k <= m; k++, at++) {
            (*piece)[at] = k == 0 ? TOKEN_START : labels[s][k];
            (*position)[at] = k;
            gold[at] = k == m ? TOKEN_STOP : labels[s][k + 1];
        }
    return true;
}

bool translate_pass(const Forward *forward, const Network *net, const NetworkOutput *out, const int *const *labels,
                    const DecoderControl *control, TranslatePass *pass)
{
    int *piece, *position;
    DecoderSource source;
    Forward written = *forward;
    *pass = (TranslatePass){ .scores = NULL };
    written.batch = &pass->batch;
    if (!make_tokens(forward->t, labels, forward->batch->n_sent, pass, &piece, &position)) return false;
    Tensor *y = pass->embedding =
        token_embedding_plain(&written, &net->embedding, piece, position, pass->batch.n_tokens);
    if (!y || !decoder_source(forward, net->own, out->encoder.word, forward->batch, out->source_keys, &source))
        return false;
    DecoderControl on = control ? *control : (DecoderControl){ .gate_key = out->gate_key };
    on.written = labels;
    decoder_forward(&written, net->own, y, &source, net->c.dropout, &on, &pass->decoder);
    pass->scores = op_row_products(forward->t, pass->decoder.hidden, translate_table(forward, net));
    return pass->scores != NULL;
}

Tensor *translate_guidance(const Forward *forward, const Network *net, const TranslatePass *pass,
                           const int *const *labels, const LossWeights *weights)
{
    Forward written = *forward;
    written.batch = &pass->batch;
    return decoder_guidance(&written, net->own, &pass->decoder, labels, weights->guidance_norm, weights->empty_row,
                            weights->guided_sentences);
}

Tensor *translate_loss(const Forward *forward, const TranslatePass *pass, double smoothing, Tensor **nll)
{
    int n = pass->batch.n_tokens, *len = tape_host(forward->t, (size_t)n, sizeof *len);
    long *row = tape_host(forward->t, (size_t)n, sizeof *row);
    if (!len || !row) return NULL;
    for (int k = 0; k < n; k++) {
        len[k] = pass->scores->cols;
        row[k] = (long)k * pass->scores->cols;
    }
    return op_smoothed_cross_entropy(forward->t, pass->scores, row, len, pass->gold, n, smoothing, nll);
}
