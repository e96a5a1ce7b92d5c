/* What lal inspect heads asks of a task: texts for a report, and the attention in one of them. */
#pragma once

#include "parser/heads/head_report.h"
#include "parser/model/corpus.h"

struct ClassText;

/* One run of lal inspect heads: measures the heads on the first n sentences, documents or pairs of the gold data. */
typedef struct HeadsRun {
    HeadReport r;
    Worker w;
    Corpus *c;
    int n, max_words; /* longer sentences, or sides of pairs in pieces, are left out */
    ParseOptions o;   /* of a model that parses; record is set */
    Treebank *deps;   /* of the sources of pairs, a sentence for each; NULL: none */
    const char *deps_path;
    const Model *parser; /* parses these sources; NULL: none */
    Arena arena;         /* of parses, and of `state` */
    void *state;         /* of the task */
} HeadsRun;

typedef struct TaskHeads {
    const char *sentences, *words;    /* what is measured, for messages: "pairs", "pieces" */
    const char *explained[EXPLAINED]; /* HeadReport.explained_name; NULL: there is no loss, nor what is explained */
    const char *options;              /* of lal inspect heads, those that not every task has: "html parser" */
    bool trees; /* what is explained is decided by HeadsRun.o: phrases and arcs, by which label heads have names */
    /* Counts a sentence of training. NULL: training_counts_add. */
    Status (*count)(TrainingCounts *t, const Model *m, const Sentence *sent, Error *e);
    /* Once, before texts are added: parses, baselines of relations. NULL: nothing. Errors of parsing, ERR_NOMEM. */
    Status (*begin)(HeadsRun *run, Error *e);
    bool (*has_gold)(const Sentence *sent); /* has it a loss? NULL: each has */
    /* Adds sentence, document or pair k. ERR_NOMEM, errors of the tape and of parsing. */
    Status (*add)(HeadsRun *run, int k, Error *e);
    /* Appends the attention of head h in it, of a document in its first part; nothing if it is too long. */
    Status (*show)(HeadsRun *run, int k, int h, const struct HeadNames *names, PutAttention *put, StrBuf *out,
                   Error *e);
    /* The texts of class_texts_add (parser/task/classify/class_heads.h); NULL: `add` is another function. */
    Status (*text)(const Model *m, const Corpus *c, int k, int from, Arena *a, struct ClassText *out, Error *e);
} TaskHeads;
