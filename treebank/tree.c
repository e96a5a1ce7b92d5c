/* Words and their escapes, trees as brackets, unary chains, and what heads must be: one root, no
 * cycle, and whether arcs cross. */
#include "treebank/tree.h"

#include <string.h>

void treebank_init(Treebank *tb)
{
    *tb = (Treebank){ 0 };
    arena_init(&tb->arena, (size_t)1 << 16);
}

void treebank_fini(Treebank *tb)
{
    mem_free(tb->s);
    arena_fini(&tb->arena);
    *tb = (Treebank){ 0 };
}

Sentence *treebank_add(Treebank *tb)
{
    if (!mem_reserve(tb->s, &tb->cap, tb->n + 1)) return NULL;
    tb->s[tb->n] = (Sentence){ 0 };
    return &tb->s[tb->n++];
}

/* ---- words and names */

static bool has_any(StrView text, const char *of)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr(of, text.ptr[i])) return true; /* NUL too */
    return false;
}

bool tree_is_word(StrView text)
{
    size_t blanks = 0;
    while (blanks < text.len && text.ptr[blanks] == ' ') blanks++;
    return blanks < text.len && !has_any(text, "\t\r\n");
}

bool tree_is_name(StrView text) { return text.len && !has_any(text, " \t\r\n"); }

bool tree_chain_has(const char *chain, const char *label)
{
    size_t len = strlen(label), joint = strlen(LABEL_JOIN);
    for (const char *at = chain; (at = strstr(at, label)); at++) {
        bool begins = at == chain || ((size_t)(at - chain) >= joint && memcmp(at - joint, LABEL_JOIN, joint) == 0);
        if (begins && (!at[len] || strncmp(at + len, LABEL_JOIN, joint) == 0)) return true;
    }
    return false;
}

bool tree_is_label(StrView text)
{
    enum { JOIN = sizeof LABEL_JOIN - 1 };
    size_t part = 0;
    for (size_t i = 0; i + JOIN <= text.len; i++) {
        if (memcmp(text.ptr + i, LABEL_JOIN, JOIN) != 0) continue;
        if (i == part) return false;
        part = i + JOIN;
        i = part - 1;
    }
    return part < text.len && tree_is_name(text) && !has_any(text, "()");
}

bool tree_is_top(StrView label)
{
    return label.len == 0 || text_equal(label, "TOP") || text_equal(label, "ROOT") || text_equal(label, "S1");
}

static const struct {
    const char *escape;
    char plain;
} ESCAPES[] = { { "-LRB-", '(' }, { "-RRB-", ')' },    { "-LSB-", '[' },    { "-RSB-", ']' },    { "-LCB-", '{' },
                { "-RCB-", '}' }, { "-U+0020-", ' ' }, { "-U+002D-", '-' }, { "-U+002F-", '/' }, { "-U+005C-", '\\' } };
enum { N_ESCAPES = sizeof ESCAPES / sizeof *ESCAPES, N_ROUND = 2, N_BRACKETS = 6, BLANK = 6, HYPHEN, SLASH, BACKSLASH };

/* The escape at the beginning of a text, or N_ESCAPES. */
static int escape_at(const char *text, size_t len)
{
    int k = 0;
    if (!len || *text != '-') return N_ESCAPES;
    while (k < N_ESCAPES &&
           (len < strlen(ESCAPES[k].escape) || memcmp(text, ESCAPES[k].escape, strlen(ESCAPES[k].escape)) != 0))
        k++;
    return k;
}

/* Is the character an escape among the first `most` ones, or a blank? Its number, else N_ESCAPES. */
static int escape_of(char c, int most)
{
    int k = 0;
    if (c == ' ') return BLANK;
    while (k < most && c != ESCAPES[k].plain) k++;
    return k < most ? k : N_ESCAPES;
}

/* Would the hyphen at p be read as the beginning of an escape? What follows is written after it, and a character that
 * is escaped begins with a hyphen. */
static bool hyphen_misleads(const char *p, int most)
{
    char ahead[6] = { 0 };
    for (int k = 0; k < 5 && p[k]; k++) ahead[k] = p[k];
    if (strncmp(p, "-U+", 3) == 0) return true;
    if (ahead[4] == '\\' || (ahead[4] && escape_of(ahead[4], most) < N_ESCAPES)) ahead[4] = '-';
    return escape_at(ahead, 5) < N_ESCAPES;
}

/* Would a reader of trees remove the backslash at p? At the end of a word some take it for a part of the bracket. */
static bool backslash_misleads(const char *word, const char *p)
{
    char after = p[strspn(p, "\\")];
    return after == '/' || after == '*' || !p[1] || (p == word && strlen(word) == 2);
}

/* OntoNotes has a slash before some signs: (. /.), (. /?), (: /-). Has the word of a tree with this tag one? */
static bool has_slash(StrView word, const char *tag)
{
    size_t at = 1;
    if (!tag || word.len < 2 || word.ptr[0] != '/') return false;
    if (!text_is_punctuation(tag) && !text_among(tag, "HYPH NFP PU PUNCT")) return false;
    utf8_next(word.ptr, word.len, &at);
    char sign[8] = { 0 };
    return at == word.len && text_is_punctuation(memcpy(sign, word.ptr + 1, at - 1));
}

static void escape_word(StrBuf *out, const char *word, const char *tag, int most, Notation notation)
{
    bool slash = notation == NOTATION_TREE && has_slash((StrView){ word, strlen(word) }, tag);
    for (const char *p = word; *p; p++) {
        int k = slash && p == word ? SLASH : escape_of(*p, most);
        if (*p == '-' && hyphen_misleads(p, most)) k = HYPHEN;
        if (*p == '\\' && notation == NOTATION_TREE && backslash_misleads(word, p)) k = BACKSLASH;
        if (k < N_ESCAPES) strbuf_puts(out, ESCAPES[k].escape);
        else strbuf_putc(out, *p);
    }
}

/* Appends a word or a spelling that may have escapes. */
static void escape_brackets(StrBuf *out, const char *word, Notation notation)
{
    for (const char *p = word; *p; p++) {
        int k = *p == '\\' && !p[1] && notation == NOTATION_TREE ? BACKSLASH : escape_of(*p, N_ROUND);
        if (k < N_ESCAPES) strbuf_puts(out, ESCAPES[k].escape);
        else strbuf_putc(out, *p);
    }
}

/* Appends the spelling of a file, with its brackets escaped, if it reads as the word. */
static bool write_spelling(StrBuf *out, const char *spelled, const char *word, const char *tag, Notation notation)
{
    size_t from = out->len;
    StrBuf read = { 0 };
    escape_brackets(out, spelled, notation);
    if (out->failed) return true;
    if (notation == NOTATION_TREE) tree_read_word(&read, (StrView){ out->ptr + from, out->len - from }, tag);
    else tree_unescape_word(&read, out->ptr + from, out->len - from, notation);
    bool same = !read.failed && strcmp(read.ptr, word) == 0;
    strbuf_fini(&read);
    if (!same) strbuf_cut(out, from);
    return same;
}

void tree_write_word(StrBuf *out, const Sentence *sent, int word, Escapes escapes, Notation notation)
{
    const char *tag = sent->tags ? sent->tags[word] : NULL;
    if (escapes == ESCAPE_INPUT && sent->spelled &&
        write_spelling(out, sent->spelled[word], sent->words[word], tag, notation))
        return;
    if (escapes == ESCAPE_TOKENS) escape_brackets(out, sent->words[word], notation);
    else escape_word(out, sent->words[word], tag, escapes == ESCAPE_ALL ? N_BRACKETS : N_ROUND, notation);
}

void tree_read_word(StrBuf *out, StrView word, const char *tag)
{
    size_t from = has_slash(word, tag);
    tree_unescape_word(out, word.ptr + from, word.len - from, NOTATION_TREE);
}

void tree_unescape_word(StrBuf *out, const char *word, size_t len, Notation notation)
{
    bool tree = notation == NOTATION_TREE;
    for (size_t i = tree && len == 2 && word[0] == '\\'; i < len;) {
        int k = escape_at(word + i, len - i);
        size_t end = i;
        while (tree && end < len && word[end] == '\\') end++;
        if (k < N_ESCAPES) {
            strbuf_putc(out, ESCAPES[k].plain);
            i += strlen(ESCAPES[k].escape);
        } else if (end > i && end < len && (word[end] == '/' || word[end] == '*')) i = end;
        else {
            if (end == i) end++;
            strbuf_add(out, word + i, end - i);
            i = end;
        }
    }
}

static bool is_bracket_tag(const char *tag, size_t len) { return len == 5 && escape_at(tag, len) < N_BRACKETS; }

void tree_unescape_tag(StrBuf *out, StrView tag)
{
    if (is_bracket_tag(tag.ptr, tag.len)) strbuf_add(out, tag.ptr, tag.len);
    else tree_unescape_word(out, tag.ptr, tag.len, NOTATION_CONLL);
}

void tree_write_tag(StrBuf *out, const char *tag)
{
    if (is_bracket_tag(tag, strlen(tag))) strbuf_puts(out, tag);
    else escape_word(out, tag, NULL, N_ROUND, NOTATION_CONLL);
}

/* ---- trees */

typedef struct Writer {
    StrBuf *out;
    TreeStyle style;
    bool fresh_line; /* pretty: the next item begins a line, because a phrase ended before it */
} Writer;

static void begin_item(Writer *w, bool phrase, int depth)
{
    if (w->style.pretty && depth > 0 && (phrase || w->fresh_line)) strbuf_printf(w->out, "\n%*s", 2 * depth, "");
    else if (w->out->len && w->out->ptr[w->out->len - 1] != '\n') strbuf_putc(w->out, ' ');
}

/* Does one phrase or word cover the sentence, so that the tree needs no bracket around it? */
static bool single_root(const Sentence *sent)
{
    const Phrase *p = sent->n_phrases ? sent->phrases : NULL;
    if (!p) return sent->n_words == 1;
    return p->begin == 0 && p->end == sent->n_words && !tree_is_top((StrView){ p->label, strlen(p->label) });
}

void tree_write_as(StrBuf *out, const Sentence *sent, TreeStyle style)
{
    bool wrapped = style.top || !single_root(sent);
    int next = 0, depth = wrapped, *open = mem_alloc((size_t)sent->n_phrases + 1, sizeof *open), n_open = 0;
    size_t from = out->len;
    Writer w = { out, style, false };
    if (!open || !sent->n_words) {
        out->failed |= !open;
        mem_free(open);
        return;
    }
    if (wrapped) strbuf_putc(out, '(');
    if (style.top) strbuf_puts(out, style.top);
    for (int i = 0; i < sent->n_words; i++) {
        for (; next < sent->n_phrases && sent->phrases[next].begin == i; next++) {
            if (out->len > from) begin_item(&w, true, depth);
            w.fresh_line = false;
            strbuf_putc(out, '(');
            strbuf_puts(out, sent->phrases[next].label);
            open[n_open++] = sent->phrases[next].end;
            depth++;
        }
        if (out->len > from) begin_item(&w, false, depth);
        strbuf_putc(out, '(');
        tree_write_tag(out, sent->tags && sent->tags[i] ? sent->tags[i] : "XX");
        strbuf_putc(out, ' ');
        tree_write_word(out, sent, i, style.escapes, NOTATION_TREE);
        strbuf_putc(out, ')');
        for (; n_open && open[n_open - 1] == i + 1; n_open--, depth--) {
            strbuf_putc(out, ')');
            w.fresh_line = true;
        }
    }
    if (wrapped) strbuf_putc(out, ')');
    mem_free(open);
}

void tree_write(StrBuf *out, const Sentence *sent) { tree_write_as(out, sent, (TreeStyle){ .top = "TOP" }); }

int tree_chain(const Sentence *sent, int p)
{
    int next = p + 1;
    while (next < sent->n_phrases && sent->phrases[next].begin == sent->phrases[p].begin &&
           sent->phrases[next].end == sent->phrases[p].end)
        next++;
    return next;
}

void tree_chain_label(StrBuf *out, const Sentence *sent, int from, int to)
{
    for (int p = from; p < to; p++) {
        if (p > from) strbuf_puts(out, LABEL_JOIN);
        strbuf_puts(out, sent->phrases[p].label);
    }
}

Phrase *tree_chains(const Sentence *sent, Arena *arena, int *n)
{
    Phrase *chain = arena_alloc(arena, (size_t)sent->n_phrases, sizeof *chain);
    StrBuf label = { 0 };
    bool ok = chain != NULL;
    *n = 0;
    for (int p = 0, next; ok && p < sent->n_phrases; p = next) {
        Phrase made = sent->phrases[p];
        next = tree_chain(sent, p);
        if (next > p + 1) {
            strbuf_clear(&label);
            tree_chain_label(&label, sent, p, next);
            made.label = label.failed ? NULL : arena_strndup(arena, label.ptr, label.len);
            ok = made.label != NULL;
        }
        chain[(*n)++] = made;
    }
    strbuf_fini(&label);
    return ok ? chain : NULL;
}

bool tree_collapse(Sentence *sent, Arena *arena)
{
    int n;
    Phrase *chain = tree_chains(sent, arena, &n);
    if (!chain) return false;
    sent->phrases = chain;
    sent->n_phrases = n;
    return true;
}

/* ---- heads */

/* tree_outside_heads counts the arcs inside each phrase. Arcs are added in descending order of their left ends to a
 * binary indexed tree `at` [n + 1] over their right ends (Fenwick 1994), and counted up to the phrase's end. */
static int count_up_to(const int *at, int end)
{
    int sum = 0;
    for (int k = end; k > 0; k -= k & -k) sum += at[k];
    return sum;
}

static void count_at(int *at, int n, int place)
{
    for (int k = place; k <= n; k += k & -k) at[k]++;
}

/* Linked lists of words (1-based): first[k] is the first word of list k, next[w] the word after w; 0 ends a list. */
static void push_word(int *first, int *next, int list, int w)
{
    next[w] = first[list];
    first[list] = w;
}

static int left_end(const int *heads, int w) { return heads[w - 1] < w ? heads[w - 1] : w; }
static int right_end(const int *heads, int w) { return heads[w - 1] < w ? w : heads[w - 1]; }

bool tree_outside_heads(const Sentence *sent, int *outside)
{
    size_t n = (size_t)sent->n_words + 1;
    int *room = mem_calloc(3 * n, sizeof *room), *first = room, *next = room + n, *at = room + 2 * n;
    if (!room) return false;
    for (int w = 1; w <= sent->n_words; w++) push_word(first, next, left_end(sent->heads, w), w);
    int left = sent->n_words; /* arcs with left ends after this one have been added */
    for (int p = sent->n_phrases - 1; p >= 0; p--) {
        const Phrase *x = &sent->phrases[p];
        for (; left > x->begin; left--)
            for (int w = first[left]; w; w = next[w]) count_at(at, sent->n_words, right_end(sent->heads, w));
        outside[p] = x->end - x->begin - count_up_to(at, x->end);
    }
    mem_free(room);
    return true;
}

/* Visits arcs by ascending left end, the longest first. Arcs that have not ended are on a stack `open`; no arc may end
 * after the innermost of them. All arrays are scratch [n + 1], by_right and by_left zeroed. */
static bool arcs_nest(const int *heads, int n, int *by_right, int *by_left, int *next, int *open)
{
    int depth = 0;
    for (int w = 1; w <= n; w++) push_word(by_right, next, right_end(heads, w), w);
    for (int right = 0; right <= n; right++)
        for (int w = by_right[right], after; w; w = after) {
            after = next[w];
            push_word(by_left, next, left_end(heads, w), w); /* the longest are pushed last, so they come first */
        }
    for (int at = 0; at <= n; at++) {
        while (depth > 0 && open[depth - 1] <= at) depth--;
        for (int w = by_left[at]; w; w = next[w]) {
            int right = right_end(heads, w);
            if (depth > 0 && right > open[depth - 1]) return false;
            open[depth++] = right;
        }
    }
    return true;
}

bool tree_heads_projective(const int *heads, int n, bool *projective)
{
    size_t size = (size_t)n + 1;
    int *room = mem_calloc(4 * size, sizeof *room);
    if (!room) return false;
    *projective = arcs_nest(heads, n, room, room + size, room + 2 * size, room + 3 * size);
    mem_free(room);
    return true;
}

enum { UNSEEN, ON_PATH, ROOTED }; /* a word not visited yet; on the current path to the root; that reaches the root */

/* Over all calls each word is visited a constant number of times. */
static bool reaches_root(const int *heads, int word, char *seen)
{
    int at = word;
    for (; at && seen[at - 1] == UNSEEN; at = heads[at - 1]) seen[at - 1] = ON_PATH;
    if (at && seen[at - 1] == ON_PATH) return false;
    for (at = word; at && seen[at - 1] == ON_PATH; at = heads[at - 1]) seen[at - 1] = ROOTED;
    return true;
}

/* The first word that does not reach the root; 0 if all do, -1 when out of memory. */
static int first_lost(const int *heads, int n)
{
    char *seen = mem_calloc((size_t)n, sizeof *seen);
    if (!seen) return -1;
    int w = 1;
    while (w <= n && reaches_root(heads, w, seen)) w++;
    mem_free(seen);
    return w <= n ? w : 0;
}

bool tree_heads_valid(const int *heads, int n, int *word, const char **what)
{
    int roots = 0;
    for (int i = 0; i < n; i++) {
        *word = i + 1;
        if (heads[i] < 0 || heads[i] > n) {
            *what = "a head out of range";
            return false;
        }
        if (heads[i] == i + 1) {
            *what = "a word that is its own head";
            return false;
        }
        if (heads[i] == 0 && ++roots > 1) {
            *what = "a second root";
            return false;
        }
    }
    int lost = first_lost(heads, n);
    if (lost) {
        *word = lost > 0 ? lost : 0;
        *what = lost > 0 ? "a cycle" : NULL;
        return false;
    }
    *word = 0;
    *what = "no root";
    return n == 0 || roots == 1;
}

/* The first phrase of several words from k on, n_phrases: none. */
static int next_wide(const Sentence *s, int k)
{
    while (k < s->n_phrases && s->phrases[k].end - s->phrases[k].begin < 2) k++;
    return k;
}

/* Are the labels of phrases from .. to - 1 among those of other ones, in the same order? */
static bool labels_within(const Sentence *a, int from, int to, const Sentence *b, int other, int end)
{
    for (; from < to && other < end; other++) from += strcmp(a->phrases[from].label, b->phrases[other].label) == 0;
    return from == to;
}

bool tree_same_but_unary(const Sentence *a, const Sentence *b)
{
    int i = next_wide(a, 0), j = next_wide(b, 0);
    while (i < a->n_phrases && j < b->n_phrases) {
        const Phrase *x = &a->phrases[i], *y = &b->phrases[j];
        int end = tree_chain(a, i), other_end = tree_chain(b, j);
        if (x->begin != y->begin || x->end != y->end) return false;
        if (!labels_within(a, i, end, b, j, other_end) && !labels_within(b, j, other_end, a, i, end)) return false;
        i = next_wide(a, end);
        j = next_wide(b, other_end);
    }
    return i == a->n_phrases && j == b->n_phrases;
}
