/* parser/program/classify_test.h
 * Scores of models on sentences with known classes: lal classify --test. */
#ifndef LAL_PARSER_PROGRAM_CLASSIFY_TEST_H
#define LAL_PARSER_PROGRAM_CLASSIFY_TEST_H

#include "parser/model/corpus.h"
#include "parser/model/model.h"

typedef struct ClassifyTest {
    const OptionList *model;    /* runs of one setting */
    const OptionList *compare;  /* as many of another one, or none */
    const char *data, *classes; /* of class_data_load */
    bool json;
    int threads, max_words;
    long samples; /* of the significance test */
} ClassifyTest;

/* Prints accuracy and macro-F1 of the models (means and deviations of several), those of the class that training has
 * most of, the table by class and the confusions (sums over the models), and the comparison. ERR_CONFIG where models
 * have different classes; errors of class_data_load, model_load and classifier_run. */
Status classify_test(const ClassifyTest *o, Error *e);

/* Loads a model that classifies, program_model_file(path); model_fini in any case. */
Status classify_model(Model *m, const char *path, Error *e);
/* class_data_load of a file, or of an example that comes with the program; notes are printed. */
Status classify_data(Corpus *c, const char *path, const char *classes, Error *e);

#endif
