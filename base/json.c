/* base/json.c */
#include "base/json.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/locale.h"

enum { JSON_NESTING = CJSON_NESTING_LIMIT + 1 };

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

/* json_parse; *at becomes the offset where a text that is not JSON stops being it. */
static Status parse(const char *text, size_t len, cJSON **value, size_t *offset, Error *e)
{
    const char *at = text;
    start();
    void *before = locale_point_begin();
    *value = cJSON_ParseWithLengthOpts(text, len, &at, false);
    locale_point_end(before);
    end();
    while (*value && at < text + len && memchr(" \t\r\n", *at, 4)) at++;
    *offset = at && at >= text ? (size_t)(at - text) : 0;
    if (*value && at == text + len) return OK;
    if (*value) memory_out = false; /* more text after the value */
    cJSON_Delete(*value);
    *value = NULL;
    return memory_out ? error_set(e, ERR_NOMEM, "out of memory reading JSON") : ERR_FORMAT;
}

Status json_parse(const char *text, size_t len, cJSON **value, Error *e)
{
    size_t offset;
    return parse(text, len, value, &offset, e);
}

Status json_parse_file(const char *text, size_t len, const char *path, cJSON **value, Error *e)
{
    size_t offset;
    Status s = parse(text, len, value, &offset, e);
    if (s != ERR_FORMAT) return s;
    if (offset > len) offset = len;
    TextPlace p = text_place((TextPlace){ 1, 1 }, text, offset);
    if (offset == len) return error_at(e, s, path, p.line, p.column, "found the end of the file, expected more JSON");
    return error_at(e, s, path, p.line, p.column, "found '%.*s', expected JSON",
                    (int)utf8_cut(text + offset, strcspn(text + offset, "\r\n"), 30), text + offset);
}

/* ---- places */

/* The number of `value` among root and the values inside it, in the order of the text, or -1. */
static long number_of(const cJSON *root, const cJSON *value)
{
    const cJSON *above[JSON_NESTING]; /* ancestors of x */
    int depth = 0;
    long n = 0;
    for (const cJSON *x = root; x; n++) {
        if (x == value) return n;
        if (x->child && depth < JSON_NESTING) {
            above[depth++] = x;
            x = x->child;
            continue;
        }
        while (depth && !x->next) x = above[--depth];
        x = depth ? x->next : NULL;
    }
    return -1;
}

/* The offset after the string that begins at `at`. */
static size_t string_end(const char *text, size_t len, size_t at)
{
    for (at++; at < len && text[at] != '"'; at++) at += text[at] == '\\';
    return at + 1;
}

/* What cJSON takes for white space: each byte up to a blank. */
#define BLANKS                                                   \
    "\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10" \
    "\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

TextPlace json_place(const char *text, size_t len, const cJSON *root, const cJSON *value, bool key)
{
    long n = number_of(root, value), seen = 0;
    size_t key_at = len, at = 0;
    for (; n >= 0 && at < len;) {
        size_t from = at;
        if (strchr(BLANKS ",:]}", text[at]) || (unsigned char)text[at] > 0x7e) { /* the latter: a byte order mark */
            at++;
            continue;
        }
        if (text[at] == '"') {
            at = string_end(text, len, at);
            size_t next = at + (at < len ? strspn(text + at, BLANKS) : 0);
            if (next < len && text[next] == ':') { /* a key */
                key_at = from;
                continue;
            }
        } else if (text[at] == '{' || text[at] == '[') at++;
        else at += strcspn(text + at, BLANKS ",]}");
        if (seen++ == n) return text_place((TextPlace){ 1, 1 }, text, key && key_at < len ? key_at : from);
        key_at = len;
    }
    return (TextPlace){ 0, 0 };
}

const cJSON *json_at(const cJSON *root, const char *path)
{
    const cJSON *x = root;
    while (x && *path) {
        if (*path == '[') {
            char *end;
            long k = strtol(path + 1, &end, 10);
            if (*end != ']') return NULL;
            x = cJSON_IsArray(x) && k >= 0 && k <= INT_MAX ? cJSON_GetArrayItem(x, (int)k) : NULL;
            path = end + 1;
        } else {
            char name[64];
            size_t len = strcspn(path, ".[");
            if (len >= sizeof name) return NULL;
            memcpy(name, path, len);
            name[len] = 0;
            x = cJSON_IsObject(x) ? json_get(x, name) : NULL;
            path += len;
        }
        path += *path == '.';
    }
    return x;
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
