/* Which words are abbreviated or misspelt, what should they be, and which are written in pieces ("with out")? Here
 * are only forms that are no other word with their tag. The words come from EWT's train split and the most
 * frequent misspellings of English. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#define T(name) (UINT64_C(1) << UD_TAG_##name)
#define NOUNS (T(NN) | T(NNS) | T(NNP) | T(NNPS))

/* Abbreviations that have Abbr=Yes in EWT and no correct form. */
static const struct {
    UdTags tags;
    const char *words;
} ABBREVIATED[] = {
    { T(NNP) | T(NNPS),
      "jan. feb. mar. apr. jun. jul. aug. sept. sep. oct. nov. dec. jan feb apr aug sept oct nov dec mon. "
      "tue. tues. wed. thu. thur. thurs. fri. sat. sun. fri xmas" },
    { T(NN) | T(NNS), "no. min. mins hr hrs hrs. yr yrs yrs. eve. vol. amt attn" },
    { T(TO) | T(IN), "na ta" },
    { T(IN), "vs thru w o b/c w/ w/o w/out b/t" },
    { T(VB) | T(VBP) | T(VBG), "wan gon" },
    { T(RB), "asap aka" },
    { T(CC), "n 'n" },
};

typedef struct Spelling {
    const char *word;
    UdTags tags; /* 0: any */
    const char *correct;
} Spelling;

/* Abbreviations that stand for another form. */
static const Spelling SHORTENED[] = {
    { "u", T(PRP), "you" },
    { "ur", T(PRPS), "your" },
    { "ppl", T(NNS) | T(NN), "people" },
    { "thanx", NOUNS | T(UH), "thanks" },
    { "thx", NOUNS | T(UH), "thanks" },
    { "pls", 0, "please" },
    { "plz", 0, "please" },
    { "hav", T(VB) | T(VBP), "have" },
    { "luv", T(NN) | T(VB) | T(VBP), "love" },
    { "abt", T(IN), "about" },
    { "btwn", T(IN), "between" },
    { "cuz", T(IN), "because" },
    { "coz", T(IN), "because" },
    { "bc", T(IN), "because" },
    { "tho", T(IN) | T(RB), "though" },
    { "wud", T(MD), "would" },
    { "cud", T(MD), "could" },
    { "shud", T(MD), "should" },
    { "gud", T(JJ), "good" },
    { "lil", T(JJ), "little" },
    { "somethin", 0, "something" },
    { "nothin", 0, "nothing" },
    { "any1", 0, "anyone" },
    { "every1", 0, "everyone" },
    { "some1", 0, "someone" },
    { "prolly", T(RB), "probably" },
    { "2nite", 0, "tonight" },
    { "tmrw", 0, "tomorrow" },
};

static const Spelling MISSPELT[] = {
    { "s", T(VBZ) | T(POS) | T(PRP), "'s" },
    { "`s", T(VBZ) | T(POS), "'s" },
    { "nt", T(RB), "n't" },
    { "m", T(VBP), "'m" },
    { "r", T(VBP), "are" },
    { "re", T(VBP), "'re" },
    { "ve", T(VBP) | T(VB), "'ve" },
    { "ll", T(MD), "'ll" },
    { "d", T(MD), "'d" },
    { "you", T(PRPS), "your" },
    { "it's", T(PRPS), "its" },
    { "there", T(PRPS), "their" },
    { "their", T(EX), "there" },
    { "who's", T(WPS), "whose" },
    { "then", T(IN), "than" },
    { "loose", T(VB) | T(VBP), "lose" },
    { "where", T(VBD), "were" },
    { "teh", 0, "the" },
    { "woud", 0, "would" },
    { "coud", 0, "could" },
    { "til", T(IN), "till" },
    { "wich", 0, "which" },
    { "wether", 0, "whether" },
    { "thier", 0, "their" },
    { "noone", 0, "no-one" },
    { "becuse", 0, "because" },
    { "becuase", 0, "because" },
    { "beacuse", 0, "because" },
    { "untill", 0, "until" },
    { "accomodate", 0, "accommodate" },
    { "accomodating", 0, "accommodating" },
    { "acheive", 0, "achieve" },
    { "adress", 0, "address" },
    { "appartment", 0, "apartment" },
    { "arguement", 0, "argument" },
    { "basicly", 0, "basically" },
    { "begining", 0, "beginning" },
    { "beleive", 0, "believe" },
    { "buisness", 0, "business" },
    { "calender", 0, "calendar" },
    { "completly", 0, "completely" },
    { "definately", 0, "definitely" },
    { "definatly", 0, "definitely" },
    { "definitly", 0, "definitely" },
    { "dissapointed", 0, "disappointed" },
    { "embarassing", 0, "embarrassing" },
    { "enviroment", 0, "environment" },
    { "existance", 0, "existence" },
    { "experiance", 0, "experience" },
    { "familar", 0, "familiar" },
    { "finaly", 0, "finally" },
    { "foriegn", 0, "foreign" },
    { "freind", 0, "friend" },
    { "freinds", 0, "friends" },
    { "goverment", 0, "government" },
    { "happend", 0, "happened" },
    { "immediatly", 0, "immediately" },
    { "independant", 0, "independent" },
    { "knowlege", 0, "knowledge" },
    { "knowledgable", 0, "knowledgeable" },
    { "neccessary", 0, "necessary" },
    { "noticable", 0, "noticeable" },
    { "occured", 0, "occurred" },
    { "occurence", 0, "occurrence" },
    { "preferrably", 0, "preferably" },
    { "probaly", 0, "probably" },
    { "probly", 0, "probably" },
    { "realy", 0, "really" },
    { "reccommend", 0, "recommend" },
    { "reccomend", 0, "recommend" },
    { "recomend", 0, "recommend" },
    { "recieve", 0, "receive" },
    { "recieved", 0, "received" },
    { "rediculous", 0, "ridiculous" },
    { "relevent", 0, "relevant" },
    { "resturant", 0, "restaurant" },
    { "seperate", 0, "separate" },
    { "seperately", 0, "separately" },
    { "succesful", 0, "successful" },
    { "suprise", 0, "surprise" },
    { "suprised", 0, "surprised" },
    { "tommorow", 0, "tomorrow" },
    { "tommorrow", 0, "tomorrow" },
    { "truely", 0, "truly" },
    { "unfortunatly", 0, "unfortunately" },
    { "wierd", 0, "weird" },
    { "writting", 0, "writing" },
};

static const char *find(const Spelling *table, size_t n, const UdTree *t, int w)
{
    for (size_t k = 0; k < n; k++)
        if ((!table[k].tags || ud_tag_among(t, w, table[k].tags)) && strcmp(t->w[w].lower, table[k].word) == 0)
            return table[k].correct;
    return NULL;
}

#define FIND(table, tree, word) find(table, sizeof(table) / sizeof *(table), tree, word)

bool ud_is_abbreviated(const UdTree *tree, int word)
{
    for (size_t k = 0; k < sizeof ABBREVIATED / sizeof *ABBREVIATED; k++)
        if (ud_tag_among(tree, word, ABBREVIATED[k].tags) && ud_word_among(tree, word, ABBREVIATED[k].words))
            return true;
    return FIND(SHORTENED, tree, word) != NULL;
}

bool ud_is_misspelt(const UdTree *tree, int word) { return FIND(MISSPELT, tree, word) != NULL; }

/* Upper case of ASCII. */
static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

bool ud_correct_form(const UdTree *tree, int word, const char **correct)
{
    const char *form = tree->w[word].form, *good = FIND(SHORTENED, tree, word);
    if (!good) good = FIND(MISSPELT, tree, word);
    if (tree->w[word].relation == UD_GOESWITH) good = NULL;
    *correct = good;
    if (!good || form[0] < 'A' || form[0] > 'Z') return true;
    bool all = form[1] && !strpbrk(form, "abcdefghijklmnopqrstuvwxyz");
    char *copy = arena_strndup(tree->arena, good, strlen(good));
    if (!copy) return false;
    for (char *c = copy; *c && (c == copy || all); c++) *c = upper(*c);
    *correct = copy;
    return true;
}

/* Words in two pieces: the first pieces, the second ones, and the tag of the whole; 0: the whole has the tag of the
 * second piece. Neighbours that are as often two words ("in to", "any more", "every day") are not here. */
static const struct {
    const char *first, *second;
    UdTags tag;
} PIECES[] = {
    { "my your him her it our one them your", "self selves", T(PRP) },
    { "with through", "out", T(IN) },
    { "be", "fore cause", T(IN) },
    { "no some any every", "where", T(RB) },
    { "up down", "hill", T(RB) },
    { "half", "way", T(RB) },
    { "for", "ever", T(RB) },
    { "al", "so ways most ready though together", T(RB) },
    { "to", "gether", T(RB) },
    { "to", "morrow night", T(NN) },
    { "in", "deed", T(RB) },
    { "before", "hand", T(RB) },
    { "what who", "ever", T(WP) },
    { "where when", "ever", T(WRB) },
    { "some any every no", "body one", T(NN) },
    { "e", "mail mails mailed mailing", 0 },
    { "mid", "day night week morning afternoon summer winter term", T(NN) },
    { "feed", "back", T(NN) },
    { "woul coul shoul", "d", T(MD) },
    { "wou cou shou", "ld", T(MD) },
    { "over under", "priced rated charged cooked paid", 0 },
    { "afore", "mentioned", 0 },
};

/* Are the pieces two words here: "any one of them", "he was paid before hand signals came", "half way" after "a"? */
static bool are_two_words(const UdTree *t, int w)
{
    int second = w + 1, after = w + 2 <= t->n ? w + 2 : 0;
    if (ud_word_among(t, second, "one body"))
        return (ud_word_among(t, w, "no") && ud_word_among(t, second, "one")) || ud_word_among(t, after, "of") ||
               ud_tag_among(t, after, TAGS_NOUN);
    if (ud_word_among(t, second, "where")) return ud_tag_among(t, after, TAG_PRP);
    if (ud_word_among(t, w, "feed")) return !ud_tag_among(t, w, TAG_NN);
    if (ud_word_among(t, w, "before in")) return after && !ud_is_mark(t, after) && !ud_tag_among(t, after, TAG_PRP);
    if (ud_word_among(t, w, "half")) return ud_tag_among(t, w - 1, TAG_DT);
    if (ud_word_among(t, w, "her")) return ud_tag_among(t, w, TAG_PRPS) && ud_tag_among(t, after, TAGS_NOUN);
    if (ud_word_among(t, second, "ever")) return !ud_word_among(t, w, "for") && ud_tag_among(t, after, TAGS_VERB);
    return ud_word_among(t, w, "over under") && ud_tag_among(t, w, TAG_RP);
}

/* Four single letters or more that are no row of the alphabet: "U P D A T E". Their number; 0: none. */
static int spaced_letters(const UdTree *t, int first)
{
    int n = 0, rows = 0;
    for (int w = first; w <= t->n; w++, n++) {
        char c = t->w[w].lower[0];
        if (c < 'a' || c > 'z' || t->w[w].lower[1]) break;
        if (n && c == t->w[w - 1].lower[0] + 1) rows++;
    }
    return n >= 4 && rows < n - 1 ? n : 0;
}

/* The first of n pieces takes the place, the letters and the tag of the whole. false when out of memory. */
static bool join(UdTree *t, int first, int n, UdTags tag)
{
    int last = first + n - 1, top = first;
    StrBuf whole = { 0 };
    for (int w = first; w <= last; w++) strbuf_puts(&whole, t->w[w].lower);
    const char *lower = whole.failed ? NULL : arena_strndup(t->arena, whole.ptr, whole.len);
    strbuf_fini(&whole);
    if (!lower) return false;
    while (t->w[top].head >= first && t->w[top].head <= last) top = t->w[top].head;
    bool apart = top != last && (t->w[last].head < first || t->w[last].head > last);
    UdRelation r = t->w[apart ? last : top].relation;
    for (int w = first + 1; w <= last; w++) {
        for (int k = t->first[w]; k < t->first[w + 1]; k++)
            if (t->w[t->kids[k]].head == w) t->w[t->kids[k]].head = first;
    }
    t->w[first].head = t->w[top].head;
    t->w[first].lower = lower;
    t->w[first].tag = tag ? tag : t->w[last].tag;
    t->w[first].upos = ud_pos_of_tag(t->w[first].tag);
    t->w[first].relation = r == SD_PREP && !ud_tag_among(t, first, TAG_IN | TAG_TO) ? UD_ADVMOD : r;
    for (int w = first + 1; w <= last; w++) {
        t->w[w].head = first;
        t->w[w].relation = UD_GOESWITH;
    }
    return true;
}

bool ud_pieces(UdTree *tree)
{
    for (int w = 1; w < tree->n; w++) {
        int letters = spaced_letters(tree, w);
        UdTags tag = 0;
        bool two = false;
        for (size_t k = 0; k < sizeof PIECES / sizeof *PIECES && !letters && !two; k++) {
            two = ud_word_among(tree, w, PIECES[k].first) && ud_word_among(tree, w + 1, PIECES[k].second);
            tag = PIECES[k].tag;
        }
        if (two && !are_two_words(tree, w)) letters = 2;
        if (!letters) continue;
        if (!join(tree, w, letters, letters > 2 ? 0 : tag)) return false;
        w += letters - 1;
    }
    return true;
}
