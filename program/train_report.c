/* One function prints each kind of event. */
#include "program/train_report.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "program/program.h"

/* ": " and names separated by ", ", with ", ..." where there are more. */
static void put_names(StrBuf *out, const TrainInitNames *names)
{
    for (int k = 0; k < names->n && k < TRAIN_INIT_NAMES; k++)
        strbuf_printf(out, "%s%s", k ? ", " : " (", names->first[k]);
    strbuf_puts(out, names->n > TRAIN_INIT_NAMES ? ", ...)" : ")");
}

static void put_number(StrBuf *out, int n, const TrainInitKind *kind)
{
    strbuf_printf(out, "%s%d %s", out->len ? ", " : "", n, n == 1 ? kind->one : kind->many);
}

/* What was taken of the model that the run begins with, what is new, what was dropped. */
static void began(const TrainCounts *c)
{
    const TrainInit *init = &c->init;
    StrBuf taken = { 0 }, added = { 0 }, dropped = { 0 };
    for (int k = 0; k < TRAIN_INIT_KINDS; k++) {
        const TrainInitKind *kind = &init->kind[k];
        if (kind->taken) put_number(&taken, kind->taken, kind);
        if (kind->added.n) put_number(&added, kind->added.n, kind);
        if (kind->added.n) put_names(&added, &kind->added);
        if (kind->dropped.n) put_number(&dropped, kind->dropped.n, kind);
        if (kind->dropped.n) put_names(&dropped, &kind->dropped);
        if (kind->dropped.n) strbuf_printf(&dropped, " %s", kind->why);
    }
    if (init->guides) strbuf_printf(&dropped, "%sguidance of heads, a loss of training", dropped.len ? ", " : "");
    program_say("begins with %s (%s): %s\n", init->path, init->task->name, taken.len ? taken.ptr : "");
    if (added.len) program_say("  new: %s\n", added.ptr);
    if (dropped.len) program_say("  dropped: %s\n", dropped.ptr);
    if (init->treebank) program_say("  default treebank: %s\n", init->treebank);
    strbuf_fini(&taken);
    strbuf_fini(&added);
    strbuf_fini(&dropped);
}

static void started(const TrainCounts *c)
{
    if (c->max_words)
        program_say("%d sentences (%d longer than %d words left out), ", c->sentences, c->skipped, c->max_words);
    else program_say("%d texts, ", c->sentences);
    program_say("%d words, %s%.2f million parameters\n", c->words, c->sizes, (double)c->parameters / 1e6);
    if (c->init.path) began(c);
    program_say("%s", c->notes);
}

/* " F1 91.26 UAS 93.10" */
static void put_figures(StrBuf *out, const TrainFigure *figure, int n)
{
    for (int k = 0; k < n; k++)
        if (figure[k].label) strbuf_printf(out, " %s %.*f", figure[k].label, figure[k].digits, figure[k].value);
}

static void progress(TrainReport *r, const TrainProgress *p)
{
    StrBuf losses = { 0 };
    if (!progress_due(&r->progress)) return;
    put_figures(&losses, p->loss, p->n_losses);
    /* the share of a resumed run does not begin at 0, so the time left follows from its own speed */
    progress_show(&r->progress, -1, "%.0f %%, epoch %.2f/%.4g, %.0f sentences/s, losses%s, lr %.2e, %s left",
                  100 * p->epoch / p->epochs, p->epoch, p->epochs, p->rate, losses.ptr ? losses.ptr : "", p->lr,
                  progress_duration(60 * p->minutes_left).text);
    strbuf_fini(&losses);
}

static void checked(const TrainCheck *c)
{
    StrBuf line = { 0 };
    strbuf_printf(&line, "%sepoch %.2f", c->oracle ? "ORACLE " : "", c->epoch);
    for (int k = 0; k < c->n; k++) {
        strbuf_printf(&line, "  %s", c->dev[k].name);
        put_figures(&line, c->dev[k].figure, c->dev[k].n);
    }
    if (!line.failed) program_say("%s%s\n", line.ptr, c->best ? "  best" : "");
    strbuf_fini(&line);
}

/* ---- the end */

/* " F1 86.01 UAS ..." of a dev set, as a summary has it. */
static void put_scores(StrBuf *out, const cJSON *set)
{
    static const char *const names[][2] = { { "f1", "F1" },
                                            { "uas_nopunct", "UAS" },
                                            { "las_nopunct", "LAS" },
                                            { "tag_accuracy", "tags" },
                                            { "accuracy", "accuracy" },
                                            { "macro_f1", "macro-F1" },
                                            { "rouge1", "ROUGE-1" },
                                            { "rouge2", "ROUGE-2" },
                                            { "p_k", "P_k" } };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const cJSON *x = cJSON_GetObjectItemCaseSensitive(set, names[k][0]);
        if (cJSON_IsNumber(x)) strbuf_printf(out, " %s %.2f", names[k][1], x->valuedouble);
    }
}

static void put_best(StrBuf *out, const char *summary)
{
    cJSON *j = NULL;
    if (summary) json_parse(summary, strlen(summary), &j, NULL);
    const cJSON *epoch = cJSON_GetObjectItemCaseSensitive(j, "epoch"), *set,
                *dev = cJSON_GetObjectItemCaseSensitive(j, "dev");
    if (cJSON_IsNumber(epoch)) {
        strbuf_printf(out, "; %s epoch %.2f", dev && dev->child ? "best at" : "no dev set, the model is that of",
                      epoch->valuedouble);
        cJSON_ArrayForEach(set, dev)
        {
            strbuf_printf(out, "%s %s", set == dev->child ? ":" : ",", set->string);
            put_scores(out, set);
        }
    }
    cJSON_Delete(j);
}

static void ended(const TrainEnd *end)
{
    StrBuf line = { 0 };
    if (end->oracle) strbuf_puts(&line, "ORACLE ");
    if (end->reason == TRAIN_END_EPOCHS)
        strbuf_printf(&line, "trained %.4g epoch%s", end->epoch, end->epoch == 1 ? "" : "s");
    else if (end->reason == TRAIN_END_GATES)
        strbuf_printf(&line, "stopped after %.4g epochs, since no gate opened or closed any more", end->epoch);
    else if (end->reason == TRAIN_END_STOPPED) strbuf_printf(&line, "interrupted after %.2f epochs", end->epoch);
    else
        strbuf_printf(&line, "stopped early after %.4g epochs, %d of them without a better score", end->epoch,
                      end->stop_after);
    strbuf_printf(&line, " in %s", progress_duration(end->seconds).text);
    put_best(&line, end->summary);
    if (end->written) strbuf_printf(&line, "; written to %s", end->out);
    else if (end->summary) strbuf_printf(&line, "; no better model since the run was resumed");
    if (!line.failed) program_say("%s\n", line.ptr);
    strbuf_fini(&line);
}

static void report(void *context, const TrainEvent *event)
{
    TrainReport *r = context;
    const TrainOptionChange *o = &event->option;
    bool quiet = r->progress.quiet;
    if (event->kind != TRAIN_PROGRESS) progress_clear(&r->progress);
    switch (event->kind) {
    case TRAIN_OPTION:
        if (o->fixed)
            program_say("--resume: %s stays %s, found %s; model options are fixed\n", o->name, o->before, o->now);
        else if (!quiet) program_say("--resume: %s changes from %s to %s\n", o->name, o->before, o->now);
        break;
    case TRAIN_STARTED:
        if (!quiet) started(&event->started);
        break;
    case TRAIN_PROGRESS: progress(r, &event->progress); break;
    case TRAIN_CHECKED:
        if (!quiet) checked(&event->checked);
        break;
    case TRAIN_STOPPED:
        snprintf(r->stopped, sizeof r->stopped, "stopped after update %ld; continue with --resume %s",
                 event->stopped.step, event->stopped.checkpoint);
        break;
    case TRAIN_ENDED:
        if (!quiet) ended(&event->ended);
        break;
    }
}

void train_report_start(TrainReport *report, bool quiet)
{
    *report = (TrainReport){ .progress = progress_start("train", quiet) };
}

TrainObserver train_report_observer(TrainReport *train_report) { return (TrainObserver){ report, train_report }; }
