/* Each sentence is parsed and explained by the first worker of the parser; a second worker, made when it is needed,
 * parses changed sentences. */
#include "api/api.h"
#include "api/api_given.h"
#include "base/json_writer.h"
#include "explain/inspection_pages.h"
#include "parser/parse/long_sentence.h"

typedef struct Inspecting {
    LalParser *parser;
    LalInspectOptions options;
    ParseOptions parse;
    InspectOptions inspect;
    Decision chosen;
    Worker other;
    Inspection sums; /* of one sentence, for its page */
    Arena arena;     /* as is this */
    StrBuf out;
} Inspecting;

static Status read_options(Inspecting *x, const LalInspectOptions *from, Error *e)
{
    LalInspectOptions *o = &x->options;
    Status s = from ? api_read_sized(from, o, sizeof *o, "LalInspectOptions", e) : OK;
    if (s == OK && (o->chosen < LAL_CHOSEN_NONE || o->chosen > LAL_CHOSEN_ARC))
        s = error_set(e, ERR_RANGE, "LalInspectOptions.chosen: found %d, expected %d to %d", o->chosen, LAL_CHOSEN_NONE,
                      LAL_CHOSEN_ARC);
    if (s == OK && o->top < 0)
        s = error_set(e, ERR_RANGE, "LalInspectOptions.top: found %d, expected at least 0", o->top);
    bool arc = o->chosen == LAL_CHOSEN_ARC;
    if (!o->top) o->top = o->page ? PAGE_HEADS : 5;
    x->chosen = (Decision){ arc ? EXPLAIN_ARC : EXPLAIN_SPAN, { o->begin + arc, o->end + arc, 0 }, 0 };
    x->inspect = (InspectOptions){ .kinds = { true, true, true, true },
                                   .words = o->page ? PAGE_HEADS : o->top,
                                   .leads = true,
                                   .second = true,
                                   .contrasts = 1,
                                   .chosen = o->chosen ? &x->chosen : NULL,
                                   .flips = o->flips != 0 };
    return s;
}

static void put_labels(StrBuf *out, const char *key, const Vocab *v, int from)
{
    json_array(out, key);
    for (int k = from; k < vocab_size(v); k++) json_string(out, NULL, vocab_text(v, k));
    json_array_end(out);
}

static Status write_page(Inspecting *x, const Inspected *i, Error *e)
{
    StrBuf *out = &x->out;
    Status s = inspection_init(&x->sums, i->m, e);
    if (s == OK) s = inspection_add(&x->sums, i, e);
    json_object(out, NULL);
    json_object(out, "overview");
    if (s == OK) s = inspection_overview_json(out, NULL, false, &x->sums, e);
    json_object(out, "labels"); /* that a correction can choose from */
    put_labels(out, "phrase", &i->m->labels, CHART_GROUP + 1);
    put_labels(out, "type", &i->m->types, 0);
    put_labels(out, "tag", &i->m->tags, N_RESERVED);
    json_object_end(out);
    json_object_end(out);
    json_key(out, "sentence");
    inspection_json(out, i, &x->parser->p.pool.workers[0], x->options.top, true);
    json_object_end(out);
    inspection_fini(&x->sums);
    for (char *c = out->ptr; c && c < out->ptr + out->len; c++)
        if (*c == '\n') *c = ' '; /* only between values */
    strbuf_putc(out, '\n');
    return s;
}

static Status inspect_one(Inspecting *x, const ParseInput *in, int number, LalWrite write, void *context, Error *e)
{
    Worker *w = &x->parser->p.pool.workers[0];
    Parsed parsed;
    Inspected i = { .p = &parsed,
                    .in = in,
                    .how = &x->parse,
                    .other = x->inspect.flips ? &x->other : NULL,
                    .origin = { .id = number, .line = number } };
    arena_reset(&x->arena);
    strbuf_clear(&x->out);
    x->out.compact = x->options.page != 0;
    Status s = long_sentence_parse(w, in, &x->parse, &x->arena, &parsed, e);
    if (s == OK) s = inspection_explain(&x->inspect, w, &x->arena, &i, e);
    if (s == OK && x->options.page) s = write_page(x, &i, e);
    else if (s == OK) inspection_json(&x->out, &i, w, x->options.top, true);
    if (s == OK && x->out.failed) s = error_set(e, ERR_NOMEM, "out of memory for the result");
    return s == OK && write(context, x->out.ptr, x->out.len) != 0 ? error_set(e, ERR_INTERRUPTED, "stopped") : s;
}

LalStatus lal_inspect_json(LalParser *p, const char *json, size_t size, const LalInspectOptions *options,
                           LalWrite write, void *context, LalError *error)
{
    Error e = { 0 };
    LalStatus code;
    ApiSentences read;
    Inspecting x = { .parser = p };
    if (!api_call_begin(p, &code, error)) return code;
    const Model *m = p->p.m;
    x.parse = p->p.o;
    x.parse.observe = (ParseObserver){ 0 };
    x.parse.record = x.parse.confidence = true;
    x.parse.k_best = parse_has_best(m) ? 2 : 0;
    Status s = api_sentences_read(&read, m, json, size, &e);
    if (s == OK && !write) s = error_set(&e, ERR_RANGE, "found NULL, expected a function that takes bytes");
    if (s == OK && !encoder_has_label_heads(&m->net.encoder)) s = error_set(&e, ERR_CONFIG, NO_LABEL_HEADS);
    if (s == OK) s = read_options(&x, options, &e);
    arena_init(&x.arena, (size_t)1 << 18);
    worker_init(&x.other, m, device_default());
    for (int k = 0; k < read.tb.n && s == OK; k++) {
        if (x.parse.stop && x.parse.stop(x.parse.stop_context)) s = error_set(&e, ERR_INTERRUPTED, "stopped");
        else s = inspect_one(&x, &read.in[k], k + 1, write, context, &e);
    }
    worker_fini(&x.other);
    arena_fini(&x.arena);
    strbuf_fini(&x.out);
    api_sentences_fini(&read);
    api_call_end(p);
    return api_end_error(error, &e);
}
