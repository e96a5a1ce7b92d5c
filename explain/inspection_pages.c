/* The lists of decisions and of sentences, and the overview */
#include "explain/inspection_pages.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json_writer.h"

enum { ROWS_MOST = 5000, WORDS_OF_DECISION = 10, WORDS_OF_SENTENCE = 30 };

Status inspection_pages_open(InspectionPages *pages, const char *path, const char *model, Compare *compare,
                             Error *error)
{
    *pages = (InspectionPages){
        .model = model, .compare = compare, .rows = { .compact = true }, .sentences = { .compact = true }
    };
    return pages_open(&pages->pages, path, error);
}

Status inspection_pages_close(InspectionPages *pages, bool commit, Error *error)
{
    return pages_close(&pages->pages, commit, error);
}

void inspection_pages_fini(InspectionPages *pages)
{
    pages_close(&pages->pages, false, &(Error){ 0 });
    strbuf_fini(&pages->rows);
    strbuf_fini(&pages->sentences);
    mem_free(pages->row);
}

/* Words begin .. end - 1, or as many of their beginning and end as `most`. */
static void put_words(StrBuf *out, const char *key, const Sentence *sent, int begin, int end, int most)
{
    StrBuf text = { 0 };
    int n = end - begin, cut = n > most ? most / 2 : n;
    for (int w = begin; w < end; w++) {
        if (w > begin) strbuf_putc(&text, ' ');
        if (n > most && w == begin + cut) {
            strbuf_puts(&text, "...");
            w = end - cut - 1;
        } else strbuf_puts(&text, sent->words[w]);
    }
    json_take(out, key, &text);
}

static void put_word(StrBuf *out, const char *key, const Sentence *sent, int number)
{
    json_string(out, key, number ? sent->words[number - 1] : NULL);
}

/* What gold has in the place of a wrong decision, or null. */
static void put_gold(StrBuf *out, const Explained *x, const Sentence *gold)
{
    const Decision *d = &x->d;
    if (d->kind == EXPLAIN_SPAN || d->kind == EXPLAIN_TAG) json_string(out, "gold", x->gold);
    else if (d->kind == EXPLAIN_TYPE) json_string(out, "gold", gold->types[d->at.begin - 1]);
    else put_word(out, "gold", gold, gold->heads[d->at.begin - 1]);
}

/* Decision `number` of the sentence; the phrases that it lacks come after its own. */
static Status add_row(InspectionPages *p, const Inspected *i, const Explained *x, int number, bool missed, Error *e)
{
    enum { HEADS = 3 };
    StrBuf *out = &p->rows;
    double confidence = missed ? 1 - x->standing.p : x->standing.p;
    DecisionRow row = { confidence, out->len, 0 };
    json_object(out, NULL);
    json_members(out, "sentence: %ld, number: %d, confidence: %.4f", i->origin.id, number, confidence);
    decision_json(out, i->m, &x->d);
    if (x->d.kind == EXPLAIN_SPAN) put_words(out, "words", i->s, x->d.at.begin, x->d.at.end, WORDS_OF_DECISION);
    else {
        put_word(out, "words", i->s, x->d.at.begin);
        if (x->d.kind != EXPLAIN_TAG) put_word(out, "of", i->s, x->d.at.end);
    }
    if (missed) json_bool(out, "missed", true);
    else if (x->in_gold == 0) put_gold(out, x, i->gold);
    json_array(out, "heads");
    for (int k = 0, h = -1; k < HEADS && (h = inspection_next_head(&x->a, h)) >= 0 && x->a.head[h] != 0; k++) {
        json_long(out, NULL, h + 1);
        json_real(out, NULL, "%.2f", x->a.head[h]);
    }
    json_array_end(out);
    json_object_end(out);
    row.len = out->len - row.at;
    if (out->failed || !mem_reserve(p->row, &p->cap, p->n + 1))
        return error_set(e, ERR_NOMEM, "out of memory listing decisions");
    p->row[p->n++] = row;
    strbuf_putc(out, '\n'); /* no comma before the next one */
    return OK;
}

Status inspection_pages_add(InspectionPages *pages, const Inspected *inspected, const Sentence *other, StrBuf *page,
                            Error *error)
{
    StrBuf *out = &pages->sentences;
    Status status = OK;
    char name[24];
    int wrong = 0;
    double least = 1;
    /* does gold judge any decision? not of other annotation, nor differences of scores */
    bool gold = inspected->missed != NULL;
    for (int k = 0; k < inspected->n; k++) gold = gold || inspected->x[k].in_gold >= 0;
    pages->gold = pages->gold || gold;
    for (int k = 0; k < inspected->n && status == OK; k++) {
        if (inspected->x[k].standing.p < least) least = inspected->x[k].standing.p;
        wrong += inspected->x[k].in_gold == 0;
        if (!gold || inspected->x[k].in_gold == 0)
            status = add_row(pages, inspected, &inspected->x[k], k, false, error);
    }
    for (int k = 0; k < inspected->n_missed && status == OK; k++)
        status = add_row(pages, inspected, &inspected->missed[k], inspected->n + k, true, error);
    json_line(out);
    json_object(out, NULL);
    json_members(out, "id: %ld, words: %d", inspected->origin.id, inspected->s->n_words);
    put_words(out, "text", inspected->s, 0, inspected->s->n_words, WORDS_OF_SENTENCE);
    if (gold) json_members(out, "wrong: %d, missing: %d", wrong, inspected->n_missed);
    if (inspected->n) json_real(out, "least", "%.4f", least);
    if (status == OK && pages->compare)
        status = compare_add(pages->compare, (const Sentence *[]){ inspected->s, other }, inspected->gold, out, error);
    json_object_end(out);
    snprintf(name, sizeof name, "%ld", inspected->origin.id);
    if (status == OK && out->failed) status = error_set(error, ERR_NOMEM, "out of memory listing sentences");
    return status == OK ? pages_put(&pages->pages, name, page, error) : status;
}

/* ---- the overview */

static int smallest_first(const void *x, const void *y)
{
    const DecisionRow *a = x, *b = y;
    if (a->confidence != b->confidence) return a->confidence < b->confidence ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* With gold the wrong and missing ones, the most confident first; else all, the least confident first. */
static void put_decisions(StrBuf *out, InspectionPages *p)
{
    int n = p->n < ROWS_MOST ? p->n : ROWS_MOST;
    for (int k = 0; k < p->n && p->gold; k++) p->row[k].confidence *= -1;
    if (p->n) qsort(p->row, (size_t)p->n, sizeof *p->row, smallest_first);
    json_long(out, "all_decisions", p->n);
    json_array(out, "decisions");
    for (int k = 0; k < n; k++) {
        json_line(out);
        strbuf_add(out, p->rows.ptr + p->row[k].at, p->row[k].len);
    }
    json_array_end(out);
}

Status inspection_pages_finish(InspectionPages *pages, const Inspection *sums, Error *error)
{
    StrBuf out = { .compact = true };
    json_object(&out, NULL);
    Status status = inspection_overview_json(&out, pages->model, pages->gold, sums, error);
    if (status != OK) {
        strbuf_fini(&out);
        return status;
    }
    put_decisions(&out, pages);
    json_array(&out, "texts");
    if (pages->sentences.ptr) strbuf_add(&out, pages->sentences.ptr, pages->sentences.len);
    json_array_end(&out);
    if (pages->compare) {
        json_object(&out, "compare");
        compare_json(&out, pages->compare);
        json_object_end(&out);
    }
    json_object_end(&out);
    return pages_put(&pages->pages, "overview", &out, error);
}
