/* Sentences as CoreNLP's JSON has them */
#include "base/json_writer.h"
#include "serve/corenlp.h"

static void json_size(StrBuf *out, const char *key, size_t n) { json_long(out, key, (long)n); }

static void put_arc(StrBuf *out, const LalSentence *s, int w, CoreArc arc)
{
    json_record(out, NULL, "dep: %s, governor: %d, governorGloss: %s, dependent: %d, dependentGloss: %s", arc.relation,
                arc.head + 1, arc.head == LAL_NONE ? "ROOT" : s->tokens[arc.head].form, w + 1, s->tokens[w].form);
}

static void put_arcs(StrBuf *out, const LalSentence *s)
{
    json_array(out, "basicDependencies");
    corenlp_each_arc(out, s, false, put_arc);
    json_array_end(out);
}

/* The graph has what CoreNLP calls enhanced++ and is given under both names. */
static void put_graphs(StrBuf *out, const LalSentence *s)
{
    static const char *const names[] = { "enhancedDependencies", "enhancedPlusPlusDependencies" };
    for (int name = 0; name < 2; name++) {
        json_array(out, names[name]);
        corenlp_each_arc(out, s, true, put_arc);
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
