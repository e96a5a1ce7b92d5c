/* Any pattern (up to a line "=") is refused at its place, or finds words of a graph (after that line, or its own),
 * basic and enhanced, within its steps, and finds the same ones again. */
#include "search/semgrex.h"
#include "tests/fuzz/fuzz.h"

typedef struct Seen {
    SemgrexSearch search;
    const Semgrex *pattern;
    const DepNodes *graph;
    uint64_t matches; /* a sum of all of them */
} Seen;

static bool take(SemgrexSearch *search, const SemgrexMatch *match)
{
    Seen *seen = (Seen *)search;
    seen->matches = 31 * seen->matches + (uint64_t)match->node + 1;
    require(match->node >= 0 && match->node < seen->graph->n);
    for (int k = 0; k < semgrex_names(seen->pattern); k++) {
        require(match->named[k] >= -1 && match->named[k] < seen->graph->n);
        seen->matches = 31 * seen->matches + (uint64_t)(match->named[k] + 1);
    }
    for (int k = 0; k < semgrex_relations(seen->pattern); k++)
        if (match->relation[k]) seen->matches += text_hash(match->relation[k], strlen(match->relation[k]));
    for (int k = 0; k < semgrex_edges(seen->pattern); k++)
        require(match->edge[k] >= -1 && match->edge[k] < seen->graph->n_edges);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char usual[] = "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t5\tnsubj\t5:nsubj|5.1:nsubj\t_\n"
                                "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tGloss=no\n"
                                "2\tdo\tdo\tAUX\tVBP\tMood=Ind|Tense=Pres\t5\taux\t5:aux\t_\n"
                                "3\tn't\tnot\tPART\tRB\t_\t5\tadvmod\t5:advmod\t_\n"
                                "4\talways\talways\tADV\tRB\t_\t5\tadvmod\t5:advmod|1:dep\t_\n"
                                "5\teat\teat\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root|4:dep\t_\n"
                                "5.1\tate\teat\tVERB\tVBD\tTense=Past\t_\t_\t5:dep\t_\n"
                                "6\tfish\tfish\tNOUN\tNN\tNumber=Sing\t5\tobj\t5:obj\tSpaceAfter=No\n"
                                "7\t.\t.\tPUNCT\t.\t_\t5\tpunct\t5:punct\t_\n";
    StrView rows, pattern = fuzz_cut(fuzz_text(data, size), &rows);
    if (pattern.len == size) rows = fuzz_text(usual, sizeof usual - 1);
    Error e = { 0 };
    MADE(Arena, arena_init, arena_fini, arena, 4096);
    for (int enhanced = 0; enhanced < 2; enhanced++) {
        DepNodes graph;
        Semgrex *semgrex = semgrex_compile(pattern, enhanced, &e);
        require(semgrex || (e.message[0] && e.column >= 1 && (size_t)e.column <= pattern.len + 1));
        if (semgrex && accepted(dep_nodes_read(&graph, rows, enhanced, &arena, &e), &e)) {
            Seen first = { { take, 20000 }, semgrex, &graph, 0 }, second = first;
            Status s = semgrex_search(semgrex, &graph, &first.search, &e);
            require(s == OK || s == ERR_LIMIT);
            if (s == OK && !semgrex_search(semgrex, &graph, &second.search, &e))
                require(first.matches == second.matches);
        }
        semgrex_free(semgrex);
    }
    return 0;
}
