/* The first characters tell notations apart that a reader knows; a second look asks whether what
 * is taken for text is one of them. */
#include "treebank/format.h"

#include <string.h>

static bool begins(StrView text, const char *with)
{
    return text.len >= strlen(with) && memcmp(text.ptr, with, strlen(with)) == 0;
}

TreebankFormat format_guess(StrView text)
{
    while (text.len && memchr(" \t\r\n", text.ptr[0], 4)) text = (StrView){ text.ptr + 1, text.len - 1 };
    if (begins(text, "<?xml") || begins(text, "<!DOCTYPE")) return FORMAT_AUTO;
    if (!text.len || text.ptr[0] == '(' || text.ptr[0] == '<' || begins(text, "*x*")) return FORMAT_BRACKETS;
    if (text.ptr[0] == '{') return FORMAT_JSON_LINES;
    size_t digits = 1;
    while (text.ptr[0] == '#' && digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') digits++;
    return digits > 1 && digits < text.len && text.ptr[digits] == ':' ? FORMAT_AUTO : FORMAT_CONLL;
}

Status format_unknown(const char *path, Error *error)
{
    return error_at(error, ERR_FORMAT, path, 1, 1,
                    "found XML or a tree of the Sinica Treebank, expected brackets, CoNLL or JSON, which "
                    "recipes/genia.py and recipes/sinica.py make of them");
}

/* Moves past characters of the set, or those that are not in it. */
static void skip(StrView *text, const char *set, bool in_set)
{
    while (text->len && (memchr(set, text->ptr[0], strlen(set)) != NULL) == in_set)
        *text = (StrView){ text->ptr + 1, text->len - 1 };
}

/* Is this "(LABEL (LABEL ... (TAG word)", with at least two brackets, where the first label may be empty? No label
 * begins with a digit or a small letter. */
static bool begins_with_tree(StrView text)
{
    for (int depth = 1; text.len && text.ptr[0] == '('; depth++) {
        text = (StrView){ text.ptr + 1, text.len - 1 };
        StrView label = text;
        skip(&text, "() \t\r\n", false);
        label.len -= text.len;
        char first = label.len ? label.ptr[0] : 0;
        if ((first >= '0' && first <= '9') || (first >= 'a' && first <= 'z') || (!first && depth > 1)) return false;
        skip(&text, " \t\r\n", true);
        StrView word = text;
        skip(&text, "() \t\r\n", false);
        if (text.len < word.len) return depth > 1 && label.len && text.len && text.ptr[0] == ')';
    }
    return false;
}

/* Is this a row of a word: eight columns or more, of which the first one is a number (3, 3-4, 3.1)? */
static bool is_conll_row(StrView line)
{
    size_t tabs = 0, k = 0;
    while (k < line.len && line.ptr[k] != '\t' && memchr("0123456789-.", line.ptr[k], 12)) k++;
    if (!k || k == line.len || line.ptr[k] != '\t' || line.ptr[0] < '0') return false;
    for (; k < line.len; k++) tabs += line.ptr[k] == '\t';
    return tabs >= 7;
}

/* Is this {"NAME": with white space anywhere but in the name? */
static bool begins_with_object(StrView text)
{
    static const char blanks[] = " \t\r\n";
    if (!begins(text, "{")) return false;
    text = (StrView){ text.ptr + 1, text.len - 1 };
    skip(&text, blanks, true);
    if (!begins(text, "\"")) return false;
    text = (StrView){ text.ptr + 1, text.len - 1 };
    skip(&text, "\"\n", false);
    if (!begins(text, "\"")) return false;
    text = (StrView){ text.ptr + 1, text.len - 1 };
    skip(&text, blanks, true);
    return begins(text, ":");
}

TreebankFormat format_suspect(StrView text)
{
    StrView line, rest = text;
    skip(&rest, " \t\r\n", true);
    if (begins_with_tree(rest)) return FORMAT_BRACKETS;
    if (begins_with_object(rest)) return FORMAT_JSON_LINES;
    for (size_t at = 0; text_line(text, &at, &line);)
        if (line.len && line.ptr[0] != '#') return is_conll_row(line) ? FORMAT_CONLL : FORMAT_AUTO;
    return FORMAT_AUTO;
}

BracketDialect format_dialect(TreebankFormat format)
{
    return format == FORMAT_ICEPAHC ? BRACKET_HELSINKI : format == FORMAT_IDN ? BRACKET_NESTED : BRACKET_PENN;
}
