/* Averaged structured perceptron for characters and tokens. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "language/trained/trained_internal.h"

enum { EPOCHS = 10, BITS = 19, LEAST_BITS = 8, MOST_BITS = 24 };
enum { EPOCHS_WITHOUT_BLANKS = 40, BITS_WITHOUT_BLANKS = 20 };
enum { DOCUMENT = 8 }; /* sentences of the text that is segmented at once */
/* Labels, and the classifiers of tokens, learn until they are right by this much (docs/LANGUAGES.md). */
enum { MARGIN = 1, MARGIN_WITHOUT_BLANKS = 60 };

typedef struct Learner {
    TrainedText *t;
    const TrainedGold *gold;
    int margin;
    int64_t *sum;    /* [1 << bits] of each change of a weight, times `step` then */
    int64_t step;    /* sentences so far, from 1 */
    uint64_t random; /* the key of this document */
    uint32_t drawn;
    bool lacks_quotes;
    TrainedGoldToken *token; /* [n_tokens] of the document */
    int n_tokens, token_cap;
    int end[DOCUMENT]; /* of its sentences, in `token` */
    StrBuf text;
    size_t *begin; /* [n_tokens] bytes of the text */
    int begin_cap;
    TrainedScan scan;
    TrainedTokens tokens;
    uint8_t *label, *right; /* [scan.n] */
    int label_cap, right_cap;
} Learner;

static uint32_t draw(Learner *l, uint32_t below) { return rng_bits32(l->random, l->drawn++) % below; }

/* ---- forms of a document */

/* How a document is laid out: lines are broken after some sentences, after all, or where they are full. */
enum Layout { LAYOUT_FLAT, LAYOUT_SOME = 5, LAYOUT_LINES = 8, LAYOUT_WRAPPED = 10, LAYOUTS = 12 };

static const char *gap_after(Learner *l, int s, bool sentence, bool blank, uint32_t layout)
{
    const TrainedGold *g = l->gold;
    if (!sentence) return blank ? " " : "";
    if (s + 1 < g->n_sentences && g->paragraph[s + 1]) return layout < LAYOUT_LINES && draw(l, 4) ? "\n\n" : "\n";
    if (layout >= LAYOUT_LINES && layout < LAYOUT_WRAPPED) return "\n";
    if (layout >= LAYOUT_SOME && layout < LAYOUT_LINES && draw(l, 5) == 0) return "\n";
    return blank ? " " : "";
}

/* Breaks lines at blanks where the next chunk would make them longer than `width` bytes. */
static void wrap(StrBuf *text, size_t width)
{
    size_t line = 0, blank = 0;
    for (size_t i = 0; i < text->len; i++) {
        if (text->ptr[i] == '\n') line = blank = i + 1;
        if (text->ptr[i] == ' ') blank = i;
        if (i - line >= width && blank > line) {
            text->ptr[blank] = '\n';
            line = blank + 1;
            blank = line;
        }
    }
}

/* A treebank may lack the quotation marks that texts have: then some sentences get them, around all of their tokens or
 * some. */
enum { QUOTED_ONE_OF = 12, RARE_QUOTES = 100 /* less than one of as many sentences has any */ };
enum { WIDE_QUOTES = TEXT_QUOTE_PAIRS - 1 };

static bool lacks_quotes(const TrainedGold *g)
{
    int n = 0;
    for (int s = 0; s < g->n_sentences; s++) {
        int k = g->sentence[s];
        while (k < g->sentence[s + 1] && !text_is_quote(g->token[k].form)) k++;
        n += k < g->sentence[s + 1];
    }
    return n * RARE_QUOTES < g->n_sentences;
}

static void add_token(Learner *l, TrainedGoldToken token) { l->token[l->n_tokens++] = token; }

static void add_quote(Learner *l, const char *const *form, bool blank)
{
    add_token(l, (TrainedGoldToken){ .form = *form, .words = form, .n_words = 1, .blank = blank });
}

/* Appends a sentence of n tokens to the document. */
static bool add_sentence(Learner *l, const TrainedGoldToken *token, int n)
{
    bool quoted = l->lacks_quotes && draw(l, QUOTED_ONE_OF) == 0;
    const char *const *marks = TEXT_QUOTES[!l->gold->blanks ? WIDE_QUOTES : quoted ? (int)draw(l, WIDE_QUOTES) : 0];
    int from = 0, to = n - 1;
    if (quoted && draw(l, 2)) {
        from = (int)draw(l, (uint32_t)n);
        to = from + (int)draw(l, (uint32_t)(n - from));
    }
    if (!mem_reserve(l->token, &l->token_cap, l->n_tokens + n + 2)) return false;
    for (int k = 0; k < n; k++) {
        if (quoted && k == from) add_quote(l, &marks[0], false);
        add_token(l, token[k]);
        if (!quoted || k != to) continue;
        l->token[l->n_tokens - 1].blank = false;
        add_quote(l, &marks[1], token[k].blank);
    }
    return true;
}

/* Writes sentences first .. end - 1 as a text. */
static bool write_document(Learner *l, int first, int end)
{
    const TrainedGold *g = l->gold;
    uint32_t layout = draw(l, LAYOUTS);
    strbuf_clear(&l->text);
    l->n_tokens = 0;
    for (int s = first, k = 0; s < end; s++) {
        if (!add_sentence(l, g->token + g->sentence[s], g->sentence[s + 1] - g->sentence[s])) return false;
        if (!mem_reserve(l->begin, &l->begin_cap, l->n_tokens)) return false;
        l->end[s - first] = l->n_tokens;
        for (; k < l->n_tokens; k++) {
            l->begin[k] = l->text.len;
            strbuf_puts(&l->text, l->token[k].form);
            strbuf_puts(&l->text, gap_after(l, s, k + 1 == l->n_tokens, l->token[k].blank, layout));
        }
    }
    if (layout >= LAYOUT_WRAPPED && !l->text.failed) wrap(&l->text, 40 + draw(l, 60));
    return !l->text.failed;
}

/* Reads the document, and sets its tokens and the right labels of its characters. */
static bool read_document(Learner *l)
{
    TrainedScan *s = &l->scan;
    StrView text = { l->text.ptr, l->text.len };
    if (!trained_scan(s, l->t, text, NEWLINES_AUTO) || !mem_reserve(l->label, &l->label_cap, s->n) ||
        !mem_reserve(l->right, &l->right_cap, s->n))
        return false;
    memset(l->right, TRAINED_OUTSIDE, (size_t)s->n);
    l->tokens.n = 0;
    for (int k = 0, i = 0; k < l->n_tokens; k++) {
        size_t end = l->begin[k] + strlen(l->token[k].form);
        while (s->c[i].byte < l->begin[k] || (i == 0 && s->c[1].byte == 0)) i++;
        int from = i;
        for (; i < s->n - 1 && s->c[i].byte < end; i++) l->right[i] = TRAINED_INSIDE;
        l->right[from] |= TRAINED_BEGINS;
        l->right[i - 1] |= TRAINED_ENDS;
        if (!trained_token_add(&l->tokens, s, from, i)) return false;
    }
    return true;
}

/* ---- updates */

static void change(Learner *l, uint32_t at, int by)
{
    l->t->learning[at] += by;
    l->sum[at] += by * l->step;
}

static void learn_labels(Learner *l, int from, int to)
{
    uint32_t at[TRAINED_FEATURES];
    for (int k = from; k < to; k++) {
        uint8_t found = l->label[k], right = l->right[k];
        if (k > from && (found != right || l->label[k - 1] != l->right[k - 1])) {
            if (right != TRAINED_OUTSIDE) change(l, trained_transition(l->t, l->right[k - 1]) + right, 1);
            if (found != TRAINED_OUTSIDE) change(l, trained_transition(l->t, l->label[k - 1]) + found, -1);
        }
        if (found == right) continue;
        int n = trained_char_features(l->t, &l->scan, k, at);
        for (int i = 0; i < n; i++) {
            if (right != TRAINED_OUTSIDE) change(l, at[i] + right, 1);
            if (found != TRAINED_OUTSIDE) change(l, at[i] + found, -1);
        }
    }
}

static void learn_sum(Learner *l, const uint32_t *at, int n, bool yes)
{
    int sum = trained_sum(l->t, at, n);
    if (yes ? sum > l->margin : sum < -l->margin) return;
    for (int i = 0; i < n; i++) change(l, at[i], yes ? 1 : -1);
}

/* Learns a sentence of tokens first .. end - 1 of the document. */
static bool learn_sentence(Learner *l, int first, int end, TrainedState *state)
{
    const TrainedTokens *x = &l->tokens;
    int from = x->token[first].from, to = x->token[end - 1].to;
    uint32_t at[TRAINED_FEATURES];
    l->step++;
    if (!trained_decode(l->t, &l->scan, from, to, l->margin, l->right, l->label)) return false;
    learn_labels(l, from, to);
    state->begin = first;
    state->depth = 0;
    for (int k = first; k < end; k++) {
        bool last = k + 1 == x->n || x->token[k + 1].gap == TRAINED_PARAGRAPH;
        if (!last) learn_sum(l, at, trained_end_features(l->t, x, k, *state, at), k + 1 == end);
        trained_state_next(state, x, k, false);
        if (l->t->whole.n && trained_is_wordlike(&l->scan, &x->token[k]))
            learn_sum(l, at, trained_multiword_features(l->t, &l->scan, x, k, at), l->token[k].multiword);
    }
    return true;
}

static bool learn_document(Learner *l, int first, int end)
{
    TrainedState state = { 0 };
    if (!write_document(l, first, end) || !read_document(l)) return false;
    for (int s = 0; s < end - first; s++)
        if (!learn_sentence(l, s ? l->end[s - 1] : 0, l->end[s], &state)) return false;
    return true;
}

static bool learn_epoch(Learner *l, uint64_t seed, uint64_t epoch)
{
    int n = (l->gold->n_sentences + DOCUMENT - 1) / DOCUMENT;
    int *order = mem_alloc((size_t)n, sizeof *order);
    bool ok = order != NULL;
    if (ok) rng_permutation(rng_key(seed, epoch, 0, 0), order, n);
    for (int k = 0; ok && k < n; k++) {
        int first = order[k] * DOCUMENT, end = first + DOCUMENT;
        l->random = rng_key(seed, epoch, 1, (uint64_t)order[k]);
        l->drawn = 0;
        ok = learn_document(l, first, end < l->gold->n_sentences ? end : l->gold->n_sentences);
    }
    mem_free(order);
    return ok;
}

/* ---- weights of 8 bits */

/* Averages the weights over all steps and keeps of each the root, in 8 bits (trained_weight). */
static bool average(Learner *l)
{
    TrainedText *t = l->t;
    size_t n = (size_t)1 << t->bits;
    double *mean = mem_alloc(n, sizeof *mean), largest = 0;
    bool ok = mean && (t->weights = mem_calloc(n, 1)) != NULL;
    for (size_t k = 0; ok && k < n; k++) {
        mean[k] = (double)t->learning[k] - (double)l->sum[k] / (double)(l->step + 1);
        if (fabs(mean[k]) > largest) largest = fabs(mean[k]);
    }
    for (size_t k = 0; ok && k < n && largest > 0; k++)
        t->weights[k] = (int8_t)copysign(round(127 * sqrt(fabs(mean[k]) / largest)), mean[k]);
    mem_free(mean);
    return ok;
}

static bool learn(Learner *l, TrainedTextOptions o)
{
    TrainedText *t = l->t;
    size_t n = (size_t)1 << t->bits;
    t->blanks = l->gold->blanks;
    t->cased = l->gold->cased;
    t->dates = trained_dates(l->gold);
    l->lacks_quotes = lacks_quotes(l->gold);
    l->margin = t->blanks ? MARGIN : MARGIN_WITHOUT_BLANKS;
    if (!trained_words_learn(t, l->gold) || !trained_filter_make(t, o.words)) return false;
    t->learning = mem_calloc(n, sizeof *t->learning);
    l->sum = mem_calloc(n, sizeof *l->sum);
    bool ok = t->learning && l->sum;
    int epochs = o.epochs ? o.epochs : t->blanks ? EPOCHS : EPOCHS_WITHOUT_BLANKS;
    for (int epoch = 0; ok && epoch < epochs; epoch++) ok = learn_epoch(l, o.seed, (uint64_t)epoch);
    ok = ok && average(l);
    mem_free(t->learning);
    t->learning = NULL;
    mem_free_each(l->sum, l->token, l->begin, l->scan.c, l->tokens.token, l->label, l->right);
    strbuf_fini(&l->text);
    return ok;
}

Status trained_text_learn(TrainedText *trained, const Sentence *sentences, int n, TrainedTextOptions options,
                          Error *error)
{
    TrainedGold gold;
    *trained = (TrainedText){ .bits = options.bits ? options.bits : BITS };
    arena_init(&trained->arena, 1 << 12);
    if (trained->bits < LEAST_BITS || trained->bits > MOST_BITS || options.epochs < 0)
        return error_set(error, ERR_RANGE, "found %d bits and %d epochs, expected %d to %d bits", trained->bits,
                         options.epochs, LEAST_BITS, MOST_BITS);
    Status status = trained_variants_read(trained, options.variants, error);
    if (status != OK) return status;
    status = trained_gold(&gold, sentences, n, error);
    if (!options.bits && status == OK && !gold.blanks) trained->bits = BITS_WITHOUT_BLANKS;
    if (status == OK && !learn(&(Learner){ .t = trained, .gold = &gold }, options))
        status = error_set(error, ERR_NOMEM, "out of memory learning to segment text");
    trained_gold_fini(&gold);
    return status;
}

void trained_text_fini(TrainedText *trained)
{
    mem_free_each(trained->weights, trained->learning, trained->filter, trained->whole.pair, trained->ends.pair,
                  trained->begins.pair, trained->variant, trained->variant_words.pair);
    if (trained->bits) arena_fini(&trained->arena);
    *trained = (TrainedText){ 0 };
}
