/* A tape, a lexicon and two arenas; the worker of the first-pass model is made when it is
 * first needed. */
#include "parser/model/worker.h"

#include "parser/model/head_inputs.h"

void worker_init(Worker *w, const Model *m, const Device *d)
{
    *w = (Worker){ .m = m };
    tape_init(&w->tape, d);
    lexicon_init(&w->lexicon, model_lexicon(m));
    arena_init(&w->scratch, (size_t)1 << 20);
    arena_init(&w->parses, (size_t)1 << 12);
}

void worker_fini(Worker *w)
{
    if (!w->m) return;
    if (w->first) worker_fini(w->first);
    mem_free(w->first);
    for (int g = 0; w->targets && g < w->m->net.encoder.plan.n_guides; g++) guidance_targets_fini(&w->targets[g]);
    mem_free(w->targets);
    arena_fini(&w->parses);
    tape_fini(&w->tape);
    lexicon_fini(&w->lexicon);
    arena_fini(&w->scratch);
}

Worker *worker_first(Worker *w)
{
    if (w->first) return w->first;
    w->first = mem_alloc(1, sizeof *w->first);
    if (w->first) worker_init(w->first, w->m->first, w->tape.device);
    return w->first;
}

void worker_begin(Worker *w, bool record, bool training, uint64_t key)
{
    arena_reset(&w->scratch);
    lexicon_trim(&w->lexicon);
    tape_reset(&w->tape, record, training, key);
}

Status worker_pack(Worker *w, const BatchSentence *sentences, const Sentence *const *parse, int n, double unknown,
                   Error *e)
{
    Status status = batch_pack(&w->lexicon, sentences, n, unknown, &w->scratch, &w->packed, e);
    w->packed.in.pieces.apart = !w->tape.training && !w->pieces;
    return status == OK ? head_inputs_control(w->m, sentences, parse, n, &w->packed, &w->scratch, e) : status;
}

Status worker_forward(Worker *w, Real *grads, Error *e)
{
    PackedBatch *packed = &w->packed;
    w->forward = (Forward){ .t = &w->tape,
                            .params = &w->m->ps,
                            .grads = grads,
                            .batch = &packed->batch,
                            .sentence_of = w->m->c.layers == MODEL_LAYERS_LAL ? packed->sentence_of : NULL,
                            .brief = !w->tape.recording };
    network_forward(&w->forward, &w->m->net, &packed->in, &packed->control, &w->net);
    return worker_status(w, e);
}

Status worker_status(const Worker *w, Error *e)
{
    if (w->tape.error.code != OK) *e = w->tape.error;
    return w->tape.error.code;
}

WorkerNeed worker_need(const Worker *w)
{
    WorkerNeed need = { .own = tape_need(&w->tape) };
    if (w->first) need.first = tape_need(&w->first->tape);
    return need;
}

bool worker_reserve(Worker *w, WorkerNeed need)
{
    if (!tape_reserve(&w->tape, need.own)) return false;
    return !need.first.numbers || (worker_first(w) && tape_reserve(&w->first->tape, need.first));
}
