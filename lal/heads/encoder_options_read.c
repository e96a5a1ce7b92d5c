/* The JSON of encoder_options */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/locale.h"
#include "base/suggest.h"
#include "lal/heads/encoder_options_internal.h"

typedef struct Reader {
    EncoderOptions *o;
    EncoderFault at;
    Arena *memory;
} Reader;

/* A value as JSON, cut if it is long. */
typedef struct Shown {
    char text[48];
} Shown;

static Shown shown(const cJSON *x)
{
    Shown s;
    char *json = json_print(x);
    size_t len = json ? strlen(json) : 0, most = utf8_cut(json, len, sizeof s.text - 4);
    locale_snprintf(s.text, sizeof s.text, "%.*s%s", (int)most, json ? json : "", most < len ? "..." : "");
    cJSON_free(json);
    return s;
}

static Status no_memory(const Reader *r)
{
    return error_set(r->at.e, ERR_NOMEM, "out of memory reading a configuration");
}

/* x is a member of the object at `path`. */
static Status unknown_key(const Reader *r, const char *path, const cJSON *x, const Suggestion *near)
{
    bool simple = strlen(x->string) < 48 && !strpbrk(x->string, ".[]");
    const char *best = near->best.len ? "; did you mean \"" : "";
    return encoder_options_fault(&r->at, simple ? option_path(path, x->string).text : path, simple,
                                 "unknown key \"%.*s\"%s%.*s%s", utf8_first(x->string, 60), x->string, best,
                                 (int)near->best.len, near->best.len ? near->best.ptr : "",
                                 near->best.len ? "\"?" : "");
}

/* Is it an object without a key twice? */
static Status check_object(const Reader *r, const char *path, const cJSON *x)
{
    if (!cJSON_IsObject(x)) return encoder_fault(r, path, "found %s, expected an object", shown(x).text);
    int members = cJSON_GetArraySize(x);
    if (members > 64) return encoder_fault(r, path, "found %d keys, expected at most 64", members);
    for (const cJSON *m = x->child; m; m = m->next)
        for (const cJSON *n = m->next; n; n = n->next)
            if (strcmp(m->string, n->string) == 0)
                return encoder_fault(r, path, "found key \"%.*s\" twice", utf8_first(m->string, 60), m->string);
    return OK;
}

/* ---- values */

/* The number of a name in a list; the message is about a wrong name or value. */
static Status read_name(const Reader *r, const char *path, const char *what, const cJSON *x, const char *const *names,
                        int *out)
{
    StrBuf known = { 0 };
    for (int k = 0; names[k]; k++) {
        strbuf_printf(&known, "%s%s", k ? ", " : "", names[k]);
        if (!cJSON_IsString(x) || strcmp(x->valuestring, names[k]) != 0) continue;
        *out = k;
        strbuf_fini(&known);
        return OK;
    }
    const char *list = known.ptr ? known.ptr : "";
    if (!cJSON_IsString(x)) encoder_fault(r, path, "found %s, expected one of %s", shown(x).text, list);
    else
        encoder_fault(r, path, "unknown %s \"%.*s\"; one of %s", what, utf8_first(x->valuestring, 60), x->valuestring,
                      list);
    strbuf_fini(&known);
    return r->at.e ? r->at.e->code : ERR_CONFIG;
}

static Status read_numbers(const Reader *r, const char *path, const cJSON *x, bool all, bool once, int most,
                           HeadNumbers *out)
{
    if (all && cJSON_IsString(x) && strcmp(x->valuestring, "all") == 0) {
        *out = (HeadNumbers){ .all = true };
        return OK;
    }
    if (!cJSON_IsArray(x))
        return encoder_fault(r, path, "found %s, expected an array of numbers%s", shown(x).text,
                             all ? " or \"all\"" : "");
    int n = cJSON_GetArraySize(x);
    if (n > HEAD_NUMBERS_MOST)
        return encoder_fault(r, path, "found %d numbers, expected at most %d", n, HEAD_NUMBERS_MOST);
    int *item = arena_alloc(r->memory, (size_t)n, sizeof *item);
    if (!item) return no_memory(r);
    *out = (HeadNumbers){ .item = item };
    for (const cJSON *y = x->child; y; y = y->next) {
        OptionPath at = option_path_item(path, out->n);
        double v = cJSON_IsNumber(y) ? y->valuedouble : -1;
        if (!(v >= 0 && v <= most) || v != floor(v))
            return encoder_fault(r, at.text, "found %s, expected a whole number from 0 to %d", shown(y).text, most);
        if (once && head_numbers_has(out, (int)v)) return encoder_fault(r, at.text, "found %d twice", (int)v);
        item[out->n++] = (int)v;
    }
    return OK;
}

/* One text, if that is allowed, or an array of them. */
static Status read_strings(const Reader *r, const char *path, const cJSON *x, bool one, int most,
                           const char *const **out, int *n)
{
    bool single = one && cJSON_IsString(x);
    *n = single ? 1 : cJSON_IsArray(x) ? cJSON_GetArraySize(x) : 0;
    if (*n < 1 || *n > most)
        return encoder_fault(r, path, "found %s, expected %san array of 1 to %d texts", shown(x).text,
                             one ? "a text or " : "", most);
    const char **list = arena_alloc(r->memory, (size_t)*n, sizeof *list);
    if (!list) return no_memory(r);
    int k = 0;
    for (const cJSON *y = single ? x : x->child; y && k < *n; y = y->next, k++) {
        if (!cJSON_IsString(y) || !y->valuestring[0])
            return encoder_fault(r, option_path_item(path, k).text, "found %s, expected a text", shown(y).text);
        if (!(list[k] = arena_strndup(r->memory, y->valuestring, strlen(y->valuestring)))) return no_memory(r);
    }
    *out = list;
    return OK;
}

/* ---- entries of heads */

/* The names of patterns, each of which pattern_read takes. */
static Status read_patterns(const Reader *r, const char *path, const cJSON *x, HeadEntry *h)
{
    Status s = read_strings(r, path, x, true, ENTRY_PATTERNS_MOST, &h->names, &h->n_names);
    for (int k = 0; k < h->n_names && s == OK; k++) {
        Pattern p;
        Error why = { 0 };
        OptionPath at = cJSON_IsArray(x) ? option_path_item(path, k) : option_path("", path);
        s = pattern_read(&p, h->names[k], NULL, r->memory, &why);
        if (s == ERR_NOMEM) return no_memory(r);
        if (s != OK) s = encoder_fault(r, at.text, "%s", why.message);
    }
    return s;
}

typedef struct EntryKey {
    const char *name;
    bool found;
} EntryKey;

enum { KEY_STACK, KEY_LAYERS, KEY_HEADS, KEY_PATTERN, KEY_USE, KEY_SOURCE, KEY_LABELS, ENTRY_KEYS };

static Status read_member(const Reader *r, const char *path, int key, const cJSON *x, HeadEntry *h, int *n_labels)
{
    int k = 0;
    Status s = OK;
    switch (key) {
    case KEY_STACK:
        s = read_name(r, path, "stack", x, ENCODER_OPTIONS_STACKS, &k);
        h->stack = (HeadStack)k;
        return s;
    case KEY_LAYERS: return read_numbers(r, path, x, true, true, HEAD_NUMBERS_MOST, &h->layers);
    case KEY_HEADS: return read_numbers(r, path, x, true, true, HEAD_NUMBERS_MOST, &h->heads);
    case KEY_PATTERN: return read_patterns(r, path, x, h);
    case KEY_USE:
        s = read_name(r, path, "use", x, ENCODER_OPTIONS_USES, &k);
        h->use = (HeadUse)k;
        return s;
    case KEY_SOURCE: return read_name(r, path, "source", x, ENCODER_OPTIONS_SOURCES, &h->source);
    default: return read_strings(r, path, x, false, HEAD_NUMBERS_MOST, &h->labels, n_labels);
    }
}

/* What an entry must have, and which keys go together. */
static Status check_entry(const Reader *r, const char *path, const HeadEntry *h, const EntryKey *keys, int n_labels)
{
    static const int needed[] = { KEY_HEADS, KEY_PATTERN, KEY_USE };
    for (int k = 0; k < 3; k++)
        if (!keys[needed[k]].found)
            return encoder_fault(r, path, "found no \"%s\", expected stack, layers, heads, pattern, use",
                                 keys[needed[k]].name);
    if (!h->heads.all && h->heads.n == 0)
        return encoder_fault(r, option_path(path, "heads").text, "found an empty list, expected at least one head");
    if (!h->layers.all && h->layers.n == 0)
        return encoder_fault(r, option_path(path, "layers").text, "found an empty list, expected at least one layer");
    if (h->stack == STACK_LABEL && !h->layers.all)
        return encoder_fault(r, option_path(path, "layers").text, "label heads are one layer; leave out \"layers\"");
    if (h->labels && (h->heads.all || n_labels != h->heads.n))
        return encoder_fault(r, option_path(path, "labels").text,
                             "found %d labels, expected one for each number of \"heads\"", n_labels);
    return OK;
}

static Status read_entry(const Reader *r, const char *path, const cJSON *x, HeadEntry *h)
{
    EntryKey keys[ENTRY_KEYS] = { { "stack", false }, { "layers", false }, { "heads", false }, { "pattern", false },
                                  { "use", false },   { "source", false }, { "labels", false } };
    int n_labels = 0;
    *h = (HeadEntry){ .stack = STACK_SELF, .layers = { .all = true }, .source = -1 };
    Status s = check_object(r, path, x);
    for (const cJSON *m = s == OK ? x->child : NULL; m && s == OK; m = m->next) {
        Suggestion near = suggest_for(m->string, strlen(m->string));
        int k = 0;
        for (; k < ENTRY_KEYS && strcmp(keys[k].name, m->string) != 0; k++)
            suggest_name(&near, keys[k].name, strlen(keys[k].name));
        if (k == ENTRY_KEYS) return unknown_key(r, path, m, &near);
        if (cJSON_IsNull(m)) continue;
        keys[k].found = true;
        s = read_member(r, option_path(path, m->string).text, k, m, h, &n_labels);
    }
    return s == OK ? check_entry(r, path, h, keys, n_labels) : s;
}

static Status read_heads(const Reader *r, const cJSON *x)
{
    int n = cJSON_GetArraySize(x);
    r->o->n_heads = 0;
    if (cJSON_IsNull(x)) return OK;
    if (!cJSON_IsArray(x)) return encoder_fault(r, "heads", "found %s, expected an array of entries", shown(x).text);
    if (n > HEAD_ENTRIES_MOST)
        return encoder_fault(r, "heads", "found %d entries, expected at most %d", n, HEAD_ENTRIES_MOST);
    r->o->heads = arena_calloc(r->memory, (size_t)n, sizeof *r->o->heads);
    if (!r->o->heads) return no_memory(r);
    Status s = OK;
    for (const cJSON *y = x->child; y && s == OK; y = y->next) {
        s = read_entry(r, option_path_item("heads", r->o->n_heads).text, y, &r->o->heads[r->o->n_heads]);
        r->o->n_heads++;
    }
    return s;
}

/* ---- sections */

/* The options of a table whose names begin with PREFIX_. */
static bool in_section(const Option *o, const char *prefix)
{
    size_t len = strlen(prefix);
    return strncmp(o->name, prefix, len) == 0 && o->name[len] == '_';
}

/* The keys of a section whose values are lists of numbers, which are in no table. */
typedef struct SectionList {
    const char *name; /* NULL after the last one */
    HeadNumbers *list;
} SectionList;

static void lists_of_section(const Reader *r, const char *prefix, SectionList lists[3])
{
    bool gates = strcmp(prefix, "gates") == 0, pal = strcmp(prefix, "pal") == 0;
    lists[0] = gates ? (SectionList){ "constant", &r->o->gates.constant }
                     : (SectionList){ pal ? "layers" : NULL, &r->o->pal.layers };
    lists[1] = (SectionList){ pal ? "pretrained_layers" : NULL, &r->o->pal.pretrained_layers };
    lists[2] = (SectionList){ NULL, NULL };
}

static Status read_list(const Reader *r, const char *path, const char *prefix, const cJSON *x, HeadNumbers *list)
{
    *list = (HeadNumbers){ 0 };
    if (cJSON_IsNull(x)) return OK;
    return strcmp(prefix, "gates") == 0 ? read_numbers(r, path, x, false, false, 1, list)
                                        : read_numbers(r, path, x, true, true, HEAD_NUMBERS_MOST, list);
}

static Status read_option(const Reader *r, const char *path, const Option *o, void *fields, const cJSON *x)
{
    Error why = { 0 };
    if (cJSON_IsNull(x)) {
        option_default(o, fields);
        return OK;
    }
    Status s = option_from_json(o, fields, x, r->memory, &why);
    if (s == ERR_NOMEM) return no_memory(r);
    return s == OK ? OK : encoder_fault(r, path, "%s", why.message);
}

/* The object at `path` sets options PREFIX_KEY of the table. */
static Status read_section(const Reader *r, const char *path, const char *prefix, const Option *table, void *fields,
                           const cJSON *x)
{
    SectionList lists[3];
    size_t len = strlen(prefix) + 1;
    lists_of_section(r, prefix, lists);
    if (cJSON_IsNull(x)) {
        for (const Option *o = table; o->name; o++)
            if (in_section(o, prefix)) option_default(o, fields);
        for (const SectionList *l = lists; l->name; l++) *l->list = (HeadNumbers){ 0 };
        return OK;
    }
    Status s = check_object(r, path, x);
    for (const cJSON *m = s == OK ? x->child : NULL; m && s == OK; m = m->next) {
        OptionPath at = option_path(path, m->string);
        Suggestion near = suggest_for(m->string, strlen(m->string));
        const Option *o = table;
        for (; o->name && !(in_section(o, prefix) && strcmp(o->name + len, m->string) == 0); o++)
            if (in_section(o, prefix)) suggest_name(&near, o->name + len, strlen(o->name + len));
        const SectionList *l = lists;
        for (; l->name && strcmp(m->string, l->name) != 0; l++) suggest_name(&near, l->name, strlen(l->name));
        if (l->name) s = read_list(r, at.text, prefix, m, l->list);
        else s = o->name ? read_option(r, at.text, o, fields, m) : unknown_key(r, path, m, &near);
    }
    return s;
}

/* Has the pattern parameters? */
static bool has_parameters(const char *pattern)
{
    const Option *o = PATTERN_OPTIONS;
    while (o->name && !in_section(o, pattern)) o++;
    return o->name != NULL;
}

static Status read_parameters(const Reader *r, const cJSON *x)
{
    if (cJSON_IsNull(x)) {
        options_defaults(PATTERN_OPTIONS, &r->o->patterns);
        return OK;
    }
    Status s = check_object(r, "patterns", x);
    for (const cJSON *m = s == OK ? x->child : NULL; m && s == OK; m = m->next) {
        Suggestion near = suggest_for(m->string, strlen(m->string));
        for (int k = 0; k < PATTERN_KINDS; k++) {
            const char *name = pattern_name((PatternKind)k);
            if (has_parameters(name)) suggest_name(&near, name, strlen(name));
        }
        PatternKind kind = pattern_find(m->string, strlen(m->string));
        if (kind == PATTERN_KINDS || !has_parameters(m->string)) s = unknown_key(r, "patterns", m, &near);
        else
            s = read_section(r, option_path("patterns", m->string).text, m->string, PATTERN_OPTIONS, &r->o->patterns,
                             m);
    }
    return s;
}

Status encoder_options_read(EncoderOptions *options, const cJSON *object, const EncoderOrigin *from, Arena *memory,
                            Error *error)
{
    static const char *const sections[] = { "heads", "patterns", "syntax", "guidance", "gates", "pal" };
    Error none = { 0 };
    EncoderOrigin last = { .n = 0 }; /* the text that is read */
    if (from && from->n) {
        last.n = 1;
        last.file[0] = from->file[from->n - 1];
    }
    const Reader r = { options, { from ? &last : NULL, error ? error : &none }, memory };
    if (cJSON_IsNull(object)) {
        encoder_options_defaults(options);
        return OK;
    }
    Status s = check_object(&r, "", object);
    for (const cJSON *m = s == OK ? object->child : NULL; m && s == OK; m = m->next) {
        Suggestion near = suggest_for(m->string, strlen(m->string));
        size_t k = 0, n = sizeof sections / sizeof *sections;
        for (; k < n && strcmp(sections[k], m->string) != 0; k++) suggest_name(&near, sections[k], strlen(sections[k]));
        if (k == n) s = unknown_key(&r, "", m, &near);
        else if (k == 0) s = read_heads(&r, m);
        else if (k == 1) s = read_parameters(&r, m);
        else s = read_section(&r, m->string, m->string, ENCODER_OPTIONS, options, m);
    }
    return s;
}
