/* Which types do the head rules of the language give the arcs of a parse? The scorer of types does not see the tree;
 * a table that reads it (treebank/head_rules.h) is right about many of the types that the scorer is not sure of. So
 * ModelConfig.type_rules is added to the score of the rules' type of an arc, where rules and parse agree on the head.
 */
#pragma once

#include "parser/model/model.h"
#include "parser/parse/parsed.h"

/* Sets type [n_words] of a parse with tree, heads and tags to numbers of model->types; LABEL_NONE: the word is the
 * root, or the rules have another head, a type of Language.habits or one that the model does not know. The model has
 * head_rules. false when out of memory. */
bool rule_types_find(const Model *model, const Parsed *parsed, Arena *scratch, int *type);

/* What the rules add to the score of type y, if theirs is rule_type. */
static inline Real rule_types_add(const Model *model, int rule_type, int y)
{
    return y == rule_type ? (Real)model->c.type_rules : 0;
}
