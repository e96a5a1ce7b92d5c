/* Proxies that are believed (--trusted-proxy): whose client is it that a request comes from? Anyone can send a header
 * X-Forwarded-For, so it counts only as far as the machines that wrote it are trusted. */
#pragma once

#include "base/error.h"
#include "base/text.h"

typedef struct ProxyNetwork {
    bool socket;               /* clients of a unix socket, who have no address */
    unsigned char address[16]; /* of IPv6; addresses of IPv4 are ::ffff:a.b.c.d */
    int bits;                  /* of it that count */
} ProxyNetwork;

/* Reads "10.0.0.7", "10.0.0.0/8", "::1", "fd00::/8" or "unix". ERR_USAGE. */
Status proxy_read(const char *text, ProxyNetwork *to, Error *error);

/* Is the address in one of the n networks? "-": the address of a unix socket. */
bool proxy_trusted(const ProxyNetwork *network, int n, const char *address);

enum { PROXY_ADDRESS = 64 /* bytes of an address as text */ };
/* Replaces the address that a connection comes from by the last one in X-Forwarded-For, "1.2.3.4, [::1]:80", that is
 * not of a trusted proxy, or the first one if all are. What stands before an entry that is no address is not believed.
 */
void proxy_client(const ProxyNetwork *network, int n, StrView forwarded, char address[PROXY_ADDRESS]);
