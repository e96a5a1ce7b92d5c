/* eval/score.c */
#include "eval/score.h"

#include <stdlib.h>
#include <string.h>

static bool one_of(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(s, *list) == 0) return true;
    return false;
}

static bool is_deleted(const char *tag)
{
    static const char *const list[] = { "``", "''", ":", ",", ".", "?", "!", "-NONE-", NULL };
    return one_of(tag, list);
}

typedef struct Bracket {
    int begin, end;
    const char *label;
} Bracket;

static int compare(const void *a, const void *b)
{
    const Bracket *x = a, *y = b;
    if (x->begin != y->begin) return x->begin - y->begin;
    if (x->end != y->end) return x->end - y->end;
    return strcmp(x->label, y->label);
}

/* Brackets of a tree over the words that are left, sorted. left[w] = words left before fencepost w. */
static int brackets(const Sentence *s, const int *left, Bracket *out)
{
    int n = 0;
    for (int p = 0; p < s->n_phrases; p++) {
        Bracket b = { left[s->phrases[p].begin], left[s->phrases[p].end], s->phrases[p].label };
        if (b.begin == b.end || strcmp(b.label, "TOP") == 0 || strcmp(b.label, "S1") == 0) continue;
        if (strcmp(b.label, "PRT") == 0) b.label = "ADVP";
        out[n++] = b;
    }
    qsort(out, (size_t)n, sizeof *out, compare);
    return n;
}

static Status add_brackets(Scores *s, const Sentence *gold, const Sentence *pred, Error *e)
{
    int *left = mem_alloc((size_t)gold->n_words + 1, sizeof *left);
    Bracket *g = mem_alloc((size_t)gold->n_phrases + 1, sizeof *g), *p = mem_alloc((size_t)pred->n_phrases + 1, sizeof *p);
    Status st = left && g && p ? OK : error_set(e, ERR_NOMEM, "out of memory scoring a sentence");
    if (st == OK) {
        left[0] = 0;
        for (int w = 0; w < gold->n_words; w++) left[w + 1] = left[w] + !(gold->tags && is_deleted(gold->tags[w]));
        int ng = brackets(gold, left, g), np = brackets(pred, left, p), matched = 0;
        for (int i = 0, j = 0; i < ng && j < np;) {
            int c = compare(&g[i], &p[j]);
            matched += c == 0;
            i += c <= 0;
            j += c >= 0;
        }
        s->trees++;
        s->gold_brackets += ng;
        s->pred_brackets += np;
        s->matched_brackets += matched;
        s->complete += matched == ng && matched == np;
    }
    mem_free(left);
    mem_free(g);
    mem_free(p);
    return st;
}

Status score_add(Scores *s, const Sentence *gold, const Sentence *pred, PunctSet punct, Error *e)
{
    if (gold->n_words != pred->n_words) return error_set(e, ERR_RANGE, "found %d words, expected %d as in gold", pred->n_words, gold->n_words);
    s->sentences++;
    s->words += gold->n_words;
    for (int w = 0; w < gold->n_words; w++) {
        if (gold->tags && pred->tags && gold->tags[w] && pred->tags[w]) {
            s->tags++;
            s->tags_right += strcmp(gold->tags[w], pred->tags[w]) == 0;
        }
    }
    if (gold->heads && pred->heads) dep_score_add(&s->dep, gold, pred, punct);
    return gold->has_tree && pred->has_tree ? add_brackets(s, gold, pred, e) : OK;
}

double score_percent(long part, long whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }
double score_precision(const Scores *s) { return score_percent(s->matched_brackets, s->pred_brackets); }
double score_recall(const Scores *s) { return score_percent(s->matched_brackets, s->gold_brackets); }
double score_f1(const Scores *s) { return score_percent(2 * s->matched_brackets, s->gold_brackets + s->pred_brackets); }

static void number(StrBuf *out, const char *name, double value, bool known)
{
    strbuf_printf(out, ", \"%s\": ", name);
    if (known) strbuf_printf(out, "%.2f", value);
    else strbuf_puts(out, "null");
}

void score_json(const Scores *s, StrBuf *out)
{
    strbuf_printf(out, "{\"sentences\": %ld, \"words\": %ld", s->sentences, s->words);
    number(out, "precision", score_precision(s), s->trees);
    number(out, "recall", score_recall(s), s->trees);
    number(out, "f1", score_f1(s), s->trees);
    number(out, "complete", score_percent(s->complete, s->trees), s->trees);
    const DepCounts *all = &s->dep.all, *words = &s->dep.nopunct;
    number(out, "uas", score_percent(all->heads, all->words), all->words);
    number(out, "las", score_percent(all->both, all->words), all->words);
    number(out, "uas_nopunct", score_percent(words->heads, words->words), words->words);
    number(out, "las_nopunct", score_percent(words->both, words->words), words->words);
    number(out, "tag_accuracy", score_percent(s->tags_right, s->tags), s->tags);
    number(out, "label_accuracy", score_percent(all->types, all->words), all->words);
    number(out, "label_accuracy_nopunct", score_percent(words->types, words->words), words->words);
    number(out, "complete_heads", score_percent(all->complete_heads, all->sentences), all->sentences);
    number(out, "complete_arcs", score_percent(all->complete, all->sentences), all->sentences);
    number(out, "complete_heads_nopunct", score_percent(words->complete_heads, words->sentences), words->sentences);
    number(out, "complete_arcs_nopunct", score_percent(words->complete, words->sentences), words->sentences);
    number(out, "root_accuracy", score_percent(s->dep.roots_right, s->dep.roots_gold), s->dep.roots_gold);
    strbuf_puts(out, "}\n");
}

static void put_arcs(StrBuf *out, const char *name, const DepCounts *c)
{
    if (!c->words) return;
    strbuf_printf(out, "%-10s UAS %.2f  LAS %.2f  labels %.2f  complete %.2f, with labels %.2f\n", name, score_percent(c->heads, c->words),
                  score_percent(c->both, c->words), score_percent(c->types, c->words), score_percent(c->complete_heads, c->sentences),
                  score_percent(c->complete, c->sentences));
}

void score_text(const Scores *s, StrBuf *out)
{
    strbuf_printf(out, "sentences  %ld\nwords      %ld\n", s->sentences, s->words);
    if (s->trees)
        strbuf_printf(out, "brackets   precision %.2f  recall %.2f  F1 %.2f  complete %.2f\n", score_precision(s), score_recall(s), score_f1(s),
                      score_percent(s->complete, s->trees));
    put_arcs(out, "arcs", &s->dep.all);
    put_arcs(out, "no punct.", &s->dep.nopunct);
    if (s->dep.roots_gold) strbuf_printf(out, "roots      %.2f\n", score_percent(s->dep.roots_right, s->dep.roots_gold));
    if (s->tags) strbuf_printf(out, "tags       %.2f\n", score_percent(s->tags_right, s->tags));
}
