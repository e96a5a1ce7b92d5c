/* Any file of soft targets is read or refused with a place; what is read is in range and sums
 * to 1. */
#include <math.h>

#include "parser/model/corpus.h"
#include "tests/fuzz/fuzz.h"

static void check_rows(const SoftRows *rows, int words, int values)
{
    if (!rows->start) return;
    require(rows->start[0] == 0);
    for (int w = 0; w < words; w++) {
        double sum = 0;
        require(rows->start[w + 1] > rows->start[w]);
        for (int k = rows->start[w]; k < rows->start[w + 1]; k++) {
            require(rows->v[k].value >= 0 && rows->v[k].value < values && rows->v[k].p > 0);
            sum += (double)rows->v[k].p;
        }
        require(fabs(sum - 1) < 1e-3);
    }
}

static void check_tree(const SoftTree *t, int labels)
{
    double whole = 0;
    for (int k = 0; k < t->n_spans; k++) {
        const SoftSpan *x = &t->spans[k];
        require(x->at.begin >= 0 && x->at.begin < x->at.end && x->at.end <= t->n_words);
        require(x->at.label >= 0 && x->at.label < labels && x->p > 0 && x->p <= 1);
        if (x->at.end - x->at.begin == t->n_words) whole += (double)x->p;
    }
    require(t->n_spans == 0 || fabs(whole - 1) < 1e-3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FREED(fuzz_unlink) FuzzFile file = fuzz_file(data, size, 0);
    Corpus c;
    Error e = { 0 };
    Status s = corpus_load_soft(&c, file.path, NULL, &e);
    require(s != ERR_FORMAT || e.line);
    if (!accepted(s, &e)) return 0;
    for (int k = 0; k < c.trees.n; k++) {
        const SoftTargets *t = &c.soft->each[k];
        int n = c.trees.s[k].n_words;
        require(n > 0 && t->tree.n_words == n && (t->tags.start || t->heads.start || t->tree.n_spans));
        check_rows(&t->tags, n, vocab_size(&c.soft->tags));
        check_rows(&t->heads, n, n + 1);
        check_rows(&t->types, n, vocab_size(&c.soft->types));
        check_tree(&t->tree, vocab_size(&c.soft->labels));
        require(c.soft->treebank[k] < vocab_size(&c.soft->treebanks));
    }
    require(c.trees.n > 0);
    corpus_fini(&c);
    return 0;
}
