/* eval/align_output.c */
#include "eval/align.h"
#include "eval/score.h"

#include <stddef.h>

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
};

static const char *reason(int lacks)
{
    return lacks & ALIGN_HAS_UD      ? "no Universal Dependencies"
           : lacks & ALIGN_HAS_LEMMA ? "no lemmas"
           : lacks & ALIGN_HAS_UPOS  ? "no universal tags"
           : lacks & ALIGN_HAS_XPOS  ? "no tags in column 5"
                                     : "no features";
}

const char *align_missing(const AlignScores *s, AlignMeasure m, bool *in_pred)
{
    const Measure *x = &MEASURES[m];
    int gold = x->own & ~s->gold_has, pred = x->own & ~s->pred_has & ~ALIGN_HAS_UD;
    gold |= x->other & ~s->gold_has & s->pred_has;
    pred |= x->other & ~s->pred_has & s->gold_has;
    *in_pred = !gold;
    return gold || pred ? reason(gold ? gold : pred) : NULL;
}

static double f1(const AlignCount *c) { return score_percent(2 * c->matched, c->gold + c->pred); }

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
                          score_percent(c->matched, c->pred), score_percent(c->matched, c->gold), f1(c));
            if (c->aligned >= 0) strbuf_printf(out, " %9.2f", score_percent(c->matched, c->aligned));
            strbuf_putc(out, '\n');
        }
    }
}

static void put_row(const char *key, const AlignCount *c, AlignFormat format, StrBuf *out)
{
    bool json = format == ALIGN_JSON;
    strbuf_printf(
        out,
        json ? "\"%s\": {\"gold\": %ld, \"predicted\": %ld, \"matched\": %ld, \"precision\": %.2f, \"recall\": "
               "%.2f, \"f1\": %.2f"
             : "%s\t%ld\t%ld\t%ld\t%.2f\t%.2f\t%.2f",
        key, c->gold, c->pred, c->matched, score_percent(c->matched, c->pred), score_percent(c->matched, c->gold),
        f1(c));
    if (c->aligned >= 0)
        strbuf_printf(out, json ? ", \"aligned\": %ld, \"accuracy\": %.2f" : "\t%ld\t%.2f", c->aligned,
                      score_percent(c->matched, c->aligned));
    else if (!json) strbuf_puts(out, "\t\t");
    strbuf_putc(out, json ? '}' : '\n');
}

void align_write(const AlignScores *s, AlignFormat format, const char *gold_path, const char *pred_path, StrBuf *out)
{
    bool in_pred;
    if (format == ALIGN_TEXT) {
        put_text(s, gold_path, pred_path, out);
        return;
    }
    strbuf_puts(out, format == ALIGN_JSON
                         ? "{"
                         : "measure\tgold\tpredicted\tmatched\tprecision\trecall\tf1\taligned\taccuracy\n");
    for (int m = 0; m < ALIGN_MEASURES; m++) {
        bool missing = align_missing(s, (AlignMeasure)m, &in_pred) != NULL;
        if (format == ALIGN_JSON && m) strbuf_puts(out, ", ");
        if (!missing) put_row(MEASURES[m].key, &s->of[m], format, out);
        else if (format == ALIGN_JSON) strbuf_printf(out, "\"%s\": null", MEASURES[m].key);
    }
    if (format == ALIGN_JSON) strbuf_puts(out, "}\n");
}
