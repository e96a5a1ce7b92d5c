/* The features of characters and of tokens. */
#include "language/trained/trained_internal.h"

/* Templates of the three models. */
enum { CHAR_TEMPLATES = 0, TRANSITION = 60, END_TEMPLATES = 64, WORD_TEMPLATES = 128 };

static uint32_t place(const TrainedText *t, uint32_t template, uint64_t value)
{
    uint64_t h = (value + template) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29 ^ template * 0xC2B2AE3Du;
    h *= 0xBF58476D1CE4E5B9u;
    return (uint32_t)(h >> (64 - t->bits));
}

/* The value of a template with several parts. */
static uint64_t join(uint64_t a, uint32_t b) { return trained_hash(a ^ a >> 31, b); }
static uint64_t join2(uint64_t a, uint32_t b, uint32_t c) { return join(join(a, b), c); }

/* ---- characters */

static bool is_cased_or_digit(const TrainedChar *c) { return c->class >= TRAINED_LOWER && c->class <= TRAINED_DIGIT; }

/* The next character in direction `step`, or the first one beyond the scan. Where words have no blanks between them,
 * one that is not between Latin words is passed over: it says where a token ends, and nothing of the words around
 * it. */
static int neighbour(const TrainedText *t, const TrainedScan *s, int k, int step)
{
    int next = k + step;
    bool blank = !t->blanks && next > 0 && next + 1 < s->n && s->c[next].gap == TRAINED_BLANK;
    bool latin = blank && is_cased_or_digit(&s->c[next - 1]) && is_cased_or_digit(&s->c[next + 1]);
    return blank && !latin ? next + step : next;
}

int trained_char_features(const TrainedText *trained, const TrainedScan *scan, int k, uint32_t at[TRAINED_FEATURES])
{
    enum { REACH = 3, WINDOW = 2 * REACH + 1 };
    uint32_t e[WINDOW], q[WINDOW];
    int n = 0;
    int near[WINDOW] = { [REACH] = k };
    for (int i = 1; i <= REACH; i++) {
        near[REACH - i] = neighbour(trained, scan, near[REACH - i + 1], -1);
        near[REACH + i] = neighbour(trained, scan, near[REACH + i - 1], 1);
    }
    for (int i = 0; i < WINDOW; i++) {
        int j = near[i];
        bool inside = j >= 0 && j < scan->n;
        e[i] = inside ? (uint32_t)scan->c[j].eye : ' ';
        q[i] = inside ? scan->c[j].class == TRAINED_MARK ? TRAINED_MARK + e[i] : scan->c[j].class : TRAINED_SPACE;
    }
    const uint32_t *x = e + REACH, *y = q + REACH;
    const TrainedChar *c = &scan->c[k], *before = &scan->c[k - 1], *after = &scan->c[k + 1];
    uint64_t value[TRAINED_FEATURES];
#define ADD(v) value[n++] = (v)
    ADD(0);
    ADD(x[0]);
    ADD(x[-1]);
    ADD(x[1]);
    ADD(x[-2]);
    ADD(x[2]);
    ADD(join(x[-1], x[0]));
    ADD(join(x[0], x[1]));
    ADD(join(x[-1], x[1]));
    ADD(join(x[-2], x[-1]));
    ADD(join(x[1], x[2]));
    ADD(join2(x[-2], x[-1], x[0]));
    ADD(join2(x[-1], x[0], x[1]));
    ADD(join2(x[0], x[1], x[2]));
    ADD(join(join2(x[-3], x[-2], x[-1]), x[0]));
    ADD(join(join2(x[0], x[1], x[2]), x[3]));
    ADD(join2(y[-1], y[0], y[1]));
    ADD(join2(y[-2], y[-1], y[0]));
    ADD(join2(y[0], y[1], y[2]));
    ADD(join2(join2(y[-2], y[-1], y[0]), y[1], y[2]));
    ADD(join(join2(y[0], y[1], y[2]), y[3]));
    ADD((uint64_t)((x[0] == x[1]) | (x[0] == x[-1]) << 1 | (x[0] == x[2]) << 2 | (x[0] == x[-2]) << 3));
    if (trained->blanks) {
        ADD(join(c->from < 3 ? c->from : 3, c->to < 3 ? c->to : 3));
        if (c->before || c->after) {
            ADD(c->before);
            ADD(c->after);
            ADD(join(c->before, c->after));
        } else n += 3, value[n - 1] = value[n - 2] = value[n - 3] = 1;
    }
    if (trained->filter) {
        ADD(c->begins);
        ADD(c->ends);
        ADD(c->across);
        ADD(join2(c->begins, c->ends, c->across));
        ADD(join2(c->begins, c->ends, x[0]));
        ADD(join2(before->across, c->across, c->ends));
        ADD(join2(c->ends, after->begins, c->across));
        ADD(join2(before->ends, c->begins, before->across));
        ADD(join2(c->begins, after->begins, before->ends));
        ADD(join2(c->across, x[0], x[1]));
    }
#undef ADD
    for (int i = 0; i < n; i++) at[i] = place(trained, (uint32_t)i, value[i]) & ~3u;
    return n;
}

uint32_t trained_transition(const TrainedText *trained, int label)
{
    return place(trained, TRANSITION, (uint64_t)label) & ~3u;
}

/* ---- tokens */

static int side_of(int32_t cp)
{
    TextMark mark = text_mark(cp);
    if (mark == TEXT_QUOTE) return TRAINED_EITHER;
    return mark == TEXT_OPEN || mark == TEXT_OPEN_QUOTE ? 1 : mark == TEXT_CLOSE || mark == TEXT_CLOSE_QUOTE ? -1 : 0;
}

bool trained_token_add(TrainedTokens *tokens, const TrainedScan *scan, int from, int to)
{
    if (!mem_reserve(tokens->token, &tokens->cap, tokens->n + 1)) return false;
    uint64_t form = 4, shape = 5;
    int last = -1;
    for (int k = from; k < to; k++) {
        const TrainedChar *c = &scan->c[k];
        form = trained_hash(form, (uint32_t)c->eye);
        int kind = c->class == TRAINED_MARK ? c->eye + TRAINED_MARK : c->class;
        if (kind != last) shape = trained_hash(shape, (uint32_t)kind);
        last = kind;
    }
    tokens->token[tokens->n++] = (TrainedToken){ .from = from,
                                                 .to = to,
                                                 .form = (uint32_t)(form >> 32),
                                                 .shape = (uint32_t)(trained_hash(shape, to - from < 3) >> 32),
                                                 .first = scan->c[from].class,
                                                 .last = scan->c[to - 1].class,
                                                 .gap = scan->c[from - 1].gap,
                                                 .side = (int8_t)(to - from == 1 ? side_of(scan->c[from].eye) : 0) };
    return true;
}

static uint32_t bucket(int n) { return (uint32_t)(n < 4 ? n : n < 7 ? 4 : n < 12 ? 5 : n < 20 ? 6 : n < 35 ? 7 : 8); }

int trained_end_features(const TrainedText *trained, const TrainedTokens *tokens, int k, TrainedState state,
                         uint32_t at[TRAINED_FEATURES])
{
    static const TrainedToken edge;
    const TrainedToken *x[6];
    for (int i = 0; i < 6; i++) {
        int j = k + i - 2;
        x[i] = j >= 0 && j < tokens->n ? &tokens->token[j] : &edge;
    }
    const TrainedToken *before = x[1], *l = x[2], *r = x[3], *after = x[4];
    uint32_t gap = trained_gap(trained, r), length = bucket(k + 1 - state.begin), open = state.depth > 0;
    const uint64_t value[] = {
        gap,
        join(l->form, gap),
        join(r->form, gap),
        join2(l->shape, r->shape, gap),
        join(l->form, r->form),
        join2(l->form, r->shape, gap),
        join2(l->shape, r->form, gap),
        join2(join(before->shape, l->shape), r->shape, gap),
        join2(join(before->form, l->form), r->shape, gap),
        join2(join(l->shape, r->shape), after->shape, gap),
        join2(join(l->form, r->form), after->form, gap),
        join2(join2(before->shape, l->shape, r->shape), after->shape, gap),
        join2(join2(x[0]->shape, before->shape, l->shape), r->shape, gap),
        join2(join2(l->shape, r->shape, after->shape), x[5]->shape, gap),
        join2(l->form, length, gap),
        join2(join(l->shape, r->shape), length, gap),
        join2(join(l->form, r->first), open, gap),
        join2(join(before->shape, l->form), r->first, gap),
        join2(join(l->last, r->first), (uint32_t)(after->gap == TRAINED_GLUED), gap),
        join2(join(tokens->token[state.begin].shape, l->shape), r->shape, gap),
    };
    enum { N = sizeof value / sizeof *value };
    for (uint32_t i = 0; i < N; i++) at[i] = place(trained, END_TEMPLATES + i, value[i]);
    return N;
}

int trained_multiword_features(const TrainedText *trained, const TrainedScan *scan, const TrainedTokens *tokens, int k,
                               uint32_t at[TRAINED_FEATURES])
{
    const TrainedToken *x = &tokens->token[k];
    uint32_t next = k + 1 < tokens->n ? tokens->token[k + 1].form : 0, last = k ? x[-1].form : 0;
    uint32_t next_shape = k + 1 < tokens->n ? tokens->token[k + 1].shape : 0;
    uint64_t value[TRAINED_FEATURES] = { 0,
                                         x->form,
                                         x->shape,
                                         join(x->form, next),
                                         join(x->form, last),
                                         join(x->form, next_shape),
                                         join(x->form, x->first) };
    int n = 7;
    uint64_t h = 6;
    for (int i = 0; i < 6; i++, n++)
        value[n] = h = i < x->to - x->from ? trained_hash(h, (uint32_t)scan->c[x->to - 1 - i].eye) : 7;
    h = 6;
    for (int i = 0; i < 4; i++, n++)
        value[n] = h = i < x->to - x->from ? trained_hash(h, (uint32_t)scan->c[x->from + i].eye) : 7;
    for (int i = 0; i < n; i++) at[i] = place(trained, WORD_TEMPLATES + (uint32_t)i, value[i]);
    return n;
}

int trained_sum(const TrainedText *trained, const uint32_t *at, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += trained_weight(trained, at[i]);
    return sum;
}

void trained_state_next(TrainedState *state, const TrainedTokens *tokens, int k, bool ends)
{
    int side = tokens->token[k].side;
    if (side == TRAINED_EITHER) state->odd = !state->odd;
    else state->depth += side;
    if (state->depth < 0) state->depth = 0;
    if (ends) *state = (TrainedState){ .begin = k + 1 };
}

bool trained_is_wordlike(const TrainedScan *scan, const TrainedToken *token)
{
    for (int k = token->from; k < token->to; k++) {
        int c = scan->c[k].class;
        if (c == TRAINED_LOWER || c == TRAINED_UPPER || c == TRAINED_LETTER || c == TRAINED_WIDE) return true;
    }
    return false;
}
