/* Plans of lal ablate, JSON files (docs/ABLATION.md): variants of one configuration, each trained with several seeds.
 * Everything about a plan is checked when it is read, before any data: unknown keys, values, and the configuration of
 * each variant. */
#pragma once

#include "base/json.h"
#include "program/ablate/measure.h"
#include "parser/model/config.h"

enum { ABLATE_SEEDS_MOST = 100, ABLATE_NAME_MOST = 60 };

/* The folder of the parses of the first pass, which no variant may be named after. */
#define ABLATE_FIRST_PASS "first-pass"

/* The files of a plan, and how they are read, as the options of lal train name them; test is read as dev is. */
typedef struct AblateData {
    OptionList train, train_deps, dev, dev_deps, test, test_deps, name, dev_name, test_name;
    OptionList target, dev_target, test_target, train_classes, dev_classes, test_classes;
    OptionList input, newline, markup, hyphens, replace, replace_power, most_words;
    OptionList pretrained; /* of all runs: at most one file with a pretrained encoder */
    OptionList vectors;    /* and one with word vectors */
} AblateData;
extern const Option ABLATE_DATA_OPTIONS[];

/* Some things are of other runs of the same seed, which are made before it: numbers of their variants, or -1. */
typedef struct AblateVariant {
    const char *name;
    ModelConfig model;
    TrainConfig train; /* `seed` is set for each run */
    EncoderOptions options;
    int start_from;               /* training begins with its model */
    int heads_of;                 /* gates.constant are its heads that gates left open */
    bool continues, copies_heads; /* start_from and heads_of are given */
    bool first_pass;              /* its syntax.source is the first pass of the plan */
    bool prune;                   /* what is scored is its model without closed self-attention heads (prune.h) */
} AblateVariant;

typedef struct AblatePlan {
    const char *path; /* of the file; borrowed */
    const char *about;
    const AblateMeasure *measure; /* of its task */
    AblateData data;
    PretrainedConfig pretrained; /* of data.pretrained, all layers; d_model 0: none */
    char pretrained_sum[17];     /* the checksum of its file, or "" */
    char vectors_sum[17];        /* hash of the text of data.vectors, or "" */
    long seeds[ABLATE_SEEDS_MOST];
    int n_seeds;
    AblateVariant *variants; /* [n] in the order of the file */
    int n;
    int *order;    /* [n] numbers of the variants, each after those it needs */
    int reference; /* number of the variant that the others are compared with */
    long resamples;
    double max_hours;   /* 0: no limit */
    bool equal_updates; /* all variants make the same updates on the same sentences */
    /* Syntax of training sentences that masks read is predicted: the training data are cut into `folds` blocks, and
     * each is parsed by a model of this variant trained on the others. folds 0: no first pass */
    int first_pass, folds;
    StrBuf text;
    cJSON *json;
    Arena strings;
} AblatePlan;

/* Reads the plan `path`; lists of `given` (may be NULL) that are not empty replace lists of its data. The plan is for
 * ablate_plan_fini in any case. ERR_USAGE, with line and column, for a text that is no plan; ERR_IO, ERR_NOMEM, errors
 * of model_texts_read for the pretrained encoder. */
Status ablate_plan_read(AblatePlan *p, const char *path, const AblateData *given, Error *e);
void ablate_plan_fini(AblatePlan *p);

/* Can the runs be made: is there data to train and to choose models on, and can this version train all options?
 * ERR_USAGE. */
Status ablate_plan_ready(const AblatePlan *p, Error *e);

/* ---- plan_variant.c */

/* Reads the variants; the base and the names of all variants were checked. Errors as ablate_plan_read. */
Status ablate_plan_variants(AblatePlan *p, const cJSON *base, const cJSON *variants, Error *e);
/* Finds the variants that others need, and sets the order. Errors as ablate_plan_read. */
Status ablate_plan_order(AblatePlan *p, const cJSON *variants, Error *e);
/* The variants whose runs variant v needs, in out [ABLATE_NEEDS]; -1: none. */
enum { ABLATE_NEEDS = 3 };
void ablate_plan_needs(const AblatePlan *p, int v, int out[ABLATE_NEEDS]);

/* ---- plan_options.c */

/* The pretrained encoder with as many layers as the variant uses. */
PretrainedConfig ablate_plan_pretrained(const AblatePlan *p, const AblateVariant *v);
/* Reads the encoder options of a variant: object, merged from the options of the base and the patch of the variant.
 * With a patch they are checked too, for v->model. Errors of ablate_plan_read. */
Status ablate_plan_options(AblatePlan *p, const cJSON *base, const cJSON *patch, const cJSON *object, AblateVariant *v,
                           Error *e);

/* ---- plan.c */

/* Finds a variant by the JSON string x, or sets ERR_USAGE; `of`: whose key this is. */
Status ablate_plan_find(const AblatePlan *p, const cJSON *x, const char *of, int *variant, Error *e);
/* The checksum of a model file. ERR_IO, ERR_FORMAT if it has none. */
Status ablate_plan_checksum(const char *path, char digits[17], Error *e);
/* Is the name one of "a|b|c"? */
bool ablate_plan_is_key(const char *keys, const char *name);
/* Sets ERR_USAGE with the place of a value of the plan, or of its name if it is a member. */
Status ablate_plan_error(const AblatePlan *p, const cJSON *value, Error *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
