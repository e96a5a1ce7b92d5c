/* Words are looked up once, which gives all sizes; then one pass fills the index arrays, with
 * START and STOP around each sentence. */
#include "parser/model/batch.h"

#include <string.h>

#include "base/rng.h"

ParseInput *batch_inputs(const Treebank *tb, int n, bool parses)
{
    ParseInput *in = mem_calloc((size_t)n, sizeof *in);
    for (int k = 0; in && k < n; k++) {
        in[k] = parse_input(&tb->s[k]);
        if (parses) in[k].parse = &tb->s[k];
    }
    return in;
}

typedef struct Packer {
    Lexicon *l;
    double z;
    int *type; /* [tokens] of the lexicon, in the order of the words of all sentences */
    int *sentence_of, *start, *position, *tag, *word, *treebank, *affix[N_AFFIXES];
    int *spelling, *char_start, *chars, n_spellings, n_chars; /* with characters */
    int *vector_start, *vectors, n_vectors;                   /* with static vectors */
    int *seen, n_seen;                                        /* types with a spelling in this batch */
    int n_tokens;
} Packer;

/* Looks up all words, then makes room for all arrays. */
static bool allocate(Packer *p, const BatchSentence *sentences, int n, Arena *a)
{
    size_t tokens = 0, words = 0, chars = 10, vectors = 0;
    for (int s = 0; s < n; s++) tokens += (size_t)sentences[s].n + 2;
    if (!(p->type = arena_alloc(a, tokens, sizeof *p->type))) return false;
    for (int s = 0; s < n; s++)
        for (int w = 0; w < sentences[s].n; w++) {
            int k = p->type[words++] = lexicon_type(p->l, sentences[s].words[w]);
            if (k < 0) return false;
            chars += (size_t)p->l->type[k].n_chars;
            vectors += (size_t)p->l->type[k].n_vectors;
        }
    struct {
        int **array;
        size_t n;
    } list[] = { { &p->sentence_of, tokens },    { &p->position, tokens },     { &p->tag, tokens },
                 { &p->word, tokens },           { &p->treebank, tokens },     { &p->spelling, tokens },
                 { &p->seen, tokens },           { &p->start, (size_t)n + 1 }, { &p->chars, chars },
                 { &p->char_start, tokens + 3 }, { &p->vectors, vectors },     { &p->vector_start, tokens + 1 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (!(*list[k].array = arena_alloc(a, list[k].n, sizeof(int)))) return false;
    for (int k = 0; k < N_AFFIXES; k++)
        if (!(p->affix[k] = arena_alloc(a, tokens, sizeof(int)))) return false;
    p->char_start[0] = p->vector_start[0] = 0;
    return true;
}

static void put_chars(Packer *p, const int *chars, int n)
{
    memcpy(p->chars + p->n_chars, chars, (size_t)n * sizeof *chars);
    p->n_chars += n;
    p->char_start[++p->n_spellings] = p->n_chars;
}

/* START or STOP: spellings 0 and 1, no piece. */
static void put_boundary(Packer *p, int which, int position, int treebank)
{
    int k = p->n_tokens++;
    p->position[k] = position;
    p->tag[k] = p->word[k] = which;
    p->treebank[k] = treebank;
    for (int a = 0; a < N_AFFIXES; a++) p->affix[a][k] = which;
    p->spelling[k] = which;
    p->vector_start[k + 1] = p->n_vectors;
}

/* A draw with the probability z / (z + c), c the count of the word in training. */
static bool made_unknown(const Packer *p, const BatchSentence *s, int w, int word)
{
    if (!s->unknown_key || word < N_RESERVED || p->z <= 0) return false;
    return rng_uniform(s->unknown_key, (uint64_t)w) < p->z / (p->z + p->l->from.words->counts[word]);
}

static int spelling_of(Packer *p, int type)
{
    LexiconType *x = &p->l->type[type];
    if (x->spelling < 0 || p->l->apart) {
        x->spelling = p->n_spellings;
        p->seen[p->n_seen++] = type;
        put_chars(p, p->l->chars + x->chars, x->n_chars);
    }
    return x->spelling;
}

static void put_word(Packer *p, const BatchSentence *s, int w, int type)
{
    const LexiconType *x = &p->l->type[type];
    int k = p->n_tokens++;
    p->position[k] = w + 1;
    p->treebank[k] = s->treebank;
    p->tag[k] = s->tags && s->tags[w] >= N_RESERVED ? s->tags[w] : TOKEN_UNKNOWN;
    p->word[k] = made_unknown(p, s, w, x->word) ? TOKEN_UNKNOWN : x->word;
    for (int a = 0; a < N_AFFIXES; a++) p->affix[a][k] = x->affix[a];
    for (int i = 0; i < x->n_vectors; i++) p->vectors[p->n_vectors++] = p->l->vectors[x->vectors + i];
    p->vector_start[k + 1] = p->n_vectors;
    p->spelling[k] = p->l->from.chars ? spelling_of(p, type) : TOKEN_UNKNOWN;
}

/* The pieces of all sentences, for the pretrained encoder. */
static Status pack_pieces(Lexicon *l, const BatchSentence *sentences, int n, Arena *a, PieceBatch *out, Error *e)
{
    static const char no_memory[] = "out of memory for the pieces of a batch";
    size_t words = 0, k = 0;
    for (int s = 0; s < n; s++) words += (size_t)sentences[s].n;
    int *type = arena_alloc(a, words + 1, sizeof *type), *n_words = arena_alloc(a, (size_t)n + 1, sizeof *n_words);
    WordPieces *of = arena_alloc(a, words + 1, sizeof *of);
    if (!type || !n_words || !of) return error_set(e, ERR_NOMEM, no_memory);
    for (int s = 0; s < n; s++) {
        const char **spelt = lexicon_spell(l, sentences[s].words, sentences[s].n, a);
        if (!spelt) return error_set(e, ERR_NOMEM, no_memory);
        n_words[s] = sentences[s].n;
        for (int w = 0; w < sentences[s].n; w++)
            if ((type[k++] = lexicon_type(l, spelt[w])) < 0) return error_set(e, ERR_NOMEM, no_memory);
    }
    for (k = 0; k < words; k++) { /* once the array of pieces does not move any more */
        const LexiconType *x = &l->type[type[k]];
        of[k] = (WordPieces){ l->pieces + x->pieces, x->n_pieces };
    }
    return piece_batch_make(l->from.layout, of, n_words, n, a, out, e);
}

Status batch_pack(Lexicon *lexicon, const BatchSentence *sentences, int n, double z, Arena *arena, PackedBatch *out,
                  Error *error)
{
    static const int start_chars[5] = { CHAR_WORD_START, CHAR_SENTENCE_START, CHAR_SENTENCE_START, CHAR_SENTENCE_START,
                                        CHAR_WORD_END };
    static const int stop_chars[5] = { CHAR_WORD_START, CHAR_SENTENCE_END, CHAR_SENTENCE_END, CHAR_SENTENCE_END,
                                       CHAR_WORD_END };
    Packer p = { .l = lexicon, .z = z };
    int longest = 0;
    if (!allocate(&p, sentences, n, arena)) return error_set(error, ERR_NOMEM, "out of memory packing a batch");
    put_chars(&p, start_chars, 5);
    put_chars(&p, stop_chars, 5);
    const int *type = p.type;
    for (int s = 0; s < n; s++) {
        p.start[s] = p.n_tokens;
        put_boundary(&p, TOKEN_START, 0, sentences[s].treebank);
        for (int w = 0; w < sentences[s].n; w++) put_word(&p, &sentences[s], w, *type++);
        put_boundary(&p, TOKEN_STOP, sentences[s].n + 1, sentences[s].treebank);
        for (int k = p.start[s]; k < p.n_tokens; k++) p.sentence_of[k] = s;
        if (sentences[s].n + 2 > longest) longest = sentences[s].n + 2;
    }
    p.start[n] = p.n_tokens;
    for (int k = 0; k < p.n_seen; k++) lexicon->type[p.seen[k]].spelling = -1;
    out->batch = (Batch){ n, p.start, p.n_tokens, longest };
    out->sentence_of = p.sentence_of;
    out->control = (EncoderControl){ 0 };
    out->in = (TokenInputs){ .position = p.position,
                             .tag = p.tag,
                             .word = p.word,
                             .treebank = p.treebank,
                             .n_spellings = p.n_spellings,
                             .char_start = p.char_start,
                             .chars = p.chars,
                             .spelling = p.spelling,
                             .vector_start = p.vector_start,
                             .vector = p.vectors };
    for (int k = 0; k < N_AFFIXES; k++) out->in.affix[k] = p.affix[k];
    return lexicon->from.tokenizer ? pack_pieces(lexicon, sentences, n, arena, &out->in.pieces, error) : OK;
}
