/* What UD demands of every tree, in any language: which relations may have dependents, on which side a dependent
 * stands, and which parts of speech a relation takes. Words that break a demand get the nearest relation that does
 * not; UD's own validator checks the same at its level 3
 * (https://universaldependencies.org/contributing/validation-rules.html). */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#define RELATION(name) (UINT64_C(1) << UD_##name)
#define EVERYWHERE (RELATION(GOESWITH) | RELATION(REPARANDUM) | RELATION(CONJ) | RELATION(PUNCT))
#define COORDINATORS (RELATION(CC) | RELATION(CC_PRECONJ))
#define DETERMINERS (RELATION(DET) | RELATION(DET_PREDET))
#define OBLIQUES (RELATION(OBL) | RELATION(OBL_AGENT) | RELATION(OBL_UNMARKED))
#define COMPOUNDS (RELATION(COMPOUND) | RELATION(COMPOUND_PRT))

/* Function words and the relations that may stand below them. */
static const struct {
    uint64_t words, below;
} LEAVES[] = {
    { RELATION(MARK) | RELATION(CASE), EVERYWHERE | COORDINATORS | RELATION(FIXED) | RELATION(ADVMOD) },
    { RELATION(AUX) | RELATION(AUX_PASS) | RELATION(COP), EVERYWHERE | COORDINATORS | RELATION(FIXED) },
    { DETERMINERS, EVERYWHERE | COORDINATORS | DETERMINERS | OBLIQUES | COMPOUNDS | RELATION(FIXED) | RELATION(CASE) |
                       RELATION(ADVMOD) | RELATION(FLAT) | RELATION(DISCOURSE) | RELATION(PARATAXIS) },
    { COORDINATORS, EVERYWHERE | RELATION(FIXED) },
    { RELATION(FIXED), EVERYWHERE },
    { RELATION(GOESWITH) | RELATION(PUNCT), 0 },
};

static bool is_one_of(UdRelation r, uint64_t relations) { return r < SD_ACOMP && (UINT64_C(1) << r & relations); }

static bool may_be_below(const UdTree *t, int w, int h)
{
    for (size_t k = 0; k < sizeof LEAVES / sizeof *LEAVES; k++)
        if (is_one_of(t->w[h].relation, LEAVES[k].words)) return is_one_of(t->w[w].relation, LEAVES[k].below);
    return true;
}

bool ud_leaves(UdTree *tree)
{
    for (int k = 0; k < tree->n; k++) { /* from the root down */
        int w = tree->order[k];
        while (tree->w[w].head && !may_be_below(tree, w, tree->w[w].head))
            tree->w[w].head = tree->w[tree->w[w].head].head;
    }
    return true;
}

#define BIT(pos) (1u << POS_##pos)
#define NOMINALS (BIT(NOUN) | BIT(PROPN) | BIT(PRON) | BIT(NUM) | BIT(SYM) | BIT(X))

/* The parts of speech of a relation, and what it becomes for a nominal, an adjective or determiner, a verb, a
 * preposition and any other word. */
static const struct {
    UdRelation relation;
    unsigned pos;
    UdRelation nominal, adjective, verb, adposition, other;
} RELATIONS[] = {
    { UD_DET, BIT(DET) | BIT(PRON), UD_COMPOUND, UD_AMOD, UD_AMOD, UD_DEP, UD_DEP },
    { UD_DET_PREDET, BIT(DET) | BIT(PRON), UD_COMPOUND, UD_AMOD, UD_AMOD, UD_DEP, UD_ADVMOD },
    { UD_NUMMOD, BIT(NUM) | BIT(NOUN) | BIT(SYM), UD_COMPOUND, UD_AMOD, UD_AMOD, UD_DEP, UD_DEP },
    { UD_ADVMOD, BIT(ADV) | BIT(ADJ) | BIT(CCONJ) | BIT(DET) | BIT(PART) | BIT(SYM), UD_OBL_UNMARKED, UD_ADVMOD,
      UD_ADVCL, UD_OBL, UD_DISCOURSE },
    { UD_EXPL, BIT(PRON) | BIT(DET) | BIT(PART), UD_NSUBJ, UD_NSUBJ, UD_NSUBJ, UD_DEP, UD_DEP },
    { UD_AUX, BIT(AUX), UD_DEP, UD_DEP, UD_DEP, UD_MARK, UD_DEP },
    { UD_AUX_PASS, BIT(AUX), UD_DEP, UD_DEP, UD_DEP, UD_MARK, UD_DEP },
    { UD_COP, BIT(AUX) | BIT(PRON) | BIT(DET) | BIT(SYM), UD_DEP, UD_DEP, UD_DEP, UD_DEP, UD_DEP },
    { UD_CASE, ~(BIT(PROPN) | BIT(ADJ) | BIT(PRON) | BIT(DET) | BIT(NUM) | BIT(AUX)), UD_DEP, UD_ADVMOD, UD_DEP,
      UD_CASE, UD_DEP },
    { UD_MARK, ~(NOMINALS | BIT(ADJ) | BIT(DET) | BIT(AUX) | BIT(INTJ)), UD_DEP, UD_ADVMOD, UD_DEP, UD_MARK,
      UD_DISCOURSE },
    { UD_CC, ~(NOMINALS | BIT(ADJ) | BIT(DET) | BIT(VERB) | BIT(AUX) | BIT(INTJ)) | BIT(SYM), UD_DEP, UD_ADVMOD, UD_DEP,
      UD_CC, UD_DISCOURSE },
    { UD_CC_PRECONJ, ~(NOMINALS | BIT(ADJ) | BIT(DET) | BIT(VERB) | BIT(AUX) | BIT(INTJ)), UD_DEP, UD_DET, UD_DEP,
      UD_CC, UD_DISCOURSE },
    { UD_FIXED, ~BIT(PROPN), UD_FLAT, UD_DEP, UD_DEP, UD_DEP, UD_DEP },
};

static void fit_pos(UdTree *t, int w)
{
    UdWord *x = &t->w[w];
    UdPos pos = x->extpos != POS_X ? x->extpos : x->upos;
    if (x->relation == UD_ADVMOD && pos == POS_ADP && x->stanford == SD_QUANTMOD)
        x->upos = pos = POS_ADV; /* about 20 */
    for (size_t k = 0; k < sizeof RELATIONS / sizeof *RELATIONS; k++) {
        if (RELATIONS[k].relation != x->relation || (RELATIONS[k].pos & 1u << pos)) continue;
        bool adjective = pos == POS_ADJ || pos == POS_DET, verb = pos == POS_VERB || pos == POS_AUX;
        x->relation = adjective                           ? RELATIONS[k].adjective
                      : verb                              ? RELATIONS[k].verb
                      : NOMINALS & 1u << pos              ? RELATIONS[k].nominal
                      : pos == POS_ADP || pos == POS_PART ? RELATIONS[k].adposition
                                                          : RELATIONS[k].other;
        return;
    }
}

/* Marks are punctuation exactly if their relation says so; a mark that governs words is a symbol. */
static void fit_mark(UdTree *t, int w)
{
    UdWord *x = &t->w[w];
    bool kids = t->first[w] < t->first[w + 1];
    if (x->relation == UD_PUNCT && x->upos != POS_PUNCT) {
        bool sign = strpbrk(x->lower, "abcdefghijklmnopqrstuvwxyz0123456789") == NULL && (x->form[0] & 0x80) == 0;
        if (sign) x->upos = POS_PUNCT;
        else x->relation = UD_DEP;
    } else if (x->upos == POS_PUNCT && x->relation != UD_PUNCT && x->relation != UD_ROOT) {
        if (kids) x->upos = POS_SYM;
        else x->relation = UD_PUNCT;
    }
}

/* Relations that point to the right only. */
static void fit_direction(UdTree *t, int w)
{
    UdWord *x = &t->w[w];
    if (w > x->head) return;
    switch (x->relation) {
    case UD_CONJ: x->relation = UD_PARATAXIS; break;
    case UD_APPOS: x->relation = UD_NMOD; break;
    case UD_FLAT:
    case UD_GOESWITH: x->relation = UD_COMPOUND; break;
    case UD_FIXED: x->relation = UD_DEP; break;
    default: break;
    }
}

/* Obliques modify predicates, adjectives and adverbs; nominals have nominal modifiers. */
static void fit_oblique(UdTree *t, int w)
{
    UdWord *x = &t->w[w];
    int h = x->head;
    bool nominal = t->w[h].upos == POS_NOUN || t->w[h].upos == POS_PROPN || t->w[h].upos == POS_PRON;
    if (!nominal || ud_is_clause(t, h) || t->w[h].relation == UD_ROOT) return;
    if (x->relation == UD_OBL) x->relation = UD_NMOD;
    if (x->relation == UD_OBL_UNMARKED) x->relation = UD_NMOD_UNMARKED;
}

/* A predicate has one subject, the nearest, and one object, the first. */
static void fit_arguments(UdTree *t, int h)
{
    int subject = 0, object = 0;
    for (int k = t->first[h]; k < t->first[h + 1]; k++) {
        int w = t->kids[k];
        UdRelation r = t->w[w].relation;
        if (r == UD_OBJ) {
            if (object) t->w[w].relation = UD_OBL_UNMARKED;
            object = w;
        }
        if (r != UD_NSUBJ && r != UD_NSUBJ_PASS && r != UD_CSUBJ && r != UD_CSUBJ_PASS) continue;
        if (subject && w < h) t->w[subject].relation = UD_DISLOCATED;
        else if (subject) t->w[w].relation = r == UD_CSUBJ || r == UD_CSUBJ_PASS ? UD_CCOMP : UD_DISLOCATED;
        if (!subject || w < h) subject = w;
    }
}

static UdPos pos_of_relation(UdRelation r)
{
    switch (r) {
    case UD_CASE: return POS_ADP;
    case UD_MARK: return POS_SCONJ;
    case UD_CC: return POS_CCONJ;
    case UD_ADVMOD: return POS_ADV;
    default: return POS_X;
    }
}

bool ud_agree(UdTree *tree)
{
    for (int w = 1; w <= tree->n; w++) {
        int h = tree->w[w].head;
        if (tree->w[w].relation == UD_FIXED && tree->w[h].extpos == POS_X)
            tree->w[h].extpos = pos_of_relation(tree->w[h].relation);
        if (tree->w[w].relation == UD_GOESWITH && w > h) tree->w[w].upos = POS_X;
    }
    for (int w = 1; w <= tree->n; w++) {
        fit_mark(tree, w);
        fit_direction(tree, w);
        fit_pos(tree, w);
        fit_oblique(tree, w);
    }
    for (int h = 1; h <= tree->n; h++) fit_arguments(tree, h);
    return true;
}
