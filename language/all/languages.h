/* The languages, each in a folder of its own beside this one. */
#pragma once

#include "language/language.h"

/* In the order of their numbers (ModelConfig.language). A model file without a language is of the first one. */
extern const Language *const LANGUAGES[];
enum { N_LANGUAGES = 3, LANGUAGE_TRAINED = 2 };
#define LANGUAGE_CHOICES "english|plain|trained"
#define LANGUAGE_ABOUT                                                                                           \
    "language of the text: how raw text becomes sentences and words, what the model sees of them, and what "     \
    "lemmas and Universal Dependencies they have; plain: words as white space separates them, a sentence on "    \
    "each line, nothing else known; trained: the same, but words and sentences of raw text are found as in the " \
    "treebanks of --conllu; english where none is named, trained with --conllu"
