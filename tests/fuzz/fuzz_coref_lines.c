/* Any lines are read as mentions or refused with a place; mentions are in their piece,
 * and antecedents before them. */
#include "tests/fuzz/fuzz.h"
#include "treebank/coref_lines.h"

static void check(const CorefPiece *p)
{
    for (int k = 0; k < p->n_mentions; k++) {
        const Mention *m = &p->mentions[k];
        require(0 <= m->begin && m->begin <= m->head && m->head < m->end && m->end <= p->n_words);
        require(m->type < MENTION_TYPES && (k == 0 || m->head >= m[-1].head));
        for (int f = 0; f < MENTION_FEATURES; f++) require(m->feature[f] != NULL);
        for (int a = 0; a < m->n_antecedents; a++) {
            require(m->antecedents[a] >= 0 && m->antecedents[a] < k);
            require(p->mentions[m->antecedents[a]].head < m->head);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MADE(CorefLines, coref_lines_init, coref_lines_fini, c);
    Error e = { 0 };
    Status s = coref_lines_read(&c, text_block((StrView){ (const char *)data, size }, "f"), &e);
    require(s != ERR_FORMAT || (e.line && e.column));
    for (int k = 0; k < c.n; k++) check(&c.p[k]);
    accepted(s, &e);
    return 0;
}
