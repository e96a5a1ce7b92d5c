/* Features, as https://universaldependencies.org/en/ describes them for English. Names are written in the order of
 * UD. */
#include "language/english/ud/ud_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct Form {
    const char *words, *features;
} Form;

static const Form PERSONAL[] = {
    { "i", "Case=Nom|Number=Sing|Person=1|PronType=Prs" },
    { "me", "Case=Acc|Number=Sing|Person=1|PronType=Prs" },
    { "we", "Case=Nom|Number=Plur|Person=1|PronType=Prs" },
    { "us 's", "Case=Acc|Number=Plur|Person=1|PronType=Prs" },
    { "he", "Case=Nom|Gender=Masc|Number=Sing|Person=3|PronType=Prs" },
    { "him", "Case=Acc|Gender=Masc|Number=Sing|Person=3|PronType=Prs" },
    { "she", "Case=Nom|Gender=Fem|Number=Sing|Person=3|PronType=Prs" },
    { "her", "Case=Acc|Gender=Fem|Number=Sing|Person=3|PronType=Prs" },
    { "they", "Case=Nom|Number=Plur|Person=3|PronType=Prs" },
    { "them", "Case=Acc|Number=Plur|Person=3|PronType=Prs" },
    { "'em em", "Case=Acc|Number=Plur|Person=3|PronType=Prs|Style=Coll" },
    { "myself", "Case=Acc|Number=Sing|Person=1|PronType=Prs|Reflex=Yes" },
    { "yourself", "Case=Acc|Number=Sing|Person=2|PronType=Prs|Reflex=Yes" },
    { "himself", "Case=Acc|Gender=Masc|Number=Sing|Person=3|PronType=Prs|Reflex=Yes" },
    { "herself", "Case=Acc|Gender=Fem|Number=Sing|Person=3|PronType=Prs|Reflex=Yes" },
    { "itself", "Case=Acc|Gender=Neut|Number=Sing|Person=3|PronType=Prs|Reflex=Yes" },
    { "ourselves", "Case=Acc|Number=Plur|Person=1|PronType=Prs|Reflex=Yes" },
    { "yourselves", "Case=Acc|Number=Plur|Person=2|PronType=Prs|Reflex=Yes" },
    { "themselves", "Case=Acc|Number=Plur|Person=3|PronType=Prs|Reflex=Yes" },
    { "mine", "Number=Sing|Person=1|Poss=Yes|PronType=Prs" },
    { "ours", "Number=Plur|Person=1|Poss=Yes|PronType=Prs" },
    { "yours", "Person=2|Poss=Yes|PronType=Prs" },
    { "his", "Gender=Masc|Number=Sing|Person=3|Poss=Yes|PronType=Prs" },
    { "hers", "Gender=Fem|Number=Sing|Person=3|Poss=Yes|PronType=Prs" },
    { "theirs", "Number=Plur|Person=3|Poss=Yes|PronType=Prs" },
    { "one", "Number=Sing|Person=3|PronType=Prs" },
};

static const Form POSSESSIVE[] = {
    { "my", "Case=Gen|Number=Sing|Person=1|Poss=Yes|PronType=Prs" },
    { "your ur", "Case=Gen|Person=2|Poss=Yes|PronType=Prs" },
    { "his", "Case=Gen|Gender=Masc|Number=Sing|Person=3|Poss=Yes|PronType=Prs" },
    { "her", "Case=Gen|Gender=Fem|Number=Sing|Person=3|Poss=Yes|PronType=Prs" },
    { "its", "Case=Gen|Gender=Neut|Number=Sing|Person=3|Poss=Yes|PronType=Prs" },
    { "our", "Case=Gen|Number=Plur|Person=1|Poss=Yes|PronType=Prs" },
    { "their", "Case=Gen|Number=Plur|Person=3|Poss=Yes|PronType=Prs" },
    { "one's ones", "Case=Gen|Number=Sing|Person=3|Poss=Yes|PronType=Prs" },
};

static const Form DETERMINERS[] = {
    { "the", "Definite=Def|PronType=Art" },
    { "a an", "Definite=Ind|PronType=Art" },
    { "this that", "Number=Sing|PronType=Dem" },
    { "these those", "Number=Plur|PronType=Dem" },
    { "all both every each", "PronType=Tot" },
    { "no neither", "PronType=Neg" },
    { "half", "NumForm=Word|NumType=Frac|PronType=Ind" },
    { "some any another either such quite many", "PronType=Ind" },
};

static const Form INDEFINITE[] = {
    { "everybody everyone everything", "Number=Sing|PronType=Tot" },
    { "nobody nothing no-one noone", "Number=Sing|PronType=Neg" },
    { "none", "PronType=Neg" },
    { "anybody anyone anything somebody someone something", "Number=Sing|PronType=Ind" },
};

static const Form ADVERBS[] = {
    { "here there now then", "PronType=Dem" },
    { "never nowhere", "PronType=Neg" },
    { "always everywhere", "PronType=Tot" },
    { "sometimes somewhere somehow anywhere anyhow anyway ever either someplace", "PronType=Ind" },
    { "once twice", "NumForm=Word|NumType=Mult" },
    { "first second third secondly thirdly firstly", "NumForm=Word|NumType=Ord" },
};

#define FORM(table, word) form_of(table, sizeof(table) / sizeof *(table), word)

static const char *form_of(const Form *table, size_t n, const char *word)
{
    for (size_t k = 0; k < n; k++)
        if (text_among(word, table[k].words)) return table[k].features;
    return NULL;
}

static bool is_digits(const char *s)
{
    bool digit = false;
    for (; *s; s++) {
        digit |= *s >= '0' && *s <= '9';
        if ((*s < '0' || *s > '9') && !strchr(".,:/-'+", *s)) return false;
    }
    return digit;
}

static bool has_digit(const char *s) { return strpbrk(s, "0123456789") != NULL; }

static bool is_roman(const char *s) { return *s && s[strspn(s, "IVXLCDM")] == 0; }

/* "third", "21st". */
static const char *ordinal(const char *lower)
{
    size_t n = strlen(lower);
    if (has_digit(lower))
        return n > 2 && (text_among(lower + n - 2, "st nd rd th")) ? "NumForm=Combi|NumType=Ord" : NULL;
    return text_among(lower, "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
                             "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
                             "thirtieth fortieth fiftieth hundredth thousandth millionth")
               ? "NumForm=Word|NumType=Ord"
               : NULL;
}

/* The number and person of a finite verb's subject, which English writes only on "be" and in the present. */
typedef struct Agreement {
    int person;
    const char *number;
} Agreement;

static int subject_of(const UdTree *t, int w)
{
    static const UdRelation kinds[] = { UD_NSUBJ, UD_NSUBJ_PASS, UD_NSUBJ_OUTER, UD_EXPL, UD_CSUBJ };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int s = ud_kid(t, w, kinds[k]);
        if (s) return s;
    }
    return 0;
}

/* The predicate that an auxiliary or copula belongs to; other words themselves. */
static int predicate_of(const UdTree *t, int w)
{
    UdRelation r = t->w[w].relation;
    return r == UD_AUX || r == UD_AUX_PASS || r == UD_COP ? t->w[w].head : w;
}

static Agreement agreement(const UdTree *t, int w)
{
    int verb = predicate_of(t, w), subject = 0;
    for (int k = 0; k < 8 && verb && !(subject = subject_of(t, verb)); k++) {
        if (t->w[verb].relation != UD_CONJ && t->w[verb].relation != UD_ACL_RELCL) break;
        if (t->w[verb].relation == UD_ACL_RELCL) {
            subject = t->w[verb].head;
            break;
        }
        verb = t->w[verb].head;
    }
    Agreement a = { 3, "Sing" };
    if (!subject && t->w[verb].relation == UD_ROOT) a.person = 1; /* "Thank you", "Went there twice" */
    if (!subject) return a;
    if (ud_word_among(t, subject, "who that which") && t->w[verb].relation == UD_ACL_RELCL) subject = t->w[verb].head;
    if (ud_word_among(t, subject, "i")) a.person = 1;
    if (ud_word_among(t, subject, "we")) return (Agreement){ 1, "Plur" };
    if (ud_word_among(t, subject, "you ya ye u")) a.person = 2;
    if (ud_word_among(t, subject, "they these those them") || ud_tag_among(t, subject, TAG_NNS | TAG_NNPS))
        a.number = "Plur";
    if (ud_tag_among(t, subject, TAG_EX)) {
        int there = t->w[subject].head, thing = ud_kid(t, there, UD_NSUBJ);
        if (thing && ud_tag_among(t, thing, TAG_NNS | TAG_NNPS)) a.number = "Plur";
    }
    if (a.person == 3 && ud_kid(t, subject, UD_CONJ)) {
        int c = ud_kid(t, subject, UD_CONJ), cc = ud_kid(t, c, UD_CC);
        if (cc && ud_word_among(t, cc, "and &")) a.number = "Plur";
    }
    return a;
}

enum { CONJUNCTS_MOST = 64 }; /* from a conjunct to the first one, and from a pronoun to its clause */

typedef struct Features {
    StrBuf out;
    const UdTree *t;
    int w;
} Features;

enum { FEATURES_MOST = 24 };

static int by_name(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    for (; *x && *x == *y; x++) y++;
    int cx = *x >= 'A' && *x <= 'Z' ? *x + 32 : *x, cy = *y >= 'A' && *y <= 'Z' ? *y + 32 : *y;
    if (*x == '=' || *y == '=') return *x == '=' ? -1 : 1;
    return cx - cy;
}

static void add(Features *f, const char *features)
{
    if (!features || !*features) return;
    if (f->out.len) strbuf_putc(&f->out, '|');
    strbuf_puts(&f->out, features);
}

static bool after_to_or_modal(const UdTree *t, int w)
{
    int h = predicate_of(t, w), most = t->first[h] + UD_KIDS_MOST;
    for (int k = t->first[h]; k < t->first[h + 1] && k < most && t->kids[k] < w; k++) {
        int a = t->kids[k];
        if (ud_tag_among(t, a, TAG_TO | TAG_MD) ||
            (t->w[a].relation == UD_AUX && ud_tag_among(t, a, TAG_VBP | TAG_VBZ | TAG_VBD)))
            return true;
    }
    return false;
}

/* Is the base form an imperative: a main clause without subject, "to" and auxiliary, or coordinated with one? */
static bool is_imperative(const UdTree *t, int w)
{
    for (int k = 0; k < CONJUNCTS_MOST; k++) {
        int h = predicate_of(t, w);
        UdRelation r = t->w[h].relation;
        if (after_to_or_modal(t, w) || subject_of(t, h)) return false;
        if (r != UD_CONJ) return r == UD_ROOT || r == UD_PARATAXIS || r == UD_CCOMP;
        w = t->w[h].head;
        if (!ud_tag_among(t, w, TAG_VB)) return false;
    }
    return false;
}

static bool is_passive(const UdTree *t, int w)
{
    for (int k = 0; k < CONJUNCTS_MOST; k++) {
        if (ud_kid(t, w, UD_AUX_PASS)) return true;
        if (ud_kid(t, w, UD_AUX)) return false;
        if (t->w[w].relation != UD_CONJ || !ud_tag_among(t, t->w[w].head, TAG_VBN)) return true;
        w = t->w[w].head;
    }
    return true;
}

/* A form in -ing is a participle in progressive tenses and adverbial clauses, else a gerund. */
static bool is_gerund(const UdTree *t, int w)
{
    for (int k = 0; k < CONJUNCTS_MOST && t->w[w].relation == UD_CONJ && !ud_kid(t, w, UD_AUX); k++) {
        if (!ud_tag_among(t, t->w[w].head, TAG_VBG)) return false;
        w = t->w[w].head;
    }
    if (t->w[w].upos != POS_VERB || ud_kid(t, w, UD_AUX)) return false;
    switch (t->w[w].relation) {
    case UD_ROOT:
    case UD_ADVCL:
    case UD_CASE:
    case UD_CONJ:
    case UD_MARK:
    case UD_FIXED:
    case UD_PARATAXIS:
    case UD_REPARANDUM:
    case UD_ACL_RELCL: return false;
    default: return true;
    }
}

static void verb(Features *f)
{
    const UdTree *t = f->t;
    UdTags tag = t->w[f->w].tag;
    Agreement a = agreement(t, f->w);
    if (tag == TAG_MD) add(f, "VerbForm=Fin");
    else if (tag == TAG_VB) add(f, is_imperative(t, f->w) ? "Mood=Imp|VerbForm=Fin" : "VerbForm=Inf");
    else if (tag == TAG_VBZ) add(f, "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin");
    else if (tag == TAG_VBP || tag == TAG_VBD) {
        bool past = tag == TAG_VBD;
        if (!past && a.person == 3) a.number = "Plur";
        if (ud_word_among(t, f->w, "am 'm")) a = (Agreement){ 1, "Sing" };
        if (ud_word_among(t, f->w, "was") && a.person == 3) a.number = "Sing";
        if (ud_word_among(t, f->w, "were") && a.person == 3) a.number = "Plur";
        strbuf_printf(&f->out, "Mood=Ind|Number=%s|Person=%d|Tense=%s|VerbForm=Fin", a.number, a.person,
                      past ? "Past" : "Pres");
    } else if (tag == TAG_VBN) {
        add(f, "Tense=Past|VerbForm=Part");
        if (t->w[f->w].upos == POS_VERB && is_passive(t, f->w)) add(f, "Voice=Pass");
    } else if (tag == TAG_VBG) {
        add(f, is_gerund(t, f->w) ? "VerbForm=Ger" : "Tense=Pres|VerbForm=Part");
    } else if (ud_tag_among(t, f->w, TAG_NNP)) add(f, "Tense=Past|VerbForm=Part");
}

#define PLURALIA                                                                                                   \
    "regards thanks troops politics means supplies grounds clothes goods headquarters contents species "           \
    "congratulations economics physics mathematics ethics linguistics statistics athletics electronics mechanics " \
    "genetics pants jeans glasses scissors trousers shorts news series premises outskirts surroundings "           \
    "belongings savings earnings proceeds remains odds humanities archives"

static void noun(Features *f)
{
    const UdWord *x = &f->t->w[f->w];
    bool plural = x->tag & (TAG_NNS | TAG_NNPS), common = x->upos == POS_NOUN;
    if (x->upos == POS_PRON) add(f, FORM(INDEFINITE, x->lower));
    else if (x->tag == TAG_FW) add(f, "Abbr=Yes|Number=Plur"); /* etc. */
    else if (common && plural && x->lower[0] >= '0' && x->lower[0] <= '9')
        add(f, "Number=Ptan|NumForm=Combi|NumType=Card");
    else if (common && plural && text_among(x->lower, PLURALIA)) add(f, "Number=Ptan");
    else if (x->tag & TAGS_NOUN) add(f, plural ? "Number=Plur" : "Number=Sing");
    if (common && !plural)
        add(f, text_among(x->lower, "half quarter") ? "NumForm=Word|NumType=Frac" : ordinal(x->lower));
}

static void number(Features *f)
{
    const char *form = f->t->w[f->w].form;
    bool fraction = strlen(form) == 3 && form[1] == '/';
    if (is_digits(form))
        add(f, fraction || strchr(form, '.') ? "NumForm=Digit|NumType=Frac" : "NumForm=Digit|NumType=Card");
    else if (has_digit(form)) add(f, "NumForm=Digit|NumType=Card");
    else if (text_among(form, "k K m M b B bn mn")) add(f, "Abbr=Yes|NumForm=Word|NumType=Card");
    else if (is_roman(form)) add(f, "NumForm=Roman|NumType=Card");
    else add(f, "NumForm=Word|NumType=Card");
}

static bool is_relative(const UdTree *t, int w)
{
    for (int k = 0; w && k < CONJUNCTS_MOST; k++, w = t->w[w].head) {
        UdRelation r = t->w[w].relation;
        if (r == UD_ACL_RELCL || r == UD_ADVCL_RELCL) return true;
        if (ud_kid(t, w, UD_ACL_RELCL) && ud_tag_among(t, w, TAGS_WH)) return true;
        if (r == UD_CCOMP || r == UD_ROOT || r == UD_ADVCL || r == UD_CSUBJ) return false;
    }
    return false;
}

static void pronoun(Features *f)
{
    const UdTree *t = f->t;
    const UdWord *x = &t->w[f->w];
    bool subject = x->relation == UD_NSUBJ || x->relation == UD_NSUBJ_PASS || x->relation == UD_NSUBJ_OUTER ||
                   x->relation == UD_EXPL;
    if (x->tag == TAG_PRP) {
        if (text_among(x->lower, "you u ya"))
            add(f, subject ? "Case=Nom|Person=2|PronType=Prs" : "Case=Acc|Person=2|PronType=Prs");
        else if (text_among(x->lower, "it"))
            add(f, subject ? "Case=Nom|Gender=Neut|Number=Sing|Person=3|PronType=Prs"
                           : "Case=Acc|Gender=Neut|Number=Sing|Person=3|PronType=Prs");
        else add(f, FORM(PERSONAL, x->lower));
    } else if (x->tag == TAG_PRPS) add(f, FORM(POSSESSIVE, x->lower));
    else if (x->tag == TAG_EX) add(f, "PronType=Dem");
    else if (x->tag == TAG_WPS) add(f, "Poss=Yes|PronType=Rel");
    else if (x->tag == TAG_WDT) add(f, "PronType=Rel");
    else if (x->tag & TAGS_WH) add(f, is_relative(t, f->w) ? "PronType=Rel" : "PronType=Int");
    else if (x->tag == TAG_DT) add(f, FORM(DETERMINERS, x->lower));
    else noun(f);
}

static void adverb(Features *f)
{
    const UdWord *x = &f->t->w[f->w];
    const char *known = FORM(ADVERBS, x->lower);
    if (x->tag == TAG_RBR) add(f, "Degree=Cmp");
    else if (x->tag == TAG_RBS) add(f, "Degree=Sup");
    else if (x->tag == TAG_WRB) add(f, is_relative(f->t, f->w) ? "PronType=Rel" : "PronType=Int");
    else if (known) add(f, known);
    else if (x->tag == TAG_FW) add(f, "Abbr=Yes");
}

static void adjective(Features *f)
{
    const UdWord *x = &f->t->w[f->w];
    add(f, x->tag == TAG_JJR ? "Degree=Cmp" : x->tag == TAG_JJS ? "Degree=Sup" : "Degree=Pos");
    if (x->tag & (TAG_JJ | TAG_NNP)) add(f, ordinal(x->lower));
}

static void fill(Features *f)
{
    const UdWord *x = &f->t->w[f->w];
    if (x->relation == UD_GOESWITH) return;
    switch (x->upos) {
    case POS_ADJ: adjective(f); break;
    case POS_ADV: adverb(f); break;
    case POS_AUX:
    case POS_VERB: verb(f); break;
    case POS_NOUN:
    case POS_PROPN: noun(f); break;
    case POS_NUM: number(f); break;
    case POS_PRON: pronoun(f); break;
    case POS_DET:
        add(f,
            x->tag & TAGS_WH ? is_relative(f->t, f->w) ? "PronType=Rel" : "PronType=Int" : FORM(DETERMINERS, x->lower));
        break;
    case POS_PART:
        if (x->tag == TAG_RB) add(f, "Polarity=Neg");
        break;
    case POS_CCONJ:
        if (text_among(x->lower, "nor neither")) add(f, "Polarity=Neg");
        break;
    case POS_INTJ:
        if (text_among(x->lower, "yes yeah yep yup yea")) add(f, "Polarity=Pos");
        if (text_among(x->lower, "no nope nah")) add(f, "Polarity=Neg");
        break;
    case POS_SYM:
        if (x->tag == TAG_NN) add(f, "Number=Sing");
        break;
    default: break;
    }
    if (ud_kid(f->t, f->w, UD_GOESWITH) || ud_is_misspelt(f->t, f->w)) add(f, "Typo=Yes");
    if (ud_is_abbreviated(f->t, f->w)) add(f, "Abbr=Yes");
    if (x->extpos != POS_X) strbuf_printf(&f->out, "%sExtPos=%s", f->out.len ? "|" : "", ud_pos_text(x->extpos));
}

/* Puts the features into the order of UD. */
static const char *sorted(Features *f)
{
    char *item[FEATURES_MOST];
    size_t n = 0;
    if (!f->out.len) return "_";
    char *copy = arena_strndup(f->t->arena, f->out.ptr, f->out.len);
    for (char *p = copy; p && n < FEATURES_MOST;) {
        item[n++] = p;
        p = strchr(p, '|');
        if (p) *p++ = 0;
    }
    if (!copy) return NULL;
    qsort(item, n, sizeof *item, by_name);
    strbuf_clear(&f->out);
    for (size_t k = 0; k < n; k++) {
        if (k) strbuf_putc(&f->out, '|');
        strbuf_puts(&f->out, item[k]);
    }
    return f->out.failed ? NULL : arena_strndup(f->t->arena, f->out.ptr, f->out.len);
}

const char *ud_features(const UdTree *tree, int word)
{
    Features f = { .t = tree, .w = word };
    fill(&f);
    const char *s = f.out.failed ? NULL : sorted(&f);
    strbuf_fini(&f.out);
    return s;
}
