/* A model for a person who reads it on a screen: lists are cut after a few lines, and only options that differ from
 * their defaults are shown. `lal model info --format json` has everything. */
#pragma once

#include "parser/model/model_file.h"

/* Appends lines of a name and a value. path: the name of the file to show. */
void model_text(StrBuf *out, const Model *model, const ModelStorage *storage, const char *path);

/* Which heads pruning has left, as a JSON member `key` (NULL: a value): in a layer [0, 2], or null for all; in the
 * n_layers layers from `first` of Model.kept. */
void model_text_layer(StrBuf *out, const char *key, const HeadNumbers *kept);
void model_text_kept(StrBuf *out, const char *key, const Model *model, LayerId first);
bool model_text_lacks_pal(const Model *model);
