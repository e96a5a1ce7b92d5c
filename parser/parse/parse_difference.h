/* How two models that parse differ on sentences. */
#pragma once

#include "parser/parse/parse.h"
#include "parser/task/difference.h"

/* Two models of the same vocabularies on in[n], in *out. Errors of parsing. */
Status parse_difference(const Model *a, const Model *b, const ParseInput *in, int n, ModelDifference *out, Error *e);
