/* The password that clients must know (Basic authentication, RFC 7617). */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

enum { PASSWORD_MOST = 4096 /* bytes */ };

/* Appends the first line of a file, without its line break and without a byte order mark, to *password, empty before;
 * the caller runs strbuf_fini. The file may be a pipe, of which no more than this line is read. ERR_IO: it cannot be
 * opened or read; ERR_FORMAT: no line, an empty one, a NUL byte, or "USER:", which a file of names and passwords would
 * have; ERR_LIMIT: more than PASSWORD_MOST bytes. */
Status password_read(const char *path, const char *user, StrBuf *password, Error *error);
/* Has a header Authorization, or NULL, this user and this password? Takes as long for any wrong ones of the same
 * length. */
bool password_matches(const char *header, const char *user, StrView password);
