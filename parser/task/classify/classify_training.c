/* How models that classify sentences are trained */
#include <string.h>

#include "parser/model/linear_network.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/classify.h"
#include "parser/train/trainer.h"

static Status add(Trainer *tr, const Sentence *sent, bool count, Error *e)
{
    const char *name = sent->target;
    if (!name) return error_set(e, ERR_FORMAT, "found a training sentence without a class, expected one for each");
    if (!count || vocab_count(&tr->m.classes, name, strlen(name), 1) >= 0) return OK;
    return error_set(e, ERR_NOMEM, "out of memory for the training data");
}

/* The number of the class of each example becomes its gold. */
static Status number_classes(Trainer *tr, Error *e)
{
    int(*labels)[3] = arena_alloc(&tr->arena, (size_t)tr->n, sizeof *labels);
    if (!labels) return error_set(e, ERR_NOMEM, "out of memory for the training data");
    for (int k = 0; k < tr->n; k++) {
        const char *name = tr->ex[k].s->target;
        labels[k][0] = labels[k][1] = 1;
        labels[k][2] = vocab_find(&tr->m.classes, name);
        if (labels[k][2] < 0)
            return error_set(e, ERR_USAGE, "--resume: found class '%s', expected those the run began with", name);
        tr->ex[k].gold = (Gold){ labels[k] };
    }
    return OK;
}

/* The classes of dev must be among the classes of training. */
static Status check_dev(const Trainer *tr, const Corpus *dev, Error *e)
{
    int *id = mem_calloc((size_t)dev->trees.n, sizeof *id);
    Status status =
        id ? class_data_numbers(dev, &tr->m.classes, id, e) : error_set(e, ERR_NOMEM, "out of memory for the dev data");
    mem_free(id);
    return status;
}

static Status examples(Trainer *tr, bool count, Error *e)
{
    Error why = { 0 };
    Status status = trainer_word_examples(tr, count, add, e);
    if (status == OK && tr->m.task->check(&tr->m, &why) != OK)
        status = error_at(e, why.code, class_data_path(&tr->a->corpora[0]), 0, 0, "%s", why.message);
    if (status == OK && count && !class_data_sort(&tr->m.classes, &tr->arena))
        status = error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
    if (status == OK) status = number_classes(tr, e);
    for (int k = 0; k < tr->a->n_dev && status == OK; k++) status = check_dev(tr, &tr->a->dev[k], e);
    return status;
}

/* Masks read gold syntax, which sentences bring along, or parses of another model. */
static Status parses(Trainer *tr, Error *e)
{
    if (tr->syntax == SYNTAX_FIRST_PASS) return trainer_syntax_first(tr, e);
    if (tr->syntax == SYNTAX_NONE || tr->syntax == SYNTAX_GOLD) return OK;
    return error_set(e, ERR_CONFIG,
                     "encoder_options.syntax: found a source that a model that classifies cannot read, expected "
                     "first_pass, the parses of another model, or gold, those of the treebank");
}

/* ---- training */

static Status score(Trainer *tr, int k, DevScores *out, Error *e)
{
    const Device *d = tr->a->device ? tr->a->device : device_default();
    return classifier_score(&tr->m, d, tr->a->n_threads, &tr->a->dev[k], trainer_syntax_dev(tr, k), out, e);
}

static void put_sizes(const Trainer *tr, StrBuf *out)
{
    strbuf_printf(out, "%d classes, ", vocab_size(&tr->m.classes));
}

const TaskTraining CLASSIFY_TRAINING = { .examples = examples,
                                         .find_parses = parses,
                                         .axes = linear_network_axes,

                                         .score = score,
                                         .put_sizes = put_sizes,
                                         .loss = "class",
                                         .loss_digits = 2 };
