/* tests/support/tiny.h: the smallest models that have everything a model may have, and the treebank they are trained
 * on: for fuzz targets, whose seeds are a few KB each. */
#ifndef LAL_TESTS_SUPPORT_TINY_H
#define LAL_TESTS_SUPPORT_TINY_H

#include "parser/train/train.h"

/* Three sentences with trees and dependencies. false: memory is out. corpus_fini ends it. */
bool tiny_corpus(Corpus *c);

/* Training of a model on that corpus, which is dev too: numbers of one digit, two updates an epoch. */
TrainArgs tiny_args(Corpus *c);

#endif
