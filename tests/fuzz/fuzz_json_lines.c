/* Lines of JSON as sentences: whole ones, which can be written in every format and read back, and partial ones, whose
 * heads, phrases and bans lie in the sentence. */
#include "tests/fuzz/treebank.h"
#include "treebank/json_lines.h"

static void check_partial(const Sentence *s)
{
    for (int w = 0; w < s->n_words && s->heads; w++)
        require(s->heads[w] >= HEAD_FREE && s->heads[w] <= s->n_words && s->types[w]);
    for (int k = 0; k < s->n_phrases; k++) {
        const Phrase *p = &s->phrases[k], *before = k ? p - 1 : p;
        require(p->begin >= 0 && p->begin < p->end && p->end <= s->n_words && p->label);
        require(p->begin > before->begin || (p->begin == before->begin && p->end <= before->end));
    }
    for (int k = 0; k < s->n_bans; k++) {
        const Ban *b = &s->bans[k];
        if (b->arc) require(b->begin >= 1 && b->begin <= s->n_words && b->end >= 0 && b->end <= s->n_words);
        else require(b->begin >= 0 && b->begin < b->end && b->end <= s->n_words && *b->label);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int partial = 0; partial < 2; partial++) {
        MADE(Treebank, treebank_init, treebank_fini, tb);
        Error e = { 0 };
        const JsonOptions o = { .partial = partial, .keep_columns = partial };
        Status s = json_lines_read(&tb, text_block(fuzz_text(data, size), "f"), o, &e);
        require(s != ERR_FORMAT || (e.line && e.column));
        for (int k = 0; k < tb.n && partial; k++) check_partial(&tb.s[k]);
        for (int k = 0; k < tb.n && !partial; k++) require(!tb.s[k].heads || valid(&tb.s[k]));
        if (s == OK && !partial) check_sentences(&tb);
        accepted(s, &e);
    }
    return 0;
}
