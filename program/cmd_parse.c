/* Lal parse */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "explain/fast/why.h"
#include "parser/model/model_file.h"
#include "parser/output/output.h"
#include "parser/parse/parser.h"
#include "parser/parse/soft_parse.h"
#include "parser/parse/source.h"
#include "parser/parse/syntax_file.h"
#include "program/given_report.h"
#include "program/inputs.h"
#include "program/program.h"
#include "program/screen.h"

enum { DEPS_AUTO, DEPS_UD, DEPS_STANFORD };

typedef struct Fields {
    const char *model, *out, *out_dir, *fields, *treebank, *syntax_file, *device;
    RawTextFields raw;
    int format, draw, color, input, tags, arcs, types, spans, deps, escape, threads, products, kbest, max_words,
        batch_tokens;
    double below, max_memory, soft_min, temperature, span_temperature;
    bool skip_existing, keep_going, ranges, pretokenized, why, confidence, by_score, quiet;
} Fields;

#define F(name) offsetof(Fields, name)

/* The format of the options; m: NULL before the model is known. */
static const OutputFormat *format_of(const Fields *f, const Model *m)
{
    if (f->format) return OUTPUT_FORMATS[f->format - 1];
    return m && !m->c.trees ? &OUTPUT_CONLLU : &OUTPUT_BRACKETS;
}

static const Option PARSE_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL",
      "model to parse with: a file, or small, base or large for English, zh for Chinese (lal model info lists them) "
      "(default: "
      "$LAL_MODEL, else small)" },
    { "format", OPT_ENUM, F(format), "auto", 0, 0, OUTPUT_CHOICES_OR("auto"),
      OUTPUT_ABOUT "; auto: brackets, but conllu of a model without phrase structure" },
    { "fields", OPT_STRING, F(fields), NULL, 0, 0, "NAMES",
      "members of --format json to write, such as text,form,head,type; without: all (docs/FORMATS.md)" },
    { "ranges", OPT_BOOL, F(ranges), "false", 0, 0, NULL,
      "with --format conllu: TokenRange=BEGIN:END in the last column, the characters of the text that a token is" },
    { "draw", OPT_ENUM, F(draw), "auto", 0, 0, DRAW_CHOICES,
      "what --format pretty draws; none: trees in brackets over several lines; auto: both on a terminal, none in a "
      "file or pipe" },
    { "color", OPT_ENUM, F(color), "auto", 0, 0, COLOR_CHOICES,
      "colours of --format pretty; auto: on a terminal, unless NO_COLOR is set; always also draws as on a terminal, "
      "for less -R" },
    { "kbest", OPT_INT, F(kbest), "0", 0, 1000, NULL,
      "the N best parses of each sentence, each with other phrases or heads than the others, the best one first; 0: "
      "one "
      "(docs/FORMATS.md)" },
    BY_SCORE_OPTION(Fields),
    { "deps", OPT_ENUM, F(deps), "auto", 0, 0, "auto|ud|stanford",
      "dependencies of all formats but brackets; ud: Universal Dependencies v2, made from the model's Stanford "
      "dependencies by rules; stanford: as the model predicts and scores them, without crossing arcs; auto: ud, but "
      "what the model has itself with --why, with --arcs given, and where its language or tags have no rules" },
    OUT_OPTION(Fields),
    { "out_dir", OPT_STRING, F(out_dir), NULL, 0, 0, "FOLDER",
      "write a file for each input to FOLDER: x.txt and x.txt.gz become x.trees, or x.json and so on, those of a "
      "folder in the same folders" },
    { "skip_existing", OPT_BOOL, F(skip_existing), "false", 0, 0, NULL,
      "with --out-dir: leave out inputs whose output exists, so that an interrupted run goes on" },
    { "keep_going", OPT_BOOL, F(keep_going), "false", 0, 0, NULL,
      "pass over a sentence of a treebank, or the rest of a file, that cannot be read: it is reported, and the exit "
      "status is 1" },
    { "input", OPT_ENUM, F(input), "text", 0, 0, INPUT_CHOICES, INPUT_ABOUT },
    { "pretokenized", OPT_BOOL, F(pretokenized), "false", 0, 0, NULL, "the same as --input tokens" },
    RAW_TEXT_OPTIONS(Fields, raw),
    { "escape", OPT_ENUM, F(escape), "input", 0, 0, "round|all|input", /* as in Escapes */
      "brackets in words of trees and CoNLL-X; round: write ( and ) as -LRB- and -RRB-; all: also square and curly "
      "ones; input: write words of a treebank or of tokens as the input spells them (-LCB-, \\/), other words as with "
      "round" },
    { "tags", OPT_ENUM, F(tags), "predict", 0, 0, "predict|given",
      "predict tags, or use the given ones of --input conll, brackets or json" },
    { "arcs", OPT_ENUM, F(arcs), "predict", 0, 0, "predict|given",
      "given: keep the heads of --input conll or json, _ (json: null) is predicted; the tree is the best one that "
      "agrees with them. Arcs that no projective tree can have together are reported and predicted "
      "(docs/ANNOTATE.md)" },
    { "types", OPT_ENUM, F(types), "given", 0, 0, "given|predict",
      "with --arcs given; given: keep types that the model knows, predict others and _" },
    { "spans", OPT_ENUM, F(spans), "predict", 0, 0, "predict|given|partial", /* as in GivenPhrases */
      "given: keep the phrases of --input brackets or json, and no others; partial: and add to them; the label _ is "
      "predicted; the dependencies are the best ones that agree with them" },
    TREEBANK_OPTION(Fields, TREEBANK_SHAPES),
    { "syntax_file", OPT_STRING, F(syntax_file), NULL, 0, 0, "FILE",
      "parses of the same sentences, for a model whose masks read parses of files (docs/OPTIONS.md)" },
    { "why", OPT_BOOL, F(why), "false", 0, 0, NULL,
      "with --format json or conllu: add the label heads with the largest contributions to each phrase and arc; lal "
      "inspect shows all of them" },
    { "confidence", OPT_BOOL, F(confidence), "false", 0, 0, NULL,
      "with --format json or conllu: add how sure the model is of each sentence: the probability of its tree, and "
      "which "
      "F1 and LAS may be expected (docs/FORMATS.md)" },
    { "below", OPT_REAL, F(below), "0", 0, 1, "P",
      "write only sentences whose tree is right with a probability below P, which are the first to look at: p_tree of "
      "--confidence, or the expected F1 of a model without p_tree; 0: all" },
    { "soft_min", OPT_REAL, F(soft_min), "0.01", 0.0001, 1, "X",
      "with --format soft: leave out probabilities below X, but not those of decisions" },
    { "temperature", OPT_REAL, F(temperature), "1", 0.01, 100, "X",
      "with --format soft: divide the scores of tags, arcs and types by X; above 1 the model is less sure" },
    { "span_temperature", OPT_REAL, F(span_temperature), "0.3", 0.01, 100, "X",
      "the same for those of labelled spans; lal eval --calibration finds the best one of a model" },
    THREADS_OPTION(Fields),
    DEVICE_OPTION(Fields, device),
    { "products", OPT_ENUM, F(products), "auto", 0, 0, PARSE_PRODUCTS_CHOICES,
      PARSE_PRODUCTS_ABOUT "; with --why f32" },
    { "max_words", OPT_INT, F(max_words), "120", 1, 100000, NULL,
      "parse sentences of more than N words in pieces, and report them" },
    { "max_memory", OPT_REAL, F(max_memory), "2e9", 1e6, 1e13, "BYTES",
      "parse sentences whose chart takes more than BYTES in pieces, and report them" },
    { "batch_tokens", OPT_INT, F(batch_tokens), "600", 1, 1000000, NULL, "tokens of one forward pass" },
    { "quiet", OPT_BOOL, F(quiet), "false", 0, 0, NULL,
      "write nothing but errors to standard error: no progress, no summary, no notes" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

typedef struct Run {
    const Fields *f;
    Parser *parser;
    const Inputs *in;
    FileWriter out;
    StrBuf buf;
    long sentences, words, failed; /* written; their words; sentences that could not be parsed */
    long before;                   /* sentences that are in other outputs */
    Progress progress;
    OutputStyle style;
    Source source;     /* the file that is being parsed */
    bool named;        /* several files: the output names the file of each sentence */
    bool new_document; /* the next sentence is the first one of its file */
    ProgramNotes notes;
    ProgramNotes unread, bad; /* print_unread: of sentences, of files */
    SyntaxFile syntax;        /* of --syntax-file */
    GivenReport given;
} Run;

/* Prints why a sentence or a file cannot be read. */
static void print_unread(Notes *notes, const Error *note)
{
    ProgramNotes *unread = (ProgramNotes *)notes; /* its first member */
    char text[1400];
    unread->n++;
    progress_clear(unread->progress);
    program_say("lal parse: %s\n", error_text(note, text, sizeof text));
}

/* Does the format leave out sentences in pieces and sentences that cannot be parsed? */
static bool leaves_out(const Run *r) { return r->style.format->needs & OUTPUT_NEEDS_SOFT; }

static void report_pieces(Run *r, const Source *s, const Parsed *p, const Origin *o)
{
    progress_clear(&r->progress);
    program_say("%s:%ld: a sentence of %d words was %s in %d pieces (--max-words %d, --max-memory %g)\n", s->path,
                o->line, p->n_words, leaves_out(r) ? "left out, it would be parsed" : "parsed", p->pieces,
                r->parser->o.max_words, r->parser->o.max_memory);
}

static void report_windows(Run *r, const Source *s, const Parsed *p, const Origin *o)
{
    progress_clear(&r->progress);
    program_say(
        "%s:%ld: the pretrained encoder read a sentence of %d words in %d overlapping windows of at most %d word "
        "pieces\n",
        s->path, o->line, p->n_words, p->windows, r->parser->m->pretrained.most_pieces);
}

static void report_failed(Run *r, const Source *s, const Parsed *p, const Origin *o)
{
    char what[1024];
    snprintf(what, sizeof what, "a sentence of %d words was %s: %s", p->n_words,
             leaves_out(r) ? "left out" : "not parsed, its tree is flat", p->failed);
    notes_add(&r->notes.notes, s->path, o->line, 0, what);
    r->failed++;
}

static double words_per_second(const Run *r)
{
    double seconds = progress_seconds(&r->progress);
    return (double)r->words / (seconds > 0 ? seconds : 1);
}

static void summarise(const Run *r)
{
    program_say("%ld sentence%s, %ld words in %s, %.0f words/s\n", r->sentences, r->sentences == 1 ? "" : "s", r->words,
                progress_duration(progress_seconds(&r->progress)).text, words_per_second(r));
}

/* Is the sentence left out by --below? */
static bool is_sure(const Run *r, const Parsed *p)
{
    const Confidence *c = p->confidence;
    if (!(r->f->below > 0)) return false;
    return p->n_words == 0 || (c && (c->p_tree >= 0 ? c->p_tree : c->expected_f1) >= r->f->below);
}

/* Writes sentences [from, to) of the window; called in order, as soon as they are parsed. */
static Status write_sentences(void *context, int from, int to, Error *e)
{
    Run *r = context;
    const Source *s = &r->source;
    strbuf_clear(&r->buf);
    for (int k = from; k < to; k++) {
        const Parsed *p = &r->parser->result[k];
        Origin o = source_origin(s, k, ++r->sentences - r->before);
        o.file = strcmp(s->path, "-") == 0 ? NULL : s->path;
        if (r->named) o.document = s->path;
        o.new_document = r->new_document;
        bool left_out = is_sure(r, p);
        if (p->n_words && !left_out) r->new_document = false;
        if (p->pieces > 1 && !r->f->quiet) report_pieces(r, s, p, &o);
        if (p->windows > 1 && !r->f->quiet) report_windows(r, s, p, &o);
        if (p->failed) report_failed(r, s, p, &o);
        if (!r->f->quiet) given_report(&r->given, s, k, p);
        if (!left_out) output_sentence(&r->buf, r->parser->m, p, &o, r->style);
        r->words += p->n_words;
    }
    program_write(&r->out, &r->buf);
    progress_show(&r->progress, progress_share(&r->progress, source_progress(s)), "%ld sentences, %.0f words/s",
                  r->sentences, words_per_second(r));
    if (r->buf.failed) return error_set(e, ERR_NOMEM, "out of memory writing trees");
    if (r->out.error) return error_at(e, ERR_IO, r->out.path, 0, 0, "cannot write: %s", strerror(r->out.error));
    return OK;
}

static Status parse_file(Run *r, const char *path, Error *e)
{
    Source *s = &r->source;
    SourceOptions o = { .kind = (InputKind)r->f->input,
                        .raw = program_raw_text(&r->f->raw, r->parser->m),
                        .tags = r->f->tags != 0,
                        .arcs = r->f->arcs != 0,
                        .types = r->f->types == 0,
                        .phrases = (GivenPhrases)r->f->spans,
                        .spelling = r->f->escape == ESCAPE_INPUT,
                        .lines = r->style.format == &OUTPUT_CONLLU || r->style.format == &OUTPUT_JSON,
                        .notes = r->f->quiet ? NULL : &r->notes.notes,
                        .unread = r->f->keep_going ? &r->unread.notes : NULL };
    o.raw.cutter = r->parser;
    Status status = source_open(s, path, o, e);
    r->new_document = true;
    progress_file(&r->progress, s->path);
    for (bool first = true; status == OK && (status = source_next(s, e)) == OK && s->n; first = false) {
        if (first && !r->f->quiet) program_warn_input(s, r->parser->m, &r->progress);
        if (r->syntax.path && (status = syntax_file_window(&r->syntax, s->in, s->n, e)) != OK) break;
        status = parser_run(r->parser, r->syntax.path ? r->syntax.in : s->in, s->n, write_sentences, r, e);
    }
    source_close(s);
    return status;
}

static Status open_output(Run *r, const char *path, Error *e)
{
    Status s = filewriter_open(&r->out, path, e);
    if (r->style.format->needs & OUTPUT_CONTROLS) r->out.visible = false;
    return s;
}

static Status close_output(Run *r, Status s, Error *e)
{
    Status closed = filewriter_close(&r->out, s == OK, e);
    return s == OK ? closed : s;
}

/* Parses input k to an output of its own, if each has one; it has none if it cannot be read. */
static Status parse_apart(Run *r, int k, Error *e)
{
    r->before = r->sentences;
    Status s = inputs_make_folders(r->in->out[k], e);
    if (s == OK) s = open_output(r, r->in->out[k], e);
    if (s == OK) s = close_output(r, parse_file(r, r->in->path[k], e), e);
    return s;
}

/* Reports an input that cannot be read and goes on. */
static Status parse_or_report(Run *r, int k, Error *e)
{
    Status s = r->in->out ? parse_apart(r, k, e) : parse_file(r, r->in->path[k], e);
    bool goes_on = (s == ERR_FORMAT && (r->in->out || r->f->keep_going)) || (s == ERR_IO && r->f->keep_going);
    if (!goes_on || r->out.error) return s;
    r->bad.notes.take(&r->bad.notes, e);
    *e = (Error){ 0 };
    return OK;
}

static Status parse_all(Run *r, Error *e)
{
    Status s = OK;
    for (int k = 0; k < r->in->n && s == OK; k++) s = parse_or_report(r, k, e);
    return s;
}

static Status run_files(Run *r, Error *e)
{
    r->named = r->in->n > 1 && !r->in->out;
    progress_files(&r->progress, r->in->path, r->in->n);
    Status status = parse_all(r, e);
    if (status == OK && r->syntax.path) status = syntax_file_end(&r->syntax, e);
    progress_clear(&r->progress);
    program_notes_end(&r->notes);
    given_report_end(&r->given);
    if (status == OK && progress_was_long(&r->progress)) summarise(r);
    return status;
}

static Status open_syntax(Run *r, const Model *m, Error *e)
{
    const HeadPlan *plan = &m->net.encoder.plan;
    if (encoder_options_source(&m->options) != SYNTAX_FILE)
        return error_set(e, ERR_USAGE, "--syntax-file: the masks of the model do not read parses of files");
    return syntax_file_open(&r->syntax, r->f->syntax_file, head_plan_needs_heads(plan), head_plan_needs_tree(plan), e);
}

static Status set_style(OutputStyle *to, const Fields *f, const Parser *p, bool terminal, Error *e)
{
    const Model *m = p->m;
    const OutputFormat *format = format_of(f, m);
    bool knows_ud = model_ud(m), own = f->why || f->arcs;
    *to = (OutputStyle){ .format = format,
                         .escapes =
                             f->escape == ESCAPE_INPUT && f->input == INPUT_TOKENS ? ESCAPE_TOKENS : (Escapes)f->escape,
                         .terminal = screen_style(terminal, (ScreenDraw)f->draw, (ScreenColor)f->color),
                         .ud = (f->deps == DEPS_UD && knows_ud) || (f->deps == DEPS_AUTO && !own && knows_ud),
                         .confidence = f->confidence,
                         .why = f->why,
                         .ranges = f->ranges,
                         .treebank = p->o.treebank ? vocab_text(&m->treebanks, p->o.treebank) : NULL };
    if (f->deps == DEPS_UD && !knows_ud && !model_is_ud(m))
        return error_set(e, ERR_USAGE,
                         "--deps ud: found a model of other tags or dependencies, or of a language without "
                         "rules (%s), expected English, the Penn Treebank's tags and Stanford's types",
                         model_language(m)->name);
    if (f->fields && output_fields(f->fields, &to->fields, e) != OK) return e->code;
    if (f->arcs && !m->c.arcs) return error_set(e, ERR_USAGE, "--arcs given: the model has no dependencies");
    if (f->kbest && !parse_has_best(m))
        return error_set(e, ERR_USAGE, "--kbest: the model does not find phrases and dependencies together");
    if (f->below > 0 && !m->c.trees) return error_set(e, ERR_USAGE, "--below: the model has no phrase structure");
    if (f->spans && !m->c.trees) return error_set(e, ERR_USAGE, "--spans: the model has no phrase structure");
    return OK;
}

static Status write_files(Run *r, Error *e)
{
    Status s = r->in->out ? OK : open_output(r, r->f->out, e);
    if (s != OK) return s;
    s = close_output(r, run_files(r, e), e);
    const long unread = r->unread.n, bad = r->bad.n;
    if (s == OK && bad) s = error_set(e, ERR_FORMAT, "%ld of %d files could not be read", bad, r->in->n);
    if (s == OK && unread)
        s = error_set(e, ERR_FORMAT, "%ld sentence%s could not be read", unread, unread == 1 ? "" : "s");
    if (s == OK && r->failed)
        s = error_set(e, ERR_LIMIT, "%ld of %ld sentences could not be parsed", r->failed, r->sentences);
    return s;
}

static Status run_parser(const Fields *f, Parser *p, const Inputs *in, Error *e)
{
    Why why = { .m = NULL };
    const SoftOptions soft = { f->soft_min, f->temperature, f->span_temperature, p->o.treebank };
    bool terminal = isatty(STDOUT_FILENO) && strcmp(f->out, "-") == 0 && !in->out,
         typed = isatty(STDERR_FILENO) && terminal; /* output shows it */
    Run r = {
        .f = f, .parser = p, .in = in, .notes = program_notes(), .progress = progress_start("parse", f->quiet || typed)
    };
    r.notes.progress = &r.progress;
    r.unread = r.bad = (ProgramNotes){ .notes = { print_unread }, .progress = &r.progress };
    r.given = (GivenReport){ .m = p->m, .progress = &r.progress };
    Status s = set_style(&r.style, f, p, terminal, e);
    int needs = s == OK ? output_needs(&r.style) : 0;
    p->o.arc_probability = needs & OUTPUT_NEEDS_PROBABILITY;
    p->o.k_best = f->kbest;
    p->o.confidence = f->below > 0 || (f->confidence && output_has(&r.style, OUTPUT_FIELD_CONFIDENCE));
    if (s == OK && f->why) {
        s = why_init(&why, p->m, needs & OUTPUT_TAKES_WHY_SPANS, true, e);
        p->o.observe = why_observer(&why);
    }
    if (needs & OUTPUT_NEEDS_SOFT) p->o.observe = soft_observer(&soft);
    if (s == OK && f->syntax_file) s = open_syntax(&r, p->m, e);
    if (s == OK) s = write_files(&r, e);
    strbuf_fini(&r.buf);
    why_fini(&why);
    syntax_file_close(&r.syntax);
    return s;
}

static Status set_options(const Fields *f, Parser *p, Error *e)
{
    p->o.batch_tokens = f->batch_tokens;
    p->o.max_words = f->max_words;
    p->o.max_memory = f->max_memory;
    p->o.shape_tags = f->treebank == NULL;
    p->o.by_score = f->by_score;
    p->o.keep_going = true;
    return model_treebank(p->m, f->treebank, &p->o.treebank, e);
}

/* Leaves out inputs whose output exists. */
static void skip_existing(Inputs *in, bool quiet)
{
    int n = 0, all = in->n;
    for (int k = 0; k < all; k++) {
        if (access(in->out[k], F_OK) == 0) continue;
        in->path[n] = in->path[k];
        in->out[n++] = in->out[k];
    }
    in->n = n;
    if (n < all && !quiet) program_say("%d of %d inputs are left out: their outputs exist\n", all - n, all);
}

static Status find_outputs(const Fields *f, const Model *m, Inputs *in, Error *e)
{
    const OutputFormat *format = format_of(f, m);
    Status s = inputs_outputs(in, f->out_dir, format == &OUTPUT_BRACKETS ? "trees" : output_name(format), e);
    if (s == OK && f->skip_existing) skip_existing(in, f->quiet);
    return s;
}

static Status run_model(const Fields *f, Inputs *in, Error *e)
{
    char place[DATA_PATH_MAX];
    Model m;
    Parser p = { .m = NULL };
    model_init(&m);
    m.map_above = 0;
    Status s = program_device(f->device, e);
    if (s == OK) s = program_parse_products(f->products, f->why, e);
    if (s == OK) s = model_load(&m, program_model_path(f->model, place, sizeof place), NULL, e);
    if (s == OK) s = model_check_parses(&m, false, f->syntax_file != NULL, e);
    if (s == OK && f->out_dir) s = find_outputs(f, &m, in, e);
    if (s == OK) s = parser_init(&p, &m, device_default(), program_threads(f->threads), e);
    if (s == OK) s = set_options(f, &p, e);
    if (s == OK && in->n) s = run_parser(f, &p, in, e);
    parser_fini(&p);
    model_fini(&m);
    return s;
}

/* Does the format have one of `needs`, which the option asks for? */
static Status check_format(const Fields *f, const char *option, int needs, Error *e)
{
    StrBuf names = { 0 };
    if (format_of(f, NULL)->needs & needs) return OK;
    output_names(&names, needs);
    Status s = error_set(e, ERR_USAGE, "%s: expected --format %s", option, names.ptr ? names.ptr : "");
    strbuf_fini(&names);
    return s;
}

static Status check_options(const Fields *f, Error *e)
{
    if (f->tags && !source_is_treebank((InputKind)f->input))
        return error_set(e, ERR_USAGE, "--tags given: found text as input, expected --input conll, brackets or json");
    if (f->arcs && f->input != INPUT_CONLL && f->input != INPUT_JSON)
        return error_set(e, ERR_USAGE, "--arcs given: found no heads in the input, expected --input conll or json");
    if (f->spans && f->input != INPUT_BRACKETS && f->input != INPUT_JSON)
        return error_set(e, ERR_USAGE, "--spans: found no phrases in the input, expected --input brackets or json");
    if (f->skip_existing && !f->out_dir) return error_set(e, ERR_USAGE, "--skip-existing: expected --out-dir FOLDER");
    if (f->out_dir && (strcmp(f->out, "-") != 0 || f->syntax_file))
        return error_set(e, ERR_USAGE, "--out-dir: found %s, expected one of both",
                         f->syntax_file ? "--syntax-file" : "--out");
    if (f->why && f->deps == DEPS_UD)
        return error_set(e, ERR_USAGE, "--why: found --deps ud, expected --deps stanford, whose arcs the model scores");
    Status s = f->why ? check_format(f, "--why", OUTPUT_TAKES_WHY, e) : OK;
    if (s == OK && f->confidence) s = check_format(f, "--confidence", OUTPUT_TAKES_CONFIDENCE, e);
    if (s == OK && f->kbest) s = check_format(f, "--kbest", OUTPUT_TAKES_BEST, e);
    if (s == OK && f->fields && format_of(f, NULL) != &OUTPUT_JSON)
        s = error_set(e, ERR_USAGE, "--fields: expected --format json");
    if (s == OK && f->ranges && format_of(f, NULL) != &OUTPUT_CONLLU)
        s = error_set(e, ERR_USAGE, "--ranges: expected --format conllu");
    return s == OK && f->deps != DEPS_AUTO ? check_format(f, "--deps", OUTPUT_TAKES_DEPS, e) : s;
}

static Status run_parse(int argc, char **argv, Error *e)
{
    Fields f = { 0 };
    Inputs in = { 0 };
    int n;
    Status s = program_options(PARSE_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    if (s == OK && f.pretokenized) f.input = INPUT_TOKENS;
    if (s == OK) s = check_options(&f, e);
    if (s == OK) s = program_rules_read(&f.raw, e);
    if (s == OK) s = inputs_find(&in, (const char *const *)argv, n, f.out_dir, e);
    if (s == OK && in.n) s = run_model(&f, &in, e);
    text_rules_free(f.raw.rules);
    inputs_fini(&in);
    return s;
}

static const Option *const PARSE_TABLES[] = { PARSE_OPTIONS, NULL };
const Command CMD_PARSE = {
    "parse",  "[OPTIONS] [FILE|FOLDER...]", "parse raw text into constituency and dependency trees", NULL, PARSE_TABLES,
    run_parse
};
