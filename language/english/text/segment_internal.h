/* Shared by the files of raw text; segment.h is the interface.
 *   segment.c            text to paragraphs and chunks (runs without white space)
 *   segment_tokens.c     a chunk to tokens
 *   segment_join.c       words that are broken at the end of a line
 *   segment_sentences.c  the tokens of a paragraph to sentences: by items of lists (segment_lists.c), then by the
 *                        classifier (segment_boundary.c, with the weights of segment_weights.c)
 *   segment_layout.c     the line breaks of a paragraph
 *   signs.c              characters that stand for others
 *   segment_words.c      sets of characters, lists of words, abbreviations */
#pragma once

#include "language/english/text/segment.h"

typedef struct Chunk { /* the code points of one run without white space */
    int32_t *cp;
    size_t *at; /* [n + 1] byte offsets in the text */
    int n, cap_cp, cap_at;
} Chunk;

typedef struct Segmenter {
    StrView text;
    SegmentedText *out;
    Arena *a;
    Newlines newlines;
    Chunk c;
    size_t chars;  /* characters of the text before the chunk */
    int paragraph; /* first token of the current paragraph */
    bool quoted;   /* a single quote is open in the paragraph */
    bool failed;   /* out of memory */
} Segmenter;

/* ---- segment.c */

/* Decodes the chunk that begins at byte i, signs as what they stand for, and returns its end. */
size_t segment_read_chunk(Segmenter *segmenter, size_t i);

/* ---- segment_tokens.c */

/* Appends the tokens of the chunk. */
void segment_chunk(Segmenter *segmenter);
/* Appends the chunk as one token. */
void segment_whole_chunk(Segmenter *segmenter);
/* Appends the tokens of the chunk that begins at byte i, and returns its end, if it is a word of ASCII: letters and
 * digits, the first one a letter, and perhaps one of . , ; : ? ! after them; else returns i. segment_chunk would make
 * the same tokens, but has to decode the chunk. */
size_t segment_plain_chunk(Segmenter *segmenter, size_t i);

/* ---- segment_join.c */

/* The chunk ends at byte i. If a word is broken there, at the end of a line (recom-/mendations), appends its tokens,
 * and returns where its second part ends; else returns i. Tokens cover the hyphen and the line break; forms have no
 * break. Whether the hyphen belongs to the word (well-/known) is decided without a list of words, by a log-linear
 * classifier of the letters on both sides (segment_boundary.h). */
size_t segment_join(Segmenter *segmenter, size_t i);

/* ---- segment_sentences.c */

/* Splits the tokens from `first` on, which are one paragraph beginning in `line`, into sentences. */
void segment_paragraph(Segmenter *segmenter, int first, long line);

/* ---- segment_lists.c */

enum {
    LIST_ITEM = 1,   /* a sentence begins with this token, the mark of an item */
    LIST_INSIDE = 2, /* no sentence begins with this token, which is in or right after a mark */
    LIST_JOIN = 4    /* only inside segment_lists: the token is to be joined to the previous one */
};

/* Finds the items of lists among the tokens from `first` on, which are one paragraph. A number and its period become
 * one token. Returns the flags of the tokens, on the heap; NULL if there are no items or segmenter->failed. */
uint8_t *segment_lists(Segmenter *segmenter, int first);

/* ---- segment_layout.c */

typedef struct Layout {
    size_t width;  /* of the longest line, characters */
    bool wrapped;  /* most line breaks are where the next word did not fit: they are weak evidence */
    bool lines;    /* each line is a sentence or more: verse, a list, chat */
    bool speakers; /* most lines begin with a speaker or a time: a sentence begins with them */
} Layout;

/* The layout of the paragraph at bytes [from, to). It is not wrapped if most lines have room for the next word, or if
 * all begin with capitals. If it is not wrapped, each line ends a sentence where there are three lines or more and all
 * are short or begin with capitals, or where no line ends with a period, or where lower case follows . ? !. Short lines
 * that are all full are wrapped: a column. */
Layout segment_layout(StrView text, size_t from, size_t to);
/* Does the line that begins at byte `from` begin with a speaker (Ann: <ann> Q.) or a time ([10:31] 10:31), or with the
 * sign of quoted mail (>)? */
bool segment_is_speaker(StrView text, size_t from, size_t to);
/* The number of characters at bytes [from, to). */
size_t segment_columns(StrView text, size_t from, size_t to);
/* The end of the word that begins at byte i. */
size_t segment_word_end(StrView text, size_t i, size_t to);

/* ---- segment_words.c */

bool segment_is_apostrophe(int32_t cp);
bool segment_is_double_quote(int32_t cp);
bool segment_is_open(int32_t cp);
bool segment_is_close(int32_t cp);
bool segment_is_dash(int32_t cp);
bool segment_is_currency(int32_t cp);
bool segment_is_mark(int32_t cp);        /* always a token of its own at the end of a chunk */
bool segment_is_superscript(int32_t cp); /* a digit */
bool segment_is_bullet(int32_t cp);

/* Is the lower-cased word a usual first word of a sentence? */
bool segment_is_starter(const char *text);
/* Copies the word at bytes [from, to) of text to buf [size] in lower case, truncated if too long. Apostrophes of all
 * kinds become "'", other characters beyond ASCII "?", because no list has them. */
void segment_lower_word(StrView text, size_t from, size_t to, char *buf, size_t size);

enum { ABBREV_NONE, ABBREV_SHORT, ABBREV_TITLE, ABBREV_INITIAL };

/* The kind of abbreviation (ABBREV_...) of the word at bytes [from, to), followed by a period at byte `to`. */
int segment_abbreviation(StrView text, size_t from, size_t to);
