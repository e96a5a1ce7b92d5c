/* Splits words at hyphens and slashes, as OntoNotes, the English Web Treebank, GUM and CRAFT do, and the Penn Treebank
 * and GENIA do not:
 *
 *   well-known -> well - known   US-based -> US - based   14-year-old -> 14 - year - old   1990-95 -> 1990 - 95
 *   and/or -> and / or           book- it's -> book - it 's
 *
 * Whole stay affixes (non-profit, e-mail, Kafka-esque), interjections (uh-oh), words broken off (th-), telephone
 * numbers, dates and fractions (555-0123, 02-05-2001, 9/11), codes with two numbers (SCAP-22-368), single letters
 * (s/he), addresses, paths and names of files. The lists and rules follow the train splits of EWT and GUM. */
#pragma once

#include "language/english/text/segment.h"

/* Replaces tokens by their pieces, and counts sentences' tokens again. Forms are in the arena. false when out of
 * memory; then only segmented_text_fini may be called. */
bool segment_split_hyphens(SegmentedText *text, Arena *arena);
