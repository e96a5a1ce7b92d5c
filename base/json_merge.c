/* The patch is applied member by member to a copy of the target; a member that is null removes
 * one. */
#include "base/json_merge.h"

#include <stdbool.h>

/* Sets one member; false when out of memory. */
static bool merge_member(cJSON *out, const cJSON *member)
{
    const cJSON *before = json_get(out, member->string);
    if (cJSON_IsNull(member)) {
        cJSON_DeleteItemFromObjectCaseSensitive(out, member->string);
        return true;
    }
    cJSON *now = json_merge(before, member);
    if (now && (before ? cJSON_ReplaceItemInObjectCaseSensitive(out, member->string, now)
                       : cJSON_AddItemToObject(out, member->string, now)))
        return now->string != NULL; /* cJSON does not report that it had no memory for the name */
    cJSON_Delete(now);
    return false;
}

cJSON *json_merge(const cJSON *target, const cJSON *patch)
{
    if (!cJSON_IsObject(patch)) return cJSON_Duplicate(patch, true);
    cJSON *out = cJSON_IsObject(target) ? cJSON_Duplicate(target, true) : cJSON_CreateObject();
    bool ok = out != NULL;
    for (const cJSON *m = patch->child; ok && m; m = m->next) ok = merge_member(out, m);
    if (ok) return out;
    cJSON_Delete(out);
    return NULL;
}
