/* A JSON file that somebody else wrote: read as a whole, and its values asked for by name, type and range. Messages
 * have the place of the value that is wrong. null counts as absent, as in the files of other programs. */
#pragma once

#include "base/json.h"
#include "base/text.h"

enum { JSON_FILE_MOST = 1 << 25 /* bytes; parsed it may take forty times as much memory */ };

typedef struct JsonFile {
    const char *path; /* borrowed */
    StrBuf text;
    cJSON *root; /* an object */
} JsonFile;

/* Reads an object. Text that is not UTF-8, and NUL, written out or as \u0000, are refused, because strings end there.
 * ERR_IO, ERR_FORMAT, ERR_LIMIT above JSON_FILE_MOST, ERR_NOMEM; the file is empty then. */
Status json_file_read(JsonFile *file, const char *path, Error *error);
/* json_file_read for a text in memory, which is copied; `path` is for messages. */
Status json_file_parse(JsonFile *file, StrView text, const char *path, Error *error);
void json_file_fini(JsonFile *file);
/* The lines of a text, an object on each, one after the other: read gets the object, which it does not keep, and the
 * number of its line. Empty lines are skipped. The first error of json_file_parse or of read, whose message has the
 * place in the line, with the place in the file. */
Status json_file_lines(TextBlock block, Status (*read)(void *context, const JsonFile *j, long line, Error *e),
                       void *context, Error *error);

/* Status json_file_fault(j, value, e, fmt, ...): a message at the place of `value`; json_file_key_fault: of its key.
 * Return ERR_FORMAT. */
#define json_file_fault(j, value, ...) json_file_fault_at(j, value, false, __VA_ARGS__)
#define json_file_key_fault(j, value, ...) json_file_fault_at(j, value, true, __VA_ARGS__)
Status json_file_fault_at(const JsonFile *file, const cJSON *value, bool key, Error *error, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* The member `name` of `object`; NULL if it is absent or null. */
const cJSON *json_file_member(const cJSON *object, const char *name);
/* Members by type. An absent member that is not `required` leaves *out unchanged. ERR_FORMAT for another type, a value
 * outside min .. max, and a required member that is absent. Strings are borrowed from the file. */
Status json_file_whole(const JsonFile *file, const cJSON *object, const char *name, bool required, int min, int max,
                       int *out, Error *error);
Status json_file_number(const JsonFile *file, const cJSON *object, const char *name, bool required, double min,
                        double max, double *out, Error *error);
Status json_file_flag(const JsonFile *file, const cJSON *object, const char *name, bool *out, Error *error);
Status json_file_string(const JsonFile *file, const cJSON *object, const char *name, bool required, const char **out,
                        Error *error);
