/* A finished report of heads, as text, TSV and JSON (docs/FORMATS.md); out of memory sets out->failed. */
#pragma once

#include "parser/heads/head_report.h"

/* Thresholds for naming a function of a head: the share of a positional one, the margin above the baseline of a
 * syntactic one, and the least number of queries. */
#define FUNCTION_POSITIONAL 0.9
#define FUNCTION_ABOVE_BASELINE 0.1
enum { FUNCTION_QUERIES = 50 };
/* Share k of the positions of head `row` of its stack. */
double head_positional_share(const HeadFunctions *functions, int k, int row);
/* Names of the functions of a head, separated by ", ". */
void head_functions_text(StrBuf *out, const HeadReport *report, int head);
/* What encoder options do with the head: "mask rel_pos + seprat, guide next"; nothing of a plain head. */
void head_options_text(StrBuf *out, const HeadReport *report, int head);
enum { IMPORTANCE_TAYLOR_PARAM, IMPORTANCE_TAYLOR_GROUP, IMPORTANCE_GATE, IMPORTANCE_GATE_TOKEN, IMPORTANCE_NONE };
extern const char *const HEAD_REPORT_IMPORTANCE_NAMES[]; /* names of the measures; "importance" for none */
/* Heads from .. to - 1 of the first stack, whose global relevance is compared: group 0 is the model's own heads, group
 * 1 the heads of a pretrained encoder; from == to where there are none. */
enum { PATTERN_GROUPS = 2 };
typedef struct PatternGroup {
    int from, to;
} PatternGroup;
PatternGroup head_report_group(const HeadReport *report, int group);
/* The global relevance of pattern k for each head of the first stack, gr [functions[0].heads], and the three-sigma rule
 * over the heads of a group; false: no sentence had what the pattern needs. */
bool head_report_pattern(const HeadReport *report, int k, PatternGroup group, double *gr, ThreeSigma *sigma);
/* [n_heads] */
void head_report_importance(const HeadReport *report, int importance, HeadNormalise normalise, double *out);
/* names: of the heads (explain/head_names.h), or NULL. shown: that importance, for the table. */
struct HeadNames;
void head_report_text(StrBuf *out, const HeadReport *report, const struct HeadNames *names, int importance,
                      const double *shown);
/* Query by query. */
PutAttention head_attention_text;
void head_report_tsv(StrBuf *out, const HeadReport *report);
void head_report_json(StrBuf *out, const HeadReport *report);
