/* Both models parse a sentence alone, and the tensors of both passes are compared,
 * then the trees. */
#include "parser/parse/parse_difference.h"

#include <math.h>
#include <string.h>

#include "parser/parse/long_sentence.h"
#include "parser/parse/parse_network.h"

static bool same_heads(const Parsed *a, const Parsed *b)
{
    return !a->heads == !b->heads &&
           (!a->heads || memcmp(a->heads, b->heads, (size_t)a->n_words * sizeof *a->heads) == 0);
}

static bool same_parse(const Parsed *a, const Parsed *b)
{
    if (a->n_phrases != b->n_phrases || !same_heads(a, b)) return false;
    for (int k = 0; k < a->n_phrases; k++) {
        const Phrase *x = &a->phrases[k], *y = &b->phrases[k];
        if (x->begin != y->begin || x->end != y->end || strcmp(x->label, y->label) != 0) return false;
    }
    for (int w = 0; a->heads && w < a->n_words; w++)
        if (strcmp(a->types[w], b->types[w]) != 0) return false;
    return true;
}

/* Two trees of equal score: rounding chooses between them, not the model. */
static bool tied(const Parsed *a, const Parsed *b)
{
    return fabs(a->score - b->score) <= MODEL_ROUNDING * (1 + fabs(a->score));
}

enum { COMPARED = 5 };

/* What is compared: vectors before the label heads, final ones if label heads were not pruned, and what the scores are
 * made from. Types are scored for the heads of the tree: they compare only where both trees have the same. */
static void compared(const Worker *w, bool words, bool types, const Tensor *out[COMPARED])
{
    const NetworkOutput *net = &w->net;
    out[0] = net->encoder.contextual;
    out[1] = words ? net->encoder.word : NULL;
    out[2] = parse_scores(net)->g;
    out[3] = parse_scores(net)->arc.arcs;
    out[4] = types ? w->types : NULL;
}

/* One sentence by both workers. */
static Status compare_one(Worker w[2], const ParseInput *in, Arena *a, ModelDifference *d, Error *e)
{
    Parsed parsed[2];
    const Tensor *of[2][COMPARED];
    bool words = model_difference_words(&w[0].m->net.encoder, &w[1].m->net.encoder);
    for (int k = 0; k < 2; k++) {
        const ParseOptions o = parse_defaults(w[k].m);
        Status s = long_sentence_parse(&w[k], in, &o, a, &parsed[k], e);
        if (s != OK) return s;
    }
    bool types = same_heads(&parsed[0], &parsed[1]), same = same_parse(&parsed[0], &parsed[1]);
    for (int k = 0; k < 2; k++) compared(&w[k], words, types, of[k]);
    Status s = OK;
    Tape *const tapes[2] = { &w[0].tape, &w[1].tape };
    for (int i = 0; i < COMPARED && in->n_words && parsed[0].pieces == 1 && s == OK; i++)
        s = model_difference_note(d, tapes, (const Tensor *const[2]){ of[0][i], of[1][i] }, a, e);
    d->decided_otherwise += !same && !tied(&parsed[0], &parsed[1]);
    d->sentences++;
    return s;
}

Status parse_difference(const Model *a, const Model *b, const ParseInput *in, int n, ModelDifference *out, Error *e)
{
    Worker w[2];
    Arena arena;
    Status s = OK;
    *out = (ModelDifference){ 0 };
    arena_init(&arena, (size_t)1 << 16);
    worker_init(&w[0], a, device_default());
    worker_init(&w[1], b, device_default());
    for (int k = 0; k < n && s == OK; k++) {
        arena_reset(&arena);
        s = compare_one(w, &in[k], &arena, out, e);
    }
    for (int k = 0; k < 2; k++) worker_fini(&w[k]);
    arena_fini(&arena);
    return s;
}

Status parse_difference_on(ParseDifference *differ, const Model *a, const Model *b, const Treebank *sentences, int most,
                           ModelDifference *out, Error *error)
{
    int n = sentences->n < most ? sentences->n : most;
    ParseInput *in = batch_inputs(sentences, n, encoder_options_oracle(&a->options));
    if (!in) return error_set(error, ERR_NOMEM, "out of memory comparing models");
    Status s = differ(a, b, in, n, out, error);
    mem_free(in);
    return s;
}
