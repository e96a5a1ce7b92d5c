/* Values are numbered as they come first; a file of them has a value, a tab and its count on each
 * line. */
#include "treebank/vocab.h"

#include <string.h>

void vocab_init(Vocab *vocab)
{
    *vocab = (Vocab){ 0 };
    map_init(&vocab->map);
}

void vocab_fini(Vocab *vocab)
{
    map_fini(&vocab->map);
    mem_free(vocab->counts);
    *vocab = (Vocab){ 0 };
}

int vocab_count(Vocab *vocab, const char *value, size_t len, int times)
{
    int before = vocab->map.n, k = map_add(&vocab->map, value, len);
    if (k < 0 || !mem_reserve(vocab->counts, &vocab->cap, vocab->map.n)) return -1;
    if (k == before) vocab->counts[k] = 0;
    vocab->counts[k] = times < VOCAB_COUNT_MOST - vocab->counts[k] ? vocab->counts[k] + times : VOCAB_COUNT_MOST;
    return k;
}

int vocab_find(const Vocab *vocab, const char *value) { return map_find(&vocab->map, value, strlen(value)); }

bool vocab_copy(Vocab *vocab, const Vocab *from)
{
    for (int i = 0; i < vocab_size(from); i++)
        if (vocab_count(vocab, vocab_text(from, i), strlen(vocab_text(from, i)), from->counts[i]) < 0) return false;
    return true;
}

bool vocab_prune(Vocab *vocab, int reserved, int min_count)
{
    Vocab kept;
    vocab_init(&kept);
    for (int i = 0; i < vocab_size(vocab); i++) {
        if (i >= reserved && vocab->counts[i] < min_count) continue;
        if (vocab_count(&kept, vocab_text(vocab, i), strlen(vocab_text(vocab, i)), vocab->counts[i]) < 0) {
            vocab_fini(&kept);
            return false;
        }
    }
    vocab_fini(vocab);
    *vocab = kept;
    return true;
}

void vocab_write(const Vocab *vocab, StrBuf *out)
{
    for (int i = 0; i < vocab_size(vocab); i++) strbuf_printf(out, "%s\t%d\n", vocab_text(vocab, i), vocab->counts[i]);
}

Status vocab_read(Vocab *vocab, StrView text, const char *name, Error *error)
{
    size_t at = 0;
    while (at < text.len) {
        const char *p = text.ptr + at, *nl = memchr(p, '\n', text.len - at),
                   *tab = nl ? memchr(p, '\t', (size_t)(nl - p)) : NULL;
        int n = vocab_size(vocab);
        long count = 0;
        if (!tab || nl - tab < 2 || nl - tab > 10)
            return error_set(error, ERR_FORMAT, "vocabulary %s: bad line %d", name, n + 1);
        for (const char *q = tab + 1; q < nl; q++) {
            if (*q < '0' || *q > '9')
                return error_set(error, ERR_FORMAT, "vocabulary %s: bad count in line %d", name, n + 1);
            count = 10 * count + (*q - '0');
        }
        bool nul = memchr(p, 0, (size_t)(tab - p));
        int k = nul ? 0 : vocab_count(vocab, p, (size_t)(tab - p), (int)count);
        if (k < 0) return error_set(error, ERR_NOMEM, "out of memory for the vocabularies");
        if (nul || k < n)
            return error_set(error, ERR_FORMAT, "vocabulary %s: line %d repeats a value or holds a NUL byte", name,
                             n + 1);
        at += (size_t)(nl + 1 - p);
    }
    return OK;
}

bool vocab_numbers(const Vocab *vocab, const char *const *values, int n, Arena *arena, const int **out)
{
    int *k = arena_alloc(arena, (size_t)n, sizeof *k);
    for (int w = 0; k && w < n; w++) k[w] = vocab_find(vocab, values[w]);
    *out = k;
    return k != NULL;
}

SuggestionText vocab_suggest(const Vocab *vocab, int from, const char *text, size_t len)
{
    Suggestion near = suggest_for(text, len);
    for (int k = from; k < vocab_size(vocab); k++)
        suggest_name(&near, vocab_text(vocab, k), strlen(vocab_text(vocab, k)));
    return suggest_text(&near, "");
}
