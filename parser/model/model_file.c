/* parser/model/model_file.c */
#include "parser/model/model_file_internal.h"

#include <string.h>
#include <unistd.h>

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

/* The digits of the checksum in a header, or NULL. */
static const unsigned char *checksum_place(const unsigned char *p, size_t size)
{
    static const char before[] = "{\"__metadata__\": {\"lal.checksum\": \"";
    size_t len = sizeof before - 1;
    return size >= 8 + len + 16 && memcmp(p + 8, before, len) == 0 ? p + 8 + len : NULL;
}

const unsigned char *model_checksum(const unsigned char *p, size_t size, char digits[17])
{
    const unsigned char *place = checksum_place(p, size);
    if (!place) return NULL;
    size_t head = (size_t)(place - p);
    uint64_t h = hash_bytes(size, p, head);
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

/* Are the bytes of the mapped file those that were loaded? */
static bool has_bytes(const Model *m)
{
    char digits[17];
    return model_checksum(m->ps.file.data, m->ps.file.size, digits) && strcmp(digits, m->checksum) == 0;
}

Status model_unchanged(const Model *m, Status s, Error *e)
{
    for (; m; m = m->first) {
        long long touched;
        if (filemap_unchanged(&m->ps.file, &touched) && (!touched || has_bytes(m))) {
            if (touched) filemap_accept(&m->ps.file, touched);
            continue;
        }
        if (e) *e = (Error){ 0 };
        return error_at(e, ERR_IO, m->path, 0, 0, "the model file was changed while it was read");
    }
    return s;
}

DType model_store_choice(int k)
{
    static const DType choices[] = { DT_F32, DT_F16, DT_BF16, DT_I8, DT_U8 }; /* as in MODEL_STORE_CHOICES */
    return choices[k];
}

Status model_storage(ModelStorage *s, const Model *m, const char *path, Error *e)
{
    SafeTensors st;
    *s = (ModelStorage){ 0 };
    Status status = safetensors_open(&st, path, e);
    if (status != OK) return status;
    s->bytes = st.map.size;
    for (int k = 0; k < m->ps.n; k++) {
        const StTensor *t = safetensors_find(&st, m->ps.p[k].name);
        if (t) s->numbers[t->dtype] += param_count(&m->ps.p[k]);
    }
    status = safetensors_end(&st, OK, e);
    safetensors_close(&st);
    return status;
}

void model_storage_text(const ModelStorage *s, StrBuf *out)
{
    strbuf_printf(out, "%zu bytes", s->bytes);
    for (int d = 0; d < DTYPES; d++)
        if (s->numbers[d]) strbuf_printf(out, ", %s %zu", model_stored_name((DType)d), s->numbers[d]);
}

const char *model_stored_name(DType dtype) { return dtype == DT_U8 ? "I4" : dtype_name(dtype); }

int model_format(const Model *m)
{
    if (m->pretrained.d_model) return 4;
    if (task_key(m->task)) return 3;
    return encoder_options_plain(&m->options) && !m->kept ? 1 : 2;
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
