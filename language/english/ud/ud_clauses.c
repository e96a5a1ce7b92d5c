/* The passes about clauses: free relatives, subjects that belong to the verb above, extraposed subjects, quotations.
 * Some of them need to know verbs: the lists are of words that the rules would otherwise misjudge most often. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#include "language/english/ud/lemma.h"

enum { MAKING_MOST = 3 }; /* arcs from an infinitive up to "make" */

/* Words whose clause with "what", "how" or "if" is a question: "he knows what it is". */
#define ASKING                                                                                                 \
    "know knows knew known knowing see sees saw seen seeing tell tells told telling ask asks asked asking "    \
    "figure figured figuring find found finding say says said understand understands understood wonder "       \
    "wondering wonders decide decided deciding learn learned show shows showed shown matter matters confirm "  \
    "sure explain explained discuss discussed check determine remember guess realize recall idea clear about " \
    "on"

/* Lemmas of verbs that have an infinitive as complement; after others it is a purpose. */
#define WITH_INFINITIVE                                                                                        \
    "afford agree aim allow appear arrange ask aspire assist assume attempt beg begin believe bother cease "   \
    "challenge choose claim commit compel consent consider continue contribute dare decide decline demand "    \
    "deserve determine elect enable encourage endeavor expect fail fear find force forget get grow happen "    \
    "hate have help hesitate hope inspire intend know lead learn like loathe long look love make manage mean " \
    "need neglect offer opt order ought permit plan plead pledge prefer prepare pretend proceed promise "      \
    "prompt prove purport qualify recommend refuse regret remain remember require resolve say scheme seek "    \
    "seem serve set start strive struggle swear tend think threaten try turn undertake volunteer vow want "    \
    "wish yearn"

/* Verbs that have an infinitive beside an object. */
#define OBJECT_AND_INFINITIVE                                                                                   \
    "advise allow ask beg beseech cause challenge command commission compel convince direct enable encourage "  \
    "forbid force forecast inspire instruct invite lead motivate obligate oblige order permit persuade pledge " \
    "pressure prompt recommend remind request require target teach tell train trust urge warn"

/* Passives that have an infinitive, besides the verbs of the two lists above without PASSIVE_PURPOSE. */
#define PASSIVE_AND_INFINITIVE                                                                                \
    "allege approve argue assign deem demonstrate doom estimate excite guarantee hear mandate perceive "      \
    "position presume project report restrict reveal rumor sadden schedule see show suggest suppose suspect " \
    "understand"
#define PASSIVE_PURPOSE "use need look start turn serve train set"

/* Adjectives that have an infinitive as complement. */
#define ADJECTIVE_AND_INFINITIVE                                                                               \
    "able about afraid apt ashamed astonished bound certain committed content curious desperate determined "   \
    "disposed eager eligible entitled excited happy hesitant impatient inclined keen known liable likely "     \
    "loath obligated obliged ok open poised prepared privileged prone proud qualified ready reluctant scared " \
    "set supposed sure thrilled unable unlikely unwilling welcome willing"

/* Verbs whose clause says what is said or thought: it is not raised to an xcomp, and no parenthesis after a comma. */
#define SAYING                                                                                                 \
    "say says said saying ask asks asked think thinks thought tell tells told explain explains explained add " \
    "adds added believe guess wrote write writes"

/* Lemmas of verbs with a participle that is a complement: "keep going". */
#define WITH_PARTICIPLE                                                                                         \
    "abandon admit avoid begin catch consider continue delay deny end enjoy finish go hate help imagine "       \
    "involve keep like love mind miss postpone practice prevent propose quit recall recommend regret remember " \
    "resist resume risk see skip start stop suggest try"

/* Is the word at the beginning of clause c, and one that can head a free relative? 0: there is none. */
static int relative_word(const UdTree *t, int c)
{
    if (t->first[c] == t->first[c + 1]) return 0;
    int wh = t->kids[t->first[c]];
    if (wh > c || !ud_tag_among(t, wh, TAG_WP | TAG_WRB)) return 0;
    UdRelation r = t->w[wh].relation;
    bool fits = r == UD_NSUBJ || r == SD_NSUBJPASS || r == SD_DOBJ || r == UD_ADVMOD || r == UD_DEP || r == SD_POBJ;
    return fits ? wh : 0;
}

/* Prepositions before a place or time: "from where I live". */
#define PLACES "to from near beyond past around toward towards until since"

/* Predicates of a subject that is a question: "what he wants is unclear". */
#define UNSETTLED "unclear clear unknown certain uncertain obvious matter matters mystery question"

static bool is_csubj(UdRelation r) { return r == UD_CSUBJ || r == SD_CSUBJPASS; }

/* "The question is how they did it", but "this is how they did it" */
static bool is_question(const UdTree *t, int be)
{
    int subject = ud_kid(t, be, UD_NSUBJ);
    return subject && subject < be && ud_tag_among(t, subject, TAG_NN | TAG_NNS) &&
           !(be < t->n && ud_word_among(t, be + 1, "where") && !ud_kid(t, subject, UD_DET));
}

/* "He likes what he sees": in UD "what" is the object and "he sees" its relative clause; but "He knows what it is". */
static void free_relative(UdTree *t, int c)
{
    int h = t->w[c].head, wh = relative_word(t, c);
    UdRelation r = t->w[c].relation;
    bool of_be = ud_is_be(t, h), noun = wh && ud_word_among(t, wh, "what whatever whoever");
    bool adverb = wh && ud_tag_among(t, wh, TAG_WRB), where = r == UD_ADVCL && of_be && adverb && wh > h;
    bool place = r == SD_PCOMP && adverb && ud_word_among(t, wh, "where when") && ud_word_among(t, h, PLACES);
    if (!wh || (r != UD_CCOMP && r != SD_PCOMP && !is_csubj(r) && !where)) return;
    if (where && ud_tag_among(t, wh - 1, TAG_RB) && ud_word_among(t, wh - 1, "there here back away home")) return;
    if (is_csubj(r) ? !noun || ud_word_among(t, h, UNSETTLED)
                    : !of_be && !place && !(noun && !ud_word_among(t, h, ASKING)))
        return;
    if (of_be && (ud_word_among(t, wh, "whether") || (adverb && is_question(t, h)))) return;
    t->w[wh].head = h;
    t->w[wh].relation = r == SD_PCOMP ? SD_POBJ : r == UD_CSUBJ ? UD_NSUBJ : r == SD_CSUBJPASS ? SD_NSUBJPASS : SD_DOBJ;
    t->w[c].head = wh;
    t->w[c].relation = adverb ? UD_ADVCL_RELCL : SD_RCMOD;
}

bool ud_relatives(UdTree *tree)
{
    for (int w = 1; w <= tree->n; w++)
        if (tree->w[w].head) free_relative(tree, w);
    return true;
}

/* Has the clause a finite verb of its own: a tensed verb, a modal, or one of them as auxiliary or copula? */
static bool is_finite(const UdTree *t, int w)
{
    if (ud_tag_among(t, w, TAG_VBD | TAG_VBZ | TAG_VBP | TAG_MD)) return true;
    for (int k = t->first[w]; k < t->first[w + 1]; k++) {
        int a = t->kids[k];
        if ((t->w[a].relation == UD_AUX || t->w[a].relation == UD_COP || t->w[a].relation == SD_AUXPASS) &&
            ud_tag_among(t, a, TAG_VBD | TAG_VBZ | TAG_VBP | TAG_MD))
            return true;
    }
    return false;
}

static bool has_to(const UdTree *t, int w)
{
    for (int k = t->first[w]; k < t->first[w + 1]; k++)
        if (ud_tag_among(t, t->kids[k], TAG_TO)) return true;
    return false;
}

/* The mark of clause w that is not the "to" of an infinitive; 0: none. */
static int mark_of(const UdTree *t, int w)
{
    for (int k = t->first[w]; k < t->first[w + 1]; k++)
        if (t->w[t->kids[k]].relation == UD_MARK && !ud_tag_among(t, t->kids[k], TAG_TO)) return t->kids[k];
    return 0;
}

/* ccomp(make, go), nsubj(go, him) becomes obj(make, him), xcomp(make, go): a clause that is not finite and has no mark
 * shares its subject with the verb above. */
static void raise_subject(UdTree *t, int w)
{
    int h = t->w[w].head;
    if ((t->w[w].relation != UD_CCOMP && t->w[w].relation != UD_XCOMP) || !h || h > w || is_finite(t, w)) return;
    if (!ud_tag_among(t, h, TAGS_VERB) || mark_of(t, w)) return;
    int subject = ud_kid(t, w, UD_NSUBJ);
    if (!subject) subject = ud_kid(t, w, SD_NSUBJPASS);
    if (!subject && t->w[w].relation == UD_CCOMP && ud_tag_among(t, w, TAGS_VERB) && !relative_word(t, w) &&
        !ud_word_among(t, h, SAYING) && !(ud_word_among(t, h, ASKING) && !has_to(t, w)))
        t->w[w].relation = UD_XCOMP;
    int there = ud_kid(t, w, UD_EXPL);
    if (!subject || subject < h || ud_kid(t, h, SD_DOBJ)) return;
    if (there && ud_tag_among(t, there, TAG_EX) && !ud_word_among(t, h, "let")) { /* "we want there to be peace" */
        t->w[w].relation = UD_XCOMP;
        return;
    }
    t->w[subject].head = h;
    t->w[subject].relation = SD_DOBJ;
    t->w[w].relation = UD_XCOMP;
}

static bool has_so(const UdTree *t, int w)
{
    for (int s = w - 1; s > 0 && s >= w - 2; s--)
        if ((t->w[s].head == w || (s == w - 1 && t->w[s].head == t->w[w].head)) && t->w[s].relation == UD_ADVMOD &&
            ud_word_among(t, s, "so"))
            return true;
    return false;
}

/* "So dark that", "spoke so low that": the word of which the clause says how much. "So glad that" has a complement, as
 * "glad" has. 0: none. */
static int result_of(const UdTree *t, int c, int h)
{
    if (ud_tag_among(t, h, TAG_JJ | TAG_RB | TAG_VBN) && has_so(t, h))
        return ud_word_among(t, h, "glad happy sure sorry afraid proud certain") ? 0 : h;
    int w = t->begin[c] - 1;
    return ud_tag_among(t, w, TAG_JJ | TAG_RB) && t->w[w].head == h && w > h && has_so(t, w) ? w : 0;
}

/* Is clause c, which begins with a relative word, apart from the predicate h of "it is", or does h name what needs no
 * relative clause? */
static bool is_cleft(const UdTree *t, int c, int h)
{
    int begin = t->begin[c], det = ud_kid(t, h, UD_DET), be = ud_kid(t, h, UD_COP);
    if (begin <= h || !ud_word_among(t, begin, "that which who whom")) return false;
    if (t->w[h].via) return t->w[c].relation != SD_RCMOD && ud_word_among(t, begin, "that");
    bool wh = ud_tag_among(t, begin, TAG_WDT | TAG_WP) ||
              (t->w[begin].relation != UD_MARK && ud_word_among(t, begin, "that"));
    if (!ud_is_nominal(t, h) || !wh) return false;
    if (t->w[c].relation != SD_RCMOD || strcmp(t->w[c].around, "VP") == 0) return true;
    return !ud_tag_among(t, begin - 1, TAG_COMMA) && (ud_tag_among(t, h, TAGS_PROPER | TAG_PRP) ||
                                                      (be < t->n && ud_word_among(t, be + 1, "only just precisely")) ||
                                                      (det && ud_word_among(t, det, "this that these those")));
}

/* "It is the Senate that will fail", "it was in May that he left": the clause does not modify the predicate. */
static void cleft(UdTree *t, int c)
{
    int h = t->w[c].head, it = ud_kid(t, h, UD_NSUBJ);
    UdRelation r = t->w[c].relation;
    if (r != UD_DEP && r != SD_RCMOD && r != UD_CCOMP && r != UD_ADVCL) return;
    if (!it && r == SD_RCMOD && t->w[h].via) { /* "it is this kind of thing that helps" */
        h = t->w[h].head;
        it = ud_kid(t, h, UD_NSUBJ);
    }
    if (c < h || !it || it > h || !ud_word_among(t, it, "it") || !ud_kid(t, h, UD_COP)) return;
    if (!ud_is_clause(t, c) || !is_cleft(t, c, h)) return;
    t->w[it].relation = UD_EXPL;
    t->w[c].head = h;
    t->w[c].relation = UD_ADVCL_RELCL;
}

/* Does "it" or nothing at all stand where the subject of the first of some conjuncts would, h being another one? */
static bool lacks_subject(const UdTree *t, int h)
{
    int first = t->w[h].relation == UD_CONJ ? t->w[h].head : h;
    return !ud_kid(t, h, UD_NSUBJ) && !ud_kid(t, h, SD_NSUBJPASS) && !ud_kid(t, h, UD_EXPL) &&
           !ud_kid(t, h, UD_CSUBJ) && !ud_kid(t, first, UD_NSUBJ) && !ud_kid(t, first, SD_NSUBJPASS);
}

/* "Good to see you", "must be nice having money", "funny how it works": an adjective without a subject has the clause
 * as one. */
static void bare_adjective(UdTree *t, int c)
{
    int h = t->w[c].head, marker = mark_of(t, c);
    UdRelation r = t->w[c].relation;
    if (c < h || !ud_tag_among(t, h, TAGS_ADJECTIVE)) return;
    if (t->w[h].head && t->w[h].relation != UD_CONJ && t->w[h].relation != UD_PARATAXIS) return;
    if (!lacks_subject(t, h)) return;
    if (r == UD_CCOMP || (r == UD_DEP && ud_tag_among(t, t->begin[c], TAGS_WH))) {
        if (ud_word_among(
                t, h,
                "bad funny likely unlikely strange weird odd nice good great amazing interesting sad possible "
                "true incredible unbelievable"))
            t->w[c].relation = UD_CSUBJ;
        return;
    }
    bool gerund = ud_tag_among(t, c, TAG_VBG) && ud_kid(t, h, UD_COP);
    if ((r != UD_XCOMP && r != UD_ADVCL) || !(has_to(t, c) || gerund)) return;
    if (marker && !ud_word_among(t, marker, "for")) return;
    bool stranded = ud_tag_among(t, t->kids[t->first[c + 1] - 1], TAG_IN); /* "hard to get into" */
    if (!stranded && !ud_word_among(t, h - 1, "too") &&
        !ud_word_among(t, h, ADJECTIVE_AND_INFINITIVE " glad sorry pleased surprised available quick enough"))
        t->w[c].relation = UD_CSUBJ;
}

/* Nouns that say what it is like to do something: "it was a pleasure to meet you", "what a joy to see you". */
#define JUDGING                                                                                           \
    "pleasure joy shame delight relief treat waste honor honour privilege pain nightmare hassle mistake " \
    "disappointment surprise thrill blessing pity chore job duty idea problem crime sin fun move bonus"

/* The clause of such a noun, which "it is" or "what a" comes before. */
static void judged(UdTree *t, int c)
{
    int h = t->w[c].head, what = h ? t->begin[h] : 0, it = ud_kid(t, h, UD_NSUBJ);
    UdRelation r = t->w[c].relation;
    bool to = has_to(t, c), gerund = (r == SD_PARTMOD || r == SD_VMOD) && ud_tag_among(t, c, TAG_VBG);
    if (c < h || !ud_word_among(t, h, JUDGING) || t->w[h].via) return;
    if (!gerund && (!to || (r != SD_INFMOD && r != SD_VMOD && r != UD_XCOMP && r != UD_DEP))) return;
    bool exclaims = ud_word_among(t, what, "what") && ud_word_among(t, what + 1, "a an");
    bool of_it = it && it < h && ud_word_among(t, it, "it") && ud_kid(t, h, UD_COP);
    if (!exclaims && !of_it) return;
    t->w[c].relation = UD_CSUBJ;
    if (of_it) t->w[it].relation = UD_EXPL;
}

/* Makes clause c the subject of verb, whose "it" stands for it. */
static void extrapose_to(UdTree *t, int c, int verb)
{
    int it = ud_kid(t, verb, UD_NSUBJ);
    if (!it || it > verb || !ud_word_among(t, it, "it")) return;
    t->w[it].relation = UD_EXPL;
    t->w[c].head = verb;
    t->w[c].relation = UD_CSUBJ;
}

/* "It made me happy to see you", "it made me feel good to help", "it makes sense to wait": what makes is the
 * infinitive. */
static void extrapose_from_make(UdTree *t, int c)
{
    int verb = t->w[c].head, last = t->begin[c] - 1;
    UdRelation r = t->w[c].relation;
    bool open = r == UD_XCOMP || r == UD_ADVCL || r == SD_INFMOD || r == SD_VMOD;
    if (!open || c < verb || last < 1 || !has_to(t, c)) return;
    bool mood =
        ud_tag_among(t, last, TAGS_ADJECTIVE) &&
        !ud_word_among(t, last, "able unable ready willing unwilling eager likely unlikely hard harder easy easier");
    if (!mood && !ud_word_among(t, last, "sense")) return;
    for (int k = 0; k < MAKING_MOST && verb && !ud_word_among(t, verb, "make makes made making"); k++) {
        if (!mood ? verb != last : !ud_tag_among(t, verb, TAGS_ADJECTIVE) && !ud_word_among(t, verb, "feel")) return;
        verb = t->w[verb].head;
    }
    if (verb && ud_tag_among(t, verb, TAGS_VERB)) extrapose_to(t, c, verb);
}

/* "It is said that he left", "it was decided to wait": the subject of a passive stands after it. */
static void extrapose_passive(UdTree *t, int c)
{
    int h = t->w[c].head, it = ud_kid(t, h, SD_NSUBJPASS), mark = mark_of(t, c);
    if (c < h || !it || it > h || !ud_word_among(t, it, "it") || !ud_kid(t, h, SD_AUXPASS)) return;
    UdRelation r = t->w[c].relation;
    bool that = r == UD_CCOMP && (mark ? ud_word_among(t, mark, "that whether if") : is_finite(t, c));
    bool to = r == UD_XCOMP && has_to(t, c) && ud_word_among(t, h, "decided agreed planned hoped resolved proposed");
    if (!that && !to) return;
    t->w[it].relation = UD_EXPL;
    t->w[c].relation = SD_CSUBJPASS;
}

/* "There seems to be a problem", "there has got to be a way": what exists depends on the verb as its subject. */
static void raised_existence(UdTree *t, int c)
{
    int h = t->w[c].head, there = ud_kid(t, h, UD_EXPL), be = ud_kid(t, c, UD_COP);
    if (c < h || !there || !ud_tag_among(t, there, TAG_EX) || t->w[c].relation != UD_XCOMP || !be || !has_to(t, c))
        return;
    for (int k = t->first[c]; k < t->first[c + 1]; k++) {
        int kid = t->kids[k];
        if (kid < be && (t->w[kid].relation == UD_AUX || t->w[kid].relation == UD_MARK)) t->w[kid].head = be;
    }
    t->w[be].head = h;
    t->w[be].relation = UD_XCOMP;
    t->w[c].head = be;
    t->w[c].relation = UD_NSUBJ;
}

/* Verbs whose subject "it" stands for the clause after them; for one with "that"; and with none of these words
 * ("it appears you left"). */
#define TAKING "take takes took taken matter matters mattered hurt hurts suck sucks sucked pay pays"
#define HAPPENING                                                                                                \
    "matter matters mattered bother bothers bothered boggle boggles boggled follow follows followed suck sucks " \
    "sucked hurt hurts appear appears appeared"

/* "It is hard to say", "it is hard for me to say": the clause is the subject, "it" an expletive. */
static void extrapose(UdTree *t, int w)
{
    int h = t->w[w].head, it = ud_kid(t, h, UD_NSUBJ), mark = mark_of(t, w);
    UdRelation r = t->w[w].relation;
    if (!h || w < h) return;
    if (r == UD_ADVCL && mark && ud_word_among(t, mark, "for") && has_to(t, w) && ud_tag_among(t, h, TAGS_ADJECTIVE))
        r = UD_XCOMP;
    if (r == UD_DEP && mark && ud_word_among(t, mark, "that whether")) r = UD_CCOMP;
    bool as_if = r == UD_ADVCL && mark && ud_word_among(t, mark, "like as though") && is_finite(t, w);
    if (as_if && it && it < h && ud_word_among(t, it, "it") && ud_word_among(t, h, "seem seems seemed"))
        t->w[it].relation = UD_EXPL;
    if (r != UD_XCOMP && r != UD_CCOMP) return;
    bool noun = ud_is_nominal(t, h) && r == UD_CCOMP && mark && strcmp(t->w[w].around, "VP") == 0;
    bool seen = r == UD_CCOMP && ud_word_among(t, h, "seen");
    if (t->w[h].relation == UD_XCOMP && (noun || seen || ud_tag_among(t, h, TAGS_ADJECTIVE)) && !ud_kid(t, h, UD_COP) &&
        (r == UD_CCOMP || has_to(t, w)))
        extrapose_to(t, w, t->w[h].head); /* "it became clear that", "it remains to be seen whether" */
    if (!it || !ud_word_among(t, it, "it")) return;
    if (it > h && !ud_tag_among(t, h - 1, TAG_WRB)) return; /* "how hard it is to say" */
    if (ud_word_among(t, h, "chance time opportunity way place day moment reason")) {
        if (r == UD_CCOMP && has_to(t, w)) t->w[w].relation = SD_INFMOD;
        return;
    }
    if (r == UD_CCOMP && result_of(t, w, h)) return;
    if (r == UD_CCOMP &&
        (ud_tag_among(t, t->begin[w] - 1, TAG_COLON) ||
         (mark ? !ud_word_among(t, mark, "that whether if for") : ud_tag_among(t, t->begin[w] - 1, TAG_COMMA))))
        return;
    bool to = has_to(t, w), predicate = ud_kid(t, h, UD_COP) && (r == UD_CCOMP || to || ud_tag_among(t, w, TAG_VBG));
    if (predicate && ud_word_among(t, h, "able ready willing likely going unable sure supposed glad happy worth"))
        predicate = r == UD_CCOMP && ud_word_among(t, h, "likely");
    bool subject = predicate || (r == UD_CCOMP ? ud_word_among(t, h, HAPPENING) : to && ud_word_among(t, h, TAKING));
    bool expletive = r == UD_CCOMP && ud_word_among(t, h,
                                                    "take takes took taken makes sense seems seem seemed turns turned "
                                                    "looks looked feels sounds happens happened");
    if (!subject && !expletive) return;
    t->w[it].relation = UD_EXPL;
    if (subject) t->w[w].relation = UD_CSUBJ;
}

/* Is an infinitive below h, with the "to" at word `to`, a complement rather than a purpose? */
static bool takes_infinitive(const UdTree *t, int h, int to, bool object, bool passive, const char *lemma)
{
    if (ud_tag_among(t, h, TAGS_ADJECTIVE)) return ud_word_among(t, h, ADJECTIVE_AND_INFINITIVE);
    if (!ud_tag_among(t, h, TAGS_VERB | TAG_MD)) return false;
    if (passive && text_among(lemma, PASSIVE_PURPOSE)) return false;
    if (object) return text_among(lemma, OBJECT_AND_INFINITIVE);
    if (strcmp(lemma, "go") == 0) return ud_tag_among(t, h, TAG_VBG) && to == h + 1; /* going to */
    if (strcmp(lemma, "use") == 0) return ud_tag_among(t, h, TAG_VBD);               /* used to */
    return text_among(lemma, WITH_INFINITIVE) || text_among(lemma, OBJECT_AND_INFINITIVE) ||
           (passive && text_among(lemma, PASSIVE_AND_INFINITIVE));
}

/* Does a verb in a participle below h say how or when, rather than what? "keep going", but "lost it gambling". */
static bool is_manner(const UdTree *t, int w, int h, bool object, bool passive, const char *lemma)
{
    return object || passive || !ud_tag_among(t, h, TAGS_VERB) || ud_tag_among(t, t->begin[w] - 1, TAG_COMMA) ||
           !text_among(lemma, WITH_PARTICIPLE);
}

/* An infinitive or participle: a complement or a purpose? false when out of memory. */
static bool purpose(UdTree *t, int w)
{
    int h = t->w[w].head, object = ud_kid(t, h, SD_DOBJ);
    bool to = has_to(t, w);
    if (t->w[w].relation != UD_XCOMP || w < h || !h || ud_kid(t, w, UD_NSUBJ) || ud_kid(t, w, SD_NSUBJPASS))
        return true;
    if (!to && !ud_tag_among(t, w, TAG_VBG)) return true;
    bool other = object > h && object < w, passive = ud_kid(t, h, SD_AUXPASS) != 0;
    if (ud_tag_among(t, h, TAG_VBN)) passive |= t->w[h].relation == SD_VMOD || t->w[h].relation == SD_PARTMOD;
    const char *lemma = lemma_find(t->w[h].form, t->w[h].tag_text, t->arena);
    if (!lemma) return false;
    if (to ? !takes_infinitive(t, h, t->begin[w], other, passive, lemma) : is_manner(t, w, h, other, passive, lemma))
        t->w[w].relation = UD_ADVCL;
    return true;
}

/* "I want it can we go": a whole clause after a verb that has its object already and says or thinks nothing. */
static bool is_run_on(const UdTree *t, int c, int h)
{
    int object = ud_kid(t, h, SD_DOBJ), subject = ud_kid(t, c, UD_NSUBJ);
    return object && object > h && object < t->begin[c] && subject && is_finite(t, c) && !relative_word(t, c) &&
           !ud_word_among(t, h,
                          SAYING " " ASKING " bet promise promised assure assured show showed remind convince "
                                 "convinced");
}

/* A clause after a comma that is no object: a parenthesis; one with "if" after a verb of asking is one. */
static void loose(UdTree *t, int c)
{
    int h = t->w[c].head, mark = mark_of(t, c), begin = t->begin[c];
    UdRelation r = t->w[c].relation;
    if (!h || c < h) return;
    if (r == UD_ADVCL && mark && ud_word_among(t, mark, "if whether") && ud_word_among(t, h, ASKING) &&
        !ud_tag_among(t, mark - 1, TAG_COMMA))
        t->w[c].relation = UD_CCOMP;
    if (r == UD_CCOMP && mark && !ud_is_nominal(t, h) &&
        ud_word_among(t, mark, "as because since while although though until unless before after once"))
        t->w[c].relation = UD_ADVCL;
    int so = r == UD_CCOMP ? result_of(t, c, h) : 0;
    if (so) {
        t->w[c].head = so;
        t->w[c].relation = UD_ADVCL;
    }
    if (r == UD_CCOMP && !mark && is_run_on(t, c, h)) t->w[c].relation = UD_PARATAXIS;
    if (r == UD_CCOMP && !mark && ud_tag_among(t, begin - 1, TAG_COMMA | TAG_COLON) && !ud_word_among(t, h, SAYING))
        t->w[c].relation = UD_PARATAXIS;
}

bool ud_clauses(UdTree *tree)
{
    for (int w = 1; w <= tree->n; w++) /* "to" is an auxiliary in Stanford's scheme */
        if (tree->w[w].relation == UD_AUX && ud_tag_among(tree, w, TAG_TO)) tree->w[w].relation = UD_MARK;
    for (int w = 1; w <= tree->n; w++)
        if (ud_tag_among(tree, w, TAG_EX) && (tree->w[w].relation == UD_NSUBJ || tree->w[w].relation == SD_NSUBJPASS))
            tree->w[w].relation = UD_EXPL;
    for (int w = 1; w <= tree->n; w++) {
        cleft(tree, w);
        bare_adjective(tree, w);
        judged(tree, w);
        extrapose_from_make(tree, w);
        extrapose(tree, w);
        extrapose_passive(tree, w);
        raised_existence(tree, w);
        if (!purpose(tree, w)) return false;
        loose(tree, w);
    }
    for (int w = 1; w <= tree->n; w++) raise_subject(tree, w);
    return true;
}
