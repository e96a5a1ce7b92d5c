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

Status piece_trie_init(PieceTrie *t, const TrieKey *keys, int n, int *twice, Error *e)
{
    *t = (PieceTrie){ 0 };
    t->key = mem_alloc((size_t)n + 1, sizeof *t->key);
    if (!t->key) return error_set(e, ERR_NOMEM, "out of memory for a vocabulary of pieces");
    if (n) memcpy(t->key, keys, (size_t)n * sizeof *keys);
    qsort(t->key, (size_t)n, sizeof *t->key, by_text);
    for (int k = 0; k < n; k++) {
        bool again = t->n && same(t->key[t->n - 1].text, t->key[k].text);
        if (again && twice) {
            *twice = t->key[k].value;
            return ERR_FORMAT;
        }
        t->key[again ? t->n - 1 : t->n++] = t->key[k]; /* equal ones are sorted by value */
    }
    int k = t->n && t->key[0].text.len == 0; /* the empty string begins with no byte */
    for (int c = 0; c < 256; c++) {
        t->first[c] = k;
        while (k < t->n && byte_of(t, k, 0) == c) k++;
    }
    t->first[256] = k;
    return OK;
}

void piece_trie_fini(PieceTrie *t)
{
    mem_free(t->key);
    *t = (PieceTrie){ 0 };
}

TrieState piece_trie_start(const PieceTrie *t) { return (TrieState){ 0, t->n, 0 }; }

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

bool piece_trie_step(const PieceTrie *t, TrieState *s, unsigned char byte)
{
    if (s->depth == 0) {
        s->begin = t->first[byte];
        s->end = t->first[byte + 1];
    } else {
        if (s->begin < s->end && t->key[s->begin].text.len == s->depth) s->begin++; /* ends here */
        s->begin = lower_bound(t, s->begin, s->end, s->depth, byte);
        s->end = lower_bound(t, s->begin, s->end, s->depth, byte + 1);
    }
    s->depth++;
    return s->begin < s->end;
}

int piece_trie_value(const PieceTrie *t, TrieState s)
{
    return s.begin < s.end && t->key[s.begin].text.len == s.depth ? t->key[s.begin].value : -1;
}

int piece_trie_find(const PieceTrie *t, StrView text)
{
    TrieState s = piece_trie_start(t);
    for (size_t i = 0; i < text.len; i++)
        if (!piece_trie_step(t, &s, (unsigned char)text.ptr[i])) return -1;
    return piece_trie_value(t, s);
}

int piece_trie_longest(const PieceTrie *t, TrieState s, StrView text, size_t *used)
{
    int found = -1;
    for (size_t i = 0; i < text.len && piece_trie_step(t, &s, (unsigned char)text.ptr[i]); i++) {
        int value = piece_trie_value(t, s);
        if (value < 0) continue;
        found = value;
        *used = i + 1;
    }
    return found;
}
