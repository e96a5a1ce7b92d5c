/* Lal model prune */
#include <stdio.h>
#include <string.h>

#include "parser/model/prune.h"
#include "parser/model/model_file.h"
#include "program/program.h"
#include "parser/task/difference.h"
#include "parser/train/run/train.h"

typedef struct Fields {
    const char *model, *out, *gold, *gold_deps, *gold_classes, *gold_target, *treebank, *device;
    int gates_eval, store, threads;
    bool quiet;
} Fields;

#define F(name) offsetof(Fields, name)

enum { RULE_MODEL, RULE_CLIP, RULE_BINARY };
enum { PROVED_ON = 50 }; /* sentences */

static const Option PRUNE_OPTIONS[] = {
    { "model", OPT_STRING, F(model), NULL, 0, 0, "MODEL",
      "model with gates on heads of self-attention, label heads, projected attention or a decoder" },
    { "out", OPT_STRING, F(out), NULL, 0, 0, "FILE", "write the smaller model to FILE" },
    GOLD_OPTIONS(
        Fields, "trees in brackets, classes as lal train --task classify takes them, or lines to translate; the models "
                "are compared on the first 50 sentences, and scored on all"),
    GOLD_CLASSES_OPTION(Fields),
    { "gold_target", OPT_STRING, F(gold_target), NULL, 0, 0, "FILE",
      "of a model that translates: the translations of the lines of --gold" },
    TREEBANK_OPTION(Fields, TREEBANK_MODEL),
    { "gates_eval", OPT_ENUM, F(gates_eval), "model", 0, 0, "model|clip|binary",
      "which heads are closed: by the rule of the model's options, gates clipped to 0, or gates that are likelier 0 "
      "than 1" },
    { "store", OPT_ENUM, F(store), "f32", 0, 0, MODEL_STORE_CHOICES, "number format of the weights in the file" },
    THREADS_OPTION(Fields),
    DEVICE_OPTION(Fields, device),
    QUIET_OPTION(Fields),
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* The figures of a model on gold, as a line. */
static Status put_scores(StrBuf *out, const char *name, const Fields *f, const Model *m, const Corpus *dev, Error *e)
{
    UseOptions o = { .device = device_default(), .n_threads = program_threads(f->threads), .treebank = -1 };
    DevScores scores;
    Status s = f->treebank ? model_treebank(m, f->treebank, &o.treebank, e) : OK;
    if (s == OK) s = task_use(m->task)->score(m, dev, &o, &scores, e);
    if (s != OK) return s;
    strbuf_printf(out, "%s%-14s", encoder_options_oracle(&m->options) ? "ORACLE " : "", name);
    for (int k = 0; k < scores.n; k++)
        if (scores.figure[k].label) strbuf_printf(out, "  %s %.2f", scores.figure[k].label, scores.figure[k].value);
    strbuf_putc(out, '\n');
    return OK;
}

/* The gates, and dev scores by both rules. */
static Status put_gates(StrBuf *out, const Fields *f, Model *m, const Corpus *dev, Error *e)
{
    static const char *const names[] = { "gates, clip", "gates, binary" };
    bool rule = m->options.gates.eval == GATES_BINARY;
    Status s = OK;
    for (int binary = 0; binary < 2 && s == OK; binary++) {
        GateCounts n;
        model_gate_rule(m, binary);
        s = model_gates(m, &n, e);
        if (s != OK) return s;
        strbuf_printf(out, "%-14s  %d of %d heads open, %d gates between 0 and 1\n", names[binary], n.open, n.heads,
                      n.between);
        if (dev->trees.n) s = put_scores(out, "", f, m, dev, e);
    }
    if (f->gates_eval != RULE_MODEL) rule = f->gates_eval == RULE_BINARY;
    model_gate_rule(m, rule);
    return s;
}

static void put_kept(StrBuf *out, const Model *small)
{
    for (LayerId l = 0; l < layer_count(small->c.n_layers); l++) {
        const LayerPlace at = layer_place(small->c.n_layers, 0, l);
        const HeadNumbers *kept = &small->kept[l];
        if (kept->all) continue;
        if (at.stack == STACK_SELF) strbuf_printf(out, "layer %d keeps  ", at.l);
        else if (at.stack == STACK_LABEL) strbuf_puts(out, "label heads    ");
        else strbuf_printf(out, "pal %d keeps    ", at.l);
        for (int k = 0; k < kept->n; k++) strbuf_printf(out, "%s%d", k ? ", " : "", kept->item[k]);
        strbuf_puts(out, kept->n ? "\n" : "no head\n");
    }
    for (int i = 0, layers = small->c.decoder_layers; small->decoder_kept && i < DECODER_STACKS * layers; i++) {
        const HeadNumbers *kept = &small->decoder_kept[i];
        if (kept->all) continue;
        strbuf_printf(out, "%s %d keeps%*s", i < layers ? "decoder" : "cross", i % layers, i < layers ? 1 : 3, "");
        for (int k = 0; k < kept->n; k++) strbuf_printf(out, "%s%d", k ? ", " : "", kept->item[k]);
        strbuf_puts(out, kept->n ? "\n" : "no head\n");
    }
}

/* The pruned model gives the same vectors, but for rounding, and the same parses or classes: ERR_NUMERIC if not. */
static Status prove(StrBuf *out, const Fields *f, const Model *m, const Model *small, const Corpus *dev, Error *e)
{
    ModelDifference d;
    const TaskUse *use = task_use(m->task);
    Status s = use->differ(m, small, dev, PROVED_ON, &d, e);
    if (s != OK) return s;
    if (!(d.numbers <= MODEL_ROUNDING) || d.decided_otherwise)
        return error_at(e, ERR_NUMERIC, f->out, 0, 0,
                        "not written: on %d sentences the smaller model's vectors and scores differ by %.2g, expected "
                        "at most %.0e, and %d %s differ",
                        d.sentences, d.numbers, MODEL_ROUNDING, d.decided_otherwise, use->decisions);
    strbuf_printf(out, "equal on %d sentences: the same %s, vectors and scores differ by at most %.2g\n", d.sentences,
                  use->decisions, d.numbers);
    return OK;
}

static Status prune(const Fields *f, Model *m, Model *small, const Corpus *dev, Error *e)
{
    StrBuf out = { 0 };
    Status s = put_gates(&out, f, m, dev, e);
    if (s == OK) s = model_prune(m, small, e);
    if (s == OK) s = params_upload(&small->ps, device_default(), e);
    if (s == OK && encoder_options_source(&m->options) == SYNTAX_FIRST_PASS) s = model_load_first(small, f->model, e);
    if (s == OK) put_kept(&out, small);
    if (s == OK) s = prove(&out, f, m, small, dev, e);
    if (s == OK && dev->trees.n) s = put_scores(&out, "pruned", f, small, dev, e);
    if (s == OK) s = model_save(small, f->out, model_store_choice(f->store), NULL, 0, NULL, e);
    if (s == OK)
        strbuf_printf(&out, "parameters      %zu, before %zu; written to %s\n", params_total(&small->ps),
                      params_total(&m->ps), f->out);
    if (s == OK) s = program_print(&out, e);
    strbuf_fini(&out);
    return s;
}

static Status run_prune(int argc, char **argv, Error *e)
{
    Fields f;
    int n;
    Status s = program_options(PRUNE_OPTIONS, &f, argc, argv, 0, &n, e);
    if (s != OK) return s;
    if (!f.model || !f.out || (!f.gold && !f.gold_deps))
        return error_set(e, ERR_USAGE, "found no %s, expected --model, --out and --gold",
                         !f.model ? "--model"
                         : !f.out ? "--out"
                                  : "--gold");
    char place[DATA_PATH_MAX];
    f.model = program_model_file(f.model, place, sizeof place);
    Model m, small;
    Corpus dev;
    model_init(&m);
    model_init(&small);
    s = program_device(f.device, e);
    if (s == OK) s = program_task(f.model, &m.task, e);
    if (s == OK && !task_use(m.task)->differ) s = program_task_refused(f.model, m.task, e);
    if (s == OK) s = model_load(&m, f.model, NULL, e);
    const GoldFiles files = { f.gold, f.gold_deps, f.gold_classes, f.gold_target, NULL };
    if (s == OK) s = program_gold(&dev, &files, m.task, (GoldOptions){ .language = m.c.language }, e);
    if (s == OK) {
        s = model_check_parses(&m, true, false, e);
        if (s == OK) s = prune(&f, &m, &small, &dev, e);
        corpus_fini(&dev);
    }
    model_fini(&small);
    model_fini(&m);
    return s;
}

const Command CMD_MODEL_PRUNE = {
    .name = "model prune",
    .arguments = "--model MODEL --gold FILE --out FILE [OPTIONS]",
    .about = "write a model without the attention heads whose gates are closed",
    .more = "The heads of self-attention, label heads or projected attention were gated in\n"
            "training (\"gates\" of the encoder options, docs/OPTIONS.md). Heads keep their\n"
            "numbers. The smaller model is written only if it is shown to be equal: on the\n"
            "first 50 sentences it must give the same vectors and scores, but for rounding,\n"
            "and the same parses; of a model that classifies, the same classes; of one that\n"
            "translates, the same translations.\n",
    .tables = (const Option *const[]){ PRUNE_OPTIONS, NULL },
    .run = run_prune,
};
