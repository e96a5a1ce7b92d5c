/* parser/program/cmd_evalb.c: lal evalb */
#include <stdlib.h>

#include "eval/evalb_command.h"
#include "parser/program/program.h"

Status cmd_evalb(int argc, char **argv, Error *e)
{
    (void)e;
    int status = evalb_command("lal evalb", argc, argv);
    if (status) exit(status); /* it has said why */
    return OK;
}
