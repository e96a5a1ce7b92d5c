/* eval/evalb.c
 * One sentence at a time: both lines are read into words and brackets, deleted labels marked, quotes that only one side deleted put
 * back, then counted. Result codes are EVALB's: 1 matched, 0 not, 5 deleted, 9 not looked at. */
#define _POSIX_C_SOURCE 200809L
#include "eval/evalb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "eval/score.h"

enum { UNMATCHED = 0, MATCHED = 1, DELETED = 5, UNTOUCHED = 9 };
enum { STATUS_VALID = 0, STATUS_ERROR = 1, STATUS_SKIP = 2 };

/* ---- parameters */

void evalb_params_init(EvalbParams *p)
{
    *p = (EvalbParams){ .max_error = 10, .cutoff_len = 40, .labeled = true };
    arena_init(&p->arena, 4096);
}

void evalb_params_fini(EvalbParams *p)
{
    mem_free(p->delete_label);
    mem_free(p->delete_length);
    mem_free(p->quote_label);
    mem_free(p->eq_label);
    mem_free(p->eq_word);
    arena_fini(&p->arena);
}

/* Cuts the next word off the line. */
static StrView next_field(StrView *line)
{
    size_t from = 0, to;
    while (from < line->len && strchr(" \t\r\n", line->ptr[from])) from++;
    for (to = from; to < line->len && !strchr(" \t\r\n", line->ptr[to]);) to++;
    StrView field = { line->ptr + from, to - from };
    *line = (StrView){ line->ptr + to, line->len - to };
    return field;
}

typedef struct ParamList {
    const char *keyword;
    const char ***items;
    int *n, *cap;
    int values; /* to a line */
} ParamList;

static Status read_param(EvalbParams *p, StrView line, const char *path, long number, Error *e)
{
    const ParamList lists[] = { { "DELETE_LABEL", &p->delete_label, &p->n_delete_label, &p->cap[0], 1 },
                                { "DELETE_LABEL_FOR_LENGTH", &p->delete_length, &p->n_delete_length, &p->cap[1], 1 },
                                { "QUOTE_LABEL", &p->quote_label, &p->n_quote_label, &p->cap[2], 1 },
                                { "EQ_LABEL", &p->eq_label, &p->n_eq_label, &p->cap[3], 2 },
                                { "EQ_WORD", &p->eq_word, &p->n_eq_word, &p->cap[4], 2 } };
    const struct {
        const char *keyword;
        int *value;
    } numbers[] = { { "DEBUG", &p->debug }, { "MAX_ERROR", &p->max_error }, { "CUTOFF_LEN", &p->cutoff_len } };
    StrView keyword = next_field(&line);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        if (!text_equal(keyword, lists[k].keyword)) continue;
        for (int v = 0; v < lists[k].values; v++) {
            StrView value = next_field(&line);
            if (!value.len)
                return error_at(e, ERR_FORMAT, path, number, 0, "found too few values behind %s, expected %d", lists[k].keyword, lists[k].values);
            if (!mem_reserve((void **)lists[k].items, lists[k].cap, *lists[k].n + 1, sizeof(char *)) ||
                !((*lists[k].items)[*lists[k].n] = arena_strndup(&p->arena, value.ptr, value.len)))
                return error_set(e, ERR_NOMEM, "out of memory reading %s", path);
            ++*lists[k].n;
        }
        return OK;
    }
    StrView value = next_field(&line);
    int x = 0;
    bool whole = text_number(value, &x);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (text_equal(keyword, numbers[k].keyword) && whole) {
            *numbers[k].value = x;
            return OK;
        }
    if (text_equal(keyword, "LABELED") && whole && x <= 1) {
        p->labeled = x == 1;
        return OK;
    }
    return error_at(e, ERR_FORMAT, path, number, 0, "found '%.*s %.*s', expected a keyword of EVALB with its value", (int)keyword.len, keyword.ptr,
                    (int)value.len, value.ptr);
}

Status evalb_params_read(EvalbParams *p, const char *path, Error *e)
{
    StrBuf text = { 0 };
    Status s = file_read(path, &text, e);
    StrView line;
    long number = 0;
    for (size_t at = 0; s == OK && text_line((StrView){ text.ptr, text.len }, &at, &line);) {
        StrView rest = line;
        number++;
        if (line.len && line.ptr[0] != '#' && next_field(&rest).len) s = read_param(p, line, path, number, e);
    }
    strbuf_fini(&text);
    return s;
}

/* Most strings differ in their first character. */
static bool equal(const char *a, const char *b) { return a[0] == b[0] && strcmp(a, b) == 0; }

static bool listed(const char *label, const char **list, int n)
{
    for (int k = 0; k < n; k++)
        if (equal(label, list[k])) return true;
    return false;
}

static bool same(const char *a, const char *b, const char **pairs, int n)
{
    if (equal(a, b)) return true;
    for (int k = 0; k + 1 < n; k += 2)
        if ((equal(a, pairs[k]) && equal(b, pairs[k + 1])) || (equal(b, pairs[k]) && equal(a, pairs[k + 1]))) return true;
    return false;
}

/* ---- one line */

typedef struct Terminal {
    const char *word;
    char *label;
    int result;
} Terminal;

/* A word that may be a quote mark or not, whatever it is labelled. */
typedef struct Quote {
    int index;         /* words kept before it */
    int begun;         /* brackets begun before it */
    int *open, n_open; /* brackets it stands in */
    const char *word;
    char *label;
    bool deleted;
} Quote;

typedef struct Span {
    int begin, end;
    size_t text_begin, text_end; /* what stands between label and closing bracket, in the line */
    char *label;
    int result;
    bool named;   /* its label was reported as wrong */
    bool crossed; /* reported as crossed */
} Span;

typedef struct Tree {
    char *line;
    size_t cap;
    long len;
    Terminal *words;
    Span *spans;
    Quote *quotes;
    int *stack;
    int n, n_spans, n_quotes, depth, length;
    int cap_words, cap_spans, cap_quotes, cap_stack;
    Arena arena;
    const char *path;
} Tree;

typedef struct Totals {
    long sentences, errors, skipped, match, gold, test, cross, words, tags, complete, no_cross, two_cross;
} Totals;

typedef struct Run {
    const EvalbParams *p;
    Tree gold, test;
    FILE *out, *err;
    long line;
    int n_errors;
    bool stopped, failed;
    Totals all, cut;
} Run;

/* NP-SBJ-1 and NP=2 become NP; what begins with '-' stays. */
static void cut_label(char *label)
{
    if (label[0] != '-') label[strcspn(label, "-=")] = 0;
}

static bool is_quote(const EvalbParams *p, const char *label, const char *word)
{
    return listed(label, p->quote_label, p->n_quote_label) && (strcmp(word, "'") == 0 || strcmp(word, "\"") == 0 || strcmp(word, "/") == 0);
}

static Status add_word(Run *r, Tree *t, char *label, const char *word, Error *e)
{
    const EvalbParams *p = r->p;
    bool deleted = listed(label, p->delete_label, p->n_delete_label);
    if (!listed(label, p->delete_length, p->n_delete_length)) t->length++;
    if (is_quote(p, label, word)) {
        Quote q = { t->n, t->n_spans, arena_alloc(&t->arena, (size_t)t->depth, sizeof(int)), t->depth, word, label, deleted };
        if (!q.open || !mem_reserve((void **)&t->quotes, &t->cap_quotes, t->n_quotes + 1, sizeof *t->quotes))
            return error_set(e, ERR_NOMEM, "out of memory reading %s", t->path);
        if (t->depth) memcpy(q.open, t->stack, (size_t)t->depth * sizeof(int));
        t->quotes[t->n_quotes++] = q;
    }
    if (deleted) return OK;
    if (!mem_reserve((void **)&t->words, &t->cap_words, t->n + 1, sizeof *t->words))
        return error_set(e, ERR_NOMEM, "out of memory reading %s", t->path);
    t->words[t->n++] = (Terminal){ word, label, UNTOUCHED };
    return OK;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static Status read_tree(Run *r, Tree *t, Error *e)
{
    const char *s = t->line;
    t->n = t->n_spans = t->n_quotes = t->depth = t->length = 0;
    arena_reset(&t->arena);
    const char *nul = memchr(s, 0, (size_t)t->len);
    if (nul) return error_at(e, ERR_FORMAT, t->path, r->line, (long)(nul - s) + 1, "found a NUL byte");
    for (size_t i = 0; s[i];) {
        if (is_space(s[i])) {
            i++;
        } else if (s[i] == '(') {
            size_t from = ++i;
            while (s[i] && !is_space(s[i]) && s[i] != '(' && s[i] != ')') i++;
            char *label = arena_strndup(&t->arena, s + from, i - from);
            while (s[i] && is_space(s[i])) i++;
            const char *word = "";
            bool terminal = s[i] != '(' && s[i] != ')';
            from = i;
            if (terminal) {
                while (s[i] && !is_space(s[i]) && s[i] != '(' && s[i] != ')') i++;
                word = arena_strndup(&t->arena, s + from, i - from);
            }
            if (!label || !word) return error_set(e, ERR_NOMEM, "out of memory reading %s", t->path);
            if (r->p->debug > 1) fprintf(r->out, "label=%s, word=%s, wid=%d\n", label, word, t->n);
            if (terminal) {
                Status st = add_word(r, t, label, word, e);
                if (st != OK) return st;
                while (s[i] && is_space(s[i])) i++;
                if (s[i] != ')') return error_at(e, ERR_FORMAT, t->path, r->line, (long)i + 1, "found no ')' behind the word '%s'", word);
                i++;
            } else if (s[i] == ')') {
                i++; /* "()": nothing at all */
            } else {
                if (!mem_reserve((void **)&t->spans, &t->cap_spans, t->n_spans + 1, sizeof *t->spans) ||
                    !mem_reserve((void **)&t->stack, &t->cap_stack, t->depth + 1, sizeof *t->stack))
                    return error_set(e, ERR_NOMEM, "out of memory reading %s", t->path);
                t->stack[t->depth++] = t->n_spans;
                t->spans[t->n_spans++] = (Span){ .begin = t->n, .text_begin = i, .label = label, .result = UNTOUCHED };
            }
        } else if (s[i] == ')') {
            if (t->depth == 0) return error_at(e, ERR_FORMAT, t->path, r->line, (long)i + 1, "found ')' without a matching '('");
            Span *b = &t->spans[t->stack[--t->depth]];
            b->end = t->n;
            b->text_end = i++;
        } else return error_at(e, ERR_FORMAT, t->path, r->line, (long)i + 1, "found '%c' outside brackets, expected '('", s[i]);
    }
    if (t->depth) return error_at(e, ERR_FORMAT, t->path, r->line, 0, "found the end of the line, expected %d more ')'", t->depth);
    return OK;
}

/* ---- quotes */

/* Puts a deleted quote back among the words. */
static bool insert_word(Run *r, Tree *t, const Quote *q, int at)
{
    if (!mem_reserve((void **)&t->words, &t->cap_words, t->n + 1, sizeof *t->words)) return false;
    memmove(t->words + at + 1, t->words + at, (size_t)(t->n - at) * sizeof *t->words);
    t->words[at] = (Terminal){ q->word, q->label, UNTOUCHED };
    t->n++;
    if (r->p->debug > 1) {
        fprintf(r->out, "bra=%d, ind=%d\n", q->begun, at);
        for (int b = 0; b < t->n_spans; b++) fprintf(r->out, "bracket[%d]={%d,%d}\n", b, t->spans[b].begin, t->spans[b].end);
        fprintf(r->out, "endslen=%d\n", q->n_open);
    }
    for (int k = 0; k < q->n_open; k++) t->spans[q->open[k]].end++;
    for (int b = q->begun; b < t->n_spans; b++) {
        t->spans[b].begin++;
        t->spans[b].end++;
    }
    return true;
}

/* A quote that one side deleted and the other kept is put back where it was deleted. */
static bool fix_quotes(Run *r)
{
    Tree *g = &r->gold, *t = &r->test;
    if (g->n_quotes != t->n_quotes) return true;
    int added[2] = { 0, 0 };
    for (int k = 0; k < g->n_quotes; k++) {
        const Quote *a = &g->quotes[k], *b = &t->quotes[k];
        if (r->p->debug > 1) {
            fprintf(r->out, "%d: %s - %s\n", a->index, a->label, a->word);
            fprintf(r->out, "%d: %s - %s\n", b->index, b->label, b->word);
        }
    }
    for (int k = 0; k < g->n_quotes; k++) {
        const Quote *a = &g->quotes[k], *b = &t->quotes[k];
        if (a->deleted == b->deleted) continue;
        Tree *into = a->deleted ? g : t;
        const Quote *q = a->deleted ? a : b;
        int *extra = &added[!a->deleted];
        if (!insert_word(r, into, q, q->index + *extra)) return false;
        ++*extra;
    }
    return true;
}

/* ---- counting */

typedef struct Counts {
    int status, match, gold, test, cross, words, tags;
} Counts;

static void put_span(Run *r, const char *what, const Tree *t, const Span *b)
{
    if (r->p->debug > 1)
        fprintf(r->out, "  %s[%d-%d]:  %.*s\n", what, b->begin, b->end - 1, (int)(b->text_end - b->text_begin), t->line + b->text_begin);
}

/* Deleted brackets keep their labels as they were. */
static void mark_deleted(const EvalbParams *p, Tree *t)
{
    for (int b = 0; b < t->n_spans; b++) {
        Span *x = &t->spans[b];
        x->result = listed(x->label, p->delete_label, p->n_delete_label) || x->begin == x->end ? DELETED : UNMATCHED;
        if (x->result == UNMATCHED) cut_label(x->label);
    }
    for (int w = 0; w < t->n; w++) cut_label(t->words[w].label);
}

static void match_spans(Run *r, Counts *c)
{
    Tree *g = &r->gold, *t = &r->test;
    const EvalbParams *p = r->p;
    for (int i = 0; i < g->n_spans; i++) {
        Span *a = &g->spans[i];
        for (int j = 0; j < t->n_spans; j++) {
            Span *b = &t->spans[j];
            if (p->debug > 1)
                fprintf(r->out, "1.res=%d, 2.res=%d, 1.start=%d, 2.start=%d, 1.end=%d, 2.end=%d\n", a->result, b->result, a->begin, b->begin, a->end,
                        b->end);
            if (a->result == DELETED || b->result != UNMATCHED || a->begin != b->begin || a->end != b->end) continue;
            if (p->labeled && !same(a->label, b->label, p->eq_label, p->n_eq_label)) {
                put_span(r, "LABEL", g, a);
                a->named = b->named = true;
                continue;
            }
            a->result = b->result = MATCHED;
            c->match++;
            break;
        }
        if (a->result == UNMATCHED && !a->named) put_span(r, "BRACKET", g, a);
    }
    for (int j = 0; j < t->n_spans; j++)
        if (t->spans[j].result == UNMATCHED && !t->spans[j].named) put_span(r, "EXTRA", t, &t->spans[j]);
}

static void count_spans(Run *r, Counts *c)
{
    const Tree *g = &r->gold, *t = &r->test;
    for (int i = 0; i < g->n_spans; i++) c->gold += g->spans[i].result != DELETED;
    for (int j = 0; j < t->n_spans; j++) c->test += t->spans[j].result != DELETED;
    for (int j = 0; j < t->n_spans; j++) {
        const Span *b = &t->spans[j];
        for (int i = 0; i < g->n_spans && b->result != DELETED; i++) {
            Span *a = &g->spans[i];
            bool left = a->begin < b->begin && b->begin < a->end && a->end < b->end;
            bool right = b->begin < a->begin && a->begin < b->end && b->end < a->end;
            if (a->result == DELETED || (!left && !right)) continue;
            c->cross++;
            if (!a->crossed) put_span(r, "CROSSING", g, a);
            a->crossed = true;
            break;
        }
    }
}

/* The sentence could not be scored, as just said; too many of them end the run. */
static void count_error(Run *r, Counts *c)
{
    c->status = STATUS_ERROR;
    r->stopped = r->n_errors++ > r->p->max_error;
}

static void count_sentence(Run *r, Counts *c)
{
    Tree *g = &r->gold, *t = &r->test;
    if (g->n == 0 || t->n == 0) {
        c->status = STATUS_SKIP;
        return;
    }
    if (g->n != t->n && !fix_quotes(r)) r->failed = true;
    if (g->n != t->n) {
        fprintf(r->err, "%ld : Length unmatch (%d|%d)\n", r->line, g->n, t->n);
        count_error(r, c);
        return;
    }
    for (int w = 0; w < g->n; w++) {
        if (same(g->words[w].word, t->words[w].word, r->p->eq_word, r->p->n_eq_word)) continue;
        fprintf(r->err, "%ld : Words unmatch (%s|%s)\n", r->line, g->words[w].word, t->words[w].word);
        count_error(r, c);
        return;
    }
    mark_deleted(r->p, g);
    mark_deleted(r->p, t);
    match_spans(r, c);
    count_spans(r, c);
    c->words = g->n;
    for (int w = 0; w < g->n; w++) {
        int right = same(g->words[w].label, t->words[w].label, r->p->eq_label, r->p->n_eq_label);
        g->words[w].result = t->words[w].result = right;
        c->tags += right;
    }
}

static void add_totals(Totals *sum, const Counts *c)
{
    sum->sentences++;
    if (c->status == STATUS_ERROR) sum->errors++;
    else if (c->status == STATUS_SKIP) sum->skipped++;
    if (c->status != STATUS_VALID) return;
    sum->match += c->match;
    sum->gold += c->gold;
    sum->test += c->test;
    sum->cross += c->cross;
    sum->words += c->words;
    sum->tags += c->tags;
    sum->complete += c->match == c->gold && c->gold == c->test;
    sum->no_cross += c->cross == 0;
    sum->two_cross += c->cross <= 2;
}

/* ---- output */

static void put_head(FILE *out)
{
    fputs("  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
          " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n"
          "============================================================================\n",
          out);
}

static void put_sentence(Run *r, const Counts *c)
{
    fprintf(r->out, "%4ld  %3d    %d  ", r->line, r->gold.length, c->status);
    fprintf(r->out, "%6.2f %6.2f   %3d    %3d  %3d    %3d", score_percent(c->match, c->gold), score_percent(c->match, c->test), c->match, c->gold,
            c->test, c->cross);
    fprintf(r->out, "   %4d  %4d   %6.2f\n", c->words, c->tags, score_percent(c->tags, c->words));
}

static void put_table(Run *r)
{
    const Tree *g = &r->gold, *t = &r->test;
    fprintf(r->out, "-<1>---(wn1=%3d, bn1=%3d)-           -<2>---(wn2=%3d, bn2=%3d)-\n", g->n, g->n_spans, t->n, t->n_spans);
    for (int k = 0; k < g->n || k < t->n; k++) {
        if (k < g->n) fprintf(r->out, "%3d : %d : %-6s  %-16s      ", k, g->words[k].result, g->words[k].label, g->words[k].word);
        else fprintf(r->out, "%40s", "");
        if (k < t->n) fprintf(r->out, "%3d : %d : %-6s  %-16s", k, t->words[k].result, t->words[k].label, t->words[k].word);
        fputc('\n', r->out);
    }
    fputc('\n', r->out);
    for (int k = 0; k < g->n_spans || k < t->n_spans; k++) {
        if (k < g->n_spans)
            fprintf(r->out, "%3d : %d : %3d  %3d  %-6s      ", k, g->spans[k].result, g->spans[k].begin, g->spans[k].end, g->spans[k].label);
        else fprintf(r->out, "%32s", "");
        if (k < t->n_spans)
            fprintf(r->out, "%3d : %d : %3d  %3d  %-6s", k, t->spans[k].result, t->spans[k].begin, t->spans[k].end, t->spans[k].label);
        fputc('\n', r->out);
    }
    fputs("\n========\n", r->out);
}

static void put_summary(FILE *out, const char *title, const Totals *s)
{
    long valid = s->sentences - s->errors - s->skipped;
    double recall = score_percent(s->match, s->gold), precision = score_percent(s->match, s->test);
    fprintf(out, "\n-- %s --\n", title);
    fprintf(out, "Number of sentence        = %6ld\n", s->sentences);
    fprintf(out, "Number of Error sentence  = %6ld\n", s->errors);
    fprintf(out, "Number of Skip  sentence  = %6ld\n", s->skipped);
    fprintf(out, "Number of Valid sentence  = %6ld\n", valid);
    fprintf(out, "Bracketing Recall         = %6.2f\n", recall);
    fprintf(out, "Bracketing Precision      = %6.2f\n", precision);
    if (recall + precision > 0) fprintf(out, "Bracketing FMeasure       = %6.2f\n", 2 * recall * precision / (recall + precision));
    else fprintf(out, "Bracketing FMeasure       =   -nan\n"); /* 0 / 0, as EVALB prints it */
    fprintf(out, "Complete match            = %6.2f\n", score_percent(s->complete, valid));
    fprintf(out, "Average crossing          = %6.2f\n", valid > 0 ? (double)s->cross / (double)valid : 0);
    fprintf(out, "No crossing               = %6.2f\n", score_percent(s->no_cross, valid));
    fprintf(out, "2 or less crossing        = %6.2f\n", score_percent(s->two_cross, valid));
    fprintf(out, "Tagging accuracy          = %6.2f\n", score_percent(s->tags, s->words));
}

static void put_totals(Run *r)
{
    const Totals *s = &r->all;
    char title[40];
    fputs("============================================================================\n", r->out);
    if (s->gold > 0 && s->test > 0)
        fprintf(r->out, "                %6.2f %6.2f %6ld %5ld %5ld %6ld", score_percent(s->match, s->gold), score_percent(s->match, s->test),
                s->match, s->gold, s->test, s->cross);
    fprintf(r->out, "  %5ld %5ld   %6.2f\n", s->words, s->tags, score_percent(s->tags, s->words));
    fputs("=== Summary ===\n", r->out);
    put_summary(r->out, "All", s);
    snprintf(title, sizeof title, "len<=%d", r->p->cutoff_len);
    put_summary(r->out, title, &r->cut);
}

/* ---- files */

static void tree_init(Tree *t, const char *path)
{
    t->path = path;
    arena_init(&t->arena, 4096);
}

static void tree_fini(Tree *t)
{
    free(t->line);
    mem_free(t->words);
    mem_free(t->spans);
    mem_free(t->quotes);
    mem_free(t->stack);
    arena_fini(&t->arena);
}

/* EVALB's arrays end here; behind them it reads and writes what is not its own. */
enum { EVALB_WORDS = 200, EVALB_BRACKETS = 200, EVALB_LINE = 5000 };

static void note_limits(Run *r, const Tree *t)
{
    if (t->n > EVALB_WORDS || t->n_spans > EVALB_BRACKETS || t->len >= EVALB_LINE)
        fprintf(r->err, "%ld : note: %s has %d words, %d brackets, %ld bytes here, more than EVALB can hold (%d, %d, %d); scored in full\n", r->line,
                t->path, t->n, t->n_spans, t->len, EVALB_WORDS, EVALB_BRACKETS, EVALB_LINE);
}

static Status score_line(Run *r, Error *e)
{
    Counts c = { 0 };
    Status s = read_tree(r, &r->gold, e);
    if (s == OK) s = read_tree(r, &r->test, e);
    if (s != OK) return s;
    if (r->p->debug > 1) fputc('\n', r->out);
    note_limits(r, &r->gold);
    note_limits(r, &r->test);
    count_sentence(r, &c);
    if (r->failed) return error_set(e, ERR_NOMEM, "out of memory scoring line %ld", r->line);
    if (r->stopped) return OK;
    put_sentence(r, &c);
    if (r->p->debug) put_table(r);
    add_totals(&r->all, &c);
    if (r->gold.length <= r->p->cutoff_len) add_totals(&r->cut, &c);
    return OK;
}

/* The next line of a file; false at its end, or with *e filled. */
static bool next_line(Tree *t, FILE *f, Error *e)
{
    t->len = getline(&t->line, &t->cap, f);
    if (t->len >= 0) return true;
    if (ferror(f)) error_at(e, ERR_IO, t->path, 0, 0, "cannot read: %s", strerror(errno));
    else if (!feof(f)) error_set(e, ERR_NOMEM, "out of memory reading %s", t->path);
    return false;
}

static Status score_files(Run *r, FILE *gold, FILE *test, Error *e)
{
    bool more = true; /* of test, as far as is known */
    put_head(r->out);
    while (!r->stopped && next_line(&r->gold, gold, e)) {
        r->line++;
        if (!(more = next_line(&r->test, test, e))) {
            if (e->code == OK) fprintf(r->err, "Number of lines unmatch (too many lines in gold data)\n");
            break;
        }
        Status s = score_line(r, e);
        if (s != OK) return s;
    }
    if (r->stopped || e->code != OK) return e->code;
    if (more && next_line(&r->test, test, e)) fprintf(r->err, "Number of lines unmatch (too many lines in test data)\n");
    if (e->code == OK) put_totals(r);
    return e->code;
}

Status evalb_run(const EvalbParams *p, const char *gold, const char *test, FILE *out, FILE *err, bool *stopped, Error *e)
{
    Run r = { .p = p, .out = out, .err = err };
    FILE *g = fopen(gold, "rb");
    if (!g) return error_at(e, ERR_IO, gold, 0, 0, "cannot open: %s", strerror(errno));
    FILE *t = fopen(test, "rb");
    if (!t) error_at(e, ERR_IO, test, 0, 0, "cannot open: %s", strerror(errno));
    tree_init(&r.gold, gold);
    tree_init(&r.test, test);
    Status s = t ? score_files(&r, g, t, e) : ERR_IO;
    if ((fflush(out) != 0 || ferror(out)) && s == OK) s = error_set(e, ERR_IO, "cannot write: %s", strerror(errno));
    *stopped = r.stopped;
    tree_fini(&r.gold);
    tree_fini(&r.test);
    fclose(g);
    if (t) fclose(t);
    return s;
}
