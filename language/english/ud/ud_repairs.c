/* What did a speaker begin and say again: "the the dog", "I wanted to — I wanted to work", "he w- went home"? The first
 * attempt is a reparandum of the second, which takes its place. Neither the tree nor Stanford's scheme has a name for
 * it; the words tell, since nobody repeats an article. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

enum {
    STRETCH_MOST = 6, /* words of an attempt */
    ABOVE_MOST = 500, /* arcs from the second attempt up to the first */
    BETWEEN_MOST = 4, /* marks and interjections between two attempts */
    CUT_OFF_MOST = 9  /* bytes of a word cut off, with its hyphen */
};

/* Words that are not repeated for emphasis, and verbs that are repeated only by accident where a dash says so. */
#define CLOSED (TAG_DT | TAG_IN | TAG_TO | TAG_PRP | TAG_PRPS | TAG_CC | TAG_WP | TAG_WDT | TAG_WRB | TAG_EX)
#define FINITE (TAG_VBD | TAG_VBZ | TAG_VBP | TAG_MD)

static bool is_same(const UdTree *t, int a, int b)
{
    return strcmp(t->w[a].lower, t->w[b].lower) == 0 && (t->w[a].tag == t->w[b].tag || ud_word_among(t, a, "to in"));
}

/* "w- went": letters and a hyphen, but not the first part of a compound ("pre- and post-war"). */
static bool is_cut_off(const UdTree *t, int w)
{
    const char *s = t->w[w].lower;
    size_t letters = strspn(s, "abcdefghijklmnopqrstuvwxyz'");
    if (!letters || letters + 2 > CUT_OFF_MOST || strcmp(s + letters, "-") != 0 || w == t->n) return false;
    bool said = strncmp(s, t->w[w + 1].lower, letters) == 0;
    return said || !ud_tag_among(t, w + 1, TAG_CC | TAG_TO | TAG_HYPH) || ud_tag_among(t, w, TAG_UH);
}

/* The first word of the next attempt after word `last`: marks, interjections and words cut off may stand between.
 * 0 if nothing is repeated. */
static int next_attempt(const UdTree *t, int last, bool *dash, bool *comma)
{
    int w = last + 1;
    *dash = *comma = false;
    for (; w <= t->n && w <= last + BETWEEN_MOST; w++) {
        if (ud_word_among(t, w, "- -- – — ‒") || is_cut_off(t, w)) *dash = true;
        else if (ud_tag_among(t, w, TAG_COMMA)) *comma = true;
        else if (!ud_tag_among(t, w, TAG_UH) || w == last + 1) break;
    }
    return w <= t->n ? w : 0;
}

static bool has_tag(const UdTree *t, int first, int n, UdTags tags)
{
    for (int w = first; w < first + n; w++)
        if (ud_tag_among(t, w, tags)) return true;
    return false;
}

/* Does an attempt of n words begin at a, and the next one at b? "I know, I know." says a whole clause twice. */
static bool is_repeated(const UdTree *t, int a, int b, int n, bool dash, bool comma)
{
    if (b + n - 1 > t->n) return false;
    for (int k = 0; k < n; k++)
        if (!is_same(t, a + k, b + k)) return false;
    int after = b + n;
    bool whole = (a == 1 || ud_is_mark(t, a - 1)) && (after > t->n || ud_is_mark(t, after));
    if (whole) return false;
    if (n == 1) {
        if (comma && ud_word_among(t, a, "it her")) return false;
        return ud_tag_among(t, a, CLOSED) ? !ud_word_among(t, a, "no") : dash && ud_tag_among(t, a, FINITE);
    }
    bool begins = ud_tag_among(t, a, CLOSED | FINITE) && !ud_tag_among(t, a, TAG_CC);
    if (dash) return begins || has_tag(t, a, n, CLOSED);
    return begins && has_tag(t, a, n, TAG_DT | TAG_PRP | TAG_PRPS | TAG_EX | TAG_MD) &&
           (has_tag(t, a, n, FINITE) || ud_tag_among(t, a, TAG_IN | TAG_TO)) && !ud_tag_among(t, a + n - 1, TAG_CC);
}

static bool is_in(int w, int first, int n) { return w >= first && w < first + n; }

/* Puts the attempt of n words at b in the place of the one at a. */
static void take_place(UdTree *t, int a, int b, int n)
{
    int up = b, top = 0;
    for (int k = 0; k < ABOVE_MOST && t->w[up].head && !is_in(t->w[up].head, a, n); k++) up = t->w[up].head;
    if (is_in(t->w[up].head, a, n)) { /* the first attempt is above the second */
        int outer = t->w[up].head;
        while (is_in(t->w[outer].head, a, n)) outer = t->w[outer].head;
        top = up;
        t->w[top].head = t->w[outer].head;
        t->w[top].relation = t->w[outer].relation;
    }
    for (int w = a; w < a + n; w++)
        for (int k = t->first[w]; k < t->first[w + 1] && k < t->first[w] + UD_KIDS_MOST; k++) {
            int kid = t->kids[k], to = b + (w - a);
            if (t->w[kid].head != w || is_in(kid, a, n)) continue;
            if (!ud_hang(t, kid, to, t->w[kid].relation) && top) (void)ud_hang(t, kid, top, t->w[kid].relation);
        }
}

/* Which word of an attempt is its head: a verb rather than another word, and a preposition last? */
static int rank(const UdTree *t, int w)
{
    return ud_tag_among(t, w, TAGS_VERB | TAG_MD) ? 2 : !ud_tag_among(t, w, TAG_IN | TAG_TO);
}

/* Gives the first attempt the inner structure of the second, and hangs it there. */
static void repair(UdTree *t, int a, int b, int n)
{
    int top = 0, tops = 0;
    take_place(t, a, b, n);
    for (int k = 0; k < n; k++) {
        if (is_in(t->w[b + k].head, b, n)) continue;
        if (!top || rank(t, a + k) > rank(t, top)) top = a + k;
        tops++;
    }
    int twin = b + (top - a), head = t->w[twin].head;
    UdRelation r = t->w[twin].relation;
    bool function = r == UD_AUX || r == UD_COP || r == SD_AUXPASS || r == UD_MARK;
    if (!head || (tops == 1 && !function)) head = twin;
    for (int k = 0; k < n; k++) {
        int above = t->w[b + k].head;
        bool inner = is_in(above, b, n);
        t->w[a + k].head = inner ? a + (above - b) : top;
        t->w[a + k].relation = t->w[b + k].relation == SD_PREP && !inner ? UD_CASE : t->w[b + k].relation;
    }
    t->w[top].head = head;
    t->w[top].relation = UD_REPARANDUM;
}

/* Hangs a word cut off below what is said instead. */
static void cut_off(UdTree *t, int w)
{
    bool dash, comma;
    int next = next_attempt(t, w, &dash, &comma);
    while (next && next < t->n && ud_tag_among(t, next, TAG_UH)) next = next_attempt(t, next, &dash, &comma);
    if (!next || !is_cut_off(t, w) || ud_tag_among(t, next, TAG_STOP)) return;
    take_place(t, w, next, 1);
    size_t letters = strlen(t->w[w].lower) - 1;
    bool said = strncmp(t->w[w].lower, t->w[next].lower, letters) == 0;
    int head = t->w[next].head;
    switch (t->w[next].relation) {
    case UD_DET:
    case UD_COP:
    case UD_AUX:
    case UD_MARK:
    case UD_NSUBJ:
    case UD_ADVMOD:
    case UD_AMOD:
    case SD_NSUBJPASS:
    case SD_POSS:
    case SD_NUM:
    case SD_NN:
        if (!said && head > next) next = head;
        break;
    default: break;
    }
    (void)ud_hang(t, w, next, UD_REPARANDUM);
}

bool ud_repairs(UdTree *tree)
{
    for (int a = 1; a < tree->n; a++) {
        for (int n = STRETCH_MOST; n > 0; n--) {
            bool dash, comma;
            int b = a + n <= tree->n ? next_attempt(tree, a + n - 1, &dash, &comma) : 0;
            if (!b || !is_repeated(tree, a, b, n, dash, comma)) continue;
            repair(tree, a, b, n);
            a = b - 1;
            break;
        }
    }
    for (int w = 1; w < tree->n; w++) cut_off(tree, w);
    return true;
}
