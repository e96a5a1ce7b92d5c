/* The parses that masks are made from (encoder_options.syntax) */
#include <string.h>

#include "base/rng.h"
#include "parser/parse/parser.h"
#include "parser/parse/syntax_file.h"
#include "parser/train/trainer.h"

enum { DRAW_DROPOUT = (1 << 30) + 2 }; /* counter of a draw; others of an example are in update.c */

/* ---- files */

/* The examples are the sentences that are not too long (examples.c). */
static void give_parses(Trainer *tr)
{
    int example = 0, sentence = 0;
    for (int c = 0; c < tr->a->n_corpora; c++)
        for (int k = 0; k < tr->a->corpora[c].trees.n; k++, sentence++)
            if (tr->a->corpora[c].trees.s[k].n_words <= tr->a->train.max_train_words)
                tr->ex[example++].parse = &tr->parses.s[sentence];
}

/* ---- source self */

/* Parses the examples from .. to - 1, which are of one treebank. */
static Status parse_examples(Trainer *tr, Parser *p, int from, int to, Error *e)
{
    int n = to - from;
    ParseInput *in = mem_calloc((size_t)n, sizeof *in);
    Sentence **parse = mem_calloc((size_t)n, sizeof *parse);
    Status s = in && parse ? OK : error_set(e, ERR_NOMEM, "out of memory parsing the training sentences");
    for (int k = 0; k < n && s == OK; k++) in[k] = parse_input(tr->ex[from + k].s);
    if (s == OK) s = parser_sentences(p, in, n, &tr->parses.arena, parse, e);
    for (int k = 0; k < n && s == OK; k++) tr->ex[from + k].parse = parse[k];
    mem_free(in);
    mem_free(parse);
    return s;
}

/* Parses all examples with the present values. */
static Status parse_all(Trainer *tr, Error *e)
{
    Parser p;
    arena_reset(&tr->parses.arena);
    thread_team_rest(tr->optimizer.team);
    Status s = parser_init(&p, &tr->m, tr->a->device ? tr->a->device : device_default(), tr->a->n_threads, e);
    p.o.no_syntax = true;
    p.o.shape_tags = false;
    if (p.o.max_words < tr->a->train.max_train_words) p.o.max_words = tr->a->train.max_train_words;
    for (int from = 0, to; from < tr->n && s == OK; from = to) {
        for (to = from; to < tr->n && tr->ex[to].treebank == tr->ex[from].treebank;) to++;
        p.o.treebank = tr->ex[from].treebank;
        s = parse_examples(tr, &p, from, to, e);
    }
    parser_fini(&p);
    return s;
}

/* ---- another model, which has not learnt from these sentences */

/* Appends the parses of n sentences. */
static Status parse_into(Treebank *to, Parser *p, const ParseInput *in, int n, Error *e)
{
    Sentence **parse = mem_calloc((size_t)n, sizeof *parse);
    Status s =
        parse ? parser_sentences(p, in, n, &to->arena, parse, e) : error_set(e, ERR_NOMEM, "out of memory for parses");
    for (int k = 0; k < n && s == OK; k++) {
        Sentence *sent = treebank_add(to);
        if (sent) *sent = *parse[k];
        else s = error_set(e, ERR_NOMEM, "out of memory for parses");
    }
    mem_free(parse);
    return s;
}

static Status parse_dev(Trainer *tr, Parser *p, const Treebank *dev, Error *e)
{
    ParseInput *in = mem_calloc((size_t)dev->n, sizeof *in);
    if (!in) return error_set(e, ERR_NOMEM, "out of memory for parses");
    for (int k = 0; k < dev->n; k++) in[k] = parse_input(&dev->s[k]);
    Status s = parse_into(&tr->dev_parses, p, in, dev->n, e);
    mem_free(in);
    return s;
}

static Status parse_training(Trainer *tr, Parser *p, Error *e)
{
    ParseInput *in = mem_calloc((size_t)tr->n, sizeof *in);
    if (!in) return error_set(e, ERR_NOMEM, "out of memory for parses");
    for (int k = 0; k < tr->n; k++) in[k] = parse_input(tr->ex[k].s);
    Status s = parse_into(&tr->parses, p, in, tr->n, e);
    for (int k = 0; k < tr->n && s == OK; k++) tr->ex[k].parse = &tr->parses.s[k];
    mem_free(in);
    return s;
}

Status trainer_syntax_first(Trainer *tr, Error *error)
{
    const TrainArgs *a = tr->a;
    Parser p = { 0 };
    Status s = model_load_first(&tr->m, a->out, error);
    if (s == OK) s = parser_init(&p, tr->m.first, a->device ? a->device : device_default(), a->n_threads, error);
    if (s == OK && !tr->only_scores) s = parse_training(tr, &p, error);
    for (int k = 0; k < a->n_dev && s == OK; k++) s = parse_dev(tr, &p, &a->dev[k].trees, error);
    parser_fini(&p);
    return s;
}

/* ---- source self, epoch by epoch */

Status trainer_syntax_epoch(Trainer *tr, Error *error)
{
    if (tr->syntax != SYNTAX_SELF || tr->st.epoch == 0) return OK;
    ParamSet *ps = &tr->m.ps;
    if (!tr->parse_values && !(tr->parse_values = mem_alloc(ps->trained, sizeof *tr->parse_values)))
        return error_set(error, ERR_NOMEM, "out of memory parsing the training sentences");
    optimizer_swap_average(&tr->optimizer);
    Status s = params_download(ps, error);
    if (s == OK) memcpy(tr->parse_values, params_values(ps), ps->trained * sizeof *tr->parse_values);
    if (s == OK) s = parse_all(tr, error);
    optimizer_swap_average(&tr->optimizer);
    return s;
}

static void swap_values(Real *a, Real *b, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        Real x = a[k];
        a[k] = b[k];
        b[k] = x;
    }
}

/* Repeats the parses of a resumed epoch, with the weights from its start: they are swapped in, and out afterwards. */
static Status parse_again(Trainer *tr, Error *e)
{
    ParamSet *ps = &tr->m.ps;
    const Device *d = tr->a->device ? tr->a->device : device_default();
    tr->parse_values = mem_calloc(ps->trained, sizeof *tr->parse_values);
    if (!tr->parse_values) return error_set(e, ERR_NOMEM, "out of memory parsing the training sentences");
    const ExtraSlab slab = { TRAINER_PARSE_VALUES, tr->parse_values };
    Status s = model_load_extra(&tr->m, tr->a->resume, &slab, 1, e);
    if (s != OK) return s;
    swap_values(params_values(ps), tr->parse_values, ps->trained);
    s = params_upload(ps, d, e);
    if (s == OK) s = parse_all(tr, e);
    swap_values(params_values(ps), tr->parse_values, ps->trained);
    return s == OK ? params_upload(ps, d, e) : s;
}

/* ---- all sources */

static Status check_none(const Trainer *tr, Error *e)
{
    const EncoderOptions *o = &tr->m.options;
    for (int k = 0; k < o->n_heads; k++)
        if (o->heads[k].syntax != SYNTAX_NONE)
            return error_set(e, ERR_CONFIG,
                             "encoder_options.heads[%d]: found a pattern that reads parses, expected one of words: "
                             "the task %s has no parses",
                             k, tr->m.task->name);
    return OK;
}

Status trainer_syntax_start(Trainer *tr, Error *error)
{
    tr->syntax = encoder_options_source(&tr->m.options);
    return tr->task->find_parses ? tr->task->find_parses(tr, error) : check_none(tr, error);
}

Status trainer_syntax_parses(Trainer *tr, Error *error)
{
    Model *m = &tr->m;
    const TrainArgs *a = tr->a;
    bool own = tr->syntax == SYNTAX_SELF || tr->syntax == SYNTAX_GOLD,
         reads = tr->syntax == SYNTAX_FIRST_PASS || tr->syntax == SYNTAX_FILE;
    Status s = own ? model_check_needs(m, &m->net.encoder.plan, "the training files", error) : OK;
    if (s == OK && reads)
        s = syntax_file_corpora(&tr->parses, m->options.syntax.train_file, m, a->corpora, a->n_corpora, error);
    if (s == OK && reads) give_parses(tr);
    if (s == OK && tr->syntax == SYNTAX_FILE && a->n_dev)
        s = syntax_file_corpora(&tr->dev_parses, m->options.syntax.dev_file, m, a->dev, a->n_dev, error);
    if (s == OK && tr->syntax == SYNTAX_FIRST_PASS) {
        m->first_error = (Error){ 0 };
        s = model_load_first(m, a->out, error);
    }
    if (s == OK && tr->syntax == SYNTAX_SELF && a->resume && tr->st.epoch > 0 && tr->st.batch > 0)
        s = parse_again(tr, error);
    return s;
}

const Sentence *trainer_syntax_parse(const Trainer *tr, const Example *example, uint64_t key)
{
    if (tr->syntax == SYNTAX_GOLD) return example->s;
    if (tr->syntax == SYNTAX_SELF && rng_uniform(key, DRAW_DROPOUT) < tr->m.options.syntax.dropout) return NULL;
    return example->parse;
}

const Sentence *trainer_syntax_dev(const Trainer *tr, int k)
{
    int first = 0;
    for (int c = 0; c < k; c++) first += tr->a->dev[c].trees.n;
    return tr->dev_parses.n ? tr->dev_parses.s + first : NULL;
}

void trainer_syntax_fini(Trainer *tr)
{
    treebank_fini(&tr->parses);
    treebank_fini(&tr->dev_parses);
    mem_free(tr->parse_values);
}
