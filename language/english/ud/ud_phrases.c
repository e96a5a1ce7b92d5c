/* What is the constituency tree of the sentence? The passes read it beside the arcs, which do not say everything that
 * it says: what is a subject, what is set apart. */
#include "language/english/ud/ud_internal.h"

/* Copies the phrases, and finds those around and beside each and the innermost one around each word. open [n_phrases]
 * is scratch. */
static void link_phrases(UdTree *t, const Sentence *sentence, int *open)
{
    int depth = 0, n = sentence->n_phrases;
    for (int p = 0, w = 1; p <= n; p++) {
        int until = p < n ? sentence->phrases[p].begin : t->n, gone = -1;
        while (w <= until) {
            while (depth && t->phrases[open[depth - 1]].last < w) gone = open[--depth];
            t->inner[w++] = depth ? open[depth - 1] : -1;
        }
        if (p == n) break;
        const Phrase *from = &sentence->phrases[p];
        while (depth && t->phrases[open[depth - 1]].last <= from->begin) gone = open[--depth];
        int up = depth ? open[depth - 1] : -1;
        if (gone < 0 || t->phrases[gone].up != up) gone = -1;
        t->phrases[p] = (UdPhrase){
            .label = from->label, .first = from->begin + 1, .last = from->end, .up = up, .before = gone, .after = -1
        };
        if (gone >= 0) t->phrases[gone].after = p;
        open[depth++] = p;
    }
}

static bool is_outside(const UdPhrase *p, int word) { return word < p->first || word > p->last; }

/* Offers word w as the head of phrase p. */
static void offer_head(UdTree *t, int p, int w)
{
    if (p < 0 || !w || !is_outside(&t->phrases[p], t->w[w].head)) return;
    if (!t->phrases[p].head || w < t->phrases[p].head) t->phrases[p].head = w;
}

bool ud_read_phrases(UdTree *tree, const Sentence *sentence)
{
    int n = sentence->n_phrases;
    if (!sentence->has_tree || !n) return true;
    tree->phrases = arena_calloc(tree->arena, (size_t)n, sizeof *tree->phrases);
    tree->inner = arena_alloc(tree->arena, (size_t)tree->n + 1, sizeof *tree->inner);
    int *open = arena_alloc(tree->arena, (size_t)n, sizeof *open);
    if (!tree->phrases || !tree->inner || !open) return false;
    tree->n_phrases = n;
    tree->inner[0] = -1;
    link_phrases(tree, sentence, open);
    for (int w = 1; w <= tree->n; w++) offer_head(tree, tree->inner[w], w);
    for (int k = n - 1; k >= 0; k--) offer_head(tree, tree->phrases[k].up, tree->phrases[k].head);
    for (int w = 1; w <= tree->n; w++)
        if (tree->inner[w] >= 0) tree->w[w].around = tree->phrases[tree->inner[w]].label;
    for (int k = n - 1; k >= 0; k--) {
        const UdPhrase *p = &tree->phrases[k];
        if (!p->head) continue;
        tree->w[p->head].phrase = p->label;
        tree->w[p->head].around = p->up >= 0 ? tree->phrases[p->up].label : "";
    }
    return true;
}

bool ud_phrase_among(const UdTree *tree, int phrase, const char *labels)
{
    return phrase >= 0 && text_among(tree->phrases[phrase].label, labels);
}
