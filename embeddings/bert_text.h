/* What BERT's tokenizer does to a text before it looks for pieces, as the normalizer BertNormalizer and the
 * pre-tokenizer BertPreTokenizer of published tokenizer.json files define it: clean-up, blanks around CJK ideographs,
 * accents removed, lower case; then words separated by white space, and every punctuation character a word of its own.
 *
 * Characters have the categories of the implementation that published models are used with, which has the Unicode
 * tables of version 8 to 10: punctuation, nonspacing marks and format characters that later versions added are ordinary
 * characters here. Lower case and decompositions come from utf8proc. */
#pragma once

#include "embeddings/pieces.h"

typedef struct BertRules {
    bool clean;         /* control characters, NUL and U+FFFD are removed; white space becomes ' ' */
    bool chinese;       /* blanks around CJK ideographs */
    bool strip_accents; /* canonical decomposition (NFD) without nonspacing marks (Mn) */
    bool lowercase;
} BertRules;

/* Normalises bytes [from .. to) of `text`; places are offsets into `text`. *out is replaced. A byte that is not UTF-8
 * counts as U+FFFD. ERR_NOMEM; ERR_LIMIT above PIECES_MOST_TEXT bytes. */
Status bert_text_normalize(const BertRules *rules, StrView text, size_t from, size_t to, PlacedText *out, Error *error);
/* The next word at or after *at, which is advanced past it. false at the end. */
bool bert_text_word(StrView normalized, size_t *at, StrView *word);
/* White space as Unicode defines it: U+00A0 and U+3000 too, U+200B not. */
bool bert_text_is_space(int32_t cp);
/* A character of the blocks of CJK ideographs, which is a word of its own with the rule `chinese`. */
bool bert_text_is_ideograph(int32_t cp);
