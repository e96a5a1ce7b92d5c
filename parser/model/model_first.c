/* The model of the first pass, beside a model that needs it */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/data_path.h"
#include "lal/decoder.h"
#include "parser/model/model_file.h"

/* A name from a file may name a pipe, which would be waited for. */
static bool is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* The file `name` in the folder of `path` (the result is in buf), else `name` itself; NULL: neither exists. */
static const char *find(const char *path, const char *name, char *buf, size_t size)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0, n = snprintf(buf, size, "%.*s%s", folder, path, name);
    if (name[0] != '/' && n >= 0 && (size_t)n < size && is_file(buf)) return buf;
    return is_file(name) ? name : NULL;
}

/* Loads the model for m, which is or will be in the file `path`. */
static Status load(Model *first, const Model *m, const char *path, Error *e)
{
    char place[DATA_PATH_MAX];
    Error why = { 0 };
    const char *name = m->options.syntax.model, *found = find(path, name, place, sizeof place);
    if (!found)
        return error_at(e, ERR_IO, path, 0, 0,
                        "the model of the first pass (syntax.model): found no file %s, neither in the folder of this "
                        "file nor as named",
                        name);
    first->map_above = m->map_above;
    Status s = model_load_alone(first, found, NULL, e);
    if (s != OK) return s;
    if (encoder_options_source(&first->options) != SYNTAX_NONE)
        return error_at(e, ERR_CONFIG, path, 0, 0,
                        "the model of the first pass (syntax.model): found masks that need parses in %s, expected a "
                        "model without them",
                        found);
    s = model_check_needs(first, &m->net.encoder.plan, found, &why);
    if (s == OK) s = model_check_needs(first, &network_decoder(&m->net)->plan[DECODER_CROSS], found, &why);
    return s == OK ? OK : error_at(e, s, path, 0, 0, "%s", why.message);
}

Status model_load_first(Model *model, const char *path, Error *error)
{
    Model *first = mem_alloc(1, sizeof *first);
    if (!first) return error_set(error, ERR_NOMEM, "out of memory for the model of the first pass");
    model_init(first);
    Status s = load(first, model, path, error);
    if (s == OK) {
        if (model->first) model_fini(model->first);
        mem_free(model->first);
        model->first = first;
        return OK;
    }
    model_fini(first);
    mem_free(first);
    return s;
}

Status model_load(Model *model, const char *path, char **state, Error *error)
{
    Status s = model_load_alone(model, path, state, error);
    if (s != OK || encoder_options_source(&model->options) != SYNTAX_FIRST_PASS) return s;
    if (model_load_first(model, path, &model->first_error) != ERR_NOMEM) return OK;
    *error = model->first_error;
    return ERR_NOMEM;
}
