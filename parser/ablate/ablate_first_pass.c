/* parser/ablate/ablate_first_pass.c: predicted parses of the training sentences
 *
 * A mask made from the parse of a training sentence by a model that has learnt from it would be nearly gold; that of a
 * test sentence is not. So each treebank is cut into `folds` blocks of consecutive sentences; a model learns from the
 * others, and parses the block (Wang et al. 2020 parse with another program). */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "parser/ablate/ablate_files.h"
#include "parser/parser.h"
#include "treebank/conll.h"

Status ablate_first_pass_path(const AblateArgs *a, Arena *arena, const char **path, Error *e)
{
    size_t n = strlen(a->out) + sizeof ABLATE_FIRST_PASS + 16;
    char *text = arena_alloc(arena, n, 1);
    if (!text) return error_set(e, ERR_NOMEM, "out of memory for a run");
    snprintf(text, n, "%s/%s/train.conllx", a->out, ABLATE_FIRST_PASS);
    *path = text;
    return OK;
}

/* ---- blocks */

typedef struct Block {
    int from, to;
} Block;

static Block block_of(const Corpus *c, int fold, int folds)
{
    long n = c->trees.n;
    return (Block){ (int)(n * fold / folds), (int)(n * (fold + 1) / folds) };
}

Status ablate_fold(const AblateArgs *a, int fold, Corpus *out, Arena *arena, Error *e)
{
    for (int k = 0; k < a->n_train; k++) {
        const Corpus *c = &a->train[k];
        Block b = block_of(c, fold, a->plan->folds);
        int n = c->trees.n;
        Sentence *s = arena_alloc(arena, (size_t)n, sizeof *s);
        if (!s) return error_set(e, ERR_NOMEM, "out of memory for a fold");
        memcpy(s, c->trees.s, (size_t)b.from * sizeof *s);
        memcpy(s + b.from, c->trees.s + b.to, (size_t)(n - b.to) * sizeof *s);
        out[k] = *c; /* borrows the rest */
        out[k].trees.s = s;
        out[k].trees.n = n - (b.to - b.from);
    }
    return OK;
}

/* ---- parses */

static Status parse_block(const AblateArgs *a, const Model *m, const Corpus *c, Block b, StrBuf *out, Error *e)
{
    Parser p = { 0 };
    Arena arena;
    int n = b.to - b.from, id = vocab_find(&m->treebanks, c->name);
    ParseInput *in = mem_calloc((size_t)n + 1, sizeof *in);
    arena_init(&arena, 1 << 12);
    Status s = in ? parser_init(&p, m, a->device ? a->device : device_default(), a->n_threads, e)
                  : error_set(e, ERR_NOMEM, "out of memory parsing a fold");
    for (int k = 0; k < n && s == OK; k++)
        in[k] = (ParseInput){ .n_words = c->trees.s[b.from + k].n_words,
                              .words = (const char *const *)c->trees.s[b.from + k].words };
    if (s == OK) {
        p.o = parse_defaults(m);
        p.o.treebank = id < 0 ? 0 : id;
        p.o.shape_tags = false;
        s = parser_run(&p, in, n, NULL, NULL, e);
    }
    for (int k = 0; k < n && s == OK; k++) {
        arena_reset(&arena);
        const Sentence *pred = parsed_sentence(m, &p.result[k], &arena);
        if (pred) conll_write(out, pred, (ConllStyle){ 0 }, NULL);
        else s = error_set(e, ERR_NOMEM, "out of memory parsing a fold");
    }
    parser_fini(&p);
    arena_fini(&arena);
    mem_free(in);
    return s;
}

Status ablate_fold_parse(const AblateArgs *a, int fold, const char *model, const char *path, Error *e)
{
    Model m;
    StrBuf out = { 0 };
    model_init(&m);
    Status s = model_load(&m, model, NULL, e);
    for (int k = 0; k < a->n_train && s == OK; k++)
        s = parse_block(a, &m, &a->train[k], block_of(&a->train[k], fold, a->plan->folds), &out, e);
    if (s == OK) s = ablate_write(path, &out, e);
    strbuf_fini(&out);
    model_fini(&m);
    return s;
}

/* ---- all of them, in the order of the training data */

/* Appends the next n sentences of a CoNLL text, which end with empty lines. */
static bool take_sentences(StrView text, size_t *at, int n, StrBuf *out)
{
    StrView line;
    while (n > 0 && text_line(text, at, &line)) {
        strbuf_add(out, line.ptr, line.len);
        strbuf_putc(out, '\n');
        n -= line.len == 0;
    }
    return n == 0;
}

Status ablate_folds_join(const AblateArgs *a, const char *const *paths, const char *path, Error *e)
{
    int folds = a->plan->folds;
    StrBuf *text = mem_calloc((size_t)folds, sizeof *text), out = { 0 };
    size_t *at = mem_calloc((size_t)folds, sizeof *at);
    Status s = text && at ? OK : error_set(e, ERR_NOMEM, "out of memory for the first pass");
    for (int f = 0; f < folds && s == OK; f++) s = file_read(paths[f], &text[f], e);
    for (int k = 0; k < a->n_train && s == OK; k++)
        for (int f = 0; f < folds && s == OK; f++) {
            Block b = block_of(&a->train[k], f, folds);
            if (!take_sentences((StrView){ text[f].ptr, text[f].len }, &at[f], b.to - b.from, &out))
                s = error_at(e, ERR_FORMAT, paths[f], 0, 0, "found fewer sentences than were parsed");
        }
    if (s == OK) s = ablate_write(path, &out, e);
    for (int f = 0; text && f < folds; f++) strbuf_fini(&text[f]);
    mem_free(text);
    mem_free(at);
    strbuf_fini(&out);
    return s;
}
