/* A line is an object; classes and segments are checked against the sentences. */
#include "treebank/document_lines.h"

#include "base/json_file.h"

typedef struct Line {
    DocumentLines *d;
    const JsonFile *json;
    Error *e;
} Line;

void document_lines_init(DocumentLines *lines)
{
    *lines = (DocumentLines){ 0 };
    arena_init(&lines->arena, 1 << 16);
}

void document_lines_fini(DocumentLines *lines)
{
    mem_free(lines->d);
    arena_fini(&lines->arena);
    *lines = (DocumentLines){ 0 };
}

static Status out_of_memory(const Line *l)
{
    return error_set(l->e, ERR_NOMEM, "out of memory reading %s", l->json->path);
}

static const char *copy(const Line *l, const char *text) { return arena_strndup(&l->d->arena, text, strlen(text)); }

static Status read_id(const Line *l, const char **id)
{
    const char *text = NULL;
    Status status = json_file_string(l->json, l->json->root, "id", false, &text, l->e);
    for (const char *c = text; c && *c; c++)
        if ((unsigned char)*c < 0x20)
            return json_file_fault(l->json, json_file_member(l->json->root, "id"), l->e,
                                   "found an id with a control character");
    if (text && !(*id = copy(l, text))) return out_of_memory(l);
    return status;
}

/* The list `name` of *n values; NULL without one. */
static Status find_list(const Line *l, const char *name, const cJSON **list, int *n)
{
    *list = json_file_member(l->json->root, name);
    *n = cJSON_GetArraySize(*list);
    if (!*list || cJSON_IsArray(*list)) return OK;
    return json_file_fault(l->json, *list, l->e, "found %s that are no list", name);
}

static Status read_texts(const Line *l, const char *name, TextList *out)
{
    const cJSON *list, *value;
    int n;
    Status status = find_list(l, name, &list, &n);
    if (status != OK || !list) return status;
    if (!(out->text = arena_alloc(&l->d->arena, (size_t)n + 1, sizeof *out->text))) return out_of_memory(l);
    cJSON_ArrayForEach(value, list)
    {
        if (!cJSON_IsString(value))
            return json_file_fault(l->json, value, l->e, "found a value that is no text, expected a sentence");
        const char *text = copy(l, value->valuestring);
        if (!text) return out_of_memory(l);
        out->text[out->n++] = (StrView){ text, strlen(text) };
    }
    return OK;
}

static Status read_classes(const Line *l, DocumentLine *d)
{
    const cJSON *list, *value;
    int n;
    Status status = find_list(l, "classes", &list, &n);
    if (status == OK && list && n != d->sentences.n)
        return json_file_fault(l->json, list, l->e, "found %d classes, expected one for each of the %d sentences", n,
                               d->sentences.n);
    if (status == OK) status = read_texts(l, "classes", &d->classes);
    if (status != OK) return status;
    cJSON_ArrayForEach(value, list)
    {
        const char *text = value->valuestring;
        size_t len = strlen(text), control = 0;
        while (control < len && (unsigned char)text[control] >= 0x20 && text[control] != 0x7f) control++;
        if (!len || len > CLASS_NAME_MOST || control < len)
            return json_file_fault(l->json, value, l->e,
                                   "found a class of %zu bytes%s, expected 1 to %d bytes without control characters",
                                   len, control < len ? " with a control character" : "", CLASS_NAME_MOST);
    }
    return OK;
}

static Status read_segments(const Line *l, DocumentLine *d)
{
    const cJSON *list, *value;
    int n, most = d->sentences.text ? d->sentences.n - 1 : INT32_MAX;
    Status status = find_list(l, "segments", &list, &n);
    if (status != OK || !list) return status;
    if (!(d->begin = arena_alloc(&l->d->arena, (size_t)n + 1, sizeof *d->begin))) return out_of_memory(l);
    cJSON_ArrayForEach(value, list)
    {
        int begin, least = d->n_segments ? d->begin[d->n_segments - 1] + 1 : 0;
        if (!cJSON_IsObject(value)) return json_file_fault(l->json, value, l->e, "found a segment that is no object");
        status = json_file_whole(l->json, value, "begin", true, least, d->n_segments ? most : 0, &begin, l->e);
        if (status != OK) return status;
        d->begin[d->n_segments++] = begin;
    }
    return OK;
}

static Status read_document(void *context, const JsonFile *j, long line, Error *e)
{
    DocumentLine d = { .line = line };
    const Line own = { .d = context, .json = j, .e = e }, *l = &own;
    Status status = read_id(l, &d.id);
    if (status == OK) status = read_texts(l, "sentences", &d.sentences);
    if (status == OK) status = read_texts(l, "summary", &d.summary);
    if (status == OK) status = read_segments(l, &d);
    if (status == OK) status = read_classes(l, &d);
    if (status != OK) return status;
    if (!mem_reserve(l->d->d, &l->d->cap, l->d->n + 1)) return out_of_memory(l);
    l->d->d[l->d->n++] = d;
    return OK;
}

Status document_lines_read(DocumentLines *lines, TextBlock block, Error *error)
{
    return json_file_lines(block, read_document, lines, error);
}
