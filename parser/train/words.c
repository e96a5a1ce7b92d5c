/* The words of training sentences, and examples of tasks that read nothing else */
#include <string.h>

#include "parser/train/trainer.h"

bool trainer_count_words(Model *model, const Sentence *sent)
{
    bool ok = true;
    for (int w = 0; w < sent->n_words && ok; w++) {
        const char *word = sent->words[w];
        size_t len = strlen(word);
        ok = vocab_count(&model->words, word, len, 1) >= 0;
        for (size_t i = 0; i < len && ok;) {
            size_t from = i;
            utf8_next(word, len, &i);
            ok = vocab_count(&model->chars, word + from, i - from, 1) >= 0;
        }
    }
    return ok;
}

bool trainer_splits_hyphens(const Trainer *tr, bool otherwise)
{
    long hyphens = 0, words = 0;
    bool known = tr->m.default_treebank <= 0;
    for (int i = 0; i < tr->n; i++) {
        const Sentence *sent = tr->ex[i].s;
        if (!sent->tags) continue;
        known = known || tr->ex[i].treebank == tr->m.default_treebank;
        for (int w = 0; w < sent->n_words; w++) hyphens += strcmp(sent->tags[w], "HYPH") == 0;
        words += sent->n_words;
    }
    return known && words ? 1000 * hyphens > words : otherwise;
}

const Sentence *trainer_fold(const Trainer *tr, const Sentence *sent, Arena *arena)
{
    Sentence *copy = arena_alloc(arena, 1, sizeof *copy);
    if (!copy) return NULL;
    *copy = *sent;
    const char *const *words = model_fold(&tr->m, sent->words, sent->tags, sent->space_before, sent->n_words, arena);
    copy->words = (const char **)(uintptr_t)words;
    return words ? copy : NULL;
}

Status trainer_word_examples(Trainer *tr, bool count,
                             Status (*add)(Trainer *tr, const Sentence *sent, bool count, Error *e), Error *error)
{
    const TrainArgs *a = tr->a;
    Model *m = &tr->m;
    int total = 0;
    for (int c = 0; c < a->n_corpora; c++) total += a->corpora[c].trees.n;
    tr->ex = arena_calloc(&tr->arena, (size_t)total, sizeof *tr->ex);
    Status status = tr->ex ? OK : error_set(error, ERR_NOMEM, "out of memory for %d sentences", total);
    for (int c = 0; c < a->n_corpora && status == OK; c++)
        for (int k = 0; k < a->corpora[c].trees.n && status == OK; k++) {
            const Sentence *sent = &a->corpora[c].trees.s[k], *folded = sent;
            if (sent->n_words > a->train.max_train_words) {
                tr->counts.skipped++;
                continue;
            }
            if (!(folded = trainer_fold(tr, sent, &tr->arena)) ||
                (count && !a->init && !trainer_count_words(m, folded)))
                status = error_set(error, ERR_NOMEM, "out of memory for the training data");
            if (status == OK) tr->ex[tr->n++] = (Example){ .s = folded };
            if (status == OK) status = add(tr, folded, count, error);
        }
    if (status == OK && tr->n == 0)
        status = error_at(error, ERR_FORMAT, a->corpora[0].path, 0, 0, "no training sentence of at most %d words",
                          a->train.max_train_words);
    m->c.split_hyphens = trainer_splits_hyphens(tr, false);
    if (status == OK && count && !a->init && !vocab_prune(&m->words, N_RESERVED, m->c.word_min_count))
        status = error_set(error, ERR_NOMEM, "out of memory for the vocabularies");
    return status;
}

Status trainer_default_treebank(Trainer *tr, Error *error)
{
    Model *m = &tr->m;
    const char *name = tr->a->treebank;
    int had = tr->had.treebanks, k = name ? vocab_find(&m->treebanks, name) : m->default_treebank;
    if (k < 0)
        return error_set(error, ERR_USAGE, "--treebank: found '%s', expected the name of a training treebank%s", name,
                         vocab_suggest(&m->treebanks, 1, name, strlen(name)).text);
    bool further = had > 1; /* of a parser that has treebanks */
    m->default_treebank = !name && further && vocab_size(&m->treebanks) == had + 1 ? had : k;
    return OK;
}
