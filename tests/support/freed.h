/* Variables that are freed at the end of their scope, for tests and checkers. */
#pragma once

#include <stdlib.h>

/* What the function `fini` frees when the variable goes out of scope: FREED(network_fini) Network n; */
#define FREED(fini) __attribute__((cleanup(fini)))
/* The same for a variable that `init` makes of its address and further arguments:
 * MADE(Arena, arena_init, arena_fini, a, 1024); */
#define MADE(Type, init, fini, ...)            \
    FREED(fini) Type MADE_NAME(__VA_ARGS__, ); \
    init(&__VA_ARGS__)
#define MADE_NAME(name, ...) name

/* For FREED: memory of malloc that a variable points to. */
static inline void free_pointer(void *pointer) { free(*(void **)pointer); }
/* The same for what another function frees: FREES(cJSON, cJSON_Delete) declares cJSON_Delete_at. */
#define FREES(Type, function) \
    static inline void function##_at(Type **pointer) { function(*pointer); }
