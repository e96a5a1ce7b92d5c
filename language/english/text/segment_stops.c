/* Which marks belong to the word before them? Chunks leave open whether the period after a word that no list has, or
 * after a capital, is its own; here the whole paragraph is seen, and what the text before it has shown.
 *
 * A period joins its word where a sum is above zero: of the letters of the word (log-linear weights, learnt from a list
 * of abbreviations and from the words of treebanks), of what follows (a comma, or lower case where sentences begin with
 * capitals), and of the same word elsewhere: with a period before lower case, or without one. */
#include <string.h>

#include "language/english/text/segment_boundary.h"

/* What stands after a mark. */
typedef enum Next { NEXT_END, NEXT_CAPITAL, NEXT_LOWER, NEXT_DIGIT, NEXT_COMMA, NEXT_CLOSE, NEXT_OTHER } Next;

/* A mark with the tokens around it. */
typedef struct Stop {
    const Segmenter *s;
    TextHabits *habits;
    const Token *first, *word; /* of the paragraph; before the mark */
    const Token *mark, *after; /* after it, NULL at the end of the paragraph */
    const Token *end;          /* of the paragraph */
    bool read;                 /* the words of the paragraph are in habits->free */
} Stop;

/* ---- tokens, each of which may be NULL: outside the paragraph */

static const Token *before(const Stop *x, const Token *t) { return t && t > x->first ? t - 1 : NULL; }

static bool is(const Token *t, const char *form) { return t && strcmp(t->form, form) == 0; }

static void lower_form(const Token *t, char buf[24])
{
    segment_lower_word((StrView){ t->form, t->len }, 0, t->len, buf, 24);
}

static bool among(const Token *t, const char *list)
{
    char buf[24];
    if (!t || t->len > 16) return false;
    lower_form(t, buf);
    return text_among(buf, list);
}

static int32_t first_of(const Token *t)
{
    size_t i = 0;
    return t ? utf8_next(t->form, t->len, &i) : 0;
}

static bool begins_upper(const Token *t) { return utf8_is_upper(first_of(t)); }
static bool begins_lower(const Token *t) { return utf8_is_lower(first_of(t)); }

/* Is it a usual first word of a sentence? */
static bool starter(const Token *t)
{
    char buf[24];
    if (!begins_upper(t) || t->len > 16) return false;
    lower_form(t, buf);
    return segment_is_starter(buf);
}

/* Is it a word of ASCII letters? */
static bool is_letters(const Token *t)
{
    if (!t) return false;
    const char *p = t->form;
    while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) p++;
    return !*p;
}

/* A capital, with or without its period. */
static bool is_single(const Token *t)
{
    return t && t->form[0] >= 'A' && t->form[0] <= 'Z' && (t->len == 1 || (t->len == 2 && t->form[1] == '.'));
}

static bool ends_with_period(const Token *t) { return t && t->len > 1 && t->form[t->len - 1] == '.'; }

/* Is there a period right after it? */
static bool follows_period(const Stop *x, const Token *t) { return t + 1 < x->end && is(t + 1, ".") && t[1].glued; }

/* Does a new sentence probably begin after the mark? */
static bool starts(const Stop *x)
{
    const Token *t = x->after;
    return starter(t) && !follows_period(x, t); /* R. I. Fox */
}

/* Does a sentence, a quotation or a line begin with it? */
static bool begins(const Stop *x, const Token *t)
{
    static const char marks[] = ". ? ! : ; ... \" \xe2\x80\x9c ' \xe2\x80\x98 [ ] ( -- \xe2\x80\x94 > * - \xe2\x80\xa2";
    if (t == x->first || text_among(t[-1].form, marks)) return true;
    return memchr(x->s->text.ptr + t[-1].end, '\n', t->begin - t[-1].end) != NULL;
}

static Next next_of(const Token *after)
{
    int32_t c = first_of(after);
    if (!after) return NEXT_END;
    if (after->glued && (segment_is_double_quote(c) || segment_is_apostrophe(c))) return NEXT_CLOSE;
    if (utf8_is_upper(c)) return NEXT_CAPITAL;
    if (utf8_is_lower(c)) return NEXT_LOWER;
    if (utf8_is_digit(c)) return NEXT_DIGIT;
    if (c == ',' || c == ';') return NEXT_COMMA;
    return segment_is_close(c) ? NEXT_CLOSE : NEXT_OTHER;
}

/* ---- letters */

enum {
    NAT = 12,       /* a weight of 1 */
    WORD_MOST = 14, /* letters of an abbreviation */
    CLEAR = 5,      /* more letters at the end of a sentence are of a word, mostly */
    EVIDENCE = 8 * NAT
};

static uint32_t hash_letters(const char *p, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)p[i]) * 16777619u;
    return h;
}

static uint32_t hash_first(const char *p, size_t all, size_t n) { return hash_letters(p, n < all ? n : all); }

static uint32_t hash_last(const char *p, size_t all, size_t n)
{
    size_t most = n < all ? n : all;
    return hash_letters(p + all - most, most);
}

enum { VOWELS = 1 | 1 << 4 | 1 << 8 | 1 << 14 | 1 << 20 }; /* bits of a e i o u */

int segment_letter_features(const char *lower, uint32_t at[LETTER_FEATURES])
{
    char shape[24]; /* vowels and consonants */
    size_t n = strlen(lower) < sizeof shape ? strlen(lower) : sizeof shape;
    for (size_t i = 0; i < n; i++) shape[i] = lower[i] == 'y' ? 'y' : VOWELS >> (lower[i] - 'a') & 1 ? 'v' : 'c';
    const uint32_t filled[LETTER_FEATURES] = {
        hash_letters(lower, n),
        hash_first(lower, n, 2),
        hash_first(lower, n, 3),
        hash_first(lower, n, 4),
        hash_last(lower, n, 1),
        hash_last(lower, n, 2),
        hash_last(lower, n, 3),
        hash_last(lower, n, 4),
        hash_letters(shape, n),
        hash_last(shape, n, 3),
        (uint32_t)n,
    };
    for (uint32_t k = 0; k < LETTER_FEATURES; k++)
        at[k] = BOUNDARY_WEIGHTS + JOIN_WEIGHTS + boundary_index(k, filled[k], k == 9 ? (uint32_t)n : 0, LETTER_BITS);
    return LETTER_FEATURES;
}

int segment_letter_score(const Token *t)
{
    char buf[24];
    uint32_t at[LETTER_FEATURES];
    int score = 0;
    lower_form(t, buf);
    for (int k = segment_letter_features(buf, at) - 1; k >= 0; k--) score += boundary_weight(at[k]);
    return score;
}

/* ---- habits */

static uint32_t type_of(const Token *t)
{
    char buf[24];
    lower_form(t, buf);
    uint32_t h = hash_letters(buf, strlen(buf));
    return h ? h : 1;
}

/* How often the word was followed by a period where the sentence went on; NULL: never. */
static uint8_t *times_stopped(TextHabits *h, uint32_t type)
{
    for (int i = 0; i < TEXT_STOPPED; i++)
        if (h->stopped[i].type == type) return &h->stopped[i].times;
    return NULL;
}

static void add_stopped(TextHabits *h, uint32_t type)
{
    uint8_t *times = times_stopped(h, type);
    if (!times) {
        h->next = (uint8_t)((h->next + 1) % TEXT_STOPPED);
        h->stopped[h->next].type = type;
        times = &h->stopped[h->next].times;
        *times = 0;
    }
    if (*times < UINT8_MAX) ++*times;
}

static void count_begin(TextHabits *h, bool capital)
{
    enum { REMEMBERED = 64 };
    if (capital) h->capitals++;
    else h->smalls++;
    if (h->capitals + h->smalls < REMEMBERED) return;
    h->capitals /= 2;
    h->smalls /= 2;
}

static bool is_mark(const Token *t) { return t->form[0] == '.' || t->form[0] == '?' || t->form[0] == '!'; }

/* Can a token of this kind be an abbreviation that lacks its period? */
static bool is_word(const Token *t) { return is_letters(t) && t->len >= 2 && t->len <= WORD_MOST; }

/* Does a sentence end with this mark, whatever follows? */
static bool ends_clearly(const Token *mark)
{
    const Token *word = mark - 1;
    if (mark->form[0] != '.') return !begins_upper(word); /* Yahoo! */
    if (!is_letters(word) || !begins_lower(word)) return false;
    return word->len > CLEAR || segment_letter_score(word) < -2 * NAT;
}

void segment_read_habits(const Segmenter *segmenter, int first, int end)
{
    const Token *tokens = segmenter->out->tokens;
    TextHabits *h = &segmenter->out->habits;
    if (first < end && (begins_upper(&tokens[first]) || begins_lower(&tokens[first])))
        count_begin(h, begins_upper(&tokens[first]));
    for (int k = first + 1; k + 1 < end; k++) {
        const Token *mark = &tokens[k];
        if (!mark->glued || !is_mark(mark)) continue; /* most tokens */
        Next next = next_of(mark + 1);
        bool cased = (next == NEXT_CAPITAL || next == NEXT_LOWER) && !mark[1].glued;
        if (cased && ends_clearly(mark)) count_begin(h, next == NEXT_CAPITAL);
        else if (is(mark, ".") && (next == NEXT_LOWER || next == NEXT_COMMA) && is_word(mark - 1))
            add_stopped(h, type_of(mark - 1));
    }
}

Habit segment_habit(const TextHabits *habits)
{
    if (habits->capitals + habits->smalls == 0) return HABIT_UNKNOWN;
    if (habits->smalls > habits->capitals) return HABIT_SMALL;
    return 6 * habits->smalls > habits->capitals ? HABIT_MIXED : HABIT_CAPITALS;
}

/* Adds the words of [from, to) that stand without a period. */
static void read_free(TextHabits *h, const Token *from, const Token *to)
{
    enum { MOST = TEXT_FREE / 8 };
    for (const Token *t = from; t < to; t++) {
        if (!is_word(t) || (t + 1 < to && is(t + 1, ".") && t[1].glued)) continue;
        if (++h->n_free > MOST) {
            memset(h->free, 0, sizeof h->free);
            h->n_free = 0;
        }
        uint32_t bit = type_of(t) % TEXT_FREE;
        h->free[bit / 8] |= (uint8_t)(1 << bit % 8);
    }
}

/* Does the word stand without a period elsewhere in the paragraph, or in the text before it? */
static bool stands_free(Stop *x, const Token *t)
{
    if (!x->read) read_free(x->habits, x->first, x->word);
    if (!x->read) read_free(x->habits, x->mark + 1, x->end);
    x->read = true;
    uint32_t bit = type_of(t) % TEXT_FREE;
    return x->habits->free[bit / 8] >> bit % 8 & 1;
}

/* ---- words */

/* Is it the end of a contraction (n't)? */
static bool is_clitic(const Stop *x, const Token *t)
{
    int32_t c = first_of(before(x, t));
    return t->glued && !segment_is_open(c) && !segment_is_double_quote(c) && !segment_is_apostrophe(c) && c != '-' &&
           c != '/';
}

/* Is it within brackets that hold no sentence: (2nd ed.)? */
static bool in_brackets(const Stop *x, const Token *t)
{
    enum { FAR = 12 };
    for (int n = 0; t && n < FAR && !segment_is_close(first_of(t)); n++, t = before(x, t))
        if (segment_is_open(first_of(t))) return !begins_upper(t + 1) || t + 1 == x->word || ends_with_period(t + 1);
    return false;
}

/* Is the period part of the word before it, of two letters or more? */
static bool ends_word(Stop *x)
{
    static const int follows[] = {
        [NEXT_END] = -5 * NAT,  [NEXT_CAPITAL] = -5 * NAT, [NEXT_LOWER] = -NAT,     [NEXT_DIGIT] = 0,
        [NEXT_COMMA] = 4 * NAT, [NEXT_CLOSE] = -2 * NAT,   [NEXT_OTHER] = -3 * NAT,
    };
    Next next = next_of(x->after);
    bool long_word = (next == NEXT_CAPITAL || next == NEXT_END) && x->word->len > CLEAR && begins_lower(x->word);
    if (long_word || !is_word(x->word) || is_clitic(x, x->word)) return false;
    if (x->after && x->after->glued && next != NEXT_COMMA && next != NEXT_CLOSE && next != NEXT_OTHER) return false;
    static const char to_places[] = "in of to from near for across throughout through into and or";
    int score = segment_letter_score(x->word) + follows[next];
    if (score < -EVIDENCE && x->word->len > 2) return false; /* most periods */
    bool opens = starts(x), name = next == NEXT_CAPITAL && begins_upper(x->word) && !opens;
    if (name && among(x->word, "so no") && among(before(x, x->word), to_places)) return true; /* in So. California */
    if (next == NEXT_LOWER && among(x->word, "no") && among(before(x, x->word), "the a this that any each total"))
        return true; /* the no. of */
    if (next == NEXT_CAPITAL && !opens && among(x->word, "feat")) return true;
    if (next == NEXT_CAPITAL && (ends_with_period(x->after) || follows_period(x, x->after))) score += 2 * NAT;
    Habit habit = segment_habit(x->habits);
    if (x->word->form[1] < 'a') score -= 3 * NAT; /* capitals */
    if (next == NEXT_LOWER) score += habit == HABIT_CAPITALS ? 2 * NAT : habit == HABIT_UNKNOWN ? 0 : -NAT;
    if ((next == NEXT_CLOSE || next == NEXT_DIGIT) && in_brackets(x, x->word)) score += 2 * NAT;
    if (name && !begins(x, x->word)) score += 3 * NAT; /* the Govt. Office */
    if (opens) score -= 2 * NAT;
    const uint8_t *times = times_stopped(x->habits, type_of(x->word));
    bool itself = next == NEXT_LOWER || next == NEXT_COMMA;
    if (times && *times > itself) score += 6 * NAT;
    return score > 0 && (score > 3 * NAT || !stands_free(x, x->word));
}

/* ---- capitals */

/* Plan B. It worked: what capitals are names of. */
static const char KINDS[] =
    "plan room vitamin option group type class grade section appendix part exhibit figure team building gate "
    "schedule level block unit zone hepatitis annex hall terminal column row stage phase side form model platform "
    "influenza size page letter note key chord string player company battery product bus line track disc disk "
    "drive point node cup variable variant version tier league series channel site file box item question answer "
    "pair person party patient subject student country area sector generation category factor protein sample set "
    "case step task test train volume war wing act scene book chapter choice chart circle cell clause condition "
    "cohort compound component constant curve dock door element entry event exit experiment floor formula "
    "function image index input label lane layer list lot map matrix method mode module output panel path pattern "
    "picture pier position problem process program project property quadrant region ring road rule shape sign "
    "slot solution source species square station strain street symbol table term tube vector vertex virus ward "
    "window witness";

/* Is the capital I before a capitalised word an initial, and not the pronoun? */
static bool is_initial_i(const Stop *x)
{
    static const char pronoun[] =
        "do did does am is was were are will would can could shall should may might must have has had so than but and "
        "or nor neither if as because that which who whom what where when why how while until though not maybe yes no "
        "oh ok me myself said thought think guess know";
    return is_single(before(x, x->word)) || !among(before(x, x->word), pronoun);
}

/* Is the period part of the capital before it, so that it is the initial of a name? */
static bool ends_capital(const Stop *x)
{
    static const char gets[] = "get gets got getting give gave earn earned receive received make made score scored has "
                               "have had was is need needed want wanted";
    const Token *left = before(x, x->word), *left2 = before(x, left);
    bool i = is(x->word, "I"), first = begins(x, x->word);
    Next next = next_of(x->after);
    if (x->after && x->after->glued && next == NEXT_CAPITAL) return false;
    if (i && next != NEXT_CAPITAL) return false;
    if (is(left, "\xc2\xb0")) return false; /* at 20 °C. */
    if (!first && among(left, KINDS)) return next == NEXT_COMMA || next == NEXT_LOWER || next == NEXT_OTHER;
    if (next != NEXT_CAPITAL && next != NEXT_END && next != NEXT_CLOSE) return true;
    if (first) return !(i && starts(x));
    bool name = is_single(left) || ends_with_period(left) || (begins_upper(left) && left->len > 1 && !starter(left));
    if (next != NEXT_CAPITAL) return name || is(left, "&") || (is(left, ",") && begins_upper(left2));
    if (among(left, "to and or than versus vs. =") && left2->len == 1 && is_single(left2) && !is(left2, "I"))
        return false; /* from A to B. */
    if (starts(x)) return name && !i;
    if (i) return is_initial_i(x);
    return !(among(left, "a an") && among(left2, gets)); /* got a B. Ann got an A. */
}

/* ---- names with marks */

/* bought Yahoo! shares: is the mark part of the name before it? */
static bool ends_name(const Stop *x)
{
    static const char names[] = "yahoo jeopardy joomla yum";
    static const char follows[] = "so then because when if as that which who he she it they we i you";
    static const char asks[] = "do does did is are was were have has had can could will would should may might am what "
                               "who whom whose where when why how which";
    const Token *name = x->word;
    Next next = next_of(x->after);
    if (x->mark->len > 1 || !is_word(name) || !begins_upper(name)) return false;
    if (among(name, names) && next != NEXT_END && next != NEXT_OTHER && !starts(x)) return true;
    if (next != NEXT_LOWER || x->after->glued || segment_habit(x->habits) != HABIT_CAPITALS) return false;
    while (!begins(x, name) && (begins_upper(name) || (is(name, ",") && begins_upper(before(x, name))))) name--;
    if (begins_upper(name)) return x->mark->form[0] == '!' && among(x->after, "is was has will"); /* Oklahoma! is */
    if (!begins_lower(name) || among(x->after, follows)) return false;
    for (int words = 0; words < 40 && !begins(x, name); words++) name--;
    return x->mark->form[0] == '!' || !among(name, asks);
}

/* ---- all */

static bool belongs(Stop *x)
{
    if (!x->word || x->word->cut) return false;
    if (x->mark->form[0] != '.') return ends_name(x);
    if (x->mark->len > 1) return false;
    if (x->word->len > 1) return ends_word(x);
    if (is_single(x->word)) return ends_capital(x);
    Next next = next_of(x->after); /* 19 l. of water */
    return begins_lower(x->word) && utf8_is_digit(first_of(before(x, x->word))) &&
           (next == NEXT_LOWER || next == NEXT_COMMA);
}

/* Makes one token of a word and the mark after it. */
static bool join(Segmenter *s, Token *word, const Token *mark)
{
    char *form = arena_alloc(s->a, word->len + mark->len + 1, 1);
    if (!form) return false;
    memcpy(form, word->form, word->len);
    memcpy(form + word->len, mark->form, mark->len + 1);
    word->form = form;
    word->len += mark->len;
    word->end = mark->end;
    word->end_char = mark->end_char;
    return true;
}

void segment_stops(Segmenter *segmenter, int first)
{
    SegmentedText *o = segmenter->out;
    if (first == o->n_tokens) return;
    Stop x = { .s = segmenter, .habits = &o->habits, .first = &o->tokens[first], .end = o->tokens + o->n_tokens };
    int to = first;
    segment_read_habits(segmenter, first, o->n_tokens);
    for (int k = first; k < o->n_tokens; k++) {
        const Token *t = &o->tokens[k];
        if (t->glued && is_mark(t)) {
            x.mark = t;
            x.word = to > first ? &o->tokens[to - 1] : NULL;
            x.after = t + 1 < x.end ? t + 1 : NULL;
            if (belongs(&x)) {
                segmenter->failed |= !join(segmenter, &o->tokens[to - 1], t);
                continue;
            }
        }
        if (to < k) o->tokens[to] = *t;
        to++;
    }
    o->n_tokens = to;
}
