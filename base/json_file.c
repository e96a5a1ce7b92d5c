/* base/json_file.c */
#include "base/json_file.h"

#include <string.h>

#include "base/file.h"

/* A byte that may not be in the text: not UTF-8, NUL, or the escape of NUL; or its length. */
static size_t first_fault(const StrBuf *b)
{
    size_t bad = utf8_invalid(b->ptr, b->len);
    const char *nul = b->len ? memchr(b->ptr, 0, b->len) : NULL;
    if (nul && (size_t)(nul - b->ptr) < bad) bad = (size_t)(nul - b->ptr);
    for (size_t i = 0; i < bad; i++) {
        if (b->ptr[i] != '\\') continue;
        if (bad - i >= 6 && memcmp(b->ptr + i, "\\u0000", 6) == 0) return i;
        i++; /* what follows is escaped */
    }
    return bad;
}

static Status check_text(const JsonFile *j, Error *e)
{
    size_t bad = first_fault(&j->text);
    long line = 1, column = 1;
    if (bad == j->text.len) return OK;
    for (size_t i = 0; i < bad; i++) {
        column = j->text.ptr[i] == '\n' ? 1 : column + 1;
        line += j->text.ptr[i] == '\n';
    }
    if (j->text.ptr[bad] == 0 || j->text.ptr[bad] == '\\')
        return error_at(e, ERR_FORMAT, j->path, line, column, "found a NUL character, expected text");
    return error_at(e, ERR_FORMAT, j->path, line, column, "found a byte that is not UTF-8");
}

Status json_file_parse(JsonFile *j, StrView text, const char *path, Error *e)
{
    Status s = OK;
    *j = (JsonFile){ .path = path };
    if (text.len > JSON_FILE_MOST)
        return error_at(e, ERR_LIMIT, path, 0, 0, "found %zu bytes, expected at most %d", text.len, JSON_FILE_MOST);
    strbuf_add(&j->text, text.ptr, text.len);
    if (j->text.failed) s = error_set(e, ERR_NOMEM, "out of memory reading %s", path);
    if (s == OK) s = check_text(j, e);
    if (s == OK) s = json_parse_file(j->text.ptr, j->text.len, path, &j->root, e);
    if (s == OK && !cJSON_IsObject(j->root))
        s = error_at(e, ERR_FORMAT, path, 1, 1, "found another JSON value, expected an object");
    if (s != OK) json_file_fini(j);
    return s;
}

Status json_file_read(JsonFile *j, const char *path, Error *e)
{
    StrBuf text = { 0 };
    *j = (JsonFile){ .path = path };
    Status s = file_read_most(path, JSON_FILE_MOST, &text, e);
    if (s == OK) s = json_file_parse(j, (StrView){ text.ptr, text.len }, path, e);
    strbuf_fini(&text);
    return s;
}

void json_file_fini(JsonFile *j)
{
    strbuf_fini(&j->text);
    cJSON_Delete(j->root);
    *j = (JsonFile){ 0 };
}

Status json_file_fault(const JsonFile *j, const cJSON *value, bool key, Error *e, const char *fmt, ...)
{
    JsonPlace p = json_place(j->text.ptr, j->text.len, j->root, value, key);
    va_list args;
    va_start(args, fmt);
    error_vset(e, ERR_FORMAT, j->path, p.line, p.column, fmt, args);
    va_end(args);
    return ERR_FORMAT;
}

const cJSON *json_file_member(const cJSON *object, const char *name)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNull(x) ? NULL : x;
}

/* OK with *x NULL: absent, and that is allowed. */
static Status member(const JsonFile *j, const cJSON *object, const char *name, bool required, const cJSON **x, Error *e)
{
    *x = json_file_member(object, name);
    return *x || !required ? OK : json_file_fault(j, object, false, e, "found no '%s', expected one", name);
}

Status json_file_number(const JsonFile *j, const cJSON *object, const char *name, bool required, double min, double max,
                        double *out, Error *e)
{
    const cJSON *x;
    Status s = member(j, object, name, required, &x, e);
    if (s != OK || !x) return s;
    if (!cJSON_IsNumber(x))
        return json_file_fault(j, x, false, e, "%s: found another value, expected a number from %g to %g", name, min,
                               max);
    if (!(x->valuedouble >= min && x->valuedouble <= max))
        return json_file_fault(j, x, false, e, "%s: found %g, expected a number from %g to %g", name, x->valuedouble,
                               min, max);
    *out = x->valuedouble;
    return OK;
}

Status json_file_whole(const JsonFile *j, const cJSON *object, const char *name, bool required, int min, int max,
                       int *out, Error *e)
{
    const cJSON *x;
    Status s = member(j, object, name, required, &x, e);
    if (s != OK || !x) return s;
    double v = cJSON_IsNumber(x) ? x->valuedouble : 0.5;
    if (!(v >= min && v <= max) || v != (double)(int)v) {
        if (cJSON_IsNumber(x))
            return json_file_fault(j, x, false, e, "%s: found %g, expected a whole number from %d to %d", name, v, min,
                                   max);
        return json_file_fault(j, x, false, e, "%s: found another value, expected a whole number from %d to %d", name,
                               min, max);
    }
    *out = (int)v;
    return OK;
}

Status json_file_flag(const JsonFile *j, const cJSON *object, const char *name, bool *out, Error *e)
{
    const cJSON *x = json_file_member(object, name);
    if (!x) return OK;
    if (!cJSON_IsBool(x))
        return json_file_fault(j, x, false, e, "%s: found another value, expected true or false", name);
    *out = cJSON_IsTrue(x);
    return OK;
}

Status json_file_string(const JsonFile *j, const cJSON *object, const char *name, bool required, const char **out,
                        Error *e)
{
    const cJSON *x;
    Status s = member(j, object, name, required, &x, e);
    if (s != OK || !x) return s;
    if (!cJSON_IsString(x)) return json_file_fault(j, x, false, e, "%s: found another value, expected a string", name);
    *out = x->valuestring;
    return OK;
}
