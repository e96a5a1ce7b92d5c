/* Maps strings to dense numbers 0, 1, 2 ... in order of insertion. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct StrMap {
    const char **keys; /* [n] NUL-terminated, owned by the map */
    uint32_t *hashes;  /* [n] of the keys */
    uint64_t key[2];   /* of the hash function; random, so that nobody can choose strings that collide */
    int n, cap;
    int *slots; /* [n_slots] open addressing: index into keys, or -1 */
    int n_slots;
    Arena arena;
} StrMap;

void map_init(StrMap *map);
void map_fini(StrMap *map);
/* The number of key, or -1. */
int map_find(const StrMap *map, const char *key, size_t len);
/* The number of key, inserted if new; -1 when out of memory or if key contains a NUL byte. */
int map_add(StrMap *map, const char *key, size_t len);
