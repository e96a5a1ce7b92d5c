/* PCRE2 with its compiler for the processor where it has one, and with limits, so that no expression takes for ever. */
#include "search/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/arena.h"

enum { FEW_STEPS = 1000, MOST_STEPS = 1000000, MOST_KIBIBYTES = 16384 };

struct Regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    int groups, cost;
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
    int n = PCRE2_ERROR_MATCHLIMIT;
    for (uint32_t most = FEW_STEPS; n == PCRE2_ERROR_MATCHLIMIT && most <= MOST_STEPS; most *= MOST_STEPS / FEW_STEPS) {
        pcre2_set_match_limit(regex->context, most);
        n = pcre2_match(regex->code, (PCRE2_SPTR)subject.ptr, subject.len, 0, PCRE2_NO_UTF_CHECK, regex->data,
                        regex->context);
        regex->cost = (int)(most / FEW_STEPS);
    }
    return n > 0 ? 1 : n == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

int regex_cost(const Regex *regex) { return regex->cost; }

StrView regex_group(const Regex *regex, StrView subject, int group)
{
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(regex->data);
    if (group > regex->groups || at[2 * group] == PCRE2_UNSET || at[2 * group] > at[2 * group + 1]) /* \K */
        return (StrView){ NULL, 0 };
    return (StrView){ subject.ptr + at[2 * group], at[2 * group + 1] - at[2 * group] };
}

/* What a replacement is to PCRE2, where $$ is a dollar and ${1} a group. */
static Status read_replacement(const Regex *regex, StrView with, StrBuf *out, Error *error)
{
    const int most = regex->groups;
    for (size_t k = 0; k < with.len; k++) {
        const char *at = with.ptr + k;
        int digit = k + 1 < with.len ? at[1] - '0' : -1, group = digit;
        if (*at == '\\' && ++k == with.len)
            return error_at(error, ERR_FORMAT, NULL, 0, (long)k,
                            "found '\\' at the end, expected a character after it");
        if (*at != '$') {
            strbuf_puts(out, with.ptr[k] == '$' ? "$" : "");
            strbuf_putc(out, with.ptr[k]);
            continue;
        }
        if (digit < 0 || digit > 9 || digit > most)
            return error_at(error, ERR_FORMAT, NULL, 0, (long)k + 1,
                            "found '$', expected the number of a group after it");
        for (k++; k + 1 < with.len; k++) { /* as many digits as make the number of a group */
            digit = with.ptr[k + 1] - '0';
            if (digit < 0 || digit > 9 || group * 10 + digit > most) break;
            group = group * 10 + digit;
        }
        strbuf_printf(out, "${%d}", group);
    }
    strbuf_puts(out, "");
    return out->failed ? error_set(error, ERR_NOMEM, "out of memory") : OK;
}

Status regex_replace(Regex *regex, StrView subject, StrView with, StrBuf *out, Error *error)
{
    const uint32_t flags = PCRE2_NO_UTF_CHECK | PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_UNSET_EMPTY;
    StrBuf plan = { 0 };
    PCRE2_SIZE size = REGEX_MOST_REPLACED + 1;
    char *to = mem_alloc(size, 1);
    Status s = to ? read_replacement(regex, with, &plan, error) : error_set(error, ERR_NOMEM, "out of memory");
    if (!s && pcre2_substitute(regex->code, (PCRE2_SPTR)subject.ptr, subject.len, 0, flags, regex->data, regex->context,
                               (PCRE2_SPTR)plan.ptr, plan.len, (PCRE2_UCHAR *)to, &size) < 0)
        s = error_set(error, ERR_LIMIT, "found replacements of over %d bytes or 1,000,000 steps", REGEX_MOST_REPLACED);
    if (!s) strbuf_add(out, to, size);
    if (!s && out->failed) s = error_set(error, ERR_NOMEM, "out of memory");
    strbuf_fini(&plan);
    mem_free(to);
    return s;
}
