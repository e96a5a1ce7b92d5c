#include "parser/task/classify/class_heads.h"

#include "parser/heads/head_report_internal.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/classify.h"
#include "parser/task/use.h"

static Status out_of_memory(Error *e) { return error_set(e, ERR_NOMEM, "out of memory inspecting heads"); }

/* ---- texts */

static Status parse_sentences(const Model *parser, Sentence *sent, int n, Arena *a, Error *e)
{
    Sentence **list = mem_calloc((size_t)n, sizeof *list);
    for (int k = 0; list && k < n; k++) list[k] = &sent[k];
    Status s = list ? parser_annotate(parser, device_default(), 1, list, n, a, e) : out_of_memory(e);
    mem_free(list);
    return s;
}

Status class_heads_begin(HeadsRun *run, Error *error)
{
    const Model *first = run->r.m->first;
    Status s = first ? parse_sentences(first, run->c->trees.s, run->n, &run->arena, error) : OK;
    if (s == OK) head_report_own_baselines(&run->r, run->c->trees.s, run->n);
    return s;
}

/* Sentence k, which has n classes. */
static Status sentence_text(const Corpus *c, int k, int from, int n, Arena *a, ClassText *out, Error *e)
{
    *out = (ClassText){ .labels = NULL };
    if (from) return OK;
    int *labels = arena_alloc(a, 3, sizeof *labels);
    if (!labels) return out_of_memory(e);
    labels[0] = n;
    labels[1] = 1;
    *out = (ClassText){ .words = c->trees.s[k], .labels = labels, .next = 1 };
    return OK;
}

Status class_heads_text(const Model *model, const Corpus *corpus, int k, int from, Arena *arena, ClassText *out,
                        Error *error)
{
    Status s = sentence_text(corpus, k, from, 1, arena, out, error);
    return s == OK && out->labels ? class_data_number(corpus, k, &model->classes, &out->labels[2], error) : s;
}

Status class_heads_words(const Model *model, const Corpus *corpus, int k, int from, Arena *arena, ClassText *out,
                         Error *error)
{
    (void)model;
    return sentence_text(corpus, k, from, 0, arena, out, error);
}

/* ---- a text */

static Status pass(Worker *w, const Sentence *text, Error *e)
{
    bool read = text->parts || encoder_options_source(&w->m->options) != SYNTAX_NONE;
    const ParseInput in = { .n_words = text->n_words,
                            .words = (const char *const *)text->words,
                            .tags = (const char *const *)text->tags,
                            .space_before = text->space_before,
                            .parse = read ? text : NULL };
    w->pieces = true;
    worker_begin(w, true, false, 0);
    Status s = classifier_pack(w, &in, 1, e);
    return s == OK ? worker_forward(w, NULL, e) : s;
}

static Status add_decisions(HeadReport *r, Worker *w, const Gold *gold, Arena *a, Error *e)
{
    const LossWeights weights = { .part = { 1 } };
    Tensor *scores = r->explain[0] ? classify_scores(&w->forward, &w->net, gold, a) : NULL;
    Tensor *score = scores ? head_report_largest(w, scores, a) : NULL;
    Status s = worker_status(w, e);
    if (s == OK && score) {
        const HeadPass pass = head_report_pass(r, w);
        s = head_report_add_relevance(r, w, &pass, score, 0, a, e);
    }
    return s == OK ? head_report_add_losses(r, w, gold, &weights, a, e) : s;
}

Status class_heads_add(HeadReport *report, Worker *worker, const ClassText *text, Error *error)
{
    const Gold gold = { text->labels };
    Arena a;
    arena_init(&a, (size_t)1 << 16);
    Status s = pass(worker, &text->words, error);
    bool skip = s == OK && !word_attention_is_one(worker);
    report->in_pieces += skip;
    if (s == OK && !skip) s = head_report_add_words(report, worker, &text->words, &a, error);
    if (s == OK && !skip && text->labels[0]) s = add_decisions(report, worker, &gold, &a, error);
    arena_fini(&a);
    return s;
}

Status class_heads_add_texts(HeadsRun *run, int k, Error *error)
{
    const Corpus *c = run->c;
    ClassText text = { .next = 0 };
    if (!c->documents && c->trees.s[k].n_words > run->max_words) {
        run->r.in_pieces++;
        return OK;
    }
    Arena a;
    arena_init(&a, (size_t)1 << 14);
    Status s = OK;
    do {
        s = task_use(run->r.m->task)->heads->text(run->r.m, c, k, text.next, &a, &text, error);
        if (s == OK && text.labels) s = class_heads_add(&run->r, &run->w, &text, error);
    } while (s == OK && text.labels);
    arena_fini(&a);
    return s;
}

Status class_heads_show(HeadsRun *run, int k, int head, const struct HeadNames *names, PutAttention *put, StrBuf *out,
                        Error *error)
{
    ClassText text;
    Arena a;
    arena_init(&a, (size_t)1 << 14);
    Status s = task_use(run->r.m->task)->heads->text(run->r.m, run->c, k, 0, &a, &text, error);
    bool any = s == OK && text.labels;
    if (any) s = pass(&run->w, &text.words, error);
    if (any && s == OK && word_attention_is_one(&run->w))
        s = head_report_show(&run->r, &run->w, &text.words, head, names, k + 1, put, out, error);
    arena_fini(&a);
    return s;
}
