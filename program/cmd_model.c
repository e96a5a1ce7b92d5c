/* Lal model, a group of commands */
#include "program/program.h"

static Status run_model(int argc, char **argv, Error *e)
{
    if (argc > 1) return error_set(e, ERR_USAGE, "unknown command '%s'%s", argv[1], help_suggestion(argv[1]).text);
    StrBuf words = { 0 };
    help_words(&CMD_MODEL, &words);
    Status status = error_set(e, ERR_USAGE, "found no command, expected one%s", words.ptr ? words.ptr : "");
    strbuf_fini(&words);
    return status;
}

const Command CMD_MODEL = { .name = "model",
                            .arguments = "COMMAND [OPTIONS]",
                            .about = "describe and make models",
                            .tables = (const Option *const[]){ NULL },
                            .run = run_model };
