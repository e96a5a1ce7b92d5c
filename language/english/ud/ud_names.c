/* Names. Stanford's scheme has nn(Smith, John) as it has nn(station, train); in UD the words of a personal name are
 * flat and its head is the first one, while names that are built like other noun phrases are not: "Park Hotel". */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#define TITLES                                                                                               \
    "mr. mr mrs. mrs ms. ms dr. dr doctor prof. prof professor professors president general gen. gen judge " \
    "senator sen. governor gov. madam king queen prince princess secretary sheikh ambassador congressman "   \
    "congresswoman rep. senators chairman chairwoman mullah rev. rev reverend inspector tsar lady lord "     \
    "speaker mayor ayatollah sir captain capt. premier pope bishop colonel col. lieutenant lt. major maj. "  \
    "sergeant sgt. minister chancellor emperor empress saint st. st mister dame uncle aunt father brother "  \
    "sister justice attorney dean vice-president spokesman spokeswoman director chief"

/* A last word that makes a compound of the whole. */
#define KINDS                                                                                                   \
    "city university school korea center centre islands island act sea war news america cup party council "     \
    "department agency hotel worth wars series times force river international sox magazine station asia org "  \
    "office bank guard gas club award awards institute house park union commission coast group road airport "   \
    "control carolina church festival street springs foundation falls county province square gulf prize lab "   \
    "army museum valley court committee corps bridge service senate ave avenue turnpike hospital forum bay "    \
    "association college hall circle weekly district mosque corporation conference goals front africa tours "   \
    "expressway trail network energy cafe vietnam studies society plan lodge cemetery medal league commons "    \
    "fair authority gallery aid declaration hut reserve market site area creek coalition corp. corp inc inc. "  \
    "ltd ltd. llc co co. constitution mart inn castle states administration movement star game stadium day "    \
    "chronicle program law month year olympics championship navy power people arena post treaty resources "     \
    "tower journal system hills alley tv radio review report press library theater theatre zoo garden gardens " \
    "beach lake mountain mountains mount ocean canal tunnel plaza building room restaurant grill bar company "  \
    "companies partners brothers industries systems services solutions technologies software computer online "  \
    "web site project programme fund trust board bureau ministry parliament congress government embassy ward "  \
    "region state republic kingdom empire century age era revolution crisis movement agreement accord "         \
    "convention protocol act bill code amendment theory theorem effect principle award show tour game games "   \
    "team race open final finals bowl album song band orchestra records studio studios pictures film films "    \
    "book books press edition guide story tales chronicles highway route drive lane boulevard terrace place "   \
    "airlines airways railway railroad line express ship class type model series version project month road "   \
    "academy organization organisation assembly palace alliance bulletin herald gazette tribune telegraph "     \
    "mansion study survey institution laboratory laboratories cathedral abbey temple monastery peninsula "      \
    "hemisphere harbor harbour port parkway blvd junction resort apartments legion brigade regiment division "  \
    "battalion fleet caucus directorate faculty seminary archive archives telescope observatory mission "       \
    "initiative campaign federation confederation tournament trophy paralympics summit symposium workshop "     \
    "strait straits desert plateau forest dam reservoir delta fellowship scholarship census nations education " \
    "arts intelligence offensive order limited networks motors medicine culture linguistics marketing "         \
    "construction planet zone"

static bool proper(const UdTree *t, int w) { return ud_tag_among(t, w, TAGS_PROPER); }

/* Do the words from first to last, all proper nouns, look like the name of a person or a foreign one? */
static bool is_flat(const UdTree *t, int first, int last)
{
    if (ud_word_among(t, last, KINDS)) return false;
    for (int w = first; w <= last; w++) {
        if (t->w[w].tag == TAG_NNPS) return false;
        size_t n = strlen(t->w[w].form);
        bool capitals = n > 2 && strcmp(t->w[w].form, t->w[w].lower) != 0;
        for (size_t i = 0; i < n && capitals; i++) capitals = t->w[w].form[i] < 'a' || t->w[w].form[i] > 'z';
        if (capitals && w == first && n < 5) return false; /* "US Congress" */
    }
    return true;
}

#define ADJECTIVES                                                                                              \
    "united new islamic revolutionary european photographic historic unitary continental national "             \
    "international red middle democratic supreme saudi royal creative white grand tamil central global prime "  \
    "civic federal southern northern eastern western british open rolling blue second first third main big "    \
    "black major high public green executive medical orange civil great good free special holy naval far "      \
    "joint little silver presidential basic social metropolitan electoral natural comprehensive daily foreign " \
    "czech independent regulatory hidden associated long bad clear silent personal skilled dark last bright "   \
    "advanced hot golden combined linguistic orthodox secret greek smart sustainable liquid urban arab muslim " \
    "hindu swiss french dutch welsh irish thai"

bool ud_names_like(const UdTree *tree, int word)
{
    static const char *const endings[] = { "ican", "ian", "ese",  "ish", "onal", "ical",
                                           "ial",  "tic", "tive", "nic", "ous" };
    const char *s = tree->w[word].lower;
    size_t n = strlen(s);
    if (text_among(s, ADJECTIVES)) return true;
    if (text_among(
            s, "general metal capital hospital mexican brian ian vivian julian adrian lillian christian attic traffic "
               "republic topic music festival"))
        return text_among(s, "mexican christian");
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t m = strlen(endings[k]);
        if (n > m + 1 && strcmp(s + n - m, endings[k]) == 0) return true;
    }
    return false;
}

bool ud_names_place(const UdTree *tree, int word)
{
    return ud_word_among(
        tree, word,
        "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho "
        "illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi "
        "missouri montana nebraska nevada hampshire jersey ohio oklahoma oregon pennsylvania tennessee texas utah "
        "vermont virginia washington wisconsin wyoming d.c. dc ca ny tx fl il pa va ma nj wa md az co ga mi nc oh tn "
        "france germany italy spain england scotland wales ireland canada mexico japan china india russia brazil "
        "poland australia austria belgium netherlands switzerland sweden norway denmark greece turkey iran iraq israel "
        "egypt usa uk u.s. us ontario quebec");
}

/* Do a modifier of the name's last word and a title stand side by side: "Prime Minister", "US President"? */
static void name_title(UdTree *t, int h, int title)
{
    t->w[title].relation = UD_NMOD_DESC;
    for (int k = t->first[h]; k < t->first[h + 1]; k++) {
        int w = t->kids[k];
        UdRelation r = t->w[w].relation;
        if (w < title && t->w[w].head == h && (r == SD_NN || r == UD_AMOD || r == SD_POSS || r == UD_DET))
            t->w[w].head = title;
    }
}

#define MONTHS                                                                                              \
    "january february march april may june july august september october november december jan. feb. mar. " \
    "apr. jun. jul. aug. sept. sep. oct. nov. dec. jan feb mar apr jun jul aug sept sep oct nov dec"

static bool is_day(const char *s)
{
    size_t n = strspn(s, "0123456789");
    return n > 0 && n < 3 && (s[n] == 0 || text_among(s + n, "st nd rd th"));
}

/* "March 15, 2001": the day is the head, the month and the year modify it. */
static void date(UdTree *t, int month)
{
    int day = 0;
    for (int k = t->first[month]; k < t->first[month + 1]; k++) {
        int w = t->kids[k];
        UdRelation r = t->w[w].relation;
        if ((w == month - 1 || w == month + 1) && is_day(t->w[w].form) &&
            (r == SD_NUM || r == UD_AMOD || r == SD_NN || r == UD_DEP))
            day = w;
    }
    if (day) ud_promote(t, day, month, UD_NMOD_UNMARKED, NULL);
}

/* "4 p.m.": the number is the head. */
static void hour(UdTree *t, int w)
{
    if (w > 1 && t->w[w - 1].head == w && ud_tag_among(t, w - 1, TAG_CD))
        ud_promote(t, w - 1, w, UD_NMOD_UNMARKED, NULL);
}

/* "His friend John Hill", where flat name `first` of last word h has taken over what depended on h: the noun is the
 * head, the name an apposition to it. */
static void apposed_name(UdTree *t, int h, int first, int noun)
{
    for (int k = t->first[h]; k < t->first[h + 1]; k++) {
        int w = t->kids[k];
        if (w != noun && t->w[w].head == first && t->w[w].relation != UD_FLAT) t->w[w].head = noun;
    }
    t->w[noun].head = t->w[first].head;
    t->w[noun].relation = t->w[first].relation;
    t->w[noun].via = t->w[first].via;
    t->w[first].head = noun;
    t->w[first].relation = UD_APPOS;
    t->w[first].via = 0;
    t->w[h].place = noun;
}

static bool is_determined(const UdTree *t, int h) { return ud_kid(t, h, UD_DET) || ud_kid(t, h, SD_POSS); }

/* "10 to 20 men": the first number is the head of the range. */
static void range(UdTree *t, int to)
{
    int from = to - 1, until = to + 1;
    if (!ud_tag_among(t, from, TAG_CD) || !ud_tag_among(t, until, TAG_CD) || !ud_word_among(t, to, "to")) return;
    if (t->w[from].head != until || t->w[to].head != until || t->w[until].head == from) return;
    ud_promote(t, from, until, UD_NMOD, NULL);
    t->w[to].head = until;
    t->w[to].relation = UD_CASE;
    if (t->w[from].relation == UD_DEP) t->w[from].relation = SD_NUM;
}

/* The name whose last word is h: its nn dependents, without gaps. */
static void name(UdTree *t, int h)
{
    int first = h, title = 0, trade = 0;
    for (int k = t->first[h + 1] - 1; k >= t->first[h]; k--) {
        int w = t->kids[k];
        if (w > h) continue;
        bool dash = w == first - 1 && ud_tag_among(t, w, TAG_HYPH);
        if (dash) continue;
        bool next = w == first - 1 || (w == first - 2 && ud_tag_among(t, first - 1, TAG_HYPH));
        if (!next || t->w[w].relation != SD_NN) break;
        if (ud_word_among(t, w, TITLES) && w < h) title = w;
        else if (ud_tag_among(t, w, TAG_NN) && first < h && w == first - 1) trade = w; /* "filmmaker John Hill" */
        if (title || !proper(t, w)) break;
        first = w;
    }
    while (first < h && ud_names_like(t, first)) first++;
    if (trade != first - 1 || !is_flat(t, first, h)) trade = 0;
    bool apposed = trade && is_determined(t, h);
    if (trade && !apposed) title = trade;
    if (title) name_title(t, h, title);
    if (first == h || !is_flat(t, first, h)) return;
    for (int w = first + 1; w < h; w++) {
        if (t->w[w].head != h) continue;
        t->w[w].head = first;
        if (t->w[w].relation == SD_NN) t->w[w].relation = UD_FLAT;
    }
    t->w[first].via = t->w[h].via;
    ud_promote(t, first, h, UD_FLAT, NULL);
    if (apposed) apposed_name(t, h, first, trade);
}

/* All words before a noun depend on it in a flat tree. Words around a hyphen belong together, "oil - drilling
 * projects", and of three common nouns the first two: "traffic light control". */
static void compounds(UdTree *t)
{
    for (int w = 1; w + 1 < t->n; w++) {
        int h = t->w[w].head, next = ud_tag_among(t, w + 1, TAG_HYPH) ? w + 2 : w + 1;
        if (next > t->n || h <= next || t->w[next].head != h) continue;
        UdRelation r = t->w[w].relation, n = t->w[next].relation;
        bool dash = next == w + 2, modifies = r == SD_NN || r == UD_AMOD || r == SD_NUM || r == SD_NUMBER;
        if (dash && modifies && (n == SD_NN || n == UD_AMOD) && !proper(t, next)) t->w[w].head = next;
        if (!dash && r == SD_NN && n == SD_NN && ud_tag_among(t, w, TAG_NN | TAG_NNS) &&
            ud_tag_among(t, next, TAG_NN | TAG_NNS))
            t->w[w].head = next;
        if (!dash && r == SD_NN && n == SD_NN && proper(t, w) && proper(t, next) &&
            ud_tag_among(t, h, TAG_NN | TAG_NNS) && !ud_names_like(t, next))
            t->w[w].head = next;
    }
}

bool ud_names(UdTree *tree)
{
    compounds(tree);
    (void)ud_index(tree);
    for (int w = 2; w < tree->n; w++) range(tree, w);
    (void)ud_index(tree);
    for (int k = tree->n - 1; k >= 0; k--) {
        int w = tree->order[k];
        if (ud_word_among(tree, w, "am pm a.m. p.m.")) hour(tree, w);
        if (!proper(tree, w)) continue;
        if (ud_word_among(tree, w, MONTHS)) date(tree, w);
        else name(tree, w);
    }
    return true;
}
