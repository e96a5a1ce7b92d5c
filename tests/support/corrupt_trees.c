/* Corrupt_trees N SEED STEM writes N trees of the test grammar to STEM.gold, and the
 * same trees with random errors to STEM.test: changed labels, tags and words; removed, moved and added brackets; unary
 * chains; removed words; trees without brackets; empty lines. The same seed gives the same files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "tests/support/grammar.h"

typedef struct Draw {
    uint64_t key;
    uint32_t at;
} Draw;

static int draw(Draw *d, int n) { return (int)(rng_bits32(d->key, d->at++) % (uint32_t)n); }

static const char *const LABELS[] = { "NP",     "VP",   "PP", "S",   "ADVP", "PRT", "SBAR",
                                      "NP-SBJ", "NP=2", "-X", "TOP", "S1",   "X" };
static const char *const TAGS[] = { "NN", "VB", ",", ".", ":", "``", "''", "-NONE-", "CC", "$", "NN-1", "VB=2", "POS" };
enum { N_LABELS = sizeof LABELS / sizeof *LABELS, N_TAGS = sizeof TAGS / sizeof *TAGS };

static void remove_phrase(Sentence *s, int p)
{
    memmove(&s->phrases[p], &s->phrases[p + 1], (size_t)(s->n_phrases - p - 1) * sizeof *s->phrases);
    s->n_phrases--;
}

/* Inserts a phrase over [begin, end), inside phrases over the same words. The array has room for it. */
static void insert_phrase(Sentence *s, int begin, int end, const char *label)
{
    int p = 0;
    while (p < s->n_phrases &&
           (s->phrases[p].begin < begin || (s->phrases[p].begin == begin && s->phrases[p].end >= end)))
        p++;
    memmove(&s->phrases[p + 1], &s->phrases[p], (size_t)(s->n_phrases - p) * sizeof *s->phrases);
    s->phrases[p] = (Phrase){ begin, end, label };
    s->n_phrases++;
}

static bool crosses(const Sentence *s, int begin, int end)
{
    for (int p = 0; p < s->n_phrases; p++) {
        int b = s->phrases[p].begin, e = s->phrases[p].end;
        if ((b < begin && begin < e && e < end) || (begin < b && b < end && end < e)) return true;
    }
    return false;
}

static void remove_word(Sentence *s, int w)
{
    memmove(&s->words[w], &s->words[w + 1], (size_t)(s->n_words - w - 1) * sizeof *s->words);
    memmove(&s->tags[w], &s->tags[w + 1], (size_t)(s->n_words - w - 1) * sizeof *s->tags);
    s->n_words--;
    for (int p = s->n_phrases; p-- > 0;) {
        s->phrases[p].begin -= s->phrases[p].begin > w;
        s->phrases[p].end -= s->phrases[p].end > w;
        if (s->phrases[p].begin == s->phrases[p].end) remove_phrase(s, p);
    }
}

static void corrupt(Sentence *s, Draw *d)
{
    for (int k = draw(d, 5); k > 0; k--) {
        int w = draw(d, s->n_words), p = s->n_phrases ? draw(d, s->n_phrases) : -1;
        int begin = draw(d, s->n_words), end = begin + 1 + draw(d, s->n_words - begin);
        switch (draw(d, 12)) {
        case 0:
        case 1:
        case 2:
            if (p >= 0) s->phrases[p].label = LABELS[draw(d, N_LABELS)];
            break;
        case 3:
            if (p >= 0) remove_phrase(s, p);
            break;
        case 4: /* move by one word, so that it crosses gold phrases */
            if (p < 0) break;
            begin = s->phrases[p].begin + 1;
            end = s->phrases[p].end + 1;
            remove_phrase(s, p);
            for (int q = s->n_phrases; q-- > 0;) /* remove the phrases it would cross */
                if (s->phrases[q].begin < end && end < s->phrases[q].end && s->phrases[q].begin > 0)
                    remove_phrase(s, q);
            if (end <= s->n_words && !crosses(s, begin, end)) insert_phrase(s, begin, end, LABELS[draw(d, N_LABELS)]);
            break;
        case 5:
        case 6:
        case 7:
            if (!crosses(s, begin, end)) insert_phrase(s, begin, end, LABELS[draw(d, N_LABELS)]);
            break;
        case 8:
        case 9: s->tags[w] = TAGS[draw(d, N_TAGS)]; break;
        case 10:
            if (draw(d, 10) == 0 && s->n_words > 2) remove_word(s, w);
            break;
        case 11:
            if (draw(d, 10) == 0) s->words[w] = draw(d, 3) ? "'" : "changed";
            if (draw(d, 20) == 0) s->n_phrases = 0;
            break;
        }
    }
}

/* Tags each quotation mark as opening, closing or possessive. */
static void tag_quotes(Sentence *s, Draw *d)
{
    static const char *const tags[] = { "``", "''", "POS" };
    for (int w = 0; w < s->n_words; w++)
        if (strcmp(s->words[w], "'") == 0) s->tags[w] = tags[draw(d, 3)];
}

static bool write_file(const char *stem, const char *ending, const StrBuf *text)
{
    char path[512];
    FileWriter w;
    Error e = { 0 };
    snprintf(path, sizeof path, "%s.%s", stem, ending);
    if (text->failed || filewriter_open(&w, path, &e) != OK) return false;
    filewriter_write(&w, text->ptr, text->len);
    return filewriter_close(&w, true, &e) == OK;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    Treebank tb;
    StrBuf gold = { 0 }, test = { 0 };
    treebank_init(&tb);
    if (!grammar_sentences(&tb, atoi(argv[1]), (uint64_t)atol(argv[2]))) return 1;
    for (int k = 0; k < tb.n; k++) {
        Sentence *s = &tb.s[k];
        Draw d = { rng_key((uint64_t)atol(argv[2]), (uint64_t)k, 1, 2), 0 };
        Phrase *room = arena_alloc(&tb.arena, (size_t)s->n_phrases + 8, sizeof *room);
        if (!room) return 1;
        memcpy(room, s->phrases, (size_t)s->n_phrases * sizeof *room);
        s->phrases = room;
        if (draw(&d, 20) == 0) corrupt(s, &d); /* some gold trees have errors, too */
        int quotes = draw(&d, 4) ? 0 : 3;
        for (int q = 0; q < quotes; q++) s->words[draw(&d, s->n_words)] = "'";
        tag_quotes(s, &d);
        tree_write(&gold, s);
        strbuf_putc(&gold, '\n');
        tag_quotes(s, &d);
        corrupt(s, &d);
        int odd = draw(&d, 200);
        if (odd == 0) strbuf_puts(&test, "()");
        else if (odd == 1) strbuf_puts(&test, "(())");
        else if (odd > 2) tree_write(&test, s); /* 2: an empty line */
        strbuf_putc(&test, '\n');
    }
    bool written = write_file(argv[3], "gold", &gold) && write_file(argv[3], "test", &test);
    strbuf_fini(&gold);
    strbuf_fini(&test);
    treebank_fini(&tb);
    return written ? 0 : 1;
}
