/* A kind of machine that computes: its memory and its kernels. A tape, the parameters of a pass and everything on the
 * tape belong to one device. What a thread asks of a device is done in that order, but calls may return before it is
 * done; `download` and `synchronise` wait. A thread that leaves results to another one synchronises first. */
#pragma once

#include "tensor/kernels.h"

/* How operands of products are rounded before they are multiplied. bf16 has 8 bits of precision, tf32 11; sums are in
 * Real. In int16 and int8 products with weights that do not change (params_constant) are of whole numbers, whose sums
 * are exact and then rounded to Real; other products are in Real. Weights are whole numbers up to 127 by a scale for
 * each row, as tensor/int8.h stores them, so that the weights of a file in 8 bits are what it has. Rows of activations,
 * by the weights' scales, are whole numbers by a scale of their own: up to 32767, or less where sums would exceed 31
 * bits (int16), or 255 steps from the least to the largest (int8; int16 where the level has no instruction for that).
 * x86-64-v3 and x86-64-v4 add four products of bytes in 16 bits: there weights are rounded once more, to fewer steps,
 * and activations have fewer steps, 130 to 250, so that no sum is larger.
 * PRODUCTS_AUTO: weights that the file has in 8 or 4 bits as in int8, others in bf16 where the processor has it. */
typedef enum Products {
    PRODUCTS_REAL,
    PRODUCTS_BF16,
    PRODUCTS_TF32,
    PRODUCTS_INT16,
    PRODUCTS_INT8,
    PRODUCTS_AUTO
} Products;

struct Group;
struct GroupLink;

typedef struct Device {
    const char *name;
    const Kernels *kernels;
    bool host_memory; /* its memory is the host's, so that the host may read it in place */
    bool measures;    /* counts memory and computes nothing: device_measuring */
    /* Prepares for `threads` threads that compute at the same time, the caller among them; to be called before them,
     * and again for more of them: loads the library that multiplies, where there is one, and makes what each thread
     * needs of it. On the CPU there is one for training alone: `trains`. A thread that it did not prepare for makes its
     * own. ERR_NOMEM where there is no room, ERR_IO without the library. Thread safe. */
    Status (*start)(int threads, bool trains, Error *e);
    /* Memory of the device, 64-byte aligned, not zeroed; NULL when it is out. Thread safe. */
    void *(*alloc)(size_t bytes);
    void (*free)(void *p); /* NULL: nothing */
    /* Bytes that alloc can still give, together; NULL: the device does not know. Thread safe. */
    size_t (*available)(void);
    /* Copies. `from` of an upload may be changed as soon as the call returns. */
    Status (*upload)(void *to, const void *from, size_t bytes, Error *e);
    Status (*download)(void *to, const void *from, size_t bytes, Error *e);
    /* A download that does not wait: `to` holds the bytes after the thread's next download or synchronise, and must
     * stay valid until then. Later kernels and copies of the thread may overwrite `from`. */
    Status (*fetch)(void *to, const void *from, size_t bytes, Error *e);
    /* Waits for all that the calling thread has asked for; returns what of it has failed. */
    Status (*synchronise)(Error *e);
    /* From now on products are these; PRODUCTS_REAL at first. No product may run meanwhile. ERR_CONFIG where the device
     * or this build has none such. Results depend neither on threads nor on the order of calls. */
    Status (*set_products)(Products p, Error *e);
    /* Products to parse with where nobody has chosen: the fastest ones that are exact enough for that. NULL:
     * PRODUCTS_REAL. */
    Products (*parse_products)(void);
    /* A place for copies of a weight that does not change, which the first products with it make; NULL when out of
     * memory. Both may be NULL: this device needs no copies. */
    PackedWeight *(*packed)(void);
    void (*unpack)(PackedWeight *p);
    /* A link (tensor/group_link.h) of this memory between all ranks of the group, which call it together; link->of is
     * NULL after that where one of them has none. Errors of group_gather. NULL: never one. */
    Status (*link)(struct GroupLink *link, struct Group *g, Error *e);
} Device;

/* The processor that runs the program. */
const Device *device_cpu(void);

/* A kind of device: what comes before the ":" in the name that device_choose takes. A new one is a folder beside
 * tensor/cpu, and a line in device.c. */
typedef struct DeviceKind {
    const char *name;
    bool numbered; /* there may be several, "NAME:N" with N from 0 */
    /* Sets *out to number n, before anything computes on it. ERR_CONFIG where this build lacks the kind, ERR_IO where
     * the machine does, ERR_RANGE where it has no number n. */
    Status (*choose)(int n, const Device **out, Error *e);
} DeviceKind;
extern const DeviceKind DEVICE_KIND_CPU, DEVICE_KIND_CUDA;

/* A device for dry runs: its addresses point to no memory, its kernels do nothing, and downloads give 0. A tape on it
 * counts the memory that the same pass needs on another device (tape_need). Host code checks `measures` where it would
 * search in scores for long, or where the size of a tape depends on scores, and assumes the largest size. */
const Device *device_measuring(void);

/* The device that programs use: the CPU, or what device_choose chose. */
const Device *device_default(void);
/* Device.parse_products of the default device. */
Products device_parse_products(void);

/* Chooses "NAME" or "NAME:N" of a DeviceKind, before anything computes or loads a model. ERR_USAGE for another name,
 * else the errors of DeviceKind.choose. */
Status device_choose(const char *name, Error *error);

/* `count` numbers on the device, all 0; NULL when its memory is out. To be freed with device->free. */
Real *device_zeros(const Device *device, size_t count);
