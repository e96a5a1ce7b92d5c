/* What the data of a run are, which a resumed run must have again */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "parser/model/corpus_hash.h"
#include "parser/train/run/run.h"

static CorpusHashText hash_of(const Corpus *c)
{
    uint64_t h = CORPUS_HASH_START;
    corpus_hash(&h, c);
    return corpus_hash_digits(h);
}

/* ---- for checkpoints */

static void put_sets(StrBuf *out, const char *key, const Corpus *c, int n)
{
    json_array(out, key);
    for (int k = 0; k < n; k++)
        json_record(out, NULL, "name: %s, file: %s, deps: %s, hash: %s", c[k].name, c[k].path, c[k].deps_path,
                    hash_of(&c[k]).text);
    json_array_end(out);
}

/* Hashes the files of parses that masks are made from; "" if there are none. */
static CorpusHashText parses_hash(const Trainer *tr, const Treebank *parses)
{
    uint64_t h = CORPUS_HASH_START;
    bool read = tr->syntax == SYNTAX_FILE || tr->syntax == SYNTAX_FIRST_PASS;
    if (read) corpus_hash_treebank(&h, parses);
    return read ? corpus_hash_digits(h) : (CorpusHashText){ "" };
}

/* A run is what its options and data are. */
static CorpusHashText run_hash(const TrainRun *run, const StrBuf *data, StrBuf *options)
{
    const Trainer *tr = &run->tr;
    uint64_t h = CORPUS_HASH_START;
    options_to_json(CONFIG_MODEL_OPTIONS, &tr->m.c, options);
    options_to_json(CONFIG_TRAIN_OPTIONS, &tr->a->train, options);
    encoder_options_to_json(&tr->m.options, options);
    corpus_hash_text(&h, data->ptr);
    corpus_hash_text(&h, options->ptr);
    corpus_hash_text(&h, run->init);
    return corpus_hash_digits(h);
}

Status trainer_note_data(TrainRun *run, Error *error)
{
    Trainer *tr = &run->tr;
    const TrainArgs *a = tr->a;
    const Treebank *const parses[2] = { &tr->parses, &tr->dev_parses };
    const char *const files[2] = { tr->m.options.syntax.train_file, tr->m.options.syntax.dev_file };
    StrBuf out = { 0 }, options = { 0 };
    json_object(&out, NULL);
    put_sets(&out, "train", a->corpora, a->n_corpora);
    put_sets(&out, "dev", a->dev, a->n_dev);
    Status s = OK;
    for (int k = 0; k < 2 && s == OK; k++) {
        const CorpusHashText hash = parses_hash(tr, parses[k]);
        json_string(&out, k ? "dev_parses" : "train_parses", hash.text);
        if (run->saved_parses[k].text[0] && strcmp(run->saved_parses[k].text, hash.text) != 0)
            s = error_set(error, ERR_USAGE, "--resume: found other parses in %s, expected those the run began with",
                          files[k] ? files[k] : tr->m.options.syntax.model);
    }
    json_object_end(&out);
    if (s == OK && !run->hash.text[0] && !a->resume) run->hash = run_hash(run, &out, &options);
    run->data = s == OK && !out.failed && !options.failed ? arena_strndup(&tr->arena, out.ptr, out.len) : NULL;
    strbuf_fini(&out);
    strbuf_fini(&options);
    return s != OK || run->data ? s : error_set(error, ERR_NOMEM, "out of memory for a checkpoint");
}

/* ---- of a checkpoint */

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(json_get(object, name));
}

static bool same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool has_hash(const cJSON *set, const Corpus *c) { return same(text_of(set, "hash"), hash_of(c).text); }

/* A file that was moved may have given the treebank another name. */
static void restore_name(const Trainer *tr, const cJSON *set, Corpus *c)
{
    const char *name = text_of(set, "name");
    bool moved = name && vocab_find(&tr->m.treebanks, c->name) < 0 && vocab_find(&tr->m.treebanks, name) >= 0;
    if (moved) snprintf(c->name, sizeof c->name, "%s", name);
}

static Status other_sentences(const Corpus *c, Error *e)
{
    return error_set(e, ERR_USAGE, "--resume: found other sentences in %s%s%s, expected those the run began with",
                     c->path ? c->path : c->name, c->deps_path ? " and " : "", c->deps_path ? c->deps_path : "");
}

static Status check_train(const Trainer *tr, const cJSON *saved, Error *e)
{
    const TrainArgs *a = tr->a;
    if (cJSON_GetArraySize(saved) != a->n_corpora)
        return error_set(e, ERR_USAGE, "--resume: found %d training files, expected the %d the run began with",
                         a->n_corpora, cJSON_GetArraySize(saved));
    for (int k = 0; k < a->n_corpora; k++) {
        const cJSON *set = cJSON_GetArrayItem(saved, k);
        if (!has_hash(set, &a->corpora[k])) return other_sentences(&a->corpora[k], e);
        restore_name(tr, set, &a->corpora[k]);
    }
    return OK;
}

/* Other dev files may be given (--dev); those that are named as before must be as before. */
static Status check_dev(const Trainer *tr, const cJSON *saved, Error *e)
{
    const TrainArgs *a = tr->a;
    const cJSON *set;
    cJSON_ArrayForEach(set, saved)
    {
        for (int k = 0; k < a->n_dev; k++) {
            Corpus *c = &a->dev[k];
            bool named = c->path && same(text_of(set, "file"), c->path) && same(text_of(set, "deps"), c->deps_path);
            if (has_hash(set, c)) restore_name(tr, set, c);
            else if (named) return other_sentences(c, e);
        }
    }
    return OK;
}

Status trainer_check_data(TrainRun *run, const cJSON *state, Error *error)
{
    Trainer *tr = &run->tr;
    static const char *const parses[2] = { "train_parses", "dev_parses" };
    const cJSON *data = json_get(state, "data");
    const char *hash = text_of(state, "run");
    if (hash && (strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16))
        return error_at(error, ERR_FORMAT, tr->a->resume, 0, 0,
                        "training state: found another run, expected 16 hexadecimal digits");
    if (hash) memcpy(run->hash.text, hash, 17);
    if (!cJSON_IsObject(data)) return OK;
    for (int k = 0; k < 2; k++)
        if (text_of(data, parses[k]))
            snprintf(run->saved_parses[k].text, sizeof run->saved_parses[k].text, "%s", text_of(data, parses[k]));
    Status s = check_train(tr, json_get(data, "train"), error);
    return s == OK ? check_dev(tr, json_get(data, "dev"), error) : s;
}
