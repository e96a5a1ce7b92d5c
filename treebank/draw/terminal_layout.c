/* The columns of a block of words */

#include "treebank/draw/terminal_internal.h"

enum { MARGIN = 2 }; /* columns in which lines continue at an edge */

bool block_has_tree(const Block *block)
{
    return block->style.tree && block->sent->has_tree && block->sent->n_phrases > 0;
}
bool block_has_arcs(const Block *block) { return block->style.arcs && block->sent->heads; }

const char *block_mark(const Block *block, const Node *node)
{
    if (!node->before) return "";
    return block->style.ascii ? ".." : "\u2026";
}

static int label_width(const Block *b, const Node *x)
{
    return terminal_width(block_mark(b, x)) + terminal_width(x->label);
}

static int wider(int width, const char *text)
{
    int w = text ? terminal_width(text) : 0;
    return w > width ? w : width;
}

/* The widths of the words; three columns where arcs may leave to both sides of the arrow. */
static void measure_words(Block *b)
{
    const Sentence *sent = b->sent;
    for (int w = b->begin; w < b->end; w++) {
        int width = wider(1, sent->words[w]);
        if (sent->tags) width = wider(width, sent->tags[w]);
        if (block_has_arcs(b)) width = wider(width < 3 ? 3 : width, sent->types ? sent->types[w] : NULL);
        b->core[w - b->begin] = width;
        b->left[w - b->begin] = b->right[w - b->begin] = 0;
    }
}

static void collect_nodes(Block *b)
{
    int n = b->end - b->begin;
    b->n_nodes = 0;
    for (int w = 0; w < n; w++) b->above[w] = -1;
    for (int k = 0; block_has_tree(b) && k < b->sent->n_phrases; k++) {
        const Phrase *p = &b->sent->phrases[k];
        if (p->end <= b->begin || p->begin >= b->end) continue;
        Node x = { .label = p->label, .before = p->begin<b->begin, .after = p->end> b->end };
        x.begin = x.before ? 0 : p->begin - b->begin;
        x.end = x.after ? n : p->end - b->begin;
        Node *last = b->n_nodes ? &b->node[b->n_nodes - 1] : NULL;
        if (last && last->before && x.before && last->end == x.end) b->n_nodes--;
        x.parent = b->n_nodes - 1;
        while (x.parent >= 0 && b->node[x.parent].end <= x.begin) x.parent = b->node[x.parent].parent;
        for (int w = x.begin; w < x.end; w++) b->above[w] = b->n_nodes;
        b->node[b->n_nodes++] = x;
    }
}

static void place_words(Block *b)
{
    int at = b->margin;
    for (int w = 0; w < b->end - b->begin; w++) {
        if (w) at++; /* a blank between words */
        at += b->left[w];
        b->center[w] = at + (b->core[w] - 1) / 2;
        at += b->core[w] + b->right[w];
    }
    b->cols = at + (b->end < b->sent->n_words ? MARGIN : 0);
}

/* A child with its centre, row and first word; children come from right to left. */
static void add_child(Block *b, int parent, int center, int row, int first)
{
    if (parent < 0) return;
    Node *x = &b->node[parent];
    x->from = center;
    if (x->to < 0) {
        x->to = center;
        x->last = first;
    }
    if (x->row <= row) x->row = row + 1;
}

/* The place of a node whose children have theirs: over the middle of its line, or, if only one child is in the block,
 * over that. (Between the child and the edge, the middle of each phrase of a chain would be half as far from the edge,
 * and its label would need twice the room.) */
static void place_node(Block *b, Node *x)
{
    x->single = x->from == x->to;
    if (x->single) x->center = x->from;
    if (x->before) x->from = 0;
    if (x->after) x->to = b->cols - 1;
    if (!x->single) x->center = (x->from + x->to) / 2;
    x->text = x->center - (label_width(b, x) - 1) / 2;
}

/* Makes room for the label of a node: between the ends of its line, or, over a single child, over its words. false if
 * there is enough. */
static bool make_room(Block *b, const Node *x)
{
    int width = label_width(b, x);
    if (!x->single) {
        int lack = width + 1 - (x->to - x->from);
        if (lack <= 0) return false;
        if (x->after) b->right[x->end - 1] += lack;
        else b->left[x->last] += lack;
        return true;
    }
    int first = b->center[x->begin] - (b->core[x->begin] - 1) / 2 - b->left[x->begin],
        end = b->center[x->end - 1] - (b->core[x->end - 1] - 1) / 2 + b->core[x->end - 1] + b->right[x->end - 1];
    int before = first - x->text, after = x->text + width - end;
    if (before > 0) b->left[x->begin] += before;
    if (after > 0) b->right[x->end - 1] += after;
    return before > 0 || after > 0;
}

/* Places all nodes; false if room had to be made for a label, which moves words. */
static bool place_nodes(Block *b)
{
    b->rows = 0;
    for (int k = 0; k < b->n_nodes; k++) {
        b->node[k].from = b->node[k].to = -1;
        b->node[k].row = 0;
    }
    /* From right to left: before a node come the words after its begin, as they are in pre-order. */
    int w = b->end - b->begin - 1;
    for (int k = b->n_nodes - 1; k >= 0; k--) {
        Node *x = &b->node[k];
        for (; w >= x->begin; w--) add_child(b, b->above[w], b->center[w], 0, w);
        place_node(b, x);
        if (make_room(b, x)) return false;
        add_child(b, x->parent, x->center, x->row, x->begin);
        if (x->row > b->rows) b->rows = x->row;
    }
    return true;
}

void block_layout(Block *block, int begin, int end)
{
    block->begin = begin;
    block->end = end;
    block->margin = begin > 0 ? MARGIN : 0;
    measure_words(block);
    collect_nodes(block);
    do place_words(block);
    while (!place_nodes(block)); /* words only move apart, so a label that has room keeps it */
}
