/* Tables, defaults, JSON of a whole configuration, what it asks for */
#include "base/json.h"
#include "base/json_writer.h"
#include "lal/heads/encoder_options.h"

#include <string.h>

#include "lal/heads/encoder_options_internal.h"

#define O(name) offsetof(EncoderOptions, name)
#define MOST 1e9

const Option ENCODER_OPTIONS[] = {
    { "syntax_source", OPT_ENUM, O(syntax.source), "none", 0, 0, "none|first_pass|file|self|gold", NULL },
    { "syntax_model", OPT_STRING, O(syntax.model), NULL, 0, 0, "FILE", NULL },
    { "syntax_train_file", OPT_STRING, O(syntax.train_file), NULL, 0, 0, "FILE", NULL },
    { "syntax_dev_file", OPT_STRING, O(syntax.dev_file), NULL, 0, 0, "FILE", NULL },
    { "syntax_test_file", OPT_STRING, O(syntax.test_file), NULL, 0, 0, "FILE", NULL },
    { "syntax_dropout", OPT_REAL, O(syntax.dropout), "0.5", -MOST, MOST, NULL, NULL },
    { "guidance_alpha0", OPT_REAL, O(guidance.alpha0), "10", -MOST, MOST, NULL, NULL },
    { "guidance_hold", OPT_LONG, O(guidance.hold), "0", -MOST, MOST, "N", NULL },
    { "guidance_norm", OPT_ENUM, O(guidance.norm), "row", 0, 0, "row|frobenius|mean", NULL },
    { "guidance_empty_row", OPT_ENUM, O(guidance.empty_row), "uniform", 0, 0, "uniform|skip|zero", NULL },
    { "gates_kind", OPT_ENUM, O(gates.kind), "none", 0, 0, "none|hard_concrete|free|constant", NULL },
    { "gates_stacks", OPT_WORDS, O(gates.stacks), "self", 0, 0, NULL, NULL },
    { "gates_label_at", OPT_ENUM, O(gates.label_at), "context", 0, 0, "context|output", NULL },
    { "gates_eval", OPT_ENUM, O(gates.eval), "clip", 0, 0, "clip|binary", NULL },
    { "gates_lambda", OPT_REAL, O(gates.lambda), "0.03", -MOST, MOST, NULL, NULL },
    { "gates_beta", OPT_REAL, O(gates.beta), "0.33", -MOST, MOST, NULL, NULL },
    { "gates_gamma", OPT_REAL, O(gates.gamma), "-0.1", -MOST, MOST, NULL, NULL },
    { "gates_zeta", OPT_REAL, O(gates.zeta), "1.1", -MOST, MOST, NULL, NULL },
    { "gates_log_alpha_init", OPT_REAL, O(gates.log_alpha_init), "2.5", -1000, 1000, NULL, NULL },
    { "gates_lr_scale", OPT_REAL, O(gates.lr_scale), "10", -MOST, MOST, NULL, NULL },
    { "gates_start_from", OPT_STRING, O(gates.start_from), NULL, 0, 0, "FILE", NULL },
    { "gates_freeze_after", OPT_BOOL, O(gates.freeze_after), "true", 0, 0, NULL, NULL },
    { "gates_patience", OPT_INT, O(gates.patience), "8", -1000000, 1000000, NULL, NULL },
    { "pal_width", OPT_INT, O(pal.width), "256", -65536, 65536, NULL, NULL },
    { "pal_heads", OPT_INT, O(pal.heads), "4", -1024, 1024, NULL, NULL },
    { "pal_at", OPT_ENUM, O(pal.at), "ff", 0, 0, "ff|attention", NULL },
    { "pal_share", OPT_BOOL, O(pal.share), "false", 0, 0, NULL, NULL },
    { "pal_init_std", OPT_REAL, O(pal.init_std), "0.02", -MOST, MOST, NULL, NULL },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

const char *const ENCODER_OPTIONS_STACKS[] = { "self",           "label",   "pal",   "pretrained",
                                               "pretrained_pal", "decoder", "cross", NULL };
const char *const ENCODER_OPTIONS_USES[] = { "mask", "fixed", "guide", NULL };
/* by SyntaxSource; intra_span without a parse: punct */
const char *const ENCODER_OPTIONS_SOURCES[] = { "punct", "first_pass", "file", "self", "gold", NULL };

void encoder_options_defaults(EncoderOptions *options)
{
    *options = (EncoderOptions){ 0 };
    options_defaults(ENCODER_OPTIONS, options);
    options_defaults(PATTERN_OPTIONS, &options->patterns);
    head_analysis_defaults(&options->analysis);
}

bool head_numbers_has(const HeadNumbers *numbers, int k)
{
    bool found = numbers->all;
    for (int i = 0; i < numbers->n && !found; i++) found = numbers->item[i] == k;
    return found;
}

int head_numbers_left(const HeadNumbers *kept, int all, int *out)
{
    int n = 0;
    for (int h = 0; h < all; h++)
        if (!kept || head_numbers_has(kept, h)) out[n++] = h;
    return n;
}

bool encoder_options_plain(const EncoderOptions *options)
{
    const HeadNumbers *pal[2] = { &options->pal.layers, &options->pal.pretrained_layers };
    bool plain = !options->n_heads && options->gates.kind == GATES_NONE;
    for (int k = 0; k < 2; k++) plain = plain && !pal[k]->all && !pal[k]->n;
    return plain;
}

bool encoder_options_pretrained(const EncoderOptions *options)
{
    bool named = options->pal.pretrained_layers.all || options->pal.pretrained_layers.n;
    for (int k = 0; k < options->n_heads; k++) named = named || stack_is_pretrained(options->heads[k].stack);
    return named;
}

SyntaxSource encoder_options_source(const EncoderOptions *options)
{
    SyntaxSource source = SYNTAX_NONE;
    for (int k = 0; k < options->n_heads && source == SYNTAX_NONE; k++)
        if (options->heads[k].use != USE_GUIDE) source = options->heads[k].syntax;
    return source;
}

bool encoder_options_oracle(const EncoderOptions *options) { return encoder_options_source(options) == SYNTAX_GOLD; }

bool encoder_options_gates(const EncoderOptions *options, HeadStack stack)
{
    return options->gates.kind != GATES_NONE && options->gates.stacks &&
           text_among(ENCODER_OPTIONS_STACKS[stack], options->gates.stacks);
}

/* ---- JSON */

static void put_numbers(StrBuf *out, const char *key, const HeadNumbers *l)
{
    if (l->all) json_string(out, key, "all");
    else json_ints(out, key, l->item, l->n);
}

static void put_entry(StrBuf *out, const HeadEntry *x)
{
    json_object(out, NULL);
    json_string(out, "stack", ENCODER_OPTIONS_STACKS[x->stack]);
    if (x->stack != STACK_LABEL) put_numbers(out, "layers", &x->layers);
    put_numbers(out, "heads", &x->heads);
    if (x->n_names == 1) json_string(out, "pattern", x->names[0]);
    else json_strings(out, "pattern", x->names, x->n_names);
    json_string(out, "use", ENCODER_OPTIONS_USES[x->use]);
    if (x->source >= 0) json_string(out, "source", ENCODER_OPTIONS_SOURCES[x->source]);
    if (x->labels) json_strings(out, "labels", x->labels, x->heads.n);
    json_object_end(out);
}

/* "gates": {"kind": ..., without the final brace; nothing if no option of the table has this prefix. */
static bool put_section(StrBuf *out, const char *section, const Option *table, const void *fields)
{
    size_t len = strlen(section);
    bool any = false;
    for (const Option *o = table; o->name; o++) {
        if (strncmp(o->name, section, len) != 0 || o->name[len] != '_') continue;
        if (!any) json_object(out, section);
        json_key(out, o->name + len + 1);
        option_to_json(o, fields, out);
        any = true;
    }
    return any;
}

/* Older versions do not know patterns with weights, which are written where they are not the defaults. */
static bool is_written(const EncoderOptions *o, PatternKind kind)
{
    PatternOptions plain;
    bool differs = false;
    options_defaults(PATTERN_OPTIONS, &plain);
    for (const Option *p = PATTERN_OPTIONS; p->name; p++)
        if (strncmp(p->name, pattern_name(kind), strlen(pattern_name(kind))) == 0)
            differs = differs || !option_same(p, &o->patterns, &plain);
    return differs || !pattern_is_weighted(kind);
}

void encoder_options_to_json(const EncoderOptions *options, StrBuf *out)
{
    strbuf_putc(out, '{');
    json_array(out, "heads");
    for (int k = 0; k < options->n_heads; k++) put_entry(out, &options->heads[k]);
    json_array_end(out);
    json_object(out, "patterns");
    for (int k = 0; k < PATTERN_KINDS; k++)
        if (is_written(options, (PatternKind)k) &&
            put_section(out, pattern_name((PatternKind)k), PATTERN_OPTIONS, &options->patterns))
            json_object_end(out);
    json_object_end(out);
    put_section(out, "syntax", ENCODER_OPTIONS, options);
    json_object_end(out);
    put_section(out, "guidance", ENCODER_OPTIONS, options);
    json_object_end(out);
    put_section(out, "gates", ENCODER_OPTIONS, options);
    if (options->gates.constant.n) put_numbers(out, "constant", &options->gates.constant);
    else json_value(out, "constant", NULL);
    json_object_end(out);
    put_section(out, "pal", ENCODER_OPTIONS, options);
    put_numbers(out, "layers", &options->pal.layers);
    if (options->pal.pretrained_layers.all || options->pal.pretrained_layers.n) /* older versions do not know the key */
        put_numbers(out, "pretrained_layers", &options->pal.pretrained_layers);
    json_object_end(out);
    json_object_end(out);
}

cJSON *encoder_options_json(const EncoderOptions *options)
{
    StrBuf text = { 0 };
    cJSON *j = NULL;
    encoder_options_to_json(options, &text);
    if (!text.failed) json_parse(text.ptr, text.len, &j, NULL);
    strbuf_fini(&text);
    return j;
}

/* ---- what it asks for */

void encoder_options_warnings(const EncoderOptions *options, StrBuf *out)
{
    if (encoder_options_oracle(options)) {
        strbuf_puts(out, "ORACLE run: masks read gold syntax (");
        bool first = true;
        for (int k = 0; k < options->n_heads; k++) {
            if (options->heads[k].use == USE_GUIDE || options->heads[k].syntax != SYNTAX_GOLD) continue;
            strbuf_printf(out, "%sheads[%d]", first ? "" : ", ", k);
            first = false;
        }
        strbuf_puts(out, "): scores are an upper bound, and the model cannot parse text\n");
    }
    if (options->gates.kind == GATES_HARD_CONCRETE && !options->gates.start_from)
        strbuf_puts(out, "warning: gates.kind is \"hard_concrete\" without gates.start_from: heads are gated from the "
                         "first update, not in a trained model\n");
}

/* Are targets of guidance made from other parses than the treebank has? */
static bool guided_by_parses(const EncoderOptions *o)
{
    bool found = false;
    for (int k = 0; k < o->n_heads; k++) {
        SyntaxSource s = o->heads[k].syntax;
        found = found || (o->heads[k].use == USE_GUIDE && s != SYNTAX_NONE && s != SYNTAX_GOLD);
    }
    return found;
}

Status encoder_options_implemented(const EncoderOptions *options, Error *error)
{
    if (!guided_by_parses(options)) return OK;
    return error_set(error, ERR_CONFIG,
                     "encoder_options: found guidance by parses that are not gold (for gold ones, write \"source\": "
                     "\"gold\"), which this version cannot train");
}
