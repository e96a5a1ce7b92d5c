/* Files are looked for beside the program, as it lies in a build folder or below a prefix, then in
 * LAL_DATADIR. */
#include "base/data_path.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

static const char *program_name = "";

void data_path_program(const char *name) { program_name = name; }

/* Without /proc (a bare chroot) it is found by argv[0]. */
const char *data_path_self(char *path)
{
#ifdef __APPLE__
    char raw[DATA_PATH_MAX];
    uint32_t size = sizeof raw;
    const char *real = _NSGetExecutablePath(raw, &size) == 0 ? realpath(raw, path) : NULL;
#else
    const char *real = realpath("/proc/self/exe", path);
#endif
    return real || !strchr(program_name, '/') ? real : realpath(program_name, path);
}

const char *data_path(const char *file, char *buf, size_t size)
{
    static const char *const places[] = { "../../models/", "../models/", "../../", "../share/lalparser/" };
    char path[DATA_PATH_MAX];
    const char *program = data_path_self(path);
    const char *slash = program ? strrchr(program, '/') : NULL;
    bool found = false;
    for (size_t k = 0; slash && !found && k < sizeof places / sizeof *places; k++) {
        int n = snprintf(buf, size, "%.*s%s%s", (int)(slash + 1 - program), program, places[k], file);
        found = n > 0 && (size_t)n < size && access(buf, R_OK) == 0;
    }
    if (found) return buf;
    int n = snprintf(buf, size, "%s/%s", LAL_DATADIR, file);
    return n > 0 && (size_t)n < size ? buf : file;
}

const char *data_path_named(const char *folder, const char *name, const char *end, char *buf, size_t size)
{
    char file[512];
    if (!*name || strchr(name, '/') || access(name, F_OK) == 0) return name;
    for (int k = 0; k < (end ? 2 : 1); k++) {
        int n = snprintf(file, sizeof file, "%s/%s%s", folder, name, k ? end : "");
        if (n < (int)sizeof file && access(data_path(file, buf, size), F_OK) == 0) return buf;
    }
    return name;
}
