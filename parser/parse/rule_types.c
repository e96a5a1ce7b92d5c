/* Applies the head rules to the tree, and keeps the rules' type where rules and parser agree on a word's head. */
#include "parser/parse/rule_types.h"

bool rule_types_find(const Model *model, const Parsed *parsed, Arena *scratch, int *type)
{
    ArenaMark mark = arena_mark(scratch);
    Error error = { .code = OK };
    Sentence *sent = parsed_sentence(parsed, scratch);
    bool good = sent && head_rules_apply(model->head_rules, sent, scratch, &error) == OK;
    for (int c = 0; good && c < parsed->n_words; c++) {
        bool agrees = sent->heads[c] == parsed->heads[c] && sent->heads[c] > 0;
        bool tells = agrees && !text_among(sent->types[c], model_language(model)->habits);
        int number = tells ? vocab_find(&model->types, sent->types[c]) : -1;
        type[c] = number >= 0 ? number : LABEL_NONE;
    }
    arena_rewind(scratch, mark);
    return good;
}
