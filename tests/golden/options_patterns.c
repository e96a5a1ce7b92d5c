/* Toy.json, a worked example, and patterns.json: the sets of keys of the patterns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/options.h"

/* Expected rows: one list of keys for all, or a list for each token. */
static bool same_rows(const uint8_t *allowed, int m, const cJSON *rows, const cJSON *keys)
{
    if (!rows == !keys || (rows && recorded_length(rows) != m)) return false;
    recorded_mark(rows ? rows : keys);
    FREED(free_pointer) uint8_t *expected = recorded_room((size_t)m + 1, 1);
    bool same = true;
    for (int i = 0; i < m && same; i++) {
        const cJSON *row = keys ? keys : cJSON_GetArrayItem(rows, i), *key;
        memset(expected, 0, (size_t)m);
        cJSON_ArrayForEach(key, row)
        {
            int k = key->valueint;
            same = same && k >= 0 && k < m;
            if (same) expected[k] = 1;
        }
        same = same && memcmp(expected, allowed + (ptrdiff_t)i * m, (size_t)m) == 0;
    }
    return same;
}

/* Allows all keys in rows that allow none, as a mask does. Returns the share of allowed pairs. */
static double allow_empty_rows(uint8_t *allowed, int m)
{
    long pairs = 0;
    for (int i = 0; i < m; i++) {
        uint8_t *row = allowed + (ptrdiff_t)i * m;
        if (!memchr(row, 1, (size_t)m)) memset(row, 1, (size_t)m);
        for (int j = 0; j < m; j++) pairs += row[j];
    }
    return (double)pairs / m / m;
}

void options_patterns(const cJSON *patterns, const Sentences *all)
{
    const cJSON *first = recorded_item(cJSON_GetArrayItem(patterns, 0), "patterns"), *p;
    if (recorded_length(patterns) != all->n)
        recorded_stop("patterns.json: found %d sentences, expected %d", recorded_length(patterns), all->n);
    for (int k = 0; k < all->n; k++) {
        const cJSON *x = cJSON_GetArrayItem(patterns, k);
        if (strcmp(recorded_text(x, "id"), all->id[k]) != 0 || (int)recorded_number(x, "tokens") != all->s[k].n + 2)
            recorded_stop("patterns.json: sentence %d is not that of sentences.json", k);
    }
    cJSON_ArrayForEach(p, first)
    {
        int wrong = 0;
        for (int k = 0; k < all->n; k++) {
            const cJSON *x = recorded_item(recorded_item(cJSON_GetArrayItem(patterns, k), "patterns"), p->string);
            FREED(free_pointer) uint8_t *allowed = options_allowed(p->string, &all->s[k]);
            int m = all->s[k].n + 2;
            bool same = same_rows(allowed, m, cJSON_GetObjectItem(x, "rows"), cJSON_GetObjectItem(x, "keys"));
            wrong += !same || fabs(allow_empty_rows(allowed, m) - recorded_number(x, "density")) > 1e-9;
        }
        recorded_verdict(!wrong, "pattern %s in %d sentences", p->string, all->n);
    }
}

void options_label_spans(const cJSON *sentences, const Sentences *all)
{
    int wrong = 0, sets = 0;
    for (int i = 0; i < all->n; i++) {
        const cJSON *list = recorded_item(cJSON_GetArrayItem(recorded_item(sentences, "sentences"), i), "label_span"),
                    *label;
        cJSON_ArrayForEach(label, list)
        {
            char name[100];
            snprintf(name, sizeof name, "label_span/label=%s", label->string);
            FREED(free_pointer) uint8_t *allowed = options_allowed(name, &all->s[i]);
            wrong += !same_rows(allowed, all->s[i].n + 2, NULL, label);
            sets++;
        }
    }
    recorded_verdict(!wrong, "pattern label_span, %d sets of %d sentences", sets, all->n);
}

/* A mask [m, m] of 0 and 1, and a target of guidance, whose rows are the mask's divided by their sums. */
static bool same_mask(const uint8_t *mask, int m, const cJSON *expected, bool target)
{
    FREED(free_pointer) double *v = recorded_exactly(expected, m * m);
    bool same = true;
    for (int i = 0; i < m; i++) {
        int sum = 0;
        for (int j = 0; j < m; j++) sum += mask[i * m + j];
        for (int j = 0; j < m; j++) {
            double want = target ? (double)mask[i * m + j] / sum : mask[i * m + j];
            same &= fabs(v[i * m + j] - want) < 1e-9;
        }
    }
    return same;
}

void options_example(const cJSON *toy)
{
    const cJSON *p;
    PatternSentence s = options_sentence(recorded_item(toy, "sentence"));
    int wrong = 0, m = s.n + 2;
    cJSON_ArrayForEach(p, recorded_item(toy, "rows"))
    {
        const cJSON *target = cJSON_GetObjectItemCaseSensitive(recorded_item(toy, "target"), p->string);
        FREED(free_pointer) uint8_t *allowed = options_allowed(p->string, &s);
        wrong += !same_rows(allowed, m, p, NULL);
        allow_empty_rows(allowed, m);
        wrong += !same_mask(allowed, m, recorded_item(recorded_item(toy, "mask"), p->string), false);
        wrong += target && !same_mask(allowed, m, target, true);
    }
    options_sentence_fini(&s);
    recorded_verdict(!wrong, "patterns of the worked example");
}

/* Rows of keys of j as allowed [m * m], on the heap. */
static uint8_t *allowed_of(const cJSON *rows)
{
    int m = recorded_length(rows), n;
    uint8_t *allowed = recorded_room((size_t)(m * m) + 1, 1);
    for (int i = 0; i < m; i++) {
        FREED(free_pointer) double *keys = recorded_numbers(cJSON_GetArrayItem(rows, i), &n);
        for (int k = 0; k < n; k++) allowed[i * m + (int)keys[k]] = 1;
    }
    return allowed;
}

void options_subwords(const cJSON *j)
{
    const cJSON *words = recorded_item(j, "word_rows"), *p;
    int pieces = recorded_length(recorded_item(j, "pieces"));
    FREED(free_pointer) double *of = recorded_exactly(recorded_item(j, "word_of_piece"), pieces);
    FREED(free_pointer) int *word_of = recorded_room((size_t)(pieces + 1), sizeof *word_of);
    FREED(free_pointer) uint8_t *expanded = recorded_room((size_t)(pieces * pieces) + 1, 1);
    for (int k = 0; k < pieces; k++) word_of[k] = (int)of[k];
    recorded_leave_out(j, "pieces"); /* what they are does not matter */
    cJSON_ArrayForEach(p, words)
    {
        FREED(free_pointer) uint8_t *allowed = allowed_of(p);
        pattern_expand(allowed, recorded_length(p), word_of, pieces, true, expanded);
        recorded_verdict(same_rows(expanded, pieces, recorded_item(recorded_item(j, "piece_rows"), p->string), NULL),
                         "pieces of words under %s", p->string);
    }
}
