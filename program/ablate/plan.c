/* The keys of a plan, except its variants */
#include "program/ablate/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/filemap.h"
#include "base/suggest.h"
#include "parser/model/corpus_hash.h"
#include "parser/model/model_file.h"

enum { FOLDS_MOST = 100 };

#define D(name) offsetof(AblateData, name)
#define OF_TRAIN "of detect and mask, as lal train takes it"

const Option ABLATE_DATA_OPTIONS[] = {
    { "train", OPT_LIST, D(train), NULL, 0, 0, "FILE",
      "file to train on, as lal train takes it for the task of the plan; of parse, brackets, or none: the treebank has "
      "dependencies only" },
    { "train_deps", OPT_LIST, D(train_deps), NULL, 0, 0, "FILE",
      "CoNLL file of the same sentences, in the order of --train, or one table of head rules for all" },
    { "dev", OPT_LIST, D(dev), NULL, 0, 0, "FILE", "as --train, on which the model of a run is chosen" },
    { "dev_deps", OPT_LIST, D(dev_deps), NULL, 0, 0, "FILE", "CoNLL file of the same sentences, or head rules" },
    { "test", OPT_LIST, D(test), NULL, 0, 0, "FILE", "as --train, on which the chosen model is scored" },
    { "test_deps", OPT_LIST, D(test_deps), NULL, 0, 0, "FILE", "CoNLL file of the same sentences, or head rules" },
    { "name", OPT_LIST, D(name), NULL, 0, 0, "NAME",
      "name of the treebank, in the order of --train (default: the name of the file's folder)" },
    { "dev_name", OPT_LIST, D(dev_name), NULL, 0, 0, "NAME",
      "name of the treebank, in the order of --dev (default: that of --name)" },
    { "test_name", OPT_LIST, D(test_name), NULL, 0, 0, "NAME",
      "name of the treebank, in the order of --test (default: that of --name)" },
    { "pretrained", OPT_LIST, D(pretrained), NULL, 0, 0, "MODEL",
      "pretrained encoder of all runs, as lal train --pretrained takes it" },
    { "vectors", OPT_LIST, D(vectors), NULL, 0, 0, "FILE",
      "word vectors of all runs, as lal train --vectors takes them" },
    { "target", OPT_LIST, D(target), NULL, 0, 0, "FILE", "of translate, the translations of --train, in its order" },
    { "dev_target", OPT_LIST, D(dev_target), NULL, 0, 0, "FILE", "the same of --dev" },
    { "test_target", OPT_LIST, D(test_target), NULL, 0, 0, "FILE", "the same of --test" },
    { "train_classes", OPT_LIST, D(train_classes), NULL, 0, 0, "FILE",
      "of classify, classes of the treebank --train, one on each line" },
    { "dev_classes", OPT_LIST, D(dev_classes), NULL, 0, 0, "FILE", "the same of --dev" },
    { "test_classes", OPT_LIST, D(test_classes), NULL, 0, 0, "FILE", "the same of --test" },
    { "input", OPT_LIST, D(input), NULL, 0, 0, "INPUT", OF_TRAIN },
    { "newline", OPT_LIST, D(newline), NULL, 0, 0, "NEWLINE", OF_TRAIN },
    { "markup", OPT_LIST, D(markup), NULL, 0, 0, "MARKUP", OF_TRAIN },
    { "hyphens", OPT_LIST, D(hyphens), NULL, 0, 0, "HYPHENS", OF_TRAIN },
    { "replace", OPT_LIST, D(replace), NULL, 0, 0, "X", OF_TRAIN },
    { "replace_power", OPT_LIST, D(replace_power), NULL, 0, 0, "X", OF_TRAIN },
    { "most_words", OPT_LIST, D(most_words), NULL, 0, 0, "N", OF_TRAIN },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

Status ablate_plan_error(const AblatePlan *p, const cJSON *value, Error *e, const char *format, ...)
{
    va_list arguments;
    TextPlace at = json_place(p->text.ptr, p->text.len, p->json, value, true);
    va_start(arguments, format);
    error_vset(e, ERR_USAGE, p->path, at.line, at.column, format, arguments);
    va_end(arguments);
    return ERR_USAGE;
}

bool ablate_plan_is_key(const char *keys, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = keys; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (n && strncmp(at, name, n) == 0 && (at[n] == '|' || !at[n])) return true;
    }
    return false;
}

/* ---- single keys */

static Status whole_number(const AblatePlan *p, const char *name, const cJSON *x, double min, double max, long *out,
                           Error *e)
{
    if (!cJSON_IsNumber(x) || !(x->valuedouble >= min && x->valuedouble <= max) ||
        x->valuedouble != floor(x->valuedouble))
        return ablate_plan_error(p, x, e, "%s: expected a whole number from %.0f to %.0f", name, min, max);
    *out = (long)x->valuedouble;
    return OK;
}

static Status read_seeds(AblatePlan *p, const cJSON *list, Error *e)
{
    int n = cJSON_GetArraySize(list);
    if (!cJSON_IsArray(list) || n < 1 || n > ABLATE_SEEDS_MOST)
        return ablate_plan_error(p, list, e, "seeds: expected an array of 1 to %d whole numbers", ABLATE_SEEDS_MOST);
    for (const cJSON *x = list->child; x; x = x->next) {
        Status s = whole_number(p, "seeds", x, 0, 1e15, &p->seeds[p->n_seeds], e);
        if (s != OK) return s;
        for (int k = 0; k < p->n_seeds; k++)
            if (p->seeds[k] == p->seeds[p->n_seeds])
                return ablate_plan_error(p, x, e, "seeds: found %ld twice", p->seeds[k]);
        p->n_seeds++;
    }
    return OK;
}

static Status read_hours(AblatePlan *p, const cJSON *x, Error *e)
{
    if (cJSON_IsNull(x)) return OK;
    if (!cJSON_IsNumber(x) || !(x->valuedouble > 0))
        return ablate_plan_error(p, x, e, "max_hours: expected a number above 0, or null for no limit");
    p->max_hours = x->valuedouble;
    return OK;
}

static Status read_task(AblatePlan *p, const cJSON *task, Error *e)
{
    StrBuf expected = { 0 };
    const char *name = !task ? TASK_PARSE.name : cJSON_IsString(task) ? task->valuestring : "";
    Suggestion near = suggest_for(name, strlen(name));
    p->measure = ablate_measure(name, &expected);
    if (!p->measure && !expected.failed) {
        suggest_choices(&near, expected.ptr);
        ablate_plan_error(p, task, e, "task: found \"%s\", expected %s%s", name, expected.ptr,
                          suggest_text(&near, "").text);
    } else if (!p->measure) error_set(e, ERR_NOMEM, "out of memory reading a plan");
    strbuf_fini(&expected);
    return p->measure ? OK : e->code;
}

/* A list may be one string. */
static Status read_data(AblatePlan *p, const cJSON *object, Error *e)
{
    if (!cJSON_IsObject(object)) return ablate_plan_error(p, object, e, "data: expected an object");
    for (const cJSON *m = object->child; m; m = m->next) {
        const Option *o = ABLATE_DATA_OPTIONS;
        while (o->name && strcmp(o->name, m->string) != 0) o++;
        if (o->name && !ablate_plan_is_key(p->measure->data, o->name))
            return ablate_plan_error(p, m, e, "data: found \"%s\" in a plan of the task %s, expected %s", m->string,
                                     p->measure->task->name, p->measure->data);
        if (!o->name) {
            Suggestion near = suggest_for(m->string, strlen(m->string));
            suggest_choices(&near, p->measure->data);
            return ablate_plan_error(p, m, e, "data: unknown key \"%s\"%s", m->string, suggest_text(&near, "").text);
        }
        bool one = cJSON_IsString(m);
        if (!one && !cJSON_IsArray(m)) return ablate_plan_error(p, m, e, "data: expected an array of strings");
        for (const cJSON *x = one ? m : m->child; x; x = one ? NULL : x->next) {
            if (!cJSON_IsString(x)) return ablate_plan_error(p, x, e, "data: %s: expected a string", m->string);
            Error why = { 0 };
            if (option_set(o, &p->data, x->valuestring, &why) != OK)
                return ablate_plan_error(p, x, e, "data: %s", why.message);
        }
    }
    return OK;
}

static OptionList *list_of(const Option *o, const AblateData *d)
{
    return (OptionList *)(void *)((char *)(uintptr_t)d + o->offset);
}

static Status replace_data(AblatePlan *p, const AblateData *given, Error *e)
{
    for (const Option *o = ABLATE_DATA_OPTIONS; o->name; o++) {
        if (!list_of(o, given)->n) continue;
        if (!ablate_plan_is_key(p->measure->data, o->name))
            return error_set(e, ERR_USAGE, "%s: found data \"%s\" and the task %s, which has %s", p->path, o->name,
                             p->measure->task->name, p->measure->data);
        *list_of(o, &p->data) = *list_of(o, given);
    }
    return OK;
}

Status ablate_plan_checksum(const char *path, char digits[17], Error *e)
{
    FileMap map;
    Status s = filemap_open(&map, path, 0, e);
    if (s != OK) return s;
    if (!model_checksum(map.data, map.size, digits) || !filemap_unchanged(&map, NULL))
        s = error_at(e, ERR_FORMAT, path, 0, 0, "found no model");
    filemap_close(&map);
    return s;
}

/* The sizes of the pretrained encoder, which entries of encoder options name. */
static Status read_pretrained(AblatePlan *p, Error *e)
{
    const OptionList *files = &p->data.pretrained;
    ModelTexts texts;
    if (files->n == 0) return OK;
    if (files->n > 1) return error_set(e, ERR_USAGE, "found %d pretrained encoders, expected one", files->n);
    Status s = model_texts_read(&texts, files->item[0], NULL, e);
    p->pretrained = texts.pretrained;
    model_texts_fini(&texts);
    return s == OK ? ablate_plan_checksum(files->item[0], p->pretrained_sum, e) : s;
}

static Status read_vectors(AblatePlan *p, Error *e)
{
    const OptionList *files = &p->data.vectors;
    StrBuf text = { 0 };
    uint64_t h = CORPUS_HASH_START;
    if (files->n == 0) return OK;
    if (files->n > 1) return error_set(e, ERR_USAGE, "found %d files of word vectors, expected one", files->n);
    Status s = file_read_text(files->item[0], &text, e);
    if (s == OK) {
        corpus_hash_text(&h, text.ptr);
        snprintf(p->vectors_sum, sizeof p->vectors_sum, "%s", corpus_hash_digits(h).text);
    }
    strbuf_fini(&text);
    return s;
}

/* The name becomes the name of a folder. */
static bool good_name(const char *name)
{
    size_t n = strlen(name);
    bool good = n > 0 && n <= ABLATE_NAME_MOST && name[0] != '.' && strcmp(name, "first-pass") != 0;
    for (const char *c = name; *c && good; c++) good = (unsigned char)*c > ' ' && *c != '/' && *c != 0x7f;
    return good;
}

static Status check_names(const AblatePlan *p, const cJSON *variants, Error *e)
{
    if (!cJSON_IsObject(variants) || !variants->child)
        return ablate_plan_error(p, variants, e, "variants: expected an object of names and merge patches");
    for (const cJSON *v = variants->child; v; v = v->next) {
        if (!good_name(v->string))
            return ablate_plan_error(p, v, e,
                                     "variants: found the name \"%s\", expected 1 to %d characters without blanks and "
                                     "/, the first of them not a period, other than first-pass",
                                     v->string, ABLATE_NAME_MOST);
        if (!cJSON_IsObject(v)) return ablate_plan_error(p, v, e, "variants: %s: expected an object", v->string);
        for (const cJSON *w = variants->child; w != v; w = w->next)
            if (strcmp(w->string, v->string) == 0)
                return ablate_plan_error(p, v, e, "variants: found the name \"%s\" twice", v->string);
    }
    return OK;
}

Status ablate_plan_find(const AblatePlan *p, const cJSON *x, const char *of, int *variant, Error *e)
{
    const char *name = cJSON_IsString(x) ? x->valuestring : "";
    Suggestion near = suggest_for(name, strlen(name));
    for (*variant = 0; *variant < p->n; ++*variant) {
        const char *other = p->variants[*variant].name;
        if (strcmp(other, name) == 0) return OK;
        suggest_name(&near, other, strlen(other));
    }
    return ablate_plan_error(p, x, e, "%s: found \"%s\", expected the name of a variant%s", of, name,
                             suggest_text(&near, "").text);
}

/* "first_pass": {"variant": NAME, "folds": N}; before the variants are read only the folds. */
static Status read_first_pass(AblatePlan *p, const cJSON *object, bool folds, Error *e)
{
    static const char keys[] = "variant|folds";
    const cJSON *variant = json_get(object, "variant"), *n = json_get(object, "folds");
    long value = 0;
    if (!object) return OK;
    if (p->measure->task != &TASK_PARSE)
        return ablate_plan_error(p, object, e, "first_pass: found the task %s, expected parse", p->measure->task->name);
    for (const cJSON *m = cJSON_IsObject(object) ? object->child : NULL; m; m = m->next)
        if (!ablate_plan_is_key(keys, m->string))
            return ablate_plan_error(p, m, e, "first_pass: unknown key \"%s\", expected one of %s", m->string, keys);
    if (!variant || !n)
        return ablate_plan_error(p, object, e, "first_pass: expected {\"variant\": NAME, \"folds\": N}");
    if (!folds) return ablate_plan_find(p, variant, "first_pass", &p->first_pass, e);
    Status s = whole_number(p, "first_pass: folds", n, 2, FOLDS_MOST, &value, e);
    p->folds = (int)value;
    return s;
}

/* ---- the file */

static const char KEYS[] = "about|task|base|data|seeds|variants|reference|resamples|max_hours|equal_updates|first_pass";

static Status check_keys(const AblatePlan *p, Error *e)
{
    if (!cJSON_IsObject(p->json)) return ablate_plan_error(p, p->json, e, "expected an object");
    for (const cJSON *m = p->json->child; m; m = m->next) {
        if (ablate_plan_is_key(KEYS, m->string)) continue;
        Suggestion near = suggest_for(m->string, strlen(m->string));
        suggest_choices(&near, KEYS);
        return ablate_plan_error(p, m, e, "unknown key \"%s\", expected one of %s%s", m->string, KEYS,
                                 suggest_text(&near, "").text);
    }
    return OK;
}

static const cJSON *key(const AblatePlan *p, const char *name) { return json_get(p->json, name); }

static Status read_keys(AblatePlan *p, const AblateData *given, Error *e)
{
    const cJSON *about = key(p, "about"), *base = key(p, "base"), *variants = key(p, "variants"),
                *seeds = key(p, "seeds"), *resamples = key(p, "resamples"), *data = key(p, "data"),
                *hours = key(p, "max_hours"), *reference = key(p, "reference"), *equal = key(p, "equal_updates");
    Status s = check_keys(p, e);
    if (s == OK && !variants) s = ablate_plan_error(p, p->json, e, "found no \"variants\", expected them");
    if (s == OK && about && !cJSON_IsString(about)) s = ablate_plan_error(p, about, e, "about: expected a string");
    if (s == OK && equal && !cJSON_IsBool(equal))
        s = ablate_plan_error(p, equal, e, "equal_updates: expected true or false");
    if (s != OK) return s;
    if (about) p->about = about->valuestring;
    s = read_task(p, key(p, "task"), e);
    p->equal_updates = !equal || cJSON_IsTrue(equal);
    if (s == OK && seeds) s = read_seeds(p, seeds, e);
    else p->seeds[p->n_seeds++] = 1;
    if (s == OK && resamples) s = whole_number(p, "resamples", resamples, 1, 1e8, &p->resamples, e);
    if (s == OK && hours) s = read_hours(p, hours, e);
    if (s == OK && data) s = read_data(p, data, e);
    if (s == OK && given) s = replace_data(p, given, e);
    if (s == OK) s = read_pretrained(p, e);
    if (s == OK) s = read_vectors(p, e);
    if (s == OK) s = check_names(p, variants, e);
    if (s == OK) s = read_first_pass(p, key(p, "first_pass"), true, e);
    if (s == OK) s = ablate_plan_variants(p, base, variants, e);
    if (s == OK && reference) s = ablate_plan_find(p, reference, "reference", &p->reference, e);
    if (s == OK) s = read_first_pass(p, key(p, "first_pass"), false, e);
    if (s == OK) s = ablate_plan_order(p, variants, e);
    return s;
}

Status ablate_plan_read(AblatePlan *p, const char *path, const AblateData *given, Error *e)
{
    *p = (AblatePlan){ .path = path, .about = "", .resamples = 10000 };
    arena_init(&p->strings, 4096);
    Error why = { 0 };
    Status s = file_read_text(path, &p->text, &why);
    if (s == OK) s = json_parse_file(p->text.ptr ? p->text.ptr : "", p->text.len, path, &p->json, &why);
    if (s != OK) {
        if (s == ERR_FORMAT) s = ERR_USAGE;
        return error_at(e, s, why.path, why.line, why.column, "%s", why.message);
    }
    return read_keys(p, given, e);
}

void ablate_plan_fini(AblatePlan *p)
{
    mem_free(p->variants);
    mem_free(p->order);
    cJSON_Delete(p->json);
    strbuf_fini(&p->text);
    arena_fini(&p->strings);
    *p = (AblatePlan){ 0 };
}

/* ---- data */

Status ablate_plan_ready(const AblatePlan *p, Error *e)
{
    const AblateData *d = &p->data;
    if (!d->train.n && !d->train_deps.n)
        return error_set(e, ERR_USAGE, "found no training files, expected them in the plan's data or as --train%s",
                         text_among("labels", p->measure->task->vocabs) ? " and --train-deps" : "");
    if (!d->dev.n && !d->dev_deps.n)
        return error_set(e, ERR_USAGE,
                         "found no dev files, on which models are chosen, expected them in the plan's data or as "
                         "--dev%s",
                         text_among("labels", p->measure->task->vocabs) ? " and --dev-deps" : "");
    for (int v = 0; v < p->n; v++) {
        Error why = { 0 };
        if (encoder_options_implemented(&p->variants[v].options, &why) != OK)
            return error_at(e, ERR_USAGE, p->path, 0, 0, "%s: %s", p->variants[v].name, why.message);
    }
    return OK;
}
