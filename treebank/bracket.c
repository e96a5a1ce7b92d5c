/* One pass with an explicit stack; nothing recurses on the depth of the input. */
#include "treebank/bracket.h"

#include <string.h>

#include "treebank/builder.h"

typedef struct Open { /* a bracket that is not closed yet */
    StrView label;    /* may be empty */
    StrView word;     /* the word in it; ptr NULL before it is read */
    long line, column;
    bool phrase; /* opened as a phrase, because it has children */
    int children;
} Open;

typedef struct Reader {
    TreeBuilder b;
    StrView text;
    BracketOptions o;
    size_t at;
    long line;
    size_t line_start;
    Open *stack;
    int depth, stack_cap;
    bool traces;         /* this tree has traces */
    bool header;         /* a line of a header was skipped */
    StrBuf raw, scratch; /* a word without the marks of the dialect: as spelled in the file, and with escapes undone */
    StrBuf tag;
    StrBuf joined; /* spelling of the last word, if it was joined from parts and more may follow; else empty */
} Reader;

static Status fail(Reader *r, const char *what)
{
    r->b.line = r->line;
    r->b.column = (long)(r->at - r->line_start) + 1;
    return builder_fail(&r->b, what);
}

static void stand_at(Reader *r, const Open *o)
{
    r->b.line = o->line;
    r->b.column = o->column;
}

static Status fail_at(Reader *r, const Open *o, const char *what)
{
    stand_at(r, o);
    return builder_fail(&r->b, what);
}

static void skip_space(Reader *r)
{
    for (; r->at < r->text.len; r->at++) {
        char c = r->text.ptr[r->at];
        if (c == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') return;
    }
}

static void skip_line(Reader *r)
{
    while (r->at < r->text.len && r->text.ptr[r->at] != '\n') r->at++;
}

/* Skips the id of a sentence: "12\t(S ...". */
static bool skip_id(Reader *r)
{
    size_t to = r->at;
    while (to < r->text.len && !memchr("(\n\t", r->text.ptr[to], 3)) to++;
    if (to == r->text.len || r->text.ptr[to] != '\t') return false;
    r->at = to;
    return true;
}

static StrView atom(Reader *r)
{
    size_t from = r->at;
    while (r->at < r->text.len && !memchr(" \t\r\n()", r->text.ptr[r->at], 6)) r->at++;
    return (StrView){ r->text.ptr + from, r->at - from };
}

/* NP-SBJ-1 -> NP; labels that begin with '-' ("-LRB-", "-NONE-") are not changed. */
static StrView strip_label(StrView l)
{
    if (l.len && l.ptr[0] == '-') return l;
    for (size_t i = 1; i < l.len; i++)
        if (l.ptr[i] == '-' || l.ptr[i] == '=' || l.ptr[i] == '|' ||
            (l.ptr[i] == '#' && i + 1 < l.len && l.ptr[i + 1] == '#'))
            return (StrView){ l.ptr, i };
    return l;
}

/* N##case=nom## -> N: removes the features of the SPMRL treebanks. */
static StrView strip_tag(StrView l)
{
    for (size_t i = 1; i + 1 < l.len; i++)
        if (l.ptr[i] == '#' && l.ptr[i + 1] == '#') return (StrView){ l.ptr, i };
    return l;
}

/* "word-lemma" -> "word". A hyphen in the word is written as <dash/>. */
static StrView cut_lemma(StrView w)
{
    for (size_t i = w.len; i-- > 1;)
        if (w.ptr[i] == '-' && i + 1 < w.len) return (StrView){ w.ptr, i };
    return w;
}

/* Replaces every `from` by the character `to`. */
static void restore(StrBuf *b, const char *from, char to)
{
    size_t k = 0, n = strlen(from);
    for (size_t i = 0; i < b->len;) {
        bool here = i + n <= b->len && memcmp(b->ptr + i, from, n) == 0;
        b->ptr[k++] = here ? to : b->ptr[i];
        i += here ? n : 1;
    }
    b->len = k;
}

static void clean_word(StrBuf *out, StrView w)
{
    strbuf_clear(out);
    tree_unescape_word(out, w.ptr, w.len, NOTATION_TREE);
}

/* Completes a word joined from parts: the next leaf is not a part of it. */
static Status finish_join(Reader *r)
{
    if (!r->joined.len) return OK;
    TreeBuilder *b = &r->b;
    int last = b->n_words - 1;
    clean_word(&r->scratch, (StrView){ r->joined.ptr, r->joined.len }); /* an escape may cross the join */
    if (!r->scratch.failed && !tree_is_word((StrView){ r->scratch.ptr, r->scratch.len }))
        return builder_fail(b, "found a word of blanks");
    b->words[last] = r->scratch.failed ? NULL : arena_strndup(&b->tb->arena, r->scratch.ptr, r->scratch.len);
    Status s = b->words[last] ? builder_spelling(b, (StrView){ r->joined.ptr, r->joined.len }) : builder_no_memory(b);
    strbuf_clear(&r->joined);
    return s;
}

/* Adds a trace whose tag is not -NONE- in the file. */
static Status add_trace(Reader *r, StrView word)
{
    r->traces = true;
    if (!r->o.keep_traces) return OK;
    Status s = finish_join(r);
    if (s != OK) return s;
    clean_word(&r->scratch, word);
    return r->scratch.failed
               ? builder_no_memory(&r->b)
               : builder_word(&r->b, (StrView){ "-NONE-", 6 }, (StrView){ r->scratch.ptr, r->scratch.len });
}

static bool is_trace(StrView w)
{
    if (w.ptr[0] != '*') return text_equal(w, "0");
    for (size_t i = 0; i < w.len; i++)
        if (memchr(" \t\r", w.ptr[i], 3)) return false; /* several words, the first of which begins with * */
    return true;
}

/* "$innar" after "jarðar$" is the end of the same word. The word gets the tag of its last part (VBN of upp$ (RP)
 * $runnar (VBN)), but articles are ignored. The parts are joined in r->joined; finish_join sets the word. */
static bool is_end_of_word(const Reader *r, const StrBuf *word)
{
    if (r->o.dialect != BRACKET_HELSINKI || word->len < 2 || word->ptr[0] != '$' || r->b.n_words == 0) return false;
    const char *last = r->joined.len ? r->joined.ptr : r->b.words[r->b.n_words - 1];
    size_t len = r->joined.len ? r->joined.len : strlen(last);
    return len > 1 && last[len - 1] == '$';
}

static Status join_word(Reader *r, StrView tag)
{
    TreeBuilder *b = &r->b;
    int last = b->n_words - 1;
    if (!r->joined.len) strbuf_puts(&r->joined, b->words[last]);
    strbuf_cut(&r->joined, r->joined.len - 1);
    strbuf_add(&r->joined, r->scratch.ptr + 1, r->scratch.len - 1);
    bool article = text_equal(tag, "D") || (tag.len > 1 && memcmp(tag.ptr, "D-", 2) == 0);
    if (!article) b->tags[last] = arena_strndup(&b->tb->arena, tag.ptr, tag.len);
    return b->tags[last] && !r->joined.failed ? OK : builder_no_memory(b);
}

static Status add_word(Reader *r, const Open *o)
{
    StrView w = o->word;
    stand_at(r, o);
    if (r->o.dialect == BRACKET_HELSINKI) {
        if (text_equal(o->label, "ID") || text_equal(o->label, "CODE")) return OK;
        Status s = OK;
        if (is_trace(w)) {
            if (r->o.keep_traces) s = builder_open(&r->b, r->o.strip_functions ? strip_label(o->label) : o->label);
            if (s == OK) s = add_trace(r, w);
            if (s == OK && r->o.keep_traces) builder_close(&r->b);
            return s;
        }
        w = cut_lemma(w);
    }
    if (text_equal(o->label, "-NONE-")) {
        r->traces = true;
        if (!r->o.keep_traces) return OK;
    }
    strbuf_clear(&r->raw);
    strbuf_add(&r->raw, w.ptr, w.len);
    if (r->o.dialect == BRACKET_HELSINKI) restore(&r->raw, "<dash/>", '-');
    if (r->o.dialect == BRACKET_NESTED) {
        restore(&r->raw, "&brl;", '(');
        restore(&r->raw, "&brr;", ')');
        restore(&r->raw, " ", '_');
        restore(&r->raw, "\t", '_');
        restore(&r->raw, "\r", '_');
    }
    strbuf_clear(&r->tag);
    tree_unescape_tag(&r->tag, r->o.strip_functions ? strip_tag(o->label) : o->label);
    strbuf_clear(&r->scratch);
    tree_read_word(&r->scratch, (StrView){ r->raw.ptr, r->raw.len },
                   r->o.dialect == BRACKET_PENN && !r->tag.failed ? r->tag.ptr : NULL);
    if (r->raw.failed || r->scratch.failed || r->tag.failed) return builder_no_memory(&r->b);
    if (is_end_of_word(r, &r->scratch)) return join_word(r, o->label);
    Status s = OK;
    if (r->joined.len) { /* needs r->scratch */
        s = finish_join(r);
        clean_word(&r->scratch, (StrView){ r->raw.ptr, r->raw.len });
        if (s != OK) return s;
    }
    s = builder_word(&r->b, (StrView){ r->tag.ptr, r->tag.len }, (StrView){ r->scratch.ptr, r->scratch.len });
    return s == OK ? builder_spelling(&r->b, (StrView){ r->raw.ptr, r->raw.len }) : s;
}

/* A child was found in this bracket: opens a phrase, unless the bracket is the one around the tree. */
static Status make_phrase(Reader *r, Open *o)
{
    if (o->phrase || (o == r->stack && tree_is_top(o->label))) return OK;
    o->phrase = true;
    stand_at(r, o);
    return builder_open(&r->b, r->o.strip_functions ? strip_label(o->label) : o->label);
}

/* At the second '(' of "(NN (word))": reads text in brackets of its own. false, without moving, if it is anything
 * else. */
static bool nested_text(Reader *r, StrView *word)
{
    size_t from = r->at + 1;
    while (from < r->text.len && (r->text.ptr[from] == ' ' || r->text.ptr[from] == '\t')) from++;
    size_t to = from;
    while (to < r->text.len && !memchr("()\n", r->text.ptr[to], 3)) to++;
    if (to == r->text.len || r->text.ptr[to] != ')' || to == from) return false;
    size_t after = to + 1;
    while (to > from && memchr(" \t\r", r->text.ptr[to - 1], 3)) to--;
    if (to == from) return false;
    *word = (StrView){ r->text.ptr + from, to - from };
    r->at = after;
    return true;
}

static Status push_nested(Reader *r, Open *parent, StrView word)
{
    if (is_trace(word)) {
        Status s = make_phrase(r, parent);
        parent->children++;
        return s == OK ? add_trace(r, word) : s;
    }
    if (parent->children) return fail(r, "found a word after brackets, expected '(' or ')'");
    parent->word = word;
    return OK;
}

static Status push(Reader *r)
{
    Open *parent = r->depth ? &r->stack[r->depth - 1] : NULL;
    long column = (long)(r->at - r->line_start) + 1;
    if (parent && parent->word.ptr) return fail(r, "found '(' after a word, expected ')'");
    StrView word;
    if (parent && r->o.dialect == BRACKET_NESTED && nested_text(r, &word)) return push_nested(r, parent, word);
    if (parent) {
        Status s = make_phrase(r, parent);
        if (s != OK) return s;
        parent->children++;
    }
    if (!mem_reserve(r->stack, &r->stack_cap, r->depth + 1)) return builder_no_memory(&r->b);
    Open *o = &r->stack[r->depth++];
    *o = (Open){ .line = r->line, .column = column };
    r->at++; /* the bracket */
    while (r->at < r->text.len && (r->text.ptr[r->at] == ' ' || r->text.ptr[r->at] == '\t')) r->at++;
    if (r->at < r->text.len && r->text.ptr[r->at] != '(' && r->text.ptr[r->at] != ')') o->label = atom(r);
    return OK;
}

static Status pop(Reader *r)
{
    if (r->depth == 0) return fail(r, "found ')' without a matching '(', expected '('");
    const Open *o = &r->stack[--r->depth];
    Status s = OK;
    if (o->word.ptr) s = add_word(r, o);
    else if (o->children == 0) s = fail_at(r, o, "found empty brackets, expected a label with words or phrases");
    else if (o->phrase) builder_close(&r->b);
    r->at++;
    if (s != OK || r->depth > 0) return s;
    bool markup = r->b.n_words == 0 && r->o.dialect == BRACKET_HELSINKI && !r->traces; /* only ID and CODE */
    bool empty = r->b.n_words == 0 && r->traces;
    r->traces = false;
    stand_at(r, o);
    if (!markup && !empty) {
        s = finish_join(r);
        return s == OK ? builder_finish(&r->b, o->line) : s;
    }
    if (empty) notes_add(r->o.notes, r->b.path, o->line, 0, "skipped a tree that has only traces");
    builder_drop(&r->b);
    return OK;
}

/* At a line of the header of a Penn Treebank file: "*x*x*x*..." */
static bool at_header(const Reader *r)
{
    return r->text.len - r->at >= 3 && memcmp(r->text.ptr + r->at, "*x*", 3) == 0;
}

static void skip_header(Reader *r)
{
    if (!r->header) notes_add(r->o.notes, r->b.path, r->line, 0, "skipped the header (lines that begin with *x*)");
    r->header = true;
    skip_line(r);
}

/* The state outside trees: between items; in a line that is skipped; in the id before a tree. */
enum { CUT_BETWEEN, CUT_LINE, CUT_ID };

size_t bracket_cut(CutState *state, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char c = text[i];
        if (state->depth > 0) {
            if (c == '(') state->depth++;
            if (c == ')' && --state->depth == 0) return i + 1;
        } else if (c == '\n' || (c == '\t' && state->state == CUT_ID)) state->state = CUT_BETWEEN;
        else if (state->state == CUT_LINE || c == ' ' || c == '\t' || c == '\r') continue;
        else if (c == '(') {
            state->depth = 1;
            state->state = CUT_BETWEEN;
        } else if (state->state == CUT_BETWEEN) state->state = c == '<' || c == '*' ? CUT_LINE : CUT_ID;
    }
    return 0;
}

/* Reads the next item; the next character is not white space. */
static Status read_item(Reader *r)
{
    char c = r->text.ptr[r->at];
    if (c == '(') return push(r);
    if (c == ')') return pop(r);
    if (r->depth == 0) {
        if (c == '<') skip_line(r); /* <DOC>, <S ID=1>: the markup of the Chinese Treebank */
        else if (at_header(r)) skip_header(r);
        else if (c == '*' || r->o.dialect != BRACKET_NESTED || !skip_id(r))
            return fail(r, "found text outside brackets, expected '('");
        return OK;
    }
    Open *top = &r->stack[r->depth - 1];
    if (top->word.ptr) return fail(r, "found a second word in one bracket, expected ')'");
    if (top->children) return fail(r, "found a word after brackets, expected '(' or ')'");
    top->word = atom(r);
    return OK;
}

Status bracket_read(Treebank *tb, TextBlock block, BracketOptions options, Error *error)
{
    StrView text = block.text;
    /* line_start is before the block (modulo SIZE_MAX + 1) if the block begins inside a line */
    Reader r = { .text = text, .o = options, .line = block.line, .line_start = (size_t)0 - (size_t)(block.column - 1) };
    builder_init(&r.b, tb, block.path, error);
    r.b.keep_spelling = options.keep_spelling;
    Status status = OK;
    const char *found;
    size_t bad = text_fault(text, &found);
    while (status == OK) {
        skip_space(&r);
        if (r.at >= text.len) break;
        status = r.at >= bad ? fail(&r, found) : read_item(&r);
        if (r.at > bad) r.at = bad; /* inside the item just read: reported in the next iteration */
    }
    if (status == OK && r.depth > 0)
        status = fail_at(&r, &r.stack[r.depth - 1], "found the end of the file, expected ')' for this bracket");
    builder_fini(&r.b);
    mem_free(r.stack);
    strbuf_fini(&r.raw);
    strbuf_fini(&r.scratch);
    strbuf_fini(&r.joined);
    strbuf_fini(&r.tag);
    return status;
}
