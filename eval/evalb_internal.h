/* Shared by the files eval/evalb*.c. Names follow EVALB's where they appear in its output. */
#pragma once

#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "eval/evalb.h"

/* EVALB's codes for results of words and brackets, and for the status of sentences. */
enum { UNMATCHED = 0, MATCHED = 1, DELETED = 5, UNTOUCHED = 9 };
enum { STATUS_VALID = 0, STATUS_ERROR = 1, STATUS_SKIP = 2 };

/* White space as in the C locale. */
static inline bool evalb_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* ---- evalb_labels.c: labels as numbers */

/* Pairs of numbers that are equal: the partners of k are with[first[k]] .. with[first[k + 1] - 1], ascending. */
typedef struct Pairs {
    int n;             /* only numbers 0 .. n - 1 have partners */
    int *first, *with; /* [n + 1], [first[n]] */
} Pairs;

typedef struct Label {
    bool deleted;      /* in DELETE_LABEL: words with this tag are deleted */
    bool unmeasured;   /* in DELETE_LABEL_FOR_LENGTH */
    bool quote;        /* in QUOTE_LABEL */
    bool span_deleted; /* this label or an equal one is in DELETE_LABEL: brackets with this cut label are deleted */
    int cut;           /* number of the label that ends before the first '-' or '=' */
    int waiting;       /* evalb_match.c: first test bracket in the queue of this label, or -1 */
    int cursor;        /* evalb_match.c: no test bracket of the span before this one can match this label */
} Label;

/* A cache entry of a label. Labels of up to 8 bytes are identified by key and len. */
typedef struct LabelSlot {
    uint64_t key;
    size_t len;
    int number;
} LabelSlot;

enum { LABEL_SLOTS_LOG2 = 8 };

typedef struct Labels {
    StrMap names;
    Label *items; /* [names.n] */
    int cap;
    int n_given; /* the first n_given labels come from the parameters */
    Pairs equal; /* EQ_LABEL */
    LabelSlot recent[1 << LABEL_SLOTS_LOG2];
} Labels;

typedef struct EqualWords {
    StrMap names;
    Pairs equal; /* EQ_WORD */
} EqualWords;

/* false when out of memory. */
bool evalb_labels_init(Labels *labels, const EvalbParams *params);
void evalb_labels_fini(Labels *labels);
/* Drops the labels of earlier sentences if there are many; all numbers become invalid. false when out of memory. */
bool evalb_labels_trim(Labels *labels, const EvalbParams *params);
/* The number of a label, -1 when out of memory. `key` is evalb_label_key applied to all its bytes, beginning with 0. */
int evalb_labels_number(Labels *labels, const char *text, size_t len, uint64_t key);
static inline uint64_t evalb_label_key(uint64_t key, char c) { return (key << 8 | key >> 56) ^ (unsigned char)c; }
/* Are labels a and b the same or a pair of EQ_LABEL? */
bool evalb_labels_equal(const Labels *labels, int a, int b);
static inline int evalb_pairs_count(const Pairs *pairs, int k)
{
    return k < pairs->n ? pairs->first[k + 1] - pairs->first[k] : 0;
}

/* false when out of memory. */
bool evalb_words_init(EqualWords *words, const EvalbParams *params);
void evalb_words_fini(EqualWords *words);
bool evalb_words_equal(const EqualWords *words, StrView a, StrView b);

/* ---- evalb_tree.c: a line */

typedef struct Word {
    const char *text; /* in the line */
    int len, label, result;
} Word;

/* A word ' " or / with a tag of QUOTE_LABEL, which may be a quotation mark or a possessive depending on the tag. */
typedef struct Quote {
    Word word;
    int index;    /* number of words before it, without deleted ones */
    int brackets; /* number of brackets opened before it */
    int depth;    /* number of open brackets around it */
    int inserted; /* number of times it was inserted into the words */
    bool deleted; /* its tag is in DELETE_LABEL */
} Quote;

typedef struct Bracket {
    int start, end; /* words start .. end - 1; end is -1 if it was never closed */
    int label;      /* replaced by its cut label before brackets are compared */
    int result;
    bool reported;                 /* its label has been shown as wrong */
    int open_quotes, close_quotes; /* number of quotes read when it was opened, and when it was closed */
    size_t text_start, text_end;   /* its text in the line, from the end of the label to the closing ')' */
} Bracket;

/* An inserted quote, and its index among the words after insertion. */
typedef struct Insertion {
    int at;
    Word word;
} Insertion;

/* A bracket that is not deleted. */
typedef struct Live {
    int start, end, label;
    int index; /* in Tree.brackets */
    int next;  /* link of lists in evalb_match.c */
} Live;

typedef struct Tree {
    const char *path;
    char *line; /* NUL-terminated, from getline */
    size_t cap_line;
    long len; /* bytes of the line */
    Word *words;
    Bracket *brackets;
    Quote *quotes;
    int *stack;
    Insertion *insertions; /* [inserted] with ascending `at` */
    Live *live;
    int n, n_brackets, n_quotes, n_live;
    int depth;  /* number of open brackets; negative after a surplus ')' */
    int length; /* words, including deleted ones, but not under DELETE_LABEL_FOR_LENGTH */
    int inserted;
    bool nested; /* brackets are balanced */
    int cap_words, cap_brackets, cap_quotes, cap_stack, cap_insertions, cap_live;
} Tree;

typedef struct Totals {
    long sentences, errors, skipped, match, gold, test, cross, words, tags, complete, no_cross, two_cross;
} Totals;

typedef struct Counts {
    int match, gold, test, cross, words, tags;
} Counts;

/* Places below the bottom of EVALB's stack, see evalb_tree.c. */
enum { BELOW_STACK = 7 };

typedef struct Run {
    const EvalbParams *p;
    Labels labels;
    EqualWords equal_words;
    Tree gold, test;
    int below_stack[BELOW_STACK];
    int *scratch;
    int cap_scratch;
    StrBuf out, err; /* text that has not been written yet */
    FILE *out_file, *err_file;
    long line, n_errors;
    int status;   /* status of the current sentence */
    bool stopped; /* ended by errors */
    Totals all, cut;
    Error *e;
} Run;

/* Functions that return bool return false if the run must end; then r->stopped or *r->e is set. */

/* Reads tree->line into words, brackets and quotes. */
bool evalb_tree_read(Run *run, Tree *tree);
/* Inserts quotes that were deleted in only one of the trees. */
bool evalb_fix_quotes(Run *run);

/* ---- evalb_match.c */

/* Cuts labels, marks deleted brackets, and collects the others in tree->live. */
bool evalb_mark_deleted(Run *run, Tree *tree);
/* Matches the live brackets of both trees and counts crossings. */
bool evalb_match_brackets(Run *run, Counts *counts);

/* ---- evalb_output.c */

/* Writes run->out and run->err, if there is much to write or if `all` is set. */
bool evalb_flush(Run *run, bool all);
/* Sets *run->e and returns false. */
bool evalb_out_of_memory(Run *run);

/* Count an error of the sentence, and write a message that begins with the line number. */
bool evalb_sentence_error(Run *run, const char *message);
bool evalb_length_error(Run *run);
bool evalb_word_error(Run *run, const Word *gold, const Word *test);
/* Writes a note if the tree exceeds the limits of EVALB. */
void evalb_note_limits(Run *run, const Tree *tree);

void evalb_put_head(Run *run);
void evalb_put_sentence(Run *run, const Counts *counts);
void evalb_put_table(Run *run);
void evalb_put_totals(Run *run);

/* Output of DEBUG 2. */
void evalb_put_terminal(Run *run, const Tree *tree, int label, const char *word, size_t len);
void evalb_put_quotes(Run *run);
void evalb_put_insertion(Run *run, const Quote *quote, int at);
void evalb_put_bracket(Run *run, int index, const Bracket *bracket);
void evalb_put_depth(Run *run, const Quote *quote);
void evalb_put_comparison(Run *run, const Bracket *a, const Bracket *b);
void evalb_put_found(Run *run, const char *what, const Tree *tree, const Bracket *bracket);
