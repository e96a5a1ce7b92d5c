/* parser/task/translate/translate_task.c: the network of models that translate (Vaswani et al. 2017): the words of a
 * sentence are the pieces of a text, the encoder is plain, the decoder reads its vectors, and one table embeds the
 * pieces of both languages and scores the next piece. */
#include "embeddings/bpe.h"
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

static Status declare(Network *net, ParamSet *ps, Error *e)
{
    return decoder_declare(&net->decoder, ps, net->c.decoder, e);
}

static void init(const Network *net, ParamSet *ps, unsigned long seed) { decoder_init(&net->decoder, ps, seed); }

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

/* Gold.labels: pair_data_labels. The second part, of weight 0, is the loss without smoothing. */
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
    for (int k = 0; k < n; k++) labels[k] = gold[k].labels;
    TranslatePass pass;
    if (translate_pass(f, net, out, labels, NULL, &pass)) part[0] = translate_loss(f, &pass, w->smoothing, &part[1]);
    if (part[0] && w->part[LOSS_GUIDANCE] != 0) part[LOSS_GUIDANCE] = translate_guidance(f, net, &pass, labels, w);
    return tape_status(f->t);
}

const Task TASK_TRANSLATE = { .name = "translate",
                              .model = "a model that translates (lal translate)",
                              .verb = "translate",
                              .check = check,
                              .declare = declare,
                              .init = init,
                              .readers = readers,
                              .forward = forward,
                              .loss = loss };
