/* Values are numbered as they come first; a file of them has a value, a tab and its count on each
 * line. */
#include "treebank/vocab.h"

#include <string.h>

void vocab_init(Vocab *v)
{
    *v = (Vocab){ 0 };
    map_init(&v->map);
}

void vocab_fini(Vocab *v)
{
    map_fini(&v->map);
    mem_free(v->counts);
    *v = (Vocab){ 0 };
}

int vocab_count(Vocab *v, const char *value, size_t len, int times)
{
    int before = v->map.n, k = map_add(&v->map, value, len);
    if (k < 0 || !mem_reserve(v->counts, &v->cap, v->map.n)) return -1;
    if (k == before) v->counts[k] = 0;
    v->counts[k] = times < VOCAB_COUNT_MOST - v->counts[k] ? v->counts[k] + times : VOCAB_COUNT_MOST;
    return k;
}

int vocab_find(const Vocab *v, const char *value) { return map_find(&v->map, value, strlen(value)); }

bool vocab_copy(Vocab *v, const Vocab *from)
{
    for (int i = 0; i < vocab_size(from); i++)
        if (vocab_count(v, vocab_text(from, i), strlen(vocab_text(from, i)), from->counts[i]) < 0) return false;
    return true;
}

bool vocab_prune(Vocab *v, int reserved, int min_count)
{
    Vocab kept;
    vocab_init(&kept);
    for (int i = 0; i < vocab_size(v); i++) {
        if (i >= reserved && v->counts[i] < min_count) continue;
        if (vocab_count(&kept, vocab_text(v, i), strlen(vocab_text(v, i)), v->counts[i]) < 0) {
            vocab_fini(&kept);
            return false;
        }
    }
    vocab_fini(v);
    *v = kept;
    return true;
}

void vocab_write(const Vocab *v, StrBuf *out)
{
    for (int i = 0; i < vocab_size(v); i++) strbuf_printf(out, "%s\t%d\n", vocab_text(v, i), v->counts[i]);
}

Status vocab_read(Vocab *v, StrView text, const char *name, Error *e)
{
    size_t at = 0;
    while (at < text.len) {
        const char *p = text.ptr + at, *nl = memchr(p, '\n', text.len - at),
                   *tab = nl ? memchr(p, '\t', (size_t)(nl - p)) : NULL;
        int n = vocab_size(v);
        long count = 0;
        if (!tab || nl - tab < 2 || nl - tab > 10)
            return error_set(e, ERR_FORMAT, "vocabulary %s: bad line %d", name, n + 1);
        for (const char *q = tab + 1; q < nl; q++) {
            if (*q < '0' || *q > '9')
                return error_set(e, ERR_FORMAT, "vocabulary %s: bad count in line %d", name, n + 1);
            count = 10 * count + (*q - '0');
        }
        bool nul = memchr(p, 0, (size_t)(tab - p));
        int k = nul ? 0 : vocab_count(v, p, (size_t)(tab - p), (int)count);
        if (k < 0) return error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
        if (nul || k < n)
            return error_set(e, ERR_FORMAT, "vocabulary %s: line %d repeats a value or holds a NUL byte", name, n + 1);
        at += (size_t)(nl + 1 - p);
    }
    return OK;
}

bool vocab_numbers(const Vocab *v, const char *const *values, int n, Arena *a, const int **out)
{
    int *k = arena_alloc(a, (size_t)n, sizeof *k);
    for (int w = 0; k && w < n; w++) k[w] = vocab_find(v, values[w]);
    *out = k;
    return k != NULL;
}

SuggestionText vocab_suggest(const Vocab *v, int from, const char *text, size_t len)
{
    Suggestion near = suggest_for(text, len);
    for (int k = from; k < vocab_size(v); k++) suggest_name(&near, vocab_text(v, k), strlen(vocab_text(v, k)));
    return suggest_text(&near, "");
}
