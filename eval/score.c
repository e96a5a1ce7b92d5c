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

Status score_add(Scores *scores, const Sentence *gold, const Sentence *pred, PunctSet punct, Error *error)
{
    if (gold->n_words != pred->n_words)
        return error_set(error, ERR_RANGE, "found %d words, expected %d as in the gold sentence", pred->n_words,
                         gold->n_words);
    for (int w = 0; w < gold->n_words; w++)
        if (strcmp(gold->words[w], pred->words[w]) != 0) {
            const TextContrast c = text_contrast(text_view(pred->words[w]), text_view(gold->words[w]));
            return error_set(error, ERR_RANGE, "found word %d %s, expected %s as in the gold sentence", w + 1, c.found,
                             c.expected);
        }
    scores->sentences++;
    scores->words += gold->n_words;
    if (gold->tags && pred->tags) count_tags(scores, gold, pred);
    if (has_columns(gold) && has_columns(pred)) {
        Status status = align_add(&scores->columns, gold, pred, error);
        if (status != OK) return status;
    }
    if (gold->heads && pred->heads) dep_score_add(&scores->dep, gold, pred, punct);
    scores->missing_trees += gold->has_tree && !pred->has_tree;
    if (!gold->has_tree || !pred->has_tree) return OK;
    BracketPair b;
    Status status = brackets_pair(&b, gold, pred, error);
    if (status == OK) {
        scores->trees++;
        scores->gold_brackets += b.n_gold;
        scores->pred_brackets += b.n_pred;
        scores->matched_brackets += b.matched;
        scores->complete += b.matched == b.n_gold && b.matched == b.n_pred;
    }
    brackets_free(&b);
    return status;
}

double score_percent(long part, long whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }
static double precision(const Scores *s) { return score_percent(s->matched_brackets, s->pred_brackets); }
static double recall(const Scores *s) { return score_percent(s->matched_brackets, s->gold_brackets); }

double score_column(const Scores *scores, AlignMeasure measure, bool *known)
{
    const AlignCount *c = &scores->columns.of[measure];
    bool in_pred, arcs = measure < ALIGN_UAS || scores->dep.all.words;
    if (known) *known = arcs && c->gold && !align_missing(&scores->columns, measure, &in_pred);
    return align_f1(c);
}

double score_f1(const Scores *scores)
{
    return score_percent(2 * scores->matched_brackets, scores->gold_brackets + scores->pred_brackets);
}

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

void score_members(const Scores *scores, StrBuf *out)
{
    json_members(out, "sentences: %ld, words: %ld, unscored: %ld, missing_trees: %ld", scores->sentences, scores->words,
                 scores->unscored, scores->missing_trees);
    number(out, "precision", precision(scores), scores->trees);
    number(out, "recall", recall(scores), scores->trees);
    number(out, "f1", score_f1(scores), scores->trees);
    number(out, "complete", score_percent(scores->complete, scores->trees), scores->trees);
    const DepCounts *all = &scores->dep.all, *words = &scores->dep.nopunct;
    number(out, "uas", score_percent(all->heads, all->words), all->words);
    number(out, "las", score_percent(all->both, all->words), all->words);
    number(out, "uas_nopunct", score_percent(words->heads, words->words), words->words);
    number(out, "las_nopunct", score_percent(words->both, words->words), words->words);
    number(out, "tag_accuracy", score_percent(scores->tags_right, scores->tags), scores->tags && scores->tags_pred);
    number(out, "label_accuracy", score_percent(all->types, all->words), all->words);
    number(out, "label_accuracy_nopunct", score_percent(words->types, words->words), words->words);
    number(out, "complete_heads", score_percent(all->complete_heads, all->sentences), all->sentences);
    number(out, "complete_arcs", score_percent(all->complete, all->sentences), all->sentences);
    number(out, "complete_heads_nopunct", score_percent(words->complete_heads, words->sentences), words->sentences);
    number(out, "complete_arcs_nopunct", score_percent(words->complete, words->sentences), words->sentences);
    number(out, "root_accuracy", score_percent(scores->dep.roots_right, scores->dep.roots_gold),
           scores->dep.roots_gold);
    for (size_t k = 0; k < sizeof COLUMNS / sizeof *COLUMNS; k++) {
        bool known;
        double f1 = score_column(scores, COLUMNS[k].measure, &known);
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

void score_text(const Scores *scores, StrBuf *out)
{
    strbuf_printf(out, "sentences  %ld\nwords      %ld\n", scores->sentences, scores->words);
    if (scores->unscored)
        strbuf_printf(out, "not scored %ld sentences, whose words differ from the gold words\n", scores->unscored);
    if (scores->missing_trees)
        strbuf_printf(out, "no tree    for %ld sentences with a gold tree, which are not counted in the brackets\n",
                      scores->missing_trees);
    if (scores->trees)
        strbuf_printf(out, "brackets   precision %.2f  recall %.2f  F1 %.2f  complete %.2f\n", precision(scores),
                      recall(scores), score_f1(scores), score_percent(scores->complete, scores->trees));
    put_arcs(out, "arcs", &scores->dep.all);
    put_arcs(out, "no punct.", &scores->dep.nopunct);
    if (scores->dep.roots_gold)
        strbuf_printf(out, "roots      %.2f\n", score_percent(scores->dep.roots_right, scores->dep.roots_gold));
    if (scores->tags && scores->tags_pred)
        strbuf_printf(out, "tags       %.2f\n", score_percent(scores->tags_right, scores->tags));
    put_columns(out, scores, "columns", 0, CONTENT_COLUMNS);
    put_columns(out, scores, "content", CONTENT_COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
}
