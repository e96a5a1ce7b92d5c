/* Names that stand for parts of patterns: each is a regular expression, whose occurrences are replaced one macro after
 * the other, so that a later one finds what an earlier one wrote. */
#include "search/regex.h"
#include "search/tregex.h"

static Status fail(Error *error, const char *path, long line, size_t before, const Error *fault)
{
    long column = fault->column ? (long)before + fault->column : 0;
    return error_at(error, fault->code, fault->code == ERR_NOMEM ? NULL : path, line, column, "%s", fault->message);
}

static Status apply(StrView line, const char *path, long number, StrBuf *text, Error *error)
{
    const char *tab = memchr(line.ptr, '\t', line.len);
    if (!tab)
        return error_at(error, ERR_FORMAT, path, number, 0, "found no tab, expected one between name and replacement");
    size_t n = (size_t)(tab - line.ptr);
    StrView with = { tab + 1, line.len - n - 1 };
    StrBuf replaced = { 0 };
    Error fault = { 0 };
    Regex *name = regex_compile((StrView){ line.ptr, n }, (RegexOptions){ 0 }, &fault);
    if (!name) return fail(error, path, number, 0, &fault);
    Status s = regex_replace(name, (StrView){ text->ptr, text->len }, with, &replaced, &fault);
    if (s) s = fail(error, path, number, n + 1, &fault);
    regex_free(name);
    strbuf_clear(text);
    strbuf_add(text, replaced.ptr ? replaced.ptr : "", replaced.len);
    strbuf_fini(&replaced);
    return s || !text->failed ? s : error_set(error, ERR_NOMEM, "out of memory");
}

Status tregex_expand(StrView pattern, StrView macros, const char *macros_path, StrBuf *out, Error *error)
{
    const char *found;
    StrView line;
    Status s = OK;
    size_t fault = text_fault(pattern, &found);
    if (fault < pattern.len) return error_at(error, ERR_FORMAT, "pattern", 1, (long)fault + 1, "%s", found);
    if ((fault = text_fault(macros, &found)) < macros.len) {
        TextPlace place = text_place((TextPlace){ 1, 1 }, macros.ptr, fault);
        return error_at(error, ERR_FORMAT, macros_path, place.line, place.column, "%s", found);
    }
    strbuf_clear(out);
    strbuf_puts(out, "");
    strbuf_add(out, pattern.ptr, pattern.len);
    if (out->failed) return error_set(error, ERR_NOMEM, "out of memory");
    size_t at = 0;
    for (long number = 1; !s && text_line(macros, &at, &line); number++) {
        size_t blank = 0;
        while (blank < line.len && (line.ptr[blank] == ' ' || line.ptr[blank] == '\t')) blank++;
        if (blank < line.len && line.ptr[blank] != '#') s = apply(line, macros_path, number, out, error);
    }
    return s;
}
