/* Expected scores are means of probabilities; where the sums overflow, the numbers are
 * unknown instead of an error. */
#include "parser/parse/confidence.h"

#include <math.h>

#include "cky/marginals.h"
#include "parser/parse/rule_types.h"

void confidence_weights(const JointWeights *weights, double lambda, JointScores *scores)
{
    bool fitted = weights->sentences > 0;
    scores->span_weight = fitted && lambda > 0 ? weights->span / lambda : 1;
    scores->arc_weight = fitted && lambda < 1 ? weights->arc / (1 - lambda) : 1;
}

void confidence_f1_features(double expected, int words, double grammar, double *f)
{
    const double least = 1e-4; /* 0 and 1 have no logit */
    double p = fmin(fmax(expected, least), 1 - least);
    f[0] = 1;
    f[1] = log(p / (1 - p));
    f[2] = log(words);
    f[3] = grammar / words;
}

double confidence_f1(const F1Map *map, double expected, int words, double grammar)
{
    double f[F1_FEATURES];
    if (!map || !map->sentences || expected < 0 || words < 1) return PROBABILITY_UNKNOWN;
    confidence_f1_features(expected, words, grammar, f);
    double z = map->bias * f[0] + map->expected * f[1] + map->words * f[2] + map->grammar * f[3];
    return 1 / (1 + exp(-z));
}

/* The softmax probability of the arc from word c (0-based) to a head. */
static Real arc_probability(const Real *arcs, int n, int c, int head)
{
    const Real *row = arcs + (ptrdiff_t)(c + 1) * (n + 1);
    double max = (double)row[0], sum = 0;
    for (int g = 1; g <= n; g++) max = fmax(max, (double)row[g]);
    for (int g = 0; g <= n; g++) sum += exp((double)row[g] - max);
    return (Real)(exp((double)row[head] - max) / sum);
}

void confidence_arcs(const Real *arcs, const int *heads, int n, Real *prob)
{
    for (int c = 0; c < n; c++) prob[c] = arc_probability(arcs, n, c, heads[c]);
}

/* The mean of n probabilities that add to sum; rounding may take it above 1. */
static double mean_of(double sum, int n) { return n && isfinite(sum) ? fmin(1, sum / n) : PROBABILITY_UNKNOWN; }

/* A phrase for each labelled node, in the same order. */
static Status add_joint(const ConfidenceCase *x, Arena *scratch, const Parsed *p, Confidence *to, double *log_z,
                        Error *e)
{
    const JointScores *s = x->s;
    JointMarginals m;
    double log_sum, sum = 0;
    int phrases = 0;
    Status status = joint_marginals(s, scratch, scratch, &m, e);
    if (status == OK) status = joint_log_sum(s, x->tree, scratch, &log_sum, e);
    if (status != OK || !(m.log_z > -INFINITY)) return status;
    for (int k = 0; k < x->tree->n_nodes; k++) {
        const Span *node = &x->tree->nodes[k];
        if (node->label <= CHART_GROUP) continue;
        double one = m.label[chart_span(s->n, node->begin, node->end) * (s->n_labels - 1) + node->label - 1];
        to->phrase[phrases++] = (Real)fmin(1, one);
        sum += one;
    }
    *log_z = m.log_z;
    to->p_tree = fmin(1, exp(log_sum - m.log_z));
    to->expected_f1 = mean_of(sum, phrases);
    for (int c = 0; c < s->n; c++) {
        bool own = p->heads[c] == x->tree->heads[c];
        to->arc[c] = own ? (Real)m.arc[(ptrdiff_t)(c + 1) * (s->n + 1) + p->heads[c]]
                         : arc_probability(x->arcs, s->n, c, p->heads[c]);
    }
    return OK;
}

static Status add_apart(const ConfidenceCase *x, Arena *scratch, const Parsed *p, Confidence *to, Error *e)
{
    const JointScores *s = x->s;
    double sum = 0;
    int phrases = 0;
    if (x->arcs) confidence_arcs(x->arcs, p->heads, s->n, to->arc);
    if (!s->labels) return OK;
    Marginals m;
    Status status = marginals_compute(s->labels, s->n, s->n_labels, NULL, 1, scratch, &m, e);
    for (int k = 0; status == OK && k < x->tree->n_nodes; k++) {
        const Span *node = &x->tree->nodes[k];
        if (node->label <= CHART_GROUP) continue;
        sum += (double)m.label[chart_span(s->n, node->begin, node->end) * (s->n_labels - 1) + node->label - 1];
        phrases++;
    }
    to->expected_f1 = mean_of(sum, phrases);
    return status;
}

Status confidence_new(const ConfidenceCase *confidence_case, Arena *scratch, Arena *out, Parsed *parsed, double *log_z,
                      Error *error)
{
    int n = parsed->n_words;
    Confidence *to = arena_calloc(out, 1, sizeof *to);
    Real *arc = arena_calloc(out, (size_t)n, sizeof *arc);
    if (!to || !arc) return error_set(error, ERR_NOMEM, "out of memory for probabilities");
    *to = (Confidence){ PROBABILITY_UNKNOWN, PROBABILITY_UNKNOWN, PROBABILITY_UNKNOWN, PROBABILITY_UNKNOWN, arc, NULL };
    if (confidence_case->joint &&
        !(to->phrase = arena_calloc(out, (size_t)confidence_case->tree->n_nodes, sizeof *to->phrase)))
        return error_set(error, ERR_NOMEM, "out of memory for probabilities");
    *log_z = -INFINITY;
    ArenaMark mark = arena_mark(scratch);
    Status status = confidence_case->joint ? add_joint(confidence_case, scratch, parsed, to, log_z, error)
                                           : add_apart(confidence_case, scratch, parsed, to, error);
    arena_rewind(scratch, mark);
    if (status == ERR_RANGE) *error = (Error){ .code = OK }; /* scores are too large */
    if (to->p_tree < 0) to->phrase = NULL;
    double sum = 0;
    for (int c = 0; c < n; c++) sum += (double)arc[c];
    if (sum > 0) to->expected_las = mean_of(sum, n);
    to->calibrated_f1 = confidence_f1(confidence_case->map, to->expected_f1, n, parsed->grammar);
    parsed->confidence = to;
    return error->code;
}

/* The probability of the type of word c, whose types have the scores x [n], and which has the type `rule` by rules. */
static double type_probability(const Model *m, const Real *x, int n, int rule, const Given *given, const Parsed *p,
                               int c)
{
    bool sure = (p->heads[c] == 0 && m->root_type >= 0) || (given && given_type(m, given, p, c));
    int type = sure ? -1 : vocab_find(&m->types, p->types[c]);
    double sum = 0;
    if (type < 0) return 1;
    double chosen = (double)(x[type] + rule_types_add(m, rule, type));
    for (int y = 0; y < n; y++)
        if (y != m->root_type) sum += exp((double)(x[y] + rule_types_add(m, rule, y)) - chosen);
    return 1 / sum;
}

void confidence_types(const Model *model, const HostMatrix *scores, int first, const int *rule, const Given *given,
                      Parsed *parsed)
{
    Confidence *x = parsed->confidence;
    double sum = 0;
    if (!x || x->expected_las < 0) return;
    for (int c = 0; c < parsed->n_words; c++)
        sum += (double)x->arc[c] *
               type_probability(model, host_row(scores, first + c + 1), scores->cols, rule[c], given, parsed, c);
    x->expected_las = mean_of(sum, parsed->n_words);
}

/* Adds the mean of n probabilities to a sum; once unknown, it stays so. */
static void add_mean(double mean, int n, double *sum)
{
    if (mean < 0) *sum = PROBABILITY_UNKNOWN;
    if (*sum >= 0) *sum += mean * n;
}

bool confidence_join(const Parsed *piece, int n, Arena *out, Parsed *whole)
{
    Confidence sum = { .p_tree = 1 };
    int phrases = 0, words = 0;
    for (int k = 0; k < n; k++) {
        const Confidence *x = piece[k].confidence;
        if (!x) return true;
        if (x->p_tree < 0) sum.p_tree = PROBABILITY_UNKNOWN;
        if (sum.p_tree >= 0) sum.p_tree *= x->p_tree;
        add_mean(x->expected_f1, piece[k].n_phrases, &sum.expected_f1);
        add_mean(x->calibrated_f1, piece[k].n_phrases, &sum.calibrated_f1);
        add_mean(x->expected_las, piece[k].n_words, &sum.expected_las);
        phrases += piece[k].n_phrases;
        words += piece[k].n_words;
    }
    if (sum.expected_f1 >= 0) sum.expected_f1 = mean_of(sum.expected_f1, phrases);
    if (sum.calibrated_f1 >= 0) sum.calibrated_f1 = mean_of(sum.calibrated_f1, phrases);
    if (sum.expected_las >= 0) sum.expected_las = mean_of(sum.expected_las, words);
    if (!(whole->confidence = arena_alloc(out, 1, sizeof sum))) return false;
    *whole->confidence = sum;
    return true;
}
