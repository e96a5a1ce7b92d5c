/* Finds the subcommand, prints its error, chooses the exit status. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data_path.h"
#include "base/file.h"
#include "base/filemap.h"
#include "base/json.h"
#include "base/temporary.h"
#include "base/thread.h"
#include "include/lalparser.h"
#include "parser/model/config.h"
#include "parser/model/corpus.h"
#include "program/program.h"
#include "tensor/cuda/gpu.h"
#include "tensor/device.h"

const Command *const COMMANDS[] = {
#define COMMAND(name) &CMD_##name,
#include "program/commands.def"
#undef COMMAND
    NULL
};

volatile sig_atomic_t program_interrupted;

/* What program_write does: it waits, it writes a text, or the program ends and it may not write again. */
enum { WRITING_NOTHING, WRITING, WRITING_ENDED };
static atomic_int writing, waiting_signal; /* the signal that waits for the end of the text */

/* The place of a signal among those that ask the program to end. timeout(1) sends one to the process and one to its
 * group: what comes within a second of the first is that one again. */
enum { FIRST, AGAIN, SECOND };
static int which_signal(void)
{
    static atomic_long first; /* milliseconds; 0: there was none */
    long now = (long)(1000 * clock_seconds()) + 1, before = 0;
    if (atomic_compare_exchange_strong(&first, &before, now)) return FIRST;
    return now - before < 1000 ? AGAIN : SECOND;
}

/* Ends the program by the signal, after removing temporary files. */
static void end_by_signal(int number)
{
    temporary_remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

/* Ends it at once, or after the text that is being written. */
static void end_after_text(int number)
{
    bool asked = number == SIGHUP || number == SIGINT || number == SIGTERM;
    int which = asked ? which_signal() : SECOND, expected = WRITING_NOTHING;
    if (which == AGAIN) return;
    if (which == FIRST) {
        waiting_signal = number;
        if (!atomic_compare_exchange_strong(&writing, &expected, WRITING_ENDED) && expected == WRITING) return;
    }
    end_by_signal(number);
}

/* A mapped file became shorter: whoever reads it goes on and then finds that it was changed (base/filemap.h). */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!filemap_fill(info->si_addr)) end_by_signal(number);
}

static void note_signal(int number)
{
    if (which_signal() == SECOND) end_by_signal(number); /* do not wait for the state to be saved */
    program_interrupted = 1;
}

void program_write(FileWriter *writer, const StrBuf *text)
{
    int before = atomic_exchange(&writing, WRITING);
    while (before == WRITING_ENDED) pause(); /* another thread ends the program */
    filewriter_write(writer, text->ptr, text->len);
    filewriter_flush(writer);
    writing = WRITING_NOTHING;
    if (waiting_signal) {
        int number = waiting_signal;
        end_by_signal(number);
    }
}

/* For signals that end the program, unless they are ignored (nohup). A file that grows too large is a write error. */
static void clean_up_on_signals(void)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXCPU };
    struct sigaction sa = { .sa_handler = end_after_text, .sa_flags = SA_RESTART }, before;
    sigemptyset(&sa.sa_mask);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(numbers[k], &sa, NULL);
    signal(SIGXFSZ, SIG_IGN);
    struct sigaction bus = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };
    sigemptyset(&bus.sa_mask);
    sigaction(SIGBUS, &bus, NULL);
}

void program_catch_signals(void)
{
    struct sigaction sa = { .sa_handler = note_signal };
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    sigaction(SIGUSR1, &sa, NULL); /* of Slurm, before time is over */
}

/* Writes what is still buffered for standard output. Reports earlier failures to write as well. */
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
    program_say("%s", text.ptr ? text.ptr : "");
    strbuf_fini(&text);
    return EXIT_USAGE;
}

/* Is there such an argument before "--"? */
static bool asked(int argc, char **argv, const char *letter, const char *name)
{
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
        if (strcmp(argv[k], letter) == 0 || strcmp(argv[k], name) == 0) return true;
    return false;
}

/* The value of --preset, for help on a command line that is wrong in other ways; NULL without one. */
static const char *preset_of(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        if (strncmp(argv[k], "--preset=", 9) == 0) return argv[k] + 9;
        if (strcmp(argv[k], "--preset") == 0) return argv[k + 1];
    }
    return NULL;
}

/* argv[0] is the last word of the command's name. */
static Status run_command(const Command *c, int argc, char **argv, Error *e)
{
    return asked(argc, argv, "-h", "--help") ? help_command(c, preset_of(argc, argv), e) : c->run(argc, argv, e);
}

static Status version(int argc, char **argv, Error *e)
{
    (void)argc, (void)argv, (void)e;
    printf("lal %s\n"
           "numbers: %s\n"
           "BLAS: %s, loaded by the commands that train\n"
           "CUDA: %s\n",
           LAL_VERSION, REAL_NAME, LAL_BLAS, device_cuda() ? "yes" : "no");
    return OK;
}

ProgramExit program_exit = { EXIT_DONE, EXIT_FAILED };

int main(int argc, char **argv)
{
    static const Option *const no_tables[] = { NULL };
    static const Command VERSION = { "version", "", "", NULL, no_tables, version };
    if (!file_hold_standard()) return EXIT_FAILED;
    data_path_program(argv[0] ? argv[0] : "");
    setenv("OPENBLAS_NUM_THREADS", "1", 1); /* the program's own threads share the work; read when OpenBLAS is loaded */
    json_set_allocator(true);
    clean_up_on_signals();
    if (argc < 2) return usage();
    bool version_asked = strcmp(argv[1], "version") == 0 || asked(argc, argv, "-V", "--version");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) argv[1] = (char *)(uintptr_t) "help";
    int words = 1;
    const Command *c = version_asked ? &VERSION : command_find(argc - 1, argv + 1, &words);
    if (!c) {
        program_say(argv[1][0] == '-' ? "lal: found '%s', expected a command (lal help lists them)%s\n"
                                      : "lal: unknown command '%s' (lal help lists the commands)%s\n",
                    argv[1], help_suggestion(argv[1]).text);
        return EXIT_USAGE;
    }
    Error e = { 0 };
    Status s = run_command(c, argc - words, argv + words, &e), closed = close_standard_output(&e);
    if (s == OK) s = closed;
    if (s == OK) return program_exit.done;
    char text[1400];
    program_say("lal %s: %s\n", c->name, error_text(&e, text, sizeof text));
    if (s == ERR_USAGE && !e.path[0]) program_say("lal help %s shows its options\n", c->name);
    if (s == ERR_INTERRUPTED && program_interrupted) return EXIT_STOPPED;
    return s == ERR_USAGE ? EXIT_USAGE : program_exit.failed;
}
