/* Examples with the soft targets of a teacher. Targets stay in the numbers of their file; each batch translates them to
 * numbers of the model. */
#pragma once

#include "parser/train/trainer.h"

/* The sentences of a file of soft targets as examples; when `count`, its words, tags, types, labels and treebanks are
 * added to the vocabularies, whatever their probabilities. ERR_USAGE on a value that a resumed run does not have, or
 * that is reserved; ERR_NOMEM. */
Status soft_examples(Trainer *tr, const Corpus *corpus, bool count, Error *error);
/* The soft targets of an example in the model's numbers, in the arena. NULL when out of memory. */
const SoftTargets *soft_examples_targets(const Example *example, Arena *arena);
