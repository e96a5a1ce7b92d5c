/* A reader is a range of bytes and a place; every length is checked against what is left of
 * the range. */
#include "base/protobuf.h"

#include <math.h>
#include <string.h>

Protobuf protobuf_file(StrView data, const char *path)
{
    return (Protobuf){ .data = (const unsigned char *)data.ptr, .size = data.len, .path = path };
}

Protobuf protobuf_message(const Protobuf *outer, const ProtobufField *field)
{
    const unsigned char *data = (const unsigned char *)field->bytes.ptr;
    return (Protobuf){ .data = data,
                       .size = field->bytes.len,
                       .offset = outer->offset + (size_t)(data - outer->data),
                       .path = outer->path };
}

/* false: cut off, or more than 64 bits. */
static bool varint(Protobuf *p, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 64 && p->at < p->size; shift += 7) {
        unsigned char c = p->data[p->at++];
        if (shift == 63 && c > 1) return false;
        *out |= (uint64_t)(c & 0x7F) << shift;
        if (!(c & 0x80)) return true;
    }
    return false;
}

static bool fixed(Protobuf *p, int bytes, uint64_t *out)
{
    *out = 0;
    if (p->size - p->at < (size_t)bytes) return false;
    for (int k = 0; k < bytes; k++) *out |= (uint64_t)p->data[p->at++] << (8 * k);
    return true;
}

static Status bad(const Protobuf *p, size_t place, Error *e, const char *what)
{
    return error_at(e, ERR_FORMAT, p->path, 0, 0, "byte %zu: %s", place, what);
}

Status protobuf_delimited(StrView data, const char *path, Protobuf *message, Error *error)
{
    uint64_t len;
    *message = protobuf_file(data, path);
    if (!varint(message, &len) || len != message->size - message->at)
        return bad(message, 0, error, "found no message of the length that stands before it");
    message->data += message->at;
    message->offset = message->at;
    message->size -= message->at;
    message->at = 0;
    return OK;
}

Status protobuf_next(Protobuf *protobuf, ProtobufField *field, bool *more, Error *error)
{
    uint64_t key, len;
    *more = protobuf->at < protobuf->size;
    if (!*more) return OK;
    *field = (ProtobufField){ .place = protobuf->offset + protobuf->at };
    if (!varint(protobuf, &key) || key >> 3 == 0 || key >> 3 >= 1u << 29)
        return bad(protobuf, field->place, error, "found no number of a field, expected a protocol buffer");
    field->number = (int)(key >> 3);
    field->type = (ProtobufType)(key & 7);
    bool whole = false;
    switch (field->type) {
    case PROTOBUF_VARINT: whole = varint(protobuf, &field->value); break;
    case PROTOBUF_64: whole = fixed(protobuf, 8, &field->value); break;
    case PROTOBUF_32: whole = fixed(protobuf, 4, &field->value); break;
    case PROTOBUF_BYTES:
        whole = varint(protobuf, &len) && len <= protobuf->size - protobuf->at;
        if (!whole) break;
        field->bytes = (StrView){ (const char *)protobuf->data + protobuf->at, (size_t)len };
        protobuf->at += (size_t)len;
        break;
    default: return bad(protobuf, field->place, error, "found a field of an unknown type, expected a protocol buffer");
    }
    return whole ? OK : bad(protobuf, field->place, error, "found a field that is cut off");
}

bool protobuf_each(Protobuf *protobuf, ProtobufField *field, Status *status, Error *error)
{
    bool more = false;
    if (*status == OK) *status = protobuf_next(protobuf, field, &more, error);
    return *status == OK && more;
}

Status protobuf_flag(const Protobuf *protobuf, const ProtobufField *field, bool *out, Error *error)
{
    if (field->type != PROTOBUF_VARINT)
        return bad(protobuf, field->place, error, "found a field of another type, expected true or false");
    *out = field->value != 0;
    return OK;
}

Status protobuf_whole(const Protobuf *protobuf, const ProtobufField *field, int max, int *out, Error *error)
{
    if (field->type != PROTOBUF_VARINT || field->value > (uint64_t)max)
        return error_at(error, ERR_FORMAT, protobuf->path, 0, 0,
                        "byte %zu: found another value, expected a number from 0 to %d", field->place, max);
    *out = (int)field->value;
    return OK;
}

Status protobuf_float(const Protobuf *protobuf, const ProtobufField *field, float *out, Error *error)
{
    uint32_t bits = (uint32_t)field->value;
    if (field->type == PROTOBUF_32) memcpy(out, &bits, sizeof *out);
    if (field->type != PROTOBUF_32 || !isfinite(*out))
        return bad(protobuf, field->place, error, "found another value, expected a finite number");
    return OK;
}

Status protobuf_bytes(const Protobuf *protobuf, const ProtobufField *field, StrView *out, Error *error)
{
    if (field->type != PROTOBUF_BYTES)
        return bad(protobuf, field->place, error, "found a field of another type, expected bytes");
    *out = field->bytes;
    return OK;
}

Status protobuf_text(const Protobuf *protobuf, const ProtobufField *field, StrView *out, Error *error)
{
    Status s = protobuf_bytes(protobuf, field, out, error);
    if (s == OK && (utf8_invalid(out->ptr, out->len) < out->len || (out->len && memchr(out->ptr, 0, out->len))))
        s = bad(protobuf, field->place, error, "found bytes that are not UTF-8 text");
    return s;
}
