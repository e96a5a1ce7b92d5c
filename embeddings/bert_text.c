/* Characters are decomposed, lower-cased and dropped one by one, each with its place in the
 * original; a run of combining marks waits for its end, since marks are sorted. */
#include "embeddings/bert_text.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "embeddings/pieces.h"

/* ---- characters */

/* Characters whose category is newer than the tables that published tokenizers use. Found by asking that implementation
 * for every code point and comparing with utf8proc (Unicode 15). */
static const CharRange LATER_PUNCTUATION[] = {
    { 0x61D, 0x61D },     { 0x9FD, 0x9FD },     { 0xA76, 0xA76 },     { 0xC77, 0xC77 },     { 0xC84, 0xC84 },
    { 0x1B7D, 0x1B7E },   { 0x2E43, 0x2E4F },   { 0x2E52, 0x2E5D },   { 0x10EAD, 0x10EAD }, { 0x10F55, 0x10F59 },
    { 0x10F86, 0x10F89 }, { 0x1144B, 0x1144F }, { 0x1145A, 0x1145B }, { 0x1145D, 0x1145D }, { 0x11660, 0x1166C },
    { 0x116B9, 0x116B9 }, { 0x1183B, 0x1183B }, { 0x11944, 0x11946 }, { 0x119E2, 0x119E2 }, { 0x11A3F, 0x11A46 },
    { 0x11A9A, 0x11A9C }, { 0x11A9E, 0x11AA2 }, { 0x11B00, 0x11B09 }, { 0x11C41, 0x11C45 }, { 0x11C70, 0x11C71 },
    { 0x11EF7, 0x11EF8 }, { 0x11F43, 0x11F4F }, { 0x11FFF, 0x11FFF }, { 0x12FF1, 0x12FF2 }, { 0x16E97, 0x16E9A },
    { 0x16FE2, 0x16FE2 }, { 0x1E95E, 0x1E95F },
};
static const CharRange LATER_MARKS[] = {
    { 0x7FD, 0x7FD },     { 0x898, 0x89F },     { 0x8CA, 0x8E1 },     { 0x9FE, 0x9FE },     { 0xAFA, 0xAFF },
    { 0xB55, 0xB55 },     { 0xC04, 0xC04 },     { 0xC3C, 0xC3C },     { 0xD00, 0xD00 },     { 0xD3B, 0xD3C },
    { 0xD81, 0xD81 },     { 0xEBA, 0xEBA },     { 0xECE, 0xECE },     { 0x180F, 0x180F },   { 0x1885, 0x1886 },
    { 0x1ABF, 0x1ACE },   { 0x1DF6, 0x1DFB },   { 0xA82C, 0xA82C },   { 0xA8C5, 0xA8C5 },   { 0xA8FF, 0xA8FF },
    { 0xA9BD, 0xA9BD },   { 0x10D24, 0x10D27 }, { 0x10EAB, 0x10EAC }, { 0x10EFD, 0x10EFF }, { 0x10F46, 0x10F50 },
    { 0x10F82, 0x10F85 }, { 0x11070, 0x11070 }, { 0x11073, 0x11074 }, { 0x110C2, 0x110C2 }, { 0x111C9, 0x111C9 },
    { 0x111CF, 0x111CF }, { 0x1123E, 0x1123E }, { 0x11241, 0x11241 }, { 0x1133B, 0x1133B }, { 0x11438, 0x1143F },
    { 0x11442, 0x11444 }, { 0x11446, 0x11446 }, { 0x1145E, 0x1145E }, { 0x1182F, 0x11837 }, { 0x11839, 0x1183A },
    { 0x1193B, 0x1193C }, { 0x1193E, 0x1193E }, { 0x11943, 0x11943 }, { 0x119D4, 0x119D7 }, { 0x119DA, 0x119DB },
    { 0x119E0, 0x119E0 }, { 0x11A01, 0x11A0A }, { 0x11A33, 0x11A38 }, { 0x11A3B, 0x11A3E }, { 0x11A47, 0x11A47 },
    { 0x11A51, 0x11A56 }, { 0x11A59, 0x11A5B }, { 0x11A8A, 0x11A96 }, { 0x11A98, 0x11A99 }, { 0x11C30, 0x11C36 },
    { 0x11C38, 0x11C3D }, { 0x11C3F, 0x11C3F }, { 0x11C92, 0x11CA7 }, { 0x11CAA, 0x11CB0 }, { 0x11CB2, 0x11CB3 },
    { 0x11CB5, 0x11CB6 }, { 0x11D31, 0x11D36 }, { 0x11D3A, 0x11D3A }, { 0x11D3C, 0x11D3D }, { 0x11D3F, 0x11D45 },
    { 0x11D47, 0x11D47 }, { 0x11D90, 0x11D91 }, { 0x11D95, 0x11D95 }, { 0x11D97, 0x11D97 }, { 0x11EF3, 0x11EF4 },
    { 0x11F00, 0x11F01 }, { 0x11F36, 0x11F3A }, { 0x11F40, 0x11F40 }, { 0x11F42, 0x11F42 }, { 0x13440, 0x13440 },
    { 0x13447, 0x13455 }, { 0x16F4F, 0x16F4F }, { 0x16FE4, 0x16FE4 }, { 0x1CF00, 0x1CF2D }, { 0x1CF30, 0x1CF46 },
    { 0x1E000, 0x1E006 }, { 0x1E008, 0x1E018 }, { 0x1E01B, 0x1E021 }, { 0x1E023, 0x1E024 }, { 0x1E026, 0x1E02A },
    { 0x1E08F, 0x1E08F }, { 0x1E130, 0x1E136 }, { 0x1E2AE, 0x1E2AE }, { 0x1E2EC, 0x1E2EF }, { 0x1E4EC, 0x1E4EF },
    { 0x1E944, 0x1E94A },
};
static const CharRange LATER_FORMAT[] = {
    { 0x890, 0x891 }, { 0x8E2, 0x8E2 }, { 0x110CD, 0x110CD }, { 0x13430, 0x1343F }
};

#define IN(table, cp) char_range_among(cp, table, sizeof(table) / sizeof *(table))

static bool is_punctuation(int32_t cp)
{
    if (cp < 128) return cp > 32 && cp < 127 && !(utf8_is_letter(cp) || utf8_is_digit(cp));
    if (cp == 0x166D || cp == 0x111C9) return true; /* were punctuation then */
    utf8proc_category_t c = utf8proc_category(cp);
    return c >= UTF8PROC_CATEGORY_PC && c <= UTF8PROC_CATEGORY_PO && !IN(LATER_PUNCTUATION, cp);
}

static bool is_nonspacing_mark(int32_t cp)
{
    if (cp == 0x1734) return true; /* was one then */
    return utf8proc_category(cp) == UTF8PROC_CATEGORY_MN && !IN(LATER_MARKS, cp);
}

/* Control, format and private use; not unassigned code points. Tab, line feed and carriage return are white space. */
static bool is_removed(int32_t cp)
{
    if (cp == 0 || cp == 0xFFFD) return true;
    if (cp == '\t' || cp == '\n' || cp == '\r') return false;
    utf8proc_category_t c = utf8proc_category(cp);
    return c == UTF8PROC_CATEGORY_CC || c == UTF8PROC_CATEGORY_CO ||
           (c == UTF8PROC_CATEGORY_CF && !IN(LATER_FORMAT, cp));
}

bool bert_text_is_space(int32_t cp)
{
    if (cp < 128) return cp == ' ' || (cp >= '\t' && cp <= '\r');
    return cp == 0x85 || cp == 0xA0 || cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 ||
           cp == 0x202F || cp == 0x205F || cp == 0x3000;
}

/* Blocks of CJK ideographs; 0x2B920 for 0x2B820 is what published tokenizers have. */
bool bert_text_is_ideograph(int32_t cp)
{
    static const CharRange blocks[] = { { 0x3400, 0x4DBF },   { 0x4E00, 0x9FFF },   { 0xF900, 0xFAFF },
                                        { 0x20000, 0x2A6DF }, { 0x2A700, 0x2B73F }, { 0x2B740, 0x2B81F },
                                        { 0x2B920, 0x2CEAF }, { 0x2F800, 0x2FA1F } };
    return cp >= 0x3400 && IN(blocks, cp);
}

/* ---- normalisation */

/* A character of a combining class other than 0. NFD sorts a run of them by class. */
typedef struct Mark {
    int32_t cp;
    int class, at; /* at: in the order of the text */
    bool inserted; /* it came with the character before it, in the decomposition of one character */
    bool kept;     /* not a nonspacing mark */
} Mark;

typedef struct Normalizer {
    const BertRules *rules;
    PlacedText *out;
    Mark *mark;       /* [n] the run at the end of the text so far */
    int *begin, *end; /* [n_places] places of the run's characters that were not inserted, in the order of the text:
                         sorting does not move them */
    int n, n_places, n_kept, cap, cap_begin, cap_end;
    int last_begin, last_end; /* place of the last character before the run */
    bool failed;
} Normalizer;

static void put(Normalizer *z, int32_t cp, int begin, int end)
{
    if (z->rules->lowercase && cp == 0x130) { /* the only one with two characters in lower case */
        put(z, 'i', begin, end);
        cp = 0x307;
    }
    if (!placed_text_put(z->out, z->rules->lowercase ? utf8proc_tolower(cp) : cp, begin, end)) z->failed = true;
}

static int by_class(const void *a, const void *b)
{
    const Mark *x = a, *y = b;
    return x->class != y->class ? (x->class < y->class ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* Marks that are kept take the places of the run one after the other, and an inserted mark takes the place of the
 * character before it: so the reference implementation counts. */
static void end_run(Normalizer *z)
{
    int place = 0;
    if (z->n_kept) qsort(z->mark, (size_t)z->n, sizeof *z->mark, by_class);
    for (int k = 0; z->n_kept && k < z->n; k++) {
        if (!z->mark[k].inserted) {
            z->last_begin = z->begin[place];
            z->last_end = z->end[place++];
        }
        if (z->mark[k].kept) put(z, z->mark[k].cp, z->last_begin, z->last_end);
    }
    z->n = z->n_places = z->n_kept = 0;
}

static void add_mark(Normalizer *z, Mark m, int begin, int end)
{
    if (!mem_reserve(z->mark, &z->cap, z->n + 1) || !mem_reserve(z->begin, &z->cap_begin, z->n + 1) ||
        !mem_reserve(z->end, &z->cap_end, z->n + 1)) {
        z->failed = true;
        return;
    }
    if (!m.inserted) {
        z->begin[z->n_places] = begin;
        z->end[z->n_places++] = end;
    }
    m.at = z->n;
    z->mark[z->n++] = m;
    z->n_kept += m.kept;
}

static void decompose(Normalizer *z, int32_t cp, int begin, int end)
{
    enum { MOST = 32 }; /* no character has more than 4 */
    utf8proc_int32_t part[MOST] = { cp };
    utf8proc_ssize_t n = 1;
    if (cp >= 0x80 && cp != 0x11938) n = utf8proc_decompose_char(cp, part, MOST, UTF8PROC_DECOMPOSE, NULL);
    for (utf8proc_ssize_t k = 0; k < n; k++) {
        int class = part[k] < 0x80 ? 0 : utf8proc_get_property(part[k])->combining_class;
        bool kept = part[k] < 0x80 || !is_nonspacing_mark(part[k]);
        if (class) {
            add_mark(z, (Mark){ .cp = part[k], .class = class, .inserted = k > 0, .kept = kept }, begin, end);
            continue;
        }
        end_run(z);
        z->last_begin = begin;
        z->last_end = end;
        if (kept) put(z, part[k], begin, end);
    }
}

static void add(Normalizer *z, int32_t cp, int begin, int end)
{
    if (z->rules->strip_accents) decompose(z, cp, begin, end);
    else put(z, cp, begin, end);
}

Status bert_text_normalize(const BertRules *rules, StrView text, size_t from, size_t to, PlacedText *out, Error *error)
{
    Normalizer z = { .rules = rules, .out = out };
    strbuf_clear(&out->text);
    if (text.len > PIECES_MOST_TEXT)
        return error_set(error, ERR_LIMIT, "found a text of %zu bytes, expected at most %d", text.len,
                         PIECES_MOST_TEXT);
    for (size_t at = from; at < to && !z.failed;) {
        int begin = (int)at;
        int32_t cp = utf8_next(text.ptr, to, &at);
        int end = (int)at;
        if (rules->clean && is_removed(cp)) continue;
        if (rules->clean && bert_text_is_space(cp)) cp = ' ';
        bool ideograph = rules->chinese && bert_text_is_ideograph(cp);
        if (ideograph) add(&z, ' ', begin, end);
        add(&z, cp, begin, end);
        if (ideograph) add(&z, ' ', begin, end);
    }
    end_run(&z);
    mem_free_each(z.mark, z.begin, z.end);
    return z.failed ? error_set(error, ERR_NOMEM, "out of memory normalising a text") : OK;
}

bool bert_text_word(StrView normalized, size_t *at, StrView *word)
{
    size_t begin = *at, next = begin;
    int32_t cp = 0;
    for (; begin < normalized.len; begin = next) {
        cp = utf8_next(normalized.ptr, normalized.len, &next);
        if (!bert_text_is_space(cp)) break;
    }
    if (begin == normalized.len) return false;
    size_t end = next;
    while (!is_punctuation(cp) && end < normalized.len) {
        next = end;
        int32_t following = utf8_next(normalized.ptr, normalized.len, &next);
        if (bert_text_is_space(following) || is_punctuation(following)) break;
        end = next;
    }
    *word = (StrView){ normalized.ptr + begin, end - begin };
    *at = end;
    return true;
}
