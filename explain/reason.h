/* Why a decision was made, and what would change it, in a few sentences of English, from the numbers of an explanation
 * and nothing else. */
#pragma once

#include "explain/inspection.h"

/* Appends the reason of a decision that has an alternative (Explained.other): what is in doubt, what the best other
 * parse has in its place and by how much it scores less, whose part that is, which tags near it are in doubt, and which
 * changes of the sentence change it. missing: x is a gold phrase that the parse lacks. Out of memory sets
 * out->failed. */
void reason_text(StrBuf *out, const Inspected *inspected, const Explained *x, bool missing);
