/* parser/ablate/ablate_record.c: what a run is made of, to see whether one that is there is the one that is wanted */
#include <stdio.h>
#include <string.h>

#include "parser/ablate/ablate_files.h"

/* ---- data */

typedef uint64_t Hash; /* FNV-1a */

static void add_bytes(Hash *h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t k = 0; k < n; k++) *h = (*h ^ p[k]) * 0x100000001b3u;
}

static void add_text(Hash *h, const char *text) { add_bytes(h, text ? text : "", text ? strlen(text) + 1 : 0); }

static void add_number(Hash *h, int x)
{
    unsigned char bytes[4];
    for (int k = 0; k < 4; k++) bytes[k] = (unsigned char)((unsigned)x >> (8 * k));
    add_bytes(h, bytes, 4);
}

static void add_sentence(Hash *h, const Sentence *sent)
{
    int n = sent->n_words;
    add_number(h, n);
    for (int w = 0; w < n; w++) {
        add_text(h, sent->words[w]);
        add_text(h, sent->tags ? sent->tags[w] : NULL);
        add_text(h, sent->types ? sent->types[w] : NULL);
        add_number(h, sent->heads ? sent->heads[w] : -1);
    }
    add_number(h, sent->has_tree ? sent->n_phrases : -1);
    for (int k = 0; k < sent->n_phrases; k++) {
        add_text(h, sent->phrases[k].label);
        add_number(h, sent->phrases[k].begin);
        add_number(h, sent->phrases[k].end);
    }
}

void ablate_corpora_hash(const Corpus *c, int n, char digits[17])
{
    Hash h = 0xcbf29ce484222325u;
    for (int k = 0; k < n; k++) {
        add_text(&h, c[k].name);
        add_number(&h, c[k].trees.n);
        for (int i = 0; i < c[k].trees.n; i++) add_sentence(&h, &c[k].trees.s[i]);
    }
    snprintf(digits, 17, "%016llx", (unsigned long long)h);
}

/* ---- records */

static bool add(cJSON *to, const char *name, cJSON *item)
{
    if (item && cJSON_AddItemToObject(to, name, item)) return true;
    cJSON_Delete(item);
    return false;
}

cJSON *ablate_record(const AblateArgs *a, const AblateVariant *v, long seed, const char *const *models)
{
    char train[17], dev[17];
    TrainConfig config = v->train;
    config.seed = seed;
    ablate_corpora_hash(a->train, a->n_train, train);
    ablate_corpora_hash(a->dev, a->n_dev, dev);
    cJSON *out = cJSON_CreateObject(), *needs = cJSON_CreateArray();
    for (int k = 0; needs && k < ABLATE_NEEDS; k++)
        cJSON_AddItemToArray(needs, models[k] ? cJSON_CreateString(models[k]) : cJSON_CreateNull());
    bool ok = out && add(out, "model", options_json(CONFIG_MODEL_OPTIONS, &v->model)) &&
              add(out, "train", options_json(CONFIG_TRAIN_OPTIONS, &config)) &&
              add(out, "train_data", cJSON_CreateString(train)) && add(out, "dev_data", cJSON_CreateString(dev)) &&
              add(out, "encoder_options", encoder_options_json(&v->options)) &&
              add(out, "folds", cJSON_CreateNumber(v->first_pass ? a->plan->folds : 0));
    if (add(out, "models", needs) && ok) return out;
    cJSON_Delete(out);
    return NULL;
}

/* "; train.epochs was 3, is 2" for the first members that differ. */
static void put_options(StrBuf *out, const char *section, const Option *table, const cJSON *saved, const cJSON *now)
{
    union {
        ModelConfig model;
        TrainConfig train;
    } initial;
    options_defaults(table, &initial);
    cJSON *defaults = options_json(table, &initial);
    for (const cJSON *is = now ? now->child : NULL; is; is = is->next) {
        const cJSON *was = cJSON_GetObjectItemCaseSensitive(saved, is->string);
        if (!was) was = cJSON_GetObjectItemCaseSensitive(defaults, is->string);
        if (cJSON_Compare(was, is, true)) continue;
        char *before = json_print(was), *after = json_print(is);
        strbuf_printf(out, "%s%s.%s was %s, is %s", out->len ? "; " : "", section, is->string,
                      before ? before : "unknown", after ? after : "unknown");
        cJSON_free(before);
        cJSON_free(after);
    }
    cJSON_Delete(defaults);
}

void ablate_record_change(const cJSON *saved, const cJSON *now, StrBuf *out)
{
    static const char *const texts[][2] = { { "train_data", "the training data changed" },
                                            { "dev_data", "the dev data changed" },
                                            { "encoder_options", "the encoder options changed" },
                                            { "models", "a model that it needs changed" },
                                            { "folds", "the number of folds changed" } };
    const Option *const tables[] = { CONFIG_MODEL_OPTIONS, CONFIG_TRAIN_OPTIONS };
    static const char *const sections[] = { "model", "train" };
    for (int k = 0; k < 2; k++)
        put_options(out, sections[k], tables[k], cJSON_GetObjectItemCaseSensitive(saved, sections[k]),
                    cJSON_GetObjectItemCaseSensitive(now, sections[k]));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const cJSON *was = cJSON_GetObjectItemCaseSensitive(saved, texts[k][0]),
                    *is = cJSON_GetObjectItemCaseSensitive(now, texts[k][0]);
        if (!was || !cJSON_Compare(was, is, true)) strbuf_printf(out, "%s%s", out->len ? "; " : "", texts[k][1]);
    }
}
