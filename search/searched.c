/* Words come from the tree's leaves, or else from the graph's words; decisions from the members of JSON. */
#include "search/searched.h"

#include <math.h>

#include "treebank/conll.h"
#include "treebank/json_lines.h"

void searched_fini(Searched *sentence)
{
    node_tree_fini(&sentence->tree);
    if (sentence->arena.block_size) arena_fini(&sentence->arena);
    if (sentence->json.arena.block_size) treebank_fini(&sentence->json);
    *sentence = (Searched){ 0 };
}

static void begin(Searched *x)
{
    NodeTree tree = x->tree;
    Arena arena = x->arena;
    Treebank json = x->json;
    if (arena.block_size) arena_reset(&arena);
    else arena_init(&arena, 1 << 14);
    *x = (Searched){ .tree = tree, .arena = arena, .json = json, .p_tree = NAN, .expected_f1 = NAN, .p = NAN };
    x->tree.n = 0;
}

static Status no_memory(Error *error) { return error_set(error, ERR_NOMEM, "out of memory"); }

static Status words_of_tree(Searched *x, const StrMap *labels, Error *error)
{
    x->word = arena_alloc(&x->arena, (size_t)x->tree.n, sizeof *x->word);
    if (!x->word) return no_memory(error);
    for (int k = 0; k < x->tree.n; k++)
        if (node_is_leaf(&x->tree, k)) x->word[x->n_words++] = labels->keys[x->tree.label[k]];
    return OK;
}

/* Removes the beginning of a text. */
static void advance(TextBlock *rest, size_t n)
{
    const char *at = rest->text.ptr, *end = at + n;
    for (const char *line; (line = memchr(at, '\n', (size_t)(end - at))); at = line + 1) {
        rest->line++;
        rest->column = 1;
    }
    rest->column += end - at;
    rest->text = (StrView){ end, rest->text.len - n };
}

static void skip_headers(TextBlock *rest)
{
    StrView line;
    for (size_t at = 0; rest->text.len; at = 0) {
        while (at < rest->text.len && memchr(" \t\r\n", rest->text.ptr[at], 4)) at++;
        advance(rest, at);
        at = 0;
        if (!rest->text.len || (*rest->text.ptr != '<' && *rest->text.ptr != '*')) return;
        text_line(rest->text, &at, &line);
        advance(rest, at);
    }
}

Status searched_brackets(Searched *sentence, StrMap *labels, TextBlock *rest, bool *found, Error *error)
{
    size_t at = 0;
    begin(sentence);
    skip_headers(rest);
    Status s = node_tree_read(&sentence->tree, labels, *rest, &at, found, error);
    if (s != OK || !*found) return s;
    sentence->has_tree = true;
    sentence->line = rest->line;
    sentence->source = (StrView){ rest->text.ptr, at };
    advance(rest, at);
    return words_of_tree(sentence, labels, error);
}

/* The value of a comment "# name = value". */
static StrView comment(StrView line, const char *name)
{
    size_t n = strlen(name), at = 1;
    while (at < line.len && line.ptr[at] == ' ') at++;
    if (!line.len || line.ptr[0] != '#' || line.len - at < n || memcmp(line.ptr + at, name, n) != 0)
        return (StrView){ NULL, 0 };
    for (at += n; at < line.len && line.ptr[at] == ' ';) at++;
    if (at == line.len || line.ptr[at] != '=') return (StrView){ NULL, 0 };
    for (at++; at < line.len && line.ptr[at] == ' ';) at++;
    return (StrView){ line.ptr + at, line.len - at };
}

/* The rows of the next sentence, with the comments before them, without the empty line after them; *text: what they say
 * of its text. */
static StrView next_rows(TextBlock *rest, StrView *text)
{
    StrView line;
    bool rows = false;
    size_t at = 0, end = 0;
    while (text_line(rest->text, &at, &line) && !line.len) end = at;
    advance(rest, end);
    for (at = end = 0; text_line(rest->text, &at, &line) && line.len; end = at) {
        StrView value = comment(line, "text");
        if (value.ptr) *text = value;
        rows |= line.ptr[0] != '#';
    }
    StrView source = { rest->text.ptr, rows ? end : 0 };
    return source;
}

Status searched_rows(Searched *sentence, TextBlock *rest, GraphKind graph, bool *found, Error *error)
{
    Searched *x = sentence;
    StrView text = { NULL, 0 };
    Error below = { 0 };
    const DepNodes before = { .glued = x->graph.glued };
    begin(x);
    x->source = next_rows(rest, &text);
    x->line = rest->line;
    *found = x->source.len > 0;
    if (!*found) return OK;
    if (text.ptr && !(x->text = arena_strndup(&x->arena, text.ptr, text.len))) return no_memory(error);
    Status s = dep_nodes_read(&x->graph, x->source, graph != GRAPH_BASIC, &x->arena, &below);
    if (s == OK && graph == GRAPH_AUTO && !x->graph.n)
        s = dep_nodes_read(&x->graph, x->source, false, &x->arena, &below);
    if (s != OK) {
        long line = s == ERR_FORMAT ? rest->line + below.line - 1 : 0;
        return error_at(error, s, rest->path, line, below.column, "%s", below.message);
    }
    dep_nodes_follow(&x->graph, &before);
    x->has_graph = true;
    x->word = x->graph.word;
    x->n_words = x->graph.n_words;
    advance(rest, x->source.len);
    return OK;
}

Status searched_sentence(Searched *sentence, StrMap *labels, const Sentence *from, const char *top, GraphKind graph,
                         Error *error)
{
    Status s = OK;
    begin(sentence);
    sentence->from = from;
    sentence->has_tree = from->has_tree;
    sentence->has_graph = graph == GRAPH_ENHANCED ? from->graph != NULL : from->heads != NULL;
    sentence->line = from->line;
    sentence->n_words = from->n_words;
    sentence->word = from->words;
    if (sentence->has_tree) s = node_tree_of(&sentence->tree, labels, from, top, error);
    if (s == OK && sentence->has_graph)
        s = dep_nodes_of(&sentence->graph, from, graph != GRAPH_BASIC, &sentence->arena, error);
    return s;
}

/* Phrases are the nodes between the root and the tags. */
Status searched_decide(Searched *sentence, const Belief *decisions, int n, Error *error)
{
    const NodeTree *t = &sentence->tree;
    Belief *to = sentence->phrase = arena_alloc(&sentence->arena, (size_t)t->n, sizeof *to);
    if (!to) return no_memory(error);
    for (int k = 0, next = 0; k < t->n; k++) {
        to[k] = (Belief){ .p = NAN, .part = NAN };
        if (k == 0 || node_is_leaf(t, k) || node_is_leaf(t, k + 1) || next == n) continue;
        bool chained = k > 1 && t->parent[k] == k - 1 && t->n_children[k - 1] == 1;
        to[k] = chained ? to[k - 1] : decisions[next];
        next++;
    }
    return OK;
}

/* ---- JSON */

bool searched_line(TextBlock *rest, TextBlock *line)
{
    do {
        size_t at = 0;
        *line = *rest;
        if (!text_line(rest->text, &at, &line->text)) return false;
        rest->line++;
        rest->text = (StrView){ rest->text.ptr + at, rest->text.len - at };
    } while (!line->text.len);
    return true;
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = json_get(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static Belief belief_of(const cJSON *object)
{
    const cJSON *first = cJSON_GetArrayItem(json_get(object, "why"), 0);
    const char *head = cJSON_GetStringValue(json_get(first, "head"));
    Belief d = { .p = number(object, "p_joint"), .part = number(first, "part") };
    if (isnan(d.p)) d.p = number(object, "p");
    for (const char *at = head && !strncmp(head, "label:", 6) ? head + 6 : ""; *at >= '0' && *at <= '9'; at++)
        d.head = d.head < 100000 ? 10 * d.head + (*at - '0') : d.head;
    return d;
}

static Status phrase_beliefs(Searched *x, const cJSON *phrases, Error *error)
{
    int n = cJSON_GetArraySize(phrases), k = 0;
    Belief *all = arena_alloc(&x->arena, (size_t)n, sizeof *all);
    const cJSON *item;
    if (!all) return no_memory(error);
    cJSON_ArrayForEach(item, phrases) all[k++] = belief_of(item);
    return searched_decide(x, all, n, error);
}

/* Sets the place of each word in the text, and what is said of its arc. */
static Status word_beliefs(Searched *x, const cJSON *tokens, Error *error)
{
    const cJSON *token;
    bool places = true;
    int w = 0;
    x->arc = arena_alloc(&x->arena, (size_t)x->n_words, sizeof *x->arc);
    x->begin = arena_alloc(&x->arena, (size_t)x->n_words, sizeof *x->begin);
    x->end = arena_alloc(&x->arena, (size_t)x->n_words, sizeof *x->end);
    if (!x->arc || !x->begin || !x->end) return no_memory(error);
    cJSON_ArrayForEach(token, tokens)
    {
        double from = number(token, "begin"), to = number(token, "end");
        places = places && from >= 0 && to >= from && to < 1e15;
        x->begin[w] = places ? (long)from : 0;
        x->end[w] = places ? (long)to : 0;
        x->arc[w++] = belief_of(token);
    }
    if (!places) x->begin = x->end = NULL;
    return OK;
}

static Status copy_string(Searched *x, const cJSON *object, const char *name, const char **to, Error *error)
{
    const char *text = cJSON_GetStringValue(json_get(object, name));
    if (text && !(*to = arena_strndup(&x->arena, text, strlen(text)))) return no_memory(error);
    return OK;
}

static Status read_line(Searched *x, StrMap *labels, const cJSON *object, TextBlock line, const char *top,
                        GraphKind graph, Error *error)
{
    const cJSON *sure = json_get(object, "confidence");
    Status s = json_lines_object(&x->json, object, line.path, line.line, (JsonOptions){ .keep_columns = true }, error);
    if (s == OK) s = searched_sentence(x, labels, &x->json.s[0], top, graph, error);
    if (s == OK && x->has_tree) s = phrase_beliefs(x, json_get(object, "constituents"), error);
    if (s == OK) s = word_beliefs(x, json_get(object, "tokens"), error);
    if (s == OK) s = copy_string(x, object, "text", &x->text, error);
    if (s == OK) s = copy_string(x, object, "document", &x->document, error);
    if (s != OK) return s;
    double id = number(object, "id"), at = number(object, "line");
    x->id = id > 0 && id < 1e15 ? (long)id : 0;
    x->line = at > 0 && at < 1e15 ? (long)at : 0;
    x->p_tree = number(sure, "p_tree");
    x->expected_f1 = number(sure, "expected_f1");
    return OK;
}

/* Gives a line the tree and the arcs of one of its best parses, and takes what is said of the first one's. */
static void take_best(cJSON *object, cJSON *best)
{
    cJSON *token, *head = json_get(best, "heads") ? json_get(best, "heads")->child : NULL,
                  *type = json_get(best, "types") ? json_get(best, "types")->child : NULL;
    static const char *const gone[] = { "head", "type", "p", "p_joint", "enhanced", "why" };
    cJSON_DeleteItemFromObjectCaseSensitive(object, "constituents");
    cJSON_AddItemToObject(object, "constituents", cJSON_DetachItemFromObjectCaseSensitive(best, "constituents"));
    cJSON_ArrayForEach(token, json_get(object, "tokens"))
    {
        for (size_t k = 0; k < sizeof gone / sizeof *gone; k++) cJSON_DeleteItemFromObjectCaseSensitive(token, gone[k]);
        if (!head || !type) continue;
        cJSON_AddNumberToObject(token, "head", cJSON_GetNumberValue(head));
        cJSON_AddStringToObject(token, "type", cJSON_IsString(type) ? type->valuestring : "");
        head = head->next;
        type = type->next;
    }
}

/* rank 0: the line itself */
static Status read_parse(Searched *x, StrMap *labels, TextBlock line, const char *top, GraphKind graph, int rank,
                         bool *found, Error *error)
{
    cJSON *object = NULL;
    Treebank *tb = &x->json;
    if (tb->arena.block_size) arena_reset(&tb->arena);
    else treebank_init(tb);
    tb->n = 0;
    Status s = json_parse(line.text.ptr, line.text.len, &object, error);
    if (s == ERR_FORMAT)
        s = error_at(error, s, line.path, line.line, 1, "found a line that is no JSON, expected an object");
    cJSON *best = rank ? cJSON_GetArrayItem(json_get(object, "kbest"), rank - 1) : NULL;
    *found = !rank || best;
    double p = number(best, "p");
    if (best) take_best(object, best);
    if (s == OK && *found) s = read_line(x, labels, object, line, top, graph, error);
    if (s == OK && *found) {
        x->rank = rank;
        x->p = p;
    }
    cJSON_Delete(object);
    return s;
}

Status searched_json(Searched *sentence, StrMap *labels, TextBlock line, const char *top, GraphKind graph, Error *error)
{
    bool found;
    return read_parse(sentence, labels, line, top, graph, 0, &found, error);
}

Status searched_best(Searched *sentence, StrMap *labels, TextBlock line, const char *top, int rank, bool *found,
                     Error *error)
{
    return read_parse(sentence, labels, line, top, GRAPH_BASIC, rank, found, error);
}

/* ---- words */

int searched_begin(const Searched *sentence, int node) { return sentence->tree.leaf[node]; }

int searched_end(const Searched *sentence, int node)
{
    const NodeTree *t = &sentence->tree;
    return t->end[node] < t->n ? t->leaf[t->end[node]] : sentence->n_words;
}

int searched_word(const Searched *sentence, int graph_node)
{
    const DepNode *node = &sentence->graph.node[graph_node];
    return node->copy ? -1 : node->number - 1;
}

int searched_graph_node(const Searched *sentence, int word)
{
    return sentence->has_graph ? dep_nodes_find(&sentence->graph, word + 1, 0) : -1;
}

/* Is the word a root, or has it a governor outside begin .. end - 1? */
static bool leads_out(const Searched *x, int word, int from, int to)
{
    int node = searched_graph_node(x, word);
    const DepNode *n = node < 0 ? NULL : &x->graph.node[node];
    if (!n || n->is_root) return n != NULL;
    for (int k = 0; k < n->n_up; k++) {
        int governor = searched_word(x, x->graph.edge[x->graph.up[n->first_up + k]].governor);
        if (governor < from || governor >= to) return true;
    }
    return false;
}

int searched_head(Searched *sentence, const StrMap *labels, int node)
{
    int from = searched_begin(sentence, node), to = searched_end(sentence, node);
    for (int w = from; sentence->has_graph && w < to; w++)
        if (leads_out(sentence, w, from, to)) return w;
    for (int child; !node_is_leaf(&sentence->tree, node); node = child)
        if ((child = node_head(&sentence->tree, labels, HEADS_COLLINS, node)) < 0) return -1;
    return searched_begin(sentence, node);
}

bool searched_is_glued(const Searched *sentence, int word)
{
    if (sentence->begin) return sentence->begin[word] <= sentence->end[word - 1];
    int node = searched_graph_node(sentence, word);
    return node >= 0 && !*sentence->graph.node[node].before;
}

void searched_text(StrBuf *out, const Searched *sentence, int begin, int end)
{
    for (int w = begin; w < end; w++) {
        if (w > begin && !searched_is_glued(sentence, w)) strbuf_putc(out, ' ');
        strbuf_puts(out, sentence->word[w]);
    }
}
