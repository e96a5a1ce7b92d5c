/* Each pass adds arcs to the tree or renames them: prepositions in names, conjuncts, subjects of open complements,
 * antecedents. One array holds all arcs; a linked list has the arcs into each word, another one the arcs out of it. */
#include "language/english/ud/ud_enhanced.h"

#include <stdlib.h>
#include <string.h>

#include "language/english/ud/ud_internal.h"

typedef struct Arc {
    int head, word;
    UdRelation relation;    /* without what is added to its name; UD_RELATIONS: none of UD English */
    const char *name;       /* in full */
    bool gone;              /* replaced by another one */
    int next_up, next_down; /* the next arc of the word, the next one below the head; -1: none */
} Arc;

typedef struct Graph {
    const Sentence *s;
    UdTree tree; /* words, heads, relations and what ud_index makes of them */
    UdPos *upos; /* [n + 1] POS_X where it is not known */
    Arc *arc;    /* [n_arcs] */
    int n_arcs, cap;
    int *up, *up_last, *down, *down_last; /* [n + 1] the first and the last arc of each word, below each word */
    int *n_up;                            /* [n + 1] arcs of each word */
    StrBuf scratch;
    bool failed; /* out of memory */
} Graph;

static UdRelation relation_of(const Graph *g, int w) { return g->tree.w[w].relation; }
static int head_of(const Graph *g, int w) { return g->tree.w[w].head; }

/* Dependents, arcs of a word, arcs below a word. Those that are added meanwhile are not among the arcs; of many
 * dependents and arcs below a word the first ones are looked at (UD_KIDS_MOST). */
#define EACH_KID(g, h, k, kid)            \
    for (int k = (g)->tree.first[h], kid; \
         k < (g)->tree.first[(h) + 1] && k < (g)->tree.first[h] + UD_KIDS_MOST && ((kid = (g)->tree.kids[k]), 1); k++)

#define EACH_UP(g, word, a) \
    for (int a = (g)->up[word], a##_last = (g)->up_last[word]; a >= 0; a = a == a##_last ? -1 : (g)->arc[a].next_up)

#define EACH_DOWN(g, head, a)                                                                                   \
    for (int a = (g)->down[head], a##_last = (g)->down_last[head], a##_left = UD_KIDS_MOST; a >= 0 && a##_left; \
         a##_left--, a = a == a##_last ? -1 : (g)->arc[a].next_down)

/* ---- arcs */

static bool has_arc(const Graph *g, int head, int word, const char *name)
{
    for (int a = g->up[word]; a >= 0; a = g->arc[a].next_up)
        if (!g->arc[a].gone && g->arc[a].head == head && strcmp(g->arc[a].name, name) == 0) return true;
    return false;
}

/* Adds an arc, but for those that are there, that lead to the word itself, and that are too many. */
static void add_arc(Graph *g, int head, int word, UdRelation relation, const char *name)
{
    if (head == word || g->n_up[word] == GRAPH_ARCS_MOST || !name || has_arc(g, head, word, name)) return;
    if (!mem_reserve(g->arc, &g->cap, g->n_arcs + 1)) {
        g->failed = true;
        return;
    }
    int a = g->n_arcs++;
    g->arc[a] = (Arc){ head, word, relation, name, false, -1, -1 };
    if (g->up[word] < 0) g->up[word] = a;
    else g->arc[g->up_last[word]].next_up = a;
    if (g->down[head] < 0) g->down[head] = a;
    else g->arc[g->down_last[head]].next_down = a;
    g->up_last[word] = g->down_last[head] = a;
    g->n_up[word]++;
}

/* ---- names */

static const char *lemma_of(const Graph *g, int w)
{
    const char *lemma = g->s->lemmas && g->upos[w] != POS_VERB ? g->s->lemmas[w - 1] : NULL;
    return lemma && strcmp(lemma, "_") != 0 ? lemma : g->s->words[w - 1];
}

/* Signs and contractions that are written out in names. */
static const char *spelled_out(const char *word)
{
    static const char *const pairs[][2] = { { "vs.", "versus" }, { "vs", "versus" },   { "v.", "versus" },
                                            { "w/", "with" },    { "w/o", "without" }, { "til", "until" },
                                            { "'til", "until" } };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (strcmp(word, pairs[k][0]) == 0) return pairs[k][1];
    return word;
}

/* Appends a word of a name, in lower case; false: it has other signs than letters, which a name may not have. */
static bool add_word(Graph *g, const char *word)
{
    size_t from = g->scratch.len;
    text_lower(&g->scratch, word, strlen(word));
    if (g->scratch.failed) return false;
    const char *plain = spelled_out(g->scratch.ptr + from);
    if (plain != g->scratch.ptr + from) {
        g->scratch.len = from;
        strbuf_puts(&g->scratch, plain);
    }
    for (size_t k = from; k < g->scratch.len; k++)
        if (!(g->scratch.ptr[k] >= 'a' && g->scratch.ptr[k] <= 'z')) return false;
    return g->scratch.len > from;
}

/* The names that relations of UD English may have (universaldependencies.org, enhanced relations of English): no
 * misspelt word, and no verb that was taken for a preposition. */
enum { ACL = 1, ADVCL = 2, NMOD = 4, OBL = 8, CONJ = 16 };
static const struct {
    int relations;
    const char *names;
} NAMES[] = {
    { NMOD | OBL, "a_la aboard above according_to across along alongside amid amidst among amongst around as_far_as "
                  "as_of aside astride atop barring because_of below beneath beside circa depending depending_on "
                  "depending_upon down except_on following for_post from_across from_among from_behind from_below "
                  "from_out_of from_outside from_over in_case_of including_before including_in nearby next_to nigh "
                  "notwithstanding off off_of on_board onto opposite out_of outside per post re regardless round sans "
                  "than_in throughout thru underneath unlike unto up up_to versus_per via within x" },
    { ACL | ADVCL | NMOD | OBL,
      "about after against along_with as as_to at before behind between beyond from in including_for inside "
      "instead_of into like of on over past prior_to since than to toward towards under until upon with" },
    { ADVCL, "albeit as_though because because_to cause for_if if_to iff in_case in_order in_order_to in_that "
             "including_by insofar_as lest like_by of_whether provided so_as_to so_that than_if the unless whereas "
             "while whither" },
    { ADVCL | NMOD | OBL,
      "as_for as_in as_opposed_to besides by despite due_to during except except_for excluding given "
      "in_between out save through till versus whilst without" },
    { ACL | ADVCL,
      "about_whether although as_if as_with except_that except_where for_to if in_order_for on_whether once "
      "such_that that when where whether" },
    { CONJ, "and and_or and_yet let_alone nor not not_to_mention or plus union "
            "yet" },
    { ACL, "but_to including_whether of_if of_why than_to whereby why" },
    { NMOD, "colon from_after pro than_for times" },
    { ACL | NMOD | OBL, "concerning including near regarding" },
    { ACL | ADVCL | CONJ | NMOD | OBL, "but for" },
    { CONJ | NMOD | OBL, "minus slash" },
    { ACL | ADVCL | CONJ, "so though" },
    { ADVCL | CONJ, "as_well_as" },
    { ADVCL | CONJ | OBL, "rather_than" },
    { ACL | ADVCL | NMOD, "such_as" },
    { OBL, "to_before" },
};

static bool is_name(const char *name, int relation)
{
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
        if ((NAMES[k].relations & relation) && text_among(name, NAMES[k].names)) return true;
    return false;
}

/* `base` with the name of a function word, in full if it is an expression: "obl:because_of". */
static const char *named(Graph *g, const char *base, int relation, int word)
{
    if (!word) return base;
    strbuf_clear(&g->scratch);
    strbuf_puts(&g->scratch, base);
    strbuf_putc(&g->scratch, ':');
    bool good = add_word(g, lemma_of(g, word));
    EACH_KID (g, word, k, kid)
        if (good && relation_of(g, kid) == UD_FIXED) {
            strbuf_putc(&g->scratch, '_');
            good = add_word(g, lemma_of(g, kid));
        }
    g->failed |= g->scratch.failed;
    if (g->scratch.failed || !good || !is_name(g->scratch.ptr + strlen(base) + 1, relation)) return base;
    return arena_strndup(g->tree.arena, g->scratch.ptr, g->scratch.len);
}

static bool is_lemma(const Graph *g, int w, const char *words) { return text_among(lemma_of(g, w), words); }

/* The preposition of a nominal: the last one, but not a possessive sign; 0: none. */
static int case_of(const Graph *g, int w)
{
    int found = 0;
    EACH_KID (g, w, k, kid)
        if (relation_of(g, kid) == UD_CASE && g->upos[kid] != POS_PART) found = kid;
    return found;
}

/* The word that names the relation of a clause to the word above it: its last conjunction, of a predicate with a
 * preposition that one ("as in Paris"), but "with him in Paris", "than in Paris"; else "when", "where". */
static int mark_of(const Graph *g, int w)
{
    int mark = 0, adverb = 0;
    EACH_KID (g, w, k, kid) {
        if (relation_of(g, kid) == UD_MARK) mark = kid;
        if (relation_of(g, kid) == UD_ADVMOD && kid < w && is_lemma(g, kid, "when where")) adverb = kid;
    }
    int preposition = case_of(g, w);
    if (preposition && !(mark && is_lemma(g, mark, "with without than"))) return preposition;
    return mark ? mark : adverb;
}

/* The coordinating word of a conjunct, or of the next conjunct that has such a word. */
static int cc_of(const Graph *g, int w)
{
    int found = ud_kid(&g->tree, w, UD_CC);
    EACH_KID (g, head_of(g, w), k, kid)
        if (!found && kid > w && relation_of(g, kid) == UD_CONJ) found = ud_kid(&g->tree, kid, UD_CC);
    return found;
}

/* The full name of the relation `r` that word w has to its head, or would have. */
static const char *name_of(Graph *g, int w, UdRelation r, const char *text)
{
    switch (r) {
    case UD_OBL: return named(g, text, OBL, case_of(g, w));
    case UD_NMOD: return named(g, text, NMOD, case_of(g, w));
    case UD_ACL: return named(g, text, ACL, mark_of(g, w));
    case UD_ADVCL: return named(g, text, ADVCL, mark_of(g, w));
    case UD_CONJ: return named(g, text, CONJ, cc_of(g, w));
    default: return text;
    }
}

static bool has_feature(const Graph *g, int w, const char *feature)
{
    const char *feats = g->s->feats ? g->s->feats[w - 1] : NULL;
    return feats && strstr(feats, feature);
}

/* ---- coordination */

static bool is_subject(UdRelation r)
{
    return r == UD_NSUBJ || r == UD_NSUBJ_PASS || r == UD_CSUBJ || r == UD_CSUBJ_PASS || r == UD_NSUBJ_OUTER ||
           r == UD_CSUBJ_OUTER;
}

static bool has_subject(const Graph *g, int w)
{
    EACH_KID (g, w, k, kid)
        if (is_subject(relation_of(g, kid)) || relation_of(g, kid) == UD_EXPL) return true;
    return false;
}

static bool is_passive(const Graph *g, int w)
{
    return ud_kid(&g->tree, w, UD_AUX_PASS) || has_feature(g, w, "Voice=Pass");
}

/* Does a conjunct have the heads of the first one, where that has this relation? */
static bool is_shared_head(UdRelation r)
{
    return r != UD_ROOT && r != UD_PARATAXIS && r != UD_LIST && r != UD_CONJ && r != UD_VOCATIVE && r != UD_AUX &&
           r != UD_COP && r != UD_FLAT && r != UD_FIXED && r != UD_PUNCT && r != UD_REPARANDUM && r != UD_DISCOURSE;
}

/* The relation without what name_of may add. */
static const char *plain_name(const Arc *x)
{
    bool named = x->relation == UD_OBL || x->relation == UD_NMOD || x->relation == UD_ADVCL || x->relation == UD_ACL;
    return named ? ud_relation_text(x->relation) : x->name;
}

/* The heads of the first conjunct, with names by the conjunct's own preposition or conjunction if it has one. */
static void share_heads(Graph *g, int w)
{
    EACH_UP (g, head_of(g, w), a) {
        const Arc x = g->arc[a];
        if (!is_shared_head(x.relation)) continue;
        const char *plain = plain_name(&x), *own = name_of(g, w, x.relation, plain);
        add_arc(g, x.head, w, x.relation, own == plain ? x.name : own);
    }
}

/* The name of a subject of word w: passive where w is. */
static void add_subject(Graph *g, int w, int subject, UdRelation r)
{
    bool passive = is_passive(g, w);
    if (r == UD_NSUBJ || r == UD_NSUBJ_PASS) r = passive ? UD_NSUBJ_PASS : UD_NSUBJ;
    if (r == UD_CSUBJ || r == UD_CSUBJ_PASS) r = passive ? UD_CSUBJ_PASS : UD_CSUBJ;
    add_arc(g, w, subject, r, ud_relation_text(r));
}

/* The subject of the first conjunct, and its objects after the conjunct. */
static void share_dependents(Graph *g, int w)
{
    bool subject = !has_subject(g, w), verb = g->upos[w] == POS_VERB;
    EACH_DOWN (g, head_of(g, w), a) {
        const Arc x = g->arc[a];
        if (x.word == w) continue;
        if (subject && is_subject(x.relation) && x.word < w) add_subject(g, w, x.word, x.relation);
        else if (verb && x.relation == UD_OBJ && x.word > w && !ud_kid(&g->tree, w, UD_OBJ))
            add_arc(g, w, x.word, UD_OBJ, x.name);
    }
}

static void add_conjuncts(Graph *g)
{
    for (int w = 1; w <= g->tree.n; w++)
        if (relation_of(g, w) == UD_CONJ) share_heads(g, w);
    for (int w = 1; w <= g->tree.n; w++)
        if (relation_of(g, w) == UD_CONJ) share_dependents(g, w);
}

/* ---- open complements */

/* Adds the subjects, or the objects, of the word above as subjects of its open complement. Are there any? */
static bool add_controllers(Graph *g, int head, int w, bool objects)
{
    bool found = false;
    EACH_DOWN (g, head, a) {
        const Arc x = g->arc[a];
        bool clause = x.relation == UD_CSUBJ || x.relation == UD_CSUBJ_PASS;
        bool fits = objects ? x.relation == UD_OBJ || x.relation == UD_IOBJ
                            : clause || x.relation == UD_NSUBJ || x.relation == UD_NSUBJ_PASS;
        if (!fits || x.word == w) continue;
        found = true;
        add_arc(g, w, x.word, clause ? UD_CSUBJ : UD_NSUBJ, clause ? "csubj:xsubj" : "nsubj:xsubj");
    }
    return found;
}

/* The object of the verb above is the subject of its open complement, else the subject is. */
static void add_subjects(Graph *g)
{
    for (int k = 0; k < g->tree.n; k++) {
        int w = g->tree.order[k];
        EACH_UP (g, w, a)
            if (g->arc[a].relation == UD_XCOMP && !has_subject(g, w) && !add_controllers(g, g->arc[a].head, w, true))
                add_controllers(g, g->arc[a].head, w, false);
    }
}

/* ---- relative clauses */

static bool is_relative(const Graph *g, int w) { return has_feature(g, w, "PronType=Rel"); }

/* The relative pronoun or adverb of the clause of word w: the first one below it that is not in a relative clause
 * inside; 0: none. */
static int relative_below(const Graph *g, int w, int *left)
{
    EACH_KID (g, w, k, kid) {
        if (--*left < 0) return 0;
        if (is_relative(g, kid)) return kid;
        UdRelation r = relation_of(g, kid);
        if (r == UD_ACL_RELCL || r == UD_ADVCL_RELCL || r == UD_CONJ || r == UD_PARATAXIS) continue;
        int found = relative_below(g, kid, left);
        if (found) return found;
    }
    return 0;
}

static const char REF[] = "ref"; /* a relation of enhanced graphs alone */

/* The antecedent has the arcs of the relative word, which refers to it. */
static void move_arcs(Graph *g, int antecedent, int word)
{
    bool clause = g->upos[antecedent] == POS_VERB || has_subject(g, antecedent);
    EACH_UP (g, word, a) {
        const Arc x = g->arc[a];
        if (x.gone || x.head == antecedent || strcmp(x.name, REF) == 0) continue;
        UdRelation r = x.relation;
        if (r == UD_ADVMOD) r = is_lemma(g, word, "when") ? UD_OBL_UNMARKED : UD_OBL;
        if (clause && r == UD_NSUBJ) r = UD_CSUBJ;
        add_arc(g, x.head, antecedent, r, r == x.relation ? x.name : ud_relation_text(r));
        g->arc[a].gone = true;
        g->n_up[word]--;
    }
    add_arc(g, antecedent, word, UD_RELATIONS, REF);
}

/* The relation of the antecedent in a clause without a relative word: an oblique after a stranded preposition, in a
 * clause that has an object or lacks a verb, and of times, ways and reasons; the subject of a clause without one. */
static UdRelation gap_of(const Graph *g, int antecedent, int clause)
{
    static const char oblique[] = "time way reason year last moment point night date hour";
    if (relation_of(g, clause) == UD_ADVCL_RELCL) return UD_ADVMOD;
    bool other = g->upos[clause] == POS_ADP || is_lemma(g, antecedent, oblique);
    EACH_KID (g, clause, k, kid) {
        UdRelation r = relation_of(g, kid);
        if (g->upos[kid] == POS_ADP && r == UD_OBL) return UD_OBL;
        other |= r == UD_OBJ || r == UD_COP || r == UD_AUX_PASS;
    }
    return !has_subject(g, clause) ? UD_NSUBJ : other ? UD_OBL : UD_OBJ;
}

static void add_gap(Graph *g, int antecedent, int clause)
{
    UdRelation r = gap_of(g, antecedent, clause);
    int place = clause;
    if (r == UD_OBJ)
        for (int deeper = place; deeper; place = deeper ? deeper : place) deeper = ud_kid(&g->tree, place, UD_XCOMP);
    if (r == UD_NSUBJ) add_subject(g, clause, antecedent, r);
    else add_arc(g, place, antecedent, r, ud_relation_text(r));
}

/* A conjunct of a relative clause may have a relative word of its own. */
static void add_antecedents(Graph *g)
{
    for (int k = 0; k < g->tree.n; k++) {
        int w = g->tree.order[k], left = UD_KIDS_MOST, word = 0;
        EACH_UP (g, w, a) {
            const Arc x = g->arc[a];
            if (x.relation != UD_ACL_RELCL && x.relation != UD_ADVCL_RELCL) continue;
            bool own = x.relation == relation_of(g, w);
            if (is_relative(g, w)) word = x.relation == UD_ACL_RELCL ? w : 0;
            else word = relative_below(g, w, &left);
            if (word) move_arcs(g, x.head, word);
            else if (own && !is_relative(g, w)) add_gap(g, x.head, w);
        }
    }
}

/* ---- the graph */

static bool init(Graph *g, const Sentence *s, Arena *arena)
{
    size_t n = (size_t)s->n_words;
    *g = (Graph){ .s = s, .tree = { .n = s->n_words, .arena = arena } };
    UdTree *t = &g->tree;
    if (!ud_tree_alloc(t)) return false;
    g->upos = arena_alloc(arena, n + 1, sizeof *g->upos);
    int *lists = arena_alloc(arena, 5 * (n + 1), sizeof *lists);
    if (!g->upos || !lists) return false;
    g->up = lists;
    g->up_last = g->up + n + 1;
    g->down = g->up_last + n + 1;
    g->down_last = g->down + n + 1;
    g->n_up = g->down_last + n + 1;
    for (size_t w = 0; w <= n; w++) g->up[w] = g->down[w] = -1, g->n_up[w] = 0;
    t->w[0] = (UdWord){ .form = "", .lower = "" };
    for (int w = 1; w <= t->n; w++) {
        t->w[w] = (UdWord){ .head = s->heads[w - 1], .relation = ud_find_relation(s->types[w - 1]) };
        g->upos[w] = s->upos && s->upos[w - 1] ? ud_find_pos(s->upos[w - 1]) : POS_X;
    }
    return ud_index(t);
}

static int by_head(const void *a, const void *b)
{
    const GraphArc *x = a, *y = b;
    return x->head != y->head ? (x->head > y->head) - (x->head < y->head) : strcmp(x->relation, y->relation);
}

/* The arcs of each word, by head. */
static const DepGraph *finish(const Graph *g, Arena *arena)
{
    DepGraph *graph = arena_alloc(arena, 1, sizeof *graph);
    int *first = arena_alloc(arena, (size_t)g->tree.n + 1, sizeof *first), n = 0;
    GraphArc *arc = arena_alloc(arena, (size_t)g->n_arcs, sizeof *arc);
    if (!graph || !first || !arc) return NULL;
    for (int w = 1; w <= g->tree.n; w++) {
        first[w - 1] = n;
        for (int a = g->up[w]; a >= 0; a = g->arc[a].next_up)
            if (!g->arc[a].gone) arc[n++] = (GraphArc){ g->arc[a].head, g->arc[a].name };
        qsort(arc + first[w - 1], (size_t)(n - first[w - 1]), sizeof *arc, by_head);
    }
    first[g->tree.n] = n;
    *graph = (DepGraph){ first, arc };
    return graph;
}

const DepGraph *ud_enhance(const Sentence *sentence, Arena *arena)
{
    Graph g;
    const DepGraph *graph = NULL;
    if (init(&g, sentence, arena)) {
        for (int w = 1; w <= g.tree.n; w++) {
            const char *text = sentence->types[w - 1];
            add_arc(&g, head_of(&g, w), w, relation_of(&g, w), name_of(&g, w, relation_of(&g, w), text));
        }
        add_conjuncts(&g);
        add_subjects(&g);
        add_antecedents(&g);
        graph = g.failed ? NULL : finish(&g, arena);
    }
    mem_free(g.arc);
    strbuf_fini(&g.scratch);
    return graph;
}
