/* A model: configuration, vocabularies, network and weights. Once built it is read-only, so threads share it. */
#pragma once

#include "base/script.h"
#include "language/all/languages.h"
#include "language/trained/trained_text.h"
#include "parser/model/analysis.h"
#include "parser/model/config.h"
#include "parser/model/grammar.h"
#include "parser/model/lexicon.h"
#include "parser/model/network.h"
#include "treebank/head_rules.h"

/* What the heads of a model do in a text of `words` words, in short (lal inspect heads --name-heads). Heads of
 * self-attention come first, layer by layer, then label heads. n 0: not known. */
enum { MODEL_HEAD_NAME = 64 }; /* bytes, with the NUL */
typedef struct ModelHeadNames {
    char (*what)[MODEL_HEAD_NAME]; /* [n] "particles, adverbs"; "": this one is not known */
    int n;
    long words;
} ModelHeadNames;

/* From what is expected of a sentence to the F1 that is found (parser/parse/f1_fit.h): logit(F1) = bias +
 * expected logit(expected F1) + words log(number of words) + grammar Parsed.grammar / number of words, fitted to that
 * number of sentences. 0: not fitted. */
typedef struct F1Map {
    double bias, expected, words, grammar;
    long sentences;
} F1Map;

/* The weights of the scores of spans and arcs in the distribution of joint trees (cky/joint_marginals.h), fitted to so
 * many gold sentences (lal model calibrate). sentences 0: not fitted. */
typedef struct JointWeights {
    double span, arc; /* above 0 */
    long sentences;
    F1Map f1;
} JointWeights;

typedef struct Model {
    const Task *task; /* what it is for; a parser at first */
    ModelConfig c;
    EncoderOptions options; /* what acts on the heads of its encoder */
    HeadNumbers *kept;      /* [layer_count(n_layers)] heads that pruning has left in each layer; NULL: never pruned */
    bool shared_block;      /* EncoderConfig.shared_block */
    HeadNumbers *decoder_kept;     /* DecoderConfig.kept; NULL: never pruned */
    Vocab words, tags;             /* numbers 0, 1, 2 are START, STOP, unknown */
    Vocab labels;                  /* 0 empty, 1 <H> */
    Vocab types, chars, treebanks; /* treebanks: 0 is "unknown" */
    /* "LABEL TREEBANK" of each phrase label that only one of several training treebanks has */
    Vocab own_labels;
    Vocab df;      /* training sentences of each word in lower case (head_inputs.h), if a pattern needs it */
    Vocab classes; /* classes of sentences, in alphabetical order, if the model classifies */
    /* What CoNLL-U says of words besides tags and arcs (analysis.h), if the model predicts it: values of all columns,
     * "UPOS FEATS" of the words of the training data, and their lemmas (seen_lemmas.h). */
    Vocab analyses, bundles, lemmas;
    Vocab steps;                 /* of the grammar of its trees (grammar.h); empty: it has none */
    Grammar grammar;             /* of these, if ModelConfig.grammar is above 0 */
    Analysis analysis;           /* of them, in strings */
    TrainedText text;            /* how raw text becomes words, where the language does not say it */
    Vocab vectors;               /* words, and word pieces "##...", that have a static vector; empty: none */
    PretrainedConfig pretrained; /* the pretrained encoder (WordEncoderConfig.encoder); d_model 0: none */
    PieceTokenizer tokenizer;    /* its tokenizer */
    /* A file of more bytes stays mapped while the model is used, and decisions are checked by model_unchanged; other
     * files are copied into memory (base/filemap.h). FILEMAP_NEVER at first: all are copied. Set before loading; the
     * model of the first pass takes it over. */
    size_t map_above;
    const char *path; /* the file that it was loaded from, for messages; NULL: none */
    ParamSet ps;
    Network net;
    int root_type;     /* number of "root" in types, or -1 */
    bool tags_known;   /* its language has rules for its tags */
    const UdRules *ud; /* model_ud */
    /* Those of the language, whose types add ModelConfig.type_rules to scores (parser/parse/rule_types.h), if the model
     * has trees and dependencies that they fit, and the weight is above 0; else NULL */
    HeadRules *head_rules;
    int default_treebank; /* used when parsing does not name one */
    char *summary;        /* JSON object: how it was trained; NULL if unknown */
    ModelHeadNames named;
    JointWeights joint;      /* of treebanks that have none of their own */
    JointWeights *own_joint; /* [n_own_joint] of treebanks, in `strings`; sentences 0: none */
    int n_own_joint;         /* 0, or all treebanks that the file has */
    char checksum[17];       /* checksum of the file that it was loaded from; "": none */
    Arena strings;           /* strings of options and lists of kept heads */
    /* syntax.source first_pass: the model whose parses masks are made from (model_load_first); NULL: none, or it could
     * not be loaded, which first_error says */
    struct Model *first;
    Error first_error;
} Model;

/* The vocabularies of a model, and the tensors with their texts in its file, which may lack those that are optional. */
typedef struct ModelVocab {
    const char *name;
    size_t offset; /* in the Model */
    bool optional;
} ModelVocab;
enum { N_MODEL_VOCABS = 14 };
extern const ModelVocab MODEL_VOCABS[N_MODEL_VOCABS];
static inline Vocab *model_vocab(const Model *model, int k)
{
    return (Vocab *)(void *)((char *)(uintptr_t)model + MODEL_VOCABS[k].offset);
}
/* Copies all vocabularies to a model without values. false when out of memory. */
bool model_copy_vocabs(const Model *from, Model *to);

void model_init(Model *model);
void model_fini(Model *model);

/* Vocabularies with their reserved values only. */
Status model_vocabs_start(Model *model, Error *error);
/* Declares the network of the configuration and the options for the vocabularies: sets names and shapes, allocates no
 * weights. ERR_CONFIG if they contradict themselves or the vocabularies. */
Status model_declare(Model *model, Error *error);
/* model_declare, then allocates the weights (zero). */
Status model_build(Model *model, Error *error);
VocabSizes model_sizes(const Model *model);
/* The weights of trees by the conventions of a treebank. */
const JointWeights *model_joint(const Model *model, int treebank);
/* Gives a treebank weights of its own; they become the model's, too, if it has none. false when out of memory. */
bool model_set_joint(Model *model, int treebank, JointWeights weights);
/* Sets *mask to the mask of labels (cky/span_score.h) for parsing by the conventions of a treebank, in the arena: a
 * unary chain must not hold a label that only another treebank has. NULL where no label is masked, or all would be.
 * false when out of memory. */
bool model_label_mask(const Model *model, int treebank, Arena *arena, Real **mask);

enum { LABEL_NONE = -1 }; /* in place of the number of a label or type */
/* A phrase with the number of its label in model->labels; LABEL_NONE: the model does not know it. */
Span model_span(const Model *model, const Phrase *phrase);

/* The one tag of a model that was trained without tags. */
#define TAG_PLACEHOLDER "XX"

/* Sets tags_known and ud from the language and the vocabularies, as model_declare does. */
void model_find_rules(Model *model);
/* The language of the text that the model is for. */
const Language *model_language(const Model *model);
/* The scripts of the words that a model knows and of the word pieces of its encoder. */
ScriptCounts model_scripts(const Model *model);
/* The code of the text's language in BCP 47: Language.code, or, where words are learnt, "zh" if they are in Chinese
 * characters; NULL: not known. */
const char *model_language_code(const Model *model);
/* The n words as the model sees them: folded where it folds (ModelConfig.fold), else the words themselves. tags,
 * space_before and memory are as in Language.fold. NULL when out of memory. */
const char *const *model_fold(const Model *model, const char *const *words, const char *const *tags,
                              const bool *space_before, int n, Arena *arena);
/* Sets the lemmas of a parsed sentence, in the arena, and what makes Universal Dependencies of it, NULL: nothing does.
 * Both need tags for which the language has rules, or lemmas stay as they are; a model without tags of its own may be
 * given them. false when out of memory. */
bool model_add_lemmas(const Model *model, Sentence *sentence, Arena *arena);
const UdRules *model_ud(const Model *model);
/* Are the arcs that the model predicts Universal Dependencies, learnt from CoNLL-U? */
bool model_is_ud(const Model *model);

/* Sets *id to the number of the treebank `name` (--treebank); NULL: *id stays. ERR_USAGE. */
Status model_treebank(const Model *model, const char *name, int *id, Error *error);

/* Can the parses be had that the model's masks read (encoder_options.syntax.source)? gold: there are gold sentences;
 * file: there are parses of a file. ERR_CONFIG; errors of model_load_first. */
Status model_check_parses(const Model *model, bool gold, bool file, Error *error);
/* model_check_parses for text: a model whose masks read a treebank or a file parses none. */
Status model_check_text(const Model *model, Error *error);
/* Does the model have what the masks of another model read of a parse? ERR_CONFIG; name: of the model or of the data,
 * for the message. */
Status model_check_needs(const Model *model, const HeadPlan *masks, const char *name, Error *error);

/* ERR_NUMERIC, with the model's file: `what`, which the model computes, has a number that is not finite, or too large
 * to go on with. */
Status model_overflows(const Model *model, const char *what, Error *error);

/* Copies what `from` has learnt of raw text. ERR_NOMEM. */
Status model_copy_text(const Model *from, Model *to, Error *error);
/* Copies kept, decoder_kept and shared_block to a model of as many layers, with memory of its own. false: out of
 * memory. */
bool model_copy_kept(const Model *from, Model *to);

/* The vocabularies and settings of a lexicon for this model. */
LexiconSources model_lexicon(const Model *model);
