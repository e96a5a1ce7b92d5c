/* base/options.h
 * Options are declared once, in a table; the table serves the command line (--word-dropout 0.2), JSON configurations
 * ("word_dropout": 0.2), help texts and the documents. */
#ifndef LAL_BASE_OPTIONS_H
#define LAL_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

struct cJSON;

typedef enum OptionType {
    OPT_BOOL,   /* bool;   --x, --no-x, --x=true|false */
    OPT_INT,    /* int */
    OPT_LONG,   /* long */
    OPT_REAL,   /* double */
    OPT_STRING, /* const char *, borrowed from the command line or the arena given */
    OPT_ENUM,   /* int: index into `choices`, names parted by '|' */
    OPT_LIST    /* OptionList: may be given more than once */
} OptionType;

enum { OPTION_LIST_MAX = 64 };

typedef struct OptionList {
    int n;
    const char *item[OPTION_LIST_MAX];
} OptionList;

typedef struct Option {
    const char *name; /* with underscores; the command line takes '-' for '_' */
    OptionType type;
    size_t offset;       /* of the field in the struct */
    const char *initial; /* default as text; NULL for strings that start as NULL and for lists */
    double min, max;     /* range of numbers, both included */
    const char *choices; /* of OPT_ENUM */
    const char *help;
} Option;

/* The end of a table has name NULL. */
void options_defaults(const Option *table, void *fields);

/* Reads argv[1..] into fields[k] by tables[k] (n_tables of them, searched in order). What is no option is collected in
 * rest (room for argc pointers; may be argv itself), *n_rest of them. "--" ends the options; "-" alone is an argument.
 * ERR_USAGE on an unknown option, a missing or bad value. */
Status options_parse(const Option *const *tables, void *const *fields, int n_tables, int argc, char **argv, char **rest,
                     int *n_rest, Error *e);

/* One value, by text. */
Status option_set(const Option *o, void *fields, const char *value, Error *e);

/* A JSON object's members into the fields; a name not in the table is ERR_CONFIG. Strings are kept in strings. */
struct Arena;
Status options_from_json(const Option *table, void *fields, const struct cJSON *object, struct Arena *strings,
                         const char *path, Error *e);
/* Appends {"name": value, ...} of the whole table. */
void options_to_json(const Option *table, const void *fields, StrBuf *out);

/* Help: one paragraph an option, with its default; as plain text, and as the source of a manual page (man(7) macros).
 */
void options_help(const Option *table, StrBuf *out);
void options_manual(const Option *table, StrBuf *out);

#endif
