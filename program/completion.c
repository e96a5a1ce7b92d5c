/* The kind of value follows from how the table names it; bash gets functions that print words,
 * zsh specifications. */
#include "program/completion.h"

#include <string.h>

#include "parser/model/config.h"
#include "program/program.h"

/* What may stand after an option or as an argument. */
typedef enum ValueKind {
    VALUE_NONE,
    VALUE_TEXT,
    VALUE_CHOICE,
    VALUE_FILE,
    VALUE_PRESET,
    VALUE_MODEL,
    VALUE_FOLDER
} ValueKind;

static ValueKind value_kind(const Option *o)
{
    if (o->type == OPT_BOOL) return VALUE_NONE;
    if (o->type == OPT_ENUM) return VALUE_CHOICE;
    if (!o->value) return VALUE_TEXT;
    if (strcmp(o->name, "preset") == 0) return VALUE_PRESET;
    if (strcmp(o->value, "MODEL") == 0) return VALUE_MODEL;
    if (strstr(o->value, "FILE")) return VALUE_FILE;
    return strcmp(o->value, "FOLDER") == 0 ? VALUE_FOLDER : VALUE_TEXT;
}

/* Files, commands, or nothing. */
static bool takes_files(const Command *c) { return strstr(c->arguments, "FILE") || c == &CMD_EVALB; }

/* evalb has the options of EVALB and no table. */
static bool is_evalb(const Command *c) { return c == &CMD_EVALB; }
static const char EVALB_LETTERS[] = "-p -d -D -c -e";

static bool starts_on(const Option *o) { return o->type == OPT_BOOL && o->initial && strcmp(o->initial, "true") == 0; }

/* The name with dashes. */
static void put_name(StrBuf *out, const char *before, const Option *o)
{
    strbuf_puts(out, before);
    for (const char *p = o->name; *p; p++) strbuf_putc(out, *p == '_' ? '-' : *p);
}

static void put_choices(StrBuf *out, const Option *o)
{
    for (const char *p = o->value; *p; p++) strbuf_putc(out, *p == '|' ? ' ' : *p);
}

static void put_presets(StrBuf *out)
{
    for (const Preset *p = PRESETS; p->name; p++) strbuf_printf(out, "%s%s", p == PRESETS ? "" : " ", p->name);
}

static void put_models(StrBuf *out)
{
    for (int k = 0; lal_models(k); k++) strbuf_printf(out, "%s%s", k ? " " : "", lal_models(k)->name);
}

/* The commands of the program, or the second words of a group's commands; group == &CMD_HELP: of all groups. Returns
 * their number. */
static int put_commands(StrBuf *out, const Command *group)
{
    int n = 0;
    for (const Command *const *c = COMMANDS; *c; c++) {
        const char *word = command_word(*c, group == &CMD_HELP ? NULL : group);
        if (!group) word = word ? NULL : (*c)->name;
        if (word) strbuf_printf(out, "%s%s", n++ ? " " : "", word);
    }
    return n;
}

/* Appends what stands for each command of a group, in a pattern of a shell: 'model info'|'model prune' */
static void put_groups(StrBuf *out)
{
    bool any = false;
    for (const Command *const *c = COMMANDS; *c; c++) {
        if (!command_word(*c, NULL)) continue;
        strbuf_printf(out, "%s'%s'", any ? "|" : "", (*c)->name);
        any = true;
    }
}

/* ---- bash */

static const char BASH_BEGIN[] = "# bash completion for lal, written by lal help --completion bash\n"
                                 "\n"
                                 "# Sets kind and words for the value of option $2 of command $1; kind stays empty if\n"
                                 "# the option is unknown or has no value.\n"
                                 "_lal_value()\n"
                                 "{\n"
                                 "    case $1:$2 in\n";

static const char BASH_OPTIONS[] =
    "    esac\n"
    "}\n"
    "\n"
    "# Sets options to those of command $1, and kind and words for its arguments, the first of which is group.\n"
    "_lal_command()\n"
    "{\n"
    "    case $1 in\n";

/* bash splits --name=value at '=', unless COMP_WORDBREAKS was changed. */
static const char BASH_END[] =
    "    esac\n"
    "}\n"
    "\n"
    "_lal()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
    "    local kind= words= options= group= start= k\n"
    "    COMPREPLY=()\n"
    "    ((COMP_CWORD > 2)) && _lal_group \"$command ${COMP_WORDS[2]}\" && command+=\" ${COMP_WORDS[2]}\"\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        _lal_command ''\n"
    "    else\n"
    "        if [[ $cur == = ]]; then cur=\n"
    "        elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "        elif [[ $cur == --*=* ]]; then before=${cur%%=*} start=$before= cur=${cur#*=}\n"
    "        fi\n"
    "        _lal_value \"$command\" \"$before\"\n"
    "        if [[ ! $kind ]]; then\n"
    "            _lal_command \"$command\"\n"
    "            if [[ $command == help ]]; then ((COMP_CWORD > 2)) && words=$group\n"
    "            elif ((COMP_CWORD == 2)) && [[ $group ]]; then kind+=words words=$group\n"
    "            fi\n"
    "        fi\n"
    "    fi\n"
    "    [[ $options && $cur == -* ]] && kind=words words=$options\n"
    "    case $kind in\n"
    "    *words*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
    "    esac\n"
    "    case $kind in\n"
    "    *files*) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "    *folders*) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
    "    esac\n"
    "    [[ $kind == *f[io]l* ]] && compopt -o filenames 2>/dev/null\n"
    "    for k in \"${!COMPREPLY[@]}\"; do COMPREPLY[k]=$start${COMPREPLY[k]}; done\n"
    "}\n"
    "\n"
    "complete -F _lal lal\n";

static void bash_value(StrBuf *out, const Command *c, const Option *table, const Option *o)
{
    static const char *const kinds[] = {
        [VALUE_TEXT] = "none",          [VALUE_CHOICE] = "words",      [VALUE_FILE] = "files",
        [VALUE_PRESET] = "words+files", [VALUE_MODEL] = "words+files", [VALUE_FOLDER] = "folders"
    };
    ValueKind kind = value_kind(o);
    if (kind == VALUE_NONE) return;
    strbuf_printf(out, "    '%s':", c->name);
    put_name(out, "--", o);
    if (option_letter(table, o)) strbuf_printf(out, " | '%s':-%c", c->name, option_letter(table, o));
    strbuf_printf(out, ") kind=%s", kinds[kind]);
    if (kind == VALUE_CHOICE || kind == VALUE_PRESET || kind == VALUE_MODEL) {
        strbuf_puts(out, " words='");
        if (kind == VALUE_CHOICE) put_choices(out, o);
        else if (kind == VALUE_MODEL) put_models(out);
        else put_presets(out);
        strbuf_putc(out, '\'');
    }
    strbuf_puts(out, " ;;\n");
}

static void bash_command(StrBuf *out, const Command *c)
{
    strbuf_printf(out, "    '%s')\n        options='", c->name);
    if (is_evalb(c)) strbuf_puts(out, EVALB_LETTERS);
    for (const Option *const *t = c->tables; *t; t++)
        for (const Option *o = *t; o->name; o++) {
            if (option_letter(*t, o)) strbuf_printf(out, "-%c ", option_letter(*t, o));
            put_name(out, "--", o);
            if (starts_on(o)) put_name(out, " --no-", o);
            strbuf_putc(out, ' ');
        }
    strbuf_printf(out, "%s-h --help'", is_evalb(c) ? " " : "");
    strbuf_puts(out, " group='");
    put_commands(out, c);
    strbuf_putc(out, '\'');
    if (takes_files(c)) strbuf_puts(out, " kind=files");
    if (c == &CMD_HELP) {
        strbuf_puts(out, " kind=words\n        words='");
        put_commands(out, NULL);
        strbuf_puts(out, " manual'");
    }
    strbuf_puts(out, " ;;\n");
}

void completion_bash(StrBuf *out)
{
    strbuf_puts(out, BASH_BEGIN);
    for (const Command *const *c = COMMANDS; *c; c++) {
        if (is_evalb(*c))
            strbuf_printf(out, "    %s:-p) kind=files ;;\n    %s:-[ce]) kind=none ;;\n", (*c)->name, (*c)->name);
        for (const Option *const *t = (*c)->tables; *t; t++)
            for (const Option *o = *t; o->name; o++) bash_value(out, *c, *t, o);
    }
    strbuf_puts(out, BASH_OPTIONS);
    strbuf_puts(out, "    '')\n        options='-h --help -V --version' kind=words\n        words='");
    put_commands(out, NULL);
    strbuf_puts(out, "' ;;\n");
    for (const Command *const *c = COMMANDS; *c; c++) bash_command(out, *c);
    strbuf_puts(out, "    esac\n}\n\n# Is $1 a command of a group?\n_lal_group()\n{\n    case $1 in\n    ");
    put_groups(out);
    strbuf_puts(out, ") ;;\n    *) false ;;\n");
    strbuf_puts(out, BASH_END);
}

/* ---- zsh: specifications of _arguments, in single quotes */

/* The first part of a help text, with what has a meaning in a specification escaped. */
static void zsh_about(StrBuf *out, const char *help)
{
    for (const char *p = help; *p && *p != ';' && strncmp(p, " (", 2) != 0; p++) {
        if (strchr("[]:\\", *p)) strbuf_putc(out, '\\');
        if (*p == '\'') strbuf_puts(out, "'\\'"); /* and a quote */
        strbuf_putc(out, *p);
    }
}

static void zsh_words_or_files(StrBuf *out, const char *name, const char *words)
{
    strbuf_printf(out, ":%s:{_alternative \"words\\:%s\\:(%s)\" \"files\\:file\\:_files\"}", name, name, words);
}

static void zsh_value(StrBuf *out, const Option *o)
{
    const char *name = o->value && o->type != OPT_ENUM ? o->value : "value";
    StrBuf words = { 0 };
    ValueKind kind = value_kind(o);
    if (kind == VALUE_CHOICE) put_choices(&words, o);
    if (kind == VALUE_PRESET) put_presets(&words);
    if (kind == VALUE_MODEL) put_models(&words);
    switch (kind) {
    case VALUE_NONE: break;
    case VALUE_TEXT: strbuf_printf(out, ":%s: ", name); break;
    case VALUE_FILE: strbuf_printf(out, ":%s:_files", name); break;
    case VALUE_FOLDER: strbuf_printf(out, ":%s:_files -/", name); break;
    case VALUE_CHOICE: strbuf_printf(out, ":%s:(%s)", name, words.ptr ? words.ptr : ""); break;
    case VALUE_PRESET:
    case VALUE_MODEL: zsh_words_or_files(out, kind == VALUE_MODEL ? name : "NAME", words.ptr ? words.ptr : ""); break;
    }
    if (words.failed) out->failed = true;
    strbuf_fini(&words);
}

/* One line of an _arguments call: '*--train=[bracket file]:FILE:_files' */
static void zsh_option(StrBuf *out, const Option *table, const Option *o, const char *no)
{
    bool many = o->type == OPT_LIST;
    const char *mark = o->type == OPT_BOOL ? "" : "=";
    char letter = option_letter(table, o);
    strbuf_printf(out, "        '%s", many ? "*" : "");
    if (letter) {
        if (!many) strbuf_printf(out, "(-%c ", letter);
        if (!many) put_name(out, "--", o);
        strbuf_printf(out, "%s'{-%c%s,", many ? "" : ")", letter, *mark ? "+" : "");
        put_name(out, "--", o);
        strbuf_printf(out, "%s}'", mark);
    } else {
        put_name(out, no, o);
        strbuf_puts(out, mark);
    }
    strbuf_putc(out, '[');
    zsh_about(out, o->help);
    strbuf_putc(out, ']');
    zsh_value(out, o);
    strbuf_puts(out, "' \\\n");
}

static void zsh_command(StrBuf *out, const Command *c)
{
    strbuf_printf(out, "    '%s')\n        _arguments -s \\\n", c->name);
    if (is_evalb(c))
        strbuf_puts(out, "        '-p+[parameter file]:FILE:_files' '-d[add a table of each sentence]' \\\n"
                         "        '-D[add every comparison]' '-c+[longest sentence of the second summary]:N: ' \\\n"
                         "        '-e+[errors before the run ends]:N: ' \\\n");
    for (const Option *const *t = c->tables; *t; t++)
        for (const Option *o = *t; o->name; o++) {
            zsh_option(out, *t, o, "--");
            if (starts_on(o)) zsh_option(out, *t, o, "--no-");
        }
    strbuf_puts(out, "        '(-h --help)'{-h,--help}'[show the options]'");
    StrBuf group = { 0 };
    bool first = put_commands(&group, c) > 0;
    const char *words = group.ptr ? group.ptr : "";
    if (first || takes_files(c)) strbuf_puts(out, " \\\n        ");
    if (c == &CMD_HELP) {
        strbuf_puts(out, "'1:COMMAND:(");
        put_commands(out, NULL);
        strbuf_printf(out, " manual)' '2:COMMAND:(%s)'", words);
    } else if (first && takes_files(c)) {
        strbuf_puts(out, "'1");
        zsh_words_or_files(out, "FILE", words);
        strbuf_puts(out, "' ");
    } else if (first) strbuf_printf(out, "'1:COMMAND:(%s)'", words);
    if (takes_files(c)) strbuf_puts(out, "'*:FILE:_files'");
    if (group.failed) out->failed = true;
    strbuf_fini(&group);
    strbuf_puts(out, "\n        ;;\n");
}

void completion_zsh(StrBuf *out)
{
    strbuf_puts(out, "#compdef lal\n# zsh completion for lal, written by lal help --completion zsh\n\n"
                     "_lal()\n{\n"
                     "    local curcontext=$curcontext state line\n"
                     "    local -a commands\n"
                     "    commands=(\n");
    for (const Command *const *c = COMMANDS; *c; c++) {
        if (command_word(*c, NULL)) continue;
        strbuf_printf(out, "        '%s:", (*c)->name);
        zsh_about(out, (*c)->about);
        strbuf_puts(out, "'\n");
    }
    strbuf_puts(out, "    )\n"
                     "    _arguments -C '(-h --help)'{-h,--help}'[list the commands]' \\\n"
                     "        '(-V --version)'{-V,--version}'[show the version]' \\\n"
                     "        '1:command:->command' '*::argument:->argument'\n"
                     "    if [[ $state == command ]]; then\n"
                     "        _describe command commands\n"
                     "        return\n"
                     "    fi\n"
                     "    [[ $state == argument ]] || return\n"
                     "    case \"$words[1] $words[2]\" in\n    ");
    put_groups(out);
    strbuf_puts(out,
                ")\n"
                "        ((CURRENT > 2)) && words=(\"$words[1] $words[2]\" \"${(@)words[3,-1]}\") && ((CURRENT--))\n"
                "        ;;\n"
                "    esac\n"
                "    case $words[1] in\n");
    for (const Command *const *c = COMMANDS; *c; c++) zsh_command(out, *c);
    strbuf_puts(out, "    esac\n}\n\n_lal \"$@\"\n");
}
