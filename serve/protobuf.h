/* Which fields has a message in protobuf's wire format? The bytes are distrusted: each length is checked against those
 * that are left, and nothing is allocated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* How a value is written (protobuf's encoding has two more, for groups, which nobody writes any more). */
typedef enum ProtoWire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_DELIMITED = 2, PROTO_FIXED32 = 5 } ProtoWire;

typedef struct ProtoField {
    uint32_t number; /* from 1 */
    ProtoWire wire;
    uint64_t value; /* of a number */
    StrView bytes;  /* of PROTO_DELIMITED: a text or a message */
} ProtoField;

/* A message that is read field by field. */
typedef struct ProtoReader {
    StrView rest; /* that is still to be read; where `damaged`, it begins with the field that is */
    bool damaged;
} ProtoReader;

/* Reads the next field. false: the message ends, or it is damaged: a field ends after it, is of another kind or of a
 * number that no field has. */
bool protobuf_next(ProtoReader *reader, ProtoField *field);
/* Takes a message with its length before it from the beginning of *bytes. false: it is longer than they are; nothing is
 * taken. */
bool protobuf_delimited(StrView *bytes, StrView *message);
