/* Where the files of a zip archive lie in its bytes, which are distrusted. Files must be stored as they are;
 * archives of more than 4 GiB (zip64) are read. Checksums are not looked at. */
#pragma once

#include "base/error.h"
#include "base/map.h"
#include "base/text.h"

typedef struct Zip {
    StrMap names;
    StrView *file; /* [names.n] of the archive's bytes */
} Zip;

/* Finds all files. path is for messages. ERR_FORMAT: with the place, also for one that is compressed or encrypted, or
 * two of one name; ERR_NOMEM. zip is empty on failure. */
Status zip_open(Zip *zip, StrView archive, const char *path, Error *error);
void zip_close(Zip *zip);
