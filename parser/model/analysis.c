/* Values are counted, sorted into columns and read back; a decision takes the best part of
 * speech, then the best bundle of features seen with it, then the lemma. */
#include "parser/model/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "parser/model/lemma_script.h"
#include "parser/model/seen_lemmas.h"

#define UPOS "upos"
#define LEMMA "lemma"

/* ---- values */

static const char *value_text(const Vocab *values, int k) { return strchr(vocab_text(values, k), '=') + 1; }

/* The length of the name in front of "=". */
static size_t name_len(const char *value) { return strcspn(value, "="); }

static bool same_name(const char *a, const char *b)
{
    size_t len = name_len(a);
    return name_len(b) == len && memcmp(a, b, len) == 0;
}

/* The next item of "Case=Nom|Number=Sing": moves *list past it; false at the end, and for "_". */
static bool next_feature(const char **list, StrView *out)
{
    if (!**list || strcmp(*list, "_") == 0) return false;
    size_t len = strcspn(*list, "|");
    *out = (StrView){ *list, len };
    *list += len + ((*list)[len] == '|');
    return true;
}

static bool is_feature(StrView x) { return x.len > 2 && *x.ptr != '=' && memchr(x.ptr, '=', x.len); }

bool analysis_count(Vocab *values, Vocab *bundles, Vocab *lemmas, const Sentence *sent)
{
    StrBuf text = { 0 };
    bool good = true;
    for (int w = 0; sent->upos && w < sent->n_words && good; w++) {
        const char *feats = sent->feats[w];
        strbuf_clear(&text);
        strbuf_printf(&text, UPOS "=%s", sent->upos[w]);
        good = !text.failed && vocab_count(values, text.ptr, text.len, 1) >= 0;
        for (StrView x; good && next_feature(&feats, &x);)
            good = !is_feature(x) || vocab_count(values, x.ptr, x.len, 1) >= 0;
        strbuf_clear(&text);
        strbuf_printf(&text, "%s %s", sent->upos[w], sent->feats[w]);
        good = good && !text.failed && vocab_count(bundles, text.ptr, text.len, 1) >= 0;
        if (strcmp(sent->lemmas[w], "_") == 0 && strcmp(sent->words[w], "_") != 0) continue;
        strbuf_clear(&text);
        strbuf_puts(&text, LEMMA "=");
        lemma_script(&text, sent->words[w], sent->lemmas[w]);
        good = good && !text.failed && vocab_count(values, text.ptr, text.len, 1) >= 0;
        good = good && seen_lemmas_count(lemmas, sent->words[w], sent->upos[w], sent->lemmas[w]);
    }
    strbuf_fini(&text);
    return good;
}

/* Parts of speech, features by name, scripts. */
static int rank(const char *value) { return same_name(value, UPOS "=") ? 0 : same_name(value, LEMMA "=") ? 2 : 1; }

typedef struct Counted {
    const char *value;
    int count;
} Counted;

static int by_name(const void *a, const void *b)
{
    const Counted *x = a, *y = b;
    int of_x = rank(x->value), of_y = rank(y->value);
    if (of_x != of_y) return of_x < of_y ? -1 : 1;
    size_t n = name_len(x->value), m = name_len(y->value);
    int order = memcmp(x->value, y->value, n < m ? n : m);
    if (order || n != m) return order ? order : n < m ? -1 : 1;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : strcmp(x->value, y->value);
}

bool analysis_sort(Vocab *values, Vocab *lemmas)
{
    int n = vocab_size(values);
    Counted *list = mem_alloc((size_t)n, sizeof *list);
    Vocab sorted;
    StrBuf empty = { 0 };
    bool good = list != NULL;
    vocab_init(&sorted);
    for (int k = 0; k < n && good; k++) list[k] = (Counted){ vocab_text(values, k), values->counts[k] };
    good = good && seen_lemmas_sort(lemmas);
    if (good) qsort(list, (size_t)n, sizeof *list, by_name);
    for (int k = 0; k < n && good; k++) {
        const char *value = list[k].value;
        if (rank(value) == 1 && (k == 0 || !same_name(value, list[k - 1].value))) {
            strbuf_clear(&empty);
            strbuf_add(&empty, value, name_len(value) + 1);
            good = !empty.failed && vocab_count(&sorted, empty.ptr, empty.len, 0) >= 0;
        }
        if (rank(value) < 2 || list[k].count > 1)
            good = good && vocab_count(&sorted, value, strlen(value), list[k].count) >= 0;
    }
    strbuf_fini(&empty);
    mem_free(list);
    if (good) vocab_fini(values), *values = sorted;
    else vocab_fini(&sorted);
    return good;
}

/* ---- columns */

static Status fail(Error *e, const char *what) { return error_set(e, ERR_FORMAT, "analyses of words: found %s", what); }

static Status read_columns(Analysis *x, Arena *a, Error *e)
{
    int n = vocab_size(x->values);
    x->column_of = arena_alloc(a, (size_t)n, sizeof *x->column_of);
    if (!x->column_of) return error_set(e, ERR_NOMEM, "out of memory for analyses of words");
    for (int k = 0; k < n; k++) {
        const char *value = vocab_text(x->values, k);
        if (!strchr(value, '=')) return fail(e, "a value without =");
        AnalysisColumn *last = x->n ? &x->column[x->n - 1] : NULL;
        if (!last || !same_name(value, last->name)) {
            if (x->n == ANALYSIS_COLUMNS) return fail(e, "more than 64 columns");
            bool feature = rank(value) == 1;
            if (feature && value[name_len(value) + 1]) return fail(e, "a feature that is not empty before the others");
            if (rank(value) == 0) x->upos = x->n;
            if (rank(value) == 2) x->lemma = x->n;
            last = &x->column[x->n++];
            *last = (AnalysisColumn){ value, name_len(value), k, 0 };
        }
        last->n++;
        x->column_of[k] = x->n - 1;
    }
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < i; k++)
            if (same_name(x->column[i].name, x->column[k].name)) return fail(e, "a column in two places");
    return OK;
}

static Status read_bundle(const Analysis *x, const char *text, StrBuf *scratch, Arena *a, AnalysisBundle *out, Error *e)
{
    const char *blank = strchr(text, ' ');
    if (!blank) return fail(e, "a bundle without a blank");
    int most = 1;
    for (const char *c = blank; *c; c++) most += *c == '|';
    *out = (AnalysisBundle){ .feats = blank + 1, .value = arena_alloc(a, (size_t)most, sizeof *out->value) };
    strbuf_clear(scratch);
    strbuf_printf(scratch, UPOS "=%.*s", (int)(blank - text), text);
    if (!out->value || scratch->failed) return error_set(e, ERR_NOMEM, "out of memory for analyses of words");
    out->upos = vocab_find(x->values, scratch->ptr);
    const char *feats = out->feats;
    for (StrView item; next_feature(&feats, &item);) {
        strbuf_clear(scratch);
        strbuf_add(scratch, item.ptr, item.len);
        if (scratch->failed) return error_set(e, ERR_NOMEM, "out of memory for analyses of words");
        int value = vocab_find(x->values, scratch->ptr);
        if (value >= 0 && x->column_of[value] != x->upos && x->column_of[value] != x->lemma)
            out->value[out->n++] = value;
    }
    return OK;
}

Status analysis_read(Analysis *analysis, const Vocab *values, const Vocab *bundles, const Vocab *lemmas, Arena *arena,
                     Error *error)
{
    StrBuf scratch = { 0 };
    *analysis = (Analysis){ .values = values, .lemmas = lemmas, .upos = -1, .lemma = -1 };
    if (!vocab_size(values)) return OK;
    Status s = seen_lemmas_check(lemmas, error);
    if (s == OK) s = read_columns(analysis, arena, error);
    analysis->bundle = arena_alloc(arena, (size_t)vocab_size(bundles), sizeof *analysis->bundle);
    if (s == OK && !analysis->bundle) s = error_set(error, ERR_NOMEM, "out of memory for analyses of words");
    for (int k = 0; k < vocab_size(bundles) && s == OK; k++)
        s = read_bundle(analysis, vocab_text(bundles, k), &scratch, arena, &analysis->bundle[analysis->n_bundles++],
                        error);
    strbuf_fini(&scratch);
    return s;
}

/* ---- gold */

/* Stores the value of a word, if it is known. */
static void put_gold(const Analysis *x, int *row, const char *value)
{
    int k = vocab_find(x->values, value);
    if (k >= 0) row[x->column_of[k]] = k - x->column[x->column_of[k]].first;
}

static void gold_word(const Analysis *x, const Sentence *sent, int w, StrBuf *text, int *row)
{
    const char *feats = sent->feats[w];
    for (int c = 0; c < x->n; c++) row[c] = c == x->upos || c == x->lemma ? -1 : 0;
    strbuf_clear(text);
    strbuf_printf(text, UPOS "=%s", sent->upos[w]);
    if (!text->failed) put_gold(x, row, text->ptr);
    for (StrView item; next_feature(&feats, &item);) {
        strbuf_clear(text);
        strbuf_add(text, item.ptr, item.len);
        if (!text->failed) put_gold(x, row, text->ptr);
    }
    strbuf_clear(text);
    strbuf_puts(text, LEMMA "=");
    lemma_script(text, sent->words[w], sent->lemmas[w]);
    if (!text->failed) put_gold(x, row, text->ptr);
}

bool analysis_gold(const Analysis *analysis, const Sentence *sent, Arena *arena, const int **out)
{
    StrBuf text = { 0 };
    *out = NULL;
    if (!analysis->n || !sent->upos) return true;
    int *gold = arena_alloc(arena, (size_t)sent->n_words * (size_t)analysis->n, sizeof *gold);
    for (int w = 0; gold && w < sent->n_words; w++)
        gold_word(analysis, sent, w, &text, gold + (ptrdiff_t)w * analysis->n);
    bool good = gold && !text.failed;
    strbuf_fini(&text);
    *out = gold;
    return good;
}

/* ---- decisions */

static int best_of(const AnalysisColumn *c, const Real *scores)
{
    int best = c->first;
    for (int k = c->first + 1; k < c->first + c->n; k++)
        if (scores[k] > scores[best]) best = k;
    return best;
}

/* By how much the scores of a bundle are above the scores of no feature at all. */
static double bundle_score(const Analysis *x, const AnalysisBundle *b, const Real *scores)
{
    double sum = 0;
    for (int k = 0; k < b->n; k++)
        sum += (double)scores[b->value[k]] - (double)scores[x->column[x->column_of[b->value[k]]].first];
    return sum;
}

static const char *best_bundle(const Analysis *x, int upos, const Real *scores)
{
    const AnalysisBundle *best = NULL;
    double most = 0;
    for (const AnalysisBundle *b = x->bundle; b < x->bundle + x->n_bundles; b++) {
        if (b->upos != upos) continue;
        double score = bundle_score(x, b, scores);
        if (best && score <= most) continue;
        best = b;
        most = score;
    }
    return best ? best->feats : "_";
}

bool analysis_choose(const Analysis *analysis, const char *word, const Real *scores, Arena *arena, AnalysedWord *out)
{
    *out = (AnalysedWord){ 0 };
    if (analysis->upos >= 0) {
        int upos = best_of(&analysis->column[analysis->upos], scores);
        out->upos = value_text(analysis->values, upos);
        out->feats = best_bundle(analysis, upos, scores);
    }
    if (analysis->lemma < 0) return true;
    const char *script = value_text(analysis->values, best_of(&analysis->column[analysis->lemma], scores));
    out->lemma = lemma_script_apply(script, word, arena);
    if (out->lemma && out->upos) out->lemma = seen_lemmas_choose(analysis->lemmas, word, out->upos, out->lemma);
    return out->lemma != NULL;
}
