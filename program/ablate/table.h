/* The results of a plan: scores of each variant as mean and standard deviation over seeds, their difference to the
 * reference, and its significance: p of paired approximate randomisation over the units of all seeds
 * (eval/compare.h), corrected by Holm's method for the number of variants that are compared. */
#pragma once

#include "eval/compare.h"
#include "program/ablate/ablate.h"

typedef struct AblateMean {
    int n;                  /* seeds; 0: not known */
    double mean, deviation; /* over seeds; the deviation divides by n - 1, and is 0 if n is 1 */
} AblateMean;

typedef struct AblateDifference {
    int seeds;         /* that both variants have; 0: not known */
    double difference; /* variant - reference, of scores in percent in points, mean over seeds */
    double p, holm;    /* before and after correction */
} AblateDifference;

typedef struct AblateRow {
    const char *name;
    bool oracle;                                   /* its masks read gold parses: an upper bound, no parser */
    int seeds;                                     /* finished */
    AblateMean score[2][ABLATE_METRICS_MOST];      /* on dev, and on test */
    AblateDifference against[ABLATE_METRICS_MOST]; /* the reference */
    int self_heads, label_heads; /* of the models, means over seeds, rounded; 0 without a finished run */
    AblateMean rho, updates, early_loss, loss;
    AblateMean seconds;        /* of training */
    AblateMean training_speed; /* sentences per second, dev checks included */
    AblateMean speed;          /* of scoring dev and test, units per second */
} AblateRow;

typedef struct AblateTable {
    const Ablation *a;
    AblateRow *rows; /* [n] by variant */
    int n;
    bool on_test; /* differences are on test; without test data they are on dev */
} AblateTable;

/* resamples: as the plan has it. Deterministic. The table is for ablate_table_fini in any case. ERR_NOMEM. */
Status ablate_table(AblateTable *t, const Ablation *a, Error *e);
void ablate_table_fini(AblateTable *t);

/* Text for people; TSV and JSON with all numbers (docs/ABLATION.md). */
typedef enum AblateFormat { ABLATE_TEXT, ABLATE_TSV, ABLATE_JSON } AblateFormat;
void ablate_table_write(const AblateTable *t, AblateFormat format, StrBuf *out);
