/* Trees and dependencies are read by the readers of treebanks and paired sentence by
 * sentence; head rules may stand in the place of a file of dependencies. */
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

void corpus_begin(Corpus *c, const char *name)
{
    *c = (Corpus){ .rules = NULL };
    treebank_init(&c->trees);
    treebank_init(&c->deps);
    snprintf(c->name, sizeof c->name, "%s", name);
}

Status corpus_end(Corpus *c, const char *path, const char *deps, Status s, Error *e)
{
    if (s == OK) {
        c->path = arena_strndup(&c->trees.arena, path, strlen(path));
        if (deps) c->deps_path = arena_strndup(&c->trees.arena, deps, strlen(deps));
        if (!c->path || (deps && !c->deps_path)) s = error_set(e, ERR_NOMEM, "out of memory reading %s", path);
    }
    if (s != OK) corpus_fini(c);
    return s;
}

Status corpus_empty(const char *path, bool brackets, Error *e)
{
    return error_at(e, ERR_FORMAT, path, 1, 1, "found no sentence, expected %s", brackets ? "trees" : "dependencies");
}

static Status load(Treebank *tb, const char *path, bool brackets, Notes *notes, Error *e)
{
    bool released = !brackets && (ends_with(path, ".conllu") || ends_with(path, ".conllu.gz"));
    ReaderOptions o = { .format = brackets ? FORMAT_BRACKETS : FORMAT_CONLL,
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

Status corpus_load(Corpus *c, const char *trees, const char *deps, const char *name, Notes *notes, Error *e)
{
    const char *path = trees ? trees : deps;
    begin_treebank(c, name, path);
    if (!trees && corpus_is_rules(deps))
        return error_set(e, ERR_USAGE, "%s: found head rules without trees, expected a bracket file too", deps);
    Status s = load(&c->trees, path, trees != NULL, notes, e);
    if (s == OK && trees && deps && corpus_is_rules(deps)) {
        c->rules = read_rules(deps, e);
        s = c->rules ? apply_rules(c->rules, &c->trees, e) : e->code;
    } else if (s == OK && trees && deps) {
        s = load(&c->deps, deps, false, notes, e);
        if (s == OK) s = treebank_pair(&c->trees, 0, &c->deps, trees, deps, e);
    }
    return corpus_end(c, path, trees ? deps : NULL, s, e);
}

Status corpus_load_soft(Corpus *c, const char *path, const char *name, Error *e)
{
    begin_treebank(c, name, path);
    return corpus_end(c, path, NULL, soft_file_load(&c->trees, &c->soft, path, e), e);
}

void corpus_fini(Corpus *c)
{
    soft_bank_free(c->soft);
    treebank_fini(&c->trees);
    treebank_fini(&c->deps);
    head_rules_free(c->rules);
    if (c->documents) document_lines_fini(c->documents);
    mem_free(c->documents);
    *c = (Corpus){ .rules = NULL };
}

/* ---- block by block */

Status corpus_open(CorpusReader *r, const char *path, const char *deps, ReaderOptions o, Error *e)
{
    *r = (CorpusReader){ .tree_path = path, .dep_path = deps };
    bool rules = deps && corpus_is_rules(deps);
    Status s = reader_open(&r->trees, path, o, e);
    if (s == OK && rules && !(r->rules = read_rules(deps, e))) s = e->code;
    if (s != OK || !deps || rules) return s;
    r->has_deps = true;
    return reader_open(&r->deps, deps, (ReaderOptions){ .format = FORMAT_CONLL, .encoding = o.encoding }, e);
}

void corpus_close(CorpusReader *r)
{
    reader_close(&r->trees);
    if (r->has_deps) reader_close(&r->deps);
    head_rules_free(r->rules);
    *r = (CorpusReader){ 0 };
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

Status corpus_block(CorpusReader *r, Error *e)
{
    r->n += r->trees.tb.n;
    Status status = reader_block(&r->trees, e);
    Treebank *tb = &r->trees.tb;
    if (status == OK && r->rules) return apply_rules(r->rules, tb, e);
    if (status != OK || !r->has_deps) return status;
    Sentence *deps = NULL;
    for (int k = 0; k < tb->n; k++) {
        status = reader_next(&r->deps, &deps, e);
        if (status == OK) status = deps ? pair(r, k, deps, e) : not_as_many(r, e);
        if (status != OK) return status;
    }
    if (tb->n == 0) status = reader_next(&r->deps, &deps, e);
    return status == OK && tb->n == 0 && deps ? not_as_many(r, e) : status;
}

Status corpus_next(CorpusReader *r, Sentence **sent, Error *e)
{
    *sent = NULL;
    if (r->next == r->trees.tb.n) {
        r->next = 0;
        Status status = corpus_block(r, e);
        if (status != OK) return status;
    }
    if (r->next < r->trees.tb.n) *sent = &r->trees.tb.s[r->next++];
    return OK;
}
