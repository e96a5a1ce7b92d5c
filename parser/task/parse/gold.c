/* Labels, types, tags and analyses become numbers of the model; a tree with a label that
 * it does not know counts as none. */
#include "parser/task/parse/gold.h"

bool gold_make(const Model *m, const Sentence *sent, const OracleTree *t, Arena *a, Gold *out)
{
    ParseGold *own = arena_alloc(a, 1, sizeof *own);
    if (!own) return false;
    *out = (Gold){ own };
    *own = (ParseGold){ .tree = { .n_words = sent->n_words }, .heads = sent->heads };
    if (t) {
        Span *nodes = arena_alloc(a, (size_t)t->n, sizeof *nodes);
        if (!nodes) return false;
        bool known = true;
        for (int k = 0; k < t->n; k++) {
            nodes[k] = (Span){ t->nodes[k].begin, t->nodes[k].end, vocab_find(&m->labels, t->nodes[k].label) };
            known = known && nodes[k].label >= 0;
        }
        own->tree.n_nodes = known ? t->n : 0;
        own->tree.nodes = nodes;
    }
    if (sent->heads && !vocab_numbers(&m->types, sent->types, sent->n_words, a, &own->types)) return false;
    if (!analysis_gold(&m->analysis, sent, a, &own->analysis)) return false;
    return !sent->tags || vocab_numbers(&m->tags, sent->tags, sent->n_words, a, &own->tags);
}
