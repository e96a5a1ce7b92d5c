/* Lines are ordered by length into batches, which threads take; alignment is a
 * second pass over the translations, with the attention recorded. */
#include "parser/task/translate/translate.h"

#include <stdlib.h>
#include <string.h>

#include "embeddings/bpe.h"
#include "lal/decoder.h"
#include "parser/task/translate/pair_data.h"
#include "parser/task/translate/search.h"
#include "parser/task/translate/translate_pass.h"

/* What a thread has besides its worker. */
typedef struct TranslateMemory {
    SearchMemory search;
    Arena results; /* memory of translations */
} TranslateMemory;

Status translator_init(Translator *translator, const Model *model, const Device *device, int n_threads,
                       TranslateOptions options, Error *error)
{
    *translator = (Translator){ .m = model, .o = options, .batch_tokens = 600 };
    Status s = worker_team_init(&translator->team, model, device, n_threads, error);
    if (s == OK && !(translator->memory = mem_calloc((size_t)n_threads, sizeof *translator->memory)))
        s = error_set(error, ERR_NOMEM, "out of memory for %d threads", n_threads);
    for (int k = 0; k < n_threads && s == OK; k++) {
        search_memory_init(&translator->memory[k].search, device);
        arena_init(&translator->memory[k].results, (size_t)1 << 12);
    }
    return s;
}

void translator_fini(Translator *translator)
{
    for (int k = 0; k < translator->team.n && translator->memory; k++) {
        search_memory_fini(&translator->memory[k].search);
        arena_fini(&translator->memory[k].results);
    }
    mem_free(translator->memory);
    worker_team_fini(&translator->team);
    *translator = (Translator){ 0 };
}

/* ---- a batch */

typedef struct Job Job;

/* A batch of sources. */
typedef struct Part {
    const Job *job;
    Worker *w;
    TranslateMemory *memory;
    const int *which;       /* [n] lines */
    const Sentence *source; /* [n] in pieces */
    Beam *beam;             /* [n] */
    int n;
} Part;

struct Job {
    Translator *t;
    const StrView *lines;
    Sentence *source; /* [n] pieces of the lines */
    Translation *out; /* [n] */
    int *order;       /* lines that have pieces, by how many */
    int *batch;       /* [n_batches + 1] first of order */
    int n_batches;
};

/* The encoder on the sources, in w's tape. */
static Status encode(Part *s, bool record)
{
    Worker *w = s->w;
    worker_begin(w, record, false, 0);
    BatchSentence *sentences = arena_alloc(&w->scratch, (size_t)s->n, sizeof *sentences);
    if (!sentences) return error_set(&w->error, ERR_NOMEM, "out of memory for a batch");
    for (int k = 0; k < s->n; k++) sentences[k] = pair_data_batch(&s->source[k]);
    Status status = worker_pack(w, sentences, NULL, s->n, 0, &w->error);
    return status == OK ? worker_forward(w, NULL, &w->error) : status;
}

/* The best output of a search becomes the translation of its line. */
static Status take_best(Part *s, int k)
{
    Translator *t = s->job->t;
    const Beam *b = &s->beam[k];
    Translation *out = &s->job->out[s->which[k]];
    StrBuf text = { 0 };
    const BeamOutput *best = &b->finished[0];
    out->log_p = best->log_p;
    out->score = best->score;
    out->piece = arena_alloc(&s->memory->results, (size_t)b->o.most, sizeof *out->piece);
    if (out->piece) {
        out->n = beam_pieces(b, best, out->piece);
        strbuf_puts(&text, "");
        bpe_decode(&t->m->words, out->piece, out->n, &text);
        out->text = text.failed ? NULL : arena_strndup(&s->memory->results, text.ptr, text.len);
    }
    strbuf_fini(&text);
    return out->piece && out->text ? OK : error_set(&s->w->error, ERR_NOMEM, "out of memory for translations");
}

static Status search(Part *s)
{
    Translator *t = s->job->t;
    Worker *w = s->w;
    Status status = OK;
    for (int k = 0; k < s->n && status == OK; k++) {
        const BeamOptions o = { .beam = t->o.beam,
                                .penalty = t->o.penalty,
                                .most = 2 * s->source[k].n_words + 10,
                                .start = TOKEN_START,
                                .stop = TOKEN_STOP };
        status = beam_init(&s->beam[k], o, &w->error);
    }
    if (status != OK) return status;
    Error why = { 0 };
    status = search_run(&s->memory->search, &w->forward, &t->m->net, &w->net, s->beam, &w->scratch, &why);
    if (status == ERR_NUMERIC) return model_overflows(t->m, "scores of pieces", &w->error);
    if (status != OK) w->error = why;
    for (int k = 0; k < s->n && status == OK; k++) status = take_best(s, k);
    return status;
}

/* ---- which pieces of the source the pieces of the outputs attend to */

/* The key with the largest mean weight of the heads for query i, weights [heads, pairs] beginning at `at`. */
static int most_attended(const HostMatrix *probs, long at, int i, int keys)
{
    int best = 0;
    double most = -1;
    for (int j = 0; j < keys; j++) {
        double sum = 0;
        for (int h = 0; h < probs->rows; h++) sum += (double)host_row(probs, h)[at + (long)i * keys + j];
        if (sum > most) {
            most = sum;
            best = j;
        }
    }
    return best;
}

/* The weights of the last layer that attends to the source; NULL: pruning has left none. */
static const Tensor *last_weights(const DecoderOutput *out, int layers)
{
    int l = layers - 1;
    while (l > 0 && !out->cross[l].probs) l--;
    return out->cross[l].probs;
}

static Status align(Part *s)
{
    Worker *w = s->w;
    const Network *net = &w->m->net;
    TranslatePass pass;
    Status status = encode(s, true);
    const int **labels = status == OK ? arena_alloc(&w->scratch, (size_t)s->n, sizeof *labels) : NULL;
    if (!labels) return status == OK ? error_set(&w->error, ERR_NOMEM, "out of memory for translations") : status;
    for (int k = 0; k < s->n; k++) {
        const Translation *out = &s->job->out[s->which[k]];
        int n = out->n && out->piece[out->n - 1] == TOKEN_STOP ? out->n - 1 : out->n;
        int *list = arena_alloc(&w->scratch, (size_t)n + 1, sizeof *list);
        if (!list) return error_set(&w->error, ERR_NOMEM, "out of memory for translations");
        list[0] = n;
        if (n) memcpy(list + 1, out->piece, (size_t)n * sizeof *list);
        labels[k] = list;
    }
    if (!translate_pass(&w->forward, net, &w->net, labels, NULL, &pass)) return worker_status(w, &w->error);
    const Tensor *weights = last_weights(&pass.decoder, network_decoder(net)->c.n_layers);
    if (!weights) return OK;
    HostMatrix probs = tensor_host(&w->tape, weights, &w->scratch);
    if ((status = worker_status(w, &w->error)) != OK) return status;
    long at = 0;
    for (int k = 0; k < s->n; k++) {
        Translation *out = &s->job->out[s->which[k]];
        int keys = s->source[k].n_words + 2;
        out->source = arena_alloc(&s->memory->results, (size_t)out->n, sizeof *out->source);
        if (!out->source) return error_set(&w->error, ERR_NOMEM, "out of memory for translations");
        for (int i = 0; i < out->n; i++) out->source[i] = most_attended(&probs, at, i, keys);
        at += (long)(labels[k][0] + 1) * keys;
    }
    return OK;
}

static Status translate_part(Part *s)
{
    Worker *w = s->w;
    Status status = encode(s, false);
    if (status == OK && !(s->beam = arena_calloc(&w->scratch, (size_t)s->n, sizeof *s->beam)))
        status = error_set(&w->error, ERR_NOMEM, "out of memory for translations");
    if (status != OK) return status;
    status = search(s);
    for (int k = 0; k < s->n; k++) beam_fini(&s->beam[k]);
    return status == OK && s->job->t->o.align ? align(s) : status;
}

/* ---- all batches */

static void work(void *context, int worker, int item)
{
    const Job *j = context;
    Worker *w = &j->t->team.worker[worker];
    int from = j->batch[item], n = j->batch[item + 1] - from;
    Part s = { .job = j, .w = w, .memory = &j->t->memory[worker], .which = j->order + from, .n = n };
    Sentence *source = mem_calloc((size_t)n, sizeof *source);
    for (int k = 0; source && k < n; k++) source[k] = j->source[j->order[from + k]];
    s.source = source;
    if (source) translate_part(&s);
    else error_set(&w->error, ERR_NOMEM, "out of memory for translations");
    mem_free(source);
}

/* Sources in pieces. */
static Status make_sources(Job *j, int n, Arena *a, Error *e)
{
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        s = pair_data_pieces(j->t->m, j->lines[k], a, &j->source[k], e);
        if (s != OK) break;
        j->out[k] = (Translation){ .text = "", .cut = j->source[k].n_words > TRANSLATE_MOST_PIECES };
        if (!j->out[k].cut) continue;
        j->source[k].n_words = TRANSLATE_MOST_PIECES;
        const SourceWords *source = j->source[k].source;
        if (source) source->token[TRANSLATE_MOST_PIECES + 1] = source->words->n_words + 1; /* STOP */
    }
    return s;
}

/* j->order gets the lines that have pieces, by how many, so that a batch has texts of like length; their number. */
static int order_sources(Job *j, int n)
{
    int next[TRANSLATE_MOST_PIECES + 2] = { 0 }; /* place of the next line of each number of pieces */
    for (int k = 0; k < n; k++)
        if (j->source[k].n_words) next[j->source[k].n_words + 1]++;
    for (int m = 1; m <= TRANSLATE_MOST_PIECES + 1; m++) next[m] += next[m - 1];
    for (int k = 0; k < n; k++)
        if (j->source[k].n_words) j->order[next[j->source[k].n_words]++] = k;
    return next[TRANSLATE_MOST_PIECES + 1];
}

/* The parses that masks read, of the n lines that have pieces. */
static Status parse_sources(Job *j, int n, Arena *a, Error *e)
{
    const Translator *t = j->t;
    if (!t->m->first) return OK;
    Sentence **texts = mem_calloc((size_t)n, sizeof *texts);
    for (int k = 0; texts && k < n; k++) texts[k] = &j->source[j->order[k]];
    Status s = texts ? pair_data_parse(t->m, t->team.worker->tape.device, t->team.n, texts, n, a, e)
                     : error_set(e, ERR_NOMEM, "out of memory for %d lines", n);
    mem_free(texts);
    return s;
}

static void make_batches(Job *j, int n)
{
    int tokens = 0;
    for (int k = 0; k < n; k++) {
        int m = j->source[j->order[k]].n_words + 2;
        if (tokens && tokens + m > j->t->batch_tokens) {
            j->batch[++j->n_batches] = k;
            tokens = 0;
        }
        tokens += m;
    }
    if (tokens) j->batch[++j->n_batches] = n;
}

Status translator_run(Translator *translator, const StrView *lines, int n, Translation *out, Error *error)
{
    Job j = { .t = translator, .lines = lines, .out = out };
    Arena a;
    arena_init(&a, (size_t)1 << 14);
    j.source = mem_calloc((size_t)n, sizeof *j.source);
    j.order = mem_calloc((size_t)n, sizeof *j.order);
    j.batch = mem_calloc((size_t)n + 1, sizeof *j.batch);
    Status s = j.source && j.order && j.batch ? make_sources(&j, n, &a, error)
                                              : error_set(error, ERR_NOMEM, "out of memory for %d lines", n);
    int ordered = s == OK ? order_sources(&j, n) : 0;
    if (s == OK) s = parse_sources(&j, ordered, &a, error);
    if (s == OK) {
        make_batches(&j, ordered);
        for (int k = 0; k < translator->team.n; k++) arena_reset(&translator->memory[k].results);
        s = worker_team_run(&translator->team, j.n_batches, work, &j, error);
    }
    mem_free(j.source);
    mem_free(j.order);
    mem_free(j.batch);
    arena_fini(&a);
    return s;
}

/* ---- pairs */

static StrView view(const char *text) { return (StrView){ text, strlen(text) }; }

Status translator_bleu(Translator *translator, const Treebank *pairs, BleuCounts *sum, BleuCounts *each, Error *error)
{
    size_t n = (size_t)pairs->n;
    StrView *lines = mem_calloc(n, sizeof *lines);
    Translation *out = mem_calloc(n, sizeof *out);
    Status s = lines && out ? OK : error_set(error, ERR_NOMEM, "out of memory for %d lines", pairs->n);
    for (int k = 0; k < pairs->n && s == OK; k++) lines[k] = view(pairs->s[k].words[0]);
    if (s == OK) s = translator_run(translator, lines, pairs->n, out, error);
    for (int k = 0; k < pairs->n && s == OK; k++) {
        const StrView gold = view(pairs->s[k].target);
        s = bleu_count(view(out[k].text), &gold, 1, sum, error);
        if (s == OK && each) s = bleu_count(view(out[k].text), &gold, 1, &each[k], error);
    }
    mem_free(lines);
    mem_free(out);
    return s;
}

/* The network on a pair; pass: on its gold translation. The worker still has the forward pass. */
static Status pass_over(Worker *w, const Sentence *pair, TranslatePass *pass, Error *e)
{
    Sentence source;
    const int *labels = NULL;
    worker_begin(w, false, false, 0);
    Status s = pair_data_pack(w, pair, &source, &labels, e);
    if (s == OK) s = worker_forward(w, NULL, e);
    if (s == OK && !translate_pass(&w->forward, &w->m->net, &w->net, &labels, NULL, pass)) s = worker_status(w, e);
    return s;
}

static Status compare_pair(Translator t[2], const Sentence *pair, ModelDifference *d, Error *e)
{
    const StrView line = view(pair->words[0]);
    Worker *const w[2] = { t[0].team.worker, t[1].team.worker };
    Tape *const tapes[2] = { &w[0]->tape, &w[1]->tape };
    Translation out[2];
    TranslatePass pass[2];
    Status s = OK;
    for (int k = 0; k < 2 && s == OK; k++) s = translator_run(&t[k], &line, 1, &out[k], e);
    for (int k = 0; k < 2 && s == OK; k++) s = pass_over(w[k], pair, &pass[k], e);
    if (s != OK) return s;
    const Tensor *const of[][2] = { { w[0]->net.encoder.word, w[1]->net.encoder.word },
                                    { pass[0].scores, pass[1].scores } };
    for (int i = 0; i < 2 && s == OK; i++) s = model_difference_note(d, tapes, of[i], &w[0]->scratch, e);
    d->decided_otherwise += strcmp(out[0].text, out[1].text) != 0;
    d->sentences++;
    return s;
}

Status translator_difference(const Model *a, const Model *b, const Treebank *pairs, int n, ModelDifference *out,
                             Error *error)
{
    Translator t[2] = { { 0 }, { 0 } };
    *out = (ModelDifference){ 0 };
    Status s = translator_init(&t[0], a, device_default(), 1, TRANSLATE_DEFAULT, error);
    if (s == OK) s = translator_init(&t[1], b, device_default(), 1, TRANSLATE_DEFAULT, error);
    for (int k = 0; k < n && s == OK; k++) s = compare_pair(t, &pairs->s[k], out, error);
    for (int k = 0; k < 2; k++) translator_fini(&t[k]);
    return s;
}
