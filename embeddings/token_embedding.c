/* Declares the tables that are switched on, gives them their first values, and adds up
 * what they say of each token of a batch. */
#include "embeddings/token_embedding.h"

#include <math.h>

static Status declare_chars(TokenEmbedding *te, ParamSet *ps, Error *e)
{
    int h = te->d_content / 2;
    if (te->d_content % 2)
        return error_set(e, ERR_CONFIG, "content width %d must be even for a character LSTM", te->d_content);
    Status s = param_declare(&te->char_emb, ps, e, 2, te->c.n_chars, te->c.d_char, 0, "char_encoder.emb.weight");
    for (int r = 0; r < 2 && s == OK; r++) {
        const char *reverse = r ? "_reverse" : "";
        s = param_declare(&te->w_ih[r], ps, e, 2, te->c.d_char, 4 * (long)h, 0, "char_encoder.lstm.weight_ih_l0%s",
                          reverse);
        if (s == OK)
            s = param_declare(&te->w_hh[r], ps, e, 2, h, 4 * (long)h, 0, "char_encoder.lstm.weight_hh_l0%s", reverse);
        if (s == OK)
            s = param_declare(&te->b_ih[r], ps, e, 1, 4 * (long)h, 0, 0, "char_encoder.lstm.bias_ih_l0%s", reverse);
        if (s == OK)
            s = param_declare(&te->b_hh[r], ps, e, 1, 4 * (long)h, 0, 0, "char_encoder.lstm.bias_hh_l0%s", reverse);
    }
    return s;
}

static void mark_tables(const TokenEmbedding *te, ParamSet *ps)
{
    if (te->c.n_words) params_table(ps, te->words);
    for (int k = 0; k < N_AFFIXES && te->c.affix_buckets; k++) params_table(ps, te->affix[k]);
    if (te->c.n_vectors) params_table(ps, te->vectors);
}

/* The table is an operand of products, too, if words are scored by it: it is not marked as one of tables. */
static Status declare_plain(TokenEmbedding *te, ParamSet *ps, Error *e)
{
    const EmbeddingConfig *c = &te->c;
    if (c->partitioned || !c->n_words || c->n_tags || c->n_treebanks || c->affix_buckets || c->n_chars ||
        c->n_vectors || c->pretrained.encoder.d_model)
        return error_set(e, ERR_CONFIG, "layers plain: expected use_words and no other embedding, and not partitioned");
    return param_declare(&te->words, ps, e, 2, c->n_words, c->d_model, 0, "embedding.embs.0.weight");
}

Status token_embedding_declare(TokenEmbedding *te, ParamSet *ps, EmbeddingConfig config, Error *error)
{
    *te = (TokenEmbedding){ .c = config };
    if (config.plain) return declare_plain(te, ps, error);
    int parts = config.partitioned ? 2 : 1, n_tables = 0;
    te->d_content = part_width(config.d_model, parts, 0);
    te->d_position = config.partitioned ? part_width(config.d_model, parts, 1) : config.d_model;
    int d = te->d_content;
    Status s =
        param_declare(&te->positions, ps, error, 2, config.n_positions, te->d_position, 0, "embedding.position_table");
    if (s == OK && config.n_tags)
        s = param_declare(&te->tags, ps, error, 2, config.n_tags, d, 0, "embedding.embs.%d.weight", n_tables++);
    if (s == OK && config.n_words)
        s = param_declare(&te->words, ps, error, 2, config.n_words, d, 0, "embedding.embs.%d.weight", n_tables++);
    if (s == OK && config.n_treebanks)
        s = param_declare(&te->treebank, ps, error, 2, config.n_treebanks, d, 0, "embedding.treebank.weight");
    for (int k = 0; k < N_AFFIXES && s == OK && config.affix_buckets; k++)
        s = param_declare(&te->affix[k], ps, error, 2, config.affix_buckets, d, 0, "embedding.affix_%d.weight", k);
    if (s == OK && config.n_vectors) {
        s = param_declare(&te->vectors, ps, error, 2, config.n_vectors, config.d_vectors, 0,
                          "embedding.vectors.weight");
        if (s == OK) params_freeze(ps, te->vectors);
        if (s == OK)
            s = param_declare(&te->project_vectors, ps, error, 2, config.d_vectors, d, 0, "project_vectors.weight");
    }
    if (s == OK && config.n_chars) s = declare_chars(te, ps, error);
    if (s == OK && config.pretrained.encoder.d_model)
        s = word_encoder_declare(&te->pretrained, ps, config.pretrained, d, error);
    if (s == OK) s = norm_declare(&te->norm, ps, "embedding.layer_norm", config.d_model, NORM_LAL, error);
    bool any = config.n_tags || config.n_words || config.affix_buckets || config.n_chars || config.n_vectors ||
               config.pretrained.encoder.d_model;
    if (s == OK && !any)
        s = error_set(error, ERR_CONFIG,
                      "no embedding is switched on: use_words, use_tags, use_chars, affix_buckets, vectors or a "
                      "pretrained encoder");
    if (s == OK) mark_tables(te, ps);
    return s;
}

void token_embedding_init(const TokenEmbedding *te, ParamSet *ps, unsigned long seed)
{
    const EmbeddingConfig *c = &te->c;
    if (c->plain) {
        param_init_normal(ps, te->words, 1 / sqrt(c->d_model), seed);
        return;
    }
    param_init_normal(ps, te->positions, 1, seed);
    if (c->n_tags) param_init_normal(ps, te->tags, 1, seed);
    if (c->n_words) param_init_normal(ps, te->words, 1, seed);
    if (c->n_treebanks) param_init_normal(ps, te->treebank, 1, seed);
    for (int k = 0; k < N_AFFIXES && c->affix_buckets; k++) param_init_normal(ps, te->affix[k], 0.5, seed);
    if (c->n_vectors) linear_init(te->project_vectors, -1, ps, seed);
    if (c->n_chars) {
        double bound = 1 / sqrt(te->d_content / 2);
        param_init_normal(ps, te->char_emb, 1, seed);
        for (int r = 0; r < 2; r++) {
            param_init_uniform(ps, te->w_ih[r], bound, seed);
            param_init_uniform(ps, te->w_hh[r], bound, seed);
            param_init_uniform(ps, te->b_ih[r], bound, seed);
            param_init_uniform(ps, te->b_hh[r], bound, seed);
        }
    }
    if (c->pretrained.encoder.d_model) word_encoder_init(&te->pretrained, ps, seed);
    norm_init(&te->norm, ps);
}

/* [n_spellings, d_content]: last forward state, then last backward state. */
static Tensor *spell(const Forward *f, const TokenEmbedding *te, const TokenInputs *in)
{
    Tape *t = f->t;
    int n = in->char_start[in->n_spellings], h = te->d_content / 2;
    EmbedTerm term = { forward_weight(f, te->char_emb), in->chars, te->c.char_dropout, NULL };
    Tensor *x = op_embed(t, &term, 1, n, te->c.d_char), *y = x ? tape_new(t, in->n_spellings, te->d_content) : NULL;
    for (int r = 0; r < 2 && y; r++)
        if (!op_lstm(t, tape_columns(t, y, r * h, h), x, in->char_start, in->n_spellings, r == 1,
                     forward_param(f, te->w_ih[r]), forward_param(f, te->w_hh[r]), forward_param(f, te->b_ih[r]),
                     forward_param(f, te->b_hh[r])))
            return NULL;
    return y;
}

/* PE for positions 0 .. n - 1, [n, d]. */
static Tensor *sinusoids(Tape *t, int n, int d)
{
    Real *pe = tape_host(t, (size_t)n * (size_t)d, sizeof *pe);
    if (!pe) return NULL;
    for (int i = 0; i < d; i += 2) {
        double rate = pow(10000, -(double)i / d);
        for (int p = 0; p < n; p++) {
            pe[(ptrdiff_t)p * d + i] = (Real)sin(p * rate);
            if (i + 1 < d) pe[(ptrdiff_t)p * d + i + 1] = (Real)cos(p * rate);
        }
    }
    return tape_constant(t, pe, n, d);
}

Tensor *token_embedding_plain(const Forward *forward, const TokenEmbedding *te, const int *word, const int *position,
                              int rows)
{
    Tape *t = forward->t;
    int d = te->c.d_model, longest = 0;
    const Real root = (Real)sqrt(d);
    for (int r = 0; r < rows; r++)
        if (position[r] >= longest) longest = position[r] + 1;
    EmbedTerm of_word = { forward_weight(forward, te->words), word, 0, NULL };
    Tensor *x = op_scale_rows(t, op_embed(t, &of_word, 1, rows, d), tape_constant(t, &root, 1, 1));
    EmbedTerm terms[] = { { x, NULL, 0, NULL }, { sinusoids(t, longest, d), position, 0, NULL } };
    return op_dropout(t, op_embed(t, terms, 2, rows, d), te->c.embedding_dropout, forward->sentence_of);
}

Tensor *token_embedding_forward(const Forward *forward, const TokenEmbedding *te, const TokenInputs *in,
                                PretrainedOutput *pretrained)
{
    Tape *t = forward->t;
    const EmbeddingConfig *c = &te->c;
    if (c->plain) return token_embedding_plain(forward, te, in->word, in->position, forward->batch->n_tokens);
    const int *group = forward->sentence_of;
    int tokens = forward->batch->n_tokens, n = 0;
    EmbedTerm terms[MAX_EMBED_TERMS];
    if (c->n_tags) terms[n++] = (EmbedTerm){ forward_weight(forward, te->tags), in->tag, c->tag_dropout, group };
    if (c->n_words) terms[n++] = (EmbedTerm){ forward_weight(forward, te->words), in->word, c->word_dropout, group };
    if (c->n_treebanks) terms[n++] = (EmbedTerm){ forward_weight(forward, te->treebank), in->treebank, 0, group };
    for (int k = 0; k < N_AFFIXES && c->affix_buckets; k++)
        terms[n++] = (EmbedTerm){ forward_weight(forward, te->affix[k]), in->affix[k], c->affix_dropout, group };
    if (c->n_vectors) {
        Tensor *v = op_embed_mean(t, forward_weight(forward, te->vectors), in->vector_start, in->vector, tokens);
        v = op_dropout(t, v, c->vector_dropout, group);
        terms[n++] = (EmbedTerm){ .table = op_linear(t, v, forward_weight(forward, te->project_vectors), NULL, false) };
    }
    if (c->n_chars) terms[n++] = (EmbedTerm){ spell(forward, te, in), in->spelling, 0, NULL };
    if (c->pretrained.encoder.d_model)
        terms[n++] = (EmbedTerm){ .table = word_encoder_forward(forward, &te->pretrained, &in->pieces, pretrained) };
    int *position = tape_host(t, (size_t)tokens, sizeof *position);
    Tensor *x = tape_new(t, tokens, c->d_model);
    if (!position || !x) return NULL;
    for (int k = 0; k < tokens; k++) position[k] = in->position[k] % c->n_positions;
    EmbedTerm place = { forward_weight(forward, te->positions), position, c->position_dropout, group };
    if (c->partitioned) {
        if (!op_embed_into(t, tape_columns(t, x, 0, te->d_content), terms, n) ||
            !op_embed_into(t, tape_columns(t, x, te->d_content, te->d_position), &place, 1))
            return NULL;
    } else {
        terms[n++] = place;
        if (!op_embed_into(t, x, terms, n)) return NULL;
    }
    return norm_forward(forward, &te->norm, op_dropout(t, x, c->embedding_dropout, group));
}
