/* serve/own.c */
#include "serve/own.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_writer.h"
#include "serve/own_request.h"

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

static bool find_model(const Job *j, const char *name, int *model, Answer *a)
{
    *model = job_model(j, name);
    return *model >= 0 ||
           answer_refuse(a, 400, "model: found '%.*s', expected one of GET /v1/models", utf8_first(name, 60), name);
}

/* The name of the format that is asked for. */
static void read_format(const Option *const *tables, const OwnRequest *r, char name[16])
{
    StrView choice = option_choice(answer_option(tables, "format")->value, r->format);
    snprintf(name, 16, "%.*s", (int)choice.len, choice.ptr);
}

void own_parse(const Job *j, Answer *a)
{
    OwnRequest r;
    LalError error;
    StrView text;
    int model;
    char format[16];
    a->status = 200;
    if (!own_request_read(j, OWN_PARSE_TABLES, &r, &text, a) || !find_model(j, r.model, &model, a)) return;
    read_format(OWN_PARSE_TABLES, &r, format);
    if (r.confidence && !text_among(format, "json conllu")) {
        answer_refuse(a, 400, "confidence: found the format %s, expected json or conllu", format);
        return;
    }
    LalParser *p = job_parser(j, model, &r.o, a);
    if (!p) return;
    a->type = type_of(format);
    if (lal_parse_text_as(p, text.ptr, text.len, format, take, &(Sender){ j, a }, &error) != LAL_OK)
        answer_error(a, &error);
}

void own_tokenize(const Job *j, Answer *a)
{
    OwnRequest r;
    LalError error;
    StrView text;
    int model;
    char format[16];
    a->status = 200;
    if (!own_request_read(j, OWN_TOKENIZE_TABLES, &r, &text, a) || !find_model(j, r.model, &model, a)) return;
    read_format(OWN_TOKENIZE_TABLES, &r, format);
    a->type = type_of(format);
    answer_by(a, &j->models[model]);
    if (lal_split_text_as(j->models[model].model, &r.o, text.ptr, text.len, format, take, &(Sender){ j, a }, &error) !=
        LAL_OK)
        answer_error(a, &error);
}

static void put_time(StrBuf *out, const char *key, time_t time)
{
    struct tm utc;
    char text[32] = "";
    if (gmtime_r(&time, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_string(out, key, text);
}

void own_models(const Job *j, Answer *a)
{
    StrBuf json = { .compact = true };
    json_object(&json, NULL);
    json_string(&json, "program", j->o->generator);
    put_time(&json, "loaded", j->loaded);
    json_long(&json, "reloads", j->reloads);
    json_array(&json, "models");
    for (int k = 0; k < j->n_models; k++) {
        const ServedModel *m = &j->models[k];
        json_object(&json, NULL);
        json_string(&json, "name", m->name);
        json_string(&json, "udpipe_name", m->udpipe);
        json_bool(&json, "default", k == 0);
        json_string(&json, "language", m->language);
        json_string(&json, "digest", m->digest);
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
