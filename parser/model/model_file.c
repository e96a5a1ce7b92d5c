/* The checksum, what a file is that is no model, whether a mapped one was changed, and
 * the names that parts have in files. */
#include "parser/model/model_file_internal.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"

/* 64-bit hash of 8-byte words, each mixed in; the length is part of it. Catches damage, not malice. */
static uint64_t hash_bytes(uint64_t h, const unsigned char *p, size_t n)
{
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = (h ^ w) * 0x9fb21c651e98df25u;
        h ^= h >> 32;
    }
    uint64_t tail = n;
    for (size_t i = 0; i < n; i++) tail = tail << 8 | p[i];
    return rng_mix(h ^ tail);
}

/* Where the header of a saved model begins. */
static const char MODEL_BEGINS[] = "{\"__metadata__\": {\"" MODEL_CHECKSUM_KEY "\": \"";

/* The digits of the checksum in a header, or NULL. */
static const unsigned char *checksum_place(const unsigned char *p, size_t size)
{
    size_t len = sizeof MODEL_BEGINS - 1;
    return size >= 8 + len + 16 && memcmp(p + 8, MODEL_BEGINS, len) == 0 ? p + 8 + len : NULL;
}

const unsigned char *model_checksum(const unsigned char *text, size_t size, char digits[17])
{
    const unsigned char *place = checksum_place(text, size);
    if (!place) return NULL;
    size_t head = (size_t)(place - text);
    uint64_t h = hash_bytes(size, text, head);
    h = hash_bytes(h, (const unsigned char *)MODEL_CHECKSUM_ZERO, 16);
    h = hash_bytes(h, place + 16, size - head - 16);
    snprintf(digits, 17, "%016llx", (unsigned long long)h);
    return place;
}

bool model_begins(const char *path)
{
    unsigned char begin[64];
    char digits[17];
    int fd;
    if (file_open(path, &fd, NULL) != OK) return false;
    ssize_t n = read(fd, begin, sizeof begin);
    close(fd);
    return n == sizeof begin && model_checksum(begin, sizeof begin, digits);
}

/* ---- files that are no models */

static const char OTHER_DATA[] = "other data";

/* What a file is whose first n bytes are no safetensors header. */
static const char *kind_of(const char *begin, size_t n)
{
    enum { BEGIN = 512 }; /* bytes that are looked at */
    static const struct {
        const char *begin;
        size_t n;
        const char *kind;
    } kinds[] = {
        { "\x1f\x8b", 2, "a compressed file (gzip)" },
        { "BZh", 3, "a compressed file (bzip2)" },
        { "\xfd"
          "7zXZ",
          5, "a compressed file (xz)" },
        { "\x28\xb5\x2f\xfd", 4, "a compressed file (zstd)" },
        { "PK\x03\x04", 4, "a zip archive, such as PyTorch writes" },
        { "\x80\x02", 2, "a pickle of Python, such as PyTorch writes" },
        { "\x80\x04", 2, "a pickle of Python" },
        { "\x80\x05", 2, "a pickle of Python" },
        { "\x89HDF", 4, "an HDF5 file, such as Keras writes" },
        { "GGUF", 4, "a GGUF file" },
        { "\x7f"
          "ELF",
          4, "a program" },
        { "version https://git-lfs", 23, "a pointer of Git LFS in place of the file" },
        { "<", 1, "a page of HTML or XML" },
    };
    if (n == 0) return "an empty file";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (n >= kinds[k].n && memcmp(begin, kinds[k].begin, kinds[k].n) == 0) return kinds[k].kind;
    const char *fault;
    size_t whole = utf8_cut(begin, n, n < BEGIN ? n : BEGIN); /* without a character that is cut */
    return text_fault((StrView){ begin, whole }, &fault) < whole ? OTHER_DATA : "a text";
}

/* The size that a model file has by its header, which is whole: the data end where the last tensor does. */
static unsigned long long size_by_header(const unsigned char *p, size_t header)
{
    static const char key[] = "\"data_offsets\": [";
    unsigned long long end = 0;
    for (size_t i = 8; i + sizeof key < header; i++) {
        if (memcmp(p + i, key, sizeof key - 1) != 0) continue;
        for (i += sizeof key; i < header && p[i - 1] != ','; i++) continue;
        for (end = 0; i < header && p[i] != ']'; i++)
            if (p[i] >= '0' && p[i] <= '9') end = 10 * end + (unsigned)(p[i] - '0');
    }
    return header + end;
}

/* Says what the file is that safetensors_open refused, if it is not just a file with faults. */
static void name_kind(const FileMap *m, const char *path, Error *e)
{
    const unsigned char *p = m->data;
    const char *kind = kind_of((const char *)p, m->size);
    unsigned long long header = 8;
    for (int k = 0; k < 8 && m->size > 8; k++) header += (unsigned long long)p[k] << (8 * k);
    bool begins = m->size > 8 + sizeof MODEL_BEGINS && memcmp(p + 8, MODEL_BEGINS, sizeof MODEL_BEGINS - 1) == 0;
    unsigned long long whole = begins && header < m->size ? size_by_header(p, (size_t)header) : header;
    if (begins && whole > m->size)
        error_at(e, ERR_FORMAT, path, 0, 0,
                 "found the first %zu bytes of a model, expected %s%llu: the file is cut off", m->size,
                 header < m->size ? "" : "more than ", whole);
    else if (begins && whole < m->size)
        error_at(e, ERR_FORMAT, path, 0, 0, "found %zu bytes, expected %llu: something follows the model", m->size,
                 whole);
    else if (m->size <= 8 || p[8] != '{' || strcmp(kind, OTHER_DATA) != 0)
        error_at(e, ERR_FORMAT, path, 0, 0, "found %s, expected a model of this program", kind);
}

Status model_open(SafeTensors *st, const char *path, size_t map_above, Error *error)
{
    Error why = { 0 };
    FileMap m;
    Status s = safetensors_open_above(st, path, map_above, &why);
    if (s == OK) return OK;
    if (s == ERR_FORMAT && filemap_open(&m, path, 0, NULL) == OK) {
        name_kind(&m, path, error);
        filemap_close(&m);
    }
    return error_at(error, s, why.path[0] ? why.path : NULL, why.line, why.column, "%s", why.message);
}

/* Are the bytes of the mapped file those that were loaded? */
static bool has_bytes(const Model *m)
{
    char digits[17];
    return model_checksum(m->ps.file.data, m->ps.file.size, digits) && strcmp(digits, m->checksum) == 0;
}

Status model_unchanged(const Model *model, Status status, Error *error)
{
    for (; model; model = model->first) {
        long long touched;
        if (filemap_unchanged(&model->ps.file, &touched) && (!touched || has_bytes(model))) {
            if (touched) filemap_accept(&model->ps.file, touched);
            continue;
        }
        if (error) *error = (Error){ 0 };
        return error_at(error, ERR_IO, model->path, 0, 0, "the model file was changed while it was read");
    }
    return status;
}

DType model_store_choice(int k)
{
    static const DType choices[] = { DT_F32, DT_F16, DT_BF16, DT_I8, DT_U8 }; /* as in MODEL_STORE_CHOICES */
    return choices[k];
}

Status model_storage(ModelStorage *storage, const Model *model, const char *path, Error *error)
{
    SafeTensors st;
    *storage = (ModelStorage){ 0 };
    Status status = model_open(&st, path, 0, error);
    if (status != OK) return status;
    storage->bytes = st.map.size;
    for (int k = 0; k < model->ps.n; k++) {
        const StTensor *t = safetensors_find(&st, model->ps.p[k].name);
        if (t) storage->numbers[t->dtype] += param_count(&model->ps.p[k]);
    }
    status = safetensors_end(&st, OK, error);
    safetensors_close(&st);
    return status;
}

void model_storage_text(const ModelStorage *storage, StrBuf *out)
{
    strbuf_printf(out, "%zu bytes", storage->bytes);
    for (int d = 0; d < DTYPES; d++)
        if (storage->numbers[d]) strbuf_printf(out, ", %s %zu", model_stored_name((DType)d), storage->numbers[d]);
}

const char *model_stored_name(DType dtype) { return dtype == DT_U8 ? "I4" : dtype_name(dtype); }

int model_format(const Model *model)
{
    if (model->pretrained.d_model) return 4;
    if (task_key(model->task)) return 3;
    return encoder_options_plain(&model->options) && !model->kept ? 1 : 2;
}

ModelHeadsKey model_heads_key(LayerId layer, int n_layers)
{
    const LayerPlace at = layer_place(n_layers, 0, layer);
    ModelHeadsKey k;
    if (at.stack == STACK_PAL) snprintf(k.text, sizeof k.text, "encoder.pal_%d.heads", at.l);
    else snprintf(k.text, sizeof k.text, "encoder.attn_%d.heads", layer);
    return k;
}

ModelHeadsKey model_decoder_key(DecoderStack stack, int layer)
{
    ModelHeadsKey k;
    snprintf(k.text, sizeof k.text, "decoder.%s_%d.heads", stack == DECODER_SELF ? "self" : "cross", layer);
    return k;
}

ModelHeadsKey model_block_key(LayerId layer)
{
    ModelHeadsKey k;
    snprintf(k.text, sizeof k.text, "encoder.attn_%d.shared_block", layer);
    return k;
}
