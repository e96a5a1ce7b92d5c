/* Appends JSON to a StrBuf, a call for each value. A comma is put before a value that follows another one, as the last
 * byte of the buffer shows: so nested writers need nothing but the buffer, and a text in front of the first value must
 * not end as a value does. `key` is the name of a member; NULL: an element of an array, or a whole text. */
#pragma once

#include "base/text.h"

void json_object(StrBuf *out, const char *key);
void json_object_end(StrBuf *out);
void json_array(StrBuf *out, const char *key);
void json_array_end(StrBuf *out);

/* Characters that end a line for some readers (U+0085, U+2028, U+2029) are escaped, as control characters are; a byte
 * that is not UTF-8 becomes U+FFFD, so that the result is JSON. text NULL: null. */
void json_string(StrBuf *out, const char *key, const char *text);
void json_view(StrBuf *out, const char *key, StrView text);
/* What another writer appended to *text, which is freed; *text.failed becomes out->failed. */
void json_take(StrBuf *out, const char *key, StrBuf *text);
void json_ints(StrBuf *out, const char *key, const int *values, int n);
void json_strings(StrBuf *out, const char *key, const char *const *texts, int n);
void json_long(StrBuf *out, const char *key, long value);
void json_bool(StrBuf *out, const char *key, bool value);
/* Numbers written by a printf format of one double ("%.4f", "%.3e"), or with 0 to 9 digits after the point, which is
 * faster; null if they are not finite. */
void json_real(StrBuf *out, const char *key, const char *format, double value);
void json_fixed(StrBuf *out, const char *key, double value, int digits);
/* Members that are written as printf does, "f1: %.2f, words: %ld, name: %s" with %d, %ld, %s and formats of doubles. */
void json_members(StrBuf *out, const char *members, ...) __attribute__((format(printf, 2, 3)));
/* A member whose value is an object: its members, written as by json_members. */
void json_record(StrBuf *out, const char *key, const char *members, ...) __attribute__((format(printf, 3, 4)));
/* A text that is JSON already; NULL: null. */
void json_value(StrBuf *out, const char *key, const char *json);
/* The comma and the key alone: a value of another writer follows. */
void json_key(StrBuf *out, const char *key);
/* The next value begins a line. */
void json_line(StrBuf *out);
