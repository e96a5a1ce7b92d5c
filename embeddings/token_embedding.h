/* How a token becomes a vector (Mrini et al. 2020, code): the content half is the sum of all tables that are switched
 * on, of the character LSTM and of the projected vectors of a pretrained encoder, each with feature dropout; the
 * position half is a learned table; x = norm(drop([content ; position])), or content + position when not
 * partitioned. Plain embeddings (Vaswani et al. 2017, section 3.4 and 3.5) have a table of words and nothing else:
 * x = drop(sqrt(d_model) E[word] + PE), PE[p, 2i] = sin(p / 10000^(2i / d_model)), PE[p, 2i + 1] the cosine. */
#pragma once

#include "embeddings/token_features.h"
#include "embeddings/word_encoder.h"

/* Indices every table reserves. */
enum { TOKEN_START = 0, TOKEN_STOP = 1, TOKEN_UNKNOWN = 2, N_RESERVED = 3 };
/* Characters (reference vocabulary): unknown, start and end of sentence and word. */
enum {
    CHAR_UNKNOWN = 0,
    CHAR_SENTENCE_START = 1,
    CHAR_WORD_START = 2,
    CHAR_WORD_END = 3,
    CHAR_SENTENCE_END = 4,
    N_CHAR_RESERVED = 5
};

typedef struct EmbeddingConfig {
    int d_model;
    bool partitioned, plain;
    int n_positions;                  /* rows of the position table; longer sentences wrap around */
    int n_tags, n_words, n_treebanks; /* rows; 0 = no such table */
    int affix_buckets;                /* rows of each of the N_AFFIXES tables; 0 = none */
    int n_chars, d_char;              /* character LSTM of d_content / 2 a direction; n_chars 0 = none */
    int n_vectors, d_vectors; /* frozen static vectors and their projection (embeddings/word_vectors.h); 0 = none */
    WordEncoderConfig pretrained;
    double tag_dropout, word_dropout, affix_dropout, char_dropout, vector_dropout, position_dropout, embedding_dropout;
} EmbeddingConfig;

/* embedding.position_table, embedding.embs.{0,1..}.weight (tags, then words), embedding.treebank.weight,
 * embedding.affix_{k}.weight, embedding.vectors.weight (frozen), project_vectors.weight, char_encoder.emb.weight,
 * char_encoder.lstm.{weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0}{,_reverse}, the parameters of the word
 * encoder, embedding.layer_norm. */
typedef struct TokenEmbedding {
    EmbeddingConfig c;
    int d_content, d_position;
    int tags, words, treebank, affix[N_AFFIXES], vectors, project_vectors;
    int char_emb, w_ih[2], w_hh[2], b_ih[2], b_hh[2];
    WordEncoder pretrained; /* if c.pretrained.encoder.d_model */
    int positions;
    Norm norm;
} TokenEmbedding;

Status token_embedding_declare(TokenEmbedding *te, ParamSet *ps, EmbeddingConfig config, Error *error);
void token_embedding_init(const TokenEmbedding *te, ParamSet *ps, unsigned long seed);

/* Indices of a packed batch; arrays not needed by the configuration may be NULL. */
typedef struct TokenInputs {
    const int *position; /* [tokens] 0-based in the sentence */
    const int *tag, *word, *treebank;
    const int *affix[N_AFFIXES];
    /* a token's static vector is the mean of rows vector[vector_start[t]] .. vector[vector_start[t + 1] - 1] */
    const int *vector_start; /* [tokens + 1] */
    const int *vector;
    /* character sequences, each distinct word once */
    int n_spellings;
    const int *char_start; /* [n_spellings + 1] */
    const int *chars;
    const int *spelling; /* [tokens] */
    PieceBatch pieces;   /* for the pretrained encoder */
} TokenInputs;

/* Plain embeddings of other tokens by the same table: word and position [rows] -> [rows, d_model]. */
Tensor *token_embedding_plain(const Forward *forward, const TokenEmbedding *te, const int *word, const int *position,
                              int rows);

/* pretrained: of the pretrained encoder, if there is one; may be NULL. */
Tensor *token_embedding_forward(const Forward *forward, const TokenEmbedding *te, const TokenInputs *in,
                                PretrainedOutput *pretrained);
