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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* cJSON keeps the place of its last error in a global */
static bool decided;                                     /* under the lock */

static void decide(bool own)
{
    if (!decided && own) cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = allocate, .free_fn = mem_free });
    decided = true;
}

void json_set_allocator(bool own)
{
    pthread_mutex_lock(&lock);
    decide(own);
    pthread_mutex_unlock(&lock);
}

static void start(void)
{
    pthread_mutex_lock(&lock);
    decide(true);
    memory_out = false;
}

static void end(void) { pthread_mutex_unlock(&lock); }

Status json_parse(const char *text, size_t len, cJSON **value, Error *e)
{
    const char *at = text;
    start();
    void *before = locale_point_begin();
    *value = cJSON_ParseWithLengthOpts(text, len, &at, false);
    locale_point_end(before);
    end();
    while (*value && at < text + len && memchr(" \t\r\n", *at, 4)) at++;
    if (*value && at == text + len) return OK;
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
    end();
    return text;
}
