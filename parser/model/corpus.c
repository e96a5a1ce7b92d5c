/* Reads a file of trees and a file of dependencies and pairs their sentences. Head rules can replace the file of
 * dependencies. */
#include "parser/model/corpus.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "treebank/conll.h"

void corpus_name(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash : path, *to = slash;
    if (slash) {
        while (from > path && from[-1] != '/') from--;
    } else if (!(to = strchr(path, '.'))) to = path + strlen(path);
    snprintf(out, size, "%.*s", (int)(to - from), from);
    utf8_trim(out);
    if (!out[0]) snprintf(out, size, "treebank");
    for (char *p = out; *p; p++)
        if (*p == '\t' || *p == '\n') *p = '_';
}

/* ---- head rules */

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

bool corpus_is_rules(const char *path) { return ends_with(path, ".rules"); }

static HeadRules *read_rules(const char *path, Error *e)
{
    StrBuf text = { 0 };
    Status s = file_read(path, &text, e);
    HeadRules *rules = s == OK ? head_rules_read((StrView){ text.ptr, text.len }, path, e) : NULL;
    strbuf_fini(&text);
    return rules;
}

static Status apply_rules(const HeadRules *rules, Treebank *trees, Error *e)
{
    Status s = OK;
    for (int k = 0; s == OK && k < trees->n; k++) {
        if (!trees->s[k].has_tree)
            return error_set(e, ERR_FORMAT, "found head rules for sentences without trees, expected brackets");
        s = head_rules_apply(rules, &trees->s[k], &trees->arena, e);
    }
    return s;
}

/* ---- whole files */

void corpus_begin(Corpus *corpus, const char *name)
{
    *corpus = (Corpus){ .rules = NULL };
    treebank_init(&corpus->trees);
    treebank_init(&corpus->deps);
    snprintf(corpus->name, sizeof corpus->name, "%s", name);
}

Status corpus_end(Corpus *corpus, const char *path, const char *deps, Status status, Error *error)
{
    if (status == OK) {
        corpus->path = arena_strndup(&corpus->trees.arena, path, strlen(path));
        if (deps) corpus->deps_path = arena_strndup(&corpus->trees.arena, deps, strlen(deps));
        if (!corpus->path || (deps && !corpus->deps_path))
            status = error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    }
    if (status != OK) corpus_fini(corpus);
    return status;
}

Status corpus_empty(const char *path, bool brackets, Error *error)
{
    return error_at(error, ERR_FORMAT, path, 1, 1, "found no sentence, expected %s",
                    brackets ? "trees" : "dependencies");
}

static Status load(Treebank *tb, const char *path, bool brackets, Notes *notes, Error *e)
{
    bool released = !brackets && (ends_with(path, ".conllu") || ends_with(path, ".conllu.gz"));
    bool json = brackets && (ends_with(path, ".json") || ends_with(path, ".json.gz"));
    ReaderOptions o = { .format = json       ? FORMAT_JSON_LINES
                                  : brackets ? FORMAT_BRACKETS
                                             : FORMAT_CONLL,
                        .keep_columns = released,
                        .keep_lines = released,
                        .brackets = { .strip_functions = true, .notes = notes } };
    Status s = treebank_load(tb, path, o, e);
    return s == OK && tb->n == 0 ? corpus_empty(path, brackets, e) : s;
}

/* The name of a treebank, unless one is given. */
static void begin_treebank(Corpus *c, const char *name, const char *path)
{
    char folder[sizeof c->name];
    if (!name) corpus_name(path, folder, sizeof folder);
    corpus_begin(c, name ? name : folder);
}

Status corpus_load(Corpus *corpus, const char *trees, const char *deps, const char *name, Notes *notes, Error *error)
{
    const char *path = trees ? trees : deps;
    begin_treebank(corpus, name, path);
    if (!trees && corpus_is_rules(deps))
        return error_set(error, ERR_USAGE, "%s: found head rules without trees, expected a bracket file too", deps);
    Status s = load(&corpus->trees, path, trees != NULL, notes, error);
    if (s == OK && trees && deps && corpus_is_rules(deps)) {
        corpus->rules = read_rules(deps, error);
        s = corpus->rules ? apply_rules(corpus->rules, &corpus->trees, error) : error->code;
    } else if (s == OK && trees && deps) {
        s = load(&corpus->deps, deps, false, notes, error);
        if (s == OK) s = treebank_pair(&corpus->trees, 0, &corpus->deps, trees, deps, error);
    }
    return corpus_end(corpus, path, trees ? deps : NULL, s, error);
}

Status corpus_load_soft(Corpus *corpus, const char *path, const char *name, Error *error)
{
    begin_treebank(corpus, name, path);
    return corpus_end(corpus, path, NULL, soft_file_load(&corpus->trees, &corpus->soft, path, error), error);
}

void corpus_fini(Corpus *corpus)
{
    soft_bank_free(corpus->soft);
    treebank_fini(&corpus->trees);
    treebank_fini(&corpus->deps);
    head_rules_free(corpus->rules);
    if (corpus->documents) document_lines_fini(corpus->documents);
    mem_free(corpus->documents);
    *corpus = (Corpus){ .rules = NULL };
}

/* ---- block by block */

Status corpus_open(CorpusReader *reader, const char *path, const char *deps, ReaderOptions options, Error *error)
{
    *reader = (CorpusReader){ .tree_path = path, .dep_path = deps };
    bool rules = deps && corpus_is_rules(deps);
    Status s = reader_open(&reader->trees, path, options, error);
    if (s == OK && rules && !(reader->rules = read_rules(deps, error))) s = error->code;
    if (s != OK || !deps || rules) return s;
    reader->has_deps = true;
    return reader_open(&reader->deps, deps, (ReaderOptions){ .format = FORMAT_CONLL, .encoding = options.encoding },
                       error);
}

void corpus_close(CorpusReader *reader)
{
    reader_close(&reader->trees);
    if (reader->has_deps) reader_close(&reader->deps);
    head_rules_free(reader->rules);
    *reader = (CorpusReader){ 0 };
}

/* The files hold different numbers of sentences: both are read to their ends for the message. */
static Status not_as_many(CorpusReader *r, Error *e)
{
    Status s = OK;
    long trees = r->n;
    for (; s == OK && r->trees.tb.n; s = reader_block(&r->trees, e)) trees += r->trees.tb.n;
    for (Sentence *x = r->deps.tb.s; s == OK && x; s = reader_next(&r->deps, &x, e)) continue;
    if (s != OK) return s;
    return error_at(e, ERR_FORMAT, r->dep_path, 0, 0, "found %ld sentences, expected %ld as in %s", r->deps.n, trees,
                    r->tree_path);
}

/* Copies heads and types to sentence k of the block; in deps they are valid until its next sentence only. */
static Status pair(CorpusReader *r, int k, const Sentence *deps, Error *e)
{
    Sentence *t = &r->trees.tb.s[k];
    Arena *a = &r->trees.tb.arena;
    Status status = sentence_pair(t, deps, r->n + k + 1, r->tree_path, r->dep_path, e);
    if (status != OK) return status;
    size_t n = (size_t)t->n_words;
    const int *heads = t->heads;
    const char **types = t->types;
    t->heads = arena_alloc(a, n, sizeof *t->heads);
    t->types = arena_alloc(a, n, sizeof *t->types);
    bool copied = t->heads && t->types;
    for (size_t w = 0; copied && w < n; w++) {
        t->heads[w] = heads[w];
        t->types[w] = arena_strndup(a, types[w], strlen(types[w]));
        copied = t->types[w] != NULL;
    }
    return copied ? OK : error_set(e, ERR_NOMEM, "out of memory reading dependencies");
}

Status corpus_block(CorpusReader *reader, Error *error)
{
    reader->n += reader->trees.tb.n;
    Status status = reader_block(&reader->trees, error);
    Treebank *tb = &reader->trees.tb;
    if (status == OK && reader->rules) return apply_rules(reader->rules, tb, error);
    if (status != OK || !reader->has_deps) return status;
    Sentence *deps = NULL;
    for (int k = 0; k < tb->n; k++) {
        status = reader_next(&reader->deps, &deps, error);
        if (status == OK) status = deps ? pair(reader, k, deps, error) : not_as_many(reader, error);
        if (status != OK) return status;
    }
    if (tb->n == 0) status = reader_next(&reader->deps, &deps, error);
    return status == OK && tb->n == 0 && deps ? not_as_many(reader, error) : status;
}

Status corpus_next(CorpusReader *reader, Sentence **sent, Error *error)
{
    *sent = NULL;
    if (reader->next == reader->trees.tb.n) {
        reader->next = 0;
        Status status = corpus_block(reader, error);
        if (status != OK) return status;
    }
    if (reader->next < reader->trees.tb.n) *sent = &reader->trees.tb.s[reader->next++];
    return OK;
}
