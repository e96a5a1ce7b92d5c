/* parser/model_file.c */
#include "parser/model_file.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "base/rng.h"

/* The metadata value holds 16 hexadecimal digits; the hash is taken with them as '0'. The key stands first in the file. */
static const char CHECKSUM_KEY[] = "lal.checksum";
static const char CHECKSUM_ZERO[] = "0000000000000000";

typedef struct VocabSlot {
    const char *name;
    size_t offset;
} VocabSlot;

static const VocabSlot VOCABS[] = {
    { "vocab.words", offsetof(Model, words) },     { "vocab.tags", offsetof(Model, tags) },   { "vocab.labels", offsetof(Model, labels) },
    { "vocab.types", offsetof(Model, types) },     { "vocab.chars", offsetof(Model, chars) }, { "vocab.treebanks", offsetof(Model, treebanks) },
    { "vocab.vectors", offsetof(Model, vectors) },
};
enum { N_VOCABS = sizeof VOCABS / sizeof *VOCABS };

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

/* Where the digits of the checksum stand in a header, or NULL. */
static const unsigned char *checksum_place(const unsigned char *p, size_t size)
{
    static const char before[] = "{\"__metadata__\": {\"lal.checksum\": \"";
    size_t len = sizeof before - 1;
    return size >= 8 + len + 16 && memcmp(p + 8, before, len) == 0 ? p + 8 + len : NULL;
}

static bool file_hash(const unsigned char *p, size_t size, char digits[17])
{
    const unsigned char *place = checksum_place(p, size);
    if (!place) return false;
    size_t head = (size_t)(place - p);
    uint64_t h = hash_bytes(size, p, head);
    h = hash_bytes(h, (const unsigned char *)CHECKSUM_ZERO, 16);
    h = hash_bytes(h, place + 16, size - head - 16);
    snprintf(digits, 17, "%016llx", (unsigned long long)h);
    return true;
}

/* ---- writing */

static void declare_slab(StWriter *w, const Model *m, const char *prefix, DType dtype)
{
    char name[PARAM_NAME_MAX + 32];
    for (int k = 0; k < m->ps.n; k++) {
        if (prefix[0] && m->ps.p[k].frozen) continue;
        snprintf(name, sizeof name, "%s%s", prefix, m->ps.p[k].name);
        stwriter_declare(w, name, dtype, m->ps.p[k].dim, m->ps.p[k].n_dims);
    }
}

static void write_slab(StWriter *w, const Model *m, const char *prefix, const Real *values, DType dtype)
{
    for (int k = 0; k < m->ps.n; k++)
        if (!prefix[0] || !m->ps.p[k].frozen) stwriter_reals(w, dtype, values + m->ps.p[k].offset, param_count(&m->ps.p[k]));
}

/* Puts the checksum into the temporary file. */
static Status seal(StWriter *w, Error *e)
{
    if (!w->file.temporary[0]) return OK;  /* written to a device: nothing to read back */
    if (fflush(w->file.f) != 0) return OK; /* the error shows when the writer closes */
    FileMap map;
    char digits[17];
    Status s = filemap_open(&map, w->file.temporary, e);
    if (s != OK) return s;
    const unsigned char *place = checksum_place(map.data, map.size);
    long at = place ? (long)(place - map.data) : 0;
    bool ok = file_hash(map.data, map.size, digits);
    filemap_close(&map);
    if (!ok || fseek(w->file.f, at, SEEK_SET) != 0) return error_set(e, ERR_IO, "%s: cannot write the checksum", w->file.path);
    filewriter_write(&w->file, digits, 16);
    return OK;
}

Status model_save(const Model *m, const char *path, DType dtype, const ExtraSlab *extra, int n_extra, const char *state, Error *e)
{
    StWriter w;
    StrBuf text[N_VOCABS] = { { 0 } }, config = { 0 }, version = { 0 };
    DType exact = sizeof(Real) == 8 ? DT_F64 : DT_F32;
    stwriter_init(&w);
    options_to_json(MODEL_OPTIONS, &m->c, &config);
    strbuf_printf(&version, "%d", MODEL_FORMAT_VERSION);
    stwriter_metadata(&w, CHECKSUM_KEY, CHECKSUM_ZERO);
    stwriter_metadata(&w, "lal.format", version.ptr ? version.ptr : "");
    stwriter_metadata(&w, "lal.program", LAL_VERSION);
    stwriter_metadata(&w, "lal.config", config.ptr ? config.ptr : "");
    stwriter_metadata(&w, "lal.treebank", vocab_text(&m->treebanks, m->default_treebank));
    if (m->summary) stwriter_metadata(&w, "lal.summary", m->summary);
    if (state) stwriter_metadata(&w, "lal.state", state);
    /* weights first, so that they stand aligned; in double builds exact ones too */
    if (sizeof(Real) == 8 && dtype == DT_F32) dtype = DT_F64;
    declare_slab(&w, m, "", dtype);
    for (int k = 0; k < n_extra; k++) declare_slab(&w, m, extra[k].prefix, exact);
    for (int k = 0; k < N_VOCABS; k++) {
        vocab_write((const Vocab *)((const char *)m + VOCABS[k].offset), &text[k]);
        if (!text[k].len) continue; /* no static vectors */
        int len = (int)text[k].len;
        stwriter_declare(&w, VOCABS[k].name, DT_U8, &len, 1);
    }
    Status s = config.failed || version.failed ? error_set(e, ERR_NOMEM, "out of memory saving %s", path) : stwriter_begin(&w, path, e);
    for (int k = 0; k < N_VOCABS; k++)
        if (s == OK && text[k].failed) s = error_set(e, ERR_NOMEM, "out of memory saving %s", path);
    if (s == OK) {
        write_slab(&w, m, "", m->ps.values, dtype);
        for (int k = 0; k < n_extra; k++) write_slab(&w, m, extra[k].prefix, extra[k].values, exact);
        for (int k = 0; k < N_VOCABS; k++)
            if (text[k].len) stwriter_bytes(&w, text[k].ptr, text[k].len);
        if (!w.file.error) s = seal(&w, e);
    }
    Status closed = stwriter_end(&w, s == OK, e);
    for (int k = 0; k < N_VOCABS; k++) strbuf_fini(&text[k]);
    strbuf_fini(&config);
    strbuf_fini(&version);
    return s != OK ? s : closed;
}

/* ---- reading */

static Status check_file(const SafeTensors *st, Error *e)
{
    const char *format = safetensors_metadata(st, "lal.format"), *sum = safetensors_metadata(st, CHECKSUM_KEY);
    if (!format || !sum)
        return error_at(e, ERR_FORMAT, st->path, 0, 0, "found a safetensors file without lal.format, expected a model of this program");
    int version = 0;
    for (const char *p = format; *p >= '0' && *p <= '9' && version < 1000000; p++) version = 10 * version + (*p - '0');
    if (version > MODEL_FORMAT_VERSION)
        return error_at(e, ERR_FORMAT, st->path, 0, 0, "found model format %d, this program reads up to %d: a newer program made it", version,
                        MODEL_FORMAT_VERSION);
    char digits[17];
    if (!file_hash(st->map.data, st->map.size, digits) || strcmp(digits, sum) != 0)
        return error_at(e, ERR_FORMAT, st->path, 0, 0, "the checksum does not match: the file is damaged");
    return OK;
}

static Status read_vocabs(Model *m, const SafeTensors *st, Error *e)
{
    for (int k = 0; k < N_VOCABS; k++) {
        const StTensor *t = safetensors_find(st, VOCABS[k].name);
        if (!t && VOCABS[k].offset == offsetof(Model, vectors)) continue; /* there are none */
        if (!t || t->dtype != DT_U8) return error_at(e, ERR_FORMAT, st->path, 0, 0, "no vocabulary %s", VOCABS[k].name);
        Status s = vocab_read((Vocab *)((char *)m + VOCABS[k].offset), (StrView){ (const char *)t->data, t->count }, VOCABS[k].name, e);
        if (s != OK) return s;
    }
    VocabSizes n = model_sizes(m);
    if (n.words < N_RESERVED || n.tags <= N_RESERVED || n.chars < N_CHAR_RESERVED || n.treebanks < 1 || n.types < 1)
        return error_at(e, ERR_FORMAT, st->path, 0, 0, "a vocabulary lacks its reserved values");
    return OK;
}

static Status read_slab(const Model *m, const SafeTensors *st, const char *prefix, Real *values, Error *e)
{
    char name[PARAM_NAME_MAX + 32];
    for (int k = 0; k < m->ps.n; k++) {
        const Param *p = &m->ps.p[k];
        if (prefix[0] && p->frozen) continue;
        snprintf(name, sizeof name, "%s%s", prefix, p->name);
        const StTensor *t = safetensors_find(st, name);
        if (!t) return error_at(e, ERR_CONFIG, st->path, 0, 0, "no tensor %s, which the configuration asks for", name);
        bool same = t->n_dims == p->n_dims;
        for (int d = 0; same && d < p->n_dims; d++) same = t->dim[d] == p->dim[d];
        if (!same) return error_at(e, ERR_CONFIG, st->path, 0, 0, "tensor %s has another shape than the configuration asks for", name);
        Status s = safetensors_reals(st, t, values + p->offset, e);
        if (s != OK) return s;
    }
    return OK;
}

static char *copy_text(const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = mem_alloc(n, 1);
    if (p) memcpy(p, s, n);
    return p;
}

static Status read_config(Model *m, const SafeTensors *st, Arena *strings, Error *e)
{
    const char *text = safetensors_metadata(st, "lal.config");
    cJSON *j = text ? cJSON_Parse(text) : NULL;
    options_defaults(MODEL_OPTIONS, &m->c);
    Status s =
        j ? options_from_json(MODEL_OPTIONS, &m->c, j, strings, st->path, e) : error_at(e, ERR_FORMAT, st->path, 0, 0, "no readable configuration");
    cJSON_Delete(j);
    return s;
}

Status model_load(Model *m, const char *path, char **state, Error *e)
{
    SafeTensors st;
    Arena strings;
    if (state) *state = NULL;
    Status s = safetensors_open(&st, path, e);
    if (s != OK) return s;
    arena_init(&strings, 4096);
    s = check_file(&st, e);
    if (s == OK) s = read_config(m, &st, &strings, e);
    if (s == OK) s = read_vocabs(m, &st, e);
    if (s == OK) s = model_build(m, e);
    if (s == OK) s = read_slab(m, &st, "", m->ps.values, e);
    if (s == OK) {
        const char *summary = safetensors_metadata(&st, "lal.summary"), *saved = safetensors_metadata(&st, "lal.state");
        const char *treebank = safetensors_metadata(&st, "lal.treebank");
        int k = treebank ? vocab_find(&m->treebanks, treebank) : 0;
        m->default_treebank = k < 0 ? 0 : k;
        if (summary && !(m->summary = copy_text(summary))) s = error_set(e, ERR_NOMEM, "out of memory loading %s", path);
        if (state && saved && !(*state = copy_text(saved))) s = error_set(e, ERR_NOMEM, "out of memory loading %s", path);
    }
    arena_fini(&strings);
    safetensors_close(&st);
    return s;
}

Status model_load_extra(const Model *m, const char *path, const ExtraSlab *extra, int n_extra, Error *e)
{
    SafeTensors st;
    Status s = safetensors_open(&st, path, e);
    if (s != OK) return s;
    for (int k = 0; k < n_extra && s == OK; k++) s = read_slab(m, &st, extra[k].prefix, extra[k].values, e);
    safetensors_close(&st);
    return s;
}
