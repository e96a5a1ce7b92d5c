/* Lines are checked and cut at the tab; with a treebank the classes are read from
 * their own file and counted against its sentences. */
#include "parser/task/classify/class_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

typedef struct Line {
    const char *path;
    long number;
    StrView text; /* not empty */
    Arena *arena;
    Error *e;
} Line;

static Status fail(const Line *l, size_t column, const char *message)
{
    return error_at(l->e, ERR_FORMAT, l->path, l->number, (long)column + 1, "%s", message);
}

static Status out_of_memory(const char *path, Error *e)
{
    return error_set(e, ERR_NOMEM, "out of memory reading %s", path);
}

/* Is there white space at text[at]? *next becomes the position after the character. */
static bool space_at(StrView text, size_t at, size_t *next)
{
    *next = at;
    return utf8_is_space(utf8_next(text.ptr, text.len, next));
}

/* No bytes that are not UTF-8, and no control characters but a tab at `tab`. */
static Status check_text(const Line *l, size_t tab)
{
    size_t bad = utf8_invalid(l->text.ptr, l->text.len);
    if (bad < l->text.len) return fail(l, bad, "found a byte that is not UTF-8");
    for (size_t k = 0; k < l->text.len; k++) {
        unsigned char c = (unsigned char)l->text.ptr[k];
        if (c == '\t' && k != tab) return fail(l, k, "found a second tab, expected CLASS<TAB>SENTENCE");
        if ((c < 0x20 && k != tab) || c == 0x7f) return fail(l, k, "found a control character");
    }
    return OK;
}

/* The class text[0 .. len), without blanks around it. */
static Status read_class(const Line *l, size_t len, const char **name)
{
    StrView text = { l->text.ptr, len };
    size_t from = 0, to = 0, next;
    while (from < len && space_at(text, from, &next)) from = next;
    for (size_t k = from; k < len; k = next)
        if (!space_at(text, k, &next)) to = next;
    if (to <= from) return fail(l, 0, "found no class, expected one before the tab");
    if (to - from > CLASS_NAME_MOST) return fail(l, 0, "found a class of more than 100 bytes: is it a sentence?");
    *name = arena_strndup(l->arena, text.ptr + from, to - from);
    return *name ? OK : out_of_memory(l->path, l->e);
}

/* The words after the tab at `tab`. */
static Status read_words(const Line *l, size_t tab, Sentence *sent)
{
    size_t next;
    int most = 0;
    for (size_t k = tab; k < l->text.len; k = next) most += space_at(l->text, k, &next);
    sent->words = arena_alloc(l->arena, (size_t)most + 1, sizeof *sent->words);
    if (!sent->words) return out_of_memory(l->path, l->e);
    for (size_t k = tab, begin = tab; k <= l->text.len; k = next) {
        bool end = k == l->text.len || space_at(l->text, k, &next);
        if (end && k > begin &&
            !(sent->words[sent->n_words++] = arena_strndup(l->arena, l->text.ptr + begin, k - begin)))
            return out_of_memory(l->path, l->e);
        if (k == l->text.len) break;
        if (end) begin = next;
    }
    return sent->n_words ? OK : fail(l, tab, "found a class without a sentence");
}

static Status read_line(Treebank *tb, Line l)
{
    const char *tab = memchr(l.text.ptr, '\t', l.text.len);
    size_t at = tab ? (size_t)(tab - l.text.ptr) : l.text.len;
    Status status = check_text(&l, at);
    if (status == OK && !tab)
        status = fail(&l, 0,
                      "found a line without a tab, expected CLASS<TAB>SENTENCE (of a treebank, classes are a file of "
                      "their own)");
    if (status != OK) return status;
    Sentence *sent = treebank_add(tb);
    if (!sent) return out_of_memory(l.path, l.e);
    sent->line = l.number;
    status = read_class(&l, at, &sent->target);
    return status == OK ? read_words(&l, at, sent) : status;
}

static bool is_blank(StrView text)
{
    size_t k = 0, next;
    while (k < text.len && space_at(text, k, &next)) k = next;
    return k >= text.len;
}

static Status read_lines(Treebank *tb, const char *path, Error *e)
{
    StrBuf file = { 0 };
    Line l = { .path = path, .arena = &tb->arena, .e = e };
    Status s = file_read_text(path, &file, e);
    size_t at = 0;
    while (s == OK && text_line((StrView){ file.ptr, file.len }, &at, &l.text)) {
        l.number++;
        if (!is_blank(l.text)) s = read_line(tb, l);
    }
    strbuf_fini(&file);
    if (s == OK && tb->n == 0)
        s = error_at(e, ERR_FORMAT, path, 1, 1, "found no sentence, expected lines CLASS<TAB>SENTENCE");
    return s;
}

/* The classes of the sentences of a treebank. */
static Status read_classes(Treebank *tb, const char *path, Error *e)
{
    StrBuf file = { 0 };
    Line l = { .path = path, .arena = &tb->arena, .e = e };
    Status s = file_read_text(path, &file, e);
    size_t at = 0;
    int n = 0;
    while (s == OK && text_line((StrView){ file.ptr, file.len }, &at, &l.text)) {
        l.number++;
        s = l.text.len ? check_text(&l, l.text.len) : fail(&l, 0, "found an empty line, expected a class");
        if (s == OK && n == tb->n)
            s = error_at(e, ERR_FORMAT, path, l.number, 1,
                         "found more classes than the %d sentences of the treebank, expected one for each", tb->n);
        if (s == OK) s = read_class(&l, l.text.len, &tb->s[n++].target);
    }
    strbuf_fini(&file);
    if (s == OK && n < tb->n)
        s = error_at(e, ERR_FORMAT, path, l.number, 0,
                     "found %d classes, expected one for each of the %d sentences of the treebank", n, tb->n);
    return s;
}

static Status read_treebank(Treebank *tb, const char *path, Notes *notes, Error *e)
{
    ReaderOptions o = { .format = FORMAT_AUTO, .brackets = { .strip_functions = true, .notes = notes } };
    Status s = treebank_load(tb, path, o, e);
    return s == OK && tb->n == 0 ? error_at(e, ERR_FORMAT, path, 1, 1, "found no sentence, expected a treebank") : s;
}

Status class_data_load(Corpus *corpus, const char *path, const char *classes, Notes *notes, Error *error)
{
    corpus_begin(corpus, file_name(path));
    Status s = classes ? read_treebank(&corpus->trees, path, notes, error) : read_lines(&corpus->trees, path, error);
    if (s == OK && classes) s = read_classes(&corpus->trees, classes, error);
    return corpus_end(corpus, path, classes, s, error);
}

const char *class_data_path(const Corpus *corpus)
{
    return corpus->deps_path ? corpus->deps_path : corpus->path ? corpus->path : corpus->name;
}

Status class_data_number(const Corpus *corpus, int k, const Vocab *classes, int *id, Error *error)
{
    const char *name = corpus->trees.s[k].target;
    *id = name ? vocab_find(classes, name) : -1;
    if (*id >= 0) return OK;
    /* a file of classes has one on each line */
    return error_at(error, ERR_FORMAT, class_data_path(corpus), corpus->deps_path ? k + 1 : corpus->trees.s[k].line, 0,
                    "found class '%s', expected one of the training data%s", name ? name : "",
                    name ? vocab_suggest(classes, 0, name, strlen(name)).text : "");
}

Status class_data_numbers(const Corpus *corpus, const Vocab *classes, int *id, Error *error)
{
    Status s = OK;
    for (int k = 0; k < corpus->trees.n && s == OK; k++) s = class_data_number(corpus, k, classes, &id[k], error);
    return s;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

bool class_data_sort(Vocab *v, Arena *arena)
{
    int n = vocab_size(v);
    const char **text = arena_alloc(arena, (size_t)n, sizeof *text);
    bool ok = text != NULL;
    Vocab sorted;
    vocab_init(&sorted);
    for (int k = 0; k < n && ok; k++) text[k] = vocab_text(v, k);
    if (ok) qsort(text, (size_t)n, sizeof *text, by_text);
    for (int k = 0; k < n && ok; k++)
        ok = vocab_count(&sorted, text[k], strlen(text[k]), v->counts[vocab_find(v, text[k])]) >= 0;
    vocab_fini(v);
    *v = sorted;
    return ok;
}
