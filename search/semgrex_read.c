/* Reads patterns by recursive descent over tokens that are as long as they can be. */
#include <stdlib.h>

#include "search/semgrex_internal.h"

typedef enum TokenKind { END = 0, WORD = 256, REGEX, RELATION, NODE_AFTER } TokenKind; /* else the character */

typedef struct Token {
    int kind;
    StrView text;
    int relation; /* of RELATIONS */
} Token;

enum { MOST_DEPTH = 200 };

typedef struct Reader {
    StrView text;
    Token token;
    size_t after;
    Semgrex *to;
    int depth, negations;
    Error *error;
    bool failed;
} Reader;

/* Longer ones before their beginnings. */
static const struct {
    const char *text;
    DepRelation relation;
    bool counts, has_edge; /* may numbers stand before it? may it name an edge? */
} RELATIONS[] = {
    { "<<", DEP_ABOVE, true, false },
    { "<>", DEP_BESIDE, false, true },
    { "<++", DEP_GOVERNOR_RIGHT, false, true },
    { "<--", DEP_GOVERNOR_LEFT, false, true },
    { "<", DEP_GOVERNOR, false, true },
    { ">>", DEP_BELOW, true, false },
    { ">++", DEP_DEPENDENT_RIGHT, false, true },
    { ">--", DEP_DEPENDENT_LEFT, false, true },
    { ">", DEP_DEPENDENT, false, true },
    { "..", DEP_LATER, false, false },
    { ".", DEP_NEXT, false, false },
    { "--", DEP_EARLIER, false, false },
    { "-", DEP_PREVIOUS, false, false },
    { "$++", DEP_SISTER_LATER, false, false },
    { "$--", DEP_SISTER_EARLIER, false, false },
    { "$+", DEP_SISTER_NEXT, false, false },
    { "$-", DEP_SISTER_PREVIOUS, false, false },
    { "==", DEP_SAME, false, false },
    { "@", DEP_NEVER, false, false },
};

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

static void next(Reader *r)
{
    size_t at = r->after, n = 0;
    while (at < r->text.len && memchr(" \t\r", r->text.ptr[at], 3)) at++;
    StrView rest = { r->text.ptr + at, r->text.len - at };
    r->token = (Token){ .kind = END, .text = { rest.ptr, 0 } };
    r->after = at;
    if (!rest.len || rest.ptr[0] == '\n') return;
    while (n < rest.len && !memchr(".:,-+/$#=()[]{}<>|&!?@~%; \t\r\n", rest.ptr[n], 30)) n++;
    if (n) r->token.kind = WORD;
    else if (rest.ptr[0] == '/') {
        for (n = 1; n < rest.len && rest.ptr[n] != '/' && rest.ptr[n] != '\n'; n++)
            if (rest.ptr[n] == '\\' && n + 1 < rest.len && rest.ptr[n + 1] == '/') n++;
        if (n++ == rest.len || rest.ptr[n - 1] != '/') {
            fail(r, at, ERR_FORMAT, "found '/', expected another one that closes the regular expression");
            n = 1;
        }
        r->token.kind = REGEX;
    } else {
        n = 1;
        r->token.kind = (unsigned char)rest.ptr[0];
        if (rest.len > 1 && rest.ptr[0] == ':' && (rest.ptr[1] == ':' || rest.ptr[1] == '{')) {
            n = 2;
            r->token.kind = rest.ptr[1] == '{' ? NODE_AFTER : 'u';
        }
        for (int k = 0; k < (int)(sizeof RELATIONS / sizeof *RELATIONS); k++) {
            size_t length = strlen(RELATIONS[k].text);
            if (rest.len < length || memcmp(rest.ptr, RELATIONS[k].text, length) != 0) continue;
            n = length;
            r->token.kind = RELATION;
            r->token.relation = k;
            break;
        }
    }
    r->token.text = (StrView){ rest.ptr, n };
    r->after = at + n;
}

static size_t here(const Reader *r) { return (size_t)(r->token.text.ptr - r->text.ptr); }

static void expected(Reader *r, const char *what)
{
    StrView text = r->token.text;
    if (r->token.kind == END) fail(r, here(r), ERR_FORMAT, "found the end of the pattern, expected %s", what);
    else
        fail(r, here(r), ERR_FORMAT, "found '%.*s', expected %s", (int)utf8_cut(text.ptr, text.len, 60), text.ptr,
             what);
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

static bool is_word(const Reader *r, const char *text)
{
    return r->token.kind == WORD && r->token.text.len == strlen(text) &&
           !memcmp(r->token.text.ptr, text, r->token.text.len);
}

static int name(Reader *r, StrMap *names)
{
    if (r->token.kind != WORD) expected(r, "a name");
    if (r->failed) return -1;
    int k = map_add(names, r->token.text.ptr, r->token.text.len);
    if (k < 0) fail(r, 0, ERR_NOMEM, "out of memory");
    next(r);
    return r->failed ? -1 : k;
}

/* ---- texts */

static void read_regex(Reader *r, TextTest *to, bool caseless)
{
    StrView source = { r->token.text.ptr + 1, r->token.text.len - 2 };
    char *copy = allot(r, source.len + 1, 1);
    size_t n = 0;
    Error error = { 0 };
    if (!copy || !mem_reserve(r->to->regex, &r->to->cap_regexes, r->to->n_regexes + 1)) {
        fail(r, 0, ERR_NOMEM, "out of memory");
        return;
    }
    for (size_t k = 0; k < source.len; k++)
        if (source.ptr[k] != '\\' || k + 1 == source.len || source.ptr[k + 1] != '/') copy[n++] = source.ptr[k];
    to->regex = regex_compile((StrView){ copy, n }, (RegexOptions){ .whole = true, .caseless = caseless }, &error);
    if (!to->regex) fail(r, here(r) + (size_t)error.column, error.code, "%s", error.message);
    else r->to->regex[r->to->n_regexes++] = to->regex;
}

/* any: "__" is any text. */
static void read_text(Reader *r, TextTest *to, bool any, bool caseless, const char *what)
{
    if (r->token.kind == REGEX) read_regex(r, to, caseless);
    else if (r->token.kind != WORD) expected(r, what);
    else if (!any || !is_word(r, "__")) {
        to->text = arena_strndup(&r->to->arena, r->token.text.ptr, r->token.text.len);
        if (!to->text) fail(r, 0, ERR_NOMEM, "out of memory");
    }
    if (!r->failed) next(r);
}

/* ---- nodes */

static Attribute attribute_of(StrView key)
{
    static const struct {
        const char *key;
        Attribute attribute;
    } KEYS[] = {
        { "word", ATTRIBUTE_WORD },
        { "value", ATTRIBUTE_WORD },
        { "current", ATTRIBUTE_WORD },
        { "lemma", ATTRIBUTE_LEMMA },
        { "cpos", ATTRIBUTE_UPOS },
        { "tag", ATTRIBUTE_TAG },
        { "pos", ATTRIBUTE_TAG },
        { "idx", ATTRIBUTE_NUMBER },
        { "morphofeatures", ATTRIBUTE_FEATS },
        { "before", ATTRIBUTE_BEFORE },
        { "after", ATTRIBUTE_AFTER },
        { "is_mwt", ATTRIBUTE_IN_RANGE },
        { "is_first_mwt", ATTRIBUTE_FIRST_IN_RANGE },
        { "mwt_text", ATTRIBUTE_RANGE },
        { "mwt_misc", ATTRIBUTE_RANGE_MISC },
        { "sentIndex", ATTRIBUTE_SENTENCE },
    };
    for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++)
        if (strlen(KEYS[k].key) == key.len && !memcmp(KEYS[k].key, key.ptr, key.len)) return KEYS[k].attribute;
    return ATTRIBUTE_UNKNOWN;
}

static AttributeTest *add_attribute(Reader *r, NodeTest *test)
{
    if ((test->n & (test->n - 1)) == 0) {
        AttributeTest *more = allot(r, (size_t)test->n * 2 + 1, sizeof *more);
        if (!more) return NULL;
        if (test->n) memcpy(more, test->all, (size_t)test->n * sizeof *more);
        test->all = more;
    }
    return &test->all[test->n++];
}

/* {key:value;key!:value} after its '{': features of a word. */
static void read_features(Reader *r, NodeTest *test, Attribute attribute, bool negated)
{
    do {
        AttributeTest *a = add_attribute(r, test);
        if (!a) return;
        *a = (AttributeTest){ .attribute = attribute, .of_feature = true };
        read_text(r, &a->feature, true, false, "the name of a feature");
        a->negated = take(r, '!', NULL) != negated;
        take(r, ':', "':'");
        read_text(r, &a->value, true, r->to->caseless, "a value");
    } while (take(r, ';', NULL));
    take(r, '}', "';' or '}'");
}

static void read_attribute(Reader *r, NodeTest *test)
{
    StrView key = r->token.text;
    size_t at = here(r);
    if (take(r, '$', NULL)) {
        test->root = true;
        return;
    }
    if (take(r, '#', NULL)) {
        test->never = true;
        return;
    }
    take(r, WORD, "the name of an attribute, '$', '#' or '}'");
    bool negated = take(r, '!', NULL);
    Attribute attribute = attribute_of(key);
    if (r->token.kind == NODE_AFTER) {
        if (attribute != ATTRIBUTE_FEATS) expected(r, "a value: only morphofeatures has keys of its own");
        next(r);
        if (!r->failed) read_features(r, test, attribute, negated);
        return;
    }
    take(r, ':', "':' or '!:'");
    AttributeTest *a = r->failed ? NULL : add_attribute(r, test);
    if (!a) return;
    *a = (AttributeTest){ .attribute = attribute, .negated = negated };
    read_text(r, &a->value, true, r->to->caseless, "a value");
    for (int k = 0; k + 1 < test->n && !r->failed; k++)
        if (attribute && test->all[k].attribute == attribute && !test->all[k].of_feature && !test->all[k].negated &&
            !negated)
            fail(r, at, ERR_FORMAT, "found '%.*s' a second time, expected each attribute once", (int)key.len, key.ptr);
}

static Condition *join(Reader *r, ConditionKind kind, Condition *to, Condition *member)
{
    if (r->failed) return NULL;
    to = condition_join(kind, to, member, &r->to->arena);
    if (!to) fail(r, 0, ERR_NOMEM, "out of memory");
    return to;
}

static Condition *read_any_of(Reader *r);
static Condition *read_related(Reader *r, const DepTerm *as);

static bool begins_relation(const Reader *r)
{
    return r->token.kind == RELATION || r->token.kind == WORD || r->token.kind == '?' || r->token.kind == '!' ||
           r->token.kind == '[';
}

static void deepen(Reader *r)
{
    if (++r->depth > MOST_DEPTH) fail(r, here(r), ERR_LIMIT, "found brackets in over %d others", MOST_DEPTH);
}

/* { ... } or [ node | node ], with what relates it as in `as`. */
static Condition *read_node(Reader *r, const DepTerm *as)
{
    bool negated = take(r, '!', NULL);
    if (take(r, '[', NULL)) {
        Condition *any = NULL;
        deepen(r);
        do {
            Condition *member = r->failed ? NULL : read_node(r, as);
            if (r->failed) return NULL;
            if (negated && member->kind == CONDITION_NODE) /* of each: "not A, or not B" */
                ((DepTerm *)member)->test->negated = true;
            any = join(r, CONDITION_OR, any, member);
        } while (take(r, '|', NULL));
        take(r, ']', "'|' or ']'");
        r->depth--;
        return any;
    }
    take(r, '{', "'{'");
    DepTerm *term = r->failed ? NULL : allot(r, 1, sizeof *term);
    NodeTest *test = term ? allot(r, 1, sizeof *test) : NULL;
    if (!test) return NULL;
    *term = *as;
    term->test = test;
    if (r->token.kind != '}') do
            read_attribute(r, test);
        while (take(r, ';', NULL));
    take(r, '}', "';' or '}'");
    test->negated = negated;
    if (!r->failed && take(r, '=', NULL)) {
        bool known = r->token.kind == WORD && map_find(&r->to->names, r->token.text.ptr, r->token.text.len) >= 0;
        bool bare = !test->n && !test->root && !test->never && !negated;
        if (!known && r->negations) expected(r, "no new name where something is negated");
        *(known && bare ? &term->same : &term->name) = name(r, &r->to->names);
    }
    return r->failed ? NULL : &term->is;
}

/* A node in brackets, with relations of its own. */
static Condition *read_bracket(Reader *r, const DepTerm *as)
{
    deepen(r);
    take(r, '(', NULL);
    Condition *condition = r->failed ? NULL : read_related(r, as);
    take(r, ')', "')'");
    r->depth--;
    return r->failed ? NULL : condition;
}

static Condition *read_related(Reader *r, const DepTerm *as)
{
    Condition *condition = r->token.kind == '(' ? read_bracket(r, as) : read_node(r, as), *more;
    if (r->failed || !begins_relation(r)) return r->failed ? NULL : condition;
    more = read_any_of(r);
    for (int k = 0; !r->failed && k < (condition->kind == CONDITION_NODE ? 1 : condition->n); k++) {
        Condition *node = condition->kind == CONDITION_NODE ? condition : condition->kid[k];
        node->below = join(r, CONDITION_AND, node->below, more);
    }
    return r->failed ? NULL : condition;
}

static int read_number(Reader *r)
{
    long n = 0;
    for (size_t k = 0; k < r->token.text.len; k++) {
        char c = r->token.text.ptr[k];
        if (c < '0' || c > '9') expected(r, "a number or a relation");
        if (n < 1000000) n = 10 * n + (c - '0');
    }
    take(r, WORD, "a number");
    return (int)n;
}

static Condition *read_relation(Reader *r)
{
    DepTerm as = { .name = -1, .same = -1, .relation_name = -1, .edge_name = -1 };
    size_t at = here(r);
    bool counted = r->token.kind == WORD;
    if (counted) {
        as.least = as.most = read_number(r);
        if (take(r, ',', NULL)) as.most = read_number(r);
        if (!r->failed && as.most == 0) fail(r, at, ERR_FORMAT, "found a distance of 0, expected one from 1 on");
    }
    int k = r->token.relation;
    take(r, RELATION, "a relation");
    if (r->failed) return NULL;
    as.relation = RELATIONS[k].relation;
    if (counted && !RELATIONS[k].counts)
        fail(r, at, ERR_FORMAT, "found a number before '%s', expected one before << or >>", RELATIONS[k].text);
    if (r->token.kind == WORD || r->token.kind == REGEX) {
        if (as.relation == DEP_SAME || as.relation == DEP_NEVER) expected(r, "a node");
        as.typed = true;
        read_text(r, &as.type, false, false, "a relation");
    }
    if (take(r, '~', NULL)) as.relation_name = name(r, &r->to->relations);
    at = here(r);
    if (take(r, '=', NULL)) {
        if (!RELATIONS[k].has_edge)
            fail(r, at, ERR_FORMAT, "found the name of an edge after '%s', which has none", RELATIONS[k].text);
        Token token = r->token;
        int relation = r->failed ? -1 : map_add(&r->to->relations, token.text.ptr, token.text.len);
        as.edge_name = name(r, &r->to->edges);
        if (!r->failed && as.relation_name >= 0 && as.relation_name != relation)
            fail(r, at, ERR_FORMAT, "found two names of an edge and its relation, expected the same");
        as.relation_name = relation;
        if (as.relation == DEP_BESIDE) as.edge_name = as.relation_name = -1; /* CoreNLP forgets both */
    }
    if (r->failed) return NULL;
    return r->token.kind == '(' ? read_bracket(r, &as) : read_node(r, &as);
}

static Condition *read_condition(Reader *r)
{
    bool negates = r->token.kind == '!', chooses = r->token.kind == '?';
    Condition *condition;
    if (negates || chooses) next(r);
    r->negations += negates;
    if (take(r, '[', NULL)) {
        deepen(r);
        condition = r->failed ? NULL : read_any_of(r);
        take(r, ']', "'|' or ']'");
        r->depth--;
    } else condition = read_relation(r);
    r->negations -= negates;
    if (r->failed) return NULL;
    if (negates ? condition->optional : chooses && condition->negated)
        expected(r, "no relation that is both negated and optional");
    condition->negated |= negates;
    condition->optional |= chooses;
    return condition;
}

static Condition *read_all_of(Reader *r)
{
    Condition *all = NULL;
    do all = join(r, CONDITION_AND, all, read_condition(r));
    while (!r->failed && begins_relation(r));
    return all;
}

static Condition *read_any_of(Reader *r)
{
    Condition *any = NULL;
    do any = join(r, CONDITION_OR, any, read_all_of(r));
    while (!r->failed && take(r, '|', NULL));
    return any;
}

static void read_pattern(Reader *r)
{
    DepTerm as = { .relation = DEP_SAME, .name = -1, .same = -1, .relation_name = -1, .edge_name = -1 };
    if (r->token.kind == RELATION && RELATIONS[r->token.relation].relation == DEP_NEVER) next(r);
    do {
        r->to->root = join(r, CONDITION_AND, r->to->root, read_related(r, &as));
        as.relation = DEP_ANYWHERE;
    } while (take(r, ':', NULL));
    if (!r->failed && take(r, 'u', NULL)) {
        if (!is_word(r, "uniq")) expected(r, "uniq");
        r->to->unique = true;
        next(r);
        while (!r->failed && r->token.kind == WORD) {
            int k = map_find(&r->to->names, r->token.text.ptr, r->token.text.len);
            if (k < 0 || k >= 8 * (int)sizeof r->to->unique_by) expected(r, "the name of a node");
            else r->to->unique_by[k / 8] |= (unsigned char)(1 << k % 8);
            next(r);
        }
    }
    if (!r->failed && r->token.kind != END) expected(r, "a relation or the end of the pattern");
}

void semgrex_free(Semgrex *pattern)
{
    if (!pattern) return;
    for (int k = 0; k < pattern->n_regexes; k++) regex_free(pattern->regex[k]);
    mem_free(pattern->regex);
    map_fini(&pattern->names);
    map_fini(&pattern->relations);
    map_fini(&pattern->edges);
    arena_fini(&pattern->arena);
    mem_free(pattern);
}

Semgrex *semgrex_compile(StrView text, bool caseless, Error *error)
{
    const char *found;
    size_t fault = text_fault(text, &found);
    Semgrex *pattern = mem_calloc(1, sizeof *pattern);
    Reader r = { .text = text, .to = pattern, .error = error };
    if (!pattern) {
        error_set(error, ERR_NOMEM, "out of memory");
        return NULL;
    }
    arena_init(&pattern->arena, 4096);
    map_init(&pattern->names);
    map_init(&pattern->relations);
    map_init(&pattern->edges);
    pattern->caseless = caseless;
    if (fault < text.len) fail(&r, fault, ERR_FORMAT, "%s", found);
    else next(&r);
    if (!r.failed) read_pattern(&r);
    if (!r.failed) return pattern;
    semgrex_free(pattern);
    return NULL;
}

bool semgrex_is_unique(const Semgrex *pattern) { return pattern->unique; }
bool semgrex_unique_by(const Semgrex *pattern, int k)
{
    return k < 8 * (int)sizeof pattern->unique_by && (pattern->unique_by[k / 8] >> k % 8 & 1);
}
int semgrex_names(const Semgrex *pattern) { return pattern->names.n; }
const char *semgrex_name(const Semgrex *pattern, int k) { return pattern->names.keys[k]; }
int semgrex_relations(const Semgrex *pattern) { return pattern->relations.n; }
const char *semgrex_relation(const Semgrex *pattern, int k) { return pattern->relations.keys[k]; }
int semgrex_edges(const Semgrex *pattern) { return pattern->edges.n; }
const char *semgrex_edge(const Semgrex *pattern, int k) { return pattern->edges.keys[k]; }
