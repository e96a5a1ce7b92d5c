/* An eager tape. An op computes when it is called and, while recording, leaves a node; tape_backward walks the nodes in
 * reverse. One tape belongs to one thread and one device. All tensors and nodes of a sub-batch live in the tape's
 * arenas until tape_reset: headers, nodes and what the host needs to walk them in host memory, numbers and what kernels
 * read in the device's. tape_upload and tape_wrap are the ways onto the device, tape_download and what is built on it
 * the only way back. The first error is kept in t->error; ops given a NULL input pass NULL along, so a model checks
 * once. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "tensor/device.h"

typedef struct Tape Tape;
typedef struct Node Node;

enum { NODE_INPUTS = 6 + MAX_EMBED_TERMS, NODE_OUTPUTS = 3 };

typedef struct OpDesc {
    const char *name;
    void (*backward)(Tape *t, const Node *nd);
    /* Like backward, for coefficients of the network with what it divides and weights by held constant (see
     * tape_relevance); adds what biases take to *t->part. NULL: backward does it. */
    void (*relevance)(Tape *t, const Node *nd);
} OpDesc;

struct Node {
    const OpDesc *op;
    Node *prev;
    Tensor *in[NODE_INPUTS];
    Tensor *out[NODE_OUTPUTS];
    void *attr; /* the op's own struct, in the host arena */
};

typedef struct GradBlock {
    Real *data;
    size_t size;
    struct GradBlock *next;
} GradBlock;

struct Tape {
    const Device *device;
    Arena host;    /* tensor headers, nodes, attributes */
    Arena numbers; /* memory of the device for activations, indices, scratch */
    Arena grads;   /* memory of the device for gradients of activations */
    GradBlock *free_grads;
    Node *last;
    bool recording; /* keep nodes for backward */
    bool exact;     /* in a pass that began recording: constant weights are multiplied in Real, too */
    bool training;  /* dropout is on */
    uint64_t key;   /* the key of this sub-batch; dropout draws from (key, op number) */
    uint64_t n_ops;
    double *part;     /* the biases' part in the device's memory, while tape_relevance walks */
    double bias_part; /* the biases' part in the last tape_relevance */
    Error error;
};

void tape_init(Tape *tape, const Device *device);
void tape_fini(Tape *tape);

/* Memory of the device for the largest sub-batch of a tape so far, in bytes. On the measuring device each of the two is
 * one stretch, so it is what another device needs in one block. */
typedef struct TapeNeed {
    size_t numbers, grads;
} TapeNeed;
TapeNeed tape_need(const Tape *tape);
/* Takes this much of the device at once, so that no sub-batch which needs no more asks for memory. After tape_init or
 * tape_reset. false when the device's memory is out. */
bool tape_reserve(Tape *tape, TapeNeed need);
/* Drops all tensors and nodes; memory is kept for the next sub-batch. */
void tape_reset(Tape *tape, bool recording, bool training, uint64_t key);

/* A new tensor, not cleared; NULL with tape->error on failure: also ERR_NOMEM if rows or cols is no int. So where one
 * of them is a product it is a product of longs, and the tensor proves that it is an int. */
Tensor *tape_new(Tape *tape, long rows, long cols);
/* A tensor over memory of the device that is the caller's: a constant, or a parameter when grad is not NULL. */
Tensor *tape_wrap(Tape *tape, Real *data, Real *grad, int rows, int cols, bool needs_grad);
/* A constant: a copy of numbers in host memory. */
Tensor *tape_constant(Tape *tape, const Real *host, int rows, int cols);
Tensor *tape_zeros(Tape *tape, long rows, long cols);
/* Views. Not of a parameter, whose parts are asked for by name (param_rows in tensor/params.h): ERR_RANGE. */
Tensor *tape_columns(Tape *tape, Tensor *x, int from, int n);
Tensor *tape_rows(Tape *tape, Tensor *x, int from, int n);

/* Node *tape_record(t, op, out, attr, size, inputs...): a node with its output, a copy of the op's own struct, `size`
 * bytes (NULL and 0: it has none), and its inputs, of which some may be NULL. NULL where out is, and where the tape
 * holds an error. When not recording, a scratch node. */
#define tape_record(t, op, out, attr, size, ...)                                           \
    tape_record_inputs((t), (op), (out), (attr), (size), (Tensor *const[]){ __VA_ARGS__ }, \
                       sizeof((Tensor *const[]){ __VA_ARGS__ }))
Node *tape_record_inputs(Tape *tape, const OpDesc *op, Tensor *out, const void *attr, size_t size, Tensor *const *in,
                         size_t in_size);
/* Marks an output as depending on the node; called by ops with several outputs or that write views. */
void node_output(Node *nd, int k, Tensor *out);

/* Where to add dL/dx, zeroed on first touch; NULL if x has no gradient, or when memory is out (tape->error). */
Real *tape_grad(Tape *tape, Tensor *x);
/* dL/dx if anything has been added to it, else NULL (then backward has nothing to do). */
const Real *tape_grad_of(const Tensor *x);

/* Memory of the sub-batch, not cleared: on the device, for kernels alone, and on the host. */
void *tape_scratch(Tape *tape, size_t count, size_t size);
void *tape_host(Tape *tape, size_t count, size_t size);
/* A copy of `count` elements of host memory on the device, in the memory of the sub-batch; a copy in host memory. */
void *tape_upload(Tape *tape, const void *host, size_t count, size_t size);
void *tape_keep(Tape *tape, const void *host, size_t count, size_t size);
/* Waits for the device and copies from it. false with tape->error on failure. */
bool tape_download(Tape *tape, void *host, const void *device, size_t bytes);

/* tape_download, but the bytes are there after tape_wait or the next tape_download: several copies with one wait. */
bool tape_fetch(Tape *tape, void *host, const void *device, size_t bytes);
bool tape_wait(Tape *tape);

/* The number of x [1, 1]; NAN on failure, with tape->error, and if x is NULL. */
double tape_number(Tape *tape, const Tensor *x);
/* The numbers of x, dense, to out [rows * cols] in host memory. */
bool tensor_download(Tape *tape, const Tensor *x, Real *out);
/* The numbers of x, or what has been added to its gradient, to be read by the host until x or the arena is gone: in
 * place where the device's memory is the host's, else a copy in the arena. data is NULL where x or the gradient is, and
 * on failure, with tape->error. */
HostMatrix tensor_host(Tape *tape, const Tensor *x, Arena *arena);
/* tensor_download, and tensor_host of the numbers and of the gradient, but the numbers are there after tape_wait. */
bool tensor_fetch(Tape *tape, const Tensor *x, Real *out);
HostMatrix tensor_host_fetch(Tape *tape, const Tensor *x, Arena *arena);
HostMatrix tensor_host_grad(Tape *tape, const Tensor *x, Arena *arena);

/* Everything allocated on the tape since the mark becomes invalid; nothing of it may have been recorded. */
typedef struct TapeMark {
    ArenaMark host, numbers;
} TapeMark;
TapeMark tape_mark(const Tape *tape);
void tape_rewind(Tape *tape, TapeMark mark);

/* Runs a kernel of the tape's device: tape_run(t, "norm", norm_fwd, arguments...). `who` is the op's name. Where the
 * device has none, t->error becomes ERR_CONFIG, "norm: no norm_fwd kernel on DEVICE", and nothing is done. */
#define tape_run(t, who, kernel, ...)                \
    ((t)->device->kernels->kernel                    \
         ? (t)->device->kernels->kernel(__VA_ARGS__) \
         : (void)tape_fail((t), ERR_CONFIG, "%s: no %s kernel on %s", (who), #kernel, (t)->device->name))
/* Fills tape->error, returns NULL. */
void *tape_fail(Tape *tape, Status code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static inline Status tape_status(const Tape *tape) { return tape->error.code; }
/* y, or NULL if the tape holds an error: how an op ends. */
static inline Tensor *tape_done(const Tape *tape, Tensor *y) { return tape->error.code == OK ? y : NULL; }

/* dL/dL = 1 at loss [1, 1], then every node in reverse. */
Status tape_backward(Tape *tape, Tensor *loss);

/* Explains a score [1, 1] of a recorded pass without dropout. Attention weights, signs of ReLUs, divisors of norms and
 * gates of an LSTM (which passes nothing on) are held constant; a product of two inputs is divided equally between
 * them. The score is then an affine function of any tensor x of the pass, and the gradients become its coefficients c:
 * with all tensors of a cut through the network kept, score = sum over the cut of x c + tape->bias_part, the part of
 * the biases after the cut. keep: tensors whose coefficients stay in tape_grad_of until the next call. until: nodes
 * before the one that made this tensor are not walked (NULL: all are). After Bach et al. 2015; no stabiliser is needed,
 * for nothing is divided. ERR_RANGE while training. */
Status tape_relevance(Tape *tape, Tensor *score, Tensor *const *keep, int n_keep, const Tensor *until);
/* The walk of tape_relevance by a rule of its own, which begins with `first` at the score: `pass` gets each node whose
 * outputs have something in tape_grad_of, and adds to tape_grad of its inputs. */
typedef void TapePass(Tape *tape, Node *nd);
Status tape_relevance_by(Tape *tape, Tensor *score, double first, TapePass *pass, Tensor *const *keep, int n_keep,
                         const Tensor *until);
/* The relevance of an op that passes none on: what it weights by is held constant. */
static inline void tape_no_relevance(Tape *tape, const Node *nd)
{
    (void)tape;
    (void)nd;
}

/* A fresh dropout key for the next op. */
uint64_t tape_next_key(Tape *tape);
