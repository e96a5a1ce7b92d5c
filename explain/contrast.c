/* What only one of two parses has is explained one by one, and added up with its sign. */
#include "explain/contrast.h"

#include <math.h>
#include <string.h>

#include "parser/parse/given.h"

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory inspecting"); }

/* ---- what differs */

static bool has_phrase(const Parsed *p, const Phrase *x)
{
    for (int k = 0; k < p->n_phrases; k++)
        if (p->phrases[k].begin == x->begin && p->phrases[k].end == x->end &&
            strcmp(p->phrases[k].label, x->label) == 0)
            return true;
    return false;
}

static bool has_group(const Parsed *p, const Span *x)
{
    for (int k = 0; k < p->n_groups; k++)
        if (p->groups[k].begin == x->begin && p->groups[k].end == x->end) return true;
    return false;
}

/* The phrases and groups of p that the other parse lacks. A label that is given and unknown to the model is in both. */
static void add_spans(const Model *m, const Parsed *p, const Parsed *other, bool second, Contrast *to)
{
    for (int k = 0; k < p->n_phrases; k++)
        if (!has_phrase(other, &p->phrases[k]))
            to->x[to->n++] = (ContrastChange){ { EXPLAIN_SPAN, model_span(m, &p->phrases[k]), LABEL_NONE }, second, 0 };
    for (int k = 0; k < p->n_groups; k++)
        if (!has_group(other, &p->groups[k]))
            to->x[to->n++] = (ContrastChange){ { EXPLAIN_SPAN, p->groups[k], LABEL_NONE }, second, 0 };
}

static void add_arcs(const Parsed *p, const Parsed *other, Contrast *to)
{
    for (int w = 0; w < p->n_words && p->heads; w++) {
        if (p->heads[w] == other->heads[w]) continue;
        for (int second = 0; second < 2; second++) {
            const Span at = { w + 1, second ? other->heads[w] : p->heads[w], LABEL_NONE };
            to->x[to->n++] = (ContrastChange){ { EXPLAIN_ARC, at, LABEL_NONE }, second, 0 };
        }
    }
}

/* ---- its parts */

/* Adds a change, explained as a, to the parts of the difference. */
static void add_parts(const Model *m, const ContrastChange *x, const HeadAttribution *a, Contrast *to)
{
    double lambda = !m->c.arcs ? 1 : !m->c.trees ? 0 : (double)m->c.lambda;
    double weight = (x->second ? -1 : 1) * (x->d.kind == EXPLAIN_SPAN ? lambda : 1 - lambda);
    HeadAttribution *sum = &to->margin;
    *(x->d.kind == EXPLAIN_ARC       ? &to->arcs
      : x->d.at.label == CHART_GROUP ? &to->groups
                                     : &to->phrases) += weight * x->score;
    sum->score += weight * a->score;
    sum->rest += weight * a->rest;
    sum->bias += weight * a->bias;
    for (int h = 0; h < a->heads; h++) {
        sum->head[h] += weight * a->head[h];
        for (int t = 0; t < a->tokens && to->by_word; t++)
            to->by_word[t] += weight * a->word[(ptrdiff_t)h * a->tokens + t];
    }
}

static Status explain_change(Worker *w, ContrastChange *x, Contrast *to, Error *e)
{
    ArenaMark mark = arena_mark(&w->scratch);
    HeadAttribution a;
    Status status = explain_decision(w, &x->d, to->by_word != NULL, &w->scratch, &a, NULL, e);
    if (status == OK) {
        x->score = a.score;
        add_parts(w->m, x, &a, to);
    }
    arena_rewind(&w->scratch, mark);
    return status;
}

Status contrast_explain(Worker *worker, const Parsed *parsed, const Parsed *other, bool words, Arena *arena,
                        Contrast *contrast, Error *error)
{
    const Encoder *enc = &worker->m->net.encoder;
    size_t heads = (size_t)enc->c.lal.heads, tokens = (size_t)parsed->n_words + 2,
           most = (size_t)(parsed->n_phrases + parsed->n_groups + other->n_phrases + other->n_groups) + 2 * tokens;
    *contrast = (Contrast){ .p = other,
                            .x = arena_alloc(arena, most, sizeof *contrast->x),
                            .difference = parsed->score - other->score,
                            .grammar = parsed->grammar - other->grammar,
                            .margin = { .heads = enc->c.lal.heads,
                                        .tokens = (int)tokens,
                                        .row = enc->label_row,
                                        .head = arena_calloc(arena, heads, sizeof(double)) },
                            .by_word = words ? arena_calloc(arena, tokens, sizeof(double)) : NULL };
    if (!contrast->x || !contrast->margin.head || (words && !contrast->by_word)) return no_memory(error);
    add_spans(worker->m, parsed, other, false, contrast);
    add_spans(worker->m, other, parsed, true, contrast);
    add_arcs(parsed, other, contrast);
    Status status = OK;
    for (int k = 0; k < contrast->n && status == OK; k++)
        status = explain_change(worker, &contrast->x[k], contrast, error);
    return status;
}

double contrast_error(const Contrast *contrast)
{
    double sum = contrast->margin.rest + contrast->margin.bias + contrast->grammar - contrast->difference;
    for (int h = 0; h < contrast->margin.heads; h++) sum += contrast->margin.head[h];
    return fabs(sum) / fmax(1, fabs(contrast->difference));
}

/* ---- the other parse */

bool contrast_takes_apart(const Span *span, int n_words)
{
    return span->end - span->begin > 1 && span->end - span->begin < n_words;
}

static bool has_decision(const Parsed *p, const Decision *d, const char *label)
{
    if (d->kind == EXPLAIN_ARC) return p->heads[d->at.begin - 1] == d->at.end;
    return has_phrase(p, &(Phrase){ d->at.begin, d->at.end, label });
}

static bool comes_before(const Phrase *a, const Phrase *b)
{
    return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
}

/* Adds to what is given, which lies in `out`, that there is the phrase, and no other over its words. */
static bool give_phrase(Given *g, Phrase x, Arena *out)
{
    Phrase *phrases = arena_alloc(out, (size_t)g->n_phrases + 1, sizeof *phrases);
    int n = 0, own = g->has_phrases ? g->n_phrases : 0, k = 0;
    if (!phrases) return false;
    for (; k < own && comes_before(&g->phrases[k], &x); k++) phrases[n++] = g->phrases[k];
    phrases[n++] = x;
    for (; k < own; k++)
        if (comes_before(&x, &g->phrases[k])) phrases[n++] = g->phrases[k];
    g->more_phrases = !g->has_phrases || g->more_phrases;
    g->has_phrases = true;
    g->phrases = phrases;
    g->n_phrases = n;
    return true;
}

static bool give_arc(Given *g, int n_words, int word, int head, Arena *out)
{
    int *heads = arena_alloc(out, (size_t)n_words, sizeof *heads);
    for (int w = 0; w < n_words && heads; w++) heads[w] = w + 1 == word ? head : g->heads ? g->heads[w] : HEAD_FREE;
    g->heads = heads;
    return heads != NULL;
}

static bool add_ban(Given *g, Ban x, Arena *out)
{
    Ban *bans = arena_alloc(out, (size_t)g->n_bans + 1, sizeof *bans);
    if (!bans) return false;
    for (int k = 0; k < g->n_bans; k++) bans[k] = g->bans[k];
    bans[g->n_bans++] = x;
    g->bans = bans;
    return true;
}

Status contrast_parse(Worker *worker, const ParseInput *in, const ParseOptions *options, const Decision *decision,
                      bool with, int freed, Arena *out, Parsed *parsed, bool *found, Error *error)
{
    const Span *at = &decision->at;
    bool arc = decision->kind == EXPLAIN_ARC, good;
    const char *label = arc ? NULL : decision_label(worker->m, EXPLAIN_SPAN, at->label);
    Given *given = arena_alloc(out, 1, sizeof *given);
    if (!given) return no_memory(error);
    *given = in->given ? *in->given : (Given){ 0 };
    bool apart = !arc && contrast_takes_apart(at, in->n_words);
    if (!with) good = add_ban(given, (Ban){ arc, at->begin, at->end, apart ? GIVEN_ANY : label }, out);
    else if (arc) good = give_arc(given, in->n_words, at->begin, at->end, out);
    else good = give_phrase(given, (Phrase){ at->begin, at->end, label }, out);
    if (!good) return no_memory(error);
    ParseInput again = *in;
    again.given = given;
    Status status = explain_parse_again(worker, &again, options, out, parsed, error);
    *found = status == OK && parsed->n_freed <= freed && has_decision(parsed, decision, label) == with;
    return status;
}
