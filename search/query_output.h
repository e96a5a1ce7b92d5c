/* Matches of a query as text. All functions set out->failed when out of memory. */
#pragma once

#include "search/query.h"

/* "12 n=14 v=17 %x=walk": numbers of nodes from 1, in pre-order with words, or CoNLL-U's numbers of words, "5" or
 * "8.1"; then named nodes, " %variable=text" or " %relation=nsubj" and " &edge=5>3:nsubj", each sorted by name. Where a
 * node is one of a tree and of a graph: "12+5". */
void query_put_match(StrBuf *out, const Query *query, const Match *match, const Searched *sentence);

/* An object: the members of the node that matched, and those of "names", "variables", "relations" and "edges" that are
 * set. A node has "node" (its number in the tree), "label", "word" (its number in the graph, a text), "begin" and "end"
 * (words, from 0), "text", and "characters" [begin, end], as far as each is known. */
void query_put_json(StrBuf *out, const char *key, const Query *query, const Match *match, const Searched *sentence,
                    const StrMap *labels);

/* A node of a tree in brackets on one line; words have their brackets escaped (tree_write_word). A word alone is
 * written without any. */
void searched_put_tree(StrBuf *out, const Searched *sentence, const StrMap *labels, int node);
/* The same over several lines, without a newline at the end, as the Penn Treebank and CoreNLP have it. */
void searched_put_lines(StrBuf *out, const Searched *sentence, const StrMap *labels, int node);
