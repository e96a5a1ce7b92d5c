/* The document is written from the tables of routes and parameters, so that it cannot differ from
 * what is read. */
#include "serve/openapi.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "serve/corenlp.h"
#include "serve/own_request.h"
#include "serve/page.h"
#include "serve/udpipe.h"

#define LINES "application/x-ndjson"
const RouteText
    OPENAPI_CORENLP = { "Parse a text by CoreNLP's protocol",
                        CORENLP_TABLES,
                        BODY_TEXT,
                        { { "application/json", "corenlp" },
                          { "application/x-protobuf", NULL },
                          { "text/plain", NULL },
                          { "text/xml", NULL } } },
    OPENAPI_TREGEX = { "Search the trees of a text by CoreNLP's protocol",
                       CORENLP_SEARCH_TABLES,
                       BODY_TEXT,
                       { { "application/json", "tregex" } } },
    OPENAPI_SEMGREX = { "Search the dependencies of a text by CoreNLP's protocol",
                        CORENLP_SEARCH_TABLES,
                        BODY_TEXT,
                        { { "application/json", "semgrex" } } },
    OPENAPI_PAGE = { "A page to try the server with", NULL, BODY_NONE, { { "text/html", NULL } } },
    OPENAPI_HEALTH = { "Is the server there, does it live, does it take requests?",
                       NULL,
                       BODY_NONE,
                       { { "text/plain", NULL } } },
    OPENAPI_METRICS = { "Numbers in the text format of Prometheus", NULL, BODY_NONE, { { "text/plain", NULL } } },
    OPENAPI_REFUSED = { "CoreNLP has this path; here it is status 501", NULL, BODY_NONE, { { NULL, NULL } } },
    OPENAPI_UDPIPE_MODELS = { "Models, by UDPipe's protocol",
                              NULL,
                              BODY_NONE,
                              { { "application/json", "udpipe_models" } } },
    OPENAPI_PROCESS = { "Parse a text or tokens by UDPipe's protocol",
                        UDPIPE_TABLES,
                        BODY_FORM,
                        { { "application/json", "udpipe" } } },
    OPENAPI_MODELS = { "Models that are served", NULL, BODY_NONE, { { "application/json", "models" } } },
    OPENAPI_PARSE = { "Parse a text as lal parse does",
                      OWN_PARSE_TABLES,
                      BODY_OWN,
                      { { LINES, "sentence" }, { "text/plain", NULL } } },
    OPENAPI_INSPECT = { "Say why the parser decided so, as lal inspect does",
                        OWN_INSPECT_TABLES,
                        BODY_OWN,
                        { { LINES, NULL } } },
    OPENAPI_TOKENIZE = { "Find sentences and tokens as lal tokenize does",
                         OWN_TOKENIZE_TABLES,
                         BODY_OWN,
                         { { LINES, "sentence" }, { "text/plain", NULL } } },
    OPENAPI_SEARCH = { "Find what matches a pattern as lal search does",
                       OWN_SEARCH_TABLES,
                       BODY_OWN,
                       { { LINES, "found" } } },
    OPENAPI_OPENAPI = { "This description", NULL, BODY_NONE, { { "application/json", NULL } } };

#define SCHEMAS "#/components/schemas/"
#define RESPONSE "#/components/responses/refused"

/* What a request without parameters has in the fields of a table; NULL: what the table itself says. */
static const void *fields_of(const RouteText *t, const ServiceOptions *o, OwnRequest *room)
{
    if (t->body != BODY_OWN) return NULL;
    own_request_init(room, t->tables, &o->parse);
    return room;
}

static void put_default(StrBuf *out, const Option *o, const void *fields)
{
    bool text = o->type == OPT_STRING, number = o->type == OPT_INT || o->type == OPT_LONG;
    StrBuf value = { 0 };
    if (fields && !(text && !*(const char *const *)((const char *)fields + o->offset)))
        option_to_json(o, fields, &value);
    else if (!fields && o->initial && (number || o->type == OPT_BOOL)) strbuf_puts(&value, o->initial);
    else if (!fields && o->initial) json_string(&value, NULL, o->initial);
    out->failed |= value.failed;
    if (value.len) json_value(out, "default", value.ptr);
    strbuf_fini(&value);
}

static void put_schema(StrBuf *out, const char *key, const Option *o, const void *fields, bool described)
{
    json_object(out, key);
    if (described) json_string(out, "description", o->help);
    if (o->type == OPT_BOOL) json_string(out, "type", "boolean");
    else if (o->type == OPT_INT || o->type == OPT_LONG) {
        json_string(out, "type", "integer");
        json_real(out, "minimum", "%.0f", o->min);
        json_real(out, "maximum", "%.0f", o->max);
    } else json_string(out, "type", "string");
    if (o->type == OPT_ENUM) {
        json_array(out, "enum");
        const char *bar = o->value;
        for (int k = 0; bar; k++, bar = strchr(bar + 1, '|')) json_view(out, NULL, option_choice(o->value, k));
        json_array_end(out);
    }
    put_default(out, o, fields);
    json_object_end(out);
}

static void put_parameters(StrBuf *out, const RouteText *t, const void *fields)
{
    json_array(out, "parameters");
    for (const Option *const *table = t->tables; *table; table++)
        for (const Option *o = *table; o->name; o++) {
            json_object(out, NULL);
            json_string(out, "name", o->name);
            json_string(out, "in", "query");
            json_string(out, "description", o->help);
            put_schema(out, "schema", o, fields, false);
            json_object_end(out);
        }
    json_array_end(out);
}

static void put_reference(StrBuf *out, const char *key, const char *place, const char *name)
{
    StrBuf text = { 0 };
    strbuf_printf(&text, "%s%s", place, name);
    json_object(out, key);
    json_string(out, "$ref", text.ptr);
    json_object_end(out);
    out->failed |= text.failed;
    strbuf_fini(&text);
}

/* ---- bodies */

static void put_text(StrBuf *out, const char *key, const char *description, long most)
{
    json_object(out, key);
    json_string(out, "type", "string");
    if (description) json_string(out, "description", description);
    json_long(out, "maxLength", most);
    json_object_end(out);
}

/* The parameters as members of an object, in JSON or a form. */
static void put_members(StrBuf *out, const RouteText *t, const void *fields, const ServiceOptions *o)
{
    json_object(out, "schema");
    json_string(out, "type", "object");
    json_object(out, "properties");
    if (t->body == BODY_OWN) put_text(out, "text", "the text", o->max_chars);
    if (t->tables != OWN_TOKENIZE_TABLES && t->body == BODY_OWN)
        json_value(
            out, "tokens",
            "{\"type\": \"array\", \"description\": \"in place of a text: sentences, which are arrays of words\","
            " \"items\": {\"type\": \"array\", \"items\": {\"type\": \"string\", \"minLength\": 1}}}");
    if (own_takes_sentences(t->tables))
        json_value(out, "sentences",
                   "{\"type\": \"array\", \"description\": \"in place of a text: sentences as in lines of JSON that lal"
                   " parse --input json --arcs given --spans partial reads, with what is known of them\","
                   " \"items\": {\"type\": \"object\", \"required\": [\"tokens\"]}}");
    for (const Option *const *table = t->tables; *table; table++)
        for (const Option *p = *table; p->name; p++) put_schema(out, p->name, p, fields, true);
    json_object_end(out);
    if (own_takes_sentences(t->tables))
        json_value(out, "oneOf",
                   "[{\"required\": [\"text\"]}, {\"required\": [\"tokens\"]}, {\"required\": [\"sentences\"]}]");
    else if (t->tables != OWN_TOKENIZE_TABLES && t->body == BODY_OWN)
        json_value(out, "oneOf", "[{\"required\": [\"text\"]}, {\"required\": [\"tokens\"]}]");
    else json_strings(out, "required", (const char *const[]){ t->body == BODY_OWN ? "text" : "data" }, 1);
    if (t->body == BODY_OWN) json_bool(out, "additionalProperties", false);
    json_object_end(out);
}

static void put_body(StrBuf *out, const RouteText *t, const void *fields, const ServiceOptions *o)
{
    static const char *const forms[] = { "application/x-www-form-urlencoded", "multipart/form-data" };
    json_object(out, "requestBody");
    json_object(out, "content");
    for (int k = 0; k < 2 && t->body == BODY_FORM; k++) {
        json_object(out, forms[k]);
        put_members(out, t, fields, o);
        json_object_end(out);
    }
    if (t->body != BODY_FORM) {
        json_object(out, "text/plain");
        put_text(out, "schema", NULL, o->max_chars);
        json_object_end(out);
    }
    if (t->body == BODY_OWN) {
        json_object(out, "application/json");
        put_members(out, t, fields, o);
        json_object_end(out);
    }
    json_object_end(out);
    json_bool(out, "required", t->body != BODY_FORM); /* parameters may all be in the query */
    json_object_end(out);
}

/* ---- answers */

static void put_good(StrBuf *out, const RouteText *t)
{
    json_object(out, "200");
    json_string(out, "description",
                t->tables == OWN_SEARCH_TABLES         ? "A line for each sentence that matches"
                : strcmp(t->answers[0][0], LINES) == 0 ? "A line for each sentence"
                                                       : "The answer");
    if (t->tables) {
        json_object(out, "headers");
        put_reference(out, "Lal-Model", "#/components/headers/", "model");
        put_reference(out, "Lal-Invalid", "#/components/headers/", "invalid");
        if (t->tables == CORENLP_TABLES || t->tables == CORENLP_SEARCH_TABLES)
            put_reference(out, "Lal-Ignored", "#/components/headers/", "ignored");
        json_object_end(out);
    }
    json_object(out, "content");
    for (int k = 0; k < 4 && t->answers[k][0]; k++) {
        json_object(out, t->answers[k][0]);
        if (t->answers[k][1]) put_reference(out, "schema", SCHEMAS, t->answers[k][1]);
        json_object_end(out);
    }
    json_object_end(out);
    json_object_end(out);
}

static void put_operation(StrBuf *out, const Route *r, const char *method, const ServiceOptions *o)
{
    bool post = strcmp(method, "post") == 0, page = !post && r->run == corenlp_answer;
    const RouteText *t = page ? &OPENAPI_PAGE : r->about;
    OwnRequest room;
    const void *fields = fields_of(t, o, &room);
    StrBuf id = { 0 };
    strbuf_puts(&id, method);
    for (const char *c = r->path; *c; c++) strbuf_putc(&id, isalnum((unsigned char)*c) ? *c : '_');
    json_object(out, method);
    json_string(out, "operationId", id.ptr);
    json_string(out, "summary", t->summary);
    if (r->open && o->guarded) json_value(out, "security", "[]");
    if (t->tables) put_parameters(out, t, fields);
    if (post && t->body != BODY_NONE) put_body(out, t, fields, o);
    json_object(out, "responses");
    if (t->answers[0][0]) put_good(out, t);
    put_reference(out, "default", RESPONSE, "");
    json_object_end(out);
    json_object_end(out);
    out->failed |= id.failed;
    strbuf_fini(&id);
}

/* HEAD is GET without the body. */
static void put_paths(StrBuf *out, const ServiceOptions *o)
{
    json_object(out, "paths");
    for (int k = 0; k < o->n_routes; k++) {
        const Route *r = &o->routes[k];
        json_object(out, r->path);
        if (strstr(r->methods, "GET")) put_operation(out, r, "get", o);
        if (strstr(r->methods, "POST")) put_operation(out, r, "post", o);
        json_object_end(out);
    }
    json_object_end(out);
}

/* ---- the document */

/* References inside parse.schema.json get the places of this document. */
static void put_value(StrBuf *out, const char *key, const cJSON *value)
{
    static const char before[] = "#/$defs/";
    char *text = json_print(value);
    StrBuf placed = { 0 };
    for (const char *at = text, *next; at; at = next) {
        next = strstr(at, before);
        strbuf_add(&placed, at, next ? (size_t)(next - at) : strlen(at));
        if (next) strbuf_puts(&placed, SCHEMAS);
        if (next) next += strlen(before);
    }
    out->failed |= !text || placed.failed;
    json_value(out, key, placed.ptr);
    strbuf_fini(&placed);
    cJSON_free(text);
}

static void put_values(StrBuf *out, const cJSON *object)
{
    for (const cJSON *x = object ? object->child : NULL; x; x = x->next) put_value(out, x->string, x);
}

/* parse.schema.json: what it defines, and the sentence itself. */
static void put_sentence(StrBuf *out, cJSON *schema)
{
    put_values(out, json_get(schema, "$defs"));
    cJSON_DeleteItemFromObjectCaseSensitive(schema, "$defs");
    cJSON_DeleteItemFromObjectCaseSensitive(schema, "$schema");
    put_value(out, "sentence", schema);
}

static void put_document(StrBuf *out, const ServiceOptions *o, const cJSON *fixed, cJSON *sentence)
{
    json_object(out, NULL);
    json_string(out, "openapi", "3.1.0");
    json_object(out, "info");
    put_values(out, json_get(fixed, "info"));
    json_string(out, "version", lal_version());
    json_object_end(out);
    json_array(out, "servers");
    json_object(out, NULL);
    json_string(out, "url", o->prefix ? o->prefix : "/");
    json_object_end(out);
    json_array_end(out);
    if (o->guarded) json_value(out, "security", "[{\"basic\":[]}]");
    put_paths(out, o);
    json_object(out, "components");
    for (int k = 0; k < 3; k++) {
        static const char *const parts[] = { "securitySchemes", "responses", "headers" };
        put_value(out, parts[k], json_get(fixed, parts[k]));
    }
    json_object(out, "schemas");
    put_values(out, json_get(fixed, "schemas"));
    put_sentence(out, sentence);
    json_object_end(out);
    json_object_end(out);
    json_object_end(out);
}

void openapi_answer(const Job *job, Answer *answer)
{
    StrBuf json = { .compact = true };
    cJSON *fixed = NULL, *sentence = NULL;
    bool good = json_parse(PAGE_OPENAPI, strlen(PAGE_OPENAPI), &fixed, NULL) == OK &&
                json_parse(PAGE_SCHEMA, strlen(PAGE_SCHEMA), &sentence, NULL) == OK;
    if (good) put_document(&json, job->o, fixed, sentence);
    json.failed |= !good;
    answer_json(answer, "application/json", &json);
    cJSON_Delete(fixed);
    cJSON_Delete(sentence);
}
