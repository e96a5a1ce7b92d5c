/* Make_treebank N SEED STEM writes N sentences of the test grammar to STEM.trees and
 * STEM.conllx. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "tests/support/grammar.h"
#include "treebank/conll.h"

static int put(const char *stem, const char *ending, const StrBuf *text)
{
    char path[512];
    FileWriter w;
    Error e = { 0 };
    snprintf(path, sizeof path, "%s.%s", stem, ending);
    if (filewriter_open(&w, path, &e) != OK) return 1;
    filewriter_write(&w, text->ptr, text->len);
    return filewriter_close(&w, true, &e) != OK;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    Treebank tb;
    StrBuf trees = { 0 }, deps = { 0 };
    treebank_init(&tb);
    if (!grammar_sentences(&tb, atoi(argv[1]), (uint64_t)atol(argv[2]))) return 1;
    for (int k = 0; k < tb.n; k++) {
        tree_write(&trees, &tb.s[k]);
        strbuf_putc(&trees, '\n');
        conll_write(&deps, &tb.s[k], CONLL_X, NULL);
    }
    int bad = put(argv[3], "trees", &trees) + put(argv[3], "conllx", &deps);
    strbuf_fini(&trees);
    strbuf_fini(&deps);
    treebank_fini(&tb);
    return bad ? 1 : 0;
}
