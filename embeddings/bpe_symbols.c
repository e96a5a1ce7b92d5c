/* A chain is an array in which joined symbols are skipped by links, and the heap is
 * binary; equal keys are ordered by their values, or by the caller. */
#include "embeddings/bpe_symbols.h"

bool symbols_add(Symbols *symbols, StrView unit)
{
    for (size_t at = 0, begin; at < unit.len;) {
        begin = at;
        utf8_next(unit.ptr, unit.len, &at);
        if (!mem_reserve(symbols->p, &symbols->cap, symbols->n + 1)) return false;
        symbols->p[symbols->n] =
            (Symbol){ (int)begin, (int)at, begin ? symbols->n - 1 : -1, at < unit.len ? symbols->n + 1 : -1, NO_PAIR };
        symbols->n++;
    }
    return true;
}

void symbols_join(Symbols *symbols, int k)
{
    Symbol *symbol = &symbols->p[k], *gone = &symbols->p[symbol->next];
    symbol->end = gone->end;
    symbol->next = gone->next;
    gone->pair = NO_PAIR;
    if (symbol->next >= 0) symbols->p[symbol->next].previous = k;
}

static bool before(const SymbolHeap *h, SymbolHeapItem a, SymbolHeapItem b)
{
    if (a.key != b.key) return a.key > b.key;
    return h->before ? h->before(h->context, a.value, b.value) : a.value < b.value;
}

bool symbol_heap_push(SymbolHeap *heap, SymbolHeapItem item)
{
    if (!mem_reserve(heap->p, &heap->cap, heap->n + 1)) return false;
    int k = heap->n++;
    for (; k > 0 && before(heap, item, heap->p[(k - 1) / 2]); k = (k - 1) / 2) heap->p[k] = heap->p[(k - 1) / 2];
    heap->p[k] = item;
    return true;
}

SymbolHeapItem symbol_heap_pop(SymbolHeap *heap)
{
    SymbolHeapItem first = heap->p[0], last = heap->p[--heap->n];
    int k = 0;
    for (int next; (next = 2 * k + 1) < heap->n; k = next) {
        if (next + 1 < heap->n && before(heap, heap->p[next + 1], heap->p[next])) next++;
        if (!before(heap, heap->p[next], last)) break;
        heap->p[k] = heap->p[next];
    }
    heap->p[k] = last;
    return first;
}
