/* tests/fuzz/fuzz_head_rules.c: any table that is read (up to a line "=") gives any tree (after that line) valid,
 * projective dependencies with one head per phrase. */
#include "tests/fuzz/treebank.h"
#include "treebank/head_rules.h"

static void check_sentence(const HeadRules *r, Sentence *s, Arena *arena)
{
    int word;
    const char *what;
    bool projective;
    Error e = { 0 };
    if (head_rules_apply(r, s, arena, &e) != OK) abort();
    if (!tree_heads_valid(s->heads, s->n_words, &word, &what) ||
        !tree_heads_projective(s->heads, s->n_words, &projective) || !projective)
        abort();
    for (int p = 0; p < s->n_phrases; p++)
        if (phrase_outside_heads(s, &s->phrases[p]) != 1) abort();
    for (int w = 0; w < s->n_words; w++)
        if (!s->types[w][0]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char tree[] =
        "(S (NP (DT the) (NNS trees)) (VP (VBD were) (VP (VBN read) (PP (IN by) (NP (NN x) (CC and) (NN y))))) (. .))";
    const char *at = (const char *)data, *end = at + size, *cut = end;
    for (const char *p = at; p + 3 <= end && cut == end; p++)
        if (memcmp(p, "\n=\n", 3) == 0) cut = p;
    Treebank tb;
    Error e = { 0 };
    HeadRules *r = head_rules_read((StrView){ at, (size_t)(cut - at) }, "fuzz", &e);
    treebank_init(&tb);
    StrView trees = cut < end ? (StrView){ cut + 3, (size_t)(end - cut - 3) } : (StrView){ tree, sizeof tree - 1 };
    if (r && bracket_read(&tb, text_block(trees, "fuzz"), (BracketOptions){ .strip_functions = true }, &e) == OK)
        for (int k = 0; k < tb.n; k++) check_sentence(r, &tb.s[k], &tb.arena);
    treebank_fini(&tb);
    head_rules_free(r);
    return 0;
}
