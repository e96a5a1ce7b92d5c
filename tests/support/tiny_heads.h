/* Encoder options that act on the encoders of tiny_pretrained.h, over two
 * sentences. */
#pragma once

#include "embeddings/word_encoder.h"
#include "tests/support/tiny_pretrained.h"
#include "tests/support/toy_options.h"

/* Two sentences of words and their pieces. */
enum { WORDS = 6, TOKENS = WORDS + 4 };
static const int IDS[] = { 4, 2, 6, 6, 3, 5, 7, 8, 2 }, N_WORDS[] = { 5, 1 },
                 SENTENCE_OF[] = { 0, 0, 0, 0, 0, 0, 0, 1, 1, 1 }, START[] = { 0, 7, 10 };
static const WordPieces PIECES[WORDS] = { { IDS, 1 },     { IDS + 1, 3 }, { IDS + 4, 1 },
                                          { IDS + 5, 1 }, { IDS + 6, 2 }, { IDS + 8, 1 } };
static const Batch BATCH = { 2, START, TOKENS, 7 };

static const char *const TINY_TEXT[] = { "Dogs", "intimidate", ",", "but", "dogs" }, *const TINY_TEXT_2[] = { "." };
static const int TINY_ARCS[] = { 2, 0, 2, 5, 2 }, TINY_ARCS_2[] = { 0 };
static const char *const TINY_TYPES[] = { "nsubj", "root", "punct", "cc", "conj" };
static const PatternSentence TINY_SENTENCES[] = {
    { .n = 5, .words = TINY_TEXT, .heads = TINY_ARCS, .types = TINY_TYPES },
    { .n = 1, .words = TINY_TEXT_2, .heads = TINY_ARCS_2, .types = TINY_TYPES + 1 },
};

/* Each use in each stack of a pretrained encoder. */
#define TINY_HEAD(stack, layers, head, pattern, use) \
    "{'stack': '" stack "', 'layers': " layers ", 'heads': [" head "], 'pattern': " pattern ", 'use': '" use "'}"
#define TINY_MASKS                                                                                                 \
    TINY_HEAD("pretrained", "[0]", "0", "'dep_syn'", "mask")                                                       \
    ", " TINY_HEAD("pretrained", "[1]", "1", "['prev', 'delim']", "mask") ", " TINY_HEAD("pretrained", "[0]", "1", \
                                                                                         "'match_token'", "fixed")
#define TINY_GUIDES                                            \
    TINY_HEAD("pretrained", "[1]", "0", "'dep_head'", "guide") \
    ", " TINY_HEAD("pretrained_pal", "[1]", "1", "'next'", "guide")
#define TINY_PAL_MASKS                                           \
    TINY_HEAD("pretrained_pal", "'all'", "0", "'prev'", "fixed") \
    ", " TINY_HEAD("pretrained_pal", "[0]", "1", "'match_token'", "mask")
#define TINY_PAL(at, share) \
    "'pal': {'pretrained_layers': 'all', 'width': 4, 'heads': 2, 'at': '" at "', 'share': " share "}"
#define TINY_ALL(at, share)                                       \
    "{'heads': [" TINY_MASKS ", " TINY_GUIDES ", " TINY_PAL_MASKS \
    "], 'syntax': {'source': 'gold'}, " TINY_PAL(at, share) "}"

/* The pieces of the words, at most `most` in a window (0: any number). */
static inline PieceBatch tiny_pieces(int most, PieceChoice choice, Arena *a)
{
    PieceBatch b;
    const PieceLayout l = { 0, 1, most, choice };
    assert_ok(piece_batch_make(l, PIECES, N_WORDS, 2, a, &b, test_error()));
    return b;
}

typedef struct TinyHeads {
    EncoderOptions o;
    HeadPlan plan;
    GuidanceTargets targets[8];
} TinyHeads;

/* A plan of the two layers of a tiny encoder, for a parser with one layer of two heads. */
static inline void tiny_heads_init(TinyHeads *h, const char *json, Arena *a)
{
    const EncoderShape shape = { .n_layers = 1, .n_heads = 2, .n_pretrained_layers = 2, .n_pretrained_heads = 2 };
    *h = (TinyHeads){ .o = toy_options(json, a) };
    assert_ok(encoder_options_check(&h->o, &shape, NULL, a, test_error()));
    assert_ok(head_plan_init(&h->plan, 1, 2, 0, false, h->o.pal.heads, test_error()));
    assert_ok(head_plan_add_pretrained(&h->plan, 2, 2, test_error()));
    assert_ok(head_plan_take(&h->plan, &h->o, test_error()));
}

/* What acts on the heads for the sentences; memory in the arena. */
static inline void tiny_heads_act(TinyHeads *h, PieceBatch *pieces, Arena *a)
{
    const HeadPieces p = piece_batch_pieces(pieces);
    assert_ok(head_plan_piece_control(&h->plan, TINY_SENTENCES, &p, a, &pieces->control, test_error()));
    assert_ok(head_plan_piece_targets(&h->plan, TINY_SENTENCES, &p, h->targets, a, test_error()));
}

static inline void tiny_heads_fini(TinyHeads *h)
{
    for (int g = 0; g < h->plan.n_guides; g++) guidance_targets_fini(&h->targets[g]);
    head_plan_fini(&h->plan);
}
