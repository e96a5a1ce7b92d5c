/* A head's targets list the keys that each row should attend to. The targets of all heads of a layer are joined into
 * one list of rows, which one op takes. */
#include "lal/heads/guidance.h"

#include <string.h>

void guidance_targets_fini(GuidanceTargets *targets)
{
    mem_free_each(targets->start, targets->key);
    *targets = (GuidanceTargets){ 0 };
}

void guidance_targets_clear(GuidanceTargets *targets) { targets->rows = targets->keys = 0; }

Status guidance_targets_add(GuidanceTargets *targets, const uint8_t *allowed, int rows, int m, Error *error)
{
    int keys = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rows * m; i++) keys += allowed[i];
    if (!mem_reserve(targets->start, &targets->cap_rows, targets->rows + rows + 1) ||
        !mem_reserve(targets->key, &targets->cap_keys, targets->keys + keys))
        return error_set(error, ERR_NOMEM, "out of memory for targets of guided heads");
    targets->start[0] = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < m; j++)
            if (allowed[(ptrdiff_t)i * m + j]) targets->key[targets->keys++] = j;
        targets->start[++targets->rows] = targets->keys;
    }
    return OK;
}

Status guidance_targets_skip(GuidanceTargets *targets, int rows, Error *error)
{
    if (!mem_reserve(targets->start, &targets->cap_rows, targets->rows + rows + 1) ||
        !mem_reserve(targets->key, &targets->cap_keys, targets->keys + rows))
        return error_set(error, ERR_NOMEM, "out of memory for targets of guided heads");
    targets->start[0] = 0;
    for (int i = 0; i < rows; i++) {
        targets->key[targets->keys++] = -1;
        targets->start[++targets->rows] = targets->keys;
    }
    return OK;
}

/* The rows of guided heads of one layer, while they are made. */
typedef struct Rows {
    GuidedRow *row; /* of the host */
    int *key;
    int n, keys;
} Rows;

/* One head in one sentence: rows `from` .. `from + n_rows - 1` of its targets; row i begins at `at + i * m`. */
static void add_sentence(Rows *to, const GuidedHead *head, int from, int n_rows, int m, ptrdiff_t at, int stride,
                         GuidanceNorm norm, double sentences)
{
    const GuidanceTargets *targets = head->targets;
    int first = to->n;
    for (int i = 0; i < n_rows; i++) {
        const int *start = targets->start + from + i;
        int size = start[1] - start[0], visible = head->causal ? i + 1 : m;
        bool skipped = size == 1 && targets->key[start[0]] < 0;
        if (skipped || (size == 0 && head->empty == EMPTY_SKIP)) continue;
        to->row[to->n++] = (GuidedRow){ .at = at + (ptrdiff_t)i * m,
                                        .n = visible,
                                        .stride = stride,
                                        .first = to->keys,
                                        .end = to->keys + size,
                                        .share = size ? 1.0 / size : 0,
                                        .rest = size == 0 && head->empty == EMPTY_UNIFORM ? 1.0 / visible : 0 };
        if (size) memcpy(to->key + to->keys, targets->key + start[0], (size_t)size * sizeof *to->key);
        to->keys += size;
    }
    int took_part = to->n - first;
    double pairs = (double)n_rows * (head->causal ? (m + 1) / 2.0 : m), by = norm == GUIDANCE_FROBENIUS ? 1
                                                                             : norm == GUIDANCE_ROW     ? took_part
                                                                                                        : pairs;
    for (int k = first; k < to->n; k++) to->row[k].weight = 1 / (sentences * by);
}

static bool fits(Tape *t, const Tensor *probs, bool one_row, const GuidedHead *head, const Batch *batch)
{
    int heads = one_row ? probs->cols : probs->rows, rows = one_row ? batch->n_sent : batch->n_tokens;
    if (head->head < 0 || head->head >= heads) tape_fail(t, ERR_RANGE, "guidance: head %d of %d", head->head, heads);
    else if (head->targets->rows != rows)
        tape_fail(t, ERR_RANGE, "guidance: head %d has targets for %d rows, expected %d", head->head,
                  head->targets->rows, rows);
    else return true;
    return false;
}

Tensor *guidance_loss(Tape *tape, Tensor *probs, bool one_row, const GuidedHead *heads, int n, const Batch *batch,
                      GuidanceNorm norm, double sentences)
{
    if (!probs) return NULL;
    size_t n_rows = 0, n_keys = 0;
    for (int k = 0; k < n; k++) {
        if (!fits(tape, probs, one_row, &heads[k], batch)) return NULL;
        n_rows += (size_t)heads[k].targets->rows;
        n_keys += (size_t)heads[k].targets->keys;
    }
    Rows rows = { tape_host(tape, n_rows, sizeof *rows.row), tape_host(tape, n_keys, sizeof *rows.key), 0, 0 };
    if (!rows.row || !rows.key) return NULL;
    for (int k = 0; k < n; k++) {
        int head = heads[k].head;
        ptrdiff_t pair = (ptrdiff_t)head * probs->cols;
        for (int b = 0; b < batch->n_sent; b++) {
            int s = batch->start[b], m = batch->start[b + 1] - s;
            if (one_row)
                add_sentence(&rows, &heads[k], b, 1, m, (ptrdiff_t)s * probs->cols + head, probs->cols, norm,
                             sentences);
            else add_sentence(&rows, &heads[k], s, m, m, pair, 1, norm, sentences);
            pair += (ptrdiff_t)m * m;
        }
    }
    return op_attention_guidance(tape, probs, rows.row, rows.n, rows.key, rows.keys);
}

double guidance_factor(long update, long total, long hold)
{
    if (update < hold) return 1;
    double factor = (double)(total - update) / (double)(total - hold > 1 ? total - hold : 1);
    return factor > 0 ? factor : 0;
}
