/* The terminal is asked, then the environment. */
#define _DEFAULT_SOURCE
#include "program/screen.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 20, WIDTH_MOST = 10000 };

/* An environment variable, "" if it is not set. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static int screen_width(bool terminal)
{
    struct winsize size;
    long width = 0;
    if (terminal && ioctl(1, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    if (width <= 0) width = strtol(variable("COLUMNS"), NULL, 10);
    if (width <= 0) width = WIDTH_DEFAULT;
    return width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : (int)width;
}

/* By the name of the locale, as the program sets none: it may be one that is not installed on this machine. */
static bool utf8_locale(void)
{
    const char *name = variable("LC_ALL");
    if (!*name) name = variable("LC_CTYPE");
    if (!*name) name = variable("LANG");
    const char *charset = strchr(name, '.');
    return charset && (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
}

static bool shows_color(bool terminal)
{
    return terminal && !*variable("NO_COLOR") && strcmp(variable("TERM"), "dumb");
}

TerminalStyle screen_style(bool terminal, ScreenDraw draw, ScreenColor color)
{
    bool draws = terminal || color == COLOR_ALWAYS;
    if (draw == DRAW_AUTO) draw = draws ? DRAW_BOTH : DRAW_NONE;
    return (TerminalStyle){ .width = screen_width(terminal),
                            .color = color == COLOR_AUTO ? shows_color(terminal) : color == COLOR_ALWAYS,
                            .visible = draws,
                            .ascii = !utf8_locale(),
                            .tree = draw == DRAW_BOTH || draw == DRAW_TREE,
                            .arcs = draw == DRAW_BOTH || draw == DRAW_ARCS };
}
