/* Guidance.json: the loss of guided heads, of self-attention under all norms and rules
 * for empty rows and of label heads, and its factor by update. */
#include <stdio.h>
#include <stdlib.h>

#include "lal/heads/guidance.h"
#include "tests/golden/options.h"
#include "tests/support/checking_device.h"

enum { EMPTIES = 3, NORMS = 3, STEPS_MOST = 1000, HEADS_MOST = 64 };
static const char *const EMPTY_NAMES[EMPTIES] = {
    [EMPTY_UNIFORM] = "uniform", [EMPTY_SKIP] = "skip", [EMPTY_ZERO] = "zero"
};
static const char *const NORM_NAMES[NORMS] = {
    [GUIDANCE_ROW] = "row", [GUIDANCE_FROBENIUS] = "frobenius", [GUIDANCE_MEAN] = "mean"
};

static void add_targets(GuidanceTargets *targets, const uint8_t *allowed, int rows, int m)
{
    Error e = { 0 };
    if (guidance_targets_add(targets, allowed, rows, m, &e) != OK) recorded_stop("%s", e.message);
}

/* The loss of one head alone; its gradient in probs if `gradient` is given. */
static double loss_of(Tape *t, Tensor *probs, bool one_row, GuidedHead head, int m, GuidanceNorm norm, bool gradient)
{
    int start[2] = { 0, m };
    Batch batch = { 1, start, m, m };
    Tensor *loss = guidance_loss(t, probs, one_row, &head, 1, &batch, norm, 1);
    if (!loss || (gradient && tape_backward(t, loss) != OK)) recorded_stop("%s", t->error.message);
    return tape_number(t, loss);
}

static void check_pattern(const cJSON *p, const cJSON *probs, const PatternSentence *s)
{
    int m = s->n + 2;
    char name[100];
    double found[EMPTIES * NORMS], expected[EMPTIES * NORMS];
    FREED(free_pointer) uint8_t *allowed = options_allowed(p->string, s);
    FREED(guidance_targets_fini) GuidanceTargets targets = { 0 };
    MADE(Tape, tape_init, tape_fini, t, test_device());
    add_targets(&targets, allowed, m, m);
    for (int k = 0; k < EMPTIES * NORMS; k++) {
        tape_reset(&t, false, false, 0);
        GuidedHead head = { 0, &targets, (GuidanceEmptyRow)(k / NORMS), false };
        found[k] =
            loss_of(&t, options_tensor(&t, probs, 1, m * m, false), false, head, m, (GuidanceNorm)(k % NORMS), false);
        expected[k] = recorded_number(recorded_item(p, EMPTY_NAMES[k / NORMS]), NORM_NAMES[k % NORMS]);
    }
    snprintf(name, sizeof name, "guidance to %s", p->string);
    recorded_check(name, found, expected, EMPTIES * NORMS);
    tape_reset(&t, true, false, 0);
    Tensor *x = options_tensor(&t, probs, 1, m * m, false);
    loss_of(&t, x, false, (GuidedHead){ 0, &targets, EMPTY_UNIFORM, false }, m, GUIDANCE_ROW, true);
    options_compare("  gradient", tensor_host_grad(&t, x, &t.host), recorded_item(p, "grad_row_uniform"), false);
}

/* Label heads with a set of keys each. probs is recorded as [heads, m]. */
static void check_label_heads(const cJSON *j, const Sentences *all)
{
    const cJSON *sets = recorded_item(j, "key_sets");
    int heads = recorded_length(sets), m = all->s[options_sentence_by_id(all, recorded_text(j, "id"))].n + 2;
    double found[HEADS_MOST], *target = recorded_exactly(recorded_item(j, "targets"), heads * m);
    int wrong = 0;
    if (heads > HEADS_MOST) recorded_stop("found %d label heads, expected at most %d", heads, HEADS_MOST);
    MADE(Tape, tape_init, tape_fini, t, test_device());
    for (int h = 0; h < heads; h++) {
        FREED(guidance_targets_fini) GuidanceTargets targets = { 0 };
        FREED(free_pointer) uint8_t *allowed = recorded_room((size_t)m, 1);
        int n;
        FREED(free_pointer) double *keys = recorded_numbers(cJSON_GetArrayItem(sets, h), &n);
        for (int k = 0; k < n; k++) allowed[(int)keys[k]] = 1;
        for (int i = 0; i < m; i++) wrong += !(fabs(target[h * m + i] - (allowed[i] ? 1.0 / n : 0)) < 1e-9);
        add_targets(&targets, allowed, 1, m);
        tape_reset(&t, false, false, 0);
        found[h] = loss_of(&t, options_tensor(&t, recorded_item(j, "probs"), m, heads, true), true,
                           (GuidedHead){ h, &targets, EMPTY_UNIFORM, false }, m, GUIDANCE_ROW, false);
    }
    recorded_verdict(!wrong, "targets of label heads");
    recorded_compare("guidance of label heads", found, heads, recorded_item(j, "loss_per_head"));
    free(target);
}

static void check_factors(const cJSON *list)
{
    static double found[STEPS_MOST], expected[STEPS_MOST];
    int n = 0;
    const cJSON *j;
    if (recorded_length(list) > STEPS_MOST) recorded_stop("found %d factors of guidance", recorded_length(list));
    cJSON_ArrayForEach(j, list)
    {
        found[n] = guidance_factor((long)recorded_number(j, "step"), (long)recorded_number(j, "total"),
                                   (long)recorded_number(j, "hold"));
        expected[n++] = recorded_number(j, "factor");
    }
    recorded_check("the factor of guidance", found, expected, n);
}

void options_guidance(const cJSON *guidance, const Sentences *all)
{
    const cJSON *c, *p;
    cJSON_ArrayForEach(c, recorded_item(guidance, "cases"))
    {
        const PatternSentence *s = &all->s[options_sentence_by_id(all, recorded_text(c, "id"))];
        cJSON_ArrayForEach(p, recorded_item(c, "patterns")) check_pattern(p, recorded_item(c, "probs"), s);
    }
    check_label_heads(recorded_item(guidance, "label_heads"), all);
    check_factors(recorded_item(guidance, "alpha_factor"));
}
