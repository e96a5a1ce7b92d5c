/* parser/train/word_examples.c: sentences to learn from for the tasks that need no tree and no dependencies: words
 * and a class, or words alone */
#include <stdlib.h>
#include <string.h>

#include "language/english/text/fold.h"
#include "parser/task/classify/class_data.h"
#include "parser/train/trainer.h"

const Sentence *trainer_fold(const Trainer *tr, const Sentence *sent, Arena *a)
{
    Sentence *copy = arena_alloc(a, 1, sizeof *copy);
    if (!copy) return NULL;
    *copy = *sent;
    if (tr->m.c.fold) copy->words = fold_words(sent->words, sent->tags, sent->space_before, sent->n_words, a);
    return copy->words ? copy : NULL;
}

/* Sentence sent becomes example number tr->n, unless it is too long. */
static Status add_example(Trainer *tr, const Sentence *sent, bool count, Error *e)
{
    Model *m = &tr->m;
    bool classes = m->task == MODEL_CLASSIFIES;
    const char *name = sent->class_name;
    if (classes && !name)
        return error_set(e, ERR_FORMAT, "found a training sentence without a class, expected one for each");
    if (sent->n_words > tr->a->train.max_train_words) {
        tr->counts.skipped++;
        return OK;
    }
    sent = trainer_fold(tr, sent, &tr->arena);
    bool ok = sent && (!count || tr->a->init || trainer_count_words(m, sent)) &&
              (!count || !classes || vocab_count(&m->classes, name, strlen(name), 1) >= 0) &&
              (m->task != MODEL_DETECTS || replacer_count(&tr->replacer, sent));
    if (!ok) return error_set(e, ERR_NOMEM, "out of memory for the training data");
    tr->ex[tr->n++] = (Example){ .s = sent };
    return OK;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Renumbers the values in alphabetical order, that of their bytes. */
static bool sort_values(Vocab *v, Arena *a)
{
    int n = vocab_size(v);
    const char **text = arena_alloc(a, (size_t)n, sizeof *text);
    bool ok = text != NULL;
    Vocab sorted;
    vocab_init(&sorted);
    for (int k = 0; k < n && ok; k++) text[k] = vocab_text(v, k);
    if (ok) qsort(text, (size_t)n, sizeof *text, by_text);
    for (int k = 0; k < n && ok; k++)
        ok = vocab_count(&sorted, text[k], strlen(text[k]), v->counts[vocab_find(v, text[k])]) >= 0;
    vocab_fini(v);
    *v = sorted;
    return ok;
}

static Status finish_vocabs(Trainer *tr, Error *e)
{
    Model *m = &tr->m;
    bool ok = tr->a->init || vocab_prune(&m->words, N_RESERVED, m->c.word_min_count);
    return ok && sort_values(&m->classes, &tr->arena) ? OK
                                                      : error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
}

/* The classes of dev are among those of training. */
static Status check_dev(const Trainer *tr, const Corpus *dev, Error *e)
{
    int *id = mem_calloc((size_t)dev->trees.n, sizeof *id);
    Status s =
        id ? class_data_numbers(dev, &tr->m.classes, id, e) : error_set(e, ERR_NOMEM, "out of memory for the dev data");
    mem_free(id);
    return s;
}

Status trainer_word_examples(Trainer *tr, bool count, Error *e)
{
    const TrainArgs *a = tr->a;
    int total = 0;
    for (int c = 0; c < a->n_corpora; c++) total += a->corpora[c].trees.n;
    tr->ex = arena_calloc(&tr->arena, (size_t)total, sizeof *tr->ex);
    if (!tr->ex) return error_set(e, ERR_NOMEM, "out of memory for %d sentences", total);
    Status s = OK;
    for (int c = 0; c < a->n_corpora; c++)
        for (int k = 0; k < a->corpora[c].trees.n && s == OK; k++)
            s = add_example(tr, &a->corpora[c].trees.s[k], count, e);
    if (s == OK && tr->n == 0)
        s = error_set(e, ERR_FORMAT, "no training sentence of at most %d words", a->train.max_train_words);
    tr->m.c.split_hyphens = trainer_splits_hyphens(tr, false);
    if (s == OK && count) s = finish_vocabs(tr, e);
    for (int k = 0; k < tr->n && s == OK; k++) {
        const Sentence *sent = tr->ex[k].s;
        gold_make(&tr->m, sent, NULL, &tr->arena, &tr->ex[k].gold);
        if (tr->m.task == MODEL_CLASSIFIES && tr->ex[k].gold.class_id < 0)
            s = error_set(e, ERR_USAGE, "--resume: found class '%s', expected those the run began with",
                          sent->class_name);
    }
    for (int c = 0; c < a->n_dev && s == OK && tr->m.task == MODEL_CLASSIFIES; c++) s = check_dev(tr, &a->dev[c], e);
    if (s == OK && tr->m.task == MODEL_DETECTS && !replacer_finish(&tr->replacer))
        s = error_set(e, ERR_NOMEM, "out of memory for the words to replace others by");
    return s;
}
