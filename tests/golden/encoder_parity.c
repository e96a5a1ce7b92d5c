/* Encoder_parity DIR: pretrained encoders against recorded outputs of their reference implementation. Each folder of
 * DIR holds recorded files, and the files of its model as they are published. Without a configuration in it, its
 * configuration and tokenizer are taken from $LAL_ENCODERS/<folder name>, and so are the weights if it has none; what
 * cannot be checked without them is reported as skipped. The parts are those of
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

/* The folder itself if it has the file `name` or `other`, else that of $LAL_ENCODERS if this one has; else "". */
static void find_folder(const EncoderFolder *f, const char *name, const char *other, char *found, size_t size)
{
    const char *elsewhere = getenv("LAL_ENCODERS");
    char path[700];
    snprintf(found, size, "%s", f->dir);
    if (join(found, name, path, sizeof path) || join(found, other, path, sizeof path)) return;
    found[0] = 0;
    if (!elsewhere || !elsewhere[0]) return;
    join(elsewhere, f->name, found, size);
    if (!join(found, name, path, sizeof path) && !join(found, other, path, sizeof path)) found[0] = 0;
}

/* Whether the folder has anything to check. */
static bool has_records(const EncoderFolder *f)
{
    static const char *const names[] = { "cases.json", "tokens.jsonl", "sentencepiece.jsonl", "xlnet-tokens.jsonl",
                                         "xlmr-tokens.jsonl" };
    char path[700];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (encoders_recorded(f, names[k], path, sizeof path)) return true;
    return false;
}

static void check_folder(const char *dir, const char *name)
{
    EncoderFolder f = { .name = name };
    join(dir, name, f.dir, sizeof f.dir);
    if (!has_records(&f)) return;
    find_folder(&f, "config.json", "config.json", f.model, sizeof f.model);
    find_folder(&f, "model.safetensors", "model.safetensors.index.json", f.weights, sizeof f.weights);
    if (!f.model[0]) {
        recorded_skip("%s: has no config.json, nor has LAL_ENCODERS/%s", name, name);
        return;
    }
    encoders_wordpiece(&f);
    encoders_unigram(&f);
    encoders_cases(&f);
    encoders_states(&f);
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
