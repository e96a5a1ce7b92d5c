/* Lemmas first, then relations, which take the places of heads and types, then
 * multiword tokens. */
#include "language/english/ud/ud_sentence.h"

#include <string.h>

#include "language/english/ud/lemma.h"
#include "language/english/ud/ud.h"
#include "language/english/ud/ud_enhanced.h"
#include "language/english/ud/ud_tokens.h"

/* The lemma of a word that is written in pieces stands at the first piece: removes the lemmas of the others. */
static void fit_lemmas(Sentence *sent)
{
    for (int w = 0; sent->lemmas && sent->types && w < sent->n_words; w++)
        if (strcmp(sent->types[w], "goeswith") == 0) sent->lemmas[w] = NULL;
}

bool ud_sentence(Sentence *sent, const bool *glued, Arena *arena)
{
    UdSentence ud;
    sent->lemmas = sent->tags ? lemma_sentence(sent, arena) : NULL;
    if ((sent->tags && !sent->lemmas) || !ud_convert(sent, true, arena, &ud)) return false;
    sent->heads = ud.heads;
    sent->types = ud.relations;
    sent->upos = ud.upos;
    sent->feats = ud.features;
    fit_lemmas(sent);
    sent->graph = NULL;
    if (sent->heads && sent->n_words && !(sent->graph = ud_enhance(sent, arena))) return false;
    return !glued || ud_tokens(sent, glued, arena, &sent->ranges, &sent->n_ranges);
}
