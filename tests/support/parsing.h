/* Parsers of toy models, and the sentences that they are given. */
#pragma once

#include "parser/parse/parser.h"
#include "tests/support/toy.h"

/* On the CPU. */
static inline void parser_ready(Parser *p, const Model *m, int threads)
{
    assert_ok(parser_init(p, m, device_cpu(), threads, test_error()));
}

/* The first n sentences, freed after the test. */
static inline ParseInput *parse_inputs(const Treebank *tb, int n)
{
    ParseInput *in = arena_alloc(test_arena(), (size_t)n + 1, sizeof *in);
    for (int k = 0; k < n; k++) in[k] = parse_input(&tb->s[k]);
    return in;
}

static inline void parse_all(Parser *p, const Treebank *tb)
{
    assert_ok(parser_run(p, parse_inputs(tb, tb->n), tb->n, NULL, NULL, test_error()));
}
