/* language/english/english.h
 * English: text/ splits and folds raw text, ud/ has lemmas and Universal Dependencies. Treebanks are those of the Penn
 * Treebank's tags and of basic Stanford dependencies. */
#pragma once

#include "language/language.h"

extern const Language ENGLISH_LANGUAGE;
