/* tensor/cpu/packed.h
 * Products with a weight whose values do not change: oneDNN's fast kernels want it in an order of their own, in which
 * it is kept. */
#pragma once

#include "tensor/device.h"

/* y = act(x w + bias), x [rows, w.rows], as cpu_linear; false, and y is still to be computed, where oneDNN or a fast
 * kernel of it is not there, the weight may change, or memory is out. A row of y does not depend on the other rows, to
 * the bit. The first product with a weight packs it. Thread safe. */
bool cpu_packed_product(Real *y, int ldy, const Real *x, int ldx, int rows, const Weight *w, const Real *bias,
                        bool relu);

/* Operands are these from now on. */
void cpu_packed_operands(Products p);

/* `packed` and `unpack` of the device. */
PackedWeight *cpu_packed_new(void);
void cpu_packed_free(PackedWeight *w);
