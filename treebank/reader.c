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

Status reader_open(TreebankReader *reader, const char *path, ReaderOptions options, Error *error)
{
    *reader = (TreebankReader){ .o = options, .want = WANT };
    treebank_init(&reader->tb);
    const StreamOptions how = {
        .encoding = options.encoding, .skip_mark = true, .invalid = options.invalid, .notes = options.brackets.notes
    };
    Status s = stream_open(&reader->in, path, how, stream_cut_lines, error);
    if (s == OK && options.format == FORMAT_AUTO) s = guess(reader, error);
    if (s != OK) return s;
    reader->in.cutter = cutter_of(reader->o.format);
    reader->o.brackets.dialect = format_dialect(reader->o.format);
    return OK;
}

void reader_close(TreebankReader *reader)
{
    stream_close(&reader->in);
    treebank_fini(&reader->tb);
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
    case FORMAT_JSON_LINES: return json_lines_read(&r->tb, block, (JsonOptions){ r->o.partial, r->o.keep_columns }, e);
    default: return bracket_read(&r->tb, block, r->o.brackets, e);
    }
}

/* The bytes of a block that begins with a unit that cannot be read which are passed over: the unit; where brackets do
 * not match, the lines up to the next one that begins with a bracket, after line bad. */
static size_t passed(const TreebankReader *r, TextBlock block, size_t unit, long bad)
{
    StrView text = block.text, line;
    size_t at = 0, from = 0;
    while (from < text.len && memchr(" \t\r\n", text.ptr[from], 4)) from++;
    bool balanced = unit && text.ptr[from] == '(';
    if (balanced || r->o.format == FORMAT_CONLL || r->o.format == FORMAT_JSON_LINES) return unit ? unit : text.len;
    for (long k = block.line; text_line(text, &at, &line); k++)
        if (at < text.len && text.ptr[at] == '(' && k >= bad) return at;
    return text.len;
}

/* Appends the sentences of a block, in which is one that cannot be read, up to that one, which is passed over. What
 * follows it is read again. */
static Status read_around(TreebankReader *r, TextBlock block, Error *e)
{
    TextBlock rest = block;
    while (rest.text.len) {
        CutState state = { 0 };
        Error bad = { 0 };
        size_t n = r->in.cutter(&state, rest.text.ptr, rest.text.len);
        int before = r->tb.n;
        TextBlock unit = rest;
        if (n) unit.text.len = n;
        if (read_block(r, unit, &bad) == OK) n = unit.text.len;
        else if (bad.code != ERR_FORMAT) *e = bad;
        else {
            r->tb.n = before;
            r->o.unread->take(r->o.unread, &bad);
            stream_restart(&r->in, rest.text.len - passed(r, rest, n, bad.line));
        }
        if (bad.code != OK) return e->code;
        TextPlace place = text_place((TextPlace){ rest.line, rest.column }, rest.text.ptr, n);
        rest.text = (StrView){ rest.text.ptr + n, rest.text.len - n };
        rest.line = place.line;
        rest.column = place.column;
    }
    return OK;
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
    int before = r->tb.n;
    r->ended = block.text.len == 0;
    if (r->ended || read_block(r, block, e) == OK) return OK;
    if (!r->o.unread || e->code != ERR_FORMAT) return stream_blame(&r->in, e);
    *e = (Error){ 0 };
    r->tb.n = before;
    return read_around(r, block, e);
}

Status reader_block(TreebankReader *reader, Error *error)
{
    reader->tb.n = 0;
    arena_reset(&reader->tb.arena);
    while (reader->error.code == OK && !reader->ended && reader->tb.n == 0) append_block(reader, &reader->error);
    if (reader->error.code == OK || reader->tb.n) return OK;
    *error = reader->error;
    return error->code;
}

Status reader_next(TreebankReader *reader, Sentence **sent, Error *error)
{
    *sent = NULL;
    if (reader->next == reader->tb.n) {
        reader->next = 0;
        Status s = reader_block(reader, error);
        if (s != OK) return s;
    }
    if (reader->next == reader->tb.n) return OK;
    *sent = &reader->tb.s[reader->next++];
    reader->n++;
    return OK;
}

Status treebank_load(Treebank *tb, const char *path, ReaderOptions options, Error *error)
{
    TreebankReader r;
    Status s = reader_open(&r, path, options, error);
    Treebank own = r.tb;
    r.tb = *tb;
    while (s == OK && !r.ended) s = append_block(&r, &r.error);
    if (s != OK && error->code == OK) *error = r.error;
    *tb = r.tb;
    r.tb = own;
    reader_close(&r);
    return s;
}
