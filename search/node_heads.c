/* Which child is the head of a phrase? Collins (1999), appendix A, as CoreNLP's CollinsHeadFinder has it. */
#include "search/node_tree.h"

typedef enum Way { FIRST, LAST, FIRST_OF_ANY, LAST_OF_ANY, LAST_BUT } Way;

/* Rules of a label in their order: FIRST and LAST look for a label after the other, the first or last child of it;
 * _OF_ANY for the first or last child with one of the labels. No labels: the first or last child. */
typedef struct Rule {
    const char *label;
    Way way;
    const char *kids;
} Rule;

static const Rule COLLINS[] = {
    { "ADJP", FIRST, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB" },
    { "ADVP", LAST, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN" },
    { "CONJP", LAST, "CC RB IN" },
    { "FRAG", LAST, "" },
    { "INTJ", FIRST, "" },
    { "LST", LAST, "LS :" },
    { "NAC", FIRST, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW" },
    { "NX", FIRST, "" },
    { "PP", LAST, "IN TO VBG VBN RP FW" },
    { "PRN", FIRST, "" },
    { "PRT", LAST, "RP" },
    { "QP", FIRST, "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS" },
    { "RRC", LAST, "VP NP ADVP ADJP PP" },
    { "S", FIRST, "TO IN VP S SBAR ADJP UCP NP" },
    { "SBAR", FIRST, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG" },
    { "SBARQ", FIRST, "SQ S SINV SBARQ FRAG" },
    { "SINV", FIRST, "VBZ VBD VBP VB MD VP S SINV ADJP NP" },
    { "SQ", FIRST, "VBZ VBD VBP VB MD VP SQ" },
    { "UCP", LAST, "" },
    { "VP", FIRST, "TO VBD VBN MD VBZ VB VBG VBP AUX AUXG VP ADJP NN NNS NP" },
    { "WHADJP", FIRST, "CC WRB JJ ADJP" },
    { "WHADVP", LAST, "CC WRB" },
    { "WHNP", FIRST, "WDT WP WP$ WHADJP WHPP WHNP" },
    { "WHPP", LAST, "IN TO FW" },
    { "X", LAST, "" },
    { "NP", LAST_OF_ANY, "NN NNP NNPS NNS NX POS JJR" },
    { "NP", FIRST, "NP" },
    { "NP", LAST_OF_ANY, "$ ADJP PRN" },
    { "NP", LAST, "CD" },
    { "NP", LAST_OF_ANY, "JJ JJS RB QP" },
    { "TYPO", FIRST, "" },
    { "EDITED", FIRST, "" },
    { "XS", LAST, "IN" },
    { "", FIRST, "" },
    { "ROOT", FIRST, "" },
    { "TOP", FIRST, "" },
};
static const char MARKS[] = "'' `` -LRB- -RRB- . : ,";

static bool listed(const char *list, const char *label)
{
    size_t n = strlen(label);
    for (const char *at = list; n && (at = strstr(at, label)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

/* A label without functions, as basic categories of patterns. */
static void cut_label(const char *label, char *to, size_t size)
{
    size_t n = strlen(label), k;
    for (k = 0; k < n && (k == 0 || label[0] == '-' || !strchr("-=|#^~_[", label[k])); k++) {}
    if (k >= size) k = size - 1;
    memcpy(to, label, k);
    to[k] = 0;
}

typedef struct Kids {
    const NodeTree *tree;
    const StrMap *labels;
    int node;
} Kids;

static const char *label_of(const Kids *kids, int child, char *buffer, size_t size)
{
    cut_label(kids->labels->keys[kids->tree->label[child]], buffer, size);
    return buffer;
}

/* The first child from one end whose label is listed, or is not; -1: none. */
static int look(const Kids *kids, bool from_first, const char *list, bool wanted)
{
    char label[64];
    const NodeTree *t = kids->tree;
    for (int c = from_first ? kids->node + 1 : t->last_child[kids->node]; c >= 0;
         c = from_first ? node_next(t, c) : t->previous[c])
        if (listed(list, label_of(kids, c, label, sizeof label)) == wanted) return c;
    return -1;
}

static int by_rule(const Kids *kids, const Rule *rule)
{
    bool from_first = rule->way == FIRST || rule->way == FIRST_OF_ANY;
    if (rule->way == FIRST_OF_ANY || rule->way == LAST_OF_ANY) return look(kids, from_first, rule->kids, true);
    for (const char *at = rule->kids; *at;) {
        char one[16];
        size_t n = strcspn(at, " ");
        memcpy(one, at, n);
        one[n] = 0;
        int c = look(kids, from_first, one, true);
        if (c >= 0) return c;
        at += n + (at[n] == ' ');
    }
    return -1;
}

/* The head of a coordination is the member before the conjunction, unless a mark stands there. */
static int before_conjunction(const Kids *kids, int head)
{
    char label[64];
    const NodeTree *t = kids->tree;
    int link = t->previous[head], c = link < 0 ? -1 : t->previous[link];
    if (c < 0 || !listed("CC CONJP", label_of(kids, link, label, sizeof label))) return head;
    return listed(MARKS, label_of(kids, c, label, sizeof label)) ? head : c;
}

static int find_head(const Kids *kids)
{
    char label[64];
    const Rule *last = NULL;
    label_of(kids, kids->node, label, sizeof label);
    if (kids->tree->n_children[kids->node] == 1) return kids->node + 1;
    for (size_t k = 0; k < sizeof COLLINS / sizeof *COLLINS; k++) {
        if (strcmp(COLLINS[k].label, label) != 0) continue;
        last = &COLLINS[k];
        if (!*last->kids) return last->way == FIRST ? kids->node + 1 : kids->tree->last_child[kids->node];
        int c = by_rule(kids, last);
        if (c >= 0) return before_conjunction(kids, c);
    }
    bool from_first = last && (last->way == FIRST || last->way == FIRST_OF_ANY);
    int c = look(kids, from_first, MARKS, false);
    if (c < 0) c = from_first ? kids->node + 1 : kids->tree->last_child[kids->node];
    return before_conjunction(kids, c);
}

int node_head(NodeTree *tree, const StrMap *labels, HeadFinder finder, int node)
{
    const Kids kids = { tree, labels, node };
    if (tree->heads != (int)finder) {
        for (int k = 0; k < tree->n; k++) tree->head_child[k] = -2;
        tree->heads = (int)finder;
    }
    if (tree->head_child[node] == -2) tree->head_child[node] = node_is_leaf(tree, node) ? -1 : find_head(&kids);
    return tree->head_child[node];
}

bool head_finder_find(const char *name, HeadFinder *finder)
{
    *finder = HEADS_COLLINS;
    return strstr(name, "Collins") != NULL;
}
