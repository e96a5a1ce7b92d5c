/* Shared by the files of encoder_options.h */
#pragma once

#include "lal/heads/encoder_options.h"

/* A path below "encoder_options": "heads[3].use". */
typedef struct OptionPath {
    char text[96];
} OptionPath;
/* `name` below `before`, which may be ""; item k of `list`. */
OptionPath option_path(const char *before, const char *name);
OptionPath option_path_item(const char *list, int k);

/* Names by number; each ends with NULL. */
extern const char *const ENCODER_OPTIONS_STACKS[], *const ENCODER_OPTIONS_USES[], *const ENCODER_OPTIONS_SOURCES[];

typedef struct EncoderFault {
    const EncoderOrigin *from; /* NULL: no places, ERR_CONFIG */
    Error *e;
} EncoderFault;

/* An error at a path below "encoder_options", such as "heads[3].heads[1]". The message begins with the path, without an
 * index at its end. The place is where the last file that has the value has it, or where the nearest value around it
 * was written. key: the path ends in an unknown key; its place is given, and the message begins with the path before
 * it. */
Status encoder_options_fault(const EncoderFault *fault, const char *path, bool key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* encoder_options_fault of a value, for a `whose` with the member `at`, an EncoderFault. */
#define encoder_fault(whose, path, ...) encoder_options_fault(&(whose)->at, path, false, __VA_ARGS__)

/* Options that are checked, and what they must fit. */
typedef struct EncoderCheck {
    EncoderOptions *o;
    const EncoderShape *shape;
    EncoderFault at;
    Arena *memory;
} EncoderCheck;

/* Copies the entries of "heads" into the memory, sets their patterns and sources, and compares each with the model,
 * with the options and with the entries before it. */
Status encoder_options_check_entries(const EncoderCheck *check);
/* A source must have the files that it reads. path: of what names it. */
Status encoder_options_check_source(const EncoderCheck *check, const char *path, SyntaxSource source);
/* The layers of a stack that have projected attention beside them, if it is one of projected attention. */
static inline const HeadNumbers *encoder_options_pal_layers(const EncoderOptions *options, HeadStack stack)
{
    return stack == STACK_PAL              ? &options->pal.layers
           : stack == STACK_PRETRAINED_PAL ? &options->pal.pretrained_layers
                                           : NULL;
}
/* Are there projected attention layers beside self-attention? */
static inline bool encoder_options_check_pal(const EncoderCheck *check)
{
    return check->o->pal.layers.all || check->o->pal.layers.n;
}
