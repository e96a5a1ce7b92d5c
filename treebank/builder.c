/* Phrases are stored when they open and get their end when they close; empty ones are dropped
 * when the tree is done. */
#include "treebank/builder.h"

#include <string.h>

void builder_init(TreeBuilder *b, Treebank *tb, const char *path, Error *e)
{
    *b = (TreeBuilder){ .tb = tb, .path = path, .e = e, .line = 1 };
}

void builder_fini(TreeBuilder *b) { mem_free_each(b->open, b->phrases, b->words, b->tags, b->spelled); }

Status builder_fail(const TreeBuilder *b, const char *what)
{
    return error_at(b->e, ERR_FORMAT, b->path, b->line, b->column, "%s", what);
}

static Status fail_quoting(const TreeBuilder *b, const char *what, StrView name, const char *without)
{
    return error_at(b->e, ERR_FORMAT, b->path, b->line, b->column, "found '%.*s' as %s, expected one without %s",
                    (int)utf8_cut(name.ptr, name.len, 40), name.ptr, what, without);
}

Status builder_no_memory(const TreeBuilder *b)
{
    return error_at(b->e, ERR_NOMEM, b->path, b->line, 0, "out of memory reading trees");
}

Status builder_open(TreeBuilder *b, StrView label)
{
    if (!label.len) return builder_fail(b, "found a phrase without a label");
    if (!tree_is_label(label)) return fail_quoting(b, "label of a phrase", label, "blanks, brackets and empty parts");
    if (b->depth == TREE_MAX_DEPTH) return builder_fail(b, "found phrases nested too deeply");
    if (!mem_reserve(b->open, &b->open_cap, b->depth + 1) || !mem_reserve(b->phrases, &b->phrase_cap, b->n_phrases + 1))
        return builder_no_memory(b);
    char *copy = arena_strndup(&b->tb->arena, label.ptr, label.len);
    if (!copy) return builder_no_memory(b);
    b->open[b->depth++] = b->n_phrases;
    b->phrases[b->n_phrases++] = (Phrase){ b->n_words, -1, copy };
    return OK;
}

Status builder_word(TreeBuilder *b, StrView tag, StrView word)
{
    if (!tag.len) return builder_fail(b, "found a word without a tag");
    if (!word.len) return builder_fail(b, "found a tag without a word");
    if (!tree_is_name(tag)) return fail_quoting(b, "tag", tag, "blanks");
    if (!tree_is_word(word)) return builder_fail(b, "found a word of blanks, or with a tab or a line break");
    if (b->n_words == TREE_MAX_WORDS) return builder_fail(b, "found more words than a tree may have");
    if (!mem_reserve(b->words, &b->word_cap, b->n_words + 1) || !mem_reserve(b->tags, &b->tag_cap, b->n_words + 1) ||
        (b->keep_spelling && !mem_reserve(b->spelled, &b->spelled_cap, b->n_words + 1)))
        return builder_no_memory(b);
    b->words[b->n_words] = arena_strndup(&b->tb->arena, word.ptr, word.len);
    b->tags[b->n_words] = arena_strndup(&b->tb->arena, tag.ptr, tag.len);
    if (!b->words[b->n_words] || !b->tags[b->n_words]) return builder_no_memory(b);
    if (b->keep_spelling) b->spelled[b->n_words] = b->words[b->n_words];
    b->n_words++;
    return OK;
}

Status builder_spelling(TreeBuilder *b, StrView spelled)
{
    int last = b->n_words - 1;
    if (!b->keep_spelling) return OK;
    bool plain = text_equal(spelled, b->words[last]);
    b->spelled[last] = plain ? b->words[last] : arena_strndup(&b->tb->arena, spelled.ptr, spelled.len);
    return b->spelled[last] ? OK : builder_no_memory(b);
}

void builder_close(TreeBuilder *b) { b->phrases[b->open[--b->depth]].end = b->n_words; }

void builder_drop(TreeBuilder *b) { b->depth = b->n_words = b->n_phrases = 0; }

Status builder_finish(TreeBuilder *b, long line)
{
    if (b->n_words == 0) return builder_fail(b, "found a tree without words, expected at least one");
    int kept = 0;
    for (int p = 0; p < b->n_phrases; p++)
        if (b->phrases[p].begin < b->phrases[p].end) b->phrases[kept++] = b->phrases[p];
    Sentence *sent = treebank_add(b->tb);
    if (!sent) return builder_no_memory(b);
    size_t n = (size_t)b->n_words;
    *sent = (Sentence){ .n_words = b->n_words, .n_phrases = kept, .has_tree = true, .line = line };
    sent->words = arena_alloc(&b->tb->arena, n, sizeof *sent->words);
    sent->tags = arena_alloc(&b->tb->arena, n, sizeof *sent->tags);
    sent->phrases = arena_alloc(&b->tb->arena, (size_t)kept, sizeof *sent->phrases);
    if (b->keep_spelling) sent->spelled = arena_alloc(&b->tb->arena, n, sizeof *sent->spelled);
    if (!sent->words || !sent->tags || !sent->phrases || (b->keep_spelling && !sent->spelled))
        return builder_no_memory(b);
    if (b->keep_spelling) memcpy(sent->spelled, b->spelled, n * sizeof *sent->spelled);
    memcpy(sent->words, b->words, n * sizeof *sent->words);
    memcpy(sent->tags, b->tags, n * sizeof *sent->tags);
    if (kept) memcpy(sent->phrases, b->phrases, (size_t)kept * sizeof *sent->phrases);
    builder_drop(b);
    return OK;
}
