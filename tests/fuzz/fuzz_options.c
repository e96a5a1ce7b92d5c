/* A configuration that is read can be written, and read back as the same values. */
#include <cjson/cJSON.h>

#include "base/arena.h"
#include "parser/model/config.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ModelConfig c, d;
    Error e = { 0 };
    FREED(strbuf_fini) StrBuf first = { 0 }, second = { 0 };
    cJSON *j = cJSON_ParseWithLength((const char *)data, size), *k = NULL;
    MADE(Arena, arena_init, arena_fini, strings, 4096);
    options_defaults(CONFIG_MODEL_OPTIONS, &c);
    options_defaults(CONFIG_MODEL_OPTIONS, &d);
    if (j && options_from_json(CONFIG_MODEL_OPTIONS, &c, j, &strings, "fuzz", &e) == OK) {
        options_to_json(CONFIG_MODEL_OPTIONS, &c, &first);
        k = cJSON_Parse(first.ptr);
        require(k && options_from_json(CONFIG_MODEL_OPTIONS, &d, k, &strings, "again", &e) == OK);
        options_to_json(CONFIG_MODEL_OPTIONS, &d, &second);
        require_equal(&first, &second);
    }
    cJSON_Delete(j);
    cJSON_Delete(k);
    return 0;
}
