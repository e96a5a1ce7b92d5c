/* parser/source.c */
#include "parser/source.h"

#include "base/file.h"
#include "treebank/bracket.h"
#include "treebank/conll.h"

void source_fini(Source *s)
{
    strbuf_fini(&s->text);
    arena_fini(&s->arena);
    segmented_fini(&s->seg);
    treebank_fini(&s->tb);
    mem_free(s->in);
}

static Status from_treebank(Source *s, InputKind kind, bool tags, Error *e)
{
    StrView text = { s->text.ptr, s->text.len };
    Status st = kind == INPUT_CONLL ? conll_read(&s->tb, text, s->path, e)
                                    : bracket_read(&s->tb, text, s->path, (BracketOptions){ .strip_functions = true }, e);
    if (st != OK) return st;
    s->n = s->tb.n;
    s->in = mem_calloc((size_t)s->n, sizeof *s->in);
    if (!s->in) return error_set(e, ERR_NOMEM, "out of memory reading %s", s->path);
    for (int k = 0; k < s->n; k++) s->in[k] = (ParseInput){ s->tb.s[k].n_words, s->tb.s[k].words, tags ? s->tb.s[k].tags : NULL };
    return OK;
}

static Status from_text(Source *s, InputKind kind, Error *e)
{
    StrView text = { s->text.ptr, s->text.len };
    Status st =
        kind == INPUT_TOKENS ? segment_pretokenized(&s->seg, text, s->path, &s->arena, e) : segment_text(&s->seg, text, s->path, &s->arena, e);
    if (st != OK) return st;
    s->n = s->seg.n_sentences;
    s->in = mem_calloc((size_t)s->n, sizeof *s->in);
    const char **words = arena_alloc(&s->arena, (size_t)s->seg.n_tokens, sizeof *words);
    if (!s->in || !words) return error_set(e, ERR_NOMEM, "out of memory reading %s", s->path);
    for (int k = 0; k < s->seg.n_tokens; k++) words[k] = s->seg.tokens[k].form;
    for (int k = 0; k < s->n; k++) s->in[k] = (ParseInput){ s->seg.sentences[k].n, words + s->seg.sentences[k].first, NULL };
    return OK;
}

Status source_read(Source *s, const char *path, InputKind kind, bool tags, Error *e)
{
    *s = (Source){ .path = path };
    arena_init(&s->arena, (size_t)1 << 16);
    treebank_init(&s->tb);
    Status st = file_read(path, &s->text, e);
    if (st != OK) return st;
    return kind == INPUT_CONLL || kind == INPUT_BRACKETS ? from_treebank(s, kind, tags, e) : from_text(s, kind, e);
}

Origin source_origin(const Source *s, int k, long id)
{
    Origin o = { .id = id };
    if (s->seg.sentences) {
        const TextSentence *t = &s->seg.sentences[k];
        o.line = t->line;
        o.new_paragraph = t->new_paragraph;
        o.tokens = s->seg.tokens + t->first;
        o.text = (StrView){ s->text.ptr, s->text.len };
    } else o.line = s->tb.s[k].line;
    return o;
}
