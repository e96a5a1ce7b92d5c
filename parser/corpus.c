/* parser/corpus.c */
#define _POSIX_C_SOURCE 200809L
#include "parser/corpus.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "parser/data_path.h"
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

bool corpus_is_rules(const char *path)
{
    static const char ending[] = ".rules";
    size_t n = strlen(path);
    return n >= sizeof ending && strcmp(path + n - (sizeof ending - 1), ending) == 0;
}

Status corpus_apply_rules(Treebank *trees, const char *path, HeadRules **rules, Error *e)
{
    StrBuf text = { 0 };
    char name[512], place[512];
    if (!strchr(path, '/') && access(path, F_OK) != 0) {
        snprintf(name, sizeof name, "headrules/%s", path);
        path = data_path(name, place, sizeof place);
    }
    Status s = file_read(path, &text, e);
    *rules = s == OK ? head_rules_read((StrView){ text.ptr, text.len }, path, e) : NULL;
    strbuf_fini(&text);
    if (s == OK && !*rules) s = e->code;
    for (int k = 0; s == OK && k < trees->n; k++) {
        if (!trees->s[k].has_tree) s = error_set(e, ERR_FORMAT, "found head rules for sentences without trees, expected brackets");
        else s = head_rules_apply(*rules, &trees->s[k], &trees->arena, e);
    }
    return s;
}

Status corpus_load(Corpus *c, const char *trees, const char *deps, const char *name, Error *e)
{
    treebank_init(&c->trees);
    treebank_init(&c->deps);
    c->rules = NULL;
    if (!trees && corpus_is_rules(deps)) return error_set(e, ERR_USAGE, "%s: found head rules without trees, expected a bracket file too", deps);
    if (name) snprintf(c->name, sizeof c->name, "%s", name);
    else name_of(trees ? trees : deps, c->name, sizeof c->name);
    Status s = OK;
    if (trees) {
        s = corpus_read(&c->trees, trees, true, e);
        if (s == OK && deps && corpus_is_rules(deps)) s = corpus_apply_rules(&c->trees, deps, &c->rules, e);
        else if (s == OK && deps) s = corpus_read(&c->deps, deps, false, e);
        if (s == OK && deps && !c->rules) s = treebank_pair(&c->trees, 0, &c->deps, trees, deps, e);
    } else s = corpus_read(&c->trees, deps, false, e);
    if (s != OK) corpus_fini(c);
    return s;
}

void corpus_fini(Corpus *c)
{
    treebank_fini(&c->trees);
    treebank_fini(&c->deps);
    head_rules_free(c->rules);
}
