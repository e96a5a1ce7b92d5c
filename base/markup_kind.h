/* The kinds of markup that raw text may have: the one list of their names, in the order of LalMarkup. */
#pragma once

/* What of raw text is markup, which is in no sentence; language/markup/markup.h says what each one leaves out. */
typedef enum Markup {
    MARKUP_AUTO, /* the kind that the name of a file or the beginning of a text shows, or signs that are unmistakable:
                    of quoted mail, headings, links, code and tables */
    MARKUP_NONE, /* nothing */
    MARKUP_MARKDOWN,
    MARKUP_HTML,
    MARKUP_SRT, /* subtitles, also WebVTT */
    MARKUP_LATEX,
    MARKUP_KINDS
} Markup;
#define MARKUP_CHOICES "auto|none|markdown|html|srt|latex" /* in this order */
#define MARKUP_ABOUT                                                                                               \
    "what of raw text is left out: the signs, commands and code of Markdown and quoted mail, of pages, subtitles " \
    "or LaTeX; auto: as the name of the file says, else where they can be nothing else"
