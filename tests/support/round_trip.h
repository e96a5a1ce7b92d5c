/* The property that whatever is written in a format is read back equal, for one sentence and all formats, and sentences
 * of nasty words. Shared by tests/unit/test_formats.c and the fuzz targets of treebanks. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "parser/output/output_internal.h"
#include "treebank/bracket.h"
#include "treebank/conll.h"
#include "treebank/json_lines.h"

/* ---- equal sentences */

/* What a format does not have is not compared. */
typedef struct Kept {
    const char *no_tag; /* how a missing tag is read */
    bool tree, arcs, ranges, columns;
    bool penn_tags; /* the tags ( and ) become -LRB- and -RRB- */
} Kept;

static inline bool same_text(const char *a, const char *b, const char *missing)
{
    return strcmp(a ? a : missing, b ? b : missing) == 0;
}

static inline bool same_tag(const char *a, const char *b, const Kept *k)
{
    if (a && k->penn_tags && strcmp(a, "(") == 0) a = "-LRB-";
    if (a && k->penn_tags && strcmp(a, ")") == 0) a = "-RRB-";
    return same_text(a, b, k->no_tag);
}

static inline bool same_tree(const Sentence *a, const Sentence *b)
{
    if (a->has_tree != b->has_tree || a->n_phrases != b->n_phrases) return false;
    for (int p = 0; p < a->n_phrases; p++)
        if (a->phrases[p].begin != b->phrases[p].begin || a->phrases[p].end != b->phrases[p].end ||
            strcmp(a->phrases[p].label, b->phrases[p].label) != 0)
            return false;
    return true;
}

static inline bool same_ranges(const Sentence *a, const Sentence *b)
{
    if (a->n_ranges != b->n_ranges) return false;
    for (int r = 0; r < a->n_ranges; r++)
        if (a->ranges[r].begin != b->ranges[r].begin || a->ranges[r].end != b->ranges[r].end ||
            strcmp(a->ranges[r].form, b->ranges[r].form) != 0)
            return false;
    return true;
}

#define AT(list, w) ((list) ? (list)[w] : NULL)

static inline bool same_word(const Sentence *a, const Sentence *b, int w, const Kept *k)
{
    return strcmp(a->words[w], b->words[w]) == 0 && same_tag(AT(a->tags, w), AT(b->tags, w), k) &&
           (!k->arcs || !a->heads ||
            (a->heads[w] == b->heads[w] && same_text(AT(a->types, w), AT(b->types, w), "_"))) &&
           (!k->columns ||
            (same_text(AT(a->lemmas, w), AT(b->lemmas, w), "_") && same_text(AT(a->upos, w), AT(b->upos, w), "_") &&
             same_text(AT(a->feats, w), AT(b->feats, w), "_")));
}

static inline bool same_sentence(const Sentence *a, const Sentence *b, const Kept *k)
{
    if (a->n_words != b->n_words || (k->arcs && !a->heads != !b->heads)) return false;
    for (int w = 0; w < a->n_words; w++)
        if (!same_word(a, b, w, k)) return false;
    return (!k->tree || same_tree(a, b)) && (!k->ranges || same_ranges(a, b));
}

/* ---- formats */

/* Reads one sentence again. */
typedef Status (*ReadAgain)(Treebank *tb, TextBlock block, Error *e);

static inline Status again_brackets(Treebank *tb, TextBlock block, Error *e)
{
    return bracket_read(tb, block, (BracketOptions){ .keep_traces = true, .keep_spelling = true }, e);
}
static inline Status again_conll(Treebank *tb, TextBlock block, Error *e)
{
    return conll_read(
        tb, block, (ConllOptions){ .keep_columns = true, .keep_spelling = true, .keep_lines = true, .bare = true }, e);
}
static inline Status again_json(Treebank *tb, TextBlock block, Error *e)
{
    return json_lines_read(tb, block, (JsonOptions){ false }, e);
}

static inline void put_json_line(StrBuf *out, const Sentence *s)
{
    FREED(free_pointer) Model *m = mem_calloc(1, sizeof *m);
    Parsed p = { .n_words = s->n_words, .pieces = 1 };
    Origin o = { .id = 1, .line = 1 };
    const OutputStyle style = { .format = &OUTPUT_JSON };
    if (m) OUTPUT_JSON.sentence(out, &(Written){ .m = m, .p = &p, .s = s, .o = &o, .style = &style });
    else out->failed = true;
}

enum { STYLES = 13 };

static inline Escapes escapes_of(int k) { return (Escapes)(k < 8 ? k % 3 : k == 10 ? ESCAPE_INPUT : ESCAPE_ROUND); }

/* Writes the sentence in style k; *read and *kept say how it is read. */
static inline void write_style(StrBuf *out, const Sentence *s, int k, ReadAgain *read, Kept *kept)
{
    static const char *const tops[] = { "TOP", "", NULL, "S1" };
    Escapes escapes = escapes_of(k);
    if (k < 8 && s->has_tree) {
        *read = again_brackets;
        *kept = (Kept){ .no_tag = "XX", .tree = true, .penn_tags = true };
        if (k < 6) tree_write_as(out, s, (TreeStyle){ tops[k % 4], k > 2, escapes });
        else terminal_brackets(out, s, escapes, (TerminalStyle){ .width = 10 + 40 * (k - 6) });
    } else if (k >= 8 && k < 12) {
        *read = again_conll;
        *kept = (Kept){ .no_tag = "_", .arcs = true, .ranges = k == 11, .columns = k == 11 };
        conll_write(out, s, k == 11 ? CONLL_U : (ConllStyle)(k - 8), NULL);
    } else if (k == 12) {
        *read = again_json;
        *kept = (Kept){ .no_tag = "_", .tree = true, .arcs = true };
        put_json_line(out, s);
    }
}

/* Fails, with the text in *shown, unless the sentence read from each style is the one that was written, is written as
 * the same text again, and, with the spelling of the file, as a text that has the same words. Returns the number of
 * the style, or -1. */
static inline int round_trip_from(const Sentence *s, bool spelled, StrBuf *shown);

static inline bool one_trip(const Sentence *s, int k, bool again, StrBuf *shown)
{
    FREED(strbuf_fini) StrBuf second = { 0 };
    Error e = { 0 };
    Kept kept = { 0 }, unused;
    ReadAgain read = NULL;
    MADE(Treebank, treebank_init, treebank_fini, tb);
    strbuf_clear(shown);
    write_style(shown, s, k, &read, &kept);
    bool good = true;
    if (read) {
        good = !shown->failed && read(&tb, text_block((StrView){ shown->ptr, shown->len }, "again"), &e) == OK &&
               tb.n == 1 && same_sentence(s, &tb.s[0], &kept);
        if (!good) strbuf_printf(shown, "\n%ld:%ld: %s", e.line, e.column, e.message);
        bool less =
            (s->spelled && escapes_of(k) == ESCAPE_INPUT) || (read == again_json && s->lemmas); /* is not read */
        if (good && !less) {
            tb.s[0].spelled = NULL;
            write_style(&second, &tb.s[0], k, &read, &unused);
            good = second.len == shown->len && memcmp(second.ptr, shown->ptr, second.len) == 0;
        }
        if (good && tb.s[0].lines) { /* as convert writes it: CoNLL-U as it was, CoNLL-X with the same words */
            strbuf_clear(&second);
            conll_write_lines(&second, &tb.s[0]);
            MADE(Treebank, treebank_init, treebank_fini, u);
            if (k == 11) good = second.len == shown->len && memcmp(second.ptr, shown->ptr, second.len) == 0;
            else
                good = read(&u, text_block((StrView){ second.ptr, second.len }, "lines"), &e) == OK && u.n == 1 &&
                       same_sentence(s, &u.s[0], &kept);
        }
        if (good && again) {
            MADE(Treebank, treebank_init, treebank_fini, spelled);
            Error none = { 0 };
            good = read(&spelled, text_block((StrView){ shown->ptr, shown->len }, "spelled"), &none) == OK &&
                   round_trip_from(&spelled.s[0], false, &second) < 0;
            if (!good) strbuf_printf(shown, "\nthen\n%s", second.ptr ? second.ptr : "");
        }
    }
    return good;
}

static inline int round_trip_from(const Sentence *s, bool again, StrBuf *shown)
{
    for (int k = 0; k < STYLES; k++)
        if (!one_trip(s, k, again, shown)) return k;
    return -1;
}

/* ---- nasty sentences */

/* Choices from bytes: 0 after the last one. */
typedef struct Choices {
    const uint8_t *at, *end;
} Choices;

static inline int choose(Choices *c, int n) { return c->at < c->end ? *c->at++ % n : 0; }

static const char *const NASTY[] = {
    "a",        "(",       ")",     "[",    "}",  "-",   "LRB", "-LRB-",  "-RSB",  "RCB-",   "-U+0020-", "-U+002D-",
    "U+",       "\\",      "/",     ".",    "/-", "*",   "\\/", "\\\\*",  " ",     "\u00a0", "\u2028",   "\xc2\x85",
    "_",        "#",       "##",    "\"",   "<",  ">",   "&",   "é",      "中",    "😀",      "\u202e",   "\x01",
    "\x1b[31m", "\x7f",    "\x0b",  "\x0c", "0",  "1-2", "3.1", "-NONE-", "*T*-1", "$",      "|",        "=",
    "-SBJ",     "TOP",     "S1",    "ROOT", ":",  "::",  "XX",  "\ufeff", "\t",    "\r",     "\n",       "Literal=Yes",
    "$innar",   "<dash/>", "&brl;", ""
};
enum { N_NASTY = sizeof NASTY / sizeof *NASTY };

/* A text that `can` accepts; *refused counts the others. */
static inline const char *nasty_text(Choices *c, Arena *a, bool (*can)(StrView), long *refused)
{
    FREED(strbuf_fini) StrBuf b = { 0 };
    int n = 1 + choose(c, 4);
    strbuf_puts(&b, "");
    for (int k = 0; k < n; k++) strbuf_puts(&b, NASTY[choose(c, N_NASTY)]);
    bool good = can((StrView){ b.ptr, b.len });
    *refused += !good;
    const char *text = good ? arena_strndup(a, b.ptr, b.len) : "w";
    return text;
}

static inline const char **nasty_column(Choices *c, Arena *a, int n, bool (*can)(StrView), long *refused)
{
    const char **list = arena_alloc(a, (size_t)n, sizeof *list);
    for (int w = 0; w < n; w++) list[w] = nasty_text(c, a, can, refused);
    return list;
}

/* Random phrases over begin .. end - 1, parents first. */
static inline void nasty_phrases(Choices *c, Arena *a, Sentence *s, int begin, int end, int depth, long *refused)
{
    for (int chain = choose(c, 3); chain > 0; chain--)
        s->phrases[s->n_phrases++] = (Phrase){ begin, end, nasty_text(c, a, tree_is_label, refused) };
    if (end - begin < 2 || depth > 4) return;
    int split = begin + 1 + choose(c, end - begin - 1);
    nasty_phrases(c, a, s, begin, split, depth + 1, refused);
    nasty_phrases(c, a, s, split, end, depth + 1, refused);
}

static inline void nasty_heads(Choices *c, Sentence *s)
{
    int root = choose(c, s->n_words);
    for (int w = 0; w < s->n_words; w++) {
        int head = w < root ? w + 1 + choose(c, root - w) : w > root ? choose(c, w) : -1;
        s->heads[w] = head + 1;
    }
}

/* A sentence of words, tags, labels, types, lemmas and features of nasty texts, chosen by bytes. */
static inline Sentence nasty_sentence(Choices *c, Arena *a, long *refused)
{
    enum { MOST = 6, CHAIN = 2 };
    int n = 1 + choose(c, MOST), what = choose(c, 64);
    Sentence s = { .n_words = n, .words = nasty_column(c, a, n, tree_is_word, refused), .line = 1 };
    if (what & 1) s.tags = nasty_column(c, a, n, tree_is_name, refused);
    if (what & 2) {
        s.heads = arena_alloc(a, (size_t)n, sizeof *s.heads);
        nasty_heads(c, &s);
        s.types = nasty_column(c, a, n, tree_is_name, refused);
    }
    if (what & 4) {
        s.has_tree = true;
        s.phrases = arena_alloc(a, 2 * MOST * CHAIN, sizeof *s.phrases);
        nasty_phrases(c, a, &s, 0, n, 0, refused);
    }
    if (what & 8) {
        s.lemmas = nasty_column(c, a, n, tree_is_word, refused);
        s.upos = nasty_column(c, a, n, tree_is_name, refused);
        s.feats = nasty_column(c, a, n, tree_is_name, refused);
    }
    if (what & 16) {
        WordRange *r = arena_alloc(a, 1, sizeof *r);
        *r = (WordRange){ choose(c, n), n, nasty_text(c, a, tree_is_word, refused), 0 };
        s.ranges = r;
        s.n_ranges = 1;
    }
    return s;
}
