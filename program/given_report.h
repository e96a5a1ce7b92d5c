/* Messages of lal parse --arcs and --spans on what a tree does not have of what is given. */
#pragma once

#include "parser/parse/source.h"
#include "program/progress.h"

typedef struct GivenReport {
    const Model *m;
    Progress *progress; /* whose line is removed first */
    long arcs, phrases; /* given */
    long freed_arcs, freed_phrases;
    long types;          /* given ones that the model does not know */
    char first_type[40]; /* the first of them, perhaps shortened, and its place */
    char first_place[400];
} GivenReport;

/* Prints a line for each arc and phrase that sentence k of the window has lost: FILE:LINE: what was left free, and
 * why. */
void given_report(GivenReport *report, const Source *source, int k, const Parsed *parsed);
/* Prints how many arcs and phrases were left free, if any, and how many types the model does not know. */
void given_report_end(const GivenReport *report);
