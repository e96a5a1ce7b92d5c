/* Do two models attend alike, such as two runs with different seeds (Li et al. 2022)? The divergence of the
 * attention of each head from the attention of heads in the same layer of the other model, over the words of texts
 * (head_divergence). */
#pragma once

#include "base/text.h"
#include "parser/heads/word_attention.h"

typedef struct HeadAgainst {
    WordAttention a, b;
    Worker *worker[2];               /* of a and b, borrowed */
    double *sum;                     /* [a.n, b.n] sums over the words; of heads of the same layer */
    double *uniform;                 /* [a.n] from uniform attention */
    long words, sentences, left_out; /* left_out: what a pretrained encoder cannot take at once */
} HeadAgainst;

/* Errors of word_attention_init, ERR_NOMEM. head_against_fini must be called in any case. */
Status head_against_init(HeadAgainst *against, Worker *first, Worker *second, Error *error);
void head_against_fini(HeadAgainst *against);
/* Adds a sentence. Errors of word_attention_read. */
Status head_against_add(HeadAgainst *against, const char *const *words, int n_words, Error *error);
/* Text: by layer the means over its heads of the divergence from the head of the same number, from the nearest one,
 * from all of them, and from uniform attention, and each head's nearest one. TSV and JSON: docs/FORMATS.md. */
void head_against_text(StrBuf *out, const HeadAgainst *against);
void head_against_tsv(StrBuf *out, const HeadAgainst *against);
void head_against_json(StrBuf *out, const HeadAgainst *against);
