/* Raw text to sentences and words, learnt from a treebank, for languages without rules of their own.
 *
 * Tokens: each character of a paragraph begins a token or not and ends one or not. A linear model scores both together
 * from the characters around it, their classes, the word between blanks it is in, and the words of a list that stand
 * there; the best sequence is found by Viterbi's algorithm. Whether a sentence ends after a token, and whether a token
 * is a multiword token ("du" for "de", "le"), two linear classifiers of tokens decide. All weights are in one table,
 * which features are hashed into (Weinberger et al. 2009), learnt as an averaged structured perceptron (Collins 2002);
 * the root of each is kept in 8 bits. Segmenting computes with whole numbers, so that the result is the same on every
 * machine. The words of a multiword token come from a table of those seen and, for others, from rules for their
 * beginnings and ends. Where less than one of 100 sentences has quotation marks, one of 12 gets some.
 *
 * Whatever is learnt, addresses (www.example.com) and numbers (1,234 10:30 2026-11-29) are one token each, and so are
 * words of Latin letters in a language of another script; where blanks do not separate words, no token has one, and
 * none ends a sentence. Dates (3日) are as most of the treebank's are. Closing quotes and brackets stay with their
 * sentence.
 *
 * A table of variants says which characters are read as others: traditional Chinese ones as simplified, say, and which
 * words are, in which characters stand for others than elsewhere. It holds for raw text (trained_text_segment) and, by
 * trained_text_fold, for what a model sees of words.
 */
#pragma once

#include "language/language.h"

typedef struct TrainedPair { /* in lower case; to: words separated by line feeds */
    const char *from, *to;
} TrainedPair;

/* Pairs that ascend by `from`, which is unique. */
typedef struct TrainedPairs {
    TrainedPair *pair; /* [n] */
    int n, cap;
} TrainedPairs;

typedef struct TrainedVariant {
    int32_t from, to; /* code points */
} TrainedVariant;

/* Is the sign of a date (2026年, 5月) in the token of its digits? */
typedef enum TrainedDates { TRAINED_DATES_OPEN, TRAINED_DATES_JOINED, TRAINED_DATES_APART } TrainedDates;

/* All zero: nothing is learnt. Unchanged by segmenting, so that several threads may use one. */
typedef struct TrainedText {
    int bits;           /* log2 of the number of weights */
    bool blanks;        /* blanks separate words */
    bool cased;         /* most letters have capitals */
    TrainedDates dates; /* in most of the treebank */
    int8_t *weights;    /* [1 << bits] */
    int32_t *learning;  /* [1 << bits] while it is learnt, in place of weights; else NULL */
    int filter_bits;    /* log2 of the bits of `filter`; 0: there is no list of words */
    uint8_t *filter;    /* a Bloom filter (1970) of the words of the list */
    int longest;        /* characters of the longest word in it */
    TrainedPairs whole; /* multiword tokens to their words */
    TrainedPairs ends;  /* the end of a multiword token to what replaces it: "-lo" to "\nlo" */
    TrainedPairs begins;
    TrainedVariant *variant; /* [n_variants], ascending by `from`, which is unique */
    int n_variants;
    TrainedPairs variant_words; /* of as many characters as those that they are read as */
    Arena arena;                /* of the pairs' strings */
} TrainedText;

typedef struct TrainedTextOptions {
    uint64_t seed; /* of layouts and of the order of documents */
    int epochs;    /* 0: 10, where words have no blanks between them 40 */
    int bits;      /* 8 to 24; 0: 19, where words have no blanks between them 20 */
    /* A list of words, one a line; after a blank may stand what is not read. Rare words do harm (docs/LANGUAGES.md).
     * Only words of 2 to 8 characters are used. Empty: none. */
    StrView words;
    /* A table of variants: in each line a character, blanks, and the character that it is read as, or a word of 2 to
     * 8 characters and a word of as many; what follows after more blanks is not read. The longest word that a text
     * has counts, and words before characters; one of three or more is not split. Words that are read are added to a
     * list of words. Nothing stands there twice as the first. Empty: none. */
    TextBlock variants;
} TrainedTextOptions;

/* Learns from n sentences in the order of their text, which comes from the comments "# text" and SpaceAfter=No
 * where Sentence.lines has them (the reader's option keep_lines); multiword tokens are Sentence.ranges, or, where there
 * are none, tokens of "# text" that differ from the glued words they stand for. "# newpar" and "# newdoc" begin
 * paragraphs. Sentences without all that are words alone: between them are blanks, unless most of their characters are
 * of a script that has none. The result depends on the arguments alone. *trained is replaced; trained_text_fini in any
 * case. ERR_NOMEM; ERR_RANGE for options; ERR_FORMAT if there is no word, or for a line of the variants. */
Status trained_text_learn(TrainedText *trained, const Sentence *sentences, int n, TrainedTextOptions options,
                          Error *error);
void trained_text_fini(TrainedText *trained);

/* Segments a block as Language.segment does (language/language.h), with the same errors. Nothing is taken for markup.
 * With NEWLINES_AUTO a line break may end a sentence, as the classifier says, and always ends a token. The words of a
 * multiword token have one place (Token.part). */
Status trained_text_segment(const TrainedText *trained, SegmentedText *out, TextBlock block, SegmentOptions options,
                            Arena *arena, Error *error);

/* The n words with the characters that theirs are read as. Words that stay as they are, are borrowed, the others lie in
 * the arena, as does the array, unless there are no variants. NULL when out of memory. */
const char *const *trained_text_fold(const TrainedText *trained, const char *const *words, int n, Arena *arena);

/* Bytes of the first unit of a word that is not empty, for what cuts words at units: a wide letter (Han, Kana, Hangul)
 * or a mark, or a run of other letters and digits; of a word without wide letters all of it. */
size_t trained_unit(StrView word);

/* Appends the bytes of a file, the same on every machine. */
void trained_text_save(const TrainedText *trained, StrBuf *out);
/* Reads them. *trained is replaced; trained_text_fini in any case. name is for messages. ERR_NOMEM; ERR_FORMAT for any
 * bytes that trained_text_save does not write. */
Status trained_text_load(TrainedText *trained, StrView bytes, const char *name, Error *error);
