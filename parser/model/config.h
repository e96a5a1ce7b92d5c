/* The configurations of a model and of its training, each declared once in a table that serves the command line, JSON
 * presets, model files and help. */
#pragma once

#include "base/options.h"
#include "lal/heads/encoder_options.h"
#include "parser/model/network.h"

enum { CHARS_NONE, CHARS_LSTM };
enum { MODEL_LAYERS_LAL, MODEL_LAYERS_PLAIN };
/* What label heads are for: their views are added to each word, as in the paper; they are added up inside phrases. */
enum { LAL_WORDS, LAL_PHRASES, LAL_BOTH };

/* How heads and phrases are found. */
enum {
    DECODE_AUTO,  /* jointly; training makes it one of the last two where that is better */
    DECODE_JOINT, /* the best tree of both, without arcs that cross */
    DECODE_MARKS, /* jointly, but then marks of punctuation that nothing depends on get the heads that score best */
    DECODE_ARCS   /* each for itself: arcs may cross, and words of a phrase may have several heads outside of it */
};

typedef struct ModelConfig {
    int language; /* number in LANGUAGES */
    int d_model, n_layers, n_heads, d_kv, d_ff, n_positions;
    int layers; /* MODEL_LAYERS_LAL or MODEL_LAYERS_PLAIN */
    bool partitioned;
    bool fold, split_hyphens, use_words, use_tags, use_treebank;
    int use_chars, d_char, affix_buckets, word_min_count, d_vectors;
    bool use_lal, lal_pwff, lal_resdrop, lal_q_as_matrix, lal_partitioned, lal_combine_as_self;
    int pretrained_layers, pretrained_d_ff, pretrained_pieces; /* pretrained_pieces: a PieceChoice */
    bool pretrained_mix;
    int n_label_heads, lal_d_kv, lal_d_proj;
    int lal_form; /* LAL_WORDS and so on */
    int lal_d_phrase;
    bool lal_own_reduce, lal_uniform, lal_arcs, lal_linked;
    int d_label_hidden, d_arc, d_type, d_tag_hidden;
    bool type_given_head;
    bool trees, arcs; /* set by the training files; what was not trained is not predicted */
    int decode;       /* DECODE_JOINT and so on; given parts of a parse are always found jointly */
    double lambda, grammar, type_rules;
    int document_words, context; /* how documents are read (parser/task/document/document.h) */
    int pieces, decoder_layers;  /* of a model that translates (parser/task/translate/translate.h) */
    double attention_dropout, relu_dropout, residual_dropout, embedding_dropout, tag_dropout, word_dropout,
        affix_dropout, char_dropout, vector_dropout, pretrained_dropout, position_dropout, dep_dropout;
} ModelConfig;

extern const Option CONFIG_MODEL_OPTIONS[];

enum { SCHEDULE_PLATEAU, SCHEDULE_COSINE };
enum { BATCH_SIZE_MOST = 100000 };

typedef struct TrainConfig {
    int epochs, lanes, batch_size, subbatch_tokens, checks_per_epoch, patience, stop_after, max_train_words;
    OptionList mix; /* NAME=SHARE */
    double negatives, questions, vary_case, vary_final, vary_quotes;
    int schedule;
    double lr, beta1, beta2, adam_eps, decay, clip, tag_weight, link_weight, soft_weight, label_smoothing, hide_tags,
        hide_tag, hide_treebank, unknown, average, weight_decay;
    double pretrained_lr, pretrained_decay;
    long pretrained_warmup;
    int pretrained_freeze;
    long max_updates, warmup, seed;
    bool rounded;             /* the network runs with weights rounded to TrainArgs.store */
    OptionList freeze, group; /* prefixes of parameter names; PREFIX=FACTOR */
} TrainConfig;

extern const Option CONFIG_TRAIN_OPTIONS[];

/* Sizes of the vocabularies of a network. */
typedef struct VocabSizes {
    int words, tags, labels, types, chars, treebanks, vectors;
    int classes; /* of sentences */
    int analyses;
} VocabSizes;

/* The network of a configuration, but for the pretrained encoder, which is a model's; network_declare checks that
 * widths agree. */
NetworkConfig config_network(const ModelConfig *config, VocabSizes sizes);

/* What the encoder options of a model of a task must fit. pretrained: of its pretrained encoder; NULL or d_model 0:
 * none. */
EncoderShape config_shape(const ModelConfig *config, const Task *task, const PretrainedConfig *pretrained);

/* Reads a preset, {"about": ..., "preset": ..., "model": {...}, "train": {...}, "encoder_options": {...},
 * "analysis": {...}}, over the preset that it names, or the defaults: the name of a built-in one (models/presets)
 * or a path ending in .json. A preset that another one names has none itself. Strings are kept in the arena.
 * The analysis becomes options->analysis; `from` becomes the origin of the encoder options, which are not checked
 * yet. */
Status config_preset(const char *name, ModelConfig *config, TrainConfig *train_config, EncoderOptions *options,
                     EncoderOrigin *from, Arena *strings, Error *error);
/* Reads encoder options, {"encoder_options": {...}, "analysis": {...}}, one of both at least, over the options of
 * `from`, where they are added; given: the path of a file, or its text, which begins with '{' and must outlive `from`.
 * Errors name the file, or --encoder-options. ERR_USAGE, ERR_IO, ERR_NOMEM. */
Status config_encoder_options(const char *given, EncoderOptions *options, EncoderOrigin *from, Arena *strings,
                              Error *error);

/* Built-in presets, made from models/presets at build time; ends with name NULL. */
typedef struct Preset {
    const char *name, *json;
} Preset;
extern const Preset PRESETS[];
