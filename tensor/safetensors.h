/* The safetensors format: 8 bytes little-endian header length, a JSON header {name: {dtype, shape, data_offsets}},
 * data. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "base/filemap.h"
#include "base/map.h"
#include "tensor/tensor.h"

typedef enum DType { DT_F32, DT_F64, DT_F16, DT_BF16, DT_I32, DT_I64, DT_U8, DT_I8, DTYPES } DType;

enum {
    ST_MAX_DIMS = 4,
    ST_MAX_HEADER = 4 << 20 /* bytes; parsed as JSON it may take forty times as much memory */
};

typedef struct StTensor {
    const char *name;
    DType dtype;
    int n_dims;
    long dim[ST_MAX_DIMS];
    size_t count;              /* product of dims */
    const unsigned char *data; /* little-endian, in the file, not aligned */
    bool transposed;           /* of two dimensions, column by column; in files of PyTorch alone (torch_file.h) */
} StTensor;

typedef struct SafeTensors {
    FileMap map;
    StrMap names; /* name -> index */
    StTensor *t;  /* [names.n] */
    StrMap keys;  /* keys of __metadata__ */
    const char **values;
    Arena arena;
    char path[512];
    size_t header_size; /* bytes before the data */
} SafeTensors;

/* Maps a file and checks the whole header: shapes agree with offsets, and the tensors fill the file from the header to
 * its end without gaps. So the sizes of all tensors add up to at most the size of the file. ERR_IO, ERR_FORMAT,
 * ERR_NOMEM. */
Status safetensors_open(SafeTensors *st, const char *path, Error *error);
/* safetensors_open, but a file of at most map_above bytes is copied into memory (base/filemap.h). */
Status safetensors_open_above(SafeTensors *st, const char *path, size_t map_above, Error *error);
/* Maps a file and reads nothing of it, for a reader of another format that has tensors; to be closed also after an
 * error. ERR_IO, ERR_NOMEM. */
Status safetensors_map(SafeTensors *st, const char *path, size_t map_above, Error *error);
void safetensors_close(SafeTensors *st);
/* The end of a reading that came to `s`: s itself, or ERR_IO, in place of any other error, if the file was changed
 * meanwhile. */
Status safetensors_end(const SafeTensors *st, Status status, Error *error);
/* Hands the bytes of the file, which the tensors' data point into, to the caller, who closes them. */
FileMap safetensors_take(SafeTensors *st);
const StTensor *safetensors_find(const SafeTensors *st, const char *name);
const char *safetensors_metadata(const SafeTensors *st, const char *key);
/* Numbers converted to Real, all finite (else ERR_NUMERIC). ERR_FORMAT if the dtype does not allow it. With out NULL it
 * only checks. */
Status safetensors_reals(const SafeTensors *st, const StTensor *tensor, Real *out, Error *error);

size_t dtype_size(DType type);
/* count little-endian numbers of a file converted to Real; false where the type has no fractions. */
bool dtype_reals(DType type, const unsigned char *text, size_t count, Real *out);
const char *dtype_name(DType type);
/* Round to nearest even; overflow gives infinity. */
uint16_t dtype_float_to_half(float x);
float dtype_half_to_float(uint16_t h);
uint16_t dtype_float_to_bfloat(float x);
float dtype_bfloat_to_float(uint16_t h);

/* Writing: declare all tensors, then write the data in the same order. */
typedef struct StWriter {
    StrBuf header; /* without the closing brace */
    size_t offset;
    FileWriter file;
} StWriter;

void stwriter_init(StWriter *writer);
/* Key and value of __metadata__; before any tensor. */
void stwriter_metadata(StWriter *writer, const char *key, const char *value);
void stwriter_declare(StWriter *writer, const char *name, DType dtype, const int *dims, int n_dims);
/* Opens path under a temporary name, writes the header. ERR_LIMIT past ST_MAX_HEADER, ERR_IO, ERR_NOMEM. */
Status stwriter_begin(StWriter *writer, const char *path, Error *error);
void stwriter_reals(StWriter *writer, DType dtype, const Real *x, size_t count);
void stwriter_bytes(StWriter *writer, const void *data, size_t size);
/* commit: flush and rename; else remove. The writer is finished either way. */
Status stwriter_end(StWriter *writer, bool commit, Error *error);
