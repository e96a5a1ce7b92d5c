/* Makes examples of soft targets. Each file has its own numbers of tags, types and labels; one map per file translates
 * them into the model's numbers. */
#include "parser/task/parse/soft_examples.h"

#include <string.h>

/* The model's numbers of the values of a file: added to its vocabulary when `count`. least: the smallest number that a
 * value may have. */
static Status map_values(Trainer *tr, const Vocab *from, Vocab *to, int least, bool count, const char *what,
                         const int **out, Error *e)
{
    int n = vocab_size(from), *number = arena_alloc(&tr->arena, (size_t)n, sizeof *number);
    *out = number;
    if (!number) return error_set(e, ERR_NOMEM, "out of memory for soft targets");
    for (int k = 0; k < n; k++) {
        const char *text = vocab_text(from, k);
        number[k] = count ? vocab_count(to, text, strlen(text), from->counts[k]) : vocab_find(to, text);
        if (count && number[k] < 0) return error_set(e, ERR_NOMEM, "out of memory for soft targets");
        if (number[k] < least)
            return error_set(e, ERR_USAGE, "--soft: found %s '%s', expected %s", what, text,
                             count ? "one that is not reserved" : "those that the resumed run began with");
    }
    return OK;
}

static Status make_map(Trainer *tr, const Corpus *c, bool count, SoftMap *map, Error *e)
{
    Model *m = &tr->m;
    SoftBank *b = c->soft;
    map->name = c->name;
    Status s = map_values(tr, &b->tags, &m->tags, N_RESERVED, count, "tag", &map->tags, e);
    if (s == OK) s = map_values(tr, &b->types, &m->types, 0, count, "type", &map->types, e);
    if (s == OK) s = map_values(tr, &b->labels, &m->labels, CHART_GROUP, count, "label", &map->labels, e);
    return s == OK ? map_values(tr, &b->treebanks, &m->treebanks, 0, count, "treebank", &map->treebanks, e) : s;
}

static Status add_example(Trainer *tr, const Corpus *c, int k, bool count, const SoftMap *map, Error *e)
{
    const Sentence *sent = &c->trees.s[k];
    const SoftTargets *soft = &c->soft->each[k];
    if (sent->n_words > tr->a->train.max_train_words) {
        tr->counts.skipped++;
        return OK;
    }
    sent = trainer_fold(tr, sent, &tr->arena);
    if (!sent || (count && !trainer_count_words(&tr->m, sent)))
        return error_set(e, ERR_NOMEM, "out of memory for the training data");
    int treebank = c->soft->treebank[k];
    tr->ex[tr->n++] =
        (Example){ .s = sent, .treebank = treebank < 0 ? 0 : map->treebanks[treebank], .soft = soft, .map = map };
    tr->counts.soft++;
    tr->m.c.trees = tr->m.c.trees || soft->tree.n_spans;
    tr->m.c.arcs = tr->m.c.arcs || soft->heads.start;
    return OK;
}

Status soft_examples(Trainer *tr, const Corpus *corpus, bool count, Error *error)
{
    SoftMap *map = arena_calloc(&tr->arena, 1, sizeof *map);
    Status s =
        map ? make_map(tr, corpus, count, map, error) : error_set(error, ERR_NOMEM, "out of memory for soft targets");
    for (int k = 0; k < corpus->trees.n && s == OK; k++) s = add_example(tr, corpus, k, count, map, error);
    return s;
}

/* The rows with other numbers. false when out of memory. */
static bool map_rows(const SoftRows *from, int words, const int *number, Arena *a, SoftRows *to)
{
    *to = *from;
    if (!from->start) return true;
    int n = from->start[words];
    SoftValue *v = arena_alloc(a, (size_t)n, sizeof *v);
    for (int k = 0; v && k < n; k++) v[k] = (SoftValue){ number[from->v[k].value], from->v[k].p };
    to->v = v;
    return v != NULL;
}

const SoftTargets *soft_examples_targets(const Example *example, Arena *arena)
{
    const SoftTargets *from = example->soft;
    SoftTargets *to = arena_alloc(arena, 1, sizeof *to);
    SoftSpan *spans = arena_alloc(arena, (size_t)from->tree.n_spans, sizeof *spans);
    if (!to || !spans) return NULL;
    *to = *from;
    to->tree.spans = spans;
    for (int k = 0; k < from->tree.n_spans; k++) {
        spans[k] = from->tree.spans[k];
        spans[k].at.label = example->map->labels[spans[k].at.label];
    }
    bool ok = map_rows(&from->tags, example->s->n_words, example->map->tags, arena, &to->tags) &&
              map_rows(&from->types, example->s->n_words, example->map->types, arena, &to->types);
    return ok ? to : NULL;
}
