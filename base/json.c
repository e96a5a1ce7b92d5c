/* base/json.c */
#include "base/json.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/locale.h"

static _Thread_local bool memory_out; /* since start(); cJSON returns NULL for this as for invalid text */

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

Status json_parse(const char *text, size_t len, cJSON **value, Error *e)
{
    const char *end = text;
    start();
    void *before = locale_point_begin();
    *value = cJSON_ParseWithLengthOpts(text, len, &end, false);
    locale_point_end(before);
    while (*value && end < text + len && memchr(" \t\r\n", *end, 4)) end++;
    if (*value && end == text + len) return OK;
    if (*value) memory_out = false; /* more text after the value */
    cJSON_Delete(*value);
    *value = NULL;
    return memory_out ? error_set(e, ERR_NOMEM, "out of memory reading JSON") : ERR_FORMAT;
}

char *json_print(const cJSON *value)
{
    start();
    void *before = locale_point_begin();
    char *text = cJSON_PrintUnformatted(value);
    locale_point_end(before);
    return text;
}
