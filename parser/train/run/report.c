/* What the observer of a run receives */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "parser/train/run/run.h"

void trainer_report(const Trainer *tr, const TrainEvent *event)
{
    const TrainObserver *o = &tr->a->observer;
    if (o->event && !group_rank(tr->a->group)) o->event(o->context, event);
}

void trainer_report_progress(const Trainer *tr, double rate)
{
    double batches = (double)trainer_batches(tr), epochs = (double)trainer_updates(tr) / batches,
           done = (double)tr->st.epoch + (double)tr->st.batch / batches;
    TrainProgress p = { .epoch = done,
                        .epochs = epochs,
                        .rate = rate,
                        .lr = trainer_rate(tr),
                        .minutes_left = rate > 0 ? (epochs - done) * tr->n_epoch / rate / 60 : 0 };
    p.n_losses = trainer_losses(tr, p.loss);
    trainer_report(tr, &(TrainEvent){ .kind = TRAIN_PROGRESS, .progress = p });
}

static void report_option(const Trainer *tr, const cJSON *was, const cJSON *is, bool fixed)
{
    char *before = json_print(was), *now = json_print(is);
    TrainOptionChange change = { .name = is->string, .before = before, .now = now, .fixed = fixed };
    if (before && now) trainer_report(tr, &(TrainEvent){ .kind = TRAIN_OPTION, .option = change });
    cJSON_free(before);
    cJSON_free(now);
}

/* Options that differ from the saved ones; what was not saved had its default. Without memory nothing is reported. */
static void report_table(const Trainer *tr, const cJSON *saved, const Option *table, const void *given, bool fixed)
{
    static const char *const by_files[] = { "d_vectors", "trees", "arcs", "split_hyphens" }; /* nobody gives these */
    union {
        ModelConfig model;
        TrainConfig train;
    } initial;
    options_defaults(table, &initial);
    cJSON *now = options_json(table, given), *defaults = options_json(table, &initial);
    for (const cJSON *is = saved && now && defaults ? now->child : NULL; is; is = is->next) {
        const cJSON *was = json_get(saved, is->string);
        if (!was) was = json_get(defaults, is->string);
        bool skip = cJSON_Compare(was, is, true);
        for (size_t k = 0; k < sizeof by_files / sizeof *by_files; k++)
            skip = skip || (fixed && strcmp(is->string, by_files[k]) == 0);
        if (!skip) report_option(tr, was, is, fixed);
    }
    cJSON_Delete(now);
    cJSON_Delete(defaults);
}

/* An encoder option of the path "gates" or "gates.lambda" that is not the model's. */
static void report_encoder_option(const Trainer *tr, const char *section, const char *key, const cJSON *was,
                                  const cJSON *is)
{
    char name[96], *before = json_print(was), *now = json_print(is);
    snprintf(name, sizeof name, "encoder_options.%s%s%s", section, *key ? "." : "", key);
    TrainOptionChange change = { .name = name, .before = before, .now = now, .fixed = true };
    if (before && now && strcmp(before, now) != 0)
        trainer_report(tr, &(TrainEvent){ .kind = TRAIN_OPTION, .option = change });
    cJSON_free(before);
    cJSON_free(now);
}

static void report_encoder_options(const Trainer *tr)
{
    cJSON *was = encoder_options_json(&tr->m.options),
          *now = tr->a->options ? encoder_options_json(tr->a->options) : NULL;
    for (const cJSON *is = was && now ? now->child : NULL; is; is = is->next) {
        const cJSON *before = json_get(was, is->string);
        if (cJSON_IsArray(is)) report_encoder_option(tr, is->string, "", before, is);
        for (const cJSON *key = cJSON_IsObject(is) ? is->child : NULL; key; key = key->next)
            report_encoder_option(tr, is->string, key->string, json_get(before, key->string), key);
    }
    cJSON_Delete(was);
    cJSON_Delete(now);
}

void trainer_report_changes(const Trainer *tr, const cJSON *saved)
{
    cJSON *fixed = options_json(CONFIG_MODEL_OPTIONS, &tr->m.c);
    report_table(tr, fixed, CONFIG_MODEL_OPTIONS, &tr->a->model, true);
    report_encoder_options(tr);
    report_table(tr, saved, CONFIG_TRAIN_OPTIONS, &tr->a->train, false);
    cJSON_Delete(fixed);
}
