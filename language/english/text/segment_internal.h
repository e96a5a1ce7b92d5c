/* Shared by the files of raw text; segment.h is the interface.
 *   segment.c            text to paragraphs and chunks (runs without white space)
 *   segment_tokens.c     a chunk to tokens
 *   segment_stops.c      the marks of a paragraph that belong to the words before them
 *   segment_join.c       words that are broken at the end of a line
 *   segment_sentences.c  the tokens of a paragraph to sentences: by items of lists (segment_lists.c), then by the
 *                        classifier (segment_boundary.c, with the weights of segment_weights.c)
 *   segment_line.c       what a line of a paragraph is
 *   segment_layout.c     what its line breaks mean
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

/* ---- segment_stops.c */

/* Joins the marks that belong to a word to it, among the tokens from `first` on, which are one paragraph: the
 * periods of initials, and of abbreviations that no list has, and marks of names (Yahoo!). */
void segment_stops(Segmenter *segmenter, int first);
/* By how much is a word, letters of ASCII alone, likelier an abbreviation than a word, in twelfths of log-odds? */
int segment_letter_score(const Token *word);
/* Adds what the paragraph of tokens [first, end) shows of how the text is written to the habits of the text. */
void segment_read_habits(const Segmenter *segmenter, int first, int end);

/* How sentences begin in the text so far. */
typedef enum Habit { HABIT_UNKNOWN, HABIT_CAPITALS, HABIT_MIXED, HABIT_SMALL } Habit;
Habit segment_habit(const TextHabits *habits);

/* ---- segment_lists.c */

enum {
    LIST_ITEM = 1,   /* a sentence begins with this token, the mark of an item */
    LIST_INSIDE = 2, /* no sentence begins with this token, which is in or right after a mark */
    LIST_JOIN = 4    /* only inside segment_lists: the token is to be joined to the previous one */
};

/* Finds the items of lists among the tokens from `first` on, which are one paragraph. A number and its period become
 * one token. Returns the flags of the tokens, on the heap; NULL if there are no items or segmenter->failed. */
uint8_t *segment_lists(Segmenter *segmenter, int first);

/* ---- segment_line.c */

enum { ROW_NONE, ROW_BULLET, ROW_TIME, ROW_NUMBER, ROW_SPEAKER, ROWS };
enum { FIRST_OTHER, FIRST_LOWER, FIRST_CAPITAL, FIRST_ADDRESS };
enum { LAST_OTHER, LAST_PERIOD, LAST_MARK, LAST_COLON, LAST_COMMA, LAST_FUNCTION, LAST_PREPOSITION };

typedef struct Line {
    size_t begin, end, mark;   /* bytes, without blanks around; where its mark ends, `begin` if it has none */
    int columns, word, indent; /* characters, with blanks before it; of its first word; blanks before it */
    uint8_t row;               /* kind of its mark: a bullet, a time, 3.1 (a), a speaker (Ann: <ann> @ann Q. AGNES.) */
    /* how it begins and ends: ? ! and #tags are LAST_MARK, ; is LAST_COLON, words like `of` FUNCTION */
    uint8_t first, last;
    uint8_t cells;           /* blanks within it: 2 where there are three or a tab, 1 where there are two */
    bool one_word, capitals; /* all its letters are capitals */
    bool lower;              /* its first letter after the mark is a small one */
    bool bare, aside;        /* it has no letters; it is all in brackets */
} Line;

/* Reads the line at byte *at of a paragraph that ends at `to`, and moves to the next one; false at the end. */
bool segment_read_line(Line *line, StrView text, size_t *at, size_t to);
/* The number of characters at bytes [from, to). */
size_t segment_columns(StrView text, size_t from, size_t to);
/* The end of the word that begins at byte i. */
size_t segment_word_end(StrView text, size_t i, size_t to);

/* ---- segment_layout.c */

/* White space before a token: none; without a line break; a line break where the next word did not fit into the line; a
 * line break of wrapped text where it did; another line break; one that ends a sentence. */
enum { GAP_GLUED, GAP_SPACE, GAP_WRAPPED, GAP_SHORT, GAP_FREE, GAP_LINE, GAP_INSIDE };

enum { LAYOUT_LINES = 16 }; /* size of the ring of lines, a power of two */

typedef struct Layout {
    StrView text;
    size_t next, to; /* where the next line to be read begins, and the paragraph ends */
    Line lines[LAYOUT_LINES];
    int n, now;       /* lines read; the current one */
    size_t plain;     /* white space before this byte is GAP_SPACE: the rest of the line has no mark and no cells */
    bool one_line;    /* nothing is to be decided */
    uint16_t columns; /* characters of the current line; bytes of a paragraph of one line; at most UINT16_MAX */
    bool in_row;      /* the current line is a row among others */
} Layout;

/* Begins with the paragraph at bytes [from, to). */
void segment_layout_begin(Layout *layout, StrView text, size_t from, size_t to);
/* The kind (GAP_...) of the white space at bytes [from, to), between two words; in ascending order, and only in a
 * paragraph of more than one line. A line break is decided by the two lines and by the block of lines around them:
 *   a sentence ends before a row (of a dialogue, a log, a list) among other rows, in a table, at a line in brackets or
 *     without letters, after a colon, at a heading in capitals, and where lines are neither wrapped nor ragged;
 *   none ends after a word like `of`, and before lower case where the writer begins sentences with capitals;
 *   else the kind says whether the lines are wrapped. */
int segment_layout_gap(Layout *layout, size_t from, size_t to);

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
/* Does a number belong to the lower-cased word or sign before it (section 2, at 2)? */
bool segment_takes_number(const char *text);
/* Copies the word at bytes [from, to) of text to buf [size] in lower case, truncated if too long. Apostrophes of all
 * kinds become "'", other characters beyond ASCII "?", because no list has them. */
void segment_lower_word(StrView text, size_t from, size_t to, char *buf, size_t size);

enum { ABBREV_NONE, ABBREV_SHORT, ABBREV_TITLE, ABBREV_INITIAL };

/* The kind of abbreviation (ABBREV_...) of the word at bytes [from, to), followed by a period at byte `to`. */
int segment_abbreviation(StrView text, size_t from, size_t to);
/* Is it the abbreviation of what stands before a name or a number, if the words around it make it an abbreviation? */
bool segment_is_title(StrView text, size_t from, size_t to);
