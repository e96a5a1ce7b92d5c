/* Properties of the spelling of words for the embeddings: numbers in vocabularies, affix features, characters, rows of
 * static vectors, pieces of a pretrained encoder. Computed once for each distinct word ("type"). A lexicon belongs to
 * one thread. */
#pragma once

#include "embeddings/token_embedding.h"
#include "treebank/vocab.h"

/* A pretrained encoder reads this much of a word: its first bytes, and the first pieces of these. */
enum { LEXICON_WORD_BYTES = 4096, LEXICON_WORD_PIECES = 256 };

/* Where the numbers come from; the vocabularies must outlive the lexicon. */
typedef struct LexiconSources {
    const Vocab *words;
    const Vocab *chars;              /* NULL: no characters */
    const Vocab *vectors;            /* words, and word pieces "##...", with a static vector; NULL: no vectors */
    int affix_buckets;               /* 0: no affix features */
    const PieceTokenizer *tokenizer; /* the pretrained encoder's; NULL: none */
    bool (*spell)(const char **words, int n, Arena *a); /* Language.spell, for it */
    PieceLayout layout;                                 /* how its pieces are laid out */
} LexiconSources;

typedef struct LexiconType {
    int word; /* number in the words: of the word as spelt, else of its lower case, else TOKEN_UNKNOWN */
    int affix[N_AFFIXES];
    int chars, n_chars;     /* stretch of Lexicon.chars */
    int vectors, n_vectors; /* stretch of Lexicon.vectors */
    int pieces, n_pieces;   /* stretch of Lexicon.pieces */
    int spelling;           /* number in the batch that batch_pack is making, else -1 */
} LexiconType;

typedef struct Lexicon {
    LexiconSources from;
    StrMap map;        /* word -> number in type */
    LexiconType *type; /* [map.n] */
    int *chars;        /* characters of a type, with CHAR_WORD_START and CHAR_WORD_END */
    int *vectors;      /* rows of the static vectors whose mean is the type's vector */
    int *pieces;       /* ids of the tokenizer */
    int n_chars, n_vectors, n_pieces, type_cap, char_cap, vector_cap, piece_cap;
    Pieces scratch;
    bool apart; /* for measuring: each occurrence of a word is spelt, not each distinct word */
} Lexicon;

void lexicon_init(Lexicon *lexicon, LexiconSources from);
void lexicon_fini(Lexicon *lexicon);
/* Type of a word; -1: out of memory. */
int lexicon_type(Lexicon *lexicon, const char *word);
/* The words of a sentence as the pretrained encoder reads them, [n] in the arena; NULL when out of memory. */
const char **lexicon_spell(const Lexicon *lexicon, const char *const *words, int n, Arena *arena);
enum { LEXICON_MOST = 200000 };
/* Drops all types when there are more than LEXICON_MOST, so that memory is bounded for endless input. */
void lexicon_trim(Lexicon *lexicon);
