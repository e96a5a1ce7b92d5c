/* Any lines are read as documents or refused with a place; segments of a document
 * begin at 0, ascend, and begin before its end. */

#include "tests/fuzz/fuzz.h"
#include "treebank/document_lines.h"

static void check(const DocumentLine *d)
{
    require(d->line >= 1 && d->sentences.n >= 0 && d->summary.n >= 0 && d->n_segments >= 0);
    for (int k = 0; k < d->n_segments; k++) {
        require(k ? d->begin[k] > d->begin[k - 1] : d->begin[k] == 0);
        require(!k || !d->sentences.text || d->begin[k] < d->sentences.n);
    }
    require(!d->classes.text || d->classes.n == d->sentences.n);
    for (int k = 0; k < d->classes.n; k++) require(d->classes.text[k].len >= 1 && d->classes.text[k].len <= 100);
    for (int k = 0; k < d->sentences.n; k++) require(strlen(d->sentences.text[k].ptr) == d->sentences.text[k].len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MADE(DocumentLines, document_lines_init, document_lines_fini, d);
    Error e = { 0 };
    Status s = document_lines_read(&d, text_block((StrView){ (const char *)data, size }, "f"), &e);
    require(s != ERR_FORMAT || (e.line && e.column));
    for (int k = 0; k < d.n; k++) check(&d.d[k]);
    accepted(s, &e);
    return 0;
}
