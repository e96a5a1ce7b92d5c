/* Numbers of pieces in the file and ids of the encoder, one by the other; and which words
 * are written without a blank before them. */
#include "embeddings/xlmr_words.h"

#include <string.h>

/* Ids of the first pieces of a file, <unk>, <s> and </s>. */
static const int FIRST[] = { 3, 0, 2 };
enum { N_FIRST = sizeof FIRST / sizeof *FIRST, PAD = 1 };

Status xlmr_words_check(const Unigram *unigram, const char *path, Error *error)
{
    static const char *const names[N_FIRST] = { "<unk>", "<s>", "</s>" };
    for (int k = 0; k < N_FIRST; k++) {
        StrView found = k < unigram->n ? unigram->piece[k].text : (StrView){ "", 0 };
        if (!text_equal(found, names[k]) || unigram->unknown != 0)
            return error_at(error, ERR_FORMAT, path, 0, 0, "piece %d: found '%.*s', expected %s of XLM-R", k,
                            (int)utf8_cut(found.ptr, found.len, 60), found.ptr, names[k]);
    }
    return OK;
}

int xlmr_words_size(const Unigram *unigram) { return unigram->n + 2; }

int xlmr_words_id(int index) { return index < N_FIRST ? FIRST[index] : index + 1; }

int xlmr_words_index(const Unigram *unigram, int id)
{
    for (int k = 0; k < N_FIRST; k++)
        if (id == FIRST[k]) return k;
    return id > N_FIRST && id <= unigram->n ? id - 1 : -1;
}

StrView xlmr_words_piece(const Unigram *unigram, int id)
{
    int index = xlmr_words_index(unigram, id);
    if (index >= 0) return unigram->piece[index].text;
    if (id == PAD) return (StrView){ "<pad>", 5 };
    return id == unigram->n + 1 ? (StrView){ "<mask>", 6 } : (StrView){ NULL, 0 };
}

/* Is a word that begins with this character written without a blank before it? */
static bool is_glued(int32_t cp)
{
    static const CharRange ranges[] = {
        { 0x0E00, 0x109F }, /* Thai, Lao, Tibetan, Burmese */
        { 0x1780, 0x17FF }, /* Khmer */
        { 0x2019, 0x2019 },   { 0x201D, 0x201D },
        { 0x2026, 0x2026 },   { 0x2E80, 0x312F }, /* radicals, punctuation, Hiragana, Katakana, Bopomofo */
        { 0x31A0, 0x9FFF },                       /* Bopomofo, Katakana, Han */
        { 0xF900, 0xFAFF },                       /* Han */
        { 0xFE30, 0xFE4F },   { 0xFF00, 0xFF9F }, /* other forms of punctuation and Katakana */
        { 0x20000, 0x3FFFF },                     /* Han */
    };
    if (cp < 0x80) return cp && strchr("!%'),-./:;?]}", cp);
    return char_range_among(cp, ranges, sizeof ranges / sizeof *ranges);
}

Status xlmr_words_encode(const Unigram *unigram, StrView word, Pieces *out, Error *error)
{
    size_t at = 0;
    int before = out->n;
    bool glued = word.len && is_glued(utf8_next(word.ptr, word.len, &at));
    Status s = (glued ? unigram_encode_glued : unigram_encode)(unigram, word, out, error);
    for (int k = before; k < out->n; k++) out->p[k].id = xlmr_words_id(out->p[k].id);
    return s;
}
