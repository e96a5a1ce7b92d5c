/* A parser: a loaded model, how it parses, and the threads that do it. The program, the benchmark, evaluation and the
 * public library (include/lalparser.h) parse through it. One call at a time; any number of parsers share a model. */
#pragma once

#include "parser/parse/parse_pool.h"

typedef struct Parser {
    const Model *m;
    ParseOptions o; /* parse_defaults; may be changed between two runs */
    ParsePool pool;
    Parsed *result; /* [n] of the last run; valid until the next one */
    int cap;
} Parser;

/* The model must outlive the parser; device: as in worker_init. ERR_NOMEM, and errors of Device.start. */
Status parser_init(Parser *parser, const Model *model, const Device *device, int n_threads, Error *error);
/* Does nothing to a parser of zeros. */
void parser_fini(Parser *parser);

/* Parses n sentences into parser->result, as parse_pool_run: take (or NULL) gets them in order as soon as they are
 * parsed. ERR_NUMERIC, ERR_NOMEM, and errors of take. */
Status parser_run(Parser *parser, const ParseInput *in, int n, ParseTake take, void *context, Error *error);

/* Parses n sentences as patterns of heads read them: parse [n], in the arena, with the words of `in`, without tags. */
Status parser_sentences(Parser *parser, const ParseInput *in, int n, Arena *arena, Sentence **parse, Error *error);
/* Gives n sentences the arcs and phrases that a model finds in their words, in the arena. */
Status parser_annotate(const Model *model, const Device *device, int n_threads, Sentence *const *sentence, int n,
                       Arena *arena, Error *error);
