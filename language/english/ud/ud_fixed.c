/* Expressions of several words that UD English treats as one function word: their first word is the head, the others
 * depend on it as fixed (https://universaldependencies.org/en/dep/fixed.html). */
#include "language/english/ud/ud_internal.h"

#include <string.h>

typedef struct Expression {
    char words[16];
    UdPos pos; /* as which it is used: ADP or SCONJ with an object, ADV, CCONJ, PRON */
} Expression;

/* In alphabetical order. The longest match wins. */
static const Expression EXPRESSIONS[] = {
    { "according to", POS_ADP },   { "as for", POS_ADP },
    { "as if", POS_SCONJ },        { "as many as", POS_ADV },
    { "as much as", POS_ADV },     { "as of", POS_ADP },
    { "as opposed to", POS_ADP },  { "as per", POS_ADP },
    { "as though", POS_SCONJ },    { "as to", POS_ADP },
    { "as well as", POS_CCONJ },   { "as well", POS_ADV },
    { "because of", POS_ADP },     { "depending on", POS_ADP },
    { "depending upon", POS_ADP }, { "due to", POS_ADP },
    { "each other", POS_PRON },    { "in between", POS_ADP },
    { "in case of", POS_ADP },     { "in case", POS_SCONJ },
    { "in order", POS_SCONJ },     { "in that", POS_SCONJ },
    { "instead of", POS_ADP },     { "kind of", POS_ADV },
    { "less than", POS_ADV },      { "let alone", POS_CCONJ },
    { "more than", POS_ADV },      { "not to mention", POS_CCONJ },
    { "of course", POS_ADV },      { "off of", POS_ADP },
    { "one another", POS_PRON },   { "prior to", POS_ADP },
    { "rather than", POS_CCONJ },  { "so as to", POS_SCONJ },
    { "so that", POS_SCONJ },      { "sort of", POS_ADV },
    { "such as", POS_ADP },        { "that is", POS_ADV },
    { "up to", POS_ADV },          { "whether or not", POS_SCONJ },
};

/* The number of words of the expression that begins at w, 0: none. */
static int match(const UdTree *t, int w, const char *words)
{
    int n = 0;
    for (const char *p = words; *p; n++) {
        size_t len = strcspn(p, " ");
        if (w + n > t->n || strlen(t->w[w + n].lower) != len || strncmp(t->w[w + n].lower, p, len) != 0) return 0;
        p += len + (p[len] == ' ');
    }
    return n;
}

static bool inside(int w, int begin, int n) { return w >= begin && w < begin + n; }

/* The only word of the expression whose head is outside, or 0. */
static int outer_word(const UdTree *t, int begin, int n, bool *several)
{
    int outer = 0;
    *several = false;
    for (int w = begin; w < begin + n; w++)
        if (!inside(t->w[w].head, begin, n)) {
            if (outer && t->w[w].head != t->w[outer].head) *several = true;
            if (!outer) outer = w;
        }
    return outer;
}

static bool is_expression(const Expression *x, const char *words) { return strcmp(x->words, words) == 0; }

/* "kind of funny", not "a kind of bird". */
static bool is_hedge(const UdTree *t, int begin, int n)
{
    int last = begin + n - 1;
    if (ud_tag_among(t, begin, TAG_RB) || t->w[begin].relation == UD_ADVMOD || t->w[last].relation == UD_ADVMOD)
        return true;
    return begin > 1 &&
           !ud_tag_among(t, begin - 1, TAG_DT | TAG_JJ | TAG_WDT | TAG_PRPS | TAG_PDT | TAG_JJS | TAG_WP) &&
           t->w[last].head != begin && last < t->n && !ud_is_nominal(t, t->w[last].head);
}

/* ", that is ," */
static bool is_aside(const UdTree *t, int begin, int n)
{
    return begin + n <= t->n && ud_tag_among(t, begin + n, TAG_COMMA | TAG_COLON) && ud_tag_among(t, begin, TAG_DT) &&
           ud_is_be(t, begin + 1) && (begin == 1 || ud_tag_among(t, begin - 1, TAG_COMMA | TAG_COLON | TAG_LRB));
}

/* Does the sentence use the words as the expression? */
static bool applies(const UdTree *t, const Expression *x, int begin, int n)
{
    bool several;
    int outer = outer_word(t, begin, n, &several), next = begin + n;
    if (!outer || several || ud_tag_among(t, begin, TAGS_PROPER)) return false;
    if (is_expression(x, "that is")) return is_aside(t, begin, n);
    if (is_expression(x, "kind of") || is_expression(x, "sort of")) return is_hedge(t, begin, n);
    if (is_expression(x, "more than") || is_expression(x, "less than"))
        return t->w[outer].head >= next && next <= t->n &&
               (ud_tag_among(t, next, TAG_CD | TAG_DOLLAR | TAG_DT) || ud_word_among(t, next, "half"));
    if (is_expression(x, "up to"))
        return next <= t->n && ud_tag_among(t, next, TAG_CD | TAG_DOLLAR) && t->w[outer].head > begin;
    if (is_expression(x, "so that") || is_expression(x, "in that"))
        return t->w[next - 1].relation == UD_MARK || t->w[begin].relation == UD_MARK;
    return true;
}

/* The word that the expression introduces: the first dependent of one of its words after it, else the outside head. */
static void join(UdTree *t, const Expression *x, int begin, int n)
{
    bool several, linker = x->pos == POS_ADP || x->pos == POS_SCONJ || x->pos == POS_CCONJ;
    int outer = outer_word(t, begin, n, &several), head = t->w[outer].head, object = 0;
    UdRelation relation = t->w[outer].relation;
    for (int w = begin; w < begin + n; w++)
        for (int k = t->first[w]; k < t->first[w + 1]; k++) {
            int kid = t->kids[k];
            if (t->w[kid].head != w || inside(kid, begin, n)) continue;
            if (linker && !object && kid >= begin + n) object = kid;
            else t->w[kid].head = object ? object : begin;
        }
    if (object) {
        t->w[object].head = head;
        t->w[object].relation = relation;
        if (relation == SD_PREP || relation == UD_ADVMOD || relation == UD_MARK) {
            t->w[object].relation = ud_is_clause(t, object) ? OWN_OBLIQUE_CLAUSE : OWN_OBLIQUE;
            t->w[object].via = begin;
        }
        head = object;
        relation = ud_is_clause(t, object) ? UD_MARK : UD_CASE;
    }
    if (x->pos == POS_ADP && relation != UD_CASE && relation != UD_MARK)
        relation = ud_is_clause(t, head) ? UD_MARK : UD_CASE;
    if (x->pos == POS_SCONJ) relation = UD_MARK;
    if (x->pos == POS_CCONJ) relation = UD_CC;
    if (x->pos == POS_ADV) relation = UD_ADVMOD;
    t->w[begin].head = head;
    t->w[begin].relation = relation;
    t->w[begin].extpos = x->pos;
    for (int w = begin + 1; w < begin + n; w++) {
        t->w[w].head = begin;
        t->w[w].relation = UD_FIXED;
    }
}

/* prep(soft, due), prep(due, to), pobj(to, rain): the passes above leave "due" where it was and "to" below "rain". */
static void join_due(UdTree *t, int w)
{
    if (w + 1 >= t->n || !ud_word_among(t, w, "due") || !ud_word_among(t, w + 1, "to")) return;
    int object = t->w[w + 1].head;
    if (object <= w + 1 || t->w[w].head == w + 1 || t->w[w].head == object || !ud_tag_among(t, w + 1, TAG_IN | TAG_TO))
        return;
    if (t->w[w + 1].relation != UD_CASE || (t->w[w].relation != SD_PREP && t->w[w].relation != UD_DEP)) return;
    if (t->w[object].head != w && t->w[object].head != t->w[w].head) return;
    if (t->w[object].head == w) {
        t->w[object].head = t->w[w].head;
        t->w[object].relation = OWN_OBLIQUE;
    }
    t->w[object].via = w;
    t->w[w].head = object;
    t->w[w].relation = UD_CASE;
}

bool ud_fixed(UdTree *tree)
{
    for (int w = 1; w <= tree->n; w++) join_due(tree, w);
    (void)ud_index(tree);
    for (int w = 1; w <= tree->n; w++) {
        int longest = 0;
        const Expression *best = NULL;
        char first = tree->w[w].lower[0];
        for (size_t k = 0; k < sizeof EXPRESSIONS / sizeof *EXPRESSIONS && EXPRESSIONS[k].words[0] <= first; k++) {
            int n = first == EXPRESSIONS[k].words[0] ? match(tree, w, EXPRESSIONS[k].words) : 0;
            if (n > longest && applies(tree, &EXPRESSIONS[k], w, n)) {
                longest = n;
                best = &EXPRESSIONS[k];
            }
        }
        if (!best) continue;
        join(tree, best, w, longest);
        w += longest - 1;
    }
    return true;
}
