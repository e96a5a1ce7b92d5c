/* Learns the tables of language/english/ud/lemma_table.h and writes them.
 *
 *     lemma-train WORDS TRAIN.conllu... [-- MORE.conllx...] > language/english/ud/lemma.rules
 *     lemma-train --test TEST.conllu TRAIN.conllu...     accuracy of the tables compiled in; unseen: words that no
 *                                                        TRAIN has with this tag
 *
 * WORDS is lemma_words.txt: irregular words that the treebanks may lack, one lemma per line with a tag and its
 * forms. MORE have tags, but no gold lemmas: they tell which words there are. Every word that is known, by its lemma
 * or by the tag of a form without an ending, has regular forms, and a regular form of a known word has no other
 * lemma: "wandering" is of "wander". Left out are words without a gold lemma ("_"), pieces of words (GW, goeswith:
 * the whole has their lemma), slips of the pen (Typo=Yes in the features) and slips of the annotators: an inflected
 * word whose lemma neither the spelling nor WORDS explain, though a known word does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "language/english/program/lemma_forms.h"
#include "language/english/program/lemma_learn.h"
#include "language/english/ud/lemma.h"
#include "language/english/ud/lemma_table.h"
#include "treebank/conll.h"

enum { WEIGHT_MOST = 4, LEMMA_MIN = 2 };

typedef struct Counted {
    StrMap keys;
    long *count; /* [keys.n] */
    int cap;
} Counted;

typedef struct Trainer {
    Counted words;                /* "TAG\tKIND\tKEY\tLABEL" (a row of a table), with its occurrences */
    Counted lemmas[FORM_CLASSES]; /* of letters a to z, from which regular forms are made */
    StrMap regular;               /* "TAG\tWORD" of their regular forms ... */
    const char **of;              /* [regular.n] and the lemmas of these */
    int cap;
    StrMap fixed;          /* "TAG\tWORD" of the irregular words */
    StrMap odd;            /* "TAG\tWORD" of words of a known lemma that were seen with another one */
    StrMap known;          /* "TAG\tWORD" of all words with edits, which need no regular form */
    StrMap small, capital; /* "TAG\tWORD" of short nouns without capitals; of capitals only */
} Trainer;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "lemma-train: %s\n", what);
    exit(1);
}

static void count(Counted *c, const char *key, size_t len)
{
    int k = map_add(&c->keys, key, len), before = c->cap;
    if (k < 0 || !mem_reserve(c->count, &c->cap, k + 1)) give_up("out of memory");
    for (int i = before; i < c->cap; i++) c->count[i] = 0;
    c->count[k]++;
}

/* ---- from words to rows of tables */

static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    while (n > 0 && ((unsigned char)a[n] & 0xC0) == 0x80) n--; /* whole characters */
    return n;
}

/* Adds "TAG\tWORD", with the tag of the table of edits, to the map. Is it new? */
static bool add_key(StrMap *map, const char *tag, const char *word)
{
    StrBuf key = { 0 };
    int n = map->n;
    strbuf_printf(&key, "%s\t%s", lemma_edit_tag(tag), word);
    if (key.failed || map_add(map, key.ptr, key.len) < 0) give_up("out of memory");
    strbuf_fini(&key);
    return map->n > n;
}

static int find_key(const StrMap *map, const char *tag, const char *word)
{
    StrBuf key = { 0 };
    strbuf_printf(&key, "%s\t%s", lemma_edit_tag(tag), word);
    if (key.failed) give_up("out of memory");
    int k = map_find(map, key.ptr, key.len);
    strbuf_fini(&key);
    return k;
}

/* Counts the edit that makes the lemma of the word, both in lower case. */
static void count_edit(Trainer *t, const char *tag, const char *word, const char *lemma)
{
    StrBuf row = { 0 };
    size_t n = common_prefix(word, lemma);
    strbuf_printf(&row, "%s\t%d\t %s\t%zu\t%s", lemma_edit_tag(tag), LEMMA_EDITS, word, strlen(word) - n, lemma + n);
    if (row.failed) give_up("out of memory");
    count(&t->words, row.ptr, row.len);
    add_key(&t->known, tag, word);
    strbuf_fini(&row);
}

/* Counts each case that gives the lemma its capitals. */
static void count_cases(Trainer *t, const char *tag, const char *folded, const char *low, const char *low_lemma,
                        const char *lemma)
{
    StrBuf row = { 0 }, made = { 0 };
    for (int how = LEMMA_LOWER; how <= LEMMA_TITLE; how++) {
        strbuf_clear(&made);
        strbuf_puts(&made, "");
        lemma_add_case(&made, folded, low_lemma, (LemmaCase)how);
        strbuf_clear(&row);
        strbuf_printf(&row, "%s\t%d\t %s\t%d\t", tag, (int)lemma_shape(folded), low, how);
        if (made.failed || row.failed) give_up("out of memory");
        if (strcmp(made.ptr, lemma) == 0) count(&t->words, row.ptr, row.len);
    }
    strbuf_fini(&row);
    strbuf_fini(&made);
}

static bool is_plain(const char *word) { return *word && strspn(word, "abcdefghijklmnopqrstuvwxyz") == strlen(word); }

/* Is the word a regular form of a known lemma of its class, and this lemma, if it is known at all, not another one that
 * has that form? Only the first time: what stands there twice is use ("mins": minute). */
static bool is_slip(Trainer *t, const char *tag, const char *word, const char *lemma)
{
    int k = find_key(&t->regular, tag, word), class = tag[0] == 'J' ? FORM_ADJECTIVE : form_class(tag), n = 0;
    if (k < 0 || strcmp(t->of[k], lemma) == 0 || strcmp(word, lemma) == 0 || !add_key(&t->odd, tag, word)) return false;
    RegularForm forms[FORMS_MOST] = { 0 };
    bool slip = true;
    int known = map_find(&t->lemmas[class].keys, lemma, strlen(lemma));
    if (known >= 0 && t->lemmas[class].count[known] >= LEMMA_MIN) n = form_regular(lemma, (FormClass) class, forms);
    for (int f = 0; f < n; f++) slip = slip && strcmp(forms[f].form.ptr, word) != 0;
    for (int f = 0; f < FORMS_MOST; f++) strbuf_fini(&forms[f].form);
    if (slip) fprintf(stderr, "left out: %s %s %s, not %s\n", word, tag, lemma, t->of[k]);
    return slip;
}

static void add_word(Trainer *t, const char *form, const char *tag, const char *lemma)
{
    StrBuf folded = { 0 }, low = { 0 }, low_lemma = { 0 };
    lemma_fold(&folded, form);
    if (!folded.failed && !lemma_is_number(folded.ptr)) {
        text_lower(&low, folded.ptr, folded.len);
        text_lower(&low_lemma, lemma, strlen(lemma));
        if (low.failed || low_lemma.failed) give_up("out of memory");
        if (find_key(&t->fixed, tag, low.ptr) < 0 && !is_slip(t, tag, low.ptr, low_lemma.ptr))
            count_edit(t, tag, low.ptr, low_lemma.ptr);
        count_cases(t, tag, folded.ptr, low.ptr, low_lemma.ptr, lemma);
        LemmaShape shape = lemma_shape(folded.ptr);
        if (strcmp(tag, "NN") == 0 && shape == LEMMA_FEW_CAPITALS) add_key(&t->capital, tag, low.ptr);
        if (strcmp(tag, "NN") == 0 && shape == LEMMA_SMALL && is_plain(low.ptr) && low.len <= LEMMA_FEW)
            add_key(&t->small, tag, low.ptr);
    }
    strbuf_fini(&folded);
    strbuf_fini(&low);
    strbuf_fini(&low_lemma);
}

static void read_treebank(Treebank *tb, const char *path)
{
    StrBuf file = { 0 };
    Error e = { 0 };
    char place[1400];
    treebank_init(tb);
    if (file_read_text(path, &file, &e) != OK || conll_read(tb, text_block((StrView){ file.ptr, file.len }, path),
                                                            (ConllOptions){ .keep_columns = true }, &e) != OK)
        give_up(error_text(&e, place, sizeof place));
    strbuf_fini(&file);
}

/* Does the word lack a lemma of its own, as pieces of words and typing errors do? */
static bool is_other(const Sentence *sent, int w)
{
    if (strstr(sent->feats[w], "Typo=Yes")) return true;
    for (int k = w + 1; k < sent->n_words; k++)
        if (sent->heads[k] == w + 1 && strcmp(sent->types[k], "goeswith") == 0) return true;
    return strcmp(sent->lemmas[w], "_") == 0 || strcmp(sent->tags[w], "GW") == 0;
}

static void add_treebank(Trainer *t, const char *path)
{
    Treebank tb;
    read_treebank(&tb, path);
    for (int k = 0; k < tb.n; k++)
        for (int w = 0; w < tb.s[k].n_words; w++)
            if (!is_other(&tb.s[k], w)) add_word(t, tb.s[k].words[w], tb.s[k].tags[w], tb.s[k].lemmas[w]);
    treebank_fini(&tb);
}

/* Counts the lemmas of a treebank, or where it has none the words with tags of forms without endings. */
static void count_lemmas(Trainer *t, const char *path, bool gold)
{
    Treebank tb;
    read_treebank(&tb, path);
    for (int k = 0; k < tb.n; k++)
        for (int w = 0; w < tb.s[k].n_words; w++) {
            const char *tag = tb.s[k].tags[w], *lemma = gold ? tb.s[k].lemmas[w] : tb.s[k].words[w];
            int c = gold || strcmp(tag, "VB") == 0 || strcmp(tag, "VBP") == 0 || strcmp(tag, "NN") == 0 ||
                            strcmp(tag, "JJ") == 0
                        ? form_class(tag)
                        : -1;
            if (c >= 0 && is_plain(lemma) && !(gold && is_other(&tb.s[k], w)))
                count(&t->lemmas[c], lemma, strlen(lemma));
        }
    treebank_fini(&tb);
}

/* Counts the lemmas of a line "regular TAG LEMMA..." so that their regular forms are made. rest: after "regular". */
static void add_lemmas(Trainer *t, char *rest)
{
    const char *tag = strtok_r(rest, " ", &rest);
    int c = tag ? form_class(tag) : -1;
    if (c < 0) give_up("found another tag after 'regular', expected VB, NN or JJ");
    for (const char *lemma; (lemma = strtok_r(NULL, " ", &rest));)
        for (int k = 0; k < LEMMA_MIN; k++) count(&t->lemmas[c], lemma, strlen(lemma));
}

/* Counts an irregular word, and its capitals if it has any. */
static void add_fixed(Trainer *t, const char *tag, const char *form, const char *lemma)
{
    StrBuf low = { 0 }, low_lemma = { 0 };
    text_lower(&low, form, strlen(form));
    text_lower(&low_lemma, lemma, strlen(lemma));
    if (low.failed || low_lemma.failed) give_up("out of memory");
    if (add_key(&t->fixed, tag, low.ptr)) count_edit(t, tag, low.ptr, low_lemma.ptr);
    if (lemma_shape(form) != LEMMA_SMALL) count_cases(t, tag, form, low.ptr, low_lemma.ptr, lemma);
    strbuf_fini(&low);
    strbuf_fini(&low_lemma);
}

/* Reads lines of tag, lemma and forms. */
static void add_irregular(Trainer *t, const char *path)
{
    StrBuf file = { 0 };
    StrView line;
    Error e = { 0 };
    if (file_read_text(path, &file, &e) != OK) give_up(e.message);
    for (size_t at = 0; text_line((StrView){ file.ptr, file.len }, &at, &line);) {
        char text[512], *rest = text;
        if (line.len >= sizeof text) give_up("a line of irregular words is too long");
        memcpy(text, line.ptr, line.len);
        text[line.len] = 0;
        const char *tag = strtok_r(rest, " ", &rest);
        if (!tag || *tag == '#') continue;
        if (strcmp(tag, "regular") == 0) {
            add_lemmas(t, rest);
            continue;
        }
        const char *lemma = strtok_r(NULL, " ", &rest);
        for (const char *form; lemma && (form = strtok_r(NULL, " ", &rest));) add_fixed(t, tag, form, lemma);
    }
    strbuf_fini(&file);
}

/* Finds the regular forms, of those with the spelling of most words or the others, that the lemmas of class `from`
 * have as words of class `to`. */
static void find_regular(Trainer *t, int from, int to, bool rare)
{
    RegularForm forms[FORMS_MOST] = { 0 };
    for (int k = 0; k < t->lemmas[from].keys.n; k++) {
        const char *lemma = t->lemmas[from].keys.keys[k];
        int n = t->lemmas[from].count[k] >= LEMMA_MIN ? form_regular(lemma, (FormClass)to, forms) : 0;
        for (int f = 0; f < n; f++) {
            if (forms[f].form.failed) give_up("out of memory");
            if (forms[f].rare != rare || find_key(&t->fixed, forms[f].tag, forms[f].form.ptr) >= 0) continue;
            if (!add_key(&t->regular, forms[f].tag, forms[f].form.ptr)) continue;
            if (!mem_reserve(t->of, &t->cap, t->regular.n)) give_up("out of memory");
            t->of[t->regular.n - 1] = lemma;
        }
    }
    for (int f = 0; f < FORMS_MOST; f++) strbuf_fini(&forms[f].form);
}

/* The first lemma that has a form keeps it: a word of the form's own class, then any noun as a verb and so on. */
static void find_all_regular(Trainer *t)
{
    for (int rare = 0; rare < 2; rare++)
        for (int c = 0; c < FORM_CLASSES; c++) find_regular(t, c, c, rare);
    for (int rare = 0; rare < 2; rare++)
        for (int from = 0; from < FORM_CLASSES; from++)
            for (int to = 0; to < FORM_ADJECTIVE; to++) find_regular(t, from, to, rare);
}

/* Counts the regular forms that the treebanks lack. */
static void add_regular(Trainer *t)
{
    for (int k = 0; k < t->regular.n; k++) {
        const char *key = t->regular.keys[k], *word = strchr(key, '\t') + 1;
        char tag[8];
        snprintf(tag, sizeof tag, "%.*s", (int)(word - key - 1), key);
        if (add_key(&t->known, tag, word)) count_edit(t, tag, word, t->of[k]);
    }
}

/* Counts short nouns as if they had been seen in capitals, with a lemma in lower case ("TREE"). */
static void add_capitals(Trainer *t)
{
    StrBuf row = { 0 };
    for (int k = 0; k < t->small.n; k++) {
        const char *key = t->small.keys[k]; /* "NN\tWORD" */
        if (map_find(&t->capital, key, strlen(key)) >= 0) continue;
        strbuf_clear(&row);
        strbuf_printf(&row, "NN\t%d\t %s\t%d\t", LEMMA_FEW_CAPITALS, strchr(key, '\t') + 1, LEMMA_LOWER);
        if (row.failed) give_up("out of memory");
        count(&t->words, row.ptr, row.len);
    }
    strbuf_fini(&row);
}

/* ---- tables */

typedef struct Row {
    const char *text; /* "TAG\tKIND\tKEY\tLABEL" */
    long count;
} Row;

static const char *after_tab(const char *text) { return strchr(text, '\t') + 1; }

/* Do they belong to the same table? */
static bool same_table(const char *a, const char *b)
{
    size_t n = (size_t)(after_tab(after_tab(a)) - a);
    return strncmp(a, b, n) == 0;
}

static int by_text(const void *a, const void *b) { return strcmp(((const Row *)a)->text, ((const Row *)b)->text); }

static int by_end(const void *a, const void *b)
{
    return strcmp(((const LearnRule *)a)->end, ((const LearnRule *)b)->end);
}

/* Is the row, "TAG\tKIND\t...", of nouns that are abbreviations unless they are known? The treebanks disagree on the
 * capitals of abbreviations (EWT: ceo; GUM: CEO); unknown ones keep them. */
static bool is_of_abbreviations(const char *row)
{
    int kind = atoi(after_tab(row));
    return (strncmp(row, "NN\t", 3) == 0 && (kind == LEMMA_FEW_CAPITALS || kind == LEMMA_MIXED)) ||
           (strncmp(row, "NNS\t", 4) == 0 && kind == LEMMA_MIXED);
}

/* Learns the table of rows [n] and prints it, unless it is a table of cases that gives all words lower case, which is
 * what a missing table gives. Returns the number of rules that it printed. */
static int print_table(const Row *rows, int n)
{
    StrMap labels;
    LearnWord *words = mem_alloc((size_t)n, sizeof *words);
    char **keys = mem_alloc((size_t)n, sizeof *keys);
    LearnRule *rules;
    int n_rules;
    Arena arena;
    arena_init(&arena, 1 << 16);
    map_init(&labels);
    for (int k = 0; words && keys && k < n; k++) {
        const char *key = after_tab(after_tab(rows[k].text)), *end = strchr(key, '\t');
        words[k].key = keys[k] = arena_strndup(&arena, key, (size_t)(end - key));
        words[k].label = map_add(&labels, end + 1, strlen(end + 1));
        words[k].weight = rows[k].count < WEIGHT_MOST ? (double)rows[k].count : WEIGHT_MOST;
        if (!keys[k] || words[k].label < 0) give_up("out of memory");
    }
    char keep[8];
    snprintf(keep, sizeof keep, "%d\t", LEMMA_KEEP);
    int other = is_of_abbreviations(rows->text) ? map_find(&labels, keep, strlen(keep)) : -1;
    if (!words || !keys || !lemma_learn(words, n, labels.n, other, &rules, &n_rules)) give_up("out of memory");
    qsort(rules, (size_t)n_rules, sizeof *rules, by_end);
    if (n_rules == 1 && atoi(after_tab(rows->text)) != LEMMA_EDITS && atoi(labels.keys[rules[0].label]) == LEMMA_LOWER)
        n_rules = 0;
    for (int k = 0; k < n_rules; k++) {
        if (k == 0) printf("%.*s", (int)(after_tab(after_tab(rows->text)) - rows->text - 1), rows->text);
        printf("\t%s\t%s", rules[k].end, labels.keys[rules[k].label]);
    }
    if (n_rules) printf("\n");
    mem_free(rules);
    map_fini(&labels);
    mem_free_each(words, keys);
    arena_fini(&arena);
    return n_rules;
}

static void print_tables(const Counted *words)
{
    int n = words->keys.n, n_tables = 0, sum = 0;
    Row *rows = mem_alloc((size_t)n + 1, sizeof *rows);
    if (!rows) give_up("out of memory");
    for (int k = 0; k < n; k++) rows[k] = (Row){ words->keys.keys[k], words->count[k] };
    qsort(rows, (size_t)n, sizeof *rows, by_text);
    for (int k = 0, m; k < n; k = m) {
        for (m = k + 1; m < n && same_table(rows[k].text, rows[m].text);) m++;
        int n_rules = print_table(rows + k, m - k);
        sum += n_rules;
        n_tables += n_rules > 0;
    }
    fprintf(stderr, "%d rules in %d tables\n", sum, n_tables);
    mem_free(rows);
}

/* paths [n] with gold lemmas, more [n_more] without */
static void train(const char *irregular, char **paths, int n, char **more, int n_more)
{
    Trainer t = { 0 };
    map_init(&t.words.keys);
    map_init(&t.regular);
    map_init(&t.fixed);
    map_init(&t.odd);
    map_init(&t.known);
    map_init(&t.small);
    map_init(&t.capital);
    for (int c = 0; c < FORM_CLASSES; c++) map_init(&t.lemmas[c].keys);
    add_irregular(&t, irregular);
    for (int k = 0; k < n; k++) count_lemmas(&t, paths[k], true);
    for (int k = 0; k < n_more; k++) count_lemmas(&t, more[k], false);
    find_all_regular(&t);
    for (int k = 0; k < n; k++) add_treebank(&t, paths[k]);
    add_regular(&t);
    add_capitals(&t);
    print_tables(&t.words);
    map_fini(&t.words.keys);
    mem_free(t.words.count);
    map_fini(&t.regular);
    mem_free(t.of);
    map_fini(&t.fixed);
    map_fini(&t.odd);
    map_fini(&t.known);
    map_fini(&t.small);
    map_fini(&t.capital);
    for (int c = 0; c < FORM_CLASSES; c++) {
        map_fini(&t.lemmas[c].keys);
        mem_free(t.lemmas[c].count);
    }
}

/* ---- accuracy */

static void put_key(StrBuf *key, const char *form, const char *tag)
{
    StrBuf folded = { 0 };
    lemma_fold(&folded, form);
    strbuf_clear(key);
    strbuf_printf(key, "%s\t", tag);
    text_lower(key, folded.ptr, folded.len);
    if (key->failed || folded.failed) give_up("out of memory");
    strbuf_fini(&folded);
}

static void test_sentence(const Sentence *sent, const StrMap *seen, long n[2], long right[2])
{
    Arena arena;
    StrBuf key = { 0 };
    arena_init(&arena, 1 << 12);
    const char **lemmas = lemma_sentence(sent, &arena);
    if (!lemmas) give_up("out of memory");
    for (int w = 0; w < sent->n_words; w++) {
        if (strcmp(sent->lemmas[w], "_") == 0) continue;
        put_key(&key, sent->words[w], sent->tags[w]);
        bool unseen = map_find(seen, key.ptr, key.len) < 0, same = strcmp(lemmas[w], sent->lemmas[w]) == 0;
        n[0]++;
        right[0] += same;
        n[1] += unseen;
        right[1] += unseen && same;
        if (!same)
            printf("%s\t%s\t%s\t%s\t%s\n", unseen ? "unseen" : "seen", sent->words[w], sent->tags[w], sent->lemmas[w],
                   lemmas[w]);
    }
    strbuf_fini(&key);
    arena_fini(&arena);
}

/* Prints accuracies and, on standard output, every wrong lemma: unseen or not, form, tag, gold lemma, lemma. */
static void test(const char *path, char **train_paths, int n_train)
{
    Treebank tb;
    StrMap seen;
    StrBuf key = { 0 };
    long n[2] = { 0 }, right[2] = { 0 };
    map_init(&seen);
    for (int f = 0; f < n_train; f++) {
        read_treebank(&tb, train_paths[f]);
        for (int k = 0; k < tb.n; k++)
            for (int w = 0; w < tb.s[k].n_words; w++) {
                put_key(&key, tb.s[k].words[w], tb.s[k].tags[w]);
                if (map_add(&seen, key.ptr, key.len) < 0) give_up("out of memory");
            }
        treebank_fini(&tb);
    }
    read_treebank(&tb, path);
    for (int k = 0; k < tb.n; k++) test_sentence(&tb.s[k], &seen, n, right);
    fprintf(stderr, "%s: %.2f of %ld words, %.2f of %ld unseen\n", path, 100.0 * (double)right[0] / (double)n[0], n[0],
            n[1] ? 100.0 * (double)right[1] / (double)n[1] : 0, n[1]);
    treebank_fini(&tb);
    map_fini(&seen);
    strbuf_fini(&key);
}

int main(int argc, char **argv)
{
    if (argc < 3) give_up("expected WORDS TRAIN.conllu..., or --test TEST.conllu TRAIN.conllu...");
    if (strcmp(argv[1], "--test") == 0) test(argv[2], argv + 3, argc - 3);
    else {
        int n = 0;
        while (n < argc - 2 && strcmp(argv[2 + n], "--") != 0) n++;
        train(argv[1], argv + 2, n, argv + 3 + n, argc - 3 - n);
    }
    return 0;
}
