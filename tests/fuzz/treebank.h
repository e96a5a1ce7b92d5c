/* Shared by the fuzz targets of treebank readers. */
#pragma once

#include "tests/fuzz/fuzz.h"
#include "tests/support/round_trip.h"
#include "tests/support/trees.h"
#include "treebank/oracle.h"

/* The trees can be converted for training, and written in every format and read back as the same sentences. */
static inline void check_sentences(Treebank *tb)
{
    FREED(strbuf_fini) StrBuf shown = { 0 };
    for (int k = 0; k < tb->n; k++) {
        require(round_trip_from(&tb->s[k], false, &shown) < 0);
        require(!tb->s[k].has_tree || oracle_convert(&tb->s[k], &tb->arena));
    }
}

/* Do the heads form a tree with one root? */
static inline bool valid(const Sentence *s)
{
    int word;
    const char *what;
    return tree_heads_valid(s->heads, s->n_words, &word, &what);
}

/* Valid dependencies with one head per phrase. */
static inline void check_heads(const Sentence *s)
{
    require(valid(s));
    for (int p = 0; p < s->n_phrases; p++) require(phrase_outside_heads(s, &s->phrases[p]) == 1);
}
