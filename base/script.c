/* A letter is looked up in a sorted list of Unicode blocks by binary search; what is no letter has no
 * script. */
#include "base/script.h"

#include "base/text.h"

#define EACH_SCRIPT(X)          \
    X(LATIN, "Latin")           \
    X(GREEK, "Greek")           \
    X(CYRILLIC, "Cyrillic")     \
    X(ARMENIAN, "Armenian")     \
    X(HEBREW, "Hebrew")         \
    X(ARABIC, "Arabic")         \
    X(SYRIAC, "Syriac")         \
    X(THAANA, "Thaana")         \
    X(DEVANAGARI, "Devanagari") \
    X(BENGALI, "Bengali")       \
    X(GURMUKHI, "Gurmukhi")     \
    X(GUJARATI, "Gujarati")     \
    X(ORIYA, "Oriya")           \
    X(TAMIL, "Tamil")           \
    X(TELUGU, "Telugu")         \
    X(KANNADA, "Kannada")       \
    X(MALAYALAM, "Malayalam")   \
    X(SINHALA, "Sinhala")       \
    X(THAI, "Thai")             \
    X(LAO, "Lao")               \
    X(TIBETAN, "Tibetan")       \
    X(BURMESE, "Burmese")       \
    X(GEORGIAN, "Georgian")     \
    X(HANGUL, "Hangul")         \
    X(ETHIOPIC, "Ethiopic")     \
    X(KHMER, "Khmer")           \
    X(MONGOLIAN, "Mongolian")   \
    X(KANA, "Kana")             \
    X(HAN, "Han")
#define NUMBER(SCRIPT, name) SCRIPT,
#define NAME(SCRIPT, name) name,

enum Script { EACH_SCRIPT(NUMBER) };

static const char *const NAMES[SCRIPTS] = { EACH_SCRIPT(NAME) };

/* Blocks by their first and last character, ascending (The Unicode Standard, Blocks.txt). */
static const struct {
    int32_t first, last;
    enum Script script;
} BLOCKS[] = {
    { 0x0041, 0x024F, LATIN },     { 0x0370, 0x03FF, GREEK },      { 0x0400, 0x052F, CYRILLIC },
    { 0x0530, 0x058F, ARMENIAN },  { 0x0590, 0x05FF, HEBREW },     { 0x0600, 0x06FF, ARABIC },
    { 0x0700, 0x074F, SYRIAC },    { 0x0750, 0x077F, ARABIC },     { 0x0780, 0x07BF, THAANA },
    { 0x08A0, 0x08FF, ARABIC },    { 0x0900, 0x097F, DEVANAGARI }, { 0x0980, 0x09FF, BENGALI },
    { 0x0A00, 0x0A7F, GURMUKHI },  { 0x0A80, 0x0AFF, GUJARATI },   { 0x0B00, 0x0B7F, ORIYA },
    { 0x0B80, 0x0BFF, TAMIL },     { 0x0C00, 0x0C7F, TELUGU },     { 0x0C80, 0x0CFF, KANNADA },
    { 0x0D00, 0x0D7F, MALAYALAM }, { 0x0D80, 0x0DFF, SINHALA },    { 0x0E00, 0x0E7F, THAI },
    { 0x0E80, 0x0EFF, LAO },       { 0x0F00, 0x0FFF, TIBETAN },    { 0x1000, 0x109F, BURMESE },
    { 0x10A0, 0x10FF, GEORGIAN },  { 0x1100, 0x11FF, HANGUL },     { 0x1200, 0x139F, ETHIOPIC },
    { 0x1780, 0x17FF, KHMER },     { 0x1800, 0x18AF, MONGOLIAN },  { 0x1C80, 0x1C8F, CYRILLIC },
    { 0x1E00, 0x1EFF, LATIN },     { 0x1F00, 0x1FFF, GREEK },      { 0x2D00, 0x2D2F, GEORGIAN },
    { 0x2D80, 0x2DDF, ETHIOPIC },  { 0x2DE0, 0x2DFF, CYRILLIC },   { 0x3040, 0x30FF, KANA },
    { 0x3130, 0x318F, HANGUL },    { 0x31F0, 0x31FF, KANA },       { 0x3400, 0x9FFF, HAN },
    { 0xA640, 0xA69F, CYRILLIC },  { 0xAC00, 0xD7FF, HANGUL },     { 0xF900, 0xFAFF, HAN },
    { 0xFB1D, 0xFB4F, HEBREW },    { 0xFB50, 0xFDFF, ARABIC },     { 0xFE70, 0xFEFE, ARABIC },
    { 0xFF21, 0xFF5A, LATIN },     { 0xFF66, 0xFF9F, KANA },       { 0x20000, 0x323AF, HAN },
};

static int script_of(int32_t cp)
{
    size_t low = 0, high = sizeof BLOCKS / sizeof *BLOCKS;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cp > BLOCKS[middle].last) low = middle + 1;
        else high = middle;
    }
    bool inside = low < sizeof BLOCKS / sizeof *BLOCKS && cp >= BLOCKS[low].first;
    return inside && utf8_is_letter(cp) ? (int)BLOCKS[low].script : -1;
}

void script_count(ScriptCounts *counts, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        int script = script_of(utf8_next(text, len, &i));
        if (script < 0) continue;
        counts->of[script]++;
        counts->all++;
    }
}

int script_most(const ScriptCounts *counts)
{
    int most = 0;
    for (int k = 1; k < SCRIPTS; k++)
        if (counts->of[k] > counts->of[most]) most = k;
    return counts->all ? most : -1;
}

bool script_is_right_to_left(int script) { return script >= HEBREW && script <= THAANA; }

const char *script_name(int script) { return NAMES[script]; }
