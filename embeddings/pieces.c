/* A list of pieces and one buffer that has the texts of all of them. */
#include "embeddings/pieces.h"

#include <limits.h>
#include <stdlib.h>

static int compare(const void *key, const void *item)
{
    int32_t cp = *(const int32_t *)key;
    const CharRange *r = item;
    return cp < r->first ? -1 : cp > r->last;
}

bool char_range_among(int32_t cp, const CharRange *ranges, size_t count)
{
    return bsearch(&cp, ranges, count, sizeof *ranges, compare) != NULL;
}

void placed_text_fini(PlacedText *text)
{
    strbuf_fini(&text->text);
    mem_free_each(text->begin, text->end);
    *text = (PlacedText){ 0 };
}

bool placed_text_put(PlacedText *text, int32_t cp, int begin, int end)
{
    int from = (int)text->text.len;
    strbuf_utf8(&text->text, cp);
    int to = (int)text->text.len;
    if (text->text.failed || !mem_reserve(text->begin, &text->cap_begin, to) ||
        !mem_reserve(text->end, &text->cap_end, to))
        return false;
    for (; from < to; from++) {
        text->begin[from] = begin;
        text->end[from] = end;
    }
    return true;
}

void pieces_fini(Pieces *pieces)
{
    mem_free(pieces->p);
    strbuf_fini(&pieces->text);
    *pieces = (Pieces){ 0 };
}

void pieces_clear(Pieces *pieces)
{
    pieces->n = 0;
    strbuf_clear(&pieces->text);
}

Status pieces_add(Pieces *pieces, int id, int begin, int end, StrView text, Error *error)
{
    if (text.len > INT_MAX - pieces->text.len || pieces->n == INT_MAX)
        return error_set(error, ERR_LIMIT, "found more than %d bytes of pieces, expected a shorter text", INT_MAX);
    int at = (int)pieces->text.len;
    strbuf_add(&pieces->text, text.ptr, text.len);
    if (pieces->text.failed || !mem_reserve(pieces->p, &pieces->cap, pieces->n + 1))
        return error_set(error, ERR_NOMEM, "out of memory for pieces of words");
    pieces->p[pieces->n++] = (Piece){ .id = id, .begin = begin, .end = end, .text = at, .text_len = (int)text.len };
    return OK;
}

StrView pieces_text(const Pieces *pieces, int k)
{
    return (StrView){ pieces->text.ptr + pieces->p[k].text, (size_t)pieces->p[k].text_len };
}
