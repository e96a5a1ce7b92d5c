/* Signs that stand for others: the one table of typographic, full-width, joined and composed characters that tokens,
 * tags, lemmas and what a model sees share. What is written keeps the text's own characters.
 *
 *   '   ’ ‘ ‛ ʼ ՚ ꞌ ＇ U+0091 U+0092, and ´ ′ ` where they are apostrophes
 *   -   ‐ ‑ ﹣ －      ...   …      nothing   soft hyphens, zero-width spaces and joiners of words
 *   full-width letters, digits and marks, 。 and 、 too: their ASCII counterparts
 *   ligatures (ﬁ ﬄ ĳ) and Roman numerals (Ⅳ ⅷ): their letters
 *   letters with their accents after them (NFD): one character (NFC)
 *   &amp; &#8217; and other entities: their characters; a formula of LaTeX, $x+1$: X */
#pragma once

#include "base/text.h"

/* The character of a word at byte *i, or that an entity there stands for (&rsquo;); *i is advanced past it. */
int32_t signs_next(const char *word, size_t len, size_t *i);
/* The character that the tokenizer reads in place of a sign; other characters, Chinese and Japanese marks (base/text.h)
 * and ´ ′ ` are returned unchanged. */
int32_t signs_read(int32_t cp);
/* ´ ′ `: a sign that is an apostrophe in some places. */
static inline bool sign_is_doubtful(int32_t cp) { return cp == 0xB4 || cp == 0x2032 || cp == '`'; }
/* Replaces ´ ′ ` by ' where they are apostrophes (don´t, dogs′). cp [n]: a word and the marks around it. */
void signs_read_apostrophes(int32_t *cp, int n);
/* Is the word one that signs_fold does not change, because it is of ASCII without such signs? */
bool signs_is_plain(const char *word);
/* Appends the word with plain characters, or as it is if it is nothing but what is dropped. Nothing but ` is a quote
 * and stays. */
void signs_fold(StrBuf *out, const char *word);
/* Is the word, whatever its case and apostrophes, the one in lower case? */
bool signs_same(const char *word, const char *lower);
