/* The configuration of a run, its data, and how much its attention masks leave */
#include "program/train_check.h"

#include <math.h>

#include "base/json_writer.h"
#include "parser/model/head_inputs.h"
#include "program/program.h"
#include "program/train_data.h"

/* ---- masks */

/* Pairs of query and key that the entries of all masked heads allow in a sentence, layer by layer and head by head, and
 * the number of these heads. */
static Status count_allowed(const TrainArgs *a, const PatternSentence *sent, Arena *arena, double *allowed, long *heads,
                            Error *e)
{
    int tokens = sent->n + 2;
    const ModelConfig *m = &a->model;
    uint8_t *set = arena_alloc(arena, (size_t)tokens * (size_t)tokens, 1);
    Status s = set ? OK : error_set(e, ERR_NOMEM, "out of memory for masks");
    *allowed = 0;
    *heads = 0;
    for (int k = 0; k < a->options->n_heads && s == OK; k++) {
        const HeadEntry *h = &a->options->heads[k];
        if (h->stack != STACK_SELF || h->use == USE_GUIDE) continue;
        long of = (long)(h->layers.all ? m->n_layers : h->layers.n) * (h->heads.all ? m->n_heads : h->heads.n);
        double pairs = 0;
        bool lacks = pattern_list_lacks(&h->patterns, sent) != NULL;
        if (!lacks) s = pattern_list_fill(&h->patterns, sent, set, arena, e);
        for (int i = 0; i < tokens && s == OK; i++) {
            int row = 0;
            for (int j = 0; j < tokens && !lacks; j++) row += set[i * tokens + j];
            pairs += row ? row : tokens; /* an empty row is free */
        }
        *allowed += pairs * (double)of;
        *heads += of;
    }
    return s;
}

static bool count_words(Vocab *df, const Corpus *c)
{
    bool ok = true;
    for (int k = 0; k < c->trees.n && ok; k++) ok = head_inputs_count(df, c->trees.s[k].words, c->trees.s[k].n_words);
    return ok;
}

/* 1 - allowed pairs / all pairs of all self-attention heads over the dev sentences, with their gold parses; NAN: no
 * head is masked. Masks are measured where heads see sentences alone, not parts of documents or a decoder. */
static Status measure_rho(const TrainArgs *a, double *rho, Error *e)
{
    Vocab df;
    Arena arena;
    double allowed = 0, all = 0;
    long heads = 0, total = (long)a->model.n_layers * a->model.n_heads;
    Status status = OK;
    *rho = NAN;
    if (a->task->shape && !text_among("labels", a->task->vocabs)) return OK;
    vocab_init(&df);
    arena_init(&arena, 1 << 16);
    for (int c = 0; c < a->n_corpora && status == OK; c++)
        if (!count_words(&df, &a->corpora[c])) status = error_set(e, ERR_NOMEM, "out of memory");
    for (int c = 0; c < a->n_dev && status == OK; c++)
        for (int k = 0; k < a->dev[c].trees.n && status == OK; k++) {
            PatternSentence sent;
            double of_masks = 0;
            arena_reset(&arena);
            status = head_inputs_sentence(&a->dev[c].trees.s[k], NULL, &df, &arena, &sent, e);
            if (status == OK) status = count_allowed(a, &sent, &arena, &of_masks, &heads, e);
            if (status != OK) break;
            double pairs = (double)(sent.n + 2) * (double)(sent.n + 2);
            allowed += of_masks + pairs * (double)(total - heads);
            all += pairs * (double)total;
        }
    if (status == OK && heads && all > 0) *rho = 1 - allowed / all;
    vocab_fini(&df);
    arena_fini(&arena);
    return status;
}

/* ---- data */

static bool names_data(const TrainFields *f)
{
    return f->train.n || f->train_deps.n || f->conllu.n || f->soft.n || f->dev.n || f->dev_deps.n || f->dev_conllu.n;
}

/* How many sentences or texts there are, and digits that change with any of them or with a name. */
static void put_corpora(StrBuf *out, const char *set, const Corpus *c, int n)
{
    uint64_t hash = CORPUS_HASH_START;
    int units = 0;
    for (int k = 0; k < n; k++) {
        corpus_hash_text(&hash, c[k].name);
        corpus_hash(&hash, &c[k]);
        units += c[k].trees.n;
    }
    json_record(out, set, "sentences: %d, hash: %s", units, corpus_hash_digits(hash).text);
}

static Status put_data(const TrainFields *f, TrainArgs *a, StrBuf *out, Error *e)
{
    double rho = NAN;
    if (!names_data(f)) return OK;
    Status s = train_data_check(f, e);
    if (s == OK) s = train_data_load(f, &a->model, "train", a->corpora, &a->n_corpora, e);
    if (s == OK) s = train_data_load(f, &a->model, "dev", a->dev, &a->n_dev, e);
    if (s == OK) s = measure_rho(a, &rho, e);
    json_object(out, "data");
    put_corpora(out, "train", a->corpora, a->n_corpora);
    put_corpora(out, "dev", a->dev, a->n_dev);
    json_real(out, "rho", "%.6f", rho);
    json_object_end(out);
    return s;
}

/* ---- options */

static void put_options(const TrainFields *f, const TrainArgs *a, StrBuf *out)
{
    const ReplaceOptions *r = a->task_options;
    bool first_pass = false;
    for (int k = 0; k < a->options->n_heads; k++)
        first_pass = first_pass || a->options->heads[k].syntax == SYNTAX_FIRST_PASS;
    json_string(out, "task", train_options_task(f)->name);
    json_key(out, "model");
    options_to_json(CONFIG_MODEL_OPTIONS, &a->model, out);
    json_key(out, "train");
    options_to_json(CONFIG_TRAIN_OPTIONS, &a->train, out);
    json_key(out, "encoder_options");
    encoder_options_to_json(a->options, out);
    json_bool(out, "plain", encoder_options_plain(a->options));
    json_bool(out, "oracle", encoder_options_oracle(a->options));
    json_bool(out, "first_pass", first_pass);
    if (r) json_record(out, "replace", "rate: %.9g, power: %.9g, most_words: %d", r->rate, r->power, r->most_words);
}

Status train_check(const TrainFields *fields, TrainArgs *args, Error *error)
{
    PretrainedConfig pretrained;
    StrBuf out = { 0 };
    args->task = train_options_task(fields);
    args->task_options = train_options_replace(fields);
    Status s = train_options_pretrained(fields, &args->model, args->options, &pretrained, error);
    if (s == OK) s = trainer_check_config(args->task, &args->model, &args->train, args->options, &pretrained, error);
    json_object(&out, NULL);
    put_options(fields, args, &out);
    if (s == OK) s = put_data(fields, args, &out, error);
    strbuf_puts(&out, "}\n");
    if (s == OK) s = program_print(&out, error);
    strbuf_fini(&out);
    return s;
}
