/* Options and parsers of include/lalparser.h */
#include <string.h>

#include "api/api.h"
#include "language/markup/markup.h"

_Static_assert((int)LAL_NEWLINES_SPACE == NEWLINES_SPACE, "newlines are those of language/language.h");
_Static_assert((int)LAL_MARKUP_LATEX == MARKUP_LATEX, "markup is that of base/markup_kind.h");
_Static_assert((int)LAL_INVALID_SKIP == INVALID_SKIP, "invalid bytes are those of base/repair.h");
_Static_assert((int)LAL_SENTENCES_ALL == SENTENCES_ALL, "sentences are those of parser/parse/document.h");

/* ---- calls */

void api_call_end(LalParser *parser) { atomic_flag_clear(&parser->busy); }

bool api_call_begin(LalParser *parser, LalStatus *code, LalError *error)
{
    *code = LAL_OK;
    if (!parser) *code = api_status(error, LAL_ERROR_ARGUMENT, "found NULL, expected a parser");
    else if (atomic_flag_test_and_set(&parser->busy)) *code = api_status(error, LAL_ERROR_BUSY, "the parser is in use");
    return *code == LAL_OK;
}

/* ---- parsers */

static const LalOptions DEFAULTS = { .threads = 1, .batch_tokens = 600, .max_words = 120, .max_memory = 2e9 };

int lal_markup_of(const char *path) { return (int)markup_guess((StrView){ 0 }, path); }

void lal_options_init(LalOptions *o, size_t size)
{
    if (!o || size < sizeof o->size) return;
    memset(o, 0, size);
    memcpy(o, &DEFAULTS, size < sizeof *o ? size : sizeof *o);
    o->size = size;
}

Status api_read_sized(const void *from, void *to, size_t size, const char *name, Error *error)
{
    size_t given;
    memcpy(&given, from, sizeof given);
    if (given < sizeof given || given > 4096)
        return error_set(error, ERR_RANGE, "%s: found size %zu, expected sizeof(%s)", name, given, name);
    memcpy(to, from, given < size ? given : size);
    for (size_t k = size; k < given; k++)
        if (((const char *)from)[k]) return error_set(error, ERR_RANGE, "%s: found an option of a later version", name);
    return OK;
}

Status api_read_options(const LalOptions *from, LalOptions *options, Error *error)
{
    *options = DEFAULTS;
    return from ? api_read_sized(from, options, sizeof *options, "LalOptions", error) : OK;
}

Status api_check_range(const char *name, double value, double least, double most, Error *error)
{
    return value >= least && value <= most
               ? OK
               : error_set(error, ERR_RANGE, "LalOptions.%s: found %.15g, expected %.15g to %.15g", name, value, least,
                           most);
}

Status api_text_options(const LalOptions *options, const Model *model, DocumentOptions *to, Error *error)
{
    Status s = api_check_range("newlines", options->newlines, LAL_NEWLINES_AUTO, LAL_NEWLINES_SPACE, error);
    if (s == OK) s = api_check_range("markup", options->markup, LAL_MARKUP_AUTO, LAL_MARKUP_LATEX, error);
    if (s == OK) s = api_check_range("sentences", options->sentences, LAL_SENTENCES_FIND, LAL_SENTENCES_ALL, error);
    if (s == OK) s = api_check_range("tokens", options->tokens, LAL_TOKENS_FIND, LAL_TOKENS_SPACE, error);
    if (s == OK) s = api_check_range("invalid", options->invalid, LAL_INVALID_ERROR, LAL_INVALID_SKIP, error);
    if (s == OK) s = api_check_range("hyphens", options->hyphens, LAL_HYPHENS_MODEL, LAL_HYPHENS_KEEP, error);
    *to = (DocumentOptions){ .tokens = options->tokens && options->sentences == LAL_SENTENCES_LINE, .utf16 = true };
    to->raw = (RawText){ .segment = { (Newlines)options->newlines, (Markup)options->markup, options->tokens != 0 },
                         .sentences = (Sentences)options->sentences,
                         .rules = options->rules,
                         .invalid = (Invalid)options->invalid };
    if (model) to->raw.language = model->c.language;
    if (model) to->raw.learnt = &model->text;
    to->raw.split_hyphens = options->hyphens ? options->hyphens == LAL_HYPHENS_SPLIT : !model || model->c.split_hyphens;
    return s;
}

static Status set_options(LalParser *p, const LalOptions *o, Error *e)
{
    const Model *m = p->p.m;
    ParseOptions to = parse_defaults(m);
    DocumentOptions text;
    Status s = api_check_range("threads", o->threads, p->p.pool.n_threads, p->p.pool.n_threads, e);
    if (s == OK) s = api_check_range("batch_tokens", o->batch_tokens, 1, 1e6, e);
    if (s == OK) s = api_check_range("max_words", o->max_words, 1, 1e5, e);
    if (s == OK) s = api_check_range("max_memory", o->max_memory, 1e6, 1e300, e);
    if (s == OK) s = api_text_options(o, m, &text, e);
    if (s == OK && o->treebank && (to.treebank = vocab_find(&m->treebanks, o->treebank)) < 0)
        s = error_set(e, ERR_RANGE, "LalOptions.treebank: found '%s', which the model does not know", o->treebank);
    if (s == OK) s = api_check_range("deps", o->deps, LAL_DEPS_AUTO, LAL_DEPS_MODEL, e);
    if (s == OK && o->deps == LAL_DEPS_UD && !model_ud(m) && !model_is_ud(m))
        s = error_set(e, ERR_RANGE, "LalOptions.deps: found a model without Universal Dependencies");
    if (s == OK && o->deps == LAL_DEPS_UD && o->why)
        s = error_set(e, ERR_RANGE, "LalOptions.why: found LAL_DEPS_UD, expected the arcs that the model scores");
    if (s == OK) s = api_check_range("k_best", o->k_best, 0, 1000, e);
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
    Status s = api_read_options(options, &o, e);
    if (s == OK) s = api_check_range("threads", o.threads, 1, 256, e);
    if (s != OK) return s;
    LalParser *p = *out = mem_calloc(1, sizeof *p);
    if (!p) return error_set(e, ERR_NOMEM, "out of memory for a parser");
    p->model = api_model_hold(m);
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
    api_error(error, &e);
    return p;
}

LalRules *lal_rules_load(const char *path, LalError *error)
{
    Error e = { 0 };
    LalRules *rules = NULL;
    if (path) text_rules_read(&rules, path, &e);
    else error_set(&e, ERR_RANGE, "found NULL, expected a path");
    api_error(error, &e);
    return rules;
}

LalRules *lal_rules_new(const char *text, size_t size, LalError *error)
{
    Error e = { 0 };
    LalRules *rules = NULL;
    if (api_check_text(text, size, &e) == OK) text_rules_parse(&rules, (StrView){ text, size }, "rules", &e);
    api_error(error, &e);
    return rules;
}

void lal_rules_free(LalRules *rules) { text_rules_free(rules); }

LalStatus lal_parser_set_options(LalParser *p, const LalOptions *options, LalError *error)
{
    LalOptions o;
    Error e = { 0 };
    LalStatus code;
    if (!api_call_begin(p, &code, error)) return code;
    if (api_read_options(options, &o, &e) == OK) set_options(p, &o, &e);
    api_call_end(p);
    return api_error(error, &e);
}

void lal_parser_free(LalParser *p)
{
    if (!p) return;
    parser_fini(&p->p);
    api_observer_fini(&p->observer);
    lal_model_free(p->model);
    mem_free(p);
}
