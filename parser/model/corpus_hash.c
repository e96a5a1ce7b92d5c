/* Numbers are added as four bytes in one order, texts with their NUL; of soft targets
 * the vocabularies, too, since values have the numbers of their file. */
#include "parser/model/corpus_hash.h"

#include <stdio.h>
#include <string.h>

static void add_bytes(uint64_t *h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t k = 0; k < n; k++) *h = (*h ^ p[k]) * 0x100000001b3u;
}

void corpus_hash_text(uint64_t *h, const char *text) { add_bytes(h, text ? text : "", text ? strlen(text) + 1 : 0); }

static void add_number(uint64_t *h, int x)
{
    unsigned char bytes[4];
    for (int k = 0; k < 4; k++) bytes[k] = (unsigned char)((unsigned)x >> (8 * k));
    add_bytes(h, bytes, 4);
}

static void add_probability(uint64_t *h, float p)
{
    uint32_t bits;
    memcpy(&bits, &p, sizeof bits);
    add_number(h, (int)bits);
}

static void add_sentence(uint64_t *h, const Sentence *sent)
{
    int n = sent->n_words;
    add_number(h, n);
    for (int w = 0; w < n; w++) {
        corpus_hash_text(h, sent->words[w]);
        corpus_hash_text(h, sent->tags ? sent->tags[w] : NULL);
        corpus_hash_text(h, sent->types ? sent->types[w] : NULL);
        add_number(h, sent->heads ? sent->heads[w] : -1);
        if (sent->space_before) add_number(h, sent->space_before[w]);
    }
    add_number(h, sent->has_tree ? sent->n_phrases : -1);
    for (int k = 0; k < sent->n_phrases; k++) {
        corpus_hash_text(h, sent->phrases[k].label);
        add_number(h, sent->phrases[k].begin);
        add_number(h, sent->phrases[k].end);
    }
    if (sent->target) corpus_hash_text(h, sent->target);
}

void corpus_hash_treebank(uint64_t *h, const Treebank *tb)
{
    add_number(h, tb->n);
    for (int k = 0; k < tb->n; k++) add_sentence(h, &tb->s[k]);
}

static void add_rows(uint64_t *h, const SoftRows *r, int n_words)
{
    for (int k = 0; r->start && k < r->start[n_words]; k++) {
        add_number(h, r->v[k].value);
        add_probability(h, r->v[k].p);
    }
}

/* The numbers of values are given in the order of the file. */
static void add_soft(uint64_t *h, const SoftBank *bank, const Treebank *tb)
{
    for (int k = 0; k < bank->n; k++) {
        const SoftTargets *s = &bank->each[k];
        add_number(h, bank->treebank[k]);
        add_rows(h, &s->tags, tb->s[k].n_words);
        add_rows(h, &s->heads, tb->s[k].n_words);
        add_rows(h, &s->types, tb->s[k].n_words);
        for (int i = 0; i < s->tree.n_spans; i++) {
            const SoftSpan *x = &s->tree.spans[i];
            add_number(h, x->at.begin);
            add_number(h, x->at.end);
            add_number(h, x->at.label);
            add_probability(h, x->p);
        }
    }
}

static void add_vocab(uint64_t *h, const Vocab *v)
{
    for (int k = 0; k < vocab_size(v); k++) corpus_hash_text(h, vocab_text(v, k));
}

static void add_texts(uint64_t *h, const TextList *texts)
{
    add_number(h, texts->n);
    for (int k = 0; k < texts->n; k++) corpus_hash_text(h, texts->text[k].ptr);
}

static void add_document(uint64_t *h, const DocumentLine *d)
{
    add_texts(h, &d->sentences);
    add_texts(h, &d->summary);
    add_texts(h, &d->classes);
    for (int k = 0; k < d->n_segments; k++) add_number(h, d->begin[k]);
}

void corpus_hash(uint64_t *h, const Corpus *corpus)
{
    corpus_hash_treebank(h, &corpus->trees);
    for (int k = 0; corpus->documents && k < corpus->documents->n; k++) add_document(h, &corpus->documents->d[k]);
    if (!corpus->soft) return;
    add_soft(h, corpus->soft, &corpus->trees);
    add_vocab(h, &corpus->soft->tags);
    add_vocab(h, &corpus->soft->types);
    add_vocab(h, &corpus->soft->labels);
    add_vocab(h, &corpus->soft->treebanks);
}

CorpusHashText corpus_hash_digits(uint64_t h)
{
    CorpusHashText t;
    snprintf(t.text, sizeof t.text, "%016llx", (unsigned long long)h);
    return t;
}
