/* How the measures of align.h are shown: as a table, as JSON or as columns with tabs; and which
 * of them cannot be had, and why. */
#include "eval/align.h"
#include "eval/score.h"

#include <stddef.h>

#include "base/json_writer.h"

typedef struct Measure {
    const char *name, *key;
    int own, other; /* ALIGN_HAS_...: of the column that the measure is about; of columns that it compares, too */
} Measure;

static const Measure MEASURES[ALIGN_MEASURES] = {
    [ALIGN_TOKENS] = { "Tokens", "tokens", 0, 0 },
    [ALIGN_SENTENCES] = { "Sentences", "sentences", 0, 0 },
    [ALIGN_WORDS] = { "Words", "words", 0, 0 },
    [ALIGN_UPOS] = { "UPOS", "upos", ALIGN_HAS_UPOS, 0 },
    [ALIGN_XPOS] = { "XPOS", "xpos", ALIGN_HAS_XPOS, 0 },
    [ALIGN_UFEATS] = { "UFeats", "ufeats", ALIGN_HAS_FEATS, 0 },
    [ALIGN_ALLTAGS] = { "AllTags", "alltags", 0, ALIGN_HAS_UPOS | ALIGN_HAS_XPOS | ALIGN_HAS_FEATS },
    [ALIGN_LEMMAS] = { "Lemmas", "lemmas", ALIGN_HAS_LEMMA, 0 },
    [ALIGN_UAS] = { "UAS", "uas", 0, 0 },
    [ALIGN_LAS] = { "LAS", "las", 0, 0 },
    [ALIGN_CLAS] = { "CLAS", "clas", ALIGN_HAS_UD, 0 },
    [ALIGN_MLAS] = { "MLAS", "mlas", ALIGN_HAS_UD, ALIGN_HAS_UPOS | ALIGN_HAS_FEATS },
    [ALIGN_BLEX] = { "BLEX", "blex", ALIGN_HAS_UD, ALIGN_HAS_LEMMA },
    [ALIGN_EULAS] = { "EULAS", "eulas", ALIGN_HAS_GRAPH, 0 },
    [ALIGN_ELAS] = { "ELAS", "elas", ALIGN_HAS_GRAPH, 0 },
};

static const char *reason(int lacks)
{
    return lacks & ALIGN_HAS_UD      ? "no Universal Dependencies"
           : lacks & ALIGN_HAS_GRAPH ? "no enhanced graphs"
           : lacks & ALIGN_HAS_LEMMA ? "no lemmas"
           : lacks & ALIGN_HAS_UPOS  ? "no universal tags"
           : lacks & ALIGN_HAS_XPOS  ? "no tags in column 5"
                                     : "no features";
}

const char *align_missing(const AlignScores *scores, AlignMeasure measure, bool *in_pred)
{
    const Measure *x = &MEASURES[measure];
    int universal = align_is_universal(scores->universal, scores->of[ALIGN_WORDS].gold) ? ALIGN_HAS_UD : 0;
    int gold = x->own & ~(scores->gold_has | universal), pred = x->own & ~scores->pred_has & ~ALIGN_HAS_UD;
    gold |= x->other & ~scores->gold_has & scores->pred_has;
    pred |= x->other & ~scores->pred_has & scores->gold_has;
    *in_pred = !gold;
    return gold || pred ? reason(gold ? gold : pred) : NULL;
}

double align_f1(const AlignCount *count) { return score_percent(2 * count->matched, count->gold + count->pred); }

static void put_text(const AlignScores *s, const char *gold_path, const char *pred_path, StrBuf *out)
{
    strbuf_printf(out, "%-9s %9s %9s %9s  %9s %7s %7s %9s\n", "", "gold", "predicted", "matched", "precision", "recall",
                  "F1", "accuracy");
    for (int m = 0; m < ALIGN_MEASURES; m++) {
        const AlignCount *c = &s->of[m];
        bool in_pred;
        const char *why = align_missing(s, (AlignMeasure)m, &in_pred);
        strbuf_printf(out, "%-9s ", MEASURES[m].name);
        if (why) strbuf_printf(out, "%9s  %s in %s\n", "-", why, in_pred ? pred_path : gold_path);
        else {
            strbuf_printf(out, "%9ld %9ld %9ld  %9.2f %7.2f %7.2f", c->gold, c->pred, c->matched,
                          score_percent(c->matched, c->pred), score_percent(c->matched, c->gold), align_f1(c));
            if (c->aligned >= 0) strbuf_printf(out, " %9.2f", score_percent(c->matched, c->aligned));
            strbuf_putc(out, '\n');
        }
    }
}

static void put_json(const AlignScores *s, StrBuf *out)
{
    bool in_pred;
    json_object(out, NULL);
    for (int m = 0; m < ALIGN_MEASURES; m++) {
        const AlignCount *c = &s->of[m];
        if (align_missing(s, (AlignMeasure)m, &in_pred)) {
            json_value(out, MEASURES[m].key, NULL);
            continue;
        }
        json_object(out, MEASURES[m].key);
        json_members(out, "gold: %ld, predicted: %ld, matched: %ld, precision: %.2f, recall: %.2f, f1: %.2f", c->gold,
                     c->pred, c->matched, score_percent(c->matched, c->pred), score_percent(c->matched, c->gold),
                     align_f1(c));
        if (c->aligned >= 0)
            json_members(out, "aligned: %ld, accuracy: %.2f", c->aligned, score_percent(c->matched, c->aligned));
        json_object_end(out);
    }
    json_object_end(out);
    strbuf_putc(out, '\n');
}

static void put_tsv(const AlignScores *s, StrBuf *out)
{
    bool in_pred;
    strbuf_puts(out, "measure\tgold\tpredicted\tmatched\tprecision\trecall\tf1\taligned\taccuracy\n");
    for (int m = 0; m < ALIGN_MEASURES; m++) {
        const AlignCount *c = &s->of[m];
        if (align_missing(s, (AlignMeasure)m, &in_pred)) continue;
        strbuf_printf(out, "%s\t%ld\t%ld\t%ld\t%.2f\t%.2f\t%.2f\t", MEASURES[m].key, c->gold, c->pred, c->matched,
                      score_percent(c->matched, c->pred), score_percent(c->matched, c->gold), align_f1(c));
        if (c->aligned >= 0) strbuf_printf(out, "%ld\t%.2f", c->aligned, score_percent(c->matched, c->aligned));
        else strbuf_putc(out, '\t');
        strbuf_putc(out, '\n');
    }
}

void align_write(const AlignScores *scores, AlignFormat format, const char *gold_path, const char *pred_path,
                 StrBuf *out)
{
    if (format == ALIGN_TEXT) put_text(scores, gold_path, pred_path, out);
    else if (format == ALIGN_JSON) put_json(scores, out);
    else put_tsv(scores, out);
}
