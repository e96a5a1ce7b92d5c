/* Options of the smallest models and the treebank they are trained on, for fuzz targets, whose
 * seeds are a few KB each. */
#pragma once

#include "parser/train/run/train.h"

/* Three sentences with trees and dependencies. false when out of memory. Freed with corpus_fini. */
bool tiny_corpus(Corpus *c);

/* Trains a model on that corpus, which is also the dev set; all sizes are below 10, with two updates per epoch. */
TrainArgs tiny_args(Corpus *c);
