/* Reads patterns by recursive descent over tokens that are as long as they can be. */
#include <stdlib.h>

#include "search/tregex_internal.h"

typedef enum TokenKind { END = 0, LABEL = 256, NUMBER, REGEX, ANY, ROOT, RELATION } TokenKind; /* else the character */

typedef struct Token {
    int kind;
    StrView text;
    Relation relation;
    int number;  /* of RELATION: the child that it asks for, 0: none */
    bool counts; /* of RELATION: may a number follow? */
} Token;

enum { MOST_DEPTH = 200 };

typedef struct Reader {
    StrView text;
    Token token;  /* the next one */
    size_t after; /* where the text goes on behind it */
    Tregex *to;
    char *known; /* [names] may the name be referred to here? */
    int cap_known;
    int depth;     /* open brackets */
    int negations; /* of these, and of relations, that are negated */
    Error *error;
    bool failed;
} Reader;

static void fail(Reader *r, size_t at, Status code, const char *fmt, ...)
{
    va_list ap;
    if (r->failed) return;
    va_start(ap, fmt);
    error_vset(r->error, code, code == ERR_NOMEM ? NULL : "pattern", code == ERR_NOMEM ? 0 : 1, (long)at + 1, fmt, ap);
    va_end(ap);
    r->failed = true;
}

static void *allot(Reader *r, size_t count, size_t size)
{
    void *p = arena_calloc(&r->to->arena, count, size);
    if (!p) fail(r, 0, ERR_NOMEM, "out of memory");
    return p;
}

/* ---- tokens */

/* Longer ones before their beginnings. */
static const struct {
    const char *text;
    Relation relation;
    int number;
    bool counts;
} RELATIONS[] = {
    { "<<<", REL_LEAF, 0, true },          { "<<,", REL_FIRST_BELOW, 0, false },
    { "<<-", REL_LAST_BELOW, 0, false },   { "<<`", REL_LAST_BELOW, 0, false },
    { "<<:", REL_CHAIN_BELOW, 0, false },  { "<<#", REL_HEAD_BELOW, 0, false },
    { "<<", REL_BELOW, 0, false },         { "<+", REL_PATH_BELOW, 0, false },
    { "<,", REL_NTH_CHILD, 1, false },     { "<-", REL_NTH_CHILD, -1, true },
    { "<`", REL_NTH_CHILD, -1, false },    { "<:", REL_ONLY_CHILD, 0, false },
    { "<#", REL_HEAD_CHILD, 0, false },    { "<=", REL_NODE_OR_CHILD, 0, false },
    { "<", REL_CHILD, 0, true },           { ">>,", REL_FIRST_OF, 0, false },
    { ">>-", REL_LAST_OF, 0, false },      { ">>`", REL_LAST_OF, 0, false },
    { ">>:", REL_CHAIN_ABOVE, 0, false },  { ">>#", REL_HEAD_ABOVE, 0, false },
    { ">>", REL_ABOVE, 0, false },         { ">+", REL_PATH_ABOVE, 0, false },
    { ">,", REL_NTH_OF, 1, false },        { ">-", REL_NTH_OF, -1, true },
    { ">`", REL_NTH_OF, -1, false },       { ">:", REL_ONLY_CHILD_OF, 0, false },
    { ">#", REL_HEAD_OF, 0, false },       { ">", REL_PARENT, 0, true },
    { "$++", REL_AFTER_SISTER, 0, false }, { "$--", REL_BEFORE_SISTER, 0, false },
    { "$..", REL_AFTER_SISTER, 0, false }, { "$,,", REL_BEFORE_SISTER, 0, false },
    { "$+", REL_NEXT, 0, false },          { "$-", REL_PREVIOUS, 0, false },
    { "$.", REL_NEXT, 0, false },          { "$,", REL_PREVIOUS, 0, false },
    { "$", REL_SISTER, 0, false },         { ".+", REL_PATH_AFTER, 0, false },
    { ",+", REL_PATH_BEFORE, 0, false },   { "..", REL_BEFORE, 0, false },
    { ",,", REL_AFTER, 0, false },         { ".", REL_FOLLOWED, 0, false },
    { ",", REL_PRECEDED, 0, false },       { "==", REL_NODE, 0, false },
    { ":", REL_ANYWHERE, 0, false },
};
static const char SUBTREE[] = "<...";

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* How many characters of a label begin at text[0]? */
static size_t label_length(StrView text)
{
    size_t n = 0;
    if (!text.len || is_digit(text.ptr[0]) || memchr(";{}|_", text.ptr[0], 5)) return 0;
    while (n < text.len && !memchr("$.,:@#%&=?!~<>()[]/ \t\r\n", text.ptr[n], 24)) n++;
    return n;
}

static size_t number_length(StrView text)
{
    size_t sign = text.len && text.ptr[0] == '-', n = sign;
    while (n < text.len && is_digit(text.ptr[n])) n++;
    return n > sign ? n : 0;
}

static void next(Reader *r)
{
    size_t at = r->after, n;
    StrView rest;
    while (at < r->text.len && memchr(" \t\r", r->text.ptr[at], 3)) at++;
    rest = (StrView){ r->text.ptr + at, r->text.len - at };
    r->token = (Token){ .kind = END, .text = { rest.ptr, 0 } };
    r->after = at;
    if (!rest.len || rest.ptr[0] == '\n') return;
    n = label_length(rest);
    if (number_length(rest) >= n && number_length(rest)) {
        n = number_length(rest);
        r->token.kind = NUMBER;
    } else if (n) r->token.kind = LABEL;
    else if (rest.ptr[0] == '/') {
        for (n = 1; n < rest.len && rest.ptr[n] != '/' && rest.ptr[n] != '\n'; n++)
            if (rest.ptr[n] == '\\' && n + 1 < rest.len && rest.ptr[n + 1] == '/') n++;
        if (n++ == rest.len || rest.ptr[n - 1] != '/') {
            fail(r, at, ERR_FORMAT, "found '/', expected another one that closes the regular expression");
            n = 1;
        }
        r->token.kind = REGEX;
    } else if (rest.len >= 6 && !memcmp(rest.ptr, "_ROOT_", 6)) {
        n = 6;
        r->token.kind = ROOT;
    } else if (rest.len >= 2 && !memcmp(rest.ptr, "__", 2)) {
        n = 2;
        r->token.kind = ANY;
    } else if (rest.len >= 4 && !memcmp(rest.ptr, SUBTREE, 4)) {
        n = 4;
        r->token.kind = RELATION;
    } else {
        n = 1;
        r->token.kind = (unsigned char)rest.ptr[0];
        for (size_t k = 0; k < sizeof RELATIONS / sizeof *RELATIONS; k++) {
            size_t length = strlen(RELATIONS[k].text);
            if (rest.len < length || memcmp(rest.ptr, RELATIONS[k].text, length) != 0) continue;
            n = length;
            r->token = (Token){ .kind = RELATION,
                                .relation = RELATIONS[k].relation,
                                .number = RELATIONS[k].number,
                                .counts = RELATIONS[k].counts };
            break;
        }
    }
    r->token.text = (StrView){ rest.ptr, n };
    r->after = at + n;
}

static size_t here(const Reader *r) { return (size_t)(r->token.text.ptr - r->text.ptr); }

static void expected(Reader *r, const char *what)
{
    if (r->token.kind == END) fail(r, here(r), ERR_FORMAT, "found the end of the pattern, expected %s", what);
    else
        fail(r, here(r), ERR_FORMAT, "found '%.*s', expected %s",
             (int)utf8_cut(r->token.text.ptr, r->token.text.len, 60), r->token.text.ptr, what);
}

static bool take(Reader *r, int kind, const char *what)
{
    if (r->failed || r->token.kind != kind) {
        if (what) expected(r, what);
        return false;
    }
    next(r);
    return !r->failed;
}

static bool is_subtree(const Reader *r) { return r->token.kind == RELATION && r->token.text.len == 4; }

/* ---- names */

/* The number of the name at hand; declares: it is a new one. */
static int name(Reader *r, StrMap *names, bool declares, const char *what)
{
    StrView text = r->token.text;
    int k;
    if (r->token.kind != LABEL) expected(r, what);
    for (size_t i = 0; i < text.len && !r->failed; i++)
        if (strchr("\"'`^*+\\;{}|", text.ptr[i])) expected(r, "a name of letters, digits, '-' and '_'");
    if (r->failed) return -1;
    k = map_find(names, text.ptr, text.len);
    if (names == &r->to->names) {
        bool known = k >= 0 && r->known[k];
        if (declares && known) expected(r, "a name that was not given before");
        if (!declares && !known) expected(r, "a name that was given before");
        if (declares && r->negations) expected(r, "no new name where something is negated");
    }
    if (r->failed) return -1;
    k = map_add(names, text.ptr, text.len);
    if (k < 0 || (names == &r->to->names && !mem_reserve(r->known, &r->cap_known, k + 1))) {
        fail(r, 0, ERR_NOMEM, "out of memory");
        return -1;
    }
    if (names == &r->to->names) r->known[k] = 1;
    next(r);
    return k;
}

/* ---- labels */

static LabelTest *add_test(Reader *r, TestKind kind)
{
    LabelTest *test = allot(r, 1, sizeof *test);
    if (!test) return NULL;
    if (!mem_reserve(r->to->test, &r->to->cap_tests, r->to->n_tests + 1)) {
        fail(r, 0, ERR_NOMEM, "out of memory");
        return NULL;
    }
    test->kind = kind;
    r->to->test[r->to->n_tests++] = test;
    return test;
}

/* The parts between '|', copied; \$ is a dollar. */
static void set_texts(Reader *r, LabelTest *test, StrView list)
{
    test->text = allot(r, list.len / 2 + 1, sizeof *test->text);
    char *copy = test->text ? allot(r, list.len + 1, 1) : NULL;
    if (!copy) return;
    for (size_t k = 0, from = 0, to = 0; k <= list.len; k++) {
        if (k < list.len && list.ptr[k] != '|') {
            if (list.ptr[k] != '\\' || k + 1 == list.len || list.ptr[k + 1] != '$') copy[to++] = list.ptr[k];
        } else {
            if (to > from) test->text[test->n++] = (StrView){ copy + from, to - from };
            from = to;
        }
    }
}

static bool made_of(StrView text, const char *more)
{
    for (size_t k = 0; k < text.len; k++) {
        char c = text.ptr[k];
        bool dollar = c == '\\' && k + 1 < text.len && text.ptr[k + 1] == '$' && strchr(more, '$');
        if (!dollar && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && (c == '$' || !strchr(more, c)))
            return false;
        k += dollar;
    }
    return text.len > 0;
}

static StrView inside(StrView text, const char *before, const char *after)
{
    size_t b = strlen(before), a = strlen(after);
    bool has = text.len >= b + a && !memcmp(text.ptr, before, b) && !memcmp(text.ptr + text.len - a, after, a);
    return has ? (StrView){ text.ptr + b, text.len - b - a } : (StrView){ NULL, 0 };
}

/* CoreNLP reads some regular expressions as lists of labels; where this differs (/^.$/ is a full stop, /^JJ|RB/ is
 * both at the beginning) patterns rely on it. */
static LabelTest *as_labels(Reader *r, StrView text)
{
    StrView one = inside(text, "^", "$"), list = inside(text, "^(?:", ")$"), folded = inside(text, "^(?i:", ")$");
    StrView bracket = inside(text, "^[", "]$"), prefix = inside(text, "^", "");
    LabelTest *test;
    if ((text.len == 2 && !memcmp(text.ptr, ".*", 2)) || (one.len == 2 && !memcmp(one.ptr, ".*", 2)))
        return add_test(r, TEST_ANY);
    int parts = 1;
    StrView many = list.len ? list : folded;
    for (size_t k = 0; k < many.len; k++) parts += many.ptr[k] == '|';
    if (many.len && (parts > 8 || !made_of(many, "-|$"))) many.len = 0;
    if (bracket.len == 1) one = bracket;
    bool single = one.len && (utf8_cut(one.ptr, one.len, 1) == one.len || made_of(one, "-'"));
    if (!single && !many.len && !made_of(prefix, "-|")) return NULL;
    if (!(test = add_test(r, single || many.len ? TEST_LIST : TEST_PREFIX))) return NULL;
    test->caseless = folded.len && many.len;
    if (single && one.len == 1) { /* also a '|' */
        if ((test->text = allot(r, 1, sizeof *test->text))) test->text[test->n++] = one;
    } else set_texts(r, test, single ? one : many.len ? many : prefix);
    return test;
}

static LabelTest *read_regex(Reader *r)
{
    StrView source = { r->token.text.ptr + 1, r->token.text.len - 2 }, text = source;
    char *copy = allot(r, source.len + 1, 1);
    LabelTest *test = NULL;
    if (!copy) return NULL;
    text = (StrView){ copy, 0 };
    for (size_t k = 0; k < source.len; k++) {
        if (source.ptr[k] == '\\' && k + 1 < source.len && source.ptr[k + 1] == '/') continue;
        copy[text.len++] = source.ptr[k];
        if (source.ptr[k] == '\\' && k + 1 < source.len) copy[text.len++] = source.ptr[++k];
    }
    if (!(test = as_labels(r, text)) && !r->failed && (test = add_test(r, TEST_REGEX))) {
        Error error = { 0 };
        if (!(test->regex = regex_compile(text, (RegexOptions){ 0 }, &error)))
            fail(r, here(r) + (size_t)error.column, error.code, "%s", error.message);
    }
    return r->failed ? NULL : test;
}

/* A list of labels, a regular expression or "__". */
static LabelTest *read_test(Reader *r, bool root)
{
    LabelTest *test = NULL;
    if (r->token.kind == LABEL) {
        if ((test = add_test(r, TEST_LIST))) set_texts(r, test, r->token.text);
    } else if (r->token.kind == REGEX) test = read_regex(r);
    else if (r->token.kind == ANY) test = add_test(r, TEST_ANY);
    else if (r->token.kind == ROOT && root) test = add_test(r, TEST_ROOT);
    else expected(r, root ? "a label, /regular expression/, __ or =name" : "a label, /regular expression/ or __");
    if (!r->failed) next(r);
    return r->failed ? NULL : test;
}

/* ---- nodes and relations */

static Condition *read_any_of(Reader *r);
static Term *read_node(Reader *r, Relation relation);

static Term *add_term(Reader *r, Relation relation)
{
    Term *term = allot(r, 1, sizeof *term);
    if (term) *term = (Term){ .relation = relation, .same = -1, .like = -1, .name = -1 };
    return term;
}

static Condition *join(Reader *r, ConditionKind kind, Condition *to, Condition *member)
{
    if (r->failed) return NULL;
    to = condition_join(kind, to, member, &r->to->arena);
    if (!to) fail(r, 0, ERR_NOMEM, "out of memory");
    return to;
}

static void read_captures(Reader *r, Term *term)
{
    int cap = 0;
    while (!r->failed && take(r, '#', NULL)) {
        long group = strtol(r->token.text.ptr, NULL, 10);
        const LabelTest *test = term->test;
        if (r->token.kind != NUMBER || group < 0) expected(r, "the number of a group");
        if (test->kind == TEST_REGEX && group > regex_groups(test->regex))
            expected(r, "the number of a group of the regular expression");
        next(r);
        take(r, '%', "% and the name of a variable");
        int variable = name(r, &r->to->variables, true, "the name of a variable");
        if (r->failed) return;
        if (term->n_captures == cap) {
            int *more = allot(r, (size_t)(cap = 2 * cap + 2), 2 * sizeof *more);
            if (!more) return;
            if (term->n_captures) memcpy(more, term->capture, (size_t)term->n_captures * 2 * sizeof *more);
            term->capture = more;
        }
        term->capture[2 * term->n_captures] = (int)group;
        term->capture[2 * term->n_captures++ + 1] = variable;
    }
}

static Term *read_description(Reader *r, Relation relation)
{
    Term *term = add_term(r, relation);
    bool negated = take(r, '!', NULL), basic = take(r, '@', NULL), named = true;
    if (!term || r->failed) return NULL;
    if (take(r, '=', NULL)) {
        term->same = name(r, &r->to->names, false, "a name");
        named = false;
    } else if (take(r, '~', NULL)) {
        term->like = name(r, &r->to->names, false, "a name");
        term->like_basic = basic; /* and "!" has no effect */
    } else if ((term->test = read_test(r, true))) {
        term->test->negated = negated;
        term->test->basic = basic;
        read_captures(r, term);
    }
    if (named && take(r, '=', NULL)) term->name = name(r, &r->to->names, true, "a name");
    return r->failed ? NULL : term;
}

static bool begins_relation(const Reader *r)
{
    return r->token.kind == RELATION || (r->token.kind && r->token.kind < 128 && strchr("!?[(", r->token.kind));
}

/* Does a node of its own follow the '|', as at the root, rather than another relation? */
static bool node_follows(const Reader *r)
{
    Reader ahead = *r;
    ahead.error = NULL;
    do next(&ahead);
    while (!ahead.failed && ahead.token.kind && ahead.token.kind < 128 && strchr("!?[(", ahead.token.kind));
    return ahead.token.kind != RELATION;
}

/* A node with what holds of it. */
static Term *read_related(Reader *r, Relation relation)
{
    bool bracket = r->token.kind == '(';
    size_t at = here(r);
    Term *term = read_node(r, relation);
    if (r->failed || !begins_relation(r)) return term;
    if (bracket && !term->is.below)
        fail(r, at, ERR_FORMAT, "found brackets around a node without relations, expected none before relations of it");
    Condition *more = read_any_of(r);
    if (!r->failed) term->is.below = join(r, CONDITION_AND, term->is.below, more);
    return r->failed ? NULL : term;
}

static Term *read_node(Reader *r, Relation relation)
{
    if (r->token.kind != '(') return read_description(r, relation);
    if (++r->depth > MOST_DEPTH) fail(r, here(r), ERR_LIMIT, "found brackets in over %d others", MOST_DEPTH);
    take(r, '(', "'('");
    Term *term = r->failed ? NULL : read_related(r, relation);
    take(r, ')', "')'");
    r->depth--;
    return r->failed ? NULL : term;
}

/* { A ; B }: exactly these children. */
static Condition *read_subtree(Reader *r)
{
    Condition *all = NULL;
    int n = 0;
    next(r);
    take(r, '{', "'{'");
    do {
        Term *term = r->failed ? NULL : read_related(r, REL_NTH_CHILD);
        if (!term) return NULL;
        term->number = n++;
        all = join(r, CONDITION_AND, all, &term->is);
    } while (take(r, ';', NULL));
    take(r, '}', "';' or '}'");
    Term *last = r->failed ? NULL : add_term(r, REL_NTH_CHILD);
    if (!last || !(last->test = add_test(r, TEST_ANY))) return NULL;
    last->number = n;
    last->is.negated = true;
    return join(r, CONDITION_AND, all, &last->is);
}

static LabelTest *read_path(Reader *r)
{
    bool round = take(r, '(', NULL), square = !round && take(r, '[', NULL), negated = take(r, '!', NULL);
    bool basic = take(r, '@', NULL);
    if (!round && !square && r->token.kind != REGEX) expected(r, "'(', '[' or a regular expression");
    LabelTest *test = r->failed ? NULL : read_test(r, false);
    if (test) {
        test->negated = negated;
        test->basic = basic;
    }
    if (round) take(r, ')', "')'");
    if (square) take(r, ']', "']'");
    return r->failed ? NULL : test;
}

static Condition *read_relation(Reader *r)
{
    Token token = r->token;
    LabelTest *path = NULL;
    size_t at = here(r);
    long number = 0;
    if (is_subtree(r)) return read_subtree(r);
    take(r, RELATION, "a relation");
    if (token.relation >= REL_PATH_BELOW && token.relation <= REL_PATH_BEFORE) path = read_path(r);
    else if (!r->failed && r->token.kind == NUMBER) {
        number = strtol(r->token.text.ptr, NULL, 10);
        if (!token.counts)
            fail(r, at, ERR_FORMAT, "found a number after '%.*s', expected a node", (int)token.text.len,
                 token.text.ptr);
        else if (number == 0 || number > INT32_MAX || number < -INT32_MAX || (token.number < 0 && number < 0))
            expected(r, token.number < 0 ? "a number from 1 on" : "a number from 1 on, or from -1 backwards");
        next(r);
    }
    if (token.number && number) number *= token.number;
    else if (token.number) number = token.number;
    Relation relation = token.relation;
    if (number && relation == REL_CHILD) relation = REL_NTH_CHILD;
    if (number && relation == REL_PARENT) relation = REL_NTH_OF;
    if (number && relation == REL_LEAF) relation = REL_NTH_LEAF;
    Term *term = r->failed ? NULL : read_node(r, relation);
    if (!term) return NULL;
    term->path = path;
    term->number = (int)(number > 0 ? number - 1 : number);
    return &term->is;
}

/* A relation, or several in brackets, which may be negated or optional. */
static Condition *read_condition(Reader *r)
{
    int close = r->token.kind == '[' ? ']' : ')';
    Condition *condition;
    if (++r->depth > MOST_DEPTH)
        fail(r, here(r), ERR_LIMIT, "found negations and brackets in over %d others", MOST_DEPTH);
    if (r->failed) return NULL;
    if (r->token.kind == '!' || r->token.kind == '?') {
        bool negates = r->token.kind == '!';
        next(r);
        r->negations += negates;
        if (negates ? r->token.kind == '?' : r->token.kind == '!' || r->token.kind == '?') expected(r, "a relation");
        condition = read_condition(r);
        r->negations -= negates;
        if (r->failed) return NULL;
        if (negates ? condition->optional : condition->negated)
            expected(r, "no relation that is both negated and optional");
        *(negates ? &condition->negated : &condition->optional) = true; /* "!!" is no more than "!" */
    } else if (r->token.kind == '[' || r->token.kind == '(') {
        next(r);
        condition = read_any_of(r);
        take(r, close, close == ']' ? "']'" : "')'");
    } else condition = read_relation(r);
    r->depth--;
    return r->failed ? NULL : condition;
}

static Condition *read_all_of(Reader *r)
{
    Condition *all = NULL;
    do all = join(r, CONDITION_AND, all, read_condition(r));
    while (!r->failed && (take(r, '&', NULL) || begins_relation(r)));
    return r->failed ? NULL : all;
}

/* Conditions between '|'. A name of one of them is not known in the next, but in all that follows. */
static Condition *read_any_of(Reader *r)
{
    int n = r->to->names.n;
    char *before = mem_alloc((size_t)n + 1, 1), *after = NULL;
    Condition *any = NULL;
    int cap = 0, had = 0;
    if (!before) fail(r, 0, ERR_NOMEM, "out of memory");
    else if (n) memcpy(before, r->known, (size_t)n);
    while (!r->failed) {
        any = join(r, CONDITION_OR, any, read_all_of(r));
        if (!mem_reserve(after, &cap, r->to->names.n + 1)) fail(r, 0, ERR_NOMEM, "out of memory");
        if (r->failed) break;
        for (int k = 0; k < r->to->names.n; k++) after[k] = (char)((k < had && after[k]) || r->known[k]);
        had = r->to->names.n;
        if (r->token.kind != '|' || (!r->depth && node_follows(r))) break;
        next(r);
        for (int k = 0; k < had; k++) r->known[k] = (char)(k < n && before[k]);
    }
    if (!r->failed && had) memcpy(r->known, after, (size_t)had);
    mem_free_each(before, after);
    return r->failed ? NULL : any;
}

static void read_pattern(Reader *r)
{
    do {
        Term *term = read_related(r, REL_NODE);
        if (term) r->to->root = join(r, CONDITION_OR, r->to->root, &term->is);
    } while (take(r, '|', NULL));
    if (!r->failed && r->token.kind != END) expected(r, "a relation or the end of the pattern");
}

void tregex_free(Tregex *pattern)
{
    if (!pattern) return;
    for (int k = 0; k < pattern->n_tests; k++) {
        regex_free(pattern->test[k]->regex);
        mem_free(pattern->test[k]->known);
    }
    mem_free(pattern->test);
    map_fini(&pattern->names);
    map_fini(&pattern->variables);
    arena_fini(&pattern->arena);
    mem_free(pattern);
}

Tregex *tregex_compile(StrView text, HeadFinder heads, Error *error)
{
    const char *found;
    size_t fault = text_fault(text, &found);
    Tregex *pattern = mem_calloc(1, sizeof *pattern);
    Reader r = { .text = text, .to = pattern, .error = error };
    if (!pattern) {
        error_set(error, ERR_NOMEM, "out of memory");
        return NULL;
    }
    arena_init(&pattern->arena, 4096);
    map_init(&pattern->names);
    map_init(&pattern->variables);
    pattern->heads = heads;
    if (fault < text.len) fail(&r, fault, ERR_FORMAT, "%s", found);
    else next(&r);
    if (!r.failed) read_pattern(&r);
    mem_free(r.known);
    if (!r.failed) return pattern;
    tregex_free(pattern);
    return NULL;
}

int tregex_names(const Tregex *pattern) { return pattern->names.n; }
const char *tregex_name(const Tregex *pattern, int k) { return pattern->names.keys[k]; }
int tregex_variables(const Tregex *pattern) { return pattern->variables.n; }
const char *tregex_variable(const Tregex *pattern, int k) { return pattern->variables.keys[k]; }
