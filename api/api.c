/* api/api.c: include/lalparser.h on top of Model, Parser and Document. */
#include "api/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data_path.h"
#include "base/json.h"
#include "api/api_given.h"
#include "api/api_observe.h"
#include "api/api_sentence.h"
#include "api/api_write.h"
#include "parser/model/model_file.h"
#include "parser/output/output.h"

_Static_assert((int)LAL_ERROR_MEMORY == (int)ERR_NOMEM && (int)LAL_ERROR_IO == (int)ERR_IO &&
                   (int)LAL_ERROR_FORMAT == (int)ERR_FORMAT && (int)LAL_ERROR_ARGUMENT == (int)ERR_RANGE &&
                   (int)LAL_ERROR_MODEL == (int)ERR_CONFIG && (int)LAL_ERROR_NUMERIC == (int)ERR_NUMERIC,
               "codes of errors are those of Status");

struct LalModel {
    Model m;
    atomic_int references; /* the program's own, parsers, results */
};

struct LalParser {
    LalModel *model;
    Parser p;
    DocumentOptions text;
    ApiObserver observer;
    LalDeps deps;
    bool ranges;
    ParseObserver notes; /* that lal_parse_text_as takes instead; none: NULL */
    atomic_flag busy;
};

_Static_assert((int)LAL_NEWLINES_SPACE == NEWLINES_SPACE, "newlines are those of language/language.h");
_Static_assert((int)LAL_MARKUP_MARKDOWN == MARKUP_MARKDOWN, "markup is that of language/language.h");
_Static_assert((int)LAL_SENTENCES_ALL == SENTENCES_ALL, "sentences are those of parser/parse/document.h");

/* What a program has as a LalResult, with what it holds. */
typedef struct Result {
    LalResult r;
    LalModel *model;
    Arena arena;
    LalSentence *sentences; /* [cap] */
    int n, cap;
} Result;

const char *lal_version(void) { return LAL_VERSION; }

/* ---- errors */

static LalStatus fill_error(LalError *to, Error *e)
{
    if (!to) return (LalStatus)e->code;
    *to = (LalError){ .code = (LalStatus)e->code, .line = e->line, .column = e->column };
    if (e->code != OK) error_text(e, to->message, sizeof to->message);
    return to->code;
}

/* An error that has no Status. */
static LalStatus fill_status(LalError *to, LalStatus code, const char *message)
{
    if (!to) return code;
    *to = (LalError){ .code = code };
    memcpy(to->message, message, strlen(message) + 1);
    return code;
}

/* The error that ends a parse. */
static LalStatus end_error(LalError *to, Error *e)
{
    return e->code == ERR_INTERRUPTED ? fill_status(to, LAL_STOPPED, "stopped by a function that was called back")
                                      : fill_error(to, e);
}

/* ---- products */

static struct {
    pthread_mutex_t lock;
    bool chosen;
} products = { .lock = PTHREAD_MUTEX_INITIALIZER };

static Status choose_products(LalProducts p, Error *e)
{
    static const Products of[] = { PRODUCTS_REAL, PRODUCTS_REAL, PRODUCTS_BF16, PRODUCTS_INT16, PRODUCTS_INT8 };
    if ((int)p < LAL_PRODUCTS_AUTO || p > LAL_PRODUCTS_INT8)
        return error_set(e, ERR_RANGE, "lal_set_products: found %d, expected a LalProducts", (int)p);
    return device_default()->set_products(p == LAL_PRODUCTS_AUTO ? device_parse_products() : of[p], e);
}

LalStatus lal_set_products(LalProducts p, LalError *error)
{
    Error e = { 0 };
    pthread_mutex_lock(&products.lock);
    if (choose_products(p, &e) == OK) products.chosen = true;
    pthread_mutex_unlock(&products.lock);
    return fill_error(error, &e);
}

/* What AUTO stands for, before the first model is there. */
static void choose_first_products(void)
{
    pthread_mutex_lock(&products.lock);
    if (!products.chosen) choose_products(LAL_PRODUCTS_AUTO, NULL);
    products.chosen = true;
    pthread_mutex_unlock(&products.lock);
}

/* ---- models */

static LalModel *model_hold(LalModel *m)
{
    atomic_fetch_add(&m->references, 1);
    return m;
}

LalModel *api_model_load(const char *path, size_t map_above, LalError *error)
{
    Error e = { 0 };
    LalModel *m = NULL;
    json_set_allocator(false);
    if (!path) error_set(&e, ERR_RANGE, "lal_model_load: found NULL, expected the path of a model");
    else if (!(m = mem_calloc(1, sizeof *m))) error_set(&e, ERR_NOMEM, "out of memory loading a model");
    if (m) {
        atomic_init(&m->references, 1);
        model_init(&m->m);
        m->m.map_above = map_above;
        if (model_load(&m->m, path, NULL, &e) != OK || model_check_text(&m->m, &e) != OK) {
            lal_model_free(m);
            m = NULL;
        }
    }
    fill_error(error, &e);
    return m;
}

/* Files of at most this size are copied: a host may have no handler of SIGBUS, and copying 32 MiB takes 8 ms. */
enum { MAP_ABOVE = 32 << 20 };

LalModel *lal_model_load(const char *path, LalError *error)
{
    choose_first_products();
    return api_model_load(path, MAP_ABOVE, error);
}

LalModel *lal_model_load_copy(const char *path, LalError *error)
{
    choose_first_products();
    return api_model_load(path, FILEMAP_NEVER, error);
}

LalModel *lal_model_default(LalError *error)
{
    char place[DATA_PATH_MAX];
    const char *set = getenv("LAL_MODEL");
    return lal_model_load(set ? set : data_path(lal_models(0)->file, place, sizeof place), error);
}

void lal_model_free(LalModel *m)
{
    if (!m || atomic_fetch_sub(&m->references, 1) > 1) return;
    model_fini(&m->m);
    mem_free(m);
}

/* Number 0 is for text of no treebank. */
const char *lal_model_treebank(const LalModel *m, int k)
{
    return m && k >= 0 && k < vocab_size(&m->m.treebanks) - 1 ? vocab_text(&m->m.treebanks, k + 1) : NULL;
}

const char *lal_model_language(const LalModel *m) { return m ? model_language_code(&m->m) : NULL; }

const char *lal_model_digest(const LalModel *m) { return m ? m->m.checksum : ""; }

/* ---- calls */

static void call_end(LalParser *p) { atomic_flag_clear(&p->busy); }

/* Begins a call, which call_end ends. false: it cannot; *code and *error say why. */
static bool call_begin(LalParser *p, LalStatus *code, LalError *error)
{
    *code = LAL_OK;
    if (!p) *code = fill_status(error, LAL_ERROR_ARGUMENT, "found NULL, expected a parser");
    else if (atomic_flag_test_and_set(&p->busy)) *code = fill_status(error, LAL_ERROR_BUSY, "the parser is in use");
    return *code == LAL_OK;
}

/* ---- parsers */

static const LalOptions DEFAULTS = { .threads = 1, .batch_tokens = 600, .max_words = 120, .max_memory = 2e9 };

void lal_options_init(LalOptions *o, size_t size)
{
    if (!o || size < sizeof o->size) return;
    memset(o, 0, size);
    memcpy(o, &DEFAULTS, size < sizeof *o ? size : sizeof *o);
    o->size = size;
}

/* The program's options, of whatever size, over the defaults. What it knows of newer options must be left at 0. */
static Status read_options(const LalOptions *from, LalOptions *o, Error *e)
{
    *o = DEFAULTS;
    if (!from) return OK;
    if (from->size < sizeof from->size || from->size > 4096)
        return error_set(e, ERR_RANGE, "LalOptions: found size %zu, expected options of lal_options_init", from->size);
    memcpy(o, from, from->size < sizeof *o ? from->size : sizeof *o);
    for (size_t k = sizeof *o; k < from->size; k++)
        if (((const char *)from)[k]) return error_set(e, ERR_RANGE, "LalOptions: found an option of a later version");
    return OK;
}

static Status check_range(const char *name, double value, double least, double most, Error *e)
{
    return value >= least && value <= most
               ? OK
               : error_set(e, ERR_RANGE, "LalOptions.%s: found %.15g, expected %.15g to %.15g", name, value, least,
                           most);
}

/* How a text becomes sentences. m: NULL is English, as the shipped models. */
static Status text_options(const LalOptions *o, const Model *m, DocumentOptions *to, Error *e)
{
    Status s = check_range("newlines", o->newlines, LAL_NEWLINES_AUTO, LAL_NEWLINES_SPACE, e);
    if (s == OK) s = check_range("markup", o->markup, LAL_MARKUP_AUTO, LAL_MARKUP_MARKDOWN, e);
    if (s == OK) s = check_range("sentences", o->sentences, LAL_SENTENCES_FIND, LAL_SENTENCES_ALL, e);
    if (s == OK) s = check_range("tokens", o->tokens, LAL_TOKENS_FIND, LAL_TOKENS_SPACE, e);
    if (s == OK) s = check_range("hyphens", o->hyphens, LAL_HYPHENS_MODEL, LAL_HYPHENS_KEEP, e);
    *to = (DocumentOptions){ .tokens = o->tokens && o->sentences == LAL_SENTENCES_LINE, .utf16 = true };
    to->raw = (RawText){ .segment = { (Newlines)o->newlines, (Markup)o->markup, o->tokens != 0 },
                         .sentences = (Sentences)o->sentences };
    if (m) to->raw.language = m->c.language;
    if (m) to->raw.learnt = &m->text;
    to->raw.split_hyphens = o->hyphens ? o->hyphens == LAL_HYPHENS_SPLIT : !m || m->c.split_hyphens;
    return s;
}

static Status set_options(LalParser *p, const LalOptions *o, Error *e)
{
    const Model *m = p->p.m;
    ParseOptions to = parse_defaults(m);
    DocumentOptions text;
    Status s = check_range("threads", o->threads, p->p.pool.n_threads, p->p.pool.n_threads, e);
    if (s == OK) s = check_range("batch_tokens", o->batch_tokens, 1, 1e6, e);
    if (s == OK) s = check_range("max_words", o->max_words, 1, 1e5, e);
    if (s == OK) s = check_range("max_memory", o->max_memory, 1e6, 1e300, e);
    if (s == OK) s = text_options(o, m, &text, e);
    if (s == OK && o->treebank && (to.treebank = vocab_find(&m->treebanks, o->treebank)) < 0)
        s = error_set(e, ERR_RANGE, "LalOptions.treebank: found '%s', which the model does not know", o->treebank);
    if (s == OK) s = check_range("deps", o->deps, LAL_DEPS_AUTO, LAL_DEPS_MODEL, e);
    if (s == OK && o->deps == LAL_DEPS_UD && !model_ud(m) && !model_is_ud(m))
        s = error_set(e, ERR_RANGE, "LalOptions.deps: found a model without Universal Dependencies");
    if (s == OK && o->deps == LAL_DEPS_UD && o->why)
        s = error_set(e, ERR_RANGE, "LalOptions.why: found LAL_DEPS_UD, expected the arcs that the model scores");
    if (s == OK) s = check_range("k_best", o->k_best, 0, 1000, e);
    if (s == OK && o->k_best && !parse_has_best(m))
        s = error_set(e, ERR_CONFIG, "LalOptions.k_best: found a model that does not find phrases and arcs together");
    ApiObserver asked = p->observer;
    asked.options = (SoftOptions){ .min = 1e-5, .temperature = 1, .span_temperature = 1, .treebank = to.treebank };
    asked.probabilities = o->probabilities != 0;
    asked.contributions = o->contributions != 0;
    asked.notes = o->why != 0;
    if (s == OK) s = api_observer(&asked, m, &to.observe, e);
    if (s != OK) return s;
    p->observer = asked;
    to.observe.context = &p->observer;
    to.batch_tokens = o->batch_tokens;
    to.max_words = o->max_words;
    to.max_memory = o->max_memory;
    to.arc_probability = true;
    to.k_best = o->k_best;
    to.confidence = o->confidence != 0;
    to.shape_tags = o->treebank == NULL;
    to.stop = o->stop;
    to.stop_context = o->stop_context;
    p->p.o = to;
    p->text = text;
    p->deps = (LalDeps)o->deps;
    p->ranges = o->ranges != 0;
    p->notes = asked.notes ? why_observer(&p->observer.why) : (ParseObserver){ 0 };
    return OK;
}

static Status parser_make(LalModel *m, const LalOptions *options, LalParser **out, Error *e)
{
    LalOptions o;
    if (!m) return error_set(e, ERR_RANGE, "lal_parser_new: found NULL, expected a model");
    Status s = read_options(options, &o, e);
    if (s == OK) s = check_range("threads", o.threads, 1, 256, e);
    if (s != OK) return s;
    LalParser *p = *out = mem_calloc(1, sizeof *p);
    if (!p) return error_set(e, ERR_NOMEM, "out of memory for a parser");
    p->model = model_hold(m);
    atomic_flag_clear(&p->busy);
    s = parser_init(&p->p, &m->m, device_default(), o.threads, e);
    return s == OK ? set_options(p, &o, e) : s;
}

LalParser *lal_parser_new(LalModel *m, const LalOptions *options, LalError *error)
{
    Error e = { 0 };
    LalParser *p = NULL;
    if (parser_make(m, options, &p, &e) != OK) {
        lal_parser_free(p);
        p = NULL;
    }
    fill_error(error, &e);
    return p;
}

LalStatus lal_parser_set_options(LalParser *p, const LalOptions *options, LalError *error)
{
    LalOptions o;
    Error e = { 0 };
    LalStatus code;
    if (!call_begin(p, &code, error)) return code;
    if (read_options(options, &o, &e) == OK) set_options(p, &o, &e);
    call_end(p);
    return fill_error(error, &e);
}

void lal_parser_free(LalParser *p)
{
    if (!p) return;
    parser_fini(&p->p);
    api_observer_fini(&p->observer);
    lal_model_free(p->model);
    mem_free(p);
}

/* ---- sentences */

static void place_sentence(const Document *d, int k, LalSentence *out)
{
    out->line = d->seg.sentences[k].line;
    out->new_paragraph = d->seg.sentences[k].new_paragraph;
    out->touches_next = document_touches_next(d, k);
}

static Status copy_document_sentence(const Model *m, const Document *d, const Parsed *p, int k, Arena *a,
                                     LalSentence *out, Error *e)
{
    Status s = api_sentence(m, &p[k], document_tokens(d, k), &d->block, a, out, e);
    place_sentence(d, k, out);
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
    r->model = m ? model_hold(m) : NULL;
    arena_init(&r->arena, (size_t)1 << 12);
    return r;
}

void lal_result_free(LalResult *result)
{
    Result *r = (Result *)result; /* its first member */
    if (!r) return;
    arena_fini(&r->arena);
    mem_free(r->sentences);
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
    if (end_error(error, e) != LAL_OK) {
        lal_result_free(r ? &r->r : NULL);
        return NULL;
    }
    r->r.sentences = r->sentences;
    r->r.n_sentences = (size_t)r->n;
    return &r->r;
}

/* ---- texts */

static Status check_text(const char *text, size_t size, Error *e)
{
    return text || !size ? OK : error_set(e, ERR_RANGE, "found NULL, expected a text of %zu bytes", size);
}

static Status add_sentences(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    Result *r = context;
    for (int k = from; k < to; k++) {
        LalSentence *s = result_next(r, e);
        if (!s || copy_document_sentence(&r->model->m, d, result, k, &r->arena, s, e) != OK) return e->code;
        result_count(r);
    }
    return OK;
}

LalResult *lal_parse_text(LalParser *p, const char *text, size_t size, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    if (!call_begin(p, &code, error)) return NULL;
    Result *r = check_text(text, size, &e) == OK ? result_new(p->model, &e) : NULL;
    DocumentOptions o = p->text;
    o.large_windows = true;
    if (r) document_parse(&p->p, (StrView){ text, size }, "text", o, add_sentences, r, &e);
    call_end(p);
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
        if (check_text(texts[k].text, texts[k].size, &at) != OK)
            return error_set(e, at.code, "%s: %s", name, at.message);
        const char *kept = arena_strndup(names, name, strlen(name));
        if (!kept) return error_set(e, ERR_NOMEM, "out of memory for the result");
        if (!(x->r[k] = (LalResult *)result_new(p->model, e))) return e->code;
        document_open_text(&x->d[k], (StrView){ texts[k].text, texts[k].size }, kept, o);
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
        return fill_status(error, LAL_ERROR_ARGUMENT, "lal_parse_texts: found no texts, or nowhere to put results");
    for (int k = 0; k < n; k++) results[k] = NULL;
    if (!call_begin(p, &code, error)) return code;
    parse_texts(p, texts, n, results, &e);
    call_end(p);
    code = end_error(error, &e);
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
    *out = (LalSentence){ .tokens = x,
                          .n_tokens = t->n,
                          .pieces = 1,
                          .probability = -1,
                          .p_tree = -1,
                          .expected_f1 = -1,
                          .calibrated_f1 = -1,
                          .expected_las = -1 };
    bool good = x != NULL;
    for (int w = 0; w < t->n && good; w++) {
        const Token *token = &d->seg.tokens[t->first + w];
        x[w] = (LalToken){
            .head = LAL_NONE, .tag_probability = -1, .phrase = LAL_NONE, .ud_head = LAL_NONE, .multiword = LAL_NONE
        };
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

/* Calls take for each window of sentences of the text. */
static Status split(const LalModel *m, const LalOptions *options, StrView text, bool large,
                    Status (*take)(void *context, const Document *d, Error *e), void *context, Error *e)
{
    LalOptions o;
    DocumentOptions how;
    Document d;
    Status s = check_text(text.ptr, text.len, e);
    if (s == OK) s = read_options(options, &o, e);
    if (s == OK) s = text_options(&o, m ? &m->m : NULL, &how, e);
    if (s != OK) return s;
    how.large_windows = large;
    document_open_text(&d, text, "text", how);
    while ((s = document_next(&d, e)) == OK && d.n) {
        if (o.stop && o.stop(o.stop_context)) s = error_set(e, ERR_INTERRUPTED, "stopped");
        if (s != OK || (s = take(context, &d, e)) != OK) break;
    }
    document_close(&d);
    return s;
}

LalResult *lal_split_text(const LalModel *m, const LalOptions *options, const char *text, size_t size, LalError *error)
{
    Error e = { 0 };
    Result *r = result_new((LalModel *)m, &e);
    if (r) split(m, options, (StrView){ text, size }, true, split_document, r, &e);
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

static LalResult *run_tokens(LalParser *p, const LalWords *sentences, const LalGiven *given, int n, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    if (!call_begin(p, &code, error)) return NULL;
    Result *r = check_sentences(sentences, n, &e) == OK ? result_new(p->model, &e) : NULL;
    if (r) parse_tokens(p, sentences, given, n, r, &e);
    call_end(p);
    return result_finish(r, &e, error);
}

LalResult *lal_parse_tokens(LalParser *p, const LalWords *sentences, int n, LalError *error)
{
    return run_tokens(p, sentences, NULL, n, error);
}

LalResult *lal_parse_given(LalParser *p, const LalWords *sentences, const LalGiven *given, int n, LalError *error)
{
    return run_tokens(p, sentences, given, n, error);
}

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
        if (copy_document_sentence(x->m, d, result, k, &x->arena, &s, e) != OK) return e->code;
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
    return end_error(error, e);
}

LalStatus lal_parse_text_each(LalParser *p, const char *text, size_t size, LalTake take, void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    Document d;
    if (!call_begin(p, &code, error)) return code;
    check_text(text, size, &e);
    document_open_text(&d, (StrView){ text, size }, "text", p->text);
    code = parse_each(p, &d, take, context, &e, error);
    call_end(p);
    return code;
}

LalStatus lal_parse_file_each(LalParser *p, const char *path, LalTake take, void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    Document d;
    if (!path) return fill_status(error, LAL_ERROR_ARGUMENT, "found NULL, expected the path of a text");
    if (!call_begin(p, &code, error)) return code;
    document_open(&d, path, p->text, &e);
    code = parse_each(p, &d, take, context, &e, error);
    call_end(p);
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
    if (!call_begin(p, &code, error)) return code;
    Formatted x = { .m = p->p.m, .write = write, .context = context, .style.terminal.width = 80 };
    Status s = check_text(text, size, &e);
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
    call_end(p);
    return end_error(error, &e);
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
    if (s == OK) s = read_options(options, &o, &e);
    if (s == OK) s = text_options(&o, NULL, &how, &e);
    if (s == OK) s = check_range("deps", o.deps, LAL_DEPS_AUTO, LAL_DEPS_MODEL, &e);
    style.ranges = s == OK && o.ranges;
    if (s == OK)
        s = api_write_sentence(&out, sentence, number, (StrView){ text, size }, how, (LalDeps)o.deps, style, &e);
    if (s == OK && !out.ptr) strbuf_puts(&out, "");
    if (s == OK && out.failed) s = error_set(&e, ERR_NOMEM, "out of memory writing a sentence");
    if (s != OK) strbuf_fini(&out);
    fill_error(error, &e);
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
    else split(m, options, (StrView){ text, size }, false, write_splits, &x, &e);
    strbuf_fini(&x.buf);
    return end_error(error, &e);
}
