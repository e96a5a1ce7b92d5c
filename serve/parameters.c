/* Four notations of names with values: CoreNLP's property map, forms, headers and multipart
 * bodies. */
#define _GNU_SOURCE /* memmem */
#include "serve/parameters.h"

#include <string.h>
#include <strings.h>

#include "base/json.h"

enum { PARAMS_MOST = 1000 };

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory reading the request"); }

Status parameters_add(Parameters *parameters, const char *name, const char *value, size_t size, Error *error)
{
    const char *found;
    StrBuf fixed = { 0 };
    bool good = text_fault((StrView){ value, size }, &found) == size;
    if (!good && parameters->repair) {
        repair_feed(parameters->repair, value, size, true, &fixed);
        Repair *repair = parameters->repair;
        parameters->repair = NULL;
        Status s = fixed.failed ? no_memory(error)
                                : parameters_add(parameters, name, fixed.ptr ? fixed.ptr : "", fixed.len, error);
        parameters->repair = repair;
        strbuf_fini(&fixed);
        return s;
    }
    if (!good || utf8_invalid(name, strlen(name)) != strlen(name))
        return error_set(error, ERR_FORMAT, "%s: %s, expected text in UTF-8", name,
                         found ? found : "found other bytes");
    if (parameters->n == PARAMS_MOST) return error_set(error, ERR_FORMAT, "found more than %d parameters", PARAMS_MOST);
    if (parameters->n == parameters->cap) {
        int cap = parameters->cap ? 2 * parameters->cap : 16;
        Parameter *more = arena_alloc(parameters->arena, (size_t)cap, sizeof *more);
        if (!more) return no_memory(error);
        if (parameters->n) memcpy(more, parameters->item, (size_t)parameters->n * sizeof *more);
        parameters->item = more;
        parameters->cap = cap;
    }
    Parameter *x = &parameters->item[parameters->n];
    x->name = arena_strndup(parameters->arena, name, strlen(name));
    x->value = arena_strndup(parameters->arena, value, size);
    if (!x->name || !x->value) return no_memory(error);
    parameters->n++;
    return OK;
}

const char *parameters_get(const Parameters *parameters, const char *name)
{
    for (int k = parameters->n - 1; k >= 0; k--)
        if (strcmp(parameters->item[k].name, name) == 0) return parameters->item[k].value;
    return NULL;
}

/* ---- the property map */

static Status add_member(Parameters *p, const cJSON *member, Error *e)
{
    if (cJSON_IsString(member))
        return parameters_add(p, member->string, member->valuestring, strlen(member->valuestring), e);
    char *text = json_print(member);
    Status s = text ? parameters_add(p, member->string, text, strlen(text), e) : no_memory(e);
    cJSON_free(text);
    return s;
}

static Status add_members(Parameters *p, const cJSON *object, Error *e)
{
    Status s = OK;
    for (const cJSON *member = object->child; member && s == OK; member = member->next) s = add_member(p, member, e);
    return s;
}

/* Reads pairs character by character. */
typedef struct MapReader {
    Parameters *to;
    StrBuf key, now; /* the key that was read; what is being read */
    bool in_value;
    char quote; /* that is open, or 0 */
} MapReader;

static StrView trimmed(const StrBuf *b)
{
    StrView v = { b->ptr, b->len };
    while (v.len && utf8_is_space((unsigned char)*v.ptr)) v.ptr++, v.len--;
    while (v.len && utf8_is_space((unsigned char)v.ptr[v.len - 1])) v.len--;
    return v;
}

static Status end_pair(MapReader *r, Error *e)
{
    StrView v = trimmed(&r->now);
    Status s = OK;
    if (r->in_value) s = parameters_add(r->to, r->key.ptr, v.ptr ? v.ptr : "", v.len, e);
    else if (v.len)
        s = error_set(e, ERR_FORMAT, "properties: found the key '%.*s' without a value", utf8_first(v.ptr, 60), v.ptr);
    r->in_value = false;
    strbuf_clear(&r->now);
    return s;
}

static void end_key(MapReader *r)
{
    StrView v = trimmed(&r->now);
    strbuf_clear(&r->key);
    strbuf_add(&r->key, v.ptr ? v.ptr : "", v.len);
    strbuf_clear(&r->now);
    r->in_value = true;
}

/* The length of what ends a key here; 0: nothing does. */
static size_t key_ends(const MapReader *r, const char *at)
{
    if (r->in_value) return 0;
    return *at == ':' ? 1 : strncmp(at, "->", 2) == 0 || strncmp(at, "=>", 2) == 0 ? 2 : 0;
}

/* Takes what begins at `at`, outside or inside quotes, and returns its length. */
static size_t take(MapReader *r, const char *at, Error *e)
{
    size_t ends;
    if (*at == '\\' && at[1] && (!r->quote || strchr("\\'\"", at[1]))) {
        strbuf_putc(&r->now, at[1]);
        return 2;
    }
    if (*at == '\r') return 1;
    if (r->quote && *at == r->quote) r->quote = 0;
    else if (r->quote) strbuf_putc(&r->now, *at);
    else if (*at == '"' || *at == '\'') r->quote = *at;
    else if (strchr(",;\t\n", *at)) end_pair(r, e);
    else if ((ends = key_ends(r, at)) != 0) {
        end_key(r);
        return ends;
    } else strbuf_putc(&r->now, *at);
    return 1;
}

static Status read_pairs(Parameters *p, StrView text, Error *e)
{
    MapReader r = { .to = p };
    Error first = { 0 };
    strbuf_puts(&r.key, "");
    StrBuf all = { 0 }; /* ends with NUL */
    strbuf_add(&all, text.ptr, text.len);
    for (size_t k = 0; k < all.len && first.code == OK;) k += take(&r, all.ptr + k, &first);
    if (first.code == OK && r.quote)
        error_set(&first, ERR_FORMAT, "properties: found a quotation mark that does not close");
    if (first.code == OK) end_pair(&r, &first);
    if (first.code == OK && (all.failed || r.key.failed || r.now.failed)) no_memory(&first);
    if (first.code != OK && e) *e = first;
    strbuf_fini(&all);
    strbuf_fini(&r.key);
    strbuf_fini(&r.now);
    return first.code;
}

Status parameters_map(Parameters *parameters, const char *text, Error *error)
{
    static const char pairs[] = "{}[]()";
    cJSON *json = NULL;
    StrView v = { text, strlen(text) };
    while (v.len && strchr(" \t\r\n\f\v", v.ptr[v.len - 1])) v.len--;
    while (v.len && strchr(" \t\r\n\f\v", *v.ptr)) v.ptr++, v.len--;
    if (!v.len) return OK;
    Status s = json_parse(v.ptr, v.len, &json, error);
    if (s == ERR_NOMEM) return s;
    bool object = cJSON_IsObject(json);
    if (object) s = add_members(parameters, json, error);
    cJSON_Delete(json);
    if (object) return s;
    const char *open = strchr(pairs, *v.ptr);
    if (open && (open - pairs) % 2 == 0) {
        if (v.len < 2 || v.ptr[v.len - 1] != open[1])
            return error_set(error, ERR_FORMAT, "properties: found no '%c' at the end, expected one", open[1]);
        v = (StrView){ v.ptr + 1, v.len - 2 };
    }
    return read_pairs(parameters, v, error);
}

/* ---- forms */

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* parameters_decode, but for whether the bytes are UTF-8. */
static bool decode_bytes(StrBuf *out, StrView text)
{
    size_t from = out->len;
    bool good = true;
    for (size_t k = 0; k < text.len && good; k++) {
        char c = text.ptr[k];
        if (c == '%') {
            good = k + 2 < text.len && hex(text.ptr[k + 1]) >= 0 && hex(text.ptr[k + 2]) >= 0;
            if (!good) break;
            c = (char)(hex(text.ptr[k + 1]) * 16 + hex(text.ptr[k + 2]));
            k += 2;
        } else if (c == '+') c = ' ';
        strbuf_putc(out, c);
    }
    if (!good) strbuf_cut(out, from);
    return good;
}

bool parameters_decode(StrBuf *out, StrView text)
{
    size_t from = out->len;
    bool good = decode_bytes(out, text);
    if (good && out->len > from) good = utf8_invalid(out->ptr + from, out->len - from) == out->len - from;
    if (!good) strbuf_cut(out, from);
    return good;
}

static Status add_pair(Parameters *p, StrView pair, StrBuf *name, StrBuf *value, Error *e)
{
    const char *equals = memchr(pair.ptr, '=', pair.len);
    StrView left = { pair.ptr, equals ? (size_t)(equals - pair.ptr) : pair.len };
    StrView right = { equals ? equals + 1 : "", equals ? pair.len - left.len - 1 : 0 };
    strbuf_clear(name);
    strbuf_clear(value);
    strbuf_puts(name, "");
    strbuf_puts(value, "");
    bool good = parameters_decode(name, left) && decode_bytes(value, right);
    if (name->failed || value->failed) return no_memory(e);
    if (!good || memchr(name->ptr, 0, name->len))
        return error_set(e, ERR_FORMAT, "form: found '%.*s', expected name=value in percent-encoded UTF-8",
                         (int)utf8_cut(pair.ptr, pair.len, 60), pair.ptr);
    return parameters_add(p, name->ptr, value->ptr, value->len, e);
}

Status parameters_form(Parameters *parameters, StrView text, Error *error)
{
    StrBuf name = { 0 }, value = { 0 };
    Status s = OK;
    while (text.len && s == OK) {
        const char *end = memchr(text.ptr, '&', text.len);
        StrView pair = { text.ptr, end ? (size_t)(end - text.ptr) : text.len };
        if (pair.len) s = add_pair(parameters, pair, &name, &value, error);
        size_t taken = pair.len + (end ? 1 : 0);
        text = (StrView){ text.ptr + taken, text.len - taken };
    }
    strbuf_fini(&name);
    strbuf_fini(&value);
    return s;
}

bool parameters_type_is(const char *type, const char *expected)
{
    size_t len = strlen(expected);
    if (!type) return false;
    while (*type == ' ') type++;
    return strncasecmp(type, expected, len) == 0 && strchr("; \t", type[len]);
}

/* The next ';' outside quotes, or the end. */
static const char *next_part(const char *at)
{
    for (bool quoted = false; *at && (quoted || *at != ';'); at++)
        if (*at == '"') quoted = !quoted;
    return at;
}

bool parameters_of_header(const char *header, const char *name, StrView *value)
{
    size_t len = strlen(name);
    for (const char *at = header ? next_part(header) : ""; *at; at = next_part(at)) {
        at += 1 + strspn(at + 1, " \t");
        if (strncasecmp(at, name, len) != 0) continue;
        const char *v = at + len + strspn(at + len, " \t");
        if (*v != '=') continue;
        v += 1 + strspn(v + 1, " \t");
        bool quoted = *v == '"';
        *value = (StrView){ v + quoted, strcspn(v + quoted, quoted ? "\"" : "; \t\r\n") };
        return !quoted || value->ptr[value->len] == '"';
    }
    return false;
}

/* ---- multipart */

/* The place of `what` in text, or NULL. */
static const char *find(StrView text, StrView what) { return memmem(text.ptr, text.len, what.ptr, what.len); }

/* Adds the part: its headers, an empty line, the value. */
static Status add_part(Parameters *p, StrView part, Error *e)
{
    StrView name = { 0 };
    const char *value = find(part, (StrView){ "\r\n\r\n", 4 });
    StrBuf headers = { 0 };
    if (!value) return error_set(e, ERR_FORMAT, "multipart: found no empty line in a part");
    strbuf_add(&headers, part.ptr, (size_t)(value - part.ptr));
    bool named = false;
    for (char *line = headers.ptr; line && !named; line = strchr(line, '\n')) {
        while (*line == '\r' || *line == '\n') line++;
        if (strncasecmp(line, "Content-Disposition:", 20) != 0) continue;
        char *end = strchr(line, '\r');
        if (end) *end = 0;
        named = parameters_of_header(line, "name", &name);
        if (end) *end = '\r';
    }
    char *copy = named ? arena_strndup(p->arena, name.ptr, name.len) : NULL;
    Status s = !named || (copy && strlen(copy) != name.len)
                   ? error_set(e, ERR_FORMAT, "multipart: found a part without a name")
               : !copy || headers.failed
                   ? no_memory(e)
                   : parameters_add(p, copy, value + 4, (size_t)(part.ptr + part.len - (value + 4)), e);
    strbuf_fini(&headers);
    return s;
}

/* Parts lie between lines "--boundary"; "--boundary--" is the last one (RFC 2046, section 5.1.1). */
static Status add_parts(Parameters *p, StrView body, StrView line, Error *e)
{
    Status s = OK;
    StrView first = { line.ptr + 2, line.len - 2 }; /* the first line has no line break before it */
    const char *at = body.len >= first.len && memcmp(body.ptr, first.ptr, first.len) == 0 ? body.ptr : NULL;
    size_t skip = first.len;
    if (!at) {
        at = find(body, line);
        skip = line.len;
    }
    if (!at) return error_set(e, ERR_FORMAT, "multipart: found no line with the boundary of the Content-Type");
    while (s == OK) {
        StrView rest = { at + skip, body.len - (size_t)(at + skip - body.ptr) };
        if (rest.len >= 2 && memcmp(rest.ptr, "--", 2) == 0) return OK;
        const char *end = find(rest, line);
        if (!end) return error_set(e, ERR_FORMAT, "multipart: found no end of a part");
        s = add_part(p, (StrView){ rest.ptr, (size_t)(end - rest.ptr) }, e);
        at = end;
        skip = line.len;
    }
    return s;
}

Status parameters_multipart(Parameters *parameters, const char *type, StrView body, Error *error)
{
    StrView boundary;
    StrBuf line = { 0 };
    if (!parameters_of_header(type, "boundary", &boundary) || boundary.len == 0 || boundary.len > 200)
        return error_set(error, ERR_FORMAT, "multipart: found no boundary in the Content-Type");
    strbuf_puts(&line, "\r\n--");
    strbuf_add(&line, boundary.ptr, boundary.len);
    Status s = line.failed ? no_memory(error) : add_parts(parameters, body, (StrView){ line.ptr, line.len }, error);
    strbuf_fini(&line);
    return s;
}
