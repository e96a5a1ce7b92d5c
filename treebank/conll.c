/* A reader of rows, a cutter, pairing with trees, and writers: fresh rows, or over the rows of a
 * file whose other columns are kept. */
#include "treebank/conll.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 10 };

enum { WORD, TAG, TYPE, SPELLED, LEMMA, UPOS, FEATS, DEPS, TEXTS };

typedef struct Row {
    const char *text[TEXTS]; /* from LEMMA on only if they are kept */
    int head;
    long line; /* of the file */
} Row;

typedef struct Rows { /* of the sentence being read */
    Row *row;         /* [n] */
    ConllLine *lines;
    WordRange *ranges;
    EmptyNode *empty; /* only if columns are kept */
    int n, n_lines, n_ranges, n_empty, cap, line_cap, range_cap, empty_cap;
    int since;             /* empty nodes since the last word */
    long line, range_line; /* lines of the first word and of the last range */
} Rows;

typedef struct Reader {
    Treebank *tb;
    const char *path;
    Error *e;
    long line;
    ConllOptions o;
    Rows rows;
    StrBuf scratch;
} Reader;

#define fail(r, line, column, ...) error_at((r)->e, ERR_FORMAT, (r)->path, line, column, __VA_ARGS__)

/* A copy of an array of the current sentence in the arena; if there is no memory for it, *ok becomes false. */
static void *kept(Reader *r, const void *items, size_t n, size_t size, bool *ok)
{
    void *copy = arena_alloc(&r->tb->arena, n, size);
    if (copy) memcpy(copy, items, n * size);
    *ok = *ok && copy;
    return copy;
}

/* Like kept: one text of each word. */
static const char **texts_of(Reader *r, int which, bool *ok)
{
    const char **texts = arena_alloc(&r->tb->arena, (size_t)r->rows.n, sizeof *texts);
    for (int k = 0; texts && k < r->rows.n; k++) texts[k] = r->rows.row[k].text[which];
    *ok = *ok && texts;
    return texts;
}

static Status no_memory(Reader *r) { return error_set(r->e, ERR_NOMEM, "out of memory reading dependencies"); }

/* Partial heads are only words of the sentence. */
static Status check_partial(Reader *r)
{
    const Rows *w = &r->rows;
    for (int k = 0; k < w->n; k++)
        if (w->row[k].head > w->n)
            return fail(r, w->row[k].line, 0, "found head %d in a sentence of %d words, expected 0 to %d or _",
                        w->row[k].head, w->n, w->n);
    return OK;
}

/* Has no word of the sentence so far a head, as read_head allows it? */
static bool is_bare(const Reader *r) { return r->o.bare && r->rows.n && r->rows.row[0].head == HEAD_FREE; }

static Status check_heads(Reader *r, const int *heads)
{
    const Rows *w = &r->rows;
    int word;
    const char *what;
    if (r->o.partial) return check_partial(r);
    if (is_bare(r) || r->o.no_heads) return OK;
    if (tree_heads_valid(heads, w->n, &word, &what)) return OK;
    if (!what) return no_memory(r);
    return fail(r, word ? w->row[word - 1].line : w->line, 0, "found %s%s, expected a tree with one root", what,
                word ? " at this word" : " in this sentence");
}

static Status finish(Reader *r)
{
    Rows *w = &r->rows;
    if (w->n == 0 && (w->n_ranges || w->since)) return fail(r, r->line, 0, "found the end of a sentence without words");
    if (w->n == 0) return OK; /* comments are kept for the next sentence */
    int *heads = arena_alloc(&r->tb->arena, (size_t)w->n, sizeof *heads);
    long *line = arena_alloc(&r->tb->arena, (size_t)w->n, sizeof *line);
    if (!heads || !line) return no_memory(r);
    for (int k = 0; k < w->n; k++) {
        heads[k] = w->row[k].head;
        line[k] = w->row[k].line;
    }
    Status s = check_heads(r, heads);
    if (s != OK) return s;
    if (w->n_ranges && w->ranges[w->n_ranges - 1].end > w->n)
        return fail(r, w->range_line, 1, "found a range to word %d, expected at most %d",
                    w->ranges[w->n_ranges - 1].end, w->n);
    Sentence *sent = treebank_add(r->tb);
    if (!sent) return no_memory(r);
    *sent = (Sentence){ .n_words = w->n, .line = w->line, .heads = heads, .word_lines = line };
    bool ok = true;
    sent->words = texts_of(r, WORD, &ok);
    sent->tags = texts_of(r, TAG, &ok);
    sent->types = texts_of(r, TYPE, &ok);
    if (r->o.keep_spelling) sent->spelled = texts_of(r, SPELLED, &ok);
    if (r->o.keep_columns) {
        sent->lemmas = texts_of(r, LEMMA, &ok);
        sent->upos = texts_of(r, UPOS, &ok);
        sent->feats = texts_of(r, FEATS, &ok);
        sent->deps = texts_of(r, DEPS, &ok);
    }
    if (r->o.keep_lines) sent->lines = kept(r, w->lines, (size_t)w->n_lines, sizeof *sent->lines, &ok);
    if (w->n_ranges) sent->ranges = kept(r, w->ranges, (size_t)w->n_ranges, sizeof *sent->ranges, &ok);
    if (w->n_empty) sent->empty = kept(r, w->empty, (size_t)w->n_empty, sizeof *sent->empty, &ok);
    if (!ok) return no_memory(r);
    sent->n_empty = w->n_empty;
    if (r->o.keep_lines) sent->n_lines = w->n_lines;
    sent->n_ranges = w->n_ranges;
    if ((is_bare(r) || r->o.no_heads) && !r->o.partial) sent->heads = NULL, sent->types = NULL;
    w->n = w->n_lines = w->n_ranges = w->n_empty = w->since = 0;
    return OK;
}

static Status number(Reader *r, StrView v, long column, const char *name, int *out)
{
    if (!text_number(v, out))
        return fail(r, r->line, column, "found '%.*s' as %s, expected a number", (int)utf8_cut(v.ptr, v.len, 40), v.ptr,
                    name);
    return OK;
}

static Status check_name(Reader *r, StrView name, StrView line, const char *what)
{
    if (tree_is_name(name)) return OK;
    return fail(r, r->line, (long)(name.ptr - line.ptr) + 1, "found '%.*s' as %s, expected a text without blanks",
                (int)utf8_cut(name.ptr, name.len, 40), name.ptr, what);
}

/* Does an item of a list separated by '|' begin so? */
static bool has_feature(StrView list, const char *name)
{
    size_t length = strlen(name);
    for (size_t from = 0, i = 0; i <= list.len; i++) {
        if (i < list.len && list.ptr[i] != '|') continue;
        if (i - from >= length && memcmp(list.ptr + from, name, length) == 0) return true;
        from = i + 1;
    }
    return false;
}

/* "3-4": a token that covers the next words. */
static Status range(Reader *r, StrView id, StrView form, size_t dash)
{
    Rows *w = &r->rows;
    int first, last;
    int after = w->n_ranges ? w->ranges[w->n_ranges - 1].end : 0;
    if (!text_number((StrView){ id.ptr, dash }, &first) ||
        !text_number((StrView){ id.ptr + dash + 1, id.len - dash - 1 }, &last) || last < first)
        return fail(r, r->line, 1, "found '%.*s', expected a range such as %d-%d", (int)utf8_cut(id.ptr, id.len, 40),
                    id.ptr, w->n + 1, w->n + 2);
    if (first != w->n + 1 || first <= after)
        return fail(r, r->line, 1, "found a range from word %d, expected one from %d%s", first, w->n + 1,
                    w->n + 1 <= after ? " or more, after the previous range" : "");
    if (!tree_is_word(form)) return fail(r, r->line, 1, "found an empty word");
    if (!mem_reserve(w->ranges, &w->range_cap, w->n_ranges + 1)) return no_memory(r);
    const char *copy = arena_strndup(&r->tb->arena, form.ptr, form.len);
    if (!copy) return no_memory(r);
    w->ranges[w->n_ranges++] = (WordRange){ first - 1, last, copy, r->line };
    w->range_line = r->line;
    return OK;
}

/* "3.1": an empty node after word 3. */
static Status empty_node(Reader *r, const StrView *c, StrView line)
{
    Rows *w = &r->rows;
    char expected[40];
    snprintf(expected, sizeof expected, "%d.%d", w->n, w->since + 1);
    if (!text_equal(c[0], expected))
        return fail(r, r->line, 1, "found '%.*s', expected %s for an empty node here",
                    (int)utf8_cut(c[0].ptr, c[0].len, 40), c[0].ptr, expected);
    for (int k = 6; k <= 7; k++)
        if (!text_equal(c[k], "_"))
            return fail(r, r->line, (long)(c[k].ptr - line.ptr) + 1, "found '%.*s' as %s of an empty node, expected _",
                        (int)utf8_cut(c[k].ptr, c[k].len, 40), c[k].ptr, k == 6 ? "head" : "type");
    w->since++;
    if (!r->o.keep_columns) return OK;
    const char *deps = arena_strndup(&r->tb->arena, c[8].ptr, c[8].len);
    if (!deps || !mem_reserve(w->empty, &w->empty_cap, w->n_empty + 1)) return no_memory(r);
    w->empty[w->n_empty++] = (EmptyNode){ w->n, w->since, deps };
    return OK;
}

static Status read_head(Reader *r, StrView text, long column, int *head)
{
    bool none = text_equal(text, "_");
    if (none && (r->o.partial || is_bare(r) || (r->o.bare && !r->rows.n))) return OK;
    if (!none && !r->o.partial && is_bare(r))
        return fail(r, r->line, column, "found a head, expected _ as in the row before");
    return number(r, text, column, "head", head);
}

/* Stores the texts of the next word. */
static bool add_texts(Reader *r, Row *x, StrView tag, const StrView *c)
{
    const StrView text[TEXTS] = { { r->scratch.ptr, r->scratch.len }, tag, c[7], c[1], c[2], c[3], c[5], c[8] };
    bool plain = !r->o.keep_spelling || text_equal(c[1], r->scratch.ptr), all = true;
    for (int k = 0; k < (r->o.keep_columns ? TEXTS : LEMMA); k++) {
        x->text[k] = k == SPELLED && plain ? x->text[WORD] : arena_strndup(&r->tb->arena, text[k].ptr, text[k].len);
        all = all && x->text[k];
    }
    return all;
}

static Status row(Reader *r, StrView line)
{
    StrView c[COLUMNS] = { [8] = { "_", 1 } }; /* rows may end before it */
    int n = 0;
    size_t from = 0;
    for (size_t i = 0; i <= line.len; i++)
        if (i == line.len || line.ptr[i] == '\t') {
            if (n < COLUMNS) c[n] = (StrView){ line.ptr + from, i - from };
            n++;
            from = i + 1;
        }
    if (n != COLUMNS && n != 8) return fail(r, r->line, 1, "found %d tab-separated columns, expected %d", n, COLUMNS);
    const char *dash = memchr(c[0].ptr, '-', c[0].len);
    if (dash) return range(r, c[0], c[1], (size_t)(dash - c[0].ptr));
    if (memchr(c[0].ptr, '.', c[0].len)) return empty_node(r, c, line);
    Rows *w = &r->rows;
    int id = 0, head = HEAD_FREE;
    Status status = number(r, c[0], 1, "word number", &id);
    if (status == OK && id != w->n + 1) status = fail(r, r->line, 1, "found word number %d, expected %d", id, w->n + 1);
    if (status == OK && !r->o.no_heads) status = read_head(r, c[6], (long)(c[6].ptr - line.ptr) + 1, &head);
    if (status != OK) return status;
    if (w->n == 0) w->line = r->line;
    StrView tag = text_equal(c[4], "_") && !text_equal(c[3], "_") && !r->o.keep_columns ? c[3] : c[4];
    strbuf_clear(&r->scratch);
    if (n == COLUMNS && has_feature(c[9], CONLL_LITERAL)) strbuf_add(&r->scratch, c[1].ptr, c[1].len);
    else tree_unescape_word(&r->scratch, c[1].ptr, c[1].len, NOTATION_CONLL);
    if (!r->scratch.failed && !tree_is_word((StrView){ r->scratch.ptr, r->scratch.len }))
        return fail(r, r->line, (long)(c[1].ptr - line.ptr) + 1, "found an empty word");
    if (status == OK) status = check_name(r, tag, line, "a tag");
    if (status == OK && !r->o.no_heads) status = check_name(r, c[7], line, "the type of a dependency");
    if (status != OK) return status;
    if (r->scratch.failed || !mem_reserve(w->row, &w->cap, w->n + 1)) return no_memory(r);
    w->row[w->n] = (Row){ .head = head, .line = r->line };
    if (!add_texts(r, &w->row[w->n], tag, c)) return no_memory(r);
    w->n++;
    w->since = 0;
    return OK;
}

/* Stores a line. It is the row of the last word if the number of words has grown from `before`. */
static Status keep_line(Reader *r, StrView line, int before)
{
    Rows *w = &r->rows;
    const char *copy = arena_strndup(&r->tb->arena, line.ptr, line.len);
    if (!copy || !mem_reserve(w->lines, &w->line_cap, w->n_lines + 1)) return no_memory(r);
    w->lines[w->n_lines++] = (ConllLine){ copy, w->n > before ? before : -1 };
    return OK;
}

static Status read_line(Reader *r, StrView line)
{
    const char *found;
    size_t bad = text_fault(line, &found);
    int before = r->rows.n;
    Status s = OK;
    if (bad < line.len) return fail(r, r->line, (long)bad + 1, "%s", found);
    const char *back = line.len ? memchr(line.ptr, '\r', line.len) : NULL;
    if (back)
        return fail(r, r->line, (long)(back - line.ptr) + 1,
                    "found a carriage return inside a line, expected it only before a line feed");
    if (line.len == 0) return finish(r);
    if (line.ptr[0] != '#' || memchr(line.ptr, '\t', line.len)) s = row(r, line);
    return s == OK && r->o.keep_lines ? keep_line(r, line, before) : s;
}

Status conll_read(Treebank *tb, TextBlock block, ConllOptions options, Error *error)
{
    Reader r = { .tb = tb, .path = block.path, .e = error, .line = block.line - 1, .o = options };
    Status status = OK;
    size_t at = 0;
    StrView line;
    while (status == OK && text_line(block.text, &at, &line)) {
        r.line++;
        status = read_line(&r, line);
    }
    if (status == OK) status = finish(&r);
    mem_free_each(r.rows.row, r.rows.lines, r.rows.ranges, r.rows.empty);
    strbuf_fini(&r.scratch);
    return status;
}

/* At the beginning of a line; after "\r" at its beginning; in the number at its beginning; elsewhere in it. */
enum { CUT_START, CUT_RETURN, CUT_NUMBER, CUT_LINE };

/* An empty line ends a sentence only after a word (depth is 1): comments before an empty line belong to the next
 * sentence. */
size_t conll_cut(CutState *state, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (state->state == CUT_LINE) {
            const char *newline = memchr(text + i, '\n', count - i);
            if (!newline) return 0;
            i = (size_t)(newline - text);
        }
        char c = text[i];
        int before = state->state;
        state->state = c == '\n' ? CUT_START : c == '\r' && before == CUT_START ? CUT_RETURN : CUT_LINE;
        if (c >= '0' && c <= '9' && (before == CUT_START || before == CUT_NUMBER)) state->state = CUT_NUMBER;
        if (c == '\t' && before == CUT_NUMBER) state->depth = 1;
        if (c == '\n' && (before == CUT_START || before == CUT_RETURN) && state->depth) {
            state->depth = 0;
            return i + 1;
        }
    }
    return 0;
}

/* Words of trees have lost the slash that OntoNotes has before signs. */
static bool same_word(const char *of_tree, const char *of_deps)
{
    return strcmp(of_deps, of_tree) == 0 || (of_deps[0] == '/' && strcmp(of_deps + 1, of_tree) == 0);
}

Status sentence_pair(Sentence *tree, const Sentence *deps, long number, const char *tree_path, const char *dep_path,
                     Error *error)
{
    for (int w = 0; w < tree->n_words && w < deps->n_words; w++)
        if (!same_word(tree->words[w], deps->words[w])) {
            const TextContrast c = text_contrast(text_view(deps->words[w]), text_view(tree->words[w]));
            return error_at(error, ERR_FORMAT, dep_path, sentence_word_line(deps, w), 0,
                            "found word %d %s, expected %s as in sentence %ld at %s:%ld", w + 1, c.found, c.expected,
                            number, tree_path, sentence_word_line(tree, w));
        }
    if (tree->n_words != deps->n_words)
        return error_at(error, ERR_FORMAT, dep_path, deps->line, 0,
                        "found %d words in sentence %ld, expected %d as at %s:%ld", deps->n_words, number,
                        tree->n_words, tree_path, tree->line);
    tree->heads = deps->heads;
    tree->lemmas = deps->lemmas;
    tree->upos = deps->upos;
    tree->feats = deps->feats;
    tree->types = deps->types;
    return OK;
}

Status treebank_pair(Treebank *trees, int first, const Treebank *deps, const char *tree_path, const char *dep_path,
                     Error *error)
{
    int n = trees->n - first;
    for (int i = 0; i < n && i < deps->n; i++) {
        Status s = sentence_pair(&trees->s[first + i], &deps->s[i], i + 1, tree_path, dep_path, error);
        if (s != OK) return s;
    }
    if (n != deps->n)
        return error_at(error, ERR_FORMAT, dep_path, 0, 0, "found %d sentences, expected %d as in %s", deps->n, n,
                        tree_path);
    return OK;
}

static const char *value(const char *const *column, int k) { return column && column[k] ? column[k] : "_"; }

bool conll_is_literal(const char *word)
{
    StrBuf read = { 0 };
    if (!strchr(word, '-')) return false;
    tree_unescape_word(&read, word, strlen(word), NOTATION_CONLL);
    bool another = !read.failed && strcmp(read.ptr, word) != 0;
    strbuf_fini(&read);
    return another;
}

static void put_column(StrBuf *out, const char *text)
{
    strbuf_putc(out, '\t');
    strbuf_puts(out, text);
}

#define CORRECT_FORM "CorrectForm="

/* Puts an item, unless it is "_", into the last column, which has some already. */
static void put_item(StrBuf *out, const char *item, bool *some)
{
    if (strcmp(item, "_") == 0) return;
    if (*some) strbuf_putc(out, '|');
    strbuf_puts(out, item);
    *some = true;
}

/* Puts the form that word w should have, if any. */
static void put_corrected(StrBuf *out, const Sentence *sent, int w, bool *some)
{
    if (!sent->corrected || !sent->corrected[w]) return;
    if (*some) strbuf_putc(out, '|');
    strbuf_printf(out, CORRECT_FORM "%s", sent->corrected[w]);
    *some = true;
}

/* Column 9: "3:nsubj|5:nsubj". */
static void put_graph(StrBuf *out, const DepGraph *graph, int w)
{
    for (int a = graph->first[w]; a < graph->first[w + 1]; a++) {
        if (a > graph->first[w]) strbuf_putc(out, '|');
        strbuf_long(out, graph->arc[a].head);
        strbuf_putc(out, ':');
        strbuf_puts(out, graph->arc[a].relation);
    }
}

/* The row of word w. */
static void put_word(StrBuf *out, const Sentence *sent, int w, ConllStyle style, const ConllMisc *m)
{
    bool u = style == CONLL_U;
    const char *tag = value(sent->tags, w), *last = u ? value(m->words, w) : "_";
    strbuf_long(out, w + 1);
    strbuf_putc(out, '\t');
    if (u) strbuf_puts(out, sent->words[w]);
    else tree_write_word(out, sent, w, (Escapes)style, NOTATION_CONLL);
    put_column(out, u ? value(sent->lemmas, w) : "_");
    put_column(out, u ? value(sent->upos, w) : tag);
    put_column(out, tag);
    put_column(out, u ? value(sent->feats, w) : "_");
    strbuf_putc(out, '\t');
    if (sent->heads) strbuf_long(out, sent->heads[w]);
    else strbuf_putc(out, '_');
    put_column(out, sent->heads ? value(sent->types, w) : "_");
    strbuf_putc(out, '\t');
    if (u && sent->graph) put_graph(out, sent->graph, w);
    else strbuf_putc(out, '_');
    strbuf_putc(out, '\t');
    bool some = false;
    if (u) put_corrected(out, sent, w, &some);
    put_item(out, last, &some);
    if (u && conll_is_literal(sent->words[w])) put_item(out, CONLL_LITERAL, &some);
    strbuf_puts(out, some ? "\n" : "_\n");
}

void conll_write(StrBuf *out, const Sentence *sent, ConllStyle style, const ConllMisc *misc)
{
    static const ConllMisc none;
    const ConllMisc *m = misc ? misc : &none;
    for (int w = 0, r = 0; w < sent->n_words; w++) {
        if (style == CONLL_U && r < sent->n_ranges && sent->ranges[r].begin == w) {
            const WordRange *x = &sent->ranges[r];
            strbuf_printf(out, "%d-%d\t%s\t_\t_\t_\t_\t_\t_\t_\t%s\n", x->begin + 1, x->end, x->form,
                          value(m->ranges, r));
            r++;
        }
        put_word(out, sent, w, style, m);
    }
    strbuf_putc(out, '\n');
}

/* The beginning of column k (0-based) of a row; the end of the row if there are fewer columns. */
static const char *column(const char *text, int k)
{
    for (; k > 0 && *text; text++) k -= *text == '\t';
    return text;
}

/* Is it a sentence of CoNLL-U, by what CoNLL-X does not have? */
static bool is_released(const Sentence *sent)
{
    for (int k = 0; k < sent->n_lines; k++) {
        const char *text = sent->lines[k].text;
        if (sent->lines[k].word >= 0) continue;
        if (text[0] != '#' || strncmp(text, "# sent_id", 9) == 0 || strncmp(text, "# text", 6) == 0) return true;
    }
    return false;
}

static bool is_empty_node(const ConllLine *line)
{
    return line->word < 0 && line->text[0] != '#' && line->text[strcspn(line->text, ".\t")] == '.';
}

static StrView value_of(const char *row, int k)
{
    const char *from = column(row, k);
    size_t len = strcspn(from, "\t");
    return len ? (StrView){ from, len } : (StrView){ "_", 1 };
}

/* The last column: what the file has, then what is added. */
static void put_misc(StrBuf *out, const Sentence *sent, int w, StrView of_file, bool u, const char *added)
{
    bool literal = !u && conll_is_literal(sent->words[w]) && !has_feature(of_file, CONLL_LITERAL);
    bool some = !text_equal(of_file, "_");
    if (some) strbuf_add(out, of_file.ptr, of_file.len);
    if (!has_feature(of_file, CORRECT_FORM)) put_corrected(out, sent, w, &some);
    if (literal) put_item(out, CONLL_LITERAL, &some);
    put_item(out, added, &some);
    if (!some) strbuf_putc(out, '_');
}

/* The row of word w over its row in the file, which is_released (u). */
static void put_over(StrBuf *out, const Sentence *sent, int w, const char *row, bool u, bool given, const char *added)
{
    StrView form = u ? value_of(row, 1) : (StrView){ sent->words[w], strlen(sent->words[w]) };
    const char *own[COLUMNS] = { [2] = value(sent->lemmas, w), [3] = value(sent->upos, w), [4] = value(sent->tags, w) };
    if (sent->feats && sent->feats[w]) own[5] = sent->feats[w];
    if (sent->heads) own[7] = value(sent->types, w);
    strbuf_printf(out, "%d\t%.*s", w + 1, (int)form.len, form.ptr);
    for (int k = 2; k < COLUMNS - 1; k++) {
        StrView of_file = value_of(row, k);
        bool known = own[k] && (k == 5 || strcmp(own[k], "_") != 0);
        if (given && k < 6 && !text_equal(of_file, "_")) known = false;
        strbuf_putc(out, '\t');
        if (k == 6 && sent->heads) strbuf_long(out, sent->heads[w]);
        else if (k == 8 && sent->graph) put_graph(out, sent->graph, w);
        else if (known) strbuf_puts(out, own[k]);
        else strbuf_add(out, of_file.ptr, of_file.len);
    }
    strbuf_putc(out, '\t');
    put_misc(out, sent, w, value_of(row, COLUMNS - 1), u, added);
}

void conll_write_over(StrBuf *out, const Sentence *sent, const Sentence *file, bool given, const ConllMisc *misc)
{
    bool u = is_released(file);
    for (int k = 0; k < file->n_lines; k++) {
        const ConllLine *line = &file->lines[k];
        if (line->text[0] == '#' || (sent->graph && is_empty_node(line))) continue;
        if (line->word < 0) strbuf_puts(out, line->text);
        else put_over(out, sent, line->word, line->text, u, given, value(misc->words, line->word));
        strbuf_putc(out, '\n');
    }
    strbuf_putc(out, '\n');
}

/* The row of word w, or of the range that begins there, from line *k on; "" if the sentence has no lines. */
static const char *find_row(const Sentence *sent, int w, bool range, int *k)
{
    for (; *k < sent->n_lines; ++*k) {
        const char *text = sent->lines[*k].text;
        if (range ? text[0] != '#' && text[strcspn(text, "-\t")] == '-' : sent->lines[*k].word == w) return text;
    }
    return "";
}

void conll_text(StrBuf *out, const Sentence *sent)
{
    bool blank = false, u = is_released(sent);
    for (int w = 0, r = 0, k = 0; w < sent->n_words;) {
        bool range = r < sent->n_ranges && sent->ranges[r].begin == w;
        const char *row = find_row(sent, w, range, &k);
        if (blank) strbuf_putc(out, ' ');
        if (u && !range) strbuf_add(out, value_of(row, 1).ptr, value_of(row, 1).len);
        else strbuf_puts(out, range ? sent->ranges[r].form : sent->words[w]);
        blank = !has_feature(value_of(row, COLUMNS - 1), "SpaceAfter=No");
        w = range ? sent->ranges[r++].end : w + 1;
    }
}

/* The row of word w with its current head and type. plain: without escapes in word and lemma. */
static void put_row(StrBuf *out, const Sentence *sent, const char *text, int w, bool plain)
{
    const char *form = column(text, 1), *lemma = column(text, 2), *upos = column(text, 3), *head = column(text, 6),
               *rest = column(text, 8), /* after the type, where rows of eight columns end */
                   *misc = column(text, 9);
    bool change = plain && !text_equal((StrView){ form, (size_t)(lemma - form) - 1 }, sent->words[w]) &&
                  (*misc || !conll_is_literal(sent->words[w]));
    strbuf_add(out, text, (size_t)(form - text));
    if (change) {
        strbuf_puts(out, sent->words[w]);
        strbuf_putc(out, '\t');
        tree_unescape_word(out, lemma, (size_t)(upos - lemma) - 1, NOTATION_CONLL);
        strbuf_putc(out, '\t');
        strbuf_add(out, upos, (size_t)(head - upos));
    } else strbuf_add(out, form, (size_t)(head - form));
    if (sent->heads) strbuf_printf(out, "%d\t%s%s", sent->heads[w], value(sent->types, w), *rest ? "\t" : "");
    else strbuf_add(out, head, (size_t)(rest - head));
    if (sent->graph && *rest) {
        put_graph(out, sent->graph, w);
        strbuf_putc(out, '\t');
        rest = misc;
    }
    if (change && conll_is_literal(sent->words[w])) {
        strbuf_add(out, rest, (size_t)(misc - rest));
        bool some = false;
        put_item(out, misc, &some);
        put_item(out, CONLL_LITERAL, &some);
    } else strbuf_puts(out, rest);
}

void conll_write_lines(StrBuf *out, const Sentence *sent)
{
    bool plain = !is_released(sent);
    for (int k = 0; k < sent->n_lines; k++) {
        if (sent->graph && is_empty_node(&sent->lines[k])) continue;
        if (sent->lines[k].word < 0) strbuf_puts(out, sent->lines[k].text);
        else put_row(out, sent, sent->lines[k].text, sent->lines[k].word, plain);
        strbuf_putc(out, '\n');
    }
    strbuf_putc(out, '\n');
}
