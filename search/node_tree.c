/* One pass over the brackets with the open nodes as a chain of parents; nothing recurses on the depth of the input. */
#include "search/node_tree.h"

#include "base/arena.h"

static int **arrays(NodeTree *tree, int k)
{
    int **const all[] = { &tree->label,    &tree->parent,     &tree->end,  &tree->place,     &tree->n_children,
                          &tree->previous, &tree->last_child, &tree->leaf, &tree->head_child };
    return k < (int)(sizeof all / sizeof *all) ? all[k] : NULL;
}

void node_tree_fini(NodeTree *tree)
{
    for (int k = 0; arrays(tree, k); k++) mem_free(*arrays(tree, k));
    *tree = (NodeTree){ 0 };
}

static bool reserve(NodeTree *tree)
{
    int **a, cap = tree->cap;
    if (tree->n < tree->cap) return true;
    for (int k = 0; (a = arrays(tree, k)); k++) {
        int had = tree->cap;
        if (!mem_reserve(*a, &had, tree->n + 1)) return false;
        cap = had;
    }
    tree->cap = cap;
    return true;
}

/* Adds a child of `parent`, -1: a root. */
static bool add(NodeTree *tree, int parent, int leaf, int label)
{
    int node = tree->n;
    if (label < 0 || !reserve(tree)) return false;
    tree->label[node] = label;
    tree->parent[node] = parent;
    tree->end[node] = node + 1;
    tree->n_children[node] = 0;
    tree->last_child[node] = -1;
    tree->leaf[node] = leaf;
    tree->head_child[node] = -2;
    tree->place[node] = parent < 0 ? 0 : tree->n_children[parent]++;
    tree->previous[node] = parent < 0 ? -1 : tree->last_child[parent];
    if (parent >= 0) tree->last_child[parent] = node;
    tree->n++;
    return true;
}

int node_child(const NodeTree *tree, int node, int k)
{
    int child, n = tree->n_children[node];
    if (k < 0) k += n;
    if (k < 0 || k >= n) return -1;
    if (2 * k >= n) {
        for (child = tree->last_child[node]; tree->place[child] > k;) child = tree->previous[child];
        return child;
    }
    for (child = node + 1; tree->place[child] < k;) child = tree->end[child];
    return child;
}

/* ---- reading */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static StrView atom(StrView text, size_t *at)
{
    size_t from = *at;
    while (*at < text.len && !is_space(text.ptr[*at]) && text.ptr[*at] != '(' && text.ptr[*at] != ')') ++*at;
    return (StrView){ text.ptr + from, *at - from };
}

/* The label of a node, or a word, without what stands for other signs. */
static int number(StrMap *labels, StrView text, bool word, StrBuf *scratch)
{
    bool plain = !memchr(text.ptr, '\\', text.len) && !(word && memchr(text.ptr, '-', text.len));
    if (plain) return map_add(labels, text.ptr, text.len);
    strbuf_clear(scratch);
    for (size_t k = 0; k < text.len; k++) {
        bool bracket =
            word && text.len - k >= 5 && (!memcmp(text.ptr + k, "-LRB-", 5) || !memcmp(text.ptr + k, "-RRB-", 5));
        if (bracket) {
            strbuf_putc(scratch, text.ptr[k + 1] == 'L' ? '(' : ')');
            k += 4;
        } else if (text.ptr[k] != '\\' || k + 1 == text.len || !memchr("/*", text.ptr[k + 1], 2))
            strbuf_putc(scratch, text.ptr[k]);
    }
    return scratch->failed ? -1 : map_add(labels, scratch->ptr ? scratch->ptr : "", scratch->len);
}

static Status fail_at(const TextBlock *text, size_t at, const char *what, Error *error)
{
    TextPlace place = text_place((TextPlace){ text->line, text->column }, text->text.ptr, at);
    return error_at(error, ERR_FORMAT, text->path, place.line, place.column, "%s", what);
}

Status node_tree_read(NodeTree *tree, StrMap *labels, TextBlock block, size_t *at, bool *found, Error *error)
{
    StrView text = block.text;
    StrBuf scratch = { 0 };
    Status s = OK;
    int open = -1, leaves = 0; /* the node whose bracket was opened last */
    size_t begin;
    tree->n = 0;
    *found = false;
    while (*at < text.len && is_space(text.ptr[*at])) ++*at;
    if (*at == text.len) return OK;
    begin = *at;
    if (text.ptr[begin] != '(') return fail_at(&block, begin, "found a word, expected '('", error);
    do {
        char c = text.ptr[*at];
        bool good = true;
        if (tree->n > NODE_TREE_MOST)
            s = error_at(error, ERR_LIMIT, block.path, 0, 0, "found a tree of over %d nodes", NODE_TREE_MOST);
        else if (c == '(') {
            ++*at;
            good = add(tree, open, leaves, number(labels, atom(text, at), false, &scratch));
            open = tree->n - 1;
        } else if (c == ')') {
            tree->end[open] = tree->n;
            if (node_is_leaf(tree, open)) leaves++;
            open = tree->parent[open];
            ++*at;
        } else {
            good = add(tree, open, leaves++, number(labels, atom(text, at), true, &scratch));
        }
        if (!good) s = error_set(error, ERR_NOMEM, "out of memory");
        while (open >= 0 && *at < text.len && is_space(text.ptr[*at])) ++*at;
        if (!s && open >= 0 && *at == text.len) s = fail_at(&block, begin, "found no ')' for this '('", error);
    } while (!s && open >= 0);
    strbuf_fini(&scratch);
    *found = !s;
    return s;
}

Status node_tree_of(NodeTree *tree, StrMap *labels, const Sentence *sent, const char *top, Error *error)
{
    int open = 0, phrase = 0;
    bool good;
    tree->n = 0;
    good = add(tree, -1, 0, map_add(labels, top, strlen(top)));
    for (int w = 0; good && w <= sent->n_words; w++) {
        while (open > 0 && tree->leaf[open] < w && tree->end[open] == -w) { /* phrases that end before this word */
            tree->end[open] = tree->n;
            open = tree->parent[open];
        }
        if (w == sent->n_words) break;
        for (; good && phrase < sent->n_phrases && sent->phrases[phrase].begin == w; phrase++) {
            const Phrase *p = &sent->phrases[phrase];
            good = add(tree, open, w, map_add(labels, p->label, strlen(p->label)));
            open = tree->n - 1;
            if (good) tree->end[open] = -p->end;
        }
        const char *tag = sent->tags && sent->tags[w] ? sent->tags[w] : "XX";
        good = good && add(tree, open, w, map_add(labels, tag, strlen(tag))) &&
               add(tree, tree->n - 1, w, map_add(labels, sent->words[w], strlen(sent->words[w])));
        if (good) tree->end[tree->n - 2] = tree->n;
    }
    if (good) tree->end[0] = tree->n;
    return good ? OK : error_set(error, ERR_NOMEM, "out of memory");
}
