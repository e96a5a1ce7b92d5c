/* A table of kinds. What is left out, or read as another character, is noted as a cut, by which tokens get their places
 * in the text. */
#include "language/markup/markup_internal.h"

#include <strings.h>

#include "language/markup/entity.h"

enum { SOFT_HYPHEN = 0xAD };

/* ---- how a text of a kind begins */

/* Where the first of these stands after white space and a byte order mark. */
static size_t skip_space(StrView text, size_t i)
{
    if (i == 0 && markup_has(text, 0, "\xEF\xBB\xBF")) i = 3;
    while (i < text.len && markup_is_space(text.ptr[i])) i++;
    return i;
}

static bool has_word(StrView text, size_t i, const char *word)
{
    size_t n = strlen(word);
    return i + n < text.len && strncasecmp(text.ptr + i, word, n) == 0 &&
           (markup_is_space(text.ptr[i + n]) || text.ptr[i + n] == '>');
}

/* <!DOCTYPE html or <html, after comments and the declaration of XML. */
static bool begins_html(StrView text)
{
    size_t i = skip_space(text, 0);
    while (markup_has(text, i, "<?xml") || markup_has(text, i, "<!--")) {
        const char *close = text.ptr[i + 1] == '?' ? "?>" : "-->";
        while (i < text.len && !markup_has(text, i, close)) i++;
        if (i == text.len) return false;
        i = skip_space(text, i + strlen(close));
    }
    return has_word(text, i, "<html") || (has_word(text, i, "<!doctype") && has_word(text, i + 10, "html"));
}

/* \documentclass, after lines of comments. */
static bool begins_latex(StrView text)
{
    size_t i = skip_space(text, 0);
    while (i < text.len && text.ptr[i] == '%') i = skip_space(text, markup_line_end(text, i));
    return markup_has(text, i, "\\documentclass") || markup_has(text, i, "\\documentstyle");
}

/* WEBVTT, or a number and on the next line a time. */
static bool begins_subtitles(StrView text)
{
    size_t i = skip_space(text, 0), digits = i;
    if (markup_has(text, i, "WEBVTT")) return markup_is_space(markup_at(text, i + 6));
    while (markup_is_digit(markup_at(text, digits))) digits++;
    size_t line = markup_line_end(text, digits);
    return digits > i && line < digits + 2 && markup_subtitles_times(text, line + 1);
}

/* ---- kinds */

typedef struct Kind {
    const char *signs; /* a text without any of them has no markup; NULL: it always has */
    void (*read)(MarkupWriter *writer);
    bool (*begins)(StrView text); /* MARKUP_AUTO takes it; NULL: never */
    Cutter cutter;
    const char *suffixes; /* of files that are of this kind, each with a blank after it; or NULL */
} Kind;

static const Kind KINDS[MARKUP_KINDS] = {
    [MARKUP_AUTO] = { "`*[>#|~&", markup_markdown_read, NULL, NULL, NULL },
    [MARKUP_NONE] = { "", NULL, NULL, NULL, NULL },
    [MARKUP_MARKDOWN] = { NULL, markup_markdown_read, NULL, NULL, ".md .markdown " },
    [MARKUP_HTML] = { NULL, markup_html_read, begins_html, markup_html_cut, ".html .htm .xhtml " },
    [MARKUP_SRT] = { NULL, markup_subtitles_read, begins_subtitles, stream_cut_nowhere, ".srt .vtt " },
    [MARKUP_LATEX] = { NULL, markup_latex_read, begins_latex, stream_cut_paragraphs, ".tex .latex " },
};

/* Does the path, less the .gz of a compressed file, end with one of the suffixes? */
static bool has_suffix(const char *path, const char *suffixes)
{
    size_t n = path ? strlen(path) : 0;
    if (n > 3 && strcasecmp(path + n - 3, ".gz") == 0) n -= 3;
    for (const char *end; suffixes && (end = strchr(suffixes, ' ')); suffixes = end + 1) {
        size_t length = (size_t)(end - suffixes);
        if (n > length && strncasecmp(path + n - length, suffixes, length) == 0) return true;
    }
    return false;
}

Markup markup_guess(StrView beginning, const char *path)
{
    for (int k = 0; k < MARKUP_KINDS; k++)
        if (has_suffix(path, KINDS[k].suffixes)) return (Markup)k;
    for (int k = 0; k < MARKUP_KINDS; k++)
        if (KINDS[k].begins && KINDS[k].begins(beginning)) return (Markup)k;
    return MARKUP_AUTO;
}

Cutter markup_cutter(Markup kind) { return KINDS[kind].cutter; }

/* Has the text one of the signs that all markup of the kind has? */
static bool may_have_markup(StrView v, const Kind *kind)
{
    for (const char *c = kind->signs; c && *c; c++)
        if (v.len && memchr(v.ptr, *c, v.len)) return true;
    return !kind->signs;
}

bool markup_leave_out(MarkupText *text, MarkupOptions options, Arena *arena)
{
    const Kind *kind = &KINDS[options.kind];
    StrView whole = text->block.text;
    text->clean = text->block;
    text->clean.byte = text->clean.character = 0;
    if (!may_have_markup(whole, kind)) return true;
    MarkupWriter w = { .text = whole, .o = options, .to = text };
    kind->read(&w);
    if (w.out.len || text->n) {
        markup_copy(&w, whole.len);
        text->clean.text = (StrView){ arena_strndup(arena, w.out.ptr ? w.out.ptr : "", w.out.len), w.out.len };
    }
    w.failed |= w.out.failed || !text->clean.text.ptr;
    strbuf_fini(&w.out);
    return !w.failed;
}

/* ---- what is left out */

void markup_copy(MarkupWriter *writer, size_t to)
{
    strbuf_add(&writer->out, writer->text.ptr + writer->copied, to - writer->copied);
    writer->copied = to;
}

static void add_cut(MarkupWriter *w, CutKind kind)
{
    MarkupText *m = w->to;
    Cut *last = m->n ? &m->cuts[m->n - 1] : NULL;
    w->now.at = w->out.len;
    w->now.kind = kind;
    if (last && last->at == w->now.at && last->kind == CUT_LEFT_OUT) m->n--;
    if (mem_reserve(m->cuts, &m->cap, m->n + 1)) m->cuts[m->n++] = w->now;
    else w->failed = true;
}

static long characters(const char *text, size_t n)
{
    long count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Puts other bytes in the place of bytes [from, to). */
static void replace(MarkupWriter *w, size_t from, size_t to, const char *by, size_t n, CutKind kind)
{
    markup_copy(w, from);
    strbuf_add(&w->out, by, n);
    w->now.bytes += (long)(to - from) - (long)n;
    w->now.characters += characters(w->text.ptr + from, to - from) - characters(by, n);
    w->copied = to;
    add_cut(w, kind);
}

void markup_skip(MarkupWriter *writer, size_t from, size_t to) { replace(writer, from, to, "", 0, CUT_LEFT_OUT); }

void markup_read_as(MarkupWriter *writer, size_t from, size_t to, const char *sign, CutKind kind)
{
    replace(writer, from, to, sign, strlen(sign), kind);
}

size_t markup_entity(MarkupWriter *writer, size_t i, CutKind kind)
{
    int32_t character;
    size_t end = entity_end(writer->text, i, &character);
    if (end == i) return i + 1;
    if (character == SOFT_HYPHEN && kind == CUT_SIGN) {
        markup_skip(writer, i, end);
        return end;
    }
    StrBuf sign = { 0 };
    strbuf_utf8(&sign, character < ' ' ? ' ' : character);
    writer->failed |= sign.failed;
    if (!sign.failed) replace(writer, i, end, sign.ptr, sign.len, kind);
    strbuf_fini(&sign);
    return end;
}

void markup_break(MarkupWriter *writer, size_t at, char character)
{
    replace(writer, at, at, &character, 1, CUT_LEFT_OUT);
}

void markup_blank(MarkupWriter *writer, size_t i)
{
    markup_copy(writer, i);
    strbuf_putc(&writer->out, ' ');
    writer->copied = i + 1;
}

/* ---- places */

/* The form of a token whose characters are read as others, as it is in the text but for what is left out. cut [n] are
 * inside of it. */
static bool write_form(const MarkupText *text, Token *x, const Cut *before, const Cut *cut, int n, Arena *arena)
{
    StrView clean = text->clean.text, raw = text->block.text;
    StrBuf form = { 0 };
    size_t at = x->begin;
    for (int k = 0; k < n; k++) {
        size_t end = cut[k].at;
        if (cut[k].kind == CUT_RAW) do
                end--;
            while (end > at && ((unsigned char)clean.ptr[end] & 0xC0) == 0x80);
        strbuf_add(&form, clean.ptr + at, end - at);
        size_t to = (size_t)((long)cut[k].at + cut[k].bytes);
        for (size_t i = (size_t)((long)end + before->bytes); i < to && cut[k].kind == CUT_RAW; i++)
            if (!markup_is_space(raw.ptr[i])) strbuf_putc(&form, raw.ptr[i]);
        at = cut[k].at;
        before = &cut[k];
    }
    strbuf_add(&form, clean.ptr + at, x->end - at);
    x->form = form.failed ? NULL : arena_strndup(arena, form.ptr, form.len);
    x->len = (uint32_t)form.len;
    strbuf_fini(&form);
    return x->form != NULL;
}

/* The cuts of a token: *first is that before it, *n are inside of it. next is the first one after its beginning. */
static bool place_token(const MarkupText *text, Token *x, const Cut *first, int next, Arena *arena)
{
    const Cut *cuts = text->cuts + next, *last = first;
    int n = 0, kinds = 0;
    for (; next + n < text->n && (cuts[n].at < x->end || (cuts[n].at == x->end && cuts[n].kind)); n++) {
        kinds |= 1 << cuts[n].kind;
        last = &cuts[n];
    }
    bool joined = x->cut > 0, raw = kinds & 1 << CUT_RAW && !joined && !x->words;
    if (raw && !write_form(text, x, first, cuts, n, arena)) return false;
    if (n) x->cut = n > 1 || joined || kinds != 1 << CUT_LEFT_OUT ? x->len : (uint32_t)(cuts->at - x->begin);
    x->begin += (size_t)first->bytes;
    x->begin_char += (size_t)first->characters;
    x->end += (size_t)last->bytes;
    x->end_char += (size_t)last->characters;
    if (raw && x->len == x->end - x->begin) x->cut = 0; /* the form is the text again */
    return true;
}

static void place_lines(const MarkupText *text, SegmentedText *to)
{
    const char *raw = text->block.text.ptr, *newline;
    size_t at = 0;
    long line = text->block.line;
    for (int s = 0; s < to->n_sentences; s++) {
        size_t begin = to->sentences[s].n ? to->tokens[to->sentences[s].first].begin : at;
        for (; at < begin && (newline = memchr(raw + at, '\n', begin - at)); line++) at = (size_t)(newline - raw) + 1;
        if (at < begin) at = begin;
        to->sentences[s].line = line;
    }
}

bool markup_place(const MarkupText *text, SegmentedText *segmented_text, Arena *arena)
{
    static const Cut none;
    bool failed = false;
    for (int k = 0, next = 0; text->n && k < segmented_text->n_tokens; k++) {
        Token *x = &segmented_text->tokens[k];
        while (next < text->n && text->cuts[next].at <= x->begin)
            next++; /* the first after the beginning of the token */
        failed |= !place_token(text, x, next ? &text->cuts[next - 1] : &none, next, arena);
    }
    if (text->clean.text.ptr != text->block.text.ptr) place_lines(text, segmented_text); /* breaks may be blanks */
    segmented_text_place(segmented_text, text->block);
    return !failed;
}

void markup_fini(MarkupText *text) { mem_free(text->cuts); }
