/* Dependencies that are read form trees, can be written, read back the same, and are aligned
 * with themselves word by word. Partial ones are words of the sentence, and of them as many are kept as a tree can
 * have. */
#include "cky/constraint.h"
#include "eval/align.h"
#include "tests/fuzz/treebank.h"
#include "treebank/conll.h"

/* With all columns, a file agrees with itself in every measure. */
static void check_alignment(StrView text)
{
    AlignScores a;
    Error e = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    if (conll_read(&tb, text_block(text, "fuzz"), (ConllOptions){ .keep_columns = true }, &e) == OK && tb.n &&
        align_score(&tb, &tb, "fuzz", "fuzz", &a, &e) == OK)
        for (int m = 0; m < ALIGN_MEASURES; m++)
            require(a.of[m].matched == a.of[m].gold && a.of[m].matched == a.of[m].pred);
}

/* The arcs that are kept have a tree; what a tree with one root already is stays whole. */
static void check_sentence(const Sentence *sent, Arena *a)
{
    enum { MOST = 12 };
    int n = sent->n_words, kept = 0;
    bool projective;
    Error e = { 0 };
    for (int w = 0; w < n; w++) require(sent->heads[w] == HEAD_FREE || (sent->heads[w] >= 0 && sent->heads[w] <= n));
    if (n > MOST) return;
    int *heads = arena_alloc(a, (size_t)n, sizeof *heads);
    memcpy(heads, sent->heads, (size_t)n * sizeof *heads);
    Constraint c = { .n = n, .heads = heads };
    require(constraint_relax(&c, a, &e) == OK);
    for (int w = 0; w < n; w++) kept += heads[w] == sent->heads[w];
    if (valid(sent)) require(tree_heads_projective(sent->heads, n, &projective) && (kept == n) == projective);
    Real t[(MOST + 1) * (MOST + 1)] = { 0 };
    SpanBest best[MOST * (MOST + 1) / 2];
    for (long k = 0; k < chart_size(n); k++) best[k] = (SpanBest){ 0, 0, CHART_GROUP + 1, CHART_GROUP + 1 };
    constraint_mask_arcs(&c, t);
    JointTree *found = joint_decode(best, t, n, a, a, &e);
    require(found && found->n_nodes);
}

static void check_partial(StrView text)
{
    Error e = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    if (conll_read(&tb, text_block(text, "fuzz"), (ConllOptions){ .partial = true }, &e) == OK)
        for (int k = 0; k < tb.n; k++) check_sentence(&tb.s[k], &tb.arena);
}

/* Sentences with all their lines form trees, or have no heads at all, and are written and read back the same. */
static void check_whole(StrView text)
{
    const ConllOptions o = { .bare = text.len % 2, .keep_spelling = text.len % 3 == 0 };
    Error e = { 0 };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    if (conll_read(&tb, text_block(text, "fuzz"), o, &e) == OK)
        for (int k = 0; k < tb.n; k++) require((o.bare && !tb.s[k].heads) || valid(&tb.s[k]));
    check_sentences(&tb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_whole(fuzz_text(data, size));
    check_alignment(fuzz_text(data, size));
    check_partial(fuzz_text(data, size));
    return 0;
}
