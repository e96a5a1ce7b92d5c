/* Each property of a word is computed when the word comes first, and all are forgotten when
 * there are too many words. */
#include "parser/model/lexicon.h"

#include <string.h>

#include "base/text.h"
#include "embeddings/piece_spelling.h"
#include "embeddings/word_vectors.h"

void lexicon_init(Lexicon *lexicon, LexiconSources from)
{
    *lexicon = (Lexicon){ .from = from };
    map_init(&lexicon->map);
}

void lexicon_fini(Lexicon *lexicon)
{
    map_fini(&lexicon->map);
    mem_free_each(lexicon->type, lexicon->chars, lexicon->vectors, lexicon->pieces);
    pieces_fini(&lexicon->scratch);
}

static void drop_types(Lexicon *l)
{
    map_fini(&l->map);
    map_init(&l->map);
    l->n_chars = l->n_vectors = l->n_pieces = 0;
}

void lexicon_trim(Lexicon *lexicon)
{
    if (lexicon->map.n > LEXICON_MOST) drop_types(lexicon);
}

/* The word's number as spelt, else of its lower case, else TOKEN_UNKNOWN; -1 when out of memory. */
static int find_word(const Vocab *words, const char *word)
{
    int k = vocab_find(words, word);
    if (k >= N_RESERVED) return k;
    StrBuf lower = { 0 };
    text_lower(&lower, word, strlen(word));
    bool failed = lower.failed;
    k = lower.ptr && !failed ? vocab_find(words, lower.ptr) : -1;
    strbuf_fini(&lower);
    if (failed) return -1;
    return k < N_RESERVED ? TOKEN_UNKNOWN : k;
}

static bool add_chars(Lexicon *l, const char *word)
{
    size_t len = strlen(word);
    if (!mem_reserve(l->chars, &l->char_cap, l->n_chars + (int)len + 2)) return false;
    l->chars[l->n_chars++] = CHAR_WORD_START;
    for (size_t i = 0; i < len;) {
        size_t from = i;
        utf8_next(word, len, &i);
        int k = map_find(&l->from.chars->map, word + from, i - from);
        l->chars[l->n_chars++] = k < N_CHAR_RESERVED ? CHAR_UNKNOWN : k;
    }
    l->chars[l->n_chars++] = CHAR_WORD_END;
    return true;
}

static bool add_vectors(Lexicon *l, const char *word)
{
    int pieces[MAX_PIECES], n = word_vectors_pieces(l->from.vectors, word, strlen(word), pieces);
    if (n <= 0) return n == 0;
    if (!mem_reserve(l->vectors, &l->vector_cap, l->n_vectors + n)) return false;
    memcpy(l->vectors + l->n_vectors, pieces, (size_t)n * sizeof *pieces);
    l->n_vectors += n;
    return true;
}

/* The first LEXICON_WORD_BYTES of a word, without a part of a character. */
static StrView begin_of(const char *word)
{
    size_t n = strlen(word);
    if (n <= LEXICON_WORD_BYTES) return (StrView){ word, n };
    for (n = LEXICON_WORD_BYTES; n > 0 && (word[n] & 0xC0) == 0x80;) n--;
    return (StrView){ word, n };
}

static bool add_pieces(Lexicon *l, const char *word)
{
    Error why = { 0 };
    pieces_clear(&l->scratch);
    if (piece_tokenizer_encode_word(l->from.tokenizer, begin_of(word), &l->scratch, &why) != OK) return false;
    int n = l->scratch.n < LEXICON_WORD_PIECES ? l->scratch.n : LEXICON_WORD_PIECES;
    if (!mem_reserve(l->pieces, &l->piece_cap, l->n_pieces + n)) return false;
    for (int k = 0; k < n; k++) l->pieces[l->n_pieces++] = l->scratch.p[k].id;
    return true;
}

/* Fills type k of a new word. false when out of memory. */
static bool add_type(Lexicon *l, int k, const char *word)
{
    if (!mem_reserve(l->type, &l->type_cap, k + 1)) return false;
    LexiconType *x = &l->type[k];
    *x = (LexiconType){ .word = find_word(l->from.words, word), .spelling = -1 };
    if (x->word < 0) return false;
    if (l->from.affix_buckets) token_features_affixes(word, strlen(word), l->from.affix_buckets, x->affix);
    x->chars = l->n_chars;
    if (l->from.chars && !add_chars(l, word)) return false;
    x->n_chars = l->n_chars - x->chars;
    x->vectors = l->n_vectors;
    if (l->from.vectors && !add_vectors(l, word)) return false;
    x->n_vectors = l->n_vectors - x->vectors;
    x->pieces = l->n_pieces;
    if (l->from.tokenizer && !add_pieces(l, word)) return false;
    x->n_pieces = l->n_pieces - x->pieces;
    return true;
}

int lexicon_type(Lexicon *lexicon, const char *word)
{
    int before = lexicon->map.n, k = map_add(&lexicon->map, word, strlen(word));
    if (k < before || add_type(lexicon, k, word)) return k;
    drop_types(lexicon); /* or the word would be found again without its type */
    return -1;
}

const char **lexicon_spell(const Lexicon *lexicon, const char *const *words, int n, Arena *arena)
{
    const char **spelt = piece_spelling(words, n, lexicon->from.tokenizer->kind != TOKENIZER_XLMR, arena);
    return spelt && lexicon->from.spell && !lexicon->from.spell(spelt, n, arena) ? NULL : spelt;
}
