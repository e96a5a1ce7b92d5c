/* Reads patterns by recursive descent over tokens that are as long as they can be. */
#include "search/tregex_internal.h"

enum { LABEL = TOKEN_OTHER, NUMBER, ANY, ROOT }; /* kinds of tokens */

/* Longer ones before their beginnings. */
static const struct {
    const char *text;
    Relation relation;
    int number;  /* the child that it asks for, 0: none */
    bool counts; /* may a number follow? */
} RELATIONS[] = {
    { "<...", REL_NODE, 0, false },         { "<<<", REL_LEAF, 0, true },
    { "<<,", REL_FIRST_BELOW, 0, false },   { "<<-", REL_LAST_BELOW, 0, false },
    { "<<`", REL_LAST_BELOW, 0, false },    { "<<:", REL_CHAIN_BELOW, 0, false },
    { "<<#", REL_HEAD_BELOW, 0, false },    { "<<", REL_BELOW, 0, false },
    { "<+", REL_PATH_BELOW, 0, false },     { "<,", REL_NTH_CHILD, 1, false },
    { "<-", REL_NTH_CHILD, -1, true },      { "<`", REL_NTH_CHILD, -1, false },
    { "<:", REL_ONLY_CHILD, 0, false },     { "<#", REL_HEAD_CHILD, 0, false },
    { "<=", REL_NODE_OR_CHILD, 0, false },  { "<", REL_CHILD, 0, true },
    { ">>,", REL_FIRST_OF, 0, false },      { ">>-", REL_LAST_OF, 0, false },
    { ">>`", REL_LAST_OF, 0, false },       { ">>:", REL_CHAIN_ABOVE, 0, false },
    { ">>#", REL_HEAD_ABOVE, 0, false },    { ">>", REL_ABOVE, 0, false },
    { ">+", REL_PATH_ABOVE, 0, false },     { ">,", REL_NTH_OF, 1, false },
    { ">-", REL_NTH_OF, -1, true },         { ">`", REL_NTH_OF, -1, false },
    { ">:", REL_ONLY_CHILD_OF, 0, false },  { ">#", REL_HEAD_OF, 0, false },
    { ">", REL_PARENT, 0, true },           { "$++", REL_AFTER_SISTER, 0, false },
    { "$--", REL_BEFORE_SISTER, 0, false }, { "$..", REL_AFTER_SISTER, 0, false },
    { "$,,", REL_BEFORE_SISTER, 0, false }, { "$+", REL_NEXT, 0, false },
    { "$-", REL_PREVIOUS, 0, false },       { "$.", REL_NEXT, 0, false },
    { "$,", REL_PREVIOUS, 0, false },       { "$", REL_SISTER, 0, false },
    { ".+", REL_PATH_AFTER, 0, false },     { ",+", REL_PATH_BEFORE, 0, false },
    { "..", REL_BEFORE, 0, false },         { ",,", REL_AFTER, 0, false },
    { ".", REL_FOLLOWED, 0, false },        { ",", REL_PRECEDED, 0, false },
    { "==", REL_NODE, 0, false },           { ":", REL_ANYWHERE, 0, false },
};
enum { SUBTREE, N_RELATIONS = sizeof RELATIONS / sizeof *RELATIONS };

static const char *relation_text(int row) { return row < N_RELATIONS ? RELATIONS[row].text : NULL; }

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

static int begins(StrView text, size_t *length)
{
    size_t label = label_length(text), number = number_length(text);
    *length = label > number ? label : number;
    if (*length) return label > number ? LABEL : NUMBER;
    *length = 6;
    if (text.len >= 6 && !memcmp(text.ptr, "_ROOT_", 6)) return ROOT;
    *length = 2;
    return text.len >= 2 && !memcmp(text.ptr, "__", 2) ? ANY : 0;
}

/* ---- names */

/* The number of the name that was read, of a node or of a variable; declares: it is a new one. */
static int name(Scan *r, StrMap *names, bool declares, const char *what)
{
    Tregex *to = r->to;
    StrView text = r->token.text;
    if (r->token.kind != LABEL) scan_expected(r, what);
    for (size_t i = 0; i < text.len && !r->failed; i++)
        if (strchr("\"'`^*+\\;{}|", text.ptr[i])) scan_expected(r, "a name of letters, digits, '-' and '_'");
    if (names == &to->variables) return scan_name(r, names);
    int k = map_find(names, text.ptr, text.len);
    bool known = k >= 0 && to->known[k];
    if (declares && known) scan_expected(r, "a name that was not given before");
    if (!declares && !known) scan_expected(r, "a name that was given before");
    if (declares && r->negations) scan_expected(r, "no new name where something is negated");
    k = scan_name(r, names);
    if (k >= 0) to->known[k] = true;
    return k;
}

/* ---- labels */

static LabelTest *add_test(Scan *r, TestKind kind)
{
    Tregex *to = r->to;
    LabelTest *test = scan_allot(r, 1, sizeof *test);
    if (!test) return NULL;
    test->kind = kind;
    test->next = to->tests;
    return to->tests = test;
}

/* The parts between '|', copied; \$ is a dollar. */
static void set_texts(Scan *r, LabelTest *test, StrView list)
{
    test->text = scan_allot(r, list.len / 2 + 1, sizeof *test->text);
    char *copy = test->text ? scan_allot(r, list.len + 1, 1) : NULL;
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
static LabelTest *as_labels(Scan *r, StrView text)
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
        if ((test->text = scan_allot(r, 1, sizeof *test->text))) test->text[test->n++] = one;
    } else set_texts(r, test, single ? one : many.len ? many : prefix);
    return test;
}

static LabelTest *read_regex(Scan *r)
{
    LabelTest *test = as_labels(r, (StrView){ r->token.text.ptr + 1, r->token.text.len - 2 });
    if (!test && (test = add_test(r, TEST_REGEX))) test->regex = scan_regex(r, (RegexOptions){ 0 });
    return r->failed ? NULL : test;
}

/* A list of labels, a regular expression or "__". */
static LabelTest *read_test(Scan *r, bool root)
{
    LabelTest *test = NULL;
    if (r->token.kind == LABEL) {
        if ((test = add_test(r, TEST_LIST))) set_texts(r, test, r->token.text);
    } else if (r->token.kind == TOKEN_REGEX) test = read_regex(r);
    else if (r->token.kind == ANY) test = add_test(r, TEST_ANY);
    else if (r->token.kind == ROOT && root) test = add_test(r, TEST_ROOT);
    else scan_expected(r, root ? "a label, /regular expression/, __ or =name" : "a label, /regular expression/ or __");
    if (!r->failed) scan_next(r);
    return r->failed ? NULL : test;
}

/* ---- nodes and relations */

static Condition *read_any_of(Scan *r);
static Term *read_node(Scan *r, Relation relation);

static Term *add_term(Scan *r, Relation relation)
{
    Term *term = scan_allot(r, 1, sizeof *term);
    if (term) *term = (Term){ .relation = relation, .same = -1, .like = -1, .name = -1 };
    return term;
}

static void read_captures(Scan *r, Term *term)
{
    Tregex *to = r->to;
    while (!r->failed && scan_take(r, '#', NULL)) {
        int group;
        const LabelTest *test = term->test;
        if (!text_number(r->token.text, &group) || group < 0) scan_expected(r, "the number of a group");
        if (test->kind == TEST_REGEX && group > regex_groups(test->regex))
            scan_expected(r, "the number of a group of the regular expression");
        scan_next(r);
        scan_take(r, '%', "% and the name of a variable");
        int variable = name(r, &to->variables, true, "the name of a variable"),
            *capture = scan_grow(r, term->capture, term->n_captures, 2 * sizeof *capture);
        if (!capture) return;
        term->capture = capture;
        capture += 2 * term->n_captures++;
        capture[0] = group;
        capture[1] = variable;
    }
}

static Term *read_description(Scan *r, Relation relation)
{
    StrMap *names = &((Tregex *)r->to)->names;
    Term *term = add_term(r, relation);
    bool negated = scan_take(r, '!', NULL), basic = scan_take(r, '@', NULL), named = true;
    if (!term || r->failed) return NULL;
    if (scan_take(r, '=', NULL)) {
        term->same = name(r, names, false, "a name");
        named = false;
    } else if (scan_take(r, '~', NULL)) {
        term->like = name(r, names, false, "a name");
        term->like_basic = basic; /* and "!" has no effect */
    } else if ((term->test = read_test(r, true))) {
        term->test->negated = negated;
        term->test->basic = basic;
        read_captures(r, term);
    }
    if (named && scan_take(r, '=', NULL)) term->name = name(r, names, true, "a name");
    return r->failed ? NULL : term;
}

static bool begins_relation(const Scan *r)
{
    return r->token.kind == TOKEN_RELATION || (r->token.kind && r->token.kind < 128 && strchr("!?[(", r->token.kind));
}

/* Does a node of its own follow the '|', as at the root, rather than another relation? */
static bool node_follows(const Scan *r)
{
    Scan ahead = *r;
    ahead.error = NULL;
    do scan_next(&ahead);
    while (!ahead.failed && ahead.token.kind && ahead.token.kind < 128 && strchr("!?[(", ahead.token.kind));
    return ahead.token.kind != TOKEN_RELATION;
}

/* A node with what holds of it. */
static Term *read_related(Scan *r, Relation relation)
{
    bool bracket = r->token.kind == '(';
    size_t at = scan_here(r);
    Term *term = read_node(r, relation);
    if (r->failed || !begins_relation(r)) return term;
    if (bracket && !term->is.below)
        scan_fail(r, at, ERR_FORMAT,
                  "found brackets around a node without relations, expected none before relations of it");
    Condition *more = read_any_of(r);
    if (!r->failed) scan_relate(r, &term->is, more);
    return r->failed ? NULL : term;
}

static Term *read_node(Scan *r, Relation relation)
{
    if (r->token.kind != '(') return read_description(r, relation);
    scan_deepen(r);
    scan_take(r, '(', NULL);
    Term *term = r->failed ? NULL : read_related(r, relation);
    scan_take(r, ')', "')'");
    r->depth--;
    return r->failed ? NULL : term;
}

/* { A ; B }: exactly these children. */
static Condition *read_subtree(Scan *r)
{
    Condition *all = NULL;
    int n = 0;
    scan_take(r, '{', "'{'");
    do {
        Term *term = r->failed ? NULL : read_related(r, REL_NTH_CHILD);
        if (!term) return NULL;
        term->number = n++;
        all = scan_join(r, CONDITION_AND, all, &term->is);
    } while (scan_take(r, ';', NULL));
    scan_take(r, '}', "';' or '}'");
    Term *last = r->failed ? NULL : add_term(r, REL_NTH_CHILD);
    if (!last || !(last->test = add_test(r, TEST_ANY))) return NULL;
    last->number = n;
    last->is.negated = true;
    return scan_join(r, CONDITION_AND, all, &last->is);
}

static LabelTest *read_path(Scan *r)
{
    bool round = scan_take(r, '(', NULL), square = !round && scan_take(r, '[', NULL), negated = scan_take(r, '!', NULL);
    bool basic = scan_take(r, '@', NULL);
    if (!round && !square && r->token.kind != TOKEN_REGEX) scan_expected(r, "'(', '[' or a regular expression");
    LabelTest *test = r->failed ? NULL : read_test(r, false);
    if (test) {
        test->negated = negated;
        test->basic = basic;
    }
    if (round) scan_take(r, ')', "')'");
    if (square) scan_take(r, ']', "']'");
    return r->failed ? NULL : test;
}

static Condition *read_relation(Scan *r)
{
    const Token token = r->token;
    LabelTest *path = NULL;
    size_t at = scan_here(r);
    int number = 0, nth = RELATIONS[token.relation].number;
    Relation relation = RELATIONS[token.relation].relation;
    scan_take(r, TOKEN_RELATION, "a relation");
    if (token.relation == SUBTREE) return read_subtree(r);
    if (relation >= REL_PATH_BELOW && relation <= REL_PATH_BEFORE) path = read_path(r);
    else if (!r->failed && r->token.kind == NUMBER) {
        StrView digits = r->token.text;
        bool back = nth >= 0 && digits.ptr[0] == '-', good;
        digits.ptr += back;
        digits.len -= back;
        good = text_number(digits, &number) && number;
        if (back) number = -number;
        if (!RELATIONS[token.relation].counts)
            scan_fail(r, at, ERR_FORMAT, "found a number after '%s', expected a node", RELATIONS[token.relation].text);
        else if (!good) scan_expected(r, nth < 0 ? "a number from 1 on" : "a number from 1 on, or from -1 backwards");
        scan_next(r);
    }
    if (nth) number = number ? nth * number : nth;
    if (number && relation == REL_CHILD) relation = REL_NTH_CHILD;
    if (number && relation == REL_PARENT) relation = REL_NTH_OF;
    if (number && relation == REL_LEAF) relation = REL_NTH_LEAF;
    Term *term = r->failed ? NULL : read_node(r, relation);
    if (!term) return NULL;
    term->path = path;
    term->number = number > 0 ? number - 1 : number;
    return &term->is;
}

/* A relation, or several in brackets, which may be negated or optional. */
static Condition *read_condition(Scan *r)
{
    int close = r->token.kind == '[' ? ']' : ')';
    Condition *condition;
    scan_deepen(r);
    if (r->failed) return NULL;
    if (r->token.kind == '!' || r->token.kind == '?') {
        bool negates = r->token.kind == '!';
        scan_next(r);
        r->negations += negates;
        if (negates ? r->token.kind == '?' : r->token.kind == '!' || r->token.kind == '?')
            scan_expected(r, "a relation");
        condition = read_condition(r);
        r->negations -= negates;
        if (r->failed) return NULL;
        if (negates ? condition->optional : condition->negated)
            scan_expected(r, "no relation that is both negated and optional");
        *(negates ? &condition->negated : &condition->optional) = true; /* "!!" is no more than "!" */
    } else if (r->token.kind == '[' || r->token.kind == '(') {
        scan_next(r);
        condition = read_any_of(r);
        scan_take(r, close, close == ']' ? "']'" : "')'");
    } else condition = read_relation(r);
    r->depth--;
    return r->failed ? NULL : condition;
}

static Condition *read_all_of(Scan *r)
{
    Condition *all = NULL;
    do all = scan_join(r, CONDITION_AND, all, read_condition(r));
    while (!r->failed && (scan_take(r, '&', NULL) || begins_relation(r)));
    return r->failed ? NULL : all;
}

/* Conditions between '|'. A name of one of them is not known in the next, but in all that follows. */
static Condition *read_any_of(Scan *r)
{
    Tregex *to = r->to;
    bool before[SCAN_MOST_NAMES], after[SCAN_MOST_NAMES] = { false };
    Condition *any = NULL;
    memcpy(before, to->known, sizeof before);
    do {
        memcpy(to->known, before, sizeof before);
        any = scan_join(r, CONDITION_OR, any, read_all_of(r));
        for (int k = 0; k < to->names.n; k++) after[k] |= to->known[k];
    } while (r->token.kind == '|' && (r->depth || !node_follows(r)) && scan_take(r, '|', NULL));
    memcpy(to->known, after, sizeof after);
    return r->failed ? NULL : any;
}

static void read_pattern(Scan *r)
{
    Tregex *to = r->to;
    do {
        Term *term = read_related(r, REL_NODE);
        if (term) to->root = scan_join(r, CONDITION_OR, to->root, &term->is);
    } while (scan_take(r, '|', NULL));
}

void tregex_free(Tregex *pattern)
{
    if (!pattern) return;
    for (LabelTest *test = pattern->tests; test; test = test->next) {
        regex_free(test->regex);
        mem_free(test->known);
    }
    map_fini(&pattern->names);
    map_fini(&pattern->variables);
    mem_free_each(pattern->named, pattern->variable, pattern->stack);
    arena_fini(&pattern->arena);
    mem_free(pattern);
}

Tregex *tregex_compile(StrView text, HeadFinder heads, Error *error)
{
    Tregex *pattern = mem_calloc(1, sizeof *pattern);
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
    map_init(&pattern->variables);
    pattern->heads = heads;
    if (scan_read(&r, read_pattern)) return pattern;
    tregex_free(pattern);
    return NULL;
}

int tregex_names(const Tregex *pattern) { return pattern->names.n; }
const char *tregex_name(const Tregex *pattern, int k) { return pattern->names.keys[k]; }
int tregex_variables(const Tregex *pattern) { return pattern->variables.n; }
const char *tregex_variable(const Tregex *pattern, int k) { return pattern->variables.keys[k]; }
