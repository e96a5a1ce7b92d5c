/* Encoder options that name heads of a pretrained encoder: patterns of words as
 * sets of pieces, also in windows; masks, fixed heads and projected attention in BERT, MPNet and XLNet. */
#include <string.h>

#include "tests/support/tiny_encoder.h"

/* Without windows the pieces are START, Dogs, intimidate x 3, comma, but, dogs x 2, STOP. */
static const char *const NAMES[] = { "'self'",  "'next'",    "'match_token'",
                                     "'delim'", "'dep_syn'", "['prev', 'match_token']" };
static const char *const SETS[][10] = {
    /* self */ { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" },
    /* next */ { "1", "2", "3", "4", "5", "6", "7", "8", "9", "" },
    /* match_token */ { "", "178", "", "", "", "", "", "178", "178", "" },
    /* delim */ { "09", "019", "02349", "02349", "02349", "059", "069", "0789", "0789", "09" },
    /* dep_syn */ { "0", "1234", "1234578", "1234578", "1234578", "2345", "678", "234678", "234678", "9" },
    /* prev, match_token */ { "", "0178", "1", "2", "3", "4", "5", "1678", "178", "8" },
};

/* The keys of row i of sequence b, as digits. */
static void keys_of(const HeadControl *c, const Batch *batch, int b, int i, char *out)
{
    const Batch before = { b, batch->start, 0, 0 };
    int m = batch->start[b + 1] - batch->start[b], slot = c->slot_of_head[0];
    const uint64_t *row =
        c->mask->bits + slot * c->mask->words + attention_mask_words(&before) + i * attention_mask_row(m);
    for (int j = 0; j < m; j++)
        if (row[j / 64] >> j % 64 & 1) *out++ = (char)('0' + j);
    *out = 0;
}

TEST(pieces_belong_to_the_tokens_of_their_words)
{
    static const int whole[] = { 0, 1, 2, 2, 2, 3, 4, 5, 5, 6, 0, 1, 2 },
                     windows[] = { 0, 1, 2, 2, 2, 6, 0, 2, 2, 3, 4, 6, 0, 3, 4, 5, 5, 6, 0, 1, 2 },
                     sentence[] = { 0, 0, 0, 1 };
    PieceBatch one = tiny_pieces(0, PIECE_LAST, test_arena()), cut = tiny_pieces(6, PIECE_LAST, test_arena());
    assert_int_equal(one.batch.n_tokens, 13);
    assert_memory_equal(one.token, whole, sizeof whole);
    assert_int_equal(cut.batch.n_sent, 4);
    assert_memory_equal(cut.sentence, sentence, sizeof sentence);
    assert_memory_equal(cut.token, windows, sizeof windows);
    assert_null(one.control);
}

/* The pieces of the sentences, `most` in a window, with a mask of head 0 of a layer by a pattern; inits h and a. */
static PieceBatch masked_pieces(TinyHeads *h, int layer, const char *pattern, int most, Arena *a)
{
    char json[300];
    arena_init(a, 4096);
    snprintf(json, sizeof json,
             "{'heads': [{'stack': 'pretrained', 'layers': [%d], 'heads': [0], 'pattern': %s, 'use': 'mask'}], "
             "'syntax': {'source': 'gold'}}",
             layer, pattern);
    tiny_heads_init(h, json, a);
    PieceBatch pieces = tiny_pieces(most, PIECE_LAST, a);
    tiny_heads_act(h, &pieces, a);
    return pieces;
}

TEST(sets_of_words_are_sets_of_pieces)
{
    for (size_t k = 0; k < sizeof SETS / sizeof *SETS; k++) {
        FREED(arena_fini) Arena a;
        FREED(tiny_heads_fini) TinyHeads h;
        char found[16];
        PieceBatch pieces = masked_pieces(&h, 1, NAMES[k], 0, &a);
        assert_non_null(pieces.control);
        assert_null(pieces.control[0].slot_of_head);
        for (int i = 0; i < 10; i++) {
            const char *want = *SETS[k][i] ? SETS[k][i] : "0123456789"; /* an empty set does not restrict */
            keys_of(&pieces.control[1], &pieces.batch, 0, i, found);
            if (strcmp(found, want) != 0) fail_msg("%s, piece %d: found %s, expected %s", NAMES[k], i, found, want);
        }
    }
}

/* Windows are START, four pieces, STOP; they begin at pieces 0, 2 and 4 of the sentence. A piece sees what is in its
 * window, at least its own word; an empty set does not restrict. */
TEST(sets_of_pieces_end_with_their_window)
{
    static const char *const patterns[] = { "'dep_syn'", "'match_token'", "'next'" };
    static const char *const want[][18] = {
        { "0", "1234", "1234", "1234", "1234", "5", "0", "123", "123", "123", "4", "5", "0", "1", "234", "234", "234",
          "5" },
        { "012345", "1", "012345", "012345", "012345", "012345", "012345", "012345", "012345", "012345", "012345",
          "012345", "012345", "012345", "012345", "34", "34", "012345" },
        { "1", "2", "3", "4", "5", "012345", "1", "2", "3", "4", "5", "012345", "1", "2", "3", "4", "5", "012345" },
    };
    for (int k = 0; k < 3; k++) {
        FREED(arena_fini) Arena a;
        FREED(tiny_heads_fini) TinyHeads h;
        char found[16];
        PieceBatch pieces = masked_pieces(&h, 0, patterns[k], 6, &a);
        for (int i = 0; i < 18; i++) {
            keys_of(&pieces.control[0], &pieces.batch, i / 6, i % 6, found);
            if (strcmp(found, want[k][i]) != 0)
                fail_msg("%s, row %d: found %s, expected %s", patterns[k], i, found, want[k][i]);
        }
    }
}

/* "12", "" of an empty row, "-" of one that takes no part. */
static void target_of(const GuidanceTargets *t, int row, char *out)
{
    for (int k = t->start[row]; k < t->start[row + 1]; k++) *out++ = (char)(t->key[k] < 0 ? '-' : '0' + t->key[k]);
    *out = 0;
}

TEST(targets_of_pieces_are_without_their_own_word)
{
    static const char *const patterns[] = { "'dep_head'", "'first'", "'prev'" };
    static const char *const whole[][10] = { { "", "234", "0", "0", "0", "234", "78", "234", "234", "" },
                                             { "0", "0", "0", "0", "0", "0", "0", "0", "0", "0" },
                                             { "", "0", "1", "2", "3", "4", "5", "6", "7", "8" } },
                             *const windows[][18] = { { "", "234", "0", "0", "0", "", "", "0", "0", "12", "-", "", "",
                                                        "-", "34", "-", "-", "" },
                                                      { "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0",
                                                        "0", "0", "0", "0", "0" },
                                                      { "", "0", "1", "2", "3", "4", "", "0", "1", "2", "3", "4", "",
                                                        "0", "1", "2", "3", "4" } };
    for (int k = 0; k < 6; k++) {
        char json[300], found[16];
        snprintf(json, sizeof json,
                 "{'heads': [{'stack': 'pretrained', 'layers': [0], 'heads': [0], 'pattern': %s, 'use': 'guide'}]}",
                 patterns[k / 2]);
        MADE(TinyHeads, tiny_heads_init, tiny_heads_fini, h, json, test_arena());
        PieceBatch pieces = tiny_pieces(k % 2 ? 6 : 0, PIECE_LAST, test_arena());
        tiny_heads_act(&h, &pieces, test_arena());
        assert_null(pieces.control);
        assert_int_equal(h.targets[0].rows, pieces.batch.n_tokens);
        for (int i = 0; i < (k % 2 ? 18 : 10); i++) {
            const char *want = k % 2 ? windows[k / 2][i] : whole[k / 2][i];
            target_of(&h.targets[0], i, found);
            if (strcmp(found, want) != 0)
                fail_msg("%s, row %d: found %s, expected %s", patterns[k / 2], i, found, want);
        }
    }
}

/* A sentence without the parse that a pattern reads is not restricted, and has no targets. */
TEST(sentences_without_a_parse_are_left_alone)
{
    static const PatternSentence bare[] = { { .n = 5, .words = TINY_TEXT }, { .n = 1, .words = TINY_TEXT_2 } };
    FREED(tiny_heads_fini) TinyHeads h;
    char found[16];
    tiny_heads_init(&h,
                    "{'heads': [" TINY_HEAD("pretrained", "[0]", "0", "'dep_syn'", "mask") ", " TINY_HEAD(
                        "pretrained", "[0]", "1", "'dep_head'", "guide") "], 'syntax': {'source': 'gold'}}",
                    test_arena());
    PieceBatch pieces = tiny_pieces(6, PIECE_LAST, test_arena());
    const HeadPieces p = piece_batch_pieces(&pieces);
    assert_ok(head_plan_piece_control(&h.plan, bare, &p, test_arena(), &pieces.control, test_error()));
    assert_ok(head_plan_piece_targets(&h.plan, bare, &p, h.targets, test_arena(), test_error()));
    keys_of(&pieces.control[0], &pieces.batch, 1, 2, found);
    assert_string_equal(found, "012345");
    for (int row = 0; row < pieces.batch.n_tokens; row++) {
        target_of(&h.targets[0], row, found);
        assert_string_equal(found, "-");
    }
}

/* ---- in the encoders */

typedef struct Net {
    TinyEncoder e;
    PretrainedOutput out;
    HostMatrix y;
} Net;

/* Projected attention has its first values unless `drawn`. */
static void net_init(Net *n, PretrainedKind kind, const char *options, bool drawn)
{
    tiny_encoder_init(&n->e, device_cpu());
    tiny_encoder_declare(&n->e, (WordEncoderConfig){ .encoder = tiny_pretrained(kind) }, PIECE_LAST, options);
    if (!drawn) pretrained_encoder_init_pal(&n->e.we.encoder, &n->e.ps, 0.02, 3);
}

static void net_fini(Net *n) { tiny_encoder_fini(&n->e); }

static void net_run(Net *n, bool record)
{
    const Forward f = tiny_encoder_begin(&n->e, record, false, 0, NULL);
    n->y = tensor_host(&n->e.t, tiny_encoder_forward(&n->e, &f, &n->out), &n->e.a);
}

static void assert_same(const HostMatrix *x, const HostMatrix *y, bool same)
{
    bool equal = true;
    assert_true(x->rows == y->rows && x->cols == y->cols);
    for (int r = 0; r < x->rows; r++)
        for (int c = 0; c < x->cols; c++) equal = equal && host_row(x, r)[c] == host_row(y, r)[c];
    assert_int_equal(equal, same);
}

TEST(projected_attention_changes_nothing_at_first)
{
    static const char *const options[] = { "{" TINY_PAL("ff", "false") "}", "{" TINY_PAL("attention", "true") "}" };
    for (int k = 0; k < 2 * N_TINY_KINDS; k++) {
        MADE(Net, net_init, net_fini, plain, TINY_KINDS[k / 2], NULL, false);
        MADE(Net, net_init, net_fini, pal, TINY_KINDS[k / 2], options[k % 2], false);
        MADE(Net, net_init, net_fini, drawn, TINY_KINDS[k / 2], options[k % 2], true);
        net_run(&plain, false);
        net_run(&pal, false);
        net_run(&drawn, true);
        assert_same(&plain.y, &pal.y, true);
        assert_same(&plain.y, &drawn.y, false);
        assert_true(drawn.out.pal_probs[0] && drawn.out.pal_probs[1] && !pal.out.pal_probs[0]);
        bool shared = params_find(&pal.e.ps, "pretrained.pal_1.down.weight") < 0;
        assert_int_equal(shared, k % 2);
        assert_true(params_find(&pal.e.ps, "pretrained.pal_1.q.weight") >= 0);
    }
}

/* The attention of head h of a layer: row i of sequence b. */
static const Real *attention_row(Net *n, const Tensor *probs, int h, int b, int i)
{
    const int *start = n->e.pieces.batch.start;
    HostMatrix x = tensor_host(&n->e.t, probs, &n->e.a);
    ptrdiff_t at = 0;
    for (int k = 0; k < b; k++) at += (ptrdiff_t)(start[k + 1] - start[k]) * (start[k + 1] - start[k]);
    return host_row(&x, h) + at + (ptrdiff_t)i * (start[b + 1] - start[b]);
}

/* Fixed heads attend to their sets alike, whatever the logits, also with the biases of MPNet and XLNet; masked ones
 * give nothing outside of theirs; all rows sum to 1. */
TEST(heads_attend_to_their_sets_of_pieces)
{
    for (int k = 0; k < N_TINY_KINDS; k++) {
        MADE(Net, net_init, net_fini, n, TINY_KINDS[k], TINY_ALL("ff", "false"), true);
        net_run(&n, true);
        const Batch *batch = &n.e.pieces.batch;
        for (int l = 0; l < 4; l++) {
            const HeadControl *c = &n.e.pieces.control[l];
            const Tensor *probs = l < 2 ? n.out.attention[l].probs : n.out.pal_probs[l - 2];
            for (int h = 0; h < 2; h++)
                for (int b = 0; b < batch->n_sent; b++)
                    for (int i = 0, m = batch->start[b + 1] - batch->start[b]; i < m; i++) {
                        int slot = c->slot_of_head ? c->slot_of_head[h] : -1, size = 0;
                        const HeadControl own = { .mask = c->mask, .slot_of_head = &slot };
                        const Real *p = attention_row(&n, probs, h, b, i);
                        char keys[16] = "";
                        double sum = 0;
                        for (int j = 0; j < m; j++) sum += (double)p[j];
                        assert_within(sum, 1, 1e-6);
                        if (slot < 0) continue;
                        keys_of(&own, batch, b, i, keys);
                        size = (int)strlen(keys);
                        for (int j = 0; j < m; j++) {
                            bool in = strchr(keys, '0' + j) != NULL;
                            if (!in) assert_true(p[j] == 0);
                            else if (c->fixed && c->fixed[h]) assert_within((double)p[j], 1.0 / size, 1e-6);
                        }
                    }
        }
    }
}

/* What a fixed head does not read has no influence: its queries and keys. */
TEST(fixed_heads_read_no_queries_and_keys)
{
    static const char options[] = "{'heads': [" TINY_HEAD("pretrained", "'all'", "0, 1", "'prev'", "fixed") "]}";
    for (int k = 0; k < N_TINY_KINDS; k++) {
        MADE(Net, net_init, net_fini, n, TINY_KINDS[k], options, true);
        net_run(&n, false);
        const HostMatrix before = n.y;
        for (int l = 0; l < 2; l++) {
            int w = n.e.we.encoder.attn[l].qkv[0];
            const Param *p = &n.e.ps.p[w];
            for (int r = 0; r < p->rows; r++)
                for (int c = 0; c < 2 * p->cols / 3; c++) param_values(&n.e.ps, w)[(ptrdiff_t)r * p->cols + c] *= 3;
        }
        net_run(&n, false);
        assert_same(&before, &n.y, true);
    }
}

/* Options for one stack leave others alone: a mask that restricts nothing gives the plain encoder. */
TEST(a_mask_of_all_pieces_changes_nothing)
{
    static const char options[] =
        "{'heads': [" TINY_HEAD("pretrained", "'all'", "0, 1", "'rel_pos/window=25'", "mask") "]}";
    for (int k = 0; k < N_TINY_KINDS; k++) {
        MADE(Net, net_init, net_fini, plain, TINY_KINDS[k], NULL, true);
        MADE(Net, net_init, net_fini, masked, TINY_KINDS[k], options, true);
        net_run(&plain, false);
        net_run(&masked, false);
        assert_same(&plain.y, &masked.y, true);
    }
}

TEST(sets_of_pieces_return_every_failed_allocation)
{
    MADE(Arena, arena_init, arena_fini, a, 4096);
    MADE(TinyHeads, tiny_heads_init, tiny_heads_fini, h, TINY_ALL("ff", "false"), &a);
    PieceBatch pieces = tiny_pieces(6, PIECE_LAST, &a);
    const HeadPieces p = piece_batch_pieces(&pieces);
    for (long n = 0; allocation_fails(n); n++) {
        MADE(Arena, arena_init, arena_fini, scratch, 16);
        mem_fail_after(n);
        Status s = head_plan_piece_control(&h.plan, TINY_SENTENCES, &p, &scratch, &pieces.control, test_error());
        if (s == OK) s = head_plan_piece_targets(&h.plan, TINY_SENTENCES, &p, h.targets, &scratch, test_error());
        assert_ok_or_no_memory(s);
    }
}
