#include "parser/task/parse/parse_heads.h"

#include "parser/heads/head_report_internal.h"
#include "parser/parse/long_sentence.h"
#include "parser/parse/parse_network.h"
#include "parser/task/parse/parse_loss.h"

/* Sum of the scores of the predicted phrases, or arcs. *out is NULL when there are none. */
static Status sum_of_scores(Worker *w, const Parsed *p, int what, Arena *a, Tensor **out, Error *e)
{
    int n = p->n_words, count = 0, most = what == 0 ? p->n_phrases : n;
    int *row = arena_alloc(a, (size_t)most, sizeof *row), *column = arena_alloc(a, (size_t)most, sizeof *column),
        *spans = arena_alloc(a, 2 * (size_t)most, sizeof *spans);
    Real *one = arena_alloc(a, (size_t)most, sizeof *one);
    *out = NULL;
    if (!row || !column || !spans || !one) return error_set(e, ERR_NOMEM, "out of memory inspecting heads");
    if (most == 0 || (what == 1 && !p->heads)) return OK;
    for (int k = 0; k < most; k++) {
        row[count] = what == 0 ? count : 0;
        one[count] = 1;
        if (what == 0) {
            Span at = model_span(w->m, &p->phrases[k]);
            spans[2 * (ptrdiff_t)count] = at.begin;
            spans[2 * count + 1] = at.end;
            column[count++] = at.label - 1;
        } else column[count++] = (k + 1) * (n + 1) + p->heads[k];
    }
    if (count == 0) return OK;
    Tensor *from = what == 1 ? parse_scores(&w->net)->arc.arcs
                             : span_scorer_score(&w->forward, &parse_network(&w->m->net)->span,
                                                 parse_scores(&w->net)->g, spans, count);
    *out = from ? op_pick(&w->tape, from, row, column, one, count, 0) : NULL;
    return worker_status(w, e);
}

/* Relevance for the parse of a sentence. */
static Status explain_parse(HeadReport *r, Worker *w, const Parsed *p, Arena *a, Error *e)
{
    const HeadPass pass = head_report_pass(r, w);
    Status s = OK;
    for (int what = 0; what < EXPLAINED && s == OK; what++) {
        Tensor *score = NULL;
        if (r->explain[what]) s = sum_of_scores(w, p, what, a, &score, e);
        if (s == OK && score) s = head_report_add_relevance(r, w, &pass, score, what, a, e);
    }
    return s;
}

static Status gold_of(const HeadReport *r, const Sentence *gold, Arena *a, Gold *g, Error *e)
{
    bool has_tree = gold->has_tree && gold->n_phrases;
    const OracleTree *tree = has_tree ? oracle_convert(gold, a) : NULL;
    return (tree || !has_tree) && gold_make(r->m, gold, tree, a, g)
               ? OK
               : error_set(e, ERR_NOMEM, "out of memory inspecting heads");
}

static Status pass(Worker *w, const Sentence *sent, const ParseOptions *o, Arena *a, Parsed *p, Error *e)
{
    bool oracle = encoder_options_oracle(&w->m->options);
    ParseInput in = { .n_words = sent->n_words, .words = (const char *const *)sent->words };
    in.parse = oracle ? sent : NULL;
    w->pieces = true;
    return long_sentence_parse(w, &in, o, a, p, e);
}

static Status add_sentence(HeadReport *r, Worker *w, const Sentence *gold, const Parsed *p, Arena *a, Error *e)
{
    Gold g;
    LossWeights weights = parse_loss_weights(1, 1);
    Status s = head_report_add_words(r, w, gold, a, e);
    if (s == OK) s = explain_parse(r, w, p, a, e);
    if (s != OK || (!gold->has_tree && !gold->heads)) return s;
    s = gold_of(r, gold, a, &g, e);
    return s == OK ? head_report_add_losses(r, w, &g, &weights, a, e) : s;
}

/* Could the model read the whole sentence at once? */
static bool is_whole(const Worker *w, const Sentence *sent, const Parsed *p)
{
    return sent->n_words && p->pieces <= 1 && word_attention_is_one(w);
}

Status parse_heads_add(HeadReport *report, Worker *worker, const Sentence *gold, const ParseOptions *options,
                       Error *error)
{
    Arena a;
    Parsed p;
    arena_init(&a, (size_t)1 << 16);
    Status s = pass(worker, gold, options, &a, &p, error);
    bool skip = s == OK && !is_whole(worker, gold, &p);
    report->in_pieces += skip && gold->n_words;
    if (s == OK && !skip) s = add_sentence(report, worker, gold, &p, &a, error);
    arena_fini(&a);
    return s;
}

/* ---- the task */

static Status begin(HeadsRun *run, Error *e)
{
    (void)e;
    head_report_own_baselines(&run->r, run->c->trees.s, run->n);
    return OK;
}

static bool has_gold(const Sentence *sent) { return sent->has_tree || sent->heads; }

static Status add(HeadsRun *run, int k, Error *e)
{
    return parse_heads_add(&run->r, &run->w, &run->c->trees.s[k], &run->o, e);
}

static Status show(HeadsRun *run, int k, int h, const struct HeadNames *names, PutAttention *put, StrBuf *out, Error *e)
{
    const Sentence *sent = &run->c->trees.s[k];
    Arena a;
    Parsed p;
    arena_init(&a, (size_t)1 << 16);
    Status s = pass(&run->w, sent, &run->o, &a, &p, e);
    if (s == OK && is_whole(&run->w, sent, &p))
        s = head_report_show(&run->r, &run->w, sent, h, names, k + 1, put, out, e);
    arena_fini(&a);
    return s;
}

const TaskHeads PARSE_HEADS = { .sentences = "sentences",
                                .words = "words",
                                .explained = { "spans", "arcs" },
                                .options = "train-deps html name-heads treebank gold-deps",
                                .trees = true,
                                .begin = begin,
                                .has_gold = has_gold,
                                .add = add,
                                .show = show };
