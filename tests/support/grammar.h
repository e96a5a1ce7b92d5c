/* tests/support/grammar.h: sentences with trees and dependencies, drawn from a small grammar of English, for tests that
 * need a treebank. The same seed gives the same sentences. */
#ifndef LAL_TESTS_SUPPORT_GRAMMAR_H
#define LAL_TESTS_SUPPORT_GRAMMAR_H

#include <stdint.h>

#include "treebank/tree.h"

/* Adds n sentences with words, tags, phrases, heads and types. false: memory is out. */
bool grammar_sentences(Treebank *tb, int n, uint64_t seed);

#endif
