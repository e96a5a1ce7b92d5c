/* parser/cmd_convert.c: lal convert */
#include <string.h>

#include "base/encoding.h"
#include "base/file.h"
#include "parser/corpus.h"
#include "parser/program.h"
#include "treebank/conll.h"
#include "treebank/format.h"
#include "treebank/oracle.h"

enum { TO_BRACKETS, TO_PRETTY, TO_CONLLX, TO_CONLLU, TO_TOKENS };
enum { STRIP, KEEP };
enum { TOP_TOP, TOP_ROOT, TOP_S1, TOP_EMPTY, TOP_NONE };
enum { UNARY_KEEP, UNARY_COLLAPSE, UNARY_EXPAND };

typedef struct Fields {
    int from, to, functions, traces, top, unary, escape;
    const char *encoding, *output, *deps;
} Fields;

#define F(name) offsetof(Fields, name)

const Option CONVERT_OPTIONS[] = {
    { "from", OPT_ENUM, F(from), "auto", 0, 0, "auto|brackets|icepahc|idn|sinica|genia|conll", /* as in TreebankFormat */
      "format of the files; auto looks at the first characters and takes icepahc and idn for brackets" },
    { "to", OPT_ENUM, F(to), "brackets", 0, 0, "brackets|pretty|conllx|conllu|tokens",
      "a tree a line, indented trees, CoNLL, or a sentence of tokens a line" },
    { "deps", OPT_STRING, F(deps), NULL, 0, 0, NULL,
      "CoNLL file whose heads go to the trees of the one bracket file, or head rules for the trees of all (english.rules)" },
    { "functions", OPT_ENUM, F(functions), "strip", 0, 0, "strip|keep", "function tags and indices of phrase labels" },
    { "traces", OPT_ENUM, F(traces), "strip", 0, 0, "strip|keep", "empty categories (-NONE-) and what stands over nothing else" },
    { "top", OPT_ENUM, F(top), "TOP", 0, 0, "TOP|ROOT|S1|empty|none", "label around each tree; empty is PTB's ( (S ...) )" },
    { "unary", OPT_ENUM, F(unary), "keep", 0, 0, "keep|collapse|expand", "unary chains: S over VP becomes S::VP, or the reverse" },
    { "escape", OPT_ENUM, F(escape), "round", 0, 0, "round|all",
      "brackets in words written as -LRB- ...: round ones, or square and curly ones too (CoNLL-U: none)" },
    { "encoding", OPT_STRING, F(encoding), "UTF-8", 0, 0, NULL, "of the files, as iconv names it: GB18030, BIG5 ..." },
    { "output", OPT_STRING, F(output), "-", 0, 0, NULL, "output file" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static Status read_treebank(const Fields *f, const char *path, TreebankFormat from, Treebank *tb, Error *e)
{
    StrBuf text = { 0 };
    Status s = file_read(path, &text, e);
    if (s == OK && strcmp(f->encoding, "UTF-8") != 0) s = text_decode(&text, f->encoding, path, e);
    BracketOptions o = { .strip_functions = f->functions == STRIP, .keep_traces = f->traces == KEEP };
    if (s == OK) s = format_read(tb, (StrView){ text.ptr, text.len }, path, from, o, e);
    strbuf_fini(&text);
    return s;
}

static bool change_unary(const Fields *f, Treebank *tb)
{
    for (int k = 0; k < tb->n; k++) {
        Sentence *x = &tb->s[k];
        if (f->unary == UNARY_COLLAPSE && !tree_collapse(x, &tb->arena)) return false;
        if (f->unary == UNARY_EXPAND && x->n_phrases && !oracle_undo(x->phrases, x->n_phrases, x, &tb->arena)) return false;
    }
    return true;
}

static void put_sentence(const Fields *f, const Sentence *x, StrBuf *out)
{
    static const char *const tops[] = { "TOP", "ROOT", "S1", "", NULL };
    if (f->to == TO_CONLLX) conll_write(out, x, f->escape ? CONLL_X_ESCAPE_ALL : CONLL_X, NULL);
    else if (f->to == TO_CONLLU && x->lines) conll_write_lines(out, x);
    else if (f->to == TO_CONLLU) conll_write(out, x, CONLL_U, NULL);
    else if (f->to == TO_TOKENS) {
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

static Status convert_file(const Fields *f, const char *path, FileWriter *w, Error *e)
{
    Treebank tb, deps;
    HeadRules *rules = NULL;
    StrBuf out = { 0 };
    treebank_init(&tb);
    treebank_init(&deps);
    Status s = read_treebank(f, path, (TreebankFormat)f->from, &tb, e);
    if (s == OK && f->deps && corpus_is_rules(f->deps)) {
        s = corpus_apply_rules(&tb, f->deps, &rules, e);
    } else if (s == OK && f->deps) {
        s = read_treebank(f, f->deps, FORMAT_CONLL, &deps, e);
        if (s == OK) s = treebank_pair(&tb, 0, &deps, path, f->deps, e);
    }
    bool trees = f->to == TO_BRACKETS || f->to == TO_PRETTY;
    if (s == OK && trees && tb.n && !tb.s[0].has_tree)
        s = error_at(e, ERR_FORMAT, path, 0, 0, "found dependencies without trees, expected trees for --to brackets");
    if (s == OK && !change_unary(f, &tb)) s = error_set(e, ERR_NOMEM, "out of memory converting %s", path);
    for (int k = 0; k < tb.n && s == OK; k++) {
        strbuf_clear(&out);
        put_sentence(f, &tb.s[k], &out);
        if (out.failed) s = error_set(e, ERR_NOMEM, "out of memory converting %s", path);
        else filewriter_write(w, out.ptr, out.len);
    }
    strbuf_fini(&out);
    treebank_fini(&tb);
    treebank_fini(&deps);
    head_rules_free(rules);
    return s;
}

Status cmd_convert(int argc, char **argv, Error *e)
{
    Fields f;
    FileWriter w = { 0 };
    int n;
    Status s = program_options(CONVERT_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    const char *const *files = (const char *const *)argv;
    if (s == OK && f.deps && n != 1 && !corpus_is_rules(f.deps)) s = error_set(e, ERR_USAGE, "--deps: found %d files, expected one", n);
    if (s == OK) s = filewriter_open(&w, f.output, e);
    for (int k = 0; k < n && s == OK; k++) s = convert_file(&f, files[k], &w, e);
    Status closed = filewriter_close(&w, s == OK, e);
    return s != OK ? s : closed;
}
