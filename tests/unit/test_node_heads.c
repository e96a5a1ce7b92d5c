/* Which child is the head of a phrase: each rule by phrases where it alone decides, and whole tables by numbers that
 * any change of a rule changes. */
#include "search/node_tree.h"
#include "tests/support/check.h"

static void read(const char *text, StrMap *labels, NodeTree *tree)
{
    size_t at = 0;
    bool found;
    assert_ok(node_tree_read(tree, labels, text_block(view(text), "t"), &at, &found, test_error()));
}

/* Rows: a phrase, and the place of its head, from 0, by each of the five finders. */
static void check_rows(const char *(*rows)[2], size_t n)
{
    MADE(StrMap, map_init, map_fini, labels);
    NodeTree t = { 0 };
    for (size_t k = 0; k < n; k++) {
        char places[6] = { 0 };
        read(rows[k][0], &labels, &t);
        for (int f = HEADS_COLLINS; f <= HEADS_LEFT; f++)
            places[f] = (char)('0' + t.place[node_head(&t, &labels, (HeadFinder)f, 0)]);
        if (strcmp(places, rows[k][1]) != 0) fail_msg("%s: found %s, expected %s", rows[k][0], places, rows[k][1]);
    }
    node_tree_fini(&t);
}
#define CHECK(...)                                    \
    do {                                              \
        const char *rows[][2] = { __VA_ARGS__ };      \
        check_rows(rows, sizeof rows / sizeof *rows); \
    } while (0)

TEST(the_head_is_the_child_that_a_table_names)
{
    CHECK({ "(NP (DT a) (NN b) (RB c))", "11110" }, { "(NP-SBJ=1 (DT a) (NN-X b) (RB c))", "11110" },
          { "(PP (RB a) (IN b) (NP c))", "11120" }, { "(SBAR (WHNP a) (S b))", "00110" },
          { "(ADJP (NN a) (JJ b))", "01110" }, { "(NP (NN a) (POS b))", "11000" }, { "(QP (CD a) (CD b))", "00110" },
          { "(PP (PP a) (PP b))", "10000" }, { "(ROOT (X a) (S b))", "01110" }, { "(NP (-LRB- a) (NN b))", "11110" },
          { "(VP (TO a))", "00000" }, { "(NML (NN a) (JJ b))", "00000" });
}

TEST(where_no_rule_holds_the_head_is_a_child_that_is_no_mark)
{
    CHECK({ "(NP (UH a) (. .))", "10000" }, { "(NP (. a) (. b))", "11000" }, { "(FRAG (A a) (B b) (. .))", "21000" },
          { "(PRN (-LRB- a) (XX b) (XX c))", "01110" }, { "(A-Z (B b) (C c) (: :))", "21110" });
}

TEST(a_coordination_is_headed_by_its_first_member_or_by_the_one_before_the_conjunction)
{
    CHECK({ "(NP (NN a) (CC b) (NN c))", "00000" }, { "(NP (NN a) (CONJP b) (NN c))", "00000" },
          { "(NP (CC a) (NN b))", "11110" }, { "(NP (NN a) (IN b) (NN c))", "22220" },
          { "(NP (DT a) (NN b) (, ,) (CC c) (NN d))", "44110" }, { "(NP (NN a) (, ,) (NN b) (CC c) (NN d))", "22000" },
          { "(NP (NN a) (, ,) (NN b) (: :) (`` c) (NN d) (CC e) (NN f))", "55000" },
          { "(NP (NN a) (NN b) (, ,) (NN c) (CC d) (NN e))", "33110" }, { "(NP (. a) (NN b) (CC c) (NN d))", "11110" },
          { "(NP (. a b) (CC c) (NN d))", "00000" }, { "(NP (NN a) (: :) (INTJ b) (NN c) (CC d) (NN e))", "33000" },
          { "(NP (NN a) (UH b) (CC c) (NN d))", "11000" }, { "(NP (INTJ a) (CC b) (NN c))", "00220" },
          { "(X (UH a) (CC b) (UH c))", "20000" }, { "(NP (PRP a) (CC b) (PRP c))", "20000" });
}

TEST(an_auxiliary_or_copula_is_no_head_of_content)
{
    CHECK({ "(VP (MD will) (RB not) (VP x))", "00220" }, { "(VP (VBD had) (VP x))", "00110" },
          { "(VP (VBD hid) (VP x))", "00000" }, { "(VP (NN is) (NP x))", "00000" },
          { "(VP (VBZ has) (NP x))", "00000" }, { "(VP (VBZ has) (ADJP x))", "00000" },
          { "(VP (TO to) (ADJP x))", "00110" }, { "(VP (AUX x) (ADJP y))", "00110" },
          { "(VP (VBD WAS) (RB not) (ADJP x))", "00220" }, { "(VP (VBD became) (ADJP x))", "00000" },
          { "(VP (VBZ ’s) (UCP x))", "00110" }, { "(VP (VBD was) (PP x))", "00010" },
          { "(VP (VBZ is) (WHNP a) (WHADJP x))", "00220" }, { "(VP (VBZ is) (NP a) (ADJP b) (VP c))", "00330" },
          { "(VP (VBZ is) (NP-TMP a) (NP-ADV b) (NP c))", "00330" }, { "(VP (VBZ is) (NP-TMP a))", "00000" },
          { "(VP (VBZ is) (VP a) (CC b) (VP c))", "00110" }, { "(VP (MD can) (VP a) (CC b) (VP c))", "00110" },
          { "(VP (VBZ is a) (NP x))", "00000" }, { "(VP (MD can) (CC or) (VP a))", "00000" },
          { "(VP (VBZ is) (CC or) (NP a))", "00000" }, { "(VP (VBZ is) (NP a) (NP b))", "00110" },
          { "(FRAG (VBZ is) (NP x))", "11110" }, { "(SINV (VBZ is) (NP x))", "00110" },
          { "(SQ (VBZ is) (NP a) (NP b))", "00220" }, { "(SQ (VBZ is) (NP a))", "00000" },
          { "(SQ-X (VBZ is) (ADJP a) (ADJP b))", "00220" });
}

TEST(not_also_rather_and_yet_are_heads_of_conjunctions_of_content)
{
    CHECK({ "(CONJP (CC But) (RB not))", "00110" }, { "(CONJP (CC and) (RB not))", "00110" },
          { "(CONJP (CC but) (RB also))", "00110" }, { "(CONJP (CC but) (ADVP (RB rather)))", "00110" },
          { "(CONJP (CC and) (ADVP (RB yet)))", "00110" }, { "(CONJP (CC and) (RB also))", "00000" },
          { "(CONJP (CC or) (RB not))", "00000" }, { "(CONJP (CC but) (ADVP (RB not)))", "00000" },
          { "(CONJP (CC but) (ADVP (RB also) (RB a)))", "00000" }, { "(CONJP (CC but) (JJ not))", "00000" },
          { "(CONJP (IN but) (RB not) (CC a))", "22220" });
}

/* Two words under each phrase, in all orders: which is the head? Taken when the answers that CoreNLP gives for other
 * trees were the same. */
TEST(tables_of_rules_are_as_they_were)
{
    static const char *const WORDS[] = {
        "$",      "''",     "#",     ",",    "-LRB-", ".",    ":",   "``",   "A",    "ADJP", "ADVP", "AUX",   "AUXG",
        "CC",     "CD",     "CONJP", "DT",   "EX",    "FRAG", "FW",  "IN",   "INTJ", "JJ",   "JJP",  "JJR",   "JJS",
        "LS",     "MD",     "NAC",   "NCD",  "NML",   "NN",   "NNP", "NNPS", "NNS",  "NP",   "NX",   "PDT",   "POS",
        "PP",     "PRN",    "PRP",   "QP",   "RB",    "RBR",  "RBS", "RP",   "RRC",  "S",    "SBAR", "SBARQ", "SINV",
        "SQ",     "SYM",    "TO",    "UCP",  "UH",    "VB",   "VBD", "VBG",  "VBN",  "VBP",  "VBZ",  "VP",    "WDT",
        "WHADJP", "WHADVP", "WHNP",  "WHPP", "WP",    "WP$",  "WRB", "X",
    };
    static const char *const PHRASES[] = {
        "",     "ADJP", "ADV", "ADVP",  "CONJP", "EDITED", "EMBED", "FRAG",   "INTJ",   "JJP",  "LST",  "META", "NAC",
        "NML",  "NP",   "NX",  "POSSP", "PP",    "PRN",    "PRT",   "QP",     "ROOT",   "RRC",  "S",    "SBAR", "SBARQ",
        "SINV", "SQ",   "TOP", "TYPO",  "UCP",   "VB",     "VP",    "WHADJP", "WHADVP", "WHNP", "WHPP", "X",    "XS",
    };
    static const uint32_t WANTED[] = { 1105582006u, 2918189012u, 1329501354u, 127560356u, 0 };
    MADE(StrMap, map_init, map_fini, labels);
    NodeTree t = { 0 };
    StrBuf text = { 0 };
    uint32_t sum[HEADS_LEFT + 1] = { 0 };
    const size_t n = sizeof WORDS / sizeof *WORDS;
    for (size_t k = 0; k < sizeof PHRASES / sizeof *PHRASES * n * n; k++) {
        strbuf_clear(&text);
        strbuf_printf(&text, "(%s (%s a) (%s b))", PHRASES[k / n / n], WORDS[k / n % n], WORDS[k % n]);
        read(text.ptr, &labels, &t);
        for (int f = HEADS_COLLINS; f <= HEADS_LEFT; f++)
            sum[f] = sum[f] * 31 + (uint32_t)t.place[node_head(&t, &labels, (HeadFinder)f, 0)];
    }
    for (int f = HEADS_COLLINS; f <= HEADS_LEFT; f++)
        if (sum[f] != WANTED[f]) fail_msg("finder %d: found %uu, expected %uu", f, sum[f], WANTED[f]);
    strbuf_fini(&text);
    node_tree_fini(&t);
}

TEST(finders_have_the_names_of_their_classes_and_short_ones)
{
    static const char *const NAMES[][2] = { { "collins", "CollinsHeadFinder" },
                                            { "mod-collins", "ModCollinsHeadFinder" },
                                            { "semantic", "edu.stanford.nlp.trees.SemanticHeadFinder" },
                                            { "universal", "edu.stanford.nlp.trees.UniversalSemanticHeadFinder" },
                                            { "left", "trees.LeftHeadFinder" } };
    for (int f = HEADS_COLLINS; f <= HEADS_LEFT; f++)
        for (int k = 0; k < 2; k++) {
            HeadFinder finder = HEADS_COLLINS;
            assert_true(head_finder_find(NAMES[f][k], &finder));
            assert_int_equal(finder, f);
        }
    HeadFinder finder = HEADS_LEFT;
    assert_false(head_finder_find("", &finder));
    assert_false(head_finder_find("trees.left", &finder));
    assert_false(head_finder_find("HeadFinder", &finder));
    assert_int_equal(finder, HEADS_LEFT);
}
