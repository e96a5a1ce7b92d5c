/* Markdown and quoted mail: paragraphs line by line, then signs within a line. */
#include "language/markup/markup_internal.h"

enum {
    PAIR_MOST = 1000, /* bytes between the signs of a pair */
    SIGNS_AUTO = 4,   /* of next_sign */
    SIGNS = 8,
    CODE_INDENT = 4 /* columns before code, more than before the text of an item */
};

typedef struct Unclosed { /* no line before byte `until` closes code that n signs or more begin */
    size_t n, until;
} Unclosed;

typedef struct Reader {
    MarkupWriter *w;
    StrView text;
    bool all;                  /* MARKUP_MARKDOWN */
    bool lines;                /* a line is a paragraph */
    bool soft;                 /* a line break is a blank */
    size_t paragraph;          /* where the paragraph ends */
    int quote;                 /* signs of quotation before the last line */
    bool quotes;               /* the paragraph has quoted lines */
    long item;                 /* the column in which the text of the last item begins; 0: none */
    size_t bold, italic, link; /* where the closing sign of an open pair stands; 0: none */
    size_t link_end;           /* of its address */
    size_t no_tag_end;         /* the end of a paragraph in whose rest no tag or comment ends */
    Unclosed unclosed[2];      /* of ` and ~ */
    size_t next[SIGNS]; /* where the next of the signs of next_sign stands; before the place of the reader: unknown */
} Reader;

/* ---- what is left out */

/* Leaves out bytes [from, to), but for their line breaks where these count. */
static void leave_out(Reader *r, size_t from, size_t to)
{
    StrView part = { r->text.ptr, to };
    if (r->soft) markup_skip(r->w, from, to);
    else
        for (size_t end; from < to; from = end + 1) {
            end = markup_line_end(part, from);
            markup_skip(r->w, from, end);
        }
}

static void end_paragraph(Reader *r, size_t at) { markup_break(r->w, at, '\f'); }

/* ---- lines */

static char at(const Reader *r, size_t i) { return markup_at(r->text, i); }
static bool is_word(char c) { return markup_is_letter(c) || markup_is_digit(c) || (unsigned char)c >= 128; }
static size_t line_end(const Reader *r, size_t i) { return markup_line_end(r->text, i); }

static size_t skip_blanks(const Reader *r, size_t i)
{
    while (markup_is_blank(at(r, i))) i++;
    return i;
}

/* The end of a run of c that begins at byte i. */
static size_t run_end(const Reader *r, size_t i, char c)
{
    while (i < r->text.len && r->text.ptr[i] == c) i++;
    return i;
}

static bool is_empty(const Reader *r, size_t i) { return at(r, skip_blanks(r, i)) == '\n'; }

/* The length of the fence of code that begins with the line at byte i, after blanks; 0: none. */
static size_t fence(const Reader *r, size_t i, bool closes)
{
    size_t begin = skip_blanks(r, i), end;
    char c = at(r, begin);
    if (c != '`' && c != '~') return 0;
    end = run_end(r, begin, c);
    if (end - begin < 3) return 0;
    if (closes ? !is_empty(r, end) : memchr(r->text.ptr + end, '`', line_end(r, end) - end) != NULL) return 0;
    return end - begin;
}

/* Where the paragraph that begins at byte i ends: at the beginning of an empty line, or at the end of the text. */
static size_t paragraph_end(const Reader *r, size_t i)
{
    for (;;) {
        i = line_end(r, i);
        if (i >= r->text.len || r->lines) return i;
        if (is_empty(r, ++i) || fence(r, i, false)) return i;
    }
}

/* The end of the code that begins with the line at byte i; 0: none. */
static size_t code_end(Reader *r, size_t i)
{
    size_t n = r->lines ? 0 : fence(r, i, false);
    char c = at(r, skip_blanks(r, i));
    size_t most = r->text.len - i < STREAM_FENCED_MOST ? r->text.len : i + STREAM_FENCED_MOST, k = line_end(r, i);
    if (!n) return 0;
    Unclosed *known = &r->unclosed[c == '~'];
    if (n >= known->n && k < known->until) k = known->until;
    for (; k++ < most; k = line_end(r, k))
        if (fence(r, k, true) >= n && at(r, skip_blanks(r, k)) == c) return line_end(r, k);
    *known = (Unclosed){ n, k - 1 };
    return 0;
}

/* Is the line at byte i like |---|:--:|, with a bar? */
static bool is_delimiter_row(const Reader *r, size_t i)
{
    int bars = 0, dashes = 0;
    for (; at(r, i) != '\n'; i++) {
        char c = at(r, i);
        bars += c == '|';
        dashes += c == '-';
        if (c != '|' && c != '-' && c != ':' && !markup_is_blank(c)) return false;
    }
    return bars > 0 && dashes > 1;
}

/* The end of the table that begins with the line at byte i; 0: none. */
static size_t table_end(const Reader *r, size_t i)
{
    size_t end = line_end(r, i), next = end + 1;
    if (next >= r->paragraph || !memchr(r->text.ptr + i, '|', end - i) || !is_delimiter_row(r, next)) return 0;
    for (end = line_end(r, next); end + 1 < r->paragraph; end = next) {
        next = line_end(r, end + 1);
        if (!memchr(r->text.ptr + end, '|', next - end)) break;
    }
    return end;
}

/* The end of the signs of quotation at byte i, and their number. */
static size_t quote_end(const Reader *r, size_t i, int *depth)
{
    size_t end = i;
    *depth = 0;
    for (; at(r, skip_blanks(r, i)) == '>'; end = i) {
        i = skip_blanks(r, i) + 1;
        ++*depth;
    }
    return end;
}

/* Is a line of the paragraph at byte i quoted? Only by one sign with a blank after it, unlike speakers (>>). */
static bool has_quotes(const Reader *r, size_t i)
{
    for (; i < r->paragraph; i = line_end(r, i) + 1)
        if (at(r, i) == '>' && (markup_is_blank(at(r, i + 1)) || at(r, i + 1) == '\n') &&
            at(r, skip_blanks(r, i + 1)) != '>')
            return true;
    return false;
}

/* Leaves out the signs of quotation before the line at byte i; returns where the line goes on. */
static size_t take_quote(Reader *r, size_t i)
{
    int depth = 0;
    size_t end = r->quotes ? quote_end(r, i, &depth) : i;
    if (depth != r->quote) end_paragraph(r, i);
    if (end > i) leave_out(r, i, end);
    r->quote = depth;
    return end;
}

/* A heading: its signs are left out, before it and after it. Returns where the line goes on, i: no heading. */
static size_t take_heading(Reader *r, size_t i)
{
    size_t begin = skip_blanks(r, i), text = run_end(r, begin, '#');
    if (text == begin || text > begin + 6 || !markup_is_blank(at(r, text)) || is_empty(r, text)) return i;
    end_paragraph(r, i);
    text = skip_blanks(r, text);
    leave_out(r, begin, text);
    return text;
}

/* Ends a heading at byte `end`; # that end it are left out. */
static void end_heading(Reader *r, size_t end)
{
    size_t last = end, first;
    while (last > r->w->copied && markup_is_blank(at(r, last - 1))) last--;
    for (first = last; first > r->w->copied && at(r, first - 1) == '#';) first--;
    if (first < last && first > r->w->copied && markup_is_blank(at(r, first - 1))) leave_out(r, first, last);
    end_paragraph(r, end);
}

/* The end of [name]: at byte i; 0: it does not stand there. */
static size_t label_end(const Reader *r, size_t i)
{
    size_t end = line_end(r, i);
    const char *close = at(r, i) == '[' ? memchr(r->text.ptr + i, ']', end - i) : NULL;
    if (!close || close + 1 >= r->text.ptr + end || close[1] != ':' || close < r->text.ptr + i + 2) return 0;
    return (size_t)(close - r->text.ptr) + 2;
}

/* Is the line at byte i a definition, [name]: address "title"? */
static bool is_definition(const Reader *r, size_t i)
{
    size_t begin = skip_blanks(r, i), label = label_end(r, begin);
    if (!label || at(r, begin + 1) == '^') return false;
    size_t address = skip_blanks(r, label), end = address;
    while (!markup_is_space(at(r, end))) end++;
    char next = at(r, skip_blanks(r, end));
    return end > address && strchr("\n\"'(", next);
}

/* Does the line at byte i say how its paragraph looks: === --- *** ___? */
static bool is_sign_line(const Reader *r, size_t i)
{
    size_t begin = skip_blanks(r, i), end = line_end(r, i);
    char c = at(r, begin);
    int signs = 0;
    if (c != '=' && c != '-' && c != '*' && c != '_') return false;
    for (; begin < end && (at(r, begin) == c || markup_is_blank(at(r, begin))); begin++) signs += at(r, begin) == c;
    return begin == end && (signs > 2 || (c == '=' && signs > 0));
}

/* The column of byte i in the line that begins at byte `line`, where only blanks count. */
static long column(const Reader *r, size_t line, size_t i)
{
    long columns = 0;
    for (; line < i; line++) columns += at(r, line) == '\t' ? CODE_INDENT - columns % CODE_INDENT : 1;
    return columns;
}

/* The end of the code that begins with the line at byte i, by its indent; 0: none. */
static size_t indented_end(const Reader *r, size_t i)
{
    size_t end = 0;
    for (; i < r->paragraph; i = end + 1) {
        size_t begin = skip_blanks(r, i);
        if (at(r, begin) == '\n' || column(r, i, begin) < r->item + CODE_INDENT) break;
        end = line_end(r, i);
    }
    return end;
}

/* Where text begins after the number of an item, 1. or 1), at byte i; 0: none. */
static size_t number_end(const Reader *r, size_t i)
{
    size_t end = i;
    while (markup_is_digit(at(r, end))) end++;
    bool ends = end > i && end < i + 10 && (at(r, end) == '.' || at(r, end) == ')') && markup_is_blank(at(r, end + 1));
    return ends ? skip_blanks(r, end + 1) : 0;
}

/* The sign of an item, and the box after it. Returns where the line goes on. */
static size_t take_item(Reader *r, size_t i)
{
    size_t begin = skip_blanks(r, i), text = begin + 1, numbered = number_end(r, begin);
    char c = at(r, begin);
    if (numbered && (r->item || (c == '1' && !markup_is_digit(at(r, text))))) end_paragraph(r, begin);
    if (numbered) r->item = column(r, i, numbered);
    if ((c != '-' && c != '*' && c != '+') || !markup_is_blank(at(r, text))) return i;
    r->item = column(r, i, skip_blanks(r, text));
    text = skip_blanks(r, text);
    if (at(r, text) == '[' && strchr(" xX", at(r, text + 1)) && at(r, text + 2) == ']' &&
        markup_is_blank(at(r, text + 3)))
        text = skip_blanks(r, text + 3);
    end_paragraph(r, begin);
    leave_out(r, begin, text);
    return text;
}

/* ---- within lines */

/* Where the sign of n bytes c that closes what opens before byte i stands: after text, and not before a letter; 0:
 * nowhere in the paragraph. */
static size_t closing(const Reader *r, size_t i, char c, size_t n)
{
    size_t most = i + PAIR_MOST < r->paragraph ? i + PAIR_MOST : r->paragraph;
    for (size_t k = i + 1; k < most; k++) {
        if (r->text.ptr[k] != c) continue;
        size_t end = run_end(r, k, c);
        if (end - k == n && !markup_is_space(at(r, k - 1)) && !is_word(at(r, end))) return k;
        k = end - 1;
    }
    return 0;
}

/* May a pair open with n signs at byte i? Before text, after white space or a mark. */
static bool opens(const Reader *r, size_t i, size_t n)
{
    char before = i ? at(r, i - 1) : ' ', after = at(r, i + n);
    return !is_word(before) && before != '\\' && !markup_is_space(after) && after != at(r, i);
}

/* Code between ticks: they are left out, what is between them stays as it is. */
static size_t take_ticks(Reader *r, size_t i)
{
    size_t end = run_end(r, i, '`'), n = end - i, close = opens(r, i, n) ? closing(r, end, '`', n) : 0;
    if (!close) return end;
    leave_out(r, i, end);
    leave_out(r, close, close + n);
    return close + n;
}

/* Stars, lines or tildes around text. */
static size_t take_emphasis(Reader *r, size_t i)
{
    char c = at(r, i);
    size_t end = run_end(r, i, c), n = end - i, *open = n == 1 ? &r->italic : &r->bold;
    bool known = n == 2 ? c == '*' || r->all : r->all && n < 4 && c != '~';
    if (i == *open && i) *open = 0;
    else if (known && !*open && opens(r, i, n)) known = (*open = closing(r, end, c, n)) > 0;
    else known = false;
    if (known) leave_out(r, i, end);
    return end;
}

/* The end of (address) at byte i, or of [name] where it may be one; 0: none. */
static size_t address_end(const Reader *r, size_t i, bool name)
{
    name &= at(r, i) == '[';
    if (at(r, i) != '(' && !name) return 0;
    size_t k = i + 1;
    int depth = 1;
    size_t most = i + PAIR_MOST < r->paragraph ? i + PAIR_MOST : r->paragraph;
    for (; k < most && !(markup_is_space(at(r, k)) && !name); k++) {
        depth += at(r, k) == '(' ? 1 : at(r, k) == ')' ? -1 : 0;
        if (name ? at(r, k) == ']' : depth == 0) return k > i + 1 || name ? k + 1 : 0;
    }
    if (at(r, k) != ' ' || (at(r, k + 1) != '"' && at(r, k + 1) != '\'')) return 0; /* a title */
    const char *close = k < most ? memchr(r->text.ptr + k, ')', most - k) : NULL;
    return close && close[-1] == at(r, k + 1) ? (size_t)(close - r->text.ptr) + 1 : 0;
}

/* [text](address) and ![text](address), also as the text of a link: returns where the text goes on, i + 1: no link. */
static size_t take_link(Reader *r, size_t i)
{
    bool image = i && at(r, i - 1) == '!', named = r->all || image || markup_has(r->text, i, "[![");
    int depth = 0;
    size_t most = i + PAIR_MOST < r->paragraph ? i + PAIR_MOST : r->paragraph, k = i;
    for (; k < most; k++) {
        depth += at(r, k) == '[' ? 1 : at(r, k) == ']' ? -1 : 0;
        if (depth == 0) break;
    }
    size_t end = k < most ? address_end(r, k + 1, named) : 0;
    if (r->all && k < most && at(r, i + 1) == '^' && !end) { /* of a footnote */
        end = at(r, k + 1) == ':' ? k + 2 : k + 1;
        leave_out(r, i, end);
        return end;
    }
    if (image && end) {
        leave_out(r, i - 1, end);
        return end;
    }
    if (!end || k == i + 1 || r->link > i) return i + 1;
    leave_out(r, i, i + 1);
    r->link = k;
    r->link_end = end;
    return i + 1;
}

/* A tag or a comment of a page. */
static size_t take_tag(Reader *r, size_t i)
{
    char breaks = 0;
    bool open = false;
    StrView paragraph = { r->text.ptr, r->paragraph };
    size_t end = r->no_tag_end == r->paragraph ? 0 : markup_html_tag(paragraph, i, &breaks, &open);
    if (open) r->no_tag_end = r->paragraph;
    if (!end) return i + 1;
    leave_out(r, i, end);
    if (breaks) markup_break(r->w, end, breaks);
    return end;
}

/* Reads what may be markup at byte i; returns where the text goes on. */
static size_t take_sign(Reader *r, size_t i)
{
    char c = at(r, i);
    if (c == '`') return take_ticks(r, i);
    if (c == '*' || ((c == '_' || c == '~') && r->all)) return take_emphasis(r, i);
    if (c == ']' && i == r->link) {
        leave_out(r, i, r->link_end);
        r->link = 0;
        return r->link_end;
    }
    if (c == '[') return take_link(r, i);
    if (c == '&') return markup_entity(r->w, i, r->all ? CUT_SIGN : CUT_RAW);
    if (!r->all) return i + 1;
    if (c == '<') return take_tag(r, i);
    if (c != '\\' || is_word(at(r, i + 1)) || markup_is_space(at(r, i + 1))) return i + 1;
    leave_out(r, i, i + 1);
    return i + 2;
}

/* The next byte from i on that may be markup within a line. */
static size_t next_sign(Reader *r, size_t i)
{
    static const char signs[] = "*`[&_~<\\";
    size_t first = r->link && r->link >= i ? r->link : r->text.len;
    for (int k = 0; k < (r->all ? SIGNS : SIGNS_AUTO); k++) {
        if (r->next[k] < i || !r->next[k]) {
            const char *found = memchr(r->text.ptr + i, signs[k], r->text.len - i);
            r->next[k] = found ? (size_t)(found - r->text.ptr) : r->text.len;
        }
        if (r->next[k] < first) first = r->next[k];
    }
    return first;
}

/* Reads the rest of a line, from byte i on; returns its end, or a later byte up to which the text has been read. */
static size_t take_rest(Reader *r, size_t i)
{
    size_t end = line_end(r, i);
    for (size_t sign; i < end && (sign = next_sign(r, i)) < end;) i = take_sign(r, sign);
    return i > end ? i : end;
}

static void begin_paragraph(Reader *r, size_t i)
{
    r->paragraph = paragraph_end(r, i);
    r->quotes = has_quotes(r, i);
    r->bold = r->italic = r->link = 0;
}

/* The end of the lines from byte i on, with which a paragraph begins, that are code by their indent; 0: none. */
static size_t take_indent(Reader *r, size_t i)
{
    if (!r->soft) return 0;
    size_t code = indented_end(r, i);
    long indent = column(r, i, skip_blanks(r, i));
    if (code) r->paragraph = code;
    else if (indent < r->item) r->item = indent;
    return code;
}

/* The line break at byte i is a blank within a paragraph, but not after two blanks or a backslash. */
static void take_break(Reader *r, size_t i)
{
    if (!r->soft || i + 1 >= r->paragraph || i <= r->w->copied) return;
    if (at(r, i - 1) == '\\') leave_out(r, i - 1, i);
    else if (i < 2 || at(r, i - 1) != ' ' || at(r, i - 2) != ' ') markup_blank(r->w, i);
}

/* Reads the line at byte i; returns its end. */
static size_t take_line(Reader *r, size_t i)
{
    size_t end = code_end(r, i);
    if (i >= r->paragraph && is_empty(r, i)) return line_end(r, i);
    if (!end) {
        bool begins = i >= r->paragraph;
        if (begins) begin_paragraph(r, i);
        end = begins ? take_indent(r, i) : 0;
    }
    if (!end) {
        i = take_quote(r, i);
        end = table_end(r, i);
        if (!end && r->all && (is_sign_line(r, i) || is_definition(r, i))) end = line_end(r, i);
    }
    if (end) {
        end_paragraph(r, i);
        leave_out(r, i, end);
        end_paragraph(r, end);
        return end;
    }
    size_t heading = take_heading(r, i);
    bool is_heading = heading > i;
    if (is_heading) r->item = 0;
    i = is_heading ? heading : r->all ? take_item(r, i) : i;
    end = take_rest(r, i);
    if (is_heading) end_heading(r, end);
    return end;
}

void markup_markdown_read(MarkupWriter *writer)
{
    StrView text = writer->text;
    Reader r = { .w = writer, .all = writer->o.kind == MARKUP_MARKDOWN, .lines = writer->o.lines };
    r.soft = r.all && !r.lines;
    r.item = writer->to->state.depth;
    for (size_t i = 0, end; i < text.len && !writer->failed; i = end + 1) {
        const char *feed = memchr(text.ptr + i, '\f', text.len - i);
        end = feed ? (size_t)(feed - text.ptr) : text.len;
        r.text = (StrView){ text.ptr, end };
        r.paragraph = i;
        r.quote = 0;
        for (; i < end && !writer->failed; i++) {
            i = take_line(&r, i);
            if (i < end) take_break(&r, i);
        }
    }
    writer->to->state.depth = r.item;
}
