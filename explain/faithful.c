/* Decisions are read from the forward pass with their rankings; then orders of heads are tried on their margins, which
 * know nothing of it. */
#include "explain/faithful.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "eval/score.h"

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory measuring heads"); }

Status faithful_init(Faithful *faithful, const Model *model, Error *error)
{
    const Encoder *enc = &model->net.encoder;
    const LayerId layer = layer_label(enc->c.n_layers);
    *faithful = (Faithful){ 0 };
    Status s = head_sets_init(&faithful->sets, model, error);
    if (s != OK) return s;
    size_t heads = (size_t)faithful->sets.heads;
    for (int k = 1; faithful->steps < FAITHFUL_STEPS && k < faithful->sets.heads; k *= 2)
        faithful->step[faithful->steps++] = k;
    if (faithful->steps == FAITHFUL_STEPS) faithful->steps--;
    faithful->step[faithful->steps++] = faithful->sets.heads;
    for (int kind = 0; kind < FAITHFUL_PARSE; kind++) {
        faithful->mean[kind] = mem_calloc(heads, sizeof **faithful->mean);
        faithful->other[kind] = mem_alloc((size_t)faithful->sets.places[kind], sizeof **faithful->other);
        if (!faithful->mean[kind] || !faithful->other[kind]) return no_memory(error);
    }
    if (!enc->gated[layer]) return OK;
    faithful->gates = mem_alloc(heads, sizeof *faithful->gates);
    return faithful->gates ? head_gate_values(&enc->gate[layer], &model->ps, faithful->gates, error) : no_memory(error);
}

void faithful_fini(Faithful *faithful)
{
    head_sets_fini(&faithful->sets);
    for (int kind = 0; kind < FAITHFUL_PARSE; kind++) mem_free_each(faithful->mean[kind], faithful->other[kind]);
    mem_free_each(faithful->gates, faithful->sums);
    *faithful = (Faithful){ 0 };
}

const char *faithful_ranking_name(const Faithful *faithful, FaithfulRanking ranking)
{
    static const char *const names[RANKINGS] = { "exact", "paper", "attention", "relevance", "gates", "random" };
    return ranking == RANK_GATES && !faithful->gates ? "mean" : names[ranking];
}

/* ---- reading */

/* Sets a to the contributions of all heads, numbered as before pruning, to the margin of decision d, and *standing
 * to how d stands among its alternatives. */
static Status contributions(Worker *w, Decision d, Arena *arena, HeadAttribution *a, Standing *standing, Error *e)
{
    Status s = explain_decision(w, &d, false, arena, a, standing, e);
    if (s != OK || standing->rival_score == -INFINITY) return s;
    if (d.kind == EXPLAIN_ARC) {
        HeadAttribution other;
        d.at.end = standing->rival;
        s = explain_decision(w, &d, false, arena, &other, NULL, e);
        for (int h = 0; s == OK && h < a->heads; h++) a->head[h] -= other.head[h];
    } else if (standing->rival != RIVAL_NONE) {
        d.against = standing->rival;
        s = explain_decision(w, &d, false, arena, a, NULL, e);
    }
    return s;
}

/* Adds a decision, unless it has no rival. */
static Status read_decision(const Faithful *f, Worker *w, Decision d, Arena *arena, FaithfulSentence *s, Error *e)
{
    const int heads = f->sets.heads;
    HeadAttribution a;
    Standing standing;
    Status status = contributions(w, d, &w->scratch, &a, &standing, e);
    double *share = status == OK ? arena_alloc(&w->scratch, (size_t)a.heads, sizeof *share) : NULL;
    if (!share) return status != OK ? status : no_memory(e);
    if (standing.rival_score == -INFINITY) return OK;
    int begin = d.at.begin < d.at.end ? d.at.begin : d.at.end, end = d.at.begin + d.at.end - begin;
    FaithfulDecision *x = &s->x[s->n++];
    *x = (FaithfulDecision){ .c = { d, standing.rival } };
    x->places = margin_places(&f->sets, w, &x->c, arena, e);
    status = x->places ? explain_paper_share(w, begin, end, share, e) : e->code;
    for (int r = 0; r < RANK_RELEVANCE; r++) {
        x->score[r] = arena_alloc(arena, (size_t)heads, sizeof **x->score);
        if (!x->score[r]) return no_memory(e);
    }
    if (d.kind != EXPLAIN_SPAN) begin--; /* words from 1, the root 0 */
    for (int k = 0; k < heads; k++) {
        int h = f->sets.number[k];
        x->score[RANK_EXACT][k] = a.head[h];
        x->score[RANK_PAPER][k] = share[h];
        x->score[RANK_ATTENTION][k] = explain_focus(w, h, begin, end).inside;
    }
    return status;
}

Status faithful_read(const Faithful *faithful, Worker *worker, const Parsed *parsed, Arena *arena,
                     FaithfulSentence *sentence, Error *error)
{
    Status status = OK;
    size_t most = (size_t)parsed->n_phrases + 2 * (size_t)parsed->n_words;
    sentence->x = arena_alloc(arena, most, sizeof *sentence->x);
    if (!sentence->x) return no_memory(error);
    if (parsed->n_words == 0 || parsed->pieces > 1) return OK;
    for (int kind = 0; kind < FAITHFUL_PARSE && status == OK; kind++) {
        Decision *d;
        int n = 0;
        if (faithful->kinds[kind])
            status = explain_decisions(worker->m, parsed, (ExplainKind)kind, arena, &d, &n, error);
        for (int k = 0; k < n && status == OK; k++) {
            ArenaMark mark = arena_mark(&worker->scratch);
            status = read_decision(faithful, worker, d[k], arena, sentence, error);
            arena_rewind(&worker->scratch, mark);
        }
    }
    return status;
}

/* ---- what came before */

/* Draws one of the sentence's decisions of a kind, with the sentence number as the seed. Returns its index, or -1 if
 * the sentence has none. */
static int draw(const FaithfulSentence *s, ExplainKind kind)
{
    const uint64_t key = rng_key(1, s->number, kind, 0);
    int n = 0, found = -1;
    for (int k = 0; k < s->n; k++) {
        if (s->x[k].c.d.kind != kind) continue;
        n++;
        if (rng_bits32(key, (uint32_t)n) % (uint32_t)n == 0) found = k;
    }
    return found;
}

Status faithful_link(Faithful *faithful, FaithfulSentence *sentence, Arena *arena, Error *error)
{
    const size_t heads = (size_t)faithful->sets.heads;
    for (int kind = 0; kind < FAITHFUL_PARSE; kind++) {
        size_t places = (size_t)faithful->sets.places[kind];
        double *mean = arena_alloc(arena, heads, sizeof *mean);
        Real *other = arena_alloc(arena, places, sizeof *other);
        if (!mean || !other) return no_memory(error);
        sentence->mean[kind] = memcpy(mean, faithful->mean[kind], heads * sizeof *mean);
        sentence->other[kind] =
            faithful->has_other[kind] ? memcpy(other, faithful->other[kind], places * sizeof *other) : NULL;
        int drawn = draw(sentence, (ExplainKind)kind);
        if (drawn < 0) continue;
        memcpy(faithful->other[kind], sentence->x[drawn].places, places * sizeof *other);
        faithful->has_other[kind] = true;
    }
    for (int k = 0; k < sentence->n; k++)
        for (int h = 0; h < faithful->sets.heads; h++)
            faithful->mean[sentence->x[k].c.d.kind][h] += sentence->x[k].score[RANK_EXACT][h];
    return OK;
}

/* ---- orders of heads */

typedef struct Ranked {
    double score;
    int head;
} Ranked;

static int falling(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score) - (x->score > y->score) : x->head - y->head;
}

/* order [n] = the heads by falling score; scratch [n] */
static void sort_heads(const double *score, int n, Ranked *scratch, int *order)
{
    for (int h = 0; h < n; h++) scratch[h] = (Ranked){ score[h], h };
    qsort(scratch, (size_t)n, sizeof *scratch, falling);
    for (int h = 0; h < n; h++) order[h] = scratch[h].head;
}

/* What a decision is measured with. */
typedef struct Trial {
    Margin m;
    double margin;
    Real *whole, *x, *y; /* [m.n] the sum of all heads; two more sums */
    double *curve[3];    /* [heads + 1] without the first K heads, with them alone, with what they have elsewhere */
    int *order[RANKINGS + 1]; /* the last one is scratch */
    double *score;
    Ranked *ranked; /* [heads], as the two before */
} Trial;

static bool trial_init(Trial *t, int heads, Arena *arena)
{
    size_t n = (size_t)heads, size = (size_t)t->m.n;
    bool ok = true;
    t->whole = arena_alloc(arena, 3 * size, sizeof *t->whole);
    t->x = t->whole ? t->whole + size : NULL;
    t->y = t->whole ? t->x + size : NULL;
    t->score = arena_alloc(arena, n, sizeof *t->score);
    t->ranked = arena_alloc(arena, n, sizeof *t->ranked);
    for (int k = 0; k < 3; k++) ok = (t->curve[k] = arena_alloc(arena, n + 1, sizeof **t->curve)) && ok;
    for (int r = 0; r <= RANKINGS; r++) ok = (t->order[r] = arena_alloc(arena, n, sizeof **t->order)) && ok;
    return ok && t->whole && t->score && t->ranked;
}

static const Real *head_of(const Margin *m, const Real *head, int h) { return head + (ptrdiff_t)h * m->n; }

/* Fills curve [heads + 1]. curve[K] is the decision's margin minus the margin of a changed sum: `from` with the first K
 * heads of the order added (sign 1) or removed (sign -1). Unless `other` is NULL, the outputs of these heads in `other`
 * are added as well. */
static void try_order(Trial *t, const Real *from, const int *order, Real sign, const Real *other, double *curve)
{
    const Margin *m = &t->m;
    memcpy(t->x, from, (size_t)m->n * sizeof *t->x);
    for (int k = 0;; k++) {
        curve[k] = t->margin - margin_value(m, t->x);
        if (k == m->heads) return;
        margin_add(m, head_of(m, m->head, order[k]), sign, t->x);
        if (other) margin_add(m, head_of(m, other, order[k]), 1, t->x);
    }
}

/* AOPC: the mean over K = 1 .. heads. */
static double mean_of(const double *curve, int heads)
{
    double sum = 0;
    for (int k = 1; k <= heads; k++) sum += curve[k];
    return sum / heads;
}

/* AOPC of a greedy order, found from its first head on or, adding heads to none, from its last one: next comes the head
 * with which the margin is lowest then, or (lowest false) highest. */
static double greedy(Trial *t, bool adding, bool lowest)
{
    const Margin *m = &t->m;
    const Real by = adding ? 1 : -1;
    int *left = t->order[RANKINGS];
    double sum = adding ? t->margin - margin_value(m, m->rest) : 0;
    memcpy(t->x, adding ? m->rest : t->whole, (size_t)m->n * sizeof *t->x);
    for (int h = 0; h < m->heads; h++) left[h] = h;
    for (int n = m->heads; n > adding; n--) {
        int best = -1;
        double found = 0;
        for (int i = 0; i < n; i++) {
            memcpy(t->y, t->x, (size_t)m->n * sizeof *t->y);
            margin_add(m, head_of(m, m->head, left[i]), by, t->y);
            double margin = margin_value(m, t->y);
            if (best >= 0 && !(lowest ? margin < found : margin > found)) continue;
            best = i;
            found = margin;
        }
        margin_add(m, head_of(m, m->head, left[best]), by, t->x);
        sum += t->margin - found;
        left[best] = left[n - 1];
    }
    return sum / m->heads;
}

static bool rank(const Faithful *f, const FaithfulSentence *s, int at, Arena *arena, Trial *t)
{
    const FaithfulDecision *x = &s->x[at];
    const int heads = f->sets.heads;
    const double *mean = f->gates ? f->gates : s->mean[x->c.d.kind];
    if (!margin_relevance(&t->m, arena, t->score)) return false;
    for (int r = 0; r < RANK_RANDOM; r++)
        sort_heads(r < RANK_RELEVANCE    ? x->score[r]
                   : r == RANK_RELEVANCE ? t->score
                                         : mean,
                   heads, t->ranked, t->order[r]);
    rng_permutation(rng_key(2, s->number, (uint64_t)at, 0), t->order[RANK_RANDOM], heads);
    return true;
}

/* ---- measures */

static void add_to(const Faithful *f, FaithfulSentence *s, int kind, int ranking, int measure, int step, double value,
                   double n)
{
    FaithfulRatio *to = &s->sums[faithful_cell(f, kind, ranking, measure, step)];
    to->sum += (float)value;
    to->n += (float)n;
}

/* Adds the values of the curves of a ranking; exchanged: there is the third one. */
static void add_curves(const Faithful *f, FaithfulSentence *s, int kind, int ranking, const Trial *t, bool exchanged)
{
    for (int step = 0; step < f->steps; step++) {
        const int k = f->step[step];
        for (int c = 0; c < 2 + exchanged; c++) {
            static const int measures[3] = { FAITHFUL_COMPREHENSIVENESS, FAITHFUL_SUFFICIENCY, FAITHFUL_EXCHANGE };
            add_to(f, s, kind, ranking, measures[c], step, t->curve[c][k], 1);
        }
        if (t->margin < 0) continue;
        add_to(f, s, kind, ranking, FAITHFUL_FLIPS, step, t->curve[0][k] > t->margin, 1);
        if (exchanged) add_to(f, s, kind, ranking, FAITHFUL_EXCHANGE_FLIPS, step, t->curve[2][k] > t->margin, 1);
    }
}

/* Without its first heads an order is the reverse of one with its last heads alone; so all orders that were tried, and
 * their reverses, are between the same two limits. */
static void add_areas(const Faithful *f, FaithfulSentence *s, int kind, Trial *t, double area[RANKINGS][2])
{
    const int heads = f->sets.heads;
    double best = fmax(greedy(t, false, true), greedy(t, true, true)),
           worst = fmin(greedy(t, false, false), greedy(t, true, false)), last = t->curve[0][heads] / heads;
    for (int r = 0; r < RANKINGS; r++) {
        best = fmax(best, fmax(area[r][0], area[r][1] + last));
        worst = fmin(worst, fmin(area[r][0], area[r][1] + last));
    }
    for (int r = 0; r < RANKINGS; r++) {
        add_to(f, s, kind, r, FAITHFUL_AOPC, 0, area[r][0], 1);
        add_to(f, s, kind, r, FAITHFUL_AOPC_SUFFICIENCY, 0, area[r][1], 1);
        if (!(best - worst > 1e-6)) continue; /* no head matters, or there is one */
        add_to(f, s, kind, r, FAITHFUL_NAOPC, 0, (area[r][0] - worst) / (best - worst), 1);
        add_to(f, s, kind, r, FAITHFUL_NAOPC_SUFFICIENCY, 0, (best - area[r][1] - last) / (best - worst), 1);
    }
}

/* places [RANKINGS, heads]: the place of each head in the orders is added. */
static Status measure_decision(const Faithful *f, FaithfulSentence *s, int at, Arena *arena, double *places, Error *e)
{
    const FaithfulDecision *x = &s->x[at];
    const int kind = x->c.d.kind, heads = f->sets.heads;
    double area[RANKINGS][2];
    Trial t;
    Status status = margin_new(&f->sets, &x->c, x->places, arena, &t.m, e);
    if (status != OK) return status;
    const Real *others = s->other[kind] ? margin_exchange(&f->sets, &x->c, &t.m, s->other[kind], arena) : NULL;
    if ((s->other[kind] && !others) || !trial_init(&t, heads, arena)) return no_memory(e);
    margin_all(&t.m, t.whole);
    t.margin = margin_value(&t.m, t.whole);
    add_to(f, s, kind, RANK_EXACT, FAITHFUL_MARGIN, 0, t.margin, 1);
    if (!rank(f, s, at, arena, &t)) return no_memory(e);
    for (int r = 0; r < RANKINGS; r++) {
        try_order(&t, t.whole, t.order[r], -1, NULL, t.curve[0]);
        try_order(&t, t.m.rest, t.order[r], 1, NULL, t.curve[1]);
        if (others) try_order(&t, t.whole, t.order[r], -1, others, t.curve[2]);
        add_curves(f, s, kind, r, &t, others != NULL);
        for (int c = 0; c < 2; c++) area[r][c] = mean_of(t.curve[c], heads);
        for (int k = 0; k < heads; k++) places[(ptrdiff_t)r * heads + t.order[r][k]] += k;
    }
    add_areas(f, s, kind, &t, area);
    return OK;
}

/* Parses without the k heads that come first in a ranking, and compares with the parse. */
static Status parse_without(const Faithful *f, Worker *w, const ParseInput *in, const ParseOptions *o,
                            const Parsed *parsed, const int *order, int step, int ranking, Arena *arena,
                            FaithfulSentence *s, Error *e)
{
    Parsed p;
    Scores scores = { 0 };
    bool *removed = arena_calloc(arena, (size_t)w->m->net.encoder.c.lal.heads, sizeof *removed);
    if (!removed) return no_memory(e);
    for (int k = 0; k < f->step[step]; k++) removed[f->sets.number[order[k]]] = true;
    Status status = explain_parse_without(w, in, o, removed, arena, &p, e);
    const Sentence *gold = status == OK ? parsed_sentence(parsed, arena) : NULL,
                   *pred = gold ? parsed_sentence(&p, arena) : NULL;
    if (!pred) return status != OK ? status : no_memory(e);
    status = score_add(&scores, gold, pred, PUNCT_NONE, e);
    add_to(f, s, FAITHFUL_PARSE, ranking, FAITHFUL_F1, step, 200.0 * (double)scores.matched_brackets,
           (double)(scores.gold_brackets + scores.pred_brackets));
    add_to(f, s, FAITHFUL_PARSE, ranking, FAITHFUL_UAS, step, 100.0 * (double)scores.dep.all.heads,
           (double)scores.dep.all.words);
    return status;
}

Status faithful_measure(const Faithful *faithful, Worker *worker, const ParseInput *in, const ParseOptions *options,
                        const Parsed *parsed, Arena *arena, FaithfulSentence *sentence, Error *error)
{
    const int heads = faithful->sets.heads;
    Arena *scratch = &worker->scratch;
    ArenaMark mark = arena_mark(scratch);
    Status status = OK;
    sentence->sums = arena_calloc(arena, (size_t)faithful_cells(faithful), sizeof *sentence->sums);
    double *places = arena_calloc(scratch, (size_t)RANKINGS * (size_t)heads, sizeof *places);
    Ranked *ranked = arena_alloc(scratch, (size_t)heads, sizeof *ranked);
    int *order = arena_alloc(scratch, (size_t)heads, sizeof *order);
    if (!sentence->sums || !places || !ranked || !order) return no_memory(error);
    for (int k = 0; k < sentence->n && status == OK; k++) {
        ArenaMark decision = arena_mark(scratch);
        status = measure_decision(faithful, sentence, k, scratch, places, error);
        arena_rewind(scratch, decision);
    }
    for (int r = 0; r < RANKINGS && status == OK && sentence->n; r++) {
        for (int h = 0; h < heads; h++) places[(ptrdiff_t)r * heads + h] *= -1; /* early ones first */
        sort_heads(places + (ptrdiff_t)r * heads, heads, ranked, order);
        for (int step = 0; step < faithful->steps && status == OK; step++)
            if (faithful->step[step] == 4 || faithful->step[step] == 16)
                status = parse_without(faithful, worker, in, options, parsed, order, step, r, arena, sentence, error);
    }
    arena_rewind(scratch, mark);
    return status;
}

Status faithful_add(Faithful *faithful, const FaithfulSentence *sentence, Error *error)
{
    const size_t cells = (size_t)faithful_cells(faithful);
    if (!sentence->n) return OK;
    if (faithful->sentences == faithful->cap) {
        int more = 2 * faithful->cap + 64;
        FaithfulRatio *sums = mem_realloc(faithful->sums, (size_t)more * cells, sizeof *sums);
        if (!sums) return no_memory(error);
        faithful->sums = sums;
        faithful->cap = more;
    }
    memcpy(faithful->sums + (size_t)faithful->sentences++ * cells, sentence->sums, cells * sizeof *sentence->sums);
    return OK;
}
