/* A pool and a list of results that is reused by each run. */
#include "parser/parse/parser.h"

Status parser_init(Parser *parser, const Model *model, const Device *device, int n_threads, Error *error)
{
    *parser = (Parser){ .m = model, .o = parse_defaults(model) };
    return parse_pool_init(&parser->pool, model, device, n_threads, error);
}

void parser_fini(Parser *parser)
{
    parse_pool_fini(&parser->pool);
    mem_free(parser->result);
    *parser = (Parser){ 0 };
}

Status parser_run(Parser *parser, const ParseInput *in, int n, ParseTake take, void *context, Error *error)
{
    if (!mem_reserve(parser->result, &parser->cap, n)) return error_set(error, ERR_NOMEM, "out of memory parsing");
    return parse_pool_run(&parser->pool, in, n, &parser->o, parser->result, take, context, error);
}

Status parser_sentences(Parser *parser, const ParseInput *in, int n, Arena *arena, Sentence **parse, Error *error)
{
    Status s = parser_run(parser, in, n, NULL, NULL, error);
    for (int k = 0; k < n && s == OK; k++) {
        parse[k] = parsed_sentence(&parser->result[k], arena);
        if (!parse[k] || !parsed_keep_arcs(parse[k], arena))
            s = error_set(error, ERR_NOMEM, "out of memory for parses");
    }
    return s;
}

Status parser_annotate(const Model *model, const Device *device, int n_threads, Sentence *const *sent, int n,
                       Arena *arena, Error *error)
{
    Parser p = { 0 };
    ParseInput *in = mem_calloc((size_t)n, sizeof *in);
    Sentence **parse = mem_calloc((size_t)n, sizeof *parse);
    Status s = in && parse ? parser_init(&p, model, device, n_threads, error)
                           : error_set(error, ERR_NOMEM, "out of memory for parses");
    for (int k = 0; k < n && s == OK; k++) in[k] = parse_input(sent[k]);
    if (s == OK) s = parser_sentences(&p, in, n, arena, parse, error);
    for (int k = 0; k < n && s == OK; k++) {
        sent[k]->heads = parse[k]->heads;
        sent[k]->types = parse[k]->types;
        sent[k]->phrases = parse[k]->phrases;
        sent[k]->n_phrases = parse[k]->n_phrases;
        sent[k]->has_tree = parse[k]->has_tree;
    }
    parser_fini(&p);
    mem_free_each(in, parse);
    return s;
}
