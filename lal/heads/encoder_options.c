/* lal/heads/encoder_options.c: tables, defaults, JSON of a whole configuration, what it asks for */
#include "base/json.h"
#include "lal/heads/encoder_options.h"

#include <string.h>

#include "lal/heads/encoder_options_internal.h"

#define O(name) offsetof(EncoderOptions, name)
#define MOST 1e9

const Option ENCODER_OPTIONS[] = {
    { "syntax_source", OPT_ENUM, O(syntax.source), "none", 0, 0, "none|first_pass|file|self|gold",
      "where masks have their parses from: another model, files, the model itself, or the treebank (an oracle)" },
    { "syntax_model", OPT_STRING, O(syntax.model), NULL, 0, 0, "FILE",
      "source first_pass: a plain model that parses the text first" },
    { "syntax_train_file", OPT_STRING, O(syntax.train_file), NULL, 0, 0, "FILE",
      "sources first_pass and file: file with parses of the training sentences" },
    { "syntax_dev_file", OPT_STRING, O(syntax.dev_file), NULL, 0, 0, "FILE",
      "source file: file with parses of the dev sentences" },
    { "syntax_test_file", OPT_STRING, O(syntax.test_file), NULL, 0, 0, "FILE",
      "source file: file with parses of the test sentences, which lal eval reads" },
    { "syntax_dropout", OPT_REAL, O(syntax.dropout), "0.5", -MOST, MOST, NULL,
      "source self: share of training sentences that have no masks" },
    { "guidance_alpha0", OPT_REAL, O(guidance.alpha0), "10", -MOST, MOST, NULL,
      "weight of the guidance loss at the start" },
    { "guidance_hold", OPT_LONG, O(guidance.hold), "0", -MOST, MOST, "N",
      "updates with this weight, which then falls to 0 at the last update" },
    { "guidance_norm", OPT_ENUM, O(guidance.norm), "row", 0, 0, "row|frobenius|mean",
      "squared differences of a head in a sentence are divided by its rows, by nothing, or by its pairs" },
    { "guidance_empty_row", OPT_ENUM, O(guidance.empty_row), "uniform", 0, 0, "uniform|skip|zero",
      "target of a token whose pattern is empty: all tokens alike, none (no loss), or zero" },
    { "gates_kind", OPT_ENUM, O(gates.kind), "none", 0, 0, "none|hard_concrete|free|constant",
      "factors on attention heads: none, trained ones that close heads, trained without a limit, or given 0 and 1" },
    { "gates_stacks", OPT_WORDS, O(gates.stacks), "self", 0, 0, NULL, "which heads have gates: self, label, pal" },
    { "gates_label_at", OPT_ENUM, O(gates.label_at), "context", 0, 0, "context|output",
      "where the gate of a label head is: on its view of the sentence, or on its output" },
    { "gates_eval", OPT_ENUM, O(gates.eval), "clip", 0, 0, "clip|binary",
      "value of a hard-concrete gate in evaluation: its clipped mean, or 0 or 1 by the larger probability" },
    { "gates_lambda", OPT_REAL, O(gates.lambda), "0.03", -MOST, MOST, NULL,
      "weight of the expected number of open gates in the loss" },
    { "gates_beta", OPT_REAL, O(gates.beta), "0.33", -MOST, MOST, NULL, "temperature of hard-concrete gates" },
    { "gates_gamma", OPT_REAL, O(gates.gamma), "-0.1", -MOST, MOST, NULL,
      "lower end of the stretched interval of hard-concrete gates, below 0" },
    { "gates_zeta", OPT_REAL, O(gates.zeta), "1.1", -MOST, MOST, NULL, "its upper end, above 1" },
    { "gates_log_alpha_init", OPT_REAL, O(gates.log_alpha_init), "2.5", -1000, 1000, NULL,
      "first value of log alpha; 2.5: in evaluation the model is that without gates" },
    { "gates_lr_scale", OPT_REAL, O(gates.lr_scale), "10", -MOST, MOST, NULL, "factor on the learning rate of gates" },
    { "gates_start_from", OPT_STRING, O(gates.start_from), NULL, 0, 0, "FILE", "trained model whose heads get gates" },
    { "gates_freeze_after", OPT_BOOL, O(gates.freeze_after), "true", 0, 0, NULL,
      "do not train what comes after the gated heads" },
    { "gates_patience", OPT_INT, O(gates.patience), "8", -1000000, 1000000, NULL,
      "stop after N evaluations in which no gate was opened or closed" },
    { "pal_width", OPT_INT, O(pal.width), "256", -65536, 65536, NULL, "width of a projected attention layer" },
    { "pal_heads", OPT_INT, O(pal.heads), "4", -1024, 1024, NULL, "heads of a projected attention layer" },
    { "pal_at", OPT_ENUM, O(pal.at), "ff", 0, 0, "ff|attention",
      "the sum to which it adds: of the feed-forward layer or of self-attention" },
    { "pal_share", OPT_BOOL, O(pal.share), "false", 0, 0, NULL,
      "one projection down and one up for all projected attention layers" },
    { "pal_init_std", OPT_REAL, O(pal.init_std), "0.02", -MOST, MOST, NULL,
      "standard deviation of its first weights; those of the projection up are 0" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

const char *const ENCODER_OPTIONS_STACKS[] = { "self", "label", "pal", "pretrained", "pretrained_pal", NULL };
const char *const ENCODER_OPTIONS_USES[] = { "mask", "fixed", "guide", NULL };
/* by SyntaxSource; intra_span without a parse: punct */
const char *const ENCODER_OPTIONS_SOURCES[] = { "punct", "first_pass", "file", "self", "gold", NULL };

void encoder_options_defaults(EncoderOptions *o)
{
    *o = (EncoderOptions){ 0 };
    options_defaults(ENCODER_OPTIONS, o);
    options_defaults(PATTERN_OPTIONS, &o->patterns);
    head_analysis_defaults(&o->analysis);
}

bool head_numbers_has(const HeadNumbers *l, int k)
{
    bool found = l->all;
    for (int i = 0; i < l->n && !found; i++) found = l->item[i] == k;
    return found;
}

bool encoder_options_plain(const EncoderOptions *o)
{
    const HeadNumbers *pal[2] = { &o->pal.layers, &o->pal.pretrained_layers };
    bool plain = !o->n_heads && o->gates.kind == GATES_NONE;
    for (int k = 0; k < 2; k++) plain = plain && !pal[k]->all && !pal[k]->n;
    return plain;
}

bool encoder_options_pretrained(const EncoderOptions *o)
{
    bool named = o->pal.pretrained_layers.all || o->pal.pretrained_layers.n;
    for (int k = 0; k < o->n_heads; k++) named = named || o->heads[k].stack >= STACK_PRETRAINED;
    return named;
}

SyntaxSource encoder_options_source(const EncoderOptions *o)
{
    SyntaxSource source = SYNTAX_NONE;
    for (int k = 0; k < o->n_heads && source == SYNTAX_NONE; k++)
        if (o->heads[k].use != USE_GUIDE) source = o->heads[k].syntax;
    return source;
}

bool encoder_options_oracle(const EncoderOptions *o) { return encoder_options_source(o) == SYNTAX_GOLD; }

bool encoder_options_gates(const EncoderOptions *o, HeadStack stack)
{
    bool found = false;
    for (const char *p = o->gates.stacks ? o->gates.stacks : ""; *p && o->gates.kind != GATES_NONE;) {
        size_t len = strcspn(p, " ");
        found = found || text_equal((StrView){ p, len }, ENCODER_OPTIONS_STACKS[stack]);
        p += len + (p[len] == ' ');
    }
    return found;
}

/* ---- JSON */

static void put_numbers(StrBuf *out, const HeadNumbers *l)
{
    if (l->all) {
        strbuf_puts(out, "\"all\"");
        return;
    }
    strbuf_putc(out, '[');
    for (int k = 0; k < l->n; k++) strbuf_printf(out, "%s%d", k ? ", " : "", l->item[k]);
    strbuf_putc(out, ']');
}

static void put_strings(StrBuf *out, const char *const *list, int n)
{
    strbuf_putc(out, '[');
    for (int k = 0; k < n; k++) {
        if (k) strbuf_puts(out, ", ");
        strbuf_json(out, list[k], strlen(list[k]));
    }
    strbuf_putc(out, ']');
}

static void put_entry(StrBuf *out, const HeadEntry *x)
{
    strbuf_printf(out, "{\"stack\": \"%s\"", ENCODER_OPTIONS_STACKS[x->stack]);
    if (x->stack != STACK_LABEL) {
        strbuf_puts(out, ", \"layers\": ");
        put_numbers(out, &x->layers);
    }
    strbuf_puts(out, ", \"heads\": ");
    put_numbers(out, &x->heads);
    strbuf_puts(out, ", \"pattern\": ");
    if (x->n_names == 1) strbuf_json(out, x->names[0], strlen(x->names[0]));
    else put_strings(out, x->names, x->n_names);
    strbuf_printf(out, ", \"use\": \"%s\"", ENCODER_OPTIONS_USES[x->use]);
    if (x->source >= 0) strbuf_printf(out, ", \"source\": \"%s\"", ENCODER_OPTIONS_SOURCES[x->source]);
    if (x->labels) {
        strbuf_puts(out, ", \"labels\": ");
        put_strings(out, x->labels, x->heads.n);
    }
    strbuf_putc(out, '}');
}

/* "gates": {"kind": ..., without the final brace; nothing if no option of the table has this prefix. */
static bool put_section(StrBuf *out, const char *section, const Option *table, const void *fields)
{
    size_t len = strlen(section);
    bool any = false;
    for (const Option *o = table; o->name; o++) {
        if (strncmp(o->name, section, len) != 0 || o->name[len] != '_') continue;
        if (any) strbuf_puts(out, ", ");
        else strbuf_printf(out, ", \"%s\": {", section);
        strbuf_printf(out, "\"%s\": ", o->name + len + 1);
        option_to_json(o, fields, out);
        any = true;
    }
    return any;
}

static void put_patterns(StrBuf *out, const PatternOptions *o)
{
    StrBuf all = { 0 };
    for (int k = 0; k < PATTERN_KINDS; k++)
        if (put_section(&all, pattern_name((PatternKind)k), PATTERN_OPTIONS, o)) strbuf_putc(&all, '}');
    strbuf_printf(out, ", \"patterns\": {%s}", all.ptr ? all.ptr + 2 : ""); /* without the first comma */
    if (all.failed) out->failed = true;
    strbuf_fini(&all);
}

void encoder_options_to_json(const EncoderOptions *o, StrBuf *out)
{
    strbuf_puts(out, "{\"heads\": [");
    for (int k = 0; k < o->n_heads; k++) {
        if (k) strbuf_puts(out, ", ");
        put_entry(out, &o->heads[k]);
    }
    strbuf_putc(out, ']');
    put_patterns(out, &o->patterns);
    put_section(out, "syntax", ENCODER_OPTIONS, o);
    strbuf_putc(out, '}');
    put_section(out, "guidance", ENCODER_OPTIONS, o);
    strbuf_putc(out, '}');
    put_section(out, "gates", ENCODER_OPTIONS, o);
    strbuf_puts(out, ", \"constant\": ");
    if (o->gates.constant.n) put_numbers(out, &o->gates.constant);
    else strbuf_puts(out, "null");
    strbuf_putc(out, '}');
    put_section(out, "pal", ENCODER_OPTIONS, o);
    strbuf_puts(out, ", \"layers\": ");
    put_numbers(out, &o->pal.layers);
    if (o->pal.pretrained_layers.all || o->pal.pretrained_layers.n) { /* older versions do not know the key */
        strbuf_puts(out, ", \"pretrained_layers\": ");
        put_numbers(out, &o->pal.pretrained_layers);
    }
    strbuf_puts(out, "}}");
}

cJSON *encoder_options_json(const EncoderOptions *o)
{
    StrBuf text = { 0 };
    cJSON *j = NULL;
    encoder_options_to_json(o, &text);
    if (!text.failed) json_parse(text.ptr, text.len, &j, NULL);
    strbuf_fini(&text);
    return j;
}

/* ---- what it asks for */

void encoder_options_warnings(const EncoderOptions *o, StrBuf *out)
{
    if (encoder_options_oracle(o)) {
        strbuf_puts(out, "ORACLE run: masks read gold syntax (");
        bool first = true;
        for (int k = 0; k < o->n_heads; k++) {
            if (o->heads[k].use == USE_GUIDE || o->heads[k].syntax != SYNTAX_GOLD) continue;
            strbuf_printf(out, "%sheads[%d]", first ? "" : ", ", k);
            first = false;
        }
        strbuf_puts(out, "): scores are an upper bound, and the model cannot parse text\n");
    }
    if (o->gates.kind == GATES_HARD_CONCRETE && !o->gates.start_from)
        strbuf_puts(out, "warning: gates.kind is \"hard_concrete\" without gates.start_from: heads are gated from the "
                         "first update, not in a trained model\n");
}

/* Are targets of guidance made from parses that are not those of the treebank? */
static bool guided_by_parses(const EncoderOptions *o)
{
    bool found = false;
    for (int k = 0; k < o->n_heads; k++) {
        SyntaxSource s = o->heads[k].syntax;
        found = found || (o->heads[k].use == USE_GUIDE && s != SYNTAX_NONE && s != SYNTAX_GOLD);
    }
    return found;
}

Status encoder_options_implemented(const EncoderOptions *o, Error *e)
{
    const struct {
        bool asked;
        const char *what;
    } missing[] = {
        { guided_by_parses(o), "guidance by parses that are not gold (for gold ones, write \"source\": \"gold\")" },
    };
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
        if (missing[k].asked)
            return error_set(e, ERR_CONFIG, "encoder_options: found %s, which this version cannot train",
                             missing[k].what);
    return OK;
}
