/* treebank/sinica.c: one pass over each line, with stacks of open phrases and of their children so far. */
#include "treebank/sinica.h"

#include <string.h>

#include "treebank/builder.h"

typedef struct Child {
    int word; /* its head word, 0-based */
    StrView role;
} Child;

typedef struct Open {
    StrView role, label;
    int first_child;
} Open;

typedef struct Reader {
    TreeBuilder b;
    StrView line;
    size_t at;
    Open *open;
    int depth, open_cap;
    Child *children;
    int n_children, child_cap;
    int *heads; /* [words so far] 0-based; -1: not known yet */
    StrView *roles;
    int head_cap, role_cap;
} Reader;

static Status fail(Reader *r, const char *what)
{
    r->b.column = (long)r->at + 1;
    return builder_fail(&r->b, what);
}

static bool is_head(StrView role) { return text_equal(role, "Head"); }

static Status add_child(Reader *r, int word, StrView role)
{
    if (!mem_reserve(r->children, &r->child_cap, r->n_children + 1)) return builder_no_memory(&r->b);
    r->children[r->n_children++] = (Child){ word, role };
    return OK;
}

static Status add_word(Reader *r, StrView role, StrView tag, StrView word)
{
    for (size_t i = 0; i < tag.len; i++)
        if (tag.ptr[i] == '[') tag.len = i;
    Status s = builder_word(&r->b, tag, word);
    if (s != OK) return s;
    int n = r->b.n_words;
    if (!mem_reserve(r->heads, &r->head_cap, n) || !mem_reserve(r->roles, &r->role_cap, n))
        return builder_no_memory(&r->b);
    r->heads[n - 1] = -1;
    return add_child(r, n - 1, role);
}

static Status open_phrase(Reader *r, StrView role, StrView label)
{
    for (size_t i = 0; i < label.len; i++)
        if (label.ptr[i] == '[') label.len = i;
    Status s = builder_open(&r->b, label);
    if (s != OK) return s;
    if (!mem_reserve(r->open, &r->open_cap, r->depth + 1)) return builder_no_memory(&r->b);
    r->open[r->depth++] = (Open){ role, label, r->n_children };
    return OK;
}

/* The head child, see sinica.h. */
static int head_child(const Reader *r, const Open *o)
{
    bool last = o->label.ptr[0] == 'N' || o->label.ptr[0] == 'D', any = false;
    int head = -1;
    for (int c = o->first_child; c < r->n_children; c++) any |= is_head(r->children[c].role);
    for (int c = o->first_child; c < r->n_children; c++)
        if ((!any || is_head(r->children[c].role)) && (head < 0 || last)) head = c;
    return head;
}

static Status close_phrase(Reader *r)
{
    Open o = r->open[--r->depth];
    int head = head_child(r, &o), word = r->children[head].word;
    for (int c = o.first_child; c < r->n_children; c++) {
        if (c == head) continue;
        Child k = r->children[c];
        r->heads[k.word] = word;
        r->roles[k.word] = is_head(k.role) ? (StrView){ "cohead", 6 } : k.role;
    }
    r->n_children = o.first_child;
    builder_close(&r->b);
    return add_child(r, word, o.role);
}

/* Reads up to three names separated by ':' and the '(' after a phrase; '|', ')' or the end of the line ends a word. */
static Status read_item(Reader *r)
{
    StrView part[3] = { { NULL, 0 } };
    int n = 0;
    size_t from = r->at, start = r->at;
    for (;; r->at++) {
        char c = r->at < r->line.len ? r->line.ptr[r->at] : 0;
        if (c != 0 && !memchr(":(|)", c, 4)) continue;
        if (c == ':' && n == 2) continue; /* a colon in a word */
        part[n++] = (StrView){ r->line.ptr + from, r->at - from };
        from = r->at + 1;
        if (c == ':') continue;
        if (c == '(') {
            r->at++;
            if (n > 2) return fail(r, "found '(' after a word, expected '|' or ')'");
            return n == 1 ? open_phrase(r, (StrView){ "", 0 }, part[0]) : open_phrase(r, part[0], part[1]);
        }
        break;
    }
    if (n == 3) return add_word(r, part[0], part[1], part[2]);
    r->at = start;
    return fail(r, "found an incomplete item, expected ROLE:CATEGORY(...) or ROLE:CATEGORY:WORD");
}

/* "#，(COMMACATEGORY)" after the tree. */
static Status read_mark(Reader *r)
{
    StrView rest = { r->line.ptr + r->at + 1, r->line.len - r->at - 1 };
    const char *open = rest.len ? memchr(rest.ptr, '(', rest.len) : NULL;
    if (!open || rest.ptr[rest.len - 1] != ')')
        return fail(r, "found other text after the tree, expected #MARK(CATEGORY)");
    StrView word = { rest.ptr, (size_t)(open - rest.ptr) }, tag = { open + 1, rest.len - word.len - 2 };
    int root = r->children[0].word;
    Status s = add_word(r, (StrView){ "punct", 5 }, tag, word);
    if (s != OK) return s;
    r->heads[r->b.n_words - 1] = root;
    r->roles[r->b.n_words - 1] = (StrView){ "punct", 5 };
    r->b.phrases[0].end = r->b.n_words;
    return OK;
}

static Status finish(Reader *r)
{
    int root = r->children[0].word, n = r->b.n_words;
    r->roles[root] = (StrView){ "root", 4 };
    for (int w = 0; w < n; w++) {
        if (!r->roles[w].len) r->roles[w] = (StrView){ "_", 1 };
        if (!tree_is_name(r->roles[w])) return fail(r, "found a role with blanks, expected one without");
    }
    Status s = builder_finish(&r->b, r->b.line);
    if (s != OK) return s;
    Sentence *x = &r->b.tb->s[r->b.tb->n - 1];
    x->heads = arena_alloc(&r->b.tb->arena, (size_t)n, sizeof *x->heads);
    x->types = arena_alloc(&r->b.tb->arena, (size_t)n, sizeof *x->types);
    if (!x->heads || !x->types) return builder_no_memory(&r->b);
    for (int w = 0; w < n; w++) {
        x->heads[w] = r->heads[w] + 1;
        x->types[w] = arena_strndup(&r->b.tb->arena, r->roles[w].ptr, r->roles[w].len);
        if (!x->types[w]) return builder_no_memory(&r->b);
    }
    return OK;
}

static Status read_line(Reader *r)
{
    /* "#3:3.[39029] " */
    const char *blank = r->line.ptr[0] == '#' ? memchr(r->line.ptr, ' ', r->line.len) : NULL;
    r->at = blank ? (size_t)(blank - r->line.ptr) + 1 : 0;
    r->depth = r->n_children = 0;
    builder_drop(&r->b);
    r->b.column = (long)r->at + 1;
    Status s = read_item(r);
    if (s == OK && r->depth == 0) s = fail(r, "found a word, expected a phrase");
    while (s == OK && r->depth > 0) {
        char c = r->at < r->line.len ? r->line.ptr[r->at] : 0;
        bool opened = r->line.ptr[r->at - 1] == '(';
        if (!opened && c == ')') {
            s = close_phrase(r);
            r->at++;
        } else if (!opened && c != '|') {
            s = fail(r,
                     c ? "found other text after ')', expected '|' or ')'" : "found the end of the line, expected ')'");
        } else {
            r->at += !opened;
            r->b.column = (long)r->at + 1;
            s = read_item(r);
        }
    }
    if (s == OK && r->at < r->line.len)
        s = r->line.ptr[r->at] == '#' ? read_mark(r) : fail(r, "found text after the tree, expected '#'");
    return s == OK ? finish(r) : s;
}

Status sinica_read(Treebank *tb, TextBlock block, Error *e)
{
    Reader r = { .line = { NULL, 0 } };
    StrView text = block.text;
    builder_init(&r.b, tb, block.path, e);
    r.b.line = block.line;
    Status s = OK;
    for (size_t at = 0; s == OK && text_line(text, &at, &r.line); r.b.line++) {
        const char *found;
        r.at = text_fault(r.line, &found);
        if (r.at < r.line.len) s = fail(&r, found);
        else if (r.line.len) s = read_line(&r);
    }
    builder_fini(&r.b);
    mem_free(r.open);
    mem_free(r.children);
    mem_free(r.heads);
    mem_free(r.roles);
    return s;
}
