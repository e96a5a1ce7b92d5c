/* How two models that parse differ on sentences. */
#pragma once

#include "parser/parse/parse.h"
#include "parser/task/difference.h"

/* Two models of the same vocabularies on in[n], in *out. Errors of parsing. */
typedef Status ParseDifference(const Model *a, const Model *b, const ParseInput *in, int n, ModelDifference *out,
                               Error *e);
ParseDifference parse_difference;

/* What `differ` says of the first `most` sentences; its errors, ERR_NOMEM. */
Status parse_difference_on(ParseDifference *differ, const Model *a, const Model *b, const Treebank *sentences, int most,
                           ModelDifference *out, Error *error);
