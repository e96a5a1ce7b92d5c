/* What is counted of matched words. The lists of relations and features come from the shared
 * task, which are part of its definition. */
#include <stdlib.h>
#include <string.h>

#include "eval/align_internal.h"

static const char CONTENT[] =
    "acl advcl advmod amod appos ccomp compound conj csubj dep discourse dislocated expl fixed flat goeswith iobj list "
    "nmod nsubj nummod obj obl orphan parataxis reparandum root vocative xcomp";
static const char FUNCTIONAL[] = "aux case cc clf cop det mark";
static const char FEATURES[] = "Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood NumType Number "
                               "Person Polarity Polite Poss PronType Reflex Tense VerbForm Voice";

static StrView base_type(const char *type) { return (StrView){ type, strcspn(type, ":") }; }

static bool is_content(const char *type) { return text_view_among(base_type(type), CONTENT); }

static bool is_functional(const char *type) { return text_view_among(base_type(type), FUNCTIONAL); }

bool align_universal(const char *type)
{
    return is_content(type) || is_functional(type) || text_view_among(base_type(type), "punct");
}

bool align_is_universal(long universal, long words) { return words && universal * 20 >= words * 19; }

static bool same_type(const char *a, const char *b)
{
    StrView x = base_type(a), y = base_type(b);
    return x.len == y.len && memcmp(x.ptr, y.ptr, x.len) == 0;
}

/* ---- words as they are compared */

typedef struct Word {
    const char *lemma, *upos, *xpos, *type; /* "_" if there is none */
    StrView *features;                      /* [n_features] the universal ones, sorted */
    int n_features;
    int child, next; /* the first functional child, and the next one of the same head; -1: none */
} Word;

typedef struct Words {
    Word *w; /* [n] */
    Arena arena;
} Words;

static int by_text(const void *a, const void *b)
{
    const StrView *x = a, *y = b;
    int order = memcmp(x->ptr, y->ptr, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* "Number=Sing|Typo=Yes" gives "Number=Sing". */
static bool set_features(Word *w, const char *feats, Arena *arena)
{
    size_t most = 1;
    for (const char *p = feats; *p; p++) most += *p == '|';
    w->features = arena_alloc(arena, most, sizeof *w->features);
    if (!w->features) return false;
    for (const char *p = feats;; p++) {
        size_t n = strcspn(p, "|"), name = strcspn(p, "=|");
        if (text_view_among((StrView){ p, name }, FEATURES)) w->features[w->n_features++] = (StrView){ p, n };
        p += n;
        if (!*p) break;
    }
    qsort(w->features, (size_t)w->n_features, sizeof *w->features, by_text);
    return true;
}

static const char *value(const char **column, int w) { return column && column[w] ? column[w] : "_"; }

/* Fills words->w, and adds the ALIGN_HAS_... of the side. */
static bool words_init(Words *words, const AlignSide *s, int *has)
{
    arena_init(&words->arena, 1 << 16);
    words->w = mem_calloc((size_t)s->n + 1, sizeof *words->w);
    for (int i = 0; words->w && i < s->n; i++) {
        int at;
        const Sentence *sent = align_sentence(s, i, &at);
        const char *feats = value(sent->feats, at);
        Word *w = &words->w[i];
        *w = (Word){ .lemma = value(sent->lemmas, at),
                     .upos = value(sent->upos, at),
                     .xpos = value(sent->tags, at),
                     .type = value(sent->types, at),
                     .child = -1,
                     .next = -1 };
        if (!set_features(w, feats, &words->arena)) return false;
        *has |= (strcmp(w->lemma, "_") ? ALIGN_HAS_LEMMA : 0) | (strcmp(w->upos, "_") ? ALIGN_HAS_UPOS : 0) |
                (strcmp(w->xpos, "_") ? ALIGN_HAS_XPOS : 0) | (strcmp(feats, "_") ? ALIGN_HAS_FEATS : 0);
    }
    for (int i = s->n; words->w && i-- > 0;) {
        int head = s->head[i];
        if (head < 0 || !is_functional(words->w[i].type)) continue;
        words->w[i].next = words->w[head].child;
        words->w[head].child = i;
    }
    return words->w != NULL;
}

static void words_fini(Words *words)
{
    mem_free(words->w);
    arena_fini(&words->arena);
}

static bool same_features(const Word *a, const Word *b)
{
    if (a->n_features != b->n_features) return false;
    for (int k = 0; k < a->n_features; k++)
        if (by_text(&a->features[k], &b->features[k]) != 0) return false;
    return true;
}

/* Are the functional children of both matched with each other, with the same relations, tags and features? */
static bool same_children(const Word *g, const Word *p, const int *match, int i, int j)
{
    int a = g[i].child, b = p[j].child;
    for (; a >= 0 && b >= 0; a = g[a].next, b = p[b].next)
        if (match[a] != b || !same_type(g[a].type, p[b].type) || strcmp(g[a].upos, p[b].upos) != 0 ||
            !same_features(&g[a], &p[b]))
            return false;
    return a < 0 && b < 0;
}

/* Counts word i of g, matched with word j of p. */
static void count_pair(const AlignSide *gs, const AlignSide *ps, const Word *g, const Word *p, const int *match, int i,
                       AlignScores *out)
{
    int j = match[i], gold_head = gs->head[i], pred_head = ps->head[j];
    bool upos = strcmp(g[i].upos, p[j].upos) == 0, xpos = strcmp(g[i].xpos, p[j].xpos) == 0,
         feats = same_features(&g[i], &p[j]),
         head = gold_head < 0 ? pred_head < 0 : pred_head >= 0 && match[gold_head] == pred_head,
         lemma = strcmp(g[i].lemma, "_") == 0 || strcmp(g[i].lemma, p[j].lemma) == 0;
    bool both = head && same_type(g[i].type, p[j].type), content = is_content(g[i].type);
    bool right[ALIGN_MEASURES] = { [ALIGN_WORDS] = true,
                                   [ALIGN_UPOS] = upos,
                                   [ALIGN_XPOS] = xpos,
                                   [ALIGN_UFEATS] = feats,
                                   [ALIGN_ALLTAGS] = upos && xpos && feats,
                                   [ALIGN_LEMMAS] = lemma,
                                   [ALIGN_UAS] = head,
                                   [ALIGN_LAS] = both,
                                   [ALIGN_CLAS] = content && both,
                                   [ALIGN_MLAS] = content && both && upos && feats && same_children(g, p, match, i, j),
                                   [ALIGN_BLEX] = content && both && lemma };
    for (int m = ALIGN_WORDS; m <= ALIGN_BLEX; m++) {
        out->of[m].matched += right[m];
        out->of[m].aligned += m < ALIGN_CLAS || content;
    }
}

bool align_count_words(const AlignSide *g, const AlignSide *p, const int *match, AlignScores *out)
{
    Words gold, pred;
    bool ok = words_init(&gold, g, &out->gold_has), ok_pred = words_init(&pred, p, &out->pred_has);
    long content[2] = { 0 };
    for (int i = 0; ok && i < g->n; i++) {
        content[0] += is_content(gold.w[i].type);
        out->universal += align_universal(gold.w[i].type);
    }
    for (int j = 0; ok_pred && j < p->n; j++) content[1] += is_content(pred.w[j].type);
    for (int m = ALIGN_WORDS; m <= ALIGN_BLEX; m++) {
        out->of[m].gold += m < ALIGN_CLAS ? g->n : content[0];
        out->of[m].pred += m < ALIGN_CLAS ? p->n : content[1];
    }
    for (int i = 0; ok && ok_pred && i < g->n; i++)
        if (match[i] >= 0) count_pair(g, p, gold.w, pred.w, match, i, out);
    out->of[ALIGN_WORDS].aligned = -1;
    words_fini(&gold);
    words_fini(&pred);
    return ok && ok_pred && align_count_graphs(g, p, match, out);
}
