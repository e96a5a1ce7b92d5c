/* The encoder options of a variant */
#include <string.h>

#include "program/ablate/plan.h"

/* The text of the plan with blanks for everything but one value, which stays where it is: so that places in it are
 * places in the plan. In the arena; NULL when out of memory. */
static const char *text_of(const AblatePlan *p, const cJSON *value, Arena *arena)
{
    char *text = arena_strndup(arena, p->text.ptr, p->text.len);
    TextPlace place = json_place(p->text.ptr, p->text.len, p->json, value, false), at = { 1, 1 };
    if (!text) return NULL;
    char *from = text;
    for (; *from && (at.line < place.line || at.column < place.column); from++) {
        at = text_place(at, from, 1);
        if (*from != '\n') *from = ' ';
    }
    int depth = 0;
    bool string = false;
    char *to = from;
    for (; *to; to++) {
        if (*to == '"') string = !string;
        else if (string && *to == '\\' && to[1]) to++;
        else if (!string && strchr("{[", *to)) depth++;
        else if (!string && strchr("}]", *to) && --depth == 0) break;
    }
    if (*to) to[1] = 0;
    return text;
}

static Status add_origin(const AblatePlan *p, EncoderOrigin *from, const cJSON *value, Arena *arena, Error *e)
{
    if (!cJSON_IsObject(value)) return OK;
    from->file[from->n].path = p->path;
    from->file[from->n].text = text_of(p, value, arena);
    return from->file[from->n++].text ? OK : error_set(e, ERR_NOMEM, "out of memory reading a plan");
}

/* Values for the check, in place of those that a run gets when it is made. */
static Status put_placeholders(const AblatePlan *p, AblateVariant *v, Arena *arena, Error *e)
{
    EncoderOptions *o = &v->options;
    if (p->folds && !o->syntax.model && !o->syntax.train_file) {
        v->first_pass = true; /* until the entries are checked */
        o->syntax.model = o->syntax.train_file = "first-pass";
    }
    if (v->continues && o->gates.kind != GATES_NONE && !o->gates.start_from) o->gates.start_from = "model.lal";
    if (!v->copies_heads || o->gates.constant.n) return OK;
    const ModelConfig *m = &v->model;
    int n = (encoder_options_gates(o, STACK_SELF) ? m->n_layers * m->n_heads : 0) +
            (encoder_options_gates(o, STACK_LABEL) && m->use_lal ? m->n_label_heads : 0);
    for (int l = 0; encoder_options_gates(o, STACK_PAL) && l < m->n_layers; l++)
        n += head_numbers_has(&o->pal.layers, l) ? o->pal.heads : 0;
    for (int s = 0; s < DECODER_STACKS; s++)
        n += encoder_options_gates_decoder(o, (DecoderStack)s) ? m->decoder_layers * m->n_heads : 0;
    int *ones = arena_alloc(arena, (size_t)n, sizeof *ones);
    if (!ones) return error_set(e, ERR_NOMEM, "out of memory reading a plan");
    for (int k = 0; k < n; k++) ones[k] = 1;
    o->gates.constant = (HeadNumbers){ .n = n, .item = ones };
    return OK;
}

PretrainedConfig ablate_plan_pretrained(const AblatePlan *p, const AblateVariant *v)
{
    PretrainedConfig c = p->pretrained;
    if (v->model.pretrained_layers && v->model.pretrained_layers < c.n_layers) c.n_layers = v->model.pretrained_layers;
    return c;
}

Status ablate_plan_options(AblatePlan *p, const cJSON *base, const cJSON *patch, const cJSON *object, AblateVariant *v,
                           Error *e)
{
    EncoderOrigin from = { .n = 0 };
    const PretrainedConfig pretrained = ablate_plan_pretrained(p, v);
    const EncoderShape shape = config_shape(&v->model, p->measure->task, &pretrained);
    Error why = { 0 };
    encoder_options_defaults(&v->options);
    Status s = add_origin(p, &from, base, &p->strings, &why);
    if (s == OK) s = add_origin(p, &from, patch, &p->strings, &why);
    if (s == OK && object) s = encoder_options_read(&v->options, object, &from, &p->strings, &why);
    if (s == OK && patch) s = put_placeholders(p, v, &p->strings, &why);
    if (s == OK && patch) s = encoder_options_check(&v->options, &shape, &from, &p->strings, &why);
    bool parsed = false;
    for (int k = 0; k < v->options.n_heads && s == OK; k++)
        parsed = parsed || v->options.heads[k].syntax == SYNTAX_FIRST_PASS;
    if (v->first_pass && !parsed) { /* a run that reads no parses is the same in a plan without a first pass */
        v->first_pass = false;
        v->options.syntax.model = v->options.syntax.train_file = NULL;
    }
    if (s == OK) return OK;
    if (s == ERR_NOMEM) return error_set(e, s, "%s", why.message);
    if (why.line) return error_at(e, ERR_USAGE, p->path, why.line, why.column, "%s: %s", v->name, why.message);
    return ablate_plan_error(p, patch ? patch : base, e, "%s: %s", v->name, why.message);
}
