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
    Answer *a;
    CoreGiven *to;
    const char **words; /* [n_words] of to */
    size_t n;           /* words so far */
} Reading;

static bool refuse_damaged(const Reading *x, size_t place)
{
    return answer_refuse(x->a, 400, "body: found other bytes at byte %zu, expected a Document of CoreNLP.proto", place);
}

static bool no_memory(Answer *a) { return answer_refuse(a, 500, "out of memory for the text"); }

static bool is_bytes(const ProtobufField *f, int number) { return f->number == number && f->type == PROTOBUF_BYTES; }

/* ---- how much there is */

static bool count_words(const Reading *x, Protobuf in)
{
    ProtobufField f;
    Status s = OK;
    while (protobuf_each(&in, &f, &s, NULL)) x->to->n_words += is_bytes(&f, SENTENCE_TOKEN);
    return s == OK || refuse_damaged(x, f.place);
}

static bool count(const Reading *x, Protobuf in)
{
    ProtobufField f;
    Status s = OK;
    size_t sentences = 0;
    while (protobuf_each(&in, &f, &s, NULL)) {
        if (is_bytes(&f, DOCUMENT_TEXT)) x->to->text = f.bytes;
        if (!is_bytes(&f, DOCUMENT_SENTENCE)) continue;
        if (!count_words(x, protobuf_message(&in, &f))) return false;
        sentences++;
    }
    if (s != OK) return refuse_damaged(x, f.place);
    if (x->to->n_words > INT_MAX || sentences > INT_MAX) return answer_refuse(x->a, 413, "body: found too many words");
    x->to->sentences = arena_alloc(x->j->arena, sentences, sizeof *x->to->sentences);
    return x->to->sentences || no_memory(x->a);
}

/* ---- words */

static bool refuse_word(const Reading *x, StrView word, const char *found)
{
    return answer_refuse(x->a, 400, "body: token %zu: found %s in '%.*s', expected a word", x->n, found,
                         (int)utf8_cut(word.ptr, utf8_invalid(word.ptr, word.len), 60), word.ptr);
}

static bool check_word(const Reading *x, StrView word)
{
    const char *found;
    if (!word.len) return answer_refuse(x->a, 400, "body: token %zu: found none, expected a word", x->n);
    if (text_fault(word, &found) < word.len) return refuse_word(x, word, "bytes that are not UTF-8");
    for (size_t at = 0; at < word.len;)
        if (utf8_is_control(utf8_next(word.ptr, word.len, &at))) return refuse_word(x, word, "a control character");
    return true;
}

static bool read_token(Reading *x, Protobuf in)
{
    ProtobufField f;
    Status s = OK;
    StrView word = { "", 0 }, value = word;
    GivenPlace place = { .begin_utf16 = SIZE_MAX, .end_utf16 = SIZE_MAX }; /* not in the text */
    while (protobuf_each(&in, &f, &s, NULL)) {
        if (is_bytes(&f, TOKEN_WORD)) word = f.bytes;
        if (is_bytes(&f, TOKEN_VALUE)) value = f.bytes;
        if (f.number == TOKEN_BEGIN && f.type == PROTOBUF_VARINT) place.begin_utf16 = (size_t)f.value;
        if (f.number == TOKEN_END && f.type == PROTOBUF_VARINT) place.end_utf16 = (size_t)f.value;
    }
    if (s != OK) return refuse_damaged(x, f.place);
    if (!word.len) word = value;
    if (!check_word(x, word)) return false;
    x->to->places[x->n] = place;
    x->words[x->n] = arena_strndup(x->j->arena, word.ptr, word.len);
    return x->words[x->n++] || no_memory(x->a);
}

static bool read_sentence(Reading *x, Protobuf in)
{
    ProtobufField f;
    Status s = OK;
    size_t first = x->n;
    while (protobuf_each(&in, &f, &s, NULL))
        if (is_bytes(&f, SENTENCE_TOKEN) && !read_token(x, protobuf_message(&in, &f))) return false;
    if (x->n > first)
        x->to->sentences[x->to->n_sentences++] = (LalWords){ .words = x->words + first, .n = (int)(x->n - first) };
    return true;
}

static bool read_words(Reading *x, Protobuf in)
{
    ProtobufField f;
    Status s = OK;
    x->words = arena_alloc(x->j->arena, x->to->n_words, sizeof *x->words);
    x->to->places = arena_alloc(x->j->arena, x->to->n_words, sizeof *x->to->places);
    if (!x->words || !x->to->places) return no_memory(x->a);
    while (protobuf_each(&in, &f, &s, NULL))
        if (is_bytes(&f, DOCUMENT_SENTENCE) && !read_sentence(x, protobuf_message(&in, &f))) return false;
    return true;
}

/* ---- places */

/* A way through a text. */
typedef struct Walk {
    StrView text;
    size_t byte, characters, utf16;
} Walk;

/* Goes on to a place. false: it lies behind, in a character, or after the end. */
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
static bool place_in_words(Reading *x)
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
    if (!copy) return no_memory(x->a);
    w.text = g->text = (StrView){ copy, strlen(copy) };
    for (size_t k = 0; k < g->n_words; k++) {
        g->places[k].begin_utf16 = w.utf16 + (k > 0);
        for (size_t end = w.byte + (k > 0) + strlen(x->words[k]); w.byte < end;) walk_to(&w, w.utf16 + 1);
        g->places[k].end_utf16 = w.utf16;
    }
    return place_in_text(g);
}

bool corenlp_given_read(const Job *job, int invalid, CoreGiven *given, Answer *answer)
{
    Reading x = { .j = job, .a = answer, .to = given };
    Protobuf document;
    const char *found;
    *given = (CoreGiven){ .text = { "", 0 } };
    if (!protobuf_delimited(&document, job->body, NULL)) return refuse_damaged(&x, 0);
    if (!count(&x, document)) return false;
    if (!given->n_words) return job_valid(job, invalid, &given->text, answer);
    if (!read_words(&x, document)) return false;
    bool good = text_fault(given->text, &found) == given->text.len;
    return (good && place_in_text(given)) || place_in_words(&x);
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
    if (!tokens || !sentences) return no_memory(answer);
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
