/* The weights of a folder as they are published: model.safetensors, or several shards named by
 * model.safetensors.index.json, {"weight_map": {TENSOR: FILE}}; or the same in PyTorch's format (torch_file.h),
 * pytorch_model.bin and pytorch_model.bin.index.json. */
#pragma once

#include "tensor/safetensors.h"

enum { SAFETENSORS_MOST_SHARDS = 1024 };

typedef struct SafeTensorsSet {
    SafeTensors *file; /* [n] */
    int n;
    StrMap names;   /* names of tensors */
    int *at;        /* [names.n] index of the file that has the tensor */
    char path[512]; /* path of the one file or of the index, for messages */
} SafeTensorsSet;

/* Opens the weights of a folder, the first of these four files that is there. ERR_IO: none is, or a shard that the
 * index names is not there. ERR_FORMAT: see safetensors_open and torch_file_open; with line and column a shard
 * outside the folder, a tensor that the index names twice or that its shard lacks; a tensor that two shards have.
 * ERR_LIMIT, ERR_NOMEM. The set is empty on failure. */
Status safetensors_set_open(SafeTensorsSet *set, const char *dir, Error *error);
void safetensors_set_close(SafeTensorsSet *set);

/* Finds a tensor; NULL if absent. If file is not NULL, *file is the file that holds it (for safetensors_reals). */
const StTensor *safetensors_set_find(const SafeTensorsSet *set, const char *name, const SafeTensors **file);
