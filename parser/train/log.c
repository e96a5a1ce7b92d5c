/* parser/train/log.c: the log, a JSON line for each check, and the summary that a model holds */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "parser/train/plot.h"
#include "parser/train/trainer.h"

/* Appends to the log, if there is one. */
static Status append(const Trainer *tr, const StrBuf *line, Error *e)
{
    if (!tr->a->log) return OK;
    FILE *f = fopen(tr->a->log, "a");
    bool ok = f && !line->failed && (!line->len || fwrite(line->ptr, 1, line->len, f) == line->len);
    int why = errno;
    if (f && fclose(f) != 0) {
        ok = false;
        why = errno;
    }
    return ok ? OK : error_at(e, ERR_IO, tr->a->log, 0, 0, "cannot write: %s", strerror(why));
}

Status trainer_log_open(const Trainer *tr, Error *e) { return append(tr, &(StrBuf){ 0 }, e); }

/* `before` and a number of JSON. */
static void put(StrBuf *out, const char *before, const char *format, double value)
{
    strbuf_puts(out, before);
    strbuf_json_number(out, format, value);
}

static void put_scores(StrBuf *out, const DevScores *dev)
{
    if (!dev->classified && !dev->words) {
        score_json(&dev->scores, out);
        return;
    }
    if (dev->classified) strbuf_printf(out, "{\"sentences\": %ld", dev->classified);
    else strbuf_printf(out, "{\"words\": %ld", dev->words);
    put(out, ", \"accuracy\": ", "%.2f", dev->accuracy);
    if (dev->classified) put(out, ", \"macro_f1\": ", "%.2f", dev->macro_f1);
    else {
        put(out, ", \"baseline\": ", "%.2f", dev->baseline);
        put(out, ", \"loss\": ", "%.4f", dev->loss);
        put(out, ", \"precision\": ", "%.2f", dev->precision);
        put(out, ", \"recall\": ", "%.2f", dev->recall);
        put(out, ", \"f1\": ", "%.2f", dev->f1);
    }
    strbuf_putc(out, '}');
}

/* "name": scores, "name": scores ... */
static void put_dev(StrBuf *out, const TrainCheck *check)
{
    for (int c = 0; c < check->n; c++) {
        strbuf_puts(out, c ? ", " : "");
        strbuf_json(out, check->dev[c].name, strlen(check->dev[c].name));
        strbuf_puts(out, ": ");
        put_scores(out, &check->dev[c]);
        if (out->len && out->ptr[out->len - 1] == '\n') out->ptr[--out->len] = 0;
    }
}

static void put_init(StrBuf *out, const Trainer *tr)
{
    if (tr->init) strbuf_printf(out, ", \"init\": %s", tr->init);
}

/* The start of a line of the log: where training stands, and the losses since the last line. */
static void put_losses(StrBuf *out, const Trainer *tr)
{
    double all = tr->loss_sentences ? (double)tr->loss_sentences : 1, n = trainer_gold_sentences(tr);
    put(out, tr->syntax == SYNTAX_GOLD ? "{\"oracle\": true, \"epoch\": " : "{\"epoch\": ", "%.3f", trainer_epochs(tr));
    strbuf_printf(out, ", \"updates\": %ld", tr->st.step);
    if (tr->run.text[0]) strbuf_printf(out, ", \"run\": \"%s\"", tr->run.text);
    put(out, ", \"seconds\": ", "%.0f", trainer_elapsed(tr));
    put(out, ", \"lr\": ", "%.3e", trainer_rate(tr));
    put(out, ", \"norm\": ", "%.3f", tr->norm);
    if (tr->m.task == MODEL_CLASSIFIES) put(out, ", \"loss\": {\"class\": ", "%.4f", tr->loss.part[LOSS_CLASS] / n);
    else if (tr->m.task == MODEL_DETECTS)
        put(out, ", \"loss\": {\"replaced\": ", "%.4f",
            tr->loss.part[LOSS_REPLACED] / (tr->loss.words ? (double)tr->loss.words : 1));
    else {
        put(out, ", \"loss\": {\"span\": ", "%.4f", tr->loss.part[LOSS_SPAN] / n);
        put(out, ", \"arc\": ", "%.4f", tr->loss.part[LOSS_HEAD] / n);
        put(out, ", \"type\": ", "%.4f", tr->loss.part[LOSS_TYPE] / n);
        put(out, ", \"tag\": ", "%.4f", tr->loss.part[LOSS_TAG] / n);
    }
    if (tr->m.net.encoder.plan.n_guides) put(out, ", \"guidance\": ", "%.4f", tr->loss.part[LOSS_GUIDANCE] / all);
    if (tr->m.options.gates.kind == GATES_HARD_CONCRETE)
        put(out, ", \"gates\": ", "%.4f", tr->loss.part[LOSS_GATES] / all);
    strbuf_putc(out, '}');
    if (!tr->counts.soft) return;
    double soft = tr->loss.soft ? (double)tr->loss.soft : 1;
    put(out, ", \"soft\": {\"span\": ", "%.4f", tr->loss.part[LOSS_SOFT_SPAN] / soft);
    put(out, ", \"arc\": ", "%.4f", tr->loss.part[LOSS_SOFT_HEAD] / soft);
    put(out, ", \"type\": ", "%.4f", tr->loss.part[LOSS_SOFT_TYPE] / soft);
    put(out, ", \"tag\": ", "%.4f", tr->loss.part[LOSS_SOFT_TAG] / soft);
    strbuf_putc(out, '}');
}

static Status draw(const Trainer *tr, Error *e)
{
    StrBuf svg = { 0 };
    Status s = plot_log(&svg, tr->a->log, e);
    if (s == OK) s = file_write(tr->a->plot, &svg, e);
    strbuf_fini(&svg);
    return s;
}

Status trainer_log_check(const Trainer *tr, const TrainCheck *check, Error *e)
{
    StrBuf line = { 0 };
    put_losses(&line, tr);
    put(&line, ", \"sentences_per_s\": ", "%.1f", (double)tr->st.sentences / trainer_elapsed(tr));
    put(&line, ", \"check_s\": ", "%.1f", check->seconds);
    put(&line, ", \"score\": ", "%.3f", check->score);
    put_init(&line, tr);
    strbuf_printf(&line, ", \"best\": %s, \"dev\": {", check->best ? "true" : "false");
    put_dev(&line, check);
    strbuf_puts(&line, "}}\n");
    Status s = append(tr, &line, e);
    strbuf_fini(&line);
    return s == OK && tr->a->plot ? draw(tr, e) : s;
}

void trainer_summary(const Trainer *tr, const TrainCheck *check, StrBuf *out)
{
    put(out, check->oracle ? "{\"oracle\": true, \"epoch\": " : "{\"epoch\": ", "%.2f", check->epoch);
    strbuf_printf(out, ", \"updates\": %ld, \"training_sentences\": %d", tr->st.step, tr->n);
    put(out, ", \"seconds\": ", "%.0f", trainer_elapsed(tr));
    put_init(out, tr);
    if (tr->m.task == MODEL_DETECTS) {
        put(out, ", \"replace\": {\"rate\": ", "%g", tr->a->replace.rate);
        put(out, ", \"power\": ", "%g", tr->a->replace.power);
        strbuf_putc(out, '}');
    }
    strbuf_puts(out, ", \"dev\": {");
    put_dev(out, check);
    strbuf_puts(out, "}, \"train\": ");
    options_to_json(CONFIG_TRAIN_OPTIONS, &tr->a->train, out);
    strbuf_putc(out, '}');
}
