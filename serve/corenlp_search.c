/* Each sentence is an object whose members are the matches by their numbers, "0", "1", ... */
#include "serve/corenlp_search.h"

#include <stdio.h>

#include "base/json_writer.h"
#include "serve/corenlp.h"
#include "serve/matches.h"

/* What is written, match by match. */
typedef struct Writing {
    Matches m;
    StrBuf json;
    const CoreRequest *asked;
    const CoreGiven *given; /* whose trees are searched; NULL: those of a parse are */
} Writing;

static bool begin(Writing *x, const Job *j, const CoreRequest *asked, LalPatternOptions options, Answer *a)
{
    *x = (Writing){ .json = { .compact = true }, .asked = asked };
    if (!matches_init(&x->m, j, asked->pattern, options, a)) return false;
    json_object(&x->json, NULL);
    json_array(&x->json, "sentences");
    return true;
}

/* Answers, unless the answer is refused. */
static bool end(Writing *x)
{
    bool good = x->m.a->status == 200;
    json_array_end(&x->json);
    json_object_end(&x->json);
    if (good) answer_json(x->m.a, "application/json", &x->json);
    strbuf_fini(&x->json);
    matches_fini(&x->m);
    return good;
}

static void begin_match(StrBuf *out, int k)
{
    char key[16];
    snprintf(key, sizeof key, "%d", k);
    json_object(out, key);
}

/* Is there room for it, also with blanks? */
static bool end_match(Writing *x)
{
    json_object_end(&x->json);
    return matches_go_on(&x->m, 3 * x->json.len);
}

/* ---- trees */

static void put_offset(Writing *x, const char *end, size_t utf16, size_t character)
{
    char key[32];
    snprintf(key, sizeof key, "characterOffset%s", end);
    json_long(&x->json, key, (long)utf16);
    snprintf(key, sizeof key, "codepointOffset%s", end);
    if (x->asked->code_points) json_long(&x->json, key, (long)character);
}

/* The words of a sentence of the request, if they are those of its tree and have places; NULL: they are not. */
static const GivenPlace *places_of(const CoreGiven *given, const LalFound *found)
{
    size_t k = found->sentence;
    if (!given || !given->placed || k >= (size_t)given->n_sentences || given->sentences[k].n != found->n_words)
        return NULL;
    return given->places + (given->sentences[k].words - given->sentences[0].words);
}

static bool put_node(Writing *x, const LalFound *found, const LalNode *n)
{
    LalError error;
    StrBuf tree = { 0 };
    const GivenPlace *places = places_of(x->given, found);
    char *lines = lal_search_tree(x->m.pattern, n->node, 1, &error);
    if (!lines) return matches_error(&x->m, &error);
    strbuf_printf(&tree, "%s\n", lines);
    lal_string_free(lines);
    const GivenPlace *first = places ? &places[n->begin] : NULL, *last = places ? &places[n->end - 1] : NULL;
    if (places || n->end_utf16) {
        put_offset(x, "Begin", places ? first->begin_utf16 : n->begin_utf16,
                   places ? first->begin_char : n->begin_char);
        put_offset(x, "End", places ? last->end_utf16 : n->end_utf16, places ? last->end_char : n->end_char);
    }
    json_take(&x->json, "match", &tree);
    json_view(&x->json, "spanString",
              places ? (StrView){ x->given->text.ptr + first->begin, last->end - first->begin } : text_view(n->text));
    return true;
}

static bool put_tree_match(Writing *x, const LalFound *found, const LalMatch *match, int k)
{
    StrBuf *out = &x->json;
    begin_match(out, k);
    json_long(out, "sentIndex", (long)found->sentence);
    if (!put_node(x, found, &match->node)) return false;
    json_array(out, "namedNodes");
    for (int i = 0; i < match->n_named; i++) {
        json_object(out, NULL);
        json_object(out, match->named[i].name);
        if (!put_node(x, found, &match->named[i])) return false;
        json_object_end(out);
        json_object_end(out);
    }
    json_array_end(out);
    return end_match(x);
}

static void put_trees(Writing *x)
{
    const LalFound *found;
    while ((found = matches_next(&x->m))) {
        json_object(&x->json, NULL);
        for (int k = 0; k < found->n_matches; k++)
            if (!put_tree_match(x, found, &found->matches[k], k)) return;
        json_object_end(&x->json);
    }
}

static const LalPatternOptions TREE_OPTIONS = { .kind = LAL_PATTERN_TREGEX, .top = "ROOT" };

static bool tregex(const Job *j, const CoreDocument *d, Answer *a)
{
    Writing x;
    LalError error;
    if (!begin(&x, j, d->asked, TREE_OPTIONS, a)) return end(&x);
    if (lal_search_sentences(x.m.pattern, d->result->sentences, d->result->n_sentences, &error) == LAL_OK)
        put_trees(&x);
    else matches_error(&x.m, &error);
    return end(&x);
}

/* Searches the trees that the request has. false: it has none, and nothing is wrong with them. */
static bool search_given_trees(const Job *j, const CoreRequest *asked, Answer *a)
{
    Writing x;
    LalError error;
    CoreGiven given;
    StrBuf trees = { 0 };
    bool good = corenlp_given_trees(j, &trees, a), some = trees.len > 0;
    if (good && some) good = corenlp_given_read(j, asked->options.invalid, &given, a);
    if (good && some) {
        if (begin(&x, j, asked, TREE_OPTIONS, a)) {
            x.given = &given;
            if (lal_search_text(x.m.pattern, trees.ptr, trees.len, "brackets", &error) == LAL_OK) put_trees(&x);
            else matches_error(&x.m, &error);
        }
        end(&x);
    }
    strbuf_fini(&trees);
    return !good || some;
}

/* ---- graphs */

static void put_word(StrBuf *out, const LalNode *n)
{
    json_string(out, "text", n->text);
    json_long(out, "begin", n->begin);
    json_long(out, "end", n->end);
}

static bool put_graph_match(Writing *x, const LalMatch *match, int k)
{
    StrBuf *out = &x->json, name = { 0 };
    begin_match(out, k);
    put_word(out, &match->node);
    for (int i = 0; i < match->n_named; i++) {
        strbuf_clear(&name);
        strbuf_printf(&name, "$%s", match->named[i].name);
        json_object(out, name.ptr ? name.ptr : "");
        put_word(out, &match->named[i]);
        json_object_end(out);
    }
    out->failed |= name.failed;
    strbuf_fini(&name);
    return end_match(x);
}

static bool put_graph_matches(Writing *x, const LalFound *found)
{
    int n = 0, last = LAL_NONE; /* matches of a word follow one another */
    json_object(&x->json, NULL);
    for (int k = 0; k < found->n_matches; k++) {
        const LalMatch *match = &found->matches[k];
        if (x->asked->unique && n && match->node.token == last) continue;
        last = match->node.token;
        if (!put_graph_match(x, match, n++)) return false;
    }
    json_long(&x->json, "length", n);
    json_object_end(&x->json);
    return true;
}

/* Does the pattern match at the first root? */
static bool matches_root(const LalFound *found, const LalSentence *s)
{
    int root = 0;
    while (root < s->n_tokens && corenlp_arc(s, root).head != LAL_NONE) root++;
    for (int k = 0; k < found->n_matches; k++)
        if (found->matches[k].node.token == root) return true;
    return false;
}

static bool semgrex(const Job *j, const CoreDocument *d, Answer *a)
{
    Writing x;
    LalError error;
    const LalFound *found;
    LalPatternOptions options = { .kind = LAL_PATTERN_SEMGREX, .graph = d->asked->graph, .repeats = 1 };
    if (!begin(&x, j, d->asked, options, a)) return end(&x);
    if (lal_search_sentences(x.m.pattern, d->result->sentences, d->result->n_sentences, &error) != LAL_OK)
        matches_error(&x.m, &error);
    else
        while ((found = matches_next(&x.m)))
            if (d->asked->filter) json_bool(&x.json, NULL, matches_root(found, &d->result->sentences[found->sentence]));
            else if (!put_graph_matches(&x, found)) break;
    return end(&x);
}

/* ---- requests */

/* Refuses what has no pattern, or not the annotators for it; true: the request is answered. */
static bool refuse_wrong(CoreRequest *asked, bool parses, const char *annotator, Answer *a)
{
    asked->format = CORE_JSON;
    if (!asked->pattern) return !answer_refuse(a, 400, "Missing required parameter 'pattern'");
    return !parses && !answer_refuse(a, 400, "annotators: found no %s, which the pattern needs", annotator);
}

static bool before_tregex(const Job *j, CoreRequest *asked, Answer *a)
{
    return refuse_wrong(asked, asked->parse, "parse", a) || (asked->serialized && search_given_trees(j, asked, a));
}

static bool before_semgrex(const Job *j, CoreRequest *asked, Answer *a)
{
    static const char *const formats[] = { [CORE_CONLLU] = "CONLLU",
                                           [CORE_CONLL] = "CONLL",
                                           [CORE_TEXT] = "TEXT",
                                           [CORE_XML] = "XML",
                                           [CORE_SERIALIZED] = "SERIALIZED" };
    (void)j;
    if (asked->pattern && asked->format != CORE_JSON)
        return !answer_refuse(a, 400, "Interface semgrex does not handle output format %s", formats[asked->format]);
    return refuse_wrong(asked, asked->arcs, "depparse", a);
}

void corenlp_search_tregex(const Job *job, Answer *answer)
{
    static const CorePath path = { CORENLP_SEARCH_TABLES, before_tregex, tregex };
    corenlp_run(job, &path, answer);
}

void corenlp_search_semgrex(const Job *job, Answer *answer)
{
    static const CorePath path = { CORENLP_SEARCH_TABLES, before_semgrex, semgrex };
    corenlp_run(job, &path, answer);
}
