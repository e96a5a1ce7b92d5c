/* Changes are listed, the changed sentences parsed together, and those that change the decision kept. */
#include "explain/flip.h"

#include <string.h>

#include "parser/parse/parse_network.h"

/* Words within and beyond the borders of a decision that are changed. */
enum { INSIDE = 3, AROUND = 1 };

typedef struct Tries {
    const Model *m;
    const ParseInput *in;
    const char *const *tags; /* [n_words], or NULL */
    const Decision *d;
    bool missing;
    int first, last; /* borders of the words in question */
    int from, to;    /* words that may be changed, if they are near a border */
    Flip x[FLIP_TRIES];
    int n;
    Arena *arena;
    bool failed;
} Tries;

static void add(Tries *t, FlipKind kind, int word, const char *to)
{
    bool near = word < t->first + INSIDE || word >= t->last - INSIDE;
    if (near && t->n < FLIP_TRIES) t->x[t->n++] = (Flip){ .kind = kind, .word = word, .to = to };
}

/* ---- what is tried */

/* The second-best tag of each word, where the parse can depend on tags. */
static void add_tags(Tries *t, Worker *w)
{
    HostMatrix x = tensor_host(&w->tape, parse_scores(&w->net)->tags, &w->scratch);
    if (!t->tags || !x.data || !(t->m->c.use_tags || t->m->grammar.own)) return;
    for (int c = t->from; c < t->to; c++) {
        const Real *row = host_row(&x, c + 1);
        int now = vocab_find(&t->m->tags, t->tags[c]), best = -1;
        for (int k = N_RESERVED; k < x.cols; k++)
            if (k != now && (best < 0 || row[k] > row[best])) best = k;
        if (now >= N_RESERVED && best >= 0) add(t, FLIP_TAG, c, vocab_text(&t->m->tags, best));
    }
}

static bool is_comma(const char *word)
{
    size_t len = strlen(word), at = 0;
    return text_mark(utf8_next(word, len, &at)) == TEXT_COMMA && at == len;
}

static bool is_wide(const char *word)
{
    size_t at = 0;
    return utf8_width(utf8_next(word, strlen(word), &at)) == 2;
}

static void add_commas(Tries *t)
{
    for (int c = t->from; c < t->to; c++)
        if (is_comma(t->in->words[c])) add(t, FLIP_DROP_COMMA, c, NULL);
    for (int c = t->from ? t->from : 1; c < t->to; c++)
        if (!text_is_punctuation(t->in->words[c - 1]) && !text_is_punctuation(t->in->words[c]))
            add(t, FLIP_ADD_COMMA, c, is_wide(t->in->words[c]) ? "，" : ",");
}

/* The word in lower case if it begins with a capital, else with one; the word itself where there is no such thing. */
static const char *other_case(Tries *t, const char *word)
{
    size_t len = strlen(word), at = 0;
    int32_t first = utf8_next(word, len, &at);
    StrBuf to = { 0 };
    if (utf8_is_upper(first)) text_lower(&to, word, len);
    else {
        strbuf_utf8(&to, utf8_upper(first));
        strbuf_add(&to, word + at, len - at);
    }
    const char *out = to.failed ? NULL : arena_strndup(t->arena, to.ptr, to.len);
    strbuf_fini(&to);
    t->failed = t->failed || !out;
    return out ? out : word;
}

static void add_cases(Tries *t)
{
    for (int c = t->from; c < t->to; c++) {
        const char *to = other_case(t, t->in->words[c]);
        if (strcmp(to, t->in->words[c]) != 0) add(t, FLIP_CASE, c, to);
    }
}

/* Other words of the lines of Language.exchanges that name the tag of a word. */
static void add_words(Tries *t)
{
    const char *line = model_language(t->m)->exchanges;
    for (; t->tags && line && *line; line += *line == '\n') {
        size_t end = strcspn(line, "\n"), tag = strcspn(line, " ");
        for (int c = t->from; c < t->to; c++) {
            if (!text_equal((StrView){ line, tag }, t->tags[c])) continue;
            for (size_t at = tag, len; at < end; at += len) {
                at += strspn(line + at, " ");
                len = strcspn(line + at, " \n");
                if (text_equal((StrView){ line + at, len }, t->in->words[c])) continue;
                const char *to = arena_strndup(t->arena, line + at, len);
                t->failed = t->failed || !to;
                add(t, FLIP_WORD, c, to);
            }
        }
        line += end;
    }
}

/* ---- changed sentences */

/* Fills `to` with the sentence after the change; false when out of memory. */
static bool change(const Tries *t, const Flip *x, ParseInput *to)
{
    const ParseInput *in = t->in;
    int more = x->kind == FLIP_ADD_COMMA, less = x->kind == FLIP_DROP_COMMA, n = in->n_words + more - less;
    const char **words = arena_alloc(t->arena, (size_t)n, sizeof *words),
               **tags = arena_alloc(t->arena, (size_t)n, sizeof *tags);
    bool *space = arena_alloc(t->arena, (size_t)n, sizeof *space);
    if (!words || !tags || !space) return false;
    *to = (ParseInput){ .n_words = n,
                        .words = words,
                        .tags = x->kind == FLIP_TAG ? tags : NULL,
                        .space_before = in->space_before ? space : NULL };
    for (int c = 0, at = 0; c <= in->n_words; c++) {
        if (more && c == x->word) {
            words[at] = x->to;
            space[at++] = false;
        }
        if (c == in->n_words || (less && c == x->word)) continue;
        bool changed = c == x->word && !more;
        words[at] = changed && x->kind != FLIP_TAG ? x->to : in->words[c];
        tags[at] = changed && x->kind == FLIP_TAG ? x->to : t->tags ? t->tags[c] : NULL;
        space[at++] = in->space_before && in->space_before[c];
    }
    return true;
}

/* A word (from 0) of the sentence after the change, and the other way; -1: it is not there. */
static int word_after(const Flip *x, int word)
{
    if (x->kind == FLIP_DROP_COMMA) return word == x->word ? -1 : word - (word > x->word);
    return word + (x->kind == FLIP_ADD_COMMA && word >= x->word);
}

static int word_before(const Flip *x, int word)
{
    if (x->kind == FLIP_ADD_COMMA) return word == x->word ? -1 : word - (word > x->word);
    return word + (x->kind == FLIP_DROP_COMMA && word >= x->word);
}

/* Is the decision another one now? Sets label or head. */
static bool flips(const Tries *t, Flip *x, const Parsed *p)
{
    const Span *at = &t->d->at;
    if (t->d->kind == EXPLAIN_ARC) {
        int word = word_after(x, at->begin - 1), head = at->end ? word_after(x, at->end - 1) + 1 : 0;
        if (word < 0 || (at->end && !head)) return false; /* one of both is gone */
        int now = p->heads[word];
        x->head = now ? word_before(x, now - 1) + 1 : 0;
        if (now && !x->head) x->head = -1;
        return now != head;
    }
    int first = at->begin, last = at->end - 1;
    if (x->kind == FLIP_DROP_COMMA && first == x->word) first++;
    if (x->kind == FLIP_DROP_COMMA && last == x->word) last--;
    if (first > last) return false;
    first = word_after(x, first);
    last = word_after(x, last);
    x->label = NULL;
    for (int k = 0; k < p->n_phrases && !x->label; k++)
        if (p->phrases[k].begin == first && p->phrases[k].end == last + 1) x->label = p->phrases[k].label;
    bool has = x->label && strcmp(x->label, decision_label(t->m, EXPLAIN_SPAN, at->label)) == 0;
    return has == t->missing;
}

static Status parse_tries(Tries *t, Worker *other, const ParseOptions *o, Flip *out, int *n, Error *e)
{
    ParseInput *in = arena_alloc(t->arena, (size_t)t->n, sizeof *in);
    Parsed *p = arena_alloc(t->arena, (size_t)t->n, sizeof *p);
    bool good = in && p && !t->failed;
    for (int k = 0; k < t->n && good; k++) good = change(t, &t->x[k], &in[k]);
    if (!good) return error_set(e, ERR_NOMEM, "out of memory changing a sentence");
    Status status = OK;
    for (int from = 0, to; from < t->n && status == OK && *n < FLIPS_MOST; from = to) {
        to = parse_batch_end(in, t->n, from, o);
        status = parse_batch(other, in + from, to - from, o, t->arena, p + from, e);
        for (int k = from; k < to && status == OK && *n < FLIPS_MOST; k++)
            if (flips(t, &t->x[k], &p[k])) out[(*n)++] = t->x[k];
    }
    return status;
}

Status flip_find(Worker *worker, Worker *other, const ParseInput *in, const ParseOptions *options, const Parsed *parsed,
                 const Decision *decision, bool missing, Arena *arena, const Flip **out, int *n, Error *error)
{
    int first = decision->at.begin, last = decision->at.end;
    if (decision->kind == EXPLAIN_ARC) {
        int word = first, head = last ? last : first;
        first = (word < head ? word : head) - 1;
        last = word < head ? head : word;
    }
    Tries t = { .m = worker->m,
                .in = in,
                .tags = parsed->tags ? parsed->tags : parsed->given_tags,
                .d = decision,
                .missing = missing,
                .first = first,
                .last = last,
                .from = first > AROUND ? first - AROUND : 0,
                .to = last + AROUND < in->n_words ? last + AROUND : in->n_words,
                .arena = arena };
    Flip *found = arena_alloc(arena, FLIPS_MOST, sizeof *found);
    *n = 0;
    *out = found;
    if (!found) return error_set(error, ERR_NOMEM, "out of memory changing a sentence");
    if (in->given) return OK;
    add_tags(&t, worker);
    add_commas(&t);
    add_cases(&t);
    add_words(&t);
    ParseOptions o = *options;
    o.record = false;
    return parse_tries(&t, other, &o, found, n, error);
}
