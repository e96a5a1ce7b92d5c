/* Answers are those of the library's own writers, sent in parts as they come. */
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

/* What is asked for, of which model, and the name of the format. */
typedef struct Asked {
    OwnRequest r;
    StrView text;
    int model;
    char format[16];
} Asked;

static bool read_request(const Job *j, const Option *const *tables, Asked *x, Answer *a)
{
    a->status = 200;
    if (!own_request_read(j, tables, &x->r, &x->text, a) || !find_model(j, x->r.model, &x->model, a)) return false;
    StrView choice = option_choice(answer_option(tables, "format")->value, x->r.format);
    snprintf(x->format, sizeof x->format, "%.*s", (int)choice.len, choice.ptr);
    return true;
}

static LalStatus parse_as(LalParser *p, const Asked *x, Sender *to, LalError *error)
{
    const StrView *t = &x->text;
    return x->r.sentences ? lal_parse_json_as(p, t->ptr, t->len, x->format, take, to, error)
                          : lal_parse_text_as(p, t->ptr, t->len, x->format, take, to, error);
}

void own_parse(const Job *job, Answer *answer)
{
    Asked x;
    LalError error;
    if (!read_request(job, OWN_PARSE_TABLES, &x, answer)) return;
    if (x.r.confidence && !text_among(x.format, "json conllu")) {
        answer_refuse(answer, 400, "confidence: found the format %s, expected json or conllu", x.format);
        return;
    }
    LalParser *p = job_parser(job, x.model, &x.r.o, answer);
    if (!p) return;
    answer->type = type_of(x.format);
    if (parse_as(p, &x, &(Sender){ job, answer }, &error) != LAL_OK) answer_error(answer, &error);
}

/* "phrase 2 5" or "arc 2 5". */
static bool read_decision(const char *text, LalInspectOptions *to, Answer *a)
{
    char kind[8];
    int end = 0;
    if (!text) return true;
    bool good = sscanf(text, "%7s %d %d%n", kind, &to->begin, &to->end, &end) == 3 && !text[end];
    if (good && strcmp(kind, "phrase") == 0) to->chosen = LAL_CHOSEN_PHRASE;
    else if (good && strcmp(kind, "arc") == 0) to->chosen = LAL_CHOSEN_ARC;
    return to->chosen || answer_refuse(a, 400, "decision: found '%.*s', expected one such as 'phrase 2 5' or 'arc 2 5'",
                                       utf8_first(text, 60), text);
}

void own_inspect(const Job *job, Answer *answer)
{
    Asked x;
    LalError error;
    StrBuf found = { 0 };
    if (!read_request(job, OWN_INSPECT_TABLES, &x, answer)) return;
    LalInspectOptions o = x.r.inspect;
    o.size = sizeof o;
    o.page = strcmp(x.format, "page") == 0;
    LalParser *p = read_decision(x.r.decision, &o, answer) ? job_parser(job, x.model, &x.r.o, answer) : NULL;
    if (!p) return;
    LalStatus status = LAL_OK;
    if (!x.r.sentences) { /* the text becomes lines of JSON */
        status = lal_split_text_as(job->models[x.model].model, &x.r.o, x.text.ptr, x.text.len, "json", answer_append,
                                   &found, &error);
        x.text = (StrView){ found.ptr, found.len };
    }
    answer->type = type_of("json");
    if (status == LAL_OK)
        status = lal_inspect_json(p, x.text.ptr, x.text.len, &o, take, &(Sender){ job, answer }, &error);
    if (status != LAL_OK) answer_error(answer, &error);
    strbuf_fini(&found);
}

void own_tokenize(const Job *job, Answer *answer)
{
    Asked x;
    LalError error;
    if (!read_request(job, OWN_TOKENIZE_TABLES, &x, answer)) return;
    const ServedModel *m = &job->models[x.model];
    answer->type = type_of(x.format);
    answer_by(answer, m);
    if (lal_split_text_as(m->model, &x.r.o, x.text.ptr, x.text.len, x.format, take, &(Sender){ job, answer }, &error))
        answer_error(answer, &error);
}

static void put_time(StrBuf *out, const char *key, time_t time)
{
    struct tm utc;
    char text[32] = "";
    if (gmtime_r(&time, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_string(out, key, text);
}

void own_models(const Job *job, Answer *answer)
{
    StrBuf json = { .compact = true };
    json_object(&json, NULL);
    json_string(&json, "program", job->o->generator);
    put_time(&json, "loaded", job->loaded);
    json_long(&json, "reloads", job->reloads);
    json_array(&json, "models");
    for (int k = 0; k < job->n_models; k++) {
        const ServedModel *m = &job->models[k];
        json_object(&json, NULL);
        json_members(&json, "name: %s, udpipe_name: %s", m->name, m->udpipe);
        json_bool(&json, "default", k == 0);
        json_members(&json, "language: %s, digest: %s", m->language, m->digest);
        json_array(&json, "treebanks");
        for (int t = 0; lal_model_treebank(m->model, t); t++) json_string(&json, NULL, lal_model_treebank(m->model, t));
        json_array_end(&json);
        json_string(&json, "terms", m->terms);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    answer_json(answer, TYPE_JSON, &json);
}
