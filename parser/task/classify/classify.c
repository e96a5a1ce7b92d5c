/* The score of a unit is the mean over its tokens' scores, since the map is linear;
 * batches are shared out to threads. */
#include "parser/task/classify/classify.h"

#include <math.h>
#include <string.h>

#include "parser/model/linear_network.h"
#include "parser/task/classify/class_data.h"

Status classifier_init(Classifier *classifier, const Model *model, const Device *device, int n_threads, Error *error)
{
    *classifier = (Classifier){ .m = model, .max_words = CLASSIFY_MOST_WORDS, .batch_tokens = 600 };
    arena_init(&classifier->parses, (size_t)1 << 16);
    Status s = worker_team_init(&classifier->team, model, device, n_threads, error);
    if (s != OK || encoder_options_source(&model->options) != SYNTAX_FIRST_PASS) return s;
    s = model_check_text(model, error);
    return s == OK ? parser_init(&classifier->parser, model->first, device, n_threads, error) : s;
}

void classifier_fini(Classifier *classifier)
{
    worker_team_fini(&classifier->team);
    parser_fini(&classifier->parser);
    arena_fini(&classifier->parses);
    *classifier = (Classifier){ 0 };
}

/* ---- units */

static const TextParts *parts_of(const ParseInput *in) { return in->parse ? in->parse->parts : NULL; }

int classifier_units(const ParseInput *in)
{
    const TextParts *parts = parts_of(in);
    return parts && !parts->side ? parts->n : 1;
}

/* The scores [classes] of unit k of text s of the batch: means over its tokens. */
static void unit_scores(const Worker *w, const HostMatrix *scores, const ParseInput *in, int s, int k, Real *out)
{
    const TextParts *parts = parts_of(in);
    int classes = vocab_size(&w->m->classes), from = 1, to = in->n_words + 1;
    if (parts && parts->side) from = 0, to = 1; /* of a gap, START */
    else if (parts) {
        from = 1 + parts->begin[k];
        if (k + 1 < parts->n) to = 1 + parts->begin[k + 1];
    }
    for (int c = 0; c < classes; c++) {
        double sum = 0;
        for (int i = from; i < to; i++) sum += (double)host_row(scores, w->packed.batch.start[s] + i)[c];
        out[c] = (Real)(to > from ? sum / (to - from) : 0);
    }
}

/* ---- the first pass */

/* Gives the texts that have no parse the one of the model of the first pass, if there is one: until the next call. */
static Status parse_texts(Classifier *c, ParseInput *in, int n, Error *e)
{
    if (!c->parser.m) return OK;
    arena_reset(&c->parses);
    ParseInput *words = arena_calloc(&c->parses, (size_t)n, sizeof *words);
    Sentence **parse = arena_alloc(&c->parses, (size_t)n, sizeof *parse);
    int *text = arena_alloc(&c->parses, (size_t)n, sizeof *text), m = 0;
    if (!words || !parse || !text) return error_set(e, ERR_NOMEM, "out of memory for %d sentences", n);
    for (int k = 0; k < n; k++) {
        if (in[k].parse || !in[k].n_words) continue;
        words[m] = (ParseInput){ .n_words = in[k].n_words, .words = in[k].words, .space_before = in[k].space_before };
        text[m++] = k;
    }
    Status s = parser_sentences(&c->parser, words, m, &c->parses, parse, e);
    for (int k = 0; k < m && s == OK; k++) in[text[k]].parse = parse[k];
    return s;
}

/* ---- one batch */

Status classifier_pack(Worker *worker, const ParseInput *in, int n, Error *error)
{
    BatchSentence *sentences = arena_alloc(&worker->scratch, (size_t)n, sizeof *sentences);
    const Sentence **parse = arena_alloc(&worker->scratch, (size_t)n, sizeof *parse);
    bool ok = sentences && parse;
    for (int s = 0; s < n && ok; s++) {
        const char *const *words =
            model_fold(worker->m, in[s].words, in[s].tags, in[s].space_before, in[s].n_words, &worker->scratch);
        ok = words != NULL;
        parse[s] = in[s].parse;
        sentences[s] = (BatchSentence){ .n = in[s].n_words, .words = words, .parts = parts_of(&in[s]) };
    }
    return ok ? worker_pack(worker, sentences, parse, n, 0, error)
              : error_set(error, ERR_NOMEM, "out of memory packing sentences");
}

/* The number of the class with the largest score. ERR_NUMERIC where one is not finite. */
static Status choose(const Model *m, const Real *score, int *best, Error *e)
{
    int n = vocab_size(&m->classes);
    *best = 0;
    for (int k = 0; k < n; k++) {
        if (!isfinite((double)score[k])) return model_overflows(m, "scores of classes", e);
        if (score[k] > score[*best]) *best = k;
    }
    return OK;
}

static void softmax(const Real *score, int n, int best, Real *out)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += exp((double)score[k] - (double)score[best]);
    for (int k = 0; k < n; k++) out[k] = (Real)(exp((double)score[k] - (double)score[best]) / sum);
}

/* The network on n sentences, and the scores of their classes. */
static Status forward(Worker *w, const ParseInput *in, int n, HostMatrix *scores, Error *e)
{
    worker_begin(w, false, false, 0);
    Status s = classifier_pack(w, in, n, e);
    if (s == OK) s = worker_forward(w, NULL, e);
    if (s != OK) return s;
    *scores = tensor_host(&w->tape, linear_network_scores(&w->net), &w->scratch);
    return worker_status(w, e);
}

/* class_id [units], probability [units * classes] or NULL. */
static Status classify_batch(Worker *w, const ParseInput *in, int n, int *class_id, Real *probability, Error *e)
{
    HostMatrix scores;
    int classes = vocab_size(&w->m->classes);
    Status status = forward(w, in, n, &scores, e);
    Real *score = arena_alloc(&w->scratch, (size_t)classes, sizeof *score);
    if (status == OK && !score) status = error_set(e, ERR_NOMEM, "out of memory for scores");
    for (int s = 0; s < n; s++)
        for (int k = 0; k < classifier_units(&in[s]) && status == OK; k++, class_id++) {
            unit_scores(w, &scores, &in[s], s, k, score);
            status = choose(w->m, score, class_id, e);
            if (status != OK || !probability) continue;
            softmax(score, classes, *class_id, probability);
            probability += classes;
        }
    return status;
}

/* ---- all batches */

typedef struct Job {
    Classifier *c;
    const ParseInput *in; /* [n] shortened to max_words */
    int *batch;           /* [n_batches + 1] first sentence */
    int *unit;            /* [n_batches + 1] its first unit */
    int n_batches;
    int *class_id;
    Real *probability;
} Job;

static void work(void *context, int worker, int item)
{
    const Job *j = context;
    Worker *w = &j->c->team.worker[worker];
    int from = j->batch[item], n = j->batch[item + 1] - from;
    ptrdiff_t classes = vocab_size(&j->c->m->classes), unit = j->unit[item];
    classify_batch(w, j->in + from, n, j->class_id + unit, j->probability ? j->probability + unit * classes : NULL,
                   &w->error);
}

Status classifier_run(Classifier *classifier, const ParseInput *in, int n, int *class_id, Real *probability,
                      Error *error)
{
    const ParseOptions o = { .batch_tokens = classifier->batch_tokens };
    ParseInput *cut = mem_calloc((size_t)n, sizeof *cut);
    int *batch = mem_calloc((size_t)n + 1, sizeof *batch), *unit = mem_calloc((size_t)n + 1, sizeof *unit);
    Job j = { classifier, cut, batch, unit, 0, class_id, probability };
    Status s = cut && batch && unit ? OK : error_set(error, ERR_NOMEM, "out of memory for %d sentences", n);
    for (int k = 0; k < n && s == OK; k++) {
        cut[k] = in[k];
        if (in[k].n_words <= classifier->max_words) continue;
        cut[k].n_words = classifier->max_words;
        cut[k].parse = NULL;
    }
    if (s == OK) s = parse_texts(classifier, cut, n, error);
    while (s == OK && batch[j.n_batches] < n) {
        int k = j.n_batches++;
        batch[k + 1] = parse_batch_end(cut, n, batch[k], &o);
        unit[k + 1] = unit[k];
        for (int i = batch[k]; i < batch[k + 1]; i++) unit[k + 1] += classifier_units(&cut[i]);
    }
    if (s == OK) s = worker_team_run(&classifier->team, j.n_batches, work, &j, error);
    mem_free(cut);
    mem_free(batch);
    mem_free(unit);
    return s;
}

Status classifier_treebank(Classifier *classifier, const Treebank *tb, const Sentence *parses, int *class_id,
                           Error *error)
{
    ParseInput *in = mem_calloc((size_t)tb->n, sizeof *in);
    bool oracle = encoder_options_oracle(&classifier->m->options);
    Status status = in ? OK : error_set(error, ERR_NOMEM, "out of memory for %d sentences", tb->n);
    for (int k = 0; k < tb->n && status == OK; k++) {
        const Sentence *sent = &tb->s[k];
        in[k] = (ParseInput){
            .n_words = sent->n_words, .words = sent->words, .tags = sent->tags, .parse = oracle ? sent : NULL
        };
        if (parses) in[k].parse = &parses[k];
    }
    if (status == OK) status = classifier_run(classifier, in, tb->n, class_id, NULL, error);
    mem_free(in);
    return status;
}

Status classifier_score(const Model *model, const Device *device, int n_threads, const Corpus *data,
                        const Sentence *parses, DevScores *out, Error *error)
{
    int n = data->trees.n;
    Classifier c = { 0 };
    ClassScores scores = { 0 };
    int *gold = mem_calloc((size_t)n, sizeof *gold), *pred = mem_calloc((size_t)n, sizeof *pred);
    Status s = gold && pred ? OK : error_set(error, ERR_NOMEM, "out of memory for the classes of %d sentences", n);
    if (s == OK) s = class_scores_init(&scores, vocab_size(&model->classes), error);
    if (s == OK) s = class_data_numbers(data, &model->classes, gold, error);
    if (s == OK) s = classifier_init(&c, model, device, n_threads, error);
    if (s == OK) s = classifier_treebank(&c, &data->trees, parses, pred, error);
    for (int k = 0; k < n && s == OK; k++) class_scores_add(&scores, gold[k], pred[k]);
    if (s == OK) {
        out->part[0] = class_scores_value(&scores, CLASS_ACCURACY);
        out->has[0] = true;
        trainer_figure(out, "sentences", NULL, 0, (double)scores.n);
        trainer_figure(out, "accuracy", "accuracy", 2, out->part[0]);
        trainer_figure(out, "macro_f1", "macro-F1", 2, class_scores_value(&scores, CLASS_MACRO_F1));
    }
    class_scores_fini(&scores);
    classifier_fini(&c);
    mem_free(gold);
    mem_free(pred);
    return s;
}

/* ---- two models */

/* The classes of the units of one text by a model, to be freed; its worker still has the forward pass. */
static Status classes_of(const Classifier *c, const ParseInput *in, int **class_id, Error *e)
{
    size_t units = (size_t)classifier_units(in);
    *class_id = mem_calloc(units, sizeof **class_id);
    return *class_id ? classify_batch(c->team.worker, in, 1, *class_id, NULL, e)
                     : error_set(e, ERR_NOMEM, "out of memory for classes");
}

static Status compare_one(Classifier c[2], const ParseInput *text, ModelDifference *d, Error *e)
{
    Worker *const w[2] = { c[0].team.worker, c[1].team.worker };
    int *best[2] = { NULL, NULL };
    ParseInput in = *text;
    Status s = parse_texts(&c[0], &in, 1, e);
    for (int k = 0; k < 2 && s == OK; k++) s = classes_of(&c[k], &in, &best[k], e);
    bool words = model_difference_words(&c[0].m->net.encoder, &c[1].m->net.encoder);
    const NetworkOutput *const out[2] = { &w[0]->net, &w[1]->net };
    const Tensor *const of[][2] = { { out[0]->encoder.contextual, out[1]->encoder.contextual },
                                    { words ? out[0]->encoder.word : NULL, out[1]->encoder.word },
                                    { linear_network_scores(out[0]), linear_network_scores(out[1]) } };
    Tape *const tapes[2] = { &w[0]->tape, &w[1]->tape };
    for (int i = 0; i < 3 && s == OK; i++) s = model_difference_note(d, tapes, of[i], &w[0]->scratch, e);
    bool other = s == OK && memcmp(best[0], best[1], (size_t)classifier_units(&in) * sizeof *best[0]) != 0;
    d->decided_otherwise += other;
    d->sentences++;
    mem_free(best[0]);
    mem_free(best[1]);
    return s;
}

Status classifier_difference(const Model *a, const Model *b, const ParseInput *in, int n, ModelDifference *out,
                             Error *error)
{
    Classifier c[2] = { { 0 }, { 0 } };
    *out = (ModelDifference){ 0 };
    Status s = classifier_init(&c[0], a, device_default(), 1, error);
    if (s == OK) s = classifier_init(&c[1], b, device_default(), 1, error);
    for (int k = 0; k < n && s == OK; k++) s = compare_one(c, &in[k], out, error);
    for (int k = 0; k < 2; k++) classifier_fini(&c[k]);
    return s;
}
