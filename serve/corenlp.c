/* Property maps read, texts parsed */
#include "serve/corenlp.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what is asked for */

/* The names that a list separates by commas and blanks. */
static bool next_name(const char **at, StrView *name)
{
    *at += strspn(*at, ", \t\r\n");
    *name = (StrView){ *at, strcspn(*at, ", \t\r\n") };
    *at += name->len;
    return name->len > 0;
}

static bool listed(StrView name, const char *list)
{
    StrView x;
    for (const char *at = list; at && next_name(&at, &x);)
        if (x.len == name.len && memcmp(x.ptr, name.ptr, x.len) == 0) return true;
    return false;
}

/* Can the name be a part of a header's value? */
static bool is_token(StrView name)
{
    for (size_t k = 0; k < name.len; k++)
        if (!strchr("._-", name.ptr[k]) && !(name.ptr[k] > 0 && utf8_is_letter(name.ptr[k])) &&
            !(name.ptr[k] >= '0' && name.ptr[k] <= '9'))
            return false;
    return name.len > 0 && name.len <= 60;
}

static void ignore(Answer *a, StrView name)
{
    if (!is_token(name) || a->ignored.len > 1000) return;
    if (a->ignored.len) strbuf_puts(&a->ignored, ", ");
    strbuf_add(&a->ignored, name.ptr, name.len);
}

/* ---- parameters */

/* What a property map, or the query, says. */
typedef struct Properties {
    const char *annotators, *language, *model, *treebank, *map, *pattern;
    int format, tree, newlines, input, k_best, graph;
    long timeout;
    bool pretty, with_text, code_points, lines, one_sentence, whitespace, given, confidence, filter, unique;
} Properties;

#define AT(name) offsetof(Properties, name)
#define ANNOTATORS "tokenize, ssplit, mwt, pos, lemma, parse, depparse"

static const Option CORENLP_OPTIONS[] = {
    { "annotators", OPT_STRING, AT(annotators), ANNOTATORS, 0, 0, NULL,
      "some of " ANNOTATORS "; tokenize, ssplit alone do not run the network" },
    { "outputFormat", OPT_ENUM, AT(format), "json", 0, 0,
      "json|serialized|conllu|conll|text|xml", /* as in CoreFormat */
      "notation of the answer; serialized: a length-delimited Document of CoreNLP.proto" },
    { "output.constituencyTree", OPT_ENUM, AT(tree), "penn", 0, 0, "penn|oneline", "trees on several lines or one" },
    { "output.prettyPrint", OPT_BOOL, AT(pretty), "true", 0, 0, NULL, "JSON on several lines" },
    { "output.includeText", OPT_BOOL, AT(with_text), "false", 0, 0, NULL, "JSON with the text" },
    { "tokenize.codepoint", OPT_BOOL, AT(code_points), "false", 0, 0, NULL,
      "offsets in code points beside those in UTF-16" },
    { "tokenize.whitespace", OPT_BOOL, AT(whitespace), "false", 0, 0, NULL, "white space separates tokens" },
    { "tokenize.pretokenized", OPT_BOOL, AT(given), "false", 0, 0, NULL,
      "white space separates tokens, and lines are sentences" },
    { "ssplit.eolonly", OPT_BOOL, AT(lines), "false", 0, 0, NULL, "lines are sentences" },
    { "ssplit.isOneSentence", OPT_BOOL, AT(one_sentence), "false", 0, 0, NULL, "the text is one sentence" },
    { "ssplit.newlineIsSentenceBreak", OPT_ENUM, AT(newlines), NULL, 0, 0, "always|two|never",
      "whether a line ends a sentence; without it this is found out. An empty line always does" },
    { "pipelineLanguage", OPT_STRING, AT(language), NULL, 0, 0, NULL,
      "language of the text, such as en, english, zh or chinese: chooses the first model of it" },
    { "model", OPT_STRING, AT(model), NULL, 0, 0, NULL, "one of GET /v1/models; without it the first one" },
    { "treebank", OPT_STRING, AT(treebank), NULL, 0, 0, NULL,
      "whose conventions are followed, one that GET /v1/models names" },
    { "timeout", OPT_LONG, AT(timeout), NULL, 1, 9e15, NULL, "milliseconds, at most those of the server" },
    { "parse.kbest", OPT_INT, AT(k_best), NULL, 0, ANSWER_BEST_MOST, NULL, "that many parses of a sentence; 0: one" },
    { "confidence", OPT_BOOL, AT(confidence), "false", 0, 0, NULL,
      "how sure the model is of each sentence (of json and conllu)" },
    { "inputFormat", OPT_ENUM, AT(input), "text", 0, 0, "text|serialized",
      "what the body is; serialized: a length-delimited Document of CoreNLP.proto, whose words, if it has some, are "
      "parsed as they are" },
    { "properties", OPT_STRING, AT(map), NULL, 0, 0, NULL,
      "all of these as one map: JSON, Python's repr of a dict, or key:value, key:value" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};
static const Option SEARCH_OPTIONS[] = {
    { "pattern", OPT_STRING, AT(pattern), NULL, 0, 0, NULL, "what is searched: a pattern of Tregex or of Semgrex" },
    { "filter", OPT_BOOL, AT(filter), "false", 0, 0, NULL,
      "of Semgrex: whether the pattern matches at the root of each sentence, in place of the matches" },
    { "unique", OPT_BOOL, AT(unique), "false", 0, 0, NULL, "of Semgrex: one match for each word" },
    { "dependenciesType", OPT_ENUM, AT(graph), "enhancedplusplus", 0, 0, "enhancedplusplus|enhanced|basic",
      "the graph that Semgrex searches" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};
const Option *const CORENLP_TABLES[] = { CORENLP_OPTIONS, NULL };
const Option *const CORENLP_SEARCH_TABLES[] = { CORENLP_OPTIONS, SEARCH_OPTIONS, NULL };

/* What clients send that changes nothing here. */
static const char WITHOUT_EFFECT[] =
    "tokenize.language date serializer inputSerializer outputSerializer encoding resetDefault props prettyPrint";

/* Values are in any case of letters; a boolean that is not "true" is false, but one of a search that is empty is true.
 */
static bool read_property(const Option *o, const char *value, Properties *to, Answer *a)
{
    Error e = { 0 };
    StrBuf lower = { 0 };
    bool search = o >= SEARCH_OPTIONS && o < SEARCH_OPTIONS + sizeof SEARCH_OPTIONS / sizeof *SEARCH_OPTIONS;
    bool is_true = strcasecmp(value, "true") == 0 || (search && !*value);
    strbuf_puts(&lower, "");
    if (o->type == OPT_ENUM) text_lower(&lower, value, strlen(value));
    const char *read = o->type == OPT_BOOL ? is_true ? "true" : "false" : o->type == OPT_ENUM ? lower.ptr : value;
    if (!read || lower.failed) error_set(&e, ERR_NOMEM, "out of memory reading the request");
    else option_read(o, to, read, &e);
    strbuf_fini(&lower);
    if (e.code == ERR_NOMEM) return answer_status(a, &e);
    return e.code == OK || answer_refuse(a, 400, "%s: %s", o->name, e.message);
}

static bool read_properties(const Parameters *p, const Option *const *tables, Properties *to, Answer *a)
{
    *to = (Properties){ 0 };
    options_defaults(CORENLP_OPTIONS, to);
    to->newlines = -1; /* not said */
    for (int k = 0; k < p->n; k++) {
        const char *name = p->item[k].name;
        const Option *o = answer_option(tables, name);
        if (o && !read_property(o, p->item[k].value, to, a)) return false;
        if (!o && !text_among(name, WITHOUT_EFFECT)) ignore(a, text_view(name));
    }
    return true;
}

static bool choose_annotators(const Job *j, const char *list, CoreRequest *to, Answer *a)
{
    StrView name;
    StrBuf unknown = { 0 };
    for (const char *at = list; next_name(&at, &name);) {
        to->pos |= listed(name, "pos, lemma, parse, depparse");
        to->lemma |= listed(name, "lemma");
        to->parse |= listed(name, "parse");
        to->arcs |= listed(name, "parse, depparse");
        if (listed(name, ANNOTATORS)) continue;
        if (listed(name, j->o->ignored)) {
            ignore(a, name);
            continue;
        }
        if (unknown.len) strbuf_puts(&unknown, ", ");
        strbuf_add(&unknown, name.ptr, utf8_cut(name.ptr, name.len, 60));
    }
    bool good = !unknown.len;
    if (!good) answer_refuse(a, 400, "annotators: found %s, expected some of " ANNOTATORS, unknown.ptr);
    strbuf_fini(&unknown);
    return good;
}

/* By its name, or else by the language. */
static bool choose_model(const Job *j, const Properties *p, CoreRequest *to, Answer *a)
{
    const char *language = p->language;
    bool any = !language || !*language || strcasecmp(language, "default") == 0;
    to->model = job_model(j, p->model);
    if (to->model < 0)
        return answer_refuse(a, 400, "model: found '%.*s', expected one of GET /models", utf8_first(p->model, 60),
                             p->model);
    if (any) return true;
    int named = p->model && *p->model ? to->model : -1;
    to->model = job_language(j, named, language);
    return to->model >= 0 || answer_language(j, named, "pipelineLanguage", language, a);
}

static void choose_options(const Properties *p, CoreRequest *to)
{
    LalOptions *o = &to->options;
    to->format = (CoreFormat)p->format;
    to->one_line = p->tree == 1;
    to->compact = !p->pretty;
    to->with_text = p->with_text;
    to->code_points = p->code_points;
    to->serialized = p->input == 1;
    to->lines = p->lines;
    to->timeout = p->timeout;
    to->pattern = p->pattern;
    to->filter = p->filter;
    to->unique = p->unique;
    to->graph = p->graph == 2 ? LAL_GRAPH_BASIC : LAL_GRAPH_AUTO;
    if (p->newlines >= 0) o->newlines = p->newlines == 0 ? LAL_NEWLINES_SENTENCE : LAL_NEWLINES_SPACE;
    if (p->one_sentence) o->sentences = LAL_SENTENCES_ALL;
    if (p->lines || p->given) o->sentences = LAL_SENTENCES_LINE;
    if (p->given || p->whitespace) o->tokens = LAL_TOKENS_SPACE;
    o->k_best = p->k_best == 1 ? 0 : p->k_best;
    o->confidence = p->confidence;
    if (p->treebank) o->treebank = p->treebank;
}

/* Leaves out what the format has no place for, and what needs annotators that are not asked for. */
static void drop_unused(CoreRequest *to, Answer *a)
{
    LalOptions *o = &to->options;
    bool rich = to->format == CORE_JSON || to->format == CORE_CONLLU;
    if (o->k_best && !(to->parse && (rich || to->format == CORE_SERIALIZED))) {
        ignore(a, text_view("parse.kbest"));
        o->k_best = 0;
    }
    if (o->confidence && !(to->arcs && rich)) {
        ignore(a, text_view("confidence"));
        o->confidence = 0;
    }
}

static bool read_request(const Job *j, const Option *const *tables, CoreRequest *to, Answer *a)
{
    Parameters p = { .arena = j->arena };
    Error e = { 0 };
    Status status = job_query(j, &p, &e);
    const char *map = parameters_get(j->query, "properties");
    if (!map) map = parameters_get(j->query, "props");
    if (map && status == OK) status = parameters_map(&p, map, &e);
    if (status != OK) return answer_status(a, &e);
    *to = (CoreRequest){ .options = job_options(j) };
    Properties asked;
    if (!read_properties(&p, tables, &asked, a) || !choose_model(j, &asked, to, a) ||
        !choose_annotators(j, asked.annotators, to, a))
        return false;
    choose_options(&asked, to);
    drop_unused(to, a);
    return true;
}

/* ---- the answer */

static bool put_conllu(LalParser *p, StrView text, Answer *a)
{
    LalError error;
    a->type = TYPE_TEXT;
    return lal_parse_text_as(p, text.ptr, text.len, "conllu", answer_append, &a->body, &error) == LAL_OK ||
           answer_error(a, &error);
}

/* put_conllu for a result. */
static bool put_conllu_of(const CoreDocument *d, Answer *a)
{
    LalError error;
    a->type = TYPE_TEXT;
    for (size_t k = 0; k < d->result->n_sentences; k++) {
        char *text = lal_sentence_as(&d->result->sentences[k], (long)k + 1, d->text.ptr, d->text.len, "conllu",
                                     &d->asked->options, &error);
        if (!text) return answer_error(a, &error);
        strbuf_puts(&a->body, text);
        lal_string_free(text);
    }
    return true;
}

static bool put_result(const Job *j, const CoreDocument *d, Answer *a)
{
    static const struct {
        void (*put)(StrBuf *out, const CoreDocument *d);
        const char *type;
    } formats[] = { [CORE_JSON] = { corenlp_json, TYPE_JSON },
                    [CORE_SERIALIZED] = { corenlp_protobuf, "application/x-protobuf" },
                    [CORE_CONLL] = { corenlp_conll, TYPE_TEXT },
                    [CORE_TEXT] = { corenlp_text, TYPE_TEXT },
                    [CORE_XML] = { corenlp_xml, "text/xml;charset=UTF-8" } };
    (void)j;
    if (d->asked->format == CORE_CONLLU) return put_conllu_of(d, a);
    formats[d->asked->format].put(&a->body, d);
    a->type = formats[d->asked->format].type;
    return !a->body.failed || answer_refuse(a, 500, "out of memory for the answer");
}

/* A request that is being answered. */
typedef struct Run {
    const Job *j;
    const CorePath *path;
    CoreRequest r;
    CoreGiven given;
    Answer *a;
} Run;

static bool put(const Run *x, const LalResult *result)
{
    return x->path->put(x->j, &(CoreDocument){ x->given.text, result, &x->r }, x->a);
}

/* Parses words, or takes them as they are without a parser. */
static bool analyse_words(const Run *x, LalParser *p)
{
    LalError error;
    LalResult placed;
    LalResult *result = p ? lal_parse_tokens(p, x->given.sentences, x->given.n_sentences, &error) : NULL;
    if (p && !result) return answer_error(x->a, &error);
    bool good = corenlp_given_place(x->j, &x->given, result, &placed, x->a) && put(x, &placed);
    lal_result_free(result);
    return good;
}

static bool analyse_text(const Run *x, LalParser *p)
{
    LalError error;
    const StrView text = x->given.text;
    if (x->r.format == CORE_CONLLU) return put_conllu(p, text, x->a);
    LalResult *result = p ? lal_parse_text(p, text.ptr, text.len, &error)
                          : lal_split_text(x->j->models[x->r.model].model, &x->r.options, text.ptr, text.len, &error);
    if (!result) return answer_error(x->a, &error);
    bool good = put(x, result);
    lal_result_free(result);
    return good;
}

/* Whose words are the given ones, if there are some. */
static bool analyse(const Run *x)
{
    bool network = x->r.pos || x->r.format == CORE_CONLLU;
    LalParser *p = network ? job_parser(x->j, x->r.model, &x->r.options, x->a) : NULL;
    if (network && !p) return false;
    if (!p) answer_by(x->a, &x->j->models[x->r.model]);
    return x->given.n_words ? analyse_words(x, p) : analyse_text(x, p);
}

/* JSON is no text, whatever its type says; a text that somebody calls JSON is one. */
static bool is_json(const Job *j)
{
    size_t at = 0;
    while (at < j->body.len && strchr(" \t\r\n", j->body.ptr[at])) at++;
    return parameters_type_is(j->type, "application/json") && at < j->body.len && strchr("{[", j->body.ptr[at]);
}

static bool read_body(Run *x)
{
    int invalid = x->r.options.invalid;
    if (x->r.serialized) return corenlp_given_read(x->j, invalid, &x->given, x->a);
    return job_utf8(x->j, true, invalid, &x->given.text, x->a);
}

void corenlp_run(const Job *job, const CorePath *path, Answer *answer)
{
    Run x = { .j = job, .path = path, .a = answer };
    answer->status = 200;
    if (is_json(job)) {
        answer_refuse(answer, 400, "found JSON, expected a text; POST /v1/parse takes JSON");
        return;
    }
    if (!read_request(job, path->tables, &x.r, answer)) return;
    if (x.r.timeout) job->limit(job->stop_context, x.r.timeout);
    if (path->before && path->before(job, &x.r, answer)) return;
    if (read_body(&x) && job_size(job, x.given.text, x.r.options.k_best, answer)) analyse(&x);
}

void corenlp_answer(const Job *job, Answer *answer)
{
    static const CorePath path = { CORENLP_TABLES, NULL, put_result };
    corenlp_run(job, &path, answer);
}
