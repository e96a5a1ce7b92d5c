/* A tape, a lexicon and two arenas; the worker of the first-pass model is made when it is
 * first needed. */
#include "parser/model/worker.h"

#include "parser/model/head_inputs.h"

void worker_init(Worker *worker, const Model *model, const Device *device)
{
    *worker = (Worker){ .m = model };
    tape_init(&worker->tape, device);
    lexicon_init(&worker->lexicon, model_lexicon(model));
    arena_init(&worker->scratch, (size_t)1 << 20);
    arena_init(&worker->parses, (size_t)1 << 12);
}

void worker_fini(Worker *worker)
{
    if (!worker->m) return;
    if (worker->first) worker_fini(worker->first);
    mem_free(worker->first);
    for (int g = 0; worker->targets && g < worker->m->net.encoder.plan.n_guides; g++)
        guidance_targets_fini(&worker->targets[g]);
    mem_free(worker->targets);
    arena_fini(&worker->parses);
    tape_fini(&worker->tape);
    lexicon_fini(&worker->lexicon);
    arena_fini(&worker->scratch);
}

Worker *worker_first(Worker *worker)
{
    if (worker->first) return worker->first;
    worker->first = mem_alloc(1, sizeof *worker->first);
    if (worker->first) worker_init(worker->first, worker->m->first, worker->tape.device);
    return worker->first;
}

void worker_begin(Worker *worker, bool record, bool training, uint64_t key)
{
    arena_reset(&worker->scratch);
    lexicon_trim(&worker->lexicon);
    tape_reset(&worker->tape, record, training, key);
}

Status worker_pack(Worker *worker, const BatchSentence *sentences, const Sentence *const *parse, int n, double unknown,
                   Error *error)
{
    Status status = batch_pack(&worker->lexicon, sentences, n, unknown, &worker->scratch, &worker->packed, error);
    worker->packed.in.pieces.apart = !worker->tape.training && !worker->pieces;
    return status == OK ? head_inputs_control(worker->m, sentences, parse, n, &worker->packed, &worker->scratch, error)
                        : status;
}

Status worker_forward(Worker *worker, Real *grads, Error *error)
{
    PackedBatch *packed = &worker->packed;
    worker->forward = (Forward){ .t = &worker->tape,
                                 .params = &worker->m->ps,
                                 .grads = grads,
                                 .batch = &packed->batch,
                                 .sentence_of = worker->m->c.layers == MODEL_LAYERS_LAL ? packed->sentence_of : NULL,
                                 .brief = !worker->tape.recording };
    network_forward(&worker->forward, &worker->m->net, &packed->in, &packed->control, &worker->net);
    return worker_status(worker, error);
}

Status worker_status(const Worker *worker, Error *error)
{
    if (worker->tape.error.code != OK) *error = worker->tape.error;
    return worker->tape.error.code;
}

WorkerNeed worker_need(const Worker *worker)
{
    WorkerNeed need = { .own = tape_need(&worker->tape) };
    if (worker->first) need.first = tape_need(&worker->first->tape);
    return need;
}

bool worker_reserve(Worker *worker, WorkerNeed need)
{
    if (!tape_reserve(&worker->tape, need.own)) return false;
    return !need.first.numbers || (worker_first(worker) && tape_reserve(&worker->first->tape, need.first));
}
