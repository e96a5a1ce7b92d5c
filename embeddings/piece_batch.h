/* The sentences of a batch as the sequences of pieces that a pretrained encoder reads, and the pieces of each token.
 * A sentence is one sequence: first piece, the pieces of its words, last piece. One with more pieces than the encoder
 * takes becomes several sequences, windows that overlap by half; each piece is read where it is farthest from the ends
 * of a window. */
#pragma once

#include "embeddings/piece_tokenizer.h"
#include "lal/heads/head_plan.h"

/* Which pieces of a word its vector is the mean of. */
typedef enum PieceChoice { PIECE_LAST, PIECE_FIRST, PIECE_MEAN } PieceChoice;

typedef struct PieceBatch {
    Batch batch;    /* sequences of pieces */
    int *id;        /* [batch.n_tokens] */
    int *start;     /* [tokens + 1]; tokens are START, the words and STOP of each sentence */
    int *row;       /* rising; the vector of token t is the mean of rows row[start[t]] .. row[start[t + 1] - 1] of the
                        encoder's output; START and STOP have the first and the last piece */
    int *n_windows; /* [sentences] */
    int *sentence;  /* [batch.n_sent] the sentence of each sequence */
    int *token;     /* [batch.n_tokens] the token of its sentence that a piece belongs to: 0 START, ... */
    bool apart;     /* the encoder is not recorded: nothing is explained by its pieces */
    const HeadControl *control; /* for the layers of the encoder (pretrained_encoder_forward); NULL at first */
} PieceBatch;

/* The batch as lal/heads/head_plan.h reads it. */
static inline HeadPieces piece_batch_pieces(const PieceBatch *batch)
{
    return (HeadPieces){ &batch->batch, batch->sentence, batch->token };
}

/* The pieces of a word, at least one. */
typedef struct WordPieces {
    const int *id;
    int n;
} WordPieces;

typedef struct PieceLayout {
    int first, last; /* ids at the ends of a sequence */
    int most;        /* pieces of a sequence, at least 3 (ERR_CONFIG); 0: no limit */
    PieceChoice choice;
} PieceLayout;

/* words: the words of all sentences, one after the other; sentence s has n_words[s] of them, maybe none. All lies in
 * the arena. ERR_NOMEM; ERR_LIMIT above INT_MAX pieces. */
Status piece_batch_make(PieceLayout layout, const WordPieces *words, const int *n_words, int n_sent, Arena *arena,
                        PieceBatch *out, Error *error);

/* Some consecutive sequences as a batch of their own, and the tokens that have rows among them. A token whose rows are
 * in several parts belongs to each of them. */
typedef struct PiecePart {
    PieceBatch b;  /* without n_windows, sentence and token; row and start count from the part's first row and token */
    int token, n;  /* tokens token .. token + n - 1 of the whole; 0: none */
    Real *share;   /* [n] what the rows in this part are of all rows of the token, 1 where all are here */
    bool is_whole; /* all shares are 1 */
} PiecePart;

/* Past the last of the sequences from `from` on that have at most `most` pieces together; at least one. */
int piece_batch_end(const PieceBatch *batch, int from, int most);
/* Sequences from .. to - 1 of a batch of `tokens` tokens; layers: of batch->control, if there is one. What is not
 * borrowed lies in the arena. false when out of memory. */
bool piece_batch_part(const PieceBatch *batch, int tokens, int from, int to, int layers, Arena *arena, PiecePart *part);
