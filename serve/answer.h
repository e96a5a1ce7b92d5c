/* A request and its answer apart from the connection: what the protocols of this room (corenlp.h, udpipe.h, own.h) are
 * functions of. */
#pragma once

#include <time.h>

#include "include/lalparser.h"
#include "base/options.h"
#include "serve/parameters.h"

/* Content-Types of answers. */
#define TYPE_TEXT "text/plain;charset=UTF-8"
#define TYPE_JSON "application/json;charset=UTF-8"

/* What the header Lal-Model says: the name and the digest of the model that answers; "" without one. */
typedef struct AnswerModel {
    char text[160];
} AnswerModel;

/* What the header Lal-Invalid says: how many bytes of the text were replaced or left out, as places, and where the
 * first are: "3; first=1:5"; "" if none were. */
typedef struct AnswerInvalid {
    char text[64];
} AnswerInvalid;

typedef struct Answer {
    int status;       /* of HTTP */
    const char *type; /* Content-Type, static */
    StrBuf body;
    AnswerModel model;
    AnswerInvalid invalid;
    StrBuf ignored; /* header Lal-Ignored: what was asked for and left out, without effect if empty */
} Answer;

/* What is the server's own, for all requests. */
typedef struct ServiceOptions {
    LalOptions parse;      /* defaults that requests change */
    long max_chars;        /* of a text */
    const char *ignored;   /* annotators of CoreNLP that are left out without an error, separated by commas; or NULL */
    const char *generator; /* "lal 0.3.0" */
    const struct Route *routes; /* [n_routes] all paths (route.h) */
    int n_routes;
    const char *prefix; /* before all paths, or NULL */
    bool guarded;       /* there is a password */
} ServiceOptions;

/* A model as requests name it. */
typedef struct ServedModel {
    const char *name;     /* "en-small" */
    const char *udpipe;   /* "english-lal-small" */
    const char *language; /* "en"; NULL: not known */
    const char *digest;   /* of the model file; "" for a model without one */
    const char *terms;    /* of its reuse; NULL: not known */
    LalModel *model;
} ServedModel;

/* What a worker has for a request. */
typedef struct Job {
    const ServiceOptions *o;
    const ServedModel *models; /* [n_models], the default first */
    int n_models;
    time_t loaded;           /* when the models were */
    long reloads;            /* that had been before, or were then */
    LalParser **parsers;     /* [n_models] the worker's own */
    Arena *arena;            /* of the request */
    const Parameters *query; /* of the URL */
    const char *type;        /* Content-Type, or NULL */
    StrView body;
    int (*stop)(void *context); /* LalOptions.stop */
    void *stop_context;
    /* Tells the server that the request is to end that many milliseconds after it came, if that is sooner. */
    void (*limit)(void *context, long milliseconds);
    /* Counts the memory of the request as that many times the memory of a plain one, before it is parsed. false: the
     * server has no more for it, and *a is refused. */
    bool (*hold)(void *context, int times, Answer *a);
    /* Sends the first bytes of an answer of status 200 before it is complete: takes answer->body, which is empty
     * afterwards. Not 0: the client does not read them. */
    int (*send)(void *context, Answer *answer);
} Job;

/* Makes the answer an error: text as printf does. Returns false. */
bool answer_refuse(Answer *answer, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Makes the answer the JSON that *json has, without blanks; *json is freed. */
void answer_json(Answer *answer, const char *type, StrBuf *json);
/* Appends bytes of an answer to a StrBuf, for lal_parse_text_as. */
int answer_append(void *text, const char *bytes, size_t size);
/* Makes the answer the error of a call of the library and returns false: 400 where the text of the request is at fault,
 * the words of CoreNLP for LAL_STOPPED, else 500. */
bool answer_error(Answer *answer, const LalError *error);
/* Makes the answer an error of this program's own functions and returns false: 400 for ERR_FORMAT, else 500. */
bool answer_status(Answer *answer, const Error *error);

/* Number of the model that `name` means, 0 for NULL and ""; -1: none. Its names are name, udpipe, and what begins one
 * of them and ends before a "-", of the first model of which this is true. */
int job_model(const Job *job, const char *name);
/* Number of the first model of a language, "zh", "chinese" or "Chinese", or of `model`, unless it is -1, if it has this
 * language; a model whose language is not known may have any. -1: none has it. */
int job_language(const Job *job, int model, const char *language);
/* Refuses the value of a parameter for which job_language is -1: says which languages there are. */
bool answer_language(const Job *job, int model, const char *parameter, const char *language, Answer *answer);
/* "chinese" of "zh"; the code itself of a language that requests have no other name for. */
const char *answer_language_name(const char *code);
/* The answer is by this model (Answer.model). */
void answer_by(Answer *answer, const ServedModel *model);
/* The worker's parser of a model, which answers, with these options; NULL: *a is refused. */
LalParser *job_parser(const Job *job, int model, const LalOptions *options, Answer *answer);

/* The parameter of that name, in tables that end with NULL; or NULL. */
const Option *answer_option(const Option *const *tables, const char *name);

enum {
    ANSWER_BEST_MOST = 100, /* parses of a sentence */
    ANSWER_TIMES = 41       /* bytes that a request counts for, with its answer, for each byte of its text */
};

/* The options of a parse, which ends where the request has to. */
LalOptions job_options(const Job *job);
/* Adds the parameters of the query. ERR_NOMEM, errors of parameters_add. */
Status job_query(const Job *job, Parameters *to, Error *error);

/* Sets *text to the body in UTF-8, which stays as long as job->arena and the body. The charset of the Content-Type
 * may be utf-8 (the default), us-ascii, iso-8859-1 or windows-1252; another one is status 415. form: a body without
 * a Content-Type, or of a form's Content-Type, is percent-decoded. invalid: what becomes of bytes that are not
 * UTF-8. false: *a is refused. */
bool job_utf8(const Job *job, bool form, int invalid, StrView *text, Answer *answer);
/* Is *text UTF-8 without NUL? invalid: what becomes of other bytes; a repaired text stays as long as job->arena. false:
 * *a is refused. */
bool job_valid(const Job *job, int invalid, StrView *text, Answer *answer);
/* Answer.invalid of what was repaired. */
void answer_invalid(Answer *answer, const Repair *repair);
size_t answer_characters(StrView text);
/* k_best: how many parses of a sentence are asked for, or 0. More than o->max_chars characters, of all parses together,
 * are status 413. false: *a is refused. */
bool job_size(const Job *job, StrView text, int k_best, Answer *answer);

/* Appends JSON (of base/json_writer.h without blanks) indented by two blanks, each member and element on a line. */
void answer_indent(StrBuf *out, const char *json, size_t size);
