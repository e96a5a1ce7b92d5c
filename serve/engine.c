/* The models that are served */
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "serve/server.h"

static char *copy_text(const char *before, const char *between, const char *text, size_t n)
{
    StrBuf b = { 0 };
    strbuf_puts(&b, before);
    strbuf_puts(&b, between);
    strbuf_add(&b, text, n);
    if (b.failed) strbuf_fini(&b);
    return b.ptr;
}

/* The terms of the shipped model whose file has this name; NULL: no shipped model has it. */
static const char *terms_of(const char *file)
{
    const LalShippedModel *m;
    for (int k = 0; (m = lal_models(k)); k++)
        if (strcmp(m->file, file) == 0) return m->terms;
    return NULL;
}

/* "zh-base" of a model of Chinese is "chinese-lal-base" for UDPipe. */
static bool set_names(ServedModel *m, const char *path)
{
    const char *name = file_name(path);
    size_t n = strlen(name), code = m->language ? strlen(m->language) : 0;
    if (n > 4 && strcmp(name + n - 4, ".lal") == 0) n -= 4;
    m->name = copy_text("", "", name, n);
    if (code && n > code && strncmp(name, m->language, code) == 0 && name[code] == '-')
        m->udpipe = copy_text(answer_language_name(m->language), "-lal-", name + code + 1, n - code - 1);
    else m->udpipe = copy_text("", "", name, n);
    m->terms = terms_of(name);
    return m->name && m->udpipe;
}

void engine_release(Engine *engine)
{
    if (!engine || atomic_fetch_sub(&engine->references, 1) > 1) return;
    for (int k = 0; k < engine->n; k++) {
        lal_model_free(engine->model[k].model);
        mem_free_each(engine->model[k].name, engine->model[k].udpipe);
    }
    mem_free(engine);
}

static Status load(ServedModel *m, const char *file, Error *e)
{
    LalError error;
    m->model = lal_model_load(file, &error);
    if (!m->model) return error_set(e, (Status)error.code, "%s", error.message);
    m->language = lal_model_language(m->model);
    m->digest = lal_model_digest(m->model);
    return set_names(m, file) ? OK : error_set(e, ERR_NOMEM, "out of memory for a model");
}

Engine *engine_load(const char *const *files, int n, Error *error)
{
    Engine *g = mem_calloc(1, sizeof *g);
    Status status = g ? OK : error_set(error, ERR_NOMEM, "out of memory for a model");
    if (g) atomic_init(&g->references, 1);
    for (; status == OK && g->n < n; g->n++) status = load(&g->model[g->n], files[g->n], error);
    if (status != OK) {
        engine_release(g);
        return NULL;
    }
    g->loaded = time(NULL);
    return g;
}
