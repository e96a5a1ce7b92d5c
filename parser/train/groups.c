/* Parameter groups by the options freeze, group and weight_decay */
#include <string.h>

#include "base/locale.h"
#include "parser/train/trainer.h"

enum { FACTOR_MOST = 1000 };

/* "PREFIX=FACTOR" */
static Status read_factor(const char *text, char prefix[PARAM_NAME_MAX], double *factor, Error *e)
{
    const char *eq = strrchr(text, '=');
    char *end = NULL;
    *factor = eq ? locale_strtod(eq + 1, &end) : 0;
    if (!eq || end == eq + 1 || *end || !(*factor >= 0 && *factor <= FACTOR_MOST) || eq - text >= PARAM_NAME_MAX)
        return error_set(e, ERR_USAGE, "--group: found '%s', expected PREFIX=FACTOR with a factor from 0 to %d", text,
                         FACTOR_MOST);
    snprintf(prefix, PARAM_NAME_MAX, "%.*s", (int)(eq - text), text);
    return OK;
}

/* gates.freeze_after: what comes after the gated heads of a trained model is not trained, so that functions of heads
 * cannot move there (Voita et al. 2019, section 6). */
static Status freeze_after_gates(Trainer *tr, Error *e)
{
    const EncoderOptions *o = tr->a->options;
    double decay = tr->a->train.weight_decay;
    if (!o || o->gates.kind != GATES_HARD_CONCRETE || !o->gates.start_from || !o->gates.freeze_after) return OK;
    static const char *const before[] = { "embedding", "char_encoder.", "pretrained.", "project_", "encoder." };
    Status s = params_group(&tr->m.ps, "", 0, 0, 0, true, e);
    for (size_t k = 0; k < sizeof before / sizeof *before && s == OK; k++)
        s = params_group(&tr->m.ps, before[k], 1, decay, 0, false, e);
    if (s != OK || encoder_options_gates(o, STACK_LABEL)) return s;
    static const char *const label[] = { "attn", "ff" };
    for (int k = 0; k < 2 && s == OK; k++) {
        char prefix[PARAM_NAME_MAX];
        snprintf(prefix, sizeof prefix, "encoder.%s_%d.", label[k], layer_label(tr->a->model.n_layers));
        s = params_group(&tr->m.ps, prefix, 0, 0, 0, true, e);
    }
    return s;
}

/* The pretrained encoder: tables and layers from below, each with a smaller factor than the layer above it. */
static Status group_pretrained(Trainer *tr, Error *e)
{
    static const char *const tables[] = { "piece", "position", "type", "distance", "layer_norm" };
    const TrainConfig *c = &tr->a->train;
    int layers = tr->m.c.pretrained_layers;
    double decay = c->weight_decay, rate = c->pretrained_lr;
    char prefix[PARAM_NAME_MAX];
    Status s = params_group(&tr->m.ps, "pretrained.mix_", 1, 0, 0, false, e);
    for (int l = layers - 1; l >= 0 && s == OK; l--, rate *= c->pretrained_decay) {
        bool frozen = l < c->pretrained_freeze;
        for (int k = 0; k < 2 && s == OK; k++) {
            snprintf(prefix, sizeof prefix, "pretrained.%s_%d.", k ? "ff" : "attn", l);
            s = params_group(&tr->m.ps, prefix, rate, decay, c->pretrained_warmup, frozen, e);
        }
    }
    for (size_t k = 0; k < sizeof tables / sizeof *tables && s == OK; k++) {
        snprintf(prefix, sizeof prefix, "pretrained.%s.", tables[k]);
        s = params_group(&tr->m.ps, prefix, rate, decay, c->pretrained_warmup, c->pretrained_freeze > 0, e);
    }
    return s;
}

Status trainer_groups(Trainer *tr, Error *error)
{
    const TrainConfig *c = &tr->a->train;
    Status s = params_group(&tr->m.ps, "", 1, c->weight_decay, 0, false, error);
    if (s == OK) s = freeze_after_gates(tr, error);
    if (s == OK && tr->m.c.pretrained_layers) s = group_pretrained(tr, error);
    for (int k = 0; k < c->group.n && s == OK; k++) {
        char prefix[PARAM_NAME_MAX];
        double factor;
        s = read_factor(c->group.item[k], prefix, &factor, error);
        if (s == OK) s = params_group(&tr->m.ps, prefix, factor, c->weight_decay, 0, false, error);
    }
    for (int k = 0; k < c->freeze.n && s == OK; k++)
        s = params_group(&tr->m.ps, c->freeze.item[k], 0, 0, 0, true, error);
    return s;
}

/* What names begin with, up to a dot, separated by blanks: "embedding. encoder. ". */
static void put_beginnings(const ParamSet *ps, StrBuf *out)
{
    for (int k = 0; k < ps->n; k++) {
        char begin[PARAM_NAME_MAX];
        snprintf(begin, sizeof begin, "%.*s", (int)strcspn(ps->p[k].name, ".") + 1, ps->p[k].name);
        bool first = true;
        for (int i = 0; i < k && first; i++) first = strncmp(ps->p[i].name, begin, strlen(begin)) != 0;
        if (first) strbuf_printf(out, " %s", begin);
    }
}

static Status check_prefix(const ParamSet *ps, const char *option, const char *prefix, Error *e)
{
    if (params_matching(ps, prefix)) return OK;
    StrBuf names = { 0 };
    put_beginnings(ps, &names);
    error_set(e, ERR_USAGE, "--%s: found '%s', with which no name of a parameter begins; names begin with%s", option,
              prefix, names.ptr ? names.ptr : "");
    strbuf_fini(&names);
    return ERR_USAGE;
}

/* Is there a parameter for each prefix? */
static Status check_prefixes(const TrainConfig *c, const ParamSet *ps, Error *e)
{
    Status s = OK;
    for (int k = 0; k < c->freeze.n && s == OK; k++) s = check_prefix(ps, "freeze", c->freeze.item[k], e);
    for (int k = 0; k < c->group.n && s == OK; k++) {
        char prefix[PARAM_NAME_MAX];
        double factor;
        s = read_factor(c->group.item[k], prefix, &factor, e);
        if (s == OK) s = check_prefix(ps, "group", prefix, e);
    }
    return s;
}

Status trainer_check_groups(const Trainer *tr, Error *error)
{
    Status s = check_prefixes(&tr->a->train, &tr->m.ps, error);
    if (s == OK && !tr->m.ps.trained)
        s = error_set(error, ERR_USAGE, "--freeze: found only frozen parameters, expected some to train");
    return s;
}

Status trainer_check_config(const Task *task, const ModelConfig *config, const TrainConfig *train_config,
                            const EncoderOptions *options, const PretrainedConfig *pretrained, Error *error)
{
    TrainArgs a = { .model = *config, .train = *train_config };
    Trainer tr = { .a = &a };
    model_init(&tr.m);
    tr.m.task = task;
    tr.m.c = *config;
    tr.m.pretrained = *pretrained;
    tr.m.c.pretrained_layers = pretrained->n_layers;
    if (options) tr.m.options = *options;
    Status s = model_vocabs_start(&tr.m, error);
    if (s == OK && (vocab_count(&tr.m.labels, "S", 1, 1) < 0 || vocab_count(&tr.m.types, "root", 4, 1) < 0 ||
                    vocab_count(&tr.m.tags, "N", 1, 1) < 0 || vocab_count(&tr.m.classes, "0", 1, 1) < 0 ||
                    vocab_count(&tr.m.classes, "1", 1, 1) < 0))
        s = error_set(error, ERR_NOMEM, "out of memory for the vocabularies");
    const TaskTraining *training = task_training(task);
    if (s == OK && training && training->check) s = training->check(task, config, train_config, error);
    if (s == OK) s = trainer_groups(&tr, error);
    if (s == OK) s = model_declare(&tr.m, error);
    if (s == OK) s = check_prefixes(train_config, &tr.m.ps, error);
    model_fini(&tr.m);
    return s;
}
