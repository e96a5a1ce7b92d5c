/* Phrases and arcs that only one of the two parses has are explained one by one, and added up with
 * their signs. */
#include "explain/rival.h"

#include <string.h>

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory inspecting"); }

static bool has_phrase(const Parsed *p, const Phrase *x)
{
    for (int k = 0; k < p->n_phrases; k++)
        if (p->phrases[k].begin == x->begin && p->phrases[k].end == x->end &&
            strcmp(p->phrases[k].label, x->label) == 0)
            return true;
    return false;
}

/* The phrases of p that the other parse lacks. A label that is given and unknown to the model is in both. */
static void add_phrases(const Model *m, const Parsed *p, const Parsed *other, bool second, Rival *r)
{
    for (int k = 0; k < p->n_phrases; k++) {
        if (has_phrase(other, &p->phrases[k])) continue;
        r->x[r->n++] = (RivalChange){ { EXPLAIN_SPAN, model_span(m, &p->phrases[k]), LABEL_NONE }, second, 0 };
    }
}

static void add_arcs(const Parsed *p, const Parsed *other, Rival *r)
{
    for (int w = 0; w < p->n_words; w++) {
        if (p->heads[w] == other->heads[w]) continue;
        for (int second = 0; second < 2; second++) {
            const Span at = { w + 1, second ? other->heads[w] : p->heads[w], LABEL_NONE };
            r->x[r->n++] = (RivalChange){ { EXPLAIN_ARC, at, LABEL_NONE }, second, 0 };
        }
    }
}

/* Adds a change to the parts of the margin. */
static Status add_parts(Worker *w, RivalChange *x, HeadAttribution *margin, Error *e)
{
    ArenaMark mark = arena_mark(&w->scratch);
    HeadAttribution a;
    double lambda = (double)w->m->c.lambda, weight = x->d.kind == EXPLAIN_SPAN ? lambda : 1 - lambda;
    Status s = explain_decision(w, &x->d, false, &w->scratch, &a, NULL, e);
    if (s == OK) {
        x->score = a.score;
        margin->tokens = a.tokens;
        margin->row = a.row;
        for (int h = 0; h < a.heads; h++) {
            double part = weight * (x->second ? -a.head[h] : a.head[h]);
            margin->head[h] += part;
            margin->bias -= part;
        }
        double rest = weight * (x->second ? -a.rest : a.rest);
        margin->rest += rest;
        margin->bias -= rest;
    }
    arena_rewind(&w->scratch, mark);
    return s;
}

Status rival_explain(Worker *worker, const Parsed *parsed, Arena *arena, Rival **out, Error *error)
{
    *out = NULL;
    if (parsed->n_best < 2) return OK;
    const Parsed *second = &parsed->best[1];
    Rival *r = arena_calloc(arena, 1, sizeof *r);
    size_t most = (size_t)(parsed->n_phrases + second->n_phrases) + 2 * (size_t)parsed->n_words;
    int heads = worker->m->net.encoder.c.lal.heads;
    if (!r || !(r->x = arena_alloc(arena, most, sizeof *r->x))) return no_memory(error);
    r->p = second;
    r->grammar = parsed->grammar - second->grammar;
    double rest = parsed->score - second->score - r->grammar;
    r->margin = (HeadAttribution){
        .heads = heads, .score = rest, .bias = rest, .head = arena_calloc(arena, (size_t)heads, sizeof(double))
    };
    if (!r->margin.head) return no_memory(error);
    add_phrases(worker->m, parsed, second, false, r);
    add_phrases(worker->m, second, parsed, true, r);
    add_arcs(parsed, second, r);
    Status s = OK;
    for (int k = 0; k < r->n && s == OK; k++) s = add_parts(worker, &r->x[k], &r->margin, error);
    if (s == OK) *out = r;
    return s;
}
