/* The one file that a program in WebAssembly has. */
#pragma once

#include <stddef.h>

/* From now on every file that is mapped (base/filemap.h), whatever its name, is these bytes, which are kept by
 * reference. */
void system_file(const unsigned char *bytes, size_t size);
