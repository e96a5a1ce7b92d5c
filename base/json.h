/* base/json.h
 * cJSON reads and writes text here: with a decimal point in every locale, and with memory of base/arena.h. */
#ifndef LAL_BASE_JSON_H
#define LAL_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "base/error.h"

/* *value is the text, one JSON value and white space, to be freed with cJSON_Delete; NULL on failure: ERR_FORMAT on
 * what is not that, *e untouched, because the caller says what was expected where, or ERR_NOMEM in *e (which may be
 * NULL). */
Status json_parse(const char *text, size_t len, cJSON **value, Error *e);
/* One value on one line, to be freed with cJSON_free; NULL when memory is out. */
char *json_print(const cJSON *value);

#endif
