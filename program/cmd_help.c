/* Lal help and the manual page, both made from the tables of options. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "include/lalparser.h"
#include "parser/model/config.h"
#include "program/completion.h"
#include "program/program.h"

const char *command_word(const Command *command, const Command *group)
{
    const char *blank = strchr(command->name, ' ');
    size_t len = blank ? (size_t)(blank - command->name) : 0;
    bool of = blank && (!group || (strncmp(group->name, command->name, len) == 0 && !group->name[len]));
    return of ? blank + 1 : NULL;
}

const Command *command_find(int n, char **words, int *used)
{
    char two[40] = "";
    const Command *found = NULL;
    if (n > 1) snprintf(two, sizeof two, "%s %s", words[0], words[1]);
    for (const Command *const *c = COMMANDS; n && *c; c++) {
        bool whole = strcmp((*c)->name, two) == 0;
        if (!whole && strcmp((*c)->name, words[0]) != 0) continue;
        found = *c;
        *used = whole ? 2 : 1;
    }
    return found;
}

SuggestionText help_suggestion(const char *name)
{
    const char *typed = name + strspn(name, "-");
    Suggestion command = suggest_for(typed, strlen(typed)), option = command;
    for (const Command *const *c = COMMANDS; *c; c++) {
        const char *word = command_word(*c, NULL);
        if (!word) word = (*c)->name;
        suggest_name(&command, word, strlen(word));
        if (command.best.ptr == word) command.best = (StrView){ (*c)->name, strlen((*c)->name) };
    }
    if (typed > name) suggest_choices(&option, "help|version");
    return option.best.len ? suggest_text(&option, "--") : suggest_text(&command, "");
}

bool help_words(const Command *group, StrBuf *out)
{
    bool any = false;
    for (const Command *const *c = COMMANDS; *c; c++) {
        const char *word = command_word(*c, group);
        if (!word) continue;
        strbuf_printf(out, "%s%s", any ? ", " : " (", word);
        any = true;
    }
    if (any) strbuf_putc(out, ')');
    return any;
}

void help_usage(StrBuf *out)
{
    strbuf_printf(out, "lal %s (%s): parsing with the Label Attention Layer\nusage: lal COMMAND [OPTIONS]\n\n",
                  LAL_VERSION, REAL_NAME);
    for (const Command *const *c = COMMANDS; *c; c++) {
        if (command_word(*c, NULL)) continue;
        strbuf_printf(out, "  %-10s %s", (*c)->name, (*c)->about);
        help_words(*c, out);
        strbuf_putc(out, '\n');
    }
    strbuf_puts(out, "\nlal help COMMAND shows the options of a command.\n"
                     "Exit status: 0 success, 1 failure, 2 wrong usage.\n");
}

enum { SHELL_NONE, SHELL_BASH, SHELL_ZSH };

typedef struct Fields {
    const char *preset;
    int completion;
} Fields;

static const Option HELP_OPTIONS[] = {
    { "preset", OPT_STRING, offsetof(Fields, preset), "small", 0, 0, "NAME|FILE",
      "of a command that trains: show the defaults of this preset, a built-in one "
      "or a JSON file" },
    { "completion", OPT_ENUM, offsetof(Fields, completion), "none", 0, 0, "none|bash|zsh",
      "write a script that completes command lines in this shell (docs/INSTALL.md)" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* The values of a preset, which are the defaults of tables of lal train. */
typedef struct Defaults {
    ModelConfig model;
    TrainConfig train;
    EncoderOptions options;
    Arena strings;
} Defaults;

static Status defaults_read(Defaults *d, const char *preset, Error *e)
{
    arena_init(&d->strings, 4096);
    EncoderOrigin from;
    return config_preset(preset, &d->model, &d->train, &d->options, &from, &d->strings, e);
}

/* NULL: the table's own. */
static const void *defaults_of(const Defaults *d, const Option *table)
{
    return table == CONFIG_MODEL_OPTIONS   ? (const void *)&d->model
           : table == CONFIG_TRAIN_OPTIONS ? (const void *)&d->train
                                           : NULL;
}

static void put_command(const Command *c, const char *preset, const Defaults *d, StrBuf *out)
{
    strbuf_printf(out, "usage: lal %s %s\n%s\n%s", c->name, c->arguments, c->about, c->more ? c->more : "");
    for (const Command *const *of = COMMANDS; *of; of++)
        if (command_word(*of, c)) strbuf_printf(out, "  lal %-18s %s\n", (*of)->name, (*of)->about);
    for (const Option *const *t = c->tables; *t; t++) {
        if (*t == CONFIG_TRAIN_OPTIONS) strbuf_printf(out, "\ntraining, with the defaults of preset %s:\n", preset);
        else if (*t == CONFIG_MODEL_OPTIONS) strbuf_printf(out, "\nmodel, with the defaults of preset %s:\n", preset);
        else strbuf_putc(out, '\n');
        options_help(*t, defaults_of(d, *t), out);
    }
    if (strcmp(c->name, "train") != 0) return;
    strbuf_puts(out, "\nbuilt-in presets:");
    for (const Preset *p = PRESETS; p->name; p++) strbuf_printf(out, " %s", p->name);
    strbuf_putc(out, '\n');
}

static void manual(const Defaults *d, StrBuf *out)
{
    strbuf_printf(out, ".TH LAL 1 \"\" \"lal %s\" \"User Commands\"\n", LAL_VERSION);
    strbuf_puts(out,
                ".SH NAME\nlal \\- constituency and dependency parsing with the Label Attention Layer\n"
                ".SH SYNOPSIS\n.B lal\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR...]\n"
                ".SH DESCRIPTION\nOne program and one model file turn raw text into constituency and dependency trees. "
                "Options may be written --name value or --name=value, with - or _ inside names, and those with a "
                "letter -f value or -fvalue; a file named - is standard input or output; -- ends the options. "
                "-h or --help anywhere shows the options of the command, -V or --version the version.\n"
                "For the training and model options of lal train the defaults shown are those of the preset small.\n");
    for (const Command *const *at = COMMANDS; *at; at++) {
        const Command *c = *at;
        strbuf_printf(out, ".SH \"LAL %s\"\n.B lal %s\n%s\n.PP\n%c%s.\n", c->name, c->name, c->arguments,
                      toupper((unsigned char)*c->about), c->about + 1);
        if (c->more) strbuf_printf(out, ".PP\n.nf\n%s.fi\n", c->more);
        for (const Option *const *t = c->tables; *t; t++) options_manual(*t, defaults_of(d, *t), out);
    }
    strbuf_printf(
        out,
        ".SH \"EXIT STATUS\"\n0 success, 1 failure (a message on standard error says what and where), 2 wrong usage.\n"
        ".SH ENVIRONMENT\n.TP\n.B LAL_MODEL\nthe model to use when --model is not given: a file, or small, base "
        "or large.\n"
        ".TP\n.B TMPDIR\nwhere lal bench makes a temporary folder; /tmp without it.\n"
        ".TP\n.B LAL_PROGRESS\nseconds between two lines of progress where standard error is no terminal (60).\n"
        ".TP\n.B NO_COLOR\nlal parse --format pretty uses no colours by default if this is set and not empty.\n"
        ".TP\n.B COLUMNS\ncolumns of lal parse --format pretty where the output is no terminal (80).\n"
        ".SH FILES\n.TP\n%s/en-small.lal, en-base.lal, en-large.lal, zh-base.lal\nthe models that come with the "
        "program.\n"
        ".TP\n%s\nthe folder of README.md, docs/FORMATS.md, models/README.md and all other documents that are named "
        "here.\n",
        LAL_DATADIR, LAL_DOCDIR);
}

Status help_command(const Command *command, const char *preset, Error *error)
{
    Defaults d;
    Error why = { 0 };
    StrBuf out = { 0 };
    Status s = defaults_read(&d, preset ? preset : "small", &why);
    if (s == OK) {
        put_command(command, preset ? preset : "small", &d, &out);
        s = program_print(&out, error);
    }
    strbuf_fini(&out);
    arena_fini(&d.strings);
    if (why.code == OK) return s;
    if (preset) return help_command(command, NULL, error); /* a preset that cannot be read is one of the other errors */
    *error = why;
    return why.code;
}

/* The command that the words name; *whole: they name the manual page. */
static Status find_topic(int n, char **words, const Command **c, bool *whole, Error *e)
{
    int used = 0;
    StrBuf group = { 0 };
    *c = command_find(n, words, &used);
    *whole = n == 1 && strcmp(words[0], "manual") == 0;
    bool unknown = !*c || help_words(*c, &group);
    strbuf_fini(&group);
    if (n == used || *whole) return OK;
    return unknown ? error_set(e, ERR_USAGE, "unknown command '%s' (lal help lists the commands)%s", words[used],
                               help_suggestion(words[used]).text)
                   : error_set(e, ERR_USAGE, "found '%s', expected one command", words[used]);
}

static Status run_help(int argc, char **argv, Error *e)
{
    Fields f;
    Defaults d;
    const Command *c;
    bool whole;
    int n;
    Status s = program_options(HELP_OPTIONS, &f, argc, argv, 2, &n, e);
    if (s == OK) s = find_topic(strcmp(argv[0], "-") == 0 ? 0 : n, argv, &c, &whole, e); /* "-": no argument */
    if (s != OK) return s;
    StrBuf out = { 0 };
    s = defaults_read(&d, f.preset, e);
    if (s == OK) {
        if (f.completion == SHELL_BASH) completion_bash(&out);
        else if (f.completion == SHELL_ZSH) completion_zsh(&out);
        else if (whole) manual(&d, &out);
        else if (c) put_command(c, f.preset, &d, &out);
        else help_usage(&out);
        s = program_print(&out, e);
    }
    strbuf_fini(&out);
    arena_fini(&d.strings);
    return s;
}

static const Option *const HELP_TABLES[] = { HELP_OPTIONS, NULL };
const Command CMD_HELP = {
    "help", "[OPTIONS] [COMMAND]", "show the options of a command; lal help manual: the manual page",
    NULL,   HELP_TABLES,           run_help
};
