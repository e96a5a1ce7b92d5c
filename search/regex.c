/* PCRE2 with its compiler for the processor where it has one, and with limits, so that no expression takes for ever. */
#include "search/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/arena.h"

enum { MOST_STEPS = 1000000, MOST_KIBIBYTES = 16384 };

struct Regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    int groups;
};

void regex_free(Regex *regex)
{
    if (!regex) return;
    pcre2_match_context_free(regex->context);
    pcre2_match_data_free(regex->data);
    pcre2_code_free(regex->code);
    mem_free(regex);
}

/* The place of what Java reads otherwise: a class that is met with another one; text.len: there is none. */
static size_t foreign(StrView text)
{
    bool inside = false;
    for (size_t k = 0; k < text.len; k++) {
        char c = text.ptr[k];
        if (c == '\\') k++;
        else if (c == '[') inside = true;
        else if (c == ']') inside = false;
        else if (inside && c == '&' && k + 1 < text.len && text.ptr[k + 1] == '&') return k;
    }
    return text.len;
}

Regex *regex_compile(StrView text, RegexOptions options, Error *error)
{
    uint32_t flags = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_ALT_BSUX | PCRE2_NEVER_BACKSLASH_C, groups = 0;
    size_t where = foreign(text);
    PCRE2_UCHAR what[120];
    int fault = 0;
    Regex *r = mem_calloc(1, sizeof *r);
    if (!r) goto out_of_memory;
    if (where < text.len) {
        error_at(error, ERR_FORMAT, NULL, 0, (long)where + 1, "found && in a class, expected one class");
        goto fail;
    }
    if (options.whole) flags |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    if (options.caseless) flags |= PCRE2_CASELESS;
    r->code = pcre2_compile((PCRE2_SPTR)text.ptr, text.len, flags, &fault, &where, NULL);
    if (!r->code) {
        pcre2_get_error_message(fault, what, sizeof what);
        error_at(error, ERR_FORMAT, NULL, 0, (long)where + 1, "found no regular expression: %s", (char *)what);
        goto fail;
    }
    pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE); /* where it cannot, the expression is interpreted */
    r->data = pcre2_match_data_create_from_pattern(r->code, NULL);
    r->context = pcre2_match_context_create(NULL);
    if (!r->data || !r->context) goto out_of_memory;
    pcre2_set_match_limit(r->context, MOST_STEPS);
    pcre2_set_heap_limit(r->context, MOST_KIBIBYTES);
    pcre2_pattern_info(r->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    r->groups = (int)groups;
    return r;
out_of_memory:
    error_set(error, ERR_NOMEM, "out of memory");
fail:
    regex_free(r);
    return NULL;
}

int regex_groups(const Regex *regex) { return regex->groups; }

int regex_find(Regex *regex, StrView subject)
{
    int n = pcre2_match(regex->code, (PCRE2_SPTR)subject.ptr, subject.len, 0, PCRE2_NO_UTF_CHECK, regex->data,
                        regex->context);
    return n > 0 ? 1 : n == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

StrView regex_group(const Regex *regex, StrView subject, int group)
{
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(regex->data);
    if (group > regex->groups || at[2 * group] == PCRE2_UNSET || at[2 * group] > at[2 * group + 1]) /* \K */
        return (StrView){ NULL, 0 };
    return (StrView){ subject.ptr + at[2 * group], at[2 * group + 1] - at[2 * group] };
}
