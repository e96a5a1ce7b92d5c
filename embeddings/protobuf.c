/* A reader is a range of bytes and a place; every length is checked against what is left of
 * the range. */
#include "embeddings/protobuf.h"

#include <math.h>
#include <string.h>

Protobuf protobuf_file(StrView data, const char *path)
{
    return (Protobuf){ .data = (const unsigned char *)data.ptr, .size = data.len, .path = path };
}

Protobuf protobuf_message(const Protobuf *outer, const ProtobufField *f)
{
    const unsigned char *data = (const unsigned char *)f->bytes.ptr;
    return (Protobuf){
        .data = data, .size = f->bytes.len, .offset = outer->offset + (size_t)(data - outer->data), .path = outer->path
    };
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

Status protobuf_next(Protobuf *p, ProtobufField *f, bool *more, Error *e)
{
    uint64_t key, len;
    *more = p->at < p->size;
    if (!*more) return OK;
    *f = (ProtobufField){ .place = p->offset + p->at };
    if (!varint(p, &key) || key >> 3 == 0 || key >> 3 >= 1u << 29)
        return bad(p, f->place, e, "found no number of a field, expected a protocol buffer");
    f->number = (int)(key >> 3);
    f->type = (ProtobufType)(key & 7);
    bool whole = false;
    switch (f->type) {
    case PROTOBUF_VARINT: whole = varint(p, &f->value); break;
    case PROTOBUF_64: whole = fixed(p, 8, &f->value); break;
    case PROTOBUF_32: whole = fixed(p, 4, &f->value); break;
    case PROTOBUF_BYTES:
        whole = varint(p, &len) && len <= p->size - p->at;
        if (!whole) break;
        f->bytes = (StrView){ (const char *)p->data + p->at, (size_t)len };
        p->at += (size_t)len;
        break;
    default: return bad(p, f->place, e, "found a field of an unknown type, expected a protocol buffer");
    }
    return whole ? OK : bad(p, f->place, e, "found a field that is cut off");
}

bool protobuf_each(Protobuf *p, ProtobufField *f, Status *s, Error *e)
{
    bool more = false;
    if (*s == OK) *s = protobuf_next(p, f, &more, e);
    return *s == OK && more;
}

Status protobuf_flag(const Protobuf *p, const ProtobufField *f, bool *out, Error *e)
{
    if (f->type != PROTOBUF_VARINT) return bad(p, f->place, e, "found a field of another type, expected true or false");
    *out = f->value != 0;
    return OK;
}

Status protobuf_whole(const Protobuf *p, const ProtobufField *f, int max, int *out, Error *e)
{
    if (f->type != PROTOBUF_VARINT || f->value > (uint64_t)max)
        return error_at(e, ERR_FORMAT, p->path, 0, 0, "byte %zu: found another value, expected a number from 0 to %d",
                        f->place, max);
    *out = (int)f->value;
    return OK;
}

Status protobuf_float(const Protobuf *p, const ProtobufField *f, float *out, Error *e)
{
    uint32_t bits = (uint32_t)f->value;
    if (f->type == PROTOBUF_32) memcpy(out, &bits, sizeof *out);
    if (f->type != PROTOBUF_32 || !isfinite(*out))
        return bad(p, f->place, e, "found another value, expected a finite number");
    return OK;
}

Status protobuf_bytes(const Protobuf *p, const ProtobufField *f, StrView *out, Error *e)
{
    if (f->type != PROTOBUF_BYTES) return bad(p, f->place, e, "found a field of another type, expected bytes");
    *out = f->bytes;
    return OK;
}

Status protobuf_text(const Protobuf *p, const ProtobufField *f, StrView *out, Error *e)
{
    Status s = protobuf_bytes(p, f, out, e);
    if (s == OK && (utf8_invalid(out->ptr, out->len) < out->len || (out->len && memchr(out->ptr, 0, out->len))))
        s = bad(p, f->place, e, "found bytes that are not UTF-8 text");
    return s;
}
