/* A table with a row for each pattern: its name, what it reads, and its set as keys that every
 * token has or as a test of two tokens. */
#include "lal/heads/pattern.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Is the word in a list of words separated by blanks (NULL: none)? */
static bool one_of(const char *word, const char *list)
{
    for (const char *p = list ? list : ""; *p;) {
        size_t len = strcspn(p, " ");
        if (len && text_equal((StrView){ p, len }, word)) return true;
        p += len + (p[len] == ' ');
    }
    return false;
}

static bool has_letter(const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < len;)
        if (utf8_is_letter(utf8_next(word, len, &i))) return true;
    return false;
}

/* keys [m]: 1 for the words chosen. */
static void choose_rare(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    int share = (int)((long)s->n * p->o.rare_w_percent / 100), want = share > p->o.rare_w_min ? share : p->o.rare_w_min;
    bool unknown = p->o.rare_w_unknown == RARE_UNKNOWN_RAREST;
    for (; want > 0; want--) {
        int best = -1;
        for (int w = 0; w < s->n; w++) {
            if (keys[w + 1] || !has_letter(s->words[w]) || (!unknown && s->df[w] == 0)) continue;
            if (best < 0 || s->df[w] < s->df[best]) best = w;
        }
        if (best < 0) return;
        keys[best + 1] = 1;
    }
}

static void choose_major(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    keys[0] = keys[s->n + 1] = 1;
    for (int w = 1; w <= s->n; w++) {
        if (!one_of(s->types[w - 1], p->o.maj_rel_types)) continue;
        keys[w] = keys[s->heads[w - 1]] = 1;
        for (int c = 1; p->o.maj_rel_children && c <= s->n; c++)
            if (s->heads[c - 1] == w) keys[c] = 1;
    }
}

static void choose_first(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    (void)p;
    (void)s;
    keys[0] = 1;
}

static void choose_delim(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    (void)p;
    keys[0] = keys[s->n + 1] = 1;
}

static void choose_period(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    for (int w = 0; w < s->n; w++) keys[w + 1] = one_of(s->words[w], p->o.period_forms);
}

static void choose_seprat(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    choose_delim(p, s, keys);
    for (int w = 0; w < s->n; w++) keys[w + 1] = one_of(s->words[w], p->o.seprat_forms);
}

static void choose_label(const Pattern *p, const PatternSentence *s, uint8_t *keys)
{
    for (int k = 0; k < s->n_spans; k++)
        if (strcmp(s->labels[k], p->label) == 0)
            memset(keys + 1 + s->spans[k][0], 1, (size_t)(s->spans[k][1] - s->spans[k][0]));
}

/* Does a segment end with the word: a mark of a sentence, a clause or a list, in Latin or Chinese writing, a bracket or
 * a dash? */
static bool ends_segment(const char *word)
{
    size_t len = strlen(word), end = 0;
    TextMark mark = text_mark(utf8_next(word, len, &end));
    return one_of(word, "-- – — -LRB- -RRB-") || (end == len && mark >= TEXT_END && mark <= TEXT_CLOSE);
}

/* segment [n]: numbers of segments, rising. */
static void segments_of(const Pattern *p, const PatternSentence *s, int *segment)
{
    int now = 0;
    if (p->o.intra_span_source == SYNTAX_NONE) {
        for (int w = 0; w < s->n; w++) {
            if (w && !ends_segment(s->words[w]) && ends_segment(s->words[w - 1])) now++;
            segment[w] = now;
        }
        return;
    }
    if (pattern_needs_parts(p)) {
        const TextParts *parts = s->parts;
        for (int w = 0; w < s->n; w++) {
            if (p->o.intra_span_source == SYNTAX_SIDE) now = w >= parts->side;
            else if (now + 1 < parts->n && w == parts->begin[now + 1]) now++;
            segment[w] = now;
        }
        return;
    }
    for (int w = 0; w < s->n; w++) segment[w] = -1;
    for (int k = 0; k < s->n_spans; k++) { /* pre-order: the largest of a word comes first */
        int begin = s->spans[k][0], end = s->spans[k][1];
        if (end - begin > p->o.intra_span_max_len || segment[begin] >= 0) continue;
        for (int w = begin; w < end; w++) segment[w] = now;
        now++;
    }
    for (int w = 0; w < s->n; w++)
        if (segment[w] < 0) segment[w] = now++;
}

static void fill_segments(const PatternSentence *s, const int *segment, uint8_t *allowed)
{
    int m = s->n + 2;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            int a = i == 0 ? 0 : i > s->n ? s->n - 1 : i - 1, b = j == 0 ? 0 : j > s->n ? s->n - 1 : j - 1;
            allowed[(ptrdiff_t)i * m + j] = segment[a] == segment[b];
        }
}

/* Words by their key, numbered so that equal ones have one number. */
static bool number_words(const PatternSentence *s, MatchKey key, int *number, Arena *scratch)
{
    StrBuf low = { 0 };
    const char **seen = arena_alloc(scratch, (size_t)s->n, sizeof *seen);
    bool ok = seen != NULL;
    for (int w = 0, kinds = 0; ok && w < s->n; w++) {
        const char *text = key == MATCH_LEMMA ? s->lemmas[w] : s->words[w];
        strbuf_clear(&low);
        if (key == MATCH_LOWER) text_lower(&low, text, strlen(text));
        else strbuf_puts(&low, text);
        ok = !low.failed;
        int k = 0;
        while (ok && k < kinds && strcmp(seen[k], low.ptr ? low.ptr : "") != 0) k++;
        if (ok && k == kinds) ok = (seen[kinds++] = arena_strndup(scratch, low.ptr ? low.ptr : "", low.len)) != NULL;
        number[w] = k;
    }
    strbuf_fini(&low);
    return ok;
}

/* ---- pairs: is token j in S(i)? number: number_words's, for match_token */

static bool is_word(const PatternSentence *s, int i) { return i >= 1 && i <= s->n; }

static bool is_self(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    (void)p, (void)s, (void)number;
    return i == j;
}

static bool is_any(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    (void)p, (void)s, (void)number, (void)i, (void)j;
    return true;
}

static bool is_next(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    (void)p, (void)s, (void)number;
    return j == i + 1;
}

static bool is_previous(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    (void)p, (void)s, (void)number;
    return j == i - 1;
}

static bool is_near(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    (void)s, (void)number;
    return (i > j ? i - j : j - i) <= (p->o.rel_pos_window - 1) / 2;
}

static bool is_joined(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    (void)p, (void)number;
    return i == j || (is_word(s, i) && is_word(s, j) && (s->heads[i - 1] == j || s->heads[j - 1] == i));
}

static bool is_head(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    (void)p, (void)number;
    return is_word(s, i) && s->heads[i - 1] == j;
}

static bool is_equal(const Pattern *p, const PatternSentence *s, const int *number, int i, int j)
{
    if (!is_word(s, i) || !is_word(s, j) || number[i - 1] != number[j - 1]) return false;
    if (i != j) return true;
    bool twin = false; /* the word itself is included only together with another one */
    for (int w = 0; w < s->n; w++) twin |= w != i - 1 && number[w] == number[i - 1];
    return p->o.match_token_self && twin;
}

/* ---- the list of patterns */

/* What a pattern is, besides its sets. */
enum {
    NEEDS_HEADS = 1, /* it reads dependencies */
    TARGET = 2,      /* pattern_is_target */
    WRITTEN = 4,     /* pattern_is_written */
    OF_PIECES = 8,   /* pattern_is_of_pieces */
    WEIGHTED = 16    /* pattern_is_weighted */
};

typedef struct PatternRow {
    const char *name;  /* in configurations */
    const char *about; /* what a head with it looks at, for people */
    int is;
    /* Sets keys [n + 2], which are zeros, of a set that every token has; else NULL. */
    void (*keys)(const Pattern *p, const PatternSentence *s, uint8_t *keys);
    bool (*pair)(const Pattern *p, const PatternSentence *s, const int *number, int i, int j); /* NULL: neither */
} PatternRow;

static const PatternRow PATTERNS[PATTERN_KINDS] = {
    [PATTERN_SELF] = { "self", "the word itself", WRITTEN | OF_PIECES, .pair = is_self },
    [PATTERN_NEXT] = { "next", "next word", OF_PIECES, .pair = is_next },
    [PATTERN_PREV] = { "prev", "previous word", WRITTEN | OF_PIECES, .pair = is_previous },
    [PATTERN_REL_POS] = { "rel_pos", "words nearby", WRITTEN | OF_PIECES, .pair = is_near },
    [PATTERN_FIRST] = { "first", "sentence start", WRITTEN, .keys = choose_first },
    [PATTERN_DELIM] = { "delim", "sentence limits", .keys = choose_delim },
    [PATTERN_PERIOD] = { "period", "full stops", .keys = choose_period },
    [PATTERN_SEPRAT] = { "seprat", "punctuation", .keys = choose_seprat },
    [PATTERN_RARE_W] = { "rare_w", "rare words", .keys = choose_rare },
    [PATTERN_DEP_SYN] = { "dep_syn", "head, dependents", NEEDS_HEADS, .pair = is_joined },
    [PATTERN_MAJ_REL] = { "maj_rel", "main relations", NEEDS_HEADS, .keys = choose_major },
    [PATTERN_MATCH_TOKEN] = { "match_token", "equal words", WRITTEN, .pair = is_equal },
    [PATTERN_INTRA_SPAN] = { .name = "intra_span", .about = "the same segment" }, /* pattern_fill has its sets */
    [PATTERN_DEP_HEAD] = { "dep_head", "its head", NEEDS_HEADS | TARGET, .pair = is_head },
    [PATTERN_LABEL_SPAN] = { "label_span", "constituents of a label", TARGET, .keys = choose_label },
    [PATTERN_GAUSS] = { "gauss", "words at a distance", WRITTEN | OF_PIECES | WEIGHTED, .pair = is_any },
};

const char *pattern_name(PatternKind kind) { return PATTERNS[kind].name; }
const char *pattern_about(PatternKind kind) { return PATTERNS[kind].about; }
bool pattern_is_key_set(PatternKind kind) { return PATTERNS[kind].keys != NULL; }
bool pattern_is_target(PatternKind kind) { return PATTERNS[kind].is & TARGET; }
bool pattern_is_written(PatternKind kind) { return PATTERNS[kind].is & WRITTEN; }
bool pattern_is_of_pieces(PatternKind kind) { return PATTERNS[kind].is & OF_PIECES; }

bool pattern_is_weighted(PatternKind kind) { return PATTERNS[kind].is & WEIGHTED; }

double pattern_logit(const Pattern *pattern, int distance)
{
    double x = (distance - pattern->o.gauss_offset) / pattern->o.gauss_deviation;
    return -x * x / 2;
}

PatternKind pattern_find(const char *name, size_t len)
{
    int k = 0;
    while (k < PATTERN_KINDS && !text_equal((StrView){ name, len }, PATTERNS[k].name)) k++;
    return (PatternKind)k;
}

PatternNames pattern_names(bool (*has)(PatternKind kind))
{
    PatternNames names = { "" };
    size_t n = 0;
    for (int k = 0; k < PATTERN_KINDS; k++)
        if (!has || has((PatternKind)k))
            n += (size_t)snprintf(names.text + n, sizeof names.text - n, "%s%s", n ? ", " : "", PATTERNS[k].name);
    return names;
}

/* ---- what a pattern needs */

bool pattern_needs_parts(const Pattern *pattern)
{
    return pattern->kind == PATTERN_INTRA_SPAN && pattern->o.intra_span_source >= SYNTAX_SENTENCE;
}

static bool needs_heads(const Pattern *p) { return PATTERNS[p->kind].is & NEEDS_HEADS; }

static bool needs_tree(const Pattern *p)
{
    return p->kind == PATTERN_LABEL_SPAN ||
           (p->kind == PATTERN_INTRA_SPAN && p->o.intra_span_source != SYNTAX_NONE && !pattern_needs_parts(p));
}

bool pattern_needs_parse(const Pattern *pattern) { return needs_heads(pattern) || needs_tree(pattern); }

const char *pattern_lacks(const Pattern *pattern, const PatternSentence *sentence)
{
    if (needs_heads(pattern) && (!sentence->heads || !sentence->types)) return "dependencies";
    if (needs_tree(pattern) && !sentence->spans) return "a tree";
    if (pattern->kind == PATTERN_RARE_W && !sentence->df) return "counts of training sentences";
    if (pattern->kind == PATTERN_MATCH_TOKEN && pattern->o.match_token_key == MATCH_LEMMA && !sentence->lemmas)
        return "lemmas";
    if (pattern->kind == PATTERN_LABEL_SPAN && (!pattern->label || !sentence->labels)) return "labels";
    if (!pattern_needs_parts(pattern)) return NULL;
    if (!sentence->parts) return "sentences of a document";
    if (pattern->o.intra_span_source == SYNTAX_SIDE && !sentence->parts->side) return "a gap between two sentences";
    return NULL;
}

/* ---- the sets of a sentence */

Status pattern_fill(const Pattern *pattern, const PatternSentence *sentence, uint8_t *allowed, Arena *scratch,
                    Error *error)
{
    int m = sentence->n + 2;
    const char *lacks = pattern_lacks(pattern, sentence);
    if (lacks)
        return error_set(error, ERR_RANGE, "pattern %s: found a sentence without %s", pattern_name(pattern->kind),
                         lacks);
    memset(allowed, 0, (size_t)m * (size_t)m);
    if (sentence->n == 0) return OK;
    int *number = arena_calloc(scratch, (size_t)m, sizeof *number);
    if (!number) return error_set(error, ERR_NOMEM, "out of memory for a pattern");
    if (PATTERNS[pattern->kind].keys) {
        PATTERNS[pattern->kind].keys(pattern, sentence, allowed);
        for (int i = 1; i < m; i++) memcpy(allowed + (ptrdiff_t)i * m, allowed, (size_t)m);
        return OK;
    }
    if (pattern->kind == PATTERN_INTRA_SPAN) {
        segments_of(pattern, sentence, number);
        fill_segments(sentence, number, allowed);
        if (pattern->o.intra_span_source == SYNTAX_SIDE) /* START sees all, and is seen by itself alone */
            for (int i = 0; i < m; i++) allowed[i] = 1, allowed[(ptrdiff_t)i * m] = i == 0;
        return OK;
    }
    if (pattern->kind == PATTERN_MATCH_TOKEN &&
        !number_words(sentence, (MatchKey)pattern->o.match_token_key, number, scratch))
        return error_set(error, ERR_NOMEM, "out of memory for a pattern");
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            allowed[(ptrdiff_t)i * m + j] = PATTERNS[pattern->kind].pair(pattern, sentence, number, i, j);
    return OK;
}

/* ---- texts that are being written */

bool pattern_written(const Pattern *pattern, const WrittenText *text, int i, int j)
{
    const PatternSentence written = { .n = i };
    bool lower = pattern->kind == PATTERN_MATCH_TOKEN && pattern->o.match_token_key == MATCH_LOWER;
    return pattern->kind == PATTERN_FIRST
               ? j == 0
               : PATTERNS[pattern->kind].pair(pattern, &written, lower ? text->lower : text->words, i, j);
}

/* ---- unions */

bool pattern_list_needs_parse(const PatternList *list)
{
    bool any = false;
    for (int k = 0; k < list->n; k++) any = any || pattern_needs_parse(&list->item[k]);
    return any;
}

bool pattern_list_within(const PatternList *part, const PatternList *whole)
{
    bool all = true;
    for (int k = 0; k < part->n && all; k++) {
        bool any = false;
        for (int w = 0; w < whole->n && !any; w++) any = pattern_within(&part->item[k], &whole->item[w]);
        all = any;
    }
    return all;
}

const char *pattern_list_lacks(const PatternList *list, const PatternSentence *sentence)
{
    const char *lacks = NULL;
    for (int k = 0; k < list->n && !lacks; k++) lacks = pattern_lacks(&list->item[k], sentence);
    return lacks;
}

Status pattern_list_fill(const PatternList *list, const PatternSentence *sentence, uint8_t *allowed, Arena *scratch,
                         Error *error)
{
    size_t pairs = (size_t)(sentence->n + 2) * (size_t)(sentence->n + 2);
    Status status = pattern_fill(&list->item[0], sentence, allowed, scratch, error);
    uint8_t *more = list->n > 1 ? arena_alloc(scratch, pairs, 1) : NULL;
    if (status == OK && list->n > 1 && !more) status = error_set(error, ERR_NOMEM, "out of memory for a pattern");
    for (int k = 1; k < list->n && status == OK; k++) {
        status = pattern_fill(&list->item[k], sentence, more, scratch, error);
        for (size_t p = 0; p < pairs && status == OK; p++) allowed[p] |= more[p];
    }
    return status;
}

void pattern_expand(const uint8_t *allowed, int m, const int *word_of, int pieces, bool own, uint8_t *expanded)
{
    for (int p = 0; p < pieces; p++, expanded += pieces) {
        const uint8_t *row = allowed + (ptrdiff_t)word_of[p] * m;
        bool empty = !memchr(row, 1, (size_t)m);
        for (int q = 0; q < pieces; q++) expanded[q] = !empty && (row[word_of[q]] || (own && word_of[p] == word_of[q]));
    }
}
