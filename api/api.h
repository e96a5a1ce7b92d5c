/* What the files of the public library, include/lalparser.h, share. The file name of each says what it has of it. */
#pragma once

#include <stdatomic.h>

#include "include/lalparser.h"
#include "api/api_observe.h"
#include "parser/parse/document.h"

struct LalModel {
    Model m;
    atomic_int references; /* the program's own, parsers, results */
};

struct LalParser {
    LalModel *model;
    Parser p;
    DocumentOptions text;
    ApiObserver observer;
    LalDeps deps;
    bool ranges;
    ParseObserver notes; /* that lal_parse_text_as takes instead; none: NULL */
    atomic_flag busy;
};

/* ---- api_model.c */

/* Sets *to, unless it is NULL. Returns its code. */
LalStatus api_error(LalError *to, Error *error);
/* The same for an error that has no Status, and for the error that ends a parse. */
LalStatus api_status(LalError *to, LalStatus code, const char *message);
LalStatus api_end_error(LalError *to, Error *error);

/* What is replaced or left out (LalOptions.invalid) in a call without a LalResult: notes are DocumentOptions.notes.
 * After a call that succeeded, `error` is how many there were, at the place of the first, with the code OK. */
typedef struct ApiInvalid {
    Notes notes;
    Error all;
} ApiInvalid;
ApiInvalid api_invalid(void);
void api_invalid_end(const ApiInvalid *invalid, Error *error);

/* lal_model_load, where files above map_above bytes stay mapped (FILEMAP_NEVER: none do); for tests that load small
 * files as it loads large ones. */
LalModel *api_model_load(const char *path, size_t map_above, LalError *error);
/* One more reference, which lal_model_free takes back. */
LalModel *api_model_hold(LalModel *model);

/* ---- api_parser.c */

/* Begins a call, which api_call_end ends. false: it cannot; *code and *error say why. */
bool api_call_begin(LalParser *parser, LalStatus *code, LalError *error);
void api_call_end(LalParser *parser);

/* The program's options, of whatever size, over the defaults. What it knows of newer options must be left at 0. */
Status api_read_options(const LalOptions *from, LalOptions *options, Error *error);
Status api_check_range(const char *name, double value, double least, double most, Error *error);
/* The same for any structure of options: from begins with its size; to [size] has the defaults. name: in messages. */
Status api_read_sized(const void *from, void *to, size_t size, const char *name, Error *error);
/* How a text becomes sentences. model: NULL is English, as the shipped models. */
Status api_text_options(const LalOptions *options, const Model *model, DocumentOptions *to, Error *error);

/* ---- api_result.c */

Status api_check_text(const char *text, size_t size, Error *error);
/* Fills *out but for first_token with sentence k of a window and its parse. */
Status api_document_sentence(const Model *model, const Document *document, const Parsed *parsed, int k, Arena *arena,
                             LalSentence *out, Error *error);
/* Calls take for each window of sentences of the text, which is not parsed. notes: DocumentOptions.notes, or NULL. */
Status api_split(const LalModel *model, const LalOptions *options, StrView text, bool large, Notes *notes,
                 Status (*take)(void *context, const Document *d, Error *e), void *context, Error *error);
