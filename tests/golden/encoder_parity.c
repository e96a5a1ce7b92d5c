/* tests/golden/encoder_parity.c
 * encoder_parity DIR: pretrained encoders against recorded outputs of their reference implementation. Each folder of
 * DIR holds recorded files, and the files of its model as they are published; files that it lacks are taken from
 * $LAL_ENCODERS/<folder name>, and what cannot be checked without them is reported as skipped. The parts are those of
 * tests/golden/encoders.h. Last line "N passed, N failed, N skipped". */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/golden/encoders.h"

static bool join(const char *dir, const char *name, char *path, size_t size)
{
    if ((size_t)snprintf(path, size, "%s/%s", dir, name) >= size) recorded_stop("%s/%s: too long", dir, name);
    return access(path, R_OK) == 0;
}

bool encoders_recorded(const EncoderFolder *f, const char *name, char *path, size_t size)
{
    return join(f->dir, name, path, size);
}

bool encoders_model(const EncoderFolder *f, const char *name, char *path, size_t size)
{
    return f->model[0] ? join(f->model, name, path, size) : (snprintf(path, size, "%s", name), false);
}

/* The folder itself if it has a configuration, else that of $LAL_ENCODERS. */
static void find_model(EncoderFolder *f)
{
    char path[700];
    const char *elsewhere = getenv("LAL_ENCODERS");
    snprintf(f->model, sizeof f->model, "%s", f->dir);
    if (encoders_model(f, "config.json", path, sizeof path)) return;
    f->model[0] = 0;
    if (elsewhere && elsewhere[0]) join(elsewhere, f->name, f->model, sizeof f->model);
    if (!encoders_model(f, "config.json", path, sizeof path)) f->model[0] = 0;
}

static void check_folder(const char *dir, const char *name)
{
    EncoderFolder f = { .name = name };
    char path[700];
    join(dir, name, f.dir, sizeof f.dir);
    if (!encoders_recorded(&f, "cases.json", path, sizeof path)) return; /* no folder of recorded numbers */
    find_model(&f);
    if (!f.model[0]) {
        recorded_skip("%s: has no model, and LAL_ENCODERS/%s is not there", name, name);
        return;
    }
    encoders_wordpiece(&f);
    encoders_unigram(&f);
    encoders_cases(&f);
}

int main(int argc, char **argv)
{
    struct dirent **list;
    if (argc != 2) {
        fputs("usage: encoder_parity DIR\n", stderr);
        return 2;
    }
    int n = scandir(argv[1], &list, NULL, alphasort);
    if (n < 0) recorded_stop("%s: cannot be opened", argv[1]);
    for (int k = 0; k < n; k++) {
        if (list[k]->d_name[0] != '.') check_folder(argv[1], list[k]->d_name);
        free(list[k]);
    }
    free(list);
    return recorded_summary_skips();
}
