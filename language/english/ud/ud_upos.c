/* Universal tags from the tag of the Penn Treebank, the word and the relation. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

#define INDEFINITE                                                                                                 \
    "anybody anyone anything everybody everyone everything nobody none nothing somebody someone something no-one " \
    "noone sombody any1 every1 some1"

static UdPos verb(const UdTree *t, int w)
{
    UdRelation r = t->w[w].relation;
    if (r == UD_AUX || r == UD_AUX_PASS || r == UD_COP) return POS_AUX;
    if (!ud_is_be(t, w)) return POS_VERB;
    int there = ud_kid(t, w, UD_EXPL);
    return there && ud_tag_among(t, there, TAG_EX) ? POS_VERB : POS_AUX;
}

static UdPos preposition(const UdTree *t, int w)
{
    UdRelation r = t->w[w].relation;
    if (r == UD_MARK) return POS_SCONJ;
    if (r == UD_FIXED) return ud_word_among(t, w, "that if") ? POS_SCONJ : POS_ADP;
    return POS_ADP;
}

static UdPos pos_of(const UdTree *t, int w)
{
    const UdWord *x = &t->w[w];
    UdPos pos = x->upos;
    if (x->extpos == POS_PRON && pos == POS_NUM) return POS_PRON; /* one another */
    if (ud_tag_among(t, w, TAGS_VERB)) return verb(t, w);
    if (x->tag == TAG_IN) return preposition(t, w);
    if (ud_tag_among(t, w, TAG_TO)) return x->relation == UD_CASE || x->relation == UD_OBL ? POS_ADP : POS_PART;
    if (ud_tag_among(t, w, TAG_DT) && x->relation != UD_DET && x->relation != UD_DET_PREDET)
        return ud_word_among(t, w, "this that these those") ? POS_PRON : POS_DET;
    if (ud_tag_among(t, w, TAG_WDT | TAG_WP) && (x->relation == UD_DET || x->relation == UD_DET_PREDET)) return POS_DET;
    if (ud_tag_among(t, w, TAG_RB) && ud_word_among(t, w, "not n't nt")) return POS_PART;
    if (ud_tag_among(t, w, TAG_NN) && ud_word_among(t, w, INDEFINITE)) return POS_PRON;
    if (ud_tag_among(t, w, TAG_NN) && strcmp(x->lower, "%") == 0) return POS_SYM;
    if (ud_tag_among(t, w, TAG_NNP) && x->relation == UD_AMOD) return POS_ADJ;
    if (ud_tag_among(t, w, TAG_LS) && x->lower[0] >= '0' && x->lower[0] <= '9') return POS_NUM;
    if (ud_tag_among(t, w, TAG_COMMA) && ud_word_among(t, w, "/")) return x->relation == UD_CC ? POS_SYM : POS_PUNCT;
    if (ud_tag_among(t, w, TAG_NFP) && x->relation != UD_PUNCT) return POS_SYM;
    if (ud_tag_among(t, w, TAG_FW) && ud_word_among(t, w, "etc etc.")) return POS_NOUN;
    if (ud_tag_among(t, w, TAG_FW) && ud_word_among(t, w, "i.e. e.g. i.e e.g ie eg c. ca. vs. vs")) return POS_ADV;
    return pos;
}

bool ud_upos(UdTree *tree)
{
    for (int w = 1; w <= tree->n; w++) tree->w[w].upos = pos_of(tree, w);
    return true;
}
