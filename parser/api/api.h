/* parser/api/api.h
 * What the program needs of the objects of include/lalparser.h beyond that header: an observer (ParseOptions.observe),
 * windows of treebanks (parser/parse/source.h), parses in numbers for parser/output/output.h. */
#ifndef LAL_PARSER_API_API_H
#define LAL_PARSER_API_API_H

#include "include/lalparser.h"
#include "parser/parse/parser.h"

/* lal_model_load, where files above map_above bytes stay mapped (FILEMAP_NEVER: none do); with `parsed`, also of a
 * model whose masks read parses of files, which every input must have then. */
LalModel *api_model_load(const char *path, size_t map_above, bool parsed, LalError *error);

/* Borrowed from the objects. */
const Model *api_model(const LalModel *m);
Parser *api_parser(LalParser *p);

/* The error of a function of lalparser.h as one of ours; OK where *from holds none. */
Status api_error(const LalError *from, Error *e);

#endif
