/* One weight and one bias, under the name that the task gives them. */
#include "parser/model/linear_network.h"

#include "parser/model/model.h"

Status linear_network_configure(NetworkConfig *config, const char *name, int n, Arena *arena, Error *error)
{
    LinearNetworkConfig *own = arena_calloc(arena, 1, sizeof *own);
    if (!own) return error_set(error, ERR_NOMEM, "out of memory for a network");
    *own = (LinearNetworkConfig){ name, n };
    config->own = own;
    return OK;
}

Status linear_network_declare(Network *net, ParamSet *ps, Error *error)
{
    const LinearNetworkConfig *c = net->c.own;
    LinearNetwork *own = net->own;
    own->n = c->n;
    return linear_declare(&own->w, &own->b, ps, c->name, net->encoder.width, c->n, error);
}

void linear_network_init(const Network *net, ParamSet *ps, unsigned long seed)
{
    linear_init(linear_network(net)->w, linear_network(net)->b, ps, seed);
}

int linear_network_readers(const Network *net, EncoderReader out[TASK_READERS])
{
    out[0] = (EncoderReader){ linear_network(net)->w, READS_TOKENS };
    return 1;
}

void linear_network_forward(const Forward *forward, const Network *net, NetworkOutput *out)
{
    out->own = linear_network_score(forward, net, out->encoder.word);
}

int linear_network_axes(const Model *model, ModelAxis out[TASK_AXES])
{
    const LinearNetwork *own = linear_network(&model->net);
    out[0] = (ModelAxis){ own->w, false, &model->classes, 0, NEW_MEAN };
    out[1] = (ModelAxis){ own->b, false, &model->classes, 0, NEW_MEAN };
    return 2;
}

Tensor *linear_network_score(const Forward *forward, const Network *net, Tensor *x)
{
    const LinearNetwork *own = linear_network(net);
    return op_linear(forward->t, x, forward_weight(forward, own->w), forward_param(forward, own->b), false);
}
