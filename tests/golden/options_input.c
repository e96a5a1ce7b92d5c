#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/ops.h"
#include "tests/golden/options.h"

void *options_host(Tape *t, size_t count, size_t size)
{
    void *room = tape_host(t, count, size);
    if (!room) recorded_stop("%s", t->error.message);
    return room;
}

Tensor *options_wanted(Tape *t, const Real *host, int rows, int cols)
{
    Tensor *x = tape_constant(t, host, rows, cols);
    if (x) x->needs_grad = true;
    return x;
}

Tensor *options_tensor(Tape *t, const cJSON *j, int rows, int cols, bool transposed)
{
    FREED(free_pointer) double *v = recorded_exactly(j, rows * cols);
    Real *x = options_host(t, (size_t)(rows * cols) + 1, sizeof *x);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) x[r * cols + c] = (Real)(transposed ? v[c * rows + r] : v[r * cols + c]);
    return options_wanted(t, x, rows, cols);
}

void options_projections(Real *to, const cJSON *j, int heads, int d, int w)
{
    static const char *const names[] = { "wq", "wk", "wv" };
    int ld = 3 * heads * w;
    for (int k = 0; k < 3; k++) {
        FREED(free_pointer) double *v = recorded_exactly(recorded_item(j, names[k]), heads * d * w);
        for (int h = 0; h < heads; h++)
            for (int r = 0; r < d; r++)
                for (int c = 0; c < w; c++) to[r * ld + (k * heads + h) * w + c] = (Real)v[(h * d + r) * w + c];
    }
}

Tensor *options_weighted(Tape *t, Tensor *x, const cJSON *weights)
{
    if (!x) recorded_stop("%s", t->error.message);
    int n = x->rows * x->cols;
    int *rows = options_host(t, (size_t)n, sizeof *rows), *cols = options_host(t, (size_t)n, sizeof *cols);
    Real *w = options_host(t, (size_t)n, sizeof *w);
    FREED(free_pointer) double *v = recorded_exactly(weights, n);
    for (int k = 0; k < n; k++) {
        rows[k] = k / x->cols;
        cols[k] = k % x->cols;
        w[k] = (Real)v[k];
    }
    return op_pick(t, x, rows, cols, w, n, 0);
}

static double *doubles(int n) { return recorded_room((size_t)(n + 1), sizeof(double)); }

void options_compare(const char *name, HostMatrix found, const cJSON *j, bool transposed)
{
    if (!found.data) recorded_stop("%s: found no numbers", name);
    FREED(free_pointer) double *x = doubles(found.rows * found.cols);
    for (int r = 0; r < found.rows; r++)
        for (int c = 0; c < found.cols; c++)
            x[transposed ? c * found.rows + r : r * found.cols + c] = (double)host_row(&found, r)[c];
    recorded_compare(name, x, found.rows * found.cols, j);
}

void options_compare_projection(const char *name, HostMatrix found, int part, const cJSON *j, int heads, int w)
{
    if (!found.data) recorded_stop("%s: found no numbers", name);
    int d = found.rows;
    FREED(free_pointer) double *x = doubles(heads * d * w);
    for (int h = 0; h < heads; h++)
        for (int r = 0; r < d; r++)
            for (int c = 0; c < w; c++)
                x[(h * d + r) * w + c] = (double)host_row(&found, r)[(part * heads + h) * w + c];
    recorded_compare(name, x, heads * d * w, j);
}

/* ---- sentences */

static int *int_list(const cJSON *j, int n)
{
    FREED(free_pointer) double *v = recorded_exactly(j, n);
    int *list = recorded_room((size_t)(n + 1), sizeof *list);
    for (int k = 0; k < n; k++) list[k] = (int)lrint(v[k]);
    return list;
}

static const char **string_list(const cJSON *j, int n)
{
    const char **list = recorded_room((size_t)(n + 1), sizeof *list);
    if (recorded_length(j) != n) recorded_stop("found %d strings, expected %d", recorded_length(j), n);
    for (int k = 0; k < n; k++) list[k] = recorded_string(j, k);
    return list;
}

PatternSentence options_sentence(const cJSON *j)
{
    static const char *const left_out[] = { "tags", "idf", "train_sentences" }; /* df is read, which gives idf */
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++) recorded_leave_out(j, left_out[k]);
    const cJSON *c = recorded_item(j, "constituents");
    int n = recorded_length(recorded_item(j, "words")), n_spans = recorded_length(c);
    int(*spans)[2] = recorded_room((size_t)(n_spans + 1), sizeof *spans);
    const char **labels = recorded_room((size_t)(n_spans + 1), sizeof *labels);
    for (int k = 0; k < n_spans; k++) { /* label, begin, end */
        const cJSON *span = cJSON_GetArrayItem(c, k);
        labels[k] = cJSON_GetArrayItem(span, 0)->valuestring;
        for (int x = 0; x < 2; x++) spans[k][x] = (int)cJSON_GetArrayItem(span, x + 1)->valuedouble;
    }
    recorded_mark(c);
    return (PatternSentence){ .n = n,
                              .words = string_list(recorded_item(j, "words"), n),
                              .heads = int_list(recorded_item(j, "heads"), n),
                              .types = string_list(recorded_item(j, "types"), n),
                              .df = int_list(recorded_item(j, "df"), n),
                              .spans = (const int(*)[2])spans,
                              .n_spans = n_spans,
                              .labels = labels };
}

void options_sentence_fini(PatternSentence *s)
{
    free((void *)(uintptr_t)s->words);
    free((void *)(uintptr_t)s->heads);
    free((void *)(uintptr_t)s->types);
    free((void *)(uintptr_t)s->df);
    free((void *)(uintptr_t)s->spans);
    free((void *)(uintptr_t)s->labels);
}

void options_sentences(Sentences *all, const cJSON *j)
{
    /* where the sentences come from; head_functions.json has its own top500_count */
    static const char *const source[] = { "split", "seed", "train_sentences", "top500_count" };
    static const char *const of_each[] = { "line", "document", "terms_of_the_text" };
    for (size_t k = 0; k < sizeof source / sizeof *source; k++) recorded_leave_out(j, source[k]);
    const cJSON *list = recorded_item(j, "sentences");
    all->n = recorded_length(list);
    all->s = recorded_room((size_t)all->n + 1, sizeof *all->s);
    all->counts = recorded_room((size_t)all->n + 1, sizeof *all->counts);
    all->id = recorded_room((size_t)all->n + 1, sizeof *all->id);
    for (int i = 0; i < all->n; i++) {
        const cJSON *x = cJSON_GetArrayItem(list, i);
        for (size_t k = 0; k < sizeof of_each / sizeof *of_each; k++) recorded_leave_out(x, of_each[k]);
        all->s[i] = options_sentence(x);
        all->counts[i] = int_list(recorded_item(x, "count"), all->s[i].n);
        all->id[i] = recorded_text(x, "id");
    }
}

void options_sentences_fini(Sentences *all)
{
    for (int k = 0; k < all->n; k++) {
        options_sentence_fini(&all->s[k]);
        free(all->counts[k]);
    }
    free(all->s);
    free(all->counts);
    free(all->id);
}

int options_sentence_by_id(const Sentences *all, const char *id)
{
    int i = 0;
    while (i < all->n && strcmp(all->id[i], id) != 0) i++;
    if (i == all->n) recorded_stop("sentences.json has no sentence %s", id);
    return i;
}

uint8_t *options_allowed(const char *name, const PatternSentence *s)
{
    Pattern p;
    Error e = { 0 };
    MADE(Arena, arena_init, arena_fini, scratch, 4096);
    uint8_t *allowed = recorded_room((size_t)(s->n + 2) * (size_t)(s->n + 2), 1);
    if (!allowed || pattern_read(&p, name, NULL, &scratch, &e) != OK ||
        pattern_fill(&p, s, allowed, &scratch, &e) != OK)
        recorded_stop("%s: %s", name, e.message);
    return allowed;
}
