/* Beam search with a network that translates, for the sentences of a batch at once: in each step the decoder gets the
 * last piece of every live output, and keeps the keys and values of those before it. */
#pragma once

#include "parser/model/network.h"
#include "parser/task/translate/beam.h"

/* Memory that is used again by the next search. */
typedef struct SearchMemory {
    Tape step[2]; /* the steps with even and odd numbers: each reads the cache of the one before */
    Arena host;
} SearchMemory;
void search_memory_init(SearchMemory *memory, const Device *device);
void search_memory_fini(SearchMemory *memory);

/* After a forward pass over the sources, the tokens of forward->batch, that does not record: runs the searches beam
 * [n_sent], fresh from beam_init, to their end, and sorts them. scratch: memory of the call. ERR_NUMERIC where scores
 * are not finite; errors of the tapes. */
Status search_run(SearchMemory *memory, const Forward *forward, const Network *net, const NetworkOutput *out,
                  Beam *beam, Arena *scratch, Error *error);
