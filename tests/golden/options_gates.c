/* Hard_concrete.json: gates of heads, their slopes and probabilities. */
#include <stdlib.h>

#include "lal/heads/head_gate.h"
#include "tests/golden/options.h"
#include "tests/support/checking_device.h"

enum { CASES_MOST = 1000, GATES_MOST = 64 };

/* What a case has, found and expected. s and stretched are inside the computation of gate and dgate. */
static const char *const NAMES[] = { "gate", "dgate", "p_open", "dp_open", "p_one", "gate_eval", "gate_binary" };
enum { GATE, SLOPE, OPEN, DOPEN, ONE, EVALUATED, BINARY, N_NAMES };

static double first(Tape *t, HostMatrix m)
{
    if (!m.data) recorded_stop("%s", t->error.message);
    return (double)m.data[0];
}

static void compute(const cJSON *j, double *found)
{
    HardConcrete c = { recorded_number(j, "beta"), recorded_number(j, "gamma"), recorded_number(j, "zeta"), false };
    HardConcrete binary = { c.beta, c.gamma, c.zeta, true };
    double log_alpha = recorded_number(j, "log_alpha"), u = recorded_number(j, "u");
    Real host = (Real)log_alpha;
    MADE(Tape, tape_init, tape_fini, t, test_device());
    for (int k = 0; k < 2; k++) { /* the gate, then the penalty, each with its gradient */
        tape_reset(&t, true, true, 0);
        Tensor *x = options_wanted(&t, &host, 1, 1), *y = k ? op_l0_penalty(&t, x, c) : op_hard_concrete(&t, x, &u, c);
        found[k ? OPEN : GATE] = tape_number(&t, y);
        if (tape_backward(&t, y) != OK) recorded_stop("%s", t.error.message);
        found[k ? DOPEN : SLOPE] = first(&t, tensor_host_grad(&t, x, &t.host));
    }
    Tensor *x = options_wanted(&t, &host, 1, 1);
    found[EVALUATED] = tape_number(&t, op_hard_concrete_evaluated(&t, x, c));
    found[BINARY] = tape_number(&t, op_hard_concrete_evaluated(&t, x, binary));
    found[ONE] = hard_concrete_one(log_alpha, c);
}

static void check_cases(const cJSON *cases)
{
    static double found[N_NAMES][CASES_MOST], expected[N_NAMES][CASES_MOST];
    int n[N_NAMES] = { 0 };
    const cJSON *j;
    if (recorded_length(cases) > CASES_MOST) recorded_stop("found %d cases of gates", recorded_length(cases));
    cJSON_ArrayForEach(j, cases)
    {
        double values[N_NAMES];
        compute(j, values);
        recorded_leave_out(j, "s");
        recorded_leave_out(j, "stretched");
        for (int k = 0; k < N_NAMES; k++) {
            const cJSON *x = recorded_item(j, NAMES[k]);
            recorded_mark(x);
            if (cJSON_IsNull(x)) continue; /* 0 and 1 are equally likely */
            found[k][n[k]] = values[k];
            expected[k][n[k]++] = x->valuedouble;
        }
    }
    for (int k = 0; k < N_NAMES; k++) recorded_check(NAMES[k], found[k], expected[k], n[k]);
}

/* The gates of four heads as a layer of the parser has them. */
static void check_layer(const cJSON *j)
{
    const cJSON *values = recorded_item(j, "log_alpha"), *open = recorded_item(j, "open_heads");
    int heads = recorded_length(values), n = 0;
    double *log_alpha = recorded_exactly(values, heads), lambda = recorded_number(j, "lam"), gates[GATES_MOST],
           list[GATES_MOST];
    HeadGate g;
    Error e = { 0 };
    if (heads > GATES_MOST) recorded_stop("found %d gates, expected at most %d", heads, GATES_MOST);
    MADE(ParamSet, params_init, params_fini, ps);
    MADE(Tape, tape_init, tape_fini, t, test_device());
    tape_reset(&t, false, false, 0);
    if (head_gate_declare(&g, &ps, "encoder.attn_0", heads, GATES_HARD_CONCRETE, HARD_CONCRETE_DEFAULT, 1, &e) != OK ||
        params_finish(&ps, &e) != OK)
        recorded_stop("%s", e.message);
    for (int h = 0; h < g.heads; h++) param_values(&ps, g.param)[h] = (Real)log_alpha[h];
    if (params_upload(&ps, test_device(), &e) != OK || head_gate_values(&g, &ps, gates, &e) != OK)
        recorded_stop("%s", e.message);
    Forward f = { &t, &ps, NULL, NULL, NULL, false };
    Tensor *sum = head_gate_penalty(&f, &g);
    double penalty = tape_number(&t, op_weighted_sum(&t, &sum, &lambda, 1));
    recorded_compare("penalty", &penalty, 1, recorded_item(j, "penalty"));
    for (int h = 0; h < heads; h++)
        if (gates[h] != 0) list[n++] = h;
    recorded_compare("open heads", list, n, open);
    free(log_alpha);
}

void options_gates(const cJSON *hard_concrete)
{
    check_cases(recorded_item(hard_concrete, "cases"));
    check_layer(recorded_item(hard_concrete, "model"));
}
