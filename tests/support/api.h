/* The public library with a trained toy model, and its results as text. */
#pragma once

#include "api/api.h"
#include "tests/support/parsing.h"

FREES(LalModel, lal_model_free)
FREES(LalParser, lal_parser_free)
FREES(LalResult, lal_result_free)

static const char TEXT[] = "The dog sees a caf\xc3\xa9 (so it sleeps). It doesn't read!\n\nThe king likes\nthe river.";

typedef struct Fixture {
    Bench b;
    LalModel *model;
    LalParser *parser;
    LalOptions o; /* the defaults, for calls of the test */
    LalError e;
} Fixture;

static inline void fixture_init(Fixture *f)
{
    lal_options_init(&f->o, sizeof f->o);
    bench_init(&f->b, 40);
    MADE(Model, toy_model, model_fini, m, &f->b);
    f->model = lal_model_load(in(&f->b, "a"), &f->e);
    assert_non_null(f->model);
    f->parser = lal_parser_new(f->model, NULL, &f->e);
    assert_non_null(f->parser);
    assert_int_equal(f->e.code, LAL_OK);
    assert_string_equal(f->e.message, "");
}

static inline void fixture_fini(Fixture *f)
{
    lal_model_free(f->model); /* before the parser that needs it */
    lal_parser_free(f->parser);
    bench_fini(&f->b);
}

/* Counts the sentences that it is given: for lal_parse_text_each. */
static inline int count(void *context, const LalSentence *s)
{
    (void)s;
    ++*(int *)context;
    return 0;
}

/* Each phrase lies in its parent, after the ones before it; each token in the smallest that has it. */
static inline void assert_linked(const LalSentence *s)
{
    int children = 0;
    for (int k = 0; k < s->n_phrases; k++) {
        const LalPhrase *x = &s->phrases[k];
        assert_true(x->begin < x->end && x->end <= s->n_tokens && x->label[0]);
        assert_int_equal(x->parent == LAL_NONE, k == 0);
        if (x->parent != LAL_NONE) {
            const LalPhrase *up = &s->phrases[x->parent];
            assert_true(x->parent < k && up->begin <= x->begin && x->end <= up->end);
        }
        int before = x->begin;
        for (int c = x->first_child; c != LAL_NONE; c = s->phrases[c].next, children++) {
            assert_int_equal(s->phrases[c].parent, k);
            assert_true(s->phrases[c].begin >= before);
            before = s->phrases[c].end;
        }
    }
    assert_int_equal(children, s->n_phrases ? s->n_phrases - 1 : 0);
    for (int w = 0; w < s->n_tokens; w++) {
        int smallest = LAL_NONE;
        for (int k = 0; k < s->n_phrases; k++)
            if (s->phrases[k].begin <= w && w < s->phrases[k].end) smallest = k;
        assert_int_equal(s->tokens[w].phrase, smallest);
    }
}

/* Lemmas, features and Universal Dependencies are those of a tree, whatever a toy model decides. */
static inline void assert_ud(const LalSentence *s)
{
    int roots = 0, next = 0;
    for (int w = 0; w < s->n_tokens; w++) {
        const LalToken *x = &s->tokens[w];
        assert_non_null(x->upos);
        assert_non_null(x->feats);
        assert_true(x->ud_head >= LAL_NONE && x->ud_head < s->n_tokens && x->ud_head != w);
        assert_int_equal(strcmp(x->ud_relation, "root") == 0, x->ud_head == LAL_NONE);
        assert_true(x->ud_probability > 0 && x->ud_probability <= 1);
        if (x->ud_head == x->head) assert_true(x->ud_probability == x->probability);
        assert_int_equal(strcmp(x->ud_relation, "goeswith") == 0, x->lemma == NULL);
        roots += x->ud_head == LAL_NONE;
    }
    assert_int_equal(roots, s->n_tokens > 0);
    int token = -1;
    for (int k = 0; k < s->n_enhanced; k++) {
        const LalArc *x = &s->enhanced[k];
        assert_true(x->token == token || x->token == token + 1);
        assert_true(x->head >= LAL_NONE && x->head < s->n_tokens && x->head != x->token);
        token = x->token;
    }
    assert_int_equal(token, s->n_enhanced ? s->n_tokens - 1 : -1);
    for (int k = 0; k < s->n_multiwords; k++) {
        const LalMultiword *m = &s->multiwords[k];
        size_t at = 0;
        assert_true(m->begin >= next && m->end > m->begin + 1 && m->end <= s->n_tokens);
        for (; next < m->begin; next++) assert_int_equal(s->tokens[next].multiword, LAL_NONE);
        for (; next < m->end; at += strlen(s->tokens[next++].form)) {
            assert_int_equal(s->tokens[next].multiword, k);
            assert_memory_equal(m->form + at, s->tokens[next].form, strlen(s->tokens[next].form));
        }
        assert_int_equal(strlen(m->form), at);
    }
    for (; next < s->n_tokens; next++) assert_int_equal(s->tokens[next].multiword, LAL_NONE);
}

static inline void assert_sentence(const LalSentence *s, const char *text, size_t first_token)
{
    int roots = 0;
    assert_int_equal(s->first_token, first_token);
    for (int w = 0; w < s->n_tokens; w++) {
        const LalToken *x = &s->tokens[w];
        if (text) {
            assert_int_equal(x->end - x->begin, strlen(x->form));
            assert_memory_equal(text + x->begin, x->form, strlen(x->form));
        }
        assert_non_null(x->tag);
        assert_non_null(x->type);
        assert_true(x->head >= LAL_NONE && x->head < s->n_tokens && x->head != w);
        assert_true(x->probability > 0 && x->probability <= 1);
        roots += x->head == LAL_NONE;
    }
    assert_int_equal(roots, s->n_tokens > 0);
    assert_linked(s);
    assert_ud(s);
}

static inline void put_sentence(StrBuf *out, const LalSentence *s)
{
    strbuf_printf(out, "%zu line %ld%s score %.3f pieces %d", s->first_token, s->line, s->new_paragraph ? "*" : "",
                  s->score, s->pieces);
    for (int k = 0; k < s->n_phrases; k++)
        strbuf_printf(out, " %d-%d %s", s->phrases[k].begin, s->phrases[k].end, s->phrases[k].label);
    for (int w = 0; w < s->n_tokens; w++) {
        const LalToken *x = &s->tokens[w];
        strbuf_printf(out, " %zu-%zu %s/%s %d %s %.4f", x->begin, x->end, x->form, x->tag, x->head, x->type,
                      x->probability);
        strbuf_printf(out, " %s %s %s %d %s %d", x->lemma ? x->lemma : "", x->upos, x->feats, x->ud_head,
                      x->ud_relation, x->multiword);
    }
    for (int k = 0; k < s->n_multiwords; k++) strbuf_printf(out, " %s", s->multiwords[k].form);
    for (int k = 0; k < s->n_enhanced; k++)
        strbuf_printf(out, " %d>%d %s", s->enhanced[k].token, s->enhanced[k].head, s->enhanced[k].relation);
    strbuf_putc(out, '\n');
}

static inline void put_result(StrBuf *out, const LalResult *r)
{
    for (size_t k = 0; k < r->n_sentences; k++) put_sentence(out, &r->sentences[k]);
}
