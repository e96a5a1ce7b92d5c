/* One error explained step by step, at the top of index.html */
#include <math.h>

#include "explain/site/site_internal.h"

double example_rank(const Explained *x, bool gold)
{
    bool wrong = x->in_gold == 0;
    if (gold && !wrong) return EXAMPLE_NONE;
    if (!gold) return (x->d.kind == EXPLAIN_SPAN) - x->p; /* the least certain phrase */
    return (x->lead.heads ? 2 : x->d.kind == EXPLAIN_SPAN) + 0.5 * x->p;
}

/* " 51 · verb phrases (+0.352)" for the heads with the largest contributions. */
static void put_heads(StrBuf *out, const HeadAttribution *a)
{
    for (int k = 0, h = -1; k < SITE_HEADS / 2 && (h = inspection_next_head(a, h)) >= 0; k++) {
        strbuf_puts(out, k ? "; " : " ");
        page_head(out, h);
        strbuf_printf(out, " (%+.3f)", a->head[h]);
    }
}

static void put_first_step(StrBuf *out, const Inspected *i, const Explained *x, int number)
{
    enum { WORDS = 12 };
    bool wrong = x->in_gold == 0;
    strbuf_printf(out, "<li>In <a href=\"s/%ld.html#d%d\">sentence %ld</a> the parse has <strong%s>", i->origin.id,
                  number, i->origin.id, wrong ? " class=\"bad\"" : "");
    page_decision_name(out, i->m, &x->d);
    strbuf_puts(out, x->d.kind == EXPLAIN_SPAN ? "</strong> over <q>" : "</strong>: <q>");
    page_decision_words(out, &x->d, i->s, WORDS);
    strbuf_puts(out, "</q>");
    if (wrong) {
        strbuf_puts(out, "; <strong class=\"good\">");
        page_decision_gold(out, x, i->gold);
        strbuf_puts(out, "</strong>");
    }
    strbuf_puts(out, ".</li>\n");
}

/* "41 are for VP (+4.100 in sum)" */
static void put_side(StrBuf *out, int heads, double sum, const char *label)
{
    if (heads) strbuf_printf(out, "%d %s for ", heads, heads == 1 ? "is" : "are");
    else strbuf_puts(out, "none is for ");
    strbuf_xml(out, label);
    if (heads) strbuf_printf(out, heads == 1 ? " (%+.3f)" : " (%+.3f in sum)", sum);
}

/* Whether the heads or the biases made the score of the wrong label the higher one. */
static void put_verdict(StrBuf *out, const HeadAttribution *lead, double heads, const char *label)
{
    static const double SHOWN = 0.0005; /* smaller numbers are shown as 0.000 */
    bool by_heads = heads >= SHOWN, against = by_heads ? lead->bias <= -SHOWN : heads <= -SHOWN;
    if (fabs(lead->score) < SHOWN) {
        strbuf_puts(out, "Both labels have the same score.");
        return;
    }
    if (lead->score < 0) {
        strbuf_puts(out, "The parse cannot have the gold label, which only other treebanks of the model use.");
        return;
    }
    if (by_heads && lead->bias >= SHOWN) strbuf_puts(out, "Both the heads in sum and the biases are for ");
    else strbuf_puts(out, by_heads ? "The heads decided for " : "The biases decided for ");
    strbuf_xml(out, label);
    strbuf_puts(out, !against ? "." : by_heads ? ", against the biases." : ", against the heads.");
}

void example_difference(StrBuf *out, const HeadAttribution *lead, const char *label, const char *gold)
{
    int n[2] = { 0, 0 };
    double sum[2] = { 0, 0 }; /* for the label, for gold */
    for (int h = 0; h < lead->heads; h++) {
        if (lead->head[h] == 0) continue;
        n[lead->head[h] < 0]++;
        sum[lead->head[h] < 0] += lead->head[h];
    }
    strbuf_puts(out, "<li>The score of the gold label, ");
    strbuf_xml(out, gold);
    strbuf_printf(out,
                  ", is %s by %.3f. Of the %d contributions of heads to this <a "
                  "href=\"glossary.html#difference\">difference</a>, ",
                  lead->score < 0 ? "higher" : "lower", fabs(lead->score), attribution_left(lead));
    put_side(out, n[0], sum[0], label);
    strbuf_puts(out, " and ");
    put_side(out, n[1], sum[1], gold);
    if (lead->row) strbuf_printf(out, "; <a href=\"glossary.html#pruned\">pruned heads</a> add %+.3f", lead->pruned);
    strbuf_printf(out, "; the biases add %+.3f. The largest are those of the heads", lead->bias);
    put_heads(out, lead);
    strbuf_puts(out, ". ");
    put_verdict(out, lead, sum[0] + sum[1], label);
    strbuf_puts(out, "</li>\n");
}

void example_put(StrBuf *out, const Inspected *i, const Explained *x, int number)
{
    const HeadAttribution *a = &x->a;
    double heads = 0;
    int word = -1;
    for (int h = 0; h < a->heads; h++) heads += a->head[h];
    for (int k = 0; x->by_word && k < i->s->n_words; k++)
        if (word < 0 || fabs(x->by_word[k + 1]) > fabs(x->by_word[word + 1])) word = k;
    strbuf_printf(out, "<section id=\"example\"><h2>%s</h2>\n<ol>\n",
                  x->in_gold == 0 ? "One error, step by step" : "The least certain phrase, step by step");
    put_first_step(out, i, x, number);
    strbuf_printf(out,
                  "<li>Its <a href=\"glossary.html#score\">score</a>, %+.3f, is the sum of the <a "
                  "href=\"glossary.html#contribution\">contributions</a> of %d heads (%+.3f)",
                  a->score, attribution_left(a), heads);
    if (a->row) strbuf_printf(out, ", of <a href=\"glossary.html#pruned\">pruned heads</a> (%+.3f)", a->pruned);
    strbuf_printf(out,
                  " and of <a href=\"glossary.html#bias\">biases</a> (%+.3f). Its <a "
                  "href=\"glossary.html#probability\">probability</a> among the alternatives is %.2f.</li>\n",
                  a->bias, x->p);
    strbuf_puts(out, "<li>The heads with the largest contributions, positive or negative, are");
    put_heads(out, a);
    strbuf_puts(out, ". A positive contribution is for the decision, a negative one against it.</li>\n");
    if (x->lead.heads) example_difference(out, &x->lead, decision_label(i->m, x->d.kind, x->d.at.label), x->gold);
    if (word >= 0) {
        strbuf_puts(out, "<li>Of the words that the heads attend to, <q>");
        strbuf_xml(out, i->s->words[word]);
        strbuf_printf(out, "</q> has the largest contribution, %s the decision (%+.3f).",
                      x->by_word[word + 1] < 0 ? "against" : "for", x->by_word[word + 1]);
    } else strbuf_puts(out, "<li>");
    strbuf_printf(out,
                  " <a href=\"s/%ld.html#d%d\">Its page</a> underlines these words and shows every other decision of "
                  "the sentence in the same way.</li>\n</ol>\n</section>\n",
                  i->origin.id, number);
}
