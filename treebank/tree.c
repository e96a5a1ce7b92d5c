/* treebank/tree.c */
#include "treebank/tree.h"

#include <string.h>

void treebank_init(Treebank *tb)
{
    *tb = (Treebank){ 0 };
    arena_init(&tb->arena, (size_t)1 << 20);
}

void treebank_fini(Treebank *tb)
{
    mem_free(tb->s);
    arena_fini(&tb->arena);
    *tb = (Treebank){ 0 };
}

Sentence *treebank_add(Treebank *tb)
{
    if (!mem_reserve((void **)&tb->s, &tb->cap, tb->n + 1, sizeof *tb->s)) return NULL;
    tb->s[tb->n] = (Sentence){ 0 };
    return &tb->s[tb->n++];
}

void word_escape(StrBuf *out, const char *word)
{
    for (const char *p = word; *p; p++) {
        if (*p == '(') strbuf_puts(out, "-LRB-");
        else if (*p == ')') strbuf_puts(out, "-RRB-");
        else strbuf_putc(out, *p);
    }
}

void word_unescape(StrBuf *out, const char *word, size_t len)
{
    static const struct {
        const char *from;
        char to;
    } escapes[] = { { "-LRB-", '(' }, { "-RRB-", ')' }, { "-LSB-", '[' }, { "-RSB-", ']' }, { "-LCB-", '{' }, { "-RCB-", '}' } };
    for (size_t i = 0; i < len;) {
        size_t k = 0, n = sizeof escapes / sizeof *escapes;
        if (word[i] == '-' && len - i >= 5)
            while (k < n && memcmp(word + i, escapes[k].from, 5) != 0) k++;
        else k = n;
        if (k < n) {
            strbuf_putc(out, escapes[k].to);
            i += 5;
        } else strbuf_putc(out, word[i++]);
    }
}

void tree_write(StrBuf *out, const Sentence *s)
{
    strbuf_puts(out, "(TOP");
    int next = 0;
    for (int w = 0; w < s->n_words; w++) {
        for (; next < s->n_phrases && s->phrases[next].begin == w; next++) strbuf_printf(out, " (%s", s->phrases[next].label);
        strbuf_printf(out, " (%s ", s->tags && s->tags[w] ? s->tags[w] : "XX");
        word_escape(out, s->words[w]);
        strbuf_putc(out, ')');
        for (int p = 0; p < next; p++)
            if (s->phrases[p].end == w + 1) strbuf_putc(out, ')');
    }
    strbuf_putc(out, ')');
}

bool heads_valid(const int *heads, int n, int *word, const char **what)
{
    int roots = 0;
    for (int i = 0; i < n; i++) {
        *word = i + 1;
        if (heads[i] < 0 || heads[i] > n) {
            *what = "a head out of range";
            return false;
        }
        if (heads[i] == i + 1) {
            *what = "a word that is its own head";
            return false;
        }
        if (heads[i] == 0 && ++roots > 1) {
            *what = "a second root";
            return false;
        }
    }
    for (int i = 0; i < n; i++) { /* n steps up from any word must pass the root */
        int at = i + 1, steps = 0;
        while (at && steps <= n) {
            at = heads[at - 1];
            steps++;
        }
        if (at) {
            *word = i + 1;
            *what = "a cycle";
            return false;
        }
    }
    *word = 0;
    *what = "no root";
    return n == 0 || roots == 1;
}
