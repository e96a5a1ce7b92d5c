/* Enhanced graphs of matched words: column 9 of both sides becomes lists of arcs, without empty nodes, whose arcs are
 * joined to paths ("3.1:obj" with "3.1" below 2 by conj: "2:conj>obj"), as the IWPT 2020 shared task does it. */
#include <string.h>

#include "eval/align_internal.h"

/* Longer paths, more arcs of a word, and what takes more steps to read, empty nodes below each other say, are left
 * out. */
enum { PATH_MOST = 16, ARCS_MOST = 256, STEPS_MOST = 4096 };

typedef struct GraphItem {
    int head;                              /* word of the side; -1: the root */
    const char *relation, *short_relation; /* in full; without subtypes */
} GraphItem;

typedef struct GraphList {
    GraphItem arc[ARCS_MOST];
    int n;
} GraphList;

/* What a side is read with. */
typedef struct GraphReader {
    const Sentence *s;
    int first; /* word of the side at which the sentence begins */
    Arena *arena;
    StrBuf scratch;
    int left;    /* steps that may still be taken */
    bool failed; /* out of memory */
} GraphReader;

/* A path from the bottom: the relations below each other, the lowest one first. */
typedef struct GraphPath {
    StrView step[PATH_MOST];
    int n;
} GraphPath;

/* The path from the top, "conj:and>obj"; brief: "conj>obj". */
static const char *path_text(GraphReader *r, const GraphPath *path, bool brief)
{
    strbuf_clear(&r->scratch);
    for (int k = path->n - 1; k >= 0; k--) {
        bool left_out = false; /* a step may be a path that a program has joined */
        if (r->scratch.len) strbuf_putc(&r->scratch, '>');
        for (size_t i = 0; i < path->step[k].len; i++) {
            char c = path->step[k].ptr[i];
            left_out = c != '>' && (left_out || (brief && c == ':'));
            if (!left_out) strbuf_putc(&r->scratch, c);
        }
    }
    return r->scratch.failed ? NULL : arena_strndup(r->arena, r->scratch.ptr, r->scratch.len);
}

static void add(GraphReader *r, GraphList *list, int head, const GraphPath *path)
{
    if (list->n == ARCS_MOST || head > r->s->n_words) return;
    GraphItem *x = &list->arc[list->n];
    *x = (GraphItem){ head ? r->first + head - 1 : -1, path_text(r, path, false), path_text(r, path, true) };
    if (!x->relation || !x->short_relation) r->failed = true;
    else list->n++;
}

static const char *deps_of_empty(const Sentence *s, int after, int number)
{
    for (int k = 0; k < s->n_empty; k++)
        if (s->empty[k].after == after && s->empty[k].number == number) return s->empty[k].deps;
    return NULL;
}

/* Appends the arcs of a column; path: what is below them. Items that are no arcs are left out. */
static void read_deps(GraphReader *r, const char *deps, GraphPath *path, GraphList *list)
{
    for (const char *p = deps; path->n < PATH_MOST && r->left-- > 0; p++) {
        size_t n = strcspn(p, "|"), digits = strspn(p, "0123456789"), more = 0;
        int head, number;
        if (p[digits] == '.') more = strspn(p + digits + 1, "0123456789");
        size_t at = more ? digits + 1 + more : digits;
        if (at + 1 < n && p[at] == ':' && text_number((StrView){ p, digits }, &head)) {
            path->step[path->n++] = (StrView){ p + at + 1, n - at - 1 };
            if (!more) add(r, list, head, path);
            else if (text_number((StrView){ p + digits + 1, more }, &number)) {
                const char *above = deps_of_empty(r->s, head, number);
                if (above) read_deps(r, above, path, list);
            }
            path->n--;
        }
        p += n;
        if (!*p) return;
    }
}

static void read_word(const AlignSide *side, int word, Arena *arena, GraphReader *r, GraphList *list)
{
    int at;
    GraphPath path = { .n = 0 };
    r->s = align_sentence(side, word, &at);
    r->first = side->first[side->sentence[word]];
    r->arena = arena;
    r->left = STEPS_MOST;
    list->n = 0;
    if (r->s->deps && r->s->deps[at]) read_deps(r, r->s->deps[at], &path, list);
}

/* The arcs of both words that are the same; each of them counts once. */
static long count_same(const GraphList *g, const GraphList *p, const int *match, bool brief)
{
    bool used[ARCS_MOST] = { false };
    long same = 0;
    for (int i = 0; i < g->n; i++) {
        const GraphItem *x = &g->arc[i];
        for (int j = 0; j < p->n; j++) {
            const GraphItem *y = &p->arc[j];
            bool head = x->head < 0 ? y->head < 0 : y->head >= 0 && match[x->head] == y->head;
            if (used[j] || !head) continue;
            if (strcmp(brief ? x->short_relation : x->relation, brief ? y->short_relation : y->relation) != 0) continue;
            used[j] = true;
            same++;
            break;
        }
    }
    return same;
}

bool align_count_graphs(const AlignSide *g, const AlignSide *p, const int *match, AlignScores *out)
{
    Arena arena;
    GraphReader r = { 0 };
    GraphList *list = mem_alloc(2, sizeof *list);
    arena_init(&arena, 1 << 14);
    for (int j = 0; list && j < p->n; j++) {
        read_word(p, j, &arena, &r, list);
        for (int m = ALIGN_EULAS; m <= ALIGN_ELAS; m++) out->of[m].pred += list->n;
        if (list->n) out->pred_has |= ALIGN_HAS_GRAPH;
        arena_reset(&arena);
    }
    for (int i = 0; list && i < g->n; i++) {
        read_word(g, i, &arena, &r, &list[0]);
        if (list->n) out->gold_has |= ALIGN_HAS_GRAPH;
        list[1].n = 0;
        if (match[i] >= 0) read_word(p, match[i], &arena, &r, &list[1]);
        for (int m = ALIGN_EULAS; m <= ALIGN_ELAS; m++) {
            out->of[m].gold += list->n;
            out->of[m].aligned += match[i] >= 0 ? list->n : 0;
            out->of[m].matched += count_same(&list[0], &list[1], match, m == ALIGN_EULAS);
        }
        arena_reset(&arena);
    }
    bool good = list && !r.failed;
    arena_fini(&arena);
    strbuf_fini(&r.scratch);
    mem_free(list);
    return good;
}
