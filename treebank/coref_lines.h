/* Reads mentions and their antecedents in JSON lines (docs/FORMATS.md, mentions): on each line a piece of a text with
 * its words and mentions. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

typedef enum MentionType { MENTION_PRONOMINAL, MENTION_PROPER, MENTION_NOMINAL, MENTION_TYPES } MentionType;
extern const char *const MENTION_TYPE_NAMES[MENTION_TYPES];
enum { MENTION_FEATURES = 3 }; /* number, gender, person */

/* Words are numbered from 0. */
typedef struct Mention {
    int begin, end, head; /* words begin .. end - 1; head: the first one with a governor outside, or without any */
    MentionType type;     /* of the head */
    const char *feature[MENTION_FEATURES]; /* of the head; "": it has none */
    int *antecedents; /* [n_antecedents] rising numbers of mentions of the same entity, whose heads are before */
    int n_antecedents;
} Mention;

typedef struct CorefPiece {
    long line;      /* in its file */
    const char *id; /* or NULL */
    const char **words;
    Mention *mentions; /* [n_mentions] by rising heads */
    int n_words, n_mentions;
} CorefPiece;

/* Owns the pieces and their strings. */
typedef struct CorefLines {
    CorefPiece *p; /* [n] */
    int n, cap;
    Arena arena;
} CorefLines;

void coref_lines_init(CorefLines *lines);
void coref_lines_fini(CorefLines *lines);

/* Appends the pieces of a text. Of each the members `words` and `mentions` are read, and `id` where it has one; of a
 * mention `begin`, `end`, `head`, `type`, `antecedents`, and `number`, `gender` and `person` where it has them; others
 * are ignored. Empty lines are skipped. ERR_FORMAT with line and column, ERR_LIMIT (a line of more than JSON_FILE_MOST
 * bytes, base/json_file.h), ERR_NOMEM. */
Status coref_lines_read(CorefLines *lines, TextBlock block, Error *error);
