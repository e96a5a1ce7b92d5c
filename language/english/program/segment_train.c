/* Trains the weights of language/english/text/segment_boundary.h and writes them as C.
 *
 *     segment-train ABBREVIATIONS LINES[=WEIGHT]... > language/english/text/segment.weights
 *     segment-train --test LINES...           scores of the weights compiled in, over all forms
 *
 * LINES is the output of sentence_lines.py: one sentence per line, an empty line between paragraphs, a form feed after
 * a document. Each document is used in several forms: with its paragraphs, with half of them joined, without line
 * breaks, with one line per paragraph, with one line per sentence, with lines wrapped at a width, and with lines broken
 * anywhere; so the weights of line breaks depend on the text around them. Words of the text, broken somewhere or at
 * their hyphen, are the examples for the weights of segment_join.c; all its words and the
 * file ABBREVIATIONS are examples for the letters of abbreviations (segment_stops.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "language/english/text/segment_boundary.h"

enum { EPOCHS = 10, AVERAGED = 6, SCALE = 12 };
static const double RATE = 0.1, L1 = 3.0, L2 = 1.0;

enum Form { PARAGRAPHS, FLAT, PARAGRAPH_LINES, SENTENCE_LINES, WRAPPED, RAGGED, SOME_PARAGRAPHS, FORMS };
static const double FORM_WEIGHT[FORMS] = { 1, 1, 0.4, 0.2, 0.2, 0.05, 0.5 };

typedef struct Example {
    size_t at; /* its weights are places[at] .. places[at + n - 1] */
    int n;
    bool ends;
    float weight;
} Example;

typedef struct Set {
    Example *examples;
    int n, cap;
    uint32_t *places;
    int n_places, cap_places;
} Set;

typedef struct Document {
    StrBuf text;
    size_t *ends; /* [n] byte of the text where each sentence ends */
    int n, cap;
} Document;

/* Random numbers from a counter. */
typedef struct Rng {
    uint64_t next;
} Rng;

static uint32_t draw(Rng *r, uint32_t below) { return (uint32_t)(rng_mix(r->next++) >> 32) % below; }

static void give_up(const char *what)
{
    fprintf(stderr, "segment-train: %s\n", what);
    exit(1);
}

/* ---- forms of a document */

static void add_word(Document *d, const char *word, size_t n, size_t *column, size_t width)
{
    if (width && *column && *column + n > width) {
        d->text.ptr[d->text.len - 1] = '\n';
        *column = 0;
    }
    strbuf_add(&d->text, word, n);
    *column += n;
}

/* Appends a sentence in lines of at most `width` bytes; 0: no line breaks; `ragged`: a random width for each word. */
static void add_sentence(Document *d, StrView line, size_t *column, size_t width, bool ragged, Rng *rng)
{
    bool glued = line.len && line.ptr[line.len - 1] == '\t';
    if (glued) line.len--;
    for (size_t i = 0; i < line.len;) {
        const char *blank = memchr(line.ptr + i, ' ', line.len - i);
        size_t end = blank ? (size_t)(blank - line.ptr) : line.len;
        size_t w = ragged ? 30 + draw(rng, 50) : width;
        add_word(d, line.ptr + i, end - i, column, w);
        i = end + 1;
        if (end < line.len) {
            strbuf_putc(&d->text, ' ');
            ++*column;
        }
    }
    if (!mem_reserve(d->ends, &d->cap, d->n + 1)) give_up("out of memory");
    d->ends[d->n++] = d->text.len;
    if (!glued) strbuf_putc(&d->text, ' ');
    *column += !glued;
}

/* Reads the lines from *at to the end of the document and writes it in one form; false at the end of the file. */
static bool next_document(Document *d, StrView file, size_t *at, int form, Rng *rng)
{
    StrView line;
    size_t column = 0, width = form == WRAPPED ? 50 + draw(rng, 40) : 0;
    strbuf_clear(&d->text);
    d->n = 0;
    while (text_line(file, at, &line)) {
        if (line.len == 1 && line.ptr[0] == '\f') return true;
        if (line.len) {
            add_sentence(d, line, &column, width, form == RAGGED, rng);
            if (form == SENTENCE_LINES && d->text.ptr[d->text.len - 1] == ' ') d->text.ptr[d->text.len - 1] = '\n';
        } else if (form == PARAGRAPHS || (form == SOME_PARAGRAPHS && draw(rng, 2))) strbuf_puts(&d->text, "\n\n");
        else if (form == PARAGRAPH_LINES || form == WRAPPED) {
            strbuf_puts(&d->text, "\n");
            column = 0;
        }
    }
    return d->n > 0;
}

/* ---- examples */

static bool ends_here(const Document *d, int *next, size_t byte)
{
    while (*next < d->n && d->ends[*next] < byte) ++*next;
    return *next < d->n && d->ends[*next] == byte;
}

static void add_example(Set *set, const uint32_t *at, int n, bool ends, double weight)
{
    if (!mem_reserve(set->examples, &set->cap, set->n + 1) ||
        !mem_reserve(set->places, &set->cap_places, set->n_places + n))
        give_up("out of memory");
    set->examples[set->n++] = (Example){ (size_t)set->n_places, n, ends, (float)weight };
    memcpy(set->places + set->n_places, at, (size_t)n * sizeof *at);
    set->n_places += n;
}

static void add_document(Set *set, const Document *d, double weight)
{
    SegmentedText t = { 0 };
    Arena a;
    Error e = { 0 };
    int next = 0;
    arena_init(&a, 1 << 16);
    TextBlock block = text_block((StrView){ d->text.ptr, d->text.len }, "text");
    if (segment_text(&t, block, (SegmentOptions){ .markup = MARKUP_NONE }, &a, &e) != OK) give_up(e.message);
    Segmenter s = { .text = { d->text.ptr, d->text.len }, .out = &t };
    t.habits = (TextHabits){ 0 }; /* again, paragraph by paragraph */
    for (int p = 0; p < t.n_sentences;) {
        int q = p + 1;
        while (q < t.n_sentences && !t.sentences[q].new_paragraph) q++;
        int first = t.sentences[p].first, end = q < t.n_sentences ? t.sentences[q].first : t.n_tokens;
        Boundary b;
        segment_read_habits(&s, first, end);
        boundary_init(&b, &s, first, end);
        for (int k = first + 1; k < end; k++) {
            uint32_t at[BOUNDARY_FEATURES];
            int n = boundary_features(&b, k, at);
            bool ends = ends_here(d, &next, t.tokens[k - 1].end);
            if (n) add_example(set, at, n, ends, weight);
            boundary_next(&b, k, ends);
        }
        p = q;
    }
    segmented_text_fini(&t);
    arena_fini(&a);
}

/* ---- words that are broken at the end of a line */

static bool is_vowel(char c) { return strchr("aeiouyAEIOUY", c) != NULL; }
static bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool has_vowel(StrView v)
{
    for (size_t i = 0; i < v.len; i++)
        if (is_vowel(v.ptr[i])) return true;
    return false;
}

/* May a word be broken before letter i? Two letters and a vowel before it, three and a vowel from it on; between two
 * consonants that are not one sound, or before a consonant and a vowel; `any`: anywhere else, too. */
static bool may_break(StrView word, size_t i, bool any)
{
    const char *p = word.ptr + i;
    if (i < 2 || i + 3 > word.len) return false;
    if (!has_vowel((StrView){ word.ptr, i }) || !has_vowel((StrView){ p, word.len - i })) return false;
    bool one_sound = strchr("hH", p[0]) && strchr("tscpwgTSCPWG", p[-1]);
    return !one_sound && (any || (!is_vowel(p[0]) && (!is_vowel(p[-1]) || is_vowel(p[1]))));
}

static void add_break(Set *set, StrView left, StrView right, bool one_word, double weight)
{
    uint32_t at[JOIN_FEATURES];
    int n = segment_join_features(left, right, at);
    add_example(set, at, n, one_word, weight);
}

enum { SAMPLED = 3 }; /* one word of three is broken */

/* A word of the text, without marks around it: if it has one hyphen, it is broken there, else somewhere. */
static void break_word(Set *set, StrView word, double weight, Rng *rng)
{
    size_t hyphen = 0, letters = 0;
    for (size_t i = 0; i < word.len; i++) {
        letters += is_ascii_letter(word.ptr[i]);
        if (word.ptr[i] == '-') hyphen = i;
    }
    if (hyphen > 1 && hyphen + 1 < word.len && letters + 1 == word.len) {
        StrView left = { word.ptr, hyphen }, right = { word.ptr + hyphen + 1, word.len - hyphen - 1 };
        bool capital = right.ptr[0] >= 'A' && right.ptr[0] <= 'Z';
        if (!capital) add_break(set, left, right, false, weight);
    }
    if (letters < word.len || letters < 5 || draw(rng, SAMPLED)) return;
    bool any = draw(rng, 8) == 0;
    size_t i = 1 + draw(rng, (uint32_t)word.len - 1);
    for (size_t tries = 0; tries < word.len; tries++, i = i + 1 < word.len ? i + 1 : 1) {
        if (!may_break(word, i, any)) continue;
        add_break(set, (StrView){ word.ptr, i }, (StrView){ word.ptr + i, word.len - i }, true, SAMPLED * weight);
        return;
    }
}

static void break_words(Set *set, StrView text, double weight)
{
    Rng rng = { (uint64_t)FORMS << 32 };
    for (size_t i = 0; i < text.len;) {
        size_t end = i;
        while (end < text.len && (is_ascii_letter(text.ptr[end]) || text.ptr[end] == '-')) end++;
        if (end > i) break_word(set, (StrView){ text.ptr + i, end - i }, weight, &rng);
        i = end + (end == i);
    }
}

/* ---- abbreviations */

enum { WORD_MOST = 14, TIMES_MOST = 4, SLOTS = 1 << 20 };
static const double ABBREVIATION = 10, WORD = 3; /* weights of an example */

typedef struct Words {
    Set *set;
    uint8_t times[SLOTS];        /* how often a word was an example, by its hash, */
    uint8_t abbreviation[SLOTS]; /* and whether it is an abbreviation */
} Words;

/* Adds the word as an example unless it often was one. */
static void add_word_example(Words *words, StrView word, bool abbreviation)
{
    char lower[WORD_MOST + 6];
    uint32_t at[LETTER_FEATURES], hash = 2166136261u;
    if (word.len < 2 || word.len > WORD_MOST) return;
    segment_lower_word(word, 0, word.len, lower, sizeof lower);
    for (const char *p = lower; *p; p++) hash = (hash ^ (unsigned char)*p) * 16777619u;
    uint32_t slot = hash % SLOTS;
    if (abbreviation) words->abbreviation[slot] = 1;
    else if (words->abbreviation[slot] || words->times[slot]++ >= TIMES_MOST) return;
    int n = segment_letter_features(lower, at);
    for (int k = abbreviation ? TIMES_MOST : 1; k > 0; k--)
        add_example(words->set, at, n, abbreviation, abbreviation ? ABBREVIATION : WORD);
}

/* Adds the words of a text that have at most one capital, and not what is between periods or digits. */
static void add_words(Words *words, StrView text, bool abbreviations)
{
    for (size_t i = 0; i < text.len;) {
        size_t end = i;
        while (end < text.len && is_ascii_letter(text.ptr[end])) end++;
        bool apart = i == 0 || strchr(" \n\"(-'", text.ptr[i - 1]);
        apart = apart && end > i + 1 && text.ptr[i + 1] >= 'a'; /* not DNA */
        if (apart) add_word_example(words, (StrView){ text.ptr + i, end - i }, abbreviations);
        i = end + (end == i);
    }
}

static void read_abbreviations(Words *words, const char *path)
{
    StrBuf file = { 0 };
    StrView line;
    Error e = { 0 };
    if (file_read_text(path, &file, &e) != OK) give_up(e.message);
    for (size_t at = 0; text_line((StrView){ file.ptr, file.len }, &at, &line);)
        if (line.len && line.ptr[0] != '#') add_words(words, line, true);
    strbuf_fini(&file);
}

static void read_lines(Set *set, Words *words, const char *arg)
{
    char path[512];
    const char *equals = strrchr(arg, '=');
    double weight = equals ? atof(equals + 1) : 1;
    size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
    if (n >= sizeof path) give_up("a path is too long");
    memcpy(path, arg, n);
    path[n] = 0;
    StrBuf file = { 0 };
    Error e = { 0 };
    if (file_read_text(path, &file, &e) != OK) give_up(e.message);
    Document d = { 0 };
    break_words(set, (StrView){ file.ptr, file.len }, weight);
    if (words) add_words(words, (StrView){ file.ptr, file.len }, false);
    for (int form = 0; form < FORMS; form++) {
        Rng rng = { (uint64_t)form << 32 };
        for (size_t at = 0; next_document(&d, (StrView){ file.ptr, file.len }, &at, form, &rng);)
            add_document(set, &d, weight * FORM_WEIGHT[form]);
    }
    strbuf_fini(&file);
    strbuf_fini(&d.text);
    mem_free(d.ends);
}

/* ---- training */

/* FTRL-proximal (McMahan et al. 2013, algorithm 1) on the logistic loss: most weights are exactly 0. */
typedef struct Ftrl {
    double z[SEGMENT_WEIGHTS], n[SEGMENT_WEIGHTS], w[SEGMENT_WEIGHTS];
    double mean[SEGMENT_WEIGHTS]; /* mean of w after each of the last AVERAGED epochs */
} Ftrl;

static void ftrl_step(Ftrl *f, uint32_t i, double g)
{
    double sigma = (sqrt(f->n[i] + g * g) - sqrt(f->n[i])) / RATE;
    f->z[i] += g - sigma * f->w[i];
    f->n[i] += g * g;
    double z = f->z[i];
    f->w[i] = fabs(z) <= L1 ? 0 : -(z - (z < 0 ? -L1 : L1)) / ((1 + sqrt(f->n[i])) / RATE + L2);
}

static double train_example(Ftrl *f, const Example *x, const uint32_t *at)
{
    double score = 0;
    for (int k = 0; k < x->n; k++) score += f->w[at[k]];
    double p = 1 / (1 + exp(-score)), g = (p - x->ends) * x->weight;
    for (int k = 0; k < x->n; k++) ftrl_step(f, at[k], g);
    return -x->weight * log(x->ends ? p + 1e-12 : 1 - p + 1e-12);
}

static void train(const Set *set, Ftrl *f)
{
    int *order = mem_alloc((size_t)set->n, sizeof *order);
    Rng rng = { 1 };
    if (!order) give_up("out of memory");
    for (int i = 0; i < set->n; i++) order[i] = i;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        double loss = 0;
        for (int i = set->n - 1; i > 0; i--) {
            int j = (int)draw(&rng, (uint32_t)i + 1), x = order[i];
            order[i] = order[j];
            order[j] = x;
        }
        for (int i = 0; i < set->n; i++) {
            const Example *x = &set->examples[order[i]];
            loss += train_example(f, x, set->places + x->at);
        }
        for (int i = 0; i < SEGMENT_WEIGHTS && epoch >= EPOCHS - AVERAGED; i++) f->mean[i] += f->w[i] / AVERAGED;
        fprintf(stderr, "epoch %d loss %.1f\n", epoch + 1, loss);
    }
    mem_free(order);
}

static void print_weights(const double *w)
{
    for (int i = 0; i < SEGMENT_WEIGHTS; i++) {
        double x = round(w[i] * SCALE);
        x = x > BOUNDARY_LARGEST ? BOUNDARY_LARGEST : x < -BOUNDARY_LARGEST ? -BOUNDARY_LARGEST : x;
        putchar(BOUNDARY_ZERO + (int)x);
    }
}

static void test(const Set *set)
{
    long right = 0, gold = 0, found = 0;
    for (int i = 0; i < set->n; i++) {
        const Example *x = &set->examples[i];
        long score = 0;
        for (int k = 0; k < x->n; k++) score += boundary_weight(set->places[x->at + (size_t)k]);
        right += x->ends && score > 0;
        gold += x->ends;
        found += score > 0;
    }
    fprintf(stderr, "boundaries: gold %ld, found %ld, right %ld, F1 %.2f\n", gold, found, right,
            200.0 * (double)right / (double)(gold + found));
}

int main(int argc, char **argv)
{
    Set set = { 0 };
    bool testing = argc > 1 && strcmp(argv[1], "--test") == 0;
    Words *words = mem_calloc(1, sizeof *words);
    if (!words) give_up("out of memory");
    words->set = &set;
    if (!testing && argc > 1) read_abbreviations(words, argv[1]);
    for (int k = 2; k < argc; k++) read_lines(&set, testing ? NULL : words, argv[k]);
    mem_free(words);
    fprintf(stderr, "%d gaps, %d features\n", set.n, set.n_places);
    if (testing) test(&set);
    else {
        Ftrl *f = mem_calloc(1, sizeof *f);
        if (!f) give_up("out of memory");
        train(&set, f);
        print_weights(f->mean);
        mem_free(f);
    }
    mem_free_each(set.examples, set.places);
    return 0;
}
