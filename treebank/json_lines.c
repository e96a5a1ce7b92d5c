/* A line is an object; tokens come first, then phrases, which must nest in their order. */
#include "treebank/json_lines.h"

#include <string.h>

#include "treebank/builder.h"

typedef struct Line {
    Treebank *tb;
    const char *path;
    long number;
    JsonOptions o;
    Error *e;
} Line;

static Status fail(const Line *l, const char *found)
{
    return error_at(l->e, ERR_FORMAT, l->path, l->number, 1, "%s", found);
}

static Status out_of_memory(const Line *l) { return error_set(l->e, ERR_NOMEM, "out of memory reading %s", l->path); }

/* A copy of a string that can be a word, name or label. NULL otherwise, or when out of memory. */
static const char *copy_text(const Line *l, const cJSON *value, bool (*can)(StrView))
{
    const char *text = cJSON_GetStringValue(value);
    if (!text || !can((StrView){ text, strlen(text) })) return NULL;
    return arena_strndup(&l->tb->arena, text, strlen(text));
}

/* A whole number from least to most - 1. */
static bool read_int(const cJSON *value, int least, int most, int *out)
{
    if (!cJSON_IsNumber(value) || value->valuedouble < least || value->valuedouble >= most) return false;
    *out = (int)value->valuedouble;
    return *out == value->valuedouble;
}

static bool is_free(const Line *l, const cJSON *head) { return l->o.partial && (!head || cJSON_IsNull(head)); }

/* Has a token a head, in partial annotation? */
static bool has_head(const Line *l, const cJSON *tokens)
{
    const cJSON *token;
    cJSON_ArrayForEach(token, tokens) if (!is_free(l, json_get(token, "head"))) return true;
    return false;
}

static bool has_all(const cJSON *tokens, const char *name)
{
    const cJSON *token;
    if (!tokens->child) return false;
    cJSON_ArrayForEach(token, tokens) if (!json_get(token, name)) return false;
    return true;
}

static Status read_arc(const Line *l, Sentence *sent, int w, const cJSON *token)
{
    int head = HEAD_FREE;
    const cJSON *item = json_get(token, "head"), *type = json_get(token, "type");
    bool no_head = is_free(l, item);
    if (!no_head && !read_int(item, -1, sent->n_words, &head))
        return fail(l, "found a head that is no token, expected an index from 0, or -1 for the root");
    sent->heads[w] = no_head ? HEAD_FREE : head + 1;
    sent->types[w] = l->o.partial && (!type || cJSON_IsNull(type)) ? "_" : copy_text(l, type, tree_is_name);
    return sent->types[w] ? OK : fail(l, "found an arc without a type, expected a text without blanks");
}

/* A column of names, "_" where a token has none. */
static const char **read_column(const Line *l, const Sentence *sent, const cJSON *tokens, const char *name)
{
    const char **column = arena_calloc(&l->tb->arena, (size_t)sent->n_words, sizeof *column);
    const cJSON *token;
    int w = 0;
    if (!column) return NULL;
    cJSON_ArrayForEach(token, tokens)
    {
        const char *text = copy_text(l, json_get(token, name), tree_is_word);
        column[w++] = text ? text : "_";
    }
    return column;
}

static Status read_graph(const Line *l, Sentence *sent, const cJSON *tokens)
{
    Arena *a = &l->tb->arena;
    const cJSON *token, *item;
    size_t most = 0;
    cJSON_ArrayForEach(token, tokens) most += (size_t)cJSON_GetArraySize(json_get(token, "enhanced"));
    DepGraph *graph = arena_alloc(a, 1, sizeof *graph);
    int *first = arena_alloc(a, (size_t)sent->n_words + 1, sizeof *first), w = 0, n = 0;
    GraphArc *arc = arena_alloc(a, most, sizeof *arc);
    if (!graph || !first || !arc) return out_of_memory(l);
    cJSON_ArrayForEach(token, tokens)
    {
        first[w++] = n;
        cJSON_ArrayForEach(item, json_get(token, "enhanced"))
        {
            const char *relation = copy_text(l, json_get(item, "type"), tree_is_name);
            if (!read_int(json_get(item, "head"), -1, sent->n_words, &arc[n].head) || !relation)
                return fail(l, "found an enhanced arc without a head among the tokens or without a type");
            arc[n].head++;
            arc[n++].relation = relation;
        }
    }
    first[w] = n;
    *graph = (DepGraph){ first, arc };
    sent->graph = graph;
    return OK;
}

static Status read_spaces(const Line *l, Sentence *sent, const cJSON *tokens)
{
    bool *space = arena_alloc(&l->tb->arena, (size_t)sent->n_words, sizeof *space);
    const cJSON *token;
    double end = -1;
    int w = 0;
    if (!space) return out_of_memory(l);
    cJSON_ArrayForEach(token, tokens)
    {
        space[w++] = cJSON_GetNumberValue(json_get(token, "begin")) != end;
        end = cJSON_GetNumberValue(json_get(token, "end"));
    }
    sent->space_before = space;
    return OK;
}

static Status read_columns(const Line *l, Sentence *sent, const cJSON *tokens)
{
    Status s = OK;
    sent->lemmas = read_column(l, sent, tokens, "lemma");
    sent->upos = read_column(l, sent, tokens, "upos");
    sent->feats = read_column(l, sent, tokens, "feats");
    if (!sent->lemmas || !sent->upos || !sent->feats) return out_of_memory(l);
    if (has_all(tokens, "enhanced")) s = read_graph(l, sent, tokens);
    return s == OK && has_all(tokens, "begin") && has_all(tokens, "end") ? read_spaces(l, sent, tokens) : s;
}

static Status read_tokens(const Line *l, Sentence *sent, const cJSON *tokens)
{
    size_t n = (size_t)sent->n_words;
    bool tags = has_all(tokens, "tag"), arcs = l->o.partial ? has_head(l, tokens) : has_all(tokens, "head");
    const cJSON *token;
    Arena *a = &l->tb->arena;
    int w = 0;
    sent->words = arena_calloc(a, n, sizeof *sent->words);
    if (tags) sent->tags = arena_calloc(a, n, sizeof *sent->tags);
    if (arcs) {
        sent->heads = arena_calloc(a, n, sizeof *sent->heads);
        sent->types = arena_calloc(a, n, sizeof *sent->types);
    }
    if (!sent->words || (tags && !sent->tags) || (arcs && (!sent->heads || !sent->types))) return out_of_memory(l);
    Status s = OK;
    cJSON_ArrayForEach(token, tokens)
    {
        sent->words[w] = copy_text(l, json_get(token, "form"), tree_is_word);
        if (!sent->words[w]) return fail(l, "found a token without a form, expected a text on one line");
        if (tags && !(sent->tags[w] = copy_text(l, json_get(token, "tag"), tree_is_name)))
            return fail(l, "found a tag that is no text without blanks");
        if (arcs && (s = read_arc(l, sent, w, token)) != OK) return s;
        w++;
    }
    const char *what = NULL;
    int at = 0;
    if (!arcs || l->o.partial || tree_heads_valid(sent->heads, sent->n_words, &at, &what)) return OK;
    if (!what) return out_of_memory(l);
    return error_at(l->e, ERR_FORMAT, l->path, l->number, 1, "found heads with %s, expected a tree", what);
}

static Status fail_label(const Line *l, const char *label)
{
    if (!label)
        return fail(l, "found a constituent without a label, expected a text without blanks and round brackets");
    return error_at(l->e, ERR_FORMAT, l->path, l->number, 1,
                    "found '%.*s' as the label of a constituent, expected one without blanks, round brackets and empty "
                    "parts",
                    utf8_first(label, 40), label);
}

/* Phrases in pre-order, each inside the one that is open before it. */
static Status read_phrases(const Line *l, Sentence *sent, const cJSON *list)
{
    size_t n = (size_t)cJSON_GetArraySize(list);
    const cJSON *item;
    int *open = arena_alloc(&l->tb->arena, n, sizeof *open), n_open = 0;
    sent->phrases = arena_alloc(&l->tb->arena, n, sizeof *sent->phrases);
    if (!open || !sent->phrases) return out_of_memory(l);
    cJSON_ArrayForEach(item, list)
    {
        Phrase *p = &sent->phrases[sent->n_phrases], *before = sent->n_phrases ? p - 1 : NULL;
        const char *label = cJSON_GetStringValue(json_get(item, "label"));
        p->label = copy_text(l, json_get(item, "label"), tree_is_label);
        if (!p->label) return fail_label(l, label);
        if (!read_int(json_get(item, "begin"), 0, sent->n_words, &p->begin) ||
            !read_int(json_get(item, "end"), p->begin + 1, sent->n_words + 1, &p->end))
            return fail(l, "found a constituent outside of the tokens, expected begin and end as indices");
        if (l->o.partial && before && p->begin == before->begin && p->end > before->end)
            return fail(l, "found constituents out of order, expected pre-order: by begin, longer ones first");
        while (n_open && sent->phrases[open[n_open - 1]].end <= p->begin) n_open--;
        bool crosses = !l->o.partial && n_open && sent->phrases[open[n_open - 1]].end < p->end;
        if ((before && p->begin < before->begin) || crosses)
            return fail(l, "found constituents that cross or are out of order, expected a tree in pre-order");
        if (n_open == TREE_MAX_DEPTH && !l->o.partial) return fail(l, "found constituents nested too deeply");
        open[n_open++] = sent->n_phrases++;
    }
    return OK;
}

/* What the tree must not have. */
static Status read_bans(const Line *l, Sentence *sent, const cJSON *list)
{
    Ban *bans = arena_alloc(&l->tb->arena, (size_t)cJSON_GetArraySize(list), sizeof *bans);
    const cJSON *item;
    if (!bans) return out_of_memory(l);
    sent->bans = bans;
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *token = json_get(item, "token"), *label = json_get(item, "label");
        Ban b = { .arc = token != NULL };
        if (b.arc && (!read_int(token, 0, sent->n_words, &b.begin) ||
                      !read_int(json_get(item, "head"), -1, sent->n_words, &b.end)))
            return fail(l, "found an arc in 'not' without a token and a head, expected indices, or -1 for the root");
        if (!b.arc && (!read_int(json_get(item, "begin"), 0, sent->n_words, &b.begin) ||
                       !read_int(json_get(item, "end"), b.begin + 1, sent->n_words + 1, &b.end)))
            return fail(l, "found a phrase in 'not' outside of the tokens, expected begin and end as indices");
        b.begin += b.arc;
        b.end += b.arc;
        if (!b.arc) b.label = label ? copy_text(l, label, tree_is_label) : "_";
        if (!b.arc && !b.label) return fail_label(l, cJSON_GetStringValue(label));
        bans[sent->n_bans++] = b;
    }
    return OK;
}

static Status read_object(const Line *l, const cJSON *object)
{
    const cJSON *tokens = json_get(object, "tokens"), *phrases = json_get(object, "constituents");
    if (!cJSON_IsArray(tokens)) return fail(l, "found no array \"tokens\", expected a line of lal parse --format json");
    Sentence *sent = treebank_add(l->tb);
    if (!sent) return out_of_memory(l);
    sent->n_words = cJSON_GetArraySize(tokens);
    sent->line = l->number;
    Status s = read_tokens(l, sent, tokens);
    if (s == OK && l->o.keep_columns) s = read_columns(l, sent, tokens);
    if (s == OK && cJSON_IsArray(phrases)) {
        sent->has_tree = true;
        s = read_phrases(l, sent, phrases);
    }
    if (s == OK && l->o.partial && cJSON_IsArray(json_get(object, "not")))
        s = read_bans(l, sent, json_get(object, "not"));
    if (s != OK) l->tb->n--;
    return s;
}

Status json_lines_object(Treebank *tb, const cJSON *object, const char *path, long number, JsonOptions options,
                         Error *error)
{
    const Line l = { tb, path, number, options, error };
    return read_object(&l, object);
}

Status json_lines_read(Treebank *tb, TextBlock block, JsonOptions options, Error *error)
{
    Line l = { tb, block.path, block.line, options, error };
    StrView line;
    Status s = OK;
    for (size_t at = 0; s == OK && text_line(block.text, &at, &line); l.number++) {
        cJSON *object = NULL;
        size_t bad = utf8_invalid(line.ptr, line.len), blank = 0;
        while (blank < line.len && memchr(" \t\r", line.ptr[blank], 3)) blank++;
        if (blank == line.len) continue;
        if (bad < line.len)
            return error_at(error, ERR_FORMAT, block.path, l.number, (long)bad + 1, "found bytes that are not UTF-8");
        s = json_parse(line.ptr, line.len, &object, error);
        if (s == ERR_FORMAT) s = fail(&l, "found a line that is no JSON, expected an object");
        if (s == OK) s = read_object(&l, object);
        cJSON_Delete(object);
    }
    return s;
}
