/* parser/program/cmd_model_quantize.c: lal model quantize */
#include <math.h>
#include <stdio.h>

#include "parser/model/corpus.h"
#include "parser/model/model_file.h"
#include "parser/parse/evaluate.h"
#include "parser/program/program.h"
#include "parser/program/progress.h"
#include "tensor/device.h"

typedef struct Fields {
    const char *model, *out, *gold, *gold_deps, *treebank;
    int dtype, threads;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option QUANTIZE_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL", "model to read" },
    { "out", OPT_STRING, F(out), NULL, 0, 0, "FILE", "write the model to FILE, which may be the one that is read" },
    { "dtype", OPT_ENUM, F(dtype), "i8", 0, 0, MODEL_STORE_CHOICES, "number format of the weights in the file" },
    GOLD_OPTIONS(Fields, "print scores of both models on these trees in brackets"),
    TREEBANK_OPTION(Fields, TREEBANK_MODEL),
    THREADS_OPTION(Fields),
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* The files, and how much the weights of the second differ from those of the first. */
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

/* ---- scores */

enum { F1, UAS, LAS, TAGS, N_SCORES };

/* -1: not known */
typedef struct Row {
    double score[N_SCORES];
} Row;

static void show_progress(void *progress, int done, int n)
{
    progress_show(progress, (double)done / n, "%d of %d sentences", done, n);
}

static Status score(const Fields *f, const Model *m, const Corpus *dev, Progress *progress, Row *row, Error *e)
{
    Evaluation ev = { .punct = PUNCT_AUTO };
    EvaluateOptions o = { .parse = parse_defaults(m),
                          .n_threads = program_threads(f->threads),
                          .progress = show_progress,
                          .context = progress };
    Status s = program_treebank(&m->treebanks, f->treebank, &o.parse.treebank, e);
    o.parse.shape_tags = f->treebank == NULL;
    if (s == OK) s = evaluate_model(m, &dev->trees, &o, &ev, e);
    const Scores *sum = &ev.sum;
    const DepCounts *arcs = &sum->dep.nopunct;
    row->score[F1] = sum->trees ? score_f1(sum) : -1;
    row->score[UAS] = arcs->words ? score_percent(arcs->heads, arcs->words) : -1;
    row->score[LAS] = arcs->words ? score_percent(arcs->both, arcs->words) : -1;
    row->score[TAGS] = sum->tags ? score_percent(sum->tags_right, sum->tags) : -1;
    return s;
}

static void put_row(StrBuf *out, const char *name, const Row *row, const Row *first)
{
    strbuf_printf(out, "%-28s", name);
    for (int k = 0; k < N_SCORES; k++)
        if (row->score[k] < 0) strbuf_puts(out, "               -");
        else if (row == first) strbuf_printf(out, " %6.2f        ", row->score[k]);
        else strbuf_printf(out, " %6.2f (%+.2f)", row->score[k], row->score[k] - first->score[k]);
    while (out->len && out->ptr[out->len - 1] == ' ') strbuf_cut(out, out->len - 1);
    strbuf_putc(out, '\n');
}

/* What --gold says: the model as it was, and the new one with products of each kind that this machine has. */
static Status report_scores(StrBuf *out, const Fields *f, const Model *m, const Model *again, Error *e)
{
    static const Products products[] = { PRODUCTS_REAL, PRODUCTS_BF16, PRODUCTS_INT8 };
    static const char *const names[] = { "f32", "bf16", "int8" };
    Corpus dev = { .rules = NULL };
    Row first, row;
    Status s = program_corpus(&dev, f->gold, f->gold_deps, "dev", e);
    if (s != OK) return s;
    Progress progress = progress_start("quantize", f->quiet);
    s = score(f, m, &dev, &progress, &first, e);
    if (s == OK) {
        strbuf_printf(out, "\n%-28s     F1              UAS             LAS            tags\n", "scores");
        put_row(out, "before, products in f32", &first, &first);
    }
    for (int k = 0; k < 3 && s == OK; k++) {
        char name[64];
        Error why = { 0 };
        snprintf(name, sizeof name, "written, products in %s", names[k]);
        if (device_default()->set_products(products[k], &why) != OK) {
            strbuf_printf(out, "%s: %s\n", name, why.message);
            continue;
        }
        s = score(f, again, &dev, &progress, &row, e);
        if (s == OK) put_row(out, name, &row, &first);
    }
    device_default()->set_products(PRODUCTS_REAL, NULL);
    progress_clear(&progress);
    corpus_fini(&dev);
    return s;
}

/* ---- the command */

static Status quantize(const Fields *f, Model *m, Model *again, Error *e)
{
    char *state = NULL;
    ModelStorage stored[2];
    bool scored = f->gold || f->gold_deps;
    Status s = model_load_any(m, f->model, &state, e);
    if (s == OK && state)
        s = error_at(e, ERR_CONFIG, f->model, 0, 0, "found a checkpoint, which stays exact, expected a model");
    mem_free(state);
    if (s == OK && scored && !m->task->parses)
        s = error_set(e, ERR_USAGE, "--gold: %s does not parse, its scores are those of other commands", f->model);
    if (s == OK) s = model_storage(&stored[0], m, f->model, e);
    if (s == OK) s = model_save(m, f->out, model_store_choice(f->dtype), NULL, 0, NULL, e);
    if (s == OK) s = model_load_any(again, f->out, NULL, e);
    if (s == OK) s = model_storage(&stored[1], again, f->out, e);
    if (s != OK) return s;
    StrBuf out = { 0 };
    report(&out, f, m, again, stored);
    if (scored) s = report_scores(&out, f, m, again, e);
    if (s == OK) s = program_print(&out, e);
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
    .more = "With i8, the default, the file is about half as large as with f16: each row of a\n"
            "matrix has whole numbers from -127 to 127 and a scale; vectors stay f16. All\n"
            "else in the file stays as it is, and lal parse computes as before. Prints the\n"
            "bytes of both files, how much the weights differ and, with --gold, the scores of\n"
            "both, of the new one also with the products of --products bf16 and int8.\n",
    .tables = (const Option *const[]){ QUANTIZE_OPTIONS, NULL },
    .run = run_quantize,
};
