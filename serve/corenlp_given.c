/* The Document is read twice: how many words it has, and which. Their places come in units of UTF-16, from a client, so
 * they count only if all of them lie in the text and in order. */
#include "serve/corenlp_given.h"

#include <limits.h>
#include <string.h>

#include "base/protobuf.h"

/* Numbers of fields in CoreNLP.proto. */
enum { DOCUMENT_TEXT = 1, DOCUMENT_SENTENCE = 2 };
enum { SENTENCE_TOKEN = 1 };
enum { TOKEN_WORD = 1, TOKEN_VALUE = 3, TOKEN_BEGIN = 11, TOKEN_END = 12 };

typedef struct Reading {
    const Job *j;
    CoreGiven *to;
    const char **words; /* [n_words] of to */
    size_t n;           /* words so far */
} Reading;

static Status no_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory for the text"); }

/* ---- how much there is */

static Status count_words(Protobuf in, size_t *n, Error *e)
{
    ProtobufField f;
    Status s = OK;
    StrView token;
    while (protobuf_each(&in, &f, &s, e)) {
        if (f.number == SENTENCE_TOKEN) s = protobuf_bytes(&in, &f, &token, e);
        *n += f.number == SENTENCE_TOKEN;
    }
    return s;
}

/* Messages have the kind of messages; the second reading relies on it. */
static Status count(Protobuf document, Reading *x, Error *e)
{
    ProtobufField f;
    Status s = OK;
    size_t sentences = 0, words = 0;
    StrView sentence;
    while (protobuf_each(&document, &f, &s, e)) {
        if (f.number == DOCUMENT_TEXT) s = protobuf_bytes(&document, &f, &x->to->text, e);
        if (f.number != DOCUMENT_SENTENCE) continue;
        s = protobuf_bytes(&document, &f, &sentence, e);
        if (s == OK) s = count_words(protobuf_message(&document, &f), &words, e);
        sentences++;
    }
    if (s != OK) return s;
    if (words > INT_MAX || sentences > INT_MAX) return error_set(e, ERR_FORMAT, "body: found too many words");
    x->to->n_words = words;
    x->to->sentences = arena_alloc(x->j->arena, sentences, sizeof *x->to->sentences);
    x->to->places = arena_alloc(x->j->arena, words, sizeof *x->to->places);
    x->words = arena_alloc(x->j->arena, words, sizeof *x->words);
    return x->to->sentences && x->to->places && x->words ? OK : no_memory(e);
}

/* ---- words */

static Status check_word(const Reading *x, StrView word, Error *e)
{
    if (!word.len) return error_set(e, ERR_FORMAT, "body: word %zu: found none, expected one", x->n);
    for (size_t at = 0; at < word.len;)
        if (utf8_is_control(utf8_next(word.ptr, word.len, &at)))
            return error_set(e, ERR_FORMAT, "body: word %zu: found a control character in '%.*s'", x->n,
                             (int)utf8_cut(word.ptr, word.len, 60), word.ptr);
    return OK;
}

static Status read_token(Protobuf in, Reading *x, Error *e)
{
    ProtobufField f;
    Status s = OK;
    StrView word = { "", 0 }, value = word;
    GivenPlace place = { .begin_utf16 = SIZE_MAX, .end_utf16 = SIZE_MAX }; /* not in the text */
    while (protobuf_each(&in, &f, &s, e)) {
        if (f.number == TOKEN_WORD) s = protobuf_text(&in, &f, &word, e);
        if (f.number == TOKEN_VALUE) s = protobuf_text(&in, &f, &value, e);
        if (f.number == TOKEN_BEGIN) place.begin_utf16 = (size_t)f.value;
        if (f.number == TOKEN_END) place.end_utf16 = (size_t)f.value;
    }
    if (!word.len) word = value;
    if (s == OK) s = check_word(x, word, e);
    if (s != OK) return s;
    x->to->places[x->n] = place;
    x->words[x->n] = arena_strndup(x->j->arena, word.ptr, word.len);
    return x->words[x->n++] ? OK : no_memory(e);
}

static Status read_sentence(Protobuf in, Reading *x, Error *e)
{
    ProtobufField f;
    Status s = OK;
    size_t first = x->n;
    while (protobuf_each(&in, &f, &s, e))
        if (f.number == SENTENCE_TOKEN) s = read_token(protobuf_message(&in, &f), x, e);
    if (x->n > first)
        x->to->sentences[x->to->n_sentences++] = (LalWords){ .words = x->words + first, .n = (int)(x->n - first) };
    return s;
}

static Status read_words(Protobuf document, Reading *x, Error *e)
{
    ProtobufField f;
    Status s = OK;
    while (protobuf_each(&document, &f, &s, e))
        if (f.number == DOCUMENT_SENTENCE) s = read_sentence(protobuf_message(&document, &f), x, e);
    return s;
}

/* ---- places */

/* A way through a text. */
typedef struct Walk {
    StrView text;
    size_t byte, characters, utf16;
} Walk;

/* Goes on to a place. false: it lies before the walk, in a character, or after the end. */
static bool walk_to(Walk *w, size_t utf16)
{
    while (w->utf16 < utf16 && w->byte < w->text.len) {
        w->utf16 += utf8_next(w->text.ptr, w->text.len, &w->byte) > 0xffff ? 2 : 1;
        w->characters++;
    }
    return w->utf16 == utf16;
}

/* Completes the places. false: they are none of this text. */
static bool place_in_text(CoreGiven *g)
{
    Walk w = { .text = g->text };
    for (size_t k = 0; k < g->n_words; k++) {
        GivenPlace *p = &g->places[k];
        if (p->begin_utf16 >= p->end_utf16 || !walk_to(&w, p->begin_utf16)) return false;
        p->begin = w.byte;
        p->begin_char = w.characters;
        if (!walk_to(&w, p->end_utf16)) return false;
        p->end = w.byte;
        p->end_char = w.characters;
    }
    return true;
}

/* The text becomes the words with blanks between. */
static Status place_in_words(const Reading *x, Error *e)
{
    CoreGiven *g = x->to;
    StrBuf text = { 0 };
    Walk w = { 0 };
    for (size_t k = 0; k < g->n_words; k++) {
        if (k) strbuf_putc(&text, ' ');
        strbuf_puts(&text, x->words[k]);
    }
    char *copy = text.failed ? NULL : arena_strndup(x->j->arena, text.ptr, text.len);
    strbuf_fini(&text);
    if (!copy) return no_memory(e);
    w.text = g->text = (StrView){ copy, strlen(copy) };
    for (size_t k = 0; k < g->n_words; k++) {
        g->places[k].begin_utf16 = w.utf16 + (k > 0);
        for (size_t end = w.byte + (k > 0) + strlen(x->words[k]); w.byte < end;) walk_to(&w, w.utf16 + 1);
        g->places[k].end_utf16 = w.utf16;
    }
    place_in_text(g);
    return OK;
}

bool corenlp_given_read(const Job *job, int invalid, CoreGiven *given, Answer *answer)
{
    Reading x = { .j = job, .to = given };
    Protobuf document;
    Error e = { 0 };
    const char *found;
    *given = (CoreGiven){ .text = { "", 0 } };
    Status s = protobuf_delimited(job->body, "body", &document, &e);
    if (s == OK) s = count(document, &x, &e);
    if (s == OK && !given->n_words) return job_valid(job, invalid, &given->text, answer);
    if (s == OK) s = read_words(document, &x, &e);
    if (s == OK) given->placed = text_fault(given->text, &found) == given->text.len && place_in_text(given);
    if (s == OK && !given->placed) s = place_in_words(&x, &e);
    return s == OK || answer_status(answer, &e);
}

/* ---- results */

static LalToken word_alone(const char *form)
{
    return (LalToken){ .form = form, .head = LAL_NONE, .phrase = LAL_NONE, .multiword = LAL_NONE };
}

static void place(LalToken *t, const GivenPlace *p)
{
    t->begin = p->begin;
    t->end = p->end;
    t->begin_char = p->begin_char;
    t->end_char = p->end_char;
    t->begin_utf16 = p->begin_utf16;
    t->end_utf16 = p->end_utf16;
}

bool corenlp_given_place(const Job *job, const CoreGiven *given, const LalResult *from, LalResult *result,
                         Answer *answer)
{
    LalToken *tokens = arena_alloc(job->arena, given->n_words, sizeof *tokens);
    LalSentence *sentences = arena_calloc(job->arena, (size_t)given->n_sentences, sizeof *sentences);
    if (!tokens || !sentences) return answer_refuse(answer, 500, "out of memory for the text");
    size_t k = 0;
    for (int i = 0; i < given->n_sentences; i++) {
        LalSentence *s = &sentences[i];
        if (from) *s = from->sentences[i];
        s->n_tokens = given->sentences[i].n;
        s->first_token = k;
        for (int w = 0; w < s->n_tokens; w++, k++) {
            tokens[k] = from ? s->tokens[w] : word_alone(given->sentences[i].words[w]);
            place(&tokens[k], &given->places[k]);
            tokens[k].glued = w && given->places[k - 1].end == given->places[k].begin;
        }
        s->tokens = tokens + s->first_token;
        s->touches_next = k < given->n_words && given->places[k - 1].end == given->places[k].begin;
    }
    *result = (LalResult){ .sentences = sentences, .n_sentences = (size_t)given->n_sentences, .n_tokens = k };
    return true;
}
