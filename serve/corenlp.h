/* The protocol of Stanford CoreNLP's server, as far as lal has what it asks for (docs/SERVER.md): POST / with a
 * property map, answered in JSON, protobuf, CoNLL-U, CoNLL, text or XML. */
#pragma once

#include "serve/corenlp_given.h"

/* Fills in *a, with an error too. */
void corenlp_answer(const Job *job, Answer *answer);
/* The parameters of a request, and of a search: tables that end with NULL. */
extern const Option *const CORENLP_TABLES[], *const CORENLP_SEARCH_TABLES[];

/* The parts of the protocol that the tests call. */

/* What a request asks for. */
typedef enum CoreFormat { CORE_JSON, CORE_SERIALIZED, CORE_CONLLU, CORE_CONLL, CORE_TEXT, CORE_XML } CoreFormat;
typedef struct CoreRequest {
    bool pos, lemma, parse, arcs; /* neither: tokens alone */
    bool lines, code_points, one_line, compact, with_text;
    bool serialized; /* the body is a Document */
    CoreFormat format;
    int model;
    long timeout;        /* milliseconds; 0: none */
    const char *pattern; /* of a search; NULL: none is given */
    bool filter, unique;
    LalGraph graph;
    LalOptions options;
} CoreRequest;

/* A text, its result, and what is written of it. */
typedef struct CoreDocument {
    StrView text;
    const LalResult *result;
    const CoreRequest *asked;
} CoreDocument;

/* What a path does with what was parsed. */
typedef struct CorePath {
    const Option *const *tables; /* its parameters */
    /* Answers without a parse, if there is nothing to parse or the request is wrong; NULL: never */
    bool (*before)(const Job *job, CoreRequest *asked, Answer *answer);
    bool (*put)(const Job *job, const CoreDocument *document, Answer *answer); /* false: the answer is refused */
} CorePath;
/* Reads a request, parses what it has, and answers. */
void corenlp_run(const Job *job, const CorePath *path, Answer *answer);

/* The tag of a token; its universal part of speech where the model has no tags. */
const char *corenlp_tag(const LalToken *token);
/* The tree of a parsed sentence as CoreNLP lays it out, over several lines or on one. */
void corenlp_tree(StrBuf *out, const LalSentence *sentence, bool one_line);
void corenlp_json(StrBuf *out, const CoreDocument *document);
void corenlp_conll(StrBuf *out, const CoreDocument *document);
void corenlp_text(StrBuf *out, const CoreDocument *document);
void corenlp_xml(StrBuf *out, const CoreDocument *document);
/* A length-delimited Document of CoreNLP.proto, fields in the order of their numbers. */
void corenlp_protobuf(StrBuf *out, const CoreDocument *document);

/* The arc of token w: the token that governs it (LAL_NONE: the root) and the relation, "ROOT" of the root: Universal
 * Dependencies, or the model's own where it has no others. relation NULL: there are no arcs. */
typedef struct CoreArc {
    int head;
    const char *relation;
} CoreArc;
CoreArc corenlp_arc(const LalSentence *sentence, int word);
/* Arc k of the enhanced graph, in the same form. */
CoreArc corenlp_enhanced(const LalSentence *sentence, int k);
/* Calls put for each arc of a sentence, that of the root first, then by token; enhanced: of the enhanced graph. */
void corenlp_each_arc(StrBuf *out, const LalSentence *sentence, bool enhanced,
                      void (*put)(StrBuf *out, const LalSentence *sentence, int word, CoreArc arc));
/* Is a tree asked for, and has the sentence one? */
bool corenlp_has_tree(const CoreDocument *document, const LalSentence *sentence);
/* The text between token k of the document, counted over all sentences in `tokens` [count], and the one before it; k
 * count: after the last one. */
StrView corenlp_between(const CoreDocument *document, const LalToken *const *tokens, size_t count, size_t k);
/* The tokens of all sentences, [result->n_tokens], to be freed with mem_free; NULL: out of memory. */
const LalToken **corenlp_tokens(const LalResult *result);
