/* Open addressing with linear probing, at most half full. */
#include "base/map.h"

#include <string.h>

#include "base/rng.h"

/* ---- SipHash-1-3 (Aumasson and Bernstein 2012, "SipHash: a fast short-input PRF") */

static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

static void sip_round(uint64_t v[4])
{
    v[0] += v[1], v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0], v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2], v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static uint64_t read64(const char *s)
{
    uint64_t x;
    memcpy(&x, s, sizeof x);
    return x;
}

/* The last len < 8 bytes, with the length of the whole key in the top byte. Four bytes and more are read as two halves
 * that overlap. */
static uint64_t last_block(const char *s, size_t len, size_t whole)
{
    uint64_t x = (uint64_t)whole << 56;
    if (len >= 4) {
        uint32_t a, b;
        memcpy(&a, s, 4);
        memcpy(&b, s + len - 4, 4);
        return x | (uint64_t)b << (8 * (len - 4)) | a;
    }
    for (size_t k = 0; k < len; k++) x |= (uint64_t)(unsigned char)s[k] << (8 * k);
    return x;
}

static uint32_t keyed_hash(const uint64_t key[2], const char *s, size_t len)
{
    uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
                      key[1] ^ 0x7465646279746573u };
    size_t left = len;
    for (; left >= 8; left -= 8, s += 8) {
        uint64_t block = read64(s);
        v[3] ^= block;
        sip_round(v);
        v[0] ^= block;
    }
    uint64_t block = last_block(s, left, len);
    v[3] ^= block;
    sip_round(v);
    v[0] ^= block;
    v[2] ^= 0xff;
    for (int k = 0; k < 3; k++) sip_round(v);
    return (uint32_t)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}

/* ---- the table */

void map_init(StrMap *map)
{
    *map = (StrMap){ .key = { rng_entropy(), rng_entropy() } };
    arena_init(&map->arena, 4096);
}

void map_fini(StrMap *map)
{
    mem_free_each(map->keys, map->hashes, map->slots);
    arena_fini(&map->arena);
    *map = (StrMap){ 0 };
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

int map_find(const StrMap *map, const char *key, size_t len)
{
    if (!map->n_slots || memchr(key, 0, len)) return -1;
    return map->slots[slot_of(map, key, len, keyed_hash(map->key, key, len))];
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

int map_add(StrMap *map, const char *key, size_t len)
{
    if (memchr(key, 0, len)) return -1;
    if (2 * (map->n + 1) > map->n_slots && !grow_slots(map)) return -1;
    uint32_t h = keyed_hash(map->key, key, len);
    int s = slot_of(map, key, len, h);
    if (map->slots[s] >= 0) return map->slots[s];
    int cap = map->cap;
    if (!mem_reserve(map->keys, &cap, map->n + 1)) return -1;
    if (!mem_reserve(map->hashes, &map->cap, map->n + 1)) return -1;
    char *copy = arena_alloc(&map->arena, len + 1, 1);
    if (!copy) return -1;
    memcpy(copy, key, len);
    copy[len] = 0;
    map->keys[map->n] = copy;
    map->hashes[map->n] = h;
    return map->slots[s] = map->n++;
}
