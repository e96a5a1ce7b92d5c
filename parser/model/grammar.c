/* A tree is listed as steps, which are counted by their texts in training and kept by their
 * numbers, in a hash table, in a model. */
#include "parser/model/grammar.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

/* Symbols by number; 0 is the edge of a phrase, or what is around the whole sentence. */
enum { EDGE, ROOT, SYMBOL_BITS = 16, SYMBOLS_MOST = (1 << SYMBOL_BITS) - 2, UNKNOWN = SYMBOLS_MOST };

/* ---- the steps of a tree */

typedef struct Open { /* a phrase before its end */
    int end, label, around, before;
} Open;

typedef struct Step {
    int around, label, before, next;
} Step;

/* The steps of a tree with phrases in pre-order, unary chains as phrases of their own, in numbers of symbols. step
 * [2 n_phrases + n_words + 1]; stack [n_phrases + 1]. */
static void list_steps(const Span *phrase, int n_phrases, const int *tag, int n_words, Open *stack, Step *step)
{
    int depth = 1, k = 0;
    stack[0] = (Open){ n_words, ROOT, EDGE, EDGE };
    for (int w = 0; w <= n_words; w++) {
        while (depth > 0 && stack[depth - 1].end == w) {
            const Open *o = &stack[--depth];
            *step++ = (Step){ o->around, o->label, o->before, EDGE };
        }
        for (; w < n_words && k < n_phrases && phrase[k].begin == w; k++) {
            Open *o = &stack[depth - 1];
            *step++ = (Step){ o->around, o->label, o->before, phrase[k].label };
            o->before = phrase[k].label;
            stack[depth++] = (Open){ phrase[k].end, phrase[k].label, o->label, EDGE };
        }
        if (w == n_words) break;
        Open *o = &stack[depth - 1];
        *step++ = (Step){ o->around, o->label, o->before, tag[w] };
        o->before = tag[w];
    }
}

static int count_steps(int n_phrases, int n_words) { return 2 * n_phrases + n_words + 1; }

/* ---- counting */

bool grammar_count(Vocab *steps, const Sentence *sent, const char *treebank)
{
    int n = sent->n_words, p = sent->n_phrases, total = count_steps(p, n);
    Arena a;
    StrBuf text = { 0 };
    arena_init(&a, 4096);
    /* symbols are places in `name`: phrases, then words, after the reserved ones */
    const char **name = arena_alloc(&a, (size_t)(p + n) + 2, sizeof *name);
    Span *phrase = arena_alloc(&a, (size_t)p, sizeof *phrase);
    int *tag = arena_alloc(&a, (size_t)n, sizeof *tag);
    Step *step = arena_alloc(&a, (size_t)total, sizeof *step);
    Open *stack = arena_alloc(&a, (size_t)p + 1, sizeof *stack);
    bool good = name && phrase && tag && step && stack;
    if (good) {
        name[EDGE] = "";
        name[ROOT] = GRAMMAR_ROOT;
        for (int k = 0; k < p; k++) {
            phrase[k] = (Span){ sent->phrases[k].begin, sent->phrases[k].end, k + 2 };
            name[k + 2] = sent->phrases[k].label;
        }
        for (int w = 0; w < n; w++) name[tag[w] = p + w + 2] = sent->tags[w];
        list_steps(phrase, p, tag, n, stack, step);
    }
    for (int k = 0; k < total && good; k++) {
        strbuf_clear(&text);
        strbuf_printf(&text, "%s %s %s %s", name[step[k].around], name[step[k].label], name[step[k].before],
                      name[step[k].next]);
        if (treebank) strbuf_printf(&text, " %s", treebank);
        good = !text.failed && vocab_count(steps, text.ptr, text.len, 1) >= 0;
    }
    strbuf_fini(&text);
    arena_fini(&a);
    return good;
}

bool grammar_prune(Vocab *steps)
{
    bool good = true;
    for (int least = 2; good && (least == 2 || vocab_size(steps) > GRAMMAR_STEPS_MOST); least++)
        good = vocab_prune(steps, 0, least);
    return good;
}

/* ---- probabilities */

/* The count and the log P of a step; the steps and the kinds of steps in a context, which is a step whose next is ANY.
 */
typedef struct GrammarCell {
    uint64_t key; /* 0: empty */
    float count, value;
} GrammarCell;

static uint64_t key_of(Step s)
{
    const int part[] = { s.around, s.label, s.before, s.next };
    uint64_t key = 0;
    for (int k = 0; k < 4; k++) key = key << SYMBOL_BITS | (uint64_t)(part[k] + 1);
    return key;
}

enum { ANY = -1 }; /* in place of a symbol: all of them */

static GrammarCell *cell_of(const GrammarTable *t, Step s)
{
    uint64_t key = key_of(s);
    size_t mask = (size_t)t->n_cells - 1, k = (size_t)rng_mix(key) & mask;
    while (t->cell[k].key && t->cell[k].key != key) k = (k + 1) & mask;
    return &t->cell[k];
}

static float count_of(const GrammarTable *t, Step s) { return cell_of(t, s)->count; }

/* P(next) in a context, given that in the shorter one, which counts `times` as much as it usually does. */
static double smoothed(const GrammarTable *t, Step s, double times, double shorter)
{
    const Step all = { s.around, s.label, s.before, ANY };
    const GrammarCell *context = cell_of(t, all);
    double trust = times * (2 * (double)context->value + 1);
    return ((double)count_of(t, s) + trust * shorter) / ((double)context->count + trust);
}

static double log_p(const Grammar *g, const GrammarTable *own, Step s)
{
    const double unseen = 0.1; /* counts for each symbol, and for what is unknown */
    double p = ((double)count_of(&g->all, (Step){ ANY, ANY, ANY, s.next }) + unseen) /
               (g->all.steps + unseen * (double)(g->symbols.n + 1));
    p = smoothed(&g->all, (Step){ ANY, s.label, s.before, s.next }, 1, p);
    p = smoothed(&g->all, s, 1, p);
    return log(own->cell ? smoothed(own, s, 10, p) : p);
}

/* Adds a step to its context. */
static void add_step(GrammarTable *t, Step s, float count)
{
    const Step all = { s.around, s.label, s.before, ANY };
    GrammarCell *context = cell_of(t, all);
    context->key = key_of(all);
    context->count += count;
    GrammarCell *cell = cell_of(t, s);
    context->value += cell->key == 0;
    cell->key = key_of(s);
    cell->count += count;
}

/* Adds a step, and what it counts for in shorter contexts. */
static void add_to_all(GrammarTable *all, Step s, float count)
{
    const Step alone = { ANY, ANY, ANY, s.next };
    add_step(all, s, count);
    add_step(all, (Step){ ANY, s.label, s.before, s.next }, count);
    GrammarCell *cell = cell_of(all, alone);
    cell->key = key_of(alone);
    cell->count += count;
    all->steps += (double)count;
}

/* A step of a file; treebank NONE: of none that has a number. */
enum { NONE = -1 };
typedef struct ReadStep {
    Step step;
    int treebank;
} ReadStep;

/* "AROUND LABEL BEFORE NEXT" or "AROUND LABEL BEFORE NEXT TREEBANK" */
static Status read_step(Grammar *g, const char *text, const Vocab *treebanks, ReadStep *to, Error *e)
{
    int *part[] = { &to->step.around, &to->step.label, &to->step.before, &to->step.next };
    for (int k = 0; k < 4; k++) {
        size_t len = strcspn(text, " ");
        if (k < 3 && text[len] != ' ')
            return error_set(e, ERR_FORMAT, "steps of the grammar: found fewer than four names between blanks");
        *part[k] = map_add(&g->symbols, text, len);
        if (*part[k] < 0) return error_set(e, ERR_NOMEM, "out of memory for a grammar");
        text += len + (text[len] == ' ');
    }
    to->treebank = *text ? vocab_find(treebanks, text) : NONE;
    return OK;
}

static Status read_chains(Grammar *g, const Vocab *labels, Error *e)
{
    int n = vocab_size(labels), most = 0, used = 0;
    for (int l = 0; l < n; l++) most += 1 + (int)strlen(vocab_text(labels, l)) / (int)strlen(LABEL_JOIN);
    g->n_labels = n;
    g->at = mem_alloc((size_t)n + 1, sizeof *g->at);
    g->chain = mem_alloc((size_t)most, sizeof *g->chain);
    if (!g->at || !g->chain) return error_set(e, ERR_NOMEM, "out of memory for a grammar");
    for (int l = 0; l < n; l++) {
        g->at[l] = used;
        for (const char *part = vocab_text(labels, l), *join; l > CHART_GROUP && part; part = join) {
            join = strstr(part, LABEL_JOIN);
            int symbol = map_find(&g->symbols, part, join ? (size_t)(join - part) : strlen(part));
            g->chain[used++] = symbol < 0 ? UNKNOWN : symbol;
            if (join) join += strlen(LABEL_JOIN);
        }
    }
    g->at[n] = used;
    return OK;
}

/* Room for n steps, which have `kinds` entries each. */
static Status make_table(GrammarTable *t, int n, int kinds, Error *e)
{
    for (t->n_cells = 64; t->n_cells < 2 * kinds * n; t->n_cells *= 2) {}
    t->cell = mem_calloc((size_t)t->n_cells, sizeof *t->cell);
    return t->cell ? OK : error_set(e, ERR_NOMEM, "out of memory for a grammar");
}

/* The tables of n steps. */
static Status make_tables(Grammar *g, const ReadStep *step, int n, const Vocab *steps, Error *e)
{
    Status s = make_table(&g->all, n, 4, e);
    for (int b = 0; b < g->n_treebanks && s == OK; b++) {
        int of = 0;
        for (int k = 0; k < n; k++) of += step[k].treebank == b;
        if (of) s = make_table(&g->own[b], of, 2, e);
    }
    for (int k = 0; k < n && s == OK; k++) {
        add_to_all(&g->all, step[k].step, (float)steps->counts[k]);
        if (step[k].treebank != NONE) add_step(&g->own[step[k].treebank], step[k].step, (float)steps->counts[k]);
    }
    for (int k = 0; k < n && s == OK; k++) {
        static const GrammarTable none = { .cell = NULL };
        GrammarCell *cell = cell_of(&g->all, step[k].step);
        if (cell->value == 0) cell->value = (float)log_p(g, &none, step[k].step);
        if (step[k].treebank == NONE) continue;
        const GrammarTable *own = &g->own[step[k].treebank];
        cell_of(own, step[k].step)->value = (float)log_p(g, own, step[k].step);
    }
    return s;
}

static Status read_steps(Grammar *g, const Vocab *steps, const Vocab *treebanks, Error *e)
{
    int n = vocab_size(steps);
    ReadStep *step = mem_alloc((size_t)n, sizeof *step);
    g->n_treebanks = vocab_size(treebanks);
    g->own = mem_calloc((size_t)g->n_treebanks + 1, sizeof *g->own);
    Status s = g->own && step && map_add(&g->symbols, "", 0) == EDGE && map_add(&g->symbols, GRAMMAR_ROOT, 3) == ROOT
                   ? OK
                   : error_set(e, ERR_NOMEM, "out of memory for a grammar");
    for (int k = 0; k < n && s == OK; k++) {
        s = read_step(g, vocab_text(steps, k), treebanks, &step[k], e);
        if (s == OK && g->symbols.n >= SYMBOLS_MOST)
            s = error_set(e, ERR_FORMAT, "steps of the grammar: found %d labels and tags, expected fewer than %d",
                          g->symbols.n, SYMBOLS_MOST);
    }
    if (s == OK) s = make_tables(g, step, n, steps, e);
    mem_free(step);
    return s;
}

Status grammar_read(Grammar *grammar, const Vocab *steps, const Vocab *labels, const Vocab *treebanks, Error *error)
{
    const int most = 1 << 20;
    *grammar = (Grammar){ .own = NULL };
    if (!vocab_size(steps)) return OK;
    if (vocab_size(steps) > most)
        return error_set(error, ERR_FORMAT, "steps of the grammar: found %d, expected at most %d", vocab_size(steps),
                         most);
    map_init(&grammar->symbols);
    Status s = read_steps(grammar, steps, treebanks, error);
    if (s == OK) s = read_chains(grammar, labels, error);
    if (s != OK) grammar_fini(grammar);
    return s;
}

void grammar_fini(Grammar *grammar)
{
    map_fini(&grammar->symbols);
    for (int b = 0; b < grammar->n_treebanks && grammar->own; b++) mem_free(grammar->own[b].cell);
    mem_free_each(grammar->own, grammar->all.cell, grammar->at, grammar->chain);
    *grammar = (Grammar){ .own = NULL };
}

/* ---- a tree */

int grammar_tag(const Grammar *grammar, const char *tag)
{
    int symbol = map_find(&grammar->symbols, tag, strlen(tag));
    return symbol < 0 ? UNKNOWN : symbol;
}

double grammar_log_p(const Grammar *grammar, int treebank, const JointTree *tree, const int *tag, int n, Arena *scratch)
{
    const GrammarTable *own = &grammar->own[treebank], *table = own->cell ? own : &grammar->all;
    ArenaMark mark = arena_mark(scratch);
    const int unknown = UNKNOWN;
    int n_phrases = 0;
    size_t most = 0;
    for (int k = 0; k < tree->n_nodes; k++) {
        int l = tree->nodes[k].label;
        most += l < 0 || l >= grammar->n_labels ? 1 : (size_t)(grammar->at[l + 1] - grammar->at[l]);
    }
    Span *phrase = arena_alloc(scratch, most, sizeof *phrase);
    int total = count_steps((int)most, n);
    Step *step = arena_alloc(scratch, (size_t)total, sizeof *step);
    Open *stack = arena_alloc(scratch, most + 1, sizeof *stack);
    double sum = phrase && step && stack ? 0 : NAN;
    if (!isnan(sum)) {
        for (int k = 0; k < tree->n_nodes; k++) {
            const Span *x = &tree->nodes[k];
            bool known = x->label >= 0 && x->label < grammar->n_labels;
            const int *chain = known ? grammar->chain + grammar->at[x->label] : &unknown;
            int length = known ? grammar->at[x->label + 1] - grammar->at[x->label] : 1;
            for (int c = 0; c < length; c++) phrase[n_phrases++] = (Span){ x->begin, x->end, chain[c] };
        }
        list_steps(phrase, n_phrases, tag, n, stack, step);
        for (int k = 0; k < total; k++) {
            const GrammarCell *cell = cell_of(table, step[k]);
            sum += cell->key ? (double)cell->value : log_p(grammar, own, step[k]);
        }
    }
    arena_rewind(scratch, mark);
    return sum;
}
