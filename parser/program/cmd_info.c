/* parser/program/cmd_info.c: lal info */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parser/model/model_file.h"
#include "parser/program/model_text.h"
#include "parser/program/program.h"
#include "tensor/device.h"

enum { FORMAT_TEXT, FORMAT_JSON };

typedef struct Fields {
    const char *model;
    int format;
    bool devices;
} Fields;

static const Option INFO_OPTIONS[] = {
    { "model", OPT_STRING, offsetof(Fields, model), NULL, 0, 0, "MODEL",
      "model to describe, if not given as an argument (default: as for lal parse)" },
    { "format", OPT_ENUM, offsetof(Fields, format), "text", 0, 0, "text|json", "format of the output" },
    { "devices", OPT_BOOL, offsetof(Fields, devices), "false", 0, 0, NULL,
      "list what can compute instead: names for the option --device of other commands" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static void put_values(StrBuf *out, const Vocab *v, int from)
{
    strbuf_putc(out, '[');
    for (int k = from; k < vocab_size(v); k++) {
        if (k > from) strbuf_puts(out, ", ");
        strbuf_json(out, vocab_text(v, k), strlen(vocab_text(v, k)));
    }
    strbuf_putc(out, ']');
}

/* , "bytes": 900, "stored": {"F16": 20, "I8": 600} */
static void put_storage(StrBuf *out, const ModelStorage *storage)
{
    strbuf_printf(out, ", \"bytes\": %zu, \"stored\": {", storage->bytes);
    for (int d = 0, n = 0; d < DTYPES; d++)
        if (storage->numbers[d])
            strbuf_printf(out, "%s\"%s\": %zu", n++ ? ", " : "", dtype_name((DType)d), storage->numbers[d]);
    strbuf_putc(out, '}');
}

static void put_string(StrBuf *out, const char *before, const char *text)
{
    strbuf_puts(out, before);
    strbuf_json(out, text, strlen(text));
}

/* , "models": [{"name": "small", "file": "en-small.lal", "about": "...", "path": null}] */
static void put_models_json(StrBuf *out)
{
    char place[DATA_PATH_MAX];
    strbuf_puts(out, ", \"models\": [");
    for (const ProgramModel *p = PROGRAM_MODELS; p->name; p++) {
        const char *path = data_path(p->file, place, sizeof place);
        put_string(out, p == PROGRAM_MODELS ? "{\"name\": " : ", {\"name\": ", p->name);
        put_string(out, ", \"file\": ", p->file);
        put_string(out, ", \"about\": ", p->about);
        if (access(path, R_OK) == 0) put_string(out, ", \"path\": ", path);
        else strbuf_puts(out, ", \"path\": null");
        strbuf_putc(out, '}');
    }
    strbuf_putc(out, ']');
}

/* The models that come with the program, a line each. */
static void put_models(StrBuf *out)
{
    char place[DATA_PATH_MAX];
    for (const ProgramModel *p = PROGRAM_MODELS; p->name; p++) {
        const char *path = data_path(p->file, place, sizeof place);
        bool there = access(path, R_OK) == 0;
        strbuf_printf(out, "%-11s %s (%s; %s)\n", p == PROGRAM_MODELS ? "models" : "", p->name, p->about,
                      there ? path : "not installed");
    }
}

static void put_vocab(StrBuf *out, const char *name, const Vocab *v, int from)
{
    strbuf_printf(out, ", \"%s\": ", name);
    put_values(out, v, from);
}

/* , "kept_heads": [[0, 2], null]; null where no head was removed. */
static void put_heads(StrBuf *out, const Model *m)
{
    strbuf_puts(out, ", \"kept_heads\": ");
    if (m->kept) model_text_kept(out, m, 0);
    else strbuf_puts(out, "null");
    strbuf_puts(out, ", \"kept_label_heads\": ");
    if (model_text_lacks_label(m)) model_text_layer(out, &m->kept[m->c.n_layers]);
    else strbuf_puts(out, "null");
    strbuf_puts(out, ", \"kept_pal_heads\": ");
    if (model_text_lacks_pal(m)) model_text_kept(out, m, m->c.n_layers + 1);
    else strbuf_puts(out, "null");
}

static void put_options(StrBuf *out, const Model *m)
{
    strbuf_puts(out, ", \"config\": ");
    options_to_json(CONFIG_MODEL_OPTIONS, &m->c, out);
    strbuf_puts(out, ", \"encoder_options\": ");
    if (encoder_options_plain(&m->options)) strbuf_puts(out, "null");
    else encoder_options_to_json(&m->options, out);
    strbuf_printf(out, ", \"oracle\": %s, \"analysis\": ", encoder_options_oracle(&m->options) ? "true" : "false");
    if (head_analysis_plain(&m->options.analysis)) strbuf_puts(out, "null");
    else head_analysis_to_json(&m->options.analysis, out);
}

static void put_model_json(StrBuf *out, const Model *m, const ModelStorage *storage, const char *path)
{
    put_string(out, "{\"path\": ", path);
    strbuf_printf(out, ", \"format\": %d, \"parameters\": %zu, \"words\": %d, \"characters\": %d", model_format(m),
                  params_total(&m->ps), vocab_size(&m->words) - N_RESERVED, vocab_size(&m->chars) - N_CHAR_RESERVED);
    put_string(out, ", \"default_treebank\": ", vocab_text(&m->treebanks, m->default_treebank));
    put_vocab(out, "treebanks", &m->treebanks, 1);
    put_vocab(out, "tags", &m->tags, N_RESERVED);
    put_vocab(out, "labels", &m->labels, 1);
    put_vocab(out, "own_labels", &m->own_labels, 0);
    put_vocab(out, "types", &m->types, 0);
    put_heads(out, m);
    put_storage(out, storage);
    strbuf_printf(out, ", \"task\": \"%s\"", model_task_name(m->task));
    if (m->task == MODEL_CLASSIFIES) put_vocab(out, "classes", &m->classes, 0);
    strbuf_puts(out, ", \"pretrained\": ");
    if (m->pretrained.d_model) pretrained_config_write(&m->pretrained, out);
    else strbuf_puts(out, "null");
    put_options(out, m);
    strbuf_printf(out, ", \"training\": %s", m->summary ? m->summary : "null");
}

/* models: with the list of those that come with the program. */
static void describe(StrBuf *out, const Model *m, const ModelStorage *storage, const char *path, int format,
                     bool models)
{
    if (format == FORMAT_JSON) {
        put_model_json(out, m, storage, path);
        if (models) put_models_json(out);
        strbuf_puts(out, "}\n");
        return;
    }
    model_text(out, m, storage, path);
    if (models) put_models(out);
}

enum { MOST_GPUS = 64 };

/* cpu       2 threads; products by OpenBLAS 0.3.21 (SkylakeX) and oneDNN 2.6.0 (f32, bf16)
 * cuda:0    NAME, compute capability 9.0, 139.8 GiB, 139.2 GiB free */
static void put_cpu(StrBuf *out, bool json)
{
    CpuLibraries l;
    int threads = program_threads(0);
    device_cpu_libraries(&l);
    if (json) {
        strbuf_printf(out, "{\"device\": \"cpu\", \"threads\": %d, ", threads);
        strbuf_printf(out, "\"openblas\": \"%s\", \"kernels\": \"%s\", ", l.openblas, l.kernels);
        strbuf_printf(out, "\"onednn\": \"%s\", \"bf16\": %s}", l.onednn, l.bfloat ? "true" : "false");
        return;
    }
    strbuf_printf(out, "cpu       %d thread%s; products by ", threads, threads == 1 ? "" : "s");
    if (l.openblas[0]) strbuf_printf(out, "OpenBLAS %s (%s)", l.openblas, l.kernels);
    else strbuf_puts(out, "a BLAS");
    if (l.onednn[0]) strbuf_printf(out, " and oneDNN %s (%s)", l.onednn, l.bfloat ? "f32, bf16" : "f32");
    strbuf_putc(out, '\n');
}

static void put_devices(StrBuf *out, int format)
{
    GpuInfo gpus[MOST_GPUS];
    Error why = { 0 };
    int n = 0;
    Status s = device_cuda_list(gpus, MOST_GPUS, &n, &why);
    bool json = format == FORMAT_JSON;
    if (json) strbuf_puts(out, "{\"devices\": [");
    put_cpu(out, json);
    for (int k = 0; k < n; k++) {
        const GpuInfo *g = &gpus[k];
        if (json) {
            strbuf_printf(out, ", {\"device\": \"cuda:%d\", \"name\": ", k);
            strbuf_json(out, g->name, strlen(g->name));
            strbuf_printf(out, ", \"compute_capability\": \"%d.%d\", \"memory\": %zu, \"free\": %zu}", g->major,
                          g->minor, g->memory, g->free);
        } else {
            const double gib = 1024.0 * 1024 * 1024;
            strbuf_printf(out, "cuda:%-4d %s, compute capability %d.%d, %.1f GiB, %.1f GiB free\n", k, g->name,
                          g->major, g->minor, (double)g->memory / gib, (double)g->free / gib);
        }
    }
    if (json) {
        strbuf_puts(out, "]");
        if (s != OK) {
            strbuf_puts(out, ", \"cuda\": ");
            strbuf_json(out, why.message, strlen(why.message));
        }
        strbuf_puts(out, "}\n");
    } else if (s != OK) strbuf_printf(out, "cuda      none: %s\n", why.message);
}

static Status run_info(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(INFO_OPTIONS, &f, argc, argv, 1, &n, e);
    const char *given = n ? argv[0] : f.model;
    if (s != OK) return s;
    if (f.devices && given) return error_set(e, ERR_USAGE, "--devices: found the model %s, expected none", given);
    if (f.devices) {
        StrBuf out = { 0 };
        put_devices(&out, f.format);
        s = program_print(&out, e);
        strbuf_fini(&out);
        return s;
    }
    char place[DATA_PATH_MAX];
    const char *path = program_model_path(given, place, sizeof place);
    Model m;
    ModelStorage storage;
    model_init(&m);
    s = model_load_any(&m, path, NULL, e);
    if (s == OK) s = model_storage(&storage, &m, path, e);
    if (s == OK) {
        StrBuf out = { 0 };
        describe(&out, &m, &storage, path, f.format, !given);
        s = program_print(&out, e);
        strbuf_fini(&out);
    }
    model_fini(&m);
    return s;
}

static const Option *const INFO_TABLES[] = { INFO_OPTIONS, NULL };
const Command CMD_INFO = { "info", "[OPTIONS] [MODEL]", "describe a model file", NULL, INFO_TABLES, run_info };
