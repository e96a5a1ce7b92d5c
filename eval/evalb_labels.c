/* Numbers of labels, with the settings for each label looked up once. EQ_LABEL and EQ_WORD are
 * relations of pairs and not transitive, so each number has a sorted list of partners. */
#include <stdlib.h>
#include <string.h>

#include "eval/evalb_internal.h"

/* ---- pairs */

typedef struct IntPair {
    int a, b;
} IntPair;

static int by_numbers(const void *x, const void *y)
{
    const IntPair *p = x, *q = y;
    int a = (p->a > q->a) - (p->a < q->a), b = (p->b > q->b) - (p->b < q->b);
    return a ? a : b;
}

static void pairs_fini(Pairs *q)
{
    mem_free_each(q->first, q->with);
    *q = (Pairs){ 0 };
}

/* names [2 k], [2 k + 1] are pairs, and all are in the map. Duplicates are dropped. false when out of memory. */
static bool pairs_init(Pairs *q, const EvalbList *names, const StrMap *map)
{
    int n_both = 0; /* pairs in both directions */
    IntPair *both = mem_alloc((size_t)names->n + 1, sizeof *both);
    *q = (Pairs){ .n = map->n };
    q->first = mem_calloc((size_t)map->n + 1, sizeof *q->first);
    q->with = mem_alloc((size_t)names->n + 1, sizeof *q->with);
    if (!both || !q->first || !q->with) {
        mem_free(both);
        pairs_fini(q);
        return false;
    }
    for (int k = 0; k + 1 < names->n; k += 2) {
        int a = map_find(map, names->items[k], strlen(names->items[k])),
            b = map_find(map, names->items[k + 1], strlen(names->items[k + 1]));
        both[n_both++] = (IntPair){ a, b };
        both[n_both++] = (IntPair){ b, a };
    }
    qsort(both, (size_t)n_both, sizeof *both, by_numbers);
    int n = 0;
    for (int k = 0; k < n_both; k++) {
        if (k > 0 && by_numbers(&both[k - 1], &both[k]) == 0) continue;
        q->with[n++] = both[k].b;
        q->first[both[k].a + 1]++;
    }
    for (int k = 0; k < map->n; k++) q->first[k + 1] += q->first[k];
    mem_free(both);
    return true;
}

static int by_number(const void *x, const void *y)
{
    const int *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static bool pairs_contain(const Pairs *q, int a, int b)
{
    int n_a = evalb_pairs_count(q, a), n_b = evalb_pairs_count(q, b);
    if (n_a == 0 || n_b == 0) return false;
    int of = n_a <= n_b ? a : b, key = n_a <= n_b ? b : a; /* searches the shorter list */
    return bsearch(&key, q->with + q->first[of], (size_t)(n_a <= n_b ? n_a : n_b), sizeof key, by_number) != NULL;
}

/* ---- labels */

/* Adds a label; label_finish must follow if it is new. The number, or -1 when out of memory. */
static int label_add(Labels *l, const char *s, size_t len)
{
    int n = l->names.n, number = map_add(&l->names, s, len);
    if (number < n) return number;
    if (!mem_reserve(l->items, &l->cap, n + 1)) return -1;
    l->items[n] = (Label){ .cut = n, .waiting = -1 };
    return n;
}

/* Sets span_deleted and cut of a label. */
static bool label_finish(Labels *l, int number)
{
    const char *name = l->names.keys[number];
    size_t len = strlen(name), cut = strcspn(name, "-=");
    bool gone = l->items[number].deleted;
    for (int k = 0; k < evalb_pairs_count(&l->equal, number) && !gone; k++)
        gone = l->items[l->equal.with[l->equal.first[number] + k]].deleted;
    l->items[number].span_deleted = gone;
    if (cut == len) return true;
    int n = l->names.n, short_one = label_add(l, name, cut);
    if (short_one < 0 || (short_one == n && !label_finish(l, n))) return false; /* a cut label needs no further cut */
    l->items[number].cut = short_one;
    return true;
}

/* Adds the labels of a list, each with this mark. */
static bool add_list(Labels *l, const EvalbList *list, Label mark)
{
    for (int k = 0; k < list->n; k++) {
        int number = label_add(l, list->items[k], strlen(list->items[k]));
        if (number < 0) return false;
        Label *label = &l->items[number];
        label->deleted |= mark.deleted;
        label->unmeasured |= mark.unmeasured;
        label->quote |= mark.quote;
    }
    return true;
}

bool evalb_labels_init(Labels *labels, const EvalbParams *params)
{
    *labels = (Labels){ 0 };
    map_init(&labels->names);
    for (size_t k = 0; k < sizeof labels->recent / sizeof *labels->recent; k++) labels->recent[k].number = -1;
    if (!add_list(labels, &params->eq_label, (Label){ 0 }) ||
        !pairs_init(&labels->equal, &params->eq_label, &labels->names))
        return false;
    if (!add_list(labels, &params->delete_label, (Label){ .deleted = true }) ||
        !add_list(labels, &params->delete_length, (Label){ .unmeasured = true }) ||
        !add_list(labels, &params->quote_label, (Label){ .quote = true }))
        return false;
    for (int k = 0, n = labels->names.n; k < n; k++)
        if (!label_finish(labels, k)) return false;
    labels->n_given = labels->names.n;
    return true;
}

void evalb_labels_fini(Labels *labels)
{
    map_fini(&labels->names);
    mem_free(labels->items);
    pairs_fini(&labels->equal);
}

bool evalb_labels_trim(Labels *labels, const EvalbParams *params)
{
    enum { MANY = 4096 };
    if (labels->names.n - labels->n_given < MANY + labels->n_given) return true;
    evalb_labels_fini(labels);
    return evalb_labels_init(labels, params);
}

int evalb_labels_number(Labels *labels, const char *text, size_t len, uint64_t key)
{
    LabelSlot *slot = &labels->recent[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LABEL_SLOTS_LOG2)];
    if (slot->key == key && slot->len == len && slot->number >= 0 &&
        (len <= sizeof key || memcmp(labels->names.keys[slot->number], text, len) == 0))
        return slot->number;
    int n = labels->names.n, number = label_add(labels, text, len);
    if (number < 0 || (number == n && !label_finish(labels, n))) return -1;
    *slot = (LabelSlot){ key, len, number };
    return number;
}

bool evalb_labels_equal(const Labels *labels, int a, int b) { return a == b || pairs_contain(&labels->equal, a, b); }

/* ---- words */

bool evalb_words_init(EqualWords *words, const EvalbParams *params)
{
    *words = (EqualWords){ 0 };
    map_init(&words->names);
    for (int k = 0; k < params->eq_word.n; k++)
        if (map_add(&words->names, params->eq_word.items[k], strlen(params->eq_word.items[k])) < 0) return false;
    return pairs_init(&words->equal, &params->eq_word, &words->names);
}

void evalb_words_fini(EqualWords *words)
{
    map_fini(&words->names);
    pairs_fini(&words->equal);
}

bool evalb_words_equal(const EqualWords *words, StrView a, StrView b)
{
    if (a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0) return true;
    int x = map_find(&words->names, a.ptr, a.len), y = x < 0 ? -1 : map_find(&words->names, b.ptr, b.len);
    return y >= 0 && pairs_contain(&words->equal, x, y);
}
