/* The command line of EVALB, for the program evalb and for lal evalb. */
#pragma once

#include <stdbool.h>

/* Arguments [-dDh] [-c N] [-e N] [-p PRM] GOLD TEST, read from left to right as by EVALB: among options and
 * parameter files that set the same value, the last one counts. Values may be attached (-e5); the rest of an
 * argument after d or D is ignored, and so are files after the second one. A PRM without '/' that does not exist is
 * one of those that come with the program, with or without .prm: nk, COLLINS, sample (data_path_program must have
 * been called). argv ends with NULL. `name` precedes messages that are not EVALB's. exact: a missing file is said as
 * EVALB says it, "Can't open test file ((null))"; else with the usage. Writes to standard output and standard error.
 * Ignores SIGPIPE from then on, so that a closed pipe is a write error. Returns the exit status: 0, also after an
 * unknown option; 1 after -h, if files are missing or cannot be read or written, or if too many errors ended the
 * run. */
int evalb_command(const char *name, bool exact, int argc, char **argv);
