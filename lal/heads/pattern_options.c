/* Parameters of patterns */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "lal/heads/pattern.h"

#define P(name) offsetof(PatternOptions, name)
#define MOST 1000000

/* Ranges that pattern_options_check knows are wider here. */
const Option PATTERN_OPTIONS[] = {
    { "rel_pos_window", OPT_INT, P(rel_pos_window), "3", -MOST, MOST, NULL, NULL },
    { "period_forms", OPT_WORDS, P(period_forms), ".", 0, 0, NULL, NULL },
    { "seprat_forms", OPT_WORDS, P(seprat_forms), ", ; . ? !", 0, 0, NULL, NULL },
    { "rare_w_percent", OPT_INT, P(rare_w_percent), "10", -MOST, MOST, NULL, NULL },
    { "rare_w_min", OPT_INT, P(rare_w_min), "2", -MOST, MOST, NULL, NULL },
    { "rare_w_unknown", OPT_ENUM, P(rare_w_unknown), "rarest", 0, 0, "rarest|never", NULL },
    { "maj_rel_types", OPT_WORDS, P(maj_rel_types), "nsubj dobj obj amod advmod", 0, 0, NULL, NULL },
    { "maj_rel_children", OPT_BOOL, P(maj_rel_children), "true", 0, 0, NULL, NULL },
    { "match_token_key", OPT_ENUM, P(match_token_key), "lower", 0, 0, "lower|form|lemma", NULL },
    { "match_token_self", OPT_BOOL, P(match_token_self), "false", 0, 0, NULL, NULL },
    { "intra_span_source", OPT_ENUM, P(intra_span_source), "punct", 0, 0,
      "punct|first_pass|file|self|gold|tree|sentence|side", NULL },
    { "intra_span_max_len", OPT_INT, P(intra_span_max_len), "10", -MOST, MOST, NULL, NULL },
    { "gauss_offset", OPT_INT, P(gauss_offset), "0", -MOST, MOST, NULL, NULL },
    { "gauss_deviation", OPT_REAL, P(gauss_deviation), "1", -MOST, MOST, NULL, NULL },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

Status pattern_options_check(const PatternOptions *options, const char **path, Error *error)
{
    *path = "patterns.rel_pos.window";
    if (options->rel_pos_window < 1)
        return error_set(error, ERR_CONFIG, "window is %d; expected an odd number of 1 or more",
                         options->rel_pos_window);
    if (options->rel_pos_window % 2 == 0)
        return error_set(error, ERR_CONFIG, "window is %d; expected an odd number", options->rel_pos_window);
    *path = "patterns.rare_w.percent";
    if (options->rare_w_percent < 1 || options->rare_w_percent > 100)
        return error_set(error, ERR_CONFIG, "percent is %d; expected a number from 1 to 100", options->rare_w_percent);
    *path = "patterns.rare_w.min";
    if (options->rare_w_min < 0)
        return error_set(error, ERR_CONFIG, "min is %d; expected 0 or more", options->rare_w_min);
    *path = "patterns.intra_span.max_len";
    if (options->intra_span_max_len < 1)
        return error_set(error, ERR_CONFIG, "max_len is %d; expected 1 or more", options->intra_span_max_len);
    *path = "patterns.gauss.deviation";
    if (!(options->gauss_deviation >= 0.01))
        return error_set(error, ERR_CONFIG, "deviation is %g; expected 0.01 or more", options->gauss_deviation);
    *path = NULL;
    return OK;
}

static Status unknown_pattern(const char *text, size_t len, Error *e)
{
    return error_set(e, ERR_USAGE, "unknown pattern \"%.*s\"; one of %s", (int)utf8_cut(text, len, 80), text,
                     pattern_names(NULL).text);
}

/* "percent|min|unknown"; false if the pattern has no parameter. */
static bool list_parameters(PatternKind kind, char *out, size_t size)
{
    size_t len = strlen(pattern_name(kind)), n = 0;
    if (kind == PATTERN_LABEL_SPAN) n = (size_t)snprintf(out, size, "label");
    for (const Option *o = PATTERN_OPTIONS; o->name; o++)
        if (strncmp(o->name, pattern_name(kind), len) == 0 && o->name[len] == '_' && n < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "|" : "", o->name + len + 1);
    return n > 0;
}

/* Sets the parameter `name` of the pattern. */
static Status set_parameter(Pattern *p, StrView name, const char *value, Error *e)
{
    const char *kind = pattern_name(p->kind);
    size_t len = strlen(kind);
    Suggestion near = suggest_for(name.ptr, name.len);
    if (p->kind == PATTERN_LABEL_SPAN && text_equal(name, "label")) {
        p->label = value;
        return OK;
    }
    for (const Option *o = PATTERN_OPTIONS; o->name; o++) {
        if (strncmp(o->name, kind, len) != 0 || o->name[len] != '_') continue;
        if (!text_equal(name, o->name + len + 1)) {
            suggest_name(&near, o->name + len + 1, strlen(o->name + len + 1));
            continue;
        }
        Error why = { 0 };
        if (option_set(o, &p->o, value, &why) == OK) return OK;
        return error_set(e, ERR_USAGE, "pattern %s: %s %s", kind, o->name + len + 1, strchr(why.message, ' ') + 1);
    }
    char known[80];
    int shown = (int)utf8_cut(name.ptr, name.len, 80);
    if (!list_parameters(p->kind, known, sizeof known))
        return error_set(e, ERR_USAGE, "pattern %s: found parameter '%.*s', but it has none", kind, shown, name.ptr);
    return error_set(e, ERR_USAGE, "pattern %s: found parameter '%.*s', expected one of %s%s", kind, shown, name.ptr,
                     known, suggest_text(&near, "").text);
}

/* The end of the parameter that begins at `from`: a comma, of a list of words too, ends it only where NAME= follows. */
static const char *parameter_end(const char *from)
{
    const char *end = from + strcspn(from, ",");
    while (*end) {
        size_t len = strspn(end + 1, "abcdefghijklmnopqrstuvwxyz_");
        if (len && end[1 + len] == '=') break;
        end++;
        end += strcspn(end, ",");
    }
    return end;
}

Status pattern_read(Pattern *pattern, const char *text, const PatternOptions *base, Arena *strings, Error *error)
{
    size_t len = strcspn(text, "/");
    *pattern = (Pattern){ .kind = pattern_find(text, len) };
    if (base) pattern->o = *base;
    else options_defaults(PATTERN_OPTIONS, &pattern->o);
    if (pattern->kind == PATTERN_KINDS) return unknown_pattern(text, len, error);
    Status s = OK;
    for (const char *end = text + len; *end && s == OK;) {
        const char *from = end + 1, *equals = strchr(from, '=');
        end = parameter_end(from);
        if (!equals || equals > end)
            return error_set(error, ERR_USAGE, "pattern %s: found '%.*s', expected NAME=VALUE",
                             pattern_name(pattern->kind), utf8_first(from, 60), from);
        const char *value = arena_strndup(strings, equals + 1, (size_t)(end - equals - 1));
        if (!value) return error_set(error, ERR_NOMEM, "out of memory for a pattern");
        s = set_parameter(pattern, (StrView){ from, (size_t)(equals - from) }, value, error);
    }
    if (s != OK || base) return s; /* the values of base may be checked elsewhere, with their place */
    const char *path;
    Error why = { 0 };
    if (pattern_options_check(&pattern->o, &path, &why) != OK)
        return error_set(error, ERR_USAGE, "pattern %s: %s", pattern_name(pattern->kind), why.message);
    return OK;
}

/* Same kind, same parameters of that kind, same label? */
static bool equal(const Pattern *a, const Pattern *b)
{
    const char *kind = pattern_name(a->kind);
    size_t len = strlen(kind);
    bool same = a->kind == b->kind && strcmp(a->label ? a->label : "", b->label ? b->label : "") == 0;
    for (const Option *o = PATTERN_OPTIONS; o->name && same; o++)
        same = strncmp(o->name, kind, len) != 0 || o->name[len] != '_' || option_same(o, &a->o, &b->o);
    return same;
}

/* Is every word of a list in another one? */
static bool words_within(const char *part, const char *whole)
{
    bool all = true;
    for (const char *p = part ? part : ""; *p && all;) {
        size_t len = strcspn(p, " ");
        all = len == 0 || text_view_among((StrView){ p, len }, whole ? whole : "");
        p += len + (p[len] == ' ');
    }
    return all;
}

bool pattern_within(const Pattern *part, const Pattern *whole)
{
    PatternKind k = part->kind;
    if (equal(part, whole)) return true;
    switch (whole->kind) {
    case PATTERN_REL_POS:
        return k == PATTERN_SELF || ((k == PATTERN_NEXT || k == PATTERN_PREV) && whole->o.rel_pos_window >= 3);
    case PATTERN_DELIM: return k == PATTERN_FIRST;
    case PATTERN_SEPRAT:
        return k == PATTERN_FIRST || k == PATTERN_DELIM ||
               (k == PATTERN_PERIOD && words_within(part->o.period_forms, whole->o.seprat_forms));
    default: return false;
    }
}
