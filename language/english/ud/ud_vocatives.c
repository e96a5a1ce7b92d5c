/* Who is spoken to: "Come in, Dr. Fox". Addressees are set apart by commas, or they are nouns that stand alone for
 * nothing else ("dude"). Stanford's converter makes them objects, subjects or appositions; the tree shows that the
 * clause has its own. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

/* Common nouns and pronouns that address; those that need no comma. */
#define ALONE                                                                                                    \
    "sir madam maam ma'am dude buddy bud bro hon honey babe mate pal guys folks y'all ya'll mommy daddy fellas " \
    "everyone everybody"
#define ADDRESSES                                                                                             \
    ALONE " mom mum dad man friend friends people ladies gentlemen boys girls boy girl kid kids kiddo child " \
          "children son daughter brother brothers sister sisters all lord lords honor honour honors majesty " \
          "excellency doctor professor officer chief boss captain coach counselor grandma grandpa auntie "    \
          "darling dear sweetie sweetheart love baby stranger mister miss lady chairman president speaker "   \
          "minister senator ambassador teacher colleagues viewers listeners readers comrades members"
#define GREETINGS "hi hey hello howdy greetings welcome thanks bye goodbye morning afternoon evening night"
#define OATHS "god christ jesus gosh lord"
/* Capitalised words that are times, exclamations or abbreviations. */
#define NO_PERSONS                                                                                          \
    "january february march april may june july august september october november december monday tuesday " \
    "wednesday thursday friday saturday sunday fridays ps p.s. p.s " OATHS

enum { ADDRESSEE_MOST = 5 }; /* words */

/* Does phrase p stand first in the one around it, but for marks, conjunctions and interjections? */
static bool begins(const UdTree *t, const UdPhrase *p)
{
    int first = p->up >= 0 ? t->phrases[p->up].first : 1, w = p->first;
    while (w > first && ud_tag_among(t, w - 1, TAG_UH | TAG_CC | TAG_COMMA | TAG_COLON | TAG_OPEN_QUOTE)) w--;
    return w == first;
}

static bool ends(const UdTree *t, int w)
{
    return w == t->n || ud_tag_among(t, w + 1, TAG_STOP | TAG_NFP | TAG_CLOSE_QUOTE) ||
           (w + 1 == t->n && ud_tag_among(t, w + 1, TAG_COMMA | TAG_COLON));
}

static bool is_capitalised(const UdTree *t, int w) { return strcmp(t->w[w].form, t->w[w].lower) != 0; }

/* Is the word one by which people are spoken to? */
static bool may_address(const UdTree *t, int w)
{
    if (ud_word_among(t, w, NO_PERSONS)) return false;
    return (ud_tag_among(t, w, TAGS_PROPER) && is_capitalised(t, w)) || ud_word_among(t, w, ADDRESSES);
}

/* "my friends", "your honor" */
static bool is_of_ours(const UdTree *t, const UdPhrase *p)
{
    return ud_tag_among(t, p->first, TAG_PRPS) &&
           ud_word_among(t, p->last, "friend friends dear love lord lords man honor honour majesty excellency");
}

/* Is the noun phrase a name, or a noun by which people are spoken to? */
static bool is_addressee(const UdTree *t, const UdPhrase *p)
{
    if (!p->head || !text_among(p->label, "NP NML NX") || p->last - p->first >= ADDRESSEE_MOST) return false;
    for (int w = p->first; w < p->last; w++)
        if (!ud_tag_among(t, w, TAGS_PROPER | TAG_PRPS | TAG_JJ | TAG_CC) && !may_address(t, w)) return false;
    bool owned = ud_tag_among(t, p->first, TAG_PRPS);
    return may_address(t, p->last) && (!owned || is_of_ours(t, p)) && !ud_word_among(t, p->head, GREETINGS);
}

/* "Mr. President", "Madam Speaker": addresses in any place between commas. */
static bool is_formal(const UdTree *t, const UdPhrase *p)
{
    return p->first < p->last && ud_word_among(t, p->first, "mr. mr madam madame mrs. ms. mister") &&
           ud_word_among(t, p->last,
                         "president speaker chairman chairwoman secretary minister mayor ambassador chancellor "
                         "justice");
}

/* The predicate of the clause around phrase p; 0: there is none besides it. */
static int clause_around(const UdTree *t, const UdPhrase *p)
{
    for (int q = p->up; q >= 0; q = t->phrases[q].up) {
        int h = t->phrases[q].head;
        if (ud_phrase_among(t, q, "S SQ SINV SBARQ SBAR FRAG INTJ TOP ROOT VP") && h && (h < p->first || h > p->last))
            return h;
    }
    return 0;
}

/* Has predicate h a subject between the phrase and itself, or is it an imperative? */
static bool has_own_subject(const UdTree *t, const UdPhrase *p, int h, bool comma)
{
    for (int k = t->first[h]; k < t->first[h + 1] && k < t->first[h] + UD_KIDS_MOST; k++) {
        int s = t->kids[k];
        UdRelation r = t->w[s].relation;
        if (s <= p->last || (r != UD_NSUBJ && r != SD_NSUBJPASS && r != UD_EXPL && r != UD_CSUBJ)) continue;
        if (ud_word_among(t, s, "he she today yesterday tomorrow tonight")) return false;
        return comma || (s == p->last + 1 && ud_tag_among(t, s, TAG_PRP));
    }
    return comma && ud_tag_among(t, h, TAG_VB) && !ud_kid(t, h, UD_AUX) && h > p->last;
}

/* Before the clause: "Mary, come in", "Dude you are late". */
static bool precedes(const UdTree *t, const UdPhrase *p, int h)
{
    bool comma = p->last < t->n && ud_tag_among(t, p->last + 1, TAG_COMMA | TAG_COLON);
    return h > p->last && begins(t, p) && ud_phrase_among(t, p->up, "S SQ SINV SBARQ FRAG") &&
           has_own_subject(t, p, h, comma);
}

/* After a comma: "Come in, Mary", "I agree with you, Mary". */
static bool is_after_comma(const UdTree *t, const UdPhrase *p)
{
    const UdPhrase *before = p->before >= 0 ? &t->phrases[p->before] : NULL;
    if (!ud_phrase_among(t, p->up, "NP")) return !ud_phrase_among(t, p->before, "NP") || !may_address(t, before->last);
    bool pronoun = before && before->first == before->last && ud_tag_among(t, before->first, TAG_PRP);
    return pronoun || (is_of_ours(t, p) && ud_tag_among(t, p->last, TAG_NNS));
}

/* After the clause or a part of it: "What's up dude?", "enjoy it my friend", "what did you do Mary?" */
static bool follows(const UdTree *t, const UdPhrase *p, int h)
{
    if (h >= p->first || !ends(t, p->last)) return false;
    if (ud_tag_among(t, p->first - 1, TAG_COMMA)) return is_after_comma(t, p);
    if (ud_phrase_among(t, p->up, "PP NP"))
        return ud_tag_among(t, p->first - 1, TAG_RB) && ud_word_among(t, p->last, ALONE);
    int object = ud_kid(t, h, SD_DOBJ);
    bool second = object && object < p->first && t->w[p->head].relation == SD_DOBJ && t->w[p->head].head == h;
    return second || (p->first == p->last && ud_word_among(t, p->last, ALONE)) ||
           (is_of_ours(t, p) && ud_phrase_among(t, p->before, "NP"));
}

/* Hangs addressee w, and not the word that greets him, below the other: "Hi Mary", "Good morning, Mary". */
static void greet(UdTree *t, int greeting, int w)
{
    int h = t->w[w].head, between = t->w[greeting].head;
    if (h == greeting) t->w[w].relation = UD_VOCATIVE;
    if (between && between != w && between == greeting - 1 && t->w[between].head == w) { /* "good" */
        t->w[between].head = greeting;
        t->w[between].relation = UD_AMOD;
        t->w[greeting].head = w;
    }
    if (t->w[greeting].head != w) return;
    t->w[greeting].head = h;
    t->w[greeting].relation = t->w[w].relation;
    t->w[w].head = greeting;
    t->w[w].relation = UD_VOCATIVE;
    for (int k = t->first[w]; k < t->first[w + 1] && t->kids[k] < greeting; k++) t->w[t->kids[k]].head = greeting;
}

/* A greeting, and a name or noun after it up to a mark. */
static void greeted(UdTree *t, int greeting)
{
    int first = greeting + 1, w = first;
    if (!ud_word_among(t, greeting, GREETINGS)) return;
    if (ud_word_among(t, greeting, "morning afternoon evening night") && !ud_word_among(t, greeting - 1, "good"))
        return;
    if (first < t->n && ud_tag_among(t, first, TAG_COMMA)) w = ++first;
    while (w < t->n && w < first + ADDRESSEE_MOST && !ud_is_mark(t, w + 1)) w++;
    if (w > t->n || w >= first + ADDRESSEE_MOST || !may_address(t, w)) return;
    int head = w; /* "Mr. Hill" depends on its last word, "John Hill" may not */
    while (head > first && t->w[head].head >= first && t->w[head].head <= w) head = t->w[head].head;
    if (t->w[head].relation == SD_POBJ) return; /* "thanks from Bill", "welcome Ann to the team" */
    greet(t, greeting, head);
}

/* "Thank you, Mr. President", "thank you guys" */
static bool is_thanked(const UdTree *t, int first)
{
    int you = first - 1;
    while (you > 1 && ud_tag_among(t, you, TAG_COMMA)) you--;
    return you > 1 && ud_word_among(t, you, "you u ya") && ud_word_among(t, you - 1, "thank");
}

/* "Thank you guys": three words on one level. */
static void thank_you_all(UdTree *t, int w)
{
    if (t->w[w - 1].head == w && t->w[w].head == w - 2) {
        t->w[w - 1].head = w - 2;
        t->w[w - 1].relation = SD_DOBJ;
    }
    if (t->w[w - 1].head == w - 2) (void)ud_hang(t, w, w - 2, UD_VOCATIVE);
}

static void address(UdTree *t, const UdPhrase *p)
{
    int h = p->head && !ud_phrase_among(t, p->up, "PP") ? clause_around(t, p) : 0;
    if (h && p->first == p->last && ud_word_among(t, p->first, OATHS) && precedes(t, p, h))
        (void)ud_hang(t, p->head, h, UD_DISCOURSE);
    if (!h || !is_addressee(t, p)) return;
    bool commas = ud_tag_among(t, p->first - 1, TAG_COMMA) && (p->last == t->n || ud_is_mark(t, p->last + 1));
    if (precedes(t, p, h) || follows(t, p, h) || (is_formal(t, p) && commas) ||
        (is_thanked(t, p->first) && ends(t, p->last)))
        (void)ud_hang(t, p->head, h, UD_VOCATIVE);
}

bool ud_vocatives(UdTree *tree)
{
    for (int p = 0; p < tree->n_phrases; p++) address(tree, &tree->phrases[p]);
    for (int w = 1; w < tree->n; w++) {
        greeted(tree, w);
        if (w > 2 && ud_word_among(tree, w, "guys all folks") && is_thanked(tree, w)) thank_you_all(tree, w);
    }
    return true;
}
