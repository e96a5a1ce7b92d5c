/* Lal classify and lal translate: what a model says of texts. */
#pragma once

#include "base/error.h"
#include "base/text.h"

struct Model;
struct RawText;
struct Source;

typedef struct PredictFields {
    const char *model, *out, *device;
    int json, input, threads, max_words, choose, threshold, beam;
    double length_penalty;
    bool block_trigrams, quiet;
} PredictFields;

/* A run over files. */
typedef struct Predict {
    const PredictFields *f;
    const struct Model *m;
    int n_threads;
    const struct RawText *raw;
    Notes *notes;
    StrBuf buf;  /* what is to be written next */
    long n, cut; /* texts that were read, and how many of them were cut */
    void *state; /* the task's */
    /* Once a source is read as text, after its first window: warns of what looks wrong. */
    void (*warn)(struct Predict *p, const struct Source *s);
    /* Writes buf, and empties it; done: the share of the file, which is shown with n; negative: nothing is shown.
     * ERR_NOMEM. */
    Status (*write)(struct Predict *p, double done, Error *e);
} Predict;

typedef struct PredictTask {
    const char *command; /* "classify" */
    const char *options; /* those that not every task of the command takes: "input newline" */
    const char *texts;   /* what it reads, for messages: "documents" */
    /* Once; `end` follows in any case. ERR_NOMEM, errors of the device. */
    Status (*begin)(Predict *p, Error *e);
    void (*end)(Predict *p);
    /* Reads a file, writes what is said of its texts. Errors of reading, of writing and of the model. */
    Status (*file)(Predict *p, const char *path, Error *e);
    void (*put_cut)(const Predict *p, StrBuf *out); /* a line for people on texts that were cut; NULL: none is */
} PredictTask;
