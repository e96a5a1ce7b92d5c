/* The pieces of a text: what a tokenizer of a pretrained encoder makes of it (wordpiece.h, unigram.h). */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum {
    PIECES_MOST = 1 << 20,     /* ids of a vocabulary are below this */
    PIECES_MOST_TEXT = 1 << 24 /* bytes of one text, before and after normalisation */
};

/* Characters from first to last. */
typedef struct CharRange {
    int32_t first, last;
} CharRange;
/* Is the character in one of the ranges, which are ascending? */
bool char_range_among(int32_t cp, const CharRange *ranges, size_t count);

/* A text that was made of another one, and where its bytes come from. */
typedef struct PlacedText {
    StrBuf text;
    int *begin, *end; /* [text.len] the character of the original text that byte i was made of: its bytes, end
                         exclusive */
    int cap_begin, cap_end;
} PlacedText;

void placed_text_fini(PlacedText *text);
/* Appends a character that was made of bytes [begin .. end). false when out of memory. */
bool placed_text_put(PlacedText *text, int32_t cp, int begin, int end);

typedef struct Piece {
    int id;             /* in the vocabulary */
    int begin, end;     /* bytes of the text that was encoded, end exclusive; may be empty */
    int text, text_len; /* the text of the piece in Pieces.text: read it with pieces_text */
} Piece;

typedef struct Pieces {
    Piece *p; /* [n] */
    int n, cap;
    StrBuf text; /* the texts of all pieces; not terminated, may contain NUL */
} Pieces;

void pieces_fini(Pieces *pieces);
/* Removes all pieces and keeps the memory. */
void pieces_clear(Pieces *pieces);
/* Appends a piece with its place and its text, which is copied. ERR_NOMEM; ERR_LIMIT if the texts become longer than an
 * int counts. */
Status pieces_add(Pieces *pieces, int id, int begin, int end, StrView text, Error *error);
/* The text of piece k, 0 <= k < n, as its vocabulary has it; of an unknown piece see the tokenizer. Valid until a piece
 * is added. */
StrView pieces_text(const Pieces *pieces, int k);
