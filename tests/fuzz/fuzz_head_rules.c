/* Any table that is read (up to a line "=") gives any tree (after that line) valid,
 * projective dependencies with one head per phrase. */
#include "tests/fuzz/treebank.h"
#include "treebank/head_rules.h"

static void check_sentence(const HeadRules *r, Sentence *s, Arena *arena)
{
    bool projective;
    Error e = { 0 };
    require(head_rules_apply(r, s, arena, &e) == OK);
    check_heads(s);
    require(tree_heads_projective(s->heads, s->n_words, &projective) && projective);
    for (int w = 0; w < s->n_words; w++) require(s->types[w][0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char tree[] =
        "(S (NP (DT the) (NNS trees)) (VP (VBD were) (VP (VBN read) (PP (IN by) (NP (NN x) (CC and) (NN y))))) (. .))";
    StrView trees, rules = fuzz_cut(fuzz_text(data, size), &trees);
    if (rules.len == size) trees = fuzz_text(tree, sizeof tree - 1);
    Error e = { 0 };
    HeadRules *r = head_rules_read(rules, "fuzz", &e);
    MADE(Treebank, treebank_init, treebank_fini, tb);
    if (r && bracket_read(&tb, text_block(trees, "fuzz"), (BracketOptions){ .strip_functions = true }, &e) == OK)
        for (int k = 0; k < tb.n; k++) check_sentence(r, &tb.s[k], &tb.arena);
    head_rules_free(r);
    return 0;
}
