/* What `lal inspect heads` measures where its command line does not say: "analysis" of a configuration, beside
 * "encoder_options". A model file keeps it. docs/OPTIONS.md says what each value means. */
#pragma once

#include "base/arena.h"
#include "base/options.h"

#define HEAD_ANALYSIS_IMPORTANCES "taylor_param|taylor_group|gate|gate_token|none"
#define HEAD_ANALYSIS_NORMALISE "raw|layer_l2|layer_sum|minmax"
#define HEAD_ANALYSIS_ROWS "words|tokens"
#define HEAD_ANALYSIS_RULES "frozen|alpha_beta"

typedef struct HeadAnalysis {
    int importance, normalise; /* indices into the choices above */
    struct {
        OptionList patterns; /* as pattern_read takes them; none: all patterns */
        int rows;
    } gr;
    struct {
        int rule;
        const char *explain; /* "spans", "arcs", "spans arcs" */
        double epsilon;      /* of another rule, which this version does not have: the default */
    } relevance;
} HeadAnalysis;

void head_analysis_defaults(HeadAnalysis *analysis);
/* Has every value its default? */
bool head_analysis_plain(const HeadAnalysis *analysis);
/* Which of a model's decisions are explained: out[0] spans, out[1] arcs. ERR_USAGE on another word, or none. */
Status head_analysis_explained(const char *words, bool out[2], Error *error);

/* Appends the JSON object, with defaults filled in. */
void head_analysis_to_json(const HeadAnalysis *analysis, StrBuf *out);

/* Sets values from the JSON object of "analysis", a value inside `root`, which was parsed from the text of the file at
 * `path`; NULL, NULL: of a model file. A key that is not there keeps its value, null gives it the default. Strings are
 * in the arena. Errors have the place, and "analysis.gr.rows: " before what was found and expected. ERR_USAGE, of a
 * model file ERR_CONFIG; ERR_NOMEM. */
struct cJSON;
Status head_analysis_read(HeadAnalysis *analysis, const struct cJSON *object, const char *path, const char *text,
                          const struct cJSON *root, Arena *memory, Error *error);
