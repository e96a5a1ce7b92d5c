/* Decisions are listed, judged by gold, explained and reduced to what is kept; threads do this
 * apart, and the sums are added in the order of the sentences. */
#include "explain/inspection.h"

#include <math.h>
#include <string.h>

#include "parser/parse/parse_network.h"

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory inspecting"); }

int inspection_next_head(const HeadAttribution *attribution, int before)
{
    int best = -1;
    for (int h = 0; h < attribution->heads; h++) {
        if (!attribution_has(attribution, h)) continue;
        double now = fabs(attribution->head[h]);
        bool later = before < 0 || now < fabs(attribution->head[before]) ||
                     (now == fabs(attribution->head[before]) && h > before);
        if (later && (best < 0 || now > fabs(attribution->head[best]))) best = h;
    }
    return best;
}

/* ---- one sentence */

static Status own_decisions(const InspectOptions *o, const Model *m, Inspected *x, Arena *arena, Error *e)
{
    Decision *d[EXPLAIN_KINDS];
    int n[EXPLAIN_KINDS] = { 0 }, all = 0;
    Status s = OK;
    for (int kind = 0; kind < EXPLAIN_KINDS && s == OK; kind++)
        if (o->kinds[kind]) {
            s = explain_decisions(m, x->p, (ExplainKind)kind, arena, &d[kind], &n[kind], e);
            all += n[kind];
        }
    x->x = s == OK ? arena_alloc(arena, (size_t)all, sizeof *x->x) : NULL;
    if (!x->x) return s != OK ? s : out_of_memory(e);
    for (int kind = 0; kind < EXPLAIN_KINDS && s == OK; kind++) {
        int against = LABEL_NONE;
        if (o->against && kind == EXPLAIN_ARC) continue;
        if (o->against && n[kind]) s = decision_find(m, (ExplainKind)kind, o->against, &against, e);
        for (int k = 0; k < n[kind] && s == OK; k++) {
            if (o->against && d[kind][k].at.label == against) continue; /* no difference of a label to itself */
            d[kind][k].against = against;
            x->x[x->n++] = (Explained){ .d = d[kind][k] };
        }
    }
    return s;
}

/* The phrase over the same words, or NULL. */
static const Phrase *find_span(const Phrase *p, int n, int begin, int end)
{
    for (int k = 0; k < n; k++)
        if (p[k].begin == begin && p[k].end == end) return &p[k];
    return NULL;
}

/* Right or wrong, and the gold label of a span. */
static void judge(const Model *m, Explained *x, const Sentence *gold, const Phrase *chain, int n_chains)
{
    const Decision *d = &x->d;
    const char *label = decision_label(m, d->kind, d->at.label);
    x->in_gold = -1;
    if (!gold || d->against != LABEL_NONE) return;
    if (d->kind == EXPLAIN_SPAN && gold->has_tree) {
        const Phrase *p = find_span(chain, n_chains, d->at.begin, d->at.end);
        x->in_gold = p && strcmp(p->label, label) == 0;
        if (p && !x->in_gold) x->gold = p->label;
    } else if (d->kind == EXPLAIN_TAG && gold->tags) {
        x->gold = gold->tags[d->at.begin - 1];
        x->in_gold = strcmp(x->gold, label) == 0;
    } else if (d->kind != EXPLAIN_SPAN && d->kind != EXPLAIN_TAG && gold->heads) {
        bool arc = gold->heads[d->at.begin - 1] == d->at.end;
        if (d->kind == EXPLAIN_ARC) x->in_gold = arc;
        else if (arc)
            x->in_gold = strcmp(gold->types[d->at.begin - 1], label) ==
                         0; /* the type of a wrong arc is neither right nor wrong */
    }
}

/* The leading head, by the paper's statistic where that was asked for. */
static int leader_of(const Explained *x)
{
    return x->share ? head_summary_next_largest(x->share, x->a.heads, -1) : inspection_next_head(&x->a, -1);
}

/* heads [n_words]: of the words, or NULL. */
static void look(const Worker *w, const int *heads, Explained *x)
{
    int word = explain_focus(w, leader_of(x), 0, 0).word;
    const Span *at = &x->d.at;
    x->focus = word;
    x->inside = word >= at->begin && word < at->end;
    x->at_head = x->inside && heads && (heads[word] - 1 < at->begin || heads[word] - 1 >= at->end);
}

static double *copy(Arena *arena, const double *from, int n)
{
    double *to = arena_alloc(arena, (size_t)n, sizeof *to);
    return to ? memcpy(to, from, (size_t)n * sizeof *to) : NULL;
}

/* Explains x->d into the arena. Only the selected views over words stay there, for all would need much memory. */
static Status explain_and_keep(Worker *w, int words, Arena *arena, Explained *x, Error *e)
{
    ArenaMark mark = arena_mark(&w->scratch);
    HeadAttribution a;
    Status s = explain_decision(w, &x->d, words != 0, &w->scratch, &a, &x->standing, e);
    if (s == OK) {
        x->a = a;
        x->a.word = NULL;
        x->a.head = copy(arena, a.head, a.heads);
        x->a.own = copy(arena, a.own, a.heads);
        x->a.view = copy(arena, a.view, a.heads);
        x->a.norm = copy(arena, a.norm, a.heads);
        if (!x->a.head || !x->a.own || !x->a.view || !x->a.norm) s = out_of_memory(e);
    }
    if (s == OK && words) {
        size_t tokens = (size_t)a.tokens;
        x->n_word_heads = words > 0 && words < attribution_left(&a) ? words : attribution_left(&a);
        x->word = arena_alloc(arena, (size_t)x->n_word_heads * tokens, sizeof *x->word);
        x->by_word = arena_calloc(arena, tokens, sizeof *x->by_word);
        if (!x->word || !x->by_word) s = out_of_memory(e);
        for (int h = 0; s == OK && h < a.heads; h++)
            for (size_t t = 0; t < tokens; t++) x->by_word[t] += a.word[(size_t)h * tokens + t];
        for (int k = 0, h = -1; s == OK && k < x->n_word_heads && (h = inspection_next_head(&a, h)) >= 0; k++)
            memcpy(x->word + (size_t)k * tokens, a.word + (size_t)h * tokens, tokens * sizeof *x->word);
    }
    arena_rewind(&w->scratch, mark);
    return s;
}

/* Is x a tag that is not wrong, and has a high probability? */
static Status tag_is_sure(Worker *w, const Explained *x, bool *sure, Error *e)
{
    Standing standing;
    *sure = false;
    if (x->d.kind != EXPLAIN_TAG || x->in_gold == 0) return OK;
    Status status = explain_decision(w, &x->d, false, NULL, NULL, &standing, e);
    *sure = status == OK && standing.p >= TAG_SURE;
    return status;
}

/* A tag: its score, and why it leads over gold's or the next best one. */
static Status explain_tag(Worker *w, Arena *arena, Explained *x, Error *e)
{
    int gold = x->in_gold == 0 ? vocab_find(&w->m->tags, x->gold) : -1;
    Status status = explain_decision(w, &x->d, true, arena, &x->a, &x->standing, e);
    if (status != OK || x->d.against != LABEL_NONE) return status;
    Decision lead = x->d;
    lead.against = gold >= N_RESERVED ? gold : x->standing.rival;
    return lead.against == RIVAL_NONE ? OK : explain_decision(w, &lead, true, arena, &x->lead, NULL, e);
}

static Status paper_share(const InspectOptions *o, Worker *w, Arena *arena, Explained *x, Error *e)
{
    if (!o->paper || x->d.kind != EXPLAIN_SPAN) return OK;
    x->share = arena_alloc(arena, (size_t)x->a.heads, sizeof *x->share);
    return x->share ? explain_paper_share(w, x->d.at.begin, x->d.at.end, x->share, e) : out_of_memory(e);
}

static Status explain_one(const InspectOptions *o, Worker *w, Arena *arena, const Parsed *p, Explained *x, Error *e)
{
    bool span = x->d.kind == EXPLAIN_SPAN;
    if (x->d.kind == EXPLAIN_TAG) return explain_tag(w, arena, x, e);
    Status status = explain_and_keep(w, o->words, arena, x, e);
    if (status == OK) status = paper_share(o, w, arena, x, e);
    if (status == OK && span && o->leads) look(w, p->heads, x);
    int gold = span && x->gold ? vocab_find(&w->m->labels, x->gold) : 0;
    if (status == OK && o->leads && gold > 0) {
        Decision lead = x->d;
        lead.against = gold;
        status = explain_decision(w, &lead, false, arena, &x->lead, NULL, e);
    }
    return status;
}

/* Gold phrases that the parse lacks or has with another label. */
static Status explain_missed(Worker *w, const InspectOptions *o, const Phrase *chain, int n, Arena *arena, Inspected *x,
                             Error *e)
{
    const Parsed *p = x->p;
    x->missed = arena_alloc(arena, (size_t)n, sizeof *x->missed);
    if (!x->missed) return out_of_memory(e);
    Status s = OK;
    for (int k = 0; k < n && s == OK; k++) {
        Span at = model_span(w->m, &chain[k]);
        const Phrase *same = find_span(p->phrases, p->n_phrases, at.begin, at.end);
        if (at.label < 1 || (same && strcmp(same->label, chain[k].label) == 0)) continue;
        Explained *m = &x->missed[x->n_missed++];
        *m = (Explained){ .d = { EXPLAIN_SPAN, at, LABEL_NONE }, .in_gold = 1 };
        s = explain_and_keep(w, o->words, arena, m, e);
        if (s == OK) s = paper_share(o, w, arena, m, e);
        if (s == OK) look(w, x->gold->heads ? x->gold->heads : p->heads, m);
    }
    return s;
}

/* ---- against other parses */

/* Sets *ud to a parsed sentence with Universal Dependencies, where rules make them of what the model predicts. */
static bool find_ud(const Model *m, const Sentence *s, Arena *arena, const Sentence **ud)
{
    const UdRules *rules = model_ud(m);
    if (!rules || !s->heads || !s->tags || !s->n_words) return true;
    Sentence *to = arena_alloc(arena, 1, sizeof *to);
    if (!to) return false;
    *to = *s;
    *ud = to;
    return rules->sentence(to, NULL, arena);
}

static Status explain_against(const InspectOptions *o, Worker *w, const Parsed *p, const Parsed *other, Arena *arena,
                              Alternative *to, Error *e)
{
    Status status = contrast_explain(w, p, other, o->words != 0, arena, &to->contrast, e);
    if (status != OK) return status;
    to->s = parsed_sentence(other, arena);
    return to->s && find_ud(w->m, to->s, arena, &to->ud) ? OK : out_of_memory(e);
}

double inspection_certainty(const Parsed *parsed, const Explained *x)
{
    const Confidence *c = parsed->confidence;
    const Span *at = &x->d.at;
    if (x->d.kind == EXPLAIN_ARC) return c && c->arc ? (double)c->arc[at->begin - 1] : x->standing.p;
    for (int k = 0; c && c->phrase && k < parsed->n_phrases; k++)
        if (parsed->phrases[k].begin == at->begin && parsed->phrases[k].end == at->end) return (double)c->phrase[k];
    return x->standing.p;
}

/* What gold or else nobody wants in the place of x: *with is whether it is asked for. */
static Decision wanted(const Model *m, const Inspected *i, const Explained *x, bool *with)
{
    Decision d = x->d;
    *with = true;
    if (x->in_gold == 1) return d; /* a missing phrase */
    if (x->in_gold == 0 && d.kind == EXPLAIN_ARC) {
        d.at.end = i->gold->heads[d.at.begin - 1];
        return d;
    }
    int gold = x->in_gold == 0 && x->gold ? vocab_find(&m->labels, x->gold) : -1;
    if (gold > 0) d.at.label = gold;
    *with = gold > 0;
    return d;
}

static Status explain_other(const InspectOptions *o, Worker *w, const Inspected *i, bool missed, bool flips,
                            Arena *arena, Explained *x, Error *e)
{
    bool found = false;
    Alternative *other = arena_calloc(arena, 1, sizeof *other);
    Parsed *parsed = arena_alloc(arena, 1, sizeof *parsed);
    if (!other || !parsed) return out_of_memory(e);
    if (missed || x->in_gold == 0) other->d = wanted(w->m, i, x, &other->with);
    else other->d = x->d;
    ParseOptions how = *i->how;
    how.k_best = 0;
    how.confidence = how.arc_probability = false;
    Status status = contrast_parse(w, i->in, &how, &other->d, other->with, i->p->n_freed, arena, parsed, &found, e);
    if (status == OK && found) status = explain_against(o, w, i->p, parsed, arena, other, e);
    if (status == OK && found && flips && i->other)
        status = flip_find(w, i->other, i->in, &how, i->p, &x->d, missed, arena, &other->flip, &other->n_flips, e);
    if (status == OK && found) x->other = other;
    return status;
}

static bool is_chosen(const Decision *chosen, const Decision *d)
{
    return chosen && d->kind == chosen->kind && d->at.begin == chosen->at.begin && d->at.end == chosen->at.end;
}

/* The next decision for a contrast: the chosen one, wrong and missing ones, or else the least certain one; NULL: no
 * more. */
static Explained *next_contrast(Inspected *i, const Decision *chosen, const bool *done, int taken, bool *missed,
                                int *at)
{
    Explained *best = NULL;
    double least = INFINITY;
    for (int k = 0; k < i->n + i->n_missed; k++) {
        bool lacks = k >= i->n;
        Explained *x = lacks ? &i->missed[k - i->n] : &i->x[k];
        bool first = is_chosen(chosen, &x->d), wrong = lacks || x->in_gold == 0 || first;
        if (done[k] || x->d.kind > EXPLAIN_ARC || (!wrong && taken)) continue;
        double key = inspection_certainty(i->p, x) - (first ? 4 : wrong ? 2 : 0);
        if (key >= least) continue;
        least = key;
        best = x;
        *missed = lacks;
        *at = k;
    }
    return best;
}

static Status explain_contrasts(const InspectOptions *o, Worker *w, Arena *arena, Inspected *i, Error *e)
{
    bool *done = arena_calloc(arena, (size_t)(i->n + i->n_missed), sizeof *done), missed = false;
    if (!done) return out_of_memory(e);
    Status status = OK;
    for (int taken = 0, at = 0; status == OK && taken < o->contrasts; taken++) {
        Explained *x = next_contrast(i, o->chosen, done, taken, &missed, &at);
        if (!x) break;
        done[at] = true;
        status = explain_other(o, w, i, missed, o->flips && !taken, arena, x, e);
    }
    return status;
}

static Status explain_second(const InspectOptions *o, Worker *w, Arena *arena, Inspected *i, Error *e)
{
    if (i->p->n_best < 2) return OK;
    Alternative *second = i->second = arena_calloc(arena, 1, sizeof *i->second);
    return second ? explain_against(o, w, i->p, &i->p->best[1], arena, second, e) : out_of_memory(e);
}

Status inspection_explain(const InspectOptions *options, Worker *worker, Arena *arena, Inspected *inspected,
                          Error *error)
{
    const Parsed *p = inspected->p;
    inspected->m = worker->m;
    inspected->s = parsed_sentence(p, arena);
    if (!inspected->s || !find_ud(worker->m, inspected->s, arena, &inspected->ud)) return out_of_memory(error);
    if (p->n_words == 0 || p->pieces > 1) return OK;
    int n_chains = 0;
    const Phrase *chain = inspected->gold ? tree_chains(inspected->gold, arena, &n_chains) : NULL;
    if (inspected->gold && !chain) return out_of_memory(error);
    Status status = OK;
    if (!options->only) status = own_decisions(options, worker->m, inspected, arena, error);
    else if ((inspected->x = arena_alloc(arena, 1, sizeof *inspected->x)))
        inspected->x[inspected->n++] = (Explained){ .d = *options->only };
    else status = out_of_memory(error);
    if (status == OK && options->match) status = inspection_choose(options->match, inspected, error);
    int n = inspected->n;
    inspected->n = 0;
    for (int k = 0; k < n && status == OK; k++) {
        Explained *x = &inspected->x[inspected->n];
        *x = inspected->x[k];
        judge(worker->m, x, inspected->gold, chain, n_chains);
        bool sure = false;
        status = tag_is_sure(worker, x, &sure, error);
        if (sure || status != OK) continue;
        inspected->n++;
        status = explain_one(options, worker, arena, p, x, error);
    }
    if (status == OK && options->missed && inspected->gold && inspected->gold->has_tree && p->has_tree)
        status = explain_missed(worker, options, chain, n_chains, arena, inspected, error);
    if (status == OK && options->second) status = explain_second(options, worker, arena, inspected, error);
    if (status == OK && options->contrasts && inspected->in)
        status = explain_contrasts(options, worker, arena, inspected, error);
    int heads = worker->m->net.encoder.c.lal.heads;
    inspected->confidence = status == OK ? arena_alloc(arena, (size_t)heads, sizeof *inspected->confidence) : NULL;
    if (!inspected->confidence) return status != OK ? status : out_of_memory(error);
    for (int h = 0; h < heads; h++) inspected->confidence[h] = explain_focus(worker, h, 0, 0).most;
    return OK;
}

/* ---- sums */

Status inspection_init(Inspection *inspection, const Model *model, Error *error)
{
    int heads = model->net.encoder.c.lal.heads;
    *inspection = (Inspection){ .m = model, .confidence = mem_calloc((size_t)heads, sizeof *inspection->confidence) };
    head_summary_init(&inspection->sum, heads);
    head_summary_init(&inspection->confused, heads);
    head_summary_init(&inspection->missed, heads);
    vocab_init(&inspection->attended);
    inspection->sum.row = inspection->confused.row = inspection->missed.row = model->net.encoder.label_row;
    return inspection->confidence ? OK : out_of_memory(error);
}

void inspection_fini(Inspection *inspection)
{
    head_summary_fini(&inspection->sum);
    head_summary_fini(&inspection->confused);
    head_summary_fini(&inspection->missed);
    vocab_fini(&inspection->attended);
    mem_free(inspection->confidence);
}

static void add_look(Inspection *s, int kind, const Explained *x)
{
    Looks *l = &s->looks[kind];
    l->n++;
    l->at_head += x->at_head;
    l->inside += x->inside;
    l->named += parse_head_names(s->m, leader_of(x), x->d.at.label);
}

static Status add_one(Inspection *s, const Explained *x, StrBuf *name, Error *e)
{
    const char *label = decision_label(s->m, x->d.kind, x->d.at.label);
    if (x->d.kind == EXPLAIN_TAG) return OK; /* no head has a part in it */
    Status status = head_summary_add(&s->sum, label ? label : "arc", &x->a, x->share, x->in_gold, e);
    if (x->d.kind != EXPLAIN_SPAN || status != OK) return status;
    if (x->in_gold >= 0) add_look(s, x->in_gold, x);
    if (!x->lead.heads) return OK;
    strbuf_clear(name);
    strbuf_printf(name, "%s for %s", label, x->gold);
    return name->failed ? out_of_memory(e) : head_summary_add(&s->confused, name->ptr, &x->lead, NULL, 0, e);
}

static Status add_missed(Inspection *s, const Inspected *of, const Explained *x, StrBuf *name, Error *e)
{
    const char *label = decision_label(s->m, EXPLAIN_SPAN, x->d.at.label);
    Status status = head_summary_add(&s->missed, label, &x->a, x->share, -1, e);
    add_look(s, LOOKS_MISSED, x);
    if (x->focus < 0 || status != OK) return status;
    strbuf_clear(name);
    strbuf_printf(name, "%s %s", label, of->s->words[x->focus]);
    return !name->failed && vocab_count(&s->attended, name->ptr, name->len, 1) >= 0 ? OK : out_of_memory(e);
}

Status inspection_add(Inspection *inspection, const Inspected *inspected, Error *error)
{
    Status status = OK;
    StrBuf name = { 0 };
    for (int k = 0; k < inspected->n && status == OK; k++) status = add_one(inspection, &inspected->x[k], &name, error);
    for (int k = 0; k < inspected->n_missed && status == OK; k++)
        status = add_missed(inspection, inspected, &inspected->missed[k], &name, error);
    strbuf_fini(&name);
    for (int h = 0; inspected->confidence && h < inspection->sum.heads; h++)
        inspection->confidence[h] += inspected->confidence[h];
    inspection->explained += inspected->confidence != NULL;
    inspection->words += inspected->confidence ? inspected->p->n_words : 0;
    inspection->in_pieces += inspected->p->pieces > 1;
    inspection->sentences++;
    return status;
}
