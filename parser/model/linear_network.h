/* What the network has on top of the encoder where a task's scores are one linear map of its vectors: Network.own of
 * tasks that classify and of those that pretrain encoders. */
#pragma once

#include "parser/model/network.h"

typedef struct LinearNetworkConfig {
    const char *name; /* of its parameters */
    int n;            /* scores of a token */
} LinearNetworkConfig;

typedef struct LinearNetwork {
    int w, b; /* [D, n] and its bias */
    int n;
} LinearNetwork;

static inline const LinearNetwork *linear_network(const Network *net) { return net->own; }
/* [tokens, n]: NetworkOutput.own after linear_network_forward */
static inline const Tensor *linear_network_scores(const NetworkOutput *out) { return out->own; }

/* Sets config->own, in the arena. ERR_NOMEM. */
Status linear_network_configure(NetworkConfig *config, const char *name, int n, Arena *arena, Error *error);
/* What a Task of such scores has besides its configuration: .own_bytes, .declare, .init, .readers and .forward. */
#define LINEAR_NETWORK LINEAR_NETWORK_BUT_FORWARD, .forward = linear_network_forward
#define LINEAR_NETWORK_BUT_FORWARD                                                                      \
    .own_bytes = sizeof(LinearNetwork), .declare = linear_network_declare, .init = linear_network_init, \
    .readers = linear_network_readers
Status linear_network_declare(Network *net, ParamSet *ps, Error *error);
void linear_network_init(const Network *net, ParamSet *ps, unsigned long seed);
int linear_network_readers(const Network *net, EncoderReader out[TASK_READERS]);
void linear_network_forward(const Forward *forward, const Network *net, NetworkOutput *out);
/* TaskTraining.axes where the scores are of Model.classes. */
int linear_network_axes(const struct Model *model, ModelAxis out[TASK_AXES]);
/* The scores of vectors x [rows, D] -> [rows, n]. NULL with the tape's error. */
Tensor *linear_network_score(const Forward *forward, const Network *net, Tensor *x);
