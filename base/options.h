/* Options are declared once, in a table; the table serves the command line (--word-dropout 0.2), JSON configurations
 * ("word_dropout": 0.2), help texts and the documents. */
#pragma once

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
    OPT_ENUM,   /* int: index into the choices of `value` */
    OPT_WORDS,  /* const char *, as OPT_STRING: words separated by single blanks; in JSON an array of strings */
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
    const char *initial; /* default as text; NULL for strings and words that start as NULL, for lists, for an OPT_INT
                            that is 0, maybe out of its range, where it is not given, and for an OPT_ENUM that is its
                            first choice where it is not named, as options_to_json leaves it */
    double min, max;     /* range of numbers, both included */
    const char *value;   /* OPT_ENUM: the choices, separated by '|'; others: the value's name in help, such as FILE, or
                            NULL for the type's own: N, X (OPT_REAL), WORDS, TEXT */
    const char *help;    /* one or two sentences without a final period; NULL in tables of JSON alone */
} Option;

/* The one-letter name of an option of a table, such as 'f' for --format, or 0. A letter means the same in all commands,
 * but where an option before it in the table has that letter: lal search uses grep's letters. */
char option_letter(const Option *table, const Option *option);

/* Sets every field to its default. Here and below, a table ends with an entry whose name is NULL. */
void options_defaults(const Option *table, void *fields);

/* Reads argv[1..] into fields[k] by tables[k], k = 0 .. n_tables - 1, searched in this order. Arguments that are not
 * options are collected in rest [argc] (which may be argv itself), their number in *n_rest. "--" ends the options; "-"
 * alone is an argument. One-letter names: -f json, -fjson, and -qj2 for -q -j 2. ERR_USAGE on an unknown option, a
 * missing or bad value; the message suggests the name or value that was meant, among them --help and --version, which a
 * program looks for before. */
Status options_parse(const Option *const *tables, void *const *fields, int n_tables, int argc, char **argv, char **rest,
                     int *n_rest, Error *error);

/* Sets the field of one option from text, which OPT_STRING, OPT_WORDS and OPT_LIST keep by reference. ERR_USAGE on a
 * bad value. */
Status option_set(const Option *option, void *fields, const char *value, Error *error);
/* option_set for a value that is not from a command line: the message does not name the option. */
Status option_read(const Option *option, void *fields, const char *value, Error *error);
/* Sets the field of one option to its default. */
void option_default(const Option *option, void *fields);

/* Choice k of "a|b|c". */
StrView option_choice(const char *choices, int k);

/* Has the option the same value in both? */
bool option_same(const Option *option, const void *a, const void *b);

/* Sets the field of one option from a JSON value: an array of strings for OPT_WORDS and OPT_LIST; null leaves it
 * unchanged. Strings are copied to the arena `strings`. ERR_CONFIG on a bad value, with what was found and expected but
 * not the option's name; ERR_NOMEM. */
struct Arena;
Status option_from_json(const Option *option, void *fields, const struct cJSON *value, struct Arena *strings,
                        Error *error);

/* Sets fields from the members of a JSON object. path is used in messages. ERR_CONFIG on a name that is not in the
 * table or a bad value, ERR_NOMEM. */
Status options_from_json(const Option *table, void *fields, const struct cJSON *object, struct Arena *strings,
                         const char *path, Error *error);
/* Appends the value of an option: null for a string that is NULL. */
void option_to_json(const Option *option, const void *fields, StrBuf *out);
/* Appends {"name": value, ...} for the whole table, but for options of type OPT_ENUM without an initial value that are
 * their first choice. */
void options_to_json(const Option *table, const void *fields, StrBuf *out);
/* options_to_json as an object, to be deleted by the caller; NULL when out of memory. */
struct cJSON *options_json(const Option *table, const void *fields);

/* Help: a paragraph for each option, with its default; as plain text in lines of at most 80 columns, and as the source
 * of a manual page (man(7) macros). fields: its values are shown as the defaults; NULL: the defaults of the table. */
void options_help(const Option *table, const void *fields, StrBuf *out);
void options_manual(const Option *table, const void *fields, StrBuf *out);
