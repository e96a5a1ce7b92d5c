/* tests/unit/test_align.c: the measures of the CoNLL 2018 shared task: cases counted by hand, a plain oracle on random
 * files, and properties. */
#include <stdlib.h>

#include "base/rng.h"
#include "eval/align.h"
#include "eval/score.h"
#include "tests/support/check.h"
#include "treebank/conll.h"

static void read_conllu(Treebank *tb, const char *text)
{
    Error e = { 0 };
    treebank_init(tb);
    if (conll_read(tb, text_block(view(text), "f"), (ConllOptions){ .keep_columns = true }, &e) != OK)
        fail_msg("%s", e.message);
}

/* Scores two texts in CoNLL-U. */
static AlignScores scores(const char *gold, const char *pred)
{
    Treebank g, p;
    AlignScores s;
    Error e = { 0 };
    read_conllu(&g, gold);
    read_conllu(&p, pred);
    if (align_score(&g, &p, "g", "p", &s, &e) != OK) fail_msg("%s", e.message);
    treebank_fini(&g);
    treebank_fini(&p);
    return s;
}

static void expect_count(const AlignScores *s, AlignMeasure m, long gold, long pred, long matched, long aligned)
{
    const AlignCount *c = &s->of[m];
    if (c->gold != gold || c->pred != pred || c->matched != matched || c->aligned != aligned)
        fail_msg("measure %d: found %ld %ld %ld %ld, expected %ld %ld %ld %ld", (int)m, c->gold, c->pred, c->matched,
                 c->aligned, gold, pred, matched, aligned);
}

/* ---- by hand */

TEST(different_words_are_aligned_by_characters)
{
    UNUSED_STATE;
    const char *gold = "1\twell\t_\tR\tR\t_\t3\tadvmod\t_\t_\n2\t-\t_\tH\tH\t_\t3\tpunct\t_\t_\n3\tknown\t_\tJ\tJ\t_"
                       "\t4\tamod\t_\t_\n4\tman\t_\tN\tN\t_\t0\troot\t_\t_\n5\t.\t_\t.\t.\t_\t4\tpunct\t_\t_\n\n"
                       "1\the\t_\tP\tP\t_\t2\tnsubj:x\t_\t_\n2\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n";
    AlignScores s = scores(gold, "1\twell-known\t_\tJ\tJ\t_\t2\tamod\t_\t_\n2\tman\t_\tN\tN\t_\t0\troot\t_\t_\n3\t.\t_"
                                 "\t,\t,\t_\t1\tpunct\t_\t_\n\n"
                                 "1\the\t_\tP\tP\t_\t2\tnsubj:y\t_\t_\n2\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n");
    expect_count(&s, ALIGN_TOKENS, 7, 5, 4, -1);
    expect_count(&s, ALIGN_WORDS, 7, 5, 4, -1); /* man . he sat */
    expect_count(&s, ALIGN_XPOS, 7, 5, 3, 4);
    expect_count(&s, ALIGN_UAS, 7, 5, 3, 4);  /* the head of the full stop is a word that was not matched */
    expect_count(&s, ALIGN_LAS, 7, 5, 3, 4);  /* subtypes are ignored */
    expect_count(&s, ALIGN_CLAS, 5, 4, 3, 3); /* without punctuation */
    expect_count(&s, ALIGN_SENTENCES, 2, 2, 2, -1);
    s = scores(gold, "1\twell-known\t_\tJ\tJ\t_\t2\tamod\t_\t_\n2\tman\t_\tN\tN\t_\t0\troot\t_\t_\n\n1\t.he\t_\tP\tP\t_"
                     "\t2\tx\t_\t_\n2\tsat\t_\tV\tV\t_\t0\troot\t_\t_\n");
    expect_count(&s, ALIGN_SENTENCES, 2, 2, 0, -1); /* the boundaries differ */
    expect_count(&s, ALIGN_WORDS, 7, 4, 2, -1);
}

TEST(other_characters_are_an_error_with_both_places)
{
    UNUSED_STATE;
    Treebank g, p;
    AlignScores s;
    Error e = { 0 };
    read_conllu(&g, "1\twell\t_\tR\tR\t_\t2\tamod\t_\t_\n2\tman\t_\tN\tN\t_\t0\troot\t_\t_\n");
    read_conllu(&p, "1\twell\t_\tR\tR\t_\t2\tamod\t_\t_\n2\tmen\t_\tN\tN\t_\t0\troot\t_\t_\n");
    assert_int_equal(align_score(&g, &p, "g", "p", &s, &e), ERR_FORMAT);
    assert_error(&e, ERR_FORMAT, "p:2: found other characters in 'men' than in 'man' at g:2, expected the same text");
    treebank_fini(&p);
    treebank_fini(&g);
}

TEST(words_of_one_token_are_matched_by_their_forms)
{
    UNUSED_STATE;
    /* "Il va au bal" with au = a le; a system that splits the token differently, and one that does not split it */
    const char *gold =
        "1\tIl\t_\tP\tP\t_\t2\tnsubj\t_\t_\n2\tva\t_\tV\tV\t_\t0\troot\t_\t_\n3-4\tau\t_\t_\t_\t_\t_\t_\t_"
        "\t_\n3\ta\t_\tI\tI\t_\t5\tcase\t_\t_\n4\tle\t_\tD\tD\t_\t5\tdet\t_\t_\n5\tbal\t_\tN\tN\t_\t2"
        "\tobl\t_\t_\n";
    AlignScores s = scores(gold, gold);
    expect_count(&s, ALIGN_TOKENS, 4, 4, 4, -1);
    expect_count(&s, ALIGN_LAS, 5, 5, 5, 5);
    s = scores(gold,
               "1\tIl\t_\tP\tP\t_\t2\tnsubj\t_\t_\n2\tva\t_\tV\tV\t_\t0\troot\t_\t_\n3-5\tau\t_\t_\t_\t_\t_\t_\t_\t_"
               "\n3\tx\t_\tI\tI\t_\t5\tcase\t_\t_\n4\tA\t_\tI\tI\t_\t6\tcase\t_\t_\n5\ty\t_\tD\tD\t_\t6\tdet\t_"
               "\t_\n6\tbal\t_\tN\tN\t_\t2\tobl\t_\t_\n");
    expect_count(&s, ALIGN_LAS, 5, 6, 4, 4); /* Il va a bal */
    expect_count(&s, ALIGN_SENTENCES, 1, 1, 1, -1);
    const char *whole =
        "1\tIl\t_\tP\tP\t_\t2\tnsubj\t_\t_\n2\tva\t_\tV\tV\t_\t0\troot\t_\t_\n3\tau\t_\tI\tI\t_\t4\tcase"
        "\t_\t_\n4\tbal\t_\tN\tN\t_\t2\tobl\t_\t_\n";
    s = scores(whole, gold);
    expect_count(&s, ALIGN_WORDS, 4, 5, 3, -1); /* "au" is not one of the words */
    expect_count(&s, ALIGN_TOKENS, 4, 4, 4, -1);
    /* the system's token covers part of the next word, so both are one stretch */
    s = scores(gold,
               "1\tIl\t_\tP\tP\t_\t2\tnsubj\t_\t_\n2\tva\t_\tV\tV\t_\t0\troot\t_\t_\n3-4\taubal\t_\t_\t_\t_\t_\t_\t_"
               "\t_\n3\tle\t_\tD\tD\t_\t4\tdet\t_\t_\n4\tbal\t_\tN\tN\t_\t2\tobl\t_\t_\n");
    expect_count(&s, ALIGN_WORDS, 5, 4, 4, -1); /* Il va le bal */
}

/* "dogs that bark": relations cc and mark are functional, punct is neither */
#define ROW(id, form, lemma, upos, feats, head, type) \
#id "\t" form "\t" lemma "\t" upos "\tT\t" feats "\t" #head "\t" type "\t_\t_\n"

TEST(content_words_are_scored_with_tags_features_lemmas_and_functional_children)
{
    UNUSED_STATE;
    const char *gold = ROW(1, "the", "the", "DET", "Definite=Def|PronType=Art", 2, "det")
        ROW(2, "dogs", "dog", "NOUN", "Number=Plur", 4, "nsubj") ROW(3, "have", "have", "AUX", "_", 4, "aux:x")
            ROW(4, "barked", "bark", "VERB", "Tense=Past", 0, "root") ROW(5, "hm", "_", "INTJ", "_", 4, "discourse")
                ROW(6, ".", ".", "PUNCT", "_", 4, "punct");
    AlignScores s = scores(gold, gold);
    for (int m = 0; m < ALIGN_MEASURES; m++) {
        bool in_pred;
        assert_int_equal(s.of[m].matched, s.of[m].gold);
        assert_int_equal(s.of[m].matched, s.of[m].pred);
        assert_null(align_missing(&s, (AlignMeasure)m, &in_pred));
    }
    expect_count(&s, ALIGN_MLAS, 3, 3, 3, 3); /* dogs barked hm */
    /* features in another order, with one that is not universal, and a subtype: nothing changes */
    s = scores(gold, ROW(1, "the", "the", "DET", "PronType=Art|Definite=Def", 2, "det")
                         ROW(2, "dogs", "dog", "NOUN", "Number=Plur|Typo=Yes", 4, "nsubj:y")
                             ROW(3, "have", "have", "AUX", "_", 4, "aux")
                                 ROW(4, "barked", "bark", "VERB", "Tense=Past", 0, "root")
                                     ROW(5, "hm", "hmm", "INTJ", "_", 4, "discourse")
                                         ROW(6, ".", ".", "PUNCT", "_", 4, "punct"));
    expect_count(&s, ALIGN_UFEATS, 6, 6, 6, 6);
    expect_count(&s, ALIGN_LEMMAS, 6, 6, 6, 6); /* the gold lemma "_" is any lemma */
    expect_count(&s, ALIGN_MLAS, 3, 3, 3, 3);
    expect_count(&s, ALIGN_BLEX, 3, 3, 3, 3);
    /* the determiner's features and the relation of "have" are wrong: MLAS of dogs and barked; the lemma of "dogs" is */
    s = scores(
        gold,
        ROW(1, "the", "the", "DET", "PronType=Dem", 2, "det") ROW(2, "dogs", "dogs", "NOUN", "Number=Plur", 4, "nsubj")
            ROW(3, "have", "have", "AUX", "_", 4, "advmod") ROW(4, "barked", "bark", "VERB", "Tense=Past", 0, "root")
                ROW(5, "hm", "_", "X", "_", 4, "discourse") ROW(6, ".", ".", "PUNCT", "_", 4, "punct"));
    expect_count(&s, ALIGN_UPOS, 6, 6, 5, 6);
    expect_count(&s, ALIGN_UFEATS, 6, 6, 5, 6);
    expect_count(&s, ALIGN_ALLTAGS, 6, 6, 4, 6);
    expect_count(&s, ALIGN_LEMMAS, 6, 6, 5, 6);
    expect_count(&s, ALIGN_UAS, 6, 6, 6, 6);
    expect_count(&s, ALIGN_LAS, 6, 6, 5, 6);
    expect_count(&s, ALIGN_CLAS, 3, 4, 3, 3); /* "have" is a predicted content word */
    expect_count(&s, ALIGN_MLAS, 3, 4, 0, 3); /* children of dogs and of barked; the tag of hm */
    expect_count(&s, ALIGN_BLEX, 3, 4, 2, 3);
}

TEST(tokens_that_only_one_side_joins_are_their_words)
{
    UNUSED_STATE;
    const char *apart = ROW(1, "I", "I", "PRON", "_", 4, "nsubj") ROW(2, "do", "do", "AUX", "_", 4, "aux")
        ROW(3, "n't", "not", "PART", "_", 4, "advmod") ROW(4, "know", "know", "VERB", "_", 0, "root");
    const char *joined = ROW(1, "I", "I", "PRON", "_", 4,
                             "nsubj") "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW(2, "do", "do", "AUX", "_", 4, "aux")
        ROW(3, "n't", "not", "PART", "_", 4, "advmod") ROW(4, "know", "know", "VERB", "_", 0, "root");
    AlignScores s = scores(apart, joined);
    expect_count(&s, ALIGN_TOKENS, 4, 4, 4, -1);
    expect_count(&s, ALIGN_LAS, 4, 4, 4, 4);
    s = scores(joined, apart);
    expect_count(&s, ALIGN_TOKENS, 4, 4, 4, -1);
    /* with such tokens on both sides they are tokens, as the shared task has it */
    const char *both = "1-2\tI do\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW(1, "I", "I", "PRON", "_", 4, "nsubj")
        ROW(2, "do", "do", "AUX", "_", 4, "aux") ROW(3, "n't", "not", "PART", "_", 4, "advmod")
            ROW(4, "know", "know", "VERB", "_", 0, "root");
    s = scores(both, joined);
    expect_count(&s, ALIGN_TOKENS, 3, 3, 1, -1); /* know */
    expect_count(&s, ALIGN_WORDS, 4, 4, 4, -1);
    /* words that do not spell the token stay one token */
    s = scores(ROW(1, "dont", "x", "X", "_", 0, "root"),
               "1-2\tdont\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW(1, "do", "x", "X", "_", 0, "root")
                   ROW(2, "not", "x", "X", "_", 1, "dep"));
    expect_count(&s, ALIGN_TOKENS, 1, 1, 1, -1);
    expect_count(&s, ALIGN_WORDS, 1, 2, 0, -1);
}

TEST(columns_that_a_file_lacks_are_named)
{
    UNUSED_STATE;
    const char *full = ROW(1, "a", "x", "X", "Case=Nom", 0, "root"), *bare = "1\ta\t_\t_\tT\t_\t0\troot\t_\t_\n",
               *stanford = "1\ta\tx\tX\tT\tCase=Nom\t0\tpobj\t_\t_\n";
    bool in_pred;
    AlignScores s = scores(full, bare);
    assert_null(align_missing(&s, ALIGN_XPOS, &in_pred));
    assert_null(align_missing(&s, ALIGN_LAS, &in_pred));
    assert_string_equal(align_missing(&s, ALIGN_LEMMAS, &in_pred), "no lemmas");
    assert_true(in_pred);
    assert_string_equal(align_missing(&s, ALIGN_UPOS, &in_pred), "no universal tags");
    assert_string_equal(align_missing(&s, ALIGN_ALLTAGS, &in_pred), "no universal tags");
    assert_string_equal(align_missing(&s, ALIGN_UFEATS, &in_pred), "no features");
    assert_string_equal(align_missing(&s, ALIGN_BLEX, &in_pred), "no lemmas");
    s = scores(bare, full);
    assert_string_equal(align_missing(&s, ALIGN_MLAS, &in_pred), "no universal tags");
    assert_false(in_pred);
    s = scores(bare, bare);
    assert_string_equal(align_missing(&s, ALIGN_LEMMAS, &in_pred), "no lemmas");
    assert_null(align_missing(&s, ALIGN_BLEX, &in_pred)); /* what both lack is equal, as in the shared task */
    s = scores(stanford, full);
    assert_string_equal(align_missing(&s, ALIGN_CLAS, &in_pred), "no Universal Dependencies");
    assert_null(align_missing(&s, ALIGN_LAS, &in_pred));
    StrBuf out = { 0 };
    s = scores(full, bare);
    align_write(&s, ALIGN_TEXT, "g", "p", &out);
    assert_non_null(strstr(out.ptr, "Lemmas            -  no lemmas in p\n"));
    assert_non_null(strstr(out.ptr, "LAS               1         1         1     100.00  100.00  100.00    100.00\n"));
    strbuf_clear(&out);
    align_write(&s, ALIGN_JSON, "g", "p", &out);
    assert_non_null(strstr(out.ptr, "\"lemmas\": null, \"uas\": {\"gold\": 1, \"predicted\": 1, \"matched\": 1, "
                                    "\"precision\": 100.00, \"recall\": 100.00, \"f1\": 100.00, \"aligned\": 1, "
                                    "\"accuracy\": 100.00}"));
    strbuf_clear(&out);
    align_write(&s, ALIGN_TSV, "g", "p", &out);
    assert_non_null(strstr(out.ptr, "words\t1\t1\t1\t100.00\t100.00\t100.00\t\t\nxpos\t"));
    assert_null(strstr(out.ptr, "lemmas"));
    strbuf_fini(&out);
}

/* ---- a plain oracle */

enum { MOST = 64 };

typedef struct PlainWord {
    const char *form, *lemma, *upos, *xpos, *feats, *type;
    int begin, end; /* characters of the token */
    bool part;
    int head; /* index in the file, -1: root */
} PlainWord;

typedef struct Plain {
    PlainWord w[MOST];
    int n, n_tokens, n_sentences;
    int token[MOST][2], sentence[MOST][2];
} Plain;

static void plain_init(Plain *x, const Treebank *tb)
{
    int at = 0;
    *x = (Plain){ 0 };
    for (int k = 0; k < tb->n; k++) {
        const Sentence *s = &tb->s[k];
        int base = x->n;
        x->sentence[x->n_sentences][0] = at;
        for (int w = 0; w < s->n_words; w++) {
            const WordRange *range = NULL;
            for (int r = 0; r < s->n_ranges; r++)
                if (s->ranges[r].begin <= w && w < s->ranges[r].end) range = &s->ranges[r];
            PlainWord *p = &x->w[x->n++];
            *p = (PlainWord){ .form = s->words[w],
                              .lemma = s->lemmas[w],
                              .upos = s->upos[w],
                              .xpos = s->tags[w],
                              .feats = s->feats[w],
                              .type = s->types[w],
                              .part = range != NULL,
                              .head = s->heads[w] ? base + s->heads[w] - 1 : -1 };
            if (range && range->begin < w) {
                p->begin = p[-1].begin;
                p->end = p[-1].end;
                continue;
            }
            p->begin = at;
            p->end = at += (int)strlen(range ? range->form : s->words[w]);
            x->token[x->n_tokens][0] = p->begin;
            x->token[x->n_tokens++][1] = p->end;
        }
        x->sentence[x->n_sentences++][1] = at;
    }
}

/* The stretch of characters of tokens of several words that overlap, directly or through others, beginning with one that
 * overlaps word w. false if there is none. */
static bool stretch_of(const Plain *g, const Plain *p, const PlainWord *w, int stretch[2])
{
    bool found = false, grew = true;
    stretch[0] = w->begin;
    stretch[1] = w->end;
    while (grew) {
        grew = false;
        for (int k = 0; k < g->n + p->n; k++) {
            const PlainWord *x = k < g->n ? &g->w[k] : &p->w[k - g->n];
            if (!x->part || x->begin >= stretch[1] || x->end <= stretch[0]) continue;
            if (found && x->begin >= stretch[0] && x->end <= stretch[1]) continue;
            stretch[0] = found && stretch[0] < x->begin ? stretch[0] : x->begin;
            stretch[1] = found && stretch[1] > x->end ? stretch[1] : x->end;
            found = grew = true;
        }
    }
    return found;
}

/* Are there, before a token of several words on one side, several tokens of the other side in the place of one? The
 * program of the shared task then has all but the first in the stretch; so has align.c, but not this oracle. */
static bool is_special(const Plain *x, const Plain *y)
{
    for (int i = 1; i < x->n; i++) {
        if (!x->w[i].part || x->w[i - 1].end != x->w[i].begin) continue;
        int n = 0;
        for (int k = 0; k < y->n_tokens; k++)
            n += y->token[k][0] >= x->w[i - 1].begin && y->token[k][0] < x->w[i].begin;
        if (n > 1) return true;
    }
    return false;
}

static int inside(const Plain *x, const int stretch[2], int *list)
{
    int n = 0;
    for (int k = 0; k < x->n; k++)
        if (x->w[k].begin >= stretch[0] && x->w[k].end <= stretch[1]) list[n++] = k;
    return n;
}

static bool same_form(const PlainWord *a, const PlainWord *b)
{
    size_t n = strlen(a->form), k = 0;
    while (k < n && utf8_lower(a->form[k]) == utf8_lower(b->form[k])) k++;
    return k == n && strlen(b->form) == n;
}

/* The length of the longest common subsequence of a[i ..] and b[j ..], by trying everything. */
static int longest(const Plain *g, const int *a, int n, const Plain *p, const int *b, int m, int i, int j)
{
    if (i == n || j == m) return 0;
    int down = longest(g, a, n, p, b, m, i + 1, j), right = longest(g, a, n, p, b, m, i, j + 1);
    int both = same_form(&g->w[a[i]], &p->w[b[j]]) ? 1 + longest(g, a, n, p, b, m, i + 1, j + 1) : 0;
    return both > down ? (both > right ? both : right) : down > right ? down : right;
}

static void plain_match(const Plain *g, const Plain *p, int *match)
{
    for (int i = 0; i < g->n; i++) match[i] = -1;
    for (int i = 0; i < g->n; i++) {
        int stretch[2], a[MOST], b[MOST];
        if (!stretch_of(g, p, &g->w[i], stretch)) {
            for (int j = 0; j < p->n; j++)
                if (!p->w[j].part && p->w[j].begin == g->w[i].begin && p->w[j].end == g->w[i].end) match[i] = j;
            continue;
        }
        int n = inside(g, stretch, a), m = inside(p, stretch, b);
        if (!n || a[0] != i) continue; /* once for each stretch */
        for (int x = 0, y = 0; x < n && y < m;) {
            if (same_form(&g->w[a[x]], &p->w[b[y]])) match[a[x++]] = b[y++];
            else if (longest(g, a, n, p, b, m, x, y) == longest(g, a, n, p, b, m, x + 1, y)) x++;
            else y++;
        }
    }
}

static bool type_in(const char *type, const char *list)
{
    char name[40];
    snprintf(name, sizeof name, " %.*s ", (int)strcspn(type, ":"), type);
    return strstr(list, name) != NULL;
}
static bool content(const PlainWord *w)
{
    return type_in(w->type, " nsubj obj root conj dep ");
} /* of those used here */
static bool functional(const PlainWord *w) { return type_in(w->type, " case det aux "); }
static bool equal_type(const PlainWord *a, const PlainWord *b)
{
    return strcspn(a->type, ":") == strcspn(b->type, ":") && strncmp(a->type, b->type, strcspn(a->type, ":")) == 0;
}
/* Of the features used here, Typo is not universal. */
static const char *universal(const char *feats)
{
    if (strcmp(feats, "_") == 0 || strcmp(feats, "Typo=Yes") == 0) return "";
    return strcmp(feats, "Typo=Yes|Case=Nom") == 0 ? "Case=Nom" : feats;
}

static bool same_functional_children(const Plain *g, const Plain *p, const int *match, int i, int j)
{
    int b = 0;
    for (int a = 0; a < g->n; a++) {
        if (g->w[a].head != i || !functional(&g->w[a])) continue;
        while (b < p->n && (p->w[b].head != j || !functional(&p->w[b]))) b++;
        if (b == p->n || match[a] != b || !equal_type(&g->w[a], &p->w[b]) || strcmp(g->w[a].upos, p->w[b].upos) ||
            strcmp(universal(g->w[a].feats), universal(p->w[b].feats)))
            return false;
        b++;
    }
    while (b < p->n && (p->w[b].head != j || !functional(&p->w[b]))) b++;
    return b == p->n;
}

static void count_equal(const int (*a)[2], int n, const int (*b)[2], int m, AlignCount *out)
{
    *out = (AlignCount){ n, m, 0, -1 };
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) out->matched += a[i][0] == b[j][0] && a[i][1] == b[j][1];
}

static void plain_score(const Plain *g, const Plain *p, AlignCount out[ALIGN_MEASURES])
{
    int match[MOST], words[2][2] = { { g->n, p->n }, { 0, 0 } };
    memset(out, 0, ALIGN_MEASURES * sizeof *out);
    count_equal((const int(*)[2])g->token, g->n_tokens, (const int(*)[2])p->token, p->n_tokens, &out[ALIGN_TOKENS]);
    count_equal((const int(*)[2])g->sentence, g->n_sentences, (const int(*)[2])p->sentence, p->n_sentences,
                &out[ALIGN_SENTENCES]);
    for (int i = 0; i < g->n; i++) words[1][0] += content(&g->w[i]);
    for (int j = 0; j < p->n; j++) words[1][1] += content(&p->w[j]);
    plain_match(g, p, match);
    for (int m = ALIGN_WORDS; m < ALIGN_MEASURES; m++) {
        out[m].gold = words[m >= ALIGN_CLAS][0];
        out[m].pred = words[m >= ALIGN_CLAS][1];
        for (int i = 0; i < g->n; i++) {
            if (match[i] < 0 || (m >= ALIGN_CLAS && !content(&g->w[i]))) continue;
            const PlainWord *a = &g->w[i], *b = &p->w[match[i]];
            bool head = (a->head < 0 && b->head < 0) || (a->head >= 0 && b->head >= 0 && match[a->head] == b->head);
            bool las = head && equal_type(a, b), upos = !strcmp(a->upos, b->upos), xpos = !strcmp(a->xpos, b->xpos),
                 feats = !strcmp(universal(a->feats), universal(b->feats)),
                 lemma = !strcmp(a->lemma, "_") || !strcmp(a->lemma, b->lemma);
            bool right = m == ALIGN_WORDS     ? true
                         : m == ALIGN_UPOS    ? upos
                         : m == ALIGN_XPOS    ? xpos
                         : m == ALIGN_UFEATS  ? feats
                         : m == ALIGN_ALLTAGS ? upos && xpos && feats
                         : m == ALIGN_LEMMAS  ? lemma
                         : m == ALIGN_UAS     ? head
                         : m == ALIGN_MLAS ? las && upos && feats && same_functional_children(g, p, match, i, match[i])
                         : m == ALIGN_BLEX ? las && lemma
                                           : las;
            out[m].matched += right;
            out[m].aligned++;
        }
    }
    out[ALIGN_WORDS].aligned = -1;
}

/* ---- random files */

static uint64_t counter;
static int draw(int below) { return (int)((rng_mix(counter++) >> 33) % (uint64_t)below); }
#define PICK(list) ((list)[draw((int)(sizeof(list) / sizeof *(list)))])

static void random_row(StrBuf *out, int id, int n, int root, const char *form, size_t len)
{
    static const char *const lemmas[] = { "a", "b", "_" }, *const upos[] = { "X", "Y" }, *const xpos[] = { "T", "U" },
                             *const feats[] = { "_", "Case=Nom", "Typo=Yes|Case=Nom", "Typo=Yes" },
                             *const types[] = { "nsubj", "nsubj:x", "conj", "case", "det", "aux:x", "punct" };
    int head = id == root ? 0 : id > 1 && draw(2) ? id - 1 : root; /* may make a cycle with the root only */
    if (id < root) head = draw(2) ? root : id + 1;
    else if (id > root) head = draw(2) ? root : id - 1;
    (void)n;
    strbuf_printf(out, "%d\t%.*s\t%s\t%s\t%s\t%s\t%d\t%s\t_\t_\n", id, (int)len, form, PICK(lemmas), PICK(upos),
                  PICK(xpos), PICK(feats), head, id == root ? "root" : PICK(types));
}

/* Writes the text as sentences of random tokens of one to four characters, some of them several words. */
static void random_file(StrBuf *out, const char *text)
{
    size_t n = strlen(text), at = 0;
    while (at < n) {
        size_t size[8], left = n - at;
        int words[8], tokens = 0, sum = 0, id = 0;
        for (; tokens < 8 && left && (tokens == 0 || draw(6)); tokens++) {
            size[tokens] = (size_t)draw(4) + 1;
            if (size[tokens] > left) size[tokens] = left;
            left -= size[tokens];
            words[tokens] = draw(3) ? 1 : 1 + draw(3);
            sum += words[tokens];
        }
        int root = 1 + draw(sum);
        for (int k = 0; k < tokens; at += size[k++]) {
            if (words[k] == 1) {
                random_row(out, ++id, sum, root, text + at, size[k]);
                continue;
            }
            strbuf_printf(out, "%d-%d\t%.*s\t_\t_\t_\t_\t_\t_\t_\t_\n", id + 1, id + words[k], (int)size[k], text + at);
            /* words of any part of the token, in capitals sometimes */
            for (int w = 0; w < words[k]; w++) {
                size_t from = (size_t)draw((int)size[k]);
                random_row(out, ++id, sum, root, draw(8) ? text + at + from : "AB", draw(2) ? 1 : size[k] - from);
            }
        }
        strbuf_putc(out, '\n');
    }
}

TEST(counts_are_those_of_a_plain_oracle)
{
    UNUSED_STATE;
    static const char text[] = "abcabacbabccbaacbabcacbbacab";
    int compared = 0;
    for (counter = 1; compared < 3000;) {
        StrBuf files[2] = { { 0 }, { 0 } };
        Treebank tb[2];
        Plain plain[2];
        AlignScores s;
        AlignCount want[ALIGN_MEASURES];
        Error e = { 0 };
        const char *part = text + draw(16);
        for (int k = 0; k < 2; k++) {
            random_file(&files[k], part);
            read_conllu(&tb[k], files[k].ptr);
            plain_init(&plain[k], &tb[k]);
        }
        bool ranges[2] = { strchr(files[0].ptr, '-'), strchr(files[1].ptr, '-') };
        if (ranges[0] == ranges[1] && !is_special(&plain[0], &plain[1]) && !is_special(&plain[1], &plain[0])) {
            if (align_score(&tb[0], &tb[1], "g", "p", &s, &e) != OK) fail_msg("%s", e.message);
            plain_score(&plain[0], &plain[1], want);
            for (int m = 0; m < ALIGN_MEASURES; m++)
                if (memcmp(&want[m], &s.of[m], sizeof *want))
                    fail_msg("measure %d: found %ld %ld %ld %ld, expected %ld %ld %ld %ld in\n%s\n%s", m, s.of[m].gold,
                             s.of[m].pred, s.of[m].matched, s.of[m].aligned, want[m].gold, want[m].pred,
                             want[m].matched, want[m].aligned, files[0].ptr, files[1].ptr);
            compared++;
        }
        for (int k = 0; k < 2; k++) {
            treebank_fini(&tb[k]);
            strbuf_fini(&files[k]);
        }
    }
}

TEST(a_file_agrees_with_itself)
{
    UNUSED_STATE;
    for (counter = 1u << 20; counter < (1u << 20) + 20000;) {
        StrBuf files[2] = { { 0 }, { 0 } };
        random_file(&files[0], "abcabacbabccbaacbabcacb");
        random_file(&files[1], "abcabacbabccbaacbabcacb");
        AlignScores s = scores(files[0].ptr, files[0].ptr), ab = scores(files[0].ptr, files[1].ptr),
                    ba = scores(files[1].ptr, files[0].ptr);
        for (int m = 0; m < ALIGN_MEASURES; m++)
            if (s.of[m].matched != s.of[m].gold || s.of[m].matched != s.of[m].pred) fail_msg("measure %d", m);
        for (int m = ALIGN_TOKENS; m <= ALIGN_SENTENCES; m++) {
            assert_int_equal(ab.of[m].gold, ba.of[m].pred);
            assert_int_equal(ab.of[m].matched, ba.of[m].matched);
        }
        strbuf_fini(&files[0]);
        strbuf_fini(&files[1]);
    }
}

TEST(out_of_memory_is_an_error)
{
    UNUSED_STATE;
    StrBuf file = { 0 };
    counter = 7;
    random_file(&file, "abcabacbabccbaacbabcacb");
    Treebank tb;
    read_conllu(&tb, file.ptr);
    for (long n = 0;; n++) {
        AlignScores s;
        Error e = { 0 };
        mem_fail_after(n);
        Status status = align_score(&tb, &tb, "g", "p", &s, &e);
        mem_fail_after(-1);
        if (status == OK) break;
        assert_int_equal(status, ERR_NOMEM);
        assert_true(n < 1000);
    }
    treebank_fini(&tb);
    strbuf_fini(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_words_are_aligned_by_characters),
        cmocka_unit_test(other_characters_are_an_error_with_both_places),
        cmocka_unit_test(words_of_one_token_are_matched_by_their_forms),
        cmocka_unit_test(content_words_are_scored_with_tags_features_lemmas_and_functional_children),
        cmocka_unit_test(tokens_that_only_one_side_joins_are_their_words),
        cmocka_unit_test(columns_that_a_file_lacks_are_named),
        cmocka_unit_test(counts_are_those_of_a_plain_oracle),
        cmocka_unit_test(a_file_agrees_with_itself),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("align", tests, NULL, NULL);
}
