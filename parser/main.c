/* parser/main.c: finds the subcommand, prints its errors, picks the exit status. */
#define _XOPEN_SOURCE 700
#include <cblas.h>
#include <errno.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parser/config.h"
#include "parser/corpus.h"
#include "parser/data_path.h"
#include "parser/program.h"

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
      "score bracket files with EVALB's own output; -p parameter file, -d -D debugging, -c cut-off length of the second "
      "summary (40), -e errors before it ends (10)",
      NO_TABLES, cmd_evalb },
    { "convert", "[OPTIONS] [FILE...]", "treebank files of one kind to another", CONVERT_TABLES, cmd_convert },
    { "check", "[OPTIONS]", "every misfit between trees and dependencies", CHECK_TABLES, cmd_check },
    { "stats", "[OPTIONS]", "what a treebank holds, in numbers", STATS_TABLES, cmd_stats },
    { "inspect", "[OPTIONS] [FILE...]", "why: the label heads' parts of every decision, and sums of them over a treebank", INSPECT_TABLES,
      cmd_inspect },
    { "heads", "[OPTIONS]", "what each attention head does over a treebank (lal inspect heads): functions, patterns, importance, relevance",
      HEADS_TABLES, cmd_heads },
    { "draw", "[OPTIONS] [FILE]", "a tree or the arcs of a sentence as SVG", DRAW_TABLES, cmd_draw },
    { "info", "[OPTIONS] [MODEL]", "what a model file holds", INFO_TABLES, cmd_info },
    { "bench", "[OPTIONS]", "measure speed and memory", BENCH_TABLES, cmd_bench },
    { "help", "[COMMAND]", "the options of a command; 'lal help manual' is the manual page", NO_TABLES, cmd_help },
    { NULL, NULL, NULL, NULL, NULL },
};

volatile sig_atomic_t program_interrupted;

static void on_signal(int number)
{
    (void)number;
    if (program_interrupted) _exit(EXIT_FAILED); /* asked twice: do not wait for the save */
    program_interrupted = 1;
}

void program_catch_signals(void)
{
    struct sigaction sa = { .sa_handler = on_signal };
    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
}

Status program_options(const Option *table, void *fields, int argc, char **argv, int most, int *n, Error *e)
{
    static char standard_input[] = "-";
    const Option *tables[] = { table };
    void *all[] = { fields };
    *n = 0;
    options_defaults(table, fields);
    Status s = options_parse(tables, all, 1, argc, argv, argv, n, e); /* never overtakes what it reads */
    if (s != OK) return s;
    if (*n > most)
        return most ? error_set(e, ERR_USAGE, "found '%s', expected at most %d file%s", argv[most], most, most > 1 ? "s" : "")
                    : error_set(e, ERR_USAGE, "found '%s', expected only options", argv[0]);
    if (*n == 0 && most > 1) argv[(*n)++] = standard_input;
    return OK;
}

Status program_print(const StrBuf *text, Error *e)
{
    if (text->failed) return error_set(e, ERR_NOMEM, "out of memory");
    bool written = !text->len || fwrite(text->ptr, 1, text->len, stdout) == text->len;
    return written && fflush(stdout) == 0 ? OK : error_set(e, ERR_IO, "cannot write: %s", strerror(errno));
}

int program_threads(int asked)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (asked > 0) return asked;
    return n < 1 ? 1 : n > 256 ? 256 : (int)n;
}

const char *program_model_path(const char *given, char *buf, size_t size)
{
    const char *set = getenv("LAL_MODEL");
    if (!given && !set) return data_path("en-small.lal", buf, size);
    snprintf(buf, size, "%s", given ? given : set);
    return buf;
}

enum { NOTES_PRINTED = 10 };

static void print_note(Notes *n, const char *path, long line, const char *what)
{
    ProgramNotes *p = (ProgramNotes *)n; /* its first member */
    if (p->n++ < NOTES_PRINTED) fprintf(stderr, "%s:%ld: note: %s\n", path, line, what);
}

ProgramNotes program_notes(void) { return (ProgramNotes){ .notes = { print_note } }; }

void program_notes_end(const ProgramNotes *p)
{
    if (p->n > NOTES_PRINTED) fprintf(stderr, "%ld more notes of this kind\n", p->n - NOTES_PRINTED);
}

Status program_corpus(Corpus *c, const char *trees, const char *deps, const char *name, Error *e)
{
    ProgramNotes notes = program_notes();
    Status s = corpus_load(c, trees, deps, name, &notes.notes, e);
    program_notes_end(&notes);
    return s;
}

int main(int argc, char **argv)
{
    data_path_program(argv[0] ? argv[0] : "");
    openblas_set_num_threads(1); /* the program's own threads share the work */
    if (argc < 2) {
        StrBuf text = { 0 };
        help_usage(&text);
        fputs(text.ptr ? text.ptr : "", stderr);
        strbuf_fini(&text);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = argv[1] = (char *)(uintptr_t) "help";
    if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0) {
        printf("lal %s (%s)\n", LAL_VERSION, REAL_NAME);
        return EXIT_DONE;
    }
    if (strcmp(name, "train") == 0) signal(SIGPIPE, SIG_IGN); /* hours of work do not end with a reader of the progress line */
    const Command *c = command_find(name);
    if (!c) {
        fprintf(stderr, "lal: unknown command '%s'; lal help lists them\n", name);
        return EXIT_USAGE;
    }
    bool asked = false;
    for (int k = 2; k < argc; k++)
        if (strcmp(argv[k], "--help") == 0) asked = true;
    Error e = { 0 };
    char *help_argv[] = { argv[0], argv[1] };
    Status s = asked ? cmd_help(2, help_argv, &e) : c->run(argc - 1, argv + 1, &e);
    if (s == OK) return EXIT_DONE;
    char text[1400];
    fprintf(stderr, "lal %s: %s\n", name, error_text(&e, text, sizeof text));
    if (s == ERR_USAGE) fprintf(stderr, "lal help %s shows its options\n", name);
    return s == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}
