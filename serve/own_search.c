/* Each sentence is searched as soon as it is parsed, and its line sent. */
#include "serve/own_search.h"

#include <string.h>

#include "base/json_writer.h"
#include "serve/matches.h"
#include "serve/own_request.h"

/* ---- a sentence with matches */

static void put_node(StrBuf *out, const LalNode *n)
{
    if (n->node != LAL_NONE) json_long(out, "node", n->node + 1);
    if (n->label) json_string(out, "label", n->label);
    if (n->id) json_string(out, "word", n->id);
    json_long(out, "begin", n->begin);
    json_long(out, "end", n->end);
    json_string(out, "text", n->text);
    if (!n->end_char) return;
    json_array(out, "characters");
    json_long(out, NULL, (long)n->begin_char);
    json_long(out, NULL, (long)n->end_char);
    json_array_end(out);
}

static void put_variables(StrBuf *out, const char *key, const LalVariable *all, int n)
{
    if (!n) return;
    json_object(out, key);
    for (int k = 0; k < n; k++) json_string(out, all[k].name, all[k].value);
    json_object_end(out);
}

static void put_match(StrBuf *out, const LalMatch *match)
{
    json_object(out, NULL);
    put_node(out, &match->node);
    if (match->n_named) json_object(out, "names");
    for (int k = 0; k < match->n_named; k++) {
        json_object(out, match->named[k].name);
        put_node(out, &match->named[k]);
        json_object_end(out);
    }
    if (match->n_named) json_object_end(out);
    put_variables(out, "variables", match->variables, match->n_variables);
    put_variables(out, "relations", match->relations, match->n_relations);
    if (match->n_edges) json_object(out, "edges");
    for (int k = 0; k < match->n_edges; k++)
        json_record(out, match->edges[k].name, "governor: %s, dependent: %s, relation: %s", match->edges[k].governor,
                    match->edges[k].dependent, match->edges[k].relation);
    if (match->n_edges) json_object_end(out);
    json_object_end(out);
}

static bool put_found(StrBuf *out, Matches *m, const LalFound *found, long number)
{
    size_t before = out->len;
    json_object(out, NULL);
    json_long(out, "sentence", number);
    json_long(out, "id", number);
    json_string(out, "text", found->text);
    json_strings(out, "words", found->words, found->n_words);
    json_array(out, "matches");
    for (int k = 0; k < found->n_matches; k++) {
        put_match(out, &found->matches[k]);
        if (!matches_go_on(m, out->len - before)) return false;
    }
    json_array_end(out);
    json_object_end(out);
    strbuf_putc(out, '\n');
    return true;
}

/* ---- a text */

typedef struct Searching {
    Matches m;
    long number; /* of the sentence */
} Searching;

/* Searches a sentence, and sends its line if there is one. */
static int take(void *context, const LalSentence *sentence)
{
    Searching *x = context;
    Matches *m = &x->m;
    LalError error;
    x->number++;
    if (lal_search_sentences(m->pattern, sentence, 1, &error) != LAL_OK) return !matches_error(m, &error);
    const LalFound *found = matches_next(m);
    if (!found) return 1;
    if (!found->n_matches) return 0;
    return !put_found(&m->a->body, m, found, x->number) || m->a->body.failed || m->j->send(m->j->stop_context, m->a);
}

static bool read_request(const Job *j, OwnRequest *r, StrView *text, int *model, Answer *a)
{
    a->status = 200;
    if (!own_request_read(j, OWN_SEARCH_TABLES, r, text, a)) return false;
    if (!r->pattern) return answer_refuse(a, 400, "pattern: found none, expected one of Tregex or Semgrex");
    *model = job_model(j, r->model);
    if (*model >= 0) {
        r->o.confidence = r->where != NULL; /* what conditions may ask about */
        r->o.contributions = r->where && (strstr(r->where, "head") || strstr(r->where, "part"));
        return true;
    }
    return answer_refuse(a, 400, "model: found '%.*s', expected one of GET /v1/models", utf8_first(r->model, 60),
                         r->model);
}

void own_search(const Job *job, Answer *answer)
{
    OwnRequest r;
    StrView text;
    int model = 0;
    LalError error;
    Searching x = { .number = 0 };
    if (!read_request(job, &r, &text, &model, answer)) return;
    LalPatternOptions o = { .kind = r.kind,
                            .semgrex = r.semgrex,
                            .where = r.where,
                            .heads = r.heads,
                            .ignore_case = r.ignore_case,
                            .graph = r.graph };
    LalParser *p = matches_init(&x.m, job, r.pattern, o, answer) ? job_parser(job, model, &r.o, answer) : NULL;
    answer->type = p ? "application/x-ndjson;charset=UTF-8" : answer->type;
    if (p && lal_parse_text_each(p, text.ptr, text.len, take, &x, &error) != LAL_OK && answer->status == 200)
        answer_error(answer, &error);
    matches_fini(&x.m);
}
