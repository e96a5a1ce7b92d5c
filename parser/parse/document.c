/* Text comes in blocks of whole paragraphs, which grow with each window; paragraphs that
 * are too long are cut at sentences, and what may continue comes again. */
#include "parser/parse/document.h"

#include <string.h>

#include "language/markup/markup.h"
#include "parser/parse/characters.h"

/* Bytes: the first and the largest window, and the longest paragraph that is not cut. */
enum { WINDOW_FIRST = 1 << 10, WINDOW_MOST = 1 << 18, PARAGRAPH_MOST = 1 << 20 };

static Cutter cutter_of(DocumentOptions o)
{
    Newlines newlines = o.raw.segment.newlines;
    if (!o.tokens && o.raw.sentences == SENTENCES_ALL) return stream_cut_nowhere;
    return o.tokens || newlines == NEWLINES_PARAGRAPH || newlines == NEWLINES_SENTENCE ? stream_cut_lines
                                                                                       : stream_cut_paragraphs;
}

static void start(Document *d, DocumentOptions o)
{
    *d = (Document){ .o = o, .breaks = 2, .want = o.large_windows ? WINDOW_MOST : WINDOW_FIRST };
    arena_init(&d->arena, (size_t)1 << 16);
}

static StreamOptions stream_options(DocumentOptions o)
{
    return (StreamOptions){ .invalid = o.raw.invalid, .notes = o.notes };
}

Status document_open(Document *document, const char *path, DocumentOptions options, Error *error)
{
    start(document, options);
    return stream_open(&document->stream, path, stream_options(options), cutter_of(options), error);
}

void document_open_text(Document *document, StrView text, const char *name, DocumentOptions options)
{
    start(document, options);
    stream_open_text(&document->stream, text, name, stream_options(options), cutter_of(options));
}

void document_close(Document *document)
{
    stream_close(&document->stream);
    segmented_text_fini(&document->seg);
    arena_fini(&document->arena);
    mem_free(document->in);
    *document = (Document){ .stream = { .in = { .fd = -1 } } };
}

/* How many bytes at the end of a text that continues belong to a word, or a character, that may be cut in two; 0 if it
 * is all one word. */
static size_t loose_end(StrView text)
{
    size_t end = text.len;
    while (end > 0 && !((unsigned char)text.ptr[end - 1] < 128 && utf8_is_space((unsigned char)text.ptr[end - 1])))
        end--;
    if (end) return text.len - end;
    end = text.len;
    while (end > 0 && text.len - end < 3 && ((unsigned char)text.ptr[end - 1] & 0xC0) == 0x80) end--;
    bool lead = end > 0 && (unsigned char)text.ptr[end - 1] >= 0xC0;
    return lead ? text.len - end + 1 : 0;
}

/* Makes one sentence of those that begin in one line, or of all. */
static void join_sentences(SegmentedText *t, bool all)
{
    int n = 0;
    for (int k = 0; k < t->n_sentences; k++) {
        TextSentence *x = &t->sentences[k], *last = n ? &t->sentences[n - 1] : NULL;
        if (last && (all || (x->line == last->line && !x->new_paragraph))) last->n += x->n;
        else t->sentences[n++] = *x;
    }
    t->n_sentences = n;
}

/* Adds the line breaks of bytes from .. to - 1 of the file; a form feed is two. */
static void add_breaks(Document *d, size_t from, size_t to)
{
    for (size_t at = from; at < to && d->breaks < 2; at++) {
        char c = d->block.text.ptr[at - d->block.byte];
        d->breaks += c == '\n' ? 1 : c == '\f' ? 2 : 0;
    }
}

/* Lines were split as paragraphs: only those after an empty line begin one. */
static void mark_paragraphs(Document *d)
{
    size_t at = d->block.byte;
    for (int k = 0; k < d->seg.n_sentences; k++) {
        TextSentence *x = &d->seg.sentences[k];
        add_breaks(d, at, d->seg.tokens[x->first].begin);
        x->new_paragraph = d->breaks > 1;
        d->breaks = 0;
        at = d->seg.tokens[x->first + x->n - 1].end;
    }
    add_breaks(d, at, d->block.byte + d->block.text.len);
}

static Status split_clean(Document *d, TextBlock clean, SegmentOptions o, Error *e)
{
    const RawText *raw = &d->o.raw;
    const Language *language = LANGUAGES[raw->language];
    Status status = raw->learnt && raw->learnt->bits
                        ? trained_text_segment(raw->learnt, &d->seg, clean, o, &d->arena, e)
                        : language->segment(&d->seg, clean, o, &d->arena, e);
    if (status == OK && raw->cutter && !o.words) status = characters_cut(raw->cutter, &d->seg, &d->arena, e);
    bool hyphens = raw->split_hyphens && !o.words && language->split_hyphens;
    TextRulesUse use = { .tokens = !o.words,
                         .sentences = raw->sentences == SENTENCES_FIND,
                         .lines = raw->segment.newlines == NEWLINES_SENTENCE,
                         .spaces = raw->segment.newlines == NEWLINES_SPACE };
    bool done = status != OK || !hyphens || language->split_hyphens(&d->seg, &d->arena);
    if (status == OK && done && raw->rules) done = text_rules_apply(raw->rules, &d->seg, clean, use, &d->arena);
    return done ? status : error_set(e, ERR_NOMEM, "out of memory reading %s", d->stream.path);
}

/* Splits the block without its markup. */
static Status segment_clean(Document *d, SegmentOptions o, Error *e)
{
    Status status = segmented_text_check(d->block, e);
    if (status != OK) return status;
    MarkupText text = { .block = d->block, .state = d->markup };
    MarkupOptions how = { d->kind, o.newlines == NEWLINES_PARAGRAPH, stream_ended(&d->stream) };
    bool done = markup_leave_out(&text, how, &d->arena);
    if (done) status = split_clean(d, text.clean, o, e);
    if (done && status == OK) done = markup_place(&text, &d->seg, &d->arena);
    StrView spaces = done ? document_spaces(text.clean.text) : (StrView){ 0 };
    d->breaks_off = text.n && spaces.len && memchr(spaces.ptr, '\f', spaces.len);
    d->after = text.state;
    markup_fini(&text);
    return done ? status : error_set(e, ERR_NOMEM, "out of memory reading %s", d->stream.path);
}

static Status segment(Document *d, Error *e)
{
    const RawText *raw = &d->o.raw;
    SegmentOptions o = raw->segment;
    /* each by itself, so that none waits for another */
    bool lines = o.newlines == NEWLINES_SENTENCE && !markup_cutter(d->kind);
    if (lines) o.newlines = NEWLINES_PARAGRAPH;
    if (raw->sentences == SENTENCES_LINE && o.newlines != NEWLINES_PARAGRAPH) o.newlines = NEWLINES_SENTENCE;
    Status status = segment_clean(d, o, e);
    if (status == OK && lines) mark_paragraphs(d);
    if (status == OK && raw->sentences != SENTENCES_FIND) join_sentences(&d->seg, raw->sentences == SENTENCES_ALL);
    return status;
}

/* A paragraph is too long: its last sentence, which may continue, comes again with what follows. */
static Status cut_paragraph(Document *d, Error *e)
{
    size_t loose = loose_end(d->block.text);
    d->block.text.len -= loose;
    stream_keep(&d->stream, loose);
    Status status = segment(d, e);
    if (status != OK || d->seg.n_sentences < 2) return status;
    const TextSentence *last = &d->seg.sentences[--d->seg.n_sentences];
    size_t begin = d->seg.tokens[last->first].begin - d->block.byte;
    stream_keep(&d->stream, d->block.text.len - begin);
    d->seg.n_tokens = last->first;
    d->after = (CutState){ .before = d->after.before }; /* where a sentence begins no markup is open */
    return OK;
}

static Status cut_line(Document *d, Error *e)
{
    size_t loose = loose_end(d->block.text);
    d->block.text.len -= loose;
    stream_keep(&d->stream, loose);
    return segmented_text_lines(&d->seg, d->block, &d->arena, e);
}

/* Bytes of a text before the unit that holds its first byte that is no text; 0 if that is the first unit. */
static size_t good_units(const Document *d)
{
    StrView text = d->block.text;
    CutState state = d->markup;
    const char *found;
    size_t bad = text_fault(text, &found), good = 0;
    for (size_t n; (n = d->stream.cutter(&state, text.ptr + good, bad - good)) > 0;) good += n;
    return good;
}

static Status split(Document *d, Error *e)
{
    return d->o.tokens ? segmented_text_lines(&d->seg, d->block, &d->arena, e) : segment(d, e);
}

static Status split_whole(Document *d, Error *e)
{
    Status status = split(d, e);
    size_t good = status == ERR_FORMAT ? good_units(d) : 0;
    if (!good) return status;
    *e = (Error){ 0 }; /* for the next window: first what stands before it */
    stream_keep(&d->stream, d->block.text.len - good);
    d->block.text.len = good;
    return split(d, e);
}

static Status split_block(Document *d, bool whole, Error *e)
{
    bool tokens = d->o.tokens, goes_on = d->inside;
    if (!whole && !d->inside)
        notes_add(d->o.notes, d->stream.path, d->block.line, 0,
                  tokens ? "a line of more than 1 MiB is read in pieces"
                         : "a paragraph of more than 1 MiB is read in pieces");
    d->inside = !whole;
    Status status = whole ? split_whole(d, e) : tokens ? cut_line(d, e) : cut_paragraph(d, e);
    if (status == OK && goes_on && !d->breaks_off && d->seg.n_sentences) d->seg.sentences[0].new_paragraph = false;
    if (status == OK) d->markup = d->after;
    return status;
}

/* How many characters of the text, which are four bytes in UTF-8, are two units in UTF-16. */
static size_t pairs_in(const char *text, size_t n)
{
    size_t pairs = 0;
    for (size_t i = 0; i < n; i++) pairs += (unsigned char)text[i] >= 0xF0;
    return pairs;
}

static void place_utf16(Document *d)
{
    StrView text = d->block.text;
    size_t at = 0, pairs = d->pairs;
    for (int k = 0; k < d->seg.n_tokens; k++) {
        Token *t = &d->seg.tokens[k];
        size_t begin = t->begin - d->block.byte, end = t->end - d->block.byte;
        if (t->part) { /* all words of a multiword token have its place */
            t->begin_utf16 = t[-1].begin_utf16;
            t->end_utf16 = t[-1].end_utf16;
            continue;
        }
        pairs += pairs_in(text.ptr + at, begin - at);
        t->begin_utf16 = t->begin_char + pairs;
        pairs += pairs_in(text.ptr + begin, end - begin);
        t->end_utf16 = t->end_char + pairs;
        at = end;
    }
    d->pairs = pairs + pairs_in(text.ptr + at, d->stream.given - at);
}

/* The next block of the text, split. Where reading fails, its last block ends with the last whole word before that. */
static Status read_block(Document *d, Error *e)
{
    bool whole;
    const char *found;
    Status status = stream_next(&d->stream, d->want, PARAGRAPH_MOST, &d->block, &whole, e);
    if (status == OK) return split_block(d, whole, e) == OK ? OK : stream_blame(&d->stream, e);
    d->block = stream_rest(&d->stream);
    d->block.text.len = text_fault(d->block.text, &found); /* what is decompressed of damaged data may be no text */
    d->block.text.len -= loose_end(d->block.text);
    if (!d->block.text.len || status == ERR_NOMEM) return status;
    *e = (Error){ 0 }; /* of the next block */
    return split_block(d, true, e);
}

/* What is markup, by the name of the file or by the beginning of the text where one of them decides that. */
static void choose_markup(Document *d)
{
    const RawText *raw = &d->o.raw;
    StrView text;
    Error e = { 0 }; /* comes again when the text is read */
    d->kind = raw->segment.words || d->o.tokens ? MARKUP_NONE : raw->segment.markup;
    if (d->kind == MARKUP_AUTO && stream_peek(&d->stream, 1, &text, &e) == OK)
        d->kind = markup_guess(text, d->stream.path);
    bool signs = LANGUAGES[raw->language]->finds_signs && !(raw->learnt && raw->learnt->bits);
    if (d->kind == MARKUP_AUTO && !signs) d->kind = MARKUP_NONE;
    if (markup_cutter(d->kind) && raw->sentences != SENTENCES_ALL) d->stream.cutter = markup_cutter(d->kind);
    d->begun = true;
}

static Status read_window(Document *d, Error *e)
{
    if (!d->begun) choose_markup(d);
    arena_reset(&d->arena);
    Status status = read_block(d, e);
    if (status != OK) return status;
    bool given = d->o.tokens || d->o.raw.segment.words;
    if (d->o.utf16) place_utf16(d);
    const Token *token = d->seg.tokens;
    const char **words = arena_alloc(&d->arena, (size_t)d->seg.n_tokens, sizeof *words);
    bool *space = arena_alloc(&d->arena, (size_t)d->seg.n_tokens, sizeof *space);
    if (!words || !space || !mem_reserve(d->in, &d->in_cap, d->seg.n_sentences))
        return error_set(e, ERR_NOMEM, "out of memory reading %s", d->stream.path);
    for (int k = 0; k < d->seg.n_tokens; k++) {
        words[k] = token[k].form;
        space[k] = !token[k].glued;
    }
    d->n = d->seg.n_sentences;
    for (int k = 0; k < d->n; k++) {
        const TextSentence *x = &d->seg.sentences[k];
        d->in[k] =
            (ParseInput){ .n_words = x->n, .words = words + x->first, .space_before = given ? NULL : space + x->first };
    }
    return OK;
}

Status document_next(Document *document, Error *error)
{
    Status status;
    document->n = 0;
    do status = read_window(document, error);
    while (status == OK && document->n == 0 && document->block.text.len); /* nothing but white space */
    if (document->want < WINDOW_MOST) document->want *= 2;
    return status;
}

bool document_touches_next(const Document *document, int k)
{
    const TextSentence *x = &document->seg.sentences[k];
    StrView text = document->block.text;
    int next = x->first + x->n;
    if (!x->n || next < document->seg.n_tokens) return x->n && document->seg.tokens[next].glued;
    if (!document->inside) return false;
    size_t at = document->seg.tokens[x->first + x->n - 1].end - document->block.byte;
    return at < text.len && !utf8_is_space(utf8_next(text.ptr, text.len, &at));
}

StrView document_spaces(StrView text)
{
    size_t end = 0;
    for (size_t next = 0; next < text.len && utf8_is_space(utf8_next(text.ptr, text.len, &next)); end = next) {}
    return (StrView){ text.ptr, end };
}

StrView document_spaces_after(DocumentOptions options, StrView rest)
{
    if (options.tokens) return (StrView){ 0 };
    StrView spaces = document_spaces(rest);
    CutState state = { 0 };
    size_t cut = cutter_of(options)(&state, spaces.ptr, spaces.len);
    return (StrView){ spaces.ptr, cut ? cut : spaces.len };
}

/* Origin.after. What a later window may begin with is not in it. */
static StrView spaces_after(const Document *d, const TextSentence *x)
{
    if (!x->n) return (StrView){ 0 };
    size_t at = d->seg.tokens[x->first + x->n - 1].end - d->block.byte;
    return document_spaces_after(d->o, (StrView){ d->block.text.ptr + at, d->block.text.len - at });
}

const Token *document_tokens(const Document *document, int k)
{
    const TextSentence *t = &document->seg.sentences[k];
    return t->n ? document->seg.tokens + t->first : NULL;
}

Origin document_origin(const Document *document, int k, long id)
{
    const TextSentence *t = &document->seg.sentences[k];
    return (Origin){ .id = id,
                     .line = t->line,
                     .new_paragraph = t->new_paragraph,
                     .touches_next = document_touches_next(document, k),
                     .after = spaces_after(document, t),
                     .tokens = document_tokens(document, k),
                     .block = document->block };
}

/* ---- parsing */

typedef struct Run {
    const Document *d;
    const Parser *p;
    DocumentTake take;
    void *context;
} Run;

static Status take_sentences(void *context, int from, int to, Error *e)
{
    const Run *r = context;
    return r->take(r->context, r->d, r->p->result, from, to, e);
}

Status document_run(Document *document, Parser *parser, DocumentTake take, void *context, Error *error)
{
    Run r = { document, parser, take, context };
    Status status;
    document->o.raw.cutter = parser;
    while ((status = document_next(document, error)) == OK && document->n)
        if ((status = parser_run(parser, document->in, document->n, take_sentences, &r, error)) != OK) break;
    return status;
}

/* The windows of several documents, whose sentences are parsed together. */
typedef struct Windows {
    Document *d;   /* [n] */
    int n, *first; /* [n + 1] the sentences of document k are first[k] .. first[k + 1] - 1 */
    int at;        /* the document whose sentences are taken */
    ParseInput *in;
    int cap;
    Run run;
} Windows;

/* The next window of each document that has one; x->first[n] is 0 after the last one. */
static Status next_windows(Windows *x, bool begins, Error *e)
{
    for (int k = 0; k < x->n; k++) {
        Document *d = &x->d[k];
        if ((begins || d->n) && document_next(d, e) != OK) return e->code;
        int from = x->first[k], to = x->first[k + 1] = from + d->n;
        if (!mem_reserve(x->in, &x->cap, to))
            return error_set(e, ERR_NOMEM, "out of memory reading %s", d->stream.path);
        if (d->n) memcpy(x->in + from, d->in, (size_t)d->n * sizeof *d->in);
    }
    x->at = 0;
    return OK;
}

static Status take_of_windows(void *context, int from, int to, Error *e)
{
    Windows *x = context;
    Status status = OK;
    while (status == OK && from < to) {
        while (x->first[x->at + 1] <= from) x->at++;
        int first = x->first[x->at], end = x->first[x->at + 1] < to ? x->first[x->at + 1] : to;
        x->run.d = &x->d[x->at];
        status = x->run.take(x->run.context, x->run.d, x->run.p->result + first, from - first, end - first, e);
        from = end;
    }
    return status;
}

Status document_run_all(Document *document, int n, Parser *parser, DocumentTake take, void *context, Error *error)
{
    Windows x = { .d = document, .n = n, .run = { NULL, parser, take, context } };
    x.first = mem_calloc((size_t)n + 1, sizeof *x.first);
    for (int k = 0; k < n; k++) document[k].o.raw.cutter = parser;
    Status status = x.first ? OK : error_set(error, ERR_NOMEM, "out of memory reading %d texts", n);
    for (bool begins = true; status == OK; begins = false) {
        status = next_windows(&x, begins, error);
        if (status != OK || !x.first[n]) break;
        status = parser_run(parser, x.in, x.first[n], take_of_windows, &x, error);
    }
    mem_free_each(x.first, x.in);
    return status;
}

Status document_parse(Parser *parser, StrView text, const char *name, DocumentOptions options, DocumentTake take,
                      void *context, Error *error)
{
    Document d;
    document_open_text(&d, text, name, options);
    Status status = document_run(&d, parser, take, context, error);
    document_close(&d);
    return status;
}
