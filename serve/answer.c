/* What all protocols need: models and languages by their names, the text as UTF-8, limits, and
 * errors as an HTTP status. */
#include "serve/answer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/encoding.h"

bool answer_refuse(Answer *answer, int status, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    strbuf_clear(&answer->body);
    strbuf_vprintf(&answer->body, format, ap);
    va_end(ap);
    answer->status = status;
    answer->type = TYPE_TEXT;
    return false;
}

void answer_json(Answer *answer, const char *type, StrBuf *json)
{
    answer->status = 200;
    answer->type = type;
    answer_indent(&answer->body, json->ptr ? json->ptr : "", json->len);
    if (json->failed || answer->body.failed) answer_refuse(answer, 500, "out of memory for the answer");
    strbuf_fini(json);
}

int answer_append(void *text, const char *bytes, size_t size)
{
    StrBuf *out = text;
    strbuf_add(out, bytes, size);
    return out->failed;
}

bool answer_error(Answer *answer, const LalError *error)
{
    if (error->code == LAL_STOPPED)
        return answer_refuse(answer, 500, "CoreNLP request timed out. Your document may be too long.");
    return answer_refuse(answer, error->code == LAL_ERROR_FORMAT || error->code == LAL_ERROR_ARGUMENT ? 400 : 500, "%s",
                         error->message);
}

bool answer_status(Answer *answer, const Error *error)
{
    char text[sizeof error->path + sizeof error->message + 32];
    return answer_refuse(answer, error->code == ERR_FORMAT ? 400 : 500, "%s", error_text(error, text, sizeof text));
}

static bool names(const char *full, const char *name)
{
    size_t len = strlen(name);
    return strncmp(full, name, len) == 0 && (full[len] == 0 || full[len] == '-');
}

int job_model(const Job *job, const char *name)
{
    if (!name || !*name) return 0;
    for (int k = 0; k < job->n_models; k++)
        if (names(job->models[k].name, name) || names(job->models[k].udpipe, name)) return k;
    return -1;
}

/* ---- languages */

/* The names that CoreNLP and UDPipe have for them. */
static const char *const LANGUAGES[][2] = { { "ar", "arabic" },  { "de", "german" }, { "en", "english" },
                                            { "es", "spanish" }, { "fr", "french" }, { "hu", "hungarian" },
                                            { "it", "italian" }, { "zh", "chinese" } };

const char *answer_language_name(const char *code)
{
    for (size_t k = 0; k < sizeof LANGUAGES / sizeof *LANGUAGES; k++)
        if (strcmp(LANGUAGES[k][0], code) == 0) return LANGUAGES[k][1];
    return code;
}

static bool is_language(const ServedModel *m, const char *asked)
{
    return m->language &&
           (strcasecmp(asked, m->language) == 0 || strcasecmp(asked, answer_language_name(m->language)) == 0);
}

int job_language(const Job *job, int model, const char *language)
{
    int from = model < 0 ? 0 : model, to = model < 0 ? job->n_models : model + 1;
    for (int k = from; k < to; k++)
        if (is_language(&job->models[k], language)) return k;
    for (int k = from; k < to; k++)
        if (!job->models[k].language) return k;
    return -1;
}

bool answer_language(const Job *job, int model, const char *parameter, const char *language, Answer *answer)
{
    StrBuf known = { 0 };
    int from = model < 0 ? 0 : model, to = model < 0 ? job->n_models : model + 1;
    for (int k = from; k < to; k++) {
        bool said = false;
        for (int i = from; i < k; i++) said |= strcmp(job->models[i].language, job->models[k].language) == 0;
        if (!said) strbuf_printf(&known, "%s%s", known.len ? ", " : "", job->models[k].language);
    }
    answer_refuse(answer, 400, "%s: found '%.*s', expected %s%s: %s", parameter, utf8_first(language, 60), language,
                  model < 0 ? "the language of a model" : "the language of the model ",
                  model < 0 ? "" : job->models[model].name, known.ptr ? known.ptr : "");
    strbuf_fini(&known);
    return false;
}

void answer_by(Answer *answer, const ServedModel *model)
{
    char name[101];
    snprintf(name, sizeof name, "%s", model->name);
    for (char *c = name; *c; c++) /* what no token of a header has */
        if (!strchr("._-", *c) && !isalnum((unsigned char)*c)) *c = '_';
    snprintf(answer->model.text, sizeof answer->model.text, "%s; digest=%s", name, model->digest);
}

LalParser *job_parser(const Job *job, int model, const LalOptions *options, Answer *answer)
{
    LalError error;
    LalParser **p = &job->parsers[model];
    answer_by(answer, &job->models[model]);
    if (!*p) *p = lal_parser_new(job->models[model].model, NULL, &error);
    if (!*p) {
        answer_error(answer, &error);
        return NULL;
    }
    if (lal_parser_set_options(*p, options, &error) == LAL_OK) return *p;
    static const char before[] = "LalOptions."; /* clients know them by other names */
    const char *message = error.message + (strncmp(error.message, before, strlen(before)) == 0 ? strlen(before) : 0);
    bool wrong =
        error.code == LAL_ERROR_MODEL || error.code == LAL_ERROR_ARGUMENT; /* the model has not what is asked */
    if (wrong) answer_refuse(answer, 400, "%s", message);
    else answer_error(answer, &error);
    return NULL;
}

const Option *answer_option(const Option *const *tables, const char *name)
{
    for (; *tables; tables++)
        for (const Option *o = *tables; o->name; o++)
            if (strcmp(o->name, name) == 0) return o;
    return NULL;
}

/* ---- the text */

/* What iconv calls the encoding, "" for UTF-8, NULL: not known. */
static const char *encoding_of(StrView charset)
{
    static const char *const known[][2] = { { "utf-8", "" },
                                            { "utf8", "" },
                                            { "us-ascii", "" },
                                            { "ascii", "" },
                                            { "iso-8859-1", "ISO-8859-1" },
                                            { "latin1", "ISO-8859-1" },
                                            { "windows-1252", "WINDOWS-1252" } };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strlen(known[k][0]) == charset.len && strncasecmp(known[k][0], charset.ptr, charset.len) == 0)
            return known[k][1];
    return NULL;
}

static bool convert(const Job *j, const char *encoding, StrView *text, Answer *a)
{
    Error e = { 0 };
    StrBuf out = { 0 };
    Decoder *d = decoder_new(encoding, false, "text", &e);
    Status s = d ? decoder_feed(d, text->ptr, text->len, &out, &e) : e.code;
    if (s == OK) s = decoder_feed(d, "", 0, &out, &e);
    char *copy = s == OK && !out.failed ? arena_strndup(j->arena, out.ptr ? out.ptr : "", out.len) : NULL;
    if (s == OK && !copy) error_set(&e, ERR_NOMEM, "out of memory for the text");
    if (copy) *text = (StrView){ copy, out.len };
    decoder_free(d);
    strbuf_fini(&out);
    return e.code == OK || answer_status(a, &e);
}

static bool decode(const Job *j, StrView *text, Answer *a)
{
    StrBuf out = { 0 };
    if (!parameters_decode(&out, *text)) { /* no form: taken as it is */
        strbuf_fini(&out);
        return true;
    }
    char *copy = out.failed ? NULL : arena_strndup(j->arena, out.ptr ? out.ptr : "", out.len);
    *text = (StrView){ copy ? copy : "", copy ? out.len : 0 };
    strbuf_fini(&out);
    return copy || answer_refuse(a, 500, "out of memory for the text");
}

LalOptions job_options(const Job *job)
{
    LalOptions o = job->o->parse;
    o.stop = job->stop;
    o.stop_context = job->stop_context;
    return o;
}

Status job_query(const Job *job, Parameters *to, Error *error)
{
    Status status = OK;
    for (int k = 0; k < job->query->n && status == OK; k++) {
        const Parameter *p = &job->query->item[k];
        status = parameters_add(to, p->name, p->value, strlen(p->value), error);
    }
    return status;
}

size_t answer_characters(StrView text)
{
    size_t n = 0;
    for (size_t k = 0; k < text.len; k++) n += ((unsigned char)text.ptr[k] & 0xc0) != 0x80;
    return n;
}

void answer_invalid(Answer *answer, const Repair *repair)
{
    if (repair->n)
        snprintf(answer->invalid.text, sizeof answer->invalid.text, "%ld; first=%ld:%ld", repair->n, repair->first.line,
                 repair->first.column);
}

static bool repair_text_of(const Job *j, Invalid what, StrView *text, Answer *a)
{
    Repair repair = { .what = what };
    StrBuf out = { 0 };
    repair_feed(&repair, text->ptr, text->len, true, &out);
    char *copy = out.failed ? NULL : arena_strndup(j->arena, out.ptr ? out.ptr : "", out.len);
    *text = (StrView){ copy ? copy : "", copy ? out.len : 0 };
    strbuf_fini(&out);
    answer_invalid(a, &repair);
    return copy || answer_refuse(a, 500, "out of memory for the text");
}

bool job_valid(const Job *job, int invalid, StrView *text, Answer *answer)
{
    const char *found;
    size_t at = text_fault(*text, &found);
    if (at < text->len && invalid) return repair_text_of(job, (Invalid)invalid, text, answer);
    return at == text->len || answer_refuse(answer, 400, "text: %s at byte %zu, expected text in UTF-8", found, at);
}

bool job_utf8(const Job *job, bool form, int invalid, StrView *text, Answer *answer)
{
    StrView charset = { "utf-8", 5 };
    bool named = parameters_of_header(job->type, "charset", &charset);
    const char *encoding = encoding_of(charset);
    if (named && !encoding)
        return answer_refuse(answer, 415, "charset: found %.*s, expected utf-8, us-ascii, iso-8859-1 or windows-1252",
                             (int)utf8_cut(charset.ptr, charset.len, 40), charset.ptr);
    *text = job->body;
    if (form && (!job->type || parameters_type_is(job->type, "application/x-www-form-urlencoded")) &&
        !decode(job, text, answer))
        return false;
    if (*encoding && !convert(job, encoding, text, answer)) return false;
    return job_valid(job, invalid, text, answer);
}

bool job_size(const Job *job, StrView text, int k_best, Answer *answer)
{
    size_t times = k_best > 1 ? (size_t)k_best : 1, most = (size_t)job->o->max_chars / times,
           n = answer_characters(text);
    if (n <= most) return times == 1 || job->hold(job->stop_context, (int)times, answer);
    return answer_refuse(answer, 413,
                         "Request is too long to be handled by server: %zu characters. Max length is %zu characters.",
                         n, most);
}

/* ---- JSON */

static void new_line(StrBuf *out, int depth)
{
    strbuf_putc(out, '\n');
    for (int k = 0; k < depth; k++) strbuf_puts(out, "  ");
}

void answer_indent(StrBuf *out, const char *json, size_t size)
{
    int depth = 0;
    bool inside = false;
    size_t from = 0; /* what is not yet written */
    for (size_t k = 0; k < size; k++) {
        char c = json[k];
        if (inside) {
            if (c == '\\') k++;
            else if (c == '"') inside = false;
            continue;
        }
        if (c == '"') inside = true;
        if (!strchr("{}[],:", c)) continue;
        bool closes = c == '}' || c == ']', empty = closes && k && strchr("{[", json[k - 1]);
        strbuf_add(out, json + from, k - from + (closes ? 0 : 1));
        from = k + (closes ? 0 : 1);
        if (c == ':') strbuf_putc(out, ' ');
        else if (closes) depth--;
        else if (c != ',') depth++;
        bool opens_empty = !closes && k + 1 < size && strchr("{[", c) && strchr("}]", json[k + 1]);
        if (c != ':' && !empty && !opens_empty) new_line(out, depth);
    }
    strbuf_add(out, json + from, size - from);
    strbuf_putc(out, '\n');
}
