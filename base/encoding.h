/* base/encoding.h
 * Text in other encodings, through iconv. */
#ifndef LAL_BASE_ENCODING_H
#define LAL_BASE_ENCODING_H

#include "base/error.h"
#include "base/text.h"

/* Turns the bytes of a file into UTF-8, piece by piece. */
typedef struct Decoder Decoder;

/* encoding as iconv names it: GB18030, BIG5, ISO-8859-1 ... path, kept by reference, is for messages. NULL with
 * ERR_USAGE on a name that iconv does not know, ERR_NOMEM. The caller frees it. */
Decoder *decoder_new(const char *encoding, const char *path, Error *e);
void decoder_free(Decoder *d);

/* Appends the next n bytes of the file to out; a character that is cut in two waits for the next piece. n = 0 ends the
 * file. ERR_FORMAT (with line and column) on bytes that are not of the encoding, ERR_NOMEM. */
Status decoder_feed(Decoder *d, const char *bytes, size_t n, StrBuf *out, Error *e);

#endif
