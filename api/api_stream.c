/* A text of any length becomes one sentence after another, or a format */
#include <string.h>

#include "api/api.h"
#include "api/api_given.h"
#include "api/api_write.h"
#include "treebank/conll.h"

/* ---- one sentence after another */

typedef struct Each {
    const Model *m;
    Arena arena; /* of one sentence */
    LalTake take;
    void *context;
    size_t n_tokens;
} Each;

static Status hand_out(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Each *x = context;
    for (int k = from; k < to; k++) {
        LalSentence s;
        arena_reset(&x->arena);
        if (api_document_sentence(x->m, d, result, k, &x->arena, &s, e) != OK) return e->code;
        s.first_token = x->n_tokens;
        x->n_tokens += (size_t)s.n_tokens;
        if (x->take(x->context, &s) != 0) return error_set(e, ERR_INTERRUPTED, "stopped");
    }
    return OK;
}

/* Parses an open document, if *e holds no error, and closes it. */
static LalStatus parse_each(LalParser *p, Document *d, LalTake take, void *context, const ApiInvalid *invalid, Error *e,
                            LalError *error)
{
    Each x = { .m = p->p.m, .take = take, .context = context };
    arena_init(&x.arena, (size_t)1 << 12);
    if (e->code == OK && !take) error_set(e, ERR_RANGE, "found NULL, expected a function that takes sentences");
    if (e->code == OK) document_run(d, &p->p, hand_out, &x, e);
    document_close(d);
    arena_fini(&x.arena);
    api_invalid_end(invalid, e);
    return api_end_error(error, e);
}

LalStatus lal_parse_text_each(LalParser *p, const char *text, size_t size, LalTake take, void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    Document d;
    if (!api_call_begin(p, &code, error)) return code;
    ApiInvalid invalid = api_invalid();
    DocumentOptions o = p->text;
    o.notes = &invalid.notes;
    api_check_text(text, size, &e);
    document_open_text(&d, (StrView){ text, size }, "text", o);
    code = parse_each(p, &d, take, context, &invalid, &e, error);
    api_call_end(p);
    return code;
}

LalStatus lal_parse_file_each(LalParser *p, const char *path, LalTake take, void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    Document d;
    if (!path) return api_status(error, LAL_ERROR_ARGUMENT, "found NULL, expected the path of a text");
    if (!api_call_begin(p, &code, error)) return code;
    ApiInvalid invalid = api_invalid();
    DocumentOptions o = p->text;
    o.notes = &invalid.notes;
    document_open(&d, path, o, &e);
    code = parse_each(p, &d, take, context, &invalid, &e, error);
    api_call_end(p);
    return code;
}

/* ---- in a format */

typedef struct Formatted {
    const Model *m;
    OutputStyle style;
    LalWrite write;
    void *context;
    StrBuf buf;
    long id;
} Formatted;

/* Hands out what is written so far. */
static Status flush(Formatted *x, Error *e)
{
    if (x->buf.failed) return error_set(e, ERR_NOMEM, "out of memory for the result");
    bool stops = x->buf.len && x->write(x->context, x->buf.ptr, x->buf.len) != 0;
    strbuf_clear(&x->buf);
    return stops ? error_set(e, ERR_INTERRUPTED, "stopped") : OK;
}

static Status write_sentences(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Formatted *x = context;
    for (int k = from; k < to; k++) {
        Origin o = document_origin(d, k, ++x->id);
        o.new_document = x->id == 1;
        output_sentence(&x->buf, x->m, &result[k], &o, x->style);
    }
    return flush(x, e);
}

/* Begins to write what a parser parses in a format; *e: no error yet, or the one that ends it. */
static Status begin_format(LalParser *p, const char *format, LalWrite write, void *context, Formatted *x, Error *e)
{
    *x = (Formatted){ .m = p->p.m, .write = write, .context = context, .style.terminal.width = 80 };
    if (e->code == OK && !write) error_set(e, ERR_RANGE, "found NULL, expected a function that takes bytes");
    if (e->code != OK || output_find(format, &x->style.format, e) != OK) return e->code;
    x->style.why = p->notes.batch && (x->style.format->needs & OUTPUT_TAKES_WHY);
    x->style.ud = model_ud(x->m) && (p->deps == LAL_DEPS_UD || (p->deps == LAL_DEPS_AUTO && !x->style.why));
    x->style.ranges = p->ranges;
    x->style.confidence = p->p.o.confidence;
    x->style.treebank = p->p.o.treebank ? vocab_text(&x->m->treebanks, p->p.o.treebank) : NULL;
    return OK;
}

LalStatus lal_parse_text_as(LalParser *p, const char *text, size_t size, const char *format, LalWrite write,
                            void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    Formatted x;
    if (!api_call_begin(p, &code, error)) return code;
    ApiInvalid invalid = api_invalid();
    DocumentOptions o = p->text;
    o.notes = &invalid.notes;
    api_check_text(text, size, &e);
    if (begin_format(p, format, write, context, &x, &e) == OK) {
        const ParseObserver others = p->p.o.observe;
        if (x.style.why) p->p.o.observe = p->notes;
        document_parse(&p->p, (StrView){ text, size }, "text", o, write_sentences, &x, &e);
        p->p.o.observe = others;
    }
    strbuf_fini(&x.buf);
    api_call_end(p);
    api_invalid_end(&invalid, &e);
    return api_end_error(error, &e);
}

/* ---- sentences of JSON or CoNLL-U */

/* Sentences that were read, and how they are written. */
typedef struct Rows {
    Formatted f;
    const Treebank *tb;
    const LalParser *parser;
    bool over; /* parses are written over the rows of CoNLL-U */
} Rows;

static Status write_rows(void *context, int from, int to, Error *e)
{
    Rows *x = context;
    for (int k = from; k < to; k++) {
        const Sentence *rows = &x->tb->s[k];
        const Origin o = { .id = k + 1, .line = rows->line, .rows = x->over ? rows : NULL, .new_document = k == 0 };
        output_sentence(&x->f.buf, x->f.m, &x->parser->p.result[k], &o, x->f.style);
    }
    return flush(&x->f, e);
}

LalStatus lal_parse_json_as(LalParser *p, const char *json, size_t size, const char *format, LalWrite write,
                            void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    ApiSentences read;
    Rows x = { .tb = &read.tb, .parser = p };
    if (!api_call_begin(p, &code, error)) return code;
    api_sentences_read(&read, p->p.m, json, size, &e);
    if (begin_format(p, format, write, context, &x.f, &e) == OK) {
        const ParseObserver others = p->p.o.observe;
        if (x.f.style.why) p->p.o.observe = p->notes;
        parser_run(&p->p, read.in, read.tb.n, write_rows, &x, &e);
        p->p.o.observe = others;
    }
    api_sentences_fini(&read);
    strbuf_fini(&x.f.buf);
    api_call_end(p);
    return api_end_error(error, &e);
}

static bool is_tagged(const Sentence *sent)
{
    bool tagged = true;
    for (int w = 0; w < sent->n_words; w++) tagged &= strcmp(sent->tags[w], "_") != 0;
    return tagged;
}

static Status parse_rows(LalParser *p, Rows *x, StrView text, Treebank *tb, Error *e)
{
    const ConllOptions options = { .keep_lines = true, .keep_columns = true, .no_heads = true };
    if (conll_read(tb, text_block(text, "text"), options, e) != OK) return e->code;
    ParseInput *in = mem_calloc((size_t)tb->n, sizeof *in);
    if (!in) return error_set(e, ERR_NOMEM, "out of memory parsing");
    for (int k = 0; k < tb->n; k++) {
        const Sentence *s = &tb->s[k];
        in[k] = (ParseInput){ .n_words = s->n_words, .words = s->words };
        if (x->f.style.keep_tags && is_tagged(s)) in[k].tags = s->tags;
    }
    const ParseObserver others = p->p.o.observe;
    if (x->f.style.why) p->p.o.observe = p->notes;
    Status status = parser_run(&p->p, in, tb->n, write_rows, x, e);
    p->p.o.observe = others;
    mem_free(in);
    return status;
}

LalStatus lal_parse_conllu_as(LalParser *p, const char *text, size_t size, int columns, LalWrite write, void *context,
                              LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    Treebank tb;
    Rows x = { .tb = &tb, .parser = p, .over = true };
    StrBuf repaired = { 0 };
    if (!api_call_begin(p, &code, error)) return code;
    Repair repair = { .what = p->text.raw.invalid };
    if (repair.what != INVALID_ERROR && api_check_text(text, size, &e) == OK) {
        repair_feed(&repair, text, size, true, &repaired);
        if (repaired.failed) error_set(&e, ERR_NOMEM, "out of memory for the text");
        text = repaired.ptr;
        size = repaired.len;
    }
    treebank_init(&tb);
    api_check_text(text, size, &e);
    api_check_range("columns", columns, 0, LAL_COLUMNS_TAGS + LAL_COLUMNS_ARCS, &e);
    begin_format(p, "conllu", write, context, &x.f, &e);
    x.f.style.keep_tags = !(columns & LAL_COLUMNS_TAGS);
    x.f.style.keep_arcs = !(columns & LAL_COLUMNS_ARCS);
    if (e.code == OK) parse_rows(p, &x, (StrView){ text ? text : "", size }, &tb, &e);
    if (e.code == OK && repair.n)
        error_at(&e, OK, "text", repair.first.line, repair.first.column, "%s", repair_text(&repair).text);
    treebank_fini(&tb);
    strbuf_fini(&x.f.buf);
    strbuf_fini(&repaired);
    api_call_end(p);
    return api_end_error(error, &e);
}

char *lal_sentence_as(const LalSentence *sentence, long number, const char *text, size_t size, const char *format,
                      const LalOptions *options, LalError *error)
{
    Error e = { 0 };
    LalOptions o;
    DocumentOptions how;
    OutputStyle style = { .terminal.width = 80 };
    StrBuf out = { 0 };
    Status s = sentence ? OK : error_set(&e, ERR_RANGE, "found NULL, expected a sentence");
    if (s == OK) s = output_find(format, &style.format, &e);
    if (s == OK) s = api_read_options(options, &o, &e);
    if (s == OK) s = api_text_options(&o, NULL, &how, &e);
    if (s == OK) s = api_check_range("deps", o.deps, LAL_DEPS_AUTO, LAL_DEPS_MODEL, &e);
    style.ranges = s == OK && o.ranges;
    if (s == OK)
        s = api_write_sentence(&out, sentence, number, (StrView){ text, size }, how, (LalDeps)o.deps, style, &e);
    if (s == OK && !out.ptr) strbuf_puts(&out, "");
    if (s == OK && out.failed) s = error_set(&e, ERR_NOMEM, "out of memory writing a sentence");
    if (s != OK) strbuf_fini(&out);
    api_error(error, &e);
    return out.ptr;
}

void lal_string_free(char *string) { mem_free(string); }

typedef struct Splits {
    bool json;
    LalWrite write;
    void *context;
    StrBuf buf;
    long id;
} Splits;

static Status write_splits(void *context, const Document *d, Error *e)
{
    Splits *x = context;
    strbuf_clear(&x->buf);
    for (int k = 0; k < d->n; k++) output_split(&x->buf, d, k, ++x->id, NULL, x->json);
    if (x->buf.failed) return error_set(e, ERR_NOMEM, "out of memory for the result");
    return x->buf.len && x->write(x->context, x->buf.ptr, x->buf.len) != 0 ? error_set(e, ERR_INTERRUPTED, "stopped")
                                                                           : OK;
}

LalStatus lal_split_text_as(const LalModel *m, const LalOptions *options, const char *text, size_t size,
                            const char *format, LalWrite write, void *context, LalError *error)
{
    Error e = { 0 };
    ApiInvalid invalid = api_invalid();
    Splits x = { .write = write, .context = context, .json = format && strcmp(format, "json") == 0 };
    if (!x.json && (!format || strcmp(format, "lines") != 0))
        error_set(&e, ERR_RANGE, "found '%s', expected lines or json", format ? format : "NULL");
    else if (!write) error_set(&e, ERR_RANGE, "found NULL, expected a function that takes bytes");
    else api_split(m, options, (StrView){ text, size }, false, &invalid.notes, write_splits, &x, &e);
    strbuf_fini(&x.buf);
    api_invalid_end(&invalid, &e);
    return api_end_error(error, &e);
}
