/* Shared by the fuzz targets of tokenizers of pretrained encoders. */
#pragma once

#include "embeddings/pieces.h"
#include "tests/fuzz/fuzz.h"

/* Pieces are of a vocabulary of n_ids, and inside a text of `size` bytes. */
static inline void check_pieces(const Pieces *p, int n_ids, size_t size)
{
    for (int k = 0; k < p->n; k++) {
        const Piece *x = &p->p[k];
        require(x->id >= 0 && x->id < n_ids && x->begin >= 0 && x->begin <= x->end && (size_t)x->end <= size);
        (void)pieces_text(p, k);
    }
}
