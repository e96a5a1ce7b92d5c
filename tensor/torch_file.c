/* The storages of both forms are found by name; then each tensor is a part of one. */
#include "tensor/torch_file.h"

#include "base/zip.h"
#include "tensor/torch_pickle.h"

enum { LEGACY_VERSION = 1001, MOST_PREFIX = 200, MOST_NAME = 400 };

/* The first pickle of a file that is no zip archive: a number. */
static const char MAGIC[] = "\x80\2\x8a\xa\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

typedef struct TorchFile {
    SafeTensors *st;
    StrView bytes;
    Zip zip;            /* of a file that is no archive: its storages */
    const char *prefix; /* of the names of storages */
    TorchPickle pickle;
    Error *e;
} TorchFile;

static Status bad(const TorchFile *f, size_t place, const char *what)
{
    return error_at(f->e, ERR_FORMAT, f->st->path, 0, 0, "byte %zu: %s", place, what);
}

static Status no_memory(const TorchFile *f)
{
    return error_set(f->e, ERR_NOMEM, "out of memory reading %s", f->st->path);
}

/* A storage: ('storage', type, key, device, number of numbers), in older files with a view, which is None. */
static bool is_storage(const TorchValue *x)
{
    return x->kind == TORCH_STORAGE && (x->n == 5 || (x->n == 6 && x->item[5]->kind == TORCH_OTHER)) &&
           x->item[1]->kind == TORCH_TYPE && x->item[2]->kind == TORCH_TEXT && x->item[4]->kind == TORCH_NUMBER;
}

/* The size of its numbers in bytes; false if they are more than `most`. */
static bool storage_size(const TorchValue *x, size_t most, size_t *bytes)
{
    size_t each = dtype_size((DType)x->item[1]->number);
    if (x->item[4]->number < 0 || (unsigned long long)x->item[4]->number > most / each) return false;
    *bytes = (size_t)x->item[4]->number * each;
    return true;
}

/* The bytes of a storage; ptr NULL if the file does not have them. */
static StrView find_storage(const TorchFile *f, const TorchValue *x)
{
    char name[MOST_NAME];
    StrView key = x->item[2]->text;
    size_t size, n = strlen(f->prefix);
    if (key.len > sizeof name - n) return (StrView){ 0 };
    memcpy(name, f->prefix, n);
    memcpy(name + n, key.ptr, key.len);
    int k = map_find(&f->zip.names, name, n + key.len);
    if (k < 0 || !storage_size(x, f->zip.file[k].len, &size)) return (StrView){ 0 };
    return (StrView){ f->zip.file[k].ptr, size };
}

/* ---- a zip archive */

static Status read_archive(TorchFile *f, TorchValue **root)
{
    static const char pickle[] = "data.pkl";
    Status s = zip_open(&f->zip, f->bytes, f->st->path, f->e);
    if (s != OK) return s;
    StrView found = { 0 }, order = { 0 };
    for (int k = 0; k < f->zip.names.n && !found.ptr; k++) {
        const char *name = f->zip.names.keys[k], *slash = strchr(name, '/');
        if (!slash || strcmp(slash + 1, pickle) != 0 || slash - name > MOST_PREFIX) continue;
        found = f->zip.file[k];
        char *prefix = arena_alloc(&f->st->arena, (size_t)(slash - name) + sizeof "/byteorder", 1);
        if (!prefix) return no_memory(f);
        memcpy(prefix, name, (size_t)(slash - name));
        strcpy(prefix + (slash - name), "/byteorder"); /* of newer files */
        int o = map_find(&f->zip.names, prefix, strlen(prefix));
        if (o >= 0) order = f->zip.file[o];
        strcpy(prefix + (slash - name), "/data/");
        f->prefix = prefix;
    }
    if (!found.ptr) return bad(f, 0, "found an archive without FOLDER/data.pkl, expected one");
    if (order.ptr && !text_equal(order, "little"))
        return bad(f, (size_t)(order.ptr - f->bytes.ptr), "found another byte order, expected little");
    f->pickle.at = (size_t)(found.ptr - f->bytes.ptr);
    f->pickle.end = f->pickle.at + found.len;
    return torch_pickle_read(&f->pickle, root, f->e);
}

/* ---- the older form: magic number, version, byte order and sizes, tensors, keys of storages, storages */

static Status read_legacy_start(TorchFile *f)
{
    TorchValue *version, *machine;
    f->prefix = "";
    map_init(&f->zip.names);
    f->pickle.at = sizeof MAGIC - 1;
    f->pickle.end = f->bytes.len;
    Status s = torch_pickle_read(&f->pickle, &version, f->e);
    if (s != OK) return s;
    if (version->kind != TORCH_NUMBER || version->number != LEGACY_VERSION)
        return bad(f, version->place, "found another version, expected 1001");
    s = torch_pickle_read(&f->pickle, &machine, f->e);
    for (int k = 0; s == OK && machine->kind == TORCH_DICT && k < machine->n; k += 2)
        if (machine->item[k]->kind == TORCH_TEXT && text_equal(machine->item[k]->text, "little_endian") &&
            machine->item[k + 1]->number != 1)
            return bad(f, machine->item[k]->place, "found another byte order, expected little");
    return s;
}

/* Storage k of the file, after its number of numbers, in 8 bytes. */
static Status read_legacy_storage(TorchFile *f, const TorchValue *x, int k)
{
    enum { COUNT = 8 };
    TorchPickle *p = &f->pickle;
    size_t size;
    if (p->end - p->at < COUNT || !storage_size(x, p->end - p->at - COUNT, &size))
        return bad(f, p->at, "found the end within a storage, expected more");
    unsigned long long count = 0;
    for (int i = COUNT - 1; i >= 0; i--) count = count << 8 | (unsigned char)f->bytes.ptr[p->at + (size_t)i];
    if (count != (unsigned long long)x->item[4]->number)
        return bad(f, p->at, "found a storage of another size than its tensors say");
    f->zip.file[k] = (StrView){ f->bytes.ptr + p->at + COUNT, size };
    p->at += COUNT + size;
    return OK;
}

static Status read_legacy(TorchFile *f, TorchValue **root)
{
    TorchValue *keys;
    Status s = read_legacy_start(f);
    if (s == OK) s = torch_pickle_read(&f->pickle, root, f->e);
    if (s != OK) return s;
    const TorchValue *all = &f->pickle.storage;
    const TorchValue **of_key = arena_alloc(&f->st->arena, (size_t)all->n, sizeof(const TorchValue *));
    f->zip.file = mem_calloc((size_t)all->n, sizeof *f->zip.file);
    if (!of_key || !f->zip.file) return no_memory(f);
    for (int k = 0; k < all->n; k++) {
        if (!is_storage(all->item[k])) return bad(f, all->item[k]->place, "found another kind of storage");
        StrView key = all->item[k]->item[2]->text;
        if (memchr(key.ptr, 0, key.len)) return bad(f, all->item[k]->place, "found a NUL byte in a key");
        int i = map_add(&f->zip.names, key.ptr, key.len);
        if (i < 0) return no_memory(f);
        of_key[i] = all->item[k];
    }
    s = torch_pickle_read(&f->pickle, &keys, f->e);
    for (int k = 0; s == OK && k < keys->n; k++) {
        StrView key = keys->item[k]->kind == TORCH_TEXT ? keys->item[k]->text : (StrView){ "", 0 };
        int i = map_find(&f->zip.names, key.ptr, key.len);
        s = i < 0 ? bad(f, keys->place, "found the key of a storage that no tensor has")
                  : read_legacy_storage(f, of_key[i], i);
    }
    return s;
}

/* ---- tensors */

/* Sizes and strides; false if the numbers are in another order, or too many. */
static bool read_shape(StTensor *t, const TorchValue *sizes, const TorchValue *strides, size_t most)
{
    if (sizes->kind != TORCH_LIST || strides->kind != TORCH_LIST) return false;
    if (sizes->n > ST_MAX_DIMS || strides->n != sizes->n) return false;
    t->n_dims = sizes->n;
    t->count = 1;
    for (int d = 0; d < t->n_dims; d++) {
        const TorchValue *size = sizes->item[d];
        if (size->kind != TORCH_NUMBER || strides->item[d]->kind != TORCH_NUMBER) return false;
        if (size->number < 0 || (size->number && t->count > most / (unsigned long long)size->number)) return false;
        t->dim[d] = (long)size->number;
        t->count *= (size_t)size->number;
    }
    if (!t->count) return true;
    bool rows = true;
    long long step = 1; /* at most t->count */
    for (int d = t->n_dims - 1; d >= 0; d--) {
        rows = rows && (t->dim[d] == 1 || strides->item[d]->number == step);
        step *= t->dim[d];
    }
    t->transposed = !rows && t->n_dims == 2 && strides->item[0]->number == 1 && strides->item[1]->number == t->dim[0];
    return rows || t->transposed;
}

/* A tensor is made of (storage, offset, sizes, strides, ...). */
static Status add_tensor(TorchFile *f, StrView name, const TorchValue *x)
{
    const char *what;
    if (x->n < 4 || !is_storage(x->item[0]) || x->item[1]->kind != TORCH_NUMBER)
        return bad(f, x->place, "found a tensor of other values");
    StTensor t = { .dtype = (DType)x->item[0]->item[1]->number };
    StrView bytes = find_storage(f, x->item[0]);
    size_t room = bytes.len / dtype_size(t.dtype);
    if (!bytes.ptr) return bad(f, x->item[0]->place, "found no storage of this key and size, expected one");
    if (!read_shape(&t, x->item[2], x->item[3], room))
        return bad(f, x->place, "found a tensor of another shape, expected one of at most 4 dimensions, row by row");
    if (x->item[1]->number < 0 || (unsigned long long)x->item[1]->number > room - t.count)
        return bad(f, x->place, "found a tensor outside its storage");
    t.data = (const unsigned char *)bytes.ptr + (size_t)x->item[1]->number * dtype_size(t.dtype);
    for (size_t k = 0; k < name.len; k++)
        if ((unsigned char)name.ptr[k] < 0x20 || name.ptr[k] == 0x7f)
            return bad(f, x->place, "found a name with a control character, expected text");
    if (text_fault(name, &what) < name.len) return bad(f, x->place, "found a name that is not UTF-8, expected text");
    int before = f->st->names.n, k = map_add(&f->st->names, name.ptr, name.len);
    if (k < 0) return no_memory(f);
    if (k < before) return bad(f, x->place, "found a name for the second time");
    t.name = f->st->names.keys[k];
    f->st->t[k] = t;
    return OK;
}

static Status add_tensors(TorchFile *f, const TorchValue *root)
{
    bool pairs = root->kind == TORCH_PAIRS;
    if (!pairs && root->kind != TORCH_DICT) return bad(f, root->place, "found no dictionary, expected one of tensors");
    f->st->t = mem_calloc((size_t)root->n + 1, sizeof *f->st->t);
    Status s = f->st->t ? OK : no_memory(f);
    for (int k = 0; k < root->n && s == OK; k += pairs ? 1 : 2) {
        if (pairs && root->item[k]->n < 2) continue;
        TorchValue *const *item = pairs ? root->item[k]->item : root->item + k;
        if (item[0]->kind == TORCH_TEXT && item[1]->kind == TORCH_TENSOR) s = add_tensor(f, item[0]->text, item[1]);
    }
    return s;
}

static Status read_file(SafeTensors *st, Error *e)
{
    StrView bytes = { (const char *)st->map.data, st->map.size };
    TorchFile f = {
        .st = st, .bytes = bytes, .pickle = { .path = st->path, .file = bytes, .arena = &st->arena }, .e = e
    };
    TorchValue *root;
    Status s;
    if (bytes.len >= 4 && memcmp(bytes.ptr, "PK\3\4", 4) == 0) s = read_archive(&f, &root);
    else if (bytes.len >= sizeof MAGIC && memcmp(bytes.ptr, MAGIC, sizeof MAGIC - 1) == 0) s = read_legacy(&f, &root);
    else return bad(&f, 0, "found another beginning than that of PyTorch's weights, a zip archive or a pickle");
    if (s == OK) s = add_tensors(&f, root);
    zip_close(&f.zip);
    return s;
}

Status torch_file_open(SafeTensors *st, const char *path, Error *error)
{
    Status s = safetensors_map(st, path, 0, error);
    if (s == OK) s = read_file(st, error);
    if (s != OK) safetensors_close(st);
    return s;
}
