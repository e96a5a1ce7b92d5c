/* parser/task/translate/pair_data.c */
#include "parser/task/translate/pair_data.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "embeddings/bpe.h"

/* One side of a corpus, line by line. */
typedef struct Side {
    const char *path;
    StrBuf file;
    size_t at;
    long line;
    StrView text; /* of the line, without blanks around it */
} Side;

static StrView trimmed(StrView text)
{
    size_t from = text.len, to = 0;
    for (size_t k = 0, next; k < text.len; k = next) {
        next = k;
        if (utf8_is_space(utf8_next(text.ptr, text.len, &next))) continue;
        if (from == text.len) from = k;
        to = next;
    }
    return (StrView){ text.ptr + from, to > from ? to - from : 0 };
}

/* The next line; *more is false at the end. */
static Status next_line(Side *s, bool *more, Error *e)
{
    StrView line;
    *more = text_line((StrView){ s->file.ptr, s->file.len }, &s->at, &line);
    if (!*more) return OK;
    s->line++;
    size_t bad = utf8_invalid(line.ptr, line.len);
    if (bad < line.len)
        return error_at(e, ERR_FORMAT, s->path, s->line, (long)bad + 1, "found a byte that is not UTF-8");
    s->text = trimmed(line);
    return OK;
}

static Status add_pair(Treebank *tb, const Side side[2], Error *e)
{
    if (!side[0].text.len || !side[1].text.len) return OK;
    Sentence *pair = treebank_add(tb);
    const char **text = arena_alloc(&tb->arena, 1, sizeof *text);
    if (!pair || !text || !(*text = arena_strndup(&tb->arena, side[0].text.ptr, side[0].text.len)) ||
        !(pair->translation = arena_strndup(&tb->arena, side[1].text.ptr, side[1].text.len)))
        return error_set(e, ERR_NOMEM, "out of memory reading %s", side[0].path);
    pair->n_words = 1;
    pair->words = text;
    pair->line = side[0].line;
    return OK;
}

static Status read_pairs(Treebank *tb, Side side[2], Error *e)
{
    Status s = OK;
    for (int k = 0; k < 2 && s == OK; k++) s = file_read_text(side[k].path, &side[k].file, e);
    while (s == OK) {
        bool more[2];
        for (int k = 0; k < 2 && s == OK; k++) s = next_line(&side[k], &more[k], e);
        if (s != OK || (!more[0] && !more[1])) break;
        int missing = more[0];
        if (!more[missing])
            return error_at(e, ERR_FORMAT, side[missing].path, side[missing].line + 1, 1,
                            "found the end, expected a translation of line %ld of %s", side[1 - missing].line,
                            side[1 - missing].path);
        s = add_pair(tb, side, e);
    }
    if (s == OK && tb->n == 0)
        s = error_at(e, ERR_FORMAT, side[0].path, 1, 1, "found no pair of texts, expected at least one");
    return s;
}

Status pair_data_load(Corpus *c, const char *source, const char *target, Error *e)
{
    Side side[2] = { { .path = source }, { .path = target } };
    *c = (Corpus){ .rules = NULL };
    treebank_init(&c->trees);
    treebank_init(&c->deps);
    snprintf(c->name, sizeof c->name, "%s", file_name(source));
    Status s = read_pairs(&c->trees, side, e);
    for (int k = 0; k < 2; k++) strbuf_fini(&side[k].file);
    return s == OK ? corpus_note_paths(c, source, target, e) : s;
}

/* ---- pieces */

Status pair_data_pieces(const Model *m, StrView text, Arena *a, Sentence *out, Error *e)
{
    Pieces p = { 0 };
    *out = (Sentence){ 0 };
    Status s = bpe_encode(&m->words, text, &p, e);
    if (s == OK && !(out->words = arena_alloc(a, (size_t)p.n, sizeof *out->words)))
        s = error_set(e, ERR_NOMEM, "out of memory for pieces of a text");
    for (int k = 0; k < p.n && s == OK; k++) out->words[out->n_words++] = vocab_text(&m->words, p.p[k].id);
    pieces_fini(&p);
    return s;
}

Status pair_data_labels(const Model *m, StrView text, Arena *a, const int **labels, Error *e)
{
    Pieces p = { 0 };
    Status s = bpe_encode(&m->words, text, &p, e);
    int *list = s == OK ? arena_alloc(a, (size_t)p.n + 1, sizeof *list) : NULL;
    if (s == OK && !list) s = error_set(e, ERR_NOMEM, "out of memory for pieces of a text");
    for (int k = 0; k < p.n && s == OK; k++) list[k + 1] = p.p[k].id;
    if (s == OK) list[0] = p.n;
    *labels = list;
    pieces_fini(&p);
    return s;
}
