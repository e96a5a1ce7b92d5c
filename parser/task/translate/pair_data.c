/* Two files are read side by side; a text becomes pieces, and, for patterns and
 * reports, words with the piece in which each begins. */
#include "parser/task/translate/pair_data.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "embeddings/bpe.h"
#include "parser/parse/document.h"

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
        !(pair->target = arena_strndup(&tb->arena, side[1].text.ptr, side[1].text.len)))
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

Status pair_data_load(Corpus *corpus, const char *source, const char *target, Error *error)
{
    Side side[2] = { { .path = source }, { .path = target } };
    corpus_begin(corpus, file_name(source));
    Status s = read_pairs(&corpus->trees, side, error);
    for (int k = 0; k < 2; k++) strbuf_fini(&side[k].file);
    return corpus_end(corpus, source, target, s, error);
}

/* ---- pieces */

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for pieces of a text"); }

/* The token of each piece: the last of n words that begins no later than the piece's unit, or the first one. begin [n]:
 * bytes. */
static Status find_tokens(StrView text, const Pieces *p, const size_t *begin, int n, int *token, Error *e)
{
    Pieces units = { 0 };
    Status s = bpe_units(text, &units, e);
    token[0] = 0;
    for (int k = 0, u = 0, t = 0; k < p->n && s == OK; k++) {
        while (u + 1 < units.n && units.p[u + 1].begin <= p->p[k].begin) u++;
        while (t + 1 < n && begin[t + 1] <= (size_t)units.p[u].begin) t++;
        token[k + 1] = n ? t + 1 : 0;
    }
    token[p->n + 1] = n + 1;
    pieces_fini(&units);
    return s;
}

/* A copy of the words of a document that is one sentence. */
static Sentence *copy_words(const Document *d, Arena *a)
{
    Sentence *sent = arena_calloc(a, 1, sizeof *sent);
    int n = d->n ? d->in[0].n_words : 0;
    const char **words = arena_alloc(a, (size_t)n, sizeof *words);
    if (!sent || !words) return NULL;
    for (int w = 0; w < n; w++)
        if (!(words[w] = arena_strndup(a, d->in[0].words[w], strlen(d->in[0].words[w])))) return NULL;
    sent->words = words;
    sent->n_words = n;
    return sent;
}

/* The words of the model's language and where they begin. */
static Status cut_words(const Model *m, StrView text, Arena *a, Sentence **words, size_t **begin, Error *e)
{
    const DocumentOptions o = { .raw = { .language = m->c.language, .sentences = SENTENCES_ALL } };
    Document d;
    document_open_text(&d, text, "text", o);
    Status s = document_next(&d, e);
    *words = s == OK ? copy_words(&d, a) : NULL;
    *begin = *words ? arena_alloc(a, (size_t)(*words)->n_words, sizeof **begin) : NULL;
    if (s == OK && !*begin) s = out_of_memory(e);
    for (int w = 0; s == OK && w < (*words)->n_words; w++) (*begin)[w] = d.seg.tokens[w].begin;
    document_close(&d);
    return s;
}

/* Where the words of a sentence begin in a text. */
static Status find_words(StrView text, const Sentence *words, Arena *a, size_t **begin, Error *e)
{
    size_t at = 0, next = 0;
    *begin = arena_alloc(a, (size_t)words->n_words, sizeof **begin);
    if (!*begin) return out_of_memory(e);
    for (int w = 0; w <= words->n_words; w++) {
        for (next = at; at < text.len && utf8_is_space(utf8_next(text.ptr, text.len, &next)); at = next) {}
        size_t n = w < words->n_words ? strlen(words->words[w]) : 0;
        if (w == words->n_words ? at < text.len : n > text.len - at || memcmp(text.ptr + at, words->words[w], n) != 0) {
            const StrView rest = { text.ptr + at, text.len - at };
            const TextContrast c = text_contrast(text_view(w < words->n_words ? words->words[w] : ""), rest);
            return error_set(e, ERR_FORMAT, "found %s%s, expected the words of %s",
                             w < words->n_words ? "the word " : "the end", w < words->n_words ? c.found : "",
                             c.expected);
        }
        if (w < words->n_words) (*begin)[w] = at;
        at += n;
    }
    return OK;
}

static Status source_of(const Model *m, StrView text, const Pieces *p, Sentence *given, Arena *a,
                        const SourceWords **out, Error *e)
{
    SourceWords *source = arena_alloc(a, 1, sizeof *source);
    int *token = arena_alloc(a, (size_t)p->n + 2, sizeof *token);
    Sentence *words = given;
    size_t *begin = NULL;
    if (!source || !token) return out_of_memory(e);
    Status s = given ? find_words(text, given, a, &begin, e) : cut_words(m, text, a, &words, &begin, e);
    if (s == OK) s = find_tokens(text, p, begin, words->n_words, token, e);
    if (s != OK) return s;
    *source = (SourceWords){ words, token };
    *out = source;
    return OK;
}

Status pair_data_words(const Model *model, StrView text, Sentence *given, Arena *arena, const SourceWords **out,
                       Error *error)
{
    Pieces p = { 0 };
    Status s = bpe_encode(&model->words, text, &p, error);
    if (s == OK) s = source_of(model, text, &p, given, arena, out, error);
    pieces_fini(&p);
    return s;
}

Status pair_data_pieces(const Model *model, StrView text, Arena *arena, Sentence *out, Error *error)
{
    Pieces p = { 0 };
    *out = (Sentence){ 0 };
    Status s = bpe_encode(&model->words, text, &p, error);
    if (s == OK && !(out->words = arena_alloc(arena, (size_t)p.n, sizeof *out->words))) s = out_of_memory(error);
    for (int k = 0; k < p.n && s == OK; k++) out->words[out->n_words++] = vocab_text(&model->words, p.p[k].id);
    if (s == OK && model->options.n_heads) s = source_of(model, text, &p, NULL, arena, &out->source, error);
    pieces_fini(&p);
    return s;
}

Status pair_data_parse_words(const Model *parser, const Device *device, int n_threads, const SourceWords *const *source,
                             int n, Arena *arena, Error *error)
{
    Sentence **words = mem_calloc((size_t)n, sizeof *words);
    for (int k = 0; words && k < n; k++) words[k] = source[k]->words;
    Status s = words ? parser_annotate(parser, device, n_threads, words, n, arena, error) : out_of_memory(error);
    mem_free(words);
    return s;
}

Status pair_data_parse(const Model *model, const Device *device, int n_threads, Sentence *const *texts, int n,
                       Arena *arena, Error *error)
{
    if (!model->first) return OK;
    const SourceWords **source = arena_alloc(arena, (size_t)n, sizeof *source);
    if (!source) return out_of_memory(error);
    for (int k = 0; k < n; k++) source[k] = texts[k]->source;
    return pair_data_parse_words(model->first, device, n_threads, source, n, arena, error);
}

Status pair_data_labels(const Model *model, StrView text, Arena *arena, const int **labels, Error *error)
{
    Pieces p = { 0 };
    Status s = bpe_encode(&model->words, text, &p, error);
    int *list = s == OK ? arena_alloc(arena, (size_t)p.n + 1, sizeof *list) : NULL;
    if (s == OK && !list) s = out_of_memory(error);
    for (int k = 0; k < p.n && s == OK; k++) list[k + 1] = p.p[k].id;
    if (s == OK) list[0] = p.n;
    *labels = list;
    pieces_fini(&p);
    return s;
}

Status pair_data_pack(Worker *worker, const Sentence *pair, Sentence *source, const int **labels, Error *error)
{
    const StrView text = { pair->words[0], strlen(pair->words[0]) },
                  translation = { pair->target, strlen(pair->target) };
    *labels = NULL;
    Status s = pair_data_pieces(worker->m, text, &worker->scratch, source, error);
    if (s == OK) s = pair_data_labels(worker->m, translation, &worker->scratch, labels, error);
    if (s != OK) return s;
    Sentence *const texts[1] = { source };
    s = pair_data_parse(worker->m, worker->tape.device, 1, texts, 1, &worker->scratch, error);
    const BatchSentence sentence = pair_data_batch(source);
    return s == OK ? worker_pack(worker, &sentence, NULL, 1, 0, error) : s;
}
