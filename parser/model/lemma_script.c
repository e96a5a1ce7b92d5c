/* The longest part that word and lemma have in common stays; of three ways of writing
 * capitals the one that leaves least to change is taken. */
#include "parser/model/lemma_script.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 100 }; /* characters of a word whose lemma is found as a change of it */

static const char CASES[] = "lkt"; /* all small; as they are; all but the first one small */

/* A word with its letters as a case has them, and where its characters begin. */
typedef struct Cased {
    StrBuf text;
    size_t at[MOST + 1];
    int n; /* characters; -1: more than MOST */
} Cased;

static void cased(Cased *x, const char *word, char letters)
{
    size_t len = strlen(word), first = 0;
    *x = (Cased){ .n = 0 };
    utf8_next(word, len, &first);
    if (letters == 't') strbuf_add(&x->text, word, first);
    else first = 0;
    if (letters == 'k') strbuf_puts(&x->text, word);
    else text_lower(&x->text, word + first, len - first);
    for (size_t i = 0; x->n >= 0 && i < x->text.len;) {
        x->at[x->n] = i;
        utf8_next(x->text.ptr, x->text.len, &i);
        x->n = x->n == MOST - 1 ? -1 : x->n + 1;
    }
    if (x->n >= 0) x->at[x->n] = x->text.len;
}

/* What two texts have in common: len characters from a and b on. */
typedef struct Common {
    int a, b, len;
} Common;

static bool same_char(const Cased *x, int i, const Cased *y, int k)
{
    size_t len = x->at[i + 1] - x->at[i];
    return y->at[k + 1] - y->at[k] == len && memcmp(x->text.ptr + x->at[i], y->text.ptr + y->at[k], len) == 0;
}

/* The longest common part, the first one of x and then of y. */
static Common longest(const Cased *x, const Cased *y)
{
    int run[MOST + 1] = { 0 };
    Common best = { 0, 0, 0 };
    for (int i = 0; i < x->n; i++) {
        for (int k = y->n - 1; k >= 0; k--) {
            run[k + 1] = same_char(x, i, y, k) ? run[k] + 1 : 0;
            if (run[k + 1] > best.len) best = (Common){ i + 1 - run[k + 1], k + 1 - run[k + 1], run[k + 1] };
        }
    }
    return best;
}

void lemma_script(StrBuf *out, const char *word, const char *lemma)
{
    Cased to, from;
    size_t begin = out->len;
    int least = -1;
    cased(&to, lemma, 'k');
    for (int k = 0; k < 3 && !strchr(lemma, '|'); k++) {
        cased(&from, word, CASES[k]);
        Common c = from.n > 0 && to.n > 0 ? longest(&from, &to) : (Common){ 0, 0, 0 };
        int cost = from.n + to.n - 2 * c.len;
        if (c.len && (least < 0 || cost < least) && !from.text.failed && !to.text.failed) {
            least = cost;
            strbuf_cut(out, begin);
            strbuf_printf(out, "%c%d,%d,", CASES[k], c.a, from.n - c.a - c.len);
            strbuf_add(out, to.text.ptr, to.at[c.b]);
            strbuf_putc(out, '|');
            strbuf_puts(out, to.text.ptr + to.at[c.b + c.len]);
        }
        out->failed |= from.text.failed;
        strbuf_fini(&from.text);
    }
    if (least < 0) strbuf_printf(out, "=%s", lemma);
    out->failed |= to.text.failed;
    strbuf_fini(&to.text);
}

const char *lemma_script_apply(const char *script, const char *word, Arena *arena)
{
    if (*script == '=') return script[1] ? arena_strndup(arena, script + 1, strlen(script + 1)) : word;
    char *at = NULL;
    long before = *script && strchr(CASES, *script) ? strtol(script + 1, &at, 10) : -1;
    long after = at && *at == ',' ? strtol(at + 1, &at, 10) : -1;
    const char *bar = after >= 0 && *at++ == ',' ? strchr(at, '|') : NULL;
    if (!bar || before < 0 || before + after > MOST) return word;
    Cased x;
    StrBuf lemma = { 0 };
    const char *made = word;
    cased(&x, word, *script);
    if (x.n >= before + after && x.n > 0) {
        size_t from = x.at[before], to = x.at[x.n - after];
        strbuf_add(&lemma, at, (size_t)(bar - at));
        strbuf_add(&lemma, x.text.ptr + from, to - from);
        strbuf_puts(&lemma, bar + 1);
        if (lemma.len) made = arena_strndup(arena, lemma.ptr, lemma.len);
    }
    if (x.text.failed || lemma.failed) made = NULL;
    strbuf_fini(&x.text);
    strbuf_fini(&lemma);
    return made;
}
