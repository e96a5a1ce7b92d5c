/* Raw text is read as parsing reads it, and its sentences are copied, since they must
 * outlive the window. */
#include "parser/train/text_data.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "parser/parse/source.h"

/* Appends a copy of a sentence of the window. false when out of memory. */
static bool add_sentence(Treebank *tb, const ParseInput *in)
{
    size_t n = (size_t)in->n_words;
    Sentence *sent = treebank_add(tb);
    const char **words = arena_alloc(&tb->arena, n, sizeof *words);
    bool *space = in->space_before ? arena_alloc(&tb->arena, n, sizeof *space) : NULL,
         ok = sent && words && (space || !in->space_before);
    for (size_t w = 0; w < n && ok; w++)
        ok = (words[w] = arena_strndup(&tb->arena, in->words[w], strlen(in->words[w]))) != NULL;
    if (!ok) return false;
    if (space) memcpy(space, in->space_before, n * sizeof *space);
    sent->n_words = in->n_words;
    sent->words = words;
    sent->space_before = space;
    return true;
}

/* Notes a treebank that is read as something else. */
static void check_kind(const Source *s, Notes *notes)
{
    char what[128];
    InputKind kind = source_suspect(s);
    if (kind != INPUT_CONLL && kind != INPUT_BRACKETS) return;
    snprintf(what, sizeof what, "this looks like %s, but is read as %s; --input treebank reads its words",
             kind == INPUT_CONLL ? "a CoNLL file" : "trees in brackets", s->o.kind == INPUT_TOKENS ? "tokens" : "text");
    notes_add(notes, s->path, 1, 0, what);
}

static Status read_text(Treebank *tb, const char *path, TextDataOptions o, Error *e)
{
    Source source;
    const SourceOptions options = { .kind = o.kind == TEXT_TOKENS ? INPUT_TOKENS : INPUT_TEXT,
                                    .raw = o.raw,
                                    .notes = o.notes };
    Status s = source_open(&source, path, options, e);
    for (bool first = true; s == OK && (s = source_next(&source, e)) == OK && source.n; first = false) {
        if (first) check_kind(&source, o.notes);
        for (int k = 0; k < source.n && s == OK; k++)
            if (source.in[k].n_words && !add_sentence(tb, &source.in[k])) /* no words: an empty line of tokens */
                s = error_set(e, ERR_NOMEM, "out of memory reading %s", path);
    }
    source_close(&source);
    return s;
}

Status text_data_load(Corpus *corpus, const char *path, TextDataOptions options, Error *error)
{
    const ReaderOptions reader = { .format = FORMAT_AUTO,
                                   .brackets = { .strip_functions = true, .notes = options.notes } };
    corpus_begin(corpus, file_name(path));
    Status s = options.kind == TEXT_TREEBANK ? treebank_load(&corpus->trees, path, reader, error)
                                             : read_text(&corpus->trees, path, options, error);
    if (s == OK && corpus->trees.n == 0)
        s = error_at(error, ERR_FORMAT, path, 1, 1, "found no sentence, expected one at least");
    return corpus_end(corpus, path, NULL, s, error);
}
