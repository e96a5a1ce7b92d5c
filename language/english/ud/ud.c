/* Reads a sentence, runs the passes, and writes the result. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#include "language/english/text/signs.h"

static const char *const RELATION_TEXT[UD_RELATIONS] = {
#define UD(name, text) [UD_##name] = text,
#define SD(name, text) [SD_##name] = text,
#define OWN(name, text) [OWN_##name] = text,
#include "language/english/ud/ud_relations.def"
#undef UD
#undef SD
#undef OWN
};

static const char *const POS_TEXT[] = { "ADJ",  "ADP",  "ADV",   "AUX",   "CCONJ", "DET", "INTJ", "NOUN", "NUM",
                                        "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X" };

const char *ud_pos_text(UdPos pos) { return POS_TEXT[pos]; }

static const struct {
    const char *text;
    UdPos pos;
} TAGS[] = {
#define TAG(name, text, pos) { text, POS_##pos },
#include "language/english/ud/ud_tags.def"
#undef TAG
};
enum { N_TAGS = sizeof TAGS / sizeof *TAGS };
_Static_assert(N_TAGS <= 64, "a set of tags is 64 bits");

static bool same(const char *a, const char *b) { return *a == *b && strcmp(a, b) == 0; }

const char *ud_relation_text(UdRelation relation) { return RELATION_TEXT[relation]; }

UdPos ud_find_pos(const char *text)
{
    int pos = 0;
    while (pos < POS_X && !same(POS_TEXT[pos], text)) pos++;
    return (UdPos)pos;
}

UdRelation ud_find_relation(const char *text)
{
    int r = 0;
    while (r < UD_RELATIONS && !same(RELATION_TEXT[r], text)) r++;
    return (UdRelation)r;
}

/* UD_DEP if there is no such relation. */
static UdRelation find_or_dep(const char *text)
{
    UdRelation r = ud_find_relation(text);
    return r == UD_RELATIONS ? UD_DEP : r;
}

/* N_TAGS: there is no such tag. */
static int find_tag(const char *text)
{
    int k = 0;
    while (k < N_TAGS && !same(TAGS[k].text, text)) k++;
    return k;
}

UdPos ud_pos_of_tag(UdTags tag)
{
    int k = 0;
    while (k < N_TAGS && tag != UINT64_C(1) << k) k++;
    return k < N_TAGS ? TAGS[k].pos : POS_X;
}

bool ud_knows_scheme(const char *const *types, int n)
{
    for (int k = 0; k < n; k++)
        if (text_among(types[k], "dobj pobj nsubjpass auxpass")) return true;
    return false;
}

/* Relations that Stanford 3.3.0 and UD share, and vocative, which english.rules makes. */
#define SHARED                                                                                                  \
    "root advcl advmod amod appos aux cc ccomp conj cop csubj dep det discourse expl goeswith iobj mark nsubj " \
    "parataxis punct vocative xcomp"

bool ud_is_stanford(const Sentence *sent)
{
    for (int w = 0; w < sent->n_words; w++) {
        UdRelation r = sent->types && sent->types[w] ? ud_find_relation(sent->types[w]) : UD_DEP;
        if (r == UD_RELATIONS || (r < SD_ACOMP && !text_among(RELATION_TEXT[r], SHARED))) return false;
    }
    return true;
}

bool ud_word_among(const UdTree *tree, int word, const char *words) { return text_among(tree->w[word].lower, words); }

bool ud_is_be(const UdTree *tree, int word)
{
    return ud_tag_among(tree, word, TAGS_VERB) &&
           ud_word_among(tree, word, "be is are was were been being am 's 're 'm s m r re ai im ar 'is");
}

int ud_kid(const UdTree *tree, int head, UdRelation relation)
{
    for (int k = tree->first[head]; k < tree->first[head + 1] && k < tree->first[head] + UD_KIDS_MOST; k++)
        if (tree->w[tree->kids[k]].relation == relation) return tree->kids[k];
    return 0;
}

/* Is it a relation of a predicate to its subject, auxiliaries or copula? */
static bool is_of_predicate(UdRelation r)
{
    return r == UD_NSUBJ || r == UD_NSUBJ_OUTER || r == SD_NSUBJPASS || r == UD_CSUBJ || r == SD_CSUBJPASS ||
           r == UD_COP || r == UD_AUX || r == SD_AUXPASS;
}

bool ud_is_clause(const UdTree *tree, int word)
{
    if (ud_tag_among(tree, word, TAGS_VERB | TAG_MD)) return true;
    for (int k = tree->first[word]; k < tree->first[word + 1] && k < tree->first[word] + UD_KIDS_MOST; k++)
        if (is_of_predicate(tree->w[tree->kids[k]].relation)) return true;
    return false;
}

bool ud_is_nominal(const UdTree *tree, int word)
{
    return ud_tag_among(tree, word,
                        TAG_NN | TAG_NNS | TAG_NNP | TAG_NNPS | TAG_PRP | TAG_CD | TAG_DT | TAG_WP | TAG_WDT | TAG_EX |
                            TAG_DOLLAR | TAG_ADD | TAG_FW | TAG_GW | TAG_SYM | TAG_POS | TAG_PRPS | TAG_WPS | TAG_NFP |
                            TAG_LS);
}

void ud_promote(UdTree *tree, int up, int word, UdRelation as, bool (*moves)(const UdTree *t, int kid, int w))
{
    for (int k = tree->first[word]; k < tree->first[word + 1]; k++) {
        int kid = tree->w[tree->kids[k]].place;
        if (kid == up || tree->w[kid].head != word || tree->w[kid].relation == UD_GOESWITH) continue;
        if (!moves || moves(tree, kid, word)) tree->w[kid].head = up;
    }
    tree->w[up].head = tree->w[word].head;
    tree->w[up].relation = tree->w[word].relation;
    tree->w[word].head = up;
    tree->w[word].relation = as;
    tree->w[word].place = up;
}

enum { ANCESTORS_MOST = 500 };

bool ud_hang(UdTree *tree, int word, int head, UdRelation relation)
{
    int above = head;
    for (int k = 0; above && above != word && k < ANCESTORS_MOST; k++) above = tree->w[above].head;
    if (above) return false;
    tree->w[word].head = head;
    tree->w[word].relation = relation;
    return true;
}

bool ud_tree_alloc(UdTree *tree)
{
    size_t n = (size_t)tree->n;
    tree->w = arena_alloc(tree->arena, n + 1, sizeof *tree->w);
    tree->heads = arena_alloc(tree->arena, n + 1, sizeof *tree->heads);
    tree->kids = arena_alloc(tree->arena, n, sizeof *tree->kids);
    tree->first = arena_alloc(tree->arena, n + 2, sizeof *tree->first);
    tree->order = arena_alloc(tree->arena, n + 1, sizeof *tree->order);
    tree->begin = arena_alloc(tree->arena, n + 1, sizeof *tree->begin);
    if (!tree->w || !tree->heads || !tree->kids || !tree->first || !tree->order || !tree->begin) return false;
    tree->heads[n > 0] = -1;
    return true;
}

bool ud_index(UdTree *tree)
{
    int changed = 1; /* the first word whose head is another one than at the last ud_index */
    for (int w = 0; w <= tree->n; w++) tree->w[w].place = w;
    while (changed <= tree->n && tree->heads[changed] == tree->w[changed].head) changed++;
    if (changed > tree->n) return true;
    for (int w = changed; w <= tree->n; w++) tree->heads[w] = tree->w[w].head;
    memset(tree->first, 0, (size_t)(tree->n + 2) * sizeof *tree->first);
    for (int w = 1; w <= tree->n; w++) tree->first[tree->w[w].head + 1]++;
    for (int h = 0; h <= tree->n; h++) tree->first[h + 1] += tree->first[h];
    int *at = tree->order; /* until the order is made: where the next dependent of each head goes */
    memcpy(at, tree->first, (size_t)(tree->n + 1) * sizeof *at);
    for (int w = 1; w <= tree->n; w++) tree->kids[at[tree->w[w].head]++] = w;
    int n = 0;
    for (int k = tree->first[0]; k < tree->first[1]; k++) tree->order[n++] = tree->kids[k];
    for (int done = 0; done < n; done++)
        for (int h = tree->order[done], k = tree->first[h]; k < tree->first[h + 1]; k++)
            tree->order[n++] = tree->kids[k];
    for (int w = 0; w <= tree->n; w++) tree->begin[w] = w;
    for (int k = n - 1; k >= 0; k--) {
        int w = tree->order[k], h = tree->w[w].head;
        bool fronted = w < tree->w[h].head && tree->w[h].head < h;
        if (!fronted && tree->begin[w] < tree->begin[h]) tree->begin[h] = tree->begin[w];
    }
    if (n < tree->n) tree->heads[1] = -1;
    return n == tree->n;
}

/* In lower case, with plain signs. */
static const char *fold(const char *form, Arena *arena, StrBuf *scratch)
{
    strbuf_clear(scratch);
    text_lower(scratch, form, strlen(form));
    const char *lower = scratch->failed ? NULL : arena_strndup(arena, scratch->len ? scratch->ptr : "", scratch->len);
    if (!lower || signs_is_plain(lower)) return lower;
    strbuf_clear(scratch);
    signs_fold(scratch, lower);
    return scratch->failed ? NULL : arena_strndup(arena, scratch->ptr, scratch->len);
}

/* The Penn Treebank has one tag for both words "to", UD English has IN for the preposition, as GUM and EWT do. */
static int tag_of(const char *tag, UdRelation relation)
{
    int k = find_tag(tag);
    bool preposition = relation == SD_PREP || relation == SD_MWE || relation == SD_QUANTMOD || relation == SD_PCOMP;
    return preposition && k < N_TAGS && UINT64_C(1) << k == TAG_TO ? find_tag("IN") : k;
}

static bool read_words(UdTree *t, const Sentence *sent)
{
    StrBuf scratch = { 0 };
    bool good = true;
    t->w[0] = (UdWord){ .form = "", .lower = "", .tag_text = "", .phrase = "", .around = "", .extpos = POS_X };
    for (int w = 1; w <= t->n && good; w++) {
        UdRelation r = sent->heads && sent->types && sent->types[w - 1] ? find_or_dep(sent->types[w - 1]) : UD_DEP;
        const char *tag = sent->tags && sent->tags[w - 1] ? sent->tags[w - 1] : "";
        int k = tag_of(tag, r);
        t->w[w] = (UdWord){ .form = sent->words[w - 1],
                            .lower = fold(sent->words[w - 1], t->arena, &scratch),
                            .tag_text = tag,
                            .tag = k < N_TAGS ? UINT64_C(1) << k : 0,
                            .head = sent->heads ? sent->heads[w - 1] : w > 1,
                            .relation = r,
                            .stanford = r,
                            .phrase = "",
                            .around = "",
                            .upos = k < N_TAGS ? TAGS[k].pos : POS_X,
                            .extpos = POS_X };
        good = t->w[w].lower != NULL;
    }
    strbuf_fini(&scratch);
    return good;
}

/* The root's relation is root, and no other word's. */
static void name_root(UdTree *t)
{
    for (int w = 1; w <= t->n; w++)
        if (t->w[w].head == 0) t->w[w].relation = UD_ROOT;
        else if (t->w[w].relation == UD_ROOT) t->w[w].relation = UD_DEP;
}

static bool (*const PASSES[])(UdTree *t) = {
    ud_pieces,       ud_repairs, ud_roles,   ud_vocatives,  ud_subjects,     ud_measures,    ud_relatives, ud_crossing,
    ud_prepositions, ud_copulas, ud_clauses, ud_recipients, ud_coordination, ud_names,       ud_fixed,     ud_label,
    ud_leaves,       ud_upos,    ud_agree,   ud_leaves,     ud_agree,        ud_punctuation,
};

/* Runs the passes. One that leaves no tree behind, which no test has seen, is undone. */
static bool convert(UdTree *t)
{
    size_t bytes = (size_t)(t->n + 1) * sizeof *t->w;
    UdWord *before = arena_alloc(t->arena, (size_t)t->n + 1, sizeof *before);
    if (!before) return false;
    name_root(t);
    if (!ud_index(t)) return false;
    for (size_t k = 0; k < sizeof PASSES / sizeof *PASSES; k++) {
        memcpy(before, t->w, bytes);
        if (!PASSES[k](t)) return false;
        name_root(t);
        if (ud_index(t)) continue;
        memcpy(t->w, before, bytes);
        ud_index(t);
    }
    return true;
}

static bool write_words(const UdTree *t, UdSentence *out)
{
    for (int w = 1; w <= t->n; w++) {
        const UdWord *x = &t->w[w];
        if (out->heads) {
            out->heads[w - 1] = x->head;
            out->relations[w - 1] = RELATION_TEXT[x->relation];
        }
        if (out->upos) {
            out->upos[w - 1] = ud_pos_text(x->upos);
            out->features[w - 1] = ud_features(t, w);
            if (!out->features[w - 1] || !ud_correct_form(t, w, &out->corrected[w - 1])) return false;
        }
    }
    return true;
}

bool ud_convert(const Sentence *sent, bool words, Arena *arena, UdSentence *out)
{
    size_t n = (size_t)sent->n_words;
    UdTree t = { .n = sent->n_words, .arena = arena };
    *out = (UdSentence){ 0 };
    if (!n) return true;
    if (!ud_tree_alloc(&t) || !read_words(&t, sent) || !ud_read_phrases(&t, sent) || !convert(&t)) return false;
    if (sent->heads) {
        out->heads = arena_alloc(arena, n, sizeof *out->heads);
        out->relations = arena_alloc(arena, n, sizeof *out->relations);
        if (!out->heads || !out->relations) return false;
    }
    if (sent->tags && words) {
        out->upos = arena_alloc(arena, n, sizeof *out->upos);
        out->features = arena_alloc(arena, n, sizeof *out->features);
        out->corrected = arena_alloc(arena, n, sizeof *out->corrected);
        if (!out->upos || !out->features || !out->corrected) return false;
    }
    return write_words(&t, out);
}
