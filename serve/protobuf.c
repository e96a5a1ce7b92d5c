/* Varints, and what follows from them */
#include "serve/protobuf.h"

enum { VARINT_MOST = 10 /* bytes */, FIELD_MOST = (1 << 29) - 1 };

static bool take_varint(StrView *in, uint64_t *value)
{
    *value = 0;
    for (size_t k = 0; k < in->len && k < VARINT_MOST; k++) {
        unsigned char byte = (unsigned char)in->ptr[k];
        if (k == VARINT_MOST - 1 && byte > 1) return false; /* more than 64 bits */
        *value |= (uint64_t)(byte & 127) << 7 * k;
        if (byte & 128) continue;
        *in = (StrView){ in->ptr + k + 1, in->len - k - 1 };
        return true;
    }
    return false;
}

static bool take_bytes(StrView *in, uint64_t size, StrView *bytes)
{
    if (size > in->len) return false;
    *bytes = (StrView){ in->ptr, (size_t)size };
    *in = (StrView){ in->ptr + size, in->len - (size_t)size };
    return true;
}

/* A number of so many bytes, the lowest first. */
static bool take_fixed(StrView *in, size_t size, uint64_t *value)
{
    StrView bytes;
    if (!take_bytes(in, size, &bytes)) return false;
    *value = 0;
    for (size_t k = size; k-- > 0;) *value = *value << 8 | (unsigned char)bytes.ptr[k];
    return true;
}

static bool take_value(StrView *in, ProtoField *to)
{
    switch (to->wire) {
    case PROTO_VARINT: return take_varint(in, &to->value);
    case PROTO_FIXED64: return take_fixed(in, 8, &to->value);
    case PROTO_FIXED32: return take_fixed(in, 4, &to->value);
    case PROTO_DELIMITED: return protobuf_delimited(in, &to->bytes);
    default: return false;
    }
}

bool protobuf_next(ProtoReader *reader, ProtoField *field)
{
    StrView in = reader->rest;
    uint64_t key;
    if (!in.len || reader->damaged) return false;
    *field = (ProtoField){ 0 };
    bool good = take_varint(&in, &key) && key >> 3 >= 1 && key >> 3 <= FIELD_MOST;
    if (good) field->number = (uint32_t)(key >> 3);
    if (good) field->wire = (ProtoWire)(key & 7);
    reader->damaged = !good || !take_value(&in, field);
    if (!reader->damaged) reader->rest = in;
    return !reader->damaged;
}

bool protobuf_delimited(StrView *bytes, StrView *message)
{
    StrView in = *bytes;
    uint64_t size;
    if (!take_varint(&in, &size) || !take_bytes(&in, size, message)) return false;
    *bytes = in;
    return true;
}
