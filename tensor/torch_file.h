/* Weights as PyTorch saves them (torch.save of a state dict: pytorch_model.bin): since its release 1.6 a zip archive of
 * a pickle and one file for each storage, before a row of pickles and the storages after them. Nothing of the file is
 * run (torch_pickle.h). */
#pragma once

#include "tensor/safetensors.h"

/* Maps a file; st has its tensors, as of safetensors_open, without metadata. Tensors may share numbers. What is no
 * tensor is left out. ERR_FORMAT: another kind of file, another byte order, a damaged file; a tensor outside its
 * storage, of more than ST_MAX_DIMS dimensions, or whose numbers are neither row by row nor column by column. ERR_IO,
 * ERR_LIMIT, ERR_NOMEM. */
Status torch_file_open(SafeTensors *st, const char *path, Error *error);
