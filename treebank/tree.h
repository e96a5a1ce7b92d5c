/* Sentences: words, tags, phrases, dependencies. A tree is stored as the list of its phrases in pre-order, each a span
 * between fenceposts with a label; the nesting follows from the spans and the order. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* A phrase over the words begin .. end - 1 (0-based), that is, between fenceposts begin and end; begin < end. */
typedef struct Phrase {
    int begin, end;
    const char *label;
} Phrase;

/* A phrase with the number of its label, in whatever numbers the labels there. */
typedef struct Span {
    int begin, end, label;
} Span;

/* What the tree of a sentence must not have, in partial annotation. */
typedef struct Ban {
    bool arc;
    int begin, end;    /* of an arc the dependent, 1-based, and its head, 0 = root; of a phrase fenceposts */
    const char *label; /* of a phrase, in any unary chain, or such a chain; "_": the words are none; NULL of an arc */
} Ban;

/* A line of the CoNLL file a sentence was read from. */
typedef struct ConllLine {
    const char *text;
    int word; /* the word of this row, 0-based; -1 for a comment, a range or an empty node */
} ConllLine;

/* A token that covers several words, such as "du" for "de", "le" (a range of CoNLL-U). */
typedef struct WordRange {
    int begin, end; /* words begin .. end - 1, 0-based */
    const char *form;
    long line; /* of the file; 0: it is from no file */
} WordRange;

/* A dependency of a word that may have several heads. */
typedef struct GraphArc {
    int head; /* 1-based, 0 = root */
    const char *relation;
} GraphArc;

/* The enhanced graph of Universal Dependencies: word w has arc[first[w]] .. arc[first[w + 1] - 1], at least one, by
 * head; no two of them are the same. */
typedef struct DepGraph {
    const int *first; /* [n_words + 1] */
    const GraphArc *arc;
} DepGraph;

/* An empty node of the enhanced graph of a file, such as a verb that was left out. */
typedef struct EmptyNode {
    int after, number; /* "3.1": after word 3 (0: before the first one), number 1 */
    const char *deps;  /* column 9 */
} EmptyNode;

/* What a text of several sentences consists of, such as the words of a document in a Sentence. */
typedef struct TextParts {
    const int *begin; /* [n] the first word of each sentence, ascending from 0 */
    int n;
    int side; /* the first word of the right side of a gap between two sentences, 1 .. n_words - 1; 0: no gap */
} TextParts;

/* Where the words of a Sentence are pieces of words: these words, and a parse of them, if they have one. */
typedef struct SourceWords {
    struct Sentence *words;
    int *token; /* [pieces + 2] the token that a piece belongs to: 0 START, 1 .. n, n + 1 STOP */
} SourceWords;

enum { HEAD_FREE = -1 }; /* a head that is not known, in partial annotation (treebank/reader.h) */

/* A sentence, or a text of several sentences, with what a file, a parse or a caller says of it. What is NULL is not
 * known, or was not asked for. */
typedef struct Sentence {
    int n_words;
    const char **words; /* [n_words] without bracket escapes: "(", not "-LRB-" */
    const char **tags;  /* [n_words]; NULL if unknown */
    /* [n_words] words as spelled in the file: "-LCB-", "1\\/2"; NULL unless the reader's option keep_spelling is set */
    const char **spelled;
    int n_phrases;   /* 0: no tree, or a single word under TOP */
    Phrase *phrases; /* [n_phrases] pre-order, without TOP; a parent precedes its child even if their spans are equal */
    int *heads;      /* [n_words] 1-based head of each word, 0 = root; NULL: no dependencies */
    const char **types; /* [n_words] dependency types */
    /* [n_words] columns 3, 4 and 6 of CoNLL-U; NULL if unknown, or unless the reader's option keep_columns is set */
    const char **lemmas, **upos, **feats;
    const char **corrected; /* [n_words] made by rules: what a misspelt word should be, NULL: nothing; NULL: unknown */
    /* [n_words] column 9 as it is in the file, and empty nodes; NULL unless the option keep_columns is set */
    const char **deps;
    const EmptyNode *empty; /* [n_empty] in the order of the file */
    int n_empty;
    const DepGraph *graph; /* made by rules; NULL: none */
    bool has_tree;
    const Ban *bans; /* [n_bans] in partial annotation */
    int n_bans;
    /* the class or the translation of the sentence, for a model that learns to predict it; NULL: unknown. No format of
     * this folder has it */
    const char *target;
    const bool *space_before;  /* [n_words] of raw text: is there a blank before the word? NULL: unknown */
    const TextParts *parts;    /* of a text of several sentences; NULL: it is one */
    const SourceWords *source; /* of a sentence of pieces; NULL: not known, or its words are words */
    long line;                 /* line of the file where the sentence begins; 1-based */
    const long *word_lines;    /* [n_words] the line of each word in CoNLL; else NULL */
    const ConllLine *lines;    /* [n_lines] if the reader's option keep_lines is set, else NULL */
    int n_lines;
    const WordRange *ranges; /* [n_ranges] ascending, without overlap; from CoNLL-U */
    int n_ranges;
} Sentence;

/* The line of word `word` in its file, or where the sentence begins if that is not known. */
static inline long sentence_word_line(const Sentence *sentence, int word)
{
    return sentence->word_lines && word < sentence->n_words ? sentence->word_lines[word] : sentence->line;
}

/* Sentences of one or more files; all their strings and arrays are in the arena. */
typedef struct Treebank {
    Sentence *s; /* [n] */
    int n, cap;
    Arena arena;
} Treebank;

void treebank_init(Treebank *tb);
void treebank_fini(Treebank *tb);
/* Appends a zeroed sentence; NULL when out of memory. The pointer is valid until the next call. */
Sentence *treebank_add(Treebank *tb);

#define LABEL_JOIN "::" /* between the labels of a unary chain, outermost first */

/* What every reader accepts, so that every writer can write it: a word is not empty, on one line, without tabs, and not
 * only blanks; a name, of a tag or a type, has no blanks; a label of a phrase is a name without round brackets, and no
 * part of it between LABEL_JOIN is empty. UTF-8 and NUL are checked by the readers. */
bool tree_is_word(StrView text);
bool tree_is_name(StrView text);
bool tree_is_label(StrView text);
/* Has the unary chain the label, or the chain, in it? */
bool tree_chain_has(const char *chain, const char *label);

/* Escapes of characters in treebank text, anywhere in a word: round brackets are -LRB- and -RRB-, square ones -LSB-
 * and -RSB-, curly ones -LCB- and -RCB-. A blank is -U+0020-, and -U+002D- and -U+005C- are a hyphen and a backslash
 * that would be read as parts of an escape, -U+002F- a slash that tree_read_word would remove; the last character of a
 * word in a tree is never a backslash, which some readers take together with the bracket after it. Readers undo all of
 * them. */
typedef enum Escapes {
    ESCAPE_ROUND, /* escape round brackets only */
    ESCAPE_ALL,
    /* words as spelled in the file, if Sentence.spelled is set and reads as the word, but brackets, and in trees a
     * backslash at the end of a word, are escaped; else ESCAPE_ROUND */
    ESCAPE_INPUT,
    /* words of a list of tokens, which may have the escapes of the Penn Treebank already (-LRB-, 1\\/2) and keep them:
     * only round brackets are escaped, and what looks like an escape is read as one */
    ESCAPE_TOKENS,
} Escapes;
/* The notations differ in backslashes: a reader of trees removes them before / and *, and from "\\x". */
typedef enum Notation { NOTATION_TREE, NOTATION_CONLL } Notation;
/* Appends a word with all escapes undone. */
void tree_unescape_word(StrBuf *out, const char *word, size_t len, Notation notation);
/* tree_unescape_word of the word of a tree that has this tag (NULL: none), without the slash that OntoNotes has before
 * some signs: (. /.), (. /?), (: /-). */
void tree_read_word(StrBuf *out, StrView word, const char *tag);
/* Appends word `word` of a sentence so that it reads as the same word. */
void tree_write_word(StrBuf *out, const Sentence *sent, int word, Escapes escapes, Notation notation);
/* tree_unescape_word and tree_write_word for tags in trees. A whole tag -LRB-, -RSB- ... is the Penn Treebank's name of
 * the tag, not an escape; so a tag ( is written -LRB-, and stays it. */
void tree_unescape_tag(StrBuf *out, StrView tag);
void tree_write_tag(StrBuf *out, const char *tag);

/* Is a bracket with this label, or none, around a tree no phrase of it? */
bool tree_is_top(StrView label);

/* Appends "(TOP (S (NP (DT the) ...) ...))" on one line, without newline. Round brackets are escaped; a missing tag is
 * written as "XX". */
void tree_write(StrBuf *out, const Sentence *sent);

typedef struct TreeStyle {
    /* label of the bracket around the tree, may be ""; NULL: no such bracket if one phrase or word covers the sentence
     * and the phrase would not be read as one (TOP, ROOT, S1) */
    const char *top;
    bool pretty; /* one phrase per line, indented by two blanks per level */
    Escapes escapes;
} TreeStyle;
/* Appends a tree in that style, without a newline at the end; nothing for a sentence without words. Sets out->failed
 * when out of memory. */
void tree_write_as(StrBuf *out, const Sentence *sent, TreeStyle style);

/* The index after the unary chain (phrases over the same words) that begins with phrase p. */
int tree_chain(const Sentence *sent, int p);
/* Appends the labels of phrases from .. to - 1, joined by LABEL_JOIN. */
void tree_chain_label(StrBuf *out, const Sentence *sent, int from, int to);
/* One phrase for each unary chain, with joined labels, *n of them in pre-order. The array and the joined labels are in
 * the arena. NULL when out of memory. */
Phrase *tree_chains(const Sentence *sent, Arena *arena, int *n);
/* Replaces the phrases of s by tree_chains; oracle_undo splits the labels again. false when out of memory. */
bool tree_collapse(Sentence *sent, Arena *arena);

/* Do the trees of two sentences of as many words differ in nothing but unary phrases: those over one word, and those
 * around or right within another one over the same words? */
bool tree_same_but_unary(const Sentence *a, const Sentence *b);

/* The number of words of each phrase whose heads are outside it, outside [n_phrases]; 1 for all phrases of a joint
 * tree. Heads are 0 .. n_words. Time (words + phrases) log words. false when out of memory. */
bool tree_outside_heads(const Sentence *sent, int *outside);

/* Sets *projective: no two arcs cross, including the arc from the root at position 0. heads [n] are 0 .. n, with or
 * without cycles. false when out of memory. */
bool tree_heads_projective(const int *heads, int n, bool *projective);

/* Do heads [n] form a tree: one root, no cycle, every head in range? If not, *what names the fault ("a cycle") and
 * *word the word (1-based; 0: none in particular). *what is NULL when out of memory. */
bool tree_heads_valid(const int *heads, int n, int *word, const char **what);
