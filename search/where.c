/* Conditions are read by recursive descent into a tree; what is compared is known to be a number or a text by then. */
#include "search/where.h"

#include <math.h>
#include <stdarg.h>

#include "base/locale.h"
#include "search/regex.h"

typedef enum FieldKind {
    FIELD_LABEL,
    FIELD_TEXT,
    FIELD_WORDS,
    FIELD_WORD,
    FIELD_LEMMA,
    FIELD_TAG,
    FIELD_UPOS,
    FIELD_FEATS,
    FIELD_TYPE,
    FIELD_P,
    FIELD_HEAD,
    FIELD_PART,
    FIELD_BEGIN,
    FIELD_END,
    FIELD_P_TREE,
    FIELD_RANK,
    FIELD_BEST,
    FIELD_F1,
    FIELD_ID,
    FIELD_LINE,
    FIELD_DOCUMENT,
} FieldKind;

enum { OF_NODE = 1, OF_SENTENCE = 2, OF_BOTH = 3 };

static const struct {
    const char *name;
    int of, asks;
    const char *format; /* of a number; NULL: a text */
} FIELDS[] = {
    [FIELD_LABEL] = { "label", OF_NODE, 0, NULL },
    [FIELD_TEXT] = { "text", OF_BOTH, 0, NULL },
    [FIELD_WORDS] = { "words", OF_BOTH, 0, "%.0f" },
    [FIELD_WORD] = { "word", OF_NODE, 0, NULL },
    [FIELD_LEMMA] = { "lemma", OF_NODE, ASKS_WORDS, NULL },
    [FIELD_TAG] = { "tag", OF_NODE, 0, NULL },
    [FIELD_UPOS] = { "upos", OF_NODE, ASKS_WORDS, NULL },
    [FIELD_FEATS] = { "feats", OF_NODE, ASKS_WORDS, NULL },
    [FIELD_TYPE] = { "type", OF_NODE, ASKS_WORDS, NULL },
    [FIELD_P] = { "p", OF_NODE, ASKS_P, "%.4f" },
    [FIELD_HEAD] = { "head", OF_NODE, ASKS_HEADS, "%.0f" },
    [FIELD_PART] = { "part", OF_NODE, ASKS_HEADS, "%.4f" },
    [FIELD_BEGIN] = { "begin", OF_NODE, 0, "%.0f" },
    [FIELD_END] = { "end", OF_NODE, 0, "%.0f" },
    [FIELD_RANK] = { "rank", OF_SENTENCE, 0, "%.0f" },
    [FIELD_BEST] = { "p", OF_SENTENCE, 0, "%.4f" },
    [FIELD_P_TREE] = { "p_tree", OF_SENTENCE, ASKS_P, "%.4f" },
    [FIELD_F1] = { "f1", OF_SENTENCE, ASKS_P, "%.4f" },
    [FIELD_ID] = { "id", OF_SENTENCE, 0, "%.0f" },
    [FIELD_LINE] = { "line", OF_SENTENCE, 0, "%.0f" },
    [FIELD_DOCUMENT] = { "document", OF_SENTENCE, 0, NULL },
};
enum { N_FIELDS = sizeof FIELDS / sizeof *FIELDS };

enum { NAME_MATCH = -1, NAME_SENTENCE = -2 };

typedef enum Operator {
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_EQUAL,
    OP_DIFFERENT,
    OP_LESS,
    OP_AT_MOST,
    OP_MORE,
    OP_AT_LEAST,
    OP_MATCHES,
    OP_IN,
    OP_CONSTANT, /* a number, or a text */
    OP_FIELD,
    OP_NAME, /* of a node */
} Operator;

typedef struct Term {
    Operator is;
    struct Term *left, *right;
    int name; /* of the query, or NAME_ */
    FieldKind field;
    const char *key; /* of FIELD_FEATS; NULL: all of them */
    bool is_number;
    double number;
    StrView text;
    Regex *regex;
    struct Term *next_regex; /* to be freed */
} Term;

struct Where {
    Arena arena;
    int asks;
    Term *root, *regexes;
    StrBuf scratch[2];
    bool limited; /* a regular expression has reached its limits */
};

struct Fields {
    Arena arena;
    int asks;
    Term **field; /* [n] */
    int n;
};

/* ---- reading */

typedef struct Reader {
    StrView text;
    size_t at;
    const char *path;
    const char *const *names;
    int n_names;
    Arena *arena;
    Term **regexes;
    int depth, terms, asks;
    Error *error;
    bool failed;
} Reader;

static Term *fail(Reader *r, Status code, const char *format, ...)
{
    va_list ap;
    if (r->failed) return NULL;
    va_start(ap, format);
    error_vset(r->error, code, code == ERR_NOMEM ? NULL : r->path, code == ERR_NOMEM ? 0 : 1,
               code == ERR_NOMEM ? 0 : (long)r->at + 1, format, ap);
    va_end(ap);
    r->failed = true;
    return NULL;
}

static Term *expected(Reader *r, const char *what)
{
    size_t n = utf8_cut(r->text.ptr + r->at, r->text.len - r->at, 20);
    if (!n) return fail(r, ERR_FORMAT, "found the end, expected %s", what);
    return fail(r, ERR_FORMAT, "found '%.*s', expected %s", (int)n, r->text.ptr + r->at, what);
}

enum { MOST_DEPTH = 200, MOST_TERMS = 10000 };

static Term *new_term(Reader *r, Operator is, Term *left, Term *right)
{
    if (++r->terms > MOST_TERMS) return fail(r, ERR_LIMIT, "found over %d conditions and values", MOST_TERMS);
    Term *term = r->failed ? NULL : arena_calloc(r->arena, 1, sizeof *term);
    if (!term) return r->failed ? NULL : fail(r, ERR_NOMEM, "out of memory");
    *term = (Term){ .is = is, .left = left, .right = right };
    return term;
}

static void skip(Reader *r)
{
    while (r->at < r->text.len && memchr(" \t", r->text.ptr[r->at], 2)) r->at++;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (unsigned char)c >= 128;
}

/* The name that comes next, which may be empty. */
static StrView peek(Reader *r)
{
    size_t end = r->at;
    while (end < r->text.len && is_name(r->text.ptr[end])) end++;
    return (StrView){ r->text.ptr + r->at, end - r->at };
}

static bool take_word(Reader *r, const char *word)
{
    skip(r);
    StrView next = peek(r);
    if (!text_equal(next, word)) return false;
    r->at += next.len;
    return true;
}

static bool take_sign(Reader *r, const char *sign)
{
    size_t n = strlen(sign);
    skip(r);
    if (r->text.len - r->at < n || memcmp(r->text.ptr + r->at, sign, n) != 0) return false;
    r->at += n;
    return true;
}

static bool find_name(const Reader *r, StrView name, int *found)
{
    if (text_equal(name, "match")) *found = NAME_MATCH;
    else if (text_equal(name, "sentence")) *found = NAME_SENTENCE;
    else {
        for (*found = 0; *found < r->n_names; ++*found)
            if (text_equal(name, r->names[*found])) return true;
        return false;
    }
    return true;
}

/* NAME.FIELD, or NAME where a node is wanted. */
static Term *read_field(Reader *r, bool node)
{
    StrView name = peek(r);
    Term *term = new_term(r, node ? OP_NAME : OP_FIELD, NULL, NULL);
    if (!term) return NULL;
    if (!find_name(r, name, &term->name) || (node && term->name == NAME_SENTENCE))
        return expected(r, node ? "a name of the pattern" : "a name of the pattern, match or sentence");
    r->at += name.len;
    if (node) return term;
    if (r->at == r->text.len || r->text.ptr[r->at] != '.') return expected(r, "'.' and a field");
    r->at++;
    name = peek(r);
    int k = 0, of = term->name == NAME_SENTENCE ? OF_SENTENCE : OF_NODE;
    while (k < N_FIELDS && !(text_equal(name, FIELDS[k].name) && (FIELDS[k].of & of))) k++;
    if (k == N_FIELDS)
        return expected(r, of == OF_NODE ? "label, text, words, word, lemma, tag, upos, feats, type, p, head, part, "
                                           "begin or end"
                                         : "text, words, p_tree, f1, rank, p, id, line or document");
    r->at += name.len;
    r->asks |= FIELDS[k].asks;
    term->field = (FieldKind)k;
    term->is_number = FIELDS[k].format != NULL;
    if (k != FIELD_FEATS || r->at == r->text.len || r->text.ptr[r->at] != '.') return term;
    r->at++;
    name = peek(r);
    if (!name.len) return expected(r, "a feature");
    r->at += name.len;
    term->key = arena_strndup(r->arena, name.ptr, name.len);
    return term->key ? term : fail(r, ERR_NOMEM, "out of memory");
}

/* Is the name before the next period one of a pattern's? */
static bool is_field(Reader *r)
{
    int name;
    StrView next = peek(r);
    return find_name(r, next, &name) && r->at + next.len < r->text.len && r->text.ptr[r->at + next.len] == '.';
}

/* Text between two of the same signs. */
static bool take_quoted(Reader *r, StrView *text)
{
    char sign = r->at < r->text.len ? r->text.ptr[r->at] : 0;
    if (!sign || !memchr("'\"/", sign, 3)) return false;
    const char *from = r->text.ptr + r->at + 1, *end = memchr(from, sign, r->text.len - r->at - 1);
    if (!end) {
        expected(r, "a text that ends with the sign that it begins with");
        return true;
    }
    *text = (StrView){ from, (size_t)(end - from) };
    r->at += text->len + 2;
    return true;
}

static Term *read_value(Reader *r)
{
    char number[40], *end;
    skip(r);
    if (is_field(r)) return read_field(r, false);
    Term *term = new_term(r, OP_CONSTANT, NULL, NULL);
    if (!term || take_quoted(r, &term->text)) return r->failed ? NULL : term;
    size_t n = 0;
    while (r->at + n < r->text.len && (is_name(r->text.ptr[r->at + n]) || r->text.ptr[r->at + n] == '.')) n++;
    if (!n) return expected(r, "a field, a number or a text");
    term->text = (StrView){ r->text.ptr + r->at, n };
    if (n < sizeof number && !memchr(term->text.ptr, 'x', n)) {
        memcpy(number, term->text.ptr, n);
        number[n] = 0;
        term->number = locale_strtod(number, &end);
        term->is_number = !*end && isfinite(term->number);
    }
    r->at += n;
    return term;
}

static Term *read_regex(Reader *r)
{
    Term *term = read_value(r);
    Error below = { 0 };
    if (!term) return NULL;
    if (term->is != OP_CONSTANT) return expected(r, "a regular expression");
    term->regex = regex_compile(term->text, (RegexOptions){ 0 }, &below);
    if (!term->regex && below.code == ERR_NOMEM) return fail(r, ERR_NOMEM, "out of memory");
    if (!term->regex) {
        r->at = (size_t)(term->text.ptr - r->text.ptr) + (size_t)(below.column > 0 ? below.column - 1 : 0);
        return fail(r, ERR_FORMAT, "%s", below.message);
    }
    term->next_regex = *r->regexes;
    *r->regexes = term;
    return term;
}

static Term *read_comparison(Reader *r)
{
    static const struct {
        const char *sign;
        Operator is;
    } OPERATORS[] = { { "!=", OP_DIFFERENT }, { "<=", OP_AT_MOST }, { ">=", OP_AT_LEAST }, { "==", OP_EQUAL },
                      { "=", OP_EQUAL },      { "<", OP_LESS },     { ">", OP_MORE },      { "~", OP_MATCHES } };
    int name;
    size_t k = 0, n = sizeof OPERATORS / sizeof *OPERATORS;
    skip(r);
    if (!is_field(r) && find_name(r, peek(r), &name)) { /* a node in another one */
        Term *left = read_field(r, true);
        if (!left) return NULL;
        if (!take_word(r, "in")) return expected(r, "'.' and a field, or \"in\" and a name");
        skip(r);
        return new_term(r, OP_IN, left, read_field(r, true));
    }
    if (!is_field(r)) return expected(r, "NAME.FIELD, where the pattern has the name, match or sentence");
    Term *left = read_field(r, false);
    while (k < n && !take_sign(r, OPERATORS[k].sign)) k++;
    if (k == n) return expected(r, "one of = != < <= > >= ~");
    Operator is = OPERATORS[k].is;
    skip(r);
    size_t from = r->at;
    Term *right = is == OP_MATCHES ? read_regex(r) : read_value(r);
    if (!left || !right || is == OP_MATCHES) return new_term(r, is, left, right);
    bool constant = right->is == OP_CONSTANT, order = is != OP_EQUAL && is != OP_DIFFERENT;
    if (constant && !left->is_number) right->is_number = false; /* a word that is a number */
    if (left->is_number == right->is_number && (left->is_number || !order)) return new_term(r, is, left, right);
    r->at = from;
    return expected(r, left->is_number ? "a number" : order ? "a number on both sides" : "a text");
}

static Term *read_any(Reader *r);

static Term *read_one(Reader *r)
{
    Term *term;
    if (++r->depth > MOST_DEPTH) return fail(r, ERR_LIMIT, "found conditions in over %d others", MOST_DEPTH);
    if (take_word(r, "not")) term = new_term(r, OP_NOT, read_one(r), NULL);
    else if (take_sign(r, "(")) {
        term = read_any(r);
        if (!r->failed && !take_sign(r, ")")) expected(r, "and, or, or ')'");
    } else term = read_comparison(r);
    r->depth--;
    return r->failed ? NULL : term;
}

static Term *read_all(Reader *r)
{
    Term *all = read_one(r);
    while (!r->failed && take_word(r, "and")) all = new_term(r, OP_AND, all, read_one(r));
    return all;
}

static Term *read_any(Reader *r)
{
    Term *any = read_all(r);
    while (!r->failed && take_word(r, "or")) any = new_term(r, OP_OR, any, read_all(r));
    return any;
}

void where_free(Where *where)
{
    if (!where) return;
    for (Term *t = where->regexes; t; t = t->next_regex) regex_free(t->regex);
    for (int k = 0; k < 2; k++) strbuf_fini(&where->scratch[k]);
    arena_fini(&where->arena);
    mem_free(where);
}

Where *where_compile(StrView text, const char *const *names, int n, Error *error)
{
    Where *where = mem_calloc(1, sizeof *where);
    if (!where) {
        error_set(error, ERR_NOMEM, "out of memory");
        return NULL;
    }
    arena_init(&where->arena, 1024);
    Reader r = { .text = text,
                 .path = "where",
                 .names = names,
                 .n_names = n,
                 .arena = &where->arena,
                 .regexes = &where->regexes,
                 .error = error };
    where->root = read_any(&r);
    skip(&r);
    if (!r.failed && r.at < text.len) expected(&r, "and, or, or the end");
    where->asks = r.asks;
    if (!r.failed) return where;
    where_free(where);
    return NULL;
}

int where_asks(const Where *where) { return where->asks; }
int fields_asks(const Fields *fields) { return fields->asks; }

void fields_free(Fields *fields)
{
    if (!fields) return;
    arena_fini(&fields->arena);
    mem_free(fields);
}

Fields *fields_compile(StrView text, const char *const *names, int n, Error *error)
{
    Fields *fields = mem_calloc(1, sizeof *fields);
    if (!fields) {
        error_set(error, ERR_NOMEM, "out of memory");
        return NULL;
    }
    arena_init(&fields->arena, 1024);
    Reader r = {
        .text = text, .path = "fields", .names = names, .n_names = n, .arena = &fields->arena, .error = error
    };
    size_t most = 1;
    for (size_t k = 0; k < text.len; k++) most += text.ptr[k] == ',';
    fields->field = arena_calloc(&fields->arena, most, sizeof *fields->field);
    if (!fields->field) fail(&r, ERR_NOMEM, "out of memory");
    do {
        skip(&r);
        if (!r.failed) fields->field[fields->n++] = read_field(&r, false);
    } while (!r.failed && take_sign(&r, ","));
    skip(&r);
    if (!r.failed && r.at < text.len) expected(&r, "',' or the end");
    fields->asks = r.asks;
    if (!r.failed) return fields;
    fields_free(fields);
    return NULL;
}

/* ---- values */

typedef struct Context {
    const Match *match;
    Searched *sentence;
    const StrMap *labels;
} Context;

typedef struct Value {
    bool known;
    double number;
    StrView text;
} Value;

static Value of_number(double x) { return (Value){ .known = !isnan(x), .number = x }; }
static Value of_count(bool known, int x) { return (Value){ .known = known, .number = x }; }
static Value of_text(const char *x) { return x ? (Value){ true, NAN, { x, strlen(x) } } : (Value){ 0 }; }

static Place place_of(const Context *c, int name) { return name < 0 ? c->match->match : c->match->named[name]; }

/* The words of a node; false: it has none. */
static bool words_of(const Context *c, Place place, int *begin, int *end)
{
    const Searched *x = c->sentence;
    *begin = *end = 0;
    if (place.tree >= 0) {
        *begin = searched_begin(x, place.tree);
        *end = searched_end(x, place.tree);
    } else if (place.graph >= 0 && (*begin = searched_word(x, place.graph)) >= 0) *end = *begin + 1;
    return *end > *begin;
}

static bool is_phrase(const Searched *x, int node)
{
    return node >= 0 && !node_is_leaf(&x->tree, node) && !node_is_leaf(&x->tree, node + 1);
}

static Value feature(const char *features, const char *key)
{
    size_t n = strlen(key);
    for (const char *at = features; at && *at; at += strcspn(at, "|"), at += *at == '|')
        if (!strncmp(at, key, n) && at[n] == '=') return (Value){ true, NAN, { at + n + 1, strcspn(at + n + 1, "|") } };
    return (Value){ 0 };
}

/* The relations of a word to its governors; the first one has the governor that comes first. */
static Value relation(const Searched *x, int node)
{
    if (node < 0) return (Value){ 0 };
    const DepNode *n = &x->graph.node[node];
    return of_text(n->is_root ? "root" : n->n_up ? x->graph.edge[x->graph.up[n->first_up]].relation : NULL);
}

static Value joined(const Searched *x, int begin, int end, StrBuf *scratch)
{
    strbuf_clear(scratch);
    searched_text(scratch, x, begin, end);
    return (Value){ !scratch->failed, NAN, { scratch->ptr ? scratch->ptr : "", scratch->len } };
}

static Value of_sentence(const Context *c, const Term *term, StrBuf *scratch)
{
    const Searched *x = c->sentence;
    switch (term->field) {
    case FIELD_TEXT: return x->text ? of_text(x->text) : joined(x, 0, x->n_words, scratch);
    case FIELD_WORDS: return of_number(x->n_words);
    case FIELD_P_TREE: return of_number(x->p_tree);
    case FIELD_RANK: return of_count(x->rank, x->rank);
    case FIELD_BEST: return of_number(x->p);
    case FIELD_F1: return of_number(x->expected_f1);
    case FIELD_ID: return of_number(x->id ? (double)x->id : NAN);
    case FIELD_LINE: return of_number(x->line ? (double)x->line : NAN);
    default: return of_text(x->document);
    }
}

/* The tag of a word in the graph, or else in the tree. */
static Value tag_of(const Context *c, Place place, int node)
{
    const NodeTree *t = &c->sentence->tree;
    if (place.tree < 0) return of_text(node >= 0 ? c->sentence->graph.node[node].tag : NULL);
    int at = node_is_leaf(t, place.tree) ? t->parent[place.tree] : place.tree;
    return of_text(at >= 0 ? c->labels->keys[t->label[at]] : NULL);
}

static Value value_of(const Context *c, const Term *term, StrBuf *scratch)
{
    if (term->is == OP_CONSTANT) return (Value){ true, term->number, term->text };
    if (term->name == NAME_SENTENCE) return of_sentence(c, term, scratch);
    Searched *x = c->sentence;
    Place place = place_of(c, term->name);
    int begin, end, word = -1;
    bool words = words_of(c, place, &begin, &end);
    if (words) word = place.tree >= 0 && place.graph < 0 ? searched_head(x, c->labels, place.tree) : end - 1;
    int node = place.graph >= 0 ? place.graph : word >= 0 ? searched_graph_node(x, word) : -1;
    if (place.graph >= 0) word = searched_word(x, place.graph);
    const DepNode *n = node < 0 ? NULL : &x->graph.node[node];
    const Belief *d = is_phrase(x, place.tree) ? (x->phrase ? &x->phrase[place.tree] : NULL)
                                               : (x->arc && word >= 0 ? &x->arc[word] : NULL);
    switch (term->field) {
    case FIELD_LABEL:
        if (place.tree >= 0) return of_text(c->labels->keys[x->tree.label[place.tree]]);
        return of_text(n ? n->tag : NULL);
    case FIELD_TEXT: return words ? joined(x, begin, end, scratch) : of_text(n ? n->form : NULL);
    case FIELD_WORDS: return of_count(words, end - begin);
    case FIELD_WORD: return of_text(word >= 0 ? x->word[word] : n ? n->form : NULL);
    case FIELD_LEMMA: return of_text(n ? n->lemma : NULL);
    case FIELD_TAG: return tag_of(c, place, node);
    case FIELD_UPOS: return of_text(n ? n->upos : NULL);
    case FIELD_FEATS: return term->key ? feature(n ? n->feats : NULL, term->key) : of_text(n ? n->feats : NULL);
    case FIELD_TYPE: return relation(x, node);
    case FIELD_P: return of_number(d ? d->p : NAN);
    case FIELD_HEAD: return of_count(d && d->head, d ? d->head : 0);
    case FIELD_PART: return of_number(d ? d->part : NAN);
    case FIELD_BEGIN: return of_count(words, begin);
    default: return of_count(words, end);
    }
}

void fields_put(StrBuf *out, const Fields *fields, const Match *match, Searched *sentence, const StrMap *labels)
{
    const Context c = { match, sentence, labels };
    StrBuf scratch = { 0 };
    for (int k = 0; k < fields->n; k++) {
        const Term *term = fields->field[k];
        const char *format = FIELDS[term->field].format;
        Value value = value_of(&c, term, &scratch);
        if (k) strbuf_putc(out, '\t');
        if (!value.known) continue;
        if (format) strbuf_fixed(out, value.number, format[2] - '0');
        else strbuf_add(out, value.text.ptr, value.text.len);
    }
    out->failed |= scratch.failed;
    strbuf_fini(&scratch);
}

/* ---- conditions */

static bool inside(const Context *c, const Term *term)
{
    int a, b, from, to;
    return words_of(c, place_of(c, term->left->name), &a, &b) &&
           words_of(c, place_of(c, term->right->name), &from, &to) && a >= from && b <= to;
}

static bool matches(Where *where, const Term *term, const Value *value)
{
    char digits[40];
    StrView text = value->text;
    if (term->left->is_number) {
        int n = locale_snprintf(digits, sizeof digits, FIELDS[term->left->field].format, value->number);
        text = (StrView){ digits, (size_t)n };
    }
    int found = regex_find(term->right->regex, text);
    where->limited |= found < 0;
    return found > 0;
}

static bool compare(const Context *c, const Term *term, Where *where)
{
    Value a = value_of(c, term->left, &where->scratch[0]);
    if (!a.known) return false;
    if (term->is == OP_MATCHES) return matches(where, term, &a);
    Value b = value_of(c, term->right, &where->scratch[1]);
    if (!b.known) return false;
    double x = a.number, y = b.number;
    if (!term->left->is_number) {
        x = a.text.len == b.text.len && !memcmp(a.text.ptr, b.text.ptr, a.text.len);
        y = 1;
    }
    switch (term->is) {
    case OP_EQUAL: return x == y;
    case OP_DIFFERENT: return x != y;
    case OP_LESS: return x < y;
    case OP_AT_MOST: return x <= y;
    case OP_MORE: return x > y;
    default: return x >= y;
    }
}

static bool holds(const Context *c, const Term *term, Where *where)
{
    switch (term->is) {
    case OP_OR: return holds(c, term->left, where) || holds(c, term->right, where);
    case OP_AND: return holds(c, term->left, where) && holds(c, term->right, where);
    case OP_NOT: return !holds(c, term->left, where);
    case OP_IN: return inside(c, term);
    default: return compare(c, term, where);
    }
}

bool where_holds(Where *where, const Match *match, Searched *sentence, const StrMap *labels)
{
    const Context c = { match, sentence, labels };
    return holds(&c, where->root, where);
}

Status where_status(Where *where, Error *error)
{
    bool failed = where->scratch[0].failed || where->scratch[1].failed, limited = where->limited;
    if (!failed && !limited) return OK;
    for (int k = 0; k < 2; k++) strbuf_fini(&where->scratch[k]);
    where->limited = false;
    return failed ? error_set(error, ERR_NOMEM, "out of memory")
                  : error_set(error, ERR_LIMIT, "a regular expression of the conditions takes too long");
}
