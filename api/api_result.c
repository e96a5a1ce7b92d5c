/* Texts and tokens become a LalResult */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "api/api_given.h"
#include "api/api_sentence.h"

/* What a program has as a LalResult, with what it holds. */
typedef struct Result {
    LalResult r;
    LalModel *model;
    Arena arena;
    LalSentence *sentences; /* [cap] */
    LalPlace *places;       /* [cap_places] */
    int n, cap, cap_places;
    Repair repair; /* of the text */
    StrBuf text;   /* repaired */
} Result;

/* ---- sentences */

static void place_sentence(const Document *d, int k, LalSentence *out)
{
    out->line = d->seg.sentences[k].line;
    out->new_paragraph = d->seg.sentences[k].new_paragraph;
    out->touches_next = document_touches_next(d, k);
}

Status api_document_sentence(const Model *model, const Document *document, const Parsed *parsed, int k, Arena *arena,
                             LalSentence *out, Error *error)
{
    Status s = api_sentence(model, &parsed[k], document_tokens(document, k), &document->block, arena, out, error);
    place_sentence(document, k, out);
    return s;
}

/* ---- results */

static Result *result_new(LalModel *m, Error *e)
{
    Result *r = mem_calloc(1, sizeof *r);
    if (!r) {
        error_set(e, ERR_NOMEM, "out of memory for the result");
        return NULL;
    }
    r->model = m ? api_model_hold(m) : NULL;
    arena_init(&r->arena, (size_t)1 << 12);
    return r;
}

void lal_result_free(LalResult *result)
{
    Result *r = (Result *)result; /* its first member */
    if (!r) return;
    arena_fini(&r->arena);
    mem_free_each(r->sentences, r->places);
    strbuf_fini(&r->text);
    lal_model_free(r->model);
    mem_free(r);
}

/* The next sentence, to be filled. */
static LalSentence *result_next(Result *r, Error *e)
{
    if (mem_reserve(r->sentences, &r->cap, r->n + 1)) return &r->sentences[r->n];
    error_set(e, ERR_NOMEM, "out of memory for the result");
    return NULL;
}

static void result_count(Result *r)
{
    LalSentence *s = &r->sentences[r->n++];
    s->first_token = r->r.n_tokens;
    r->r.n_tokens += (size_t)s->n_tokens;
}

/* The result of a call that ended with *e. */
static LalResult *result_finish(Result *r, Error *e, LalError *error)
{
    if (api_end_error(error, e) != LAL_OK) {
        lal_result_free(r ? &r->r : NULL);
        return NULL;
    }
    r->r.sentences = r->sentences;
    r->r.n_sentences = (size_t)r->n;
    return &r->r;
}

/* ---- texts */

Status api_check_text(const char *text, size_t size, Error *error)
{
    return text || !size ? OK : error_set(error, ERR_RANGE, "found NULL, expected a text of %zu bytes", size);
}

/* The result of a Repair, its member, notes a place. */
static void add_place(Repair *repair, const char *message)
{
    Result *r = (Result *)((char *)repair - offsetof(Result, repair));
    (void)message;
    if (mem_reserve(r->places, &r->cap_places, (int)repair->n))
        r->places[repair->n - 1] = (LalPlace){ repair->place.line, repair->place.column };
    else r->text.failed = true;
}

/* The text to be parsed: repaired, if it has to be. */
static StrView text_of(Result *r, Invalid invalid, StrView text, Error *e)
{
    const char *found;
    if (!r || invalid == INVALID_ERROR || text_fault(text, &found) == text.len) return text;
    r->repair = (Repair){ .what = invalid, .found = add_place };
    strbuf_puts(&r->text, "");
    repair_feed(&r->repair, text.ptr, text.len, true, &r->text);
    if (r->text.failed) error_set(e, ERR_NOMEM, "out of memory for the text");
    r->r.invalid = r->places;
    r->r.n_invalid = (size_t)r->repair.n;
    r->r.text = r->text.ptr;
    r->r.text_size = r->text.len;
    return (StrView){ r->text.ptr, r->text.len };
}

static Status add_sentences(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Result *r = context;
    for (int k = from; k < to; k++) {
        LalSentence *s = result_next(r, e);
        if (!s || api_document_sentence(&r->model->m, d, result, k, &r->arena, s, e) != OK) return e->code;
        result_count(r);
    }
    return OK;
}

LalResult *lal_parse_text(LalParser *p, const char *text, size_t size, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    if (!api_call_begin(p, &code, error)) return NULL;
    Result *r = api_check_text(text, size, &e) == OK ? result_new(p->model, &e) : NULL;
    DocumentOptions o = p->text;
    o.large_windows = true;
    StrView given = text_of(r, o.raw.invalid, (StrView){ text, size }, &e);
    if (e.code == OK) document_parse(&p->p, given, "text", o, add_sentences, r, &e);
    api_call_end(p);
    return result_finish(r, &e, error);
}

/* The documents of lal_parse_texts and their results. */
typedef struct Texts {
    Document *d;   /* [n] */
    LalResult **r; /* [n] */
} Texts;

static Status add_of_texts(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    const Texts *x = context;
    return add_sentences(x->r[d - x->d], d, result, from, to, e); /* LalResult is the first member of Result */
}

/* Opens the documents and makes empty results. */
static Status texts_open(const LalParser *p, const LalText *texts, int n, Texts *x, Arena *names, Error *e)
{
    DocumentOptions o = p->text;
    o.large_windows = true;
    for (int k = 0; k < n; k++) {
        char name[32];
        Error at = { 0 };
        snprintf(name, sizeof name, "text %d", k);
        if (api_check_text(texts[k].text, texts[k].size, &at) != OK)
            return error_set(e, at.code, "%s: %s", name, at.message);
        const char *kept = arena_strndup(names, name, strlen(name));
        if (!kept) return error_set(e, ERR_NOMEM, "out of memory for the result");
        if (!(x->r[k] = (LalResult *)result_new(p->model, e))) return e->code;
        StrView text = { texts[k].text, texts[k].size };
        document_open_text(&x->d[k], text_of((Result *)x->r[k], o.raw.invalid, text, e), kept, o);
        if (e->code != OK) return e->code;
    }
    return OK;
}

static Status parse_texts(LalParser *p, const LalText *texts, int n, LalResult **results, Error *e)
{
    Arena names;
    Texts x = { mem_calloc((size_t)n, sizeof *x.d), results };
    arena_init(&names, (size_t)1 << 12);
    Status s = x.d ? texts_open(p, texts, n, &x, &names, e) : error_set(e, ERR_NOMEM, "out of memory for the result");
    if (s == OK) s = document_run_all(x.d, n, &p->p, add_of_texts, &x, e);
    for (int k = 0; x.d && k < n && results[k]; k++) document_close(&x.d[k]);
    mem_free(x.d);
    arena_fini(&names);
    return s;
}

LalStatus lal_parse_texts(LalParser *p, const LalText *texts, int n, LalResult **results, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    if (n < 0 || (n && (!texts || !results)))
        return api_status(error, LAL_ERROR_ARGUMENT, "lal_parse_texts: found no texts, or nowhere to put results");
    for (int k = 0; k < n; k++) results[k] = NULL;
    if (!api_call_begin(p, &code, error)) return code;
    parse_texts(p, texts, n, results, &e);
    api_call_end(p);
    code = api_end_error(error, &e);
    for (int k = 0; k < n; k++) {
        if (code != LAL_OK) lal_result_free(results[k]);
        results[k] = code == LAL_OK ? result_finish((Result *)results[k], &e, NULL) : NULL;
    }
    return code;
}

/* A sentence that is not parsed. */
static Status split_sentence(const Document *d, int k, Arena *a, LalSentence *out, Error *e)
{
    const TextSentence *t = &d->seg.sentences[k];
    LalToken *x = arena_calloc(a, (size_t)t->n, sizeof *x);
    *out = API_SENTENCE;
    out->tokens = x;
    out->n_tokens = t->n;
    bool good = x != NULL;
    for (int w = 0; w < t->n && good; w++) {
        const Token *token = &d->seg.tokens[t->first + w];
        x[w] = API_TOKEN;
        api_place(&x[w], token);
        x[w].glued = w && token->glued;
        good = (x[w].form = arena_strndup(a, token->form, token->len)) != NULL;
    }
    int n = 0;
    const WordRange *ranges = good ? segmented_text_ranges(document_tokens(d, k), t->n, d->block, a, &n) : NULL;
    good = ranges && api_multiwords(ranges, n, x, a, out);
    place_sentence(d, k, out);
    return good ? OK : error_set(e, ERR_NOMEM, "out of memory for the result");
}

static Status split_document(void *context, const Document *d, Error *e)
{
    Result *r = context;
    for (int k = 0; k < d->n; k++) {
        LalSentence *to = result_next(r, e);
        if (!to || split_sentence(d, k, &r->arena, to, e) != OK) return e->code;
        result_count(r);
    }
    return OK;
}

Status api_split(const LalModel *model, const LalOptions *options, StrView text, bool large, Notes *notes,
                 Status (*take)(void *context, const Document *d, Error *e), void *context, Error *error)
{
    LalOptions o;
    DocumentOptions how;
    Document d;
    Status s = api_check_text(text.ptr, text.len, error);
    if (s == OK) s = api_read_options(options, &o, error);
    if (s == OK) s = api_text_options(&o, model ? &model->m : NULL, &how, error);
    if (s != OK) return s;
    how.large_windows = large;
    how.notes = notes;
    document_open_text(&d, text, "text", how);
    while ((s = document_next(&d, error)) == OK && d.n) {
        if (o.stop && o.stop(o.stop_context)) s = error_set(error, ERR_INTERRUPTED, "stopped");
        if (s != OK || (s = take(context, &d, error)) != OK) break;
    }
    document_close(&d);
    return s;
}

LalResult *lal_split_text(const LalModel *m, const LalOptions *options, const char *text, size_t size, LalError *error)
{
    Error e = { 0 };
    LalOptions o;
    Result *r = result_new((LalModel *)m, &e);
    StrView given = { text, size };
    if (r && api_check_text(text, size, &e) == OK && api_read_options(options, &o, &e) == OK)
        given = text_of(r, (Invalid)o.invalid, given, &e);
    if (e.code == OK) api_split(m, options, given, true, NULL, split_document, r, &e);
    return result_finish(r, &e, error);
}

/* ---- tokens */

static Status check_words(const char *const *words, int n, int sentence, const char *what, Error *e)
{
    for (int w = 0; w < n; w++) {
        size_t size = words[w] ? strlen(words[w]) : 0;
        if (!size)
            return error_set(e, ERR_RANGE, "sentence %d: %s %d is %s", sentence, what, w, words[w] ? "empty" : "NULL");
        if (utf8_invalid(words[w], size) != size)
            return error_set(e, ERR_FORMAT, "sentence %d: %s %d has bytes that are not UTF-8", sentence, what, w);
    }
    return OK;
}

static Status check_sentences(const LalWords *s, int n, Error *e)
{
    if (n < 0) return error_set(e, ERR_RANGE, "found %d sentences, expected at least 0", n);
    if (n && !s) return error_set(e, ERR_RANGE, "found NULL, expected %d sentences", n);
    Status status = OK;
    for (int k = 0; k < n && status == OK; k++) {
        if (s[k].n < 0) return error_set(e, ERR_RANGE, "sentence %d: found %d words, expected at least 0", k, s[k].n);
        if (s[k].n && !s[k].words)
            return error_set(e, ERR_RANGE, "sentence %d: found NULL, expected %d words", k, s[k].n);
        status = check_words(s[k].words, s[k].n, k, "word", e);
        if (status == OK && s[k].tags) status = check_words(s[k].tags, s[k].n, k, "tag", e);
    }
    return status;
}

/* given: what the trees must have, or NULL. */
static Status parse_tokens(LalParser *p, const LalWords *sentences, const LalGiven *given, int n, Result *r, Error *e)
{
    ParseInput *in = mem_calloc((size_t)n, sizeof *in);
    Arena a;
    arena_init(&a, 1 << 12);
    Status s = in ? OK : error_set(e, ERR_NOMEM, "out of memory parsing");
    for (int k = 0; k < n && s == OK; k++)
        in[k] = (ParseInput){ .n_words = sentences[k].n, .words = sentences[k].words, .tags = sentences[k].tags };
    for (int k = 0; k < n && given && s == OK; k++) s = api_given(p->p.m, &given[k], k, &in[k], &a, e);
    if (s == OK) s = parser_run(&p->p, in, n, NULL, NULL, e);
    for (int k = 0; k < n && s == OK; k++) {
        LalSentence *to = result_next(r, e);
        s = to ? api_sentence(&r->model->m, &p->p.result[k], NULL, NULL, &r->arena, to, e) : e->code;
        if (s == OK) result_count(r);
    }
    arena_fini(&a);
    mem_free(in);
    return s;
}

LalResult *lal_parse_given(LalParser *p, const LalWords *sentences, const LalGiven *given, int n, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    if (!api_call_begin(p, &code, error)) return NULL;
    Result *r = check_sentences(sentences, n, &e) == OK ? result_new(p->model, &e) : NULL;
    if (r) parse_tokens(p, sentences, given, n, r, &e);
    api_call_end(p);
    return result_finish(r, &e, error);
}

LalResult *lal_parse_tokens(LalParser *p, const LalWords *sentences, int n, LalError *error)
{
    return lal_parse_given(p, sentences, NULL, n, error);
}
