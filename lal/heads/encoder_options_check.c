/* What must hold of the sections of options, between them, and between them and the
 * model; encoder_options_entries.c has what must hold of "heads" */
#include <string.h>

#include "base/locale.h"
#include "lal/heads/encoder_options_internal.h"

Status encoder_options_check_source(const EncoderCheck *check, const char *path, SyntaxSource source)
{
    const EncoderOptions *o = check->o;
    const char *message = NULL;
    bool files = check->shape->parses; /* the model of the first pass may have learnt from the training sentences */
    if (source == SYNTAX_FIRST_PASS && (!o->syntax.model || (files && !o->syntax.train_file)))
        message = files ? "syntax.source \"first_pass\" needs \"model\" and \"train_file\""
                        : "syntax.source \"first_pass\" needs \"model\"";
    if (source == SYNTAX_FILE && (!o->syntax.train_file || !o->syntax.dev_file))
        message = "syntax.source \"file\" needs \"train_file\" and \"dev_file\"";
    if (check->shape->n_decoder_layers && (source == SYNTAX_FILE || source == SYNTAX_SELF || source == SYNTAX_GOLD))
        message = "a model that translates reads parses of source \"first_pass\" alone, those of another model";
    return message ? encoder_fault(check, path, "%s", message) : OK;
}

static Status check_numbers(const EncoderCheck *c)
{
    const EncoderOptions *o = c->o;
    const struct {
        const char *name, *shown;
        double value;
        bool good;
        const char *expected;
    } numbers[] = {
        { "syntax.dropout", "dropout", o->syntax.dropout, o->syntax.dropout >= 0 && o->syntax.dropout <= 1,
          "a number from 0 to 1" },
        { "guidance.alpha0", "guidance.alpha0", o->guidance.alpha0, o->guidance.alpha0 >= 0, "0 or more" },
        { "guidance.hold", "hold", (double)o->guidance.hold, o->guidance.hold >= 0, "0 or more" },
        { "gates.lambda", "lambda", o->gates.lambda, o->gates.lambda >= 0, "0 or more" },
        { "gates.beta", "beta", o->gates.beta, o->gates.beta > 0 && o->gates.beta <= 1,
          "a number above 0 and at most 1" },
        { "gates.gamma", "gamma", o->gates.gamma, o->gates.gamma < 0, "a negative number" },
        { "gates.zeta", "zeta", o->gates.zeta, o->gates.zeta > 1, "a number above 1" },
        { "gates.lr_scale", "lr_scale", o->gates.lr_scale, o->gates.lr_scale >= 0, "0 or more" },
        { "gates.patience", "patience", o->gates.patience, o->gates.patience >= 0, "0 or more" },
        { "pal.width", "width", o->pal.width, o->pal.width >= 1, "1 or more" },
        { "pal.heads", "heads", o->pal.heads, o->pal.heads >= 1, "1 or more" },
        { "pal.init_std", "init_std", o->pal.init_std, o->pal.init_std >= 0, "0 or more" },
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!numbers[k].good)
            return encoder_fault(c, numbers[k].name, "%s is %g; expected %s", numbers[k].shown, numbers[k].value,
                                 numbers[k].expected);
    return OK;
}

static Status check_patterns(const EncoderCheck *c)
{
    const char *path;
    Error why = { 0 };
    if (pattern_options_check(&c->o->patterns, &path, &why) == OK) return OK;
    return encoder_fault(c, path, "%s", why.message);
}

static Status check_guidance(const EncoderCheck *c)
{
    EncoderOptions plain;
    bool guides = false;
    encoder_options_defaults(&plain);
    for (int k = 0; k < c->o->n_heads; k++) guides = guides || c->o->heads[k].use == USE_GUIDE;
    for (const Option *o = ENCODER_OPTIONS; o->name && !guides; o++) {
        if (strncmp(o->name, "guidance_", 9) != 0 || option_same(o, c->o, &plain)) continue;
        return encoder_fault(c, option_path("guidance", o->name + 9).text,
                             "guidance has no effect without an entry of \"heads\" with use \"guide\"");
    }
    return OK;
}

/* Heads of the gated stacks, before pruning. */
static int gated_heads(const EncoderCheck *c)
{
    int n = 0, pal = 0;
    for (int l = 0; l < c->shape->n_layers; l++) pal += head_numbers_has(&c->o->pal.layers, l);
    if (encoder_options_gates(c->o, STACK_SELF)) n += c->shape->n_layers * c->shape->n_heads;
    if (encoder_options_gates(c->o, STACK_LABEL)) n += c->shape->n_label_heads;
    if (encoder_options_gates(c->o, STACK_PAL)) n += pal * c->o->pal.heads;
    for (int s = 0; s < DECODER_STACKS; s++)
        if (encoder_options_gates_decoder(c->o, (DecoderStack)s)) n += c->shape->n_decoder_layers * c->shape->n_heads;
    return n;
}

static Status check_stacks(const EncoderCheck *c)
{
    const char *p = c->o->gates.stacks ? c->o->gates.stacks : "";
    bool any = false;
    for (; *p; any = true) {
        size_t len = strcspn(p, " "), k = 0;
        while (k < HEAD_STACKS && !text_equal((StrView){ p, len }, ENCODER_OPTIONS_STACKS[k])) k++;
        bool decoder = stack_is_decoder((HeadStack)k);
        if (decoder && !c->shape->n_decoder_layers)
            return encoder_fault(c, "gates.stacks", "the model has no decoder, to which stack \"%.*s\" belongs",
                                 (int)len, p);
        if (k == HEAD_STACKS)
            return encoder_fault(c, "gates.stacks", "unknown stack \"%.*s\"; one of self, label, pal, decoder, cross",
                                 (int)utf8_cut(p, len, 60), p);
        if (k >= GATED_STACKS && !decoder)
            return encoder_fault(c, "gates.stacks",
                                 "heads of stack \"%s\" have no gates; found it in gates.stacks, expected "
                                 "self, label, pal, decoder, cross",
                                 ENCODER_OPTIONS_STACKS[k]);
        p += len + (p[len] == ' ');
    }
    if (c->o->gates.kind == GATES_NONE) return OK;
    if (!any) return encoder_fault(c, "gates.stacks", "found no stack, expected self, label, pal, decoder or cross");
    if (encoder_options_gates(c->o, STACK_SELF) && c->shape->n_layers == 0)
        return encoder_fault(c, "gates.stacks", "the model has no self-attention layers");
    if (encoder_options_gates(c->o, STACK_LABEL) && c->shape->n_label_heads == 0)
        return encoder_fault(c, "gates.stacks", "the model has no label heads");
    if (encoder_options_gates(c->o, STACK_PAL) && !encoder_options_check_pal(c))
        return encoder_fault(c, "gates.stacks", "the model has no projected attention layers; pal.layers is []");
    return OK;
}

static Status check_gates(const EncoderCheck *c)
{
    const EncoderOptions *o = c->o;
    Status s = check_stacks(c);
    if (s != OK) return s;
    if (o->gates.label_at == GATES_AT_OUTPUT && c->shape->lal_pwff)
        return encoder_fault(c, "gates.label_at", "gates.label_at \"output\" needs lal_pwff off");
    if (o->gates.label_at == GATES_AT_OUTPUT && c->shape->label_combined)
        return encoder_fault(c, "gates.label_at", "gates.label_at \"output\" needs lal_combine_as_self off");
    if (o->gates.kind != GATES_CONSTANT) return OK;
    if (!o->gates.constant.n)
        return encoder_fault(c, "gates.kind", "gates.kind \"constant\" needs \"constant\", a list of 0 and 1");
    if (o->gates.constant.n != gated_heads(c))
        return encoder_fault(c, "gates.constant", "found %d values, expected one for each of the %d gated heads",
                             o->gates.constant.n, gated_heads(c));
    return OK;
}

static Status check_pal_layers(const EncoderCheck *c, const char *path, const HeadNumbers *layers, int n,
                               const char *whose)
{
    for (int i = 0; i < layers->n; i++)
        if (layers->item[i] >= n)
            return encoder_fault(c, option_path_item(path, i).text, "layer %d does not exist: the %s has %d layers",
                                 layers->item[i], whose, n);
    return OK;
}

static Status check_pal(const EncoderCheck *c)
{
    const EncoderOptions *o = c->o;
    if (o->pal.width % o->pal.heads)
        return encoder_fault(c, "pal.width", "pal.width %d is not a multiple of pal.heads %d", o->pal.width,
                             o->pal.heads);
    Status s = check_pal_layers(c, "pal.layers", &o->pal.layers, c->shape->n_layers, "model");
    int layers = c->shape->n_pretrained_layers;
    if (s == OK && !layers && (o->pal.pretrained_layers.all || o->pal.pretrained_layers.n))
        return encoder_fault(c, "pal.pretrained_layers",
                             "the model has no pretrained encoder; --pretrained FILE gives it one");
    return s == OK
               ? check_pal_layers(c, "pal.pretrained_layers", &o->pal.pretrained_layers, layers, "pretrained encoder")
               : s;
}

Status encoder_options_check(EncoderOptions *options, const EncoderShape *shape, const EncoderOrigin *from,
                             Arena *memory, Error *error)
{
    Error none = { 0 };
    const EncoderCheck c = { options, shape, { from, error ? error : &none }, memory };
    Status s = check_patterns(&c);
    if (s == OK) s = check_numbers(&c);
    if (s == OK) s = encoder_options_check_entries(&c);
    if (s == OK) s = encoder_options_check_source(&c, "syntax.source", (SyntaxSource)options->syntax.source);
    if (s == OK) s = check_guidance(&c);
    if (s == OK) s = check_gates(&c);
    return s == OK ? check_pal(&c) : s;
}
