/* Errors, products and models of include/lalparser.h */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/data_path.h"
#include "base/json.h"
#include "api/api.h"
#include "parser/model/model_file.h"

_Static_assert((int)LAL_ERROR_MEMORY == (int)ERR_NOMEM && (int)LAL_ERROR_IO == (int)ERR_IO &&
                   (int)LAL_ERROR_FORMAT == (int)ERR_FORMAT && (int)LAL_ERROR_ARGUMENT == (int)ERR_RANGE &&
                   (int)LAL_ERROR_MODEL == (int)ERR_CONFIG && (int)LAL_ERROR_LIMIT == (int)ERR_LIMIT &&
                   (int)LAL_ERROR_NUMERIC == (int)ERR_NUMERIC,
               "codes of errors are those of Status");

const char *lal_version(void) { return LAL_VERSION; }

/* ---- errors */

LalStatus api_error(LalError *to, Error *error)
{
    if (!to) return (LalStatus)error->code;
    *to = (LalError){ .code = (LalStatus)error->code, .line = error->line, .column = error->column };
    if (error->message[0]) error_text(error, to->message, sizeof to->message);
    return to->code;
}

LalStatus api_status(LalError *to, LalStatus code, const char *message)
{
    if (!to) return code;
    *to = (LalError){ .code = code };
    memcpy(to->message, message, strlen(message) + 1);
    return code;
}

LalStatus api_end_error(LalError *to, Error *error)
{
    return error->code == ERR_INTERRUPTED ? api_status(to, LAL_STOPPED, "stopped by a function that was called back")
                                          : api_error(to, error);
}

/* The place is the first one's. */
static void take_invalid(Notes *notes, const Error *note)
{
    ApiInvalid *x = (ApiInvalid *)notes; /* its first member */
    if (note->line && note->column && !x->all.line) {
        x->all.line = note->line;
        x->all.column = note->column;
    } else if (!note->line) {
        memcpy(x->all.path, note->path, sizeof note->path);
        memcpy(x->all.message, note->message, sizeof note->message);
    }
}

ApiInvalid api_invalid(void) { return (ApiInvalid){ .notes = { take_invalid } }; }

void api_invalid_end(const ApiInvalid *invalid, Error *error)
{
    if (error->code == OK && invalid->all.message[0]) *error = invalid->all;
}

/* ---- products */

static struct {
    pthread_mutex_t lock;
    bool chosen;
} products = { .lock = PTHREAD_MUTEX_INITIALIZER };

static Status choose_products(LalProducts p, Error *e)
{
    static const Products of[] = { PRODUCTS_REAL, PRODUCTS_REAL, PRODUCTS_BF16, PRODUCTS_INT16, PRODUCTS_INT8 };
    if ((int)p < LAL_PRODUCTS_AUTO || p > LAL_PRODUCTS_INT8)
        return error_set(e, ERR_RANGE, "lal_set_products: found %d, expected a LalProducts", (int)p);
    return device_default()->set_products(p == LAL_PRODUCTS_AUTO ? device_parse_products() : of[p], e);
}

LalStatus lal_set_products(LalProducts p, LalError *error)
{
    Error e = { 0 };
    pthread_mutex_lock(&products.lock);
    if (choose_products(p, &e) == OK) products.chosen = true;
    pthread_mutex_unlock(&products.lock);
    return api_error(error, &e);
}

/* What AUTO stands for, before the first model is there. */
static void choose_first_products(void)
{
    pthread_mutex_lock(&products.lock);
    if (!products.chosen) choose_products(LAL_PRODUCTS_AUTO, NULL);
    products.chosen = true;
    pthread_mutex_unlock(&products.lock);
}

/* ---- models */

LalModel *api_model_hold(LalModel *model)
{
    atomic_fetch_add(&model->references, 1);
    return model;
}

LalModel *api_model_load(const char *path, size_t map_above, LalError *error)
{
    Error e = { 0 };
    LalModel *m = NULL;
    json_set_allocator(false);
    if (!path) error_set(&e, ERR_RANGE, "lal_model_load: found NULL, expected the path of a model");
    else if (!(m = mem_calloc(1, sizeof *m))) error_set(&e, ERR_NOMEM, "out of memory loading a model");
    if (m) {
        atomic_init(&m->references, 1);
        model_init(&m->m);
        m->m.map_above = map_above;
        if (model_load(&m->m, path, NULL, &e) != OK || model_check_text(&m->m, &e) != OK) {
            lal_model_free(m);
            m = NULL;
        }
    }
    api_error(error, &e);
    return m;
}

/* Files of at most this size are copied: a host may have no handler of SIGBUS, and copying 32 MiB takes 8 ms. */
enum { MAP_ABOVE = 32 << 20 };

LalModel *lal_model_load(const char *path, LalError *error)
{
    choose_first_products();
    return api_model_load(path, MAP_ABOVE, error);
}

LalModel *lal_model_load_copy(const char *path, LalError *error)
{
    choose_first_products();
    return api_model_load(path, FILEMAP_NEVER, error);
}

LalModel *lal_model_default(LalError *error)
{
    char place[DATA_PATH_MAX];
    const char *set = getenv("LAL_MODEL");
    return lal_model_load(set ? set : data_path(lal_models(0)->file, place, sizeof place), error);
}

void lal_model_free(LalModel *m)
{
    if (!m || atomic_fetch_sub(&m->references, 1) > 1) return;
    model_fini(&m->m);
    mem_free(m);
}

/* Number 0 is for text of no treebank. */
const char *lal_model_treebank(const LalModel *m, int k)
{
    return m && k >= 0 && k < vocab_size(&m->m.treebanks) - 1 ? vocab_text(&m->m.treebanks, k + 1) : NULL;
}

const char *lal_model_language(const LalModel *m) { return m ? model_language_code(&m->m) : NULL; }

const char *lal_model_digest(const LalModel *m) { return m ? m->m.checksum : ""; }
