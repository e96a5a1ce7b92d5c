/* What a run is made of, to see whether the one that is there is the one that is
 * wanted */
#include <stdio.h>
#include <string.h>

#include "program/ablate/ablate_internal.h"
#include "parser/model/corpus_hash.h"

/* ---- data */

void ablate_corpora_hash(const Corpus *c, int n, char digits[17])
{
    uint64_t h = CORPUS_HASH_START;
    for (int k = 0; k < n; k++) {
        corpus_hash_text(&h, c[k].name);
        corpus_hash(&h, &c[k]);
    }
    memcpy(digits, corpus_hash_digits(h).text, 17);
}

/* ---- records */

static bool add(cJSON *to, const char *name, cJSON *item)
{
    if (item && cJSON_AddItemToObject(to, name, item)) return true;
    cJSON_Delete(item);
    return false;
}

static bool add_options(cJSON *to, const ModelConfig *model, const TrainConfig *train, const EncoderOptions *options)
{
    return to && add(to, "model", options_json(CONFIG_MODEL_OPTIONS, model)) &&
           add(to, "train", options_json(CONFIG_TRAIN_OPTIONS, train)) &&
           add(to, "encoder_options", encoder_options_json(options));
}

cJSON *ablate_record(const AblateArgs *a, const AblateVariant *v, long seed, const char *const *models)
{
    char train[17], dev[17];
    TrainConfig config = v->train;
    config.seed = seed;
    ablate_corpora_hash(a->train, a->n_train, train);
    ablate_corpora_hash(a->dev, a->n_dev, dev);
    cJSON *out = cJSON_CreateObject(), *needs = cJSON_CreateArray();
    bool ok = needs && add_options(out, &v->model, &config, &v->options);
    for (int k = 0; ok && k < ABLATE_NEEDS; k++)
        ok = cJSON_AddItemToArray(needs, models[k] ? cJSON_CreateString(models[k]) : cJSON_CreateNull());
    if (ok && a->plan->pretrained_sum[0]) ok = cJSON_AddItemToArray(needs, cJSON_CreateString(a->plan->pretrained_sum));
    if (ok && a->plan->vectors_sum[0]) ok = cJSON_AddItemToArray(needs, cJSON_CreateString(a->plan->vectors_sum));
    ok = ok && add(out, "train_data", cJSON_CreateString(train)) && add(out, "dev_data", cJSON_CreateString(dev)) &&
         add(out, "folds", cJSON_CreateNumber(v->first_pass ? a->plan->folds : 0)) &&
         add(out, "task", cJSON_CreateString(a->plan->measure->task->name)) &&
         add(out, "replace", cJSON_CreateString(a->replaced ? a->replaced : ""));
    if (add(out, "models", needs) && ok) return out;
    cJSON_Delete(out);
    return NULL;
}

/* ---- what differs */

/* The record of a run with the defaults of all options. */
static cJSON *record_of_defaults(void)
{
    ModelConfig model;
    TrainConfig train;
    EncoderOptions options;
    cJSON *out = cJSON_CreateObject();
    options_defaults(CONFIG_MODEL_OPTIONS, &model);
    options_defaults(CONFIG_TRAIN_OPTIONS, &train);
    encoder_options_defaults(&options);
    if (add_options(out, &model, &train, &options) && add(out, "folds", cJSON_CreateNumber(0)) &&
        add(out, "task", cJSON_CreateString(TASK_PARSE.name)) && add(out, "replace", cJSON_CreateString("")))
        return out;
    cJSON_Delete(out);
    return NULL;
}

static const char *separator(const StrBuf *out) { return out->len ? "; " : ""; }

/* "train.epochs was 3, is 2"; lists of many values are not printed. */
static void put_option(StrBuf *out, const char *section, const char *name, const cJSON *was, const cJSON *is)
{
    char *before = json_print(was), *after = json_print(is);
    if (!before || !after) out->failed = true;
    else if (strlen(before) + strlen(after) > 80) strbuf_printf(out, "%s%s.%s changed", separator(out), section, name);
    else strbuf_printf(out, "%s%s.%s was %s, is %s", separator(out), section, name, before, after);
    cJSON_free(before);
    cJSON_free(after);
}

/* The members of an object of options that are not what was saved, or else the default; of objects in it, theirs. */
static void put_options(StrBuf *out, const char *section, const cJSON *saved, const cJSON *defaults, const cJSON *now)
{
    for (const cJSON *is = now ? now->child : NULL; is; is = is->next) {
        const cJSON *was = json_get(saved, is->string), *initial = json_get(defaults, is->string);
        char path[128];
        if (cJSON_IsObject(is)) {
            snprintf(path, sizeof path, "%s.%s", section, is->string);
            put_options(out, path, was, initial, is); /* objects are three levels deep at most */
        } else if (!cJSON_Compare(was ? was : initial, is, true)) {
            put_option(out, section, is->string, was ? was : initial, is);
        }
    }
}

/* A model that is not needed is null, or not in the list of an older record. */
static bool same_models(const cJSON *was, const cJSON *is)
{
    bool same = true;
    int n = cJSON_GetArraySize(was) > cJSON_GetArraySize(is) ? cJSON_GetArraySize(was) : cJSON_GetArraySize(is);
    for (int k = 0; k < n; k++) {
        const char *before = cJSON_GetStringValue(cJSON_GetArrayItem(was, k)),
                   *now = cJSON_GetStringValue(cJSON_GetArrayItem(is, k));
        same = same && (before && now ? strcmp(before, now) == 0 : before == now);
    }
    return same;
}

Status ablate_record_change(const cJSON *saved, const cJSON *now, StrBuf *out, Error *e)
{
    static const char *const sections[] = { "model", "train", "encoder_options" };
    static const char *const texts[][2] = { { "train_data", "the training data changed" },
                                            { "dev_data", "the dev data changed" },
                                            { "folds", "the number of folds changed" },
                                            { "task", "the task changed" },
                                            { "replace", "how words are replaced changed" } };
    cJSON *defaults = record_of_defaults();
    for (size_t k = 0; defaults && k < sizeof sections / sizeof *sections; k++)
        put_options(out, sections[k], json_get(saved, sections[k]), json_get(defaults, sections[k]),
                    json_get(now, sections[k]));
    for (size_t k = 0; defaults && k < sizeof texts / sizeof *texts; k++) {
        const cJSON *was = json_get(saved, texts[k][0]);
        if (!was) was = json_get(defaults, texts[k][0]);
        if (!cJSON_Compare(was, json_get(now, texts[k][0]), true))
            strbuf_printf(out, "%s%s", separator(out), texts[k][1]);
    }
    if (!same_models(json_get(saved, "models"), json_get(now, "models")))
        strbuf_printf(out, "%sa model that it needs changed", separator(out));
    bool ok = defaults && !out->failed;
    cJSON_Delete(defaults);
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory comparing runs");
}
