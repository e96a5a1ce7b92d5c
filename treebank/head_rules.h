/* treebank/head_rules.h
 * Dependencies from constituents: a table of rules names the head child of each phrase and the type of the others
 * (Collins 1999, appendix A, for the idea; docs/FORMATS.md for the language; models/headrules for the tables). */
#ifndef LAL_TREEBANK_HEAD_RULES_H
#define LAL_TREEBANK_HEAD_RULES_H

#include "treebank/tree.h"

typedef struct HeadRules HeadRules; /* read only once made: threads share it */

/* Reads a table; NULL with ERR_FORMAT (line and column) or ERR_NOMEM in e. The caller frees it. */
HeadRules *head_rules_read(StrView text, const char *path, Error *e);
void head_rules_free(HeadRules *r);

/* Gives a sentence with a tree and tags its heads and types: one head to a phrase, one root, projective. A phrase that
 * no rule fits takes its first child, a dependent that none fits the type "dep". Arrays and strings lie in the arena,
 * `r` and static memory, which must outlive the sentence. ERR_NOMEM. */
Status head_rules_apply(const HeadRules *r, Sentence *s, Arena *arena, Error *e);

#endif
