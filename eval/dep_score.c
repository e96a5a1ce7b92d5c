/* One pass over the words of a sentence counts them apart, as words and as punctuation. */
#include "eval/dep_score.h"

#include <string.h>

#include "eval/align.h"

static const char *value(const char **column, int w) { return column && column[w] ? column[w] : "_"; }

PunctSet punct_set_of(PunctSet set, const Treebank *gold)
{
    static const char upos[] = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X";
    long universal = 0, known = 0;
    for (int k = 0; k < gold->n && set == PUNCT_AUTO; k++) {
        const Sentence *sent = &gold->s[k];
        for (int w = 0; w < sent->n_words; w++) {
            const char *type = sent->heads ? value(sent->types, w) : "_", *pos = value(sent->upos, w);
            if (!sent->upos && strcmp(value(sent->tags, w), "PU") == 0) return set;
            known += strcmp(type, "_") != 0 || strcmp(pos, "_") != 0;
            universal += align_universal(type) || text_among(pos, upos);
        }
    }
    return align_is_universal(universal, known) ? PUNCT_UD : set;
}

static bool is_universal_punct(const Sentence *gold, int w)
{
    const char *type = value(gold->types, w);
    return strcmp(value(gold->upos ? gold->upos : gold->tags, w), "PUNCT") == 0 ||
           text_view_among((StrView){ type, strcspn(type, ":") }, "punct");
}

bool punct_set_has(PunctSet set, const Sentence *gold, int word)
{
    static const char ptb[] = "`` '' : , .";
    const char *tag = gold->tags ? gold->tags[word] : NULL;
    if (set == PUNCT_UD) return is_universal_punct(gold, word);
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

void dep_score_add(DepScores *scores, const Sentence *gold, const Sentence *pred, PunctSet set)
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
        scores->roots_gold += gold->heads[w] == 0;
        scores->roots_pred += pred->heads[w] == 0;
        scores->roots_right += gold->heads[w] == 0 && pred->heads[w] == 0;
    }
    count(&scores->all, n, heads[0] + heads[1], types[0] + types[1], both[0] + both[1]);
    count(&scores->nopunct, words[0], heads[0], types[0], both[0]);
}
