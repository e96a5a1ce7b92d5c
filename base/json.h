/* JSON text read and written by cJSON, with a decimal point in every locale and with the allocator of base/arena.h. */
#pragma once

#include <cjson/cJSON.h>

#include "base/error.h"
#include "base/text.h"

/* cJSON has one allocator for the whole process. own: set it to base/arena.h, the default; else keep the host
 * program's. Only the first call of a function of this header counts. */
void json_set_allocator(bool own);

/* Parses text, which is one JSON value and white space around it. *value is freed with cJSON_Delete; NULL on failure.
 * ERR_FORMAT if text is anything else; *error is not set then, because the caller knows what was expected and where.
 * ERR_NOMEM, with *error set (error may be NULL). */
Status json_parse(const char *text, size_t len, cJSON **value, Error *error);
/* json_parse for a file: ERR_FORMAT has a message with the path, line and column where the text stops being JSON. */
Status json_parse_file(const char *text, size_t len, const char *path, cJSON **value, Error *error);

/* The offset of the first thing in JSON text that json_parse would take though JSON (RFC 8259) does not have it
 * (control characters, numbers such as 01) or no text can hold it (\u0000, half of a pair of surrogates); or len.
 * *found says what it is, "found \u0000, a NUL character". For text of strangers, before json_parse. */
size_t json_fault(const char *text, size_t len, const char **found);

/* The place of `value`, `root` or a value inside it, in the text [0 .. len) that json_parse made root of; or of its
 * key, if it is a member of an object and `key` is set. {0, 0} if root does not hold it. */
TextPlace json_place(const char *text, size_t len, const cJSON *root, const cJSON *value, bool key);
/* The value at a path of names and indices, "gates.lambda", "heads[3].layers[0]", from `root`, or NULL. */
const cJSON *json_at(const cJSON *root, const char *path);

/* The member of an object, or NULL. */
static inline cJSON *json_get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* One value on one line, freed with cJSON_free; NULL when out of memory. */
char *json_print(const cJSON *value);
