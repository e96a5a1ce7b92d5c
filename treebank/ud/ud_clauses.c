/* treebank/ud/ud_clauses.c
 * The passes about clauses: free relatives, subjects that belong to the verb above, extraposed subjects, quotations.
 * Some of them need to know verbs: the lists are of words that the rules would otherwise misjudge most often. */
#include "treebank/ud/ud_internal.h"

#include <string.h>

/* Words whose clause with "what", "how" or "if" is a question: "he knows what it is". */
#define ASKING                                                                                                      \
    "know knows knew known knowing see sees saw seen seeing tell tells told telling ask asks asked asking figure "  \
    "figured figuring find found finding say says said understand understands understood wonder wondering wonders " \
    "decide decided deciding learn learned show shows showed shown matter matters confirm sure explain explained "  \
    "discuss discussed check determine remember guess realize recall idea clear about on"

/* Verbs whose dobj beside a clause or another object is the one who is told. */
#define TELLING                                                                                                        \
    "tell tells told telling ask asks asked asking trust trusts trusted remind reminds reminded reminding assure "     \
    "assures assured inform informs informed informing urge urges urged convince convinces convinced persuade "        \
    "persuaded advise advises advised warn warns warned warning notify notified reassure reassured show shows showed " \
    "allow allows allowed allowing promise promised teach teaches taught email emailed"

/* Verbs with an object and an infinitive that is a complement, not a purpose. */
#define CONTROLLING                                                                                                \
    "ask asks asked asking tell tells told telling encourage encourages encouraged need needs needed like liked "  \
    "convince convinced urge urges urged lead leads led suppose supposed order ordered recommend recommended "     \
    "pressure pressured trust invite invited inviting hope force forced forcing train trained persuade persuaded " \
    "claim direct directed decide expect expected want wants wanted compel compelled challenge plan beg begged "   \
    "allow allows allowed enable enables enabled cause causes caused require required permit permitted intend "    \
    "advise advised remind reminded teach taught help helps helped get gets got getting let lets want motivate "   \
    "inspire inspired able willing"

/* Words whose infinitive is a purpose. */
#define PURPOSE                                                                                                        \
    "be is are was were been do does did done doing come came comes go went goes gone wait waited waiting work works " \
    "worked working free call called calling send sent design designed give given leave left leaving charge charged "  \
    "glad enough available meet met necessary hire hired travel traveled contact return returned returning act vote "  \
    "voted provide provided delighted sorry surprised stop stopped stay stayed staying move moved change changed sit " \
    "sitting stand early late quick easy walk walked speak pay paid build built created made take takes taken lucky "  \
    "pleased first spent live lived there look"

/* Verbs whose clause says what is said or thought; it is not raised to an xcomp. */
#define SAYING                                                                                                      \
    "say says said saying ask asks asked think thinks thought tell tells told explain explains explained add adds " \
    "added believe guess wrote write writes"

/* Verbs with a participle that is a complement: "keep going". */
#define ASPECT                                                                                                     \
    "keep keeps kept keeping start starts started starting stop stops stopped stopping begin began begun begins "  \
    "enjoy enjoys enjoyed like liked love loved loves hate consider considered considering continue continues "    \
    "continued avoid try tried trying finish finished recommend recommended suggest suggested go goes went going " \
    "gone mind remember risk get gets got getting end ends ended quit resume imagine involve involves admit "      \
    "delay miss practice regret resist postpone deny prevent catch find found see seen hear heard leave left"

/* Is the word at the beginning of clause c, and one that can head a free relative? 0: there is none. */
static int relative_word(const UdTree *t, int c)
{
    if (t->first[c] == t->first[c + 1]) return 0;
    int wh = t->kids[t->first[c]];
    if (wh > c || !ud_tag_among(t, wh, "WP WRB")) return 0;
    UdRelation r = t->w[wh].relation;
    bool fits = r == UD_NSUBJ || r == SD_NSUBJPASS || r == SD_DOBJ || r == UD_ADVMOD || r == UD_DEP || r == SD_POBJ;
    return fits ? wh : 0;
}

/* "He likes what he sees": in UD "what" is the object and "he sees" its relative clause; but "He knows what it is". */
static void free_relative(UdTree *t, int c)
{
    int h = t->w[c].head, wh = relative_word(t, c);
    UdRelation r = t->w[c].relation;
    bool of_be = ud_is_be(t, h), noun = wh && ud_word_among(t, wh, "what whatever whoever");
    if (!wh || (r != UD_CCOMP && r != SD_PCOMP && r != UD_CSUBJ)) return;
    if (!of_be && !(noun && !ud_word_among(t, h, ASKING))) return;
    if (of_be && ud_word_among(t, wh, "whether")) return;
    bool adverb = ud_tag_among(t, wh, "WRB");
    t->w[wh].head = h;
    t->w[wh].relation = r == SD_PCOMP ? SD_POBJ : r == UD_CSUBJ ? UD_NSUBJ : SD_DOBJ;
    t->w[c].head = wh;
    t->w[c].relation = adverb ? UD_ADVCL_RELCL : SD_RCMOD;
}

bool ud_relatives(UdTree *t)
{
    for (int w = 1; w <= t->n; w++)
        if (t->w[w].head) free_relative(t, w);
    return true;
}

/* Has the clause a finite verb of its own: a tensed verb, a modal, or one of them as auxiliary or copula? */
static bool is_finite(const UdTree *t, int w)
{
    if (ud_tag_among(t, w, "VBD VBZ VBP MD")) return true;
    for (int k = t->first[w]; k < t->first[w + 1]; k++) {
        int a = t->kids[k];
        if ((t->w[a].relation == UD_AUX || t->w[a].relation == UD_COP || t->w[a].relation == SD_AUXPASS) &&
            ud_tag_among(t, a, "VBD VBZ VBP MD"))
            return true;
    }
    return false;
}

static bool has_to(const UdTree *t, int w)
{
    for (int k = t->first[w]; k < t->first[w + 1]; k++)
        if (ud_tag_among(t, t->kids[k], "TO")) return true;
    return false;
}

/* The mark of clause w that is not the "to" of an infinitive; 0: none. */
static int mark_of(const UdTree *t, int w)
{
    for (int k = t->first[w]; k < t->first[w + 1]; k++)
        if (t->w[t->kids[k]].relation == UD_MARK && !ud_tag_among(t, t->kids[k], "TO")) return t->kids[k];
    return 0;
}

/* ccomp(make, go), nsubj(go, him) becomes obj(make, him), xcomp(make, go): a clause that is not finite and has no mark
 * shares its subject with the verb above. */
static void raise_subject(UdTree *t, int w)
{
    int h = t->w[w].head;
    if ((t->w[w].relation != UD_CCOMP && t->w[w].relation != UD_XCOMP) || !h || h > w || is_finite(t, w)) return;
    if (!ud_tag_begins(t, h, "V") || mark_of(t, w)) return;
    int subject = ud_kid(t, w, UD_NSUBJ);
    if (!subject) subject = ud_kid(t, w, SD_NSUBJPASS);
    if (!subject && t->w[w].relation == UD_CCOMP && ud_tag_begins(t, w, "V") && !relative_word(t, w) &&
        !ud_word_among(t, h, SAYING) && !(ud_word_among(t, h, ASKING) && !has_to(t, w)))
        t->w[w].relation = UD_XCOMP;
    if (!subject || subject < h || ud_kid(t, h, SD_DOBJ)) return;
    t->w[subject].head = h;
    t->w[subject].relation = SD_DOBJ;
    t->w[w].relation = UD_XCOMP;
}

/* "It is hard to say": the clause is the subject, "it" an expletive. */
static void extrapose(UdTree *t, int w)
{
    int h = t->w[w].head, it = ud_kid(t, h, UD_NSUBJ);
    UdRelation r = t->w[w].relation;
    if (!h || w < h || !it || it > h || !ud_word_among(t, it, "it") || (r != UD_XCOMP && r != UD_CCOMP)) return;
    bool predicate = ud_kid(t, h, UD_COP) && (r == UD_CCOMP || has_to(t, w) || ud_tag_among(t, w, "VBG"));
    bool verb = ud_word_among(t, h,
                              "take takes took taken makes sense seems seem seemed appears appeared turns turned "
                              "looks looked feels sounds happens happened");
    if (predicate && ud_word_among(t, h, "able ready willing likely going unable sure supposed glad happy worth"))
        predicate = false;
    if (!predicate && !(verb && (r == UD_CCOMP || has_to(t, w)))) return;
    if (verb && r == UD_XCOMP && !ud_word_among(t, h, "take takes took taken")) return;
    t->w[it].relation = UD_EXPL;
    if (predicate || ud_word_among(t, h, "take takes took taken")) t->w[w].relation = UD_CSUBJ;
}

/* An infinitive or participle: a complement or a purpose? */
static void purpose(UdTree *t, int w)
{
    int h = t->w[w].head, object = ud_kid(t, h, SD_DOBJ);
    if (t->w[w].relation != UD_XCOMP || w < h || !ud_tag_begins(t, w, "V")) return;
    bool to = has_to(t, w), other = object && object < w && object != t->w[w].head;
    if (ud_kid(t, h, SD_AUXPASS) && ud_word_among(t, h, "used called designed sent left given charged paid"))
        other = true;
    if (to && other && !ud_word_among(t, h, CONTROLLING)) t->w[w].relation = UD_ADVCL;
    else if (to && !other && ud_word_among(t, h, PURPOSE)) t->w[w].relation = UD_ADVCL;
    else if (!to && ud_tag_among(t, w, "VBG") && ud_tag_begins(t, h, "V") &&
             (ud_word_among(t, h, "spend spends spent spending sit sitting sat have had having waste wasted do") ||
              (!object && !ud_word_among(t, h, ASPECT))))
        t->w[w].relation = UD_ADVCL;
}

/* dobj(told, him) beside a clause is the one who is told. */
static void recipient(UdTree *t, int w)
{
    int h = t->w[w].head;
    if (t->w[w].relation != SD_DOBJ || w < h || !ud_word_among(t, h, TELLING)) return;
    int last = t->first[h + 1] - 1;
    for (int k = last; k >= t->first[h] && k > last - UD_KIDS_MOST && t->kids[k] > w; k--) {
        UdRelation r = t->w[t->kids[k]].relation;
        if ((r == UD_CCOMP || r == UD_XCOMP || r == SD_DOBJ) && t->w[t->kids[k]].head == h && t->kids[k] != w) {
            t->w[w].relation = UD_IOBJ;
            return;
        }
    }
    if (ud_tag_among(t, w, "PRP") && ud_word_among(t, h, "tell tells told telling ask asked asking remind trust email"))
        t->w[w].relation = UD_IOBJ;
}

/* A clause after a comma that is no object: a parenthesis; one with "if" after a verb of asking is one. */
static void loose(UdTree *t, int c)
{
    int h = t->w[c].head, mark = mark_of(t, c), begin = t->begin[c];
    UdRelation r = t->w[c].relation;
    if (!h || c < h) return;
    if (r == UD_ADVCL && mark && ud_word_among(t, mark, "if whether") && ud_word_among(t, h, ASKING) &&
        !ud_tag_among(t, mark - 1, ","))
        t->w[c].relation = UD_CCOMP;
    if (r == UD_CCOMP && !mark && ud_tag_among(t, begin - 1, ", :") && !ud_word_among(t, h, SAYING))
        t->w[c].relation = UD_PARATAXIS;
}

bool ud_clauses(UdTree *t)
{
    for (int w = 1; w <= t->n; w++) /* "to" is an auxiliary in Stanford's scheme */
        if (t->w[w].relation == UD_AUX && ud_tag_among(t, w, "TO")) t->w[w].relation = UD_MARK;
    for (int w = 1; w <= t->n; w++) {
        purpose(t, w);
        extrapose(t, w);
        loose(t, w);
    }
    for (int w = 1; w <= t->n; w++) raise_subject(t, w);
    for (int w = 1; w <= t->n; w++) recipient(t, w);
    return true;
}
