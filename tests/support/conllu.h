/* Texts in CoNLL-U and their scores, for the tests of eval/align.h. */
#pragma once

#include "eval/align.h"
#include "tests/support/check.h"
#include "treebank/conll.h"

static inline void read_conllu(Treebank *tb, const char *text)
{
    Error e = { 0 };
    treebank_init(tb);
    if (conll_read(tb, text_block(view(text), "f"), (ConllOptions){ .keep_columns = true }, &e) != OK)
        fail_msg("%s", e.message);
}

/* Scores two texts in CoNLL-U. */
static inline AlignScores scores(const char *gold, const char *pred)
{
    AlignScores s;
    Error e = { 0 };
    MADE(Treebank, read_conllu, treebank_fini, g, gold);
    MADE(Treebank, read_conllu, treebank_fini, p, pred);
    if (align_score(&g, &p, "g", "p", &s, &e) != OK) fail_msg("%s", e.message);
    return s;
}
