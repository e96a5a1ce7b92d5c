/* parser/program/cmd_draw.c: lal draw */
#include "base/file.h"
#include "parser/program/program.h"
#include "treebank/draw.h"
#include "treebank/reader.h"

enum { WORDS_MOST = 2000 };
enum { WHAT_AUTO, WHAT_TREE, WHAT_ARCS };

typedef struct Fields {
    const char *output;
    int what, from;
    long sentence;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option DRAW_OPTIONS[] = {
    { "what", OPT_ENUM, F(what), "auto", 0, 0, "auto|tree|arcs",
      "draw the tree, or dependencies as arcs; auto: the tree if the sentence has one" },
    { "sentence", OPT_LONG, F(sentence), "1", 1, 1e9, NULL, "number of the sentence in the file, from 1" },
    { "from", OPT_ENUM, F(from), "auto", 0, 0,
      "auto|brackets|icepahc|idn|sinica|genia|conll", /* as in TreebankFormat */
      "format of the input, as for lal convert" },
    { "output", OPT_STRING, F(output), "-", 0, 0, "FILE", "write the SVG to FILE" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

static Status run_draw(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    TreebankReader r;
    Sentence *x = NULL;
    StrBuf out = { 0 };
    FileWriter w = { 0 };
    Status s = program_options(DRAW_OPTIONS, &f, argc, argv, 1, &n, e);
    if (s != OK) return s;
    const char *path = n ? argv[0] : "-";
    ReaderOptions o = { .format = (TreebankFormat)f.from, .brackets = { .strip_functions = true } };
    s = reader_open(&r, path, o, e);
    for (long k = 0; k < f.sentence && s == OK; k++) {
        s = reader_next(&r, &x, e);
        if (s == OK && !x)
            s = error_at(e, ERR_RANGE, path, 0, 0, "found %ld sentences, expected at least %ld", r.n, f.sentence);
    }
    if (s == OK && x->n_words > WORDS_MOST)
        s = error_at(e, ERR_LIMIT, path, x->line, 0, "found a sentence of %d words, expected at most %d in a picture",
                     x->n_words, WORDS_MOST);
    if (s == OK && f.what == WHAT_TREE && !x->has_tree)
        s = error_at(e, ERR_FORMAT, path, x->line, 0, "found dependencies without a tree, expected a tree");
    if (s == OK && f.what == WHAT_ARCS && !x->heads)
        s = error_at(e, ERR_FORMAT, path, x->line, 0, "found a tree without dependencies, expected dependencies");
    if (s == OK) (f.what == WHAT_ARCS || !x->has_tree ? draw_arcs : draw_tree)(&out, x, NULL);
    if (s == OK && out.failed) s = error_set(e, ERR_NOMEM, "out of memory drawing");
    if (s == OK) s = filewriter_open(&w, f.output, e);
    if (s == OK) {
        filewriter_write(&w, out.ptr, out.len);
        s = filewriter_close(&w, true, e);
    }
    strbuf_fini(&out);
    reader_close(&r);
    return s;
}

static const Option *const DRAW_TABLES[] = { DRAW_OPTIONS, NULL };
const Command CMD_DRAW = { "draw", "[OPTIONS] [FILE]", "draw the tree or the dependencies of a sentence as SVG",
                           NULL,   DRAW_TABLES,        run_draw };
