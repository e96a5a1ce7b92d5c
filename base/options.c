/* base/options.c */
#include "base/options.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/locale.h"

static void *field_of(const Option *o, void *fields) { return (char *)fields + o->offset; }
static const void *field_in(const Option *o, const void *fields) { return (const char *)fields + o->offset; }

/* The name as spelt on the command line: "word-dropout". */
typedef struct OptionName {
    char text[64];
} OptionName;

static OptionName shown(const Option *o)
{
    OptionName n;
    snprintf(n.text, sizeof n.text, "%s", o->name);
    for (char *p = n.text; *p; p++)
        if (*p == '_') *p = '-';
    return n;
}

/* Index of name among "a|b|c", or -1. */
static int choice_find(const char *choices, const char *name)
{
    size_t len = strlen(name);
    int k = 0;
    for (const char *p = choices; p; k++) {
        const char *bar = strchr(p, '|');
        size_t l = bar ? (size_t)(bar - p) : strlen(p);
        if (l == len && memcmp(p, name, l) == 0) return k;
        p = bar ? bar + 1 : NULL;
    }
    return -1;
}

static StrView choice_name(const char *choices, int k)
{
    const char *p = choices;
    while (k-- > 0 && (p = strchr(p, '|'))) p++;
    if (!p) return (StrView){ "?", 1 };
    const char *bar = strchr(p, '|');
    return (StrView){ p, bar ? (size_t)(bar - p) : strlen(p) };
}

static Status set_number(const Option *o, void *field, const char *value, Error *e)
{
    char *end;
    errno = 0;
    double x = locale_strtod(value, &end);
    bool whole = o->type != OPT_REAL;
    if (end == value || *end || errno || x != x || (whole && (fabs(x) > 9e15 || x != (double)(long)x)))
        return error_set(e, ERR_USAGE, "--%s: found '%s', expected %s", shown(o).text, value,
                         whole ? "a whole number" : "a number");
    if (x < o->min || x > o->max)
        return error_set(e, ERR_USAGE, "--%s: found %s, expected a value from %g to %g", shown(o).text, value, o->min,
                         o->max);
    if (o->type == OPT_INT) *(int *)field = (int)x;
    else if (o->type == OPT_LONG) *(long *)field = (long)x;
    else *(double *)field = x;
    return OK;
}

Status option_set(const Option *o, void *fields, const char *value, Error *e)
{
    void *field = field_of(o, fields);
    switch (o->type) {
    case OPT_BOOL:
        if (strcmp(value, "true") == 0 || strcmp(value, "1") == 0) *(bool *)field = true;
        else if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0) *(bool *)field = false;
        else return error_set(e, ERR_USAGE, "--%s: found '%s', expected true or false", shown(o).text, value);
        return OK;
    case OPT_INT:
    case OPT_LONG:
    case OPT_REAL: return set_number(o, field, value, e);
    case OPT_STRING: *(const char **)field = value; return OK;
    case OPT_ENUM: {
        int k = choice_find(o->value, value);
        if (k < 0)
            return error_set(e, ERR_USAGE, "--%s: found '%s', expected one of %s", shown(o).text, value, o->value);
        *(int *)field = k;
        return OK;
    }
    case OPT_LIST: {
        OptionList *l = field;
        if (l->n == OPTION_LIST_MAX)
            return error_set(e, ERR_USAGE, "--%s: given more than %d times", shown(o).text, OPTION_LIST_MAX);
        l->item[l->n++] = value;
        return OK;
    }
    }
    return OK;
}

void options_defaults(const Option *table, void *fields)
{
    for (const Option *o = table; o->name; o++) {
        if (o->initial) option_set(o, fields, o->initial, NULL);
        else if (o->type == OPT_STRING) *(const char **)field_of(o, fields) = NULL;
        else if (o->type == OPT_LIST) ((OptionList *)field_of(o, fields))->n = 0;
    }
}

/* Does the argument (after --, up to '=' or its end) name the option? '-' and '_' are the same. */
static bool same_name(const char *name, const char *arg, size_t len)
{
    if (strlen(name) != len) return false;
    for (size_t i = 0; i < len; i++)
        if (name[i] != (arg[i] == '-' ? '_' : arg[i])) return false;
    return true;
}

static const Option *find(const Option *const *tables, int n_tables, const char *arg, size_t len, int *which)
{
    for (*which = 0; *which < n_tables; ++*which)
        for (const Option *o = tables[*which]; o->name; o++)
            if (same_name(o->name, arg, len)) return o;
    return NULL;
}

Status options_parse(const Option *const *tables, void *const *fields, int n_tables, int argc, char **argv, char **rest,
                     int *n_rest, Error *e)
{
    *n_rest = 0;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--") == 0) {
            while (++i < argc) rest[(*n_rest)++] = argv[i];
            break;
        }
        if (a[0] != '-' || !a[1]) {
            rest[(*n_rest)++] = argv[i];
            continue;
        }
        if (a[1] != '-') return error_set(e, ERR_USAGE, "found '%s', expected an option such as --help", a);
        const char *name = a + 2, *eq = strchr(name, '='), *value = eq ? eq + 1 : NULL;
        size_t len = eq ? (size_t)(eq - name) : strlen(name);
        int which;
        const Option *o = find(tables, n_tables, name, len, &which);
        bool negated = false;
        if (!o && len > 3 && strncmp(name, "no-", 3) == 0) {
            o = find(tables, n_tables, name + 3, len - 3, &which);
            negated = o && o->type == OPT_BOOL && !value;
            if (!negated) o = NULL;
        }
        if (!o) return error_set(e, ERR_USAGE, "unknown option '%s'", a);
        if (o->type == OPT_BOOL && !value) value = negated ? "false" : "true";
        else if (!value) {
            if (i + 1 >= argc) return error_set(e, ERR_USAGE, "--%.*s: found no value, expected one", (int)len, name);
            value = argv[++i];
        }
        Status s = option_set(o, fields[which], value, e);
        if (s != OK) return s;
    }
    return OK;
}

/* One value of a JSON object or list. path is used in messages. */
static Status set_from_json(const Option *o, void *fields, const cJSON *value, Arena *strings, const char *path,
                            Error *e)
{
    char number[40];
    const char *text = number;
    if (cJSON_IsBool(value)) text = cJSON_IsTrue(value) ? "true" : "false";
    else if (cJSON_IsNumber(value)) locale_snprintf(number, sizeof number, "%.17g", value->valuedouble);
    else if (cJSON_IsString(value)) text = value->valuestring;
    else if (cJSON_IsNull(value)) return OK;
    else return error_at(e, ERR_CONFIG, path, 0, 0, "\"%s\": found a list or an object, expected one value", o->name);
    text = arena_strndup(strings, text, strlen(text)); /* the field may keep it */
    if (!text) return error_set(e, ERR_NOMEM, "out of memory reading a configuration");
    Error why = { 0 };
    return option_set(o, fields, text, &why) == OK ? OK : error_at(e, ERR_CONFIG, path, 0, 0, "%s", why.message);
}

/* Replaces a list by an array of strings. */
static Status list_from_json(const Option *o, void *fields, const cJSON *array, Arena *strings, const char *path,
                             Error *e)
{
    bool good = cJSON_IsArray(array);
    for (const cJSON *x = good ? array->child : NULL; x && good; x = x->next) good = cJSON_IsString(x);
    if (!good) return error_at(e, ERR_CONFIG, path, 0, 0, "\"%s\": expected an array of strings", o->name);
    Status s = OK;
    ((OptionList *)field_of(o, fields))->n = 0;
    for (const cJSON *x = array->child; x && s == OK; x = x->next) s = set_from_json(o, fields, x, strings, path, e);
    return s;
}

Status options_from_json(const Option *table, void *fields, const cJSON *object, Arena *strings, const char *path,
                         Error *e)
{
    if (!cJSON_IsObject(object)) return error_at(e, ERR_CONFIG, path, 0, 0, "expected a JSON object");
    Status s = OK;
    for (const cJSON *m = object->child; m && s == OK; m = m->next) {
        const Option *o = table;
        while (o->name && strcmp(o->name, m->string) != 0) o++;
        if (!o->name) return error_at(e, ERR_CONFIG, path, 0, 0, "unknown configuration key \"%s\"", m->string);
        if (o->type == OPT_LIST) s = list_from_json(o, fields, m, strings, path, e);
        else s = set_from_json(o, fields, m, strings, path, e);
    }
    return s;
}

/* The shortest text that reads back as the same double; null if x is not finite. */
static void put_real(StrBuf *out, double x)
{
    char buf[40];
    for (int digits = 6; digits <= 17; digits++) {
        locale_snprintf(buf, sizeof buf, "%.*g", digits, x);
        if (locale_strtod(buf, NULL) == x) break;
    }
    strbuf_puts(out, isfinite(x) ? buf : "null");
}

static void put_list(StrBuf *out, const OptionList *l)
{
    strbuf_putc(out, '[');
    for (int k = 0; k < l->n; k++) {
        if (k) strbuf_puts(out, ", ");
        strbuf_json(out, l->item[k], strlen(l->item[k]));
    }
    strbuf_putc(out, ']');
}

void options_to_json(const Option *table, const void *fields, StrBuf *out)
{
    strbuf_putc(out, '{');
    bool first = true;
    for (const Option *o = table; o->name; o++) {
        const void *field = field_in(o, fields);
        if (!first) strbuf_puts(out, ", ");
        first = false;
        strbuf_json(out, o->name, strlen(o->name));
        strbuf_puts(out, ": ");
        switch (o->type) {
        case OPT_BOOL: strbuf_puts(out, *(const bool *)field ? "true" : "false"); break;
        case OPT_INT: strbuf_printf(out, "%d", *(const int *)field); break;
        case OPT_LONG: strbuf_printf(out, "%ld", *(const long *)field); break;
        case OPT_REAL: put_real(out, *(const double *)field); break;
        case OPT_STRING: {
            const char *s = *(const char *const *)field;
            if (s) strbuf_json(out, s, strlen(s));
            else strbuf_puts(out, "null");
            break;
        }
        case OPT_ENUM: {
            StrView v = choice_name(o->value, *(const int *)field);
            strbuf_json(out, v.ptr, v.len);
            break;
        }
        case OPT_LIST: put_list(out, field); break;
        }
    }
    strbuf_putc(out, '}');
}

/* "--word-dropout X", with marks around the name and around the value. A bool that is on by default: "--[no-]words". */
static void put_usage(const Option *o, const char *name_mark, const char *value_mark, const char *end, StrBuf *out)
{
    bool on = o->type == OPT_BOOL && o->initial && strcmp(o->initial, "true") == 0;
    const char *value = o->value                                       ? o->value
                        : o->type == OPT_BOOL                          ? ""
                        : o->type == OPT_STRING || o->type == OPT_LIST ? "TEXT"
                        : o->type == OPT_REAL                          ? "X"
                                                                       : "N";
    strbuf_puts(out, name_mark);
    strbuf_printf(out, "--%s%s", on ? "[no-]" : "", shown(o).text);
    strbuf_puts(out, end);
    if (*value) strbuf_printf(out, " %s%s%s", value_mark, value, end);
}

static void put_about(const Option *o, StrBuf *out)
{
    strbuf_puts(out, o->help);
    if (o->type == OPT_LIST) strbuf_puts(out, "; may be given more than once");
    else if (o->type != OPT_BOOL && o->initial && o->initial[0]) strbuf_printf(out, " (default %s)", o->initial);
}

/* Lines of at most HELP_COLUMNS, each after HELP_INDENT blanks; a longer word has a line of its own. */
static void put_lines(const char *text, StrBuf *out)
{
    enum { HELP_COLUMNS = 80, HELP_INDENT = 6 };
    size_t column = 0;
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, " ");
        bool same = column && column + 1 + len <= HELP_COLUMNS;
        if (!same) strbuf_printf(out, "%s%*s", column ? "\n" : "", HELP_INDENT, "");
        else strbuf_putc(out, ' ');
        strbuf_add(out, p, len);
        column = (same ? column + 1 : HELP_INDENT) + len;
        p += len + strspn(p + len, " ");
    }
    strbuf_putc(out, '\n');
}

void options_help(const Option *table, StrBuf *out)
{
    StrBuf about = { 0 };
    for (const Option *o = table; o->name; o++) {
        strbuf_clear(&about);
        put_about(o, &about);
        if (about.failed) out->failed = true;
        strbuf_puts(out, "  ");
        put_usage(o, "", "", "", out);
        strbuf_putc(out, '\n');
        put_lines(about.ptr ? about.ptr : "", out);
    }
    strbuf_fini(&about);
}

void options_manual(const Option *table, StrBuf *out)
{
    for (const Option *o = table; o->name; o++) {
        strbuf_puts(out, ".TP\n");
        put_usage(o, "\\fB", "\\fI", "\\fR", out);
        strbuf_putc(out, '\n');
        put_about(o, out);
        strbuf_putc(out, '\n');
    }
}
