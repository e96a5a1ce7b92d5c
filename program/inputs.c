/* Folders are read in the order of names, patterns are expanded, and outputs are refused where two
 * would be one file or where one is an input. */
#include "program/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "program/program.h"

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for the names of files"); }

static Status cannot(const char *what, const char *path, Error *e)
{
    return error_at(e, errno == ENOMEM ? ERR_NOMEM : ERR_IO, path, 0, 0, "cannot %s: %s", what, strerror(errno));
}

static Status add(Inputs *in, const char *path, size_t name_at, Error *e)
{
    const char *copy = arena_strndup(&in->arena, path, strlen(path));
    if (!copy || !mem_reserve(in->path, &in->path_cap, in->n + 1) || !mem_reserve(in->name, &in->name_cap, in->n + 1))
        return no_memory(e);
    in->path[in->n] = copy;
    in->name[in->n++] = copy + name_at;
    return OK;
}

static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* name_at: where names below the folder that was given begin in paths. */
static Status add_folder(Inputs *in, const char *folder, size_t name_at, const struct stat *leave_out, Error *e)
{
    struct dirent **entries;
    Status s = OK;
    int n = scandir(folder, &entries, is_shown, by_name);
    if (n < 0) return cannot("read", folder, e);
    for (int k = 0; k < n; k++) {
        char path[PATH_MAX];
        struct stat file, link;
        const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
        if (s == OK && snprintf(path, sizeof path, "%s%s%s", folder, slash, entries[k]->d_name) >= (int)sizeof path)
            s = error_at(e, ERR_IO, folder, 0, 0, "cannot read: %s", strerror(ENAMETOOLONG));
        size_t at = name_at ? name_at : strlen(folder) + strlen(slash);
        if (s == OK && lstat(path, &link) == 0 && stat(path, &file) == 0) {
            if (S_ISREG(file.st_mode)) s = add(in, path, at, e);
            else if (S_ISDIR(link.st_mode) && !(leave_out && same_file(&link, leave_out)))
                s = add_folder(in, path, at, leave_out, e);
        }
        free(entries[k]);
    }
    free(entries);
    return s;
}

static Status add_given(Inputs *in, const char *path, const struct stat *leave_out, Error *e)
{
    struct stat file;
    int before = in->n;
    if (strcmp(path, "-") == 0 || stat(path, &file) < 0 || !S_ISDIR(file.st_mode))
        return add(in, path, (size_t)(file_name(path) - path), e);
    Status s = add_folder(in, path, 0, leave_out, e);
    if (s == OK && in->n == before)
        s = error_at(e, ERR_IO, path, 0, 0, "found a folder without files, expected at least one");
    return s;
}

static Status add_pattern(Inputs *in, const char *pattern, const struct stat *leave_out, Error *e)
{
    glob_t found;
    int result = glob(pattern, GLOB_NOCHECK, NULL, &found); /* what matches nothing is an error when it is opened */
    if (result) return result == GLOB_NOSPACE ? no_memory(e) : cannot("read", pattern, e);
    Status s = OK;
    for (size_t k = 0; k < found.gl_pathc && s == OK; k++) s = add_given(in, found.gl_pathv[k], leave_out, e);
    globfree(&found);
    return s;
}

Status inputs_find(Inputs *in, const char *const *given, int n, const char *leave_out, Error *error)
{
    *in = (Inputs){ 0 };
    arena_init(&in->arena, 1 << 12);
    struct stat out, file;
    const struct stat *without = leave_out && stat(leave_out, &out) == 0 ? &out : NULL;
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        char place[DATA_PATH_MAX];
        const char *path = program_file(given[k], place, sizeof place);
        bool pattern = strpbrk(path, "*?[") && lstat(path, &file) < 0;
        s = pattern ? add_pattern(in, path, without, error) : add_given(in, path, without, error);
    }
    return s;
}

void inputs_fini(Inputs *in)
{
    mem_free(in->path);
    mem_free(in->name);
    arena_fini(&in->arena);
}

/* ---- outputs */

/* The length of the name without its extension. */
static size_t stem_of(const char *name)
{
    size_t n = strlen(name), base = (size_t)(file_name(name) - name);
    if (n > base + 3 && strcmp(name + n - 3, ".gz") == 0) n -= 3;
    for (size_t k = n - 1; k > base; k--)
        if (name[k] == '.') return k;
    return n;
}

/* The device and inode of a file as "DEVICE:INODE"; false: there is no such file. */
static bool file_id(const char *path, char id[64])
{
    struct stat file;
    if (stat(path, &file) < 0) return false;
    snprintf(id, 64, "%ju:%ju", (uintmax_t)file.st_dev, (uintmax_t)file.st_ino);
    return true;
}

/* outputs: the paths that inputs before k are written to; files: the ids of all inputs. */
static Status check_output(const Inputs *in, int k, StrMap *outputs, const StrMap *files, Error *e)
{
    char id[64];
    int before = map_find(outputs, in->out[k], strlen(in->out[k]));
    if (before >= 0)
        return error_set(e, ERR_USAGE,
                         "--out-dir: found %s and %s, which would both be written to %s, expected names "
                         "that differ",
                         in->path[before], in->path[k], in->out[k]);
    if (map_add(outputs, in->out[k], strlen(in->out[k])) < 0) return no_memory(e);
    if (file_id(in->out[k], id) && map_find(files, id, strlen(id)) >= 0)
        return error_set(e, ERR_USAGE, "--out-dir: found %s, which is an input, in place of the output of %s",
                         in->out[k], in->path[k]);
    return OK;
}

Status inputs_outputs(Inputs *in, const char *folder, const char *extension, Error *error)
{
    StrMap outputs, files;
    char id[64];
    Status s = OK;
    map_init(&outputs);
    map_init(&files);
    in->out = arena_calloc(&in->arena, (size_t)in->n, sizeof *in->out);
    for (int k = 0; k < in->n && s == OK; k++)
        if (file_id(in->path[k], id) && map_add(&files, id, strlen(id)) < 0) s = no_memory(error);
    for (int k = 0; k < in->n && s == OK; k++) {
        StrBuf path = { 0 };
        if (strcmp(in->path[k], "-") == 0)
            s = error_set(error, ERR_USAGE, "--out-dir: found standard input, expected files");
        strbuf_printf(&path, "%s/%.*s.%s", folder, (int)stem_of(in->name[k]), in->name[k], extension);
        char *copy = !in->out || path.failed ? NULL : arena_strndup(&in->arena, path.ptr, path.len);
        if (s == OK && !copy) s = no_memory(error);
        if (s == OK) {
            in->out[k] = copy;
            s = check_output(in, k, &outputs, &files, error);
        }
        strbuf_fini(&path);
    }
    map_fini(&outputs);
    map_fini(&files);
    return s;
}

Status inputs_make_folders(const char *path, Error *error)
{
    char folder[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat file;
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &file) == 0 && S_ISDIR(file.st_mode)))
            continue;
        if (errno == EEXIST) errno = ENOTDIR;
        return cannot("make the folder", folder, error);
    }
    return OK;
}
