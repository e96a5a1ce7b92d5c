/* Beam search over pieces, one sentence at a time, without the network: whoever has scores of the next pieces of the
 * live outputs advances the search, until it is done.
 *
 * In each step the continuations of all live outputs are ordered by log probability, equal ones by their output, then
 * by their piece. Of the first 2 x beam, those that end the text and are among the first `beam` are finished; the first
 * `beam` others live on. The score of a finished output of n pieces, with the end, is log p / ((5 + n) / 6)^alpha (Wu
 * et al. 2016, section 7). The search is done when no live output can have a score above the best finished one, or when
 * `most` pieces are written: live outputs then count as finished. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "tensor/tensor.h"

typedef struct BeamOptions {
    int beam;        /* 1 or more */
    double penalty;  /* alpha, 0 or more; 0: the score is log p */
    int most;        /* pieces of an output, 1 or more */
    int start, stop; /* pieces: start is never written, stop ends the text */
} BeamOptions;

/* An output, finished or not, as the way back from its last piece. */
typedef struct BeamNode {
    int piece, length; /* length: pieces from the first one */
    int before;        /* the node of the piece before; -1: this is the first one */
} BeamNode;

typedef struct BeamOutput {
    int node; /* the last piece; -1: nothing is written */
    double log_p, score;
} BeamOutput;

typedef struct Beam {
    BeamOptions o;
    BeamNode *node; /* [n_nodes] */
    int n_nodes, node_cap;
    BeamOutput *live; /* [n_live] by falling log probability; score is not set */
    int *parent;      /* [n_live] the number of the live output of the step before that each one continues */
    int n_live, live_cap, parent_cap;
    BeamOutput *finished; /* [n_finished] in the order in which they were found */
    int n_finished, finished_cap;
    int steps;
    bool done;
} Beam;

/* One live output, of no piece. beam_fini is needed after failure too. ERR_NOMEM. */
Status beam_init(Beam *beam, BeamOptions options, Error *error);
void beam_fini(Beam *beam);

/* The last piece of live output k; o.start before the first step. */
int beam_last(const Beam *beam, int k);
/* Advances a search that is not done: score [n_live, pieces], rows ld apart, are the scores of the next piece, of which
 * the softmax is taken. ERR_NUMERIC where they are not finite, ERR_NOMEM. */
Status beam_advance(Beam *beam, const Real *score, int ld, int pieces, Error *error);

/* Sorts the finished outputs by falling score; of equal ones the first that was found is first. */
void beam_sort(Beam *beam);
/* The pieces of an output in its order, with the stop if it has one; piece has room for o.most. Their number. */
int beam_pieces(const Beam *beam, const BeamOutput *output, int *piece);
