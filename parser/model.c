/* parser/model.c */
#include "parser/model.h"

#include <string.h>

#include "base/rng.h"
#include "embeddings/word_vectors.h"
#include "treebank/oracle.h"

enum { N_VOCABS = 7 };

static void vocabs(Model *m, Vocab *list[N_VOCABS])
{
    Vocab *all[N_VOCABS] = { &m->words, &m->tags, &m->labels, &m->types, &m->chars, &m->treebanks, &m->vectors };
    memcpy(list, all, sizeof all);
}

void model_init(Model *m)
{
    *m = (Model){ .root_type = -1 };
    Vocab *list[N_VOCABS];
    vocabs(m, list);
    for (int k = 0; k < N_VOCABS; k++) vocab_init(list[k]);
    params_init(&m->ps);
}

void model_fini(Model *m)
{
    Vocab *list[N_VOCABS];
    vocabs(m, list);
    for (int k = 0; k < N_VOCABS; k++) vocab_fini(list[k]);
    network_fini(&m->net);
    params_fini(&m->ps);
    mem_free(m->summary);
    *m = (Model){ .root_type = -1 };
}

Status model_vocabs_start(Model *m, Error *e)
{
    static const char *const tokens[N_RESERVED] = { "<START>", "<STOP>", "<UNK>" };
    static const char *const chars[N_CHAR_RESERVED] = { "<UNK>", "<START>", "<WORD>", "</WORD>", "<STOP>" };
    bool ok = true;
    for (int k = 0; k < N_RESERVED; k++) {
        ok = ok && vocab_count(&m->words, tokens[k], strlen(tokens[k]), 1) == k;
        ok = ok && vocab_count(&m->tags, tokens[k], strlen(tokens[k]), 1) == k;
    }
    for (int k = 0; k < N_CHAR_RESERVED; k++) ok = ok && vocab_count(&m->chars, chars[k], strlen(chars[k]), 1) == k;
    ok = ok && vocab_count(&m->labels, LABEL_EMPTY, strlen(LABEL_EMPTY), 0) == 0;
    ok = ok && vocab_count(&m->labels, LABEL_GROUP, strlen(LABEL_GROUP), 0) == 1;
    ok = ok && vocab_count(&m->treebanks, "unknown", strlen("unknown"), 0) == 0;
    return ok ? OK : error_set(e, ERR_NOMEM, "out of memory for the vocabularies");
}

VocabSizes model_sizes(const Model *m)
{
    return (VocabSizes){ .words = vocab_size(&m->words),
                         .tags = vocab_size(&m->tags),
                         .labels = vocab_size(&m->labels),
                         .types = vocab_size(&m->types),
                         .chars = vocab_size(&m->chars),
                         .treebanks = vocab_size(&m->treebanks),
                         .vectors = vocab_size(&m->vectors) };
}

Status model_declare(Model *m, Error *e)
{
    if (vocab_size(&m->labels) < 3) return error_set(e, ERR_CONFIG, "no phrase labels: the training trees hold none");
    if (m->c.affix_buckets && m->c.affix_buckets < 3)
        return error_set(e, ERR_CONFIG, "affix_buckets %d, expected 0 or at least 3", m->c.affix_buckets);
    m->root_type = vocab_find(&m->types, "root");
    return network_declare(&m->net, &m->ps, config_network(&m->c, model_sizes(m)), e);
}

Status model_build(Model *m, Error *e)
{
    Status s = model_declare(m, e);
    return s == OK ? params_finish(&m->ps, e) : s;
}

/* ---- lexicon */

void lexicon_init(Lexicon *l, const Model *m)
{
    *l = (Lexicon){ .m = m };
    map_init(&l->map);
}

void lexicon_fini(Lexicon *l)
{
    map_fini(&l->map);
    mem_free(l->word);
    mem_free(l->affix);
    mem_free(l->char_start);
    mem_free(l->chars);
    mem_free(l->spelling);
    mem_free(l->piece_start);
    mem_free(l->pieces);
}

void lexicon_trim(Lexicon *l, int most)
{
    if (l->map.n <= most) return;
    map_fini(&l->map);
    map_init(&l->map);
    l->n_chars = l->n_pieces = 0;
}

static int find_word(const Model *m, const char *word)
{
    int k = vocab_find(&m->words, word);
    if (k < N_RESERVED) {
        StrBuf lower = { 0 };
        text_lower(&lower, word, strlen(word));
        k = lower.ptr ? vocab_find(&m->words, lower.ptr) : -1;
        strbuf_fini(&lower);
    }
    return k < N_RESERVED ? TOKEN_UNKNOWN : k;
}

static bool add_chars(Lexicon *l, const char *word)
{
    size_t len = strlen(word);
    if (!mem_reserve(l->chars, &l->cap[4], l->n_chars + (int)len + 2)) return false;
    l->chars[l->n_chars++] = CHAR_WORD_START;
    for (size_t i = 0; i < len;) {
        size_t from = i;
        utf8_next(word, len, &i);
        int k = map_find(&l->m->chars.map, word + from, i - from);
        l->chars[l->n_chars++] = k < N_CHAR_RESERVED ? CHAR_UNKNOWN : k;
    }
    l->chars[l->n_chars++] = CHAR_WORD_END;
    return true;
}

static bool add_pieces(Lexicon *l, const char *word)
{
    int pieces[MAX_PIECES], n = word_pieces(&l->m->vectors, word, strlen(word), pieces);
    if (n == 0) return true;
    if (!mem_reserve(l->pieces, &l->cap[6], l->n_pieces + n)) return false;
    memcpy(l->pieces + l->n_pieces, pieces, (size_t)n * sizeof *pieces);
    l->n_pieces += n;
    return true;
}

int lexicon_type(Lexicon *l, const char *word)
{
    int before = l->map.n, k = map_add(&l->map, word, strlen(word));
    if (k < 0 || k < before) return k;
    if (!mem_reserve(l->word, &l->cap[0], k + 1) || !mem_reserve(l->affix, &l->cap[1], k + 1) ||
        !mem_reserve(l->char_start, &l->cap[2], k + 2) || !mem_reserve(l->spelling, &l->cap[3], k + 1) ||
        !mem_reserve(l->piece_start, &l->cap[5], k + 2))
        return -1;
    l->word[k] = find_word(l->m, word);
    l->spelling[k] = -1;
    memset(l->affix[k], 0, sizeof l->affix[k]);
    if (l->m->c.affix_buckets) affix_features(word, strlen(word), l->m->c.affix_buckets, l->affix[k]);
    l->char_start[k] = l->n_chars;
    if (l->m->c.use_chars && !add_chars(l, word)) return -1;
    l->char_start[k + 1] = l->n_chars;
    l->piece_start[k] = l->n_pieces;
    if (l->m->c.d_vectors && !add_pieces(l, word)) return -1;
    l->piece_start[k + 1] = l->n_pieces;
    return k;
}

/* ---- packing */

typedef struct Packer {
    const Model *m;
    Lexicon *l;
    double z;
    int *start, *position, *tag, *word, *treebank, *affix[N_AFFIXES], *spelling, *char_start, *chars;
    Real *vectors; /* [tokens, d_vectors] */
    int n_tokens, n_spellings, n_chars;
    int *seen, n_seen; /* lexicon types with a spelling in this batch */
} Packer;

static void put_chars(Packer *p, const int *chars, int n)
{
    memcpy(p->chars + p->n_chars, chars, (size_t)n * sizeof *chars);
    p->n_chars += n;
    p->char_start[++p->n_spellings] = p->n_chars;
}

static void put_boundary(Packer *p, int which, int position, int treebank)
{
    int k = p->n_tokens++;
    p->position[k] = position;
    p->tag[k] = p->word[k] = which;
    p->treebank[k] = treebank;
    for (int a = 0; a < N_AFFIXES; a++) p->affix[a][k] = which;
    p->spelling[k] = which; /* spellings 0 and 1 */
}

/* The mean of the word's pieces; a word without any keeps zeros. */
static void put_vector(Packer *p, int k, int type)
{
    const Real *table = param_values(&p->m->ps, p->m->net.embedding.vectors);
    int d = p->m->c.d_vectors, from = p->l->piece_start[type], n = p->l->piece_start[type + 1] - from;
    Real *v = p->vectors + (size_t)k * (size_t)d;
    for (int i = 0; i < n; i++) {
        const Real *row = table + (size_t)p->l->pieces[from + i] * (size_t)d;
        for (int j = 0; j < d; j++) v[j] += row[j] / (Real)n;
    }
}

/* 1 / (z / (z + c)) coin of the training vocabulary. */
static bool made_unknown(const Packer *p, const BatchItem *it, int w, int word)
{
    if (!it->unknown_key || word < N_RESERVED || p->z <= 0) return false;
    return rng_uniform(it->unknown_key, (uint64_t)w) < p->z / (p->z + p->m->words.counts[word]);
}

static void put_word(Packer *p, const BatchItem *it, int w)
{
    int k = p->n_tokens++, type = it->types[w], word = p->l->word[type];
    p->position[k] = w + 1;
    p->treebank[k] = it->treebank;
    p->tag[k] = it->tags ? it->tags[w] : TOKEN_UNKNOWN;
    p->word[k] = made_unknown(p, it, w, word) ? TOKEN_UNKNOWN : word;
    for (int a = 0; a < N_AFFIXES; a++) p->affix[a][k] = p->l->affix[type][a];
    if (p->vectors) put_vector(p, k, type);
    if (p->m->c.use_chars) {
        if (p->l->spelling[type] < 0) {
            p->l->spelling[type] = p->n_spellings;
            p->seen[p->n_seen++] = type;
            put_chars(p, p->l->chars + p->l->char_start[type], p->l->char_start[type + 1] - p->l->char_start[type]);
        }
        p->spelling[k] = p->l->spelling[type];
    }
}

static bool allocate(Packer *p, const BatchItem *items, int n, Arena *a, int *sentence_of[1])
{
    size_t tokens = 0, chars = 10;
    for (int s = 0; s < n; s++) {
        tokens += (size_t)items[s].n + 2;
        for (int w = 0; w < items[s].n && p->m->c.use_chars; w++)
            chars += (size_t)(p->l->char_start[items[s].types[w] + 1] - p->l->char_start[items[s].types[w]]);
    }
    int **arrays[] = { &p->position, &p->tag, &p->word, &p->treebank, &p->spelling, &p->seen, sentence_of };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = arena_alloc(a, tokens, sizeof(int)))) return false;
    for (int k = 0; k < N_AFFIXES; k++)
        if (!(p->affix[k] = arena_alloc(a, tokens, sizeof(int)))) return false;
    if (p->m->c.d_vectors && !(p->vectors = arena_calloc(a, tokens * (size_t)p->m->c.d_vectors, sizeof *p->vectors)))
        return false;
    p->start = arena_alloc(a, (size_t)n + 1, sizeof *p->start);
    p->char_start = arena_alloc(a, tokens + 3, sizeof *p->char_start);
    p->chars = arena_alloc(a, chars, sizeof *p->chars);
    return p->start && p->char_start && p->chars;
}

Status batch_pack(const Model *m, Lexicon *l, const BatchItem *items, int n, double z, Arena *a, PackedBatch *out,
                  Error *e)
{
    static const int start_chars[5] = { CHAR_WORD_START, CHAR_SENTENCE_START, CHAR_SENTENCE_START, CHAR_SENTENCE_START,
                                        CHAR_WORD_END };
    static const int stop_chars[5] = { CHAR_WORD_START, CHAR_SENTENCE_END, CHAR_SENTENCE_END, CHAR_SENTENCE_END,
                                       CHAR_WORD_END };
    Packer p = { .m = m, .l = l, .z = z };
    int longest = 0;
    if (!allocate(&p, items, n, a, &out->sentence_of)) return error_set(e, ERR_NOMEM, "out of memory packing a batch");
    p.char_start[0] = 0;
    put_chars(&p, start_chars, 5);
    put_chars(&p, stop_chars, 5);
    for (int s = 0; s < n; s++) {
        p.start[s] = p.n_tokens;
        put_boundary(&p, TOKEN_START, 0, items[s].treebank);
        for (int w = 0; w < items[s].n; w++) put_word(&p, &items[s], w);
        put_boundary(&p, TOKEN_STOP, items[s].n + 1, items[s].treebank);
        for (int k = p.start[s]; k < p.n_tokens; k++) out->sentence_of[k] = s;
        if (items[s].n + 2 > longest) longest = items[s].n + 2;
    }
    p.start[n] = p.n_tokens;
    for (int k = 0; k < p.n_seen; k++) l->spelling[p.seen[k]] = -1;
    out->batch = (Batch){ n, p.start, p.n_tokens, longest };
    out->in = (TokenInputs){ .position = p.position,
                             .tag = p.tag,
                             .word = p.word,
                             .treebank = p.treebank,
                             .n_spellings = p.n_spellings,
                             .char_start = p.char_start,
                             .chars = p.chars,
                             .spelling = p.spelling,
                             .vectors = p.vectors };
    for (int k = 0; k < N_AFFIXES; k++) out->in.affix[k] = p.affix[k];
    return OK;
}

static bool numbers_of(const Vocab *v, const char *const *names, int n, Arena *a, const int **out)
{
    int *k = arena_alloc(a, (size_t)n, sizeof *k);
    for (int w = 0; k && w < n; w++) k[w] = vocab_find(v, names[w]);
    *out = k;
    return k != NULL;
}

bool model_gold(const Model *m, const Sentence *s, const OracleTree *t, Arena *a, Gold *out)
{
    *out = (Gold){ .tree = { .n_words = s->n_words }, .heads = s->heads };
    if (t) {
        ChartNode *nodes = arena_alloc(a, (size_t)t->n, sizeof *nodes);
        if (!nodes) return false;
        bool known = true;
        for (int k = 0; k < t->n; k++) {
            nodes[k] = (ChartNode){ t->nodes[k].begin, t->nodes[k].end, vocab_find(&m->labels, t->nodes[k].label) };
            known = known && nodes[k].label >= 0;
        }
        out->tree.n_nodes = known ? t->n : 0;
        out->tree.nodes = nodes;
    }
    if (s->heads && !numbers_of(&m->types, s->types, s->n_words, a, &out->types)) return false;
    return !s->tags || numbers_of(&m->tags, s->tags, s->n_words, a, &out->tags);
}
