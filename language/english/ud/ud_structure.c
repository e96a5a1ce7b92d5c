/* The passes that turn function words into dependents: prepositions, copulas, subjects of small clauses, conjunctions.
 * In Stanford's scheme a preposition governs its object, in UD it is a dependent of it. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

/* The parts of a longer preposition stay with it. */
static bool moves_to_object(const UdTree *t, int kid, int w)
{
    (void)w;
    return t->w[kid].relation != SD_MWE;
}

/* The object of preposition w after the pass has seen all words below it: a nominal or a clause. */
static int object_of(const UdTree *t, int w)
{
    int clause = 0;
    for (int k = t->first[w]; k < t->first[w + 1]; k++) {
        int kid = t->w[t->kids[k]].place;
        if (t->w[kid].relation == SD_POBJ) return kid;
        if (t->w[kid].relation == SD_PCOMP && !clause) clause = kid;
    }
    return clause;
}

/* A preposition without an object: "what are you looking at" is case(what, at), obl(looking, what); in "the house I
 * live in" it stands for the object itself. */
static void strand(UdTree *t, int p)
{
    int verb = t->w[p].head;
    if (!ud_tag_among(t, p, TAG_IN | TAG_TO) || p < verb || !ud_tag_among(t, verb, TAGS_VERB | TAGS_ADJECTIVE)) return;
    int most = t->first[verb] + UD_KIDS_MOST;
    for (int k = t->first[verb]; k < t->first[verb + 1] && k < most && t->kids[k] < verb; k++) {
        int wh = t->kids[k];
        if (t->w[wh].head != verb || !ud_tag_among(t, wh, TAG_WP | TAG_WDT)) continue;
        if (t->w[wh].relation != SD_DOBJ && t->w[wh].relation != UD_DEP) continue;
        t->w[wh].relation = OWN_OBLIQUE;
        t->w[wh].via = p;
        t->w[p].head = wh;
        t->w[p].relation = UD_CASE;
        return;
    }
    for (int v = verb, k = 0; v && k < 4; k++, v = t->w[v].head) {
        UdRelation r = t->w[v].relation;
        if (r == SD_RCMOD || r == SD_INFMOD || r == SD_VMOD || r == SD_PARTMOD) t->w[p].relation = UD_OBL;
        if (r != UD_XCOMP && r != UD_CONJ && r != UD_CCOMP) break;
    }
}

/* Is the object of preposition w a clause: a verb, also a gerund without any modifier of a noun; what is compared by
 * another preposition or adjective ("than in May", "as soon as possible")? */
static bool has_clause(const UdTree *t, int w, int object)
{
    const UdWord *x = &t->w[object];
    if (x->via && ud_word_among(t, w, "than")) return true;
    if (x->relation == SD_PCOMP) return !x->via && (ud_is_clause(t, object) || ud_kid(t, object, UD_MARK));
    if (ud_word_among(t, w, "as") && ud_tag_among(t, object, TAG_JJ)) {
        int h = t->w[w].head, first = t->first[h] < t->first[h + 1] ? t->kids[t->first[h]] : 0;
        return first && first < h && ud_tag_among(t, h, TAG_JJ | TAG_RB) && ud_word_among(t, first, "as");
    }
    if (!ud_tag_among(t, object, TAG_VBG)) return false;
    for (int k = t->first[object]; k < t->first[object + 1]; k++) {
        UdRelation r = t->w[t->kids[k]].relation;
        if (r == UD_DET || r == UD_AMOD || r == SD_NN || r == SD_POSS || r == SD_NUM || r == UD_CONJ) return false;
    }
    return true;
}

/* prep(sat, on), pobj(on, mat) becomes obl(sat, mat), case(mat, on); prep(after, leaving) with pcomp a clause with a
 * mark. Works bottom-up: in "from behind the door" both prepositions attach to "door". */
bool ud_prepositions(UdTree *tree)
{
    for (int k = tree->n - 1; k >= 0; k--) {
        int w = tree->order[k], object = object_of(tree, w);
        if (!object) continue;
        bool clause = has_clause(tree, w, object);
        UdRelation before = tree->w[w].relation;
        int inner = tree->w[object].via;
        ud_promote(tree, object, w, clause ? UD_MARK : UD_CASE, moves_to_object);
        tree->w[object].via = inner && inner < w ? inner : w;
        if (before == SD_PREP || before == SD_PCOMP) /* a preposition whose object is a phrase with another one */
            tree->w[object].relation = before == SD_PCOMP ? SD_PCOMP : clause ? OWN_OBLIQUE_CLAUSE : OWN_OBLIQUE;
    }
    for (int w = 1; w <= tree->n; w++)
        if (tree->w[w].relation == SD_PCOMP && tree->w[w].via) tree->w[w].relation = OWN_OBLIQUE;
        else if (tree->w[w].relation == SD_PREP) strand(tree, w);
    return true;
}

#define PLACE_ADVERBS                                                                                      \
    "here there away back home out up down over around where elsewhere everywhere nowhere ahead upstairs " \
    "downstairs abroad off on in together inside outside nearby how"

static bool subject_after(const UdTree *t, int be)
{
    for (int k = t->first[be + 1] - 1; k >= t->first[be] && t->kids[k] > be; k--)
        if (t->w[t->kids[k]].relation == UD_NSUBJ) return true;
    return false;
}

/* Can the dependent p of a form of "be" be the predicate? 0: no; the highest number wins, then the first word. */
static int predicate_rank(const UdTree *t, int p, int be)
{
    const UdWord *x = &t->w[p];
    bool after = p > be;
    switch (x->relation) {
    case OWN_OBLIQUE: return after && x->via > be && x->via < be + 8 ? 4 : 0;
    case SD_ACOMP:
    case SD_DOBJ: return 5;
    case UD_CCOMP:
    case UD_XCOMP: return after ? 3 : 0;
    case OWN_OBLIQUE_CLAUSE: return after ? 2 : 0;
    case UD_ADVCL: return after && ud_kid(t, p, UD_MARK) ? 1 : 0;
    case UD_ADVMOD:
        if (!after && ud_word_among(t, p, "here below above attached")) return subject_after(t, be) ? 4 : 0;
        return ud_word_among(t, p, PLACE_ADVERBS) && (after || ud_tag_among(t, p, TAG_WRB)) ? 4 : 0;
    default: return 0;
    }
}

static int predicate_of(const UdTree *t, int be)
{
    int best = 0, rank = 0;
    for (int k = t->first[be]; k < t->first[be + 1]; k++) {
        int p = t->w[t->kids[k]].place;
        if (t->w[p].head != be) continue;
        if (t->w[p].relation == UD_EXPL && ud_tag_among(t, p, TAG_EX)) return 0;
        int r = predicate_rank(t, p, be);
        if (r > rank) {
            rank = r;
            best = p;
        }
    }
    return best;
}

/* A copula, or an auxiliary of a passive, that is none in UD: "become", "remain", but not "get". */
static bool is_other_copula(const UdTree *t, int w)
{
    UdRelation r = t->w[w].relation;
    if ((r != UD_COP && r != SD_AUXPASS) || !ud_tag_among(t, w, TAGS_VERB) || ud_is_be(t, w)) return false;
    return r == UD_COP || ud_word_among(t, w,
                                        "become becomes became becoming remain remains remained remaining seem seems "
                                        "seemed seeming stay stays stayed staying feel feels felt look looks looked");
}

/* "There has been rain": a form of "be" that Stanford's converter takes for the copula of a noun. */
static bool is_existential(const UdTree *t, int be)
{
    int there = t->w[be].relation == UD_COP ? ud_kid(t, t->w[be].head, UD_EXPL) : 0;
    return there && ud_tag_among(t, there, TAG_EX) && ud_is_be(t, be) && t->w[be].head > be &&
           ud_is_nominal(t, t->w[be].head);
}

/* Makes a copula the head; its predicate depends on it as `as`, which keeps what belongs to a noun phrase. */
static void uncopula(UdTree *t, int verb, UdRelation as)
{
    int p = t->w[verb].head;
    for (int k = t->first[p]; k < t->first[p + 1]; k++) {
        UdWord *kid = &t->w[t->kids[k]];
        UdRelation r = kid->relation;
        bool of_verb = r == UD_NSUBJ || r == SD_NSUBJPASS || r == UD_CSUBJ || r == UD_AUX || r == UD_MARK ||
                       r == UD_EXPL || r == UD_CC || r == UD_CONJ || r == UD_ADVCL || r == UD_PARATAXIS ||
                       r == SD_TMOD || r == UD_DISCOURSE;
        if (t->kids[k] != verb && kid->head == p && (of_verb || (t->kids[k] < verb && r != UD_DET))) {
            kid->head = verb;
            if (r == SD_NSUBJPASS) kid->relation = UD_NSUBJ;
        }
    }
    t->w[verb].head = t->w[p].head;
    t->w[verb].relation = t->w[p].relation;
    t->w[p].head = verb;
    t->w[p].relation = as;
    t->w[p].place = verb;
}

/* "He's got a dog" is active, though "'s" looks like "is". */
static void got(UdTree *t, int verb)
{
    int a = ud_kid(t, verb, SD_AUXPASS), subject = ud_kid(t, verb, SD_NSUBJPASS);
    if (!a || !ud_word_among(t, verb, "got") || !(ud_kid(t, verb, SD_DOBJ) || ud_kid(t, verb, UD_XCOMP))) return;
    t->w[a].relation = UD_AUX;
    if (subject) t->w[subject].relation = UD_NSUBJ;
}

/* "We’re going": the verb is left unnamed below an auxiliary that the converter did not know by its apostrophe. */
static void auxiliary(UdTree *t, int be)
{
    bool have = ud_word_among(t, be, "'ve");
    if (!ud_tag_among(t, be, TAG_VBP | TAG_VBZ | TAG_VBD) || !(have || ud_is_be(t, be))) return;
    for (int k = t->first[be]; k < t->first[be + 1]; k++) {
        int p = t->kids[k];
        if (p < be || p > be + 3 || t->w[p].head != be || t->w[p].relation != UD_DEP) continue;
        if (!ud_tag_among(t, p, have ? TAG_VBN : TAG_VBG | TAG_VBN)) continue;
        bool passive = !have && ud_tag_among(t, p, TAG_VBN);
        int subject = ud_kid(t, be, UD_NSUBJ);
        if (subject && passive) t->w[subject].relation = SD_NSUBJPASS;
        ud_promote(t, p, be, passive ? SD_AUXPASS : UD_AUX, NULL);
        return;
    }
}

/* "He is in Paris": "be" is the head in Stanford's scheme unless the predicate is a noun phrase or an adjective. */
bool ud_copulas(UdTree *tree)
{
    for (int k = tree->n - 1; k >= 0; k--) {
        int be = tree->order[k];
        got(tree, be);
        auxiliary(tree, be);
        UdRelation r = tree->w[be].relation;
        if (is_other_copula(tree, be)) uncopula(tree, be, UD_XCOMP); /* "he seems happy": in UD only "be" is a copula */
        else if (is_existential(tree, be)) uncopula(tree, be, UD_NSUBJ);
        if (!ud_is_be(tree, be) || r == UD_COP || r == UD_AUX || r == SD_AUXPASS) continue;
        int p = predicate_of(tree, be);
        if (!p) continue;
        bool outer = tree->w[p].relation == UD_CCOMP || tree->w[p].relation == UD_XCOMP ||
                     tree->w[p].relation == UD_ADVCL || tree->w[p].relation == OWN_OBLIQUE_CLAUSE;
        ud_promote(tree, p, be, UD_COP, NULL);
        for (int i = tree->first[be]; outer && i < tree->first[be + 1]; i++) {
            UdWord *kid = &tree->w[tree->w[tree->kids[i]].place];
            if (kid->head != p) continue;
            if (kid->relation == UD_NSUBJ) kid->relation = UD_NSUBJ_OUTER;
            if (kid->relation == UD_CSUBJ) kid->relation = UD_CSUBJ_OUTER;
        }
    }
    return true;
}

/* "He left, so she stayed": an adverb just before a clause or conjunct that depends on the same word belongs to that
 * one. */
static void forward(UdTree *t, int h)
{
    for (int k = t->first[h]; k + 1 < t->first[h + 1]; k++) {
        int w = t->kids[k], next = t->kids[k + 1];
        UdRelation r = t->w[next].relation;
        bool clause = r == UD_CCOMP || r == UD_PARATAXIS || r == UD_DEP;
        if (w < h || t->begin[next] != w + 1 || (t->w[w].relation != UD_ADVMOD && t->w[w].relation != SD_NEG)) continue;
        if (clause) clause = ud_word_among(t, w, "so then thus hence therefore instead otherwise yet plus");
        if (!clause && !(r == UD_CONJ && ud_tag_among(t, w - 1, TAG_CC | TAG_COMMA))) continue;
        t->w[w].head = next;
        if (r == UD_CCOMP) t->w[next].relation = UD_PARATAXIS;
    }
}

/* "by luck and not by skill": the adverb is the conjunct in trees whose coordination is flat; in UD the unit after it
 * is. */
static void conjunct_after_adverb(UdTree *t, int h)
{
    for (int k = t->first[h]; k + 1 < t->first[h + 1]; k++) {
        int w = t->kids[k], next = t->kids[k + 1];
        UdRelation r = t->w[next].relation;
        if (t->w[w].relation != UD_CONJ || !ud_tag_among(t, w, TAG_RB) || !ud_tag_among(t, w - 1, TAG_CC | TAG_COMMA))
            continue;
        if (t->begin[next] != w + 1 || (r != UD_CONJ && r != UD_DEP && r != UD_APPOS)) continue;
        t->w[w].head = next;
        t->w[w].relation = UD_ADVMOD;
        t->w[next].relation = UD_CONJ;
    }
}

/* A conjunction without a conjunct after it: the clause or other phrase that begins just after it is the conjunct. */
static void coordinate_clause(UdTree *t, int h)
{
    for (int k = t->first[h], w = 0; k < t->first[h + 1]; k++) {
        int next = t->kids[k];
        UdRelation r = t->w[next].relation;
        if (next < h || t->w[next].head != h) continue;
        if (r == UD_CC) w = next;
        else if (w && (r == UD_CCOMP || r == UD_PARATAXIS || r == UD_DEP) &&
                 (ud_is_clause(t, next) || t->begin[next] == w + 1)) {
            t->w[w].head = next;
            t->w[next].relation = UD_CONJ;
            w = 0;
        } else if (r != UD_PUNCT && r != UD_ADVMOD && r != UD_DISCOURSE) w = 0;
    }
}

/* "much more important": the degree of a comparative. */
static void degree(UdTree *t, int w)
{
    if (w + 1 > t->n || t->w[w].head != t->w[w + 1].head || t->w[w].relation != UD_ADVMOD) return;
    if (t->w[w + 1].relation == UD_ADVMOD && ud_word_among(t, w + 1, "more less better further") &&
        ud_word_among(t, w, "much far even slightly significantly considerably any no still"))
        t->w[w].head = w + 1;
}

/* cc(apples, and), conj(apples, pears) becomes cc(pears, and): a conjunction depends on the conjunct after it. */
bool ud_coordination(UdTree *tree)
{
    for (int h = 1; h <= tree->n; h++) forward(tree, h);
    for (int h = 1; h <= tree->n; h++) conjunct_after_adverb(tree, h);
    for (int h = 1; h <= tree->n; h++) coordinate_clause(tree, h);
    for (int w = 1; w <= tree->n; w++) degree(tree, w);
    for (int h = 1; h <= tree->n; h++) {
        int next = 0; /* the conjunct after the dependent that is looked at */
        for (int k = tree->first[h + 1] - 1; k >= tree->first[h]; k--) {
            int w = tree->kids[k];
            if (tree->w[w].relation == UD_CONJ) next = w;
            if (tree->w[w].relation == SD_PRECONJ) tree->w[w].relation = UD_CC_PRECONJ;
            else if (tree->w[w].relation == UD_CC && tree->w[w].head == h && next && w > h) tree->w[w].head = next;
        }
    }
    return true;
}
