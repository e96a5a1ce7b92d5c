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

/* The next phrase of several words from k on, n_phrases: none. */
static int next_wide(const Parsed *p, int k)
{
    while (k < p->n_phrases && p->phrases[k].end - p->phrases[k].begin < 2) k++;
    return k;
}

static size_t first_label(const char *chain)
{
    const char *join = strstr(chain, LABEL_JOIN);
    return join ? (size_t)(join - chain) : strlen(chain);
}

/* Are the labels of a unary chain among those of another one, in the same order? */
static bool chain_within(const char *chain, const char *of)
{
    while (*chain && *of) {
        size_t n = first_label(chain), m = first_label(of);
        if (n == m && strncmp(chain, of, n) == 0) chain += n + (chain[n] ? strlen(LABEL_JOIN) : 0);
        of += m + (of[m] ? strlen(LABEL_JOIN) : 0);
    }
    return !*chain;
}

bool parsed_same_but_unary(const Parsed *a, const Parsed *b)
{
    int i = next_wide(a, 0), j = next_wide(b, 0);
    for (int w = 0; a->heads && b->heads && w < a->n_words; w++)
        if (a->heads[w] != b->heads[w]) return false;
    for (; i < a->n_phrases && j < b->n_phrases; i = next_wide(a, i + 1), j = next_wide(b, j + 1)) {
        const Phrase *x = &a->phrases[i], *y = &b->phrases[j];
        if (x->begin != y->begin || x->end != y->end) return false;
        if (!chain_within(x->label, y->label) && !chain_within(y->label, x->label)) return false;
    }
    return i == a->n_phrases && j == b->n_phrases;
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
