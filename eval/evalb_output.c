/* The output of EVALB, collected in r->out and r->err. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "eval/evalb_internal.h"

enum { MUCH = 1 << 16 };

/* ---- writing */

bool evalb_out_of_memory(Run *run)
{
    error_set(run->e, ERR_NOMEM, "out of memory scoring brackets");
    return false;
}

static bool write_text(Run *r, StrBuf *text, FILE *f)
{
    StrBuf shown = { 0 };
    const StrBuf *from = text;
    if (text->len && isatty(fileno(f))) {
        strbuf_visible(&shown, text->ptr, text->len);
        from = &shown;
    }
    if (from->failed || text->failed) {
        strbuf_fini(&shown);
        return evalb_out_of_memory(r);
    }
    bool written = !from->len || fwrite(from->ptr, 1, from->len, f) == from->len;
    text->len = 0;
    strbuf_fini(&shown);
    if (written && fflush(f) == 0) return true;
    error_set(r->e, ERR_IO, "cannot write: %s", strerror(errno));
    return false;
}

/* Writes out before err, so that messages follow the lines of earlier sentences if both are the same file. */
bool evalb_flush(Run *run, bool all)
{
    if (!all && run->out.len < MUCH) return true;
    return write_text(run, &run->out, run->out_file) && (!run->err.len || write_text(run, &run->err, run->err_file));
}

/* ---- pieces */

static double percent(long part, long whole) { return whole > 0 ? 100.0 * (double)part / (double)whole : 0; }

static const char *name_of(const Run *r, int label) { return r->labels.names.keys[label]; }

/* ---- messages */

static bool count_error(Run *r)
{
    r->status = STATUS_ERROR;
    r->stopped = r->n_errors++ > r->p->max_error;
    return (r->err.len < MUCH || evalb_flush(r, true)) && !r->stopped;
}

bool evalb_sentence_error(Run *run, const char *message)
{
    strbuf_printf(&run->err, "%ld : %s", run->line, message);
    return count_error(run);
}

bool evalb_length_error(Run *run)
{
    strbuf_printf(&run->err, "%ld : Length unmatch (%d|%d)\n", run->line, run->gold.n, run->test.n);
    return count_error(run);
}

bool evalb_word_error(Run *run, const Word *gold, const Word *test)
{
    strbuf_printf(&run->err, "%ld : Words unmatch (%.*s|%.*s)\n", run->line, gold->len, gold->text, test->len,
                  test->text);
    return count_error(run);
}

/* Sizes of EVALB's arrays, which it does not check. */
enum { EVALB_WORDS = 200, EVALB_BRACKETS = 200, EVALB_LINE = 5000 };

void evalb_note_limits(Run *run, const Tree *tree)
{
    if (tree->n <= EVALB_WORDS && tree->n_brackets <= EVALB_BRACKETS && tree->len < EVALB_LINE) return;
    strbuf_printf(&run->err,
                  "%ld : note: %s has %d words, %d brackets, %ld bytes here, more than EVALB can hold (%d, %d, %d); "
                  "scored in full\n",
                  run->line, tree->path, tree->n, tree->n_brackets, tree->len, EVALB_WORDS, EVALB_BRACKETS, EVALB_LINE);
}

/* ---- sentences */

void evalb_put_head(Run *run)
{
    strbuf_puts(&run->out, "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
                           " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n"
                           "============================================================================\n");
}

/* Appends text, and the number as with %<width>.<digits>f, width at most 8: faster than printf. */
static void put(StrBuf *b, const char *text, double number, int digits, size_t width)
{
    strbuf_puts(b, text);
    size_t from = b->len, len;
    strbuf_fixed(b, number, digits);
    len = b->len - from;
    if (len >= width) return;
    strbuf_add(b, "        ", width - len);
    if (b->failed) return;
    memmove(b->ptr + from + width - len, b->ptr + from, len);
    memset(b->ptr + from, ' ', width - len);
}

void evalb_put_sentence(Run *run, const Counts *counts)
{
    StrBuf *b = &run->out;
    put(b, "", (double)run->line, 0, 4);
    put(b, "  ", run->gold.length, 0, 3);
    put(b, "    ", run->status, 0, 0);
    put(b, "  ", percent(counts->match, counts->gold), 2, 6);
    put(b, " ", percent(counts->match, counts->test), 2, 6);
    put(b, "   ", counts->match, 0, 3);
    put(b, "    ", counts->gold, 0, 3);
    put(b, "  ", counts->test, 0, 3);
    put(b, "    ", counts->cross, 0, 3);
    put(b, "   ", counts->words, 0, 4);
    put(b, "  ", counts->tags, 0, 4);
    put(b, "   ", percent(counts->tags, counts->words), 2, 6);
    strbuf_putc(b, '\n');
}

/* Word k in the table; without one, or if it is empty, blanks in the left column. */
static void put_word(Run *r, const Tree *t, int k, bool left)
{
    const Word *w = k < t->n ? &t->words[k] : NULL;
    if (!w || w->len == 0) strbuf_printf(&r->out, "%*s", left ? 40 : 0, "");
    else
        strbuf_printf(&r->out, "%3d : %d : %-6s  %-16.*s%s", k, w->result, name_of(r, w->label), w->len, w->text,
                      left ? "      " : "");
}

static void put_span(Run *r, const Tree *t, int k, bool left)
{
    const Bracket *x = k < t->n_brackets ? &t->brackets[k] : NULL;
    if (!x) strbuf_printf(&r->out, "%*s", left ? 32 : 0, "");
    else
        strbuf_printf(&r->out, "%3d : %d : %3d  %3d  %-6s%s", k, x->result, x->start, x->end, name_of(r, x->label),
                      left ? "      " : "");
}

void evalb_put_table(Run *run)
{
    const Tree *g = &run->gold, *t = &run->test;
    StrBuf *b = &run->out;
    strbuf_printf(b, "-<1>---(wn1=%3d, bn1=%3d)-           -<2>---(wn2=%3d, bn2=%3d)-\n", g->n, g->n_brackets, t->n,
                  t->n_brackets);
    for (int k = 0; k < g->n || k < t->n; k++) {
        put_word(run, g, k, true);
        put_word(run, t, k, false);
        strbuf_putc(b, '\n');
    }
    strbuf_putc(b, '\n');
    for (int k = 0; k < g->n_brackets || k < t->n_brackets; k++) {
        put_span(run, g, k, true);
        put_span(run, t, k, false);
        strbuf_putc(b, '\n');
    }
    strbuf_puts(b, "\n========\n");
}

/* ---- summary */

static void put_summary(StrBuf *b, const Totals *s)
{
    long valid = s->sentences - s->errors - s->skipped;
    double recall = percent(s->match, s->gold), precision = percent(s->match, s->test);
    strbuf_printf(b,
                  "Number of sentence        = %6ld\nNumber of Error sentence  = %6ld\n"
                  "Number of Skip  sentence  = %6ld\nNumber of Valid sentence  = %6ld\n"
                  "Bracketing Recall         = %6.2f\nBracketing Precision      = %6.2f\nBracketing FMeasure       = ",
                  s->sentences, s->errors, s->skipped, valid, recall, precision);
    if (recall + precision > 0) strbuf_printf(b, "%6.2f", 2 * precision * recall / (precision + recall));
    else strbuf_puts(b, "  -nan"); /* 0 / 0 as printed on x86 */
    strbuf_printf(b,
                  "\nComplete match            = %6.2f\nAverage crossing          = %6.2f\n"
                  "No crossing               = %6.2f\n2 or less crossing        = %6.2f\n"
                  "Tagging accuracy          = %6.2f\n",
                  percent(s->complete, valid), valid > 0 ? 1.0 * (double)s->cross / (double)valid : 0,
                  percent(s->no_cross, valid), percent(s->two_cross, valid), percent(s->tags, s->words));
}

void evalb_put_totals(Run *run)
{
    const Totals *s = &run->all;
    StrBuf *b = &run->out;
    strbuf_puts(b, "============================================================================\n");
    if (s->gold > 0 && s->test > 0)
        strbuf_printf(b, "                %6.2f %6.2f %6ld %5ld %5ld  %5ld", percent(s->match, s->gold),
                      percent(s->match, s->test), s->match, s->gold, s->test, s->cross);
    strbuf_printf(b, "  %5ld %5ld   %6.2f\n=== Summary ===\n\n-- All --\n", s->words, s->tags,
                  percent(s->tags, s->words));
    put_summary(b, s);
    strbuf_printf(b, "\n-- len<=%d --\n", run->p->cutoff_len);
    put_summary(b, &run->cut);
}

/* ---- DEBUG 2 */

void evalb_put_terminal(Run *run, const Tree *tree, int label, const char *word, size_t len)
{
    strbuf_printf(&run->out, "label=%s, word=%.*s, wid=%d\n", name_of(run, label), (int)len, word, tree->n);
}

static void put_quote(Run *r, const Quote *q)
{
    strbuf_printf(&r->out, "%d: %s - %.*s\n", q->index, name_of(r, q->word.label), q->word.len, q->word.text);
}

void evalb_put_quotes(Run *run)
{
    const Tree *g = &run->gold, *t = &run->test;
    for (int k = 0; k < g->n_quotes || k < t->n_quotes; k++) {
        if (k < g->n_quotes) put_quote(run, &g->quotes[k]);
        if (k < t->n_quotes) put_quote(run, &t->quotes[k]);
    }
}

void evalb_put_insertion(Run *run, const Quote *quote, int at)
{
    strbuf_printf(&run->out, "bra=%d, ind=%d\n", quote->brackets, at);
}

void evalb_put_bracket(Run *run, int index, const Bracket *bracket)
{
    strbuf_printf(&run->out, "bracket[%d]={%d,%d}\n", index, bracket->start, bracket->end);
}

void evalb_put_depth(Run *run, const Quote *quote) { strbuf_printf(&run->out, "endslen=%d\n", quote->depth); }

void evalb_put_comparison(Run *run, const Bracket *a, const Bracket *b)
{
    strbuf_printf(&run->out, "1.res=%d, 2.res=%d, 1.start=%d, 2.start=%d, 1.end=%d, 2.end=%d\n", a->result, b->result,
                  a->start, b->start, a->end, b->end);
}

/* text_end of a bracket that was never closed is left from an earlier sentence, as in EVALB. */
void evalb_put_found(Run *run, const char *what, const Tree *tree, const Bracket *bracket)
{
    int length = bracket->text_end > bracket->text_start ? (int)(bracket->text_end - bracket->text_start) : 0;
    strbuf_printf(&run->out, "  %s[%d-%d]: %.*s\n", what, bracket->start, bracket->end - 1, length,
                  tree->line + bracket->text_start);
}
