/* How words of a treebank are written for an encoder that was trained on text. */
#pragma once

#include "base/arena.h"

/* Words of a treebank as text has them, for an encoder that was trained on text: -LRB- and its like become brackets;
 * `` '' become ", ` becomes '; and with `ascii`, for encoders of English, typographic double quotes become ", single
 * ones ', and dashes --. Words that stay as they are, are borrowed; the others lie in the arena, as does the array [n].
 * NULL when out of memory. */
const char **piece_spelling(const char *const *words, int n, bool ascii, Arena *arena);
