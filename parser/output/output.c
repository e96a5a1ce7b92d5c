/* parser/output/output.c: which writer; what several writers need */
#include "language/english/ud/lemma.h"
#include "language/english/ud/ud.h"
#include "parser/output/output_internal.h"

const WhyNote **output_arc_notes(const Parsed *p)
{
    const WhyNote **note = mem_calloc((size_t)p->n_words, sizeof *note);
    for (int k = 0; note && k < p->n_why; k++)
        if (p->why[k].at.label == LABEL_NONE) note[p->why[k].at.begin - 1] = &p->why[k];
    return note;
}

void output_text(StrBuf *out, const Origin *o, const Sentence *sent)
{
    const Token *t = o->tokens;
    for (int w = 0; w < sent->n_words; w++) {
        if (w && (!t || t[w].begin > t[w - 1].end)) strbuf_putc(out, ' ');
        if (t) strbuf_add(out, o->block.text.ptr + (t[w].begin - o->block.byte), t[w].end - t[w].begin);
        else strbuf_puts(out, sent->words[w]);
    }
}

/* Adds lemmas, and in JSON UPOS and features; in JSON and drawings puts Universal Dependencies in place of the model's,
 * if asked for. (Universal Dependencies of CoNLL: output_conll.c.) */
static bool add_analysis(Sentence *sent, bool knows_ud, const OutputStyle *style, Arena *arena)
{
    bool json = style->format == OUTPUT_JSON, pretty = style->format == OUTPUT_PRETTY,
         lemmas = json || (style->format == OUTPUT_CONLLU && !style->ud);
    UdSentence ud;
    if (sent->tags && lemmas && !(sent->lemmas = lemma_sentence(sent, arena))) return false;
    if (!(json && knows_ud) && !(pretty && style->ud)) return true;
    if (!ud_convert(sent, arena, &ud)) return false;
    sent->upos = ud.upos;
    sent->feats = ud.features;
    if (style->ud) {
        sent->heads = ud.heads;
        sent->types = ud.relations;
    }
    return true;
}

bool output_knows_ud(const Model *m) { return ud_knows_scheme(m->types.map.keys, m->types.map.n); }

void output_sentence(StrBuf *out, const Model *m, const Parsed *p, const Origin *o, OutputStyle style)
{
    if (style.format == OUTPUT_SOFT) {
        if (p->n_words && p->soft) output_soft(out, m, p, style.treebank);
        return;
    }
    Arena arena;
    arena_init(&arena, 1 << 12);
    Sentence *sent = parsed_sentence(m, p, &arena);
    Written x = { m, p, sent, o, style.ud };
    if (sent) sent->spelled = o->spelled;
    if (!sent || !add_analysis(sent, output_knows_ud(m), &style, &arena)) out->failed = true;
    else if (style.format == OUTPUT_JSON) output_json(out, &x);
    else if (style.format == OUTPUT_PRETTY) output_pretty(out, &x, &style);
    else if (sent->n_words == 0) strbuf_putc(out, '\n');
    else if (style.format == OUTPUT_BRACKETS) {
        tree_write_as(out, sent, (TreeStyle){ .top = "TOP", .escapes = style.escapes });
        strbuf_putc(out, '\n');
    } else if (style.format == OUTPUT_CONLLX) output_conllx(out, &x, style.escapes);
    else output_conllu(out, &x);
    arena_fini(&arena);
}
