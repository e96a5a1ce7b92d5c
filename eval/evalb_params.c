/* Reads parameter files as EVALB does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "eval/evalb_internal.h"

void evalb_params_init(EvalbParams *params)
{
    *params = (EvalbParams){ .max_error = 10, .cutoff_len = 40, .labeled = true };
    arena_init(&params->arena, 4096);
}

void evalb_params_fini(EvalbParams *params)
{
    mem_free_each(params->delete_label.items, params->delete_length.items, params->quote_label.items,
                  params->eq_label.items, params->eq_word.items);
    arena_fini(&params->arena);
}

static bool list_add(EvalbParams *p, EvalbList *list, StrView value)
{
    const char *copy = arena_strndup(&p->arena, value.ptr, value.len);
    if (!copy || !mem_reserve(list->items, &list->cap, list->n + 1)) return false;
    list->items[list->n++] = copy;
    return true;
}

/* Removes the next word from the beginning of the text. */
static StrView next_word(StrView *text)
{
    size_t from = 0, to;
    while (from < text->len && evalb_space(text->ptr[from])) from++;
    for (to = from; to < text->len && !evalb_space(text->ptr[to]);) to++;
    StrView word = { text->ptr + from, to - from };
    *text = (StrView){ text->ptr + to, text->len - to };
    return word;
}

/* Writes a message that quotes a file or its name, as a terminal may show it. */
static void quote(FILE *err, const char *format, const char *text)
{
    StrBuf shown = { 0 };
    strbuf_visible(&shown, text, strlen(text));
    fprintf(err, format, shown.ptr ? shown.ptr : "");
    strbuf_fini(&shown);
}

static bool pair_add(EvalbParams *p, EvalbList *list, const char *keyword, StrView value, FILE *err)
{
    StrView a = next_word(&value), b = next_word(&value);
    if (!b.len || next_word(&value).len) {
        fprintf(err, "%s requires two values\n", keyword);
        return true;
    }
    return list_add(p, list, a) && list_add(p, list, b);
}

/* Does the line begin with the keyword, followed by white space or its end? */
static bool has_keyword(StrView line, const char *keyword)
{
    size_t n = strlen(keyword);
    return line.len >= n && memcmp(line.ptr, keyword, n) == 0 && (line.len == n || evalb_space(line.ptr[n]));
}

/* Writes a message about an empty value. Then nothing is added to a list, and a number is set to 0. (EVALB uses the
 * value that an earlier line has left in its buffer.) */
static void check_value(StrView value, long number, FILE *err)
{
    if (!value.len) fprintf(err, "Empty value in parameter file (%ld)\n", number);
}

/* line.ptr is NUL-terminated, value is its end. false when out of memory. */
static bool set_list(EvalbParams *p, StrView line, StrView value, long number, FILE *err, bool *known)
{
    const struct {
        const char *keyword;
        EvalbList *single, *pairs;
    } lists[] = { { "DELETE_LABEL", &p->delete_label, NULL },
                  { "DELETE_LABEL_FOR_LENGTH", &p->delete_length, NULL },
                  { "QUOTE_LABEL", &p->quote_label, NULL },
                  { "EQ_LABEL", NULL, &p->eq_label },
                  { "EQ_WORD", NULL, &p->eq_word } };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        if (!has_keyword(line, lists[k].keyword)) continue;
        *known = true;
        if (lists[k].pairs) return pair_add(p, lists[k].pairs, lists[k].keyword, value, err);
        check_value(value, number, err);
        return !value.len || list_add(p, lists[k].single, value);
    }
    return true;
}

static bool set_number(EvalbParams *p, StrView line, StrView value, long number, FILE *err)
{
    int labeled = p->labeled;
    const struct {
        const char *keyword;
        int *value;
    } numbers[] = { { "DEBUG", &p->debug },
                    { "MAX_ERROR", &p->max_error },
                    { "CUTOFF_LEN", &p->cutoff_len },
                    { "LABELED", &labeled } };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        if (!has_keyword(line, numbers[k].keyword)) continue;
        check_value(value, number, err);
        *numbers[k].value = (int)strtol(value.ptr, NULL, 10);
        p->labeled = labeled != 0;
        return true;
    }
    return false;
}

/* Reads a line, after removing white space at its end. A line of less than three characters is ignored; a line that
 * begins with white space has no keyword. false when out of memory. */
static bool read_line(EvalbParams *p, char *text, long number, FILE *err)
{
    size_t len = strlen(text), at = 0;
    while (len > 1 && evalb_space(text[len - 1])) len--;
    text[len] = 0;
    if (text[0] == '#' || len < 3) return true;
    while (at < len && !evalb_space(text[at])) at++;
    while (at < len && evalb_space(text[at])) at++;
    StrView line = { text, len }, value = { text + at, len - at };
    bool known = set_number(p, line, value, number, err);
    if (!known && !set_list(p, line, value, number, err, &known)) return false;
    if (!known) quote(err, "Unknown keyword (%s) in parameter file\n", text);
    return true;
}

Status evalb_params_read(EvalbParams *params, const char *path, FILE *err, bool *stopped, Error *error)
{
    char *line = NULL;
    size_t cap = 0;
    Status s = OK;
    FILE *f = fopen(path, "r");
    *stopped = !f;
    if (!f && errno == ENOMEM) return error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    if (!f) {
        quote(err, "Can't open parameter file (%s)\n", path);
        return OK;
    }
    for (long number = 1; s == OK && getline(&line, &cap, f) >= 0; number++)
        if (!read_line(params, line, number, err)) s = error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    if (s == OK && ferror(f)) s = error_at(error, ERR_IO, path, 0, 0, "cannot read: %s", strerror(errno));
    else if (s == OK && !feof(f)) s = error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    free(line);
    fclose(f);
    return s;
}
