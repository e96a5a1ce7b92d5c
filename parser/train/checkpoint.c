/* parser/train/checkpoint.c: the files a run writes and goes on from */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "parser/train/trainer.h"

static void state_json(const Trainer *tr, StrBuf *out)
{
    const TrainState *s = &tr->st;
    strbuf_printf(
        out,
        "{\"n\": %d, \"epoch\": %ld, \"batch\": %ld, \"step\": %ld, \"sentences\": %ld, \"best\": %.17g, \"last_score\": %.17g, \"best_epoch\": %ld, "
        "\"plateau_epoch\": %ld, \"lr_factor\": %.17g, \"seconds\": %.1f, \"done\": %ld, \"train\": ",
        tr->n, s->epoch, s->batch, s->step, s->sentences, s->best, s->last_score, s->best_epoch, s->plateau_epoch, s->lr_factor, s->seconds, s->done);
    options_to_json(TRAIN_OPTIONS, &tr->a->train, out);
    strbuf_putc(out, '}');
}

static int slabs(Trainer *tr, ExtraSlab list[3])
{
    list[0] = (ExtraSlab){ "adam.m/", tr->adam_m };
    list[1] = (ExtraSlab){ "adam.v/", tr->adam_v };
    if (tr->average) list[2] = (ExtraSlab){ "average/", tr->average };
    return tr->average ? 3 : 2;
}

Status trainer_save(Trainer *tr, Error *e)
{
    if (!tr->a->checkpoint) return OK;
    StrBuf state = { 0 };
    ExtraSlab list[3];
    int n = slabs(tr, list);
    double before = tr->st.seconds;
    tr->st.seconds += clock_seconds() - tr->started;
    state_json(tr, &state);
    tr->st.seconds = before;
    Status s = state.failed ? error_set(e, ERR_NOMEM, "out of memory for a checkpoint")
                            : model_save(&tr->m, tr->a->checkpoint, DT_F32, list, n, state.ptr, e);
    strbuf_fini(&state);
    return s;
}

/* Options of the run that differ from those it began with; kept: the checkpoint's hold. Goes without saying where memory is out. */
static void tell_changes(const cJSON *begun, const Option *table, const void *given, bool kept)
{
    static const char *const by_files[] = { "d_vectors", "trees", "arcs" };
    StrBuf text = { 0 };
    options_to_json(table, given, &text);
    cJSON *now = text.failed ? NULL : cJSON_Parse(text.ptr);
    for (const cJSON *was = begun && now ? begun->child : NULL; was; was = was->next) {
        const cJSON *is = cJSON_GetObjectItemCaseSensitive(now, was->string);
        bool skip = !is || cJSON_Compare(was, is, true);
        for (size_t k = 0; k < sizeof by_files / sizeof *by_files; k++) skip = skip || (kept && strcmp(was->string, by_files[k]) == 0);
        if (skip) continue;
        char *before = cJSON_PrintUnformatted(was), *after = cJSON_PrintUnformatted(is);
        if (before && after)
            fprintf(stderr, kept ? "--resume: %s stays %s, though %s is given\n" : "--resume: %s was %s, goes on as %s\n", was->string, before,
                    after);
        cJSON_free(before);
        cJSON_free(after);
    }
    cJSON_Delete(now);
    strbuf_fini(&text);
}

static void tell_all_changes(const Trainer *tr, const cJSON *state)
{
    StrBuf model = { 0 };
    options_to_json(MODEL_OPTIONS, &tr->m.c, &model);
    cJSON *begun = model.failed ? NULL : cJSON_Parse(model.ptr);
    tell_changes(begun, MODEL_OPTIONS, &tr->a->model, true);
    tell_changes(cJSON_GetObjectItem(state, "train"), TRAIN_OPTIONS, &tr->a->train, false);
    cJSON_Delete(begun);
    strbuf_fini(&model);
}

Status trainer_read_state(Trainer *tr, const char *text, Error *e)
{
    TrainState *s = &tr->st;
    cJSON *j = text ? cJSON_Parse(text) : NULL;
    if (!j) return error_at(e, ERR_FORMAT, tr->a->resume, 0, 0, "found a model without training state, expected a checkpoint");
    const struct {
        const char *name;
        long *whole;
        double *real;
    } fields[] = { { "n", &tr->expected, NULL },
                   { "epoch", &s->epoch, NULL },
                   { "batch", &s->batch, NULL },
                   { "step", &s->step, NULL },
                   { "sentences", &s->sentences, NULL },
                   { "best", NULL, &s->best },
                   { "last_score", NULL, &s->last_score },
                   { "best_epoch", &s->best_epoch, NULL },
                   { "plateau_epoch", &s->plateau_epoch, NULL },
                   { "lr_factor", NULL, &s->lr_factor },
                   { "done", &s->done, NULL },
                   { "seconds", NULL, &s->seconds } };
    Status st = OK;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        const cJSON *x = cJSON_GetObjectItem(j, fields[k].name);
        if (!cJSON_IsNumber(x)) st = error_at(e, ERR_FORMAT, tr->a->resume, 0, 0, "the training state has no %s", fields[k].name);
        else if (fields[k].whole) *fields[k].whole = (long)x->valuedouble;
        else *fields[k].real = x->valuedouble;
    }
    if (st == OK) tell_all_changes(tr, j);
    cJSON_Delete(j);
    return st;
}

Status trainer_log(const Trainer *tr, const StrBuf *line, Error *e)
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

Status trainer_check_outputs(const Trainer *tr, Error *e)
{
    const char *const paths[] = { tr->a->out, tr->a->checkpoint };
    Status s = OK;
    for (int k = 0; k < 2 && s == OK; k++) {
        FileWriter w;
        if (!paths[k]) continue;
        s = filewriter_open(&w, paths[k], e);
        if (s == OK) s = filewriter_close(&w, false, e);
    }
    return s == OK ? trainer_log(tr, &(StrBuf){ 0 }, e) : s;
}

Status trainer_load_slabs(Trainer *tr, Error *e)
{
    ExtraSlab list[3];
    return model_load_extra(&tr->m, tr->a->resume, list, slabs(tr, list), e);
}
