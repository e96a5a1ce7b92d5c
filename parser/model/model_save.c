/* Writes what model_load.c reads: metadata, weights, extra slabs, texts; the checksum is
 * put in at last. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "include/lalparser.h"
#include "parser/model/model_file_internal.h"

static void declare_slab(StWriter *w, const Model *m, const char *prefix, DType dtype)
{
    char name[PARAM_NAME_MAX + 32];
    if (is_narrow(dtype)) {
        model_narrow_declare(w, m, dtype);
        return;
    }
    for (int k = 0; k < m->ps.n; k++) {
        if (prefix[0] && m->ps.p[k].frozen) continue;
        snprintf(name, sizeof name, "%s%s", prefix, m->ps.p[k].name);
        stwriter_declare(w, name, dtype, m->ps.p[k].dim, m->ps.p[k].n_dims);
    }
}

/* Index of the first number of p that is not finite when stored, or their number. */
static size_t find_unfit(const Param *p, const Real *x, DType dtype)
{
    size_t n = param_count(p);
    if (is_narrow(dtype)) return model_narrow_unfit(p, x, dtype);
    if (dtype != DT_F16 && dtype != DT_BF16) return reals_finite(x, n);
    for (size_t i = 0; i < n; i++) {
        float y = dtype == DT_F16 ? dtype_half_to_float(dtype_float_to_half((float)x[i]))
                                  : dtype_bfloat_to_float(dtype_float_to_bfloat((float)x[i]));
        if (!isfinite(y)) return i;
    }
    return n;
}

/* Does not write a file that could not be loaded. */
static Status check_slab(const Model *m, const char *path, const char *prefix, const Real *values, DType dtype,
                         Error *e)
{
    for (int k = 0; k < m->ps.n; k++) {
        const Param *p = &m->ps.p[k];
        if (prefix[0] && p->frozen) continue;
        DType stored = model_stored(p, dtype);
        size_t at = find_unfit(p, values + p->offset, stored);
        if (at < param_count(p))
            return error_at(e, ERR_NUMERIC, path, 0, 0,
                            "not saved: %s%s holds %g as number %zu, expected what is finite in %s", prefix, p->name,
                            (double)values[p->offset + at], at, model_stored_name(stored));
    }
    return OK;
}

static void write_slab(StWriter *w, const Model *m, const char *prefix, const Real *values, DType dtype)
{
    if (is_narrow(dtype)) {
        model_narrow_write(w, m, dtype);
        return;
    }
    for (int k = 0; k < m->ps.n; k++)
        if (!prefix[0] || !m->ps.p[k].frozen)
            stwriter_reals(w, dtype, values + m->ps.p[k].offset, param_count(&m->ps.p[k]));
}

/* Puts the checksum into the temporary file. */
static Status seal(StWriter *w, Error *e)
{
    if (!w->file.temporary[0]) return OK;  /* written to a device: nothing to read back */
    if (fflush(w->file.f) != 0) return OK; /* closing the writer reports the error */
    FileMap map;
    char digits[17];
    Status s = filemap_open(&map, w->file.temporary, 0, e);
    if (s != OK) return s;
    const unsigned char *place = model_checksum(map.data, map.size, digits);
    long at = place ? (long)(place - map.data) : 0;
    filemap_close(&map);
    if (!place || fseek(w->file.f, at, SEEK_SET) != 0)
        return error_set(e, ERR_IO, "%s: cannot write the checksum", w->file.path);
    filewriter_write(&w->file, digits, 16);
    return OK;
}

/* The texts of a file: the vocabularies, the tokenizer of the pretrained encoder, and the segmenter of raw text. */
enum { TOKENIZER_TEXT = N_MODEL_VOCABS, SEGMENTER_TEXT, N_TEXTS };
static const char *text_name(int k)
{
    return k < N_MODEL_VOCABS ? MODEL_VOCABS[k].name : k == TOKENIZER_TEXT ? MODEL_TOKENIZER : MODEL_TEXT;
}

/* The rest of the file after the metadata: the weights, the slabs and the texts. */
static Status write_file(StWriter *w, const Model *m, const char *path, DType dtype, const ExtraSlab *extra,
                         int n_extra, const StrBuf text[N_TEXTS], Error *e)
{
    DType exact = sizeof(Real) == 8 ? DT_F64 : DT_F32;
    /* weights first, so that they are aligned; in double builds also exact ones */
    if (sizeof(Real) == 8 && dtype == DT_F32) dtype = DT_F64;
    Status s = check_slab(m, path, "", params_values(&m->ps), dtype, e);
    for (int k = 0; k < n_extra && s == OK; k++) s = check_slab(m, path, extra[k].prefix, extra[k].values, exact, e);
    if (s != OK) return s;
    declare_slab(w, m, "", dtype);
    for (int k = 0; k < n_extra; k++) declare_slab(w, m, extra[k].prefix, exact);
    for (int k = 0; k < N_TEXTS; k++) {
        int len = (int)text[k].len;
        if (len) stwriter_declare(w, text_name(k), DT_U8, &len, 1); /* nothing is written of an empty one */
    }
    if ((s = stwriter_begin(w, path, e)) != OK) return s;
    write_slab(w, m, "", params_values(&m->ps), dtype);
    for (int k = 0; k < n_extra; k++) write_slab(w, m, extra[k].prefix, extra[k].values, exact);
    for (int k = 0; k < N_TEXTS; k++) stwriter_bytes(w, text[k].ptr, text[k].len);
    return w->file.error ? OK : seal(w, e); /* closing the file reports its errors */
}

/* Writes the text, which is empty afterwards; one text serves all entries, and has failed if one of them has. */
static void put_text(StWriter *w, const char *key, StrBuf *text)
{
    stwriter_metadata(w, key, text->ptr ? text->ptr : "");
    strbuf_clear(text);
}

static void put_kept(StWriter *w, const char *key, const HeadNumbers *kept, StrBuf *text)
{
    if (kept->all) return;
    json_ints(text, NULL, kept->item, kept->n);
    put_text(w, key, text);
}

/* The heads of a pruned model; of label heads, projected attention and a decoder, where some were pruned. */
static void put_heads(StWriter *w, const Model *m, StrBuf *text)
{
    int layers = m->c.decoder_layers;
    for (LayerId l = 0; m->kept && l < layer_count(m->c.n_layers); l++)
        put_kept(w, model_heads_key(l, m->c.n_layers).text, &m->kept[l], text);
    for (int k = 0; m->decoder_kept && k < DECODER_STACKS * layers; k++)
        put_kept(w, model_decoder_key((DecoderStack)(k / layers), k % layers).text, &m->decoder_kept[k], text);
    if (m->shared_block) stwriter_metadata(w, model_block_key(layer_label(m->c.n_layers)).text, "true");
}

void model_head_names_json(const ModelHeadNames *names, StrBuf *out)
{
    json_long(out, "words", names->words);
    json_array(out, "names");
    for (int h = 0; h < names->n; h++) json_string(out, NULL, names->what[h]);
    json_array_end(out);
}

static void put_head_names(StWriter *w, const ModelHeadNames *names, StrBuf *text)
{
    if (!names->n) return;
    json_object(text, NULL);
    model_head_names_json(names, text);
    json_object_end(text);
    put_text(w, MODEL_HEAD_NAMES_KEY, text);
}

static void put_weights(const JointWeights *joint, StrBuf *text)
{
    json_members(text, "span: %.9g, arc: %.9g, sentences: %ld", joint->span, joint->arc, joint->sentences);
    const F1Map *f1 = &joint->f1;
    if (f1->sentences)
        json_record(text, "f1", "bias: %.9g, expected: %.9g, words: %.9g, grammar: %.9g, sentences: %ld", f1->bias,
                    f1->expected, f1->words, f1->grammar, f1->sentences);
}

static void put_joint(StWriter *w, const Model *m, StrBuf *text)
{
    if (!m->joint.sentences) return;
    json_object(text, NULL);
    put_weights(&m->joint, text);
    if (m->n_own_joint) json_object(text, "treebanks");
    for (int k = 1; k < m->n_own_joint; k++) {
        if (!m->own_joint[k].sentences) continue;
        json_object(text, vocab_text(&m->treebanks, k));
        put_weights(&m->own_joint[k], text);
        json_object_end(text);
    }
    if (m->n_own_joint) json_object_end(text);
    json_object_end(text);
    put_text(w, MODEL_JOINT_KEY, text);
}

/* {"first": id, "last": id, "tokenizer": its kind, "config": a config.json} */
static void put_pretrained(StWriter *w, const Model *m, StrBuf *text)
{
    json_object(text, NULL);
    json_members(text, "first: %d, last: %d", m->tokenizer.first, m->tokenizer.last);
    json_string(text, "tokenizer", piece_tokenizer_kind(m->tokenizer.kind));
    json_key(text, "config");
    pretrained_config_write(&m->pretrained, text);
    json_object_end(text);
    put_text(w, "lal.pretrained", text);
}

Status model_save(const Model *model, const char *path, DType dtype, const ExtraSlab *extra, int n_extra,
                  const char *state, Error *error)
{
    StWriter w;
    StrBuf text[N_TEXTS] = { { 0 } }, entry = { 0 };
    stwriter_init(&w);
    stwriter_metadata(&w, MODEL_CHECKSUM_KEY, MODEL_CHECKSUM_ZERO);
    strbuf_printf(&entry, "%d", model_format(model));
    put_text(&w, "lal.format", &entry);
    stwriter_metadata(&w, "lal.program", LAL_VERSION);
    if (task_key(model->task)) stwriter_metadata(&w, "lal.task", task_key(model->task));
    options_to_json(CONFIG_MODEL_OPTIONS, &model->c, &entry);
    put_text(&w, "lal.config", &entry);
    if (!encoder_options_plain(&model->options)) {
        encoder_options_to_json(&model->options, &entry);
        put_text(&w, "lal.encoder_options", &entry);
    }
    if (!head_analysis_plain(&model->options.analysis)) {
        head_analysis_to_json(&model->options.analysis, &entry);
        put_text(&w, "lal.analysis", &entry);
    }
    if (model->pretrained.d_model) {
        put_pretrained(&w, model, &entry);
        piece_tokenizer_write(&model->tokenizer, &text[TOKENIZER_TEXT]);
    }
    if (encoder_options_oracle(&model->options)) stwriter_metadata(&w, "lal.oracle", "true");
    stwriter_metadata(&w, "lal.treebank", vocab_text(&model->treebanks, model->default_treebank));
    if (model->summary) stwriter_metadata(&w, "lal.summary", model->summary);
    put_head_names(&w, &model->named, &entry);
    put_joint(&w, model, &entry);
    if (state) stwriter_metadata(&w, "lal.state", state);
    put_heads(&w, model, &entry);
    if (model->text.bits) trained_text_save(&model->text, &text[SEGMENTER_TEXT]);
    for (int k = 0; k < N_MODEL_VOCABS; k++) vocab_write(model_vocab(model, k), &text[k]);
    bool failed = entry.failed;
    for (int k = 0; k < N_TEXTS; k++) failed = failed || text[k].failed;
    Status s = failed ? error_set(error, ERR_NOMEM, "out of memory saving %s", path)
                      : write_file(&w, model, path, dtype, extra, n_extra, text, error);
    Status closed = stwriter_end(&w, s == OK, error);
    for (int k = 0; k < N_TEXTS; k++) strbuf_fini(&text[k]);
    strbuf_fini(&entry);
    return s != OK ? s : closed;
}

static int by_place(const void *a, const void *b)
{
    const StTensor *x = *(const StTensor *const *)a, *y = *(const StTensor *const *)b;
    return x->data < y->data ? -1 : x->data > y->data;
}

/* All tensors of a file as they are, but for the text of the steps, if there is one. */
static Status copy_tensors(StWriter *w, const SafeTensors *st, const StrBuf *steps, const char *to, Error *e)
{
    const char *replaced = steps->len ? "vocab.steps" : "";
    int length = (int)steps->len;
    int n = st->names.n;
    const StTensor **list = mem_alloc((size_t)n + 1, sizeof(*list));
    if (!list) return error_set(e, ERR_NOMEM, "out of memory saving %s", to);
    for (int k = 0; k < n; k++) list[k] = &st->t[k];
    qsort(list, (size_t)n, sizeof *list, by_place);
    for (int k = 0; k < n; k++) {
        int dim[ST_MAX_DIMS];
        if (strcmp(list[k]->name, replaced) == 0) continue;
        for (int d = 0; d < list[k]->n_dims; d++) dim[d] = (int)list[k]->dim[d];
        stwriter_declare(w, list[k]->name, list[k]->dtype, dim, list[k]->n_dims);
    }
    if (length) stwriter_declare(w, replaced, DT_U8, &length, 1);
    Status s = stwriter_begin(w, to, e);
    for (int k = 0; k < n && s == OK; k++)
        if (strcmp(list[k]->name, replaced) != 0)
            stwriter_bytes(w, list[k]->data, list[k]->count * dtype_size(list[k]->dtype));
    mem_free(list);
    if (s != OK) return s;
    stwriter_bytes(w, steps->ptr, steps->len);
    return w->file.error ? OK : seal(w, e);
}

Status model_file_annotate(const char *from, const char *to, const ModelHeadNames *names, const Model *fitted,
                           const Vocab *steps, Error *error)
{
    SafeTensors st;
    StWriter w;
    StrBuf entry = { 0 }, text = { 0 };
    Status s = model_open(&st, from, 0, error);
    if (s != OK) return s;
    stwriter_init(&w);
    stwriter_metadata(&w, MODEL_CHECKSUM_KEY, MODEL_CHECKSUM_ZERO);
    for (int k = 0; k < st.keys.n; k++) {
        const char *key = st.keys.keys[k];
        bool replaced = strcmp(key, MODEL_CHECKSUM_KEY) == 0 || (names && strcmp(key, MODEL_HEAD_NAMES_KEY) == 0) ||
                        (fitted && strcmp(key, MODEL_JOINT_KEY) == 0);
        if (!replaced) stwriter_metadata(&w, key, st.values[k]);
    }
    if (names) put_head_names(&w, names, &entry);
    if (fitted) put_joint(&w, fitted, &entry);
    if (steps) vocab_write(steps, &text);
    s = entry.failed || text.failed ? error_set(error, ERR_NOMEM, "out of memory saving %s", to)
                                    : copy_tensors(&w, &st, &text, to, error);
    strbuf_fini(&entry);
    strbuf_fini(&text);
    s = safetensors_end(&st, s, error);
    Status closed = stwriter_end(&w, s == OK, error);
    safetensors_close(&st);
    return s != OK ? s : closed;
}
