/* tests/fuzz/fuzz_options.c: a configuration that is read can be written, and read back as the same values. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "parser/model/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ModelConfig c, d;
    Error e = { 0 };
    Arena strings;
    StrBuf first = { 0 }, second = { 0 };
    cJSON *j = cJSON_ParseWithLength((const char *)data, size), *k = NULL;
    arena_init(&strings, 4096);
    options_defaults(CONFIG_MODEL_OPTIONS, &c);
    options_defaults(CONFIG_MODEL_OPTIONS, &d);
    if (j && options_from_json(CONFIG_MODEL_OPTIONS, &c, j, &strings, "fuzz", &e) == OK) {
        options_to_json(CONFIG_MODEL_OPTIONS, &c, &first);
        k = cJSON_Parse(first.ptr);
        if (!k || options_from_json(CONFIG_MODEL_OPTIONS, &d, k, &strings, "again", &e) != OK) abort();
        options_to_json(CONFIG_MODEL_OPTIONS, &d, &second);
        if (strcmp(first.ptr, second.ptr) != 0) abort();
    }
    cJSON_Delete(j);
    cJSON_Delete(k);
    strbuf_fini(&first);
    strbuf_fini(&second);
    arena_fini(&strings);
    return 0;
}
