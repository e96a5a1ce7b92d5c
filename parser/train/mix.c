/* Which examples an epoch has, by the options mix and questions
 *
 * Examples of the same share (a treebank's questions, its other sentences) form a group. A group of n examples with
 * share x gives floor(x n + 1/2) examples to each epoch: the next ones of an endless sequence, which consists of random
 * permutations of the group. So each example comes equally often, whatever the share, and an epoch is a function of its
 * number and the seed. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/rng.h"
#include "parser/train/trainer.h"

enum { SHARE_MOST = 100 };

/* ---- questions and imperatives */

/* A sentence that ends with a question mark, before closing quotes and brackets. */
static bool is_question(const Sentence *sent)
{
    static const char closing[] = "'' \" ' ) ” ’";
    int w = sent->n_words - 1;
    while (w > 0 && text_among(sent->words[w], closing)) w--;
    return w > 0 && strchr(sent->words[w], '?') != NULL;
}

/* ---- shares */

/* Reads "NAME=SHARE"; *name becomes the length of the name. */
static Status read_share(const char *text, size_t *name, double *share, Error *e)
{
    const char *sign = strrchr(text, '=');
    char *end = NULL;
    *share = sign ? locale_strtod(sign + 1, &end) : 0;
    if (!sign || sign == text || end == sign + 1 || *end || !(*share >= 0 && *share <= SHARE_MOST))
        return error_set(e, ERR_USAGE, "--mix: found '%s', expected NAME=SHARE with a share from 0 to %d", text,
                         SHARE_MOST);
    *name = (size_t)(sign - text);
    return OK;
}

/* The names of what has a share: the treebanks of the model, then files of soft targets. false when out of memory. */
static bool name_sources(const Trainer *tr, Vocab *sources)
{
    bool ok = vocab_copy(sources, &tr->m.treebanks);
    for (int c = 0; c < tr->a->n_corpora && ok; c++) {
        const Corpus *x = &tr->a->corpora[c];
        ok = !x->soft || vocab_count(sources, x->name, strlen(x->name), 1) >= 0;
    }
    return ok;
}

/* The share of each source, [n], 1 unless an option names it. */
static Status source_shares(const Trainer *tr, const Vocab *sources, double *shares, Error *e)
{
    const OptionList *mix = &tr->a->train.mix;
    for (int k = 0; k < vocab_size(sources); k++) shares[k] = 1;
    for (int k = 0; k < mix->n; k++) {
        size_t name = 0;
        double share;
        Status s = read_share(mix->item[k], &name, &share, e);
        if (s != OK) return s;
        int id = map_find(&sources->map, mix->item[k], name);
        if (id <= 0)
            return error_set(e, ERR_USAGE, "--mix: found '%s', expected the name of a training treebank before the =%s",
                             mix->item[k], vocab_suggest(sources, 1, mix->item[k], name).text);
        shares[id] = share;
    }
    return OK;
}

static long group_take(const MixGroup *g) { return (long)floor(g->share * g->n + 0.5); }

/* The group of an example; groups are numbered by source, questions after the others. */
static int group_of(const Example *x, const Vocab *sources, bool question)
{
    return 2 * (x->soft ? vocab_find(sources, x->map->name) : x->treebank) + question;
}

static Status make_groups(Trainer *tr, const Vocab *sources, Error *e)
{
    int n = 2 * vocab_size(sources), most = 0;
    bool questions = tr->a->train.questions != 1;
    bool (*is_imperative)(const Sentence *) = model_language(&tr->m)->is_imperative;
    double *shares = arena_alloc(&tr->arena, (size_t)n, sizeof *shares);
    tr->groups = arena_calloc(&tr->arena, (size_t)n, sizeof *tr->groups);
    int *which = arena_alloc(&tr->arena, (size_t)tr->n, sizeof *which);
    if (!shares || !tr->groups || !which) return error_set(e, ERR_NOMEM, "out of memory for --mix");
    Status s = source_shares(tr, sources, shares, e);
    if (s != OK) return s;
    for (int k = 0; k < tr->n; k++) {
        const Sentence *sent = tr->ex[k].s;
        bool asks = questions && (is_question(sent) || (is_imperative && is_imperative(sent)));
        which[k] = group_of(&tr->ex[k], sources, asks);
        tr->groups[which[k]].n++;
    }
    tr->n_groups = n;
    double total = 0;
    for (int g = 0; g < n; g++) {
        MixGroup *group = &tr->groups[g];
        group->share = shares[g / 2] * (g % 2 ? tr->a->train.questions : 1);
        group->example = arena_alloc(&tr->arena, (size_t)group->n, sizeof(int));
        if (!group->example) return error_set(e, ERR_NOMEM, "out of memory for --mix");
        if (group->n > most) most = group->n;
        total += (double)group_take(group);
        group->n = 0;
    }
    if (total < 1 || total > INT_MAX)
        return error_set(e, ERR_USAGE, "--mix: found shares of %.0f sentences in an epoch, expected 1 to %d", total,
                         INT_MAX);
    for (int k = 0; k < tr->n; k++) tr->groups[which[k]].example[tr->groups[which[k]].n++] = k;
    tr->n_epoch = (int)total;
    tr->shuffled = arena_alloc(&tr->arena, (size_t)most, sizeof *tr->shuffled);
    return tr->shuffled ? OK : error_set(e, ERR_NOMEM, "out of memory for --mix");
}

Status trainer_mix(Trainer *tr, Error *error)
{
    Vocab sources;
    vocab_init(&sources);
    Status s = name_sources(tr, &sources) ? OK : error_set(error, ERR_NOMEM, "out of memory for --mix");
    if (s == OK) s = make_groups(tr, &sources, error);
    vocab_fini(&sources);
    return s;
}

/* ---- an epoch */

/* Appends the examples of group g in the epoch to out, in any order; the number of them. */
static int take_group(Trainer *tr, int g, int *out)
{
    const MixGroup *group = &tr->groups[g];
    long take = group_take(group), from = take * tr->st.epoch, round = -1;
    if (take == group->n) { /* each once: the order of out is shuffled later */
        for (int k = 0; k < group->n; k++) out[k] = group->example[k];
        return group->n;
    }
    for (long k = 0; k < take; k++) {
        if ((from + k) / group->n != round) {
            round = (from + k) / group->n;
            rng_permutation(rng_key((uint64_t)tr->a->train.seed, 0x3a, (uint64_t)round, (uint64_t)g), tr->shuffled,
                            group->n);
        }
        out[k] = group->example[tr->shuffled[(from + k) % group->n]];
    }
    return (int)take;
}

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

bool trainer_epoch(Trainer *tr)
{
    int n = 0, *example = mem_alloc((size_t)tr->n_epoch, sizeof *example);
    if (!example) return false;
    for (int g = 0; g < tr->n_groups; g++) n += take_group(tr, g, example + n);
    qsort(example, (size_t)n, sizeof *example, by_number);
    rng_permutation(rng_key((uint64_t)tr->a->train.seed, 0x0d, (uint64_t)tr->st.epoch, 0), tr->order, n);
    for (int k = 0; k < n; k++) tr->order[k] = example[tr->order[k]];
    mem_free(example);
    return true;
}
