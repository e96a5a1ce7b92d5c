/* One function for each part of a model, and a list that breaks its lines and ends after
 * three. */
#include "program/model_text.h"

#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "parser/parse/parse_network.h"
#include "program/progress.h"

enum { NAME = 12, WIDTH = 80, LINES_MOST = 2 }; /* columns; lines of a list */

/* A list that is being written, word by word. */
typedef struct List {
    StrBuf *out;
    size_t line; /* bytes in the line, about its columns */
    int lines;
    bool cut;
} List;

static List list_begin(StrBuf *out, const char *name)
{
    strbuf_printf(out, "%-*s", NAME - 1, name);
    return (List){ .out = out, .line = NAME - 1, .lines = 1 };
}

/* Appends a blank and a word with what follows it, on a new line if this one is full; nothing once the list is cut. */
static void list_word(List *l, const char *word, const char *after)
{
    size_t n = strlen(word) + strlen(after);
    if (l->line + 1 + n > WIDTH && l->line >= NAME && !l->cut) {
        l->cut = l->lines == LINES_MOST;
        strbuf_printf(l->out, l->cut ? " ..." : "\n%-*s", NAME - 1, "");
        l->line = NAME - 1;
        l->lines++;
    }
    if (l->cut) return;
    strbuf_printf(l->out, " %s%s", word, after);
    l->line += 1 + n;
}

static void put_vocab(StrBuf *out, const char *name, const Vocab *v, int from, const char *between)
{
    char count[32];
    int n = vocab_size(v);
    List l = list_begin(out, name);
    snprintf(count, sizeof count, "%d", n - from);
    list_word(&l, count, n > from ? ":" : "");
    for (int k = from; k < n; k++) list_word(&l, vocab_text(v, k), k + 1 < n ? between : "");
    strbuf_putc(out, '\n');
}

/* ---- heads that pruning has left */

void model_text_layer(StrBuf *out, const char *key, const HeadNumbers *kept)
{
    if (kept->all) json_value(out, key, NULL);
    else json_ints(out, key, kept->item, kept->n);
}

void model_text_kept(StrBuf *out, const char *key, const Model *model, LayerId first)
{
    json_array(out, key);
    for (int l = 0; l < model->c.n_layers; l++) model_text_layer(out, NULL, &model->kept[first + l]);
    json_array_end(out);
}

/* Has pruning closed label heads? */
static bool lacks_label(const Model *m) { return m->kept && !m->kept[layer_label(m->c.n_layers)].all; }

bool model_text_lacks_pal(const Model *model)
{
    bool lacks = false;
    for (int l = 0; model->kept && l < model->c.n_layers; l++)
        lacks = lacks || !model->kept[layer_pal(model->c.n_layers, l)].all;
    return lacks;
}

/* "linked      1:NP 2:VP": label heads and the categories that they are linked to. */
static void put_categories(StrBuf *out, const Model *m)
{
    const int *row = m->net.encoder.label_row;
    const char *category;
    char number[16];
    List l = { 0 };
    for (int h = 0; (category = parse_head_category(m, h)); h++) {
        if (row && row[h] < 0) continue;
        if (!l.out) l = list_begin(out, "linked");
        snprintf(number, sizeof number, "%d:", h + 1);
        list_word(&l, number, category);
    }
    if (l.out) strbuf_putc(out, '\n');
}

static void put_heads(StrBuf *out, const Model *m)
{
    if (m->kept) {
        strbuf_puts(out, "kept heads  ");
        model_text_kept(out, NULL, m, 0);
        strbuf_putc(out, '\n');
    }
    if (lacks_label(m)) {
        strbuf_puts(out, "label heads ");
        model_text_layer(out, NULL, &m->kept[layer_label(m->c.n_layers)]);
        strbuf_putc(out, '\n');
    }
    if (model_text_lacks_pal(m)) {
        strbuf_puts(out, "pal heads   ");
        model_text_kept(out, NULL, m, layer_pal(m->c.n_layers, 0));
        strbuf_putc(out, '\n');
    }
    if (m->named.n)
        strbuf_printf(out, "head names  of %d heads, from a text of %ld words\n", m->named.n, m->named.words);
    put_categories(out, m);
}

/* ---- what it predicts and of what it is made */

/* The weights of each treebank, if it has its own. */
static void put_joint(StrBuf *out, const Model *m)
{
    const char *const first = "joint trees spans, arcs by treebank:", *before = first;
    for (int k = 1; k < m->n_own_joint; k++) {
        const JointWeights *x = &m->own_joint[k];
        if (!x->sentences) continue;
        strbuf_printf(out, "%s %s %.2f %.2f", before, vocab_text(&m->treebanks, k), x->span, x->arc);
        before = ",";
    }
    if (before == first) {
        const JointWeights *x = &m->joint;
        strbuf_printf(out, "joint trees weights of spans %.4f and arcs %.4f, fitted to %ld sentences", x->span, x->arc,
                      x->sentences);
        if (x->f1.sentences) strbuf_printf(out, "; calibrated F1 fitted to %ld sentences", x->f1.sentences);
    }
    strbuf_putc(out, '\n');
}

static void put_parser(StrBuf *out, const Model *m)
{
    put_vocab(out, "treebanks", &m->treebanks, 1, "");
    strbuf_printf(out, "default     %s\n", vocab_text(&m->treebanks, m->default_treebank));
    put_vocab(out, "tags", &m->tags, N_RESERVED, "");
    put_vocab(out, "labels", &m->labels, 1, "");
    put_vocab(out, "own labels", &m->own_labels, 0, ","); /* which appear only where their treebank is followed */
    put_vocab(out, "types", &m->types, 0, "");
    if (m->analysis.n) put_vocab(out, "analyses", &m->analyses, 0, "");
    if (m->text.bits)
        strbuf_printf(out, "raw text    learnt: a table of 2^%d weights, %d multiword tokens%s%s\n", m->text.bits,
                      m->text.whole.n, m->text.filter ? ", a list of words" : "",
                      m->text.n_variants ? ", variants of characters" : "");
    if (m->joint.sentences) put_joint(out, m);
}

static void put_pretrained(StrBuf *out, const Model *m)
{
    const PretrainedConfig *c = &m->pretrained;
    strbuf_printf(out, "pretrained  %s, %d layer%s of width %d, %d heads, ", pretrained_config_kind(c->kind),
                  c->n_layers, c->n_layers == 1 ? "" : "s", c->d_model, c->n_heads);
    if (c->most_pieces) strbuf_printf(out, "at most %d of ", c->most_pieces);
    strbuf_printf(out, "%d %s pieces%s\n", piece_tokenizer_size(&m->tokenizer), piece_tokenizer_kind(m->tokenizer.kind),
                  piece_tokenizer_lowercase(&m->tokenizer) ? " of lower-cased text" : "");
}

/* The options that differ from their defaults: "d_model=320 n_layers=5". */
static void put_config(StrBuf *out, const Model *m)
{
    ModelConfig plain;
    StrBuf word = { 0 };
    List l = list_begin(out, "config");
    options_defaults(CONFIG_MODEL_OPTIONS, &plain);
    for (const Option *o = CONFIG_MODEL_OPTIONS; o->name; o++) {
        if (option_same(o, &m->c, &plain)) continue;
        strbuf_clear(&word);
        strbuf_printf(&word, "%s=", o->name);
        option_to_json(o, &m->c, &word);
        l.lines = 0; /* never cut */
        list_word(&l, word.ptr ? word.ptr : "", "");
    }
    strbuf_puts(out, "\n");
    strbuf_fini(&word);
}

static void put_options(StrBuf *out, const Model *m)
{
    if (!encoder_options_plain(&m->options)) {
        strbuf_puts(out, "options     ");
        encoder_options_to_json(&m->options, out);
        strbuf_putc(out, '\n');
    }
    if (!head_analysis_plain(&m->options.analysis)) {
        strbuf_puts(out, "analysis    ");
        head_analysis_to_json(&m->options.analysis, out);
        strbuf_putc(out, '\n');
    }
}

/* ---- how it was trained */

static double number(const cJSON *object, const char *name)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(x) ? x->valuedouble : -1;
}

/* A line for each dev set: "  craft: 2778 sentences, f1 85.19, uas_nopunct 89.99". */
static void put_dev(StrBuf *out, const cJSON *set)
{
    static const char *const counted[] = { "sentences", "words", "pieces" };
    static const char *const shown[] = { "f1",     "uas_nopunct", "las_nopunct", "tag_accuracy", "accuracy",
                                         "rouge1", "rouge2",      "p_k",         "nll" };
    size_t of = 0;
    while (of < 2 && number(set, counted[of]) < 0) of++;
    strbuf_printf(out, "  %s: %.0f %s", set->string, number(set, counted[of]), counted[of]);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        if (number(set, shown[k]) >= 0) strbuf_printf(out, ", %s %.2f", shown[k], number(set, shown[k]));
    strbuf_putc(out, '\n');
}

static void put_training(StrBuf *out, const char *summary)
{
    cJSON *training = NULL;
    Status status = summary ? json_parse(summary, strlen(summary), &training, NULL) : ERR_FORMAT;
    if (status != OK) {
        strbuf_puts(out, "training    unknown\n");
        out->failed |= status == ERR_NOMEM;
        return;
    }
    const cJSON *init = cJSON_GetObjectItemCaseSensitive(training, "init"), *set;
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(init, "model");
    const cJSON *dev = cJSON_GetObjectItemCaseSensitive(training, "dev");
    strbuf_printf(out, "training    %.2f epochs, %.0f updates, %.0f sentences, %s", number(training, "epoch"),
                  number(training, "updates"), number(training, "training_sentences"),
                  progress_duration(number(training, "seconds")).text);
    if (cJSON_IsString(from)) strbuf_printf(out, ", from %s", from->valuestring);
    strbuf_putc(out, '\n');
    cJSON_ArrayForEach(set, dev) put_dev(out, set);
    cJSON_Delete(training);
}

void model_text(StrBuf *out, const Model *model, const ModelStorage *storage, const char *path)
{
    strbuf_printf(out, "model       %s\nparameters  %.2f million\nstored      ", path,
                  (double)params_total(&model->ps) / 1e6);
    model_storage_text(storage, out);
    int words = vocab_size(&model->words) - N_RESERVED;
    strbuf_putc(out, '\n');
    if (words) strbuf_printf(out, "words       %d\n", words);
    if (task_key(model->task)) strbuf_printf(out, "task        %s\n", model->task->name);
    if (vocab_size(&model->classes)) put_vocab(out, "classes", &model->classes, 0, "");
    if (text_among("labels", model->task->vocabs)) put_parser(out, model);
    if (model->pretrained.d_model) put_pretrained(out, model);
    put_config(out, model);
    put_options(out, model);
    put_heads(out, model);
    if (encoder_options_oracle(&model->options)) strbuf_puts(out, "oracle      true: its masks read gold syntax\n");
    put_training(out, model->summary);
}
