/* embeddings/piece_batch.c */
#include "embeddings/piece_batch.h"

#include <limits.h>
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

/* The window in whose middle piece p is most nearly. */
static int window_of(const Windows *w, int p)
{
    int best = 0, least = INT_MAX;
    for (int k = 0; k < w->n; k++) {
        int from = window_start(w, k), off = 2 * (p - from) - (w->width - 1);
        if (off < 0) off = -off;
        if (p < from || p >= from + w->width || off >= least) continue;
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

Status piece_batch_make(PieceLayout l, const WordPieces *words, const int *n_words, int n_sent, Arena *a,
                        PieceBatch *out, Error *e)
{
    *out = (PieceBatch){ .batch = { .n_sent = 0 } };
    if (l.most && l.most < 3)
        return error_set(e, ERR_CONFIG, "found sequences of %d pieces, expected at least 3", l.most);
    Sizes z = measure(l, words, n_words, n_sent);
    if (z.pieces > INT_MAX / 4 || z.rows > INT_MAX || z.named > INT_MAX)
        return error_set(e, ERR_LIMIT, "found more pieces in a batch than an int counts");
    int *start = arena_alloc(a, z.sequences + 1, sizeof *start), *piece = arena_alloc(a, z.pieces + 1, sizeof *piece);
    out->id = arena_alloc(a, z.rows + 1, sizeof *out->id);
    out->start = arena_alloc(a, z.tokens + 1, sizeof *out->start);
    out->row = arena_alloc(a, z.named + 1, sizeof *out->row);
    out->n_windows = arena_alloc(a, (size_t)n_sent + 1, sizeof *out->n_windows);
    out->sentence = arena_alloc(a, z.sequences + 1, sizeof *out->sentence);
    out->token = arena_alloc(a, z.rows + 1, sizeof *out->token);
    int *token_of = arena_alloc(a, z.pieces + 1, sizeof *token_of);
    if (!start || !piece || !out->id || !out->start || !out->row || !out->n_windows || !out->sentence || !out->token ||
        !token_of)
        return error_set(e, ERR_NOMEM, "out of memory for the pieces of a batch");
    start[0] = out->start[0] = 0;
    out->batch.start = start;
    for (int s = 0, token = 0; s < n_sent; words += n_words[s++]) {
        int n = 0, at = out->batch.n_tokens;
        for (int w = 0; w < n_words[s]; w++) {
            memcpy(piece + n, words[w].id, (size_t)words[w].n * sizeof *piece);
            for (int k = 0; k < words[w].n; k++) token_of[n + k] = w + 1;
            n += words[w].n;
        }
        Windows win = divide(n, l.most);
        out->n_windows[s] = win.n;
        put_tokens(&win, token_of, s, n_words[s], out);
        put_windows(l, &win, piece, start, out);
        put_rows(l.choice, &win, words, n_words[s], at, out, &token);
    }
    return OK;
}
