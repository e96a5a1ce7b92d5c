/* Main function of the fuzz targets without libFuzzer. TARGET FOLDER [ROUNDS]: runs every seed of
 * the folder, truncated to every length, then ROUNDS random mutations of the seeds, by the target's own mutator if it
 * has one. Inputs are in buffers of their exact size, so that a sanitizer finds reads past the end. The seed of the
 * random generator is fixed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "tests/support/freed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
/* The mutator of the target; NULL if it has none. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum { MOST_SEEDS = 256, MOST_CUTS = 400, MOST_GROWTH = 4096, ROUNDS = 3000, ROUNDS_OF_MUTATOR = 600 };

static void run(const char *data, size_t size)
{
    FREED(free_pointer) uint8_t *exact = malloc(size ? size : 1);
    if (!exact) exit(1);
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
}

/* A few random edits: flip a bit, overwrite a byte, delete a piece, repeat a piece at the end. */
static void mutate(StrBuf *b, uint64_t key)
{
    static const char marks[] = "()\t\n \"\\{}[]-0\x01\xff\xc3";
    int edits = 1 + (int)(rng_uniform(key, 0) * 6);
    for (int k = 1; k <= edits && b->len; k++) {
        size_t at = (size_t)(rng_uniform(key, 10 * (uint64_t)k) * (double)b->len),
               n = (size_t)(rng_uniform(key, 10 * (uint64_t)k + 1) * 20) + 1;
        if (n > b->len - at) n = b->len - at;
        switch ((int)(rng_uniform(key, 10 * (uint64_t)k + 2) * 4)) {
        case 0: b->ptr[at] = (char)(b->ptr[at] ^ 1 << (int)(rng_uniform(key, 10 * (uint64_t)k + 3) * 8)); break;
        case 1: b->ptr[at] = marks[(size_t)(rng_uniform(key, 10 * (uint64_t)k + 3) * (sizeof marks - 1))]; break;
        case 2:
            memmove(b->ptr + at, b->ptr + at + n, b->len - at - n);
            b->len -= n;
            break;
        default: {
            char copy[20];
            memcpy(copy, b->ptr + at, n);
            strbuf_add(b, copy, n);
        }
        }
    }
}

/* The function that libFuzzer provides for mutators of targets. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    static uint64_t calls;
    FREED(strbuf_fini) StrBuf b = { 0 };
    strbuf_add(&b, (const char *)data, size);
    mutate(&b, rng_key(11, calls++, 0, 0));
    if (b.len <= max_size && b.len) {
        memcpy(data, b.ptr, b.len);
        size = b.len;
    }
    return size;
}

/* Sets b to a mutation of the seed; r is the number of the round. */
static void mutate_seed(StrBuf *b, const StrBuf *seed, long r)
{
    strbuf_clear(b);
    strbuf_add(b, seed->ptr, seed->len);
    if (LLVMFuzzerCustomMutator) {
        for (int k = 0; k < MOST_GROWTH; k++) strbuf_putc(b, 0);
        b->len = LLVMFuzzerCustomMutator((uint8_t *)b->ptr, seed->len, b->len, (unsigned)r);
    } else mutate(b, rng_key(7, (uint64_t)r, 0, 0));
}

int main(int argc, char **argv)
{
    static StrBuf seeds[MOST_SEEDS];
    int n = 0;
    long rounds = argc > 2 ? atol(argv[2]) : LLVMFuzzerCustomMutator ? ROUNDS_OF_MUTATOR : ROUNDS, runs = 0;
    DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
    if (!dir) {
        fprintf(stderr, "usage: %s FOLDER-OF-SEEDS [ROUNDS]\n", argv[0]);
        return 2;
    }
    for (struct dirent *d; (d = readdir(dir)) && n < MOST_SEEDS;) {
        char path[600];
        Error e = { 0 };
        snprintf(path, sizeof path, "%s/%s", argv[1], d->d_name);
        if (d->d_name[0] == '.') continue;
        if (file_read(path, &seeds[n++], &e) != OK) return 1;
    }
    closedir(dir);
    if (n == 0) {
        fprintf(stderr, "%s: no seeds\n", argv[1]);
        return 1;
    }
    for (int k = 0; k < n; k++)
        for (size_t len = seeds[k].len < MOST_CUTS ? 0 : seeds[k].len - MOST_CUTS; len <= seeds[k].len; len++, runs++)
            run(seeds[k].ptr, len);
    StrBuf b = { 0 };
    for (long r = 0; r < rounds; r++, runs++) {
        mutate_seed(&b, &seeds[(size_t)(rng_uniform(1, (uint64_t)r) * n)], r);
        run(b.ptr, b.len);
    }
    strbuf_fini(&b);
    for (int k = 0; k < n; k++) strbuf_fini(&seeds[k]);
    printf("%ld inputs\n", runs);
    return 0;
}
