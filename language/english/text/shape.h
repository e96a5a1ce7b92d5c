/* Tokens that their characters alone identify: addresses, hashtags, emoji, emoticons, operators and the like. Raw text
 * is split around them (segment_tokens.c), and the shape gives the tag where a tagger has seen too few of them. The
 * tags come from the English Web Treebank and GUM (https://universaldependencies.org/en): ADD for addresses, NFP for
 * what decorates. docs/TEXT.md has examples of all of them. */
#pragma once

#include "base/text.h"

typedef enum Shape {
    SHAPE_NONE,
    SHAPE_ADDRESS,  /* URL, mail address, domain, path of a file; in < > or not: ADD */
    SHAPE_NAME,     /* #hashtag @mention $AAPL: NNP */
    SHAPE_NUMBER,   /* #1 +44 4.2(b)(iii): CD */
    SHAPE_EMOJI,    /* one emoji, of several code points or not: NFP */
    SHAPE_EMOTICON, /* :-) <3 ^_^: NFP */
    SHAPE_RULE,     /* ***** ----- =====: NFP */
    SHAPE_MARKS,    /* !! ?! ???: . */
    SHAPE_OPERATOR, /* <= == && ->: SYM */
    SHAPE_AND,      /* 'n': CC */
    SHAPE_OPENING,  /* a double quote that opens, by language/english/text/fold.h: `` */
    SHAPE_CLOSING,  /* one that closes: '' */
    SHAPE_WORD,     /* --option -v $Home ${PATH} <b> US$ $$$: no tag */
    N_SHAPES
} Shape;

/* The shape that view, a piece of text without white space, begins with; *len is its length in bytes. The longest
 * address; of the others those after which a new token may begin. */
Shape shape_prefix(StrView view, size_t *len);
/* Returns the length of the emoji, <address> or <tag> at the beginning of view, or 0. These shapes also end the word
 * before them. */
size_t shape_inside(StrView view);
/* shape_prefix without its shortcut for words; tests compare them. */
Shape shape_search(StrView view, size_t *len);
/* The length of the emoticon that view ends with, after a letter or mark that belongs to another token; 0 if there is
 * none. */
size_t shape_last_emoticon(StrView view);

/* The length of options of a command after one hyphen, -rf -j4 -std=c11, where view begins with a hyphen; 0 if it may
 * be a word after a dash. At the beginning of a line it may also be the first word of an item. */
size_t shape_options(StrView view);

/* The shape of a whole word where it gives a tag, else SHAPE_NONE (quotes have no shape of their own); and its tag. */
Shape shape_of(const char *word);
const char *shape_tag(Shape shape);
