/* What a model is for. A Task gives the network its scorers and its loss; a TaskTraining says what a run of training
 * learns from and how dev sets are scored; a TaskUse (use.h) what else is done with its models. Only the task's own
 * folder knows more of it: a new task is a folder beside this file, and a line in tasks.def. Network, Model and Trainer
 * are of parser/model and parser/train. */
#pragma once

#include "lal/encoder_prune.h"
#include "treebank/tree.h"

struct Task;
struct Vocab;
struct Model;
struct ModelConfig;
struct Network;
struct NetworkConfig;
struct NetworkOutput;
struct Decoder;
struct Gold;
struct LossWeights;
struct LossParts;
struct Trainer;
struct TrainConfig;
struct Example;
struct DevScores;
struct TrainFigure;
struct Corpus;
struct ModelDifference;

/* Readers of the encoder's vectors that one task has, at most. */
enum { TASK_READERS = 10 };
/* Parts of the loss that one task has, at most. They are numbers 0 .. TASK_LOSSES - 1 in LossParts. */
enum { TASK_LOSSES = 10 };

/* A parameter that has an entry for each value of a vocabulary, as numbers [outer, values - first, inner]: rows of a
 * table are [1, values, width], columns of a scorer [width, values, 1]; `first` values have none. */
typedef struct ModelAxis {
    int param; /* -1: the model has no such parameter */
    bool rows;
    const struct Vocab *values;
    int first;
    /* How a scorer begins for new values. A new label scores -1 on every span: below 0, the score of no phrase, so that
     * phrases do not change, and close to it, so that it is learnt soon. A new tag, type or class scores the mean of
     * the old ones, which is never the largest score. */
    enum { NEW_MEAN, NEW_ZERO, NEW_BELOW } fresh;
} ModelAxis;
enum { TASK_AXES = 11 }; /* of the scorers of one task, at most */

/* How a model of the task is trained. A function may be NULL where a comment says so. */
typedef struct TaskTraining {
    /* Can its models be trained with these options? ERR_USAGE. NULL: with all of them. `examples` checks this, too. */
    Status (*check)(const struct Task *task, const struct ModelConfig *m, const struct TrainConfig *c, Error *e);
    /* Allocates Trainer.state before the data are read. ERR_NOMEM. begin and end are NULL for a task without state. */
    Status (*begin)(struct Trainer *tr, Error *e);
    void (*end)(struct Trainer *tr); /* frees it, also where begin was not called or failed */
    /* Makes the examples, tr->ex [tr->n], of all training sentences that are short enough; counts the vocabularies when
     * `count`, which a resumed run has already. ERR_FORMAT without a sentence, ERR_USAGE where a resumed run has other
     * values, ERR_NOMEM. */
    Status (*examples)(struct Trainer *tr, bool count, Error *e);
    /* Once the examples and the network are there: the parses that masks of heads read. ERR_CONFIG where the task has
     * none for them; errors of reading and parsing. NULL: the task has no parses, and patterns that read one are
     * refused (ERR_CONFIG). */
    Status (*find_parses)(struct Trainer *tr, Error *e);
    /* The example as this epoch shows it, *out in the arena; which: its number. NULL: as it is. ERR_NOMEM. */
    Status (*show)(const struct Trainer *tr, const struct Example *x, int which, Arena *a, struct Example *out,
                   Error *e);
    /* Sets the gold and the tags of an example whose words were changed to `sent` (options vary_*), in the arena. NULL:
     * they stay as they were. ERR_NOMEM. */
    Status (*vary)(const struct Trainer *tr, const Sentence *sent, Arena *a, struct Example *out, Error *e);
    /* The axes of the model's scorers, in the same order for all models; their number. NULL: none. */
    int (*axes)(const struct Model *m, ModelAxis out[TASK_AXES]);
    /* The weights of its parts of the loss, whose terms are multiplied by `scale`. NULL: there is one part. */
    void (*weights)(double scale, const struct TrainConfig *c, struct LossWeights *out);
    /* What an example has to be written, in words. NULL: nothing. The words of an example are then these and its own,
     * for sub-batches, and these alone for per_word. */
    int (*written)(const struct Example *x);
    bool per_word;   /* the loss is a mean over words; else over sentences */
    bool any_length; /* no text is left out for its length */
    /* Scores dev set k with the present weights; of a loss of words, each sentence too, where out->each is wanted.
     * ERR_NOMEM, ERR_NUMERIC, ERR_FORMAT. */
    Status (*score)(struct Trainer *tr, int k, struct DevScores *out, Error *e);
    /* Bytes of the device's memory that scoring dev set k needs. NULL: not known before. ERR_NOMEM, ERR_CONFIG. */
    Status (*dev_need)(const struct Trainer *tr, int k, size_t *bytes, Error *e);
    /* Text for people, about the data, once they are there: "3 classes, " as part of a line, and lines of their own.
     * NULL: none. */
    void (*put_sizes)(const struct Trainer *tr, StrBuf *out);
    void (*put_notes)(const struct Trainer *tr, StrBuf *out);
    /* The losses since the last check, at most TASK_LOSSES; their number. NULL: the task has one loss, named `loss` and
     * printed with loss_digits digits. */
    int (*losses)(const struct Trainer *tr, struct TrainFigure *out);
    const char *loss;
    int loss_digits;
    /* Members that a line of the log and the summary in a model file have in addition (base/json_writer.h);
     * NULL: none. */
    void (*put_log)(const struct Trainer *tr, StrBuf *out);
    void (*put_summary)(const struct Trainer *tr, StrBuf *out);
} TaskTraining;

typedef struct Task {
    const char *name;   /* in messages, and in model files as "lal.task"; a file without it has a parser */
    const char *model;  /* what its models are, for messages: "a model that parses (lal parse)" */
    const char *verb;   /* what they do to text: "parse" */
    const char *vocabs; /* the vocabularies that its scorers have values of, members of Model: "labels types" */
    /* Sets in *out what of a text and of a decoder the heads of its models see. NULL: sentences, and no decoder. */
    void (*shape)(const struct ModelConfig *c, EncoderShape *out);
    /* Has the model the vocabularies that the task needs? ERR_CONFIG. NULL: it needs none. */
    Status (*check)(const struct Model *m, Error *e);
    /* The configuration of the scorers, c->own, of a model's, in the arena. NULL, with all functions below: the network
     * is a pretrained encoder and nothing else. ERR_CONFIG, ERR_NOMEM. */
    Status (*configure)(const struct Model *m, struct NetworkConfig *c, Arena *a, Error *e);
    size_t own_bytes;        /* of Network.own, which begins as zeros */
    void (*fini)(void *own); /* frees what it owns; NULL: nothing */
    /* The scorers on the encoder: their parameters are declared in ps, then get initial values; those that read the
     * encoder's vectors, their number; scores in *out; parts of the loss [TASK_LOSSES], NULL without a term, and after
     * them (LOSS_GUIDANCE) the guidance loss of heads that are not the encoder's. Status and errors of the tape. */
    Status (*declare)(struct Network *net, ParamSet *ps, Error *e);
    void (*init)(const struct Network *net, ParamSet *ps, unsigned long seed);
    int (*readers)(const struct Network *net, EncoderReader out[TASK_READERS]);
    struct Decoder *(*decoder)(const struct Network *net); /* whose heads are the model's, too; NULL: it has none */
    void (*forward)(const Forward *f, const struct Network *net, struct NetworkOutput *out);
    Status (*loss)(const Forward *f, const struct Network *net, const struct NetworkOutput *out,
                   const struct Gold *gold, const struct LossWeights *w, Arena *scratch, Tensor *part[TASK_LOSSES],
                   struct LossParts *parts);
} Task;

#define TASK(task, name) extern const Task TASK_##task;
#include "parser/task/tasks.def"

/* The task of a file: of the value of "lal.task", NULL without one. NULL where there is no such task; then *expected,
 * if it is not NULL, gets the names that there are. */
const Task *task_find(const char *text, StrBuf *expected);
/* How the models of a task are trained; NULL: they are not. A program that does not call this needs none of it. */
const TaskTraining *task_training(const Task *task);
/* The value of "lal.task" in files of the task, or NULL: they have none. */
const char *task_key(const Task *task);
