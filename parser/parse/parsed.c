/* parser/parse/parsed.c */
#include "parser/parse/parsed.h"

#include "treebank/oracle.h"

Sentence *parsed_sentence(const Parsed *p, Arena *arena)
{
    Sentence *sent = arena_calloc(arena, 1, sizeof *sent);
    if (!sent) return NULL;
    sent->n_words = p->n_words;
    sent->words = (const char **)(uintptr_t)p->words;
    sent->tags = (const char **)(uintptr_t)(p->tags ? p->tags : p->given_tags);
    sent->heads = p->heads;
    sent->types = p->types;
    return !p->has_tree || oracle_undo(p->phrases, p->n_phrases, sent, arena) ? sent : NULL;
}
