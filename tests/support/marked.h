/* English text without its markup as a document reads it (parser/parse/document.c). */
#pragma once

#include "language/english/text/segment.h"
#include "language/english/text/segment_hyphens.h"
#include "language/markup/markup.h"

typedef struct Marked {
    SegmentOptions o;
    bool hyphens, ends; /* words are split at hyphens; the block ends where the text does */
    CutState *state;    /* at the beginning of the block, then at its end; or NULL */
} Marked;

static inline Status marked_segment(SegmentedText *out, TextBlock block, Marked how, Arena *a, Error *e)
{
    MarkupText text = { .block = block };
    Status status = segmented_text_check(block, e);
    if (status != OK) return status;
    if (how.state) text.state = *how.state;
    Markup kind = how.o.words ? MARKUP_NONE : how.o.markup;
    bool done = markup_leave_out(&text, (MarkupOptions){ kind, how.o.newlines == NEWLINES_PARAGRAPH, how.ends }, a);
    if (done) status = segment_text(out, text.clean, how.o, a, e);
    if (done && status == OK && how.hyphens) done = segment_split_hyphens(out, a);
    if (done && status == OK) done = markup_place(&text, out, a);
    if (how.state) *how.state = text.state;
    markup_fini(&text);
    return done ? status : error_set(e, ERR_NOMEM, "out of memory");
}
