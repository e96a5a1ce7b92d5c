/* Parsed sentences as JSON lines, in the form of docs/parse.schema.json */
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "parser/output/output_internal.h"
#include "parser/parse/parse_network.h"

/* [{"head": "label:57", "category": "NP", "part": 1.888}, ...], the category of heads that have one */
static void put_why(StrBuf *out, const Model *m, const WhyNote *x)
{
    json_array(out, "why");
    for (int k = 0; k < x->n; k++) {
        char name[24];
        snprintf(name, sizeof name, "label:%d", x->head[k] + 1);
        json_object(out, NULL);
        json_string(out, "head", name);
        if (parse_head_category(m, x->head[k])) json_string(out, "category", parse_head_category(m, x->head[k]));
        json_fixed(out, "part", x->part[k], 4);
        json_object_end(out);
    }
    json_array_end(out);
}

/* ---- what a sentence has without a parse */

/* Is the member written? */
#define HAS(style, NAME) output_has(style, OUTPUT_FIELD_##NAME)

/* The text of the sentence: as it is in the input, or, where offsets are not known, words separated by blanks, but for
 * SpaceAfter=No of CoNLL-U. */
static void put_text(StrBuf *out, const OutputStyle *style, const Origin *o, const Sentence *sent, int n)
{
    StrBuf joined = { 0 };
    if (o->tokens && n) {
        const Token *first = o->tokens, *last = o->tokens + n - 1;
        if (HAS(style, BEGIN)) json_long(out, "begin", (long)first->begin_char);
        if (HAS(style, END)) json_long(out, "end", (long)last->end_char);
        StrView text = { o->block.text.ptr + (first->begin - o->block.byte), last->end - first->begin };
        if (HAS(style, TEXT)) json_view(out, "text", text);
    } else if (HAS(style, TEXT)) {
        if (n) output_text(&joined, o, sent);
        json_take(out, "text", &joined);
    }
}

/* The members before "tokens"; sent may be NULL where o has tokens. */
static void put_origin(StrBuf *out, const OutputStyle *style, const Origin *o, const Sentence *sent, int n, int pieces)
{
    json_object(out, NULL);
    if (HAS(style, ID)) json_long(out, "id", o->id);
    if (o->document && HAS(style, DOCUMENT)) json_string(out, "document", o->document);
    if (HAS(style, LINE)) json_long(out, "line", o->line);
    if (HAS(style, PARAGRAPH)) json_bool(out, "paragraph", o->new_paragraph);
    if (pieces > 1 && HAS(style, PIECES)) json_long(out, "pieces", pieces);
    put_text(out, style, o, sent, n);
}

/* Begins the object of a token, which the caller ends. t: its place, or NULL. */
static void put_form(StrBuf *out, const OutputStyle *style, const char *form, const Token *t)
{
    bool all = style->fields >> OUTPUT_FIELD_TOKENS & 1;
    json_object(out, NULL);
    if (HAS(style, FORM)) json_string(out, "form", form);
    if (!t) return;
    if (all || HAS(style, BEGIN)) json_long(out, "begin", (long)t->begin_char);
    if (all || HAS(style, END)) json_long(out, "end", (long)t->end_char);
    if (!HAS(style, BYTES)) return;
    json_array(out, "bytes");
    json_long(out, NULL, (long)t->begin);
    json_long(out, NULL, (long)t->end);
    json_array_end(out);
}

void output_tokens(StrBuf *out, const Origin *origin, int n)
{
    static const OutputStyle all = { 0 };
    put_origin(out, &all, origin, NULL, n, 1);
    json_array(out, "tokens");
    for (int w = 0; w < n; w++) {
        put_form(out, &all, origin->tokens[w].form, &origin->tokens[w]);
        json_object_end(out);
    }
    strbuf_puts(out, "]}\n");
}

/* ---- the parse */

/* The probabilities of an arc, as far as they are known. */
static void put_arc(StrBuf *out, const Written *x, int w)
{
    const Parsed *p = x->p;
    const Confidence *c = output_confidence(x);
    int head = x->s->heads[w];
    if (p->arc_prob) json_fixed(out, "p", parsed_arc_probability(p, p->arc_prob, w, head), 4);
    if (c && c->arc) json_fixed(out, "p_joint", parsed_arc_probability(p, c->arc, w, head), 4);
}

/* The arcs of the enhanced graph. */
static void put_heads(StrBuf *out, const DepGraph *graph, int w)
{
    json_array(out, "enhanced");
    for (int k = graph->first[w]; k < graph->first[w + 1]; k++) {
        json_object(out, NULL);
        json_long(out, "head", graph->arc[k].head - 1);
        json_string(out, "type", graph->arc[k].relation);
        json_object_end(out);
    }
    json_array_end(out);
}

static void put_token(StrBuf *out, const Written *x, int w, const WhyNote *note)
{
    const Sentence *sent = x->s;
    const OutputStyle *style = x->style;
    put_form(out, style, sent->words[w], x->o->tokens ? &x->o->tokens[w] : NULL);
    if (sent->tags && sent->tags[w] && HAS(style, TAG)) json_string(out, "tag", sent->tags[w]);
    if (sent->lemmas && sent->lemmas[w] && HAS(style, LEMMA)) json_string(out, "lemma", sent->lemmas[w]);
    if (sent->upos && HAS(style, UPOS)) json_string(out, "upos", sent->upos[w]);
    if (sent->feats && strcmp(sent->feats[w], "_") != 0 && HAS(style, FEATS)) json_string(out, "feats", sent->feats[w]);
    if (sent->heads) {
        if (HAS(style, HEAD)) json_long(out, "head", sent->heads[w] - 1);
        if (HAS(style, TYPE)) json_string(out, "type", sent->types && sent->types[w] ? sent->types[w] : "_");
        if (HAS(style, P)) put_arc(out, x, w);
        if (sent->graph && HAS(style, ENHANCED)) put_heads(out, sent->graph, w);
        if (note) put_why(out, x->m, note);
    }
    json_object_end(out);
}

static void put_tokens(StrBuf *out, const Written *x)
{
    const WhyNote **note = output_arc_notes(x);
    if (!note) out->failed = true;
    json_array(out, "tokens");
    for (int w = 0; note && w < x->s->n_words; w++) put_token(out, x, w, note[w]);
    json_array_end(out);
    mem_free(note);
}

/* The note on the phrase, or NULL. *at: the first note that may be of this or a later phrase; phrases and notes are in
 * pre-order, but notes on arcs stand between the notes on phrases of its pieces. */
static const WhyNote *note_of(const WhyNotes *why, const Phrase *c, int *at)
{
    for (; why && *at < why->n; ++*at) {
        const WhyNote *x = &why->note[*at];
        if (x->arc) continue;
        if (x->at.begin == c->begin && x->at.end == c->end) return x;
        if (x->at.begin > c->begin || (x->at.begin == c->begin && x->at.end < c->end)) return NULL;
    }
    return NULL;
}

/* The score of a unary chain, which is decided as a whole, and the heads that decided it. */
static void put_decision(StrBuf *out, const Written *x, const WhyNote *note)
{
    json_string(out, "chain", vocab_text(&x->m->labels, note->at.label));
    json_fixed(out, "score", note->score, 4);
    put_why(out, x->m, note);
}

/* The phrases in pre-order. parent: the innermost phrase that is open; a phrase over all its words comes after it. */
static void put_constituents(StrBuf *out, const Written *x)
{
    const Sentence *sent = x->s;
    const Confidence *sure = output_confidence(x);
    int *parent = mem_alloc((size_t)sent->n_phrases + 1, sizeof *parent);
    if (!parent) out->failed = true;
    int at = 0;
    json_array(out, "constituents");
    for (int k = 0, open = -1, chain = 0; parent && k < sent->n_phrases; open = k++) {
        const Phrase *c = &sent->phrases[k];
        while (open >= 0 && sent->phrases[open].end <= c->begin) open = parent[open];
        parent[k] = open;
        json_object(out, NULL);
        json_string(out, "label", c->label);
        json_long(out, "begin", c->begin);
        json_long(out, "end", c->end);
        json_long(out, "parent", open);
        bool chained = open >= 0 && sent->phrases[open].begin == c->begin && sent->phrases[open].end == c->end;
        const WhyNote *note = chained ? NULL : note_of(x->why, c, &at);
        if (!chained && sure && sure->phrase) json_fixed(out, "p_joint", (double)sure->phrase[chain], 4);
        chain += !chained;
        if (note) put_decision(out, x, note);
        json_object_end(out);
    }
    json_array_end(out);
    mem_free(parent);
}

static void put_tree(StrBuf *out, const Written *x)
{
    StrBuf tree = { 0 };
    if (HAS(x->style, SCORE)) json_real(out, "score", "%.3f", x->p->score);
    if (HAS(x->style, TREE)) {
        tree_write(&tree, x->s);
        json_take(out, "tree", &tree);
    }
    if (HAS(x->style, CONSTITUENTS)) put_constituents(out, x);
}

/* One of the best parses: score, p, unary_of, tree, constituents, heads and types. */
static void put_ranked(StrBuf *out, const Written *x)
{
    static const OutputStyle style = { .fields = 1u << OUTPUT_FIELD_TREE | 1u << OUTPUT_FIELD_CONSTITUENTS };
    Written own = *x;
    own.style = &style;
    own.why = NULL;
    json_object(out, NULL);
    json_real(out, "score", "%.3f", x->p->score);
    if (x->p->probability >= 0) json_fixed(out, "p", x->p->probability, 6);
    if (x->unary_of) json_long(out, "unary_of", x->unary_of - 1);
    put_tree(out, &own);
    json_array(out, "heads");
    for (int w = 0; w < x->s->n_words; w++) json_long(out, NULL, x->s->heads[w] - 1);
    json_array_end(out);
    json_strings(out, "types", x->s->types, x->s->n_words);
    json_object_end(out);
}

/* {"p_tree": 0.2531, "expected_f1": 0.9321, ...}, as far as they are known; margin of several. */
static void put_confidence(StrBuf *out, const Written *x)
{
    const Confidence *c = output_confidence(x);
    const Parsed *p = x->p;
    if (!c || !HAS(x->style, CONFIDENCE)) return;
    json_object(out, "confidence");
    if (c->p_tree >= 0) json_real(out, "p_tree", "%.4g", c->p_tree);
    if (c->expected_f1 >= 0) json_fixed(out, "expected_f1", c->expected_f1, 4);
    if (c->calibrated_f1 >= 0) json_fixed(out, "calibrated_f1", c->calibrated_f1, 4);
    if (c->expected_las >= 0) json_fixed(out, "expected_las", c->expected_las, 4);
    if (p->n_best > 1) json_real(out, "margin", "%.3f", p->best[0].score - p->best[1].score);
    json_object_end(out);
}

static void put_best(StrBuf *out, const Written *x)
{
    if (!x->best || !HAS(x->style, KBEST)) return;
    json_array(out, "kbest");
    for (int k = 0; k < x->ranks; k++) put_ranked(out, &x->best[k]);
    json_array_end(out);
}

static void put_json(StrBuf *out, const Written *given)
{
    Written x = *given;
    if (!HAS(x.style, WHY)) x.why = NULL;
    put_origin(out, x.style, x.o, x.s, x.s->n_words, x.p->pieces);
    const char *scheme = output_scheme(&x);
    if (x.s->heads && scheme && HAS(x.style, DEPS)) json_string(out, "deps", scheme);
    put_confidence(out, &x);
    if (HAS(x.style, TOKENS)) put_tokens(out, &x);
    if (x.s->has_tree && x.s->n_words) put_tree(out, &x);
    put_best(out, &x);
    strbuf_puts(out, "}\n");
}

const OutputFormat OUTPUT_JSON = { OUTPUT_NEEDS_PROBABILITY | OUTPUT_NEEDS_LEMMAS | OUTPUT_NEEDS_UPOS |
                                       OUTPUT_NEEDS_ARCS | OUTPUT_NEEDS_GRAPH | OUTPUT_TAKES_DEPS | OUTPUT_TAKES_WHY |
                                       OUTPUT_TAKES_WHY_SPANS | OUTPUT_TAKES_BEST | OUTPUT_BEST_WITHIN |
                                       OUTPUT_TAKES_CONFIDENCE | OUTPUT_HAS_UPOS,
                                   put_json };
