/* Given phrases and arcs become a constraint and masked labels; if no tree has all of them,
 * the constraint is relaxed, and what is no longer met is listed. */
#include "parser/parse/given.h"

#include "parser/parse/parse_network.h"

#include <math.h>
#include <string.h>

enum {
    SCORED = 256, /* spans whose labels are scored at once */
    LABEL_ANY = -1,
};

/* The decoder's constraint of a sentence. Phrases are numbered as chains; a label is that number. */
typedef struct Search {
    const GivenScores *sc;
    const Given *given;
    int n; /* words */
    Constraint c;
    int n_chains;     /* the given unary chains, joined */
    int *first;       /* [n_chains] the chain's first phrase in given->phrases */
    int *label;       /* [n_chains] number of the label, LABEL_ANY, or GIVEN_OWN - k */
    const char **own; /* [n_own] */
    int n_own;
    int n_bans;           /* of given; 0: they are lifted */
    unsigned char *state; /* [chart_size] */
    SpanBest *best;
    Real *t, *labels; /* labels NULL: those of sc */
} Search;

/* ---- what is given */

Given given_of(const Sentence *sentence, bool more_phrases)
{
    return (Given){ .heads = sentence->heads,
                    .types = sentence->types,
                    .has_phrases = sentence->has_tree,
                    .more_phrases = more_phrases,
                    .phrases = sentence->phrases,
                    .n_phrases = sentence->n_phrases,
                    .bans = sentence->bans,
                    .n_bans = sentence->n_bans };
}

/* "_" beside other labels of a chain says nothing. */
static bool is_any(const char *label) { return strcmp(label, GIVEN_ANY) == 0; }

bool given_label(StrBuf *text, const Given *given, int from, int to)
{
    strbuf_clear(text);
    for (int p = from; p < to; p++) {
        if (is_any(given->phrases[p].label)) continue;
        if (text->len) strbuf_puts(text, LABEL_JOIN);
        strbuf_puts(text, given->phrases[p].label);
    }
    if (!text->len) strbuf_puts(text, GIVEN_ANY);
    return !text->failed;
}

int given_chain(const Given *given, int p)
{
    int end = p + 1;
    while (end < given->n_phrases && given->phrases[end].begin == given->phrases[p].begin &&
           given->phrases[end].end == given->phrases[p].end)
        end++;
    return end;
}

/* Fills the chains and the spans of the constraint; joined labels are in `out`. */
static bool take_phrases(Search *s, Arena *scratch, Arena *out)
{
    const Given *g = s->given;
    const Model *m = s->sc->m;
    size_t most = g->has_phrases ? (size_t)g->n_phrases : 0;
    s->c.spans = arena_alloc(scratch, most, sizeof *s->c.spans);
    s->first = arena_alloc(scratch, most, sizeof *s->first);
    s->label = arena_alloc(scratch, most, sizeof *s->label);
    s->own = arena_alloc(out, most, sizeof *s->own);
    StrBuf text = { 0 };
    bool ok = s->c.spans && s->first && s->label && s->own;
    for (int from = 0, to; ok && from < (int)most; from = to) {
        int k = s->n_chains++;
        to = given_chain(g, from);
        if (!(ok = given_label(&text, g, from, to))) break;
        int label = vocab_find(&m->labels, text.ptr);
        s->label[k] = is_any(text.ptr) ? LABEL_ANY : label > CHART_GROUP ? label : GIVEN_OWN - s->n_own;
        if (s->label[k] <= GIVEN_OWN) ok = (s->own[s->n_own++] = arena_strndup(out, text.ptr, text.len)) != NULL;
        s->first[k] = from;
        s->c.spans[k] = (Span){ g->phrases[from].begin, g->phrases[from].end, k };
    }
    s->c.n_spans = s->n_chains;
    strbuf_fini(&text);
    return ok;
}

static bool search_new(Search *s, Arena *scratch, Arena *out)
{
    size_t n = (size_t)s->n, spans = (size_t)chart_size(s->n), pairs = (n + 1) * (n + 1);
    s->c.n = s->n;
    s->state = arena_alloc(scratch, spans, sizeof *s->state);
    s->best = arena_alloc(scratch, spans, sizeof *s->best);
    s->t = arena_alloc(scratch, pairs, sizeof *s->t);
    if (!s->state || !s->best || !s->t || !take_phrases(s, scratch, out)) return false;
    size_t labels = (size_t)parse_network(&s->sc->m->net)->span.n_labels - 1;
    bool copies = s->sc->labels && (s->given->has_phrases || s->n_bans);
    if (copies && !(s->labels = arena_alloc(scratch, spans * labels, sizeof *s->labels))) return false;
    if (!s->given->heads) return true;
    s->c.heads = arena_alloc(scratch, n, sizeof *s->c.heads);
    if (s->c.heads) memcpy(s->c.heads, s->given->heads, n * sizeof *s->c.heads);
    return s->c.heads != NULL;
}

static bool phrases_cross(const Constraint *c)
{
    for (int k = 0; k < c->n_spans; k++) /* they are in the order of their beginnings */
        for (int j = k + 1; j < c->n_spans && c->spans[j].begin < c->spans[k].end; j++)
            if (spans_cross(c->spans[k], c->spans[j])) return true;
    return false;
}

/* ---- scores under the constraint */

static SpanBest fixed_label(const Search *s, const SpanBest *plain, int label, const Real *scores)
{
    if (label == LABEL_ANY) return (SpanBest){ plain->proper, plain->proper, plain->proper_label, plain->proper_label };
    Real x = label > 0 ? s->sc->lambda * scores[label - 1] : 0;
    return (SpanBest){ x, x, label, label };
}

/* Where only the given phrases may appear: no label on a word, <H> on others, which it must have to be a dependent. */
static SpanBest no_phrase(const Search *s, Span x, const Real *scores)
{
    Real none = (Real)-INFINITY;
    if (x.end - x.begin == 1) return (SpanBest){ none, none, CHART_EMPTY, CHART_EMPTY };
    Real group = s->sc->lambda * scores[CHART_GROUP - 1];
    return (SpanBest){ group, group, CHART_GROUP, CHART_GROUP };
}

/* Restricts the row of all labels of a span: one label is left, or all but <H>, or none that the model knows. */
static void restrict_row(const Search *s, long at, bool any)
{
    int labels = parse_network(&s->sc->m->net)->span.n_labels - 1, label = s->best[at].any_label;
    Real *row = s->labels + at * labels;
    for (int l = 0; l < labels; l++)
        if (l == CHART_GROUP - 1 || !any) row[l] = (Real)-INFINITY;
    if (!any && label > CHART_EMPTY) row[label - 1] = s->best[at].any;
}

/* Scores the labels of n spans (label: the given chain, or -1) and sets their best. ERR_NUMERIC. */
static Status restrict_spans(Search *s, const Span *x, int n, Real *scores, Error *e)
{
    const GivenScores *sc = s->sc;
    const SpanScorer *scorer = &parse_network(&sc->m->net)->span;
    int rows[2 * SCORED] = { 0 }, labels = scorer->n_labels - 1;
    for (int k = 0; k < n; k++) {
        rows[2 * (ptrdiff_t)k] = sc->first + x[k].begin;
        rows[2 * k + 1] = sc->first + x[k].end;
    }
    if (span_scorer_score_list(sc->f, scorer, sc->g, rows, n, scores) != OK) {
        *e = sc->f->t->error;
        return e->code;
    }
    for (int k = 0; k < n; k++) {
        const Real *row = scores + (ptrdiff_t)k * labels;
        long at = chart_span(s->n, x[k].begin, x[k].end);
        s->best[at] =
            x[k].label < 0 ? no_phrase(s, x[k], row) : fixed_label(s, &sc->best[at], s->label[x[k].label], row);
        if (s->labels) restrict_row(s, at, x[k].label >= 0 && s->label[x[k].label] == LABEL_ANY);
        Real score = s->best[at].any;
        if (!isfinite((double)score) && s->best[at].any_label != CHART_EMPTY)
            return model_overflows(sc->m, "scores of given labels", e);
    }
    return OK;
}

/* Takes banned labels out of the rows, and chooses the best ones of what is left. */
static void ban_labels(Search *s)
{
    int labels = parse_network(&s->sc->m->net)->span.n_labels - 1;
    for (int k = 0; k < s->n_bans; k++) {
        const Ban *ban = &s->given->bans[k];
        if (ban->arc) continue;
        bool any = is_any(ban->label);
        long at = chart_span(s->n, ban->begin, ban->end);
        Real *row = s->labels + at * labels;
        for (int l = 0; l < labels; l++) /* not <H> either, by which the words would still be together */
            if (any || l == CHART_GROUP - 1 || tree_chain_has(vocab_text(&s->sc->m->labels, l + 1), ban->label))
                row[l] = (Real)-INFINITY;
        SpanBest *best = &s->best[at];
        device_cpu()->kernels->span_best(best, row, labels, NULL, 1, labels + 1);
        if (isinf((double)best->any)) best->any_label = CHART_EMPTY;
        if (isinf((double)best->proper)) best->proper_label = CHART_EMPTY;
    }
}

/* Sets s->best: labels of given phrases, and none elsewhere unless more are allowed; none that is banned. */
static Status restrict_labels(Search *s, Arena *scratch, Error *e)
{
    int count = 0, labels = parse_network(&s->sc->m->net)->span.n_labels - 1;
    Span some[SCORED];
    memcpy(s->best, s->sc->best, (size_t)chart_size(s->n) * sizeof *s->best);
    if (s->labels) memcpy(s->labels, s->sc->labels, (size_t)chart_size(s->n) * (size_t)labels * sizeof *s->labels);
    if (!s->given->has_phrases) return OK;
    Real *scores = arena_alloc(scratch, (size_t)SCORED * (size_t)labels, sizeof *scores);
    Status status = scores ? OK : error_set(e, ERR_NOMEM, "out of memory for given phrases");
    for (int k = 0; k < s->c.n_spans && status == OK; k++) {
        some[count++] = s->c.spans[k];
        if (count < SCORED && k + 1 < s->c.n_spans) continue;
        status = restrict_spans(s, some, count, scores, e);
        count = 0;
    }
    for (int i = 0; i < s->n && !s->given->more_phrases; i++)
        for (int j = i + 1; j <= s->n && status == OK; j++) {
            bool whole = i == 0 && j == s->n;
            if (!whole && s->state[chart_span(s->n, i, j)] == SPAN_FREE) some[count++] = (Span){ i, j, -1 };
            if (count < SCORED && i + 1 < s->n) continue;
            status = restrict_spans(s, some, count, scores, e);
            count = 0;
        }
    return status;
}

static JointTree *decode(Search *s, Arena *scratch, Error *e)
{
    size_t pairs = (size_t)(s->n + 1) * (size_t)(s->n + 1);
    memcpy(s->t, s->sc->arcs, pairs * sizeof *s->t);
    constraint_mask_arcs(&s->c, s->t);
    constraint_states(&s->c, s->state);
    for (int k = 0; k < s->n_bans; k++) {
        const Ban *ban = &s->given->bans[k];
        if (ban->arc) s->t[(ptrdiff_t)ban->begin * (s->n + 1) + ban->end] = (Real)-INFINITY;
    }
    if (restrict_labels(s, scratch, e) != OK) return NULL;
    ban_labels(s);
    return joint_decode_under(s->best, s->t, s->state, s->n, scratch, scratch, e);
}

/* ---- what was freed */

static int crossed(const Search *s, Span x)
{
    for (int k = 0; k < s->c.n_spans; k++)
        if (spans_cross(s->c.spans[k], x)) return s->first[s->c.spans[k].label];
    return -1;
}

static bool list_freed(const Search *s, Parsed *p, Arena *out)
{
    const int *heads = s->given->heads;
    int lifted = s->given->n_bans - s->n_bans;
    size_t most = (size_t)(s->n_chains - s->c.n_spans + lifted);
    for (int w = 0; w < s->n && heads; w++) most += heads[w] != s->c.heads[w];
    Freed *freed = arena_alloc(out, most, sizeof *freed);
    if (!freed) return false;
    p->freed = freed;
    for (int w = 0; w < s->n && heads; w++) {
        if (heads[w] == s->c.heads[w]) continue;
        Freed x = { .arc = true, .at = w + 1 };
        x.fault = constraint_fault(heads, s->c.heads, s->n, w + 1, &x.other);
        freed[p->n_freed++] = x;
    }
    for (int k = s->c.n_spans; k < s->n_chains; k++) {
        Span x = s->c.spans[k];
        freed[p->n_freed++] = (Freed){ .at = s->first[x.label], .other = crossed(s, x) };
    }
    for (int k = 0; k < lifted; k++) freed[p->n_freed++] = (Freed){ .ban = true, .at = k };
    return true;
}

JointTree *given_decode(const GivenScores *sc, const Given *given, Parsed *parsed, GivenSearch *found, Arena *scratch,
                        Arena *out, Error *error)
{
    Search s = { .sc = sc, .given = given, .n = parsed->n_words, .n_bans = given->n_bans };
    JointTree *tree = NULL;
    if (!search_new(&s, scratch, out)) goto no_memory;
    *found = (GivenSearch){ s.best, s.t, s.labels ? s.labels : sc->labels, s.state, s.own };
    bool possible = !phrases_cross(&s.c);
    if (possible && !(tree = decode(&s, scratch, error))) return NULL;
    if (tree && tree->n_nodes) return tree;
    if (constraint_relax(&s.c, scratch, error) != OK || !(tree = decode(&s, scratch, error))) return NULL;
    if (!tree->n_nodes && s.n_bans) {
        s.n_bans = 0;
        if (!(tree = decode(&s, scratch, error))) return NULL;
    }
    if (!tree->n_nodes) {
        model_overflows(sc->m, "scores of given labels or arcs", error);
        return NULL;
    }
    if (list_freed(&s, parsed, out)) return tree;
no_memory:
    error_set(error, ERR_NOMEM, "out of memory for what is given of a sentence");
    return NULL;
}

const char *given_type(const Model *model, const Given *given, const Parsed *parsed, int c)
{
    const char *type = given->types ? given->types[c] : NULL;
    if (!type || is_any(type)) return NULL;
    if (given->heads && given->heads[c] != HEAD_FREE && given->heads[c] != parsed->heads[c]) return NULL;
    int number = vocab_find(&model->types, type);
    bool root = number >= 0 && number == model->root_type;
    return number < 0 || (model->root_type >= 0 && root != (parsed->heads[c] == 0)) ? NULL
                                                                                    : vocab_text(&model->types, number);
}
