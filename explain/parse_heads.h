/* What the attention heads of a parser do over a treebank: a HeadReport of one stack, label heads last. Relevance is
 * for the phrases and the arcs of its own parses, importance for the training loss. */
#pragma once

#include "explain/head_report.h"
#include "parser/parse/parse.h"

/* Parses a gold sentence and adds it; o->record must be set. Measures that need a tree or dependencies which it lacks
 * skip it. ERR_NOMEM, errors of parse_batch and of the tape. */
Status parse_heads_add(HeadReport *r, Worker *w, const Sentence *gold, const ParseOptions *o, Error *e);
/* Parses a sentence, by its gold parse where masks read it, so that head_report_weights has its attention; p->pieces
 * above 1, or not word_attention_is_one: it is too long to have one. Errors of parse_heads_add. */
Status parse_heads_pass(Worker *w, const Sentence *sent, const ParseOptions *o, Arena *a, Parsed *p, Error *e);
