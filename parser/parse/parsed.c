/* A Sentence over the texts of a parse, whose unary chains become phrases again; and what
 * follows from its arcs. */
#include "parser/parse/parsed.h"

#include <string.h>

#include "treebank/oracle.h"

static bool put_analysis(const Parsed *p, Sentence *sent, Arena *arena)
{
    const char **column[3];
    for (int k = 0; k < 3; k++)
        if (!(column[k] = arena_alloc(arena, (size_t)p->n_words, sizeof *column[k]))) return false;
    for (int w = 0; w < p->n_words; w++) {
        column[0][w] = p->analysis[w].upos;
        column[1][w] = p->analysis[w].feats;
        column[2][w] = p->analysis[w].lemma;
    }
    sent->upos = column[0];
    sent->feats = column[1];
    sent->lemmas = column[2];
    return true;
}

Sentence *parsed_sentence(const Parsed *parsed, Arena *arena)
{
    Sentence *sent = arena_calloc(arena, 1, sizeof *sent);
    if (!sent) return NULL;
    sent->n_words = parsed->n_words;
    sent->words = (const char **)(uintptr_t)parsed->words;
    sent->tags = (const char **)(uintptr_t)(parsed->tags ? parsed->tags : parsed->given_tags);
    if (parsed->analysis && !put_analysis(parsed, sent, arena)) return NULL;
    sent->heads = parsed->heads;
    sent->types = parsed->types;
    return !parsed->has_tree || oracle_undo(parsed->phrases, parsed->n_phrases, sent, arena) ? sent : NULL;
}

bool parsed_keep_arcs(Sentence *parse, Arena *arena)
{
    size_t n = (size_t)parse->n_words;
    parse->tags = NULL;
    if (!parse->heads) return true;
    int *heads = arena_alloc(arena, n, sizeof *heads);
    const char **types = arena_alloc(arena, n, sizeof *types);
    if (!heads || !types) return false;
    if (n) {
        memcpy(heads, parse->heads, n * sizeof *heads);
        memcpy(types, parse->types, n * sizeof *types);
    }
    parse->heads = heads;
    parse->types = types;
    return true;
}

/* The number of arcs between a word, 1-based, and the root. */
static int depth_of(const Parsed *p, int word)
{
    int depth = 0;
    for (; word > 0; word = p->heads[word - 1]) depth++;
    return depth;
}

double parsed_arc_probability(const Parsed *parsed, const Real *arc, int word, int head)
{
    double product = 1;
    int a = word + 1, b = head, above = depth_of(parsed, a) - depth_of(parsed, b);
    while (a != b) {
        int *deeper = above >= 0 ? &a : &b;
        above += above >= 0 ? -1 : 1;
        product *= (double)arc[*deeper - 1];
        *deeper = parsed->heads[*deeper - 1];
    }
    return product;
}
