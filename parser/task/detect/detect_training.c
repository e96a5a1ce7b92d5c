/* How models that find replaced words, or guess hidden ones, are trained */
#include <string.h>

#include "base/json_writer.h"
#include "base/rng.h"
#include "parser/model/linear_network.h"
#include "parser/task/detect/replaced.h"

static Status begin(Trainer *tr, Error *e)
{
    Replacer *r = tr->state = mem_calloc(1, sizeof *r);
    if (!r) return error_set(e, ERR_NOMEM, "out of memory for a run");
    replacer_init(r, *(const ReplaceOptions *)tr->a->task_options);
    return OK;
}

static void end(Trainer *tr)
{
    if (tr->state) replacer_fini(tr->state);
    mem_free(tr->state);
}

static Status add(Trainer *tr, const Sentence *sent, bool count, Error *e)
{
    (void)count;
    return replacer_count(tr->state, sent) ? OK : error_set(e, ERR_NOMEM, "out of memory for the training data");
}

static Status examples(Trainer *tr, bool count, Error *e)
{
    Status status = trainer_word_examples(tr, count, add, e);
    if (status != OK || replacer_finish(tr->state)) return status;
    return error_set(e, ERR_NOMEM, "out of memory for the words to replace others by");
}

/* Counts as `examples` does, and finds which words may be hidden: the classes of the model. */
static Status mask_examples(Trainer *tr, bool count, Error *e)
{
    Model *m = &tr->m;
    int often = m->c.word_min_count > 1 ? m->c.word_min_count : 1; /* or it would be an unknown word */
    Status status = OK;
    if (count && vocab_find(&m->words, MASK_WORD) < 0 &&
        vocab_count(&m->words, MASK_WORD, strlen(MASK_WORD), often) < 0)
        status = error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
    if (status == OK) status = examples(tr, count, e);
    Replacer *r = tr->state;
    if (status == OK && count && !replacer_most_frequent(r, &m->classes))
        status = error_set(e, ERR_NOMEM, "out of memory for the words to hide");
    r->hidden = &m->classes;
    return status;
}

static Status show(const Trainer *tr, const Example *x, int which, Arena *a, Example *out, Error *e)
{
    uint64_t key = rng_key((uint64_t)tr->a->train.seed, 0x4e, (uint64_t)tr->st.epoch, (uint64_t)which);
    Sentence *sent = arena_alloc(a, 1, sizeof *sent);
    if (sent) *sent = *x->s;
    *out = *x;
    out->s = sent;
    if (sent && replacer_apply(tr->state, key, x->s, a, &sent->words, (const int **)&out->gold.own)) return OK;
    return error_set(e, ERR_NOMEM, "out of memory replacing words");
}

/* ---- what is said of a run */

static void mask_summary(const Trainer *tr, StrBuf *out)
{
    const ReplaceOptions *o = tr->a->task_options;
    json_record(out, "mask", "rate: %g, words: %d", o->rate, vocab_size(&tr->m.classes));
}

static void put_summary(const Trainer *tr, StrBuf *out)
{
    const ReplaceOptions *o = tr->a->task_options;
    json_record(out, "replace", "rate: %g, power: %g", o->rate, o->power);
}

const TaskTraining DETECT_TRAINING = { .begin = begin,
                                       .end = end,
                                       .examples = examples,
                                       .show = show,

                                       .per_word = true,
                                       .score = replaced_score,
                                       .loss = "replaced",
                                       .loss_digits = 4,
                                       .put_summary = put_summary };

const TaskTraining DETECT_MASK_TRAINING = { .begin = begin,
                                            .end = end,
                                            .examples = mask_examples,
                                            .show = show,
                                            .axes = linear_network_axes,

                                            .per_word = true,
                                            .score = masked_score,
                                            .loss = "masked",
                                            .loss_digits = 4,
                                            .put_summary = mask_summary };
