/* Words as a model sees them. */
#include <string.h>

#include "language/english/text/fold.h"
#include "tests/support/check.h"

enum { MOST = 16 };

/* Folds words separated by blanks; a word that begins with ~ has no blank before it in the text, if `spaced`. tags:
 * likewise, "-" is none; or NULL. */
static void check(const char *sentence, const char *tags, bool spaced, const char *want)
{
    char text[256], tag_text[256], got[256] = "";
    const char *words[MOST], *tag[MOST];
    bool space[MOST];
    int n = 0, n_tags = 0;
    snprintf(text, sizeof text, "%s", sentence);
    for (char *p = strtok(text, " "); p; p = strtok(NULL, " ")) {
        space[n] = *p != '~';
        words[n++] = p + (*p == '~');
    }
    snprintf(tag_text, sizeof tag_text, "%s", tags ? tags : "");
    for (char *p = strtok(tag_text, " "); p; p = strtok(NULL, " ")) tag[n_tags++] = strcmp(p, "-") == 0 ? NULL : p;
    assert_true(!tags || n_tags == n);
    const char **folded = fold_words(words, tags ? tag : NULL, spaced ? space : NULL, n, test_arena());
    assert_non_null(folded);
    for (int w = 0; w < n; w++) snprintf(got + strlen(got), sizeof got - strlen(got), w ? " %s" : "%s", folded[w]);
    assert_string_equal(got, want);
}

TEST(apostrophes_and_hyphens_are_ascii)
{
    check("I do n’t know the dogs ’ names", NULL, false, "I do n't know the dogs ' names");
    check("’Tis rock ʼn’ roll ‘em", NULL, false, "'Tis rock 'n' roll 'em");
    check("well‑known co‐op soft\u00ADhyphen wait…", NULL, false, "well-known co-op softhyphen wait...");
    check("\u200B … é", NULL, false, "\u200B ... é");
    check("n´t `s n′t ＇m ‛re O´Brien \u0301 ` ``", NULL, false, "n't 's n't 'm 're O'Brien \u0301 ` ``");
}

TEST(signs_are_the_plain_ones_that_they_stand_for)
{
    check("ﬁne ﬂow oﬃce Ⅳ ⅷ ｂｏｏｋ １２ ＄ ， ． （ 。", NULL, false, "fine flow office IV viii book 12 $ , . ( .");
    check("cafe\u0301s nai\u0308ve re\u0301sume\u0301", NULL, false, "cafés naïve résumé");
    check("「 No 」 „ Ja ” ½ ² ½", NULL, false, "`` No '' `` Ja '' ½ ² ½");
}

TEST(curly_quotes_have_a_direction)
{
    check("“ Go , ” she said . ‘ No ’", NULL, false, "`` Go , '' she said . ` No '");
    check("„ Ja ” « oui »", NULL, false, "`` Ja '' `` oui ''");
    check("`` PTB ''", NULL, false, "`` PTB ''");
}

TEST(tags_direct_straight_quotes)
{
    check("\" a \" b \"", "'' - `` - ''", false, "'' a `` b ''");
    check("' a ' dogs '", "`` NN '' NNS POS", false, "` a ' dogs '");
}

TEST(blanks_direct_straight_quotes)
{
    check("He said ~: \" ~Go ~, ~\" and left", NULL, true, "He said : `` Go , '' and left");
    /* a quotation that began in another sentence */
    check("I will go ~, ~\" he said", NULL, true, "I will go , '' he said");
    check("~\" he said ~, \" ~No ~. ~\"", NULL, true, "'' he said , `` No . ''");
    check("a ( ~\" ~b ~\" ~)", NULL, true, "a ( `` b '' )");
    check("5 ~' 11 ~\" tall", NULL, true, "5 ' 11 '' tall");
    check("a ' ~b ~' c", NULL, true, "a ` b ' c");
}

TEST(place_directs_straight_quotes)
{
    check("\" Go , \" he said , \" now . \"", NULL, false, "`` Go , '' he said , '' now . ''");
    check("He said : \" Go . \"", NULL, false, "He said : `` Go . ''");
    check("I will . \"", NULL, false, "I will . ''");
    check("I will go , \" he said , \" Then I stop", NULL, false, "I will go , '' he said , `` Then I stop");
    check("\"", NULL, false, "``");
}
