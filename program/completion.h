/* Completion of command lines in shells, made from the tables of options. */
#pragma once

#include "base/text.h"

/* Append a script that completes commands, options, choices, names of presets, and files or folders where these are
 * expected: for bash 4.2, to be sourced (or installed as bash-completion/completions/lal), and for zsh, to be installed
 * as _lal in a folder of fpath. */
void completion_bash(StrBuf *out);
void completion_zsh(StrBuf *out);
