/* Reads patterns by recursive descent over tokens that are as long as they can be. */
#include "search/semgrex_internal.h"

enum { WORD = TOKEN_OTHER, NODE_AFTER, UNIQUE }; /* kinds of tokens; NODE_AFTER: ":{" */

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

enum { N_RELATIONS = sizeof RELATIONS / sizeof *RELATIONS };

static const char *relation_text(int row) { return row < N_RELATIONS ? RELATIONS[row].text : NULL; }

static int begins(StrView text, size_t *length)
{
    size_t n = 0;
    while (n < text.len && !memchr(".:,-+/$#=()[]{}<>|&!?@~%; \t\r\n", text.ptr[n], 30)) n++;
    *length = n ? n : 2;
    if (n) return WORD;
    if (text.len < 2 || text.ptr[0] != ':') return 0;
    return text.ptr[1] == ':' ? UNIQUE : text.ptr[1] == '{' ? NODE_AFTER : 0;
}

static bool is_word(const Scan *r, const char *text)
{
    return r->token.kind == WORD && r->token.text.len == strlen(text) &&
           !memcmp(r->token.text.ptr, text, r->token.text.len);
}

static int name(Scan *r, StrMap *names)
{
    if (r->token.kind != WORD) scan_expected(r, "a name");
    return scan_name(r, names);
}

/* ---- texts */

static Regex *read_regex(Scan *r, bool caseless)
{
    Semgrex *to = r->to;
    if (!mem_reserve(to->regex, &to->cap_regexes, to->n_regexes + 1)) return scan_no_memory(r);
    Regex *regex = scan_regex(r, (RegexOptions){ .whole = true, .caseless = caseless });
    return regex ? to->regex[to->n_regexes++] = regex : NULL;
}

/* any: "__" is any text. */
static void read_text(Scan *r, TextTest *to, bool any, bool caseless, const char *what)
{
    if (r->token.kind == TOKEN_REGEX) to->regex = read_regex(r, caseless);
    else if (r->token.kind != WORD) scan_expected(r, what);
    else if (!any || !is_word(r, "__")) {
        to->text = arena_strndup(r->arena, r->token.text.ptr, r->token.text.len);
        if (!to->text) scan_no_memory(r);
    }
    if (!r->failed) scan_next(r);
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

static AttributeTest *add_attribute(Scan *r, NodeTest *test)
{
    AttributeTest *all = scan_grow(r, test->all, test->n, sizeof *all);
    if (!all) return NULL;
    test->all = all;
    return &all[test->n++];
}

/* {key:value;key!:value} after its '{': features of a word. */
static void read_features(Scan *r, NodeTest *test, Attribute attribute, bool negated)
{
    bool caseless = ((Semgrex *)r->to)->caseless;
    do {
        AttributeTest *a = add_attribute(r, test);
        if (!a) return;
        *a = (AttributeTest){ .attribute = attribute, .of_feature = true };
        read_text(r, &a->feature, true, false, "the name of a feature");
        a->negated = scan_take(r, '!', NULL) != negated;
        scan_take(r, ':', "':'");
        read_text(r, &a->value, true, caseless, "a value");
    } while (scan_take(r, ';', NULL));
    scan_take(r, '}', "';' or '}'");
}

static void read_attribute(Scan *r, NodeTest *test)
{
    bool caseless = ((Semgrex *)r->to)->caseless;
    StrView key = r->token.text;
    size_t at = scan_here(r);
    if (scan_take(r, '$', NULL)) {
        test->root = true;
        return;
    }
    if (scan_take(r, '#', NULL)) {
        test->never = true;
        return;
    }
    scan_take(r, WORD, "the name of an attribute, '$', '#' or '}'");
    bool negated = scan_take(r, '!', NULL);
    Attribute attribute = attribute_of(key);
    if (r->token.kind == NODE_AFTER) {
        if (attribute != ATTRIBUTE_FEATS) scan_expected(r, "a value: only morphofeatures has keys of its own");
        scan_next(r);
        if (!r->failed) read_features(r, test, attribute, negated);
        return;
    }
    scan_take(r, ':', "':' or '!:'");
    AttributeTest *a = r->failed ? NULL : add_attribute(r, test);
    if (!a) return;
    *a = (AttributeTest){ .attribute = attribute, .negated = negated };
    read_text(r, &a->value, true, caseless, "a value");
    for (int k = 0; attribute && !negated && k + 1 < test->n && !r->failed; k++)
        if (test->all[k].attribute == attribute && !test->all[k].of_feature && !test->all[k].negated)
            scan_fail(r, at, ERR_FORMAT, "found '%.*s' a second time, expected each attribute once", (int)key.len,
                      key.ptr);
}

static Condition *read_any_of(Scan *r);
static Condition *read_related(Scan *r, const DepTerm *as);

static bool begins_relation(const Scan *r)
{
    return r->token.kind == TOKEN_RELATION || r->token.kind == WORD || r->token.kind == '?' || r->token.kind == '!' ||
           r->token.kind == '[';
}

/* { ... } or [ node | node ], with what relates it as in `as`. */
static Condition *read_node(Scan *r, const DepTerm *as)
{
    Semgrex *to = r->to;
    bool negated = scan_take(r, '!', NULL);
    if (scan_take(r, '[', NULL)) {
        Condition *any = NULL;
        scan_deepen(r);
        do {
            Condition *member = r->failed ? NULL : read_node(r, as);
            if (r->failed) return NULL;
            if (negated && member->kind == CONDITION_NODE) /* of each: "not A, or not B" */
                ((DepTerm *)member)->test->negated = true;
            any = scan_join(r, CONDITION_OR, any, member);
        } while (scan_take(r, '|', NULL));
        scan_take(r, ']', "'|' or ']'");
        r->depth--;
        return any;
    }
    scan_take(r, '{', "'{'");
    DepTerm *term = r->failed ? NULL : scan_allot(r, 1, sizeof *term);
    NodeTest *test = term ? scan_allot(r, 1, sizeof *test) : NULL;
    if (!test) return NULL;
    *term = *as;
    term->test = test;
    if (r->token.kind != '}') do
            read_attribute(r, test);
        while (scan_take(r, ';', NULL));
    scan_take(r, '}', "';' or '}'");
    test->negated = negated;
    if (!r->failed && scan_take(r, '=', NULL)) {
        bool known = r->token.kind == WORD && map_find(&to->names, r->token.text.ptr, r->token.text.len) >= 0;
        bool bare = !test->n && !test->root && !test->never && !negated;
        if (!known && r->negations) scan_expected(r, "no new name where something is negated");
        *(known && bare ? &term->same : &term->name) = name(r, &to->names);
    }
    return r->failed ? NULL : &term->is;
}

/* A node in brackets, with relations of its own. */
static Condition *read_bracket(Scan *r, const DepTerm *as)
{
    scan_deepen(r);
    scan_take(r, '(', NULL);
    Condition *condition = r->failed ? NULL : read_related(r, as);
    scan_take(r, ')', "')'");
    r->depth--;
    return r->failed ? NULL : condition;
}

static Condition *read_related(Scan *r, const DepTerm *as)
{
    Condition *condition = r->token.kind == '(' ? read_bracket(r, as) : read_node(r, as), *more;
    if (r->failed || !begins_relation(r)) return r->failed ? NULL : condition;
    more = read_any_of(r);
    if (!r->failed) scan_relate(r, condition, more);
    return r->failed ? NULL : condition;
}

static int read_number(Scan *r)
{
    int n = 0;
    if (!text_number(r->token.text, &n)) scan_expected(r, "a number or a relation");
    scan_take(r, WORD, "a number");
    return n;
}

static Condition *read_relation(Scan *r)
{
    Semgrex *to = r->to;
    DepTerm as = { .name = -1, .same = -1, .relation_name = -1, .edge_name = -1 };
    size_t at = scan_here(r);
    bool counted = r->token.kind == WORD;
    if (counted) {
        as.least = as.most = read_number(r);
        if (scan_take(r, ',', NULL)) as.most = read_number(r);
        if (!r->failed && as.most == 0) scan_fail(r, at, ERR_FORMAT, "found a distance of 0, expected one from 1 on");
    }
    int k = r->token.relation;
    scan_take(r, TOKEN_RELATION, "a relation");
    if (r->failed) return NULL;
    as.relation = RELATIONS[k].relation;
    if (counted && !RELATIONS[k].counts)
        scan_fail(r, at, ERR_FORMAT, "found a number before '%s', expected one before << or >>", RELATIONS[k].text);
    if (r->token.kind == WORD || r->token.kind == TOKEN_REGEX) {
        if (as.relation == DEP_SAME || as.relation == DEP_NEVER) scan_expected(r, "a node");
        as.typed = true;
        read_text(r, &as.type, false, false, "a relation");
    }
    if (scan_take(r, '~', NULL)) as.relation_name = name(r, &to->relations);
    at = scan_here(r);
    if (scan_take(r, '=', NULL)) {
        if (!RELATIONS[k].has_edge)
            scan_fail(r, at, ERR_FORMAT, "found the name of an edge after '%s', which has none", RELATIONS[k].text);
        const Scan before = *r; /* it is the name of both */
        as.edge_name = name(r, &to->edges);
        if (!r->failed) *r = before;
        int relation = name(r, &to->relations);
        if (!r->failed && as.relation_name >= 0 && as.relation_name != relation)
            scan_fail(r, at, ERR_FORMAT, "found two names of an edge and its relation, expected the same");
        as.relation_name = relation;
        if (as.relation == DEP_BESIDE) as.edge_name = as.relation_name = -1; /* CoreNLP forgets both */
    }
    if (r->failed) return NULL;
    return r->token.kind == '(' ? read_bracket(r, &as) : read_node(r, &as);
}

static Condition *read_condition(Scan *r)
{
    bool negates = r->token.kind == '!', chooses = r->token.kind == '?';
    Condition *condition;
    if (negates || chooses) scan_next(r);
    r->negations += negates;
    if (scan_take(r, '[', NULL)) {
        scan_deepen(r);
        condition = r->failed ? NULL : read_any_of(r);
        scan_take(r, ']', "'|' or ']'");
        r->depth--;
    } else condition = read_relation(r);
    r->negations -= negates;
    if (r->failed) return NULL;
    if (negates ? condition->optional : chooses && condition->negated)
        scan_expected(r, "no relation that is both negated and optional");
    condition->negated |= negates;
    condition->optional |= chooses;
    return condition;
}

static Condition *read_all_of(Scan *r)
{
    Condition *all = NULL;
    do all = scan_join(r, CONDITION_AND, all, read_condition(r));
    while (!r->failed && begins_relation(r));
    return all;
}

static Condition *read_any_of(Scan *r)
{
    Condition *any = NULL;
    do any = scan_join(r, CONDITION_OR, any, read_all_of(r));
    while (!r->failed && scan_take(r, '|', NULL));
    return any;
}

static void read_pattern(Scan *r)
{
    Semgrex *to = r->to;
    DepTerm as = { .relation = DEP_SAME, .name = -1, .same = -1, .relation_name = -1, .edge_name = -1 };
    if (r->token.kind == TOKEN_RELATION && RELATIONS[r->token.relation].relation == DEP_NEVER) scan_next(r);
    do {
        to->root = scan_join(r, CONDITION_AND, to->root, read_related(r, &as));
        as.relation = DEP_ANYWHERE;
    } while (scan_take(r, ':', NULL));
    if (!r->failed && scan_take(r, UNIQUE, NULL)) {
        if (!is_word(r, "uniq")) scan_expected(r, "uniq");
        to->unique = true;
        scan_next(r);
        while (!r->failed && r->token.kind == WORD) {
            int k = map_find(&to->names, r->token.text.ptr, r->token.text.len);
            if (k < 0) scan_expected(r, "the name of a node");
            else to->unique_by[k] = true;
            scan_next(r);
        }
    }
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
    Semgrex *pattern = mem_calloc(1, sizeof *pattern);
    if (!pattern) {
        error_set(error, ERR_NOMEM, "out of memory");
        return NULL;
    }
    Scan r = { .text = text,
               .begins = begins,
               .relation = relation_text,
               .to = pattern,
               .arena = &pattern->arena,
               .error = error };
    arena_init(&pattern->arena, 4096);
    map_init(&pattern->names);
    map_init(&pattern->relations);
    map_init(&pattern->edges);
    pattern->caseless = caseless;
    if (scan_read(&r, read_pattern)) return pattern;
    semgrex_free(pattern);
    return NULL;
}

bool semgrex_is_unique(const Semgrex *pattern) { return pattern->unique; }
bool semgrex_unique_by(const Semgrex *pattern, int k) { return pattern->unique_by[k]; }
int semgrex_names(const Semgrex *pattern) { return pattern->names.n; }
const char *semgrex_name(const Semgrex *pattern, int k) { return pattern->names.keys[k]; }
int semgrex_relations(const Semgrex *pattern) { return pattern->relations.n; }
const char *semgrex_relation(const Semgrex *pattern, int k) { return pattern->relations.keys[k]; }
int semgrex_edges(const Semgrex *pattern) { return pattern->edges.n; }
const char *semgrex_edge(const Semgrex *pattern, int k) { return pattern->edges.keys[k]; }
