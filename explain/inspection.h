/* Explanations of a whole treebank: sentence by sentence (inspection_explain, from several threads), then summed
 * (inspection_add, in order). */
#pragma once

#include "explain/contrast.h"
#include "explain/flip.h"
#include "explain/head_summary.h"
#include "parser/output/output.h"
#include "search/query.h"

/* Tags of a lower probability are doubtful. */
#define TAG_SURE 0.9

typedef struct InspectOptions {
    bool kinds[EXPLAIN_KINDS]; /* by ExplainKind; of tags those that are wrong or doubtful (TAG_SURE) */
    const Decision *only;      /* explain this decision in every sentence instead of the parse's own, or NULL */
    const QueryOptions *match; /* of the parse's own decisions, explain those that matches are about; NULL: all */
    const char *against; /* explain the difference to this label's or type's score instead of the score, or NULL */
    int words;           /* number of heads, by decreasing |contribution|, whose views over words are kept; -1: all */
    bool leads;          /* also explain wrong labels against gold ones, and where the leading heads attend */
    bool missed;         /* explain gold phrases that the parse lacks, too */
    bool second;         /* also explain the second-best parse, where the worker has one (ParseOptions.k_best) */
    /* number of phrases and arcs that are also explained against the best parse that decides otherwise: wrong ones with
     * gold's decision, or else the least certain one without it */
    int contrasts;
    const Decision *chosen; /* a phrase or an arc, by its words, that comes first among them; NULL: none */
    bool flips; /* find the smallest changes of the sentence that change the first of them, with Inspected.other */
    bool paper; /* compute the paper's statistic, too */
} InspectOptions;

/* The best parse with or without a decision, against the parse of the sentence. */
typedef struct Alternative {
    Decision d; /* what is asked for, or banned */
    bool with;
    Contrast contrast;
    const Sentence *s;  /* contrast.p with strings */
    const Sentence *ud; /* as Inspected.ud */
    const Flip *flip;   /* [n_flips] smallest changes that make it so, or NULL */
    int n_flips;
} Alternative;

/* A decision and its explanation. */
typedef struct Explained {
    Decision d;
    HeadAttribution a; /* its `word` is NULL */
    /* [n_word_heads, tokens] views over words of the heads with the largest contributions, in that order */
    double *word;
    double *by_word; /* [tokens] of all heads together; both NULL without InspectOptions.words */
    int n_word_heads;
    Standing standing;    /* among its alternatives */
    double *share;        /* InspectOptions.paper, of a span; else NULL */
    int in_gold;          /* 1 right, 0 wrong, -1 unknown */
    const char *gold;     /* gold label of a span with a wrong label, NULL: the gold tree has no such span; gold tag */
    int focus;            /* of a span: the word to which the leading head attends most, -1: none */
    bool at_head, inside; /* it is the span's head word, is in the span */
    /* InspectOptions.leads: why the label of a span leads over `gold`, by the difference of their scores; 0 heads where
     * there is no `gold` that the model knows. Of a tag why it leads over gold's or the next best one */
    HeadAttribution lead;
    Alternative *other; /* NULL: not asked for, or no parse decides otherwise */
} Explained;

/* One sentence; its arrays are in the arena of inspection_explain, the rest is borrowed. */
typedef struct Inspected {
    const Parsed *p;
    const Sentence *gold; /* NULL: none */
    const ParseInput *in; /* it was parsed from, with `how`; NULL: there are no contrasts */
    const ParseOptions *how;
    Worker *other; /* of the same model, for changed sentences; NULL: none are tried */
    Origin origin;
    const Model *m;     /* filled, as the rest: it names labels */
    const Sentence *s;  /* p with strings */
    const Sentence *ud; /* its Universal Dependencies, heads and types; NULL: the rules of the language make none */
    Explained *x;       /* [n] its decisions */
    int n;
    Explained *missed; /* [n_missed] gold spans that the parse lacks; in_gold 1 */
    int n_missed;
    Alternative *second; /* the second-best parse; NULL: not asked for, or the sentence has one parse */
    double *confidence;  /* [heads] largest weight on a word; NULL: no words, or parsed in pieces and not explained */
} Inspected;

/* Explains what options selects in p, the one sentence that the worker parsed last, with ParseOptions.record. The
 * caller sets inspected->p, gold and origin, the rest to 0. Errors of explain_decision. */
Status inspection_explain(const InspectOptions *options, Worker *worker, Arena *arena, Inspected *inspected,
                          Error *error);

/* Leaves of the decisions in inspected->x those about the phrases and words that a query finds in inspected->s and
 * names: spans of these phrases, and arcs and types of these words and of the phrases' head words. Errors of
 * query_compile and query_search. */
Status inspection_choose(const QueryOptions *match, Inspected *inspected, Error *error);

/* The probability of a phrase or an arc of the parse among all parses, or where that is not known among its
 * alternatives. */
double inspection_certainty(const Parsed *parsed, const Explained *x);

/* The head with the next smaller |contribution| after `before`; -1 before the first and after the last. */
int inspection_next_head(const HeadAttribution *attribution, int before);

/* Where leading heads attend, for wrong, right and missed spans; named: they are linked to a category of the label. */
enum { LOOKS = 3, LOOKS_MISSED = 2 };
typedef struct Looks {
    long n, at_head, inside, named;
} Looks;

typedef struct Inspection {
    const Model *m;
    HeadSummary sum, confused; /* confused: differences of wrong labels' scores to gold ones', by "NP for ADJP" */
    HeadSummary missed;        /* gold spans that parses lack, by label */
    Vocab attended;            /* "NP word": of missed spans, the words to which leading heads attend most */
    Looks looks[LOOKS];        /* wrong, right, missed */
    double *confidence;        /* [heads] sums over sentences */
    long sentences, explained, in_pieces, words; /* words: of the explained sentences */
} Inspection;

/* ERR_NOMEM. inspection_fini must be called also after an error. */
Status inspection_init(Inspection *inspection, const Model *model, Error *error);
void inspection_fini(Inspection *inspection);
Status inspection_add(Inspection *inspection, const Inspected *inspected, Error *error);

/* ---- output (docs/FORMATS.md); out of memory sets out->failed */

/* One JSON object on one line (of pages, out->compact, on several): `top` heads of each decision (0: all), with their
 * views over words if they were kept. The worker must still hold the sentence. */
void inspection_json(StrBuf *out, const Inspected *inspected, const Worker *worker, int top, bool words);
/* Members of JSON objects: what is annotated (tags, tree, governors and types of arcs); what is decided; the sums. */
void inspection_annotation(StrBuf *out, const Sentence *sent);
void decision_json(StrBuf *out, const Model *model, const Decision *decision);
void inspection_sums_json(StrBuf *out, const Inspection *inspection);
/* Members of the overview of pages: the model with that name, its heads, whether gold judges any decision, and the
 * sums. ERR_NOMEM. */
Status inspection_overview_json(StrBuf *out, const char *model, bool gold, const Inspection *sums, Error *error);
void inspection_tsv(StrBuf *out, const Inspection *inspection);
/* top: heads of a category, 0 is all. */
void inspection_text(StrBuf *out, const Inspection *inspection, int top);
