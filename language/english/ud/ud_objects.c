/* Which nominals after a verb are its objects? Others say when, how often or how ("waited two hours"), what someone is
 * called or becomes ("elected him president"), or name the listener ("told
 * reporters"). */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#include "language/english/ud/lemma.h"

enum { COMPLEMENT_MOST = 8 }; /* arcs from an adjective up to its verb */

/* Verbs whose dobj beside a clause or another object names the listener. */
#define TELLING                                                                                               \
    "tell tells told telling ask asks asked asking trust trusts trusted remind reminds reminded reminding "   \
    "assure assures assured inform informs informed informing urge urges urged convince convinces convinced " \
    "persuade persuaded advise advises advised warn warns warned warning notify notified reassure reassured " \
    "show shows showed allow allows allowed allowing promise promised teach teaches taught email emailed"

/* Verbs, by lemma, that take an object and a name for it, which is never an object; and these with the verbs that say
 * what the object becomes. */
#define NAMING "call name title entitle dub term label nickname rename proclaim"
#define NAMED "name rename nickname dub christen"
#define CHOOSING NAMING " elect appoint choose crown declare consider deem vote"

/* Words of time, frequency and manner. */
#define TIMES                                                                                                 \
    "time times way ways bit lot deal day days night nights morning mornings afternoon afternoons evening "   \
    "evenings week weeks weekend weekends month months year years hour hours minute minutes second seconds "  \
    "decade decades moment today tomorrow yesterday tonight summer winter spring fall autumn monday tuesday " \
    "wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays"

/* Verbs whose object may well be a time or a way. */
#define TAKING                                                                                                    \
    "have has had having take takes took taken taking spend spends spent spending waste wasted find finds "       \
    "found see seen saw make makes made give gives gave given get gets got want wants wanted need needs "         \
    "needed lose lost enjoy enjoyed love like hate plan know knows learn save use used buy remember remembers "   \
    "choose chose pick picked celebrate add added miss missed allow allowed mark marked schedule scheduled book " \
    "change changed call called name named count counted set began begin begins start started end ended is "      \
    "was are were be been total totaled"

static bool is_reflexive(const UdTree *t, int w) { return ud_tag_among(t, w, TAG_PRP) && strstr(t->w[w].lower, "sel"); }

/* "two hours", "three times a day", "all the time", "the whole way": does it measure, where a verb could also have it
 * as an object? */
static bool is_measure(const UdTree *t, int w)
{
    bool plural = ud_tag_among(t, w, TAG_NNS);
    for (int k = t->first[w]; k < t->first[w + 1]; k++) {
        int kid = t->kids[k];
        if (plural && t->w[kid].relation == SD_NUM && kid < w) return true;
        if (kid > w) return false;
        if (ud_word_among(t, w, "time times") &&
            ud_word_among(t, kid, "all every each this next last whole many several"))
            return true;
        if (ud_word_among(t, w, "bit") && ud_word_among(t, kid, "little tiny"))
            return w == t->n || !ud_word_among(t, w + 1, "of about");
        if (ud_word_among(t, w, "way") && ud_word_among(t, kid, "either any another other whole all")) return true;
        if (ud_word_among(t, w, "weekend afternoon morning evening night week day month year summer winter") &&
            ud_word_among(t, kid, "this that next last every each yesterday other all whole"))
            return true;
    }
    return false;
}

/* "He builds them himself", "we do it all the time": the second object is an adverbial. */
static bool is_adverbial(const UdTree *t, int w)
{
    int h = t->w[w].head, first = ud_kid(t, h, SD_DOBJ), receiver = ud_kid(t, h, UD_IOBJ);
    if (w < h || !ud_tag_among(t, h, TAGS_VERB)) return false;
    if (first == w) first = receiver;
    bool taking = ud_word_among(t, h, TAKING);
    if (first && first < w) {
        if (is_reflexive(t, w)) return true;
        return ud_word_among(t, w, TIMES) && !(taking && first == receiver) &&
               !(first == receiver && ud_word_among(t, h, "tell told show showed showed taught teach ask asked"));
    }
    return !taking && ud_word_among(t, w, TIMES) && is_measure(t, w);
}

/* "elected him president", "called it Rex": the second nominal is a predicate. */
static bool is_predicate(UdTree *t, int w, bool *no_memory)
{
    int h = t->w[w].head, first = ud_kid(t, h, UD_IOBJ);
    if (!first) first = ud_kid(t, h, SD_DOBJ);
    if (w < h || !ud_tag_among(t, h, TAGS_VERB) || !ud_is_nominal(t, w)) return false;
    const char *lemma = lemma_find(t->w[h].form, t->w[h].tag_text, t->arena);
    if (!lemma) *no_memory = true;
    if (!lemma || !text_among(lemma, CHOOSING)) return false;
    if (first && first < w) return first > h;
    return ud_kid(t, h, SD_AUXPASS) && text_among(lemma, CHOOSING);
}

/* "We named our dog Rex": an unmarked apposition after the object of a verb that gives a name. */
static bool is_given_name(UdTree *t, int w, bool *no_memory)
{
    int object = t->w[w].head, h = t->w[object].head;
    if (t->w[w].relation != UD_APPOS || t->w[object].relation != SD_DOBJ || ud_is_mark(t, t->begin[w] - 1))
        return false;
    const char *lemma = lemma_find(t->w[h].form, t->w[h].tag_text, t->arena);
    if (!lemma) *no_memory = true;
    return lemma && text_among(lemma, NAMING);
}

/* "They called him a liar", where the second nominal is the object and has the first as its subject; "we appointed Ann
 * secretary", "elected her captain", "named our dog Rex", where they are one noun phrase. */
static bool part_predicate(UdTree *t, int w)
{
    int h = t->w[w].head, object = ud_kid(t, w, UD_NSUBJ), before = t->w[w - 1].head == w ? w - 1 : 0;
    if (t->w[w].relation != SD_DOBJ || w < h || ud_tag_among(t, w, TAGS_VERB) || !(object || before)) return true;
    const char *lemma = lemma_find(t->w[h].form, t->w[h].tag_text, t->arena);
    if (!lemma) return false;
    int determined = ud_kid(t, w, SD_POSS);
    if (!determined) determined = ud_kid(t, w, UD_DET);
    bool person = ud_tag_among(t, before, TAGS_PROPER) || (before == h + 1 && ud_word_among(t, before, "her"));
    bool office = ud_tag_among(t, w, TAG_NN) && person && (!determined || determined == before);
    bool named = ud_tag_among(t, w, TAG_NNP) && ud_tag_among(t, before, TAG_NN) && determined;
    if (object && !text_among(lemma, CHOOSING)) return true;
    if (!object && office && text_among(lemma, "elect appoint crown name dub")) object = before;
    if (!object && named && text_among(lemma, NAMED)) object = before;
    if (!object || object < h || object > w) return true;
    for (int k = t->first[w]; k < t->first[w + 1] && t->kids[k] < object; k++)
        if (t->w[t->kids[k]].head == w) t->w[t->kids[k]].head = object;
    t->w[object].head = h;
    t->w[object].relation = SD_DOBJ;
    t->w[w].relation = UD_XCOMP;
    if (ud_tag_among(t, object, TAG_PRPS)) { /* "her" */
        t->w[object].tag = TAG_PRP;
        t->w[object].upos = POS_PRON;
    }
    return true;
}

/* "Make the port used by guests public": the last adjective says what the object becomes, wherever it hangs. */
static void made_so(UdTree *t, int w)
{
    int h = t->w[w].head, below = w;
    if (!ud_tag_among(t, w, TAG_JJ) || h > w || (t->w[w].relation != UD_AMOD && t->w[w].relation != SD_ACOMP)) return;
    if (w < t->n && !ud_is_mark(t, w + 1)) return;
    for (int k = 0;
         h && k < COMPLEMENT_MOST && !ud_word_among(t, h, "make makes made making keep keeps kept leave left render");
         k++) {
        below = h;
        h = t->w[h].head;
    }
    if (!h || h > w || below == w || !ud_tag_among(t, h, TAGS_VERB)) return;
    UdRelation r = t->w[below].relation;
    int subject = ud_kid(t, below, UD_NSUBJ);
    if (r == UD_CCOMP && ud_tag_among(t, below, TAG_VBN) && subject && subject < below) { /* no clause */
        t->w[subject].head = h;
        t->w[subject].relation = SD_DOBJ;
        t->w[below].head = subject;
        t->w[below].relation = SD_PARTMOD;
    } else if (r != SD_DOBJ) return;
    t->w[w].head = h;
    t->w[w].relation = UD_XCOMP;
}

/* "They visit us every summer": whom a verb has beside a time only is its object. */
static void sole_object(UdTree *t, int w)
{
    int h = t->w[w].head, time = ud_kid(t, h, SD_TMOD);
    if (t->w[w].relation == UD_IOBJ && time > w && !ud_kid(t, h, SD_DOBJ) && !ud_kid(t, h, UD_CCOMP) &&
        !ud_kid(t, h, UD_XCOMP) && !ud_word_among(t, h, TELLING))
        t->w[w].relation = SD_DOBJ;
}

bool ud_measures(UdTree *tree)
{
    for (int w = 2; w <= tree->n; w++) {
        bool no_memory = false;
        made_so(tree, w);
        if (!part_predicate(tree, w)) return false;
        bool named = is_given_name(tree, w, &no_memory);
        if (no_memory) return false;
        if (!named) continue;
        tree->w[w].head = tree->w[tree->w[w].head].head;
        tree->w[w].relation = UD_XCOMP;
    }
    for (int w = 1; w <= tree->n; w++) {
        bool no_memory = false;
        sole_object(tree, w);
        if (tree->w[w].relation != SD_DOBJ) continue;
        UdRelation as = is_adverbial(tree, w) ? SD_TMOD : is_predicate(tree, w, &no_memory) ? UD_XCOMP : SD_DOBJ;
        if (no_memory) return false;
        int receiver = as == SD_DOBJ ? 0 : ud_kid(tree, tree->w[w].head, UD_IOBJ);
        tree->w[w].relation = as;
        if (receiver && receiver < w) tree->w[receiver].relation = SD_DOBJ;
    }
    return true;
}

/* The dobj of a verb of telling is its listener, whether or not a clause follows. */
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
    if (ud_tag_among(t, w, TAG_PRP) &&
        ud_word_among(t, h, "tell tells told telling ask asked asking remind trust email"))
        t->w[w].relation = UD_IOBJ;
}

bool ud_recipients(UdTree *tree)
{
    for (int w = 1; w <= tree->n; w++) recipient(tree, w);
    return true;
}
