/* Parameters, then either raw text or rows, whose columns are filled in where they are asked for and
 * otherwise kept as they came. */
#include "serve/udpipe.h"

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
    Repair repair = { .what = (Invalid)j->o->parse.invalid };
    x->p = (Parameters){ .arena = j->arena, .repair = repair.what ? &repair : NULL };
    Status status = job_query(j, &x->p, &e);
    if (status == OK && parameters_type_is(j->type, "multipart/form-data"))
        status = parameters_multipart(&x->p, j->type, j->body, &e);
    else if (status == OK) status = parameters_form(&x->p, j->body, &e);
    x->p.repair = NULL;
    answer_invalid(a, &repair);
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

/* ---- text with tokens */

/* Appends a row of a word alone: ID, FORM and underscores. */
static void put_word(StrBuf *rows, int id, StrView word)
{
    strbuf_printf(rows, "%d\t", id);
    strbuf_add(rows, word.ptr, word.len);
    strbuf_puts(rows, "\t_\t_\t_\t_\t_\t_\t_\t_\n");
}

/* Appends CoNLL-U of a word on each line; an empty line ends a sentence. Comments say that FORM has no escapes. */
static void put_vertical(StrBuf *rows, StrView text)
{
    StrView line;
    int words = 0, sentences = 0;
    for (size_t at = 0; text_line(text, &at, &line);) {
        const char *tab = memchr(line.ptr, '\t', line.len);
        if (tab) line.len = (size_t)(tab - line.ptr); /* what follows is not the word's */
        if (!line.len && words) strbuf_putc(rows, '\n');
        if (line.len && !words) strbuf_printf(rows, "# sent_id = %d\n", ++sentences);
        if (line.len) put_word(rows, ++words, line);
        else words = 0;
    }
}

/* Appends CoNLL-U of a sentence on each line, whose words blanks and tabs separate. */
static void put_horizontal(StrBuf *rows, StrView text)
{
    StrView line;
    int sentences = 0;
    for (size_t at = 0; text_line(text, &at, &line);) {
        int words = 0;
        for (size_t from = 0, to; from < line.len; from = to + 1) {
            for (to = from; to < line.len && line.ptr[to] != ' ' && line.ptr[to] != '\t'; to++) continue;
            if (to > from && !words) strbuf_printf(rows, "# sent_id = %d\n", ++sentences);
            if (to > from) put_word(rows, ++words, (StrView){ line.ptr + from, to - from });
        }
        if (words) strbuf_putc(rows, '\n');
    }
}

/* Writes what is asked for over rows. */
static bool parse_rows(const Asked *x, StrBuf *out, Answer *a)
{
    static void (*const inputs[])(StrBuf * rows, StrView text) = { NULL, put_vertical, put_horizontal };
    LalOptions o = job_options(x->j);
    LalError error = { .code = LAL_ERROR_MEMORY, .message = "out of memory reading the request" };
    StrBuf rows = { 0 };
    strbuf_puts(&rows, "");
    if (x->input) inputs[x->input](&rows, text_view(x->data));
    else strbuf_puts(&rows, x->data);
    LalParser *p = job_parser(x->j, x->model, &o, a);
    const int columns = (x->tagger ? LAL_COLUMNS_TAGS : 0) + (x->parser ? LAL_COLUMNS_ARCS : 0);
    bool good = p != NULL;
    if (good && (rows.failed || lal_parse_conllu_as(p, rows.ptr, rows.len, columns, answer_append, out, &error)))
        good = answer_error(a, &error);
    strbuf_fini(&rows);
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
