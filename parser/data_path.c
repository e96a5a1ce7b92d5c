/* parser/data_path.c */
#define _XOPEN_SOURCE 700
#include "parser/data_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program_name = "";

void data_path_program(const char *name) { program_name = name; }

/* The folder of the program with its slash, or "". Without /proc (a bare chroot) the name it was called by tells. */
static void program_folder(char *buf, size_t size)
{
    char *real = realpath("/proc/self/exe", NULL);
    if (!real && strchr(program_name, '/')) real = realpath(program_name, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;
    snprintf(buf, size, "%.*s", slash ? (int)(slash + 1 - real) : 0, real ? real : "");
    free(real);
}

const char *data_path(const char *file, char *buf, size_t size)
{
    static const char *const places[] = { "../../models/", "../models/", "../share/lal/" };
    char folder[400];
    snprintf(buf, size, "%s/%s", LAL_DATADIR, file);
    program_folder(folder, sizeof folder);
    for (size_t k = 0; folder[0] && k < sizeof places / sizeof *places; k++) {
        char path[700];
        int n = snprintf(path, sizeof path, "%s%s%s", folder, places[k], file);
        if (n < 0 || (size_t)n >= size || (size_t)n >= sizeof path || access(path, R_OK) != 0) continue;
        snprintf(buf, size, "%s", path);
        break;
    }
    return buf;
}
