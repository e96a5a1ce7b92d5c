/* Which words are subjects, addressees or comments on a whole clause? The tree says it where Stanford's converter,
 * and so the arcs that models learn, had no rule. The relations are still Stanford's; the passes after this one
 * rename them. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#define FINITE (TAG_VBD | TAG_VBZ | TAG_VBP | TAG_MD)
#define CLAUSES "S SQ SINV SBARQ"

enum { ABOVE_MOST = 20 }; /* arcs from a relative clause up to the predicate that it is about */

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

/* "Blinking helps": a form in -ing that is no noun, since nothing that modifies nouns stands with it. */
static void bare_gerund(UdTree *t, int c)
{
    UdRelation r = t->w[c].relation;
    if ((r != UD_NSUBJ && r != SD_NSUBJPASS) || !ud_tag_among(t, c, TAG_VBG) || t->w[c].head < c) return;
    for (int k = t->first[c]; k < t->first[c + 1] && k < t->first[c] + UD_KIDS_MOST; k++) {
        UdRelation kid = t->w[t->kids[k]].relation;
        if (kid == UD_DET || kid == UD_AMOD || kid == SD_POSS || kid == SD_NN || kid == SD_NUM) return;
    }
    t->w[c].relation = r == UD_NSUBJ ? UD_CSUBJ : SD_CSUBJPASS;
}

/* "Attached please find the letter" */
static void attached(UdTree *t, int w)
{
    int find = w + 1 + ud_word_among(t, w + 1, "please");
    if (!ud_word_among(t, w, "attached enclosed") || find > t->n || !ud_word_among(t, find, "find")) return;
    if (t->w[find].head == w) ud_promote(t, find, w, UD_CSUBJ, NULL);
    else if (t->w[w].head == find) t->w[w].relation = UD_CSUBJ;
}

/* The phrase of the predicate after phrase p, a sibling, perhaps after asides; or -1. */
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
    bool named = t->w[c].head == h && (t->w[c].relation == UD_NSUBJ || t->w[c].relation == SD_NSUBJPASS);
    if (!(asked || verb_after(t, p)) || !may_be_subject(t, p) || (!named && has_subject(t, h))) return;
    bool passive = ud_kid(t, h, SD_AUXPASS) != 0, prepositional = t->w[c].relation == SD_PREP;
    if (!ud_hang(t, c, h, passive ? SD_CSUBJPASS : UD_CSUBJ) || !prepositional) return;
    for (int k = t->first[c]; k < t->first[c + 1]; k++) /* "following the talent" as "according to him" */
        if (t->w[t->kids[k]].relation == SD_POBJ) t->w[t->kids[k]].relation = SD_DOBJ;
}

/* "They say adding salt helps": a gerund that the tree has as the object of a verb, before a finite verb that lacks a
 * subject. */
static void gerund_before_verb(UdTree *t, const UdPhrase *p)
{
    int c = p->head, q = (int)(p - t->phrases);
    if (!c || !text_among(p->label, "S") || !ud_tag_among(t, p->first, TAG_VBG)) return;
    while (t->phrases[q].after < 0 && t->phrases[q].last == p->last &&
           ud_phrase_among(t, t->phrases[q].up, "VP S SBAR"))
        q = t->phrases[q].up;
    const UdPhrase *around = &t->phrases[q];
    if (around->after < 0 || around->last != p->last || !ud_phrase_among(t, around->after, "VP")) return;
    if (around == p && !ud_phrase_among(t, p->up, "VP")) return;
    int h = t->phrases[around->after].head, verb = after_adverbs(t, p->last);
    if (!h || !verb || verb > h || !ud_tag_among(t, verb, FINITE) || has_subject(t, h) || t->w[h].relation == UD_CONJ)
        return;
    (void)ud_hang(t, c, h, ud_kid(t, h, SD_AUXPASS) ? SD_CSUBJPASS : UD_CSUBJ);
}

/* "Ann moving in was a surprise": names and pronouns have no participle that tells them apart from others. */
static void gerund_with_subject(UdTree *t, int c)
{
    int n = t->w[c].head, h = t->w[n].head;
    UdRelation r = t->w[c].relation, as = t->w[n].relation;
    if (c != n + 1 || !ud_tag_among(t, c, TAG_VBG) || (r != SD_PARTMOD && r != SD_VMOD) || h < c) return;
    if ((as != UD_NSUBJ && as != SD_NSUBJPASS) || !ud_tag_among(t, n, TAG_NNP | TAG_PRP) || ud_kid(t, n, UD_DET))
        return;
    t->w[c].head = h;
    t->w[c].relation = as == UD_NSUBJ ? UD_CSUBJ : SD_CSUBJPASS;
    t->w[n].head = c;
    t->w[n].relation = UD_NSUBJ;
}

/* "Best is using a map", "easiest is to call": the adjective is the predicate. */
static void fronted_adjective(UdTree *t, int a)
{
    int be = a + 1, h = t->w[a].head;
    if (t->w[a].relation != UD_NSUBJ ||
        !ud_word_among(t, a, "best worst easiest hardest safest simplest cheapest better"))
        return;
    int clause = h == be ? ud_kid(t, be, UD_XCOMP) : h;
    if (!ud_is_be(t, be) || ud_kid(t, a, UD_DET) || !clause || clause <= be) return;
    if (h != be && (t->w[be].head != h || t->w[be].relation != UD_AUX || !ud_tag_among(t, h, TAG_VBG))) return;
    if (h == be) {
        ud_promote(t, a, be, UD_COP, NULL);
    } else {
        t->w[a].head = t->w[h].head;
        t->w[a].relation = t->w[h].relation;
    }
    t->w[clause].head = a;
    t->w[clause].relation = UD_CSUBJ;
    t->w[be].head = a;
    t->w[be].relation = UD_COP;
}

/* "How hard it is to change": the adjective is the predicate, wherever the arcs have it. */
static void asked_degree(UdTree *t, int be)
{
    int it = be - 1, a = be - 2;
    if (a < 2 || !ud_is_be(t, be) || !ud_word_among(t, it, "it") || t->w[it].head != be || t->w[a].head != be) return;
    if (ud_tag_among(t, a, TAG_JJ | TAG_RB) && ud_word_among(t, a - 1, "how") && t->w[a - 1].head == a &&
        (ud_kid(t, be, UD_XCOMP) || ud_kid(t, be, UD_CCOMP)))
        ud_promote(t, a, be, UD_COP, NULL);
}

/* The predicate of the clause around word w, or 0. */
static int predicate_around(const UdTree *t, int w)
{
    int h = t->w[w].head;
    for (int k = 0; k < ABOVE_MOST && h && !ud_is_clause(t, h); k++) h = t->w[h].head;
    return h && ud_is_clause(t, h) ? h : 0;
}

/* "We left in 2010, which hurt them", "they saw the gardens, which was wild": no year does anything, and the verb does
 * not agree with its antecedent, so that the clause says something of the whole clause around it. */
static bool is_no_antecedent(const UdTree *t, int c)
{
    int wh = ud_kid(t, c, UD_NSUBJ), verb = c, n = t->w[c].head;
    if (!wh || !ud_word_among(t, wh, "which") || n > wh) return false;
    if (ud_tag_among(t, n, TAG_CD)) return strlen(t->w[n].form) == 4 && ud_tag_among(t, n + 1, TAG_COMMA);
    for (int k = t->first[c]; k < t->first[c + 1] && t->kids[k] < c; k++) {
        UdRelation r = t->w[t->kids[k]].relation;
        if (verb == c && (r == UD_AUX || r == UD_COP || r == SD_AUXPASS)) verb = t->kids[k];
    }
    return ud_tag_among(t, n, TAG_NNS) && (ud_tag_among(t, verb, TAG_VBZ) || ud_word_among(t, verb, "was"));
}

/* "He left, which pleased me": a relative clause beside a verb says something of the whole clause. */
static void comment(UdTree *t, const UdPhrase *p)
{
    int up = ud_phrase_among(t, p->up, "PRN") ? t->phrases[p->up].up : p->up, wh = p->first;
    int c = p->head, h = up >= 0 ? t->phrases[up].head : 0;
    if (!c || !text_among(p->label, "SBAR")) return;
    if (ud_tag_among(t, wh, TAG_IN) && wh < p->last) wh++;
    if (!ud_word_among(t, wh, "which")) return;
    if (t->w[c].relation == SD_RCMOD && is_no_antecedent(t, c)) {
        h = predicate_around(t, t->w[c].head);
        if (h) (void)ud_hang(t, c, h, UD_ADVCL_RELCL);
        return;
    }
    if (!h || h >= p->first || !ud_phrase_among(t, up, CLAUSES " VP ADJP")) return;
    if (t->w[c].relation == SD_RCMOD && t->w[c].head == h && !ud_is_clause(t, h)) return;
    if (ud_tag_among(t, p->first - 1, TAG_COMMA | TAG_COLON | TAG_LRB)) (void)ud_hang(t, c, h, UD_ADVCL_RELCL);
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

/* The heads x and y of the two phrases or words that phrase p consists of, a comma between them or not. */
static bool two_parts(const UdTree *t, const UdPhrase *p, int *x, int *y)
{
    int a = (int)(p - t->phrases) + 1, b = a < t->n_phrases ? t->phrases[a].after : -1;
    *x = p->first;
    *y = p->last;
    if (p->last == p->first + 1) return ud_tag_among(t, *x, TAGS_NOUN | TAG_PRP) && ud_tag_among(t, *y, TAGS_NOUN);
    if (b < 0 || t->phrases[b].after >= 0 || t->phrases[a].up != a - 1 || !ud_phrase_among(t, a, "NP")) return false;
    const UdPhrase *first = &t->phrases[a], *second = &t->phrases[b];
    int between = second->first - first->last - 1;
    int end = ud_is_mark(t, p->last) ? p->last - 1 : p->last;
    if (first->first != p->first || second->last != end || between > 1) return false;
    if (between && !ud_tag_among(t, second->first - 1, TAG_COMMA)) return false;
    *x = first->head;
    *y = second->head;
    return *x && *y && ud_phrase_among(t, b, ud_tag_among(t, *x, TAG_PRP) ? "NP PP" : "NP");
}

/* "She had tea and he coffee": a clause of two parts after a conjunction has lost its verb. The first part takes its
 * place. */
static void gap(UdTree *t, const UdPhrase *p)
{
    int x, y;
    if (!text_among(p->label, "S FRAG") || !ud_tag_among(t, p->first - 1, TAG_CC) || !two_parts(t, p, &x, &y)) return;
    if (t->w[x].head == y) ud_promote(t, x, y, UD_ORPHAN, NULL);
    int h = t->w[x].head;
    if (!h || h >= p->first || !ud_is_clause(t, h)) return;
    t->w[x].relation = UD_CONJ;
    if (t->w[y].head == x) t->w[y].relation = UD_ORPHAN;
}

/* "Good food great service": two noun phrases are the whole sentence. */
static void two_remarks(UdTree *t, const UdPhrase *p)
{
    int x, y;
    if (p->up >= 0 || !text_among(p->label, "NP FRAG") || !two_parts(t, p, &x, &y) || t->w[y].head) return;
    if (p->last == p->first + 1) return; /* two words */
    const UdPhrase *first = p + 1, *second = &t->phrases[first->after];
    if (second->first != first->last + 1) return;
    if (!ud_tag_among(t, x, TAG_NN | TAG_NNS) || !ud_tag_among(t, y, TAG_NN | TAG_NNS) || t->w[x].head != y) return;
    if (!ud_tag_among(t, second->first, TAGS_ADJECTIVE | TAG_DT | TAG_CD)) return;
    t->w[x].head = 0;
    t->w[y].head = x;
    t->w[y].relation = UD_PARATAXIS;
    for (int k = t->first[y]; k < t->first[y + 1] && t->kids[k] <= first->last; k++)
        if (t->w[t->kids[k]].head == y) t->w[t->kids[k]].head = x;
}

/* "Anna, 7, and Ben, 9, left": a small number between commas after a name is an age, wherever it hangs. */
static void age(UdTree *t, int w)
{
    const char *s = t->w[w].form;
    int name = w - 2;
    if (!ud_tag_among(t, w, TAG_CD) || strlen(s) > 2 || s[strspn(s, "0123456789")] || name < 1) return;
    if (!ud_tag_among(t, w - 1, TAG_COMMA) || !ud_tag_among(t, w + 1, TAG_COMMA) || !ud_tag_among(t, name, TAG_NNP))
        return;
    if (t->first[w] < t->first[w + 1] && t->w[t->kids[t->first[w + 1] - 1]].relation != UD_PUNCT) return;
    if (t->w[w].relation == UD_CONJ || t->w[w].relation == SD_NUM) (void)ud_hang(t, w, name, UD_AMOD);
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
        gerund_before_verb(tree, &tree->phrases[p]);
        comment(tree, &tree->phrases[p]);
        free_adverb(tree, &tree->phrases[p]);
        gap(tree, &tree->phrases[p]);
        two_remarks(tree, &tree->phrases[p]);
    }
    for (int w = 1; w + 2 < tree->n; w++) {
        gerund_subject(tree, w);
        gerund_with_subject(tree, w);
        bare_gerund(tree, w);
        attached(tree, w);
        fronted_adjective(tree, w);
        asked_degree(tree, w);
        age(tree, w);
    }
    return true;
}

/* After the addressees, which may look like subjects, have been found. */
bool ud_subjects(UdTree *tree)
{
    for (int h = 1; h <= tree->n; h++) one_subject(tree, h);
    return true;
}
