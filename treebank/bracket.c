/* treebank/bracket.c: one pass with an explicit stack; nothing recurses on the depth of the input. */
#include "treebank/bracket.h"

#include <string.h>

typedef struct Open { /* a bracket that is not closed yet */
    int phrase;       /* index into phrases, or -1: TOP-like, or not yet known to be one */
    int first_word;   /* words seen when it was opened */
    StrView label;    /* may be empty */
    StrView word;     /* set when a word stood in it */
    long line, column;
    int children;
    bool was_trace;
} Open;

typedef struct Reader {
    Treebank *tb;
    StrView text;
    const char *path;
    BracketOptions o;
    Error *e;
    size_t at;
    long line;
    size_t line_start;
    Open *stack;
    int depth, stack_cap;
    Phrase *phrases;
    int n_phrases, phrase_cap;
    const char **words, **tags;
    int n_words, word_cap, tag_cap;
    StrBuf scratch;
} Reader;

static Status fail(Reader *r, const char *what)
{
    return error_at(r->e, ERR_FORMAT, r->path, r->line, (long)(r->at - r->line_start) + 1, "%s", what);
}

static Status fail_at(Reader *r, const Open *o, const char *what) { return error_at(r->e, ERR_FORMAT, r->path, o->line, o->column, "%s", what); }

static Status no_memory(Reader *r) { return error_at(r->e, ERR_NOMEM, r->path, r->line, 0, "out of memory reading trees"); }

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

static StrView atom(Reader *r)
{
    size_t from = r->at;
    while (r->at < r->text.len && !memchr(" \t\r\n()", r->text.ptr[r->at], 6)) r->at++;
    return (StrView){ r->text.ptr + from, r->at - from };
}

static bool is_top(StrView l) { return l.len == 0 || text_equal(l, "TOP") || text_equal(l, "ROOT") || text_equal(l, "S1"); }

/* NP-SBJ-1 -> NP; "-LRB-" and "-NONE-" begin with '-' and stay whole. */
static StrView strip_label(StrView l)
{
    if (l.len && l.ptr[0] == '-') return l;
    for (size_t i = 1; i < l.len; i++)
        if (l.ptr[i] == '-' || l.ptr[i] == '=' || l.ptr[i] == '|' || (l.ptr[i] == '#' && i + 1 < l.len && l.ptr[i + 1] == '#'))
            return (StrView){ l.ptr, i };
    return l;
}

/* N##case=nom## -> N: the features of the SPMRL treebanks; everything else of a tag stays. */
static StrView strip_tag(StrView l)
{
    for (size_t i = 1; i + 1 < l.len; i++)
        if (l.ptr[i] == '#' && l.ptr[i + 1] == '#') return (StrView){ l.ptr, i };
    return l;
}

static Status add_word(Reader *r, const Open *o)
{
    if (r->n_words == BRACKET_MAX_WORDS) return fail(r, "found more words than a tree may have");
    if (!mem_reserve((void **)&r->words, &r->word_cap, r->n_words + 1, sizeof *r->words) ||
        !mem_reserve((void **)&r->tags, &r->tag_cap, r->n_words + 1, sizeof *r->tags))
        return no_memory(r);
    strbuf_clear(&r->scratch);
    StrView w = o->word;
    if (w.len == 2 && w.ptr[0] == '\\') w = (StrView){ w.ptr + 1, 1 };
    word_unescape(&r->scratch, w.ptr, w.len);
    char *q = r->scratch.ptr;
    if (q) { /* \/ and \* lose their backslashes, so that what is written reads as the same word again */
        size_t k = 0;
        for (size_t i = 0, end; i < r->scratch.len; i = end) {
            for (end = i; q[end] == '\\'; end++) continue;
            bool escape = end > i && (q[end] == '/' || q[end] == '*');
            if (end == i) end++;
            for (; i < end && !escape; i++) q[k++] = q[i];
        }
        r->scratch.len = k;
    }
    r->words[r->n_words] = arena_strndup(&r->tb->arena, q ? q : "", r->scratch.len);
    StrView tag = r->o.strip_functions ? strip_tag(o->label) : o->label;
    r->tags[r->n_words] = arena_strndup(&r->tb->arena, tag.ptr, tag.len);
    if (!r->words[r->n_words] || !r->tags[r->n_words] || r->scratch.failed) return no_memory(r);
    r->n_words++;
    return OK;
}

static Status push(Reader *r)
{
    if (r->depth == BRACKET_MAX_DEPTH) return fail(r, "brackets nested too deep");
    if (!mem_reserve((void **)&r->stack, &r->stack_cap, r->depth + 1, sizeof *r->stack)) return no_memory(r);
    Open *o = &r->stack[r->depth];
    *o = (Open){ .phrase = -1, .first_word = r->n_words, .line = r->line, .column = (long)(r->at - r->line_start) + 1 };
    r->at++; /* the bracket */
    while (r->at < r->text.len && (r->text.ptr[r->at] == ' ' || r->text.ptr[r->at] == '\t')) r->at++;
    if (r->at < r->text.len && r->text.ptr[r->at] != '(' && r->text.ptr[r->at] != ')') o->label = atom(r);
    if (r->depth > 0) {
        Open *parent = &r->stack[r->depth - 1];
        if (parent->word.ptr) return fail_at(r, o, "found '(' behind a word, expected ')'");
        if (parent->phrase < 0 && !(r->depth == 1 && is_top(parent->label))) { /* a bracket inside makes the parent a phrase */
            if (parent->children == 0) {
                if (!mem_reserve((void **)&r->phrases, &r->phrase_cap, r->n_phrases + 1, sizeof *r->phrases)) return no_memory(r);
                StrView l = r->o.strip_functions ? strip_label(parent->label) : parent->label;
                if (!l.len) return fail_at(r, parent, "found a phrase without a label");
                char *copy = arena_strndup(&r->tb->arena, l.ptr, l.len);
                if (!copy) return no_memory(r);
                parent->phrase = r->n_phrases;
                r->phrases[r->n_phrases++] = (Phrase){ parent->first_word, -1, copy };
            }
        }
        parent->children++;
    }
    r->depth++;
    return OK;
}

static Status finish_tree(Reader *r, const Open *o)
{
    if (r->n_words == 0) return fail_at(r, o, "found a tree without words, expected at least one");
    int kept = 0;
    for (int p = 0; p < r->n_phrases; p++)
        if (r->phrases[p].begin < r->phrases[p].end) r->phrases[kept++] = r->phrases[p];
    Sentence *s = treebank_add(r->tb);
    if (!s) return no_memory(r);
    size_t n = (size_t)r->n_words;
    *s = (Sentence){ .n_words = r->n_words, .n_phrases = kept, .has_tree = true, .line = o->line };
    s->words = arena_alloc(&r->tb->arena, n, sizeof *s->words);
    s->tags = arena_alloc(&r->tb->arena, n, sizeof *s->tags);
    s->phrases = arena_alloc(&r->tb->arena, (size_t)kept, sizeof *s->phrases);
    if (!s->words || !s->tags || !s->phrases) return no_memory(r);
    memcpy(s->words, r->words, n * sizeof *s->words);
    memcpy(s->tags, r->tags, n * sizeof *s->tags);
    if (kept) memcpy(s->phrases, r->phrases, (size_t)kept * sizeof *s->phrases);
    r->n_words = r->n_phrases = 0;
    return OK;
}

static Status pop(Reader *r)
{
    if (r->depth == 0) return fail(r, "found ')' without a matching '(', expected '('");
    Open o = r->stack[--r->depth];
    bool top = r->depth == 0;
    if (o.word.ptr) {
        if (!o.label.len) return fail_at(r, &o, "found a word without a tag");
        if (r->o.keep_traces || !text_equal(o.label, "-NONE-")) {
            Status st = add_word(r, &o);
            if (st != OK) return st;
        }
    } else if (o.children == 0) {
        return fail_at(r, &o, "found empty brackets, expected a label with words or phrases");
    } else if (o.phrase >= 0) {
        r->phrases[o.phrase].end = r->n_words;
    }
    r->at++;
    return top ? finish_tree(r, &o) : OK;
}

Status bracket_read(Treebank *tb, StrView text, const char *path, BracketOptions o, Error *e)
{
    Reader r = { .tb = tb, .text = text, .path = path, .o = o, .e = e, .line = 1 };
    Status st = OK;
    size_t bad = utf8_invalid(text.ptr, text.len);
    const char *nul = text.len ? memchr(text.ptr, 0, text.len) : NULL;
    size_t zero = nul ? (size_t)(nul - text.ptr) : text.len;
    while (st == OK) {
        skip_space(&r);
        if (r.at >= text.len) break;
        char c = text.ptr[r.at];
        if (r.at >= bad) st = fail(&r, "found bytes that are not UTF-8");
        else if (r.at >= zero) st = fail(&r, "found a NUL byte");
        else if (c == '(') st = push(&r);
        else if (c == ')') st = pop(&r);
        else if (r.depth == 0 && c == '<') skip_line(&r); /* <DOC>, <S ID=1>: the markup of the Chinese Treebank */
        else if (r.depth == 0) st = fail(&r, "found text outside brackets, expected '('");
        else {
            Open *top = &r.stack[r.depth - 1];
            if (top->word.ptr) st = fail(&r, "found a second word in one bracket, expected ')'");
            else if (top->children) st = fail(&r, "found a word beside brackets, expected '(' or ')'");
            else {
                StrView w = atom(&r);
                if (r.at > bad || r.at > zero) r.at = bad < zero ? bad : zero; /* said at the next turn */
                top->word = w;
            }
        }
    }
    if (st == OK && r.depth > 0)
        st = error_at(e, ERR_FORMAT, path, r.stack[r.depth - 1].line, r.stack[r.depth - 1].column,
                      "found the end of the file, expected ')' for this bracket");
    mem_free(r.stack);
    mem_free(r.phrases);
    mem_free(r.words);
    mem_free(r.tags);
    strbuf_fini(&r.scratch);
    return st;
}
