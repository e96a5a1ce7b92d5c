/* parse_as LIBRARY MODEL FORMAT FILE: what does the library of a wheel make of a text, when it is loaded as Python
 * loads it? Standard error has the processor seconds of the parse. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "include/lalparser.h"

static void *library;

static void *find(const char *name)
{
    void *found = dlsym(library, name);
    if (found) return found;
    fprintf(stderr, "parse_as: found no %s in the library\n", name);
    exit(1);
}
#define FIND(name)                                 \
    __typeof__(name) *own_##name;                  \
    do {                                           \
        void *found = find(#name);                 \
        memcpy(&own_##name, &found, sizeof found); \
    } while (0)

static int write_text(void *context, const char *text, size_t size) { return fwrite(text, 1, size, context) != size; }

int main(int argc, char **argv)
{
    static char text[1 << 20];
    LalError error = { .message = "" };
    FILE *file = argc == 5 ? fopen(argv[4], "rb") : NULL;
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    library = size && size < sizeof text ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "usage: parse_as LIBRARY MODEL FORMAT FILE%s%s\n", file ? ": " : "", file ? dlerror() : "");
        return 2;
    }
    FIND(lal_model_load);
    FIND(lal_parser_new);
    FIND(lal_parse_text_as);
    FIND(lal_parser_free);
    FIND(lal_model_free);
    LalModel *model = own_lal_model_load(argv[2], &error);
    LalParser *parser = model ? own_lal_parser_new(model, NULL, &error) : NULL;
    clock_t start = clock();
    if (parser) own_lal_parse_text_as(parser, text, size, argv[3], write_text, stdout, &error);
    fprintf(stderr, "%.2f s %s\n", (double)(clock() - start) / CLOCKS_PER_SEC, error.message);
    own_lal_parser_free(parser);
    own_lal_model_free(model);
    return error.code != LAL_OK || fflush(stdout) != 0;
}
