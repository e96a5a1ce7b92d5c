/* A line is an object; mentions are read in their order, so that antecedents are numbers of
 * those before. */
#include "treebank/coref_lines.h"

#include "base/json_file.h"
#include "treebank/tree.h"

const char *const MENTION_TYPE_NAMES[MENTION_TYPES] = { "pronominal", "proper", "nominal" };
static const char *const FEATURE_NAMES[MENTION_FEATURES] = { "number", "gender", "person" };

typedef struct Line {
    CorefLines *c;
    CorefPiece piece;
    const JsonFile *json;
    Error *e;
} Line;

void coref_lines_init(CorefLines *lines)
{
    *lines = (CorefLines){ 0 };
    arena_init(&lines->arena, 1 << 16);
}

void coref_lines_fini(CorefLines *lines)
{
    mem_free(lines->p);
    arena_fini(&lines->arena);
    *lines = (CorefLines){ 0 };
}

static Status out_of_memory(const Line *l)
{
    return error_set(l->e, ERR_NOMEM, "out of memory reading %s", l->json->path);
}

static const char *copy(const Line *l, const char *text) { return arena_strndup(&l->c->arena, text, strlen(text)); }

/* The list `name` of an object, *n values. */
static Status find_list(const Line *l, const cJSON *object, const char *name, const cJSON **list, int *n)
{
    *list = json_file_member(object, name);
    *n = cJSON_GetArraySize(*list);
    if (cJSON_IsArray(*list)) return OK;
    return json_file_fault(l->json, *list ? *list : object, l->e, "found no list %s", name);
}

static Status read_words(Line *l)
{
    CorefPiece *p = &l->piece;
    const cJSON *list, *value;
    int n;
    Status status = find_list(l, l->json->root, "words", &list, &n);
    if (status != OK) return status;
    if (!(p->words = arena_alloc(&l->c->arena, (size_t)n + 1, sizeof *p->words))) return out_of_memory(l);
    cJSON_ArrayForEach(value, list)
    {
        const char *word = cJSON_GetStringValue(value);
        if (!word || !tree_is_word((StrView){ word, strlen(word) }))
            return json_file_fault(l->json, value, l->e, "found a value that is no word, expected a text on one line");
        if (!(p->words[p->n_words++] = copy(l, word))) return out_of_memory(l);
    }
    return OK;
}

static Status read_type(const Line *l, const cJSON *mention, Mention *m)
{
    const char *name = NULL;
    Status status = json_file_string(l->json, mention, "type", true, &name, l->e);
    int type = 0;
    if (status != OK) return status;
    while (type < MENTION_TYPES && strcmp(name, MENTION_TYPE_NAMES[type]) != 0) type++;
    m->type = (MentionType)type;
    if (type < MENTION_TYPES) return OK;
    return json_file_fault(l->json, json_file_member(mention, "type"), l->e,
                           "found the type '%s', expected pronominal, proper or nominal", name);
}

static Status read_features(const Line *l, const cJSON *mention, Mention *m)
{
    Status status = OK;
    for (int k = 0; k < MENTION_FEATURES && status == OK; k++) {
        m->feature[k] = "";
        status = json_file_string(l->json, mention, FEATURE_NAMES[k], false, &m->feature[k], l->e);
        if (status == OK && !(m->feature[k] = copy(l, m->feature[k]))) return out_of_memory(l);
    }
    return status;
}

static bool overlap(const Mention *a, const Mention *b) { return a->begin < b->end && b->begin < a->end; }

/* Mention number `of`, whose antecedents come before it. */
static Status read_antecedents(const Line *l, const cJSON *mention, int of)
{
    Mention *m = &l->piece.mentions[of];
    const cJSON *list, *value;
    int n;
    Status status = find_list(l, mention, "antecedents", &list, &n);
    if (status != OK) return status;
    if (!(m->antecedents = arena_alloc(&l->c->arena, (size_t)n + 1, sizeof *m->antecedents))) return out_of_memory(l);
    cJSON_ArrayForEach(value, list)
    {
        int least = m->n_antecedents ? m->antecedents[m->n_antecedents - 1] + 1 : 0, k = -1;
        if (cJSON_IsNumber(value) && value->valuedouble >= least && value->valuedouble < of)
            k = (int)value->valuedouble;
        const Mention *a = &l->piece.mentions[k < 0 ? 0 : k];
        if (k < 0 || k != value->valuedouble || a->head >= m->head || overlap(a, m))
            return json_file_fault(l->json, value, l->e,
                                   "found an antecedent that is no mention before this one, expected rising numbers of "
                                   "mentions whose heads are before, without overlap");
        m->antecedents[m->n_antecedents++] = k;
    }
    return OK;
}

static Status read_mention(Line *l, const cJSON *mention, int of)
{
    CorefPiece *p = &l->piece;
    Mention *m = &p->mentions[of];
    if (!cJSON_IsObject(mention)) return json_file_fault(l->json, mention, l->e, "found a mention that is no object");
    int least = of ? p->mentions[of - 1].head : 0;
    Status status = json_file_whole(l->json, mention, "begin", true, 0, p->n_words - 1, &m->begin, l->e);
    if (status == OK) status = json_file_whole(l->json, mention, "end", true, m->begin + 1, p->n_words, &m->end, l->e);
    if (status == OK) status = json_file_whole(l->json, mention, "head", true, m->begin, m->end - 1, &m->head, l->e);
    if (status == OK && m->head < least)
        return json_file_fault(l->json, mention, l->e, "found the head %d after %d, expected mentions by rising heads",
                               m->head, least);
    if (status == OK) status = read_type(l, mention, m);
    if (status == OK) status = read_features(l, mention, m);
    return status == OK ? read_antecedents(l, mention, of) : status;
}

static Status read_piece(Line *l)
{
    CorefPiece *p = &l->piece;
    const cJSON *list, *value;
    const char *id = NULL;
    int n;
    Status status = json_file_string(l->json, l->json->root, "id", false, &id, l->e);
    if (status == OK && id && !(p->id = copy(l, id))) return out_of_memory(l);
    if (status == OK) status = read_words(l);
    if (status == OK) status = find_list(l, l->json->root, "mentions", &list, &n);
    if (status != OK) return status;
    if (!(p->mentions = arena_calloc(&l->c->arena, (size_t)n + 1, sizeof *p->mentions))) return out_of_memory(l);
    cJSON_ArrayForEach(value, list)
    {
        if ((status = read_mention(l, value, p->n_mentions)) != OK) return status;
        p->n_mentions++;
    }
    if (!mem_reserve(l->c->p, &l->c->cap, l->c->n + 1)) return out_of_memory(l);
    l->c->p[l->c->n++] = *p;
    return OK;
}

static Status read_line(void *context, const JsonFile *j, long line, Error *e)
{
    Line l = { .c = context, .piece = { .line = line }, .json = j, .e = e };
    return read_piece(&l);
}

Status coref_lines_read(CorefLines *lines, TextBlock block, Error *error)
{
    return json_file_lines(block, read_line, lines, error);
}
