/* Lal translate */
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/stream.h"
#include "parser/model/model_file.h"
#include "program/program.h"
#include "parser/task/translate/translate.h"

enum { FORMAT_TEXT, FORMAT_JSON };

typedef struct Fields {
    const char *model, *out, *device;
    int format, threads, beam;
    double length_penalty;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option TRANSLATE_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL", "model to translate with, of lal train --task translate" },
    { "beam", OPT_INT, F(beam), "4", 1, 1000, NULL,
      "outputs that a beam search keeps; 1: the most probable next piece" },
    { "length_penalty", OPT_REAL, F(length_penalty), "0.6", 0, 10, NULL,
      "the score of an output of n pieces is log p / ((5 + n) / 6)^X; 0: log p" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|json",
      "format of the output; text: a line for each line; json: lines with pieces, scores and what each piece attends "
      "to "
      "(docs/TRANSLATE.md)" },
    OUT_OPTION(Fields),
    THREADS_OPTION(Fields),
    DEVICE_OPTION(Fields, device),
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* Bytes of text that are translated at once, unless a line is longer; no line may be longer than LINE_MOST. */
enum { WINDOW = 1 << 15, LINE_MOST = 1 << 20 };

typedef struct Run {
    const Fields *f;
    const Model *m;
    Translator translator;
    FileWriter out;
    StrBuf buf;
    Progress progress;
    StrView *line;   /* [n] the window */
    Translation *of; /* [n] */
    int n, line_cap, of_cap;
    long id, cut;
} Run;

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

/* Translates and writes the window. */
static Status write_window(Run *r, Error *e)
{
    if (!mem_reserve(r->of, &r->of_cap, r->n)) return error_set(e, ERR_NOMEM, "out of memory for %d lines", r->n);
    Status s = translator_run(&r->translator, r->line, r->n, r->of, e);
    strbuf_clear(&r->buf);
    for (int k = 0; k < r->n && s == OK; k++) {
        r->id++;
        r->cut += r->of[k].cut;
        if (r->f->format == FORMAT_JSON) put_json(&r->buf, r->m, r->id, &r->of[k]);
        else strbuf_printf(&r->buf, "%s\n", r->of[k].text);
    }
    if (s == OK && r->buf.failed) s = error_set(e, ERR_NOMEM, "out of memory writing translations");
    if (s == OK) program_write(&r->out, &r->buf);
    return s;
}

/* The lines of a block become the window. */
static Status take_lines(Run *r, const TextBlock *block, Error *e)
{
    const char *found;
    size_t at = 0, bad = text_fault(block->text, &found);
    TextPlace place = text_place((TextPlace){ block->line, block->column }, block->text.ptr, bad);
    if (bad < block->text.len)
        return error_at(e, ERR_FORMAT, block->path, place.line, place.column, "%s, expected text", found);
    StrView line;
    for (r->n = 0; text_line(block->text, &at, &line); r->n++) {
        if (!mem_reserve(r->line, &r->line_cap, r->n + 1)) return error_set(e, ERR_NOMEM, "out of memory for lines");
        r->line[r->n] = line;
    }
    return OK;
}

static Status translate_file(Run *r, const char *path, Error *e)
{
    char place[DATA_PATH_MAX];
    TextStream in;
    TextBlock block;
    bool whole;
    path = program_file(path, place, sizeof place);
    Status s = stream_open(&in, path, NULL, true, stream_cut_lines, e);
    progress_file(&r->progress, path);
    while (s == OK && (s = stream_next(&in, WINDOW, LINE_MOST, &block, &whole, e)) == OK && block.text.len) {
        if (!whole)
            s = error_at(e, ERR_FORMAT, path, block.line, 1, "found a line of more than %d bytes, expected a sentence",
                         LINE_MOST);
        if (s == OK) s = take_lines(r, &block, e);
        if (s == OK) s = write_window(r, e);
        progress_show(&r->progress, progress_share(&r->progress, (double)stream_taken(&in)), "%ld lines", r->id);
    }
    stream_close(&in);
    return s;
}

static Status translate_files(Run *r, const char *const *files, int n, Error *e)
{
    Status s = filewriter_open(&r->out, r->f->out, e);
    if (s != OK) return s;
    progress_files(&r->progress, files, n);
    for (int k = 0; k < n && s == OK; k++) s = translate_file(r, files[k], e);
    progress_clear(&r->progress);
    if (r->cut)
        program_say("of %ld line%s the first %d pieces were read\n", r->cut, r->cut == 1 ? "" : "s",
                    TRANSLATE_MOST_PIECES);
    Status closed = filewriter_close(&r->out, s == OK, e);
    return s != OK ? s : closed;
}

static Status run_model(const Fields *f, const char *const *files, int n, Error *e)
{
    char place[DATA_PATH_MAX];
    Model m;
    Run r = { .f = f, .m = &m, .progress = progress_start("translate", f->quiet) };
    const TranslateOptions o = { f->beam, f->length_penalty, f->format == FORMAT_JSON };
    model_init(&m);
    m.task = &TASK_TRANSLATE;
    Status s = model_load(&m, program_model_file(f->model, place, sizeof place), NULL, e);
    if (s == OK) s = model_check_text(&m, e);
    if (s == OK) s = translator_init(&r.translator, &m, device_default(), program_threads(f->threads), o, e);
    if (s == OK) s = translate_files(&r, files, n, e);
    translator_fini(&r.translator);
    model_fini(&m);
    strbuf_fini(&r.buf);
    mem_free(r.line);
    mem_free(r.of);
    return s;
}

static Status run_translate(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(TRANSLATE_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    if (s == OK && !f.model) s = error_set(e, ERR_USAGE, "found no --model, expected one");
    if (s == OK) s = program_device(f.device, e);
    return s == OK ? run_model(&f, (const char *const *)argv, n, e) : s;
}

static const Option *const TRANSLATE_TABLES[] = { TRANSLATE_OPTIONS, NULL };
const Command CMD_TRANSLATE = { "translate",
                                "-m MODEL [OPTIONS] [FILE...]",
                                "translate text, line by line",
                                "lal train --task translate makes models, lal eval --measure bleu scores what they\n"
                                "write (docs/TRANSLATE.md).\n",
                                TRANSLATE_TABLES,
                                run_translate };
