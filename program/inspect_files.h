/* How lal inspect and lal inspect faithful go through their files: window by window, whose sentences several threads
 * explain apart. */
#pragma once

#include "base/thread.h"
#include "parser/parse/long_sentence.h"
#include "parser/parse/source.h"
#include "program/program.h"

typedef struct InspectThread {
    Worker parse;
    Arena kept; /* of the window: parses and explanations */
    Error e;
    int failed; /* the item of e */
} InspectThread;

typedef struct InspectFiles {
    /* of the caller */
    InputKind input;
    const RawTextFields *raw;
    const char *gold_deps;
    bool quiet;
    int treebank; /* whose words raw text has */
    int window;   /* sentences */
    long most;    /* sentences in all; 0: no limit */
    /* explains the n sentences of a window and takes what comes of it */
    Status (*explain)(void *context, int n, Error *e);
    void *context;
    /* filled */
    InspectThread *threads; /* [n_threads] */
    int n_threads;
    ThreadTeam *team;
    Parser cutter; /* RawText.cutter */
    const Source *source;
    int first; /* sentence of the source at which the window begins */
    long id;   /* sentences before the window */
    Progress progress;
    double read; /* share of the file before the source's part */
} InspectFiles;

/* The model of a command, with label heads of its own; other models are ERR_CONFIG with the path. */
Status inspect_model(Model *model, const char *path, Error *error);
/* A worker of the model for each thread, as --threads has it. inspect_end must be called also after an error. */
Status inspect_start(InspectFiles *files, const Model *model, int threads, Error *error);
void inspect_end(InspectFiles *files);

/* Goes through n files. Errors of source_next and of explain. */
Status inspect_run(InspectFiles *files, const char *const *paths, int n, Error *error);
/* For explain: calls `sentence` for each of the n sentences of the window, from several threads; `thread` is a number.
 * The error of the first sentence that fails, with its place. */
Status inspect_sentences(InspectFiles *files, int n, Status (*sentence)(void *context, int thread, int item, Error *e),
                         Error *error);
/* Sentence `item` of the window, and its number in the whole run, from 1. */
static inline const ParseInput *inspect_input(const InspectFiles *files, int item)
{
    return &files->source->in[files->first + item];
}
static inline long inspect_number(const InspectFiles *files, int item) { return files->id + item + 1; }
