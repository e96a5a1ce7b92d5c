/* A property map, a form, a multipart body with its Content-Type (before and after a line
 * "="), and JSON to be indented; what is accepted is text. */
#include "base/arena.h"
#include "serve/answer.h"
#include "tests/fuzz/fuzz.h"

static void check_all(const Parameters *p)
{
    for (int k = 0; k < p->n; k++) {
        const char *v = p->item[k].value;
        require(utf8_invalid(v, strlen(v)) == strlen(v) && parameters_get(p, p->item[k].name) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MADE(Arena, arena_init, arena_fini, a, 1024);
    StrView rest, first = fuzz_cut(fuzz_text(data, size), &rest);
    char *text = arena_strndup(&a, first.ptr ? first.ptr : "", first.len);
    FREED(strbuf_fini) StrBuf out = { 0 };
    for (int kind = 0; kind < 3; kind++) {
        Parameters p = { .arena = &a };
        Error e = { 0 };
        Status s = kind == 0   ? parameters_map(&p, text, &e)
                   : kind == 1 ? parameters_form(&p, first, &e)
                               : parameters_multipart(&p, text, rest, &e);
        if (accepted(s, &e)) check_all(&p);
    }
    if (size) answer_indent(&out, (const char *)data, size);
    return 0;
}
