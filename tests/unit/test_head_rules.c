/* The language of the tables, and the shipped tables on sentences with dependencies
 * written by hand. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/file.h"
#include "tests/support/check.h"
#include "tests/support/grammar.h"
#include "tests/support/trees.h"
#include "treebank/bracket.h"
#include "treebank/head_rules.h"
#include "treebank/oracle.h"

FREES(HeadRules, head_rules_free)

/* "head type, head type, ..." of each word. */
static void put_dependencies(StrBuf *out, const Sentence *s)
{
    for (int w = 0; w < s->n_words; w++) strbuf_printf(out, "%s%d %s", w ? ", " : "", s->heads[w], s->types[w]);
}

static void assert_rules_give(const HeadRules *r, const char *tree, const char *dependencies)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(
        bracket_read(&tb, text_block(view(tree), "t"), (BracketOptions){ .strip_functions = true }, test_error()));
    assert_ok(head_rules_apply(r, &tb.s[0], &tb.arena, test_error()));
    put_dependencies(test_out(), &tb.s[0]);
    assert_string_equal(test_written(), dependencies);
}

static HeadRules *rules_of(const char *text, const char *path)
{
    Error *e = test_error();
    HeadRules *r = head_rules_read(view(text), path, e);
    assert_ok(e->code);
    assert_non_null(r);
    return r;
}

static void assert_gives(const char *rules, const char *tree, const char *dependencies)
{
    FREED(head_rules_free_at) HeadRules *r = rules_of(rules, "r");
    assert_rules_give(r, tree, dependencies);
}

static HeadRules *read_table(const char *path)
{
    assert_ok(file_read(path, test_out(), test_error()));
    return rules_of(test_written(), path);
}

TEST(heads_are_searched_in_the_order_of_the_rules)
{
    static const char tree[] = "(TOP (S (A a) (B b) (A c) (C d)))";
    assert_gives("head S first A", tree, "0 root, 1 dep, 1 dep, 1 dep");
    assert_gives("head S last A", tree, "3 dep, 3 dep, 0 root, 3 dep");
    assert_gives("head X last A\nhead S last C|A", tree, "4 dep, 4 dep, 4 dep, 0 root");
    assert_gives("head S last X\nhead S first B", tree, "2 dep, 0 root, 2 dep, 2 dep");
    assert_gives("# nothing fits: the first child\nhead X last X\nroot ROOT", tree, "0 ROOT, 1 dep, 1 dep, 1 dep");
    assert_gives("head * last !A|C", tree, "2 dep, 0 root, 2 dep, 2 dep");
    assert_gives("set LOW B X\nset ALL @LOW , C\nhead S first @ALL", tree, "2 dep, 0 root, 2 dep, 2 dep");
    assert_gives("head S first X|C*", tree, "4 dep, 4 dep, 4 dep, 0 root");
    assert_gives("head S last A", "(TOP (A a) (S (A b)))",
                 "0 root, 1 dep"); /* the head of a forest is that of TOP, here the first child */
}

TEST(patterns_see_words_tags_children_and_neighbours)
{
    static const char tree[] = "(TOP (S (NP (A Was) (B x)) (NP (B y)) (VP (V is) (VP (V read)))))";
    assert_gives("head * first B|VP", tree, "2 dep, 5 dep, 5 dep, 5 dep, 0 root");
    assert_gives("head S first NP/y\nhead * first *", tree, "3 dep, 1 dep, 0 root, 3 dep, 4 dep");
    assert_gives("head S last NP/was\nhead * first *", tree,
                 "0 root, 1 dep, 1 dep, 1 dep, 4 dep"); /* words in lower case */
    assert_gives("head S first NP^B\nhead * first *", tree, "3 dep, 1 dep, 0 root, 3 dep, 4 dep");
    assert_gives("head S first NP{!A}\nhead * first *", tree, "3 dep, 1 dep, 0 root, 3 dep, 4 dep");
    assert_gives("head S first *{V/is,VP{V/read}}\nhead * first *", tree, "4 dep, 1 dep, 4 dep, 0 root, 4 dep");
    assert_gives("head S first *>V/is\nhead * first *", tree, "4 dep, 1 dep, 4 dep, 0 root, 4 dep");
    assert_gives("head S{X} last VP\nhead S{NP} first NP follows=NP\nhead * first *", tree,
                 "3 dep, 1 dep, 0 root, 3 dep, 4 dep");
    assert_gives("head S last NP precedes=NP\nhead * first *", tree, "0 root, 1 dep, 1 dep, 1 dep, 4 dep");
    assert_gives("head S first NP next=VP\nhead * first *", tree, "3 dep, 1 dep, 0 root, 3 dep, 4 dep");
    assert_gives("head S first * previous=NP !next=VP\nhead * first *", tree, "4 dep, 1 dep, 4 dep, 0 root, 4 dep");
    assert_gives("head VP last V|VP under=S{NP}\nhead S last VP\nhead * first *", tree,
                 "5 dep, 1 dep, 5 dep, 5 dep, 0 root");
    assert_gives("head VP last V|VP !under=S\nhead S last VP\nhead * first *", tree,
                 "4 dep, 1 dep, 4 dep, 0 root, 4 dep");
}

TEST(neighbours_may_stand_some_steps_away)
{
    static const char tree[] = "(TOP (S (A a) (B b) (A c) (C d)))";
    assert_gives("head S first A next2=A", tree, "0 root, 1 dep, 1 dep, 1 dep");
    assert_gives("head S first A next2=*\nhead S last C", tree, "0 root, 1 dep, 1 dep, 1 dep");
    assert_gives("head S first A previous2=A", tree, "3 dep, 3 dep, 0 root, 3 dep");
    assert_gives("head S last * !previous2=*", tree, "2 dep, 0 root, 2 dep, 2 dep");
    assert_gives("head S last * !next9=*", tree, "4 dep, 4 dep, 4 dep, 0 root");
}

TEST(the_first_conjunct_heads_a_coordination)
{
    static const char plain[] = "set SEP ,\nhead * last N\ncoordination NP CC @SEP\n";
    assert_gives(plain, "(TOP (NP (N a) (CC and) (N b)))", "0 root, 1 dep, 1 dep");
    assert_gives(plain, "(TOP (NP (N a) (, ,) (N b) (, ,) (CC and) (N c)))",
                 "0 root, 1 dep, 1 dep, 1 dep, 1 dep, 1 dep");
    assert_gives(plain, "(TOP (NP (J j) (N a) (CC and) (N b)))", "2 dep, 0 root, 2 dep, 2 dep");
    assert_gives(plain, "(TOP (NP (N a) (CC and) (N b) (N c)))",
                 "4 dep, 4 dep, 4 dep, 0 root");                                 /* the conjuncts precede the head */
    assert_gives(plain, "(TOP (NP (N a) (, ,) (N b)))", "3 dep, 3 dep, 0 root"); /* no conjunction */
    assert_gives(plain, "(TOP (NP (CC but) (J j) (, ,) (N b)))", "4 dep, 4 dep, 4 dep, 0 root"); /* none before it */
    assert_gives(plain, "(TOP (X (N a) (CC and) (N b)))", "3 dep, 3 dep, 0 root");
}

TEST(types_follow_phrase_head_child_and_side)
{
    static const char rules[] = "head S last V\ntype sub S V N before\ntype obj S V N after !precedes=N\ntype iobj S V "
                                "N\ntype x S W *\ntype late * * M precedes=*\n";
    assert_gives(rules, "(TOP (S (N a) (V b) (N c) (N d)))", "2 sub, 0 root, 2 iobj, 2 obj");
    assert_gives(rules, "(TOP (S (M a) (V b) (M c)))", "2 late, 0 root, 2 dep");
}

TEST(a_type_may_name_another_head)
{
    static const char rules[] = "head * last N\ntype cc * * CC onto-previous=N\ntype conj * * N previous=CC "
                                "onto-previous=N\ntype number * * CD onto-next=CD\ntype x * * *\n";
    assert_gives(rules, "(TOP (X (N a) (CC and) (N b) (N c)))", "4 x, 1 cc, 1 conj, 0 root");
    assert_gives(rules, "(TOP (X (CC and) (N b)))", "2 x, 0 root"); /* no sibling to depend on: the next rule applies */
    assert_gives(rules, "(TOP (X (CD 1) (CD 2) (N b)))", "2 number, 3 x, 0 root");
    assert_gives("head * first N\ntype conj * * N after !precedes=N\ntype nn * * * after onto-last=N",
                 "(TOP (X (N a) (J b) (N c) (N d)))", "0 root, 4 nn, 4 nn, 1 conj");
    /* the search stops at the head; cycles and crossing arcs are removed */
    assert_gives("head * first N\ntype y * * A onto-next=A\ntype x * * *", "(TOP (X (A 1) (N b) (A 2)))",
                 "2 x, 0 root, 2 x");
    assert_gives("head * first N\ntype y * * A onto-next=B\ntype z * * B onto-previous=A\ntype x * * *",
                 "(TOP (X (A 1) (B 2) (N b)))", "3 y, 1 z, 0 root");
    assert_gives("head * first N\ntype y * * A onto-next=C\ntype x * * *", "(TOP (X (A 1) (B 2) (C 3) (N b)))",
                 "4 y, 4 x, 4 x, 0 root");
}

TEST(errors_in_tables_have_their_place)
{
    static const char *const cases[][2] = {
        { "", "r:1:1: found no head rule, expected at least one" },
        { "# only\n\n", "r:3:1: found no head rule, expected at least one" },
        { "heads S first A", "r:1:1: found an unknown word, expected head, coordination, type, set or root" },
        { "head", "r:1:5: found the end of the line, expected a pattern" },
        { "head S", "r:1:7: found an unknown word, expected first or last" },
        { "head S middle A", "r:1:8: found an unknown word, expected first or last" },
        { "head S first", "r:1:13: found the end of the line, expected a pattern" },
        { "head S first A before",
          "r:1:16: found an unknown word, expected precedes=, follows=, next=, previous= or under=" },
        { "type t S A B beside", "r:1:14: found an unknown word, expected before, after, precedes=, follows=, next=, "
                                 "previous=, under=, onto-next=, onto-previous= or onto-last=" },
        { "head S first A|", "r:1:16: found no name, expected one" },
        { "head S first A|@NONE", "r:1:17: found an unknown set, expected one defined above" },
        { "head S first A{B", "r:1:17: found other text in the conditions, expected ',' or '}'" },
        { "head S first A}", "r:1:15: found other text after a pattern, expected a blank" },
        { "head S first A{A{A{A{A{A{A{A{A{A{A{A{A", "r:1:38: found patterns nested too deeply" },
        { "head S first A>A>A>A", "r:1:19: found three nested '>', expected at most two" },
        { "head S first A next=", "r:1:21: found the end of the line, expected a pattern" },
        { "head S first A onto-next=B",
          "r:1:16: found onto-next=, onto-previous= or onto-last=, expected them in type rules only" },
        { "type t S A B !onto-next=B",
          "r:1:14: found '!' before onto-next=, onto-previous= or onto-last=, expected none" },
        { "head S first A next1=B",
          "r:1:16: found an unknown word, expected precedes=, follows=, next=, previous= or under=" },
        { "coordination S A", "r:1:17: found the end of the line, expected a pattern" },
        { "coordination S A B C", "r:1:20: found other text after the separators, expected the end of the line" },
        { "root", "r:1:5: found the end of the line, expected a name" },
        { "root a b", "r:1:8: found other text after the name, expected the end of the line" },
        { "set A a @A", "r:1:10: found a set that contains itself" },
        { "set", "r:1:4: found the end of the line, expected a name" },
        { "head S first A\nhead \xff", "r:2:6: found bytes that are not UTF-8" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Error e = { 0 };
        assert_null(head_rules_read(view(cases[k][0]), "r", &e));
        assert_error(&e, ERR_FORMAT, cases[k][1]);
    }
}

TEST(english_sentences_get_stanford_dependencies)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/english.rules");
    assert_rules_give(
        r, "(S (NP (DT The) (NNS trees)) (VP (VBD were) (VP (VBN read) (PP (IN by) (NP (DT a) (NN parser))))) (. .))",
        "2 det, 4 nsubjpass, 4 auxpass, 0 root, 4 prep, 7 det, 5 pobj, 4 punct");
    assert_rules_give(r,
                      "(S (NP (EX There)) (VP (VBP are) (NP (NP (CD two) (NNS dogs) (CC and) (NNS cats)) (SBAR (WHNP "
                      "(WDT that)) (S (VP (VBP bark)))))) (. .))",
                      "2 expl, 0 root, 4 num, 2 nsubj, 4 cc, 4 conj, 8 nsubj, 4 rcmod, 2 punct");
    assert_rules_give(r,
                      "(S (NP (NP (PRP$ Her) (NN brother) (POS 's)) (NN house)) (VP (VBZ is) (RB n't) (ADJP (RB "
                      "very) (JJ big)) (SBAR (IN because) (S (NP (PRP he)) (VP (MD will) (VP (VB move)))))) (. .))",
                      "2 poss, 4 poss, 2 possessive, 8 nsubj, 8 cop, 8 neg, 8 advmod, 0 root, 12 mark, 12 nsubj, 12 "
                      "aux, 8 advcl, 8 punct");
    assert_rules_give(r, "(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP you)) (VP (VB give) (NP (PRP her)))) (. ?))",
                      "4 dobj, 4 aux, 4 nsubj, 0 root, 4 dobj, 4 punct");
    assert_rules_give(r,
                      "(S (S (NP (PRP I)) (VP (VBP want) (S (VP (TO to) (VP (VB sleep)))))) (CC but) (S (NP (PRP "
                      "he)) (VP (VBZ says) (SBAR (IN that) (S (NP (PRP we)) (VP (VBP dance)))))) (. .))",
                      "2 nsubj, 0 root, 4 aux, 2 xcomp, 2 cc, 7 nsubj, 2 conj, 10 mark, 10 nsubj, 7 ccomp, 2 punct");
}

TEST(english_clauses_may_be_subjects)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/english.rules");
    assert_rules_give(r, "(S (SBAR (IN That) (S (NP (PRP she)) (VP (VBD left)))) (VP (VBD hurt) (NP (PRP him))))",
                      "3 mark, 3 nsubj, 4 csubj, 0 root, 4 dobj");
    assert_rules_give(r,
                      "(S (SBAR (WHNP (WP What)) (S (NP (PRP he)) (VP (VBD said)))) (VP (VBD was) (VP (VBN known))))",
                      "3 dobj, 3 nsubj, 5 csubjpass, 5 auxpass, 0 root");
    assert_rules_give(r, "(S (S (VP (TO To) (VP (VB win)))) (VP (VBZ helps)))", "2 aux, 3 csubj, 0 root");
    assert_rules_give(r, "(S (S (VP (VBG Swimming))) (VP (VBZ helps)))", "2 csubj, 0 root");
    assert_rules_give(r, /* a time, not a subject */
                      "(S (SBAR (WHADVP (WRB When)) (S (NP (PRP she)) (VP (VBD left)))) (, ,) (NP (PRP we)) (VP (VBD "
                      "cried)))",
                      "3 advmod, 3 nsubj, 6 advcl, 6 punct, 6 nsubj, 0 root");
}

TEST(english_addressees_and_measures)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/english.rules");
    assert_rules_give(r, "(S (NP (NNP Ann)) (, ,) (NP (DT the) (NN bus)) (VP (VBZ left)))",
                      "5 vocative, 5 punct, 4 det, 5 nsubj, 0 root");
    assert_rules_give(r, "(S (VP (VB Come) (PRT (RP in)) (, ,) (NP (NNP Dr.) (NNP Fox))) (. .))",
                      "0 root, 1 prt, 1 punct, 5 nn, 1 vocative, 1 punct");
    assert_rules_give(r,
                      "(S (NP (PRP She)) (VP (VBZ cleans) (NP (DT the) (NN house)) (NP (NP (CD two) (NNS times)) (NP "
                      "(DT a) (NN year)))))",
                      "2 nsubj, 0 root, 4 det, 2 dobj, 6 num, 2 tmod, 8 det, 6 tmod");
    assert_rules_give(r, "(S (NP (PRP I)) (VP (VBP give) (NP (PRP him)) (NP (NNS books))))",
                      "2 nsubj, 0 root, 2 iobj, 2 dobj");
}

TEST(english_flat_coordinations)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/english.rules");
    assert_rules_give(r, "(NP (NNP U.S.) (NNS analysts) (CC and) (NN money) (NNS managers))",
                      "2 nn, 0 root, 2 cc, 5 nn, 2 conj");
    assert_rules_give(r, "(NP (DT the) (NNP Ford) (NNP Taurus) (CC and) (NNP Mercury) (NNP Sable) (NNS cars))",
                      "3 det, 3 nn, 0 root, 3 cc, 7 nn, 7 nn, 3 conj");
    assert_rules_give(r, "(NP (NN steel) (CC and) (NN textile) (NNS mills))", "4 nn, 1 cc, 1 conj, 0 root");
    assert_rules_give(r, "(NP (DT the) (NN bond) (CC and) (NN stock) (NNS markets))",
                      "5 det, 5 nn, 2 cc, 2 conj, 0 root");
    assert_rules_give(r, "(NP (DT the) (NNS futures) (CC and) (NN stock) (NNS markets))",
                      "2 det, 0 root, 2 cc, 5 nn, 2 conj");
    assert_rules_give(r, "(NP (`` ``) (NN drama) ('' '') (CC or) (`` ``) (NN farce) ('' ''))",
                      "2 punct, 0 root, 2 punct, 2 cc, 2 punct, 2 conj, 2 punct");
    assert_rules_give(r, "(NP (NNS apples) (, ,) (NNS pears) (CC and) (NNS plums))",
                      "0 root, 1 punct, 1 conj, 1 cc, 1 conj");
    assert_rules_give(
        r, "(S (CC But) (SBAR (IN if) (S (NP (PRP it)) (VP (VBZ rains)))) (, ,) (NP (PRP we)) (VP (VBP stay)))",
        "7 cc, 4 mark, 4 nsubj, 7 advcl, 7 punct, 7 nsubj, 0 root");
}

TEST(english_clauses_after_verbs)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/english.rules");
    assert_rules_give(r,
                      "(S (NP (PRP I)) (VP (VBP know) (SBAR (WHADVP (WRB how)) (S (NP (PRP it)) (VP (VBZ works))))))",
                      "2 nsubj, 0 root, 5 advmod, 5 nsubj, 2 ccomp");
    assert_rules_give(r,
                      "(S (NP (PRP I)) (VP (VBD left) (SBAR (WHADVP (WRB when)) (S (NP (PRP it)) (VP (VBD ended))))))",
                      "2 nsubj, 0 root, 5 advmod, 5 nsubj, 2 advcl");
    assert_rules_give(r,
                      "(S (NP (PRP He)) (VP (VBD saved) (SBAR (RB so) (IN that) (S (NP (PRP he)) (VP (MD could) (VP "
                      "(VB buy) (NP (PRP it))))))))",
                      "2 nsubj, 0 root, 7 advmod, 7 mark, 7 nsubj, 7 aux, 2 advcl, 7 dobj");
    assert_rules_give(r, "(S (NP (PRP It)) (VP (VBD made) (S (NP (PRP him)) (ADJP (JJ famous)))))",
                      "2 nsubj, 0 root, 4 nsubj, 2 xcomp");
    assert_rules_give(r, "(S (NP (PRP He)) (VP (VBD helped) (S (VP (VB build) (NP (DT a) (NN house))))))",
                      "2 nsubj, 0 root, 2 ccomp, 5 det, 3 dobj");
    assert_rules_give(r, "(S (NP (PRP He)) (VP (VBD ate) (NP (NN rice)) (, ,) (S (VP (VBG smiling)))))",
                      "2 nsubj, 0 root, 2 dobj, 2 punct, 2 partmod");
    assert_rules_give(
        r, "(SINV (S (NP (NNS Prices)) (VP (VBD were) (VP (VBN cut)))) (, ,) (VP (VBD said)) (NP (NNP Ann)) (. .))",
        "3 nsubjpass, 3 auxpass, 5 ccomp, 5 punct, 0 root, 5 nsubj, 5 punct");
}

TEST(english_copulas_and_passives)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/english.rules");
    assert_rules_give(r, "(SBARQ (WHNP (WP What)) (SQ (VBZ 's) (NP (DT the) (NN date))) (. ?))",
                      "0 root, 1 cop, 4 det, 2 nsubj, 1 punct");
    assert_rules_give(r, "(SQ (VBZ Is) (NP (EX there)) (NP (DT a) (NN book)) (. ?))",
                      "0 root, 1 expl, 4 det, 1 nsubj, 1 punct");
    assert_rules_give(r, "(SBARQ (WHNP (WHADJP (WRB How) (JJ many)) (NNS books)) (SQ (VBP are) (NP (EX there))) (. ?))",
                      "2 advmod, 3 amod, 4 nsubj, 0 root, 4 expl, 4 punct");
    assert_rules_give(r, "(S (NP (PRP I)) (VP (VBP know) (SBAR (WHADVP (WRB why)))))", "2 nsubj, 0 root, 2 ccomp");
    assert_rules_give(r, "(S (NP (PRP I)) (VP (VBD was) (ADJP (RB very) (VBN excited))))",
                      "4 nsubjpass, 4 auxpass, 4 advmod, 0 root");
    assert_rules_give(r, "(S (NP (PRP It)) (VP (VBZ is) (VP (VBG being) (VP (VBN built)))))",
                      "4 nsubjpass, 4 aux, 4 auxpass, 0 root");
    assert_rules_give(r, "(S (NP (PRP He)) (VP (VBD became) (VP (VBN known))))", "3 nsubjpass, 3 auxpass, 0 root");
}

TEST(english_times_quantities_and_names)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/english.rules");
    assert_rules_give(r, "(S (NP (PRP It)) (VP (VBD ended) (NP (NNP Sept.) (CD 30))))",
                      "2 nsubj, 0 root, 2 tmod, 3 num");
    assert_rules_give(r, "(S (NP (PRP I)) (VP (VBD saw) (NP (PRP him)) (NP (NN today))))",
                      "2 nsubj, 0 root, 2 dobj, 2 tmod");
    assert_rules_give(r, "(NP (NP (NNP Ann) (NNP Fox)) (, ,) (NP (CD 40)) (, ,) (NP (NN president)))",
                      "2 nn, 0 root, 2 punct, 2 amod, 2 punct, 2 appos");
    assert_rules_give(r, "(NP (NP (NNP Nov.) (CD 15)) (, ,) (NP (CD 1999)))", "0 root, 1 num, 1 punct, 1 num");
    assert_rules_give(r, "(NP (NP (DT a) (NN plan)) (PRN (-LRB- -LRB-) (NP (NN map)) (-RRB- -RRB-)))",
                      "2 det, 0 root, 4 punct, 2 appos, 4 punct");
    assert_rules_give(r, "(NP (QP (IN about) ($ $) (CD 37) (CD million)))", "2 quantmod, 0 root, 2 number, 2 number");
    assert_rules_give(r, "(NP (QP ($ $) (CD 37) (CD million)))", "0 root, 3 number, 1 num");
    assert_rules_give(r, "(NP (QP (JJR more) (IN than) (CD 37)))", "2 mwe, 3 quantmod, 0 root");
    assert_rules_give(r, "(NP (QP (JJR more) (IN than) ($ $) (CD 37)))", "3 quantmod, 3 quantmod, 0 root, 3 number");
    assert_rules_give(r, "(NP (ADJP (NP (CD ten) (NNS days)) (JJR older)))", "2 num, 3 tmod, 0 root");
    assert_rules_give(r, "(S (NP (PRP it)) (VP (VBD rose) (ADVP (RB up) (NP (CD 19) (NN %)))))",
                      "2 nsubj, 0 root, 2 advmod, 5 num, 3 pobj");
    assert_rules_give(r, "(NP (DT the) (NAC (NNP Bank) (PP (IN of) (NP (NNP Fox)))) (NN office))",
                      "5 det, 5 dep, 2 prep, 3 pobj, 0 root");
}

TEST(chinese_sentences_get_heads_and_coarse_types)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/chinese.rules");
    assert_rules_give(r, "(IP (NP (NN 春天)) (VP (VV 来) (AS 了)))", "2 SUB, 0 ROOT, 2 VMOD");
    assert_rules_give(r,
                      "(IP (NP (CP (CP (IP (VP (VV 住) (PP (P 在) (NP (NN 山上))))) (DEC 的))) (NP (NN 老人))) (VP "
                      "(ADVP (AD 常常)) (VP (VV 下) (NP "
                      "(NN 棋)))) (PU 。))",
                      "5 NMOD, 1 VMOD, 2 PMOD, 1 DE, 7 SUB, 7 VMOD, 0 ROOT, 7 OBJ, 7 P");
}

TEST(chinese_sentences_get_universal_dependencies)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/chinese-ud.rules");
    assert_rules_give(r, "(IP (NP (PN 他)) (VP (VV 跑) (DER 得) (VP (ADVP (AD 很)) (VP (VA 快)))))",
                      "2 nsubj, 0 root, 2 compound:ext, 5 advmod, 2 xcomp");
    assert_rules_give(r, "(IP (NP (PN 他)) (VP (BA 把) (IP (NP (NN 门)) (VP (VRD (VV 关) (VV 上)) (AS 了)))))",
                      "4 nsubj, 4 aux, 4 obl:patient, 0 root, 4 mark, 4 aux");
    assert_rules_give(r, "(IP (NP (NN 门)) (VP (LB 被) (IP (NP (NN 风)) (VP (VRD (VV 吹) (VV 开)) (AS 了)))))",
                      "4 nsubj:pass, 4 aux:pass, 4 nsubj, 0 root, 4 mark, 4 aux");
    assert_rules_give(r,
                      "(IP (NP (DP (DT 这) (QP (CD 两) (CLP (M 本)))) (NP (NN 书))) (NP (PN 我)) (VP (VV 看) (AS 过)))",
                      "2 det, 4 nummod, 2 clf, 6 dislocated, 6 nsubj, 0 root, 6 aux");
    assert_rules_give(r, "(IP (NP (NN 猫) (CC 和) (NN 狗)) (VP (DVP (ADVP (AD 慢慢)) (DEV 地)) (VP (VV 走))))",
                      "6 nsubj, 3 cc, 1 conj, 6 advmod, 4 mark:adv, 0 root");
    assert_rules_give(r, "(IP (NP (PN 他)) (VP (VV 會) (VP (VV 去) (QP (CD 三) (CLP (M 次))) (NP (NR 臺灣)))))",
                      "3 nsubj, 3 aux, 0 root, 3 obl, 4 clf, 3 obj");
}

TEST(sinica_clauses_get_roles)
{
    FREED(head_rules_free_at) HeadRules *r = read_table("models/headrules/sinica.rules");
    assert_rules_give(r, "(S (NP (Nhaa 他)) (VC2 看) (NP (N‧的 (Nab 我) (DE 的)) (Nab 書)) (PERIODCATEGORY 。))",
                      "2 agent, 0 root, 4 head, 5 property, 2 goal, 2 punct");
}

TEST(any_tree_gets_one_head_per_phrase)
{
    HeadRules *tables[] = { read_table("models/headrules/english.rules"), read_table("models/headrules/chinese.rules"),
                            read_table("models/headrules/sinica.rules") };
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_true(grammar_sentences(&tb, 200, 11));
    for (int k = 0; k < tb.n; k++) {
        Sentence *s = &tb.s[k];
        int word;
        const char *what;
        bool projective;
        assert_ok(head_rules_apply(tables[k % 3], s, &tb.arena, test_error()));
        assert_true(tree_heads_valid(s->heads, s->n_words, &word, &what));
        assert_true(tree_heads_projective(s->heads, s->n_words, &projective) && projective);
        for (int p = 0; p < s->n_phrases; p++) assert_int_equal(phrase_outside_heads(s, &s->phrases[p]), 1);
    }
    for (int k = 0; k < 3; k++) head_rules_free(tables[k]);
}

TEST(running_out_of_memory_is_an_error)
{
    static const char rules[] = "set A a b*\nset B @A c\nroot R\nhead S{B,!C} first @B|x*/y^z>S next=T\ntype t * * * "
                                "before\ncoordination * CC N*\n";
    bool done = false;
    for (long n = 0; !done && n < 500; n++) {
        Error e = { 0 };
        MADE(Treebank, treebank_init, treebank_fini, tb);
        assert_ok(bracket_read(&tb, text_block(view("(S (A a) (B b))"), "t"),
                               (BracketOptions){ .strip_functions = true }, test_error()));
        mem_fail_after(n);
        FREED(head_rules_free_at) HeadRules *r = head_rules_read(view(rules), "r", &e);
        done = r && head_rules_apply(r, &tb.s[0], &tb.arena, &e) == OK;
        mem_fail_after(-1);
        if (!done) assert_int_equal(e.code, ERR_NOMEM);
    }
    assert_true(done);
}
