/* The script that a text is in, by the Unicode blocks of its letters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRIPTS = 32 }; /* numbers of scripts are below this */

/* How many letters of each script there are. */
typedef struct ScriptCounts {
    long of[SCRIPTS], all;
} ScriptCounts;

/* Counts the letters of UTF-8 that are of a script of the table. */
void script_count(ScriptCounts *counts, const char *text, size_t len);
/* The script with the most letters, the first of several; -1: there is no letter. */
int script_most(const ScriptCounts *counts);
/* Is the script written from the right to the left? */
bool script_is_right_to_left(int script);
/* "Latin", "Han", "Cyrillic". */
const char *script_name(int script);
