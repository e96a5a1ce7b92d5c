/* The public library: what a text is, its places, options by call, stopping, formats. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>

#include "explain/fast/why.h"
#include "parser/model/soft.h"
#include "parser/output/output.h"
#include "parser/parse/soft_parse.h"
#include "treebank/conll.h"
#include "tests/support/api.h"

/* The sentences of a text: tokens apart by blanks, sentences by " | ". */
static void put_split(StrBuf *out, const LalResult *r)
{
    strbuf_clear(out);
    for (size_t k = 0; k < r->n_sentences; k++) {
        if (k) strbuf_puts(out, " | ");
        for (int w = 0; w < r->sentences[k].n_tokens; w++)
            strbuf_printf(out, "%s%s", w ? " " : "", r->sentences[k].tokens[w].form);
    }
    if (!out->ptr) strbuf_puts(out, "");
}

TEST(sentences_and_tokens_are_found_or_given)
{
    static const char text[] = "It rains . Stay in!\nNo (or\nyes) end .\n\n**Bold**";
    static const struct {
        int sentences, tokens;
        const char *want;
    } cases[] = {
        { LAL_SENTENCES_FIND, LAL_TOKENS_FIND, "It rains . | Stay in ! | No ( or yes ) end . | Bold" },
        { LAL_SENTENCES_LINE, LAL_TOKENS_FIND, "It rains . Stay in ! | No ( or | yes ) end . | Bold" },
        { LAL_SENTENCES_ALL, LAL_TOKENS_FIND, "It rains . Stay in ! No ( or yes ) end . Bold" },
        { LAL_SENTENCES_FIND, LAL_TOKENS_SPACE, "It rains . | Stay in! No (or yes) end . | **Bold**" },
        { LAL_SENTENCES_LINE, LAL_TOKENS_SPACE, "It rains . Stay in! | No (or | yes) end . |  | **Bold**" },
        { LAL_SENTENCES_ALL, LAL_TOKENS_SPACE, "It rains . Stay in! No (or yes) end . **Bold**" },
    };
    MADE(Fixture, fixture_init, fixture_fini, f);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lal_options_init(&f.o, sizeof f.o);
        f.o.newlines = LAL_NEWLINES_SPACE;
        f.o.sentences = cases[k].sentences;
        f.o.tokens = cases[k].tokens;
        assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
        FREED(lal_result_free_at) LalResult *parsed = lal_parse_text(f.parser, text, sizeof text - 1, &f.e);
        FREED(lal_result_free_at)
        LalResult *split = lal_split_text(k % 2 ? f.model : NULL, &f.o, text, sizeof text - 1, &f.e);
        assert_true(parsed && split);
        put_split(test_out(), parsed);
        assert_string_equal(test_written(), cases[k].want);
        put_split(test_out(), split);
        assert_string_equal(test_written(), cases[k].want);
        assert_int_equal(split->n_tokens, parsed->n_tokens);
        for (size_t s = 0; s < split->n_sentences; s++) {
            const LalSentence *x = &split->sentences[s], *y = &parsed->sentences[s];
            assert_true(x->line == y->line && x->first_token == y->first_token && x->pieces == 1 && !x->n_phrases);
            assert_true(x->new_paragraph == y->new_paragraph && x->touches_next == y->touches_next);
            for (int w = 0; w < x->n_tokens; w++) {
                assert_true(x->tokens[w].begin == y->tokens[w].begin && x->tokens[w].end == y->tokens[w].end);
                assert_true(!x->tokens[w].tag && !x->tokens[w].type && x->tokens[w].head == LAL_NONE);
            }
        }
    }
}

TEST(learnt_multiword_tokens_are_found_without_a_parse)
{
    TOY_MODEL(b, m, 40);
    MADE(Treebank, treebank_init, treebank_fini, tb);
    FREED(strbuf_fini) StrBuf conll = { 0 };
    for (int k = 0; k < 40; k++)
        strbuf_puts(&conll, "# text = il va du lac\n1\til\t_\t_\t_\t_\t0\tr\t_\t_\n2\tva\t_\t_\t_\t_\t1\tr\t_\t_\n"
                            "3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n3\tde\t_\t_\t_\t_\t1\tr\t_\t_\n"
                            "4\tle\t_\t_\t_\t_\t1\tr\t_\t_\n5\tlac\t_\t_\t_\t_\t1\tr\t_\t_\n\n");
    assert_ok(conll_read(&tb, text_block((StrView){ conll.ptr, conll.len }, "f"),
                         (ConllOptions){ .keep_lines = true, .bare = true }, test_error()));
    m.c.language = LANGUAGE_TRAINED;
    assert_ok(trained_text_learn(&m.text, tb.s, tb.n, (TrainedTextOptions){ .bits = 14 }, test_error()));
    assert_ok(model_save(&m, in(&b, "b"), DT_F32, NULL, 0, NULL, test_error()));
    FREED(lal_model_free_at) LalModel *model = lal_model_load(in(&b, "b"), NULL);
    FREED(lal_result_free_at) LalResult *r = lal_split_text(model, NULL, "va du lac", 9, NULL);
    assert_true(r && r->n_sentences == 1);
    const LalSentence *s = r->sentences;
    assert_int_equal(s->n_tokens, 4);
    assert_int_equal(s->n_multiwords, 1);
    assert_string_equal(s->multiwords[0].form, "du");
    for (int w = 0; w < 4; w++) assert_int_equal(s->tokens[w].multiword, w == 1 || w == 2 ? 0 : LAL_NONE);
    assert_string_equal(s->tokens[2].form, "le");
    for (int w = 1; w < 3; w++) assert_true(s->tokens[w].begin_utf16 == 3 && s->tokens[w].end_utf16 == 5);
    assert_true(s->tokens[3].begin_utf16 == 6 && s->tokens[3].end_utf16 == 9);
}

TEST(a_text_of_one_sentence_is_not_read_in_windows)
{
    FREED(strbuf_fini) StrBuf text = { 0 };
    for (int k = 0; k < 30000; k++) strbuf_puts(&text, k % 50 ? "It rains. " : "It rains.\n\n");
    LalOptions o;
    lal_options_init(&o, sizeof o);
    o.sentences = LAL_SENTENCES_ALL;
    FREED(lal_result_free_at) LalResult *r = lal_split_text(NULL, &o, text.ptr, text.len, NULL);
    assert_non_null(r);
    assert_int_equal(r->n_sentences, 1);
    assert_int_equal(r->n_tokens, 90000);
}

/* Counts places of a text from its beginning. */
typedef struct Place {
    const char *text;
    size_t byte, character, utf16;
} Place;

static void advance(Place *p, size_t to)
{
    for (; p->byte < to; p->byte++) {
        unsigned char c = (unsigned char)p->text[p->byte];
        if ((c & 0xC0) == 0x80) continue;
        p->character++;
        p->utf16 += c >= 0xF0 ? 2 : 1;
    }
}

static int check_places(void *context, const LalSentence *s)
{
    Place *p = context;
    for (int w = 0; w < s->n_tokens; w++) {
        const LalToken *t = &s->tokens[w];
        advance(p, t->begin);
        assert_true(t->begin_char == p->character && t->begin_utf16 == p->utf16);
        advance(p, t->end);
        assert_true(t->end_char == p->character && t->end_utf16 == p->utf16);
    }
    return 0;
}

/* Through several windows, with joined words, markup that is left out, and a paragraph that is cut. */
TEST(places_count_bytes_characters_and_units_of_utf16)
{
    static const char *const pieces[] = { "It rains\xf0\x9f\x98\x82. ",
                                          "**Caf\xc3\xa9** \xf0\x9f\x8c\xa7 recom-\nmendations, ",
                                          "he said.\n\n> \xf0\x9f\x99\x82 quoted\n\n", "\xe4\xbb\x8a\xe5\xa4\xa9 " };
    FREED(strbuf_fini) StrBuf text = { 0 };
    for (int k = 0; k < 2000; k++) strbuf_puts(&text, pieces[(k * 7 + k / 5) % 4]);
    MADE(Fixture, fixture_init, fixture_fini, f);
    Place p = { .text = text.ptr };
    assert_int_equal(lal_parse_text_each(f.parser, text.ptr, text.len, check_places, &p, NULL), LAL_OK);
    assert_true(p.byte + 2 >= text.len && p.utf16 > p.character && p.character < p.byte);
    while (text.len < (3 << 20) / 2) strbuf_puts(&text, "\xf0\x9f\x98\x82 long. ");
    FREED(lal_result_free_at) LalResult *r = lal_split_text(NULL, &f.o, text.ptr, text.len, NULL);
    p = (Place){ .text = text.ptr };
    for (size_t k = 0; k < r->n_sentences; k++) check_places(&p, &r->sentences[k]);
    assert_int_equal(p.byte, text.len - 1);
}

TEST(options_change_between_calls)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    f.o.max_words = 2;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
    FREED(lal_result_free_at) LalResult *pieces = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, NULL);
    assert_true(pieces->sentences[0].pieces > 1);
    f.o.threads++;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_ERROR_ARGUMENT);
    assert_non_null(strstr(f.e.message, "LalOptions.threads: found 2, expected 1 to 1"));
    f.o.threads--;
    f.o.sentences = 3;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_ERROR_ARGUMENT);
    f.o.sentences = 0;
    f.o.treebank = "none";
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_ERROR_ARGUMENT);
    FREED(lal_result_free_at) LalResult *same = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, NULL);
    assert_int_equal(same->sentences[0].pieces, pieces->sentences[0].pieces);
    assert_int_equal(lal_parser_set_options(f.parser, NULL, &f.e), LAL_OK);
    FREED(lal_result_free_at) LalResult *whole = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, NULL);
    assert_int_equal(whole->sentences[0].pieces, 1);
    assert_int_equal(lal_parser_set_options(NULL, NULL, &f.e), LAL_ERROR_ARGUMENT);
}

static int count_down(void *context) { return --*(int *)context < 0; }
static int go_on(void *context, const LalSentence *s)
{
    (void)s;
    ++*(int *)context;
    return 0;
}
static int set_inside(void *context, const LalSentence *s)
{
    (void)s;
    assert_int_equal(lal_parser_set_options(context, NULL, NULL), LAL_ERROR_BUSY);
    return 1;
}

TEST(a_parse_stops_where_it_is_asked_to)
{
    int left = 2, taken = 0;
    FREED(strbuf_fini) StrBuf text = { 0 };
    for (int k = 0; k < 200; k++) strbuf_puts(&text, "It rains in the garden.\n\n");
    MADE(Fixture, fixture_init, fixture_fini, f);
    f.o.batch_tokens = 20;
    f.o.stop = count_down;
    f.o.stop_context = &left;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
    assert_null(lal_parse_text(f.parser, text.ptr, text.len, &f.e));
    assert_int_equal(f.e.code, LAL_STOPPED);
    assert_int_equal(left, -1);
    left = 3;
    assert_int_equal(lal_parse_text_each(f.parser, text.ptr, text.len, go_on, &taken, &f.e), LAL_STOPPED);
    assert_in_range(taken, 3, 9); /* three batches, of at most three sentences of six tokens */
    left = 1000;
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(f.parser, text.ptr, text.len, &f.e);
    assert_int_equal(r->n_sentences, 200);
    assert_int_equal(lal_parse_text_each(f.parser, text.ptr, text.len, set_inside, f.parser, &f.e), LAL_STOPPED);
}

/* Against the probabilities that lal parse -f soft writes. */
static Status check_soft(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    const LalResult *r = context;
    (void)d, (void)e;
    for (int k = from; k < to; k++) {
        const SoftTargets *soft = result[k].extra;
        const LalSentence *s = &r->sentences[k];
        for (int w = 0; w < s->n_tokens; w++)
            assert_within(s->tokens[w].tag_probability, (double)soft->tags.v[soft->tags.start[w]].p, 1e-6);
        for (int q = 0; q < s->n_phrases; q++) {
            double sum = 0; /* of all labels there, of which the phrase has one */
            for (int j = 0; j < soft->tree.n_spans; j++)
                if (soft->tree.spans[j].at.begin == s->phrases[q].begin &&
                    soft->tree.spans[j].at.end == s->phrases[q].end)
                    sum += (double)soft->tree.spans[j].p;
            assert_true(s->phrases[q].probability >= 0 && s->phrases[q].probability <= sum + 1e-6);
        }
    }
    return OK;
}

TEST(tags_and_phrases_have_probabilities_on_request)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    FREED(lal_result_free_at) LalResult *plain = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, &f.e);
    assert_true(plain->sentences[0].tokens[0].tag_probability == -1 &&
                plain->sentences[0].phrases[0].probability == -1);
    f.o.probabilities = 1;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, &f.e);
    double most = 0;
    for (size_t k = 0; k < r->n_sentences; k++) {
        assert_true(r->sentences[k].score == plain->sentences[k].score);
        for (int q = 0; q < r->sentences[k].n_phrases; q++) most = fmax(most, r->sentences[k].phrases[q].probability);
    }
    assert_true(most > 0.05);
    MADE(Model, load_ok, model_fini, m, in(&f.b, "a"));
    const SoftOptions soft = { .min = 1e-5, .temperature = 1, .span_temperature = 1, .treebank = m.default_treebank };
    MADE(Parser, parser_ready, parser_fini, p, &m, 1);
    p.o.observe = soft_observer(&soft);
    assert_ok(document_parse(&p, (StrView){ TEXT, sizeof TEXT - 1 }, "text", (DocumentOptions){ .large_windows = true },
                             check_soft, r, test_error()));
    static const char *const words[] = { "the", "dog" }, *const tags[] = { "A", "B" };
    const LalWords given = { words, tags, 2 };
    FREED(lal_result_free_at) LalResult *tagged = lal_parse_tokens(f.parser, &given, 1, &f.e);
    assert_true(tagged->sentences[0].tokens[0].tag_probability == -1);
    assert_true(tagged->sentences[0].phrases[0].probability >= 0);
    f.o.max_words = 2;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
    FREED(lal_result_free_at) LalResult *pieces = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, &f.e);
    assert_true(pieces->sentences[0].pieces > 1 && pieces->sentences[0].tokens[0].tag_probability == -1);
}

/* The sum of a row, which is the score of the decision. */
static double row_sum(const float *row, int n)
{
    double sum = 0;
    for (int h = 0; h < n; h++) sum += (double)row[h];
    return sum;
}

/* Against the notes of lal parse --why: the largest contributions, and the score. */
static Status check_why(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    const LalResult *r = context;
    (void)d, (void)e;
    for (int k = from; k < to; k++) {
        const WhyNotes *notes = result[k].extra;
        const LalSentence *s = &r->sentences[k];
        int row = s->n_heads + 1, arcs = 0;
        for (int j = 0; j < notes->n; j++) {
            const WhyNote *x = &notes->note[j];
            int q = 0;
            while (!x->arc && (s->phrases[q].begin != x->at.begin || s->phrases[q].end != x->at.end)) q++;
            const float *parts =
                x->arc ? s->arc_parts + (ptrdiff_t)(x->at.begin - 1) * row : s->phrase_parts + (ptrdiff_t)q * row;
            assert_within(row_sum(parts, row), x->score, 1e-4 * (1 + fabs(x->score)));
            for (int h = 0; h < x->n; h++) assert_within((double)parts[x->head[h]], x->part[h], 1e-5);
            arcs += x->arc;
        }
        assert_int_equal(arcs, s->n_tokens);
    }
    return OK;
}

TEST(label_heads_contribute_to_phrases_and_arcs_on_request)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    f.o.contributions = f.o.probabilities = 1;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
    FREED(lal_result_free_at) LalResult *r = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, &f.e);
    assert_non_null(r);
    assert_int_equal(r->sentences[0].n_heads, 6);
    assert_true(r->sentences[0].tokens[0].tag_probability > 0);
    MADE(Model, load_ok, model_fini, m, in(&f.b, "a"));
    MADE(Parser, parser_ready, parser_fini, p, &m, 1);
    FREED(why_fini) Why why;
    assert_ok(why_init(&why, &m, true, true, test_error()));
    p.o.observe = why_observer(&why);
    assert_ok(document_parse(&p, (StrView){ TEXT, sizeof TEXT - 1 }, "text", (DocumentOptions){ .large_windows = true },
                             check_why, r, test_error()));
    f.o.contributions = 0;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
    FREED(lal_result_free_at) LalResult *none = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, &f.e);
    assert_true(!none->sentences[0].arc_parts && !none->sentences[0].phrase_parts && !none->sentences[0].n_heads);
    f.o.contributions = 1;
    f.o.max_words = 2;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
    FREED(lal_result_free_at) LalResult *pieces = lal_parse_text(f.parser, TEXT, sizeof TEXT - 1, &f.e);
    assert_true(pieces->sentences[0].pieces > 1 && !pieces->sentences[0].arc_parts);
}

static int add_bytes(void *context, const char *bytes, size_t size)
{
    strbuf_add(context, bytes, size);
    return 0;
}
static int take_none(void *context, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context = size;
    return 1;
}

/* What lal parse writes. */
static Status put_format(void *context, const Document *d, const Parsed *result, int from, int to, Error *e)
{
    StrBuf *out = ((void **)context)[0];
    const OutputStyle *style = ((void **)context)[2];
    (void)e;
    for (int k = from; k < to; k++) {
        Origin o = document_origin(d, k, k + 1);
        o.new_document = k == 0;
        output_sentence(out, ((void **)context)[1], &result[k], &o, *style);
    }
    return OK;
}

TEST(a_text_is_written_in_a_format)
{
    static const char *const formats[] = { "brackets", "conllu", "conllx", "json", "pretty", "svg" };
    const OutputFormat *const tables[] = { &OUTPUT_BRACKETS, &OUTPUT_CONLLU, &OUTPUT_CONLLX,
                                           &OUTPUT_JSON,     &OUTPUT_PRETTY, &OUTPUT_SVG };
    size_t size = 0;
    MADE(Fixture, fixture_init, fixture_fini, f);
    MADE(Model, load_ok, model_fini, m, in(&f.b, "a"));
    MADE(Parser, parser_ready, parser_fini, p, &m, 1);
    p.o.arc_probability = true;
    for (int k = 0; k < 6; k++) {
        FREED(strbuf_fini) StrBuf want = { 0 };
        OutputStyle style = { .format = tables[k], .ud = model_ud(&m) != NULL, .terminal.width = 80 };
        void *context[] = { &want, &m, &style };
        assert_ok(document_parse(&p, (StrView){ TEXT, sizeof TEXT - 1 }, "text", (DocumentOptions){ 0 }, put_format,
                                 context, test_error()));
        assert_int_equal(lal_parse_text_as(f.parser, TEXT, sizeof TEXT - 1, formats[k], add_bytes, test_out(), &f.e),
                         LAL_OK);
        assert_string_equal(test_written(), want.ptr);
    }
    assert_int_equal(lal_parse_text_as(f.parser, TEXT, sizeof TEXT - 1, "json", take_none, &size, &f.e), LAL_STOPPED);
    assert_true(size > 0);
    assert_int_equal(lal_parse_text_as(f.parser, TEXT, 3, "xml", add_bytes, NULL, &f.e), LAL_ERROR_ARGUMENT);
    assert_string_equal(f.e.message, "found 'xml', expected brackets, conllu, conllx, json, pretty or svg");
    assert_int_equal(lal_parse_text_as(f.parser, TEXT, 3, NULL, add_bytes, NULL, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_text_as(f.parser, TEXT, 3, "json", NULL, NULL, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_text_as(f.parser, "a\xff", 2, "json", add_bytes, NULL, &f.e), LAL_ERROR_FORMAT);
}

/* The sentences of a result, written one by one. */
static void put_sentences(StrBuf *out, const LalResult *r, const char *text, const char *format, const LalOptions *o)
{
    LalError e;
    strbuf_clear(out);
    for (size_t k = 0; k < r->n_sentences; k++) {
        char *one = lal_sentence_as(&r->sentences[k], (long)k + 1, text, text ? strlen(text) : 0, format, o, &e);
        assert_non_null(one);
        strbuf_puts(out, one);
        lal_string_free(one);
    }
}

TEST(a_sentence_of_a_result_is_written_as_its_text_is)
{
    static const char *const formats[] = { "brackets", "conllu", "conllx", "json", "pretty", "svg" };
    static const char text[] = "\n He don't know (it) :)\t or\nnot.  **So** it-\nself!\n\n\n\"Caf\xc3\xa9\"?  ";
    FREED(strbuf_fini) StrBuf want = { 0 };
    MADE(Fixture, fixture_init, fixture_fini, f);
    for (int k = 0; k < 6 * 6; k++) {
        lal_options_init(&f.o, sizeof f.o);
        f.o.k_best = k / 6 == 1 ? 3 : 0;
        f.o.confidence = k / 6 == 1;
        f.o.deps = k / 6 == 2 ? LAL_DEPS_MODEL : LAL_DEPS_AUTO;
        f.o.ranges = k / 6 == 3;
        f.o.max_words = k / 6 == 4 ? 2 : 120;
        f.o.sentences = f.o.tokens = k / 6 == 5; /* a line, and white space */
        assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
        strbuf_clear(&want);
        const char *format = formats[k % 6];
        assert_int_equal(lal_parse_text_as(f.parser, text, sizeof text - 1, format, add_bytes, &want, &f.e), LAL_OK);
        FREED(lal_result_free_at) LalResult *r = lal_parse_text(f.parser, text, sizeof text - 1, &f.e);
        put_sentences(test_out(), r, text, format, &f.o);
        assert_string_equal(test_written(), want.ptr);
    }
    strbuf_clear(&want);
    assert_int_equal(lal_split_text_as(NULL, NULL, text, sizeof text - 1, "json", add_bytes, &want, &f.e), LAL_OK);
    FREED(lal_result_free_at) LalResult *split = lal_split_text(NULL, NULL, text, sizeof text - 1, &f.e);
    put_sentences(test_out(), split, text, "json", NULL);
    assert_string_equal(test_written(), want.ptr);
}

TEST(a_sentence_by_hand_is_written_in_brackets)
{
    static const LalToken tokens[] = { { .form = "a(b)", .tag = "(" }, { .form = "-LRB-" } };
    static const LalPhrase phrases[] = { { 0, 2, "S", 0, 0, 0, 0, 0 }, { 0, 1, "NP", 0, 0, 0, 0, 0 } };
    LalSentence s = { .tokens = tokens, .n_tokens = 2, .phrases = phrases, .n_phrases = 2 };
    LalError e;
    LalOptions o;
    char *tree = lal_sentence_as(&s, 1, NULL, 0, "brackets", NULL, &e);
    assert_string_equal(tree, "(TOP (S (NP (-LRB- a-LRB-b-RRB-)) (XX -U+002D-LRB-)))\n");
    lal_string_free(tree);
    assert_null(lal_sentence_as(&s, 1, NULL, 0, "xml", NULL, &e));
    assert_int_equal(e.code, LAL_ERROR_ARGUMENT);
    assert_null(lal_sentence_as(NULL, 1, NULL, 0, "json", NULL, &e));
    tree = lal_sentence_as(&(LalSentence){ 0 }, 1, NULL, 0, "svg", NULL, &e);
    assert_string_equal(tree, "");
    lal_string_free(tree);
    LalToken far[] = { { .begin = 1, .end = 5, .form = "far" } };
    s = (LalSentence){ .tokens = far, .n_tokens = 1 };
    assert_null(lal_sentence_as(&s, 1, "far", 3, "json", NULL, &e));
    assert_string_equal(e.message, "lal_sentence_as: found token 0 at bytes 1 to 5 of a text of 3 bytes");
    lal_options_init(&o, sizeof o);
    o.deps = LAL_DEPS_UD;
    assert_null(lal_sentence_as(&s, 1, NULL, 0, "json", &o, &e));
    LalToken two[] = {
        { .form = "a", .head = 1, .type = "x", .ud_head = 1, .ud_relation = "det", .multiword = LAL_NONE },
        { .form = "b", .head = -1, .type = "x", .ud_head = -1, .ud_relation = "root", .multiword = LAL_NONE }
    };
    LalArc arcs[] = { { 0, 1, "det" }, { 1, LAL_NONE, "root" }, { 1, 0, "ref" } };
    s = (LalSentence){ .tokens = two, .n_tokens = 2, .enhanced = arcs, .n_enhanced = 3 };
    char *conllu = lal_sentence_as(&s, 2, NULL, 0, "conllu", &o, &e);
    assert_non_null(strstr(conllu, "2:det\t_\n2\tb\t_\t_\t_\t_\t0\troot\t0:root|1:ref\t_\n"));
    lal_string_free(conllu);
    arcs[2].token = 0; /* not by token */
    assert_null(lal_sentence_as(&s, 2, NULL, 0, "conllu", &o, &e));
    assert_string_equal(e.message, "lal_sentence_as: found an enhanced arc from token 0 to 0");
    arcs[2] = (LalArc){ 1, 2, "ref" };
    assert_null(lal_sentence_as(&s, 2, NULL, 0, "json", &o, &e));
    assert_string_equal(e.message, "lal_sentence_as: found an enhanced arc from token 1 to 2");
}

TEST(several_texts_are_parsed_as_each_by_itself)
{
    FREED(strbuf_fini) StrBuf got = { 0 }, want = { 0 }, long_text = { 0 };
    for (int k = 0; k < 27000; k++) strbuf_puts(&long_text, k % 50 ? "It rains. " : "It rains.\n\n"); /* two windows */
    const LalText texts[] = { { TEXT, sizeof TEXT - 1 }, { NULL, 0 }, { " \n", 2 }, { long_text.ptr, long_text.len },
                              { "It\nrains. Go", 12 },   { "No.", 3 } };
    LalResult *r[6];
    MADE(Fixture, fixture_init, fixture_fini, f);
    assert_int_equal(lal_parse_texts(f.parser, texts, 6, r, &f.e), LAL_OK);
    for (int k = 0; k < 6; k++) {
        FREED(lal_result_free_at) LalResult *one = lal_parse_text(f.parser, texts[k].text, texts[k].size, &f.e);
        strbuf_clear(&got);
        strbuf_clear(&want);
        strbuf_puts(&got, "");
        strbuf_puts(&want, "");
        put_result(&got, r[k]);
        put_result(&want, one);
        assert_string_equal(got.ptr, want.ptr);
        assert_true(r[k]->n_tokens == one->n_tokens);
        lal_result_free(r[k]);
    }
    assert_int_equal(lal_parse_texts(f.parser, texts, 0, NULL, &f.e), LAL_OK);
    assert_int_equal(lal_parse_texts(f.parser, texts, -1, r, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_texts(NULL, texts, 6, r, &f.e), LAL_ERROR_ARGUMENT);
    assert_null(r[0]);
    const LalText bad[] = { { "It rains.", 9 }, { "a\nb\xff", 4 } };
    assert_int_equal(lal_parse_texts(f.parser, bad, 2, r, &f.e), LAL_ERROR_FORMAT);
    assert_true(!r[0] && !r[1] && f.e.line == 2 && f.e.column == 2);
    assert_string_equal(f.e.message, "text 1:2:2: found bytes that are not UTF-8");
    assert_int_equal(lal_parse_texts(f.parser, &(LalText){ NULL, 3 }, 1, r, &f.e), LAL_ERROR_ARGUMENT);
    assert_string_equal(f.e.message, "text 0: found NULL, expected a text of 3 bytes");
}

TEST(bytes_that_are_no_text_are_replaced_or_left_out_on_request)
{
    static const char text[] = "It \xff rains.\nNo\0w \xc3.";
    static const char *const texts[] = { NULL, "It \xef\xbf\xbd rains.\nNo\xef\xbf\xbdw \xef\xbf\xbd.",
                                         "It  rains.\nNow ." };
    const size_t size = sizeof text - 1;
    MADE(Fixture, fixture_init, fixture_fini, f);
    for (int invalid = LAL_INVALID_REPLACE; invalid <= LAL_INVALID_SKIP; invalid++) {
        const char *want = texts[invalid];
        const LalText both[] = { { "It rains.", 9 }, { text, size } };
        LalResult *r[5];
        lal_options_init(&f.o, sizeof f.o);
        f.o.invalid = invalid;
        assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_OK);
        r[0] = lal_parse_text(f.parser, text, size, &f.e);
        r[1] = lal_split_text(f.model, &f.o, text, size, &f.e);
        assert_int_equal(lal_parse_texts(f.parser, both, 2, r + 2, &f.e), LAL_OK);
        r[4] = lal_parse_text(f.parser, want, strlen(want), &f.e);
        assert_true(r[2]->n_invalid == 0 && !r[2]->text && !r[4]->text);
        for (int k = 0; k < 4; k++) {
            if (k == 2) continue;
            assert_int_equal(r[k]->n_invalid, 3);
            assert_true(r[k]->invalid[0].line == 1 && r[k]->invalid[0].column == 4);
            assert_true(r[k]->invalid[1].line == 2 && r[k]->invalid[1].column == 3);
            assert_true(r[k]->invalid[2].line == 2 && r[k]->invalid[2].column == 6);
            assert_string_equal(r[k]->text, want);
            assert_int_equal(r[k]->text_size, strlen(want));
            FREED(strbuf_fini) StrBuf found = { 0 };
            put_split(&found, r[k]);
            put_split(test_out(), r[4]);
            assert_string_equal(found.ptr, test_written());
        }
        for (int k = 0; k < 5; k++) lal_result_free(r[k]);
        FREED(strbuf_fini) StrBuf as = { 0 };
        assert_int_equal(lal_parse_text_as(f.parser, text, size, "json", add_bytes, &as, &f.e), LAL_OK);
        assert_true(f.e.line == 1 && f.e.column == 4);
        assert_string_equal(f.e.message, test_format("text:1:4: found bytes that are not UTF-8 in 3 places, %s",
                                                     invalid == LAL_INVALID_SKIP ? "left out" : "replaced by U+FFFD"));
        assert_int_equal(lal_parse_text_as(f.parser, want, strlen(want), "json", add_bytes, test_out(), &f.e), LAL_OK);
        assert_string_equal(as.ptr, test_written());
        assert_string_equal(f.e.message, "");
        assert_int_equal(lal_split_text_as(f.model, &f.o, text, size, "lines", add_bytes, test_out(), &f.e), LAL_OK);
        assert_non_null(strstr(f.e.message, " in 3 places"));
    }
    f.o.invalid = LAL_INVALID_SKIP + 1;
    assert_int_equal(lal_parser_set_options(f.parser, &f.o, &f.e), LAL_ERROR_ARGUMENT);
}

/* Everything but what is asked for stays; with new arcs the enhanced graph is a new one, without the empty nodes. */
TEST(conll_u_is_parsed_over_its_rows)
{
    static const char text[] = "# newdoc id = d\n# note = ours\n1-2\tcan't\t_\t_\t_\t_\t_\t_\t_\tA=b\n"
                               "1\tca\tl\tu\tMD\tF=1\t0\tx\t0:x\tX=y\n1.1\te\t_\t_\t_\t_\t_\t_\t1:z\t_\n"
                               "2\tn't\t_\t_\tRB\t_\t0\tx y\t_\t_\n\n# c\n1\t-LRB-\t_\t_\t_\t_\t7\t\t_\t_\n";
    static const struct {
        int columns;
        const char *has[5];
    } cases[] = {
        { 0, { "\n1\tca\tl\tu\tMD\tF=1\t0\tx\t0:x\tX=y\n", "\n2\tn't\t_\t_\tRB\t_\t0\tx y\t_\t_\n" } },
        { LAL_COLUMNS_ARCS, { "\n1\tca\tl\tu\tMD\tF=1\t", "\tX=y\n", "\n2\tn't\t_\t_\tRB\t_\t" } },
        { LAL_COLUMNS_TAGS, { "\t0\tx\t0:x\tX=y\n", "\t0\tx y\t_\t_\n" } },
        { LAL_COLUMNS_TAGS + LAL_COLUMNS_ARCS, { "\tX=y\n" } },
    };
    static const char *const always[] = { "# newdoc id = d\n# note = ours\n", "# text = can't\n",
                                          "\n1-2\tcan't\t_\t_\t_\t_\t_\t_\t_\tA=b\n", "# c\n# sent_id = 2\n" },
                             *const old[] = { "\t0:x\tX=y\n", "\n1.1\te\t_\t_\t_\t_\t_\t_\t1:z\t_\n", "\tx y\t" };
    MADE(Fixture, fixture_init, fixture_fini, f);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(
            lal_parse_conllu_as(f.parser, text, sizeof text - 1, cases[k].columns, add_bytes, test_out(), &f.e),
            LAL_OK);
        for (int i = 0; i < 4; i++) assert_non_null(strstr(test_written(), always[i]));
        for (int i = 0; i < 5 && cases[k].has[i]; i++) assert_non_null(strstr(test_written(), cases[k].has[i]));
        for (int i = 0; i < 3; i++)
            assert_true(!(cases[k].columns & LAL_COLUMNS_ARCS) == (strstr(test_written(), old[i]) != NULL));
    }
    assert_int_equal(lal_parse_conllu_as(f.parser, "", 0, 3, add_bytes, test_out(), &f.e), LAL_OK);
    assert_int_equal(lal_parse_conllu_as(f.parser, "1\tx\n", 4, 3, add_bytes, NULL, &f.e), LAL_ERROR_FORMAT);
    assert_string_equal(f.e.message, "text:1:1: found 2 tab-separated columns, expected 10");
    assert_int_equal(lal_parse_conllu_as(f.parser, "", 0, 4, add_bytes, NULL, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_conllu_as(f.parser, NULL, 1, 3, add_bytes, NULL, &f.e), LAL_ERROR_ARGUMENT);
    assert_int_equal(lal_parse_conllu_as(f.parser, text, 9, 3, NULL, NULL, &f.e), LAL_ERROR_ARGUMENT);
}

TEST(the_default_model_is_that_of_the_program)
{
    MADE(Fixture, fixture_init, fixture_fini, f);
    assert_int_equal(setenv("LAL_MODEL", in(&f.b, "a"), 1), 0);
    FREED(lal_model_free_at) LalModel *m = lal_model_default(&f.e);
    assert_non_null(m);
    assert_string_equal(lal_model_treebank(m, 0), lal_model_treebank(f.model, 0));
    assert_int_equal(setenv("LAL_MODEL", "missing.lal", 1), 0);
    assert_null(lal_model_default(&f.e));
    assert_int_equal(f.e.code, LAL_ERROR_IO);
    assert_int_equal(unsetenv("LAL_MODEL"), 0);
}
