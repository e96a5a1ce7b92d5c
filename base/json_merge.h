/* JSON merge patches (RFC 7396). */
#pragma once

#include "base/json.h"

/* The target as the patch changes it: members of objects are replaced, null removes them, other values replace the
 * target. Both stay as they are; the result is freed with cJSON_Delete. target may be NULL. NULL when out of memory. */
cJSON *json_merge(const cJSON *target, const cJSON *patch);
