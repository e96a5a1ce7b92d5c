/* Attention patterns, by the worked example and small cases; names, parameters, unions. */
#include "lal/heads/pattern.h"
#include "tests/support/check.h"

static const char *const DOGS[] = { "Dogs", "bark", ",", "dogs", "run" };
static const char *const LEMMAS[] = { "dog", "bark", ",", "dog", "run" };
static const int DOG_HEADS[] = { 2, 0, 2, 5, 2 };
static const char *const DOG_TYPES[] = { "nsubj", "root", "punct", "nsubj", "parataxis" };
static const int DOG_DF[] = { 3, 1, 5500, 3, 20 };
static const int DOG_SPANS[][2] = { { 0, 5 }, { 0, 2 }, { 0, 1 }, { 1, 2 }, { 3, 5 }, { 3, 4 }, { 4, 5 } };
static const char *const DOG_LABELS[] = { "S", "S", "NP", "VP", "S", "NP", "VP" };
static const PatternSentence DOG = { .n = 5,
                                     .words = DOGS,
                                     .heads = DOG_HEADS,
                                     .types = DOG_TYPES,
                                     .df = DOG_DF,
                                     .spans = DOG_SPANS,
                                     .n_spans = 7,
                                     .labels = DOG_LABELS,
                                     .lemmas = LEMMAS };

enum { WORDS_MOST = 40, PAIRS_MOST = (WORDS_MOST + 2) * (WORDS_MOST + 2) };

/* "01 012 ...": the keys of each row. */
static void put_rows(const uint8_t *allowed, int m, StrBuf *out)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            if (allowed[i * m + j]) strbuf_printf(out, "%d", j);
        strbuf_putc(out, i + 1 < m ? ' ' : 0);
    }
}

/* The set of one pattern. */
static void fill(const char *name, const PatternSentence *s, Arena *a, uint8_t *allowed)
{
    Pattern p;
    assert_ok(pattern_read(&p, name, NULL, a, test_error()));
    assert_ok(pattern_fill(&p, s, allowed, a, test_error()));
}

/* The patterns of a list, separated by '|', give these rows. */
static void assert_union(const char *names, const PatternSentence *s, const char *rows)
{
    Pattern item[4];
    PatternList list = { 0, item };
    uint8_t allowed[PAIRS_MOST];
    for (const char *at = names; *at;) {
        size_t len = strcspn(at, "|");
        assert_ok(
            pattern_read(&item[list.n++], arena_strndup(test_arena(), at, len), NULL, test_arena(), test_error()));
        at += len + (at[len] == '|');
    }
    assert_ok(pattern_list_fill(&list, s, allowed, test_arena(), test_error()));
    put_rows(allowed, s->n + 2, test_out());
    if (strcmp(test_written(), rows) != 0) fail_msg("%s: %s, expected %s", names, test_written(), rows);
    bool keys = true;
    for (int k = 0; k < list.n; k++) keys = keys && pattern_is_key_set(item[k].kind);
    if (keys)
        for (int i = 1; i < s->n + 2; i++) assert_memory_equal(allowed, allowed + i * (s->n + 2), (size_t)(s->n + 2));
}

TEST(patterns_are_the_sets_of_the_worked_example)
{
    static const char *const cases[][2] = {
        { "self", "0 1 2 3 4 5 6" },
        { "next", "1 2 3 4 5 6 " },
        { "prev", " 0 1 2 3 4 5" },
        { "rel_pos", "01 012 123 234 345 456 56" },
        { "rel_pos/window=5", "012 0123 01234 12345 23456 3456 456" },
        { "rel_pos/window=1", "0 1 2 3 4 5 6" },
        { "first", "0 0 0 0 0 0 0" },
        { "delim", "06 06 06 06 06 06 06" },
        { "period", "      " },
        { "period/forms=. ,", "3 3 3 3 3 3 3" },
        { "seprat", "036 036 036 036 036 036 036" },
        { "seprat/forms=; run", "056 056 056 056 056 056 056" },
        { "seprat/forms=", "06 06 06 06 06 06 06" },
        { "rare_w", "12 12 12 12 12 12 12" },
        { "rare_w/percent=60", "124 124 124 124 124 124 124" },
        { "rare_w/percent=100", "1245 1245 1245 1245 1245 1245 1245" },
        { "rare_w/min=1", "2 2 2 2 2 2 2" },
        { "rare_w/percent=20,min=0", "2 2 2 2 2 2 2" },
        { "dep_syn", "0 12 1235 23 45 245 6" },
        { "maj_rel", "012456 012456 012456 012456 012456 012456 012456" },
        { "maj_rel/types=punct", "0236 0236 0236 0236 0236 0236 0236" },
        { "maj_rel/types=parataxis punct,children=false", "02356 02356 02356 02356 02356 02356 02356" },
        { "maj_rel/children=false,types=parataxis", "0256 0256 0256 0256 0256 0256 0256" },
        { "match_token", " 4   1  " },
        { "match_token/self=true", " 14   14  " },
        { "match_token/key=form", "      " },
        { "match_token/key=lemma", " 4   1  " },
        { "intra_span", "0123 0123 0123 0123 456 456 456" },
        { "intra_span/source=tree,max_len=4", "012 012 012 3 456 456 456" },
        { "intra_span/source=gold,max_len=4", "012 012 012 3 456 456 456" },
        { "dep_head", " 2 0 2 5 2 " },
        { "label_span/label=NP", "14 14 14 14 14 14 14" },
        { "label_span/label=PP", "      " },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_union(cases[k][0], &DOG, cases[k][1]);
    PatternSentence one = { .n = 1,
                            .words = DOGS,
                            .heads = (const int[]){ 0 },
                            .types = (const char *const[]){ "root" },
                            .df = DOG_DF },
                    marks = { .n = 2, .words = (const char *const[]){ ",", "." }, .df = DOG_DF };
    assert_union("rare_w", &one, "1 1 1");
    assert_union("dep_syn", &one, "0 1 2");
    assert_union("rare_w", &marks, "   "); /* no word with a letter */
    marks = (PatternSentence){ .n = 5, .words = (const char *const[]){ "我", "，", "他", "？", "”" }, .df = DOG_DF };
    assert_union("intra_span", &marks, "012 012 012 34 34 56 56"); /* with Chinese marks */
}

TEST(a_union_is_empty_only_where_all_its_patterns_are)
{
    assert_union("next|prev", &DOG, "1 02 13 24 35 46 5");
    assert_union("match_token|dep_head", &DOG, " 24 0 2 15 2 ");
    assert_union("rel_pos|seprat", &DOG, "0136 01236 01236 02346 03456 03456 0356");
    assert_union("first|period|rare_w", &DOG, "012 012 012 012 012 012 012");
}

TEST(roles_have_sets_in_the_shortest_sentences)
{
    static const char *const roles = "rare_w|seprat|dep_syn|maj_rel";
    const int root[] = { 0, 1 }, df[] = { 0, 0 };
    const char *const types[] = { "root", "punct" };
    PatternSentence word = { .n = 1, .words = (const char *const[]){ "a" }, .heads = root, .types = types, .df = df },
                    marks = { .n = 2,
                              .words = (const char *const[]){ "!", "\"" },
                              .heads = root,
                              .types = types,
                              .df = df },
                    none = { .heads = root, .types = types, .df = df };
    assert_union(roles, &word, "012 012 012");
    assert_union("rel_pos", &word, "01 012 12");
    assert_union(roles, &marks, "013 0123 0123 013");
    assert_union("rel_pos|rare_w", &none, " ");
}

TEST(words_are_compared_in_simple_lower_case)
{
    static const char *const words[] = { "\xc3\x96L",    "\xc3\xb6l", "\xc4\xb0", "i",
                                         "\xe1\xba\x9e", "\xc3\x9f",  "SS",       "ss" };
    const PatternSentence s = { .n = 8, .words = words };
    assert_union("match_token", &s, " 2 1 4 3 6 5 8 7 "); /* U+0130 is i, without a dot; U+1E9E is not ss */
    assert_union("match_token/key=form", &s, "         ");
}

TEST(kinds_say_what_they_need)
{
    FREED(strbuf_fini) StrBuf keys = { 0 }, targets = { 0 }, parse = { 0 };
    for (int k = 0; k < PATTERN_KINDS; k++) {
        Pattern p = { .kind = (PatternKind)k };
        const char *name = pattern_name(p.kind);
        assert_int_equal(pattern_find(name, strlen(name)), k);
        if (pattern_is_key_set(p.kind)) strbuf_printf(&keys, "%s ", name);
        if (pattern_is_target(p.kind)) strbuf_printf(&targets, "%s ", name);
        if (pattern_needs_parse(&p)) strbuf_printf(&parse, "%s ", name);
        assert_int_equal(pattern_needs_position(p.kind), !pattern_is_key_set(p.kind));
        p.o.intra_span_source = SYNTAX_FILE;
        if (k == PATTERN_INTRA_SPAN) assert_true(pattern_needs_parse(&p));
    }
    assert_string_equal(keys.ptr, "first delim period seprat rare_w maj_rel label_span ");
    assert_string_equal(targets.ptr, "dep_head label_span ");
    assert_string_equal(parse.ptr, "dep_syn maj_rel dep_head label_span ");
}

TEST(what_a_sentence_lacks_is_an_error)
{
    static const char *const cases[][2] = {
        { "dep_syn", "dependencies" },         { "maj_rel", "dependencies" },
        { "dep_head", "dependencies" },        { "intra_span/source=tree", "a tree" },
        { "label_span/label=NP", "a tree" },   { "rare_w", "counts of training sentences" },
        { "match_token/key=lemma", "lemmas" }, { "intra_span/source=sentence", "sentences of a document" },
    };
    const PatternSentence bare = { .n = 5, .words = DOGS };
    PatternSentence unlabelled = DOG;
    unlabelled.labels = NULL;
    for (size_t k = 0; k <= sizeof cases / sizeof *cases; k++) {
        bool last = k == sizeof cases / sizeof *cases;
        const char *name = last ? "label_span/label=NP" : cases[k][0], *lacks = last ? "labels" : cases[k][1];
        Pattern p;
        uint8_t allowed[49];
        assert_ok(pattern_read(&p, name, NULL, test_arena(), test_error()));
        assert_fails(pattern_fill(&p, last ? &unlabelled : &bare, allowed, test_arena(), test_error()), ERR_RANGE,
                     test_format("pattern %s: found a sentence without %s", pattern_name(p.kind), lacks));
        assert_string_equal(pattern_list_lacks(&(PatternList){ 1, &p }, last ? &unlabelled : &bare), lacks);
    }
}

TEST(patterns_that_cannot_be_are_refused)
{
    static const char *const cases[][2] = {
        { "nothing",
          "unknown pattern \"nothing\"; one of self, next, prev, rel_pos, first, delim, period, seprat, rare_w, "
          "dep_syn, maj_rel, match_token, intra_span, dep_head, label_span, gauss" },
        { "rel_pos/window=4", "pattern rel_pos: window is 4; expected an odd number" },
        { "rel_pos/window=-1", "pattern rel_pos: window is -1; expected an odd number of 1 or more" },
        { "rel_pos/window=x", "pattern rel_pos: window found 'x', expected a whole number" },
        { "rel_pos/width=5", "pattern rel_pos: found parameter 'width', expected one of window" },
        { "rel_pos/widnow=5",
          "pattern rel_pos: found parameter 'widnow', expected one of window; did you mean 'window'?" },
        { "next/window=3", "pattern next: found parameter 'window', but it has none" },
        { "rare_w/percent=0", "pattern rare_w: percent is 0; expected a number from 1 to 100" },
        { "rare_w/min=-1", "pattern rare_w: min is -1; expected 0 or more" },
        { "intra_span/max_len=0", "pattern intra_span: max_len is 0; expected 1 or more" },
        { "intra_span/source=dream", "pattern intra_span: source found 'dream', expected one of "
                                     "punct|first_pass|file|self|gold|tree" },
        { "gauss/deviation=0", "pattern gauss: deviation is 0; expected 0.01 or more" },
        { "gauss/offset=0.5", "pattern gauss: offset found '0.5', expected a whole number" },
        { "maj_rel/", "pattern maj_rel: found '', expected NAME=VALUE" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Pattern p;
        assert_fails_with(pattern_read(&p, cases[k][0], NULL, test_arena(), test_error()), ERR_USAGE, cases[k][1]);
    }
}

/* rare_w has min(candidates, max(min, n percent / 100)) keys; windows have at most `window` keys; dep_syn is symmetric
 * and has the token itself. */
TEST(sets_have_their_sizes_and_dep_syn_is_symmetric)
{
    enum { N = WORDS_MOST, M = N + 2 };
    static const char *const forms[] = { "a", ",", "b", "7", "c" };
    const char *words[N];
    int heads[N], df[N];
    const char *types[N];
    uint8_t allowed[PAIRS_MOST];
    for (int n = 1; n <= N; n++) {
        int candidates = 0;
        for (int w = 0; w < n; w++) {
            words[w] = forms[(w * 7 + n) % 5];
            types[w] = "dep";
            heads[w] = w == n / 2 ? 0 : (w * 13 + 5) % n + 1;
            df[w] = (w * 31 + n) % 9;
            candidates += words[w][0] >= 'a';
        }
        const PatternSentence s = { .n = n, .words = words, .heads = heads, .types = types, .df = df };
        int m = n + 2, keys = 0, want = n / 10 > 2 ? n / 10 : 2;
        fill("rare_w", &s, test_arena(), allowed);
        for (int j = 0; j < m; j++) keys += allowed[j];
        for (int i = 1; i < m; i++) assert_memory_equal(allowed, allowed + i * m, (size_t)m);
        assert_int_equal(keys, want < candidates ? want : candidates);
        fill("rel_pos/window=7", &s, test_arena(), allowed);
        for (int i = 0; i < m; i++) {
            int size = 0;
            for (int j = 0; j < m; j++) size += allowed[i * m + j];
            assert_in_range(size, 1, 7);
        }
        fill("dep_syn", &s, test_arena(), allowed);
        for (int i = 0; i < m; i++) {
            assert_true(allowed[i * m + i]);
            for (int j = 0; j < m; j++) assert_int_equal(allowed[i * m + j], allowed[j * m + i]);
        }
    }
}

/* Words in another order, with their counts, types and heads: the same words are the keys of key-set patterns, without
 * ties of rare_w. */
TEST(key_sets_follow_the_words_when_they_are_permuted)
{
    enum { N = 23, M = N + 2 };
    static const char *const names[] = { "first",   "delim",
                                         "period",  "seprat",
                                         "rare_w",  "rare_w/percent=30",
                                         "maj_rel", "maj_rel/types=dep,children=false" },
                             *const forms[] = { "a", ",", "b", ".", "c", "7" },
                             *const types[] = { "dep", "nsubj", "x" };
    const char *words[2][N], *type[2][N];
    int heads[2][N], df[2][N], at[M]; /* token k of the first sentence is token at[k] of the second */
    uint8_t allowed[2][M * M];
    for (int k = 0; k < M; k++) at[k] = k < 1 || k > N ? k : (k * 7 + 4) % N + 1;
    for (int w = 0; w < N; w++) {
        words[0][w] = forms[w % 6];
        type[0][w] = types[w % 3];
        df[0][w] = (w * 10 + 3) % N;
        heads[0][w] = w == 9 ? 0 : (w * 5 + 3) % N == w ? 10 : (w * 5 + 3) % N + 1;
    }
    for (int w = 0; w < N; w++) {
        int to = at[w + 1] - 1;
        words[1][to] = words[0][w];
        type[1][to] = type[0][w];
        df[1][to] = df[0][w];
        heads[1][to] = at[heads[0][w]];
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        for (int twice = 0; twice < 2; twice++) {
            const PatternSentence s = {
                .n = N, .words = words[twice], .heads = heads[twice], .types = type[twice], .df = df[twice]
            };
            fill(names[k], &s, test_arena(), allowed[twice]);
        }
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++)
                if (allowed[0][i * M + j] != allowed[1][at[i] * M + at[j]]) fail_msg("%s: row %d", names[k], i);
    }
}

/* All patterns in a sentence of 500 words: every row of a key set is the same, a target has one key. */
TEST(long_sentences_have_all_patterns)
{
    enum { N = 500, M = N + 2 };
    static uint8_t allowed[M * M];
    static const char *words[N], *types[N];
    static int heads[N], df[N], spans[N][2];
    static const char *labels[N];
    static char forms[N][8];
    for (int w = 0; w < N; w++) {
        snprintf(forms[w], sizeof forms[w], w % 9 ? "w%d" : ",", w % 50);
        words[w] = forms[w];
        types[w] = w % 3 ? "nsubj" : "dep";
        heads[w] = w;
        df[w] = w % 50;
        spans[w][0] = w;
        spans[w][1] = N;
        labels[w] = w % 2 ? "NP" : "S";
    }
    const PatternSentence s = { .n = N,
                                .words = words,
                                .heads = heads,
                                .types = types,
                                .df = df,
                                .spans = (const int(*)[2])spans,
                                .n_spans = N,
                                .labels = labels,
                                .lemmas = words };
    static const char *const more[] = { "intra_span/source=tree", "match_token/self=true,key=lemma",
                                        "rare_w/percent=100" };
    for (int k = 0; k < PATTERN_KINDS + 3; k++) {
        Pattern p;
        const char *name = k < PATTERN_KINDS ? pattern_name((PatternKind)k) : more[k - PATTERN_KINDS];
        assert_ok(pattern_read(&p, name, NULL, test_arena(), test_error()));
        if (p.kind == PATTERN_LABEL_SPAN) p.label = "NP";
        assert_ok(pattern_fill(&p, &s, allowed, test_arena(), test_error()));
        for (int i = 1; i < M && pattern_is_key_set(p.kind); i++)
            assert_memory_equal(allowed, allowed + (ptrdiff_t)i * M, M);
        long sum = 0;
        for (int i = 0; i < M * M; i++) sum += allowed[i];
        if (p.kind == PATTERN_DEP_HEAD || p.kind == PATTERN_NEXT) assert_int_equal(sum, k == PATTERN_NEXT ? M - 1 : N);
        assert_true(sum > 0 || p.kind == PATTERN_PERIOD);
    }
}

TEST(patterns_return_every_failed_allocation)
{
    static const char *const names[] = { "match_token/key=lower", "intra_span/source=tree,max_len=2",
                                         "seprat/forms=, ." };
    for (long n = 0; allocation_fails(n); n++) {
        Pattern item[3];
        uint8_t allowed[49];
        MADE(Arena, arena_init, arena_fini, a, 16);
        Status s = OK;
        mem_fail_after(n);
        for (int k = 0; k < 3 && s == OK; k++) s = pattern_read(&item[k], names[k], NULL, &a, test_error());
        if (s == OK) s = pattern_list_fill(&(PatternList){ 3, item }, &DOG, allowed, &a, test_error());
        assert_ok_or_no_memory(s);
    }
}
