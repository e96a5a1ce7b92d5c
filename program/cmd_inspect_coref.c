/* Lal inspect coref */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "eval/randomisation.h"
#include "lal/coref_probe.h"
#include "parser/heads/word_attention.h"
#include "parser/model/model_file.h"
#include "program/program.h"

enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON };

typedef struct Fields {
    OptionList model;
    const char *dev, *out, *device;
    int format;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option COREF_OPTIONS[] = {
    { "model", OPT_LIST, F(model), NULL, 0, 0, "MODEL",
      "model to probe: one that parses, classifies or was pretrained, or an encoder of lal model import (default: as "
      "for lal parse); more are compared with the first" },
    { "dev", OPT_STRING, F(dev), NULL, 0, 0, "FILE",
      "mentions to choose heads by (default: those of FILE itself, as the papers do)" },
    { "format", OPT_ENUM, F(format), "text", 0, 0, "text|tsv|json",
      "text, json: baselines and the best heads; tsv: a row for each head and measure" },
    DEVICE_OPTION(Fields, device),
    OUT_OPTION(Fields),
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* One file of mentions, and what a model finds in it. */
typedef struct Part {
    const char *path;
    CorefLines lines;
    CorefProbe probe[OPTION_LIST_MAX];
    int unread;     /* pieces that one of the encoders cannot take, which no model is asked about */
    bool *left_out; /* [lines.n] */
} Part;

typedef struct Run {
    const Fields *f;
    Part test, dev; /* dev.path NULL: heads are chosen on test */
    int n;          /* models */
    Model *m;       /* [n] */
    WordAttention heads[OPTION_LIST_MAX];
} Run;

static Status read_part(Part *p, const char *path, Error *e)
{
    StrBuf text = { 0 };
    coref_lines_init(&p->lines);
    p->path = path;
    if (!path) return OK;
    Status s = file_read_text(path, &text, e);
    if (s == OK) s = coref_lines_read(&p->lines, text_block((StrView){ text.ptr ? text.ptr : "", text.len }, path), e);
    strbuf_fini(&text);
    if (s == OK && !(p->left_out = mem_calloc((size_t)p->lines.n + 1, sizeof *p->left_out)))
        s = error_set(e, ERR_NOMEM, "out of memory for mentions");
    return s;
}

static void part_fini(Part *p, int models)
{
    coref_lines_fini(&p->lines);
    for (int k = 0; k < models; k++) coref_probe_fini(&p->probe[k]);
    mem_free(p->left_out);
}

/* Attention of model k in piece `at`; what cannot be read is left out. */
static Status probe_piece(Run *run, int k, Part *p, int at, Worker *w, Error *e)
{
    const CorefPiece *piece = &p->lines.p[at];
    const WordAttention *heads = &run->heads[k];
    bool read;
    Arena a;
    arena_init(&a, (size_t)1 << 20);
    HeadWeights *weights = arena_alloc(&a, (size_t)heads->n, sizeof *weights);
    Status s = weights ? word_attention_read(heads, w, piece->words, piece->n_words, &a, weights, &read, e)
                       : error_set(e, ERR_NOMEM, "out of memory for %d heads", heads->n);
    if (s == OK && read) s = coref_probe_add(&p->probe[k], piece, weights, e);
    if (s == OK && !read) {
        p->left_out[at] = true;
        p->unread++;
    }
    arena_fini(&a);
    return s;
}

static Status probe_part(Run *run, int k, Part *p, Worker *w, Error *e)
{
    Progress progress = progress_start("coref", run->f->quiet);
    Status s = coref_probe_init(&p->probe[k], run->heads[k].n, e);
    for (int at = 0; at < p->lines.n && s == OK; at++) {
        if (!p->left_out[at]) s = probe_piece(run, k, p, at, w, e);
        progress_show(&progress, (at + 1.0) / p->lines.n, "%d of %d pieces of %s", at + 1, p->lines.n, p->path);
    }
    progress_clear(&progress);
    return s;
}

static Status probe_model(Run *run, int k, Error *e)
{
    Worker w;
    Status s = word_attention_init(&run->heads[k], &run->m[k], e);
    if (s != OK) return s;
    worker_init(&w, &run->m[k], device_default());
    s = probe_part(run, k, &run->test, &w, e);
    if (s == OK && run->dev.path) s = probe_part(run, k, &run->dev, &w, e);
    worker_fini(&w);
    return s;
}

/* ---- one column of a measure: the head that dev chooses, and the best one */

typedef struct Choice {
    int chosen, best; /* heads of the test file's probe */
    double p;         /* of the difference to the first model; NAN: it is the first one */
} Choice;

/* The answers of two models, each by its own head, to the mentions of a column. */
typedef struct Pairs {
    const CorefProbe *a, *b;
    RandomisationPair *pair; /* [n] where they differ */
    int n, start, now;       /* right answers of a less right answers of b */
    bool *a_right;           /* [n] */
} Pairs;

static void start_pairs(void *context)
{
    Pairs *x = context;
    x->now = x->start;
}

static void exchange_pair(void *context, int k)
{
    Pairs *x = context;
    x->now += x->a_right[k] ? -2 : 2;
}

static double pairs_difference(void *context) { return ((const Pairs *)context)->now; }

static Status compare(const CorefProbe *a, int a_head, const CorefProbe *b, int b_head, CorefMeasure measure,
                      int column, double *p, Error *e)
{
    int all = a->mentions[COREF_ALL];
    Pairs x = { .a = a, .b = b };
    x.pair = mem_alloc((size_t)all + 1, sizeof *x.pair);
    x.a_right = mem_alloc((size_t)all + 1, sizeof *x.a_right);
    for (int k = 0; x.pair && x.a_right && k < all; k++) {
        bool right = coref_probe_found(a, k, measure, a_head), other = coref_probe_found(b, k, measure, b_head);
        if (right == other || (column < COREF_ALL && a->type[k] != column)) continue;
        x.pair[x.n] = (RandomisationPair){ 0, k };
        x.a_right[x.n++] = right;
        x.start += right ? 1 : -1;
    }
    const Randomisation r = { x.pair, x.n, &x, start_pairs, exchange_pair, pairs_difference };
    Status s = x.pair && x.a_right ? OK : error_set(e, ERR_NOMEM, "out of memory comparing heads");
    if (s == OK) *p = randomisation_p(&r, 10000, 1);
    mem_free(x.pair);
    mem_free(x.a_right);
    return s;
}

static Status choose(const Run *run, int k, CorefMeasure measure, int column, Choice *c, Error *e)
{
    const CorefProbe *test = run->test.probe, *by = run->dev.path ? run->dev.probe : test;
    *c =
        (Choice){ coref_probe_best(&by[k], measure, column), coref_probe_best(&test[k], measure, column), (double)NAN };
    if (k == 0) return OK;
    return compare(&test[0], coref_probe_best(&by[0], measure, column), &test[k], c->chosen, measure, column, &c->p, e);
}

/* ---- output */

static const char *column_name(int c) { return c == COREF_ALL ? "all" : MENTION_TYPE_NAMES[c]; }

static double percent(int right, int of) { return of ? 100.0 * right / of : (double)NAN; }

/* A cell of 23 columns. */
static void put_cell(StrBuf *out, double value, int digits, const char *note)
{
    if (isnan(value)) strbuf_printf(out, "%6s %-16s", "-", note);
    else strbuf_printf(out, "%6.*f %-16s", digits, value, note);
}

static void end_line(StrBuf *out)
{
    while (out->len && out->ptr[out->len - 1] == ' ') out->len--;
    strbuf_putc(out, '\n');
}

static Status text_model(const Run *run, int k, StrBuf *out, Error *e)
{
    const CorefProbe *p = &run->test.probe[k];
    for (CorefMeasure measure = COREF_WORDS; measure < COREF_MEASURES; measure++) {
        Choice c[COREF_COLUMNS];
        for (int column = 0; column < COREF_COLUMNS; column++)
            if (choose(run, k, measure, column, &c[column], e) != OK) return e->code;
        for (int row = 0; row < 3; row++) {
            static const char *const names[] = { "", "  the best one", "  p" };
            if ((row == 1 && !run->dev.path) || (row == 2 && k == 0)) continue;
            strbuf_printf(out, "%-16s", row ? names[row] : COREF_MEASURE_NAMES[measure]);
            for (int i = 0; i < COREF_COLUMNS; i++) {
                int column = (i + COREF_ALL) % COREF_COLUMNS, h = row ? c[column].best : c[column].chosen;
                char name[HEAD_NAME] = "";
                if (row < 2 && p->mentions[column]) word_attention_name(&run->heads[k], h, name);
                put_cell(out,
                         row == 2 ? c[column].p
                                  : percent(coref_probe_right(p, measure, h, column), p->mentions[column]),
                         row == 2 ? 4 : 2, name);
            }
            end_line(out);
        }
    }
    return OK;
}

static Status write_text(const Run *run, StrBuf *out, Error *e)
{
    const CorefProbe *p = &run->test.probe[0];
    Status s = OK;
    strbuf_printf(out, "%-16s", "");
    for (int i = 0; i < COREF_COLUMNS; i++) {
        int column = (i + COREF_ALL) % COREF_COLUMNS;
        char of[32];
        snprintf(of, sizeof of, "(%d)", p->mentions[column]);
        strbuf_printf(out, "%10s %-12s", column_name(column), of);
    }
    end_line(out);
    for (int b = 0; b < COREF_BASELINES; b++) {
        strbuf_printf(out, "%-16s", COREF_BASELINE_NAMES[b]);
        for (int i = 0; i < COREF_COLUMNS; i++) {
            int column = (i + COREF_ALL) % COREF_COLUMNS;
            put_cell(out, percent(p->baseline[b][column], p->mentions[column]), 2, "");
        }
        end_line(out);
    }
    for (int k = 0; k < run->n && s == OK; k++) {
        strbuf_printf(out, "\n%s, %d heads%s\n", file_name(run->m[k].path), run->heads[k].n,
                      run->dev.path ? ", chosen on the dev set" : "");
        s = text_model(run, k, out, e);
    }
    return s;
}

static void write_tsv(const Run *run, StrBuf *out)
{
    strbuf_puts(out, "model\thead\tmeasure");
    for (int part = 0; part < (run->dev.path ? 2 : 1); part++)
        for (int i = 0; i < COREF_COLUMNS; i++)
            strbuf_printf(out, "\t%s%s", part ? "dev_" : "", column_name((i + COREF_ALL) % COREF_COLUMNS));
    strbuf_putc(out, '\n');
    for (int k = 0; k < run->n; k++)
        for (int h = 0; h < run->heads[k].n; h++)
            for (CorefMeasure measure = COREF_WORDS; measure < COREF_MEASURES; measure++) {
                char name[HEAD_NAME];
                word_attention_name(&run->heads[k], h, name);
                strbuf_printf(out, "%s\t%s\t%s", file_name(run->m[k].path), name, COREF_MEASURE_NAMES[measure]);
                for (int part = 0; part < (run->dev.path ? 2 : 1); part++)
                    for (int i = 0; i < COREF_COLUMNS; i++) {
                        const CorefProbe *p = &(part ? &run->dev : &run->test)->probe[k];
                        int column = (i + COREF_ALL) % COREF_COLUMNS;
                        strbuf_printf(out, "\t%.4f",
                                      percent(coref_probe_right(p, measure, h, column), p->mentions[column]));
                    }
                strbuf_putc(out, '\n');
            }
}

/* {"head": "3:2", "accuracy": 41.20, "best": "3:4", "best_accuracy": 42.00, "p": 0.0123} */
static Status json_choice(const Run *run, int k, CorefMeasure measure, int column, StrBuf *out, Error *e)
{
    const CorefProbe *probe = &run->test.probe[k];
    char chosen[HEAD_NAME], best[HEAD_NAME];
    Choice c;
    Status s = choose(run, k, measure, column, &c, e);
    if (s != OK) return s;
    word_attention_name(&run->heads[k], c.chosen, chosen);
    word_attention_name(&run->heads[k], c.best, best);
    int n = probe->mentions[column];
    json_object(out, column_name(column));
    json_members(out, "head: %s, accuracy: %.4f, best: %s, best_accuracy: %.4f", chosen,
                 percent(coref_probe_right(probe, measure, c.chosen, column), n), best,
                 percent(coref_probe_right(probe, measure, c.best, column), n));
    if (k) json_fixed(out, "p", c.p, 5);
    json_object_end(out);
    return OK;
}

static Status json_model(const Run *run, int k, StrBuf *out, Error *e)
{
    Status s = OK;
    json_object(out, NULL);
    json_members(out, "model: %s, heads: %d", run->m[k].path, run->heads[k].n);
    for (CorefMeasure measure = COREF_WORDS; measure < COREF_MEASURES; measure++) {
        json_object(out, COREF_MEASURE_NAMES[measure]);
        for (int c = 0; c < COREF_COLUMNS && s == OK; c++) s = json_choice(run, k, measure, c, out, e);
        json_object_end(out);
    }
    json_object_end(out);
    return s;
}

static Status write_json(const Run *run, StrBuf *out, Error *e)
{
    const CorefProbe *p = &run->test.probe[0];
    Status s = OK;
    json_object(out, NULL);
    json_members(out, "file: %s, pieces: %d, left_out: %d", run->test.path, run->test.lines.n, run->test.unread);
    if (run->dev.path) json_string(out, "dev", run->dev.path);
    json_object(out, "mentions");
    for (int c = 0; c < COREF_COLUMNS; c++) json_long(out, column_name(c), p->mentions[c]);
    json_object_end(out);
    json_object(out, "baselines");
    for (int b = 0; b < COREF_BASELINES; b++) {
        json_object(out, COREF_BASELINE_NAMES[b]);
        for (int c = 0; c < COREF_COLUMNS; c++)
            json_fixed(out, column_name(c), percent(p->baseline[b][c], p->mentions[c]), 4);
        json_object_end(out);
    }
    json_object_end(out);
    json_array(out, "models");
    for (int k = 0; k < run->n && s == OK; k++) s = json_model(run, k, out, e);
    json_array_end(out);
    json_object_end(out);
    strbuf_putc(out, '\n');
    return s;
}

static Status write_result(const Run *run, Error *e)
{
    FileWriter w = { 0 };
    StrBuf out = { 0 };
    Status s = OK;
    if (run->f->format == FORMAT_TSV) write_tsv(run, &out);
    else s = run->f->format == FORMAT_JSON ? write_json(run, &out, e) : write_text(run, &out, e);
    if (s == OK && out.failed) s = error_set(e, ERR_NOMEM, "out of memory writing the result");
    if (s == OK) s = filewriter_open(&w, run->f->out, e);
    if (s == OK) {
        filewriter_write(&w, out.ptr, out.len);
        s = filewriter_close(&w, true, e);
    }
    strbuf_fini(&out);
    return s;
}

/* ---- run */

/* A piece that a later model could not take is taken from the earlier ones, too. */
static Status probe_models(Run *run, Error *e)
{
    Status s = OK;
    int before;
    do {
        before = run->test.unread + run->dev.unread;
        for (int k = 0; k < run->n && s == OK; k++) {
            coref_probe_fini(&run->test.probe[k]);
            coref_probe_fini(&run->dev.probe[k]);
            s = probe_model(run, k, e);
        }
    } while (s == OK && run->n > 1 && run->test.unread + run->dev.unread > before);
    if (s == OK && run->test.probe[0].mentions[COREF_ALL] == 0)
        s = error_set(e, ERR_FORMAT, "%s: found no mention with an antecedent%s, expected some", run->test.path,
                      run->test.unread ? " in pieces that are short enough for the pretrained encoder" : "");
    if (s == OK && !run->f->quiet && run->test.unread + run->dev.unread)
        program_say("note: %d pieces left out, which are too long for a pretrained encoder\n",
                    run->test.unread + run->dev.unread);
    return s;
}

static Status load_models(Run *run, Error *e)
{
    const OptionList *list = &run->f->model;
    run->n = list->n ? list->n : 1;
    if (!(run->m = mem_calloc((size_t)run->n, sizeof *run->m))) {
        run->n = 0;
        return error_set(e, ERR_NOMEM, "out of memory for models");
    }
    for (int k = 0; k < run->n; k++) model_init(&run->m[k]);
    Status s = program_device(run->f->device, e);
    if (s == OK) s = device_default()->start(1, false, e);
    for (int k = 0; k < run->n && s == OK; k++) {
        char place[DATA_PATH_MAX];
        s = model_load_any(&run->m[k], program_model_path(list->n ? list->item[k] : NULL, place, sizeof place), NULL,
                           e);
        if (s == OK && run->m[k].task->decoder) /* whose words are pieces */
            s = error_at(e, ERR_CONFIG, run->m[k].path, 0, 0, "found %s, expected one that reads words",
                         run->m[k].task->model);
    }
    return s;
}

static Status run_coref(int argc, char **argv, Error *e)
{
    Fields f;
    Run run = { .f = &f };
    int n;
    Status s = program_options(COREF_OPTIONS, &f, argc, argv, 1, &n, e);
    if (s == OK && n == 0) s = error_set(e, ERR_USAGE, "found no FILE, expected mentions in JSON lines");
    if (s != OK) return s;
    s = read_part(&run.test, argv[0], e);
    if (s == OK) s = read_part(&run.dev, f.dev, e);
    if (s == OK) s = load_models(&run, e);
    if (s == OK) s = probe_models(&run, e);
    if (s == OK) s = write_result(&run, e);
    part_fini(&run.test, run.n);
    part_fini(&run.dev, run.n);
    for (int k = 0; k < run.n; k++) model_fini(&run.m[k]);
    mem_free(run.m);
    return s;
}

static const char COREF_HELP[] = "From each mention with an antecedent: where does the attention of each head go\n"
                                 "(docs/INTERPRET.md#coreference)? FILE has mentions in JSON lines\n"
                                 "(docs/FORMATS.md#mentions).\n";

static const Option *const COREF_TABLES[] = { COREF_OPTIONS, NULL };
const Command CMD_INSPECT_COREF = { "inspect coref", "[OPTIONS] FILE", "find heads that attend to antecedents",
                                    COREF_HELP,      COREF_TABLES,     run_coref };
