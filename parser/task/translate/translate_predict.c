/* Translations of the lines of files */
#include "base/json_writer.h"
#include "base/stream.h"
#include "parser/task/translate/translate.h"
#include "parser/task/translate/translate_use.h"

/* Bytes of text that are translated at once, unless a line is longer; no line may be longer than LINE_MOST. */
enum { WINDOW = 1 << 15, LINE_MOST = 1 << 20 };

/* Predict.state */
typedef struct State {
    Translator translator;
    StrView *line;   /* [n] the window */
    Translation *of; /* [n] */
    int n, line_cap, of_cap;
} State;

static Status begin(Predict *p, Error *e)
{
    const TranslateOptions o = { p->f->beam, p->f->length_penalty, p->f->json };
    State *t = p->state = mem_calloc(1, sizeof *t);
    if (!t) return error_set(e, ERR_NOMEM, "out of memory for translations");
    Status s = model_check_text(p->m, e);
    return s == OK ? translator_init(&t->translator, p->m, device_default(), p->n_threads, o, e) : s;
}

static void end(Predict *p)
{
    State *t = p->state;
    if (!t) return;
    translator_fini(&t->translator);
    mem_free(t->line);
    mem_free(t->of);
    mem_free(t);
}

static void put_json(StrBuf *out, const Model *m, long id, const Translation *t)
{
    json_object(out, NULL);
    json_members(out, "id: %ld", id);
    json_string(out, "text", t->text);
    json_array(out, "pieces");
    for (int k = 0; k < t->n; k++) json_string(out, NULL, vocab_text(&m->words, t->piece[k]));
    json_array_end(out);
    json_ints(out, "source", t->source, t->source ? t->n : 0);
    json_members(out, "log_probability: %.6g, score: %.6g", t->log_p, t->score);
    json_object_end(out);
    strbuf_putc(out, '\n');
}

/* Translates and writes the window; done: as Predict.write takes it. */
static Status write_window(Predict *p, double done, Error *e)
{
    State *t = p->state;
    if (!mem_reserve(t->of, &t->of_cap, t->n)) return error_set(e, ERR_NOMEM, "out of memory for %d lines", t->n);
    Status s = translator_run(&t->translator, t->line, t->n, t->of, e);
    if (s != OK) return s;
    for (int k = 0; k < t->n; k++) {
        p->n++;
        p->cut += t->of[k].cut;
        if (p->f->json) put_json(&p->buf, p->m, p->n, &t->of[k]);
        else strbuf_printf(&p->buf, "%s\n", t->of[k].text);
    }
    return p->write(p, done, e);
}

/* The lines of a block become the window. */
static Status take_lines(State *t, const TextBlock *block, Error *e)
{
    const char *found;
    size_t at = 0, bad = text_fault(block->text, &found);
    TextPlace place = text_place((TextPlace){ block->line, block->column }, block->text.ptr, bad);
    if (bad < block->text.len)
        return error_at(e, ERR_FORMAT, block->path, place.line, place.column, "%s, expected text", found);
    StrView line;
    for (t->n = 0; text_line(block->text, &at, &line); t->n++) {
        if (!mem_reserve(t->line, &t->line_cap, t->n + 1)) return error_set(e, ERR_NOMEM, "out of memory for lines");
        t->line[t->n] = line;
    }
    return OK;
}

static Status file(Predict *p, const char *path, Error *e)
{
    TextStream in;
    TextBlock block;
    bool whole;
    Status s = stream_open(&in, path, (StreamOptions){ .skip_mark = true }, stream_cut_lines, e);
    while (s == OK && (s = stream_next(&in, WINDOW, LINE_MOST, &block, &whole, e)) == OK && block.text.len) {
        if (!whole)
            s = error_at(e, ERR_FORMAT, path, block.line, 1, "found a line of more than %d bytes, expected a sentence",
                         LINE_MOST);
        if (s == OK) s = take_lines(p->state, &block, e);
        if (s == OK) s = write_window(p, stream_share(&in), e);
    }
    stream_close(&in);
    return s;
}

static void put_cut(const Predict *p, StrBuf *out)
{
    strbuf_printf(out, "of %ld line%s the first %d pieces were read\n", p->cut, p->cut == 1 ? "" : "s",
                  TRANSLATE_MOST_PIECES);
}

const PredictTask TRANSLATE_PREDICT = { .command = "translate",
                                        .options = "",
                                        .texts = "lines",
                                        .begin = begin,
                                        .end = end,
                                        .file = file,
                                        .put_cut = put_cut };
