/* One update. A batch is cut into sub-batches, which threads compute; their gradients and losses
 * are added in the order of the sub-batches. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "parser/model/head_inputs.h"
#include "parser/model/model_file.h"
#include "parser/train/trainer.h"

enum { PIECES_A_TOKEN = 3, UPDATES_A_ROUNDING = 16 };

bool trainer_count(Lexicon *lexicon, const Sentence *sent, Arena *arena, int *chars, int *pieces)
{
    const char *const *words = sent->words;
    *chars = *pieces = 0;
    if (lexicon->from.tokenizer && !(words = lexicon_spell(lexicon, words, sent->n_words, arena))) return false;
    lexicon_trim(lexicon);
    for (int k = 0; k < sent->n_words; k++) {
        int type = lexicon_type(lexicon, words[k]);
        if (type < 0) return false;
        *chars += lexicon->type[type].n_chars;
        *pieces += lexicon->type[type].n_pieces;
    }
    return true;
}

/* The pieces of an example, which are counted once; 0 without a pretrained encoder, and where memory is out. */
static int pieces_of(Trainer *tr, Example *x)
{
    Worker *w = &tr->workers[0]; /* no thread works while batches are cut */
    int chars;
    if (!tr->m.pretrained.d_model || x->pieces) return x->pieces;
    arena_reset(&w->scratch);
    if (!trainer_count(&w->lexicon, x->s, &w->scratch, &chars, &x->pieces)) x->pieces = 0;
    return x->pieces;
}

void trainer_cut(Trainer *tr, int from, int to)
{
    int *o = tr->order + from, n = to - from, tokens = 0, pieces = 0, most = tr->a->train.subbatch_tokens;
    for (int i = 1; i < n; i++) { /* insertion sort, stable */
        int x = o[i], j = i;
        for (; j > 0 && tr->ex[o[j - 1]].s->n_words > tr->ex[x].s->n_words; j--) o[j] = o[j - 1];
        o[j] = x;
    }
    tr->batch_from = from;
    tr->batch_words = 0;
    tr->n_cuts = 0;
    tr->cut[0] = 0;
    for (int i = 0; i < n; i++) {
        int own = tr->ex[o[i]].s->n_words, written = tr->task->written ? tr->task->written(&tr->ex[o[i]]) : 0;
        int m = own + written + 2, p = pieces_of(tr, &tr->ex[o[i]]);
        if (tokens && (tokens + m > most || pieces + p > (long)PIECES_A_TOKEN * most)) {
            tr->cut[++tr->n_cuts] = i;
            tokens = pieces = 0;
        }
        tokens += m;
        pieces += p;
        tr->batch_words += tr->task->written ? written : own;
    }
    tr->cut[++tr->n_cuts] = n;
}

/* The tags an example shows the network: hidden one by one. NULL: memory is out. */
static const int *shown_tags(const TrainConfig *c, const Example *x, uint64_t key, Arena *a)
{
    int words = x->s->n_words, *tags = arena_alloc(a, (size_t)words, sizeof *tags);
    for (int i = 0; tags && i < words; i++)
        tags[i] = rng_uniform(key, (1u << 29) + (uint64_t)i) < c->hide_tag ? TOKEN_UNKNOWN : x->tags[i];
    return tags;
}

/* What guided heads are drawn to, of the sentences that are packed. */
static Status find_targets(Worker *w, const Sentence *const *shown, int n)
{
    int guides = w->m->net.encoder.plan.n_guides;
    if (!guides) return OK;
    if (!w->targets && !(w->targets = mem_calloc((size_t)guides, sizeof *w->targets)))
        return error_set(&w->error, ERR_NOMEM, "out of memory for guided heads");
    return head_inputs_targets(w->m, shown, n, &w->packed, w->targets, &w->scratch, &w->error);
}

/* Packs the examples, with what acts on the heads and what guided heads are drawn to. */
static Status pack_examples(Trainer *tr, Worker *w, const int *which, int n, Gold **gold)
{
    const TrainConfig *c = &tr->a->train;
    BatchSentence *sentences = arena_alloc(&w->scratch, (size_t)n, sizeof *sentences);
    const Sentence **shown = arena_alloc(&w->scratch, (size_t)n, sizeof *shown),
                   **parse = arena_alloc(&w->scratch, (size_t)n, sizeof *parse);
    *gold = arena_alloc(&w->scratch, (size_t)n, sizeof **gold);
    bool ok = sentences && shown && parse && *gold,
         varies = (c->vary_case > 0 || c->vary_final > 0 || c->vary_quotes > 0) && !w->tape.device->measures;
    for (int k = 0; k < n && ok; k++) {
        const Example *x = &tr->ex[which[k]];
        uint64_t key = rng_key((uint64_t)c->seed, 0xe9, (uint64_t)tr->st.epoch, (uint64_t)which[k]) | 1;
        Example varied, shown_so;
        Status status = OK;
        if (varies && (status = trainer_vary(tr, x, key, &w->scratch, &varied, &w->error)) == OK) x = &varied;
        if (status == OK && tr->task->show &&
            (status = tr->task->show(tr, x, which[k], &w->scratch, &shown_so, &w->error)) == OK)
            x = &shown_so;
        if (status != OK) return status;
        sentences[k] = (BatchSentence){ .n = x->s->n_words,
                                        .words = x->s->words,
                                        .parts = x->s->parts,
                                        .source = x->s->source,
                                        .treebank = x->treebank,
                                        .unknown_key = key };
        if (rng_uniform(key, 1u << 30) < c->hide_treebank) sentences[k].treebank = 0;
        if (tr->m.c.use_tags && x->tags && rng_uniform(key, (1u << 30) + 1) >= c->hide_tags)
            ok = (sentences[k].tags = shown_tags(c, x, key, &w->scratch)) != NULL;
        (*gold)[k] = x->gold;
        shown[k] = x->s;
        parse[k] = trainer_syntax_parse(tr, x, key);
    }
    if (!ok) return error_set(&w->error, ERR_NOMEM, "out of memory for a batch");
    Status status = worker_pack(w, sentences, parse, n, c->unknown, &w->error);
    return status == OK ? find_targets(w, shown, n) : status;
}

/* The weights of the parts of the loss in a sub-batch. Gates are in the first one alone, once for each update. */
static LossWeights weights_of(const Trainer *tr, const Worker *w, int item)
{
    const EncoderOptions *o = &tr->m.options;
    int sentences = tr->cut[tr->n_cuts];
    const double scale = 1.0 / (tr->task->per_word ? tr->batch_words : sentences);
    LossWeights to = { .part = { scale } };
    if (tr->task->weights) tr->task->weights(scale, &tr->a->train, &to);
    if (network_guides(&tr->m.net)) {
        to.part[LOSS_GUIDANCE] =
            o->guidance.alpha0 * guidance_factor(tr->st.step, trainer_updates(tr), o->guidance.hold);
        to.guided_sentences = sentences;
        to.targets = w->targets;
        to.guidance_norm = (GuidanceNorm)o->guidance.norm;
        to.empty_row = (GuidanceEmptyRow)o->guidance.empty_row;
    }
    if (item == 0 && o->gates.kind == GATES_HARD_CONCRETE) to.part[LOSS_GATES] = o->gates.lambda;
    return to;
}

void trainer_sub_batch(Trainer *tr, Worker *worker, int item, Real *grads, LossParts *parts)
{
    const TrainConfig *c = &tr->a->train;
    int from = tr->cut[item], n = tr->cut[item + 1] - from;
    Gold *gold;
    worker_begin(worker, true, true, rng_key((uint64_t)c->seed, 0xd0, (uint64_t)tr->st.step, (uint64_t)item));
    if (pack_examples(tr, worker, tr->order + tr->batch_from + from, n, &gold) != OK) return;
    worker->packed.control.gate_key = rng_key((uint64_t)c->seed, 0x6a, (uint64_t)tr->st.step, 0); /* of the update */
    if (worker_forward(worker, grads, &worker->error) != OK) return;
    LossWeights weights = weights_of(tr, worker, item);
    weights.pieces = &worker->packed.in.pieces;
    Tensor *loss = network_loss(&worker->forward, &tr->m.net, &worker->net, gold, &weights, &worker->scratch, parts);
    if (loss && !isfinite(parts->sum))
        tape_fail(&worker->tape, ERR_NUMERIC, "the loss is not finite at update %ld: lower lr or set clip",
                  tr->st.step + 1);
    if (loss) tape_backward(&worker->tape, loss);
    worker_status(worker, &worker->error);
}

/* ---- processes that train together */

/* What a process tells the others of its sub-batches: whether they failed, whether it was interrupted, and then the
 * losses of each. */
typedef struct Told {
    int32_t code, stop;
} Told;

Status trainer_check_lanes(const Trainer *tr, Error *error)
{
    int lanes = tr->a->train.lanes, processes = group_size(tr->a->group);
    if (lanes & (lanes - 1)) return error_set(error, ERR_USAGE, "--lanes: found %d, expected a power of two", lanes);
    if (lanes < processes)
        return error_set(error, ERR_USAGE, "--lanes: found %d and %d processes, expected at least as many lanes", lanes,
                         processes);
    return OK;
}

/* Sub-batches of a lane, if there are n of them: numbers lane, lane + lanes, and so on, since longer sentences come
 * later. */
static int lane_items(const Trainer *tr, int lane, int n)
{
    int lanes = tr->a->train.lanes;
    return (n + lanes - 1 - lane) / lanes;
}

/* The lanes of a process; its first one is rank times this. */
static int own_lanes(const Trainer *tr) { return tr->a->train.lanes / group_size(tr->a->group); }

/* The number of sub-batch `item` of a rank, counted lane by lane, among those of all; -1: it has fewer. */
static int number_of(const Trainer *tr, int rank, int item)
{
    int first = rank * own_lanes(tr);
    for (int lane = first; lane < first + own_lanes(tr); lane++) {
        int n = lane_items(tr, lane, tr->n_cuts);
        if (item < n) return lane + item * tr->a->train.lanes;
        item -= n;
    }
    return -1;
}

size_t trainer_told_size(const Trainer *tr)
{
    return sizeof(Told) +
           (size_t)own_lanes(tr) * (size_t)lane_items(tr, 0, tr->a->train.batch_size + 1) * sizeof(LossParts);
}

Status trainer_same(Trainer *tr, const void *bytes, size_t size, const char *what, Error *error)
{
    Group *g = tr->a->group;
    char all[GROUP_MOST][TRAINER_SAME_MOST];
    memset(all[group_rank(g)], 0, sizeof *all);
    memcpy(all[group_rank(g)], bytes, size);
    Status s = group_gather(g, all, sizeof *all, error);
    for (int k = 1; k < group_size(g) && s == OK; k++)
        if (memcmp(all[0], all[k], size) != 0)
            s = error_set(error, ERR_CONFIG, "found other %s on rank %d than on rank 0, expected the same", what, k);
    return s;
}

/* Copies the losses of a rank's sub-batches to or from a block. */
static void copy_parts(Trainer *tr, int rank, char *block, bool to)
{
    for (int item = 0, number; (number = number_of(tr, rank, item)) >= 0; item++) {
        char *there = block + (size_t)item * sizeof(LossParts);
        if (to) memcpy(there, &tr->parts[number], sizeof(LossParts));
        else memcpy(&tr->parts[number], there, sizeof(LossParts));
    }
}

/* Tells the others how the sub-batches went, and hears of theirs: parts [n_cuts] are then whole on every rank. status:
 * of this process. */
static Status tell(Trainer *tr, Status status, Error *e)
{
    Group *g = tr->a->group;
    int rank = group_rank(g);
    size_t size = sizeof(Told) + (size_t)own_lanes(tr) * (size_t)lane_items(tr, 0, tr->n_cuts) * sizeof(LossParts);
    Told t = { (int32_t)status, tr->a->interrupted && *tr->a->interrupted };
    Error lost;
    char *block = (char *)tr->told + (size_t)rank * size;
    memcpy(block, &t, sizeof t);
    copy_parts(tr, rank, block + sizeof t, true);
    Status s = group_gather(g, tr->told, size, &lost);
    if (status != OK) return status; /* which *e tells */
    if (s != OK) *e = lost;
    for (int k = 0; k < group_size(g) && s == OK; k++) {
        block = (char *)tr->told + (size_t)k * size;
        memcpy(&t, block, sizeof t);
        copy_parts(tr, k, block + sizeof t, false);
        if (t.code != OK) s = error_set(e, (Status)t.code, "rank %d failed at update %ld", k, tr->st.step + 1);
        tr->told_to_stop = tr->told_to_stop || t.stop;
    }
    return s;
}

/* ---- an update */

static void work(void *context, int worker, int item)
{
    Trainer *tr = context;
    Worker *w = &tr->workers[worker];
    int number = number_of(tr, group_rank(tr->a->group), item);
    tr->parts[number] = (LossParts){ 0 };
    Real *grads = optimizer_gradients(&tr->optimizer, worker);
    if (w->error.code == OK) trainer_sub_batch(tr, w, number, grads, &tr->parts[number]);
    if (w->error.code == OK) optimizer_add(&tr->optimizer, worker, item);
    else optimizer_skip(&tr->optimizer, worker, item);
}

/* The gradient of this process's part of the batch. */
static Status compute_part(Trainer *tr, Error *e)
{
    int items[1 << OPTIMIZER_LEVELS], n = 0;
    for (int k = 0; k < own_lanes(tr); k++) {
        items[k] = lane_items(tr, group_rank(tr->a->group) * own_lanes(tr) + k, tr->n_cuts);
        n += items[k];
    }
    optimizer_begin(&tr->optimizer, items);
    thread_team_run(tr->optimizer.team, n, work, tr);
    for (int k = 0; k < tr->a->n_threads; k++)
        if (tr->workers[k].error.code != OK) {
            *e = tr->workers[k].error;
            return e->code;
        }
    return OK;
}

/* The gradient of the batch. */
static Status compute_gradient(Trainer *tr, Error *e)
{
    Status s = compute_part(tr, e);
    if (tr->told) s = tell(tr, s, e);
    if (s == OK) s = optimizer_sum_group(&tr->optimizer, tr->a->group, e);
    if (s != OK) return s;
    for (int k = 0; k < tr->n_cuts; k++) {
        tr->loss.soft += tr->parts[k].soft;
        for (int p = 0; p < LOSS_PARTS; p++) {
            bool mean =
                p == LOSS_GUIDANCE || p == LOSS_GATES; /* of an update; others are sums over sentences or words */
            tr->loss.part[p] += tr->parts[k].part[p] * (mean ? tr->cut[tr->n_cuts] : 1);
        }
    }
    tr->norm = optimizer_norm(&tr->optimizer);
    return isfinite(tr->norm)
               ? OK
               : error_set(e, ERR_NUMERIC, "the gradient is not finite at update %ld: lower lr or set clip",
                           tr->st.step + 1);
}

/* ---- rounded weights */

static void round_param(void *context, int worker, int k)
{
    Trainer *tr = context;
    (void)worker;
    model_round(&tr->m.ps.p[k], tr->a->store, param_values(&tr->m.ps, k));
}

void trainer_round(Trainer *tr)
{
    if (!tr->exact) return;
    memcpy(tr->exact, params_values(&tr->m.ps), tr->m.ps.size * sizeof *tr->exact);
    thread_team_run(tr->optimizer.team, tr->m.ps.n, round_param, tr);
}

void trainer_exact(Trainer *tr)
{
    if (tr->exact) memcpy(params_values(&tr->m.ps), tr->exact, tr->m.ps.size * sizeof *tr->exact);
}

static void note_rounding(Trainer *tr, size_t from)
{
    const Real *x = params_values(&tr->m.ps);
    for (size_t i = from; i < tr->m.ps.size; i++) tr->rounding[i] = x[i] - tr->exact[i];
}

void trainer_round_frozen(Trainer *tr)
{
    trainer_round(tr);
    if (tr->exact) note_rounding(tr, tr->m.ps.trained);
    trainer_exact(tr);
}

/* Rounding to 4 bits takes longer than an update, and weights change little between updates: all but every
 * UPDATES_A_ROUNDING-th update add the rounding errors of the last one that computed them. */
static void round_for_update(Trainer *tr)
{
    Real *x = params_values(&tr->m.ps);
    if (!tr->exact) return;
    if (tr->st.step % UPDATES_A_ROUNDING == 0) {
        trainer_round(tr);
        note_rounding(tr, 0);
        return;
    }
    memcpy(tr->exact, x, tr->m.ps.size * sizeof *x);
    for (size_t i = 0; i < tr->m.ps.size; i++) x[i] += tr->rounding[i];
}

Status trainer_update(Trainer *tr, int from, int to, Error *error)
{
    trainer_cut(tr, from, to);
    round_for_update(tr);
    Status s = compute_gradient(tr, error);
    trainer_exact(tr);
    if (s != OK) return s;
    optimizer_step(&tr->optimizer, trainer_rate(tr), tr->st.step + 1, tr->norm);
    tr->st.step++;
    tr->st.sentences += to - from;
    tr->loss_sentences += to - from;
    tr->loss_words += tr->batch_words;
    return OK;
}
