/* Scores of predictions against gold sentences; of a model's parses, or of sentences that the caller has. */
#pragma once

#include "eval/report.h"
#include "eval/risk.h"
#include "eval/score.h"
#include "parser/parse/parse.h"

/* What is filled; the caller's. */
typedef struct Evaluation {
    Scores sum;         /* sum over all sentences */
    Scores *each;       /* [sentences] scores of each sentence alone, or NULL */
    Report *report;     /* or NULL */
    RiskSentence *risk; /* [sentences] of evaluate_model, with ParseOptions.confidence and arc_probability; or NULL */
    PunctSet punct;     /* evaluate_model chooses it by the gold sentences (punct_set_of) */
} Evaluation;

/* Adds sentence number k. ERR_RANGE, with nothing added, if its words are not the gold words (score_add); ERR_NOMEM. */
Status evaluation_add(Evaluation *ev, int k, const Sentence *gold, const Sentence *pred, Error *error);

typedef struct EvaluateOptions {
    ParseOptions parse;
    const Device *device; /* NULL: device_default() */
    int n_threads;
    bool given_tags; /* the gold tags are input */
    /* [sentences] parses of the same words, for a model whose masks read files (syntax.source file), else not read */
    const Sentence *parses;
    /* Called with the parse of each gold sentence, in order; NULL: not called. */
    void (*parsed)(void *context, int k, const Sentence *parse);
    /* Called when `done` of n sentences are parsed, by any thread, one call at a time; NULL: not called. */
    void (*progress)(void *context, int done, int n);
    void *context;
} EvaluateOptions;

/* Parses all gold sentences and adds their scores. Gold trees and dependencies are input only if the model is an oracle
 * (encoder_options_oracle). ERR_CONFIG, where masks read parses that are not there (model_check_parses); ERR_NOMEM,
 * ERR_NUMERIC. */
Status evaluate_model(const Model *model, const Treebank *gold, const EvaluateOptions *options, Evaluation *ev,
                      Error *error);
/* Bytes of the device's memory that evaluate_model needs (parse_pool_need). ERR_CONFIG as there, ERR_NOMEM. */
Status evaluate_need(const Model *model, const Treebank *gold, const EvaluateOptions *options, size_t *bytes,
                     Error *error);
