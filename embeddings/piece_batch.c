/* Sizes are counted first, so that each array is allocated once; then sequences and rows
 * of each sentence; then parts, for encoders that read a batch in several passes. */
#include "embeddings/piece_batch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* How n pieces of words are divided: windows of `width` pieces, evenly spaced. */
typedef struct Windows {
    int pieces, width, n;
} Windows;

static Windows divide(int pieces, int most)
{
    int width = most - 2;
    if (!most || pieces <= width) return (Windows){ pieces, pieces, 1 };
    int step = (width + 1) / 2;
    return (Windows){ pieces, width, 1 + (pieces - width + step - 1) / step };
}

/* The first piece of window k. */
static int window_start(const Windows *w, int k)
{
    return w->n == 1 ? 0 : (int)((long)(w->pieces - w->width) * k / (w->n - 1));
}

static int within(long x, int least, int most) { return x < least ? least : x > most ? most : (int)x; }

/* The window in whose middle piece p is most nearly, the first of two. Starts are a number of pieces apart, at least 1,
 * and rounded down: so it is at most NEAR from where it were without rounding. */
static int window_of(const Windows *w, int p)
{
    enum { NEAR = 2 };
    if (w->n == 1) return 0;
    int last = w->n - 1, twice = 2 * p - (w->width - 1), best = 0, least = INT_MAX,
        guess = within((long)twice * last / (2 * (long)(w->pieces - w->width)), 0, last);
    for (int k = within(guess - NEAR, 0, last); k <= within(guess + NEAR, 0, last); k++) {
        int off = abs(twice - 2 * window_start(w, k));
        if (off >= least) continue;
        best = k;
        least = off;
    }
    return best;
}

typedef struct Sizes {
    size_t pieces; /* of the longest sentence */
    size_t sequences, rows, tokens, named;
} Sizes;

static Sizes measure(PieceLayout l, const WordPieces *words, const int *n_words, int n_sent)
{
    Sizes z = { 0 };
    for (int s = 0; s < n_sent; s++) {
        size_t pieces = 0;
        for (int w = 0; w < n_words[s]; w++, words++) pieces += (size_t)words->n;
        if (pieces > z.pieces) z.pieces = pieces;
        if (pieces > INT_MAX / 4) break;
        Windows win = divide((int)pieces, l.most);
        z.sequences += (size_t)win.n;
        z.rows += (size_t)win.n * ((size_t)win.width + 2);
        z.tokens += (size_t)n_words[s] + 2;
        z.named += pieces + 2;
    }
    return z;
}

/* The sentence and the tokens of the windows that put_windows appends. */
static void put_tokens(const Windows *win, const int *token_of, int sentence, int n_words, PieceBatch *out)
{
    int *token = out->token + out->batch.n_tokens;
    for (int k = 0; k < win->n; k++) {
        out->sentence[out->batch.n_sent + k] = sentence;
        *token++ = 0;
        memcpy(token, token_of + window_start(win, k), (size_t)win->width * sizeof *token);
        token += win->width;
        *token++ = n_words + 1;
    }
}

/* Appends the windows of a sentence, whose pieces are `piece`. */
static void put_windows(PieceLayout l, const Windows *win, const int *piece, int *start, PieceBatch *out)
{
    Batch *b = &out->batch;
    for (int k = 0; k < win->n; k++) {
        start[b->n_sent++] = b->n_tokens;
        out->id[b->n_tokens++] = l.first;
        memcpy(out->id + b->n_tokens, piece + window_start(win, k), (size_t)win->width * sizeof *piece);
        b->n_tokens += win->width;
        out->id[b->n_tokens++] = l.last;
    }
    start[b->n_sent] = b->n_tokens;
    if (win->width + 2 > b->longest) b->longest = win->width + 2;
}

static void end_token(PieceBatch *out, int *token, int named) { out->start[++*token] = named; }

/* Appends the rows of the tokens of a sentence, whose first sequence begins at row `at`. */
static void put_rows(PieceChoice choice, const Windows *win, const WordPieces *words, int n_words, int at,
                     PieceBatch *out, int *token)
{
    int named = out->start[*token], p = 0;
    out->row[named++] = at;
    end_token(out, token, named);
    for (int w = 0; w < n_words; w++) {
        int from = choice == PIECE_LAST ? words[w].n - 1 : 0, past = choice == PIECE_FIRST ? 1 : words[w].n;
        for (int k = from; k < past; k++) {
            int window = window_of(win, p + k);
            out->row[named++] = at + window * (win->width + 2) + 1 + p + k - window_start(win, window);
        }
        p += words[w].n;
        end_token(out, token, named);
    }
    out->row[named++] = at + win->n * (win->width + 2) - 1;
    end_token(out, token, named);
}

Status piece_batch_make(PieceLayout layout, const WordPieces *words, const int *n_words, int n_sent, Arena *arena,
                        PieceBatch *out, Error *error)
{
    *out = (PieceBatch){ .batch = { .n_sent = 0 } };
    if (layout.most && layout.most < 3)
        return error_set(error, ERR_CONFIG, "found sequences of %d pieces, expected at least 3", layout.most);
    Sizes z = measure(layout, words, n_words, n_sent);
    if (z.pieces > INT_MAX / 4 || z.rows > INT_MAX || z.named > INT_MAX)
        return error_set(error, ERR_LIMIT, "found more pieces in a batch than an int counts");
    int *start = arena_alloc(arena, z.sequences + 1, sizeof *start),
        *piece = arena_alloc(arena, z.pieces + 1, sizeof *piece);
    out->id = arena_alloc(arena, z.rows + 1, sizeof *out->id);
    out->start = arena_alloc(arena, z.tokens + 1, sizeof *out->start);
    out->row = arena_alloc(arena, z.named + 1, sizeof *out->row);
    out->n_windows = arena_alloc(arena, (size_t)n_sent + 1, sizeof *out->n_windows);
    out->sentence = arena_alloc(arena, z.sequences + 1, sizeof *out->sentence);
    out->token = arena_alloc(arena, z.rows + 1, sizeof *out->token);
    int *token_of = arena_alloc(arena, z.pieces + 1, sizeof *token_of);
    if (!start || !piece || !out->id || !out->start || !out->row || !out->n_windows || !out->sentence || !out->token ||
        !token_of)
        return error_set(error, ERR_NOMEM, "out of memory for the pieces of a batch");
    start[0] = out->start[0] = 0;
    out->batch.start = start;
    for (int s = 0, token = 0; s < n_sent; words += n_words[s++]) {
        int n = 0, at = out->batch.n_tokens;
        for (int w = 0; w < n_words[s]; w++) {
            memcpy(piece + n, words[w].id, (size_t)words[w].n * sizeof *piece);
            for (int k = 0; k < words[w].n; k++) token_of[n + k] = w + 1;
            n += words[w].n;
        }
        Windows win = divide(n, layout.most);
        out->n_windows[s] = win.n;
        put_tokens(&win, token_of, s, n_words[s], out);
        put_windows(layout, &win, piece, start, out);
        put_rows(layout.choice, &win, words, n_words[s], at, out, &token);
    }
    return OK;
}

/* ---- parts */

int piece_batch_end(const PieceBatch *batch, int from, int most)
{
    const int *start = batch->batch.start;
    int to = from + 1;
    while (to < batch->batch.n_sent && start[to + 1] - start[from] <= most) to++;
    return to;
}

/* The number of the n rising numbers that are below x. */
static int count_below(const int *number, int n, int x)
{
    int from = 0;
    while (from < n) {
        int middle = from + (n - from) / 2;
        if (number[middle] < x) from = middle + 1;
        else n = middle;
    }
    return from;
}

/* The tokens of a part whose rows are `first` .. past - 1 of the whole. */
static bool take_tokens(const PieceBatch *b, int tokens, int first, int past, Arena *a, PiecePart *part)
{
    int items = b->start[tokens], from = count_below(b->row, items, first), to = count_below(b->row, items, past);
    part->is_whole = true;
    if (from == to) return true;
    part->token = count_below(b->start, tokens + 1, from + 1) - 1;
    part->n = count_below(b->start, tokens + 1, to) - part->token;
    const int *start = b->start + part->token;
    part->b.start = arena_alloc(a, (size_t)part->n + 1, sizeof *part->b.start);
    part->b.row = arena_alloc(a, (size_t)(to - from), sizeof *part->b.row);
    part->share = arena_alloc(a, (size_t)part->n, sizeof *part->share);
    if (!part->b.start || !part->b.row || !part->share) return false;
    for (int k = 0; k < to - from; k++) part->b.row[k] = b->row[from + k] - first;
    for (int k = 0; k <= part->n; k++) part->b.start[k] = within(start[k], from, to) - from;
    for (int k = 0; k < part->n; k++) {
        int here = part->b.start[k + 1] - part->b.start[k], all = start[k + 1] - start[k];
        part->share[k] = (Real)here / (Real)all;
        part->is_whole = part->is_whole && here == all;
    }
    return true;
}

bool piece_batch_part(const PieceBatch *batch, int tokens, int from, int to, int layers, Arena *arena, PiecePart *part)
{
    int first = batch->batch.start[from], n = to - from, *start = arena_alloc(arena, (size_t)n + 1, sizeof *start);
    *part = (PiecePart){ .b = { .id = batch->id + first,
                                .apart = batch->apart,
                                .batch = { n, start, batch->batch.start[to] - first, 0 } } };
    if (!start) return false;
    for (int k = 0; k <= n; k++) start[k] = batch->batch.start[from + k] - first;
    for (int k = 0; k < n; k++)
        if (start[k + 1] - start[k] > part->b.batch.longest) part->b.batch.longest = start[k + 1] - start[k];
    if (batch->control &&
        !(part->b.control = head_plan_piece_part(batch->control, layers, &batch->batch, from, to, arena)))
        return false;
    return take_tokens(batch, tokens, first, batch->batch.start[to], arena, part);
}
