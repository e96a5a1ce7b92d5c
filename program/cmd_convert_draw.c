/* Lal convert draw */
#include <string.h>

#include "base/file.h"
#include "parser/model/corpus.h"
#include "program/program.h"
#include "treebank/draw/draw.h"

enum { WORDS_MOST = 2000, SENTENCES_MOST = 50, RANGES_MOST = 64 };
enum { WHAT_AUTO, WHAT_TREE, WHAT_ARCS, WHAT_BOTH };

typedef struct Fields {
    const char *out, *sentence, *deps;
    int what, from, layout, width;
} Fields;

#define F(name) offsetof(Fields, name)

static const Option DRAW_OPTIONS[] = {
    { "what", OPT_ENUM, F(what), "auto", 0, 0, "auto|tree|arcs|both",
      "draw the tree, the dependencies as arcs, or both over the same words; auto: what the sentence has" },
    { "sentence", OPT_STRING, F(sentence), NULL, 0, 0, "LIST",
      "numbers of sentences in the file, from 1, such as 3 or 2-5,8 or 10- (default: the first 50)" },
    { "deps", OPT_STRING, F(deps), NULL, 0, 0, "FILE",
      "dependencies for a file of trees: CoNLL of the same sentences, or head rules (english.rules)" },
    { "width", OPT_INT, F(width), "1000", 0, 100000, NULL,
      "width of the picture in px: wider sentences are scaled down or drawn downwards; 0: as wide as they need" },
    { "layout", OPT_ENUM, F(layout), "auto", 0, 0, "auto|across|down", /* as in DrawLayout */
      "words in a row (across) or in a column (down); auto: a row, unless it must shrink to less than 75 %" },
    { "from", OPT_ENUM, F(from), "auto", 0, 0, FORMAT_CHOICES, "format of the input, as for lal convert" },
    { "out", OPT_STRING, F(out), "-", 0, 0, "FILE", "write the SVG to FILE" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* ---- which sentences */

typedef struct Ranges {
    struct {
        int first, last; /* last 0: to the end of the file */
    } at[RANGES_MOST];
    int n;
    long last; /* the last sentence that is named; 0: none, the end of the file */
} Ranges;

static bool read_range(Ranges *r, StrView text)
{
    const char *dash = memchr(text.ptr, '-', text.len);
    size_t len = dash ? (size_t)(dash - text.ptr) : text.len, rest = text.len - len;
    int first, last = 0;
    if (r->n == RANGES_MOST || !text_number((StrView){ text.ptr, len }, &first) || first < 1) return false;
    if (!dash) last = first;
    else if (rest > 1 && (!text_number((StrView){ dash + 1, rest - 1 }, &last) || last < first)) return false;
    r->at[r->n].first = first;
    r->at[r->n++].last = last;
    if (last > r->last) r->last = last;
    if (first > r->last) r->last = first;
    return true;
}

static Status read_ranges(Ranges *r, const char *text, Error *e)
{
    *r = (Ranges){ .n = 0 };
    for (const char *at = text; at;) {
        size_t len = strcspn(at, ",");
        if (!read_range(r, (StrView){ at, len }))
            return error_set(e, ERR_USAGE, "--sentence: found '%s', expected numbers from 1 such as 3 or 2-5,8", text);
        at = at[len] ? at + len + 1 : NULL;
    }
    return OK;
}

static bool wanted(const Ranges *r, long k)
{
    if (r->n == 0) return k <= SENTENCES_MOST;
    for (int i = 0; i < r->n; i++)
        if (k >= r->at[i].first && (r->at[i].last == 0 || k <= r->at[i].last)) return true;
    return false;
}

/* Whether no sentence after the k-th one is wanted. */
static bool is_last(const Ranges *r, long k)
{
    for (int i = 0; i < r->n; i++)
        if (r->at[i].last == 0) return false;
    return r->n && k >= r->last;
}

/* Whether one sentence is named, whose picture is the whole file. */
static bool is_single(const Ranges *r) { return r->n == 1 && r->at[0].first == r->at[0].last; }

/* ---- pictures, one below the other */

typedef struct Pictures {
    StrBuf body;
    int n, width, height;
    long more; /* sentences of the file that are not drawn because there are too many */
} Pictures;

static Status check_sentence(const Fields *f, const char *path, const Sentence *x, Error *e)
{
    if (x->n_words > WORDS_MOST)
        return error_at(e, ERR_LIMIT, path, x->line, 0,
                        "found a sentence of %d words, expected at most %d in a picture", x->n_words, WORDS_MOST);
    if ((f->what == WHAT_TREE || f->what == WHAT_BOTH) && !x->has_tree)
        return error_at(e, ERR_FORMAT, path, x->line, 0, "found dependencies without a tree, expected a tree");
    if ((f->what == WHAT_ARCS || f->what == WHAT_BOTH) && !x->heads)
        return error_at(e, ERR_FORMAT, path, x->line, 0, "found a tree without dependencies, expected dependencies");
    return OK;
}

enum { CAPTION = 26 }; /* px above each picture of several */

static void add_picture(const Fields *f, Pictures *p, const Sentence *x, long number, bool single)
{
    DrawSize size;
    DrawOptions o = { .tree = f->what != WHAT_ARCS,
                      .arcs = f->what != WHAT_TREE,
                      .layout = (DrawLayout)f->layout,
                      .width = f->width,
                      .style = single,
                      .top = single ? 0 : p->height + CAPTION };
    if (!single)
        strbuf_printf(&p->body, "<text class=\"t fo b\" x=\"10\" y=\"%d\">%ld</text>\n", p->height + 20, number);
    draw_sentence(&p->body, x, &o, &size);
    p->height += size.shown_height + CAPTION;
    if (size.shown_width > p->width) p->width = size.shown_width;
    p->n++;
}

static Status draw_file(const Fields *f, const Ranges *r, CorpusReader *c, const char *path, Pictures *p, Error *e)
{
    bool single = is_single(r);
    long k = 0;
    Sentence *x = NULL;
    Status s = OK;
    while (s == OK && !is_last(r, k) && (s = corpus_next(c, &x, e)) == OK && x) {
        k++;
        if (!r->n && k > SENTENCES_MOST) p->more++;
        if (!wanted(r, k)) continue;
        s = check_sentence(f, path, x, e);
        if (s == OK) add_picture(f, p, x, k, single);
        if (s == OK && p->body.failed) s = error_set(e, ERR_NOMEM, "out of memory drawing");
    }
    if (s == OK && k < r->last)
        s = error_at(e, ERR_RANGE, path, 0, 0, "found %ld sentence%s, expected at least %ld", k, k == 1 ? "" : "s",
                     r->last);
    if (s == OK && k == 0) s = error_at(e, ERR_FORMAT, path, 0, 0, "found no sentence, expected at least one");
    return s;
}

static Status write_pictures(const Fields *f, const Pictures *p, bool single, Error *e)
{
    StrBuf head = { 0 };
    FileWriter w = { 0 };
    if (!single) {
        strbuf_printf(&head,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                      "height=\"%d\" role=\"group\">\n<title>%d sentence%s</title>\n<style>",
                      p->width, p->height, p->width, p->height, p->n, p->n == 1 ? "" : "s");
        draw_style(&head);
        strbuf_puts(&head, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    }
    Status s = head.failed ? error_set(e, ERR_NOMEM, "out of memory drawing") : filewriter_open(&w, f->out, e);
    if (s == OK) {
        if (head.ptr) filewriter_write(&w, head.ptr, head.len);
        filewriter_write(&w, p->body.ptr, p->body.len);
        if (!single) filewriter_write(&w, "</svg>\n", 7);
        s = filewriter_close(&w, true, e);
    }
    strbuf_fini(&head);
    return s;
}

static Status run_draw(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Ranges ranges;
    CorpusReader c;
    char place[DATA_PATH_MAX], rules[DATA_PATH_MAX];
    Pictures p = { 0 };
    Status s = program_options(DRAW_OPTIONS, &f, argc, argv, 1, &n, e);
    if (s == OK) s = read_ranges(&ranges, f.sentence, e);
    if (s != OK) return s;
    const char *path = n ? program_file(argv[0], place, sizeof place) : "-";
    ReaderOptions o = { .format = (TreebankFormat)f.from, .brackets = { .strip_functions = true } };
    s = corpus_open(&c, path, program_deps_path(f.deps, rules, sizeof rules), o, e);
    if (s == OK) s = draw_file(&f, &ranges, &c, path, &p, e);
    corpus_close(&c);
    if (s == OK) s = write_pictures(&f, &p, is_single(&ranges), e);
    if (s == OK && p.more)
        program_say("the first %d of %ld sentences are drawn; --sentence chooses others\n", p.n, p.n + p.more);
    strbuf_fini(&p.body);
    return s;
}

static const char DRAW_HELP[] = "The file is a treebank or the output of lal parse. Trees and arcs of a text:\n"
                                "lal parse --format json FILE | lal convert draw > FILE.svg\n";

static const Option *const DRAW_TABLES[] = { DRAW_OPTIONS, NULL };
const Command CMD_CONVERT_DRAW = {
    "convert draw", "[OPTIONS] [FILE]", "draw trees and dependencies of sentences as SVG",
    DRAW_HELP,      DRAW_TABLES,        run_draw
};
