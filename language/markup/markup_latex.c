/* LaTeX: commands by a table; arguments are found by their braces, environments by their names. */
#include <stdlib.h>
#include <utf8proc.h>

#include "language/markup/entity.h"
#include "language/markup/markup_internal.h"

/* Stands for a formula while sentences are found: a letter that is neither a capital, and so an initial, nor small. */
#define NAME "\u05d0"

/* Bytes: the longest argument and formula that is found, and the longest formula within a line. */
enum { GROUP_MOST = 1 << 12, FORMULA_MOST = 1 << 10, NAME_MOST = sizeof((CutState *)0)->name };

/* What a command is. */
enum {
    UNKNOWN,
    SIGN,       /* prints `sign` */
    LETTER,     /* so, and blanks after it end its name */
    ACCENT,     /* puts `sign` onto the letter after it */
    ARGUMENTS,  /* left out with its n arguments */
    DEFINITION, /* left out up to the end of the first argument in braces */
    HEADING,    /* its argument is a paragraph */
    ITEM,
    PARAGRAPH,
    NEW_LINE,
    BLANK,
    BEGIN,
    END,
    VERBATIM, /* what stands between two of the same signs is text */
    ADDRESS,  /* what stands between braces is text */
    DOCUMENT  /* begins what is left out up to \begin{document} */
};

typedef struct Command {
    const char *name;
    int is, n;
    const char *sign;
} Command;

/* By name. */
/* clang-format off */
static const Command COMMANDS[] = {
    { "AA", LETTER, 0, "\u00c5" }, { "AE", LETTER, 0, "\u00c6" }, { "BibTeX", SIGN, 0, "BibTeX" },
    { "Citep", ARGUMENTS, 1, NULL }, { "Citet", ARGUMENTS, 1, NULL }, { "Cref", ARGUMENTS, 1, NULL },
    { "DeclareMathOperator", ARGUMENTS, 2, NULL }, { "EUR", SIGN, 0, "\u20ac" }, { "H", ACCENT, 0, "\u030b" },
    { "L", LETTER, 0, "\u0141" }, { "LaTeX", SIGN, 0, "LaTeX" }, { "LaTeXe", SIGN, 0, "LaTeX2e" },
    { "O", LETTER, 0, "\u00d8" }, { "OE", LETTER, 0, "\u0152" }, { "P", SIGN, 0, "\u00b6" },
    { "RequirePackage", ARGUMENTS, 1, NULL }, { "S", SIGN, 0, "\u00a7" }, { "TeX", SIGN, 0, "TeX" },
    { "aa", LETTER, 0, "\u00e5" }, { "addbibresource", ARGUMENTS, 1, NULL }, { "addcontentsline", ARGUMENTS, 3, NULL },
    { "addtocounter", ARGUMENTS, 2, NULL }, { "addtolength", ARGUMENTS, 2, NULL }, { "ae", LETTER, 0, "\u00e6" },
    { "and", PARAGRAPH, 0, NULL }, { "approx", SIGN, 0, "\u2248" }, { "ast", SIGN, 0, "*" },
    { "author", HEADING, 0, NULL }, { "autocite", ARGUMENTS, 1, NULL }, { "autoref", ARGUMENTS, 1, NULL },
    { "b", ACCENT, 0, "\u0331" }, { "begin", BEGIN, 0, NULL }, { "bibitem", ITEM, 0, NULL },
    { "bibliography", ARGUMENTS, 1, NULL }, { "bibliographystyle", ARGUMENTS, 1, NULL },
    { "bigskip", PARAGRAPH, 0, NULL }, { "c", ACCENT, 0, "\u0327" }, { "caption", HEADING, 0, NULL },
    { "captionsetup", ARGUMENTS, 1, NULL }, { "cdot", SIGN, 0, "\u00b7" }, { "chapter", HEADING, 0, NULL },
    { "circ", SIGN, 0, "\u00b0" }, { "cite", ARGUMENTS, 1, NULL }, { "citealp", ARGUMENTS, 1, NULL },
    { "citealt", ARGUMENTS, 1, NULL }, { "citeauthor", ARGUMENTS, 1, NULL }, { "citep", ARGUMENTS, 1, NULL },
    { "citet", ARGUMENTS, 1, NULL }, { "citeyear", ARGUMENTS, 1, NULL }, { "citeyearpar", ARGUMENTS, 1, NULL },
    { "cleardoublepage", PARAGRAPH, 0, NULL }, { "clearpage", PARAGRAPH, 0, NULL }, { "color", ARGUMENTS, 1, NULL },
    { "colorbox", ARGUMENTS, 1, NULL }, { "copyright", SIGN, 0, "\u00a9" }, { "cref", ARGUMENTS, 1, NULL },
    { "d", ACCENT, 0, "\u0323" }, { "dag", SIGN, 0, "\u2020" }, { "date", HEADING, 0, NULL },
    { "ddag", SIGN, 0, "\u2021" }, { "def", DEFINITION, 0, NULL }, { "definecolor", ARGUMENTS, 2, NULL },
    { "degree", SIGN, 0, "\u00b0" }, { "dh", LETTER, 0, "\u00f0" }, { "dj", LETTER, 0, "\u0111" },
    { "documentclass", DOCUMENT, 0, NULL }, { "documentstyle", DOCUMENT, 0, NULL }, { "dots", SIGN, 0, "\u2026" },
    { "edef", DEFINITION, 0, NULL }, { "end", END, 0, NULL }, { "endnote", ARGUMENTS, 1, NULL },
    { "enspace", BLANK, 0, NULL }, { "eqref", ARGUMENTS, 1, NULL }, { "euro", SIGN, 0, "\u20ac" },
    { "fcolorbox", ARGUMENTS, 2, NULL }, { "fontfamily", ARGUMENTS, 1, NULL }, { "fontsize", ARGUMENTS, 2, NULL },
    { "footcite", ARGUMENTS, 1, NULL }, { "footnote", ARGUMENTS, 1, NULL }, { "footnotetext", ARGUMENTS, 1, NULL },
    { "foreignlanguage", ARGUMENTS, 1, NULL }, { "framesubtitle", HEADING, 0, NULL },
    { "frametitle", HEADING, 0, NULL }, { "gdef", DEFINITION, 0, NULL }, { "geq", SIGN, 0, "\u2265" },
    { "gg", SIGN, 0, "\u226b" }, { "glossary", ARGUMENTS, 1, NULL }, { "graphicspath", ARGUMENTS, 1, NULL },
    { "guillemotleft", SIGN, 0, "\u00ab" }, { "guillemotright", SIGN, 0, "\u00bb" }, { "hfil", BLANK, 0, NULL },
    { "hfill", BLANK, 0, NULL }, { "hline", PARAGRAPH, 0, NULL }, { "hphantom", ARGUMENTS, 1, NULL },
    { "href", ARGUMENTS, 1, NULL }, { "hrule", PARAGRAPH, 0, NULL }, { "hskip", ARGUMENTS, 1, NULL },
    { "hspace", ARGUMENTS, 1, NULL }, { "hyperref", ARGUMENTS, 1, NULL }, { "hypersetup", ARGUMENTS, 1, NULL },
    { "hypertarget", ARGUMENTS, 1, NULL }, { "hyphenation", ARGUMENTS, 1, NULL }, { "i", LETTER, 0, "\u0131" },
    { "include", ARGUMENTS, 1, NULL }, { "includegraphics", ARGUMENTS, 1, NULL }, { "indent", BLANK, 0, NULL },
    { "index", ARGUMENTS, 1, NULL }, { "infty", SIGN, 0, "\u221e" }, { "input", ARGUMENTS, 1, NULL },
    { "item", ITEM, 0, NULL }, { "j", LETTER, 0, "\u0237" }, { "k", ACCENT, 0, "\u0328" },
    { "l", LETTER, 0, "\u0142" }, { "label", ARGUMENTS, 1, NULL }, { "lbrack", SIGN, 0, "[" },
    { "ldots", SIGN, 0, "\u2026" }, { "leftarrow", SIGN, 0, "\u2190" }, { "leq", SIGN, 0, "\u2264" },
    { "let", DEFINITION, 0, NULL }, { "linebreak", NEW_LINE, 0, NULL }, { "linespread", ARGUMENTS, 1, NULL },
    { "ll", SIGN, 0, "\u226a" }, { "lq", SIGN, 0, "\u2018" }, { "lstinline", VERBATIM, 0, NULL },
    { "lstset", ARGUMENTS, 1, NULL }, { "maketitle", PARAGRAPH, 0, NULL }, { "marginpar", ARGUMENTS, 1, NULL },
    { "markboth", ARGUMENTS, 2, NULL }, { "medskip", PARAGRAPH, 0, NULL }, { "mid", SIGN, 0, "|" },
    { "mintinline", VERBATIM, 0, NULL }, { "multirow", ARGUMENTS, 2, NULL }, { "nameref", ARGUMENTS, 1, NULL },
    { "neq", SIGN, 0, "\u2260" }, { "newcommand", ARGUMENTS, 2, NULL }, { "newcounter", ARGUMENTS, 1, NULL },
    { "newenvironment", ARGUMENTS, 3, NULL }, { "newline", NEW_LINE, 0, NULL }, { "newpage", PARAGRAPH, 0, NULL },
    { "newtheorem", ARGUMENTS, 2, NULL }, { "ng", LETTER, 0, "\u014b" }, { "nocite", ARGUMENTS, 1, NULL },
    { "nolinkurl", ADDRESS, 0, NULL }, { "o", LETTER, 0, "\u00f8" }, { "oe", LETTER, 0, "\u0153" },
    { "pagebreak", PARAGRAPH, 0, NULL }, { "pagenumbering", ARGUMENTS, 1, NULL }, { "pageref", ARGUMENTS, 1, NULL },
    { "pagestyle", ARGUMENTS, 1, NULL }, { "par", PARAGRAPH, 0, NULL }, { "paragraph", HEADING, 0, NULL },
    { "parbox", ARGUMENTS, 1, NULL }, { "parencite", ARGUMENTS, 1, NULL }, { "part", HEADING, 0, NULL },
    { "path", ADDRESS, 0, NULL }, { "phantom", ARGUMENTS, 1, NULL }, { "pm", SIGN, 0, "\u00b1" },
    { "pounds", SIGN, 0, "\u00a3" }, { "providecommand", ARGUMENTS, 2, NULL }, { "qquad", BLANK, 0, NULL },
    { "quad", BLANK, 0, NULL }, { "r", ACCENT, 0, "\u030a" }, { "raisebox", ARGUMENTS, 1, NULL },
    { "rbrack", SIGN, 0, "]" }, { "ref", ARGUMENTS, 1, NULL }, { "refstepcounter", ARGUMENTS, 1, NULL },
    { "renewcommand", ARGUMENTS, 2, NULL }, { "renewenvironment", ARGUMENTS, 3, NULL },
    { "resizebox", ARGUMENTS, 2, NULL }, { "rightarrow", SIGN, 0, "\u2192" }, { "rq", SIGN, 0, "\u2019" },
    { "rule", ARGUMENTS, 2, NULL }, { "scalebox", ARGUMENTS, 1, NULL }, { "section", HEADING, 0, NULL },
    { "selectlanguage", ARGUMENTS, 1, NULL }, { "setcounter", ARGUMENTS, 2, NULL },
    { "setlength", ARGUMENTS, 2, NULL }, { "sim", SIGN, 0, "~" }, { "slash", SIGN, 0, "/" },
    { "smallskip", PARAGRAPH, 0, NULL }, { "space", BLANK, 0, NULL }, { "ss", LETTER, 0, "\u00df" },
    { "star", SIGN, 0, "*" }, { "stepcounter", ARGUMENTS, 1, NULL }, { "subparagraph", HEADING, 0, NULL },
    { "subsection", HEADING, 0, NULL }, { "subsubsection", HEADING, 0, NULL }, { "subtitle", HEADING, 0, NULL },
    { "tab", BLANK, 0, NULL }, { "tableofcontents", PARAGRAPH, 0, NULL }, { "tabularnewline", NEW_LINE, 0, NULL },
    { "textasciicircum", SIGN, 0, "^" }, { "textasciitilde", SIGN, 0, "~" }, { "textbackslash", SIGN, 0, "\\" },
    { "textbar", SIGN, 0, "|" }, { "textbullet", SIGN, 0, "\u2022" }, { "textcite", ARGUMENTS, 1, NULL },
    { "textcolor", ARGUMENTS, 1, NULL }, { "textdegree", SIGN, 0, "\u00b0" }, { "textdollar", SIGN, 0, "$" },
    { "textellipsis", SIGN, 0, "\u2026" }, { "textemdash", SIGN, 0, "\u2014" }, { "textendash", SIGN, 0, "\u2013" },
    { "texteuro", SIGN, 0, "\u20ac" }, { "textgreater", SIGN, 0, ">" }, { "textless", SIGN, 0, "<" },
    { "textperiodcentered", SIGN, 0, "\u00b7" }, { "textquotedbl", SIGN, 0, "\"" },
    { "textquotedblleft", SIGN, 0, "\u201c" }, { "textquotedblright", SIGN, 0, "\u201d" },
    { "textquoteleft", SIGN, 0, "\u2018" }, { "textquoteright", SIGN, 0, "\u2019" },
    { "textquotesingle", SIGN, 0, "'" }, { "textregistered", SIGN, 0, "\u00ae" }, { "textsection", SIGN, 0, "\u00a7" },
    { "texttrademark", SIGN, 0, "\u2122" }, { "textunderscore", SIGN, 0, "_" }, { "th", LETTER, 0, "\u00fe" },
    { "thanks", ARGUMENTS, 1, NULL }, { "theoremstyle", ARGUMENTS, 1, NULL }, { "thinspace", BLANK, 0, NULL },
    { "thispagestyle", ARGUMENTS, 1, NULL }, { "title", HEADING, 0, NULL }, { "to", SIGN, 0, "\u2192" },
    { "todo", ARGUMENTS, 1, NULL }, { "u", ACCENT, 0, "\u0306" }, { "url", ADDRESS, 0, NULL },
    { "usepackage", ARGUMENTS, 1, NULL }, { "usetikzlibrary", ARGUMENTS, 1, NULL }, { "v", ACCENT, 0, "\u030c" },
    { "varepsilon", SIGN, 0, "\u03b5" }, { "varphi", SIGN, 0, "\u03c6" }, { "verb", VERBATIM, 0, NULL },
    { "vphantom", ARGUMENTS, 1, NULL }, { "vref", ARGUMENTS, 1, NULL }, { "vspace", ARGUMENTS, 1, NULL },
    { "xdef", DEFINITION, 0, NULL },
};

typedef struct Environment {
    const char *name;
    bool formula; /* which is a part of a sentence */
} Environment;

/* What is left out; names may end in a star. By name. */
static const Environment LEFT_OUT[] = {
    { "CCSXML", false }, { "IEEEeqnarray", true }, { "SCfigure", false }, { "Verbatim", false },
    { "algorithm", false }, { "algorithm2e", false }, { "algorithmic", false }, { "align", true }, { "alignat", true },
    { "aligned", true }, { "alltt", false }, { "array", true }, { "bmatrix", true }, { "cases", true },
    { "comment", false }, { "displaymath", true }, { "dmath", true }, { "eqnarray", true }, { "equation", true },
    { "figure", false }, { "filecontents", false }, { "flalign", true }, { "gather", true }, { "gathered", true },
    { "longtable", false }, { "lstlisting", false }, { "math", true }, { "matrix", true }, { "minted", false },
    { "multline", true }, { "picture", false }, { "pmatrix", true }, { "pspicture", false },
    { "sidewaysfigure", false }, { "sidewaystable", false }, { "split", true }, { "subequations", true },
    { "tabbing", false }, { "table", false }, { "tabular", false }, { "tabularx", false }, { "tabulary", false },
    { "thebibliography", false }, { "tikzpicture", false }, { "verbatim", false }, { "wrapfigure", false },
    { "wraptable", false },
};
/* clang-format on */

/* CutState.seen: why CutState.name is left out. */
enum { ENVIRONMENT, PREAMBLE, REST };

typedef struct Latex {
    MarkupWriter *w;
    StrView text;
    CutState *s;           /* name: of the environment that is left out; "": none */
    size_t heading;        /* where the brace that ends a heading stands; 0: nowhere */
    size_t term;           /* where the bracket after an item stands */
    size_t none_before[4]; /* no $ $$ \) \] stands between where it was sought last and this byte */
} Latex;

static int compare_command(const void *name, const void *command)
{
    return strcmp(name, ((const Command *)command)->name);
}

static int compare_name(const void *name, const void *other)
{
    return strcmp(name, ((const Environment *)other)->name);
}

static const Environment *find_environment(const char *name)
{
    return bsearch(name, LEFT_OUT, sizeof LEFT_OUT / sizeof *LEFT_OUT, sizeof *LEFT_OUT, compare_name);
}

static const Command *find_command(const char *name)
{
    static const Command none;
    const Command *found =
        bsearch(name, COMMANDS, sizeof COMMANDS / sizeof *COMMANDS, sizeof *COMMANDS, compare_command);
    return found ? found : &none;
}

/* ---- arguments */

static char at(const Latex *x, size_t i) { return markup_at(x->text, i); }

static size_t skip_blanks(const Latex *x, size_t i)
{
    while (markup_is_blank(at(x, i))) i++;
    return i;
}

/* Blanks and at most one line break. */
static size_t skip_space(const Latex *x, size_t i)
{
    i = skip_blanks(x, i);
    size_t next = i < x->text.len ? skip_blanks(x, i + 1) : i;
    return at(x, i) == '\n' && next < x->text.len && at(x, next) != '\n' ? next : i;
}

/* The end of the {argument} or [option] at byte i; i: there is none that ends. */
static size_t group_end(const Latex *x, size_t i, char open, char close)
{
    size_t most = x->text.len - i < GROUP_MOST ? x->text.len : i + GROUP_MOST;
    int depth = 0, braces = 0;
    if (at(x, i) != open) return i;
    for (size_t k = i; k < most; k++) {
        char c = x->text.ptr[k];
        if (c == '\\') k++;
        else if (c == '%' && open == '{') k = markup_line_end(x->text, k);
        else if (c == open && !braces) depth++;
        else if (c == close && !braces && --depth == 0) return k + 1;
        else if (open != '{') braces += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
    return i;
}

static size_t options_end(const Latex *x, size_t i)
{
    for (size_t end; (end = group_end(x, i, '[', ']')) > i;) i = end;
    return i;
}

/* The end of n arguments with options before each. */
static size_t arguments_end(const Latex *x, size_t i, int n)
{
    for (; n; n--) {
        size_t begin = skip_space(x, options_end(x, i)), end = group_end(x, begin, '{', '}');
        if (at(x, begin) == '\\' && markup_is_letter(at(x, begin + 1)))
            for (end = begin + 1; markup_is_letter(at(x, end));) end++;
        if (end == begin) break;
        i = end;
    }
    return i;
}

/* Copies the {name} at byte i, without a star, and returns its end; i: there is none. */
static size_t read_name(const Latex *x, size_t i, char name[NAME_MOST])
{
    size_t begin = skip_space(x, i), end = begin + 1;
    if (at(x, begin) != '{') return i;
    while (markup_is_letter(at(x, end)) || markup_is_digit(at(x, end))) end++;
    size_t n = end - begin - 1;
    if (at(x, end) == '*') end++;
    if (at(x, end) != '}' || n >= NAME_MOST) return i;
    memcpy(name, x->text.ptr + begin + 1, n);
    name[n] = '\0';
    return end + 1;
}

/* ---- formulas */

/* Where the signs that close a formula stand, at most `most` bytes on and, as formulas have none, before an empty line;
 * 0: nowhere. */
static size_t closing(Latex *x, size_t i, const char *close, size_t most)
{
    size_t *none_before = &x->none_before[close[0] == '$' ? close[1] == '$' : close[1] == ')' ? 2 : 3];
    size_t end = x->text.len - i < most ? x->text.len : i + most, k = i < *none_before ? *none_before : i;
    for (; k < end; k++) {
        if (markup_has(x->text, k, close)) return k;
        if (x->text.ptr[k] == '\\') k++;
        else if (x->text.ptr[k] == '\n' && at(x, skip_blanks(x, k + 1)) == '\n') break;
    }
    *none_before = k;
    return 0;
}

/* The end of a formula at bytes [from, end) without what it is called by. */
static size_t before_label(const Latex *x, size_t from, size_t end)
{
    static const char *const commands[] = { "\\label", "\\nonumber", "\\notag" };
    for (bool found = true; found;) {
        found = false;
        while (end > from && markup_is_space(at(x, end - 1))) end--;
        for (size_t i = end, last = end; !found && i-- > from && last - i < 2 * NAME_MOST;)
            for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
                if (markup_has(x->text, i, commands[k])) end = i, found = true;
    }
    return end;
}

/* Leaves out bytes [from, to) but for the mark that what is within ends with before byte `end`. */
static void skip_display(Latex *x, size_t from, size_t end, size_t to)
{
    size_t mark = before_label(x, from, end);
    bool has = mark > from + 1 && strchr(".,;:", at(x, mark - 1)) && at(x, mark - 2) != '\\';
    if (!has) {
        markup_read_as(x->w, from, to, " ", CUT_LEFT_OUT);
        return;
    }
    markup_skip(x->w, from, mark - 1);
    markup_copy(x->w, mark);
    markup_read_as(x->w, mark, to, " ", CUT_LEFT_OUT);
}

/* The formula at bytes [from, to), whose signs have n bytes on each side: a number is text, a sign is read, another one
 * is a token that stands for a name. */
static void take_formula(Latex *x, size_t from, size_t to, size_t n)
{
    size_t begin = from + n, end = to - n;
    while (begin < end && markup_is_space(at(x, begin))) begin++;
    while (end > begin && markup_is_space(at(x, end - 1))) end--;
    bool number = true;
    for (size_t i = begin; i < end; i++) number &= markup_is_digit(at(x, i)) || strchr(".,", at(x, i));
    if (number || (end == begin + 1 && !markup_is_letter(at(x, begin)))) {
        markup_skip(x->w, from, begin);
        markup_copy(x->w, end);
        markup_skip(x->w, end, to);
        return;
    }
    char name[NAME_MOST] = "";
    size_t first = begin + (at(x, begin) == '^');
    if (first > begin && at(x, first) == '{' && at(x, end - 1) == '}') first++, end--; /* ^{\circ} */
    size_t length = end - first;
    if (at(x, first) == '\\' && length > 1 && length < NAME_MOST) memcpy(name, x->text.ptr + first + 1, length - 1);
    const Command *command = find_command(name);
    int32_t letter = command->sign ? 0 : entity_named((StrView){ name, strlen(name) });
    StrBuf sign = { 0 };
    if (letter) strbuf_utf8(&sign, letter);
    else strbuf_puts(&sign, command->is == SIGN ? command->sign : NAME);
    if (!sign.failed) markup_read_as(x->w, from, to, sign.ptr, letter || command->is == SIGN ? CUT_SIGN : CUT_RAW);
    x->w->failed |= sign.failed;
    strbuf_fini(&sign);
}

/* A formula within a line. Returns where the text goes on, i: none begins. */
static size_t take_inline(Latex *x, size_t i, const char *open, const char *close)
{
    size_t n = strlen(open), end = closing(x, i + n, close, FORMULA_MOST);
    if (!end || end == i + n) return i;
    take_formula(x, i, end + n, n);
    return end + n;
}

static size_t take_display(Latex *x, size_t i, const char *open, const char *close)
{
    size_t n = strlen(open), end = closing(x, i + n, close, GROUP_MOST);
    if (!end) return i;
    skip_display(x, i, end, end + n);
    return end + n;
}

/* ---- environments */

/* The end of what is left out, from byte i on, or the end of the text. */
static size_t skip_rest(Latex *x, size_t i)
{
    const char *verb = x->s->seen == PREAMBLE ? "\\begin" : "\\end";
    for (size_t k = i; k < x->text.len && x->s->seen != REST; k++) {
        const char *found = memchr(x->text.ptr + k, '\\', x->text.len - k);
        char name[NAME_MOST];
        if (!found) break;
        k = (size_t)(found - x->text.ptr);
        size_t begin = k + strlen(verb), end = markup_has(x->text, k, verb) ? read_name(x, begin, name) : begin;
        if (end == begin || strcmp(name, x->s->name) != 0) continue;
        const Environment *known = find_environment(name);
        x->s->name[0] = '\0';
        if (known && known->formula) skip_display(x, i, k, end);
        else {
            markup_skip(x->w, i, end);
            markup_break(x->w, end, '\f');
        }
        return end;
    }
    markup_skip(x->w, i, x->text.len);
    return x->text.len;
}

static size_t leave_out(Latex *x, size_t i, const char *name, int why)
{
    memcpy(x->s->name, name, strlen(name) + 1); /* shorter than NAME_MOST */
    x->s->seen = why;
    return i;
}

/* \begin{name} or \end{name} at bytes [i, end). */
static size_t take_environment(Latex *x, size_t i, size_t end, bool begins)
{
    char name[NAME_MOST];
    size_t to = read_name(x, end, name);
    if (to == end) return end;
    if (begins && find_environment(name)) return leave_out(x, i, name, ENVIRONMENT);
    bool sized = begins && (strcmp(name, "minipage") == 0 || strcmp(name, "multicols") == 0);
    if (begins) to = arguments_end(x, options_end(x, to), sized);
    markup_break(x->w, i, '\f');
    markup_skip(x->w, i, to);
    if (!begins && strcmp(name, "document") == 0) return leave_out(x, to, name, REST);
    return to;
}

/* ---- signs and accents */

static const char *accent_of(char c)
{
    static const char signs[] = "`'^\"~=.";
    static const char *const marks[] = { "\u0300", "\u0301", "\u0302", "\u0308", "\u0303", "\u0304", "\u0307" };
    const char *found = c ? strchr(signs, c) : NULL;
    return found ? marks[found - signs] : NULL;
}

/* The letter at byte i, also \i and \ae, or in braces; returns its end, i: there is none. */
static size_t read_letter(const Latex *x, size_t i, int32_t *letter)
{
    bool brace = at(x, i) == '{';
    size_t begin = i + brace, end = begin;
    if (at(x, begin) == '\\') {
        char name[4] = "";
        size_t n = 0;
        for (end++; n < 3 && markup_is_letter(at(x, end)); end++) name[n++] = at(x, end);
        const Command *command = find_command(name);
        size_t first = 0;
        if (command->is != LETTER) return i;
        bool dotless = strlen(name) == 1 && strchr("ij", *name);
        *letter = dotless ? *name : utf8_next(command->sign, strlen(command->sign), &first);
        if (!brace) end = skip_blanks(x, end);
    } else if (begin < x->text.len) *letter = utf8_next(x->text.ptr, x->text.len, &end);
    if (end == begin || !utf8_is_letter(*letter) || (brace && at(x, end) != '}')) return i;
    return end + brace;
}

/* The accent at bytes [from, i) on the letter after it. Returns where the text goes on. */
static size_t take_accent(Latex *x, size_t from, size_t i, const char *mark)
{
    int32_t letter;
    size_t begin = markup_is_letter(at(x, i - 1)) ? skip_blanks(x, i) : i; /* \c c */
    size_t end = read_letter(x, begin, &letter), first = 0;
    if (end == begin) {
        markup_skip(x->w, from, i);
        return i;
    }
    utf8proc_int32_t both[2] = { letter, utf8_next(mark, strlen(mark), &first) };
    utf8proc_int32_t apart[8];
    int boundary = 0;
    utf8proc_ssize_t n = utf8proc_decompose_char(letter, apart, 6, UTF8PROC_DECOMPOSE, &boundary);
    if (n < 1 || n > 6) apart[0] = letter, n = 1;
    apart[n++] = both[1];
    n = utf8proc_normalize_utf32(apart, n, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    StrBuf sign = { 0 };
    for (utf8proc_ssize_t k = 0; k < n; k++) strbuf_utf8(&sign, apart[k]);
    if (!sign.failed) markup_read_as(x->w, from, end, sign.ptr, CUT_SIGN);
    x->w->failed |= sign.failed;
    strbuf_fini(&sign);
    return end;
}

/* ---- commands */

/* What stands between bytes [end, close) is text, but for the signs around it. */
static size_t take_text(Latex *x, size_t i, size_t begin, size_t close)
{
    markup_skip(x->w, i, begin);
    markup_copy(x->w, close);
    markup_skip(x->w, close, close + 1);
    return close + 1;
}

static size_t take_verbatim(Latex *x, size_t i, size_t end)
{
    char close = at(x, end) == '{' ? '}' : at(x, end);
    size_t line = markup_line_end(x->text, end);
    const char *found = end + 1 < line ? memchr(x->text.ptr + end + 1, close, line - end - 1) : NULL;
    return found ? take_text(x, i, end + 1, (size_t)(found - x->text.ptr)) : end;
}

static size_t take_heading(Latex *x, size_t i, size_t end)
{
    size_t begin = skip_space(x, options_end(x, end)), close = group_end(x, begin, '{', '}');
    if (close == begin) return end;
    markup_break(x->w, i, '\f');
    markup_skip(x->w, i, begin + 1);
    x->heading = close - 1;
    return begin + 1;
}

static size_t take_item(Latex *x, size_t i, size_t end)
{
    size_t begin = skip_blanks(x, end), close = group_end(x, begin, '[', ']');
    markup_break(x->w, i, '\f');
    if (close > begin) {
        x->term = close - 1;
        end = begin + 1;
    }
    markup_skip(x->w, i, end);
    return end;
}

/* \name with its last byte before `end`. */
static size_t take_command(Latex *x, size_t i, size_t end, const Command *command)
{
    size_t to = end;
    switch (command->is) {
    case LETTER: to = skip_blanks(x, end); /* fall through */
    case SIGN:
        if (markup_has(x->text, to, "{}")) to += 2;
        markup_read_as(x->w, i, to, command->sign, CUT_SIGN);
        return to;
    case ACCENT: return take_accent(x, i, end, command->sign);
    case ARGUMENTS: to = arguments_end(x, end, command->n); break;
    case DEFINITION: {
        size_t line = markup_line_end(x->text, end);
        const char *brace = memchr(x->text.ptr + end, '{', line - end);
        to = brace ? group_end(x, (size_t)(brace - x->text.ptr), '{', '}') : line;
        break;
    }
    case HEADING: to = take_heading(x, i, end); break;
    case ITEM: return take_item(x, i, end);
    case PARAGRAPH:
    case NEW_LINE: markup_break(x->w, i, command->is == PARAGRAPH ? '\f' : '\n'); break;
    case BLANK: markup_read_as(x->w, i, end, " ", CUT_LEFT_OUT); return end;
    case BEGIN:
    case END: to = take_environment(x, i, end, command->is == BEGIN); break;
    case VERBATIM: to = take_verbatim(x, i, end); break;
    case ADDRESS: to = at(x, end) == '{' ? take_verbatim(x, i, end) : end; break;
    case DOCUMENT: return leave_out(x, i, "document", PREAMBLE);
    default:
        to = group_end(x, end, '[', ']');
        if (i && at(x, i - 1) == '{') to = skip_blanks(x, to); /* {\em word} */
    }
    if (x->s->name[0]) return to;
    if (x->w->copied < to) markup_skip(x->w, i, to);
    return to;
}

static size_t take_sign_command(Latex *x, size_t i)
{
    char c = at(x, i + 1);
    const char *mark = accent_of(c);
    size_t to;
    if (mark) return take_accent(x, i, i + 2, mark);
    if (c == '(' && (to = take_inline(x, i, "\\(", "\\)")) > i) return to;
    if (c == '[' && (to = take_display(x, i, "\\[", "\\]")) > i) return to;
    bool digits = i && markup_is_digit(at(x, i - 1)) && markup_is_digit(at(x, i + 2)); /* 10\,000 */
    if (c == '\\') {
        to = options_end(x, i + 2 + (at(x, i + 2) == '*'));
        markup_break(x->w, i, '\n');
        markup_skip(x->w, i, to);
        return to;
    }
    if (c && strchr("%&$#_{}", c)) markup_skip(x->w, i, i + 1);
    else if (markup_is_space(c) || (c && strchr(";:>", c)) || (c == ',' && !digits))
        markup_read_as(x->w, i, i + 1 + (c != '\n'), " ", CUT_LEFT_OUT);
    else if (c && strchr("!/-@,", c)) markup_skip(x->w, i, i + 2);
    else return i + 1;
    return i + 1 + (c != '\n');
}

static size_t take_backslash(Latex *x, size_t i)
{
    char name[NAME_MOST];
    size_t n = 0, end = i + 1;
    for (; markup_is_letter(at(x, end)); end++)
        if (n < NAME_MOST - 1) name[n++] = at(x, end);
    if (!n) return take_sign_command(x, i);
    name[n] = '\0';
    const Command *command = find_command(name);
    if (at(x, end) == '*' && command->is != VERBATIM) end++;
    return take_command(x, i, end, command);
}

/* ---- the text */

static size_t take_comment(Latex *x, size_t i)
{
    size_t line = markup_line_end(x->text, i), next = line < x->text.len ? skip_blanks(x, line + 1) : line;
    size_t to = at(x, next) == '\n' ? line : next; /* an empty line ends a paragraph */
    markup_skip(x->w, i, to);
    return to;
}

/* Between two arguments of an unknown command is a blank. */
static size_t take_brace(Latex *x, size_t i)
{
    bool heading = i == x->heading && i, term = i == x->term && i;
    if (at(x, i) == ']' && !term) return i + 1;
    if (heading || term) markup_break(x->w, i, heading ? '\f' : ' ');
    else if (markup_has(x->text, i, "}{")) {
        markup_read_as(x->w, i, i + 2, " ", CUT_LEFT_OUT);
        return i + 2;
    }
    markup_skip(x->w, i, i + 1);
    return i + 1;
}

/* Signs that are written with several characters. */
static size_t take_ligature(Latex *x, size_t i)
{
    static const char *const signs[][2] = { { "---", "\u2014" }, { "--", "\u2013" }, { "``", "\u201c" },
                                            { "''", "\u201d" },  { "`", "\u2018" },  { ",,", "\u201e" } };
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (markup_has(x->text, i, signs[k][0])) {
            size_t to = i + strlen(signs[k][0]);
            markup_read_as(x->w, i, to, signs[k][1], CUT_SIGN);
            return to;
        }
    return i + 1;
}

static size_t take(Latex *x, size_t i)
{
    size_t to;
    switch (at(x, i)) {
    case '\\': return take_backslash(x, i);
    case '%': return take_comment(x, i);
    case '{':
    case '}':
    case ']': return take_brace(x, i);
    case '~': markup_blank(x->w, i); return i + 1;
    case '$':
        to = markup_has(x->text, i, "$$") ? take_display(x, i, "$$", "$$") : take_inline(x, i, "$", "$");
        return to > i ? to : i + 1;
    case '\n':
        if (i + 1 < x->text.len && at(x, skip_blanks(x, i + 1)) == '\n') markup_break(x->w, i, '\f');
        markup_blank(x->w, i);
        return i + 1;
    case '-':
    case '`':
    case '\'':
    case ',': return take_ligature(x, i);
    default: return i + 1;
    }
}

void markup_latex_read(MarkupWriter *writer)
{
    Latex x = { .w = writer, .text = writer->text, .s = &writer->to->state };
    for (size_t i = 0; i < x.text.len && !writer->failed;) i = x.s->name[0] ? skip_rest(&x, i) : take(&x, i);
}
