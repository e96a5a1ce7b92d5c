/* Attention patterns: for each token i of a sentence (START, words 1..n, STOP) a set S(i) of tokens that it may attend
 * to, computed from the words and, for some, from a parse. Roles of Wang et al. 2020 (rare_w, seprat, dep_syn, maj_rel,
 * rel_pos), regular patterns of Deshpande and Narasimhan 2020 (next, prev, first, delim, period), and of Li et al. 2022
 * (match_token, intra_span); dep_head and label_span are targets of guidance (Strubell et al. 2018 supervise a head
 * with dependencies).
 *
 * pattern.c has the list of patterns with their names and sets, pattern_options.c their parameters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/options.h"
#include "treebank/tree.h"

typedef enum PatternKind {
    PATTERN_SELF,        /* {i} */
    PATTERN_NEXT,        /* {i + 1}; STOP has none */
    PATTERN_PREV,        /* {i - 1}; START has none */
    PATTERN_REL_POS,     /* |i - j| <= (window - 1) / 2 */
    PATTERN_FIRST,       /* START */
    PATTERN_DELIM,       /* START and STOP */
    PATTERN_PERIOD,      /* the words of a list: "." */
    PATTERN_SEPRAT,      /* START, STOP and the words of a list: , ; . ? ! */
    PATTERN_RARE_W,      /* the max(min, n percent / 100) words with a letter that the fewest training sentences have,
                            the earlier of equal ones */
    PATTERN_DEP_SYN,     /* i, its head and its dependents; START and STOP themselves */
    PATTERN_MAJ_REL,     /* START, STOP, and words of some types with their heads (and dependents) */
    PATTERN_MATCH_TOKEN, /* other words equal to word i, by default in lower case */
    PATTERN_INTRA_SPAN,  /* the segment of i: up to and with punctuation, the largest constituent of at most max_len
                            words, the sentence of a document, or the side of a gap between two sentences */
    PATTERN_DEP_HEAD,    /* the head of i, START for the root */
    PATTERN_LABEL_SPAN,  /* the words inside constituents of one label; the last set of its own: it needs a parameter */
    PATTERN_GAUSS,       /* all tokens, with weights: a normal distribution around i + offset (You et al. 2020) */
    PATTERN_KINDS
} PatternKind;

/* Where a parse comes from (docs/OPTIONS.md). The last three are for intra_span: SYNTAX_TREE is from where the other
 * patterns have it; SYNTAX_SENTENCE and SYNTAX_SIDE are no parse, but the parts of a text (TextParts). */
typedef enum SyntaxSource {
    SYNTAX_NONE,
    SYNTAX_FIRST_PASS,
    SYNTAX_FILE,
    SYNTAX_SELF,
    SYNTAX_GOLD,
    SYNTAX_TREE,
    SYNTAX_SENTENCE,
    SYNTAX_SIDE
} SyntaxSource;

typedef enum RareUnknown { RARE_UNKNOWN_RAREST, RARE_UNKNOWN_NEVER } RareUnknown;
typedef enum MatchKey { MATCH_LOWER, MATCH_FORM, MATCH_LEMMA } MatchKey;

/* The parameters of all patterns, "patterns" in a configuration. */
typedef struct PatternOptions {
    int rel_pos_window;        /* odd */
    const char *period_forms;  /* words separated by blanks */
    const char *seprat_forms;  /* words separated by blanks */
    int rare_w_percent;        /* 1..100 of the words */
    int rare_w_min;            /* at least this many words */
    int rare_w_unknown;        /* RareUnknown: words that no training sentence has are the rarest, or never rare */
    const char *maj_rel_types; /* words separated by blanks; a type is equal to one of them */
    bool maj_rel_children;     /* the set has their dependents too */
    int match_token_key;       /* MatchKey */
    bool match_token_self;     /* the set has i too, where another word is equal to it */
    int intra_span_source;     /* SyntaxSource; SYNTAX_NONE: segments end with punctuation ("punct") */
    int intra_span_max_len;
    int gauss_offset;
    double gauss_deviation; /* above 0, in tokens */
} PatternOptions;

/* An option has the names of a pattern and of its parameter: rel_pos_window. */
extern const Option PATTERN_OPTIONS[];

/* Are the values possible? ERR_CONFIG with a message such as "window is 4; expected an odd number"; *path is then where
 * encoder options have the value: "patterns.rel_pos.window". */
Status pattern_options_check(const PatternOptions *options, const char **path, Error *error);

typedef struct Pattern {
    PatternKind kind;
    PatternOptions o;
    const char *label; /* label_span; else NULL */
} Pattern;

/* Is S(i) of `part` inside S(i) of `whole` in every sentence? Only where this is plain: equal patterns; self, next and
 * prev inside rel_pos; first inside delim; both inside seprat, and period whose forms seprat has. */
bool pattern_within(const Pattern *part, const Pattern *whole);

const char *pattern_name(PatternKind kind);
/* What a head with the pattern looks at, for people: "next word". */
const char *pattern_about(PatternKind kind);
/* The names of all patterns that a predicate has, or NULL: of all: "self, prev, rel_pos". */
typedef struct PatternNames {
    char text[160];
} PatternNames;
PatternNames pattern_names(bool (*has)(PatternKind kind));
/* The kind [0 .. len), or PATTERN_KINDS. */
PatternKind pattern_find(const char *name, size_t len);

/* Reads a name and parameters: "rel_pos", "rel_pos/window=5", "maj_rel/children=false", "seprat/forms=, ;",
 * "intra_span/source=tree,max_len=4", "label_span/label=NP". Other parameters are as in `base` (NULL: the defaults of
 * PATTERN_OPTIONS), which lends its strings; the others are copied to the arena. ERR_USAGE, ERR_NOMEM. */
Status pattern_read(Pattern *pattern, const char *text, const PatternOptions *base, Arena *strings, Error *error);

/* A sentence. All but words is NULL when not known. */
typedef struct PatternSentence {
    int n;
    const char *const *words; /* [n] */
    const int *heads;         /* [n] 1-based, 0 = root */
    const char *const *types; /* [n] */
    const int *df;            /* [n] training sentences that have the word in lower case (text_lower) */
    const int (*spans)[2];    /* [n_spans] fenceposts of constituents in pre-order */
    int n_spans;
    const char *const *labels; /* [n_spans] */
    const char *const *lemmas; /* [n] */
    const TextParts *parts;
    /* [n_pieces] where the encoder reads pieces of the words, with pieces for START and STOP: the token of each, 0
     * START, 1 .. n, n + 1 STOP. Read by head_plan.h alone */
    const int *token;
    int n_pieces;
} PatternSentence;

/* Does the pattern give every token the same set? A label head with one query, which has no position, takes no other
 * pattern. */
bool pattern_is_key_set(PatternKind kind);
static inline bool pattern_needs_position(PatternKind kind) { return !pattern_is_key_set(kind); }
/* Is the pattern a target of guidance and no mask, as dep_head and label_span are? */
bool pattern_is_target(PatternKind kind);
/* Do the keys of the pattern have weights, so that it is for fixed heads alone? */
bool pattern_is_weighted(PatternKind kind);
/* The logit of a key `distance` tokens after the query in a pattern with weights: -(distance - offset)^2 / (2
 * deviation^2). */
double pattern_logit(const Pattern *pattern, int distance);
/* Where an encoder reads pieces of words, are the sets of the pattern made of pieces: are neighbours of a piece meant?
 */
bool pattern_is_of_pieces(PatternKind kind);
bool pattern_needs_parse(const Pattern *pattern);
/* Does the pattern read the parts of a text: intra_span by sentences or by sides? */
bool pattern_needs_parts(const Pattern *pattern);

/* What the pattern needs in addition to the words: a parse, df, a tree, lemmas, parts; NULL if the sentence has it. */
const char *pattern_lacks(const Pattern *pattern, const PatternSentence *sentence);

/* Sets allowed[i * m + j], m = n + 2, to 1 where token j is in S(i), else to 0. In a sentence without words all sets
 * are empty. Scratch memory comes from the arena. ERR_NOMEM; ERR_RANGE when the sentence lacks what the pattern needs.
 */
Status pattern_fill(const Pattern *pattern, const PatternSentence *sentence, uint8_t *allowed, Arena *scratch,
                    Error *error);

/* A text that is being written, as a decoder reads it: START and words. Numbers stand for words. */
typedef struct WrittenText {
    int n;
    const int *words; /* [n] equal for words that are spelled alike */
    const int *lower; /* [n] equal for words that are alike in lower case; read for match_token with that key */
} WrittenText;

/* May a decoder's heads have the pattern: is S(i) known when the word after token i is written? */
bool pattern_is_written(PatternKind kind);
/* Is token j in S(i) when the words 1 .. i are written, j <= i? pattern_is_written must be true of the pattern. For
 * match_token with `self`, i itself is in S(i) where a word before it is equal. */
bool pattern_written(const Pattern *pattern, const WrittenText *text, int i, int j);

/* The union of the sets of n patterns, n > 0: a row is empty only where all are. */
typedef struct PatternList {
    int n;
    Pattern *item; /* [n] */
} PatternList;

bool pattern_list_needs_parse(const PatternList *list);
/* Is each pattern of `part` inside one of `whole` (pattern_within)? */
bool pattern_list_within(const PatternList *part, const PatternList *whole);
const char *pattern_list_lacks(const PatternList *list, const PatternSentence *sentence);
Status pattern_list_fill(const PatternList *list, const PatternSentence *sentence, uint8_t *allowed, Arena *scratch,
                         Error *error);
/* Turns sets of words, allowed [m * m], into sets of pieces of words (subwords), expanded [pieces * pieces]. word_of
 * [pieces] is the token that a piece belongs to. A piece may attend to the pieces of the words in its word's set and,
 * if `own`, of its own word; an empty set stays empty. For self, next, prev and rel_pos between pieces, call
 * pattern_fill with the pieces as words. */
void pattern_expand(const uint8_t *allowed, int m, const int *word_of, int pieces, bool own, uint8_t *expanded);
