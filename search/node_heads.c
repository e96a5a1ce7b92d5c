/* Which child is the head of a phrase? Rules as data: Collins (1999), appendix A, and what Stanford CoreNLP made of
 * them: its ModCollinsHeadFinder, its SemanticHeadFinder, whose heads are words with content rather than
 * auxiliaries, and its UniversalSemanticHeadFinder, where prepositions are no heads either. Of the last two are left
 * out the patterns of questions without SQ and of "Tuesday it is", which change hardly any head, and what they ask
 * of the parent, which Tregex does not tell them. */
#include "search/node_tree.h"

/* The ways to find the head of a phrase with one of the labels, in their order, between '|'. A way is a sign and labels
 * of children: '<' and '>' look for the first or last child with the first label, then with the second, and so on; '['
 * and ']' for the first or last child with any of them. A '<' or '>' without labels finds none; the last way says from
 * which side the last resort comes: a child that is no mark, and of COLLINS any child. */
typedef struct Rule {
    const char *labels, *ways;
} Rule;

static const Rule COLLINS[] = {
    { "ADJP", "< NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB" },
    { "ADVP", "> RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN" },
    { "CONJP", "> CC RB IN" },
    { "FRAG UCP X", ">" },
    { "INTJ NX PRN TYPO EDITED ROOT TOP", "<" },
    { "LST", "> LS :" },
    { "NAC", "< NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW" },
    { "NP NML", "] NN NNP NNPS NNS NX POS JJR | < NP | ] $ ADJP PRN | > CD | ] JJ JJS RB QP" },
    { "PP", "> IN TO VBG VBN RP FW" },
    { "PRT", "> RP" },
    { "QP", "< $ IN NNS NN JJ RB DT CD NCD QP JJR JJS" },
    { "RRC", "> VP NP ADVP ADJP PP" },
    { "S", "< TO IN VP S SBAR ADJP UCP NP" },
    { "SBAR", "< WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG" },
    { "SBARQ", "< SQ S SINV SBARQ FRAG" },
    { "SINV", "< VBZ VBD VBP VB MD VP S SINV ADJP NP" },
    { "SQ", "< VBZ VBD VBP VB MD VP SQ" },
    { "VP", "< TO VBD VBN MD VBZ VB VBG VBP AUX AUXG VP ADJP NN NNS NP" },
    { "WHADJP", "< CC WRB JJ ADJP" },
    { "WHADVP", "> CC WRB" },
    { "WHNP", "< WDT WP WP$ WHADJP WHPP WHNP" },
    { "WHPP", "> IN TO FW" },
    { "XS", "> IN" },
    { NULL, NULL },
};

static const Rule MOD_COLLINS[] = {
    { "ADJP", "< $ | ] NNS NN JJ QP VBN VBG | < ADJP | ] JJP JJR JJS DT RB RBR CD IN VBD | < ADVP NP" },
    { "JJP", "< NNS NN $ QP JJ VBN VBG ADJP JJP JJR NP JJS DT FW RBR RBS SBAR RB" },
    { "ADVP", "< ADVP IN | ] RB RBR RBS JJ JJR JJS | ] RP DT NN CD NP VBN NNP CC FW NNS ADJP NML" },
    { "ADV", "> RB RBR RBS FW ADVP TO CD JJR JJ IN NP NML JJS NN" },
    { "CONJP", "> CC RB IN" },
    { "FRAG UCP", ">" },
    { "INTJ EDITED META", "<" },
    { "LST", "> LS :" },
    { "NAC", "< NN NNS NML NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP JJP FW" },
    { "NP NX", "] NN NNP NNPS NNS NML NX POS JJR | < NP PRP | ] $ ADJP JJP PRN FW | > CD"
               " | ] JJ JJS RB QP DT WDT RBR ADVP" },
    { "NML", "] NN NNP NNPS NNS NX NML POS JJR | < NP PRP | ] $ ADJP JJP PRN | > CD"
             " | ] JJ JJS RB QP DT WDT RBR ADVP" },
    { "POSSP", "> POS" },
    { "PP", "> IN TO VBG VBN RP FW JJ SYM | < PP" },
    { "PRN", "< VP NP PP SQ S SINV SBAR ADJP JJP ADVP INTJ WHNP NAC VBP JJ NN NNP" },
    { "PRT", "> RP" },
    { "QP", "< $ IN NNS NN JJ CD PDT DT RB NCD QP JJR JJS" },
    { "ROOT TOP", "< S SQ SINV SBAR FRAG" },
    { "RRC", "< RRC | > VP ADJP JJP NP PP ADVP" },
    { "S", "< TO VP S FRAG SBAR ADJP JJP UCP NP" },
    { "SBAR", "< WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG" },
    { "SBARQ", "< SQ S SINV SBARQ FRAG SBAR" },
    { "SINV", "< VBZ VBD VBP VB MD VBN VP S SINV ADJP JJP NP" },
    { "SQ", "< VBZ VBD VBP VB MD AUX AUXG VP SQ" },
    { "TYPO", "< NN NP NML NNP NNPS TO VBD VBN MD VBZ VB VBG VBP VP ADJP JJP FRAG" },
    { "VP VB", "< TO VBD VBN MD VBZ VB VBG VBP VP AUX AUXG ADJP JJP NN NNS JJ NP NNP" },
    { "WHADJP", "< WRB WHADVP RB JJ ADJP JJP JJR" },
    { "WHADVP", "> WRB WHADVP" },
    { "WHNP", "< WDT WP WP$ WHADJP WHPP WHNP" },
    { "WHPP", "> IN TO FW" },
    { "X", "> S VP ADJP JJP NP SBAR PP X" },
    { "XS", "> IN" },
    { NULL, NULL },
};

/* Rules that replace MOD_COLLINS for these labels. */
static const Rule SEMANTIC[] = {
    { "CONJP", "> CC VB JJ RB IN" },
    { "EMBED", "> INTJ" },
    { "FRAG", "< IN | > RB | < NP | < ADJP ADVP FRAG S SBAR VP" },
    { "NP NX NML", "] NN NNP NNPS NNS NX NML JJR WP | < NP PRP | ] $ ADJP FW | > CD"
                   " | ] JJ JJS QP DT WDT NML PRN RB RBR ADVP | ] VP VB VBZ VBD VBP | < POS" },
    { "PRN", "< VP SQ S SINV SBAR NP ADJP PP ADVP INTJ WHNP NAC VBP JJ NN NNP" },
    { "QP", "> $ NNS NN CD JJ PDT DT IN RB NCD QP JJR JJS" },
    { "S", "< VP S FRAG SBAR ADJP UCP TO | > NP" },
    { "SBAR", "< S SQ SINV SBAR FRAG VP WHNP WHPP WHADVP WHADJP IN DT" },
    { "SQ", "< VP SQ ADJP VB VBZ VBD VBP MD AUX AUXG" },
    { "UCP", "<" },
    { "WHADJP", "< ADJP JJ JJR WP | > RB | >" },
    { "WHADVP", "] WRB WHADVP RB JJ" },
    { "WHNP", "] NN NNP NNPS NNS NX NML JJR WP | < WHNP NP | ] $ ADJP PRN FW | > CD | ] JJ RB QP"
              " | < WHPP WHADJP WP$ WDT" },
    { NULL, NULL },
};

/* Rules that replace SEMANTIC for these labels. */
static const Rule UNIVERSAL[] = {
    { "PP", "< NP S SBAR SBARQ ADVP PP VP ADJP FRAG UCP PRN | >" },
    { "WHPP", "< WHNP WHPP WHADVP SBAR | >" },
    { NULL, NULL },
};

/* By HeadFinder. */
static const struct {
    const char *name, *class_name;
    const Rule *rules[3]; /* the first that has the label */
    bool content;         /* are auxiliaries and copulas no heads? */
} FINDERS[] = {
    { "collins", "CollinsHeadFinder", { COLLINS }, false },
    { "mod-collins", "ModCollinsHeadFinder", { MOD_COLLINS }, false },
    { "semantic", "SemanticHeadFinder", { SEMANTIC, MOD_COLLINS }, true },
    { "universal", "UniversalSemanticHeadFinder", { UNIVERSAL, SEMANTIC, MOD_COLLINS }, true },
    { "left", "LeftHeadFinder", { NULL }, false },
};

static const char MARKS[] = "'' `` -LRB- -RRB- . : ,";
static const char VERB_TAGS[] = "TO MD VB VBD VBP VBZ VBG VBN AUX AUXG";
/* Also without their apostrophes, and of "have" what speech leaves: "could a been", "could of been". */
static const char AUXILIARIES[] = "will wo shall sha may might should would can could ca must 'll ’ll ll have has had "
                                  "having 've ’ve ve a of get gets "
                                  "getting got gotten do does did 'd ’d d to na ta";
static const char COPULAS[] = "be being been am are is was were ai 'm 're 's ’m ’re ’s m s";

bool head_finder_find(const char *name, HeadFinder *finder)
{
    const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
    for (size_t k = 0; k < sizeof FINDERS / sizeof *FINDERS; k++) {
        if (strcmp(name, FINDERS[k].name) != 0 && strcmp(last, FINDERS[k].class_name) != 0) continue;
        *finder = (HeadFinder)k;
        return true;
    }
    return false;
}

/* ---- labels and lists of them */

StrView node_category(StrView label)
{
    char first = 0;
    for (size_t k = 0; k < label.len; k++) {
        if (!memchr("-=|#^~_[", label.ptr[k], 8)) continue;
        if (k == 0) first = label.ptr[0];
        else if (first == label.ptr[k]) first = 0;
        else return (StrView){ label.ptr, k };
    }
    return label;
}

/* Cuts the first word off a list. */
static StrView cut_word(StrView *list)
{
    StrView word;
    while (list->len && *list->ptr == ' ') *list = (StrView){ list->ptr + 1, list->len - 1 };
    word = (StrView){ list->ptr, 0 };
    while (word.len < list->len && word.ptr[word.len] != ' ') word.len++;
    *list = (StrView){ list->ptr + word.len, list->len - word.len };
    return word;
}

bool node_same_label(StrView a, StrView b, bool caseless)
{
    for (size_t k = 0; a.len == b.len && k < a.len; k++) {
        char x = a.ptr[k], y = b.ptr[k];
        if (caseless && x >= 'A' && x <= 'Z') x = (char)(x + 32);
        if (caseless && y >= 'A' && y <= 'Z') y = (char)(y + 32);
        if (x != y) return false;
    }
    return a.len == b.len;
}

static bool in(StrView list, StrView label, bool caseless)
{
    for (StrView word = cut_word(&list); word.len; word = cut_word(&list))
        if (node_same_label(label, word, caseless)) return true;
    return false;
}

static bool listed(const char *list, StrView label) { return in(text_view(list), label, false); }

static bool begins(StrView label, const char *with)
{
    return label.len >= strlen(with) && memcmp(label.ptr, with, strlen(with)) == 0;
}

/* ---- the children of a phrase */

typedef struct Kids {
    const NodeTree *tree;
    const StrMap *labels;
    HeadFinder finder;
    int node;
    bool few; /* are adverbial ones left out? */
} Kids;

static StrView label_of(const Kids *kids, int node) { return text_view(kids->labels->keys[kids->tree->label[node]]); }
static StrView category(const Kids *kids, int node) { return node_category(label_of(kids, node)); }

static bool is_tag(const NodeTree *t, int node) { return t->n_children[node] == 1 && node_is_leaf(t, node + 1); }

static bool is_mark(const Kids *kids, int node)
{
    return is_tag(kids->tree, node) && listed(MARKS, label_of(kids, node));
}

static bool is_adverbial(const Kids *kids, int node)
{
    const char *label = kids->labels->keys[kids->tree->label[node]];
    return strstr(label, "-TMP") || strstr(label, "-ADV");
}

/* The child after one, seen from one end; -1: none. */
static int step(const Kids *kids, bool from_first, int child)
{
    const NodeTree *t = kids->tree;
    do {
        if (child < 0) child = from_first ? kids->node + 1 : t->last_child[kids->node];
        else child = from_first ? node_next(t, child) : t->previous[child];
    } while (child >= 0 && kids->few && is_adverbial(kids, child));
    return child;
}

/* The first child from one end whose label is in the list, or is not; -1: none. */
static int look(const Kids *kids, bool from_first, StrView list, bool wanted)
{
    int c = step(kids, from_first, -1);
    while (c >= 0 && in(list, category(kids, c), false) != wanted) c = step(kids, from_first, c);
    return c;
}

static int by_way(const Kids *kids, char sign, StrView list)
{
    if (sign == '[' || sign == ']') return look(kids, sign == '[', list, true);
    for (StrView word = cut_word(&list); word.len; word = cut_word(&list)) {
        int c = look(kids, sign == '<', word, true);
        if (c >= 0) return c;
    }
    return -1;
}

/* ---- coordination */

/* Is a child no member of a coordination: a mark, or an interjection among others? */
static bool is_aside(const Kids *kids, int node, bool interjections)
{
    StrView label = label_of(kids, node);
    return is_mark(kids, node) ||
           (!interjections && (listed("INTJ", label) || (is_tag(kids->tree, node) && listed("UH", label))));
}

/* The first of the members, before some of which there are a comma or a colon. */
static int first_member(const Kids *kids, int member, bool interjections)
{
    bool separated = false;
    for (int c = step(kids, false, member); c >= 0; c = step(kids, false, c)) {
        if (listed(", :", category(kids, c))) separated = true;
        else if (!is_aside(kids, c, interjections)) {
            if (!separated) break;
            member = c;
            separated = false;
        }
    }
    return member;
}

/* The head of a coordination is the member before the conjunction, unless a mark stands there; if heads are words with
 * content, the first member. */
static int before_conjunction(const Kids *kids, int head)
{
    int link = step(kids, false, head), c = link < 0 ? -1 : step(kids, false, link);
    bool interjections = listed("UH", category(kids, head));
    if (c < 0 || !listed("CC CONJP", category(kids, link))) return head;
    if (!FINDERS[kids->finder].content) return is_mark(kids, c) ? head : c;
    while (c >= 0 && is_aside(kids, c, interjections)) c = step(kids, false, c);
    return c < 0 ? head : first_member(kids, c, interjections);
}

/* ---- auxiliaries and copulas are no heads */

/* Is a verb with one of the words among the children, or by_tag one with the tag of an auxiliary? */
static bool has_verb(const Kids *kids, const char *words, bool by_tag)
{
    const NodeTree *t = kids->tree;
    for (int c = kids->node + 1; c >= 0; c = node_next(t, c)) {
        StrView tag = label_of(kids, c);
        if (!is_tag(t, c)) continue;
        if (by_tag && listed("TO MD AUX AUXG", tag)) return true;
        if (listed(VERB_TAGS, tag) && in(text_view(words), label_of(kids, c + 1), true)) return true;
    }
    return false;
}

/* The verb phrase beside an auxiliary, or the predicate beside a copula; -1 if the phrase has neither. */
static int by_auxiliary(Kids few, bool question)
{
    bool copula = has_verb(&few, COPULAS, false), universal = few.finder == HEADS_UNIVERSAL;
    int c = -1, other = few.node + 1;
    few.few = true;
    if (has_verb(&few, AUXILIARIES, true))
        c = by_way(&few, '<', text_view(has_verb(&few, COPULAS, true) ? "VP ADJP JJP" : "VP"));
    if (c >= 0 || !copula) return c < 0 ? -1 : before_conjunction(&few, c);
    c = by_way(&few, question ? '>' : '<',
               text_view(universal ? "VP ADJP NP UCP PP WHADJP WHNP" : "VP ADJP NP UCP WHADJP WHNP"));
    if (c >= 0) c = before_conjunction(&few, c);
    if (c < 0 || !question || !begins(label_of(&few, c), "NP")) return c;
    while (other != c && !begins(label_of(&few, other), "NP")) other = few.tree->end[other];
    return other == c ? -1 : c; /* the first noun phrase of a question is the subject */
}

/* "but not", "but also", "and yet": the adverb; -1: none of these. */
static int by_adverb(const Kids *kids)
{
    static const char *const PAIRS[][2] = { { "but and", "not" }, { "but", "also rather" }, { "and", "yet" } };
    const NodeTree *t = kids->tree;
    for (size_t k = 0; k < sizeof PAIRS / sizeof *PAIRS; k++)
        for (int c = kids->node + 1, after; (after = node_next(t, c)) >= 0; c = after) {
            bool phrase = k > 0 && listed("ADVP", label_of(kids, after)) && t->n_children[after] == 1;
            int tag = phrase ? after + 1 : after;
            if (is_tag(t, c) && is_tag(t, tag) && listed("CC", label_of(kids, c)) &&
                listed("RB", label_of(kids, tag)) && in(text_view(PAIRS[k][0]), label_of(kids, c + 1), true) &&
                in(text_view(PAIRS[k][1]), label_of(kids, tag + 1), true))
                return after;
        }
    return -1;
}

/* ---- all */

static int by_content(const Kids *kids)
{
    StrView label = label_of(kids, kids->node), phrase = node_category(label);
    int c = listed("CONJP", label) ? by_adverb(kids) : -1;
    if (c < 0 && listed("VP SQ SINV", phrase)) c = by_auxiliary(*kids, listed("SQ", phrase));
    return c;
}

static const char *ways_of(HeadFinder finder, StrView label)
{
    for (int k = 0; k < 3 && FINDERS[finder].rules[k]; k++)
        for (const Rule *rule = FINDERS[finder].rules[k]; rule->labels; rule++)
            if (listed(rule->labels, label)) return rule->ways;
    return ">";
}

static int find_head(const Kids *kids)
{
    int c = kids->tree->n_children[kids->node] == 1 || kids->finder == HEADS_LEFT ? kids->node + 1 : -1;
    if (c < 0 && FINDERS[kids->finder].content) c = by_content(kids);
    if (c >= 0) return c;
    char sign = '>';
    for (const char *way = ways_of(kids->finder, category(kids, kids->node)); *way;) {
        size_t n = strcspn(way + 1, "|");
        sign = *way;
        c = by_way(kids, sign, (StrView){ way + 1, n });
        if (c >= 0) return before_conjunction(kids, c);
        way += 1 + n;
        way += strspn(way, "| ");
    }
    bool from_first = sign == '<' || sign == '[';
    c = kids->finder == HEADS_COLLINS ? -1 : look(kids, from_first, text_view(MARKS), false);
    return c >= 0 ? before_conjunction(kids, c) : from_first ? kids->node + 1 : kids->tree->last_child[kids->node];
}

int node_head(NodeTree *tree, const StrMap *labels, HeadFinder finder, int node)
{
    const Kids kids = { tree, labels, finder, node, false };
    if (tree->heads != (int)finder) {
        for (int k = 0; k < tree->n; k++) tree->head_child[k] = -2;
        tree->heads = (int)finder;
    }
    if (tree->head_child[node] == -2) tree->head_child[node] = node_is_leaf(tree, node) ? -1 : find_head(&kids);
    return tree->head_child[node];
}
