/* Dependencies in CoNLL-X and CoNLL-U: ten columns separated by tabs, an empty line after each sentence. The columns
 * used are FORM (2), UPOS/CPOSTAG (4), XPOS/POSTAG (5), HEAD (7) and DEPREL (8). Ranges (3-4) are stored in
 * Sentence.ranges; comments are skipped, and so are empty nodes, unless columns are kept: 3.1, 3.2, ... after word 3,
 * 0.1 before word 1, with "_" as HEAD and DEPREL. */
#pragma once

#include "base/stream.h"
#include "treebank/tree.h"

typedef struct ConllOptions {
    bool keep_lines;    /* fill Sentence.lines, for conll_write_lines */
    bool keep_spelling; /* fill Sentence.spelled */
    /* fill .lemmas, .upos, .feats, .deps with the columns as they are, "_" if empty, .empty; .tags: column 5 only */
    bool keep_columns;
    /* heads may be "_" (HEAD_FREE) and need not form a tree */
    bool partial;
    bool no_heads; /* heads and types are not read: a sentence has no dependencies */
    bool bare;     /* a sentence without any head, "_" in each row, has no dependencies */
} ConllOptions;

/* Reads all sentences of a block and appends them to tb. Tags are taken from column 5, or from column 4 if column 5 is
 * "_" and keep_columns is not set. Heads must form a tree with one root, or, with partial, be words of the sentence or
 * 0. Escapes in words are undone (tree_unescape_word), unless column 10 has CONLL_LITERAL. ERR_FORMAT with line and
 * column, also for a word, tag or type that tree_is_word or tree_is_name refuses, ERR_NOMEM. */
Status conll_read(Treebank *tb, TextBlock block, ConllOptions options, Error *error);

/* A unit is a sentence with the empty line after it (base/stream.h). */
size_t conll_cut(CutState *state, const char *text, size_t count);

/* Gives `tree` the heads and types of deps, which keeps the arrays and strings. number, of the sentence from 1, and the
 * paths are used in messages. ERR_FORMAT, with both places, if the words differ. */
Status sentence_pair(Sentence *tree, const Sentence *deps, long number, const char *tree_path, const char *dep_path,
                     Error *error);

/* sentence_pair of trees->s[first + i] and deps->s[i] for all i. deps must outlive trees. ERR_FORMAT if the words or
 * the numbers of sentences differ. */
Status treebank_pair(Treebank *trees, int first, const Treebank *deps, const char *tree_path, const char *dep_path,
                     Error *error);

/* The values before CONLL_U are in the order of Escapes. */
typedef enum ConllStyle {
    CONLL_X,
    CONLL_X_ESCAPE_ALL,
    CONLL_X_ESCAPE_INPUT,
    CONLL_X_ESCAPE_TOKENS,
    CONLL_U
} ConllStyle;

/* The last column of CoNLL-U. The arrays and their items may be NULL: "_". */
typedef struct ConllMisc {
    const char *const *words;  /* [n_words] */
    const char *const *ranges; /* [n_ranges] of the rows of ranges */
} ConllMisc;

#define CONLL_LITERAL "Literal=Yes"
/* Would a reader take the word for an escape, such as "-LRB-", if it were not CONLL_LITERAL? */
bool conll_is_literal(const char *word);

/* Appends one sentence and an empty line. In CoNLL-X brackets in words are escaped (see Escapes), in CoNLL-U they
 * are not: a word that has "-LRB-" and would be read as one that has "(" has the item CONLL_LITERAL in the last column;
 * and ranges have rows of their own. Lemmas, UPOS, features, the graph, correct forms (CorrectForm=, in the
 * last column) and misc, which may be NULL, are written in CoNLL-U. Unknown values are "_". */
void conll_write(StrBuf *out, const Sentence *sent, ConllStyle style, const ConllMisc *misc);

/* Appends a sentence over the rows of `file`, the same words with lines: ranges, empty nodes and columns that the
 * sentence has not (NULL, or "_", but features, which are NULL or known) are those of the file, also MISC, after
 * which come correct forms, unless it has one, and the items of misc.words; where the sentence has a graph, DEPS is
 * that, and empty nodes are left out. Words come from the file if it is CoNLL-U (see conll_write_lines), else from
 * the sentence. Comments are left out. given: lemmas, UPOS, tags and features of the file go before the sentence's. */
void conll_write_over(StrBuf *out, const Sentence *sent, const Sentence *file, bool given, const ConllMisc *misc);

/* Appends the text of a sentence: its words and ranges, with blanks but after SpaceAfter=No in its lines, if any. */
void conll_text(StrBuf *out, const Sentence *sent);

/* Appends a sentence that has lines in CoNLL-U: as it was read, with comments, ranges, empty nodes and all columns,
 * but with its current heads and types and, if it has one, its graph, without empty nodes; words and lemmas of
 * CoNLL-X, which has no ranges, empty nodes, sent_id and text, without escapes, as conll_write has them. */
void conll_write_lines(StrBuf *out, const Sentence *sent);
