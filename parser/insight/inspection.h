/* parser/insight/inspection.h
 * A treebank explained: sentence by sentence (inspect_sentence, which threads may do side by side), then summed up
 * (inspection_add, in order). */
#ifndef LAL_PARSER_INSIGHT_INSPECTION_H
#define LAL_PARSER_INSIGHT_INSPECTION_H

#include "parser/insight/explain.h"
#include "parser/insight/head_summary.h"
#include "parser/output.h"

typedef struct InspectOptions {
    bool kinds[EXPLAIN_TYPE + 1]; /* by ExplainKind */
    const Decision *only;         /* this decision instead of the sentence's own, or NULL */
    const char *against;          /* the lead over this label or type instead of scores, or NULL */
    int words;                    /* heads of the largest parts whose views over words are kept; -1: all */
    bool leads;                   /* of wrong labels over gold ones; where the leading heads look */
    bool missed;                  /* phrases of gold that the parse lacks, too */
    bool paper;                   /* the paper's share beside the parts */
    int remove;                   /* heads taken out of each span; 0: none */
} InspectOptions;

/* A decision and what came of it. */
typedef struct Explained {
    Decision d;
    HeadAttribution a; /* its `word` is NULL */
    double *word;    /* [n_word_heads, tokens] the views of the heads of the largest parts, in that order, over words */
    double *by_word; /* [tokens] of all heads together; both NULL without InspectOptions.words */
    int n_word_heads;
    double p;             /* its probability among its alternatives (explain) */
    double *share;        /* InspectOptions.paper, of a span; else NULL */
    double drop[2];       /* how far the score falls without the heads of the largest parts, without random ones */
    int in_gold;          /* 1 right, 0 wrong, -1 gold does not say */
    const char *gold;     /* label of a wrong span that gold has under another one; NULL: gold has no such span */
    bool at_head, inside; /* of a span: the word the head of the largest part attends to most is the span's head word,
                             is in the span */
    HeadAttribution lead; /* with InspectOptions.leads, of a span with `gold` known to the model: its label's lead over
                             that; else 0 heads */
} Explained;

/* One sentence; its arrays lie in the arena of inspect_sentence, the rest is borrowed. */
typedef struct Inspected {
    const Parsed *p;
    const Sentence *gold; /* NULL: none */
    Origin origin;
    Explained *x; /* [n] its decisions */
    int n;
    Explained *missed; /* [n_missed] spans of gold; in_gold 1 */
    int n_missed;
    double *confidence; /* [heads] largest weight on a word; NULL: no words, or parsed in pieces and not explained */
} Inspected;

/* Explains what o asks for of the one sentence that the worker parsed last, p, with ParseOptions.record. Before: x->p,
 * gold and origin set, the rest 0. number: picks random heads. Errors of explain. */
Status inspect_sentence(const InspectOptions *o, ParseWorker *w, uint64_t number, Arena *arena, Inspected *x, Error *e);

/* The head of the next smaller |part| behind `before`; -1 at the start and at the end. */
int next_head_by_part(const HeadAttribution *a, int before);

/* Where the heads of the largest parts look, by right and wrong spans. */
typedef struct Looks {
    long n, at_head, inside;
} Looks;

typedef struct Removal {
    long n;
    double sum[2], squares[2];
} Removal;

typedef struct Inspection {
    HeadSummary sum, confused; /* confused: leads of wrong labels over gold ones, by "NP for ADJP" */
    Removal removal;
    Looks looks[2];     /* wrong, right */
    double *confidence; /* [heads] sums over sentences */
    long sentences, explained, in_pieces;
} Inspection;

/* ERR_NOMEM. To be ended by inspection_fini also after an error. */
Status inspection_init(Inspection *s, int heads, Error *e);
void inspection_fini(Inspection *s);
Status inspection_add(Inspection *s, const Inspected *x, Error *e);

/* ---- output (docs/FORMATS.md); out of memory sets out->failed */

/* One JSON object in a line: `top` heads of each decision (0: all), their views over words where wanted and kept. The
 * worker still holds the sentence. */
void inspected_json(StrBuf *out, const Inspected *x, const ParseWorker *w, int top, bool words);
void inspection_tsv(StrBuf *out, const Inspection *s);
/* top: heads of a category, 0 is all. */
void inspection_text(StrBuf *out, const Inspection *s, int top);
/* A line on --remove. */
void inspection_removal(StrBuf *out, const Inspection *s, int removed);

#endif
