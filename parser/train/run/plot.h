/* parser/train/run/plot.h
 * The curves of a training run as a picture: scores on the dev sets and losses over epochs, from the log that training
 * writes (docs/FORMATS.md). */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* Appends an SVG of the log `path`, in light colours, or in dark ones where a page or viewer prefers these. A line
 * whose epoch does not come after the line before replaces all lines from its epoch on: a resumed run continues at its
 * checkpoint, and a new run in the same log is drawn alone. The last line is left out if its newline is missing.
 * ERR_IO, ERR_NOMEM; ERR_FORMAT, with the line, where it is no log, or without any check. */
Status plot_log(StrBuf *svg, const char *path, Error *e);
