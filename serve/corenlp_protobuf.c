/* A Document of CoreNLP.proto. A message is made in a buffer of its own and then put
 * into the one around it, because its size stands before it. */
#include <stdint.h>
#include <string.h>

#include "serve/corenlp.h"

enum { VARINT = 0, FIXED64 = 1, DELIMITED = 2 };

static void put_varint(StrBuf *out, unsigned long value)
{
    for (; value > 127; value >>= 7) strbuf_putc(out, (char)((value & 127) | 128));
    strbuf_putc(out, (char)value);
}

static void put_number(StrBuf *out, int field, size_t value)
{
    put_varint(out, (unsigned long)field << 3 | VARINT);
    put_varint(out, value);
}

static void put_bytes(StrBuf *out, int field, StrView bytes)
{
    put_varint(out, (unsigned long)field << 3 | DELIMITED);
    put_varint(out, bytes.len);
    strbuf_add(out, bytes.ptr ? bytes.ptr : "", bytes.len);
}

/* In eight bytes, the lowest first (IEEE 754). */
static void put_double(StrBuf *out, int field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_varint(out, (unsigned long)field << 3 | FIXED64);
    for (int k = 0; k < 64; k += 8) strbuf_putc(out, (char)(bits >> k & 255));
}

static void put_text(StrBuf *out, int field, const char *text)
{
    put_bytes(out, field, (StrView){ text, strlen(text) });
}

/* Puts a message, which is freed. */
static void put_message(StrBuf *out, int field, StrBuf *message)
{
    put_bytes(out, field, (StrView){ message->ptr, message->len });
    out->failed |= message->failed;
    strbuf_fini(message);
}

static StrBuf token_message(const CoreDocument *d, const LalToken *const *tokens, size_t k, int w)
{
    StrBuf m = { 0 };
    const LalToken *t = tokens[k];
    size_t n = d->result->n_tokens;
    put_text(&m, 1, t->form);
    if (t->tag) put_text(&m, 2, corenlp_tag(t));
    put_text(&m, 3, t->form);
    put_bytes(&m, 5, corenlp_between(d, tokens, n, k));
    put_bytes(&m, 6, corenlp_between(d, tokens, n, k + 1));
    put_bytes(&m, 7, (StrView){ d->text.ptr + t->begin, t->end - t->begin });
    if (d->asked->lemma && t->lemma) put_text(&m, 10, t->lemma);
    put_number(&m, 11, t->begin_utf16);
    put_number(&m, 12, t->end_utf16);
    put_number(&m, 15, (size_t)w);
    put_number(&m, 16, (size_t)w + 1);
    put_number(&m, 17, k);
    put_number(&m, 18, k + 1);
    if (d->asked->code_points) {
        put_number(&m, 74, t->begin_char);
        put_number(&m, 75, t->end_char);
    }
    return m;
}

/* ---- trees */

/* A node over words first .. last, whose children are in *m. */
static void end_node(StrBuf *m, const char *value, int first, int last)
{
    put_text(m, 2, value);
    put_number(m, 3, (size_t)first);
    put_number(m, 4, (size_t)last);
}

static void put_leaf(StrBuf *out, const LalToken *t, int w)
{
    StrBuf word = { 0 }, tag = { 0 };
    end_node(&word, t->form, w, w);
    put_message(&tag, 1, &word);
    end_node(&tag, corenlp_tag(t), w, w);
    put_message(out, 1, &tag);
}

/* The children of the root and below; open [n_phrases] is the message of each phrase. */
static void put_nodes(StrBuf *root, const LalSentence *s, StrBuf *open)
{
    int now = LAL_NONE, next = 0;
    for (int w = 0; w < s->n_tokens; w++) {
        while (next < s->n_phrases && s->phrases[next].begin == w) now = next++;
        put_leaf(now == LAL_NONE ? root : &open[now], &s->tokens[w], w);
        while (now != LAL_NONE && s->phrases[now].end == w + 1) {
            const LalPhrase *p = &s->phrases[now];
            end_node(&open[now], p->label, p->begin, p->end - 1);
            put_message(p->parent == LAL_NONE ? root : &open[p->parent], 1, &open[now]);
            now = p->parent;
        }
    }
}

static StrBuf tree_message(const LalSentence *s)
{
    StrBuf m = { 0 };
    StrBuf *open = mem_calloc((size_t)s->n_phrases, sizeof *open);
    if (open) put_nodes(&m, s, open);
    m.failed |= !open;
    mem_free(open);
    end_node(&m, "ROOT", 0, s->n_tokens - 1);
    return m;
}

static bool same_phrases(const LalSentence *a, const LalSentence *b)
{
    if (a->n_phrases != b->n_phrases) return false;
    for (int k = 0; k < a->n_phrases; k++) {
        const LalPhrase *x = &a->phrases[k], *y = &b->phrases[k];
        if (x->begin != y->begin || x->end != y->end || strcmp(x->label, y->label) != 0) return false;
    }
    return true;
}

/* The trees of the best parses. Parses that differ in arcs alone have one tree, with the score of the best of them. */
static void put_best(StrBuf *out, const LalSentence *s)
{
    for (int k = 0; k < s->n_best; k++) {
        int before = 0;
        while (before < k && !same_phrases(&s->best[before], &s->best[k])) before++;
        if (before < k) continue;
        StrBuf tree = tree_message(&s->best[k]);
        put_double(&tree, 5, s->best[k].score);
        put_message(out, 34, &tree);
    }
}

/* ---- dependencies */

static StrBuf arc_message(CoreArc arc, int w, bool extra)
{
    enum { UNIVERSAL_ENGLISH = 9 };
    StrBuf m = { 0 };
    put_number(&m, 1, (size_t)arc.head + 1);
    put_number(&m, 2, (size_t)w + 1);
    put_text(&m, 3, arc.relation);
    put_number(&m, 4, extra);
    for (int field = 5; field <= 6; field++) put_number(&m, field, 0); /* no copies */
    put_number(&m, 7, UNIVERSAL_ENGLISH);
    return m;
}

/* The basic dependencies, or the enhanced graph, whose other arcs are extra ones. */
static StrBuf graph_message(const LalSentence *s, int index, bool enhanced)
{
    StrBuf m = { 0 }, roots = { 0 }, places = { 0 };
    for (int w = 0; w < s->n_tokens; w++) {
        StrBuf node = { 0 };
        put_number(&node, 1, (size_t)index);
        put_number(&node, 2, (size_t)w + 1);
        put_message(&m, 1, &node);
    }
    for (int k = 0; k < (enhanced ? s->n_enhanced : s->n_tokens); k++) {
        int w = enhanced ? s->enhanced[k].token : k;
        CoreArc arc = enhanced ? corenlp_enhanced(s, k) : corenlp_arc(s, k);
        if (arc.head == LAL_NONE) {
            put_varint(&roots, (unsigned long)w + 1);
            put_varint(&places, (unsigned long)w);
        } else {
            StrBuf edge = arc_message(arc, w, enhanced && arc.head != s->tokens[w].ud_head);
            put_message(&m, 2, &edge);
        }
    }
    put_message(&m, 3, &roots);
    put_message(&m, 5, &places);
    return m;
}

/* ---- the document */

static StrBuf sentence_message(const CoreDocument *d, const LalToken *const *tokens, const LalSentence *s, int index)
{
    StrBuf m = { 0 };
    for (int w = 0; w < s->n_tokens; w++) {
        StrBuf token = token_message(d, tokens, s->first_token + (size_t)w, w);
        put_message(&m, 1, &token);
    }
    put_number(&m, 2, s->first_token);
    put_number(&m, 3, s->first_token + (size_t)s->n_tokens);
    put_number(&m, 4, (size_t)index);
    put_number(&m, 5, s->tokens[0].begin_utf16);
    put_number(&m, 6, s->tokens[s->n_tokens - 1].end_utf16);
    if (corenlp_has_tree(d, s)) {
        StrBuf tree = tree_message(s);
        put_message(&m, 7, &tree);
    }
    if (d->asked->arcs && corenlp_arc(s, 0).relation) {
        StrBuf graph = graph_message(s, index, false);
        put_message(&m, 8, &graph);
    }
    for (int field = 17; field <= 18 && d->asked->arcs && s->n_enhanced; field++) { /* enhanced, enhanced++ */
        StrBuf graph = graph_message(s, index, true);
        put_message(&m, field, &graph);
    }
    if (d->asked->lines) put_number(&m, 20, (size_t)s->line);
    if (corenlp_has_tree(d, s)) put_best(&m, s);
    return m;
}

void corenlp_protobuf(StrBuf *out, const CoreDocument *document)
{
    StrBuf m = { 0 };
    const LalToken **tokens = corenlp_tokens(document->result);
    int index = 0;
    m.failed = !tokens;
    put_bytes(&m, 1, document->text);
    for (size_t k = 0; k < document->result->n_sentences && tokens; k++) {
        const LalSentence *s = &document->result->sentences[k];
        if (s->n_tokens == 0) continue;
        StrBuf sentence = sentence_message(document, tokens, s, index++);
        put_message(&m, 2, &sentence);
    }
    put_varint(out, m.len);
    strbuf_add(out, m.ptr ? m.ptr : "", m.len);
    out->failed |= m.failed;
    strbuf_fini(&m);
    mem_free(tokens);
}
