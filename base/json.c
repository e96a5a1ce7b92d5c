/* base/json.c */
#include "base/json.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/locale.h"

static _Thread_local bool memory_out; /* cJSON says NULL to that as to a wrong text */

static void *allocate(size_t size)
{
    void *p = mem_alloc(size, 1);
    if (!p) memory_out = true;
    return p;
}

static void set_hooks(void) { cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = allocate, .free_fn = mem_free }); }

static void start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_hooks);
    memory_out = false;
}

cJSON *json_parse(const char *text, size_t len, Error *e)
{
    start();
    void *before = locale_point_begin();
    cJSON *value = cJSON_ParseWithLength(text, len);
    locale_point_end(before);
    if (!value && memory_out) error_set(e, ERR_NOMEM, "out of memory reading JSON");
    return value;
}

char *json_print(const cJSON *value)
{
    start();
    void *before = locale_point_begin();
    char *text = cJSON_PrintUnformatted(value);
    locale_point_end(before);
    return text;
}
