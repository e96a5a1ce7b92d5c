/* Label heads are named by the category they contribute to most, others by position or
 * relation, else by the pattern they follow most; then how names are written. */
#include "explain/head_names.h"

#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "parser/parse/parse_network.h"

#define DOT " \302\267 "

/* Labels of the Penn Treebank, types of Stanford and of Universal Dependencies. */
static const struct {
    const char *category, *words;
} CATEGORIES[] = {
    { "NP", "noun phrases" },
    { "NP::NP", "nested noun phrases" },
    { "VP", "verb phrases" },
    { "PP", "prepositional phrases" },
    { "S", "clauses" },
    { "SBAR", "subordinate clauses" },
    { "SBAR::S", "clauses without conjunction" },
    { "SBAR::S::VP", "clauses without conjunction" },
    { "S::VP", "clauses without subject" },
    { "S::NP", "verbless clauses" },
    { "S::ADJP", "verbless clauses" },
    { "SQ", "questions" },
    { "SQ::VP", "questions" },
    { "SBARQ", "wh-questions" },
    { "SINV", "inverted clauses" },
    { "ADJP", "adjectives" },
    { "ADVP", "adverbs" },
    { "PRT", "particles" },
    { "PRN", "parentheses" },
    { "QP", "quantities" },
    { "NML", "noun modifiers" },
    { "NAC", "noun modifiers" },
    { "NX", "noun parts" },
    { "WHNP", "wh-phrases" },
    { "WHADVP", "wh-adverbs" },
    { "WHPP", "wh-prepositions" },
    { "WHADJP", "wh-adjectives" },
    { "INTJ", "interjections" },
    { "FRAG", "fragments" },
    { "UCP", "mixed coordinations" },
    { "CONJP", "conjunctions" },
    { "RRC", "relative clauses" },
    { "LST", "list markers" },
    { "nsubj", "subjects" },
    { "nsubjpass", "passive subjects" },
    { "nsubj:pass", "passive subjects" },
    { "csubj", "clausal subjects" },
    { "dobj", "objects" },
    { "obj", "objects" },
    { "iobj", "indirect objects" },
    { "pobj", "prepositional objects" },
    { "obl", "oblique nouns" },
    { "nmod", "noun modifiers" },
    { "det", "determiners" },
    { "amod", "adjective modifiers" },
    { "advmod", "adverb modifiers" },
    { "aux", "auxiliaries" },
    { "auxpass", "passive auxiliaries" },
    { "aux:pass", "passive auxiliaries" },
    { "cop", "copulas" },
    { "cc", "coordinators" },
    { "conj", "conjuncts" },
    { "punct", "punctuation" },
    { "prep", "prepositions" },
    { "case", "case markers" },
    { "poss", "possessors" },
    { "nmod:poss", "possessors" },
    { "possessive", "possessive 's" },
    { "nn", "compound nouns" },
    { "compound", "compound nouns" },
    { "num", "numbers" },
    { "nummod", "numbers" },
    { "number", "parts of numbers" },
    { "quantmod", "quantity modifiers" },
    { "prt", "particles" },
    { "compound:prt", "particles" },
    { "mark", "subordinators" },
    { "advcl", "adverbial clauses" },
    { "ccomp", "complement clauses" },
    { "xcomp", "open complements" },
    { "pcomp", "complements of prepositions" },
    { "acomp", "adjective complements" },
    { "rcmod", "relative clauses" },
    { "acl:relcl", "relative clauses" },
    { "acl", "noun clauses" },
    { "partmod", "participles" },
    { "infmod", "infinitives" },
    { "vmod", "participles" },
    { "appos", "appositions" },
    { "parataxis", "parataxis" },
    { "expl", "expletives" },
    { "neg", "negations" },
    { "tmod", "times" },
    { "npadvmod", "noun adverbials" },
    { "discourse", "interjections" },
    { "root", "roots" },
    { "mwe", "fixed expressions" },
    { "fixed", "fixed expressions" },
};

Status head_names_init(HeadNames *names, int n, long words, Error *error)
{
    *names = (HeadNames){ .n = n, .what = mem_calloc((size_t)n, sizeof *names->what), .words = words };
    return names->what ? OK : error_set(error, ERR_NOMEM, "out of memory naming heads");
}

void head_names_fini(HeadNames *names)
{
    mem_free(names->what);
    *names = (HeadNames){ 0 };
}

/* Appends words, cut between characters if they are long. */
static void add_words(char what[HEAD_WHAT], const char *before, const char *words)
{
    size_t used = strlen(what), first = strlen(before), len = strlen(words), most = HEAD_WHAT / 2 - 3;
    if (len > most)
        for (len = most; len && ((unsigned char)words[len] & 0xC0) == 0x80; len--) continue;
    memcpy(what + used, before, first);
    memcpy(what + used + first, words, len);
    what[used + first + len] = '\0';
}

void head_names_linked(HeadNames *names, const Model *model, int first, const int *row)
{
    const char *category;
    for (int h = 0; (category = parse_head_category(model, h)); h++) {
        int at = first + (row ? row[h] : h);
        if ((row && row[h] < 0) || at >= names->n) continue;
        add_words(names->what[at], "", category);
        names->linked = true;
    }
}

static bool are_kept(HeadNames *x, const Model *m)
{
    if (m->named.n && m->named.words > x->words) x->kept = m->named.words;
    return x->kept > 0;
}

void head_names_of_model(HeadNames *names, const Model *model)
{
    if (!are_kept(names, model)) return;
    for (int h = 0; h < names->n && h < model->named.n; h++) memcpy(names->what[h], model->named.what[h], HEAD_WHAT);
}

void head_names_of_labels(HeadNames *names, const Model *model)
{
    const Encoder *enc = &model->net.encoder;
    int first = model->named.n - encoder_heads(enc, layer_label(enc->c.n_layers));
    if (first < 0 || !are_kept(names, model)) return;
    for (int h = 0; h < names->n; h++) {
        int row = enc->label_row ? enc->label_row[h] : h;
        if (row >= 0 && first + row < model->named.n) memcpy(names->what[h], model->named.what[first + row], HEAD_WHAT);
    }
}

bool head_names_given(const HeadNames *names) { return names->kept || names->words >= HEAD_NAMES_WORDS; }

void head_names_note(StrBuf *out, const HeadNames *names)
{
    if (names->kept)
        strbuf_printf(out, "Names of heads are those that the model has, from a text of %ld words.", names->kept);
    else if (!head_names_given(names))
        strbuf_printf(
            out,
            "%s: these sentences have %ld words, and names from fewer than %d,%03d words change from one text "
            "to the next.",
            names->linked ? "Heads have no names but those of the categories that they are linked to"
                          : "Heads have numbers only, no names",
            names->words, HEAD_NAMES_WORDS / 1000, HEAD_NAMES_WORDS % 1000);
}

/* The name of a category in plain words: "PRT" is "particles", "S::VP" "clauses without subject"; the category itself
 * if it has none. */
static const char *category_words(const char *category)
{
    for (size_t k = 0; k < sizeof CATEGORIES / sizeof *CATEGORIES; k++)
        if (strcmp(CATEGORIES[k].category, category) == 0) return CATEGORIES[k].words;
    return category;
}

/* ---- label heads */

static double mean_share(const HeadSummary *s, int k, int h)
{
    const HeadSums *all = &s->c[k].by[SUM_ALL];
    return all->part[h] > 0 ? head_summary_ratio(all->share[h], (double)all->n) : 0;
}

/* The category of the largest share, other than the one that is called `except` (NULL: any), or -1. */
static int best_category(const HeadSummary *s, int h, const char *except)
{
    enum { LEAST = 3, MOST = 20, PART = 500 };
    long least = s->explained / PART;
    if (least < LEAST) least = LEAST;
    if (least > MOST) least = MOST;
    int best = -1;
    for (int k = 0; k < s->names.n; k++) {
        if (s->c[k].by[SUM_ALL].n < least || strcmp(s->c[k].name, "arc") == 0) continue;
        if (except && strcmp(category_words(s->c[k].name), except) == 0) continue;
        if (best < 0 || mean_share(s, k, h) > mean_share(s, best, h)) best = k;
    }
    return best;
}

void head_names_of_sums(HeadNames *names, int first, const int *row, const HeadSummary *summary)
{
    if (names->kept || !head_names_given(names)) return;
    for (int h = 0; h < summary->heads; h++) {
        int at = first + (row ? row[h] : h);
        if (!head_summary_has(summary, h) || at >= names->n) continue;
        char *what = names->what[at];
        const char *link = what[0] ? category_words(what) : NULL;
        int a = best_category(summary, h, NULL);
        if (a < 0) continue;
        if (mean_share(summary, a, h) * head_summary_left(summary) < 1) {
            if (!link) snprintf(what, HEAD_WHAT, "small contributions");
            continue;
        }
        const char *words = category_words(summary->c[a].name);
        if (!link || strcmp(words, link) != 0) add_words(what, link ? ", " : "", words);
        if (link && strcmp(words, link) != 0) continue;
        int b = best_category(summary, h, words);
        if (b >= 0 && 2 * mean_share(summary, b, h) >= mean_share(summary, a, h))
            add_words(what, ", ", category_words(summary->c[b].name));
    }
}

/* ---- self-attention heads */

/* The position or relation that head h attends to; false: none. */
static bool name_function(const HeadReport *r, int h, char what[HEAD_WHAT])
{
    const HeadFunctions *f = &r->functions[0];
    for (int d = 0; d < 2; d++) { /* previous, next */
        if (f->positional_queries[d] < FUNCTION_QUERIES || 2 * f->positional[d][h] < f->positional_queries[d]) continue;
        snprintf(what, HEAD_WHAT, "%s word", d ? "next" : "previous");
        return true;
    }
    double best = 0;
    for (int k = 0; k < HEAD_RELATIONS; k++)
        for (int d = 0; d < 2; d++) {
            double n = (double)f->relation_queries[k][d],
                   above = head_summary_ratio((double)f->relation[k][d][h], n) - head_baseline(f, k, d);
            if (f->relation_queries[k][d] < FUNCTION_QUERIES || !(above >= FUNCTION_ABOVE_BASELINE) || above <= best)
                continue;
            best = above;
            snprintf(what, HEAD_WHAT, d ? "heads to their %s" : "%s to their heads",
                     category_words(HEAD_RELATION_NAMES[k]));
        }
    return best > 0;
}

void head_names_of_report(HeadNames *names, const HeadReport *report)
{
    if (names->kept || !head_names_given(names)) return;
    double *gr = mem_alloc((size_t)report->n_heads, sizeof *gr),
           *best = mem_calloc((size_t)report->n_heads, sizeof *best);
    int *pattern = mem_calloc((size_t)report->n_heads, sizeof *pattern);
    ThreeSigma t;
    for (int k = 0; gr && best && pattern && k < PATTERN_GROUPS * report->n_patterns; k++) {
        const PatternGroup group = head_report_group(report, k % PATTERN_GROUPS);
        for (int h = group.from; head_report_pattern(report, k / PATTERN_GROUPS, group, gr, &t) && h < group.to; h++) {
            double z = head_summary_ratio(gr[h] - t.mean, t.deviation);
            if (z < 1 || z <= best[h]) continue;
            best[h] = z;
            pattern[h] = k / PATTERN_GROUPS;
        }
    }
    for (int h = 0; gr && best && pattern && h < report->functions[0].heads && h < names->n; h++) {
        char *what = names->what[h];
        if (what[0] || name_function(report, h, what)) continue;
        snprintf(what, HEAD_WHAT, "%s",
                 best[h] > 0 ? pattern_about(report->pattern[pattern[h]].kind) : "mixed attention");
    }
    mem_free(gr);
    mem_free(best);
    mem_free(pattern);
}

/* ---- writing */

void head_names_put(StrBuf *out, const HeadNames *names, int head, const char *number)
{
    strbuf_puts(out, number);
    if (!names || head >= names->n || !names->what[head][0]) return;
    strbuf_puts(out, DOT);
    strbuf_puts(out, names->what[head]);
}

void head_names_json(StrBuf *out, const HeadNames *names)
{
    StrBuf note = { 0 };
    head_names_note(&note, names);
    json_take(out, "names_note", &note);
    json_array(out, "names");
    for (int h = 0; h < names->n; h++) json_string(out, NULL, names->what[h]);
    json_array_end(out);
}

void head_names_put_named(StrBuf *out, const HeadNames *names, const HeadReport *report, int head)
{
    char number[HEAD_NAME];
    head_report_name(report, head, number);
    head_names_put(out, names, head, number);
}

void head_names_column(StrBuf *out, const HeadNames *names, int head)
{
    char number[16];
    size_t widest = 0, own = names && head < names->n ? strlen(names->what[head]) : 0;
    for (int k = 0; names && k < names->n; k++) {
        size_t width = strlen(names->what[k]);
        if (width > widest) widest = width;
    }
    snprintf(number, sizeof number, "%3d", head + 1);
    head_names_put(out, names, head, number);
    size_t pad = widest ? widest - own + (own ? 0 : 3) : 0;
    while (pad-- > 0) strbuf_putc(out, ' ');
}
