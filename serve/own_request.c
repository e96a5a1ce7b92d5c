/* The tables of parameters, which read the query and a JSON body alike; a parameter in both
 * must agree. */
#define _GNU_SOURCE /* strcasestr */
#include "serve/own_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/markup_kind.h"
#include "include/formats.h"

#define AT(name) offsetof(OwnRequest, name)
#define END                                       \
    {                                             \
        NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL \
    }

static const Option TEXT_OPTIONS[] = {
    { "model", OPT_STRING, AT(model), NULL, 0, 0, NULL, "one of GET /v1/models; without it the first one" },
    { "newline", OPT_ENUM, AT(o.newlines), NULL, 0, 0, "auto|sentence|paragraph|space", /* as in LalNewlines */
      "what a line break ends; auto: a sentence in chat, lists, headers and verse, nothing where prose is wrapped" },
    { "markup", OPT_ENUM, AT(o.markup), NULL, 0, 0, MARKUP_CHOICES, /* as in LalMarkup */
      MARKUP_ABOUT },
    { "invalid", OPT_ENUM, AT(o.invalid), NULL, 0, 0, INVALID_CHOICES, /* as in LalInvalid */
      "bytes that are not UTF-8, and NUL; replace: U+FFFD stands for them; skip: they are left out; of a JSON body the "
      "query says it" },
    { "hyphens", OPT_ENUM, AT(o.hyphens), NULL, 0, 0, "model|split|keep", /* as in LalHyphens */
      "hyphenated words: as in the treebanks of the model, split at the hyphens, or whole" },
    END,
};

/* Of several paths. */
#define TREEBANK_OPTION                                                     \
    {                                                                       \
        "treebank", OPT_STRING, AT(o.treebank), NULL, 0, 0, NULL,           \
            "whose conventions are followed, one that GET /v1/models names" \
    }
#define PRETOKENIZED_OPTION                                                           \
    {                                                                                 \
        "pretokenized", OPT_BOOL, AT(pretokenized), "false", 0, 0, NULL,              \
            "lines of the text are sentences, and white space separates their tokens" \
    }

static const Option PARSE_OPTIONS[] = {
    { "format", OPT_ENUM, AT(format), "json", 0, 0, LAL_FORMAT_CHOICES,
      "notation of the answer, as lal parse writes it; json: a line for each sentence" },
    { "deps", OPT_ENUM, AT(o.deps), NULL, 0, 0, "auto|ud|stanford", /* as in LalDeps */
      "dependencies; auto: Universal Dependencies, unless why is asked for or the model has none" },
    TREEBANK_OPTION,
    { "why", OPT_BOOL, AT(why), "false", 0, 0, NULL,
      "the label heads that contribute most to each phrase and arc (of json and conllu)" },
    PRETOKENIZED_OPTION,
    { "kbest", OPT_INT, AT(o.k_best), NULL, 0, ANSWER_BEST_MOST, NULL, "that many parses of a sentence; 0: one" },
    { "confidence", OPT_BOOL, AT(confidence), "false", 0, 0, NULL,
      "how sure the model is of each sentence (of json and conllu)" },
    END,
};

static const Option INSPECT_OPTIONS[] = {
    { "format", OPT_ENUM, AT(format), "json", 0, 0, "json|page",
      "json: a line for each sentence, as lal inspect writes it; page: the documents of its pages" },
    { "top", OPT_INT, AT(inspect.top), NULL, 0, 1000, NULL, "label heads of each decision (of json); 0: 5" },
    { "flips", OPT_BOOL, AT(flips), "false", 0, 0, NULL, "also what would change the decision of the contrast" },
    { "decision", OPT_STRING, AT(decision), NULL, 0, 0, NULL,
      "what is set against the best parse that decides otherwise: 'phrase 2 5', its tokens 2 to 4 (from 0), or 'arc 2 "
      "5', from token 2 to its head 5 (-1: the root); without it what is least certain" },
    TREEBANK_OPTION,
    PRETOKENIZED_OPTION,
    END,
};

static const Option TOKENIZE_OPTIONS[] = {
    { "format", OPT_ENUM, AT(format), "json", 0, 0, "json|lines",
      "notation of the answer, as lal tokenize writes it; lines: tokens separated by blanks" },
    END,
};

static const Option SEARCH_OPTIONS[] = {
    { "pattern", OPT_STRING, AT(pattern), NULL, 0, 0, NULL, "a pattern of Tregex or Semgrex (docs/SEARCH.md)" },
    { "kind", OPT_ENUM, AT(kind), "auto", 0, 0, "auto|tregex|semgrex", /* as in LalPatternKind */
      "what the pattern is; auto: Semgrex if it begins with a brace, else Tregex" },
    { "semgrex", OPT_STRING, AT(semgrex), NULL, 0, 0, NULL,
      "a pattern of Semgrex beside one of Tregex; names that both have are phrases and their head words" },
    { "where", OPT_STRING, AT(where), NULL, 0, 0, NULL, "conditions on nodes that the pattern names" },
    { "graph", OPT_ENUM, AT(graph), "auto", 0, 0, "auto|enhanced|basic", /* as in LalGraph */
      "what Semgrex searches; auto: the enhanced graph, if there is one, else the tree of heads" },
    { "ignore_case", OPT_BOOL, AT(ignore_case), "false", 0, 0, NULL, "of Semgrex: words and tags in any case" },
    { "heads", OPT_STRING, AT(heads), NULL, 0, 0, NULL,
      "head finder of Tregex, by CoreNLP's name; without it CollinsHeadFinder" },
    { "format", OPT_ENUM, AT(format), "json", 0, 0, "json",
      "notation of the answer, as lal search writes it: a line for each sentence with a match" },
    TREEBANK_OPTION,
    PRETOKENIZED_OPTION,
    END,
};

const Option *const OWN_PARSE_TABLES[] = { TEXT_OPTIONS, PARSE_OPTIONS, NULL };
const Option *const OWN_INSPECT_TABLES[] = { TEXT_OPTIONS, INSPECT_OPTIONS, NULL };
const Option *const OWN_TOKENIZE_TABLES[] = { TEXT_OPTIONS, TOKENIZE_OPTIONS, NULL };
const Option *const OWN_SEARCH_TABLES[] = { TEXT_OPTIONS, SEARCH_OPTIONS, NULL };

bool own_takes_sentences(const Option *const *tables)
{
    return tables == OWN_PARSE_TABLES || tables == OWN_INSPECT_TABLES;
}

void own_request_init(OwnRequest *request, const Option *const *tables, const LalOptions *parse)
{
    *request = (OwnRequest){ .o = *parse };
    option_default(answer_option(tables, "format"), request);
}

/* ---- parameters of the query */

/* Says which parameters there are. */
static bool refuse_unknown(const Option *const *tables, const char *where, const char *name, Answer *a)
{
    StrBuf names = { 0 };
    for (; *tables; tables++)
        for (const Option *o = *tables; o->name; o++) strbuf_printf(&names, "%s%s", names.len ? " " : "", o->name);
    answer_refuse(a, 400, "%sfound the parameter '%.*s', expected some of: %s", where, utf8_first(name, 60), name,
                  names.ptr ? names.ptr : "");
    strbuf_fini(&names);
    return false;
}

static bool read_query(const Job *j, const Option *const *tables, OwnRequest *r, Answer *a)
{
    for (int k = 0; k < j->query->n; k++) {
        const Parameter *p = &j->query->item[k];
        const Option *o = answer_option(tables, p->name);
        Error e = { 0 };
        if (!o) return refuse_unknown(tables, "", p->name, a);
        if (option_read(o, r, p->value, &e) != OK) return answer_refuse(a, 400, "%s: %s", o->name, e.message);
    }
    return true;
}

/* ---- a JSON body */

typedef struct Body {
    const Job *j;
    const Option *const *tables;
    StrView json;
    cJSON *root;
    StrBuf text; /* of `text` or `tokens` */
} Body;

/* Refuses a value, or a member (by its key), with its place. */
static bool refuse_at(const Body *b, const cJSON *value, bool key, Answer *a, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static bool refuse_at(const Body *b, const cJSON *value, bool key, Answer *a, const char *format, ...)
{
    TextPlace p = json_place(b->json.ptr, b->json.len, b->root, value, key);
    Error e = { 0 };
    va_list ap;
    va_start(ap, format);
    StrBuf message = { 0 };
    strbuf_vprintf(&message, format, ap);
    va_end(ap);
    error_at(&e, ERR_FORMAT, "body", p.line, p.column, "%s", message.ptr ? message.ptr : "out of memory");
    strbuf_fini(&message);
    return answer_status(a, &e);
}

static const char *kind_of(const cJSON *value)
{
    return cJSON_IsString(value)   ? "a string"
           : cJSON_IsNumber(value) ? "a number"
           : cJSON_IsBool(value)   ? "true or false"
           : cJSON_IsNull(value)   ? "null"
           : cJSON_IsArray(value)  ? "an array"
                                   : "an object";
}

static const char *kind_wanted(const Option *o)
{
    return o->type == OPT_BOOL ? "true or false" : o->type == OPT_INT ? "a number" : "a string";
}

/* Text that a string of the JSON has: it is UTF-8 without NUL, as the whole body. */
static bool take_text(Body *b, const cJSON *value, Answer *a)
{
    if (!cJSON_IsString(value))
        return refuse_at(b, value, false, a, "text: found %s, expected a string", kind_of(value));
    strbuf_puts(&b->text, value->valuestring);
    return true;
}

static bool take_word(Body *b, const cJSON *word, Answer *a)
{
    if (!cJSON_IsString(word) || !*word->valuestring)
        return refuse_at(b, word, false, a, "tokens: found %s, expected a word",
                         cJSON_IsString(word) ? "an empty string" : kind_of(word));
    size_t len = strlen(word->valuestring);
    for (size_t at = 0; at < len;)
        if (utf8_is_space(utf8_next(word->valuestring, len, &at)))
            return refuse_at(b, word, false, a, "tokens: found white space in '%.*s', expected a word",
                             utf8_first(word->valuestring, 60), word->valuestring);
    strbuf_puts(&b->text, word->valuestring);
    return true;
}

/* Sentences become lines, and blanks separate their words. */
static bool take_tokens(Body *b, const cJSON *value, Answer *a)
{
    if (!cJSON_IsArray(value))
        return refuse_at(b, value, false, a, "tokens: found %s, expected an array of sentences", kind_of(value));
    for (const cJSON *s = value->child; s; s = s->next) {
        if (!cJSON_IsArray(s))
            return refuse_at(b, s, false, a, "tokens: found %s, expected a sentence, which is an array of words",
                             kind_of(s));
        for (const cJSON *word = s->child; word; word = word->next) {
            if (word != s->child) strbuf_putc(&b->text, ' ');
            if (!take_word(b, word, a)) return false;
        }
        strbuf_putc(&b->text, '\n');
    }
    return true;
}

/* Each becomes a line of JSON. */
static bool take_sentences(Body *b, const cJSON *value, OwnRequest *r, Answer *a)
{
    if (!cJSON_IsArray(value))
        return refuse_at(b, value, false, a, "sentences: found %s, expected an array of objects", kind_of(value));
    for (const cJSON *s = value->child; s; s = s->next) {
        if (!cJSON_IsObject(s))
            return refuse_at(b, s, false, a, "sentences: found %s, expected an object with tokens", kind_of(s));
        char *line = json_print(s);
        if (!line) return answer_refuse(a, 500, "out of memory for the text");
        strbuf_puts(&b->text, line);
        strbuf_putc(&b->text, '\n');
        cJSON_free(line);
    }
    return r->sentences = true;
}

/* A member that is a parameter. One that the query has too must say the same. */
static bool take_option(Body *b, const Option *o, const cJSON *value, OwnRequest *r, Answer *a)
{
    Error e = { 0 };
    OwnRequest before = *r;
    if (strcmp(kind_of(value), kind_wanted(o)) != 0)
        return refuse_at(b, value, false, a, "%s: found %s, expected %s", o->name, kind_of(value), kind_wanted(o));
    Status s = option_from_json(o, r, value, b->j->arena, &e);
    if (s == ERR_NOMEM) return answer_status(a, &e);
    if (s != OK) return refuse_at(b, value, false, a, "%s: %s", o->name, e.message);
    const char *asked = parameters_get(b->j->query, o->name);
    return !asked || option_same(o, &before, r) ||
           refuse_at(b, value, false, a, "%s: found another value than in the query, where it is '%.*s'", o->name,
                     utf8_first(asked, 60), asked);
}

static bool take_member(Body *b, const cJSON *m, OwnRequest *r, Answer *a)
{
    const Option *o = answer_option(b->tables, m->string);
    for (const cJSON *before = b->root->child; before != m; before = before->next)
        if (strcmp(before->string, m->string) == 0)
            return refuse_at(b, m, true, a, "found '%s' a second time", m->string);
    if (o) return take_option(b, o, m, r, a);
    if (strcmp(m->string, "text") == 0) return take_text(b, m, a);
    if (strcmp(m->string, "tokens") == 0 && b->tables != OWN_TOKENIZE_TABLES) return take_tokens(b, m, a);
    if (strcmp(m->string, "sentences") == 0 && own_takes_sentences(b->tables)) return take_sentences(b, m, r, a);
    TextPlace p = json_place(b->json.ptr, b->json.len, b->root, m, true);
    char where[64];
    snprintf(where, sizeof where, "body:%ld:%ld: ", p.line, p.column);
    return refuse_unknown(b->tables, where, m->string, a);
}

/* Is there one of `text`, `tokens` and `sentences`, and does nothing contradict the tokens? */
static bool check_texts(Body *b, OwnRequest *r, Answer *a)
{
    const cJSON *text = json_get(b->root, "text"), *tokens = json_get(b->root, "tokens"),
                *given = json_get(b->root, "pretokenized");
    if (r->sentences && (text || tokens))
        return refuse_at(b, json_get(b->root, "sentences"), true, a,
                         "found 'sentences' beside '%s', expected one of them", text ? "text" : "tokens");
    if (r->sentences) return true;
    if (!text && !tokens) return refuse_at(b, b->root, false, a, "found no member 'text', expected the text");
    if (text && tokens) return refuse_at(b, tokens, true, a, "found 'tokens' beside 'text', expected one of them");
    if (!tokens) return true;
    if (!r->pretokenized && (given || parameters_get(b->j->query, "pretokenized")))
        return refuse_at(b, tokens, true, a, "found 'tokens', but pretokenized is false");
    return r->pretokenized = true;
}

static bool take_body(Body *b, OwnRequest *r, Answer *a)
{
    if (!cJSON_IsObject(b->root))
        return refuse_at(b, b->root, false, a, "found %s, expected an object such as {\"text\": \"It rains.\"}",
                         kind_of(b->root));
    for (const cJSON *m = b->root->child; m; m = m->next)
        if (!take_member(b, m, r, a)) return false;
    return check_texts(b, r, a);
}

/* Replaces *text, which is JSON, by the text in it. */
static bool read_json(const Job *j, const Option *const *tables, OwnRequest *r, StrView *text, Answer *a)
{
    Body b = { .j = j, .tables = tables, .json = *text };
    const char *found;
    Error e = { 0 };
    size_t fault = json_fault(text->ptr, text->len, &found);
    TextPlace p = text_place((TextPlace){ 1, 1 }, text->ptr, fault);
    if (fault < text->len) error_at(&e, ERR_FORMAT, "body", p.line, p.column, "%s", found);
    else json_parse_file(text->ptr, text->len, "body", &b.root, &e);
    bool good = e.code == OK ? take_body(&b, r, a) : answer_status(a, &e);
    char *copy = good && !b.text.failed ? arena_strndup(j->arena, b.text.ptr ? b.text.ptr : "", b.text.len) : NULL;
    if (good && !copy) good = answer_refuse(a, 500, "out of memory for the text");
    if (good) *text = (StrView){ copy, b.text.len };
    strbuf_fini(&b.text);
    cJSON_Delete(b.root);
    return good;
}

/* ---- the whole */

/* What is not text is never parsed as one. */
static bool is_text(const char *type)
{
    static const char *const texts[] = { "application/x-www-form-urlencoded", /* curl's, for --data */
                                         "application/octet-stream" };
    bool good = !type || !*type || (strncasecmp(type, "text/", 5) == 0 && !strcasestr(type, "json"));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) good |= parameters_type_is(type, texts[k]);
    return good;
}

bool own_request_read(const Job *job, const Option *const *tables, OwnRequest *request, StrView *text, Answer *answer)
{
    bool json = parameters_type_is(job->type, "application/json");
    LalOptions parse = job_options(job);
    own_request_init(request, tables, &parse);
    if (!json && !is_text(job->type))
        return answer_refuse(answer, 415, "Content-Type: found '%.*s', expected text/plain or application/json",
                             utf8_first(job->type, 60), job->type);
    if (!read_query(job, tables, request, answer) || !job_utf8(job, false, request->o.invalid, text, answer) ||
        (json && !read_json(job, tables, request, text, answer)))
        return false;
    request->o.why = request->why;
    request->o.confidence = request->confidence;
    request->inspect.flips = request->flips;
    if (request->pretokenized) {
        request->o.tokens = LAL_TOKENS_SPACE;
        request->o.sentences = LAL_SENTENCES_LINE;
    }
    return job_size(job, *text, request->o.k_best, answer);
}
