/* Memory: checked heap allocation and arenas. Everything the libraries allocate goes through here, so that tests can
 * make the n-th allocation fail (mem_fail_after). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Heap. NULL when out of memory or if count * size overflows. mem_calloc zeroes. mem_free takes NULL. */
void *mem_alloc(size_t count, size_t size);
void *mem_calloc(size_t count, size_t size);
void *mem_realloc(void *p, size_t count, size_t size);
void mem_free(void *p);
/* mem_free_each(a, b, ...): mem_free for each of several pointers. */
#define mem_free_each(...) \
    mem_free_list((const void *const[]){ __VA_ARGS__ }, sizeof((const void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free_list(const void *const *list, size_t count);
/* 64-byte aligned, for numbers; not zeroed; freed with mem_free. Blocks of 4 MiB and more ask
 * the system for pages of 2 MiB, which it zeroes in half the time of small ones. */
void *mem_aligned(size_t count, size_t size);

/* Tests only: after n more allocations every further one fails; n < 0 switches that off. Not thread safe. */
void mem_fail_after(long n);

/* Makes room for at least `need` elements in the array `items`, a pointer to any type that the macro assigns; *cap, an
 * int, is updated. false, with both unchanged, when out of memory. The arguments are evaluated more than once. */
#define mem_reserve(items, cap, need) \
    (*(cap) >= (need) || ((items) = mem_resized((items), (cap), (need), sizeof *(items)), *(cap) >= (need)))
/* mem_reserve for elements of `size` bytes; returns the array, unchanged with *cap < need when out of memory. */
void *mem_resized(void *items, int *cap, int need, size_t size);

/* An arena allocates memory that is released all at once, or down to a mark. Allocations of at least 256 bytes are
 * aligned to 64 bytes, smaller ones to 16, strings to 1. Not thread safe: each arena belongs to one thread. */
typedef struct ArenaBlock ArenaBlock;
typedef struct Arena {
    ArenaBlock *first, *current;
    size_t block_size;            /* size of the next ordinary block, bytes */
    size_t in_use;                /* bytes allocated now, with padding */
    size_t peak;                  /* largest in_use since arena_init */
    void *(*alloc)(size_t bytes); /* where blocks come from, 64-byte aligned, and go to */
    void (*free)(void *block);
} Arena;

typedef struct ArenaMark {
    ArenaBlock *block;
    size_t used, in_use;
} ArenaMark;

void arena_init(Arena *arena, size_t block_size);
/* arena_init over memory that the host may not be able to touch: only arena_calloc and arena_strndup write to it. */
void arena_init_with(Arena *arena, size_t block_size, void *(*alloc)(size_t bytes), void (*free)(void *block));
void arena_fini(Arena *arena);
/* Replaces the blocks of an arena, of which nothing may be in use, by one block of at least `bytes`. false, without any
 * block, when out of memory. */
bool arena_reserve(Arena *arena, size_t bytes);
/* count * size bytes, not zeroed; NULL when out of memory or if the product overflows. Zero bytes are allowed. */
void *arena_alloc(Arena *arena, size_t count, size_t size);
void *arena_calloc(Arena *arena, size_t count, size_t size);
/* A copy of count bytes with a terminating NUL; NULL when out of memory. */
char *arena_strndup(Arena *arena, const char *text, size_t count);
ArenaMark arena_mark(const Arena *arena);
/* Everything allocated since the mark becomes invalid; blocks are kept for reuse. */
void arena_rewind(Arena *arena, ArenaMark mark);
void arena_reset(Arena *arena);
