/* tensor/cpu/onednn.h
 * oneDNN 2 for matrix products, loaded by the first of them. HAS_ONEDNN is defined if the program is built with it:
 * its header is installed, and Real is float. */
#pragma once

#if !defined LAL_REAL_DOUBLE && defined __has_include
#if __has_include(<oneapi/dnnl/dnnl_version.h>)
#include <oneapi/dnnl/dnnl_version.h>
#if DNNL_VERSION_MAJOR == 2
#define HAS_ONEDNN
#endif
#endif
#endif

#ifdef HAS_ONEDNN

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The functions that are used, by their names in the library. */
#define ONEDNN_FUNCTIONS(F)                    \
    F(dnnl_engine_create)                      \
    F(dnnl_stream_create)                      \
    F(dnnl_stream_destroy)                     \
    F(dnnl_stream_wait)                        \
    F(dnnl_memory_desc_init_by_strides)        \
    F(dnnl_memory_desc_init_by_tag)            \
    F(dnnl_memory_desc_get_size)               \
    F(dnnl_matmul_desc_init)                   \
    F(dnnl_primitive_desc_create)              \
    F(dnnl_primitive_desc_query)               \
    F(dnnl_primitive_desc_query_md)            \
    F(dnnl_primitive_desc_destroy)             \
    F(dnnl_primitive_attr_create)              \
    F(dnnl_primitive_attr_destroy)             \
    F(dnnl_primitive_attr_set_post_ops)        \
    F(dnnl_primitive_attr_set_scratchpad_mode) \
    F(dnnl_post_ops_create)                    \
    F(dnnl_post_ops_destroy)                   \
    F(dnnl_post_ops_append_sum)                \
    F(dnnl_primitive_create)                   \
    F(dnnl_primitive_destroy)                  \
    F(dnnl_primitive_execute)                  \
    F(dnnl_reorder_primitive_desc_create)      \
    F(dnnl_memory_create)                      \
    F(dnnl_memory_set_data_handle)             \
    F(dnnl_memory_destroy)                     \
    F(dnnl_get_effective_cpu_isa)              \
    F(dnnl_version)

typedef struct OneDnn {
#define ONEDNN_MEMBER(name) __typeof__(name) *name;
    ONEDNN_FUNCTIONS(ONEDNN_MEMBER)
#undef ONEDNN_MEMBER
    dnnl_engine_t engine;
    dnnl_primitive_attr_t adding; /* C += A B */
    dnnl_primitive_attr_t own;    /* the scratchpad is an argument */
} OneDnn;

/* The library, or NULL where it cannot be loaded (ERR_IO, ERR_NOMEM). Thread safe; the first answer stays. */
const OneDnn *onednn_get(Error *e);

/* Is there address space to compile a kernel? Without it dnnl_primitive_create crashes, so this is asked before it. */
bool onednn_room(void);

/* Describes a matrix whose element (r, c) is at r * row + c * column. */
bool onednn_matrix(const OneDnn *d, dnnl_memory_desc_t *desc, int rows, int cols, int row, int column,
                   dnnl_data_type_t type);

/* What a thread has for itself; when it ends, the next thread that begins takes it over. */
typedef struct OneDnnWorker {
    struct OneDnnWorker *next;
    dnnl_stream_t stream;
    void *scratch[4]; /* [cap] bytes each, 64-byte aligned */
    size_t cap[4];
    struct OneDnnPlan *plans; /* [n_plans] plans of packed.c, a table with open addressing */
    int n_plans, cap_plans;
} OneDnnWorker;
/* NULL when out of memory. */
OneDnnWorker *onednn_worker(const OneDnn *d);
/* Scratch memory `which` (0 .. 3) of at least `bytes`, or NULL. What was there is lost. */
void *onednn_scratch(OneDnnWorker *w, int which, size_t bytes);

#endif
