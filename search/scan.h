/* What is the next token of a pattern, and is it what must stand there? What the readers of Tregex and of Semgrex
 * share: both go down by recursion over tokens that are as long as they can be. The first failure stands, and
 * nothing is taken after it. */
#pragma once

#include "base/map.h"
#include "search/condition.h"
#include "search/regex.h"

enum { SCAN_MOST_NAMES = 512 };

/* Kinds of tokens; others are the character itself, or numbered by a reader from TOKEN_OTHER on. */
enum { TOKEN_END = 0, TOKEN_REGEX = 256, TOKEN_RELATION, TOKEN_OTHER };

typedef struct Token {
    int kind;
    StrView text;
    int relation; /* of TOKEN_RELATION: its row among the relations */
} Token;

typedef struct Scan {
    StrView text;
    Token token;  /* the next one */
    size_t after; /* where the text goes on after it */
    /* The kind of the token that a text, which is not empty, begins with, and its length; 0: none but a relation, a
     * regular expression or a character. */
    int (*begins)(StrView text, size_t *length);
    const char *(*relation)(int row); /* longer ones before their beginnings; NULL after the last */
    void *to;                         /* the pattern */
    Arena *arena;                     /* its memory */
    int depth;                        /* open brackets */
    int negations;                    /* of these, and of relations, that are negated */
    Error *error;
    bool failed;
} Scan;

/* Calls `read` for a text of one line, UTF-8, all of which it is to take. false: *error has the code, "pattern" and the
 * column. */
bool scan_read(Scan *scan, void (*read)(Scan *scan));

void scan_fail(Scan *scan, size_t at, Status code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void scan_expected(Scan *scan, const char *what); /* fails with what was found in its place */
void *scan_no_memory(Scan *scan);                 /* fails; NULL */
static inline size_t scan_here(const Scan *scan) { return (size_t)(scan->token.text.ptr - scan->text.ptr); }

void scan_next(Scan *scan);
/* Takes a token of this kind; false: it is another one, which is a failure unless what is NULL. */
bool scan_take(Scan *scan, int kind, const char *what);
/* Takes the token as a name, one of SCAN_MOST_NAMES; -1: failed. */
int scan_name(Scan *scan, StrMap *names);
/* The regular expression of the token, which is not taken. */
Regex *scan_regex(Scan *scan, RegexOptions options);
/* Is in one bracket or negation more, until scan->depth is counted down. */
void scan_deepen(Scan *scan);

/* Cleared memory of the pattern, NULL if failed. */
void *scan_allot(Scan *scan, size_t count, size_t size);
/* Room for one more after n items; NULL if failed. */
void *scan_grow(Scan *scan, void *items, int n, size_t size);
/* condition_join; NULL if failed, before or now. */
Condition *scan_join(Scan *scan, ConditionKind kind, Condition *to, Condition *member);
/* More is to hold of the node of a condition, or of those of each of its members. */
void scan_relate(Scan *scan, Condition *condition, Condition *more);
