/* Lal tokenize */
#include "base/file.h"
#include "parser/model/model_file.h"
#include "parser/output/output.h"
#include "parser/parse/characters.h"
#include "program/inputs.h"
#include "program/program.h"

enum { FORMAT_LINES, FORMAT_JSON };

typedef struct Fields {
    const char *model, *out;
    int format, language;
    RawTextFields raw;
} Fields;

static const Option TOKENIZE_OPTIONS[] = {
    { "format", OPT_ENUM, offsetof(Fields, format), "lines", 0, 0, "lines|json",
      "format of the output: a sentence on each line, tokens separated by blanks, or JSON lines as those of lal "
      "parse" },
    { "model", OPT_STRING, offsetof(Fields, model), NULL, 0, 0, "MODEL",
      "split text as lal parse does for this model, in its language; without it words are split at hyphens" },
    { "language", OPT_ENUM, offsetof(Fields, language), NULL, 0, 0, LANGUAGE_CHOICES,
      "language of the text where no model is given" },
    RAW_TEXT_OPTIONS(Fields, raw),
    OUT_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* *id: number of the last sentence. */
static Status tokenize_file(const char *path, const char *document, const Fields *f, RawText raw, long *id,
                            FileWriter *w, Notes *notes, Error *e)
{
    Document d;
    StrBuf out = { 0 };
    Status status = document_open(&d, path, (DocumentOptions){ .raw = raw, .notes = notes }, e);
    for (bool more = status == OK; more && status == OK;) {
        status = document_next(&d, e);
        more = d.n > 0;
        strbuf_clear(&out);
        for (int k = 0; k < d.n && status == OK; k++)
            output_split(&out, &d, k, ++*id, document, f->format == FORMAT_JSON);
        if (status == OK && out.failed) status = error_set(e, ERR_NOMEM, "out of memory");
        if (status != OK) break;
        program_write(w, &out);
        if (w->error) status = filewriter_close(w, false, e);
    }
    document_close(&d);
    strbuf_fini(&out);
    return status;
}

/* The language and hyphens of the model *m, if one is given. */
static Status read_model(const Fields *f, Model *m, RawText *raw, Error *e)
{
    char place[DATA_PATH_MAX];
    m->c = (ModelConfig){ .language = f->language, .split_hyphens = true };
    Status s = f->model ? model_load_any(m, program_model_file(f->model, place, sizeof place), NULL, e) : OK;
    if (s == OK) *raw = program_raw_text(&f->raw, m);
    return s;
}

static Status run_tokenize(int argc, char **argv, Error *e)
{
    Fields f = { 0 };
    FileWriter w = { 0 };
    Inputs in = { 0 };
    RawText raw;
    Model m;
    Parser cutter = { 0 };
    ProgramNotes notes = program_notes();
    int n;
    long id = 0;
    Status s = program_options(TOKENIZE_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    if (s == OK) s = program_rules_read(&f.raw, e);
    if (s == OK) s = inputs_find(&in, (const char *const *)argv, n, NULL, e);
    model_init(&m);
    if (s == OK) s = read_model(&f, &m, &raw, e);
    if (s == OK && f.model) s = program_parse_products(PARSE_AUTO, false, e);
    if (s == OK && f.model) s = characters_parser(&cutter, &m, parse_defaults(&m).treebank, program_threads(0), e);
    if (s == OK) raw.cutter = &cutter;
    if (s == OK) s = filewriter_open(&w, f.out, e);
    for (int k = 0; k < in.n && s == OK; k++)
        s = tokenize_file(in.path[k], in.n > 1 ? in.path[k] : NULL, &f, raw, &id, &w, &notes.notes, e);
    program_notes_end(&notes);
    inputs_fini(&in);
    text_rules_free(f.raw.rules);
    parser_fini(&cutter);
    model_fini(&m);
    Status closed = filewriter_close(&w, s == OK, e);
    return s != OK ? s : closed;
}

static const Option *const TOKENIZE_TABLES[] = { TOKENIZE_OPTIONS, NULL };
const Command CMD_TOKENIZE = {
    "tokenize",  "[OPTIONS] [FILE|FOLDER...]", "split raw text into sentences and tokens", NULL, TOKENIZE_TABLES,
    run_tokenize
};
