/* Any pattern (up to a line "=") is refused at its place, or finds nodes of a tree (after that line, or its own) within
 * its steps, and finds the same ones again. */
#include "search/tregex.h"
#include "tests/fuzz/fuzz.h"

typedef struct Seen {
    TregexSearch search;
    const Tregex *pattern;
    int n_nodes;
    uint64_t matches; /* a sum of all of them */
} Seen;

static bool take(TregexSearch *search, const TregexMatch *match)
{
    Seen *seen = (Seen *)search;
    seen->matches = 31 * seen->matches + (uint64_t)match->node + 1;
    require(match->node >= 0 && match->node < seen->n_nodes);
    for (int k = 0; k < tregex_names(seen->pattern); k++) {
        require(match->named[k] >= -1 && match->named[k] < seen->n_nodes);
        seen->matches = 31 * seen->matches + (uint64_t)(match->named[k] + 1);
    }
    for (int k = 0; k < tregex_variables(seen->pattern); k++)
        if (match->variable[k].ptr) seen->matches += text_hash(match->variable[k].ptr, match->variable[k].len);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char usual[] = "(ROOT (S (NP-SBJ (DT the) (NNS trees)) (VP (VBD were) (VP (VBN read) (PP (IN by) (NP "
                                "(NP (NN x)) (CC and) (NP (PRP$ my) (NN x)))))) (. .)))";
    StrView text, pattern = fuzz_cut(fuzz_text(data, size), &text);
    if (pattern.len == size) text = fuzz_text(usual, sizeof usual - 1);
    Error e = { 0 };
    Tregex *tregex = tregex_compile(pattern, HEADS_COLLINS, &e);
    require(tregex || (e.message[0] && e.column >= 1 && (size_t)e.column <= pattern.len + 1));
    MADE(StrMap, map_init, map_fini, labels);
    NodeTree tree = { 0 };
    size_t at = 0;
    for (bool found = true; tregex && found;) {
        if (node_tree_read(&tree, &labels, text_block(text, "fuzz"), &at, &found, &e) || !found) break;
        Seen first = { { take, 20000 }, tregex, tree.n, 0 }, second = first;
        Status s = tregex_search(tregex, &tree, &labels, &first.search, &e);
        require(s == OK || s == ERR_LIMIT);
        if (s == OK && !tregex_search(tregex, &tree, &labels, &second.search, &e))
            require(first.matches == second.matches);
    }
    node_tree_fini(&tree);
    tregex_free(tregex);
    return 0;
}
