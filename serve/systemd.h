/* The protocols of systemd, without its library. */
#pragma once

#include <stdbool.h>

/* The socket that systemd has opened (LISTEN_FDS), or -1. */
int systemd_socket(void);
/* Sends "READY=1" and the like to NOTIFY_SOCKET; without it nothing. Waits for a second at most. false, with errno: it
 * was not taken. */
bool systemd_notify(const char *state);
/* Seconds between two "WATCHDOG=1", half of what the unit asks for; 0: none are wanted. */
double systemd_watchdog(void);
