/* Labels, types, tags and analyses become numbers of the model; a tree with a label that
 * it does not know counts as none. */
#include "parser/task/parse/gold.h"

bool gold_make(const Model *model, const Sentence *sent, const OracleTree *tree, Arena *arena, Gold *out)
{
    ParseGold *own = arena_alloc(arena, 1, sizeof *own);
    if (!own) return false;
    *out = (Gold){ own };
    *own = (ParseGold){ .tree = { .n_words = sent->n_words }, .heads = sent->heads };
    if (tree) {
        Span *nodes = arena_alloc(arena, (size_t)tree->n, sizeof *nodes);
        if (!nodes) return false;
        bool known = true;
        for (int k = 0; k < tree->n; k++) {
            nodes[k] =
                (Span){ tree->nodes[k].begin, tree->nodes[k].end, vocab_find(&model->labels, tree->nodes[k].label) };
            known = known && nodes[k].label >= 0;
        }
        own->tree.n_nodes = known ? tree->n : 0;
        own->tree.nodes = nodes;
    }
    if (sent->heads && !vocab_numbers(&model->types, sent->types, sent->n_words, arena, &own->types)) return false;
    if (!analysis_gold(&model->analysis, sent, arena, &own->analysis)) return false;
    return !sent->tags || vocab_numbers(&model->tags, sent->tags, sent->n_words, arena, &own->tags);
}
