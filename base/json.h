/* base/json.h
 * JSON text read and written by cJSON, with a decimal point in every locale and with the allocator of base/arena.h. */
#ifndef LAL_BASE_JSON_H
#define LAL_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* cJSON has one allocator for the whole process. own: set it to that of base/arena.h, the default; else keep that of
 * the host program: then ERR_FORMAT is returned when out of memory. Only the first call of a function of this header
 * counts.
 */
void json_set_allocator(bool own);

/* Parses text, which is one JSON value and white space around it. *value is freed with cJSON_Delete; NULL on failure.
 * ERR_FORMAT if text is anything else; *e is not set then, because the caller knows what was expected and where.
 * ERR_NOMEM, with *e set (e may be NULL). */
Status json_parse(const char *text, size_t len, cJSON **value, Error *e);
/* One value on one line, freed with cJSON_free; NULL when out of memory. */
char *json_print(const cJSON *value);

#endif
