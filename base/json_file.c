/* The text is checked before it is parsed (UTF-8, no NUL), and each value has one function that
 * reads it or says what was found and what was expected. */
#include "base/json_file.h"

#include <string.h>

#include "base/file.h"

/* No byte that is not UTF-8, no NUL, and no escape of NUL. */
static Status check_text(const JsonFile *j, Error *e)
{
    const char *found, *text = j->text.ptr;
    size_t bad = text_fault((StrView){ text, j->text.len }, &found);
    for (size_t i = 0; i < bad; i++) {
        if (text[i] != '\\') continue;
        if (bad - i >= 6 && memcmp(text + i, "\\u0000", 6) == 0) bad = i;
        i++; /* what follows is escaped */
    }
    if (bad == j->text.len) return OK;
    TextPlace p = text_place((TextPlace){ 1, 1 }, text, bad);
    bool nul = text[bad] == 0 || text[bad] == '\\';
    return error_at(e, ERR_FORMAT, j->path, p.line, p.column, "%s",
                    nul ? "found a NUL character, expected text" : "found a byte that is not UTF-8");
}

Status json_file_parse(JsonFile *file, StrView text, const char *path, Error *error)
{
    Status s = OK;
    *file = (JsonFile){ .path = path };
    if (text.len > JSON_FILE_MOST)
        return error_at(error, ERR_LIMIT, path, 0, 0, "found %zu bytes, expected at most %d", text.len, JSON_FILE_MOST);
    strbuf_add(&file->text, text.ptr, text.len);
    if (file->text.failed) s = error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    if (s == OK) s = check_text(file, error);
    if (s == OK) s = json_parse_file(file->text.ptr, file->text.len, path, &file->root, error);
    if (s == OK && !cJSON_IsObject(file->root))
        s = error_at(error, ERR_FORMAT, path, 1, 1, "found another JSON value, expected an object");
    if (s != OK) json_file_fini(file);
    return s;
}

Status json_file_read(JsonFile *file, const char *path, Error *error)
{
    StrBuf text = { 0 };
    *file = (JsonFile){ .path = path };
    Status s = file_read_most(path, JSON_FILE_MOST, &text, error);
    if (s == OK) s = json_file_parse(file, (StrView){ text.ptr, text.len }, path, error);
    strbuf_fini(&text);
    return s;
}

void json_file_fini(JsonFile *file)
{
    strbuf_fini(&file->text);
    cJSON_Delete(file->root);
    *file = (JsonFile){ 0 };
}

Status json_file_lines(TextBlock block, Status (*read)(void *context, const JsonFile *j, long line, Error *e),
                       void *context, Error *error)
{
    StrView text;
    Status status = OK;
    long line = block.line;
    for (size_t at = 0; status == OK && text_line(block.text, &at, &text); line++) {
        size_t blank = 0;
        while (blank < text.len && memchr(" \t\r", text.ptr[blank], 3)) blank++;
        if (blank == text.len) continue;
        JsonFile j;
        Error why = { 0 };
        status = json_file_parse(&j, text, block.path, &why);
        if (status == OK) status = read(context, &j, line, &why);
        json_file_fini(&j);
        if (status == ERR_NOMEM) error_set(error, status, "%s", why.message);
        else if (status != OK) error_at(error, status, block.path, line, why.column, "%s", why.message);
    }
    return status;
}

Status json_file_fault_at(const JsonFile *file, const cJSON *value, bool key, Error *error, const char *fmt, ...)
{
    TextPlace p = json_place(file->text.ptr, file->text.len, file->root, value, key);
    va_list args;
    va_start(args, fmt);
    error_vset(error, ERR_FORMAT, file->path, p.line, p.column, fmt, args);
    va_end(args);
    return ERR_FORMAT;
}

const cJSON *json_file_member(const cJSON *object, const char *name)
{
    const cJSON *x = json_get(object, name);
    return cJSON_IsNull(x) ? NULL : x;
}

/* OK with *x NULL: absent, and that is allowed. */
static Status member(const JsonFile *j, const cJSON *object, const char *name, bool required, const cJSON **x, Error *e)
{
    *x = json_file_member(object, name);
    return *x || !required ? OK : json_file_fault(j, object, e, "found no '%s', expected one", name);
}

Status json_file_number(const JsonFile *file, const cJSON *object, const char *name, bool required, double min,
                        double max, double *out, Error *error)
{
    const cJSON *x;
    Status s = member(file, object, name, required, &x, error);
    if (s != OK || !x) return s;
    if (!cJSON_IsNumber(x))
        return json_file_fault(file, x, error, "%s: found another value, expected a number from %g to %g", name, min,
                               max);
    if (!(x->valuedouble >= min && x->valuedouble <= max))
        return json_file_fault(file, x, error, "%s: found %g, expected a number from %g to %g", name, x->valuedouble,
                               min, max);
    *out = x->valuedouble;
    return OK;
}

Status json_file_whole(const JsonFile *file, const cJSON *object, const char *name, bool required, int min, int max,
                       int *out, Error *error)
{
    const cJSON *x;
    Status s = member(file, object, name, required, &x, error);
    if (s != OK || !x) return s;
    double v = cJSON_IsNumber(x) ? x->valuedouble : 0.5;
    if (!(v >= min && v <= max) || v != (double)(int)v) {
        if (cJSON_IsNumber(x))
            return json_file_fault(file, x, error, "%s: found %g, expected a whole number from %d to %d", name, v, min,
                                   max);
        return json_file_fault(file, x, error, "%s: found another value, expected a whole number from %d to %d", name,
                               min, max);
    }
    *out = (int)v;
    return OK;
}

Status json_file_flag(const JsonFile *file, const cJSON *object, const char *name, bool *out, Error *error)
{
    const cJSON *x = json_file_member(object, name);
    if (!x) return OK;
    if (!cJSON_IsBool(x))
        return json_file_fault(file, x, error, "%s: found another value, expected true or false", name);
    *out = cJSON_IsTrue(x);
    return OK;
}

Status json_file_string(const JsonFile *file, const cJSON *object, const char *name, bool required, const char **out,
                        Error *error)
{
    const cJSON *x;
    Status s = member(file, object, name, required, &x, error);
    if (s != OK || !x) return s;
    if (!cJSON_IsString(x)) return json_file_fault(file, x, error, "%s: found another value, expected a string", name);
    *out = x->valuestring;
    return OK;
}
