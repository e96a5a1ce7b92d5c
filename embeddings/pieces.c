/* A list of pieces and one buffer that has the texts of all of them. */
#include "embeddings/pieces.h"

#include <limits.h>

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
