/* The wire format of protocol buffers, read field by field from a message in memory: of SentencePiece's model files,
 * and of requests to lal serve. Its bytes are distrusted. A message inside a message is a field of bytes, which the
 * caller reads with a reader of its own: nothing recurses, and nothing is allocated. */
#pragma once

#include "base/error.h"
#include "base/text.h"

typedef enum ProtobufType { PROTOBUF_VARINT = 0, PROTOBUF_64 = 1, PROTOBUF_BYTES = 2, PROTOBUF_32 = 5 } ProtobufType;

typedef struct Protobuf {
    const unsigned char *data; /* borrowed */
    size_t size, at;
    size_t offset; /* where data is in its file, for messages */
    const char *path;
} Protobuf;

typedef struct ProtobufField {
    int number; /* from 1 */
    ProtobufType type;
    uint64_t value; /* value of VARINT, 64 and 32 */
    StrView bytes;  /* value of BYTES; borrowed from the message */
    size_t place;   /* in the file */
} ProtobufField;

/* A reader of a whole file, and one of the message that is field `field`. */
Protobuf protobuf_file(StrView data, const char *path);
Protobuf protobuf_message(const Protobuf *outer, const ProtobufField *field);

/* *message becomes a reader of the message that the whole file is, with its length before it. ERR_FORMAT: the file is
 * longer or shorter. */
Status protobuf_delimited(StrView data, const char *path, Protobuf *message, Error *error);

/* Reads the next field. *more false: the end. ERR_FORMAT: a field that is cut off, a number above 64 bits, or a type
 * that the format has not. */
Status protobuf_next(Protobuf *protobuf, ProtobufField *field, bool *more, Error *error);
/* The same for a loop over all fields: true while *s is OK and there is another field. */
bool protobuf_each(Protobuf *protobuf, ProtobufField *field, Status *status, Error *error);

/* Values of a field by type; ERR_FORMAT for another one. protobuf_whole: from 0 to max. protobuf_text: UTF-8 without
 * NUL. */
Status protobuf_flag(const Protobuf *protobuf, const ProtobufField *field, bool *out, Error *error);
Status protobuf_whole(const Protobuf *protobuf, const ProtobufField *field, int max, int *out, Error *error);
Status protobuf_float(const Protobuf *protobuf, const ProtobufField *field, float *out, Error *error);
Status protobuf_bytes(const Protobuf *protobuf, const ProtobufField *field, StrView *out, Error *error);
Status protobuf_text(const Protobuf *protobuf, const ProtobufField *field, StrView *out, Error *error);
