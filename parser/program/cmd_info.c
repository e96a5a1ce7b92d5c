/* parser/program/cmd_info.c: lal info */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parser/model/model_file.h"
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

static void put_text_values(StrBuf *out, const char *name, const Vocab *v, int from)
{
    strbuf_printf(out, "%-11s %d:", name, vocab_size(v) - from);
    for (int k = from; k < vocab_size(v); k++) strbuf_printf(out, " %s", vocab_text(v, k));
    strbuf_putc(out, '\n');
}

/* Labels that appear only where their treebank is followed. */
static void put_own_labels(StrBuf *out, const Vocab *v)
{
    strbuf_printf(out, "own labels  %d%s", vocab_size(v), vocab_size(v) ? ":" : "");
    for (int k = 0; k < vocab_size(v); k++) strbuf_printf(out, "%s %s", k ? "," : "", vocab_text(v, k));
    strbuf_putc(out, '\n');
}

/* The heads that pruning has left in a layer: [0, 2]; null: all. */
static void put_layer(StrBuf *out, const HeadNumbers *kept)
{
    if (kept->all) {
        strbuf_puts(out, "null");
        return;
    }
    strbuf_putc(out, '[');
    for (int k = 0; k < kept->n; k++) strbuf_printf(out, "%s%d", k ? ", " : "", kept->item[k]);
    strbuf_putc(out, ']');
}

/* Those of self-attention in each layer: [[0, 2], []]; of the projected attention beside each. */
static void put_kept(StrBuf *out, const Model *m, int first)
{
    strbuf_putc(out, '[');
    for (int l = 0; l < m->c.n_layers; l++) {
        if (l) strbuf_puts(out, ", ");
        put_layer(out, &m->kept[first + l]);
    }
    strbuf_putc(out, ']');
}

static bool lacks_label_heads(const Model *m) { return m->kept && !m->kept[m->c.n_layers].all; }

static bool lacks_pal_heads(const Model *m)
{
    bool lacks = false;
    for (int l = m->c.n_layers + 1; m->kept && l <= 2 * m->c.n_layers; l++) lacks = lacks || !m->kept[l].all;
    return lacks;
}

static void put_parser_values(StrBuf *out, const Model *m)
{
    put_text_values(out, "treebanks", &m->treebanks, 1);
    strbuf_printf(out, "default     %s\n", vocab_text(&m->treebanks, m->default_treebank));
    put_text_values(out, "tags", &m->tags, N_RESERVED);
    put_text_values(out, "labels", &m->labels, 1);
    put_own_labels(out, &m->own_labels);
    put_text_values(out, "types", &m->types, 0);
}

static void put_pretrained(StrBuf *out, const Model *m)
{
    const PretrainedConfig *c = &m->pretrained;
    strbuf_printf(out, "pretrained  %s, %d layer%s of width %d, %d heads, ", pretrained_config_kind(c->kind),
                  c->n_layers, c->n_layers == 1 ? "" : "s", c->d_model, c->n_heads);
    if (c->most_pieces) strbuf_printf(out, "at most %d of ", c->most_pieces);
    strbuf_printf(out, "%d pieces%s\n", piece_tokenizer_size(&m->tokenizer),
                  piece_tokenizer_lowercase(&m->tokenizer) ? " of lower-cased text" : "");
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

/* The models that come with the program. */
static void put_models(StrBuf *out)
{
    char place[DATA_PATH_MAX];
    for (const ProgramModel *p = PROGRAM_MODELS; p->name; p++) {
        const char *path = data_path(p->file, place, sizeof place);
        bool there = access(path, R_OK) == 0;
        strbuf_printf(out, "%s%s (%s; %s)", p == PROGRAM_MODELS ? "models      " : ", ", p->name, p->about,
                      there ? path : "not installed");
    }
    strbuf_putc(out, '\n');
}

/* models: with the list of those that come with the program. */
static void describe(const Model *m, const ModelStorage *storage, const char *path, int format, bool models,
                     StrBuf *out)
{
    StrBuf config = { 0 }, options = { 0 }, analysis = { 0 };
    bool plain = encoder_options_plain(&m->options);
    options_to_json(CONFIG_MODEL_OPTIONS, &m->c, &config);
    encoder_options_to_json(&m->options, &options);
    if (!head_analysis_plain(&m->options.analysis)) head_analysis_to_json(&m->options.analysis, &analysis);
    if (format == FORMAT_JSON) {
        strbuf_puts(out, "{\"path\": ");
        strbuf_json(out, path, strlen(path));
        strbuf_printf(
            out, ", \"format\": %d, \"parameters\": %zu, \"words\": %d, \"characters\": %d, \"default_treebank\": ",
            model_format(m), params_total(&m->ps), vocab_size(&m->words) - N_RESERVED,
            vocab_size(&m->chars) - N_CHAR_RESERVED);
        const char *def = vocab_text(&m->treebanks, m->default_treebank);
        strbuf_json(out, def, strlen(def));
        strbuf_puts(out, ", \"treebanks\": ");
        put_values(out, &m->treebanks, 1);
        strbuf_puts(out, ", \"tags\": ");
        put_values(out, &m->tags, N_RESERVED);
        strbuf_puts(out, ", \"labels\": ");
        put_values(out, &m->labels, 1);
        strbuf_puts(out, ", \"own_labels\": ");
        put_values(out, &m->own_labels, 0);
        strbuf_puts(out, ", \"types\": ");
        put_values(out, &m->types, 0);
        strbuf_puts(out, ", \"kept_heads\": ");
        if (m->kept) put_kept(out, m, 0);
        else strbuf_puts(out, "null");
        strbuf_puts(out, ", \"kept_label_heads\": ");
        if (lacks_label_heads(m)) put_layer(out, &m->kept[m->c.n_layers]);
        else strbuf_puts(out, "null");
        strbuf_puts(out, ", \"kept_pal_heads\": ");
        if (lacks_pal_heads(m)) put_kept(out, m, m->c.n_layers + 1);
        else strbuf_puts(out, "null");
        put_storage(out, storage);
        strbuf_printf(out, ", \"task\": \"%s\"", model_task_name(m->task));
        if (m->task == MODEL_CLASSIFIES) {
            strbuf_puts(out, ", \"classes\": ");
            put_values(out, &m->classes, 0);
        }
        strbuf_puts(out, ", \"pretrained\": ");
        if (m->pretrained.d_model) pretrained_config_write(&m->pretrained, out);
        else strbuf_puts(out, "null");
        strbuf_printf(out, ", \"config\": %s, \"encoder_options\": %s, \"oracle\": %s",
                      config.ptr ? config.ptr : "null", !plain && options.ptr ? options.ptr : "null",
                      encoder_options_oracle(&m->options) ? "true" : "false");
        strbuf_printf(out, ", \"analysis\": %s, \"training\": %s", analysis.ptr ? analysis.ptr : "null",
                      m->summary ? m->summary : "null");
        if (models) put_models_json(out);
        strbuf_puts(out, "}\n");
    } else {
        strbuf_printf(out, "model       %s\nparameters  %.2f million\nstored      ", path,
                      (double)params_total(&m->ps) / 1e6);
        model_storage_text(storage, out);
        strbuf_printf(out, "\nwords       %d\n", vocab_size(&m->words) - N_RESERVED);
        if (m->task != MODEL_PARSES) strbuf_printf(out, "task        %s\n", model_task_name(m->task));
        if (m->task == MODEL_CLASSIFIES) put_text_values(out, "classes", &m->classes, 0);
        if (m->task == MODEL_PARSES) put_parser_values(out, m);
        if (m->pretrained.d_model) put_pretrained(out, m);
        strbuf_printf(out, "config      %s\n", config.ptr ? config.ptr : "");
        if (!plain) strbuf_printf(out, "options     %s\n", options.ptr ? options.ptr : "");
        if (analysis.ptr) strbuf_printf(out, "analysis    %s\n", analysis.ptr);
        if (m->kept) {
            strbuf_puts(out, "kept heads  ");
            put_kept(out, m, 0);
            strbuf_putc(out, '\n');
        }
        if (lacks_label_heads(m)) {
            strbuf_puts(out, "label heads ");
            put_layer(out, &m->kept[m->c.n_layers]);
            strbuf_putc(out, '\n');
        }
        if (lacks_pal_heads(m)) {
            strbuf_puts(out, "pal heads   ");
            put_kept(out, m, m->c.n_layers + 1);
            strbuf_putc(out, '\n');
        }
        if (encoder_options_oracle(&m->options)) strbuf_puts(out, "oracle      true: its masks read gold syntax\n");
        strbuf_printf(out, "training    %s\n", m->summary ? m->summary : "unknown");
        if (models) put_models(out);
    }
    strbuf_fini(&analysis);
    strbuf_fini(&options);
    strbuf_fini(&config);
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
        describe(&m, &storage, path, f.format, !given, &out);
        s = program_print(&out, e);
        strbuf_fini(&out);
    }
    model_fini(&m);
    return s;
}

static const Option *const INFO_TABLES[] = { INFO_OPTIONS, NULL };
const Command CMD_INFO = { "info", "[OPTIONS] [MODEL]", "describe a model file", NULL, INFO_TABLES, run_info };
