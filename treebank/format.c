/* treebank/format.c */
#include "treebank/format.h"

#include <string.h>

#include "treebank/conll.h"
#include "treebank/genia.h"
#include "treebank/json_lines.h"
#include "treebank/sinica.h"

static bool begins(StrView text, const char *with)
{
    return text.len >= strlen(with) && memcmp(text.ptr, with, strlen(with)) == 0;
}

TreebankFormat format_guess(StrView text)
{
    while (text.len && memchr(" \t\r\n", text.ptr[0], 4)) text = (StrView){ text.ptr + 1, text.len - 1 };
    if (begins(text, "<?xml") || begins(text, "<!DOCTYPE")) return FORMAT_GENIA;
    if (!text.len || text.ptr[0] == '(' || text.ptr[0] == '<' || begins(text, "*x*")) return FORMAT_BRACKETS;
    if (text.ptr[0] == '{') return FORMAT_JSON_LINES;
    size_t digits = 1;
    while (text.ptr[0] == '#' && digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') digits++;
    return digits > 1 && digits < text.len && text.ptr[digits] == ':' ? FORMAT_SINICA : FORMAT_CONLL;
}

BracketDialect format_dialect(TreebankFormat format)
{
    return format == FORMAT_ICEPAHC ? BRACKET_HELSINKI : format == FORMAT_IDN ? BRACKET_NESTED : BRACKET_PENN;
}

Status format_read(Treebank *tb, TextBlock block, TreebankFormat format, BracketOptions o, Error *e)
{
    if (format == FORMAT_AUTO) format = format_guess(block.text);
    if (format == FORMAT_CONLL)
        return conll_read(tb, block, (ConllOptions){ .keep_lines = true, .keep_spelling = o.keep_spelling }, e);
    if (format == FORMAT_SINICA) return sinica_read(tb, block, e);
    if (format == FORMAT_JSON_LINES) return json_lines_read(tb, block, e);
    if (format == FORMAT_GENIA) return genia_read(tb, block, o, e);
    o.dialect = format_dialect(format);
    return bracket_read(tb, block, o, e);
}
