/* Splits a safetensors file into header and data and joins them again, valid or not, for tests
 * and fuzz targets that damage the file. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parser/model/model_file.h"

typedef struct StFile {
    cJSON *root;   /* the header */
    uint8_t *data; /* [size] the bytes after the header */
    size_t size;
} StFile;

static inline void stfile_free(StFile *f)
{
    cJSON_Delete(f->root);
    free(f->data);
}

/* false if the header is not a JSON object. stfile_free must be called in any case. */
static inline bool stfile_read(StFile *f, const uint8_t *p, size_t size)
{
    uint64_t len = 0;
    for (int i = 7; i >= 0 && size >= 8; i--) len = len << 8 | p[i];
    *f = (StFile){ NULL, NULL, 0 };
    if (size < 8 || len > size - 8) return false;
    f->root = cJSON_ParseWithLength((const char *)p + 8, (size_t)len);
    f->size = size - 8 - (size_t)len;
    f->data = malloc(f->size + 1);
    if (!f->data) abort();
    memcpy(f->data, p + 8 + len, f->size);
    return cJSON_IsObject(f->root);
}

/* Appends the file. A checksum is preceded by the same blanks as in files of stwriter_metadata, so that it is found. */
static inline void stfile_print(const StFile *f, StrBuf *out)
{
    static const char tight[] = "{\"__metadata__\":{\"lal.checksum\":\"",
                      loose[] = "{\"__metadata__\": {\"lal.checksum\": \"";
    char *text = cJSON_PrintUnformatted(f->root);
    if (!text) abort();
    bool model = strncmp(text, tight, sizeof tight - 1) == 0;
    size_t len = strlen(text) + (model ? sizeof loose - sizeof tight : 0);
    for (int i = 0; i < 8; i++) strbuf_putc(out, (char)(len >> (8 * i) & 255));
    if (model) strbuf_puts(out, loose);
    strbuf_puts(out, text + (model ? sizeof tight - 1 : 0));
    strbuf_add(out, (const char *)f->data, f->size);
    cJSON_free(text);
}

/* Corrects the checksum of a model, if the file has one. */
static inline void stfile_seal(char *p, size_t size)
{
    char digits[17];
    const unsigned char *bytes = (const unsigned char *)p, *place = model_checksum(bytes, size, digits);
    if (place) memcpy(p + (place - bytes), digits, 16);
}
