/* A text goes through the network alone in its batch; its attention, its scores and its loss
 * are then read for each head. */
#include "explain/class_heads.h"

#include "explain/head_report_internal.h"
#include "parser/task/classify/class_data.h"
#include "parser/task/classify/classify.h"
#include "parser/task/document/document_data.h"

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

Status class_heads_parses(HeadReport *r, Corpus *c, int n, Arena *a, Error *e)
{
    Status s = r->m->first ? parse_sentences(r->m->first, c->trees.s, n, a, e) : OK;
    if (s == OK) head_report_own_baselines(r, c->trees.s, n);
    return s;
}

static Status sentence_text(const Model *m, const Corpus *c, int k, Arena *a, ClassText *out, Error *e)
{
    int *labels = arena_alloc(a, 3, sizeof *labels);
    if (!labels) return out_of_memory(e);
    labels[0] = m->task->classifies;
    labels[1] = 1;
    *out = (ClassText){ .words = c->trees.s[k], .labels = labels, .next = 1 };
    return labels[0] ? class_data_number(c, k, &m->classes, &labels[2], e) : OK;
}

Status class_heads_text(const Model *m, const Corpus *c, int k, int from, Arena *a, ClassText *out, Error *e)
{
    DocumentRead read;
    *out = (ClassText){ .labels = NULL };
    if (!c->documents) return from ? OK : sentence_text(m, c, k, a, out, e);
    const DocumentLine *line = &c->documents->d[k];
    int *gold = arena_alloc(a, (size_t)line->sentences.n, sizeof *gold);
    Status s = gold ? document_read(m->task, &m->c, line, &c->trees.s[k], from, a, &read, e) : out_of_memory(e);
    if (s != OK || !read.n) return s;
    s = document_gold(m->task, &m->c, line, &m->classes, c->path, gold, e);
    if (s != OK) return s;
    *out =
        (ClassText){ .words = read.sentence, .labels = document_labels(&read, gold, a), .next = read.first + read.n };
    return out->labels ? OK : out_of_memory(e);
}

/* ---- a text */

Status class_heads_pass(Worker *w, const Sentence *text, Error *e)
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

Status class_heads_add(HeadReport *r, Worker *w, const ClassText *text, Error *e)
{
    const Gold gold = { text->labels };
    Arena a;
    arena_init(&a, (size_t)1 << 16);
    Status s = class_heads_pass(w, &text->words, e);
    bool skip = s == OK && !word_attention_is_one(w);
    r->in_pieces += skip;
    if (s == OK && !skip) s = head_report_add_words(r, w, &text->words, &a, e);
    if (s == OK && !skip && text->labels[0]) s = add_decisions(r, w, &gold, &a, e);
    arena_fini(&a);
    return s;
}
