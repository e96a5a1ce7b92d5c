/* One table of options serves defaults, reading and writing; a section inside the object
 * is a prefix of names. */
#include "lal/heads/head_analysis.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/locale.h"
#include "base/suggest.h"
#include "lal/heads/pattern.h"

#define A(name) offsetof(HeadAnalysis, name)

/* "gr_rows" is "gr": {"rows": ...}. */
static const Option TABLE[] = {
    { "importance", OPT_ENUM, A(importance), "taylor_param", 0, 0, HEAD_ANALYSIS_IMPORTANCES, "" },
    { "normalise", OPT_ENUM, A(normalise), "minmax", 0, 0, HEAD_ANALYSIS_NORMALISE, "" },
    { "gr_patterns", OPT_LIST, A(gr.patterns), NULL, 0, 0, NULL, "" },
    { "gr_rows", OPT_ENUM, A(gr.rows), "words", 0, 0, HEAD_ANALYSIS_ROWS, "" },
    { "relevance_rule", OPT_ENUM, A(relevance.rule), "frozen", 0, 0, HEAD_ANALYSIS_RULES, "" },
    { "relevance_explain", OPT_WORDS, A(relevance.explain), "spans arcs", 0, 0, NULL, "" },
    { "relevance_epsilon", OPT_REAL, A(relevance.epsilon), "1e-6", 0, 1, NULL, "" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};
static const char *const SECTIONS[] = { "gr", "relevance", NULL };

void head_analysis_defaults(HeadAnalysis *analysis) { options_defaults(TABLE, analysis); }

bool head_analysis_plain(const HeadAnalysis *analysis)
{
    HeadAnalysis plain;
    bool same = true;
    head_analysis_defaults(&plain);
    for (const Option *o = TABLE; o->name && same; o++)
        same = o->type == OPT_LIST ? analysis->gr.patterns.n == 0 : option_same(o, analysis, &plain);
    return same;
}

Status head_analysis_explained(const char *words, bool out[2], Error *error)
{
    out[0] = out[1] = false;
    for (const char *p = words ? words : ""; *p; p += strspn(p, " ")) {
        StrView word = { p, strcspn(p, " ") };
        bool spans = text_equal(word, "spans");
        if (!spans && !text_equal(word, "arcs"))
            return error_set(error, ERR_USAGE, "found '%.*s', expected spans or arcs", (int)utf8_cut(p, word.len, 60),
                             p);
        out[!spans] = true;
        p += word.len;
    }
    return out[0] || out[1] ? OK : error_set(error, ERR_USAGE, "found nothing, expected spans, arcs or both");
}

/* ---- writing */

/* The option `name` of the table as a member `key`. */
static void put(const HeadAnalysis *a, const char *key, const char *name, StrBuf *out)
{
    const Option *o = TABLE;
    while (strcmp(o->name, name) != 0) o++;
    json_key(out, key);
    if (o->type == OPT_LIST && a->gr.patterns.n == 0) json_string(out, NULL, "all");
    else option_to_json(o, a, out);
}

void head_analysis_to_json(const HeadAnalysis *analysis, StrBuf *out)
{
    json_object(out, NULL);
    put(analysis, "importance", "importance", out);
    put(analysis, "normalise", "normalise", out);
    json_object(out, "gr");
    put(analysis, "patterns", "gr_patterns", out);
    put(analysis, "rows", "gr_rows", out);
    json_object_end(out);
    json_object(out, "relevance");
    put(analysis, "rule", "relevance_rule", out);
    put(analysis, "explain", "relevance_explain", out);
    put(analysis, "epsilon", "relevance_epsilon", out);
    json_object_end(out);
    json_object_end(out);
}

/* ---- reading */

typedef struct Reader {
    HeadAnalysis *a;
    const char *path, *text;
    const cJSON *root;
    Arena *memory;
    Error *e;
} Reader;

/* x is the value, or (key) the member whose key is wrong; name: "gr", "gr_rows" or "". */
__attribute__((format(printf, 5, 6))) static Status fault(const Reader *r, const cJSON *x, bool key, const char *name,
                                                          const char *fmt, ...)
{
    char message[400], where[64];
    va_list ap;
    va_start(ap, fmt);
    locale_vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    locale_snprintf(where, sizeof where, "analysis%s%s", *name ? "." : "", name);
    char *dot = strchr(where, '_');
    if (dot) *dot = '.';
    if (!r->path) return error_set(r->e, ERR_CONFIG, "%s: %s", where, message);
    TextPlace place = json_place(r->text, strlen(r->text), r->root, x, key);
    return error_at(r->e, ERR_USAGE, r->path, place.line, place.column, "%s: %s", where, message);
}

static Status check_patterns(const Reader *r, const cJSON *x)
{
    const OptionList *l = &r->a->gr.patterns;
    for (int k = 0; k < l->n; k++) {
        Pattern p;
        Error why = { 0 };
        Status s = pattern_read(&p, l->item[k], NULL, r->memory, &why);
        if (s == ERR_NOMEM) return error_set(r->e, s, "%s", why.message);
        if (s != OK) return fault(r, cJSON_GetArrayItem(x, k), false, "gr_patterns", "%s", why.message);
    }
    return OK;
}

static Status read_value(const Reader *r, const Option *o, const cJSON *x)
{
    Error why = { 0 };
    bool list = o->type == OPT_LIST, all = list && cJSON_IsString(x) && strcmp(x->valuestring, "all") == 0;
    if (list) r->a->gr.patterns.n = 0;
    if (cJSON_IsNull(x)) option_default(o, r->a);
    if (all || cJSON_IsNull(x)) return OK;
    Status s = option_from_json(o, r->a, x, r->memory, &why);
    bool explained[2];
    if (s == OK && o->offset == A(relevance.explain))
        s = head_analysis_explained(r->a->relevance.explain, explained, &why);
    if (s == ERR_NOMEM) return error_set(r->e, s, "%s", why.message);
    if (s != OK) return fault(r, x, false, o->name, "%s%s", why.message, list ? ", or \"all\"" : "");
    if (list) return check_patterns(r, x);
    HeadAnalysis plain;
    head_analysis_defaults(&plain);
    if (o->offset == A(relevance.epsilon) && !option_same(o, r->a, &plain))
        return fault(r, x, false, o->name, "epsilon has no effect with rule \"frozen\" or \"alpha_beta\"");
    return OK;
}

static Status unknown_key(const Reader *r, const char *section, const cJSON *x)
{
    size_t len = strlen(section);
    Suggestion near = suggest_for(x->string, strlen(x->string));
    for (const Option *o = TABLE; o->name; o++) {
        const char *name = o->name + (len ? len + 1 : 0);
        bool inside = len ? strncmp(o->name, section, len) == 0 : !strchr(o->name, '_');
        if (inside) suggest_name(&near, name, strlen(name));
    }
    for (int k = 0; SECTIONS[k] && !len; k++) suggest_name(&near, SECTIONS[k], strlen(SECTIONS[k]));
    const char *best = near.best.len ? "; did you mean \"" : "";
    return fault(r, x, true, section, "unknown key \"%.*s\"%s%.*s%s", utf8_first(x->string, 60), x->string, best,
                 (int)near.best.len, near.best.len ? near.best.ptr : "", near.best.len ? "\"?" : "");
}

static Status read_section(const Reader *r, const char *section, const cJSON *object);

static Status read_member(const Reader *r, const char *section, const cJSON *x)
{
    char name[80];
    for (int k = 0; SECTIONS[k] && !*section; k++)
        if (strcmp(x->string, SECTIONS[k]) == 0) return read_section(r, SECTIONS[k], x);
    bool fits =
        locale_snprintf(name, sizeof name, "%s%s%s", section, *section ? "_" : "", x->string) < (int)sizeof name;
    for (const Option *o = TABLE; o->name && fits; o++)
        if (strcmp(o->name, name) == 0 && (*section || !strchr(name, '_'))) return read_value(r, o, x);
    return unknown_key(r, section, x);
}

/* section "": the whole object. */
static Status read_section(const Reader *r, const char *section, const cJSON *object)
{
    Status s = OK;
    if (cJSON_IsNull(object)) { /* the defaults of all that is inside */
        for (const Option *o = TABLE; o->name; o++)
            if (strncmp(o->name, section, strlen(section)) == 0) option_default(o, r->a);
        return OK;
    }
    if (!cJSON_IsObject(object)) return fault(r, object, false, section, "found another value, expected an object");
    for (const cJSON *x = object->child; x && s == OK; x = x->next) s = read_member(r, section, x);
    return s;
}

Status head_analysis_read(HeadAnalysis *analysis, const struct cJSON *object, const char *path, const char *text,
                          const struct cJSON *root, Arena *memory, Error *error)
{
    Error none;
    const Reader r = { analysis, path, text, root, memory, error ? error : &none };
    return read_section(&r, "", object);
}
