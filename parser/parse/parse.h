/* Parses batches of sentences. */
#pragma once

#include "parser/model/worker.h"
#include "parser/parse/parsed.h"

/* Called after each batch, by the thread that parsed it: w still holds the batch and its forward pass, result has its
 * sentences. What it adds to them is Parsed.extra and lies in `out`. An error ends the parse. */
typedef struct ParseObserver {
    Status (*batch)(const void *context, Worker *w, Parsed *result, Arena *out, Error *e);
    const void *context;
    /* sets the extra of a sentence that was parsed in n pieces, false when out of memory; NULL: it has none */
    bool (*join)(const Parsed *piece, int n, Arena *out, Parsed *whole);
} ParseObserver;

typedef struct ParseOptions {
    int batch_tokens;  /* tokens in one forward pass */
    int max_words;     /* longer sentences are parsed in pieces */
    double max_memory; /* bytes; sentences whose chart needs more are parsed in pieces */
    bool arc_probability;
    int k_best;      /* results of each sentence (Parsed.best), with arc_probability also their probabilities; 0: one */
    bool confidence; /* Parsed.confidence; as for k_best, the chart of a sentence needs more memory */
    bool by_score;   /* the best score decides, whatever grammar and head rules say of it (decode.h, rule_types.h) */
    bool record;     /* the worker keeps the forward pass and its tape, for an interpreter, until it parses again */
    ParseObserver observe; /* with batch NULL: nobody */
    int treebank;          /* number in m->treebanks; labels that only others have do not appear (model_label_mask) */
    bool no_syntax;        /* masks that read a parse are off: the first pass of syntax.source self */
    bool places;           /* of characters (places.h): tags are these, and nothing else; else they are none of these */
    bool shape_tags;       /* predicted tags of addresses, emoji and the like come from Language.tag_shapes */
    /* parse_pool_run asks it before each batch, from any thread, one call at a time, and ends with ERR_INTERRUPTED
     * where it is not 0. NULL: nobody asks */
    int (*stop)(void *);
    void *stop_context;
    /* parse_pool_run goes on after a sentence that cannot be parsed, even alone in a batch (Parsed.failed) */
    bool keep_going;
} ParseOptions;

/* Does the model find phrases and arcs together, as ParseOptions.k_best expects? */
bool parse_has_best(const Model *model);

/* The default treebank, shape_tags. */
ParseOptions parse_defaults(const Model *model);

/* Parses n sentences as one batch; each has words, and none is above the limits (long_sentence.h parses others).
 * ERR_NUMERIC if weights are so large that scores are not finite, ERR_NOMEM; ERR_IO of model_unchanged. Results lie in
 * `out`. On the measuring device (tensor/device.h) all words are roots, and worker_need does not include the memory of
 * observers, of given phrases and of
 * types of further results. */
Status parse_batch(Worker *worker, const ParseInput *in, int n, const ParseOptions *options, Arena *out, Parsed *result,
                   Error *error);

/* Parses the n sentences that the worker parsed last once more, from outputs of the encoder (worker->net.encoder) that
 * the caller has replaced. Arguments and errors of parse_batch. */
Status parse_from_outputs(Worker *worker, const ParseInput *in, int n, const ParseOptions *options, Arena *out,
                          Parsed *result, Error *error);

/* End of the batch that starts at sentence `from`: as many sentences as fit batch_tokens, at least one. */
int parse_batch_end(const ParseInput *in, int n, int from, const ParseOptions *options);
