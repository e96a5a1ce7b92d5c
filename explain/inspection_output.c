/* Sums of explanations as tables and text, and for the overview of pages */
#include <string.h>

#include "base/json_writer.h"
#include "explain/head_names.h"
#include "explain/inspection.h"
#include "parser/parse/parse_network.h"

/* what: before the name of each category. */
static void put_tsv(StrBuf *out, const HeadSummary *s, const char *what)
{
    for (int k = -1; (k = head_summary_next(s, k)) >= 0;) {
        const Category *c = &s->c[k];
        const HeadSums *all = &c->by[SUM_ALL], *right = &c->by[SUM_RIGHT], *wrong = &c->by[SUM_WRONG];
        for (int h = -1; (h = head_summary_next_largest(all->share, s->heads, h)) >= 0;) {
            if (!head_summary_has(s, h)) continue;
            strbuf_printf(out, "%s%s\t%ld\t%ld\t%ld\t%d\t%ld\t%ld\t%.5f\t%.5g", what, c->name, all->n,
                          right->n + wrong->n, right->n, h + 1, all->top[h], right->top[h],
                          head_summary_ratio(all->share[h], (double)all->n), all->part[h] / (double)all->n);
            for (int i = SUM_RIGHT; i <= SUM_WRONG; i++) {
                const HeadSums *x = &c->by[i];
                if (x->n)
                    strbuf_printf(out, "\t%.5f\t%.5g", head_summary_ratio(x->share[h], (double)x->n),
                                  x->part[h] / (double)x->n);
                else strbuf_puts(out, "\t\t");
            }
            strbuf_printf(out, "\t%.2e\n", c->worst);
        }
    }
}

void inspection_tsv(StrBuf *out, const Inspection *inspection)
{
    strbuf_puts(out, "category\tdecisions\twith_gold\tright\thead\tleads\tleads_right\tmean_share\tmean_part\tmean_"
                     "share_right\tmean_part_right\t"
                     "mean_share_wrong\tmean_part_wrong\tcompleteness_error\n");
    put_tsv(out, &inspection->sum, "");
    put_tsv(out, &inspection->confused, "");
    put_tsv(out, &inspection->missed, "missed ");
}

static void put_category(StrBuf *out, const HeadSummary *s, int k, const HeadNames *names, int top, bool judged)
{
    const Category *c = &s->c[k];
    const HeadSums *all = &c->by[SUM_ALL], *right = &c->by[SUM_RIGHT], *wrong = &c->by[SUM_WRONG];
    double n = (double)all->n, gold = (double)(right->n + wrong->n);
    strbuf_printf(out, "%s: %ld", c->name, all->n);
    if (judged && gold > 0) strbuf_printf(out, ", %.1f %% right", 100 * head_summary_ratio((double)right->n, gold));
    strbuf_putc(out, '\n');
    for (int j = 0, h = -1; (!top || j < top) && (h = head_summary_next_largest(all->share, s->heads, h)) >= 0; j++) {
        if (!head_summary_has(s, h)) continue;
        strbuf_puts(out, "  head ");
        head_names_column(out, names, h);
        strbuf_printf(out, "  leads %5.1f %%  mean share %5.2f %%  mean contribution %+.3f",
                      100 * head_summary_ratio((double)all->top[h], n), 100 * all->share[h] / n, all->part[h] / n);
        if (judged && right->n && wrong->n)
            strbuf_printf(out, " (right %+.3f, wrong %+.3f)", right->part[h] / (double)right->n,
                          wrong->part[h] / (double)wrong->n);
        if (judged && gold > 0 && all->top[h])
            strbuf_printf(out, "  right where it leads %5.1f %%",
                          100 * head_summary_ratio((double)right->top[h], (double)(right->top[h] + wrong->top[h])));
        strbuf_putc(out, '\n');
    }
}

/* Some lines for each category, the frequent ones first; at most `categories` of them. */
static void put_categories(StrBuf *out, const HeadSummary *s, const HeadNames *names, int categories, int top,
                           bool judged)
{
    for (int i = 0, k = -1; i < categories && (k = head_summary_next(s, k)) >= 0; i++)
        put_category(out, s, k, names, top, judged);
}

/* The words to which leading heads attend most in the missed phrases of a label, of which there are n. */
static void put_attended(StrBuf *out, const Vocab *attended, const char *label, long n)
{
    enum { WORDS = 5 };
    size_t len = strlen(label);
    int last = -1;
    strbuf_puts(out, "  words attended to:");
    for (int i = 0; i < WORDS; i++) {
        int best = -1;
        for (int k = 0; k < vocab_size(attended); k++) {
            const char *name = vocab_text(attended, k);
            bool left = last < 0 || attended->counts[k] < attended->counts[last] ||
                        (attended->counts[k] == attended->counts[last] && k > last);
            if (left && strncmp(name, label, len) == 0 && name[len] == ' ' &&
                (best < 0 || attended->counts[k] > attended->counts[best]))
                best = k;
        }
        if (best < 0) break;
        strbuf_printf(out, "  %s %.1f %%", vocab_text(attended, best) + len + 1,
                      100 * (double)attended->counts[best] / (double)n);
        last = best;
    }
    strbuf_putc(out, '\n');
}

/* The counts of the error analysis of Mrini et al. 2020. */
static void put_missed(StrBuf *out, const Inspection *x, const HeadNames *names, int top)
{
    if (x->missed.names.n)
        strbuf_puts(out, "\nmissed phrases (gold has them, the parse does not, or with another label), and the heads "
                         "that lead their scores:\n");
    for (int k = -1; (k = head_summary_next(&x->missed, k)) >= 0;) {
        put_category(out, &x->missed, k, names, top, false);
        put_attended(out, &x->attended, x->missed.c[k].name, x->missed.c[k].by[SUM_ALL].n);
    }
}

/* Heads that are the most frequent leader of more than one category of at least LEAST_SHARED decisions. */
static void put_shared(StrBuf *out, const HeadSummary *s, const HeadNames *names)
{
    strbuf_printf(out, "\nheads that lead most often in several categories (of at least %d decisions):\n",
                  LEAST_SHARED);
    for (int h = 0; h < s->heads; h++) {
        if (head_summary_led(s, h) < 2) continue;
        strbuf_puts(out, "  head ");
        head_names_column(out, names, h);
        strbuf_putc(out, ' ');
        for (int k = -1; (k = head_summary_next(s, k)) >= 0;)
            if (head_summary_leads(s, k, h)) strbuf_printf(out, " %s", s->c[k].name);
        strbuf_putc(out, '\n');
    }
}

static void put_looks(StrBuf *out, const Inspection *s)
{
    static const struct {
        int of;
        const char *name;
    } kinds[LOOKS] = { { 1, "right" }, { 0, "wrong" }, { LOOKS_MISSED, "missed" } };
    for (int k = 0; k < LOOKS; k++) {
        const Looks *l = &s->looks[kinds[k].of];
        double n = (double)l->n;
        if (!l->n) continue;
        strbuf_printf(out,
                      "%s%ld %s phrases: the leading head attends most to a word inside in %.1f %%, to the head word "
                      "in %.1f %%",
                      k ? "" : "\n", l->n, kinds[k].name, 100 * (double)l->inside / n, 100 * (double)l->at_head / n);
        if (parse_head_category(s->m, 0))
            strbuf_printf(out, "; it is the head of the phrase's category in %.1f %%", 100 * (double)l->named / n);
        strbuf_putc(out, '\n');
    }
}

void inspection_text(StrBuf *out, const Inspection *inspection, int top)
{
    enum { CONFUSIONS = 15 };
    HeadNames names;
    if (head_names_init(&names, inspection->sum.heads, inspection->words, &(Error){ 0 }) != OK) {
        out->failed = true;
        return;
    }
    head_names_linked(&names, inspection->m, 0, NULL);
    head_names_of_labels(&names, inspection->m);
    head_names_of_sums(&names, 0, NULL, &inspection->sum);
    put_categories(out, &inspection->sum, &names, inspection->sum.names.n, top, true);
    if (inspection->confused.names.n)
        strbuf_puts(out, "\nconfused labels (predicted for gold), and the heads that lead the "
                         "difference of their scores:\n");
    put_categories(out, &inspection->confused, &names, CONFUSIONS, top, false);
    put_missed(out, inspection, &names, top);
    put_shared(out, &inspection->sum, &names);
    put_looks(out, inspection);
    strbuf_puts(out, "\nconfidence of the heads (largest attention weight on a word, averaged over sentences):\n");
    for (int h = 0; h < inspection->sum.heads; h++) {
        if (!head_summary_has(&inspection->sum, h)) continue;
        strbuf_puts(out, "  ");
        head_names_column(out, &names, h);
        strbuf_printf(out, "  %.3f\n", head_summary_ratio(inspection->confidence[h], (double)inspection->explained));
    }
    bool note = names.kept || !head_names_given(&names);
    if (note) strbuf_putc(out, '\n');
    head_names_note(out, &names);
    if (note) strbuf_putc(out, '\n');
    head_names_fini(&names);
    strbuf_printf(out, "\ncompleteness_error %.2e of %ld decisions\n", inspection->sum.worst,
                  inspection->sum.explained);
}

Status inspection_overview_json(StrBuf *out, const char *model, bool gold, const Inspection *sums, Error *error)
{
    static const char *const forms[] = { [LAL_WORDS] = "words", [LAL_PHRASES] = "phrases", [LAL_BOTH] = "both" };
    HeadNames names;
    Status status = head_names_init(&names, sums->sum.heads, sums->words, error);
    if (status != OK) return status;
    head_names_linked(&names, sums->m, 0, NULL);
    head_names_of_labels(&names, sums->m);
    head_names_of_sums(&names, 0, NULL, &sums->sum);
    json_string(out, "model", model);
    json_bool(out, "gold", gold);
    json_string(out, "form", forms[sums->m->c.lal_form]);
    head_names_json(out, &names);
    inspection_sums_json(out, sums);
    head_names_fini(&names);
    return OK;
}
