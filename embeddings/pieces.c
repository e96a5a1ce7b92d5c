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

bool char_range_among(int32_t cp, const CharRange *ranges, size_t n)
{
    return bsearch(&cp, ranges, n, sizeof *ranges, compare) != NULL;
}

void placed_text_fini(PlacedText *t)
{
    strbuf_fini(&t->text);
    mem_free_each(t->begin, t->end);
    *t = (PlacedText){ 0 };
}

bool placed_text_put(PlacedText *t, int32_t cp, int begin, int end)
{
    int from = (int)t->text.len;
    strbuf_utf8(&t->text, cp);
    int to = (int)t->text.len;
    if (t->text.failed || !mem_reserve(t->begin, &t->cap_begin, to) || !mem_reserve(t->end, &t->cap_end, to))
        return false;
    for (; from < to; from++) {
        t->begin[from] = begin;
        t->end[from] = end;
    }
    return true;
}

void pieces_fini(Pieces *p)
{
    mem_free(p->p);
    strbuf_fini(&p->text);
    *p = (Pieces){ 0 };
}

void pieces_clear(Pieces *p)
{
    p->n = 0;
    strbuf_clear(&p->text);
}

Status pieces_add(Pieces *p, int id, int begin, int end, StrView text, Error *e)
{
    if (text.len > INT_MAX - p->text.len || p->n == INT_MAX)
        return error_set(e, ERR_LIMIT, "found more than %d bytes of pieces, expected a shorter text", INT_MAX);
    int at = (int)p->text.len;
    strbuf_add(&p->text, text.ptr, text.len);
    if (p->text.failed || !mem_reserve(p->p, &p->cap, p->n + 1))
        return error_set(e, ERR_NOMEM, "out of memory for pieces of words");
    p->p[p->n++] = (Piece){ .id = id, .begin = begin, .end = end, .text = at, .text_len = (int)text.len };
    return OK;
}

StrView pieces_text(const Pieces *p, int k)
{
    return (StrView){ p->text.ptr + p->p[k].text, (size_t)p->p[k].text_len };
}
