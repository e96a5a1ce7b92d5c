/* The smallest changes of a sentence after which the parser decides otherwise: another tag of one word, a comma more or
 * less, a word in another case or another word of a short list (Language.exchanges). Each of them is parsed, so what is
 * found is so; what is not found may be so by a change that was not tried. */
#pragma once

#include "explain/explain.h"

typedef enum FlipKind { FLIP_TAG, FLIP_ADD_COMMA, FLIP_DROP_COMMA, FLIP_CASE, FLIP_WORD } FlipKind;

typedef struct Flip {
    FlipKind kind;
    int word;       /* from 0: which is changed or dropped, or before which the comma comes; n_words: after all */
    const char *to; /* the tag, comma or word in its place; NULL of a comma that is dropped */
    /* what the parser decides then: for a phrase the label of the phrase over the same words, NULL: no phrase; for an
     * arc the head of the word, by its number in the sentence as it was, 0: root, -1: the new comma */
    const char *label;
    int head;
} Flip;

enum { FLIPS_MOST = 3, FLIP_TRIES = 40 };

/* For a phrase or an arc of `parsed`, or (missing) a phrase that it lacks, the first changes, in the order of
 * FlipKind and near the borders of the decision, after which it is not (missing: it is) in the parse; FLIPS_MOST of
 * at most FLIP_TRIES. worker has parsed the sentence, `in`, with ParseOptions.record; `other`, of the same model,
 * parses the changed ones with `options`. Nothing is tried where something is given of the sentence. They lie in the
 * arena. Errors of parse_batch. */
Status flip_find(Worker *worker, Worker *other, const ParseInput *in, const ParseOptions *options, const Parsed *parsed,
                 const Decision *decision, bool missing, Arena *arena, const Flip **out, int *n, Error *error);
