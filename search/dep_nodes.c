/* Two passes over the rows: nodes and ranges first, then edges, which name nodes by their numbers. */
#include "search/dep_nodes.h"

#include <stdlib.h>

typedef struct Row {
    StrView column[10];
    long line;
} Row;

static bool next_row(StrView rows, size_t *at, long *line, Row *row, bool *good)
{
    StrView text;
    while (text_line(rows, at, &text)) {
        ++*line;
        if (!text.len || text.ptr[0] == '#') continue;
        int n = 0;
        for (size_t from = 0, k = 0; k <= text.len; k++)
            if (k == text.len || text.ptr[k] == '\t') {
                if (n < 10) row->column[n] = (StrView){ text.ptr + from, k - from };
                n++;
                from = k + 1;
            }
        row->line = *line;
        *good = n >= 10;
        return true;
    }
    return false;
}

static const char *copy(Arena *arena, StrView text)
{
    if (!text.len || (text.len == 1 && text.ptr[0] == '_')) return NULL;
    return arena_strndup(arena, text.ptr, text.len);
}

/* A member of MISC; ptr NULL: it is not there. */
static StrView misc(StrView text, const char *name)
{
    size_t n = strlen(name);
    for (size_t from = 0, k = 0; k <= text.len; k++) {
        if (k < text.len && text.ptr[k] != '|') continue;
        if (k - from > n && !memcmp(text.ptr + from, name, n) && text.ptr[from + n] == '=')
            return (StrView){ text.ptr + from + n + 1, k - from - n - 1 };
        from = k + 1;
    }
    return (StrView){ NULL, 0 };
}

static long number_of(StrView text, size_t *at)
{
    long n = 0;
    while (*at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9' && n < 1000000)
        n = 10 * n + (text.ptr[(*at)++] - '0');
    return n;
}

int dep_nodes_find(const DepNodes *graph, long number, long copy_number)
{
    int a = 0, b = graph->n;
    while (a < b) {
        int m = (a + b) / 2;
        const DepNode *x = &graph->node[m];
        if (x->number < number || (x->number == number && x->copy < copy_number)) a = m + 1;
        else b = m;
    }
    return a < graph->n && graph->node[a].number == number && graph->node[a].copy == copy_number ? a : -1;
}

static bool add_edge(DepNodes *graph, int *cap, Arena *arena, int governor, int dependent, StrView relation)
{
    if (governor < 0) {
        graph->node[dependent].is_root = true;
        return true;
    }
    if (graph->n_edges == *cap) {
        DepEdge *more = arena_alloc(arena, (size_t)(*cap = 2 * *cap + 16), sizeof *more);
        if (!more) return false;
        if (graph->n_edges) memcpy(more, graph->edge, (size_t)graph->n_edges * sizeof *more);
        graph->edge = more;
    }
    const char *text = arena_strndup(arena, relation.ptr, relation.len);
    graph->edge[graph->n_edges++] = (DepEdge){ governor, dependent, text };
    return text != NULL;
}

/* Sorts the numbers of edges by governor and by dependent. */
static bool index_edges(DepNodes *graph, Arena *arena)
{
    graph->down = arena_alloc(arena, (size_t)graph->n_edges, sizeof(int));
    graph->up = arena_alloc(arena, (size_t)graph->n_edges, sizeof(int));
    if (!graph->down || !graph->up) return false;
    for (int e = 0; e < graph->n_edges; e++) {
        graph->node[graph->edge[e].governor].n_down++;
        graph->node[graph->edge[e].dependent].n_up++;
    }
    for (int w = 0, down = 0, up = 0; w < graph->n; w++) {
        DepNode *x = &graph->node[w];
        x->first_down = down;
        x->first_up = up;
        down += x->n_down;
        up += x->n_up;
        x->n_down = x->n_up = 0;
    }
    for (int e = 0; e < graph->n_edges; e++) {
        DepNode *g = &graph->node[graph->edge[e].governor], *d = &graph->node[graph->edge[e].dependent];
        graph->down[g->first_down + g->n_down++] = e;
        graph->up[d->first_up + d->n_up++] = e;
    }
    return true;
}

static Status fail_row(const Row *row, const char *what, Error *error)
{
    return error_at(error, ERR_FORMAT, NULL, row->line, 0, "%s", what);
}

static Status no_memory(Error *error) { return error_set(error, ERR_NOMEM, "out of memory"); }

static Status read_nodes(DepNodes *graph, StrView rows, Arena *arena, Error *error)
{
    Row row, range = { 0 };
    bool good;
    long line = 0, range_end = 0;
    size_t at = 0;
    int cap = 0;
    const char *range_text = NULL, *range_misc = NULL;
    while (next_row(rows, &at, &line, &row, &good)) {
        size_t k = 0;
        long number = number_of(row.column[0], &k), copy_number = 0;
        if (!good || !k)
            return fail_row(&row, "found no number or under ten columns, expected a row of CoNLL-U", error);
        if (k < row.column[0].len && row.column[0].ptr[k] == '-') {
            k++;
            range = row;
            range_end = number_of(row.column[0], &k);
            range_text = arena_strndup(arena, row.column[1].ptr, row.column[1].len);
            range_misc = copy(arena, row.column[9]);
            if (!range_text) return no_memory(error);
            continue;
        }
        if (k < row.column[0].len && row.column[0].ptr[k] == '.') {
            k++;
            copy_number = number_of(row.column[0], &k);
        }
        if (graph->n == cap) {
            DepNode *more = arena_alloc(arena, (size_t)(cap = 2 * cap + 32), sizeof *more);
            if (!more) return no_memory(error);
            if (graph->n) memcpy(more, graph->node, (size_t)graph->n * sizeof *more);
            graph->node = more;
        }
        bool inside = !copy_number && number <= range_end;
        DepNode *x = &graph->node[graph->n++];
        StrView space = misc(row.column[9], "SpaceAfter");
        if (inside && number == range_end) space = misc(range.column[9], "SpaceAfter");
        bool no_space = (space.len == 2 && !memcmp(space.ptr, "No", 2)) || (inside && number < range_end);
        *x = (DepNode){ .number = (int)number,
                        .copy = (int)copy_number,
                        .form = arena_strndup(arena, row.column[1].ptr, row.column[1].len),
                        .lemma = copy(arena, row.column[2]),
                        .upos = copy(arena, row.column[3]),
                        .tag = copy(arena, row.column[4]),
                        .feats = copy(arena, row.column[5]),
                        .before = graph->glued && !copy_number ? "" : " ",
                        .after = no_space ? "" : " " };
        if (inside) {
            x->range = range_text;
            x->range_misc = range_misc;
            x->first_in_range = graph->n < 2 || x[-1].range != range_text;
        }
        if (!copy_number) graph->glued = no_space;
        if (!x->form) return no_memory(error);
    }
    return OK;
}

static bool keep_words(DepNodes *graph, Arena *arena)
{
    graph->word = arena_alloc(arena, (size_t)graph->n, sizeof *graph->word);
    for (int k = 0; graph->word && k < graph->n; k++)
        if (!graph->node[k].copy) graph->word[graph->n_words++] = graph->node[k].form;
    return graph->word != NULL;
}

/* Words that nothing governs are not in the graph. */
static void drop_lone_nodes(DepNodes *graph)
{
    int kept = 0;
    for (int e = 0; e < graph->n_edges; e++) graph->node[graph->edge[e].dependent].n_up = 1;
    for (int w = 0; w < graph->n; w++) {
        DepNode *x = &graph->node[w];
        bool keeps = x->n_up || x->is_root;
        x->n_up = 0;
        x->first_up = kept; /* its place then */
        kept += keeps;
        if (!keeps) x->first_up = -1;
    }
    for (int e = 0; e < graph->n_edges; e++) {
        DepEdge *edge = &graph->edge[e];
        edge->governor = graph->node[edge->governor].first_up;
        edge->dependent = graph->node[edge->dependent].first_up;
        if (edge->governor < 0) *edge-- = graph->edge[--graph->n_edges], e--;
    }
    for (int w = 0; w < graph->n; w++)
        if (graph->node[w].first_up >= 0) graph->node[graph->node[w].first_up] = graph->node[w];
    graph->n = kept;
}

static Status read_edges(DepNodes *graph, StrView rows, bool enhanced, Arena *arena, Error *error)
{
    Row row;
    bool good;
    long line = 0;
    size_t at = 0;
    int cap = 0, w = 0;
    while (next_row(rows, &at, &line, &row, &good)) {
        StrView deps = row.column[8];
        size_t k = 0;
        if (memchr(row.column[0].ptr, '-', row.column[0].len)) continue;
        if (!enhanced) {
            long head = number_of(row.column[6], &k);
            int governor = head ? dep_nodes_find(graph, head, 0) : -1;
            if (k && (governor >= 0 || !head) && !graph->node[w].copy &&
                !add_edge(graph, &cap, arena, governor, w, row.column[7]))
                return no_memory(error);
            if (k && head && governor < 0) return fail_row(&row, "found a head that is no word of the sentence", error);
        }
        while (enhanced && k < deps.len && !(deps.len == 1 && deps.ptr[0] == '_')) {
            long head = number_of(deps, &k), copy_number = 0;
            if (k < deps.len && deps.ptr[k] == '.') {
                k++;
                copy_number = number_of(deps, &k);
            }
            size_t from = ++k;
            while (k < deps.len && deps.ptr[k] != '|') k++;
            int governor = head || copy_number ? dep_nodes_find(graph, head, copy_number) : -1;
            if (from > deps.len || ((head || copy_number) && governor < 0))
                return fail_row(&row, "found an edge from no word of the sentence", error);
            if (!add_edge(graph, &cap, arena, governor, w, (StrView){ deps.ptr + from, k - from }))
                return no_memory(error);
            k++;
        }
        w++;
    }
    drop_lone_nodes(graph);
    return index_edges(graph, arena) ? OK : no_memory(error);
}

Status dep_nodes_read(DepNodes *graph, StrView rows, bool enhanced, Arena *arena, Error *error)
{
    *graph = (DepNodes){ 0 };
    Status s = read_nodes(graph, rows, arena, error);
    if (s == OK && !keep_words(graph, arena)) return no_memory(error);
    return s ? s : read_edges(graph, rows, enhanced, arena, error);
}

static const char *known(const char *const *column, int w)
{
    return column && column[w] && strcmp(column[w], "_") != 0 ? column[w] : NULL;
}

/* Multiword tokens of the words. */
static void set_ranges(DepNodes *graph, const Sentence *sent)
{
    for (int r = 0; r < sent->n_ranges; r++)
        for (int w = sent->ranges[r].begin; w < sent->ranges[r].end; w++) {
            graph->node[w].range = sent->ranges[r].form;
            graph->node[w].first_in_range = w == sent->ranges[r].begin;
        }
}

Status dep_nodes_of(DepNodes *graph, const Sentence *sent, bool enhanced, Arena *arena, Error *error)
{
    const DepGraph *arcs = enhanced ? sent->graph : NULL;
    const bool *space = sent->space_before;
    int n = sent->n_words, cap = 0;
    bool good = true;
    *graph = (DepNodes){
        .node = arena_calloc(arena, (size_t)n, sizeof(DepNode)), .n = n, .word = sent->words, .n_words = n
    };
    if (!graph->node) return no_memory(error);
    for (int w = 0; w < n; w++)
        graph->node[w] = (DepNode){ .number = w + 1,
                                    .form = sent->words[w],
                                    .lemma = known(sent->lemmas, w),
                                    .upos = known(sent->upos, w),
                                    .tag = known(sent->tags, w),
                                    .feats = known(sent->feats, w),
                                    .before = space && w && !space[w] ? "" : " ",
                                    .after = space && w + 1 < n && !space[w + 1] ? "" : " " };
    set_ranges(graph, sent);
    for (int w = 0; w < n && good; w++)
        for (int k = arcs ? arcs->first[w] : 0; k < (arcs ? arcs->first[w + 1] : 1) && good; k++) {
            const char *relation = arcs ? arcs->arc[k].relation : sent->types ? sent->types[w] : "_";
            int head = arcs ? arcs->arc[k].head : sent->heads[w];
            good = add_edge(graph, &cap, arena, head - 1, w, (StrView){ relation, strlen(relation) });
        }
    if (!good) return no_memory(error);
    drop_lone_nodes(graph);
    return index_edges(graph, arena) ? OK : no_memory(error);
}

void dep_nodes_follow(DepNodes *graph, const DepNodes *previous)
{
    int first = dep_nodes_find(graph, 1, 0);
    if (first >= 0 && previous->glued) graph->node[first].before = "";
}
