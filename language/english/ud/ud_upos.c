/* language/english/ud/ud_upos.c
 * Universal tags from the tag of the Penn Treebank, the word and the relation. */
#include "language/english/ud/ud_internal.h"

#include <string.h>

/* What a tag is in most uses. */
static const struct {
    const char *tag;
    UdPos pos;
} TAGS[] = {
    { "$", POS_SYM },    { "''", POS_PUNCT }, { ",", POS_PUNCT },    { "-LRB-", POS_PUNCT }, { "-RRB-", POS_PUNCT },
    { ".", POS_PUNCT },  { ":", POS_PUNCT },  { "``", POS_PUNCT },   { "#", POS_SYM },       { "ADD", POS_PROPN },
    { "AFX", POS_X },    { "CC", POS_CCONJ }, { "CD", POS_NUM },     { "DT", POS_DET },      { "EX", POS_PRON },
    { "FW", POS_X },     { "GW", POS_X },     { "HYPH", POS_PUNCT }, { "IN", POS_ADP },      { "JJ", POS_ADJ },
    { "JJR", POS_ADJ },  { "JJS", POS_ADJ },  { "LS", POS_X },       { "MD", POS_AUX },      { "NFP", POS_PUNCT },
    { "NN", POS_NOUN },  { "NNS", POS_NOUN }, { "NNP", POS_PROPN },  { "NNPS", POS_PROPN },  { "PDT", POS_DET },
    { "POS", POS_PART }, { "PRP", POS_PRON }, { "PRP$", POS_PRON },  { "RB", POS_ADV },      { "RBR", POS_ADV },
    { "RBS", POS_ADV },  { "RP", POS_ADP },   { "SYM", POS_SYM },    { "TO", POS_PART },     { "UH", POS_INTJ },
    { "VB", POS_VERB },  { "VBD", POS_VERB }, { "VBG", POS_VERB },   { "VBN", POS_VERB },    { "VBP", POS_VERB },
    { "VBZ", POS_VERB }, { "WDT", POS_PRON }, { "WP", POS_PRON },    { "WP$", POS_PRON },    { "WRB", POS_ADV },
    { "XX", POS_X },
};

#define INDEFINITE                                                                                                 \
    "anybody anyone anything everybody everyone everything nobody none nothing somebody someone something no-one " \
    "noone sombody any1 every1 some1"

static UdPos by_tag(const char *tag)
{
    for (size_t k = 0; k < sizeof TAGS / sizeof *TAGS; k++)
        if (strcmp(TAGS[k].tag, tag) == 0) return TAGS[k].pos;
    return POS_X;
}

static UdPos verb(const UdTree *t, int w)
{
    UdRelation r = t->w[w].relation;
    if (r == UD_AUX || r == UD_AUX_PASS || r == UD_COP) return POS_AUX;
    if (!ud_is_be(t, w)) return POS_VERB;
    int there = ud_kid(t, w, UD_EXPL);
    return there && ud_tag_among(t, there, "EX") ? POS_VERB : POS_AUX;
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
    UdPos pos = by_tag(x->tag);
    if (x->extpos == POS_PRON && pos == POS_NUM) return POS_PRON; /* one another */
    if (ud_tag_begins(t, w, "VB")) return verb(t, w);
    if (strcmp(x->tag, "IN") == 0) return preposition(t, w);
    if (ud_tag_among(t, w, "TO")) return x->relation == UD_CASE || x->relation == UD_OBL ? POS_ADP : POS_PART;
    if (ud_tag_among(t, w, "DT") && x->relation != UD_DET && x->relation != UD_DET_PREDET)
        return ud_word_among(t, w, "this that these those") ? POS_PRON : POS_DET;
    if (ud_tag_among(t, w, "WDT WP") && (x->relation == UD_DET || x->relation == UD_DET_PREDET)) return POS_DET;
    if (ud_tag_among(t, w, "RB") && ud_word_among(t, w, "not n't nt")) return POS_PART;
    if (ud_tag_among(t, w, "NN") && ud_word_among(t, w, INDEFINITE)) return POS_PRON;
    if (ud_tag_among(t, w, "NN") && strcmp(x->lower, "%") == 0) return POS_SYM;
    if (ud_tag_among(t, w, "NNP") && x->relation == UD_AMOD) return POS_ADJ;
    if (ud_tag_among(t, w, "LS") && x->lower[0] >= '0' && x->lower[0] <= '9') return POS_NUM;
    if (ud_tag_among(t, w, ",") && ud_word_among(t, w, "/")) return x->relation == UD_CC ? POS_SYM : POS_PUNCT;
    if (ud_tag_among(t, w, "NFP") && x->relation != UD_PUNCT) return POS_SYM;
    if (ud_tag_among(t, w, "FW") && ud_word_among(t, w, "etc etc.")) return POS_NOUN;
    if (ud_tag_among(t, w, "FW") && ud_word_among(t, w, "i.e. e.g. i.e e.g ie eg c. ca. vs. vs")) return POS_ADV;
    return pos;
}

bool ud_upos(UdTree *t)
{
    for (int w = 1; w <= t->n; w++) t->w[w].upos = pos_of(t, w);
    return true;
}
