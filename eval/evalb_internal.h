/* eval/evalb_internal.h: what the files eval/evalb*.c share. Names follow EVALB's where its output shows them. */
#ifndef LAL_EVAL_EVALB_INTERNAL_H
#define LAL_EVAL_EVALB_INTERNAL_H

#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "eval/evalb.h"

/* EVALB's codes: of words and brackets, and of sentences. */
enum { UNMATCHED = 0, MATCHED = 1, DELETED = 5, UNTOUCHED = 9 };
enum { STATUS_VALID = 0, STATUS_ERROR = 1, STATUS_SKIP = 2 };

/* White space of the C locale, whatever the locale is. */
static inline bool evalb_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* ---- evalb_labels.c: labels as numbers */

/* Pairs of numbers that count as equal: the partners of k are with[first[k]] to with[first[k + 1] - 1], ascending. */
typedef struct Pairs {
    int n; /* numbers that may have partners: 0 to n - 1 */
    int *first, *with;
} Pairs;

typedef struct Label {
    bool deleted;      /* in DELETE_LABEL: words with this tag */
    bool unmeasured;   /* in DELETE_LABEL_FOR_LENGTH */
    bool quote;        /* in QUOTE_LABEL */
    bool span_deleted; /* it or a label equal to it is in DELETE_LABEL: brackets with this label, once it is cut */
    int cut;           /* the label up to its first '-' or '=' */
    int waiting;       /* evalb_match.c: first test bracket of the span with this label, or -1 */
    int cursor;        /* evalb_match.c: test brackets of the span before this one are of no use to this label */
} Label;

/* Labels seen lately: the first 8 bytes are the key of a short one. */
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
    int n_given; /* labels of the parameters, numbered first */
    Pairs equal; /* EQ_LABEL */
    LabelSlot recent[1 << LABEL_SLOTS_LOG2];
} Labels;

typedef struct EqualWords {
    StrMap names;
    Pairs equal; /* EQ_WORD */
} EqualWords;

/* false when memory is out. */
bool evalb_labels_init(Labels *l, const EvalbParams *p);
void evalb_labels_fini(Labels *l);
/* Forgets the labels of earlier sentences when they are many. Numbers change. false when memory is out. */
bool evalb_labels_trim(Labels *l, const EvalbParams *p);
/* The number of a label, -1 when memory is out. `key` is evalb_label_key over its bytes, from 0. */
int evalb_labels_number(Labels *l, const char *s, size_t len, uint64_t key);
static inline uint64_t evalb_label_key(uint64_t key, char c) { return (key << 8 | key >> 56) ^ (unsigned char)c; }
/* Labels a and b are the same or a pair of EQ_LABEL. */
bool evalb_labels_equal(const Labels *l, int a, int b);
bool evalb_pairs_contain(const Pairs *q, int a, int b);
static inline int evalb_pairs_count(const Pairs *q, int k) { return k < q->n ? q->first[k + 1] - q->first[k] : 0; }

bool evalb_words_init(EqualWords *w, const EvalbParams *p);
void evalb_words_fini(EqualWords *w);
bool evalb_words_equal(const EqualWords *w, StrView a, StrView b);

/* ---- evalb_tree.c: a line */

typedef struct Word {
    const char *text; /* in the line */
    int len, label, result;
} Word;

/* A word that may be a quote mark or a possessive, depending on its tag: ' " or / with a tag of QUOTE_LABEL. */
typedef struct Quote {
    Word word;
    int index;    /* words kept before it */
    int brackets; /* brackets opened before it */
    int depth;    /* brackets open there */
    int inserted; /* times it was put back among the words */
    bool deleted; /* its tag is in DELETE_LABEL */
} Quote;

typedef struct Bracket {
    int start, end; /* words; end is -1 if it was never closed */
    int label;      /* cut before brackets are compared */
    int result;
    bool reported;                 /* its label was shown as wrong */
    int open_quotes, close_quotes; /* quotes read when it was opened, and when it was closed */
    size_t text_start, text_end;   /* its text in the line, from the end of the label to the closing ')' */
} Bracket;

/* A quote put back: where it stands then among the words. */
typedef struct Insertion {
    int at;
    Word word;
} Insertion;

/* A bracket that counts. */
typedef struct Live {
    int start, end, label;
    int index; /* of the bracket */
    int next;  /* scratch */
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
    Insertion *insertions; /* [inserted], `at` ascending */
    Live *live;
    int n, n_brackets, n_quotes, n_live;
    int depth;  /* open brackets; below 0 after a ')' too many */
    int length; /* words, deleted ones too, but for those of DELETE_LABEL_FOR_LENGTH */
    int inserted;
    bool nested; /* no bracket too many or too few */
    int cap_words, cap_brackets, cap_quotes, cap_stack, cap_insertions, cap_live;
} Tree;

typedef struct Totals {
    long sentences, errors, skipped, match, gold, test, cross, words, tags, complete, no_cross, two_cross;
} Totals;

typedef struct Counts {
    int match, gold, test, cross, words, tags;
} Counts;

/* Places of EVALB's stack below its bottom, see evalb_tree.c. */
enum { BELOW_STACK = 7 };

typedef struct Run {
    const EvalbParams *p;
    Labels labels;
    EqualWords equal_words;
    Tree gold, test;
    int below_stack[BELOW_STACK];
    int *scratch;
    int cap_scratch;
    StrBuf out, err; /* not yet written */
    FILE *out_file, *err_file;
    long line, n_errors;
    int status;   /* of the sentence */
    bool stopped; /* by errors */
    Totals all, cut;
    Error *e;
} Run;

/* Functions that return bool give false when the run ends: r->stopped, or *r->e says why. */

/* Reads t->line into words, brackets and quotes. */
bool evalb_tree_read(Run *r, Tree *t);
/* Puts quotes back that only one of the trees has deleted, where the other has them. */
bool evalb_fix_quotes(Run *r);

/* ---- evalb_match.c */

/* Cuts labels, marks deleted brackets, lists the others in t->live. */
bool evalb_mark_deleted(Run *r, Tree *t);
/* Matches the live brackets of both trees and counts crossings. */
bool evalb_match_brackets(Run *r, Counts *c);

/* ---- evalb_output.c */

/* Writes what has gathered, if that is much or if `all` is set. */
bool evalb_flush(Run *r, bool all);
bool evalb_out_of_memory(Run *r);

/* An error of the sentence: the message follows the number of the line. */
bool evalb_sentence_error(Run *r, const char *message);
bool evalb_length_error(Run *r);
bool evalb_word_error(Run *r, const Word *gold, const Word *test);
void evalb_note_limits(Run *r, const Tree *t);

void evalb_put_head(Run *r);
void evalb_put_sentence(Run *r, const Counts *c);
void evalb_put_table(Run *r);
void evalb_put_totals(Run *r);

/* What DEBUG 2 shows. */
void evalb_put_terminal(Run *r, const Tree *t, int label, const char *word, size_t len);
void evalb_put_quotes(Run *r);
void evalb_put_insertion(Run *r, const Quote *q, int at);
void evalb_put_bracket(Run *r, int index, const Bracket *b);
void evalb_put_depth(Run *r, const Quote *q);
void evalb_put_comparison(Run *r, const Bracket *a, const Bracket *b);
void evalb_put_found(Run *r, const char *what, const Tree *t, const Bracket *b);

#endif
