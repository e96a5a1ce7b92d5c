/* The table of languages, what plain makes of text, what a model takes of its language. */
#define _GNU_SOURCE
#include <string.h>

#include "language/all/languages.h"
#include "parser/output/output.h"
#include "parser/parse/document.h"
#include "tests/support/edit_model.h"
#include "tests/support/parsing.h"

enum { ENGLISH, PLAIN };

TEST(names_of_languages_are_the_choices_of_their_options)
{
    FREED(strbuf_fini) StrBuf names = { 0 };
    for (int k = 0; k < N_LANGUAGES; k++) {
        strbuf_printf(&names, "%s%s", k ? "|" : "", LANGUAGES[k]->name);
        assert_non_null(LANGUAGES[k]->segment);
    }
    assert_string_equal(names.ptr, LANGUAGE_CHOICES);
    assert_string_equal(LANGUAGES[PLAIN]->name, "plain");
}

/* ---- plain */

/* "3* w w | 4 w": the line of each sentence, a star where a paragraph begins, its words. */
static void put_text(StrBuf *out, const SegmentedText *t)
{
    for (int k = 0; k < t->n_sentences; k++) {
        const TextSentence *sentence = &t->sentences[k];
        strbuf_printf(out, "%s%ld%s", out->len ? " | " : "", sentence->line, sentence->new_paragraph ? "*" : "");
        for (int w = 0; w < sentence->n; w++) strbuf_printf(out, " %s", t->tokens[sentence->first + w].form);
    }
}

static const char PLAIN_TEXT[] =
    "\n Hann fór  heim.\r\nÞað er\u00a0gott\n \n他 来 了 。\f她 走 了\nO João não vai-se embora";

static void assert_plain(Newlines newlines, const char *expected)
{
    StrView text = { PLAIN_TEXT, sizeof PLAIN_TEXT - 1 };
    FREED(segmented_text_fini) SegmentedText whole = { 0 };
    FREED(strbuf_fini) StrBuf windows = { 0 };
    Error e = { 0 };
    assert_ok(LANGUAGES[PLAIN]->segment(&whole, text_block(text, "f"), (SegmentOptions){ .newlines = newlines },
                                        test_arena(), test_error()));
    put_text(test_out(), &whole);
    assert_string_equal(test_written(), expected);
    const Token *last = &whole.tokens[whole.n_tokens - 1];
    assert_int_equal(last->end, text.len);
    size_t chars = 0;
    for (size_t i = 0; i < text.len; i++) chars += (text.ptr[i] & 0xC0) != 0x80;
    assert_int_equal(last->end_char, chars);
    MADE(Document, document_open_text, document_close, d, text, "f",
         (DocumentOptions){ .raw = { .language = PLAIN, .split_hyphens = true, .segment = { .newlines = newlines } } });
    d.want = 1; /* the smallest windows */
    while (document_next(&d, &e) == OK && d.n) put_text(&windows, &d.seg);
    assert_int_equal(e.code, OK);
    assert_string_equal(windows.ptr, expected);
}

TEST(plain_text_is_split_at_white_space_and_line_breaks)
{
    static const char lines[] = "2* Hann fór heim. | 3 Það er gott | 5* 他 来 了 。 | 5* 她 走 了 | "
                                "6 O João não vai-se embora";
    assert_plain(NEWLINES_AUTO, lines);
    assert_plain(NEWLINES_SENTENCE, lines);
    assert_plain(NEWLINES_SPACE, "2* Hann fór heim. Það er gott | 5* 他 来 了 。 | "
                                 "5* 她 走 了 O João não vai-se embora");
    assert_plain(NEWLINES_PARAGRAPH, "2* Hann fór heim. | 3* Það er gott | 5* 他 来 了 。 | 5* 她 走 了 | "
                                     "6* O João não vai-se embora");
}

TEST(plain_text_says_what_is_no_text_and_when_memory_is_out)
{
    FREED(segmented_text_fini) SegmentedText t = { 0 };
    Error e = { 0 };
    MADE(Arena, arena_init, arena_fini, a, 64);
    assert_int_equal(
        LANGUAGES[PLAIN]->segment(&t, text_block((StrView){ "a\nb\xff", 4 }, "f"), (SegmentOptions){ 0 }, &a, &e),
        ERR_FORMAT);
    assert_int_equal(e.line, 2);
    for (long n = 0; allocation_fails(n); n++) {
        segmented_text_fini(&t);
        arena_reset(&a);
        mem_fail_after(n);
        assert_ok_or_no_memory(
            LANGUAGES[PLAIN]->segment(&t, text_block(view("a b\nc"), "f"), (SegmentOptions){ 0 }, &a, test_error()));
    }
}

/* ---- English, as other rooms ask for it */

TEST(english_mends_and_spells_negations)
{
    const Language *english = LANGUAGES[ENGLISH];
    const char *words[] = { "n't", "does", "n't", "know" };
    assert_true(english->spell(words, 4, test_arena()));
    static const char *const spelt[] = { "n't", "doesn", "'t", "know" };
    for (int k = 0; k < 4; k++) assert_string_equal(words[k], spelt[k]);
    assert_string_equal(english->mend_type("n’t", "advmod"), "neg");
    assert_string_equal(english->mend_type("n't", "advmod"), "advmod");
    assert_string_equal(english->mend_type("n’t", "aux"), "aux");
}

/* ---- a model */

/* A model with these tags, separated by blanks, and Stanford dependencies. */
static void model_of_tags(Model *m, const char *tags)
{
    model_init(m);
    assert_ok(model_vocabs_start(m, test_error()));
    assert_true(vocab_count(&m->types, "nsubjpass", 9, 1) >= 0);
    for (size_t n; *tags; tags += n + (tags[n] == ' ')) {
        n = strcspn(tags, " ");
        assert_true(vocab_count(&m->tags, tags, n, 1) >= 0);
    }
}

static bool has_lemmas(Model *m)
{
    const char *words[] = { "went" }, *tags[] = { "VBD" };
    Sentence sentence = { .n_words = 1, .words = words, .tags = tags };
    assert_true(model_add_lemmas(m, &sentence, &m->strings));
    return sentence.lemmas != NULL;
}

TEST(lemmas_and_universal_dependencies_need_tags_that_the_language_knows)
{
    static const struct {
        const char *tags;
        bool known;
    } cases[] = { { "DT NN VBD XX . HYPH", true },
                  { TAG_PLACEHOLDER, true }, /* no tags: input may bring them */
                  { "NOUN VERB DET PUNCT SYM", false },
                  { "AD AS BA CC CD DEG JJ M NN NR P PN PU VA VC VV", false } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MADE(Model, model_of_tags, model_fini, m, cases[k].tags);
        model_find_rules(&m);
        assert_int_equal(has_lemmas(&m), cases[k].known);
        assert_int_equal(model_ud(&m) != NULL, cases[k].known);
        m.c.language = PLAIN;
        model_find_rules(&m);
        assert_false(has_lemmas(&m));
        assert_null(model_ud(&m));
    }
}

static void write_parse(const char *path, StrBuf *out)
{
    const char text[] = "他 来 了 don’t\n";
    MADE(Model, load_ok, model_fini, m, path);
    MADE(Parser, parser_ready, parser_fini, p, &m, 1);
    MADE(Document, document_open_text, document_close, d, (StrView){ text, sizeof text - 1 }, "text",
         (DocumentOptions){ .raw = { .language = m.c.language } });
    assert_ok(document_next(&d, test_error()));
    assert_ok(parser_run(&p, d.in, d.n, NULL, NULL, test_error()));
    output_sentence(out, &m, &p.result[0], &(Origin){ .id = 1 }, (OutputStyle){ .format = &OUTPUT_CONLLU });
}

TEST(a_model_keeps_its_language)
{
    FREED(strbuf_fini) StrBuf english = { 0 }, plain = { 0 };
    MADE(Bench, bench_init, bench_fini, b, 20);
    TrainArgs a = toy(&b, in(&b, "a"), NULL, 1);
    a.train.epochs = 1;
    a.model.fold = true;
    train_ok(&a);
    a.out = in(&b, "b");
    a.model.language = PLAIN;
    train_ok(&a);

    file_bytes(&english, in(&b, "a"));
    file_bytes(&plain, in(&b, "b"));
    assert_null(memmem(english.ptr, english.len, "language", 8));
    static const char key[] = "{\\\"language\\\": \\\"plain\\\", ";
    assert_non_null(memmem(plain.ptr, plain.len, key, sizeof key - 1));

    static const char *const words[] = { "“" };
    MADE(Model, load_ok, model_fini, m, in(&b, "b"));
    assert_ptr_equal(model_language(&m), LANGUAGES[PLAIN]);
    assert_ptr_equal(model_fold(&m, words, NULL, NULL, 1, &m.strings), words);
    m.c.language = ENGLISH;
    assert_string_equal(model_fold(&m, words, NULL, NULL, 1, &m.strings)[0], "``");
    model_fini(&m);

    strbuf_clear(&english);
    strbuf_clear(&plain);
    write_parse(in(&b, "a"), &english);
    write_parse(in(&b, "b"), &plain);
    assert_non_null(strstr(english.ptr, "\n5\tn’t\t"));
    assert_non_null(strstr(plain.ptr, "\n4\tdon’t\t_\t_\t"));

    edit_model_metadata(in(&b, "b"), in(&b, "c"), "lal.config", "language", "\"klingon\"");
    model_init(&m);
    assert_fails_with(model_load(&m, in(&b, "c"), NULL, test_error()), ERR_CONFIG,
                      "\"language\": found 'klingon', expected one of " LANGUAGE_CHOICES);
}
