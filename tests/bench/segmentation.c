/* What language/trained/ learns of a treebank, as F1 of tokens, words and sentences.
 *
 *     segmentation [--words LIST] [--bits N] [--epochs N] TRAIN[,TRAIN]... TEST...
 *
 * Each TEST is segmented as one text and scored as in the CoNLL 2018 shared task (Zeman et al. 2018): a token or a
 * sentence is right if its first and last characters are; the words of multiword tokens are matched by their longest
 * common subsequence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/map.h"
#include "eval/subsequence.h"
#include "language/trained/trained_internal.h"
#include "treebank/reader.h"

typedef struct Unit { /* a token, its words, or a sentence */
    size_t begin, end;
    const char *const *words;
    int n_words;
} Unit;

typedef struct Units {
    Unit *unit;
    int n, cap;
} Units;

typedef struct Score {
    const char *name;
    long gold, found, right;
} Score;

static void give_up(const char *what)
{
    fprintf(stderr, "segmentation: %s\n", what);
    exit(1);
}

static void add(Units *u, Unit x)
{
    if (!mem_reserve(u->unit, &u->cap, u->n + 1)) give_up("out of memory");
    u->unit[u->n++] = x;
}

static void load(Treebank *tb, const char *paths)
{
    Error e = { 0 };
    char path[512];
    for (; *paths; paths += strcspn(paths, ","), paths += *paths == ',') {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(paths, ","), paths);
        if (treebank_load(tb, path, (ReaderOptions){ .keep_lines = true, .bare = true }, &e) != OK) give_up(e.message);
    }
}

/* ---- the text of a treebank */

static void write_text(const TrainedGold *g, StrBuf *text, Units *tokens, Units *sentences)
{
    for (int s = 0; s < g->n_sentences; s++) {
        size_t begin = text->len, end = begin;
        for (int k = g->sentence[s]; k < g->sentence[s + 1]; k++) {
            const TrainedGoldToken *x = &g->token[k];
            size_t from = text->len;
            strbuf_puts(text, x->form);
            end = text->len;
            add(tokens, (Unit){ from, end, x->words, x->n_words });
            if (x->blank) strbuf_putc(text, ' ');
        }
        add(sentences, (Unit){ begin, end, NULL, 0 });
        if (s + 1 < g->n_sentences && g->paragraph[s + 1]) strbuf_puts(text, "\n\n");
    }
}

static void read_units(const SegmentedText *t, Units *tokens, Units *sentences, Arena *a)
{
    for (int k = 0; k < t->n_tokens;) {
        const Token *x = &t->tokens[k];
        int n = x->words ? x->words : 1;
        const char **words = arena_alloc(a, (size_t)n, sizeof *words);
        if (!words) give_up("out of memory");
        for (int i = 0; i < n; i++) words[i] = x[i].form;
        add(tokens, (Unit){ x->begin, x->end, words, n });
        k += n;
    }
    for (int k = 0; k < t->n_sentences; k++) {
        const TextSentence *s = &t->sentences[k];
        add(sentences, (Unit){ t->tokens[s->first].begin, t->tokens[s->first + s->n - 1].end, NULL, 0 });
    }
}

/* ---- scores */

static void score_places(Score *s, const Units *gold, const Units *found)
{
    s->gold += gold->n;
    s->found += found->n;
    for (int i = 0, j = 0; i < gold->n && j < found->n;) {
        const Unit *x = &gold->unit[i], *y = &found->unit[j];
        s->right += x->begin == y->begin && x->end == y->end;
        if (x->end <= y->end) i++;
        if (y->end <= x->end) j++;
    }
}

/* Numbers of the words of units from .. to - 1, in lower case. */
static int number_words(StrMap *m, const Units *u, int from, int to, int *out)
{
    StrBuf word = { 0 };
    int n = 0;
    for (int k = from; k < to; k++)
        for (int i = 0; i < u->unit[k].n_words; i++) {
            strbuf_clear(&word);
            text_lower(&word, u->unit[k].words[i], strlen(u->unit[k].words[i]));
            out[n++] = map_add(m, word.ptr, word.len);
        }
    strbuf_fini(&word);
    return n;
}

enum { REGION = 4096 };

static long match_region(const Units *gold, int i, int i_end, const Units *found, int j, int j_end)
{
    static int x[REGION], y[REGION], match[REGION];
    StrMap m;
    long right = 0;
    map_init(&m);
    int n = number_words(&m, gold, i, i_end, x), k = number_words(&m, found, j, j_end, y);
    if (!subsequence_match(x, n, y, k, m.n, match)) give_up("out of memory");
    for (int w = 0; w < n; w++) right += match[w] >= 0;
    map_fini(&m);
    return right;
}

/* Words outside multiword tokens count by place, words in a region that has a multiword token by form. */
static void score_words(Score *s, const Units *gold, const Units *found)
{
    for (int k = 0; k < gold->n; k++) s->gold += gold->unit[k].n_words;
    for (int k = 0; k < found->n; k++) s->found += found->unit[k].n_words;
    for (int i = 0, j = 0; i < gold->n && j < found->n;) {
        const Unit *x = &gold->unit[i], *y = &found->unit[j];
        if (x->n_words == 1 && x->end <= y->begin) {
            i++;
            continue;
        }
        if (y->n_words == 1 && y->end <= x->begin) {
            j++;
            continue;
        }
        if (x->n_words == 1 && y->n_words == 1) {
            s->right += x->begin == y->begin && x->end == y->end;
            if (x->end <= y->end) i++;
            if (y->end <= x->end) j++;
            continue;
        }
        size_t end = x->n_words > 1 ? x->end : y->end;
        if (x->n_words > 1 && y->n_words > 1 && y->begin < x->end && y->end > end) end = y->end;
        int i_end = i, j_end = j;
        for (bool more = true; more;) {
            more = false;
            for (; i_end < gold->n && gold->unit[i_end].begin < end; i_end++)
                if (gold->unit[i_end].n_words > 1 && gold->unit[i_end].end > end)
                    end = gold->unit[i_end].end, more = true;
            for (; j_end < found->n && found->unit[j_end].begin < end; j_end++)
                if (found->unit[j_end].n_words > 1 && found->unit[j_end].end > end)
                    end = found->unit[j_end].end, more = true;
        }
        s->right += match_region(gold, i, i_end, found, j, j_end);
        i = i_end;
        j = j_end;
    }
}

static void show(const Score *s)
{
    printf("  %s %.2f", s->name, 200.0 * (double)s->right / (double)(s->gold + s->found));
}

static void show_errors(const Units *gold, const Units *found, const char *text, int most)
{
    for (int i = 0, j = 0; i < gold->n && j < found->n && most > 0;) {
        const Unit *x = &gold->unit[i], *y = &found->unit[j];
        bool same = x->begin == y->begin && x->end == y->end, words = x->n_words == y->n_words;
        for (int k = 0; same && words && k < x->n_words && x->n_words > 1; k++)
            words = strcasecmp(x->words[k], y->words[k]) == 0;
        if (!same || !words) {
            size_t from = x->begin < y->begin ? x->begin : y->begin, to = x->end > y->end ? x->end : y->end;
            fprintf(stderr, "...%.*s: gold", (int)(to + 12 - from), text + from);
            for (int k = 0; k < x->n_words; k++) fprintf(stderr, " %s", x->words[k]);
            fprintf(stderr, "; found");
            for (int k = 0; k < y->n_words; k++) fprintf(stderr, " %s", y->words[k]);
            fprintf(stderr, "\n");
            most--;
        }
        if (x->end <= y->end) i++;
        if (y->end <= x->end) j++;
    }
}

static void test(const TrainedText *t, const char *path, int errors)
{
    Treebank tb;
    TrainedGold gold;
    StrBuf text = { 0 };
    SegmentedText found = { 0 };
    Units units[2][2] = { 0 };
    Score scores[] = { { "tokens", 0, 0, 0 }, { "words", 0, 0, 0 }, { "sentences", 0, 0, 0 } };
    Error e = { 0 };
    Arena a;
    arena_init(&a, 1 << 16);
    treebank_init(&tb);
    load(&tb, path);
    if (trained_gold(&gold, tb.s, tb.n, &e) != OK) give_up(e.message);
    write_text(&gold, &text, &units[0][0], &units[0][1]);
    if (trained_text_segment(t, &found, text_block((StrView){ text.ptr, text.len }, path), (SegmentOptions){ 0 }, &a,
                             &e) != OK)
        give_up(e.message);
    read_units(&found, &units[1][0], &units[1][1], &a);
    score_places(&scores[0], &units[0][0], &units[1][0]);
    score_words(&scores[1], &units[0][0], &units[1][0]);
    score_places(&scores[2], &units[0][1], &units[1][1]);
    printf("%s", path);
    for (int k = 0; k < 3; k++) show(&scores[k]);
    printf("\n");
    show_errors(&units[0][0], &units[1][0], text.ptr, errors);
    for (int k = 0; k < 4; k++) mem_free(units[k / 2][k % 2].unit);
    segmented_text_fini(&found);
    strbuf_fini(&text);
    trained_gold_fini(&gold);
    treebank_fini(&tb);
    arena_fini(&a);
}

int main(int argc, char **argv)
{
    TrainedTextOptions o = { 0 };
    TrainedText t;
    StrBuf words = { 0 }, file = { 0 };
    Error e = { 0 };
    Treebank tb;
    int k = 1, errors = 0;
    for (; k + 1 < argc && argv[k][0] == '-'; k += 2) {
        if (strcmp(argv[k], "--words") == 0 && file_read_text(argv[k + 1], &words, &e) != OK) give_up(e.message);
        if (strcmp(argv[k], "--bits") == 0) o.bits = atoi(argv[k + 1]);
        if (strcmp(argv[k], "--epochs") == 0) o.epochs = atoi(argv[k + 1]);
        if (strcmp(argv[k], "--errors") == 0) errors = atoi(argv[k + 1]);
    }
    if (k + 1 >= argc) give_up("[--words LIST] [--bits N] [--epochs N] [--errors N] TRAIN[,TRAIN]... TEST...");
    o.words = (StrView){ words.ptr, words.len };
    treebank_init(&tb);
    load(&tb, argv[k++]);
    if (trained_text_learn(&t, tb.s, tb.n, o, &e) != OK) give_up(e.message);
    for (; k < argc; k++) test(&t, argv[k], errors);
    trained_text_save(&t, &file);
    printf("%zu bytes, %d multiword tokens, %d rules\n", file.len, t.whole.n, t.ends.n + t.begins.n);
    strbuf_fini(&file);
    strbuf_fini(&words);
    trained_text_fini(&t);
    treebank_fini(&tb);
    return 0;
}
