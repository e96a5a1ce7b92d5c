/* Heads named by what they do in the sentences of a run: "23 · particles, adverbs". One function writes them wherever
 * the number of a head stands. */
#pragma once

#include "explain/heads_output.h"
#include "explain/head_summary.h"

/* Runs of fewer words have no names. Of the 64 label heads of the shipped model, samples of GUM-open dev gave the first
 * category that the whole set (18,432 words) gives to 59 % (678 words, mean of six samples), 62 % (951), 70 % (2,149)
 * and 73 % (4,446; docs/INTERPRET.md). */
enum { HEAD_WHAT = MODEL_HEAD_NAME, HEAD_NAMES_WORDS = 1000 };

typedef struct HeadNames {
    int n;
    char (*what)[HEAD_WHAT]; /* [n] "particles, adverbs"; "" if not known */
    long words;              /* of the run */
    long kept;               /* words of the text that the model has the names from; 0: names are from the run */
    bool linked;             /* some are, or begin with, the category that a head is linked to */
} HeadNames;

/* n names that are not known, and stay so if the run has fewer than HEAD_NAMES_WORDS words. ERR_NOMEM. */
Status head_names_init(HeadNames *names, int n, long words, Error *error);
void head_names_fini(HeadNames *names);

/* Names all heads, or the label heads (h as before pruning) alone, as the model does if its names are from more words
 * than the run has; then names are not taken from the run. */
void head_names_of_model(HeadNames *names, const Model *model);
void head_names_of_labels(HeadNames *names, const Model *model);
/* Names the label heads that are linked to a category of phrases (parse_head_category) by it, in runs of any length.
 * Head h is at first + row[h], row[h] -1: not at all; row NULL: at first + h. Comes first of all that name heads. */
void head_names_linked(HeadNames *names, const Model *model, int first, const int *row);
/* Names the label heads, placed as those that are linked. A name is after the category (label or type, not "arc") of
 * which the head has the largest mean share of the contributions, and the second one if that share is at least half
 * as large; the category that a head is linked to comes before the other one. Only categories with a positive mean
 * contribution count, and a share above the share of equal contributions; without any the name is "small
 * contributions". Categories need 3 decisions, in large runs up to 20. */
void head_names_of_sums(HeadNames *names, int first, const int *row, const HeadSummary *summary);
/* Names heads that have no name yet after the report: the position or relation that they attend to (the thresholds of
 * head_functions_text, a position from 50 %), else the pattern whose global relevance is the most standard deviations
 * above the mean of all heads, at least one; else "mixed attention". When out of memory they
 * stay without a name. */
void head_names_of_report(HeadNames *names, const HeadReport *report);

/* Has the run enough words for names, or does the model have them? */
bool head_names_given(const HeadNames *names);
/* Appends a sentence saying that the names come from the model, or that the run has too few words for names, but for
 * categories. Appends nothing when the run itself gave the names. */
void head_names_note(StrBuf *out, const HeadNames *names);

/* Appends number, then " · " and the name of head `head` if it is known. names may be NULL. */
void head_names_put(StrBuf *out, const HeadNames *names, int head, const char *number);
/* Members of a JSON object: `names`, a list, and `names_note`, that sentence. */
void head_names_json(StrBuf *out, const HeadNames *names);
/* head_names_put for a head of a report, whose number is head_report_name. */
void head_names_put_named(StrBuf *out, const HeadNames *names, const HeadReport *report, int head);
/* head_names_put for label head `head` of a model (from 0), padded with blanks to the width of the longest name. */
void head_names_column(StrBuf *out, const HeadNames *names, int head);
