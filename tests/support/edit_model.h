/* Copies of a model file with other metadata or bytes. */
#pragma once

#include "base/file.h"
#include "tests/support/stfile.h"
#include "tests/support/toy.h"

static inline void file_bytes(StrBuf *out, const char *path) { assert_ok(file_read(path, out, test_error())); }

/* Copies the model `from` to `to` with one member of the JSON in its metadata `key` replaced; NULL removes it. A NULL
 * member replaces the whole text. */
static inline void edit_model_metadata(const char *from, const char *to, const char *key, const char *member,
                                       const char *value)
{
    FREED(strbuf_fini) StrBuf bytes = { 0 }, out = { 0 };
    FREED(stfile_free) StFile f;
    file_bytes(&bytes, from);
    assert_true(stfile_read(&f, (const uint8_t *)bytes.ptr, bytes.len));
    cJSON *meta = cJSON_GetObjectItem(f.root, "__metadata__"), *text = cJSON_GetObjectItem(meta, key),
          *j = cJSON_Parse(text->valuestring);
    assert_non_null(j);
    if (member) {
        cJSON_DeleteItemFromObject(j, member);
        if (value) cJSON_AddItemToObject(j, member, cJSON_CreateRaw(value));
    }
    char *print = cJSON_PrintUnformatted(j);
    cJSON_ReplaceItemInObject(meta, key, cJSON_CreateString(member ? print : value));
    stfile_print(&f, &out);
    stfile_seal(out.ptr, out.len);
    write_bytes(to, out.ptr, out.len);
    cJSON_free(print);
    cJSON_Delete(j);
}

/* Copies `from` to `to` with other bytes in a tensor, from byte `at` of it on. */
static inline void edit_bytes(const char *from, const char *to, const char *name, size_t at, const void *value,
                              size_t size)
{
    FREED(strbuf_fini) StrBuf bytes = { 0 };
    FREED(safetensors_close) SafeTensors st;
    file_bytes(&bytes, from);
    assert_ok(safetensors_open(&st, from, test_error()));
    const StTensor *t = safetensors_find(&st, name);
    assert_non_null(t);
    assert_true(at + size <= t->count * dtype_size(t->dtype));
    memcpy(bytes.ptr + (t->data - st.map.data) + at, value, size);
    stfile_seal(bytes.ptr, bytes.len);
    write_bytes(to, bytes.ptr, bytes.len);
}

/* Loading the model fails with "PATH: message". */
static inline void assert_refused(const char *path, Status status, const char *message)
{
    char whole[900];
    snprintf(whole, sizeof whole, "%s: %s", path, message);
    MADE(Model, model_init, model_fini, m);
    assert_fails(model_load(&m, path, NULL, test_error()), status, whole);
}
