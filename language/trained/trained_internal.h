/* What the files of this folder share. */
#pragma once

#include <stdlib.h>

#include "language/trained/trained_text.h"

/* What a character of the text is for the features; a run of white space is one character. */
typedef enum TrainedClass {
    TRAINED_SPACE,
    TRAINED_LOWER,
    TRAINED_UPPER,
    TRAINED_DIGIT,
    TRAINED_LETTER, /* without case */
    TRAINED_WIDE,   /* a letter of double width: Han, Kana, Hangul */
    TRAINED_MARK
} TrainedClass;

/* White space before a token, in the order of what it may end. */
typedef enum TrainedGap {
    TRAINED_GLUED, /* none */
    TRAINED_BLANK,
    TRAINED_WRAPPED, /* a line break where the next word did not fit into the line */
    TRAINED_BREAK,   /* a line break where it did */
    TRAINED_PARAGRAPH
} TrainedGap;

/* What trained_bounds says of the place before a character. */
typedef enum TrainedBound {
    TRAINED_OPEN,   /* nothing */
    TRAINED_JOINED, /* the character is in the token of the one before it */
    TRAINED_APART   /* a token begins here */
} TrainedBound;

typedef struct TrainedChar {
    size_t byte;        /* of the block */
    size_t number;      /* of the character in the block */
    int32_t eye;        /* as the features see it: no variant, lower case, digits as 0, forms of ASCII as ASCII */
    uint8_t class, gap; /* gap: of white space, else TRAINED_GLUED */
    uint8_t bound;      /* before it */
    bool plain;         /* one blank, which may be inside a token where blanks separate words */
    uint8_t begins, ends, across; /* characters of the longest word of the list that begins, ends, goes on here */
    uint8_t from, to;             /* characters of its chunk before and after it, at most TRAINED_CHUNK */
    uint32_t before, after;       /* hashes of the chunk up to this character, and after it; 0 in long chunks */
} TrainedChar;

enum { TRAINED_CHUNK = 24, TRAINED_WORD = 8 }; /* characters of a chunk that is hashed, of a word of the list */

/* A text as characters, with white space at both ends. */
typedef struct TrainedScan {
    TrainedChar *c; /* [n] */
    int n, cap;
} TrainedScan;

/* Reads a block; what line breaks mean is in `gap` afterwards. false when out of memory. */
bool trained_scan(TrainedScan *scan, const TrainedText *trained, StrView text, Newlines newlines);

/* Sets the bounds of a scan of the text. They hold for the text that is segmented, not for what is learnt: a
 * treebank may have other habits here and there. */
void trained_bounds(const TrainedText *trained, TrainedScan *scan, StrView text);

/* Whether a character begins a token (1) and ends one (2); white space between tokens has a label of its own. */
enum { TRAINED_INSIDE, TRAINED_BEGINS, TRAINED_ENDS, TRAINED_SINGLE, TRAINED_OUTSIDE, TRAINED_LABELS };

enum { TRAINED_FEATURES = 48 }; /* at most */

/* Each feature of a character has a weight for each label but TRAINED_OUTSIDE, next to each other from `at`; the place
 * is a multiple of 4. The number of features. */
int trained_char_features(const TrainedText *trained, const TrainedScan *scan, int k, uint32_t at[TRAINED_FEATURES]);
/* Returns the index of the transition weights: those of each label of a character after a character labelled `label`.
 * A multiple of 4. */
uint32_t trained_transition(const TrainedText *trained, int label);

/* A weight is stored as its root, with its sign: small ones must be exact, and a few are large. */
static inline int trained_weight(const TrainedText *trained, uint32_t at)
{
    return trained->learning ? trained->learning[at] : trained->weights[at] * abs(trained->weights[at]);
}

/* The labels of characters from .. to - 1, the first and the last of which are no white space and begin and end a
 * token: the sequence with the largest sum of weights, and of `cost` for each label that `gold`, which may be NULL,
 * does not have there. label [to] is for the whole text. false when out of memory. */
bool trained_decode(const TrainedText *trained, const TrainedScan *scan, int from, int to, int cost,
                    const uint8_t *gold, uint8_t *label);

enum { TRAINED_EITHER = 2 };

typedef struct TrainedToken {
    int from, to;  /* characters of the scan */
    uint32_t form; /* hash of what the features see */
    uint32_t shape;
    uint8_t first, last; /* classes of the first and the last character */
    uint8_t gap;         /* before it */
    int8_t side;         /* 1: it opens a bracket or quotation, -1: it closes one, TRAINED_EITHER: it may do both */
} TrainedToken;

/* Tokens of a text. */
typedef struct TrainedTokens {
    TrainedToken *token; /* [n] */
    int n, cap;
} TrainedTokens;

/* The gap before a token as the end of a sentence sees it: where words have no blanks between them, one says
 * nothing. */
static inline TrainedGap trained_gap(const TrainedText *trained, const TrainedToken *token)
{
    return token->gap == TRAINED_BLANK && !trained->blanks ? TRAINED_GLUED : (TrainedGap)token->gap;
}

/* Appends characters from .. to - 1 of the scan. false when out of memory. */
bool trained_token_add(TrainedTokens *tokens, const TrainedScan *scan, int from, int to);

/* The sentence so far, before the gap that is asked about. */
typedef struct TrainedState {
    int begin; /* its first token */
    int depth; /* of brackets */
    bool odd;  /* the sentence has an odd number of marks that may open or close a quotation */
} TrainedState;

/* Places of the weights, whose sum is above 0 where a sentence ends after token k, or where it is a multiword token. */
int trained_end_features(const TrainedText *trained, const TrainedTokens *tokens, int k, TrainedState state,
                         uint32_t at[TRAINED_FEATURES]);
int trained_multiword_features(const TrainedText *trained, const TrainedScan *scan, const TrainedTokens *tokens, int k,
                               uint32_t at[TRAINED_FEATURES]);
int trained_sum(const TrainedText *trained, const uint32_t *at, int n);
/* Moves past token k; `ends`: a sentence ends after it. */
void trained_state_next(TrainedState *state, const TrainedTokens *tokens, int k, bool ends);
/* May the token be a multiword token? One that has a letter may. */
bool trained_is_wordlike(const TrainedScan *scan, const TrainedToken *token);

/* Hashes of 64 bits, of characters one after the other. */
static inline uint64_t trained_hash(uint64_t h, uint32_t c) { return (h ^ (c + 1)) * 0x9E3779B97F4A7C15u; }

/* Reads the list of words; false when out of memory. */
bool trained_filter_make(TrainedText *trained, StrView words);
/* Fills begins, ends and across of the characters. */
void trained_filter_look(const TrainedText *trained, TrainedScan *scan);

/* ---- variants (trained_variants.c) */

/* Reads a table (TrainedTextOptions.variants). ERR_NOMEM; ERR_FORMAT with the line. */
Status trained_variants_read(TrainedText *trained, TextBlock table, Error *error);
/* The word of the table that the text begins with, the longest one; NULL: none. */
const TrainedPair *trained_variant_word(const TrainedText *trained, StrView text);
/* May the word be read as the other one? Both have 2 to TRAINED_WORD characters, and as many. */
bool trained_is_variant_word(const char *from, const char *to);
/* The character that this one is read as. */
int32_t trained_variant(const TrainedText *trained, int32_t cp);

/* ---- multiword tokens (trained_words.c) */

/* The words of a multiword token, in the arena, *n of them; 0: none are known. false when out of memory. */
bool trained_words(const TrainedText *trained, StrView form, Arena *arena, const char ***words, int *n);
/* Appends a pair of strings that the caller keeps; false when out of memory. */
bool trained_pairs_add(TrainedPairs *pairs, const char *from, const char *to);

/* ---- text to learn from (trained_gold.c) */

typedef struct TrainedGoldToken {
    const char *form;
    const char *const *words; /* [n_words] */
    int n_words;              /* 1: no multiword token; the word is the form */
    bool multiword;
    bool blank; /* white space follows */
} TrainedGoldToken;

typedef struct TrainedGold {
    Arena arena;
    TrainedGoldToken *token; /* [n] */
    int *sentence;           /* [n_sentences + 1] first tokens */
    bool *paragraph;         /* [n_sentences] does one begin there? */
    int n, cap, n_sentences, sentence_cap, paragraph_cap;
    bool blanks, cased;
} TrainedGold;

/* The tokens of sentences; n of them at least 1. trained_gold_fini in any case. ERR_NOMEM, ERR_FORMAT (no word). */
Status trained_gold(TrainedGold *gold, const Sentence *sentences, int n, Error *error);
void trained_gold_fini(TrainedGold *gold);

/* How its dates are written (trained_bounds.c). */
TrainedDates trained_dates(const TrainedGold *gold);

/* Learns the tables of multiword tokens. false when out of memory. */
bool trained_words_learn(TrainedText *trained, const TrainedGold *gold);
