/* Parsed sentences as CoNLL-U and CoNLL-X */
#include <math.h>
#include <string.h>

#include "parser/output/output_internal.h"
#include "parser/parse/parse_network.h"
#include "treebank/conll.h"

/* "57/NP:+1.888,64:+1.703": heads from 1, the category of those that have one, and their contributions. */
static void put_heads(StrBuf *out, const Model *m, const WhyNote *x)
{
    for (int k = 0; k < x->n; k++) {
        if (k) strbuf_putc(out, ',');
        strbuf_long(out, x->head[k] + 1);
        const char *category = parse_head_category(m, x->head[k]);
        if (category) strbuf_printf(out, "/%s", category);
        strbuf_puts(out, signbit(x->part[k]) ? ":" : ":+");
        strbuf_fixed(out, x->part[k], 3);
    }
}

/* White space as UDPipe writes it: "\\s\\s\\n"; what it has no letter for as "\\u00A0". */
static void put_spaces(StrBuf *out, StrView spaces)
{
    static const char known[] = " \t\n\r", letters[] = "stnr";
    for (size_t at = 0; at < spaces.len;) {
        int32_t c = utf8_next(spaces.ptr, spaces.len, &at);
        const char *letter = c < 128 ? strchr(known, c) : NULL;
        if (letter) strbuf_printf(out, "\\%c", letters[letter - known]);
        else strbuf_printf(out, "\\u%04X", (unsigned)c);
    }
}

/* The white space after word w; of no length where the input is no text. */
static StrView spaces_after(const Written *x, int w)
{
    const Origin *o = x->o;
    if (!o->after.ptr || w + 1 == x->s->n_words) return o->after;
    if (o->tokens[w + 1].part) return (StrView){ 0 }; /* of one token */
    size_t at = o->tokens[w].end - o->block.byte, end = o->tokens[w + 1].begin - o->block.byte;
    return document_spaces((StrView){ o->block.text.ptr + at, end - at });
}

/* The last column of words from .. to, which are one token of the text; note: on the arc of its only word, or NULL. */
static const char *misc_of(StrBuf *scratch, const Written *x, int from, int to, bool glued, const WhyNote *note,
                           Arena *arena)
{
    const Token *t = x->o->tokens;
    StrView spaces = spaces_after(x, to);
    strbuf_clear(scratch);
    if (glued) strbuf_puts(scratch, "SpaceAfter=No|");
    else if (spaces.len && !text_equal(spaces, " ")) {
        strbuf_puts(scratch, "SpacesAfter=");
        put_spaces(scratch, spaces);
        strbuf_putc(scratch, '|');
    }
    if (x->style->ranges && t) strbuf_printf(scratch, "TokenRange=%zu:%zu|", t[from].begin_char, t[to].end_char);
    if (note && note->n) {
        strbuf_puts(scratch, "Why=");
        put_heads(scratch, x->m, note);
        strbuf_putc(scratch, '|');
    }
    if (!scratch->len && !scratch->failed) return "_";
    return scratch->failed ? NULL : arena_strndup(arena, scratch->ptr, scratch->len - 1);
}

/* Comments are lines of UTF-8: control characters and other bytes become "<U+000A>" and "\\xff". */
static void put_name(StrBuf *out, const char *name)
{
    for (size_t len = strlen(name), at = 0; at < len;) {
        VisibleChar v = utf8_visible(name + at, len - at);
        strbuf_add(out, v.text, (size_t)v.len);
        at += v.taken;
    }
}

static bool begins(const char *line, const char *with) { return strncmp(line, with, strlen(with)) == 0; }

static void put_scores(StrBuf *out, const Written *x)
{
    if (x->rank) strbuf_printf(out, "# kbest = %d\n# score = %.3f\n", x->rank, x->p->score);
    if (x->unary_of) strbuf_printf(out, "# unary_of = %d\n", x->unary_of);
    const Confidence *c = output_confidence(x);
    if (c && c->p_tree >= 0) strbuf_printf(out, "# p_tree = %.4g\n", c->p_tree);
    if (c && c->expected_f1 >= 0) strbuf_printf(out, "# expected_f1 = %.4f\n", c->expected_f1);
    if (c && c->calibrated_f1 >= 0) strbuf_printf(out, "# calibrated_f1 = %.4f\n", c->calibrated_f1);
    if (c && c->expected_las >= 0) strbuf_printf(out, "# expected_las = %.4f\n", c->expected_las);
}

/* Is the comment one of an earlier parse, which this one writes, too? */
static bool is_replaced(const Written *x, const char *line)
{
    static const char *const sure[] = { "# p_tree =", "# expected_f1 =", "# calibrated_f1 =", "# expected_las =" };
    bool replaced = begins(line, "# deps =");
    if (x->rank) replaced |= begins(line, "# kbest =") || begins(line, "# score =") || begins(line, "# unary_of =");
    for (int k = 0; k < 4 && output_confidence(x); k++) replaced |= begins(line, sure[k]);
    return replaced;
}

/* The comments of the file. *id, *text: a sentence has these of its own. */
static void put_own_comments(StrBuf *out, const Written *x, bool *id, bool *text)
{
    const Sentence *rows = x->o->rows;
    for (int k = 0; rows && k < rows->n_lines; k++) {
        const char *line = rows->lines[k].text;
        bool named = begins(line, "# sent_id");
        if (*line != '#' || is_replaced(x, line)) continue;
        if (x->rank > 1 && (begins(line, "# newdoc") || begins(line, "# newpar"))) continue;
        *id |= named;
        *text |= begins(line, "# text =");
        strbuf_puts(out, line);
        if (named && x->rank) strbuf_printf(out, ".%d", x->rank);
        strbuf_putc(out, '\n');
    }
}

static bool has_comment(const Sentence *rows, const char *beginning)
{
    for (int k = 0; rows && k < rows->n_lines; k++)
        if (begins(rows->lines[k].text, beginning)) return true;
    return false;
}

static void put_comments(StrBuf *out, const Written *x)
{
    const Sentence *sent = x->s;
    const Origin *o = x->o;
    const char *scheme = output_scheme(x);
    bool id = false, text = false;
    if (o->new_document && x->rank < 2) {
        if (scheme && sent->heads) strbuf_printf(out, "# deps = %s\n", scheme);
        if (!has_comment(o->rows, "# newdoc")) {
            strbuf_puts(out, o->file ? "# newdoc id = " : "# newdoc");
            if (o->file) put_name(out, o->file);
            strbuf_putc(out, '\n');
        }
    }
    if (o->new_paragraph && x->rank < 2) strbuf_puts(out, "# newpar\n");
    put_own_comments(out, x, &id, &text);
    if (!id && x->rank) strbuf_printf(out, "# sent_id = %ld.%d\n", o->id, x->rank);
    else if (!id) strbuf_printf(out, "# sent_id = %ld\n", o->id);
    put_scores(out, x);
    if (text) return;
    strbuf_puts(out, "# text = ");
    output_text(out, o, sent);
    strbuf_putc(out, '\n');
}

/* Is no white space between word w and the next one, which is in the next sentence after the last word? */
static bool is_glued(const Written *x, int w)
{
    const Token *t = x->o->tokens;
    if (w + 1 == x->s->n_words) return x->o->touches_next;
    return t && t[w + 1].glued;
}

/* Puts what is not in a Sentence yet into one, and into the other columns. false when out of memory. */
static bool fill(const Written *x, Arena *arena, Sentence *sent, ConllMisc *c)
{
    size_t n = (size_t)sent->n_words;
    bool *glued = arena_calloc(arena, n, sizeof *glued);
    const char **misc = arena_calloc(arena, n, sizeof *misc), **range_misc = arena_calloc(arena, n, sizeof *range_misc);
    const WhyNote **note = output_arc_notes(x);
    StrBuf scratch = { 0 };
    bool good = glued && misc && range_misc && note;
    for (int w = 0; good && w < sent->n_words; w++) {
        glued[w] = is_glued(x, w);
        good = (misc[w] = misc_of(&scratch, x, w, w, glued[w], note[w], arena)) != NULL;
    }
    if (good && x->style->ud) good = model_ud(x->m)->sentence(sent, glued, arena);
    else if (good && x->m) good = model_add_lemmas(x->m, sent, arena);
    if (good && x->m && x->o->tokens && !sent->ranges)
        good = (sent->ranges =
                    segmented_text_ranges(x->o->tokens, sent->n_words, x->o->block, arena, &sent->n_ranges)) != NULL;
    for (int r = 0; good && r < sent->n_ranges; r++) {
        int begin = sent->ranges[r].begin, last = sent->ranges[r].end - 1;
        for (int w = begin; w <= last; w++) misc[w] = "_";
        good = (range_misc[r] = misc_of(&scratch, x, begin, last, glued[last], NULL, arena)) != NULL;
    }
    *c = (ConllMisc){ .words = misc, .ranges = range_misc };
    mem_free(note);
    strbuf_fini(&scratch);
    return good;
}

/* Can a word have features? */
static bool knows_features(const Model *m)
{
    bool knows = m->analysis.n == 0; /* then rules make them, or none */
    for (int k = 0; k < m->analysis.n_bundles && !knows; k++) knows = strcmp(m->analysis.bundle[k].feats, "_") != 0;
    return knows;
}

static void put_conllu(StrBuf *out, const Written *x)
{
    Arena arena;
    Sentence sent = *x->s;
    ConllMisc misc;
    arena_init(&arena, 1 << 12);
    put_comments(out, x);
    if (!fill(x, &arena, &sent, &misc)) out->failed = true;
    else if (x->o->rows) {
        if (x->style->keep_tags) sent.lemmas = sent.upos = sent.tags = sent.corrected = NULL;
        if (x->style->keep_arcs) sent.heads = NULL, sent.graph = NULL;
        if (x->style->keep_tags || !knows_features(x->m)) sent.feats = NULL;
        conll_write_over(out, &sent, x->o->rows, !x->p->tags && x->p->given_tags, &misc);
    } else conll_write(out, &sent, CONLL_U, &misc);
    arena_fini(&arena);
}

static void put_conllx(StrBuf *out, const Written *x) { conll_write(out, x->s, (ConllStyle)x->style->escapes, NULL); }

const OutputFormat OUTPUT_CONLLU = { OUTPUT_TAKES_DEPS | OUTPUT_TAKES_WHY | OUTPUT_TAKES_BEST |
                                         OUTPUT_TAKES_CONFIDENCE | OUTPUT_EMPTY_LINES | OUTPUT_HAS_UPOS,
                                     put_conllu };
const OutputFormat OUTPUT_CONLLX = { OUTPUT_NEEDS_ARCS | OUTPUT_TAKES_DEPS | OUTPUT_TAKES_BEST | OUTPUT_EMPTY_LINES,
                                     put_conllx };
