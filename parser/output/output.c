/* The table of formats; what several of them need */
#include <string.h>

#include "base/suggest.h"
#include "parser/output/output_internal.h"
#include "treebank/conll.h"

#define NAME_OF(NAME, name, about) name,
#define TABLE(NAME, name, about) &OUTPUT_##NAME,
const OutputFormat *const OUTPUT_FORMATS[] = { OUTPUT_EACH(TABLE) NULL };

static const char *const NAMES[] = { OUTPUT_EACH(NAME_OF) };

const char *output_name(const OutputFormat *format)
{
    int k = 0;
    while (OUTPUT_FORMATS[k] != format) k++;
    return NAMES[k];
}

Status output_find(const char *name, const OutputFormat **format, Error *error)
{
    StrBuf names = { 0 };
    for (int k = 0; OUTPUT_FORMATS[k] != &OUTPUT_SOFT; k++) {
        if (name && strcmp(NAMES[k], name) == 0) {
            *format = OUTPUT_FORMATS[k];
            strbuf_fini(&names);
            return OK;
        }
        bool last = OUTPUT_FORMATS[k + 1] == &OUTPUT_SOFT;
        strbuf_printf(&names, "%s%s", k == 0 ? "" : last ? " or " : ", ", NAMES[k]);
    }
    Status status = error_set(error, ERR_RANGE, "found '%s', expected %s", name ? name : "NULL",
                              names.ptr ? names.ptr : "another one");
    strbuf_fini(&names);
    return status;
}

void output_names(StrBuf *out, int needs)
{
    const char *last = NULL;
    for (int k = 0; OUTPUT_FORMATS[k]; k++) {
        if (!(OUTPUT_FORMATS[k]->needs & needs)) continue;
        if (last) strbuf_printf(out, "%s%s", out->len ? ", " : "", last);
        last = NAMES[k];
    }
    if (last) strbuf_printf(out, "%s%s", out->len ? " or " : "", last);
}

const WhyNote **output_arc_notes(const Written *written)
{
    const WhyNote **note = mem_calloc((size_t)written->s->n_words, sizeof *note);
    for (int k = 0; note && written->why && k < written->why->n; k++)
        if (written->why->note[k].arc) note[written->why->note[k].at.begin - 1] = &written->why->note[k];
    return note;
}

void output_text(StrBuf *out, const Origin *origin, const Sentence *sent)
{
    const Token *t = origin->tokens;
    if (origin->rows) {
        conll_text(out, origin->rows);
        return;
    }
    for (int w = 0; w < sent->n_words; w++) {
        if (t && t[w].part) continue; /* written with the first word of its token */
        if (w && (!t || !t[w].glued)) strbuf_putc(out, ' ');
        if (t && t[w].words)
            strbuf_add(out, origin->block.text.ptr + (t[w].begin - origin->block.byte), t[w].end - t[w].begin);
        else strbuf_puts(out, t ? t[w].form : sent->words[w]);
    }
}

/* ---- members of JSON */

static const char *const FIELDS[] = {
#define FIELD(NAME, name) name,
    OUTPUT_FIELDS(FIELD)
#undef FIELD
};
enum { IN_TOKENS = ~0u << OUTPUT_FIELD_TOKENS & ((1u << OUTPUT_FIELDS_N) - 1) };

static Status no_field(const char *name, size_t n, Error *e)
{
    StrBuf names = { 0 };
    Suggestion near = suggest_for(name, n);
    for (int k = 0; k < OUTPUT_FIELDS_N; k++) {
        strbuf_printf(&names, "%s%s", k ? ", " : "", FIELDS[k]);
        suggest_name(&near, FIELDS[k], strlen(FIELDS[k]));
    }
    Status s = error_set(e, ERR_USAGE, "fields: found '%.*s', expected some of %s, separated by commas%s", (int)n, name,
                         names.ptr ? names.ptr : "", suggest_text(&near, "").text);
    strbuf_fini(&names);
    return s;
}

Status output_fields(const char *names, unsigned *fields, Error *error)
{
    *fields = 0;
    for (const char *at = names;; at++) {
        size_t n = strcspn(at, ",");
        int k = 0;
        while (k < OUTPUT_FIELDS_N && !text_equal((StrView){ at, n }, FIELDS[k])) k++;
        if (k == OUTPUT_FIELDS_N) return no_field(at, n, error);
        *fields |= k == OUTPUT_FIELD_TOKENS ? IN_TOKENS : 1u << k;
        at += n;
        if (!*at) return OK;
    }
}

bool output_has(const OutputStyle *style, int field)
{
    unsigned bits = field == OUTPUT_FIELD_TOKENS ? IN_TOKENS : 1u << field;
    return !style->fields || style->fields & bits;
}

int output_needs(const OutputStyle *style)
{
    enum { GRAPH = 1 << OUTPUT_FIELD_ENHANCED };
    static const struct {
        int fields, needs;
    } for_fields[] = { { 1 << OUTPUT_FIELD_P, OUTPUT_NEEDS_PROBABILITY },
                       { 1 << OUTPUT_FIELD_LEMMA | GRAPH, OUTPUT_NEEDS_LEMMAS },
                       { 1 << OUTPUT_FIELD_UPOS | 1 << OUTPUT_FIELD_FEATS | GRAPH, OUTPUT_NEEDS_UPOS },
                       { 1 << OUTPUT_FIELD_HEAD | 1 << OUTPUT_FIELD_TYPE | GRAPH, OUTPUT_NEEDS_ARCS },
                       { GRAPH, OUTPUT_NEEDS_GRAPH } };
    int needs = style->format->needs;
    for (size_t k = 0; k < sizeof for_fields / sizeof *for_fields && style->fields; k++)
        if (!(style->fields & (unsigned)for_fields[k].fields)) needs &= ~for_fields[k].needs;
    return needs;
}

/* ---- sentences */

/* Adds what the format needs. */
static bool add_analysis(Sentence *sent, const Model *m, const OutputStyle *style, Arena *arena)
{
    int needs = output_needs(style);
    const UdRules *rules = model_ud(m);
    bool upos = rules && (needs & OUTPUT_NEEDS_UPOS), arcs = style->ud && (needs & OUTPUT_NEEDS_ARCS);
    UdSentence ud;
    if ((needs & OUTPUT_NEEDS_LEMMAS) && !model_add_lemmas(m, sent, arena)) return false;
    if (!upos && !arcs) return true;
    if (!rules->convert(sent, upos, arena, &ud)) return false;
    for (int w = 0; sent->lemmas && ud.relations && w < sent->n_words; w++) /* the first piece has the lemma */
        if (strcmp(ud.relations[w], "goeswith") == 0) sent->lemmas[w] = NULL;
    if (upos) {
        sent->upos = ud.upos;
        sent->feats = ud.features;
    }
    if (arcs) {
        sent->heads = ud.heads;
        sent->types = ud.relations;
    }
    bool graph = arcs && (needs & OUTPUT_NEEDS_GRAPH) && sent->heads && sent->n_words;
    return !graph || (sent->graph = rules->enhance(sent, arena)) != NULL;
}

const char *output_scheme(const Written *written)
{
    if (!written->m) return written->style->scheme;
    const UdRules *rules = model_ud(written->m);
    return written->style->ud || model_is_ud(written->m) ? UD_SCHEME : rules ? rules->from : NULL;
}

/* Tags of a model that learnt none are universal parts of speech. */
static bool fill_tags(Sentence *sent, Arena *arena)
{
    const char **tags = sent->tags && sent->upos ? arena_alloc(arena, (size_t)sent->n_words, sizeof *tags) : NULL;
    if (!tags) return !sent->tags || !sent->upos;
    for (int w = 0; w < sent->n_words; w++)
        tags[w] = sent->tags[w] && strcmp(sent->tags[w], "_") == 0 ? sent->upos[w] : sent->tags[w];
    sent->tags = tags;
    return true;
}

Sentence *output_analysed(const Model *model, const Parsed *parsed, const Origin *origin, const OutputStyle *style,
                          Arena *arena)
{
    Sentence *sent = model ? parsed_sentence(parsed, arena) : arena_alloc(arena, 1, sizeof *sent);
    if (!sent) return NULL;
    if (!model) *sent = *(const Sentence *)parsed->extra;
    sent->spelled = origin->spelled;
    bool good = !model || add_analysis(sent, model, style, arena);
    return good && (style->format->needs & OUTPUT_HAS_UPOS || fill_tags(sent, arena)) ? sent : NULL;
}

static bool make_written(const Model *m, const Parsed *p, const Origin *o, const OutputStyle *style, Arena *arena,
                         Written *x)
{
    *x = (Written){ .m = m, .p = p, .o = o, .style = style, .why = style->why ? p->extra : NULL };
    x->s = output_analysed(m, p, o, style, arena);
    return x->s != NULL;
}

/* Is the last text, from begin[last] to the end of the output, one of those before, begin[k] .. begin[k + 1] - 1? */
static bool is_repeated(const StrBuf *out, const size_t *begin, int last)
{
    size_t len = out->len - begin[last];
    for (int k = 0; k < last && !out->failed; k++)
        if (begin[k + 1] - begin[k] == len && memcmp(out->ptr + begin[k], out->ptr + begin[last], len) == 0)
            return true;
    return false;
}

static bool same_heads(const Parsed *a, const Parsed *b)
{
    return !a->heads || !b->heads || memcmp(a->heads, b->heads, (size_t)a->n_words * sizeof *a->heads) == 0;
}

/* The best parses of p one after the other, or all with x, p's own. */
static bool put_best(StrBuf *out, const Written *x, Arena *arena)
{
    const Parsed *p = x->p;
    const OutputFormat *format = x->style->format;
    bool within = format->needs & OUTPUT_BEST_WITHIN;
    Written *best = arena_alloc(arena, (size_t)p->n_best, sizeof *best);
    size_t *begin = arena_alloc(arena, (size_t)p->n_best, sizeof *begin);
    if (!best || !begin) return false;
    for (int k = 0, n = 0; k < p->n_best; k++) {
        if (!make_written(x->m, &p->best[k], x->o, x->style, arena, &best[k])) return false;
        best[k].rank = k + 1;
        best[k].ranks = p->n_best;
        for (int i = k - 1; i >= 0; i--)
            if (same_heads(&p->best[i], &p->best[k]) && tree_same_but_unary(best[i].s, best[k].s))
                best[k].unary_of = i + 1;
        if (k == 0) best[k].why = x->why;
        if (within) continue;
        begin[n] = out->len;
        format->sentence(out, &best[k]);
        if (is_repeated(out, begin, n)) strbuf_cut(out, begin[n]);
        else n++;
    }
    if (format->needs & OUTPUT_LINE_AFTER_BEST) strbuf_putc(out, '\n');
    Written all = *x;
    all.ranks = p->n_best;
    all.best = best;
    if (within) format->sentence(out, &all);
    return true;
}

void output_sentence(StrBuf *out, const Model *model, const Parsed *parsed, const Origin *origin, OutputStyle style)
{
    Arena arena;
    Written x;
    arena_init(&arena, 1 << 12);
    if (!make_written(model, parsed, origin, &style, &arena, &x)) out->failed = true;
    else if (x.s->n_words == 0 && (style.format->needs & OUTPUT_EMPTY_LINES)) strbuf_putc(out, '\n');
    else if (parsed->n_best && (style.format->needs & OUTPUT_TAKES_BEST)) out->failed |= !put_best(out, &x, &arena);
    else style.format->sentence(out, &x);
    arena_fini(&arena);
}

/* Is its form what the text has in its place? */
static bool is_text(const Token *t) { return !t->cut && !t->words; }

/* Tokens with one blank between them in the text are copied at once. */
static void put_line(StrBuf *out, const Document *d, const Token *tokens, int n)
{
    const char *text = d->block.text.ptr;
    size_t origin = d->block.byte;
    for (int w = 0, last; w < n; w = last + 1) {
        for (last = w; last + 1 < n && is_text(&tokens[last]) && is_text(&tokens[last + 1]); last++)
            if (tokens[last + 1].begin != tokens[last].end + 1 || text[tokens[last].end - origin] != ' ') break;
        if (last > w) strbuf_add(out, text + (tokens[w].begin - origin), tokens[last].end - tokens[w].begin);
        else strbuf_add(out, tokens[w].form, tokens[w].len);
        if (last + 1 < n) strbuf_putc(out, ' ');
    }
    strbuf_putc(out, '\n');
}

void output_split(StrBuf *out, const Document *document, int k, long id, const char *name, bool json)
{
    const TextSentence *s = &document->seg.sentences[k];
    const Token *tokens = document_tokens(document, k);
    Origin o = { .id = id,
                 .line = s->line,
                 .new_paragraph = s->new_paragraph,
                 .tokens = tokens,
                 .block = document->block,
                 .document = name };
    if (json) output_tokens(out, &o, s->n);
    else put_line(out, document, tokens, s->n);
}
