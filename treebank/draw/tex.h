/* A sentence as LaTeX: its tree for the package forest, its dependencies for tikz-dependency. */
#pragma once

#include "treebank/tree.h"

/* Appends an environment forest, which begins with phrase `label` over the tree if no phrase covers the sentence. Tags
 * are above the words. out->failed is set when out of memory. */
void tex_forest(StrBuf *out, const Sentence *sent, const char *label);
/* Appends an environment dependency: words, below them tags, if there are any, and the arcs of the sentence, which has
 * heads. */
void tex_dependency(StrBuf *out, const Sentence *sent);
