/* Mutations of a safetensors file that keep most of it valid, so that a reader gets
 * past the header. The header, and JSON in the metadata, are edited as JSON; tensors get special numbers, other shapes
 * and bytes; then, in most cases, offsets and checksum are corrected. */
#pragma once

#include "base/rng.h"
#include "tests/support/stfile.h"

/* Mutates bytes; defined by libFuzzer or tests/fuzz/replay.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

typedef struct Draw {
    uint64_t key, n;
} Draw;

/* 0 .. n - 1 */
static inline int draw(Draw *d, int n) { return (int)(rng_uniform(d->key, d->n++) * n); }

/* ---- edits of JSON */

static inline cJSON *pick(Draw *d, const cJSON *parent)
{
    int n = cJSON_GetArraySize(parent);
    return n ? cJSON_GetArrayItem(parent, draw(d, n)) : NULL;
}

static inline cJSON *odd_value(Draw *d)
{
    static const char *const numbers[] = { "0",           "1",          "-1",         "0.5",        "2",
                                           "3",           "255",        "2147483647", "2147483648", "4294967297",
                                           "-2147483648", "9.0072e+15", "1e18",       "1e300",      "-1e9",
                                           "1e999",       "-1e999",     "1e-320" };
    static const char *const texts[] = { "",   "x",  "F32",  "F64",  "F16", "BF16", "I32",   "I64",
                                         "U8", "I8", "true", "null", "{}",  "[[]]", "1e999", "\x1b[2J" };
    cJSON *x;
    switch (draw(d, 9)) {
    case 0: return cJSON_CreateNull();
    case 1: return cJSON_CreateBool(draw(d, 2));
    case 2: return cJSON_CreateArray();
    case 3: return cJSON_CreateObject();
    case 4: return cJSON_CreateString(texts[draw(d, sizeof texts / sizeof *texts)]);
    case 5: return cJSON_CreateStringArray(texts, draw(d, 3));
    case 6:
        x = cJSON_CreateArray();
        for (int depth = draw(d, 30); depth > 0; depth--) {
            cJSON *outer = cJSON_CreateArray();
            cJSON_AddItemToArray(outer, x);
            x = outer;
        }
        return x;
    default: return cJSON_CreateRaw(numbers[draw(d, sizeof numbers / sizeof *numbers)]);
    }
}

static inline void add_member(cJSON *parent, const char *name, cJSON *x)
{
    if (cJSON_IsObject(parent)) cJSON_AddItemToObject(parent, name ? name : "", x);
    else cJSON_AddItemToArray(parent, x);
}

/* Replaces x by a value, with the same name if x is a member of an object. */
static inline void replace(cJSON *parent, cJSON *x, cJSON *value)
{
    if (x->string) { /* the name must be allocated by the library, which frees it */
        cJSON *named = cJSON_CreateObject();
        cJSON_AddItemToObject(named, x->string, value);
        cJSON_DetachItemViaPointer(named, value);
        cJSON_Delete(named);
    }
    cJSON_ReplaceItemViaPointer(parent, x, value);
}

static inline void nudge(Draw *d, cJSON *x)
{
    double v = x->valuedouble;
    switch (draw(d, 5)) {
    case 0: v += 1; break;
    case 1: v -= 1; break;
    case 2: v *= 2; break;
    case 3: v = -v; break;
    default: v += 0.5; break;
    }
    cJSON_SetNumberValue(x, v);
}

/* Moves some members of an object into a second one of the same name. */
static inline void split(Draw *d, cJSON *parent, cJSON *x)
{
    cJSON *second = cJSON_CreateObject(), *next;
    for (cJSON *member = x->child; member; member = next) {
        next = member->next;
        if (draw(d, 2)) cJSON_AddItemToObject(second, member->string, cJSON_DetachItemViaPointer(x, member));
    }
    add_member(parent, x->string, second);
}

/* One edit of a random item below root. */
static inline void edit_json(Draw *d, cJSON *root)
{
    static const char *const names[] = { "__metadata__", "lal.checksum", "lal.config",   "lal.state",
                                         "dtype",        "shape",        "data_offsets", "x" };
    cJSON *parent = root, *x = pick(d, root);
    while (x && x->child && draw(d, 4)) {
        parent = x;
        x = pick(d, x);
    }
    if (!x) return;
    const cJSON *other = pick(d, parent);
    int what = draw(d, 9);
    if (what < 3 && cJSON_IsNumber(x)) nudge(d, x);
    else if (what < 4) replace(parent, x, odd_value(d));
    else if (what == 4) add_member(draw(d, 3) ? parent : root, x->string, cJSON_Duplicate(x, true));
    else if (what == 5) cJSON_Delete(cJSON_DetachItemViaPointer(parent, x));
    else if (what == 7 && cJSON_IsObject(x)) split(d, parent, x);
    else if (what == 6 && x->string) { /* renamed, and moved to the end */
        const char *name = draw(d, 2) && other->string ? other->string : names[draw(d, sizeof names / sizeof *names)];
        cJSON *copy = cJSON_Duplicate(x, true);
        add_member(parent, name, copy);
        cJSON_Delete(cJSON_DetachItemViaPointer(parent, x));
    } else replace(parent, x, cJSON_Duplicate(other, true));
}

/* One edit of JSON in a string of the metadata: configuration, state, summary. */
static inline void edit_metadata(Draw *d, cJSON *root)
{
    cJSON *meta = cJSON_GetObjectItemCaseSensitive(root, "__metadata__"), *x = pick(d, meta);
    for (int k = 0; x && k < 10 && (!cJSON_IsString(x) || x->valuestring[0] != '{'); k++) x = pick(d, meta);
    cJSON *inner = x && cJSON_IsString(x) ? cJSON_Parse(x->valuestring) : NULL;
    if (inner) {
        edit_json(d, inner);
        char *text = cJSON_PrintUnformatted(inner);
        if (text) replace(meta, x, cJSON_CreateString(text));
        cJSON_free(text);
    }
    cJSON_Delete(inner);
}

/* ---- tensors */

static inline size_t dtype_bytes(const cJSON *entry)
{
    static const struct {
        const char *name;
        size_t size;
    } sizes[] = { { "F32", 4 }, { "F64", 8 }, { "F16", 2 }, { "BF16", 2 },
                  { "I32", 4 }, { "I64", 8 }, { "U8", 1 },  { "I8", 1 } };
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(entry, "dtype");
    for (size_t k = 0; cJSON_IsString(dtype) && k < sizeof sizes / sizeof *sizes; k++)
        if (strcmp(dtype->valuestring, sizes[k].name) == 0) return sizes[k].size;
    return 0;
}

static inline bool is_text(const cJSON *entry)
{
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(entry, "dtype");
    return cJSON_IsString(dtype) && strcmp(dtype->valuestring, "U8") == 0;
}

/* Replaces the list of numbers in a member of the entry, if it has that member. */
static inline void set_numbers(cJSON *entry, const char *name, const double *values, int n)
{
    cJSON *list = cJSON_CreateDoubleArray(values, n);
    if (!cJSON_ReplaceItemInObjectCaseSensitive(entry, name, list)) cJSON_Delete(list);
}

/* The place of the entry's data; false if its offsets are not valid. */
static inline bool place_of(const StFile *f, const cJSON *entry, size_t *from, size_t *n)
{
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets"), *a = cJSON_GetArrayItem(offsets, 0),
                *b = a ? a->next : NULL;
    if (!cJSON_IsNumber(a) || !cJSON_IsNumber(b)) return false;
    if (!(a->valuedouble >= 0 && b->valuedouble >= a->valuedouble && b->valuedouble <= (double)f->size)) return false;
    *from = (size_t)a->valuedouble;
    *n = (size_t)b->valuedouble - *from;
    return true;
}

/* Lays out the tensors again, with sizes that agree with their shapes: data is truncated or repeated. The data of
 * `entry` (or NULL) is replaced by the n bytes given. Entries with invalid offsets are not changed. */
static inline void put_right(StFile *f, const cJSON *entry, const uint8_t *bytes, size_t n, size_t most)
{
    uint8_t *data = malloc(most + 1);
    size_t at = 0, from, old;
    cJSON *x;
    if (!data) abort();
    cJSON_ArrayForEach(x, f->root)
    {
        double want = (double)dtype_bytes(x);
        const cJSON *dim;
        if (!place_of(f, x, &from, &old)) continue;
        cJSON_ArrayForEach(dim, cJSON_GetObjectItemCaseSensitive(x, "shape")) want *= dim->valuedouble;
        if (x == entry) want = (double)n;
        if (!(want >= 0 && want <= (double)(most - at))) continue;
        const uint8_t *source = x == entry ? bytes : f->data + from;
        size_t have = x == entry ? n : old;
        for (size_t i = 0; i < (size_t)want; i++) data[at + i] = have ? source[i % have] : 0;
        double ends[2] = { (double)at, (double)(at + (size_t)want) };
        set_numbers(x, "data_offsets", ends, 2);
        at += (size_t)want;
    }
    free(f->data);
    f->data = data;
    f->size = at;
}

/* Writes a special number to a tensor of numbers, or mutates the bytes of a tensor of text. */
static inline void edit_tensor(Draw *d, StFile *f, size_t most)
{
    static const uint32_t odd[] = { 0x7fc00000, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff,
                                    0x00000001, 0x80000000, 0x5f000000, 0xbf800000 };
    cJSON *x = pick(d, f->root);
    size_t from, n, size = dtype_bytes(x);
    for (int k = 0; k < 20 && x && draw(d, 3) && !is_text(x); k++) { /* prefers tensors of text, which are few */
        x = pick(d, f->root);
        size = dtype_bytes(x);
    }
    if (!x || !size || !place_of(f, x, &from, &n)) return;
    if (!is_text(x)) {
        uint32_t v = odd[draw(d, sizeof odd / sizeof *odd)];
        if (size < 4) v >>= 32 - 8 * size;
        size_t at = n >= size ? (size_t)draw(d, (int)(n / size)) * size : 0;
        if (n >= size) memcpy(f->data + from + at + (size > 4 ? 4 : 0), &v, size < 4 ? size : 4);
        return;
    }
    size_t room = n + 64;
    uint8_t *copy = malloc(room);
    if (!copy) abort();
    memcpy(copy, f->data + from, n);
    if (n) n = LLVMFuzzerMutate(copy, n, room);
    double dim = (double)n;
    set_numbers(x, "shape", &dim, 1);
    put_right(f, x, copy, n, most);
    free(copy);
}

/* ---- the whole file */

/* The mutator of the target that includes this file. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    Draw d = { rng_key(seed, 0x5afe, 0, 0), 0 };
    StFile f;
    StrBuf out = { 0 };
    bool sound = stfile_read(&f, data, size);
    if (!sound || !draw(&d, 20)) {
        stfile_free(&f);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    cJSON *meta = cJSON_GetObjectItemCaseSensitive(f.root, "__metadata__");
    if (cJSON_IsObject(meta) && !draw(&d, 16)) split(&d, f.root, meta);
    for (int edits = 1 + draw(&d, 3); edits > 0; edits--) {
        int what = draw(&d, 8);
        if (what < 3) edit_metadata(&d, f.root);
        else if (what < 5) edit_tensor(&d, &f, max_size);
        else edit_json(&d, f.root);
    }
    if (draw(&d, 8)) put_right(&f, NULL, NULL, 0, max_size);
    stfile_print(&f, &out);
    stfile_free(&f);
    if (draw(&d, 16)) stfile_seal(out.ptr, out.len);
    if (out.len <= max_size) memcpy(data, out.ptr, size = out.len);
    strbuf_fini(&out);
    return size;
}
