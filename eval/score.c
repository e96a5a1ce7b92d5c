/* Counts of brackets, arcs, tags and columns are added up for each sentence; percentages are made only
 * where they are shown. */
#include "eval/score.h"

#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "eval/brackets.h"

static bool is_known(const char *tag) { return tag && strcmp(tag, "_") != 0; }

static void count_tags(Scores *s, const Sentence *gold, const Sentence *pred)
{
    for (int w = 0; w < gold->n_words; w++) {
        bool known = is_known(gold->tags[w]), given = is_known(pred->tags[w]);
        s->tags += known;
        s->tags_pred += given;
        s->tags_right += known && given && strcmp(gold->tags[w], pred->tags[w]) == 0;
    }
}

static bool has_columns(const Sentence *sent) { return sent->upos || sent->feats || sent->lemmas; }

Status score_add(Scores *s, const Sentence *gold, const Sentence *pred, PunctSet punct, Error *e)
{
    if (gold->n_words != pred->n_words)
        return error_set(e, ERR_RANGE, "found %d words, expected %d as in the gold sentence", pred->n_words,
                         gold->n_words);
    for (int w = 0; w < gold->n_words; w++)
        if (strcmp(gold->words[w], pred->words[w]) != 0) {
            const TextContrast c = text_contrast(text_view(pred->words[w]), text_view(gold->words[w]));
            return error_set(e, ERR_RANGE, "found word %d %s, expected %s as in the gold sentence", w + 1, c.found,
                             c.expected);
        }
    s->sentences++;
    s->words += gold->n_words;
    if (gold->tags && pred->tags) count_tags(s, gold, pred);
    if (has_columns(gold) && has_columns(pred)) {
        Status status = align_add(&s->columns, gold, pred, e);
        if (status != OK) return status;
    }
    if (gold->heads && pred->heads) dep_score_add(&s->dep, gold, pred, punct);
    s->missing_trees += gold->has_tree && !pred->has_tree;
    if (!gold->has_tree || !pred->has_tree) return OK;
    BracketPair b;
    Status status = brackets_pair(&b, gold, pred, e);
    if (status == OK) {
        s->trees++;
        s->gold_brackets += b.n_gold;
        s->pred_brackets += b.n_pred;
        s->matched_brackets += b.matched;
        s->complete += b.matched == b.n_gold && b.matched == b.n_pred;
    }
    brackets_free(&b);
    return status;
}

double score_percent(long part, long whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }
static double precision(const Scores *s) { return score_percent(s->matched_brackets, s->pred_brackets); }
static double recall(const Scores *s) { return score_percent(s->matched_brackets, s->gold_brackets); }

double score_column(const Scores *s, AlignMeasure m, bool *known)
{
    const AlignCount *c = &s->columns.of[m];
    bool in_pred, arcs = m < ALIGN_UAS || s->dep.all.words;
    if (known) *known = arcs && c->gold && !align_missing(&s->columns, m, &in_pred);
    return align_f1(c);
}

double score_f1(const Scores *s) { return score_percent(2 * s->matched_brackets, s->gold_brackets + s->pred_brackets); }

static const struct {
    AlignMeasure measure;
    const char *key, *name;
} COLUMNS[] = { { ALIGN_UPOS, "upos", "UPOS" },       { ALIGN_XPOS, "xpos", "XPOS" },
                { ALIGN_UFEATS, "ufeats", "UFeats" }, { ALIGN_ALLTAGS, "alltags", "AllTags" },
                { ALIGN_LEMMAS, "lemmas", "Lemmas" }, { ALIGN_CLAS, "clas", "CLAS" },
                { ALIGN_MLAS, "mlas", "MLAS" },       { ALIGN_BLEX, "blex", "BLEX" } };
enum { CONTENT_COLUMNS = 5 }; /* the first one that counts content words */

static void number(StrBuf *out, const char *name, double value, bool known)
{
    json_real(out, name, "%.2f", known ? value : NAN);
}

void score_members(const Scores *s, StrBuf *out)
{
    json_members(out, "sentences: %ld, words: %ld, unscored: %ld, missing_trees: %ld", s->sentences, s->words,
                 s->unscored, s->missing_trees);
    number(out, "precision", precision(s), s->trees);
    number(out, "recall", recall(s), s->trees);
    number(out, "f1", score_f1(s), s->trees);
    number(out, "complete", score_percent(s->complete, s->trees), s->trees);
    const DepCounts *all = &s->dep.all, *words = &s->dep.nopunct;
    number(out, "uas", score_percent(all->heads, all->words), all->words);
    number(out, "las", score_percent(all->both, all->words), all->words);
    number(out, "uas_nopunct", score_percent(words->heads, words->words), words->words);
    number(out, "las_nopunct", score_percent(words->both, words->words), words->words);
    number(out, "tag_accuracy", score_percent(s->tags_right, s->tags), s->tags && s->tags_pred);
    number(out, "label_accuracy", score_percent(all->types, all->words), all->words);
    number(out, "label_accuracy_nopunct", score_percent(words->types, words->words), words->words);
    number(out, "complete_heads", score_percent(all->complete_heads, all->sentences), all->sentences);
    number(out, "complete_arcs", score_percent(all->complete, all->sentences), all->sentences);
    number(out, "complete_heads_nopunct", score_percent(words->complete_heads, words->sentences), words->sentences);
    number(out, "complete_arcs_nopunct", score_percent(words->complete, words->sentences), words->sentences);
    number(out, "root_accuracy", score_percent(s->dep.roots_right, s->dep.roots_gold), s->dep.roots_gold);
    for (size_t k = 0; k < sizeof COLUMNS / sizeof *COLUMNS; k++) {
        bool known;
        double f1 = score_column(s, COLUMNS[k].measure, &known);
        number(out, COLUMNS[k].key, f1, known);
    }
}

/* Appends the columns from .. to - 1 that are known, on a line. */
static void put_columns(StrBuf *out, const Scores *s, const char *name, size_t from, size_t to)
{
    size_t before = out->len;
    for (size_t k = from; k < to; k++) {
        bool known;
        double f1 = score_column(s, COLUMNS[k].measure, &known);
        if (known && out->len == before) strbuf_printf(out, "%-9s", name);
        if (known) strbuf_printf(out, "  %s %.2f", COLUMNS[k].name, f1);
    }
    if (out->len > before) strbuf_putc(out, '\n');
}

static void put_arcs(StrBuf *out, const char *name, const DepCounts *c)
{
    if (!c->words) return;
    strbuf_printf(out, "%-10s UAS %.2f  LAS %.2f  labels %.2f  complete %.2f, with labels %.2f\n", name,
                  score_percent(c->heads, c->words), score_percent(c->both, c->words),
                  score_percent(c->types, c->words), score_percent(c->complete_heads, c->sentences),
                  score_percent(c->complete, c->sentences));
}

void score_text(const Scores *s, StrBuf *out)
{
    strbuf_printf(out, "sentences  %ld\nwords      %ld\n", s->sentences, s->words);
    if (s->unscored)
        strbuf_printf(out, "not scored %ld sentences, whose words differ from the gold words\n", s->unscored);
    if (s->missing_trees)
        strbuf_printf(out, "no tree    for %ld sentences with a gold tree, which are not counted in the brackets\n",
                      s->missing_trees);
    if (s->trees)
        strbuf_printf(out, "brackets   precision %.2f  recall %.2f  F1 %.2f  complete %.2f\n", precision(s), recall(s),
                      score_f1(s), score_percent(s->complete, s->trees));
    put_arcs(out, "arcs", &s->dep.all);
    put_arcs(out, "no punct.", &s->dep.nopunct);
    if (s->dep.roots_gold)
        strbuf_printf(out, "roots      %.2f\n", score_percent(s->dep.roots_right, s->dep.roots_gold));
    if (s->tags && s->tags_pred) strbuf_printf(out, "tags       %.2f\n", score_percent(s->tags_right, s->tags));
    put_columns(out, s, "columns", 0, CONTENT_COLUMNS);
    put_columns(out, s, "content", CONTENT_COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
}
