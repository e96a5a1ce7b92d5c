/* Rules of a user's own for raw text of any language: abbreviations, tokens that stay whole, and where sentences begin
 * and end. They come after what the language makes of a text, and win. A file has a rule on each line, empty lines, and
 * comments that begin with '#':
 *
 *   abbreviation Sect.   one token, at which no sentence ends within a paragraph; Sect. is sect., too, if that is given
 *   token Yahoo!         one token, at which no sentence ends before lower case
 *   begin Article        a sentence begins here
 *   end ###              a sentence ends here, with the closing quotes and brackets that follow without a blank
 *
 * What is given is found where it is no part of a longer word or number, the longest first. A blank in it stands for
 * any white space within a paragraph; no token has one, so of an abbreviation the last word becomes the token. */
#pragma once

#include "language/segmented_text.h"

typedef struct TextRules TextRules;
#define TEXT_RULES_ABOUT \
    "rules of your own for raw text: abbreviations, tokens, where sentences begin and end, a line for each"

/* path: for messages and "-" for standard input. ERR_IO, ERR_NOMEM; ERR_FORMAT, with line and column. */
Status text_rules_read(TextRules **rules, const char *path, Error *error);
/* The same from a text in memory. */
Status text_rules_parse(TextRules **rules, StrView text, const char *name, Error *error);
void text_rules_free(TextRules *rules); /* may be NULL */

/* What of a text the rules may change. */
typedef struct TextRulesUse {
    bool tokens;    /* else tokens stay as they are */
    bool sentences; /* else sentences do */
    bool lines;     /* a line break ends a sentence, whatever stands before it */
    bool spaces;    /* a line break is a blank; else it may join where a line is long or the next one goes on */
} TextRulesUse;

/* Applies the rules to a segmented block. Words of multiword tokens stay, and so do tokens from which something is
 * left out. New forms are in the arena. false when out of memory; then only segmented_text_fini may be
 * called. */
bool text_rules_apply(const TextRules *rules, SegmentedText *text, TextBlock block, TextRulesUse use, Arena *arena);
