/* How SentencePiece changes a text before it looks for pieces (Kudo and Richardson 2018): rules of a model file replace
 * the longest string that stands at a place; white space at the ends and repeated blanks are removed; a blank is put
 * before the text; blanks become U+2581.
 *
 * The rules are precompiled: a double-array trie (Aoe 1989) of what is replaced, whose leaves are offsets of the
 * replacements, strings that end with NUL. The format: the size of the trie in bytes, 32 bits little-endian; its units,
 * 32 bits each; the strings. A unit has a label, the byte by which it is reached (bits 0-7, and bit 31, which no label
 * of a byte has), whether its first child is a leaf (bit 8), and the distance to its children (bits 10-30, times 256 if
 * bit 9 is set); in a leaf bits 0-30 are the value. */
#pragma once

#include "base/error.h"
#include "embeddings/piece_trie.h"

enum {
    UNIGRAM_MOST_REPLACEMENT = 1024, /* bytes */
    UNIGRAM_MOST_RULE = 256          /* bytes that a rule may replace; a trie with a cycle would have longer ones */
};

typedef struct UnigramNormalizer {
    const unsigned char *unit; /* [n_units] of 4 bytes, little-endian, not aligned; borrowed */
    size_t n_units;
    StrView strings;    /* the replacements; borrowed */
    PieceTrie kept;     /* strings that are not changed */
    bool prefix;        /* add_dummy_prefix: a blank before the text, if it is not empty */
    bool suffix;        /* treat_whitespace_as_suffix: that blank after the text instead */
    bool remove_blanks; /* remove_extra_whitespaces: at both ends, and all but one of several */
    bool escape_blanks; /* escape_whitespaces: ' ' becomes U+2581 */
} UnigramNormalizer;

typedef struct UnigramText {
    StrBuf text;
    int *place; /* [text.len + 1] byte of the original text that byte i comes from; place[text.len]: where it ends */
    int cap;
} UnigramText;

/* Sets the rules from precompiled_charsmap; an empty one has none. ERR_FORMAT, with the path and a message: sizes that
 * contradict each other, offsets outside the strings, replacements that are not UTF-8 or longer than
 * UNIGRAM_MOST_REPLACEMENT. */
Status unigram_normalizer_rules(UnigramNormalizer *normalizer, StrView charsmap, const char *path, Error *error);

/* *out is replaced. A byte that is not UTF-8 becomes U+FFFD. ERR_NOMEM; ERR_LIMIT above PIECES_MOST_TEXT bytes, of the
 * text or of what becomes of it. */
Status unigram_normalize(const UnigramNormalizer *normalizer, StrView text, UnigramText *out, Error *error);
void unigram_normalizer_fini(UnigramNormalizer *normalizer);
void unigram_text_fini(UnigramText *text);
