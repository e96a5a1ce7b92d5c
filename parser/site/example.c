/* parser/site/example.c: one error explained step by step, at the top of index.html */
#include <math.h>

#include "parser/site/page.h"

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

void example_put(StrBuf *out, const Inspected *i, const Explained *x, int number)
{
    const HeadAttribution *a = &x->a;
    double heads = 0;
    int word = -1;
    for (int h = 0; h < a->heads; h++) heads += a->head[h];
    for (int k = 0; x->by_word && k < i->s->n_words; k++)
        if (word < 0 || x->by_word[k + 1] > x->by_word[word + 1]) word = k;
    strbuf_printf(out, "<section id=\"example\"><h2>%s</h2>\n<ol>\n",
                  x->in_gold == 0 ? "One error, step by step" : "The least certain phrase, step by step");
    put_first_step(out, i, x, number);
    strbuf_printf(out,
                  "<li>Its <a href=\"glossary.html#score\">score</a>, %+.3f, is the sum of the <a "
                  "href=\"glossary.html#contribution\">contributions</a> of %d heads (%+.3f) and of <a "
                  "href=\"glossary.html#bias\">biases</a> (%+.3f). Its <a href=\"glossary.html#probability\">"
                  "probability</a> among the alternatives is %.2f.</li>\n",
                  a->score, a->heads, heads, a->bias, x->p);
    strbuf_puts(out, "<li>The heads with the largest contributions are");
    put_heads(out, a);
    strbuf_puts(out, ". The words after the number say what a head does in general; a positive contribution is for the "
                     "decision, a negative one against it.</li>\n");
    if (x->lead.heads) {
        strbuf_printf(out,
                      "<li>The gold label has a score that is lower by %.3f. To this difference the largest "
                      "contributions are those of the heads",
                      x->lead.score);
        put_heads(out, &x->lead);
        strbuf_puts(out, ": the positive ones caused the error.</li>\n");
    }
    if (word >= 0) {
        strbuf_puts(out, "<li>Of the words that the heads attend to, <q>");
        strbuf_xml(out, i->s->words[word]);
        strbuf_printf(out, "</q> contributes most (%+.3f).", x->by_word[word + 1]);
    } else strbuf_puts(out, "<li>");
    strbuf_printf(out,
                  " <a href=\"s/%ld.html#d%d\">Its page</a> underlines these words and shows every other decision of "
                  "the sentence in the same way.</li>\n</ol>\n</section>\n",
                  i->origin.id, number);
}
