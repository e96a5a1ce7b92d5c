/* eval/evalb_command.c */
#include "eval/evalb_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/evalb.h"

static int usage(FILE *f, const char *name)
{
    fprintf(f,
            "usage: %s [-p PRM] [-d] [-D] [-e N] GOLD TEST\n"
            "  -p PRM  parameter file\n"
            "  -d      debugging output: words and brackets of each sentence\n"
            "  -D      more of it: every comparison\n"
            "  -e N    stop behind N errors (default 10)\n",
            name);
    return f == stdout ? 0 : 2;
}

int evalb_command(const char *name, int argc, char **argv)
{
    EvalbParams p;
    Error e = { 0 };
    const char *files[2] = { NULL, NULL }, *prm = NULL;
    int n = 0;
    bool stopped = false;
    evalb_params_init(&p);
    for (int k = 1; k < argc; k++) {
        const char *a = argv[k];
        if (strcmp(a, "-h") == 0 || strcmp(a, "--help") == 0) return usage(stdout, name);
        if (strcmp(a, "-d") == 0) p.debug = 1;
        else if (strcmp(a, "-D") == 0) p.debug = 2;
        else if (strcmp(a, "-p") == 0 && k + 1 < argc) prm = argv[++k];
        else if (strcmp(a, "-e") == 0 && k + 1 < argc) {
            char *end;
            long errors = strtol(argv[++k], &end, 10);
            if (end == argv[k] || *end || errors < 0 || errors > 1000000000) return usage(stderr, name);
            p.max_error = (int)errors;
        } else if (a[0] != '-' && n < 2) files[n++] = a;
        else return usage(stderr, name);
    }
    if (n != 2) return usage(stderr, name);
    Status s = prm ? evalb_params_read(&p, prm, &e) : OK; /* a parameter file wins over options, as with EVALB */
    if (s == OK) s = evalb_run(&p, files[0], files[1], stdout, stderr, &stopped, &e);
    evalb_params_fini(&p);
    if (s == OK) return stopped ? 1 : 0;
    char text[1400];
    fprintf(stderr, "%s: %s\n", name, error_text(&e, text, sizeof text));
    return 1;
}
