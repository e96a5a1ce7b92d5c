/* Splits raw text into sentences of tokens, in the style of the Penn Treebank. Hyphenated words are not split here
 * (segment_hyphens.h). Sentences end at empty lines, before the items of a list (1. a) (i) and bullets), and where a
 * log-linear classifier (segment_boundary.h) predicts it from words, punctuation, capitals and line breaks around each
 * gap between tokens. Its weights are compiled in; models/README.md says what they were trained on. */
#pragma once

#include "language/language.h"

/* Splits UTF-8 text. out is all zero, or the result of an earlier call, which is replaced; its arrays are used again.
 * Forms are in the arena, the arrays on the heap until segmented_text_fini. ERR_NOMEM; ERR_FORMAT where
 * segmented_text_check has it. */
Status segment_text(SegmentedText *out, TextBlock block, SegmentOptions options, Arena *arena, Error *error);
