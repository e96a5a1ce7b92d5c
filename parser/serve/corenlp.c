/* parser/serve/corenlp.c: property maps read, texts parsed; JSON and CoNLL */
#include "parser/serve/corenlp.h"

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

#define ANNOTATORS "tokenize, ssplit, mwt, pos, lemma, parse, depparse"

static bool read_annotators(const Job *j, const Parameters *p, CoreRequest *to, Answer *a)
{
    const char *list = parameters_get(p, "annotators");
    StrView name;
    StrBuf unknown = { 0 };
    for (const char *at = list ? list : ANNOTATORS; next_name(&at, &name);) {
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

static bool read_format(const Parameters *p, CoreRequest *to, Answer *a)
{
    static const char *const names[] = { "json", "serialized", "conllu", "conll" }; /* as in CoreFormat */
    const char *name = parameters_get(p, "outputFormat"), *tree = parameters_get(p, "output.constituencyTree");
    size_t k = 0;
    while (name && k < sizeof names / sizeof *names && strcasecmp(name, names[k]) != 0) k++;
    if (k == sizeof names / sizeof *names)
        return answer_refuse(a, 400, "outputFormat: found %s, expected json, serialized, conllu or conll", name);
    to->format = (CoreFormat)k;
    to->one_line = tree && strcmp(tree, "oneline") == 0;
    if (tree && !to->one_line && strcmp(tree, "penn") != 0)
        return answer_refuse(a, 400, "output.constituencyTree: found %s, expected penn or oneline", tree);
    to->compact = parameters_get(p, "output.prettyPrint") && !parameters_true(p, "output.prettyPrint");
    to->with_text = parameters_true(p, "output.includeText");
    to->code_points = parameters_true(p, "tokenize.codepoint");
    return true;
}

/* Where sentences and tokens end. */
static void read_splits(const Parameters *p, CoreRequest *to)
{
    const char *breaks = parameters_get(p, "ssplit.newlineIsSentenceBreak");
    bool given = parameters_true(p, "tokenize.pretokenized");
    if (breaks) to->options.newlines = strcmp(breaks, "always") == 0 ? LAL_NEWLINES_SENTENCE : LAL_NEWLINES_SPACE;
    to->lines = parameters_true(p, "ssplit.eolonly");
    if (parameters_true(p, "ssplit.isOneSentence")) to->options.sentences = LAL_SENTENCES_ALL;
    if (to->lines || given) to->options.sentences = LAL_SENTENCES_LINE;
    if (given || parameters_true(p, "tokenize.whitespace")) to->options.tokens = LAL_TOKENS_SPACE;
}

static bool read_rest(const Job *j, const Parameters *p, CoreRequest *to, Answer *a)
{
    static const char known[] = "annotators outputFormat output.constituencyTree output.prettyPrint output.includeText "
                                "tokenize.codepoint ssplit.newlineIsSentenceBreak ssplit.eolonly ssplit.isOneSentence "
                                "tokenize.whitespace tokenize.pretokenized tokenize.language pipelineLanguage timeout "
                                "date serializer encoding inputFormat resetDefault properties props prettyPrint model "
                                "treebank parse.kbest confidence";
    const char *language = parameters_get(p, "pipelineLanguage"), *input = parameters_get(p, "inputFormat"),
               *timeout = parameters_get(p, "timeout");
    if (language && *language && !text_among(language, "en english default En English EN ENGLISH"))
        return answer_refuse(a, 400, "Invalid language: '%.*s'", utf8_first(language, 60), language);
    if (input && strcasecmp(input, "text") != 0)
        return answer_refuse(a, 501, "inputFormat: found %.*s, expected text", utf8_first(input, 60), input);
    if (timeout) {
        char *end;
        to->timeout = strtol(timeout, &end, 10);
        if (*end || to->timeout <= 0)
            return answer_refuse(a, 400, "timeout: found %.*s, expected milliseconds", utf8_first(timeout, 60),
                                 timeout);
    }
    if (!answer_k_best(p, "parse.kbest", &to->options.k_best, a)) return false;
    if (to->options.k_best == 1) to->options.k_best = 0;
    to->options.confidence = parameters_true(p, "confidence");
    to->model = job_model(j, parameters_get(p, "model"));
    if (to->model < 0)
        return answer_refuse(a, 400, "model: found %s, expected one of GET /models", parameters_get(p, "model"));
    to->options.treebank = parameters_get(p, "treebank");
    for (int k = 0; k < p->n; k++)
        if (!text_among(p->item[k].name, known)) ignore(a, (StrView){ p->item[k].name, strlen(p->item[k].name) });
    return true;
}

/* Leaves out what the format has no place for, and what needs annotators that are not asked for. */
static void drop_unused(CoreRequest *to, Answer *a)
{
    LalOptions *o = &to->options;
    if (o->k_best && (to->format == CORE_CONLL || !to->parse)) {
        ignore(a, (StrView){ "parse.kbest", sizeof "parse.kbest" - 1 });
        o->k_best = 0;
    }
    if (o->confidence && (to->format == CORE_CONLL || to->format == CORE_SERIALIZED || !to->arcs)) {
        ignore(a, (StrView){ "confidence", sizeof "confidence" - 1 });
        o->confidence = 0;
    }
}

static bool read_request(const Job *j, CoreRequest *to, Answer *a)
{
    Parameters p = { .arena = j->arena };
    Error e = { 0 };
    for (int k = 0; k < j->query->n && e.code == OK; k++) {
        const Parameter *x = &j->query->item[k];
        parameters_add(&p, x->name, x->value, strlen(x->value), &e);
    }
    const char *map = parameters_get(j->query, "properties");
    if (!map) map = parameters_get(j->query, "props");
    if (map && e.code == OK) parameters_map(&p, map, &e);
    if (e.code != OK) return answer_status(a, &e);
    *to = (CoreRequest){ .options = j->o->parse };
    read_splits(&p, to);
    if (!read_format(&p, to, a) || !read_rest(j, &p, to, a) || !read_annotators(j, &p, to, a)) return false;
    drop_unused(to, a);
    return true;
}

/* ---- what several formats need */

CoreArc corenlp_arc(const LalSentence *s, int w)
{
    const LalToken *t = &s->tokens[w];
    CoreArc arc = t->ud_relation ? (CoreArc){ t->ud_head, t->ud_relation } : (CoreArc){ t->head, t->type };
    if (arc.relation && arc.head == LAL_NONE) arc.relation = "ROOT";
    return arc;
}

bool corenlp_has_tree(const CoreDocument *d, const LalSentence *s)
{
    return d->asked->parse && s->tokens[0].tag && s->n_phrases;
}

const LalToken **corenlp_tokens(const LalResult *r)
{
    const LalToken **all = mem_alloc(r->n_tokens + 1, sizeof *all);
    size_t n = 0;
    for (size_t k = 0; k < r->n_sentences && all; k++)
        for (int w = 0; w < r->sentences[k].n_tokens; w++) all[n++] = &r->sentences[k].tokens[w];
    return all;
}

StrView corenlp_between(const CoreDocument *d, const LalToken *const *tokens, size_t n, size_t k)
{
    size_t from = k ? tokens[k - 1]->end : 0, to = k < n ? tokens[k]->begin : d->text.len;
    return (StrView){ d->text.ptr + from, to > from ? to - from : 0 };
}

const char *corenlp_tag(const LalToken *t) { return t->tag && t->upos && strcmp(t->tag, "_") == 0 ? t->upos : t->tag; }

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
void corenlp_tree(StrBuf *out, const LalSentence *s, bool one_line)
{
    int open = LAL_NONE, next = 0, depth = 0;
    bool stays = true; /* a tag with its word, but a CC that is no first child */
    bool first = true;
    strbuf_puts(out, "(ROOT");
    for (int w = 0; w < s->n_tokens; w++) {
        for (; next < s->n_phrases && s->phrases[next].begin == w; next++) {
            put_break(out, ++depth, one_line);
            strbuf_printf(out, "(%s", s->phrases[next].label);
            open = next;
            stays = first = true;
        }
        bool cc = strncmp(s->tokens[w].tag, "CC", 2) == 0;
        if (stays && (first || !cc)) strbuf_putc(out, ' ');
        else put_break(out, depth + 1, one_line);
        put_leaf(out, &s->tokens[w]);
        stays = !cc;
        first = false;
        for (; open != LAL_NONE && s->phrases[open].end == w + 1; open = s->phrases[open].parent, depth--) {
            strbuf_putc(out, ')');
            stays = false;
        }
    }
    strbuf_putc(out, ')');
}

/* ---- JSON */

static void json_size(StrBuf *out, const char *key, size_t n) { json_long(out, key, (long)n); }

static void put_arc(StrBuf *out, const LalSentence *s, int w)
{
    CoreArc arc = corenlp_arc(s, w);
    json_object(out, NULL);
    json_string(out, "dep", arc.relation);
    json_long(out, "governor", arc.head + 1);
    json_string(out, "governorGloss", arc.head == LAL_NONE ? "ROOT" : s->tokens[arc.head].form);
    json_long(out, "dependent", w + 1);
    json_string(out, "dependentGloss", s->tokens[w].form);
    json_object_end(out);
}

static void put_arcs(StrBuf *out, const LalSentence *s)
{
    json_array(out, "basicDependencies");
    for (int root = 1; root >= 0; root--)
        for (int w = 0; w < s->n_tokens; w++)
            if ((corenlp_arc(s, w).head == LAL_NONE) == root) put_arc(out, s, w);
    json_array_end(out);
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
        json_view(out, "parse", (StrView){ tree.ptr, tree.len });
        out->failed |= tree.failed;
        strbuf_fini(&tree);
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
    if (s->n_best) put_best(out, d, s);
    if (d->asked->options.confidence) put_confidence(out, s);
    json_array(out, "tokens");
    for (int w = 0; w < s->n_tokens; w++) put_token(out, d, tokens, s->first_token + (size_t)w, w);
    json_array_end(out);
    json_object_end(out);
}

void corenlp_json(StrBuf *out, const CoreDocument *d)
{
    StrBuf json = { .compact = true };
    const LalToken **tokens = corenlp_tokens(d->result);
    json.failed = !tokens;
    json_object(&json, NULL);
    if (d->asked->with_text) json_view(&json, "text", d->text);
    json_array(&json, "sentences");
    int index = 0;
    for (size_t k = 0; k < d->result->n_sentences && tokens; k++)
        if (d->result->sentences[k].n_tokens) put_sentence(&json, d, &d->result->sentences[k], tokens, index++);
    json_array_end(&json);
    json_object_end(&json);
    if (d->asked->compact) strbuf_add(out, json.ptr ? json.ptr : "", json.len);
    else answer_indent(out, json.ptr ? json.ptr : "", json.len);
    out->failed |= json.failed;
    strbuf_fini(&json);
    mem_free(tokens);
}

/* ---- CoNLL: index, word, lemma, tag, named entity, head, relation */

void corenlp_conll(StrBuf *out, const CoreDocument *d)
{
    for (size_t k = 0; k < d->result->n_sentences; k++) {
        const LalSentence *s = &d->result->sentences[k];
        for (int w = 0; w < s->n_tokens; w++) {
            const LalToken *t = &s->tokens[w];
            CoreArc arc = corenlp_arc(s, w);
            strbuf_printf(out, "%d\t%s\t%s\t%s\t_\t", w + 1, t->form, d->asked->lemma && t->lemma ? t->lemma : "_",
                          t->tag ? corenlp_tag(t) : "_");
            if (d->asked->arcs && arc.relation) strbuf_printf(out, "%d\t%s\n", arc.head + 1, arc.relation);
            else strbuf_puts(out, "_\t_\n");
        }
        if (s->n_tokens) strbuf_putc(out, '\n');
    }
}

/* ---- the answer */

static int append(void *context, const char *bytes, size_t size)
{
    StrBuf *out = context;
    strbuf_add(out, bytes, size);
    return out->failed;
}

static bool put_conllu(LalParser *p, StrView text, Answer *a)
{
    LalError error;
    a->type = TYPE_TEXT;
    return lal_parse_text_as(p, text.ptr, text.len, "conllu", append, &a->body, &error) == LAL_OK ||
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
    r->options.stop = j->stop;
    r->options.stop_context = j->stop_context;
    LalParser *p = network ? job_parser(j, r->model, &r->options, a) : NULL;
    if (network && !p) return false;
    if (r->format == CORE_CONLLU) return put_conllu(p, text, a);
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

void corenlp_answer(const Job *j, Answer *a)
{
    CoreRequest r;
    StrView text;
    a->status = 200;
    if (is_json(j)) {
        answer_refuse(a, 400, "found JSON, expected a text; POST /v1/parse takes JSON");
        return;
    }
    if (!read_request(j, &r, a)) return;
    if (r.timeout) j->limit(j->stop_context, r.timeout);
    if (job_utf8(j, true, &text, a) && job_size(j, text, r.options.k_best, a)) analyse(j, &r, text, a);
}
