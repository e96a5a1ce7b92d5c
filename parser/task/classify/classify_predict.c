/* The classes of the sentences of files */
#include <limits.h>

#include "base/json_writer.h"
#include "parser/parse/source.h"
#include "parser/parse/source.h"
#include "parser/task/classify/classify_use.h"

/* Predict.state */
typedef struct State {
    Classifier classifier;
    int *class_id;     /* [cap] of the window */
    Real *probability; /* [cap * classes] */
    int cap, cap_probability;
} State;

static Status begin(Predict *p, Error *e)
{
    State *t = p->state = mem_calloc(1, sizeof *t);
    if (!t) return error_set(e, ERR_NOMEM, "out of memory for classes");
    Status s = source_is_treebank((InputKind)p->f->input) ? OK : model_check_text(p->m, e);
    if (s == OK) s = classifier_init(&t->classifier, p->m, device_default(), p->n_threads, e);
    t->classifier.max_words = p->f->max_words;
    return s;
}

static void end(Predict *p)
{
    State *t = p->state;
    if (!t) return;
    classifier_fini(&t->classifier);
    mem_free(t->class_id);
    mem_free(t->probability);
    mem_free(t);
}

static void put_text(StrBuf *out, const char *name, const ParseInput *in)
{
    strbuf_printf(out, "%s\t", name);
    for (int w = 0; w < in->n_words; w++) {
        if (w) strbuf_putc(out, ' ');
        strbuf_puts(out, in->words[w]);
    }
    strbuf_putc(out, '\n');
}

static void put_json(StrBuf *out, const Model *m, long id, int best, const Real *probability, const ParseInput *in)
{
    json_object(out, NULL);
    json_members(out, "id: %ld, class: %s", id, vocab_text(&m->classes, best));
    json_object(out, "probabilities");
    for (int k = 0; k < vocab_size(&m->classes); k++)
        json_real(out, vocab_text(&m->classes, k), "%.4f", (double)probability[k]);
    json_object_end(out);
    json_strings(out, "words", in->words, in->n_words);
    strbuf_puts(out, "}\n");
}

/* Classifies and writes the window of the source. */
static Status write_window(Predict *p, const Source *s, Error *e)
{
    State *t = p->state;
    const int classes = vocab_size(&p->m->classes);
    if (!mem_reserve(t->class_id, &t->cap, s->n) || s->n > INT_MAX / classes ||
        !mem_reserve(t->probability, &t->cap_probability, s->n * classes))
        return error_set(e, ERR_NOMEM, "out of memory for %d sentences", s->n);
    Status status = classifier_run(&t->classifier, s->in, s->n, t->class_id, t->probability, e);
    if (status != OK) return status;
    for (int k = 0; k < s->n; k++) {
        if (s->in[k].n_words == 0) continue; /* an empty line of --input tokens */
        p->n++;
        p->cut += s->in[k].n_words > p->f->max_words;
        if (p->f->json)
            put_json(&p->buf, p->m, p->n, t->class_id[k], t->probability + (ptrdiff_t)k * classes, &s->in[k]);
        else put_text(&p->buf, vocab_text(&p->m->classes, t->class_id[k]), &s->in[k]);
    }
    return p->write(p, source_progress(s), e);
}

static Status file(Predict *p, const char *path, Error *e)
{
    Source s;
    const SourceOptions o = { .kind = (InputKind)p->f->input,
                              .raw = *p->raw,
                              .tags = true, /* tell quotes apart */
                              .parses = encoder_options_oracle(&p->m->options),
                              .notes = p->notes };
    Status status = source_open(&s, path, o, e);
    for (bool first = true; status == OK && (status = source_next(&s, e)) == OK && s.n; first = false) {
        if (first) p->warn(p, &s);
        status = write_window(p, &s, e);
    }
    source_close(&s);
    return status;
}

static void put_cut(const Predict *p, StrBuf *out)
{
    strbuf_printf(out, "of %ld sentence%s the first %d words were read (--max-words)\n", p->cut, p->cut == 1 ? "" : "s",
                  p->f->max_words);
}

const PredictTask CLASSIFY_PREDICT = { .command = "classify",
                                       .options = "input newline markup hyphens invalid rules max_words",
                                       .texts = "sentences",
                                       .begin = begin,
                                       .end = end,
                                       .file = file,
                                       .put_cut = put_cut };
