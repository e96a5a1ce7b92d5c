/* base/map.h
 * Strings to dense numbers 0, 1, 2 ... in order of insertion. */
#ifndef LAL_BASE_MAP_H
#define LAL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct StrMap {
    const char **keys; /* [n], in the map's own memory, until map_fini */
    uint32_t *hashes;  /* [n] of the keys, under `key` */
    uint64_t key[2];   /* random, of map_init: nobody can choose words that collide. The numbers do not depend on it */
    int n, cap;
    int *slots; /* open addressing: index into keys, or -1 */
    int n_slots;
    Arena arena;
} StrMap;

void map_init(StrMap *m);
void map_fini(StrMap *m);
/* The number of key, or -1. */
int map_find(const StrMap *m, const char *key, size_t len);
/* The number of key, inserted if new; -1 when memory is out. */
int map_add(StrMap *m, const char *key, size_t len);
#endif
