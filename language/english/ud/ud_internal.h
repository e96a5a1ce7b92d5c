/* The sentence that the passes of ud.c change, step by step, from Stanford dependencies into UD. Between two passes the
 * relation of a word may be of either scheme. */
#pragma once

#include "language/english/ud/ud.h"

typedef enum UdRelation {
#define UD(name, text) UD_##name,
#define SD(name, text) SD_##name,
#define OWN(name, text) OWN_##name,
#include "language/english/ud/ud_relations.def"
#undef UD
#undef SD
#undef OWN
    UD_RELATIONS
} UdRelation;

typedef enum UdPos {
    POS_ADJ,
    POS_ADP,
    POS_ADV,
    POS_AUX,
    POS_CCONJ,
    POS_DET,
    POS_INTJ,
    POS_NOUN,
    POS_NUM,
    POS_PART,
    POS_PRON,
    POS_PROPN,
    POS_PUNCT,
    POS_SCONJ,
    POS_SYM,
    POS_VERB,
    POS_X,
} UdPos;

/* A tag is a bit, and a set of tags some bits; no bit: an unknown tag. */
typedef uint64_t UdTags;
enum {
#define TAG(name, text, pos) UD_TAG_##name,
#include "language/english/ud/ud_tags.def"
#undef TAG
};
#define TAG(name, text, pos) static const UdTags TAG_##name = UINT64_C(1) << UD_TAG_##name;
#include "language/english/ud/ud_tags.def"
#undef TAG
#define TAGS_ADJECTIVE (TAG_JJ | TAG_JJR | TAG_JJS)
#define TAGS_PROPER (TAG_NNP | TAG_NNPS)
#define TAGS_NOUN (TAG_NN | TAG_NNS | TAGS_PROPER)
#define TAGS_VERB (TAG_VB | TAG_VBD | TAG_VBG | TAG_VBN | TAG_VBP | TAG_VBZ)
#define TAGS_WH (TAG_WDT | TAG_WP | TAG_WPS | TAG_WRB)

typedef struct UdWord {
    const char *form;     /* as written */
    const char *lower;    /* in lower case, with plain signs */
    const char *tag_text; /* "": none */
    UdTags tag;
    int head; /* 1-based, 0 = root */
    UdRelation relation;
    UdRelation stanford; /* as it was read */
    int via;             /* the preposition in whose place this word now stands; 0: none */
    int place;           /* the word that now stands where this one stood; itself at first */
    /* the labels of the largest phrase whose head this is, and of the phrase around that one; "": no tree, none */
    const char *phrase, *around;
    UdPos upos;   /* what its tag is in most uses, until ud_upos */
    UdPos extpos; /* part of speech of the expression that begins here; POS_X: none does */
} UdWord;

/* A phrase of the constituency tree. Phrases are sorted by their first words, outer phrases first. */
typedef struct UdPhrase {
    const char *label;
    int first, last;       /* its words */
    int up, before, after; /* the phrase around it and those beside it in that one; -1: none */
    int head;              /* the first word whose Stanford head is outside; 0: none */
} UdPhrase;

typedef struct UdTree {
    int n;
    UdWord *w;         /* [n + 1] w[0] is above the root */
    UdPhrase *phrases; /* [n_phrases] none: the sentence has no tree */
    int n_phrases;
    int *inner; /* [n + 1] the innermost phrase around each word; -1: none; NULL without phrases */
    Arena *arena;
    int *heads; /* [n + 1] of the words, at the last ud_index; the first one is -1 where they were no tree */
    int *kids;  /* [n] dependents sorted by head, then by position, at the last ud_index */
    int *first; /* [n + 2] h has kids[first[h]] .. kids[first[h + 1] - 1] */
    int *order; /* [n] words, each after its head */
    /* [n + 1] the first word of the subtree of each word, at the last ud_index, but for dependents that stand on the
     * other side of its head: "what he wants to do", do begins with "to" */
    int *begin;
} UdTree;

/* Memory for n words in the arena, which ud_index has not seen. false when out of memory. */
bool ud_tree_alloc(UdTree *tree);
/* Computes kids, first, order and begin again. false if heads do not form a tree, which no pass may leave behind. */
bool ud_index(UdTree *tree);

/* Is word `word` one of `words` (text_among)? */
bool ud_word_among(const UdTree *tree, int word, const char *words);
static inline bool ud_tag_among(const UdTree *tree, int word, UdTags tags) { return (tree->w[word].tag & tags) != 0; }
/* Is it tagged as a comma, a stop, a colon, a quotation mark, a bracket or another mark? */
static inline bool ud_is_mark(const UdTree *tree, int word)
{
    return ud_tag_among(
        tree, word, TAG_COMMA | TAG_COLON | TAG_STOP | TAG_NFP | TAG_OPEN_QUOTE | TAG_CLOSE_QUOTE | TAG_LRB | TAG_RRB);
}
/* A form of "be" that is tagged as a verb. */
bool ud_is_be(const UdTree *tree, int word);
/* The dependents that a rule looks at: the first ones. Without a limit the time of a sentence could grow with its
 * square. */
enum { UD_KIDS_MOST = 200 };
/* The first dependent of head with the relation, at the last ud_index; 0: none. */
int ud_kid(const UdTree *tree, int head, UdRelation relation);
/* Has word `word` a subject, auxiliary or copula, or is it a verb: a predicate rather than a nominal or modifier? */
bool ud_is_clause(const UdTree *tree, int word);
bool ud_is_nominal(const UdTree *tree, int word);
/* Word `up`, a dependent of word, takes the place of word, which becomes its dependent with the relation `as`; the
 * other dependents of word that `moves` wants move too (NULL: all), but for its pieces. up gets the head and relation
 * of word. */
void ud_promote(UdTree *tree, int up, int word, UdRelation as, bool (*moves)(const UdTree *t, int kid, int w));

/* Hangs `word` below `head` with `relation`, unless head is below word or too far below the root to tell. */
bool ud_hang(UdTree *tree, int word, int head, UdRelation relation);

/* Makes phrases, inner, and phrase and around of each word. false when out of memory. */
bool ud_read_phrases(UdTree *tree, const Sentence *sentence);
/* Is phrase p, or no phrase (-1), labelled with one of `labels` (text_among)? */
bool ud_phrase_among(const UdTree *tree, int phrase, const char *labels);

/* The passes. Each begins and ends with a tree. false when out of memory. */
bool ud_pieces(UdTree *tree);
bool ud_repairs(UdTree *tree);
bool ud_roles(UdTree *tree);
bool ud_vocatives(UdTree *tree);
bool ud_subjects(UdTree *tree);
bool ud_measures(UdTree *tree);
bool ud_relatives(UdTree *tree);
bool ud_crossing(UdTree *tree);
bool ud_prepositions(UdTree *tree);
bool ud_copulas(UdTree *tree);
bool ud_clauses(UdTree *tree);
bool ud_recipients(UdTree *tree);
bool ud_coordination(UdTree *tree);
bool ud_names(UdTree *tree);
/* A country or state: "Cambridge, Massachusetts". */
bool ud_names_place(const UdTree *tree, int word);
/* Is the proper noun an adjective within a name: "American", "United"? */
bool ud_names_like(const UdTree *tree, int word);
bool ud_fixed(UdTree *tree);
bool ud_label(UdTree *tree);
bool ud_upos(UdTree *tree);
bool ud_agree(UdTree *tree);
bool ud_leaves(UdTree *tree);
bool ud_punctuation(UdTree *tree);

const char *ud_pos_text(UdPos pos);
/* What a tag is in most uses; POS_X: no bit, or several. */
UdPos ud_pos_of_tag(UdTags tag);
/* POS_X: there is no such part of speech. */
UdPos ud_find_pos(const char *text);
const char *ud_relation_text(UdRelation relation);
/* UD_RELATIONS: there is no such relation. */
UdRelation ud_find_relation(const char *text);
/* Is the word one of those that UD English calls abbreviated (Abbr=Yes), misspelt (Typo=Yes)? */
bool ud_is_abbreviated(const UdTree *tree, int word);
bool ud_is_misspelt(const UdTree *tree, int word);
/* What the word should be, with its capitals, in the arena or constant; NULL: no other, or not known. false when out
 * of memory. */
bool ud_correct_form(const UdTree *tree, int word, const char **correct);
/* The features of word `word` in the order of UD; "_": none. NULL when out of memory. */
const char *ud_features(const UdTree *tree, int word);
