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

Status brackets_pair(BracketPair *b, const Sentence *gold, const Sentence *pred, Error *e)
{
    *b = (BracketPair){ 0 };
    int *left = mem_alloc((size_t)gold->n_words + 1, sizeof *left);
    b->gold = mem_alloc((size_t)gold->n_phrases + 1, sizeof *b->gold);
    b->pred = mem_alloc((size_t)pred->n_phrases + 1, sizeof *b->pred);
    b->gold_matched = mem_calloc((size_t)gold->n_phrases + 1, sizeof *b->gold_matched);
    b->pred_matched = mem_calloc((size_t)pred->n_phrases + 1, sizeof *b->pred_matched);
    if (!left || !b->gold || !b->pred || !b->gold_matched || !b->pred_matched) {
        mem_free(left);
        return error_set(e, ERR_NOMEM, "out of memory scoring a sentence");
    }
    left[0] = 0;
    for (int w = 0; w < gold->n_words; w++) left[w + 1] = left[w] + !(gold->tags && is_deleted(gold->tags[w]));
    b->n_words = left[gold->n_words];
    b->n_gold = collect(gold, left, b->gold);
    b->n_pred = collect(pred, left, b->pred);
    mem_free(left);
    for (int i = 0, j = 0; i < b->n_gold && j < b->n_pred;) {
        int c = compare(&b->gold[i], &b->pred[j]);
        if (c == 0) {
            b->gold_matched[i] = b->pred_matched[j] = true;
            b->matched++;
        }
        i += c <= 0;
        j += c >= 0;
    }
    return OK;
}

void brackets_free(BracketPair *b)
{
    mem_free_each(b->gold, b->pred, b->gold_matched, b->pred_matched);
    *b = (BracketPair){ 0 };
}
