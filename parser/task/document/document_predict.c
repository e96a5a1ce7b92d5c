/* What models say of the documents of files */
#include <math.h>

#include "base/json_writer.h"
#include "parser/task/document/document.h"
#include "parser/task/document/document_use.h"

/* Predict.state: a Classifier */
static Status begin(Predict *p, Error *e)
{
    Classifier *c = p->state = mem_calloc(1, sizeof *c);
    if (!c) return error_set(e, ERR_NOMEM, "out of memory for documents");
    Status status = model_check_text(p->m, e);
    return status == OK ? document_classifier(c, p->m, device_default(), p->n_threads, e) : status;
}

static void end(Predict *p)
{
    if (p->state) classifier_fini(p->state);
    mem_free(p->state);
}

/* A document as lal eval --measure reads it, with probabilities for each sentence: p [sentences * classes]. */
static void put_json(StrBuf *out, const Model *m, const DocumentLine *d, const Real *p)
{
    const DocumentKind *kind = document_kind(m->task);
    const int classes = vocab_size(&m->classes);
    json_object(out, NULL);
    if (d->id) json_string(out, "id", d->id);
    json_array(out, "sentences");
    for (int k = 0; k < d->sentences.n; k++) json_view(out, NULL, d->sentences.text[k]);
    json_array_end(out);
    kind->put_json(d, out);
    json_object(out, "probabilities");
    for (int c = kind->named ? 0 : 1; c < classes; c++) {
        json_array(out, vocab_text(&m->classes, c));
        for (int k = 0; k < d->sentences.n; k++) {
            double x = (double)p[(ptrdiff_t)k * classes + c];
            json_real(out, NULL, "%.4f", x < 0 ? NAN : x); /* null: not read */
        }
        json_array_end(out);
    }
    json_object_end(out);
    strbuf_puts(out, "}\n");
}

static Status write_documents(Predict *p, const Corpus *data, const DocumentUnits *u, Error *e)
{
    const PredictFields *f = p->f;
    const DocumentChoice o = { .most = f->choose, .block = f->block_trigrams };
    double threshold[THRESHOLDS];
    Arena arena;
    arena_init(&arena, 1 << 12);
    Status status = document_thresholds(p->m, threshold, e);
    for (int k = 0; k < data->trees.n && status == OK; k++) {
        DocumentLine d;
        arena_reset(&arena);
        status = document_predict(p->m, &o, threshold[f->threshold], data, u, k, &arena, &d, e);
        if (status != OK) break;
        if (f->json) put_json(&p->buf, p->m, &d, u->p + (ptrdiff_t)u->first[k] * u->classes);
        else document_kind(p->m->task)->put_text(&d, &p->buf);
        status = p->write(p, -1, e);
    }
    arena_fini(&arena);
    return status;
}

static Status file(Predict *p, const char *path, Error *e)
{
    Corpus data;
    DocumentUnits u = { 0 };
    Status status = document_data_load(&data, path, p->m->c.language, e);
    if (status == OK) status = document_units(p->state, &data, &u, e);
    if (status == OK) status = write_documents(p, &data, &u, e);
    document_units_fini(&u);
    corpus_fini(&data);
    return status;
}

const PredictTask DOCUMENT_PREDICT = { .command = "classify",
                                       .options = "choose block_trigrams threshold",
                                       .texts = "documents",
                                       .begin = begin,
                                       .end = end,
                                       .file = file };
