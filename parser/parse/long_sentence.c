/* Costs of all cuts, the cheapest cutting by dynamic programming, then joining: arcs,
 * phrases, tags, and the k best sums of the pieces. */
#include "parser/parse/long_sentence.h"

#include <math.h>
#include <string.h>

#include "parser/parse/confidence.h"
#include "parser/parse/given_pieces.h"
#include "parser/parse/parse_network.h"

static double chart_bytes(int n, const ParseOptions *o)
{
    return joint_decode_bytes(n) + (o->k_best || o->confidence ? joint_marginals_bytes(n) : 0);
}

bool long_sentence_exceeds(const ParseInput *in, const ParseOptions *options)
{
    return in->n_words > 1 &&
           (in->n_words > options->max_words || chart_bytes(in->n_words, options) > options->max_memory);
}

/* ---- costs of cuts */

/* The character of a word that has one; else -1. */
static int32_t only_character(const char *word)
{
    size_t len = strlen(word), end = 0;
    int32_t cp = utf8_next(word, len, &end);
    return end == len ? cp : -1;
}

static bool is_mark(const char *word, TextMark mark) { return text_mark(only_character(word)) == mark; }

enum { PENN_QUOTES = TEXT_PAIRS, N_PAIRS };

/* The kind of pair whose side (0: opens, 1: closes) the word is, or -1. */
static int pair_of(const char *word, int side)
{
    if (strcmp(word, side ? "''" : "``") == 0) return PENN_QUOTES;
    int32_t cp = only_character(word);
    TextMark mark = text_mark(cp);
    bool opens = mark == TEXT_OPEN || mark == TEXT_OPEN_QUOTE, closes = mark == TEXT_CLOSE || mark == TEXT_CLOSE_QUOTE;
    return mark == TEXT_QUOTE || (side ? closes : opens) ? text_pair(cp) : -1;
}

/* An open pair. */
typedef struct Open {
    int kind, word;
} Open;

/* For each pair, adds 1 to inside [n + 1] at the first cut that would split it and -1 after the last: cuts before the
 * words open + 1 to close split it. Marks that are never closed are ignored, also inside another pair. */
static void find_pairs(const ParseInput *in, Open *open, int *inside)
{
    int depth = 0, waiting[N_PAIRS] = { 0 }; /* open ones of each kind */
    for (int w = 0; w < in->n_words; w++) {
        int closes = pair_of(in->words[w], 1), opens = pair_of(in->words[w], 0);
        if (closes >= 0 && waiting[closes] > 0) {
            while (open[depth - 1].kind != closes) waiting[open[--depth].kind]--; /* these never close */
            waiting[closes]--;
            inside[open[--depth].word + 1]++;
            inside[w + 1]--;
        } else if (opens >= 0) {
            open[depth++] = (Open){ opens, w };
            waiting[opens]++;
        }
    }
}

/* The cost of a cut before word k, 0 < k < n_words. */
static double cut_cost(const Language *language, const ParseInput *in, int k)
{
    enum { CLAUSE = 1, COMMA_CONJUNCTION = 2, COMMA = 3, CONJUNCTION = 4, PAIR = 5, ELSEWHERE = 8 };
    const char *before = in->words[k - 1], *after = in->words[k];
    bool closed = pair_of(before, 1) >= 0;
    bool conjunction = language->is_conjunction && language->is_conjunction(after);
    int mark = k - 1; /* closing marks belong to the mark before them */
    while (mark > 0 && pair_of(in->words[mark], 1) >= 0 && k - mark < 4) mark--;
    if (pair_of(after, 1) >= 0 && pair_of(after, 0) < 0) return ELSEWHERE;
    if (is_mark(in->words[mark], TEXT_END)) return 0;
    if (is_mark(before, TEXT_CLAUSE)) return CLAUSE;
    if (is_mark(before, TEXT_COMMA)) return conjunction ? COMMA_CONJUNCTION : COMMA;
    if (conjunction) return CONJUNCTION;
    return closed || pair_of(after, 0) >= 0 ? PAIR : ELSEWHERE;
}

/* ---- the best cuts */

static int longest_piece(const ParseOptions *o)
{
    int most = o->max_words < 1 ? 1 : o->max_words;
    while (most > 1 && chart_bytes(most, o) > o->max_memory) most = most * 3 / 4;
    return most;
}

enum { LOST = 10 }; /* the cost of an arc or phrase that was given */

static double unevenness(int length, double even)
{
    double x = (length - even) / even;
    return 4 * x * x;
}

/* from [n + 1]: the start of the last piece in the best cutting of the words before each word; cost [n + 1] of that
 * cutting; cut [n + 1] the cost of each cut. given: what given arcs of a piece are lost, or NULL. */
static void find_cuts(int n, int most, const double *cut, GivenArcs *given, double *cost, int *from)
{
    double even = (double)n / ((n + most - 1) / most);
    cost[0] = 0;
    for (int end = 1; end <= n; end++) {
        cost[end] = INFINITY;
        if (given) given_arcs_start(given, end);
        for (int k = end - 1; k >= 0 && end - k <= most; k--) {
            double x = cost[k] + cut[k] + unevenness(end - k, even) + (given ? LOST * given_arcs_lost(given, k) : 0);
            if (x >= cost[end]) continue;
            cost[end] = x;
            from[end] = k;
        }
    }
}

/* Where the pieces of a long sentence end: *end [*n] ascending, the last one n_words. false when out of memory. */
static bool cut_sentence(const Language *language, const ParseInput *in, const ParseOptions *o, Arena *arena, int **end,
                         int *n)
{
    enum { INSIDE_PAIR = 20 };
    size_t size = (size_t)in->n_words + 1;
    *end = arena_alloc(arena, size, sizeof **end);
    double *cut = mem_calloc(2 * size, sizeof *cut);
    int *inside = mem_calloc(2 * size, sizeof *inside);
    Open *open = mem_alloc(size, sizeof *open);
    GivenArcs *arcs = NULL;
    bool ok = *end && cut && inside && open && given_arcs_new(in->given, in->n_words, arena, &arcs);
    *n = 0;
    if (ok) {
        int *from = inside + size;
        find_pairs(in, open, inside);
        for (int k = 1, depth = 0; k < in->n_words; k++) {
            depth += inside[k];
            cut[k] = cut_cost(language, in, k) + INSIDE_PAIR * depth;
        }
        if (in->given) given_cut_phrases(in->given, in->n_words, LOST, cut);
        find_cuts(in->n_words, longest_piece(o), cut, arcs, cut + size, from);
        for (int k = in->n_words; k > 0; k = from[k]) (*end)[(*n)++] = k;
        for (int k = 0; k < *n / 2; k++) { /* found from the last one on */
            int last = (*end)[*n - 1 - k];
            (*end)[*n - 1 - k] = (*end)[k];
            (*end)[k] = last;
        }
    }
    mem_free_each(cut, inside, open);
    return ok;
}

static bool make_part(const ParseInput *in, int from, int to, Arena *arena, ParseInput *part)
{
    *part = (ParseInput){ .n_words = to - from,
                          .words = in->words + from,
                          .tags = in->tags ? in->tags + from : NULL,
                          .space_before = in->space_before ? in->space_before + from : NULL };
    return !in->given || (part->given = given_part(in->given, from, to, arena));
}

Status long_sentence_parts(const Language *language, const ParseInput *in, const ParseOptions *options, Arena *arena,
                           ParseInput **part, int *n, Error *error)
{
    int *end;
    bool whole = !long_sentence_exceeds(in, options), ok = whole || cut_sentence(language, in, options, arena, &end, n);
    if (whole) *n = in->n_words > 0;
    *part = ok ? arena_alloc(arena, (size_t)*n, sizeof **part) : NULL;
    ok = *part != NULL;
    if (ok && whole && *n) **part = *in;
    for (int k = 0; ok && !whole && k < *n; k++) ok = make_part(in, k ? end[k - 1] : 0, end[k], arena, &(*part)[k]);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for a long sentence");
}

/* ---- joining */

static bool joined_new(const Parsed *piece, int n, const ParseInput *in, Arena *out, Parsed *whole)
{
    size_t words = (size_t)in->n_words, phrases = 1;
    for (int k = 0; k < n; k++) phrases += (size_t)piece[k].n_phrases;
    *whole = (Parsed){ .n_words = in->n_words, .words = in->words, .given_tags = in->tags, .pieces = n };
    for (int k = 0; k < n; k++) whole->windows = piece[k].windows > whole->windows ? piece[k].windows : whole->windows;
    for (int k = 0; k < n && !whole->failed; k++) whole->failed = piece[k].failed;
    whole->heads = arena_alloc(out, words, sizeof *whole->heads);
    whole->types = arena_alloc(out, words, sizeof *whole->types);
    whole->phrases = arena_alloc(out, phrases, sizeof *whole->phrases);
    whole->arc_prob = arena_calloc(out, words, sizeof *whole->arc_prob);
    return whole->heads && whole->types && whole->phrases && whole->arc_prob;
}

static bool join_tags(const Parsed *piece, int n, Arena *out, Parsed *whole)
{
    if (!piece[0].tags) return true;
    const char **tags = arena_alloc(out, (size_t)whole->n_words, sizeof *tags), **at = tags;
    whole->tags = tags;
    for (int k = 0; tags && k < n; at += piece[k++].n_words)
        memcpy(at, piece[k].tags, (size_t)piece[k].n_words * sizeof *at);
    return tags != NULL;
}

static bool join_analyses(const Parsed *piece, int n, Arena *out, Parsed *whole)
{
    if (!piece[0].analysis) return true;
    AnalysedWord *words = arena_alloc(out, (size_t)whole->n_words, sizeof *words), *at = words;
    whole->analysis = words;
    for (int k = 0; words && k < n; at += piece[k++].n_words)
        memcpy(at, piece[k].analysis, (size_t)piece[k].n_words * sizeof *at);
    return words != NULL;
}

/* root: the word that the roots of later pieces depend on, 0 in the first one. */
static void add_arcs(const Parsed *piece, int at, int root, Parsed *whole)
{
    for (int c = 0; c < piece->n_words; c++) {
        bool is_root = piece->heads[c] == 0;
        whole->heads[at + c] = is_root ? root : at + piece->heads[c];
        whole->types[at + c] = is_root && root ? TYPE_JOINED : piece->types[c];
        whole->arc_prob[at + c] = piece->arc_prob ? piece->arc_prob[c] : 0;
    }
}

static void add_phrases(const Parsed *piece, int at, Parsed *whole)
{
    for (int k = 0; k < piece->n_phrases; k++) {
        const Phrase *x = &piece->phrases[k];
        whole->phrases[whole->n_phrases++] = (Phrase){ at + x->begin, at + x->end, x->label };
    }
}

static Status join(const Model *m, const Parsed *piece, int n, const ParseInput *in, const ParseOptions *o, Arena *out,
                   Parsed *whole, Error *e)
{
    bool arcs = piece[0].heads != NULL;
    if (!joined_new(piece, n, in, out, whole) || !join_tags(piece, n, out, whole) ||
        !join_analyses(piece, n, out, whole))
        return error_set(e, ERR_NOMEM, "out of memory joining a long sentence");
    whole->has_tree = piece[0].has_tree;
    if (whole->has_tree) whole->phrases[whole->n_phrases++] = (Phrase){ 0, in->n_words, LABEL_JOINED };
    for (int k = 0, at = 0, root = 0; k < n; at += piece[k++].n_words) {
        add_phrases(&piece[k], at, whole);
        if (arcs) add_arcs(&piece[k], at, root, whole);
        whole->score += piece[k].score;
        for (int c = 0; k == 0 && arcs && c < piece[0].n_words; c++)
            if (whole->heads[c] == 0) root = c + 1;
    }
    if (!arcs) {
        whole->heads = NULL;
        whole->types = NULL;
    }
    if ((in->given && !given_join(m, piece, n, in->given, out, whole)) ||
        (o->observe.join && !o->observe.join(piece, n, out, whole)) || !confidence_join(piece, n, out, whole))
        return error_set(e, ERR_NOMEM, "out of memory joining a long sentence");
    return OK;
}

/* ---- the best results of pieces together */

/* The best results of the pieces so far: the sum of scores, and which result of each piece. */
typedef struct Sums {
    int n;
    double *score; /* [k_best] */
    int *rank;     /* [k_best, pieces] */
} Sums;

static bool sums_new(Sums *x, int k_best, int pieces, Arena *a)
{
    *x = (Sums){ 0, arena_alloc(a, (size_t)k_best, sizeof *x->score),
                 arena_alloc(a, (size_t)k_best * (size_t)pieces, sizeof *x->rank) };
    return x->score && x->rank;
}

/* Adds piece number `at` to the best sums of those before it, as far as the k_best best ones need it. next [k_best]:
 * the result of the piece that is to be taken next with each sum; if it is the first one, later sums have no better. */
static void add_piece(const Sums *x, const Parsed *piece, int at, int pieces, int k_best, int *next, Sums *to)
{
    for (int r = 0; r < x->n; r++) next[r] = 0;
    for (to->n = 0; to->n < k_best; to->n++) {
        int best = -1;
        double most = -INFINITY;
        for (int r = 0; r < x->n; r++) {
            int k = next[r];
            double score = k < piece->n_best ? piece->best[k].score : k == 0 ? piece->score : -INFINITY;
            if (x->score[r] + score > most) {
                most = x->score[r] + score;
                best = r;
            }
            if (k == 0) break;
        }
        if (best < 0) return;
        int *rank = to->rank + (ptrdiff_t)to->n * pieces;
        memcpy(rank, x->rank + (ptrdiff_t)best * pieces, (size_t)pieces * sizeof *rank);
        rank[at] = next[best]++;
        to->score[to->n] = most;
    }
}

static Status join_ranked(const Model *m, const Parsed *piece, int n, const int *rank, const ParseInput *in,
                          const ParseOptions *o, Arena *out, Parsed *to, Error *e)
{
    ParseOptions plain = *o;
    plain.observe.join = NULL;
    Parsed *part = arena_alloc(out, (size_t)n, sizeof *part);
    if (!part) return error_set(e, ERR_NOMEM, "out of memory joining a long sentence");
    double probability = 1;
    for (int k = 0; k < n; k++) {
        part[k] = piece[k].n_best ? piece[k].best[rank[k]] : piece[k];
        if (part[k].probability < 0 || !piece[k].n_best) probability = PROBABILITY_UNKNOWN;
        if (probability >= 0) probability *= part[k].probability;
    }
    if (join(m, part, n, in, &plain, out, to, e) != OK) return e->code;
    to->probability = probability;
    to->freed = NULL;
    to->n_freed = 0;
    return OK;
}

static Status join_best(const Model *m, const Parsed *piece, int n, const ParseInput *in, const ParseOptions *o,
                        Arena *out, Parsed *whole, Error *e)
{
    Sums sums[2];
    int *next = arena_alloc(out, (size_t)o->k_best, sizeof *next), now = 0;
    whole->best = arena_alloc(out, (size_t)o->k_best, sizeof *whole->best);
    if (!next || !whole->best || !sums_new(&sums[0], o->k_best, n, out) || !sums_new(&sums[1], o->k_best, n, out))
        return error_set(e, ERR_NOMEM, "out of memory joining a long sentence");
    sums[0].n = 1;
    sums[0].score[0] = 0;
    memset(sums[0].rank, 0, (size_t)n * sizeof *sums[0].rank);
    for (int k = 0; k < n; k++, now = 1 - now) add_piece(&sums[now], &piece[k], k, n, o->k_best, next, &sums[1 - now]);
    for (int r = 0; r < sums[now].n; r++) {
        const int *rank = sums[now].rank + (ptrdiff_t)r * n;
        if (join_ranked(m, piece, n, rank, in, o, out, &whole->best[r], e) != OK) return e->code;
    }
    whole->n_best = sums[now].n;
    return OK;
}

Status long_sentence_join(const Model *model, const Parsed *piece, int n, const ParseInput *in,
                          const ParseOptions *options, Arena *out, Parsed *whole, Error *error)
{
    *whole = n ? piece[0] : (Parsed){ .pieces = 1 };
    if (n < 2) return OK;
    Status status = join(model, piece, n, in, options, out, whole, error);
    return status == OK && options->k_best && !whole->failed
               ? join_best(model, piece, n, in, options, out, whole, error)
               : status;
}

Status long_sentence_parse(Worker *worker, const ParseInput *in, const ParseOptions *options, Arena *out,
                           Parsed *result, Error *error)
{
    ParseInput *part;
    int n;
    Status s = long_sentence_parts(model_language(worker->m), in, options, out, &part, &n, error);
    if (s != OK) return s;
    Parsed *parsed = arena_alloc(out, (size_t)n, sizeof *parsed);
    if (!parsed) return error_set(error, ERR_NOMEM, "out of memory for a long sentence");
    for (int from = 0, to; from < n && s == OK; from = to) {
        to = parse_batch_end(part, n, from, options);
        s = parse_batch(worker, part + from, to - from, options, out, parsed + from, error);
    }
    return s == OK ? long_sentence_join(worker->m, parsed, n, in, options, out, result, error) : s;
}

/* ---- sentences that cannot be parsed */

Status long_sentence_flat(const Model *model, const ParseInput *in, const char *why, Arena *out, Parsed *flat,
                          Error *error)
{
    size_t n = (size_t)in->n_words;
    *flat = (Parsed){ .n_words = in->n_words,
                      .words = in->words,
                      .given_tags = in->tags,
                      .has_tree = model->c.trees,
                      .n_phrases = model->c.trees,
                      .phrases = arena_alloc(out, 1, sizeof *flat->phrases),
                      .arc_prob = arena_calloc(out, n, sizeof *flat->arc_prob),
                      .pieces = 1,
                      .failed = arena_strndup(out, why, strlen(why)) };
    int *heads = arena_alloc(out, n, sizeof *heads);
    const char **types = arena_alloc(out, n, sizeof *types), **tags = arena_alloc(out, n, sizeof *tags);
    AnalysedWord *words = arena_alloc(out, n, sizeof *words);
    if (!flat->phrases || !flat->arc_prob || !flat->failed || !heads || !types || !tags || !words)
        return error_set(error, ERR_NOMEM, "out of memory for a flat tree");
    flat->phrases[0] = (Phrase){ 0, in->n_words, LABEL_JOINED };
    for (int c = 0; c < in->n_words; c++) {
        heads[c] = c > 0;
        types[c] = c || model->root_type < 0 ? TYPE_JOINED : vocab_text(&model->types, model->root_type);
        tags[c] = "XX";
        words[c] = (AnalysedWord){ "X", "_", in->words[c] };
    }
    if (parse_network(&model->net)->c.n_analyses) flat->analysis = words;
    if (model->c.d_tag_hidden && !in->tags) flat->tags = tags;
    if (model->c.arcs) {
        flat->heads = heads;
        flat->types = types;
    }
    return OK;
}
