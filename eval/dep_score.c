/* eval/dep_score.c */
#include "eval/dep_score.h"

#include <string.h>

#include "eval/align.h"

PunctSet punct_set_of(PunctSet set, const Treebank *gold)
{
    long universal = 0, typed = 0;
    for (int k = 0; k < gold->n && set == PUNCT_AUTO; k++) {
        const Sentence *sent = &gold->s[k];
        for (int w = 0; w < sent->n_words && sent->heads && sent->types; w++) {
            const char *type = sent->types[w];
            typed += type && strcmp(type, "_") != 0;
            universal += type && align_universal(type);
        }
    }
    return align_is_universal(universal, typed) ? PUNCT_UD : set;
}

static bool is_universal_punct(const Sentence *gold, int w)
{
    const char *upos = gold->upos ? gold->upos[w] : NULL, *tag = gold->tags ? gold->tags[w] : NULL,
               *type = gold->types ? gold->types[w] : NULL;
    return (upos && strcmp(upos, "PUNCT") == 0) || (tag && strcmp(tag, "PUNCT") == 0) ||
           (type && strncmp(type, "punct", strcspn(type, ":")) == 0);
}

bool punct_set_has(PunctSet set, const Sentence *gold, int w)
{
    static const char ptb[] = "`` '' : , .";
    const char *tag = gold->tags ? gold->tags[w] : NULL;
    if (set == PUNCT_UD) return is_universal_punct(gold, w);
    if (!tag || set == PUNCT_NONE) return false;
    bool pu = strcmp(tag, "PU") == 0;
    if (set == PUNCT_CTB) return pu;
    if (set == PUNCT_LAL_2020) return pu || strstr(".``'':,", tag);
    return text_among(tag, ptb) || (pu && set == PUNCT_AUTO);
}

static void count(DepCounts *c, int words, int heads, int types, int both)
{
    c->words += words;
    c->heads += heads;
    c->types += types;
    c->both += both;
    if (words == 0) return;
    c->sentences++;
    c->complete_heads += heads == words;
    c->complete += both == words;
}

void dep_score_add(DepScores *s, const Sentence *gold, const Sentence *pred, PunctSet set)
{
    int n = gold->n_words;
    int heads[2] = { 0 }, types[2] = { 0 }, both[2] = { 0 }, words[2] = { 0 }; /* [0] words, [1] punctuation */
    for (int w = 0; w < n; w++) {
        int k = punct_set_has(set, gold, w);
        bool head = gold->heads[w] == pred->heads[w];
        bool type = gold->types && pred->types && gold->types[w] && pred->types[w] &&
                    strcmp(gold->types[w], pred->types[w]) == 0;
        words[k]++;
        heads[k] += head;
        types[k] += type;
        both[k] += head && type;
        s->roots_gold += gold->heads[w] == 0;
        s->roots_pred += pred->heads[w] == 0;
        s->roots_right += gold->heads[w] == 0 && pred->heads[w] == 0;
    }
    count(&s->all, n, heads[0] + heads[1], types[0] + types[1], both[0] + both[1]);
    count(&s->nopunct, words[0], heads[0], types[0], both[0]);
}
