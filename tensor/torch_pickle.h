/* The values of a pickle, Python's format of objects, as PyTorch writes a list of named tensors. A pickle is a program;
 * this runs only the operations that such files have (protocol 2, of Python 2 and 3), and of what a pickle may call
 * only what makes dictionaries and tensors. Nothing recurses, and values refer to each other as the file says, perhaps
 * in circles. Its bytes are distrusted. */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "tensor/safetensors.h"

enum { TORCH_PICKLE_MOST = 2 << 20 /* bytes; values may take 120 times as much memory */ };

typedef enum TorchKind {
    TORCH_OTHER,   /* None, or a fraction */
    TORCH_NUMBER,  /* number; of True 1, of False 0 */
    TORCH_TEXT,    /* text */
    TORCH_LIST,    /* item: of a list or a tuple */
    TORCH_DICT,    /* item: keys and values in turn */
    TORCH_PAIRS,   /* a dictionary; item: lists of a key and a value */
    TORCH_TYPE,    /* of a storage; number is a DType */
    TORCH_CALL,    /* what may be called */
    TORCH_STORAGE, /* item: of the tuple that names it */
    TORCH_TENSOR,  /* item: what it is made of, from its storage on */
    TORCH_MARK     /* within the reader */
} TorchKind;

typedef struct TorchValue {
    TorchKind kind;
    int n, room;
    struct TorchValue **item; /* [n] */
    long long number;
    StrView text; /* borrowed from the file */
    size_t place; /* byte of the file */
} TorchValue;

typedef struct TorchPickle {
    const char *path; /* for messages */
    StrView file;
    size_t at;          /* the pickle's first byte; after reading, the byte after its last one */
    size_t end;         /* of what the pickle may have */
    Arena *arena;       /* that values are in */
    TorchValue storage; /* a list of all storages, of each time that one is named */
} TorchPickle;

/* Reads a pickle; *value lives as long as the arena and the file. ERR_FORMAT, with the byte; ERR_LIMIT past
 * TORCH_PICKLE_MOST; ERR_NOMEM. */
Status torch_pickle_read(TorchPickle *pickle, TorchValue **value, Error *error);
