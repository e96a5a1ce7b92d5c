/* parser/serve/own.c */
#include "parser/serve/own.h"

#include <string.h>

#include "base/json_writer.h"

/* Sets *to to the number of the parameter's value among the choices, which blanks separate; without it *to stays. */
static bool choose(const Parameters *q, const char *name, const char *choices, int *to, Answer *a)
{
    const char *value = parameters_get(q, name);
    int k = 0;
    if (!value) return true;
    for (const char *at = choices; *at; k++) {
        size_t len = strcspn(at, " ");
        if (strlen(value) == len && memcmp(at, value, len) == 0) {
            *to = k;
            return true;
        }
        at += len + (at[len] == ' ');
    }
    return answer_refuse(a, 400, "%s: found '%.*s', expected one of: %s", name, utf8_first(value, 60), value, choices);
}

/* Are all parameters among these? */
static bool known(const Parameters *q, const char *names, Answer *a)
{
    for (int k = 0; k < q->n; k++) {
        const char *name = q->item[k].name;
        if (!text_among(name, names))
            return answer_refuse(a, 400, "found the parameter '%.*s', expected some of: %s", utf8_first(name, 60), name,
                                 names);
    }
    return true;
}

#define TEXT_NAMES "model format newline markup hyphens"
#define BOOLEANS "false true"

/* What both paths take. */
static bool read_text_options(const Job *j, LalOptions *o, int *model, Answer *a)
{
    const char *name = parameters_get(j->query, "model");
    *o = j->o->parse;
    o->stop = j->stop;
    o->stop_context = j->stop_context;
    *model = job_model(j, name);
    if (*model < 0)
        return answer_refuse(a, 400, "model: found '%.*s', expected one of GET /v1/models", utf8_first(name, 60), name);
    return choose(j->query, "newline", "auto sentence paragraph space", &o->newlines, a) &&
           choose(j->query, "markup", "auto none markdown", &o->markup, a) &&
           choose(j->query, "hyphens", "model split keep", &o->hyphens, a);
}

/* Sends each part of the answer as soon as it is there. */
typedef struct Sender {
    const Job *j;
    Answer *a;
} Sender;

static int take(void *context, const char *bytes, size_t size)
{
    Sender *x = context;
    strbuf_add(&x->a->body, bytes, size);
    return x->a->body.failed || x->j->send(x->j->stop_context, x->a);
}

static const char *type_of(const char *format)
{
    return strcmp(format, "json") == 0 ? "application/x-ndjson;charset=UTF-8" : TYPE_TEXT;
}

void own_parse(const Job *j, Answer *a)
{
    static const char *const formats[] = { "json", "conllu", "brackets", "conllx", "pretty", "svg" };
    LalOptions o;
    LalError error;
    StrView text;
    int model, format = 0, deps = 0, given = 0;
    a->status = 200;
    if (!known(j->query, TEXT_NAMES " treebank deps why pretokenized kbest confidence", a) ||
        !read_text_options(j, &o, &model, a) ||
        !choose(j->query, "format", "json conllu brackets conllx pretty svg", &format, a) ||
        !choose(j->query, "deps", "auto ud stanford", &deps, a) || !choose(j->query, "why", BOOLEANS, &o.why, a) ||
        !choose(j->query, "pretokenized", BOOLEANS, &given, a) || !answer_k_best(j->query, "kbest", &o.k_best, a) ||
        !choose(j->query, "confidence", BOOLEANS, &o.confidence, a) || !job_text(j, false, o.k_best, &text, a))
        return;
    if (o.confidence && !text_among(formats[format], "json conllu")) {
        answer_refuse(a, 400, "confidence: found the format %s, expected json or conllu", formats[format]);
        return;
    }
    if (given) {
        o.tokens = LAL_TOKENS_SPACE;
        o.sentences = LAL_SENTENCES_LINE;
    }
    o.deps = deps; /* numbered as in LalDeps */
    if (parameters_get(j->query, "treebank")) o.treebank = parameters_get(j->query, "treebank");
    LalParser *p = job_parser(j, model, &o, a);
    if (!p) return;
    a->type = type_of(formats[format]);
    if (lal_parse_text_as(p, text.ptr, text.len, formats[format], take, &(Sender){ j, a }, &error) != LAL_OK)
        answer_error(a, &error);
}

void own_tokenize(const Job *j, Answer *a)
{
    static const char *const formats[] = { "json", "lines" };
    LalOptions o;
    LalError error;
    StrView text;
    int model, format = 0;
    a->status = 200;
    if (!known(j->query, TEXT_NAMES, a) || !read_text_options(j, &o, &model, a) ||
        !choose(j->query, "format", "json lines", &format, a) || !job_text(j, false, 0, &text, a))
        return;
    a->type = type_of(formats[format]);
    if (lal_split_text_as(j->models[model].model, &o, text.ptr, text.len, formats[format], take, &(Sender){ j, a },
                          &error) != LAL_OK)
        answer_error(a, &error);
}

void own_models(const Job *j, Answer *a)
{
    StrBuf json = { .compact = true };
    json_object(&json, NULL);
    json_string(&json, "program", j->o->generator);
    json_array(&json, "models");
    for (int k = 0; k < j->n_models; k++) {
        const ServedModel *m = &j->models[k];
        json_object(&json, NULL);
        json_string(&json, "name", m->name);
        json_string(&json, "udpipe_name", m->udpipe);
        json_bool(&json, "default", k == 0);
        json_array(&json, "treebanks");
        for (int t = 0; lal_model_treebank(m->model, t); t++) json_string(&json, NULL, lal_model_treebank(m->model, t));
        json_array_end(&json);
        json_string(&json, "terms", m->terms);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    *a = (Answer){ .status = 200, .type = TYPE_JSON, .body = a->body, .ignored = a->ignored };
    answer_indent(&a->body, json.ptr ? json.ptr : "", json.len);
    if (json.failed || a->body.failed) answer_refuse(a, 500, "out of memory for the answer");
    strbuf_fini(&json);
}
