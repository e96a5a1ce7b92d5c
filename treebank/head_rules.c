/* treebank/head_rules.c: the reader of the tables, the tree they are asked about, matching, and the two passes: heads from below, types. */
#include "treebank/head_rules.h"

#include <string.h>

#include "base/map.h"

enum { MAX_PATTERN_DEPTH = 12, MAX_CHAINS = 2 }; /* of patterns inside patterns, and of '>' among them: matching stays fast on any tree */

/* ---- the table */

typedef struct Names { /* alternatives: whole names in the map, "NN*" as prefixes */
    StrMap whole;
    const char **prefixes;
    int n_prefixes, prefix_cap;
    bool any, negated;
    struct Names *next; /* all of them, to be freed */
} Names;

typedef struct Pattern {
    Names *label, *word, *tag; /* NULL: no condition; word and tag are of the head word */
    struct Pattern *chain;     /* some phrase or word on the way down from head to head, this one included */
    struct Pattern *child;     /* first condition on children */
    struct Pattern *next;      /* next condition of the same phrase */
    bool absent;               /* as a condition: no such child */
} Pattern;

typedef enum Where { PRECEDES, FOLLOWS, NEXT, PREVIOUS, UNDER, ONTO_NEXT, ONTO_PREVIOUS, WHERES } Where;
static const char *const WHERE_NAMES[WHERES] = { "precedes=", "follows=", "next=", "previous=", "under=", "onto-next=", "onto-previous=" };

typedef struct Qualifier {
    Where where;
    bool absent;
    Pattern *pattern;
    struct Qualifier *next;
} Qualifier;

typedef struct Rule {
    const char *type; /* NULL: a head rule */
    Pattern *parent, *head, *child;
    Qualifier *qualifiers;
    Pattern *separator; /* coordination rules: of conjuncts; `child` is the conjunction */
    bool last;          /* head rules: looked for from the end */
    bool before, after; /* type rules: on this side of the head only */
} Rule;

struct HeadRules {
    Rule *heads, *coordinations, *types;
    int n_heads, head_cap, n_coordinations, coordination_cap, n_types, type_cap;
    const char *root;
    StrMap set_names;
    Names **sets; /* [set_names.n] */
    int set_cap;
    Names *all;
    Arena arena;
};

typedef struct Reader {
    HeadRules *r;
    const char *path;
    Error *e;
    StrView line;
    size_t at;
    long number;
    int depth, chains;
} Reader;

static Status fail(const Reader *in, size_t at, const char *what)
{
    return error_at(in->e, ERR_FORMAT, in->path, in->number, (long)at + 1, "%s", what);
}

static Status no_memory(const Reader *in) { return error_at(in->e, ERR_NOMEM, in->path, in->number, 0, "out of memory reading head rules"); }

static Names *names_new(HeadRules *r)
{
    Names *n = arena_alloc(&r->arena, 1, sizeof *n);
    if (!n) return NULL;
    *n = (Names){ .next = r->all };
    map_init(&n->whole);
    r->all = n;
    return n;
}

static Status names_add(Reader *in, Names *to, StrView name)
{
    if (name.len == 1 && name.ptr[0] == '*') {
        to->any = true;
    } else if (name.len > 1 && name.ptr[name.len - 1] == '*') {
        if (!mem_reserve((void **)&to->prefixes, &to->prefix_cap, to->n_prefixes + 1, sizeof *to->prefixes)) return no_memory(in);
        to->prefixes[to->n_prefixes] = arena_strndup(&in->r->arena, name.ptr, name.len - 1);
        if (!to->prefixes[to->n_prefixes]) return no_memory(in);
        to->n_prefixes++;
    } else if (map_add(&to->whole, name.ptr, name.len) < 0) return no_memory(in);
    return OK;
}

static Status names_add_set(Reader *in, Names *to, StrView set, size_t at)
{
    int k = map_find(&in->r->set_names, set.ptr, set.len);
    if (k < 0) return fail(in, at, "found a set that is not defined above");
    const Names *from = in->r->sets[k];
    if (from == to) return fail(in, at, "found a set inside itself");
    to->any |= from->any;
    Status s = OK;
    for (int i = 0; i < from->whole.n && s == OK; i++)
        if (map_add(&to->whole, from->whole.keys[i], strlen(from->whole.keys[i])) < 0) s = no_memory(in);
    for (int i = 0; i < from->n_prefixes && s == OK; i++) {
        if (!mem_reserve((void **)&to->prefixes, &to->prefix_cap, to->n_prefixes + 1, sizeof *to->prefixes)) s = no_memory(in);
        else to->prefixes[to->n_prefixes++] = from->prefixes[i];
    }
    return s;
}

static char peek(const Reader *in) { return in->at < in->line.len ? in->line.ptr[in->at] : 0; }

static void skip_blanks(Reader *in)
{
    while (peek(in) == ' ' || peek(in) == '\t') in->at++;
}

/* Characters up to a blank. */
static StrView item(Reader *in)
{
    size_t from = in->at;
    while (in->at < in->line.len && !memchr(" \t", in->line.ptr[in->at], 2)) in->at++;
    return (StrView){ in->line.ptr + from, in->at - from };
}

/* NAME|NAME|@SET, with '!' before all of them. */
static Status read_names(Reader *in, Names **out)
{
    Names *n = *out = names_new(in->r);
    if (!n) return no_memory(in);
    if (peek(in) == '!') {
        n->negated = true;
        in->at++;
    }
    for (;;) {
        bool set = peek(in) == '@';
        in->at += set;
        size_t from = in->at;
        while (in->at < in->line.len && !memchr(" \t|/^{},!>@", in->line.ptr[in->at], 11)) in->at++;
        StrView name = { in->line.ptr + from, in->at - from };
        if (!name.len) return fail(in, from, "found no name, expected one");
        Status s = set ? names_add_set(in, n, name, from) : names_add(in, n, name);
        if (s != OK || peek(in) != '|') return s;
        in->at++;
    }
}

static Status read_pattern(Reader *in, Pattern **out);

/* {PATTERN,!PATTERN} behind a name. */
static Status read_conditions(Reader *in, Pattern *p)
{
    Pattern **tail = &p->child;
    do {
        in->at++; /* { or , */
        bool absent = peek(in) == '!';
        in->at += absent;
        Status s = read_pattern(in, tail);
        if (s != OK) return s;
        (*tail)->absent = absent;
        tail = &(*tail)->next;
    } while (peek(in) == ',');
    if (peek(in) != '}') return fail(in, in->at, "found another thing in the conditions, expected ',' or '}'");
    in->at++;
    return OK;
}

/* NAMES [/NAMES] [^NAMES] [{...}] [>PATTERN] */
static Status read_pattern(Reader *in, Pattern **out)
{
    Pattern *p = *out = arena_alloc(&in->r->arena, 1, sizeof *p);
    if (!p) return no_memory(in);
    *p = (Pattern){ NULL, NULL, NULL, NULL, NULL, NULL, false };
    if (++in->depth > MAX_PATTERN_DEPTH) return fail(in, in->at, "found patterns nested too deep");
    Status s = read_names(in, &p->label);
    if (s == OK && peek(in) == '/') {
        in->at++;
        s = read_names(in, &p->word);
    }
    if (s == OK && peek(in) == '^') {
        in->at++;
        s = read_names(in, &p->tag);
    }
    if (s == OK && peek(in) == '{') s = read_conditions(in, p);
    if (s == OK && peek(in) == '>') {
        if (++in->chains > MAX_CHAINS) return fail(in, in->at, "found a third '>' inside one another");
        in->at++;
        s = read_pattern(in, &p->chain);
        in->chains--;
    }
    in->depth--;
    return s;
}

static Status read_argument(Reader *in, Pattern **out)
{
    skip_blanks(in);
    if (!peek(in)) return fail(in, in->at, "found the end of the line, expected a pattern");
    Status s = read_pattern(in, out);
    if (s == OK && peek(in) && peek(in) != ' ' && peek(in) != '\t') s = fail(in, in->at, "found another thing behind a pattern, expected a blank");
    return s;
}

static bool takes(Reader *in, const char *word)
{
    size_t n = strlen(word);
    if (in->line.len - in->at < n || memcmp(in->line.ptr + in->at, word, n) != 0) return false;
    in->at += n;
    return true;
}

static Status read_qualifiers(Reader *in, Rule *rule)
{
    Qualifier **tail = &rule->qualifiers;
    for (skip_blanks(in); peek(in); skip_blanks(in)) {
        size_t from = in->at;
        bool absent = takes(in, "!");
        int w = 0;
        while (w < WHERES && !takes(in, WHERE_NAMES[w])) w++;
        if (w >= ONTO_NEXT && w < WHERES && (!rule->type || absent))
            return fail(in, from, absent ? "found '!', which has no meaning here" : "found another head, which only types have");
        if (w < WHERES) {
            Qualifier *q = *tail = arena_alloc(&in->r->arena, 1, sizeof *q);
            if (!q) return no_memory(in);
            *q = (Qualifier){ (Where)w, absent, NULL, NULL };
            tail = &q->next;
            Status s = read_argument(in, &q->pattern);
            if (s != OK) return s;
            continue;
        }
        StrView word = item(in);
        if (rule->type && !absent && text_equal(word, "before")) rule->before = true;
        else if (rule->type && !absent && text_equal(word, "after")) rule->after = true;
        else
            return fail(
                in, from,
                rule->type
                    ? "found an unknown word, expected before, after, precedes=, follows=, next=, previous=, under=, onto-next= or onto-previous="
                    : "found an unknown word, expected precedes=, follows=, next=, previous= or under=");
    }
    return OK;
}

static Status read_head(Reader *in)
{
    HeadRules *r = in->r;
    Rule rule = { .type = NULL };
    Status s = read_argument(in, &rule.parent);
    if (s != OK) return s;
    skip_blanks(in);
    size_t from = in->at;
    StrView side = item(in);
    rule.last = text_equal(side, "last");
    if (!rule.last && !text_equal(side, "first")) return fail(in, from, "found an unknown word, expected first or last");
    s = read_argument(in, &rule.child);
    if (s == OK) s = read_qualifiers(in, &rule);
    if (s == OK && !mem_reserve((void **)&r->heads, &r->head_cap, r->n_heads + 1, sizeof *r->heads)) s = no_memory(in);
    if (s == OK) r->heads[r->n_heads++] = rule;
    return s;
}

static Status read_coordination(Reader *in)
{
    HeadRules *r = in->r;
    Rule rule = { .type = NULL };
    Status s = read_argument(in, &rule.parent);
    if (s == OK) s = read_argument(in, &rule.child);
    if (s == OK) s = read_argument(in, &rule.separator);
    skip_blanks(in);
    if (s == OK && peek(in)) s = fail(in, in->at, "found another thing behind the separators");
    if (s == OK && !mem_reserve((void **)&r->coordinations, &r->coordination_cap, r->n_coordinations + 1, sizeof *r->coordinations))
        s = no_memory(in);
    if (s == OK) r->coordinations[r->n_coordinations++] = rule;
    return s;
}

static Status read_name(Reader *in, const char **out)
{
    skip_blanks(in);
    StrView name = item(in);
    if (!name.len) return fail(in, in->at, "found the end of the line, expected a name");
    *out = arena_strndup(&in->r->arena, name.ptr, name.len);
    return *out ? OK : no_memory(in);
}

static Status read_type(Reader *in)
{
    HeadRules *r = in->r;
    Rule rule = { .type = NULL };
    Status s = read_name(in, &rule.type);
    if (s == OK) s = read_argument(in, &rule.parent);
    if (s == OK) s = read_argument(in, &rule.head);
    if (s == OK) s = read_argument(in, &rule.child);
    if (s == OK) s = read_qualifiers(in, &rule);
    if (s == OK && !mem_reserve((void **)&r->types, &r->type_cap, r->n_types + 1, sizeof *r->types)) s = no_memory(in);
    if (s == OK) r->types[r->n_types++] = rule;
    return s;
}

/* set NAME item ... : items of an older set of the same name stay. */
static Status read_set(Reader *in)
{
    HeadRules *r = in->r;
    const char *name;
    Status s = read_name(in, &name);
    if (s != OK) return s;
    int k = map_find(&r->set_names, name, strlen(name));
    if (k < 0) {
        k = map_add(&r->set_names, name, strlen(name));
        if (k < 0 || !mem_reserve((void **)&r->sets, &r->set_cap, k + 1, sizeof *r->sets)) return no_memory(in);
        r->sets[k] = names_new(r);
        if (!r->sets[k]) return no_memory(in);
    }
    for (skip_blanks(in); peek(in) && s == OK; skip_blanks(in)) {
        size_t from = in->at + 1;
        StrView x = item(in);
        bool set = x.len > 1 && x.ptr[0] == '@';
        s = set ? names_add_set(in, r->sets[k], (StrView){ x.ptr + 1, x.len - 1 }, from) : names_add(in, r->sets[k], x);
    }
    return s;
}

static Status read_line(Reader *in)
{
    in->at = 0;
    in->depth = in->chains = 0;
    skip_blanks(in);
    if (!peek(in) || peek(in) == '#') return OK;
    size_t from = in->at;
    StrView word = item(in);
    if (text_equal(word, "head")) return read_head(in);
    if (text_equal(word, "type")) return read_type(in);
    if (text_equal(word, "coordination")) return read_coordination(in);
    if (text_equal(word, "set")) return read_set(in);
    if (!text_equal(word, "root")) return fail(in, from, "found an unknown word, expected head, coordination, type, set or root");
    Status s = read_name(in, &in->r->root);
    skip_blanks(in);
    return s == OK && peek(in) ? fail(in, in->at, "found another thing behind the name") : s;
}

HeadRules *head_rules_read(StrView text, const char *path, Error *e)
{
    HeadRules *r = mem_calloc(1, sizeof *r);
    if (!r) {
        (void)error_set(e, ERR_NOMEM, "out of memory reading %s", path);
        return NULL;
    }
    arena_init(&r->arena, 0);
    r->root = "root";
    map_init(&r->set_names);
    Reader in = { .r = r, .path = path, .e = e };
    Status s = OK;
    size_t at = 0, bad = utf8_invalid(text.ptr, text.len);
    while (s == OK && text_line(text, &at, &in.line)) {
        size_t from = (size_t)(in.line.ptr - text.ptr);
        in.number++;
        if (bad < from + in.line.len) s = fail(&in, bad - from, "found bytes that are not UTF-8");
        else if (in.line.len && memchr(in.line.ptr, 0, in.line.len)) s = fail(&in, 0, "found a NUL byte");
        else s = read_line(&in);
    }
    if (s == OK && r->n_heads == 0) s = error_at(e, ERR_FORMAT, path, in.number + 1, 1, "found no head rule, expected at least one");
    if (s == OK) return r;
    head_rules_free(r);
    return NULL;
}

void head_rules_free(HeadRules *r)
{
    if (!r) return;
    for (Names *n = r->all; n; n = n->next) {
        map_fini(&n->whole);
        mem_free(n->prefixes);
    }
    map_fini(&r->set_names);
    mem_free(r->heads);
    mem_free(r->coordinations);
    mem_free(r->types);
    mem_free(r->sets);
    arena_fini(&r->arena);
    mem_free(r);
}

/* ---- the tree */

typedef struct Node {
    const char *label;          /* of a word: its tag */
    int parent, child, sibling; /* -1: none; siblings from left to right */
    int previous;
    int head; /* the head child, -1 while unknown and of words */
    int onto; /* the sibling it depends on: the head child, or another */
    int word; /* its head word, -1 while unknown */
} Node;

typedef struct Tree {
    Node *nodes; /* [0] is above all, phrases in pre-order, then words */
    int n_phrases;
    const char **lower; /* [n_words] words in lower case */
    const char **tags;
} Tree;

static void append_child(Tree *t, int *last, int parent, int child)
{
    Node *p = &t->nodes[parent], *c = &t->nodes[child];
    c->parent = parent;
    c->previous = last[parent];
    if (last[parent] < 0) p->child = child;
    else t->nodes[last[parent]].sibling = child;
    last[parent] = child;
}

static bool tree_make(Tree *t, const Sentence *s, Arena *arena)
{
    int n = 1 + s->n_phrases + s->n_words;
    t->n_phrases = s->n_phrases;
    t->tags = s->tags;
    t->nodes = arena_alloc(arena, (size_t)n, sizeof *t->nodes);
    t->lower = arena_alloc(arena, (size_t)s->n_words, sizeof *t->lower);
    int *last = arena_alloc(arena, (size_t)n, sizeof *last), *open = arena_alloc(arena, (size_t)s->n_phrases + 1, sizeof *open);
    if (!t->nodes || !t->lower || !last || !open) return false;
    for (int k = 0; k < n; k++) {
        bool word = k > s->n_phrases;
        const char *label = k == 0 ? "TOP" : word ? s->tags[k - 1 - s->n_phrases] : s->phrases[k - 1].label;
        t->nodes[k] = (Node){ label, -1, -1, -1, -1, -1, -1, word ? k - 1 - s->n_phrases : -1 };
        last[k] = -1;
    }
    StrBuf low = { 0 };
    int depth = 0, p = 0;
    open[0] = 0;
    bool ok = true;
    for (int w = 0; w < s->n_words && ok; w++) {
        while (depth > 0 && s->phrases[open[depth] - 1].end <= w) depth--;
        for (; p < s->n_phrases && s->phrases[p].begin == w; p++) {
            append_child(t, last, open[depth], p + 1);
            open[++depth] = p + 1;
        }
        append_child(t, last, open[depth], 1 + s->n_phrases + w);
        strbuf_clear(&low);
        text_lower(&low, s->words[w], strlen(s->words[w]));
        t->lower[w] = low.failed ? NULL : arena_strndup(arena, low.ptr ? low.ptr : "", low.len);
        ok = t->lower[w] != NULL;
    }
    strbuf_fini(&low);
    return ok;
}

/* ---- matching */

static bool names_have(const Names *n, const char *name)
{
    size_t len = strlen(name);
    bool found = n->any || map_find(&n->whole, name, len) >= 0;
    for (int i = 0; i < n->n_prefixes && !found; i++) found = strncmp(name, n->prefixes[i], strlen(n->prefixes[i])) == 0;
    return found != n->negated;
}

static bool matches(const Tree *t, const Pattern *p, int node)
{
    const Node *x = &t->nodes[node];
    if (!names_have(p->label, x->label)) return false;
    if ((p->word || p->tag) && x->word < 0) return false;
    if (p->word && !names_have(p->word, t->lower[x->word])) return false;
    if (p->tag && !names_have(p->tag, t->tags[x->word])) return false;
    for (const Pattern *c = p->child; c; c = c->next) {
        int k = x->child;
        while (k >= 0 && !matches(t, c, k)) k = t->nodes[k].sibling;
        if ((k >= 0) == c->absent) return false;
    }
    if (!p->chain) return true;
    int k = node;
    while (k >= 0 && !matches(t, p->chain, k)) k = t->nodes[k].head;
    return k >= 0;
}

/* The nearest sibling on one side that matches, up to the head child; -1: none. */
static int other_head(const Tree *t, const Qualifier *q, int child)
{
    int head = t->nodes[t->nodes[child].parent].head;
    for (int k = child; k != head;) {
        k = q->where == ONTO_NEXT ? t->nodes[k].sibling : t->nodes[k].previous;
        if (k < 0 || matches(t, q->pattern, k)) return k;
    }
    return -1;
}

static bool qualifies(const Tree *t, const Qualifier *q, int node)
{
    const Node *x = &t->nodes[node];
    int k = -1;
    switch (q->where) {
    case PRECEDES:
        for (k = x->sibling; k >= 0 && !matches(t, q->pattern, k);) k = t->nodes[k].sibling;
        break;
    case FOLLOWS:
        for (k = x->previous; k >= 0 && !matches(t, q->pattern, k);) k = t->nodes[k].previous;
        break;
    case NEXT: k = x->sibling >= 0 && matches(t, q->pattern, x->sibling) ? 0 : -1; break;
    case PREVIOUS: k = x->previous >= 0 && matches(t, q->pattern, x->previous) ? 0 : -1; break;
    case UNDER:
        k = t->nodes[x->parent].parent;
        k = k >= 0 && matches(t, q->pattern, k) ? 0 : -1;
        break;
    case ONTO_NEXT:
    case ONTO_PREVIOUS: k = other_head(t, q, node); break;
    case WHERES: break;
    }
    return (k >= 0) != q->absent;
}

static bool fits(const Tree *t, const Rule *r, int child)
{
    if (!matches(t, r->child, child)) return false;
    for (const Qualifier *q = r->qualifiers; q; q = q->next)
        if (!qualifies(t, q, child)) return false;
    return true;
}

static int find_head(const HeadRules *r, const Tree *t, int phrase)
{
    const Node *x = &t->nodes[phrase];
    int last = x->child;
    while (t->nodes[last].sibling >= 0) last = t->nodes[last].sibling;
    if (last == x->child) return last;
    for (int i = 0; i < r->n_heads; i++) {
        const Rule *rule = &r->heads[i];
        if (!matches(t, rule->parent, phrase)) continue;
        int k = rule->last ? last : x->child;
        while (k >= 0 && !fits(t, rule, k)) k = rule->last ? t->nodes[k].previous : t->nodes[k].sibling;
        if (k >= 0) return k;
    }
    return x->child;
}

/* The head of a coordination is its first conjunct: from "b" in "a , b , and c" or in "a and b" to "a". */
static int first_conjunct(const HeadRules *r, const Tree *t, int phrase, int head)
{
    for (int i = 0; i < r->n_coordinations; i++) {
        const Rule *rule = &r->coordinations[i];
        bool found = false;
        int k = t->nodes[head].previous, to = head;
        if (!matches(t, rule->parent, phrase)) continue;
        for (bool behind = false; k >= 0; k = t->nodes[k].previous) {
            bool conjunction = matches(t, rule->child, k);
            found |= conjunction;
            if (conjunction || matches(t, rule->separator, k)) behind = true;
            else if (!behind) break;
            else {
                to = k;
                behind = false;
            }
        }
        if (found) return to;
    }
    return head;
}

static const Rule *find_type(const HeadRules *r, const Tree *t, int child)
{
    int parent = t->nodes[child].parent, head = t->nodes[parent].head;
    bool before = t->nodes[child].word < t->nodes[head].word;
    for (int i = 0; i < r->n_types; i++) {
        const Rule *rule = &r->types[i];
        if ((rule->before && !before) || (rule->after && before)) continue;
        if (fits(t, rule, child) && matches(t, rule->parent, parent) && matches(t, rule->head, head)) return rule;
    }
    return NULL;
}

static bool reaches(const Tree *t, int child, int head, int n)
{
    for (; n > 0 && child != head; n--) child = t->nodes[child].onto;
    return child == head;
}

/* Children that would depend on a sibling in a circle or across another arc go back to the head. */
static void untangle(const Tree *t, int phrase)
{
    int head = t->nodes[phrase].head, n = 0;
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) n++;
    for (bool changed = true; changed;) {
        changed = false;
        for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) {
            Node *x = &t->nodes[c];
            if (c == head || x->onto == head) continue;
            int from = x->word < t->nodes[x->onto].word ? c : x->onto, to = from == c ? x->onto : c;
            bool bad = !reaches(t, c, head, n);
            for (int k = t->nodes[from].sibling; k != to && !bad; k = t->nodes[k].sibling) {
                int up = k == head ? -1 : t->nodes[t->nodes[k].onto].word;
                bad = up < t->nodes[from].word || up > t->nodes[to].word;
            }
            if (!bad) continue;
            x->onto = head;
            changed = true;
        }
    }
}

static void attach_children(const HeadRules *r, const Tree *t, Sentence *s, int phrase)
{
    int head = t->nodes[phrase].head;
    bool moved = false;
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling) {
        t->nodes[c].onto = head;
        if (c == head) continue;
        const Rule *rule = find_type(r, t, c);
        s->types[t->nodes[c].word] = rule ? rule->type : "dep";
        for (const Qualifier *q = rule ? rule->qualifiers : NULL; q; q = q->next)
            if (q->where >= ONTO_NEXT) t->nodes[c].onto = other_head(t, q, c);
        moved |= t->nodes[c].onto != head;
    }
    if (moved) untangle(t, phrase);
    for (int c = t->nodes[phrase].child; c >= 0; c = t->nodes[c].sibling)
        if (c != head) s->heads[t->nodes[c].word] = t->nodes[t->nodes[c].onto].word + 1;
}

Status head_rules_apply(const HeadRules *r, Sentence *s, Arena *arena, Error *e)
{
    Tree t;
    s->heads = arena_alloc(arena, (size_t)s->n_words, sizeof *s->heads);
    s->types = arena_alloc(arena, (size_t)s->n_words, sizeof *s->types);
    ArenaMark mark = arena_mark(arena);
    if (!s->heads || !s->types || !tree_make(&t, s, arena)) return error_set(e, ERR_NOMEM, "out of memory finding heads");
    for (int k = s->n_phrases; k >= 0; k--) { /* pre-order backwards: children first */
        t.nodes[k].head = first_conjunct(r, &t, k, find_head(r, &t, k));
        t.nodes[k].word = t.nodes[t.nodes[k].head].word;
    }
    for (int k = 0; k <= s->n_phrases; k++) attach_children(r, &t, s, k);
    s->heads[t.nodes[0].word] = 0;
    s->types[t.nodes[0].word] = r->root;
    arena_rewind(arena, mark);
    return OK;
}
