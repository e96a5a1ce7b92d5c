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

/* The heads of a pruned model; of label heads, projected attention and a decoder, where some were pruned. */
static bool put_heads(StWriter *w, const Model *m)
{
    StrBuf list = { 0 };
    for (LayerId l = 0; m->kept && l < layer_count(m->c.n_layers); l++) {
        if (m->kept[l].all) continue;
        strbuf_clear(&list);
        json_ints(&list, NULL, m->kept[l].item, m->kept[l].n);
        stwriter_metadata(w, model_heads_key(l, m->c.n_layers).text, list.ptr ? list.ptr : "");
    }
    for (int k = 0; m->decoder_kept && k < DECODER_STACKS * m->c.decoder_layers; k++) {
        const HeadNumbers *kept = &m->decoder_kept[k];
        if (kept->all) continue;
        strbuf_clear(&list);
        json_ints(&list, NULL, kept->item, kept->n);
        stwriter_metadata(w, model_decoder_key((DecoderStack)(k / m->c.decoder_layers), k % m->c.decoder_layers).text,
                          list.ptr ? list.ptr : "");
    }
    if (m->shared_block) stwriter_metadata(w, model_block_key(layer_label(m->c.n_layers)).text, "true");
    bool ok = !list.failed;
    strbuf_fini(&list);
    return ok;
}

void model_head_names_json(const ModelHeadNames *names, StrBuf *out)
{
    json_long(out, "words", names->words);
    json_array(out, "names");
    for (int h = 0; h < names->n; h++) json_string(out, NULL, names->what[h]);
    json_array_end(out);
}

/* Writes the object and frees it. */
static bool put_object(StWriter *w, const char *key, StrBuf *object)
{
    json_object_end(object);
    stwriter_metadata(w, key, object->ptr ? object->ptr : "");
    bool ok = !object->failed;
    strbuf_fini(object);
    return ok;
}

static bool put_head_names(StWriter *w, const ModelHeadNames *names)
{
    StrBuf text = { 0 };
    if (!names->n) return true;
    json_object(&text, NULL);
    model_head_names_json(names, &text);
    return put_object(w, MODEL_HEAD_NAMES_KEY, &text);
}

static bool put_joint(StWriter *w, const JointWeights *joint)
{
    StrBuf text = { 0 };
    if (!joint->sentences) return true;
    json_object(&text, NULL);
    json_members(&text, "span: %.9g, arc: %.9g, sentences: %ld", joint->span, joint->arc, joint->sentences);
    const F1Map *f1 = &joint->f1;
    if (f1->sentences)
        json_record(&text, "f1", "bias: %.9g, expected: %.9g, words: %.9g, sentences: %ld", f1->bias, f1->expected,
                    f1->words, f1->sentences);
    return put_object(w, MODEL_JOINT_KEY, &text);
}

/* {"first": id, "last": id, "tokenizer": its kind, "config": a config.json} */
static void put_pretrained(const Model *m, StrBuf *out)
{
    json_object(out, NULL);
    json_members(out, "first: %d, last: %d", m->tokenizer.first, m->tokenizer.last);
    json_string(out, "tokenizer", piece_tokenizer_kind(m->tokenizer.kind));
    json_key(out, "config");
    pretrained_config_write(&m->pretrained, out);
    json_object_end(out);
}

Status model_save(const Model *m, const char *path, DType dtype, const ExtraSlab *extra, int n_extra, const char *state,
                  Error *e)
{
    StWriter w;
    StrBuf text[N_TEXTS] = { { 0 } }, config = { 0 }, options = { 0 }, version = { 0 }, analysis = { 0 },
           pretrained = { 0 };
    stwriter_init(&w);
    options_to_json(CONFIG_MODEL_OPTIONS, &m->c, &config);
    strbuf_printf(&version, "%d", model_format(m));
    encoder_options_to_json(&m->options, &options);
    stwriter_metadata(&w, MODEL_CHECKSUM_KEY, MODEL_CHECKSUM_ZERO);
    stwriter_metadata(&w, "lal.format", version.ptr ? version.ptr : "");
    stwriter_metadata(&w, "lal.program", LAL_VERSION);
    if (task_key(m->task)) stwriter_metadata(&w, "lal.task", task_key(m->task));
    stwriter_metadata(&w, "lal.config", config.ptr ? config.ptr : "");
    if (!encoder_options_plain(&m->options))
        stwriter_metadata(&w, "lal.encoder_options", options.ptr ? options.ptr : "");
    if (!head_analysis_plain(&m->options.analysis)) {
        head_analysis_to_json(&m->options.analysis, &analysis);
        stwriter_metadata(&w, "lal.analysis", analysis.ptr ? analysis.ptr : "");
    }
    if (m->pretrained.d_model) {
        put_pretrained(m, &pretrained);
        stwriter_metadata(&w, "lal.pretrained", pretrained.ptr ? pretrained.ptr : "");
        piece_tokenizer_write(&m->tokenizer, &text[TOKENIZER_TEXT]);
    }
    if (encoder_options_oracle(&m->options)) stwriter_metadata(&w, "lal.oracle", "true");
    stwriter_metadata(&w, "lal.treebank", vocab_text(&m->treebanks, m->default_treebank));
    if (m->summary) stwriter_metadata(&w, "lal.summary", m->summary);
    bool named = put_head_names(&w, &m->named) && put_joint(&w, &m->joint);
    if (state) stwriter_metadata(&w, "lal.state", state);
    bool failed = config.failed || options.failed || version.failed || analysis.failed || pretrained.failed ||
                  text[TOKENIZER_TEXT].failed;
    if (m->text.bits) trained_text_save(&m->text, &text[SEGMENTER_TEXT]);
    failed = failed || text[SEGMENTER_TEXT].failed;
    failed = !put_heads(&w, m) || !named || failed;
    for (int k = 0; k < N_MODEL_VOCABS; k++) {
        vocab_write(model_vocab(m, k), &text[k]);
        failed = failed || text[k].failed;
    }
    Status s = failed ? error_set(e, ERR_NOMEM, "out of memory saving %s", path)
                      : write_file(&w, m, path, dtype, extra, n_extra, text, e);
    Status closed = stwriter_end(&w, s == OK, e);
    for (int k = 0; k < N_TEXTS; k++) strbuf_fini(&text[k]);
    strbuf_fini(&config);
    strbuf_fini(&options);
    strbuf_fini(&version);
    strbuf_fini(&analysis);
    strbuf_fini(&pretrained);
    return s != OK ? s : closed;
}

static int by_place(const void *a, const void *b)
{
    const StTensor *x = *(const StTensor *const *)a, *y = *(const StTensor *const *)b;
    return x->data < y->data ? -1 : x->data > y->data;
}

/* All tensors of a file as they are. */
static Status copy_tensors(StWriter *w, const SafeTensors *st, const char *to, Error *e)
{
    int n = st->names.n;
    const StTensor **list = mem_alloc((size_t)n + 1, sizeof(*list));
    if (!list) return error_set(e, ERR_NOMEM, "out of memory saving %s", to);
    for (int k = 0; k < n; k++) list[k] = &st->t[k];
    qsort(list, (size_t)n, sizeof *list, by_place);
    for (int k = 0; k < n; k++) {
        int dim[ST_MAX_DIMS];
        for (int d = 0; d < list[k]->n_dims; d++) dim[d] = (int)list[k]->dim[d];
        stwriter_declare(w, list[k]->name, list[k]->dtype, dim, list[k]->n_dims);
    }
    mem_free(list);
    Status s = stwriter_begin(w, to, e);
    if (s != OK) return s;
    stwriter_bytes(w, st->map.data + st->header_size, st->map.size - st->header_size);
    return w->file.error ? OK : seal(w, e);
}

Status model_file_annotate(const char *from, const char *to, const ModelHeadNames *names, const JointWeights *joint,
                           Error *e)
{
    SafeTensors st;
    StWriter w;
    Status s = model_open(&st, from, 0, e);
    if (s != OK) return s;
    stwriter_init(&w);
    stwriter_metadata(&w, MODEL_CHECKSUM_KEY, MODEL_CHECKSUM_ZERO);
    for (int k = 0; k < st.keys.n; k++) {
        const char *key = st.keys.keys[k];
        bool replaced = strcmp(key, MODEL_CHECKSUM_KEY) == 0 || (names && strcmp(key, MODEL_HEAD_NAMES_KEY) == 0) ||
                        (joint && strcmp(key, MODEL_JOINT_KEY) == 0);
        if (!replaced) stwriter_metadata(&w, key, st.values[k]);
    }
    bool put = (!names || put_head_names(&w, names)) && (!joint || put_joint(&w, joint));
    s = put ? copy_tensors(&w, &st, to, e) : error_set(e, ERR_NOMEM, "out of memory saving %s", to);
    s = safetensors_end(&st, s, e);
    Status closed = stwriter_end(&w, s == OK, e);
    safetensors_close(&st);
    return s != OK ? s : closed;
}
