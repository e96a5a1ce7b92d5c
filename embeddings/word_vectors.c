/* Lines become rows, scaled so that the mean square of all numbers is 1; a word is then
 * one row, or the rows of its pieces. */
#include "embeddings/word_vectors.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/locale.h"

enum { MAX_WIDTH = 4096, PIECE_BYTES = 128 };

void word_vectors_fini(WordVectors *vectors)
{
    mem_free(vectors->values);
    *vectors = (WordVectors){ 0 };
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* End of the field that begins at `at`. */
static size_t field_end(StrView line, size_t at)
{
    while (at < line.len && !is_blank(line.ptr[at])) at++;
    return at;
}

static int count_fields(StrView line)
{
    int n = 0;
    for (size_t at = 0; at < line.len; at++) n += !is_blank(line.ptr[at]) && (at == 0 || is_blank(line.ptr[at - 1]));
    return n;
}

/* Numbers of a line after its word. Returns the column (1-based) of the first field that is not a number, or 0. */
static size_t read_numbers(StrView line, size_t at, int d, Real *out)
{
    for (int k = 0; k < d; k++) {
        while (at < line.len && is_blank(line.ptr[at])) at++;
        char *end;
        /* the file's text ends with NUL, and no number spans a newline */
        double x = locale_strtod(line.ptr + at, &end);
        if (end != line.ptr + field_end(line, at) || at == line.len || !(fabs(x) < 1e30)) return at + 1;
        out[k] = (Real)x;
        at = (size_t)(end - line.ptr);
    }
    while (at < line.len && is_blank(line.ptr[at])) at++;
    return at < line.len ? at + 1 : 0;
}

static void scale(WordVectors *v, int n)
{
    double sum = 0;
    size_t count = (size_t)n * (size_t)v->d;
    for (size_t i = 0; i < count; i++) sum += (double)v->values[i] * (double)v->values[i];
    double by = sum > 0 ? 1 / sqrt(sum / (double)count) : 1; /* of tiny numbers too large for a float */
    for (size_t i = 0; i < count; i++) v->values[i] = (Real)((double)v->values[i] * by);
}

static Status read_text(WordVectors *v, Vocab *words, StrView text, const char *path, int most, Error *e)
{
    StrView line;
    int cap = 0;
    long number = 0;
    for (size_t at = 0; text_line(text, &at, &line) && (most == 0 || vocab_size(words) < most);) {
        int fields = count_fields(line);
        number++;
        if (fields == 0 || (number == 1 && fields == 2)) continue;
        if (!v->d) v->d = fields - 1;
        if (v->d < 1 || v->d > MAX_WIDTH)
            return error_at(e, ERR_FORMAT, path, number, 1, "found %d fields, expected a word and 1 to %d numbers",
                            fields, MAX_WIDTH);
        if (fields != v->d + 1)
            return error_at(e, ERR_FORMAT, path, number, 1, "found %d fields, expected a word and %d numbers", fields,
                            v->d);
        size_t begin = 0;
        while (is_blank(line.ptr[begin])) begin++;
        size_t end = field_end(line, begin), bad = utf8_invalid(line.ptr + begin, end - begin);
        if (bad < end - begin)
            return error_at(e, ERR_FORMAT, path, number, (long)(begin + bad + 1), "found a byte that is not UTF-8");
        int before = vocab_size(words), k = vocab_count(words, line.ptr + begin, end - begin, 0);
        v->values = mem_resized(v->values, &cap, vocab_size(words), (size_t)v->d * sizeof *v->values);
        if (k < 0 || cap < vocab_size(words)) return error_set(e, ERR_NOMEM, "out of memory for word vectors");
        if (k < before) continue; /* seen already */
        size_t column = read_numbers(line, end, v->d, v->values + (size_t)k * (size_t)v->d);
        if (column)
            return error_at(e, ERR_FORMAT, path, number, (long)column, "found '%.*s', expected a number",
                            (int)utf8_cut(line.ptr + column - 1, field_end(line, column - 1) - column + 1, 60),
                            line.ptr + column - 1);
    }
    if (vocab_size(words) == 0) return error_at(e, ERR_FORMAT, path, 1, 1, "found no word vector");
    scale(v, vocab_size(words));
    return OK;
}

Status word_vectors_read(WordVectors *vectors, Vocab *words, const char *path, int most, Error *error)
{
    StrBuf text = { 0 };
    *vectors = (WordVectors){ 0 };
    Status s = file_read_text(path, &text, error);
    if (s == OK) s = read_text(vectors, words, (StrView){ text.ptr, text.len }, path, most, error);
    strbuf_fini(&text);
    return s;
}

/* ---- words to rows */

static bool is_alphanumeric(int32_t cp) { return utf8_is_letter(cp) || utf8_is_digit(cp); }

/* Row of the longest piece that s begins with, *used its bytes; -1 for none. inside: pieces that continue a word,
 * "##...".
 */
static int longest_piece(const Vocab *words, const char *s, size_t len, bool inside, size_t *used)
{
    char key[PIECE_BYTES + 2] = "##";
    size_t most = len < PIECE_BYTES ? len : PIECE_BYTES;
    memcpy(key + 2, s, most);
    for (size_t n = most; n > 0; n--) {
        int k = map_find(&words->map, inside ? key : key + 2, inside ? n + 2 : n);
        if (k < 0) continue;
        *used = n;
        return k;
    }
    return -1;
}

/* A run of letters and digits is covered by its longest pieces one after the other, or has none; another character is a
 * run of its own. */
static int compose(const Vocab *words, const char *s, size_t len, int rows[MAX_PIECES])
{
    int n = 0;
    for (size_t at = 0, end; at < len; at = end) {
        size_t next = at;
        bool word = is_alphanumeric(utf8_next(s, len, &next));
        end = next;
        while (word && next < len && is_alphanumeric(utf8_next(s, len, &next))) end = next;
        int before = n;
        for (size_t from = at, used; from < end; from += used) {
            int k = n < MAX_PIECES ? longest_piece(words, s + from, end - from, from > at, &used) : -1;
            if (k < 0) {
                n = before;
                break;
            }
            rows[n++] = k;
        }
    }
    return n;
}

int word_vectors_pieces(const Vocab *words, const char *word, size_t len, int rows[MAX_PIECES])
{
    rows[0] = map_find(&words->map, word, len);
    if (rows[0] >= 0) return 1;
    StrBuf lower = { 0 };
    text_lower(&lower, word, len);
    int n = lower.failed ? -1 : 0;
    if (lower.ptr && !lower.failed) {
        rows[0] = map_find(&words->map, lower.ptr, lower.len);
        n = rows[0] >= 0 ? 1 : compose(words, lower.ptr, lower.len, rows);
    }
    strbuf_fini(&lower);
    return n;
}
