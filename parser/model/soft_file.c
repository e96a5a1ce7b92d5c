/* A line at a time: words, then distributions of tags, heads and types, then spans, each
 * checked against those before it. */
#include "parser/model/soft_file.h"

#include <string.h>

#include "base/json_file.h"
#include "base/stream.h"
#include "treebank/oracle.h"

enum { BLOCK = 1 << 20, LINE_MOST = 1 << 25 };
#define P_LEAST 0.0001  /* the smallest number that is written */
#define SUM_MOST 1.0101 /* of rounded probabilities */

/* A line that is being read. */
typedef struct Line {
    JsonFile json;
    Treebank *tb;
    SoftBank *b;
    Sentence *sent;
    Error *e;
} Line;

#define fail(l, value, ...) json_file_fault(&(l)->json, value, (l)->e, __VA_ARGS__)

static Status out_of_memory(const Line *l) { return error_set(l->e, ERR_NOMEM, "out of memory reading soft targets"); }

/* A string that can be a word, name or label. NULL otherwise. */
static const char *text_of(const cJSON *value, bool (*can)(StrView))
{
    const char *text = cJSON_GetStringValue(value);
    return text && can((StrView){ text, strlen(text) }) ? text : NULL;
}

/* Sets *number to the number of a value in a vocabulary. */
static Status read_text(const Line *l, const cJSON *value, const char *what, bool (*can)(StrView), Vocab *v,
                        int *number)
{
    const char *text = text_of(value, can);
    if (!text)
        return fail(l, value, "found no %s, expected a text %s", what,
                    can == tree_is_word   ? "on one line"
                    : can == tree_is_name ? "without blanks"
                                          : "without blanks and round brackets");
    *number = vocab_count(v, text, strlen(text), 1);
    return *number < 0 ? out_of_memory(l) : OK;
}

/* A whole number from least to most. */
static Status read_index(const Line *l, const cJSON *value, const char *what, int least, int most, int *out)
{
    double x = cJSON_IsNumber(value) ? value->valuedouble : 0.5;
    if (x >= least && x <= most && x == (double)(int)x) {
        *out = (int)x;
        return OK;
    }
    if (!cJSON_IsNumber(value))
        return fail(l, value, "found another value, expected %s from %d to %d", what, least, most);
    return fail(l, value, "found %g, expected %s from %d to %d", x, what, least, most);
}

/* A probability, added to *sum. */
static Status read_probability(const Line *l, const cJSON *value, double *p, double *sum)
{
    if (!cJSON_IsNumber(value)) return fail(l, value, "found no number, expected a probability");
    *p = value->valuedouble;
    if (!(*p >= P_LEAST && *p <= 1))
        return fail(l, value, "found %g, expected a probability from %g to 1", *p, P_LEAST);
    *sum += *p;
    return *sum <= SUM_MOST ? OK : fail(l, value, "found probabilities that sum to %.4g, expected at most 1", *sum);
}

/* ---- words */

static Status read_words(Line *l)
{
    const cJSON *list = json_file_member(l->json.root, "words"), *x;
    if (!cJSON_IsArray(list) || !list->child)
        return fail(l, list ? list : l->json.root, "found no words, expected an array \"words\" of strings");
    int n = cJSON_GetArraySize(list), w = 0;
    l->sent->n_words = n;
    l->sent->words = arena_alloc(&l->tb->arena, (size_t)n, sizeof *l->sent->words);
    if (!l->sent->words) return out_of_memory(l);
    cJSON_ArrayForEach(x, list)
    {
        const char *text = text_of(x, tree_is_word);
        if (!text) return fail(l, x, "found no word, expected a text on one line");
        int number = map_add(&l->b->words, text, strlen(text));
        if (number < 0) return out_of_memory(l);
        l->sent->words[w++] = l->b->words.keys[number];
    }
    return OK;
}

/* ---- distributions */

/* The value of a pair: a text of v, or without v the head of word w. */
static Status read_value(const Line *l, const cJSON *value, const char *what, Vocab *v, int w, int *out)
{
    if (v) return read_text(l, value, what, tree_is_name, v, out);
    Status s = read_index(l, value, "a head", 0, l->sent->n_words, out);
    return s == OK && *out == w + 1 ? fail(l, value, "found %d, the word itself, expected another head", *out) : s;
}

/* Reads the distribution of word w: value, probability, value, ... */
static Status read_row(const Line *l, const cJSON *row, const char *what, Vocab *v, int w, SoftValue *to, int *n)
{
    double sum = 0, p = 0;
    Status s = OK;
    if (!cJSON_IsArray(row) || !row->child || cJSON_GetArraySize(row) % 2)
        return fail(l, row, "found another value, expected an array of values and their probabilities");
    for (const cJSON *x = row->child; x && s == OK; x = x->next->next) {
        int value = 0;
        s = read_value(l, x, what, v, w, &value);
        if (s == OK) s = read_probability(l, x->next, &p, &sum);
        for (int k = 0; k < *n && s == OK; k++)
            if (to[k].value == value) s = fail(l, x, "found the same %s twice", what);
        if (s == OK) to[(*n)++] = (SoftValue){ value, (float)p };
    }
    for (int k = 0; k < *n; k++) to[k].p = (float)((double)to[k].p / sum);
    return s;
}

/* Reads the distributions of all words, if there are any. */
static Status read_rows(const Line *l, const char *name, const char *what, Vocab *v, SoftRows *out)
{
    const cJSON *list = json_file_member(l->json.root, name), *row;
    if (!list) return OK;
    int n = cJSON_GetArraySize(list), words = l->sent->n_words;
    if (!cJSON_IsArray(list)) return fail(l, list, "found another value, expected an array \"%s\"", name);
    if (n != words) return fail(l, list, "found %d %s, expected %d, one for each word", n, name, words);
    size_t values = 0;
    cJSON_ArrayForEach(row, list) values += (size_t)cJSON_GetArraySize(row) / 2;
    int *start = arena_calloc(&l->tb->arena, (size_t)n + 1, sizeof *start), w = 0;
    SoftValue *to = arena_alloc(&l->tb->arena, values, sizeof *to);
    if (!start || !to) return out_of_memory(l);
    cJSON_ArrayForEach(row, list)
    {
        int count = 0;
        Status s = read_row(l, row, what, v, w, to + start[w], &count);
        if (s != OK) return s;
        start[w + 1] = start[w] + count;
        w++;
    }
    *out = (SoftRows){ start, to };
    return OK;
}

/* The decisions of rows as text. false when out of memory. */
static bool take_decided(const Line *l, const SoftRows *rows, const Vocab *v, const char ***out)
{
    int n = l->sent->n_words;
    if (!rows->start) return true;
    if (!(*out = arena_alloc(&l->tb->arena, (size_t)n, sizeof **out))) return false;
    for (int w = 0; w < n; w++) (*out)[w] = vocab_text(v, rows->v[rows->start[w]].value);
    return true;
}

static Status take_heads(const Line *l, const SoftTargets *t)
{
    int n = l->sent->n_words, at = 0;
    const char *fault = NULL;
    if (!t->heads.start) return OK;
    if (!(l->sent->heads = arena_alloc(&l->tb->arena, (size_t)n, sizeof *l->sent->heads))) return out_of_memory(l);
    for (int w = 0; w < n; w++) l->sent->heads[w] = soft_head(t, w);
    if (tree_heads_valid(l->sent->heads, n, &at, &fault)) return OK;
    if (!fault) return out_of_memory(l);
    const cJSON *list = json_file_member(l->json.root, "heads");
    return fail(l, at ? cJSON_GetArrayItem(list, at - 1) : list, "found first heads with %s, expected those of a tree",
                fault);
}

/* ---- spans */

static bool same_place(const SoftSpan *a, const SoftSpan *b)
{
    return a->at.begin == b->at.begin && a->at.end == b->at.end;
}

/* Reads a span after those before it, list [n]; *sum: of the probabilities of the same words. */
static Status read_span(const Line *l, const cJSON *x, const SoftSpan *list, int n, double *sum, SoftSpan *out)
{
    int words = l->sent->n_words;
    double p = 0;
    const SoftSpan *before = n ? &list[n - 1] : NULL;
    if (!cJSON_IsArray(x) || cJSON_GetArraySize(x) != 4)
        return fail(l, x, "found another value, expected a span [begin, end, label, probability]");
    const cJSON *end = x->child->next, *label = end->next;
    Status s = read_index(l, x->child, "a begin", 0, words - 1, &out->at.begin);
    if (s == OK) s = read_index(l, end, "an end", out->at.begin + 1, words, &out->at.end);
    if (s == OK) s = read_text(l, label, "label", tree_is_label, &l->b->labels, &out->at.label);
    if (s != OK) return s;
    int length = out->at.end - out->at.begin;
    if ((length == 1 || length == words) && strcmp(text_of(label, tree_is_label), LABEL_GROUP) == 0)
        return fail(l, label, "found " LABEL_GROUP " on a single word or the whole sentence, expected another label");
    bool same = before && same_place(before, out);
    if (before && !same &&
        (out->at.begin < before->at.begin || (out->at.begin == before->at.begin && out->at.end > before->at.end)))
        return fail(l, x, "found spans out of order, expected them by begin, longer ones first");
    for (int k = n - 1; k >= 0 && same_place(&list[k], out); k--)
        if (list[k].at.label == out->at.label) return fail(l, label, "found the same label twice");
    if (!same) *sum = 0;
    s = read_probability(l, label->next, &p, sum);
    out->p = (float)p;
    return s;
}

static Status read_spans(const Line *l, SoftTree *out)
{
    const cJSON *list = json_file_member(l->json.root, "spans"), *x;
    if (!list) return OK;
    if (!cJSON_IsArray(list)) return fail(l, list, "found another value, expected an array \"spans\"");
    double sum = 0, whole = 0;
    SoftSpan *spans = arena_alloc(&l->tb->arena, (size_t)cJSON_GetArraySize(list), sizeof *spans);
    if (!spans) return out_of_memory(l);
    cJSON_ArrayForEach(x, list)
    {
        SoftSpan *to = &spans[out->n_spans];
        Status s = read_span(l, x, spans, out->n_spans, &sum, to);
        if (s != OK) return s;
        if (same_place(to, &(SoftSpan){ { 0, l->sent->n_words, 0 }, 0 })) whole = sum;
        out->n_spans++;
    }
    if (whole == 0) return fail(l, list, "found no label of the whole sentence, expected one at least");
    for (int k = 0; k < out->n_spans && same_place(&spans[k], &spans[0]); k++)
        spans[k].p = (float)((double)spans[k].p / whole);
    out->spans = spans;
    return OK;
}

/* ---- a line */

static Status check_keys(const Line *l)
{
    static const char *const known[] = { "treebank", "words", "tags", "heads", "types", "spans" };
    for (const cJSON *x = l->json.root->child; x; x = x->next) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(x->string, known[k]) != 0) k++;
        if (k == sizeof known / sizeof *known)
            return json_file_key_fault(&l->json, x, l->e,
                                       "unknown key \"%s\", expected treebank, words, tags, heads, types or spans",
                                       x->string);
        if (json_file_member(l->json.root, known[k]) != x) return fail(l, x, "found \"%s\" twice or null", known[k]);
    }
    return OK;
}

static Status read_targets(Line *l, SoftTargets *t, int *treebank)
{
    const cJSON *name = json_file_member(l->json.root, "treebank");
    SoftBank *b = l->b;
    Status s = check_keys(l);
    if (s == OK && name) s = read_text(l, name, "treebank", tree_is_word, &b->treebanks, treebank);
    if (s == OK) s = read_words(l);
    if (s == OK) s = read_rows(l, "tags", "tag", &b->tags, &t->tags);
    if (s == OK) s = read_rows(l, "heads", "head", NULL, &t->heads);
    if (s == OK) s = take_heads(l, t);
    if (s == OK) s = read_rows(l, "types", "type", &b->types, &t->types);
    if (s == OK && t->types.start && !t->heads.start)
        s = fail(l, json_file_member(l->json.root, "types"), "found types without heads, expected both");
    t->tree.n_words = l->sent->n_words;
    if (s == OK) s = read_spans(l, &t->tree);
    if (s == OK && !t->tags.start && !t->heads.start && !t->tree.n_spans)
        s = fail(l, l->json.root, "found no probabilities, expected tags, heads or spans");
    if (s == OK && (!take_decided(l, &t->tags, &b->tags, &l->sent->tags) ||
                    !take_decided(l, &t->types, &b->types, &l->sent->types)))
        s = out_of_memory(l);
    return s;
}

static Status read_line(Treebank *tb, SoftBank *b, StrView text, const char *path, long number, Error *e)
{
    Error why = { 0 };
    Line l = { .tb = tb, .b = b, .e = &why };
    Status s = json_file_parse(&l.json, text, path, &why);
    if (s == OK && !(mem_reserve(b->each, &b->cap, b->n + 1) && mem_reserve(b->treebank, &b->treebank_cap, b->n + 1) &&
                     (l.sent = treebank_add(tb))))
        s = out_of_memory(&l);
    if (s == OK) {
        l.sent->line = number;
        b->each[b->n] = (SoftTargets){ .tree = { 0 } };
        b->treebank[b->n] = -1;
        s = read_targets(&l, &b->each[b->n], &b->treebank[b->n]);
        b->n++;
    }
    json_file_fini(&l.json);
    if (s == OK) return OK;
    bool placed = why.path[0] != 0;
    return error_at(e, s, placed ? why.path : NULL, placed ? number : 0, placed ? why.column : 0, "%s", why.message);
}

static bool is_blank(StrView line)
{
    size_t k = 0;
    while (k < line.len && memchr(" \t\r", line.ptr[k], 3)) k++;
    return k == line.len;
}

static Status read_lines(Treebank *tb, SoftBank *b, TextStream *in, Error *e)
{
    TextBlock block;
    bool whole;
    Status s;
    while ((s = stream_next(in, BLOCK, LINE_MOST, &block, &whole, e)) == OK && block.text.len) {
        StrView line;
        long number = block.line;
        if (!whole)
            return error_at(e, ERR_LIMIT, block.path, number, 0, "found a line of more than %d bytes", LINE_MOST);
        for (size_t at = 0; s == OK && text_line(block.text, &at, &line); number++)
            if (!is_blank(line)) s = read_line(tb, b, line, block.path, number, e);
        if (s != OK) return s;
    }
    return s == OK && b->n == 0 ? error_at(e, ERR_FORMAT, in->path, 1, 1, "found no sentence, expected soft targets")
                                : s;
}

Status soft_file_load(Treebank *tb, SoftBank **bank, const char *path, Error *error)
{
    TextStream in;
    SoftBank *b = *bank = mem_calloc(1, sizeof *b);
    if (!b) return error_set(error, ERR_NOMEM, "out of memory reading soft targets");
    Vocab *const vocabs[] = { &b->tags, &b->types, &b->labels, &b->treebanks };
    for (size_t k = 0; k < sizeof vocabs / sizeof *vocabs; k++) vocab_init(vocabs[k]);
    map_init(&b->words);
    Status s = stream_open(&in, path, (StreamOptions){ .skip_mark = true }, stream_cut_lines, error);
    if (s == OK) s = read_lines(tb, b, &in, error);
    stream_close(&in);
    if (s != OK) {
        soft_bank_free(b);
        *bank = NULL;
    }
    return s;
}

void soft_bank_free(SoftBank *bank)
{
    if (!bank) return;
    Vocab *const vocabs[] = { &bank->tags, &bank->types, &bank->labels, &bank->treebanks };
    for (size_t k = 0; k < sizeof vocabs / sizeof *vocabs; k++) vocab_fini(vocabs[k]);
    map_fini(&bank->words);
    mem_free_each(bank->each, bank->treebank, bank);
}
