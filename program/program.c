/* What the subcommands share. */
#define _XOPEN_SOURCE 700
#include "program/program.h"
#include "tensor/device.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/script.h"
#include "parser/model/corpus.h"
#include "parser/model/model_file.h"
#include "parser/parse/source.h"
#include "treebank/vocab.h"

Status program_options(const Option *table, void *fields, int argc, char **argv, int most, int *n, Error *error)
{
    static char standard_input[] = "-";
    const Option *tables[] = { table };
    void *all[] = { fields };
    *n = 0;
    options_defaults(table, fields);
    Status s = options_parse(tables, all, 1, argc, argv, argv, n, error); /* rest may be argv itself */
    if (s != OK) return s;
    if (*n > most)
        return most ? error_set(error, ERR_USAGE, "found '%s', expected at most %d argument%s", argv[most], most,
                                most > 1 ? "s" : "")
                    : error_set(error, ERR_USAGE, "found '%s', expected only options", argv[0]);
    if (*n == 0 && most > 1) argv[(*n)++] = standard_input;
    return OK;
}

void program_say(const char *format, ...)
{
    StrBuf text = { 0 }, shown = { 0 };
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    strbuf_visible(&shown, text.ptr, text.len);
    if (text.failed || shown.failed) fputs("lal: out of memory for a message\n", stderr);
    else if (shown.len) fwrite(shown.ptr, 1, shown.len, stderr);
    strbuf_fini(&text);
    strbuf_fini(&shown);
}

Status program_print(const StrBuf *text, Error *error)
{
    if (text->failed) return error_set(error, ERR_NOMEM, "out of memory");
    StrBuf shown = { 0 };
    if (isatty(STDOUT_FILENO)) {
        strbuf_visible(&shown, text->ptr, text->len);
        if (shown.len && !shown.failed) text = &shown;
    }
    bool written = !text->len || fwrite(text->ptr, 1, text->len, stdout) == text->len;
    strbuf_fini(&shown);
    return written && fflush(stdout) == 0 ? OK : error_set(error, ERR_IO, "cannot write: %s", strerror(errno));
}

void program_mark_oracle(StrBuf *out, OracleForm form)
{
    StrBuf marked = { 0 };
    size_t at = 0;
    StrView line;
    if (form == ORACLE_JSON && out->len) {
        strbuf_puts(&marked, "{\"oracle\": true, ");
        strbuf_add(&marked, out->ptr + 1, out->len - 1);
    }
    while (form != ORACLE_JSON && text_line((StrView){ out->ptr, out->len }, &at, &line)) {
        strbuf_puts(&marked, form == ORACLE_TSV ? "ORACLE\t" : "ORACLE ");
        strbuf_add(&marked, line.ptr, line.len);
        strbuf_putc(&marked, '\n');
    }
    marked.failed = marked.failed || out->failed;
    strbuf_fini(out);
    *out = marked;
}

Status program_task(const char *path, const Task **task, Error *error)
{
    ModelTexts texts;
    Status s = model_texts_read(&texts, path, NULL, error);
    *task = s == OK ? texts.task : NULL;
    model_texts_fini(&texts);
    return s;
}

Status program_task_refused(const char *path, const Task *task, Error *error)
{
    return error_at(error, ERR_CONFIG, path, 0, 0,
                    "found a model of the task %s, expected one that parses or classifies sentences", task->name);
}

Status program_rules_read(RawTextFields *fields, Error *error)
{
    char place[DATA_PATH_MAX];
    fields->rules = NULL;
    if (!fields->rules_file) return OK;
    return text_rules_read(&fields->rules, program_file(fields->rules_file, place, sizeof place), error);
}

RawText program_raw_text(const RawTextFields *fields, const Model *model)
{
    enum { MODEL, SPLIT };
    bool of_model = model && fields->hyphens == MODEL;
    return (RawText){ .language = model ? model->c.language : 0,
                      .learnt = model ? &model->text : NULL,
                      .split_hyphens = of_model ? model->c.split_hyphens : fields->hyphens == SPLIT,
                      .invalid = (Invalid)fields->invalid,
                      .rules = fields->rules,
                      .segment = { .newlines = (Newlines)fields->newline, .markup = (Markup)fields->markup } };
}

int program_threads(int asked)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (asked > 0) return asked;
    return n < 1 ? 1 : n > 256 ? 256 : (int)n;
}

Status program_device(const char *name, Error *error)
{
    Error why = { 0 };
    bool any = strcmp(name, "auto") == 0;
    Status s = device_choose(any ? "cuda" : name, &why);
    if (s == OK) return OK;
    if (s == ERR_USAGE) return error_set(error, s, "--device: %s", why.message);
    if (!any) return error_set(error, s, "--device %s: %s", name, why.message);
    program_say("the CPU computes: %s\n", why.message);
    return device_choose("cpu", error);
}

Status program_products(int chosen, Error *error)
{
    return chosen == PRODUCTS_REAL ? OK : device_default()->set_products((Products)chosen, error);
}

Status program_parse_products(int chosen, bool exact, Error *error)
{
    static const Products products[] = { [PARSE_F32] = PRODUCTS_REAL,
                                         [PARSE_BF16] = PRODUCTS_BF16,
                                         [PARSE_TF32] = PRODUCTS_TF32,
                                         [PARSE_INT16] = PRODUCTS_INT16,
                                         [PARSE_INT8] = PRODUCTS_INT8 };
    if (chosen != PARSE_AUTO) return program_products((int)products[chosen], error);
    return exact ? OK : program_products((int)device_parse_products(), error);
}

const char *program_model_file(const char *given, char *buf, size_t size)
{
    const LalShippedModel *m;
    for (int k = 0; given && (m = lal_models(k)); k++)
        if (strcmp(given, m->name) == 0) return data_path(m->file, buf, size);
    return given;
}

const char *program_model_path(const char *given, char *buf, size_t size)
{
    const char *set = getenv("LAL_MODEL");
    return program_model_file(given ? given : set ? set : lal_models(0)->name, buf, size);
}

const char *program_deps_path(const char *deps, char *buf, size_t size)
{
    return deps && corpus_is_rules(deps) ? data_path_named("headrules", deps, NULL, buf, size)
                                         : program_file(deps, buf, size);
}

const char *program_file(const char *path, char *buf, size_t size)
{
    if (!path || strncmp(path, "examples/", 9) != 0 || access(path, F_OK) == 0) return path;
    return access(data_path(path, buf, size), F_OK) == 0 ? buf : path;
}

enum { NOTES_PRINTED = 10 };

static void print_note(Notes *notes, const Error *note)
{
    ProgramNotes *p = (ProgramNotes *)notes; /* its first member */
    char text[1400];
    Error named = { 0 };
    error_at(&named, OK, note->path, note->line, note->column, "note: %s", note->message);
    if (p->n < NOTES_PRINTED && p->progress) progress_clear(p->progress);
    if (p->n++ < NOTES_PRINTED) program_say("%s\n", error_text(&named, text, sizeof text));
}

ProgramNotes program_notes(void) { return (ProgramNotes){ .notes = { print_note } }; }

void program_notes_end(const ProgramNotes *notes)
{
    if (notes->n > NOTES_PRINTED) program_say("%ld more notes of this kind\n", notes->n - NOTES_PRINTED);
}

static void warn_script(const Source *s, const Model *m, Progress *p)
{
    ScriptCounts text = { 0 };
    for (int k = 0; k < s->n; k++)
        for (int w = 0; w < s->in[k].n_words; w++) script_count(&text, s->in[k].words[w], strlen(s->in[k].words[w]));
    int found = script_most(&text);
    if (found < 0) return;
    const ScriptCounts known = model_scripts(m);
    int expected = script_most(&known);
    if (expected < 0 || known.of[found] * 20 >= known.all) return;
    bool learnt = m->c.language == LANGUAGE_TRAINED && m->default_treebank < vocab_size(&m->treebanks);
    const LalShippedModel *other;
    for (int k = 0; (other = lal_models(k)) && strcmp(other->script, script_name(found)) != 0;) k++;
    progress_clear(p);
    program_say("%s: warning: most letters of this text are %s, but the model (%s) knows %s%s%s\n", s->path,
                script_name(found), learnt ? vocab_text(&m->treebanks, m->default_treebank) : model_language(m)->name,
                script_name(expected), other ? "; try --model " : "", other ? other->name : "");
}

void program_warn_input(const Source *source, const Model *model, Progress *progress)
{
    static const struct {
        const char *looks_like, *instead;
    } kinds[] = { [INPUT_CONLL] = { "a CoNLL file", "--input conll reads its words" },
                  [INPUT_BRACKETS] = { "trees in brackets", "--input brackets reads its words" },
                  [INPUT_JSON] = { "JSON", "--input json reads lines of lal parse --format json" } };
    InputKind kind = source_suspect(source);
    if (kind == INPUT_TEXT) {
        warn_script(source, model, progress);
        return;
    }
    progress_clear(progress);
    program_say("%s: warning: this looks like %s, but is read as %s; %s\n", source->path, kinds[kind].looks_like,
                source->o.kind == INPUT_TOKENS ? "tokens" : "text", kinds[kind].instead);
}

static Status check_gold(const GoldFiles *f, const Task *task, Error *e)
{
    const struct {
        const char *option, *value;
    } all[] = { { "gold-deps", f->deps }, { "gold-classes", f->classes }, { "gold-target", f->target } };
    const TaskUse *use = task_use(task);
    for (int k = 0; k < 3; k++)
        if (all[k].value && !text_among(all[k].option, use->files))
            return error_set(e, ERR_USAGE, "found --%s, expected gold of %s", all[k].option, task->model);
    return f->gold || !use->needs_gold ? OK
                                       : error_set(e, ERR_USAGE, "found no --gold, expected that of %s", task->model);
}

Status program_gold(Corpus *corpus, const GoldFiles *gold_files, const Task *task, GoldOptions options, Error *error)
{
    char place[4][DATA_PATH_MAX];
    const GoldFiles files = { .gold = program_file(gold_files->gold, place[0], sizeof place[0]),
                              .deps = program_deps_path(gold_files->deps, place[1], sizeof place[1]),
                              .classes = program_file(gold_files->classes, place[2], sizeof place[2]),
                              .target = program_file(gold_files->target, place[3], sizeof place[3]),
                              .name = gold_files->name };
    ProgramNotes notes = program_notes();
    options.notes = &notes.notes;
    Status s = check_gold(gold_files, task, error);
    if (s == OK) s = task_use(task)->gold(&files, &options, corpus, error);
    program_notes_end(&notes);
    return s;
}

Status program_corpus(Corpus *corpus, const char *trees, const char *deps, const char *name, Error *error)
{
    return program_gold(corpus, &(GoldFiles){ .gold = trees, .deps = deps, .name = name }, &TASK_PARSE,
                        (GoldOptions){ 0 }, error);
}

/* File k of a list; NULL: there is none. */
static const char *item(const OptionList *list, int k)
{
    return list && k < list->n && strcmp(list->item[k], "none") != 0 ? list->item[k] : NULL;
}

Status program_corpora(const GoldLists *lists, const Task *task, GoldOptions options, Corpus *corpus, int *n,
                       Error *error)
{
    const int trees = lists->gold->n, deps = lists->deps->n;
    bool rules = deps == 1 && corpus_is_rules(lists->deps->item[0]); /* one table for all trees */
    *n = 0;
    if (trees && deps && trees != deps && !rules)
        return error_set(error, ERR_USAGE, "found %d --%s and %d --%s-deps files, expected the same number", trees,
                         lists->what, deps, lists->what);
    for (int want = trees ? trees : deps; *n < want; ++*n) {
        const GoldFiles files = { .gold = item(lists->gold, *n),
                                  .deps = item(lists->deps, rules ? 0 : *n),
                                  .classes = lists->classes,
                                  .target = item(lists->target, *n),
                                  .name = lists->names && *n < lists->names->n ? lists->names->item[*n] : NULL };
        if (!files.gold && !files.deps)
            return error_set(error, ERR_USAGE, "found --%s none and no --%s-deps file", lists->what, lists->what);
        Status s = program_gold(&corpus[*n], &files, task, options, error);
        if (s != OK) return s;
    }
    return OK;
}
