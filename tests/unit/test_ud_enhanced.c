/* Enhanced graphs of Universal Dependencies: a case for each rule, and what holds for any tree. */
#include <ctype.h>
#include <stdlib.h>

#include "base/rng.h"
#include "language/english/ud/ud_enhanced.h"
#include "tests/support/check.h"

enum { WORDS_MOST = 64 };

typedef struct Built {
    Sentence s;
    const char *words[WORDS_MOST], *lemmas[WORDS_MOST], *upos[WORDS_MOST], *feats[WORDS_MOST], *types[WORDS_MOST];
    int heads[WORDS_MOST];
} Built;

/* Words as "form/UPOS/head/relation", "form=lemma/..." where the lemma is another one; a feature after the part of
 * speech: "who/PRON+PronType=Rel/2/nsubj". */
static void build(Built *b, const char *text)
{
    char *copy = arena_strndup(test_arena(), text, strlen(text));
    int n = 0;
    *b = (Built){ 0 };
    for (char *item = strtok(copy, " "); item; item = strtok(NULL, " "), n++) {
        char *upos = strchr(item, '/'), *head = strchr(upos + 1, '/'), *type = strchr(head + 1, '/');
        *upos++ = *head++ = *type++ = 0;
        char *lemma = strchr(item, '='), *feats = strchr(upos, '+');
        if (lemma) *lemma++ = 0;
        if (feats) *feats++ = 0;
        b->words[n] = item;
        b->lemmas[n] = lemma ? lemma : item;
        b->upos[n] = upos;
        b->feats[n] = feats ? feats : "_";
        b->heads[n] = atoi(head);
        b->types[n] = type;
    }
    b->s = (Sentence){ .n_words = n,
                       .words = b->words,
                       .lemmas = b->lemmas,
                       .upos = b->upos,
                       .feats = b->feats,
                       .heads = b->heads,
                       .types = b->types };
}

/* "2:nsubj|4:nsubj 0:root ..." */
static void put_graph(StrBuf *out, const DepGraph *graph, int n)
{
    for (int w = 0; w < n; w++)
        for (int a = graph->first[w]; a < graph->first[w + 1]; a++)
            strbuf_printf(out, "%s%d:%s",
                          a > graph->first[w] ? "|"
                          : w                 ? " "
                                              : "",
                          graph->arc[a].head, graph->arc[a].relation);
}

static void check_graph(const char *text, const char *expected)
{
    Built b;
    FREED(strbuf_fini) StrBuf found = { 0 };
    build(&b, text);
    const DepGraph *graph = ud_enhance(&b.s, test_arena());
    assert_non_null(graph);
    put_graph(&found, graph, b.s.n_words);
    if (strcmp(found.ptr, expected) != 0) fail_msg("%s\nfound    %s\nexpected %s", text, found.ptr, expected);
}

TEST(relations_name_prepositions_and_conjunctions)
{
    check_graph("She/PRON/2/nsubj sat/VERB/0/root On=on/ADP/4/case mats/NOUN/2/obl", "2:nsubj 0:root 4:case 2:obl:on");
    check_graph("king/NOUN/0/root of/ADP/3/case Spain/PROPN/1/nmod", "0:root 3:case 1:nmod:of");
    check_graph("left/VERB/0/root because/ADP/4/case of/ADP/2/fixed rain/NOUN/1/obl",
                "0:root 4:case 2:fixed 1:obl:because_of");
    check_graph("came/VERB/0/root from/ADP/4/case behind/ADP/4/case doors/NOUN/1/obl",
                "0:root 4:case 4:case 1:obl:behind"); /* the last one */
    check_graph("at/ADP/2/case Ann/PROPN/4/obl 's/PART/2/case slept/VERB/0/root",
                "2:case 4:obl:at 2:case 0:root"); /* the possessive sign is none */
    check_graph("Tom/PROPN/0/root vs./ADP/3/case Ann/PROPN/1/nmod", "0:root 3:case 1:nmod:versus");
    check_graph("$/SYM/0/root @/ADP/3/case 75/NUM/1/nmod", "0:root 3:case 1:nmod"); /* names are of letters */
    check_graph("all/DET/0/root including=include/VERB/3/case Ann/PROPN/1/nmod", "0:root 3:case 1:nmod:including");
    check_graph("left/VERB/0/root to/PART/3/mark sleep/VERB/1/advcl", "0:root 3:mark 1:advcl:to");
    check_graph("left/VERB/0/root when/ADV/4/advmod it/PRON/4/nsubj rained/VERB/1/advcl",
                "0:root 4:advmod 4:nsubj 1:advcl:when");
    check_graph("as/SCONJ/3/mark in/ADP/3/case Rome/PROPN/4/advcl lived/VERB/0/root",
                "3:mark 3:case 4:advcl:in 0:root");
    check_graph("than/SCONJ/3/mark in/ADP/3/case Rome/PROPN/4/advcl less/ADJ/0/root",
                "3:mark 3:case 4:advcl:than 0:root");
    check_graph("left/VERB/0/root altough/SCONJ/4/mark it/PRON/4/nsubj rained/VERB/1/advcl",
                "0:root 4:mark 4:nsubj 1:advcl"); /* no name of UD English */
    check_graph("left/VERB/0/root while/SCONJ/3/case work/NOUN/1/obl", "0:root 3:case 1:obl");
    check_graph("by/ADP/2/case Ann/PROPN/3/obl:agent seen/VERB/0/root", "2:case 3:obl:agent 0:root");
}

TEST(conjuncts_have_the_heads_of_the_first_one)
{
    check_graph("Tom/PROPN/4/nsubj and/CCONJ/3/cc Ann/PROPN/1/conj sing/VERB/0/root",
                "4:nsubj 3:cc 1:conj:and|4:nsubj 0:root");
    check_graph("a/NOUN/0/root ,/PUNCT/3/punct b/NOUN/1/conj or/CCONJ/5/cc c/NOUN/1/conj",
                "0:root 3:punct 1:conj:or 5:cc 1:conj:or"); /* the conjunction comes later; a root is not shared */
    check_graph("in/ADP/2/case Rome/PROPN/6/obl and/CCONJ/5/cc at/ADP/5/case home/NOUN/2/conj slept/VERB/0/root",
                "2:case 6:obl:in 5:cc 5:case 2:conj:and|6:obl:at 0:root");
    check_graph("in/ADP/2/case Rome/PROPN/5/obl and/CCONJ/4/cc Spain/PROPN/2/conj slept/VERB/0/root",
                "2:case 5:obl:in 4:cc 2:conj:and|5:obl:in 0:root");
}

TEST(conjuncts_share_subjects_and_later_objects)
{
    check_graph("Tom/PROPN/2/nsubj sang/VERB/0/root and/CCONJ/4/cc danced/VERB/2/conj",
                "2:nsubj|4:nsubj 0:root 4:cc 2:conj:and");
    check_graph("Tom/PROPN/2/nsubj sang/VERB/0/root and/CCONJ/5/cc Ann/PROPN/5/nsubj danced/VERB/2/conj",
                "2:nsubj 0:root 5:cc 5:nsubj 2:conj:and");
    check_graph("Tom/PROPN/2/nsubj sang/VERB/0/root and/CCONJ/5/cc was/AUX/5/aux:pass seen/VERB/2/conj",
                "2:nsubj|5:nsubj:pass 0:root 5:cc 5:aux:pass 2:conj:and");
    check_graph("Tom/PROPN/3/nsubj:pass was/AUX/3/aux:pass fined/VERB+Voice=Pass/0/root or/CCONJ/5/cc "
                "jailed/VERB+Voice=Pass/3/conj",
                "3:nsubj:pass|5:nsubj:pass 3:aux:pass 0:root 5:cc 3:conj:or");
    check_graph("buy/VERB/0/root and/CCONJ/3/cc sell/VERB/1/conj books/NOUN/1/obj",
                "0:root 3:cc 1:conj:and 1:obj|3:obj");
    check_graph("buy/VERB/0/root books/NOUN/1/obj and/CCONJ/4/cc sing/VERB/1/conj", "0:root 1:obj 4:cc 1:conj:and");
}

TEST(open_complements_have_subjects)
{
    check_graph("Tom/PROPN/2/nsubj wants/VERB/0/root to/PART/4/mark sing/VERB/2/xcomp",
                "2:nsubj|4:nsubj:xsubj 0:root 4:mark 2:xcomp");
    check_graph("Tom/PROPN/2/nsubj asked/VERB/0/root Ann/PROPN/2/obj to/PART/5/mark sing/VERB/2/xcomp",
                "2:nsubj 0:root 2:obj|5:nsubj:xsubj 5:mark 2:xcomp");
    check_graph("Tom/PROPN/2/nsubj seems/VERB/0/root to/PART/4/mark want/VERB/2/xcomp to/PART/6/mark sing/VERB/4/xcomp",
                "2:nsubj|4:nsubj:xsubj|6:nsubj:xsubj 0:root 4:mark 2:xcomp 6:mark 4:xcomp");
    check_graph("Tom/PROPN/2/nsubj wants/VERB/0/root to/PART/4/mark sing/VERB/2/xcomp and/CCONJ/6/cc dance/VERB/4/conj",
                "2:nsubj|4:nsubj:xsubj|6:nsubj:xsubj 0:root 4:mark 2:xcomp 6:cc 2:xcomp|4:conj:and");
}

TEST(antecedents_have_the_place_of_the_relative_word)
{
    check_graph("man/NOUN/0/root who/PRON+PronType=Rel/3/nsubj sang/VERB/1/acl:relcl",
                "0:root|3:nsubj 1:ref 1:acl:relcl");
    check_graph("man/NOUN/0/root who/PRON+PronType=Rel/3/nsubj wants/VERB/1/acl:relcl to/PART/5/mark sing/VERB/3/xcomp",
                "0:root|3:nsubj|5:nsubj:xsubj 1:ref 1:acl:relcl 5:mark 3:xcomp");
    check_graph("house/NOUN/0/root in/ADP/3/case which/PRON+PronType=Rel/5/obl we/PRON/5/nsubj live/VERB/1/acl:relcl",
                "0:root|5:obl:in 3:case 1:ref 5:nsubj 1:acl:relcl");
    check_graph("house/NOUN/0/root where/ADV+PronType=Rel/4/advmod we/PRON/4/nsubj live/VERB/1/acl:relcl",
                "0:root|4:obl 1:ref 4:nsubj 1:acl:relcl");
    check_graph("day/NOUN/0/root when/ADV+PronType=Rel/4/advmod we/PRON/4/nsubj left/VERB/1/acl:relcl",
                "0:root|4:obl:unmarked 1:ref 4:nsubj 1:acl:relcl");
    check_graph("man/NOUN/0/root whose/PRON+PronType=Rel/3/nmod:poss dog/NOUN/4/nsubj barks/VERB/1/acl:relcl",
                "0:root|3:nmod:poss 1:ref 4:nsubj 1:acl:relcl");
    check_graph("It/PRON/2/nsubj rained/VERB/0/root which/PRON+PronType=Rel/4/nsubj helped/VERB/2/advcl:relcl",
                "2:nsubj 0:root|4:csubj 2:ref 2:advcl:relcl"); /* of a clause */
    check_graph("job/NOUN/0/root that/PRON+PronType=Rel/3/nsubj pays/VERB/1/acl:relcl and/CCONJ/6/cc "
                "which/PRON+PronType=Rel/6/nsubj helps/VERB/3/conj",
                "0:root|3:nsubj|6:nsubj 1:ref 1:acl:relcl 6:cc 1:ref 1:acl:relcl|3:conj:and");
}

TEST(relative_clauses_without_relative_word_have_a_gap)
{
    check_graph("man/NOUN/0/root I/PRON/3/nsubj saw/VERB/1/acl:relcl", "0:root|3:obj 3:nsubj 1:acl:relcl");
    check_graph("man/NOUN/0/root I/PRON/3/nsubj want/VERB/1/acl:relcl to/PART/5/mark see/VERB/3/xcomp",
                "0:root|5:obj 3:nsubj|5:nsubj:xsubj 1:acl:relcl 5:mark 3:xcomp");
    check_graph("man/NOUN/0/root I/PRON/3/nsubj spoke/VERB/1/acl:relcl to/ADP/3/obl",
                "0:root|3:obl 3:nsubj 1:acl:relcl 3:obl");
    check_graph("time/NOUN/0/root I/PRON/3/nsubj left/VERB/1/acl:relcl", "0:root|3:obl 3:nsubj 1:acl:relcl");
    check_graph("place/NOUN/0/root I/PRON/3/nsubj met/VERB/1/acl:relcl her/PRON/3/obj",
                "0:root|3:obl 3:nsubj 1:acl:relcl 3:obj");
    check_graph("What/PRON/3/nsubj matters/VERB/1/acl:relcl helps/VERB/0/root",
                "2:nsubj|3:nsubj 1:acl:relcl 0:root"); /* a free relative */
}

TEST(a_sentence_of_unknown_columns_has_its_tree)
{
    Built b;
    FREED(strbuf_fini) StrBuf found = { 0 };
    build(&b, "a/X/2/nsubj b/X/0/root of/X/4/case c/X/2/obl d/X/2/strange:x");
    b.s.lemmas = b.s.upos = b.s.feats = NULL;
    put_graph(&found, ud_enhance(&b.s, test_arena()), b.s.n_words);
    assert_string_equal(found.ptr, "2:nsubj 0:root 4:case 2:obl:of 2:strange:x");
}

/* ---- any tree */

static uint32_t below(uint32_t *drawn, uint32_t n) { return rng_bits32(rng_key(7, 0, 0, 0), (*drawn)++) % n; }

static void assert_graph(const Sentence *s, const DepGraph *g)
{
    int n = s->n_words, reached = 0;
    bool *seen = mem_calloc((size_t)n + 1, sizeof *seen);
    assert_non_null(seen);
    for (int w = 0; w < n; w++) {
        assert_in_range(g->first[w + 1] - g->first[w], 1, GRAPH_ARCS_MOST);
        for (int a = g->first[w]; a < g->first[w + 1]; a++) {
            const GraphArc *x = &g->arc[a];
            assert_in_range(x->head, 0, n);
            assert_int_not_equal(x->head, w + 1);
            for (const char *c = x->relation; *c; c++) assert_true(islower((unsigned char)*c) || strchr(":_", *c));
            if (a == g->first[w]) continue;
            assert_true(x[-1].head < x->head || (x[-1].head == x->head && strcmp(x[-1].relation, x->relation) < 0));
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (int w = 0; w < n; w++)
            for (int a = g->first[w]; !seen[w + 1] && a < g->first[w + 1]; a++)
                if (!g->arc[a].head || seen[g->arc[a].head]) more = seen[w + 1] = true, reached++;
    }
    mem_free(seen);
    assert_int_equal(reached, n);
}

TEST(every_word_of_any_tree_is_below_the_root)
{
    static const char *const types[] = { "nsubj",     "obj",   "obl",  "nmod", "conj", "cc",          "xcomp", "mark",
                                         "acl:relcl", "advcl", "case", "acl",  "conj", "advcl:relcl", "fixed", "ref" };
    static const char *const upos[] = { "VERB", "NOUN", "PRON", "ADP", "ADV" };
    static const char *const feats[] = { "_", "PronType=Rel", "Voice=Pass" };
    uint32_t drawn = 0;
    for (int round = 0; round < 4000; round++) {
        Built b = { 0 };
        int n = 1 + (int)below(&drawn, 20), root = (int)below(&drawn, (uint32_t)n);
        for (int k = 0; k < n; k++) { /* below one of the words before it, which begin with the root */
            int w = (root + k) % n;
            b.heads[w] = k ? (root + (int)below(&drawn, (uint32_t)k)) % n + 1 : 0;
            b.words[w] = b.lemmas[w] = below(&drawn, 2) ? "when" : "Of";
            b.upos[w] = upos[below(&drawn, 5)];
            b.feats[w] = feats[below(&drawn, 3)];
            b.types[w] = k ? types[below(&drawn, 16)] : "root";
        }
        b.s = (Sentence){ .n_words = n,
                          .words = b.words,
                          .lemmas = b.lemmas,
                          .upos = b.upos,
                          .feats = b.feats,
                          .heads = b.heads,
                          .types = b.types };
        const DepGraph *graph = ud_enhance(&b.s, test_arena());
        assert_non_null(graph);
        assert_graph(&b.s, graph);
    }
}

/* A list of subjects of a list of verbs: what they share ends somewhere. */
TEST(long_lists_take_little_time)
{
    enum { N = 20000 };
    const char **words = arena_alloc(test_arena(), N, sizeof *words);
    const char **types = arena_alloc(test_arena(), N, sizeof *types),
               **upos = arena_alloc(test_arena(), N, sizeof *upos);
    int *heads = arena_alloc(test_arena(), N, sizeof *heads);
    for (int w = 0; w < N; w++) {
        bool second = w >= N / 2;
        words[w] = "and";
        upos[w] = "VERB";
        types[w] = w == 0 ? "nsubj" : w == N / 2 ? "root" : "conj";
        heads[w] = w == 0 ? N / 2 + 1 : w == N / 2 ? 0 : second ? N / 2 + 1 : 1;
    }
    const Sentence s = { .n_words = N, .words = words, .upos = upos, .types = types, .heads = heads };
    const DepGraph *graph = ud_enhance(&s, test_arena());
    assert_non_null(graph);
    assert_graph(&s, graph);
}

TEST(missing_memory_is_told)
{
    Built b;
    build(&b, "man/NOUN/0/root who/PRON+PronType=Rel/3/nsubj sang/VERB/1/acl:relcl on/ADP/5/case mats/NOUN/3/obl");
    bool done = false;
    for (long k = 0; !done; k++) {
        Arena arena;
        arena_init(&arena, 64);
        mem_fail_after(k);
        done = ud_enhance(&b.s, &arena) != NULL;
        mem_fail_after(-1);
        arena_fini(&arena);
        assert_true(k < 1000);
    }
}
