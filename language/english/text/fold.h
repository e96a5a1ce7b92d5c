/* Words as a model sees them: typographic variants of quotes, apostrophes and hyphens are folded into the spellings of
 * the Penn Treebank, so that they are never rare. What is written keeps the text's own characters.
 *
 * In any word:   signs become plain characters (language/english/text/signs.h): ’ becomes ', … becomes ...
 * A whole word:  “ „ ‟ « 「 become ``   ” » 」 become ''   ‘ ‚ ‛ ‹ become `   ’ › become '
 *                " becomes `` or ''   ' that opens a quotation becomes `
 *
 * The direction of " and ' follows from the tag if there is one (`` opens). Else from the blanks around it: a quote
 * after a blank and before a word opens, one after a word and before a blank closes. Else from its place: the first
 * word opens, the last word closes, and others alternate, except that a quote after , . ! or ? and before a word in
 * lower case closes. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/* The n folded words; words that stay as they are, are borrowed, the others lie in the arena, as does the array.
 * tags [n]: NULL, or tags, each of which may be NULL. space_before [n]: whether the text has a blank before the word,
 * NULL: unknown. NULL when out of memory. */
const char **fold_words(const char *const *words, const char *const *tags, const bool *space_before, int n,
                        Arena *arena);
