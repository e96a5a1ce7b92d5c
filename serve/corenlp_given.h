/* What does a Document of CoreNLP.proto that comes with a request say? Its text, and the words of its sentences, if it
 * has them: these are parsed as they are. */
#pragma once

#include "serve/answer.h"

/* The offsets of a word in the text, in bytes, characters and UTF-16. */
typedef struct GivenPlace {
    size_t begin, end, begin_char, end_char, begin_utf16, end_utf16;
} GivenPlace;

/* All of it is of job->arena or of the body. */
typedef struct CoreGiven {
    StrView text; /* of the Document; of a Document whose words have no places in it: the words with blanks between */
    LalWords *sentences; /* [n_sentences] each of a word or more */
    int n_sentences;     /* 0: the Document has no words */
    GivenPlace *places;  /* [n_words] of the words of all sentences */
    size_t n_words;
    bool placed; /* the places are those that the Document says */
} CoreGiven;

/* Reads the body, a Document with its length before it. Only the text and the words are read. invalid: what becomes of
 * bytes that are not UTF-8 in a Document without words. false: *answer is refused, with 400 where the Document is
 * damaged or has a word that is not valid. */
bool corenlp_given_read(const Job *job, int invalid, CoreGiven *given, Answer *answer);
/* Sets *result, of job->arena, to `from`, of lal_parse_tokens, with the places of the words; from NULL: to the words
 * alone. Valid as long as `from`, and not to be freed. false: out of memory, and *answer is refused. */
bool corenlp_given_place(const Job *job, const CoreGiven *given, const LalResult *from, LalResult *result,
                         Answer *answer);

/* Appends the trees of the body, a Document with its length before it, each on a line: brackets as treebanks have them.
 * Nothing is appended where no sentence has a tree. false: *answer is refused, with 400 where the Document is damaged,
 * only some sentences have trees, or a label or word cannot be written in brackets. */
bool corenlp_given_trees(const Job *job, StrBuf *trees, Answer *answer);
