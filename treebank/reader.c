/* A stream of blocks that end with a sentence; each block goes to the reader of its notation. */
#include "treebank/reader.h"

#include <string.h>

#include "treebank/conll.h"
#include "treebank/json_lines.h"

enum { WANT = 1 << 16, UNIT_MOST_MIB = 64, UNIT_MOST = UNIT_MOST_MIB << 20 };

static Cutter cutter_of(TreebankFormat format)
{
    switch (format) {
    case FORMAT_CONLL: return conll_cut;
    case FORMAT_JSON_LINES: return stream_cut_lines;
    default: return bracket_cut;
    }
}

/* Guesses the format from the beginning of the file, after white space. */
static Status guess(TreebankReader *r, Error *e)
{
    enum { ENOUGH = 64 };
    StrView text;
    size_t space = 0;
    do {
        Status s = stream_peek(&r->in, space + ENOUGH, &text, e);
        if (s != OK) return s;
        while (space < text.len && memchr(" \t\r\n", text.ptr[space], 4)) space++;
    } while (text.len >= space && text.len - space < ENOUGH && !r->in.ended && space < UNIT_MOST);
    r->o.format = format_guess(text);
    return r->o.format == FORMAT_AUTO ? format_unknown(r->in.path, e) : OK;
}

Status reader_open(TreebankReader *r, const char *path, ReaderOptions o, Error *e)
{
    *r = (TreebankReader){ .o = o, .want = WANT };
    treebank_init(&r->tb);
    Status s = stream_open(&r->in, path, o.encoding, true, stream_cut_lines, e);
    if (s == OK && o.format == FORMAT_AUTO) s = guess(r, e);
    if (s != OK) return s;
    r->in.cutter = cutter_of(r->o.format);
    r->o.brackets.dialect = format_dialect(r->o.format);
    return OK;
}

void reader_close(TreebankReader *r)
{
    stream_close(&r->in);
    treebank_fini(&r->tb);
}

static Status read_block(TreebankReader *r, TextBlock block, Error *e)
{
    ConllOptions conll = { .keep_lines = r->o.keep_lines,
                           .keep_spelling = r->o.brackets.keep_spelling,
                           .keep_columns = r->o.keep_columns,
                           .partial = r->o.partial,
                           .bare = r->o.bare };
    switch (r->o.format) {
    case FORMAT_CONLL: return conll_read(&r->tb, block, conll, e);
    case FORMAT_JSON_LINES: return json_lines_read(&r->tb, block, (JsonOptions){ r->o.partial }, e);
    default: return bracket_read(&r->tb, block, r->o.brackets, e);
    }
}

/* Appends the sentences of the next block; sets r->ended at the end of the file. */
static Status append_block(TreebankReader *r, Error *e)
{
    TextBlock block;
    bool whole;
    Status s = stream_next(&r->in, r->want, UNIT_MOST, &block, &whole, e);
    if (s != OK) return s;
    if (!whole)
        return error_at(e, ERR_LIMIT, block.path, block.line, block.column,
                        "found a sentence of more than %d MiB, expected its end", UNIT_MOST_MIB);
    r->ended = block.text.len == 0;
    if (r->ended || read_block(r, block, e) == OK) return OK;
    return stream_blame(&r->in, e);
}

Status reader_block(TreebankReader *r, Error *e)
{
    r->tb.n = 0;
    arena_reset(&r->tb.arena);
    while (r->error.code == OK && !r->ended && r->tb.n == 0) append_block(r, &r->error);
    if (r->error.code == OK || r->tb.n) return OK;
    *e = r->error;
    return e->code;
}

Status reader_next(TreebankReader *r, Sentence **sent, Error *e)
{
    *sent = NULL;
    if (r->next == r->tb.n) {
        r->next = 0;
        Status s = reader_block(r, e);
        if (s != OK) return s;
    }
    if (r->next == r->tb.n) return OK;
    *sent = &r->tb.s[r->next++];
    r->n++;
    return OK;
}

Status treebank_load(Treebank *tb, const char *path, ReaderOptions o, Error *e)
{
    TreebankReader r;
    Status s = reader_open(&r, path, o, e);
    Treebank own = r.tb;
    r.tb = *tb;
    while (s == OK && !r.ended) s = append_block(&r, &r.error);
    if (s != OK && e->code == OK) *e = r.error;
    *tb = r.tb;
    r.tb = own;
    reader_close(&r);
    return s;
}
