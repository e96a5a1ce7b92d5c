/* What a parser knows of a language besides its model: how raw text becomes sentences and words, what the model sees of
 * a word, and what is said of a parsed sentence. A model file names its language (ModelConfig.language);
 * language/all/languages.h lists all of them.
 *
 * A function that is NULL stands for a language of which nothing is known there: words stay as they are, no tag comes
 * from a shape, a sentence has no lemmas. Only `name` and `segment` must be there. Functions are called by several
 * threads at once. */
#pragma once

#include "base/markup_kind.h"
#include "language/segmented_text.h"
#include "treebank/tree.h"

/* What a line break means; empty lines separate paragraphs in any case. */
typedef enum Newlines {
    NEWLINES_AUTO,      /* the language decides, by the layout of the paragraph perhaps */
    NEWLINES_SENTENCE,  /* the end of a sentence */
    NEWLINES_PARAGRAPH, /* the end of a paragraph */
    NEWLINES_SPACE      /* white space */
} Newlines;
#define NEWLINES_CHOICES "auto|sentence|paragraph|space" /* in this order */
#define NEWLINES_ABOUT                                                                                         \
    "what a line break in raw text ends: a sentence, a paragraph, or (space) nothing; auto: a sentence where " \
    "lines are those of chat, lists, headers or verse, not where prose is wrapped"

/* How raw text becomes sentences of tokens. */
typedef struct SegmentOptions {
    Newlines newlines;
    Markup markup; /* what is left out of a text before it is split: Language.segment knows nothing of it */
    bool words;    /* tokens are separated by white space already, and nothing is markup */
} SegmentOptions;

#define UD_SCHEME "UD v2"

/* What Universal Dependencies say of the words of a sentence, [n_words] each. Heads form a tree with one root. */
typedef struct UdSentence {
    int *heads;             /* 1-based, 0 = root; NULL if the sentence has no heads */
    const char **relations; /* NULL if the sentence has no heads */
    const char **upos;      /* NULL if the sentence has no tags */
    const char **features;  /* "Number=Sing", sorted as UD demands; "_": none; NULL if the sentence has no tags */
    /* what misspelt or abbreviated words should be; NULL: nothing, or not known. NULL if the sentence has no tags */
    const char **corrected;
} UdSentence;

/* Universal Dependencies of parsed sentences, made by rules from dependencies of another scheme. */
typedef struct UdRules {
    const char *from; /* the name of that scheme */
    /* Are these the types of a model that predicts it? */
    bool (*knows)(const char *const *types, int n);
    /* Has the sentence no type of another scheme? */
    bool (*fits)(const Sentence *sentence);
    /* Converts a sentence whose heads form a tree with one root. words: finds upos and features too, or they are NULL.
     * Arrays and strings that are not constants are in the arena. false when out of memory. */
    bool (*convert)(const Sentence *sentence, bool words, Arena *arena, UdSentence *out);
    /* Makes of a parsed sentence what CoNLL-U has: sets heads, types, upos, feats, corrected, lemmas, graph, ranges,
     * in the arena; what cannot be made, because the sentence has no heads or no tags, is NULL. glued [n_words]: no
     * white space between the word and the next one; NULL: unknown, and the ranges stay as they are. false when out
     * of memory. */
    bool (*sentence)(Sentence *sentence, const bool *glued, Arena *arena);
    /* The enhanced graph of a sentence of Universal Dependencies whose heads form a tree with one root, by its words,
     * types, and, where they are known, upos, feats and lemmas. In the arena; NULL when out of memory. */
    const DepGraph *(*enhance)(const Sentence *sentence, Arena *arena);
} UdRules;

typedef struct Language {
    const char *name; /* in model files and on the command line */
    const char *code; /* of BCP 47, "en"; NULL: it depends on the model */

    /* ---- raw text */

    /* Splits a block of UTF-8 text that ends where a paragraph ends, or a line with NEWLINES_PARAGRAPH; one that is cut
     * elsewhere is split as if it ended there. *out is replaced; forms are in the arena. ERR_NOMEM; ERR_FORMAT where
     * segmented_text_check has it. */
    Status (*segment)(SegmentedText *out, TextBlock block, SegmentOptions o, Arena *a, Error *e);
    bool finds_signs; /* of Markdown and mail, with MARKUP_AUTO */
    /* Replaces hyphenated words by their pieces, for a model of treebanks that have them so
     * (ModelConfig.split_hyphens). false when out of memory; then only segmented_text_fini may be called. */
    bool (*split_hyphens)(SegmentedText *text, Arena *a);

    /* ---- words */

    /* The n words as a model sees them (ModelConfig.fold): variants of spelling that would be rare become usual ones.
     * Words that stay as they are, are borrowed, the others lie in the arena, as does the array. tags [n]: NULL, or
     * tags, each of which may be NULL. space_before [n]: whether the text has a blank before the word, NULL: unknown.
     * NULL when out of memory. */
    const char **(*fold)(const char *const *words, const char *const *tags, const bool *space_before, int n, Arena *a);
    /* Changes words of a treebank, in place, to those into which running text falls apart for a pretrained encoder;
     * new strings are in the arena. false when out of memory. */
    bool (*spell)(const char **words, int n, Arena *a);
    /* Replaces the tag of each word whose characters, with the blanks around it, alone give its tag. false when out of
     * memory. */
    bool (*tag_shapes)(const char *const *words, const bool *space_before, int n, Arena *scratch, const char **tags);
    /* May a long sentence be cut before this word, as between clauses? */
    bool (*is_conjunction)(const char *word);

    /* ---- sentences of treebanks that are trained on */

    bool (*is_imperative)(const Sentence *sentence);
    /* The type that a word should have: `type`, or another one where conversions of treebanks are known to err. Not
     * asked of sentences of CoNLL-U, whose types are those of another scheme. */
    const char *(*mend_type)(const char *word, const char *type);
    const char *mends; /* what mend_type changes, for people */
    /* The quotation marks of treebanks, each of which is its own tag; NULL: they have the tag of other marks. */
    const char *opening_quote, *closing_quote;

    /* ---- parsed sentences */

    /* Are these the tags of the treebanks that lemmas and features are made from? n may be 0: yes. */
    bool (*knows_tags)(const char *const *tags, int n);
    /* The lemmas of all words [n_words] of a sentence with tags, in the arena; NULL when out of memory. */
    const char **(*lemmas)(const Sentence *sentence, Arena *arena);
    const UdRules *ud;
    /* Words that a word with a tag may be exchanged for, to see what a parse depends on (explain/flip.h): lines of a
     * tag and words, between blanks. */
    const char *exchanges;
    /* Head rules (treebank/head_rules.h), which make the dependencies of `ud` of a tree; NULL: there are none. Some of
     * the types that they give follow habits of the program that made the treebanks' dependencies, not what people say
     * of a sentence: those of `habits`, which blanks separate. */
    const char *head_rules, *habits;
} Language;
