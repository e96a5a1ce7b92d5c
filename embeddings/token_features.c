/* Characters in lower case and the shape (X, x, d) are made in one pass; seven strings
 * are hashed into buckets. */
#include "embeddings/token_features.h"

#include "base/text.h"

enum { MAX_CHARS = 64 }; /* bytes of a word that features read */

static int bucket(int feature, const char *s, size_t len, int buckets)
{
    uint32_t h = text_hash(s, len) * 0x9e3779b1u + (uint32_t)feature * 0x85ebca6bu;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    return 2 + (int)(h % (uint32_t)(buckets - 2));
}

static size_t put(char *to, int32_t cp)
{
    if (cp < 0x80) {
        to[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        to[0] = (char)(0xC0 | (cp >> 6));
        to[1] = (char)(0x80 | (cp & 63));
        return 2;
    }
    if (cp < 0x10000) {
        to[0] = (char)(0xE0 | (cp >> 12));
        to[1] = (char)(0x80 | ((cp >> 6) & 63));
        to[2] = (char)(0x80 | (cp & 63));
        return 3;
    }
    to[0] = (char)(0xF0 | (cp >> 18));
    to[1] = (char)(0x80 | ((cp >> 12) & 63));
    to[2] = (char)(0x80 | ((cp >> 6) & 63));
    to[3] = (char)(0x80 | (cp & 63));
    return 4;
}

static char shape_of(int32_t cp)
{
    if (utf8_is_digit(cp)) return 'd';
    if (utf8_is_upper(cp)) return 'X';
    if (utf8_is_letter(cp)) return 'x';
    return cp < 128 ? (char)cp : '?';
}

void token_features_affixes(const char *word, size_t len, int buckets, int out[N_AFFIXES])
{
    char lower[4 * MAX_CHARS], shape[MAX_CHARS];
    size_t at[MAX_CHARS + 1], n = 0, used = 0, n_shape = 0;
    int run = 0;
    for (size_t i = 0; i < len && n < MAX_CHARS;) {
        int32_t cp = utf8_next(word, len, &i);
        at[n++] = used;
        used += put(lower + used, utf8_lower(cp));
        char s = shape_of(cp);
        run = n_shape && shape[n_shape - 1] == s ? run + 1 : 1;
        if (run <= 4) shape[n_shape++] = s;
    }
    at[n] = used;
    static const size_t prefix[3] = { 2, 3, 5 }, suffix[3] = { 2, 3, 4 };
    for (int k = 0; k < 3; k++) {
        size_t from = n < suffix[k] ? 0 : at[n - suffix[k]];
        out[k] = bucket(k, lower, at[n < prefix[k] ? n : prefix[k]], buckets);
        out[3 + k] = bucket(3 + k, lower + from, used - from, buckets);
    }
    out[6] = bucket(6, shape, n_shape, buckets);
}
