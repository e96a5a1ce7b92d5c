/* Reads a file of parses for the sentences of a treebank. Each parse is compared with its sentence word by word, and
 * the first difference refuses the file. */
#include "parser/parse/syntax_file.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The first word of the parse that differs from the treebank; n_words if one is a part of the other, -1 if all are
 * alike. */
static int differs_at(const Sentence *parse, const Sentence *gold)
{
    int n = parse->n_words < gold->n_words ? parse->n_words : gold->n_words, w = 0;
    while (w < n && strcmp(parse->words[w], gold->words[w]) == 0) w++;
    return w == n && parse->n_words == gold->n_words ? -1 : w;
}

/* counts: "; the file has ..." where the numbers of sentences differ, else "". */
static Status check_words(const Sentence *parse, const Sentence *gold, const char *path, const char *counts, Error *e)
{
    int w = differs_at(parse, gold);
    if (w < 0) return OK;
    if (w == parse->n_words)
        return error_at(e, ERR_FORMAT, path, sentence_word_line(parse, w - 1), 0,
                        "end of a sentence, treebank has '%.*s'%s", utf8_first(gold->words[w], 80), gold->words[w],
                        counts);
    if (w == gold->n_words)
        return error_at(e, ERR_FORMAT, path, sentence_word_line(parse, w), 0,
                        "word '%.*s', treebank has the end of a sentence%s", utf8_first(parse->words[w], 80),
                        parse->words[w], counts);
    const TextContrast c = text_contrast(text_view(parse->words[w]), text_view(gold->words[w]));
    return error_at(e, ERR_FORMAT, path, sentence_word_line(parse, w), 0, "word %s, treebank has %s%s", c.found,
                    c.expected, counts);
}

static Status check_needs(const Sentence *parse, const char *path, bool heads, bool tree, Error *e)
{
    if (heads && !parse->heads)
        return error_at(e, ERR_FORMAT, path, parse->line, 0, "a sentence without dependencies, which a pattern needs%s",
                        parse->has_tree ? " (lal parse --format json --deps stanford writes both)" : "");
    if (tree && !parse->has_tree && parse->n_words > 1)
        return error_at(e, ERR_FORMAT, path, parse->line, 0, "a sentence without a tree, which a pattern needs%s",
                        parse->heads ? " (lal parse --format json --deps stanford writes both)" : "");
    return OK;
}

static const ReaderOptions READER = { .format = FORMAT_AUTO, .brackets = { .strip_functions = true } };

Status syntax_file_read(Treebank *parses, const char *path, const Treebank *const *treebanks, int n, bool heads,
                        bool tree, Error *error)
{
    char counts[80] = "";
    int first = parses->n, k = first;
    long want = 0;
    Status status = treebank_load(parses, path, READER, error);
    for (int t = 0; t < n; t++) want += treebanks[t]->n;
    if (parses->n - first != want)
        snprintf(counts, sizeof counts, "; the file has %d sentences, the treebank %ld", parses->n - first, want);
    for (int t = 0; t < n && status == OK; t++)
        for (int i = 0; i < treebanks[t]->n && k < parses->n && status == OK; i++, k++) {
            status = check_words(&parses->s[k], &treebanks[t]->s[i], path, counts, error);
            if (status == OK && !*counts) status = check_needs(&parses->s[k], path, heads, tree, error);
        }
    if (status != OK || !*counts) return status;
    const Sentence *last = k < parses->n ? &parses->s[k] : k > first ? &parses->s[k - 1] : NULL;
    return error_at(error, ERR_FORMAT, path, last ? last->line : 0, 0, "the first difference is %s%s",
                    k < parses->n ? "the sentence here" : "the sentence that is missing after the one here", counts);
}

Status syntax_file_corpora(Treebank *parses, const char *path, const Model *model, const Corpus *sets, int n,
                           Error *error)
{
    const HeadPlan *plan = &model->net.encoder.plan;
    const Treebank **list = mem_calloc((size_t)n + 1, sizeof *list);
    if (!list) return error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    for (int k = 0; k < n; k++) list[k] = &sets[k].trees;
    Status s = syntax_file_read(parses, path, list, n, head_plan_needs_heads(plan), head_plan_needs_tree(plan), error);
    mem_free(list);
    return s;
}

/* ---- windows */

Status syntax_file_open(SyntaxFile *file, const char *path, bool heads, bool tree, Error *error)
{
    *file = (SyntaxFile){ .path = path };
    treebank_init(&file->parses);
    Status s = treebank_load(&file->parses, path, READER, error);
    for (int k = 0; k < file->parses.n && s == OK; k++) s = check_needs(&file->parses.s[k], path, heads, tree, error);
    return s;
}

void syntax_file_close(SyntaxFile *file)
{
    if (file->path) treebank_fini(&file->parses);
    mem_free(file->in);
    *file = (SyntaxFile){ .path = NULL };
}

Status syntax_file_window(SyntaxFile *file, const ParseInput *in, int n, Error *error)
{
    Status status = OK;
    if (!mem_reserve(file->in, &file->cap, n)) return error_set(error, ERR_NOMEM, "out of memory for parses of a file");
    for (int k = 0; k < n && status == OK; k++) {
        const Sentence words = { .n_words = in[k].n_words, .words = (const char **)(uintptr_t)in[k].words };
        if (file->next == file->parses.n)
            return error_at(error, ERR_FORMAT, file->path, 0, 0, "found %d sentences, the input has more",
                            file->parses.n);
        status = check_words(&file->parses.s[file->next], &words, file->path, "", error);
        file->in[k] = in[k];
        file->in[k].parse = &file->parses.s[file->next++];
    }
    return status;
}

Status syntax_file_end(const SyntaxFile *file, Error *error)
{
    if (file->next == file->parses.n) return OK;
    return error_at(error, ERR_FORMAT, file->path, file->parses.s[file->next].line, 0,
                    "found %d sentences, the input has %d", file->parses.n, file->next);
}
