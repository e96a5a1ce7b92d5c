/* Trees in brackets over several lines */

#include "treebank/draw/terminal_internal.h"

static const char TOP[] = "TOP";

typedef struct Brackets {
    StrBuf *out, text, shown; /* text: a word or tag with its escapes; shown: as a terminal may show it */
    const Sentence *sent;
    Escapes escapes;
    TerminalStyle style;
    int *flat;   /* [n_phrases + 1] columns of each phrase on one line; the last one is TOP */
    int *word_w; /* [n_words] columns of "(TAG word)" */
    int *open;   /* [depth] phrases whose bracket is open */
    int depth, step;
    int col;
    int flat_until;  /* word after the phrase that is being written on one line, 0: none */
    bool words_only; /* the last part was a word or a label */
} Brackets;

/* What is in b->text; valid until the next call. */
static const char *shown(Brackets *b)
{
    if (!b->style.visible) return b->text.failed ? "" : b->text.ptr;
    strbuf_clear(&b->shown);
    if (!b->text.failed) strbuf_visible(&b->shown, b->text.ptr, b->text.len);
    b->text.failed |= b->shown.failed;
    return b->text.failed ? "" : b->shown.ptr;
}

static const char *tag_of(Brackets *b, int w)
{
    strbuf_clear(&b->text);
    tree_write_tag(&b->text, b->sent->tags && b->sent->tags[w] ? b->sent->tags[w] : "XX");
    return shown(b);
}

static const char *spelling(Brackets *b, int w)
{
    strbuf_clear(&b->text);
    tree_write_word(&b->text, b->sent, w, b->escapes, NOTATION_TREE);
    return shown(b);
}

static const char *label_of(Brackets *b, int p)
{
    strbuf_clear(&b->text);
    strbuf_puts(&b->text, p == b->sent->n_phrases ? TOP : b->sent->phrases[p].label);
    return shown(b);
}

static int end_of(const Brackets *b, int p)
{
    return p == b->sent->n_phrases ? b->sent->n_words : b->sent->phrases[p].end;
}

/* The columns of words and phrases, and the deepest phrase. */
static int measure(Brackets *b)
{
    const Sentence *sent = b->sent;
    int *stack = b->open, n = 0, next = 0, deepest = 0;
    stack[n++] = sent->n_phrases;
    b->flat[sent->n_phrases] = (int)sizeof TOP + 1;
    for (int w = 0; w < sent->n_words; w++) {
        for (; next < sent->n_phrases && sent->phrases[next].begin == w; next++) {
            b->flat[next] = terminal_width(label_of(b, next)) + 2;
            stack[n++] = next;
            if (n > deepest) deepest = n;
        }
        b->word_w[w] = terminal_width(tag_of(b, w)) + 3;
        b->word_w[w] += terminal_width(spelling(b, w));
        b->flat[stack[n - 1]] += 1 + b->word_w[w];
        for (; n > 1 && end_of(b, stack[n - 1]) == w + 1; n--) b->flat[stack[n - 2]] += 1 + b->flat[stack[n - 1]];
    }
    return deepest;
}

static void put(Brackets *b, const char *text, Ink ink)
{
    if (b->style.color) ink_change(b->out, INK_PLAIN, ink);
    strbuf_puts(b->out, text);
    if (b->style.color) ink_change(b->out, ink, INK_PLAIN);
    b->col += terminal_width(text);
}

static void new_line(Brackets *b)
{
    int indent = b->depth * b->step, most = b->style.width / 2;
    strbuf_putc(b->out, '\n');
    for (b->col = 0; b->col < indent && b->col < most; b->col++) strbuf_putc(b->out, ' ');
}

/* Goes to where the next part of the innermost open phrase begins: after a blank if it is a word after words and it
 * fits with the brackets that close after it, else on a new line. */
static void next_part(Brackets *b, int width, int end, bool word)
{
    int closing = 0;
    while (closing < b->depth && end_of(b, b->open[b->depth - 1 - closing]) == end) closing++;
    bool fits = b->col + 1 + width + closing <= b->style.width;
    if (b->flat_until || (word && b->words_only && fits)) put(b, " ", INK_PLAIN);
    else new_line(b);
    if (!b->flat_until && !word && b->col + width + closing <= b->style.width) b->flat_until = end;
}

static void open_phrase(Brackets *b, int p)
{
    if (b->depth) next_part(b, b->flat[p], end_of(b, p), false);
    else if (b->flat[p] <= b->style.width) b->flat_until = end_of(b, p);
    put(b, "(", INK_FAINT);
    Ink ink = ink_of_label(label_of(b, p));
    put(b, label_of(b, p), ink);
    b->open[b->depth++] = p;
    b->words_only = true;
}

static void put_word(Brackets *b, int w)
{
    next_part(b, b->word_w[w], w + 1, true);
    put(b, "(", INK_FAINT);
    put(b, tag_of(b, w), INK_TAG);
    put(b, " ", INK_PLAIN);
    put(b, spelling(b, w), INK_WORD);
    put(b, ")", INK_FAINT);
    b->words_only = true;
    for (; b->depth && end_of(b, b->open[b->depth - 1]) == w + 1; b->depth--) {
        put(b, ")", INK_FAINT);
        b->words_only = false;
    }
    if (b->flat_until == w + 1) b->flat_until = 0;
}

void terminal_brackets(StrBuf *out, const Sentence *sent, Escapes escapes, TerminalStyle style)
{
    size_t words = (size_t)sent->n_words, phrases = (size_t)sent->n_phrases + 1;
    int *ints = mem_alloc(words + 2 * phrases, sizeof *ints);
    Brackets b = { .out = out, .sent = sent, .escapes = escapes, .style = style, .word_w = ints };
    if (!ints) {
        out->failed = true;
        return;
    }
    b.flat = ints + words;
    b.open = b.flat + phrases;
    b.step = measure(&b) > style.width / 4 ? 1 : 2;
    open_phrase(&b, sent->n_phrases);
    for (int w = 0, next = 0; w < sent->n_words; w++) {
        for (; next < sent->n_phrases && sent->phrases[next].begin == w; next++) open_phrase(&b, next);
        put_word(&b, w);
    }
    strbuf_putc(out, '\n');
    out->failed |= b.text.failed;
    strbuf_fini(&b.text);
    strbuf_fini(&b.shown);
    mem_free(ints);
}
