/* What cuts would lose of the given arcs and phrases, which of them each piece gets,
 * and how the roots of pieces are joined again. */
#include "parser/parse/given_pieces.h"

#include <string.h>

#include "treebank/oracle.h"

/* ---- cuts */

bool given_arcs_new(const Given *given, int n, Arena *arena, GivenArcs **arcs)
{
    *arcs = NULL;
    if (!given || !given->heads) return true;
    GivenArcs *a = arena_calloc(arena, 1, sizeof *a);
    if (!a) return false;
    a->heads = given->heads;
    a->dependent = arena_calloc(arena, (size_t)n + 1, sizeof *a->dependent);
    a->next = arena_calloc(arena, (size_t)n + 1, sizeof *a->next);
    if (!a->dependent || !a->next) return false;
    for (int w = 1; w <= n; w++) {
        int head = given->heads[w - 1];
        if (head <= 0) continue;
        a->next[w] = a->dependent[head];
        a->dependent[head] = w;
    }
    *arcs = a;
    return true;
}

void given_arcs_start(GivenArcs *arcs, int end)
{
    arcs->end = end;
    arcs->outside = 0;
}

int given_arcs_lost(GivenArcs *arcs, int k)
{
    int head = arcs->heads[k];
    arcs->outside += head != HEAD_FREE && (head <= k || head > arcs->end);
    for (int w = arcs->dependent[k + 1]; w; w = arcs->next[w]) arcs->outside -= w > k + 1 && w <= arcs->end;
    return arcs->outside > 1 ? arcs->outside - 1 : 0;
}

void given_cut_phrases(const Given *given, int n, double cost, double *cut)
{
    for (int p = 0; p < given->n_phrases && given->has_phrases; p++) {
        const Phrase *x = &given->phrases[p];
        for (int k = x->begin + 1; k < x->end && x->end - x->begin < n; k++) cut[k] += cost;
    }
}

/* ---- pieces */

static int *part_heads(const Given *given, int from, int to, Arena *arena)
{
    int *heads = arena_alloc(arena, (size_t)(to - from), sizeof *heads), root = -1;
    for (int w = from; heads && w < to; w++) {
        int head = given->heads[w];
        bool inside = head > from && head <= to;
        heads[w - from] = inside ? head - from : HEAD_FREE;
        if (head == HEAD_FREE || inside) continue;
        if (root < 0 || (head == 0 && given->heads[root] != 0)) root = w;
    }
    if (heads && root >= 0) heads[root - from] = 0;
    return heads;
}

const Given *given_part(const Given *given, int from, int to, Arena *arena)
{
    Given *part = arena_alloc(arena, 1, sizeof *part);
    Phrase *phrases = arena_alloc(arena, (size_t)given->n_phrases, sizeof *phrases);
    Ban *bans = arena_alloc(arena, (size_t)given->n_bans, sizeof *bans);
    if (!part || !phrases || !bans) return NULL;
    *part = *given;
    if (given->heads && !(part->heads = part_heads(given, from, to, arena))) return NULL;
    if (given->types) part->types = given->types + from;
    part->phrases = phrases;
    part->n_phrases = 0;
    for (int p = 0; p < given->n_phrases; p++) {
        const Phrase *x = &given->phrases[p];
        if (x->begin >= from && x->end <= to)
            phrases[part->n_phrases++] = (Phrase){ x->begin - from, x->end - from, x->label };
    }
    part->bans = bans;
    part->n_bans = 0;
    for (int k = 0; k < given->n_bans; k++) {
        Ban x = given->bans[k];
        int first = x.arc ? from : from - 1; /* words of arcs are counted from 1; no root of a piece is banned */
        if (x.begin <= first || x.end <= first || x.begin > to || x.end > to) continue;
        x.begin -= from;
        x.end -= from;
        bans[part->n_bans++] = x;
    }
    return part;
}

/* ---- joining */

typedef struct Join {
    const Model *m;
    const Parsed *piece;
    int n;
    const Given *given;
    Parsed *whole;
    int *start;  /* [n + 1] the first word of each piece, 0-based */
    int *of;     /* [words] the piece of each word */
    int *root;   /* [n] the root of each piece, 1-based */
    int *parent; /* [n] the piece that its root depends on, -1: none, or not known yet */
} Join;

static bool join_new(Join *j, Arena *out)
{
    size_t n = (size_t)j->n;
    j->start = arena_calloc(out, n + 1, sizeof *j->start);
    j->of = arena_alloc(out, (size_t)j->whole->n_words, sizeof *j->of);
    j->root = arena_calloc(out, n, sizeof *j->root);
    j->parent = arena_alloc(out, n, sizeof *j->parent);
    if (!j->start || !j->of || !j->root || !j->parent) return false;
    for (int k = 0; k < j->n; k++) {
        j->start[k + 1] = j->start[k] + j->piece[k].n_words;
        j->parent[k] = -1;
        for (int w = 0; w < j->piece[k].n_words; w++) {
            j->of[j->start[k] + w] = k;
            if (j->piece[k].heads && j->piece[k].heads[w] == 0) j->root[k] = j->start[k] + w + 1;
        }
    }
    return true;
}

/* The given head of the root of piece k, if it is in another piece; else 0. */
static int outer_head(const Join *j, int k)
{
    int head = j->given->heads ? j->given->heads[j->root[k] - 1] : HEAD_FREE;
    return head > 0 && j->of[head - 1] != k ? head : 0;
}

static int main_piece(const Join *j)
{
    int first = -1;
    for (int k = 0; k < j->n; k++) {
        if (j->given->heads && j->given->heads[j->root[k] - 1] == 0) return k;
        if (first < 0 && !outer_head(j, k)) first = k;
    }
    return first < 0 ? 0 : first;
}

static bool below(const Join *j, int k, int above)
{
    for (; k >= 0; k = j->parent[k])
        if (k == above) return true;
    return false;
}

static void join_arcs(Join *j)
{
    Parsed *w = j->whole;
    int top = main_piece(j);
    for (int k = 0; k < j->n; k++) {
        int r = j->root[k], head = k == top ? 0 : outer_head(j, k);
        if (head && below(j, j->of[head - 1], k)) head = 0;
        if (k != top && !head) head = j->root[top];
        if (k != top) j->parent[k] = j->of[head - 1];
        w->heads[r - 1] = head;
        const char *type = k == top ? j->piece[k].types[r - 1 - j->start[k]] : given_type(j->m, j->given, w, r - 1);
        w->types[r - 1] = type ? type : TYPE_JOINED;
    }
}

static int pre_order(const Phrase *a, const Phrase *b)
{
    return a->begin != b->begin ? a->begin - b->begin : b->end - a->end;
}

/* The index of the first of n phrases (pre-order) over the words of p, or where it would stand; *found: it is there. */
static int find_phrase(const Phrase *phrases, int n, const Phrase *p, bool *found)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (pre_order(&phrases[mid], p) < 0) lo = mid + 1;
        else hi = mid;
    }
    *found = lo < n && pre_order(&phrases[lo], p) == 0;
    return lo;
}

/* Does the phrase consist of whole pieces, of which one root has a head outside? */
static bool of_whole_pieces(const Join *j, const Phrase *p)
{
    int first = j->of[p->begin], last = j->of[p->end - 1], outside = 0;
    if (first == last || j->start[first] != p->begin || j->start[last + 1] != p->end) return false;
    for (int k = first; k <= last && j->whole->heads; k++) {
        int head = j->whole->heads[j->root[k] - 1];
        outside += head <= p->begin || head > p->end;
    }
    return outside <= 1;
}

static bool phrases_cross(const Phrase *a, const Phrase *b)
{
    return spans_cross((Span){ a->begin, a->end, 0 }, (Span){ b->begin, b->end, 0 });
}

static bool crosses_one(const Phrase *kept, int n, const Phrase *p)
{
    for (int k = 0; k < n; k++)
        if (phrases_cross(&kept[k], p)) return true;
    return false;
}

/* The index of the first given phrase over these words, or -1. Given phrases are in pre-order. */
static int find_given(const Given *g, const Phrase *x)
{
    bool found;
    int at = find_phrase(g->phrases, g->n_phrases, x, &found);
    return found ? at : -1;
}

/* Phrases that the decoder gives to a piece as a whole are no phrases of the sentence. */
static void drop_tops(Join *j)
{
    Parsed *w = j->whole;
    int kept = 1;
    for (int k = 1; k < w->n_phrases; k++)
        if (j->given->more_phrases || find_given(j->given, &w->phrases[k]) >= 0) w->phrases[kept++] = w->phrases[k];
    w->n_phrases = kept;
}

static bool join_phrases(Join *j, Arena *out)
{
    const Given *g = j->given;
    Parsed *w = j->whole;
    Phrase *phrases = arena_alloc(out, (size_t)w->n_phrases + (size_t)g->n_phrases, sizeof *phrases),
           *kept = arena_alloc(out, (size_t)g->n_phrases, sizeof *kept);
    StrBuf text = { 0 };
    if (!phrases || !kept) return false;
    memcpy(phrases, w->phrases, (size_t)w->n_phrases * sizeof *phrases);
    w->phrases = phrases;
    drop_tops(j);
    bool ok = true;
    for (int p = 0, to, n_kept = 0; ok && p < g->n_phrases; p = to) {
        to = given_chain(g, p);
        if (!of_whole_pieces(j, &g->phrases[p]) || crosses_one(kept, n_kept, &g->phrases[p])) continue;
        bool found;
        int at = find_phrase(w->phrases, w->n_phrases, &g->phrases[p], &found);
        ok = given_label(&text, g, p, to);
        const char *label = !ok                                ? NULL
                            : strcmp(text.ptr, GIVEN_ANY) == 0 ? LABEL_JOINED
                                                               : arena_strndup(out, text.ptr, text.len);
        if (!(ok = label != NULL)) break;
        if (!found) memmove(phrases + at + 1, phrases + at, (size_t)(w->n_phrases++ - at) * sizeof *phrases);
        phrases[at] = kept[n_kept++] = (Phrase){ g->phrases[p].begin, g->phrases[p].end, label };
    }
    strbuf_fini(&text);
    return ok;
}

/* The fault that decoding the piece found, else the arc goes across a cut. */
static Freed freed_arc(const Join *j, int w)
{
    int k = j->of[w - 1], at = j->start[k];
    for (int x = 0; x < j->piece[k].n_freed; x++) {
        Freed f = j->piece[k].freed[x];
        if (!f.arc || f.at + at != w) continue;
        f.at = w;
        f.other += f.other ? at : 0;
        return f;
    }
    return (Freed){ .arc = true, .at = w, .cut = true };
}

static Freed freed_phrase(const Join *j, int p)
{
    const Phrase *x = &j->given->phrases[p], *phrases = j->whole->phrases;
    const int first = j->of[x->begin], last = j->of[x->end - 1], n = j->whole->n_phrases;
    Freed f = { .at = p, .other = -1, .cut = first != last };
    bool found;
    int k = find_phrase(phrases, n, &(Phrase){ j->start[first], j->start[last + 1], NULL }, &found);
    for (; !f.cut && f.other < 0 && k < n && phrases[k].begin < x->end; k++)
        if (phrases_cross(&phrases[k], x)) f.other = find_given(j->given, &phrases[k]);
    return f;
}

static bool list_freed(Join *j, Arena *out)
{
    const Given *g = j->given;
    Parsed *w = j->whole;
    Freed *freed = arena_alloc(out, (size_t)w->n_words + (size_t)g->n_phrases, sizeof *freed);
    if (!freed) return false;
    w->freed = freed;
    for (int c = 1; c <= w->n_words && g->heads; c++)
        if (g->heads[c - 1] != HEAD_FREE && g->heads[c - 1] != w->heads[c - 1]) freed[w->n_freed++] = freed_arc(j, c);
    for (int p = 0; p < g->n_phrases && g->has_phrases; p = given_chain(g, p)) {
        bool found;
        find_phrase(w->phrases, w->n_phrases, &g->phrases[p], &found);
        if (!found) freed[w->n_freed++] = freed_phrase(j, p);
    }
    return true;
}

bool given_join(const Model *model, const Parsed *piece, int n, const Given *given, Arena *out, Parsed *whole)
{
    Join j = { .m = model, .piece = piece, .n = n, .given = given, .whole = whole };
    if (!join_new(&j, out)) return false;
    if (whole->heads) join_arcs(&j);
    if (whole->has_tree && given->has_phrases && !join_phrases(&j, out)) return false;
    return list_freed(&j, out);
}
