/* Trees and dependencies for LaTeX */
#include "treebank/draw/tex.h"

#include <string.h>

/* What prints an ASCII character that TeX reads as something else; NULL: the character does. */
static const char *command_of(int32_t c)
{
    static const struct {
        char character;
        const char *command;
    } commands[] = { { '\\', "\\textbackslash{}" },
                     { '~', "\\textasciitilde{}" },
                     { '^', "\\textasciicircum{}" },
                     { '<', "\\textless{}" },
                     { '>', "\\textgreater{}" },
                     { '|', "\\textbar{}" },
                     { '&', "\\symbol{38}" }, /* \& is between the words of tikz-dependency */
                     { '{', "\\{" },
                     { '}', "\\}" },
                     { '#', "\\#" },
                     { '$', "\\$" },
                     { '%', "\\%" },
                     { '_', "\\_" } };
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (c == commands[k].character) return commands[k].command;
    return NULL;
}

/* Do fonts of TeX have one sign for these two characters: --, ``, '', ,, or ?`? */
static bool joins(int32_t before, int32_t c)
{
    return (before == c && c < 128 && c && strchr("-`',", c)) || ((before == '?' || before == '!') && c == '`');
}

/* Appends a text in braces, unless it is of letters and digits alone, so that no sign in it belongs to a package. */
static void put_text(StrBuf *out, const char *text)
{
    size_t len = strlen(text);
    bool plain = len > 0;
    int32_t before = 0;
    for (size_t i = 0; i < len && plain;) {
        int32_t c = utf8_next(text, len, &i);
        plain = utf8_is_letter(c) || utf8_is_digit(c);
    }
    if (!plain) strbuf_putc(out, '{');
    for (size_t i = 0; i < len;) {
        int32_t c = utf8_markup(utf8_next(text, len, &i));
        const char *command = command_of(c);
        if (joins(before, c)) strbuf_puts(out, "{}");
        if (command) strbuf_puts(out, command);
        else strbuf_utf8(out, c);
        before = c;
    }
    if (!plain) strbuf_putc(out, '}');
}

static void open_node(StrBuf *out, const char *label, int depth)
{
    strbuf_printf(out, "\n%*s[", 2 * depth, "");
    put_text(out, label);
}

void tex_forest(StrBuf *out, const Sentence *sent, const char *label)
{
    int next = 0, n_open = 0, *open = mem_alloc((size_t)sent->n_phrases + 1, sizeof *open);
    bool wrapped = !sent->n_phrases || sent->phrases[0].begin > 0 || sent->phrases[0].end < sent->n_words;
    if (!open) {
        out->failed = true;
        return;
    }
    strbuf_puts(out, "\\begin{forest}");
    if (wrapped) open_node(out, label, 1);
    for (int w = 0; w < sent->n_words; w++) {
        for (; next < sent->n_phrases && sent->phrases[next].begin == w; next++) {
            open_node(out, sent->phrases[next].label, n_open + 1 + wrapped);
            open[n_open++] = sent->phrases[next].end;
        }
        bool tag = sent->tags && sent->tags[w];
        strbuf_puts(out, tag ? " [" : "");
        if (tag) put_text(out, sent->tags[w]);
        strbuf_puts(out, " [");
        put_text(out, sent->words[w]);
        strbuf_puts(out, tag ? "]]" : "]");
        for (; n_open && open[n_open - 1] == w + 1; n_open--) strbuf_putc(out, ']');
    }
    strbuf_puts(out, wrapped ? "]\n\\end{forest}\n" : "\n\\end{forest}\n");
    mem_free(open);
}

static void put_row(StrBuf *out, const char *const *texts, int n)
{
    for (int w = 0; w < n; w++) {
        strbuf_puts(out, w ? " \\& " : "    ");
        put_text(out, texts[w] ? texts[w] : "");
    }
    strbuf_puts(out, " \\\\\n");
}

void tex_dependency(StrBuf *out, const Sentence *sent)
{
    strbuf_puts(out, "\\begin{dependency}\n  \\begin{deptext}[column sep=0.8em]\n");
    put_row(out, sent->words, sent->n_words);
    if (sent->tags) put_row(out, sent->tags, sent->n_words);
    strbuf_puts(out, "  \\end{deptext}\n");
    for (int w = 0; w < sent->n_words; w++) {
        if (sent->heads[w] > 0) strbuf_printf(out, "  \\depedge{%d}{%d}{", sent->heads[w], w + 1);
        else if (sent->heads[w] == 0) strbuf_printf(out, "  \\deproot{%d}{", w + 1);
        else continue; /* not known */
        put_text(out, sent->types && sent->types[w] ? sent->types[w] : "");
        strbuf_puts(out, "}\n");
    }
    strbuf_puts(out, "\\end{dependency}\n");
}
