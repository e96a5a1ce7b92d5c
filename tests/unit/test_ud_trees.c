/* Universal Dependencies where the tree says more than the arcs. A case has the tree and the Stanford arcs of a parser,
 * right or wrong, and some of the arcs that must come out; it would fail without a rule. */
#include <stdlib.h>

#include "language/english/ud/ud.h"
#include "tests/support/check.h"
#include "treebank/bracket.h"

/* The arcs are "head/type ..." of all words, the wanted ones "word=relation<head ..." (ROOT: the root's head). */
typedef struct Case {
    const char *tree, *arcs, *wanted;
} Case;

enum { WORDS_MOST = 40 };

static void check_case(const Case *c)
{
    const char *types[WORDS_MOST];
    int heads[WORDS_MOST], n = 0;
    MADE(Treebank, treebank_init, treebank_fini, tb);
    StrView text = { c->tree, strlen(c->tree) };
    assert_ok(bracket_read(&tb, text_block(text, "case"), (BracketOptions){ 0 }, test_error()));
    char *copy = arena_strndup(test_arena(), c->arcs, strlen(c->arcs));
    for (char *item = strtok(copy, " "); item; item = strtok(NULL, " "), n++) {
        char *slash = strchr(item, '/');
        heads[n] = atoi(item);
        types[n] = slash + 1;
    }
    Sentence s = tb.s[0];
    UdSentence ud;
    assert_int_equal(n, s.n_words);
    s.heads = heads;
    s.types = types;
    assert_true(ud_convert(&s, true, test_arena(), &ud));
    FREED(strbuf_fini) StrBuf found = { 0 };
    strbuf_puts(&found, " ");
    for (int w = 0; w < n; w++)
        strbuf_printf(&found, "%s=%s<%s ", s.words[w], ud.relations[w],
                      ud.heads[w] ? s.words[ud.heads[w] - 1] : "ROOT");
    char *wanted = arena_strndup(test_arena(), c->wanted, strlen(c->wanted));
    for (char *item = strtok(wanted, " "); item; item = strtok(NULL, " ")) {
        FREED(strbuf_fini) StrBuf with = { 0 };
        strbuf_printf(&with, " %s ", item);
        if (!strstr(found.ptr, with.ptr)) fail_msg("%s\nexpected %s\nfound   %s", c->tree, item, found.ptr);
    }
}

#define CHECK(...)                                                                       \
    do {                                                                                 \
        static const Case cases[] = { __VA_ARGS__ };                                     \
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_case(&cases[k]); \
    } while (0)

TEST(clausal_subjects)
{
    CHECK({ "(S (SBAR (IN That) (S (NP (PRP he)) (VP (VBD lied)))) (VP (VBD hurt) (NP (PRP us))) (. .))",
            "3/mark 3/nsubj 4/advcl 0/root 4/dobj 4/punct", "lied=csubj<hurt" },
          { "(S (SBAR (IN Whether) (S (NP (PRP it)) (VP (VBZ rains)))) (VP (VBZ makes) (NP (DT no) (NN "
            "difference))) (. .))",
            "3/mark 3/nsubj 4/advcl 0/root 6/det 4/dobj 4/punct", "rains=csubj<makes" },
          { "(S (SBAR (WHADVP (WRB How)) (S (NP (PRP they)) (VP (VBD got) (PP (IN in))))) (VP (VBZ is) "
            "(ADJP (JJ unknown))) (. .))",
            "3/advmod 3/nsubj 6/advcl 3/prep 6/cop 0/root 6/punct", "got=csubj<unknown" },
          { "(S (SBAR (IN For) (S (NP (PRP her)) (VP (TO to) (VP (VB win))))) (VP (MD would) (VP (VB be) "
            "(NP (DT a) (NN surprise)))) (. .))",
            "4/mark 4/nsubj 4/aux 8/csubj 8/aux 8/cop 8/det 0/root 8/punct", "win=csubj<surprise" },
          { "(S (S (VP (TO To) (VP (VB read) (NP (DT every) (NN page))))) (VP (VBZ takes) (NP (DT a) (NN "
            "week))) (. .))",
            "2/aux 5/advcl 4/det 2/dobj 0/root 7/det 5/tmod 5/punct", "read=csubj<takes" },
          { "(S (S (VP (VBG Painting) (NP (DT the) (NN fence)))) (VP (VBD took) (NP (DT all) (NN day))) "
            "(. .))",
            "4/csubj 3/det 1/dobj 0/root 6/det 4/tmod 4/punct", "Painting=csubj<took" },
          { "(S (SBAR (WHADVP (WRB Why)) (S (NP (PRP they)) (VP (VBD sold) (NP (PRP it))))) (VP (VBZ "
            "remains) (NP (DT a) (NN secret))) (. .))",
            "3/advmod 3/nsubj 7/advcl 3/dobj 7/cop 7/det 0/root 7/punct", "sold=csubj<remains" },
          { "(S (SBAR (IN That) (S (NP (PRP they)) (VP (VBD knew)))) (VP (VBD was) (VP (VBN denied))) (. "
            ".))",
            "3/mark 3/nsubj 5/advcl 5/auxpass 0/root 5/punct", "knew=csubj:pass<denied" },
          { "(S (SBAR (WHADVP (WRB Where)) (S (NP (PRP she)) (VP (VBZ lives)))) (VP (VBZ is) (RB not) "
            "(VP (VBN known))) (. .))",
            "3/advmod 3/nsubj 6/advcl 6/auxpass 6/neg 0/root 6/punct", "lives=csubj:pass<known" },
          { "(S (SBAR (WHNP (WP What)) (S (NP (PRP you)) (VP (VBP wear)))) (VP (VBZ does) (RB not) (VP "
            "(VB matter))) (. .))",
            "3/dobj 3/nsubj 6/advcl 6/aux 6/neg 0/root 6/punct", "wear=csubj<matter" },
          { "(S (SBAR (WHNP (WP What)) (S (NP (PRP he)) (VP (VBD sang)))) (VP (VBD pleased) (NP (DT the) "
            "(NN crowd))) (. .))",
            "3/dobj 3/nsubj 4/advcl 0/root 6/det 4/dobj 4/punct", "What=nsubj<pleased sang=acl:relcl<What" },
          { "(S (JJ Good) (S (VP (TO to) (VP (VB hear) (NP (PRP$ your) (NN voice))))) (. .))",
            "0/root 3/aux 1/xcomp 5/poss 3/dobj 1/punct", "hear=csubj<Good" },
          { "(S (JJ Nice) (S (VP (TO to) (VP (VB meet) (NP (PRP you))))) (. .))", "0/root 3/aux 1/xcomp 3/dobj 1/punct",
            "meet=csubj<Nice" },
          { "(ADJP (ADJP (JJ Happy) (S (VP (TO to) (VP (VB help))))) (. .))", "0/root 3/aux 1/xcomp 1/punct",
            "help=xcomp<Happy" },
          { "(S (SBAR (IN If) (S (NP (PRP you)) (VP (VBP like) (NP (PRP it))))) (, ,) (VP (VB buy) (NP "
            "(PRP it))) (. .))",
            "3/mark 3/nsubj 6/advcl 3/dobj 6/punct 0/root 6/dobj 6/punct", "like=advcl<buy" });
}

TEST(addressees)
{
    CHECK({ "(S (VP (VB Sit) (PRT (RP down)) (, ,) (NP (NNP Mrs.) (NNP Reed))) (. .))",
            "0/root 1/prt 1/punct 5/nn 1/dobj 1/punct", "Reed=vocative<Sit" },
          { "(S (NP (NNP Anna)) (, ,) (INTJ (UH please)) (VP (VB open) (NP (DT the) (NN window))) (. .))",
            "4/dep 4/punct 4/discourse 0/root 6/det 4/dobj 4/punct", "Anna=vocative<open" },
          { "(S (NP (NNP Tom)) (, ,) (NP (DT the) (NN bus)) (VP (VBZ is) (ADVP (RB here))) (. .))",
            "5/nsubj 5/punct 4/det 5/nsubj 0/root 5/advmod 5/punct", "Tom=vocative<here" },
          { "(S (NP (PRP I)) (VP (VBD told) (NP (PRP you)) (ADVP (RB already)) (, ,) (NP (NNP Peter))) "
            "(. .))",
            "2/nsubj 0/root 2/dobj 2/advmod 2/punct 2/dep 2/punct", "Peter=vocative<told" },
          { "(S (VP (VBP Thank) (NP (PRP you)) (, ,) (NP (NNP Mr.) (NNP Chairman))) (. .))",
            "0/root 1/dobj 1/punct 5/nn 1/dobj 1/punct", "Chairman=vocative<Thank" },
          { "(S (VP (VBP Thank) (NP (PRP you) (NNS guys))) (. .))", "0/root 1/dobj 2/appos 1/punct",
            "guys=vocative<Thank" },
          { "(FRAG (INTJ (UH Hello)) (, ,) (NP (NNP Martha)) (. !))", "0/root 1/punct 1/dep 1/punct",
            "Martha=vocative<Hello" },
          { "(FRAG (INTJ (JJ Good) (NN evening)) (, ,) (NP (NNP Mr.) (NNP Lowe)) (. .))",
            "5/discourse 1/dep 5/punct 5/nn 0/root 5/punct", "Lowe=vocative<evening" },
          { "(S (VP (VB Listen) (PP (IN to) (NP (PRP me))) (, ,) (NP (PRP$ my) (NNS friends))) (. .))",
            "0/root 1/prep 2/pobj 1/punct 6/poss 1/dobj 1/punct", "friends=vocative<Listen" },
          { "(S (NP (PRP I)) (VP (VBP ask) (NP (PRP you)) (, ,) (NP (NNP Madam) (NNP Speaker)) (, ,) (S "
            "(VP (TO to) (VP (VB resign))))) (. .))",
            "2/nsubj 0/root 2/dobj 2/punct 6/nn 2/dobj 2/punct 9/aux 2/xcomp 2/punct", "Speaker=vocative<ask" },
          { "(SBARQ (WHNP (WP What)) (SQ (VBP do) (NP (PRP you)) (VP (VB want) (, ,) (NP (NN sir)))) (. "
            "?))",
            "4/dobj 4/aux 4/nsubj 0/root 4/punct 4/dobj 4/punct", "sir=vocative<want" },
          { "(S (NP (NN Mom)) (NP (PRP I)) (VP (VBP am) (ADJP (JJ hungry))) (. .))",
            "4/nsubj 4/nsubj 4/cop 0/root 4/punct", "Mom=vocative<hungry" },
          { "(S (NP (PRP We)) (VP (VBD met) (NP (NP (PRP$ my) (NN brother)) (, ,) (NP (NNP Tom)))) (. .))",
            "2/nsubj 0/root 4/poss 2/dobj 4/punct 4/appos 2/punct", "Tom=appos<brother" },
          { "(S (NP (PRP She)) (VP (VBZ lives) (PP (IN in) (NP (NP (NNP Rome)) (, ,) (NP (NNP Italy))))) "
            "(. .))",
            "2/nsubj 0/root 2/prep 3/pobj 4/punct 4/appos 2/punct", "Italy=nmod:unmarked<Rome" },
          { "(S (NP (NNP God)) (, ,) (NP (PRP I)) (VP (VBP hate) (NP (DT this) (NN place))) (. .))",
            "4/nsubj 4/punct 4/nsubj 0/root 6/det 4/dobj 4/punct", "God=discourse<hate" });
}

TEST(comments_clefts_and_free_relatives)
{
    CHECK({ "(S (NP (PRP He)) (VP (VBD left) (ADVP (RB early)) (, ,) (SBAR (WHNP (WDT which)) (S (VP "
            "(VBD surprised) (NP (NN everyone)))))) (. .))",
            "2/nsubj 0/root 2/advmod 2/punct 6/nsubj 2/ccomp 6/dobj 2/punct", "surprised=advcl:relcl<left" },
          { "(S (NP (DT The) (NN train)) (VP (VBD was) (ADJP (JJ late)) (, ,) (SBAR (WHNP (WDT which)) "
            "(S (VP (VBD annoyed) (NP (PRP us)))))) (. .))",
            "2/det 4/nsubj 4/cop 0/root 4/punct 7/nsubj 4/ccomp 7/dobj 4/punct", "annoyed=advcl:relcl<late" },
          { "(S (NP (PRP It)) (VP (VBD was) (NP (NP (NNP John)) (SBAR (WHNP (WP who)) (S (VP (VBD broke) "
            "(NP (DT the) (NN window))))))) (. .))",
            "3/nsubj 3/cop 0/root 5/nsubj 3/rcmod 7/det 5/dobj 3/punct", "broke=advcl:relcl<John It=expl<John" },
          { "(S (NP (PRP It)) (VP (VBD was) (PP (IN in) (NP (NNP Paris))) (SBAR (IN that) (S (NP (PRP "
            "they)) (VP (VBD met))))) (. .))",
            "2/nsubj 0/root 2/prep 3/pobj 7/mark 7/nsubj 2/ccomp 2/punct", "met=advcl:relcl<Paris It=expl<Paris" },
          { "(S (NP (PRP It)) (VP (VBZ is) (NP (NP (DT this) (NN book)) (SBAR (WHNP (WDT that)) (S (NP "
            "(PRP I)) (VP (VBP want)))))) (. .))",
            "4/nsubj 4/cop 4/det 0/root 7/dobj 7/nsubj 4/rcmod 4/punct", "want=advcl:relcl<book" },
          { "(S (VP (VB Sit) (SBAR (WHADVP (WRB wherever)) (S (NP (PRP you)) (VP (VBP like))))) (. .))",
            "0/root 4/advmod 4/nsubj 1/advcl 1/punct", "wherever=advmod<Sit like=advcl:relcl<wherever" },
          { "(S (SBAR (WHADVP (WRB Whenever)) (S (NP (PRP he)) (VP (VBZ sings)))) (, ,) (NP (PRP we)) "
            "(VP (VBP leave)) (. .))",
            "3/advmod 3/nsubj 6/advcl 6/punct 6/nsubj 0/root 6/punct",
            "Whenever=advmod<leave sings=advcl:relcl<Whenever" },
          { "(S (NP (DT This)) (VP (VBZ is) (SBAR (WHADVP (WRB where)) (S (NP (PRP I)) (VP (VBP "
            "work))))) (. .))",
            "2/nsubj 0/root 5/advmod 5/nsubj 2/ccomp 2/punct", "where=root<ROOT work=advcl:relcl<where" },
          { "(S (NP (DT The) (NN question)) (VP (VBZ is) (SBAR (WHADVP (WRB how)) (S (NP (PRP they)) (VP "
            "(VBD found) (NP (PRP it)))))) (. .))",
            "2/det 3/nsubj 0/root 6/advmod 6/nsubj 3/ccomp 6/dobj 3/punct", "found=root<ROOT" },
          { "(S (NP (PRP He)) (VP (VBD bought) (NP (NP (DT a) (NN car)) (, ,) (SBAR (WHNP (WDT which)) "
            "(S (VP (VBD was) (ADJP (JJ red))))))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 4/punct 8/nsubj 8/cop 4/rcmod 2/punct", "red=acl:relcl<car" },
          { "(S (NP (DT That)) (VP (VBZ is) (NP (NP (DT the) (JJS best)) (SBAR (S (NP (PRP I)) (VP (MD "
            "can) (VP (VB do))))))) (. .))",
            "4/nsubj 4/cop 4/det 0/root 7/nsubj 7/aux 4/rcmod 4/punct", "do=acl:relcl<best" });
}

TEST(measures_and_predicates)
{
    CHECK({ "(S (NP (PRP She)) (VP (VBZ waters) (NP (DT the) (NNS plants)) (NP (NP (CD three) (NNS "
            "times)) (NP (DT a) (NN week)))) (. .))",
            "2/nsubj 0/root 4/det 2/iobj 6/num 2/dobj 8/det 6/tmod 2/punct",
            "plants=obj<waters times=obl:unmarked<waters" },
          { "(S (NP (PRP We)) (VP (VBD talked) (NP (CD four) (NNS hours))) (. .))",
            "2/nsubj 0/root 4/num 2/dobj 2/punct", "hours=obl:unmarked<talked" },
          { "(S (NP (PRP He)) (VP (VBD pushed) (NP (DT the) (NN cart)) (NP (DT the) (JJ whole) (NN "
            "way))) (. .))",
            "2/nsubj 0/root 4/det 2/iobj 7/det 7/amod 2/dobj 2/punct", "cart=obj<pushed way=obl:unmarked<pushed" },
          { "(S (NP (PRP They)) (VP (VBP visit) (NP (PRP us)) (NP (DT every) (NN summer))) (. .))",
            "2/nsubj 0/root 2/iobj 5/det 2/tmod 2/punct", "us=obj<visit summer=obl:unmarked<visit" },
          { "(S (NP (PRP She)) (VP (VBD spent) (NP (CD two) (NNS hours)) (ADVP (RB there))) (. .))",
            "2/nsubj 0/root 4/num 2/dobj 2/advmod 2/punct", "hours=obj<spent" },
          { "(S (NP (PRP He)) (VP (VBD was) (VP (VBN elected) (NP (NN mayor)))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 3/xcomp 3/punct", "mayor=xcomp<elected" },
          { "(S (NP (PRP She)) (VP (VBD told) (NP (NNS reporters)) (SBAR (IN that) (S (NP (PRP it)) (VP "
            "(VBD was) (ADVP (RB over)))))) (. .))",
            "2/nsubj 0/root 2/dobj 6/mark 6/nsubj 2/ccomp 6/advmod 2/punct", "reporters=iobj<told" },
          { "(S (NP (PRP He)) (VP (VBD fixed) (NP (PRP it)) (NP (PRP himself))) (. .))",
            "2/nsubj 0/root 2/iobj 2/dobj 2/punct", "it=obj<fixed himself=obl:unmarked<fixed" },
          { "(S (VP (VB Make) (S (NP (NP (DT the) (NN room)) (VP (VBN used) (PP (IN by) (NP (NNS "
            "guests))))) (ADJP (JJR larger)))) (. .))",
            "0/root 3/det 7/nsubj 3/partmod 4/prep 5/pobj 1/xcomp 1/punct", "larger=xcomp<Make room=obj<Make" });
}

TEST(clauses_and_nominals)
{
    CHECK({ "(S (NP (PRP It)) (VP (VBZ is) (VP (VBN thought) (SBAR (IN that) (S (NP (DT the) (NN ship)) "
            "(VP (VBD sank)))))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 7/mark 6/det 7/nsubj 3/ccomp 3/punct",
            "It=expl<thought sank=csubj:pass<thought" },
          { "(S (NP (PRP It)) (VP (VBD was) (VP (VBN agreed) (S (VP (TO to) (VP (VB stop)))))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 5/aux 3/xcomp 3/punct", "It=expl<agreed stop=csubj:pass<agreed" },
          { "(S (NP (EX There)) (VP (VBZ seems) (S (VP (TO to) (VP (VB be) (NP (DT a) (NN mistake)))))) "
            "(. .))",
            "2/expl 0/root 6/aux 6/cop 6/det 2/xcomp 2/punct", "There=expl<seems be=xcomp<seems mistake=nsubj<be" },
          { "(S (NP (NP (PRP It))) (VP (VBD was) (ADJP (ADJP (RB so) (JJ cold)) (SBAR (IN that) (S (NP "
            "(DT the) (NN lake)) (VP (VBD froze)))))) (. .))",
            "4/nsubj 4/cop 4/advmod 0/root 8/mark 7/det 8/nsubj 4/ccomp 4/punct", "froze=advcl<cold" },
          { "(S (NP (PRP She)) (VP (VBD sang) (ADVP (RB so) (RB badly)) (SBAR (IN that) (S (NP (NNS "
            "people)) (VP (VBD left))))) (. .))",
            "2/nsubj 0/root 4/advmod 2/advmod 7/mark 7/nsubj 2/ccomp 2/punct", "left=advcl<badly" },
          { "(S (NP (PRP I)) (VP (VBP need) (NP (DT a) (JJ new) (NN phone)) (SQ (MD could) (NP (PRP "
            "you)) (VP (VB send) (NP (PRP it)) (NP (NN today))))))",
            "2/nsubj 0/root 5/det 5/amod 2/dobj 8/aux 8/nsubj 2/ccomp 8/iobj 8/tmod", "send=parataxis<need" },
          { "(SQ (VBZ Is) (VP (VP (VBG being) (ADJP (JJ poor))) (VP (VBN considered) (NP (DT a) (NN "
            "crime)))) (. ?))",
            "4/aux 3/cop 4/advcl 0/root 6/det 4/xcomp 4/punct", "poor=csubj:pass<considered" },
          { "(SBARQ (WHNP (WP What)) (SQ (VBZ is) (VP (VBG being) (ADJP (ADJP (RB very) (JJ tired)) (VP "
            "(VBN called))))) (. ?))",
            "6/nsubjpass 6/aux 6/auxpass 5/advmod 6/dep 0/root 6/punct", "tired=csubj:pass<called What=obj<called" },
          { "(S (NP (PRP We)) (VP (VBD waited) (NP (QP (CD 20) (IN to) (CD 30)) (NNS minutes))) (. .))",
            "2/nsubj 0/root 5/number 5/quantmod 6/num 2/dobj 2/punct", "20=nummod<minutes 30=nmod<20 to=case<30" },
          { "(S (NP (DT The) (NN song)) (VP (VBD was) (VP (VBN sung) (PP (IN by) (NP (NNP Ann) (NNP "
            "Lee))))) (. .))",
            "2/det 4/nsubjpass 4/auxpass 0/root 4/prep 7/nn 5/pobj 4/punct", "Ann=obl:agent<sung" },
          { "(S (NP (DT The) (NN letter)) (VP (VBD was) (VP (VBN written) (PP (IN by) (NP (NN hand))) "
            "(PP (IN by) (NP (PRP$ my) (NN aunt))))) (. .))",
            "2/det 4/nsubjpass 4/auxpass 0/root 4/prep 5/pobj 4/prep 9/poss 7/pobj 4/punct",
            "hand=obl<written aunt=obl:agent<written" },
          { "(S (NP (PRP He)) (VP (VBD sat) (PP (IN by) (NP (DT the) (NN fire)))) (. .))",
            "2/nsubj 0/root 2/prep 5/det 3/pobj 2/punct", "fire=obl<sat" },
          { "(S (NP (PRP you)) (VP (VBP r) (ADJP (JJ late))))", "3/nsubj 3/cop 0/root", "r=cop<late" },
          { "(S (NP (PRP$ His) (NN friend) (NNP Mark) (NNP Hill)) (VP (VBD called)) (. .))",
            "2/poss 5/nsubj 4/nn 2/dep 0/root 5/punct", "friend=nsubj<called Mark=appos<friend" },
          { "(S (NP (NN Actor) (NNP Paul) (NNP Reed)) (VP (VBD smiled)) (. .))", "3/nn 3/nn 4/nsubj 0/root 4/punct",
            "Actor=nmod:desc<Paul" },
          { "(S (NP (NP (PRP$ Her) (NN son)) (, ,) (NP (CD 14)) (, ,)) (VP (VBZ plays) (NP (NN chess))) "
            "(. .))",
            "2/poss 6/nsubj 2/punct 2/appos 2/punct 0/root 6/dobj 6/punct", "14=amod<son" },
          { "(S (NP (PRP He)) (NP (PRP he)) (VP (VBD left)) (. .))", "3/nsubj 3/nsubj 0/root 3/punct",
            "He=reparandum<he" },
          { "(S (NP (NP (PRP They)) (DT all)) (VP (VBD laughed)) (. .))", "3/nsubj 1/det 0/root 3/punct",
            "They=nsubj<laughed all=det<They" });
}

TEST(clauses_as_subjects)
{
    CHECK({ "(S (NP (PRP They)) (VP (VBP say) (S (VP (VBG adding) (NP (NN salt)))) (VP (VBZ helps))) (. .))",
            "2/nsubj 0/root 2/xcomp 3/dobj 2/ccomp 2/punct", "adding=csubj<helps helps=ccomp<say" },
          { "(S (NP (PRP She)) (VP (VBZ thinks) (S (VP (VBG living) (ADVP (RB here)))) (VP (VBZ makes) (S (NP (PRP "
            "him)) (ADJP (JJ happy))))) (. .))",
            "2/nsubj 0/root 2/xcomp 3/advmod 2/ccomp 7/nsubj 5/acomp 2/punct", "living=csubj<makes" },
          { "(S (NP (PRP I)) (VP (VBP guess) (SBAR (S (S (VP (VBG waiting) (ADVP (RBR longer)))) (VP (MD would) (VP "
            "(VB be) (ADJP (JJR better))))))) (. .))",
            "2/nsubj 0/root 7/csubj 3/advmod 7/aux 7/cop 2/ccomp 2/punct", "waiting=csubj<better" },
          { "(S (NP (PRP We)) (VP (VBP know) (S (VP (VBG using) (NP (DT both)))) (VP (VBD was) (ADJP (JJ wrong)))) (. "
            ".))",
            "2/nsubj 0/root 2/xcomp 3/dobj 6/cop 2/ccomp 2/punct", "using=csubj<wrong" },
          { "(S (NP (NP (NNP Ann)) (VP (VBG moving) (ADVP (RP out)))) (VP (VBZ has) (VP (VBN been) (ADJP (JJ hard)) "
            "(PP (IN for) (NP (PRP him))))) (. .))",
            "2/nsubj 6/csubj 2/advmod 6/aux 6/cop 0/root 6/prep 7/pobj 6/punct", "moving=csubj<hard Ann=nsubj<moving" },
          { "(S (NP (NP (NNP Peter)) (VP (VBG leaving) (ADVP (RB early)))) (VP (VBD was) (NP (DT a) (NN surprise))) (. "
            ".))",
            "2/nsubj 6/csubj 2/advmod 6/cop 6/det 0/root 6/punct", "leaving=csubj<surprise" },
          { "(S (NP (JJS Best)) (VP (VBZ is) (VP (VBG using) (NP (DT a) (NN map)))) (. .))",
            "3/nsubj 3/aux 0/root 5/det 3/dobj 3/punct", "Best=root<ROOT using=csubj<Best" },
          { "(S (NP (JJS Easiest)) (VP (VBZ is) (S (VP (TO to) (VP (VB call) (NP (PRP them)))))) (. .))",
            "2/nsubj 0/root 4/aux 2/xcomp 4/dobj 2/punct", "call=csubj<Easiest" },
          { "(S (NP (PRP You)) (VP (VBP know) (SBAR (WHADVP (WRB how) (RB hard)) (S (NP (PRP it)) (VP (VBZ is) (S (VP "
            "(TO to) (VP (VB find) (NP (NN work))))))))) (. .))",
            "2/nsubj 0/root 4/advmod 6/advmod 6/nsubj 2/ccomp 8/aux 6/xcomp 8/dobj 2/punct",
            "find=csubj<hard hard=ccomp<know it=expl<hard" },
          { "(S (NP (PRP I)) (VP (VBD forgot) (SBAR (WHADJP (WRB how) (JJ nice)) (S (NP (PRP it)) (VP (VBD was) (S (VP "
            "(TO to) (VP (VB swim)))))))) (. .))",
            "2/nsubj 0/root 4/advmod 6/dep 6/nsubj 2/ccomp 8/aux 6/xcomp 2/punct", "swim=csubj<nice" },
          { "(S (NP (NP (PRP It))) (VP (VBD made) (S (NP (PRP me)) (ADJP (JJ happy)) (S (VP (TO to) (VP (VB see) (NP "
            "(PRP you)) (ADVP (RB again))))))) (. .))",
            "2/nsubj 0/root 4/nsubj 2/acomp 6/aux 4/xcomp 6/dobj 6/advmod 2/punct", "see=csubj<made It=expl<made" },
          { "(S (NP (NP (PRP It))) (VP (VBZ makes) (S (NP (PRP her)) (ADJP (JJ sad))) (S (VP (TO to) (VP (VB leave) "
            "(NP (PRP them)))))) (. .))",
            "2/nsubj 0/root 4/nsubj 2/acomp 6/aux 2/xcomp 6/dobj 2/punct", "leave=csubj<makes It=expl<makes" },
          { "(S (NP (NP (PRP It))) (VP (VBD made) (S (NP (PRP me)) (VP (VB feel) (ADJP (JJ good)) (S (VP (TO to) (VP "
            "(VB help) (NP (PRP them)))))))) (. .))",
            "2/nsubj 0/root 4/nsubj 2/ccomp 4/acomp 7/aux 4/xcomp 7/dobj 2/punct", "help=csubj<made" },
          { "(S (NP (NP (PRP It))) (VP (VBD was) (NP (DT a) (NN pleasure)) (S (VP (TO to) (VP (VB meet) (NP (PRP$ "
            "your) (NNS parents)))))) (. .))",
            "4/nsubj 4/cop 4/det 0/root 6/aux 4/infmod 8/poss 6/dobj 4/punct", "meet=csubj<pleasure It=expl<pleasure" },
          { "(S (NP (NP (PRP It))) (VP (VBZ is) (NP (PRP$ our) (NN job)) (S (VP (TO to) (VP (VB clean) (NP (DT the) "
            "(NN kitchen)))))) (. .))",
            "4/nsubj 4/cop 4/poss 0/root 6/aux 4/infmod 8/det 6/dobj 4/punct", "clean=csubj<job It=expl<job" },
          { "(SBARQ (WHNP (WDT What) (DT a) (NN joy)) (S (VP (TO to) (VP (VB hear) (PP (IN from) (NP (PRP you)))))) (. "
            "!))",
            "3/det 3/det 0/root 5/aux 3/infmod 5/prep 6/pobj 3/punct", "hear=csubj<joy" },
          { "(NP (NP (WDT What) (DT a) (NN shame)) (S (VP (TO to) (VP (VB lose) (NP (DT the) (NN game))))) (. .))",
            "3/det 3/det 0/root 5/aux 3/infmod 7/det 5/dobj 3/punct", "lose=csubj<shame" },
          { "(S (S (VP (VBN Attached))) (INTJ (UH please)) (VP (VB find) (NP (DT the) (NN contract))) (. .))",
            "3/partmod 3/discourse 0/root 5/det 3/dobj 3/punct", "Attached=csubj<find find=root<ROOT" },
          { "(S (S (VP (VBN Enclosed))) (INTJ (UH please)) (VP (VB find) (NP (DT a) (NN check))) (. .))",
            "3/partmod 3/discourse 0/root 5/det 3/dobj 3/punct", "Enclosed=csubj<find" },
          { "(SQ (VBZ Does) (NP (PRP it)) (VP (VB make) (NP (NP (NN sense)) (S (VP (TO to) (VP (VB wait)))))) (. ?))",
            "3/aux 3/nsubj 0/root 3/dobj 6/aux 4/infmod 3/punct", "wait=csubj<make it=expl<make" },
          { "(S (NP (PRP It)) (VP (VBZ makes) (NP (NP (DT no) (NN sense)) (S (VP (TO to) (VP (VB sell) (ADVP (RB "
            "now))))))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 6/aux 4/infmod 6/advmod 2/punct", "sell=csubj<makes It=expl<makes" },
          { "(S (NP (PRP It)) (VP (VBZ does) (RB n't) (VP (VB matter) (SBAR (WHADVP (WRB how)) (S (NP (PRP you)) (VP "
            "(VBP do) (NP (DT that))))))) (. .))",
            "4/nsubj 4/aux 4/neg 0/root 7/advmod 7/nsubj 4/ccomp 7/dobj 4/punct", "do=csubj<matter It=expl<matter" },
          { "(S (NP (NP (PRP It))) (VP (VBZ bothers) (NP (PRP me)) (SBAR (IN that) (S (NP (PRP they)) (VP (VBD "
            "lied))))) (. .))",
            "2/nsubj 0/root 2/dobj 6/mark 6/nsubj 2/ccomp 2/punct", "lied=csubj<bothers It=expl<bothers" },
          { "(S (NP (PRP It)) (VP (VBZ follows) (SBAR (IN that) (S (NP (DT the) (NN answer)) (VP (VBD was) (ADJP (JJ "
            "wrong)))))) (. .))",
            "2/nsubj 0/root 7/mark 5/det 7/nsubj 7/cop 2/ccomp 2/punct", "wrong=csubj<follows It=expl<follows" },
          { "(S (NP (PRP It)) (VP (VBZ appears) (SBAR (IN that) (S (NP (PRP you)) (VP (VBD missed) (NP (DT a) (NN "
            "page)))))) (. .))",
            "2/nsubj 0/root 5/mark 5/nsubj 2/ccomp 7/det 5/dobj 2/punct", "missed=csubj<appears It=expl<appears" },
          { "(S (ADJP (JJ Funny)) (SBAR (WHADVP (WRB how)) (S (NP (NNS things)) (VP (VBP change)))) (. .))",
            "0/root 4/advmod 4/nsubj 1/dep 1/punct", "change=csubj<Funny" },
          { "(S (ADJP (RB Too) (JJ bad)) (SBAR (S (NP (PRP you)) (VP (MD ca) (RB n't) (VP (VB come))))) (. .))",
            "2/advmod 0/root 6/nsubj 6/aux 6/neg 2/ccomp 2/punct", "come=csubj<bad" },
          { "(S (NP (NP (PRP It))) (VP (VBZ remains) (S (VP (TO to) (VP (VB be) (VP (VBN seen) (SBAR (IN whether) (S "
            "(NP (PRP he)) (VP (MD will) (VP (VB win)))))))))) (. .))",
            "2/nsubj 0/root 5/aux 5/auxpass 2/xcomp 9/mark 9/nsubj 9/aux 5/ccomp 2/punct", "win=csubj<remains" },
          { "(S (NP (VBG Winning)) (VP (VBZ makes) (S (NP (PRP them)) (ADJP (JJ happy)))) (. .))",
            "2/nsubj 0/root 4/nsubj 2/acomp 2/punct", "Winning=csubj<makes" },
          { "(S (NP (VBG Seeing)) (VP (VBZ is) (VP (VBG believing))) (. .))", "3/nsubj 3/aux 0/root 3/punct",
            "Seeing=csubj<believing" },
          { "(S (NP (DT The) (NN offer)) (VP (VBD was) (ADJP (RB just) (RB too) (JJ good) (S (VP (TO to) (VP (VB "
            "refuse)))))) (. .))",
            "2/det 6/nsubj 6/cop 6/advmod 6/advmod 0/root 8/aux 6/xcomp 6/punct", "refuse=advcl<good" },
          { "(S (NP (PRP It)) (VP (VBD was) (NP (DT a) (JJ good) (NN chance)) (SBAR (IN for) (S (NP (PRP me)) (VP (TO "
            "to) (VP (VB learn)))))) (. .))",
            "5/nsubj 5/cop 5/det 5/amod 0/root 9/mark 9/nsubj 9/aux 5/ccomp 5/punct", "learn=acl<chance" },
          { "(S (NP (PRP He)) (VP (VBD was) (UCP (ADVP (RB there)) (CC and) (ADJP (JJ quick) (S (VP (TO to) (VP (VB "
            "help))))))) (. .))",
            "2/nsubj 0/root 2/advmod 3/cc 3/conj 7/aux 5/xcomp 2/punct", "help=advcl<quick" },
          { "(S (NP (NP (PRP It))) (VP (VBD became) (ADJP (JJ clear) (PP (IN to) (NP (PRP me)))) (SBAR (IN that) (S "
            "(NP (DT the) (NN plan)) (VP (VBD had) (VP (VBN failed)))))) (. .))",
            "3/nsubj 3/cop 0/root 3/prep 4/pobj 10/mark 8/det 10/nsubj 10/aux 3/ccomp 3/punct",
            "failed=csubj<became It=expl<became" },
          { "(S (NP (NP (PRP It))) (VP (VBZ seems) (ADJP (JJ clear) (PP (IN to) (NP (PRP me)))) (SBAR (IN that) (S (NP "
            "(PRP he)) (VP (VBZ is) (ADJP (JJ right)))))) (. .))",
            "3/nsubj 3/cop 0/root 3/prep 4/pobj 9/mark 9/nsubj 9/cop 3/ccomp 3/punct", "right=csubj<seems" });
}

TEST(clauses_that_comment)
{
    CHECK({ "(S (NP (PRP He)) (VP (VBD left) (ADVP (RB early)) (, ,) (SBAR (WHNP (WDT which)) (S (VP (VBD surprised) "
            "(NP (PRP us)))))) (. .))",
            "2/nsubj 0/root 2/advmod 2/punct 6/nsubj 2/ccomp 6/dobj 2/punct", "surprised=advcl:relcl<left" },
          { "(S (NP (PRP They)) (VP (VBD paid) (PRN (-LRB- -LRB-) (SBAR (WHNP (WDT which)) (S (NP (NN nobody)) (VP "
            "(VBD expected)))) (-RRB- -RRB-))) (. .))",
            "2/nsubj 0/root 6/punct 6/dobj 6/nsubj 2/ccomp 6/punct 2/punct", "expected=advcl:relcl<paid" },
          { "(S (NP (PRP We)) (VP (VBD visited) (NP (NP (DT the) (NNS gardens)) (SBAR (WHNP (WDT which)) (S (VP (VBD "
            "was) (ADJP (JJ wonderful))))))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 7/nsubj 7/cop 4/rcmod 2/punct", "wonderful=advcl:relcl<visited" },
          { "(S (NP (PRP We)) (VP (VBD saw) (NP (NP (DT the) (NNS mountains)) (, ,) (SBAR (WHNP (WDT which)) (S (VP "
            "(VBD was) (ADJP (JJ nice))))))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 4/punct 8/nsubj 8/cop 4/rcmod 2/punct", "nice=advcl:relcl<saw" },
          { "(S (NP (PRP She)) (VP (VBD moved) (ADVP (RB there)) (PP (IN in) (NP (NP (CD 2010)) (, ,) (SBAR (WHNP (WDT "
            "which)) (S (VP (VBD left) (NP (PRP him)) (ADVP (RB alone)))))))) (. .))",
            "2/nsubj 0/root 2/advmod 2/prep 4/pobj 5/punct 8/nsubj 5/rcmod 8/dobj 8/advmod 2/punct",
            "left=advcl:relcl<moved" },
          { "(S (NP (PRP They)) (VP (VBD retired) (NP (DT the) (NNS ships)) (PP (IN in) (NP (NP (CD 2012)) (, ,) (SBAR "
            "(WHNP (WDT which)) (S (ADVP (RB only)) (VP (VBZ leaves) (NP (PRP us)) (PP (IN with) (NP (CD two))))))))) "
            "(. .))",
            "2/nsubj 0/root 4/det 2/dobj 2/prep 5/pobj 6/punct 10/nsubj 10/advmod 6/rcmod 10/dobj 10/prep 12/pobj "
            "2/punct",
            "leaves=advcl:relcl<retired" },
          { "(S (NP (PRP I)) (VP (VBP know) (NP (NP (DT the) (NNS people)) (SBAR (WHNP (WDT which)) (S (VP (VBD were) "
            "(ADVP (RB there))))))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 6/nsubj 4/rcmod 6/advmod 2/punct", "there=acl:relcl<people" },
          { "(S (NP (PRP They)) (VP (VBD bought) (NP (NP (CD two) (NNS cars)) (, ,) (SBAR (WHNP (WDT which)) (S (VP "
            "(VBD were) (ADJP (JJ red))))))) (. .))",
            "2/nsubj 0/root 4/num 2/dobj 4/punct 8/nsubj 8/cop 4/rcmod 2/punct", "red=acl:relcl<cars" },
          { "(S (NP (NN Home)) (VP (VBZ is) (SBAR (WHADVP (WRB where)) (S (NP (DT the) (NN heart)) (VP (VBZ is))))) (. "
            ".))",
            "2/nsubj 0/root 6/advmod 5/det 6/nsubj 2/advcl 2/punct", "is=advcl:relcl<where where=root<ROOT" },
          { "(S (NP (PRP I)) (VP (VBD walked) (ADVP (RB home)) (PP (IN from) (SBAR (WHADVP (WRB where)) (S (NP (PRP "
            "he)) (VP (VBZ lives)))))) (. .))",
            "2/nsubj 0/root 2/advmod 2/prep 7/advmod 7/nsubj 4/pcomp 2/punct",
            "lives=advcl:relcl<where where=obl<walked" },
          { "(S (NP (PRP They)) (VP (VBD came) (ADVP (ADVP (RB back)) (PP (IN to) (SBAR (WHADVP (WRB where)) (S (NP "
            "(PRP they)) (VP (VBD started))))))) (. .))",
            "2/nsubj 0/root 2/advmod 3/prep 7/advmod 7/nsubj 4/pcomp 2/punct", "started=advcl:relcl<where" },
          { "(S (NP (PRP I)) (VP (VBD was) (ADVP (RB there)) (SBAR (WHADVP (WRB when)) (S (NP (PRP it)) (VP (VBD "
            "happened))))) (. .))",
            "2/nsubj 0/root 2/advmod 6/advmod 6/nsubj 2/advcl 2/punct", "happened=advcl<there" },
          { "(S (NP (PRP He)) (VP (VBD was) (ADVP (RB away)) (SBAR (WHADVP (WRB when)) (S (NP (PRP we)) (VP (VBD "
            "called))))) (. .))",
            "2/nsubj 0/root 2/advmod 6/advmod 6/nsubj 2/advcl 2/punct", "called=advcl<away" },
          { "(S (NP (PRP It)) (VP (VBD was) (NP (NP (NP (DT this) (NN kind)) (PP (IN of) (NP (NN work)))) (SBAR (WHNP "
            "(WDT that)) (S (VP (VBD made) (S (NP (PRP him)) (ADJP (JJ rich)))))))) (. .))",
            "4/nsubj 4/cop 4/det 0/root 4/prep 5/pobj 8/nsubj 4/rcmod 10/nsubj 8/xcomp 4/punct",
            "made=advcl:relcl<kind It=expl<kind" },
          { "(S (NP (PRP It)) (VP (VBZ is) (NP (NP (RB only) (DT the) (NN money)) (SBAR (WHNP (WDT that)) (S (VP (VBZ "
            "matters)))))) (. .))",
            "5/nsubj 5/cop 5/advmod 5/det 0/root 7/nsubj 5/rcmod 5/punct", "matters=advcl:relcl<money It=expl<money" },
          { "(S (NP (PRP It)) (VP (VBD was) (PP (IN in) (NP (NNP May))) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD "
            "left))))) (. .))",
            "2/nsubj 0/root 2/prep 3/pobj 7/mark 7/nsubj 2/ccomp 2/punct", "left=advcl:relcl<May It=expl<May" },
          { "(S (NP (PRP It)) (VP (VBD was) (NP (NP (NNP Ann)) (SBAR (WHNP (WP who)) (S (VP (VBD called)))))) (. .))",
            "3/nsubj 3/cop 0/root 5/nsubj 3/ccomp 3/punct", "called=advcl:relcl<Ann It=expl<Ann" });
}

TEST(words_said_again)
{
    CHECK(
        { "(S (NP (DT The) (DT the) (NN dog)) (VP (VBD barked)) (. .))", "3/det 3/det 4/nsubj 0/root 4/punct",
          "The=reparandum<the the=det<dog" },
        { "(S (NP (PRP He)) (VP (VBD drank) (NP (NP (DT a) (NN cup)) (PP (IN of) (PP (IN of) (NP (NN tea)))))) (. .))",
          "2/nsubj 0/root 4/det 2/dobj 4/prep 5/pcomp 6/pobj 2/punct", "of=reparandum<tea" },
        { "(S (NP (PRP I)) (: —) (NP (PRP I)) (VP (VBP think) (SBAR (S (NP (PRP he)) (VP (VBD left))))) (. .))",
          "4/nsubj 4/punct 4/nsubj 0/root 6/nsubj 4/ccomp 4/punct", "I=reparandum<I" },
        { "(S (S (NP (PRP We)) (VP (VBD wanted) (S (VP (TO to))))) (: —) (S (NP (PRP we)) (VP (VBD wanted) (S (VP (TO "
          "to) (VP (VB sleep)))))) (. .))",
          "2/nsubj 0/root 2/xcomp 2/punct 6/nsubj 2/parataxis 8/aux 6/xcomp 2/punct",
          "wanted=root<ROOT We=nsubj<wanted" },
        { "(S (NP (PRP He)) (INTJ (UH w-)) (VP (VBD went) (ADVP (RB home))) (. .))",
          "3/nsubj 3/discourse 0/root 3/advmod 3/punct", "w-=reparandum<went" },
        { "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (INTJ (UH th-)) (NP (DT the) (NN man)))) (. .))",
          "2/nsubj 0/root 6/det 6/dep 6/det 2/dobj 2/punct", "th-=reparandum<the" },
        { "(SQ (VBD Did) (NP (PRP you)) (: —) (SQ (VBD did) (NP (PRP you)) (VP (VB call) (NP (PRP them)))) (. ?))",
          "6/aux 6/nsubj 6/punct 6/aux 6/nsubj 0/root 6/dobj 6/punct", "Did=reparandum<call" },
        { "(S (NP (DT This)) (VP (VBZ is) (SBAR (S (NP (DT this)) (VP (VBZ is) (NP (PRP$ your) (NN house)))))) (. .))",
          "6/nsubj 6/cop 6/nsubj 6/cop 6/poss 0/root 6/punct", "is=reparandum<house" },
        { "(S (NP (PRP She)) (VP (VBD put) (NP (PRP it)) (PP (IN in) (NP (DT the))) (: —) (PP (IN in) (NP (DT the) (NN "
          "box)))) (. .))",
          "2/nsubj 0/root 2/dobj 2/prep 4/pobj 2/punct 2/prep 9/det 7/pobj 2/punct", "the=reparandum<box in=case<the" },
        { "(S (CC And) (CC and) (NP (PRP they)) (VP (VBD slept)) (. .))", "4/cc 4/cc 4/nsubj 0/root 4/punct",
          "And=reparandum<and" },
        { "(S (NP (PRP$ My) (PRP$ my) (NN brother)) (VP (VBZ sings)) (. .))", "3/poss 3/poss 4/nsubj 0/root 4/punct",
          "My=reparandum<my" },
        { "(SBARQ (WHNP (WHNP (WP What)) (: —) (WHNP (WP what))) (VBZ is) (NP (DT this)) (. ?))",
          "0/root 1/punct 1/dep 1/cop 1/nsubj 1/punct", "What=reparandum<what" },
        { "(S (NP (PRP I)) (VP (VBP do) (S (INTJ (UH n-)) (NP (PRP I)) (VP (VBP do) (RB not) (VP (VB know))))) (. .))",
          "2/nsubj 0/root 7/discourse 7/nsubj 7/aux 7/neg 2/ccomp 2/punct", "I=nsubj<do know=root<ROOT" },
        { "(S (NP (PRP They)) (VP (VBD ate) (INTJ (UH b-)) (NP (NN bread))) (. .))",
          "2/nsubj 0/root 2/prep 2/dobj 2/punct", "b-=reparandum<bread" },
        { "(S (NP (PRP It)) (VP (VBD was) (ADJP (RB very) (RB very) (JJ cold))) (. .))",
          "5/nsubj 5/cop 5/advmod 5/advmod 0/root 5/punct", "very=advmod<cold" },
        { "(S (S (NP (PRP I)) (VP (VBP know))) (, ,) (NP (PRP I)) (VP (VBP know)) (. .))",
          "2/nsubj 5/parataxis 5/punct 5/nsubj 0/root 5/punct", "know=root<ROOT" },
        { "(S (NP (PRP They)) (VP (VBD won) (ADVP (RB again) (CC and) (RB again) (CC and) (RB again))) (. .))",
          "2/nsubj 0/root 2/advmod 3/cc 3/conj 3/cc 3/conj 2/punct", "again=advmod<won" },
        { "(S (NP (PRP He)) (VP (VBD had) (VP (VBN had) (NP (JJ enough)))) (. .))",
          "3/nsubj 3/aux 0/root 3/dobj 3/punct", "had=aux<had" },
        { "(S (NP (PRP I)) (VP (VBD gave) (NP (PRP her)) (NP (PRP$ her) (NN book))) (. .))",
          "2/nsubj 0/root 2/iobj 5/poss 2/dobj 2/punct", "her=iobj<gave" },
        { "(S (NP (PRP They)) (VP (VBD sold) (NP (ADJP (JJ pre-) (CC and) (JJ post-war)) (NNS houses))) (. .))",
          "2/nsubj 0/root 6/amod 3/cc 3/conj 2/dobj 2/punct", "houses=obj<sold" });
}

TEST(words_in_pieces)
{
    CHECK({ "(S (NP (PRP I)) (VP (VBD went) (PP (IN with)) (PP (IN out) (NP (PRP him)))) (. .))",
            "2/nsubj 0/root 2/prep 2/prep 4/pobj 2/punct", "with=case<him out=goeswith<with" },
          { "(S (NP (PRP She)) (VP (VBD did) (NP (PRP it)) (NP (PRP$ my) (NP (PRP self)))) (. .))",
            "2/nsubj 0/root 2/iobj 5/poss 2/dobj 2/punct", "self=goeswith<my" },
          { "(S (NP (PRP We)) (VP (VBD looked) (NP (DT every)) (SBAR (WRB where))) (. .))",
            "2/nsubj 0/root 2/dobj 2/advmod 2/punct", "every=advmod<looked where=goeswith<every" },
          { "(S (NP (DT Some) (NN one)) (VP (VBD called) (NP (PRP me))) (. .))", "2/det 3/nsubj 0/root 3/dobj 3/punct",
            "Some=nsubj<called one=goeswith<Some" },
          { "(SQ (INTJ (UH Woul)) (MD d) (NP (PRP you)) (VP (VB come)) (. ?))", "4/dep 4/aux 4/nsubj 0/root 4/punct",
            "Woul=aux<come d=goeswith<Woul" },
          { "(S (INTJ (UH Please)) (FW e) (VP (VB mail) (NP (PRP me))) (. .))",
            "3/discourse 3/dep 0/root 3/dobj 3/punct", "e=root<ROOT mail=goeswith<e" },
          { "(S (NP (DT The) (NN store)) (VP (VBZ is) (PP (IN up) (NP (NN hill)))) (. .))",
            "2/det 3/nsubj 0/root 3/prep 4/pobj 3/punct", "hill=goeswith<up" },
          { "(S (VP (VB Go) (SBAR (WHADVP (WRB where)) (S (ADVP (RB ever)) (NP (PRP you)) (VP (VBP like))))) (. .))",
            "0/root 5/advmod 5/advmod 5/nsubj 1/ccomp 1/punct", "ever=goeswith<where" },
          { "(S (NP (PRP They)) (VP (VBP are) (ADJP (RB over) (VBN priced))) (. .))",
            "4/nsubj 4/auxpass 4/advmod 0/root 4/punct", "over=root<ROOT priced=goeswith<over" },
          { "(S (NP (PRP He)) (VP (MD will) (VP (VB love) (NP (PRP her)) (PP (IN for) (ADVP (RB ever))))) (. .))",
            "3/nsubj 3/aux 0/root 3/dobj 3/prep 5/pobj 3/punct", "for=advmod<love ever=goeswith<for" },
          { "(S (NP (PRP I)) (VP (VBD knew) (PP (IN before) (NP (NN hand)))) (. .))",
            "2/nsubj 0/root 2/prep 3/pobj 2/punct", "before=advmod<knew hand=goeswith<before" },
          { "(S (PP (IN In) (NP (NN deed))) (NP (PRP he)) (VP (VBD left)) (. .))",
            "4/prep 1/pobj 4/nsubj 0/root 4/punct", "In=advmod<left deed=goeswith<In" },
          { "(NP (LS U) (NN P) (GW D) (NN A) (NN T) (NN E) (NN D))", "7/nn 7/nn 7/dep 7/nn 7/nn 7/nn 0/root",
            "U=root<ROOT P=goeswith<U D=goeswith<U" },
          { "(S (NP (NP (DT Any) (NN one)) (PP (IN of) (NP (PRP them)))) (VP (MD can) (VP (VB win))) (. .))",
            "2/det 6/nsubj 2/prep 3/pobj 6/aux 0/root 6/punct", "of=case<them one=nsubj<win" },
          { "(S (NP (PRP He)) (VP (VBD was) (ADVP (RB out)) (PP (IN with) (NP (NNS friends)))) (. .))",
            "2/nsubj 0/root 2/advmod 2/prep 4/pobj 2/punct", "with=case<friends" },
          { "(S (NP (PRP I)) (VP (VBP know) (NP (NP (NN someone)) (SBAR (WHNP (WP who)) (S (ADVP (RB ever)) (VP (VBD "
            "smiled)))))) (. .))",
            "2/nsubj 0/root 2/dobj 6/nsubj 6/advmod 3/rcmod 2/punct", "ever=advmod<smiled" },
          { "(NP (LS A) (LS b) (LS c) (GW d) (LS e))", "5/dep 5/dep 5/dep 5/dep 0/root", "e=root<ROOT" });
}

TEST(clauses_without_their_verb)
{
    CHECK({ "(S (S (NP (PRP She)) (VP (VBZ plays) (NP (NN chess)))) (CC and) (S (NP (PRP he)) (NP (NN tennis))) (. .))",
            "2/nsubj 0/root 2/dobj 2/cc 2/conj 5/dep 2/punct", "he=conj<plays tennis=orphan<he" },
          { "(S (S (NP (NNP Mary)) (VP (VBZ reads) (NP (NNS novels)))) (CC and) (S (NP (NNP John)) (NP (NNS poems))) "
            "(. .))",
            "2/nsubj 0/root 2/dobj 2/cc 6/nn 2/conj 2/punct", "John=conj<reads poems=orphan<John" },
          { "(S (S (NP (PRP I)) (VP (VBP like) (NP (NN tea)))) (CC and) (S (NP (PRP she)) (NP (NN coffee))) (. .))",
            "2/nsubj 0/root 2/dobj 2/cc 6/nn 2/conj 2/punct", "coffee=orphan<she" },
          { "(S (S (NP (NNP Tom)) (VP (VBZ sings) (NP (NNS songs)))) (CC and) (S (NNP Bill) (NNS operas)) (. .))",
            "2/nsubj 0/root 2/dobj 2/cc 6/nn 2/conj 2/punct", "operas=orphan<Bill" },
          { "(S (S (NP (PRP$ My) (NN father)) (VP (VBZ drives) (NP (DT a) (NN truck)))) (CC and) (S (NP (PRP$ my) (NN "
            "mother)) (NP (DT a) (NN bus))) (. .))",
            "2/poss 3/nsubj 0/root 5/det 3/dobj 3/cc 8/poss 10/nsubj 10/det 3/conj 3/punct",
            "mother=conj<drives bus=orphan<mother" },
          { "(S (S (NP (PRP He)) (VP (VBD took) (NP (DT the) (NN train)))) (CC and) (S (NP (PRP she)) (NP (DT the) (NN "
            "car))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 2/cc 2/conj 8/det 6/dobj 2/punct", "she=conj<took car=orphan<she" },
          { "(S (S (NP (NNP Ann)) (VP (VBZ is) (NP (DT a) (NN doctor)))) (CC and) (S (NP (NNP Bob)) (NP (DT a) (NN "
            "nurse))) (. .))",
            "4/nsubj 4/cop 4/det 0/root 4/cc 8/nsubj 8/det 4/conj 4/punct", "nurse=orphan<Bob" },
          { "(S (S (NP (PRP You)) (VP (VBP bring) (NP (DT the) (NN wine)))) (CC and) (S (NP (PRP I)) (NP (DT the) (NN "
            "bread))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 2/cc 2/conj 8/det 6/dep 2/punct", "bread=orphan<I" },
          { "(S (S (NP (NNP Paul)) (VP (VBD won) (NP (DT the) (NN race)))) (CC and) (S (NP (NNP Peter)) (NP (DT the) "
            "(NN prize))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 2/cc 8/nsubj 8/det 2/dobj 2/punct", "prize=orphan<Peter" },
          { "(S (S (NP (DT The) (JJ first) (NN man)) (VP (VBD wore) (NP (DT a) (NN hat)))) (CC and) (S (NP (DT the) "
            "(JJ second)) (NP (DT a) (NN cap))) (. .))",
            "3/det 3/amod 4/nsubj 0/root 6/det 4/dobj 4/cc 9/det 11/nsubj 11/det 4/conj 4/punct", "cap=orphan<second" },
          { "(S (S (NP (PRP We)) (VP (VBD went) (PP (IN by) (NP (NN train))))) (CC and) (S (NP (PRP they)) (PP (IN by) "
            "(NP (NN bus)))) (. .))",
            "2/nsubj 0/root 2/prep 3/pobj 2/cc 2/conj 6/prep 7/pobj 2/punct", "bus=orphan<they" });
}

TEST(ages)
{
    CHECK({ "(S (NP (NP (NNP Tom) (NNP Smith)) (, ,) (NP (CD 45)) (, ,)) (VP (VBD was) (VP (VBN arrested))) (. .))",
            "2/nn 7/nsubjpass 2/punct 2/appos 2/punct 7/auxpass 0/root 7/punct", "45=amod<Tom" },
          { "(S (NP (NP (PRP$ Her) (NN daughter)) (, ,) (NP (CD 12)) (, ,)) (VP (VBZ sings)) (. .))",
            "2/poss 6/nsubj 2/punct 2/appos 2/punct 0/root 6/punct", "12=amod<daughter" },
          { "(S (NP (NP (NNP Anna)) (, ,) (NP (CD 7)) (, ,) (CC and) (NP (NNP Ben)) (, ,) (NP (CD 9)) (, ,)) (VP (VBD "
            "went) (ADVP (RB home))) (. .))",
            "10/nsubj 1/punct 1/conj 1/punct 1/cc 1/conj 1/punct 1/num 1/punct 0/root 10/advmod 10/punct",
            "7=amod<Anna 9=amod<Ben" },
          { "(S (NP (NP (NP (NNP Maria) (NNP Lopez)) (, ,) (NP (CD 33)) (, ,)) (PP (IN of) (NP (NNP Boston)))) (VP "
            "(VBD died)) (. .))",
            "2/nn 8/nsubj 2/punct 2/appos 2/punct 2/prep 6/pobj 0/root 8/punct", "33=amod<Maria" },
          { "(S (NP (NP (DT The) (NN driver)) (, ,) (NP (NP (NNP Bill) (NNP Jones)) (, ,) (NP (CD 21))) (, ,)) (VP "
            "(VBD was) (VP (VBN hurt))) (. .))",
            "2/det 10/nsubjpass 2/punct 5/nn 2/appos 5/punct 5/num 2/punct 10/auxpass 0/root 10/punct",
            "21=amod<Bill" },
          { "(S (NP (NP (PRP$ My) (NN son)) (, ,) (NP (CD 14)) (, ,)) (VP (VBZ plays) (NP (NN chess))) (. .))",
            "2/poss 6/nsubj 2/punct 2/appos 2/punct 0/root 6/dobj 6/punct", "14=amod<son" },
          { "(S (NP (PRP He)) (VP (VBD met) (NP (NP (NNP Ann) (NNP Lee)) (, ,) (NP (CD 30)) (, ,)) (PP (IN in) (NP "
            "(NNP Rome)))) (. .))",
            "2/nsubj 0/root 4/nn 2/dobj 4/punct 4/num 4/punct 2/prep 8/pobj 2/punct", "30=amod<Ann" },
          { "(S (NP (PRP They)) (VP (VBD arrested) (NP (NP (NNP John)) (, ,) (CD 19) (, ,) (CC and) (NP (NNP Kim)) (, "
            ",) (NP (CD 20)) (, ,)) (PP (IN on) (NP (NNP Monday)))) (. .))",
            "2/nsubj 0/root 2/dobj 3/punct 3/num 3/punct 3/cc 3/conj 3/punct 3/conj 3/punct 2/prep 12/pobj 2/punct",
            "19=amod<John" },
          { "(S (NP (NP (NNP Emma)) (, ,) (NP (CD 6)) (, ,)) (VP (VBZ likes) (NP (NNS cats))) (. .))",
            "5/nsubj 1/punct 1/num 1/punct 0/root 5/dobj 5/punct", "6=amod<Emma" },
          { "(S (NP (PRP$ His) (NN wife) (NP (NNP Clara) (, ,) (NP (CD 52)) (, ,))) (VP (VBD left)) (. .))",
            "2/poss 7/nsubj 2/dep 3/punct 3/appos 3/punct 0/root 7/punct", "52=amod<Clara" });
}

TEST(objects_and_others)
{
    CHECK({ "(S (NP (NP (PRP It))) (VP (VBD was) (ADJP (ADJP (RB so) (JJ hot)) (SBAR (IN that) (S (NP (PRP we)) (VP "
            "(VBD left)))))) (. .))",
            "4/nsubj 4/cop 4/advmod 0/root 7/mark 7/nsubj 4/ccomp 4/punct", "left=advcl<hot" },
          { "(S (NP (PRP She)) (VP (VBD spoke) (ADVP (RB so) (RB quietly)) (SBAR (IN that) (S (NP (NN nobody)) (VP "
            "(VBD heard) (NP (PRP her)))))) (. .))",
            "2/nsubj 0/root 4/advmod 2/advmod 7/mark 7/nsubj 2/ccomp 7/dobj 2/punct", "heard=advcl<quietly" },
          { "(S (NP (PRP He)) (VP (VBD was) (ADJP (RB so) (JJ tired) (SBAR (S (NP (PRP he)) (VP (VBD fell) (ADVP (RB "
            "asleep))))))) (. .))",
            "4/nsubj 4/cop 4/advmod 0/root 6/nsubj 4/ccomp 6/acomp 4/punct", "fell=advcl<tired" },
          { "(S (NP (DT The) (NN soup)) (VP (VBD was) (ADJP (ADJP (RB so) (JJ good)) (SBAR (IN that) (S (NP (PRP I)) "
            "(VP (VBD ate) (NP (NP (PRP it)) (NP (DT all)))))))) (. .))",
            "2/det 5/nsubj 5/cop 5/advmod 0/root 8/mark 8/nsubj 5/ccomp 8/dobj 9/dep 5/punct", "ate=advcl<good" },
          { "(S (NP (PRP He)) (VP (VBD ran) (ADVP (ADVP (RB so) (RB fast)) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD "
            "won)))))) (. .))",
            "2/nsubj 0/root 4/advmod 2/advmod 7/mark 7/nsubj 4/ccomp 2/punct", "won=advcl<fast" },
          { "(S (NP (PRP They)) (VP (VBD were) (ADJP (RB so) (JJ many)) (SBAR (IN that) (S (NP (PRP we)) (VP (VBD "
            "lost) (NP (NN count)))))) (. .))",
            "4/nsubj 4/cop 4/advmod 0/root 7/mark 7/nsubj 4/ccomp 7/dobj 4/punct", "lost=advcl<many" },
          { "(S (NP (PRP It)) (VP (VBZ costs) (NP (QP (CD 10) (IN to) (CD 20)) (NNS dollars))) (. .))",
            "2/nsubj 0/root 5/number 5/quantmod 6/num 2/dobj 2/punct", "20=nmod<10 to=case<20 10=nummod<dollars" },
          { "(S (NP (PRP We)) (VP (VBD waited) (NP (QP (CD 20) (IN to) (CD 30)) (NNS minutes))) (. .))",
            "2/nsubj 0/root 5/number 5/quantmod 6/num 2/dobj 2/punct", "30=nmod<20" },
          { "(S (VP (VB Open) (NP (QP (CD 9) (IN to) (CD 5))) (ADVP (RB daily))) (. .))",
            "0/root 4/number 4/quantmod 1/dobj 1/advmod 1/punct", "5=nmod<9" },
          { "(S (NP (EX There)) (VP (VBZ seems) (S (VP (TO to) (VP (VB be) (NP (DT a) (NN problem)))))) (. .))",
            "2/expl 0/root 6/aux 6/cop 6/det 2/xcomp 2/punct", "problem=nsubj<be be=xcomp<seems" },
          { "(S (NP (EX There)) (VP (VBZ appears) (S (VP (TO to) (VP (VB be) (NP (DT no) (NN reason)))))) (. .))",
            "2/expl 0/root 6/aux 6/cop 6/det 2/xcomp 2/punct", "reason=nsubj<be There=expl<appears" },
          { "(S (NP (EX There)) (VP (VBD used) (S (VP (TO to) (VP (VB be) (NP (DT a) (NN shop)))))) (. .))",
            "2/expl 0/root 6/aux 6/cop 6/det 2/xcomp 2/punct", "shop=nsubj<be" },
          { "(S (NP (EX There)) (VP (MD must) (VP (VB be) (NP (DT an) (NN answer)))) (. .))",
            "5/expl 5/aux 5/cop 5/det 0/root 5/punct", "answer=nsubj<be" },
          { "(S (NP (EX There)) (VP (MD might) (VP (VB have) (VP (VBN been) (NP (DT a) (NN mistake))))) (. .))",
            "6/expl 6/aux 6/aux 6/cop 6/det 0/root 6/punct", "mistake=nsubj<been" },
          { "(S (NP (EX There)) (VP (VBZ is) (VP (VBG going) (S (VP (TO to) (VP (VB be) (NP (DT a) (NN party))))))) (. "
            ".))",
            "3/expl 3/aux 0/root 7/aux 7/cop 7/det 3/xcomp 3/punct", "party=nsubj<be be=xcomp<going" },
          { "(S (NP (EX There)) (VP (VBZ has) (S (VP (TO to) (VP (VB be) (NP (DT a) (NN way)))))) (. .))",
            "2/expl 0/root 6/aux 6/cop 6/det 2/xcomp 2/punct", "way=nsubj<be" },
          { "(S (NP (EX There)) (VP (VBP are) (VP (VBN supposed) (S (VP (TO to) (VP (VB be) (NP (CD two))))))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 6/aux 6/cop 3/xcomp 3/punct", "two=nsubj<be There=expl<supposed" },
          { "(S (NP (PRP I)) (VP (VBP expect) (S (NP (EX there)) (VP (TO to) (VP (VB be) (NP (NN trouble)))))) (. .))",
            "2/nsubj 0/root 6/expl 6/aux 6/cop 2/ccomp 2/punct", "trouble=nsubj<be there=expl<be" },
          { "(S (NP (NP (PRP It))) (VP (VBZ is) (VP (VBN said) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD left)))))) (. "
            ".))",
            "3/nsubjpass 3/auxpass 0/root 6/mark 6/nsubj 3/ccomp 3/punct", "left=csubj:pass<said It=expl<said" },
          { "(S (NP (PRP It)) (VP (VBD was) (VP (VBN decided) (S (VP (TO to) (VP (VB wait)))))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 5/aux 3/xcomp 3/punct", "wait=csubj:pass<decided" },
          { "(S (NP (NP (PRP It))) (VP (VBZ has) (VP (VBN been) (VP (VBN shown) (SBAR (IN that) (S (NP (DT this)) (VP "
            "(VBZ works))))))) (. .))",
            "4/nsubjpass 4/aux 4/auxpass 0/root 7/mark 7/nsubj 4/ccomp 4/punct", "works=csubj:pass<shown" },
          { "(S (NP (PRP It)) (VP (VBD was) (VP (VBN announced) (NP (NN yesterday)) (SBAR (IN that) (S (NP (PRP she)) "
            "(VP (VBD won)))))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 3/tmod 7/mark 7/nsubj 3/ccomp 3/punct", "won=csubj:pass<announced" },
          { "(S (NP (PRP It)) (VP (VBZ is) (VP (VBN believed) (SBAR (S (NP (PRP he)) (VP (VBD died)))))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 5/nsubj 3/ccomp 3/punct", "died=csubj:pass<believed" },
          { "(S (NP (PRP They)) (VP (VBD elected) (NP (PRP him)) (NP (NN president))) (. .))",
            "2/nsubj 0/root 2/iobj 2/dobj 2/punct", "him=obj<elected president=xcomp<elected" },
          { "(S (NP (PRP He)) (VP (VBD was) (VP (VBN elected) (NP (NN president)))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 3/xcomp 3/punct", "president=xcomp<elected" },
          { "(S (NP (PRP They)) (VP (VBD named) (NP (PRP$ her) (NN captain))) (. .))",
            "2/nsubj 0/root 4/poss 2/dobj 2/punct", "her=obj<named captain=xcomp<named" },
          { "(S (NP (PRP They)) (VP (VBD called) (S (NP (PRP him)) (NP (DT a) (NN liar)))) (. .))",
            "2/nsubj 0/root 5/nsubj 5/det 2/dobj 2/punct", "liar=xcomp<called him=obj<called" },
          { "(S (NP (PRP We)) (VP (VBD appointed) (NP (NNP Ann) (NN secretary))) (. .))",
            "2/nsubj 0/root 4/nn 2/dobj 2/punct", "secretary=xcomp<appointed Ann=obj<appointed" },
          { "(S (NP (PRP She)) (VP (VBZ considers) (S (NP (PRP him)) (NP (DT a) (NN friend)))) (. .))",
            "2/nsubj 0/root 5/nsubj 5/det 2/xcomp 2/punct", "friend=xcomp<considers" },
          { "(S (NP (PRP They)) (VP (VBD made) (NP (PRP$ her) (NN coffee))) (. .))",
            "2/nsubj 0/root 4/poss 2/dobj 2/punct", "coffee=obj<made her=nmod:poss<coffee" },
          { "(S (NP (PRP They)) (VP (VBD crowned) (NP (PRP him)) (NP (NN king))) (. .))",
            "2/nsubj 0/root 2/iobj 2/dobj 2/punct", "king=xcomp<crowned" },
          { "(S (NP (PRP We)) (VP (VBD named) (NP (PRP$ our) (NN dog) (NNP Rex))) (. .))",
            "2/nsubj 0/root 5/poss 5/nn 2/dobj 2/punct", "Rex=xcomp<named" },
          { "(S (NP (PRP She)) (VP (VBZ cleans) (NP (DT the) (NN house)) (NP (NP (CD two) (NNS times)) (NP (DT a) (NN "
            "year)))) (. .))",
            "2/nsubj 0/root 4/det 2/iobj 6/num 2/dobj 8/det 6/tmod 2/punct",
            "times=obl:unmarked<cleans year=nmod:unmarked<times" },
          { "(S (NP (PRP He)) (VP (VBZ visits) (NP (PRP us)) (ADVP (RB twice)) (NP (DT a) (NN week))) (. .))",
            "2/nsubj 0/root 2/dobj 2/advmod 6/det 2/tmod 2/punct", "week=obl:unmarked<visits" },
          { "(S (NP (DT The) (NN book)) (VP (VBD was) (VP (VBN written) (PP (IN by) (NP (NNP Ann) (NNP Lee))) (PP (IN "
            "by) (NP (NN hand))))) (. .))",
            "2/det 4/nsubjpass 4/auxpass 0/root 4/prep 7/nn 5/pobj 4/prep 8/pobj 4/punct",
            "Ann=obl:agent<written hand=obl<written" },
          { "(S (NP (PRP He)) (VP (VBD was) (VP (VBN killed) (PP (IN by) (NP (NN accident))) (PP (IN by) (NP (PRP$ "
            "his) (NN friend))))) (. .))",
            "3/nsubjpass 3/auxpass 0/root 3/prep 4/pobj 3/prep 8/poss 6/pobj 3/punct",
            "friend=obl:agent<killed accident=obl<killed" },
          { "(S (NP (NP (DT The) (NN house)) (VP (VBN built) (PP (IN by) (NP (PRP$ my) (NN uncle))))) (VP (VBD was) "
            "(VP (VBN sold) (PP (IN by) (NP (DT the) (NN bank))) (PP (IN by) (NP (NNP Friday))))) (. .))",
            "2/det 8/nsubjpass 2/partmod 3/prep 6/poss 4/pobj 8/auxpass 0/root 8/prep 11/det 9/pobj 8/prep 12/pobj "
            "8/punct",
            "uncle=obl:agent<built bank=obl:agent<sold Friday=obl<sold" },
          { "(S (NP (PRP they)) (VP (VBP r) (ADJP (JJ late))))", "3/nsubj 3/cop 0/root", "r=cop<late" },
          { "(S (NP (PRP we)) (VP (VBP r) (ADVP (RB here))))", "2/nsubj 0/root 2/advmod", "r=cop<here" },
          { "(SQ (VBP r) (NP (NNP u)) (ADJP (JJ ok)))", "3/cop 3/nsubj 0/root", "r=cop<ok u=nsubj<ok" },
          { "(S (S (NP (PRP She)) (VP (VBD had) (NP (NN tea)))) (CC and) (S (NP (PRP he)) (NP (NN coffee))) (. .))",
            "2/nsubj 0/root 2/dobj 2/cc 6/nn 2/conj 2/punct", "coffee=orphan<he he=conj<had" },
          { "(S (S (NP (NNP Ann)) (VP (VBZ likes) (NP (NN tea)))) (CC and) (S (NP (NNP Bob)) (NP (NN coffee))) (. .))",
            "2/nsubj 0/root 2/dobj 2/cc 6/nn 2/conj 2/punct", "coffee=orphan<Bob" },
          { "(S (NP (PRP It)) (VP (VBD was) (NP (NNP Tom)) (SBAR (IN that) (S (NP (PRP I)) (VP (VBD saw))))) (. .))",
            "3/nsubj 3/cop 0/root 6/dobj 6/nsubj 3/ccomp 3/punct", "saw=advcl:relcl<Tom" },
          { "(S (NP (PRP They)) (VP (VBD dubbed) (NP (PRP him)) (NP (DT a) (NN hero))) (. .))",
            "2/nsubj 0/root 2/iobj 5/det 2/dobj 2/punct", "hero=xcomp<dubbed him=obj<dubbed" },
          { "(S (NP (PRP I)) (VP (VBD saw) (NP (PRP him)) (, ,) (PP (IN by) (NP (DT the) (NN way)))) (. .))",
            "2/nsubj 0/root 2/dobj 2/punct 2/prep 7/det 5/pobj 2/punct", "saw=root<ROOT" },
          { "(S (NP (PRP It)) (VP (VBZ seems) (SBAR (IN like) (S (NP (PRP he)) (VP (VBD left))))) (. .))",
            "2/nsubj 0/root 5/mark 5/nsubj 2/advcl 2/punct", "left=advcl<seems It=expl<seems" },
          { "(SBARQ (INTJ (UH Hi)) (NP (NNP Ann)) (, ,) (WHADVP (WRB how)) (SQ (VBP are) (NP (PRP you))) (. ?))",
            "5/discourse 5/dep 5/punct 5/advmod 0/root 5/nsubj 5/punct", "Ann=vocative<how" },
          { "(FRAG (NP (NP (NN Thanks)) (PP (IN for) (NP (DT the) (NN help)))) (, ,) (NP (NNP Bill)) (. .))",
            "0/root 1/prep 4/det 2/pobj 1/punct 1/dep 1/punct", "Bill=vocative<Thanks" },
          { "(SBARQ (WHADVP (WRB Where)) (SQ (VBP are) (NP (PRP you)) (VP (VBG going) (, ,) (NP (PRP$ my) (NN "
            "friend)))) (. ?))",
            "4/advmod 4/aux 4/nsubj 0/root 4/punct 7/poss 4/dobj 4/punct", "friend=vocative<going" },
          { "(S (INTJ (UH No)) (, ,) (NP (NN sir)) (, ,) (NP (PRP I)) (VP (VBD did) (RB not)) (. .))",
            "6/discourse 6/punct 6/nsubj 6/punct 6/nsubj 0/root 6/neg 6/punct", "sir=vocative<did" },
          { "(S (S (NP (NNP Tom)) (VP (VBD bought) (NP (DT a) (NN car)))) (CC and) (S (NP (NNP Ann)) (NP (DT a) (NN "
            "bike))) (. .))",
            "2/nsubj 0/root 4/det 2/dobj 2/cc 8/nsubj 8/det 2/conj 2/punct", "Ann=conj<bought bike=orphan<Ann" },
          { "(S (S (NP (NNP Tim)) (VP (VBZ lives) (PP (IN in) (NP (NNP Rome))))) (CC and) (S (NP (PRP I)) (VP (VBP "
            "know) (NP (PRP him)))) (. .))",
            "2/nsubj 0/root 2/prep 3/pobj 2/cc 7/nsubj 2/conj 7/dobj 2/punct", "know=conj<lives" },
          { "(S (NP (PRP We)) (VP (VBD elected) (S (NP (NNP Ann)) (NP (NN president)))) (. .))",
            "2/nsubj 0/root 4/nn 2/dobj 2/punct", "Ann=obj<elected president=xcomp<elected" },
          { "(S (NP (PRP They)) (VP (VBD nicknamed) (NP (PRP$ their) (NN boat) (NNP Daisy))) (. .))",
            "2/nsubj 0/root 5/poss 5/nn 2/dobj 2/punct", "boat=obj<nicknamed Daisy=xcomp<nicknamed" },
          { "(S (NP (PRP We)) (VP (VBP want) (S (NP (EX there)) (VP (TO to) (VP (VB be) (NP (NN peace)))))) (. .))",
            "2/nsubj 0/root 6/expl 6/aux 6/cop 2/ccomp 2/punct", "there=expl<be be=xcomp<want peace=nsubj<be" },
          { "(S (NP (PRP I)) (VP (VBD thanked) (NP (PRP them)) (PP (IN for) (NP (NP (DT the) (NN gift)) (PP (IN from) "
            "(NP (NNP Bill)))))) (. .))",
            "2/nsubj 0/root 2/dobj 2/prep 6/det 4/pobj 6/prep 7/pobj 2/punct", "Bill=nmod<gift" });
}

TEST(remarks_after_a_noun_phrase)
{
    CHECK({ "(NP (NP (JJ Great) (NN store)) (NP (JJ great) (NNS products)) (. !))",
            "2/amod 0/root 4/amod 2/dep 2/punct", "products=parataxis<store" },
          { "(NP (NP (JJ Nice) (NNS teachers)) (NP (JJ good) (NN school)) (. .))", "2/amod 0/root 4/amod 2/dep 2/punct",
            "school=parataxis<teachers" },
          { "(NP (NP (JJ Great) (NN place)) (NP (CD 5) (NNS stars)) (PP (IN for) (NP (JJ sure))) (. .))",
            "2/amod 0/root 4/num 2/dep 2/prep 5/pobj 2/punct", "stars=parataxis<place" },
          { "(NP (NP (JJ Bad) (NN food)) (NP (JJR worse) (NN service)) (. .))", "2/amod 4/nsubj 4/amod 0/root 4/punct",
            "service=parataxis<food" },
          { "(NP (NP (JJ Good) (NN price)) (NP (JJ fast) (NN delivery)) (. .))", "2/amod 4/nn 4/amod 0/root 4/punct",
            "delivery=parataxis<price" },
          { "(NP (NP (JJ Awful) (NN room)) (NP (JJ rude) (NN staff)) (. .))", "2/amod 4/nn 4/amod 0/root 4/punct",
            "staff=parataxis<room" },
          { "(NP (NP (JJS Best) (NNS burgers)) (NP (JJ great) (NNS prices)) (. .))",
            "2/amod 4/nsubj 4/amod 0/root 4/punct", "prices=parataxis<burgers" },
          { "(NP (NP (NP (JJ Moral)) (PP (IN of) (NP (DT the) (NN story)))) (: :) (S (VP (VB Do) (RB n't) (VP (VB "
            "drink)))) (. .))",
            "0/root 1/prep 4/det 2/pobj 1/punct 8/aux 8/neg 1/dep 1/punct", "drink=parataxis<Moral" },
          { "(NP (NP (DT A) (NN tip)) (: :) (S (VP (VB take) (NP (DT the) (NN bus)))) (. .))",
            "2/det 0/root 2/punct 2/dep 6/det 4/dobj 2/punct", "take=parataxis<tip" },
          { "(NP (NP (NN Warning)) (: :) (S (VP (VB keep) (ADVP (RB away)))) (. .))",
            "0/root 1/punct 1/dep 3/advmod 1/punct", "keep=parataxis<Warning" },
          { "(NP (NP (CD One) (NN word)) (: :) (S (VP (VB run))) (. .))", "2/num 0/root 2/punct 2/dep 2/punct",
            "run=parataxis<word" },
          { "(NP (NP (NN Note)) (: :) (S (VP (VB read) (NP (DT this)) (ADVP (RB first)))) (. .))",
            "0/root 1/punct 1/dep 3/dobj 3/advmod 1/punct", "read=parataxis<Note" },
          { "(NP (NP (PRP$ My) (NN advice)) (: :) (S (VP (VB avoid) (NP (DT this) (NN place)))) (. .))",
            "2/poss 0/root 2/punct 2/dep 6/det 4/dobj 2/punct", "avoid=parataxis<advice" },
          { "(NP (NP (NN Question)) (: :) (S (VP (VB call) (NP (PRP me)))) (. .))",
            "0/root 1/punct 1/dep 3/dobj 1/punct", "call=parataxis<Question" },
          { "(NP (NP (DT A) (NN hint)) (: :) (S (VP (VB look) (PRT (RP up)))) (. .))",
            "2/det 0/root 2/punct 2/dep 4/prt 2/punct", "look=parataxis<hint" },
          { "(NP (NP (JJ Last) (NN warning)) (: :) (S (VP (VB stop) (NP (PRP it)))) (. .))",
            "2/amod 0/root 2/punct 2/dep 4/dobj 2/punct", "stop=parataxis<warning" },
          { "(NP (NP (DT The) (NN plan)) (: :) (S (VP (VB meet) (PP (IN at) (NP (NN noon))))) (. .))",
            "2/det 0/root 2/punct 2/dep 4/prep 5/pobj 2/punct", "meet=parataxis<plan" });
}
