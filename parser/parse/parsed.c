/* parser/parse/parsed.c */
#include "parser/parse/parsed.h"

#include "treebank/oracle.h"

static const char *type_name(const Model *m, int type)
{
    return type >= 0 ? vocab_text(&m->types, type) : type == LABEL_JOINED ? "dep" : "_";
}

/* Phrases with the labels of their unary chains, to be undone. */
static Phrase *named_chains(const Model *m, const Parsed *p, Arena *arena)
{
    Phrase *nodes = arena_alloc(arena, (size_t)p->n_spans, sizeof *nodes);
    for (int k = 0; nodes && k < p->n_spans; k++) {
        const Span *x = &p->spans[k];
        const char *label = x->label == LABEL_JOINED ? LABEL_ROOT
                            : x->label <= LABEL_OWN  ? p->own_labels[LABEL_OWN - x->label]
                                                     : vocab_text(&m->labels, x->label);
        nodes[k] = (Phrase){ x->begin, x->end, label };
    }
    return nodes;
}

Sentence *parsed_sentence(const Model *m, const Parsed *p, Arena *arena)
{
    size_t n = (size_t)p->n_words;
    Sentence *sent = arena_calloc(arena, 1, sizeof *sent);
    if (!sent) return NULL;
    sent->n_words = p->n_words;
    sent->words = (const char **)(uintptr_t)p->words;
    sent->tags = (const char **)(uintptr_t)(p->tags ? p->tags : p->given_tags);
    sent->heads = p->heads;
    if (p->types && !(sent->types = arena_alloc(arena, n, sizeof *sent->types))) return NULL;
    for (int w = 0; p->types && w < p->n_words; w++) sent->types[w] = type_name(m, p->types[w]);
    if (!p->has_tree) return sent;
    const Phrase *nodes = named_chains(m, p, arena);
    return nodes && oracle_undo(nodes, p->n_spans, sent, arena) ? sent : NULL;
}
