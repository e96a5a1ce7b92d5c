/* base/json.h
 * The places where cJSON reads and writes text: with a decimal point in every locale, and with memory of base/arena.h. */
#ifndef LAL_BASE_JSON_H
#define LAL_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "base/error.h"

/* The value at the beginning of text, to be freed with cJSON_Delete. NULL on what is not JSON, *e untouched: the caller says
 * what was expected where; NULL with ERR_NOMEM in *e (which may be NULL) when memory is out. */
cJSON *json_parse(const char *text, size_t len, Error *e);
/* One value on one line, to be freed with cJSON_free; NULL when memory is out. */
char *json_print(const cJSON *value);

#endif
