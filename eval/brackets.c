/* Words that do not count are left out by renumbering fenceposts; then both lists are sorted, and
 * merging them finds the pairs. */
#include "eval/brackets.h"

#include <stdlib.h>
#include <string.h>

static bool is_deleted(const char *tag)
{
    static const char *const list[] = { "``", "''", ":", ",", ".", "?", "!", "-NONE-" };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (strcmp(tag, list[k]) == 0) return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    const Phrase *x = a, *y = b;
    if (x->begin != y->begin) return x->begin - y->begin;
    if (x->end != y->end) return x->end - y->end;
    return strcmp(x->label, y->label);
}

/* left[w]: number of remaining words before fencepost w. */
static int collect(const Sentence *sent, const int *left, Phrase *out)
{
    int n = 0;
    for (int p = 0; p < sent->n_phrases; p++) {
        Phrase b = { left[sent->phrases[p].begin], left[sent->phrases[p].end], sent->phrases[p].label };
        if (b.begin == b.end || strcmp(b.label, "TOP") == 0 || strcmp(b.label, "S1") == 0) continue;
        if (strcmp(b.label, "PRT") == 0) b.label = "ADVP";
        out[n++] = b;
    }
    if (n) qsort(out, (size_t)n, sizeof *out, compare);
    return n;
}

Status brackets_pair(BracketPair *pair, const Sentence *gold, const Sentence *pred, Error *error)
{
    *pair = (BracketPair){ 0 };
    int *left = mem_alloc((size_t)gold->n_words + 1, sizeof *left);
    pair->gold = mem_alloc((size_t)gold->n_phrases + 1, sizeof *pair->gold);
    pair->pred = mem_alloc((size_t)pred->n_phrases + 1, sizeof *pair->pred);
    pair->gold_matched = mem_calloc((size_t)gold->n_phrases + 1, sizeof *pair->gold_matched);
    pair->pred_matched = mem_calloc((size_t)pred->n_phrases + 1, sizeof *pair->pred_matched);
    if (!left || !pair->gold || !pair->pred || !pair->gold_matched || !pair->pred_matched) {
        mem_free(left);
        return error_set(error, ERR_NOMEM, "out of memory scoring a sentence");
    }
    left[0] = 0;
    for (int w = 0; w < gold->n_words; w++) left[w + 1] = left[w] + !(gold->tags && is_deleted(gold->tags[w]));
    pair->n_words = left[gold->n_words];
    pair->n_gold = collect(gold, left, pair->gold);
    pair->n_pred = collect(pred, left, pair->pred);
    mem_free(left);
    for (int i = 0, j = 0; i < pair->n_gold && j < pair->n_pred;) {
        int c = compare(&pair->gold[i], &pair->pred[j]);
        if (c == 0) {
            pair->gold_matched[i] = pair->pred_matched[j] = true;
            pair->matched++;
        }
        i += c <= 0;
        j += c >= 0;
    }
    return OK;
}

void brackets_free(BracketPair *pair)
{
    mem_free_each(pair->gold, pair->pred, pair->gold_matched, pair->pred_matched);
    *pair = (BracketPair){ 0 };
}
