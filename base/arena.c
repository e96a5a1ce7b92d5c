/* A list of blocks; allocation bumps a pointer, rewinding moves it back. */
#define _DEFAULT_SOURCE
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 64, SMALL = 256, SMALL_ALIGN = 16, HUGE_PAGE = 2 << 20, LARGE = 2 * HUGE_PAGE };

struct ArenaBlock {
    ArenaBlock *next;
    size_t size, used; /* of data */
    unsigned char *data;
};

/* For tests, see mem_fail_after. */
static long fail_after = -1;

void mem_fail_after(long n) { fail_after = n; }

static bool allowed(size_t count, size_t size, size_t *bytes)
{
    if (size && count > SIZE_MAX / 2 / size) return false;
    *bytes = count && size ? count * size : 1;
    if (fail_after < 0) return true;
    if (fail_after == 0) return false;
    fail_after--;
    return true;
}

void *mem_alloc(size_t count, size_t size)
{
    size_t bytes;
    return allowed(count, size, &bytes) ? malloc(bytes) : NULL;
}

void *mem_calloc(size_t count, size_t size)
{
    size_t bytes;
    return allowed(count, size, &bytes) ? calloc(bytes, 1) : NULL;
}

void *mem_realloc(void *p, size_t count, size_t size)
{
    size_t bytes;
    return allowed(count, size, &bytes) ? realloc(p, bytes) : NULL;
}

void *mem_aligned(size_t count, size_t size)
{
    size_t bytes;
    if (!allowed(count, size, &bytes)) return NULL;
    if (bytes < LARGE) return aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN);
    if (bytes > SIZE_MAX - HUGE_PAGE) return NULL;
    bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *p = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
    if (p) madvise(p, bytes, MADV_HUGEPAGE); /* advice: a system that has none does without */
#endif
    return p;
}

void mem_free(void *p) { free(p); }

void mem_free_list(const void *const *list, size_t count)
{
    for (size_t k = 0; k < count; k++) mem_free((void *)(uintptr_t)list[k]);
}

void *mem_resized(void *items, int *cap, int need, size_t size)
{
    if (need <= *cap) return items;
    int want = *cap < 8 ? 8 : *cap;
    while (want < need) {
        if (want > INT32_MAX / 2) return items;
        want *= 2;
    }
    void *p = mem_realloc(items, (size_t)want, size);
    if (!p) return items;
    *cap = want;
    return p;
}

void arena_init_with(Arena *arena, size_t block_size, void *(*alloc)(size_t bytes), void (*release)(void *block))
{
    *arena = (Arena){ .block_size = block_size < 4096 ? 4096 : block_size, .alloc = alloc, .free = release };
}

static void *host_block(size_t bytes) { return mem_aligned(bytes, 1); }

void arena_init(Arena *arena, size_t block_size) { arena_init_with(arena, block_size, host_block, mem_free); }

void arena_fini(Arena *arena)
{
    for (ArenaBlock *b = arena->first, *next; b; b = next) {
        next = b->next;
        arena->free(b->data);
        mem_free(b);
    }
    arena_init_with(arena, arena->block_size, arena->alloc, arena->free);
}

static ArenaBlock *new_block(const Arena *a, size_t size)
{
    ArenaBlock *b = mem_alloc(1, sizeof *b);
    if (!b) return NULL;
    *b = (ArenaBlock){ .size = size, .data = a->alloc(size) };
    if (!b->data) {
        mem_free(b);
        return NULL;
    }
    return b;
}

bool arena_reserve(Arena *arena, size_t bytes)
{
    if (arena->first && arena->first->size >= bytes) return true;
    arena_fini(arena);
    arena->first = arena->current = new_block(arena, bytes);
    return arena->first != NULL;
}

/* align: a power of two. */
static void *take(Arena *a, size_t bytes, size_t align)
{
    ArenaBlock *b = a->current;
    size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
    while (b && at + bytes > b->size && b->next) { /* blocks after the current one are empty; use the first that fits */
        b = b->next;
        b->used = at = 0;
    }
    if (!b || at + bytes > b->size) {
        ArenaBlock *fresh = new_block(a, bytes > a->block_size ? bytes : a->block_size);
        if (!fresh) return NULL;
        if (b) {
            fresh->next = b->next;
            b->next = fresh;
        } else a->first = fresh;
        b = fresh;
        at = 0;
        if (a->block_size < ((size_t)64 << 20)) a->block_size *= 2;
    }
    a->current = b;
    a->in_use += at + bytes - b->used;
    b->used = at + bytes;
    if (a->in_use > a->peak) a->peak = a->in_use;
    return b->data + at;
}

void *arena_alloc(Arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size) return NULL;
    size_t bytes = count && size ? count * size : 1;
    return take(arena, bytes, bytes < SMALL ? SMALL_ALIGN : ALIGN);
}

void *arena_calloc(Arena *arena, size_t count, size_t size)
{
    void *p = arena_alloc(arena, count, size);
    if (p) memset(p, 0, count * size);
    return p;
}

char *arena_strndup(Arena *arena, const char *text, size_t count)
{
    char *p = take(arena, count + 1, 1);
    if (!p) return NULL;
    memcpy(p, text, count);
    p[count] = 0;
    return p;
}

ArenaMark arena_mark(const Arena *arena)
{
    return (ArenaMark){ arena->current, arena->current ? arena->current->used : 0, arena->in_use };
}

void arena_rewind(Arena *arena, ArenaMark mark)
{
    arena->current = mark.block ? mark.block : arena->first;
    if (arena->current) arena->current->used = mark.block ? mark.used : 0;
    arena->in_use = mark.in_use;
}

void arena_reset(Arena *arena) { arena_rewind(arena, (ArenaMark){ 0 }); }
