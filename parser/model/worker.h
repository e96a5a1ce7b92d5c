/* What one thread runs a model with: sentences are packed, with what acts on the heads, and go through the network.
 * Parsing, training, classifying and explaining all do this; each then reads the output in its own way. */
#pragma once

#include "parser/model/batch.h"
#include "parser/model/model.h"

/* Reused from batch to batch. */
typedef struct Worker {
    const Model *m;
    Tape tape;
    Lexicon lexicon;
    Arena scratch;      /* valid until the next worker_begin */
    PackedBatch packed; /* the last batch; so are the next two */
    Forward forward;
    NetworkOutput net;
    Error error; /* for several workers at a time: why this one failed. The functions of this header do not read it */
    bool pieces; /* a recorded pass records the pretrained encoder, too: for what reads its heads */
    /* What parsing adds (parser/parse/parse.h) */
    Tensor *types;        /* [rows, types] scores for the arcs of the last batch */
    const int *rule_type; /* [rows] of the last batch, types of head rules (parser/parse/rule_types.h) */
    HostMatrix attention; /* [tokens, heads] weights of the label heads, in host memory; with ParseOptions.record */
    Arena parses;         /* memory of the parses of a first pass over the last batch */
    struct Worker *first; /* a worker of the model m->first; NULL until worker_first */
    /* What training adds: [guides of the plan] targets for the last batch; NULL: none yet */
    GuidanceTargets *targets;
} Worker;

/* device: the device that computes; the model's parameters are on it (params_upload). */
void worker_init(Worker *worker, const Model *model, const Device *device);
/* Frees what a worker has; a worker of zeros has nothing. */
void worker_fini(Worker *worker);
/* The worker that runs the first-pass model on the same device; the first call creates it. NULL when out of memory. */
Worker *worker_first(Worker *worker);

/* Forgets the last batch. record: the tape keeps the network's nodes, for tape_backward or tape_relevance; training:
 * with dropout, drawn by key. */
void worker_begin(Worker *worker, bool record, bool training, uint64_t key);
/* Packs n sentences (batch_pack, unknown: its z) with what acts on the heads; parse: as in head_inputs_control. All of
 * it lies in the scratch arena, where the sentences may lie, too. Errors of both. */
Status worker_pack(Worker *worker, const BatchSentence *sentences, const Sentence *const *parse, int n, double unknown,
                   Error *error);
/* Runs the network on what is packed. grads: where tape_backward will add the gradients of parameters, on the device,
 * or NULL. The error of the tape. */
Status worker_forward(Worker *worker, Real *grads, Error *error);
/* The error of the tape, OK without one. */
Status worker_status(const Worker *worker, Error *error);

/* Device memory for the largest batch so far: for the worker's tape, and for the tape of the first pass. A worker on
 * the measuring device (tensor/device.h) finds this without computing. */
typedef struct WorkerNeed {
    TapeNeed own, first;
} WorkerNeed;
WorkerNeed worker_need(const Worker *worker);
/* Reserves the memory of `need` (tape_reserve), between two batches. false when the device is out of memory. */
bool worker_reserve(Worker *worker, WorkerNeed need);
static inline size_t worker_need_bytes(WorkerNeed need)
{
    return need.own.numbers + need.own.grads + need.first.numbers + need.first.grads;
}
