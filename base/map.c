/* base/map.c: open addressing with linear probing, at most half full. */
#include "base/map.h"

#include <string.h>

uint32_t map_hash(const char *s, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ (h >> 13);
}

void map_init(StrMap *m)
{
    *m = (StrMap){ 0 };
    arena_init(&m->arena, 4096);
}

void map_fini(StrMap *m)
{
    mem_free(m->keys);
    mem_free(m->hashes);
    mem_free(m->slots);
    arena_fini(&m->arena);
    *m = (StrMap){ 0 };
}

static int slot_of(const StrMap *m, const char *key, size_t len, uint32_t h)
{
    int s = (int)(h & (uint32_t)(m->n_slots - 1));
    for (; m->slots[s] >= 0; s = (s + 1) & (m->n_slots - 1)) {
        int k = m->slots[s];
        if (m->hashes[k] == h && strncmp(m->keys[k], key, len) == 0 && m->keys[k][len] == 0) break;
    }
    return s;
}

int map_find(const StrMap *m, const char *key, size_t len)
{
    if (!m->n_slots || memchr(key, 0, len)) return -1;
    return m->slots[slot_of(m, key, len, map_hash(key, len))];
}

static bool grow_slots(StrMap *m)
{
    int want = m->n_slots ? 2 * m->n_slots : 64;
    int *slots = mem_alloc((size_t)want, sizeof *slots);
    if (!slots) return false;
    for (int i = 0; i < want; i++) slots[i] = -1;
    mem_free(m->slots);
    m->slots = slots;
    m->n_slots = want;
    for (int k = 0; k < m->n; k++) {
        int s = (int)(m->hashes[k] & (uint32_t)(want - 1));
        while (slots[s] >= 0) s = (s + 1) & (want - 1);
        slots[s] = k;
    }
    return true;
}

int map_add(StrMap *m, const char *key, size_t len)
{
    if (memchr(key, 0, len)) return -1;
    if (2 * (m->n + 1) > m->n_slots && !grow_slots(m)) return -1;
    uint32_t h = map_hash(key, len);
    int s = slot_of(m, key, len, h);
    if (m->slots[s] >= 0) return m->slots[s];
    int cap = m->cap;
    if (!mem_reserve((void **)&m->keys, &cap, m->n + 1, sizeof *m->keys)) return -1;
    if (!mem_reserve((void **)&m->hashes, &m->cap, m->n + 1, sizeof *m->hashes)) return -1;
    char *copy = arena_alloc(&m->arena, len + 1, 1);
    if (!copy) return -1;
    memcpy(copy, key, len);
    copy[len] = 0;
    m->keys[m->n] = copy;
    m->hashes[m->n] = h;
    return m->slots[s] = m->n++;
}
