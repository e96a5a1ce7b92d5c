/* A decoder without the heads whose gates are closed (Voita et al. 2019, section 6), as encoder_prune.h has it for
 * encoders. */
#pragma once

#include "lal/decoder.h"

/* Sets head [*n] to the heads of a layer whose gates are open, all where it has none. ERR_RANGE where a gate is not
 * finite, ERR_NOMEM. */
Status decoder_prune_open(const Decoder *dec, const ParamSet *ps, DecoderStack stack, int layer, int *head, int *n,
                          Error *error);
/* Has the parameter weights of single heads of attention? decoder_prune copies these. */
bool decoder_prune_copies(const Decoder *dec, int param);
/* Copies the weights of the heads that `to` has; gates become factors of their outputs. Other parameters stay as they
 * are. ERR_RANGE, ERR_NOMEM; ERR_CONFIG where `from` lacks a head. */
Status decoder_prune(const Decoder *from, const ParamSet *ps, const Decoder *to, ParamSet *to_ps, Error *error);
