/* A pool and a list of results that is reused by each run. */
#include "parser/parse/parser.h"

Status parser_init(Parser *p, const Model *m, const Device *d, int n_threads, Error *e)
{
    *p = (Parser){ .m = m, .o = parse_defaults(m) };
    return parse_pool_init(&p->pool, m, d, n_threads, e);
}

void parser_fini(Parser *p)
{
    parse_pool_fini(&p->pool);
    mem_free(p->result);
    *p = (Parser){ 0 };
}

Status parser_run(Parser *p, const ParseInput *in, int n, ParseTake take, void *context, Error *e)
{
    if (!mem_reserve(p->result, &p->cap, n)) return error_set(e, ERR_NOMEM, "out of memory parsing");
    return parse_pool_run(&p->pool, in, n, &p->o, p->result, take, context, e);
}

Status parser_sentences(Parser *p, const ParseInput *in, int n, Arena *a, Sentence **parse, Error *e)
{
    Status s = parser_run(p, in, n, NULL, NULL, e);
    for (int k = 0; k < n && s == OK; k++) {
        parse[k] = parsed_sentence(&p->result[k], a);
        if (!parse[k] || !parsed_keep_arcs(parse[k], a)) s = error_set(e, ERR_NOMEM, "out of memory for parses");
    }
    return s;
}

Status parser_annotate(const Model *m, const Device *d, int n_threads, Sentence *const *sent, int n, Arena *a, Error *e)
{
    Parser p = { 0 };
    ParseInput *in = mem_calloc((size_t)n, sizeof *in);
    Sentence **parse = mem_calloc((size_t)n, sizeof *parse);
    Status s = in && parse ? parser_init(&p, m, d, n_threads, e) : error_set(e, ERR_NOMEM, "out of memory for parses");
    for (int k = 0; k < n && s == OK; k++) in[k] = parse_input(sent[k]);
    if (s == OK) s = parser_sentences(&p, in, n, a, parse, e);
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
