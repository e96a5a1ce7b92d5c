/* lal/encoder_options_internal.h: shared by the files of encoder_options.h */
#ifndef LAL_LAL_ENCODER_OPTIONS_INTERNAL_H
#define LAL_LAL_ENCODER_OPTIONS_INTERNAL_H

#include "lal/encoder_options.h"

/* Names by number; each ends with NULL. */
extern const char *const ENCODER_OPTIONS_STACKS[], *const ENCODER_OPTIONS_USES[], *const ENCODER_OPTIONS_SOURCES[];

/* An error at a path below "encoder_options", such as "heads[3].heads[1]": the message names it without an index at its
 * end, the place is that of the value, of the nearest one around it that was written, or of its key. `o`, or NULL, is
 * the option with this value: where the command line has set it, the message names it instead. */
typedef struct EncoderFault {
    const EncoderOrigin *from; /* NULL: no places, ERR_CONFIG */
    const EncoderOptions *now;
    Error *e;
} EncoderFault;

Status encoder_options_fault(const EncoderFault *f, const char *path, bool key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* For an option of ENCODER_OPTIONS or PATTERN_OPTIONS. */
Status encoder_options_fault_of(const EncoderFault *f, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
