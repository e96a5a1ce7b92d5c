/* eval/evalb_command.h: the command line of EVALB, for the program evalb and for lal evalb. */
#ifndef LAL_EVAL_EVALB_COMMAND_H
#define LAL_EVAL_EVALB_COMMAND_H

/* [-p PRM] [-d] [-D] [-e N] GOLD TEST, name for messages. Writes to standard output and error; returns the exit status: 0, or
 * 1 when the run was stopped by errors or could not be done, 2 on a wrong command line. */
int evalb_command(const char *name, int argc, char **argv);

#endif
