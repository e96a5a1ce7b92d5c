/* Pages: one machine of bytes, which knows tags, comments and elements that are left out, cuts the text into units and
 * says what is markup in it. */
#include <stdlib.h>

#include "language/markup/markup_internal.h"

enum { TAG_MOST = 1 << 16 }; /* bytes of a tag but for the values of its attributes */

/* Where the next byte is. From LESS to CDATA_OPEN nothing is decided: it may all be text. */
enum {
    TEXT,
    LESS,
    NAME,
    TAG,
    EQUALS,
    BARE_VALUE,
    VALUE,
    VALUE_END,
    BANG,
    DASH,
    DECLARATION,
    COMMENT,
    CDATA_OPEN,
    CDATA,
    INSIDE
};

/* What a byte shows: markup may begin here (BEGINS); what began is text (IS_TEXT); a quote before the first '>' was not
 * closed, and another one is open now (IS_BROKEN); the markup ends (ENDS). */
enum { NOTHING, BEGINS, IS_TEXT, IS_BROKEN, ENDS };

/* What an element is. */
enum { INLINE, BLOCK, LINE, LINES, LEFT_OUT, CODE };

typedef struct Element {
    const char *name;
    int is;
} Element;

/* By name. In pages, elements that are not here are inline, too. */
static const Element ELEMENTS[] = {
    { "a", INLINE },          { "abbr", INLINE },       { "acronym", INLINE }, { "address", BLOCK },
    { "article", BLOCK },     { "aside", BLOCK },       { "audio", INLINE },   { "b", INLINE },
    { "bdi", INLINE },        { "bdo", INLINE },        { "big", INLINE },     { "blockquote", BLOCK },
    { "body", BLOCK },        { "br", LINE },           { "button", BLOCK },   { "caption", BLOCK },
    { "center", BLOCK },      { "cite", INLINE },       { "code", INLINE },    { "data", INLINE },
    { "dd", BLOCK },          { "del", INLINE },        { "details", BLOCK },  { "dfn", INLINE },
    { "dialog", BLOCK },      { "dir", BLOCK },         { "div", BLOCK },      { "dl", BLOCK },
    { "dt", BLOCK },          { "em", INLINE },         { "embed", INLINE },   { "fieldset", BLOCK },
    { "figcaption", BLOCK },  { "figure", BLOCK },      { "font", INLINE },    { "footer", BLOCK },
    { "form", BLOCK },        { "h1", BLOCK },          { "h2", BLOCK },       { "h3", BLOCK },
    { "h4", BLOCK },          { "h5", BLOCK },          { "h6", BLOCK },       { "head", BLOCK },
    { "header", BLOCK },      { "hgroup", BLOCK },      { "hr", BLOCK },       { "html", BLOCK },
    { "i", INLINE },          { "iframe", LEFT_OUT },   { "img", INLINE },     { "input", INLINE },
    { "ins", INLINE },        { "kbd", INLINE },        { "label", INLINE },   { "legend", BLOCK },
    { "li", BLOCK },          { "link", INLINE },       { "listing", LINES },  { "main", BLOCK },
    { "map", INLINE },        { "mark", INLINE },       { "math", LEFT_OUT },  { "menu", BLOCK },
    { "meta", INLINE },       { "meter", INLINE },      { "nav", BLOCK },      { "noembed", LEFT_OUT },
    { "noframes", LEFT_OUT }, { "noscript", LEFT_OUT }, { "object", INLINE },  { "ol", BLOCK },
    { "optgroup", BLOCK },    { "option", BLOCK },      { "output", INLINE },  { "p", BLOCK },
    { "param", INLINE },      { "picture", INLINE },    { "pre", LINES },      { "progress", INLINE },
    { "q", INLINE },          { "rp", INLINE },         { "rt", INLINE },      { "ruby", INLINE },
    { "s", INLINE },          { "samp", INLINE },       { "script", CODE },    { "search", BLOCK },
    { "section", BLOCK },     { "select", BLOCK },      { "small", INLINE },   { "source", INLINE },
    { "span", INLINE },       { "strike", INLINE },     { "strong", INLINE },  { "style", CODE },
    { "sub", INLINE },        { "summary", BLOCK },     { "sup", INLINE },     { "svg", LEFT_OUT },
    { "table", BLOCK },       { "tbody", BLOCK },       { "td", BLOCK },       { "template", LEFT_OUT },
    { "textarea", BLOCK },    { "tfoot", BLOCK },       { "th", BLOCK },       { "thead", BLOCK },
    { "time", INLINE },       { "title", BLOCK },       { "tr", BLOCK },       { "track", INLINE },
    { "tt", INLINE },         { "u", INLINE },          { "ul", BLOCK },       { "var", INLINE },
    { "video", INLINE },      { "wbr", INLINE },
};

enum { N_ELEMENTS = sizeof ELEMENTS / sizeof *ELEMENTS, SIGNS = 128, KINDS = INSIDE + SIGNS + N_ELEMENTS };

static int compare(const void *name, const void *element) { return strcmp(name, ((const Element *)element)->name); }

static const Element *find(const CutState *s)
{
    return bsearch(s->name, ELEMENTS, N_ELEMENTS, sizeof *ELEMENTS, compare);
}

static int element_of(const CutState *s)
{
    const Element *found = find(s);
    return found ? found->is : INLINE;
}

/* Has a tag just ended that a paragraph ends with? */
static bool ends_paragraph(const CutState *s)
{
    int is = s->named && s->state == TEXT ? element_of(s) : INLINE;
    return is == BLOCK || is == LINES;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static void add_to_name(CutState *s, char c)
{
    if (s->named < (int)sizeof s->name - 1) s->name[s->named++] = lower(c);
}

static int begin(CutState *s)
{
    s->state = LESS;
    s->named = s->seen = 0;
    s->depth = 0;
    s->ends = false;
    memset(s->name, 0, sizeof s->name);
    return BEGINS;
}

/* What began is text; c may begin another one. The caller has seen the byte before it as text, too. */
static int give_up(CutState *s)
{
    s->state = TEXT;
    return IS_TEXT;
}

/* A tag ends; `seen`: its last byte was a slash. */
static int end_tag(CutState *s)
{
    int element = element_of(s);
    s->state = TEXT;
    if (element == LINES) s->before = !s->ends;
    if (element < LEFT_OUT || s->ends || s->seen) return ENDS;
    s->state = INSIDE;
    s->seen = 0;
    return NOTHING;
}

/* Inside of an element that is left out as a whole, up to </name and what cannot be in a name. */
static int step_inside(CutState *s, char c)
{
    int n = s->named + 2;
    if (s->seen == n && (markup_is_space(c) || c == '>' || c == '/')) {
        s->ends = true;
        s->state = TAG;
        return c == '>' ? end_tag(s) : NOTHING;
    }
    char expected = s->seen == 0 ? '<' : s->seen == 1 ? '/' : s->seen < n ? s->name[s->seen - 2] : '\0';
    s->seen = lower(c) == expected ? s->seen + 1 : c == '<';
    return NOTHING;
}

static int step_name(CutState *s, char c)
{
    if (markup_is_letter(c) || (s->named && (markup_is_digit(c) || c == '-' || c == ':'))) {
        add_to_name(s, c);
        return NOTHING;
    }
    if (!s->named || (!markup_is_space(c) && c != '/' && c != '>')) return give_up(s);
    s->state = TAG;
    s->seen = c == '/';
    return c == '>' ? end_tag(s) : NOTHING;
}

/* <!-- and <![CDATA[ and <!DOCTYPE */
static int step_bang(CutState *s, char c)
{
    static const char cdata[] = "[CDATA[";
    if (s->state == BANG) s->state = c == '-' ? DASH : c == '[' ? CDATA_OPEN : DECLARATION;
    else if (s->state == DASH) {
        s->state = c == '-' ? COMMENT : DECLARATION;
        s->seen = 2; /* <!--> is a comment */
        return NOTHING;
    }
    if (s->state == CDATA_OPEN) {
        if (c != cdata[s->seen]) s->state = DECLARATION;
        else if (!cdata[++s->seen]) {
            s->state = CDATA;
            s->seen = 0;
            return ENDS;
        }
    }
    if (s->state != DECLARATION || c != '>') return NOTHING;
    s->state = TEXT;
    return ENDS;
}

/* Counts the signs before what closes: --> ]]> ?> */
static int step_closing(CutState *s, char c, char sign, int n)
{
    if (c == '>' && s->seen >= n) {
        s->state = TEXT;
        return ENDS;
    }
    s->seen = c == sign ? s->seen + 1 : 0;
    return NOTHING;
}

static int step(CutState *s, char c)
{
    bool space = markup_is_space(c);
    switch (s->state) {
    case TEXT: return c == '<' ? begin(s) : NOTHING;
    case LESS:
        s->state = c == '!' ? BANG : c == '?' ? DECLARATION : NAME;
        s->sign = c;
        if (c == '/') s->ends = true;
        return s->state == NAME && c != '/' ? step_name(s, c) : NOTHING;
    case NAME: return step_name(s, c);
    case VALUE:
        s->ticks |= c == '>';
        if (c == s->sign) s->state = VALUE_END;
        return NOTHING;
    case VALUE_END:
        s->state = space || c == '>' || c == '/' || !s->ticks ? TAG : VALUE;
        if (s->state == VALUE) return IS_BROKEN;
        /* fall through */
    case TAG:
    case EQUALS:
    case BARE_VALUE:
        if (c == '>') return end_tag(s);
        if (c == '<' || ++s->depth > TAG_MOST) return give_up(s);
        s->seen = c == '/' && s->state == TAG;
        if (s->state == EQUALS && (c == '"' || c == '\'')) {
            s->sign = c;
            s->ticks = false;
            s->state = VALUE;
        } else if (s->state == EQUALS && !space) s->state = BARE_VALUE;
        else if (s->state == BARE_VALUE && space) s->state = TAG;
        else if (s->state == TAG && c == '=') s->state = EQUALS;
        return NOTHING;
    case DECLARATION:
        if (s->sign == '?') return step_closing(s, c, c == '/' ? '/' : '?', 1);
        /* fall through */
    case BANG:
    case DASH:
    case CDATA_OPEN: return step_bang(s, c);
    case COMMENT: return step_closing(s, c, '-', 2);
    case CDATA: return step_closing(s, c, ']', 2);
    default: return step_inside(s, c);
    }
}

size_t markup_html_cut(CutState *state, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int what = step(state, text[i]);
        if (what == IS_TEXT) what = step(state, text[i]);
        if (what == ENDS && ends_paragraph(state)) return i + 1;
    }
    return 0;
}

size_t markup_html_tag(StrView text, size_t i, char *breaks, bool *open)
{
    CutState s = { 0 };
    for (; i < text.len; i++) {
        int what = step(&s, text.ptr[i]);
        if (what == IS_TEXT || what == IS_BROKEN || s.state == CDATA) return 0;
        if (what != ENDS) continue;
        *breaks = ends_paragraph(&s) ? '\f' : strcmp(s.name, "br") == 0 ? '\n' : '\0';
        return !s.named || find(&s) ? i + 1 : 0;
    }
    *open = true;
    return 0;
}

/* ---- the text */

typedef struct Page {
    MarkupWriter *w;
    CutState *s;
    size_t open;          /* where what may be markup begins */
    bool before;          /* it begins before the block */
    bool no_close;        /* no '>' is left */
    bool unclosed[KINDS]; /* of kind_of: nothing of this kind ends */
} Page;

/* What closes the markup that the next byte is in: of what is open, a sign or an element. */
static int kind_of(const CutState *s)
{
    if (s->state == VALUE || s->state == DECLARATION) return INSIDE + (s->sign & (SIGNS - 1));
    return s->state == INSIDE ? INSIDE + SIGNS + (int)(find(s) - ELEMENTS) : s->state;
}

/* Markup ends before byte `to`. */
static void leave_out(Page *p, size_t to)
{
    markup_skip(p->w, p->open, to);
    p->before = false;
    if (ends_paragraph(p->s)) markup_break(p->w, to, '\f');
    else if (p->s->state == TEXT && strcmp(p->s->name, "br") == 0) markup_break(p->w, to, '\n');
}

/* What began at p->open ends with its first '>' or, if it is `all`, with the text; without a '>' it is text. Returns
 * where the text goes on. */
static size_t mend(Page *p, bool all)
{
    StrView text = p->w->text;
    const char *close = p->no_close || all ? NULL : memchr(text.ptr + p->open, '>', text.len - p->open);
    size_t to = all ? text.len : close ? (size_t)(close - text.ptr) + 1 : p->open;
    p->no_close |= !close && !all;
    p->s->state = TEXT;
    if (to > p->open) leave_out(p, to);
    return to > p->open ? to : p->open + 1;
}

/* The same for what is not closed at all: code ends with the text. */
static size_t mend_rest(Page *p)
{
    p->unclosed[kind_of(p->s)] = true;
    return mend(p, p->before || (p->s->state == INSIDE && element_of(p->s) == CODE));
}

/* Where text that began as markup at p->open goes on; byte i shows that it is text. */
static size_t take_back(Page *p, size_t i)
{
    if (!p->before) return p->open + 1;
    leave_out(p, i);
    return i;
}

void markup_html_read(MarkupWriter *writer)
{
    Page p = { .w = writer, .s = &writer->to->state };
    CutState *s = p.s;
    StrView text = writer->text;
    p.before = s->state != TEXT && s->state != CDATA;
    for (size_t i = 0; i < text.len || (writer->o.ends && s->state != TEXT && s->state != CDATA);) {
        int was = s->state;
        if (was > LESS && was != CDATA && (i == text.len || p.unclosed[kind_of(s)])) {
            i = mend_rest(&p);
            continue;
        }
        int what = i < text.len ? step(s, text.ptr[i]) : give_up(s);
        if (what == IS_TEXT || (what == IS_BROKEN && !p.before)) {
            i = what == IS_TEXT ? take_back(&p, i) : mend(&p, false);
            continue;
        }
        bool plain = what == NOTHING && (was == TEXT || was == CDATA);
        if (what == BEGINS) p.open = i;
        if (what == ENDS && was == CDATA) p.open = i > 2 ? i - 2 : 0;
        if (what == ENDS) leave_out(&p, i + 1);
        if (plain && was == TEXT && text.ptr[i] == '&') {
            i = markup_entity(writer, i, CUT_SIGN);
            continue;
        }
        if (plain && !s->before && (text.ptr[i] == '\n' || text.ptr[i] == '\f')) markup_blank(writer, i);
        i++;
    }
    if (s->state != TEXT && s->state != CDATA) markup_skip(writer, p.before ? 0 : p.open, text.len);
}
