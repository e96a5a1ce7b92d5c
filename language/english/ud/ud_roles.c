/* Which words are subjects, addressees or comments on a whole clause? The tree says it where Stanford's converter,
 * and so the arcs that models learn, had no rule. The relations are still Stanford's; the passes after this one
 * rename them. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#define FINITE (TAG_VBD | TAG_VBZ | TAG_VBP | TAG_MD)
#define CLAUSES "S SQ SINV SBARQ"

/* The word after `word` that is no adverb, at most three on. */
static int after_adverbs(const UdTree *t, int word)
{
    int w = word + 1;
    while (w < t->n && w <= word + 3 && ud_tag_among(t, w, TAG_RB)) w++;
    return w <= t->n ? w : 0;
}

static bool has_subject(const UdTree *t, int h)
{
    return ud_kid(t, h, UD_NSUBJ) || ud_kid(t, h, SD_NSUBJPASS) || ud_kid(t, h, UD_EXPL);
}

/* Can the words of phrase p be a clause that is a subject: "that she left", "what he wrote", "for him to go",
 * "to go", "going"? */
static bool may_be_subject(const UdTree *t, const UdPhrase *p)
{
    int first = p->first;
    bool to = false;
    for (int w = first; w < p->last && w <= p->head; w++) to |= ud_tag_among(t, w, TAG_TO);
    if (text_among(p->label, "SBAR"))
        return ud_word_among(t, first, "that whether what whatever who whoever how where why") ||
               (ud_word_among(t, first, "for") && to);
    bool gerund =
        ud_tag_among(t, p->head, TAG_VBG) || ud_tag_among(t, first, TAG_VBG) || ud_tag_among(t, first + 1, TAG_VBG);
    return to || gerund;
}

/* The phrase of the predicate after phrase p, a sibling: asides may stand between. -1: there is none. */
static int predicate_after(const UdTree *t, const UdPhrase *p)
{
    int s = p->after;
    while (ud_phrase_among(t, s, "PRN PP ADVP")) s = t->phrases[s].after;
    return s;
}

/* The finite verb after phrase p; commas in between are a pair around an aside. 0: there is none. */
static int verb_after(const UdTree *t, const UdPhrase *p)
{
    int s = predicate_after(t, p), next = p->last + 1, from = ud_phrase_among(t, s, "VP") ? t->phrases[s].first : next;
    bool opened = ud_tag_among(t, next, TAG_COMMA | TAG_LRB), closed = ud_tag_among(t, from - 1, TAG_COMMA | TAG_RRB);
    if (opened != (from > next + 1 && closed)) return 0;
    int verb = after_adverbs(t, from - 1);
    return verb && ud_tag_among(t, verb, FINITE) ? verb : 0;
}

/* "That she left annoyed him": a clause in the place of a subject, before the finite verb, or in a question after
 * it. */
static void clausal_subject(UdTree *t, const UdPhrase *p)
{
    int c = p->head, h = p->up >= 0 ? t->phrases[p->up].head : 0;
    if (!c || !h || h <= p->last || !text_among(p->label, "SBAR S") || !ud_phrase_among(t, p->up, CLAUSES)) return;
    bool asked =
        ud_phrase_among(t, p->up, "SQ") && p->first > t->phrases[p->up].first && ud_tag_among(t, p->first - 1, FINITE);
    if (!(asked || verb_after(t, p)) || !may_be_subject(t, p) || has_subject(t, h)) return;
    bool passive = ud_kid(t, h, SD_AUXPASS) != 0, prepositional = t->w[c].relation == SD_PREP;
    if (!ud_hang(t, c, h, passive ? SD_CSUBJPASS : UD_CSUBJ) || !prepositional) return;
    for (int k = t->first[c]; k < t->first[c + 1]; k++) /* "following the talent" as "according to him" */
        if (t->w[t->kids[k]].relation == SD_POBJ) t->w[t->kids[k]].relation = SD_DOBJ;
}

/* "He left, which pleased me": a relative clause beside a verb says something of the whole clause. */
static void comment(UdTree *t, const UdPhrase *p)
{
    int c = p->head, h = p->up >= 0 ? t->phrases[p->up].head : 0, wh = p->first;
    if (!c || !h || h >= p->first || !text_among(p->label, "SBAR") || !ud_phrase_among(t, p->up, CLAUSES " VP ADJP"))
        return;
    if (ud_tag_among(t, wh, TAG_IN) && wh < p->last) wh++;
    if (!ud_word_among(t, wh, "which") || !ud_tag_among(t, p->first - 1, TAG_COMMA | TAG_COLON | TAG_LRB)) return;
    (void)ud_hang(t, c, h, UD_ADVCL_RELCL);
}

/* "Go wherever you like": a free relative that is an adverb. */
static void free_adverb(UdTree *t, const UdPhrase *p)
{
    int c = p->head, wh = p->first;
    if (!text_among(p->label, "SBAR") || !c || t->w[wh].head != c || t->w[wh].relation != UD_ADVMOD) return;
    if (!ud_word_among(t, wh, "wherever whenever whereever") || t->w[c].relation != UD_ADVCL || !t->w[c].head) return;
    t->w[wh].head = t->w[c].head;
    t->w[c].head = wh;
    t->w[c].relation = UD_ADVCL_RELCL;
}

/* "Is being late considered rude?": after a form of "be" that asks, "being" begins the subject. */
static void gerund_subject(UdTree *t, int be)
{
    int being = be + 1, v = t->w[be].head;
    if (!ud_word_among(t, being, "being") || !ud_is_be(t, be) || v <= being + 1 || !ud_tag_among(t, v, TAG_VBN)) return;
    if (be > 1 && !ud_tag_among(t, be - 1, TAG_WP | TAG_WDT | TAG_WRB | TAG_CC | TAG_COMMA | TAG_UH)) return;
    int c = v - 1;
    bool adverb = ud_tag_among(t, c, TAG_RB) && !strstr(t->w[c].lower, "ly");
    if (!adverb && !ud_tag_among(t, c, TAGS_ADJECTIVE | TAGS_NOUN)) return;
    if (!ud_hang(t, c, v, SD_CSUBJPASS) || !ud_hang(t, being, c, UD_COP)) return;
    for (int w = being + 1; w < c; w++)
        if (t->w[w].head == v) t->w[w].head = c;
    t->w[be].relation = SD_AUXPASS;
    if (be > 1 && t->w[be - 1].head == v && ud_tag_among(t, be - 1, TAG_WP)) t->w[be - 1].relation = SD_DOBJ;
}

static bool is_subject(UdRelation r) { return r == UD_NSUBJ || r == SD_NSUBJPASS; }

/* Words of time that stand before a subject: "most of the time we wait". */
#define TIMES "time times way last day morning evening night week month year lot today most moment"

/* Two subjects a and b, in this order, of predicate h: one of them is something else. */
static void second_subject(UdTree *t, int h, int a, int b)
{
    bool pronoun = ud_tag_among(t, b, TAG_PRP | TAG_DT);
    if (a < h && b > h) { /* "Ann told reporters" */
        if (strcmp(t->w[b].around, "VP") == 0) t->w[b].relation = SD_DOBJ;
    } else if (b > h) {
        return;
    } else if (pronoun && strcmp(t->w[a].lower, t->w[b].lower) == 0 && b - a <= 4) { /* "he, he left" */
        (void)ud_hang(t, a, b, UD_REPARANDUM);
    } else if (b == a + 1 && ud_word_among(t, b, "all both each")) { /* "they all left" */
        (void)ud_hang(t, b, a, UD_DET);
    } else if (ud_word_among(t, a, TIMES)) {
        t->w[a].relation = SD_TMOD;
    } else if (ud_word_among(t, b, "today yesterday tonight tomorrow")) {
        t->w[b].relation = SD_TMOD;
    }
}

static void one_subject(UdTree *t, int h)
{
    int last = 0;
    for (int k = t->first[h]; k < t->first[h + 1] && k < t->first[h] + UD_KIDS_MOST; k++) {
        int w = t->kids[k];
        if (t->w[w].head != h || !is_subject(t->w[w].relation)) continue;
        if (last) second_subject(t, h, last, w);
        if (t->w[w].head == h && is_subject(t->w[w].relation)) last = w;
    }
}

bool ud_roles(UdTree *tree)
{
    for (int p = 0; p < tree->n_phrases; p++) {
        clausal_subject(tree, &tree->phrases[p]);
        comment(tree, &tree->phrases[p]);
        free_adverb(tree, &tree->phrases[p]);
    }
    for (int w = 1; w + 2 < tree->n; w++) gerund_subject(tree, w);
    return true;
}

/* After the addressees, which may look like subjects, have been found. */
bool ud_subjects(UdTree *tree)
{
    for (int h = 1; h <= tree->n; h++) one_subject(tree, h);
    return true;
}
