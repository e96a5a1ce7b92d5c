/* The counts of all pairs are kept, and only units that hold the joined pair are read again.
 * The text of a pair names it (bpe.h). New places of a pair appear only while its left or right symbol is made, so its
 * count can only fall afterwards: an item of the heap whose count is out of date is put back with the new one. */
#include <stdlib.h>

#include "embeddings/bpe.h"
#include "embeddings/bpe_symbols.h"
#include "embeddings/token_embedding.h"

enum { LEAST_COUNT = 2 };

typedef struct Pair {
    int64_t count; /* places of all units */
    int left;      /* bytes of its left symbol */
    int *units;    /* [n] where it was found; some may hold it no more */
    int n, cap;
} Pair;

typedef struct Learner {
    const Vocab *units;
    Symbols symbols; /* of all units */
    int *first;      /* the first symbol of each unit */
    StrMap texts;    /* of pairs */
    Pair *pairs;     /* [texts.n] */
    int cap;
    SymbolHeap heap; /* pairs by count */
} Learner;

static StrView unit_text(const Learner *x, int unit)
{
    const char *text = vocab_text(x->units, unit);
    return (StrView){ text, strlen(text) };
}

/* ---- characters */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The characters in order; NULL: out of memory. */
static const char **sorted_characters(const Vocab *characters)
{
    size_t n = (size_t)vocab_size(characters);
    const char **text = mem_alloc(n + 1, sizeof *text);
    for (size_t k = 0; text && k < n; k++) text[k] = vocab_text(characters, (int)k);
    if (text) qsort(text, n, sizeof *text, compare_texts);
    return text;
}

/* Adds the characters of all units. false: out of memory. */
static bool add_characters(const Learner *x, Vocab *pieces)
{
    Vocab found;
    bool ok = true;
    vocab_init(&found);
    for (int u = 0; u < vocab_size(x->units); u++) {
        StrView unit = unit_text(x, u);
        for (size_t at = 0, begin; at < unit.len && ok;) {
            begin = at;
            utf8_next(unit.ptr, unit.len, &at);
            ok = vocab_count(&found, unit.ptr + begin, at - begin, x->units->counts[u]) >= 0;
        }
    }
    const char **text = ok ? sorted_characters(&found) : NULL;
    for (int k = 0; text && k < vocab_size(&found) && ok; k++)
        ok = vocab_count(pieces, text[k], strlen(text[k]), found.counts[vocab_find(&found, text[k])]) >= 0;
    ok = ok && text;
    mem_free(text);
    vocab_fini(&found);
    return ok;
}

/* ---- pairs */

/* Does pair a come before pair b, by the left symbol, then by the right one? Code points have the order of bytes. */
static bool pair_before(const void *context, int a, int b)
{
    const Learner *x = context;
    const char *s = x->texts.keys[a], *t = x->texts.keys[b];
    int n = x->pairs[a].left, m = x->pairs[b].left, order = memcmp(s, t, (size_t)(n < m ? n : m));
    if (order || n != m) return order ? order < 0 : n < m;
    return strcmp(s + n, t + m) < 0;
}

/* The pair of symbol k and the next one, of a unit; a new one if need be. NO_PAIR: out of memory. */
static int pair_number(Learner *x, int unit, int k)
{
    StrView text = symbols_pair_text(&x->symbols, unit_text(x, unit), k);
    int n = x->texts.n;
    if (!mem_reserve(x->pairs, &x->cap, n + 1)) return NO_PAIR;
    int number = map_add(&x->texts, text.ptr, text.len);
    if (number == n) x->pairs[n] = (Pair){ .left = x->symbols.p[k].end - x->symbols.p[k].begin };
    return number;
}

/* Symbol k of a unit, -1: none, has got this next one. false: out of memory. */
static bool begin_pair(Learner *x, int unit, int k)
{
    if (k < 0) return true;
    Symbol *symbol = &x->symbols.p[k];
    symbol->pair = NO_PAIR;
    if (symbol->next < 0) return true;
    symbol->pair = pair_number(x, unit, k);
    if (symbol->pair == NO_PAIR) return false;
    Pair *pair = &x->pairs[symbol->pair];
    pair->count += x->units->counts[unit];
    if (pair->n && pair->units[pair->n - 1] == unit) return true;
    if (!mem_reserve(pair->units, &pair->cap, pair->n + 1)) return false;
    pair->units[pair->n++] = unit;
    return true;
}

static void end_pair(Learner *x, int unit, int k)
{
    if (k >= 0 && x->symbols.p[k].pair != NO_PAIR) x->pairs[x->symbols.p[k].pair].count -= x->units->counts[unit];
}

/* Joins the pair of symbol k and the next one, of a unit. */
static bool join_pair(Learner *x, int unit, int k)
{
    int previous = x->symbols.p[k].previous;
    end_pair(x, unit, previous);
    end_pair(x, unit, k);
    end_pair(x, unit, x->symbols.p[k].next);
    symbols_join(&x->symbols, k);
    return begin_pair(x, unit, previous) && begin_pair(x, unit, k);
}

/* Puts pairs from number `from` on into the heap. */
static bool push_pairs(Learner *x, int from)
{
    for (int k = from; k < x->texts.n; k++)
        if (x->pairs[k].count >= LEAST_COUNT && !symbol_heap_push(&x->heap, (SymbolHeapItem){ x->pairs[k].count, k }))
            return false;
    return true;
}

/* Joins a pair wherever it stands. */
static bool join_all(Learner *x, int pair)
{
    int n_before = x->texts.n;
    for (int i = 0; i < x->pairs[pair].n; i++) {
        int unit = x->pairs[pair].units[i];
        for (int k = x->first[unit]; k >= 0; k = x->symbols.p[k].next)
            if (x->symbols.p[k].pair == pair && !join_pair(x, unit, k)) return false;
    }
    return push_pairs(x, n_before);
}

/* ---- learning */

static bool learner_init(Learner *x, const Vocab *units)
{
    *x = (Learner){ .units = units, .heap = { .before = pair_before, .context = x } };
    map_init(&x->texts);
    x->first = mem_alloc((size_t)vocab_size(units) + 1, sizeof *x->first);
    if (!x->first) return false;
    for (int u = 0; u < vocab_size(units); u++) {
        x->first[u] = x->symbols.n;
        if (!symbols_add(&x->symbols, unit_text(x, u))) return false;
        for (int k = x->first[u]; k < x->symbols.n; k++)
            if (!begin_pair(x, u, k)) return false;
    }
    return push_pairs(x, 0);
}

static void learner_fini(Learner *x)
{
    for (int k = 0; k < x->texts.n; k++) mem_free(x->pairs[k].units);
    mem_free(x->pairs);
    map_fini(&x->texts);
    mem_free_each(x->first, x->symbols.p, x->heap.p);
}

/* The most frequent pair, or NO_PAIR. */
static int best_pair(Learner *x)
{
    while (x->heap.n) {
        SymbolHeapItem item = symbol_heap_pop(&x->heap);
        int64_t count = x->pairs[item.value].count;
        if (count == item.key) return item.value;
        item.key = count;
        if (count >= LEAST_COUNT) symbol_heap_push(&x->heap, item); /* there is room where it was */
    }
    return NO_PAIR;
}

Status bpe_learn(const Vocab *units, int most, Vocab *pieces, Error *error)
{
    Learner x;
    bool ok = learner_init(&x, units) && add_characters(&x, pieces);
    for (int pair; ok && vocab_size(pieces) < most && (pair = best_pair(&x)) != NO_PAIR;) {
        const char *text = x.texts.keys[pair];
        int64_t count = x.pairs[pair].count;
        ok = vocab_count(pieces, text, strlen(text), count < VOCAB_COUNT_MOST ? (int)count : VOCAB_COUNT_MOST) >= 0 &&
             join_all(&x, pair);
    }
    learner_fini(&x);
    if (!ok) return error_set(error, ERR_NOMEM, "out of memory for learning subwords");
    if (vocab_size(pieces) <= PIECES_MOST) return OK;
    return error_set(error, ERR_LIMIT, "found %d different characters, expected at most %d pieces", vocab_size(pieces),
                     PIECES_MOST);
}
