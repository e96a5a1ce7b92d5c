/* The measures of the CoNLL 2018 shared task against plain loops, on random files. */
#include "base/rng.h"
#include "tests/support/conllu.h"

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

/* The stretch of characters of tokens of several words that overlap, directly or through others, beginning with one
 * that overlaps word w. false if there is none. */
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
    return strstr(list, test_format(" %.*s ", (int)strcspn(type, ":"), type)) != NULL;
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
        const bool of_content = m >= ALIGN_CLAS && m <= ALIGN_BLEX; /* graphs have the arcs of the tree here */
        out[m].gold = words[of_content][0];
        out[m].pred = words[of_content][1];
        for (int i = 0; i < g->n; i++) {
            if (match[i] < 0 || (of_content && !content(&g->w[i]))) continue;
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
                         : m == ALIGN_ELAS ? head && !strcmp(a->type, b->type)
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

/* Arcs lead to the root, or to the neighbour in its direction: they form a tree. */
static void random_row(StrBuf *out, int id, int root, const char *form, size_t len)
{
    static const char *const lemmas[] = { "a", "b", "_" }, *const upos[] = { "X", "Y" }, *const xpos[] = { "T", "U" },
                             *const feats[] = { "_", "Case=Nom", "Typo=Yes|Case=Nom", "Typo=Yes" },
                             *const types[] = { "nsubj", "nsubj:x", "conj", "case", "det", "aux:x", "punct" };
    int head = id == root ? 0 : draw(2) ? root : id < root ? id + 1 : id - 1;
    const char *type = id == root ? "root" : PICK(types);
    strbuf_printf(out, "%d\t%.*s\t%s\t%s\t%s\t%s\t%d\t%s\t%d:%s\t_\n", id, (int)len, form, PICK(lemmas), PICK(upos),
                  PICK(xpos), PICK(feats), head, type, head, type);
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
                random_row(out, ++id, root, text + at, size[k]);
                continue;
            }
            strbuf_printf(out, "%d-%d\t%.*s\t_\t_\t_\t_\t_\t_\t_\t_\n", id + 1, id + words[k], (int)size[k], text + at);
            /* words of any part of the token, in capitals sometimes */
            for (int w = 0; w < words[k]; w++) {
                size_t from = (size_t)draw((int)size[k]);
                random_row(out, ++id, root, draw(8) ? text + at + from : "AB", draw(2) ? 1 : size[k] - from);
            }
        }
        strbuf_putc(out, '\n');
    }
}

TEST(counts_are_those_of_a_plain_oracle)
{
    static const char text[] = "abcabacbabccbaacbabcacbbacab";
    int compared = 0;
    for (counter = 1; compared < 3000;) {
        StrBuf files[2] = { { 0 }, { 0 } };
        Treebank tb[2];
        Plain plain[2];
        AlignScores s;
        AlignCount want[ALIGN_MEASURES];
        const char *part = text + draw(16);
        for (int k = 0; k < 2; k++) {
            random_file(&files[k], part);
            read_conllu(&tb[k], files[k].ptr);
            plain_init(&plain[k], &tb[k]);
        }
        bool ranges[2] = { strchr(files[0].ptr, '-'), strchr(files[1].ptr, '-') };
        if (ranges[0] == ranges[1] && !is_special(&plain[0], &plain[1]) && !is_special(&plain[1], &plain[0])) {
            assert_ok(align_score(&tb[0], &tb[1], "g", "p", &s, test_error()));
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
