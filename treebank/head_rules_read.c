/* Reads tables of head rules. */
#include <string.h>

#include "treebank/head_rule_table.h"

/* Limits of nested patterns and of nested '>', which bound the time of matching. */
enum { MAX_PATTERN_DEPTH = 12, MAX_CHAINS = 2 };

/* After "next" and "previous" a digit may say how many siblings on. */
static const char *const WHERE_NAMES[WHERES] = { "precedes", "follows",   "next",          "previous",
                                                 "under",    "onto-next", "onto-previous", "onto-last" };

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

static Status no_memory(const Reader *in)
{
    return error_at(in->e, ERR_NOMEM, in->path, in->number, 0, "out of memory reading head rules");
}

static Status add_rule(Reader *in, Rule **list, int *n, int *cap, const Rule *rule)
{
    if (!mem_reserve(*list, cap, *n + 1)) return no_memory(in);
    (*list)[(*n)++] = *rule;
    return OK;
}

static Names *names_new(HeadRules *r)
{
    Names *n = arena_alloc(&r->arena, 1, sizeof *n);
    if (!n) return NULL;
    *n = (Names){ .next = r->all };
    r->all = n;
    return n;
}

static Status add_whole(Reader *in, Names *to, int name)
{
    if (name < 0 || !mem_reserve(to->whole, &to->whole_cap, to->n_whole + 1)) return no_memory(in);
    to->whole[to->n_whole++] = name;
    return OK;
}

static Status names_add(Reader *in, Names *to, StrView name)
{
    if (name.len == 1 && name.ptr[0] == '*') {
        to->any = true;
    } else if (name.len > 1 && name.ptr[name.len - 1] == '*') {
        if (!mem_reserve(to->prefixes, &to->prefix_cap, to->n_prefixes + 1)) return no_memory(in);
        to->prefixes[to->n_prefixes] = arena_strndup(&in->r->arena, name.ptr, name.len - 1);
        if (!to->prefixes[to->n_prefixes]) return no_memory(in);
        to->n_prefixes++;
    } else return add_whole(in, to, map_add(&in->r->names, name.ptr, name.len));
    return OK;
}

static Status names_add_set(Reader *in, Names *to, StrView set, size_t at)
{
    int k = map_find(&in->r->set_names, set.ptr, set.len);
    if (k < 0) return fail(in, at, "found an unknown set, expected one defined above");
    const Names *from = in->r->sets[k];
    if (from == to) return fail(in, at, "found a set that contains itself");
    to->any |= from->any;
    Status s = OK;
    for (int i = 0; i < from->n_whole && s == OK; i++) s = add_whole(in, to, from->whole[i]);
    for (int i = 0; i < from->n_prefixes && s == OK; i++) {
        if (!mem_reserve(to->prefixes, &to->prefix_cap, to->n_prefixes + 1)) s = no_memory(in);
        else to->prefixes[to->n_prefixes++] = from->prefixes[i];
    }
    return s;
}

static char peek(const Reader *in) { return in->at < in->line.len ? in->line.ptr[in->at] : 0; }

static void skip_blanks(Reader *in)
{
    while (peek(in) == ' ' || peek(in) == '\t') in->at++;
}

/* Reads up to a blank. */
static StrView item(Reader *in)
{
    size_t from = in->at;
    while (in->at < in->line.len && !memchr(" \t", in->line.ptr[in->at], 2)) in->at++;
    return (StrView){ in->line.ptr + from, in->at - from };
}

/* [!]NAME|NAME|@SET */
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

/* {PATTERN,!PATTERN} after a name. */
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
    if (peek(in) != '}') return fail(in, in->at, "found other text in the conditions, expected ',' or '}'");
    in->at++;
    return OK;
}

/* After the whole pattern is read. */
static void number_pattern(HeadRules *r, Pattern *p)
{
    p->fixed = !p->word && !p->tag && !p->chain;
    for (const Pattern *c = p->child; c; c = c->next) p->fixed &= c->fixed;
    if (p->child || p->chain) p->memo = r->n_memos++;
    if (p->chain) p->chain_memo = r->n_memos++;
}

/* NAMES [/NAMES] [^NAMES] [{...}] [>PATTERN] */
static Status read_pattern(Reader *in, Pattern **out)
{
    Pattern *p = *out = arena_alloc(&in->r->arena, 1, sizeof *p);
    if (!p) return no_memory(in);
    *p = (Pattern){ .memo = -1, .chain_memo = -1 };
    if (++in->depth > MAX_PATTERN_DEPTH) return fail(in, in->at, "found patterns nested too deeply");
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
        if (++in->chains > MAX_CHAINS) return fail(in, in->at, "found three nested '>', expected at most two");
        in->at++;
        s = read_pattern(in, &p->chain);
        in->chains--;
    }
    in->depth--;
    if (s == OK) number_pattern(in->r, p);
    return s;
}

static Status read_argument(Reader *in, Pattern **out)
{
    skip_blanks(in);
    if (!peek(in)) return fail(in, in->at, "found the end of the line, expected a pattern");
    Status s = read_pattern(in, out);
    if (s == OK && peek(in) && peek(in) != ' ' && peek(in) != '\t')
        s = fail(in, in->at, "found other text after a pattern, expected a blank");
    return s;
}

static bool takes(Reader *in, const char *word)
{
    size_t n = strlen(word);
    if (in->line.len - in->at < n || memcmp(in->line.ptr + in->at, word, n) != 0) return false;
    in->at += n;
    return true;
}

/* The name of a qualifier and its '='; WHERES if there is none. */
static Where takes_where(Reader *in, int *steps)
{
    for (int w = 0; w < WHERES; w++) {
        size_t from = in->at;
        *steps = 1;
        if (takes(in, WHERE_NAMES[w])) {
            if ((w == NEXT || w == PREVIOUS) && peek(in) >= '2' && peek(in) <= '9')
                *steps = in->line.ptr[in->at++] - '0';
            if (takes(in, "=")) return (Where)w;
        }
        in->at = from;
    }
    return WHERES;
}

static Status read_qualifiers(Reader *in, Rule *rule)
{
    Qualifier **tail = &rule->qualifiers;
    for (skip_blanks(in); peek(in); skip_blanks(in)) {
        size_t from = in->at;
        bool absent = takes(in, "!");
        int steps;
        Where w = takes_where(in, &steps);
        if (w >= ONTO_NEXT && w < WHERES && (!rule->type || absent))
            return fail(in, from,
                        absent ? "found '!' before onto-next=, onto-previous= or onto-last=, expected none"
                               : "found onto-next=, onto-previous= or onto-last=, expected them in type rules only");
        if (w < WHERES) {
            Qualifier *q = *tail = arena_alloc(&in->r->arena, 1, sizeof *q);
            if (!q) return no_memory(in);
            bool lists = w == PRECEDES || w == FOLLOWS || w >= ONTO_NEXT;
            *q = (Qualifier){ w, absent, NULL, NULL, steps, lists ? in->r->n_lists++ : -1 };
            tail = &q->next;
            Status s = read_argument(in, &q->pattern);
            if (s != OK) return s;
            continue;
        }
        StrView word = item(in);
        if (rule->type && !absent && text_equal(word, "before")) rule->before = true;
        else if (rule->type && !absent && text_equal(word, "after")) rule->after = true;
        else
            return fail(in, from,
                        rule->type ? "found an unknown word, expected before, after, precedes=, follows=, next=, "
                                     "previous=, under=, onto-next=, onto-previous= or onto-last="
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
    if (!rule.last && !text_equal(side, "first"))
        return fail(in, from, "found an unknown word, expected first or last");
    s = read_argument(in, &rule.child);
    if (s == OK) s = read_qualifiers(in, &rule);
    return s == OK ? add_rule(in, &r->heads, &r->n_heads, &r->head_cap, &rule) : s;
}

static Status read_coordination(Reader *in)
{
    HeadRules *r = in->r;
    Rule rule = { .type = NULL };
    Status s = read_argument(in, &rule.parent);
    if (s == OK) s = read_argument(in, &rule.child);
    if (s == OK) s = read_argument(in, &rule.separator);
    skip_blanks(in);
    if (s == OK && peek(in))
        s = fail(in, in->at, "found other text after the separators, expected the end of the line");
    return s == OK ? add_rule(in, &r->coordinations, &r->n_coordinations, &r->coordination_cap, &rule) : s;
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
    return s == OK ? add_rule(in, &r->types, &r->n_types, &r->type_cap, &rule) : s;
}

/* set NAME ITEM ...: the items are added to a set of the same name, if there is one. */
static Status read_set(Reader *in)
{
    HeadRules *r = in->r;
    const char *name;
    Status s = read_name(in, &name);
    if (s != OK) return s;
    int k = map_find(&r->set_names, name, strlen(name));
    if (k < 0) {
        k = map_add(&r->set_names, name, strlen(name));
        if (k < 0 || !mem_reserve(r->sets, &r->set_cap, k + 1)) return no_memory(in);
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
    if (!text_equal(word, "root"))
        return fail(in, from, "found an unknown word, expected head, coordination, type, set or root");
    Status s = read_name(in, &in->r->root);
    skip_blanks(in);
    return s == OK && peek(in) ? fail(in, in->at, "found other text after the name, expected the end of the line") : s;
}

/* Notes for each list which names of all lists it has. */
static bool mark_names(HeadRules *r)
{
    for (Names *n = r->all; n; n = n->next) {
        unsigned char *has = arena_calloc(&r->arena, (size_t)r->names.n / 8 + 1, 1);
        if (!has) return false;
        for (int k = 0; k < r->names.n; k++)
            if (head_rules_names_have(n, -1, r->names.keys[k])) has[k / 8] |= (unsigned char)(1 << k % 8);
        for (int i = 0; i < n->n_whole; i++) {
            int k = n->whole[i];
            if (n->negated) has[k / 8] &= (unsigned char)~(1 << k % 8);
            else has[k / 8] |= (unsigned char)(1 << k % 8);
        }
        n->has = has;
    }
    return true;
}

HeadRules *head_rules_read(StrView text, const char *path, Error *error)
{
    HeadRules *r = mem_calloc(1, sizeof *r);
    if (!r) {
        (void)error_set(error, ERR_NOMEM, "out of memory reading %s", path);
        return NULL;
    }
    arena_init(&r->arena, 0);
    r->root = "root";
    map_init(&r->names);
    map_init(&r->set_names);
    Reader in = { .r = r, .path = path, .e = error };
    Status s = OK;
    size_t at = 0;
    while (s == OK && text_line(text, &at, &in.line)) {
        const char *found;
        size_t bad = text_fault(in.line, &found);
        in.number++;
        s = bad == in.line.len ? read_line(&in) : fail(&in, bad, found);
    }
    if (s == OK && r->n_heads == 0)
        s = error_at(error, ERR_FORMAT, path, in.number + 1, 1, "found no head rule, expected at least one");
    if (s == OK && !mark_names(r)) s = no_memory(&in);
    if (s == OK) return r;
    head_rules_free(r);
    return NULL;
}

void head_rules_free(HeadRules *rules)
{
    if (!rules) return;
    for (Names *n = rules->all; n; n = n->next) {
        mem_free_each(n->whole, n->prefixes);
    }
    map_fini(&rules->names);
    map_fini(&rules->set_names);
    mem_free_each(rules->heads, rules->coordinations, rules->types, rules->sets);
    arena_fini(&rules->arena);
    mem_free(rules);
}
