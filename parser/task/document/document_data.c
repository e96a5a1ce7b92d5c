/* A document is read whole as one long sentence of words; what a model sees is
 * cut from it, with the numbers of its sentences. */
#include "parser/task/document/document_data.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "language/all/languages.h"
#include "parser/task/use.h"

/* ---- words */

typedef struct Words {
    const char *path;
    const Language *language;
    SegmentedText text;
    Arena *arena;
    const char **word; /* [n] of the document */
    bool *space;
    int n, cap, cap_space;
    Error *e;
} Words;

static Status out_of_memory(const Words *w) { return error_set(w->e, ERR_NOMEM, "out of memory reading %s", w->path); }

static Status add_sentence(Words *w, const DocumentLine *d, int k)
{
    Error why = { 0 };
    int before = w->n;
    TextBlock block = text_block(d->sentences.text[k], w->path);
    const SegmentOptions o = { .newlines = NEWLINES_SPACE, .markup = MARKUP_NONE };
    w->text.habits = (TextHabits){ 0 }; /* each sentence by itself */
    Status status = w->language->segment(&w->text, block, o, w->arena, &why);
    if (status != OK) return error_at(w->e, status, w->path, d->line, 1, "sentence %d: %s", k + 1, why.message);
    for (int i = 0; i < w->text.n_tokens; i++) {
        if (!mem_reserve(w->word, &w->cap, w->n + 1) || !mem_reserve(w->space, &w->cap_space, w->n + 1))
            return out_of_memory(w);
        w->word[w->n] = w->text.tokens[i].form;
        w->space[w->n] = w->n > 0 && (i == 0 || !w->text.tokens[i].glued);
        w->n++;
    }
    if (w->n > before) return OK;
    return error_at(w->e, ERR_FORMAT, w->path, d->line, 1, "found no word in sentence %d, expected one at least",
                    k + 1);
}

/* The words of a document as a sentence of tb. */
static Status add_document(Words *w, Treebank *tb, const DocumentLine *d)
{
    Sentence *sent = treebank_add(tb);
    TextParts *parts = arena_alloc(&tb->arena, 1, sizeof *parts);
    int *begin = arena_alloc(&tb->arena, (size_t)d->sentences.n + 1, sizeof *begin);
    if (!sent || !parts || !begin) return out_of_memory(w);
    if (!d->sentences.n)
        return error_at(w->e, ERR_FORMAT, w->path, d->line, 1, "found no sentences, expected a document with some");
    w->n = 0;
    Status status = OK;
    for (int k = 0; k < d->sentences.n && status == OK; k++) {
        begin[k] = w->n;
        status = add_sentence(w, d, k);
    }
    if (status != OK) return status;
    bool *space = arena_alloc(&tb->arena, (size_t)w->n, sizeof *space);
    sent->words = arena_alloc(&tb->arena, (size_t)w->n, sizeof *sent->words);
    if (!sent->words || !space) return out_of_memory(w);
    memcpy(sent->words, w->word, (size_t)w->n * sizeof *sent->words);
    memcpy(space, w->space, (size_t)w->n * sizeof *space);
    *parts = (TextParts){ .begin = begin, .n = d->sentences.n };
    sent->n_words = w->n;
    sent->space_before = space;
    sent->parts = parts;
    sent->line = d->line;
    return OK;
}

static Status add_documents(Corpus *c, const char *path, int language, Error *e)
{
    Words w = { .path = path, .language = LANGUAGES[language], .arena = &c->trees.arena, .e = e };
    Status status = OK;
    for (int k = 0; k < c->documents->n && status == OK; k++) status = add_document(&w, &c->trees, &c->documents->d[k]);
    segmented_text_fini(&w.text);
    mem_free(w.word);
    mem_free(w.space);
    return status;
}

Status document_data_load(Corpus *corpus, const char *path, int language, Error *error)
{
    StrBuf text = { 0 };
    corpus_begin(corpus, file_name(path));
    if (!(corpus->documents = mem_alloc(1, sizeof *corpus->documents)))
        return error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    document_lines_init(corpus->documents);
    Status status = file_read_text(path, &text, error);
    if (status == OK)
        status = document_lines_read(corpus->documents,
                                     text_block((StrView){ text.ptr ? text.ptr : "", text.len }, path), error);
    strbuf_fini(&text);
    if (status == OK && !corpus->documents->n)
        status = error_at(error, ERR_FORMAT, path, 1, 1, "found no document, expected JSON objects with sentences");
    if (status == OK) status = add_documents(corpus, path, language, error);
    return corpus_end(corpus, path, NULL, status, error);
}

const DocumentKind *document_kind(const Task *task) { return task_use(task)->own; }

Status document_gold(const Task *task, const ModelConfig *config, const DocumentLine *line, const Vocab *classes,
                     const char *path, int *gold, Error *error)
{
    return document_kind(task)->number(line, document_block(config, line, 0), classes, path, gold, error);
}

/* ---- what is read */

/* Words of a text that are separated by white space. */
static int count_words(StrView text)
{
    int n = 0;
    bool inside = false;
    for (size_t at = 0; at < text.len;) {
        bool space = utf8_is_space(utf8_next(text.ptr, text.len, &at));
        n += !space && !inside;
        inside = !space;
    }
    return n;
}

int document_block(const ModelConfig *config, const DocumentLine *line, int first)
{
    int n = 0;
    for (long words = 0; first + n < line->sentences.n; n++) {
        words += count_words(line->sentences.text[first + n]);
        if (n && words > config->document_words) break;
    }
    return n;
}

/* The words from .. to - 1 of a document, and the sentences that they are of. Sentence `near` begins at `from` or
 * later. */
static Status cut(const Sentence *whole, int near, int from, int to, int side, Arena *a, Sentence *out, Error *e)
{
    TextParts *parts = arena_alloc(a, 1, sizeof *parts);
    int first = near, n = 0;
    while (whole->parts->begin[first] > from) first--;
    while (first + n < whole->parts->n && whole->parts->begin[first + n] < to) n++;
    int *begin = arena_alloc(a, (size_t)n, sizeof *begin);
    if (!parts || !begin) return error_set(e, ERR_NOMEM, "out of memory reading documents");
    for (int k = 0; k < n; k++) begin[k] = k ? whole->parts->begin[first + k] - from : 0;
    *parts = (TextParts){ .begin = begin, .n = n, .side = side };
    *out = *whole;
    out->words += from;
    if (out->space_before) out->space_before += from;
    out->n_words = to - from;
    out->parts = parts;
    return OK;
}

Status document_read(const Task *task, const ModelConfig *config, const DocumentLine *line, const Sentence *whole,
                     int from, Arena *arena, DocumentRead *out, Error *error)
{
    const DocumentKind *kind = document_kind(task);
    const TextParts *parts = whole->parts;
    bool gap = kind->gaps && config->context;
    if (gap && from == 0) from = 1;
    *out = (DocumentRead){ .first = from };
    if (from >= parts->n || (kind->beginning && from)) return OK;
    out->n = gap ? 1 : document_block(config, line, from);
    int end = from + out->n < parts->n ? parts->begin[from + out->n] : whole->n_words;
    if (!gap) return cut(whole, from, parts->begin[from], end, 0, arena, &out->sentence, error);
    int at = parts->begin[from], first = at > config->context ? at - config->context : 0,
        last = whole->n_words - at > config->context ? at + config->context : whole->n_words;
    return cut(whole, from, first, last, at - first, arena, &out->sentence, error);
}

int *document_labels(const DocumentRead *read, const int *gold, Arena *arena)
{
    const TextParts *parts = read->sentence.parts;
    int *labels = arena_alloc(arena, 1 + 2 * (size_t)read->n, sizeof *labels);
    if (!labels) return NULL;
    labels[0] = 0;
    for (int k = 0; k < read->n; k++) {
        if (gold[read->first + k] < 0) continue;
        int *unit = labels + 1 + 2 * labels[0]++;
        unit[0] = parts->side ? 0 : 1 + parts->begin[k];
        unit[1] = gold[read->first + k];
    }
    return labels;
}
