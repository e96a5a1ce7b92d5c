/* Every value goes through json_key, which looks at the last byte of the buffer and puts the
 * comma. */
#include "base/json_writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The length of U+0085, U+2028 or U+2029 at s, and *cp; 0: s begins with another character. JSON allows these three,
 * but they end lines for some readers of JSON lines. */
static size_t line_separator(const char *s, size_t n, unsigned *cp)
{
    static const char *const texts[] = { "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9" };
    static const unsigned code_points[] = { 0x85, 0x2028, 0x2029 };
    for (int k = 0; k < 3; k++) {
        size_t len = strlen(texts[k]);
        if (n < len || memcmp(s, texts[k], len) != 0) continue;
        *cp = code_points[k];
        return len;
    }
    return 0;
}

/* Appends UTF-8 as the inside of a JSON string. */
static void put_inside(StrBuf *b, const char *s, size_t n)
{
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        unsigned cp = c;
        size_t separator = c == 0xc2 || c == 0xe2 ? line_separator(s + i, n - i, &cp) : 0;
        if (c >= 0x20 && c != '"' && c != '\\' && !separator) continue;
        strbuf_add(b, s + from, i - from);
        if (separator) i += separator - 1;
        from = i + 1;
        if (c == '"') strbuf_puts(b, "\\\"");
        else if (c == '\\') strbuf_puts(b, "\\\\");
        else if (c == '\n') strbuf_puts(b, "\\n");
        else if (c == '\t') strbuf_puts(b, "\\t");
        else strbuf_printf(b, "\\u%04x", cp);
    }
    if (from < n) strbuf_add(b, s + from, n - from); /* s of no bytes may be NULL */
}

static void put_string(StrBuf *b, const char *s, size_t n)
{
    strbuf_putc(b, '"');
    for (size_t good; (good = utf8_invalid(s, n)) < n; s += good + 1, n -= good + 1) {
        put_inside(b, s, good);
        strbuf_puts(b, "\ufffd");
    }
    put_inside(b, s, n);
    strbuf_putc(b, '"');
}

/* Does the buffer end with a string, an object, an array, or a number or word? */
static bool follows_value(const StrBuf *out)
{
    char last = out->len ? out->ptr[out->len - 1] : ' ';
    return last == '"' || last == '}' || last == ']' || (last >= '0' && last <= '9') || (last >= 'a' && last <= 'z');
}

void json_key(StrBuf *out, const char *key)
{
    if (follows_value(out)) strbuf_puts(out, out->compact ? "," : ", ");
    if (!key) return;
    put_string(out, key, strlen(key));
    strbuf_puts(out, out->compact ? ":" : ": ");
}

void json_line(StrBuf *out) { strbuf_puts(out, follows_value(out) ? ",\n" : "\n"); }

void json_value(StrBuf *out, const char *key, const char *json)
{
    json_key(out, key);
    strbuf_puts(out, json ? json : "null");
}

void json_object(StrBuf *out, const char *key) { json_value(out, key, "{"); }

void json_object_end(StrBuf *out) { strbuf_putc(out, '}'); }

void json_array(StrBuf *out, const char *key) { json_value(out, key, "["); }

void json_array_end(StrBuf *out) { strbuf_putc(out, ']'); }

void json_bool(StrBuf *out, const char *key, bool value) { json_value(out, key, value ? "true" : "false"); }

void json_view(StrBuf *out, const char *key, StrView text)
{
    json_key(out, key);
    put_string(out, text.ptr, text.len);
}

void json_string(StrBuf *out, const char *key, const char *text)
{
    if (text) json_view(out, key, (StrView){ text, strlen(text) });
    else json_value(out, key, NULL);
}

void json_take(StrBuf *out, const char *key, StrBuf *text)
{
    json_string(out, key, text->ptr ? text->ptr : "");
    out->failed |= text->failed;
    strbuf_fini(text);
}

void json_strings(StrBuf *out, const char *key, const char *const *texts, int n)
{
    json_array(out, key);
    for (int k = 0; k < n; k++) json_string(out, NULL, texts[k]);
    json_array_end(out);
}

void json_ints(StrBuf *out, const char *key, const int *values, int n)
{
    json_array(out, key);
    for (int k = 0; k < n; k++) json_long(out, NULL, values[k]);
    json_array_end(out);
}

void json_long(StrBuf *out, const char *key, long value)
{
    json_key(out, key);
    strbuf_long(out, value);
}

void json_real(StrBuf *out, const char *key, const char *format, double value)
{
    json_key(out, key);
    if (isfinite(value)) strbuf_printf(out, format, value);
    else strbuf_puts(out, "null");
}

void json_fixed(StrBuf *out, const char *key, double value, int digits)
{
    json_key(out, key);
    if (isfinite(value)) strbuf_fixed(out, value, digits);
    else strbuf_puts(out, "null");
}

static void put_members(StrBuf *out, const char *members, va_list ap)
{
    char key[48], format[16];
    for (const char *at = members; *at; at += strspn(at, ", ")) {
        size_t name = strcspn(at, ":"), size = strcspn(at + name + 2, ",");
        snprintf(key, sizeof key, "%.*s", (int)name, at);
        snprintf(format, sizeof format, "%.*s", (int)size, at + name + 2);
        at += name + 2 + size;
        if (strcmp(format, "%s") == 0) json_string(out, key, va_arg(ap, const char *));
        else if (strcmp(format, "%d") == 0) json_long(out, key, va_arg(ap, int));
        else if (strcmp(format, "%ld") == 0) json_long(out, key, va_arg(ap, long));
        else json_real(out, key, format, va_arg(ap, double));
    }
}

void json_members(StrBuf *out, const char *members, ...)
{
    va_list ap;
    va_start(ap, members);
    put_members(out, members, ap);
    va_end(ap);
}

void json_record(StrBuf *out, const char *key, const char *members, ...)
{
    va_list ap;
    va_start(ap, members);
    json_object(out, key);
    put_members(out, members, ap);
    json_object_end(out);
    va_end(ap);
}
