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

/* The groups of vowels of a word. */
static int syllables(const char *word)
{
    int n = 0;
    for (const char *p = word; *p; p++) n += in(*p, "aeiouy") && !(p > word && in(p[-1], "aeiouy"));
    return n;
}

static bool ends(const char *word, const char *end)
{
    size_t n = strlen(word), m = strlen(end);
    return n >= m && strcmp(word + n - m, end) == 0;
}

static bool ends_in_y(const char *word, size_t n) { return n > 1 && word[n - 1] == 'y' && !in(word[n - 2], "aeiou"); }

/* Is the last letter doubled before an ending that begins with a vowel ("hop", "big")? */
static bool doubles(const char *word, size_t n)
{
    return n > 2 && !in(word[n - 1], "aeiouwxy") && in(word[n - 2], "aeiou") && !in(word[n - 3], "aeiou") &&
           syllables(word) == 1;
}

/* Appends word without its last `cut` letters, its last letter again if `twice`, and end. */
static void put(RegularForm *x, const char *tag, const char *word, size_t cut, bool twice, const char *end)
{
    size_t n = strlen(word) - cut;
    x->tag = tag;
    strbuf_clear(&x->form);
    strbuf_add(&x->form, word, n);
    if (twice) strbuf_putc(&x->form, word[n - 1]);
    strbuf_puts(&x->form, end);
}

static void put_s(RegularForm *x, const char *tag, const char *word)
{
    size_t n = strlen(word);
    bool hiss = in(word[n - 1], "sxz") || ends(word, "ch") || ends(word, "sh");
    if (ends_in_y(word, n)) put(x, tag, word, 1, false, "ies");
    else put(x, tag, word, 0, false, hiss ? "es" : "s");
}

/* The word with "ed", "er" or "est". */
static void put_e(RegularForm *x, const char *tag, const char *word, const char *end)
{
    size_t n = strlen(word);
    if (word[n - 1] == 'e') put(x, tag, word, 1, false, end);
    else if (!ends_in_y(word, n)) put(x, tag, word, 0, doubles(word, n), end);
    else {
        put(x, tag, word, 1, false, "i");
        strbuf_puts(&x->form, end);
    }
}

static void put_ing(RegularForm *x, const char *word)
{
    size_t n = strlen(word);
    bool silent = word[n - 1] == 'e' && !ends(word, "ee") && !ends(word, "oe") && !ends(word, "ye");
    if (ends(word, "ie")) put(x, "VBG", word, 2, false, "ying");
    else put(x, "VBG", word, silent, !silent && doubles(word, n), "ing");
}

int form_regular(const char *lemma, FormClass class, RegularForm *forms)
{
    if (!*lemma || (class == FORM_ADJECTIVE && syllables(lemma) > 2)) return 0;
    if (class == FORM_NOUN) {
        put_s(&forms[0], "NNS", lemma);
        return 1;
    }
    if (class == FORM_ADJECTIVE) {
        put_e(&forms[0], "JJR", lemma, "er");
        put_e(&forms[1], "JJS", lemma, "est");
        return 2;
    }
    put_s(&forms[0], "VBZ", lemma);
    put_e(&forms[1], "VBD", lemma, "ed");
    put_ing(&forms[2], lemma);
    return 3;
}
