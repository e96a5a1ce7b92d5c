/* parser/output/output_json.c: parsed sentences as JSON lines, in the form of docs/parse.schema.json */
#include <math.h>
#include <string.h>

#include "language/english/ud/ud.h"
#include "parser/output/output_internal.h"

static void put_number(StrBuf *out, const char *before, long value)
{
    strbuf_puts(out, before);
    strbuf_long(out, value);
}

static void put_string(StrBuf *out, const char *before, const char *value)
{
    strbuf_puts(out, before);
    strbuf_json(out, value, strlen(value));
}

/* A number of JSON, null where it is not finite. */
static void put_real(StrBuf *out, const char *before, double value, int digits)
{
    strbuf_puts(out, before);
    if (isfinite(value)) strbuf_fixed(out, value, digits);
    else strbuf_puts(out, "null");
}

/* ", "why": [{"head": "label:57", "part": 1.888}, ...]" */
static void put_why(StrBuf *out, const WhyNote *x)
{
    strbuf_puts(out, ", \"why\": [");
    for (int k = 0; k < x->n; k++) {
        put_number(out, k ? ", {\"head\": \"label:" : "{\"head\": \"label:", x->head[k] + 1);
        put_real(out, "\", \"part\": ", x->part[k], 4);
        strbuf_putc(out, '}');
    }
    strbuf_putc(out, ']');
}

/* ---- what a sentence has without a parse */

/* The text of the sentence: as it is in the input, or words separated by blanks where offsets are not known. */
static void put_text(StrBuf *out, const Origin *o, const Sentence *sent, int n)
{
    StrBuf joined = { 0 };
    if (o->tokens && n) {
        const Token *first = o->tokens, *last = o->tokens + n - 1;
        put_number(out, ", \"begin\": ", (long)first->begin_char);
        put_number(out, ", \"end\": ", (long)last->end_char);
        strbuf_puts(out, ", \"text\": ");
        strbuf_json(out, o->block.text.ptr + (first->begin - o->block.byte), last->end - first->begin);
        return;
    }
    if (n) output_text(&joined, o, sent);
    put_string(out, ", \"text\": ", joined.ptr ? joined.ptr : "");
    out->failed |= joined.failed;
    strbuf_fini(&joined);
}

/* The members before "tokens"; sent may be NULL where o has tokens. */
static void put_origin(StrBuf *out, const Origin *o, const Sentence *sent, int n, int pieces)
{
    put_number(out, "{\"id\": ", o->id);
    if (o->document) put_string(out, ", \"document\": ", o->document);
    put_number(out, ", \"line\": ", o->line);
    strbuf_puts(out, o->new_paragraph ? ", \"paragraph\": true" : ", \"paragraph\": false");
    if (pieces > 1) put_number(out, ", \"pieces\": ", pieces);
    put_text(out, o, sent, n);
}

/* Begins the object of a token, which the caller ends. t: its place, or NULL. */
static void put_form(StrBuf *out, const char *form, const Token *t)
{
    put_string(out, "{\"form\": ", form);
    if (!t) return;
    put_number(out, ", \"begin\": ", (long)t->begin_char);
    put_number(out, ", \"end\": ", (long)t->end_char);
    put_number(out, ", \"bytes\": [", (long)t->begin);
    put_number(out, ", ", (long)t->end);
    strbuf_putc(out, ']');
}

void output_tokens(StrBuf *out, const Origin *o, int n)
{
    put_origin(out, o, NULL, n, 1);
    strbuf_puts(out, ", \"tokens\": [");
    for (int w = 0; w < n; w++) {
        if (w) strbuf_puts(out, ", ");
        put_form(out, o->tokens[w].form, &o->tokens[w]);
        strbuf_putc(out, '}');
    }
    strbuf_puts(out, "]}\n");
}

/* ---- the parse */

static void put_token(StrBuf *out, const Written *x, int w, const WhyNote *note)
{
    const Sentence *sent = x->s;
    put_form(out, sent->words[w], x->o->tokens ? &x->o->tokens[w] : NULL);
    if (sent->tags && sent->tags[w]) put_string(out, ", \"tag\": ", sent->tags[w]);
    if (sent->lemmas && sent->lemmas[w]) put_string(out, ", \"lemma\": ", sent->lemmas[w]);
    if (sent->upos) put_string(out, ", \"upos\": ", sent->upos[w]);
    if (sent->feats && strcmp(sent->feats[w], "_") != 0) put_string(out, ", \"feats\": ", sent->feats[w]);
    if (sent->heads) {
        put_number(out, ", \"head\": ", sent->heads[w] - 1);
        put_string(out, ", \"type\": ", sent->types && sent->types[w] ? sent->types[w] : "_");
        if (x->p->arc_prob && !x->ud) put_real(out, ", \"p\": ", (double)x->p->arc_prob[w], 4);
        if (note) put_why(out, note);
    }
    strbuf_putc(out, '}');
}

static void put_tokens(StrBuf *out, const Written *x)
{
    const WhyNote **note = output_arc_notes(x->p);
    if (!note) out->failed = true;
    strbuf_puts(out, ", \"tokens\": [");
    for (int w = 0; note && w < x->s->n_words; w++) {
        if (w) strbuf_puts(out, ", ");
        put_token(out, x, w, note[w]);
    }
    strbuf_putc(out, ']');
    mem_free(note);
}

/* The note on the phrase, or NULL. *at: the first note that may be of this or a later phrase; phrases and notes are in
 * pre-order, but notes on arcs stand between those of the pieces of a sentence. */
static const WhyNote *note_of(const Parsed *p, const Phrase *c, int *at)
{
    for (; *at < p->n_why; ++*at) {
        const WhyNote *x = &p->why[*at];
        if (x->at.label == LABEL_NONE) continue;
        if (x->at.begin == c->begin && x->at.end == c->end) return x;
        if (x->at.begin > c->begin || (x->at.begin == c->begin && x->at.end < c->end)) return NULL;
    }
    return NULL;
}

/* The score of a unary chain, which is decided as a whole, and the heads that decided it. */
static void put_decision(StrBuf *out, const Written *x, const WhyNote *note)
{
    put_string(out, ", \"chain\": ", vocab_text(&x->m->labels, note->at.label));
    put_real(out, ", \"score\": ", note->score, 4);
    put_why(out, note);
}

/* The phrases in pre-order. parent: the innermost phrase that is open; a phrase over all its words comes after it. */
static void put_constituents(StrBuf *out, const Written *x)
{
    const Sentence *sent = x->s;
    int *parent = mem_alloc((size_t)sent->n_phrases + 1, sizeof *parent);
    if (!parent) out->failed = true;
    int at = 0;
    strbuf_puts(out, ", \"constituents\": [");
    for (int k = 0, open = -1; parent && k < sent->n_phrases; open = k++) {
        const Phrase *c = &sent->phrases[k];
        while (open >= 0 && sent->phrases[open].end <= c->begin) open = parent[open];
        parent[k] = open;
        put_string(out, k ? ", {\"label\": " : "{\"label\": ", c->label);
        put_number(out, ", \"begin\": ", c->begin);
        put_number(out, ", \"end\": ", c->end);
        put_number(out, ", \"parent\": ", open);
        bool chained = open >= 0 && sent->phrases[open].begin == c->begin && sent->phrases[open].end == c->end;
        const WhyNote *note = chained ? NULL : note_of(x->p, c, &at);
        if (note) put_decision(out, x, note);
        strbuf_putc(out, '}');
    }
    strbuf_putc(out, ']');
    mem_free(parent);
}

static void put_tree(StrBuf *out, const Written *x)
{
    StrBuf tree = { 0 };
    tree_write(&tree, x->s);
    strbuf_puts(out, ", \"score\": ");
    strbuf_json_number(out, "%.3f", x->p->score);
    put_string(out, ", \"tree\": ", tree.ptr ? tree.ptr : "");
    out->failed |= tree.failed;
    strbuf_fini(&tree);
    put_constituents(out, x);
}

void output_json(StrBuf *out, const Written *x)
{
    put_origin(out, x->o, x->s, x->s->n_words, x->p->pieces);
    const char *scheme = x->ud ? UD_SCHEME : output_knows_ud(x->m) ? UD_SCHEME_STANFORD : NULL;
    if (x->s->heads && scheme) put_string(out, ", \"deps\": ", scheme);
    put_tokens(out, x);
    if (x->s->has_tree && x->s->n_words) put_tree(out, x);
    strbuf_puts(out, "}\n");
}
