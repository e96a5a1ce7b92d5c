/* Entries are sorted by word and part of speech, so that a key is found by binary
 * search, as spelt and then in lower case. */
#include "parser/model/seen_lemmas.h"

#include <stdlib.h>
#include <string.h>

/* The length of "word UPOS " in an entry; 0: the entry has another form. */
static size_t key_len(const char *entry)
{
    const char *upos = strchr(entry, ' '), *lemma = upos ? strchr(upos + 1, ' ') : NULL;
    bool good = lemma && upos > entry && lemma > upos + 1 && lemma[1] && !strchr(lemma + 1, ' ');
    return good ? (size_t)(lemma + 1 - entry) : 0;
}

bool seen_lemmas_count(Vocab *vocab, const char *word, const char *upos, const char *lemma)
{
    StrBuf entry = { 0 };
    strbuf_printf(&entry, "%s %s %s", word, upos, lemma);
    bool good = !entry.failed && (!key_len(entry.ptr) || vocab_count(vocab, entry.ptr, entry.len, 1) >= 0);
    strbuf_fini(&entry);
    return good;
}

/* ---- order */

typedef struct Counted {
    const char *entry;
    int count;
} Counted;

/* Neither of two keys begins with the other, for each has two blanks and ends with one. */
static int by_key(const char *a, const char *b)
{
    size_t n = key_len(a), m = key_len(b);
    return memcmp(a, b, n < m ? n : m);
}

static int by_key_and_count(const void *a, const void *b)
{
    const Counted *x = a, *y = b;
    int order = by_key(x->entry, y->entry);
    if (order) return order;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : strcmp(x->entry, y->entry);
}

/* Is the lemma the word? */
static bool is_word(const char *entry)
{
    const char *lemma = entry + key_len(entry);
    size_t len = strlen(lemma);
    return strncmp(entry, lemma, len) == 0 && entry[len] == ' ';
}

bool seen_lemmas_sort(Vocab *vocab)
{
    int n = 0;
    while (n < vocab_size(vocab) && is_word(vocab_text(vocab, n))) n++;
    n = n < vocab_size(vocab) ? vocab_size(vocab) : 0;
    Counted *list = mem_alloc((size_t)n, sizeof *list);
    Vocab sorted;
    vocab_init(&sorted);
    bool good = list != NULL;
    for (int k = 0; k < n && good; k++) list[k] = (Counted){ vocab_text(vocab, k), vocab->counts[k] };
    if (good && n) qsort(list, (size_t)n, sizeof *list, by_key_and_count);
    for (int k = 0; k < n && good; k++)
        good = vocab_count(&sorted, list[k].entry, strlen(list[k].entry), list[k].count) >= 0;
    mem_free(list);
    if (good) vocab_fini(vocab), *vocab = sorted;
    else vocab_fini(&sorted);
    return good;
}

Status seen_lemmas_check(const Vocab *vocab, Error *error)
{
    for (int k = 0; k < vocab_size(vocab); k++) {
        if (!key_len(vocab_text(vocab, k)))
            return error_set(error, ERR_FORMAT,
                             "lemmas of words: found \"%.*s\", expected a word, its part of speech and "
                             "its lemma",
                             utf8_first(vocab_text(vocab, k), 60), vocab_text(vocab, k));
        if (k && by_key(vocab_text(vocab, k - 1), vocab_text(vocab, k)) > 0)
            return error_set(error, ERR_FORMAT, "lemmas of words: found \"%.*s\" too late, expected them in order",
                             utf8_first(vocab_text(vocab, k), 60), vocab_text(vocab, k));
    }
    return OK;
}

/* ---- looking up */

/* The first entry that has the key [0 .. len), or NULL. */
static const char *find(const Vocab *v, const char *key, size_t len, int *number)
{
    int from = 0, to = vocab_size(v);
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (strncmp(vocab_text(v, middle), key, len) < 0) from = middle + 1;
        else to = middle;
    }
    *number = from;
    return from < vocab_size(v) && strncmp(vocab_text(v, from), key, len) == 0 ? vocab_text(v, from) : NULL;
}

const char *seen_lemmas_choose(const Vocab *vocab, const char *word, const char *upos, const char *lemma)
{
    StrBuf key = { 0 };
    const char *first = NULL, *chosen = lemma;
    int k = 0;
    for (int lower = 0; lower < 2 && !first && vocab_size(vocab); lower++) {
        strbuf_clear(&key);
        if (lower) text_lower(&key, word, strlen(word));
        else strbuf_puts(&key, word);
        strbuf_printf(&key, " %s ", upos);
        if (key.failed) break;
        first = find(vocab, key.ptr, key.len, &k);
    }
    if (first) chosen = first + key.len;
    for (; first && k < vocab_size(vocab) && strncmp(vocab_text(vocab, k), key.ptr, key.len) == 0; k++)
        if (strcmp(vocab_text(vocab, k) + key.len, lemma) == 0) chosen = lemma;
    bool failed = key.failed;
    strbuf_fini(&key);
    return failed ? NULL : chosen;
}
