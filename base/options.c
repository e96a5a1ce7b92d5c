/* What a table of options is used for: values from text, command lines and JSON, back to JSON, then
 * help and manual pages. */
#include "base/options.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/locale.h"
#include "base/suggest.h"

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

/* Names of one letter, for options that many commands have, and of lal search. */
static const struct {
    char letter;
    const char *name;
} LETTERS[] = { { 'm', "model" },     { 'f', "format" },  { 'o', "out" },        { 'j', "threads" }, { 'q', "quiet" },
                { 'n', "processes" }, { 'm', "most" },    { 'f', "patterns" },   { 'c', "count" },   { 'l', "files" },
                { 'v', "invert" },    { 'C', "context" }, { 'i', "ignore_case" } };

static char letter_of(const Option *o)
{
    for (size_t k = 0; k < sizeof LETTERS / sizeof *LETTERS; k++)
        if (strcmp(LETTERS[k].name, o->name) == 0) return LETTERS[k].letter;
    return 0;
}

char option_letter(const Option *table, const Option *option)
{
    char letter = letter_of(option);
    while (table < option && letter_of(table) != letter) table++;
    return table == option ? letter : 0;
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

StrView option_choice(const char *choices, int k)
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
        return error_set(e, ERR_USAGE, "found '%s', expected %s", value, whole ? "a whole number" : "a number");
    if (x < o->min || x > o->max)
        return error_set(e, ERR_USAGE, "found %s, expected a value from %g to %g", value, o->min, o->max);
    if (o->type == OPT_INT) *(int *)field = (int)x;
    else if (o->type == OPT_LONG) *(long *)field = (long)x;
    else *(double *)field = x;
    return OK;
}

static Status set_choice(const Option *o, void *field, const char *value, Error *e)
{
    int k = choice_find(o->value, value);
    if (k >= 0) {
        *(int *)field = k;
        return OK;
    }
    Suggestion near = suggest_for(value, strlen(value));
    suggest_choices(&near, o->value);
    return error_set(e, ERR_USAGE, "found '%s', expected one of %s%s", value, o->value, suggest_text(&near, "").text);
}

Status option_read(const Option *option, void *fields, const char *value, Error *error)
{
    void *field = field_of(option, fields);
    switch (option->type) {
    case OPT_BOOL:
        if (strcmp(value, "true") == 0 || strcmp(value, "1") == 0) *(bool *)field = true;
        else if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0) *(bool *)field = false;
        else return error_set(error, ERR_USAGE, "found '%s', expected true or false", value);
        return OK;
    case OPT_INT:
    case OPT_LONG:
    case OPT_REAL: return set_number(option, field, value, error);
    case OPT_STRING:
    case OPT_WORDS: *(const char **)field = value; return OK;
    case OPT_ENUM: return set_choice(option, field, value, error);
    case OPT_LIST: {
        OptionList *l = field;
        if (l->n == OPTION_LIST_MAX) return error_set(error, ERR_USAGE, "given more than %d times", OPTION_LIST_MAX);
        l->item[l->n++] = value;
        return OK;
    }
    }
    return OK;
}

Status option_set(const Option *option, void *fields, const char *value, Error *error)
{
    Error why = { 0 };
    Status s = option_read(option, fields, value, &why);
    return s == OK ? OK : error_set(error, s, "--%s: %s", shown(option).text, why.message);
}

void option_default(const Option *option, void *fields)
{
    if (option->initial) option_set(option, fields, option->initial, NULL);
    else if (option->type == OPT_STRING || option->type == OPT_WORDS) *(const char **)field_of(option, fields) = NULL;
    else if (option->type == OPT_LIST) ((OptionList *)field_of(option, fields))->n = 0;
    else if (option->type == OPT_ENUM || option->type == OPT_INT) *(int *)field_of(option, fields) = 0;
}

void options_defaults(const Option *table, void *fields)
{
    for (const Option *o = table; o->name; o++) option_default(o, fields);
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

bool option_same(const Option *option, const void *a, const void *b)
{
    const void *x = field_in(option, a), *y = field_in(option, b);
    switch (option->type) {
    case OPT_BOOL: return *(const bool *)x == *(const bool *)y;
    case OPT_INT:
    case OPT_ENUM: return *(const int *)x == *(const int *)y;
    case OPT_LONG: return *(const long *)x == *(const long *)y;
    case OPT_REAL: return *(const double *)x == *(const double *)y;
    case OPT_STRING:
    case OPT_WORDS: return same_text(*(const char *const *)x, *(const char *const *)y);
    case OPT_LIST: break;
    }
    const OptionList *l = x, *m = y;
    bool same = l->n == m->n;
    for (int k = 0; k < l->n && same; k++) same = same_text(l->item[k], m->item[k]);
    return same;
}

/* Does the argument (after --, up to '=' or its end) name the option? '-' and '_' are the same. */
static bool same_name(const char *name, const char *arg, size_t len)
{
    if (strlen(name) != len) return false;
    for (size_t i = 0; i < len; i++)
        if (name[i] != (arg[i] == '-' ? '_' : arg[i])) return false;
    return true;
}

/* A command line: its options, and the argument that is read. */
typedef struct CommandLine {
    const Option *const *tables;
    void *const *fields;
    int n_tables, argc, at;
    char **argv;
} CommandLine;

static const Option *find(const CommandLine *c, const char *arg, size_t len, void **fields)
{
    for (int k = 0; k < c->n_tables; k++)
        for (const Option *o = c->tables[k]; o->name; o++)
            if (same_name(o->name, arg, len)) {
                *fields = c->fields[k];
                return o;
            }
    return NULL;
}

static const Option *find_letter(const CommandLine *c, char letter, void **fields)
{
    for (int k = 0; k < c->n_tables; k++)
        for (const Option *o = c->tables[k]; o->name; o++)
            if (option_letter(c->tables[k], o) == letter) {
                *fields = c->fields[k];
                return o;
            }
    return NULL;
}

/* Options of every command, which the program looks for before it reads the others. */
static const char EVERYWHERE[] = "help|version";

static bool is_everywhere(const char *name) { return strcmp(name, "help") == 0 || strcmp(name, "version") == 0; }

static Status unknown(const CommandLine *c, const char *arg, const char *name, size_t len, Error *e)
{
    bool negated = strncmp(name, "no-", 3) == 0 && len > 3;
    Suggestion near = suggest_for(name, len), positive = suggest_for(name + 3, negated ? len - 3 : 0);
    suggest_choices(&near, EVERYWHERE);
    for (int k = 0; k < c->n_tables; k++)
        for (const Option *o = c->tables[k]; o->name; o++) {
            suggest_name(&near, o->name, strlen(o->name));
            if (negated && o->type == OPT_BOOL) suggest_name(&positive, o->name, strlen(o->name));
        }
    SuggestionText text = positive.best.len ? suggest_text(&positive, "--no-") : suggest_text(&near, "--");
    return error_set(e, ERR_USAGE, "unknown option '%s'%s", arg, text.text);
}

/* The argument after the present one, as the value of the option `name`. */
static Status next_value(CommandLine *c, const char *name, const char **value, Error *e)
{
    if (c->at + 1 >= c->argc) return error_set(e, ERR_USAGE, "%s: found no value, expected one", name);
    *value = c->argv[++c->at];
    return OK;
}

/* --name, --no-name, --name=value, --name value */
static Status parse_long(CommandLine *c, Error *e)
{
    const char *a = c->argv[c->at], *name = a + 2, *eq = strchr(name, '='), *value = eq ? eq + 1 : NULL;
    size_t len = eq ? (size_t)(eq - name) : strlen(name);
    void *fields;
    const Option *o = find(c, name, len, &fields);
    bool negated = false;
    if (!o && len > 3 && strncmp(name, "no-", 3) == 0) {
        o = find(c, name + 3, len - 3, &fields);
        negated = o && o->type == OPT_BOOL && !value;
        if (!negated) o = NULL;
    }
    if (!o) return unknown(c, a, name, len, e);
    Status s = OK;
    if (o->type == OPT_BOOL && !value) value = negated ? "false" : "true";
    else if (!value) s = next_value(c, a, &value, e);
    return s == OK ? option_set(o, fields, value, e) : s;
}

/* Letters of flags, then at most one letter with a value: -q, -qf json, -fjson */
static Status parse_letters(CommandLine *c, Error *e)
{
    const char *a = c->argv[c->at];
    void *fields;
    if (a[2] && (find(c, a + 1, strlen(a + 1), &fields) || is_everywhere(a + 1))) /* -output is not -o utput */
        return error_set(e, ERR_USAGE, "unknown option '%s'; did you mean '-%s'?", a, a);
    for (const char *p = a + 1; *p; p++) {
        const char name[] = { '-', *p, 0 }, *value = p[1] ? p + 1 : NULL;
        const Option *o = find_letter(c, *p, &fields);
        if (!o) return error_set(e, ERR_USAGE, "unknown option '%s'", p == a + 1 ? a : name);
        Status s = OK;
        bool flag = o->type == OPT_BOOL;
        if (flag) value = "true";
        else if (!value) s = next_value(c, name, &value, e);
        if (s == OK) s = option_set(o, fields, value, e);
        if (s != OK || !flag) return s;
    }
    return OK;
}

Status options_parse(const Option *const *tables, void *const *fields, int n_tables, int argc, char **argv, char **rest,
                     int *n_rest, Error *error)
{
    CommandLine c = { tables, fields, n_tables, argc, 1, argv };
    *n_rest = 0;
    for (; c.at < argc; c.at++) {
        char *a = argv[c.at];
        if (strcmp(a, "--") == 0) {
            while (++c.at < argc) rest[(*n_rest)++] = argv[c.at];
            break;
        }
        if (a[0] != '-' || !a[1]) {
            rest[(*n_rest)++] = a;
            continue;
        }
        Status s = a[1] == '-' ? parse_long(&c, error) : parse_letters(&c, error);
        if (s != OK) return s;
    }
    return OK;
}

/* A copy of a JSON value as the text that the command line would have; NULL if it is null, or after an error. */
static const char *text_of_json(const cJSON *value, Arena *strings, Error *e)
{
    char number[40];
    const char *text = number;
    if (cJSON_IsBool(value)) text = cJSON_IsTrue(value) ? "true" : "false";
    else if (cJSON_IsNumber(value)) locale_snprintf(number, sizeof number, "%.17g", value->valuedouble);
    else if (cJSON_IsString(value)) text = value->valuestring;
    else if (cJSON_IsNull(value)) return NULL;
    else {
        error_set(e, ERR_CONFIG, "found a list or an object, expected one value");
        return NULL;
    }
    const char *copy = arena_strndup(strings, text, strlen(text));
    if (!copy) error_set(e, ERR_NOMEM, "out of memory reading a configuration");
    return copy;
}

static bool is_strings(const cJSON *array)
{
    bool good = cJSON_IsArray(array);
    for (const cJSON *x = good ? array->child : NULL; x && good; x = x->next) good = cJSON_IsString(x);
    return good;
}

/* Replaces the words of OPT_WORDS by an array of them. */
static Status words_from_json(const Option *o, void *fields, const cJSON *array, Arena *strings, Error *e)
{
    StrBuf words = { 0 };
    Status s = OK;
    for (const cJSON *x = array->child; x && s == OK; x = x->next) {
        if (!x->valuestring[0] || strpbrk(x->valuestring, " \t\r\n"))
            s = error_set(e, ERR_CONFIG, "found '%s', expected a word without blanks", x->valuestring);
        if (x != array->child) strbuf_putc(&words, ' ');
        strbuf_puts(&words, x->valuestring);
    }
    const char *copy = s == OK && !words.failed ? arena_strndup(strings, words.ptr ? words.ptr : "", words.len) : NULL;
    strbuf_fini(&words);
    if (copy) *(const char **)field_of(o, fields) = copy;
    return s != OK || copy ? s : error_set(e, ERR_NOMEM, "out of memory reading a configuration");
}

Status option_from_json(const Option *option, void *fields, const cJSON *value, Arena *strings, Error *error)
{
    bool list = option->type == OPT_LIST, words = option->type == OPT_WORDS;
    Error why = { 0 };
    if (words && cJSON_IsNull(value)) return OK;
    if ((list || words) && !is_strings(value)) return error_set(error, ERR_CONFIG, "expected an array of strings");
    if (words) return words_from_json(option, fields, value, strings, error);
    if (list) ((OptionList *)field_of(option, fields))->n = 0;
    for (const cJSON *x = list ? value->child : value; x && why.code == OK; x = list ? x->next : NULL) {
        const char *text = text_of_json(x, strings, &why);
        if (text) option_read(option, fields, text, &why);
    }
    return why.code == OK          ? OK
           : why.code == ERR_NOMEM ? error_set(error, ERR_NOMEM, "%s", why.message)
                                   : error_set(error, ERR_CONFIG, "%s", why.message);
}

/* A member of a JSON object. path is used in messages. */
static Status member_from_json(const Option *o, void *fields, const cJSON *value, Arena *strings, const char *path,
                               Error *e)
{
    Error why = { 0 };
    Status s = option_from_json(o, fields, value, strings, &why);
    return s == OK ? OK : error_at(e, s, path, 0, 0, "\"%s\": %s", o->name, why.message);
}

Status options_from_json(const Option *table, void *fields, const cJSON *object, Arena *strings, const char *path,
                         Error *error)
{
    if (!cJSON_IsObject(object)) return error_at(error, ERR_CONFIG, path, 0, 0, "expected a JSON object");
    Status s = OK;
    for (const cJSON *m = object->child; m && s == OK; m = m->next) {
        const Option *o = table;
        while (o->name && strcmp(o->name, m->string) != 0) o++;
        if (!o->name) {
            Suggestion near = suggest_for(m->string, strlen(m->string));
            for (o = table; o->name; o++) suggest_name(&near, o->name, strlen(o->name));
            return error_at(error, ERR_CONFIG, path, 0, 0, "unknown configuration key \"%s\"%s", m->string,
                            suggest_text(&near, "").text);
        }
        s = member_from_json(o, fields, m, strings, path, error);
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

static void put_words(StrBuf *out, const char *words)
{
    json_array(out, NULL);
    for (const char *p = words ? words : ""; *p;) {
        size_t len = strcspn(p, " ");
        json_view(out, NULL, (StrView){ p, len });
        p += len + (p[len] == ' ');
    }
    json_array_end(out);
}

void option_to_json(const Option *option, const void *fields, StrBuf *out)
{
    const void *field = field_in(option, fields);
    const OptionList *list = field;
    switch (option->type) {
    case OPT_BOOL: json_bool(out, NULL, *(const bool *)field); break;
    case OPT_INT: json_long(out, NULL, *(const int *)field); break;
    case OPT_LONG: json_long(out, NULL, *(const long *)field); break;
    case OPT_REAL: put_real(out, *(const double *)field); break;
    case OPT_STRING: json_string(out, NULL, *(const char *const *)field); break;
    case OPT_ENUM: json_view(out, NULL, option_choice(option->value, *(const int *)field)); break;
    case OPT_WORDS: put_words(out, *(const char *const *)field); break;
    case OPT_LIST: json_strings(out, NULL, list->item, list->n); break;
    }
}

void options_to_json(const Option *table, const void *fields, StrBuf *out)
{
    strbuf_putc(out, '{');
    for (const Option *o = table; o->name; o++) {
        if (o->type == OPT_ENUM && !o->initial && *(const int *)field_in(o, fields) == 0) continue;
        json_key(out, o->name);
        option_to_json(o, fields, out);
    }
    json_object_end(out);
}

cJSON *options_json(const Option *table, const void *fields)
{
    StrBuf text = { 0 };
    cJSON *j = NULL;
    options_to_json(table, fields, &text);
    if (!text.failed) json_parse(text.ptr, text.len, &j, NULL);
    strbuf_fini(&text);
    return j;
}

/* "-f, --format TEXT", with marks around names and around the value. A bool that is on by default: "--[no-]words". */
static void put_usage(const Option *o, char letter, const void *fields, const char *name_mark, const char *value_mark,
                      const char *end, StrBuf *out)
{
    bool on = o->type == OPT_BOOL &&
              (fields ? *(const bool *)field_in(o, fields) : o->initial && strcmp(o->initial, "true") == 0);
    const char *value = o->value                                       ? o->value
                        : o->type == OPT_BOOL                          ? ""
                        : o->type == OPT_WORDS                         ? "WORDS"
                        : o->type == OPT_STRING || o->type == OPT_LIST ? "TEXT"
                        : o->type == OPT_REAL                          ? "X"
                                                                       : "N";
    if (letter) strbuf_printf(out, "%s-%c%s, ", name_mark, letter, end);
    strbuf_puts(out, name_mark);
    strbuf_printf(out, "--%s%s", on ? "[no-]" : "", shown(o).text);
    strbuf_puts(out, end);
    if (*value) strbuf_printf(out, " %s%s%s", value_mark, value, end);
}

/* The default as text: of the table where `fields` has the same value, so that 1e-9 is shown as it was written. */
static void put_default(const Option *o, const void *fields, StrBuf *out)
{
    const void *field = fields ? field_in(o, fields) : NULL;
    bool whole = o->type == OPT_INT || o->type == OPT_LONG;
    double number = !field                ? 0
                    : o->type == OPT_INT  ? *(const int *)field
                    : o->type == OPT_LONG ? (double)*(const long *)field
                    : o->type == OPT_REAL ? *(const double *)field
                                          : 0;
    if (field && o->type == OPT_ENUM) {
        StrView v = option_choice(o->value, *(const int *)field);
        strbuf_add(out, v.ptr, v.len);
    } else if (field && (o->type == OPT_STRING || o->type == OPT_WORDS)) strbuf_puts(out, *(const char *const *)field);
    else if (!field || (o->initial && locale_strtod(o->initial, NULL) == number)) strbuf_puts(out, o->initial);
    else if (whole) strbuf_printf(out, "%.0f", number);
    else put_real(out, number);
}

static void put_about(const Option *o, const void *fields, StrBuf *out)
{
    bool text = o->type == OPT_STRING || o->type == OPT_WORDS;
    const char *set = fields && text ? *(const char *const *)field_in(o, fields) : o->initial;
    strbuf_puts(out, o->help);
    if (o->type == OPT_LIST) strbuf_puts(out, "; may be given more than once");
    else if (o->type != OPT_BOOL && set && *set) {
        strbuf_puts(out, " (default ");
        put_default(o, fields, out);
        strbuf_putc(out, ')');
    }
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

void options_help(const Option *table, const void *fields, StrBuf *out)
{
    StrBuf about = { 0 };
    for (const Option *o = table; o->name; o++) {
        strbuf_clear(&about);
        put_about(o, fields, &about);
        if (about.failed) out->failed = true;
        strbuf_puts(out, "  ");
        put_usage(o, option_letter(table, o), fields, "", "", "", out);
        strbuf_putc(out, '\n');
        put_lines(about.ptr ? about.ptr : "", out);
    }
    strbuf_fini(&about);
}

void options_manual(const Option *table, const void *fields, StrBuf *out)
{
    for (const Option *o = table; o->name; o++) {
        strbuf_puts(out, ".TP\n");
        put_usage(o, option_letter(table, o), fields, "\\fB", "\\fI", "\\fR", out);
        strbuf_putc(out, '\n');
        put_about(o, fields, out);
        strbuf_putc(out, '\n');
    }
}
