/* Rules in order say which parts of a word stay together; then tokens are
 * moved apart in place, from the last one on. */
#include "language/english/text/segment_hyphens.h"

#include <string.h>

#include "language/english/text/segment_internal.h"
#include "language/english/text/shape.h"
#include "language/english/text/signs.h"

enum { PARTS_MOST = 8, PART_MOST = 32 };

static const char PREFIXES[] =
    "agro ante anti arch bi bio co counter cross cyber de e eco ex extra hyper hypo inter intra macro mega micro mid "
    "mini mono multi neo neuro non omni over para photo poly post pre pro proto pseudo psycho quasi re semi socio sub "
    "super supra tele trans tri ultra un under uni";
static const char SUFFIXES[] = "able esque fest gate ish ism ist itis o oid rama ward wards wise";
/* km/h: units, and what they are counted by. */
static const char RATES[] = "m km mi ft cm mm kb mb gb kg g mg l ml";
static const char PER[] = "h s d l kg ml";
static const char INTERJECTIONS[] = "aha ah da eh ha hah heh hm hmm ho huh la m mhm mm mmm na nah nuh oh ooh oops ow "
                                    "sh uh um uhh wah woo wow whoo ya yeah";

typedef struct Parts {
    size_t begin[PARTS_MOST], end[PARTS_MOST]; /* of part k in bytes; between parts there is one byte, - or / */
    int n;
} Parts;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/* Bytes of characters beyond ASCII count as letters. */
static bool is_word(char c) { return is_digit(c) || is_ascii_letter(c) || (unsigned char)c >= 128; }

/* The bytes of the hyphen or slash that p [len] begins with; 0: something else. */
static size_t sign_length(const char *p, size_t len)
{
    size_t i = 0;
    if (*p == '-' || *p == '/') return 1;
    return (unsigned char)*p >= 0xE2 && signs_read(utf8_next(p, len, &i)) == '-' ? i : 0;
}

/* The parts between hyphens and slashes; n = 0 if there are none, an empty one, or too many. */
static Parts parts_of(const char *word, size_t len)
{
    Parts p = { .n = 0 };
    size_t begin = 0;
    for (size_t i = 0; i <= len; i++) {
        size_t n = i < len ? sign_length(word + i, len - i) : 0;
        if (i < len && !n) continue;
        if (i == begin || p.n == PARTS_MOST) return (Parts){ .n = 0 };
        p.begin[p.n] = begin;
        p.end[p.n++] = i;
        begin = i + n;
    }
    return p.n > 1 ? p : (Parts){ .n = 0 };
}

static size_t part_length(const Parts *p, int k) { return p->end[k] - p->begin[k]; }
/* The sign before part k > 0. */
static char sign_before(const char *word, const Parts *p, int k) { return word[p->end[k - 1]]; }

/* Signs of addresses, paths, options and names of files: "a@b-c", "x_y-z", "my-file.txt", "src/main.c". */
static bool is_address(const char *word, size_t len)
{
    int slashes = 0, periods = 0;
    for (size_t i = 0; i + 1 < len; i++) {
        char c = word[i], next = word[i + 1];
        slashes += c == '/';
        periods += c == '.';
        if (strchr("@\\_=#&~<>", c)) return true;
        if (c == ':' && !is_digit(next)) return true;
        if (c == '.' && is_ascii_letter(next) && i + 2 < len && is_word(word[i + 2])) return true;
    }
    return slashes > 2 || (slashes && periods);
}

static bool is_number(const char *word, const Parts *p, int k)
{
    bool digits = false;
    for (size_t i = p->begin[k]; i < p->end[k]; i++) {
        if (is_digit(word[i])) digits = true;
        else if (!strchr(".,:%$", word[i])) return false;
    }
    return digits;
}

/* Telephone numbers, postal codes, dates, and codes that end in two numbers. */
static bool is_code(const char *word, const Parts *p)
{
    int last = p->n - 1;
    if (!is_number(word, p, last) || !is_number(word, p, last - 1)) return false;
    if (p->n > 2) return true;
    return part_length(p, 1) == 4 && (part_length(p, 0) == 3 || part_length(p, 0) == 5);
}

static bool part_in(const char *word, const Parts *p, int k, const char *list)
{
    char lower[PART_MOST];
    if (part_length(p, k) >= PART_MOST) return false;
    segment_lower_word((StrView){ word, p->end[k] }, p->begin[k], p->end[k], lower, sizeof lower);
    return text_among(lower, list);
}

static bool all_in(const char *word, const Parts *p, const char *list)
{
    int k = 0;
    while (k < p->n && part_in(word, p, k, list)) k++;
    return k == p->n;
}

/* Do parts k - 1 and k stay together? */
static bool stays(const char *word, const Parts *p, int k)
{
    bool numbers = is_digit(word[p->end[k - 1] - 1]) && is_digit(word[p->begin[k]]);
    if (sign_before(word, p, k) == '/' && part_in(word, p, k - 1, RATES) && part_in(word, p, k, PER)) return false;
    if (sign_before(word, p, k) == '/') return numbers || part_length(p, k - 1) == 1 || part_length(p, k) == 1;
    bool first = k == 1 || sign_before(word, p, k - 1) == '/';
    bool last = k + 1 == p->n || sign_before(word, p, k + 1) == '/';
    return (first && part_in(word, p, k - 1, PREFIXES)) || (last && part_in(word, p, k, SUFFIXES));
}

/* A word, or a number, with a hyphen at its end; short ones are words that the speaker broke off. */
static Parts without_last_hyphen(const char *word, size_t len)
{
    Parts p = { .begin = { 0, len }, .end = { len - 1, len }, .n = 2 };
    bool digits = false, word_only = true;
    for (size_t i = 0; i + 1 < len; i++) {
        digits = digits || is_digit(word[i]);
        word_only = word_only && is_word(word[i]);
    }
    if (!word_only || part_in(word, &p, 0, PREFIXES) || (!digits && len < 5)) p.n = 0;
    return p;
}

/* The parts into which a word is split; n < 2: it stays whole. A last part may be empty. */
static Parts pieces_of(const char *word, size_t len)
{
    if (!is_word(word[0]) || shape_of(word) == SHAPE_NUMBER) return (Parts){ .n = 0 };
    if (word[len - 1] == '-') return without_last_hyphen(word, len);
    Parts p = parts_of(word, len), out = { .n = 0 };
    if (!p.n || is_address(word, len) || is_code(word, &p) || all_in(word, &p, INTERJECTIONS)) return out;
    for (int k = 0; k < p.n; k++) {
        if (k == 0 || !stays(word, &p, k)) out.begin[out.n++] = p.begin[k];
        out.end[out.n - 1] = p.end[k];
    }
    return out;
}

/* ---- the tokens of a text */

static size_t characters(const char *p, size_t n)
{
    size_t chars = 0;
    for (size_t i = 0; i < n; i++) chars += ((unsigned char)p[i] & 0xC0) != 0x80;
    return chars;
}

/* The place in the text of byte i of the form, where a piece begins or ends: what is left out after t->cut is in no
 * piece that begins or ends there. */
static void place_of(const Token *t, size_t i, bool end, size_t *byte, size_t *character)
{
    size_t chars = characters(t->form, i);
    bool after = t->cut && (end ? i > t->cut : i >= t->cut);
    *byte = after ? t->end - (t->len - i) : t->begin + i;
    *character = after ? t->end_char - (characters(t->form, t->len) - chars) : t->begin_char + chars;
}

static bool copy_piece(Token *out, const Token *t, size_t begin, size_t end, Arena *a)
{
    *out = (Token){ .len = (uint32_t)(end - begin),
                    .glued = begin > 0 || t->glued,
                    .form = arena_strndup(a, t->form + begin, end - begin) };
    place_of(t, begin, false, &out->begin, &out->begin_char);
    place_of(t, end, true, &out->end, &out->end_char);
    if (begin < t->cut && t->cut < end) out->cut = t->cut - (uint32_t)begin;
    return out->form != NULL;
}

static bool has_sign(const Token *t)
{
    for (const char *p = t->form, *end = p + t->len; p < end; p++)
        if (!is_ascii_letter(*p) && sign_length(p, (size_t)(end - p))) return true;
    return false;
}

/* The number of tokens that the parts and the signs between them become. */
static int count_pieces(const Parts *p)
{
    int n = p->n - 1;
    for (int k = 0; k < p->n; k++) n += part_length(p, k) > 0;
    return n;
}

typedef struct Split { /* a token that becomes several */
    int token, pieces;
} Split;

typedef struct Splits {
    Split *list;
    int n, cap, more; /* more: tokens that are added */
} Splits;

static bool find_splits(Splits *s, const SegmentedText *text)
{
    for (int i = 0; i < text->n_tokens; i++) {
        const Token *t = &text->tokens[i];
        if (!has_sign(t) || t->cut == t->len) continue;
        Parts p = pieces_of(t->form, t->len);
        if (p.n < 2) continue;
        if (!mem_reserve(s->list, &s->cap, s->n + 1)) return false;
        s->list[s->n++] = (Split){ i, count_pieces(&p) };
        s->more += count_pieces(&p) - 1;
    }
    return true;
}

static void move_sentences(SegmentedText *text, const Splits *s)
{
    for (int k = 0, j = 0, more = 0; k < text->n_sentences; k++) {
        TextSentence *x = &text->sentences[k];
        int end = x->first + x->n;
        x->first += more;
        for (; j < s->n && s->list[j].token < end; j++) more += s->list[j].pieces - 1;
        x->n = end + more - x->first;
    }
}

/* Writes the pieces of t. */
static bool put_pieces(Token *out, const Token *t, Arena *a)
{
    Parts p = pieces_of(t->form, t->len);
    for (int k = 0; k < p.n; k++) {
        if (k && !copy_piece(out++, t, p.end[k - 1], p.begin[k], a)) return false;
        if (part_length(&p, k) && !copy_piece(out++, t, p.begin[k], p.end[k], a)) return false;
    }
    return true;
}

/* Makes room in place, from the last split on. */
static bool split_tokens(SegmentedText *text, const Splits *s, Arena *a)
{
    if (!mem_reserve(text->tokens, &text->token_cap, text->n_tokens + s->more)) return false;
    int end = text->n_tokens, more = s->more; /* tokens before `end` are still to be moved by `more` */
    text->n_tokens += more;
    for (int j = s->n - 1; j >= 0; j--) {
        Token *t = text->tokens + s->list[j].token, split = *t;
        int next = s->list[j].token + 1;
        memmove(t + 1 + more, t + 1, (size_t)(end - next) * sizeof *t);
        more -= s->list[j].pieces - 1;
        if (!put_pieces(t + more, &split, a)) return false;
        end = next - 1;
    }
    return true;
}

bool segment_split_hyphens(SegmentedText *text, Arena *arena)
{
    Splits s = { .list = NULL };
    bool ok = find_splits(&s, text);
    if (ok && s.n) {
        move_sentences(text, &s);
        ok = split_tokens(text, &s, arena);
    }
    mem_free(s.list);
    return ok;
}
