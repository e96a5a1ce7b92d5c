/* The library is opened by its name, and each function that the server calls is looked up. */
#include "serve/mhd.h"

#include <dlfcn.h>

#define LIBRARY "libmicrohttpd.so.12"

MhdLibrary mhd;

Status mhd_load(Error *error)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, ERR_IO,
                         "%s: found no such library, which lal serve needs (Debian: apt install libmicrohttpd12)",
                         LIBRARY);
#define FIND(name)                                       \
    *(void **)(void *)&mhd.name = dlsym(library, #name); \
    if (!mhd.name) return error_set(error, ERR_IO, "%s: found no function %s", LIBRARY, #name);
    MHD_EACH(FIND)
#undef FIND
    return OK;
}
