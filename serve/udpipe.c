/* Parameters, then either raw text or rows, whose columns are filled in where they are asked for and
 * otherwise kept as they came. */
#include "serve/udpipe.h"

#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"

/* A request's parameters, from wherever they came. */
typedef struct Asked {
    const Job *j;
    Parameters p;
    const char *data, *model_name;
    const char *tokenizer, *tagger, *parser; /* what is asked for; NULL: not. Without tokenizer, data has tokens */
    int model, input, output;
} Asked;

#define AT(name) offsetof(Asked, name)
static const Option UDPIPE_OPTIONS[] = {
    { "data", OPT_STRING, AT(data), NULL, 0, 0, NULL, "the text, or its tokens" },
    { "model", OPT_STRING, AT(model_name), NULL, 0, 0, NULL,
      "one of GET /models, or what begins its name before a -; without it the default one" },
    { "tokenizer", OPT_STRING, AT(tokenizer), NULL, 0, 0, NULL,
      "data is raw text; presegmented: its lines are sentences; ranges: tokens have their places" },
    { "tagger", OPT_STRING, AT(tagger), NULL, 0, 0, NULL, "tags, features and lemmas are asked for" },
    { "parser", OPT_STRING, AT(parser), NULL, 0, 0, NULL, "dependencies are asked for" },
    { "input", OPT_ENUM, AT(input), "conllu", 0, 0, "conllu|vertical|horizontal", "notation of tokens" },
    { "output", OPT_ENUM, AT(output), "conllu", 0, 0, "conllu", "notation of the result" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};
const Option *const UDPIPE_TABLES[] = { UDPIPE_OPTIONS, NULL };

static bool read_parameters(const Job *j, Asked *x, Answer *a)
{
    Error e = { 0 };
    x->p = (Parameters){ .arena = j->arena };
    Status status = job_query(j, &x->p, &e);
    if (status == OK && parameters_type_is(j->type, "multipart/form-data"))
        status = parameters_multipart(&x->p, j->type, j->body, &e);
    else if (status == OK) status = parameters_form(&x->p, j->body, &e);
    return status == OK || answer_status(a, &e);
}

static bool read_request(const Job *j, Asked *x, Answer *a)
{
    *x = (Asked){ .j = j };
    options_defaults(UDPIPE_OPTIONS, x);
    if (!read_parameters(j, x, a)) return false;
    for (int k = 0; k < x->p.n; k++) {
        const char *value = x->p.item[k].value;
        const Option *o = answer_option(UDPIPE_TABLES, x->p.item[k].name);
        if (o && option_read(o, x, value, NULL) != OK)
            return answer_refuse(a, 400, "Unknown %s format '%.*s'.\n", o->name, utf8_first(value, 60), value);
    }
    x->model = job_model(j, x->model_name);
    if (!x->data) return answer_refuse(a, 400, "The parameter 'data' is required.\n");
    if (x->model < 0)
        return answer_refuse(a, 400, "The requested model '%.*s' does not exist.\n", utf8_first(x->model_name, 60),
                             x->model_name);
    size_t n = answer_characters(text_view(x->data));
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

static bool parse_text(const Asked *x, StrBuf *out, Answer *a)
{
    LalOptions o = job_options(x->j);
    LalError error;
    StrBuf conllu = { 0 };
    if (strstr(x->tokenizer, "presegmented")) o.newlines = LAL_NEWLINES_SENTENCE;
    o.ranges = strstr(x->tokenizer, "ranges") != NULL;
    LalParser *p = job_parser(x->j, x->model, &o, a);
    bool good = p != NULL;
    if (good && lal_parse_text_as(p, x->data, strlen(x->data), "conllu", answer_append, &conllu, &error) != LAL_OK)
        good = answer_error(a, &error);
    if (good) copy_asked(out, x, (StrView){ conllu.ptr, conllu.len });
    out->failed |= conllu.failed;
    strbuf_fini(&conllu);
    return good;
}

/* ---- text with tokens: rows are read, filled in, and written with all else they have */

/* Rows first_row .. first_row + n_rows - 1, and words and bytes of comments in the same way. */
typedef struct RowSentence {
    int first_row, n_rows, first_word, n_words;
    size_t first_comment, comment_len;
    bool tagged; /* each word has a tag */
} RowSentence;

typedef struct Rows {
    StrBuf comments;
    StrView (*row)[COLUMNS];
    const char **word, **tag; /* [n_words] of the arena */
    int *row_of;              /* [n_words] */
    RowSentence *sentence;    /* [n] and the one that is being read */
    int n_rows, cap_rows, n_words, cap_words, cap_tags, cap_places, n, cap;
} Rows;

static void rows_fini(Rows *r)
{
    strbuf_fini(&r->comments);
    mem_free_each(r->row, r->word, r->tag, r->row_of, r->sentence);
}

/* Begins a sentence, in the place of one without rows. false when out of memory. */
static bool rows_next(Rows *r, bool first)
{
    if (!first && r->sentence[r->n].n_rows) r->n++;
    if (!mem_reserve(r->sentence, &r->cap, r->n + 1)) return false;
    r->sentence[r->n] = (RowSentence){
        .first_row = r->n_rows, .first_word = r->n_words, .first_comment = r->comments.len, .tagged = true
    };
    return true;
}

static bool rows_add(Rows *r, const StrView column[COLUMNS], Arena *arena)
{
    RowSentence *s = &r->sentence[r->n];
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
        s->tagged &= !text_equal(column[XPOS], "_");
        r->row_of[r->n_words++] = r->n_rows;
        s->n_words++;
    }
    r->n_rows++;
    s->n_rows++;
    return true;
}

/* Fills in what is asked for of a word, whose columns are c; `head` keeps the digits of one. */
static void fill_row(const Asked *x, const LalToken *t, StrView c[COLUMNS], char head[16])
{
    if (x->tagger) {
        c[LEMMA] = text_view(t->lemma ? t->lemma : "_");
        c[UPOS] = text_view(t->upos ? t->upos : "_");
        c[XPOS] = text_view(t->tag ? t->tag : "_");
        c[FEATS] = text_view(t->feats && *t->feats ? t->feats : "_");
    }
    if (x->parser && t->ud_relation) {
        snprintf(head, 16, "%d", t->ud_head + 1);
        c[HEAD] = text_view(head);
        c[RELATION] = text_view(t->ud_relation);
    }
}

/* Does one of the lines begin so? */
static bool has_comment(StrView comments, const char *beginning)
{
    StrView line;
    for (size_t at = 0; text_line(comments, &at, &line);)
        if (line.len >= strlen(beginning) && memcmp(line.ptr, beginning, strlen(beginning)) == 0) return true;
    return false;
}

/* Comments that sentence k lacks, then its own. */
static void put_comments(StrBuf *out, const Rows *r, int k)
{
    const RowSentence *s = &r->sentence[k];
    StrView own = { s->comment_len ? r->comments.ptr + s->first_comment : "", s->comment_len };
    if (k == 0) strbuf_puts(out, "# deps = UD v2\n");
    if (k == 0 && !has_comment(own, "# newdoc")) strbuf_puts(out, "# newdoc\n");
    if (!has_comment(own, "# sent_id")) strbuf_printf(out, "# sent_id = %d\n", k + 1);
    if (!has_comment(own, "# text =")) {
        strbuf_puts(out, "# text =");
        for (int w = s->first_word; w < s->first_word + s->n_words; w++) strbuf_printf(out, " %s", r->word[w]);
        strbuf_putc(out, '\n');
    }
    strbuf_add(out, own.ptr, own.len);
}

/* result: NULL if nothing is asked for. */
static void put_rows(const Asked *x, const Rows *r, const LalResult *result, StrBuf *out)
{
    for (int k = 0; k < r->n; k++) {
        const RowSentence *s = &r->sentence[k];
        int w = 0;
        put_comments(out, r, k);
        for (int row = s->first_row; row < s->first_row + s->n_rows; row++) {
            char head[16];
            bool word = w < s->n_words && r->row_of[s->first_word + w] == row;
            if (word && result) fill_row(x, &result->sentences[k].tokens[w], r->row[row], head);
            w += word;
            put_row(out, r->row[row]);
        }
        strbuf_putc(out, '\n');
    }
}

static bool parse_sentences(const Asked *x, const Rows *r, StrBuf *out, Answer *a)
{
    LalOptions o = job_options(x->j);
    LalError error = { .code = LAL_ERROR_MEMORY };
    if (!r->n || (!x->tagger && !x->parser)) {
        put_rows(x, r, NULL, out);
        return true;
    }
    LalParser *p = job_parser(x->j, x->model, &o, a);
    LalWords *words = p ? arena_alloc(x->j->arena, (size_t)r->n, sizeof *words) : NULL;
    if (!p) return false;
    for (int k = 0; words && k < r->n; k++) {
        const RowSentence *s = &r->sentence[k];
        if (!s->n_words) words[k] = (LalWords){ 0 }; /* comments and empty nodes alone: r->word may be NULL */
        else
            words[k] = (LalWords){ r->word + s->first_word, !x->tagger && s->tagged ? r->tag + s->first_word : NULL,
                                   s->n_words };
    }
    LalResult *result = words ? lal_parse_tokens(p, words, r->n, &error) : NULL;
    if (!result) return answer_error(a, &error);
    put_rows(x, r, result, out);
    lal_result_free(result);
    return true;
}

/* A row of a word alone: ID, FORM and underscores. */
static bool add_word(const Asked *x, Rows *r, StrView word)
{
    StrView column[COLUMNS];
    char id[16];
    snprintf(id, sizeof id, "%d", r->sentence[r->n].n_words + 1);
    char *kept = arena_strndup(x->j->arena, id, strlen(id));
    for (int k = 0; k < COLUMNS; k++) column[k] = (StrView){ "_", 1 };
    column[ID] = text_view(kept ? kept : "");
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
        r->sentence[r->n].comment_len += line.len + 1;
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
    static bool (*const inputs[])(const Asked *x, Rows *r, StrView line, long number, bool *ends,
                                  Answer *a) = { take_conllu, take_vertical, take_horizontal };
    Rows r = { 0 };
    StrView text = text_view(x->data), line;
    bool room = rows_next(&r, true), good = room, ends = false;
    long number = 0;
    for (size_t at = 0; good && text_line(text, &at, &line);) {
        good = inputs[x->input](x, &r, line, ++number, &ends, a);
        if (good && ends) good = room = rows_next(&r, false);
    }
    if (good) good = room = rows_next(&r, false) && !r.comments.failed;
    if (!room) answer_refuse(a, 500, "out of memory");
    if (good) good = parse_sentences(x, &r, out, a);
    rows_fini(&r);
    return good;
}

/* ---- answers */

void udpipe_process(const Job *job, Answer *answer)
{
    Asked x;
    StrBuf result = { 0 }, json = { .compact = true };
    if (!read_request(job, &x, answer)) return;
    const char *name = job->models[x.model].udpipe;
    strbuf_printf(&result, "# generator = %s\n# udpipe_model = %s\n", job->o->generator, name);
    if (x.tokenizer ? parse_text(&x, &result, answer) : parse_rows(&x, &result, answer)) {
        json_object(&json, NULL);
        json_string(&json, "model", name);
        json_array(&json, "acknowledgements");
        json_array_end(&json);
        json_take(&json, "result", &result);
        json_object_end(&json);
        answer_json(answer, "application/json", &json);
    }
    strbuf_fini(&result);
}

void udpipe_models(const Job *job, Answer *answer)
{
    StrBuf json = { .compact = true };
    json_object(&json, NULL);
    json_object(&json, "models");
    for (int k = 0; k < job->n_models; k++)
        json_strings(&json, job->models[k].udpipe, (const char *const[]){ "tokenizer", "tagger", "parser" }, 3);
    json_object_end(&json);
    json_string(&json, "default_model", job->models[0].udpipe);
    json_object_end(&json);
    answer_json(answer, "application/json", &json);
}
