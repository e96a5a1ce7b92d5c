/* Conversion of text in other encodings to UTF-8, with iconv. */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* Converts the bytes of a file to UTF-8, piece by piece. */
typedef struct Decoder Decoder;

/* encoding: a name known to iconv (GB18030, BIG5, ISO-8859-1 ...). path is used in messages. Both are kept by
 * reference. lenient: a byte that is invalid in the encoding becomes \xff, which no text in UTF-8 has. NULL with
 * ERR_USAGE if iconv does not know the name, or with ERR_NOMEM. Freed with decoder_free. */
Decoder *decoder_new(const char *encoding, bool lenient, const char *path, Error *error);
void decoder_free(Decoder *decoder);

/* Converts the next count bytes of the file and appends them to out; an incomplete character at the end is kept for the
 * next call. count = 0 marks the end of the file. ERR_FORMAT (with line and column) on bytes that are invalid in the
 * encoding, unless lenient, ERR_NOMEM. */
Status decoder_feed(Decoder *decoder, const char *bytes, size_t count, StrBuf *out, Error *error);
