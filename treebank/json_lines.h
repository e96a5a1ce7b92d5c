/* Reads the JSON lines of `lal parse --format json` (docs/parse.schema.json): a sentence on each line, with its tree
 * and its dependencies. */
#pragma once

#include "base/json.h"
#include "treebank/tree.h"

typedef struct JsonOptions {
    /* heads may be missing or null (HEAD_FREE) and need not form a tree; phrases may cross; bans are read from `not`:
     * phrases {"begin", "end", "label"}, without a label any, and arcs {"token", "head"}, head -1 the root */
    bool partial;
    /* fill Sentence.lemmas, .upos and .feats, "_" where a token has none, from `lemma`, `upos`, `feats`; .graph from
     * `enhanced` and .space_before from `begin` and `end`, if every token has them */
    bool keep_columns;
} JsonOptions;

/* Appends the sentences of a block to tb: words from the tokens' `form`, tags from `tag`, heads and types from `head`
 * and `type` if every token (with partial: some token) has them, phrases from `constituents`, in pre-order; other
 * members are ignored. Words, tags, types and labels are what tree_is_word, tree_is_name and
 * tree_is_label allow. Empty lines are skipped. ERR_FORMAT with the line, ERR_NOMEM. */
Status json_lines_read(Treebank *tb, TextBlock block, JsonOptions options, Error *error);
/* The same for the value of one line; path and number of the line are for messages. */
Status json_lines_object(Treebank *tb, const cJSON *object, const char *path, long number, JsonOptions options,
                         Error *error);
