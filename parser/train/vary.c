/* Training sentences shown in other ways that people write, by the options vary_case, vary_final
 * and vary_quotes */
#include <string.h>

#include "base/rng.h"
#include "parser/train/trainer.h"

/* Counters of the draws of a sentence; words and tags have counters below 1 << 31 (batch.c, update.c). */
enum { DRAW_CASE = 1, DRAW_KIND, DRAW_FINAL, DRAW_QUOTES, DRAW_SIDES, DRAW_PAIR };

static double draw(uint64_t key, int which) { return rng_uniform(key, ((uint64_t)1 << 32) + (uint64_t)which); }

/* ---- capitals */

typedef enum Capitals { CAPITALS_NONE, CAPITALS_ALL, CAPITALS_FIRST } Capitals;

/* NULL when out of memory. */
static const char *recase(const char *word, Capitals c, Arena *a)
{
    StrBuf out = { 0 };
    size_t len = strlen(word);
    for (size_t i = 0; i < len;) {
        bool first = i == 0;
        int32_t cp = utf8_next(word, len, &i);
        bool upper = c == CAPITALS_ALL || (c == CAPITALS_FIRST && first);
        strbuf_utf8(&out, upper ? utf8_upper(cp) : c == CAPITALS_FIRST ? cp : utf8_lower(cp));
    }
    const char *copy = out.failed ? NULL : arena_strndup(a, out.ptr ? out.ptr : "", out.len);
    strbuf_fini(&out);
    return copy;
}

static bool change_case(Sentence *sent, Capitals c, Arena *a)
{
    const char **words = arena_alloc(a, (size_t)sent->n_words, sizeof *words);
    bool ok = words != NULL;
    for (int w = 0; w < sent->n_words && ok; w++) ok = (words[w] = recase(sent->words[w], c, a)) != NULL;
    sent->words = words;
    return ok;
}

/* ---- final punctuation */

/* Whether the last word is a final mark on which nothing depends. */
static bool has_final(const Sentence *sent)
{
    int last = sent->n_words - 1;
    if (last < 1 || !sent->words[last][0] || sent->words[last][1] || !strchr(".!?", sent->words[last][0])) return false;
    for (int w = 0; sent->heads && w < sent->n_words; w++)
        if (sent->heads[w] == sent->n_words) return false;
    return !sent->heads || sent->heads[last] != 0;
}

static bool drop_final(Sentence *sent, Arena *a)
{
    int last = --sent->n_words, n = 0;
    Phrase *phrases = arena_alloc(a, (size_t)sent->n_phrases, sizeof *phrases);
    if (!phrases) return false;
    for (int k = 0; k < sent->n_phrases; k++) {
        Phrase p = sent->phrases[k];
        if (p.end > last) p.end = last;
        if (p.begin < p.end) phrases[n++] = p;
    }
    sent->phrases = phrases;
    sent->n_phrases = n;
    return true;
}

/* ---- quotes */

static int root_of(const Sentence *sent)
{
    int w = 0;
    while (sent->heads && w < sent->n_words && sent->heads[w] != 0) w++;
    return w < sent->n_words ? w : 0;
}

/* Puts `first` before a column of n values, and `last` after it; NULL: nothing. false when out of memory. */
static bool extend(const char ***column, int n, const char *first, const char *last, Arena *a)
{
    if (!*column) return true;
    const char **x = arena_alloc(a, (size_t)n + 2, sizeof *x);
    if (!x) return false;
    int at = 0;
    if (first) x[at++] = first;
    for (int w = 0; w < n; w++) x[at++] = (*column)[w];
    if (last) x[at] = last;
    *column = x;
    return true;
}

/* Adds quotes inside the phrase over all words: before the first word, after the last one, or both; NULL: none there.
 * The quotes get the tag, features and type of the last word, a mark; with own_tags each quote is its own tag, and its
 * type is punct. */
static bool add_quotes(Sentence *sent, const char *before, const char *after, bool own_tags, Arena *a)
{
    int old = sent->n_words, n = old + !!before + !!after, shift = !!before, mark = old - 1;
    int root = root_of(sent) + shift + 1, *heads = arena_alloc(a, (size_t)n, sizeof *heads);
    Phrase *phrases = arena_alloc(a, (size_t)sent->n_phrases, sizeof *phrases);
    if (!heads || !phrases) return false;
    for (int w = 0; sent->heads && w < n; w++) {
        int from = w - shift;
        bool quote = from < 0 || from >= old;
        heads[w] = quote ? root : sent->heads[from] ? sent->heads[from] + shift : 0;
    }
    for (int k = 0; k < sent->n_phrases; k++) {
        const Phrase *p = &sent->phrases[k];
        phrases[k] = (Phrase){ p->begin + shift, p->end + shift, p->label };
        if (k == 0) phrases[k] = (Phrase){ 0, n, p->label };
    }
    const char ***columns[] = { &sent->words, &sent->lemmas, &sent->tags, &sent->types, &sent->upos, &sent->feats };
    bool good = true;
    for (int k = 0; k < 6 && good; k++) {
        const char *of_mark = *columns[k] ? (*columns[k])[mark] : NULL;
        bool form = k == 0 || (k == 1 && of_mark && strcmp(of_mark, "_") != 0) || (k == 2 && own_tags);
        if (columns[k] == &sent->types && own_tags) of_mark = "punct";
        good = extend(columns[k], old, !before || form ? before : of_mark, !after || form ? after : of_mark, a);
    }
    sent->n_words = n;
    sent->phrases = phrases;
    if (sent->heads) sent->heads = heads;
    return good;
}

/* Quotes can be added inside one phrase over all words, if there is a tree. */
static bool has_top(const Sentence *sent)
{
    return !sent->has_tree ||
           (sent->n_phrases > 0 && sent->phrases[0].begin == 0 && sent->phrases[0].end == sent->n_words);
}

static bool ends_with_mark(const Sentence *sent)
{
    int last = sent->n_words - 1;
    return text_is_punctuation(sent->words[last]) && !(sent->heads && sent->heads[last] == 0);
}

/* ---- a sentence */

Status trainer_vary(const Trainer *tr, const Example *example, uint64_t key, Arena *arena, Example *out, Error *error)
{
    const TrainConfig *c = &tr->a->train;
    const Language *language = model_language(&tr->m);
    bool own_tags = language->opening_quote != NULL;
    Sentence *sent = arena_alloc(arena, 1, sizeof *sent);
    if (!sent) return error_set(error, ERR_NOMEM, "out of memory for a varied sentence");
    *sent = *example->s;
    Sentence *parse =
        example->parse ? arena_alloc(arena, 1, sizeof *parse) : NULL; /* is changed like the sentence, or dropped */
    if (parse) *parse = *example->parse;
    bool ok = parse || !example->parse, changed = false;
    if (!example->soft && draw(key, DRAW_FINAL) < c->vary_final && has_final(sent)) {
        ok = ok && drop_final(sent, arena);
        if (parse && !has_final(parse)) parse = NULL;
        if (parse) ok = ok && drop_final(parse, arena);
        changed = true;
    }
    if (!example->soft && draw(key, DRAW_QUOTES) < c->vary_quotes && ok && has_top(sent) &&
        ((own_tags && !sent->upos) || ends_with_mark(sent))) {
        const char *before = language->opening_quote, *after = language->closing_quote;
        if (!own_tags) {
            const TrainedText *text = &tr->m.text;
            enum { WIDE = TEXT_QUOTE_PAIRS - 1 };
            const char *const *pair =
                TEXT_QUOTES[text->bits && !text->blanks ? WIDE : (int)(draw(key, DRAW_PAIR) * WIDE)];
            before = pair[0];
            after = pair[1];
        }
        double side = draw(key, DRAW_SIDES); /* half of them on both sides */
        if (side >= 0.75) before = NULL;
        else if (side >= 0.5) after = NULL;
        ok = add_quotes(sent, before, after, own_tags, arena);
        if (parse && !has_top(parse)) parse = NULL;
        if (parse) ok = ok && add_quotes(parse, before, after, own_tags, arena);
        changed = true;
    }
    if (draw(key, DRAW_CASE) < c->vary_case && ok) {
        double kind = draw(key, DRAW_KIND); /* most of them without capitals */
        ok = change_case(sent, kind < 0.6 ? CAPITALS_NONE : kind < 0.8 ? CAPITALS_FIRST : CAPITALS_ALL, arena);
        changed = true;
    }
    *out = *example;
    if (!ok) return error_set(error, ERR_NOMEM, "out of memory for a varied sentence");
    if (!changed) return OK;
    out->s = sent;
    out->parse = parse;
    return example->soft || !tr->task->vary ? OK : tr->task->vary(tr, sent, arena, out, error);
}
