/* Trees in brackets that a test has as text, and simple ways for what treebank/ does in blocks, or for all phrases at
 * once. */
#pragma once

#include "tests/support/check.h"
#include "treebank/conll.h"
#include "treebank/format.h"
#include "treebank/json_lines.h"

/* Appends the sentences of a whole text to tb; FORMAT_AUTO guesses the format. CoNLL fills Sentence.lines. */
static inline Status format_read(Treebank *tb, TextBlock text, TreebankFormat format, BracketOptions o, Error *e)
{
    ConllOptions rows = { .keep_lines = true, .keep_spelling = o.keep_spelling, .bare = true };
    if (format == FORMAT_AUTO) format = format_guess(text.text);
    if (format == FORMAT_AUTO) return format_unknown(text.path, e);
    if (format == FORMAT_CONLL) return conll_read(tb, text, rows, e);
    if (format == FORMAT_JSON_LINES) return json_lines_read(tb, text, (JsonOptions){ 0 }, e);
    o.dialect = format_dialect(format);
    return bracket_read(tb, text, o, e);
}

/* The number of words of a phrase whose heads are outside it; the sentence has heads. */
static inline int phrase_outside_heads(const Sentence *sent, const Phrase *p)
{
    int outside = 0;
    for (int w = p->begin; w < p->end; w++) outside += sent->heads[w] <= p->begin || sent->heads[w] > p->end;
    return outside;
}

/* Labels are kept as they are. */
static inline void read_trees(Treebank *tb, const char *text)
{
    treebank_init(tb);
    assert_ok(bracket_read(tb, text_block(view(text), "f"), (BracketOptions){ 0 }, test_error()));
}

static inline void read_one(Treebank *tb, const char *text)
{
    read_trees(tb, text);
    assert_int_equal(tb->n, 1);
}
