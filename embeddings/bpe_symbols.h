/* What bpe.c and bpe_learn.c share: units as chains of symbols, and a heap that says which symbols are joined next. */
#pragma once

#include "base/arena.h"
#include "base/text.h"

enum { NO_PAIR = -1 };

typedef struct Symbol {
    int begin, end;     /* bytes of its unit */
    int previous, next; /* symbols of the unit; -1: none */
    int pair; /* number of the pair of it and the next one; NO_PAIR at first and when it is no symbol any more */
} Symbol;

typedef struct Symbols {
    Symbol *p; /* [n] */
    int n, cap;
} Symbols;

/* Appends the characters of a unit. false: out of memory. */
bool symbols_add(Symbols *symbols, StrView unit);
/* Makes symbol k and the next one, which must exist, symbol k. */
void symbols_join(Symbols *symbols, int k);
/* The text of symbol k and the next one, which must exist. */
static inline StrView symbols_pair_text(const Symbols *symbols, StrView unit, int k)
{
    int begin = symbols->p[k].begin;
    return (StrView){ unit.ptr + begin, (size_t)(symbols->p[symbols->p[k].next].end - begin) };
}

typedef struct SymbolHeapItem {
    int64_t key;
    int value;
} SymbolHeapItem;

/* A binary heap: the largest key is first, of equal ones by `before`, or the smallest value if that is NULL. */
typedef struct SymbolHeap {
    SymbolHeapItem *p; /* [n] */
    int n, cap;
    bool (*before)(const void *context, int a, int b); /* Does value a come before value b? */
    const void *context;
} SymbolHeap;

/* false: out of memory. */
bool symbol_heap_push(SymbolHeap *heap, SymbolHeapItem item);
/* Removes and returns the first item; there must be one. */
SymbolHeapItem symbol_heap_pop(SymbolHeap *heap);
