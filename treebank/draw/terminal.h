/* Sentences for a person at a terminal: trees in brackets over several lines, and drawings of trees and dependencies
 * with line characters. Characters have the widths of utf8proc_charwidth. */
#pragma once

#include "treebank/tree.h"

typedef struct TerminalStyle {
    int width;       /* columns of the terminal, at least 1 */
    bool color;      /* with the colours of the terminal, by ANSI escape sequences */
    bool ascii;      /* draw lines with - | ' . + instead of box characters */
    bool tree, arcs; /* what terminal_draw draws */
    bool visible;    /* terminal_brackets writes as a terminal may show it (strbuf_visible), not as readers need it */
} TerminalStyle;

enum { TERMINAL_DRAWN = 1000 }; /* columns of the widest drawing */

/* Appends "(TOP (S (NP ...) ...))" and a newline: a phrase that fits on the rest of a line is not broken; of others,
 * the words before the first phrase follow the label, and each phrase begins a line, indented by its depth. A word
 * that is longer than the line is not cut. */
void terminal_brackets(StrBuf *out, const Sentence *sent, Escapes escapes, TerminalStyle style);

/* Appends a drawing of a sentence of at least one word: the tree above the words, their tags below, then the type of
 * each word's dependency and the arcs, from a head to an arrow under the dependent. What the sentence lacks is left
 * out. A sentence wider than the terminal is drawn as several blocks of words, separated by an empty line: phrases and
 * arcs that continue in another block run to the edge, and an arc there names the word at its other end if there is
 * room. Words are not cut: a block is wider than the terminal if a single word is. At most TERMINAL_DRAWN columns are
 * used otherwise. Control characters in words are replaced. Both set out->failed when out of memory. */
void terminal_draw(StrBuf *out, const Sentence *sent, TerminalStyle style);

/* Appends a line of `text` after `label`, as a heading: it is broken at blanks where it is wider than the terminal, and
 * control characters are replaced. */
void terminal_text(StrBuf *out, const char *label, const char *text, TerminalStyle style);
