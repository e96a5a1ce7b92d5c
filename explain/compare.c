/* A sentence parsed by two models */
#include "explain/compare.h"

#include <math.h>
#include <string.h>

#include "base/json_writer.h"

void compare_init(Compare *compare, const char *first, const char *second, const Model *model)
{
    *compare = (Compare){ .name = { first, second }, .punct = model_is_ud(model) ? PUNCT_UD : PUNCT_AUTO };
    for (int k = 0; k < 2; k++) report_init(&compare->report[k]);
}

void compare_fini(Compare *compare)
{
    for (int k = 0; k < 2; k++) report_fini(&compare->report[k]);
}

/* ---- what differs */

static bool has_phrase(const Sentence *sent, const Phrase *p)
{
    for (int k = 0; k < sent->n_phrases; k++) {
        const Phrase *q = &sent->phrases[k];
        if (q->begin == p->begin && q->end == p->end && strcmp(q->label, p->label) == 0) return true;
    }
    return false;
}

static bool same_arc(const Sentence *a, const Sentence *b, int w)
{
    return a->heads[w] == b->heads[w] && strcmp(a->types[w], b->types[w]) == 0;
}

/* Adds to *phrases the number of phrases of sent that other lacks. Adds to *right how many of these phrases, and of the
 * arcs of sent that other has otherwise, gold has. */
static void count_differences(const Sentence *sent, const Sentence *other, const Sentence *gold, int *phrases,
                              int *right)
{
    for (int k = 0; k < sent->n_phrases && sent->has_tree && other->has_tree; k++) {
        const Phrase *p = &sent->phrases[k];
        if (has_phrase(other, p)) continue;
        *phrases += 1;
        *right += gold && gold->has_tree && has_phrase(gold, p);
    }
    for (int w = 0; w < sent->n_words && sent->heads && other->heads; w++)
        *right += !same_arc(sent, other, w) && gold && gold->heads && same_arc(sent, gold, w);
}

static int arcs_that_differ(const Sentence *a, const Sentence *b)
{
    int n = 0;
    for (int w = 0; w < a->n_words && a->heads && b->heads; w++) n += !same_arc(a, b, w);
    return n;
}

static bool has_decision(const Inspected *in, const Inspected *of, const Explained *x)
{
    const char *label = decision_label(of->m, x->d.kind, x->d.at.label);
    for (int k = 0; k < in->n; k++) {
        const Explained *y = &in->x[k];
        if (y->d.kind != x->d.kind || y->d.at.begin != x->d.at.begin || y->d.at.end != x->d.at.end) continue;
        const char *other = decision_label(in->m, y->d.kind, y->d.at.label);
        if ((!label && !other) || (label && other && strcmp(label, other) == 0)) return true;
    }
    return false;
}

/* A type is not listed where the arcs differ, and tags, of which only doubtful ones are explained, never are. */
static bool is_listed(const Inspected *in, const Inspected *of, const Explained *x)
{
    if (x->d.kind == EXPLAIN_TAG || has_decision(in, of, x)) return false;
    return x->d.kind != EXPLAIN_TYPE || (in->s->heads && in->s->heads[x->d.at.begin - 1] == x->d.at.end);
}

/* ---- the decisions that differ */

/* The score and probability that a model gives to a decision of another one; NAN: it does not know the label. */
static Status score_by(Worker *w, const Model *of, const Explained *x, Arena *arena, double *score, double *p, Error *e)
{
    Decision d = x->d;
    HeadAttribution a;
    Standing standing;
    const char *label = decision_label(of, d.kind, d.at.label);
    *score = *p = NAN;
    if (label && decision_find(w->m, d.kind, label, &d.at.label, &(Error){ 0 }) != OK) return OK;
    Status status = explain_decision(w, &d, false, arena, &a, &standing, e);
    if (status != OK) return status;
    *score = a.score;
    *p = standing.p;
    return OK;
}

/* A decision of one of the parses, with the scores by both models; number: of the decision in that parse. */
static Status put_decision(StrBuf *out, const Inspected *in[2], int which, int number, Worker *w[2], Arena *arena,
                           Error *e)
{
    const Explained *x = &in[which]->x[number];
    double score[2], p[2];
    score[which] = x->a.score;
    p[which] = x->standing.p;
    Status status = score_by(w[!which], in[which]->m, x, arena, &score[!which], &p[!which], e);
    json_object(out, NULL);
    decision_json(out, in[which]->m, &x->d);
    json_members(out, "model: %d, number: %d", which, number);
    if (x->in_gold >= 0) json_bool(out, "right", x->in_gold);
    json_array(out, "scores");
    for (int k = 0; k < 2; k++) json_real(out, NULL, "%.6g", score[k]);
    json_array_end(out);
    json_array(out, "p");
    for (int k = 0; k < 2; k++) json_real(out, NULL, "%.4f", p[k]);
    json_array_end(out);
    json_object_end(out);
    return status;
}

Status compare_sentence(const Inspected *a, const Inspected *b, Worker *worker[2], Arena *arena, StrBuf *out,
                        Error *error)
{
    const Inspected *in[2] = { a, b };
    Status status = OK;
    inspection_annotation(out, b->s);
    json_array(out, "decisions");
    for (int k = 0; k < 2 && a->confidence && b->confidence; k++)
        for (int i = 0; i < in[k]->n && status == OK; i++)
            if (is_listed(in[!k], in[k], &in[k]->x[i])) status = put_decision(out, in, k, i, worker, arena, error);
    json_array_end(out);
    return status;
}

/* ---- sums */

/* F1, UAS and LAS of both parses of a sentence, null where gold has no such annotation. */
static void put_scores(StrBuf *out, const Scores scores[2])
{
    static const char *const keys[] = { "f1", "uas", "las" };
    for (int i = 0; i < 3; i++) {
        json_array(out, keys[i]);
        for (int k = 0; k < 2; k++) {
            const DepCounts *arcs = &scores[k].dep.nopunct;
            double right = (double)(i == 1 ? arcs->heads : arcs->both);
            if (i == 0) json_real(out, NULL, "%.2f", scores[k].trees ? score_f1(&scores[k]) : NAN);
            else json_real(out, NULL, "%.2f", 100 * right / (double)arcs->words);
        }
        json_array_end(out);
    }
}

Status compare_add(Compare *compare, const Sentence *const parse[2], const Sentence *gold, StrBuf *out, Error *error)
{
    bool judged = gold && (gold->has_tree || gold->heads);
    int differences = arcs_that_differ(parse[0], parse[1]), right[2] = { 0, 0 };
    Scores scores[2] = { { 0 }, { 0 } };
    Status status = OK;
    for (int k = 0; k < 2 && status == OK; k++) {
        count_differences(parse[k], parse[!k], gold, &differences, &right[k]);
        compare->right[k] += right[k];
        if (gold) status = score_add(&scores[k], gold, parse[k], compare->punct, error);
        if (gold && status == OK) status = score_add(&compare->scores[k], gold, parse[k], compare->punct, error);
        if (gold && status == OK) status = report_add(&compare->report[k], gold, parse[k], error);
    }
    compare->gold = compare->gold || judged;
    compare->sentences++;
    compare->differing += differences > 0;
    compare->differences += differences;
    json_long(out, "differences", differences);
    if (judged) json_ints(out, "right", right, 2);
    if (judged) put_scores(out, scores);
    return status;
}

void compare_json(StrBuf *out, const Compare *compare)
{
    json_members(out, "sentences: %ld, differing: %ld, differences: %ld", compare->sentences, compare->differing,
                 compare->differences);
    json_array(out, "models");
    for (int k = 0; k < 2; k++) {
        json_object(out, NULL);
        json_string(out, "name", compare->name[k]);
        if (compare->gold) {
            json_long(out, "right", compare->right[k]);
            score_members(&compare->scores[k], out);
            json_key(out, "report");
            report_write(&compare->report[k], REPORT_JSON, out);
        }
        json_object_end(out);
    }
    json_array_end(out);
}
