/* base/arena.h
 * Memory: checked heap allocation and arenas. Everything the libraries allocate goes through here, so that tests can
 * make the n-th allocation fail (mem_fail_after). */
#ifndef LAL_BASE_ARENA_H
#define LAL_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Heap. NULL when memory is out or count * size overflows. mem_calloc zeroes. mem_free takes NULL. */
void *mem_alloc(size_t count, size_t size);
void *mem_calloc(size_t count, size_t size);
void *mem_realloc(void *p, size_t count, size_t size);
void mem_free(void *p);
/* 64-byte aligned, for numbers; not zeroed; to be freed with mem_free. */
void *mem_aligned(size_t count, size_t size);

/* Tests only: after n more allocations every further one fails; n < 0 switches that off. Not thread safe. */
void mem_fail_after(long n);

/* Makes room for at least `need` elements in the array `items`, a pointer to any type that the macro assigns; *cap, an
 * int, is updated. false, with both unchanged, when memory is out. The arguments are evaluated more than once. */
#define mem_reserve(items, cap, need) ((items) = mem_resized((items), (cap), (need), sizeof *(items)), *(cap) >= (need))
/* The same for elements of `size` bytes; returns the array, unchanged with *cap < need when memory is out. */
void *mem_resized(void *items, int *cap, int need, size_t size);

/* An arena hands out memory that is given back all at once (or back to a mark). What is
 * at least 256 bytes long is 64-byte aligned, smaller things 16-byte, strings not at all.
 * Not thread safe: one arena, one thread. */
typedef struct ArenaBlock ArenaBlock;
typedef struct Arena {
    ArenaBlock *first, *current;
    size_t block_size; /* size of the next ordinary block, bytes */
    size_t in_use;     /* bytes handed out now */
    size_t peak;       /* largest in_use since arena_init */
} Arena;

typedef struct ArenaMark {
    ArenaBlock *block;
    size_t used, in_use;
} ArenaMark;

void arena_init(Arena *a, size_t block_size);
void arena_fini(Arena *a);
/* count * size bytes, not zeroed; NULL when memory is out or the product overflows. Never NULL for zero bytes. */
void *arena_alloc(Arena *a, size_t count, size_t size);
void *arena_calloc(Arena *a, size_t count, size_t size);
/* Copies n bytes and a terminating NUL. */
char *arena_strndup(Arena *a, const char *s, size_t n);
ArenaMark arena_mark(const Arena *a);
/* Everything allocated since the mark becomes invalid; blocks are kept for reuse. */
void arena_rewind(Arena *a, ArenaMark m);
void arena_reset(Arena *a);

#endif
