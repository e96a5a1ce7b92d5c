/* parser/cmd_tokenize.c: lal tokenize */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "parser/program.h"
#include "treebank/segment.h"

enum { FORMAT_LINES, FORMAT_JSON };

typedef struct Fields {
    int format;
} Fields;

const Option TOKENIZE_OPTIONS[] = {
    { "format", OPT_ENUM, offsetof(Fields, format), "lines", 0, 0, "lines|json",
      "a sentence a line with tokens parted by blanks, or JSON lines with character offsets" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static void put_sentence(StrBuf *out, const SegmentedText *t, const TextSentence *s, int format)
{
    if (format == FORMAT_JSON) strbuf_printf(out, "{\"line\": %ld, \"paragraph\": %s, \"tokens\": [", s->line, s->new_paragraph ? "true" : "false");
    for (int k = 0; k < s->n; k++) {
        const Token *tok = &t->tokens[s->first + k];
        if (format == FORMAT_JSON) {
            strbuf_printf(out, "%s[%zu, %zu, ", k ? ", " : "", tok->begin_char, tok->end_char);
            strbuf_json(out, tok->form, tok->end - tok->begin);
            strbuf_putc(out, ']');
        } else {
            if (k) strbuf_putc(out, ' ');
            strbuf_add(out, tok->form, tok->end - tok->begin);
        }
    }
    strbuf_puts(out, format == FORMAT_JSON ? "]}\n" : "\n");
}

static Status tokenize_file(const char *path, int format, Error *e)
{
    StrBuf text = { 0 }, out = { 0 };
    SegmentedText t;
    Arena a;
    arena_init(&a, (size_t)1 << 20);
    Status s = file_read(path, &text, e);
    if (s == OK) s = segment_text(&t, (StrView){ text.ptr, text.len }, path, &a, e);
    if (s == OK) {
        for (int k = 0; k < t.n_sentences; k++) put_sentence(&out, &t, &t.sentences[k], format);
        segmented_fini(&t);
        if (out.failed) s = error_set(e, ERR_NOMEM, "out of memory");
        else if ((out.len && fwrite(out.ptr, 1, out.len, stdout) != out.len) || fflush(stdout) != 0)
            s = error_set(e, ERR_IO, "cannot write: %s", strerror(errno));
    }
    arena_fini(&a);
    strbuf_fini(&text);
    strbuf_fini(&out);
    return s;
}

Status cmd_tokenize(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(TOKENIZE_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    const char *const *files = (const char *const *)argv;
    for (int k = 0; k < n && s == OK; k++) s = tokenize_file(files[k], f.format, e);
    return s;
}
