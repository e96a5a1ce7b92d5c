/* Keys are sorted once, with a table of where each first byte begins, as most searches end
 * there. */
#include "embeddings/piece_trie.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static int by_text(const void *a, const void *b)
{
    const TrieKey *x = a, *y = b;
    size_t n = x->text.len < y->text.len ? x->text.len : y->text.len;
    int order = n ? memcmp(x->text.ptr, y->text.ptr, n) : 0;
    if (order) return order;
    if (x->text.len != y->text.len) return x->text.len < y->text.len ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static unsigned char byte_of(const PieceTrie *t, int k, size_t depth)
{
    return (unsigned char)t->key[k].text.ptr[depth];
}

static bool same(StrView a, StrView b) { return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0); }

Status piece_trie_init(PieceTrie *trie, const TrieKey *keys, int n, int *twice, Error *error)
{
    *trie = (PieceTrie){ 0 };
    trie->key = mem_alloc((size_t)n + 1, sizeof *trie->key);
    if (!trie->key) return error_set(error, ERR_NOMEM, "out of memory for a vocabulary of pieces");
    if (n) memcpy(trie->key, keys, (size_t)n * sizeof *keys);
    qsort(trie->key, (size_t)n, sizeof *trie->key, by_text);
    for (int k = 0; k < n; k++) {
        bool again = trie->n && same(trie->key[trie->n - 1].text, trie->key[k].text);
        if (again && twice) {
            *twice = trie->key[k].value;
            return ERR_FORMAT;
        }
        trie->key[again ? trie->n - 1 : trie->n++] = trie->key[k]; /* equal ones are sorted by value */
    }
    int k = trie->n && trie->key[0].text.len == 0; /* the empty string begins with no byte */
    for (int c = 0; c < 256; c++) {
        trie->first[c] = k;
        while (k < trie->n && byte_of(trie, k, 0) == c) k++;
    }
    trie->first[256] = k;
    return OK;
}

void piece_trie_fini(PieceTrie *trie)
{
    mem_free(trie->key);
    *trie = (PieceTrie){ 0 };
}

TrieState piece_trie_start(const PieceTrie *trie) { return (TrieState){ 0, trie->n, 0 }; }

/* The first key of [begin .. end), which agree in `depth` bytes and are longer, whose next byte is at least c. */
static int lower_bound(const PieceTrie *t, int begin, int end, size_t depth, int c)
{
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (byte_of(t, middle, depth) < c) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

bool piece_trie_step(const PieceTrie *trie, TrieState *state, unsigned char byte)
{
    if (state->depth == 0) {
        state->begin = trie->first[byte];
        state->end = trie->first[byte + 1];
    } else {
        if (state->begin < state->end && trie->key[state->begin].text.len == state->depth)
            state->begin++; /* ends here */
        state->begin = lower_bound(trie, state->begin, state->end, state->depth, byte);
        state->end = lower_bound(trie, state->begin, state->end, state->depth, byte + 1);
    }
    state->depth++;
    return state->begin < state->end;
}

int piece_trie_value(const PieceTrie *trie, TrieState state)
{
    return state.begin < state.end && trie->key[state.begin].text.len == state.depth ? trie->key[state.begin].value
                                                                                     : -1;
}

int piece_trie_find(const PieceTrie *trie, StrView text)
{
    TrieState s = piece_trie_start(trie);
    for (size_t i = 0; i < text.len; i++)
        if (!piece_trie_step(trie, &s, (unsigned char)text.ptr[i])) return -1;
    return piece_trie_value(trie, s);
}

int piece_trie_longest(const PieceTrie *trie, TrieState state, StrView text, size_t *used)
{
    int found = -1;
    for (size_t i = 0; i < text.len && piece_trie_step(trie, &state, (unsigned char)text.ptr[i]); i++) {
        int value = piece_trie_value(trie, state);
        if (value < 0) continue;
        found = value;
        *used = i + 1;
    }
    return found;
}
