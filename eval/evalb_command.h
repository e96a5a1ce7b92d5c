/* eval/evalb_command.h: the command line of EVALB, for the program evalb and for lal evalb. */
#ifndef LAL_EVAL_EVALB_COMMAND_H
#define LAL_EVAL_EVALB_COMMAND_H

/* [-dDh] [-c N] [-e N] [-p PRM] GOLD TEST, read from left to right as EVALB does: of options and parameter files that
 * set the same thing the last one counts. argv ends with NULL. `name` begins messages that are not EVALB's. Writes to
 * standard output and error, and ignores SIGPIPE from then on: a closed pipe is an error like a full disk. Returns the
 * exit status: 0, also after an unknown option; 1 after -h, when the run could not be done, or when errors ended it. */
int evalb_command(const char *name, int argc, char **argv);

#endif
