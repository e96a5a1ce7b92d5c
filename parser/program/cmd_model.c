/* parser/program/cmd_model.c: lal model, a group of commands */
#include "parser/program/program.h"

static Status run_model(int argc, char **argv, Error *e)
{
    if (argc < 2) return error_set(e, ERR_USAGE, "expected info, import, prune or quantize");
    return error_set(e, ERR_USAGE, "unknown command '%s'%s", argv[1], help_suggestion(argv[1]).text);
}

const Command CMD_MODEL = { .name = "model",
                            .arguments = "COMMAND [OPTIONS]",
                            .about = "describe and make model files",
                            .tables = (const Option *const[]){ NULL },
                            .run = run_model };
