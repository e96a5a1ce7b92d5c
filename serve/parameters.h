/* Named values of a request, from wherever clients put them: query, form, property map. All of it is distrusted. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/repair.h"
#include "base/text.h"

typedef struct Parameter {
    const char *name, *value; /* of Parameters.arena */
} Parameter;

/* The parameters of a request, in the order in which they came. */
typedef struct Parameters {
    Arena *arena;
    Parameter *item;
    int n, cap;
    Repair *repair; /* of values that are not UTF-8 or have NUL; NULL: they are refused */
} Parameters;

/* value [size] is copied. ERR_FORMAT: a NUL byte, bytes that are not UTF-8, or more than 1000 parameters; ERR_NOMEM. */
Status parameters_add(Parameters *parameters, const char *name, const char *value, size_t size, Error *error);
/* The value of the last one of that name, or NULL. */
const char *parameters_get(const Parameters *parameters, const char *name);

/* Adds the members of a property map as clients of CoreNLP write it: a JSON object, whose numbers and booleans become
 * text; else Python's repr of a dict or bare `key:value, key:value` pairs, which end with , ; tab or newline. Quotes
 * keep what is in them but for \\ \' and \"; a ":" in a value is a character of it. An outer {}, [] or () must close.
 * ERR_FORMAT, ERR_NOMEM. */
Status parameters_map(Parameters *parameters, const char *text, Error *error);

/* Appends the bytes that a form (application/x-www-form-urlencoded) writes as `text`: "+" is a blank, %41 an A. false,
 * with nothing appended, if a % is not followed by two hexadecimal digits or the result is not UTF-8. */
bool parameters_decode(StrBuf *out, StrView text);
/* Adds the pairs of a query or form, name=value&name=value. ERR_FORMAT where parameters_decode is false, ERR_NOMEM. */
Status parameters_form(Parameters *parameters, StrView text, Error *error);
/* Adds the parts of a multipart/form-data body, whose Content-Type is `type`. ERR_FORMAT, ERR_NOMEM. */
Status parameters_multipart(Parameters *parameters, const char *type, StrView body, Error *error);

/* Has a Content-Type, or NULL, this type before its parameters? Letters of any case. */
bool parameters_type_is(const char *type, const char *expected);
/* The value of a parameter of a Content-Type or Content-Disposition, name="value" or name=value; false: it has none.
 * The value is in the text, so a backslash in quotes stays. */
bool parameters_of_header(const char *header, const char *name, StrView *value);
