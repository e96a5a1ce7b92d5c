/* Universal Dependencies from Stanford's, multiword tokens. docs/UD.md says what each rule does;
 * a case here would fail without it. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/rng.h"
#include "language/english/ud/ud.h"
#include "language/english/ud/ud_sentence.h"
#include "language/english/ud/ud_tokens.h"
#include "tests/support/check.h"

enum { WORDS_MOST = 64 };

/* A sentence written as "word/TAG/head/type ..." and what is expected of it: "head:relation:UPOS ...". */
typedef struct Case {
    const char *stanford, *ud;
} Case;

typedef struct Built {
    Sentence s;
    const char *words[WORDS_MOST], *tags[WORDS_MOST], *types[WORDS_MOST];
    int heads[WORDS_MOST];
} Built;

/* Fields are separated by '/' from the end: a word may hold one. */
static void build(Built *b, const char *text, Arena *arena)
{
    char *copy = arena_strndup(arena, text, strlen(text));
    *b = (Built){ 0 };
    int n = 0;
    for (char *item = strtok(copy, " "); item; item = strtok(NULL, " "), n++) {
        char *type = strrchr(item, '/');
        *type = 0;
        char *head = strrchr(item, '/');
        *head = 0;
        char *tag = strrchr(item, '/');
        *tag = 0;
        b->words[n] = item;
        b->tags[n] = tag + 1;
        b->heads[n] = atoi(head + 1);
        b->types[n] = type + 1;
    }
    b->s = (Sentence){ .n_words = n, .words = b->words, .tags = b->tags, .heads = b->heads, .types = b->types };
}

static void check_case(const Case *c)
{
    Built b;
    UdSentence ud;
    FREED(strbuf_fini) StrBuf found = { 0 };
    build(&b, c->stanford, test_arena());
    assert_true(ud_convert(&b.s, true, test_arena(), &ud));
    for (int w = 0; w < b.s.n_words; w++)
        strbuf_printf(&found, "%s%d:%s:%s", w ? " " : "", ud.heads[w], ud.relations[w], ud.upos[w]);
    if (strcmp(found.ptr, c->ud) != 0) fail_msg("%s\nfound    %s\nexpected %s", c->stanford, found.ptr, c->ud);
}

#define CHECK(...)                                                                       \
    do {                                                                                 \
        static const Case cases[] = { __VA_ARGS__ };                                     \
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_case(&cases[k]); \
    } while (0)

TEST(prepositions_depend_on_their_objects)
{
    CHECK({ "She/PRP/2/nsubj sat/VBD/0/root on/IN/2/prep the/DT/5/det mat/NN/3/pobj", /* obl under a verb */
            "2:nsubj:PRON 0:root:VERB 5:case:ADP 5:det:DET 2:obl:NOUN" },
          { "cats/NNS/0/root of/IN/1/prep Rome/NNP/2/pobj", /* nmod under a noun */
            "0:root:NOUN 3:case:ADP 1:nmod:PROPN" },
          { "from/IN/4/prep behind/IN/1/pcomp doors/NNS/2/pobj came/VBD/0/root", /* two prepositions */
            "3:case:ADP 3:case:ADP 4:obl:NOUN 0:root:VERB" },
          { "He/PRP/2/nsubj left/VBD/0/root after/IN/2/prep eating/VBG/3/pcomp", /* a clause has a mark */
            "2:nsubj:PRON 0:root:VERB 4:mark:SCONJ 2:advcl:VERB" },
          { "seen/VBN/0/root by/IN/1/prep all/DT/2/pobj was/VBD/1/auxpass", /* the agent of a passive */
            "0:root:VERB 3:case:ADP 1:obl:agent:DET 1:aux:pass:AUX" },
          { "What/WP/4/dobj are/VBP/4/aux you/PRP/4/nsubj eating/VBG/0/root with/IN/4/prep", /* stranded */
            "4:obl:PRON 4:aux:AUX 4:nsubj:PRON 0:root:VERB 1:case:ADP" },
          { "one/CD/0/root I/PRP/3/nsubj live/VBP/1/rcmod in/IN/3/prep",
            "0:root:NUM 3:nsubj:PRON 1:acl:relcl:VERB 3:obl:ADP" },
          { "good/JJ/0/root for/IN/1/prep swimming/VBG/2/pobj", /* a gerund is a clause */
            "0:root:ADJ 3:mark:SCONJ 1:advcl:VERB" },
          { "as/RB/2/advmod soon/RB/0/root as/IN/2/prep possible/JJ/3/pobj", /* so is what is compared */
            "2:advmod:ADV 0:root:ADV 4:mark:SCONJ 2:advcl:ADJ" },
          { "better/JJR/0/root than/IN/1/prep in/IN/2/pcomp May/NNP/3/pobj",
            "0:root:ADJ 4:mark:SCONJ 4:case:ADP 1:advcl:PROPN" },
          { "He/PRP/3/nsubj is/VBZ/3/cop one/CD/0/root of/IN/3/prep us/PRP/4/pobj", /* not of the clause */
            "3:nsubj:PRON 3:cop:AUX 0:root:NUM 5:case:ADP 3:nmod:PRON" });
}

TEST(a_form_of_be_depends_on_the_predicate)
{
    CHECK(
        { "He/PRP/2/nsubj is/VBZ/0/root in/IN/2/prep Paris/NNP/3/pobj",
          "4:nsubj:PRON 4:cop:AUX 4:case:ADP 0:root:PROPN" },
        { "Here/RB/2/advmod is/VBZ/0/root news/NN/2/nsubj", "0:root:ADV 1:cop:AUX 1:nsubj:NOUN" },
        { "There/EX/2/expl is/VBZ/0/root hope/NN/2/nsubj", "2:expl:PRON 0:root:VERB 2:nsubj:NOUN" },
        { "There/EX/4/expl has/VBZ/4/aux been/VBN/4/cop rain/NN/0/root",
          "3:expl:PRON 3:aux:AUX 0:root:VERB 3:nsubj:NOUN" },
        { "It/PRP/4/nsubj has/VBZ/4/aux been/VBN/4/cop good/JJ/0/root", "4:nsubj:PRON 4:aux:AUX 4:cop:AUX 0:root:ADJ" },
        { "The/DT/2/det plan/NN/3/nsubj is/VBZ/0/root to/TO/5/aux win/VB/3/xcomp", /* a clause with an outer subject */
          "2:det:DET 5:nsubj:outer:NOUN 5:cop:AUX 5:mark:PART 0:root:VERB" },
        { "He/PRP/3/nsubjpass became/VBD/3/auxpass known/VBN/0/root", "2:nsubj:PRON 0:root:VERB 2:xcomp:VERB" },
        { "He/PRP/3/nsubj seems/VBZ/3/cop happy/JJ/0/root", "2:nsubj:PRON 0:root:VERB 2:xcomp:ADJ" },
        { "He/PRP/3/nsubjpass 's/VBZ/3/auxpass got/VBN/0/root dogs/NNS/3/dobj",
          "3:nsubj:PRON 3:aux:AUX 0:root:VERB 3:obj:NOUN" },
        { "We/PRP/2/nsubj ’re/VBP/0/root going/VBG/2/dep", "3:nsubj:PRON 3:aux:AUX 0:root:VERB" },
        { "It/PRP/2/nsubj ’s/VBZ/0/root built/VBN/2/dep", "3:nsubj:pass:PRON 3:aux:pass:AUX 0:root:VERB" },
        { "We/PRP/2/nsubj ’ve/VBP/0/root gone/VBN/2/dep", "3:nsubj:PRON 3:aux:AUX 0:root:VERB" });
}

TEST(clauses)
{
    CHECK(
        { "They/PRP/2/nsubj let/VBD/0/root him/PRP/4/nsubj go/VB/2/ccomp", /* a small clause */
          "2:nsubj:PRON 0:root:VERB 2:obj:PRON 2:xcomp:VERB" },
        { "According/VBG/4/prep to/TO/1/pcomp me/PRP/2/pobj go/VB/0/root back/RB/4/advmod to/TO/4/prep it/PRP/6/pobj",
          "3:case:VERB 1:fixed:ADP 4:obl:PRON 0:root:VERB 4:advmod:ADV 7:case:ADP 4:obl:PRON" }, /* as Penn tags */
        { "It/PRP/3/nsubj is/VBZ/3/cop hard/JJ/0/root to/TO/5/aux say/VB/3/xcomp", /* an extraposed subject */
          "3:expl:PRON 3:cop:AUX 0:root:ADJ 5:mark:PART 3:csubj:VERB" },
        { "I/PRP/2/nsubj like/VBP/0/root what/WP/5/dobj he/PRP/5/nsubj does/VBZ/2/ccomp", /* a free relative */
          "2:nsubj:PRON 0:root:VERB 2:obj:PRON 5:nsubj:PRON 3:acl:relcl:VERB" },
        { "I/PRP/2/nsubj know/VBP/0/root what/WP/5/dobj he/PRP/5/nsubj does/VBZ/2/ccomp", /* a question */
          "2:nsubj:PRON 0:root:VERB 5:obj:PRON 5:nsubj:PRON 2:ccomp:VERB" },
        { "He/PRP/2/nsubj told/VBD/0/root me/PRP/2/dobj to/TO/5/aux go/VB/2/xcomp",
          "2:nsubj:PRON 0:root:VERB 2:iobj:PRON 5:mark:PART 2:xcomp:VERB" },
        { "He/PRP/2/nsubj took/VBD/0/root it/PRP/2/dobj to/TO/5/aux win/VB/2/xcomp", /* a purpose */
          "2:nsubj:PRON 0:root:VERB 2:obj:PRON 5:mark:PART 2:advcl:VERB" },
        { "It/PRP/3/nsubj is/VBZ/3/cop hard/JJ/0/root for/IN/7/mark me/PRP/7/nsubj to/TO/7/aux say/VB/3/advcl",
          "3:expl:PRON 3:cop:AUX 0:root:ADJ 7:mark:SCONJ 7:nsubj:PRON 7:mark:PART 3:csubj:VERB" },
        { "It/PRP/3/nsubj became/VBD/3/cop clear/JJ/0/root that/IN/6/mark he/PRP/6/nsubj left/VBD/3/ccomp",
          "2:expl:PRON 0:root:VERB 2:xcomp:ADJ 6:mark:SCONJ 6:nsubj:PRON 2:csubj:VERB" },
        { "so/RB/2/advmod dark/JJ/0/root that/IN/5/mark we/PRP/5/nsubj left/VBD/2/ccomp", /* a result */
          "2:advmod:ADV 0:root:ADJ 5:mark:SCONJ 5:nsubj:PRON 2:advcl:VERB" },
        { "He/PRP/2/nsubj left/VBD/0/root although/IN/5/mark we/PRP/5/nsubj stayed/VBD/2/ccomp",
          "2:nsubj:PRON 0:root:VERB 5:mark:SCONJ 5:nsubj:PRON 2:advcl:VERB" },
        { "It/PRP/4/nsubj is/VBZ/4/cop the/DT/4/det king/NN/0/root that/WDT/6/nsubj left/VBD/4/dep",
          "4:expl:PRON 4:cop:AUX 4:det:DET 0:root:NOUN 6:nsubj:PRON 4:advcl:relcl:VERB" },
        { "a/DT/2/det film/NN/0/root released/VBN/2/dep by/IN/3/prep them/PRP/4/pobj", /* a participle without a name */
          "2:det:DET 0:root:NOUN 2:acl:VERB 5:case:ADP 3:obl:agent:PRON" },
        { "We/PRP/2/nsubj do/VBP/0/root it/PRP/2/dobj ourselves/PRP/2/dobj", /* objects that are none */
          "2:nsubj:PRON 0:root:VERB 2:obj:PRON 2:obl:unmarked:PRON" },
        { "We/PRP/2/nsubj walk/VBP/0/root all/PDT/5/predet the/DT/5/det time/NN/2/dobj",
          "2:nsubj:PRON 0:root:VERB 5:det:predet:DET 5:det:DET 2:obl:unmarked:NOUN" },
        { "a/DT/2/det man/NN/0/root called/VBN/2/partmod Smith/NNP/3/dep", /* a name is a predicate */
          "2:det:DET 0:root:NOUN 2:acl:VERB 3:xcomp:PROPN" },
        { "I/PRP/2/nsubj spent/VBD/0/root Monday/NNP/2/tmod", "2:nsubj:PRON 0:root:VERB 2:obj:PROPN" },
        { "I/PRP/2/nsubj came/VBD/0/root to/TO/4/aux help/VB/2/xcomp",
          "2:nsubj:PRON 0:root:VERB 4:mark:PART 2:advcl:VERB" },
        { "I/PRP/2/nsubj hope/VBP/0/root to/TO/4/aux help/VB/2/xcomp", /* a complement */
          "2:nsubj:PRON 0:root:VERB 4:mark:PART 2:xcomp:VERB" },
        { "He/PRP/3/nsubj was/VBD/3/auxpass built/VBN/0/root to/TO/5/aux last/VB/3/xcomp",
          "3:nsubj:PRON 3:aux:pass:AUX 0:root:VERB 5:mark:PART 3:advcl:VERB" },
        { "I/PRP/3/nsubj am/VBP/3/cop able/JJ/0/root to/TO/5/aux help/VB/3/xcomp",
          "3:nsubj:PRON 3:cop:AUX 0:root:ADJ 5:mark:PART 3:xcomp:VERB" },
        { "I/PRP/3/nsubj am/VBP/3/cop free/JJ/0/root to/TO/5/aux help/VB/3/xcomp",
          "3:nsubj:PRON 3:cop:AUX 0:root:ADJ 5:mark:PART 3:advcl:VERB" },
        { "I/PRP/2/nsubj kept/VBD/0/root talking/VBG/2/xcomp", /* a complement, and a manner */
          "2:nsubj:PRON 0:root:VERB 2:xcomp:VERB" },
        { "I/PRP/2/nsubj lost/VBD/0/root it/PRP/2/dobj gambling/VBG/2/xcomp",
          "2:nsubj:PRON 0:root:VERB 2:obj:PRON 2:advcl:VERB" },
        { "the/DT/2/det fact/NN/0/root that/IN/5/mark he/PRP/5/nsubj left/VBD/2/ccomp",
          "2:det:DET 0:root:NOUN 5:mark:SCONJ 5:nsubj:PRON 2:acl:VERB" },
        { "men/NNS/0/root who/WP/3/nsubj ran/VBD/1/rcmod", "0:root:NOUN 3:nsubj:PRON 1:acl:relcl:VERB" });
}

TEST(a_conjunction_depends_on_the_conjunct_after_it)
{
    CHECK({ "both/CC/2/preconj cats/NNS/0/root ,/,/2/punct dogs/NNS/2/conj and/CC/2/cc birds/NNS/2/conj",
            "2:cc:preconj:CCONJ 0:root:NOUN 4:punct:PUNCT 2:conj:NOUN 6:cc:CCONJ 2:conj:NOUN" },
          { "He/PRP/2/nsubj left/VBD/0/root but/CC/2/cc she/PRP/5/nsubj stayed/VBD/2/ccomp",
            "2:nsubj:PRON 0:root:VERB 5:cc:CCONJ 5:nsubj:PRON 2:conj:VERB" },
          { "luck/NN/0/root and/CC/1/cc not/RB/1/conj skill/NN/1/dep",
            "0:root:NOUN 4:cc:CCONJ 4:advmod:PART 1:conj:NOUN" },
          { "Smith/NNP/0/root et/CC/1/cc al./FW/1/dep", "0:root:PROPN 3:cc:CCONJ 1:conj:X" },
          { "cats/NNS/0/root //SYM/3/dep dogs/NNS/1/conj", "0:root:NOUN 3:cc:SYM 1:conj:NOUN" },
          { "He/PRP/2/nsubj left/VBD/0/root so/RB/2/advmod she/PRP/5/nsubj won/VBD/2/ccomp",
            "2:nsubj:PRON 0:root:VERB 5:advmod:ADV 5:nsubj:PRON 2:parataxis:VERB" },
          { "much/RB/3/advmod more/RBR/3/advmod able/JJ/0/root", "2:advmod:ADV 3:advmod:ADV 0:root:ADJ" },
          { "cats/NNS/0/root as/RB/3/advmod well/RB/1/cc as/IN/3/mwe dogs/NNS/1/conj",
            "0:root:NOUN 5:cc:ADV 2:fixed:ADV 2:fixed:ADP 1:conj:NOUN" });
}

TEST(names_dates_and_numbers)
{
    CHECK({ "Mr./NNP/3/nn John/NNP/3/nn Smith/NNP/4/nsubj left/VBD/0/root", /* the first word is the head */
            "2:nmod:desc:PROPN 4:nsubj:PROPN 2:flat:PROPN 0:root:VERB" },
          { "4/CD/3/num :30/CD/3/num p.m./NN/0/root",
            "2:nummod:NUM 0:root:NUM 2:nmod:unmarked:NOUN" },                  /* so is the hour */
          { "losses/NNS/0/root [/-LRB-/3/punct 21/CD/1/appos ]/-RRB-/3/punct", /* a citation */
            "0:root:NOUN 3:punct:PUNCT 1:dep:NUM 3:punct:PUNCT" },
          { "Park/NNP/2/nn Hotel/NNP/0/root", "2:compound:PROPN 0:root:PROPN" },
          { "United/NNP/2/nn Nations/NNPS/0/root", "2:amod:ADJ 0:root:PROPN" },
          { "on/IN/0/root March/NNP/1/pobj 15/CD/2/num ,/,/2/punct 2001/CD/2/num", /* the day is the head */
            "3:case:ADP 3:nmod:unmarked:PROPN 0:root:NUM 5:punct:PUNCT 3:nmod:unmarked:NUM" },
          { "Section/NN/0/root 6/CD/1/num", "0:root:NOUN 1:flat:NUM" },
          { "5/CD/2/number million/CD/3/num men/NNS/0/root", "2:compound:NUM 3:nummod:NUM 0:root:NOUN" },
          { "1/CD/0/root ,/,/1/punct 2/CD/1/dep", "0:root:NUM 3:punct:PUNCT 1:conj:NUM" }, /* a series, a range */
          { "8/CD/0/root –/SYM/3/dep 9/CD/1/dep", "0:root:NUM 3:case:SYM 1:nmod:NUM" },
          { "Quilis/NNP/0/root (/-LRB-/3/punct 1964/CD/1/appos )/-RRB-/3/punct",
            "0:root:PROPN 3:punct:PUNCT 1:nmod:unmarked:NUM 3:punct:PUNCT" },
          { "$/$/0/root 15/CD/1/number", "0:root:SYM 1:nummod:NUM" },
          { "oil/NN/4/nn -/HYPH/4/punct drilling/NN/4/nn sites/NNS/0/root", /* words around a hyphen */
            "3:compound:NOUN 1:punct:PUNCT 4:compound:NOUN 0:root:NOUN" },
          { "Bonn/NNP/0/root ,/,/1/punct Germany/NNP/1/appos", "0:root:PROPN 3:punct:PUNCT 1:nmod:unmarked:PROPN" });
}

TEST(expressions_are_fixed)
{
    CHECK({ "because/IN/2/mwe of/IN/4/prep rain/NN/2/pobj left/VBD/0/root",
            "3:case:ADP 1:fixed:ADP 4:obl:NOUN 0:root:VERB" },
          { "wet/JJ/0/root due/JJ/1/prep to/IN/2/prep rain/NN/3/pobj", "0:root:ADJ 4:case:ADJ 2:fixed:ADP 1:obl:NOUN" },
          { "of/IN/4/prep course/NN/1/pobj he/PRP/4/nsubj left/VBD/0/root",
            "4:advmod:ADP 1:fixed:NOUN 4:nsubj:PRON 0:root:VERB" },
          { "a/DT/2/det kind/NN/0/root of/IN/2/prep bird/NN/3/pobj", /* the words in their own meaning */
            "2:det:DET 0:root:NOUN 4:case:ADP 2:nmod:NOUN" });
}

TEST(a_fronted_word_depends_on_the_complement_that_lacks_it)
{
    CHECK({ "What/WP/4/dobj do/VBP/4/aux you/PRP/4/nsubj have/VB/0/root to/TO/6/aux hit/VB/4/xcomp ?/./4/punct",
            "6:obj:PRON 4:aux:AUX 4:nsubj:PRON 0:root:VERB 6:mark:PART 4:xcomp:VERB 4:punct:PUNCT" },
          { "which/WDT/3/dobj I/PRP/3/nsubj think/VBP/0/root is/VBZ/5/cop good/JJ/3/ccomp", /* its subject */
            "5:nsubj:PRON 3:nsubj:PRON 0:root:VERB 5:cop:AUX 3:ccomp:ADJ" },
          { "what/WP/3/dobj we/PRP/3/nsubj need/VBP/0/root to/TO/5/aux talk/VB/3/xcomp about/IN/5/prep", /* stranded */
            "5:obl:PRON 3:nsubj:PRON 0:root:VERB 5:mark:PART 3:xcomp:VERB 1:case:ADP" },
          { "What/WP/4/dobj is/VBZ/4/auxpass that/DT/4/nsubjpass supposed/VBN/0/root to/TO/6/aux be/VB/4/xcomp",
            "4:xcomp:PRON 4:aux:pass:AUX 4:nsubj:pass:PRON 0:root:VERB 1:mark:PART 1:cop:AUX" },
          { "What/WP/4/dobj are/VBP/4/aux you/PRP/4/nsubj going/VBG/0/root to/TO/6/aux get/VB/4/xcomp",
            "6:obj:PRON 4:aux:AUX 4:nsubj:PRON 0:root:VERB 6:mark:PART 4:xcomp:VERB" },
          { "which/WDT/3/dobj we/PRP/3/nsubj say/VBP/0/root was/VBD/5/auxpass seen/VBN/3/ccomp",
            "5:nsubj:pass:PRON 3:nsubj:PRON 0:root:VERB 5:aux:pass:AUX 3:ccomp:VERB" },
          { "which/WDT/2/det tribe/NN/4/dobj you/PRP/4/nsubj want/VBP/0/root to/TO/6/aux see/VB/4/xcomp", /* a phrase */
            "2:det:DET 6:obj:NOUN 4:nsubj:PRON 0:root:VERB 6:mark:PART 4:xcomp:VERB" },
          { "what/WP/3/dobj we/PRP/3/nsubj want/VBP/0/root to/TO/5/aux tell/VB/3/xcomp them/PRP/5/dobj of/IN/5/prep",
            "5:obl:PRON 3:nsubj:PRON 0:root:VERB 5:mark:PART 3:xcomp:VERB 5:iobj:PRON 1:case:ADP" },
          { "that/WDT/3/dobj he/PRP/3/nsubj seems/VBZ/0/root to/TO/5/aux want/VB/3/xcomp us/PRP/8/nsubj to/TO/8/aux "
            "see/VB/5/ccomp", /* the innermost */
            "8:obj:PRON 3:nsubj:PRON 0:root:VERB 5:mark:PART 3:xcomp:VERB 5:obj:PRON 8:mark:PART 5:xcomp:VERB" });
}

TEST(a_fronted_word_stays_where_no_complement_lacks_it)
{
    CHECK({ "what/WP/3/dobj he/PRP/3/nsubj has/VBZ/0/root to/TO/5/aux make/VB/3/xcomp progress/NN/5/dobj",
            "3:obj:PRON 3:nsubj:PRON 0:root:VERB 5:mark:PART 3:xcomp:VERB 5:obj:NOUN" },
          { "what/WP/3/dobj I/PRP/3/nsubj use/VBP/0/root to/TO/5/aux clean/VB/3/xcomp", /* a purpose */
            "3:obj:PRON 3:nsubj:PRON 0:root:VERB 5:mark:PART 3:advcl:VERB" },
          { "who/WP/2/nsubj wants/VBZ/0/root to/TO/4/aux win/VB/2/xcomp", /* the subject of the verb */
            "2:nsubj:PRON 0:root:VERB 4:mark:PART 2:xcomp:VERB" },
          { "what/WP/3/dobj I/PRP/3/nsubj ask/VBP/0/root if/IN/6/mark you/PRP/6/nsubj win/VBP/3/ccomp", /* an island */
            "3:obj:PRON 3:nsubj:PRON 0:root:VERB 6:mark:SCONJ 6:nsubj:PRON 3:ccomp:VERB" },
          { "which/WDT/3/dobj they/PRP/3/nsubj called/VBD/0/root for/IN/3/prep to/TO/6/aux stand/VB/3/xcomp",
            "3:obl:PRON 3:nsubj:PRON 0:root:VERB 1:case:ADP 6:mark:PART 3:advcl:VERB" },
          { "what/WP/3/dobj I/PRP/3/nsubj think/VBP/0/root fair/JJ/3/xcomp",
            "3:obj:PRON 3:nsubj:PRON 0:root:VERB 3:xcomp:ADJ" },
          { "what/WP/3/dobj I/PRP/3/nsubj want/VBP/0/root to/TO/6/aux be/VB/6/auxpass seen/VBN/3/xcomp",
            "3:obj:PRON 3:nsubj:PRON 0:root:VERB 6:mark:PART 6:aux:pass:AUX 3:xcomp:VERB" },
          { "what/WP/3/dobj I/PRP/3/nsubj need/VBP/0/root copied/VBN/3/xcomp",
            "3:obj:PRON 3:nsubj:PRON 0:root:VERB 3:xcomp:VERB" },
          { "what/WP/3/dobj I/PRP/3/nsubj say/VBP/0/root they/PRP/5/nsubj are/VBP/3/ccomp there/RB/5/advmod",
            "3:obj:PRON 3:nsubj:PRON 0:root:VERB 6:nsubj:PRON 6:cop:AUX 3:ccomp:ADV" });
}

TEST(an_extraposed_relative_clause_depends_on_its_noun)
{
    CHECK({ "Cells/NNS/3/nsubj may/MD/3/aux grow/VB/0/root that/WDT/5/nsubj look/VBP/3/advcl", /* a subject */
            "3:nsubj:NOUN 3:aux:AUX 0:root:VERB 5:nsubj:PRON 1:acl:relcl:VERB" },
          { "saw/VBD/0/root links/NNS/1/dobj today/NN/1/tmod that/WDT/5/nsubj help/VBP/1/ccomp", /* an object */
            "0:root:VERB 1:obj:NOUN 1:obl:unmarked:NOUN 5:nsubj:PRON 2:acl:relcl:VERB" },
          { "held/VBD/0/root talks/NNS/1/dobj today/NN/1/tmod who/WP/5/nsubj help/VBP/1/rcmod",
            "0:root:VERB 1:obj:NOUN 1:obl:unmarked:NOUN 5:nsubj:PRON 2:acl:relcl:VERB" },
          { "It/PRP/2/nsubj grew/VBD/0/root that/WDT/4/nsubj looks/VBZ/2/advcl", /* not on a pronoun */
            "2:nsubj:PRON 0:root:VERB 4:nsubj:PRON 2:advcl:VERB" });
}

TEST(what_is_compared_depends_on_the_comparative)
{
    CHECK({ "has/VBZ/0/root more/JJR/3/amod room/NN/1/dobj than/IN/3/prep you/PRP/4/pobj",
            "0:root:VERB 3:amod:ADJ 1:obj:NOUN 5:case:ADP 2:obl:PRON" },
          { "knows/VBZ/0/root more/JJR/1/dobj now/RB/1/advmod than/IN/5/mark did/VBD/1/advcl",
            "0:root:VERB 1:obj:ADJ 1:advmod:ADV 5:mark:SCONJ 2:advcl:VERB" },
          { "took/VBD/0/root longer/RBR/1/advmod today/NN/1/tmod than/IN/5/mark hoped/VBN/1/advcl",
            "0:root:VERB 1:advmod:ADV 1:obl:unmarked:NOUN 5:mark:SCONJ 2:advcl:VERB" },
          { "a/DT/3/det bigger/JJR/3/amod threat/NN/0/root than/IN/3/prep you/PRP/4/pobj", /* what kind of threat */
            "3:det:DET 3:amod:ADJ 0:root:NOUN 5:case:ADP 3:nmod:PRON" },
          { "as/RB/2/advmod good/JJ/4/amod a/DT/4/det time/NN/0/root as/IN/4/prep any/DT/5/pobj",
            "2:advmod:ADV 4:amod:ADJ 4:det:DET 0:root:NOUN 6:case:ADP 2:obl:DET" },
          { "so/RB/2/advmod many/JJ/3/amod calls/NNS/0/root that/IN/6/mark I/PRP/6/nsubj left/VBD/3/ccomp",
            "2:advmod:ADV 3:amod:ADJ 0:root:NOUN 6:mark:SCONJ 6:nsubj:PRON 2:advcl:VERB" },
          { "so/RB/2/advmod many/JJ/3/amod calls/NNS/0/root that/WDT/5/nsubj hurt/VBP/3/rcmod", /* a relative clause */
            "2:advmod:ADV 3:amod:ADJ 0:root:NOUN 5:nsubj:PRON 3:acl:relcl:VERB" });
}

TEST(punctuation_follows_the_units_around_it)
{
    CHECK(
        { "However/RB/4/advmod ,/,/4/punct he/PRP/4/nsubj left/VBD/0/root ././4/punct",
          "4:advmod:ADV 1:punct:PUNCT 4:nsubj:PRON 0:root:VERB 4:punct:PUNCT" },
        { "He/PRP/2/nsubj left/VBD/0/root (/-LRB-/2/punct in/IN/2/prep May/NNP/4/pobj )/-RRB-/2/punct",
          "2:nsubj:PRON 0:root:VERB 5:punct:PUNCT 5:case:ADP 2:obl:PROPN 5:punct:PUNCT" },
        { "\"/``/3/punct He/PRP/3/nsubj left/VBD/6/ccomp \"/''/3/punct she/PRP/6/nsubj said/VBD/0/root",
          "3:punct:PUNCT 3:nsubj:PRON 6:ccomp:VERB 3:punct:PUNCT 6:nsubj:PRON 0:root:VERB" },
        /* crossing arcs (the object of "saw" is outside the clause): the comma is below no word beyond them */
        { "saw/VBD/0/root ,/,/5/punct I/PRP/4/nsubj think/VBP/1/parataxis him/PRP/1/dobj",
          "0:root:VERB 4:punct:PUNCT "
          "4:nsubj:PRON 1:parataxis:VERB 1:obj:PRON" },
        /* all words between a mark and its head may be below the head by an arc that crosses the mark's */
        { "prize/NN/0/root (/-LRB-/5/punct which/WDT/5/dobj I/PRP/5/nsubj think/VBP/1/rcmod is/VBZ/7/cop "
          "good/JJ/5/ccomp "
          ")/-RRB-/5/punct",
          "0:root:NOUN 5:punct:PUNCT 7:nsubj:PRON 5:nsubj:PRON 1:acl:relcl:VERB 7:cop:AUX 5:ccomp:ADJ 5:punct:PUNCT" });
}

/* The features of the last word. */
static void check_features(const char *stanford, const char *features)
{
    Built b;
    UdSentence ud;
    build(&b, stanford, test_arena());
    assert_true(ud_convert(&b.s, true, test_arena(), &ud));
    assert_string_equal(ud.features[b.s.n_words - 1], features);
}

TEST(features)
{
    check_features("he/PRP/2/nsubj goes/VBZ/0/root", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin");
    check_features("they/PRP/2/nsubj went/VBD/0/root", "Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin");
    check_features("we/PRP/2/nsubj go/VBP/0/root", "Mood=Ind|Number=Plur|Person=1|Tense=Pres|VerbForm=Fin");
    check_features("Go/VB/0/root", "Mood=Imp|VerbForm=Fin");
    check_features("to/TO/2/aux go/VB/0/root", "VerbForm=Inf");
    check_features("was/VBD/2/auxpass seen/VBN/0/root", "Tense=Past|VerbForm=Part|Voice=Pass");
    check_features("has/VBZ/2/aux seen/VBN/0/root", "Tense=Past|VerbForm=Part");
    check_features("is/VBZ/2/aux going/VBG/0/root", "Tense=Pres|VerbForm=Part");
    check_features("men/NNS/0/root going/VBG/1/vmod", "VerbForm=Ger");
    check_features("saw/VBD/0/root it/PRP/1/dobj", "Case=Acc|Gender=Neut|Number=Sing|Person=3|PronType=Prs");
    check_features("the/DT/0/root", "Definite=Def|PronType=Art");
    check_features("because/IN/2/mwe of/IN/3/prep rain/NN/0/root because/IN/3/dep", "_");
    check_features("better/JJR/0/root", "Degree=Cmp");
    check_features("21st/JJ/0/root", "Degree=Pos|NumForm=Combi|NumType=Ord");
    check_features("VII/CD/0/root", "NumForm=Roman|NumType=Card");
    check_features("not/RB/0/root", "Polarity=Neg");
}

/* The feature and the correct form of the last word, NULL: none; of another one it must not have them. */
static void check_spelling(const char *stanford, const char *feature, const char *correct)
{
    Built b;
    UdSentence ud;
    build(&b, stanford, test_arena());
    assert_true(ud_convert(&b.s, true, test_arena(), &ud));
    int last = b.s.n_words - 1;
    bool marked = strstr(ud.features[last], "Typo=Yes") || strstr(ud.features[last], "Abbr=Yes");
    if (feature ? !strstr(ud.features[last], feature) : marked)
        fail_msg("%s: found %s, expected %s", stanford, ud.features[last], feature ? feature : "neither");
    if (!correct) assert_null(ud.corrected[last]);
    else assert_string_equal(ud.corrected[last], correct);
}

TEST(abbreviations)
{
    check_spelling("u/PRP/0/root", "Abbr=Yes", "you");
    check_spelling("U/PRP/0/root", "Abbr=Yes", "You");
    check_spelling("ur/PRP$/0/root", "Abbr=Yes", "your");
    check_spelling("ppl/NNS/0/root", "Abbr=Yes", "people");
    check_spelling("PLS/UH/0/root", "Abbr=Yes", "PLEASE");
    check_spelling("cuz/IN/0/root", "Abbr=Yes", "because");
    check_spelling("wud/MD/0/root", "Abbr=Yes", "would");
    check_spelling("Sept./NNP/0/root", "Abbr=Yes", NULL);
    check_spelling("yrs/NNS/0/root", "Abbr=Yes", NULL);
    check_spelling("thru/IN/0/root", "Abbr=Yes", NULL);
    check_spelling("asap/RB/0/root", "Abbr=Yes", NULL);
    check_spelling("5/CD/2/num m/CD/0/root", "Abbr=Yes", NULL);
    check_spelling("vitamin/NN/2/nn U/NNP/0/root", NULL, NULL);
    check_spelling("may/MD/0/root", NULL, NULL);
    check_spelling("an/DT/2/det eve/NN/0/root", NULL, NULL);
}

TEST(misspellings)
{
    check_spelling("they/PRP/3/nsubj late/JJ/3/dep r/VBP/0/root", "Typo=Yes", "are");
    check_spelling("do/VBP/2/aux nt/RB/0/root", "Typo=Yes", "n't");
    check_spelling("it/PRP/2/nsubj s/VBZ/0/root", "Typo=Yes", "'s");
    check_spelling("I/PRP/2/nsubj m/VBP/0/root", "Typo=Yes", "'m");
    check_spelling("Teh/DT/0/root", "Typo=Yes", "The");
    check_spelling("DEFINATELY/RB/0/root", "Typo=Yes", "DEFINITELY");
    check_spelling("recieved/VBD/0/root", "Typo=Yes", "received");
    check_spelling("more/JJR/0/root then/IN/1/prep", "Typo=Yes", "than");
    check_spelling("it's/PRP$/0/root", "Typo=Yes", "its");
    check_spelling("loose/VB/0/root", "Typo=Yes", "lose");
    check_spelling("and/CC/2/cc then/RB/0/root", NULL, NULL);
    check_spelling("a/DT/2/det loose/JJ/0/root", NULL, NULL);
    check_spelling("R/NNP/0/root", NULL, NULL);
    check_spelling("re/IN/0/root", NULL, NULL);
}

TEST(a_word_in_pieces_has_one_tag_and_lemma)
{
    CHECK({ "with/GW/0/root out/IN/1/dep", "0:root:ADP 1:goeswith:X" });
    Built b;
    build(&b, "with/GW/0/root out/IN/1/dep", test_arena());
    assert_true(ud_sentence(&b.s, NULL, test_arena()));
    assert_string_equal(b.s.lemmas[0], "without");
    assert_null(b.s.lemmas[1]);
    assert_string_equal(b.s.feats[0], "Typo=Yes");
}

/* A model of another scheme keeps its own relations. */
TEST(stanford_dependencies_are_recognised)
{
    static const char *const stanford[] = { "root", "nsubj", "pobj" }, *const ud[] = { "root", "nsubj", "obl" };
    assert_true(ud_knows_scheme(stanford, 3));
    assert_false(ud_knows_scheme(ud, 3));
    Built b;
    build(&b, "He/PRP/2/nsubj left/VBD/0/root", test_arena());
    assert_true(ud_is_stanford(&b.s));
    b.types[0] = "nsubj:pass";
    assert_false(ud_is_stanford(&b.s));
    b.types[0] = "agent-of"; /* nobody's */
    assert_false(ud_is_stanford(&b.s));
}

static void check_tokens(const char *text, const char *glue, const char *expected)
{
    Built b;
    bool glued[WORDS_MOST] = { false };
    const WordRange *ranges;
    int n;
    FREED(strbuf_fini) StrBuf found = { 0 };
    build(&b, text, test_arena());
    for (int w = 0; glue[w]; w++) glued[w] = glue[w] == '+';
    assert_true(ud_tokens(&b.s, glued, test_arena(), &ranges, &n));
    assert_true((n == 0) == (ranges == NULL));
    strbuf_puts(&found, "");
    for (int r = 0; r < n; r++) strbuf_printf(&found, "%d-%d %s;", ranges[r].begin + 1, ranges[r].end, ranges[r].form);
    assert_string_equal(found.ptr ? found.ptr : "", expected);
}

TEST(contractions_are_multiword_tokens)
{
    check_tokens("I/PRP/0/x do/VBP/0/x n't/RB/0/x know/VB/0/x", " + ", "2-3 don't;");
    check_tokens("I/PRP/0/x would/MD/0/x n't/RB/0/x 've/VB/0/x", " ++", "2-4 wouldn't've;");
    check_tokens("do/VBP/0/x n\xe2\x80\x99t/RB/0/x", "+", "1-2 don\xe2\x80\x99t;");
    check_tokens("John/NNP/0/x 's/POS/0/x dogs/NNS/0/x '/POS/0/x", "+ +", "1-2 John's;3-4 dogs';");
    check_tokens("can/MD/0/x not/RB/0/x is/VBZ/0/x not/RB/0/x", "+ +", "1-2 cannot;");
    check_tokens("gon/VBG/0/x na/TO/0/x", "+", "1-2 gonna;");
    check_tokens("do/VBP/0/x n't/RB/0/x", " ", ""); /* written apart */
    check_tokens("\"/``/0/x 's/VBZ/0/x", "+", "");  /* no word before it */
    check_tokens("dogs/NNS/0/x ,/,/0/x", "+", "");
}

/* The relations that UD English has; those below function words; punctuation. */
static void check_valid(const Sentence *sent, const UdSentence *ud)
{
    static const char *const relations =
        " root acl acl:relcl advcl advcl:relcl advmod amod appos aux aux:pass case cc cc:preconj ccomp compound "
        "compound:prt conj cop csubj csubj:outer csubj:pass dep det det:predet discourse dislocated expl fixed flat "
        "goeswith iobj list mark nmod nmod:desc nmod:poss nmod:unmarked nsubj nsubj:outer nsubj:pass nummod obj obl "
        "obl:agent obl:unmarked orphan parataxis punct reparandum vocative xcomp ";
    int word;
    const char *what;
    assert_true(tree_heads_valid(ud->heads, sent->n_words, &word, &what));
    for (int w = 0; w < sent->n_words; w++) {
        char name[64];
        snprintf(name, sizeof name, " %s ", ud->relations[w]);
        if (!strstr(relations, name)) fail_msg("relation%s", name);
        assert_int_equal(ud->heads[w] == 0, strcmp(ud->relations[w], "root") == 0);
        if (ud->heads[w] == 0) continue;
        const char *above = ud->relations[ud->heads[w] - 1];
        if (strcmp(above, "punct") == 0) fail_msg("word %d is below punctuation", w + 1);
        bool right = strcmp(ud->relations[w], "conj") == 0 || strcmp(ud->relations[w], "flat") == 0 ||
                     strcmp(ud->relations[w], "fixed") == 0 || strcmp(ud->relations[w], "goeswith") == 0;
        if (right && ud->heads[w] > w + 1) fail_msg("%s points to the left", ud->relations[w]);
    }
}

static const char *const TYPES[] = { "advcl", "advmod", "amod",  "appos", "aux",  "auxpass", "cc",       "ccomp",
                                     "conj",  "cop",    "dep",   "det",   "dobj", "mark",    "mwe",      "neg",
                                     "nn",    "nsubj",  "num",   "pcomp", "pobj", "poss",    "prep",     "punct",
                                     "rcmod", "root",   "xcomp", "tmod",  "vmod", "expl",    "quantmod", "unheard of" };
static const char *const WORDS[] = { "as",   "well", "of",   "is",    "what", "it",    "to",   "(",
                                     ")",    "\"",   ",",    "March", "15",   "Mr.",   "John", "not",
                                     "more", "than", "such", "said",  "in",   "order", "-",    "" };
static const char *const TAGS[] = { "NN",  "NNP", "VB",  "VBD", "IN",  "CD", "DT",          "RB",
                                    "CC",  "WP",  "JJ",  ",",   ".",   "``", "TO",          "HYPH",
                                    "PRP", "EX",  "VBG", "GW",  "POS", "",   "no such tag", "-LRB-" };

typedef struct Random {
    uint64_t key;
    uint32_t next;
} Random;

static int below(Random *rng, size_t n) { return (int)(rng_bits32(rng->key, rng->next++) % n); }

#define PICK(rng, list) (list)[below(rng, sizeof(list) / sizeof *(list))]

/* A random tree of n words; heads are near or far. */
static void random_sentence(Built *b, Random *rng, int n)
{
    int root = below(rng, (size_t)n);
    for (int w = 0; w < n; w++) {
        b->words[w] = PICK(rng, WORDS);
        b->tags[w] = PICK(rng, TAGS);
        b->types[w] = PICK(rng, TYPES);
        /* attached to a word that is nearer to the root: no cycle */
        int distance = w > root ? w - root : root - w;
        b->heads[w] = w == root  ? 0
                      : w > root ? w - below(rng, (size_t)distance)
                                 : w + 2 + below(rng, (size_t)distance);
    }
    b->s = (Sentence){ .n_words = n, .words = b->words, .tags = b->tags, .heads = b->heads, .types = b->types };
}

TEST(any_tree_gives_a_valid_tree)
{
    Random rng = { .key = rng_key(7, 0, 0, 0) };
    for (int k = 0; k < 20000; k++) {
        Built b = { 0 };
        UdSentence ud;
        MADE(Arena, arena_init, arena_fini, arena, 1 << 12);
        random_sentence(&b, &rng, 1 + below(&rng, 20));
        assert_true(ud_convert(&b.s, true, &arena, &ud));
        check_valid(&b.s, &ud);
    }
}

TEST(a_sentence_may_lack_words_tags_or_arcs)
{
    Built b;
    UdSentence ud;
    build(&b, "He/PRP/2/nsubj left/VBD/0/root", test_arena());
    b.s.tags = NULL;
    assert_true(ud_convert(&b.s, true, test_arena(), &ud));
    assert_null(ud.upos);
    assert_string_equal(ud.relations[0], "nsubj");
    build(&b, "He/PRP/2/nsubj left/VBD/0/root", test_arena());
    b.s.heads = NULL;
    assert_true(ud_convert(&b.s, true, test_arena(), &ud));
    assert_null(ud.heads);
    assert_string_equal(ud.upos[1], "VERB");
    b.s.n_words = 0;
    assert_true(ud_convert(&b.s, true, test_arena(), &ud));
}

TEST(memory_may_run_out_anywhere)
{
    static const bool glued[] = { false, false, true, false, false, true, false };
    for (long n = 0; allocation_fails(n); n++) {
        Built b;
        MADE(Arena, arena_init, arena_fini, arena, 64);
        build(&b, "Mr./NNP/2/nn Smith/NNP/3/nsubj is/VBZ/0/root n't/RB/3/neg in/IN/3/prep Paris/NNP/5/pobj ././3/punct",
              &arena);
        mem_fail_after(n);
        if (!assert_done_or_no_memory(ud_sentence(&b.s, glued, &arena))) continue;
        check_valid(&b.s, &(UdSentence){ b.s.heads, b.s.types, b.s.upos, b.s.feats, NULL });
        assert_string_equal(b.s.lemmas[2], "be");
        assert_int_equal(b.s.n_ranges, 1);
        assert_string_equal(b.s.ranges[0].form, "isn't");
    }
}

/* Chains and stars of 50,000 words: time must not grow with the square. */
TEST(long_sentences_take_little_time)
{
    enum { N = 50000 };
    FREED(free_pointer)
    const char **words = mem_alloc(N, sizeof *words), **tags = mem_alloc(N, sizeof *tags),
               **types = mem_alloc(N, sizeof *types);
    FREED(free_pointer) int *heads = mem_alloc(N, sizeof *heads);
    Random rng = { .key = rng_key(3, 0, 0, 0) };
    for (int shape = 0; shape < 4; shape++) {
        UdSentence ud;
        for (int w = 0; w < N; w++) {
            words[w] = shape == 3 ? (w % 2 ? "(" : ")") : PICK(&rng, WORDS);
            tags[w] = PICK(&rng, TAGS);
            types[w] = shape == 1 ? "conj" : shape == 3 && w ? "punct" : PICK(&rng, TYPES);
            heads[w] = shape == 0 ? w : shape == 1 ? w : shape == 2 ? (w == N / 2 ? 0 : N / 2 + 1) : (w ? 1 : 0);
        }
        Sentence s = { .n_words = N, .words = words, .tags = tags, .heads = heads, .types = types };
        assert_true(ud_convert(&s, true, test_arena(), &ud));
        check_valid(&s, &ud);
    }
}
