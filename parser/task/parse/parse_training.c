/* How models that parse are trained */
#include <string.h>

#include "base/json_writer.h"
#include "parser/parse/evaluate.h"
#include "parser/task/parse/parse_examples.h"
#include "parser/task/parse/parse_loss.h"
#include "parser/train/trainer.h"

/* The probabilities of a span's labels below which tree_loss leaves a soft target out. */
#define SOFT_CUT 1e-3

static Status begin(Trainer *tr, Error *e)
{
    tr->state = mem_calloc(1, sizeof(ParseCounts));
    return tr->state ? OK : error_set(e, ERR_NOMEM, "out of memory for a run");
}

static void end(Trainer *tr) { mem_free(tr->state); }

/* Soft targets get the numbers of the model. */
static Status show(const Trainer *tr, const Example *x, int which, Arena *a, Example *out, Error *e)
{
    (void)tr;
    (void)which;
    *out = *x;
    if (!x->soft) return OK;
    ParseGold *gold = arena_calloc(a, 1, sizeof *gold);
    out->gold.own = gold;
    if (gold) gold->tree.n_words = x->s->n_words;
    return gold && (gold->soft = soft_examples_targets(x, a))
               ? OK
               : error_set(e, ERR_NOMEM, "out of memory for soft targets");
}

static Status vary(const Trainer *tr, const Sentence *sent, Arena *a, Example *out, Error *e)
{
    bool tree_wanted = sent->has_tree && sent->n_phrases;
    OracleTree *tree = tree_wanted ? oracle_convert(sent, a) : NULL;
    if ((!tree_wanted || tree) && parse_examples_gold(&tr->m, sent, tree, a, out)) return OK;
    return error_set(e, ERR_NOMEM, "out of memory for a varied sentence");
}

static void weights(double scale, const TrainConfig *c, LossWeights *out)
{
    *out = parse_loss_weights(scale, c->tag_weight);
    for (int part = LOSS_SOFT_SPAN; part <= LOSS_SOFT_TAG; part++) out->part[part] *= c->soft_weight;
    out->part[LOSS_LINK] = scale * c->link_weight;
    out->soft_cut = SOFT_CUT;
}

static int axes(const Model *m, ModelAxis out[TASK_AXES])
{
    const ParseNetwork *n = parse_network(&m->net);
    bool tags = n->c.d_tag_hidden > 0, analyses = tags && n->c.n_analyses;
    const ModelAxis all[TASK_AXES] = {
        { n->span.w2, false, &m->labels, 1, NEW_ZERO }, /* the empty label has no column */
        { n->span.b2, false, &m->labels, 1, NEW_BELOW },
        { n->arc.u, false, &m->types, 0, NEW_MEAN },
        { n->arc.w_l, false, &m->types, 0, NEW_MEAN },
        { n->arc.w_r, false, &m->types, 0, NEW_MEAN },
        { n->arc.bias, false, &m->types, 0, NEW_MEAN },
        { n->arc.type_between, false, &m->types, 0, NEW_MEAN },
        { tags ? n->tag_w2 : -1, false, &m->tags, 0, NEW_MEAN },
        { tags ? n->tag_b2 : -1, false, &m->tags, 0, NEW_MEAN },
        { analyses ? n->analysis_w : -1, false, &m->analyses, 0, NEW_MEAN },
        { analyses ? n->analysis_b : -1, false, &m->analyses, 0, NEW_MEAN },
    };
    memcpy(out, all, sizeof all);
    return TASK_AXES;
}

/* ---- scores */

/* How dev set k is scored; its tags are input where the model has no tagger. */
static EvaluateOptions dev_options(const Trainer *tr, int k)
{
    EvaluateOptions o = { .parse = parse_defaults(&tr->m),
                          .device = tr->a->device,
                          .n_threads = tr->a->n_threads,
                          .given_tags = tr->m.c.use_tags && !tr->m.c.d_tag_hidden,
                          .parses = trainer_syntax_dev(tr, k) };
    int id = vocab_find(&tr->m.treebanks, tr->a->dev[k].name);
    o.parse.treebank = id < 0 ? 0 : id;
    o.parse.shape_tags = false;
    return o;
}

/* May the first dev set choose this way to decode, given the training data? */
static bool is_choice(const Trainer *tr, int decode)
{
    const ParseCounts *c = tr->state;
    return decode == DECODE_AUTO || (decode == DECODE_MARKS && c->lost_marks * 100 > c->marks) ||
           (decode == DECODE_ARCS && c->crossed * 100 > tr->n - c->no_arcs);
}

/* The memory for the way to decode that needs most, of those that will be tried: DECODE_MARKS. */
static Status dev_need(const Trainer *tr, int k, size_t *bytes, Error *e)
{
    EvaluateOptions o = dev_options(tr, k);
    Model m = tr->m;
    if (k == 0 && tr->a->model.decode == DECODE_AUTO && is_choice(tr, DECODE_MARKS)) m.c.decode = DECODE_MARKS;
    return evaluate_need(&m, &tr->a->dev[k].trees, &o, bytes, e);
}

static double las_of(const Scores *s) { return score_percent(s->dep.nopunct.both, s->dep.nopunct.words); }

static Status evaluate(const Trainer *tr, int k, Scores *out, Error *e)
{
    EvaluateOptions o = dev_options(tr, k);
    Evaluation ev = { .punct = PUNCT_AUTO };
    Status status = evaluate_model(&tr->m, &tr->a->dev[k].trees, &o, &ev, e);
    *out = ev.sum;
    return status;
}

/* Scores dev set k by the other ways to decode too, and keeps what is best. */
static Status choose_decoder(Trainer *tr, int k, Scores *s, Error *e)
{
    int *decode = &tr->m.c.decode, before = *decode, best = before;
    Status status = OK;
    for (*decode = DECODE_AUTO; *decode <= DECODE_ARCS && status == OK; ++*decode) {
        Scores other;
        if (*decode == before || !is_choice(tr, *decode)) continue;
        status = evaluate(tr, k, &other, e);
        if (status != OK || score_f1(&other) + las_of(&other) <= score_f1(s) + las_of(s)) continue;
        *s = other;
        best = *decode;
    }
    *decode = best;
    return status;
}

/* Scores dev set k; the parts of a check's score are F1 and LAS, as far as it and the model have trees and
 * dependencies. */
static Status score(Trainer *tr, int k, DevScores *out, Error *e)
{
    Status status = evaluate(tr, k, &out->scores, e);
    if (status == OK && k == 0 && tr->a->model.decode == DECODE_AUTO) status = choose_decoder(tr, k, &out->scores, e);
    if (status != OK) return status;
    const Scores *s = &out->scores;
    const DepCounts *arcs = &s->dep.nopunct;
    double f1 = score_f1(s), las = las_of(s);
    if (s->trees) trainer_figure(out, "f1", "F1", 2, f1);
    if (arcs->words) trainer_figure(out, "uas", "UAS", 2, score_percent(arcs->heads, arcs->words));
    if (arcs->words) trainer_figure(out, "las", "LAS", 2, las);
    if (s->tags) trainer_figure(out, "tags", "tags", 2, score_percent(s->tags_right, s->tags));
    out->has[0] = tr->m.c.trees && s->trees;
    out->has[1] = tr->m.c.arcs && arcs->words;
    out->part[0] = f1;
    out->part[1] = las;
    return OK;
}

/* ---- what is said of a run */

static void put_sizes(const Trainer *tr, StrBuf *out)
{
    strbuf_printf(out, "%d labels, %d types, %d tags, ", vocab_size(&tr->m.labels) - 1, vocab_size(&tr->m.types),
                  vocab_size(&tr->m.tags) - N_RESERVED);
}

static void put_notes(const Trainer *tr, StrBuf *out)
{
    const ParseCounts *c = tr->state;
    bool trees = tr->m.c.trees, arcs = tr->m.c.arcs;
    if (tr->a->init && trees && c->no_tree == tr->n)
        strbuf_puts(out, "  the training data have no trees: their scorer is that of the model\n");
    if (tr->a->init && arcs && c->no_arcs == tr->n)
        strbuf_puts(out, "  the training data have no dependencies: their scorers are those of the model\n");
    if (tr->n_epoch != tr->n) strbuf_printf(out, "%d sentences in each epoch\n", tr->n_epoch);
    if (tr->counts.soft) strbuf_printf(out, "%d sentences with soft targets\n", tr->counts.soft);
    if (trees && arcs && (c->no_tree || c->no_arcs))
        strbuf_printf(out, "%d sentences without a tree, %d without dependencies\n", c->no_tree, c->no_arcs);
    if (c->crossed) strbuf_printf(out, "%d sentences with arcs that cross\n", c->crossed);
    if (c->mended) strbuf_printf(out, "%d dependency types corrected (%s)\n", c->mended, model_language(&tr->m)->mends);
    if (trees && arcs && tr->counts.soft < tr->n)
        strbuf_printf(out, "joint spans: %d groups left flat, %d phrases with more than one head\n", c->flat,
                      c->extra_heads);
    if (c->lost_marks)
        strbuf_printf(out, "%d of %d marks depend on words in phrases, but not on their heads\n", c->lost_marks,
                      c->marks);
    if (c->bare) strbuf_printf(out, "%d trees without a phrase\n", c->bare);
}

static double per_sentence(const Trainer *tr, ParseLoss part)
{
    return tr->loss.part[part] / trainer_gold_sentences(tr);
}

/* Sentences with soft targets since the last check, at least 1. */
static double soft_sentences(const Trainer *tr) { return tr->loss.soft ? (double)tr->loss.soft : 1; }

static int losses(const Trainer *tr, TrainFigure *out)
{
    const ModelConfig *c = &tr->m.c;
    const LossWeights w = parse_loss_weights(1 / soft_sentences(tr), tr->a->train.tag_weight);
    const char *arc = c->arcs ? "arc" : NULL, *type = c->arcs ? "type" : NULL;
    double soft = 0;
    for (int part = LOSS_SOFT_SPAN; part <= LOSS_SOFT_TAG; part++) soft += w.part[part] * tr->loss.part[part];
    int n = 0;
    out[n++] = (TrainFigure){ "span", c->trees ? "span" : NULL, 2, per_sentence(tr, LOSS_SPAN) };
    out[n++] = (TrainFigure){ "arc", arc, 2, per_sentence(tr, LOSS_HEAD) };
    out[n++] = (TrainFigure){ "type", type, 2, per_sentence(tr, LOSS_TYPE) };
    if (tr->counts.soft) out[n++] = (TrainFigure){ NULL, "soft", 2, soft };
    if (c->lal_linked) out[n++] = (TrainFigure){ "link", "link", 2, per_sentence(tr, LOSS_LINK) };
    out[n++] = (TrainFigure){ "tag", c->d_tag_hidden ? "tag" : NULL, 2, per_sentence(tr, LOSS_TAG) };
    if (vocab_size(&tr->m.analyses))
        out[n++] = (TrainFigure){ "analysis", "analysis", 2, per_sentence(tr, LOSS_ANALYSIS) };
    return n;
}

static void put_log(const Trainer *tr, StrBuf *out)
{
    const double *part = tr->loss.part, n = soft_sentences(tr);
    if (!tr->counts.soft) return;
    json_record(out, "soft", "span: %.4f, arc: %.4f, type: %.4f, tag: %.4f", part[LOSS_SOFT_SPAN] / n,
                part[LOSS_SOFT_HEAD] / n, part[LOSS_SOFT_TYPE] / n, part[LOSS_SOFT_TAG] / n);
}

const TaskTraining PARSE_TRAINING = { .begin = begin,
                                      .end = end,
                                      .examples = parse_examples,
                                      .find_parses = trainer_syntax_parses,
                                      .show = show,
                                      .vary = vary,
                                      .axes = axes,
                                      .weights = weights,
                                      .score = score,
                                      .dev_need = dev_need,
                                      .put_sizes = put_sizes,
                                      .put_notes = put_notes,
                                      .losses = losses,
                                      .put_log = put_log };
