/* A category has sums over all, right and wrong decisions; heads are ranked by them, and
 * pruned ones are left out. */
#include "explain/head_summary.h"

#include <math.h>
#include <string.h>

void head_summary_init(HeadSummary *summary, int heads)
{
    *summary = (HeadSummary){ .heads = heads };
    map_init(&summary->names);
}

void head_summary_fini(HeadSummary *summary)
{
    for (int k = 0; k < summary->names.n && summary->c; k++) {
        mem_free(summary->c[k].by[0].top);
        mem_free(summary->c[k].by[0].share);
    }
    mem_free(summary->c);
    map_fini(&summary->names);
}

static Category *category_of(HeadSummary *s, const char *name)
{
    int k = map_find(&s->names, name, strlen(name));
    if (k >= 0) return &s->c[k];
    size_t heads = (size_t)s->heads;
    long *top = mem_calloc(SUM_KINDS * heads, sizeof *top);
    double *sums = mem_calloc(2 * (size_t)SUM_KINDS * heads, sizeof *sums);
    if (top && sums && mem_reserve(s->c, &s->cap, s->names.n + 1) &&
        (k = map_add(&s->names, name, strlen(name))) >= 0) {
        s->c[k] = (Category){ .name = s->names.keys[k] };
        for (size_t i = 0; i < SUM_KINDS; i++)
            s->c[k].by[i] =
                (HeadSums){ .top = top + i * heads, .share = sums + 2 * i * heads, .part = sums + (2 * i + 1) * heads };
        return &s->c[k];
    }
    mem_free(top);
    mem_free(sums);
    return NULL;
}

Status head_summary_add(HeadSummary *summary, const char *category, const HeadAttribution *attribution,
                        const double *share, int in_gold, Error *error)
{
    Category *c = category_of(summary, category);
    if (!c) return error_set(error, ERR_NOMEM, "out of memory summing up");
    double sum = 0;
    int top = 0;
    while (top + 1 < summary->heads && !head_summary_has(summary, top)) top++;
    for (int h = top; h < summary->heads; h++) {
        double now = share ? share[h] : fabs(attribution->head[h]),
               best = share ? share[top] : fabs(attribution->head[top]);
        sum += now;
        if (now > best) top = h;
    }
    const int to[] = { SUM_ALL, in_gold > 0 ? SUM_RIGHT : SUM_WRONG };
    for (int i = 0; i < (in_gold >= 0 ? 2 : 1); i++) {
        HeadSums *x = &c->by[to[i]];
        x->n++;
        if (sum > 0) x->top[top]++;
        for (int h = 0; h < summary->heads; h++) {
            if (sum > 0) x->share[h] += (share ? share[h] : fabs(attribution->head[h])) / sum;
            x->part[h] += attribution->head[h];
        }
    }
    summary->explained++;
    double left = attribution_error(attribution);
    if (!(left <= c->worst)) c->worst = left;
    if (!(left <= summary->worst)) summary->worst = left;
    return OK;
}

int head_summary_next_largest(const double *value, int n, int before)
{
    int best = -1;
    for (int k = 0; k < n; k++) {
        bool later = before < 0 || value[k] < value[before] || (value[k] == value[before] && k > before);
        if (later && (best < 0 || value[k] > value[best])) best = k;
    }
    return best;
}

int head_summary_next(const HeadSummary *summary, int before)
{
    int best = -1;
    for (int k = 0; k < summary->names.n; k++) {
        long n = summary->c[k].by[SUM_ALL].n, last = before < 0 ? 0 : summary->c[before].by[SUM_ALL].n;
        bool later = before < 0 || n < last || (n == last && k > before);
        if (later && (best < 0 || n > summary->c[best].by[SUM_ALL].n)) best = k;
    }
    return best;
}

int head_summary_leader(const HeadSums *sums, int heads)
{
    int best = 0;
    for (int h = 1; h < heads; h++)
        if (sums->top[h] > sums->top[best]) best = h;
    return best;
}

bool head_summary_leads(const HeadSummary *summary, int k, int head)
{
    return summary->c[k].by[SUM_ALL].n >= LEAST_SHARED &&
           head_summary_leader(&summary->c[k].by[SUM_ALL], summary->heads) == head;
}

int head_summary_led(const HeadSummary *summary, int head)
{
    int n = 0;
    for (int k = 0; k < summary->names.n; k++) n += head_summary_leads(summary, k, head);
    return n;
}

bool head_summary_has(const HeadSummary *summary, int head) { return !summary->row || summary->row[head] >= 0; }

int head_summary_left(const HeadSummary *summary)
{
    int n = 0;
    for (int h = 0; h < summary->heads; h++) n += head_summary_has(summary, h);
    return n;
}

double head_summary_ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
