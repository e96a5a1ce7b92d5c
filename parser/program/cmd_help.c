/* parser/program/cmd_help.c: lal help and the manual page, both made from the tables of options. */
#include <ctype.h>
#include <string.h>

#include "include/lal.h"
#include "parser/config.h"
#include "parser/program/program.h"

const Command *command_find(const char *name)
{
    const Command *const *c = COMMANDS;
    while (*c && strcmp((*c)->name, name) != 0) c++;
    return *c;
}

void help_usage(StrBuf *out)
{
    strbuf_printf(out, "lal %s (%s): parsing with the Label Attention Layer\n\nusage: lal COMMAND [OPTIONS]\n\n",
                  LAL_VERSION, REAL_NAME);
    for (const Command *const *c = COMMANDS; *c; c++) strbuf_printf(out, "  %-10s %s\n", (*c)->name, (*c)->about);
    strbuf_puts(out, "\nlal help COMMAND shows the options of a command.\n"
                     "Exit status: 0 success, 1 failure, 2 wrong usage.\n");
}

static void help_command(const Command *c, StrBuf *out)
{
    strbuf_printf(out, "usage: lal %s %s\n%s\n%s", c->name, c->arguments, c->about, c->more ? c->more : "");
    for (const Option *const *t = c->tables; *t; t++) {
        strbuf_putc(out, '\n');
        options_help(*t, out);
    }
    if (strcmp(c->name, "train") != 0) return;
    strbuf_puts(out, "\nbuilt-in presets:");
    for (const Preset *p = PRESETS; p->name; p++) strbuf_printf(out, " %s", p->name);
    strbuf_putc(out, '\n');
}

static void manual(StrBuf *out)
{
    strbuf_printf(out, ".TH LAL 1 \"\" \"lal %s\" \"User Commands\"\n", LAL_VERSION);
    strbuf_puts(out,
                ".SH NAME\nlal \\- constituency and dependency parsing with the Label Attention Layer\n"
                ".SH SYNOPSIS\n.B lal\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR...]\n"
                ".SH DESCRIPTION\nOne program and one model file turn raw text into constituency and dependency trees. "
                "Options may be written --name value or --name=value, with - or _ inside names; a file named - is "
                "standard input or output; -- ends the options.\n");
    for (const Command *const *at = COMMANDS; *at; at++) {
        const Command *c = *at;
        strbuf_printf(out, ".SH \"LAL %s\"\n.B lal %s\n%s\n.PP\n%c%s.\n", c->name, c->name, c->arguments,
                      toupper((unsigned char)*c->about), c->about + 1);
        if (c->more) strbuf_printf(out, ".PP\n.nf\n%s.fi\n", c->more);
        for (const Option *const *t = c->tables; *t; t++) options_manual(*t, out);
    }
    strbuf_printf(
        out,
        ".SH \"EXIT STATUS\"\n0 success, 1 failure (a message on standard error says what and where), 2 wrong usage.\n"
        ".SH ENVIRONMENT\n.TP\n.B LAL_MODEL\nthe model to use when --model is not given.\n"
        ".SH FILES\n.TP\n%s/en-small.lal\nthe shipped English model.\n"
        ".SH SEE ALSO\nREADME.md, docs/FORMATS.md and models/README.md of the source.\n",
        LAL_DATADIR);
}

static Status run_help(int argc, char **argv, Error *e)
{
    const Command *c = argc > 1 ? command_find(argv[1]) : NULL;
    bool whole = argc > 1 && strcmp(argv[1], "manual") == 0;
    if (argc > 1 && !c && !whole)
        return error_set(e, ERR_USAGE, "unknown command '%s'; lal help lists the commands", argv[1]);
    StrBuf out = { 0 };
    if (whole) manual(&out);
    else if (c) help_command(c, &out);
    else help_usage(&out);
    Status s = program_print(&out, e);
    strbuf_fini(&out);
    return s;
}

static const Option *const HELP_TABLES[] = { NULL };
const Command CMD_HELP = { "help", "[COMMAND]", "show the options of a command; lal help manual: the manual page",
                           NULL,   HELP_TABLES, run_help };
