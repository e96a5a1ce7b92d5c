/* Lemmas first, then relations, which take the places of heads and types, then
 * multiword tokens. */
#include "language/english/ud/ud_sentence.h"

#include <string.h>

#include "language/english/ud/lemma.h"
#include "language/english/ud/ud.h"
#include "language/english/ud/ud_enhanced.h"
#include "language/english/ud/ud_tokens.h"

static bool goes_with(const Sentence *sent, int w)
{
    return w < sent->n_words && strcmp(sent->types[w], "goeswith") == 0;
}

/* The lemma of a word that is written in pieces stands at the first piece; the others have none. false when out of
 * memory. */
static bool fit_lemmas(Sentence *sent, Arena *arena)
{
    for (int w = 0; sent->lemmas && sent->types && w + 1 < sent->n_words; w++) {
        StrBuf whole = { 0 };
        int last = w;
        if (!goes_with(sent, w + 1)) continue;
        while (goes_with(sent, last + 1)) last++;
        for (int k = w; k <= last; k++) {
            strbuf_puts(&whole, sent->words[k]);
            if (k > w) sent->lemmas[k] = NULL;
        }
        const char *form = whole.failed ? NULL : arena_strndup(arena, whole.ptr, whole.len);
        strbuf_fini(&whole);
        sent->lemmas[w] = form ? lemma_find(form, sent->tags[last], arena) : NULL;
        if (!sent->lemmas[w]) return false;
        w = last;
    }
    return true;
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
    sent->corrected = ud.corrected;
    if (!fit_lemmas(sent, arena)) return false;
    sent->graph = NULL;
    if (sent->heads && sent->n_words && !(sent->graph = ud_enhance(sent, arena))) return false;
    return !glued || ud_tokens(sent, glued, arena, &sent->ranges, &sent->n_ranges);
}
