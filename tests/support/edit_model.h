/* tests/support/edit_model.h: copies of a model file with other metadata or bytes. */
#ifndef LAL_TESTS_SUPPORT_EDIT_MODEL_H
#define LAL_TESTS_SUPPORT_EDIT_MODEL_H

#include "base/file.h"
#include "tests/support/stfile.h"
#include "tests/support/toy.h"

static inline void file_bytes(StrBuf *out, const char *path)
{
    Error e = { 0 };
    assert_int_equal(file_read(path, out, &e), OK);
}

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
    SafeTensors st;
    Error e = { 0 };
    file_bytes(&bytes, from);
    assert_int_equal(safetensors_open(&st, from, &e), OK);
    const StTensor *t = safetensors_find(&st, name);
    assert_non_null(t);
    assert_true(at + size <= t->count * dtype_size(t->dtype));
    memcpy(bytes.ptr + (t->data - st.map.data) + at, value, size);
    safetensors_close(&st);
    stfile_seal(bytes.ptr, bytes.len);
    write_bytes(to, bytes.ptr, bytes.len);
}

#endif
