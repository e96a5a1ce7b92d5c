/* parser/serve/udpipe.c */
#include "parser/serve/udpipe.h"

#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"

/* A request's parameters, from wherever they came. */
typedef struct Asked {
    const Job *j;
    Parameters p;
    const char *data, *tokenizer; /* tokenizer NULL: data has tokens */
    bool tagger, parser;
    int model;
} Asked;

static bool read_parameters(const Job *j, Asked *x, Answer *a)
{
    Error e = { 0 };
    x->p = (Parameters){ .arena = j->arena };
    for (int k = 0; k < j->query->n && e.code == OK; k++)
        parameters_add(&x->p, j->query->item[k].name, j->query->item[k].value, strlen(j->query->item[k].value), &e);
    if (e.code == OK && parameters_type_is(j->type, "multipart/form-data"))
        parameters_multipart(&x->p, j->type, j->body, &e);
    else if (e.code == OK) parameters_form(&x->p, j->body, &e);
    return e.code == OK || answer_status(a, &e);
}

static size_t count_characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static bool read_request(const Job *j, Asked *x, Answer *a)
{
    *x = (Asked){ .j = j };
    if (!read_parameters(j, x, a)) return false;
    const char *model = parameters_get(&x->p, "model"), *output = parameters_get(&x->p, "output");
    x->data = parameters_get(&x->p, "data");
    x->tokenizer = parameters_get(&x->p, "tokenizer");
    x->tagger = parameters_get(&x->p, "tagger") != NULL;
    x->parser = parameters_get(&x->p, "parser") != NULL;
    x->model = job_model(j, model);
    if (!x->data) return answer_refuse(a, 400, "The parameter 'data' is required.\n");
    if (x->model < 0) return answer_refuse(a, 400, "The requested model '%s' does not exist.\n", model);
    if (output && strcmp(output, "conllu") != 0) return answer_refuse(a, 400, "Unknown output format '%s'.\n", output);
    size_t n = count_characters(x->data);
    return n <= (size_t)j->o->max_chars ||
           answer_refuse(a, 413, "The data have %zu characters, more than %ld.\n", n, j->o->max_chars);
}

/* ---- CoNLL-U rows */

enum { COLUMNS = 10, ID = 0, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, RELATION, DEPS, MISC };

/* Splits a row; false: it has another number of columns. */
static bool row_columns(StrView line, StrView column[COLUMNS])
{
    for (int k = 0; k < COLUMNS; k++) {
        const char *tab = memchr(line.ptr, '\t', line.len);
        if ((tab == NULL) != (k == COLUMNS - 1)) return false;
        column[k] = (StrView){ line.ptr, tab ? (size_t)(tab - line.ptr) : line.len };
        if (tab) line = (StrView){ tab + 1, line.len - column[k].len - 1 };
    }
    return true;
}

static void put_row(StrBuf *out, const StrView column[COLUMNS])
{
    for (int k = 0; k < COLUMNS; k++) {
        strbuf_add(out, column[k].ptr, column[k].len);
        strbuf_putc(out, k < COLUMNS - 1 ? '\t' : '\n');
    }
}

/* Copies CoNLL-U with _ in the columns of what is not asked for. */
static void copy_asked(StrBuf *out, const Asked *x, StrView text)
{
    StrView line, column[COLUMNS], none = { "_", 1 };
    for (size_t at = 0; text_line(text, &at, &line);) {
        if (!row_columns(line, column)) {
            strbuf_add(out, line.ptr, line.len);
            strbuf_putc(out, '\n');
            continue;
        }
        for (int k = LEMMA; k <= FEATS && !x->tagger; k++) column[k] = none;
        for (int k = HEAD; k <= RELATION && !x->parser; k++) column[k] = none;
        put_row(out, column);
    }
}

/* ---- raw text */

static int append(void *context, const char *bytes, size_t size)
{
    StrBuf *out = context;
    strbuf_add(out, bytes, size);
    return out->failed;
}

static bool parse_text(const Asked *x, StrBuf *out, Answer *a)
{
    LalOptions o = x->j->o->parse;
    LalError error;
    StrBuf conllu = { 0 };
    o.stop = x->j->stop;
    o.stop_context = x->j->stop_context;
    if (strstr(x->tokenizer, "presegmented")) o.newlines = LAL_NEWLINES_SENTENCE;
    LalParser *p = job_parser(x->j, x->model, &o, a);
    bool good = p != NULL;
    if (good && lal_parse_text_as(p, x->data, strlen(x->data), "conllu", append, &conllu, &error) != LAL_OK)
        good = answer_error(a, &error);
    if (good) copy_asked(out, x, (StrView){ conllu.ptr, conllu.len });
    out->failed |= conllu.failed;
    strbuf_fini(&conllu);
    return good;
}

/* ---- text with tokens: rows are read, filled in, and written with all else they have */

typedef struct Rows {
    StrBuf comments, text; /* of the sentence: its comments; its words separated by blanks */
    StrView (*row)[COLUMNS];
    const char **word, **tag; /* [n_words] of the arena */
    int *row_of;              /* [n_words] */
    int n_rows, cap_rows, n_words, cap_words, cap_tags, cap_places;
    bool tags; /* each word has one */
    long n;    /* sentences before */
} Rows;

static void rows_clear(Rows *r)
{
    strbuf_clear(&r->comments);
    strbuf_clear(&r->text);
    r->n_rows = r->n_words = 0;
    r->tags = true;
}

static void rows_fini(Rows *r)
{
    strbuf_fini(&r->comments);
    strbuf_fini(&r->text);
    mem_free(r->row);
    mem_free(r->word);
    mem_free(r->tag);
    mem_free(r->row_of);
}

static bool rows_add(Rows *r, const StrView column[COLUMNS], Arena *arena)
{
    bool word =
        memchr(column[ID].ptr, '-', column[ID].len) == NULL && memchr(column[ID].ptr, '.', column[ID].len) == NULL;
    if (!mem_reserve(r->row, &r->cap_rows, r->n_rows + 1)) return false;
    memcpy(r->row[r->n_rows], column, sizeof r->row[0]);
    if (word) {
        if (!mem_reserve(r->word, &r->cap_words, r->n_words + 1) ||
            !mem_reserve(r->tag, &r->cap_tags, r->n_words + 1) ||
            !mem_reserve(r->row_of, &r->cap_places, r->n_words + 1))
            return false;
        r->word[r->n_words] = arena_strndup(arena, column[FORM].ptr, column[FORM].len);
        r->tag[r->n_words] = arena_strndup(arena, column[XPOS].ptr, column[XPOS].len);
        if (!r->word[r->n_words] || !r->tag[r->n_words]) return false;
        r->tags &= !(column[XPOS].len == 1 && *column[XPOS].ptr == '_');
        r->row_of[r->n_words++] = r->n_rows;
        if (r->text.len) strbuf_putc(&r->text, ' ');
        strbuf_add(&r->text, column[FORM].ptr, column[FORM].len);
    }
    r->n_rows++;
    return !r->text.failed;
}

static StrView view(const char *text) { return (StrView){ text, strlen(text) }; }

/* Fills in what is asked for of a word, whose columns are c; `head` keeps the digits of one. */
static void fill_row(const Asked *x, const LalToken *t, StrView c[COLUMNS], char head[16])
{
    if (x->tagger) {
        c[LEMMA] = view(t->lemma ? t->lemma : "_");
        c[UPOS] = view(t->upos ? t->upos : "_");
        c[XPOS] = view(t->tag ? t->tag : "_");
        c[FEATS] = view(t->feats && *t->feats ? t->feats : "_");
    }
    if (x->parser && t->ud_relation) {
        snprintf(head, 16, "%d", t->ud_head + 1);
        c[HEAD] = view(head);
        c[RELATION] = view(t->ud_relation);
    }
}

/* Comments that the sentence lacks, then its own. */
static void put_comments(StrBuf *out, const Rows *r)
{
    const char *own = r->comments.ptr && r->comments.len ? r->comments.ptr : "";
    if (r->n == 0) strbuf_puts(out, "# deps = UD v2\n");
    if (r->n == 0 && !strstr(own, "# newdoc")) strbuf_puts(out, "# newdoc\n");
    if (!strstr(own, "# sent_id")) strbuf_printf(out, "# sent_id = %ld\n", r->n + 1);
    if (!strstr(own, "# text =")) strbuf_printf(out, "# text = %s\n", r->text.ptr ? r->text.ptr : "");
    strbuf_puts(out, own);
}

/* Parses the sentence and writes it. */
static bool end_sentence(const Asked *x, LalParser *p, Rows *r, StrBuf *out, Answer *a)
{
    LalError error;
    if (!r->n_rows) {
        rows_clear(r);
        return true;
    }
    bool parses = x->tagger || x->parser;
    LalWords words = { r->word, !x->tagger && r->tags ? r->tag : NULL, r->n_words };
    LalResult *result = parses ? lal_parse_tokens(p, &words, 1, &error) : NULL;
    if (parses && !result) return answer_error(a, &error);
    put_comments(out, r);
    for (int k = 0, w = 0; k < r->n_rows; k++) {
        char head[16];
        bool word = w < r->n_words && r->row_of[w] == k;
        if (word && result) fill_row(x, &result->sentences[0].tokens[w], r->row[k], head);
        w += word;
        put_row(out, r->row[k]);
    }
    strbuf_putc(out, '\n');
    lal_result_free(result);
    r->n++;
    rows_clear(r);
    return !(x->j->stop && x->j->stop(x->j->stop_context)) || answer_error(a, &(LalError){ .code = LAL_STOPPED });
}

/* A row of a word alone: ID, FORM and underscores. */
static bool add_word(const Asked *x, Rows *r, StrView word)
{
    StrView column[COLUMNS];
    char id[16];
    snprintf(id, sizeof id, "%d", r->n_words + 1);
    char *kept = arena_strndup(x->j->arena, id, strlen(id));
    for (int k = 0; k < COLUMNS; k++) column[k] = (StrView){ "_", 1 };
    column[ID] = view(kept ? kept : "");
    column[FORM] = word;
    return kept && rows_add(r, column, x->j->arena);
}

/* Takes a line; *ends: the sentence ends with it. */
static bool take_conllu(const Asked *x, Rows *r, StrView line, long number, bool *ends, Answer *a)
{
    StrView column[COLUMNS];
    *ends = line.len == 0;
    if (*ends) return true;
    if (*line.ptr == '#') {
        strbuf_add(&r->comments, line.ptr, line.len);
        strbuf_putc(&r->comments, '\n');
        return true;
    }
    if (!row_columns(line, column) || !column[FORM].len)
        return answer_refuse(a, 400, "Cannot read input data: data:%ld: found a row of other columns, expected 10\n",
                             number);
    return rows_add(r, column, x->j->arena) || answer_refuse(a, 500, "out of memory");
}

static bool take_vertical(const Asked *x, Rows *r, StrView line, long number, bool *ends, Answer *a)
{
    (void)number;
    *ends = line.len == 0;
    return *ends || add_word(x, r, line) || answer_refuse(a, 500, "out of memory");
}

static bool take_horizontal(const Asked *x, Rows *r, StrView line, long number, bool *ends, Answer *a)
{
    (void)number;
    *ends = true;
    for (size_t at = 0, to; at < line.len; at = to + 1) {
        for (to = at; to < line.len && line.ptr[to] != ' ' && line.ptr[to] != '\t'; to++) continue;
        StrView word = { line.ptr + at, to - at };
        if (word.len && !add_word(x, r, word)) return answer_refuse(a, 500, "out of memory");
    }
    return true;
}

static bool parse_rows(const Asked *x, StrBuf *out, Answer *a)
{
    static const struct {
        const char *name;
        bool (*take)(const Asked *x, Rows *r, StrView line, long number, bool *ends, Answer *a);
    } inputs[] = { { "conllu", take_conllu }, { "vertical", take_vertical }, { "horizontal", take_horizontal } };
    const char *name = parameters_get(&x->p, "input");
    size_t k = 0;
    while (name && k < 3 && strcmp(name, inputs[k].name) != 0) k++;
    if (k == 3) return answer_refuse(a, 400, "Unknown input format '%s'.\n", name);
    LalOptions o = x->j->o->parse;
    o.stop = x->j->stop;
    o.stop_context = x->j->stop_context;
    LalParser *p = job_parser(x->j, x->model, &o, a);
    Rows r = { .tags = true };
    StrView text = view(x->data), line;
    bool good = p != NULL, ends;
    long number = 0;
    for (size_t at = 0; good && text_line(text, &at, &line);) {
        good = inputs[k].take(x, &r, line, ++number, &ends, a);
        if (good && ends) good = end_sentence(x, p, &r, out, a);
    }
    if (good) good = end_sentence(x, p, &r, out, a);
    rows_fini(&r);
    return good;
}

/* ---- answers */

static void finish(StrBuf *json, Answer *a)
{
    a->status = 200;
    a->type = "application/json";
    answer_indent(&a->body, json->ptr ? json->ptr : "", json->len);
    if (json->failed || a->body.failed) answer_refuse(a, 500, "out of memory for the answer");
}

void udpipe_process(const Job *j, Answer *a)
{
    Asked x;
    StrBuf result = { 0 }, json = { .compact = true };
    if (!read_request(j, &x, a)) return;
    const char *name = j->models[x.model].udpipe;
    strbuf_printf(&result, "# generator = %s\n# udpipe_model = %s\n", j->o->generator, name);
    if (x.tokenizer ? parse_text(&x, &result, a) : parse_rows(&x, &result, a)) {
        json_object(&json, NULL);
        json_string(&json, "model", name);
        json_array(&json, "acknowledgements");
        json_array_end(&json);
        json_view(&json, "result", (StrView){ result.ptr, result.len });
        json_object_end(&json);
        json.failed |= result.failed;
        finish(&json, a);
    }
    strbuf_fini(&result);
    strbuf_fini(&json);
}

void udpipe_models(const Job *j, Answer *a)
{
    StrBuf json = { .compact = true };
    json_object(&json, NULL);
    json_object(&json, "models");
    for (int k = 0; k < j->n_models; k++)
        json_strings(&json, j->models[k].udpipe, (const char *const[]){ "tokenizer", "tagger", "parser" }, 3);
    json_object_end(&json);
    json_string(&json, "default_model", j->models[0].udpipe);
    json_object_end(&json);
    finish(&json, a);
    strbuf_fini(&json);
}
