/* The configurations of a plan's variants */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_file.h"
#include "base/json_merge.h"
#include "base/suggest.h"
#include "program/ablate/plan.h"
#include "parser/train/run/train.h"

/* What configurations are read from: a preset (maybe), the base of the plan over it, the patch of a variant over that.
 */
typedef struct Sources {
    AblatePlan *plan;
    const cJSON *base; /* of the plan; NULL: none */
    cJSON *merged_base;
    const cJSON *patch; /* of the variant; NULL: the base is read */
    const char *name;   /* of the variant, or "base" */
} Sources;

static const char KEYS[] = "about|preset|model|train|encoder_options|start_from|heads_of|prune";

/* The value of the plan that a section and a member of the merged configuration come from; without one, as in a preset,
 * the variant or the base. */
static const cJSON *origin(const Sources *x, const char *section, const char *member)
{
    const cJSON *const from[] = { x->patch, x->base };
    for (int k = 0; k < 2; k++) {
        const cJSON *found = json_get(from[k], section);
        if (found && member) found = json_get(found, member);
        if (found) return found;
    }
    return x->patch ? x->patch : x->base;
}

/* Sets the fields of one section, member by member, so that an error has its place. */
static Status read_section(const Sources *x, const char *section, const cJSON *object, const Option *table,
                           void *fields, Error *e)
{
    if (!cJSON_IsObject(object))
        return ablate_plan_error(x->plan, origin(x, section, NULL), e, "%s: %s: expected an object", x->name, section);
    for (const cJSON *m = object->child; m; m = m->next) {
        Error why = { 0 };
        cJSON member = *m, one = { .type = cJSON_Object, .child = &member };
        member.next = NULL;
        member.prev = &member;
        Status s = options_from_json(table, fields, &one, &x->plan->strings, NULL, &why);
        if (s == ERR_NOMEM) return error_set(e, s, "%s", why.message);
        if (s != OK)
            return ablate_plan_error(x->plan, origin(x, section, m->string), e, "%s: %s: %s", x->name, section,
                                     why.message);
    }
    return OK;
}

/* What the tables of options cannot know. */
static Status check_config(const Sources *x, const AblateVariant *v, Error *e)
{
    Error why = { 0 };
    const PretrainedConfig pretrained = ablate_plan_pretrained(x->plan, v);
    Status s = trainer_check_config(x->plan->measure->task, &v->model, &v->train, &v->options, &pretrained, &why);
    if (s == OK || s == ERR_NOMEM) return s == OK ? OK : error_set(e, s, "%s", why.message);
    const char *section = s == ERR_CONFIG ? "model" : "train";
    return ablate_plan_error(x->plan, origin(x, section, NULL), e, "%s: %s: %s", x->name, section, why.message);
}

static Status check_keys(const Sources *x, const cJSON *merged, Error *e)
{
    for (const cJSON *m = merged->child; m; m = m->next) {
        if (ablate_plan_is_key(KEYS, m->string)) continue;
        Suggestion near = suggest_for(m->string, strlen(m->string));
        suggest_choices(&near, KEYS);
        return ablate_plan_error(x->plan, origin(x, m->string, NULL), e, "%s: unknown key \"%s\", expected one of %s%s",
                                 x->name, m->string, KEYS, suggest_text(&near, "").text);
    }
    if (x->patch && json_get(x->patch, "preset"))
        return ablate_plan_error(x->plan, origin(x, "preset", NULL), e, "%s: found a preset, expected it in the base",
                                 x->name);
    return OK;
}

static bool given(const cJSON *merged, const char *name)
{
    const cJSON *x = json_get(merged, name);
    return x && !cJSON_IsNull(x);
}

static Status read_prune(const Sources *x, const cJSON *merged, AblateVariant *v, Error *e)
{
    const cJSON *prune = json_get(merged, "prune");
    if (!prune || cJSON_IsNull(prune)) return OK;
    v->prune = cJSON_IsTrue(prune);
    const char *message = !cJSON_IsBool(prune)                                          ? "expected true or false"
                          : x->patch && v->prune && v->options.gates.kind == GATES_NONE ? "expected gates"
                                                                                        : NULL;
    return message ? ablate_plan_error(x->plan, origin(x, "prune", NULL), e, "%s: prune: %s", x->name, message) : OK;
}

static Status read_config(const Sources *x, const cJSON *merged, AblateVariant *v, Error *e)
{
    *v = (AblateVariant){ .name = x->name, .start_from = -1, .heads_of = -1 };
    v->continues = given(merged, "start_from");
    v->copies_heads = given(merged, "heads_of");
    options_defaults(CONFIG_MODEL_OPTIONS, &v->model);
    options_defaults(CONFIG_TRAIN_OPTIONS, &v->train);
    const cJSON *model = json_get(merged, "model"), *train = json_get(merged, "train"),
                *options = json_get(merged, "encoder_options");
    Status s = check_keys(x, merged, e);
    if (s == OK && model) s = read_section(x, "model", model, CONFIG_MODEL_OPTIONS, &v->model, e);
    if (s == OK && train) s = read_section(x, "train", train, CONFIG_TRAIN_OPTIONS, &v->train, e);
    if (s == OK) s = ablate_plan_options(x->plan, x->base, x->patch, options, v, e);
    if (s == OK && json_get(train, "seed"))
        s = ablate_plan_error(x->plan, origin(x, "train", "seed"), e, "%s: train: found a seed, expected \"seeds\"",
                              x->name);
    if (s == OK) s = read_prune(x, merged, v, e);
    if (s == OK && x->patch) s = check_config(x, v, e); /* the base need not be complete */
    return s;
}

/* ---- equal updates */

/* Options that decide which sentences an update has, and how many updates there are. */
static const char OF_UPDATES[] = "epochs|max_updates|batch_size|stop_after|mix|questions|max_train_words";

static Status check_updates(const Sources *x, const AblateVariant *base, const AblateVariant *v, Error *e)
{
    StrBuf was = { 0 }, is = { 0 };
    Status s = OK;
    if (v->train.stop_after)
        s = ablate_plan_error(x->plan, origin(x, "train", "stop_after"), e,
                              "%s: train: stop_after is %d, expected 0: the runs have equal updates, unless the plan "
                              "has \"equal_updates\": false",
                              x->name, v->train.stop_after);
    for (const Option *o = CONFIG_TRAIN_OPTIONS; o->name && s == OK; o++) {
        if (!ablate_plan_is_key(OF_UPDATES, o->name)) continue;
        strbuf_clear(&was);
        strbuf_clear(&is);
        option_to_json(o, &base->train, &was);
        option_to_json(o, &v->train, &is);
        if (was.failed || is.failed) s = error_set(e, ERR_NOMEM, "out of memory reading a plan");
        else if (strcmp(was.ptr, is.ptr) != 0)
            s = ablate_plan_error(x->plan, origin(x, "train", o->name), e,
                                  "%s: train: %s is %s, but %s in the base: the runs have equal updates, unless the "
                                  "plan has \"equal_updates\": false",
                                  x->name, o->name, is.ptr, was.ptr);
    }
    strbuf_fini(&was);
    strbuf_fini(&is);
    return s;
}

/* ---- the base */

/* The JSON of a preset or file, or ERR_USAGE. */
static Status read_one(const AblatePlan *p, const cJSON *at, const char *name, cJSON **out, Error *e)
{
    StrBuf file = { 0 };
    const char *text = NULL;
    size_t len = strlen(name);
    if (len > 5 && strcmp(name + len - 5, ".json") == 0) {
        Status s = file_read_most(name, JSON_FILE_MOST, &file, e);
        if (s == OK) s = json_parse_file(file.ptr ? file.ptr : "", file.len, name, out, e);
        strbuf_fini(&file);
        return s == ERR_FORMAT ? ERR_USAGE : s;
    }
    Suggestion near = suggest_for(name, len);
    for (const Preset *x = PRESETS; x->name; x++) {
        suggest_name(&near, x->name, strlen(x->name));
        if (strcmp(x->name, name) == 0) text = x->json;
    }
    if (text) return json_parse_file(text, strlen(text), name, out, e);
    return ablate_plan_error(p, at, e,
                             "base: found the preset \"%s\", expected a built-in one or a path ending in "
                             ".json%s",
                             name, suggest_text(&near, "").text);
}

/* Reads it over the preset that it names (config_preset). */
static Status read_preset(const AblatePlan *p, const cJSON *at, const char *name, cJSON **out, Error *e)
{
    cJSON *base = NULL, *merged;
    Status s = read_one(p, at, name, out, e);
    const cJSON *below = s == OK ? json_get(*out, "preset") : NULL;
    if (!below) return s;
    if (!cJSON_IsString(below)) return ablate_plan_error(p, at, e, "base: %s: preset: expected a name", name);
    s = read_one(p, at, below->valuestring, &base, e);
    if (s == OK && cJSON_HasObjectItem(base, "preset"))
        s = ablate_plan_error(p, at, e, "base: %s: preset: found one that has a preset itself", name);
    merged = s == OK ? json_merge(base, *out) : NULL;
    if (s == OK && !merged) s = error_set(e, ERR_NOMEM, "out of memory reading a plan");
    cJSON_Delete(base);
    if (s != OK) return s;
    cJSON_DeleteItemFromObjectCaseSensitive(merged, "preset");
    cJSON_Delete(*out);
    *out = merged;
    return OK;
}

/* base: the name of a preset, or a configuration, which may name one with "preset". *out is to be deleted. */
static Status merge_base(const AblatePlan *p, const cJSON *base, cJSON **out, Error *e)
{
    const cJSON *preset = cJSON_IsString(base) ? base : json_get(base, "preset");
    const char *name = preset ? cJSON_GetStringValue(preset) : p->measure->preset;
    cJSON *from = NULL;
    *out = NULL;
    if (base && !cJSON_IsString(base) && !cJSON_IsObject(base))
        return ablate_plan_error(p, base, e, "base: expected the name of a preset or an object");
    if (preset && !cJSON_IsString(preset))
        return ablate_plan_error(p, preset, e, "base: expected the name of a preset");
    Status s = name ? read_preset(p, preset ? preset : p->json, name, &from, e) : OK;
    if (s != OK) {
        cJSON_Delete(from);
        return s;
    }
    cJSON *none = cJSON_CreateObject();
    *out = none ? json_merge(from, base && !cJSON_IsString(base) ? base : none) : NULL;
    cJSON_Delete(none);
    cJSON_Delete(from);
    return *out ? OK : error_set(e, ERR_NOMEM, "out of memory reading a plan");
}

/* ---- the variants */

static Status read_variant(Sources *x, const AblateVariant *base, AblateVariant *v, Error *e)
{
    cJSON *merged = json_merge(x->merged_base, x->patch);
    if (!merged) return error_set(e, ERR_NOMEM, "out of memory reading a plan");
    Status s = read_config(x, merged, v, e);
    if (s == OK && x->plan->equal_updates && !v->continues) s = check_updates(x, base, v, e);
    cJSON_Delete(merged);
    return s;
}

static Status read_all(Sources *x, const cJSON *variants, Error *e)
{
    AblatePlan *p = x->plan;
    AblateVariant base;
    x->name = "base";
    Status s = read_config(x, x->merged_base, &base, e);
    for (int k = 0; k < 2 && s == OK; k++)
        if (k ? base.copies_heads : base.continues)
            s = ablate_plan_error(p, origin(x, k ? "heads_of" : "start_from", NULL), e,
                                  "base: found %s, expected it in a variant", k ? "heads_of" : "start_from");
    for (x->patch = variants->child; x->patch && s == OK; x->patch = x->patch->next) {
        x->name = x->patch->string;
        s = read_variant(x, &base, &p->variants[p->n], e);
        p->n++;
    }
    return s;
}

Status ablate_plan_variants(AblatePlan *p, const cJSON *base, const cJSON *variants, Error *e)
{
    Sources x = { .plan = p, .base = base };
    size_t n = (size_t)cJSON_GetArraySize(variants);
    p->variants = mem_calloc(n, sizeof *p->variants);
    p->order = mem_calloc(n, sizeof *p->order);
    if (!p->variants || !p->order) return error_set(e, ERR_NOMEM, "out of memory reading a plan");
    Status s = merge_base(p, base, &x.merged_base, e);
    if (s == OK) s = read_all(&x, variants, e);
    cJSON_Delete(x.merged_base);
    return s;
}

/* ---- which variants need which */

void ablate_plan_needs(const AblatePlan *p, int v, int out[ABLATE_NEEDS])
{
    const AblateVariant *x = &p->variants[v];
    out[0] = x->start_from;
    out[1] = x->heads_of;
    out[2] = x->first_pass ? p->first_pass : -1;
}

static bool is_ordered(const AblatePlan *p, int n, int variant)
{
    bool found = variant < 0;
    for (int k = 0; k < n && !found; k++) found = p->order[k] == variant;
    return found;
}

static Status link_variant(AblatePlan *p, int v, const cJSON *patch, Error *e)
{
    static const char *const keys[] = { "start_from", "heads_of" };
    AblateVariant *x = &p->variants[v];
    Status s = OK;
    for (int k = 0; k < 2 && s == OK; k++) {
        char of[ABLATE_NAME_MOST + 16];
        snprintf(of, sizeof of, "%s: %s", x->name, keys[k]);
        if (k ? x->copies_heads : x->continues)
            s = ablate_plan_find(p, json_get(patch, keys[k]), of, k ? &x->heads_of : &x->start_from, e);
    }
    return s;
}

Status ablate_plan_order(AblatePlan *p, const cJSON *variants, Error *e)
{
    Status s = OK;
    int v = 0, n = 0, before = -1;
    for (const cJSON *patch = variants->child; patch && s == OK; patch = patch->next)
        s = link_variant(p, v++, patch, e);
    if (s == OK && p->folds) {
        int needs[ABLATE_NEEDS];
        ablate_plan_needs(p, p->first_pass, needs);
        for (int k = 0; k < ABLATE_NEEDS && s == OK; k++)
            if (needs[k] >= 0)
                s = ablate_plan_error(p, json_get(p->json, "first_pass"), e,
                                      "first_pass: %s needs the model of another variant, expected one that does not",
                                      p->variants[p->first_pass].name);
    }
    while (s == OK && n > before && n < p->n) {
        before = n;
        for (v = 0; v < p->n; v++) {
            int needs[ABLATE_NEEDS];
            bool ready = !is_ordered(p, n, v);
            ablate_plan_needs(p, v, needs);
            for (int k = 0; k < ABLATE_NEEDS; k++) ready = ready && is_ordered(p, n, needs[k]);
            if (ready) p->order[n++] = v;
        }
    }
    for (v = 0; v < p->n && s == OK; v++)
        if (!is_ordered(p, n, v))
            s = ablate_plan_error(p, cJSON_GetArrayItem(variants, v), e,
                                  "%s: needs the model of a variant that needs its own model", p->variants[v].name);
    return s;
}
