/* Numbers of the layers that have heads. A model has n layers; the pretrained encoder below it, whose tokens are pieces
 * of words, has p of them:
 *   0 .. n - 1                   self-attention
 *   n                            the label heads
 *   n + 1 .. 2 n                 projected attention, beside layer 0 .. n - 1
 *   2 n + 1 .. 2 n + p           self-attention of the pretrained encoder
 *   2 n + p + 1 .. 2 n + 2 p     projected attention, beside its layer 0 .. p - 1 */
#pragma once

#include <stdbool.h>

/* The five ranges, and the attention of a decoder (lal/decoder.h): to what is written, and to the source. Its layers
 * have numbers of their own, from 0 in each of the two. */
typedef enum HeadStack {
    STACK_SELF,
    STACK_LABEL,
    STACK_PAL,
    STACK_PRETRAINED,
    STACK_PRETRAINED_PAL,
    STACK_DECODER,
    STACK_CROSS,
    HEAD_STACKS
} HeadStack;

static inline bool stack_is_pretrained(HeadStack stack)
{
    return stack == STACK_PRETRAINED || stack == STACK_PRETRAINED_PAL;
}
static inline bool stack_is_decoder(HeadStack stack) { return stack == STACK_DECODER || stack == STACK_CROSS; }

typedef int LayerId;

static inline LayerId layer_label(int n) { return n; }
static inline LayerId layer_pal(int n, int layer) { return n + 1 + layer; }
static inline LayerId layer_piece(int n, int layer) { return 2 * n + 1 + layer; }
static inline LayerId layer_piece_pal(int n, int p, int layer) { return layer_piece(n, p + layer); }
/* How many layers with heads the model itself has; they are 0 .. layer_count - 1. */
static inline int layer_count(int n) { return layer_piece(n, 0); }

/* A layer by its range and its number in it. */
typedef struct LayerPlace {
    HeadStack stack;
    int l;
} LayerPlace;

static inline LayerPlace layer_place(int n, int p, LayerId id)
{
    const LayerId first[STACK_PRETRAINED_PAL + 1] = { 0, layer_label(n), layer_pal(n, 0), layer_piece(n, 0),
                                                      layer_piece_pal(n, p, 0) };
    int stack = STACK_PRETRAINED_PAL;
    while (id < first[stack]) stack--;
    return (LayerPlace){ (HeadStack)stack, id - first[stack] };
}
