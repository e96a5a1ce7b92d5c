/* A training run on standard error. */
#pragma once

#include "program/progress.h"
#include "parser/train/run/train.h"

typedef struct TrainReport {
    Progress progress;
    char stopped[600]; /* how to continue an interrupted run; "": it was not interrupted */
} TrainReport;

void train_report_start(TrainReport *report, bool quiet);
/* The report must outlive the observer. If quiet, only options of the model that a resumed run cannot change are
 * printed. */
TrainObserver train_report_observer(TrainReport *train_report);
