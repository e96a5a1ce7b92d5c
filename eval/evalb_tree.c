/* Reads a line into words and brackets as EVALB does.
 *
 * EVALB keeps the indices of open brackets on a stack and does not check for underflow. The first surplus ')' is not an
 * error in itself: it closes the bracket whose index is in the memory below the stack; every further one is an error.
 * In EVALB as compiled by gcc that memory is 0, or the index of a bracket that was opened there; below_stack has the
 * same contents. A line with unequal numbers of '(' and ')' is an error at its end. */
#include <limits.h>
#include <string.h>

#include "eval/evalb_internal.h"

enum { ORDINARY = 0, SPACE, OPEN, CLOSE, END };

/* The kind of each byte. */
static const unsigned char KIND[256] = { [0] = END,      ['\t'] = SPACE, ['\n'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE,
                                         ['\r'] = SPACE, [' '] = SPACE,  ['('] = OPEN,   [')'] = CLOSE };

static int kind(const char *p) { return KIND[(unsigned char)*p]; }

static const char *skip_space(const char *p)
{
    while (kind(p) == SPACE) p++;
    return p;
}

/* ---- brackets */

/* Place `depth` of the stack, also below its bottom; NULL if too far below. */
static int *stack_place(Run *r, Tree *t, int depth)
{
    if (depth >= 0) return &t->stack[depth];
    return depth >= -BELOW_STACK ? &r->below_stack[-1 - depth] : NULL;
}

static bool grow_brackets(Run *r, Tree *t)
{
    int cap = t->cap_brackets;
    if (!mem_reserve(t->brackets, &t->cap_brackets, t->n_brackets + 1)) return evalb_out_of_memory(r);
    memset(t->brackets + cap, 0, (size_t)(t->cap_brackets - cap) * sizeof *t->brackets);
    return true;
}

/* text: end of the label in the line. Until the bracket is closed, its text_end is left from an earlier sentence, as in
 * EVALB. */
static bool open_bracket(Run *r, Tree *t, int label, size_t text)
{
    if (t->n_brackets == t->cap_brackets && !grow_brackets(r, t)) return false;
    if (t->depth >= t->cap_stack && !mem_reserve(t->stack, &t->cap_stack, t->depth + 1)) return evalb_out_of_memory(r);
    Bracket *b = &t->brackets[t->n_brackets];
    b->start = t->n;
    b->end = -1;
    b->label = label;
    b->result = UNTOUCHED;
    b->open_quotes = t->n_quotes;
    /* later quotes do not move the end of a bracket opened below the bottom */
    b->close_quotes = t->depth >= 0 ? INT_MAX : t->n_quotes;
    b->text_start = text;
    int *place = stack_place(r, t, t->depth++);
    if (place) *place = t->n_brackets;
    t->n_brackets++;
    return true;
}

static bool close_bracket(Run *r, Tree *t, size_t text)
{
    bool missing = t->depth < 0;
    if (t->depth <= 0) t->nested = false;
    const int *place = stack_place(r, t, --t->depth);
    int k = place ? *place : 0;
    if (missing && !evalb_sentence_error(r, "Bracketing unbalance (too many close bracket)\n")) return false;
    if (k >= t->n_brackets) return true;
    Bracket *b = &t->brackets[k];
    b->end = t->n;
    b->text_end = text;
    if (t->depth >= 0) b->close_quotes = t->n_quotes;
    return true;
}

/* ---- words */

static bool is_quote(const char *word, size_t len)
{
    return len == 1 && (*word == '\'' || *word == '"' || *word == '/');
}

static bool add_word(Run *r, Tree *t, int number, const char *text, size_t len)
{
    const Label *label = &r->labels.items[number];
    Word word = { text, (int)len, number, UNTOUCHED };
    t->length += !label->unmeasured;
    if (label->quote && is_quote(text, len)) {
        if (!mem_reserve(t->quotes, &t->cap_quotes, t->n_quotes + 1)) return evalb_out_of_memory(r);
        t->quotes[t->n_quotes++] = (Quote){ word, t->n, t->n_brackets, t->depth, 0, label->deleted };
    }
    if (label->deleted) return true;
    if (t->n == t->cap_words && !mem_reserve(t->words, &t->cap_words, t->n + 1)) return evalb_out_of_memory(r);
    t->words[t->n++] = word;
    return true;
}

/* EVALB skips a NUL inside a label or a word, and ignores what follows it there. */
static const char *skip_hidden(const Tree *t, const char *p)
{
    while (*p == 0 && p < t->line + t->len)
        for (p++; kind(p) == ORDINARY;) p++;
    return p;
}

/* *at is after a '(' and is moved past the word and its ')', or past the label of a phrase. */
static bool read_bracket(Run *r, Tree *t, const char **at)
{
    const char *name = *at, *p = name;
    uint64_t key = 0;
    for (; kind(p) == ORDINARY; p++) key = evalb_label_key(key, *p);
    int label = evalb_labels_number(&r->labels, name, (size_t)(p - name), key);
    if (label < 0) return evalb_out_of_memory(r);
    p = skip_hidden(t, p);
    if (kind(p) == SPACE) {
        const char *word = skip_space(p + 1), *end = word;
        while (kind(end) == ORDINARY) end++;
        size_t len = (size_t)(end - word);
        end = skip_hidden(t, end);
        if (r->p->debug > 1) evalb_put_terminal(r, t, label, word, len);
        if (*end == ')') {
            *at = end + 1;
            return add_word(r, t, label, word, len);
        }
        if (*end != '(' && !evalb_sentence_error(r, "More than two elements in a bracket\n")) return false;
    }
    *at = p;
    return open_bracket(r, t, label, (size_t)(p - t->line));
}

bool evalb_tree_read(Run *run, Tree *tree)
{
    const char *p = tree->line;
    tree->n = tree->n_brackets = tree->n_quotes = tree->n_live = tree->depth = tree->length = tree->inserted = 0;
    tree->nested = true;
    for (;;) {
        switch (kind(p)) {
        case SPACE: p++; break;
        case OPEN:
            p++;
            if (!read_bracket(run, tree, &p)) return false;
            break;
        case CLOSE:
            if (!close_bracket(run, tree, (size_t)(p - tree->line))) return false;
            p++;
            break;
        case END:
            if (tree->depth != 0) tree->nested = false;
            return tree->depth == 0 || evalb_sentence_error(run, "Bracketing is unbalanced (too many open bracket)\n");
        default:
            /* EVALB repeats this error at the same place until it stops */
            while (evalb_sentence_error(run, "Reading sentence\n")) {}
            return false;
        }
    }
}

/* ---- quotes */

/* Sets r->scratch [n_quotes + 1] to the number of insertions before each quote of t, and before the end. */
static bool sum_insertions(Run *r, const Tree *t)
{
    if (!mem_reserve(r->scratch, &r->cap_scratch, t->n_quotes + 1)) return evalb_out_of_memory(r);
    r->scratch[0] = 0;
    for (int k = 0; k < t->n_quotes; k++) r->scratch[k + 1] = r->scratch[k] + t->quotes[k].inserted;
    return true;
}

/* The bracket after insertions: those before it move its start, those before its end move its end. */
static Bracket moved(const Run *r, const Tree *t, const Bracket *b)
{
    Bracket to = *b;
    to.start += r->scratch[b->open_quotes];
    to.end += r->scratch[b->close_quotes < t->n_quotes ? b->close_quotes : t->n_quotes];
    return to;
}

/* Records an insertion; apply_insertions inserts all words at once. */
static bool insert_quote(Run *r, Tree *t, Quote *q, int at)
{
    if (r->p->debug > 1) {
        if (!sum_insertions(r, t)) return false;
        evalb_put_insertion(r, q, at);
        for (int k = 0; k < t->n_brackets; k++) {
            Bracket b = moved(r, t, &t->brackets[k]);
            evalb_put_bracket(r, k, &b);
            if (!evalb_flush(r, false)) return false;
        }
        evalb_put_depth(r, q);
    }
    if (!mem_reserve(t->insertions, &t->cap_insertions, t->inserted + 1)) return evalb_out_of_memory(r);
    t->insertions[t->inserted++] = (Insertion){ at, q->word };
    q->inserted++;
    return true;
}

static bool apply_insertions(Run *r, Tree *t)
{
    int n = t->n, n_in = t->inserted;
    if (n_in == 0) return true;
    if (!mem_reserve(t->words, &t->cap_words, n + n_in)) return evalb_out_of_memory(r);
    if (!sum_insertions(r, t)) return false;
    for (int k = 0; k < t->n_brackets; k++) t->brackets[k] = moved(r, t, &t->brackets[k]);
    for (int to = n + n_in; to-- > 0;) {
        bool in = n_in > 0 && t->insertions[n_in - 1].at == to;
        t->words[to] = in ? t->insertions[--n_in].word : t->words[--n];
    }
    t->n += t->inserted;
    return true;
}

/* EVALB compares each test quote with all gold quotes of the same index, the number of words before it without deleted
 * ones, but with those inserted so far. The index never decreases along the line, and of the quotes with one index all
 * but the last are deleted. So for a test quote that was not deleted, the first gold quote with its index is inserted
 * if it was deleted; and a deleted test quote is inserted if the next gold quote that was not deleted has its index. */
bool evalb_fix_quotes(Run *run)
{
    Tree *g = &run->gold, *t = &run->test;
    if (run->p->debug > 1) evalb_put_quotes(run);
    for (int i = 0, first = 0, kept = 0; i < t->n_quotes; i++) {
        Quote *q = &t->quotes[i];
        int at = q->index + t->inserted;
        while (first < g->n_quotes && g->quotes[first].index + g->inserted < at) first++;
        if (kept < first) kept = first;
        while (kept < g->n_quotes && g->quotes[kept].deleted) kept++;
        if (!q->deleted && first < g->n_quotes && g->quotes[first].deleted &&
            g->quotes[first].index + g->inserted == at) {
            if (!insert_quote(run, g, &g->quotes[first], at)) return false;
        } else if (q->deleted && kept < g->n_quotes && g->quotes[kept].index + g->inserted == at) {
            if (!insert_quote(run, t, q, at)) return false;
        }
    }
    return apply_insertions(run, g) && apply_insertions(run, t);
}
