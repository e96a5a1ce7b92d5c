/* Arcs that cross others. The decoder's trees are projective, and the treebanks that models learn from hang a word
 * that stands apart from its head below the nearest word under which no arc crosses ("lifted": Nivre and Nilsson 2005,
 * Pseudo-projective dependency parsing). Its type and its place tell where it belongs: it is put back here. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

enum { DEPTH_MOST = 8 }; /* complements inside each other */

/* Is w a word of asking or a relative pronoun, or a phrase that begins with one ("which tribe")? */
static bool is_fronted(const UdTree *t, int w)
{
    return ud_tag_among(t, w, TAG_WP | TAG_WDT) ||
           (ud_is_nominal(t, w) && ud_tag_among(t, t->begin[w], TAG_WDT | TAG_WP | TAG_WPS));
}

static int subject_of(const UdTree *t, int v)
{
    int s = ud_kid(t, v, UD_NSUBJ);
    if (!s) s = ud_kid(t, v, SD_NSUBJPASS);
    return s ? s : ud_kid(t, v, UD_EXPL);
}

/* Has v a subject between a fronted word and itself? */
static bool has_own_subject(const UdTree *t, int v, int fronted)
{
    for (int k = t->first[v]; k < t->first[v + 1] && k < t->first[v] + UD_KIDS_MOST && t->kids[k] < v; k++) {
        UdRelation r = t->w[t->kids[k]].relation;
        if (t->kids[k] > fronted && (r == UD_NSUBJ || r == SD_NSUBJPASS)) return true;
    }
    return false;
}

/* The first complement after v that lets a word out, not "if you win" or "need it copied"; 0: none. */
static int complement(const UdTree *t, int v)
{
    int c = 0;
    for (int k = t->first[v]; k < t->first[v + 1] && k < t->first[v] + UD_KIDS_MOST && !c; k++) {
        UdRelation r = t->w[t->kids[k]].relation;
        if (t->kids[k] > v && (r == UD_XCOMP || r == UD_CCOMP)) c = t->kids[k];
    }
    int mark = ud_kid(t, c, UD_MARK);
    if (ud_tag_among(t, c, TAG_VBN) && t->w[c].relation == UD_XCOMP && !ud_kid(t, c, UD_AUX)) return 0;
    return mark && !ud_word_among(t, mark, "that") ? 0 : c;
}

static bool is_preposition_alone(const UdTree *t, int w)
{
    return t->w[w].relation == SD_PREP && t->first[w] == t->first[w + 1];
}

static bool is_no_mark(const UdTree *t, int w) { return t->w[w].relation != UD_PUNCT; }

/* Has v, among the last of its dependents, one that stands after it and of which is_so is true? */
static bool has_after(const UdTree *t, int v, bool (*is_so)(const UdTree *t, int w))
{
    int last = t->first[v + 1] - 1;
    for (int k = last; k >= t->first[v] && k > last - UD_KIDS_MOST && t->kids[k] > v; k--)
        if (is_so(t, t->kids[k])) return true;
    return false;
}

/* The relation that complement c lacks: its subject or an object, of its verb or of a preposition; UD_DEP: c lacks
 * none. */
static UdRelation missing(const UdTree *t, int c)
{
    if (t->w[c].relation == UD_CCOMP && !subject_of(t, c)) return ud_kid(t, c, SD_AUXPASS) ? SD_NSUBJPASS : UD_NSUBJ;
    if (!ud_tag_among(t, c, TAGS_VERB)) return UD_DEP;
    if (has_after(t, c, is_preposition_alone)) return SD_DOBJ;
    if (ud_is_be(t, c) && has_after(t, c, is_no_mark)) return UD_DEP;
    return ud_kid(t, c, SD_DOBJ) || ud_kid(t, c, SD_AUXPASS) ? UD_DEP : SD_DOBJ;
}

/* "What do you have to hit": the object of the innermost complement that lacks one. "which I think is good": its
 * subject. */
static void front(UdTree *t, int w)
{
    int h = t->w[w].head, to = 0;
    UdRelation r = t->w[w].relation, as = UD_DEP;
    if (h < w || !is_fronted(t, w) || (r != SD_DOBJ && r != UD_NSUBJ && r != UD_DEP)) return;
    if (!has_own_subject(t, h, w) || has_after(t, h, is_preposition_alone) || ud_word_among(t, h, "use using")) return;
    for (int c = complement(t, h), k = 0; c && k < DEPTH_MOST; c = complement(t, c), k++) {
        UdRelation lacks = missing(t, c);
        if (lacks == UD_DEP) continue;
        to = c;
        as = lacks;
    }
    if (!to) return;
    t->w[w].head = to;
    t->w[w].relation = as;
}

/* The object between verb h and word c, else the subject before h; 0: none. */
static int antecedent(const UdTree *t, int h, int c)
{
    int object = ud_kid(t, h, SD_DOBJ), subject = ud_kid(t, h, UD_NSUBJ);
    if (!subject) subject = ud_kid(t, h, SD_NSUBJPASS);
    int a = object > h && object < c ? object : subject < h ? subject : 0;
    return t->w[a].head == h && ud_is_nominal(t, a) && !ud_tag_among(t, a, TAG_EX | TAG_PRP) ? a : 0;
}

/* "Cells may grow up that look to him": a relative clause apart from its noun. */
static void extraposed(UdTree *t, int c)
{
    int h = t->w[c].head, begin = t->begin[c];
    UdRelation r = t->w[c].relation;
    if (!h || c < h || begin <= h || !ud_tag_among(t, h, TAGS_VERB)) return;
    bool that = ud_tag_among(t, begin, TAG_WDT) && ud_word_among(t, begin, "that");
    if (r != SD_RCMOD && !(that && (r == UD_CCOMP || r == UD_ADVCL || r == UD_DEP))) return;
    int a = antecedent(t, h, begin);
    if (!a) return;
    t->w[c].head = a;
    t->w[c].relation = SD_RCMOD;
}

/* Does the comparative m say how much of its head h there is, rather than of what kind it is? */
static bool is_amount(const UdTree *t, int m, int h)
{
    if (ud_tag_among(t, h, TAGS_VERB) && m > h)
        return t->w[m].relation == UD_ADVMOD ? ud_tag_among(t, m, TAG_RBR) && !ud_word_among(t, m, "more less")
                                             : ud_word_among(t, m, "more less");
    return ud_is_nominal(t, h) && t->w[m].relation == UD_AMOD && ud_word_among(t, m, "more less fewer different");
}

/* Does this adverb modify adjective m? "as good", "so many" */
static bool has_degree(const UdTree *t, int m, const char *adverb)
{
    return t->w[m].relation == UD_AMOD && t->first[m] < t->first[m + 1] && t->kids[t->first[m]] < m &&
           ud_word_among(t, t->kids[t->first[m]], adverb);
}

/* Hangs a "than", "as" or "that" clause below the degree word it completes: "more room there than here", "as good a
 * time as any", "so many calls that I left". A "than" after "a bigger threat" stays below the noun. */
static void compared(UdTree *t, int w)
{
    int h = t->w[w].head, begin = t->begin[w];
    const char *word = t->w[begin].lower;
    bool than = strcmp(word, "than") == 0, as = strcmp(word, "as") == 0, that = strcmp(word, "that") == 0;
    if (begin <= h || !(than || as || that)) return;
    if (that && t->w[w].relation != UD_CCOMP) return;
    for (int k = t->first[h]; k < t->first[h + 1] && k < t->first[h] + UD_KIDS_MOST && t->kids[k] < begin; k++) {
        int m = t->kids[k];
        bool degree = than ? is_amount(t, m, h) : has_degree(t, m, as ? "as" : "so");
        if (degree && t->w[m].head == h) t->w[w].head = m;
    }
}

bool ud_crossing(UdTree *tree)
{
    for (int w = 1; w <= tree->n; w++) {
        front(tree, w);
        extraposed(tree, w);
        compared(tree, w);
    }
    return true;
}
