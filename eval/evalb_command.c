/* Arguments are read as EVALB's own main does, with its usage text and exit status, also where
 * they are odd. */
#include "eval/evalb_command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/data_path.h"
#include "eval/evalb.h"

static const char USAGE[] = " evalb [-dDh][-c n][-e n][-p param_file] gold-file test-file  \n"
                            "                                                         \n"
                            "    Evaluate bracketing in test-file against gold-file.  \n"
                            "    Return recall, precision, F-Measure, tag accuracy.              \n"
                            "                                                         \n"
                            "  <option>                                               \n"
                            "    -d             debug mode                            \n"
                            "    -D             debug mode plus bracketing info       \n"
                            "    -c n           cut-off length forstatistics (def.=40)\n"
                            "    -e n           number of error to kill (default=10)  \n"
                            "    -p param_file  parameter file                        \n"
                            "    -h    help                                           \n";

typedef struct Command {
    EvalbParams p;
    const char *files[2]; /* gold, test; NULL: not given */
    int status;           /* exit status */
    Error e;
} Command;

/* The value of option *arg, in the same argument or in the next one, which becomes *arg. */
static const char *option_value(const char *what, char ***arg)
{
    if ((**arg)[2]) return **arg + 2;
    if ((*arg)[1]) return *++*arg;
    fprintf(stderr, "Missing argument: %s\n", what);
    return "";
}

/* Reads the option at *arg, which is then the last argument used. false if the program must end; c->e is set if a
 * parameter file cannot be read. */
static bool read_option(Command *c, char ***arg)
{
    bool stopped = false;
    switch ((**arg)[1]) {
    case 0: return true; /* a single '-' */
    case 'd': c->p.debug = 1; return true;
    case 'D': c->p.debug = 2; return true;
    case 'c': c->p.cutoff_len = (int)strtol(option_value("cut-off length for statistices", arg), NULL, 10); return true;
    case 'e': c->p.max_error = (int)strtol(option_value("number of error to kill", arg), NULL, 10); return true;
    case 'p': {
        char place[DATA_PATH_MAX];
        const char *path = data_path_named("evalb", option_value("parameter file", arg), ".prm", place, sizeof place);
        return evalb_params_read(&c->p, path, stderr, &stopped, &c->e) == OK && !stopped;
    }
    default:
        fputs(USAGE, stderr);
        c->status = (**arg)[1] == 'h';
        return false;
    }
}

/* Files after the second one are ignored. */
static bool read_arguments(Command *c, const char *name, bool exact, char **argv)
{
    int n = 0;
    for (; *argv; argv++) {
        if (**argv == '-') {
            if (!read_option(c, &argv)) return false;
        } else if (n < 2) {
            c->files[n++] = *argv;
        }
    }
    if (n == 2 || exact) return true;
    fprintf(stderr, "%s: found %s, expected a gold file and a test file\n%s", name, n ? "one file" : "no files", USAGE);
    return false;
}

int evalb_command(const char *name, bool exact, int argc, char **argv)
{
    Command c = { .status = 1 };
    bool stopped = false;
    signal(SIGPIPE, SIG_IGN);
    evalb_params_init(&c.p);
    if (read_arguments(&c, name, exact, argv + (argc > 0)) &&
        evalb_run(&c.p, c.files[0], c.files[1], stdout, stderr, &stopped, &c.e) == OK)
        c.status = stopped;
    evalb_params_fini(&c.p);
    if (c.e.code == OK) return c.status;
    char text[1400];
    fprintf(stderr, "%s: %s\n", name, error_text(&c.e, text, sizeof text));
    return 1;
}
