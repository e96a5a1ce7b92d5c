/* Random sentences with trees and dependencies from a small grammar of English, for tests that
 * need a treebank. The same seed gives the same sentences. */
#pragma once

#include <stdint.h>

#include "treebank/tree.h"

/* Appends n sentences with words, tags, phrases, heads and types. false when out of memory. */
bool grammar_sentences(Treebank *tb, int n, uint64_t seed);
