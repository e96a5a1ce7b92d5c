/* The directory at the end of an archive says where everything is; of the header before each file only its length is
 * used. (PKWARE's APPNOTE, 4.3 and 4.5) */
#include "base/zip.h"

enum { END = 22, LOCATOR = 20, END64 = 56, ENTRY = 46, LOCAL = 30, MOST_COMMENT = 0xffff };
static const uint64_t IN_ZIP64 = 0xffffffff; /* in place of a number that the extra field has in 8 bytes */

typedef struct Reader {
    const unsigned char *data;
    size_t size;
    const char *path;
    Error *e;
} Reader;

static Status bad(const Reader *r, size_t place, const char *what)
{
    return error_at(r->e, ERR_FORMAT, r->path, 0, 0, "byte %zu: %s", place, what);
}

static uint64_t number(const unsigned char *p, int bytes)
{
    uint64_t n = 0;
    for (int k = bytes - 1; k >= 0; k--) n = n << 8 | p[k];
    return n;
}

/* Do `size` bytes from `at` on lie before `end`, and begin with P, K and the two bytes of `kind`? */
static bool is_part(const Reader *r, uint64_t at, size_t size, size_t end, const char *kind)
{
    return at <= end && size <= end - at && memcmp(r->data + at, "PK", 2) == 0 &&
           memcmp(r->data + at + 2, kind, 2) == 0;
}

/* Sets *at and *n to place and number of the entries of the directory, and *end to where it ends. */
static Status find_directory(const Reader *r, uint64_t *at, uint64_t *n, size_t *end)
{
    if (r->size < END) return bad(r, 0, "found no end of a zip archive, expected one");
    size_t e = r->size - END, first = e > MOST_COMMENT ? e - MOST_COMMENT : 0;
    while (!is_part(r, e, END, r->size, "\5\6") || number(r->data + e + 20, 2) != r->size - END - e)
        if (e-- == first) return bad(r, r->size, "found no end of a zip archive, expected one");
    *n = number(r->data + e + 10, 2);
    *at = number(r->data + e + 16, 4);
    *end = e;
    if (e >= LOCATOR && is_part(r, e - LOCATOR, LOCATOR, e, "\6\7")) {
        uint64_t e64 = number(r->data + e - LOCATOR + 8, 8);
        if (!is_part(r, e64, END64, e - LOCATOR, "\6\6"))
            return bad(r, e - LOCATOR, "found no end of a directory of zip64 where this says, expected one");
        *n = number(r->data + e64 + 32, 8);
        *at = number(r->data + e64 + 48, 8);
        *end = (size_t)e64;
    }
    return OK;
}

/* Numbers that do not fit in an entry are in a field of its extra fields, in this order. */
static bool read_zip64(const unsigned char *p, size_t size, uint64_t *const numbers[3])
{
    size_t left = 0;
    while (size >= 4 && !left) {
        bool found = number(p, 2) == 1;
        size_t length = (size_t)number(p + 2, 2);
        p += 4;
        size -= 4;
        if (length > size) return false;
        if (found) left = length;
        else {
            p += length;
            size -= length;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (*numbers[k] != IN_ZIP64) continue;
        if (left < 8) return false;
        *numbers[k] = number(p, 8);
        p += 8;
        left -= 8;
    }
    return true;
}

static Status add_entry(Zip *zip, const Reader *r, size_t at, size_t end, size_t *next)
{
    if (!is_part(r, at, ENTRY, end, "\1\2")) return bad(r, at, "found no entry of the zip archive, expected one");
    const unsigned char *p = r->data + at;
    size_t name = (size_t)number(p + 28, 2), extra = (size_t)number(p + 30, 2), comment = (size_t)number(p + 32, 2);
    uint64_t stored = number(p + 20, 4), size = number(p + 24, 4), from = number(p + 42, 4);
    if (name + extra + comment > end - at - ENTRY) return bad(r, at, "found an entry that is cut off");
    if (number(p + 8, 2) & 1) return bad(r, at, "found an encrypted file, expected a plain one");
    if (number(p + 10, 2)) return bad(r, at, "found a compressed file, expected a stored one");
    if (!read_zip64(p + ENTRY + name, extra, (uint64_t *const[]){ &size, &stored, &from }))
        return bad(r, at, "found an extra field that is cut off");
    if (!is_part(r, from, LOCAL, r->size, "\3\4")) return bad(r, at, "found no file where this says, expected one");
    uint64_t data = from + LOCAL + number(r->data + from + 26, 2) + number(r->data + from + 28, 2);
    if (stored != size || data > r->size || size > r->size - data)
        return bad(r, at, "found a file that is longer than the archive");
    if (memchr(p + ENTRY, 0, name)) return bad(r, at, "found a NUL byte in a name");
    int before = zip->names.n, k = map_add(&zip->names, (const char *)p + ENTRY, name);
    if (k < 0) return error_set(r->e, ERR_NOMEM, "out of memory reading %s", r->path);
    if (k < before) return bad(r, at, "found a name for the second time");
    zip->file[k] = (StrView){ (const char *)r->data + data, (size_t)size };
    *next = at + ENTRY + name + extra + comment;
    return OK;
}

Status zip_open(Zip *zip, StrView archive, const char *path, Error *error)
{
    const Reader r = { (const unsigned char *)archive.ptr, archive.len, path, error };
    uint64_t at = 0, n = 0;
    size_t end = 0, next = 0;
    *zip = (Zip){ 0 };
    map_init(&zip->names);
    Status s = find_directory(&r, &at, &n, &end);
    if (s == OK && (at > end || n > (end - at) / ENTRY)) s = bad(&r, end, "found a directory that is cut off");
    if (s == OK) zip->file = mem_calloc((size_t)n, sizeof *zip->file);
    if (s == OK && n && !zip->file) s = error_set(error, ERR_NOMEM, "out of memory reading %s", path);
    if (s == OK) next = (size_t)at;
    for (uint64_t k = 0; k < n && s == OK; k++) s = add_entry(zip, &r, next, end, &next);
    if (s != OK) zip_close(zip);
    return s;
}

void zip_close(Zip *zip)
{
    map_fini(&zip->names);
    mem_free(zip->file);
    *zip = (Zip){ 0 };
}
