/* Addresses of both kinds are compared as 128 bits; the list in the header is read from its end, as
 * far as the proxies are trusted. */
#include "serve/proxy.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const unsigned char MAPPED[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* The bits of an address of IPv4 (32) or IPv6 (128), or 0. */
static int read_address(const char *text, unsigned char to[16])
{
    memcpy(to, MAPPED, sizeof MAPPED);
    if (inet_pton(AF_INET, text, to + sizeof MAPPED) == 1) return 32;
    return inet_pton(AF_INET6, text, to) == 1 ? 128 : 0;
}

Status proxy_read(const char *text, ProxyNetwork *to, Error *error)
{
    static const char expected[] = "an address, a network such as 10.0.0.0/8, or unix";
    char address[PROXY_ADDRESS];
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);
    *to = (ProxyNetwork){ .socket = strcmp(text, "unix") == 0 };
    if (to->socket) return OK;
    if (len >= sizeof address)
        return error_set(error, ERR_USAGE, "--trusted-proxy: found '%s', expected %s", text, expected);
    snprintf(address, sizeof address, "%.*s", (int)len, text);
    int most = read_address(address, to->address), bits = most;
    bool good = most && (!slash || (text_number((StrView){ slash + 1, strlen(slash + 1) }, &bits) && bits <= most));
    to->bits = 128 - most + bits;
    return good ? OK : error_set(error, ERR_USAGE, "--trusted-proxy: found '%s', expected %s", text, expected);
}

static bool same_bits(const unsigned char *a, const unsigned char *b, int n)
{
    int whole = n / 8, rest = n % 8;
    return memcmp(a, b, (size_t)whole) == 0 && (!rest || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

bool proxy_trusted(const ProxyNetwork *network, int n, const char *address)
{
    unsigned char read[16];
    bool none = strcmp(address, "-") == 0, good = false;
    if (!none && !read_address(address, read)) return false;
    for (int k = 0; k < n; k++)
        good |= none ? network[k].socket : !network[k].socket && same_bits(read, network[k].address, network[k].bits);
    return good;
}

/* Writes an entry, which may have brackets and a port, as an address; false: it is not an address. */
static bool take_entry(StrView entry, char address[PROXY_ADDRESS])
{
    char text[PROXY_ADDRESS];
    unsigned char read[16];
    bool brackets = entry.len && *entry.ptr == '[';
    const char *end = memchr(entry.ptr, brackets ? ']' : ':', entry.len);
    bool port = end && !brackets && !memchr(end + 1, ':', (size_t)(entry.ptr + entry.len - end - 1)); /* of IPv4 */
    if (brackets && !end) return false;
    StrView v = brackets ? (StrView){ entry.ptr + 1, (size_t)(end - entry.ptr - 1) }
                         : (StrView){ entry.ptr, port ? (size_t)(end - entry.ptr) : entry.len };
    if (v.len >= sizeof text) return false;
    snprintf(text, sizeof text, "%.*s", (int)v.len, v.ptr);
    if (!read_address(text, read)) return false;
    bool four = memcmp(read, MAPPED, sizeof MAPPED) == 0;
    return inet_ntop(four ? AF_INET : AF_INET6, four ? read + sizeof MAPPED : read, address, PROXY_ADDRESS) != NULL;
}

void proxy_client(const ProxyNetwork *network, int n, StrView forwarded, char address[PROXY_ADDRESS])
{
    size_t end = forwarded.len;
    while (end && proxy_trusted(network, n, address)) {
        size_t from = end;
        while (from && forwarded.ptr[from - 1] != ',') from--;
        StrView entry = { forwarded.ptr + from, end - from };
        while (entry.len && strchr(" \t", *entry.ptr)) entry.ptr++, entry.len--;
        while (entry.len && strchr(" \t", entry.ptr[entry.len - 1])) entry.len--;
        if (!take_entry(entry, address)) return;
        end = from ? from - 1 : 0;
    }
}
