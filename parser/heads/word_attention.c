#include "parser/heads/word_attention.h"

#include <stdio.h>

static int own_layers(const Encoder *enc) { return enc->c.n_layers + encoder_has_label_heads(enc); }

Status word_attention_init(WordAttention *attention, const Model *model, Error *error)
{
    const Encoder *enc = &model->net.encoder;
    *attention = (WordAttention){ .m = model };
    if (model->pretrained.d_model) attention->pretrained = model->pretrained.n_layers * model->pretrained.n_heads;
    attention->n = attention->pretrained;
    for (int l = 0; model->task->declare && l < own_layers(enc); l++) attention->n += encoder_heads(enc, l);
    if (!attention->n) return error_at(error, ERR_CONFIG, model->path, 0, 0, "the model has no attention heads");
    if (head_plan_masks(&enc->plan) && (head_plan_needs_heads(&enc->plan) || head_plan_needs_tree(&enc->plan)))
        return error_at(error, ERR_CONFIG, model->path, 0, 0,
                        "the masks of this model read parses, which texts do not have");
    return OK;
}

static void own_name(const Encoder *enc, LayerId l, int row, char name[HEAD_NAME])
{
    if (l == layer_label(enc->c.n_layers)) snprintf(name, HEAD_NAME, "label:%d", enc->head[l][row] + 1);
    else snprintf(name, HEAD_NAME, "%d:%d", l + 1, enc->head[l][row] + 1);
}

void word_attention_name(const WordAttention *attention, int head, char name[HEAD_NAME])
{
    const Encoder *enc = &attention->m->net.encoder;
    int heads = attention->m->pretrained.n_heads, l = 0;
    if (head < attention->pretrained) {
        snprintf(name, HEAD_NAME, "pretrained:%d:%d", head / heads + 1, head % heads + 1);
        return;
    }
    for (head -= attention->pretrained; head >= encoder_heads(enc, l); l++) head -= encoder_heads(enc, l);
    own_name(enc, l, head, name);
}

static Status run(Worker *w, const char *const *words, int n_words, Error *e)
{
    const Model *m = w->m;
    worker_begin(w, true, false, 0);
    BatchSentence sentence = { .n = n_words, .treebank = m->default_treebank };
    sentence.words = model_fold(m, words, NULL, NULL, n_words, &w->scratch);
    if (!sentence.words) return error_set(e, ERR_NOMEM, "out of memory packing sentences");
    w->pieces = true;
    Status s = worker_pack(w, &sentence, NULL, 1, 0, e);
    return s == OK ? worker_forward(w, NULL, e) : s;
}

void word_attention_add(const int *token, const Real *p, int pieces, int tokens, Real *sum)
{
    for (int i = 0, same; i < pieces; i += same) {
        for (same = 1; i + same < pieces && token[i + same] == token[i]; same++) {}
        Real *row = sum + (ptrdiff_t)token[i] * tokens;
        for (int k = i; k < i + same; k++)
            for (int j = 0; j < pieces; j++) row[token[j]] += p[(ptrdiff_t)k * pieces + j] / (Real)same;
    }
}

bool word_attention_is_one(const Worker *worker)
{
    return !worker->m->pretrained.n_layers || worker->packed.in.pieces.batch.n_sent == 1;
}

Status word_attention_pretrained(Worker *worker, Arena *arena, HeadWeights *out, Error *error)
{
    const PretrainedConfig *c = &worker->m->pretrained;
    const PieceBatch *b = &worker->packed.in.pieces;
    int tokens = worker->packed.batch.n_tokens;
    for (int h = 0; h < c->n_layers * c->n_heads; h++) {
        HostMatrix probs = tensor_host(&worker->tape, worker->net.pretrained.attention[h / c->n_heads].probs, arena);
        Real *sum = arena_calloc(arena, (size_t)tokens * (size_t)tokens, sizeof *sum);
        if (!probs.data && worker_status(worker, error) != OK) return error->code;
        if (!probs.data || !sum) return error_set(error, ERR_NOMEM, "out of memory for attention");
        word_attention_add(b->token, host_row(&probs, h % c->n_heads), b->batch.n_tokens, tokens, sum);
        out[h] = (HeadWeights){ sum, tokens, 1 };
    }
    return OK;
}

Status word_attention_own(Worker *worker, Arena *arena, HeadWeights *out, Error *error)
{
    const Encoder *enc = &worker->m->net.encoder;
    const EncoderOutput *net = &worker->net.encoder;
    int tokens = worker->packed.batch.n_tokens;
    for (int l = 0, h = 0; l < own_layers(enc); l++) {
        bool self = l < enc->c.n_layers;
        if (!encoder_heads(enc, l)) continue;
        HostMatrix probs = tensor_host(&worker->tape, self ? net->attention[l].probs : net->trace.probs, arena);
        if (!probs.data && worker_status(worker, error) != OK) return error->code;
        if (!probs.data) return error_set(error, ERR_NOMEM, "out of memory for attention");
        for (int k = 0; k < encoder_heads(enc, l); k++)
            out[h++] =
                self ? (HeadWeights){ host_row(&probs, k), tokens, 1 } : (HeadWeights){ probs.data + k, 0, probs.ld };
    }
    return OK;
}

Status word_attention_read(const WordAttention *attention, Worker *worker, const char *const *words, int n_words,
                           Arena *arena, HeadWeights *out, bool *read, Error *error)
{
    Status s = run(worker, words, n_words, error);
    *read = word_attention_is_one(worker);
    if (s == OK && *read) s = word_attention_pretrained(worker, arena, out, error);
    return s == OK && *read ? word_attention_own(worker, arena, out + attention->pretrained, error) : s;
}
