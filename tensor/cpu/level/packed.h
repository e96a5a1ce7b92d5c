/* Products with a weight whose values do not change: a copy of it is kept, in the vectors and the number type of the
 * product (tensor/cpu/level/product.h). */
#pragma once

#include "tensor/device.h"

/* y = act(x weight + bias), x [rows, weight.rows], as cpu_linear; false, and y is still to be computed, where the
 * weight may change or memory is out. A row of y does not depend on the other rows, to the bit. The first product with
 * a weight packs it. Thread safe. */
bool packed_product(Real *y, int ldy, const Real *x, int ldx, int rows, const Weight *weight, const Real *bias,
                    bool relu);

/* C = op(A) op(B) or, with add, C +=, with operands rounded to bfloat16, if packed_operands has chosen that and the
 * product is large enough; false: C is unchanged. */
bool packed_bf16(bool ta, bool tb, int m, int n, int k, const Real *a, int lda, const Real *b, int ldb, bool add,
                 Real *c, int ldc);

/* `set_products` of the device. */
Status packed_operands(Products products, Error *error);

/* `packed` and `unpack` of the device. */
PackedWeight *packed_new(void);
void packed_free(PackedWeight *weight);
