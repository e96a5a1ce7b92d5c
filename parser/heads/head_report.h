/* What every attention head of a model does over gold data: functions and global relevance of patterns
 * (lal/head_measures.h), importance for the training loss (lal/head_importance.h), relevance for what the model decides
 * (tape_relevance). A task adds its texts: task_heads.h. */
#pragma once

#include "lal/head_importance.h"
#include "lal/head_measures.h"
#include "parser/heads/word_attention.h"
#include "parser/parse/parse.h"

enum {
    REPORT_PATTERNS = 64,
    EXPLAINED = 2, /* spans, arcs; or pieces, or classes, alone */
    REPORT_STACKS = 1 + DECODER_STACKS,
    REPORT_LAYERS = MAX_LAYERS + PRETRAINED_LAYERS_MOST + DECODER_STACKS * DECODER_LAYERS_MOST
};

/* By coefficients (tape_relevance), or by layer-wise rules (tensor/share.h). */
enum { RELEVANCE_FROZEN, RELEVANCE_ALPHA_BETA };

/* What the heads of a layer are. */
typedef enum HeadLayerKind { HEADS_SELF, HEADS_LABEL, HEADS_PRETRAINED, HEADS_DECODER, HEADS_CROSS } HeadLayerKind;
typedef struct HeadLayer {
    HeadLayerKind kind;
    int l; /* its number in the encoder (LayerId), in the pretrained encoder, in the decoder */
} HeadLayer;

/* Counts over training sentences, for rare words and for the baselines of syntactic functions. */
typedef struct TrainingCounts {
    Vocab words; /* tokens of each word as spelt */
    Vocab df;    /* sentences of each word in lower case (head_inputs_count) */
    RelationOffsets offsets;
} TrainingCounts;

void training_counts_init(TrainingCounts *counts);
void training_counts_fini(TrainingCounts *counts);
/* ERR_NOMEM. */
Status training_counts_add(TrainingCounts *counts, const Sentence *sent, Error *error);

/* Heads are numbered layer by layer: self-attention, label heads, pretrained encoder. A model that translates has three
 * stacks, numbered in this order: encoder, the decoder's self-attention, its attention to the source. */
typedef struct HeadReport {
    const Model *m;
    const TrainingCounts *counts;                    /* NULL: none */
    int n_heads, n_layers, first[REPORT_LAYERS + 1]; /* [n_layers + 1] */
    int own_heads;                                   /* all but the heads of a pretrained encoder */
    int n_stacks, stack_layer[REPORT_STACKS + 1];    /* [n_stacks + 1] first layers */
    HeadFunctions functions[REPORT_STACKS];          /* [n_stacks] */
    bool own_baselines;   /* some baselines of relations are from the sentences that are measured, not from training */
    RelationOffsets arcs; /* of the sentences that are measured */
    Pattern pattern[REPORT_PATTERNS];
    const char *pattern_text[REPORT_PATTERNS];
    int n_patterns;
    Arena strings;                              /* texts of patterns */
    GlobalRelevance gr[REPORT_PATTERNS];        /* of the heads of the first stack */
    double *share[EXPLAINED], *part[EXPLAINED]; /* [n_heads] sums of |R_h| / sum of the layer's |R|, and of R_h / |S| */
    const char *explained_name[EXPLAINED];      /* "spans"; NULL: the task has no such decisions */
    bool explain[EXPLAINED];                    /* all at first, to be changed before adding */
    long explained[EXPLAINED];
    int rule;     /* of relevance, as above; set before adding */
    double worst; /* largest error of conservation at the input */
    bool importance;
    double *gate, *gate_token; /* [n_heads] sums */
    double *gate_value;        /* [n_heads] gates of evaluation, NaN of layers without; read if has_gates */
    bool has_gates;
    Real *grads;     /* [trained] gradients of the loss, summed over sentences; set by head_report_finish */
    Real *on_device; /* grads on the device, if its memory is not the host's */
    const Device *device;
    double *taylor_param, *taylor_group; /* [n_heads] by head_report_finish */
    double *masked;     /* [n_heads] sums of how much the loss grows without the head; NaN of the pretrained encoder */
    double masked_loss; /* the sum of the losses with all heads */
    /* how many sentences to mask heads in (set before adding; 0: none), and how many were */
    long masked_most, n_masked;
    long losses, loss_tokens[REPORT_STACKS], loss_pieces, sentences, in_pieces; /* loss_pieces: pieces of words */
} HeadReport;

/* patterns: as pattern_read takes them; NULL, 0 for all of lal/heads/pattern.h but label_span. ERR_CONFIG for a
 * model without self-attention heads of its own, ERR_USAGE, ERR_NOMEM. */
Status head_report_init(HeadReport *report, const Model *model, const TrainingCounts *counts,
                        const char *const *patterns, int n_patterns, bool importance, Error *error);
/* Relations without a baseline from training get one from the arcs of these sentences, which are to be measured; those
 * that have none there either are no functions of a head. */
void head_report_own_baselines(HeadReport *report, const Sentence *sent, int n);
void head_report_fini(HeadReport *report);
/* The attention of all heads [n_heads] between the words of the one sentence of the worker's last pass, which was
 * recorded with its pieces (Worker.pieces); valid as long as the arena and that pass. The tape's error. */
Status head_report_weights(const HeadReport *report, Worker *worker, Arena *arena, HeadWeights *out, Error *error);
/* The layer of the model that layer `layer` of the report is. */
HeadLayer head_report_layer(const HeadReport *report, int layer);
/* "2:8" is head 8 of layer 2, "label:12" label head 12, "pretrained:3:2" of a pretrained encoder; with several stacks
 * "encoder:2:8", "decoder:2:8", "cross:2:8". */
void head_report_name(const HeadReport *report, int head, char name[HEAD_NAME]);
/* The category that a label head is linked to (parse_head_category), or NULL. */
const char *head_report_category(const HeadReport *report, int head);
/* The stack of head `head`, and of several its name, else NULL. */
int head_report_stack(const HeadReport *report, int head);
const char *head_report_stack_name(const HeadReport *report, int stack);
/* The functions of the stack of head `head`, in which it is head *row. */
const HeadFunctions *head_report_functions(const HeadReport *report, int head, int *row);
/* The number before pruning, from 0, of head `row` of a layer. */
int head_report_number(const HeadReport *report, HeadLayer at, int row);
/* The number of heads that layer `layer` had before pruning. */
int head_report_heads_before(const HeadReport *report, int layer);
/* -1: none. */
int head_of_name(const HeadReport *report, const char *name);
/* Pearson's and Spearman's correlation (ties get their mean rank) of two measures over n heads; 0 where one is
 * constant. false: out of memory. */
bool head_correlation(const double *a, const double *b, int n, double *pearson, double *spearman);
/* Turns sums into Taylor importances; readers divide the other sums by their counts. Errors of the device. */
Status head_report_finish(HeadReport *report, Error *error);

/* What the queries and keys of an attention matrix are called (HeadUnits): row first + k is query[k], key 0 START. */
typedef struct AttentionNames {
    const char *const *query, *const *key;
    int first, n_queries, n_keys;
    bool causal;
} AttentionNames;
struct HeadNames;
/* Writes a head's attention in a sentence, or pair of texts, number `number`. */
typedef void PutAttention(StrBuf *out, const HeadReport *r, const struct HeadNames *names, int h,
                          const AttentionNames *of, long number, const HeadWeights *w);
/* Writes the attention of head `head` in the sentence of the worker's last pass. */
Status head_report_show(const HeadReport *report, Worker *worker, const Sentence *sent, int head,
                        const struct HeadNames *names, long number, PutAttention *put, StrBuf *out, Error *error);
