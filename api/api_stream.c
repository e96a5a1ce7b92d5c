/* A text of any length becomes one sentence after another, or a format */
#include <string.h>

#include "api/api.h"
#include "api/api_write.h"

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
static LalStatus parse_each(LalParser *p, Document *d, LalTake take, void *context, Error *e, LalError *error)
{
    Each x = { .m = p->p.m, .take = take, .context = context };
    arena_init(&x.arena, (size_t)1 << 12);
    if (e->code == OK && !take) error_set(e, ERR_RANGE, "found NULL, expected a function that takes sentences");
    if (e->code == OK) document_run(d, &p->p, hand_out, &x, e);
    document_close(d);
    arena_fini(&x.arena);
    return api_end_error(error, e);
}

LalStatus lal_parse_text_each(LalParser *p, const char *text, size_t size, LalTake take, void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    Document d;
    if (!api_call_begin(p, &code, error)) return code;
    api_check_text(text, size, &e);
    document_open_text(&d, (StrView){ text, size }, "text", p->text);
    code = parse_each(p, &d, take, context, &e, error);
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
    document_open(&d, path, p->text, &e);
    code = parse_each(p, &d, take, context, &e, error);
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

static Status write_sentences(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Formatted *x = context;
    strbuf_clear(&x->buf);
    for (int k = from; k < to; k++) {
        Origin o = document_origin(d, k, ++x->id);
        o.new_document = x->id == 1;
        output_sentence(&x->buf, x->m, &result[k], &o, x->style);
    }
    if (x->buf.failed) return error_set(e, ERR_NOMEM, "out of memory for the result");
    if (x->buf.len && x->write(x->context, x->buf.ptr, x->buf.len) != 0)
        return error_set(e, ERR_INTERRUPTED, "stopped");
    return OK;
}

LalStatus lal_parse_text_as(LalParser *p, const char *text, size_t size, const char *format, LalWrite write,
                            void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    if (!api_call_begin(p, &code, error)) return code;
    Formatted x = { .m = p->p.m, .write = write, .context = context, .style.terminal.width = 80 };
    Status s = api_check_text(text, size, &e);
    if (s == OK && !write) s = error_set(&e, ERR_RANGE, "found NULL, expected a function that takes bytes");
    if (s == OK) s = output_find(format, &x.style.format, &e);
    if (s == OK) {
        ParseObserver others = p->p.o.observe;
        x.style.why = p->notes.batch && (x.style.format->needs & OUTPUT_TAKES_WHY);
        x.style.ud = model_ud(x.m) && (p->deps == LAL_DEPS_UD || (p->deps == LAL_DEPS_AUTO && !x.style.why));
        x.style.ranges = p->ranges;
        x.style.confidence = p->p.o.confidence;
        if (x.style.why) p->p.o.observe = p->notes;
        x.style.treebank = p->p.o.treebank ? vocab_text(&x.m->treebanks, p->p.o.treebank) : NULL;
        document_parse(&p->p, (StrView){ text, size }, "text", p->text, write_sentences, &x, &e);
        p->p.o.observe = others;
    }
    strbuf_fini(&x.buf);
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
    Splits x = { .write = write, .context = context, .json = format && strcmp(format, "json") == 0 };
    if (!x.json && (!format || strcmp(format, "lines") != 0))
        error_set(&e, ERR_RANGE, "found '%s', expected lines or json", format ? format : "NULL");
    else if (!write) error_set(&e, ERR_RANGE, "found NULL, expected a function that takes bytes");
    else api_split(m, options, (StrView){ text, size }, false, write_splits, &x, &e);
    strbuf_fini(&x.buf);
    return api_end_error(error, &e);
}
