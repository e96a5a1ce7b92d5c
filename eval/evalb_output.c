/* eval/evalb_output.c: the output of EVALB, collected in r->out and r->err. Numbers are formatted without printf, which
 * depends on the locale. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "eval/evalb_internal.h"

enum { MUCH = 1 << 16 };

/* ---- writing */

bool evalb_out_of_memory(Run *r)
{
    error_set(r->e, ERR_NOMEM, "out of memory scoring brackets");
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
bool evalb_flush(Run *r, bool all)
{
    if (!all && r->out.len < MUCH) return true;
    return write_text(r, &r->out, r->out_file) && (!r->err.len || write_text(r, &r->err, r->err_file));
}

/* ---- pieces */

/* Inserts blanks at `from`, so that the text from there on is at least `width` bytes long. */
static void pad_left(StrBuf *b, size_t from, size_t width)
{
    static const char blanks[] = "        ";
    size_t have = b->len - from, pad = width - have;
    if (have >= width) return;
    strbuf_add(b, blanks, pad);
    if (b->failed) return;
    memmove(b->ptr + from + pad, b->ptr + from, have);
    memset(b->ptr + from, ' ', pad);
}

/* Appends text, and the number as with %<width>ld; width is at most 8. */
static void put_long(StrBuf *b, const char *text, long value, size_t width)
{
    strbuf_puts(b, text);
    size_t from = b->len;
    strbuf_long(b, value);
    pad_left(b, from, width);
}

/* Appends text, and the number as with %6.2f. */
static void put_fixed(StrBuf *b, const char *text, double value)
{
    strbuf_puts(b, text);
    size_t from = b->len;
    strbuf_fixed(b, value, 2);
    pad_left(b, from, 6);
}

static double percent(long part, long whole) { return whole > 0 ? 100.0 * (double)part / (double)whole : 0; }

/* Appends s, padded with blanks to `width` bytes. */
static void put_left(StrBuf *b, const char *s, size_t len, size_t width)
{
    strbuf_add(b, s, len);
    for (; len < width; len++) strbuf_putc(b, ' ');
}

static void put_label(const Run *r, StrBuf *b, int label, size_t width)
{
    const char *name = r->labels.names.keys[label];
    put_left(b, name, strlen(name), width);
}

/* ---- messages */

static void put_line(Run *r)
{
    strbuf_long(&r->err, r->line);
    strbuf_puts(&r->err, " : ");
}

static bool count_error(Run *r)
{
    r->status = STATUS_ERROR;
    r->stopped = r->n_errors++ > r->p->max_error;
    return (r->err.len < MUCH || evalb_flush(r, true)) && !r->stopped;
}

bool evalb_sentence_error(Run *r, const char *message)
{
    put_line(r);
    strbuf_puts(&r->err, message);
    return count_error(r);
}

bool evalb_length_error(Run *r)
{
    put_line(r);
    put_long(&r->err, "Length unmatch (", r->gold.n, 0);
    put_long(&r->err, "|", r->test.n, 0);
    strbuf_puts(&r->err, ")\n");
    return count_error(r);
}

bool evalb_word_error(Run *r, const Word *gold, const Word *test)
{
    put_line(r);
    strbuf_puts(&r->err, "Words unmatch (");
    strbuf_add(&r->err, gold->text, (size_t)gold->len);
    strbuf_putc(&r->err, '|');
    strbuf_add(&r->err, test->text, (size_t)test->len);
    strbuf_puts(&r->err, ")\n");
    return count_error(r);
}

/* Sizes of EVALB's arrays, which it does not check. */
enum { EVALB_WORDS = 200, EVALB_BRACKETS = 200, EVALB_LINE = 5000 };

void evalb_note_limits(Run *r, const Tree *t)
{
    if (t->n <= EVALB_WORDS && t->n_brackets <= EVALB_BRACKETS && t->len < EVALB_LINE) return;
    put_line(r);
    strbuf_puts(&r->err, "note: ");
    strbuf_puts(&r->err, t->path);
    put_long(&r->err, " has ", t->n, 0);
    put_long(&r->err, " words, ", t->n_brackets, 0);
    put_long(&r->err, " brackets, ", t->len, 0);
    put_long(&r->err, " bytes here, more than EVALB can hold (", EVALB_WORDS, 0);
    put_long(&r->err, ", ", EVALB_BRACKETS, 0);
    put_long(&r->err, ", ", EVALB_LINE, 0);
    strbuf_puts(&r->err, "); scored in full\n");
}

/* ---- sentences */

void evalb_put_head(Run *r)
{
    strbuf_puts(&r->out, "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
                         " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n"
                         "============================================================================\n");
}

void evalb_put_sentence(Run *r, const Counts *c)
{
    StrBuf *b = &r->out;
    put_long(b, "", r->line, 4);
    put_long(b, "  ", r->gold.length, 3);
    put_long(b, "    ", r->status, 0);
    put_fixed(b, "  ", percent(c->match, c->gold));
    put_fixed(b, " ", percent(c->match, c->test));
    put_long(b, "   ", c->match, 3);
    put_long(b, "    ", c->gold, 3);
    put_long(b, "  ", c->test, 3);
    put_long(b, "    ", c->cross, 3);
    put_long(b, "   ", c->words, 4);
    put_long(b, "  ", c->tags, 4);
    put_fixed(b, "   ", percent(c->tags, c->words));
    strbuf_putc(b, '\n');
}

/* Word k in the table; without one, or if it is empty, blanks in the left column. */
static void put_word(Run *r, const Tree *t, int k, bool left)
{
    StrBuf *b = &r->out;
    if (k >= t->n || t->words[k].len == 0) {
        put_left(b, "", 0, left ? 40 : 0);
        return;
    }
    const Word *w = &t->words[k];
    put_long(b, "", k, 3);
    put_long(b, " : ", w->result, 0);
    strbuf_puts(b, " : ");
    put_label(r, b, w->label, 6);
    strbuf_puts(b, "  ");
    put_left(b, w->text, (size_t)w->len, 16);
    if (left) strbuf_puts(b, "      ");
}

static void put_span(Run *r, const Tree *t, int k, bool left)
{
    StrBuf *b = &r->out;
    if (k >= t->n_brackets) {
        put_left(b, "", 0, left ? 32 : 0);
        return;
    }
    const Bracket *x = &t->brackets[k];
    put_long(b, "", k, 3);
    put_long(b, " : ", x->result, 0);
    put_long(b, " : ", x->start, 3);
    put_long(b, "  ", x->end, 3);
    strbuf_puts(b, "  ");
    put_label(r, b, x->label, 6);
    if (left) strbuf_puts(b, "      ");
}

void evalb_put_table(Run *r)
{
    const Tree *g = &r->gold, *t = &r->test;
    StrBuf *b = &r->out;
    put_long(b, "-<1>---(wn1=", g->n, 3);
    put_long(b, ", bn1=", g->n_brackets, 3);
    put_long(b, ")-           -<2>---(wn2=", t->n, 3);
    put_long(b, ", bn2=", t->n_brackets, 3);
    strbuf_puts(b, ")-\n");
    for (int k = 0; k < g->n || k < t->n; k++) {
        put_word(r, g, k, true);
        put_word(r, t, k, false);
        strbuf_putc(b, '\n');
    }
    strbuf_putc(b, '\n');
    for (int k = 0; k < g->n_brackets || k < t->n_brackets; k++) {
        put_span(r, g, k, true);
        put_span(r, t, k, false);
        strbuf_putc(b, '\n');
    }
    strbuf_puts(b, "\n========\n");
}

/* ---- summary */

static void put_summary(StrBuf *b, const Totals *s)
{
    long valid = s->sentences - s->errors - s->skipped;
    double recall = percent(s->match, s->gold), precision = percent(s->match, s->test);
    put_long(b, "Number of sentence        = ", s->sentences, 6);
    put_long(b, "\nNumber of Error sentence  = ", s->errors, 6);
    put_long(b, "\nNumber of Skip  sentence  = ", s->skipped, 6);
    put_long(b, "\nNumber of Valid sentence  = ", valid, 6);
    put_fixed(b, "\nBracketing Recall         = ", recall);
    put_fixed(b, "\nBracketing Precision      = ", precision);
    if (recall + precision > 0)
        put_fixed(b, "\nBracketing FMeasure       = ", 2 * precision * recall / (precision + recall));
    else strbuf_puts(b, "\nBracketing FMeasure       =   -nan"); /* 0 / 0 as printed on x86 */
    put_fixed(b, "\nComplete match            = ", percent(s->complete, valid));
    put_fixed(b, "\nAverage crossing          = ", valid > 0 ? 1.0 * (double)s->cross / (double)valid : 0);
    put_fixed(b, "\nNo crossing               = ", percent(s->no_cross, valid));
    put_fixed(b, "\n2 or less crossing        = ", percent(s->two_cross, valid));
    put_fixed(b, "\nTagging accuracy          = ", percent(s->tags, s->words));
    strbuf_putc(b, '\n');
}

void evalb_put_totals(Run *r)
{
    const Totals *s = &r->all;
    StrBuf *b = &r->out;
    strbuf_puts(b, "============================================================================\n");
    if (s->gold > 0 && s->test > 0) {
        put_fixed(b, "                ", percent(s->match, s->gold));
        put_fixed(b, " ", percent(s->match, s->test));
        put_long(b, " ", s->match, 6);
        put_long(b, " ", s->gold, 5);
        put_long(b, " ", s->test, 5);
        put_long(b, "  ", s->cross, 5);
    }
    put_long(b, "  ", s->words, 5);
    put_long(b, " ", s->tags, 5);
    put_fixed(b, "   ", percent(s->tags, s->words));
    strbuf_puts(b, "\n=== Summary ===\n\n-- All --\n");
    put_summary(b, s);
    put_long(b, "\n-- len<=", r->p->cutoff_len, 0);
    strbuf_puts(b, " --\n");
    put_summary(b, &r->cut);
}

/* ---- DEBUG 2 */

void evalb_put_terminal(Run *r, const Tree *t, int label, const char *word, size_t len)
{
    StrBuf *b = &r->out;
    strbuf_puts(b, "label=");
    put_label(r, b, label, 0);
    strbuf_puts(b, ", word=");
    strbuf_add(b, word, len);
    put_long(b, ", wid=", t->n, 0);
    strbuf_putc(b, '\n');
}

static void put_quote(Run *r, const Quote *q)
{
    put_long(&r->out, "", q->index, 0);
    strbuf_puts(&r->out, ": ");
    put_label(r, &r->out, q->word.label, 0);
    strbuf_puts(&r->out, " - ");
    strbuf_add(&r->out, q->word.text, (size_t)q->word.len);
    strbuf_putc(&r->out, '\n');
}

void evalb_put_quotes(Run *r)
{
    const Tree *g = &r->gold, *t = &r->test;
    for (int k = 0; k < g->n_quotes || k < t->n_quotes; k++) {
        if (k < g->n_quotes) put_quote(r, &g->quotes[k]);
        if (k < t->n_quotes) put_quote(r, &t->quotes[k]);
    }
}

void evalb_put_insertion(Run *r, const Quote *q, int at)
{
    put_long(&r->out, "bra=", q->brackets, 0);
    put_long(&r->out, ", ind=", at, 0);
    strbuf_putc(&r->out, '\n');
}

void evalb_put_bracket(Run *r, int index, const Bracket *b)
{
    put_long(&r->out, "bracket[", index, 0);
    put_long(&r->out, "]={", b->start, 0);
    put_long(&r->out, ",", b->end, 0);
    strbuf_puts(&r->out, "}\n");
}

void evalb_put_depth(Run *r, const Quote *q)
{
    put_long(&r->out, "endslen=", q->depth, 0);
    strbuf_putc(&r->out, '\n');
}

void evalb_put_comparison(Run *r, const Bracket *a, const Bracket *b)
{
    put_long(&r->out, "1.res=", a->result, 0);
    put_long(&r->out, ", 2.res=", b->result, 0);
    put_long(&r->out, ", 1.start=", a->start, 0);
    put_long(&r->out, ", 2.start=", b->start, 0);
    put_long(&r->out, ", 1.end=", a->end, 0);
    put_long(&r->out, ", 2.end=", b->end, 0);
    strbuf_putc(&r->out, '\n');
}

/* text_end of a bracket that was never closed is left from an earlier sentence, as in EVALB. */
void evalb_put_found(Run *r, const char *what, const Tree *t, const Bracket *x)
{
    StrBuf *b = &r->out;
    const char *text = t->line + x->text_start;
    strbuf_puts(b, "  ");
    strbuf_puts(b, what);
    put_long(b, "[", x->start, 0);
    put_long(b, "-", x->end - 1, 0);
    strbuf_puts(b, "]: ");
    if (x->text_end > x->text_start) strbuf_add(b, text, strnlen(text, x->text_end - x->text_start));
    strbuf_putc(b, '\n');
}
