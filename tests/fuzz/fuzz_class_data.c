/* Any file of classes and sentences is read or refused with a place; what is read has a
 * class and a word in each sentence, and is the same when it is written and read again. */

#include "parser/task/classify/class_data.h"
#include "tests/fuzz/fuzz.h"

static void put(StrBuf *out, const Sentence *sent)
{
    strbuf_puts(out, sent->target);
    for (int w = 0; w < sent->n_words; w++) {
        strbuf_putc(out, w ? ' ' : '\t');
        strbuf_puts(out, sent->words[w]);
    }
    strbuf_putc(out, '\n');
}

/* The lines of a file as they are read; false if it is refused. */
static int lines_of(const void *data, size_t size, StrBuf *out)
{
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(data, size, 0);
    FREED(corpus_fini) Corpus c;
    Error e = { 0 };
    Status s = class_data_load(&c, file.path, NULL, NULL, &e);
    require(s != ERR_FORMAT || e.line);
    for (int k = 0; s == OK && k < c.trees.n; k++) {
        require(c.trees.s[k].target[0] && c.trees.s[k].n_words >= 1);
        put(out, &c.trees.s[k]);
    }
    require(s != OK || c.trees.n > 0);
    return accepted(s, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FREED(strbuf_fini) StrBuf once = { 0 }, twice = { 0 };
    if (lines_of(data, size, &once)) {
        require(lines_of(once.ptr, once.len, &twice));
        require_equal(&once, &twice);
    }
    return 0;
}
