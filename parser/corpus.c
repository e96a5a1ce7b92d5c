/* parser/corpus.c */
#include "parser/corpus.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "treebank/bracket.h"
#include "treebank/conll.h"

/* The folder of a path, else the file's name without its ending. */
static void name_of(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash : path, *to = slash;
    if (slash) {
        while (from > path && from[-1] != '/') from--;
    } else if (!(to = strchr(path, '.'))) to = path + strlen(path);
    snprintf(out, size, "%.*s", (int)(to - from), from);
    if (!out[0]) snprintf(out, size, "treebank");
    for (char *p = out; *p; p++)
        if (*p == '\t' || *p == '\n') *p = '_';
}

Status corpus_read(Treebank *tb, const char *path, bool brackets, Error *e)
{
    StrBuf text = { 0 };
    Status s = file_read(path, &text, e);
    if (s == OK && brackets) s = bracket_read(tb, (StrView){ text.ptr, text.len }, path, (BracketOptions){ .strip_functions = true }, e);
    else if (s == OK) s = conll_read(tb, (StrView){ text.ptr, text.len }, path, e);
    if (s == OK && tb->n == 0) s = error_at(e, ERR_FORMAT, path, 1, 1, "found no sentence, expected %s", brackets ? "trees" : "dependencies");
    strbuf_fini(&text);
    return s;
}

Status corpus_load(Corpus *c, const char *trees, const char *deps, const char *name, Error *e)
{
    treebank_init(&c->trees);
    treebank_init(&c->deps);
    if (name) snprintf(c->name, sizeof c->name, "%s", name);
    else name_of(trees ? trees : deps, c->name, sizeof c->name);
    Status s = OK;
    if (trees) {
        s = corpus_read(&c->trees, trees, true, e);
        if (s == OK && deps) s = corpus_read(&c->deps, deps, false, e);
        if (s == OK && deps) s = treebank_pair(&c->trees, 0, &c->deps, trees, deps, e);
    } else s = corpus_read(&c->trees, deps, false, e);
    if (s != OK) corpus_fini(c);
    return s;
}

void corpus_fini(Corpus *c)
{
    treebank_fini(&c->trees);
    treebank_fini(&c->deps);
}
