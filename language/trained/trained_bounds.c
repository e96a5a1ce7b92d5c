/* Which characters of a text are one token, whatever is learnt. Addresses and numbers are in any language; words of
 * letters that have capitals, of which a treebank of Chinese has too few, where most letters have none. Numbers in Han
 * characters are one token, too, and what is counted is another one: the three treebanks of Chinese that were looked at
 * agree. Dates (5月3日) are as the treebank mostly has them. */
#include <string.h>

#include "language/address.h"
#include "language/trained/trained_internal.h"

/* The character at k as a byte of ASCII; else a letter of a script that has capitals or a digit as one of 'a', '0', and
 * others as 0. Beyond the scan: 0. */
static char sign_at(const TrainedScan *s, StrView text, int k)
{
    if (k < 0 || k >= s->n) return 0;
    const TrainedChar *c = &s->c[k];
    if (c->class == TRAINED_SPACE) return 0;
    if (c->class == TRAINED_DIGIT) return '0';
    if (c->class == TRAINED_LOWER || c->class == TRAINED_UPPER) return 'a';
    unsigned char byte = (unsigned char)text.ptr[c->byte];
    return byte < 0x80 ? (char)byte : 0;
}

/* The number of digits from k on. */
static int digits_at(const TrainedScan *s, int k)
{
    int n = 0;
    while (k + n < s->n && s->c[k + n].class == TRAINED_DIGIT) n++;
    return n;
}

static void join(TrainedScan *s, int from, int to)
{
    for (int k = from + 1; k < to; k++) s->c[k].bound = TRAINED_JOINED;
}

/* 1,234 1,234,567 with as many digits before the first comma; 0: no such number, else the characters of it. */
static int grouped(const TrainedScan *s, StrView text, int k, int digits)
{
    int n = digits;
    while (digits <= 3 && sign_at(s, text, k + n) == ',' && digits_at(s, k + n + 1) == 3) n += 4;
    return n > digits ? n : 0;
}

/* 10:30, 10:30:05, 2026-11-29, 2026/11/29. */
static int dated(const TrainedScan *s, StrView text, int k, int digits)
{
    char sign = sign_at(s, text, k + digits);
    int n = digits, last;
    if (sign == ':' && digits <= 2) {
        for (int parts = 0; parts < 2 && sign_at(s, text, k + n) == ':' && digits_at(s, k + n + 1) == 2; parts++)
            n += 3;
        return n > digits && sign_at(s, text, k + n) != ':' ? n : 0;
    }
    if (digits != 4 || (sign != '-' && sign != '/')) return 0;
    for (int parts = 0; parts < 2; parts++, n += 1 + last) {
        last = digits_at(s, k + n + 1);
        if (sign_at(s, text, k + n) != sign || last < 1 || last > 2) return 0;
    }
    return n;
}

/* The characters of the number at k, which is the first digit of several. */
static int number(const TrainedScan *s, StrView text, int k)
{
    int digits = digits_at(s, k), n = grouped(s, text, k, digits), more;
    if (!n) n = dated(s, text, k, digits);
    if (!n) n = digits;
    while (sign_at(s, text, k + n) == '.' && (more = digits_at(s, k + n + 1)) > 0) n += 1 + more;
    return n;
}

/* The characters of the Latin word at k: AT&T, O'Neil, main.py, file_2. */
static int latin_word(const TrainedScan *s, StrView text, int k)
{
    for (int n = 1;; n++) {
        char c = sign_at(s, text, k + n), next = sign_at(s, text, k + n + 1);
        bool within = c && strchr("_&'.", c) && (next == 'a' || (c == '_' && next == '0'));
        if (c != 'a' && c != '0' && !within) return n;
    }
}

enum { LONGEST_ADDRESS = 2048 }; /* bytes; a line of ten thousand commas is looked at once for each of them */

/* The characters of the address at k. */
static int address(const TrainedScan *s, StrView text, int k, bool blanks)
{
    size_t begin = s->c[k].byte, end = begin, next = begin;
    while (next < text.len && next - begin < LONGEST_ADDRESS && !utf8_is_space(utf8_next(text.ptr, text.len, &next)) &&
           (blanks || next == end + 1))
        end = next;
    end = begin + address_length((StrView){ text.ptr + begin, end - begin });
    int n = 0;
    while (s->c[k + n].byte < end) n++;
    return n;
}

/* ---- dates */

enum { YEAR = 0x5E74, MONTH = 0x6708, DAY = 0x65E5 };

/* Is it a sign of a date after as many digits? */
static bool is_date(int32_t sign, int digits)
{
    return (sign == YEAR && digits == 4) || (sign == MONTH && (digits == 1 || digits == 2));
}

/* The number of digits at the start of a word; *sign: the character after them, 0 at the end of the word. */
static int first_digits(const char *word, int32_t *sign)
{
    size_t len = strlen(word), i = 0;
    int n = 0;
    *sign = 0;
    for (; i < len && utf8_is_digit(*sign = utf8_next(word, len, &i)); n++) *sign = 0;
    return n;
}

TrainedDates trained_dates(const TrainedGold *gold)
{
    int joined = 0, apart = 0;
    for (int k = 0; k < gold->n; k++) {
        int32_t sign, next = 0;
        int digits = first_digits(gold->token[k].form, &sign);
        joined += is_date(sign, digits);
        if (sign || k + 1 == gold->n || gold->token[k].blank) continue;
        apart += first_digits(gold->token[k + 1].form, &next) == 0 && is_date(next, digits);
    }
    int most = 4 * (joined + apart) / 5;
    return joined > most ? TRAINED_DATES_JOINED : apart > most ? TRAINED_DATES_APART : TRAINED_DATES_OPEN;
}

/* Sets the bound of the sign of a date after digits k .. end - 1. */
static void bound_date(const TrainedText *t, TrainedScan *s, int k, int end)
{
    static const int32_t spans[] = { 0x5185, 0x95F4, 0x540E, 0x524D, 0x9F84 }; /* within, between, after, before, old */
    int32_t sign = s->c[end].eye, after = end + 1 < s->n ? s->c[end + 1].eye : ' ';
    bool day = sign == DAY && end - k <= 2, span = false;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) span |= after == spans[i] && s->c[k - 1].eye != MONTH;
    if (t->dates != TRAINED_DATES_OPEN && !span && (day || is_date(sign, end - k)))
        s->c[end].bound = t->dates == TRAINED_DATES_JOINED ? TRAINED_JOINED : TRAINED_APART;
}

/* The characters of the word of three or more at k that the table of variants has; else 1. */
static int variant_word(const TrainedText *t, const TrainedScan *s, StrView text, int k)
{
    size_t begin = s->c[k].byte;
    const TrainedPair *found =
        t->variant_words.n ? trained_variant_word(t, (StrView){ text.ptr + begin, text.len - begin }) : NULL;
    int n = 1;
    for (size_t len = found ? strlen(found->from) : 0; s->c[k + n].byte < begin + len;) n++;
    return n >= 3 ? n : 1;
}

/* ---- numbers in Han characters */

static bool is_one_of(int32_t c, const char *signs)
{
    size_t len = strlen(signs), i = 0;
    while (c && i < len)
        if (utf8_next(signs, len, &i) == c) return true;
    return false;
}

static int32_t eye_at(const TrainedScan *s, int k) { return k < s->n ? s->c[k].eye : 0; }

static bool is_digit_sign(int32_t c) { return is_one_of(c, "一二三四五六七八九"); }
static bool is_numeral(int32_t c) { return is_digit_sign(c) || is_one_of(c, "十百千万亿零〇○两"); }

/* The number of numerals from k on. */
static int numerals_at(const TrainedScan *s, int k)
{
    int n = 0;
    while (is_numeral(eye_at(s, k + n))) n++;
    return n;
}

/* Are n numerals at k a number? Two are, if they are a digit and a power of ten; one may be of a word (一些, 三角). */
static bool is_number(const TrainedScan *s, int k, int n)
{
    int32_t first = eye_at(s, k), second = eye_at(s, k + 1);
    if (n != 2) return n > 2;
    bool digit = is_digit_sign(first), ten = is_one_of(first, "十");
    return (digit && is_one_of(second, "十")) || (ten && is_digit_sign(second)) ||
           ((digit || ten || is_one_of(first, "两")) && is_one_of(second, "百千万亿"));
}

/* A token begins after a number that ends before k, unless a sign follows that may be of the number, a date, a time. */
static void bound_number(TrainedScan *s, int k)
{
    int32_t next = eye_at(s, k);
    bool han = next >= 0x4E00 && next <= 0x9FFF, minutes = is_one_of(eye_at(s, k + 1), "钟鐘");
    if (han && (minutes || !is_one_of(next, "年月日号点时分秒世代多余来几半成后合"))) s->c[k].bound = TRAINED_APART;
}

/* The characters of the number at k, n digits and signs, with powers of ten that follow (3万, 100多万; not 5千米). */
static int with_powers(const TrainedScan *s, StrView text, int k, int n)
{
    bool round = text.ptr[s->c[k + n - 1].byte] == '0';
    for (;; n++) {
        int32_t c = eye_at(s, k + n), next = eye_at(s, k + n + 1);
        bool power = is_one_of(c, "万亿") || (is_one_of(c, "百千") && !is_one_of(next, "米克瓦帕伏赫卡分吨升"));
        if (!power && !(round && is_one_of(c, "多余"))) return n;
        round = power;
    }
}

/* Does a measure word begin at k? Those that treebanks of Chinese have apart after one numeral, and their like. */
static bool is_measured(const TrainedScan *s, int k)
{
    static const char *const measures = "款条份米场只座层段张颗声倍片间枚句批双封根支台朵杯圈人岁名"
                                        "辆架勺棵株匹碗瓶盏幢栋艘盒袋篇幅扇亩吨克";
    int32_t c = eye_at(s, k);
    return is_one_of(c, measures) || (is_one_of(c, "分") && is_one_of(eye_at(s, k + 1), "钟鐘"));
}

/* The characters of the number at k in Han characters (二十五, 第三, 第17, 百分之六十); 1: no number. */
static int han_number(TrainedScan *s, StrView text, int k)
{
    int ordinal = is_one_of(eye_at(s, k), "第"), from = k + ordinal, n = numerals_at(s, from);
    bool digits = ordinal && sign_at(s, text, from) == '0';
    if (digits) n = number(s, text, from);
    bool whole = digits || is_number(s, from, n);
    if (n && is_one_of(eye_at(s, from + n), "分") && is_one_of(eye_at(s, from + n + 1), "之")) {
        int part = numerals_at(s, from + n + 2);
        if (part) n += 2 + part, whole = true;
    }
    if (n == 1 && !ordinal && is_measured(s, k + 1)) s->c[k + 1].bound = TRAINED_APART;
    if (!whole && !(ordinal && n)) return 1;
    if (whole || !is_one_of(eye_at(s, from + n), "方者手")) bound_number(s, from + n); /* 第三方, 第三者, 第一手 */
    return ordinal + n;
}

/* ---- all */

void trained_bounds(const TrainedText *trained, TrainedScan *scan, StrView text)
{
    char before = 0;
    for (int k = 1, n; k + 1 < scan->n; k += n) {
        char c = sign_at(scan, text, k);
        bool word = c == 'a' || c == '0', begins = word && !(before && strchr("a0._%+-@/", before));
        bool plain = (unsigned char)text.ptr[scan->c[k].byte] < 0x80;
        n = begins && plain ? address(scan, text, k, trained->blanks) : 0;
        if (n) {
            scan->c[k].bound = TRAINED_APART;
            if (scan->c[k + n].class != TRAINED_SPACE) scan->c[k + n].bound = TRAINED_APART;
        } else if (c == '0') {
            n = number(scan, text, k);
            if (n == digits_at(scan, k)) bound_date(trained, scan, k, k + n);
            if (!trained->blanks) {
                n = with_powers(scan, text, k, n);
                bound_number(scan, k + n);
            }
        } else if (scan->c[k].class == TRAINED_WIDE) {
            n = trained->blanks ? 1 : han_number(scan, text, k);
            if (n == 1) n = variant_word(trained, scan, text, k);
        } else n = c == 'a' && !trained->cased ? latin_word(scan, text, k) : 1;
        join(scan, k, k + n);
        before = sign_at(scan, text, k + n - 1);
    }
}
