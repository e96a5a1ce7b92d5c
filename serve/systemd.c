/* Three of its protocols, by the environment: a socket that is handed over, notices of the state,
 * and the watchdog. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/systemd.h"

enum { FIRST_SOCKET = 3 };

static bool names_this_process(const char *variable)
{
    const char *pid = getenv(variable);
    return pid && strtol(pid, NULL, 10) == (long)getpid();
}

int systemd_socket(void)
{
    const char *n = getenv("LISTEN_FDS");
    return n && strtol(n, NULL, 10) >= 1 && names_this_process("LISTEN_PID") ? FIRST_SOCKET : -1;
}

bool systemd_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    if (!path || !*path || strlen(path) >= sizeof to.sun_path) return true;
    memcpy(to.sun_path, path, strlen(path));
    if (*path == '@') to.sun_path[0] = 0; /* an abstract name */
    int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s < 0) return false;
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ .tv_sec = 1 }, sizeof(struct timeval));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    bool good = sendto(s, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to, size) >= 0;
    int code = errno;
    close(s);
    errno = code;
    return good;
}

double systemd_watchdog(void)
{
    const char *microseconds = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!microseconds || (pid && !names_this_process("WATCHDOG_PID"))) return 0;
    return strtod(microseconds, NULL) / 2e6;
}
