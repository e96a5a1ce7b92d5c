/* CJSON is called under a lock; what it refuses is scanned again without memory, which tells a text
 * that is not JSON from a lack of memory. */
#include "base/json.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/locale.h"

enum { JSON_NESTING = CJSON_NESTING_LIMIT + 1 };

static void *allocate(size_t size) { return mem_alloc(size, 1); }

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
}

static void end(void) { pthread_mutex_unlock(&lock); }

/* ---- is a text JSON?
 * cJSON returns NULL for a text that is not JSON and for lack of memory, and the allocator may be the host's. So what
 * it has refused is read once more, without memory. Blanks and characters of control are what they are for cJSON. */

typedef struct Scan {
    const char *at, *end;
} Scan;

static char peek(const Scan *s) { return s->at < s->end ? *s->at : '\0'; }

static void skip_blanks(Scan *s)
{
    while (s->at < s->end && (unsigned char)*s->at <= ' ') s->at++;
}

static bool take(Scan *s, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, text, n) != 0) return false;
    s->at += n;
    return true;
}

/* The number of four hexadecimal digits, or -1. */
static long four_digits(const char *s, size_t len)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    long number = 0;
    for (size_t k = 0; k < 4; k++) {
        const char *at = k < len ? memchr(digits, s[k], sizeof digits - 1) : NULL;
        if (!at) return -1;
        number = number * 16 + (at - digits < 16 ? at - digits : at - digits - 6);
    }
    return number;
}

/* Four hexadecimal digits; -1: there are none. */
static long take_unit(Scan *s)
{
    long unit = four_digits(s->at, (size_t)(s->end - s->at));
    if (unit >= 0) s->at += 4;
    return unit;
}

/* What follows a backslash. */
static bool take_escape(Scan *s)
{
    if (!take(s, "u")) return s->at < s->end && memchr("\"\\/bfnrt", *s->at++, 8);
    long unit = take_unit(s);
    if (unit >= 0xD800 && unit <= 0xDBFF) { /* the first half of a character */
        if (!take(s, "\\u")) return false;
        unit = take_unit(s);
        return unit >= 0xDC00 && unit <= 0xDFFF;
    }
    return unit >= 0 && (unit < 0xDC00 || unit > 0xDFFF);
}

static bool take_string(Scan *s)
{
    bool good = take(s, "\"");
    while (good && s->at < s->end && *s->at != '"') good = *s->at++ != '\\' || take_escape(s);
    return good && take(s, "\"");
}

static bool take_number(Scan *s)
{
    char text[64], *end; /* as many characters as cJSON takes */
    size_t n = 0;
    while (n < sizeof text - 1 && s->at + n < s->end && memchr("0123456789+-eE.", s->at[n], 15)) n++;
    memcpy(text, s->at, n);
    text[n] = '\0';
    if (*text != '-' && (*text < '0' || *text > '9')) return false;
    locale_strtod(text, &end);
    s->at += end - text;
    return end > text;
}

/* A value that is neither an array nor an object. */
static bool take_plain(Scan *s)
{
    return take(s, "null") || take(s, "true") || take(s, "false") || (peek(s) == '"' ? take_string(s) : take_number(s));
}

static bool is_json(const char *text, size_t len)
{
    Scan s = { text, text + len };
    char ends[JSON_NESTING + 1]; /* of the arrays and objects that are open */
    int depth = 0;
    if (len > 4) take(&s, "\xEF\xBB\xBF"); /* cJSON takes the mark only before two bytes or more */
    for (bool more = true; more;) {        /* a value, or a name and a value */
        skip_blanks(&s);
        if (depth && ends[depth - 1] == '}') {
            if (!take_string(&s)) return false;
            skip_blanks(&s);
            if (!take(&s, ":")) return false;
            skip_blanks(&s);
        }
        if (peek(&s) == '[' || peek(&s) == '{') {
            if (depth == CJSON_NESTING_LIMIT) return false;
            ends[depth++] = *s.at++ == '[' ? ']' : '}';
            skip_blanks(&s);
            if (peek(&s) != ends[depth - 1]) continue;
        } else if (!take_plain(&s)) return false;
        for (skip_blanks(&s); depth && peek(&s) == ends[depth - 1]; skip_blanks(&s)) {
            depth--;
            s.at++;
        }
        more = depth && take(&s, ",");
    }
    return depth == 0 && s.at == s.end;
}

/* json_parse; *offset becomes that where a text that is not JSON stops being it. */
static Status parse(const char *text, size_t len, cJSON **value, size_t *offset, Error *e)
{
    const char *at = text;
    start();
    void *before = locale_point_begin();
    *value = cJSON_ParseWithLengthOpts(text, len, &at, false);
    locale_point_end(before);
    end();
    bool refused = !*value;
    while (*value && at < text + len && memchr(" \t\r\n", *at, 4)) at++;
    *offset = at && at >= text ? (size_t)(at - text) : 0;
    if (*value && at == text + len) return OK;
    cJSON_Delete(*value);
    *value = NULL;
    return refused && is_json(text, len) ? error_set(e, ERR_NOMEM, "out of memory reading JSON") : ERR_FORMAT;
}

Status json_parse(const char *text, size_t len, cJSON **value, Error *error)
{
    size_t offset;
    return parse(text, len, value, &offset, error);
}

/* Does the text end inside a string, an array or an object, without one that closes another one? */
static bool ends_inside(const char *text, size_t len)
{
    char open[JSON_NESTING];
    bool inside = false;
    size_t depth = 0;
    for (size_t at = 0; at < len; at++) {
        char c = text[at];
        if (c == '"') inside = !inside;
        else if (inside) at += c == '\\';
        else if (c == '{' || c == '[') {
            if (depth == JSON_NESTING) return false;
            open[depth++] = c;
        } else if ((c == '}' || c == ']') && (!depth || open[--depth] != (c == '}' ? '{' : '['))) return false;
    }
    return inside || depth;
}

Status json_parse_file(const char *text, size_t len, const char *path, cJSON **value, Error *error)
{
    size_t offset;
    Status s = parse(text, len, value, &offset, error);
    if (s != ERR_FORMAT) return s;
    if (offset + 1 >= len && ends_inside(text, len)) offset = len; /* cJSON says len - 1 for the end */
    if (offset > len) offset = len;
    TextPlace p = text_place((TextPlace){ 1, 1 }, text, offset);
    if (offset == len) return error_at(error, s, path, p.line, p.column, "found the end, expected more JSON");
    return error_at(error, s, path, p.line, p.column, "found '%.*s', expected JSON",
                    (int)utf8_cut(text + offset, strcspn(text + offset, "\r\n"), 30), text + offset);
}

/* ---- what cJSON takes though it is wrong */

/* What is wrong with the escape that s [len > 0] begins with, or NULL; *taken is its length. */
static const char *escape_fault(const char *s, size_t len, size_t *taken)
{
    *taken = 2;
    if (len < 2 || !memchr("\"\\/bfnrtu", s[1], 9)) return "found a backslash that escapes nothing";
    if (s[1] != 'u') return NULL;
    *taken = 6;
    long unit = four_digits(s + 2, len - 2);
    if (unit < 0) return "found \\u without four hexadecimal digits";
    if (unit == 0) return "found \\u0000, a NUL character";
    if (unit < 0xd800 || unit > 0xdfff) return NULL;
    long low = len > 8 && s[6] == '\\' && s[7] == 'u' ? four_digits(s + 8, len - 8) : -1;
    if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) return "found half of a pair of surrogates";
    *taken = 12;
    return NULL;
}

static size_t digits_of(const char *s, size_t len)
{
    size_t n = 0;
    while (n < len && s[n] >= '0' && s[n] <= '9') n++;
    return n;
}

/* Is it a number of JSON? */
static bool is_number(const char *s, size_t len)
{
    size_t at = len && *s == '-', whole = digits_of(s + at, len - at), more;
    if (!whole || (whole > 1 && s[at] == '0')) return false;
    at += whole;
    if (at < len && s[at] == '.') {
        more = digits_of(s + at + 1, len - at - 1);
        if (!more) return false;
        at += 1 + more;
    }
    if (at < len && (s[at] == 'e' || s[at] == 'E')) {
        at += at + 1 < len && (s[at + 1] == '+' || s[at + 1] == '-') ? 2 : 1;
        more = digits_of(s + at, len - at);
        if (!more) return false;
        at += more;
    }
    return at == len;
}

static bool in_number(char c) { return (c >= '0' && c <= '9') || (c && strchr("+-.eE", c)); }

/* What is wrong outside of strings with the byte or number that s [len > 0] begins with, or NULL. */
static const char *token_fault(const char *s, size_t len, size_t *taken)
{
    *taken = 1;
    if ((unsigned char)*s < 0x20 && !memchr("\t\n\r", *s, 3)) return "found a control character";
    if (*s != '-' && !digits_of(s, 1)) return NULL;
    while (*taken < len && in_number(s[*taken])) ++*taken;
    return is_number(s, *taken) ? NULL : "found a number that JSON does not have";
}

size_t json_fault(const char *text, size_t len, const char **found)
{
    bool inside = false;
    size_t taken = 1;
    for (size_t at = 0; at < len; at += taken) {
        const char *s = text + at;
        *found = NULL;
        taken = 1;
        if (*s == '"') inside = !inside;
        else if (!inside) *found = token_fault(s, len - at, &taken);
        else if (*s == '\\') *found = escape_fault(s, len - at, &taken);
        else if ((unsigned char)*s < 0x20) *found = "found a control character in a string, expected it escaped";
        if (*found) return at;
    }
    return len;
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
