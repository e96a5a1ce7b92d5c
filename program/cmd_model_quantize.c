/* Lal model quantize */
#include <math.h>
#include <stdio.h>

#include "parser/model/model_file.h"
#include "program/program.h"

typedef struct Fields {
    const char *model, *out;
    int dtype;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option QUANTIZE_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL", "model to read" },
    { "out", OPT_STRING, F(out), NULL, 0, 0, "FILE", "write the model to FILE, which may be the one that is read" },
    { "dtype", OPT_ENUM, F(dtype), "i8", 0, 0, MODEL_STORE_CHOICES, "number format of the weights in the file" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* The files, and how much the weights of the second differ from the first. */
static void report(StrBuf *out, const Fields *f, const Model *m, const Model *again, const ModelStorage stored[2])
{
    double most = 0, squares = 0, total = 0;
    for (int k = 0; k < m->ps.n; k++) {
        const Real *x = param_values(&m->ps, k), *y = param_values(&again->ps, k);
        for (size_t i = 0; i < param_count(&m->ps.p[k]); i++) {
            double difference = (double)y[i] - (double)x[i];
            most = fmax(most, fabs(difference));
            squares += difference * difference;
            total += (double)x[i] * (double)x[i];
        }
    }
    for (int k = 0; k < 2; k++) {
        strbuf_printf(out, "%s: ", k ? f->out : f->model);
        model_storage_text(&stored[k], out);
        strbuf_putc(out, '\n');
    }
    strbuf_printf(out, "weights differ by at most %.3g, root mean square %.3g (%.3g %% of the weights')\n", most,
                  sqrt(squares / (double)params_total(&m->ps)), total > 0 ? 100 * sqrt(squares / total) : 0.0);
}

static Status quantize(const Fields *f, Model *m, Model *again, Error *e)
{
    char *state = NULL;
    ModelStorage stored[2];
    Status s = model_load_any(m, f->model, &state, e);
    if (s == OK && state)
        s = error_at(e, ERR_CONFIG, f->model, 0, 0, "found a checkpoint, which stays exact, expected a model");
    mem_free(state);
    if (s == OK) s = model_storage(&stored[0], m, f->model, e);
    if (s == OK) s = model_save(m, f->out, model_store_choice(f->dtype), NULL, 0, NULL, e);
    if (s == OK) s = model_load_any(again, f->out, NULL, e);
    if (s == OK) s = model_storage(&stored[1], again, f->out, e);
    if (s != OK) return s;
    StrBuf out = { 0 };
    report(&out, f, m, again, stored);
    s = program_print(&out, e);
    strbuf_fini(&out);
    return s;
}

static Status run_quantize(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(QUANTIZE_OPTIONS, &f, argc, argv, 0, &n, e);
    if (s != OK) return s;
    if (!f.model || !f.out)
        return error_set(e, ERR_USAGE, "found no --%s, expected --model and --out", f.model ? "out" : "model");
    char place[DATA_PATH_MAX];
    f.model = program_model_file(f.model, place, sizeof place);
    Model m, again;
    model_init(&m);
    model_init(&again);
    s = quantize(&f, &m, &again, e);
    model_fini(&again);
    model_fini(&m);
    return s;
}

const Command CMD_MODEL_QUANTIZE = {
    .name = "model quantize",
    .arguments = "--model MODEL --out FILE [OPTIONS]",
    .about = "write a model with weights of fewer bits, and say what it loses",
    .more = "With i8, the default, the file is less than half as large as with f16: each row\n"
            "of a matrix has whole numbers from -127 to 127 and a scale, tables of words and\n"
            "pieces have numbers of 4 bits and a scale for 32 of them; vectors stay f16. With\n"
            "i4 matrices are as these tables, which costs some exactness. All else in the\n"
            "file stays as it is, and lal parse computes as before. Prints the bytes of both\n"
            "files and how much the weights differ; lal eval -m MODEL -m FILE compares their\n"
            "scores.\n",
    .tables = (const Option *const[]){ QUANTIZE_OPTIONS, NULL },
    .run = run_quantize,
};
