/* Texts in CoNLL-U and their scores, for the tests of eval/align.h. */
#pragma once

#include "eval/align.h"
#include "tests/support/check.h"
#include "treebank/conll.h"

static inline void read_conllu(Treebank *tb, const char *text)
{
    treebank_init(tb);
    assert_ok(conll_read(tb, text_block(view(text), "f"), (ConllOptions){ .keep_columns = true }, test_error()));
}

/* Scores two texts in CoNLL-U. */
static inline AlignScores scores(const char *gold, const char *pred)
{
    AlignScores s;
    MADE(Treebank, read_conllu, treebank_fini, g, gold);
    MADE(Treebank, read_conllu, treebank_fini, p, pred);
    assert_ok(align_score(&g, &p, "g", "p", &s, test_error()));
    return s;
}
