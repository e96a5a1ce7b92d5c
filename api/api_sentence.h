/* A parsed sentence as include/lalparser.h has it. */
#pragma once

#include "include/lalparser.h"
#include "parser/parse/parse.h"

/* A sentence and a token of which nothing is known. */
extern const LalSentence API_SENTENCE;
extern const LalToken API_TOKEN;

/* Sets the places of a token. */
void api_place(LalToken *to, const Token *from);

/* Sets the multiword tokens of a sentence and of its tokens, `token`: ranges [n]. false when out of memory. */
bool api_multiwords(const WordRange *ranges, int n, LalToken *token, Arena *arena, LalSentence *out);

/* Fills *out but for first_token, line, new_paragraph and touches_next, which are 0. place [n_words]: where the
 * words are in the text, or NULL. Arrays and strings lie in the arena or belong to the model. ERR_NOMEM. */
Status api_sentence(const Model *model, const Parsed *parsed, const Token *place, const TextBlock *block, Arena *arena,
                    LalSentence *out, Error *error);
