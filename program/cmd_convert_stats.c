/* Lal convert stats */
#include <math.h>

#include "base/json_writer.h"
#include "eval/score.h"
#include "parser/model/corpus.h"
#include "program/program.h"
#include "treebank/stats.h"

enum { FORMAT_TABLE, FORMAT_JSON };

typedef struct Fields {
    OptionList deps, name;
    int format;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option STATS_OPTIONS[] = {
    { "deps", OPT_LIST, F(deps), NULL, 0, 0, "FILE",
      "CoNLL file of the same sentences, or head rules, for each FILE, which is one of trees, in their order" },
    { "name", OPT_LIST, F(name), NULL, 0, 0, "NAME",
      "name of the row, in the same order (default: the name of the file's folder)" },
    { "format", OPT_ENUM, F(format), "table", 0, 0, "table|json",
      "format of the output: a Markdown table, or a JSON object on each line" },
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static void put_json(StrBuf *out, const char *name, const TreebankStats *s)
{
    json_object(out, NULL);
    json_members(
        out,
        "name: %s, sentences: %ld, words: %ld, over_100_words: %ld, longest: %d, trees: %ld, phrases: %ld, labels: "
        "%d, collapsed_labels: %d, tags: %d, dependency_types: %d, projective: %.2f, one_head_spans: %.2f",
        name, s->sentences, s->words, s->long_sentences, s->longest, s->trees, s->phrases, vocab_size(&s->labels),
        vocab_size(&s->collapsed), vocab_size(&s->tags), vocab_size(&s->types),
        s->with_heads ? score_percent(s->projective, s->with_heads) : NAN,
        s->wide_spans ? score_percent(s->one_head, s->wide_spans) : NAN);
    strbuf_puts(out, "}\n");
}

static void put_percent(StrBuf *out, long part, long whole)
{
    if (whole) strbuf_printf(out, " %.2f |", score_percent(part, whole));
    else strbuf_puts(out, " - |");
}

static void put_row(StrBuf *out, const char *name, const TreebankStats *s, int format)
{
    if (format == FORMAT_JSON) {
        put_json(out, name, s);
        return;
    }
    strbuf_printf(out, "| %s | %ld | %ld | %ld (%.2f %%) | %d | %d / %d | %d | %d |", name, s->sentences, s->words,
                  s->long_sentences, score_percent(s->long_sentences, s->sentences), s->longest, vocab_size(&s->labels),
                  vocab_size(&s->collapsed), vocab_size(&s->tags), vocab_size(&s->types));
    put_percent(out, s->projective, s->with_heads);
    put_percent(out, s->one_head, s->wide_spans);
    strbuf_putc(out, '\n');
}

static Status count_sentences(CorpusReader *r, TreebankStats *s, TreebankStats *sum, Progress *progress, Error *e)
{
    Sentence *x;
    Status status;
    while ((status = corpus_next(r, &x, e)) == OK && x) {
        if (!stats_add(s, x) || !stats_add(sum, x)) return error_set(e, ERR_NOMEM, "out of memory counting");
        const TextStream *in = &r->trees.in;
        double read = (double)(in->byte + in->given);
        progress_show(progress, progress_share(progress, progress->size > 0 ? read / progress->size : 0),
                      "%ld sentences", sum->sentences);
    }
    return status;
}

static Status add_file(const Fields *f, const char *path, int k, TreebankStats *sum, StrBuf *out, ProgramNotes *notes,
                       Error *e)
{
    CorpusReader r;
    TreebankStats s;
    ReaderOptions o = { .brackets = { .strip_functions = true, .notes = &notes->notes } };
    char name[64], place[DATA_PATH_MAX], rules[DATA_PATH_MAX];
    path = program_file(path, place, sizeof place);
    corpus_name(path, name, sizeof name);
    stats_init(&s);
    const char *deps = f->deps.n ? program_deps_path(f->deps.item[k], rules, sizeof rules) : NULL;
    Status status = corpus_open(&r, path, deps, o, e);
    progress_file(notes->progress, path);
    if (status == OK) status = count_sentences(&r, &s, sum, notes->progress, e);
    if (status == OK && s.sentences == 0) status = corpus_empty(path, r.trees.o.format != FORMAT_CONLL, e);
    put_row(out, k < f->name.n ? f->name.item[k] : name, &s, f->format);
    stats_fini(&s);
    corpus_close(&r);
    return status;
}

static Status run_stats(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(STATS_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    const char *const *files = (const char *const *)argv;
    if (s == OK && f.deps.n && f.deps.n != n)
        s = error_set(e, ERR_USAGE, "found %d files of trees and %d --deps files, expected the same number", n,
                      f.deps.n);
    if (s != OK) return s;
    TreebankStats sum;
    StrBuf out = { 0 };
    ProgramNotes notes = program_notes();
    Progress progress = progress_start("stats", f.quiet);
    notes.progress = &progress;
    progress_files(&progress, files, n);
    stats_init(&sum);
    if (f.format == FORMAT_TABLE)
        strbuf_puts(&out, "| treebank | sentences | words | over 100 words | longest | labels / collapsed | tags | "
                          "dependency types | projective % | "
                          "one-head spans % |\n"
                          "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int k = 0; k < n && s == OK; k++) s = add_file(&f, files[k], k, &sum, &out, &notes, e);
    progress_clear(&progress);
    program_notes_end(&notes);
    if (n > 1) put_row(&out, "all", &sum, f.format);
    if (s == OK) s = program_print(&out, e);
    strbuf_fini(&out);
    stats_fini(&sum);
    return s;
}

static const Option *const STATS_TABLES[] = { STATS_OPTIONS, NULL };
const Command CMD_CONVERT_STATS = {
    "convert stats", "[OPTIONS] [FILE...]", "count what treebanks contain", NULL, STATS_TABLES, run_stats
};
