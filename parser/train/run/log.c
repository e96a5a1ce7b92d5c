/* The log, a JSON line for each check, and the summary that a model holds */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "parser/train/run/run.h"

/* Appends to the log, if there is one. */
static Status append(const Trainer *tr, const StrBuf *line, Error *e)
{
    if (!tr->a->log || group_rank(tr->a->group)) return OK;
    FILE *f = fopen(tr->a->log, "a");
    bool ok = f && !line->failed && (!line->len || fwrite(line->ptr, 1, line->len, f) == line->len);
    int why = errno;
    if (f && fclose(f) != 0) {
        ok = false;
        why = errno;
    }
    return ok ? OK : error_at(e, ERR_IO, tr->a->log, 0, 0, "cannot write: %s", strerror(why));
}

Status trainer_log_open(const Trainer *tr, Error *error) { return append(tr, &(StrBuf){ 0 }, error); }

static void put_scores(StrBuf *out, const DevScores *dev)
{
    json_object(out, dev->name);
    if (dev->scores.sentences) score_members(&dev->scores, out);
    else
        for (int k = 0; k < dev->n; k++)
            json_fixed(out, dev->figure[k].key, dev->figure[k].value, dev->figure[k].digits);
    json_object_end(out);
}

static void put_dev(StrBuf *out, const TrainCheck *check)
{
    json_object(out, "dev");
    for (int c = 0; c < check->n; c++) put_scores(out, &check->dev[c]);
    json_object_end(out);
}

/* The start of a line of the log: where training stands, and the losses since the last line. */
static void put_losses(StrBuf *out, const TrainRun *run)
{
    const Trainer *tr = &run->tr;
    double all = tr->loss_sentences ? (double)tr->loss_sentences : 1;
    TrainFigure loss[TASK_LOSSES];
    int n = trainer_losses(tr, loss);
    json_object(out, NULL);
    if (tr->syntax == SYNTAX_GOLD) json_bool(out, "oracle", true);
    json_members(out, "epoch: %.3f, updates: %ld", trainer_epochs(tr), tr->st.step);
    if (run->hash.text[0]) json_string(out, "run", run->hash.text);
    json_members(out, "seconds: %.0f, lr: %.3e, norm: %.3f", trainer_elapsed(tr), trainer_rate(tr), tr->norm);
    json_object(out, "loss");
    for (int k = 0; k < n; k++)
        if (loss[k].key) json_real(out, loss[k].key, "%.4f", loss[k].value);
    if (network_guides(&tr->m.net)) json_real(out, "guidance", "%.4f", tr->loss.part[LOSS_GUIDANCE] / all);
    if (tr->m.options.gates.kind == GATES_HARD_CONCRETE)
        json_real(out, "gates", "%.4f", tr->loss.part[LOSS_GATES] / all);
    json_object_end(out);
    if (tr->task->put_log) tr->task->put_log(tr, out);
}

Status trainer_log_check(const TrainRun *run, const TrainCheck *check, Error *error)
{
    const Trainer *tr = &run->tr;
    StrBuf line = { 0 };
    put_losses(&line, run);
    json_members(&line, "sentences_per_s: %.1f, check_s: %.1f, score: %.3f",
                 (double)tr->st.sentences / trainer_elapsed(tr), check->seconds, check->score);
    if (run->init) json_value(&line, "init", run->init);
    json_bool(&line, "best", check->best);
    json_string(&line, "weights", check->weights.text);
    put_dev(&line, check);
    strbuf_puts(&line, "}\n");
    Status s = append(tr, &line, error);
    strbuf_fini(&line);
    return s;
}

void trainer_summary(const TrainRun *run, const TrainCheck *check, StrBuf *out)
{
    const Trainer *tr = &run->tr;
    json_object(out, NULL);
    if (check->oracle) json_bool(out, "oracle", true);
    json_members(out, "epoch: %.2f, updates: %ld, training_sentences: %d, seconds: %.0f", check->epoch, tr->st.step,
                 tr->n, trainer_elapsed(tr));
    if (run->init) json_value(out, "init", run->init);
    if (tr->task->put_summary) tr->task->put_summary(tr, out);
    put_dev(out, check);
    json_key(out, "train");
    options_to_json(CONFIG_TRAIN_OPTIONS, &tr->a->train, out);
    json_object_end(out);
}
