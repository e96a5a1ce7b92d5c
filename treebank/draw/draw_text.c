/* Texts of pictures: their widths, colours and marks */
#include <string.h>

#include "treebank/draw/draw_internal.h"

enum { SHOWN = 40 }; /* columns of a text that is not cut */

#define ELLIPSIS "\342\200\246"

/* Widths of the characters from ' ' to '~' in DejaVu Sans, thousandths of the font size. Verdana is as wide; Arial,
 * Helvetica, Roboto and Segoe UI are narrower. */
static const short ADVANCE[] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838,
};

/* For each DrawFont: the size in px, the class of CSS, and by how many percent its letters are wider than in ADVANCE.
 */
static const struct {
    int size, wider;
    const char *class_name;
} FONTS[] = { { 15, 0, "w" }, { 11, 0, "t" }, { 11, 0, "t" }, { 12, 16, "l" } };

/* The bytes of a text up to `columns`. */
static size_t cut_at(const char *text, int columns)
{
    size_t len = strlen(text), i = 0, last = 0;
    for (int used = 0; i < len; last = i) {
        used += utf8_width(utf8_markup(utf8_next(text, len, &i)));
        if (used > columns) return last;
    }
    return len;
}

static int width_of(const char *text, size_t len, DrawFont font)
{
    long sum = 0;
    for (size_t i = 0; i < len;) {
        int32_t cp = utf8_markup(utf8_next(text, len, &i));
        sum += cp >= ' ' && cp <= '~' ? ADVANCE[cp - ' '] : utf8_width(cp) == 1 ? 780 : 1000 * utf8_width(cp);
    }
    return (int)(sum * FONTS[font].size * (100 + FONTS[font].wider) / 100000) + 1;
}

int draw_text_width(const char *text, DrawFont font)
{
    size_t len = cut_at(text, SHOWN);
    return width_of(text, len, font) + (text[len] ? FONTS[font].size : 0);
}

int draw_label_width(const char *text, DrawFont font)
{
    return draw_text_width(text, font) + (font == FONT_LABEL ? 12 : 0);
}

/* The text, and whether it was cut. */
static bool put_cut(StrBuf *out, const char *text)
{
    size_t len = cut_at(text, SHOWN);
    StrBuf shown = { 0 };
    strbuf_add(&shown, text, len);
    if (shown.ptr) strbuf_xml(out, shown.ptr);
    out->failed = out->failed || shown.failed;
    strbuf_fini(&shown);
    if (text[len]) strbuf_puts(out, ELLIPSIS);
    return text[len] != '\0';
}

static void put_whole_as_title(StrBuf *out, const char *text)
{
    if (!text[cut_at(text, SHOWN)]) return;
    strbuf_puts(out, "<title>");
    strbuf_xml(out, text);
    strbuf_puts(out, "</title>");
}

/* The baseline of a text whose middle is at y. */
static int baseline(int y, DrawFont font) { return y + (FONTS[font].size * 36 + 50) / 100; }

/* ---- colours */

/* Letters of families (n nominal, v verbal, p prepositional, s clausal, a modifying; o for the rest), each followed by
 * the beginnings of its labels; the first beginning that fits counts. */
#define PHRASES "n NP WHNP NX NML QP v VP p PP WHPP PRT a ADJP ADVP WHAD s S RRC"
#define TAGS "o NUM n N PROPN PRON PRP WP EX v V MD AUX p IN TO RP ADP PART SCONJ a J RB ADJ ADV WRB"
#define TYPES                                                                                                   \
    "n nsubj csubj dobj iobj obj pobj agent v root aux cop p prt compound:prt prep obl nmod case s mark ccomp " \
    "xcomp pcomp advcl acl rcmod relcl vmod partmod infmod parataxis a amod advmod neg num poss appos"

char draw_colour(const char *label, DrawFont font)
{
    char letter = 'o';
    for (const char *at = font == FONT_LABEL ? PHRASES : font == FONT_TAG ? TAGS : TYPES; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (n == 1 && *at >= 'a') letter = *at;
        else if (strncmp(label, at, n) == 0) return letter;
        at += n;
    }
    return 'o';
}

/* Colours: text, ground, then the same for dark. Every text has a contrast of 4.5 to 1 or more on its ground and on the
 * paper. */
static const struct {
    char letter;
    const char *text, *ground, *dark_text, *dark_ground;
} COLOURS[] = {
    { 'n', "#0b4f8a", "#e3eefb", "#9ccbff", "#17324d" }, { 'v', "#9d1b6b", "#fce4f2", "#ffa6d8", "#4a1a38" },
    { 'p', "#705400", "#faeec8", "#f0cf6a", "#3d3208" }, { 's', "#5b21b6", "#eee7fd", "#c9b3ff", "#33245c" },
    { 'a', "#0d6363", "#dcf3f1", "#83dcd5", "#0e3d3b" }, { 'o', "#4b5563", "#eceff2", "#c3cad3", "#2b3138" },
};

static void put_colours(StrBuf *out, bool dark)
{
    for (size_t k = 0; k < sizeof COLOURS / sizeof *COLOURS; k++) {
        char letter = COLOURS[k].letter;
        const char *text = dark ? COLOURS[k].dark_text : COLOURS[k].text;
        const char *ground = dark ? COLOURS[k].dark_ground : COLOURS[k].ground;
        strbuf_printf(out,
                      ".drawing .f%c{fill:%s}.drawing .b%c{fill:%s}.drawing path.s%c{stroke:%s}.drawing "
                      "path.h%c{fill:%s;stroke:none}\n",
                      letter, text, letter, ground, letter, text, letter, text);
    }
}

void draw_style(StrBuf *out)
{
    strbuf_puts(out,
                ".drawing text{font-family:\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,\"DejaVu Sans\",sans-serif;"
                "text-anchor:middle}.drawing .b{text-anchor:start}"
                ".drawing .w{font-size:15px}.drawing .t{font-size:11px}.drawing .l{font-size:12px;font-weight:bold}"
                ".drawing path{fill:none;stroke:#8b95a1;stroke-width:1.3}"
                ".drawing .lead{stroke-dasharray:1 3}.drawing .paper{fill:#fff}.drawing .fw{fill:#16191d}\n");
    put_colours(out, false);
    strbuf_puts(out, "@media (prefers-color-scheme:dark){.drawing path{stroke:#77828f}"
                     ".drawing .paper{fill:#15181c}.drawing .fw{fill:#e8eaed}\n");
    put_colours(out, true);
    strbuf_puts(out, "}\n");
}

/* ---- text */

static void begin_text(StrBuf *out, int x, int y, bool centred, DrawFont font, char colour)
{
    strbuf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s f%c%s\">", x, baseline(y, font), FONTS[font].class_name,
                  colour, centred ? "" : " b");
}

static void put_text(StrBuf *out, int x, int y, bool centred, DrawFont font, char colour, const char *text)
{
    begin_text(out, x, y, centred, font, colour);
    put_whole_as_title(out, text);
    put_cut(out, text);
    strbuf_puts(out, "</text>\n");
}

void draw_text(StrBuf *out, int x, int y, bool centred, DrawFont font, const char *text)
{
    put_text(out, x, y, centred, font, draw_colour(text, font), text);
}

void draw_word(StrBuf *out, const Drawing *drawing, int w, int x, int y, bool centred)
{
    bool marked = drawing->o->marked && drawing->o->marked[w];
    put_text(out, x, y, centred, FONT_WORD, marked ? 'v' : 'w', drawing->sent->words[w]);
}

void draw_label(StrBuf *out, int x, int y, bool centred, DrawFont font, const char *text)
{
    char colour = draw_colour(text, font);
    int width = draw_label_width(text, font), left = centred ? x - width / 2 : x;
    if (font == FONT_LABEL)
        strbuf_printf(out, "<rect class=\"b%c\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"20\" rx=\"6\"/>", colour, left,
                      y - 10, width);
    else /* above the line of its arc */
        strbuf_printf(out, "<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\"/>", left - 2, y - 7,
                      width + 4);
    put_text(out, left + width / 2, y, true, font, colour, text);
}
