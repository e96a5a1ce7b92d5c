/* Lal evalb */
#include <stdlib.h>

#include "eval/evalb_command.h"
#include "program/program.h"

static const char EVALB_HELP[] = "The output is that of EVALB of 2008-07-01 (differences: docs/FORMATS.md).\n"
                                 "build/evalb is the same program.\n"
                                 "\n"
                                 "  -p FILE\n"
                                 "      parameter file; nk, COLLINS and sample come with the program\n"
                                 "  -d\n"
                                 "      add a table of the words and brackets of each sentence\n"
                                 "  -D\n"
                                 "      add every comparison of brackets as well\n"
                                 "  -c N\n"
                                 "      longest sentence of the second summary (default 40)\n"
                                 "  -e N\n"
                                 "      end the run at the first error after N + 1 others (default 10)\n";

static Status run_evalb(int argc, char **argv, Error *e)
{
    (void)e;
    int status = evalb_command("lal evalb", false, argc, argv);
    if (status) exit(status); /* evalb_command has printed the message */
    return OK;
}

static const Option *const EVALB_TABLES[] = { NULL };
const Command CMD_EVALB = { "evalb",    "[OPTIONS] GOLD TEST", "score bracket files as EVALB does, with EVALB's output",
                            EVALB_HELP, EVALB_TABLES,          run_evalb };
