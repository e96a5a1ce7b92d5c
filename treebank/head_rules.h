/* Dependencies from constituents: a table of rules gives the head child of each phrase and the dependency types of its
 * other children (idea: Collins 1999, appendix A). models/headrules/README.md describes the grammar and the tables. */
#pragma once

#include "treebank/tree.h"

typedef struct HeadRules HeadRules; /* read-only, so threads may share it */

/* Reads a table; NULL with ERR_FORMAT (line and column) or ERR_NOMEM in e. Freed with head_rules_free. */
HeadRules *head_rules_read(StrView text, const char *path, Error *error);
void head_rules_free(HeadRules *rules);

/* Sets heads and types of a sentence that has a tree and tags: one head per phrase, one root, projective. If no rule
 * applies, the head of a phrase is its first child, and the type of a dependent is "dep". The arrays are in the arena,
 * the strings in `rules` or static; arena and rules must outlive the sentence. ERR_NOMEM. */
Status head_rules_apply(const HeadRules *rules, Sentence *sent, Arena *arena, Error *error);
