/* parser/source.c */
#define _POSIX_C_SOURCE 200809L
#include "parser/source.h"

#include <string.h>
#include <sys/stat.h>

/* Bytes: the first and the largest window, and the longest paragraph that is not cut. */
enum { WINDOW_FIRST = 1 << 10, WINDOW_MOST = 1 << 18, PARAGRAPH_MOST = 1 << 20 };

static bool of_treebank(const Source *s) { return s->o.kind == INPUT_CONLL || s->o.kind == INPUT_BRACKETS; }

static TextStream *stream_of(Source *s) { return of_treebank(s) ? &s->corpus.trees.in : &s->stream; }

Status source_open(Source *s, const char *path, SourceOptions o, Error *e)
{
    *s = (Source){ .path = path, .o = o, .want = WINDOW_FIRST };
    arena_init(&s->arena, (size_t)1 << 16);
    Status st;
    if (of_treebank(s)) {
        ReaderOptions reader = { .format = o.kind == INPUT_CONLL ? FORMAT_CONLL : FORMAT_BRACKETS,
                                 .brackets = {
                                     .strip_functions = true, .keep_spelling = o.spelling, .notes = o.notes } };
        st = corpus_open(&s->corpus, path, o.deps, reader, e);
    } else st = stream_open(&s->stream, path, NULL, false, o.kind == INPUT_TOKENS ? stream_cut_lines : segment_cut, e);
    struct stat file;
    if (st == OK && fstat(stream_of(s)->fd, &file) == 0 && S_ISREG(file.st_mode)) s->size = (double)file.st_size;
    return st;
}

void source_close(Source *s)
{
    if (of_treebank(s)) corpus_close(&s->corpus);
    else stream_close(&s->stream);
    segmented_text_fini(&s->seg);
    arena_fini(&s->arena);
    mem_free(s->in);
}

static Status from_treebank(Source *s, Error *e)
{
    s->corpus.trees.want = s->want;
    Status st = corpus_block(&s->corpus, e);
    if (st != OK) return st;
    const Treebank *tb = &s->corpus.trees.tb;
    if (!mem_reserve(s->in, &s->in_cap, tb->n)) return error_set(e, ERR_NOMEM, "out of memory reading %s", s->path);
    for (int k = 0; k < tb->n; k++)
        s->in[k] = (ParseInput){ tb->s[k].n_words, tb->s[k].words, s->o.tags ? tb->s[k].tags : NULL };
    s->gold = tb->s;
    s->n = tb->n;
    return OK;
}

/* How many bytes at the end of a text that goes on belong to a word, or a character, that may be cut in two; 0 if it is
 * all one word. */
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

/* A paragraph is too long: its last sentence, which may go on, comes again with what follows. */
static Status cut_paragraph(Source *s, Error *e)
{
    size_t loose = loose_end(s->block.text);
    s->block.text.len -= loose;
    stream_keep(&s->stream, loose);
    Status st = segment_text(&s->seg, s->block, &s->arena, e);
    if (st != OK || s->seg.n_sentences < 2) return st;
    const TextSentence *last = &s->seg.sentences[--s->seg.n_sentences];
    size_t begin = s->seg.tokens[last->first].begin - s->block.byte;
    stream_keep(&s->stream, s->block.text.len - begin);
    s->seg.n_tokens = last->first;
    return OK;
}

static Status cut_line(Source *s, Error *e)
{
    size_t loose = loose_end(s->block.text);
    s->block.text.len -= loose;
    stream_keep(&s->stream, loose);
    return segment_pretokenized(&s->seg, s->block, &s->arena, e);
}

/* Bytes of a text before the unit that holds its first byte that is no text; 0 if that is the first unit. */
static size_t good_units(const Source *s)
{
    StrView text = s->block.text;
    CutState state = { 0 };
    size_t bad = utf8_invalid(text.ptr, text.len), good = 0;
    const char *nul = memchr(text.ptr, 0, bad);
    if (nul) bad = (size_t)(nul - text.ptr);
    for (size_t n; (n = s->stream.cutter(&state, text.ptr + good, bad - good)) > 0;) good += n;
    return good;
}

static Status split_whole(Source *s, Error *e)
{
    Status (*split)(SegmentedText *, TextBlock, Arena *, Error *) =
        s->o.kind == INPUT_TOKENS ? segment_pretokenized : segment_text;
    Status st = split(&s->seg, s->block, &s->arena, e);
    size_t good = st == ERR_FORMAT ? good_units(s) : 0;
    if (!good) return st;
    *e = (Error){ 0 }; /* for the next window: first what stands before it */
    stream_keep(&s->stream, s->block.text.len - good);
    s->block.text.len = good;
    return split(&s->seg, s->block, &s->arena, e);
}

static Status split_block(Source *s, bool whole, Error *e)
{
    bool tokens = s->o.kind == INPUT_TOKENS, goes_on = s->inside;
    if (!whole && !s->inside)
        notes_add(s->o.notes, s->path, s->block.line,
                  tokens ? "a line of more than 1 MiB is read in pieces"
                         : "a paragraph of more than 1 MiB is read in pieces");
    s->inside = !whole;
    Status st = whole ? split_whole(s, e) : tokens ? cut_line(s, e) : cut_paragraph(s, e);
    if (st == OK && goes_on && s->seg.n_sentences) s->seg.sentences[0].new_paragraph = false;
    return st;
}

static Status from_text(Source *s, Error *e)
{
    bool whole;
    segmented_text_fini(&s->seg);
    arena_reset(&s->arena);
    Status st = stream_next(&s->stream, s->want, PARAGRAPH_MOST, &s->block, &whole, e);
    if (st == OK) st = split_block(s, whole, e);
    if (st != OK) return st;
    const char **words = arena_alloc(&s->arena, (size_t)s->seg.n_tokens, sizeof *words);
    if (!words || !mem_reserve(s->in, &s->in_cap, s->seg.n_sentences))
        return error_set(e, ERR_NOMEM, "out of memory reading %s", s->path);
    for (int k = 0; k < s->seg.n_tokens; k++) words[k] = s->seg.tokens[k].form;
    s->n = s->seg.n_sentences;
    for (int k = 0; k < s->n; k++)
        s->in[k] = (ParseInput){ s->seg.sentences[k].n, words + s->seg.sentences[k].first, NULL };
    return OK;
}

Status source_next(Source *s, Error *e)
{
    Status st;
    s->n = 0;
    if (of_treebank(s)) st = from_treebank(s, e);
    else do
            st = from_text(s, e);
        while (st == OK && s->n == 0 && s->block.text.len); /* nothing but white space */
    if (s->want < WINDOW_MOST) s->want *= 2;
    return st;
}

Origin source_origin(const Source *s, int k, long id)
{
    if (of_treebank(s)) return (Origin){ .id = id, .line = s->gold[k].line, .spelled = s->gold[k].spelled };
    const TextSentence *t = &s->seg.sentences[k];
    return (Origin){ .id = id,
                     .line = t->line,
                     .new_paragraph = t->new_paragraph,
                     .tokens = s->seg.tokens + t->first,
                     .block = s->block };
}

double source_progress(const Source *s)
{
    const TextStream *in = of_treebank(s) ? &s->corpus.trees.in : &s->stream;
    return s->size > 0 ? (double)(in->byte + in->given) / s->size : 0;
}
