/* Features of the gap between two tokens. */
#include "language/english/text/segment_boundary.h"

#include <string.h>

#include "language/english/text/shape.h"
#include "language/english/text/signs.h"

enum Class {
    EDGE, /* outside the paragraph */
    LOWER,
    CAPITAL,
    UPPER,  /* two capitals or more */
    LETTER, /* one capital */
    MIXED,
    UNCASED,
    NUMBER,
    DATE,
    TIME,
    CODE, /* letters and digits */
    ITEM, /* 1. */
    ADDRESS,
    SHORT, /* abbreviations by kind (segment_words.c) */
    TITLE,
    INITIAL,
    WIDE_END, /* full-width marks of Chinese and Japanese, which end a sentence whatever follows */
    PERIOD,
    QUESTION,
    EXCLAMATION,
    ELLIPSIS,
    COMMA,
    SEMICOLON,
    COLON,
    DASH,
    OPEN,
    CLOSE,
    QUOTE, /* adjacent to tokens on both sides, or on neither */
    QUOTE_OPEN,
    QUOTE_CLOSE,
    BULLET,
    RULE, /* ---- */
    SMILEY,
    CLITIC,
    SYMBOL,
    ACRONYM, /* A.B. */
    NOTE     /* the number of a note right after the end of a sentence: found.3 found.”3 */
};

/* ---- tokens */

static const Token *token(const Boundary *b, int k) { return &b->s->out->tokens[k]; }

/* Three or more equal marks: ----. */
static bool is_rule(const char *p, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (p[i] != p[0]) return false;
    return n >= 3;
}

typedef struct Count { /* numbers of characters of a token by kind */
    int upper, lower, letters, digits, others, all;
    bool slash, colon;
    int32_t first;
} Count;

static Count count(const Token *t)
{
    Count n = { 0 };
    size_t len = t->len;
    for (size_t i = 0; i < len && n.all < 64; n.all++) {
        int32_t c = utf8_next(t->form, len, &i);
        if (n.all == 0) n.first = c >= 128 ? signs_read(c) : c;
        bool upper = utf8_is_upper(c), lower = utf8_is_lower(c);
        n.upper += upper;
        n.lower += lower;
        n.digits += utf8_is_digit(c);
        n.letters += c >= 128 && !upper && !lower && utf8_is_letter(c);
        n.slash |= c == '/';
        n.colon |= c == ':';
    }
    n.others = n.all - n.upper - n.lower - n.digits - n.letters;
    return n;
}

static int class_of_marks(const Token *t, const Count *n)
{
    size_t len = t->len;
    int32_t c = n->first;
    char last = t->form[len - 1];
    if (len > 1 && (c == '?' || c == '!')) return last == '?' ? QUESTION : EXCLAMATION;
    if (c == 0x2026 || strncmp(t->form, "..", 2) == 0 || strcmp(t->form, "[...]") == 0) return ELLIPSIS;
    if (is_rule(t->form, len)) return RULE;
    if (c >= 0x3000 && text_mark(c) == TEXT_END) return WIDE_END;
    if (c == '.') return PERIOD;
    if (c == '?') return QUESTION;
    if (c == '!') return EXCLAMATION;
    if (c == ',') return COMMA;
    if (c == ';') return SEMICOLON;
    if (c == ':') return COLON;
    if (c == '-' || segment_is_dash(c)) return DASH;
    if (segment_is_open(c)) return OPEN;
    if (segment_is_close(c)) return CLOSE;
    if (segment_is_double_quote(c) || segment_is_apostrophe(c) || c == '`') return QUOTE;
    return segment_is_bullet(c) ? BULLET : SYMBOL;
}

static int class_of(const Boundary *b, const Token *t, const Count *n)
{
    size_t len = t->len;
    char last = t->form[len - 1];
    Shape shape = len > 1 && n->others ? shape_of(t->form) : SHAPE_NONE;
    if (shape == SHAPE_EMOJI || shape == SHAPE_EMOTICON) return SMILEY;
    if (shape == SHAPE_ADDRESS) return ADDRESS;
    if (n->upper + n->lower + n->letters + n->digits == 0) return class_of_marks(t, n);
    if ((segment_is_apostrophe(n->first) || sign_is_doubtful(n->first)) && len <= 5) return CLITIC;
    if (last == '.' && len > 1) {
        if (n->digits) return ITEM;
        int kind = segment_abbreviation(b->s->text, t->begin, t->end - 1);
        if (kind == ABBREV_SHORT && len > 3 && t->form[1] == '.') return ACRONYM;
        if (kind == ABBREV_NONE) return segment_is_title(b->s->text, t->begin, t->end - 1) ? TITLE : SHORT;
        return kind == ABBREV_TITLE ? TITLE : kind == ABBREV_INITIAL ? INITIAL : SHORT;
    }
    if (n->digits) {
        if (n->upper + n->lower + n->letters) return CODE;
        return n->slash ? DATE : n->colon ? TIME : NUMBER;
    }
    if (n->lower == 0 && n->upper == 0) return UNCASED;
    if (n->upper == 0) return LOWER;
    if (!utf8_is_upper(n->first)) return MIXED;
    if (n->upper == 1) return n->lower ? CAPITAL : LETTER;
    return n->lower ? MIXED : UPPER;
}

/* Has the token only lower-case letters of ASCII? */
static bool is_lower_word(const Token *t)
{
    const char *p = t->form;
    while (*p >= 'a' && *p <= 'z') p++;
    return !*p;
}

/* FNV-1a of the first 24 bytes, in lower case, with all digits as 0 and plain signs. */
static uint32_t hash_word(const Token *t)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < t->len && i < 24; i++) {
        unsigned char c = (unsigned char)t->form[i];
        if (c >= 'A' && c <= 'Z') c = (unsigned char)(c + 32);
        else if (c >= '0' && c <= '9') c = '0';
        else if (c >= 0xC2) {
            size_t next = i;
            int32_t cp = utf8_next(t->form, t->len, &next), plain = cp == 0x201C || cp == 0x201D ? '"' : signs_read(cp);
            if (plain < 128) {
                c = (unsigned char)plain;
                i = next - 1;
            }
        }
        h = (h ^ c) * 16777619u;
    }
    return h;
}

/* ---- white space */

static int gap_before(Boundary *b, int k)
{
    size_t from = token(b, k - 1)->end, to = token(b, k)->begin;
    const char *text = b->s->text.ptr;
    if (from == to) return GAP_GLUED;
    if (b->s->newlines == NEWLINES_SPACE || b->layout.one_line) return GAP_SPACE;
    if (b->s->newlines == NEWLINES_SENTENCE) return memchr(text + from, '\n', to - from) ? GAP_LINE : GAP_SPACE;
    return segment_layout_gap(&b->layout, from, to);
}

/* ---- looks */

/* All zero, an EDGE, for the three tokens before the paragraph and the six after it. */
static const Look *look(const Boundary *b, int k) { return &b->look[k & (BOUNDARY_LOOKS - 1)]; }

static bool is_end(int class) { return class >= WIDE_END && class <= ELLIPSIS; }

/* Is token k, which is a number or begins with this character, the number of a note? */
static bool is_note(const Boundary *b, int k, int class, int32_t first)
{
    bool number = class == NUMBER || (class == SYMBOL && segment_is_superscript(first));
    int i = k - 1;
    if (!number || look(b, k)->gap != GAP_GLUED) return false;
    while (look(b, i)->class == QUOTE_CLOSE || look(b, i)->class == CLOSE) i--;
    return i >= k - 2 && look(b, i)->class >= PERIOD && look(b, i)->class <= EXCLAMATION;
}

/* A quote opens or closes the token it is adjacent to; if that does not decide, its character may. */
static int side_of_quote(const Boundary *b, int k, int32_t sign)
{
    bool left = k > b->first && token(b, k - 1)->end == token(b, k)->begin;
    bool right = k + 1 < b->end && token(b, k + 1)->begin == token(b, k)->end;
    if (left != right) return left ? QUOTE_CLOSE : QUOTE_OPEN;
    if (text_mark(sign) == TEXT_OPEN_QUOTE || sign == 0x2018) return QUOTE_OPEN;
    bool ends = left && right && strchr(".?!", token(b, k - 1)->form[0]); /* "Yes."He left. */
    return text_mark(sign) == TEXT_CLOSE_QUOTE || ends ? QUOTE_CLOSE : QUOTE;
}

static void look_at(Boundary *b, int k)
{
    Look *x = &b->look[k & (BOUNDARY_LOOKS - 1)];
    *x = (Look){ .class = EDGE };
    if (k >= b->end) return;
    const Token *t = token(b, k);
    x->gap = (uint8_t)(k > b->first ? gap_before(b, k) : GAP_SPACE);
    x->columns = b->layout.columns;
    x->word = hash_word(t);
    x->class = LOWER;
    if (is_lower_word(t)) return; /* most tokens */
    Count n = count(t);
    x->class = (uint8_t)class_of(b, t, &n);
    if (x->class == QUOTE) x->class = (uint8_t)side_of_quote(b, k, n.first);
    if (is_note(b, k, x->class, n.first)) x->class = NOTE;
}

/* Updates the brackets and quotes of the sentence so far with token k. */
static void enter(Boundary *b, int k)
{
    int c = look(b, k)->class;
    if (c == OPEN) b->depth++;
    else if (c == CLOSE && b->depth > 0) b->depth--;
    else if (c == QUOTE || c == QUOTE_OPEN || c == QUOTE_CLOSE) b->quote = !b->quote;
}

void boundary_init(Boundary *boundary, const Segmenter *segmenter, int first, int end)
{
    *boundary = (Boundary){ .s = segmenter, .first = first, .end = end, .looked = first, .start = first };
    if (first == end) return;
    boundary->habit = segment_habit(&segmenter->out->habits);
    segment_layout_begin(&boundary->layout, segmenter->text, token(boundary, first)->begin,
                         token(boundary, end - 1)->end);
    look_at(boundary, boundary->looked++);
    enter(boundary, first);
}

/* ---- features */

enum {
    WEAK = 4,        /* 0.3 log-odds: in edited text few sentences end without a mark */
    UNLIKELY = 30,   /* within a short line, between words */
    SHORT_LINE = 50, /* characters */
    LONG_LINE = 600  /* longer than most paragraphs of edited text: the line breaks of the text may be lost */
};

/* The last token before the gap that is neither a closing bracket or quote nor part of a citation like [1,2]. */
static int left_of(const Boundary *b, int k)
{
    int i = k - 1, low = k - 12 > b->start ? k - 12 : b->start;
    while (i > low) {
        int c = look(b, i)->class;
        if (c == QUOTE_CLOSE || c == NOTE) i--;
        else if (c == CLOSE) {
            int q = i - 1;
            while (q > low && (look(b, q)->class == NUMBER || look(b, q)->class == COMMA || look(b, q)->class == DASH))
                q--;
            i = look(b, q)->class == OPEN && q > low && q < i - 1 ? q - 1 : i - 1;
        } else break;
    }
    return i;
}

static int right_of(const Boundary *b, int k)
{
    for (int i = 0; i < 3; i++, k++) {
        int c = look(b, k)->class;
        if (c != QUOTE_OPEN && c != OPEN && c != QUOTE) return k;
    }
    return k;
}

static uint32_t length_bucket(int n)
{
    return (uint32_t)(n < 5 ? n : n < 7 ? 5 : n < 10 ? 6 : n < 15 ? 7 : n < 25 ? 8 : n < 40 ? 9 : 10);
}

uint32_t boundary_index(uint32_t kind, uint32_t a, uint32_t b, int bits)
{
    uint64_t h = (uint64_t)kind << 58 ^ a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return (uint32_t)(h >> (64 - bits));
}

/* Is token k, capitalised, a usual first word of a sentence? */
static bool starter(const Boundary *b, int k)
{
    char buf[24];
    if (k >= b->end) return false;
    int class = look(b, k)->class;
    if (class != CAPITAL && class != LETTER) return false;
    const Token *t = token(b, k);
    segment_lower_word((StrView){ t->form, t->len }, 0, t->len, buf, sizeof buf);
    return segment_is_starter(buf);
}

/* Is token k a starter after an abbreviation? */
static bool starts(const Boundary *b, const Look *left, int k)
{
    bool abbreviation = (left->class >= SHORT && left->class <= INITIAL) || left->class == ACRONYM;
    return abbreviation && starter(b, k);
}

/* pre- (and post-war), th- (the). */
static bool ends_in_hyphen(const Token *t) { return t->len > 1 && t->form[t->len - 1] == '-' && t->form[0] != '-'; }

/* "Stop!" Maria shouted: does a quotation end before token k, and a name and a verb of saying follow? */
static bool is_speech(const Boundary *b, int k)
{
    static const char says[] =
        "said says say asked asks ask replied replies shouted shouts cried cries exclaimed exclaims whispered whispers "
        "yelled yells screamed screams muttered murmured answered answers called calls demanded demands inquired "
        "enquired wondered wonders repeated added adds continued continues began insisted insists declared gasped "
        "gasps "
        "sobbed sighed sighs laughed laughs growled snapped snaps roared bellowed hissed moaned groaned grunted "
        "mumbled "
        "stammered stuttered snarled barked shrieked squealed wailed whimpered chuckled giggled remarked observed "
        "commented announced explained protested objected pleaded begged urged warned ordered commanded suggested "
        "agreed "
        "admitted interrupted interjected retorted responded responds returned echoed joked teased mused queried wrote "
        "writes thought thinks croaked drawled piped chirped howled hollered blurted breathed";
    int last = look(b, k - 2)->class, i = k;
    if (look(b, k)->gap == GAP_GLUED) return false;
    if (last != QUESTION && last != EXCLAMATION && last != ELLIPSIS && last != DASH && last != COMMA) return false;
    if (starter(b, k) && strcmp(token(b, k)->form, "I") != 0) return false;
    for (bool name = true; i < k + 6; i++) {
        int c = look(b, i)->class;
        bool joins = i > k && c == LOWER && text_among(token(b, i)->form, "and of the de la van von");
        bool owner = c == CLITIC && look(b, i + 1)->class == LOWER; /* Tom's mother */
        if (owner) i++;
        name = c == CAPITAL || c == TITLE || c == INITIAL || c == UPPER || c == MIXED || c == LETTER || joins || owner;
        if (!name) break;
    }
    if (i == k || look(b, i)->class != LOWER) return false;
    const Token *verb = token(b, i);
    bool adverb = verb->len > 4 && strcmp(verb->form + verb->len - 2, "ly") == 0;
    if ((adverb || text_among(verb->form, "then also finally had has")) && look(b, i + 1)->class == LOWER) verb++;
    return text_among(verb->form, says);
}

/* Dr. Smith (who else?) cannot come: does an aside within the sentence end before token k, a small word? */
static bool is_aside(const Boundary *b, int k)
{
    if (look(b, k)->class != LOWER || look(b, k - 1)->class != CLOSE || b->habit == HABIT_SMALL) return false;
    int i = k - 2;
    while (i > b->start && look(b, i)->class != OPEN) i--;
    return i > b->start;
}

/* After a hyphen at the end of a line, inside a row of stars, after the sign of quoted mail or of a speaker (> Ann:),
 * where a speaker stammers (I ... I), before who says what was said, after an aside, and before a letter that is a name
 * (Plan B.). */
static bool continues(const Boundary *b, int k)
{
    const Look *l = look(b, k - 1), *r = look(b, k);
    if (r->gap == GAP_INSIDE) return true;
    if (r->gap >= GAP_WRAPPED) return r->class == LOWER && ends_in_hyphen(token(b, k - 1));
    if (l->class == BULLET && r->class == BULLET && l->word == r->word) return true;
    if (l->class == ELLIPSIS && k - 2 >= b->start && look(b, k - 2)->word == r->word) return true;
    if (r->class == LETTER && look(b, k + 1)->class == PERIOD && look(b, k + 1)->gap == GAP_GLUED)
        return token(b, k)->form[0] != 'I'; /* group A. */
    if ((l->class == QUOTE_CLOSE && is_speech(b, k)) || is_aside(b, k)) return true;
    return k - 1 == b->start && token(b, k - 1)->form[0] == '>';
}

/* Between tokens without white space a sentence ends only after a final mark or a closing bracket or quote. */
static bool impossible(const Boundary *b, int k)
{
    const Look *l = look(b, k - 1), *r = look(b, k);
    if (continues(b, k)) return true;
    if (r->gap != GAP_GLUED) return false;
    bool after = is_end(l->class) || l->class == CLOSE || l->class == QUOTE_CLOSE;
    return !after || r->class == CLOSE || r->class == QUOTE_CLOSE || r->class == COMMA || r->class == NOTE;
}

/* Before a lower-case word after a lower-case word or a comma there is too rarely a boundary for it to be
 * classified. */
static bool unlikely(const Look *l, const Look *r)
{
    return r->class == LOWER && r->gap == GAP_SPACE && (l->class == LOWER || l->class == CLITIC || l->class == COMMA);
}

/* The values that fill the templates. Classes are below 64, pairs of them below 4096. */
typedef struct Around {
    uint32_t left[3], right[6]; /* classes of the tokens from the gap outwards */
    uint32_t gap;
    uint32_t pair;     /* left[0] and right[0] */
    uint32_t far_pair; /* the same, after skipping closing (left) and opening (right) brackets and quotes */
    uint32_t length;   /* of the sentence so far */
    uint32_t opened;   /* class of its first token, EDGE if that is no longer stored */
    uint32_t state;    /* whether it is within brackets or quotes; how sentences begin */
    uint32_t next_end; /* tokens until the next . ? !, at most 6 */
    uint32_t last;     /* class of the last token of the sentence before */
} Around;

static Around around(const Boundary *b, int k, const Look *far_left, const Look *far_right)
{
    Around x = { .gap = look(b, k)->gap, .last = b->last_class };
    for (int i = 0; i < 3; i++) x.left[i] = look(b, k - 1 - i)->class;
    for (int i = 0; i < 6; i++) x.right[i] = look(b, k + i)->class;
    x.pair = x.left[0] << 6 | x.right[0];
    x.far_pair = (uint32_t)far_left->class << 6 | far_right->class;
    x.length = length_bucket(k - b->start);
    x.opened = k - b->start < BOUNDARY_LOOKS - 8 ? look(b, b->start)->class : EDGE;
    x.state = (uint32_t)b->habit << 2 | (uint32_t)(b->depth > 0) << 1 | b->quote;
    while (x.next_end < 6 && !is_end((int)x.right[x.next_end])) x.next_end++;
    return x;
}

int boundary_features(Boundary *boundary, int k, uint32_t at[BOUNDARY_FEATURES])
{
    for (; boundary->looked <= k + 6; boundary->looked++) look_at(boundary, boundary->looked);
    const Look *l = look(boundary, k - 1), *r = look(boundary, k), *l2 = look(boundary, k - 2),
               *r2 = look(boundary, k + 1);
    boundary->closed = unlikely(l, r) || impossible(boundary, k);
    if (boundary->closed || r->gap == GAP_LINE) return 0;
    int begin = right_of(boundary, k);
    const Look *far_left = look(boundary, left_of(boundary, k)), *far_right = look(boundary, begin);
    const Around x = around(boundary, k, far_left, far_right);
    const uint32_t *c = x.left, *d = x.right, next = d[0] << 18 | d[1] << 12 | d[2] << 6 | d[3];
    const struct {
        uint32_t a, b;
    } filled[] = {
        /* classes */
        { x.gap, 0 },
        { x.pair << 3 | x.gap, 1 },
        { x.far_pair << 3 | x.gap, 1 },
        { x.pair, c[1] << 3 | x.gap },
        { x.pair, d[1] },
        { x.pair, c[1] << 6 | d[1] },
        { x.pair, d[1] << 6 | d[2] },
        { x.pair, c[2] << 6 | c[1] },
        { next, 0 },
        { next, d[4] << 6 | d[5] },
        { x.pair, d[1] << 18 | d[2] << 12 | d[3] << 6 | d[4] },
        /* words */
        { l->word, 0 },
        { r->word, 0 },
        { l->word, d[0] },
        { r->word, c[0] },
        { l->word, r->word },
        { r->word, r2->word },
        { l2->word, l->word },
        { l2->word, x.pair },
        { far_left->word, far_right->class },
        { far_right->word, far_left->class },
        { c[0] << 3 | x.gap, r->word },
        { d[0] << 3 | x.gap, l->word },
        /* the sentence so far, and the distance to the next final mark */
        { x.length, x.pair },
        { x.length, x.gap },
        { x.state, x.far_pair },
        { x.opened << 4 | x.state, x.pair },
        { x.next_end << 4 | x.length, x.pair },
        { x.next_end, x.far_pair },
        { x.last << 3 | x.gap, x.pair },
        { starts(boundary, far_left, begin), x.far_pair },
    };
    enum { N = sizeof filled / sizeof *filled };
    for (uint32_t i = 0; i < N; i++) at[i] = boundary_index(i + 1, filled[i].a, filled[i].b, BOUNDARY_BITS);
    return N;
}

int boundary_threshold(const Boundary *boundary, int k)
{
    const Look *l = look(boundary, k - 1), *r = look(boundary, k);
    if (is_end(look(boundary, left_of(boundary, k))->class) || r->columns > LONG_LINE) return 0;
    bool word = (l->class >= LOWER && l->class <= NUMBER) || l->class == DASH || l->class == COMMA ||
                (l->class == SMILEY && r->class == LOWER);
    return word && r->gap == GAP_SPACE && r->columns < SHORT_LINE ? UNLIKELY : l->class == ADDRESS ? 3 * WEAK : WEAK;
}

bool boundary_forced(const Boundary *boundary, int k)
{
    return boundary->s->newlines == NEWLINES_SENTENCE && look(boundary, k)->gap == GAP_LINE;
}

static bool opens_sentence(const Look *r)
{
    return r->class == CAPITAL || r->class == LETTER || r->class == UPPER || r->class == QUOTE_OPEN;
}

/* Does a sentence begin with token k if there is no blank before it: a capital, perhaps after a quote? */
static bool begins_glued(const Boundary *b, int k)
{
    if (look(b, k)->class == QUOTE_OPEN && look(b, k + 1)->gap == GAP_GLUED) k++;
    return look(b, k)->class == CAPITAL || (k < b->end && strcmp(token(b, k)->form, "I") == 0);
}

static bool is_pronoun(const Boundary *b, int k)
{
    static const char list[] = "He She It They We";
    return text_among(token(b, k)->form, list);
}

/* We meet at 9 a.m. Bring a pen: not before days, zones and "Afghan time", nor in "the 9 a.m. Bible class". */
static bool follows_hour(const Boundary *b, int k)
{
    static const char names[] = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April "
                                "May June July August September October November December Eastern Central Mountain "
                                "Pacific Atlantic Greenwich Standard Universal Coordinated Local";
    const Token *hour = token(b, k - 1);
    int number = k - 2 < b->start || hour->len != 4 ? LOWER : look(b, k - 2)->class;
    if (number != NUMBER && number != TIME) return false;
    if (!text_among(hour->form, "a.m. p.m. A.M. P.M.") || text_among(token(b, k)->form, names)) return false;
    bool zone = k + 1 < b->end && text_among(token(b, k + 1)->form, "time Time");
    static const char before[] =
        "the a this that our every his her their my The A This That Our Every His Her Their My";
    return !zone && (k - 3 < b->start || !text_among(token(b, k - 3)->form, before));
}

bool boundary_by_rule(const Boundary *boundary, int k)
{
    const Look *r = look(boundary, k);
    if (boundary->closed || r->class == CLOSE || r->class == QUOTE_CLOSE) return false;
    if (r->gap == GAP_LINE) return true;
    int left = look(boundary, left_of(boundary, k))->class;
    bool word = r->class >= LOWER && r->class <= MIXED;
    if (r->gap == GAP_GLUED && (left == QUESTION || left == EXCLAMATION) && word) return true; /* good!!great */
    if (r->gap == GAP_GLUED && left == PERIOD && begins_glued(boundary, k)) return true;       /* good.Great */
    if (left == SMILEY && starter(boundary, k)) return true;
    if (is_end(left) && look(boundary, k - 1)->class == NOTE && opens_sentence(r)) return true;
    if (left == ACRONYM && r->class == CAPITAL && is_pronoun(boundary, k)) return true; /* the U.S. He */
    if (r->class == CAPITAL && follows_hour(boundary, k)) return true;
    if (is_end(left) && token(boundary, k)->form[0] == '>' && r->gap == GAP_SPACE) return true; /* >> Yes. >> No. */
    return (left == WIDE_END && !is_end(r->class)) || (left >= WIDE_END && left <= EXCLAMATION && r->class == UNCASED);
}

void boundary_next(Boundary *boundary, int k, bool ends)
{
    if (ends) {
        boundary->last_class = look(boundary, k - 1)->class;
        boundary->start = k;
        boundary->depth = 0;
        boundary->quote = false;
    }
    enter(boundary, k);
}
