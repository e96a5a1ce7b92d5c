/* A lemma as a change of its word (Straka 2018, section 3.2): which letters become small, how many characters go at
 * both ends of the word, and what comes in their place. So few scripts give the lemmas of a language, words that were
 * never seen included. */
#pragma once

#include "base/arena.h"
#include "base/text.h"

/* Appends the script that makes the lemma of the word, both UTF-8: "l0,3,|y" of "Flies" and "fly" (small letters; no
 * character goes at the beginning, three go at the end; nothing is put before, y after), or "=LEMMA" where nothing of
 * the word is left. Sets out->failed when out of memory. */
void lemma_script(StrBuf *out, const char *word, const char *lemma);
/* The lemma that a script makes of a word, in the arena: the word itself where it is too short for the script, or the
 * script is damaged. NULL when out of memory. */
const char *lemma_script_apply(const char *script, const char *word, Arena *arena);
