/* Final y, silent e and doubled consonants decide how an ending is joined to
 * a word. */
#include "language/english/program/lemma_forms.h"

#include <string.h>

int form_class(const char *tag)
{
    if (strncmp(tag, "VB", 2) == 0) return FORM_VERB;
    if (strcmp(tag, "NN") == 0 || strcmp(tag, "NNS") == 0) return FORM_NOUN;
    return strcmp(tag, "JJ") == 0 ? FORM_ADJECTIVE : -1;
}

static bool in(char c, const char *set) { return c && strchr(set, c); }

static bool ends(const char *word, const char *end)
{
    size_t n = strlen(word), m = strlen(end);
    return n >= m && strcmp(word + n - m, end) == 0;
}

/* The number of groups of vowels in a word, without a silent e at its end ("severe": 2, "simple": 2). */
static int syllables(const char *word)
{
    int n = 0;
    for (const char *p = word; *p; p++) n += in(*p, "aeiouy") && !(p > word && in(p[-1], "aeiouy"));
    size_t len = strlen(word);
    bool silent = n > 1 && ends(word, "e") && !ends(word, "le") && !in(word[len - 2], "aeiouy");
    return n - silent;
}

static bool ends_in_y(const char *word, size_t n) { return n > 1 && word[n - 1] == 'y' && !in(word[n - 2], "aeiou"); }

/* Does the word end in one vowel and one consonant, so that it may double the latter before a vowel ("hop", "quiz")? */
static bool ends_short(const char *word, size_t n)
{
    if (n < 3 || in(word[n - 1], "aeiouwxy") || !in(word[n - 2], "aeiou")) return false;
    return !in(word[n - 3], "aeiou") || (n > 3 && word[n - 3] == 'u' && word[n - 4] == 'q');
}

/* ---- forms; add_...: appends one to forms [*n] */

typedef struct Forms {
    RegularForm *forms;
    int n;
    const char *lemma;
    size_t len;
} Forms;

/* Appends the lemma without its last `cut` letters, `more` and end. */
static void add(Forms *f, const char *tag, bool rare, size_t cut, const char *more, const char *end)
{
    RegularForm *x = &f->forms[f->n++];
    x->tag = tag;
    x->rare = rare;
    strbuf_clear(&x->form);
    strbuf_add(&x->form, f->lemma, f->len - cut);
    strbuf_puts(&x->form, more);
    strbuf_puts(&x->form, end);
}

static void add_s(Forms *f, const char *tag)
{
    const char *word = f->lemma, last = word[f->len - 1], again[2] = { last, 0 };
    bool hiss = in(last, "sxz") || ends(word, "ch") || ends(word, "sh");
    if (ends_in_y(word, f->len)) add(f, tag, false, 1, "", "ies");
    else add(f, tag, false, 0, "", hiss ? "es" : "s");
    if (in(last, "sz") && ends_short(word, f->len)) add(f, tag, true, 0, again, "es");
    if (last == 'o' && f->len > 1 && !in(word[f->len - 2], "aeiou")) add(f, tag, true, 0, "", "es");
}

/* The word, which has no silent e, with "ed", "er", "est" or "ing": with its last letter twice in words of one syllable
 * ("hopped") and where some have it so ("travelled", "regretted"), with ck for c ("panicked"). */
static void add_vowel(Forms *f, const char *tag, const char *end)
{
    char last = f->lemma[f->len - 1], again[2] = { last == 'c' ? 'k' : last, 0 };
    bool is_short = ends_short(f->lemma, f->len);
    if (is_short && (last == 'c') == (syllables(f->lemma) > 1)) add(f, tag, false, 0, again, end);
    else {
        add(f, tag, false, 0, "", end);
        if (is_short) add(f, tag, true, 0, again, end);
    }
}

/* The word with "ed", "er" or "est". */
static void add_e(Forms *f, const char *tag, const char *end)
{
    if (f->lemma[f->len - 1] == 'e') add(f, tag, false, 1, "", end);
    else if (ends_in_y(f->lemma, f->len)) add(f, tag, false, 1, "i", end);
    else add_vowel(f, tag, end);
}

static void add_ing(Forms *f)
{
    const char *word = f->lemma;
    if (ends(word, "ie")) add(f, "VBG", false, 2, "y", "ing");
    else if (ends(word, "ee") || ends(word, "oe") || ends(word, "ye")) add(f, "VBG", false, 0, "", "ing");
    else if (ends(word, "e")) add(f, "VBG", false, 1, "", "ing");
    else add_vowel(f, "VBG", "ing");
}

int form_regular(const char *lemma, FormClass class, RegularForm *forms)
{
    Forms f = { .forms = forms, .lemma = lemma, .len = strlen(lemma) };
    if (!*lemma || (class == FORM_ADJECTIVE && syllables(lemma) > 2)) return 0;
    if (class == FORM_NOUN) add_s(&f, "NNS");
    else if (class == FORM_ADJECTIVE) {
        add_e(&f, "JJR", "er");
        add_e(&f, "JJS", "est");
    } else {
        add_s(&f, "VBZ");
        add_e(&f, "VBD", "ed");
        add_ing(&f);
    }
    return f.n;
}
