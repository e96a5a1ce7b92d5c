/* How much device memory the sub-batches of a run need, found before the first update. All
 * sub-batches of the coming epochs are cut, which is cheap. Those that could be the largest are run through the code
 * of an update on device_measuring(), which counts memory and computes nothing. */
#include "base/arena.h"
#include "parser/train/trainer.h"

/* LOOK_MOST: measuring stops after the batch in which it reaches this many sentences, counted once per epoch. Later
 * epochs only shuffle the same sentences. */
enum { LOOK_MOST = 1 << 20 };
/* A sub-batch that is larger than a measured one by at most this fraction is not measured. The memory taken is larger
 * than the memory measured by the same fraction. */
static const double CLOSE = 1.0 / 16;

/* The quantities that determine the memory of a sub-batch: LONGEST is a maximum over its sentences, all others are
 * sums. Memory does not decrease when any of them increases. */
typedef enum Extent {
    TOKENS,
    SENTENCES,
    PAIRS, /* of tokens */
    LONGEST,
    CHARACTERS,
    PIECES,
    PIECE_PAIRS,
    CELLS,       /* label cells of the margin loss */
    SOFT_PAIRS,  /* pairs of tokens in sentences with soft trees */
    SOFT_VALUES, /* probabilities of soft tags, heads and types */
    EXTENTS
} Extent;

typedef struct Size {
    float of[EXTENTS];
} Size;

typedef struct Measured {
    Trainer *tr;
    Worker w;         /* with a tape on the measuring device */
    Size *example;    /* [tr->n] TOKENS 0: not known yet */
    Size *seen;       /* [n] sizes of the measured sub-batches */
    int n, cap, cuts; /* cuts: the largest number of sub-batches in a batch */
} Measured;

/* ---- sizes */

static float values_of(const SoftRows *rows, int words) { return rows->start ? (float)rows->start[words] : 0; }

/* The size of a sub-batch of example x alone. false: out of memory. */
static bool size_of(Measured *m, const Example *x, Size *to)
{
    float tokens = (float)x->s->n_words + 2;
    *to = (Size){ .of = { [TOKENS] = tokens, [SENTENCES] = 1, [PAIRS] = tokens * tokens, [LONGEST] = tokens } };
    if (x->soft) {
        const SoftTargets *s = x->soft;
        if (s->tree.n_spans) to->of[SOFT_PAIRS] = tokens * tokens;
        to->of[SOFT_VALUES] = values_of(&s->tags, x->s->n_words) + values_of(&s->heads, x->s->n_words) +
                              values_of(&s->types, x->s->n_words);
    } else if (x->nodes) to->of[CELLS] = 2 * tokens + (float)x->nodes;
    int chars, pieces;
    arena_reset(&m->w.scratch);
    if (!trainer_count(&m->w.lexicon, x->s, &m->w.scratch, &chars, &pieces)) return false;
    to->of[CHARACTERS] = (float)chars;
    to->of[PIECES] = (float)pieces;
    to->of[PIECE_PAIRS] = to->of[PIECES] * to->of[PIECES];
    return true;
}

static bool size_of_item(Measured *m, int item, Size *to)
{
    const Trainer *tr = m->tr;
    *to = (Size){ .of = { 0 } };
    for (int k = tr->cut[item]; k < tr->cut[item + 1]; k++) {
        int which = tr->order[tr->batch_from + k];
        Size *x = &m->example[which];
        if (x->of[TOKENS] == 0 && !size_of(m, &tr->ex[which], x)) return false;
        for (int i = 0; i < EXTENTS; i++)
            if (i != LONGEST) to->of[i] += x->of[i];
            else if (x->of[i] > to->of[i]) to->of[i] = x->of[i];
    }
    return true;
}

/* Is x at most CLOSE larger than a measured sub-batch in every quantity? */
static bool within(const Measured *m, const Size *x)
{
    for (int k = m->n - 1; k >= 0; k--) {
        int i = 0;
        while (i < EXTENTS && x->of[i] <= m->seen[k].of[i] * (float)(1 + CLOSE)) i++;
        if (i == EXTENTS) return true;
    }
    return false;
}

/* ---- measuring */

static Status measure_batch(Measured *m, Error *e)
{
    Trainer *tr = m->tr;
    if (tr->n_cuts > m->cuts) m->cuts = tr->n_cuts;
    for (int item = 0; item < tr->n_cuts; item++) {
        Size x;
        LossParts parts;
        bool ok = size_of_item(m, item, &x);
        if (ok && within(m, &x)) continue;
        if (!ok || !mem_reserve(m->seen, &m->cap, m->n + 1))
            return error_set(e, ERR_NOMEM, "out of memory measuring sub-batches");
        m->seen[m->n++] = x;
        trainer_sub_batch(tr, &m->w, item, optimizer_gradients(&tr->optimizer, 0), &parts);
        if (m->w.error.code != OK) {
            *e = m->w.error;
            return e->code;
        }
    }
    return OK;
}

/* Measures the batches of the coming epochs; restores the epoch of the state. */
static Status measure_epochs(Measured *m, Error *e)
{
    Trainer *tr = m->tr;
    const TrainConfig *c = &tr->a->train;
    long epoch = tr->st.epoch, updates = trainer_updates(tr) - tr->st.step, looked = 0;
    Status s = OK;
    for (; s == OK && tr->st.epoch < c->epochs && updates > 0 && looked < LOOK_MOST; tr->st.epoch++) {
        if (!trainer_epoch(tr)) s = error_set(e, ERR_NOMEM, "out of memory for an epoch");
        for (int from = 0, to; s == OK && from < tr->n_epoch && updates > 0 && looked < LOOK_MOST; from = to) {
            to = from + c->batch_size < tr->n_epoch ? from + c->batch_size : tr->n_epoch;
            trainer_cut(tr, from, to);
            s = measure_batch(m, e);
            looked += to - from;
            updates--;
        }
    }
    tr->st.epoch = epoch;
    return s;
}

/* *need: for each thread; *threads: the number of threads that can work at the same time. */
static Status measure(Trainer *tr, TapeNeed *need, int *threads, Error *e)
{
    Measured m = { .tr = tr };
    Status s = OK;
    worker_init(&m.w, &tr->m, device_measuring());
    m.w.lexicon.apart = true;
    m.example = mem_calloc((size_t)tr->n, sizeof *m.example);
    if (!m.example) s = error_set(e, ERR_NOMEM, "out of memory for %d sentences in training", tr->n);
    if (s == OK) s = measure_epochs(&m, e);
    *need = tape_need(&m.w.tape);
    need->numbers += (size_t)((double)need->numbers * CLOSE);
    need->grads += (size_t)((double)need->grads * CLOSE);
    *threads = m.cuts < tr->a->n_threads ? m.cuts : tr->a->n_threads;
    worker_fini(&m.w);
    mem_free(m.example);
    mem_free(m.seen);
    return s;
}

/* ---- reserving */

/* tape is for one thread; dev, in bytes, for all threads together. */
typedef struct Needs {
    TapeNeed tape;
    int threads;
    size_t dev, available;
} Needs;

static Status too_little(const Device *d, const Needs *n, Error *e)
{
    const double mib = 1 << 20;
    char dev[60] = "", found[60] = "";
    if (n->dev) snprintf(dev, sizeof dev, " and %.1f MiB to parse dev", (double)n->dev / mib);
    if (d->available) snprintf(found, sizeof found, "%.1f MiB are free; ", (double)n->available / mib);
    return error_set(e, ERR_NOMEM,
                     "out of memory on %s before the first update: sub-batches need %.1f MiB for each of %d threads%s; "
                     "%slower --threads, --subbatch-tokens or --max-train-words",
                     d->name, (double)(n->tape.numbers + n->tape.grads) / mib, n->threads, dev, found);
}

static bool take(Trainer *tr, const Needs *n)
{
    size_t each = n->tape.numbers + n->tape.grads;
    bool ok = n->dev <= n->available && (n->threads == 0 || each <= (n->available - n->dev) / (size_t)n->threads);
    for (int k = 0; k < n->threads && ok; k++) ok = tape_reserve(&tr->workers[k].tape, n->tape);
    return ok;
}

Status trainer_reserve(Trainer *tr, Error *error)
{
    const Device *d = tr->optimizer.d;
    Needs n = { .available = SIZE_MAX };
    Status s = measure(tr, &n.tape, &n.threads, error);
    if (s == OK && d->available) s = trainer_dev_need(tr, &n.dev, error);
    if (s != OK) return s;
    if (d->available) n.available = d->available();
    return take(tr, &n) ? OK : too_little(d, &n, error);
}
