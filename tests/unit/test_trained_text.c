/* A segmenter that is learnt from treebanks of a few sentences: languages of toys, one
 * with blanks, contractions and clitics, one without blanks. */
#include <string.h>

#include "base/rng.h"
#include "language/trained/trained_internal.h"
#include "tests/support/check.h"
#include "treebank/conll.h"

static const char *const NOUNS[] = { "gato", "rio", "muro", "lago", "sol", "pato" };
static const char *const VERBS[] = { "come", "move", "teme", "bate" };
enum { N_NOUNS = 6, N_VERBS = 4 };

static void put_row(StrBuf *out, int id, const char *form, bool glued)
{
    strbuf_printf(out, "%d\t%s\t_\t_\t_\t_\t%d\tdep\t_\t%s\n", id, form, id == 1 ? 0 : 1,
                  glued ? "SpaceAfter=No" : "_");
}

/* "O gato come-lo do rio.": the treebank has ranges of its own, or only "# text" and words that are glued. */
static void put_sentence(StrBuf *out, int k, bool ranges)
{
    const char *noun = NOUNS[k % N_NOUNS], *verb = VERBS[k / N_NOUNS % N_VERBS],
               *other = NOUNS[(k + 1 + k / 7) % N_NOUNS];
    bool clitic = k % 3 == 0;
    if (k % 5 == 0) strbuf_puts(out, "# newpar\n");
    strbuf_printf(out, "# text = O %s %s%s do %s%s\n", noun, verb, clitic ? "-lo" : "", other, k % 4 ? "." : "!");
    put_row(out, 1, "O", false);
    put_row(out, 2, noun, false);
    if (clitic && ranges) strbuf_printf(out, "3-4\t%s-lo\t_\t_\t_\t_\t_\t_\t_\t_\n", verb);
    put_row(out, 3, verb, clitic && !ranges);
    int id = 4;
    if (clitic) put_row(out, id++, "lo", false);
    if (ranges) strbuf_printf(out, "%d-%d\tdo\t_\t_\t_\t_\t_\t_\t_\t_\n", id, id + 1);
    put_row(out, id++, "de", !ranges);
    put_row(out, id++, "o", false);
    put_row(out, id++, other, true);
    put_row(out, id, k % 4 ? "." : "!", false);
    strbuf_putc(out, '\n');
}

static const TrainedTextOptions SMALL = { .seed = 7, .epochs = 6, .bits = 14 };

static void learn(TrainedText *t, StrView conll, TrainedTextOptions o)
{
    MADE(Treebank, treebank_init, treebank_fini, tb);
    assert_ok(
        conll_read(&tb, text_block(conll, "f"), (ConllOptions){ .keep_lines = true, .bare = true }, test_error()));
    assert_ok(trained_text_learn(t, tb.s, tb.n, o, test_error()));
}

/* With quotes, one of ten sentences is "» O gato «". */
static void learn_quoted(TrainedText *t, bool ranges, bool quotes)
{
    FREED(strbuf_fini) StrBuf conll = { 0 };
    for (int k = 0; k < 72; k++) {
        put_sentence(&conll, k, ranges);
        if (!quotes || k % 9) continue;
        put_row(&conll, 1, "»", true);
        put_row(&conll, 2, "O", false);
        put_row(&conll, 3, NOUNS[k % N_NOUNS], true);
        put_row(&conll, 4, "«", false);
        strbuf_putc(&conll, '\n');
    }
    learn(t, (StrView){ conll.ptr, conll.len }, SMALL);
}

static void learn_spaced(TrainedText *t, bool ranges) { learn_quoted(t, ranges, false); }

/* Words of three letters of the first half of the script, and of one of the second half; nothing is between them. */
static void learn_unspaced(TrainedText *t)
{
    static const char *const words[] = { "山水火", "木金土", "日", "月", "人口手", "天" };
    FREED(strbuf_fini) StrBuf conll = { 0 };
    for (int k = 0; k < 60; k++) {
        for (int w = 0; w < 3; w++) put_row(&conll, w + 1, words[(k + w * (k % 5 + 1)) % 6], false);
        put_row(&conll, 4, "。", false);
        strbuf_putc(&conll, '\n');
    }
    learn(t, (StrView){ conll.ptr, conll.len }, SMALL);
}

/* "w w | *w w": a star where a paragraph begins; "du(de le)". Offsets are checked against the text. */
static void put_segmented(StrBuf *out, const SegmentedText *t, TextBlock block)
{
    size_t at = 0, chars = 0;
    for (int s = 0; s < t->n_sentences; s++) {
        int n, r = 0, first = t->sentences[s].first;
        WordRange *ranges =
            segmented_text_ranges(t->tokens + t->sentences[s].first, t->sentences[s].n, block, test_arena(), &n);
        strbuf_puts(out, s ? " | " : "");
        strbuf_puts(out, t->sentences[s].new_paragraph ? "*" : "");
        for (int w = 0; w < t->sentences[s].n; w++) {
            const Token *x = &t->tokens[first + w];
            bool range = r < n && ranges[r].begin == w;
            if (!x->part) {
                while (at < x->begin - block.byte)
                    assert_true(utf8_is_space(utf8_next(block.text.ptr, block.text.len, &at))), chars++;
                assert_int_equal(x->begin, at + block.byte);
                assert_int_equal(x->begin_char, chars + block.character);
                while (at < x->end - block.byte) utf8_next(block.text.ptr, block.text.len, &at), chars++;
                assert_int_equal(x->end_char, chars + block.character);
                if (!x->words) assert_memory_equal(x->form, block.text.ptr + x->begin - block.byte, x->len);
            }
            strbuf_printf(out, "%s%s%s%s", w ? " " : "", range ? ranges[r].form : "", range ? "(" : "", x->form);
            if (r < n && ranges[r].end == w + 1) strbuf_putc(out, ')'), r++;
        }
    }
}

static void assert_segmented(const TrainedText *t, const char *text, SegmentOptions o, const char *expected)
{
    FREED(segmented_text_fini) SegmentedText out = { 0 };
    TextBlock block = { view(text), "f", 3, 1, 100, 90 };
    assert_ok(trained_text_segment(t, &out, block, o, test_arena(), test_error()));
    put_segmented(test_out(), &out, block);
    assert_string_equal(test_written(), expected);
}

TEST(words_and_sentences_of_a_language_with_blanks)
{
    for (int ranges = 0; ranges < 2; ranges++) {
        FREED(trained_text_fini) TrainedText t;
        learn_spaced(&t, ranges);
        assert_true(t.blanks);
        SegmentOptions o = { 0 };
        assert_segmented(&t, "", o, "");
        assert_segmented(&t, " \n\n", o, "");
        assert_segmented(&t, "O sol teme do muro.  O pato\u00a0move-lo do gato!", o,
                         "*O sol teme do(de o) muro . | O pato move-lo(move lo) do(de o) gato !");
        assert_segmented(&t, "\nO sol bate do rio.\n\nO rio come do lago.", o,
                         "*O sol bate do(de o) rio . | *O rio come do(de o) lago .");
        assert_segmented(&t, "O sol come-lo DO lago.", o, "*O sol come-lo(come lo) DO(DE O) lago .");
        assert_segmented(&t, "O sol corre-lo Do lago.", o, "*O sol corre-lo(corre lo) Do(De o) lago .");
    }
}

TEST(quotation_marks_that_a_treebank_lacks_are_learnt)
{
    FREED(trained_text_fini) TrainedText t;
    learn_spaced(&t, true);
    assert_segmented(&t, "“O sol bate do rio.” O rio come do “lago”.", (SegmentOptions){ 0 },
                     "*“ O sol bate do(de o) rio . ” | O rio come do(de o) “ lago ” .");
    assert_segmented(&t, "O sol bate do «rio». „O pato“ move-lo do gato!", (SegmentOptions){ 0 },
                     "*O sol bate do(de o) « rio » . | „ O pato “ move-lo(move lo) do(de o) gato !");
    FREED(trained_text_fini) TrainedText wide, quoted;
    learn_unspaced(&wide);
    assert_segmented(&wide, "「日山水火」人口手。", (SegmentOptions){ 0 }, "*「 日 山水火 」 人口手 。");
    learn_quoted(&quoted, true, true); /* it has its own, and learns no others */
    assert_segmented(&quoted, "»O sol« bate do rio.", (SegmentOptions){ 0 }, "*» O sol « bate do(de o) rio .");
    assert_segmented(&quoted, "O „sol“ bate do rio.", (SegmentOptions){ 0 }, "*O „sol “ bate do(de o) rio .");
}

TEST(line_breaks_mean_what_the_option_says)
{
    FREED(trained_text_fini) TrainedText t;
    learn_spaced(&t, true);
    const char *text = "O sol bate\no rio.";
    assert_segmented(&t, text, (SegmentOptions){ .newlines = NEWLINES_SENTENCE }, "*O sol bate | o rio .");
    assert_segmented(&t, text, (SegmentOptions){ .newlines = NEWLINES_PARAGRAPH }, "*O sol bate | *o rio .");
    assert_segmented(&t, text, (SegmentOptions){ .newlines = NEWLINES_SPACE }, "*O sol bate o rio .");
    assert_segmented(&t, "O sol. do\n\nrio.", (SegmentOptions){ .words = true, .newlines = NEWLINES_SENTENCE },
                     "*O sol. do | *rio.");
}

TEST(words_of_a_language_without_blanks)
{
    FREED(trained_text_fini) TrainedText t;
    learn_unspaced(&t);
    assert_false(t.blanks);
    assert_segmented(&t, "日山水火人口手。木金土天月。", (SegmentOptions){ 0 },
                     "*日 山水火 人口手 。 | 木金土 天 月 。");
}

TEST(a_list_of_words_says_where_unseen_words_are)
{
    FREED(trained_text_fini) TrainedText t = { .bits = 12 };
    TrainedScan s = { 0 };
    assert_true(trained_filter_make(&t, view("ab 3\ncdef\nx\nlonger than eight\n")));
    assert_int_equal(t.longest, 6);
    assert_true(trained_scan(&s, &t, view("abcdef"), NEWLINES_AUTO));
    assert_int_equal(s.c[1].begins, 1 << 1);
    assert_int_equal(s.c[2].ends, 1 << 1);
    assert_int_equal(s.c[3].begins, 1 << 3);
    assert_int_equal(s.c[5].across, 1 << 3);
    assert_int_equal(s.c[6].ends, 1 << 3);
    mem_free(s.c);
    arena_init(&t.arena, 64);
}

static Status learn_variants(TrainedText *t, const char *table)
{
    TextBlock block = text_block(view(table), "table");
    *t = (TrainedText){ 0 };
    return trained_text_learn(t, NULL, 0, (TrainedTextOptions){ .bits = 8, .variants = block }, test_error());
}

TEST(characters_are_read_as_others_and_written_as_they_are)
{
    FREED(trained_text_fini) TrainedText t;
    learn_unspaced(&t);
    assert_ok(trained_variants_read(&t, text_block(view("東 日\n\n錢\t金 鑫\n手 手\nA 木\n"), "table"), test_error()));
    assert_int_equal(t.n_variants, 3);
    assert_segmented(&t, "東山水火人口手。A錢土天月。", (SegmentOptions){ 0 }, "*東 山水火 人口手 。 | A錢土 天 月 。");
    const char *const words[] = { "A錢土", "天", "x東" };
    const char *const *folded = trained_text_fold(&t, words, 3, test_arena());
    assert_string_equal(folded[0], "木金土");
    assert_ptr_equal(folded[1], words[1]);
    assert_string_equal(folded[2], "x日");
    static const Refused bad[] = {
        { "東 日\n\n東方 日\n",
          "table:3:1: found \"東方\", expected a character or word, a blank and as many characters" },
        { "東 日\n錢\n", "table:2:1: found \"錢\", expected a character or word, a blank and as many characters" },
        { "東 日\n錢 金\n東 東\n東 月\n", "table: found U+6771 as the first of two lines, expected it once" },
        { "東方 日月\n錢 金\n東方 東西\n", "table: found 東方 as the first of two lines, expected it once" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        FREED(trained_text_fini) TrainedText none;
        assert_fails(learn_variants(&none, bad[k].text), ERR_FORMAT, bad[k].message);
    }
}

TEST(words_are_read_as_others_before_their_characters)
{
    FREED(trained_text_fini) TrainedText t, read;
    FREED(strbuf_fini) StrBuf bytes = { 0 };
    learn_unspaced(&t);
    TextBlock table = text_block(view("東 日\n東錢 木金\n東錢東 人口手\n木東 木東\n日日日 月月月\n"), "table");
    assert_ok(trained_variants_read(&t, table, test_error()));
    assert_int_equal(t.variant_words.n, 4);
    assert_segmented(&t, "日日日月月。月東錢東。東錢土天東。", (SegmentOptions){ 0 },
                     "*日日日 月 月 。 | 月 東錢東 。 | 東錢土 天 東 。");
    const char *const words[] = { "東錢東", "東東錢土", "木東", "天" };
    const char *const *folded = trained_text_fold(&t, words, 4, test_arena());
    assert_string_equal(folded[0], "人口手");
    assert_string_equal(folded[1], "日木金土");
    assert_string_equal(folded[2], "木東");
    assert_ptr_equal(folded[3], words[3]);
    trained_text_save(&t, &bytes);
    assert_ok(trained_text_load(&read, (StrView){ bytes.ptr, bytes.len }, "f", test_error()));
    assert_int_equal(read.variant_words.n, 4);
}

/* ---- what is a token by rule */

/* Sentences of a treebank, with the blanks of the text; | separates words that have no blank between them. */
static void learn_lines(TrainedText *t, const char *const *lines, int n)
{
    FREED(strbuf_fini) StrBuf conll = { 0 };
    for (int k = 0; k < 3 * n; k++) {
        const char *line = lines[k % n];
        for (int id = 1; *line; id++) {
            size_t len = strcspn(line, " |");
            strbuf_printf(&conll, "%d\t%.*s\t_\t_\t_\t_\t%d\tdep\t_\t%s\n", id, (int)len, line, id == 1 ? 0 : 1,
                          line[len] == '|' ? "SpaceAfter=No" : "_");
            line += len + (line[len] != '\0');
        }
        strbuf_putc(&conll, '\n');
    }
    learn(t, (StrView){ conll.ptr, conll.len }, SMALL);
}
#define LEARN(t, lines) learn_lines(t, lines, sizeof(lines) / sizeof *(lines))

TEST(addresses_and_numbers_are_tokens_in_a_language_with_blanks)
{
    static const char *const french[] = { "L'|homme voit le chat|.",      "Le chat mange|.",
                                          "Il paie 40|% du prix|.",       "L'|eau coûte 3 euros|, dit -il|.",
                                          "« Il mange le chat|. »",       "Le 12 à 9 heures il mange|.",
                                          "Il voit « le chat » et dort|." };
    FREED(trained_text_fini) TrainedText t;
    LEARN(&t, french);
    assert_true(t.blanks && t.cased && t.dates == TRAINED_DATES_OPEN);
    SegmentOptions o = { 0 };
    assert_segmented(&t, "L'homme voit (www.example.com/a?b=1). Il paie 1,234.50% du prix.", o,
                     "*L' homme voit ( www.example.com/a?b=1 ) . | Il paie 1,234.50 % du prix .");
    assert_segmented(&t, "Le 2026-11-29 à 9 heures il mange.", o, "*Le 2026-11-29 à 9 heures il mange .");
    assert_segmented(&t, "Il paie 10:30:05% du prix.", o, "*Il paie 10:30:05 % du prix .");
    assert_segmented(&t, "Il voit le.chat@example.co.uk.", o, "*Il voit le.chat@example.co.uk .");
    assert_segmented(&t, "« Il mange le chat. » Le chat mange.", o, "*« Il mange le chat . » | Le chat mange .");
}

TEST(tokens_of_other_scripts_in_a_language_without_blanks)
{
    static const char *const japanese[] = { "猫|は|東京|へ|行く|。",       "2026|年|5|月|3|日|に|犬|を|見た|。",
                                            "「|犬|は|魚|を|食べた|。|」", "犬|が|11|月|に|来た|。",
                                            "私|は|魚|を|買った|。",       "東京|で|猫|が|2019|年|4|月|に|寝た|。" };
    FREED(trained_text_fini) TrainedText t;
    LEARN(&t, japanese);
    assert_true(!t.blanks && !t.cased && t.dates == TRAINED_DATES_APART);
    SegmentOptions o = { 0 };
    assert_segmented(&t, "私はiPhone 15 Pro Maxを買った。猫は東京へ行く。", o,
                     "*私 は iPhone 15 Pro Max を 買った 。 | 猫 は 東京 へ 行く 。");
    assert_segmented(&t, "猫はhttps://example.jp/a_b.html?x=1へ行く。犬はmain.pyとAT&TとO'Neilを見た。", o,
                     "*猫 は https://example.jp/a_b.html?x=1 へ 行く 。 | "
                     "犬 は main.py と AT&T と O'Neil を 見た 。");
    assert_segmented(&t, "2027年8月30日に1,234,567.5を食べた。", o, "*2027 年 8 月 30 日 に 1,234,567.5 を 食べた 。");
    assert_segmented(&t, "猫 は 東京 へ 行く 。 犬 は 魚 を 食べた 。", o,
                     "*猫 は 東京 へ 行く 。 | 犬 は 魚 を 食べた 。"); /* a blank ends a token and no sentence */
    assert_segmented(&t, "「犬は魚を食べた。」猫は東京へ行く。", o,
                     "*「 犬 は 魚 を 食べた 。 」 | 猫 は 東京 へ 行く 。");
    assert_segmented(&t, "犬 は魚を食べ た。", (SegmentOptions){ .words = true }, "*犬 は魚を食べ た。");
}

TEST(signs_of_dates_are_where_the_treebank_has_them)
{
    static const char *const chinese[] = { "他|5月|3日|来|了|。", "会议|于|2026年|11月|举行|。",
                                           "12月|31日|他|走|了|。", "他|住|了|3|年|。", "休息|了|15|日|。" };
    FREED(trained_text_fini) TrainedText t;
    LEARN(&t, chinese);
    assert_int_equal(t.dates, TRAINED_DATES_JOINED);
    SegmentOptions o = { 0 };
    assert_segmented(&t, "29日他来了。会议于2031年7月举行。", o, "*29日 他 来 了 。 | 会议 于 2031年 7月 举行 。");
    assert_segmented(&t, "他住了4年。", o, "*他 住 了 4 年 。");
}

TEST(numbers_are_apart_from_what_is_counted)
{
    static const char *const chinese[] = { "他|有|三|本|书|。", "她|看|了|五|本|书|。", "书|有|一些|。",
                                           "他|看|书|。" };
    FREED(trained_text_fini) TrainedText t;
    LEARN(&t, chinese);
    SegmentOptions o = { 0 };
    assert_segmented(&t, "他有二十五本书。", o, "*他 有 二十五 本 书 。");
    assert_segmented(&t, "他有八十本书。她看了两千本书。", o, "*他 有 八十 本 书 。 | 她 看 了 两千 本 书 。");
    assert_segmented(&t, "他有24本书。她看了186亿本书。", o, "*他 有 24 本 书 。 | 她 看 了 186亿 本 书 。");
    assert_segmented(&t, "他有30多本书。她看了3万余本书。", o, "*他 有 30多 本 书 。 | 她 看 了 3万余 本 书 。");
    assert_segmented(&t, "他看第十七本书。她看第28本书。", o, "*他 看 第十七 本 书 。 | 她 看 第28 本 书 。");
    assert_segmented(&t, "她看第三本书。", o, "*她 看 第三 本 书 。");
    assert_segmented(&t, "他看三张书。她看七辆书。", o, "*他 看 三 张 书 。 | 她 看 七 辆 书 。");
    assert_segmented(&t, "他看了百分之二十三。", o, "*他 看 了 百分之二十三 。");
    assert_segmented(&t, "书有一些。她看三本书。", o, "*书 有 一些 。 | 她 看 三 本 书 。");
}

TEST(marks_of_questions_and_exclamations_end_sentences)
{
    static const char *const chinese[] = { "他|看|书|。", "“|他|看|书|！|她|来|了|。|”", "她|来|了|吗|？", "他|来|。" };
    FREED(trained_text_fini) TrainedText t;
    LEARN(&t, chinese);
    SegmentOptions o = { 0 };
    assert_segmented(&t, "他看书！她来了吗？他来。", o, "*他 看 书 ！ | 她 来 了 吗 ？ | 他 来 。");
    assert_segmented(&t, "“他看书！她来了。”", o, "*“ 他 看 书 ！ 她 来 了 。 ”");
}

TEST(latin_words_in_a_script_without_capitals_that_has_blanks)
{
    static const char *const thai[] = { "แมว|กิน|ปลา ที่|วัด ", "หมา|กิน|ปลา ใน|วัด ", "หมา|เห็น|แมว " };
    FREED(trained_text_fini) TrainedText t;
    LEARN(&t, thai);
    assert_true(t.blanks && !t.cased);
    assert_segmented(&t, "แมวกินปลา ที่วัด\n\nหมาเห็นiPhone15 ในwww.example.com", (SegmentOptions){ 0 },
                     "*แมว กิน ปลา ที่ วัด | *หมา เห็น iPhone15 ใน www.example.com");
}

/* ---- Viterbi's algorithm and all sequences */

static bool follows(const TrainedChar *c, int before, int label)
{
    bool open = before == TRAINED_INSIDE || before == TRAINED_BEGINS;
    if (c->class == TRAINED_SPACE) return open ? c->plain && label == TRAINED_INSIDE : label == TRAINED_OUTSIDE;
    if (label == TRAINED_OUTSIDE) return false;
    return open == (label == TRAINED_INSIDE || label == TRAINED_ENDS);
}

static int score_at(const TrainedText *t, const TrainedScan *s, int k, int before, int label)
{
    uint32_t at[TRAINED_FEATURES];
    int n = trained_char_features(t, s, k, at), sum = 0;
    if (label == TRAINED_OUTSIDE) return 0;
    for (int i = 0; i < n; i++) sum += trained_weight(t, at[i] + (uint32_t)label);
    return before < 0 ? sum : sum + trained_weight(t, trained_transition(t, before) + (uint32_t)label);
}

/* The largest sum of labels k .. to - 1. */
static int brute(const TrainedText *t, const TrainedScan *s, int k, int to, int before)
{
    int best = -1000000000;
    if (k == to) return before == TRAINED_ENDS || before == TRAINED_SINGLE ? 0 : best;
    for (int x = 0; x < TRAINED_LABELS; x++) {
        if (!follows(&s->c[k], before, x)) continue;
        int sum = score_at(t, s, k, before, x) + brute(t, s, k + 1, to, x);
        if (sum > best) best = sum;
    }
    return best;
}

TEST(the_best_labels_are_those_of_all_sequences)
{
    FREED(trained_text_fini) TrainedText t;
    learn_spaced(&t, true);
    static const char *const texts[] = { "O", "do.", "do-lo x!", "a  b.o-", "le\nmo lo", "rio.O so" };
    for (int seed = 0; seed < 40; seed++) {
        for (int i = 0; seed && i < 1 << t.bits; i++)
            t.weights[i] = (int8_t)(rng_bits32((uint64_t)seed, (uint32_t)i) % 255 - 127);
        StrView text = view(texts[seed % 6]);
        TrainedScan s = { 0 };
        uint8_t label[16];
        assert_true(trained_scan(&s, &t, text, NEWLINES_AUTO));
        int to = s.n - 1, sum = 0;
        assert_true(trained_decode(&t, &s, 1, to, 0, NULL, label));
        for (int k = 1; k < to; k++) {
            assert_true(follows(&s.c[k], k > 1 ? label[k - 1] : TRAINED_OUTSIDE, label[k]));
            sum += score_at(&t, &s, k, k > 1 ? label[k - 1] : -1, label[k]);
        }
        assert_int_equal(sum, brute(&t, &s, 1, to, -1));
        mem_free(s.c);
    }
}

/* ---- files */

TEST(learning_twice_gives_the_same_bytes_and_reading_gives_them_back)
{
    FREED(trained_text_fini) TrainedText t, same, read;
    FREED(strbuf_fini) StrBuf bytes = { 0 }, again = { 0 }, back = { 0 };
    learn_spaced(&t, true);
    learn_spaced(&same, true);
    assert_true(t.whole.n > 2 && t.ends.n > 2);
    assert_true(trained_filter_make(&t, view("gato\nrio\n")) && trained_filter_make(&same, view("gato\nrio\n")));
    TextBlock table = text_block(view("б b\nа a\n𠉂 c\n"), "table");
    assert_ok(trained_variants_read(&t, table, test_error()));
    assert_ok(trained_variants_read(&same, table, test_error()));
    trained_text_save(&t, &bytes);
    trained_text_save(&same, &again);
    assert_equal_texts(&bytes, &again);
    assert_ok(trained_text_load(&read, (StrView){ bytes.ptr, bytes.len }, "f", test_error()));
    trained_text_save(&read, &back);
    assert_equal_texts(&bytes, &back);
}

TEST(bytes_of_no_segmenter_are_an_error)
{
    FREED(trained_text_fini) TrainedText t;
    FREED(strbuf_fini) StrBuf bytes = { 0 };
    learn_spaced(&t, true);
    trained_text_save(&t, &bytes);
    for (size_t n = 0; n < bytes.len; n += n < 30 || n > bytes.len - 300 ? 1 : 997) {
        FREED(trained_text_fini) TrainedText cut;
        assert_fails_with(trained_text_load(&cut, (StrView){ bytes.ptr, n }, "f", test_error()), ERR_FORMAT, "found");
    }
    strbuf_putc(&bytes, 0);
    FREED(trained_text_fini) TrainedText longer;
    assert_fails_with(trained_text_load(&longer, (StrView){ bytes.ptr, bytes.len }, "f", test_error()), ERR_FORMAT,
                      "found other bytes");
}

TEST(errors_of_arguments_and_text)
{
    FREED(trained_text_fini) TrainedText t, none;
    FREED(segmented_text_fini) SegmentedText out = { 0 };
    assert_fails(trained_text_learn(&none, NULL, 0, SMALL, test_error()), ERR_FORMAT, "found no word to learn from");
    trained_text_fini(&none);
    assert_fails_with(trained_text_learn(&none, NULL, 0, (TrainedTextOptions){ .bits = 40 }, test_error()), ERR_RANGE,
                      "found 40 bits");
    learn_spaced(&t, true);
    assert_fails_with(trained_text_segment(&t, &out, text_block(view("a\xff"), "f"), (SegmentOptions){ 0 },
                                           test_arena(), test_error()),
                      ERR_FORMAT, "not UTF-8");
}

TEST(without_memory_nothing_is_lost)
{
    FREED(trained_text_fini) TrainedText t;
    learn_spaced(&t, true);
    for (long n = 0; allocation_fails(n); n++) {
        FREED(segmented_text_fini) SegmentedText out = { 0 };
        MADE(Arena, arena_init, arena_fini, a, 64);
        mem_fail_after(n);
        assert_ok_or_no_memory(trained_text_segment(&t, &out, text_block(view("O sol bate-lo do rio. O gato."), "f"),
                                                    (SegmentOptions){ 0 }, &a, test_error()));
    }
}
