/* What the terminal of the user shows: its width, colours, and whether it has line characters. */
#pragma once

#include <stdbool.h>

#include "treebank/draw/terminal.h"

typedef enum ScreenDraw { DRAW_AUTO, DRAW_BOTH, DRAW_TREE, DRAW_ARCS, DRAW_NONE } ScreenDraw;
#define DRAW_CHOICES "auto|both|tree|arcs|none"
typedef enum ScreenColor { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ScreenColor;
#define COLOR_CHOICES "auto|always|never"

/* How to write for a person. terminal: standard output is a terminal, and the output goes there. The width is taken
 * from the terminal; for a file or pipe from COLUMNS, else it is 80. Colours in DRAW_AUTO: on a terminal unless
 * NO_COLOR is set and not empty (https://no-color.org) or TERM is dumb. Lines are ASCII unless the locale (LC_ALL,
 * LC_CTYPE, LANG) is UTF-8. */
TerminalStyle screen_style(bool terminal, ScreenDraw draw, ScreenColor color);
