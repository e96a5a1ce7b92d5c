/* Property maps read, texts parsed; JSON and CoNLL */
#include "serve/corenlp.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json_writer.h"

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
    const char *annotators, *language, *model, *treebank, *map;
    int format, tree, newlines, input, k_best;
    long timeout;
    bool pretty, with_text, code_points, lines, one_sentence, whitespace, given, confidence;
} Properties;

#define AT(name) offsetof(Properties, name)
#define ANNOTATORS "tokenize, ssplit, mwt, pos, lemma, parse, depparse"

static const Option CORENLP_OPTIONS[] = {
    { "annotators", OPT_STRING, AT(annotators), ANNOTATORS, 0, 0, NULL,
      "some of " ANNOTATORS "; tokenize, ssplit alone do not run the network" },
    { "outputFormat", OPT_ENUM, AT(format), "json", 0, 0, "json|serialized|conllu|conll", /* as in CoreFormat */
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
    { "inputFormat", OPT_ENUM, AT(input), "text", 0, 0, "text", "what the body is" },
    { "properties", OPT_STRING, AT(map), NULL, 0, 0, NULL,
      "all of these as one map: JSON, Python's repr of a dict, or key:value, key:value" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};
const Option *const CORENLP_TABLES[] = { CORENLP_OPTIONS, NULL };

/* What clients send that changes nothing here. */
static const char WITHOUT_EFFECT[] = "tokenize.language date serializer encoding resetDefault props prettyPrint";

/* Values are in any case of letters; a boolean that is not "true" is false. */
static bool read_property(const Option *o, const char *value, Properties *to, Answer *a)
{
    Error e = { 0 };
    StrBuf lower = { 0 };
    strbuf_puts(&lower, "");
    if (o->type == OPT_ENUM) text_lower(&lower, value, strlen(value));
    const char *read = o->type == OPT_BOOL   ? strcasecmp(value, "true") == 0 ? "true" : "false"
                       : o->type == OPT_ENUM ? lower.ptr
                                             : value;
    if (!read || lower.failed) error_set(&e, ERR_NOMEM, "out of memory reading the request");
    else option_read(o, to, read, &e);
    strbuf_fini(&lower);
    if (e.code == ERR_NOMEM) return answer_status(a, &e);
    return e.code == OK ||
           answer_refuse(a, strcmp(o->name, "inputFormat") == 0 ? 501 : 400, "%s: %s", o->name, e.message);
}

static bool read_properties(const Parameters *p, Properties *to, Answer *a)
{
    *to = (Properties){ 0 };
    options_defaults(CORENLP_OPTIONS, to);
    to->newlines = -1; /* not said */
    for (int k = 0; k < p->n; k++) {
        const char *name = p->item[k].name;
        const Option *o = answer_option(CORENLP_TABLES, name);
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
    to->lines = p->lines;
    to->timeout = p->timeout;
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
    if (o->k_best && (to->format == CORE_CONLL || !to->parse)) {
        ignore(a, text_view("parse.kbest"));
        o->k_best = 0;
    }
    if (o->confidence && (to->format == CORE_CONLL || to->format == CORE_SERIALIZED || !to->arcs)) {
        ignore(a, text_view("confidence"));
        o->confidence = 0;
    }
}

static bool read_request(const Job *j, CoreRequest *to, Answer *a)
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
    if (!read_properties(&p, &asked, a) || !choose_model(j, &asked, to, a) ||
        !choose_annotators(j, asked.annotators, to, a))
        return false;
    choose_options(&asked, to);
    drop_unused(to, a);
    return true;
}

/* ---- what several formats need */

CoreArc corenlp_arc(const LalSentence *sentence, int word)
{
    const LalToken *t = &sentence->tokens[word];
    CoreArc arc = t->ud_relation ? (CoreArc){ t->ud_head, t->ud_relation } : (CoreArc){ t->head, t->type };
    if (arc.relation && arc.head == LAL_NONE) arc.relation = "ROOT";
    return arc;
}

CoreArc corenlp_enhanced(const LalSentence *sentence, int k)
{
    const LalArc *arc = &sentence->enhanced[k];
    return (CoreArc){ arc->head, arc->head == LAL_NONE ? "ROOT" : arc->relation };
}

bool corenlp_has_tree(const CoreDocument *document, const LalSentence *sentence)
{
    return document->asked->parse && sentence->tokens[0].tag && sentence->n_phrases;
}

const LalToken **corenlp_tokens(const LalResult *result)
{
    const LalToken **all = mem_alloc(result->n_tokens + 1, sizeof *all);
    size_t n = 0;
    for (size_t k = 0; k < result->n_sentences && all; k++)
        for (int w = 0; w < result->sentences[k].n_tokens; w++) all[n++] = &result->sentences[k].tokens[w];
    return all;
}

StrView corenlp_between(const CoreDocument *document, const LalToken *const *tokens, size_t count, size_t k)
{
    size_t from = k ? tokens[k - 1]->end : 0, to = k < count ? tokens[k]->begin : document->text.len;
    return (StrView){ document->text.ptr + from, to > from ? to - from : 0 };
}

const char *corenlp_tag(const LalToken *token)
{
    return token->tag && token->upos && strcmp(token->tag, "_") == 0 ? token->upos : token->tag;
}

/* A tag with its word. */
static void put_leaf(StrBuf *out, const LalToken *t)
{
    strbuf_printf(out, "(%s ", corenlp_tag(t));
    for (const char *c = t->form; *c; c++)
        if (*c == '(') strbuf_puts(out, "-LRB-");
        else if (*c == ')') strbuf_puts(out, "-RRB-");
        else strbuf_putc(out, *c);
    strbuf_putc(out, ')');
}

static void put_break(StrBuf *out, int depth, bool one_line)
{
    if (one_line) strbuf_putc(out, ' ');
    else strbuf_putc(out, '\n');
    for (int k = 0; k < depth && !one_line; k++) strbuf_puts(out, "  ");
}

/* A tag with its word stays on the line if it is the first child, or follows another one and neither is a CC. */
void corenlp_tree(StrBuf *out, const LalSentence *sentence, bool one_line)
{
    int open = LAL_NONE, next = 0, depth = 0;
    bool stays = true; /* a tag with its word, but a CC that is no first child */
    bool first = true;
    strbuf_puts(out, "(ROOT");
    for (int w = 0; w < sentence->n_tokens; w++) {
        for (; next < sentence->n_phrases && sentence->phrases[next].begin == w; next++) {
            put_break(out, ++depth, one_line);
            strbuf_printf(out, "(%s", sentence->phrases[next].label);
            open = next;
            stays = first = true;
        }
        bool cc = strncmp(sentence->tokens[w].tag, "CC", 2) == 0;
        if (stays && (first || !cc)) strbuf_putc(out, ' ');
        else put_break(out, depth + 1, one_line);
        put_leaf(out, &sentence->tokens[w]);
        stays = !cc;
        first = false;
        for (; open != LAL_NONE && sentence->phrases[open].end == w + 1;
             open = sentence->phrases[open].parent, depth--) {
            strbuf_putc(out, ')');
            stays = false;
        }
    }
    strbuf_putc(out, ')');
}

/* ---- JSON */

static void json_size(StrBuf *out, const char *key, size_t n) { json_long(out, key, (long)n); }

static void put_arc(StrBuf *out, const LalSentence *s, int w, CoreArc arc)
{
    json_record(out, NULL, "dep: %s, governor: %d, governorGloss: %s, dependent: %d, dependentGloss: %s", arc.relation,
                arc.head + 1, arc.head == LAL_NONE ? "ROOT" : s->tokens[arc.head].form, w + 1, s->tokens[w].form);
}

static void put_arcs(StrBuf *out, const LalSentence *s)
{
    json_array(out, "basicDependencies");
    for (int root = 1; root >= 0; root--)
        for (int w = 0; w < s->n_tokens; w++) {
            CoreArc arc = corenlp_arc(s, w);
            if ((arc.head == LAL_NONE) == root) put_arc(out, s, w, arc);
        }
    json_array_end(out);
}

/* The graph has what CoreNLP calls enhanced++ and is given under both names. */
static void put_graphs(StrBuf *out, const LalSentence *s)
{
    static const char *const names[] = { "enhancedDependencies", "enhancedPlusPlusDependencies" };
    for (int name = 0; name < 2; name++) {
        json_array(out, names[name]);
        for (int root = 1; root >= 0; root--)
            for (int k = 0; k < s->n_enhanced; k++) {
                CoreArc arc = corenlp_enhanced(s, k);
                if ((arc.head == LAL_NONE) == root) put_arc(out, s, s->enhanced[k].token, arc);
            }
        json_array_end(out);
    }
}

static void put_token(StrBuf *out, const CoreDocument *d, const LalToken *const *tokens, size_t k, int w)
{
    const LalToken *t = tokens[k];
    size_t n = d->result->n_tokens;
    json_object(out, NULL);
    json_long(out, "index", w + 1);
    json_string(out, "word", t->form);
    json_view(out, "originalText", (StrView){ d->text.ptr + t->begin, t->end - t->begin });
    if (d->asked->lemma && t->lemma) json_string(out, "lemma", t->lemma);
    json_size(out, "characterOffsetBegin", t->begin_utf16);
    json_size(out, "characterOffsetEnd", t->end_utf16);
    if (d->asked->code_points) {
        json_size(out, "codepointOffsetBegin", t->begin_char);
        json_size(out, "codepointOffsetEnd", t->end_char);
    }
    if (t->tag) json_string(out, "pos", corenlp_tag(t));
    json_view(out, "before", corenlp_between(d, tokens, n, k));
    json_view(out, "after", corenlp_between(d, tokens, n, k + 1));
    json_object_end(out);
}

static void put_parse(StrBuf *out, const CoreDocument *d, const LalSentence *s)
{
    if (corenlp_has_tree(d, s)) {
        StrBuf tree = { 0 };
        corenlp_tree(&tree, s, d->asked->one_line);
        json_take(out, "parse", &tree);
    }
    if (d->asked->arcs && corenlp_arc(s, 0).relation) put_arcs(out, s);
}

/* A number of lal's own, of which LAL_NONE says that it is not known. */
static void put_known(StrBuf *out, const char *key, double value)
{
    if (value >= 0) json_real(out, key, "%.4g", value);
}

static void put_best(StrBuf *out, const CoreDocument *d, const LalSentence *s)
{
    json_array(out, "kBest");
    for (int k = 0; k < s->n_best; k++) {
        json_object(out, NULL);
        json_real(out, "score", "%.3f", s->best[k].score);
        put_known(out, "p", s->best[k].probability);
        put_parse(out, d, &s->best[k]);
        json_object_end(out);
    }
    json_array_end(out);
}

static void put_confidence(StrBuf *out, const LalSentence *s)
{
    json_object(out, "confidence");
    put_known(out, "p_tree", s->p_tree);
    put_known(out, "expected_f1", s->expected_f1);
    put_known(out, "calibrated_f1", s->calibrated_f1);
    put_known(out, "expected_las", s->expected_las);
    json_object_end(out);
}

static void put_sentence(StrBuf *out, const CoreDocument *d, const LalSentence *s, const LalToken *const *tokens,
                         int index)
{
    json_object(out, NULL);
    json_long(out, "index", index);
    if (d->asked->lines) json_long(out, "line", s->line);
    put_parse(out, d, s);
    if (d->asked->arcs && s->n_enhanced) put_graphs(out, s);
    if (s->n_best) put_best(out, d, s);
    if (d->asked->options.confidence) put_confidence(out, s);
    json_array(out, "tokens");
    for (int w = 0; w < s->n_tokens; w++) put_token(out, d, tokens, s->first_token + (size_t)w, w);
    json_array_end(out);
    json_object_end(out);
}

void corenlp_json(StrBuf *out, const CoreDocument *document)
{
    StrBuf json = { .compact = true };
    const LalToken **tokens = corenlp_tokens(document->result);
    json.failed = !tokens;
    json_object(&json, NULL);
    if (document->asked->with_text) json_view(&json, "text", document->text);
    json_array(&json, "sentences");
    int index = 0;
    for (size_t k = 0; k < document->result->n_sentences && tokens; k++)
        if (document->result->sentences[k].n_tokens)
            put_sentence(&json, document, &document->result->sentences[k], tokens, index++);
    json_array_end(&json);
    json_object_end(&json);
    if (document->asked->compact) strbuf_add(out, json.ptr ? json.ptr : "", json.len);
    else answer_indent(out, json.ptr ? json.ptr : "", json.len);
    out->failed |= json.failed;
    strbuf_fini(&json);
    mem_free(tokens);
}

/* ---- CoNLL: index, word, lemma, tag, named entity, head, relation */

void corenlp_conll(StrBuf *out, const CoreDocument *document)
{
    for (size_t k = 0; k < document->result->n_sentences; k++) {
        const LalSentence *s = &document->result->sentences[k];
        for (int w = 0; w < s->n_tokens; w++) {
            const LalToken *t = &s->tokens[w];
            CoreArc arc = corenlp_arc(s, w);
            strbuf_printf(out, "%d\t%s\t%s\t%s\t_\t", w + 1, t->form,
                          document->asked->lemma && t->lemma ? t->lemma : "_", t->tag ? corenlp_tag(t) : "_");
            if (document->asked->arcs && arc.relation) strbuf_printf(out, "%d\t%s\n", arc.head + 1, arc.relation);
            else strbuf_puts(out, "_\t_\n");
        }
        if (s->n_tokens) strbuf_putc(out, '\n');
    }
}

/* ---- the answer */

static bool put_conllu(LalParser *p, StrView text, Answer *a)
{
    LalError error;
    a->type = TYPE_TEXT;
    return lal_parse_text_as(p, text.ptr, text.len, "conllu", answer_append, &a->body, &error) == LAL_OK ||
           answer_error(a, &error);
}

static bool put_result(const CoreDocument *d, Answer *a)
{
    static const struct {
        void (*put)(StrBuf *out, const CoreDocument *d);
        const char *type;
    } formats[] = { [CORE_JSON] = { corenlp_json, TYPE_JSON },
                    [CORE_SERIALIZED] = { corenlp_protobuf, "application/x-protobuf" },
                    [CORE_CONLL] = { corenlp_conll, TYPE_TEXT } };
    formats[d->asked->format].put(&a->body, d);
    a->type = formats[d->asked->format].type;
    return !a->body.failed || answer_refuse(a, 500, "out of memory for the answer");
}

static bool analyse(const Job *j, CoreRequest *r, StrView text, Answer *a)
{
    LalError error;
    bool network = r->pos || r->format == CORE_CONLLU;
    LalParser *p = network ? job_parser(j, r->model, &r->options, a) : NULL;
    if (network && !p) return false;
    if (r->format == CORE_CONLLU) return put_conllu(p, text, a);
    if (!p) answer_by(a, &j->models[r->model]);
    LalResult *result = p ? lal_parse_text(p, text.ptr, text.len, &error)
                          : lal_split_text(j->models[r->model].model, &r->options, text.ptr, text.len, &error);
    if (!result) return answer_error(a, &error);
    bool good = put_result(&(CoreDocument){ text, result, r }, a);
    lal_result_free(result);
    return good;
}

/* JSON is no text, whatever its type says; a text that somebody calls JSON is one. */
static bool is_json(const Job *j)
{
    size_t at = 0;
    while (at < j->body.len && strchr(" \t\r\n", j->body.ptr[at])) at++;
    return parameters_type_is(j->type, "application/json") && at < j->body.len && strchr("{[", j->body.ptr[at]);
}

void corenlp_answer(const Job *job, Answer *answer)
{
    CoreRequest r;
    StrView text;
    answer->status = 200;
    if (is_json(job)) {
        answer_refuse(answer, 400, "found JSON, expected a text; POST /v1/parse takes JSON");
        return;
    }
    if (!read_request(job, &r, answer)) return;
    if (r.timeout) job->limit(job->stop_context, r.timeout);
    if (job_utf8(job, true, job->o->parse.invalid, &text, answer) && job_size(job, text, r.options.k_best, answer))
        analyse(job, &r, text, answer);
}
