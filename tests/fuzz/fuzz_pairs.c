/* Any two files of texts are read as pairs or refused with a place; both sides of a pair have
 * text, and pairs are the same when they are written and read again. A line "=" is between the two files. */
#include "parser/task/translate/pair_data.h"
#include "tests/fuzz/fuzz.h"

/* The sides of the pairs, a line each; false if the files are refused. */
static int pairs_of(StrView source, StrView target, StrBuf out[2])
{
    FREED(fuzz_unlink) FuzzFile en = fuzz_file(source.ptr, source.len, 0);
    FREED(fuzz_unlink) FuzzFile de = fuzz_file(target.ptr, target.len, 1);
    FREED(corpus_fini) Corpus c;
    Error e = { 0 };
    Status s = pair_data_load(&c, en.path, de.path, &e);
    require(s != ERR_FORMAT || e.line);
    for (int k = 0; s == OK && k < c.trees.n; k++) {
        const Sentence *pair = &c.trees.s[k];
        require(pair->n_words == 1 && pair->words[0][0] && pair->target[0]);
        strbuf_printf(&out[0], "%s\n", pair->words[0]);
        strbuf_printf(&out[1], "%s\n", pair->target);
    }
    require(s != OK || c.trees.n > 0);
    return accepted(s, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    StrBuf once[2] = { { 0 }, { 0 } }, twice[2] = { { 0 }, { 0 } };
    StrView target, source = fuzz_cut(fuzz_text(data, size), &target);
    if (pairs_of(source, target, once)) {
        require(pairs_of(fuzz_text(once[0].ptr, once[0].len), fuzz_text(once[1].ptr, once[1].len), twice));
        for (int k = 0; k < 2; k++) require_equal(&once[k], &twice[k]);
    }
    for (int k = 0; k < 2; k++) {
        strbuf_fini(&once[k]);
        strbuf_fini(&twice[k]);
    }
    return 0;
}
