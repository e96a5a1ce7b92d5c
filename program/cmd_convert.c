/* Lal convert */
#include <string.h>

#include "base/file.h"
#include "eval/align.h"
#include "language/all/languages.h"
#include "parser/model/corpus.h"
#include "program/program.h"
#include "treebank/conll.h"
#include "treebank/draw/tex.h"
#include "treebank/oracle.h"

enum { TO_BRACKETS, TO_PRETTY, TO_CONLLX, TO_CONLLU, TO_TOKENS, TO_FOREST, TO_TIKZ };
enum { STRIP, KEEP };
enum { TOP_TOP, TOP_ROOT, TOP_S1, TOP_EMPTY, TOP_NONE };
enum { DEPS_KEEP, DEPS_UD, DEPS_ENHANCED };
enum { UNARY_KEEP, UNARY_COLLAPSE, UNARY_EXPAND };

typedef struct Fields {
    int from, to, to_deps, language, functions, traces, top, unary, escape;
    const char *encoding, *out, *deps;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option CONVERT_OPTIONS[] = {
    { "from", OPT_ENUM, F(from), "auto", 0, 0, FORMAT_CHOICES,
      "format of the input; auto: recognised by the first characters, where icepahc and idn are read as brackets" },
    { "to", OPT_ENUM, F(to), "brackets", 0, 0, "brackets|pretty|conllx|conllu|tokens|forest|tikz-dependency",
      "format of the output: a tree on each line, indented trees, CoNLL, the tokens of a sentence on each line, or for "
      "LaTeX trees (package forest) or dependencies (tikz-dependency)" },
    { "to_deps", OPT_ENUM, F(to_deps), "keep", 0, 0, "keep|ud|enhanced", /* as in the enum above */
      "dependencies of conllx and conllu; keep: those of the input; ud: Universal Dependencies v2, with UPOS and "
      "features, from basic Stanford dependencies and the tags of the Penn Treebank; enhanced: Universal Dependencies "
      "of the input, with the enhanced graph in column 9" },
    { "language", OPT_ENUM, F(language), "english", 0, 0, LANGUAGE_CHOICES, "whose rules are those of --to-deps ud" },
    { "deps", OPT_STRING, F(deps), NULL, 0, 0, "FILE",
      "CoNLL file with the heads of one bracket file, or head rules for the trees of all files (english.rules)" },
    { "functions", OPT_ENUM, F(functions), "strip", 0, 0, "strip|keep",
      "remove or keep function tags and indices of phrase labels" },
    { "traces", OPT_ENUM, F(traces), "strip", 0, 0, "strip|keep",
      "remove or keep empty categories (-NONE-) and phrases that contain nothing else" },
    { "top", OPT_ENUM, F(top), "TOP", 0, 0, "TOP|ROOT|S1|empty|none",
      "label around each tree; empty: ( (S ...) ) as in the Penn Treebank" },
    { "unary", OPT_ENUM, F(unary), "keep", 0, 0, "keep|collapse|expand",
      "unary chains; collapse: S over VP becomes S::VP; expand: the reverse" },
    { "escape", OPT_ENUM, F(escape), "round", 0, 0, "round|all|input", /* as in Escapes */
      "brackets in words of trees and CoNLL-X; round: write ( and ) as -LRB- and -RRB-; all: also square and curly "
      "ones; input: write words as their file spells them, \\/ included" },
    { "encoding", OPT_STRING, F(encoding), "UTF-8", 0, 0, "NAME",
      "character encoding of the input, as named by iconv (GB18030, BIG5)" },
    OUT_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static bool change_unary(const Fields *f, Sentence *x, Arena *arena)
{
    if (f->unary == UNARY_COLLAPSE) return tree_collapse(x, arena);
    return f->unary != UNARY_EXPAND || !x->n_phrases || oracle_undo(x->phrases, x->n_phrases, x, arena);
}

/* A comment; of a text without escapes, as the words are then, unless a word is one. */
static void put_comment(const Sentence *x, const char *line, StrBuf *out)
{
    bool escaped = strncmp(line, "# text", 6) == 0;
    for (int w = 0; w < x->n_words && escaped; w++) escaped = !conll_is_literal(x->words[w]);
    if (escaped) tree_unescape_word(out, line, strlen(line), NOTATION_CONLL);
    else strbuf_puts(out, line);
    strbuf_putc(out, '\n');
}

/* Comments of the sentence, and those that CoNLL-U demands if they are not there. number: of the sentence, from 1. */
static void put_comments(const Sentence *x, long number, StrBuf *out)
{
    bool text = false, id = false;
    if (number == 1) strbuf_puts(out, "# deps = " UD_SCHEME "\n");
    for (int k = 0; k < x->n_lines; k++) {
        const char *line = x->lines[k].text;
        if (line[0] != '#' || strncmp(line, "# deps =", 8) == 0) continue;
        id |= strncmp(line, "# sent_id =", 11) == 0;
        text |= strncmp(line, "# text =", 8) == 0;
        put_comment(x, line, out);
    }
    if (!id) strbuf_printf(out, "# sent_id = %ld\n", number);
    if (text) return;
    strbuf_puts(out, "# text = ");
    conll_text(out, x);
    strbuf_putc(out, '\n');
}

/* Writes a sentence of Universal Dependencies with its enhanced graph. */
static void put_enhanced(const Fields *f, const Sentence *x, Arena *arena, StrBuf *out)
{
    Sentence y = *x;
    y.graph = LANGUAGES[f->language]->ud->enhance(x, arena);
    if (!y.graph) out->failed = true;
    else if (x->lines) conll_write_lines(out, &y);
    else conll_write(out, &y, CONLL_U, NULL);
}

/* Writes Universal Dependencies. */
static void put_ud(const Fields *f, const Sentence *x, long number, Arena *arena, StrBuf *out)
{
    Sentence y = *x;
    if (!LANGUAGES[f->language]->ud->sentence(&y, NULL, arena)) {
        out->failed = true;
        return;
    }
    if (f->to == TO_CONLLU) put_comments(x, number, out);
    conll_write(out, &y, f->to == TO_CONLLU ? CONLL_U : (ConllStyle)f->escape, NULL);
}

static void put_sentence(const Fields *f, const Sentence *x, long number, Arena *arena, StrBuf *out)
{
    static const char *const tops[] = { "TOP", "ROOT", "S1", "", NULL };
    if (!x->n_words) strbuf_putc(out, '\n');
    else if (f->to_deps == DEPS_UD) put_ud(f, x, number, arena, out);
    else if (f->to_deps == DEPS_ENHANCED) put_enhanced(f, x, arena, out);
    else if (f->to == TO_CONLLX) conll_write(out, x, (ConllStyle)f->escape, NULL);
    else if (f->to == TO_CONLLU && x->lines) conll_write_lines(out, x);
    else if (f->to == TO_CONLLU) conll_write(out, x, CONLL_U, NULL);
    else if (f->to == TO_FOREST || f->to == TO_TIKZ) {
        if (f->to == TO_FOREST) tex_forest(out, x, "TOP");
        else tex_dependency(out, x);
        strbuf_putc(out, '\n');
    } else if (f->to == TO_TOKENS) {
        for (int w = 0; w < x->n_words; w++) {
            if (w) strbuf_putc(out, ' ');
            strbuf_puts(out, x->words[w]);
        }
        strbuf_putc(out, '\n');
    } else {
        tree_write_as(out, x, (TreeStyle){ tops[f->top], f->to == TO_PRETTY, (Escapes)f->escape });
        strbuf_putc(out, '\n');
    }
}

/* Blanks separate tokens: no word has one. */
static Status check_tokens(const Sentence *x, const char *path, Error *e)
{
    for (int w = 0; w < x->n_words; w++) {
        size_t len = strlen(x->words[w]);
        for (size_t i = 0; i < len;)
            if (utf8_is_space(utf8_next(x->words[w], len, &i)))
                return error_at(e, ERR_FORMAT, path, x->line, 0,
                                "found '%.*s' as word %d, expected words without blanks for --to tokens",
                                utf8_first(x->words[w], 40), x->words[w], w + 1);
    }
    return OK;
}

static Status check_universal(const Sentence *x, const char *path, Error *e)
{
    if (!x->heads)
        return error_at(e, ERR_FORMAT, path, x->line, 0,
                        "found no dependencies, expected " UD_SCHEME " for --to-deps enhanced");
    for (int w = 0; w < x->n_words; w++)
        if (!align_universal(x->types[w]))
            return error_at(e, ERR_FORMAT, path, sentence_word_line(x, w), 0,
                            "found the relation '%.*s', expected " UD_SCHEME " for --to-deps enhanced",
                            utf8_first(x->types[w], 40), x->types[w]);
    return OK;
}

static Status convert_sentence(const Fields *f, const char *path, Sentence *x, long number, Arena *arena, StrBuf *out,
                               Error *e)
{
    bool trees = f->to == TO_BRACKETS || f->to == TO_PRETTY || f->to == TO_FOREST;
    if (trees && !x->has_tree && x->n_words)
        return error_at(e, ERR_FORMAT, path, 0, 0, "found dependencies without trees, expected trees for --to %s",
                        f->to == TO_FOREST ? "forest" : "brackets");
    if (f->to == TO_TIKZ && !x->heads && x->n_words)
        return error_at(e, ERR_FORMAT, path, x->line, 0,
                        "found no dependencies, expected some for --to tikz-dependency (--deps makes them)");
    if (!change_unary(f, x, arena)) return error_set(e, ERR_NOMEM, "out of memory converting %s", path);
    if (f->to == TO_TOKENS && check_tokens(x, path, e) != OK) return e->code;
    if (f->to_deps == DEPS_UD && x->n_words && (!x->heads || !LANGUAGES[f->language]->ud->fits(x)))
        return error_at(e, ERR_FORMAT, path, x->line, 0, "found %s, expected %s for --to-deps ud",
                        x->heads ? "another scheme" : "no dependencies", LANGUAGES[f->language]->ud->from);
    if (f->to_deps == DEPS_ENHANCED && x->n_words && check_universal(x, path, e) != OK) return e->code;
    put_sentence(f, x, number, arena, out);
    return out->failed ? error_set(e, ERR_NOMEM, "out of memory converting %s", path) : OK;
}

static Status convert_file(const Fields *f, const char *path, long *number, FileWriter *w, Notes *notes, Error *e)
{
    CorpusReader r;
    StrBuf out = { 0 };
    char place[DATA_PATH_MAX], rules[DATA_PATH_MAX];
    ReaderOptions o = { .format = (TreebankFormat)f->from,
                        .encoding = f->encoding,
                        .keep_lines = true,
                        .keep_columns = f->to_deps == DEPS_ENHANCED,
                        .bare = true };
    o.brackets =
        (BracketOptions){ f->functions == STRIP, f->traces == KEEP, f->escape == ESCAPE_INPUT, BRACKET_PENN, notes };
    path = program_file(path, place, sizeof place);
    Status s = corpus_open(&r, path, program_deps_path(f->deps, rules, sizeof rules), o, e);
    for (bool more = s == OK; more && s == OK;) {
        s = corpus_block(&r, e);
        Treebank *tb = &r.trees.tb;
        more = tb->n > 0;
        strbuf_clear(&out);
        for (int k = 0; k < tb->n && s == OK; k++)
            s = convert_sentence(f, path, &tb->s[k], ++*number, &tb->arena, &out, e);
        if (s != OK) break;
        program_write(w, &out);
        if (w->error) s = filewriter_close(w, false, e);
    }
    strbuf_fini(&out);
    corpus_close(&r);
    return s;
}

static Status run_convert(int argc, char **argv, Error *e)
{
    Fields f;
    FileWriter w = { 0 };
    ProgramNotes notes = program_notes();
    int n;
    long number = 0;
    Status s = program_options(CONVERT_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    const char *const *files = (const char *const *)argv;
    if (s == OK && f.deps && n != 1 && !corpus_is_rules(f.deps))
        s = error_set(e, ERR_USAGE, "--deps: found %d files, expected one", n);
    if (s == OK && f.to_deps == DEPS_UD && f.to != TO_CONLLU && f.to != TO_CONLLX)
        s = error_set(e, ERR_USAGE, "--to-deps: expected --to conllu or conllx");
    if (s == OK && f.to_deps == DEPS_ENHANCED && f.to != TO_CONLLU)
        s = error_set(e, ERR_USAGE, "--to-deps enhanced: expected --to conllu");
    if (s == OK && f.to_deps != DEPS_KEEP && !LANGUAGES[f.language]->ud)
        s = error_set(e, ERR_USAGE, "--to-deps %s: no rules make Universal Dependencies for the language %s",
                      f.to_deps == DEPS_UD ? "ud" : "enhanced", LANGUAGES[f.language]->name);
    if (s == OK) s = filewriter_open(&w, f.out, e);
    for (int k = 0; k < n && s == OK; k++) s = convert_file(&f, files[k], &number, &w, &notes.notes, e);
    program_notes_end(&notes);
    Status closed = filewriter_close(&w, s == OK, e);
    return s != OK ? s : closed;
}

static const Option *const CONVERT_TABLES[] = { CONVERT_OPTIONS, NULL };
const Command CMD_CONVERT = { "convert", "[OPTIONS] [FILE...]", "convert treebank files between formats",
                              NULL,      CONVERT_TABLES,        run_convert };
