/* English: text/ splits and folds raw text, ud/ has lemmas and Universal Dependencies. Treebanks have tags of the Penn
 * Treebank and basic Stanford dependencies. */
#pragma once

#include "language/language.h"

extern const Language ENGLISH_LANGUAGE;
extern const char english_head_rules[]; /* models/headrules/english.rules */
