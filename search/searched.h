/* A sentence that is searched, with what a parser says of it: a tree of Tregex's nodes, a graph of Semgrex's, or both
 * over the same words. */
#pragma once

#include "base/json.h"
#include "search/dep_nodes.h"
#include "search/node_tree.h"

/* What a parser says of a phrase, or of the arc to a word. */
typedef struct Belief {
    double p;    /* its probability in the joint distribution, or of the arc alone; NAN: unknown */
    int head;    /* the label head with the largest contribution, from 1; 0: unknown */
    double part; /* its contribution; NAN: unknown */
} Belief;

typedef enum GraphKind { GRAPH_AUTO, GRAPH_ENHANCED, GRAPH_BASIC } GraphKind; /* auto: enhanced, if a sentence has it */

typedef struct Searched {
    bool has_tree, has_graph;
    NodeTree tree;
    DepNodes graph;
    Belief *phrase; /* [tree.n], or NULL */
    Belief *arc;    /* [n_words], or NULL */
    int n_words;
    const char **word;           /* [n_words] */
    long *begin, *end;           /* [n_words] characters of the text, or NULL */
    const char *text, *document; /* NULL: unknown */
    long id, line;               /* 0: unknown */
    double p_tree, expected_f1;  /* NAN: unknown */
    int rank;                    /* among the best parses of the sentence, from 1; 0: it has one */
    double p;                    /* of this one among all parses; NAN: unknown */
    const Sentence *from;        /* of searched_json and searched_sentence; else NULL */
    StrView source;              /* of searched_brackets and searched_rows: the text of the sentence */
    Arena arena;
    Treebank json; /* what searched_json has read */
} Searched;

/* All zero is a sentence without anything; each of these replaces what it has. They add labels of trees to `labels`. */
void searched_fini(Searched *sentence);

/* The next tree of brackets, as node_tree_read has it; `rest` then begins after it. Lines between trees that begin
 * with '<' (markup) or '*' (headers of the Penn Treebank) are skipped. *found: is there one. */
Status searched_brackets(Searched *sentence, StrMap *labels, TextBlock *rest, bool *found, Error *error);
/* The same for a sentence of CoNLL-U, as dep_nodes_read has it, after the one that `sentence` is. */
Status searched_rows(Searched *sentence, TextBlock *rest, GraphKind graph, bool *found, Error *error);
/* Takes the next line that is not empty from `rest`. false: no line is left. */
bool searched_line(TextBlock *rest, TextBlock *line);
/* A line of lal parse --format json, its tree under the label top. Errors of json_lines_read. */
Status searched_json(Searched *sentence, StrMap *labels, TextBlock line, const char *top, GraphKind graph,
                     Error *error);
/* The parse of this rank in "kbest" of such a line (lal parse --kbest), with its tree of heads and without what the
 * line says of other decisions; *found: is there one. */
Status searched_best(Searched *sentence, StrMap *labels, TextBlock line, const char *top, int rank, bool *found,
                     Error *error);
/* A sentence with its tree and its arcs or graph, if it has them. Texts are borrowed. ERR_NOMEM. */
Status searched_sentence(Searched *sentence, StrMap *labels, const Sentence *from, const char *top, GraphKind graph,
                         Error *error);
/* Sets sentence->phrase for its phrases in pre-order, at most n; all of a unary chain have what its first has.
 * ERR_NOMEM. */
Status searched_decide(Searched *sentence, const Belief *decisions, int n, Error *error);

/* Words begin .. end - 1 of a node of the tree. */
int searched_begin(const Searched *sentence, int node);
int searched_end(const Searched *sentence, int node);
/* The word that heads a node of the tree: that whose governor in the graph is outside, if there is one; else by
 * Collins's rules. -1: the node has no words. */
int searched_head(Searched *sentence, const StrMap *labels, int node);
/* The word of a node of the graph; -1: an empty node. The node of a word; -1: it is not in the graph. */
int searched_word(const Searched *sentence, int graph_node);
int searched_graph_node(const Searched *sentence, int word);
/* Is there no blank before a word that is not the first one? */
bool searched_is_glued(const Searched *sentence, int word);
/* Appends the words begin .. end - 1, with blanks where the text has them. */
void searched_text(StrBuf *out, const Searched *sentence, int begin, int end);
