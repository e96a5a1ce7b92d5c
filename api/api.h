/* api/api.h
 * The public library is include/lalparser.h; this is for tests that load small files as it loads large ones. */
#pragma once

#include "include/lalparser.h"

/* lal_model_load, where files above map_above bytes stay mapped (FILEMAP_NEVER: none do). */
LalModel *api_model_load(const char *path, size_t map_above, LalError *error);
