/* parser/program/cmd_tokenize.c: lal tokenize */
#include <string.h>

#include "base/file.h"
#include "parser/document.h"
#include "parser/program/program.h"

enum { FORMAT_LINES, FORMAT_JSON };
enum { HYPHENS_SPLIT, HYPHENS_KEEP };

typedef struct Fields {
    int format, hyphens;
} Fields;

static const Option TOKENIZE_OPTIONS[] = {
    { "format", OPT_ENUM, offsetof(Fields, format), "lines", 0, 0, "lines|json",
      "format of the output: a sentence on each line, tokens separated by blanks, or JSON lines with character "
      "offsets" },
    { "hyphens", OPT_ENUM, offsetof(Fields, hyphens), "split", 0, 0, "split|keep",
      "split hyphenated words at the hyphens, as GUM, EWT and CRAFT do, or keep them whole, as the Penn Treebank "
      "does" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* document: the name of the file if there are several files, else NULL. */
static void put_sentence(StrBuf *out, const SegmentedText *t, const TextSentence *s, const char *document, int format)
{
    if (format == FORMAT_JSON) {
        strbuf_putc(out, '{');
        if (document) {
            strbuf_puts(out, "\"document\": ");
            strbuf_json(out, document, strlen(document));
            strbuf_puts(out, ", ");
        }
        strbuf_printf(out, "\"line\": %ld, \"paragraph\": %s, \"tokens\": [", s->line,
                      s->new_paragraph ? "true" : "false");
    }
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

static Status tokenize_file(const char *path, const char *document, const Fields *f, FileWriter *w, Notes *notes,
                            Error *e)
{
    Document d;
    StrBuf out = { 0 };
    Status st =
        document_open(&d, path, (DocumentOptions){ .split_hyphens = f->hyphens == HYPHENS_SPLIT, .notes = notes }, e);
    for (bool more = st == OK; more && st == OK;) {
        st = document_next(&d, e);
        more = d.n > 0;
        strbuf_clear(&out);
        for (int k = 0; k < d.n && st == OK; k++) put_sentence(&out, &d.seg, &d.seg.sentences[k], document, f->format);
        if (st == OK && out.failed) st = error_set(e, ERR_NOMEM, "out of memory");
        if (st != OK) break;
        filewriter_write(w, out.ptr, out.len);
        filewriter_flush(w);
        if (w->error) st = filewriter_close(w, false, e);
    }
    document_close(&d);
    strbuf_fini(&out);
    return st;
}

static Status run_tokenize(int argc, char **argv, Error *e)
{
    Fields f;
    FileWriter w = { 0 };
    ProgramNotes notes = program_notes();
    int n;
    Status s = program_options(TOKENIZE_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    if (s == OK) s = filewriter_open(&w, "-", e);
    for (int k = 0; k < n && s == OK; k++) s = tokenize_file(argv[k], n > 1 ? argv[k] : NULL, &f, &w, &notes.notes, e);
    program_notes_end(&notes);
    Status closed = filewriter_close(&w, s == OK, e);
    return s != OK ? s : closed;
}

static const Option *const TOKENIZE_TABLES[] = { TOKENIZE_OPTIONS, NULL };
const Command CMD_TOKENIZE = { "tokenize", "[OPTIONS] [FILE...]", "split raw text into sentences and tokens",
                               NULL,       TOKENIZE_TABLES,       run_tokenize };
