/* Tables of counts with a key each, in bins or by how often they occur; missed brackets are paired
 * with wrong ones over the same words. */
#include "eval/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "eval/brackets.h"
#include "eval/score.h"

typedef enum Section {
    BY_LABEL,
    BY_SPAN_LENGTH,
    BY_SENTENCE_LENGTH,
    LABEL_CONFUSION,
    ARCS_BY_TYPE,
    ARCS_BY_DISTANCE,
    ARCS_BY_SENTENCE_LENGTH,
    ARCS_BY_CROSSING,
    TYPE_CONFUSION,
    BY_TAG,
    TAG_CONFUSION
} Section;

typedef struct Bin {
    int last;
    const char *name;
} Bin;

static const Bin SPAN_BINS[] = { { 1, "1" },   { 2, "2" },      { 3, "3" },      { 4, "4" },  { 6, "5-6" },
                                 { 9, "7-9" }, { 14, "10-14" }, { 24, "15-24" }, { 0, "25-" } };
static const Bin SENTENCE_BINS[] = { { 5, "1-5" },    { 10, "6-10" },  { 20, "11-20" },   { 30, "21-30" },
                                     { 40, "31-40" }, { 60, "41-60" }, { 100, "61-100" }, { 0, "101-" } };
static const Bin DISTANCE_BINS[] = { { -10, "-10 and less" },
                                     { -7, "-9..-7" },
                                     { -4, "-6..-4" },
                                     { -3, "-3" },
                                     { -2, "-2" },
                                     { -1, "-1" },
                                     { 1, "1" },
                                     { 2, "2" },
                                     { 3, "3" },
                                     { 6, "4..6" },
                                     { 9, "7..9" },
                                     { 0, "10 and more" } };

static const struct {
    const char *name, *about;
    const Bin *bins; /* rows in this order; NULL: by descending count */
    bool confusion;
} SECTIONS[REPORT_SECTIONS] = {
    { "label", "brackets by label", NULL, false },
    { "span_length", "brackets by words in the span", SPAN_BINS, false },
    { "sentence_length", "brackets by words in the sentence", SENTENCE_BINS, false },
    { "label_confusion", "gold label -> predicted label over the same words", NULL, true },
    { "type", "arcs with label, by dependency type", NULL, false },
    { "distance", "arcs by distance to the head, negative if it is on the left", DISTANCE_BINS, false },
    { "arc_sentence_length", "arcs by words in the sentence", SENTENCE_BINS, false },
    { "crossing", "arcs with label, of sentences whose gold arcs cross or do not", NULL, false },
    { "type_confusion", "gold type -> predicted type, with the correct head", NULL, true },
    { "tag", "tags", NULL, false },
    { "tag_confusion", "gold tag -> predicted tag", NULL, true },
};

enum { TEXT_CONFUSIONS = 20 };

void report_init(Report *report)
{
    *report = (Report){ 0 };
    for (int k = 0; k < REPORT_SECTIONS; k++) map_init(&report->s[k].keys);
}

void report_fini(Report *report)
{
    for (int k = 0; k < REPORT_SECTIONS; k++) {
        map_fini(&report->s[k].keys);
        mem_free(report->s[k].rows);
    }
}

static bool add(Report *r, Section section, const char *key, int gold, int pred, int matched)
{
    ReportSection *s = &r->s[section];
    int before = s->keys.n, k = map_add(&s->keys, key, strlen(key));
    if (k < 0 || !mem_reserve(s->rows, &s->cap, s->keys.n)) return false;
    if (k == before) s->rows[k] = (ReportRow){ 0 };
    s->rows[k].gold += gold;
    s->rows[k].pred += pred;
    s->rows[k].matched += matched;
    return true;
}

static bool confuse(Report *r, Section section, const char *gold, const char *pred)
{
    char key[200];
    snprintf(key, sizeof key, "%.*s -> %.*s", utf8_first(gold, 90), gold, utf8_first(pred, 90), pred);
    return add(r, section, key, 0, 0, 1);
}

static const char *bin_of(const Bin *bins, int x)
{
    while (bins->last && x > bins->last) bins++;
    return bins->name;
}

/* Is the span of x before the span of y, in the order of brackets.h? */
static bool before(const Phrase *x, const Phrase *y)
{
    return x->begin != y->begin ? x->begin < y->begin : x->end < y->end;
}

/* Counts each missed gold bracket as confused with the first unmatched predicted bracket of the same span. Both lists
 * are sorted by span. */
static bool confuse_brackets(Report *r, const BracketPair *b)
{
    bool ok = true;
    for (int i = 0, j = 0; i < b->n_gold && ok; i++) {
        const Phrase *g = &b->gold[i];
        while (j < b->n_pred && (before(&b->pred[j], g) || (b->pred_matched[j] && !before(g, &b->pred[j])))) j++;
        bool other = j < b->n_pred && !before(g, &b->pred[j]);
        if (!b->gold_matched[i]) ok = confuse(r, LABEL_CONFUSION, g->label, other ? b->pred[j].label : "(none)");
    }
    return ok;
}

static bool add_brackets(Report *r, const BracketPair *b, int words)
{
    const char *sentence = bin_of(SENTENCE_BINS, words);
    bool ok = add(r, BY_SENTENCE_LENGTH, sentence, b->n_gold, b->n_pred, b->matched);
    for (int i = 0; i < b->n_gold && ok; i++) {
        const Phrase *g = &b->gold[i];
        ok = add(r, BY_LABEL, g->label, 1, 0, b->gold_matched[i]) &&
             add(r, BY_SPAN_LENGTH, bin_of(SPAN_BINS, g->end - g->begin), 1, 0, b->gold_matched[i]);
    }
    ok = ok && confuse_brackets(r, b);
    for (int j = 0; j < b->n_pred && ok; j++)
        ok = add(r, BY_LABEL, b->pred[j].label, 0, 1, 0) &&
             add(r, BY_SPAN_LENGTH, bin_of(SPAN_BINS, b->pred[j].end - b->pred[j].begin), 0, 1, 0);
    return ok;
}

/* w is 0-based, heads 1-based. */
static const char *distance(int w, int head) { return head == 0 ? "root" : bin_of(DISTANCE_BINS, head - (w + 1)); }

static bool add_arcs(Report *r, const Sentence *gold, const Sentence *pred)
{
    bool projective, ok = tree_heads_projective(gold->heads, gold->n_words, &projective);
    for (int w = 0; w < gold->n_words && ok; w++) {
        int head = gold->heads[w] == pred->heads[w];
        const char *g = gold->types && gold->types[w] ? gold->types[w] : "_",
                   *p = pred->types && pred->types[w] ? pred->types[w] : "_";
        int both = head && strcmp(g, p) == 0;
        ok = add(r, ARCS_BY_TYPE, g, 1, 0, both) && add(r, ARCS_BY_TYPE, p, 0, 1, 0) &&
             add(r, ARCS_BY_DISTANCE, distance(w, gold->heads[w]), 1, 0, head) &&
             add(r, ARCS_BY_DISTANCE, distance(w, pred->heads[w]), 0, 1, 0) &&
             add(r, ARCS_BY_SENTENCE_LENGTH, bin_of(SENTENCE_BINS, gold->n_words), 1, 1, head) &&
             add(r, ARCS_BY_CROSSING, projective ? "projective" : "crossing", 1, 1, both);
        if (ok && head && !both) ok = confuse(r, TYPE_CONFUSION, g, p);
    }
    return ok;
}

static bool add_tags(Report *r, const Sentence *gold, const Sentence *pred)
{
    bool ok = true;
    for (int w = 0; w < gold->n_words && ok; w++) {
        const char *g = gold->tags[w], *p = pred->tags[w];
        if (!g || !p || strcmp(g, "_") == 0) continue;
        int right = strcmp(g, p) == 0;
        ok = add(r, BY_TAG, g, 1, 0, right) && add(r, BY_TAG, p, 0, 1, 0);
        if (ok && !right) ok = confuse(r, TAG_CONFUSION, g, p);
    }
    return ok;
}

Status report_add(Report *report, const Sentence *gold, const Sentence *pred, Error *error)
{
    bool ok = true;
    if (gold->has_tree && pred->has_tree) {
        BracketPair b;
        Status s = brackets_pair(&b, gold, pred, error);
        if (s == OK) ok = add_brackets(report, &b, gold->n_words);
        brackets_free(&b);
        if (s != OK) return s;
    }
    if (gold->heads && pred->heads) ok = ok && add_arcs(report, gold, pred);
    if (gold->tags && pred->tags) ok = ok && add_tags(report, gold, pred);
    return ok ? OK : error_set(error, ERR_NOMEM, "out of memory for the report");
}

const ReportSection *report_labels(const Report *report) { return &report->s[BY_LABEL]; }
const ReportSection *report_types(const Report *report) { return &report->s[ARCS_BY_TYPE]; }
double report_f1(const ReportRow *row) { return score_percent(2 * row->matched, row->gold + row->pred); }

/* ---- output */

typedef struct Ranked {
    const char *key;
    ReportRow row;
    int place; /* number of the bin */
} Ranked;

static int by_count(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    long m = x->row.gold ? x->row.gold : x->row.matched, n = y->row.gold ? y->row.gold : y->row.matched;
    if (m != n) return m < n ? 1 : -1;
    return strcmp(x->key, y->key);
}

static int by_place(const void *a, const void *b) { return ((const Ranked *)a)->place - ((const Ranked *)b)->place; }

/* The number of the bin with this name, or -1 ("root"). */
static int place_of(const Bin *bins, const char *key)
{
    for (int k = 0; bins; k++) {
        if (strcmp(bins[k].name, key) == 0) return k;
        if (!bins[k].last) break;
    }
    return -1;
}

static void put_row(const Ranked *x, const char *section, bool confusion, ReportFormat format, StrBuf *out)
{
    const ReportRow *r = &x->row;
    double precision = score_percent(r->matched, r->pred), recall = score_percent(r->matched, r->gold),
           f1 = report_f1(r);
    if (format == REPORT_TEXT) {
        if (confusion) strbuf_printf(out, "  %-24s %7ld\n", x->key, r->matched);
        else
            strbuf_printf(out, "  %-24s %7ld %9ld %8ld  %6.2f %6.2f %6.2f\n", x->key, r->gold, r->pred, r->matched,
                          precision, recall, f1);
    } else if (format == REPORT_TSV) {
        strbuf_printf(out, "%s\t%s\t", section, x->key);
        if (confusion) strbuf_printf(out, "\t\t%ld\t\t\t\n", r->matched);
        else
            strbuf_printf(out, "%ld\t%ld\t%ld\t%.2f\t%.2f\t%.2f\n", r->gold, r->pred, r->matched, precision, recall,
                          f1);
    } else if (confusion) json_long(out, x->key, r->matched);
    else
        json_record(out, x->key, "gold: %ld, predicted: %ld, matched: %ld, precision: %.2f, recall: %.2f, f1: %.2f",
                    r->gold, r->pred, r->matched, precision, recall, f1);
}

static void put_section(const ReportSection *s, int k, ReportFormat format, StrBuf *out)
{
    Ranked *x = mem_calloc((size_t)s->keys.n + 1, sizeof *x);
    if (!x) {
        out->failed = true;
        return;
    }
    for (int i = 0; i < s->keys.n; i++)
        x[i] = (Ranked){ s->keys.keys[i], s->rows[i], place_of(SECTIONS[k].bins, s->keys.keys[i]) };
    qsort(x, (size_t)s->keys.n, sizeof *x, SECTIONS[k].bins ? by_place : by_count);
    if (format == REPORT_JSON) json_object(out, SECTIONS[k].name);
    else if (format == REPORT_TEXT) {
        strbuf_printf(out, "\n%s\n", SECTIONS[k].about);
        if (!SECTIONS[k].confusion)
            strbuf_printf(out, "  %-24s %7s %9s %8s  %6s %6s %6s\n", "", "gold", "predicted", "matched", "prec", "rec",
                          "F1");
    }
    int most =
        format == REPORT_TEXT && SECTIONS[k].confusion && s->keys.n > TEXT_CONFUSIONS ? TEXT_CONFUSIONS : s->keys.n;
    for (int i = 0; i < most; i++) put_row(&x[i], SECTIONS[k].name, SECTIONS[k].confusion, format, out);
    if (most < s->keys.n) strbuf_printf(out, "  and %d more\n", s->keys.n - most);
    if (format == REPORT_JSON) json_object_end(out);
    mem_free(x);
}

void report_write(const Report *report, ReportFormat format, StrBuf *out)
{
    if (format == REPORT_TSV) strbuf_puts(out, "section\tkey\tgold\tpredicted\tmatched\tprecision\trecall\tf1\n");
    if (format == REPORT_JSON) json_object(out, NULL);
    for (int k = 0; k < REPORT_SECTIONS; k++)
        if (report->s[k].keys.n) put_section(&report->s[k], k, format, out);
    if (format == REPORT_JSON) json_object_end(out);
}
