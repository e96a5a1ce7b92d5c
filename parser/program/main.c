/* parser/program/main.c: finds the subcommand, prints its errors, picks the exit status. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "parser/config.h"
#include "parser/corpus.h"
#include "parser/program/data_path.h"
#include "parser/program/program.h"

static const Option *const PARSE_TABLES[] = { PARSE_OPTIONS, NULL };
static const Option *const TRAIN_TABLES[] = { TRAIN_COMMAND_OPTIONS, TRAIN_OPTIONS, MODEL_OPTIONS, NULL };
static const Option *const EVAL_TABLES[] = { EVAL_OPTIONS, NULL };
static const Option *const INFO_TABLES[] = { INFO_OPTIONS, NULL };
static const Option *const BENCH_TABLES[] = { BENCH_OPTIONS, NULL };
static const Option *const TOKENIZE_TABLES[] = { TOKENIZE_OPTIONS, NULL };

static const Option *const STATS_TABLES[] = { STATS_OPTIONS, NULL };
static const Option *const CONVERT_TABLES[] = { CONVERT_OPTIONS, NULL };
static const Option *const CHECK_TABLES[] = { CHECK_OPTIONS, NULL };
static const Option *const INSPECT_TABLES[] = { INSPECT_OPTIONS, NULL };
static const Option *const HEADS_TABLES[] = { HEADS_OPTIONS, NULL };
static const Option *const DRAW_TABLES[] = { DRAW_OPTIONS, NULL };
static const Option *const NO_TABLES[] = { NULL };

const Command COMMANDS[] = {
    { "parse", "[OPTIONS] [FILE...]", "raw text to constituency and dependency trees", PARSE_TABLES, cmd_parse },
    { "tokenize", "[OPTIONS] [FILE...]", "raw text to sentences and tokens", TOKENIZE_TABLES, cmd_tokenize },
    { "train", "[OPTIONS]", "make a model from treebanks", TRAIN_TABLES, cmd_train },
    { "eval", "[OPTIONS]", "score a model, or a file of trees, against gold", EVAL_TABLES, cmd_eval },
    { "evalb", "[-p PRM] [-d] [-D] [-c N] [-e N] GOLD TEST",
      "score bracket files with EVALB's own output; -p parameter file, -d -D debugging, -c cut-off length of the "
      "second summary (40), -e errors before it ends (10)",
      NO_TABLES, cmd_evalb },
    { "convert", "[OPTIONS] [FILE...]", "treebank files of one kind to another", CONVERT_TABLES, cmd_convert },
    { "check", "[OPTIONS]", "every misfit between trees and dependencies", CHECK_TABLES, cmd_check },
    { "stats", "[OPTIONS]", "what a treebank holds, in numbers", STATS_TABLES, cmd_stats },
    { "inspect", "[OPTIONS] [FILE...]",
      "why: the label heads' parts of every decision, and sums of them over a treebank", INSPECT_TABLES, cmd_inspect },
    { "heads", "[OPTIONS]",
      "what each attention head does over a treebank (lal inspect heads): functions, patterns, importance, relevance",
      HEADS_TABLES, cmd_heads },
    { "draw", "[OPTIONS] [FILE]", "a tree or the arcs of a sentence as SVG", DRAW_TABLES, cmd_draw },
    { "info", "[OPTIONS] [MODEL]", "what a model file holds", INFO_TABLES, cmd_info },
    { "bench", "[OPTIONS]", "measure speed and memory", BENCH_TABLES, cmd_bench },
    { "help", "[COMMAND]", "the options of a command; 'lal help manual' is the manual page", NO_TABLES, cmd_help },
    { NULL, NULL, NULL, NULL, NULL },
};

volatile sig_atomic_t program_interrupted;

/* Ends the program as the signal would have, without leaving temporary files. */
static void end_by_signal(int number)
{
    filewriter_abandon_all();
    signal(number, SIG_DFL);
    raise(number);
}

static void note_signal(int number)
{
    if (program_interrupted) end_by_signal(number); /* asked twice: do not wait for the save */
    program_interrupted = 1;
}

/* Signals that end the program, unless its caller had them ignored (nohup). A file that grows too large is an error. */
static void clean_up_on_signals(void)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXCPU };
    struct sigaction sa = { .sa_handler = end_by_signal }, before;
    sigemptyset(&sa.sa_mask);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(numbers[k], &sa, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

void program_catch_signals(void)
{
    struct sigaction sa = { .sa_handler = note_signal };
    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
}

/* What standard output still holds is written; the first failure since the program began counts. */
static Status close_standard_output(Error *e)
{
    bool before = ferror(stdout) != 0;
    if (fclose(stdout) != 0) return error_set(e, ERR_IO, "cannot write: %s", strerror(errno));
    return before ? error_set(e, ERR_IO, "cannot write: an earlier write to standard output failed") : OK;
}

static int usage(void)
{
    StrBuf text = { 0 };
    help_usage(&text);
    fputs(text.ptr ? text.ptr : "", stderr);
    strbuf_fini(&text);
    return EXIT_USAGE;
}

/* argv[1] is the command's name. */
static Status run_command(const Command *c, int argc, char **argv, Error *e)
{
    char *help[] = { argv[0], argv[1] };
    for (int k = 2; k < argc; k++)
        if (strcmp(argv[k], "--help") == 0) return cmd_help(2, help, e);
    return c->run(argc - 1, argv + 1, e);
}

static Status version(int argc, char **argv, Error *e)
{
    (void)argc, (void)argv, (void)e;
    printf("lal %s (%s)\n", LAL_VERSION, REAL_NAME);
    return OK;
}

int main(int argc, char **argv)
{
    static const Command VERSION = { "version", "", "", NO_TABLES, version };
    if (!file_hold_standard()) return EXIT_FAILED;
    data_path_program(argv[0] ? argv[0] : "");
    setenv("OPENBLAS_NUM_THREADS", "1", 1); /* the program's own threads share the work; read when OpenBLAS is loaded */
    clean_up_on_signals();
    if (argc < 2) return usage();
    const char *name = argv[1];
    bool version_asked = strcmp(name, "version") == 0 || strcmp(name, "--version") == 0;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = argv[1] = (char *)(uintptr_t) "help";
    if (strcmp(name, "train") == 0)
        signal(SIGPIPE, SIG_IGN); /* hours of work do not end with a reader of the progress line */
    const Command *c = version_asked ? &VERSION : command_find(name);
    if (!c) {
        fprintf(stderr, "lal: unknown command '%s'; lal help lists them\n", name);
        return EXIT_USAGE;
    }
    Error e = { 0 };
    Status s = run_command(c, argc, argv, &e), closed = close_standard_output(&e);
    if (s == OK) s = closed;
    if (s == OK) return EXIT_DONE;
    char text[1400];
    fprintf(stderr, "lal %s: %s\n", name, error_text(&e, text, sizeof text));
    if (s == ERR_USAGE) fprintf(stderr, "lal help %s shows its options\n", name);
    return s == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}
