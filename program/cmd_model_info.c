/* Lal model info */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "lal/decoder_prune.h"
#include "parser/model/model_file.h"
#include "parser/parse/parse_network.h"
#include "program/model_text.h"
#include "program/program.h"
#include "tensor/cpu/level.h"
#include "tensor/cpu/libraries.h"
#include "tensor/cuda/gpu.h"
#include "tensor/device.h"

enum { FORMAT_TEXT, FORMAT_JSON };

typedef struct Fields {
    const char *model;
    int format;
    bool devices;
} Fields;

static const Option INFO_OPTIONS[] = {
    { "model", OPT_STRING, offsetof(Fields, model), NULL, 0, 0, "MODEL",
      "model to describe (default: as for lal parse)" },
    { "format", OPT_ENUM, offsetof(Fields, format), "text", 0, 0, "text|json", "format of the output" },
    { "devices", OPT_BOOL, offsetof(Fields, devices), "false", 0, 0, NULL,
      "list what can compute instead: names for the option --device of other commands" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* The values of a vocabulary from `from` on. */
static void put_vocab(StrBuf *out, const char *name, const Vocab *v, int from)
{
    json_array(out, name);
    for (int k = from; k < vocab_size(v); k++) json_string(out, NULL, vocab_text(v, k));
    json_array_end(out);
}

static void put_storage(StrBuf *out, const ModelStorage *storage)
{
    json_long(out, "bytes", (long)storage->bytes);
    json_object(out, "stored");
    for (int d = 0; d < DTYPES; d++)
        if (storage->numbers[d]) json_long(out, model_stored_name((DType)d), (long)storage->numbers[d]);
    json_object_end(out);
}

static void put_models_json(StrBuf *out)
{
    char place[DATA_PATH_MAX];
    json_array(out, "models");
    const LalShippedModel *p;
    for (int k = 0; (p = lal_models(k)); k++) {
        const char *path = data_path(p->file, place, sizeof place);
        json_object(out, NULL);
        json_members(out, "name: %s, file: %s, about: %s", p->name, p->file, p->about);
        json_string(out, "path", access(path, R_OK) == 0 ? path : NULL);
        json_object_end(out);
    }
    json_array_end(out);
}

/* The models that come with the program, a line each. */
static void put_models(StrBuf *out)
{
    char place[DATA_PATH_MAX];
    const LalShippedModel *p;
    for (int k = 0; (p = lal_models(k)); k++) {
        const char *path = data_path(p->file, place, sizeof place);
        bool there = access(path, R_OK) == 0;
        strbuf_printf(out, "%-11s %s (%s; %s)\n", k == 0 ? "models" : "", p->name, p->about,
                      there ? path : "not installed");
    }
}

/* "kept_heads": [[0, 2], null]; null where no head was removed. */
static void put_heads(StrBuf *out, const Model *m)
{
    static const HeadNumbers all = { .all = true };
    if (m->kept) model_text_kept(out, "kept_heads", m, 0);
    else json_value(out, "kept_heads", NULL);
    model_text_layer(out, "kept_label_heads", m->kept ? &m->kept[layer_label(m->c.n_layers)] : &all);
    if (model_text_lacks_pal(m)) model_text_kept(out, "kept_pal_heads", m, layer_pal(m->c.n_layers, 0));
    else json_value(out, "kept_pal_heads", NULL);
}

/* "head_names": {"words": 18432, "names": ["next word", ...]} or null. */
static void put_head_names(StrBuf *out, const ModelHeadNames *names)
{
    if (!names->n) {
        json_value(out, "head_names", NULL);
        return;
    }
    json_object(out, "head_names");
    model_head_names_json(names, out);
    json_object_end(out);
}

/* "head_categories": {"label:1": "NP", ...} or null: the categories that label heads are linked to. */
static void put_categories(StrBuf *out, const Model *m)
{
    const Encoder *enc = &m->net.encoder;
    const char *category = parse_head_category(m, 0);
    if (!category) {
        json_value(out, "head_categories", NULL);
        return;
    }
    json_object(out, "head_categories");
    for (int h = 0; (category = parse_head_category(m, h)); h++) {
        char name[24];
        snprintf(name, sizeof name, "label:%d", h + 1);
        if (!enc->label_row || enc->label_row[h] >= 0) json_string(out, name, category);
    }
    json_object_end(out);
}

static void put_options(StrBuf *out, const Model *m)
{
    json_key(out, "config");
    options_to_json(CONFIG_MODEL_OPTIONS, &m->c, out);
    json_key(out, "encoder_options");
    if (encoder_options_plain(&m->options)) json_value(out, NULL, NULL);
    else encoder_options_to_json(&m->options, out);
    json_bool(out, "oracle", encoder_options_oracle(&m->options));
    json_key(out, "analysis");
    if (head_analysis_plain(&m->options.analysis)) json_value(out, NULL, NULL);
    else head_analysis_to_json(&m->options.analysis, out);
}

/* ---- open heads */

/* Appends a 1 for each head of the encoder with gates that is open, else 0, and counts the open heads of
 * self-attention and label heads, also those without gates. */
static Status put_encoder_gates(StrBuf *out, const Model *m, int *self, int *label, Error *e)
{
    const Encoder *enc = &m->net.encoder;
    Status s = OK;
    *self = *label = 0;
    for (LayerId l = 0; l < layer_count(m->c.n_layers) && s == OK; l++) {
        int heads = encoder_heads_before(enc, l);
        double *gates = mem_alloc((size_t)heads + 1, sizeof *gates);
        s = gates ? OK : error_set(e, ERR_NOMEM, "out of memory for gates");
        if (s == OK && enc->gated[l]) s = head_gate_values(&enc->gate[l], &m->ps, gates, e);
        for (int h = 0; h < heads && s == OK; h++) {
            int k = encoder_head_row(enc, l, h);
            bool open = k >= 0 && (!enc->gated[l] || gates[k] != 0);
            if (enc->gated[l]) json_long(out, NULL, open);
            if (l < m->c.n_layers) *self += open;
            if (l == layer_label(m->c.n_layers)) *label += open;
        }
        mem_free(gates);
    }
    return s;
}

static Status put_decoder_gates(StrBuf *out, const Model *m, Error *e)
{
    const Decoder *dec = network_decoder(&m->net);
    const int layers = dec->c.n_layers, heads = dec->c.n_heads;
    int n, *open = mem_alloc((size_t)heads + 1, sizeof *open);
    Status s = open ? OK : error_set(e, ERR_NOMEM, "out of memory for gates");
    for (int k = 0; k < DECODER_STACKS * layers && s == OK; k++) {
        if (!dec->gated[k / layers]) continue;
        s = decoder_prune_open(dec, &m->ps, (DecoderStack)(k / layers), k % layers, open, &n, e);
        for (int h = 0, i = 0; h < heads && s == OK; h++) {
            bool is = i < n && open[i] == h;
            json_long(out, NULL, is);
            i += is;
        }
    }
    mem_free(open);
    return s;
}

/* null for a model without an encoder of its own. */
static Status put_open_heads(StrBuf *out, const Model *m, Error *e)
{
    int self, label;
    if (!task_training(m->task)) {
        json_value(out, "open_heads", NULL);
        return OK;
    }
    json_object(out, "open_heads");
    json_array(out, "gated"); /* in the order of gates.constant (docs/OPTIONS.md) */
    Status s = put_encoder_gates(out, m, &self, &label, e);
    if (s == OK) s = put_decoder_gates(out, m, e);
    json_array_end(out);
    json_members(out, "self: %d, label: %d", self, label);
    json_object_end(out);
    return s;
}

static Status put_model_json(StrBuf *out, const Model *m, const ModelStorage *storage, const char *path, Error *e)
{
    json_object(out, NULL);
    json_members(out, "path: %s, format: %d, parameters: %ld, words: %d, characters: %d, default_treebank: %s", path,
                 model_format(m), (long)params_total(&m->ps), vocab_size(&m->words) - N_RESERVED,
                 vocab_size(&m->chars) - N_CHAR_RESERVED, vocab_text(&m->treebanks, m->default_treebank));
    put_vocab(out, "treebanks", &m->treebanks, 1);
    put_vocab(out, "tags", &m->tags, N_RESERVED);
    put_vocab(out, "labels", &m->labels, 1);
    put_vocab(out, "own_labels", &m->own_labels, 0);
    put_vocab(out, "types", &m->types, 0);
    put_heads(out, m);
    put_head_names(out, &m->named);
    put_categories(out, m);
    put_storage(out, storage);
    json_string(out, "task", m->task->name);
    if (vocab_size(&m->classes)) put_vocab(out, "classes", &m->classes, 0);
    if (m->analysis.n) put_vocab(out, "analyses", &m->analyses, 0);
    json_key(out, "pretrained");
    if (m->pretrained.d_model) pretrained_config_write(&m->pretrained, out);
    else json_value(out, NULL, NULL);
    json_string(out, "tokenizer", m->pretrained.d_model ? piece_tokenizer_kind(m->tokenizer.kind) : NULL);
    put_options(out, m);
    json_value(out, "training", m->summary);
    json_string(out, "checksum", m->checksum);
    return put_open_heads(out, m, e);
}

/* models: with the list of those that come with the program. */
static Status describe(StrBuf *out, const Model *m, const ModelStorage *storage, const char *path, int format,
                       bool models, Error *e)
{
    if (format == FORMAT_JSON) {
        Status s = put_model_json(out, m, storage, path, e);
        if (models) put_models_json(out);
        strbuf_puts(out, "}\n");
        return s;
    }
    model_text(out, m, storage, path);
    if (models) put_models(out);
    return OK;
}

enum { MOST_GPUS = 64 };

/* cpu       2 threads; kernels for x86-64-v3, also x86-64; other products by OpenBLAS 0.3.21 (Haswell)
 * cuda:0    NAME, compute capability 9.0, 139.8 GiB, 139.2 GiB free */
static void put_cpu(StrBuf *out, bool json)
{
    CpuLibraries l;
    const CpuLevel *level;
    int threads = program_threads(0);
    device_cpu_libraries(&l);
    if (json) {
        json_object(out, NULL);
        json_members(out, "device: %s, threads: %d, level: %s, openblas: %s, openblas_kernels: %s", "cpu", threads,
                     cpu_level()->name, l.openblas, l.kernels);
        json_array(out, "levels");
        for (int k = 0; (level = cpu_level_at(k)); k++) json_string(out, NULL, level->name);
        json_array_end(out);
        if (cpu_amx_refused()) json_string(out, "refused", "x86-64-v4-amx");
        json_object_end(out);
        return;
    }
    strbuf_printf(out, "cpu       %d thread%s; kernels for %s", threads, threads == 1 ? "" : "s", cpu_level()->name);
    for (int k = 0, n = 0; (level = cpu_level_at(k)); k++)
        if (level != cpu_level()) strbuf_printf(out, "%s%s", n++ ? ", " : " (LAL_CPU: also ", level->name);
    if (cpu_level_at(1)) strbuf_putc(out, ')');
    if (cpu_amx_refused()) strbuf_puts(out, "; the system refused tiles (AMX)");
    strbuf_puts(out, "; other products by ");
    if (l.openblas[0]) strbuf_printf(out, "OpenBLAS %s (%s)", l.openblas, l.kernels);
    else strbuf_puts(out, "a BLAS");
    strbuf_putc(out, '\n');
}

static void put_gpu(StrBuf *out, int number, const GpuInfo *g, bool json)
{
    const double gib = 1024.0 * 1024 * 1024;
    char name[24], capability[24];
    snprintf(name, sizeof name, "cuda:%d", number);
    snprintf(capability, sizeof capability, "%d.%d", g->major, g->minor);
    if (json)
        json_record(out, NULL, "device: %s, name: %s, compute_capability: %s, memory: %ld, free: %ld", name, g->name,
                    capability, (long)g->memory, (long)g->free);
    else
        strbuf_printf(out, "%-9s %s, compute capability %s, %.1f GiB, %.1f GiB free\n", name, g->name, capability,
                      (double)g->memory / gib, (double)g->free / gib);
}

static void put_devices(StrBuf *out, int format)
{
    GpuInfo gpus[MOST_GPUS];
    Error why = { 0 };
    int n = 0;
    Status s = device_cuda_list(gpus, MOST_GPUS, &n, &why);
    bool json = format == FORMAT_JSON;
    if (json) {
        json_object(out, NULL);
        json_array(out, "devices");
    }
    put_cpu(out, json);
    for (int k = 0; k < n; k++) put_gpu(out, k, &gpus[k], json);
    if (json) {
        json_array_end(out);
        if (s != OK) json_string(out, "cuda", why.message);
        strbuf_puts(out, "}\n");
    } else if (s != OK) strbuf_printf(out, "cuda      none: %s\n", why.message);
}

static Status run_info(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(INFO_OPTIONS, &f, argc, argv, 0, &n, e);
    const char *given = f.model;
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
        s = describe(&out, &m, &storage, path, f.format, !given, e);
        if (s == OK) s = program_print(&out, e);
        strbuf_fini(&out);
    }
    model_fini(&m);
    return s;
}

static const Option *const INFO_TABLES[] = { INFO_OPTIONS, NULL };
const Command CMD_MODEL_INFO = { "model info", "[OPTIONS]", "describe a model file", NULL, INFO_TABLES, run_info };
