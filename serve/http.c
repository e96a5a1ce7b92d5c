/* Headers are counted as they come, and a request that two servers could read in two ways is refused. */
#include "serve/http.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

bool http_is_token(const char *text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (const char *c = text; *c; c++)
        if (!(*c >= '0' && *c <= '9') && !(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !strchr(others, *c))
            return false;
    return *text;
}

/* ---- framing */

static bool begins(const char *text, const char *with) { return strncasecmp(text, with, strlen(with)) == 0; }

void http_framing_add(HttpFraming *framing, const char *name, const char *value)
{
    static const char length[] = "Content-Length", coding[] = "Transfer-Encoding";
    bool is_length = strcasecmp(name, length) == 0, is_coding = strcasecmp(name, coding) == 0;
    framing->lengths += is_length;
    framing->codings += is_coding;
    framing->hosts += strcasecmp(name, "Host") == 0;
    framing->other_coding |= is_coding && strcasecmp(value ? value : "", "chunked") != 0;
    /* libmicrohttpd appends the second line of a folded header to the name: Transfer-Encodingchunked */
    framing->odd_name |=
        !http_is_token(name) || (!is_length && begins(name, length)) || (!is_coding && begins(name, coding));
}

int http_framing_fault(const HttpFraming *framing, const char *version, const char **why)
{
    *why = "";
    if (framing->odd_name) *why = "found a header whose name is not well-formed";
    else if (framing->lengths + framing->codings > 1)
        *why = "found more than one of Content-Length and Transfer-Encoding";
    else if (framing->hosts > 1) *why = "found more than one Host";
    else if (framing->codings && strcmp(version, "HTTP/1.0") == 0) *why = "found Transfer-Encoding in HTTP/1.0";
    if (**why) return 400;
    if (!framing->other_coding) return 0;
    *why = "Transfer-Encoding: found another coding, expected chunked";
    return 501;
}

/* ---- targets */

const char *http_path(const char *target)
{
    size_t skip = begins(target, "http://") ? 7 : begins(target, "https://") ? 8 : 0;
    if (!skip) return target;
    const char *path = target + skip + strcspn(target + skip, "/");
    return *path ? path : "/";
}

/* ---- hosts */

/* Without its port. */
static StrView host_alone(StrView host)
{
    const char *close = host.len && *host.ptr == '[' ? memchr(host.ptr, ']', host.len) : NULL;
    if (close) return (StrView){ host.ptr + 1, (size_t)(close - host.ptr) - 1 };
    const char *colon = host.len ? memchr(host.ptr, ':', host.len) : NULL;
    return colon ? (StrView){ host.ptr, (size_t)(colon - host.ptr) } : host;
}

bool http_host_is_loopback(StrView host)
{
    static const char name[] = "localhost";
    const size_t n = sizeof name - 1;
    char text[INET6_ADDRSTRLEN];
    struct in_addr four;
    struct in6_addr six;
    StrView v = host_alone(host);
    if (v.len && v.ptr[v.len - 1] == '.') v.len--;
    if (v.len >= n && strncasecmp(v.ptr + v.len - n, name, n) == 0) return v.len == n || v.ptr[v.len - n - 1] == '.';
    if (v.len >= sizeof text) return false;
    memcpy(text, v.ptr, v.len);
    text[v.len] = 0;
    if (inet_pton(AF_INET, text, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}
