/* The files that a run writes and continues from */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/thread.h"
#include "parser/train/run/run.h"

/* The sums since the last check; a checkpoint of a check has none. */
static void losses_json(const Trainer *tr, StrBuf *out)
{
    if (!tr->loss_sentences) return;
    json_members(out, "loss_sentences: %ld, loss_words: %ld", tr->loss_sentences, tr->loss_words);
    json_array(out, "losses");
    for (int p = 0; p < LOSS_PARTS; p++) json_real(out, NULL, "%.17g", tr->loss.part[p]);
    json_long(out, NULL, tr->loss.soft);
    json_array_end(out);
}

static void state_json(const TrainRun *run, StrBuf *out)
{
    const Trainer *tr = &run->tr;
    const TrainState *s = &tr->st;
    json_object(out, NULL);
    json_members(out,
                 "n: %d, epoch: %ld, batch: %ld, step: %ld, sentences: %ld, best: %.17g, last_score: %.17g, "
                 "best_epoch: %ld, plateau_epoch: %ld, lr_factor: %.17g, seconds: %.1f, done: %ld",
                 tr->n, s->epoch, s->batch, s->step, s->sentences, s->best, s->last_score, s->best_epoch,
                 s->plateau_epoch, s->lr_factor, s->seconds, s->done);
    if (s->open) json_members(out, "open: %ld, gate_checks: %ld", s->open, s->gate_checks);
    losses_json(tr, out);
    if (run->init) json_value(out, "init", run->init);
    if (run->hash.text[0]) json_string(out, "run", run->hash.text);
    json_value(out, "data", run->data);
    json_key(out, "train");
    options_to_json(CONFIG_TRAIN_OPTIONS, &tr->a->train, out);
    if (tr->a->command) json_value(out, "command", tr->a->command);
    json_object_end(out);
}

static const char *const SLAB_PREFIX[OPTIMIZER_SLABS] = { "adam.m/", "adam.v/", "average/" };

static const char ROUNDING_PREFIX[] = "rounding/";

enum { SLABS_MOST = OPTIMIZER_SLABS + 2 };

/* The slabs of the optimizer; *n becomes their number. To be given back by unmap_slabs. */
static Status map_slabs(Trainer *tr, ExtraSlab list[SLABS_MOST], int *n, Error *e)
{
    for (*n = 0; *n < (tr->a->train.average > 0 ? OPTIMIZER_SLABS : OPTIMIZER_AVERAGE); ++*n) {
        list[*n] = (ExtraSlab){ SLAB_PREFIX[*n], optimizer_map(&tr->optimizer, (OptimizerSlab)*n) };
        if (!list[*n].values) return error_set(e, ERR_NOMEM, "out of memory for a checkpoint");
    }
    return OK;
}

static void unmap_slabs(Trainer *tr, int n, bool changed)
{
    for (int k = 0; k < n; k++) optimizer_unmap(&tr->optimizer, (OptimizerSlab)k, changed);
}

Status trainer_save_model(TrainRun *run, const TrainCheck *check, Error *error)
{
    Trainer *tr = &run->tr;
    StrBuf summary = { 0 };
    if (group_rank(tr->a->group)) return OK;
    Status s = params_download(&tr->m.ps, error);
    if (s != OK) return s;
    trainer_summary(run, check, &summary);
    if (summary.failed) {
        strbuf_fini(&summary);
        return error_set(error, ERR_NOMEM, "out of memory saving the model");
    }
    mem_free(tr->m.summary);
    tr->m.summary = summary.ptr;
    s = model_save(&tr->m, tr->a->out, tr->a->store, NULL, 0, NULL, error);
    run->written = run->written || s == OK;
    return s;
}

Status trainer_save_checkpoint(TrainRun *run, Error *error)
{
    Trainer *tr = &run->tr;
    if (!tr->a->checkpoint || group_rank(tr->a->group)) return OK;
    StrBuf state = { 0 };
    ExtraSlab list[SLABS_MOST];
    int n;
    double before = tr->st.seconds;
    run->saved = clock_seconds();
    tr->st.seconds += clock_seconds() - tr->started;
    state_json(run, &state);
    tr->st.seconds = before;
    Status s = state.failed ? error_set(error, ERR_NOMEM, "out of memory for a checkpoint")
                            : params_download(&tr->m.ps, error);
    if (s == OK) {
        s = map_slabs(tr, list, &n, error);
        int all = n;
        if (tr->parse_values) list[all++] = (ExtraSlab){ TRAINER_PARSE_VALUES, tr->parse_values };
        if (tr->rounding) list[all++] = (ExtraSlab){ ROUNDING_PREFIX, tr->rounding };
        if (s == OK) s = model_save(&tr->m, tr->a->checkpoint, DT_F32, list, all, state.ptr, error);
        unmap_slabs(tr, n, false);
    }
    strbuf_fini(&state);
    return s;
}

#define S(name) offsetof(TrainRun, tr.st.name)

/* What a training state holds. best and last_score are means of F1 + LAS, or -1. */
static const struct StateField {
    const char *name;
    size_t offset; /* in TrainRun, of a long, or of a double if not whole */
    bool whole;
    double min, max;
    bool optional;
} STATE_FIELDS[] = {
    { "n", offsetof(TrainRun, expected), true, 1, INT_MAX, false },
    { "epoch", S(epoch), true, 0, 100000, false },
    { "batch", S(batch), true, 0, INT_MAX, false },
    { "step", S(step), true, 0, 1e13, false }, /* times BATCH_SIZE_MOST it is a long */
    { "sentences", S(sentences), true, 0, 1e18, false },
    { "best", S(best), false, -1, 200, false },
    { "last_score", S(last_score), false, -1, 200, false },
    { "best_epoch", S(best_epoch), true, 0, 100000, false },
    { "plateau_epoch", S(plateau_epoch), true, 0, 100000, false },
    { "lr_factor", S(lr_factor), false, 0, 1, false },
    { "done", S(done), true, 0, STOP_GATES, false },
    { "seconds", S(seconds), false, 0, 1e12, false },
    { "open", S(open), true, 0, 281474976710655, true },
    { "gate_checks", S(gate_checks), true, 0, 1e12, true },
    { "loss_sentences", offsetof(TrainRun, tr.loss_sentences), true, 0, 1e18, true },
    { "loss_words", offsetof(TrainRun, tr.loss_words), true, 0, 1e18, true },
};

static Status read_field(TrainRun *run, const struct StateField *f, const cJSON *state, Error *e)
{
    const cJSON *x = json_get(state, f->name);
    if (!x && f->optional) return OK;
    if (!cJSON_IsNumber(x))
        return error_at(e, ERR_FORMAT, run->tr.a->resume, 0, 0, "training state: found no number %s", f->name);
    double value = x->valuedouble;
    if (!(value >= f->min && value <= f->max) || (f->whole && value != floor(value)))
        return error_at(e, ERR_FORMAT, run->tr.a->resume, 0, 0,
                        "training state: found %s %.17g, expected a %s from %.15g to %.15g", f->name, value,
                        f->whole ? "whole number" : "number", f->min, f->max);
    char *field = (char *)run + f->offset;
    if (f->whole) *(long *)(void *)field = (long)value;
    else *(double *)(void *)field = value;
    return OK;
}

/* What losses_json wrote. */
static Status read_losses(Trainer *tr, const cJSON *state, Error *e)
{
    const cJSON *sums = json_get(state, "losses");
    if (!sums) return OK;
    double x[LOSS_PARTS + 1];
    bool right = cJSON_IsArray(sums) && cJSON_GetArraySize(sums) == LOSS_PARTS + 1;
    for (int k = 0; k <= LOSS_PARTS && right; k++) {
        const cJSON *item = cJSON_GetArrayItem(sums, k);
        right = cJSON_IsNumber(item);
        x[k] = right ? item->valuedouble : 0;
    }
    if (!right || !(x[LOSS_PARTS] >= 0 && x[LOSS_PARTS] <= INT_MAX) || x[LOSS_PARTS] != floor(x[LOSS_PARTS]))
        return error_at(
            e, ERR_FORMAT, tr->a->resume, 0, 0,
            "training state: found other losses, expected %d numbers and how many sentences had soft targets",
            LOSS_PARTS);
    memcpy(tr->loss.part, x, sizeof tr->loss.part);
    tr->loss.soft = (int)x[LOSS_PARTS];
    return OK;
}

/* The batch size in force when the state was saved, which `batch` counts in. */
static Status read_batch_size(TrainRun *run, const cJSON *state, Error *e)
{
    Trainer *tr = &run->tr;
    const cJSON *x = json_get(json_get(state, "train"), "batch_size");
    run->saved_batch_size = tr->a->train.batch_size;
    if (!x) return OK;
    if (!cJSON_IsNumber(x) || !(x->valuedouble >= 1 && x->valuedouble <= BATCH_SIZE_MOST) ||
        x->valuedouble != floor(x->valuedouble))
        return error_at(e, ERR_FORMAT, tr->a->resume, 0, 0,
                        "training state: found another train.batch_size, expected a whole number from 1 to %d",
                        BATCH_SIZE_MOST);
    run->saved_batch_size = (long)x->valuedouble;
    return OK;
}

/* Moments and the average of other parameters would be missing. */
static Status check_frozen(const Trainer *tr, const cJSON *state, Error *e)
{
    const OptionList *now = &tr->a->train.freeze;
    const cJSON *saved = json_get(json_get(state, "train"), "freeze");
    bool same = cJSON_GetArraySize(saved) == now->n;
    for (int k = 0; k < now->n && same; k++) {
        const cJSON *x = cJSON_GetArrayItem(saved, k);
        same = cJSON_IsString(x) && strcmp(x->valuestring, now->item[k]) == 0;
    }
    if (same) return OK;
    char *before = saved ? json_print(saved) : NULL;
    error_set(e, ERR_USAGE, "--resume: found other --freeze options, expected those the run began with: %s",
              before ? before : "none");
    cJSON_free(before);
    return ERR_USAGE;
}

#define NO_STATE "found a model without training state, expected a checkpoint"

Status trainer_read_state(TrainRun *run, const char *text, Error *error)
{
    Trainer *tr = &run->tr;
    cJSON *j = NULL;
    if (text && json_parse(text, strlen(text), &j, error) == ERR_NOMEM) return ERR_NOMEM;
    if (!text) return error_at(error, ERR_FORMAT, tr->a->resume, 0, 0, NO_STATE);
    Status s = cJSON_IsObject(j) ? OK
                                 : error_at(error, ERR_FORMAT, tr->a->resume, 0, 0,
                                            "training state: found something else, expected a JSON object");
    for (size_t k = 0; k < sizeof STATE_FIELDS / sizeof *STATE_FIELDS && s == OK; k++)
        s = read_field(run, &STATE_FIELDS[k], j, error);
    if (s == OK) s = read_losses(tr, j, error);
    if (s == OK) s = read_batch_size(run, j, error);
    if (s == OK) s = check_frozen(tr, j, error);
    const cJSON *began = json_get(j, "init");
    if (s == OK && cJSON_IsObject(began) && !trainer_note_init(run, began))
        s = error_set(error, ERR_NOMEM, "out of memory for a checkpoint");
    if (s == OK) s = trainer_check_data(run, j, error);
    if (s == OK) trainer_report_changes(tr, cJSON_GetObjectItem(j, "train"));
    cJSON_Delete(j);
    return s;
}

Status trainer_check_state(const TrainRun *run, Error *error)
{
    const Trainer *tr = &run->tr;
    const TrainState *s = &tr->st;
    if (tr->n != run->expected)
        return error_set(error, ERR_USAGE, "--resume: found %d training sentences, expected the %ld the run began with",
                         tr->n, run->expected);
    long batches = (tr->n_epoch + run->saved_batch_size - 1) / run->saved_batch_size;
    /* an update takes one sentence or more; an epoch has one update or more; a check comes after an update of its
     * epoch */
    const struct {
        const char *name;
        long value, min, max;
        const char *why;
    } fields[] = { { "batch", s->batch, 0, batches, "the batches of an epoch" },
                   { "step", s->step, s->epoch + (s->batch > 0), s->sentences, "epochs and sentences done" },
                   { "sentences", s->sentences, s->step, s->step * BATCH_SIZE_MOST, "the updates done" },
                   { "best_epoch", s->best_epoch, 0, s->epoch, "the epochs done" },
                   { "plateau_epoch", s->plateau_epoch, 0, s->epoch, "the epochs done" } };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (fields[k].value < fields[k].min || fields[k].value > fields[k].max)
            return error_at(error, ERR_FORMAT, tr->a->resume, 0, 0,
                            "training state: found %s %ld, expected %ld to %ld by %s", fields[k].name, fields[k].value,
                            fields[k].min, fields[k].max, fields[k].why);
    return OK;
}

Status trainer_check_outputs(TrainRun *run, Error *error)
{
    Trainer *tr = &run->tr;
    /* all are held, the last two replaced */
    const char *const paths[] = { tr->a->log, tr->a->out, tr->a->checkpoint };
    Status s = OK;
    if (group_rank(tr->a->group)) return OK;
    for (int k = 2; k >= 0 && s == OK; k--)
        if (paths[k]) s = lock_take(&run->locks[k], paths[k], error);
    for (int k = 1; k < 3 && s == OK; k++) {
        FileWriter w;
        if (!paths[k]) continue;
        s = filewriter_open(&w, paths[k], error);
        if (s == OK) s = filewriter_close(&w, false, error);
    }
    return s == OK ? trainer_log_open(tr, error) : s;
}

void trainer_unlock_outputs(TrainRun *run)
{
    for (int k = 0; k < 3; k++) lock_release(&run->locks[k]);
}

Status trainer_saved_options(const char *path, const Task *task, ModelConfig *model_config, TrainConfig *train_config,
                             EncoderOptions *options, cJSON **command, char checksum[17], Arena *strings, Error *error)
{
    ModelTexts texts;
    cJSON *config = NULL, *state = NULL;
    Status s = model_texts_read(&texts, path, task, error);
    *command = NULL;
    snprintf(checksum, 17, "%s", texts.checksum);
    if (s == OK && !texts.state) s = error_at(error, ERR_FORMAT, path, 0, 0, NO_STATE);
    if (s == OK && texts.config && json_parse(texts.config, strlen(texts.config), &config, error) == ERR_NOMEM)
        s = ERR_NOMEM;
    if (s == OK && texts.state && json_parse(texts.state, strlen(texts.state), &state, error) == ERR_NOMEM)
        s = ERR_NOMEM;
    const cJSON *train = json_get(state, "train");
    if (s == OK && cJSON_IsObject(config) && cJSON_IsObject(train))
        *command = cJSON_DetachItemFromObjectCaseSensitive(state, "command");
    if (*command) {
        s = options_from_json(CONFIG_MODEL_OPTIONS, model_config, config, strings, path, error);
        if (s == OK)
            s = model_read_options(options, texts.options, model_config, texts.task, &texts.pretrained, path, strings,
                                   error);
        if (s == OK) s = options_from_json(CONFIG_TRAIN_OPTIONS, train_config, train, strings, path, error);
    }
    cJSON_Delete(config);
    cJSON_Delete(state);
    model_texts_fini(&texts);
    return s;
}

/* Adam's second moments are means of squares. */
static Status check_squares(Trainer *tr, Error *e)
{
    int param;
    size_t at;
    double value;
    if (!optimizer_negative_square(&tr->optimizer, &param, &at, &value)) return OK;
    return error_at(e, ERR_FORMAT, tr->a->resume, 0, 0, "tensor adam.v/%s: found %g as number %zu, expected at least 0",
                    tr->m.ps.p[param].name, value, at);
}

Status trainer_load_slabs(Trainer *tr, Error *error)
{
    ExtraSlab list[SLABS_MOST];
    int n;
    Status s = map_slabs(tr, list, &n, error);
    int all = n;
    if (tr->rounding) list[all++] = (ExtraSlab){ ROUNDING_PREFIX, tr->rounding };
    if (s == OK) s = model_load_extra(&tr->m, tr->a->resume, list, all, error);
    unmap_slabs(tr, n, true);
    trainer_round_frozen(tr);
    return s == OK ? check_squares(tr, error) : s;
}
