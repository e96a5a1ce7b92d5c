/* Live outputs of all sentences are one batch of one token each; two tapes
 * alternate, since a step reads the keys and values of the step before. */
#include "parser/task/translate/search.h"

#include <string.h>

#include "lal/decoder.h"
#include "parser/task/translate/translate_pass.h"

void search_memory_init(SearchMemory *memory, const Device *device)
{
    for (int i = 0; i < 2; i++) tape_init(&memory->step[i], device);
    arena_init(&memory->host, (size_t)1 << 12);
}

void search_memory_fini(SearchMemory *memory)
{
    for (int i = 0; i < 2; i++) tape_fini(&memory->step[i]);
    arena_fini(&memory->host);
}

typedef struct Search {
    SearchMemory *memory;
    const Network *net;
    const ParamSet *params;
    DecoderSource source;
    DecoderCache cache[2]; /* after the steps with even and odd numbers */
    Beam *beam;            /* [n] */
    int n, *row;           /* [n + 1] the first live output of each in the last step */
} Search;

/* What is asked in a step: the last piece of each live output, and which outputs of the step before they continue. */
typedef struct Step {
    Batch live; /* a token for each live output, a sentence for each source */
    int *piece, *position, *parent;
    const int **written; /* DecoderControl.written, where masks read it; else NULL */
} Step;

static int live_outputs(const Beam *b) { return b->done ? 0 : b->n_live; }

/* The number of pieces of a live output, then the pieces; NULL: out of memory. */
static const int *written_of(Tape *t, const Beam *b, int k, int length)
{
    int *list = tape_host(t, (size_t)length + 1, sizeof *list);
    if (list) list[0] = beam_pieces(b, &b->live[k], list + 1);
    return list;
}

static bool make_step(const Search *s, Tape *t, int length, Step *out)
{
    int rows = 0, longest = 0, *start = tape_host(t, (size_t)s->n + 1, sizeof *start);
    for (int k = 0; k < s->n; k++) {
        int live = live_outputs(&s->beam[k]);
        rows += live;
        if (live > longest) longest = live;
    }
    out->piece = tape_host(t, (size_t)rows, sizeof *out->piece);
    out->position = tape_host(t, (size_t)rows, sizeof *out->position);
    out->parent = tape_host(t, (size_t)rows, sizeof *out->parent);
    bool masks = network_decoder(s->net)->plan[DECODER_SELF].n_slots > 0;
    out->written = masks ? tape_host(t, (size_t)rows, sizeof *out->written) : NULL;
    if (!start || !out->piece || !out->position || !out->parent || (masks && !out->written)) return false;
    rows = 0;
    for (int k = 0; k < s->n; k++) {
        start[k] = rows;
        for (int i = 0; i < live_outputs(&s->beam[k]); i++, rows++) {
            out->piece[rows] = beam_last(&s->beam[k], i);
            out->position[rows] = length;
            out->parent[rows] = s->row[k] + s->beam[k].parent[i];
            if (masks && !(out->written[rows] = written_of(t, &s->beam[k], i, length))) return false;
        }
    }
    start[s->n] = rows;
    out->live = (Batch){ .n_sent = s->n, .start = start, .n_tokens = rows, .longest = longest };
    return true;
}

/* Scores of the next piece of the live outputs, [outputs, pieces]; NULL with the tape's error. */
static Tensor *score_step(Search *s, Tape *t, const Step *step, int length)
{
    const Forward f = { .t = t, .params = s->params, .batch = &step->live, .brief = true };
    Tensor *y = token_embedding_plain(&f, &s->net->embedding, step->piece, step->position, step->live.n_tokens);
    y = decoder_step(&f, network_decoder(s->net), y, &s->source, step->parent, step->written,
                     &s->cache[(length + 1) % 2], &s->cache[length % 2]);
    return op_row_products(t, y, translate_table(&f, s->net));
}

/* One more piece for all searches that are not done; *going: one still is not. */
static Status advance(Search *s, int length, bool *going, Error *e)
{
    Tape *t = &s->memory->step[length % 2];
    Step step;
    *going = false;
    tape_reset(t, false, false, 0);
    arena_reset(&s->memory->host);
    bool made = make_step(s, t, length, &step);
    if (made && step.live.n_tokens == 0) return OK;
    Tensor *y = made ? score_step(s, t, &step, length) : NULL;
    HostMatrix scores = { 0 };
    if (y) scores = tensor_host(t, y, &s->memory->host);
    if (tape_status(t) != OK) {
        *e = t->error;
        return e->code;
    }
    memcpy(s->row, step.live.start, ((size_t)s->n + 1) * sizeof *s->row);
    Status status = OK;
    for (int k = 0; k < s->n && status == OK; k++) {
        if (s->beam[k].done) continue;
        status = beam_advance(&s->beam[k], host_row(&scores, s->row[k]), scores.ld, scores.cols, e);
        *going = *going || !s->beam[k].done;
    }
    return status;
}

Status search_run(SearchMemory *memory, const Forward *forward, const Network *net, const NetworkOutput *out,
                  Beam *beam, Arena *scratch, Error *error)
{
    int n = forward->batch->n_sent;
    Search s = { .memory = memory, .net = net, .params = forward->params, .beam = beam, .n = n };
    s.row = arena_calloc(scratch, (size_t)n + 1, sizeof *s.row);
    if (!s.row) return error_set(error, ERR_NOMEM, "out of memory for beam search");
    if (!decoder_source(forward, network_decoder(net), out->encoder.word, forward->batch, out->source_keys,
                        &s.source)) {
        *error = forward->t->error;
        return error->code;
    }
    Status status = OK;
    bool going = true;
    for (int length = 0; going && status == OK; length++) status = advance(&s, length, &going, error);
    for (int k = 0; k < n && status == OK; k++) beam_sort(&beam[k]);
    return status;
}
