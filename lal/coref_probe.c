/* For each mention the baselines choose by the mentions before it, then each head by its weights;
 * all are judged by the same two measures. */
#include "lal/coref_probe.h"

#include <string.h>

const char *const COREF_MEASURE_NAMES[COREF_MEASURES] = { "words", "candidates" };
const char *const COREF_BASELINE_NAMES[COREF_BASELINES] = { "nearest", "same head", "rules", "previous word" };

Status coref_probe_init(CorefProbe *probe, int heads, Error *error)
{
    *probe = (CorefProbe){ .heads = heads };
    probe->right = mem_calloc((size_t)COREF_MEASURES * (size_t)heads * COREF_COLUMNS + 1, sizeof *probe->right);
    return probe->right ? OK : error_set(error, ERR_NOMEM, "out of memory for %d heads", heads);
}

void coref_probe_fini(CorefProbe *probe)
{
    mem_free_each(probe->right, probe->type, probe->found);
    *probe = (CorefProbe){ 0 };
}

static bool is_candidate(const Mention *a, const Mention *m)
{
    return a->head < m->head && (a->end <= m->begin || a->begin >= m->end);
}

static bool is_antecedent(const Mention *m, int k)
{
    for (int a = 0; a < m->n_antecedents; a++)
        if (m->antecedents[a] == k) return true;
    return false;
}

static bool in_antecedent(const CorefPiece *p, const Mention *m, int word)
{
    for (int a = 0; a < m->n_antecedents; a++) {
        const Mention *x = &p->mentions[m->antecedents[a]];
        if (x->begin <= word && word < x->end) return true;
    }
    return false;
}

static bool heads_antecedent(const CorefPiece *p, const Mention *m, int word)
{
    for (int a = 0; a < m->n_antecedents; a++)
        if (p->mentions[m->antecedents[a]].head == word) return true;
    return false;
}

/* ---- baselines */

/* Without case. */
static bool same_word(const CorefPiece *p, int a, int b)
{
    const char *x = p->words[a], *y = p->words[b];
    size_t nx = strlen(x), ny = strlen(y), i = 0, j = 0;
    while (i < nx && j < ny)
        if (utf8_lower(utf8_next(x, nx, &i)) != utf8_lower(utf8_next(y, ny, &j))) return false;
    return i == nx && j == ny;
}

static bool same_words(const CorefPiece *p, const Mention *a, const Mention *b)
{
    bool same = a->end - a->begin == b->end - b->begin;
    for (int k = 0; same && a->begin + k < a->end; k++) same = same_word(p, a->begin + k, b->begin + k);
    return same;
}

static bool agree(const Mention *a, const Mention *b)
{
    for (int f = 0; f < MENTION_FEATURES; f++)
        if (*a->feature[f] && *b->feature[f] && strcmp(a->feature[f], b->feature[f]) != 0) return false;
    return true;
}

static void choose(const CorefPiece *p, const Mention *m, bool right[COREF_BASELINES])
{
    int nearest = -1, head = -1, words = -1, fits = -1;
    for (int k = 0; k < p->n_mentions; k++) {
        const Mention *a = &p->mentions[k];
        if (!is_candidate(a, m)) continue;
        nearest = k;
        if (same_word(p, a->head, m->head)) head = k;
        if (same_words(p, a, m)) words = k;
        if (agree(a, m)) fits = k;
    }
    right[COREF_NEAREST] = is_antecedent(m, nearest);
    right[COREF_SAME_HEAD] = is_antecedent(m, head >= 0 ? head : nearest);
    right[COREF_RULES] = is_antecedent(m, words >= 0 ? words : head >= 0 ? head : fits >= 0 ? fits : nearest);
    right[COREF_PREVIOUS_WORD] = m->head > m->begin ? false : in_antecedent(p, m, m->head - 1);
}

/* ---- heads */

/* Adds 1 for a mention of this type and for all. */
static void count(int column[COREF_COLUMNS], MentionType type)
{
    column[type]++;
    column[COREF_ALL]++;
}

/* The answers of one head: words from 0. */
static void answer(const CorefPiece *p, const Mention *m, const HeadWeights *w, bool right[COREF_MEASURES])
{
    const Real *row = w->a + (m->head + 1) * w->row;
    int best[COREF_MEASURES] = { -1, -1 };
#define WEIGHT(word) row[((word) + 1) * w->column]
    for (int j = 0; j < p->n_words; j++) {
        bool inside = m->begin <= j && j < m->end;
        if (!inside && (best[COREF_WORDS] < 0 || WEIGHT(j) > WEIGHT(best[COREF_WORDS]))) best[COREF_WORDS] = j;
    }
    for (int k = 0; k < p->n_mentions && p->mentions[k].head < m->head; k++) {
        int j = p->mentions[k].head, *b = &best[COREF_CANDIDATES];
        if (is_candidate(&p->mentions[k], m) && (*b < 0 || WEIGHT(j) > WEIGHT(*b))) *b = j;
    }
#undef WEIGHT
    right[COREF_WORDS] = in_antecedent(p, m, best[COREF_WORDS]);
    right[COREF_CANDIDATES] = heads_antecedent(p, m, best[COREF_CANDIDATES]);
}

static Status add_mention(CorefProbe *p, const CorefPiece *piece, const Mention *m, const HeadWeights *w, Error *e)
{
    bool baseline[COREF_BASELINES], right[COREF_MEASURES];
    int n = p->mentions[COREF_ALL];
    size_t row = (size_t)COREF_MEASURES * (size_t)p->heads;
    if (row) p->found = mem_resized(p->found, &p->cap_found, n + 1, row);
    if (!mem_reserve(p->type, &p->cap_type, n + 1) || (row && p->cap_found <= n))
        return error_set(e, ERR_NOMEM, "out of memory for %d mentions", n + 1);
    p->type[n] = (uint8_t)m->type;
    count(p->mentions, m->type);
    choose(piece, m, baseline);
    for (int k = 0; k < COREF_BASELINES; k++)
        if (baseline[k]) count(p->baseline[k], m->type);
    for (int h = 0; h < p->heads; h++) {
        answer(piece, m, &w[h], right);
        for (int k = 0; k < COREF_MEASURES; k++) {
            p->found[(size_t)n * row + (size_t)k * (size_t)p->heads + (size_t)h] = right[k];
            if (right[k]) count(p->right + ((ptrdiff_t)k * p->heads + h) * COREF_COLUMNS, m->type);
        }
    }
    return OK;
}

Status coref_probe_add(CorefProbe *probe, const CorefPiece *piece, const HeadWeights *weights, Error *error)
{
    Status s = OK;
    for (int k = 0; k < piece->n_mentions && s == OK; k++)
        if (piece->mentions[k].n_antecedents) s = add_mention(probe, piece, &piece->mentions[k], weights, error);
    return s;
}

int coref_probe_best(const CorefProbe *probe, CorefMeasure measure, int column)
{
    int best = -1;
    for (int h = 0; h < probe->heads; h++)
        if (best < 0 || coref_probe_right(probe, measure, h, column) > coref_probe_right(probe, measure, best, column))
            best = h;
    return best;
}
