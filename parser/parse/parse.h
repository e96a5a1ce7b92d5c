/* parser/parse/parse.h
 * Parses batches of sentences. */
#ifndef LAL_PARSER_PARSE_PARSE_H
#define LAL_PARSER_PARSE_PARSE_H

#include "parser/model/batch.h"
#include "parser/model/model.h"
#include "parser/model/soft.h"
#include "parser/parse/given.h"
#include "treebank/tree.h"

enum { WHY_HEADS = 3 };

struct ParseWorker;
struct Parsed;

/* Called after each batch, by the thread that parsed it: w still holds the batch and its forward pass, result has its
 * sentences. What it adds to them lies in `out`. An error ends the parse. */
typedef struct ParseObserver {
    Status (*batch)(const void *context, struct ParseWorker *w, struct Parsed *result, Arena *out, Error *e);
    const void *context;
} ParseObserver;

typedef struct ParseOptions {
    int batch_tokens;  /* tokens in one forward pass */
    int max_words;     /* longer sentences are parsed in pieces */
    double max_memory; /* bytes; sentences whose chart needs more are parsed in pieces */
    bool arc_probability;
    bool record; /* the worker keeps the forward pass and its tape, for an interpreter, until it parses again */
    ParseObserver observe; /* with batch NULL: nobody */
    int treebank;          /* number in m->treebanks; labels that only others have do not appear (model_label_mask) */
    bool no_syntax;        /* masks that read a parse are off: the first pass of syntax.source self */
    bool shape_tags;       /* predicted tags of addresses, emoji and the like come from their shape (shape.h) */
    /* parse_pool_run goes on after a sentence that cannot be parsed, even alone in a batch (Parsed.failed) */
    bool keep_going;
} ParseOptions;

/* The default treebank, shape_tags. */
ParseOptions parse_defaults(const Model *m);

/* In place of the number of a label or type. */
enum {
    LABEL_NONE = -1,   /* an arc; the type of a word where the model has none */
    LABEL_JOINED = -2, /* of pieces of a sentence: the phrase over them, FRAG, and the type of arcs between them, dep */
    LABEL_OWN = -3,    /* and less: LABEL_OWN - k is Parsed.own_labels[k] */
};

/* The label heads with the largest contributions to a decision: a phrase (number in m->labels of its unary chain,
 * fenceposts) or an arc (LABEL_NONE, dependent and head). */
typedef struct WhyNote {
    Span at;
    double score;
    int n, head[WHY_HEADS]; /* from 0, by decreasing |part| */
    double part[WHY_HEADS];
} WhyNote;

/* What was decided, in numbers of the model's vocabularies. Arrays lie in the arena of the result. */
typedef struct Parsed {
    int n_words;
    const char *const *words;      /* [n_words] of the input, borrowed */
    const char *const *given_tags; /* [n_words] of the input, borrowed; NULL: none were given */
    /* [n_words] in m->tags, or -s: the tag of Shape s, or TOKEN_UNKNOWN: "XX", of what was not parsed; NULL: given ones
     * stay, or the model has none */
    const int *tags;
    bool has_tree;
    Span *spans; /* [n_spans] phrases in pre-order, no two over the same words; label of the unary chain in m->labels,
                    LABEL_JOINED, or LABEL_OWN - k */
    int n_spans;
    int *heads;     /* [n_words] 1-based, 0 = root; NULL: the model has no arcs */
    int *types;     /* [n_words] in m->types */
    Real *arc_prob; /* [n_words] softmax probability of each arc, or NULL */
    double score;
    WhyNote *why; /* [n_why] phrases, then arcs; filled by an observer (parser/lab/insight/fast/why.h) */
    int n_why;
    const SoftTargets *soft;       /* filled by an observer (soft_parse.h); NULL also for a sentence in pieces */
    const char *const *own_labels; /* [n_own] labels of unary chains that were given and the model does not know */
    int n_own;
    const Freed *freed; /* [n_freed] what was given and is not in the tree: arcs, then phrases */
    int n_freed;
    int pieces; /* number of pieces it was parsed in, 1 unless it is too long */
    /* why the sentence, or a piece of it, has a flat tree instead of its own: memory, or scores that are not finite;
     * NULL: it was parsed */
    const char *failed;
    /* sequences in which the pretrained encoder read it (embeddings/piece_batch.h), 1 unless it has more word pieces
     * than the encoder takes; of several pieces the most; 0 without a pretrained encoder */
    int windows;
} Parsed;

/* The same as a sentence with strings, which are borrowed from p and m or lie in the arena; n_words 0 has no tree.
 * NULL: memory is out. */
Sentence *parsed_sentence(const Model *m, const Parsed *p, Arena *arena);

/* The state of one thread; reused from call to call. */
typedef struct ParseWorker {
    const Model *m;
    Tape tape;
    Lexicon lexicon;
    Arena scratch;
    PackedBatch packed; /* of the last batch, as are the next three */
    Forward forward;
    NetworkOutput net;
    Tensor *types;             /* scores [rows, types] */
    HostMatrix attention;      /* of the label heads, [tokens, heads], in host memory; with ParseOptions.record */
    struct ParseWorker *first; /* of the model m->first, once it is needed */
    Arena parses;              /* of the first pass over the last batch */
} ParseWorker;

/* d: the device that computes; the model's parameters are on it (params_upload). */
void parse_worker_init(ParseWorker *w, const Model *m, const Device *d);
void parse_worker_fini(ParseWorker *w);

/* Device memory for the largest batch so far: for the worker's tape, and for the tape of the first pass. A worker on
 * the measuring device (tensor/device.h) finds this without parsing; in its results all words are roots. The memory of
 * observers and of given phrases is not included. */
typedef struct ParseNeed {
    TapeNeed own, first;
} ParseNeed;
ParseNeed parse_worker_need(const ParseWorker *w);
/* Reserves it (tape_reserve), between two batches. false when the device is out of memory. */
bool parse_worker_reserve(ParseWorker *w, ParseNeed need);
static inline size_t parse_need_bytes(ParseNeed n)
{
    return n.own.numbers + n.own.grads + n.first.numbers + n.first.grads;
}

/* Parses n sentences as one batch. ERR_NUMERIC if weights are so large that scores are not finite, ERR_NOMEM; ERR_IO of
 * model_unchanged. Results lie in `out`. A sentence above the limits is parsed in pieces (long_sentence.h). */
Status parse_batch(ParseWorker *w, const ParseInput *in, int n, const ParseOptions *o, Arena *out, Parsed *result,
                   Error *e);

/* End of the batch that starts at sentence `from`: as many sentences as fit batch_tokens, at least one. */
int parse_batch_end(const ParseInput *in, int n, int from, const ParseOptions *o);

#endif
