/* The relations of UD for relations of Stanford's scheme, where the structure is as in UD already. What a word is
 * called often depends on what governs it: a predicate, a nominal, or another word. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

/* The relation under a predicate, under a nominal, and under any other word (an adjective, an adverb). */
static const struct {
    UdRelation from, predicate, nominal, other;
} TABLE[] = {
    { OWN_OBLIQUE, UD_OBL, UD_NMOD, UD_OBL },
    { OWN_OBLIQUE_CLAUSE, UD_ADVCL, UD_ACL, UD_ADVCL },
    { UD_ADVCL, UD_ADVCL, UD_ADVCL, UD_ADVCL },
    { SD_ACOMP, UD_XCOMP, UD_AMOD, UD_XCOMP },
    { SD_AUXPASS, UD_AUX_PASS, UD_AUX_PASS, UD_AUX_PASS },
    { SD_CSUBJPASS, UD_CSUBJ_PASS, UD_CSUBJ_PASS, UD_CSUBJ_PASS },
    { SD_DOBJ, UD_OBJ, UD_NMOD, UD_OBJ },
    { SD_INFMOD, UD_ADVCL, UD_ACL, UD_ACL },
    { SD_PARTMOD, UD_ADVCL, UD_ACL, UD_ADVCL },
    { SD_VMOD, UD_ADVCL, UD_ACL, UD_ADVCL },
    { SD_RCMOD, UD_ADVCL_RELCL, UD_ACL_RELCL, UD_ADVCL_RELCL },
    { SD_MWE, UD_FIXED, UD_FIXED, UD_FIXED },
    { SD_NEG, UD_ADVMOD, UD_ADVMOD, UD_ADVMOD },
    { SD_NN, UD_COMPOUND, UD_COMPOUND, UD_COMPOUND },
    { SD_NPADVMOD, UD_OBL_UNMARKED, UD_NMOD_UNMARKED, UD_OBL_UNMARKED },
    { SD_TMOD, UD_OBL_UNMARKED, UD_NMOD_UNMARKED, UD_OBL_UNMARKED },
    { SD_NSUBJPASS, UD_NSUBJ_PASS, UD_NSUBJ_PASS, UD_NSUBJ_PASS },
    { SD_NUM, UD_NUMMOD, UD_NUMMOD, UD_NUMMOD },
    { SD_NUMBER, UD_COMPOUND, UD_COMPOUND, UD_COMPOUND },
    { SD_PCOMP, UD_ADVCL, UD_ACL, UD_ADVCL },
    { SD_POBJ, UD_OBL, UD_NMOD, UD_OBL },
    { SD_POSS, UD_NMOD_POSS, UD_NMOD_POSS, UD_NMOD_POSS },
    { SD_POSSESSIVE, UD_CASE, UD_CASE, UD_CASE },
    { SD_PRECONJ, UD_CC_PRECONJ, UD_CC_PRECONJ, UD_CC_PRECONJ },
    { SD_PREDET, UD_DET_PREDET, UD_DET_PREDET, UD_DET_PREDET },
    { SD_PREP, UD_ADVMOD, UD_CASE, UD_CASE },
    { SD_PRT, UD_COMPOUND_PRT, UD_COMPOUND_PRT, UD_COMPOUND_PRT },
    { SD_QUANTMOD, UD_ADVMOD, UD_ADVMOD, UD_ADVMOD },
};

/* A nominal with a copula governs modifiers of the noun and of the clause. What follows it mostly modifies the noun. */
static bool of_clause(const UdTree *t, int w)
{
    int h = t->w[w].head, via = t->w[w].via;
    if (!ud_kid(t, h, UD_COP) || (via && ud_word_among(t, via, "of"))) return false;
    return w < h || ud_tag_among(t, h, TAG_CD) ||
           (via && ud_word_among(t, via, "than after during because until since despite without"));
}

/* "most of the time": an adjective or adverb that stands for a noun. */
static bool is_quantity(const UdTree *t, int w)
{
    return t->w[w].via && ud_word_among(t, t->w[w].via, "of") &&
           ud_word_among(t, t->w[w].head,
                         "many much most more some few several less least enough half other lots plenty fewer "
                         "best worst latter former");
}

typedef enum Governor { PREDICATE, NOMINAL, OTHER } Governor;

static Governor governor(const UdTree *t, int w)
{
    int h = t->w[w].head;
    if (!h) return OTHER;
    if (ud_tag_among(t, h, TAGS_VERB | TAG_MD)) {
        UdRelation r = t->w[h].relation;
        return r == UD_COMPOUND ? NOMINAL : PREDICATE;
    }
    if (!ud_is_nominal(t, h) && !is_quantity(t, w)) return OTHER;
    return of_clause(t, w) ? PREDICATE : NOMINAL;
}

static UdRelation by_table(const UdTree *t, int w)
{
    UdRelation r = t->w[w].relation;
    for (size_t k = 0; k < sizeof TABLE / sizeof *TABLE; k++)
        if (TABLE[k].from == r) {
            Governor g = governor(t, w);
            return g == PREDICATE ? TABLE[k].predicate : g == NOMINAL ? TABLE[k].nominal : TABLE[k].other;
        }
    return r;
}

/* A participle that is tagged as an adjective has no passive: "he is involved". */
static bool is_adjectival(const UdTree *t, int h)
{
    return ud_tag_among(t, h, TAG_JJ) && !ud_tag_among(t, h, TAGS_VERB);
}

/* What follows "by" and does nothing: "by hand", "by 1990", "by 5 %", but "by the hand of fate", "by one of us". */
static bool is_no_doer(const UdTree *t, int w)
{
    for (int k = t->first[w]; k < t->first[w + 1]; k++) {
        UdRelation r = t->w[t->kids[k]].relation;
        if (r == UD_DET || r == UD_AMOD || r == SD_POSS || r == OWN_OBLIQUE) return false;
    }
    return ud_tag_among(t, w, TAG_CD | TAG_DOLLAR | TAG_RB) ||
           ud_word_among(t, w,
                         "% percent times e-mail email mail mistake accident force hand foot land air sea boat train "
                         "bus car phone fax post night day default design means chance happenstance months years");
}

/* "seen by": the agent of a passive, one for each verb. */
static bool is_agent(const UdTree *t, int w)
{
    int h = t->w[w].head;
    if (!t->w[w].via || !ud_word_among(t, t->w[w].via, "by") || h > w || is_no_doer(t, w)) return false;
    for (int k = t->first[h]; k < t->first[h + 1] && t->kids[k] < w; k++) {
        int other = t->kids[k];
        if (t->w[other].relation == OWN_OBLIQUE && ud_word_among(t, t->w[other].via, "by") && !is_no_doer(t, other))
            return false;
    }
    if (ud_kid(t, h, SD_AUXPASS)) return ud_tag_among(t, h, TAG_VBN | TAG_VBD);
    UdRelation r = t->w[h].relation;
    return ud_tag_among(t, h, TAG_VBN) && (r == SD_PARTMOD || r == SD_VMOD || r == UD_AMOD || r == UD_CONJ ||
                                           (!ud_kid(t, h, UD_AUX) && !ud_kid(t, h, SD_DOBJ)));
}

static bool has_digit(const char *s) { return strpbrk(s, "0123456789") != NULL; }

static bool is_year(const char *form)
{
    return strlen(form) == 4 && (form[0] == '1' || form[0] == '2') && strspn(form, "0123456789") == 4;
}

/* "Section 6" is flat like a name; years and clock times modify; so do amounts of money. */
static UdRelation numeral(const UdTree *t, int w)
{
    int h = t->w[w].head;
    const char *form = t->w[w].form;
    bool year = is_year(form);
    if (year && w > h && !ud_word_among(t, h, "$ £ €")) return UD_NMOD_UNMARKED;
    if (w == h + 1 && strchr(form, ':') && has_digit(t->w[h].form) && strpbrk(t->w[h].form, "/-"))
        return UD_LIST; /* "3/9/2005 11:16" */
    if (w < h || !ud_tag_among(t, h, TAGS_NOUN | TAG_NFP)) return UD_NUMMOD;
    return year || strchr(form, ':') ? UD_NMOD_UNMARKED : UD_FLAT;
}

#define HOURS "am pm a.m. p.m. a.m p.m gmt est pst cst edt et pt ct cet utc o'clock noon"

/* "a five minute walk", "a couple days". */
static bool is_measure(const UdTree *t, int w)
{
    int amount = ud_kid(t, w, SD_NUM);
    return ud_word_among(t, w, "couple") ||
           (amount == w - 1 && amount &&
            ud_word_among(t, w, "minute minutes hour hours day days week weeks month months year years mile"));
}

#define CONTACTS "phone tel tel. telephone fax cell mobile pager e-mail email office home ext ext. address web website"

/* Has h, which has no clause around it, several unnamed or apposed nominals after it: a signature, a list of goods? */
static bool is_series(const UdTree *t, int h)
{
    int n = 0;
    for (int k = t->first[h]; k < t->first[h + 1] && k < t->first[h] + UD_KIDS_MOST; k++) {
        int w = t->kids[k];
        if (w > h && (t->w[w].relation == UD_DEP || t->w[w].relation == UD_APPOS) && ud_is_nominal(t, w)) n++;
    }
    return n > 1;
}

/* Is it one of several nominals with commas between them, and no name of its head: "beef, pork, chicken"? */
static bool is_item(const UdTree *t, int w)
{
    int h = t->w[w].head, n = 0;
    for (int k = t->first[h]; k < t->first[h + 1] && k < t->first[h] + UD_KIDS_MOST; k++) {
        int x = t->kids[k];
        if (x > h && (t->w[x].relation == UD_DEP || t->w[x].relation == UD_APPOS) && ud_is_nominal(t, x) &&
            ud_tag_among(t, t->begin[x] - 1, TAG_COMMA))
            n++;
    }
    return n > 1 && ud_tag_among(t, t->begin[w] - 1, TAG_COMMA);
}

/* "Great store great products": a second noun phrase with its own modifiers, after the first one without a mark. */
static bool runs_on(const UdTree *t, int w)
{
    int h = t->w[w].head, begin = t->begin[w];
    return t->w[h].head == 0 && ud_tag_among(t, w, TAG_NN | TAG_NNS) && ud_tag_among(t, h, TAG_NN | TAG_NNS) &&
           begin < w && begin > h && ud_tag_among(t, begin, TAGS_ADJECTIVE | TAG_DT | TAG_CD | TAG_PRPS | TAG_RB);
}

/* A number, a name or an address that tells how to reach someone. */
static bool is_contact(const UdTree *t, int w)
{
    const char *form = t->w[w].form;
    return ud_word_among(t, w, CONTACTS) || (ud_tag_among(t, w, TAG_CD) && strlen(form) > 6 && strpbrk(form, "-"));
}

/* "Ann Lee, 45, was there" */
static bool is_age(const UdTree *t, int w)
{
    return strlen(t->w[w].form) < 4 && strspn(t->w[w].form, "0123456789") == strlen(t->w[w].form) &&
           ud_tag_among(t, w - 1, TAG_COMMA) && w < t->n && ud_tag_among(t, w + 1, TAG_COMMA | TAG_STOP) &&
           t->w[w].head < w && (ud_tag_among(t, t->w[w].head, TAGS_PROPER) || ud_kid(t, t->w[w].head, SD_POSS));
}

/* Items of a signature or a heading are a list; times of day and "the men themselves" are modifiers. */
static UdRelation apposition(const UdTree *t, int w)
{
    const UdWord *x = &t->w[w];
    bool named = x->relation == UD_APPOS, number = ud_tag_among(t, w, TAG_CD);
    if (ud_word_among(t, w, "al al. etc etc.")) return UD_CONJ;
    if (number && is_age(t, w)) return UD_AMOD;
    if (number && ud_tag_among(t, x->head, TAG_CD)) {
        if (ud_word_among(t, w - 1, "- – —")) return UD_NMOD; /* "8 - 10" */
        if (ud_tag_among(t, w - 1, TAG_COMMA | TAG_COLON)) return UD_CONJ;
    }
    if (number && is_year(x->form) && w > x->head &&
        ((ud_tag_among(t, w - 1, TAG_LRB) && w < t->n && ud_tag_among(t, w + 1, TAG_RRB)) ||
         ud_tag_among(t, x->head, TAGS_PROPER)))
        return UD_NMOD_UNMARKED; /* "Quilis (1964)" */
    if (ud_word_among(t, w, HOURS) || (ud_tag_among(t, w, TAG_PRP) && strstr(x->lower, "sel"))) return UD_NMOD_UNMARKED;
    if (ud_word_among(t, x->head, CONTACTS " # number time")) return UD_APPOS; /* "Fax: 555-0199" */
    if (t->w[x->head].head == 0 && ud_tag_among(t, x->head, TAGS_PROPER) &&
        (is_contact(t, w) || (!named && !number && is_series(t, x->head))))
        return UD_LIST;
    if (ud_tag_among(t, w, TAG_ADD) && !named) return UD_LIST;
    if (ud_tag_among(t, w, TAG_NN | TAG_NNS) && ud_tag_among(t, x->head, TAG_NN | TAG_NNS) && is_item(t, w))
        return UD_CONJ;
    if (!named && !ud_is_mark(t, t->begin[w] - 1) && runs_on(t, w)) return UD_PARATAXIS;
    if (ud_tag_among(t, x->head, TAG_PRP) && ud_word_among(t, w, "all both guys")) return UD_NMOD_UNMARKED;
    if (named && ud_names_place(t, w) && ud_tag_among(t, x->head, TAGS_PROPER)) return UD_NMOD_UNMARKED;
    if (!named && ud_tag_among(t, w, TAGS_PROPER) && ud_tag_among(t, x->head, TAGS_PROPER)) return UD_LIST;
    if (!named && ud_tag_among(t, w, TAG_CD) && has_digit(x->form) && strpbrk(x->form, ":-/") && x->head < w)
        return UD_LIST;
    return UD_APPOS;
}

#define NAMING                                                                                                \
    "call calls called calling name names named naming title titled entitle entitled dub dubbed term termed " \
    "label labeled labelled nickname nicknamed rename renamed proclaim proclaimed proclaiming"

static bool begins_sentence(const UdTree *t, int w)
{
    return t->begin[w] == 1 || ud_tag_among(t, t->begin[w] - 1, TAG_UH);
}

/* A nominal after a verb that gives a name; before a verb that lacks a subject or, if it asks, an object. */
static UdRelation unnamed_argument(const UdTree *t, int w)
{
    int h = t->w[w].head;
    if (w > h) return ud_word_among(t, h, NAMING) ? UD_XCOMP : UD_DEP;
    if (ud_tag_among(t, w, TAG_WP | TAG_WDT)) return ud_kid(t, h, SD_DOBJ) ? UD_DEP : UD_OBJ;
    bool subject = ud_kid(t, h, UD_NSUBJ) || ud_kid(t, h, SD_NSUBJPASS) || ud_kid(t, h, UD_EXPL);
    if (!subject && ud_tag_among(t, h, TAG_VBD | TAG_VBZ | TAG_VBP)) return UD_NSUBJ;
    if (!ud_tag_among(t, w, TAGS_PROPER)) return UD_DEP;
    return ud_tag_among(t, w + 1, TAG_COMMA) || begins_sentence(t, w) ? UD_VOCATIVE : UD_COMPOUND;
}

static UdRelation unnamed_clause(const UdTree *t, int w)
{
    int h = t->w[w].head;
    bool verbal = ud_tag_among(t, h, TAGS_VERB),
         finite = !ud_tag_among(t, w, TAG_VB | TAG_VBG | TAG_VBN) || ud_kid(t, w, UD_NSUBJ);
    bool marked = ud_kid(t, w, UD_MARK) != 0;
    if (strcmp(t->w[w].phrase, "VP") == 0 && strcmp(t->w[w].around, "VP") == 0 && verbal) return UD_CONJ;
    if (w < h) return verbal && !finite ? UD_ADVCL : UD_PARATAXIS;
    if (ud_is_nominal(t, h) && ud_tag_among(t, w, TAG_VB) && !marked) return UD_PARATAXIS; /* an imperative */
    if (ud_is_nominal(t, h) && !finite && !ud_kid(t, h, UD_COP) && !ud_word_among(t, w, "born")) return UD_ACL;
    if (verbal && !finite) return strcmp(t->w[w].phrase, "S") == 0 || marked ? UD_XCOMP : UD_PARATAXIS;
    if (verbal && strcmp(t->w[w].phrase, "SBAR") == 0) return UD_CCOMP;
    if (ud_is_nominal(t, h) && marked && !ud_kid(t, h, UD_COP)) return UD_ACL;
    return UD_PARATAXIS;
}

/* What Stanford's rules do not name is named by tags. */
static UdRelation unnamed(const UdTree *t, int w)
{
    const UdWord *x = &t->w[w];
    int h = x->head;
    bool nominal = ud_is_nominal(t, w);
    if (ud_tag_among(t, w, TAG_NFP)) return UD_DISCOURSE;
    if (ud_tag_among(t, h, TAG_GW | TAG_AFX) && w == h + 1) return UD_GOESWITH;
    if (ud_tag_among(t, w, TAGS_PROPER) && h < w && ud_word_among(t, h, "hi hey hello dear thanks thank"))
        return UD_VOCATIVE;
    if (w < h && ud_tag_among(t, w + 1, TAG_HYPH) && ud_tag_among(t, w, TAGS_NOUN | TAG_NFP)) return UD_COMPOUND;
    if (ud_word_among(t, h, "worth") && w > h && nominal) return UD_OBJ;
    if (ud_tag_among(t, w, TAG_SYM) && h > w && (h == w + 1 || (h == w + 2 && ud_tag_among(t, w + 1, TAG_LRB)))) {
        if (ud_tag_among(t, h, TAG_CD) && ud_tag_among(t, w - 1, TAG_CD | TAG_RRB)) return UD_CASE; /* "8 - 10" */
        if (h == w + 1 && ud_word_among(t, w, "/")) return UD_CC;
    }
    if (ud_tag_among(t, w, TAG_UH)) return UD_DISCOURSE;
    if (ud_tag_among(t, w, TAG_CC)) return UD_CC;
    if (ud_tag_among(t, w, TAG_RB | TAG_RBR | TAG_RBS | TAG_WRB)) return UD_ADVMOD;
    if (ud_tag_among(t, w, TAG_IN | TAG_TO) && h > w) return ud_is_clause(t, h) ? UD_MARK : UD_CASE;
    if (ud_tag_among(t, w, TAG_LS)) return UD_DISCOURSE;
    if (ud_tag_among(t, w, TAG_DT | TAG_PDT) && h > w && ud_is_nominal(t, h)) return UD_DET;
    if (ud_tag_among(t, w, TAG_JJ | TAG_JJR | TAG_JJS) && h > w && ud_is_nominal(t, h)) return UD_AMOD;
    if (ud_tag_among(t, w, TAGS_VERB) || ud_is_clause(t, w)) return unnamed_clause(t, w);
    if (nominal && ud_tag_among(t, h, TAGS_VERB)) return unnamed_argument(t, w);
    if (nominal && ud_is_nominal(t, h) && h > w) return ud_tag_among(t, w, TAG_PRP) ? UD_DEP : UD_COMPOUND;
    if (nominal && ud_is_nominal(t, h)) return apposition(t, w);
    if (w < h) return ud_tag_among(t, h, TAG_VBN | TAG_VBG) && h <= w + 2 ? UD_COMPOUND : UD_DEP;
    if (w == h + 1 && ud_tag_among(t, w, TAGS_ADJECTIVE) && ud_is_nominal(t, h)) return UD_AMOD;
    return ud_is_mark(t, t->begin[w] - 1) ? UD_PARATAXIS : UD_DEP;
}

/* A relative clause of an adverb, which says when or where, of a comparison, or of a word that stands for a noun. */
static UdRelation relative(const UdTree *t, int w)
{
    int h = t->w[w].head;
    if (w < h) return UD_PARATAXIS;
    if (ud_word_among(t, t->begin[w], "than as")) return UD_ADVCL;
    if (ud_tag_among(t, h, TAG_RB | TAG_WRB) ||
        ud_word_among(t, h, "anyplace anytime anywhere everywhere somewhere everytime"))
        return UD_ADVCL_RELCL;
    return ud_tag_among(t, h, TAGS_ADJECTIVE) ? UD_ACL_RELCL : by_table(t, w);
}

static UdRelation label(const UdTree *t, int w)
{
    UdRelation r = t->w[w].relation;
    if (ud_tag_among(t, w, TAG_CD) && t->w[w].head && strcmp(t->w[w - 1].form, "[") == 0)
        return UD_DEP; /* a citation */
    switch (r) {
    case SD_NUM: return numeral(t, w);
    case SD_RCMOD: return relative(t, w);
    case SD_NUMBER: return ud_tag_among(t, t->w[w].head, TAG_CD) ? UD_COMPOUND : UD_NUMMOD;
    case SD_TMOD:
        return w > t->w[w].head && ud_word_among(t, t->w[w].head, "spend spends spent spending waste wasted") &&
                       !ud_kid(t, t->w[w].head, SD_DOBJ)
                   ? UD_OBJ
                   : by_table(t, w);
    case UD_APPOS: return apposition(t, w);
    case UD_CCOMP:
        return governor(t, w) == NOMINAL && !ud_kid(t, t->w[w].head, UD_COP) && w > t->w[w].head ? UD_ACL : r;
    case UD_ADVMOD: return ud_tag_among(t, w, TAG_UH) ? UD_DISCOURSE : ud_tag_among(t, w, TAG_RP) ? UD_COMPOUND_PRT : r;
    case SD_PRT:
        return ud_tag_among(t, w, TAG_RB) && !ud_word_among(t, w, "up out off down on in over") ? UD_ADVMOD
                                                                                                : UD_COMPOUND_PRT;
    case SD_AUXPASS: return is_adjectival(t, t->w[w].head) ? UD_COP : UD_AUX_PASS;
    case SD_NSUBJPASS: return is_adjectival(t, t->w[w].head) ? UD_NSUBJ : UD_NSUBJ_PASS;
    case SD_PREP: return ud_tag_among(t, w, TAG_RP) ? UD_COMPOUND_PRT : by_table(t, w);
    case UD_AMOD: return ud_tag_among(t, w, TAG_NN | TAG_NNS) && w < t->w[w].head ? UD_COMPOUND : r;
    case SD_NN:
        if (is_measure(t, w)) return UD_NMOD_UNMARKED;
        return ud_tag_among(t, w, TAG_NNP) && ud_names_like(t, w) ? UD_AMOD : by_table(t, w);
    case UD_DEP: return unnamed(t, w);
    case OWN_OBLIQUE: return is_agent(t, w) ? UD_OBL_AGENT : by_table(t, w);
    case SD_NEG: return ud_tag_among(t, w, TAG_DT) ? UD_DET : UD_ADVMOD;
    default: return by_table(t, w);
    }
}

bool ud_label(UdTree *tree)
{
    UdRelation *after = arena_alloc(tree->arena, (size_t)tree->n + 1, sizeof *after);
    if (!after) return false;
    for (int w = 1; w <= tree->n; w++) after[w] = label(tree, w);
    for (int w = 1; w <= tree->n; w++) tree->w[w].relation = after[w];
    return true;
}
