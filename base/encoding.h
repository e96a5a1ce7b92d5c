/* base/encoding.h
 * Text in other encodings, through iconv. */
#ifndef LAL_BASE_ENCODING_H
#define LAL_BASE_ENCODING_H

#include "base/error.h"
#include "base/text.h"

/* Replaces text by the same in UTF-8. encoding as iconv names it: GB18030, BIG5, ISO-8859-1 ... ERR_USAGE on a name it does not
 * know, ERR_FORMAT (path with line and column) on bytes that are not of the encoding, ERR_NOMEM. A byte order mark at the beginning goes. */
Status text_decode(StrBuf *text, const char *encoding, const char *path, Error *e);

#endif
