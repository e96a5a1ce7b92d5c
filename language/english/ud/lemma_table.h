/* The tables of language/english/ud/lemma.c, which lemma-train writes (models/README.md), and what both share.
 *
 * A word is folded: signs become plain. Its key is a blank and the folded word in lower case; so an
 * ending that begins with a blank is a whole word. A table has rules for endings of keys, and the longest ending that a
 * table has decides. A tag has a table of edits, which give the lemma in lower case, and for each shape of word a table
 * of cases, which say where the lemma has capitals. */
#pragma once

#include "base/text.h"

/* What the letters of a word look like. */
typedef enum LemmaShape {
    LEMMA_SMALL = 1,    /* no capitals */
    LEMMA_INITIAL,      /* one capital, the first of several characters */
    LEMMA_FEW_CAPITALS, /* no small letters, LEMMA_FEW capitals or fewer ("DNA", "HIV-1") */
    LEMMA_CAPITALS,     /* no small letters, more capitals */
    LEMMA_MIXED         /* other */
} LemmaShape;
enum { LEMMA_EDITS = 0, LEMMA_FEW = 4 };

typedef enum LemmaCase {
    LEMMA_LOWER, /* the lemma is in lower case */
    LEMMA_KEEP,  /* it has the capitals of the word */
    LEMMA_TITLE  /* its first character is a capital */
} LemmaCase;

typedef struct LemmaRule {
    const char *end;
    int value;       /* of an edit: the bytes to remove at the end of the word; else a LemmaCase */
    const char *add; /* of an edit: the bytes to append */
} LemmaRule;

typedef struct LemmaTable {
    const char *tag;
    int kind;     /* LEMMA_EDITS or a LemmaShape */
    int first, n; /* rules lemma_rules[first] .. lemma_rules[first + n - 1], ascending by strcmp of their ends */
} LemmaTable;

/* lemma.rules, ascending by tag and kind */
extern const LemmaTable lemma_tables[];
extern const int lemma_n_tables;
extern const LemmaRule lemma_rules[];

/* Appends the folded word. */
void lemma_fold(StrBuf *out, const char *form);
LemmaShape lemma_shape(const char *folded);
/* The tag whose table of edits a tag shares: VBD of VBN, VB of VBP, else its own. */
const char *lemma_edit_tag(const char *tag);
/* Is the folded word a number with commas ("1,200.50")? Its lemma has none. */
bool lemma_is_number(const char *folded);
/* Appends lower, a lemma in lower case, with capitals as in the folded word. */
void lemma_add_case(StrBuf *out, const char *folded, const char *lower, LemmaCase how);
