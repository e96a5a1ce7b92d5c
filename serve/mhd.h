/* libmicrohttpd, which is loaded when a server starts: `lal` needs it for nothing else. Its functions are members of
 * `mhd`, so a call reads mhd.MHD_queue_response(...). */
#pragma once

#include <microhttpd.h>

#include "base/error.h"

#define MHD_EACH(F)                      \
    F(MHD_start_daemon)                  \
    F(MHD_stop_daemon)                   \
    F(MHD_quiesce_daemon)                \
    F(MHD_suspend_connection)            \
    F(MHD_resume_connection)             \
    F(MHD_queue_response)                \
    F(MHD_create_response_from_buffer)   \
    F(MHD_create_response_from_callback) \
    F(MHD_destroy_response)              \
    F(MHD_add_response_header)           \
    F(MHD_get_connection_info)           \
    F(MHD_get_connection_values)         \
    F(MHD_set_connection_option)         \
    F(MHD_lookup_connection_value)

#define MHD_MEMBER(name) __typeof__(&(name)) name;
typedef struct MhdLibrary {
    MHD_EACH(MHD_MEMBER)
} MhdLibrary;
#undef MHD_MEMBER

extern MhdLibrary mhd; /* without functions until mhd_load */

/* ERR_IO: there is no such library. */
Status mhd_load(Error *error);
