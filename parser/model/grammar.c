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

bool grammar_count(Vocab *steps, const Sentence *sent)
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

static GrammarCell *cell_of(const Grammar *g, Step s)
{
    uint64_t key = key_of(s);
    size_t mask = (size_t)g->n_cells - 1, k = (size_t)rng_mix(key) & mask;
    while (g->cell[k].key && g->cell[k].key != key) k = (k + 1) & mask;
    return &g->cell[k];
}

static float count_of(const Grammar *g, Step s) { return cell_of(g, s)->count; }

/* P(next) in a context, given that in the shorter one. */
static double smoothed(const Grammar *g, Step s, double shorter)
{
    const Step all = { s.around, s.label, s.before, ANY };
    const GrammarCell *context = cell_of(g, all);
    double trust = 2 * (double)context->value + 1;
    return ((double)count_of(g, s) + trust * shorter) / ((double)context->count + trust);
}

static double log_p(const Grammar *g, Step s)
{
    const double unseen = 0.1; /* counts for each symbol, and for what is unknown */
    double p = ((double)count_of(g, (Step){ ANY, ANY, ANY, s.next }) + unseen) /
               (g->steps + unseen * (double)(g->symbols.n + 1));
    p = smoothed(g, (Step){ ANY, s.label, s.before, s.next }, p);
    return log(smoothed(g, s, p));
}

/* Adds a step, and what it counts for in shorter contexts. */
static void add_step(Grammar *g, Step s, float count)
{
    const Step step[] = { s, { ANY, s.label, s.before, s.next } };
    for (int k = 0; k < 2; k++) {
        const Step all = { step[k].around, s.label, s.before, ANY };
        GrammarCell *context = cell_of(g, all);
        context->key = key_of(all);
        context->count += count;
        GrammarCell *cell = cell_of(g, step[k]);
        context->value += cell->key == 0;
        cell->key = key_of(step[k]);
        cell->count += count;
    }
    const Step alone = { ANY, ANY, ANY, s.next };
    GrammarCell *cell = cell_of(g, alone);
    cell->key = key_of(alone);
    cell->count += count;
    g->steps += (double)count;
}

/* "AROUND LABEL BEFORE NEXT" */
static Status read_step(Grammar *g, const char *text, Step *s, Error *e)
{
    int *part[] = { &s->around, &s->label, &s->before, &s->next };
    for (int k = 0; k < 4; k++) {
        size_t len = strcspn(text, " ");
        if ((text[len] == ' ') != (k < 3))
            return error_set(e, ERR_FORMAT, "steps of the grammar: found other than four names between blanks");
        *part[k] = map_add(&g->symbols, text, len);
        if (*part[k] < 0) return error_set(e, ERR_NOMEM, "out of memory for a grammar");
        text += len + (k < 3);
    }
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

static Status read_steps(Grammar *g, const Vocab *steps, Error *e)
{
    int n = vocab_size(steps);
    for (g->n_cells = 64; g->n_cells < 8 * n; g->n_cells *= 2) {}
    g->cell = mem_calloc((size_t)g->n_cells, sizeof *g->cell);
    Step *step = mem_alloc((size_t)n, sizeof *step);
    Status s = g->cell && step && map_add(&g->symbols, "", 0) == EDGE && map_add(&g->symbols, GRAMMAR_ROOT, 3) == ROOT
                   ? OK
                   : error_set(e, ERR_NOMEM, "out of memory for a grammar");
    for (int k = 0; k < n && s == OK; k++) {
        s = read_step(g, vocab_text(steps, k), &step[k], e);
        if (s == OK && g->symbols.n >= SYMBOLS_MOST)
            s = error_set(e, ERR_FORMAT, "steps of the grammar: found %d labels and tags, expected fewer than %d",
                          g->symbols.n, SYMBOLS_MOST);
        if (s == OK) add_step(g, step[k], (float)steps->counts[k]);
    }
    for (int k = 0; k < n && s == OK; k++) cell_of(g, step[k])->value = (float)log_p(g, step[k]);
    mem_free(step);
    return s;
}

Status grammar_read(Grammar *grammar, const Vocab *steps, const Vocab *labels, Error *error)
{
    const int most = 1 << 20;
    *grammar = (Grammar){ .cell = NULL };
    if (!vocab_size(steps)) return OK;
    if (vocab_size(steps) > most)
        return error_set(error, ERR_FORMAT, "steps of the grammar: found %d, expected at most %d", vocab_size(steps),
                         most);
    map_init(&grammar->symbols);
    Status s = read_steps(grammar, steps, error);
    if (s == OK) s = read_chains(grammar, labels, error);
    if (s != OK) grammar_fini(grammar);
    return s;
}

void grammar_fini(Grammar *grammar)
{
    if (!grammar->n_cells) return;
    map_fini(&grammar->symbols);
    mem_free_each(grammar->cell, grammar->at, grammar->chain);
    *grammar = (Grammar){ .cell = NULL };
}

/* ---- a tree */

int grammar_tag(const Grammar *grammar, const char *tag)
{
    int symbol = map_find(&grammar->symbols, tag, strlen(tag));
    return symbol < 0 ? UNKNOWN : symbol;
}

double grammar_log_p(const Grammar *grammar, const JointTree *tree, const int *tag, int n, Arena *scratch)
{
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
            const GrammarCell *cell = cell_of(grammar, step[k]);
            sum += cell->key ? (double)cell->value : log_p(grammar, step[k]);
        }
    }
    arena_rewind(scratch, mark);
    return sum;
}
