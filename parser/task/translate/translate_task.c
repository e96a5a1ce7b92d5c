/* The network of models that translate (Vaswani et al. 2017): the words of a
 * sentence are the pieces of a text, the encoder is plain, the decoder reads its vectors, and one table embeds the
 * pieces of both languages and scores the next piece. */
#include "embeddings/bpe.h"
#include "lal/decoder.h"
#include "parser/model/model.h"
#include "parser/task/translate/translate_pass.h"

static Status check(const Model *m, Error *e)
{
    if (m->c.layers != MODEL_LAYERS_PLAIN)
        return error_set(e, ERR_CONFIG, "layers: found lal, expected plain, which models that translate have");
    if (m->c.fold)
        return error_set(e, ERR_CONFIG, "fold: found a model that translates, expected one whose text is words");
    Error why = { 0 };
    char text[sizeof why];
    Status s = bpe_check(&m->words, NULL, &why);
    return s == OK ? OK : error_set(e, s, "vocabulary vocab.words: %s", error_text(&why, text, sizeof text));
}

/* DecoderConfig.lower, where an option reads it. ERR_NOMEM. */
static Status number_lower(const Model *m, Arena *arena, const int **out, Error *e)
{
    bool read = false;
    *out = NULL;
    for (int k = 0; k < m->options.n_heads; k++) read = read || m->options.heads[k].stack == STACK_DECODER;
    if (!read) return OK;
    int n = vocab_size(&m->words), *number = arena_alloc(arena, (size_t)n, sizeof *number);
    StrBuf lower = { 0 };
    Vocab seen;
    vocab_init(&seen);
    bool ok = number != NULL;
    for (int k = 0; k < n && ok; k++) {
        strbuf_clear(&lower);
        text_lower(&lower, vocab_text(&m->words, k), strlen(vocab_text(&m->words, k)));
        number[k] = lower.failed ? -1 : vocab_count(&seen, lower.ptr ? lower.ptr : "", lower.len, 0);
        ok = number[k] >= 0;
    }
    vocab_fini(&seen);
    strbuf_fini(&lower);
    *out = number;
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for the pieces of a model");
}

static void shape(const ModelConfig *c, EncoderShape *out) { out->n_decoder_layers = c->decoder_layers; }

static Status configure(const Model *m, NetworkConfig *c, Arena *a, Error *e)
{
    DecoderConfig *own = arena_calloc(a, 1, sizeof *own);
    if (!own) return error_set(e, ERR_NOMEM, "out of memory for a network");
    *own = (DecoderConfig){ .d = m->c.d_model,
                            .n_layers = m->c.decoder_layers,
                            .n_heads = m->c.n_heads,
                            .d_kv = m->c.d_kv,
                            .d_ff = m->c.d_ff,
                            .options = c->encoder.options,
                            .kept = m->decoder_kept };
    c->own = own;
    return number_lower(m, a, &own->lower, e);
}

static Decoder *decoder(const Network *net) { return net->own; }

static void fini(void *own) { decoder_fini(own); }

static Status declare(Network *net, ParamSet *ps, Error *e)
{
    return decoder_declare(net->own, ps, *(const DecoderConfig *)net->c.own, e);
}

static void init(const Network *net, ParamSet *ps, unsigned long seed) { decoder_init(net->own, ps, seed); }

/* The decoder reads vectors without blocks of label heads. */
static int readers(const Network *net, EncoderReader out[TASK_READERS])
{
    (void)net;
    (void)out;
    return 0;
}

/* What is written is no input of the network: translate_pass and the steps of a search run the decoder. */
static void forward(const Forward *f, const Network *net, NetworkOutput *out)
{
    (void)f;
    (void)net;
    (void)out;
}

/* Gold.own: pair_data_labels. The second part, of weight 0, is the loss without smoothing. */
static Status loss(const Forward *f, const Network *net, const NetworkOutput *out, const Gold *gold,
                   const LossWeights *w, Arena *scratch, Tensor *part[TASK_LOSSES + 1], LossParts *parts)
{
    (void)parts;
    int n = f->batch->n_sent;
    const int **labels = arena_alloc(scratch, (size_t)n, sizeof *labels);
    if (!labels) {
        tape_fail(f->t, ERR_NOMEM, "loss: out of memory");
        return ERR_NOMEM;
    }
    for (int k = 0; k < n; k++) labels[k] = gold[k].own;
    TranslatePass pass;
    if (translate_pass(f, net, out, labels, NULL, &pass)) part[0] = translate_loss(f, &pass, w->smoothing, &part[1]);
    if (part[0] && w->part[LOSS_GUIDANCE] != 0) part[LOSS_GUIDANCE] = translate_guidance(f, net, &pass, labels, w);
    return tape_status(f->t);
}

const Task TASK_TRANSLATE = { .name = "translate",
                              .model = "a model that translates (lal translate)",
                              .verb = "translate",
                              .vocabs = "",
                              .shape = shape,
                              .check = check,
                              .configure = configure,
                              .own_bytes = sizeof(Decoder),
                              .fini = fini,
                              .declare = declare,
                              .init = init,
                              .readers = readers,
                              .decoder = decoder,
                              .forward = forward,
                              .loss = loss };
