/* One buffer of bytes that are not consumed yet; the cutter runs once over each byte. Then the
 * cutters of lines and of paragraphs, which do not cut inside fenced code. */
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

enum { READ_SIZE = 1 << 16 };

size_t stream_cut_lines(CutState *state, const char *text, size_t count)
{
    (void)state;
    const char *newline = memchr(text, '\n', count);
    return newline ? (size_t)(newline - text) + 1 : 0;
}

/* What has been seen of a line: blanks, signs of a fence, blanks after them, anything else. */
enum { LINE_BLANK, LINE_SIGNS, LINE_AFTER, LINE_OTHER };

/* A line of fenced code may begin or end where the line, or the text, ends. */
static void end_line(CutState *s)
{
    bool closes = s->fence && s->line < LINE_OTHER && s->sign == s->fence_sign && s->signs >= s->fence;
    if (closes || s->depth > STREAM_FENCED_MOST) s->fence = 0;
    else if (!s->fence && s->signs >= 3 && !s->ticks) {
        s->fence = s->signs;
        s->fence_sign = s->sign;
        s->depth = 0;
    }
    s->line = LINE_BLANK;
    s->signs = 0;
    s->ticks = false;
}

static void see(CutState *s, char c)
{
    bool blank = c == ' ' || c == '\t' || c == '\r', sign = c == '`' || c == '~';
    s->ticks |= s->signs >= 3 && c == '`' && (s->line > LINE_SIGNS || c != s->sign);
    if (s->line == LINE_BLANK && sign) {
        s->sign = c;
        s->line = LINE_SIGNS;
    }
    if (s->line == LINE_SIGNS && c == s->sign) s->signs++;
    else if (!blank) s->line = LINE_OTHER;
    else if (s->line == LINE_SIGNS) s->line = LINE_AFTER;
}

size_t stream_cut_nowhere(CutState *state, const char *text, size_t count)
{
    (void)state, (void)text, (void)count;
    return 0;
}

size_t stream_cut_paragraphs(CutState *state, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!state->state && state->line == LINE_OTHER &&
            (state->signs < 3 || state->fence)) { /* on to the next break */
            const char *newline = memchr(text + i, '\n', count - i);
            size_t end = newline ? (size_t)(newline - text) : count;
            const char *feed = memchr(text + i, '\f', end - i);
            size_t next = feed ? (size_t)(feed - text) : end;
            state->depth += (long)(next - i);
            i = next;
            if (i == count) break;
        }
        unsigned char c = (unsigned char)text[i];
        state->depth++;
        if (c == '\n' || c == '\f') {
            state->state += c == '\f' ? 2 : 1;
            end_line(state);
            if (c == '\f') state->fence = 0;
        } else {
            see(state, (char)c);
            if (c >= 128 || !utf8_is_space(c)) state->state = 0;
        }
        if (state->state < 2 || state->fence) continue;
        state->state = 0;
        return i + 1;
    }
    return 0;
}

static size_t available(const TextStream *s) { return s->buf.len - s->from; }

/* Moves the rest to the beginning of the buffer, but only if at least as many bytes were consumed since the last time,
 * so that the total work is linear. */
static void compact(TextStream *s)
{
    size_t left = available(s);
    if (s->from < left || !s->from) return;
    memmove(s->buf.ptr, s->buf.ptr + s->from, left);
    s->buf.len = left;
    s->from = 0;
}

/* At most READ_SIZE bytes: *bytes, in raw or in the text in memory; *n is 0 at the end. */
static Status read_bytes(TextStream *s, char raw[READ_SIZE], const char **bytes, size_t *n, Error *e)
{
    if (s->in.fd < 0) {
        *bytes = s->memory.ptr;
        *n = s->memory.len < READ_SIZE ? s->memory.len : READ_SIZE;
        s->memory = (StrView){ s->memory.ptr + *n, s->memory.len - *n };
        return OK;
    }
    *bytes = raw;
    return gzip_read(&s->in, raw, READ_SIZE, n, e);
}

/* Reads once. */
static Status read_once(TextStream *s, Error *e)
{
    char raw[READ_SIZE];
    const char *bytes = raw;
    size_t n = 0;
    Status status = read_bytes(s, raw, &bytes, &n, e);
    if (status != OK) return status;
    s->ended = n == 0;
    compact(s);
    bool repairs = s->repair.what != INVALID_ERROR;
    if (s->decoder) {
        strbuf_clear(&s->decoded);
        status = decoder_feed(s->decoder, bytes, n, repairs ? &s->decoded : &s->buf, e);
        bytes = s->decoded.ptr;
        n = s->decoded.len;
    }
    if (repairs) repair_feed(&s->repair, bytes, n, s->ended, &s->buf);
    else if (!s->decoder) strbuf_add(&s->buf, bytes, n);
    if (repairs && s->ended && s->repair.n) notes_add(s->notes, s->path, 0, 0, repair_text(&s->repair).text);
    s->buf.failed |= s->decoded.failed;
    if (status == OK && s->buf.failed) status = error_at(e, ERR_NOMEM, s->path, 0, 0, "out of memory reading the file");
    return status;
}

/* Reads once; sets ended at the end of the file or an error, which is kept. */
static void read_more(TextStream *s)
{
    if (read_once(s, &s->error) != OK) s->ended = true;
}

static Status failed(const TextStream *s, Error *e)
{
    if (s->error.code != OK) *e = s->error;
    return s->error.code;
}

/* Consumes n bytes. */
static void advance(TextStream *s, size_t n)
{
    if (!n) return;
    const char *p = s->buf.ptr + s->from;
    size_t characters = 0;
    for (size_t i = 0; i < n; i++) characters += ((unsigned char)p[i] & 0xC0) != 0x80; /* not a continuation byte */
    s->character += characters;
    for (const char *at = p, *end = p + n, *newline; at < end; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) {
            s->column += end - at;
            break;
        }
        s->line++;
        s->column = 1;
    }
    s->byte += n;
    s->from += n;
    s->scanned = s->scanned > n ? s->scanned - n : 0;
    s->cut = s->cut > n ? s->cut - n : 0;
}

/* Runs the cutter over the bytes read until there are `want` bytes before a boundary. */
static void scan(TextStream *s, size_t want)
{
    while (s->scanned < available(s) && s->cut < want) {
        size_t n = s->cutter(&s->cut_state, s->buf.ptr + s->from + s->scanned, available(s) - s->scanned);
        if (n) s->cut = s->scanned += n;
        else s->scanned = available(s);
    }
}

static TextBlock give(TextStream *s, size_t n)
{
    s->given = n;
    return (TextBlock){ { n ? s->buf.ptr + s->from : "", n }, s->path, s->line, s->column, s->byte, s->character };
}

Status stream_next(TextStream *stream, size_t want, size_t most, TextBlock *block, bool *whole, Error *error)
{
    advance(stream, stream->given);
    stream->given = 0;
    for (;;) {
        scan(stream, want);
        bool all_seen = stream->scanned == available(stream);
        if (stream->cut >= want || (all_seen && stream->ended) || stream->scanned - stream->cut > most) break;
        if (stream->cut && stream->in.fd >= 0 && !gzip_readable(&stream->in, 0)) break;
        read_more(stream);
    }
    if (!stream->cut && stream->ended && failed(stream, error) != OK) return error->code;
    bool last =
        stream->ended && stream->cut < want && stream->error.code == OK; /* has the text after the last boundary, too */
    *whole = stream->cut || stream->ended;
    *block = give(stream, last ? available(stream) : stream->cut ? stream->cut : stream->scanned);
    return OK;
}

TextBlock stream_rest(TextStream *stream) { return give(stream, available(stream)); }

Status stream_blame(TextStream *stream, Error *error)
{
    char some[READ_SIZE];
    Error why = stream->error;
    for (size_t n = stream->in.gzip && error->code == ERR_FORMAT; n && why.code == OK;)
        if (gzip_read(&stream->in, some, sizeof some, &n, &why) != OK) n = 0;
    if (why.code == ERR_FORMAT) *error = why;
    return error->code;
}

void stream_keep(TextStream *stream, size_t count) { stream->given -= count; }

bool stream_ended(const TextStream *stream) { return stream->ended && available(stream) == stream->given; }

void stream_restart(TextStream *stream, size_t count)
{
    stream_keep(stream, count);
    stream->cut_state = (CutState){ 0 };
    stream->scanned = stream->cut = stream->given;
}

double stream_share(const TextStream *stream)
{
    struct stat file;
    size_t taken = stream->in.gzip ? stream->in.taken : stream->byte + stream->given;
    bool known = fstat(stream->in.fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0;
    return known ? (double)taken / (double)file.st_size : 0;
}

Status stream_peek(TextStream *stream, size_t want, StrView *text, Error *error)
{
    while (available(stream) < want && !stream->ended) read_more(stream);
    *text = (StrView){ available(stream) ? stream->buf.ptr + stream->from : "", available(stream) };
    return text->len ? OK : failed(stream, error);
}

/* The stream of a Repair, its member. */
static void note_place(Repair *r, const char *message)
{
    const TextStream *s = (const TextStream *)((char *)r - offsetof(TextStream, repair));
    notes_add(s->notes, s->path, r->place.line, r->place.column, message);
}

static void start(TextStream *s, const char *path, StreamOptions o, Cutter cutter)
{
    *s = (TextStream){ .path = path, .in = { .fd = -1, .path = path }, .cutter = cutter, .line = 1, .column = 1 };
    s->repair = (Repair){ .what = o.invalid, .found = note_place };
    s->notes = o.notes;
}

Status stream_open(TextStream *stream, const char *path, StreamOptions options, Cutter cutter, Error *error)
{
    static const char mark[] = "\xEF\xBB\xBF";
    start(stream, path, options, cutter);
    if (options.encoding && strcmp(options.encoding, "UTF-8") != 0) {
        stream->decoder = decoder_new(options.encoding, options.invalid != INVALID_ERROR, path, error);
        if (!stream->decoder) return error->code;
    }
    stream->in.fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (stream->in.fd < 0) return error_at(error, ERR_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    if (!options.skip_mark) return OK;
    StrView text;
    Status status = stream_peek(stream, sizeof mark - 1, &text, error);
    if (status == OK && text.len >= sizeof mark - 1 && memcmp(text.ptr, mark, sizeof mark - 1) == 0)
        stream->byte = stream->from = sizeof mark - 1;
    return status;
}

void stream_open_text(TextStream *stream, StrView text, const char *name, StreamOptions options, Cutter cutter)
{
    if (!text.ptr) text.ptr = "";
    start(stream, name, options, cutter);
    stream->memory = text;
}

void stream_close(TextStream *stream)
{
    if (stream->in.fd > STDIN_FILENO) close(stream->in.fd);
    gzip_end(&stream->in);
    decoder_free(stream->decoder);
    strbuf_fini(&stream->buf);
    strbuf_fini(&stream->decoded);
    *stream = (TextStream){ .in = { .fd = -1 } };
}
