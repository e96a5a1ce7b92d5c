/* A sentence is parsed once, and its distributions are computed at each temperature;
 * losses and bins are summed over the words or spans. */
#include "parser/parse/calibration.h"

#include <math.h>

#include "base/json_writer.h"
#include "parser/parse/gold_pass.h"
#include "parser/parse/parse_network.h"
#include "parser/parse/soft_parse.h"
#include "treebank/oracle.h"

/* ascending */
static const double TEMPERATURE[CALIBRATION_TEMPERATURES] = { 0.1, 0.125, 0.15, 0.2,  0.25, 0.3, 0.4, 0.5,
                                                              0.6, 0.8,   1,    1.25, 1.5,  2,   3 };

/* Losses end here: a probability may be 0 in double. */
#define P_LEAST 1e-12

static void add_gold(CalibrationSums *s, double p)
{
    s->loss -= log(fmax(p, P_LEAST));
    s->gold++;
}

static void add_decision(CalibrationSums *s, double p, bool right)
{
    int bin = (int)fmin(p * CALIBRATION_BINS, CALIBRATION_BINS - 1);
    s->p[bin] += p;
    s->n[bin]++;
    s->right[bin] += right;
}

/* A sentence that was parsed, alone in its batch. */
typedef struct Parse {
    CalibrationSums (*sums)[CALIBRATION_TEMPERATURES]; /* [CALIBRATION_KINDS] */
    Worker *w;
    const Sentence *gold;
    const Parsed *p;
    const ParseOptions *o;
    bool *allowed;       /* [the longest row], as is probability */
    double *probability; /* of one word */
} Parse;

/* Adds one word with the scores x [n], of which some are allowed, at all temperatures. gold: its value, -1 unknown. */
static void add_word(const Parse *x, CalibrationKind kind, const Real *scores, int n, int decided, int gold)
{
    for (int t = 0; t < CALIBRATION_TEMPERATURES; t++) {
        CalibrationSums *s = &x->sums[kind][t];
        soft_distribution(scores, x->allowed, n, TEMPERATURE[t], x->probability);
        add_decision(s, x->probability[decided], decided == gold);
        if (gold >= 0) add_gold(s, x->probability[gold]);
    }
}

static Status add_tags(const Parse *x, Error *e)
{
    HostMatrix scores = tensor_host(&x->w->tape, parse_scores(&x->w->net)->tags, &x->w->scratch);
    if (worker_status(x->w, e) != OK) return e->code;
    for (int k = 0; k < scores.cols; k++) x->allowed[k] = k >= N_RESERVED;
    for (int w = 0; w < x->gold->n_words; w++)
        add_word(x, CALIBRATE_TAGS, host_row(&scores, w + 1), scores.cols, vocab_find(&x->w->m->tags, x->p->tags[w]),
                 vocab_find(&x->w->m->tags, x->gold->tags[w]));
    return OK;
}

static Status add_arcs(const Parse *x, Error *e)
{
    int n = x->gold->n_words;
    const Real *arcs = tensor_host(&x->w->tape, parse_scores(&x->w->net)->arc.arcs, &x->w->scratch).data;
    if (!arcs) return worker_status(x->w, e);
    for (int w = 0; w < n; w++) {
        for (int g = 0; g <= n; g++) x->allowed[g] = g != w + 1;
        add_word(x, CALIBRATE_ARCS, arcs + (ptrdiff_t)(w + 1) * (n + 1), n + 1, x->p->heads[w], x->gold->heads[w]);
    }
    return OK;
}

/* The labels of the gold tree by span, CHART_EMPTY where it has no phrase, -1 where the model does not know its
 * label. */
static int *gold_labels(const Parse *x, const OracleTree *tree)
{
    int n = x->gold->n_words, *label = arena_calloc(&x->w->scratch, (size_t)chart_size(n), sizeof *label);
    for (int k = 0; label && k < tree->n; k++)
        label[chart_span(n, tree->nodes[k].begin, tree->nodes[k].end)] =
            vocab_find(&x->w->m->labels, tree->nodes[k].label);
    return label;
}

static void add_chart(const Parse *x, CalibrationSums *s, const Marginals *m, const int *gold)
{
    int n = x->gold->n_words, labels = parse_network(&x->w->m->net)->span.n_labels - 1;
    for (int k = 0; k < x->p->n_phrases; k++) {
        const Phrase *y = &x->p->phrases[k];
        int label = vocab_find(&x->w->m->labels, y->label);
        long at = chart_span(n, y->begin, y->end);
        add_decision(s, (double)m->label[at * labels + label - 1], label == gold[at]);
    }
    for (long at = 0; at < chart_size(n); at++)
        if (gold[at] > CHART_GROUP) add_gold(s, (double)m->label[at * labels + gold[at] - 1]);
}

static Status add_spans(const Parse *x, Error *e)
{
    const Model *m = x->w->m;
    Arena *a = &x->w->scratch;
    Real *mask;
    const OracleTree *tree = oracle_convert(x->gold, a);
    const int *gold = tree ? gold_labels(x, tree) : NULL;
    if (!gold || !model_label_mask(m, x->o->treebank, a, &mask))
        return error_set(e, ERR_NOMEM, "out of memory for probabilities");
    const Real *scores = soft_span_scores(x->w, 0, e);
    Status s = scores ? OK : e->code;
    for (int t = 0; t < CALIBRATION_TEMPERATURES && s == OK; t++) {
        Marginals chart;
        ArenaMark mark = arena_mark(a);
        s = soft_marginals(x->w, scores, x->gold->n_words, mask, TEMPERATURE[t], &chart, e);
        if (s == OK) add_chart(x, &x->sums[CALIBRATE_SPANS][t], &chart, gold);
        arena_rewind(a, mark);
    }
    return s;
}

static Status add_sentence(const void *context, void *sums, Worker *w, const Sentence *gold, const Parsed *p, Error *e)
{
    const Model *m = w->m;
    size_t most = (size_t)gold->n_words + 1 + (size_t)vocab_size(&m->tags);
    Parse x = { .sums = sums,
                .w = w,
                .gold = gold,
                .p = p,
                .o = context,
                .allowed = arena_alloc(&w->scratch, most, sizeof(bool)),
                .probability = arena_alloc(&w->scratch, most, sizeof(double)) };
    Status s = x.allowed && x.probability ? OK : error_set(e, ERR_NOMEM, "out of memory for probabilities");
    if (s == OK && gold->tags && p->tags) s = add_tags(&x, e);
    if (s == OK && gold->heads && p->heads) s = add_arcs(&x, e);
    return s == OK && gold->has_tree && gold->n_phrases && m->c.trees ? add_spans(&x, e) : s;
}

static void add_sums(CalibrationSums *to, const CalibrationSums *from)
{
    to->loss += from->loss;
    to->gold += from->gold;
    for (int k = 0; k < CALIBRATION_BINS; k++) {
        to->p[k] += from->p[k];
        to->n[k] += from->n[k];
        to->right[k] += from->right[k];
    }
}

static void merge(void *to, const void *from)
{
    for (int k = 0; k < CALIBRATION_KINDS * CALIBRATION_TEMPERATURES; k++)
        add_sums((CalibrationSums *)to + k, (const CalibrationSums *)from + k);
}

Status calibration_run(Calibration *calibration, const Model *model, const Treebank *gold, const ParseOptions *options,
                       int n_threads, Error *error)
{
    const GoldPass pass = { .m = model,
                            .gold = gold,
                            .o = options,
                            .n_threads = n_threads,
                            .size = sizeof calibration->sums,
                            .add = add_sentence,
                            .merge = merge,
                            .context = options };
    return gold_pass(&pass, calibration->sums, &calibration->left_out, error);
}

/* ---- output */

/* The mean loss, in nats; NAN without gold. */
static double loss_of(const CalibrationSums *s) { return s->gold ? s->loss / (double)s->gold : NAN; }

/* The expected calibration error in percent: the mean over decisions of the distance between the share of right ones in
 * their bin and the mean probability there; NAN without a decision. */
static double error_of(const CalibrationSums *s)
{
    double sum = 0;
    long n = 0;
    for (int k = 0; k < CALIBRATION_BINS; k++) {
        sum += fabs((double)s->right[k] - s->p[k]);
        n += s->n[k];
    }
    return n ? 100 * sum / (double)n : NAN;
}

static const char *const NAMES[CALIBRATION_KINDS] = { "tags", "arcs", "spans" };

/* The temperature of the lowest loss; -1 without one. */
static int lowest(const Calibration *c, int kind)
{
    int best = -1;
    for (int t = 0; t < CALIBRATION_TEMPERATURES; t++) {
        double loss = loss_of(&c->sums[kind][t]);
        if (!isnan(loss) && (best < 0 || loss < loss_of(&c->sums[kind][best]))) best = t;
    }
    return best;
}

void calibration_text(const Calibration *calibration, StrBuf *out)
{
    strbuf_puts(out, "\ncalibration         tags             arcs             spans\n"
                     "temperature    loss   error     loss   error     loss   error\n");
    for (int t = 0; t < CALIBRATION_TEMPERATURES; t++) {
        strbuf_printf(out, "%-11g", TEMPERATURE[t]);
        for (int kind = 0; kind < CALIBRATION_KINDS; kind++) {
            const CalibrationSums *s = &calibration->sums[kind][t];
            if (!s->gold) strbuf_puts(out, "       -       - ");
            else
                strbuf_printf(out, "  %6.4f%s %6.2f ", loss_of(s), lowest(calibration, kind) == t ? "*" : " ",
                              error_of(s));
        }
        while (!out->failed && out->ptr[out->len - 1] == ' ') strbuf_cut(out, out->len - 1);
        strbuf_putc(out, '\n');
    }
    if (calibration->left_out) strbuf_printf(out, "%d sentences were left out\n", calibration->left_out);
}

static void put_list(const Calibration *c, int kind, const char *name, double (*value)(const CalibrationSums *),
                     const char *format, StrBuf *out)
{
    json_array(out, name);
    for (int t = 0; t < CALIBRATION_TEMPERATURES; t++) json_real(out, NULL, format, value(&c->sums[kind][t]));
    json_array_end(out);
}

void calibration_json(const Calibration *calibration, StrBuf *out)
{
    json_object(out, NULL);
    json_array(out, "temperature");
    for (int t = 0; t < CALIBRATION_TEMPERATURES; t++) json_real(out, NULL, "%g", TEMPERATURE[t]);
    json_array_end(out);
    for (int kind = 0; kind < CALIBRATION_KINDS; kind++) {
        json_object(out, NAMES[kind]);
        json_long(out, "gold", calibration->sums[kind][0].gold);
        put_list(calibration, kind, "loss", loss_of, "%.5f", out);
        put_list(calibration, kind, "error", error_of, "%.3f", out);
        json_object_end(out);
    }
    json_long(out, "left_out", calibration->left_out);
    json_object_end(out);
}
