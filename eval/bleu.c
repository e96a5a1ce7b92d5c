/* A line is cut into tokens by ten passes, in the order of mteval-v13a; counts of all lines are added,
 * and the score is made of the sums. */
#include "eval/bleu.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "eval/ngrams.h"

/* ---- tokens */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_stop(char c) { return c == '.' || c == ','; }

/* Each pass appends to `to` what it makes of `from`. */
typedef void Pass(StrView from, StrBuf *to);

static void replace(StrView from, const char *what, const char *by, StrBuf *to)
{
    size_t n = strlen(what);
    for (size_t k = 0; k < from.len;) {
        bool found = from.len - k >= n && memcmp(from.ptr + k, what, n) == 0;
        if (found) strbuf_puts(to, by);
        else strbuf_putc(to, from.ptr[k]);
        k += found ? n : 1;
    }
}

static void drop_skipped(StrView from, StrBuf *to) { replace(from, "<skipped>", "", to); }
static void join_hyphens(StrView from, StrBuf *to) { replace(from, "-\n", "", to); }
static void unescape_quotes(StrView from, StrBuf *to) { replace(from, "&quot;", "\"", to); }
static void unescape_ampersands(StrView from, StrBuf *to) { replace(from, "&amp;", "&", to); }
static void unescape_less(StrView from, StrBuf *to) { replace(from, "&lt;", "<", to); }
static void unescape_greater(StrView from, StrBuf *to) { replace(from, "&gt;", ">", to); }

/* Blanks at the ends, so that the first and last sign have neighbours; each sign but ' , - . is a token. */
static void split_signs(StrView from, StrBuf *to)
{
    strbuf_putc(to, ' ');
    for (size_t k = 0; k < from.len; k++) {
        char c = from.ptr[k];
        if (c > ' ' && c < 0x7f && strchr("!\"#$%&()*+/:;<=>?@[\\]^_`{|}~", c)) strbuf_printf(to, " %c ", c);
        else strbuf_putc(to, c);
    }
    strbuf_putc(to, ' ');
}

/* Writes pairs of bytes that `apart` takes for two tokens as "a b " or, with `before`, as " a b". Pairs are looked for
 * from the left and do not overlap. */
static void split_pairs(StrView from, bool (*apart)(char a, char b), bool before, StrBuf *to)
{
    for (size_t k = 0; k < from.len;) {
        const char *s = from.ptr + k;
        bool pair = k + 1 < from.len && apart(s[0], s[1]);
        if (pair) strbuf_printf(to, before ? " %c %c" : "%c %c ", s[0], s[1]);
        else strbuf_putc(to, s[0]);
        k += pair ? 2 : 1;
    }
}

static bool stop_after_other(char a, char b) { return !is_digit(a) && is_stop(b); }
static bool stop_before_other(char a, char b) { return is_stop(a) && !is_digit(b); }
static bool dash_after_digit(char a, char b) { return is_digit(a) && b == '-'; }
static void split_stops_after(StrView from, StrBuf *to) { split_pairs(from, stop_after_other, false, to); }
static void split_stops_before(StrView from, StrBuf *to) { split_pairs(from, stop_before_other, true, to); }
static void split_dashes(StrView from, StrBuf *to) { split_pairs(from, dash_after_digit, false, to); }

/* In the order of mteval-v13a. */
static Pass *const passes[] = { drop_skipped,     join_hyphens, unescape_quotes,   unescape_ampersands, unescape_less,
                                unescape_greater, split_signs,  split_stops_after, split_stops_before,  split_dashes };

/* White space as the reference program has it: not U+200B and U+FEFF. */
static bool is_space(int32_t cp) { return utf8_is_space(cp) && cp != 0x200B && cp != 0xFEFF; }

/* The length without white space at the end. */
static size_t trimmed(StrView line)
{
    size_t end = 0;
    for (size_t k = 0; k < line.len;)
        if (!is_space(utf8_next(line.ptr, line.len, &k))) end = k;
    return end;
}

static void put_words(StrView text, StrBuf *out)
{
    bool any = false, inside = false;
    for (size_t k = 0, from = 0; k < text.len; from = k) {
        bool space = is_space(utf8_next(text.ptr, text.len, &k));
        if (!space && any && !inside) strbuf_putc(out, ' ');
        if (!space) strbuf_add(out, text.ptr + from, k - from);
        any = any || !space;
        inside = !space;
    }
}

void bleu_tokenize(StrView line, StrBuf *out)
{
    StrBuf text[2] = { 0 };
    int n = sizeof passes / sizeof *passes;
    StrView from = { line.ptr, trimmed(line) };
    for (int k = 0; k < n; k++) {
        StrBuf *to = &text[k % 2];
        strbuf_clear(to);
        passes[k](from, to);
        from = (StrView){ to->ptr, to->len };
    }
    put_words(from, out);
    out->failed = out->failed || text[0].failed || text[1].failed;
    strbuf_fini(&text[0]);
    strbuf_fini(&text[1]);
}

/* ---- counts */

static StrView view_of(const StrBuf *b) { return (StrView){ b->ptr ? b->ptr : "", b->len }; }

/* The words of the reference nearest in length. */
static long nearest(long words, const StrView *references, int n)
{
    long best = ngrams_words(references[0]);
    for (int r = 1; r < n; r++) {
        long length = ngrams_words(references[r]), d = labs(length - words) - labs(best - words);
        if (d < 0 || (d == 0 && length < best)) best = length;
    }
    return best;
}

static Status count_tokens(StrView output, const StrView *references, int n, BleuCounts *counts, Error *e)
{
    long words = ngrams_words(output);
    Status status = OK;
    for (int k = 0; k < BLEU_ORDER && status == OK; k++) {
        NgramMatches m;
        status = ngrams_match(output, references, n, k + 1, &m, e);
        counts->matched[k] += m.matched;
        counts->total[k] += m.total;
    }
    counts->output += words;
    counts->reference += nearest(words, references, n);
    return status;
}

Status bleu_count(StrView output, const StrView *references, int n, BleuCounts *counts, Error *error)
{
    StrBuf tokens = { 0 }, *texts = mem_calloc((size_t)n, sizeof *texts);
    StrView *views = mem_calloc((size_t)n, sizeof *views);
    bool ok = texts && views;
    bleu_tokenize(output, &tokens);
    for (int r = 0; r < n && ok; r++) {
        bleu_tokenize(references[r], &texts[r]);
        views[r] = view_of(&texts[r]);
        ok = !texts[r].failed;
    }
    Status status = ok && !tokens.failed ? count_tokens(view_of(&tokens), views, n, counts, error)
                                         : error_set(error, ERR_NOMEM, "out of memory for tokens");
    for (int r = 0; r < n && texts; r++) strbuf_fini(&texts[r]);
    strbuf_fini(&tokens);
    mem_free_each(texts, views);
    return status;
}

/* ---- the score */

Bleu bleu_score(const BleuCounts *c, bool effective)
{
    Bleu b = { .brevity = 1 };
    double smoothing = 1, logs = 0;
    bool any = false;
    int orders = 0; /* that the output has n-grams of */
    if (c->output < c->reference) b.brevity = c->output ? exp(1 - (double)c->reference / (double)c->output) : 0;
    for (int k = 0; k < BLEU_ORDER; k++) any = any || c->matched[k] > 0;
    if (!any) return b;
    for (; orders < BLEU_ORDER && c->total[orders]; orders++) {
        double total = (double)c->total[orders], matched = (double)c->matched[orders];
        if (c->matched[orders] == 0) {
            smoothing *= 2;
            matched = 1 / smoothing;
        }
        b.precision[orders] = 100 * matched / total;
        logs += log(b.precision[orders]);
    }
    if (orders == BLEU_ORDER || effective) b.bleu = b.brevity * exp(logs / orders);
    return b;
}

void bleu_signature(int references, bool effective, StrBuf *out)
{
    strbuf_printf(out, "nrefs:%d|case:mixed|eff:%s|tok:13a|smooth:exp", references, effective ? "yes" : "no");
}

/* ---- sums */

void bleu_numbers(const BleuCounts *c, double numbers[BLEU_NUMBERS])
{
    for (int k = 0; k < BLEU_ORDER; k++) {
        numbers[k] = (double)c->matched[k];
        numbers[BLEU_ORDER + k] = (double)c->total[k];
    }
    numbers[2 * BLEU_ORDER] = (double)c->output;
    numbers[2 * BLEU_ORDER + 1] = (double)c->reference;
}

BleuCounts bleu_counts(const double numbers[BLEU_NUMBERS])
{
    BleuCounts c = { .output = (long)numbers[2 * BLEU_ORDER], .reference = (long)numbers[2 * BLEU_ORDER + 1] };
    for (int k = 0; k < BLEU_ORDER; k++) {
        c.matched[k] = (long)numbers[k];
        c.total[k] = (long)numbers[BLEU_ORDER + k];
    }
    return c;
}

static double of_sums(const double *sums)
{
    BleuCounts c = bleu_counts(sums);
    return bleu_score(&c, false).bleu;
}

const SumScore BLEU_OF_SUMS = { BLEU_NUMBERS, of_sums };
