/* parser/train/report.c: progress, checks on dev, the best model */
#include <stdio.h>
#include <string.h>

#include "parser/evaluate.h"
#include "parser/train/trainer.h"

double trainer_elapsed(const Trainer *tr) { return tr->st.seconds + clock_seconds() - tr->started; }

void trainer_progress(const Trainer *tr, double rate, long total_batches)
{
    double done = (double)tr->st.epoch + (double)tr->st.batch / (double)total_batches,
           left = tr->a->train.epochs - done;
    double n = tr->loss_sentences ? (double)tr->loss_sentences : 1;
    fprintf(stderr,
            "\repoch %.2f/%d  %.0f sentences/s  span %.2f arc %.2f type %.2f tag %.2f  lr %.2e  left %.0f min \033[K",
            done, tr->a->train.epochs, rate, tr->loss.hinge / n, tr->loss.head / n, tr->loss.type / n, tr->loss.tag / n,
            trainer_rate(tr), rate > 0 ? left * tr->n / rate / 60 : 0);
}

/* What stands before a number of JSON and the number. */
static void put(StrBuf *out, const char *before, const char *format, double value)
{
    strbuf_puts(out, before);
    strbuf_json_number(out, format, value);
}

/* "name": scores, "name": scores ... */
static void put_dev(StrBuf *out, const Trainer *tr, const Scores *dev)
{
    for (int c = 0; c < tr->a->n_dev; c++) {
        strbuf_puts(out, c ? ", " : "");
        strbuf_json(out, tr->a->dev[c].name, strlen(tr->a->dev[c].name));
        strbuf_puts(out, ": ");
        score_json(&dev[c], out);
        if (out->len && out->ptr[out->len - 1] == '\n') out->ptr[--out->len] = 0;
    }
}

static Status save_best(Trainer *tr, const Scores *dev, Error *e)
{
    StrBuf summary = { 0 };
    put(&summary, "{\"epoch\": ", "%.2f", (double)tr->st.sentences / tr->n);
    strbuf_printf(&summary, ", \"updates\": %ld, \"training_sentences\": %d", tr->st.step, tr->n);
    put(&summary, ", \"seconds\": ", "%.0f", trainer_elapsed(tr));
    strbuf_puts(&summary, ", \"dev\": {");
    put_dev(&summary, tr, dev);
    strbuf_puts(&summary, "}, \"train\": ");
    options_to_json(TRAIN_OPTIONS, &tr->a->train, &summary);
    strbuf_putc(&summary, '}');
    if (summary.failed) {
        strbuf_fini(&summary);
        return error_set(e, ERR_NOMEM, "out of memory saving the model");
    }
    mem_free(tr->m.summary);
    tr->m.summary = summary.ptr;
    return model_save(&tr->m, tr->a->out, tr->a->store, NULL, 0, NULL, e);
}

/* The start of a line of the log: where training stands, and the losses since the last line. */
static void put_losses(StrBuf *out, const Trainer *tr)
{
    double n = tr->loss_sentences ? (double)tr->loss_sentences : 1;
    put(out, "{\"epoch\": ", "%.3f", (double)tr->st.sentences / tr->n);
    strbuf_printf(out, ", \"updates\": %ld", tr->st.step);
    put(out, ", \"seconds\": ", "%.0f", trainer_elapsed(tr));
    put(out, ", \"lr\": ", "%.3e", trainer_rate(tr));
    put(out, ", \"norm\": ", "%.3f", tr->norm);
    put(out, ", \"loss\": {\"span\": ", "%.4f", tr->loss.hinge / n);
    put(out, ", \"arc\": ", "%.4f", tr->loss.head / n);
    put(out, ", \"type\": ", "%.4f", tr->loss.type / n);
    put(out, ", \"tag\": ", "%.4f", tr->loss.tag / n);
    strbuf_putc(out, '}');
}

Status trainer_check(Trainer *tr, Error *e)
{
    const TrainArgs *a = tr->a;
    Scores dev[OPTION_LIST_MAX] = { { 0 } };
    StrBuf line = { 0 };
    double sum = 0, begun = clock_seconds();
    optimizer_swap_average(&tr->optimizer);
    Status s = OK;
    for (int c = 0; c < a->n_dev && s == OK; c++) {
        EvaluateOptions o = { .parse = parse_defaults(&tr->m), .n_threads = a->n_threads };
        int id = vocab_find(&tr->m.treebanks, a->dev[c].name);
        o.parse.treebank = id < 0 ? 0 : id;
        s = evaluate(&tr->m, &a->dev[c].trees, &o, &dev[c], e);
        sum += (tr->m.c.trees ? score_f1(&dev[c]) : 0) +
               (tr->m.c.arcs ? score_percent(dev[c].dep.nopunct.both, dev[c].dep.nopunct.words) : 0);
    }
    double score = a->n_dev ? sum / a->n_dev : 0;
    if (s == OK) {
        bool better = a->n_dev == 0 || score > tr->st.best;
        tr->st.last_score = score;
        put_losses(&line, tr);
        put(&line, ", \"sentences_per_s\": ", "%.1f", (double)tr->st.sentences / trainer_elapsed(tr));
        put(&line, ", \"check_s\": ", "%.1f", clock_seconds() - begun);
        put(&line, ", \"score\": ", "%.3f", score);
        strbuf_printf(&line, ", \"best\": %s, \"dev\": {", better ? "true" : "false");
        if (a->progress) fprintf(stderr, "\r\033[K");
        fprintf(stderr, "epoch %.2f", (double)tr->st.sentences / tr->n);
        for (int c = 0; c < a->n_dev; c++) {
            fprintf(stderr, "  %s F1 %.2f UAS %.2f LAS %.2f tags %.2f", a->dev[c].name, score_f1(&dev[c]),
                    score_percent(dev[c].dep.nopunct.heads, dev[c].dep.nopunct.words),
                    score_percent(dev[c].dep.nopunct.both, dev[c].dep.nopunct.words),
                    score_percent(dev[c].tags_right, dev[c].tags));
        }
        put_dev(&line, tr, dev);
        strbuf_puts(&line, "}}\n");
        fprintf(stderr, "%s\n", better ? "  best" : "");
        s = trainer_log(tr, &line, e);
        if (better && s == OK) {
            tr->st.best = score;
            tr->st.best_epoch = tr->st.epoch;
            s = save_best(tr, dev, e);
        }
    }
    optimizer_swap_average(&tr->optimizer);
    tr->loss = (LossParts){ 0 };
    tr->loss_sentences = 0;
    strbuf_fini(&line);
    return s;
}
