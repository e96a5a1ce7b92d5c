/* Phrases are stored when they open and get their end when they close; empty ones are dropped
 * when the tree is done. */
#include "treebank/builder.h"

#include <string.h>

void builder_init(TreeBuilder *builder, Treebank *tb, const char *path, Error *error)
{
    *builder = (TreeBuilder){ .tb = tb, .path = path, .e = error, .line = 1 };
}

void builder_fini(TreeBuilder *builder)
{
    mem_free_each(builder->open, builder->phrases, builder->words, builder->tags, builder->spelled);
}

Status builder_fail(const TreeBuilder *builder, const char *what)
{
    return error_at(builder->e, ERR_FORMAT, builder->path, builder->line, builder->column, "%s", what);
}

static Status fail_quoting(const TreeBuilder *b, const char *what, StrView name, const char *without)
{
    return error_at(b->e, ERR_FORMAT, b->path, b->line, b->column, "found '%.*s' as %s, expected one without %s",
                    (int)utf8_cut(name.ptr, name.len, 40), name.ptr, what, without);
}

Status builder_no_memory(const TreeBuilder *builder)
{
    return error_at(builder->e, ERR_NOMEM, builder->path, builder->line, 0, "out of memory reading trees");
}

Status builder_open(TreeBuilder *builder, StrView label)
{
    if (!label.len) return builder_fail(builder, "found a phrase without a label");
    if (!tree_is_label(label))
        return fail_quoting(builder, "label of a phrase", label, "blanks, brackets and empty parts");
    if (builder->depth == TREE_MAX_DEPTH) return builder_fail(builder, "found phrases nested too deeply");
    if (!mem_reserve(builder->open, &builder->open_cap, builder->depth + 1) ||
        !mem_reserve(builder->phrases, &builder->phrase_cap, builder->n_phrases + 1))
        return builder_no_memory(builder);
    char *copy = arena_strndup(&builder->tb->arena, label.ptr, label.len);
    if (!copy) return builder_no_memory(builder);
    builder->open[builder->depth++] = builder->n_phrases;
    builder->phrases[builder->n_phrases++] = (Phrase){ builder->n_words, -1, copy };
    return OK;
}

Status builder_word(TreeBuilder *builder, StrView tag, StrView word)
{
    if (!tag.len) return builder_fail(builder, "found a word without a tag");
    if (!word.len) return builder_fail(builder, "found a tag without a word");
    if (!tree_is_name(tag)) return fail_quoting(builder, "tag", tag, "blanks");
    if (!tree_is_word(word)) return builder_fail(builder, "found a word of blanks, or with a tab or a line break");
    if (builder->n_words == TREE_MAX_WORDS) return builder_fail(builder, "found more words than a tree may have");
    if (!mem_reserve(builder->words, &builder->word_cap, builder->n_words + 1) ||
        !mem_reserve(builder->tags, &builder->tag_cap, builder->n_words + 1) ||
        (builder->keep_spelling && !mem_reserve(builder->spelled, &builder->spelled_cap, builder->n_words + 1)))
        return builder_no_memory(builder);
    builder->words[builder->n_words] = arena_strndup(&builder->tb->arena, word.ptr, word.len);
    builder->tags[builder->n_words] = arena_strndup(&builder->tb->arena, tag.ptr, tag.len);
    if (!builder->words[builder->n_words] || !builder->tags[builder->n_words]) return builder_no_memory(builder);
    if (builder->keep_spelling) builder->spelled[builder->n_words] = builder->words[builder->n_words];
    builder->n_words++;
    return OK;
}

Status builder_spelling(TreeBuilder *builder, StrView spelled)
{
    int last = builder->n_words - 1;
    if (!builder->keep_spelling) return OK;
    bool plain = text_equal(spelled, builder->words[last]);
    builder->spelled[last] =
        plain ? builder->words[last] : arena_strndup(&builder->tb->arena, spelled.ptr, spelled.len);
    return builder->spelled[last] ? OK : builder_no_memory(builder);
}

void builder_close(TreeBuilder *builder) { builder->phrases[builder->open[--builder->depth]].end = builder->n_words; }

void builder_drop(TreeBuilder *builder) { builder->depth = builder->n_words = builder->n_phrases = 0; }

Status builder_finish(TreeBuilder *builder, long line)
{
    if (builder->n_words == 0) return builder_fail(builder, "found a tree without words, expected at least one");
    int kept = 0;
    for (int p = 0; p < builder->n_phrases; p++)
        if (builder->phrases[p].begin < builder->phrases[p].end) builder->phrases[kept++] = builder->phrases[p];
    Sentence *sent = treebank_add(builder->tb);
    if (!sent) return builder_no_memory(builder);
    size_t n = (size_t)builder->n_words;
    *sent = (Sentence){ .n_words = builder->n_words, .n_phrases = kept, .has_tree = true, .line = line };
    sent->words = arena_alloc(&builder->tb->arena, n, sizeof *sent->words);
    sent->tags = arena_alloc(&builder->tb->arena, n, sizeof *sent->tags);
    sent->phrases = arena_alloc(&builder->tb->arena, (size_t)kept, sizeof *sent->phrases);
    if (builder->keep_spelling) sent->spelled = arena_alloc(&builder->tb->arena, n, sizeof *sent->spelled);
    if (!sent->words || !sent->tags || !sent->phrases || (builder->keep_spelling && !sent->spelled))
        return builder_no_memory(builder);
    if (builder->keep_spelling) memcpy(sent->spelled, builder->spelled, n * sizeof *sent->spelled);
    memcpy(sent->words, builder->words, n * sizeof *sent->words);
    memcpy(sent->tags, builder->tags, n * sizeof *sent->tags);
    if (kept) memcpy(sent->phrases, builder->phrases, (size_t)kept * sizeof *sent->phrases);
    builder_drop(builder);
    return OK;
}
