/* A table with two functions for each task: are the files that it needs given, and how are
 * they read? */
#include "program/train_data.h"

#include <string.h>

#include "program/program.h"
#include "parser/parse/characters.h"
#include "parser/train/text_data.h"

/* Files of trees and dependencies, and what only they have. */
static Status check_treebanks(const TrainFields *f, Error *e)
{
    if (f->conllu.n && (f->train.n || f->train_deps.n))
        return error_set(e, ERR_USAGE, "--conllu: found --%s, expected one of them",
                         f->train.n ? "train" : "train-deps");
    if (f->dev_conllu.n && (f->dev.n || f->dev_deps.n))
        return error_set(e, ERR_USAGE, "--dev-conllu: found --%s, expected one of them", f->dev.n ? "dev" : "dev-deps");
    if (!f->folds && !f->fold_parses) return OK;
    if (f->folds && f->soft.n) return error_set(e, ERR_USAGE, "--folds: found --soft, expected gold sentences alone");
    if (f->folds < 2) return error_set(e, ERR_USAGE, "--fold-parses: found --folds %d, expected at least 2", f->folds);
    if (!f->fold_parses) return error_set(e, ERR_USAGE, "--folds: expected --fold-parses FILE");
    return f->resume ? error_set(e, ERR_USAGE, "--folds: found --resume, expected the command as it was given before")
                     : OK;
}

Status train_data_check(const TrainFields *fields, Error *error)
{
    const char *options = task_use(train_options_task(fields))->options;
    bool trees = text_among("train_deps", options), pairs = text_among("target", options);
    if (!fields->train.n && !fields->train_deps.n && !fields->soft.n && !fields->conllu.n)
        return error_set(error, ERR_USAGE, "found no %s file, expected %s",
                         trees ? "--train, no --train-deps, no --conllu and no --soft" : "--train",
                         text_among("train_classes", options) ? "one" : "at least one");
    if (fields->train_classes && fields->train.n > 1)
        return error_set(error, ERR_USAGE, "--train-classes: found %d --train files, expected one", fields->train.n);
    if (fields->dev_classes && fields->dev.n != 1)
        return error_set(error, ERR_USAGE, "--dev-classes: found %d --dev files, expected one", fields->dev.n);
    if (pairs && fields->target.n != fields->train.n)
        return error_set(error, ERR_USAGE, "--target: found %d and %d --train files, expected as many",
                         fields->target.n, fields->train.n);
    if (pairs && fields->dev_target.n != fields->dev.n)
        return error_set(error, ERR_USAGE, "--dev-target: found %d and %d --dev files, expected as many",
                         fields->dev_target.n, fields->dev.n);
    return check_treebanks(fields, error);
}

/* Appends the files of soft targets to the training data. */
static Status load_soft(const TrainFields *f, Corpus *train, int *n, Error *e)
{
    if (*n + f->soft.n > OPTION_LIST_MAX)
        return error_set(e, ERR_USAGE, "found %d training files, expected at most %d", *n + f->soft.n, OPTION_LIST_MAX);
    for (int k = 0; k < f->soft.n; k++, ++*n) {
        const char *name = k < f->soft_name.n ? f->soft_name.item[k] : NULL;
        Status status = corpus_load_soft(&train[*n], f->soft.item[k], name, e);
        if (status != OK) return status;
    }
    return OK;
}

/* Appends the treebank of characters of a corpus. */
static Status add_characters_of(const Corpus *words, Corpus *train, int *n, Error *e)
{
    if (*n == OPTION_LIST_MAX)
        return error_set(e, ERR_USAGE, "found more than %d training files with their characters", *n);
    return characters_corpus(words, &train[(*n)++], e);
}

/* Appends treebanks of characters: one for each file of CoNLL-U, and one for --word-text, whose words count as words of
 * the default treebank. */
static Status add_characters(const TrainFields *f, Corpus *train, int *n, Error *e)
{
    Status s = OK;
    int words = *n;
    if (!f->characters) return OK;
    for (int k = 0; k < words && s == OK; k++) {
        const Treebank *tb = train[k].deps.n ? &train[k].deps : &train[k].trees;
        if (tb->n && tb->s[0].lines) s = add_characters_of(&train[k], train, n, e);
    }
    if (s != OK) return s;
    if (*n == words)
        return error_set(e, ERR_USAGE, "--characters: found no CoNLL-U, expected --conllu or --train-deps FILE.conllu");
    if (!f->word_text) return OK;
    Corpus text;
    s = corpus_load(&text, NULL, f->word_text, f->treebank ? f->treebank : train[0].name, NULL, e);
    if (s == OK) s = add_characters_of(&text, train, n, e);
    corpus_fini(&text);
    return s;
}

Status train_data_load(const TrainFields *fields, const ModelConfig *config, const char *set, Corpus *corpus, int *n,
                       Error *error)
{
    const TextDataOptions text = { .kind = (TextKind)fields->input,
                                   .raw = { .language = config->language,
                                            .split_hyphens = fields->hyphens == 1,
                                            .segment = { .newlines = (Newlines)fields->newline,
                                                         .markup = (Markup)fields->markup } } };
    const GoldLists train = { "train",         &fields->train, fields->conllu.n ? &fields->conllu : &fields->train_deps,
                              &fields->target, &fields->name,  fields->train_classes },
                    dev = { set,
                            &fields->dev,
                            fields->dev_conllu.n ? &fields->dev_conllu : &fields->dev_deps,
                            &fields->dev_target,
                            fields->dev_name.n ? &fields->dev_name : &fields->name,
                            fields->dev_classes };
    bool is_dev = strcmp(set, "train") != 0;
    Status status = program_corpora(is_dev ? &dev : &train, train_options_task(fields),
                                    (GoldOptions){ .language = config->language, .text = &text }, corpus, n, error);
    if (status == OK && !is_dev) status = add_characters(fields, corpus, n, error);
    return status == OK && !is_dev ? load_soft(fields, corpus, n, error) : status;
}
