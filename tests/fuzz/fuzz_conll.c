/* tests/fuzz/fuzz_conll.c: dependencies that are read form trees, can be written, read back the same, and are aligned
 * with themselves word by word. Partial ones are words of the sentence, and of them as many are kept as a tree can
 * have. */
#include "cky/constraint.h"
#include "eval/align.h"
#include "tests/fuzz/treebank.h"
#include "treebank/conll.h"

/* With all columns, a file agrees with itself in every measure. */
static void check_alignment(const uint8_t *data, size_t size)
{
    Treebank tb;
    AlignScores a;
    Error e = { 0 };
    treebank_init(&tb);
    if (conll_read(&tb, text_block((StrView){ (const char *)data, size }, "fuzz"),
                   (ConllOptions){ .keep_columns = true }, &e) == OK &&
        tb.n && align_score(&tb, &tb, "fuzz", "fuzz", &a, &e) == OK)
        for (int m = 0; m < ALIGN_MEASURES; m++)
            if (a.of[m].matched != a.of[m].gold || a.of[m].matched != a.of[m].pred) abort();
    treebank_fini(&tb);
}

/* The arcs that are kept have a tree; what a tree with one root already is stays whole. */
static void check_sentence(const Sentence *sent, Arena *a)
{
    enum { MOST = 12 };
    int n = sent->n_words, word, kept = 0;
    const char *what;
    bool projective;
    Error e = { 0 };
    for (int w = 0; w < n; w++)
        if (sent->heads[w] != HEAD_FREE && (sent->heads[w] < 0 || sent->heads[w] > n)) abort();
    if (n > MOST) return;
    int *heads = arena_alloc(a, (size_t)n, sizeof *heads);
    memcpy(heads, sent->heads, (size_t)n * sizeof *heads);
    Constraint c = { .n = n, .heads = heads };
    if (constraint_relax(&c, a, &e) != OK) abort();
    for (int w = 0; w < n; w++) kept += heads[w] == sent->heads[w];
    bool tree = tree_heads_valid(sent->heads, n, &word, &what);
    if (tree && (!tree_heads_projective(sent->heads, n, &projective) || (kept == n) != projective)) abort();
    Real t[(MOST + 1) * (MOST + 1)] = { 0 };
    SpanBest best[MOST * (MOST + 1) / 2];
    for (long k = 0; k < chart_size(n); k++) best[k] = (SpanBest){ 0, 0, CHART_GROUP + 1, CHART_GROUP + 1 };
    constraint_mask_arcs(&c, t);
    JointTree *found = joint_decode(best, t, n, a, a, &e);
    if (!found || !found->n_nodes) abort();
}

static void check_partial(const uint8_t *data, size_t size)
{
    Treebank tb;
    Error e = { 0 };
    treebank_init(&tb);
    if (conll_read(&tb, text_block((StrView){ (const char *)data, size }, "fuzz"), (ConllOptions){ .partial = true },
                   &e) == OK)
        for (int k = 0; k < tb.n; k++) check_sentence(&tb.s[k], &tb.arena);
    treebank_fini(&tb);
}

/* Sentences with all their lines form trees, or have no heads at all, and are written and read back the same. */
static void check_whole(const uint8_t *data, size_t size)
{
    Treebank tb;
    Error e = { 0 };
    treebank_init(&tb);
    if (conll_read(&tb, text_block((StrView){ (const char *)data, size }, "fuzz"),
                   (ConllOptions){ .bare = size % 2, .keep_spelling = size % 3 == 0 }, &e) == OK)
        for (int k = 0; k < tb.n; k++) {
            int word;
            const char *what;
            if (!tb.s[k].heads && size % 2) continue;
            if (!tree_heads_valid(tb.s[k].heads, tb.s[k].n_words, &word, &what)) abort();
        }
    check_sentences(&tb);
    treebank_fini(&tb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_whole(data, size);
    check_alignment(data, size);
    check_partial(data, size);
    return 0;
}
