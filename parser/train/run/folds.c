/* Parses are written fold by fold and then joined in the order of the training data, and
 * the joined file is read back and compared. */
#include "parser/train/run/folds.h"

#include <string.h>

#include "base/file.h"
#include "parser/model/model_file.h"
#include "parser/output/output.h"
#include "parser/parse/parser.h"
#include "parser/parse/syntax_file.h"
#include "treebank/conll.h"

bool folds_is_json(const char *path)
{
    size_t n = strlen(path);
    return n > 6 && strcmp(path + n - 6, ".jsonl") == 0;
}

/* ---- blocks */

typedef struct Block {
    int from, to;
} Block;

static Block block_of(const Folds *f, const Corpus *c, int fold)
{
    long n = c->trees.n;
    return (Block){ (int)(n * fold / f->n), (int)(n * (fold + 1) / f->n) };
}

Status folds_rest(const Folds *folds, int fold, Corpus *out, Arena *arena, Error *error)
{
    for (int k = 0; k < folds->n_corpora; k++) {
        const Corpus *c = &folds->corpora[k];
        Block b = block_of(folds, c, fold);
        int n = c->trees.n;
        Sentence *s = arena_alloc(arena, (size_t)n, sizeof *s);
        if (!s) return error_set(error, ERR_NOMEM, "out of memory for a fold");
        memcpy(s, c->trees.s, (size_t)b.from * sizeof *s);
        memcpy(s + b.from, c->trees.s + b.to, (size_t)(n - b.to) * sizeof *s);
        out[k] = *c; /* borrows the rest */
        out[k].trees.s = s;
        out[k].trees.n = n - (b.to - b.from);
    }
    return OK;
}

/* ---- parses */

static Status put_parse(StrBuf *out, const Model *m, const Parsed *p, bool json, Arena *arena, Error *e)
{
    if (json) {
        output_sentence(out, m, p, &(Origin){ .id = 0 }, (OutputStyle){ .format = &OUTPUT_JSON });
        return OK;
    }
    const Sentence *pred = parsed_sentence(p, arena);
    if (!pred) return error_set(e, ERR_NOMEM, "out of memory parsing a fold");
    conll_write(out, pred, CONLL_X, NULL);
    return OK;
}

static Status parse_block(const Folds *f, const Model *m, const Corpus *c, Block b, bool json, StrBuf *out, Error *e)
{
    Parser p = { 0 };
    Arena arena;
    int n = b.to - b.from, id = vocab_find(&m->treebanks, c->name);
    ParseInput *in = mem_calloc((size_t)n + 1, sizeof *in);
    arena_init(&arena, 1 << 12);
    Status s = in ? parser_init(&p, m, f->device ? f->device : device_default(), f->n_threads, e)
                  : error_set(e, ERR_NOMEM, "out of memory parsing a fold");
    for (int k = 0; k < n && s == OK; k++) in[k] = parse_input(&c->trees.s[b.from + k]);
    if (s == OK) {
        p.o.treebank = id < 0 ? 0 : id;
        p.o.shape_tags = false;
        s = parser_run(&p, in, n, NULL, NULL, e);
    }
    for (int k = 0; k < n && s == OK; k++) {
        arena_reset(&arena);
        s = put_parse(out, m, &p.result[k], json, &arena, e);
    }
    parser_fini(&p);
    arena_fini(&arena);
    mem_free(in);
    return s;
}

Status folds_parse(const Folds *folds, int fold, const char *model, const char *path, Error *error)
{
    Model m;
    StrBuf out = { 0 };
    bool json = folds_is_json(path);
    model_init(&m);
    Status s = model_load(&m, model, NULL, error);
    if (s == OK && !json && !m.c.arcs)
        s = error_set(error, ERR_CONFIG,
                      "%s: found a model without dependencies, expected a name that ends with .jsonl for its trees",
                      path);
    for (int k = 0; k < folds->n_corpora && s == OK; k++)
        s = parse_block(folds, &m, &folds->corpora[k], block_of(folds, &folds->corpora[k], fold), json, &out, error);
    if (s == OK) s = file_write(path, &out, error);
    strbuf_fini(&out);
    model_fini(&m);
    return s;
}

/* ---- all of them, in the order of the training data */

/* Appends the next n sentences: lines of JSON, or CoNLL sentences, which end with empty lines. */
static bool take_sentences(StrView text, size_t *at, int n, bool json, StrBuf *out)
{
    StrView line;
    while (n > 0 && text_line(text, at, &line)) {
        strbuf_add(out, line.ptr, line.len);
        strbuf_putc(out, '\n');
        n -= json || line.len == 0;
    }
    return n == 0;
}

/* Are these the words of the corpora? */
static Status check_file(const Folds *f, const char *path, Error *e)
{
    Treebank parses;
    const Treebank **list = mem_calloc((size_t)f->n_corpora + 1, sizeof *list);
    if (!list) return error_set(e, ERR_NOMEM, "out of memory reading %s", path);
    for (int k = 0; k < f->n_corpora; k++) list[k] = &f->corpora[k].trees;
    treebank_init(&parses);
    Status s = syntax_file_read(&parses, path, list, f->n_corpora, false, false, e);
    treebank_fini(&parses);
    mem_free(list);
    return s;
}

Status folds_join(const Folds *folds, const char *const *paths, const char *path, Error *error)
{
    StrBuf *text = mem_calloc((size_t)folds->n, sizeof *text), out = { 0 };
    size_t *at = mem_calloc((size_t)folds->n, sizeof *at);
    Status s = text && at ? OK : error_set(error, ERR_NOMEM, "out of memory for the parses of folds");
    for (int k = 0; k < folds->n && s == OK; k++) s = file_read(paths[k], &text[k], error);
    for (int c = 0; c < folds->n_corpora && s == OK; c++)
        for (int k = 0; k < folds->n && s == OK; k++) {
            Block b = block_of(folds, &folds->corpora[c], k);
            if (!take_sentences((StrView){ text[k].ptr, text[k].len }, &at[k], b.to - b.from, folds_is_json(path),
                                &out))
                s = error_at(error, ERR_FORMAT, paths[k], 0, 0, "found fewer sentences than the block of the fold has");
        }
    if (s == OK) s = file_write(path, &out, error);
    if (s == OK) s = check_file(folds, path, error);
    for (int k = 0; text && k < folds->n; k++) strbuf_fini(&text[k]);
    mem_free(text);
    mem_free(at);
    strbuf_fini(&out);
    return s;
}
