/* A chain is an array in which joined symbols are skipped by links, and the heap is
 * binary; equal keys are ordered by their values, or by the caller. */
#include "embeddings/bpe_symbols.h"

bool symbols_add(Symbols *s, StrView unit)
{
    for (size_t at = 0, begin; at < unit.len;) {
        begin = at;
        utf8_next(unit.ptr, unit.len, &at);
        if (!mem_reserve(s->p, &s->cap, s->n + 1)) return false;
        s->p[s->n] = (Symbol){ (int)begin, (int)at, begin ? s->n - 1 : -1, at < unit.len ? s->n + 1 : -1, NO_PAIR };
        s->n++;
    }
    return true;
}

void symbols_join(Symbols *s, int k)
{
    Symbol *symbol = &s->p[k], *gone = &s->p[symbol->next];
    symbol->end = gone->end;
    symbol->next = gone->next;
    gone->pair = NO_PAIR;
    if (symbol->next >= 0) s->p[symbol->next].previous = k;
}

static bool before(const SymbolHeap *h, SymbolHeapItem a, SymbolHeapItem b)
{
    if (a.key != b.key) return a.key > b.key;
    return h->before ? h->before(h->context, a.value, b.value) : a.value < b.value;
}

bool symbol_heap_push(SymbolHeap *h, SymbolHeapItem item)
{
    if (!mem_reserve(h->p, &h->cap, h->n + 1)) return false;
    int k = h->n++;
    for (; k > 0 && before(h, item, h->p[(k - 1) / 2]); k = (k - 1) / 2) h->p[k] = h->p[(k - 1) / 2];
    h->p[k] = item;
    return true;
}

SymbolHeapItem symbol_heap_pop(SymbolHeap *h)
{
    SymbolHeapItem first = h->p[0], last = h->p[--h->n];
    int k = 0;
    for (int next; (next = 2 * k + 1) < h->n; k = next) {
        if (next + 1 < h->n && before(h, h->p[next + 1], h->p[next])) next++;
        if (!before(h, h->p[next], last)) break;
        h->p[k] = h->p[next];
    }
    h->p[k] = last;
    return first;
}
