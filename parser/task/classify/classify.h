/* Classes of texts, or of units of them, by a model that classifies: the encoder of the parser, the
 * mean of its vectors of the words, a linear map, and the softmax over the classes (as Wang et al. 2020, section 4.1,
 * classify texts). A sentence is one unit; the units of a document are its sentences; where a text has a gap
 * (TextParts.side), the gap is the only unit, and its vector is the one of START. */
#pragma once

#include "eval/class_score.h"
#include "parser/model/corpus.h"
#include "parser/model/linear_network.h"
#include "parser/model/worker_team.h"
#include "parser/parse/parser.h"
#include "parser/task/difference.h"
#include "parser/train/train_args.h"

/* What a Task of models that classify has besides its names and its shape. */
#define CLASSIFY_TASK                                                                                                  \
    .verb = "classify", .vocabs = "classes", .check = classify_check, .configure = classify_configure, LINEAR_NETWORK, \
    .loss = classify_loss
Status classify_check(const Model *model, Error *error);
Status classify_configure(const Model *model, NetworkConfig *config, Arena *arena, Error *error);
Status classify_loss(const Forward *forward, const Network *net, const NetworkOutput *out, const Gold *gold,
                     const LossWeights *weights, Arena *scratch, Tensor *part[TASK_LOSSES], LossParts *parts);

/* How models that classify sentences are trained. */
extern const TaskTraining CLASSIFY_TRAINING;

/* Several threads, which keep their memory from call to call. */
typedef struct Classifier {
    const Model *m;
    WorkerTeam team;
    int max_words;    /* words of a sentence that are read: of a longer one, the first. Initially CLASSIFY_MOST_WORDS */
    int batch_tokens; /* tokens in one forward pass */
    Parser parser;    /* of the model of the first pass; zeros where the model has none */
    Arena parses;     /* of the texts of one call */
} Classifier;

enum { CLASSIFY_MOST_WORDS = 500 };

/* device: the device that computes; the model's parameters are on it. classifier_fini is needed after failure too.
 * ERR_NOMEM, errors of the device, and of model_load_first where the model of the first pass could not be loaded. */
Status classifier_init(Classifier *classifier, const Model *model, const Device *device, int n_threads, Error *error);
void classifier_fini(Classifier *classifier);

/* Packs n texts, after worker_begin, with what masks read of in[k].parse. Errors of worker_pack. */
Status classifier_pack(Worker *worker, const ParseInput *in, int n, Error *error);
/* After a forward pass: the scores of what has a class in the batch, [units, classes], text by text. Gold.own of a
 * text: the number of its units, and for each its first token and its class; a unit ends where the next one begins, or
 * with the text; token 0 is START alone. NULL with the tape's error. */
static inline const int *classify_labels(const Gold *gold) { return gold->own; }
Tensor *classify_scores(const Forward *forward, const NetworkOutput *out, const Gold *gold, Arena *scratch);

/* The units of a text: of in->parse->parts, where in->parse has parts. */
int classifier_units(const ParseInput *in);

/* Classifies the units of n texts. in[k].parse: the parts of the text, and what syntax patterns of heads are made from,
 * or NULL: made by the model of the first pass, if there is one; it is not read where the text is shortened. class_id
 * [units]: the number of the most probable class (the first one on a tie); probability [units * classes], or NULL. The
 * result does not depend on the number of threads. ERR_NUMERIC if weights are so large that scores are not finite,
 * ERR_NOMEM; errors of parsing. */
Status classifier_run(Classifier *classifier, const ParseInput *in, int n, int *class_id, Real *probability,
                      Error *error);

/* The classes of the sentences of a treebank, class_id [tb->n]. Masks read parses [tb->n]; NULL: gold syntax if the
 * model's options say so, else a first pass. */
Status classifier_treebank(Classifier *classifier, const Treebank *tb, const Sentence *parses, int *class_id,
                           Error *error);

/* Scores a model on sentences with classes, by several threads: figures, and the score of a check, which is accuracy;
 * parses: as above. Errors of class_data_numbers and classifier_run. */
Status classifier_score(const Model *model, const Device *device, int n_threads, const Corpus *data,
                        const Sentence *parses, DevScores *out, Error *error);

/* How far two models that classify, of the same vocabularies, are apart on sentences: vectors of tokens and scores of
 * classes (ModelDifference). */
Status classifier_difference(const Model *a, const Model *b, const ParseInput *in, int n, ModelDifference *out,
                             Error *error);
