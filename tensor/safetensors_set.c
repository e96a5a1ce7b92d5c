/* Shards are opened as the index names them, and both must agree on every tensor. */
#include "tensor/safetensors_set.h"

#include <string.h>
#include <unistd.h>

#include "base/json_file.h"
#include "tensor/torch_file.h"

enum { PATH_BYTES = 4096 };

/* false: too long, with a message. */
static bool join(char path[PATH_BYTES], const char *dir, const char *name, Error *e)
{
    if ((size_t)snprintf(path, PATH_BYTES, "%s/%s", dir, name) < PATH_BYTES) return true;
    error_at(e, ERR_LIMIT, dir, 0, 0, "found a path of more than %d bytes", PATH_BYTES - 1);
    return false;
}

/* Adds the names of file `f`; a tensor of an earlier file is an error. */
static Status add_names(SafeTensorsSet *set, int f, Error *e)
{
    const SafeTensors *st = &set->file[f];
    int *at = mem_realloc(set->at, (size_t)set->names.n + (size_t)st->names.n + 1, sizeof *at);
    if (!at) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
    set->at = at;
    for (int k = 0; k < st->names.n; k++) {
        int before = set->names.n, i = map_add(&set->names, st->names.keys[k], strlen(st->names.keys[k]));
        if (i < 0) return error_set(e, ERR_NOMEM, "out of memory reading %s", st->path);
        if (i < before)
            return error_at(e, ERR_FORMAT, st->path, 0, 0, "found tensor %s, which %s has too", st->names.keys[k],
                            file_name(set->file[set->at[i]].path));
        set->at[i] = f;
    }
    return OK;
}

/* What opens a file of a format. */
typedef Status (*OpenFile)(SafeTensors *file, const char *path, Error *e);

static Status open_file(SafeTensorsSet *set, const char *path, OpenFile open, Error *e)
{
    SafeTensors *file = mem_realloc(set->file, (size_t)set->n + 1, sizeof *file);
    if (!file) return error_set(e, ERR_NOMEM, "out of memory reading %s", path);
    set->file = file;
    Status s = open(&set->file[set->n], path, e);
    if (s == OK) s = add_names(set, set->n++, e);
    return s;
}

/* ---- the index */

/* Whether s is the name of a file in the folder itself. */
static bool is_plain(const char *s) { return s[0] && s[0] != '.' && !strchr(s, '/') && !strchr(s, '\\'); }

/* Opens each shard that the map names, once; *names become tensor -> nothing, *files shard -> index of its file. */
static Status open_shards(SafeTensorsSet *set, const JsonFile *j, const cJSON *map, const char *dir, OpenFile open,
                          StrMap *names, StrMap *files, Error *e)
{
    const cJSON *x;
    char path[PATH_BYTES];
    cJSON_ArrayForEach(x, map)
    {
        if (!cJSON_IsString(x) || !is_plain(x->valuestring))
            return json_file_fault(j, x, e, "found another value, expected the name of a file in this folder");
        int tensors = names->n, shards = files->n;
        int name = map_add(names, x->string, strlen(x->string)),
            shard = map_add(files, x->valuestring, strlen(x->valuestring));
        if (name < 0 || shard < 0) return error_set(e, ERR_NOMEM, "out of memory reading %s", j->path);
        if (name < tensors) return json_file_key_fault(j, x, e, "found tensor %s twice", x->string);
        if (shard < shards) continue;
        if (shard == SAFETENSORS_MOST_SHARDS)
            return json_file_fault(j, x, e, "found more than %d files", SAFETENSORS_MOST_SHARDS);
        if (!join(path, dir, x->valuestring, e)) return ERR_LIMIT;
        Status s = open_file(set, path, open, e);
        if (s != OK) return s;
    }
    return OK;
}

/* Each tensor of the map is in the shard that the map says. */
static Status check_map(const SafeTensorsSet *set, const JsonFile *j, const cJSON *map, const StrMap *files, Error *e)
{
    const cJSON *x;
    cJSON_ArrayForEach(x, map)
    {
        int k = map_find(&set->names, x->string, strlen(x->string));
        if (k < 0 || set->at[k] != map_find(files, x->valuestring, strlen(x->valuestring)))
            return json_file_key_fault(j, x, e, "found no tensor %s in %s, expected one", x->string, x->valuestring);
    }
    return OK;
}

static Status open_index(SafeTensorsSet *set, const char *dir, const char *path, OpenFile open, Error *e)
{
    JsonFile j;
    StrMap names, files;
    Status s = json_file_read(&j, path, e);
    if (s != OK) return s;
    map_init(&names);
    map_init(&files);
    const cJSON *map = json_file_member(j.root, "weight_map");
    if (!cJSON_IsObject(map) || !map->child)
        s = json_file_fault(&j, map ? map : j.root, e, "found no 'weight_map' of tensors and files");
    if (s == OK) s = open_shards(set, &j, map, dir, open, &names, &files, e);
    if (s == OK) s = check_map(set, &j, map, &files, e);
    map_fini(&names);
    map_fini(&files);
    json_file_fini(&j);
    return s;
}

/* ---- a folder */

Status safetensors_set_open(SafeTensorsSet *set, const char *dir, Error *error)
{
    static const struct {
        const char *name;
        bool index;
        OpenFile open;
    } files[] = { { "model.safetensors", false, safetensors_open },
                  { "model.safetensors.index.json", true, safetensors_open },
                  { "pytorch_model.bin", false, torch_file_open },
                  { "pytorch_model.bin.index.json", true, torch_file_open } };
    char path[PATH_BYTES];
    *set = (SafeTensorsSet){ 0 };
    map_init(&set->names);
    Status s = OK;
    bool found = false;
    for (size_t k = 0; k < sizeof files / sizeof *files && s == OK && !found; k++) {
        if (!join(path, dir, files[k].name, error)) s = ERR_LIMIT;
        else if (access(path, F_OK) == 0) {
            found = true;
            snprintf(set->path, sizeof set->path, "%.*s", (int)sizeof set->path - 1, path);
            s = files[k].index ? open_index(set, dir, path, files[k].open, error)
                               : open_file(set, path, files[k].open, error);
        }
    }
    if (s == OK && !found)
        s = error_at(error, ERR_IO, dir, 0, 0,
                     "found neither model.safetensors nor pytorch_model.bin, nor an index of one "
                     "(model.safetensors.index.json), expected the weights of a model");
    if (s != OK) safetensors_set_close(set);
    return s;
}

void safetensors_set_close(SafeTensorsSet *set)
{
    for (int k = 0; k < set->n; k++) safetensors_close(&set->file[k]);
    mem_free_each(set->file, set->at);
    map_fini(&set->names);
    *set = (SafeTensorsSet){ 0 };
}

const StTensor *safetensors_set_find(const SafeTensorsSet *set, const char *name, const SafeTensors **file)
{
    int k = map_find(&set->names, name, strlen(name));
    if (k < 0) return NULL;
    if (file) *file = &set->file[set->at[k]];
    return safetensors_find(&set->file[set->at[k]], name);
}
